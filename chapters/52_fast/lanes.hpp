// Who takes part in the race of all solvers on one right-hand side, and what is measured of each.
// Include solver.hpp first.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "52_fast/contestants.hpp"

namespace race {

constexpr double least_residual = 1e-12;  // the lower end of the plot; no lane runs beyond it
constexpr double most_cells_for_factors = 70000;  // beyond, a direct solver takes too long

// ---- Right-hand sides --------------------------------------------------------------------------

/// Numbers without any pattern, from -1 to 1, the same on every machine.
inline void random_rhs(Field& rhs) {
    std::uint32_t seed = 11;
    for (double& value : rhs.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

/// Half a wave across each axis that has more than one cell.
inline void smooth_rhs(Field& rhs) {
    const auto wave = [](int i, int n) {
        return n > 1 ? std::cos(std::acos(-1.0) * (i + 0.5) / n) : 0.0;
    };
    for (int k = 0; k < rhs.nz; ++k) {
        for (int j = 0; j < rhs.ny; ++j) {
            for (int i = 0; i < rhs.nx; ++i) {
                rhs(i, j, k) = wave(i, rhs.nx) + 0.7 * wave(j, rhs.ny) + 0.4 * wave(k, rhs.nz);
            }
        }
    }
}

/// A fluid that is ready to solve for its pressure, with the right-hand side of that number:
/// random, smooth, or that of the fluid's own next projection.
inline Fluid prepared(Fluid fluid, int right_side, double dt) {
    if (right_side == 0) {
        random_rhs(fluid.rhs);
    } else if (right_side == 1) {
        smooth_rhs(fluid.rhs);
    } else {
        advect_velocity(fluid, dt);
        add_force(fluid, dt);
        right_hand_side(fluid, dt);
    }
    subtract_mean(fluid.rhs);
    fluid.tolerance = least_residual;
    return fluid;
}

// ---- Lanes -------------------------------------------------------------------------------------

/// What one solver did, run once from p = 0.
struct Result {
    std::vector<double> residuals;  ///< at first, then after each iteration
    double work = 1.0;  ///< of an iteration, in sweeps: one looks at each cell once
    double seconds = 0.0;  ///< of an iteration, its residual included
    Field p;
};

/// Runs a solver for at most so many iterations, from p = 0.
using Run = std::function<Result(const Fluid&, int iterations)>;

/// One solver in the race.
struct Lane {
    std::string name;
    Run run;
    double work = 1.0;  ///< of an iteration, as far as is known before it has run
    Result result;
    double reaches = 0.0;  ///< the work that it has been run for
    bool done = false;  ///< there is nothing to be won by running it longer
};

inline double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// A solver of the chapters, whose iteration costs so many sweeps.
inline Run by(Solver solver, double work) {
    return [=](const Fluid& prepared, int iterations) {
        Fluid fluid = prepared;
        fluid.solver = solver;
        fluid.iterations = iterations;
        const double start = seconds_now();
        solve_pressure(fluid);
        const double seconds = seconds_now() - start;
        const double count = std::max(1.0, static_cast<double>(fluid.residuals.size()) - 1.0);
        Result result = {fluid.residuals, work, seconds / count, fluid.pressure};
        if (solver == Solver::DIRECT && fluid.factors) {
            const auto& factor = fluid.factors->matrixL().nestedExpression();
            result.work = 2.0 * static_cast<double>(factor.nonZeros()) /
                          static_cast<double>(fluid.rhs.values.size());
        }
        return result;
    };
}

/// A contestant that no chapter has: improve(p) does one iteration and returns its work.
template <class Improve>
Result iterate(const Fluid& prepared, int iterations, Improve improve) {
    Field p = prepared.rhs;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    std::vector<double> residuals = {residual(p, prepared.rhs)};
    double work = 0.0;
    const double start = seconds_now();
    while (residuals.back() > least_residual && static_cast<int>(residuals.size()) <= iterations) {
        work += improve(p);
        residuals.push_back(residual(p, prepared.rhs));
    }
    const double count = std::max(1.0, static_cast<double>(residuals.size()) - 1.0);
    return {residuals, work / count, (seconds_now() - start) / count, p};
}

inline Result run_cosines(const Fluid& fluid, int) {
    return iterate(fluid, 1, [&](Field& p) {
        solve_by_cosines(p, fluid.rhs);
        return 2.0 * std::log2(static_cast<double>(p.values.size()) + 1.0);
    });
}

/// The work of a V-cycle. Its two sweeps, residual and prolongation cost four sweeps, and as much
/// for each of the coarser grids' cells.
inline double work_of_cycle(const Fluid& fluid) {
    return fluid.nz > 1 ? 32.0 / 7.0 : 16.0 / 3.0;
}

/// The library alone. Nobody can look at its pressure between two V-cycles, so each residual is
/// that of a run from the start, with one cycle more than the run before. What is timed is all that
/// it takes to get p from the last of them: its share of the whole step, and of the copies there
/// and back, but not the creation of the fluid.
inline Result run_library(const Fluid& fluid, int iterations) {
    Field p = fluid.rhs;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    Result result = {{residual(p, fluid.rhs)}, work_of_cycle(fluid), 0.0, p};
    for (int cycles = 1; cycles <= std::min(iterations, 1000); ++cycles) {
        LibrarySolver solver(fluid.rhs, least_residual, cycles, fluid.threads);
        const double start = seconds_now();
        solver.solve(result.p, fluid.rhs);
        const double seconds = seconds_now() - start;
        if (solver.cycles() < cycles) {
            break;  // float is at its end, or there is nothing to do
        }
        result.residuals.push_back(residual(result.p, fluid.rhs));
        result.seconds = seconds / cycles;
    }
    return result;
}

constexpr int cycles_to_refine = 2;  // of the library, in an iteration of refinement

inline Result run_refinement(const Fluid& fluid, int iterations) {
    LibrarySolver solver(fluid.rhs, 0.0, cycles_to_refine, fluid.threads);
    return iterate(fluid, iterations, [&](Field& p) {
        refine(solver, p, fluid.rhs);
        return 1.0 + cycles_to_refine * work_of_cycle(fluid);
    });
}

/// The cells of multigrid's coarsest grid.
inline double coarsest_cells(int nx, int ny, int nz) {
    const auto halves = [](int n) { return n == 1 || n % 2 == 0; };
    while (nx * ny * nz > 1 && halves(nx) && halves(ny) && halves(nz)) {
        nx = (nx + 1) / 2;
        ny = (ny + 1) / 2;
        nz = (nz + 1) / 2;
    }
    return static_cast<double>(nx) * ny * nz * (nz > 1 ? 8.0 : 1.0);
}

/// Everybody that is able to run in that box.
inline std::vector<Lane> all_lanes(const Fluid& fluid) {
    const double cycle = work_of_cycle(fluid);
    const double passes = fluid.sweeps_at_once;
    std::vector<Lane> lanes;
    const auto add = [&](const char* name, double work, Run run) {
        lanes.push_back({name, std::move(run), work, {{}, work, 0.0, fluid.rhs}});
    };
    const auto add_solver = [&](const char* name, Solver solver, double work) {
        add(name, work, by(solver, work));
    };
    add_solver("Jacobi", Solver::JACOBI, 1.0);
    add_solver("Gauss-Seidel", Solver::GAUSS_SEIDEL, 1.0);
    add_solver("red-black", Solver::RED_BLACK, 1.0);
    add_solver("fused", Solver::FUSED, passes);
    add_solver("SOR", Solver::OVER_RELAXATION, 1.0);
    add_solver("CG", Solver::CONJUGATE_GRADIENTS, 2.0);
    add_solver("SGS-PCG", Solver::PRECONDITIONED, 4.0);
    if (coarsest_cells(fluid.nx, fluid.ny, fluid.nz) <= most_cells_for_factors) {
        add_solver("MG-PCG", Solver::MULTIGRID_PRECONDITIONED, 2.0 + cycle);
        add_solver("multigrid", Solver::MULTIGRID, cycle);
    }
    add("iterative refinement", 1.0 + cycles_to_refine * cycle, run_refinement);
    add("library", cycle, run_library);
    add("DCT", 1.0, run_cosines);
    if (static_cast<double>(fluid.rhs.values.size()) * (fluid.nz > 1 ? 8.0 : 1.0) <=
        most_cells_for_factors) {
        add_solver("LDLT", Solver::DIRECT, 1.0);
    }
    return lanes;
}

}  // namespace race
