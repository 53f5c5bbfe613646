// What a derivative costs: a run that keeps its states and the run back, over a run alone that
// keeps nothing. All take turns in one thread, and each figure is the median of five, as processor
// time. Compare figures of one run only. The last line is for peers/gradients.py, which gives
// another solver the same task.
//
//     cmake --build build --target benchmark_61 && build/bin/benchmark_61
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "61_adjoint/solver.hpp"
#include "window/flows.hpp"

namespace {

constexpr int steps = 40, peer_steps = 10;
constexpr double dt = 0.025;

/// A smooth spot of dye around a place, in widths of the box.
void set_spot(Field& dye, double x, double y) {
    for_each_point(dye, [&](int i, int j, int k) {
        const double dx = (i + 0.5) / dye.nx - x;
        const double dy = (j + 0.5) / dye.ny - y;
        dye(i, j, k) = std::exp(-50.0 * (dx * dx + dy * dy));
    });
}

/// A vortex that carries a spot of dye, in a box whose cells are 1 wide.
Fluid vortex(int nx, int ny, int nz) {
    Fluid fluid(nx, ny, nz);
    fluid.tolerance = 1e-6;
    fluid.iterations = 1000;
    set_vortices(fluid, 1);
    set_spot(fluid.density, 0.4, 0.35);
    return fluid;
}

/// The derivative of half the squared difference from a spot elsewhere, and that difference.
struct Found {
    double J;
    Derivative by;
};

Found derivative_of(Fluid fluid, int steps_made) {
    Field wanted = fluid.density;
    set_spot(wanted, 0.6, 0.6);
    const std::vector<State> states = run_forwards(fluid, steps_made, dt);
    Derivative by = zero_derivative(fluid);
    by.density = states.back().density;
    add_scaled(by.density, -1.0, wanted);
    const double J = 0.5 * dot(by.density, by.density);
    return {J, run_backwards(fluid, states, by, dt).front()};
}

template <class Work>
double seconds_of(const Work& work) {
    const std::clock_t before = std::clock();
    work();
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Prints a row.
void compare(int nx, int ny, int nz) {
    std::vector<double> alone, whole;
    for (int n = 0; n < 5; ++n) {
        Fluid fluid = vortex(nx, ny, nz);
        alone.push_back(seconds_of([&] {
            for (int made = 0; made < steps; ++made) {
                step(fluid, dt);
            }
        }));
        whole.push_back(seconds_of([&] { derivative_of(vortex(nx, ny, nz), steps); }));
    }
    const std::string cells =
        std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz);
    std::printf("%-14s %12.1f %15.1f %8.2f\n", cells.c_str(), 1e3 * median(alone),
                1e3 * median(whole), median(whole) / median(alone));
}

}  // namespace

int main() {
    std::printf("%-14s %12s %15s %8s\n", "cells", "a run, ms", "derivative, ms", "ratio");
    compare(48, 48, 1);
    compare(128, 128, 1);
    compare(20, 30, 20);
    std::vector<double> times;
    for (int n = 0; n < 5; ++n) {
        times.push_back(seconds_of([] { derivative_of(vortex(48, 48, 1), peer_steps); }));
    }
    const Found found = derivative_of(vortex(48, 48, 1), peer_steps);
    std::printf("peer %d steps: %.6f s, J %.6f, by the dye %.6f (2-norm)\n", peer_steps,
                median(times), found.J, std::sqrt(dot(found.by.density, found.by.density)));
}
