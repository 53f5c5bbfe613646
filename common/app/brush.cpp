#include "common/app/brush.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace workbook {

void draw_with_brush(const Simulation& simulation, const Look& look, Place from, Place to,
                     bool dye) {
    if (simulation.drag(from, to, dye)) {
        return;
    }
    const Box cells = simulation.cells();
    const int walls = simulation.has_walls() ? 2 : 0;
    const float wall = simulation.has_walls() ? 1.0f : 0.0f;
    const float across = static_cast<float>(cells.nx - walls);
    const float down = static_cast<float>(cells.ny - walls);
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const int brush = std::max(1, std::min(cells.nx - walls, cells.ny - walls) / 16);
    const float dots = std::ceil(std::max(std::abs(dx) * across, std::abs(dy) * down) / 0.5f /
                                 static_cast<float>(brush));
    const int places = static_cast<int>(std::clamp(dots, 1.0f, 1e4f));
    const bool is_click = from.x == to.x && from.y == to.y;
    std::set<std::pair<int, int>> met;
    for (int k = is_click ? places : 0; k <= places; ++k) {
        const float t = static_cast<float>(k) / static_cast<float>(places);
        // The chapter says which cell lies where; here a cell is one unit wide.
        const float half = 0.5f * static_cast<float>(brush - 1);
        const GridCell corner = look.cell(wall + (from.x + t * dx) * across - half,
                                          wall + (from.y + t * dy) * down - half, 1.0f);
        for (int j = corner.j; j < corner.j + brush; ++j) {
            for (int i = corner.i; i < corner.i + brush; ++i) {
                met.insert({j, i});
            }
        }
    }
    const float longest = std::max(across, down);
    for (const auto& [j, i] : met) {
        simulation.stroke(
            {i, j, 512.0f * dx * (across / longest), 512.0f * dy * (down / longest), dye});
    }
}

}  // namespace workbook
