#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "box_fields.hpp"
#include "bumpy.hpp"
#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "complex_eigenvalues.hpp"
#include "larger.hpp"
#include "reference.hpp"
#include "solver.hpp"

using namespace box_fields;

namespace {

void check_values(const Field& field, const std::vector<double>& expected) {
    REQUIRE(field.values.size() == expected.size());
    for (std::size_t cell = 0; cell < expected.size(); ++cell) {
        INFO("cell " << cell);
        CHECK_THAT(field.values[cell], WithinAbs(expected[cell], 1e-14));
    }
}

/// Four cells in a square, and what three of them ask for.
Field four_cells() {
    Field rhs = zeros({2, 2, 1});
    rhs.values = {-9.0, 0.0, 6.0, 3.0};
    return rhs;
}

/// The matrix that a sweep multiplies the error by, made of what it does to each cell's 1.
template <class Sweep>
Eigen::MatrixXd matrix_of(const Size& size, Sweep sweep) {
    const Matrix A = matrix_of_box(size);
    const Field nothing = zeros(size);
    const auto cells = static_cast<Eigen::Index>(nothing.values.size());
    Eigen::MatrixXd matrix(cells, cells);
    for (Eigen::Index cell = 0; cell < cells; ++cell) {
        Field p = nothing;
        p.values[static_cast<std::size_t>(cell)] = 1.0;
        sweep(A, p, nothing);
        matrix.col(cell) = as_vector(p);
    }
    return matrix;
}

/// The largest size of an eigenvalue of a sweep's matrix, but for the 1 of the constants, which are
/// no error.
double radius_of(const Eigen::MatrixXd& sweep) {
    const Eigen::VectorXcd values = algebra::complex_eigenvalues(sweep);
    Eigen::Index constant = 0;
    (values.array() - 1.0).abs().minCoeff(&constant);
    INFO("a sweep leaves a constant pressure alone");
    REQUIRE(std::abs(values[constant] - 1.0) < 1e-9);
    double found = 0.0;
    for (Eigen::Index k = 0; k < values.size(); ++k) {
        found = k == constant ? found : larger(found, std::abs(values[k]));
    }
    return found;
}

/// Solves A p = rhs with one of the solvers.
Fluid solved(Solver solver, const Field& rhs, double tolerance, int iterations = 20000) {
    Fluid fluid(rhs.nx, rhs.ny, rhs.nz);
    fluid.matrix = pressure_matrix(fluid);
    fluid.rhs = rhs;
    fluid.solver = solver;
    fluid.tolerance = tolerance;
    fluid.iterations = iterations;
    solve_pressure(fluid);
    return fluid;
}

int sweeps_of(Solver solver, const Field& rhs, double tolerance) {
    const Fluid fluid = solved(solver, rhs, tolerance);
    INFO("residual " << fluid.residuals.back());
    CHECK(fluid.residuals.back() <= tolerance);
    return static_cast<int>(fluid.residuals.size()) - 1;
}

const std::vector<std::pair<Solver, std::string>> sweeping = {
    {Solver::JACOBI, "Jacobi"},
    {Solver::RED_BLACK, "red-black"},
    {Solver::OVER_RELAXATION, "over-relaxation"}};

}  // namespace

// ---- One sweep ---------------------------------------------------------------------------------

TEST_CASE("a Jacobi sweep reads the old values only", "[51_relax]") {
    const Matrix four = matrix_of_box({2, 2, 1});
    const Field rhs = four_cells();
    Field p = zeros({2, 2, 1});
    jacobi(four, p, rhs, 1.0);
    INFO("each cell of four has two neighbours: from p = 0 all go to rhs / 2");
    check_values(p, {-4.5, 0.0, 3.0, 1.5});
    jacobi(four, p, rhs, 0.5);
    INFO("then half of the way to (rhs + neighbours) / 2, read before the sweep");
    check_values(p, {-3.75, -0.75, 2.25, 2.25});
    for (const Size& size : {Size{5, 4, 3}, Size{3, 6, 4}, Size{1, 1, 1}}) {
        const Matrix A = matrix_of_box(size);
        const Field b = compatible(size, 3);
        Field q = bumpy(size, 4);
        Field expected = q;
        fill(expected, [&](int i, int j, int k) {
            return 0.2 * q(i, j, k) + 0.8 * relaxed(A, q, b, i, j, k);
        });
        jacobi(A, q, b);
        INFO(name_of(size) << ": where nothing else is asked for, the weight is 0.8");
        CHECK(distance(q, expected) < 1e-14);
    }
}

