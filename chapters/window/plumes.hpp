// The scenes in which smoke rises through still air, or sinks.
#pragma once

#include <algorithm>

#include "common/app/program.hpp"
#include "window/bodies.hpp"
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

/// A plume with a round body in its way.
template <class Fluid>
void begin_plume_and_sphere(Window<Fluid>& window, Bodies<Fluid>& bodies) {
    begin_plume(window);
    const Fluid& fluid = window.fluid;
    const double width = fluid.h * fluid.nx;
    const double height = fluid.h * fluid.ny;
    window.set({
        {"body_x", 0.52 * width},
        {"body_y", height - 0.75 * width},
        {"body_size", 0.3 * width},
        {"shape", fluid.nz > 1 ? 4 : 0},
    });
    window.set("probe_x", window.program.description.parameter("body_x"));
    window.set("probe_y", 0.25 * height);
    bodies.place();  // so that it is seen before the first step
}

/// A ball of warm smoke, which has no source.
template <class Fluid>
void begin_ring(Window<Fluid>& window) {
    begin_plume(window);
    window.set("sources", 0);
    window.set("cooling", 0.0);
    Fluid& fluid = window.fluid;
    place_sources(fluid, {{0.5, 0.2, 0.5 * fluid.nz / fluid.nx, 0.2}});
    for (std::size_t cell = 0; cell < fluid.smoke.values.size(); ++cell) {
        const double inside = std::min(1.0, fluid.source.values[cell] / 400.0);
        fluid.smoke.values[cell] = inside;
        fluid.temperature.values[cell] = inside;
    }
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
    window.add_scene("ring", "a ball of warm smoke, which becomes a ring",
                     [&window] { begin_ring(window); });
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
