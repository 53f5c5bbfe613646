#include "common/draw/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/draw/font.hpp"

namespace workbook {

Picture::Picture(int width, int height)
    : width_(std::max(1, width)), height_(std::max(1, height)),
      rgba_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 4, 0) {
    rectangle(0, 0, width_, height_, {0, 0, 0});
}

namespace {

std::size_t offset(int x, int y, int width) {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
           4;
}

}  // namespace

Colour Picture::at(int x, int y) const {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) {
        return {0, 0, 0};
    }
    const std::uint8_t* p = rgba_.data() + offset(x, y, width_);
    return {p[0], p[1], p[2]};
}

void Picture::pixel(int x, int y, Colour colour) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) {
        return;
    }
    std::uint8_t* p = rgba_.data() + offset(x, y, width_);
    p[0] = colour.red;
    p[1] = colour.green;
    p[2] = colour.blue;
    p[3] = 255;
}

void Picture::rectangle(int x, int y, int width, int height, Colour colour) {
    const int x0 = std::max(0, x);
    const int x1 = std::min(width_, x + width);
    const int y0 = std::max(0, y);
    const int y1 = std::min(height_, y + height);
    if (x0 >= x1 || y0 >= y1) {
        return;
    }
    for (int column = x0; column < x1; ++column) {
        pixel(column, y0, colour);
    }
    for (int row = y0 + 1; row < y1; ++row) {
        copy_row(y0, row, x0, x1);
    }
}

void Picture::outline(int x, int y, int width, int height, Colour colour) {
    rectangle(x, y, width, 1, colour);
    rectangle(x, y + height - 1, width, 1, colour);
    rectangle(x, y, 1, height, colour);
    rectangle(x + width - 1, y, 1, height, colour);
}

void Picture::shade(int x, int y, int width, int height) {
    for (int row = std::max(0, y); row < std::min(height_, y + height); ++row) {
        for (int column = std::max(0, x); column < std::min(width_, x + width); ++column) {
            const Colour c = at(column, row);
            pixel(column, row,
                  {static_cast<std::uint8_t>(c.red / 5), static_cast<std::uint8_t>(c.green / 5),
                   static_cast<std::uint8_t>(c.blue / 5)});
        }
    }
}

void Picture::line(float x0, float y0, float x1, float y1, Colour colour) {
    const float limit = 4.0f * static_cast<float>(width_ + height_);
    if (!(std::abs(x0) < limit && std::abs(y0) < limit && std::abs(x1 - x0) < limit &&
          std::abs(y1 - y0) < limit)) {
        return;  // far outside, or not a number
    }
    const int dots = 1 + static_cast<int>(std::max(std::abs(x1 - x0), std::abs(y1 - y0)));
    for (int k = 0; k <= dots; ++k) {
        const float t = static_cast<float>(k) / static_cast<float>(dots);
        pixel(static_cast<int>(std::floor(x0 + t * (x1 - x0))),
              static_cast<int>(std::floor(y0 + t * (y1 - y0))), colour);
    }
}

void Picture::disc(float x, float y, float radius, Colour colour) {
    const float limit = 4.0f * static_cast<float>(width_ + height_);
    if (!(std::abs(x) < limit && std::abs(y) < limit && radius < limit)) {
        return;
    }
    for (int row = static_cast<int>(y - radius); row <= static_cast<int>(y + radius); ++row) {
        for (int column = static_cast<int>(x - radius); column <= static_cast<int>(x + radius);
             ++column) {
            const float dx = static_cast<float>(column) + 0.5f - x;
            const float dy = static_cast<float>(row) + 0.5f - y;
            if (dx * dx + dy * dy <= radius * radius) {
                pixel(column, row, colour);
            }
        }
    }
}

void Picture::text(int x, int y, std::string_view words, Colour colour, int scale) {
    for (const char letter : words) {
        const auto& glyph = glyph_of(letter);
        for (int row = 0; row < glyph_height; ++row) {
            for (int column = 0; column < glyph_width; ++column) {
                if (glyph[static_cast<std::size_t>(row)] >> (glyph_width - 1 - column) & 1) {
                    rectangle(x + column * scale, y + row * scale, scale, scale, colour);
                }
            }
        }
        x += letter_width * scale;
    }
}

void Picture::copy_row(int from, int to, int x0, int x1) {
    if (from < 0 || to < 0 || from >= height_ || to >= height_) {
        return;
    }
    x0 = std::max(0, x0);
    x1 = std::min(width_, x1);
    if (x0 < x1) {
        std::memcpy(rgba_.data() + offset(x0, to, width_), rgba_.data() + offset(x0, from, width_),
                    static_cast<std::size_t>(x1 - x0) * 4);
    }
}

}  // namespace workbook
