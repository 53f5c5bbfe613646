// How velocity and scalars spread, where no solid is in the fluid.
#include "library/src/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace box {

/// Red-black sweeps. Where an odd number of places is joined, the first and the last have the same
/// colour: done at once, over-relaxation makes them swing ever further. So the last ones are done
/// afterwards, on their own.
double Solver::over_relax(Smoothing smoothing) {
    const Relax& relax = smoothing.relax;
    Relax parts[8] = {relax};
    int used = 1;
    for (int axis = 0; axis < dimensions(); ++axis) {
        const int last = axis_of(relax.equations, axis).range.last;  // the first is 0
        if (joined[axis] && last > 0 && last % 2 == 0) {
            for (int n = 0; n < used; ++n) {
                parts[used + n] = parts[n];
                axis_of(parts[n].equations, axis).range.last = last - 1;
                axis_of(parts[used + n].equations, axis).range.first = last;
            }
            used *= 2;
        }
    }
    for (int sweep = 0; used > 1 && sweep < smoothing.sweeps; ++sweep) {
        for (int n = 0; n < used; ++n) {
            backend->relax(parts[n], 1, smoothing.wraps, smoothing.wrap_count);
        }
    }
    if (used > 1) {
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
    backend->copy(next[0].data(), x.data(), layout.size);
    apply(walls.given, x.array(), 1.0f);
    const double around = 2.0 * dimensions() * static_cast<double>(a);
    const double jacobi = around / (static_cast<double>(centre) + around);  // its slowest mode
    const double omega = 2.0 / (1.0 + std::sqrt((1.0 - jacobi) * (1.0 + jacobi)));
    // Where a sweep takes away less than half, cycles are quicker.
    const Solved solved = omega > 1.5 ? diffuse_by_cycles(x.array(), grids, centre, a)
                                      : diffuse_by_sweeps(x.array(), walls, centre, a, omega);
    set_bnd(x.array(), walls);
    return solved;
}

/// Makes red-black sweeps with over-relaxation for the equations of diffuse(), whose right-hand
/// side is in next[0].
Solved Solver::diffuse_by_sweeps(const Array& x, const Walls& walls, float centre, float a,
                                 double omega) {
    Equations equations = walls.equations;
    equations.centre = centre;
    equations.x.weight = equations.y.weight = equations.z.weight = a;
    SetBnd wraps[3];
    for (int n = 0; n < walls.wrap_count; ++n) {
        wraps[n] = walls.wraps[n];
        wraps[n].x = x;
    }
    const double factor = std::max(omega - 1.0, 1e-6);
    const double wanted = tolerance > 0.0f ? static_cast<double>(tolerance) : 1e-4;
    const int first = static_cast<int>(2.0 + std::log(wanted) / std::log(factor));
    const int more = std::max(1, first / 4);

    const Residual residual = {equations, x, next[0].array(), next[1].array()};
    const bool measure = tolerance > 0.0f;
    const double before = measure ? std::sqrt(backend->squares(residual)) : 0.0;
    Solved solved;
    if (measure && !(before > 0.0)) {  // x is the solution
        return solved;
    }
    Smoothing smoothing = {};
    smoothing.relax = Relax{equations, x, next[0].array(), static_cast<float>(omega), 0};
    smoothing.wraps = wraps;
    smoothing.wrap_count = walls.wrap_count;
    smoothing.look = smoothing.measure = measure;
    smoothing.residual = residual;
    for (int sweeps = first; true; sweeps = more) {
        smoothing.sweeps = sweeps;
        const double left = std::sqrt(over_relax(smoothing)) / before;
        solved.work += sweeps;
        if (!measure) {
            return solved;
        }
        const bool stuck = solved.work > first && !(left < 0.9 * solved.residual);
        solved.residual = left;
        if (left <= wanted || stuck) {
            return solved;
        }
    }
}

/// Makes multigrid cycles for them.
Solved Solver::diffuse_by_cycles(const Array& x, std::vector<Level>& grids, float centre, float a) {
    for (Level& level : grids) {
        weigh(level, centre, a);
    }
    Level& finest = grids[0];
    const auto from_first = [&](Array all) {
        all.data = &all(finest.first[0], finest.first[1], finest.first[2]);
        return all;
    };
    finest.x = from_first(x);
    finest.b = from_first(next[0].array());
    finest.r = from_first(next[1].array());
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
    const Cycle cycle = {2, 2, 1.05f, depth};
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

/// Lets that share act on the velocity: u += a (the sum of its differences to its neighbours).
void Solver::diffuse_ahead(float dt) {
    const float a = share_ahead(dt) * (viscosity * dt / (h * h));
    for (int component = 0; component < dimensions() && a > 0.0f; ++component) {
        const Array& u = velocity[component].array();
        const Walls& walls = velocity_walls[component];
        Equations equations = walls.equations;
        equations.centre = 1.0f;
        equations.x.weight = equations.y.weight = equations.z.weight = a;
        apply(walls.given, u, 1.0f);
        backend->run(Residual{equations, u, u, next[0].array()});
        backend->run(AddScaled{equations.over(), u, next[0].array(), 1.0f});
        set_bnd(u, walls);
    }
}

}  // namespace box
