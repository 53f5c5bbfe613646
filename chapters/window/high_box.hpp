// A higher picture than others have, for boxes that are high.
#pragma once

#include <algorithm>

#include "window/window.hpp"

/// Gives high boxes a picture up to 780 pixels high, in which a cell is a whole number of pixels.
template <class Fluid>
void heighten_high_boxes(Window<Fluid>& window) {
    window.box.size = [&window](workbook::Size natural) -> workbook::Size {
        const Fluid& fluid = window.fluid;
        const bool is_high = fluid.ny > fluid.nx && fluid.ny >= 100 && !window.box.other;
        const int text = natural.height - natural.width;
        if (!is_high || text <= 0) {
            return natural;
        }
        const int cell = std::max(1, 780 / fluid.ny);
        return {natural.width, cell * fluid.ny + text};
    };
}
