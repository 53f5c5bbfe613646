// Two streams around a cylinder and what others have found in them, for the window, the numbers and
// the tests of this chapter. These are templates, so that every later chapter can fill its own
// Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "window/inflow.hpp"
#include "window/loads.hpp"
#include "window/shapes.hpp"

/// Schaefer and Turek 1996: a channel 2.2 m long and 0.41 m high, and in it a cylinder of this
/// diameter, whose middle is this far from the inflow and from the lower wall. So it is not quite
/// in the middle.
inline constexpr double cylinder_diameter = 0.1, cylinder_place = 0.2, channel_nu = 0.001;

/// The least and the most that the authors take for right.
struct Band {
    double least, most;
};

/// Their case 2D-2, Reynolds number 100: the street. And 2D-1, Reynolds number 20: steady.
inline constexpr Band strouhal_100 = {0.295, 0.305}, drag_100 = {3.22, 3.24},
                      lift_100 = {0.99, 1.01}, pressure_drop_100 = {2.46, 2.50},
                      drag_20 = {5.57, 5.59}, pressure_drop_20 = {0.1172, 0.1176};

/// Columns and rows of the channel with so many cells a diameter.
inline std::array<int, 2> channel_cells(int resolution) {
    return {22 * resolution, static_cast<int>(std::lround(4.1 * resolution))};
}

/// The mean speed of the inflow at that Reynolds number: times diameter over nu.
inline double channel_speed(double reynolds, double nu) {
    return reynolds * nu / cylinder_diameter;
}

/// Lets what enters on the left fill the box, and pushes it up behind the body for once, by a fifth
/// of its speed: a street begins with whatever is not symmetric.
template <class Fluid>
void fill_and_kick(Fluid& fluid, const Body& body, double speed) {
    fill_from_left(fluid);
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j <= fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double behind = (fluid.h * (i + 0.5) - body.x) / body.size - 1.0;  // to 3
                const bool is_kicked = 0.0 < behind && behind < 3.0;
                fluid.v(i, j, k) = is_kicked
                                       ? 0.2 * speed * std::sin(std::numbers::pi * behind / 3.0) *
                                             std::sin(std::numbers::pi * j / fluid.ny)
                                       : 0.0;
            }
        }
    }
    set_bnd(fluid);
}

/// Makes a box the channel of Schaefer and Turek with so many cells a diameter, and puts the body
/// into it: a parabolic inflow on the left, an outflow on the right. The Reynolds number sets the
/// inflow. The box need not be as large as the channel.
template <class Fluid>
void begin_channel(Fluid& fluid, const Body& body, double reynolds, int resolution) {
    fluid.h = cylinder_diameter / resolution;
    const double speed = 1.5 * channel_speed(reynolds, fluid.nu);
    set_inflow(fluid, 0, speed, Profile::PARABOLIC);
    fluid.sides[1].opening = decltype(fluid.sides[1].opening)::OUTFLOW;
    place_bodies(fluid, {body});
    fill_and_kick(fluid, body, speed);
}

/// Their cylinder.
inline Body channel_cylinder() {
    return {BodyShape::CIRCLE, cylinder_place, cylinder_place, cylinder_diameter};
}

/// What --history has, for a part of a run; and the drag by the balance of momentum.
struct Record {
    std::vector<double> times, drags, balances, lifts, pressure_drops;
};

/// The figures of a street: maxima over the record, the Strouhal number, and the pressure drop half
/// a period after the largest lift of the last period.
struct Street {
    double strouhal = 0.0, drag = 0.0, balance = 0.0, lift = 0.0, pressure_drop = 0.0;
};

inline Street street_of(const Record& record, double speed, double size) {
    Street street;
    const double frequency = frequency_of(record.times, record.lifts);
    street.strouhal = speed != 0.0 ? frequency * size / std::abs(speed) : 0.0;
    for (std::size_t n = 0; n < record.times.size(); ++n) {
        street.drag = std::max(street.drag, record.drags[n]);
        street.balance = std::max(street.balance, record.balances[n]);
        street.lift = std::max(street.lift, record.lifts[n]);
    }
    if (frequency == 0.0 || record.times.empty()) {
        return street;
    }
    const double period = 1.0 / frequency, end = record.times.back();
    double largest = -1e300, wanted = 0.0;
    for (std::size_t n = 0; n < record.times.size(); ++n) {
        const double time = record.times[n];
        if (end - 2.0 * period < time && time <= end - period && record.lifts[n] > largest) {
            largest = record.lifts[n];
            wanted = time + 0.5 * period;
        }
    }
    for (std::size_t n = 0; n + 1 < record.times.size(); ++n) {
        const double begin = record.times[n], after = record.times[n + 1];
        if (begin <= wanted && wanted < after) {  // interpolated: it changes much between two
            const double share = (wanted - begin) / (after - begin);
            street.pressure_drop =
                (1.0 - share) * record.pressure_drops[n] + share * record.pressure_drops[n + 1];
        }
    }
    return street;
}

/// A box of momentum around the body: one diameter before it and above and below, and two behind.
template <class Fluid>
Control control_around(const Fluid& fluid, const Body& body) {
    const auto cell = [&](double place) { return static_cast<int>(std::lround(place / fluid.h)); };
    return {cell(body.x - body.size), cell(body.x + 1.5 * body.size),
            cell(body.y - 1.2 * body.size), cell(body.y + 1.2 * body.size)};
}

/// Runs a fluid with a body in a stream of that mean speed for so many steps, and records what
/// comes after the first `skipped`, each pair of steps as its mean.
template <class Fluid>
Record record_run(Fluid& fluid, const Body& body, double speed, double dt, int steps, int skipped) {
    const Control control = control_around(fluid, body);
    Record record;
    for (int n = 0; n + 1 < steps; n += 2) {
        if (n < skipped) {
            step(fluid, dt);
            step(fluid, dt);
            continue;
        }
        const Fluid start = fluid;
        step(fluid, dt);
        const bool is_reflected = fluid.reflects_next;
        const Loads first = loads_on(fluid, body, dt);
        const Fluid middle = fluid;
        step(fluid, dt);
        const Loads pair = mean_of_pair(first, loads_on(fluid, body, dt), is_reflected);
        const Coefficients found = coefficients_of(fluid, pair, speed, body.size);
        const auto force = force_by_balance(start, middle, fluid, control, dt, is_reflected);
        record.times.push_back((n + 2) * dt);
        record.drags.push_back(found.drag);
        record.balances.push_back(force_coefficient(fluid, force.x, speed, body.size));
        record.lifts.push_back(found.lift);
        record.pressure_drops.push_back(found.pressure_drop);
    }
    return record;
}
