// How a chapter's fluid looks, and what lies under the mouse. A square needs none of these
// functions but the arrows; box.hpp and cube.hpp have the look of a box and of a cube.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "common/app/occasions.hpp"
#include "common/app/simulation.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/picture.hpp"

namespace workbook {

/// Cells in the colour of a field, and arrows; and where that is not enough, the chapter's own
/// drawing. An area is what lies between the row of scenes and the lines of text.
struct Look {
    // Of cells and arrows.
    std::function<std::pair<float, float>(int i, int j)> velocity;  ///< for the arrows
    const float* arrow_scale = nullptr;  ///< pixels of the tutorial's window for a velocity of 1
    bool begins_with_arrows = true;  ///< else they come with the key V
    bool walls_have_values = false;
    std::function<void(Picture&, const View&, GridCell)> draw_probe;  ///< beside the hovered cell
    Actions<Picture&, const View&> draw_over;  ///< to which anybody adds

    // In place of cells and arrows. Each function may say false: not now.
    Takers<Picture&, Rectangle> draw_instead;  ///< to which anybody adds; asked before `draw`
    std::function<bool(Picture&, Rectangle area)> draw;
    std::function<bool(Picture&, Rectangle area)> draw_still;  ///< as `draw`, for pictures in files

    std::function<Size(bool still)> picture_size;  ///< of a file's picture, or of a new window

    // What is under the mouse.
    std::function<GridCell(float x, float y, float cell_size)> cell_from_mouse;
    std::function<std::optional<Place>(Rectangle area, float x, float y)> place_at;  ///< of a pixel
    std::function<GridCell(Rectangle area, float x, float y)> cell_at;  ///< likewise
    std::function<int(int i, int j)> index;  ///< where a cell lies in its array
    std::function<std::string(int i, int j)> describe;  ///< the line of text on a hovered cell

    // What else the mouse does.
    /// What a drag does now where the chapter takes it for something else, `true` for that with the
    /// left button; "": it draws. To these anybody adds.
    Reasons<bool> drag_meaning;
    std::function<void(int steps)> wheel;  ///< forward is positive
    std::string wheel_meaning = "nearer or farther";
    std::function<void(float dx, float dy)> turn;  ///< a drag, in pixels, that draws nothing

    /// The size of a picture of that grid, with room for the lines of text.
    Size size(const Simulation& simulation, bool still) const;

    /// Where the grid lies in an area.
    View view(const Simulation& simulation, Rectangle area) const;

    /// Draws what is drawn in place of cells and arrows, and says whether there is anything.
    bool draws_instead(Picture& picture, Rectangle area, bool still) const;

    /// The cell at (x, y), where a cell is `cell_size` wide and cell (0, 0) lies at (0, 0).
    GridCell cell(float x, float y, float cell_size) const;

    /// The cell at a pixel, which may lie beside the grid.
    GridCell cell_under(const Simulation& simulation, Rectangle area, float x, float y) const;

    /// Where a pixel lies on the fluid, if it does.
    std::optional<Place> place_under(const Simulation& simulation, Rectangle area, float x,
                                     float y) const;
};

}  // namespace workbook
