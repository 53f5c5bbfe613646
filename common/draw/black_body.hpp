// The colours in which hot things glow: Planck's law says what they emit, and the CIE's matching
// functions say what an eye sees of it.
#pragma once

#include <array>
#include <cstddef>

#include "common/draw/light.hpp"

namespace workbook {

/// Three numbers for a light: what an eye sees of it (the tristimulus values X, Y and Z of the
/// CIE's standard observer of 1931), or a screen's red, green and blue (linear sRGB).
using Light3 = std::array<double, 3>;

/// The CIE's matching functions of 1931 at a wavelength in nanometres: how much light of this
/// wavelength adds to X, Y and Z. Each is a sum of bell-shaped curves, which Wyman, Sloan and
/// Shirley (2013) have fitted to the CIE's table.
Light3 matching_functions(double wavelength);

/// The light that a black body of that temperature in kelvin emits at a wavelength in nanometres,
/// by Planck's law. Its unit is watts per square metre, steradian and metre of wavelength. At 0
/// kelvin or less it is 0.
double planck(double wavelength, double kelvin);

/// X, Y and Z of a black body: each matching function times Planck's law, added up from 360 to 830
/// nanometres. Y is proportional to its luminance.
Light3 black_body(double kelvin);

/// The chromaticity {x, y} of a light: its colour without its brightness. Without light it is {0,
/// 0}.
std::array<double, 2> chromaticity(const Light3& xyz);

/// Converts X, Y and Z to amounts of a screen's red, green and blue (sRGB, IEC 61966-2-1). A screen
/// cannot show a negative amount, so 0 is returned instead. This happens to blue at 1800 kelvin,
/// but not at 2000.
Light3 screen_light(const Light3& xyz);

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

}  // namespace workbook
