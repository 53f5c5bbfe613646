// The window of this chapter: a fluid whose pressure is found by conjugate gradients, and its
// residuals as a curve.
#include "solver.hpp"

#include "window/direct.hpp"
#include "window/pinwheel.hpp"
#include "window/residuals.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("14_gradients", "Never the same way twice", {2, 2, 1});
    add_pinwheel(window);
    window.new_in_this_chapter();
    window.choose("solver", &Fluid::solver,
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned"},
                  "how the pressure is found");
    limit_direct(window);
    add_residual(window);
    tell_out_of_reach(window);
    show_residuals(window);
    window.bring_forward("tolerance");
    window.bring_forward("iterations");
    return window.run(argc, argv, numbers);
}
