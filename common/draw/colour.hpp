#pragma once

#include "common/draw/picture.hpp"

namespace workbook {

// What is written beside and below a picture.
inline constexpr Colour text_colour = {220, 220, 220};
inline constexpr Colour dim_colour = {150, 150, 150};
inline constexpr Colour ground_colour = {16, 16, 16};

/// The colour for a value from 0 (nearly black) over blue and green, or over violet and orange, to
/// 1 (nearly white). Equal steps of the value look like equal steps of brightness. Values outside
/// are clamped; NaN is magenta.
Colour sequential_colour(float value, Palette palette = Palette::cool);

/// The colour for a value from -1 (blue) over 0 (nearly black) to 1 (orange), as bright on either
/// side: told apart by colour-blind eyes too. Values outside are clamped; NaN is magenta.
Colour signed_colour(float value);

/// The byte by which a screen shows that much of its brightest light, from 0 to 1 (sRGB). What is
/// outside is clamped.
std::uint8_t to_screen(double linear);

/// The same colour with the tint that marks a wall.
Colour wall_tint(Colour colour);

}  // namespace workbook
