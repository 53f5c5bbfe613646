// How a picture is shared between the fluid, its text, and the panel of parameters.
#pragma once

#include "common/draw/picture.hpp"

namespace workbook {

struct Program;

/// The fluid is on the left, and the panel of parameters on the right.
struct Layout {
    Size fluid;  ///< with the text below it
    Rectangle panel;  ///< empty: there is none
    int panel_letters;  ///< their size
};

/// The layout of a window of that size. It has no panel where that leaves the fluid too little
/// room, or where the program has no parameters.
Layout layout_of(const Program& program, int width, int height);

/// The layout of a picture in a file: it has no panel, unless --panel asks for it.
Layout layout_of_still(const Program& program, int width, int height);

/// What the fluid has of the window, above the text.
Rectangle area_of_window(const Program& program);

/// The size of a window that leaves the fluid that size beside its panel.
Size with_panel(const Program& program, Size fluid);

}  // namespace workbook
