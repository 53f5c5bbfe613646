// The scenes in which smoke rises through still air, or sinks.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/app/program.hpp"
#include "window/bodies.hpp"
#include "window/inflow.hpp"
#include "window/smoke_sources.hpp"
#include "window/sources.hpp"
#include "window/still_air.hpp"
#include "window/window.hpp"

/// Still air in a high box that is open above.
template <class Fluid>
void begin_plume(Window<Fluid>& window) {
    set_air_size(window, {128, 256, 1}, {40, 60, 40});
    begin_air(window, true);
}

/// A plume with a round body in its way. A deep box is open at its sides, too, and its smoke is
/// thinner: otherwise the smoke would fill the box and hide the body.
template <class Fluid>
void begin_plume_and_sphere(Window<Fluid>& window, Bodies<Fluid>& bodies) {
    begin_plume(window);
    const Fluid& fluid = window.fluid;
    const double width = fluid.h * fluid.nx;
    const double height = fluid.h * fluid.ny;
    const bool is_deep = fluid.nz > 1;
    const double kind_of_sides = is_deep ? 2.0 : 0.0;  // outflow or closed
    window.set({
        {"left", kind_of_sides},
        {"right", kind_of_sides},
        {"before", kind_of_sides},
        {"behind", kind_of_sides},
        {"source_smoke", is_deep ? 0.4 : 1.0},
        {"body_x", 0.52 * width},
        {"body_y", height - 0.75 * width},
        {"body_size", 0.3 * width},
        {"shape", is_deep ? 4 : 0},
    });
    window.apply();
    window.set("probe_x", window.program.description.parameter("body_x"));
    window.set("probe_y", 0.25 * height);
    bodies.place();  // so that it is seen before the first step
}

/// How a ring of smoke begins. Lengths are in widths of the box.
struct Puff {
    double radius;  ///< of the ring, and of the disk of air inside it
    double half_height;  ///< of the disk
    double thickness;  ///< how far smoke lies around the ring before it gets thinner
    double smoke;  ///< in a cell of the ring
};

/// Returns how the ring begins in a flat or a deep box. A deep box has few cells. So the ring there
/// is wider, and its smoke is thinner. Then its hole stays open, and one sees its far side through
/// the near one. In a flat box, two whirls so far apart would hardly move.
inline Puff puff_of(bool is_deep) {
    if (is_deep) {
        return {0.25, 0.03, 0.02, 0.6};
    }
    return {0.14, 0.08, 0.035, 1.0};
}

/// A ring of smoke, and inside it a disk of air that has just been hit from below. The disk's rim
/// glides past air at rest and rolls up there, with the smoke in it. In a flat box the ring is cut,
/// which leaves two whirls.
template <class Fluid>
void begin_ring(Window<Fluid>& window) {
    begin_plume(window);
    window.set("sources", 0);
    window.set("epsilon", 0.0);
    Fluid& fluid = window.fluid;
    const Puff puff = puff_of(fluid.nz > 1);
    const auto below_ring = [&fluid](double j) { return 0.2 - (fluid.ny - j) / fluid.nx; };
    const auto from_axis = [&fluid](int i, int k) {
        return std::hypot(i + 0.5 - 0.5 * fluid.nx, k + 0.5 - 0.5 * fluid.nz) / fluid.nx;
    };
    for_each_point(fluid.smoke, [&](int i, int j, int k) {
        const double away = std::hypot(from_axis(i, k) - puff.radius, below_ring(j + 0.5));
        fluid.smoke(i, j, k) = puff.smoke * std::clamp(2.0 - away / puff.thickness, 0.0, 1.0);
    });
    for_each_point(fluid.v, [&](int i, int j, int k) {
        if (from_axis(i, k) < puff.radius && std::abs(below_ring(j)) < puff.half_height) {
            fluid.v(i, j, k) = -4.0 * fluid.h * fluid.nx;
        }
    });
    project(fluid, window.program.simulation.dt);
}

