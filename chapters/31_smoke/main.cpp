// The window of this chapter: warm smoke that rises, in the light of the evening.
#include "solver.hpp"

#include "31_smoke/heated_cavity.hpp"
#include "window/air.hpp"
#include "window/bodies.hpp"
#include "window/choices.hpp"
#include "window/exports.hpp"
#include "window/forces.hpp"
#include "window/hand.hpp"
#include "window/high_box.hpp"
#include "window/lit_smoke.hpp"
#include "window/openings.hpp"
#include "window/plumes.hpp"
#include "window/smoke_sources.hpp"
#include "window/solids.hpp"
#include "window/walls.hpp"
#include "window/warm_strokes.hpp"
#include "window/warm_walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("31_smoke", "Heat, buoyancy, whirls", {128, 256, 1});
    choose_advection(window);
    choose_solver(window);
    Walls walls(window);
    Openings openings(window);
    Bodies bodies(window);
    Hand hand(window, bodies);
    Forces forces(window, bodies, walls);
    show_solids(window);
    LitSmoke picture(window);  // its one parameter is seldom changed
    window.new_in_this_chapter();

    add_air(window);
    SmokeSources sources(window);
    save_warm_walls(window);
    add_warm_strokes(window);
    add_plumes(window, sources, bodies);
    add_heated_cavity(window);
    window.begin_with([](workbook::Box size) { return size.nx == 128 && size.ny == 256; },
                      {"plume", 0.01, true});

    const Fluid& fluid = window.fluid;
    add_exports<Fluid, Field>(
        window,
        {{"smoke", &fluid.smoke}, {"temperature", &fluid.temperature}, {"dye", &fluid.density}});
    window.history_columns = {{"nusselt", [&fluid] { return mean_nusselt(fluid); }},
                              {"smoke", [&fluid] { return total(fluid.smoke); }},
                              {"kinetic_energy", [&fluid] { return kinetic_energy(fluid); }}};
    heighten_high_boxes(window);
    window.begin_without_arrows();
    return window.run(argc, argv, numbers);
}
