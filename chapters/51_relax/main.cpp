// The window of this chapter: what sweeps leave of the pressure's error, as a field and as a curve.
#include "solver.hpp"

#include "window/direct.hpp"
#include "window/residuals.hpp"
#include "window/sweeps.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("51_relax", "Why sweeps stall", {64, 64, 1});
    add_residual(window);
    tell_out_of_reach(window);
    show_residuals(window);
    window.new_in_this_chapter();
    window.choose("solver", &Fluid::solver,
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned", "multigrid",
                   "jacobi", "red-black", "over-relaxation"},
                  "how the pressure is found");
    window.fluid.solver = Solver::OVER_RELAXATION;
    limit_direct(window);
    add_residual_field(window);
    add_noise(window);
    window.bring_forward("tolerance");
    window.bring_forward("iterations");
    return window.run(argc, argv, numbers);
}
