// A push along the derivative.
#pragma once

#include <algorithm>
#include <cmath>

/// Adds the derivative to the velocity of a fluid, times a factor with which it changes no face by
/// more than `fastest` box widths a second. If the derivative is 0, nothing changes.
inline void push_along(Fluid& fluid, const Velocity& by_velocity, double fastest) {
    double largest = 0.0;
    for (const Field* faces : {&by_velocity.u, &by_velocity.v, &by_velocity.w}) {
        for (const double value : faces->values) {
            largest = std::max(largest, std::abs(value));
        }
    }
    if (largest > 0.0) {
        const double factor = fastest * fluid.h * fluid.nx / largest;
        add_scaled(fluid.u, factor, by_velocity.u);
        add_scaled(fluid.v, factor, by_velocity.v);
        add_scaled(fluid.w, factor, by_velocity.w);
    }
}
