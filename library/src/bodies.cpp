// The bodies among the solids: which part of the surface belongs to which, and the force and the
// torque of the fluid on each. They make no difference to the flow.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "library/src/numbers.hpp"
#include "library/src/solids.hpp"
#include "library/src/solver.hpp"

namespace box {

// ---- Which they are ----------------------------------------------------------------------------

void Solver::set_bodies(const std::int32_t* labels) {
    if (labels == nullptr) {
        take_bodies_out();
        return;
    }
    auto made = std::make_unique<Bodies>();
    const std::size_t count =
        static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
    made->label.assign(labels, labels + count);
    made->count = 1 + *std::max_element(labels, labels + count);
    spread_labels(made->label);
    make_solids();
    if (has_bodies()) {
        std::swap(made->sheared, solids->bodies->sheared);
    } else if (viscosity > 0.0f) {
        const std::uint64_t before = bytes;
        try {
            for (int axis = 0; axis < dimensions(); ++axis) {
                made->sheared[axis] = make(layout);
            }
        } catch (...) {
            bytes = before;
            throw;
        }
        solids->bytes += bytes - before;
    }
    solids->bodies = std::move(made);
}

void Solver::take_bodies_out() {
    if (!has_bodies()) {
        return;
    }
    for (const Field& field : solids->bodies->sheared) {
        if (field) {
            bytes -= layout.size * sizeof(float);
            solids->bytes -= layout.size * sizeof(float);
        }
    }
    solids->bodies.reset();
}

/// Gives each cell without a label that of the nearest cell that has one. From the cells that have
/// a label it goes to their neighbours, from there to theirs, and so on (breadth-first search).
void Solver::spread_labels(std::vector<int>& label) const {
    const int n[3] = {nx, ny, nz};
    const int step_to_next[3] = {1, nx, nx * ny};
    std::vector<int> cells_to_visit;
    cells_to_visit.reserve(label.size());
    for (std::size_t cell = 0; cell < label.size(); ++cell) {
        if (label[cell] >= 0) {
            cells_to_visit.push_back(static_cast<int>(cell));
        }
    }
    for (std::size_t visited = 0; visited < cells_to_visit.size(); ++visited) {
        const int cell = cells_to_visit[visited];
        for (int axis = 0; axis < dimensions(); ++axis) {
            const int place = cell / step_to_next[axis] % n[axis];
            for (const int side : {-1, 1}) {
                int next_place = place + side;
                if (joined[axis]) {
                    next_place = (next_place + n[axis]) % n[axis];
                }
                if (next_place < 0 || next_place >= n[axis]) {
                    continue;
                }
                const int neighbour = cell + (next_place - place) * step_to_next[axis];
                int& its_label = label[static_cast<std::size_t>(neighbour)];
                if (its_label < 0) {
                    its_label = label[static_cast<std::size_t>(cell)];
                    cells_to_visit.push_back(neighbour);
                }
            }
        }
    }
}

int Solver::body_count() const {
    return has_bodies() ? solids->bodies->count : 0;
}

bool Solver::knows_forces() const {
    return has_bodies() && solids->bodies->stepped;
}

// ---- What a step keeps for them ----------------------------------------------------------------

/// Keeps what friction follows from, a component after viscosity. Pressure changes it afterwards.
void Solver::keep_sheared(int component) {
    if (has_bodies()) {
        backend->copy(solids->bodies->sheared[component].data(), velocity[component].data(),
                      layout.size);
    }
}

/// To be called at the end of a step: its forces are found when somebody asks for them.
void Solver::note_step_of_bodies() {
    if (has_bodies()) {
        solids->bodies->stepped = true;
        solids->bodies->found = false;
    }
}

// ---- The forces --------------------------------------------------------------------------------

/// Adds the force and the torque of the last step on one body, which has been named.
void Solver::find_forces(int body, const double pivot[3], stable_fluids_forces& forces) {
    find_surface_forces();
    const int n[3] = {nx, ny, nz};
    for (const SurfaceForce& part : solids->bodies->forces) {
        if (part.body != body) {
            continue;
        }
        double arm[3] = {};
        for (int axis = 0; axis < dimensions(); ++axis) {
            arm[axis] = part.place[axis] - pivot[axis] / static_cast<double>(h);
            if (joined[axis]) {  // from there to the nearest of its images
                arm[axis] -= n[axis] * std::round(arm[axis] / n[axis]);
            }
            arm[axis] *= static_cast<double>(h);
        }
        double* const sum = part.is_friction ? forces.friction : forces.pressure;
        double* const turns = part.is_friction ? forces.friction_torque : forces.pressure_torque;
        // The cross product of the arm and a force along one axis.
        const int next_axis = (part.axis + 1) % 3;
        const int last_axis = (part.axis + 2) % 3;
        sum[part.axis] += part.force;
        turns[next_axis] += arm[last_axis] * part.force;
        turns[last_axis] -= arm[next_axis] * part.force;
        for (int axis = 0; axis < 3; ++axis) {
            turns[axis] += part.couple[axis];
        }
    }
}

/// Finds the forces on all parts of the surface in the last step, if they are not known yet.
void Solver::find_surface_forces() {
    Bodies& bodies = *solids->bodies;
    if (bodies.found || !bodies.stepped) {
        return;
    }
    bodies.forces.clear();
    if (cut()) {
        find_pressure_forces();
        for (int component = 0; component < dimensions() && viscosity > 0.0f; ++component) {
            find_friction_forces(component);
        }
    }
    bodies.found = true;
}

/// As Push, cell by cell.
void Solver::find_pressure_forces() {
    settle_pressure();
    const Numbers p = downloaded(pressure);
    const double size = static_cast<double>(h);
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Numbers open = downloaded(surfaces(axis));
        const Push push = {cells(), p.array, open.array, axis};
        std::size_t cell = 0;
        for_each_place(nx, ny, nz, [&](int i, int j, int k) {
            const int body = solids->bodies->label[cell++];
            const double value = static_cast<double>(push(i, j, k));
            if (body >= 0 && value != 0.0) {
                solids->bodies->forces.push_back({body,
                                                  axis,
                                                  false,
                                                  {i + 0.5, j + 0.5, k + 0.5},
                                                  size * (deep ? size : 1.0) * value});
            }
        });
    }
}

