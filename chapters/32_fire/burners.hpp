// What burns in the scenes of this chapter, for the window, the numbers and the tests. These are
// templates, so that every later chapter can light its own Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

/// A number from 0 to 1, the same on every machine for the same generator.
inline double share_of(std::mt19937& generator) {
    return static_cast<double>(generator()) / static_cast<double>(std::mt19937::max());
}

/// Fills patches with hot fuel: balls of several sizes, in a flat fluid disks, whose middles lie
/// within `radius` of a place. All lengths are in widths of the box, `y` is counted from its
/// bottom. One large ball would burn evenly and look flat. Patches leave gaps through which air
/// folds in, and some hold less fuel than others, so that they do not become as hot.
template <class Fluid>
void place_patches(Fluid& fluid, int patches, double radius, double y, double temperature) {
    std::mt19937 generator(5);
    const double width = fluid.nx, depth = fluid.nz == 1 ? 0.0 : 1.0;
    for (int n = 0; n < patches; ++n) {
        const double angle = 2.0 * std::numbers::pi * share_of(generator);
        const double away = radius * std::sqrt(share_of(generator));
        const double tilt = depth * (2.0 * share_of(generator) - 1.0);
        const double flat = std::sqrt(1.0 - tilt * tilt);
        const double x0 = 0.5 + away * flat * std::cos(angle),
                     y0 = y + away * flat * std::sin(angle),
                     z0 = 0.5 * fluid.nz / width + away * tilt;
        const double size = (1.0 + 0.6 * depth) * radius * (0.1 + 0.2 * share_of(generator));
        const double fuel = 0.3 + 0.7 * share_of(generator);
        for (int k = 0; k < fluid.nz; ++k) {
            for (int j = 0; j < fluid.ny; ++j) {
                for (int i = 0; i < fluid.nx; ++i) {
                    const double r =
                        std::hypot((i + 0.5) / width - x0, (fluid.ny - j - 0.5) / width - y0,
                                   depth * ((k + 0.5) / width - z0));
                    const double inside = std::clamp((size - r) * width + 0.5, 0.0, 1.0);
                    fluid.fuel(i, j, k) = std::max(fluid.fuel(i, j, k), fuel * inside);
                    fluid.temperature(i, j, k) =
                        std::max(fluid.temperature(i, j, k), temperature * inside);
                }
            }
        }
    }
}

/// Lets fuel enter from below over a part of the floor, faster than the air beside it. The floor
/// must be an inflow already. Its edges are as wide as a cell.
template <class Fluid>
void place_burner(Fluid& fluid, double share, double speed) {
    const double depth = fluid.nz == 1 ? 0.0 : 1.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double away =
                std::hypot(i + 0.5 - 0.5 * fluid.nx, depth * (k + 0.5 - 0.5 * fluid.nz));
            const double inside = std::clamp(0.5 * share * fluid.nx - away + 0.5, 0.0, 1.0);
            double& below = fluid.v_given(i, fluid.ny, k);
            below = (1.0 - inside) * below - inside * speed;
        }
    }
}

/// A rocket's nozzle in the ceiling. Lengths are in widths of the box.
struct Nozzle {
    double x = 0.5;  ///< where its middle is
    double width = 0.1;
    double angle = 0.0;  ///< how far its jet is tilted to the right of straight down, in degrees
    double speed = 8.0;  ///< of what leaves it, in widths of the box a second
};

/// The velocity of what leaves a nozzle.
template <class Fluid>
auto jet_velocity(const Fluid& fluid, const Nozzle& nozzle) {
    const double angle = nozzle.angle * std::numbers::pi / 180.0;
    const double speed = nozzle.speed * fluid.h * fluid.nx;
    auto velocity = fluid.sides[2].velocity;
    velocity = {speed * std::sin(angle), speed * std::cos(angle), 0.0};
    return velocity;
}

/// Points the nozzle: its jet enters through a part of the ceiling, which must be an inflow
/// already. Nothing enters beside it. In a deep box it is as wide from front to back.
template <class Fluid>
void place_nozzle(Fluid& fluid, const Nozzle& nozzle) {
    const double depth = fluid.nz == 1 ? 0.0 : 1.0;
    const auto jet = jet_velocity(fluid, nozzle);
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double away =
                std::hypot(i + 0.5 - nozzle.x * fluid.nx, depth * (k + 0.5 - 0.5 * fluid.nz));
            const double inside = std::clamp(0.5 * nozzle.width * fluid.nx - away + 0.5, 0.0, 1.0);
            fluid.v_given(i, 0, k) = inside * jet.y;
        }
    }
    fluid.sides[2].velocity.x = jet.x;  // along the ceiling, only what enters brings it in
}

/// The momentum that enters through the ceiling each second, {to the right, down}: mass a second
/// times velocity. The rocket is pushed the other way. In a flat fluid this is for each unit of
/// depth, and a layer counts as that.
template <class Fluid>
std::array<double, 2> thrust(const Fluid& fluid) {
    const double area = fluid.nz == 1 ? fluid.h : fluid.h * fluid.h;
    double right = 0.0, down = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double velocity = fluid.v(i, 0, k);
            const double mass = fluid.rho * area * std::max(0.0, velocity);  // a second
            right += mass * fluid.sides[2].velocity.x;
            down += mass * velocity;
        }
    }
    return {right, down};
}

/// The volume that leaves the box each second, less what enters, and what all its cells are to
/// expand by. Where the velocity has been projected the two agree.
struct Balance {
    double outflow, expansion;
};

template <class Fluid>
Balance balance_of(const Fluid& fluid) {
    const double volume = fluid.h * fluid.h * (fluid.nz == 1 ? 1.0 : fluid.h);
    const double area = volume / fluid.h;
    Balance found = {0.0, 0.0};
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            found.outflow += area * (fluid.u(fluid.nx, j, k) - fluid.u(0, j, k));
            for (int i = 0; i < fluid.nx; ++i) {
                found.expansion += volume * fluid.expansion(i, j, k);
            }
        }
        for (int i = 0; i < fluid.nx; ++i) {
            found.outflow += area * (fluid.v(i, fluid.ny, k) - fluid.v(i, 0, k));
        }
    }
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            found.outflow += area * (fluid.w(i, j, fluid.nz) - fluid.w(i, j, 0));
        }
    }
    return found;
}
