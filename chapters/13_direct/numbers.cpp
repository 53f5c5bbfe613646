// The table behind --numbers: what the text prints beside what this chapter computes.
#include "solver.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "common/algebra/algebra.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// The tutorial's example: one pushed face, carried along and projected.
void add_tutorial_numbers(Numbers& numbers) {
    const std::string projection = "Normoyle, the projection step";
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    project(fluid, 0.1);
    numbers.printed("b", {-9, 0, 9, 0}, fluid.rhs.values, projection);
    numbers.printed("p, whose mean is 0", {-3.375, -1.125, 3.375, 1.125}, fluid.pressure.values,
                    projection);
    numbers.printed("mU", {0, -0.225, 0, 0, 0.225, 0}, fluid.u.values, projection);
    numbers.printed("mV", {0, 0, 0.225, -0.225, 0, 0}, fluid.v.values, projection);
    solve_direct(*fluid.factors, fluid.pressure, fluid.rhs);
    numbers.checked("p as the factors give it", {0, 2.25, 6.75, 4.5}, fluid.pressure.values, 1e-12,
                    "3.375 more, so that p is 0 in the first cell");
    const Eigen::VectorXd eigenvalues =
        algebra::eigenvalues(Eigen::MatrixXd(assemble_matrix(fluid.matrix)));
    numbers.checked("eigenvalues of A", {0, 2, 2, 4}, {eigenvalues.begin(), eigenvalues.end()},
                    1e-12, "4 sin^2(pi k / 4) + 4 sin^2(pi l / 4)");
    numbers.checked("b's compatibility defect", 0.0, fluid.compatibility_defect, 1e-15,
                    "-9 + 9 = 0");
    fluid.rhs(1, 1, 0) += 2.0;
    solve_pressure(fluid);
    numbers.checked("  with 2 more in the last cell", 0.1, fluid.compatibility_defect, 1e-12,
                    "2 / (9 + 9 + 2)");
}

/// How many entries A has in a box, and its factor L.
void add_sizes(Numbers& numbers, int nx, int ny, int nz, double expected_in_l) {
    const Matrix A = pressure_matrix(Fluid(nx, ny, nz));
    const int cells = nx * ny * nz;
    const int faces = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1);
    const std::string box =
        std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz);
    numbers.checked(box + ": entries of A", cells + 2.0 * faces,
                    static_cast<double>(assemble_matrix(A).nonZeros()), 0.0,
                    "cells + 2 x inner faces");
    const Eigen::SparseMatrix<double> factor = factorize(A)->ldlt.matrixL();
    numbers.checked("  of its factor L", expected_in_l, static_cast<double>(factor.nonZeros()),
                    0.05 * expected_in_l, "Eigen 3.4; another orders a little differently");
}

/// What 200 sweeps and what the direct solver leave of the residual of the smoothest flow there is.
void add_residuals(Numbers& numbers) {
    Fluid fluid(64, 64, 1);
    const double pi = std::acos(-1.0);
    for_each_point(fluid.u,
                   [&](int i, int j, int k) { fluid.u(i, j, k) = std::sin(pi * i / 64.0); });
    const Fluid before = fluid;
    fluid.solver = Solver::GAUSS_SEIDEL;
    project(fluid, 1.0 / 60.0);
    numbers.checked("64 x 64, a smooth flow: residual after 200 sweeps", 0.7862,
                    fluid.residuals.back(), 1e-4, "as recorded");
    fluid = before;
    project(fluid, 1.0 / 60.0);
    numbers.checked("  solved at once", 0.0, fluid.residuals.back(), 1e-10, "rounding");
}

}  // namespace

bool numbers(const workbook::Program&) {
    Numbers numbers("13_direct: the text's numbers beside ours");
    add_tutorial_numbers(numbers);
    add_sizes(numbers, 8, 8, 1, 356);
    add_sizes(numbers, 64, 64, 1, 74098);
    add_sizes(numbers, 16, 16, 16, 297673);
    add_residuals(numbers);
    return numbers.print();
}
