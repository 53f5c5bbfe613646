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
    window.set("nu", 0.0);
    window.set("advection", 1);
    window.set("solver", is_flat ? 1 : 3);
    window.set("tolerance", is_flat ? 1e-8 : 3e-2);
    window.set("above", is_open ? 2 : 0);
    for (const char* side : {"left", "right", "below", "before", "behind"}) {
        window.set(side, 0);
    }
    window.set("alpha", 0.0);
    window.set("beta", 4.0 * fluid.h * fluid.nx);
    window.set("kappa", 0.0);
    window.set("cooling", 0.3);
    window.set("epsilon", is_flat ? 0.3 : 0.5);
    window.set("velocity_draw_scale", 8.0);
    window.set("sources", 1);
    window.set("two_colours", 0);
    window.set("body_size", 0.0);
    window.set("stripes", 0);
    window.set("rake", 0);
    set_step(window, is_flat ? 0.01 : 0.02);
    window.apply();
}
