// The grids of multigrid's hierarchy, for the windows of this chapter and of those that follow.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "11_mac/measures.hpp"
#include "12_matrix/direct.hpp"
#include "common/app/program.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/faces.hpp"

/// Why multigrid will not do for a box, or "": it solves the coarsest grid's equations at once.
inline std::string why_not_multigrid(workbook::Box box) {
    const auto halves = [](int n) { return n == 1 || n % 2 == 0; };
    while (std::max({box.nx, box.ny, box.nz}) > 1 && halves(box.nx) && halves(box.ny) &&
           halves(box.nz)) {
        box = {(box.nx + 1) / 2, (box.ny + 1) / 2, (box.nz + 1) / 2};
    }
    return why_not_direct(box).empty()
               ? ""
               : "multigrid halves the sides until one is odd, and here " + std::to_string(box.nx) +
                     " x " + std::to_string(box.ny) + " x " + std::to_string(box.nz) +
                     " cells remain; choose another --solver";
}

/// Draws what each grid has found in the last cycle, its middle layer, in colours of its own: the
/// pressure on the finest grid, a correction on all others.
template <class Multigrid>
void draw_grids(workbook::Picture& picture, workbook::Rectangle area, const Multigrid& multigrid) {
    const int count = static_cast<int>(multigrid.levels.size());
    if (count == 0) {
        picture.text(area.x + 8, area.y + 8, "no grids yet: --solver multigrid, and a step",
                     workbook::number_colour, 2);
        return;
    }
    const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
    const int rows = (count + columns - 1) / columns;
    const int width = area.width / columns;
    const int height = area.height / rows;
    for (int l = 0; l < count; ++l) {
        const auto& p = multigrid.levels[l].p;
        const double mean = total(p) / static_cast<double>(p.values.size());
        const auto value = [&p, mean](int i, int j) {
            return static_cast<float>(p(i, j, p.nz / 2) - mean);
        };
        const int x = area.x + l % columns * width;
        const int y = area.y + l / columns * height;
        draw_cells(picture,
                   workbook::view_in({x + 4, y + 24, width - 8, height - 28}, p.nx, p.ny, false),
                   {"p", value, 0.0f, true});
        picture.text(x + 6, y + 6,
                     std::to_string(p.nx) + " x " + std::to_string(p.ny) +
                         (p.nz > 1 ? " x " + std::to_string(p.nz) : "") +
                         (l == 0 ? ", the pressure" : ", a correction"),
                     workbook::number_colour, 1);
    }
}

/// Adds the key L, which shows the grids of `fluid` instead of its cells. The program's `draw` must
/// be there already.
template <class Fluid>
void add_grids(workbook::Program& program, const Fluid& fluid) {
    const auto shows_grids = std::make_shared<bool>(false);
    program.description.keys.push_back({'l', "the grids of the hierarchy, from fine to coarse",
                                        [shows_grids] { *shows_grids = !*shows_grids; }});
    program.look.draw = [shows_grids, &fluid, draw_else = std::move(program.look.draw)](
                            workbook::Picture& picture, workbook::Rectangle area) {
        if (*shows_grids) {
            draw_grids(picture, area, fluid.multigrid);
            return true;
        }
        return draw_else(picture, area);
    };
}
