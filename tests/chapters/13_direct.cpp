#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 6> boxes = {
    {{5, 3, 2}, {2, 4, 3}, {3, 2, 5}, {7, 1, 1}, {1, 6, 1}, {1, 1, 4}}};

/// The matrix of a closed box of that size.
Matrix matrix_of(int nx, int ny, int nz) {
    return pressure_matrix(Fluid(nx, ny, nz));
}

/// A in full. Fails where it has not a row and a column for every cell.
Eigen::MatrixXd full_matrix(const Matrix& A) {
    const Eigen::SparseMatrix<double> sparse = assemble_matrix(A);
    const auto cells = static_cast<Eigen::Index>(A.diagonal.values.size());
    INFO("A has a row and a column for every cell");
    REQUIRE(sparse.rows() == cells);
    REQUIRE(sparse.cols() == cells);
    return Eigen::MatrixXd(sparse);
}

/// The factors of a matrix. Fails where there are none.
std::shared_ptr<const Factors> factors_of(const Matrix& A) {
    const std::shared_ptr<const Factors> factors = factorize(A);
    INFO("does factorize return the factors?");
    REQUIRE(factors != nullptr);
    INFO("are they those of a matrix with a row for every cell?");
    REQUIRE(factors->ldlt.rows() == static_cast<Eigen::Index>(A.diagonal.values.size()));
    REQUIRE(factors->ldlt.info() == Eigen::Success);
    return factors;
}

/// The compatibility defect of a right-hand side. From 19_obstacles on a box may have several
/// components, and each has a defect of its own. Here all cells are one.
template <class Field>
double defect_of(const Field& rhs) {
    if constexpr (requires { compatibility_defect(rhs); }) {
        return compatibility_defect(rhs);
    } else {
        std::vector<int> all(rhs.values.size());
        std::iota(all.begin(), all.end(), 0);
        return compatibility_defect(rhs, all);
    }
}

/// A closed box whose faces all have different weights.
Matrix bumpy_matrix(int nx, int ny, int nz) {
    Matrix A(Field(nx, ny, nz, {0.5, 0.5, 0.5}));
    make_bumpy(A.x, 101);
    make_bumpy(A.y, 102);
    make_bumpy(A.z, 103);
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            const bool is_wall = !A.diagonal.has(i + di, j + dj, k + dk);
            double& weight = A.weight(side, i, j, k);
            weight = is_wall ? 0.0 : 0.5 + std::abs(weight);
        }
    });
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            A.diagonal(i, j, k) += A.weight(side, i, j, k);
        }
    });
    return A;
}

}  // namespace

// ---- The matrix --------------------------------------------------------------------------------

TEST_CASE("Eigen gets the tutorial's matrix", "[13_direct]") {
    const Eigen::MatrixXd A = full_matrix(matrix_of(2, 2, 1));
    Eigen::Matrix4d printed;
    printed << 2, -1, -1, 0, -1, 2, 0, -1, -1, 0, 2, -1, 0, -1, -1, 2;
    INFO("is A the tutorial's matrix? Yours is\n" << A);
    CHECK((A - printed).cwiseAbs().maxCoeff() == 0.0);
}

TEST_CASE("each row has the diagonal, and minus the weight in the column of each neighbour",
          "[13_direct]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix matrix = bumpy_matrix(nx, ny, nz);
        const Eigen::MatrixXd A = full_matrix(matrix);
        Field x = matrix.diagonal;
        Field product = x;
        for (std::size_t column = 0; column < x.values.size(); ++column) {
            std::fill(x.values.begin(), x.values.end(), 0.0);
            x.values[column] = 1.0;
            multiply(matrix, x, product);
            INFO("box " << words_of(nx, ny, nz) << ", column " << column
                        << ": -1 times the weight in the row of each neighbour. It is\n"
                        << A.col(column).transpose() << "\nand should be\n"
                        << as_vector(product).transpose());
            REQUIRE((A.col(column) - as_vector(product)).cwiseAbs().maxCoeff() == 0.0);
        }
    }
}

