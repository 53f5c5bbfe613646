// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <cmath>
#include <string>

#include "common/app/program.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

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
    program.simulation.reset = [&](int N) { fluid = Fluid(N); };
    program.simulation.step = [&](float dt) { step(fluid, dt); };
    program.look.cell_from_mouse = [](float x, float y, float cell_size) -> GridCell {
        const Cell cell = cell_from_mouse(x, y, cell_size);
        return {cell.i, cell.j};
    };
    program.look.index = [&](int i, int j) { return fluid.density.IX(i, j); };
    program.simulation.stroke = [&](const Stroke& stroke) {
        if (stroke.dye) {
            add_density(fluid, stroke.i, stroke.j, 1.0f);
        }
        add_velocity(fluid, stroke.i, stroke.j, velocity_add_scale * stroke.dx,
                     velocity_add_scale * stroke.dy);
    };
    program.description.state = {
        {"density", [&](int i, int j) -> float& { return fluid.density(i, j); }},
        {"u", [&](int i, int j) -> float& { return fluid.u(i, j); }},
        {"v", [&](int i, int j) -> float& { return fluid.v(i, j); }},
    };
    program.simulation.arrays = 3;
    program.description.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }, 1.0f, false, "in a cell"},
        {"speed", [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); }, 0.0f,
         false, "widths/s"},
    };
    program.look.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.look.arrow_scale = &velocity_draw_scale;
    program.description.readouts = {{"dye", [&] { return total(fluid.density); }}};
    program.description.parameters = {
        {"density_fade_rate", &fluid.density_fade_rate, "dye that every cell loses in a second"},
        {"velocity_fade_rate", &fluid.velocity_fade_rate,
         "speed that every cell loses in a second"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    return program.run(argc, argv);
}
