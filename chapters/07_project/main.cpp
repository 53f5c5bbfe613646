// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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

// ---- A window that opens in motion --------------------------------------------------------------

/// A place, and how it moves: in widths of the grid, and in widths a second.
struct Brush {
    float x, y, u, v;
};

/// Where the brush of dye is after so many seconds, or that of clear fluid. It swings across and
/// down at different rates, so its path comes back to where it began only after 20 pi seconds.
Brush brush_at(float seconds, bool clear) {
    const float across = 1.3f, down = 1.7f;  // radians a second
    const float reach = 0.32f;
    const float x = across * seconds + (clear ? 3.1f : 0.0f);
    const float y = down * seconds + (clear ? 1.0f : 0.5f);
    return {0.5f + reach * std::sin(x), 0.5f + reach * std::sin(y), across * reach * std::cos(x),
            down * reach * std::cos(y)};
}

/// For dt, draws the fluid under a brush along with it, and fills it with dye or clears it. In the
/// middle of a brush, the fluid comes to the brush's velocity and dye within a fraction of a
/// second.
void stir(Fluid& fluid, Brush brush, bool clear, float dt) {
    const int N = fluid.u.N;
    const float radius = clear ? 0.075f : 0.045f;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float x = ((i - 0.5f) / N - brush.x) / radius;
            const float y = ((j - 0.5f) / N - brush.y) / radius;
            const float near = std::exp(-x * x - y * y);
            const float push = std::min(1.0f, 8.0f * dt * near);
            const float fill = std::min(1.0f, (clear ? 8.0f : 25.0f) * dt * near);
            fluid.u(i, j) += push * (brush.u - fluid.u(i, j));
            fluid.v(i, j) += push * (brush.v - fluid.v(i, j));
            fluid.density(i, j) += fill * ((clear ? 0.0f : 1.0f) - fluid.density(i, j));
        }
    }
}

/// Stripes of dye across a few whirls, which keep to the walls and have no divergence.
void begin_in_motion(Fluid& fluid) {
    const float pi = std::numbers::pi_v<float>;
    const int N = fluid.u.N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float x = pi * (i - 0.5f) / N;
            const float y = pi * (j - 0.5f) / N;
            fluid.u(i, j) =
                0.25f * std::sin(x) * std::cos(y) - 0.2f * std::sin(3 * x) * std::cos(2 * y);
            fluid.v(i, j) =
                -0.25f * std::cos(x) * std::sin(y) + 0.3f * std::cos(3 * x) * std::sin(2 * y);
            const float stripe = std::sin(6 * y + 1.5f * std::sin(2 * x));
            fluid.density(i, j) = std::clamp(0.1f + 0.8f * stripe, 0.0f, 1.0f);
        }
    }
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    set_bnd(BoundaryType::SCALAR, fluid.density);
}

/// The scene with which a window opens: the fluid is stirred until the reader draws. It must stay
/// where it is.
class Stirring {
  public:
    Stirring(Program& program, Fluid& fluid) : program_(program), fluid_(fluid) {
        program.description.scenes.push_back(
            {"stir", "two brushes stir until you draw", [this] { begin(); }});
        program.simulation.start = [](Box) {
            Start start{"drag", 1.0 / 60.0};
            start.window_scene = "stir";
            return start;
        };
        program.simulation.after_reset.add([this] { goes_on_ = false; });
        program.simulation.before_step.add([this] { stir_on(); });
        program.description.fields.push_back(
            {"ink", [&fluid](int i, int j) { return fluid.density(i, j); }, 1.0f, false,
             "in a cell", Palette::warm});
    }
    Stirring(const Stirring&) = delete;  // the program refers to it
    Stirring& operator=(const Stirring&) = delete;

    /// The reader draws.
    void stop() { goes_on_ = false; }

    /// After a stroke: in this scene it fills a cell and no more, or all would soon be white.
    void keep_colour(const Stroke& stroke) {
        const bool is_inside = is_fluid(fluid_.u.N, stroke.i, stroke.j);
        if (stroke.dye && is_inside && program_.session.scene == "stir") {
            float& dye = fluid_.density(stroke.i, stroke.j);
            dye = std::min(dye, 1.0f);
        }
    }

  private:
    void begin() {
        if (!program_.session.was_given("n")) {
            program_.resize({112, 112, 1});
        }
        set("density_fade_rate", 0.0);
        set("density_diffuse_rate", 0.0);
        set("velocity_diffuse_rate", 0.0);
        set("velocity_add_scale", 0.03);  // the fluid follows the hand, and does not overtake it
        program_.screen.shows_arrows = false;
        program_.screen.field = program_.description.fields.size() - 1;
        begin_in_motion(fluid_);
        goes_on_ = true;
    }

    void stir_on() {
        if (!goes_on_) {
            return;
        }
        const auto dt = static_cast<float>(program_.simulation.dt);
        const float now = dt * static_cast<float>(program_.simulation.step_count);
        stir(fluid_, brush_at(now, false), false, dt);
        stir(fluid_, brush_at(now, true), true, dt);
    }

    /// Sets a parameter, unless its flag has. The middle of its slider stays what it was without.
    void set(const std::string& name, double number) {
        for (Parameter& parameter : program_.description.parameters) {
            if (parameter.name == name && !program_.session.was_given(name)) {
                parameter.usual = parameter.usual != 0.0 ? parameter.usual : number_in(parameter);
                set_number(parameter, number);
            }
        }
    }

    Program& program_;
    Fluid& fluid_;
    bool goes_on_ = false;
};

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
    Stirring stirring(program, fluid);
    const auto draw = program.simulation.stroke;
    program.simulation.stroke = [&](const Stroke& stroke) {
        stirring.stop();
        draw(stroke);
        stirring.keep_colour(stroke);
    };
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
