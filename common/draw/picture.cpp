#include "common/draw/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/draw/typeface/typeface.hpp"

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

constexpr int full_cover = 15;  // of a pixel by a letter: typeface.hpp's 'p'
constexpr int halo_width = 2;

static_assert(letter_sizes == typefaces.size());
static_assert(letter_width == typefaces[0].advance && letter_height == typefaces[0].line);

const Typeface& typeface_of(int size) {
    return typefaces[static_cast<std::size_t>(std::clamp(size, 1, letter_sizes) - 1)];
}

const Glyph& glyph_of(const Typeface& typeface, char letter) {
    const char shown = letter < ' ' || letter > '~' ? '?' : letter;
    return typeface.glyphs[static_cast<std::size_t>(shown - ' ')];
}

/// How much of each pixel the words cover, in an area with room for the halo around them.
std::vector<int> cover_of(std::string_view words, const Typeface& typeface, int columns, int rows) {
    std::vector<int> cover(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0);
    int left = halo_width;
    for (const char letter : words) {
        const Glyph& glyph = glyph_of(typeface, letter);
        for (int row = 0; row < glyph.height; ++row) {
            for (int column = 0; column < glyph.width; ++column) {
                const int x = left + glyph.left + column;
                const int y = halo_width + glyph.top + row;
                if (0 <= x && x < columns && 0 <= y && y < rows) {
                    int& here = cover[static_cast<std::size_t>(y * columns + x)];
                    here = std::max(here, glyph.coverage[row * glyph.width + column] - 'a');
                }
            }
        }
        left += typeface.advance;
    }
    return cover;
}

/// What surrounds such letters: all of what touches them, and half of what is one pixel farther.
std::vector<int> halo_of(const std::vector<int>& letters, int columns, int rows) {
    std::vector<int> halo(letters.size(), 0);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const int cover = letters[static_cast<std::size_t>(row * columns + column)];
            if (cover == 0) {
                continue;
            }
            for (int y = std::max(0, row - halo_width); y <= std::min(rows - 1, row + halo_width);
                 ++y) {
                for (int x = std::max(0, column - halo_width);
                     x <= std::min(columns - 1, column + halo_width); ++x) {
                    const int far = (x - column) * (x - column) + (y - row) * (y - row);
                    int& here = halo[static_cast<std::size_t>(y * columns + x)];
                    here = std::max(here, far <= 2 ? cover : far <= 5 ? cover / 2 : 0);
                }
            }
        }
    }
    return halo;
}

}  // namespace

int Picture::scaled(int pixels) const {
    return static_cast<int>(std::lround(scale * static_cast<float>(pixels)));
}

int Picture::letters(int size) const {
    return larger_letters(size, scale);
}

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
    const int thick = scaled(1);
    rectangle(x, y, width, thick, colour);
    rectangle(x, y + height - thick, width, thick, colour);
    rectangle(x, y, thick, height, colour);
    rectangle(x + width - thick, y, thick, height, colour);
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
    const int thick = scaled(1);
    const int dots = 1 + static_cast<int>(std::max(std::abs(x1 - x0), std::abs(y1 - y0)));
    for (int k = 0; k <= dots; ++k) {
        const float t = static_cast<float>(k) / static_cast<float>(dots);
        rectangle(static_cast<int>(std::floor(x0 + t * (x1 - x0))),
                  static_cast<int>(std::floor(y0 + t * (y1 - y0))), thick, thick, colour);
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

void Picture::blend(int x, int y, Colour colour, int share) {
    if (share <= 0) {
        return;
    }
    const Colour under = at(x, y);
    const auto mixed = [share](int from, int to) {
        return static_cast<std::uint8_t>((from * (full_cover - share) + to * share) / full_cover);
    };
    pixel(x, y,
          {mixed(under.red, colour.red), mixed(under.green, colour.green),
           mixed(under.blue, colour.blue)});
}

void Picture::text(int x, int y, std::string_view words, Colour colour, int size) {
    const Typeface& typeface = typeface_of(size);
    const int columns = static_cast<int>(words.size()) * typeface.advance + 2 * halo_width;
    const int rows = typeface.line + 2 * halo_width;
    const std::vector<int> letters = cover_of(words, typeface, columns, rows);
    const std::vector<int> around = halo_of(letters, columns, rows);
    const bool is_bright = 2 * colour.red + 5 * colour.green + colour.blue > 8 * 90;
    const Colour halo = is_bright ? Colour{0, 0, 0} : Colour{255, 255, 255};
    std::size_t place = 0;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column, ++place) {
            blend(x + column - halo_width, y + row - halo_width, halo, around[place]);
            blend(x + column - halo_width, y + row - halo_width, colour, letters[place]);
        }
    }
}

void Picture::cut(int height) {
    height_ = std::clamp(height, 1, height_);
    rgba_.resize(offset(0, height_, width_));
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

int letter_pixels(int size) {
    return typeface_of(size).pixels;
}

int larger_letters(int size, float times) {
    const float most = times * static_cast<float>(letter_pixels(size)) + 0.5f;
    int larger = std::clamp(size, 1, letter_sizes);
    while (larger < letter_sizes && static_cast<float>(letter_pixels(larger + 1)) <= most) {
        ++larger;
    }
    return larger;
}

int text_width(std::string_view words, int size) {
    return static_cast<int>(words.size()) * typeface_of(size).advance;
}

int line_height(int size) {
    return typeface_of(size).line;
}

std::vector<std::string> wrapped(const std::string& words, int width, int size) {
    const auto letters =
        static_cast<std::size_t>(std::max(1, width / std::max(1, text_width(" ", size))));
    std::vector<std::string> lines;
    std::size_t begin = words.find_first_not_of(' ');
    while (begin != std::string::npos) {
        std::size_t end = words.size();
        if (end - begin > letters) {
            const std::size_t pair = words.rfind("  ", begin + letters);
            std::size_t space = words.rfind(' ', begin + letters);
            const auto is_within = [&](std::size_t at) {
                return at != std::string::npos && at > begin;
            };
            const std::size_t before = words.find_last_of(' ', space - 1);
            if (is_within(space) && is_within(before) &&
                std::string_view("-.0123456789").find(words[space + 1]) != std::string::npos) {
                space = before;  // a number stays beside its name
            }
            const std::size_t key = 8;  // letters of the help's first column: no line of their own
            const bool has_pair = is_within(pair) && pair >= begin + key;
            end = has_pair ? pair : is_within(space) ? space : begin + letters;
        }
        lines.push_back(words.substr(begin, end - begin));
        while (lines.back().back() == ' ') {
            lines.back().pop_back();
        }
        begin = words.find_first_not_of(' ', end);
    }
    return lines;
}

}  // namespace workbook
