// The window of this chapter: bodies in a stream, what they leave behind them, and what they feel.
#include "solver.hpp"

#include "19_obstacles/lift_curve.hpp"
#include "19_obstacles/streams.hpp"
#include "window/bodies.hpp"
#include "window/choices.hpp"
#include "window/forces.hpp"
#include "window/hand.hpp"
#include "window/long_box.hpp"
#include "window/openings.hpp"
#include "window/solids.hpp"
#include "window/vorticity.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("19_obstacles", "The vortex street", {220, 41, 1});
    choose_solver(window);
    choose_advection(window);
    Walls walls(window);
    Openings openings(window);
    window.new_in_this_chapter();

    Bodies bodies(window);
    Hand hand(window, bodies);
    Streams streams(window, bodies, hand);
    streams.add_scenes();

    show_vorticity(window);
    show_solids(window);
    Forces forces(window, bodies, walls);
    forces.add_history();
    LiftCurve lift_curve(window, forces);
    widen_long_boxes(window, lift_curve.room());
    window.program.look.begins_with_arrows = false;
    return window.run(argc, argv, numbers);
}
