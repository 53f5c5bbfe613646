// The projection, which takes the divergence out of the velocity.
#include "library/src/solver.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace box {

// q is the pressure in such a unit that its difference between two cells is the change of velocity
// on the face between them: q = p dt / h. Then A q = b says that what q pushes out of each cell is
// what flows into it.

/// Takes the divergence out of the velocity. Rounding to float leaves some, which is computed from
/// the velocity and solved for again. If the step `goes_on`, the pressure of the last step has
/// acted already, and what is found is added to it.
void Solver::project(float dt, bool goes_on) {
    const bool look = tolerance > 0.0f;
    const Lent q(spare);
    const Lent b(next[0]);
    const Lent r(next[1]);
    levels[0].x = q.array();
    levels[0].b = b.array();
    levels[0].r = r.array();
    expansion_shift = expansion && !any_open && !cut() ? -mean_of(expansion) : 0.0f;
    last_pressure = {};
    if (has_total_pressure() && !goes_on) {
        dynamic_pressure.swap(next_dynamic_pressure);
    }
    double before = 0.0;
    double last = 0.0;
    for (int go = 0; true; ++go) {
        Given given;
        if (go == 0) {
            (goes_on ? given.change : given.pressure) = dt / h;
        }
        const double left = prepare(given);
        if (go == 0) {
            before = goes_on && look ? before_pressure(dt) : left;
        }
        if (look && !(left < std::numeric_limits<double>::infinity())) {
            disturb();
            throw Failure(STABLE_FLUIDS_NOT_FINITE,
                          "a velocity is no longer finite: use a smaller force, expansion or dt");
        }
        last_pressure.residual = before > 0.0 ? left / before : 0.0;
        const bool enough = look ? left <= static_cast<double>(tolerance) * before : go > 0;
        const bool stuck = go == 3 || (go > 0 && left > 0.5 * last);
        if (enough || stuck || last_pressure.work >= cycles) {
            if (look && !enough && last_pressure.work >= cycles) {
                ++unsolved_steps;
                unsolved_residual = last_pressure.residual;
            }
            if (go == 0 && !goes_on) {
                backend->clear(pressure.data(), layout.size);
            }
            return;
        }
        last = left;
        // Once a velocity or a solid is set, the pressures before say nothing.
        const bool may_guess = begins_with_guess && undisturbed > 0;
        if (go > 0 || !may_guess || !start_with_guess(dt, left)) {
            start(given);
        }
        last_pressure.work += solve(0.8 * static_cast<double>(tolerance) * before);
        subtract_gradient(q.array(), given);
        if (go == 0 && !goes_on) {
            pressure.swap(spare);
            if (begins_with_guess) {
                pressure_before.swap(spare);
            }
            if (begins_with_guess && !may_guess) {
                backend->clear(pressure_before.data(), layout.size);
            }
            // It is settled here where that takes no further pass over it.
            pressure_settled = begins_with_guess && !cut() && !any_open;
            const float average = pressure_settled ? mean_of(pressure) : 0.0f;
            backend->run(Scale{cells(), pressure.array(), h / dt, -average * (h / dt)});
            levels[0].x = q.array();
        } else {
            backend->run(AddScaled{cells(), pressure.array(), q.array(), h / dt});
            pressure_settled = false;
        }
        if (has_total_pressure() && go == 0 && goes_on) {
            dynamic_pressure.swap(next_dynamic_pressure);
        }
    }
}

/// Finds the dynamic pressure of a step.
void Solver::find_dynamic_pressure(float dt) {
    backend->clear(next_dynamic_pressure.data(), layout.size);
    for (int face = 0; face < 2 * dimensions(); ++face) {
        if (face_kinds[face] != STABLE_FLUIDS_TOTAL_PRESSURE) {
            continue;
        }
        const int axis = face / 2;
        const bool high = face % 2 == 1;
        Extent over = cells();
        Range& along = range_of(over, axis);
        along = high ? Range{along.last + 1, along.last + 1} : Range{0, 0};
        // The cell beyond the low end has a lower number than the face.
        const int back = high ? 0 : velocity[axis].array().step(axis);
        const auto beyond = [&](const Field& field) {
            const Array& all = field.array();
            return Array{all.data - back, all.row, all.layer};
        };
        backend->run(HoldBack{over, velocity[axis].array(), beyond(dynamic_pressure),
                              beyond(next_dynamic_pressure), dt / h, high});
    }
}

/// Gives the ghosts of q their part of what is given that differs from place to place. A ghost
/// holds twice the value in the face.
void Solver::subtract_dynamic(const Array& x, const Given& given) {
    const Array& now = dynamic_pressure.array();
    if (given.pressure != 0.0f) {
        backend->run(AddScaled{with_ghosts(), x, now, -2.0f * given.pressure});
    }
    if (given.change != 0.0f) {
        const Array& next_one = next_dynamic_pressure.array();
        backend->run(AddScaled{with_ghosts(), x, next_one, -2.0f * given.change});
        backend->run(AddScaled{with_ghosts(), x, now, 2.0f * given.change});
    }
}

