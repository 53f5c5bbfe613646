// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

bool numbers(const Program& window) {
    Fluid fluid(16);
    add_velocity(fluid, 8, 8, 1.0f, 0.0f);
    add_velocity(fluid, 9, 8, 0.0f, -1.0f);
    add_velocity(fluid, 10, 8, 1.0f, -1.0f);

    Numbers numbers("02_fade: the tutorial's numbers beside ours");
    const std::string arrows = "Skupnik, Time for some arrows";
    numbers.setting("density_fade_rate", 0.1, fluid.density_fade_rate, "Skupnik, Fade away");
    numbers.setting("velocity_fade_rate", 0.2, fluid.velocity_fade_rate,
                    "Skupnik, Hold your horses");
    numbers.setting("velocity_draw_scale", 20, window.description.parameter("velocity_draw_scale"),
                    arrows);
    numbers.setting("velocity_add_scale", 0.06, window.description.parameter("velocity_add_scale"),
                    "Skupnik, Let's get this moving!");
    numbers.setting("arrow (8, 8), right: u", 1, fluid.u(8, 8), arrows);
    numbers.setting("arrow (8, 8), right: v", 0, fluid.v(8, 8), arrows);
    numbers.setting("arrow (9, 8), up: u", 0, fluid.u(9, 8), arrows);
    numbers.setting("arrow (9, 8), up: v", -1, fluid.v(9, 8), arrows);
    numbers.setting("arrow (10, 8), up right: u", 1, fluid.u(10, 8), arrows);
    numbers.setting("arrow (10, 8), up right: v", -1, fluid.v(10, 8), arrows);

    Fluid fast(16);
    Fluid slow(16);
    add_density(fast, 3, 5, 1.0f);
    add_density(slow, 3, 5, 1.0f);
    fade_density(fast.density, 0.1f, 1.0f / 60.0f);
    numbers.checked("dye 1 after one step", 1 - 0.1 / 60, fast.density(3, 5), 1e-6,
                    "1 - rate * dt");
    for (int k = 1; k < 60; ++k) {
        fade_density(fast.density, 0.1f, 1.0f / 60.0f);
    }
    for (int k = 0; k < 24; ++k) {
        fade_density(slow.density, 0.1f, 1.0f / 24.0f);
    }
    numbers.checked("after a second at 60 steps a second", 0.9, fast.density(3, 5), 1e-5,
                    "1 - rate");
    numbers.checked("after a second at 24 steps a second", 0.9, slow.density(3, 5), 1e-5,
                    "1 - rate");

    // A few cells whose dye ends at different times: steps of any length leave the same.
    const auto left_of_three = [](int steps, float dt) {
        Fluid three(16);
        add_density(three, 2, 7, 1.0f);
        add_density(three, 3, 7, 0.3f);
        add_density(three, 4, 7, 0.1f);
        for (int k = 0; k < steps; ++k) {
            fade_density(three.density, 0.1f, dt);
        }
        return three.density(2, 7) + three.density(3, 7) + three.density(4, 7);
    };
    numbers.checked("dye 1, 0.3 and 0.1 after 4 s in 240 steps", 0.6,
                    left_of_three(240, 1.0f / 60.0f), 1e-5, "1 - 4 * rate; the others are 0");
    numbers.checked("the same in 2 steps", 0.6, left_of_three(2, 2.0f), 1e-6,
                    "1 - 4 * rate; the others are 0");

    Fluid turned(16);
    add_velocity(turned, 3, 5, 1.0f, 0.1f);
    fade_velocity(turned.u, turned.v, 0.2f, 0.5f);
    numbers.checked("(1, 0.1) after half a second: u", 0.9, turned.u(3, 5), 1e-6, "1 - 0.2 / 2");
    numbers.checked("(1, 0.1) after half a second: v", 0, turned.v(3, 5), 1e-6,
                    "the direction turns");
    return numbers.print();
}
