// The window of this chapter: what its fluid can do, in the words that common/program.hpp asks for.
#include "solver.hpp"

#include <cmath>
#include <string>

#include "numbers.hpp"
#include "program.hpp"

namespace {

using namespace workbook;

float velocity_add_scale = 0.06f;  // velocity for each pixel that the mouse moves
float velocity_draw_scale = 20.0f;  // pixels of arrow for a velocity of 1

/// The sum over the fluid cells.
double total(const Field& field) {
    double sum = 0.0;
    for (int j = 1; j <= field.N; ++j) {
        for (int i = 1; i <= field.N; ++i) {
            sum += field(i, j);
        }
    }
    return sum;
}

/// What the window shows of `fluid`, and what the mouse and the keys do to it.
Program make_program(Fluid& fluid) {
    Program program("02_fade", "Fade away");
    program.reset = [&](int N) { fluid = Fluid(N); };
    program.step = [&](float dt) { step(fluid, dt); };
    program.cell_from_mouse = [](float x, float y, float cell_size) -> GridCell {
        const Cell cell = cell_from_mouse(x, y, cell_size);
        return {cell.i, cell.j};
    };
    program.index = [&](int i, int j) { return fluid.density.IX(i, j); };
    program.stroke = [&](const Stroke& stroke) {
        if (stroke.dye) {
            add_density(fluid, stroke.i, stroke.j, 1.0f);
        }
        add_velocity(fluid, stroke.i, stroke.j, velocity_add_scale * stroke.dx,
                     velocity_add_scale * stroke.dy);
    };
    program.state = {
        {"density", [&](int i, int j) -> float& { return fluid.density(i, j); }},
        {"u", [&](int i, int j) -> float& { return fluid.u(i, j); }},
        {"v", [&](int i, int j) -> float& { return fluid.v(i, j); }},
    };
    program.arrays = 3;
    program.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }},
        {"speed", [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); }, 0.0f},
    };
    program.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.arrow_scale = &velocity_draw_scale;
    program.readouts = {{"dye", [&] { return total(fluid.density); }}};
    program.parameters = {
        {"density_fade_rate", &fluid.density_fade_rate, "dye that every cell loses in a second"},
        {"velocity_fade_rate", &fluid.velocity_fade_rate,
         "speed that every cell loses in a second"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
    return program;
}

/// The table behind --numbers.
bool numbers() {
    Fluid fluid(16);
    const Program window = make_program(fluid);
    add_velocity(fluid, 8, 8, 1.0f, 0.0f);
    add_velocity(fluid, 9, 8, 0.0f, -1.0f);
    add_velocity(fluid, 10, 8, 1.0f, -1.0f);

    Numbers numbers("02_fade: the tutorial's numbers beside ours");
    const std::string arrows = "Skupnik, Time for some arrows";
    numbers.setting("density_fade_rate", 0.1, fluid.density_fade_rate, "Skupnik, Fade away");
    numbers.setting("velocity_fade_rate", 0.2, fluid.velocity_fade_rate,
                    "Skupnik, Hold your horses");
    numbers.setting("velocity_draw_scale", 20, velocity_draw_scale, arrows);
    numbers.setting("velocity_add_scale", 0.06, velocity_add_scale,
                    "Skupnik, Let's get this moving!");
    numbers.setting("arrow (8, 8), right: u", 1, window.velocity(8, 8).first, arrows);
    numbers.setting("arrow (8, 8), right: v", 0, window.velocity(8, 8).second, arrows);
    numbers.setting("arrow (9, 8), up: u", 0, window.velocity(9, 8).first, arrows);
    numbers.setting("arrow (9, 8), up: v", -1, window.velocity(9, 8).second, arrows);
    numbers.setting("arrow (10, 8), up right: u", 1, window.velocity(10, 8).first, arrows);
    numbers.setting("arrow (10, 8), up right: v", -1, window.velocity(10, 8).second, arrows);

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

    Fluid turned(16);
    add_velocity(turned, 3, 5, 1.0f, 0.1f);
    fade_velocity(turned.u, turned.v, 0.2f, 0.5f);
    numbers.checked("(1, 0.1) after half a second: u", 0.9, turned.u(3, 5), 1e-6, "1 - 0.2 / 2");
    numbers.checked("(1, 0.1) after half a second: v", 0, turned.v(3, 5), 1e-6,
                    "the direction turns");
    return numbers.print();
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    return program.run(argc, argv);
}
