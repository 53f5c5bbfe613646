// A patch of gas that burns and grows, for the numbers and the tests of this chapter. These are
// templates, so that every later chapter can light its own Fluid.
#pragma once

#include <cmath>

/// By how much the markers in a burning patch have grown, and by how much they should have: as the
/// temperature in kelvin has, e^(the expansion, added up over time).
struct Growth {
    double found, expected;
};

/// Burns a round patch in the middle of a flat fluid for a quarter of a second, in steps of
/// 0.4 / nx seconds. Dye marks it. All four sides must be open. The patch takes a third of the
/// fluid's width. It begins at 600 kelvin, and is to reach 1200.
template <class Fluid>
Growth growth_of_patch(Fluid& fluid) {
    fluid.h = 1.0 / fluid.nx;
    fluid.burning = 8.0;
    fluid.heat = 600.0 / (1.0 - std::exp(-fluid.burning * 0.25));
    fluid.ignition = 100.0;
    double before = 0.0, after = 0.0;
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double away = std::hypot(i + 0.5 - 0.5 * fluid.nx, j + 0.5 - 0.5 * fluid.ny);
            if (away < fluid.nx / 6.0) {
                fluid.density(i, j, 0) = fluid.fuel(i, j, 0) = 1.0;
                fluid.temperature(i, j, 0) = 300.0;
                before += 1.0;
            }
        }
    }
    const int steps = static_cast<int>(std::lround(0.25 * fluid.nx / 0.4));
    for (int n = 0; n < steps; ++n) {
        step(fluid, 0.25 / steps);
    }
    for (const double dye : fluid.density.values) {
        after += dye;
    }
    return {after / before, 1200.0 / 600.0};
}
