// The window of this chapter: a fluid whose pressure is found at once, and the matrix A of its box.
#include "solver.hpp"

#include "12_matrix/spy.hpp"
#include "window/direct.hpp"
#include "window/pinwheel.hpp"
#include "window/residuals.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("12_matrix", "What is A?", {2, 2, 1});
    add_pinwheel(window);
    window.new_in_this_chapter();
    window.choose("solver", &Fluid::solver, {"gauss-seidel", "direct"},
                  "how the pressure is found");
    limit_direct(window);
    add_residual(window);

    bool shows_matrix = false;
    window.add_key('m', "the matrix A", [&shows_matrix] { shows_matrix = !shows_matrix; });
    window.draws.add([&](workbook::Picture& picture, workbook::Rectangle area) {
        if (shows_matrix) {
            draw_matrix(picture, window.fluid, area);
        }
        return shows_matrix;
    });
    return window.run(argc, argv, numbers);
}
