// The window of this chapter: fires that glow, and a rocket that the mouse steers.
#include "solver.hpp"

#include "32_fire/combustion.hpp"
#include "32_fire/fires.hpp"
#include "32_fire/rocket.hpp"
#include "32_fire/soot.hpp"
#include "window/air.hpp"
#include "window/bodies.hpp"
#include "window/choices.hpp"
#include "window/exports.hpp"
#include "window/forces.hpp"
#include "window/hand.hpp"
#include "window/high_box.hpp"
#include "window/lit_smoke.hpp"
#include "window/openings.hpp"
#include "window/smoke_sources.hpp"
#include "window/solids.hpp"
#include "window/walls.hpp"
#include "window/warm_strokes.hpp"
#include "window/warm_walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("32_fire", "Fire, and gas that expands", {96, 144, 1});
    choose_advection(window);
    choose_solver(window);
    Walls walls(window);
    Openings openings(window);
    Bodies bodies(window);
    Hand hand(window, bodies);
    Forces forces(window, bodies, walls);
    show_solids(window);
    LitSmoke picture(window);
    add_air(window);
    SmokeSources sources(window);
    save_warm_walls(window);
    add_warm_strokes(window);
    Soot soot(window, picture);  // its parameters, and the next one, are seldom changed
    Fluid& fluid = window.fluid;
    window.add({"source_fuel", &fluid.source_fuel, "as source_smoke", 1.0},
               [&sources] { return sources.has_any(); });
    window.new_in_this_chapter();

    add_combustion(window);
    Rocket rocket(window, sources);
    Fires fires(window, sources, rocket);
    window.begin_with([](workbook::Box size) { return size.nx == 96 && size.ny == 144; },
                      {"fire", 0.01, true});

    add_exports<Fluid, Field>(window, {{"smoke", &fluid.smoke},
                                       {"temperature", &fluid.temperature},
                                       {"fuel", &fluid.fuel},
                                       {"dye", &fluid.density}});
    window.history_columns = {{"fuel", [&fluid] { return total(fluid.fuel); }},
                              {"expansion", [&fluid] { return balance_of(fluid).expansion; }},
                              {"outflow", [&fluid] { return balance_of(fluid).outflow; }},
                              {"pressure_rise", [&fluid] { return pressure_rise(fluid); }},
                              {"thrust", [&rocket] { return rocket.push(); }}};
    heighten_high_boxes(window);
    window.begin_without_arrows();
    return window.run(argc, argv, numbers);
}
