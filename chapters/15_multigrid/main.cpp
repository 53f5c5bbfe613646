// The window of this chapter: a fluid whose pressure is found on many grids, and these grids.
#include "solver.hpp"

#include "window/direct.hpp"
#include "window/grids.hpp"
#include "window/residuals.hpp"
#include "window/sweeps.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("15_multigrid", "Coarser, and back", {64, 64, 1});
    add_residual(window);
    tell_out_of_reach(window);
    show_residuals(window);
    add_residual_field(window);
    add_noise(window);
    window.new_in_this_chapter();
    window.choose("solver", &Fluid::solver,
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned", "multigrid"},
                  "how the pressure is found");
    limit_direct(window);
    show_grids(window);
    window.bring_forward("tolerance");
    window.bring_forward("iterations");
    return window.run(argc, argv, numbers);
}
