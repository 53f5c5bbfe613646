// The row of scenes above the fluid: a name for each, to be clicked. It knows nothing of what they
// do.
#pragma once

#include <string>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// A scene's name in the row, and all of the ground that belongs to it.
struct SceneButton {
    std::string name;
    Rectangle place;
};

/// The names side by side in letters of that size, in as many lines as they need in that width.
std::vector<SceneButton> scene_buttons(const std::vector<std::string>& names, int width, int size);

/// How high the row is with these buttons; 0 without any.
int scene_row_height(const std::vector<SceneButton>& buttons);

/// Draws the row over the upper end of a picture, that wide. The scene `present` is marked.
void draw_scene_row(Picture& picture, const std::vector<SceneButton>& buttons,
                    const std::string& present, int width, int size);

}  // namespace workbook