/// The average over all cells.
float Solver::mean_of(const Field& x) {
    const double count = static_cast<double>(nx) * ny * nz;
    return static_cast<float>(backend->sum(Value{cells(), x.array()}) / count);
}

/// Works out what the equations of the finest box ask for. What is given counts as much as `given`
/// says. Returns how long b - A q is for q = 0, if anybody wants to know.
double Solver::prepare(const Given& given) {
    const Level& finest = levels[0];
    const bool look = tolerance > 0.0f;
    const bool has_given = any_given && (given.pressure != 0.0f || given.change != 0.0f);
    if (cut()) {
        const CutDivergence divergence = cut_divergence(finest.b, -1.0f);
        if (look && !has_given && !solids->any_wanted) {
            return std::sqrt(backend->squares(divergence));  // A q is 0
        }
        backend->run(divergence);
        if (solids->any_wanted) {
            backend->run(AddScaled{cells(), finest.b, solids->wanted.array(), 1.0f});
        }
    } else {
        const Divergence divergence = {
            cells(), velocity[0].array(), velocity[1].array(), velocity[2].array(), finest.b, -1.0f,
            deep};
        if (look && !has_given && !expansion) {
            return std::sqrt(backend->squares(divergence));  // A q is 0
        }
        backend->run(divergence);
    }
    if (expansion && !cut()) {
        backend->run(AddScaled{cells(), finest.b, expansion.array(), h});
        if (expansion_shift != 0.0f) {
            backend->run(Scale{cells(), finest.b, 1.0f, h * expansion_shift});
        }
    }
    if (!look) {
        return 0.0;
    }
    if (!has_given) {
        return std::sqrt(backend->squares(Value{cells(), finest.b}));  // A q is 0
    }
    start(given);
    return length_of_residual();
}

/// Returns how long b would be if the pressure of the last step had not acted in this one.
double Solver::before_pressure(float dt) {
    const Level& finest = levels[0];
    backend->copy(spare.data(), pressure.data(), layout.size);
    backend->run(Scale{cells(), spare.array(), -dt / h, 0.0f});
    set_pressure_bnd(pressure_walls.given, finest.x, {-dt / h});
    return length_of_residual();
}

/// Returns how long b - A q is.
double Solver::length_of_residual() {
    const Level& finest = levels[0];
    if (cut()) {
        const CutResidual residual = {cells(), cut_pressure(0), finest.x, finest.b, finest.r};
        return std::sqrt(backend->squares(residual));
    }
    const Residual residual = {finest.walls.equations, finest.x, finest.b, finest.r};
    return std::sqrt(backend->squares(residual));
}

/// Begins with q = 0, but for the given pressures.
void Solver::start(const Given& given) {
    backend->clear(spare.data(), layout.size);
    set_pressure_bnd(pressure_walls.given, levels[0].x, given);
}

/// What the pressures of the last two steps would leave of b, if they were those of this step.
Left Solver::left_by_last_pressures(float dt) {
    const Level& finest = levels[0];
    const Array& last = pressure.array();
    const Array& before = pressure_before.array();
    const Array& r = finest.r;
    const Array& s = finest.x;  // nothing is in it yet
    set_pressure_bnd(pressure_walls.given, last, {1.0f});  // `before` was the last one once
    Equations equations = finest.walls.equations;
    for (int axis = 0; axis < dimensions(); ++axis) {
        axis_of(equations, axis).weight *= dt / h;
    }
    if (!cut()) {
        return backend->left_by(Residual{equations, last, finest.b, r},
                                Residual{equations, before, finest.b, s});
    }
    Cut between_solids = cut_pressure(0);
    between_solids.whole = equations;
    return backend->left_by(CutResidual{cells(), between_solids, last, finest.b, r},
                            CutResidual{cells(), between_solids, before, finest.b, s});
}

/// Begins with p + share (p' - p), where p and p' are the pressures of the last step and of the one
/// before. The share is the one that leaves least (Fischer 1998, "Projection techniques for
/// iterative solution of Ax = b with successive right-hand sides"). It is -1 in a flow that goes on
/// changing as it did. Returns whether it has begun: not if q = 0 leaves less, namely
/// `left_by_nothing`.
bool Solver::start_with_guess(float dt, double left_by_nothing) {
    const Left left = left_by_last_pressures(dt);
    const double less = left.of_x - left.of_both;
    const double bend = less - left.of_both + left.of_y;
    const double share = bend > 0.0 ? less / bend : 0.0;
    if (!(left.of_x - share * less < left_by_nothing * left_by_nothing)) {
        return false;
    }
    const float all = dt / h;
    const float of_before = all * static_cast<float>(share);
    spare.swap(pressure_before);
    const Array& x = spare.array();
    backend->run(Combine{with_ghosts(), x, pressure.array(), of_before, all - of_before});
    if (any_given) {
        set_pressure_bnd(pressure_walls.given, x, {all});
    }
    levels[0].x = x;
    return true;
}

