// Which cells the particles of a fluid are in, how many cells are empty, and how much dye there is.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

/// The column, the row and the layer of a cell.
struct PlaceInGrid {
    int i, j, k;
};

/// Finds the cell that a particle is in. A particle on the far side of the box is in the last cell.
template <class Fluid, class Particle>
PlaceInGrid cell_of(const Fluid& fluid, const Particle& particle) {
    return {std::min(static_cast<int>(particle.place.x / fluid.h), fluid.nx - 1),
            std::min(static_cast<int>(particle.place.y / fluid.h), fluid.ny - 1),
            std::min(static_cast<int>(particle.place.z / fluid.h), fluid.nz - 1)};
}

/// Counts the particles in each cell, in the order of the cells.
template <class Fluid>
std::vector<int> particles_in_cells(const Fluid& fluid) {
    std::vector<int> counts(fluid.density.values.size(), 0);
    for (const auto& particle : fluid.particles) {
        const PlaceInGrid cell = cell_of(fluid, particle);
        ++counts[static_cast<std::size_t>(fluid.density.IX(cell.i, cell.j, cell.k))];
    }
    return counts;
}

/// Returns how many cells of fluid have no particle, or 0 where there are no particles at all.
template <class Fluid>
double empty_cells(const Fluid& fluid) {
    if (fluid.particles.empty()) {
        return 0.0;
    }
    const std::vector<int> counts = particles_in_cells(fluid);
    double empty = 0.0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        if (counts[cell] == 0 && fluid.solid.values[cell] != 1.0) {
            empty += 1.0;
        }
    }
    return empty;
}

/// Adds up the dye of all particles.
template <class Fluid>
double dye_of_particles(const Fluid& fluid) {
    double sum = 0.0;
    for (const auto& particle : fluid.particles) {
        sum += particle.values[3];
    }
    return sum;
}
