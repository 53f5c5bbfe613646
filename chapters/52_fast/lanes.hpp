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
    for_each_point(rhs, [&](int i, int j, int k) {
        rhs(i, j, k) = wave(i, rhs.nx) + 0.7 * wave(j, rhs.ny) + 0.4 * wave(k, rhs.nz);
    });
}

/// A fluid that is ready to solve for its pressure, with the right-hand side of that number:
/// random, smooth, or that of the fluid's own next projection.
inline Fluid prepared(Fluid fluid, int right_side, double dt) {
    fluid.matrix = pressure_matrix(fluid);
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

// ---- Work --------------------------------------------------------------------------------------

/// The doubles that A has for each cell: the diagonal, and a weight for each axis of the box.
inline double doubles_of_matrix(const Fluid& fluid) {
    return fluid.nz > 1 ? 4.0 : 3.0;
}

/// The doubles a cell that a Gauss-Seidel sweep reads or writes: A, p, rhs, and p again.
inline double doubles_of_sweep(const Fluid& fluid) {
    return doubles_of_matrix(fluid) + 3.0;
}

/// Those of the iteration of a method that has a grid, and of all its coarser ones, where the
/// finest takes so many.
inline double on_all_grids(const Fluid& fluid, double doubles) {
    return doubles * (fluid.nz > 1 ? 8.0 / 7.0 : 4.0 / 3.0);
}

/// Those of a cycle of 15_multigrid: x is set to 0; a sweep; the restriction, of A, x and b; the
/// prolongation, which asks the diagonal where A has points, and changes x; and a sweep back. What
/// the coarser grid has for a block is shared by the block's cells: its b is set to 0 and added to,
/// and its x is read. A grid coarser than the second is visited twice as often as the one before.
/// The numbers of the blocks are no doubles, and are left out.
inline double doubles_of_cycle(const Fluid& fluid) {
    const double share = fluid.nz > 1 ? 1.0 / 8.0 : 1.0 / 4.0;
    const double restriction = doubles_of_matrix(fluid) + 2.0 + 3.0 * share;
    const double prolongation = 1.0 + 2.0 + share;
    const double grids =
        fluid.nz > 1 ? 7.0 / 6.0 : 3.0 / 2.0;  // 1 + 1/8 + 2/64..., 1 + 1/4 + 2/16...
    return grids * (1.0 + 2.0 * doubles_of_sweep(fluid) + restriction + prolongation);
}

/// Those of a V-cycle of the library, whose floats count half. It reads no matrix. A wavefront
/// takes p and rhs through the finest grid once, and through each coarser one twice.
inline double doubles_of_library_cycle(const Fluid& fluid) {
    const double pass = 0.5 * 3.0;
    return 2.0 * on_all_grids(fluid, pass) - pass;
}

/// Those of an iteration of conjugate gradients without its preconditioner: the product of A and
/// the direction; two dot products; and the changes of x, r and the direction. The length of r and
/// the rounding error are left out, since they only tell when to stop. So is the copy of the best
/// x: it takes 2 doubles a cell each time the residual has halved, not at each iteration.
inline double doubles_of_gradients(const Fluid& fluid) {
    const double product = doubles_of_matrix(fluid) + 2.0;
    return product + 2.0 * 2.0 + 3.0 * 3.0;
}

/// The work of an iteration, in Gauss-Seidel sweeps: the doubles a cell that it reads or writes,
/// over those of a sweep. The grid counts as too large for the cache, so that each loop over it
/// takes every field that it uses from memory. Two things are left out for all solvers: what only
/// tells when to stop, and what is made only once for a matrix, namely the grids and the factors.
inline double work_of(const Fluid& fluid, Solver solver) {
    const double sweep = doubles_of_sweep(fluid);
    double doubles = sweep;
    switch (solver) {
        case Solver::GAUSS_SEIDEL:
        case Solver::OVER_RELAXATION:
        case Solver::DIRECT:  // as long as its factors are not known
            break;
        case Solver::JACOBI:  // copies p, and reads both
            doubles = 2.0 + sweep + 1.0;
            break;
        case Solver::RED_BLACK:
            doubles = 2.0 * sweep;
            break;
        case Solver::FUSED:  // no A, and all sweeps in one pass
            doubles = 3.0;
            break;
        case Solver::CONJUGATE_GRADIENTS:  // copies r
            doubles = doubles_of_gradients(fluid) + 2.0;
            break;
        case Solver::PRECONDITIONED:  // sets z to 0, and sweeps twice
            doubles = doubles_of_gradients(fluid) + 1.0 + 2.0 * sweep;
            break;
        case Solver::MULTIGRID:
            doubles = doubles_of_gradients(fluid) + doubles_of_cycle(fluid);
            break;
    }
    return doubles / sweep;
}

/// The work of solving by the factors L D L^T, which are read twice. An entry takes a double and
/// the int that says where it stands.
inline double work_of_factors(const Fluid& fluid) {
    const auto& entries = fluid.factors->ldlt.matrixL().nestedExpression();
    const double cells = static_cast<double>(fluid.rhs.values.size());
    return 2.0 * 1.5 * static_cast<double>(entries.nonZeros()) / cells / doubles_of_sweep(fluid);
}

/// The work of solve_by_cosines: it copies rhs, transforms the lines along each axis there and
/// back, and divides by the eigenvalues.
inline double work_of_cosines(const Fluid& fluid) {
    double doubles = 2.0 + 2.0;
    for (const int n : {fluid.nx, fluid.ny, fluid.nz}) {
        if (n > 1) {
            doubles += 2.0 * 2.0;
        }
    }
    return doubles / doubles_of_sweep(fluid);
}

inline double work_of_library(const Fluid& fluid) {
    return doubles_of_library_cycle(fluid) / doubles_of_sweep(fluid);
}

constexpr int cycles_to_refine = 2;  // of the library, in an iteration of refinement

/// The work of an iteration of refine: it copies rhs, multiplies by A, subtracts, copies what is
/// left, lets the library make its cycles, and adds the correction.
inline double work_of_refinement(const Fluid& fluid) {
    const double product = doubles_of_matrix(fluid) + 2.0;
    return (2.0 + product + 3.0 + 2.0 + 3.0) / doubles_of_sweep(fluid) +
           cycles_to_refine * work_of_library(fluid);
}

// ---- Lanes -------------------------------------------------------------------------------------

/// What one solver did, run once from p = 0.
struct Result {
    std::vector<double> residuals;  ///< at first, then after each iteration
    double work = 1.0;  ///< of an iteration, in sweeps: see work_of
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

/// A solver of the chapters.
inline Run by(Solver solver) {
    return [=](const Fluid& prepared, int iterations) {
        Fluid fluid = prepared;
        fluid.solver = solver;
        fluid.iterations = iterations;
        const double start = seconds_now();
        solve_pressure(fluid);
        const double seconds = seconds_now() - start;
        const double count = std::max(1.0, static_cast<double>(fluid.residuals.size()) - 1.0);
        double work = work_of(fluid, solver);
        if (solver == Solver::DIRECT && fluid.factors) {
            work = work_of_factors(fluid);
        }
        return Result{fluid.residuals, work, seconds / count, fluid.pressure};
    };
}

/// A contestant that no chapter has: improve(p) does one iteration, whose work is given.
template <class Improve>
Result iterate(const Fluid& prepared, int iterations, double work, Improve improve) {
    Field p = prepared.rhs;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    std::vector<double> residuals = {residual(prepared.matrix, p, prepared.rhs)};
    const double start = seconds_now();
    while (residuals.back() > least_residual && static_cast<int>(residuals.size()) <= iterations) {
        improve(p);
        residuals.push_back(residual(prepared.matrix, p, prepared.rhs));
    }
    const double count = std::max(1.0, static_cast<double>(residuals.size()) - 1.0);
    return {residuals, work, (seconds_now() - start) / count, p};
}

inline Result run_cosines(const Fluid& fluid, int) {
    return iterate(fluid, 1, work_of_cosines(fluid),
                   [&](Field& p) { solve_by_cosines(p, fluid.rhs); });
}

/// The library alone. Nobody can look at its pressure between two V-cycles, so each residual is
/// that of a run from the start, with one cycle more than the run before. What is timed is all that
/// it takes to get p from the last of them: its share of the whole step, and of the copies there
/// and back, but not the creation of the fluid.
inline Result run_library(const Fluid& fluid, int iterations) {
    Field p = fluid.rhs;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    Result result = {{residual(fluid.matrix, p, fluid.rhs)}, work_of_library(fluid), 0.0, p};
    for (int cycles = 1; cycles <= std::min(iterations, 1000); ++cycles) {
        LibrarySolver solver(fluid.rhs, least_residual, cycles, fluid.threads);
        const double start = seconds_now();
        solver.solve(result.p, fluid.rhs);
        const double seconds = seconds_now() - start;
        if (solver.cycles() < cycles) {
            break;  // float is at its end, or there is nothing to do
        }
        result.residuals.push_back(residual(fluid.matrix, result.p, fluid.rhs));
        result.seconds = seconds / cycles;
    }
    return result;
}

inline Result run_refinement(const Fluid& fluid, int iterations) {
    LibrarySolver solver(fluid.rhs, 0.0, cycles_to_refine, fluid.threads);
    return iterate(fluid, iterations, work_of_refinement(fluid),
                   [&](Field& p) { refine(fluid.matrix, solver, p, fluid.rhs); });
}

/// Everybody that is able to run in that box.
inline std::vector<Lane> all_lanes(const Fluid& fluid) {
    std::vector<Lane> lanes;
    const auto add = [&](const char* name, double work, Run run) {
        lanes.push_back({name, std::move(run), work, {{}, work, 0.0, fluid.rhs}});
    };
    const auto add_solver = [&](const char* name, Solver solver) {
        add(name, work_of(fluid, solver), by(solver));
    };
    add_solver("Jacobi", Solver::JACOBI);
    add_solver("Gauss-Seidel", Solver::GAUSS_SEIDEL);
    add_solver("red-black", Solver::RED_BLACK);
    add_solver("fused", Solver::FUSED);
    add_solver("SOR", Solver::OVER_RELAXATION);
    add_solver("CG", Solver::CONJUGATE_GRADIENTS);
    add_solver("SGS-PCG", Solver::PRECONDITIONED);
    add_solver("multigrid", Solver::MULTIGRID);
    add("iterative refinement", work_of_refinement(fluid), run_refinement);
    add("library", work_of_library(fluid), run_library);
    add("DCT", work_of_cosines(fluid), run_cosines);
    if (static_cast<double>(fluid.rhs.values.size()) * (fluid.nz > 1 ? 8.0 : 1.0) <=
        most_cells_for_factors) {
        add_solver("LDLT", Solver::DIRECT);
    }
    return lanes;
}

}  // namespace race
