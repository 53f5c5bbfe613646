// What can be measured in a fluid on a staggered grid, for windows and tables of numbers. These are
// templates, so that every later chapter can measure its own Fluid with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "common/app/program.hpp"
#include "common/draw/faces.hpp"

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

/// Gives every open X and Y face a velocity of 1 or -1, alternating from face to face.
template <class Fluid>
void set_checkerboard(Fluid& fluid) {
    for (auto* field : {&fluid.u, &fluid.v}) {
        for (int k = 0; k < field->nz; ++k) {
            for (int j = 0; j < field->ny; ++j) {
                for (int i = 0; i < field->nx; ++i) {
                    (*field)(i, j, k) = (i + j) % 2 == 0 ? 1.0 : -1.0;
                }
            }
        }
    }
    set_bnd(fluid);
}

/// What a line of text says about cell (i, j, k).
template <class Fluid>
std::string description(const Fluid& fluid, int i, int j, int k) {
    using workbook::in_words;
    return "(" + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + ") dye " +
           in_words(fluid.density(i, j, k)) + " u " + in_words(fluid.u(i, j, k)) + ".." +
           in_words(fluid.u(i + 1, j, k)) + " v " + in_words(fluid.v(i, j, k)) + ".." +
           in_words(fluid.v(i, j + 1, k)) + " p " + in_words(fluid.pressure(i, j, k));
}

/// The fields that a window shows, of the fluid that `shown()` returns, in the layer that is
/// chosen.
template <class Shown>
void add_fields(workbook::Program& program, Shown shown, const int& layer) {
    const auto field = [&](const std::string& name, auto value, float full_at, bool is_signed,
                           const std::string& unit) {
        const auto rounded = [shown, value, &layer](int i, int j) {
            return static_cast<float>(workbook::without_rounding(value(shown(), i, j, layer)));
        };
        program.description.fields.push_back({name, rounded, full_at, is_signed, unit});
    };
    const auto dye = [](auto& f, int i, int j, int k) { return f.density(i, j, k); };
    const auto speed = [](auto& f, int i, int j, int k) { return speed_of_cell(f, i, j, k); };
    const auto div = [](auto& f, int i, int j, int k) { return divergence_at(f, i, j, k); };
    const auto pressure = [](auto& f, int i, int j, int k) { return f.pressure(i, j, k); };
    const auto vorticity = [](auto& f, int i, int j, int k) { return vorticity_at(f, i, j, k); };
    const auto u = [](auto& f, int i, int j, int k) { return f.u(i, j, k); };
    const auto v = [](auto& f, int i, int j, int k) { return f.v(i, j, k); };
    field("dye", dye, 1.0f, false, "in a cell");
    field("speed", speed, 0.0f, false, "length/s");
    field("divergence", div, 0.0f, true, "1/s");
    field("pressure", pressure, 0.0f, true, "mass/(length s^2)");
    field("vorticity", vorticity, 0.0f, true, "1/s");
    field("u", u, 0.0f, true, "length/s");
    field("v", v, 0.0f, true, "length/s");
}
