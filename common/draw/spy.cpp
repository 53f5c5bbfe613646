#include "common/draw/spy.hpp"

#include <algorithm>

#include "common/draw/colour.hpp"
#include "common/draw/faces.hpp"

namespace workbook {

void draw_spy(Picture& picture, Rectangle area, int rows, const std::vector<MatrixEntry>& entries,
              double full_at, const std::string& title) {
    picture.text(area.x + 8, area.y + 8, title, number_colour, 1);
    const int side = std::min(area.width - 16, area.height - 36);
    const float size = static_cast<float>(side) / static_cast<float>(rows);
    const int left = area.x + (area.width - side) / 2;
    const int top = area.y + 28;
    const int gap = size >= 4.0f ? 1 : 0;
    const int pixels = std::max(1, static_cast<int>(size) - gap);
    picture.outline(left - 1, top - 1, side + 2, side + 2, face_colour);
    for (const auto& [row, column, value, is_marked] : entries) {
        const Colour colour = is_marked ? sequential_colour(0.6f)
                                        : signed_colour(static_cast<float>(value / full_at));
        const float x = static_cast<float>(left) + size * static_cast<float>(column);
        const float y = static_cast<float>(top) + size * static_cast<float>(row);
        picture.rectangle(static_cast<int>(x), static_cast<int>(y), pixels, pixels, colour);
        if (size >= 36.0f) {
            draw_centred(picture, x + 0.5f * size, y + 0.5f * size, in_words(value), number_colour,
                         size >= 60.0f ? 3 : 1);
        }
    }
}

}  // namespace workbook
