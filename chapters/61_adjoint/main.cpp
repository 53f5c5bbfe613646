// The window of this chapter: flows that should stay as they are, and a twin that loses them.
#include "solver.hpp"

#include "16_sharp/twin.hpp"
#include "window/choices.hpp"
#include "window/flows.hpp"
#include "window/turn.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("16_sharp", "Half the error", {64, 64, 1});
    choose_solver(window);
    window.new_in_this_chapter();

    Fluid& fluid = window.fluid;
    fluid.advection = Advection::REFLECTED;
    window.choose("advection", &Fluid::advection, {"linear", "sharp", "reflected"},
                  "how the fields are carried");
    save_turn(window);
    window.add_scene("vortices", "four that never end, and dye in stripes", [&fluid] {
        set_vortices(fluid, 2);
        set_dye(fluid, [](double x, double) { return static_cast<int>(7.0 * x) % 2 == 0; });
    });
    window.add_scene("disk", "Zalesak's disk, on a wheel that turns", [&fluid] {
        set_wheel(fluid, 6.0);
        set_dye(fluid, in_zalesaks_disk);
    });
    window.begin_with({64, 64, 1}, {"vortices", 0.03, true});
    Twin twin(window);
    return window.run(argc, argv, numbers);
}
