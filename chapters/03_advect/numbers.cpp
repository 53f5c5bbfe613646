// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

namespace {

/// The sum over the fluid cells.
double total(const Field& field) {
    double sum = 0.0;
    for (int j = 1; j <= field.N; ++j) {
        for (int i = 1; i <= field.N; ++i) {
            sum += field(i, j);
        }
    }
    return sum;
}

/// Carries the dye of `fluid` for `steps` steps of `dt` seconds, in a flow that stays as it is and
/// without fading. Returns how much dye is left.
double left_after(int steps, Fluid fluid, float dt) {
    for (int k = 0; k < steps; ++k) {
        fluid.density_prev = fluid.density;
        advect(fluid.density, fluid.density_prev, fluid.u, fluid.v, dt);
    }
    return total(fluid.density);
}

/// Five cells of dye in a row, which flow to the right by a quarter of a cell in a step of 1/64
/// second. All else is still.
Fluid five_cells() {
    Fluid fluid(16);
    for (int i = 4; i <= 8; ++i) {
        fluid.density(i, 8) = 1.0f;
        fluid.u(i, 8) = 1.0f;
    }
    return fluid;
}

/// A disk of dye off the middle, in a flow that turns once in a second, like a plate.
Fluid turning_disk() {
    const int N = 64;
    Fluid fluid(N);
    const float turn = 2.0f * std::numbers::pi_v<float>;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float x = (static_cast<float>(i) - 32.5f) / 64.0f;
            const float y = (static_cast<float>(j) - 32.5f) / 64.0f;
            fluid.u(i, j) = -turn * y;
            fluid.v(i, j) = turn * x;
            fluid.density(i, j) = std::hypot(x - 0.12f, y - 0.07f) <= 0.1f ? 1.0f : 0.0f;
        }
    }
    return fluid;
}

}  // namespace

bool numbers(const Program&) {
    const Source source = source_at(7.3f, 4.8f, 16);
    Numbers numbers("03_advect: the tutorial's numbers beside ours");
    const std::string flow = "Skupnik, Let's get the flow going";
    numbers.printed("(7.3, 4.8): s0", 0.7, source.s0, flow);
    numbers.printed("(7.3, 4.8): s1", 0.3, source.s1, flow);
    numbers.printed("(7.3, 4.8): t0", 0.2, source.t0, flow);
    numbers.printed("(7.3, 4.8): t1", 0.8, source.t1, flow);
    numbers.printed("i0", 7, source.i0, flow);
    numbers.printed("j0", 4, source.j0, flow);
    numbers.checked("weight of (7, 4)", 0.14, source.s0 * source.t0, 1e-6, "0.7 * 0.2");
    numbers.checked("weight of (8, 4)", 0.06, source.s1 * source.t0, 1e-6, "0.3 * 0.2");
    numbers.checked("weight of (7, 5)", 0.56, source.s0 * source.t1, 1e-6, "0.7 * 0.8");
    numbers.checked("weight of (8, 5)", 0.24, source.s1 * source.t1, 1e-6, "0.3 * 0.8");

    Fluid fluid(16);
    fluid.density(5, 9) = 1.0f;
    std::fill(fluid.u.cells.begin(), fluid.u.cells.end(), 3.0f);
    std::fill(fluid.v.cells.begin(), fluid.v.cells.end(), -2.0f);
    const Field before = fluid.density;
    advect(fluid.density, before, fluid.u, fluid.v, 1.0f / 16.0f);
    numbers.checked("u 3, v -2, dt 1/16: all dye at (8, 7)", 1, fluid.density(8, 7), 0,
                    "dt * N * u = 3 cells");

    const float dt = 1.0f / 64.0f;
    numbers.checked("five cells flow into still fluid: dye", 5, total(five_cells().density), 0,
                    "1 in each");
    numbers.checked("  after a step", 4.75, left_after(1, five_cells(), dt), 1e-6,
                    "5 - 1/4: nobody reads it");
    numbers.checked("  after ten steps", 2.5236797, left_after(10, five_cells(), dt), 1e-5,
                    "binomial, (3/4 + 1/4)^10");
    Fluid behind(16);
    behind.density(3, 8) = 1.0f;
    behind.u(4, 8) = 1.0f;
    numbers.checked("dye 1, still beside a flow: after a step", 1.25, left_after(1, behind, dt),
                    1e-6, "1 + 1/4: read twice");
    const Fluid disk = turning_disk();
    const double w = 2.0 * std::numbers::pi;
    numbers.checked("a disk of dye, before it turns", 130, total(disk.density), 0, "cells in it");
    numbers.checked("  after a turn of 60 steps", 130 / std::pow(1 + w * w / 3600, 60),
                    left_after(60, disk, 1.0f / 60.0f), 0.1, "each step: over 1 + (2 pi / 60)^2");
    numbers.checked("  after a turn of 240 steps", 130 / std::pow(1 + w * w / 57600, 240),
                    left_after(240, disk, 1.0f / 240.0f), 0.1,
                    "each step: over 1 + (2 pi / 240)^2");
    return numbers.print();
}