/// A jet from a round hole in the left wall, with smoke in it, that meets a round body. In a deep
/// box the smoke is thin, so that one sees the body in it. Wind blows around the jet there and all
/// other sides are open, so the smoke leaves the box instead of filling it.
template <class Fluid>
void begin_jet(Window<Fluid>& window, SmokeSources<Fluid>& sources, Bodies<Fluid>& bodies) {
    set_air_size(window, {192, 96, 1}, {60, 40, 40});
    begin_air(window, false);
    Fluid& fluid = window.fluid;
    const double width = fluid.h * fluid.nx;
    const double height = fluid.h * fluid.ny;
    const bool is_deep = fluid.nz > 1;
    window.set({
        {"left", 1},
        {"right", 2},
        {"inflow", 0.8 * width},
        {"above", 2},
        {"below", 2},
        {"source_temperature", 0.0},
        {"source_smoke", is_deep ? 0.25 : 1.0},
        {"before", is_deep ? 2 : 0},
        {"behind", is_deep ? 2 : 0},
        {"body_x", 0.45 * width},
        {"body_y", 0.52 * height},
        {"body_size", 0.3 * height},
        {"shape", is_deep ? 4 : 0},
    });
    window.apply();
    const double hole = 0.12 * fluid.ny;  // its radius, in cells
    const double wind = is_deep ? 0.2 : 0.0;  // around the jet, over the speed of the jet
    for_each_on_side(fluid.u_given, 0, [&](int i, int j, int k) {
        const double y = j + 0.5 - 0.5 * fluid.ny;
        const double z = k + 0.5 - 0.5 * fluid.nz;
        if (y * y + z * z > hole * hole) {
            fluid.u_given(i, j, k) *= wind;
        }
    });
    sources.move({0.02, 0.5 * fluid.ny / fluid.nx, 0.5, 1.2 * hole / fluid.nx});
    bodies.place();
}

/// Whether a cell is part of four stairs, of which the uppermost stands at the left wall.
inline bool is_stair(int nx, int ny, int i, int j) {
    const int below = 3 - 4 * i / nx;  // how many stairs are lower than this one
    return ny - j <= ny * below / 8;
}

/// A cold source above the uppermost stair, from which smoke pours down.
template <class Fluid>
void begin_stairs(Window<Fluid>& window, SmokeSources<Fluid>& sources, Bodies<Fluid>& bodies) {
    set_air_size(window, {128, 96, 1}, {48, 36, 48});
    begin_air(window, false);
    window.set("source_temperature", -1.0);
    const int nx = window.fluid.nx;
    const int ny = window.fluid.ny;
    sources.move({0.12, 0.46 * ny / nx});
    bodies.paint([nx, ny](int i, int j) { return is_stair(nx, ny, i, j); }, true);
}

/// Adds these scenes.
template <class Fluid>
void add_plumes(Window<Fluid>& window, SmokeSources<Fluid>& sources, Bodies<Fluid>& bodies) {
    window.add_scene("plume", "warm smoke that rises, and leaves above",
                     [&window] { begin_plume(window); });
    window.add_scene("plume-and-sphere", "a round body in its way",
                     [&window, &bodies] { begin_plume_and_sphere(window, bodies); });
    window.add_scene("ring", "a ring of smoke, which flies by itself",
                     [&window] { begin_ring(window); });
    window.add_scene("jet-and-sphere", "a jet that meets a round body",
                     [&window, &sources, &bodies] { begin_jet(window, sources, bodies); });
    window.add_scene("two-colours", "two plumes, of smoke and of dye", [&window] {
        begin_plume(window);
        window.set("sources", 2);
        window.set("two_colours", 1);
    });
    window.add_scene("cursor", "a source that the left button moves", [&window, &sources] {
        begin_plume(window);
        window.set("source_temperature", 0.6);
        sources.move({0.5, 0.4, 0.5, 0.05});
        sources.let_mouse_move();
    });
    window.add_scene("stairs", "cold smoke that pours down them",
                     [&window, &sources, &bodies] { begin_stairs(window, sources, bodies); });
}
