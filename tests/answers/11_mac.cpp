// The worked answers of 11_mac's exercises.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"

/// A for a box whose right side is open to the air: beyond the last column the pressure is known,
/// it is 0. A known pressure is a neighbour that counts, on the diagonal, but has no column.
inline Eigen::SparseMatrix<double> matrix_with_outlet(const Field& solid) {
    Eigen::SparseMatrix<double> matrix = assemble_matrix(solid);
    for (int k = 0; k < solid.nz; ++k) {
        for (int j = 0; j < solid.ny; ++j) {
            if (is_fluid(solid, solid.nx - 1, j, k)) {
                const int row = solid.IX(solid.nx - 1, j, k);
                matrix.coeffRef(row, row) += 1.0;
            }
        }
    }
    return matrix;
}

/// The stream function of a flow in one layer, at the corners of the cells, row after row: it
/// changes downwards by what flows to the right through the face beside, and to the right by what
/// flows up through the face below. It is the same along all walls of the box.
inline std::vector<double> stream_function(const Fluid& fluid) {
    const int columns = fluid.nx + 1;
    std::vector<double> stream(columns * (fluid.ny + 1), 0.0);
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i <= fluid.nx; ++i) {
            stream[i + columns * (j + 1)] = stream[i + columns * j] + fluid.h * fluid.u(i, j, 0);
        }
    }
    return stream;
}

namespace {

Fluid pushed_box(int nx, int ny) {
    Fluid fluid(nx, ny, 1);
    fluid.h = 0.5;
    fluid.u(2, 1, 0) = 1.0;
    fluid.v(1, 3, 0) = -2.0;
    return fluid;
}

}  // namespace

TEST_CASE("three cells in a row") {
    const Eigen::MatrixXd A(assemble_matrix(Fluid(3, 1, 1).solid));
    Eigen::Matrix3d expected;
    expected << 1, -1, 0, -1, 2, -1, 0, -1, 1;
    CHECK((A - expected).cwiseAbs().maxCoeff() == 0.0);
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues();
    CHECK_THAT(eigenvalues[0], WithinAbs(0.0, 1e-12));
    CHECK_THAT(eigenvalues[1], WithinAbs(1.0, 1e-12));
    CHECK_THAT(eigenvalues[2], WithinAbs(3.0, 1e-12));
}

TEST_CASE("with one side open A has an inverse, and the flow leaves there") {
    const Fluid fluid = pushed_box(6, 5);
    const Eigen::SparseMatrix<double> A = matrix_with_outlet(fluid.solid);
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(A)).eigenvalues();
    CHECK(eigenvalues[0] > 0.01);

    // Fluid is pressed in through the left side: no closed box could take it.
    Fluid pressed(6, 5, 1);
    for (int j = 0; j < 5; ++j) {
        pressed.u(0, j, 0) = 1.0;
    }
    Field b = pressed.pressure;
    right_hand_side(pressed, b, 0.1);
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(A);
    const Eigen::VectorXd p = factors.solve(Eigen::VectorXd::Map(b.values.data(), 30));
    for (int j = 0; j < 5; ++j) {
        INFO("through the right side flows what came in: dt / (rho h) times the last pressure");
        CHECK_THAT(0.1 * p[b.IX(5, j, 0)], WithinAbs(1.0, 1e-12));
    }
}

TEST_CASE("a flow without divergence has a stream function") {
    Fluid fluid = pushed_box(6, 5);
    const auto largest_mismatch = [&] {
        const std::vector<double> stream = stream_function(fluid);
        double largest = 0.0;
        for (int j = 0; j <= 5; ++j) {
            for (int i = 0; i < 6; ++i) {
                const double change = stream[i + 1 + 7 * j] - stream[i + 7 * j];
                largest = std::max(largest, std::abs(change + fluid.h * fluid.v(i, j, 0)));
            }
        }
        return largest;
    };
    CHECK(largest_mismatch() > 0.1);
    project(fluid, 0.1);
    CHECK(largest_mismatch() < 1e-12);
}