TEST_CASE("a point without an equation has a 1 on the diagonal, and nobody's column names it",
          "[13_direct]") {
    Matrix given = bumpy_matrix(3, 2, 2);
    given.diagonal(1, 0, 1) = 0.0;
    const Eigen::MatrixXd A = full_matrix(given);
    const int at = given.diagonal.IX(1, 0, 1);
    INFO("its row, and its column: a 1 on the diagonal and nothing else. A is\n" << A);
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(A.rows(), at);
    CHECK((A.row(at).transpose() - unit).cwiseAbs().maxCoeff() == 0.0);
    CHECK((A.col(at) - unit).cwiseAbs().maxCoeff() == 0.0);
    INFO("all else is as it was");
    Eigen::MatrixXd before = full_matrix(bumpy_matrix(3, 2, 2));
    before.row(at) = unit.transpose();
    before.col(at) = unit;
    CHECK((A - before).cwiseAbs().maxCoeff() == 0.0);
}

TEST_CASE("A is symmetric, and a constant is its null space", "[13_direct]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Eigen::MatrixXd A = full_matrix(matrix_of(nx, ny, nz));
        INFO("box " << words_of(nx, ny, nz));
        REQUIRE(A.cwiseAbs().maxCoeff() >= 2.0);
        CHECK((A - A.transpose()).cwiseAbs().maxCoeff() == 0.0);
        INFO("a pressure that is the same everywhere pushes nothing: each row adds up to 0");
        CHECK(A.rowwise().sum().cwiseAbs().maxCoeff() == 0.0);
        INFO("and nothing else is like it");
        CHECK((algebra::eigenvalues(A).array().abs() < 1e-10).count() == 1);
    }
}

TEST_CASE("only the entries that are not 0 are stored", "[13_direct]") {
    const Eigen::SparseMatrix<double> A = assemble_matrix(matrix_of(8, 8, 1));
    INFO("64 on the diagonal, and two for each of the 7 * 8 + 8 * 7 faces between cells");
    CHECK(A.nonZeros() == 288);
    const Eigen::SparseMatrix<double> deep = assemble_matrix(matrix_of(4, 3, 5));
    CHECK(deep.nonZeros() == 60 + 2 * (3 * 3 * 5 + 4 * 2 * 5 + 4 * 3 * 4));
}

// ---- Right-hand sides with and without a solution ----------------------------------------------

TEST_CASE("the compatibility defect says how far a right-hand side is from a solution",
          "[13_direct]") {
    Field rhs = Fluid(3, 2, 2).pressure;
    rhs(0, 0, 0) = 3.0;
    rhs(2, 1, 0) = -1.0;
    rhs(1, 0, 1) = -6.0;
    INFO("3 - 1 - 6 is -4, and 3 + 1 + 6 is 10: the size of the sum over the sum of the sizes");
    CHECK_THAT(defect_of(rhs), WithinAbs(0.4, 1e-15));
    for (double& value : rhs.values) {
        value *= 1e-9;
    }
    INFO("it has no unit: a billion times less of everything is as far off");
    CHECK_THAT(defect_of(rhs), WithinAbs(0.4, 1e-12));
    rhs(2, 0, 0) = 4e-9;
    CHECK_THAT(defect_of(rhs), WithinAbs(0.0, 1e-15));
    for (double& value : rhs.values) {
        value = -0.25;
    }
    INFO("all of one sign: 1");
    CHECK_THAT(defect_of(rhs), WithinAbs(1.0, 1e-15));
    INFO("nothing to solve is compatible: is 0 divided by 0?");
    CHECK(defect_of(Fluid(3, 2, 2).pressure) == 0.0);
}

// ---- Solving at once ---------------------------------------------------------------------------

TEST_CASE("the factors are those of A with 1 more in its first entry", "[13_direct]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const auto factors = factors_of(matrix_of(nx, ny, nz));
        const double least_pivot = factors->ldlt.vectorD().minCoeff();
        if (!(least_pivot > 1e-3)) {
            FAIL_CHECK("box " << words_of(nx, ny, nz) << ": a pivot of A is " << least_pivot
                              << ", which is 0 but for rounding: is 1 added to an entry?");
        }
        Eigen::VectorXd unit = Eigen::VectorXd::Zero(factors->ldlt.rows());
        unit[0] = 1.0;
        const Eigen::VectorXd ones = Eigen::VectorXd::Ones(factors->ldlt.rows());
        INFO("box " << words_of(nx, ny, nz)
                    << ": is the 1 added to the first entry? Then A times a constant of 1 is 1 in "
                       "the first cell and 0 in all others");
        CHECK((Eigen::VectorXd(factors->ldlt.solve(unit)) - ones).cwiseAbs().maxCoeff() < 1e-12);
    }
}

