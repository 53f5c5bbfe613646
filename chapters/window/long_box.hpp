// A wider picture than others have, for boxes that are long.
#pragma once

#include <algorithm>

#include "window/window.hpp"

/// Gives long boxes a picture up to 1056 pixels wide. Very long ones get so many pixels more above
/// and below the grid, for drawings.
template <class Fluid>
void widen_long_boxes(Window<Fluid>& window, int room = 0) {
    window.box.size = [&window, room](workbook::Size natural) -> workbook::Size {
        const Fluid& fluid = window.fluid;
        const int columns = fluid.nx * (window.box.other ? 2 : 1);
        if (columns < 150 || columns < 2 * fluid.ny) {
            return natural;
        }
        const int cell = std::max(1, 1056 / columns);
        const int grid = std::max(natural.width / 2, natural.width * fluid.ny / columns);
        const int text = natural.height - grid;
        const int more = fluid.ny < columns / 4 ? 2 * room : 0;
        return {std::min(1056, cell * columns),
                std::max(natural.height, cell * fluid.ny + text + more)};
    };
}
