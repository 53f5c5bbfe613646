// How many iterations the pressure of water takes.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cstddef>

#include "42_water/parts.hpp"

/// Returns how many iterations the last solution for the pressure took.
template <class Fluid>
int iterations_of(const Fluid& fluid) {
    return std::max(1, static_cast<int>(fluid.residuals.size())) - 1;  // the first is before them
}

/// Lets water flow for that many steps of a sixtieth of a second, and returns the most iterations
/// that one solution for the pressure took. `prepare` is called before each part of a step.
template <class Fluid, class Prepare>
int most_iterations(Fluid& fluid, int steps, Prepare prepare) {
    int most = 0;
    for (int n = 0; n < steps; ++n) {
        step_in_parts(fluid, 1.0 / 60.0, 50, [&] {
            most = std::max(most, iterations_of(fluid));
            prepare();
        });
    }
    return std::max(most, iterations_of(fluid));
}

/// Returns how many iterations the projection of water takes if its surface lies as close as
/// possible to each centre beside it. Then each of these faces has the largest weight, 20. The
/// velocity is the one that the particles have brought.
template <class Fluid>
int iterations_at_least_theta(Fluid fluid) {
    for (std::size_t cell = 0; cell < fluid.phi.values.size(); ++cell) {
        double& phi = fluid.phi.values[cell];
        phi = fluid.h * (phi < 0.0 ? -0.01 : 0.99);
    }
    fluid.u = fluid.brought[0];
    fluid.v = fluid.brought[1];
    fluid.w = fluid.brought[2];
    fluid.kappa = 0.0;
    project(fluid, 1.0 / 60.0);
    return iterations_of(fluid);
}
