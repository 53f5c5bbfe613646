// How velocity and scalars spread, where no solid is in the fluid.
#include "library/src/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace box {

/// The sweeps of a smoothing, part by part where they must be.
double Solver::over_relax(Smoothing smoothing) {
    const Equations& equations = smoothing.relax.equations;
    Extent parts[8];
    const int count = parts_to_relax(equations.over(), joined, parts);
    for (int sweep = 0; count > 1 && sweep < smoothing.sweeps; ++sweep) {
        for (int n = 0; n < count; ++n) {
            Relax relax = smoothing.relax;
            for (int axis = 0; axis < dimensions(); ++axis) {
                axis_of(relax.equations, axis).range = range_of(parts[n], axis);
            }
            backend->relax(relax, 1, smoothing.wraps, smoothing.wrap_count);
        }
    }
    if (count > 1) {
        smoothing.sweeps = 0;
    }
    return backend->smooth(smoothing);
}

/// Solves  centre x - a (the sum of x's differences to its neighbours) = x as it was.
Solved Solver::diffuse(Field& x, const Walls& walls, std::vector<Level>& grids, float centre,
                       float asked) {
    const float a = std::min(asked, 1e6f);  // beyond that there is hardly a difference left anyway
    if (!(a > 0.0f)) {
        if (centre > 1.0f) {
            backend->run(Scale{walls.equations.over(), x.array(), 1.0f / centre, 0.0f});
            set_bnd(x.array(), walls);
        }
        return {};
    }
    if (grids.empty()) {
        return {};
    }
    const Lent b(next[0]);
    const Lent r(next[1]);
    backend->copy(b.data(), x.data(), layout.size);
    apply(walls.given, x.array(), 1.0f);
    const SweepPlan plan = plan_sweeps(dimensions(), centre, a, tolerance);
    // Where a sweep takes away less than half, cycles are quicker.
    const Solved solved =
        plan.omega > 1.5
            ? diffuse_by_cycles({x.array(), b.array(), r.array()}, grids, centre, a)
            : diffuse_by_sweeps({x.array(), b.array(), r.array()}, walls, centre, a, plan);
    set_bnd(x.array(), walls);
    return solved;
}

/// Makes red-black sweeps with over-relaxation for the equations of diffuse().
Solved Solver::diffuse_by_sweeps(const Unknown& u, const Walls& walls, float centre, float a,
                                 const SweepPlan& plan) {
    Equations equations = walls.equations;
    equations.centre = centre;
    equations.x.weight = equations.y.weight = equations.z.weight = a;
    SetBnd wraps[3];
    for (int n = 0; n < walls.wrap_count; ++n) {
        wraps[n] = walls.wraps[n];
        wraps[n].x = u.x;
    }
    Smoothing smoothing = {};
    smoothing.relax = Relax{equations, u.x, u.b, static_cast<float>(plan.omega), 0};
    smoothing.wraps = wraps;
    smoothing.wrap_count = walls.wrap_count;
    smoothing.look = smoothing.measure = plan.measures;
    smoothing.residual = {equations, u.x, u.b, u.r};
    const double before = plan.measures ? std::sqrt(backend->squares(smoothing.residual)) : 0.0;
    return sweep_by(plan, before, [&](int sweeps) {
        smoothing.sweeps = sweeps;
        return std::sqrt(over_relax(smoothing));
    });
}

/// Makes multigrid cycles for them.
Solved Solver::diffuse_by_cycles(const Unknown& u, std::vector<Level>& grids, float centre,
                                 float a) {
    for (Level& level : grids) {
        weigh(level, centre, a);
    }
    Level& finest = grids[0];
    const auto from_first = [&](Array all) {
        all.data = &all(finest.first[0], finest.first[1], finest.first[2]);
        return all;
    };
    finest.x = from_first(u.x);
    finest.b = from_first(u.b);
    finest.r = from_first(u.r);
    const bool measure = tolerance > 0.0f;
    const Residual residual = {finest.walls.equations, finest.x, finest.b, finest.r};
    const double before = measure ? std::sqrt(backend->squares(residual)) : 0.0;
    // Far enough down, what a place holds outweighs its neighbours: there sweeps alone will do.
    std::size_t depth = 1;
    for (; depth < grids.size(); ++depth) {
        const Equations& last = grids[depth - 1].walls.equations;
        const float around = 2.0f * (last.x.weight + last.y.weight + (deep ? last.z.weight : 0.0f));
        if (around < 1.5f * last.centre) {
            break;
        }
    }
    const Cycle cycle = {2, 2, 1.05f, 1.05f, 1.05f, depth};
    Solved solved;
    if (measure && !(before > 0.0)) {
        return solved;
    }
    double last = std::numeric_limits<double>::infinity();
    for (int done = 0; true; ++done) {
        const int sweeps = done > 0 ? 2 : 1;
        const double squares =
            smooth(grids, 0, cycle, {done > 0, sweeps, measure ? MEASURE : PASS_ON});
        solved.work += sweeps;
        solved.residual = measure ? std::sqrt(squares) / before : 0.0;
        const bool stuck = !(solved.residual < 0.8 * last);
        if (measure ? solved.residual <= static_cast<double>(tolerance) || stuck : done == 4) {
            return solved;
        }
        last = solved.residual;
        correct(grids, 1, cycle);
    }
}

// ---- Ahead of the step -------------------------------------------------------------------------

/// The share of a step's viscosity that acts before the velocity is carried: half (Crank and
/// Nicolson 1947), or less, so that it makes no wave larger. Between solids it is none.
float Solver::share_ahead(float dt) const {
    const float a = viscosity * dt / (h * h);
    if (cut() || !(a > 0.0f)) {
        return 0.0f;
    }
    const float shortest_wave = 4.0f * static_cast<float>(dimensions()) * a;
    return std::min(0.5f, 2.0f / shortest_wave);
}

/// Adds to `change` what the equations' friction at walls lacks, where u is given half a place
/// away.
void Solver::add_friction_at_walls(const Array& u, const Array& change, const Equations& equations,
                                   float a) {
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Axis& line = axis_of(equations, axis);
        const Range places = line.range;
        for (const bool high : {false, true}) {
            const bool is_given = (high ? line.high : line.low) == 2.0f;
            if (is_given && places.last > places.first) {
                FrictionAtWall op = {equations.over(), u, change, axis, high, a};
                const int beside = high ? places.last : places.first;
                range_of(op.over, axis) = {beside, beside};
                backend->run(op);
            }
        }
    }
}

/// Lets that share act on the velocity, and all of what the equations' friction at walls lacks:
/// u += a (the sum of its differences to its neighbours).
void Solver::diffuse_ahead(float dt) {
    const float a = share_ahead(dt) * (viscosity * dt / (h * h));
    const Lent change(next[0]);
    for (int component = 0; component < dimensions() && a > 0.0f; ++component) {
        const Array& u = velocity[component].array();
        const Walls& walls = velocity_walls[component];
        Equations equations = walls.equations;
        equations.centre = 1.0f;
        equations.x.weight = equations.y.weight = equations.z.weight = a;
        apply(walls.given, u, 1.0f);
        backend->run(Residual{equations, u, u, change.array()});
        add_friction_at_walls(u, change.array(), equations, 2.0f * a);
        backend->run(AddScaled{equations.over(), u, change.array(), 1.0f});
        set_bnd(u, walls);
    }
}

}  // namespace box
