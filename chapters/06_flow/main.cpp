// The window of this chapter: what its fluid can do, in the words that common/program.hpp asks for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "numbers.hpp"
#include "program.hpp"

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves
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
    Program program("06_flow", "The river flows");
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
    program.arrays = 6;
    program.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }},
        {"speed", [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); }, 0.0f},
    };
    program.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.arrow_scale = &velocity_draw_scale;
    program.readouts = {{"dye", [&] { return total(fluid.density); }},
                        {"fullest", [&] {
                             return *std::max_element(fluid.density.cells.begin(),
                                                      fluid.density.cells.end());
                         }}};
    program.walls_have_values = true;
    program.parameters = {
        {"density_fade_rate", &fluid.density_fade_rate, "dye that every cell loses in a second"},
        {"velocity_fade_rate", &fluid.velocity_fade_rate,
         "speed that every cell loses in a second"},
        {"density_diffuse_rate", &fluid.density_diffuse_rate, "how fast dye spreads"},
        {"density_diffuse_iterations", &fluid.density_diffuse_iterations, "sweeps spent on it"},
        {"velocity_diffuse_rate", &fluid.velocity_diffuse_rate, "how fast velocity spreads"},
        {"velocity_diffuse_iterations", &fluid.velocity_diffuse_iterations, "sweeps spent on it"},
        {"diffuse_velocity", &fluid.diffuse_velocity, "velocity spreads"},
        {"advect_velocity", &fluid.advect_velocity, "velocity carries itself"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
    program.keys = {
        {'d', "velocity diffusion on or off",
         [&] { fluid.diffuse_velocity = !fluid.diffuse_velocity; }},
        {'a', "velocity advection on or off",
         [&] { fluid.advect_velocity = !fluid.advect_velocity; }},
    };
    return program;
}

/// The table behind --numbers.
bool numbers() {
    const Fluid fluid(16);
    const float dt = 1.0f / 60.0f;

    Numbers numbers("06_flow: the tutorial's numbers beside ours");
    const std::string river = "Skupnik, The river flows";
    const std::string love = "Skupnik, Spread the love";
    numbers.setting("velocity_diffuse_rate, retuned", 0.01, fluid.velocity_diffuse_rate, love);
    numbers.setting("velocity_diffuse_iterations", 20, fluid.velocity_diffuse_iterations, love);
    numbers.setting("velocity_add_scale, retuned", 0.2, velocity_add_scale, river);
    numbers.setting("velocity_fade_rate, retuned", 0.02, fluid.velocity_fade_rate, river);
    numbers.checked("a of the velocity, at rate 0.001", 0.0042667, dt * 0.001f * 16 * 16, 1e-7,
                    "0.001 * 256 / 60");
    numbers.checked("a of the velocity, at rate 0.01", 0.0426667,
                    dt * fluid.velocity_diffuse_rate * 16 * 16, 1e-7, "0.01 * 256 / 60");
    return numbers.print();
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    return program.run(argc, argv);
}
