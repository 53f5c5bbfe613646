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

/// Gives every cell a velocity of 1 or -1 cell a second, alternating from cell to cell.
inline void set_checkerboard(Fluid& fluid) {
    const int N = fluid.u.N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            fluid.u(i, j) = ((i + j) % 2 == 0 ? 1.0f : -1.0f) / static_cast<float>(N);
            fluid.v(i, j) = fluid.u(i, j);
        }
    }
    set_walls(fluid);
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

/// The value of the field of that name in cell (i, j), where lengths are in cells as in the
/// staggered grid.
inline float value_of(const Fluid& fluid, const std::string& field, int i, int j) {
    const auto width = static_cast<float>(fluid.u.N);
    if (field == "dye") {
        return fluid.density(i, j);
    }
    if (field == "pressure") {
        return fluid.pressure(i, j);
    }
    if (field == "divergence") {
        return divergence_at(fluid.u, fluid.v, i, j);
    }
    if (field == "vorticity") {
        return 0.5f * width *
               (fluid.v(i + 1, j) - fluid.v(i - 1, j) - fluid.u(i, j + 1) + fluid.u(i, j - 1));
    }
    const float u = fluid.u(i, j) * width;
    const float v = fluid.v(i, j) * width;
    return field == "u" ? u : field == "v" ? v : std::hypot(u, v);
}

/// How the window shows this fluid, which must stay where it is.
inline workbook::OtherGrid other_grid(const Fluid& fluid) {
    return {
        "07_project, collocated",
        [&fluid](const std::string& field, int i, int j) {
            return value_of(fluid, field, i + 1, j + 1);
        },
        [&fluid](int i, int j) { return std::pair(fluid.u(i + 1, j + 1), fluid.v(i + 1, j + 1)); }};
}

}  // namespace collocated
