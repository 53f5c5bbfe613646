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
    Program program("05_bounds", "Set some boundaries");
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
    program.arrays = 4;
    program.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }},
        {"speed", [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); }, 0.0f},
    };
    program.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.arrow_scale = &velocity_draw_scale;
    program.readouts = {{"dye", [&] { return total(fluid.density); }}};
    program.walls_have_values = true;
    program.parameters = {
        {"density_fade_rate", &fluid.density_fade_rate, "dye that every cell loses in a second"},
        {"velocity_fade_rate", &fluid.velocity_fade_rate,
         "speed that every cell loses in a second"},
        {"density_diffuse_rate", &fluid.density_diffuse_rate, "how fast dye spreads"},
        {"density_diffuse_iterations", &fluid.density_diffuse_iterations, "sweeps spent on it"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
    return program;
}

/// The table behind --numbers.
bool numbers() {
    Fluid fluid(16);
    const float dt = 1.0f / 60.0f;
    const auto dye_one_at = [&](int i, int j) {
        Field x(16);
        x(i, j) = 1.0f;
        const Field x0 = x;
        diffuse(BoundaryType::SCALAR, x, x0, fluid.density_diffuse_rate, dt,
                fluid.density_diffuse_iterations);
        return x;
    };
    const Field middle = dye_one_at(8, 8);
    const Field corner = dye_one_at(1, 1);

    Numbers numbers("05_bounds: the tutorial's numbers beside ours");
    const std::string in_double = "in double precision";
    numbers.checked("dye 1 at (8, 8): stays there", 0.909078001, middle(8, 8), 1e-6, in_double);
    numbers.checked("  in each neighbour", 0.021167858, middle(9, 8), 1e-6, in_double);
    numbers.checked("  in each diagonal one", 0.000984720, middle(9, 9), 1e-6, in_double);
    numbers.checked("  in all cells", 1, total(middle), 1e-6, in_double);
    numbers.checked("dye 1 at (1, 1): stays there", 0.952398, corner(1, 1), 1e-6, in_double);
    numbers.checked("  in all cells: nothing is lost", 1, total(corner), 1e-6, in_double);

    Field x(16);
    x(1, 1) = 3.0f;
    set_bnd(BoundaryType::SCALAR, x);
    numbers.checked("3 in cell (1, 1): wall (0, 1), dye", 3, x(0, 1), 0, "copied");
    numbers.checked("  corner (0, 0), dye", 3, x(0, 0), 0, "(3 + 3) / 2");
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, x);
    numbers.checked("  wall (0, 1), u", -3, x(0, 1), 0, "mirrored");
    numbers.checked("  wall (1, 0), u", 3, x(1, 0), 0, "copied: free slip");
    numbers.checked("  corner (0, 0), u", 0, x(0, 0), 0, "(3 - 3) / 2");
    return numbers.print();
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    return program.run(argc, argv);
}
