// Steps that are not too long for water.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

/// Returns how long a step may be. In the time h / u, where u is the largest velocity of a face,
/// the fastest water crosses one cell. In steps longer than about sqrt(h / g) waves gain energy, so
/// 0.4 sqrt(h / g) is the second limit. The smaller one is returned.
template <class Fluid>
double longest_step(const Fluid& fluid) {
    double speed = 0.0;
    for (const auto* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        for (const double velocity : faces->values) {
            speed = std::max(speed, std::abs(velocity));
        }
    }
    const double weight = std::hypot(fluid.force_x, fluid.force_y, fluid.force_z);
    return std::min(fluid.h / speed, 0.4 * std::sqrt(fluid.h / weight));
}

/// Lets `dt` seconds pass, in steps that are not longer than longest_step allows. There are at
/// most `most` steps, even if they are too long then. Before each of them, `prepare` is told how
/// long it will be. Returns the number of steps. Without air it is 1.
template <class Fluid, class Prepare>
int step_in_parts(Fluid& fluid, double dt, int most, Prepare prepare) {
    int count = 0;
    double left = dt;
    while (left > 0.0) {
        const double parts = fluid.has_air ? std::ceil(left / longest_step(fluid)) : 1.0;
        const double part = left / std::clamp(parts, 1.0, 1.0 * std::max(1, most - count));
        prepare(part);
        step(fluid, part);
        left = part < left ? left - part : 0.0;
        ++count;
    }
    return count;
}

/// The same, with nothing to prepare.
template <class Fluid>
int step_in_parts(Fluid& fluid, double dt, int most = 100) {
    return step_in_parts(fluid, dt, most, [](double) {});
}

/// The same, in a box without a lid: while the steps are made, the side above is open, so that no
/// water hangs from it. Particles stay in the box. A side that is open already stays open, and
/// without air the box keeps its lid.
template <class Fluid, class Prepare>
int step_without_lid(Fluid& fluid, double dt, int most, Prepare prepare) {
    constexpr int up = 2;
    auto& lid = fluid.sides[up].opening;
    using Kind = std::decay_t<decltype(lid)>;
    const Kind before = lid;
    if (fluid.has_air) {
        lid = Kind::OUTFLOW;
    }
    const int count = step_in_parts(fluid, dt, most, prepare);
    if (lid != before) {
        lid = before;
        set_bnd(fluid);
    }
    return count;
}
