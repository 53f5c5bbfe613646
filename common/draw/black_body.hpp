// The colours in which hot things glow: Planck's law says what they emit, and the CIE's matching
// functions say what an eye sees of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "common/draw/light.hpp"

namespace workbook {

/// Three numbers for a light: what an eye sees of it (the tristimulus values X, Y and Z of the
/// CIE's standard observer of 1931), or a screen's red, green and blue (linear sRGB).
using Light3 = std::array<double, 3>;

/// A bell-shaped curve that is 1 at `middle`. `left` and `right` are the standard deviations of its
/// two halves.
inline double lobe(double wavelength, double middle, double left, double right) {
    const double away = (wavelength - middle) / (wavelength < middle ? left : right);
    return std::exp(-0.5 * away * away);
}

/// The CIE's matching functions of 1931 at a wavelength in nanometres: how much light of this
/// wavelength adds to X, Y and Z. Each is a sum of bell-shaped curves, which Wyman, Sloan and
/// Shirley (2013) have fitted to the CIE's table.
inline Light3 matching_functions(double wavelength) {
    return {
        1.056 * lobe(wavelength, 599.8, 37.9, 31.0) + 0.362 * lobe(wavelength, 442.0, 16.0, 26.7) -
            0.065 * lobe(wavelength, 501.1, 20.4, 26.2),
        0.821 * lobe(wavelength, 568.8, 46.9, 40.5) + 0.286 * lobe(wavelength, 530.9, 16.3, 31.1),
        1.217 * lobe(wavelength, 437.0, 11.8, 36.0) + 0.681 * lobe(wavelength, 459.0, 26.0, 13.8)};
}

/// The light that a black body of that temperature in kelvin emits at a wavelength in nanometres,
/// by Planck's law. Its unit is watts per square metre, steradian and metre of wavelength. At 0
/// kelvin or less it is 0.
inline double planck(double wavelength, double kelvin) {
    const double h = 6.62607015e-34, c = 299792458.0, k = 1.380649e-23;
    const double metres = 1e-9 * wavelength;
    if (!(kelvin > 0.0)) {
        return 0.0;
    }
    return 2.0 * h * c * c / (std::pow(metres, 5.0) * std::expm1(h * c / (metres * k * kelvin)));
}

/// X, Y and Z of a black body: each matching function times Planck's law, added up from 360 to 830
/// nanometres. Y is proportional to its luminance.
inline Light3 black_body(double kelvin) {
    Light3 found = {};
    for (int wavelength = 360; wavelength <= 830; ++wavelength) {
        const Light3 eye = matching_functions(wavelength);
        for (std::size_t part = 0; part < 3; ++part) {
            found[part] += 1e-9 * eye[part] * planck(wavelength, kelvin);
        }
    }
    return found;
}

/// The chromaticity {x, y} of a light: its colour without its brightness. Without light it is {0,
/// 0}.
inline std::array<double, 2> chromaticity(const Light3& xyz) {
    const double sum = xyz[0] + xyz[1] + xyz[2];
    return sum > 0.0 ? std::array<double, 2>{xyz[0] / sum, xyz[1] / sum}
                     : std::array<double, 2>{0.0, 0.0};
}

/// Converts X, Y and Z to amounts of a screen's red, green and blue (sRGB, IEC 61966-2-1). A screen
/// cannot show a negative amount, so 0 is returned instead. This happens to blue at 1800 kelvin,
/// but not at 2000.
inline Light3 screen_light(const Light3& xyz) {
    return {std::max(0.0, 3.2406 * xyz[0] - 1.5372 * xyz[1] - 0.4986 * xyz[2]),
            std::max(0.0, -0.9689 * xyz[0] + 1.8758 * xyz[1] + 0.0415 * xyz[2]),
            std::max(0.0, 0.0557 * xyz[0] - 0.2040 * xyz[1] + 1.0570 * xyz[2])};
}

/// The light of black bodies from 300 to 4000 kelvin on a screen, computed once: amounts of red,
/// green and blue. The unit is the luminance of one of 2000 kelvin.
class GlowTable {
  public:
    GlowTable();

    /// The light at that temperature, interpolated. Below 300 kelvin it is that of 300 kelvin, and
    /// above 4000 that of 4000.
    Rgb at(float kelvin) const;

  private:
    static constexpr std::size_t count = 186;
    static constexpr float first = 300.0f, step = 20.0f;
    std::array<Rgb, count> lights_ = {};
};

inline GlowTable::GlowTable() {
    const double unit = black_body(2000.0)[1];
    for (std::size_t n = 0; n < count; ++n) {
        const Light3 light = screen_light(black_body(first + step * static_cast<double>(n)));
        lights_[n] = {static_cast<float>(light[0] / unit), static_cast<float>(light[1] / unit),
                      static_cast<float>(light[2] / unit)};
    }
}

inline Rgb GlowTable::at(float kelvin) const {
    const float place = std::clamp((kelvin - first) / step, 0.0f, count - 1.001f);
    const auto n = static_cast<std::size_t>(place);
    const float share = place - static_cast<float>(n);
    const Rgb& a = lights_[n];
    const Rgb& b = lights_[n + 1];
    return {a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
            a.blue + share * (b.blue - a.blue)};
}

}  // namespace workbook
