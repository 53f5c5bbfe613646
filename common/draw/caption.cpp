#include "common/draw/caption.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "common/draw/colour.hpp"
#include "common/draw/words.hpp"

namespace workbook {
namespace {

constexpr int tutorial_side = 576;  // 18 cells of 32 pixels
constexpr int largest_side = 1024;

/// The height of the lines of text below the grid.
int text_height(int size) {
    return text_lines * line_height(size) + 8;
}

/// The numbers at a colour bar's two ends. Several fields may be drawn each in its own range.
std::pair<std::string, std::string> ends_of(const std::vector<ColourScale>& scales) {
    const ColourScale& first = scales.front();
    std::string end = short_number(first.full);
    bool is_cut = false;
    for (const ColourScale& scale : scales) {
        end = short_number(scale.full) == short_number(first.full) ? end : "the largest of each";
        is_cut = is_cut || scale.is_cut;
    }
    return {first.is_signed ? "-" + end : "0", end + (is_cut ? " and more" : "")};
}

/// Draws the name and unit of what was drawn and, if there is room beside them, its colour bar;
/// else the bar is below. Returns how many lines that takes; with `picture` null it draws nothing.
int draw_bar(Picture* picture, const std::vector<ColourScale>& scales, Rectangle room, int size) {
    if (scales.empty()) {
        return 0;
    }
    const ColourScale& scale = scales.front();
    const std::string name = scale.name + (scale.unit.empty() ? "" : " (" + scale.unit + ")");
    const auto [low, high] = ends_of(scales);
    const int letter = text_width(" ", size);
    const int least = text_width(low + high, size) + 14 * letter;  // a bar of twelve letters
    const std::vector<std::string> lines = wrapped(name, room.width, size);
    const bool beside = text_width(lines.back(), size) + 3 * letter + least <= room.width;
    const int count = static_cast<int>(lines.size()) + (beside ? 0 : 1);
    if (picture == nullptr) {
        return count;
    }
    int y = room.y;
    for (const std::string& words : lines) {
        picture->text(room.x, y, words, text_colour, size);
        y += line_height(size);
    }
    y = room.y + (count - 1) * line_height(size);
    int x = room.x + (beside ? text_width(lines.back(), size) + 3 * letter : 0);
    picture->text(x, y, low, text_colour, size);
    x += text_width(low, size) + letter;
    const int longest = 40 * letter;
    const int width = std::min(longest, room.x + room.width - x - letter - text_width(high, size));
    const int margin = picture->scaled(4);  // above and below the bar
    for (int k = 0; k < width; ++k) {
        const float place = static_cast<float>(k) / static_cast<float>(std::max(1, width - 1));
        picture->rectangle(
            x + k, y + margin, 1, line_height(size) - 2 * margin,
            scale.is_signed
                ? signed_colour(2.0f * place - 1.0f)
                : sequential_colour(scale.darkest + (1.0f - scale.darkest) * place, scale.palette));
    }
    const int line = picture->scaled(1);
    picture->outline(x - line, y + margin - line, width + 2 * line,
                     line_height(size) - 2 * (margin - line), dim_colour);
    picture->text(x + width + letter, y, high, text_colour, size);
    return count;
}

}  // namespace

void add_wrapped(std::vector<TextLine>& lines, const std::string& words, Colour colour, int width,
                 int size) {
    for (const std::string& line : wrapped(words, width, size)) {
        lines.push_back({line, colour});
    }
}

Size natural_size(int columns, int rows) {
    const int longest = std::max(columns, rows);
    const int side = std::min(largest_side, longest * std::max(1, tutorial_side / longest));
    const int width = std::max(side, tutorial_side);
    // A low grid leaves room for little else than itself; but the lines of text need some.
    const double share = static_cast<double>(rows) / longest;
    const int height = std::max(width / 2, static_cast<int>(std::lround(width * share)));
    return {width, height + text_height(letter_size(width, width))};
}

int letter_size(int width, int height) {
    const int side = std::min(width, 3 * height / 2);
    const int sides[] = {500, 820, 1060, 1152, 1640};  // where the next larger letters begin
    return 1 + static_cast<int>(std::upper_bound(std::begin(sides), std::end(sides), side) -
                                std::begin(sides));
}

Rectangle area_above_text(int width, int height, int least_text) {
    const int text = std::min(height / 2, text_height(letter_size(width, height)));
    return {0, 0, width, height - std::max(text, least_text)};
}

void draw_caption(Picture& picture, Rectangle area, const std::vector<TextLine>& lines, int size) {
    const int line = line_height(size);
    const int margin = picture.scaled(4);
    Rectangle room{2 * margin, 0, area.width - 4 * margin, 0};
    const int bar = draw_bar(nullptr, picture.scales, room, size);
    const int needed = (bar + static_cast<int>(lines.size())) * line + 2 * margin;
    picture.text_height = std::min(needed, picture.height() * 2 / 3);
    const int top = std::min(area.y + area.height, picture.height() - picture.text_height);
    picture.text_end = top + picture.text_height;
    picture.rectangle(0, top, area.width, picture.height() - top, ground_colour);
    room.y = top + margin;
    draw_bar(&picture, picture.scales, room, size);
    int y = room.y + bar * line;
    for (const TextLine& words : lines) {
        picture.text(room.x, y, words.words, words.colour, size);
        y += line;
    }
}

}  // namespace workbook
