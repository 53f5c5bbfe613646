// How the scenes of this chapter fill a box with water.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "window/seed.hpp"

/// Fills the part of the box where is_water(x, y, z) with particles, and the rest is air. Places
/// are in the unit of h. With `jitter` 1 each particle is somewhere in its quarter of a cell, as in
/// 41_particles, and with 0 in the middle of it.
template <class Fluid, class IsWater>
void fill_with_water(Fluid& fluid, IsWater is_water, double jitter) {
    fluid.has_air = true;
    seed_particles(fluid);
    const auto nearer_to_middle = [&fluid, jitter](double place) {
        const double middle = fluid.h * (0.5 * std::floor(2.0 * place / fluid.h) + 0.25);
        return middle + jitter * (place - middle);
    };
    for (auto& particle : fluid.particles) {
        particle.place.x = nearer_to_middle(particle.place.x);
        particle.place.y = nearer_to_middle(particle.place.y);
        if (fluid.nz > 1) {
            particle.place.z = nearer_to_middle(particle.place.z);
        }
    }
    std::erase_if(fluid.particles, [&](const auto& particle) {
        return !is_water(particle.place.x, particle.place.y, particle.place.z);
    });
    particles_to_grid(fluid);
}

/// Fills a flat box with water of that depth, on which the longest wave of the box stands: its
/// surface is raised by `amplitude` at the left wall and lowered by as much at the right one. The
/// particles of still water are moved to where a small wave moves them (linear theory). This keeps
/// them evenly spread.
template <class Fluid>
void fill_with_wave(Fluid& fluid, double depth, double amplitude) {
    const double bottom = fluid.h * fluid.ny, k = std::numbers::pi / (fluid.h * fluid.nx);
    fill_with_water(
        fluid, [&](double, double y, double) { return y > bottom - depth; }, 0.0);
    for (auto& particle : fluid.particles) {
        const double x = particle.place.x, above = bottom - particle.place.y;
        const double scale = amplitude / std::sinh(k * depth);
        particle.place.x -= scale * std::sin(k * x) * std::cosh(k * above);
        particle.place.y -= scale * std::cos(k * x) * std::sinh(k * above);
    }
    particles_to_grid(fluid);
}

/// Fills the lower left corner of a box with a column of water that is twice as high as it is wide.
/// Its width, which is returned, is 15/64 of that of the box, so that the front can run more than
/// three times as far. In a low box the column is as high as the box allows.
template <class Fluid>
double fill_dam(Fluid& fluid) {
    const double bottom = fluid.h * fluid.ny;
    const double a = std::min(15.0 / 64.0 * fluid.h * fluid.nx, 0.5 * bottom);
    fill_with_water(
        fluid, [&](double x, double y, double) { return x < a && y > bottom - 2.0 * a; }, 0.5);
    return a;
}

/// Fills a box with a pool and a drop above it. Both are at rest.
template <class Fluid>
void fill_drop(Fluid& fluid) {
    const double width = fluid.h * fluid.nx, bottom = fluid.h * fluid.ny;
    const double z_middle = 0.5 * fluid.h * fluid.nz;
    fill_with_water(
        fluid,
        [&](double x, double y, double z) {
            const double deep = fluid.nz > 1 ? z - z_middle : 0.0;
            return y > 0.75 * bottom ||
                   std::hypot(x - 0.5 * width, y - 0.3 * bottom, deep) < 0.13 * width;
        },
        0.5);
}

/// Fills a box with a pool and two drops above it, one higher than the other. All are at rest.
template <class Fluid>
void fill_drops(Fluid& fluid) {
    const double width = fluid.h * fluid.nx;
    const double bottom = fluid.h * fluid.ny;
    const double z_middle = 0.5 * fluid.h * fluid.nz;
    const double radius = 0.13 * width;
    fill_with_water(
        fluid,
        [&](double x, double y, double z) {
            const double deep = fluid.nz > 1 ? z - z_middle : 0.0;
            const double to_left = std::hypot(x - 0.3 * width, y - 0.28 * bottom, deep);
            const double to_right = std::hypot(x - 0.68 * width, y - 0.48 * bottom, deep);
            return y > 0.8 * bottom || to_left < radius || to_right < radius;
        },
        0.5);
}

/// Puts a round solid body into a box, and beside it a column of water, which will collapse: the
/// left 35 % of the box is filled to four fifths of its height.
template <class Fluid>
void fill_tank_with_body(Fluid& fluid) {
    const double width = fluid.h * fluid.nx;
    const double bottom = fluid.h * fluid.ny;
    const double z_middle = 0.5 * fluid.h * fluid.nz;
    for_each_point(fluid.solid, [&](int i, int j, int k) {
        const double x = fluid.h * (i + 0.5) - 0.55 * width;
        const double y = fluid.h * (j + 0.5) - 0.7 * bottom;
        const double z = fluid.nz > 1 ? fluid.h * (k + 0.5) - z_middle : 0.0;
        fluid.solid(i, j, k) = std::hypot(x, y, z) < 0.13 * width ? 1.0 : 0.0;
    });
    fill_with_water(
        fluid, [&](double x, double y, double) { return x < 0.35 * width && y > 0.2 * bottom; },
        0.5);
}
