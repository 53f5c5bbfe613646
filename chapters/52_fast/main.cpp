// The window of this chapter: all solvers in a race, and a fluid whose sweeps are fused.
#include "solver.hpp"

#include "52_fast/race_window.hpp"
#include "window/direct.hpp"
#include "window/grids.hpp"
#include "window/residuals.hpp"
#include "window/sweeps.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("52_fast", "The race", {64, 64, 1});
    add_residual(window);
    show_residuals(window);
    add_residual_field(window);
    add_noise(window);
    show_grids(window);
    window.new_in_this_chapter();

    Fluid& fluid = window.fluid;
    race::RaceWindow race(window);
    window.choose("solver", &Fluid::solver,
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned", "multigrid",
                   "jacobi", "red-black", "over-relaxation", "fused"},
                  "how the pressure is found", [&race] { return !race.is_shown(); });
    limit_direct(window);
    window.add({"sweeps_at_once", &fluid.sweeps_at_once, "how many sweeps are fused into one pass",
                100.0, 1.0});
    return window.run(argc, argv, numbers);
}
