// Water for ParaView.
#pragma once

#include <array>

#include "common/io/output.hpp"
#include "common/io/vti.hpp"
#include "window/window.hpp"

/// Writes phi and the velocity at the centres of the cells. The water is where phi is below 0. As
/// everywhere here, y points down. (ParaView opens the particles of --save, too.)
template <class Fluid>
void write_vti(const Fluid& fluid, const workbook::OutputFile& file) {
    const auto phi = [&fluid](int, int i, int j, int k) {
        return static_cast<float>(fluid.phi(i, j, k));
    };
    const auto velocity = [&fluid](int axis, int i, int j, int k) {
        if (axis == 0) {
            return static_cast<float>(0.5 * (fluid.u(i, j, k) + fluid.u(i + 1, j, k)));
        }
        if (axis == 1) {
            return static_cast<float>(0.5 * (fluid.v(i, j, k) + fluid.v(i, j + 1, k)));
        }
        return static_cast<float>(0.5 * (fluid.w(i, j, k) + fluid.w(i, j, k + 1)));
    };
    workbook::save_vti(file, std::array<int, 3>{fluid.nx, fluid.ny, fluid.nz}, 0.0, fluid.h,
                       {{"phi", 1, phi}, {"velocity", 3, velocity}});
}

/// Adds the flag --vti.
template <class Fluid>
void add_vti(Window<Fluid>& window) {
    window.program.description.outputs.push_back(
        {"--vti", "write phi and the velocity for ParaView",
         [&window](const workbook::OutputFile& file) { write_vti(window.fluid, file); }});
}
