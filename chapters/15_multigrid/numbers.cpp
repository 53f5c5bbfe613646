// The table behind --numbers: recorded runs beside what this chapter computes.
#include "solver.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// A right-hand side of numbers without any pattern, the same on every machine, solved for.
Fluid solved(int nx, int ny, int nz, Solver solver, double tolerance, int iterations) {
    Fluid fluid(nx, ny, nz);
    fluid.matrix = pressure_matrix(fluid);
    fluid.solver = solver;
    fluid.tolerance = tolerance;
    fluid.iterations = iterations;
    std::uint32_t seed = 11;
    for (double& value : fluid.rhs.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    solve_pressure(fluid);
    return fluid;
}

double iterations_of(int nx, int nz, Solver solver, double tolerance) {
    return static_cast<double>(solved(nx, nx, nz, solver, tolerance, 1000).residuals.size()) - 1.0;
}

/// The factor that a V-cycle leaves of the residual, the mean of the first eight.
double factor_of_cycle(int nx, int ny, int nz) {
    return std::pow(solved(nx, ny, nz, Solver::MULTIGRID, 0.0, 8).residuals.back(), 0.125);
}

/// The cost of a V-cycle in sweeps: on each level but the coarsest a sweep, a restriction, a
/// prolongation and a sweep look at each cell once.
double work_of_cycle(int nx, int ny, int nz) {
    const Multigrid multigrid = make_multigrid(pressure_matrix(Fluid(nx, ny, nz)));
    double looks = 0.0;
    for (std::size_t l = 0; l + 1 < multigrid.levels.size(); ++l) {
        looks += 4.0 * static_cast<double>(multigrid.levels[l].p.values.size());
    }
    return looks / (1.0 * nx * ny * nz);
}

/// What is left of the divergence of one long wave in 256 x 256 cells.
double divergence_left(Solver solver, int iterations) {
    Fluid fluid(256, 256, 1);
    for (int j = 0; j < 256; ++j) {
        for (int i = 1; i < 256; ++i) {
            fluid.u(i, j, 0) = std::sin(std::acos(-1.0) * i / 256);
        }
    }
    fluid.solver = solver;
    fluid.tolerance = 0.0;
    fluid.iterations = iterations;
    project(fluid, 0.1);
    return fluid.residuals.back();
}

}  // namespace

bool numbers(const Program&) {
    Numbers numbers("15_multigrid: cycles in numbers");
    const std::string recorded = "as recorded, mean of eight";
    for (const auto& [n, left] : {std::pair(64, 0.1163), {128, 0.1186}, {256, 0.1182}}) {
        numbers.checked(std::to_string(n) + " x " + std::to_string(n) + ": a V-cycle leaves", left,
                        factor_of_cycle(n, n, 1), 1e-4, recorded);
    }
    numbers.checked("32 x 32 x 32: a V-cycle leaves", 0.1550, factor_of_cycle(32, 32, 32), 1e-4,
                    recorded);
    numbers.checked("1 x 64 x 1: a V-cycle leaves", 0.2876, factor_of_cycle(1, 64, 1), 1e-4,
                    recorded);
    numbers.checked("what a V-cycle costs, in sweeps: 64 x 64", 4.0 * 4 / 3,
                    work_of_cycle(64, 64, 1), 0.01, "4 (1 + 1/4 + 1/16 + ...)");
    numbers.checked("  32 x 32 x 32", 4.0 * 8 / 7, work_of_cycle(32, 32, 32), 0.01,
                    "4 (1 + 1/8 + 1/64 + ...)");
    std::vector<double> cycles;
    for (const int n : {16, 32, 64, 128, 256}) {
        cycles.push_back(iterations_of(n, 1, Solver::MULTIGRID, 1e-6));
    }
    numbers.checked("cycles to 1e-6 at N = 16, 32, 64, 128, 256", {6, 6, 7, 7, 7}, cycles, 0.0,
                    "as recorded");
    numbers.checked("64 x 64 to 1e-6: work of all cycles, in sweeps", 37.33,
                    cycles[2] * work_of_cycle(64, 64, 1), 0.01, "7 times what a cycle costs");
    const struct {
        const char* name;
        Solver solver;
        double iterations;
    } others[] = {{"over-relaxation", Solver::OVER_RELAXATION, 243},
                  {"conjugate gradients", Solver::CONJUGATE_GRADIENTS, 224},
                  {"preconditioned by two sweeps", Solver::PRECONDITIONED, 90},
                  {"preconditioned by a V-cycle", Solver::MULTIGRID_PRECONDITIONED, 5}};
    for (const auto& [name, solver, iterations] : others) {
        numbers.checked("  iterations: " + std::string(name), iterations,
                        iterations_of(64, 1, solver, 1e-6), 0.01 * iterations, "as recorded");
    }
    for (const auto& [n, nz, alone, together] : {std::tuple(256, 1, 12, 9), {32, 32, 14, 9}}) {
        numbers.checked(std::to_string(n) + (nz > 1 ? "^3" : "^2") +
                            " to 1e-10: cycles alone, as a preconditioner",
                        {1.0 * alone, 1.0 * together},
                        {iterations_of(n, nz, Solver::MULTIGRID, 1e-10),
                         iterations_of(n, nz, Solver::MULTIGRID_PRECONDITIONED, 1e-10)},
                        0.0, "as recorded");
    }
    numbers.checked("256 x 256, a long wave: twenty sweeps leave", 0.9999,
                    divergence_left(Solver::GAUSS_SEIDEL, 20), 1e-4, "as recorded");
    numbers.checked("  four cycles leave", 9.08e-5, divergence_left(Solver::MULTIGRID, 4), 1e-6,
                    "as recorded");
    return numbers.print();
}
