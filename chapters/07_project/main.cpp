// The window of this chapter: what its fluid can do, in the words that common/program.hpp asks for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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

/// Half the difference of the neighbours, over the width of a cell: what divergence_at leaves out.
float vorticity_at(const Field& u, const Field& v, int i, int j) {
    const float h = 1.0f / u.N;
    return (v(i + 1, j) - v(i - 1, j) - u(i, j + 1) + u(i, j - 1)) / (2.0f * h);
}

/// The root of the mean of the squared divergence.
double rms_divergence(const Fluid& fluid) {
    const int N = fluid.u.N;
    double sum = 0.0;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const double divergence = divergence_at(fluid.u, fluid.v, i, j);
            sum += divergence * divergence;
        }
    }
    return std::sqrt(sum / (N * N));
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

/// How much of its divergence the velocity keeps when it is projected with so many sweeps.
double share_kept(Fluid& fluid, int sweeps) {
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    const double before = rms_divergence(fluid);
    project(fluid.u, fluid.v, fluid.pressure, fluid.divergence, sweeps);
    return rms_divergence(fluid) / before;
}

/// What the window shows of `fluid`, and what the mouse and the keys do to it.
Program make_program(Fluid& fluid) {
    Program program("07_project", "Let's get physical");
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
    program.arrays = 8;
    program.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }},
        {"speed", [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); }, 0.0f},
        {"divergence",
         [&](int i, int j) {
             return is_fluid(fluid.u.N, i, j) ? divergence_at(fluid.u, fluid.v, i, j) : 0.0f;
         },
         0.0f, true},
        {"divergence-before",
         [&](int i, int j) { return -fluid.divergence(i, j) * fluid.u.N * fluid.u.N; }, 0.0f, true},
        {"pressure", [&](int i, int j) { return fluid.pressure(i, j); }, 0.0f, true},
        {"vorticity",
         [&](int i, int j) {
             return is_fluid(fluid.u.N, i, j) ? vorticity_at(fluid.u, fluid.v, i, j) : 0.0f;
         },
         0.0f, true},
    };
    program.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.arrow_scale = &velocity_draw_scale;
    program.readouts = {{"dye", [&] { return total(fluid.density); }},
                        {"max div", [&] { return largest_divergence(fluid); }}};
    program.walls_have_values = true;
    program.parameters = {
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
    program.keys = {
        {'d', "velocity diffusion on or off",
         [&] { fluid.diffuse_velocity = !fluid.diffuse_velocity; }},
        {'a', "velocity advection on or off",
         [&] { fluid.advect_velocity = !fluid.advect_velocity; }},
        {'p', "projection on or off", [&] { fluid.project_velocity = !fluid.project_velocity; }},
    };
    return program;
}

/// The table behind --numbers.
bool numbers() {
    Numbers numbers("07_project: the tutorial's numbers beside ours");
    const Fluid fluid(16);
    const std::string physical = "Skupnik, Let's get physical";
    const std::string in_double = "in double precision";
    numbers.setting("pressure_iterations", 20, fluid.pressure_iterations, physical);
    numbers.setting("velocity_fade_rate: switched off", 0, fluid.velocity_fade_rate, physical);
    numbers.setting("h = 1 / N", 0.0625, 1.0f / 16.0f, physical);

    Fluid pushed(16);
    pushed.u(8, 8) = 1.0f;
    project(pushed.u, pushed.v, pushed.pressure, pushed.divergence, 20);
    numbers.checked("u(8, 8) = 1, projected: u(8, 8)", 0.822145, pushed.u(8, 8), 1e-6, in_double);
    numbers.checked("  u(9, 8)", -0.041625, pushed.u(9, 8), 1e-6, in_double);
    numbers.checked("  u(8, 9)", -0.064611, pushed.u(8, 9), 1e-6, in_double);
    numbers.checked("  v(9, 9)", 0.075298, pushed.v(9, 9), 1e-6, in_double);
    numbers.checked("  pressure(7, 8)", -0.0112322, pushed.pressure(7, 8), 1e-6, in_double);
    numbers.checked("  pressure(9, 8)", 0.0109996, pushed.pressure(9, 8), 1e-6, in_double);

    const auto wave_keeps = [](int sweeps) {
        Fluid wave(16);
        for (int j = 1; j <= 16; ++j) {
            for (int i = 1; i <= 16; ++i) {
                wave.u(i, j) = std::sin(std::numbers::pi_v<float> * (i - 0.5f) / 16.0f);
            }
        }
        return share_kept(wave, sweeps);
    };
    const auto push_keeps = [](int sweeps) {
        Fluid push(16);
        push.u(8, 8) = 1.0f;
        return share_kept(push, sweeps);
    };
    numbers.checked("a wave keeps of its divergence, 20 sweeps", 0.7159, wave_keeps(20), 1e-4,
                    in_double);
    numbers.checked("  after 200 sweeps", 0.0395, wave_keeps(200), 1e-4, in_double);
    numbers.checked("  after 5000 sweeps", 0.0096, wave_keeps(5000), 1e-4, "sin^2(pi / 32)");
    numbers.checked("one pushed cell keeps, 20 sweeps", 0.6437, push_keeps(20), 1e-4, in_double);
    numbers.checked("  after 5000 sweeps", 0.6435, push_keeps(5000), 1e-4, in_double);
    return numbers.print();
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    return program.run(argc, argv);
}
