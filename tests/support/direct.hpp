// The equations that lin_solve relaxes, as one sparse matrix, solved at once by Eigen: the truth
// that the sweeps are measured against. In double precision.
#pragma once

#include <vector>

#include "common/algebra/algebra.hpp"

/// What stands in a wall cell: `wall` times the fluid cell that it touches. 0 in an open wall, 1 in
/// one that copies, -1 in one that mirrors.
struct Walls {
    double left_right = 0.0;
    double up_down = 0.0;
};

/// The matrix with c on the diagonal and -a between neighbours. A wall cell is not an unknown: it
/// moves over to the diagonal of the cell that it copies.
inline Eigen::SparseMatrix<double> matrix(int N, double a, double c, Walls walls) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto row = [&](int i, int j) { return (i - 1) + N * (j - 1); };
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            double diagonal = c;
            const int neighbours[4][2] = {{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}};
            for (const auto& [ni, nj] : neighbours) {
                if (ni < 1 || ni > N) {
                    diagonal -= a * walls.left_right;
                } else if (nj < 1 || nj > N) {
                    diagonal -= a * walls.up_down;
                } else {
                    entries.emplace_back(row(i, j), row(ni, nj), -a);
                }
            }
            entries.emplace_back(row(i, j), row(i, j), diagonal);
        }
    }
    Eigen::SparseMatrix<double> result(N * N, N * N);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

template <class Field>
Eigen::VectorXd as_vector(const Field& field) {
    Eigen::VectorXd vector(field.N * field.N);
    for (int j = 1; j <= field.N; ++j) {
        for (int i = 1; i <= field.N; ++i) {
            vector[(i - 1) + field.N * (j - 1)] = field(i, j);
        }
    }
    return vector;
}

/// The exact solution of matrix * x = x0.
template <class Field>
Eigen::VectorXd solve(const Eigen::SparseMatrix<double>& matrix, const Field& x0) {
    return algebra::solve(matrix, as_vector(x0));
}

/// The largest difference of a field and a vector of its fluid cells.
template <class Field>
double distance(const Field& field, const Eigen::VectorXd& vector) {
    return (as_vector(field) - vector).cwiseAbs().maxCoeff();
}
