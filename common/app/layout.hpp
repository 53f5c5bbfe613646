// How a picture is shared between the fluid, the scenes above it, the text below it, and the panel
// of parameters.
#pragma once

#include <vector>

#include "common/app/scene_row.hpp"
#include "common/draw/picture.hpp"

namespace workbook {

struct Program;

/// The fluid is on the left, and the panel of parameters on the right.
struct Layout {
    Size fluid;  ///< with the scenes above it and the text below it
    Rectangle panel;  ///< empty: there is none
    int panel_letters;  ///< their size
    std::vector<SceneButton> scenes = {};  ///< empty: there is no row of them
    int scene_letters = 1;
};

/// The layout of a window of that size. It has no panel where that leaves the fluid too little
/// room, or where the program has no parameters; and no row of scenes where that would be high.
Layout layout_of(const Program& program, int width, int height);

/// The layout of a picture in a file: it has no panel, unless --panel asks for it.
Layout layout_of_still(const Program& program, int width, int height);

/// What the fluid has, between the scenes and the text, if this needs no more than `least_text`
/// pixels.
Rectangle area_of(const Layout& layout, int least_text);

/// What the fluid has of the window.
Rectangle area_of_window(const Program& program);

/// The size of a window that leaves the fluid that size beside its panel.
Size with_panel(const Program& program, Size fluid);

/// The size of what stands beside the panel if the fluid and its text have that size.
Size with_scenes(const Program& program, Size fluid);

}  // namespace workbook
