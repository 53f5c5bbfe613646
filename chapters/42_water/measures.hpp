// What can be measured in water: how far it reaches, its energy and its divergence.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>

#include "42_water/surface.hpp"

/// Returns how far the water reaches to the right along the bottom of the box: the farthest place
/// where phi = 0 in any layer's lowest row.
template <class Fluid>
double front(const Fluid& fluid) {
    double farthest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double here = fluid.phi(i, fluid.ny - 1, k);
            const double next = phi_beside(fluid, i + 1, fluid.ny - 1, k);
            if (may_hold_water(fluid, i, fluid.ny - 1, k) && here < 0.0) {
                const double share = next < 0.0 ? 0.5 : here / (here - next);
                farthest = std::max(farthest, fluid.h * (i + 0.5 + share));
            }
        }
    }
    return farthest;
}

/// Returns how high the water stands at the left side of the box, above the bottom: the highest
/// place where phi = 0 in any layer's first column.
template <class Fluid>
double height(const Fluid& fluid) {
    double highest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            const double here = fluid.phi(0, j, k);
            const double above = phi_beside(fluid, 0, j - 1, k);
            if (may_hold_water(fluid, 0, j, k) && here < 0.0) {
                const double share = above < 0.0 ? 0.5 : here / (here - above);
                highest = std::max(highest, fluid.h * (fluid.ny - j - 0.5 + share));
            }
        }
    }
    return highest;
}

/// Returns the energy of the water: of its motion, and of its weight above the bottom of the box.
/// Each particle has its share of a full cell's mass.
template <class Fluid>
double energy_of_water(const Fluid& fluid) {
    const double cell = std::pow(fluid.h, fluid.nz > 1 ? 3.0 : 2.0);  // its area or volume
    const double mass = fluid.rho * cell / particles_in_full_cell(fluid);
    double sum = 0.0;
    for (const auto& particle : fluid.particles) {
        const auto& [u, v, w, dye] = particle.values;
        const auto place = particle.place;
        sum += 0.5 * (u * u + v * v + w * w) - fluid.force_x * place.x +
               fluid.force_y * (fluid.h * fluid.ny - place.y) - fluid.force_z * place.z;
    }
    return mass * sum;
}

/// The largest divergence of any cell of water, or without air of any cell. It is not 0, since
/// keep_volume makes some.
template <class Fluid>
double largest_divergence_of_water(const Fluid& fluid) {
    double largest = 0.0;
    for_each_point(fluid.pressure, [&](int i, int j, int k) {
        const auto label = label_at(fluid, i, j, k);
        if (label != decltype(label)::FLUID) {
            return;
        }
        const double here = std::abs(divergence_at(fluid, i, j, k));
        if (!std::isnan(largest) && !(here <= largest)) {  // a NaN is the largest of all
            largest = here;
        }
    });
    return largest;
}
