// How many iterations the pressure of water takes.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>

#include "42_water/parts.hpp"

/// Returns how many iterations the last solution for the pressure took.
template <class Fluid>
int iterations_of(const Fluid& fluid) {
    return std::max(1, static_cast<int>(fluid.residuals.size())) - 1;  // the first is before them
}

/// Returns how many iterations the projection of water takes if theta is 0.05 at every face between
/// water and air. This is the least theta that weight_of_surface uses: the surface lies very close
/// to the water's centres. Each of these faces has the largest weight, 1 / 0.05 = 20. The velocity
/// is the one that the particles have brought.
template <class Fluid>
int iterations_at_least_theta(Fluid fluid) {
    for (double& phi : fluid.phi.values) {
        phi = fluid.h * (phi < 0.0 ? -0.01 : 0.99);
    }
    fluid.u = fluid.brought[0];
    fluid.v = fluid.brought[1];
    fluid.w = fluid.brought[2];
    fluid.kappa = 0.0;
    project(fluid, 1.0 / 60.0);
    return iterations_of(fluid);
}

/// The most iterations that one projection took, and the most that one would take with theta 0.05
/// at every face between water and air.
struct MostIterations {
    int usual = 0, at_least_theta = 0;
};

/// Lets water flow for that many steps of a sixtieth of a second, and counts the iterations of all
/// projections. Those with theta 0.05 are counted at every tenth step. Before each part of a step,
/// `prepare` is told how long it will be.
template <class Fluid, class Prepare>
MostIterations most_iterations(Fluid& fluid, int steps, Prepare prepare) {
    MostIterations most;
    const auto count = [&] { most.usual = std::max(most.usual, iterations_of(fluid)); };
    for (int n = 1; n <= steps; ++n) {
        step_in_parts(fluid, 1.0 / 60.0, 50, [&](double part) {
            count();
            prepare(part);
        });
        if (n % 10 == 0) {
            most.at_least_theta = std::max(most.at_least_theta, iterations_at_least_theta(fluid));
        }
    }
    count();
    return most;
}
