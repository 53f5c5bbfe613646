// The mouse warms and cools: warm smoke where the left button draws, cold smoke where the right one
// does.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "common/app/program.hpp"
#include "window/window.hpp"

/// Warms the cells around a stroke of the left button to `heat`, and cools those around one of the
/// right button to -`heat`.
template <class Fluid>
void warm(Fluid& fluid, const workbook::Stroke& stroke, int layer, double heat) {
    const int radius = fluid.nx / 48;
    for (int j = stroke.j - radius; j <= stroke.j + radius; ++j) {
        for (int i = stroke.i - radius; i <= stroke.i + radius; ++i) {
            const bool is_near = std::hypot(i - stroke.i, j - stroke.j) <= radius;
            if (is_near && fluid.smoke.has(i, j, layer) && !is_solid(fluid, i, j, layer)) {
                double& smoke = fluid.smoke(i, j, layer);
                fluid.temperature(i, j, layer) = stroke.dye ? heat : -heat;
                smoke = std::max(smoke, stroke.dye ? 0.8 : 0.4);
            }
        }
    }
}

/// Adds that the mouse warms and cools, and how much.
template <class Fluid>
void add_warm_strokes(Window<Fluid>& window) {
    const auto heat = std::make_shared<double>(1.0);
    window.add({"mouse_heat", heat.get(), "of the left button", 1e6, -1e6});
    window.on_stroke.add([&window, heat](const workbook::Stroke& stroke) {
        warm(window.fluid, stroke, window.box.layer, *heat);
    });
}
