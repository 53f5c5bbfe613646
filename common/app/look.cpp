#include "common/app/look.hpp"

#include <cmath>

#include "common/draw/caption.hpp"

namespace workbook {

Size Look::size(const Simulation& simulation, bool still) const {
    if (picture_size) {
        return picture_size(still);
    }
    const Box cells = simulation.cells();
    return natural_size(cells.nx, cells.ny);
}

View Look::view(const Simulation& simulation, Rectangle area) const {
    const Box cells = simulation.cells();
    return view_in(area, cells.nx, cells.ny, simulation.has_walls());
}

bool Look::draws_instead(Picture& picture, Rectangle area, bool still) const {
    if (draw_instead(picture, area)) {
        return true;
    }
    const auto& usual = still && draw_still ? draw_still : draw;
    return usual && usual(picture, area);
}

GridCell Look::cell(float x, float y, float cell_size) const {
    if (cell_from_mouse) {
        return cell_from_mouse(x, y, cell_size);
    }
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

GridCell Look::cell_under(const Simulation& simulation, Rectangle area, float x, float y) const {
    if (cell_at) {
        return cell_at(area, x, y);
    }
    const View seen = view(simulation, area);
    return cell(x - seen.left, y - seen.top, seen.cell);
}

std::optional<Place> Look::place_under(const Simulation& simulation, Rectangle area, float x,
                                       float y) const {
    if (place_at) {
        return place_at(area, x, y);
    }
    const View seen = view(simulation, area);
    const float wall = seen.walls ? seen.cell : 0.0f;
    const int walls = seen.walls ? 2 : 0;
    return Place{(x - seen.left - wall) / (seen.cell * static_cast<float>(seen.columns - walls)),
                 (y - seen.top - wall) / (seen.cell * static_cast<float>(seen.rows - walls))};
}

}  // namespace workbook
