// The window of this chapter: what its fluid can do, in the words that common/program.hpp asks for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "numbers.hpp"
#include "paint.hpp"
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

/// Draws where the contents of the cell under the mouse came from: the way back along the velocity,
/// the four cells around its end, and what each of them counts.
void draw_source(Picture& picture, const View& view, const Fluid& fluid, int i, int j, float dt) {
    const int N = fluid.u.N;
    if (!is_fluid(N, i, j)) {
        return;
    }
    const float x = i - dt * N * fluid.u(i, j);
    const float y = j - dt * N * fluid.v(i, j);
    const Source source = source_at(x, y, N);
    const float end_x = source.i0 + source.s1;
    const float end_y = source.j0 + source.t1;
    const Colour yellow = {255, 220, 80};
    for (int below = 0; below <= 1; ++below) {
        for (int right = 0; right <= 1; ++right) {
            const float weight =
                (right == 1 ? source.s1 : source.s0) * (below == 1 ? source.t1 : source.t0);
            const int left_edge = static_cast<int>(view.x(source.i0 + right - 0.5f));
            const int upper_edge = static_cast<int>(view.y(source.j0 + below - 0.5f));
            const int size = static_cast<int>(view.cell);
            picture.outline(left_edge + 1, upper_edge + 1, size - 1, size - 1, yellow);
            if (size >= 26) {
                picture.text(left_edge + 3, upper_edge + 3,
                             short_number(std::round(100 * weight)) + "%", yellow, 1);
            }
        }
    }
    picture.line(view.x(i), view.y(j), view.x(end_x), view.y(end_y), yellow);
    picture.disc(view.x(end_x), view.y(end_y), 3.0f, yellow);
}

/// What the window shows of `fluid`, and what the mouse and the keys do to it.
Program make_program(Fluid& fluid) {
    Program program("03_advect", "Let's get the flow going");
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
    const Source source = source_at(7.3f, 4.8f, 16);
    Numbers numbers("03_advect: the tutorial's numbers beside ours");
    const std::string flow = "Skupnik, Let's get the flow going";
    numbers.printed("(7.3, 4.8): s0", 0.7, source.s0, flow);
    numbers.printed("(7.3, 4.8): s1", 0.3, source.s1, flow);
    numbers.printed("(7.3, 4.8): t0", 0.2, source.t0, flow);
    numbers.printed("(7.3, 4.8): t1", 0.8, source.t1, flow);
    numbers.printed("i0", 7, source.i0, flow);
    numbers.printed("j0", 4, source.j0, flow);
    numbers.checked("weight of (7, 4)", 0.14, source.s0 * source.t0, 1e-6, "0.7 * 0.2");
    numbers.checked("weight of (8, 4)", 0.06, source.s1 * source.t0, 1e-6, "0.3 * 0.2");
    numbers.checked("weight of (7, 5)", 0.56, source.s0 * source.t1, 1e-6, "0.7 * 0.8");
    numbers.checked("weight of (8, 5)", 0.24, source.s1 * source.t1, 1e-6, "0.3 * 0.8");

    Fluid fluid(16);
    fluid.density(5, 9) = 1.0f;
    std::fill(fluid.u.cells.begin(), fluid.u.cells.end(), 3.0f);
    std::fill(fluid.v.cells.begin(), fluid.v.cells.end(), -2.0f);
    const Field before = fluid.density;
    advect(fluid.density, before, fluid.u, fluid.v, 1.0f / 16.0f);
    numbers.checked("u 3, v -2, dt 1/16: all dye at (8, 7)", 1, fluid.density(8, 7), 0,
                    "dt * N * u = 3 cells");
    return numbers.print();
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;
    program.draw_probe = [&](Picture& picture, const View& view, GridCell cell) {
        draw_source(picture, view, fluid, cell.i, cell.j, static_cast<float>(program.dt));
    };

    return program.run(argc, argv);
}