TEST_CASE("a full Jacobi sweep never loses the checkerboard", "[51_relax]") {
    for (const Size& size : {Size{6, 5, 1}, Size{3, 4, 5}}) {
        const Matrix A = matrix_of_box(size);
        const Field nothing = zeros(size);
        Field board = nothing;
        fill(board, [](int i, int j, int k) { return (i + j + k) % 2 == 0 ? 1.0 : -1.0; });
        Field p = board;
        jacobi(A, p, nothing, 1.0);
        for (double& value : board.values) {
            value = -value;
        }
        INFO("with a weight of 1 every cell takes its neighbours' value: minus its own");
        CHECK(distance(p, board) < 1e-15);
        jacobi(A, p, nothing, 0.5);
        INFO("with a weight of 1/2 it is gone at once");
        CHECK(distance(p, nothing) < 1e-15);
    }
}

TEST_CASE("a red-black sweep sets the red cells first", "[51_relax]") {
    Field p = zeros({2, 2, 1});
    red_black(matrix_of_box({2, 2, 1}), p, four_cells());
    INFO("first the two red cells on the diagonal, then the two black ones");
    check_values(p, {-4.5, -1.5, 1.5, 1.5});
    for (const Size& size : {Size{5, 4, 3}, Size{4, 7, 2}, Size{2, 3, 6}, Size{1, 1, 1}}) {
        const Matrix A = matrix_of_box(size);
        const Field b = compatible(size, 5);
        const Field before = bumpy(size, 6);
        Field q = before;
        red_black(A, q, b);
        for (int k = 0; k < size.nz; ++k) {
            for (int j = 0; j < size.ny; ++j) {
                for (int i = 0; i < size.nx; ++i) {
                    const bool is_red = (i + j + k) % 2 == 0;
                    INFO(name_of(size) << ", cell (" << i << ", " << j << ", " << k << "), "
                                       << (is_red ? "red: from the old black ones"
                                                  : "black: from the new red ones"));
                    const double expected = relaxed(A, is_red ? before : q, b, i, j, k);
                    CHECK_THAT(q(i, j, k), WithinAbs(expected, 1e-14));
                }
            }
        }
    }
}

TEST_CASE("within a colour the order does not matter", "[51_relax]") {
    const Matrix A = matrix_of_box({7, 5, 3});
    const Field rhs = compatible({7, 5, 3}, 11);  // turned round, each cell keeps its colour
    Field turned_rhs = rhs;
    std::reverse(turned_rhs.values.begin(), turned_rhs.values.end());
    Field p = zeros({7, 5, 3});
    Field turned = p;
    for (int sweep = 0; sweep < 3; ++sweep) {
        red_black(A, p, rhs);
        red_black(A, turned, turned_rhs);
    }
    INFO("the sweep sets something");
    REQUIRE(distance(p, zeros({7, 5, 3})) > 0.1);
    std::reverse(turned.values.begin(), turned.values.end());
    INFO("a box turned round gives the pressure turned round: no cell was first of its colour");
    CHECK(distance(p, turned) < 1e-14);
}

TEST_CASE("over-relaxation goes omega times as far", "[51_relax]") {
    const Matrix four = matrix_of_box({2, 2, 1});
    Field p = zeros({2, 2, 1});
    over_relax(four, p, four_cells(), 1.5);
    INFO("-9/2 times 1.5; then 1.5 times the half of -6.75, and so on");
    check_values(p, {-6.75, -5.0625, -0.5625, -1.96875});
    over_relax(four, p, four_cells(), 1.5);
    INFO("the second sweep starts from what is there: -6.75 goes 1.5 times the way to -7.3125");
    CHECK_THAT(p(0, 0, 0), WithinAbs(-6.75 - 1.5 * 0.5625, 1e-14));
    for (const Size& size : {Size{5, 4, 3}, Size{3, 2, 6}, Size{1, 1, 1}}) {
        const Matrix A = matrix_of_box(size);
        const Field b = compatible(size, 3);
        Field one = bumpy(size, 4);
        Field plain = one;
        over_relax(A, one, b, 1.0);
        gauss_seidel(A, plain, b);
        INFO(name_of(size) << ": with omega = 1 it is Gauss-Seidel");
        CHECK(distance(one, plain) < 1e-14);
    }
}

