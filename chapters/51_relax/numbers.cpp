// The table behind --numbers: what formulas, eigenvalues and recorded runs say beside what this
// chapter computes.
#include "solver.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// A square box with a right-hand side of numbers without any pattern, the same on every machine.
Fluid random_problem(int n, Solver solver) {
    Fluid fluid(n, n, 1);
    fluid.matrix = pressure_matrix(fluid);
    fluid.solver = solver;
    std::uint32_t seed = 11;
    for (double& value : fluid.rhs.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    return fluid;
}

/// How many sweeps it takes to a residual of 1e-6.
double sweeps_of(Solver solver, int n) {
    Fluid fluid = random_problem(n, solver);
    fluid.tolerance = 1e-6;
    fluid.iterations = 50000;
    solve_pressure(fluid);
    return static_cast<double>(fluid.residuals.size()) - 1.0;
}

/// The residual in a box of 64 x 64 cells after so many sweeps.
double residual_after(Solver solver, int sweeps) {
    Fluid fluid = random_problem(64, solver);
    fluid.tolerance = 0.0;
    fluid.iterations = sweeps;
    solve_pressure(fluid);
    return fluid.residuals.back();
}

/// The factor that a full Jacobi sweep leaves of a checkerboard in a closed box.
double checkerboard_factor() {
    const Field nothing(16, 16, 1, {0.5, 0.5, 0.5});
    Field board = nothing;
    for (int j = 0; j < 16; ++j) {
        for (int i = 0; i < 16; ++i) {
            board(i, j, 0) = (i + j) % 2 == 0 ? 1.0 : -1.0;
        }
    }
    const Field before = board;
    jacobi(pressure_matrix(Fluid(16, 16, 1)), board, nothing, 1.0);
    return board(7, 7, 0) / before(7, 7, 0);
}

}  // namespace

bool numbers(const Program&) {
    Numbers numbers("51_relax: sweeps in numbers");
    const double radius = spectral_radius(16, 16, 1);
    numbers.checked("16 x 16: spectral radius of a Jacobi sweep", 0.98942, radius, 1e-4,
                    "the eigenvalues of its matrix");
    numbers.checked("  of a Gauss-Seidel sweep: its square", 0.97896, radius * radius, 2e-4,
                    "the eigenvalues of its matrix");
    numbers.checked("  the best omega", 2.0 / (1.0 + std::sqrt(1.0 - 0.98942 * 0.98942)),
                    best_omega(radius), 1e-3, "Young 1954, from 0.98942");
    numbers.checked("a checkerboard in a closed box, one full Jacobi sweep", -1.0,
                    checkerboard_factor(), 1e-12, "by hand");
    for (const auto& [n, kept] : {std::pair(16, 0.653), {64, 0.9756}, {256, 0.9985}}) {
        const double factor = std::pow(spectral_radius(n, n, 1), 40);
        numbers.checked(
            "left of the longest wave after 20 Gauss-Seidel sweeps, N = " + std::to_string(n), kept,
            factor, 1e-4, "radius squared, 20 times");
    }
    const std::string recorded = "as recorded";
    numbers.checked("64 x 64: residual after 20 Gauss-Seidel sweeps", 0.0721,
                    residual_after(Solver::GAUSS_SEIDEL, 20), 1e-4, recorded);
    numbers.checked("  after 243", 0.0256, residual_after(Solver::GAUSS_SEIDEL, 243), 1e-4,
                    recorded);
    numbers.checked("  after 20 over-relaxed sweeps", 0.370,
                    residual_after(Solver::OVER_RELAXATION, 20), 1e-3, recorded);
    const struct {
        const char* name;
        Solver solver;
        std::vector<double> sweeps;
    } expected[] = {{"Jacobi", Solver::JACOBI, {1389, 4884, 21032}},
                    {"Gauss-Seidel", Solver::GAUSS_SEIDEL, {556, 1946, 8425}},
                    {"red-black", Solver::RED_BLACK, {572, 2023, 8694}},
                    {"over-relaxation", Solver::OVER_RELAXATION, {58, 114, 243}}};
    for (const auto& [name, solver, sweeps] : expected) {
        numbers.checked("sweeps to 1e-6 at N = 16, 32, 64: " + std::string(name), sweeps,
                        {sweeps_of(solver, 16), sweeps_of(solver, 32), sweeps_of(solver, 64)},
                        0.002 * sweeps.back(), recorded);
    }
    return numbers.print();
}
