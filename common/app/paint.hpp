// The picture of a program's present state.
#pragma once

#include "common/draw/cells.hpp"
#include "common/draw/picture.hpp"

namespace workbook {

struct Program;

/// Makes the picture of the program's present state: cells, arrows, the probe, the lines of text,
/// and the panel; in a window the row of scenes, too. --png and --frames write it as a still, which
/// has the panel if --panel asks for it.
Picture paint(const Program& program, int width, int height, bool still = false);

/// How many pages the help has in a picture of that size.
int help_pages(const Program& program, int width, int height);

/// How much taller than its natural size a window must be, so that its lines of text have room even
/// if all numbers are long.
int more_text_room(const Program& program, Size fluid);

/// Where the program's grid lies in a picture of that size without a panel.
View view_of(const Program& program, int width, int height);

}  // namespace workbook
