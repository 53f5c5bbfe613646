// The window of this chapter: particles that carry the fluid, as dots, and three ways to do so.
#include "solver.hpp"

#include "window/bodies.hpp"
#include "window/choices.hpp"
#include "window/counts.hpp"
#include "window/dots.hpp"
#include "window/flows.hpp"
#include "window/forces.hpp"
#include "window/hand.hpp"
#include "window/measures.hpp"
#include "window/openings.hpp"
#include "window/particle_file.hpp"
#include "window/solids.hpp"
#include "window/transfers.hpp"
#include "window/vortices.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("41_particles", "What particles carry", {64, 64, 1});
    add_dots(window, true);  // below all that is drawn from here on
    choose_solver(window);
    save_turn(window);
    Walls walls(window);
    Openings openings(window);
    Bodies bodies(window);
    Hand hand(window, bodies);
    show_solids(window);
    Forces forces(window, bodies, walls);
    window.new_in_this_chapter();

    Fluid& fluid = window.fluid;
    Transfers transfers(window);
    ParticleFile particle_file(window);
    window.add({"empty cells", [&fluid] { return empty_cells(fluid); }});
    add_vortices(window);
    window.add_scene("disk", "Zalesak's disk, on a wheel that turns", [&fluid] {
        set_wheel(fluid, 6.0);
        set_dye(fluid, in_zalesaks_disk);
    });
    window.begin_with({64, 64, 1}, {"vortices", 0.03, true});
    window.begin_without_arrows();
    window.history_columns = {{"kinetic_energy", [&fluid] { return kinetic_energy(fluid); }},
                              {"particle_dye", [&fluid] { return dye_of_particles(fluid); }},
                              {"empty_cells", [&fluid] { return empty_cells(fluid); }}};
    return window.run(argc, argv, numbers);
}
