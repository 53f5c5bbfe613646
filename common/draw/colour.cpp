#include "common/draw/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace workbook {

std::uint8_t to_screen(double linear) {
    const double clamped = std::clamp(linear, 0.0, 1.0);
    const double encoded =
        clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1.0 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255.0 * encoded));
}

namespace {

constexpr int shades = 512;
constexpr Colour not_a_number = {255, 0, 255};

/// From Oklab, where distances are as the eye sees them, to the screen (Ottosson 2020, "A
/// perceptual color space for image processing"). Hue in degrees.
Colour from_oklab(double lightness, double chroma, double hue) {
    const double angle = hue * std::numbers::pi / 180.0;
    const double a = chroma * std::cos(angle);
    const double b = chroma * std::sin(angle);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {to_screen(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            to_screen(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            to_screen(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

std::array<Colour, shades> make_cool() {
    std::array<Colour, shades> table{};
    for (int k = 0; k < shades; ++k) {
        const double t = k / (shades - 1.0);
        // Brightness rises evenly; the hue turns from blue to yellow on the way. Screens show no
        // strong colours near black and white, so the chroma has its hill in the middle.
        table[static_cast<std::size_t>(k)] =
            from_oklab(0.17 + 0.80 * t, 0.13 * std::sin(std::numbers::pi * std::min(1.0, 0.1 + t)),
                       265.0 - 165.0 * t);
    }
    return table;
}

/// As even, with the hue turning the other way: from violet over red to yellow.
std::array<Colour, shades> make_warm() {
    std::array<Colour, shades> table{};
    for (int k = 0; k < shades; ++k) {
        const double t = k / (shades - 1.0);
        table[static_cast<std::size_t>(k)] =
            from_oklab(0.17 + 0.80 * t, 0.17 * std::sin(std::numbers::pi * (0.12 + 0.8 * t)),
                       280.0 + 170.0 * t);
    }
    return table;
}

std::array<Colour, shades> make_signed() {
    std::array<Colour, shades> table{};
    for (int k = 0; k < shades; ++k) {
        const double t = 2.0 * k / (shades - 1.0) - 1.0;
        table[static_cast<std::size_t>(k)] =
            from_oklab(0.17 + 0.62 * std::abs(t), 0.12 * std::abs(t), t < 0.0 ? 250.0 : 60.0);
    }
    return table;
}

Colour look_up(const std::array<Colour, shades>& table, float position) {
    if (std::isnan(position)) {
        return not_a_number;
    }
    const float clamped = std::clamp(position, 0.0f, 1.0f);
    return table[static_cast<std::size_t>(std::lround(clamped * (shades - 1.0f)))];
}

}  // namespace

Colour sequential_colour(float value, Palette palette) {
    static const std::array<Colour, shades> cool = make_cool();
    static const std::array<Colour, shades> warm = make_warm();
    return look_up(palette == Palette::cool ? cool : warm, value);
}

Colour signed_colour(float value) {
    static const std::array<Colour, shades> table = make_signed();
    return look_up(table, 0.5f + 0.5f * value);
}

Colour wall_tint(Colour colour) {
    return {static_cast<std::uint8_t>(40 + colour.red * 3 / 4),
            static_cast<std::uint8_t>(8 + colour.green / 2),
            static_cast<std::uint8_t>(8 + colour.blue / 2)};
}

}  // namespace workbook
