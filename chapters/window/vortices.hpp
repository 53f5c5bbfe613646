// Four vortices, which wind up stripes of dye.
#pragma once

#include "window/flows.hpp"
#include "window/window.hpp"

/// Adds the scene "vortices".
template <class Fluid>
void add_vortices(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    window.add_scene("vortices", "four that never end, and dye in stripes", [&fluid] {
        set_vortices(fluid, 2);
        set_dye(fluid, [](double x, double) { return static_cast<int>(7.0 * x) % 2 == 0; });
    });
}
