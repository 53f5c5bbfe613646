// How velocity and scalars are carried, and what else happens to scalars in a step.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "library/src/solver.hpp"

namespace box {

namespace {

/// A Runge-Kutta method for central differences. What carries stays as it is, so the equations are
/// linear, and each stage may start anew from the velocity before: x = before + dt / divisor times
/// the change that the last stage's x asks for.
struct Method {
    int stages;
    /// It is stable where |u| + |v| + |w| crosses at most so many cells. The differences' largest
    /// eigenvalue is 1.37 times the crossing, and belongs to waves of about 3.5 cells. So this is
    /// the method's limit, less 5 %, over 1.37.
    double most_crossed;
    float divisors[5];
};

/// The third-order method of Wicker and Skamarock (2002, "Time-splitting methods for elastic
/// models"), the classic one of fourth order, and the third-order one of Kinnmark and Gray (1984,
/// "One step integration methods of third-fourth order accuracy with large hyperbolic stability
/// limits"). Their limits are the square roots of 3, 8 and 15.
constexpr Method methods[] = {{3, 1.2, {3.0f, 2.0f, 1.0f}},
                              {4, 1.95, {4.0f, 3.0f, 2.0f, 1.0f}},
                              {5, 2.65, {5.0f, 5.0f, 3.0f, 2.0f, 1.0f}}};

/// Beyond so many cells in a step, tracing back is quicker.
constexpr double most_cells_crossed = 38.0;

/// In how many parts a step must be made that crosses so many cells.
int parts_of_step(const Method& method, double cells_crossed) {
    return std::max(1, static_cast<int>(std::ceil(cells_crossed / method.most_crossed)));
}

/// The method that takes the fewest stages.
const Method& quickest_method(double cells_crossed) {
    const auto stages = [&](const Method& method) {
        return parts_of_step(method, cells_crossed) * method.stages;
    };
    return *std::min_element(
        std::begin(methods), std::end(methods),
        [&](const Method& one, const Method& other) { return stages(one) < stages(other); });
}

}  // namespace

/// Carries the velocity `before`, and it becomes that of the fluid. No ghosts are set.
void Solver::carry_velocity(const Field* before, const Flow& along, float dt) {
    const bool may_differ = !is_small && central && !cut() && !expansion;
    const double crossed = may_differ ? cells_crossed(along, dt) : 0.0;
    if (may_differ && crossed <= most_cells_crossed) {  // which no number that is not finite is
        carry_by_differences(before, along, dt, crossed);
    } else {
        carry_by_traces(before, along, dt);
    }
    halfway_steps = 0.0f;
    for (int component = 0; component < dimensions(); ++component) {
        velocity[component].swap(next[component]);
        if (midpoint) {
            earlier[component].swap(next[component]);
        }
    }
}

/// How many cells the flow crosses in a step, at most, along all axes together.
double Solver::cells_crossed(const Flow& along, float dt) {
    const Lent crossed(spare);
    backend->run(Crossed{cells(), along, crossed.array(), dt / h});
    return backend->largest(Value{cells(), crossed.array()});
}

/// Makes `next` what `before` is after a step that crosses so many cells. What carries stays as it
/// is.
void Solver::carry_by_differences(const Field* before, const Flow& along, float dt,
                                  double crossed) {
    last_share = 1.0;  // there is no correction that could be held back
    const Method& method = quickest_method(crossed);
    const int parts = parts_of_step(method, crossed);
    const float crosses = dt / h / static_cast<float>(parts);
    const Lent becomes[] = {Lent(next[0]), Lent(next[1]), Lent(next[2])};
    const Lent rooms[] = {Lent(spare), Lent(second_spare)};
    for (int component = 0; component < dimensions(); ++component) {
        const Walls& walls = velocity_walls[component];
        const Extent over = walls.equations.over();
        for (int part = 0; part < parts; ++part) {
            const Array from = part == 0 ? before[component].array() : next[component].array();
            Array u = from;
            for (int stage = 0; stage < method.stages; ++stage) {
                const bool is_last = stage + 1 == method.stages;
                const Array x = is_last ? next[component].array() : rooms[stage % 2].array();
                const float of_stage = crosses / method.divisors[stage];
                backend->run_to_ends(Central{over, along, x, from, u, of_stage, component},
                                     ghosts_of(x, walls, 0));
                set_bnd(x, walls, 1);
                u = x;
            }
        }
    }
}

/// Makes `next` what `before` is after a step, found by tracing back.
void Solver::carry_by_traces(const Field* before, const Flow& along, float dt) {
    const float steps_of_one = dt / h;
    const Lent becomes[] = {Lent(next[0]), Lent(next[1]), Lent(next[2])};
    const Lent try_of_one(spare);
    Blend blends[3] = {};
    if (limited) {
        backend->begin_energies();
        add_energy_that_comes_in(along, dt);
    }
    for (int component = 0; component < dimensions(); ++component) {
        // What was carried is free for the next one's linear result: the last share needs them all.
        Field* const linear = component == 0 || !limited ? &spare : &pushed[component - 1];
        Field* const to = &next[component];
        carry(&before[component], &to, &linear, &velocity_walls[component], 1, component, along,
              steps_of_one);
        blends[component] = {velocity_walls[component].equations.over(), to->array(),
                             linear->array(), 0.0f};
    }
    if (limited) {
        backend->limit(blends, dimensions());
        last_share = -1.0;
    }
}

/// What it may add to the energy: what flows in through the box's faces, what solids push in, and
/// what expands.
void Solver::add_energy_that_comes_in(const Flow& along, float dt) {
    const float steps_of_one = dt / h;
    for (int face = 0; face < 2 * dimensions(); ++face) {
        if (comes_in[face]) {
            const int axis = face / 2;
            FlowsIn op = {elements(axis), along, {}, steps_of_one, axis, face % 2 == 1};
            Range& ends = range_of(op.over, axis);
            ends = op.high ? Range{ends.last, ends.last} : Range{ends.first, ends.first};
            op.open = cut() ? solids->f[axis].array() : Array();
            backend->add_energy(op);
        }
    }
    if (cut() && solids->moves) {
        PushedIn op = {cells(), {}, {}, solids->alive.array(), steps_of_one, deep};
        for (int axis = 0; axis < dimensions(); ++axis) {
            op.f[axis] = solids->f[axis].array();
            op.s[axis] = solids->s[axis].array();
        }
        backend->add_energy(op);
    }
    if (expansion) {
        backend->add_energy(Expands{cells(), along, expansion.array(), dt});
    }
}

/// Whether a face is carried along the mean of the velocities half the way back from its two cells.
/// Linear interpolation blurs so much that this makes no difference to how close it is. But where
/// half of the pressure acts before the velocity is carried, gusts through open faces would come to
/// rest more slowly.
bool Solver::shares_traces() const {
    return !is_small && since_1_4 && !maccormack && !strang;
}

/// Finds the velocity half the way back from each cell's centre. What was found last for the
/// scalars holds for the velocity in the next step, too, if that is as long.
void Solver::find_halfway(const Flow& along, float steps_of_one) {
    if (steps_of_one == halfway_steps) {
        return;
    }
    backend->run(Halfway{cells(), along, steps_of_one, halfway[0].array(), halfway[1].array(),
                         halfway[2].array()});
    for (int axis = 0; axis < dimensions(); ++axis) {
        for (int component = 0; component < dimensions() && joined[axis]; ++component) {
            backend->run(ghosts_of(halfway[component].array(), pressure_walls, axis));
        }
    }
    halfway_steps = steps_of_one;
}

/// Does it along the velocities half the way back from the cells. A face of the box that is open
/// has a cell on one side only, and looks for its own.
void Solver::advect_along_halfway(Advect op) {
    find_halfway(op.flow, op.steps);
    if (op.where < AT_CENTRE && !joined[op.where]) {
        const int n[3] = {nx, ny, nz};
        Range& faces = range_of(op.over, op.where);
        const Range all = faces;
        for (const int end : {0, n[op.where]}) {
            if (all.first <= end && end <= all.last) {
                faces = {end, end};
                backend->run(op);
            }
        }
        faces = {std::max(all.first, 1), std::min(all.last, n[op.where] - 1)};
    }
    op.halfway = {halfway[0].array(), halfway[1].array(), halfway[2].array()};
    backend->run(op);
}

/// Carries `count` fields that live at the same places, from `from` to `to`, by way of `tries` if
/// it is MacCormack's method. No ghosts are set there.
void Solver::carry(const Field* from, Field* const* to, Field* const* tries, const Walls* walls,
                   int count, int where, const Flow& along, float steps_of_one) {
    Advect advect = {walls[0].equations.over(), along, steps_of_one, where, count, {}, {}};
    for (int n = 0; n < count; ++n) {
        advect.x[n] = (maccormack ? tries : to)[n]->array();
        advect.x0[n] = from[n].array();
    }
    if (shares_traces()) {
        advect_along_halfway(advect);
        return;
    }
    backend->run(advect);
    if (!maccormack) {
        return;
    }
    Correct correction = {advect.over, advect.flow, steps_of_one, where, count, {}, {}, {}};
    for (int n = 0; n < count; ++n) {
        set_bnd(advect.x[n], walls[n]);
        if (where < AT_CENTRE) {
            enforce(advect.x[n], where);
        } else {
            extend_scalar(advect.x[n]);
        }
        correction.x[n] = to[n]->array();
        correction.x1[n] = advect.x[n];
        correction.x0[n] = advect.x0[n];
    }
    if (limited && where < AT_CENTRE) {
        const Array open = cut() ? solids->f[where].array() : Array();
        backend->correct(correction, {correction.over, correction.x0[0], correction.x1[0],
                                      correction.x[0], open});
    } else {
        backend->run(correction);
    }
}

// ---- Scalars -----------------------------------------------------------------------------------

/// All scalars, in groups that are carried together, as many as there are free fields for.
void Solver::step_scalars(float dt) {
    const int most = maccormack ? Correct::most : Advect::most;
    const int all = static_cast<int>(scalars.size());
    const int groups = (all + most - 1) / most;
    for (int group = 0; group < groups; ++group) {
        const int first = all * group / groups;
        step_scalars(first, all * (group + 1) / groups - first, dt);
    }
}

/// Adds their sources to `count` scalars, carries them, and lets them diffuse and decay.
void Solver::step_scalars(int first, int count, float dt) {
    Field* const free[] = {&next[0], &next[1], &spare, deep ? &next[2] : &second_spare};
    double before[Advect::most] = {};
    for (int n = 0; n < count; ++n) {
        Field& scalar = scalars[first + n];
        add(scalar, sources[first + n], scalar_walls[first + n], dt);
        if (scalar_kinds[first + n].conserve != 0) {
            before[n] = amount_of(scalar);
        }
        extend_scalar(scalar.array());
    }
    {
        const Lent lent[] = {Lent(*free[0]), Lent(*free[1]), Lent(*free[2]), Lent(*free[3])};
        carry(&scalars[first], free, free + 2, &scalar_walls[first], count, AT_CENTRE,
              flow_of(midpoint ? pushed : velocity), dt / h);
        for (int n = 0; n < count; ++n) {
            scalars[first + n].swap(*free[n]);
        }
    }
    for (int n = 0; n < count; ++n) {
        finish_scalar(first + n, before[n], dt);
    }
}

/// What is left to do for a scalar that has been carried, of which there was `before`.
void Solver::finish_scalar(std::size_t n, double before, float dt) {
    const stable_fluids_scalar& kind = scalar_kinds[n];
    const Walls& walls = scalar_walls[n];
    if (kind.conserve != 0) {
        const double after = amount_of(scalars[n]);
        const double factor = before / after;
        if (factor > 0.5 && factor < 2.0) {
            backend->run(Scale{cells(), scalars[n].array(), static_cast<float>(factor), 0.0f});
        } else if (before != after) {
            lost_scalar = static_cast<int>(n);
        }
    }
    set_bnd(scalars[n].array(), walls);
    const float centre = 1.0f + dt * kind.dissipation;
    const float a = kind.diffusion * dt / (h * h);
    if (cut()) {
        cut_diffusion(n, centre, a);
    } else {
        diffuse(scalars[n], walls, scalar_grids[n], centre, a);
    }
}

/// How much there is of a scalar, in cells.
double Solver::amount_of(const Field& scalar) {
    return cut() ? backend->sum(Product{cells(), solids->fraction.array(), scalar.array()})
                 : backend->sum(Value{cells(), scalar.array()});
}

}  // namespace box