TEST_CASE("the direct solution is exact, with the first cell at 0", "[13_direct]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Field expected = bumpy_pressure(nx, ny, nz, 31);
        expected(0, 0, 0) = 0.0;
        const Eigen::VectorXd product = expected_matrix(expected) * as_vector(expected);
        Field rhs = expected;
        rhs.values.assign(product.begin(), product.end());
        const auto factors = factors_of(matrix_of(nx, ny, nz));
        Field p = bumpy_pressure(nx, ny, nz, 32);
        const Field before = p;
        solve_direct(*factors, p, rhs);
        INFO("box " << words_of(nx, ny, nz)
                    << ": A p is made from p, and solved for p again. The first cell's "
                       "is 0: solve_pressure subtracts the mean, solve_direct does not");
        CHECK(distance(p, before) > 0.1);
        CHECK(distance(p, expected) < 1e-12);
    }
}

TEST_CASE("the pinwheel at once, to the tutorial's last digit", "[13_direct]") {
    const Fluid fluid = projected(carried_pinwheel(), Solver::DIRECT, 0.1);
    check_values(fluid.rhs, {-9.0, 0.0, 9.0, 0.0}, "b");
    check_values(fluid.pressure, {-3.375, -1.125, 3.375, 1.125}, "p");
    check_values(fluid.u, {0, -0.225, 0, 0, 0.225, 0}, "mU");
    check_values(fluid.v, {0, 0, 0.225, -0.225, 0, 0}, "mV");
    check_values(fluid.w, {0, 0, 0, 0, 0, 0, 0, 0}, "mW");
    CHECK(largest_divergence(fluid) < 1e-14);
}

TEST_CASE("the direct solver leaves no divergence, along any axis", "[13_direct]") {
    for (Fluid fluid : {bumpy_fluid(13, 7, 1, 3), bumpy_fluid(5, 4, 9, 4), bumpy_fluid(1, 17, 3, 5),
                        bumpy_fluid(1, 1, 12, 8), bumpy_fluid(40, 64, 1, 6)}) {
        fluid.h = 0.3;
        const double before = largest_divergence(fluid);
        REQUIRE(before > 0.1);
        fluid = projected(fluid, Solver::DIRECT, 0.02);
        INFO("box " << words_of(fluid.nx, fluid.ny, fluid.nz) << ": divergence " << before
                    << " before, " << largest_divergence(fluid) << " after");
        CHECK(largest_divergence(fluid) < 1e-12 * before);
        INFO("two residuals: of p = 0, and of the solution");
        REQUIRE(fluid.residuals.size() == 2);
        CHECK_THAT(fluid.residuals.front(), WithinAbs(1.0, 1e-12));
        CHECK(fluid.residuals.back() < 1e-12);
    }
}

TEST_CASE("a closed box's right-hand side has a solution, and another is reported", "[13_direct]") {
    for (const Solver solver : {Solver::DIRECT, Solver::GAUSS_SEIDEL}) {
        Fluid fluid = bumpy_fluid(6, 5, 3, 23);
        fluid.solver = solver;
        fluid.iterations = 5000;
        write_equations_down(fluid);
        right_hand_side(fluid, 0.1);
        const Field good = fluid.rhs;
        solve_pressure(fluid);
        CHECK(fluid.compatibility_defect < 1e-13);
        const Field pressure = fluid.pressure;
        INFO("is there a pressure at all?");
        REQUIRE(largest(pressure) > 0.1);
        fluid.rhs = good;
        for (double& value : fluid.rhs.values) {
            value += 0.5;  // as if every cell were filled from outside
        }
        solve_pressure(fluid);
        INFO("nothing can flow out of a closed box: its right-hand side adds up to 0");
        CHECK(fluid.compatibility_defect > 0.01);
        INFO("and what can be solved is: the mean is left out");
        CHECK(distance(fluid.pressure, pressure) < 1e-8);
    }
}

