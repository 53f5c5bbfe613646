// A cube of the chapter under test, and lin_solve's equations in it as one sparse matrix, solved at
// once by Eigen: the truth that the sweeps are measured against. For 21_3d, 22_cells and 23_cuda.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "chapter.hpp"
#include "common/algebra/algebra.hpp"
#include "larger.hpp"

using Place = std::array<int, 3>;

inline constexpr BoundaryType all_types[] = {
    BoundaryType::SCALAR, BoundaryType::VELOCITY_HORIZONTAL, BoundaryType::VELOCITY_VERTICAL,
    BoundaryType::VELOCITY_DEPTH};

/// What the walls left and right, above and below, in front and behind multiply by.
inline std::array<float, 3> signs_of(BoundaryType boundary) {
    return {boundary == BoundaryType::VELOCITY_HORIZONTAL ? -1.0f : 1.0f,
            boundary == BoundaryType::VELOCITY_VERTICAL ? -1.0f : 1.0f,
            boundary == BoundaryType::VELOCITY_DEPTH ? -1.0f : 1.0f};
}

inline std::string name_of(BoundaryType boundary) {
    return boundary == BoundaryType::SCALAR                ? "a scalar"
           : boundary == BoundaryType::VELOCITY_HORIZONTAL ? "u"
           : boundary == BoundaryType::VELOCITY_VERTICAL   ? "v"
                                                           : "w";
}

inline std::string cell_name(int i, int j, int k) {
    return "cell (" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k) + ")";
}

/// Calls `visit(i, j, k)` for each fluid cell.
template <class Visit>
void for_fluid(int N, const Visit& visit) {
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                visit(i, j, k);
            }
        }
    }
}

inline double total(const Field& field) {
    double sum = 0.0;
    for_fluid(field.N, [&](int i, int j, int k) { sum += field(i, j, k); });
    return sum;
}

/// The largest difference of two fields in a fluid cell.
inline double distance(const Field& a, const Field& b) {
    double largest = 0.0;
    for_fluid(a.N, [&](int i, int j, int k) {
        largest = larger(largest, std::abs(double{a(i, j, k)} - double{b(i, j, k)}));
    });
    return largest;
}

inline double largest(const Field& field) {
    return distance(field, Field(field.N));
}

inline Field constant(int N, float value) {
    Field field(N);
    for (float& cell : field.cells) {
        cell = value;
    }
    return field;
}

inline int row_of(int N, int i, int j, int k) {
    return (i - 1) + (N - 2) * ((j - 1) + (N - 2) * (k - 1));
}

/// The matrix with c on the diagonal and -a between neighbours. A wall cell is not an unknown: it
/// moves over to the diagonal of the cell that it copies.
inline Eigen::SparseMatrix<double> matrix(int N, double a, double c, BoundaryType boundary) {
    const auto signs = signs_of(boundary);
    std::vector<Eigen::Triplet<double>> entries;
    for_fluid(N, [&](int i, int j, int k) {
        double diagonal = c;
        for (int axis = 0; axis < 3; ++axis) {
            for (const int side : {-1, 1}) {
                Place at = {i, j, k};
                at[axis] += side;
                if (at[axis] < 1 || at[axis] > N - 2) {
                    diagonal -= a * signs[axis];
                } else {
                    entries.emplace_back(row_of(N, i, j, k), row_of(N, at[0], at[1], at[2]), -a);
                }
            }
        }
        entries.emplace_back(row_of(N, i, j, k), row_of(N, i, j, k), diagonal);
    });
    const int rows = (N - 2) * (N - 2) * (N - 2);
    Eigen::SparseMatrix<double> result(rows, rows);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

inline Eigen::VectorXd as_vector(const Field& field) {
    const int N = field.N;
    Eigen::VectorXd vector((N - 2) * (N - 2) * (N - 2));
    for_fluid(N, [&](int i, int j, int k) { vector[row_of(N, i, j, k)] = double{field(i, j, k)}; });
    return vector;
}

inline Eigen::VectorXd solve(const Eigen::SparseMatrix<double>& matrix, const Field& x0) {
    return algebra::solve(matrix, as_vector(x0));
}

inline double distance(const Field& field, const Eigen::VectorXd& vector) {
    return (as_vector(field) - vector).cwiseAbs().maxCoeff();
}
