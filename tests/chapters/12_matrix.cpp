#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "reference.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 6> boxes = {
    {{5, 3, 2}, {2, 4, 3}, {3, 2, 5}, {7, 1, 1}, {1, 6, 1}, {1, 1, 4}}};

/// A in full, from the numbers that it stores: a row and a column for every cell.
Eigen::MatrixXd full_matrix(const Matrix& A) {
    const Field& cells = A.diagonal;
    const auto n = static_cast<Eigen::Index>(cells.values.size());
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n, n);
    for_each_point(cells, [&](int i, int j, int k) {
        const int row = cells.IX(i, j, k);
        full(row, row) = cells(i, j, k);
        if (i > 0) {
            full(row, cells.IX(i - 1, j, k)) = full(cells.IX(i - 1, j, k), row) = -A.x(i, j, k);
        }
        if (j > 0) {
            full(row, cells.IX(i, j - 1, k)) = full(cells.IX(i, j - 1, k), row) = -A.y(i, j, k);
        }
        if (k > 0) {
            full(row, cells.IX(i, j, k - 1)) = full(cells.IX(i, j, k - 1), row) = -A.z(i, j, k);
        }
    });
    return full;
}

/// A matrix whose weights are all different, those on the outermost faces of the box as well, and
/// whose diagonal is larger than they are together.
Matrix bumpy_matrix(int nx, int ny, int nz) {
    Matrix A(Field(nx, ny, nz, {0.5, 0.5, 0.5}));
    make_bumpy(A.x, 101);
    make_bumpy(A.y, 102);
    make_bumpy(A.z, 103);
    make_bumpy(A.diagonal, 104);
    for (double& value : A.diagonal.values) {
        value += 8.0;
    }
    return A;
}

/// The same, but the last cell has no equation.
Matrix with_a_given_cell(int nx, int ny, int nz) {
    Matrix A = bumpy_matrix(nx, ny, nz);
    A.diagonal(nx - 1, ny - 1, nz - 1) = 0.0;
    return A;
}

/// Chooses the sweeps, where the chapter has other solvers as well, and lets them come as close as
/// doubles allow.
template <class Fluid>
Fluid by_sweeps(Fluid fluid) {
    if constexpr (requires { fluid.solver; }) {
        fluid.solver = decltype(fluid.solver)::GAUSS_SEIDEL;
    }
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    return fluid;
}

/// The eigenvalues of -d2/dx2 times h^2 on n cells, as the reference file lists them.
std::vector<double> reference_eigenvalues(int n) {
    std::vector<double> found;
    for (const std::vector<std::string>& words : reference_rows("laplacian_eigenvalues.csv")) {
        if (words[0] == std::to_string(n) && words[1] == "neumann") {
            found.push_back(std::stod(words[3]));
        }
    }
    return found;
}

/// What the names of the sides are in words.
constexpr const char* side_words[6] = {"left", "right", "upper", "lower", "front", "back"};

}  // namespace

// ---- The weights -------------------------------------------------------------------------------

TEST_CASE("a face between two cells has the weight 1, a wall the weight 0", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid fluid(nx, ny, nz);
        for_each_point(fluid.pressure, [&](int i, int j, int k) {
            const std::array<bool, 6> has_neighbour = {i > 0,      i + 1 < nx, j > 0,
                                                       j + 1 < ny, k > 0,      k + 1 < nz};
            for (int side = 0; side < 6; ++side) {
                INFO("box " << words_of(nx, ny, nz) << ", cell " << words_of(i, j, k) << ", its "
                            << side_words[side] << " face: a wall has the weight 0, every other "
                            << "face the weight 1");
                REQUIRE(weight_towards(fluid, side, i, j, k) == (has_neighbour[side] ? 1.0 : 0.0));
            }
        });
    }
}

