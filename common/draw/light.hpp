// Amounts of light, and a part of a picture as light: things are added to it as bright as they
// are, however bright, and a film turns it into a screen's colours once, at the end.
#pragma once

#include <cstddef>
#include <vector>

#include "common/draw/picture.hpp"
#include "common/parallel.hpp"

namespace workbook {

/// An amount of red, green and blue light. Twice the number is twice the light, unlike a Colour's
/// bytes; 1 is the brightest that a screen shows.
struct Rgb {
    float red, green, blue;
};

/// Returns a screen's colour as amounts of light.
Rgb linear_light(Colour colour);

/// How bright a film shows an amount of light, from 0 to 1: 1 - e^-light. This is the exponential
/// mapping (Ferschin, Tastl and Purgathofer 1994). Little light stays as it is, and no light is so
/// bright that more of it would not be brighter.
float on_film(float light);

/// The light that a film's three layers take up. Each takes 1.8 % of the light that is meant for
/// each of the others, so that what is bright enough becomes white, whatever its colour. Grey light
/// stays as it is.
Rgb on_layers(Rgb light);

/// A rectangle of a picture as amounts of light.
class LightPicture {
  public:
    /// Takes what the picture holds in a rectangle, as far as it lies in the picture.
    LightPicture(const Picture& picture, Rectangle area);

    /// The rectangle, in pixels of the picture.
    Rectangle area() const { return area_; }

    /// The light at a pixel of the picture, which must lie in the rectangle.
    Rgb& at(int x, int y) { return light_[index(x, y)]; }
    const Rgb& at(int x, int y) const { return light_[index(x, y)]; }

    /// Spreads a share of the light that is brighter than a screen around it, as a lens does: it
    /// glows. How far it goes has a standard deviation of `width` pixels along both axes. It is
    /// added up over squares of pixels, a third of `width` wide. What goes beyond the rectangle is
    /// lost, and none besides.
    void spread(float share, float width, parallel::ThreadPool& pool);

    /// Puts it into the picture as a film shows it.
    void develop(Picture& picture, parallel::ThreadPool& pool) const;

  private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y - area_.y) * static_cast<std::size_t>(area_.width) +
               static_cast<std::size_t>(x - area_.x);
    }

    Rectangle area_;
    std::vector<Rgb> light_;
};

}  // namespace workbook
