// What the grids of multigrid have found.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "common/draw/cells.hpp"
#include "common/draw/faces.hpp"
#include "window/measures.hpp"
#include "window/window.hpp"

/// Draws what each grid has found in the last cycle, its middle layer, in colours of its own: the
/// pressure on the finest grid, a correction on all others.
template <class Fluid>
void draw_grids(workbook::Picture& picture, workbook::Rectangle area, const Fluid& fluid) {
    const int count = static_cast<int>(fluid.levels.size());
    if (count == 0) {
        picture.text(area.x + picture.scaled(8), area.y + picture.scaled(8),
                     "no grids yet: --solver multigrid, and a step", workbook::number_colour,
                     picture.letters(2));
        return;
    }
    const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
    const int rows = (count + columns - 1) / columns;
    const int width = area.width / columns;
    const int height = area.height / rows;
    for (int l = 0; l < count; ++l) {
        const auto& p = l == 0 ? fluid.pressure : fluid.levels[l].x;
        const double mean = total(p) / static_cast<double>(p.values.size());
        const auto value = [&p, mean](int i, int j) {
            return static_cast<float>(p(i, j, p.nz / 2) - mean);
        };
        const int x = area.x + l % columns * width;
        const int y = area.y + l / columns * height;
        const int margin = picture.scaled(4);
        const int above = picture.scaled(24);  // for its words
        draw_cells(
            picture,
            workbook::view_in({x + margin, y + above, width - 2 * margin, height - above - margin},
                              p.nx, p.ny, false),
            {"p", value, 0.0f, true});
        picture.text(x + picture.scaled(6), y + picture.scaled(6),
                     std::to_string(p.nx) + " x " + std::to_string(p.ny) +
                         (p.nz > 1 ? " x " + std::to_string(p.nz) : "") +
                         (l == 0 ? ", the pressure" : ", a correction"),
                     workbook::number_colour, picture.letters(1));
    }
}

/// Adds the key L, which shows the grids of multigrid instead of the fluid's cells.
template <class Fluid>
void show_grids(Window<Fluid>& window) {
    const auto shows = std::make_shared<bool>(false);
    window.add_key('l', "the grids of multigrid, from fine to coarse",
                   [shows] { *shows = !*shows; });
    window.draws.add([&window, shows](workbook::Picture& picture, workbook::Rectangle area) {
        if (*shows) {
            draw_grids(picture, area, window.fluid);
        }
        return *shows;
    });
}
