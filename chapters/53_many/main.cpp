// The window of this chapter: warm smoke that several ranks share, and what each of them does.
#include "many.hpp"

#include "53_many/ranks_window.hpp"
#include "53_many/street.hpp"
#include "window/air.hpp"
#include "window/bodies.hpp"
#include "window/choices.hpp"
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
    const many::Session session(argc, argv);  // beyond this there is only the first rank
    Window<Fluid> window("53_many", "Past one machine", {128, 256, 1});
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
    window.new_in_this_chapter();

    many::RanksWindow ranks(window);
    window.bring_forward("tolerance");
    window.bring_forward("iterations");
    add_plumes(window, sources, bodies);
    window.add_scene("street", "a stream around a cylinder",
                     [&window, &bodies] { begin_street(window, bodies); });
    window.begin_with([](workbook::Box size) { return size.nx == 128 && size.ny == 256; },
                      {"plume", 0.01, true});
    const Fluid& fluid = window.fluid;
    window.history_columns = {{"smoke", [&fluid] { return total(fluid.smoke); }},
                              {"kinetic_energy", [&fluid] { return kinetic_energy(fluid); }}};
    heighten_high_boxes(window);
    window.begin_without_arrows();
    return window.run(argc, argv, numbers);
}
