// Words that fill a picture, such as the help: in columns, and in pages.
#pragma once

#include <string>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// A number in a few characters, the same on every machine.
std::string short_number(double value);

/// How words fill an area: in columns, and in pages where the area is too small for all of them.
struct WordsLayout {
    int size;  ///< of the letters
    std::vector<std::string> lines;
    int longest;  ///< the widest line, in pixels
    int columns, rows;
    int pages;
};

/// Lays words out in an area: in smaller letters than `size` where they are too many, and then in
/// as many columns as they need and as the area is wide. What is still left waits for the next
/// page; each page but a single one keeps its last line for its number. What takes several lines
/// stands together in one column, unless it is longer than a column.
WordsLayout words_layout(Rectangle area, const std::vector<std::string>& words, int size);

/// Draws one page of words in the middle of an area, on a ground of their own. The first page is 1.
void draw_words(Picture& picture, Rectangle area, const WordsLayout& layout, int page);

}  // namespace workbook
