// The matrix A of a fluid's pressure as a picture, and the key that shows it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/draw/spy.hpp"
#include "window/window.hpp"

/// The entries of A that are not 0, row by row: the diagonal of a point that has an equation, and
/// minus the weights between it and its neighbours.
template <class Matrix>
std::vector<workbook::MatrixEntry> entries_of(const Matrix& A) {
    std::vector<workbook::MatrixEntry> entries;
    const auto& numbers = A.diagonal;  // of the points
    for_each_point(numbers, [&](int i, int j, int k) {
        if (!A.has(i, j, k)) {
            return;
        }
        const int row = numbers.IX(i, j, k);
        entries.push_back({row, row, A.diagonal(i, j, k)});
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            const double weight = A.weight(side, i, j, k);
            if (weight != 0.0 && A.has(i + di, j + dj, k + dk)) {
                entries.push_back({row, numbers.IX(i + di, j + dj, k + dk), -weight});
            }
        }
    });
    return entries;
}

/// Draws a matrix as a spy plot: one square for each entry, in the colour of its value.
inline void draw_entries(workbook::Picture& picture, workbook::Rectangle area, int rows,
                         const std::vector<workbook::MatrixEntry>& entries,
                         const std::string& name) {
    workbook::draw_spy(picture, area, rows, entries, 3.0,
                       name + ": " + std::to_string(rows) + " rows and columns, " +
                           std::to_string(entries.size()) + " entries");
}

/// Adds the key M, which shows the matrix of the box instead of the fluid's cells.
template <class Fluid>
void show_matrix(Window<Fluid>& window) {
    const auto shows = std::make_shared<bool>(false);
    window.add_key('m', "the matrix A", [shows] { *shows = !*shows; });
    window.draws.add([&window, shows](workbook::Picture& picture, workbook::Rectangle area) {
        if (*shows) {
            const auto A = pressure_matrix(window.fluid);
            draw_entries(picture, area, static_cast<int>(A.diagonal.values.size()), entries_of(A),
                         "A");
        }
        return *shows;
    });
}