TEST_CASE("sweeps come to the same pressure in the end", "[13_direct]") {
    for (const Fluid& before :
         {bumpy_fluid(8, 5, 1, 17), bumpy_fluid(4, 3, 6, 18), bumpy_fluid(1, 9, 2, 19)}) {
        const Fluid direct = projected(before, Solver::DIRECT, 0.1);
        const Fluid relaxed = projected(before, Solver::GAUSS_SEIDEL, 0.1);
        INFO("box " << words_of(before.nx, before.ny, before.nz));
        REQUIRE(largest(direct.pressure) > 0.1);
        CHECK(distance(direct.pressure, relaxed.pressure) < 1e-9);
        CHECK(distance(direct.u, relaxed.u) < 1e-10);
        CHECK(distance(direct.v, relaxed.v) < 1e-10);
        CHECK(distance(direct.w, relaxed.w) < 1e-10);
        INFO("the mean of the pressure is 0");
        CHECK_THAT(as_vector(direct.pressure).mean(), WithinAbs(0.0, 1e-13));
    }
}

TEST_CASE("A is factorized once, and its factors are kept as long as it is the same",
          "[13_direct]") {
    Fluid fluid = bumpy_fluid(8, 6, 2, 53);
    fluid.solver = Solver::DIRECT;
    project(fluid, 0.1);
    const Factors* const first = fluid.factors.get();
    REQUIRE(first != nullptr);
    INFO("do they say which matrix they are the factors of?");
    CHECK(first->A == fluid.matrix);
    Fluid copy = fluid;
    step(fluid, 0.1);
    step(copy, 0.1);
    INFO("are the factors kept? A has not changed");
    CHECK(fluid.factors.get() == first);
    CHECK(copy.factors.get() == first);
    CHECK(distance(copy.density, fluid.density) == 0.0);
}

TEST_CASE("where A is another one, the factors are made anew", "[13_direct]") {
    Fluid fluid = bumpy_fluid(5, 4, 2, 57);
    fluid.solver = Solver::DIRECT;
    project(fluid, 0.1);
    const Field before = fluid.pressure;
    REQUIRE(largest(before) > 0.1);
    fluid.matrix = bumpy_matrix(5, 4, 2);
    solve_pressure(fluid);
    INFO("the weights have changed: are these the factors of the old A?");
    CHECK(fluid.residuals.back() < 1e-12);
    CHECK(distance(fluid.pressure, before) > 0.1);
}

TEST_CASE("mirrored along any axis, the direct solution is mirrored", "[13_direct]") {
    Fluid before = bumpy_fluid(7, 5, 3, 43);
    before.solver = Solver::DIRECT;
    Fluid straight = before;
    step(straight, 0.3);
    REQUIRE(largest(straight.pressure) > 0.1);
    for (const int axis : {0, 1, 2}) {
        Fluid turned = mirrored(before, axis);
        step(turned, 0.3);
        const Fluid back = mirrored(turned, axis);
        INFO("axis " << axis << ": the direct solver favours no side, as sweeps do");
        CHECK(distance(back.pressure, straight.pressure) < 1e-12);
        CHECK(distance(back.u, straight.u) < 1e-12);
        CHECK(distance(back.v, straight.v) < 1e-12);
        CHECK(distance(back.w, straight.w) < 1e-12);
        CHECK(distance(back.density, straight.density) < 1e-12);
    }
}

TEST_CASE("where nothing flows together, the direct solver returns 0", "[13_direct]") {
    Fluid fluid = projected(bumpy_fluid(5, 4, 2, 47), Solver::DIRECT, 0.1);
    INFO("first the pressure of a push");
    REQUIRE(largest(fluid.pressure) > 0.1);
    std::fill(fluid.rhs.values.begin(), fluid.rhs.values.end(), 0.0);
    solve_pressure(fluid);
    CHECK(largest(fluid.pressure) == 0.0);
    CHECK(fluid.residuals.back() == 0.0);
    INFO("a single cell has nobody to push against");
    Fluid one(1, 1, 1);
    one.solver = Solver::DIRECT;
    one.force_z = 5.0;
    step(one, 0.1);
    REQUIRE(one.factors != nullptr);
    CHECK(largest(one.pressure) == 0.0);
    CHECK(largest(one.w) == 0.0);
}
