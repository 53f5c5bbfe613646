#include "complex_eigenvalues.hpp"

#include <Eigen/Eigenvalues>
#include <stdexcept>

Eigen::VectorXcd algebra::complex_eigenvalues(const Eigen::MatrixXd& matrix) {
    if (matrix.rows() != matrix.cols()) {
        throw std::invalid_argument("the matrix is not square");
    }
    return Eigen::EigenSolver<Eigen::MatrixXd>(matrix, false).eigenvalues();
}