/// As Friction, face by face. The weights are those of the equations of viscosity.
void Solver::find_friction_forces(int component) {
    const Numbers cell = downloaded(solids->fraction);
    const Numbers u = downloaded(solids->bodies->sheared[component]);
    const Numbers s = downloaded(solids->s[component]);
    Numbers share(layout);
    Numbers b(layout);
    std::vector<Numbers> f;
    std::vector<Numbers> weight;
    Viscosity equations = viscosity_of(component);
    for (int axis = 0; axis < dimensions(); ++axis) {
        f.push_back(downloaded(surfaces(axis)));
        weight.emplace_back(layout);
        equations.around.f[axis] = f.back().array;
        equations.weight[axis] = weight.back().array;
    }
    equations.around.cell = cell.array;
    equations.u = u.array;
    equations.s = s.array;
    equations.share = share.array;
    equations.b = b.array;
    const auto for_each_in = [](const Extent& over, const auto& visit) {
        for_each_place(over.x.last - over.x.first + 1, over.y.last - over.y.first + 1,
                       over.z.last - over.z.first + 1, [&](int i, int j, int k) {
                           visit(over.x.first + i, over.y.first + j, over.z.first + k);
                       });
    };
    for_each_in(equations.over, equations);

    Friction friction = {equations.places, equations.around, u.array, s.array, {}};
    std::copy_n(equations.weight, 3, friction.weight);
    for_each_in(friction.over, [&](int i, int j, int k) {
        const int face[3] = {i, j, k};
        const int body = body_at_face(cell.array, component, face);
        const SurfaceForce part = friction_on_face(friction, face);
        const bool acts = part.force != 0.0 || part.couple[0] != 0.0 || part.couple[1] != 0.0 ||
                          part.couple[2] != 0.0;
        if (body >= 0 && acts) {
            solids->bodies->forces.push_back(part);
            solids->bodies->forces.back().body = body;
        }
    });
}

/// The friction around one face. The equations of viscosity have the Laplacian of the velocity, so
/// they know of the stress nu (du_i / dx_j) alone. In an incompressible fluid its other half, nu
/// (du_j / dx_i), adds nothing to the force on a whole body. Its torque is the integral of
/// nu (s x n) over the surface, where s is the solid's velocity and n points into the fluid. (This
/// follows from Stokes' theorem.) It is not 0 if the body turns.
SurfaceForce Solver::friction_on_face(const Friction& friction, const int face[3]) const {
    const int component = friction.around.axis;
    const double size = static_cast<double>(h);
    const double nu = static_cast<double>(viscosity);
    SurfaceForce part = {};
    part.axis = component;
    part.is_friction = true;
    part.force =
        nu * (deep ? size : 1.0) * static_cast<double>(friction(face[0], face[1], face[2]));
    for (int axis = 0; axis < dimensions(); ++axis) {
        part.place[axis] = face[axis] + (axis == component ? 0.0 : 0.5);
    }
    const Array& cell = friction.around.cell;
    const int here = face[0] + cell.row * face[1] + cell.layer * face[2];
    const double speed = static_cast<double>(at(friction.s, face));
    const double factor = nu * size * (deep ? size : 1.0) * speed;
    const int next_axis = (component + 1) % 3;
    const int last_axis = (component + 2) % 3;
    const auto normal = [&](int axis) {
        return axis < dimensions() ? static_cast<double>(friction.around.surface(axis, here)) : 0.0;
    };
    part.couple[last_axis] = factor * normal(next_axis);
    part.couple[next_axis] = -factor * normal(last_axis);
    return part;
}

/// The body that friction on a face belongs to: that of the one of its two cells which has less
/// fluid.
int Solver::body_at_face(const Array& fraction, int component, const int face[3]) const {
    const int n[3] = {nx, ny, nz};
    int before[3] = {face[0], face[1], face[2]};
    int after[3] = {face[0], face[1], face[2]};
    --before[component];
    if (before[component] < 0) {
        before[component] = joined[component] ? n[component] - 1 : 0;
    }
    after[component] = std::min(after[component], n[component] - 1);
    const int* const cell = at(fraction, before) < at(fraction, after) ? before : after;
    return solids->bodies->label[static_cast<std::size_t>(cell[0] + nx * (cell[1] + ny * cell[2]))];
}

}  // namespace box
