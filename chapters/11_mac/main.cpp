// The window of this chapter: the moments of a step, and 07_project's fluid beside this one.
#include "solver.hpp"

#include "11_mac/beside.hpp"
#include "11_mac/checkerboard.hpp"
#include "11_mac/moments.hpp"
#include "window/pinwheel.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("11_mac", "The right grid", {2, 2, 1});
    add_pinwheel(window);
    Moments moments(window);
    Beside beside(window);

    const auto set_both_to_checkerboard = [&] {
        moments.forget();
        set_checkerboard(window.fluid);
        beside.set_to_checkerboard();
    };
    window.add_scene("checkerboard", "velocities that alternate from face to face",
                     set_both_to_checkerboard);
    window.add_key('x', "a checkerboard of velocities", set_both_to_checkerboard);
    window.add_key('p', "project, and nothing else", [&] {
        moments.forget();
        project(window.fluid, window.program.simulation.dt);
        beside.project_velocity();
    });
    return window.run(argc, argv, numbers);
}