// ---- The spectral radius -----------------------------------------------------------------------

TEST_CASE("the spectral radius is that of the sweep's matrix", "[51_relax]") {
    for (const Size& size : {Size{12, 7, 1}, Size{5, 11, 2}, Size{3, 4, 10}, Size{6, 6, 6},
                             Size{16, 1, 1}, Size{1, 2, 9}}) {
        // Going half of the way, the checkerboard is lost at once, and half of 1 - radius remains.
        const double half = radius_of(matrix_of(
            size, [](const Matrix& A, Field& p, const Field& rhs) { jacobi(A, p, rhs, 0.5); }));
        const double exact = 2.0 * half - 1.0;
        const double ours = spectral_radius(size.nx, size.ny, size.nz);
        INFO(name_of(size) << ": spectral_radius " << ours << ", the matrix's eigenvalue "
                           << exact);
        CHECK(ours > 0.5);
        CHECK_THAT(1.0 - ours, WithinAbs(1.0 - exact, 0.015 * (1.0 - exact)));
    }
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] == "neumann") {
            const int n = std::stoi(words[0]);
            const double lost = 1.0 - std::stod(words[2]);
            INFO("N = " << n << ": 1 - radius, as the eigenvalues of Jacobi's matrix have it");
            CHECK_THAT(1.0 - spectral_radius(n, n, 1), WithinAbs(lost, 0.02 * lost));
            ++rows;
        }
    }
    CHECK(rows == 4);
    INFO("one cell or two have nothing smooth");
    CHECK_THAT(spectral_radius(1, 1, 1), WithinAbs(0.0, 1e-15));
    CHECK_THAT(spectral_radius(1, 2, 1), WithinAbs(0.0, 1e-15));
    CHECK_THAT(spectral_radius(2, 2, 2), WithinAbs(1.0 / 3.0, 1e-15));
}

TEST_CASE("Jacobi leaves what its radius says", "[51_relax]") {
    for (const Size& size :
         {Size{16, 16, 1}, Size{20, 6, 1}, Size{6, 20, 1}, Size{10, 9, 8}, Size{3, 4, 12}}) {
        const Matrix A = matrix_of_box(size);
        const Field nothing = zeros(size);
        const int longest = std::max({size.nx, size.ny, size.nz});
        Field p = nothing;
        fill(p, [&](int i, int j, int k) {
            const int along = size.nx == longest ? i : size.ny == longest ? j : k;
            return std::cos(std::numbers::pi * (along + 0.5) / longest);
        });
        const auto error_after = [&](int sweeps) {
            for (int sweep = 0; sweep < sweeps; ++sweep) {
                jacobi(A, p, nothing);
            }
            return std::sqrt(dot(p, p));
        };
        const double early = error_after(100);
        const double left = std::pow(error_after(100) / early, 0.01);
        const double radius = spectral_radius(size.nx, size.ny, size.nz);
        INFO(name_of(size) << ": radius " << radius << ", a sweep with weight 0.8 leaves " << left);
        CHECK_THAT(1.0 - left, WithinAbs(0.8 * (1.0 - radius), 0.02 * 0.8 * (1.0 - radius)));
    }
}

TEST_CASE("Gauss-Seidel leaves the square of the radius, in both orders", "[51_relax]") {
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] != "neumann" || words[0] == "32") {
            continue;
        }
        const int n = std::stoi(words[0]);
        const double lost = 1.0 - std::stod(words[3]);
        const Field rhs = compatible({n, n, 1}, 13);
        for (const bool in_colours : {false, true}) {
            const auto left_after = [&](int sweeps) {
                return solved(in_colours ? Solver::RED_BLACK : Solver::GAUSS_SEIDEL, rhs, 0.0,
                              sweeps)
                    .residuals.back();
            };
            const int half = n * n / 2;
            const double factor = std::pow(left_after(2 * half) / left_after(half), 1.0 / half);
            INFO("N = " << n << (in_colours ? ", red and black" : ", row by row")
                        << ": each sweep leaves " << factor << ", predicted " << 1.0 - lost);
            CHECK_THAT(1.0 - factor, WithinAbs(lost, 0.03 * lost));
        }
        const double radius = spectral_radius(n, n, 1);
        CHECK_THAT(1.0 - radius * radius, WithinAbs(lost, 0.02 * lost));
        ++rows;
    }
    CHECK(rows == 3);
}

