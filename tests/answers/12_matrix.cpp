// The worked answers of 12_matrix's exercises.
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// A for a box whose right side is open to the air: beyond the last column the pressure is known,
/// it is 0. A known pressure is a neighbour that counts on the diagonal, but has no column.
inline Eigen::SparseMatrix<double> matrix_with_outlet(const Field& p) {
    Eigen::SparseMatrix<double> matrix = assemble_matrix(p);
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            const int row = p.IX(p.nx - 1, j, k);
            matrix.coeffRef(row, row) += 1.0;
        }
    }
    return matrix;
}

/// How many entries the factor L of a box's matrix has for each one that A has on its diagonal and
/// below: the fill-in.
inline double fill_in(const Field& p) {
    const Eigen::SparseMatrix<double> lower = assemble_matrix(p).triangularView<Eigen::Lower>();
    const Eigen::SparseMatrix<double> factor = factorize(p)->matrixL();
    return static_cast<double>(factor.nonZeros()) / static_cast<double>(lower.nonZeros());
}

TEST_CASE("three cells in a row") {
    const Eigen::MatrixXd A(assemble_matrix(Fluid(3, 1, 1).pressure));
    Eigen::Matrix3d expected;
    expected << 1, -1, 0, -1, 2, -1, 0, -1, 1;
    CHECK((A - expected).cwiseAbs().maxCoeff() == 0.0);
    const Eigen::VectorXd eigenvalues = algebra::eigenvalues(A);
    CHECK_THAT(eigenvalues[0], WithinAbs(0.0, 1e-12));
    CHECK_THAT(eigenvalues[1], WithinAbs(1.0, 1e-12));
    CHECK_THAT(eigenvalues[2], WithinAbs(3.0, 1e-12));
}

TEST_CASE("with one side open A has an inverse, and the flow leaves there") {
    const Eigen::SparseMatrix<double> A = matrix_with_outlet(Fluid(6, 5, 2).pressure);
    const Eigen::VectorXd eigenvalues = algebra::eigenvalues(Eigen::MatrixXd(A));
    CHECK(eigenvalues[0] > 0.01);

    // Fluid is pressed in through the left side: no closed box could take it.
    Fluid pressed(6, 5, 2);
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            pressed.u(0, j, k) = 1.0;
        }
    }
    right_hand_side(pressed, 0.1);
    CHECK_THAT(compatibility_defect(pressed.rhs), WithinAbs(1.0, 1e-12));
    const Factors factors(A);
    const Eigen::VectorXd p = factors.solve(as_vector(pressed.rhs));
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            INFO("through the right side flows what came in: dt / (rho h) times the last pressure");
            CHECK_THAT(0.1 * p[pressed.rhs.IX(5, j, k)], WithinAbs(1.0, 1e-12));
        }
    }
}

TEST_CASE("the factors fill in more and more, and most of all in three dimensions") {
    const double flat = fill_in(Fluid(64, 64, 1).pressure);
    const double finer = fill_in(Fluid(128, 128, 1).pressure);
    const double deep = fill_in(Fluid(16, 16, 16).pressure);
    INFO("64 x 64: " << flat << ", 128 x 128: " << finer << ", 16 x 16 x 16: " << deep);
    CHECK_THAT(flat, WithinAbs(6.1, 0.3));
    CHECK_THAT(finer, WithinAbs(8.2, 0.4));
    CHECK_THAT(deep, WithinAbs(19.1, 1.0));
}
