// Linear algebra by Eigen: the truth that solvers are measured against. What Eigen makes of these
// few lines takes a compiler seconds. Hence they are compiled once, for all chapters and their
// tests.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <vector>

namespace algebra {

/// The solution x of matrix * x = rhs, by an LU factorization with pivots. The matrix is square and
/// not singular. Throws std::invalid_argument if the sizes do not fit, as all these functions do.
Eigen::VectorXd solve(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& rhs);

/// The same for a sparse matrix that is symmetric, by an LDLT factorization. No pivot of it is 0.
Eigen::VectorXd solve(const Eigen::SparseMatrix<double>& matrix, const Eigen::VectorXd& rhs);

/// The inverse of a matrix that is square and not singular.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix);

/// A matrix times another.
Eigen::MatrixXd product(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right);

/// The eigenvalues of a symmetric matrix, in ascending order.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

/// The numbers lambda for which  left x = lambda right x  has solutions, in ascending order. Both
/// matrices are symmetric, and all eigenvalues of the right one are positive.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& left, const Eigen::MatrixXd& right);

/// The Moore-Penrose inverse of a symmetric matrix: the inverse where it has one, and 0 for the
/// eigenvectors whose eigenvalues are less than 1e-12 of the largest.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& symmetric);

}  // namespace algebra

// Most of what a chapter's assemble_matrix and factorize make of Eigen's templates, which are in
// factors.cpp. (In Eigen 3, that is: another may have other ones.)
#if EIGEN_WORLD_VERSION == 3
extern template class Eigen::SparseMatrix<double>;
extern template void Eigen::SparseMatrix<double>::setFromTriplets(
    const std::vector<Eigen::Triplet<double>>::iterator&,
    const std::vector<Eigen::Triplet<double>>::iterator&);
extern template class Eigen::SimplicialCholeskyBase<
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>>;
extern template class Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;
#endif
