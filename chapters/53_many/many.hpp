// What this chapter adds to 31_smoke: which points each rank owns, what it needs of others, how the
// values travel, how the equations are numbered, and a step of one part. Where 31_smoke's function
// reads no further than the block, the step calls it as it is. This file calls neither PETSc nor
// MPI itself. It asks `ranks`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "parts.hpp"

/// How many ranks share each axis of a box of n cells, such that every rank gets a cell along every
/// axis and as few faces as possible are cut. {0, 0, 0} if they cannot share the box like this.
inline Three share_box(const Three& n, int ranks) {
    Three best = {0, 0, 0};
    double fewest = 1e300;
    for (int x = 1; x <= ranks; ++x) {
        for (int y = 1; x * y <= ranks; ++y) {
            const int z = ranks / (x * y);
            const double faces = 1.0 * x / n[0] + 1.0 * y / n[1] + 1.0 * z / n[2];
            if (x * y * z == ranks && x <= n[0] && y <= n[1] && z <= n[2] && faces < fewest) {
                best = {x, y, z};
                fewest = faces;
            }
        }
    }
    return best;
}

/// The points of a field that a rank owns: those of its own cells, if `extra` is 0 along all axes.
/// Of u, v and w each rank owns the left, upper or front faces of its cells. The box has one more
/// face along that axis, which the last rank along it owns.
inline Points owned_points(const Part& part, int rank, const Three& extra) {
    const Three& shares = part.shares;
    const Three at = {rank % shares[0], rank / shares[0] % shares[1],
                      rank / (shares[0] * shares[1])};
    Points owned;
    for (int axis = 0; axis < 3; ++axis) {
        owned.begin[axis] = part.n[axis] * at[axis] / shares[axis];
        owned.end[axis] = part.n[axis] * (at[axis] + 1) / shares[axis];
        if (at[axis] + 1 == shares[axis]) {
            owned.end[axis] += extra[axis];
        }
    }
    return owned;
}

/// The points of a field that a rank owns, and the layers of ghost points around them, as far as
/// the box reaches.
inline Points with_ghosts(const Part& part, int rank, const Three& extra) {
    Points points = owned_points(part, rank, extra);
    for (int axis = 0; axis < 3; ++axis) {
        points.begin[axis] = std::max(0, points.begin[axis] - part.ghosts);
        points.end[axis] = std::min(part.n[axis] + extra[axis], points.end[axis] + part.ghosts);
    }
    return points;
}

/// Fills these fields' ghost points with what their owners have. Another rank needs of this one
/// what this one owns and the other has as a ghost. The values of all fields travel in one message.
/// All messages are under way before this rank waits for any, so no two wait for each other.
inline void exchange(const Part& part, const std::vector<Field*>& fields, Ranks& ranks) {
    const auto between = [&part](const Field& field, int owner, int needs) {
        const Three extra = extra_points(part.fluid, field);
        return intersection(owned_points(part, owner, extra), with_ghosts(part, needs, extra));
    };
    std::vector<std::vector<double>> sent(ranks.count()), received(ranks.count());
    for (int other = 0; other < ranks.count(); ++other) {
        if (other == part.rank) {
            continue;
        }
        std::size_t needed = 0;
        for (const Field* field : fields) {
            for_each_point_of(part, between(*field, part.rank, other), [&](int i, int j, int k) {
                sent[other].push_back((*field)(i, j, k));
            });
            needed += count_points(between(*field, other, part.rank));
        }
        received[other].resize(needed);
        ranks.receive(other, received[other]);
        ranks.send(other, sent[other]);
    }
    ranks.wait();
    for (int other = 0; other < ranks.count(); ++other) {
        if (other == part.rank) {
            continue;
        }
        std::size_t next = 0;
        for (Field* field : fields) {
            for_each_point_of(part, between(*field, other, part.rank), [&](int i, int j, int k) {
                (*field)(i, j, k) = received[other][next];
                ++next;
            });
        }
    }
}

/// Makes the part of a rank, with so many layers of ghost cells, for a box of n cells. Its fluid is
/// at rest and has the parameters of `like`, and the box has these sides.
inline Part make_part(const Three& n, const Three& shares, int rank, int ghosts, const Fluid& like,
                      const std::array<Side, 6>& sides) {
    Part part = {n, shares, rank, ghosts, {0, 0, 0}, sides, Fluid(1, 1, 1)};
    const Points cells = with_ghosts(part, rank, {0, 0, 0});
    part.first = cells.begin;
    part.fluid = Fluid(cells.end[0] - cells.begin[0], cells.end[1] - cells.begin[1],
                       cells.end[2] - cells.begin[2]);
    copy_numbers(like, part.fluid);
    set_sides(part);
    set_origins(part);
    return part;
}

