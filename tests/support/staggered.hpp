// Fluids on the staggered grid for tests, from 12_matrix on: boxes full of numbers, and what can be
// measured in them.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bumpy.hpp"
#include "catch.hpp"
#include "larger.hpp"
#include "solver.hpp"

/// The tutorial's box with its one pushed face, carried for 0.1 seconds.
inline Fluid carried_pinwheel() {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    return fluid;
}

/// The fluid after one projection by that solver. (12_matrix has but one, and no name for it.)
template <class Fluid, class Solver>
Fluid projected(Fluid fluid, Solver solver, double dt, double tolerance = 1e-13) {
    fluid.solver = solver;
    fluid.tolerance = tolerance;
    fluid.iterations = 20000;
    project(fluid, dt);
    return fluid;
}

inline double largest_divergence(const Fluid& fluid) {
    double found = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                found = larger(found, std::abs(divergence_at(fluid, i, j, k)));
            }
        }
    }
    return found;
}

inline void check_values(const Field& field, const std::vector<double>& expected,
                         const char* name) {
    REQUIRE(field.values.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        INFO(name << "[" << k << "]");
        CHECK_THAT(field.values[k], WithinAbs(expected[k], 1e-12));
    }
}

/// The field p of a box of that size, as bumpy as can be.
inline Field bumpy_pressure(int nx, int ny, int nz, std::uint32_t seed) {
    Field p(nx, ny, nz, {0.5, 0.5, 0.5});
    make_bumpy(p, seed);
    return p;
}

/// A of a box, told cell by cell: whatever the chapter's assemble_matrix does.
inline Eigen::MatrixXd expected_matrix(const Field& p) {
    const auto cells = static_cast<Eigen::Index>(p.values.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(cells, cells);
    const auto couple = [&](int a, int b) {
        matrix(a, a) += 1.0;
        matrix(b, b) += 1.0;
        matrix(a, b) = matrix(b, a) = -1.0;
    };
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                if (i > 0) {
                    couple(p.IX(i - 1, j, k), p.IX(i, j, k));
                }
                if (j > 0) {
                    couple(p.IX(i, j - 1, k), p.IX(i, j, k));
                }
                if (k > 0) {
                    couple(p.IX(i, j, k - 1), p.IX(i, j, k));
                }
            }
        }
    }
    return matrix;
}

/// Mirrors a box from end to end along one axis (0, 1 or 2).
inline Fluid mirrored(const Fluid& fluid, int axis) {
    Fluid result = fluid;
    const auto mirror = [&](Field& to, const Field& from, bool is_along) {
        const std::array<int, 3> size = {from.nx, from.ny, from.nz};
        for (int k = 0; k < from.nz; ++k) {
            for (int j = 0; j < from.ny; ++j) {
                for (int i = 0; i < from.nx; ++i) {
                    std::array<int, 3> at = {i, j, k};
                    at[axis] = size[axis] - 1 - at[axis];
                    to(at[0], at[1], at[2]) = is_along ? -from(i, j, k) : from(i, j, k);
                }
            }
        }
    };
    mirror(result.u, fluid.u, axis == 0);
    mirror(result.v, fluid.v, axis == 1);
    mirror(result.w, fluid.w, axis == 2);
    mirror(result.density, fluid.density, false);
    mirror(result.pressure, fluid.pressure, false);
    return result;
}
