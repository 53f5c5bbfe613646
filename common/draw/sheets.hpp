// A cube drawn as half-transparent sheets, with its edges and a slice's outline.
#pragma once

#include <functional>

#include "common/draw/camera.hpp"

namespace workbook {

/// What a cell of a volume looks like.
struct Glow {
    Colour colour;
    float opacity;  ///< of one layer of cells, from 0 to 1
};

/// Draws a cube of n x n x n cells as n half-transparent sheets, from the farthest to the nearest.
void draw_sheets(Picture& picture, const CubeView& view, int n,
                 const std::function<Glow(int i, int j, int k)>& glow);

/// Draws the edges of the cube that lie behind its contents, or those in front of it, and at the
/// corner (0, 0, 0) the letters of the axes.
void draw_cube_edges(Picture& picture, const CubeView& view, bool in_front, Colour colour);

/// Draws the outline of the slice where coordinate `axis` is `at`.
void draw_slice_outline(Picture& picture, const CubeView& view, int axis, float at, Colour colour);

}  // namespace workbook
