// The matrix A of a fluid's pressure as a picture.
#pragma once

#include <string>
#include <vector>

#include "common/draw/spy.hpp"

/// The matrix A of the box as a spy plot: one square for each entry.
template <class Fluid>
void draw_matrix(workbook::Picture& picture, const Fluid& fluid, workbook::Rectangle area) {
    const auto entries = workbook::entries_of(assemble_matrix(fluid.pressure));
    const int rows = static_cast<int>(fluid.pressure.values.size());
    workbook::draw_spy(picture, area, rows, entries, 3.0,
                       "A: " + std::to_string(rows) + " rows and columns, " +
                           std::to_string(entries.size()) + " entries");
}
