#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/app/panel.hpp"
#include "common/app/program.hpp"

namespace workbook {

/// How a picture is shared between the fluid, on the left, and the panel of parameters.
struct Layout {
    Size fluid;  ///< with the text below it
    Rectangle panel;  ///< empty: there is none
    int panel_letters;  ///< their size
};

/// The layout of a window of that size. It has no panel where that leaves the fluid too little
/// room, or where the program has no parameters.
Layout layout_of(const Program& program, int width, int height);

/// The size of a window that leaves the fluid that size beside its panel.
Size with_panel(const Program& program, Size fluid);

/// Makes the picture of the program's present state: cells, arrows, the probe, the lines of text,
/// and the panel. The window shows it, and the S key writes it; --png and --frames write it as a
/// still, which has the panel if --panel asks for it.
Picture paint(const Program& program, int width, int height, bool still = false);

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

/// How many pages the help has in a picture of that size.
int help_pages(const Program& program, int width, int height);

/// The size of the picture for so many cells when nothing else asks for one: as in the tutorial, 32
/// pixels to a cell at N = 16, and whole pixels to a cell as long as there are enough.
Size natural_size(int columns, int rows);

/// How much taller than its natural size a window must be, so that its lines of text have room even
/// if all numbers are long.
int more_text_room(const Program& program, Size fluid);

/// The size of the letters in a picture of that size.
int letter_size(int width, int height);

/// What a picture of that size has room for above its lines of text, if these need no more than
/// `least_text` pixels. They have room for a few lines anyway.
Rectangle area_above_text(int width, int height, int least_text = 0);

/// Where a grid lies that is drawn as large as the area allows, in its middle.
View view_in(Rectangle area, int columns, int rows, bool walls);

/// Where the program's grid lies in a picture of that size.
View view_of(const Program& program, int width, int height);

/// Draws each cell in the colour of its value; grid lines too, if the cells are large enough.
void draw_cells(Picture& picture, const View& view, const ShownField& field,
                bool walls_have_values = true);

/// Draws an arrow from each cell's centre, or from some where they would cover each other.
/// `scale` is the length for a velocity of 1, in pixels of the tutorial's window, whose fluid is
/// 512 pixels wide.
void draw_arrows(Picture& picture, const View& view,
                 const std::function<std::pair<float, float>(int i, int j)>& velocity, float scale,
                 bool walls_have_values = true);

/// Draws a curve of positive values against their number, on a logarithmic scale, in a box.
void draw_plot(Picture& picture, int x, int y, int width, int height,
               const std::vector<float>& values, const std::string& title);

/// A number in a few characters, the same on every machine.
std::string short_number(double value);

}  // namespace workbook
