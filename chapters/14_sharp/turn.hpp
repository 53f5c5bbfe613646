// Whose turn it is, in the state file, for the windows of this chapter and of those that follow.
#pragma once

#include <functional>
#include <string>

#include "common/app/program.hpp"

/// Saves and loads fluid.reflects_next: 0 or 1, in the row of cell (0, 0, 0). `saved` is where the
/// number is kept for that; it must stay where it is, as must the program.
template <class Fluid>
void add_turn(workbook::Program& program, Fluid& fluid, double& saved) {
    program.description.state.push_back({"reflects_next", [&saved](int i, int j, int k) {
                                             return i + j + k == 0 ? &saved : nullptr;
                                         }});
    program.simulation.reset_box = [&saved,
                                    reset = program.simulation.reset_box](workbook::Box box) {
        reset(box);
        saved = 0.0;
    };
    program.simulation.step = [&fluid, &saved, step = program.simulation.step](double dt) {
        step(dt);
        saved = fluid.reflects_next ? 1.0 : 0.0;
    };
    program.simulation.refuse_state = [&fluid, &saved, refuse = program.simulation.refuse_state] {
        fluid.reflects_next = saved == 1.0;
        return saved == 0.0 || saved == 1.0 ? refuse()
                                            : "reflects_next must be 1 if the next step carries "
                                              "the reflected velocity, else 0";
    };
}
