// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/algebra/algebra.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

std::vector<double> row_of(const Eigen::MatrixXd& matrix, int row) {
    const Eigen::VectorXd values = matrix.row(row);
    return {values.begin(), values.end()};
}

std::vector<double> eigenvalues_of(const Eigen::MatrixXd& matrix) {
    const Eigen::VectorXd found = algebra::eigenvalues(matrix);
    return {found.begin(), found.end()};
}

/// The pressure's matrix in Bird's notes, for the inner 2 x 2 cells of a 4 x 4 grid: 4 in the
/// diagonal, less what the two wall cells that each cell touches bring over to it.
Eigen::MatrixXd notes_matrix(double from_each_wall) {
    Eigen::MatrixXd matrix = (4.0 - 2.0 * from_each_wall) * Eigen::MatrixXd::Identity(4, 4);
    for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}}) {
        matrix(a, b) = matrix(b, a) = -1.0;
    }
    return matrix;
}

/// The tutorial's example: one pushed face, carried along and projected.
void add_tutorial_numbers(Numbers& numbers) {
    const std::string projection = "Normoyle, the projection step";
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    const Eigen::MatrixXd A(assemble_matrix(fluid.pressure));
    const double printed[4][4] = {{2, -1, -1, 0}, {-1, 2, 0, -1}, {-1, 0, 2, -1}, {0, -1, -1, 2}};
    for (int row = 0; row < 4; ++row) {
        numbers.printed("A, row " + std::to_string(row + 1),
                        {std::begin(printed[row]), std::end(printed[row])}, row_of(A, row),
                        projection);
    }
    fluid.solver = Solver::DIRECT;
    project(fluid, 0.1);
    numbers.printed("b", {-9, 0, 9, 0}, fluid.rhs.values, projection);
    numbers.printed("p, whose mean is 0", {-3.375, -1.125, 3.375, 1.125}, fluid.pressure.values,
                    projection);
    numbers.printed("mU", {0, -0.225, 0, 0, 0.225, 0}, fluid.u.values, projection);
    numbers.printed("mV", {0, 0, 0.225, -0.225, 0, 0}, fluid.v.values, projection);
    numbers.checked("eigenvalues of A", {0, 2, 2, 4}, eigenvalues_of(A), 1e-12,
                    "4 sin^2(pi k / 4) + 4 sin^2(pi l / 4)");
    numbers.checked("b's compatibility defect", 0.0, fluid.compatibility_defect, 1e-15,
                    "-9 + 9 = 0");
    fluid.rhs(1, 1, 0) += 2.0;
    solve_pressure(fluid);
    numbers.checked("  with 2 more in the last cell", 0.1, fluid.compatibility_defect, 1e-12,
                    "2 / (9 + 9 + 2)");
}

void add_notes_numbers(Numbers& numbers) {
    const auto all_rows = [&](const std::string& equation, const Eigen::MatrixXd& ours, double d,
                              const std::string& how) {
        const std::vector<double> expected[] = {
            {d, -1, -1, 0}, {-1, d, 0, -1}, {-1, 0, d, -1}, {0, -1, -1, d}};
        for (int row = 0; row < 4; ++row) {
            numbers.checked(equation + ", row " + std::to_string(row + 1), expected[row],
                            row_of(ours, row), 1e-12, how);
        }
    };
    all_rows("Bird (6), known wall values", notes_matrix(0.0), 4, "his equations (5) and (6)");
    numbers.checked("  eigenvalues", {2, 4, 4, 6}, eigenvalues_of(notes_matrix(0.0)), 1e-12,
                    "by hand");
    all_rows("Bird (7), copied into the walls", notes_matrix(1.0), 2, "Normoyle's A");
    numbers.checked("  eigenvalues", {0, 2, 2, 4}, eigenvalues_of(notes_matrix(1.0)), 1e-12,
                    "by hand");
}

/// How many entries A has in a box, and its factor L.
void add_sizes(Numbers& numbers, int nx, int ny, int nz, double expected_in_l) {
    const Field p = Fluid(nx, ny, nz).pressure;
    const int cells = nx * ny * nz;
    const int faces = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1);
    const std::string box =
        std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz);
    const Eigen::SparseMatrix<double> matrix = assemble_matrix(p);
    numbers.checked(box + ": entries of A", cells + 2.0 * faces,
                    static_cast<double>(matrix.nonZeros()), 0.0, "cells + 2 x inner faces");
    const Eigen::SparseMatrix<double> factor = factorize(p)->matrixL();
    numbers.checked("  of its factor L", expected_in_l, static_cast<double>(factor.nonZeros()),
                    0.05 * expected_in_l, "Eigen 3.4; another orders a little differently");
}

/// What 200 sweeps and what the direct solver leave of the residual of the smoothest flow there is.
void add_residuals(Numbers& numbers) {
    Fluid fluid(64, 64, 1);
    for (int j = 0; j < 64; ++j) {
        for (int i = 0; i <= 64; ++i) {
            fluid.u(i, j, 0) = std::sin(std::acos(-1.0) * i / 64.0);
        }
    }
    right_hand_side(fluid, 1.0 / 60.0);
    fluid.solver = Solver::GAUSS_SEIDEL;
    solve_pressure(fluid);
    numbers.checked("64 x 64, a smooth flow: residual after 200 sweeps", 0.7862,
                    fluid.residuals.back(), 1e-4, "as recorded");
    fluid.solver = Solver::DIRECT;
    solve_pressure(fluid);
    numbers.checked("  solved at once", 0.0, fluid.residuals.back(), 1e-10, "rounding");
}

}  // namespace

bool numbers(const workbook::Program&) {
    Numbers numbers("12_matrix: the texts' numbers beside ours");
    add_tutorial_numbers(numbers);
    add_notes_numbers(numbers);
    add_sizes(numbers, 8, 8, 1, 356);
    add_sizes(numbers, 64, 64, 1, 74098);
    add_sizes(numbers, 16, 16, 16, 297673);
    add_residuals(numbers);
    return numbers.print();
}
