// The window of this chapter: what its fluid can do, in the words that common/program.hpp asks for.
#include "solver.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

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

/// One diffusion, run a sweep at a time, to watch how far each sweep gets.
struct Relaxation {
    Field before;  ///< the dye that is being spread
    float a;
    std::vector<float> residuals;  ///< before the first sweep, after it, after the second...
};

/// What the window shows of `fluid`, and what the mouse and the keys do to it.
Program make_program(Fluid& fluid) {
    Program program("04_diffuse", "A drop in the ocean");
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
    const float a = dt * fluid.density_diffuse_rate * 16 * 16;
    const auto dye_one_at = [&](int i, int j, int sweeps) {
        Field x(16);
        x(i, j) = 1.0f;
        const Field x0 = x;
        diffuse(x, x0, fluid.density_diffuse_rate, dt, sweeps);
        return x;
    };
    const Field middle = dye_one_at(8, 8, fluid.density_diffuse_iterations);
    const Field corner = dye_one_at(1, 1, fluid.density_diffuse_iterations);

    Numbers numbers("04_diffuse: the tutorial's numbers beside ours");
    const std::string drop = "Skupnik, A drop in the ocean";
    const std::string in_double = "in double precision";
    numbers.setting("density_diffuse_rate", 0.006, fluid.density_diffuse_rate, drop);
    numbers.setting("density_diffuse_iterations", 20, fluid.density_diffuse_iterations, drop);
    numbers.checked("a = dt * rate * N * N", 0.0256, a, 1e-7, "0.006 * 256 / 60");
    numbers.checked("dye 1 at (8, 8): stays there", 0.909078001, middle(8, 8), 1e-6, in_double);
    numbers.checked("  in each neighbour", 0.021167858, middle(9, 8), 1e-6, in_double);
    numbers.checked("  in each diagonal one", 0.000984720, middle(9, 9), 1e-6, in_double);
    numbers.checked("  in all cells", 1, total(middle), 1e-6, in_double);
    numbers.checked("dye 1 at (1, 1): stays there", 0.908093, corner(1, 1), 1e-6, in_double);
    numbers.checked("  in all cells: walls drink it", 0.952398, total(corner), 1e-6, in_double);
    const Field once = dye_one_at(8, 8, 1);
    const Field four_times = dye_one_at(8, 8, 4);
    numbers.checked("change from sweep 4 to sweep 20", 0, middle(8, 8) - four_times(8, 8), 1e-6,
                    "a is small: settled");
    numbers.checked("change from sweep 1 to sweep 20", 0.0008877, middle(8, 8) - once(8, 8), 1e-6,
                    "once: (1 + 2 a a / c) / c");

    // The explicit step: each cell gives and takes a share of the difference to its neighbours.
    const auto explicit_growth = [](float share) {
        Field x(16);
        for (int j = 1; j <= 16; ++j) {
            for (int i = 1; i <= 16; ++i) {
                x(i, j) = (i + j) % 2 == 0 ? 1.0f : -1.0f;
            }
        }
        const float neighbours = x(7, 8) + x(9, 8) + x(8, 7) + x(8, 9);
        return x(8, 8) + share * (neighbours - 4.0f * x(8, 8));
    };
    numbers.checked("explicit step on a checkerboard, a = 0.25", -1, explicit_growth(0.25f), 1e-6,
                    "1 - 8 a");
    numbers.checked("explicit step on a checkerboard, a = 0.5", -3, explicit_growth(0.5f), 1e-6,
                    "1 - 8 a: it grows");
    return numbers.print();
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    // G stops time and runs one more sweep of the next diffusion; any step goes on from there.
    std::optional<Relaxation> relaxation;
    int relaxed_step = 0;
    program.reset = [&](int N) {
        fluid = Fluid(N);
        relaxation.reset();
    };
    program.keys = {
        {'g', "run the diffusion sweep by sweep", [&] {
             if (!relaxation || relaxed_step != program.step_count ||
                 relaxation->before.N != program.N) {
                 program.paused = true;
                 relaxed_step = program.step_count;
                 const float dt = static_cast<float>(program.dt);
                 const float a = dt * fluid.density_diffuse_rate * program.N * program.N;
                 relaxation = Relaxation{
                     fluid.density, a, {residual(fluid.density, fluid.density, a, 1 + 4 * a)}};
                 return;
             }
             Relaxation& r = *relaxation;
             lin_solve(fluid.density, r.before, r.a, 1 + 4 * r.a, 1);
             r.residuals.push_back(residual(fluid.density, r.before, r.a, 1 + 4 * r.a));
         }}};
    program.draw_over = [&](Picture& picture, const View& view) {
        if (relaxation && relaxed_step == program.step_count) {
            const int side = static_cast<int>(view.cell * view.columns);
            draw_plot(picture, static_cast<int>(view.left) + side - 280,
                      static_cast<int>(view.top) + side - 190, 270, 180, relaxation->residuals,
                      "residual, sweep " + std::to_string(relaxation->residuals.size() - 1) +
                          ", a = " + short_number(relaxation->a));
        }
    };

    return program.run(argc, argv);
}
