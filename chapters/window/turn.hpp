// Whose turn it is to be carried, the velocity or the reflected one: a number in the state file.
#pragma once

#include <memory>
#include <string>

#include "window/window.hpp"

/// Gives the fluid the matrix of the box that it is in, as a projection does. Where bodies may wall
/// off a part of the box, the parts are found, too.
template <class Fluid>
void find_matrix(Fluid& fluid) {
    if constexpr (requires { update_matrix(fluid); }) {
        update_matrix(fluid);
    } else {
        fluid.matrix = pressure_matrix(fluid);
    }
}

/// Saves and loads fluid.reflects_next, as 0 or 1. A step that reflects subtracts the gradient of
/// the last pressure once more, with the weights of the matrix. A state file has the pressure, and
/// the matrix follows from the box. The time step and rho are taken to be those of the program.
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
    const double* const dt = &window.program.simulation.dt;
    window.program.simulation.after_load.add([&fluid, dt] {
        if (fluid.reflects_next) {
            find_matrix(fluid);
            fluid.gradient_factor = *dt / fluid.rho;
        }
    });
}