TEST_CASE("A is the tutorial's matrix", "[12_matrix]") {
    const Eigen::MatrixXd A = full_matrix(pressure_matrix(Fluid(2, 2, 1)));
    Eigen::Matrix4d printed;
    printed << 2, -1, -1, 0, -1, 2, 0, -1, -1, 0, 2, -1, 0, -1, -1, 2;
    INFO("is A the tutorial's matrix? Yours is\n" << A);
    CHECK((A - printed).cwiseAbs().maxCoeff() == 0.0);
}

TEST_CASE("the diagonal counts the neighbours, and the weights name them", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid fluid(nx, ny, nz);
        const Matrix matrix = pressure_matrix(fluid);
        const Eigen::MatrixXd A = full_matrix(matrix);
        const Eigen::MatrixXd expected = expected_matrix(fluid.pressure);
        for_each_point(fluid.pressure, [&](int i, int j, int k) {
            const int row = fluid.pressure.IX(i, j, k);
            INFO("box " << words_of(nx, ny, nz) << ", the row of cell " << words_of(i, j, k)
                        << ": the number of neighbours stands on the diagonal, and -1 in the "
                        << "column of each. It is\n"
                        << A.row(row) << "\nand should be\n"
                        << expected.row(row));
            REQUIRE((A.row(row) - expected.row(row)).cwiseAbs().maxCoeff() == 0.0);
        });
        for_each_point(matrix.x, [&](int i, int j, int k) {
            INFO("box " << words_of(nx, ny, nz) << ": the X face " << words_of(i, j, k));
            REQUIRE(matrix.x(i, j, k) == (i > 0 && i < nx ? 1.0 : 0.0));
        });
    }
}

TEST_CASE("the eigenvalues of A are sums of 4 sin^2(pi k / 2n)", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : {std::array{4, 8, 1}, {16, 4, 1}, {1, 4, 8}, {8, 1, 1}}) {
        const Eigen::MatrixXd A = full_matrix(pressure_matrix(Fluid(nx, ny, nz)));
        const Eigen::VectorXd eigenvalues = algebra::eigenvalues(A);
        std::vector<double> expected = {0.0};
        for (const int n : {nx, ny, nz}) {
            const std::vector<double> one = n == 1 ? std::vector{0.0} : reference_eigenvalues(n);
            REQUIRE(static_cast<int>(one.size()) == n);
            std::vector<double> sums;
            for (int mode = 0; mode < n; ++mode) {
                CHECK_THAT(one[mode],
                           WithinAbs(4.0 * std::pow(std::sin(std::numbers::pi * mode / (2 * n)), 2),
                                     1e-11));
                for (const double so_far : expected) {
                    sums.push_back(so_far + one[mode]);
                }
            }
            expected = sums;
        }
        std::sort(expected.begin(), expected.end());
        for (std::size_t k = 0; k < expected.size(); ++k) {
            INFO("box " << words_of(nx, ny, nz) << ", eigenvalue " << k);
            CHECK_THAT(eigenvalues[static_cast<Eigen::Index>(k)], WithinAbs(expected[k], 1e-10));
        }
    }
}

// ---- What reads the matrix: here it is another one ---------------------------------------------

TEST_CASE("the neighbours' values are added up, each times the weight of the face between",
          "[12_matrix]") {
    const Matrix A = bumpy_matrix(3, 3, 3);
    const Field x = bumpy_pressure(3, 3, 3, 7);
    const double expected = A.x(1, 1, 1) * x(0, 1, 1) + A.x(2, 1, 1) * x(2, 1, 1) +
                            A.y(1, 1, 1) * x(1, 0, 1) + A.y(1, 2, 1) * x(1, 2, 1) +
                            A.z(1, 1, 1) * x(1, 1, 0) + A.z(1, 1, 2) * x(1, 1, 2);
    INFO("A.x(i, j, k) is the weight of the face on the left, A.x(i + 1, j, k) of that on the "
         "right");
    CHECK_THAT(neighbour_sum(A, x, 1, 1, 1), WithinAbs(expected, 1e-14));
    INFO("beyond the block x is 0, whatever the weight of the face: a corner has three neighbours");
    CHECK_THAT(neighbour_sum(A, x, 0, 0, 0),
               WithinAbs(A.x(1, 0, 0) * x(1, 0, 0) + A.y(0, 1, 0) * x(0, 1, 0) +
                             A.z(0, 0, 1) * x(0, 0, 1),
                         1e-14));
    CHECK_THAT(neighbour_sum(A, x, 2, 2, 2),
               WithinAbs(A.x(2, 2, 2) * x(1, 2, 2) + A.y(2, 2, 2) * x(2, 1, 2) +
                             A.z(2, 2, 2) * x(2, 2, 1),
                         1e-14));
}

