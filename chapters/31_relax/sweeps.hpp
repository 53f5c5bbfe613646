// What shows sweeps at work, for the windows of this chapter and of those that follow: a field and
// a scene.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/app/program.hpp"

/// Adds the field "residual" of the fluid that `shown()` returns, in the layer that is chosen. It
/// is shown by powers of ten, with its sign: the brightest is as large as the largest right-hand
/// side, and black is 1e-6 of that.
template <class Shown>
void add_residual_field(workbook::Program& program, Shown shown, const int& layer) {
    double largest = 1e-300;
    const auto value = [shown, &layer, largest](int i, int j) mutable {
        const auto& fluid = shown();
        if (i == 0 && j == 0) {  // a new picture begins
            largest = 1e-300;
            for (const double rhs : fluid.rhs.values) {
                largest = std::max(largest, std::abs(rhs));
            }
        }
        const auto found = neighbour_sum(fluid.pressure, i, j, layer);
        const double r =
            fluid.rhs(i, j, layer) - (found.count * fluid.pressure(i, j, layer) - found.sum);
        const double size = std::max(0.0, 1.0 + std::log10(std::abs(r) / largest + 1e-9) / 6.0);
        return static_cast<float>(std::copysign(size, r));
    };
    program.description.fields.push_back(
        {"residual", value, 1.0f, true, "1: the largest right-hand side, 0: 1e-6 of it"});
}

/// Adds the scene "noise": a velocity without any pattern on every open face, the same on every
/// machine.
template <class Fluid>
void add_noise_scene(workbook::Program& program, Fluid& fluid) {
    const auto play = [&fluid] {
        std::uint32_t seed = 11;
        for (auto* field : {&fluid.u, &fluid.v, &fluid.w}) {
            for (double& value : field->values) {
                seed = seed * 1664525u + 1013904223u;
                value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
            }
        }
        set_bnd(fluid);
    };
    program.description.scenes.push_back(
        {"noise", "a velocity without any pattern on every face", play});
}
