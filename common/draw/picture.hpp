#pragma once

#include <cstdint>
#include <string>
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

/// The colours of values that have no sign.
enum class Palette { cool, warm };

/// What the colours of a field mean: from 0, or from -full if it is signed, to full.
struct ColourScale {
    std::string name, unit;
    float full;
    bool is_signed;
    bool is_cut = false;  ///< some values are beyond it
    float darkest = 0.0f;  ///< where 0 is among the colours, unless it is signed
    Palette palette = Palette::cool;
};

/// A picture as pixels in memory. Pixel (0, 0) is the upper left one, y points down. Whatever a
/// drawing function would put outside the picture is left out.
class Picture {
  public:
    /// Sizes below 1 count as 1.
    Picture(int width, int height);

    /// Those of the fields drawn in it, in turn, for whoever draws a colour bar.
    std::vector<ColourScale> scales;
    /// How many times as large letters, lines and margins are as in a picture of its natural size.
    float scale = 1.0f;
    int text_height = 0;  ///< of the colour bar and the lines of text at the lower end, in pixels
    int text_end = 0;  ///< the first row below them

    int width() const { return width_; }
    int height() const { return height_; }

    /// How many pixels it takes here for what takes so many in a picture of scale 1.
    int scaled(int pixels) const;

    /// The size of the letters that have that size in a picture of scale 1.
    int letters(int size) const;

    /// Red, green, blue and opacity of each pixel in turn, row after row.
    const std::vector<std::uint8_t>& rgba() const { return rgba_; }

    /// The pixel at (x, y); black outside.
    Colour at(int x, int y) const;

    void pixel(int x, int y, Colour colour);

    /// Row y's bytes, four to a pixel, for whoever has many pixels to draw. y must lie inside.
    std::uint8_t* row(int y) {
        return rgba_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) * 4;
    }

    const std::uint8_t* row(int y) const {
        return rgba_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) * 4;
    }

    /// Fills `width` x `height` pixels from (x, y) on.
    void rectangle(int x, int y, int width, int height, Colour colour);

    /// Draws the border of that rectangle, in it: one pixel thick at scale 1.
    void outline(int x, int y, int width, int height, Colour colour);

    /// Darkens a rectangle, so that text can be read on it.
    void shade(int x, int y, int width, int height);

    /// One pixel thick at scale 1. Of a thicker one, (x0, y0) and (x1, y1) are the upper left
    /// corner.
    void line(float x0, float y0, float x1, float y1, Colour colour);

    void disc(float x, float y, float radius, Colour colour);

    /// Writes one line of printable ASCII with its upper left corner at (x, y), in letters of one
    /// of the sizes 1 to letter_sizes. A dark halo, or a bright one around dark letters, keeps them
    /// legible on any colour. Other characters appear as '?'.
    void text(int x, int y, std::string_view words, Colour colour, int size = 2);

    /// Keeps that many rows, from the top, and at least one.
    void cut(int height);

    /// Copies the pixel row `from` over the row `to`, between the columns x0 and x1 (exclusive).
    void copy_row(int from, int to, int x0, int x1);

  private:
    void blend(int x, int y, Colour colour, int share);

    int width_, height_;
    std::vector<std::uint8_t> rgba_;
};

/// Letters have sizes from 1, the smallest, of 13 pixels from a letter's top to another's tail. A
/// page of the browser edition, which loads them over a network, does without the two largest.
#ifdef __EMSCRIPTEN__
inline constexpr int letter_sizes = 4;
#else
inline constexpr int letter_sizes = 6;
#endif

/// The width and the line height of letters of size 1, in pixels.
inline constexpr int letter_width = 8;
inline constexpr int letter_height = 16;

/// How many pixels letters of that size take from the top of an l to the tail of a g.
int letter_pixels(int size);

/// The largest letters that are no more than so many times as large as those of that size.
int larger_letters(int size, float times);

/// How wide words are in letters of that size.
int text_width(std::string_view words, int size);

/// How far apart lines of such letters are.
int line_height(int size);

/// Breaks words into lines that are no wider than `width`: between two spaces where it can, else
/// at one, else within a word. No line is empty; no words are no lines.
std::vector<std::string> wrapped(const std::string& words, int width, int size);

}  // namespace workbook
