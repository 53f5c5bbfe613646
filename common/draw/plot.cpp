#include "common/draw/plot.hpp"

#include <algorithm>
#include <cmath>

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

constexpr Colour curve_colour = {51, 204, 255};
constexpr Colour tick_colour = {60, 60, 60};

}  // namespace

void draw_plot(Picture& picture, int x, int y, int width, int height,
               const std::vector<float>& values, const std::string& title) {
    picture.shade(x, y, width, height);
    picture.outline(x, y, width, height, dim_colour);
    const int letters = picture.letters(1);
    const int line_apart = line_height(letters);
    const int margin = picture.scaled(6);
    int below = y + margin;  // the title
    for (const std::string& line : wrapped(title, width - 2 * margin, letters)) {
        picture.text(x + margin, below, line, text_colour, letters);
        below += line_apart;
    }
    float top = -30.0f;
    float bottom = 30.0f;
    for (const float value : values) {
        if (value > 0.0f && std::isfinite(value)) {
            top = std::max(top, std::ceil(std::log10(value)));
            bottom = std::min(bottom, std::floor(std::log10(value)));
        }
    }
    if (top < bottom) {
        return;  // nothing to draw
    }
    bottom = std::min(bottom, top - 1.0f);
    const bool has_zero = std::count(values.begin(), values.end(), 0.0f) > 0;
    bottom -= has_zero ? 1.0f : 0.0f;  // a line of its own, below all powers of ten
    const float left = static_cast<float>(x + picture.scaled(8) + 6 * text_width(" ", letters));
    const float right = static_cast<float>(x + width - picture.scaled(10));
    const float high = static_cast<float>(below + picture.scaled(10));
    const float low = static_cast<float>(y + height - picture.scaled(10));
    const float unit = (low - high) / (top - bottom);
    const int every =
        std::max(1, static_cast<int>(std::ceil(static_cast<float>(line_apart) / unit)));
    for (int power = static_cast<int>(top); power >= static_cast<int>(bottom); power -= every) {
        const float at = high + (top - static_cast<float>(power)) * unit;
        picture.line(left, at, right, at, tick_colour);
        if (!has_zero || power > static_cast<int>(bottom)) {
            picture.text(x + picture.scaled(4), static_cast<int>(at) - line_apart / 2,
                         "1e" + std::to_string(power), dim_colour, letters);
        }
    }
    if (has_zero) {
        picture.line(left, low, right, low, tick_colour);
        picture.text(x + picture.scaled(4), static_cast<int>(low) - line_apart / 2, "0", dim_colour,
                     letters);
    }
    float x0 = 0.0f;
    float y0 = 0.0f;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const float value = std::max(values[k], std::pow(10.0f, bottom));
        const float x1 = left + (right - left) * static_cast<float>(k) /
                                    static_cast<float>(std::max<std::size_t>(20, values.size()));
        const float y1 = high + (top - std::log10(value)) * unit;
        if (k > 0) {
            picture.line(x0, y0, x1, y1, curve_colour);
        }
        picture.disc(x1, y1, 2.0f * picture.scale, curve_colour);
        x0 = x1;
        y0 = y1;
    }
}

}  // namespace workbook
