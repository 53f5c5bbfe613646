// Where smoke comes from.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

/// A source of smoke and warmth: a ball, in a flat fluid a disk. Lengths are in widths of the box,
/// `y` is counted from its bottom.
struct SmokeSource {
    double x = 0.5, y = 0.12, z = 0.5;
    double radius = 0.08;
};

/// How fast the middle of a source brings a cell to what it keeps: 1 / seconds. In a hundredth of a
/// second nothing is left of what was there, up to rounding.
inline constexpr double source_rate = 4000.0;

/// Makes the cells of these sources keep their temperature and smoke, and no others. Towards their
/// edges sources are slower, so that no cell begins or ends at once while they move: the rate falls
/// as (1 - r^2 / radius^2)^4.
template <class Fluid>
void place_sources(Fluid& fluid, const std::vector<SmokeSource>& sources) {
    const double width = fluid.nx, depth = fluid.nz == 1 ? 0.0 : 1.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                double rate = 0.0;
                for (const SmokeSource& source : sources) {
                    const double x = (i + 0.5) / width - source.x;
                    const double y = (fluid.ny - j - 0.5) / width - source.y;
                    const double z = depth * ((k + 0.5) / width - source.z);
                    const double inside =
                        1.0 - (x * x + y * y + z * z) / (source.radius * source.radius);
                    rate = std::max(rate, inside > 0.0 ? std::pow(inside, 4.0) : 0.0);
                }
                fluid.source(i, j, k) = source_rate * rate;
            }
        }
    }
}

/// How far a source has swayed to the right after so many seconds: up to `far`, so often a second.
inline double sway_at(double seconds, double far, double often) {
    return far * std::sin(2.0 * std::numbers::pi * often * seconds);
}
