#include "common/algebra/algebra.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <stdexcept>

namespace algebra {

namespace {

template <class Matrix>
void must_be_square(const Matrix& matrix) {
    if (matrix.rows() != matrix.cols()) {
        throw std::invalid_argument("the matrix is not square");
    }
}

template <class Matrix>
void must_fit(const Matrix& matrix, const Eigen::VectorXd& rhs) {
    must_be_square(matrix);
    if (matrix.rows() != rhs.size()) {
        throw std::invalid_argument("the right-hand side has not a number for each row");
    }
}

}  // namespace

Eigen::VectorXd solve(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& rhs) {
    must_fit(matrix, rhs);
    return matrix.partialPivLu().solve(rhs);
}

Eigen::VectorXd solve(const Eigen::SparseMatrix<double>& matrix, const Eigen::VectorXd& rhs) {
    must_fit(matrix, rhs);
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
    return factors.solve(rhs);
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix) {
    must_be_square(matrix);
    return matrix.partialPivLu().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.rows()));
}

Eigen::MatrixXd product(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right) {
    if (left.cols() != right.rows()) {
        throw std::invalid_argument(
            "the left matrix has not a column for each row of the right one");
    }
    return left * right;
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric) {
    must_be_square(symmetric);
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
        .eigenvalues();
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right) {
    must_be_square(left);
    if (left.rows() != right.rows() || left.cols() != right.cols()) {
        throw std::invalid_argument("the matrices have different sizes");
    }
    return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(left, right,
                                                                     Eigen::EigenvaluesOnly)
        .eigenvalues();
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& symmetric) {
    must_be_square(symmetric);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(symmetric);
    const double least = 1e-12 * found.eigenvalues().cwiseAbs().maxCoeff();
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(symmetric.rows(), symmetric.rows());
    for (Eigen::Index k = 0; k < symmetric.rows(); ++k) {
        const double eigenvalue = found.eigenvalues()[k];
        const Eigen::VectorXd eigenvector = found.eigenvectors().col(k);
        if (std::abs(eigenvalue) > least) {
            inverse += eigenvector * (eigenvector / eigenvalue).transpose();
        }
    }
    return inverse;
}

}  // namespace algebra