/// Returns how many layers of ghost cells a step of `dt` seconds needs with this rank's own
/// velocities. This is how many cells the fluid crosses in that time at the fastest of them,
/// rounded up. It is at least 1, since the divergence needs one layer. It is at least 2 with
/// viscosity, which asks of the face beside an own one what both of its cells are; and at least 3
/// with confinement: an own face is pushed by the cell beside it, too, which reads its neighbour's
/// vorticity, and this a velocity one cell further. It is at most the longest side of the box, and
/// just that if a velocity is not finite.
inline int ghosts_needed(const Part& part, double dt) {
    const Fluid& fluid = part.fluid;
    const double most = std::max({part.n[0], part.n[1], part.n[2]});
    double needed = 1.0;
    if (fluid.nu > 0.0) {
        needed = 2.0;
    }
    if (fluid.epsilon != 0.0) {
        needed = 3.0;
    }
    for (const Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        const Points owned = owned_points(part, part.rank, extra_points(fluid, *field));
        for_each_point_of(part, owned, [&](int i, int j, int k) {
            const double cells = std::abs((*field)(i, j, k)) * dt / fluid.h;
            needed = cells < most ? std::max(needed, cells) : most;  // most, if it is NaN
        });
    }
    return static_cast<int>(std::ceil(std::min(needed, most)));
}

/// Fills a field with the numbers of its points in the whole box, from 0 on: first those of rank 0,
/// row after row, then those of rank 1, and so on. Each rank numbers its own points. The numbers of
/// the ghost points, which other ranks own, travel like any other values.
inline void number_points(const Part& part, Field& numbers, Ranks& ranks) {
    const Three extra = extra_points(part.fluid, numbers);
    double number = 0.0;
    for (int rank = 0; rank < part.rank; ++rank) {
        number += count_points(owned_points(part, rank, extra));
    }
    for_each_point_of(part, owned_points(part, part.rank, extra), [&](int i, int j, int k) {
        numbers(i, j, k) = number;
        number += 1.0;
    });
    exchange(part, {&numbers}, ranks);
}

/// Returns the row of A for a point that the rank owns: the diagonal in the point's own column, and
/// minus the weight in the column of each neighbour, whichever rank owns the neighbour. A point
/// without an equation has a 1 on the diagonal, and nothing else in its row and its column.
inline std::vector<Entry> matrix_row(const Matrix& A, const Field& numbers, int i, int j, int k) {
    if (!A.has(i, j, k)) {
        return {{numbers(i, j, k), 1.0}};
    }
    std::vector<Entry> row = {{numbers(i, j, k), A.diagonal(i, j, k)}};
    for (int side = 0; side < 6; ++side) {
        const auto& [di, dj, dk] = neighbours[side];
        const double weight = A.weight(side, i, j, k);
        if (weight != 0.0 && A.has(i + di, j + dj, k + dk)) {
            row.push_back({numbers(i + di, j + dj, k + dk), -weight});
        }
    }
    return row;
}

/// Returns the right-hand side of the equation of a point that the rank owns: b, and the weight
/// times x for each neighbour where x is known. 0 if the point has no equation.
inline double right_hand_side_at(const Matrix& A, const Field& x, const Field& b, int i, int j,
                                 int k) {
    if (!A.has(i, j, k)) {
        return 0.0;
    }
    double sum = b(i, j, k);
    for (int side = 0; side < 6; ++side) {
        const auto& [di, dj, dk] = neighbours[side];
        if (x.has(i + di, j + dj, k + dk) && !A.has(i + di, j + dj, k + dk)) {
            sum += A.weight(side, i, j, k) * x(i + di, j + dj, k + dk);
        }
    }
    return sum;
}

/// Returns the components of the block's matrix, closed and open, as if there were nothing beyond.
inline std::vector<Component> components_of_block(const Matrix& A) {
    std::vector<Component> components;
    const int points = static_cast<int>(A.diagonal.values.size());
    std::vector<bool> is_found(points, false);
    for (int point = 0; point < points; ++point) {
        if (A.diagonal.values[point] != 0.0 && !is_found[point]) {
            components.push_back(find_component(A, point, is_found));
        }
    }
    return components;
}

/// Gives all points of the block that belong together the least label among theirs, or -1 if the
/// component is open. Returns whether a label has changed.
inline bool spread_labels(const std::vector<Component>& components, Field& labels) {
    bool has_changed = false;
    for (const Component& component : components) {
        double least = component.is_closed ? labels.values[component.points[0]] : -1.0;
        for (const int point : component.points) {
            least = std::min(least, labels.values[point]);
        }
        for (const int point : component.points) {
            has_changed = has_changed || labels.values[point] != least;
            labels.values[point] = least;
        }
    }
    return has_changed;
}

