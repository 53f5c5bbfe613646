// A scene: a stream around a cylinder, which leaves a vortex street behind it.
#pragma once

#include "window/bodies.hpp"
#include "window/window.hpp"

/// A stream from left to right around a cylinder a little off the centre, so that whirls begin
/// soon. Above and below it slips along the walls. The Reynolds number of the cylinder is 150.
template <class Fluid>
void begin_street(Window<Fluid>& window, Bodies<Fluid>& bodies) {
    window.set_size(192, 96);
    const Fluid& fluid = window.fluid;
    window.set("cell_size", 1.0 / fluid.ny);
    window.set({
        {"left", 1},
        {"right", 2},
        {"above", 0},
        {"slip_above", 1},
        {"slip_below", 1},
        {"inflow", 1.0},
        {"nu", 0.001},
        {"body_x", 0.5},
        {"body_y", 0.48},
        {"body_size", 0.15},
        {"shape", 0},
        {"tolerance", 1e-6},
        {"sources", 0},
        {"rake", 12},
        {"velocity_draw_scale", 4.0},
    });
    if (!window.program.session.was_given("dt")) {
        window.program.simulation.dt = 0.01;
    }
    window.apply();
    bodies.place();
    for (double& u : window.fluid.u.values) {
        u = window.program.description.parameter("inflow");
    }
    set_bnd(window.fluid);
}
