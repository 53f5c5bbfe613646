// What a chapter's assemble_matrix and factorize make of Eigen's templates, see algebra.hpp.
#include "common/algebra/algebra.hpp"

#if EIGEN_WORLD_VERSION == 3
template class Eigen::SparseMatrix<double>;
template void Eigen::SparseMatrix<double>::setFromTriplets(
    const std::vector<Eigen::Triplet<double>>::iterator&,
    const std::vector<Eigen::Triplet<double>>::iterator&);
template class Eigen::SimplicialCholeskyBase<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>>;
template class Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;
#endif