/// Returns the closed components of the whole box's matrix, in the same order on each rank. Each is
/// the list of those of its points that this rank owns, by their places in the array of a field.
///
/// A component may reach through several blocks. At first each point's label is its number. In each
/// block the least label of a component spreads over it, and an exchange carries it over the
/// border, until nothing changes on any rank. Then the label is the least number of the whole
/// component, or -1 if it is open somewhere.
inline std::vector<std::vector<int>> closed_components(const Part& part, const Matrix& A,
                                                       Ranks& ranks) {
    Field numbers = A.diagonal;
    number_points(part, numbers, ranks);
    const std::vector<Component> found = components_of_block(A);
    Field labels = numbers;
    bool has_changed = true;
    while (has_changed) {
        has_changed = ranks.any(spread_labels(found, labels));
        exchange(part, {&labels}, ranks);
    }
    const Points owned = owned_points(part, part.rank, {0, 0, 0});
    std::vector<double> own_first;  // the label of a closed component is that of its first point
    for_each_point_of(part, owned, [&](int i, int j, int k) {
        if (A.has(i, j, k) && labels(i, j, k) == numbers(i, j, k)) {
            own_first.push_back(labels(i, j, k));
        }
    });
    const std::vector<double> first = ranks.join(own_first);
    std::vector<std::vector<int>> closed(first.size());
    for_each_point_of(part, owned, [&](int i, int j, int k) {
        const auto at = std::find(first.begin(), first.end(), labels(i, j, k));
        if (A.has(i, j, k) && at != first.end()) {
            closed[at - first.begin()].push_back(A.diagonal.IX(i, j, k));
        }
    });
    return closed;
}

/// Makes the block's matrix anew. If it is no longer the same on some rank, finds the closed
/// components anew. Returns whether it is no longer the same.
inline bool update_matrix(Part& part, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    const Matrix A = pressure_matrix(fluid);
    const bool has_changed = ranks.any(A != fluid.matrix);
    if (has_changed) {
        fluid.matrix = A;
        fluid.closed = closed_components(part, A, ranks);
    }
    return has_changed;
}

/// Gives the part more layers of ghost cells, if some rank needs more for `dt` seconds.
inline void widen(Part& part, double dt, Ranks& ranks) {
    const int needed = static_cast<int>(ranks.largest(ghosts_needed(part, dt)));
    if (needed <= part.ghosts) {
        return;
    }
    Part wide = make_part(part.n, part.shares, part.rank, needed, part.fluid, part.sides);
    const std::vector<Field*> from = state_of(part.fluid);
    const std::vector<Field*> to = state_of(wide.fluid);
    for (std::size_t at = 0; at < from.size(); ++at) {
        const Three extra = extra_points(part.fluid, *from[at]);
        const int dx = part.first[0] - wide.first[0];
        const int dy = part.first[1] - wide.first[1];
        const int dz = part.first[2] - wide.first[2];
        for_each_point_of(part, owned_points(part, part.rank, extra), [&](int i, int j, int k) {
            (*to[at])(i + dx, j + dy, k + dz) = (*from[at])(i, j, k);
        });
    }
    part = std::move(wide);
    exchange(part, state_of(part.fluid), ranks);
    update_matrix(part, ranks);
}

/// Returns a velocity that is 0 at all points that the rank does not own. So a sum over all ranks
/// counts each point once.
inline Velocity without_ghosts(const Part& part, const Velocity& velocity) {
    Velocity own = {velocity.u, velocity.v, velocity.w};
    const Field* const from[] = {&velocity.u, &velocity.v, &velocity.w};
    Field* const to[] = {&own.u, &own.v, &own.w};
    for (int axis = 0; axis < 3; ++axis) {
        std::fill(to[axis]->values.begin(), to[axis]->values.end(), 0.0);
        const Three extra = extra_points(part.fluid, *from[axis]);
        for_each_point_of(part, owned_points(part, part.rank, extra), [&](int i, int j, int k) {
            (*to[axis])(i, j, k) = (*from[axis])(i, j, k);
        });
    }
    return own;
}

/// Returns the energy that flows into the box through faces that the rank owns, see
/// energy_flowing_in of the whole box.
inline double own_energy_flowing_in(const Part& part, double dt) {
    Fluid own = part.fluid;
    const Velocity velocity = without_ghosts(part, {own.u, own.v, own.w});
    own.u = velocity.u;
    own.v = velocity.v;
    own.w = velocity.w;
    return energy_flowing_in(own, dt);
}

