#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace workbook {

/// Makes the picture of the program's present state: cells, arrows, the probe, the lines of text.
/// The window shows it, --png and --frames write it.
Picture paint(const Program& program, int width, int height);

/// The size of the picture for N x N cells when nothing else asks for one: as in the tutorial, 32
/// pixels to a cell at N = 16, and whole pixels to a cell as long as there are enough.
struct Size {
    int width, height;
};
Size natural_size(int N);

/// Where the grid lies in a picture of that size: the largest square above the text.
View view_of(int N, int width, int height);

/// Draws a curve of positive values against their number, on a logarithmic scale, in a box.
void draw_plot(Picture& picture, int x, int y, int width, int height,
               const std::vector<float>& values, const std::string& title);

/// A number in a few characters, the same on every machine.
std::string short_number(double value);

}  // namespace workbook
