// The window of this chapter: a fluid whose pressure is found at once, and the factors of A.
#include "solver.hpp"

#include "13_direct/factors.hpp"
#include "window/direct.hpp"
#include "window/pinwheel.hpp"
#include "window/residuals.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("13_direct", "Solved at once", {2, 2, 1});
    add_pinwheel(window);
    add_residual(window);
    window.new_in_this_chapter();
    window.choose("solver", &Fluid::solver, {"gauss-seidel", "direct"},
                  "how the pressure is found");
    limit_direct(window);
    show_factors(window);
    return window.run(argc, argv, numbers);
}
