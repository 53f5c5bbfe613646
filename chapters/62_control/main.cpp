// The window of this chapter: a search for the push that lets a disk of dye flow into a picture,
// and then the film.
#include "solver.hpp"

#include "62_control/control_window.hpp"
#include "window/choices.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("62_control", "The fluid that flows into a letter", {50, 50, 1});
    choose_solver(window);
    window.new_in_this_chapter();

    window.begin_with({50, 50, 1}, {"drag", 0.025, true, false, "letter"});
    ControlWindow control(window);
    window.add({"nu", &window.fluid.nu, "viscosity: length squared in a second", 1000.0});
    window.begin_without_arrows();
    return window.run(argc, argv, numbers);
}
