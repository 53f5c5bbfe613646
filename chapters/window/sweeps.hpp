// What shows sweeps at work: a field and a scene.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "window/window.hpp"

/// Adds the field "residual", in the layer that is chosen. It is shown by powers of ten, with its
/// sign: the brightest is as large as the largest right-hand side, and black is 1e-6 of that.
template <class Fluid>
void add_residual_field(Window<Fluid>& window) {
    const auto largest = std::make_shared<double>();  // right-hand side, of any cell
    const auto find_largest = [&window, largest] {
        *largest = 1e-300;
        for (const double rhs : window.fluid.rhs.values) {
            *largest = std::max(*largest, std::abs(rhs));
        }
    };
    window.at_reset.add([find_largest](workbook::Box) { find_largest(); });
    window.after_step.add([find_largest](double) { find_largest(); });

    const auto value = [&window, largest](int i, int j) {
        const Fluid& fluid = window.fluid;
        const int k = window.box.layer;
        const auto& A = fluid.matrix;
        const auto& p = fluid.pressure;
        const double product = A.diagonal(i, j, k) * p(i, j, k) - neighbour_sum(A, p, i, j, k);
        const double r = fluid.rhs(i, j, k) - product;
        const double size = std::max(0.0, 1.0 + std::log10(std::abs(r) / *largest + 1e-9) / 6.0);
        return static_cast<float>(std::copysign(size, r));
    };
    window.program.description.fields.push_back(
        {"residual", value, 1.0f, true, "1: the largest right-hand side, 0: 1e-6 of it"});
}

/// Adds the scene "noise": a velocity without any pattern on every open face, the same on every
/// machine.
template <class Fluid>
void add_noise(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    window.add_scene("noise", "a velocity without any pattern on every face", [&fluid] {
        std::uint32_t seed = 11;
        for (auto* field : {&fluid.u, &fluid.v, &fluid.w}) {
            for (double& value : field->values) {
                seed = seed * 1664525u + 1013904223u;
                value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
            }
        }
        set_bnd(fluid);
    });
}
