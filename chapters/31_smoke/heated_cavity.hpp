// The heated cavity in the window: its scene, its Rayleigh number, and how much heat crosses it.
#pragma once

#include <memory>

#include "31_smoke/cavity.hpp"
#include "common/app/program.hpp"
#include "window/flows.hpp"
#include "window/still_air.hpp"
#include "window/window.hpp"

/// Air at rest between a warm wall and a cold one, with dye in stripes.
template <class Fluid>
void begin_cavity(Window<Fluid>& window, double rayleigh) {
    Fluid& fluid = window.fluid;
    window.set("cell_size", 1.0 / fluid.nx);
    Fluid cavity = fluid;
    begin_heated_cavity(cavity, rayleigh);
    for (const int side : {0, 1}) {
        fluid.sides[side] = cavity.sides[side];
    }
    window.set({
        {"alpha", cavity.alpha},
        {"beta", cavity.beta},
        {"kappa", cavity.kappa},
        {"nu", cavity.nu},
        {"cooling", cavity.cooling},
        {"epsilon", cavity.epsilon},
        {"advection", 1},
        {"solver", 4},
        {"tolerance", fluid.nz == 1 ? 1e-6 : 1e-4},
        {"stripes", 0},
        {"rake", 0},
    });
    set_step(window, heated_cavity_dt(fluid, rayleigh));
    window.apply();
    set_dye(fluid, [](double, double y) { return static_cast<int>(8.0 * y) % 2 == 1; });
}

/// Adds the scene heated-cavity, and the Nusselt number of a box between two walls that heat.
template <class Fluid>
void add_heated_cavity(Window<Fluid>& window) {
    const auto is_heated = [&window] {
        return window.fluid.sides[0].heats && window.fluid.sides[1].heats;
    };
    const auto rayleigh = std::make_shared<double>(1e5);
    window.add({"rayleigh", rayleigh.get(), "of the scene heated-cavity", 1e9, 1.0}, is_heated);
    window.add({"nusselt", [&window] { return mean_nusselt(window.fluid); }, true, is_heated});
    window.add_scene("heated-cavity", "air between a warm wall and a cold one (de Vahl Davis)",
                     [&window, rayleigh] {
                         set_air_size(window, {64, 64, 1}, {32, 32, 32});
                         begin_cavity(window, *rayleigh);
                     });
}
