// The residuals of the pressure: the last one as a number, and all as a curve.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/draw/cells.hpp"
#include "common/draw/faces.hpp"
#include "common/draw/plot.hpp"
#include "common/draw/words.hpp"
#include "window/window.hpp"

/// Draws them in the lower right corner of the grid, under the name of the solver.
inline void draw_residuals(workbook::Picture& picture, const workbook::View& view,
                           const std::vector<double>& residuals, const std::string& solver) {
    if (residuals.size() > 1) {
        const float right = view.left + view.cell * static_cast<float>(view.columns);
        const float bottom = view.top + view.cell * static_cast<float>(view.rows);
        workbook::draw_plot(picture, static_cast<int>(right) - picture.scaled(290),
                            static_cast<int>(bottom) - picture.scaled(200), picture.scaled(280),
                            picture.scaled(190), {residuals.begin(), residuals.end()},
                            solver + ": " + workbook::short_number(residuals.back()) + " after " +
                                std::to_string(residuals.size() - 1));
    }
}

/// Adds the last residual to what the line of text says.
template <class Fluid>
void add_residual(Window<Fluid>& window) {
    window.add({"residual", [&window] {
                    const std::vector<double>& residuals = window.shown().residuals;
                    return residuals.empty() ? 0.0 : residuals.back();
                }});
}

/// Adds a readout that speaks up where a solver has stopped above the tolerance although it was
/// allowed more iterations, since the residual cannot get smaller. Its value is the tolerance.
template <class Fluid>
void tell_out_of_reach(Window<Fluid>& window) {
    window.add({"tolerance out of reach:", [&window] { return window.shown().tolerance; }, true,
                [&window] {
                    const Fluid& fluid = window.shown();
                    return !fluid.residuals.empty() && fluid.residuals.back() > fluid.tolerance &&
                           static_cast<int>(fluid.residuals.size()) <= fluid.iterations;
                }});
}

/// Adds a key that shows the curve.
template <class Fluid>
void show_residuals(Window<Fluid>& window) {
    const auto shows = std::make_shared<bool>(false);
    window.add_key('g', "the residuals of the last solution", [shows] { *shows = !*shows; });
    window.draw_over.add([&window, shows](workbook::Picture& picture, const workbook::View& view) {
        if (*shows) {
            draw_residuals(picture, view, window.shown().residuals, window.chosen("solver"));
        }
    });
}
