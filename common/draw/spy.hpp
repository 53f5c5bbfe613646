#pragma once

#include <string>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// An entry of a sparse matrix.
struct MatrixEntry {
    int row, column;
    double value;
    bool is_marked = false;  ///< drawn in green, whatever its value
};

/// The entries that a sparse matrix of Eigen's stores, column by column.
template <class SparseMatrix>
std::vector<MatrixEntry> entries_of(const SparseMatrix& matrix) {
    std::vector<MatrixEntry> entries;
    for (int column = 0; column < static_cast<int>(matrix.cols()); ++column) {
        for (typename SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
            entries.push_back({static_cast<int>(entry.row()), column, entry.value()});
        }
    }
    return entries;
}

/// Draws a square matrix as a spy plot: one square for each entry that is stored, in the colour of
/// its value over `full_at`, with its number where there is room. `title` stands above it.
void draw_spy(Picture& picture, Rectangle area, int rows, const std::vector<MatrixEntry>& entries,
              double full_at, const std::string& title);

}  // namespace workbook
