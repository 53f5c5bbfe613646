// The residuals of a solution as a curve, for the windows of this chapter and of those that follow.
#pragma once

#include <string>
#include <vector>

#include "common/draw/cells.hpp"
#include "common/draw/faces.hpp"
#include "common/draw/plot.hpp"
#include "common/draw/words.hpp"

/// Draws them in the lower right corner of the grid, under the name of the solver.
inline void draw_residuals(workbook::Picture& picture, const workbook::View& view,
                           const std::vector<double>& residuals, const std::string& solver) {
    if (residuals.size() > 1) {
        const float right = view.left + view.cell * static_cast<float>(view.columns);
        const float bottom = view.top + view.cell * static_cast<float>(view.rows);
        workbook::draw_plot(picture, static_cast<int>(right) - 290, static_cast<int>(bottom) - 200,
                            280, 190, {residuals.begin(), residuals.end()},
                            solver + ": " + workbook::short_number(residuals.back()) + " after " +
                                std::to_string(residuals.size() - 1));
    }
}
