#pragma once

#include "common/app/look.hpp"
#include "common/app/simulation.hpp"

namespace workbook {

/// Draws with a brush as wide as a cell of the tutorial's 16 x 16 grid (at least one cell), from
/// one place to another: with the left button dye and velocity, else velocity only. Each cell that
/// the brush meets gets the whole stroke, once. The chapter may take the drag for something else.
void draw_with_brush(const Simulation& simulation, const Look& look, Place from, Place to,
                     bool dye);

}  // namespace workbook
