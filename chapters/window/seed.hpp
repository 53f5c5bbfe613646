// Particles that fill a box.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <random>

/// Fills the fluid with particles: four in each cell, two along each axis, and each somewhere in
/// its quarter. In a box that is more than one layer deep there are eight. They have brought
/// nothing to the grid yet. So all that the grid holds is a change, which the next
/// grid_to_particles tells them.
template <class Fluid>
void seed_particles(Fluid& fluid) {
    std::mt19937 random;  // begins with the same number each time
    const bool is_flat = fluid.nz == 1;
    const auto somewhere = [&](int half) {  // of a cell: the half-th from the corner of the box
        return fluid.h * (0.5 * half + 0.5 * static_cast<double>(random()) / 4294967296.0);
    };
    fluid.particles.clear();
    for (int k = 0; k < (is_flat ? 1 : 2 * fluid.nz); ++k) {
        for (int j = 0; j < 2 * fluid.ny; ++j) {
            for (int i = 0; i < 2 * fluid.nx; ++i) {
                typename decltype(fluid.particles)::value_type particle = {};
                particle.place = {somewhere(i), somewhere(j),
                                  is_flat ? 0.5 * fluid.h : somewhere(k)};
                if (is_in_fluid(fluid, particle.place)) {
                    fluid.particles.push_back(particle);
                }
            }
        }
    }
    fluid.brought = Fluid(fluid.nx, fluid.ny, fluid.nz).brought;
}
