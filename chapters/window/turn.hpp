// Whose turn it is to be carried, the velocity or the reflected one: a number in the state file.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/app/program.hpp"
#include "window/window.hpp"

/// Saves and loads fluid.reflects_next: 0 or 1, in the row of cell (0, 0, 0). `saved` is where the
/// number is kept for that; it must stay where it is, as must the program.
template <class Fluid>
void add_turn(workbook::Program& program, Fluid& fluid, double& saved) {
    program.state.push_back({"reflects_next", [&saved](int i, int j, int k) {
                                 return i + j + k == 0 ? &saved : nullptr;
                             }});
    program.reset_box = [&saved, reset = program.reset_box](workbook::Box box) {
        reset(box);
        saved = 0.0;
    };
    program.step = [&fluid, &saved, step = program.step](double dt) {
        step(dt);
        saved = fluid.reflects_next ? 1.0 : 0.0;
    };
    program.refuse_state = [&fluid, &saved, refuse = program.refuse_state] {
        fluid.reflects_next = saved == 1.0;
        return saved == 0.0 || saved == 1.0 ? refuse()
                                            : "reflects_next must be 1 if the next step carries "
                                              "the reflected velocity, else 0";
    };
}

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
