// The forces that act on the fluid: those that are set, buoyancy and the vorticity confinement.
#include "library/src/solver.hpp"

#include <algorithm>
#include <cmath>

#include "library/src/walls.hpp"

namespace box {

/// What the forces need that are more than a field. For the confinement, the velocity goes on
/// beyond each wall as it is inside: what the fluid does at a wall is no whirl that the grid has
/// blurred.
void Solver::make_forces(const stable_fluids_description& description) {
    const int n[3] = {nx, ny, nz};
    const auto ends = [&](End::Kind otherwise) {
        return ends_of([&](int, int axis) { return End{joined[axis] ? End::JOINED : otherwise}; });
    };
    push_walls = walls_of(n, deep, 3, ends(End::BEYOND));
    for (int where = 0; where < 4; ++where) {
        if (where == 3 || where < dimensions()) {
            curl_walls[where] = walls_of(n, deep, where, ends(End::CLOSED));
        }
    }
    const auto pushes = [](const stable_fluids_buoyancy& one) { return one.share != 0.0f; };
    if (description.buoyancy != nullptr &&
        std::any_of(description.buoyancy, description.buoyancy + description.scalar_count,
                    pushes)) {
        buoyancy.assign(description.buoyancy, description.buoyancy + description.scalar_count);
    }
    double squares = 0.0;
    for (int axis = 0; axis < dimensions(); ++axis) {
        const double part = static_cast<double>(description.buoyancy_direction[axis]);
        squares += part * part;
    }
    for (int axis = 0; axis < dimensions(); ++axis) {
        const double part = static_cast<double>(description.buoyancy_direction[axis]);
        buoyancy_direction[axis] =
            squares > 0.0 ? static_cast<float>(part / std::sqrt(squares)) : 0.0f;
    }
}

/// x += dt what, if there is any.
void Solver::add(Field& x, const Field& what, const Walls& walls, float dt) {
    if (what) {
        backend->run(AddScaled{walls.equations.over(), x.array(), what.array(), dt});
        set_bnd(x.array(), walls);
    }
}

/// Lets all forces act for dt seconds, if there are any. They do not push the solids.
void Solver::add_forces(float dt) {
    bool any_acts = !buoyancy.empty() || confinement > 0.0f;
    for (int component = 0; component < dimensions(); ++component) {
        add(velocity[component], force[component], velocity_walls[component], dt);
        any_acts = any_acts || bool(force[component]);
    }
    if (!buoyancy.empty()) {
        add_buoyancy(dt);
    }
    if (confinement > 0.0f) {
        add_confinement(dt);
    }
    if (any_acts) {
        enforce_velocity();
    }
}

/// Lets a push at the centres act on a component, `factor` times: half of it on each of the cell's
/// two faces. Its ghosts must have been set.
void Solver::push(const Array& centres, int component, float factor) {
    const int back = centres.step(component);
    const Array before = {centres.data - back, centres.row, centres.layer};
    const Extent over = velocity_walls[component].equations.over();
    const Array& u = velocity[component].array();
    backend->run(AddScaled{over, u, before, 0.5f * factor});
    backend->run(AddScaled{over, u, centres, 0.5f * factor});
}

/// Fedkiw, Stam and Jensen 2001, equation 8, with a share and an ambient value for each scalar.
void Solver::add_buoyancy(float dt) {
    const Lent lent(next[0]);
    const Array& sum = lent.array();
    backend->clear(lent.data(), layout.size);
    for (std::size_t n = 0; n < scalars.size(); ++n) {
        const float share = buoyancy[n].share;
        if (share != 0.0f) {
            // At the ambient value, the second takes away just what the first has added.
            backend->run(AddScaled{cells(), sum, scalars[n].array(), share});
            backend->run(Scale{cells(), sum, 1.0f, -(share * buoyancy[n].ambient)});
        }
    }
    if (cut()) {
        const Extent over = rows_near(solids->near_closed, cells());
        backend->run(Mask{over, sum, solids->alive.array()});
    }
    set_bnd(sum, push_walls);
    for (int component = 0; component < dimensions(); ++component) {
        if (buoyancy_direction[component] != 0.0f) {
            push(sum, component, dt * buoyancy_direction[component]);
        }
    }
    set_velocity_bnd();
}

/// Fedkiw, Stam and Jensen 2001, equations 9 to 11.
void Solver::add_confinement(float dt) {
    for (int component = 0; component < dimensions(); ++component) {
        set_bnd(velocity[component].array(), curl_walls[component]);
    }
    const Lent free[] = {Lent(next[0]), Lent(next[1]), Lent(next[2])};
    const Lent one_more(spare);
    Confine op = {};
    op.over = cells();
    op.factor = confinement * h;
    op.deep = deep;
    const float per = 0.5f / h;
    if (deep) {
        op.size = one_more.array();
        backend->run(Vorticity{cells(), flow(), op.size, per, 3});
        for (int axis = 0; axis < 3; ++axis) {
            op.omega[axis] = op.force[axis] = free[axis].array();
            backend->run(Vorticity{cells(), flow(), op.omega[axis], per, axis});
        }
    } else {
        op.size = op.omega[2] = free[0].array();
        op.force[0] = free[1].array();
        op.force[1] = one_more.array();
        backend->run(Vorticity{cells(), flow(), op.size, per, 2});
    }
    set_bnd(op.size, curl_walls[3]);
    backend->run(op);
    for (int component = 0; component < dimensions(); ++component) {
        set_bnd(op.force[component], push_walls);
        push(op.force[component], component, dt);
    }
    set_velocity_bnd();
}

}  // namespace box
