// A patch of gas that burns and grows, for the numbers and the tests of this chapter. These are
// templates, so that every later chapter can light its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

/// By how much the markers in a burning patch have grown, and by how much they should have: each as
/// its temperature in kelvin has, e^(the expansion, added up over time). And the smoke in the patch
/// after that, over that before.
struct Growth {
    double found, expected, smoke;
};

/// Burns a round patch in the middle of a flat fluid for a quarter of a second, in steps of
/// 0.4 / nx seconds. Dye marks it. It also holds smoke, but makes no soot. All four sides must be
/// open. Its middle goes from 600 to 1200 kelvin. Across its edge, which is `edge` widths of the
/// box wide, dye, smoke, fuel and warmth fall to 0.
template <class Fluid>
Growth growth_of_patch(Fluid& fluid, double edge) {
    const double seconds = 0.25;
    fluid.h = 1.0 / fluid.nx;
    fluid.expands = 1.0;
    fluid.soot = 0.0;
    fluid.burning = 8.0;
    fluid.ignition = -1.0;  // it all burns
    const double burnt = 1.0 - std::exp(-fluid.burning * seconds);
    fluid.heat = 600.0 / burnt;
    double before = 0.0, expected = 0.0, after = 0.0, smoke = 0.0;
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double away = std::hypot(i + 0.5 - 0.5 * fluid.nx, j + 0.5 - 0.5 * fluid.ny);
            const double within = (0.2 - away / fluid.nx) / std::max(edge, 1e-9);
            const double inside = std::clamp(0.5 + within, 0.0, 1.0);
            const double smooth = inside * inside * (3.0 - 2.0 * inside);
            fluid.density(i, j, 0) = fluid.smoke(i, j, 0) = fluid.fuel(i, j, 0) = smooth;
            fluid.temperature(i, j, 0) = 300.0 * smooth;
            before += smooth;
            expected += smooth * (1.0 + 600.0 * smooth / (300.0 + 300.0 * smooth));
        }
    }
    const int steps = static_cast<int>(std::lround(seconds * fluid.nx / 0.4));
    for (int n = 0; n < steps; ++n) {
        step(fluid, seconds / steps);
    }
    for (std::size_t cell = 0; cell < fluid.density.values.size(); ++cell) {
        after += fluid.density.values[cell];
        smoke += fluid.smoke.values[cell];
    }
    return {after / before, expected / before, smoke / before};
}
