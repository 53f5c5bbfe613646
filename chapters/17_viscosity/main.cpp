// The window of this chapter: a viscous fluid, and walls that hold it, slip or move.
#include "solver.hpp"

#include <cmath>
#include <numbers>

#include "17_viscosity/cavity.hpp"
#include "window/choices.hpp"
#include "window/flows.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("17_viscosity", "A fluid that sticks", {64, 64, 1});
    choose_solver(window);
    choose_advection(window);
    window.new_in_this_chapter();

    Fluid& fluid = window.fluid;
    Walls walls(window);
    window.add_scene("cavity", "the upper wall is pulled to the right", [&] {
        const double nu = fluid.nu;
        begin_cavity(fluid, walls.scene_reynolds());
        fluid.nu = window.program.session.was_given("nu") ? nu : fluid.nu;
        set_dye(fluid, [](double, double y) { return y < 0.12 || (y > 0.44 && y < 0.56); });
    });
    window.add_scene("channel", "a stream through the middle, which returns along the walls", [&] {
        constexpr double pi = std::numbers::pi;
        set_stream(fluid, [](double x, double y) {
            return -std::sin(pi * x) * std::sin(2.0 * pi * y) / (2.0 * pi);
        });
        const double width = fluid.h * fluid.nx;
        window.set("nu", width * width / walls.scene_reynolds());
        set_dye(fluid, [](double x, double) { return static_cast<int>(8.0 * x) % 2 == 0; });
    });
    window.begin_with({64, 64, 1}, {"cavity", 1.0 / 60.0, true});
    window.history_columns = {{"kinetic_energy", [&fluid] { return kinetic_energy(fluid); }}};
    return window.run(argc, argv, numbers);
}