/// Returns the share of the correction that carry_velocity adds. The energies are those of the
/// whole box, so they are sums over all ranks.
inline double share_of_correction(const Part& part, const Velocity& before, const Velocity& linear,
                                  const Velocity& correction, double dt, Ranks& ranks) {
    const Velocity own_before = without_ghosts(part, before);
    const Velocity own_linear = without_ghosts(part, linear);
    const Velocity own_correction = without_ghosts(part, correction);
    std::vector<double> sums = {
        dot(own_before, own_before) + own_energy_flowing_in(part, dt),
        dot(own_linear, own_linear),
        dot(own_linear, own_correction),
        dot(own_correction, own_correction),
    };
    ranks.sum(sums);
    const double most = std::max(sums[0], sums[1]);
    const double a = sums[3];
    const double b = sums[2];
    const double c = sums[1] - most;
    if (a + 2.0 * b + c <= 0.0) {
        return 1.0;
    }
    return (std::sqrt(b * b - a * c) - b) / a;
}

/// Carries the velocity `before` along that of the part, as in 31_smoke. Its ghost points must be
/// right. What advect has carried is exchanged, since the way back begins there.
inline void carry_velocity(Part& part, const Velocity& before, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    Velocity carried = before;
    const std::vector<Vector> upstream_of_u = advect(fluid, carried.u, before.u, dt);
    const std::vector<Vector> upstream_of_v = advect(fluid, carried.v, before.v, dt);
    const std::vector<Vector> upstream_of_w = advect(fluid, carried.w, before.w, dt);
    if (fluid.advection != Advection::LINEAR) {
        exchange(part, {&carried.u, &carried.v, &carried.w}, ranks);
        Velocity correction = carried;
        subtract_error(fluid, correction.u, before.u, upstream_of_u, dt);
        subtract_error(fluid, correction.v, before.v, upstream_of_v, dt);
        subtract_error(fluid, correction.w, before.w, upstream_of_w, dt);
        add_scaled(correction, -1.0, carried);
        const double share = share_of_correction(part, before, carried, correction, dt, ranks);
        add_scaled(carried, share, correction);
    }
    std::swap(fluid.u, carried.u);
    std::swap(fluid.v, carried.v);
    std::swap(fluid.w, carried.w);
    set_bnd(fluid);
}

/// Carries fields at the centres of cells along, all of them at once. Their ghost points must be
/// right.
inline void carry(Part& part, const std::vector<Field*>& fields, double dt, Ranks& ranks) {
    const Fluid& fluid = part.fluid;
    std::vector<Field> before;
    std::vector<std::vector<Vector>> upstream;
    for (Field* field : fields) {
        before.push_back(*field);
        upstream.push_back(advect(fluid, *field, before.back(), dt));
    }
    if (fluid.advection != Advection::LINEAR) {
        exchange(part, fields, ranks);
        for (std::size_t at = 0; at < fields.size(); ++at) {
            subtract_error(fluid, *fields[at], before[at], upstream[at], dt);
        }
    }
}

/// As add_force of 31_smoke. Confinement reads the velocity three cells beyond the border.
inline void add_force(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    if (fluid.epsilon != 0.0) {
        exchange(part, {&fluid.u, &fluid.v, &fluid.w}, ranks);
    }
    add_force(fluid, dt);
}

/// Carries the reflected velocity along the velocity, as advect_reflected of 31_smoke.
inline void advect_reflected(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    Velocity reflected = {fluid.u, fluid.v, fluid.w};
    subtract_gradient(fluid, fluid.gradient_factor * fluid.rho);
    add_buoyancy(fluid, dt);
    add_force(part, dt, ranks);
    std::swap(fluid.u, reflected.u);
    std::swap(fluid.v, reflected.v);
    std::swap(fluid.w, reflected.w);
    exchange(part, {&reflected.u, &reflected.v, &reflected.w}, ranks);
    carry_velocity(part, reflected, dt, ranks);
}

/// Lets a field of the part spread, as diffuse of 31_smoke, where a is diffusivity dt / h^2. The
/// equations are those of the block, and all ranks solve them together. Returns the residual.
inline double diffuse(Part& part, const std::string& name, Field& field, double a,
                      const std::array<Wall, 6>& walls, Ranks& ranks) {
    if (a == 0.0) {
        return 0.0;
    }
    const Equations equations = diffusion_equations(part.fluid, field, a, walls);
    return ranks.solve(part, name, equations.A, field, equations.b).back();
}

