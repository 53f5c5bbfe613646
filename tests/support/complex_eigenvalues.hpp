// The eigenvalues of matrices that need not be symmetric, compiled once for all tests.
#pragma once

#include "common/algebra/algebra.hpp"

namespace algebra {

/// The eigenvalues of any square matrix, in no order. Throws std::invalid_argument if it is not
/// square.
Eigen::VectorXcd complex_eigenvalues(const Eigen::MatrixXd& matrix);

}  // namespace algebra
