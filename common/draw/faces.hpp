#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/draw/cells.hpp"

namespace workbook {

/// The numbers of a small grid that keeps some on the edges between its cells.
struct FaceNumbers {
    int columns, rows;
    std::function<double(int i, int j)> across;  ///< left of cell (i, j); i runs to `columns`
    std::function<double(int i, int j)> down;  ///< above cell (i, j); j runs to `rows`
    /// The lines in the middle of cell (i, j), whose numbers the function it is given writes.
    std::function<std::vector<std::string>(int i, int j, std::string (*written)(double))> inside;
    ShownField ground;  ///< the colour behind cell (i, j)
};

/// Draws each number where it belongs, those on the edges with an arrow that is as long as they
/// are large.
void draw_faces(Picture& picture, const View& view, const FaceNumbers& numbers);

/// Writes words around (x, y), in letters of that size.
void draw_centred(Picture& picture, float x, float y, const std::string& words, Colour colour,
                  int size);

/// What rounding leaves of a 0 is shown as 0.
double without_rounding(double value);

/// The number in a few characters, what rounding leaves of a 0 as 0.
std::string in_words(double value);

/// The same in three digits, where there is little room.
std::string in_few_words(double value);

inline constexpr Colour number_colour = {235, 235, 235};
inline constexpr Colour face_colour = {255, 200, 90};

}  // namespace workbook
