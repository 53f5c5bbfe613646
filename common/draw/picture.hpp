#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace workbook {

/// A colour as screens take it (sRGB), 0..255 each.
struct Colour {
    std::uint8_t red, green, blue;
};

inline bool operator==(Colour a, Colour b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/// In pixels.
struct Size {
    int width, height;
};

/// A part of a picture, from its upper left corner on.
struct Rectangle {
    int x, y, width, height;
};

/// A picture as pixels in memory. Pixel (0, 0) is the upper left one, y points down. Whatever a
/// drawing function would put outside the picture is left out.
class Picture {
  public:
    /// Sizes below 1 count as 1.
    Picture(int width, int height);

    int width() const { return width_; }
    int height() const { return height_; }

    /// Red, green, blue and opacity of each pixel in turn, row after row.
    const std::vector<std::uint8_t>& rgba() const { return rgba_; }

    /// The pixel at (x, y); black outside.
    Colour at(int x, int y) const;

    void pixel(int x, int y, Colour colour);

    /// Row y's bytes, four to a pixel, for whoever has many pixels to draw. y must lie inside.
    std::uint8_t* row(int y) {
        return rgba_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) * 4;
    }

    /// Fills `width` x `height` pixels from (x, y) on.
    void rectangle(int x, int y, int width, int height, Colour colour);

    /// Draws the one-pixel border of that rectangle.
    void outline(int x, int y, int width, int height, Colour colour);

    /// Darkens a rectangle, so that text can be read on it.
    void shade(int x, int y, int width, int height);

    void line(float x0, float y0, float x1, float y1, Colour colour);

    void disc(float x, float y, float radius, Colour colour);

    /// Writes one line of printable ASCII with its upper left corner at (x, y); `scale` pixels to
    /// a dot of the letters. Other characters appear as '?'.
    void text(int x, int y, std::string_view words, Colour colour, int scale = 2);

    /// Copies the pixel row `from` over the row `to`, between the columns x0 and x1 (exclusive).
    void copy_row(int from, int to, int x0, int x1);

  private:
    int width_, height_;
    std::vector<std::uint8_t> rgba_;
};

/// The size of one letter with the gaps to its neighbours, in dots.
inline constexpr int letter_width = 6;
inline constexpr int letter_height = 10;

}  // namespace workbook
