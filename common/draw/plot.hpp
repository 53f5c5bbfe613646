#pragma once

#include <string>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// Draws a curve of positive values against their number, on a logarithmic scale, in a box of
/// `width` x `height` pixels. What is in it has the picture's scale.
void draw_plot(Picture& picture, int x, int y, int width, int height,
               const std::vector<float>& values, const std::string& title);

}  // namespace workbook
