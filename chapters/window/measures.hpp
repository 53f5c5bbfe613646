// What can be measured in a fluid on a staggered grid, for windows and tables of numbers.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>

template <class Field>
double total(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

/// Half the mass times the square of the velocity, each face counted as a cell.
template <class Fluid>
double kinetic_energy(const Fluid& fluid) {
    double squares = 0.0;
    for (const auto* field : {&fluid.u, &fluid.v, &fluid.w}) {
        for (const double value : field->values) {
            squares += value * value;
        }
    }
    return 0.5 * fluid.rho * fluid.h * fluid.h * fluid.h * squares;
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
template <class Fluid>
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double here = std::abs(divergence_at(fluid, i, j, k));
                if (!std::isfinite(here)) {
                    return here;
                }
                largest = std::max(largest, here);
            }
        }
    }
    return largest;
}

/// The velocity at the centre of cell (i, j, k).
template <class Fluid>
auto velocity_of_cell(const Fluid& fluid, int i, int j, int k) {
    return velocity_at(fluid, {fluid.h * (i + 0.5), fluid.h * (j + 0.5), fluid.h * (k + 0.5)});
}

template <class Fluid>
double speed_of_cell(const Fluid& fluid, int i, int j, int k) {
    const auto velocity = velocity_of_cell(fluid, i, j, k);
    return std::hypot(velocity.x, velocity.y, velocity.z);
}

/// How much the fluid turns, clockwise on the screen, around the centre of cell (i, j, k).
template <class Fluid>
double vorticity_at(const Fluid& fluid, int i, int j, int k) {
    const double h = fluid.h;
    const double x = h * (i + 0.5), y = h * (j + 0.5), z = h * (k + 0.5);
    const double down =
        interpolate(fluid.v, h, {x + 0.5 * h, y, z}) - interpolate(fluid.v, h, {x - 0.5 * h, y, z});
    const double right =
        interpolate(fluid.u, h, {x, y + 0.5 * h, z}) - interpolate(fluid.u, h, {x, y - 0.5 * h, z});
    return (down - right) / h;
}