TEST_CASE("multiply does what a full matrix does, and leaves 0 where there is no equation",
          "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix A = bumpy_matrix(nx, ny, nz);
        const Field x = bumpy_pressure(nx, ny, nz, 7);
        Field product = bumpy_pressure(nx, ny, nz, 9);
        multiply(A, x, product);
        INFO("box " << words_of(nx, ny, nz)
                    << ": the diagonal times x, minus the sum of the neighbours");
        CHECK((as_vector(product) - full_matrix(A) * as_vector(x)).cwiseAbs().maxCoeff() < 1e-13);

        Field without = bumpy_pressure(nx, ny, nz, 9);
        multiply(with_a_given_cell(nx, ny, nz), x, without);
        INFO("the last cell has no equation, so its product is 0");
        CHECK(without(nx - 1, ny - 1, nz - 1) == 0.0);
        INFO("but its value counts in the equations of its neighbours");
        product(nx - 1, ny - 1, nz - 1) = 0.0;
        CHECK(distance(product, without) == 0.0);
    }
}

TEST_CASE("A turns what is the same everywhere into 0", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix A = pressure_matrix(Fluid(nx, ny, nz));
        Field constant = bumpy_pressure(nx, ny, nz, 5);
        Field product = constant;
        std::fill(constant.values.begin(), constant.values.end(), 3.0);
        multiply(A, constant, product);
        INFO("box " << words_of(nx, ny, nz)
                    << ": a pressure that is the same everywhere pushes nothing");
        CHECK(largest(product) == 0.0);
    }
}

TEST_CASE("a relaxed value satisfies its equation", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix A = bumpy_matrix(nx, ny, nz);
        const Field before = bumpy_pressure(nx, ny, nz, 7);
        const Field b = bumpy_pressure(nx, ny, nz, 8);
        for_each_point(before, [&](int i, int j, int k) {
            Field x = before;
            x(i, j, k) = relaxed(A, before, b, i, j, k);
            const Eigen::VectorXd left = full_matrix(A) * as_vector(x);
            INFO("box " << words_of(nx, ny, nz) << ", cell " << words_of(i, j, k)
                        << ": with its new value the left-hand side of its equation is b");
            REQUIRE_THAT(left[x.IX(i, j, k)], WithinAbs(b(i, j, k), 1e-13));
        });
    }
    const Matrix A = with_a_given_cell(5, 3, 2);
    const Field x = bumpy_pressure(5, 3, 2, 7);
    INFO("a cell without an equation keeps its value: there is nothing to divide by");
    CHECK(relaxed(A, x, bumpy_pressure(5, 3, 2, 8), 4, 2, 1) == x(4, 2, 1));
}

TEST_CASE("a sweep and the residual are those of whatever matrix they are given", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix matrix = bumpy_matrix(nx, ny, nz);
        const Eigen::MatrixXd A = full_matrix(matrix);
        Field x = bumpy_pressure(nx, ny, nz, 7);
        const Field b = bumpy_pressure(nx, ny, nz, 8);
        INFO("box " << words_of(nx, ny, nz));
        const Eigen::VectorXd left = as_vector(b) - A * as_vector(x);
        CHECK_THAT(residual(matrix, x, b), WithinAbs(left.norm() / as_vector(b).norm(), 1e-12));

        const Eigen::VectorXd above = A.triangularView<Eigen::StrictlyUpper>() * as_vector(x);
        const Eigen::VectorXd expected =
            A.triangularView<Eigen::Lower>().solve(as_vector(b) - above);
        gauss_seidel(matrix, x, b);
        CHECK((as_vector(x) - expected).cwiseAbs().maxCoeff() < 1e-13);
    }
}

