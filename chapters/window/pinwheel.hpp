// The tutorial's four cells, in which one face has a velocity.
#pragma once

#include "window/window.hpp"

/// Adds the scene "pinwheel". A box of 2 x 2 cells begins with it, paused.
template <class Fluid>
void add_pinwheel(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    window.add_scene("pinwheel", "velocity on one face, as in the tutorial",
                     [&fluid] { fluid.v(0, fluid.ny / 2, 0) = fluid.ny > 1 ? 1.0 : 0.0; });
    window.begin_with({2, 2, 1}, {"pinwheel", 0.1, true, true});
}
