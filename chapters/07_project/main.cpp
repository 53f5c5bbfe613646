// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "common/app/program.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/plot.hpp"
#include "common/draw/words.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves
float velocity_draw_scale = 20.0f;  // pixels of arrow for a velocity of 1
bool show_back_trace = false;  // of the cell under the mouse

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
            const int line = picture.scaled(1);
            picture.outline(left_edge + line, upper_edge + line, size - line, size - line, yellow);
            if (size >= picture.scaled(26)) {
                picture.text(left_edge + 3 * line, upper_edge + 3 * line,
                             short_number(std::round(100 * weight)) + "%", yellow,
                             picture.letters(1));
            }
        }
    }
    picture.line(view.x(i), view.y(j), view.x(end_x), view.y(end_y), yellow);
    picture.disc(view.x(end_x), view.y(end_y), 3.0f * picture.scale, yellow);
}

/// One diffusion, run a sweep at a time, to watch how far each sweep gets.
struct Relaxation {
    Field before;  ///< the dye that is being spread
    float a;
    std::vector<float> residuals;  ///< before the first sweep, after it, after the second...
};

/// Half the difference of the neighbours, over the width of a cell: what divergence_at leaves out.
float vorticity_at(const Field& u, const Field& v, int i, int j) {
    const float h = 1.0f / u.N;
    return (v(i + 1, j) - v(i - 1, j) - u(i, j + 1) + u(i, j - 1)) / (2.0f * h);
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int j = 1; j <= fluid.u.N; ++j) {
        for (int i = 1; i <= fluid.u.N; ++i) {
            const double here = std::abs(double{divergence_at(fluid.u, fluid.v, i, j)});
            if (!std::isfinite(here)) {
                return here;
            }
            largest = std::max(largest, here);
        }
    }
    return largest;
}

/// What the window shows of `fluid`, and what the mouse and the keys do to it.
Program make_program(Fluid& fluid) {
    Program program("07_project", "Let's get physical");
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
    program.simulation.arrays = 8;
    program.description.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }, 1.0f, false, "in a cell"},
        {"speed", [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); }, 0.0f,
         false, "widths/s"},
        {"divergence",
         [&](int i, int j) {
             return is_fluid(fluid.u.N, i, j) ? divergence_at(fluid.u, fluid.v, i, j) : 0.0f;
         },
         0.0f, true, "1/s"},
        {"divergence-before",
         [&](int i, int j) { return -fluid.divergence(i, j) * fluid.u.N * fluid.u.N; }, 0.0f, true,
         "1/s"},
        {"pressure", [&](int i, int j) { return fluid.pressure(i, j); }, 0.0f, true, "widths^2/s"},
        {"vorticity",
         [&](int i, int j) {
             return is_fluid(fluid.u.N, i, j) ? vorticity_at(fluid.u, fluid.v, i, j) : 0.0f;
         },
         0.0f, true, "1/s"},
    };
    program.look.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.look.arrow_scale = &velocity_draw_scale;
    program.description.readouts = {
        {"dye", [&] { return total(fluid.density); }},
        {"max div", [&] { return largest_divergence(fluid); }},
        {"fullest",
         [&] { return *std::max_element(fluid.density.cells.begin(), fluid.density.cells.end()); },
         false}};
    program.look.walls_have_values = true;
    program.description.parameters = {
        {"density_fade_rate", &fluid.density_fade_rate, "dye that every cell loses in a second"},
        {"velocity_fade_rate", &fluid.velocity_fade_rate,
         "speed that every cell loses in a second"},
        {"density_diffuse_rate", &fluid.density_diffuse_rate, "how fast dye spreads"},
        {"density_diffuse_iterations", &fluid.density_diffuse_iterations, "sweeps spent on it"},
        {"velocity_diffuse_rate", &fluid.velocity_diffuse_rate, "how fast velocity spreads"},
        {"velocity_diffuse_iterations", &fluid.velocity_diffuse_iterations, "sweeps spent on it"},
        {"pressure_iterations", &fluid.pressure_iterations, "sweeps spent on the pressure"},
        {"diffuse_velocity", &fluid.diffuse_velocity, "velocity spreads"},
        {"advect_velocity", &fluid.advect_velocity, "velocity carries itself"},
        {"project_velocity", &fluid.project_velocity, "velocity is projected"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
    program.description.keys = {
        {'b', "the back-trace of the cell under the mouse, on or off",
         [] { show_back_trace = !show_back_trace; }},
        {'d', "velocity diffusion on or off",
         [&] { fluid.diffuse_velocity = !fluid.diffuse_velocity; }},
        {'a', "velocity advection on or off",
         [&] { fluid.advect_velocity = !fluid.advect_velocity; }},
        {'p', "projection on or off", [&] { fluid.project_velocity = !fluid.project_velocity; }},
    };
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;
    program.look.draw_probe = [&](Picture& picture, const View& view, GridCell cell) {
        if (show_back_trace) {
            draw_source(picture, view, fluid, cell.i, cell.j,
                        static_cast<float>(program.simulation.dt));
        }
    };

    // G stops time and runs one more sweep of the next diffusion; any step goes on from there.
    std::optional<Relaxation> relaxation;
    int relaxed_step = 0;
    program.simulation.after_reset.add([&] { relaxation.reset(); });
    program.description.keys.push_back(
        {'g', "run the diffusion sweep by sweep", [&] {
             if (!relaxation || relaxed_step != program.simulation.step_count ||
                 relaxation->before.N != program.simulation.box.nx) {
                 program.session.paused = true;
                 relaxed_step = program.simulation.step_count;
                 const float dt = static_cast<float>(program.simulation.dt);
                 const float a = dt * fluid.density_diffuse_rate * program.simulation.box.nx *
                                 program.simulation.box.nx;
                 relaxation = Relaxation{
                     fluid.density, a, {residual(fluid.density, fluid.density, a, 1 + 4 * a)}};
                 return;
             }
             Relaxation& r = *relaxation;
             lin_solve(BoundaryType::SCALAR, fluid.density, r.before, r.a, 1 + 4 * r.a, 1);
             r.residuals.push_back(residual(fluid.density, r.before, r.a, 1 + 4 * r.a));
         }});
    program.look.draw_over.add([&](Picture& picture, const View& view) {
        if (relaxation && relaxed_step == program.simulation.step_count) {
            const int side = static_cast<int>(view.cell * view.columns);
            draw_plot(picture, static_cast<int>(view.left) + side - picture.scaled(280),
                      static_cast<int>(view.top) + side - picture.scaled(190), picture.scaled(270),
                      picture.scaled(180), relaxation->residuals,
                      "residual, sweep " + std::to_string(relaxation->residuals.size() - 1) +
                          ", a = " + short_number(relaxation->a));
        }
    });
    program.description.keys.push_back({'m', "the fullest cell's dye, on or off", [&] {
                                            Readout& fullest = program.description.readouts.back();
                                            fullest.shown = !fullest.shown;
                                        }});

    return program.run(argc, argv);
}
