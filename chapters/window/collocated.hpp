// 07_project's fluid, whose velocities sit at the centres of the cells, to stand beside a fluid on
// a staggered grid. It is in a namespace of its own, because its names are those of later chapters
// as well.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/app/box.hpp"

namespace collocated {
#include "07_project/solver.hpp"

/// Writes the walls' values, which mirror or copy those of the cells beside them.
inline void set_walls(Fluid& fluid) {
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    set_bnd(BoundaryType::SCALAR, fluid.density);
}

/// A fluid of N x N cells that does what the staggered one does: its dye and its velocity are
/// carried and projected, but neither fades nor spreads.
inline Fluid plain_fluid(int N) {
    Fluid fluid(N);
    fluid.density_fade_rate = 0.0f;
    fluid.density_diffuse_rate = 0.0f;
    fluid.diffuse_velocity = false;
    return fluid;
}

/// The same for a square of a staggered fluid, with its dye and its velocity at the centres.
template <class Staggered>
Fluid fluid_like(const Staggered& staggered) {
    const double h = staggered.h;
    const double width = h * staggered.nx;  // 07_project measures in widths of the whole grid
    Fluid fluid = plain_fluid(staggered.nx);
    for (int j = 0; j < staggered.ny; ++j) {
        for (int i = 0; i < staggered.nx; ++i) {
            const auto velocity = velocity_at(staggered, {h * (i + 0.5), h * (j + 0.5), 0.5 * h});
            fluid.u(i + 1, j + 1) = static_cast<float>(velocity.x / width);
            fluid.v(i + 1, j + 1) = static_cast<float>(velocity.y / width);
            fluid.density(i + 1, j + 1) = static_cast<float>(staggered.density(i, j, 0));
        }
    }
    set_walls(fluid);
    return fluid;
}

/// Half the square of the velocity, summed over the cells.
inline double kinetic_energy(const Fluid& fluid) {
    double sum = 0.0;
    for (int j = 1; j <= fluid.u.N; ++j) {
        for (int i = 1; i <= fluid.u.N; ++i) {
            sum += 0.5 * (std::pow(fluid.u(i, j), 2) + std::pow(fluid.v(i, j), 2));
        }
    }
    return sum;
}

}  // namespace collocated
