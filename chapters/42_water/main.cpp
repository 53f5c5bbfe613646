// The window of this chapter: water that splashes in a box, and the box tilts.
#include "solver.hpp"

#include "42_water/blender.hpp"
#include "42_water/box_picture.hpp"
#include "42_water/fountain.hpp"
#include "42_water/paraview.hpp"
#include "42_water/parts.hpp"
#include "42_water/picture.hpp"
#include "42_water/readouts.hpp"
#include "42_water/scenes.hpp"
#include "42_water/tilt.hpp"
#include "42_water/water_file.hpp"
#include "common/draw/threads.hpp"
#include "window/bodies.hpp"
#include "window/choices.hpp"
#include "window/dots.hpp"
#include "window/forces.hpp"
#include "window/hand.hpp"
#include "window/openings.hpp"
#include "window/particle_file.hpp"
#include "window/solids.hpp"
#include "window/transfers.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    Window<Fluid> window("42_water", "Water and air", {64, 64, 1});
    parallel::ThreadPool pool(workbook::drawing_threads());
    add_water_picture(window, pool);  // below all that is drawn from here on
    add_dots(window, false);
    choose_solver(window);
    save_turn(window);
    Walls walls(window);
    Openings openings(window);
    Bodies bodies(window);
    Hand hand(window, bodies);
    show_solids(window);
    Forces forces(window, bodies, walls);
    Transfers transfers(window);
    ParticleFile particle_file(window);
    window.new_in_this_chapter();

    Fluid& fluid = window.fluid;
    window.add({"kappa", &fluid.kappa, "of an error of the volume, corrected in a step", 1.0});
    Fountain fountain(fluid);
    WaterScenes scenes(window, transfers, fountain, bodies);
    save_water(window, scenes, fountain);
    add_vti(window);
    add_save_surface(window, pool);
    Tilt tilt(window);
    BoxPicture picture(window, pool);
    picture.tilts = [&tilt](float dx, float dy) { return tilt.drag(dx, dy); };
    window.begin_without_arrows();

    constexpr int most_parts = 50;  // of a step
    window.advance = [&](double dt) {
        fountain.open();
        step_without_lid(fluid, dt, most_parts, [&fountain](double part) { fountain.flow(part); });
    };
    measure_water(window, scenes);
    return window.run(argc, argv, numbers);
}
