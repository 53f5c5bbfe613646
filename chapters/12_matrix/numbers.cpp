// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
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

/// Four cells in a square, row by row.
std::array<Cell, 4> square_at(int i, int j) {
    return {{{i, j}, {i + 1, j}, {i, j + 1}, {i + 1, j + 1}}};
}

/// Leaves a field as it is.
void nothing_more(Field&) {}

/// The rows of A for four cells, as the solver has them: the column of a cell is A times the field
/// that is 1 there and 0 elsewhere. `complete` is given that field, and may add what follows.
template <class Complete>
Eigen::MatrixXd rows_of(const Matrix& A, const std::array<Cell, 4>& cells, Complete complete) {
    Eigen::MatrixXd rows(4, 4);
    for (int column = 0; column < 4; ++column) {
        Field x = A.diagonal;
        std::fill(x.values.begin(), x.values.end(), 0.0);
        x(cells[column].i, cells[column].j, 0) = 1.0;
        complete(x);
        Field product = x;
        multiply(A, x, product);
        for (int row = 0; row < 4; ++row) {
            rows(row, column) = product(cells[row].i, cells[row].j, 0);
        }
    }
    return rows;
}

/// The matrix of a box of 4 x 4 cells, the outer ones of which have a given pressure.
Matrix with_given_rim() {
    Matrix A = pressure_matrix(Fluid(4, 4, 1));
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        if (i % 3 == 0 || j % 3 == 0) {
            A.diagonal(i, j, k) = 0.0;
        }
    });
    return A;
}

/// Copies into each outer cell of a box of 4 x 4 the value of the inner cell beside it.
void copy_into_rim(Field& p) {
    const auto inner = [](int n) { return std::clamp(n, 1, 2); };
    for_each_point(p, [&](int i, int j, int k) { p(i, j, k) = p(inner(i), inner(j), k); });
}

/// The tutorial's example: one pushed face, carried along and projected.
void add_tutorial_numbers(Numbers& numbers) {
    const std::string projection = "Normoyle, the projection step";
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    project(fluid, 0.1);
    const Eigen::MatrixXd A = rows_of(fluid.matrix, square_at(0, 0), nothing_more);
    const double printed[4][4] = {{2, -1, -1, 0}, {-1, 2, 0, -1}, {-1, 0, 2, -1}, {0, -1, -1, 2}};
    for (int row = 0; row < 4; ++row) {
        numbers.printed("A, row " + std::to_string(row + 1),
                        {std::begin(printed[row]), std::end(printed[row])}, row_of(A, row),
                        projection);
    }
    numbers.printed("b", {-9, 0, 9, 0}, fluid.rhs.values, projection);
    numbers.printed("p, whose mean is 0", {-3.375, -1.125, 3.375, 1.125}, fluid.pressure.values,
                    projection);
    numbers.printed("mU", {0, -0.225, 0, 0, 0.225, 0}, fluid.u.values, projection);
    numbers.printed("mV", {0, 0, 0.225, -0.225, 0, 0}, fluid.v.values, projection);
    numbers.checked("eigenvalues of A", {0, 2, 2, 4}, eigenvalues_of(A), 1e-12,
                    "4 sin^2(pi k / 4) + 4 sin^2(pi l / 4)");
}

/// The matrices of Bird's notes: the inner 2 x 2 cells of a 4 x 4 grid, whose outer cells are wall.
void add_notes_numbers(Numbers& numbers) {
    const std::string notes = "Bird, the Poisson pressure equation";
    const auto all_rows = [&](const std::string& equation, const Eigen::MatrixXd& ours, double d) {
        const std::vector<double> printed[] = {
            {d, -1, -1, 0}, {-1, d, 0, -1}, {-1, 0, d, -1}, {0, -1, -1, d}};
        for (int row = 0; row < 4; ++row) {
            numbers.checked(equation + ", row " + std::to_string(row + 1), printed[row],
                            row_of(ours, row), 1e-12, d == 4.0 ? notes : "Normoyle's A");
        }
    };
    const Matrix A = with_given_rim();
    const Eigen::MatrixXd known = rows_of(A, square_at(1, 1), nothing_more);
    all_rows("Bird (6), known wall values", known, 4.0);
    numbers.checked("  eigenvalues", {2, 4, 4, 6}, eigenvalues_of(known), 1e-12, "by hand");
    const Eigen::MatrixXd copied = rows_of(A, square_at(1, 1), copy_into_rim);
    all_rows("Bird (7), copied into the walls", copied, 2.0);
    numbers.checked("  eigenvalues", {0, 2, 2, 4}, eigenvalues_of(copied), 1e-12, "by hand");
}

/// How many numbers a matrix stores for each cell, and how many of them are not 0.
void add_sizes(Numbers& numbers, int nx, int ny, int nz) {
    const Matrix A = pressure_matrix(Fluid(nx, ny, nz));
    double stored = 0.0;
    for (const Field* part : {&A.diagonal, &A.x, &A.y, &A.z}) {
        stored += static_cast<double>(part->values.size());
    }
    const double cells = 1.0 * nx * ny * nz;
    const double faces = cells / nx * (nx + 1) + cells / ny * (ny + 1) + cells / nz * (nz + 1);
    numbers.checked(std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) +
                        ": numbers stored for each cell",
                    (cells + faces) / cells, stored / cells, 1e-12, "(cells + faces) / cells");
}

}  // namespace

bool numbers(const workbook::Program&) {
    Numbers numbers("12_matrix: the texts' numbers beside ours");
    add_tutorial_numbers(numbers);
    add_notes_numbers(numbers);
    add_sizes(numbers, 64, 64, 1);
    add_sizes(numbers, 64, 64, 64);
    return numbers.print();
}
