// Apart from the others, to be compiled beside them: it takes as long as all of them.
#include <Eigen/Eigenvalues>
#include <stdexcept>

#include "algebra.hpp"

Eigen::VectorXcd algebra::complex_eigenvalues(const Eigen::MatrixXd& matrix) {
    if (matrix.rows() != matrix.cols()) {
        throw std::invalid_argument("the matrix is not square");
    }
    return Eigen::EigenSolver<Eigen::MatrixXd>(matrix, false).eigenvalues();
}
