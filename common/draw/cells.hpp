// A grid of cells in a picture: where they lie, their colours, and their arrows. It knows nothing
// of what the cells hold.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "common/draw/picture.hpp"

namespace workbook {

/// A place on a grid: 0 is its left or upper edge, 1 the right or lower one, walls left out.
struct Place {
    float x, y;
};

/// A cell's column and row.
struct GridCell {
    int i, j;
};

/// Where the grid, or the slice of it that is shown, lies in a picture. Cells are `cell` pixels
/// wide, those of the walls too.
struct View {
    float left, top;  ///< the upper left corner of cell (0, 0)
    float cell;
    int columns, rows;  ///< walls included
    bool walls;  ///< whether the outermost cells are walls

    /// The centre of column i, of row j. Whole numbers are cell centres.
    float x(float i) const { return left + (i + 0.5f) * cell; }
    float y(float j) const { return top + (j + 0.5f) * cell; }
};

/// A number of each cell that the picture can show as colour.
struct ShownField {
    std::string name;
    std::function<float(int i, int j)> value;  ///< in that column and row of the picture
    float full_at = 1.0f;  ///< the value in the brightest colour; 0: the largest in the picture
    bool is_signed = false;
    std::string unit = {};  ///< of the value, for the colour bar; "": it has none
    Palette palette = Palette::cool;  ///< unless it is signed
};

/// Where a grid lies that is drawn as large as the area allows, in its middle.
View view_in(Rectangle area, int columns, int rows, bool walls);

/// Draws each cell in the colour of its value; grid lines too, if the cells are few and
/// large enough.
void draw_cells(Picture& picture, const View& view, const ShownField& field,
                bool walls_have_values = true);

/// Draws an arrow from each cell's centre, or from some where they would cover each other.
/// `scale` is the length for a velocity of 1, in pixels of the tutorial's window, whose fluid is
/// 512 pixels wide.
void draw_arrows(Picture& picture, const View& view,
                 const std::function<std::pair<float, float>(int i, int j)>& velocity, float scale,
                 bool walls_have_values = true);

/// Draws a white frame around a cell, dark inside, so that it can be seen on any colour.
void draw_frame(Picture& picture, const View& view, GridCell cell);

}  // namespace workbook