/// Lets viscosity act on the velocity.
inline void diffuse_velocity(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    const double a = fluid.nu * dt / (fluid.h * fluid.h);
    const double of_u = diffuse(part, "u", fluid.u, a, walls_of(fluid, fluid.u), ranks);
    const double of_v = diffuse(part, "v", fluid.v, a, walls_of(fluid, fluid.v), ranks);
    const double of_w = diffuse(part, "w", fluid.w, a, walls_of(fluid, fluid.w), ranks);
    fluid.viscous_residual = std::max({of_u, of_v, of_w});
}

/// Lets heat diffuse and warm fluid cool, as in 31_smoke.
inline void diffuse_heat(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    const double a = fluid.kappa * dt / (fluid.h * fluid.h);
    fluid.heat_residual =
        diffuse(part, "temperature", fluid.temperature, a, walls_of_heat(fluid), ranks);
    for (double& temperature : fluid.temperature.values) {
        temperature *= std::exp(-fluid.cooling * dt);
    }
}

/// Subtracts the mean of a field in each closed component of the whole box from its values there.
/// Returns the largest compatibility_defect that the field had.
inline double subtract_means(const Part& part, Field& field, Ranks& ranks) {
    const std::vector<std::vector<int>>& closed = part.fluid.closed;
    std::vector<double> sums;  // of each component: the values, their absolute values, the points
    for (const std::vector<int>& points : closed) {
        double sum = 0.0;
        double size = 0.0;
        for (const int point : points) {
            sum += field.values[point];
            size += std::abs(field.values[point]);
        }
        sums.insert(sums.end(), {sum, size, static_cast<double>(points.size())});
    }
    ranks.sum(sums);
    double defect = 0.0;
    for (std::size_t at = 0; at < closed.size(); ++at) {
        const double sum = sums[3 * at];
        const double size = sums[3 * at + 1];
        for (const int point : closed[at]) {
            field.values[point] -= sum / sums[3 * at + 2];
        }
        defect = std::max(defect, size > 0.0 ? std::abs(sum) / size : 0.0);
    }
    return defect;
}

/// Solves for the pressure of the whole box, as solve_pressure of 31_smoke.
inline void solve_pressure(Part& part, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    Field& p = fluid.pressure;
    fluid.compatibility_defect = subtract_means(part, fluid.rhs, ranks);
    std::fill(p.values.begin(), p.values.end(), 0.0);
    fluid.residuals = ranks.solve(part, "pressure", fluid.matrix, p, fluid.rhs);
    subtract_means(part, p, ranks);
}

/// Makes the velocity free of divergence, as project of 31_smoke. The divergence at the border
/// needs a velocity beyond it, and the gradient a pressure.
inline void project(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    set_bnd(fluid);
    exchange(part, {&fluid.u, &fluid.v, &fluid.w}, ranks);
    right_hand_side(fluid, dt);
    solve_pressure(part, ranks);
    exchange(part, {&fluid.pressure}, ranks);
    subtract_gradient(fluid, dt);
    fluid.gradient_factor = dt / fluid.rho;
}

/// Lets `dt` seconds pass in a rank's part: 31_smoke's step, on the block. All ranks must call it
/// together. The fields are exchanged once at the beginning. Where a function has changed a field
/// that the next one reads beyond the border, it is exchanged again. What is one number for the
/// whole box is summed up over the ranks.
inline void step(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    set_bnd(fluid);
    const bool is_new = update_matrix(part, ranks);
    const bool reflects = fluid.advection == Advection::REFLECTED && fluid.reflects_next && !is_new;
    widen(part, dt, ranks);
    exchange(part, {&fluid.u, &fluid.v, &fluid.w, &fluid.density, &fluid.temperature, &fluid.smoke},
             ranks);
    if (reflects) {
        advect_reflected(part, dt, ranks);
        diffuse_velocity(part, dt, ranks);
    } else {
        carry_velocity(part, {fluid.u, fluid.v, fluid.w}, dt, ranks);
        add_buoyancy(fluid, dt);
        diffuse_velocity(part, dt, ranks);
        add_force(part, dt, ranks);
    }
    fluid.reflects_next = fluid.advection == Advection::REFLECTED && !reflects;
    project(part, dt, ranks);
    widen(part, dt, ranks);
    carry(part, {&fluid.density, &fluid.temperature, &fluid.smoke}, dt, ranks);
    diffuse_heat(part, dt, ranks);
    apply_sources(fluid, fluid.temperature, fluid.source_temperature, dt);
    apply_sources(fluid, fluid.smoke, fluid.source_smoke, dt);
}
