// What stands below the grid in a picture: a colour bar, and lines of text.
#pragma once

#include <string>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// So many lines have room below the grid in any picture.
inline constexpr int text_lines = 6;

/// A line of text below the grid.
struct TextLine {
    std::string words;
    Colour colour;
};

/// Appends words in as many lines as they need in that width.
void add_wrapped(std::vector<TextLine>& lines, const std::string& words, Colour colour, int width,
                 int size);

/// The size of the letters in a picture of that size.
int letter_size(int width, int height);

/// The size of the picture for so many cells when nothing else asks for one: as in the tutorial, 32
/// pixels to a cell at N = 16, and whole pixels to a cell as long as there are enough.
Size natural_size(int columns, int rows);

/// What a picture of that size has room for above its lines of text, if these need no more than
/// `least_text` pixels. They have room for a few lines anyway.
Rectangle area_above_text(int width, int height, int least_text = 0);

/// Draws the colour bar and the lines of text below an area at the picture's lower end. What does
/// not fit there takes some of the area.
void draw_caption(Picture& picture, Rectangle area, const std::vector<TextLine>& lines, int size);

}  // namespace workbook
