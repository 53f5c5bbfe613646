// Whose turn it is to be carried, the velocity or the reflected one: a number in the state file.
#pragma once

#include <memory>
#include <string>

#include "window/window.hpp"

/// Saves and loads fluid.reflects_next, as 0 or 1.
template <class Fluid>
void save_turn(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    const auto saved = std::make_shared<double>(0.0);  // a state file holds numbers
    window.save_rows("reflects_next", 1, [&fluid, saved](int) {
        *saved = fluid.reflects_next ? 1.0 : 0.0;
        return saved.get();
    });
    window.refuse_state.add([&fluid, saved]() -> std::string {
        fluid.reflects_next = *saved == 1.0;
        const bool is_good = *saved == 0.0 || *saved == 1.0;
        return is_good ? ""
                       : "reflects_next must be 1 if the next step carries the reflected velocity, "
                         "else 0";
    });
}