TEST_CASE("the best omega is Young's", "[51_relax]") {
    CHECK_THAT(best_omega(0.6), WithinAbs(2.0 / 1.8, 1e-15));
    CHECK_THAT(best_omega(0.0), WithinAbs(1.0, 1e-15));
    for (const Size& size : {Size{10, 6, 1}, Size{4, 5, 6}, Size{3, 9, 2}}) {
        const double omega = best_omega(spectral_radius(size.nx, size.ny, size.nz));
        const auto radius_with = [&](double with) {
            return radius_of(matrix_of(size, [&](const Matrix& A, Field& p, const Field& rhs) {
                over_relax(A, p, rhs, with);
            }));
        };
        const double best = radius_with(omega);
        INFO(name_of(size) << ": omega " << omega << " leaves " << best << " a sweep");
        CHECK_THAT(best, WithinAbs(omega - 1.0, 0.04));
        INFO("less is slower, and more is slower as well");
        CHECK(radius_with(omega - 0.1) > best + 0.05);
        CHECK(radius_with(omega + 0.1) > best + 0.05);
        INFO("from omega = 2 on it does not converge: the radius is at least omega - 1");
        CHECK(radius_with(2.05) > 1.05);
        CHECK(radius_with(2.4) > 1.4);
    }
}

// ---- Many sweeps -------------------------------------------------------------------------------

TEST_CASE("each kind of sweep finds the direct solver's pressure", "[51_relax]") {
    for (const Size& size :
         {Size{9, 6, 1}, Size{5, 4, 7}, Size{2, 8, 3}, Size{1, 2, 1}, Size{1, 1, 1}}) {
        const Field rhs = bumpy(size, 29);  // not compatible: its mean is left out
        const Fluid exact = solved(Solver::DIRECT, rhs, 1e-12);
        for (const auto& [solver, name] : sweeping) {
            const Fluid fluid = solved(solver, rhs, 1e-12, 5000);
            INFO(name << ", " << name_of(size) << ": residual " << fluid.residuals.back()
                      << " after " << fluid.residuals.size() - 1 << " sweeps");
            CHECK(fluid.residuals.back() <= 1e-12);
            CHECK(distance(fluid.pressure, exact.pressure) < 1e-9);
        }
    }
}

TEST_CASE("lin_solve takes the kind of sweep that it is told", "[51_relax]") {
    const Size size = {6, 4, 5};
    const Matrix A = matrix_of_box(size);
    const Field rhs = compatible(size, 31);
    const double omega = best_omega(spectral_radius(size.nx, size.ny, size.nz));
    for (const auto& [solver, name] : sweeping) {
        Field p = zeros(size);
        for (int sweep = 0; sweep < 2; ++sweep) {
            if (solver == Solver::JACOBI) {
                jacobi(A, p, rhs);
            } else if (solver == Solver::RED_BLACK) {
                red_black(A, p, rhs);
            } else {
                over_relax(A, p, rhs, omega);
            }
        }
        INFO(name << ": two sweeps by hand, and by lin_solve");
        REQUIRE(distance(p, zeros(size)) > 0.1);
        const Fluid fluid = solved(solver, rhs, 0.0, 2);
        REQUIRE(fluid.residuals.size() == 3);
        CHECK_THAT(fluid.residuals.back(), WithinAbs(residual(A, p, rhs), 1e-14));
        subtract_mean(p);
        CHECK(distance(fluid.pressure, p) < 1e-14);
    }
}

TEST_CASE("sweeps to 1e-6 grow with N squared, and with N where they are over-relaxed",
          "[51_relax]") {
    const struct {
        Solver solver;
        std::string name;
        double sweeps[3];  // for N = 16, 32, 64
    } expected[] = {{Solver::JACOBI, "Jacobi", {1389, 4884, 0}},
                    {Solver::GAUSS_SEIDEL, "Gauss-Seidel", {556, 1946, 0}},
                    {Solver::RED_BLACK, "red-black", {572, 2023, 0}},
                    {Solver::OVER_RELAXATION, "over-relaxation", {58, 114, 243}}};
    for (const auto& [solver, name, sweeps] : expected) {
        for (int k = 0; k < 3; ++k) {
            const int n = 16 << k;
            if (sweeps[k] > 0.0) {
                INFO(name << ", N = " << n);
                CHECK_THAT(sweeps_of(solver, bumpy({n, n, 1}, 11), 1e-6),
                           WithinAbs(sweeps[k], 0.01 * sweeps[k]));
            }
        }
    }
}
