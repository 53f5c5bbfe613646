// Still air in which scenes begin: a box of it one wide, with nothing in it yet.
#pragma once

#include "common/app/program.hpp"
#include "window/window.hpp"

/// Takes a box of that size, unless a flag asks for another one. A deep box gets fewer cells.
template <class Fluid>
void set_air_size(Window<Fluid>& window, workbook::Box flat, workbook::Box deep) {
    const workbook::Box size = window.program.simulation.box.nz == 1 ? flat : deep;
    window.set_size(size.nx, size.ny);
}

/// Takes steps of that length, unless a flag asks for others.
template <class Fluid>
void set_step(Window<Fluid>& window, double dt) {
    if (!window.program.session.was_given("dt")) {
        window.program.simulation.dt = dt;
    }
}

/// Still air in a box one wide, with one source of smoke: nothing is viscous, the upper side may be
/// open, and the walls are insulated.
template <class Fluid>
void begin_air(Window<Fluid>& window, bool is_open) {
    const Fluid& fluid = window.fluid;
    const bool is_flat = fluid.nz == 1;
    window.set("cell_size", 1.0 / fluid.nx);
    window.set({
        {"nu", 0.0},
        {"advection", 1},
        {"solver", 4},
        {"tolerance", is_flat ? 1e-6 : 1e-4},
        {"above", is_open ? 2 : 0},
        {"left", 0},
        {"right", 0},
        {"below", 0},
        {"before", 0},
        {"behind", 0},
        {"alpha", 0.0},
        {"beta", 4.0 * fluid.h * fluid.nx},
        {"kappa", 0.0},
        {"cooling", 0.3},
        {"epsilon", is_flat ? 0.3 : 0.5},
        {"velocity_draw_scale", 8.0},
        {"sources", 1},
        {"two_colours", 0},
        {"body_size", 0.0},
        {"stripes", 0},
        {"rake", 0},
    });
    set_step(window, is_flat ? 0.01 : 0.02);
    window.apply();
}
