// The window of this chapter: the matrix A of the fluid's box.
#include "solver.hpp"

#include "window/pinwheel.hpp"
#include "window/residuals.hpp"
#include "window/spy.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("12_matrix", "What is A?", {2, 2, 1});
    add_pinwheel(window);
    window.new_in_this_chapter();
    add_residual(window);
    show_matrix(window);
    return window.run(argc, argv, numbers);
}
