// The scenes of this chapter: a stream between walls, a jet, and a tank.
#pragma once

#include <algorithm>
#include <cmath>

#include "window/flows.hpp"
#include "window/inflow.hpp"
#include "window/openings.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

// What a side of the box is, as a parameter.
inline constexpr double inflow_side = 1.0, outflow_side = 2.0;

/// Makes the left side an inflow, whose speed is in widths of the box, and the right one an
/// outflow, unless flags say otherwise.
template <class Fluid>
void open_left_and_right(Window<Fluid>& window, Profile profile, double speed) {
    window.set("left", inflow_side);
    window.set("right", outflow_side);
    window.set("profile", static_cast<double>(profile));
    window.set("inflow", speed * window.fluid.h * window.fluid.nx);
    window.apply();
}

/// Adds the scene "poiseuille".
template <class Fluid>
void add_poiseuille(Window<Fluid>& window, const Walls<Fluid>& walls, Openings<Fluid>& openings) {
    window.add_scene("poiseuille", "a stream between two walls", [&] {
        Fluid& fluid = window.fluid;
        open_left_and_right(window, Profile::PARABOLIC, 0.25);
        const double speed = std::abs(window.program.description.parameter("inflow"));
        window.set("nu", speed * fluid.h * fluid.nx / walls.scene_reynolds());
        fill_from_left(fluid);
        openings.add_dye();
        set_bnd(fluid);
    });
}

/// Adds the scene "nozzle". Fluid enters only in the middle of the left side.
template <class Fluid>
void add_nozzle(Window<Fluid>& window, Openings<Fluid>& openings) {
    window.add_scene("nozzle", "a jet into a room that is open on three sides", [&] {
        Fluid& fluid = window.fluid;
        window.set("above", outflow_side);
        window.set("below", outflow_side);
        open_left_and_right(window, Profile::UNIFORM, 0.5);
        for_each_on_side(fluid.u_given, 0, [&fluid](int i, int j, int k) {
            if (std::abs(2 * j + 1 - fluid.ny) > std::max(1, fluid.ny / 5)) {
                fluid.u_given(i, j, k) = 0.0;
            }
        });
        window.set("stripes", 1.0);
        openings.add_dye();
        set_bnd(fluid);
    });
}

/// Adds the scene "tank". An outflow above is open to the air.
template <class Fluid>
void add_tank(Window<Fluid>& window) {
    window.add_scene("tank", "a box without a lid, and weight", [&window] {
        Fluid& fluid = window.fluid;
        window.set("above", outflow_side);
        window.apply();
        window.set("nu", 0.0);
        window.set("force_y", fluid.h * fluid.ny);
        set_dye(fluid, [](double, double y) { return y > 0.5; });
    });
}