/// A cycle for the pressure. Sweeps that go further than Gauss and Seidel's leave less (Yavneh
/// 1996, "On red-black SOR smoothing in multigrid"). In a deep box those on the coarser grids may
/// go further still, and a cycle leaves 0.02 to 0.05 of what it finds, where it left 0.19. In a
/// flat box, a second sweep on the coarser grids does more for its price. There a cycle leaves
/// 0.05, where it left 0.16. Where neighbours have the same colour, going further leaves more.
Cycle Solver::pressure_cycle() const {
    if (!since_1_4) {
        return {1, 1, 1.0f, 1.0f, 1.0f, levels.size()};
    }
    if (deep) {
        return {1, 1, 1.15f, 1.25f, 1.0f, levels.size(), 0.035, 2.8};
    }
    return {2, 2, 1.15f, 1.15f, 1.0f, levels.size()};
}

/// Makes V-cycles, with one sweep before and after on the finest grid, until b - A q is no longer
/// than `enough`, or float is at its end. The sweep after one cycle and the sweep before the next
/// are done together. After the last one, there is one sweep where two would leave much less than
/// is asked for. Returns how many cycles there were.
int Solver::solve(double enough) {
    if (cut()) {
        return solve_cut(enough);
    }
    const Cycle cycle = pressure_cycle();
    const bool measure = tolerance > 0.0f;
    const int most = cycles - last_pressure.work;
    double last = std::numeric_limits<double>::infinity();
    double expected = last;  // what the next cycle leaves
    bool surely = false;
    for (int done = 0; true; ++done) {
        const Then then = surely ? NOTHING : measure ? MEASURE : PASS_ON;
        const bool one_will_do = 1.3 * cycle.with_one_sweep * expected <= enough;
        const int sweeps = done == 0 || one_will_do ? 1 : 2;
        const double squares = smooth(levels, 0, cycle, {done > 0, sweeps, then});
        if (surely) {
            return done;
        }
        if (measure) {
            const double left = std::sqrt(squares);
            if (left <= enough || !(left < 0.8 * last)) {
                return done;
            }
            // A cycle leaves about as much of what was there as the one before. What project()
            // finds afterwards is the divergence itself, so even a wrong guess is made good there.
            expected = left * (done > 0 ? left / last : cycle.leaves);
            surely = done > 0 && 2.0 * expected <= enough;
            last = left;
        }
        if (done == most) {
            return done;
        }
        correct(levels, 1, cycle);
    }
}

/// Takes the differences of q from the velocity. Beyond a closed wall, no q is looked at.
void Solver::subtract_gradient(const Array& q, const Given& given) {
    if (any_open || joined[0] || joined[1] || joined[2]) {
        set_pressure_bnd(pressure_walls.ghosts, q, given);
    }
    for (int component = 0; component < dimensions(); ++component) {
        const Extent over = velocity_walls[component].equations.over();
        const Array& u = velocity[component].array();
        const SetBnd ends = ghosts_of(u, velocity_walls[component], 0);
        if (cut()) {
            const Array& f = solids->f[component].array();
            const RowsNearSolids near_solids = rows_at(solids->near_closed);
            backend->run_to_ends(CutGradient{over, u, q, f, component, near_solids}, ends);
        } else {
            backend->run_to_ends(Gradient{over, u, q, component}, ends);
        }
    }
    set_velocity_bnd(1);
}

/// Lets the pressure of the last step act for dt seconds.
void Solver::subtract_pressure(float dt) {
    const float factor = dt / h;
    const Lent q(spare);
    backend->copy(q.data(), pressure.data(), layout.size);
    backend->run(Scale{cells(), q.array(), factor, 0.0f});
    subtract_gradient(q.array(), {factor});
}

/// Does those of the pressure, with what is given at open faces.
void Solver::set_pressure_bnd(const SetBnd* operations, const Array& x, const Given& given) {
    apply(operations, x, given.pressure);
    if (has_total_pressure()) {
        subtract_dynamic(x, given);
    }
}

// ---- What the equations leave open -------------------------------------------------------------

/// Adds to the pressure what the equations leave open: that it is around the pressure outside; or,
/// where no face is open, that its average is 0.
void Solver::settle_pressure() {
    if (steps == 0 || pressure_settled) {
        return;
    }
    const bool as_it_is = cut() ? solids->closed.empty() : any_open;
    if (as_it_is && outside == 0.0f) {
        pressure_settled = true;
        return;
    }
    if (cut()) {
        settle_cut_pressure();
        return;
    }
    const float plus = any_open ? outside : -mean_of(pressure);
    backend->run(Scale{cells(), pressure.array(), 1.0f, plus});
    pressure_settled = true;
}

/// Takes the pressure outside away again, so that it is what the equations know.
void Solver::unsettle_pressure() {
    pressure_settled = false;
    if (outside == 0.0f) {
        return;
    }
    if (cut()) {
        backend->run(AddScaled{cells(), pressure.array(), solids->alive.array(), -outside});
    } else {
        backend->run(Scale{cells(), pressure.array(), 1.0f, -outside});
    }
}

}  // namespace box
