// The walls that keep a temperature, in the state file.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "window/window.hpp"

/// Saves and loads which of the six sides heat, and the temperatures that they keep.
template <class Fluid>
void save_warm_walls(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    const auto saved = std::make_shared<std::array<double, 6>>();  // a state file holds numbers
    window.save_rows("heats", 6, [&fluid, saved](int side) {
        (*saved)[side] = fluid.sides[side].heats ? 1.0 : 0.0;
        return &(*saved)[side];
    });
    window.save_rows("wall_temperature", 6,
                     [&fluid](int side) { return &fluid.sides[side].temperature; });
    window.refuse_state.add([&fluid, saved]() -> std::string {
        const auto is_switch = [](double value) { return value == 0.0 || value == 1.0; };
        if (!std::all_of(saved->begin(), saved->end(), is_switch)) {
            return "heats must be 1 for a wall that keeps its temperature, else 0";
        }
        for (int side = 0; side < 6; ++side) {
            fluid.sides[side].heats = (*saved)[side] == 1.0;
        }
        return "";
    });
}