TEST_CASE("each face loses its weight times the difference of p", "[12_matrix]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix A = bumpy_matrix(nx, ny, nz);
        const Field p = bumpy_pressure(nx, ny, nz, 7);
        const Fluid fluid(nx, ny, nz);
        const auto check = [&, nx = nx, ny = ny, nz = nz](const Field& faces, const Field& weights,
                                                          int di, int dj, int dk) {
            Field found = faces;
            make_bumpy(found, 61);
            const Field before = found;
            subtract_differences(found, weights, p, 0.1);
            for_each_point(found, [&](int i, int j, int k) {
                const double behind = p.has(i, j, k) ? p(i, j, k) : 0.0;
                const bool is_first = i < di || j < dj || k < dk;
                const double ahead = is_first ? 0.0 : p(i - di, j - dj, k - dk);
                INFO("box " << words_of(nx, ny, nz) << ", face " << words_of(i, j, k) << " along "
                            << words_of(di, dj, dk)
                            << ": 0.1 times its weight times the p behind it less the p before "
                            << "it. Beyond the box p is 0");
                REQUIRE_THAT(found(i, j, k),
                             WithinAbs(before(i, j, k) - 0.1 * weights(i, j, k) * (behind - ahead),
                                       1e-14));
            });
        };
        check(fluid.u, A.x, 1, 0, 0);
        check(fluid.v, A.y, 0, 1, 0);
        check(fluid.w, A.z, 0, 0, 1);
    }
}

// ---- The whole projection ----------------------------------------------------------------------

TEST_CASE("the pinwheel by the matrix, to the tutorial's last digit", "[12_matrix]") {
    Fluid fluid = by_sweeps(carried_pinwheel());
    project(fluid, 0.1);
    INFO("does project write the matrix down before it solves?");
    REQUIRE(fluid.matrix.diagonal(0, 0, 0) == 2.0);
    check_values(fluid.rhs, {-9.0, 0.0, 9.0, 0.0}, "b");
    check_values(fluid.pressure, {-3.375, -1.125, 3.375, 1.125}, "p");
    check_values(fluid.u, {0, -0.225, 0, 0, 0.225, 0}, "mU");
    check_values(fluid.v, {0, 0, 0.225, -0.225, 0, 0}, "mV");
    check_values(fluid.w, {0, 0, 0, 0, 0, 0, 0, 0}, "mW");
}

TEST_CASE("one weight less is a wall: sweeps and gradient read nothing else", "[12_matrix]") {
    Fluid fluid = by_sweeps(bumpy_fluid(6, 4, 3, 13));
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            fluid.u(2, j, k) = 0.0;
        }
    }
    const double before = largest_divergence(fluid);
    REQUIRE(before > 0.1);
    fluid.matrix = pressure_matrix(fluid);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            fluid.matrix.x(2, j, k) = 0.0;
            fluid.matrix.diagonal(1, j, k) -= 1.0;
            fluid.matrix.diagonal(2, j, k) -= 1.0;
        }
    }
    right_hand_side(fluid, 0.1);
    solve_pressure(fluid);
    subtract_gradient(fluid, 0.1);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            INFO("the face " << words_of(2, j, k) << " has the weight 0: does p push through it?");
            CHECK(fluid.u(2, j, k) == 0.0);
        }
    }
    INFO("on both sides of the new wall as much flows in as out; the divergence was " << before);
    CHECK(largest_divergence(fluid) < 1e-9);
}
