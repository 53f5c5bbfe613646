// For tests of the staggered grid, from 11_mac on: boxes that are full of numbers without any
// pattern, and what is largest in a field.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "catch.hpp"
#include "larger.hpp"
#include "solver.hpp"

/// The size of a box, or the place of a cell.
inline std::string words_of(int i, int j, int k) {
    return "(" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k) + ")";
}

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine.
inline void make_bumpy(Field& field, std::uint32_t seed) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

/// A box that flows along every axis that is longer than one cell.
inline Fluid bumpy_fluid(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid(nx, ny, nz);
    make_bumpy(fluid.u, seed);
    make_bumpy(fluid.v, seed + 1);
    make_bumpy(fluid.w, seed + 2);
    make_bumpy(fluid.density, seed + 3);
    set_bnd(fluid);
    return fluid;
}

inline double largest(const Field& field) {
    double found = 0.0;
    for (const double value : field.values) {
        found = larger(found, std::abs(value));
    }
    return found;
}

inline double distance(const Field& a, const Field& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        found = larger(found, std::abs(a.values[k] - b.values[k]));
    }
    return found;
}

/// Writes the equations of the pressure down as a matrix, in chapters in which they are one. From
/// 19_obstacles on more belongs to it.
template <class Fluid>
void write_equations_down(Fluid& fluid) {
    if constexpr (requires { update_matrix(fluid); }) {
        update_matrix(fluid);
    } else if constexpr (requires { fluid.matrix; }) {
        fluid.matrix = pressure_matrix(fluid);
    }
}

inline Eigen::VectorXd as_vector(const Field& field) {
    return Eigen::VectorXd::Map(field.values.data(),
                                static_cast<Eigen::Index>(field.values.size()));
}
