// The window of this chapter: where must I push, so that there is more dye in the ring at the
// end?
#include "solver.hpp"

#include <cmath>

#include "61_adjoint/backwards.hpp"
#include "window/choices.hpp"
#include "window/flows.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("61_adjoint", "What would have been", {64, 64, 1});
    choose_solver(window);
    window.new_in_this_chapter();

    Fluid& fluid = window.fluid;
    Backwards backwards(window);
    const auto set_miss = [&fluid] {
        set_vortices(fluid, 1);
        set_dye(fluid, [](double x, double y) { return std::hypot(x - 0.3, y - 0.3) < 0.14; });
    };
    window.add_scene("miss", "a vortex carries a disk of dye past the target", set_miss);
    window.add_scene("vortices", "four of them, and stripes of dye", [&fluid] {
        set_vortices(fluid, 2);
        set_dye(fluid, [](double x, double) { return static_cast<int>(7.0 * x) % 2 == 0; });
    });
    window.add_scene("hit", "the scene miss, pushed three times where it counts most", [&] {
        set_miss();
        backwards.push(3);
    });
    window.begin_without_arrows();
    window.begin_with({64, 64, 1}, {"miss", 0.02, true, true});
    return window.run(argc, argv, numbers);
}
