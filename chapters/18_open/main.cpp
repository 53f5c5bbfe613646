// The window of this chapter: sides through which fluid enters and leaves.
#include "solver.hpp"

#include "18_open/streams.hpp"
#include "window/choices.hpp"
#include "window/openings.hpp"
#include "window/vortices.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("18_open", "Open the box", {96, 32, 1});
    choose_solver(window);
    choose_advection(window);
    Walls walls(window);
    window.new_in_this_chapter();

    Openings openings(window);
    add_poiseuille(window, walls, openings);
    add_nozzle(window, openings);
    add_tank(window);
    add_vortices(window);
    window.begin_with({96, 32, 1}, {"poiseuille", 1.0 / 60.0, true});
    window.history_columns = openings.columns();
    return window.run(argc, argv, numbers);
}
