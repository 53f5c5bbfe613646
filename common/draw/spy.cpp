#include "common/draw/spy.hpp"

#include <algorithm>

#include "common/draw/colour.hpp"
#include "common/draw/faces.hpp"

namespace workbook {

void draw_spy(Picture& picture, Rectangle area, int rows, const std::vector<MatrixEntry>& entries,
              double full_at, const std::string& title) {
    const int margin = picture.scaled(8);
    const int above = picture.scaled(28);  // for the title
    picture.text(area.x + margin, area.y + margin, title, number_colour, picture.letters(1));
    const int side = std::min(area.width - 2 * margin, area.height - above - margin);
    const float size = static_cast<float>(side) / static_cast<float>(rows);
    const int left = area.x + (area.width - side) / 2;
    const int top = area.y + above;
    const int line = picture.scaled(1);
    const int gap = size >= 4.0f * picture.scale ? line : 0;
    const int pixels = std::max(1, static_cast<int>(size) - gap);
    picture.outline(left - line, top - line, side + 2 * line, side + 2 * line, face_colour);
    for (const auto& [row, column, value, is_marked] : entries) {
        const Colour colour = is_marked ? sequential_colour(0.6f)
                                        : signed_colour(static_cast<float>(value / full_at));
        const float x = static_cast<float>(left) + size * static_cast<float>(column);
        const float y = static_cast<float>(top) + size * static_cast<float>(row);
        picture.rectangle(static_cast<int>(x), static_cast<int>(y), pixels, pixels, colour);
        if (size >= 36.0f * picture.scale) {
            draw_centred(picture, x + 0.5f * size, y + 0.5f * size, in_words(value), number_colour,
                         picture.letters(size >= 60.0f * picture.scale ? 3 : 1));
        }
    }
}

}  // namespace workbook
