// The worked answers of 12_matrix's exercises.
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// The matrix of a box whose right side is open to the air, where the pressure is 0. A face there
/// has the weight 1, as between two cells. Beyond the box p is 0, so no column is needed.
inline Matrix matrix_with_outlet(const Fluid& fluid) {
    Matrix A = pressure_matrix(fluid);
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            A.x(fluid.nx, j, k) = 1.0;
            A.diagonal(fluid.nx - 1, j, k) += 1.0;
        }
    }
    return A;
}

/// The matrix of a box with a thin wall in it, left of the cells of column i.
inline Matrix matrix_with_wall(const Fluid& fluid, int i) {
    Matrix A = pressure_matrix(fluid);
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            A.x(i, j, k) = 0.0;
            A.diagonal(i - 1, j, k) -= 1.0;
            A.diagonal(i, j, k) -= 1.0;
        }
    }
    return A;
}

namespace {

/// A in full: each column is A times a field that is 1 in one cell.
Eigen::MatrixXd full_matrix(const Matrix& A) {
    const auto n = static_cast<Eigen::Index>(A.diagonal.values.size());
    Eigen::MatrixXd full(n, n);
    for (Eigen::Index column = 0; column < n; ++column) {
        Field x = A.diagonal;
        std::fill(x.values.begin(), x.values.end(), 0.0);
        x.values[column] = 1.0;
        Field product = x;
        multiply(A, x, product);
        full.col(column) = as_vector(product);
    }
    return full;
}

Fluid exactly(Fluid fluid) {
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    return fluid;
}

}  // namespace

TEST_CASE("three cells in a row") {
    const Eigen::MatrixXd A = full_matrix(pressure_matrix(Fluid(3, 1, 1)));
    Eigen::Matrix3d expected;
    expected << 1, -1, 0, -1, 2, -1, 0, -1, 1;
    CHECK((A - expected).cwiseAbs().maxCoeff() == 0.0);
    const Eigen::VectorXd eigenvalues = algebra::eigenvalues(A);
    CHECK_THAT(eigenvalues[0], WithinAbs(0.0, 1e-12));
    CHECK_THAT(eigenvalues[1], WithinAbs(1.0, 1e-12));
    CHECK_THAT(eigenvalues[2], WithinAbs(3.0, 1e-12));
}

TEST_CASE("with one side open the flow leaves there") {
    Fluid fluid = exactly(Fluid(6, 5, 2));
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            fluid.u(0, j, k) = 1.0;  // pressed in through the left side
        }
    }
    fluid.matrix = matrix_with_outlet(fluid);
    CHECK(algebra::eigenvalues(full_matrix(fluid.matrix))[0] > 0.01);
    right_hand_side(fluid, 0.1);
    fluid.residuals = {1.0};
    lin_solve(fluid);
    subtract_gradient(fluid, 0.1);
    CHECK(largest_divergence(fluid) < 1e-10);
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            INFO("through the right side flows what came in");
            CHECK_THAT(fluid.u(6, j, k), WithinAbs(1.0, 1e-10));
        }
    }
}

TEST_CASE("with a thin wall nothing is pushed through it") {
    Fluid fluid = exactly(bumpy_fluid(6, 5, 2, 3));
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            fluid.u(2, j, k) = 0.0;
        }
    }
    fluid.matrix = matrix_with_wall(fluid, 2);
    const Eigen::VectorXd eigenvalues = algebra::eigenvalues(full_matrix(fluid.matrix));
    INFO("two boxes, and each may have its own constant");
    CHECK(std::abs(eigenvalues[0]) < 1e-12);
    CHECK(std::abs(eigenvalues[1]) < 1e-12);
    CHECK(eigenvalues[2] > 0.1);
    right_hand_side(fluid, 0.1);
    solve_pressure(fluid);
    subtract_gradient(fluid, 0.1);
    CHECK(largest_divergence(fluid) < 1e-9);
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            CHECK(fluid.u(2, j, k) == 0.0);
        }
    }
}
