// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/app/cube.hpp"
#include "common/app/program.hpp"
#include "common/draw/words.hpp"
#include "common/io/vti.hpp"
#include "window/meeting_jets.hpp"
#include "window/slips.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves, as in 07_project

// ---- What can be said about a fluid ------------------------------------------------------------

/// The sum over the fluid cells.
double total(const Field& field) {
    double sum = 0.0;
    for_each_cell(field.N, [&](int i, int j, int k) { sum += field(i, j, k); });
    return sum;
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for_each_cell(fluid.u.N, [&](int i, int j, int k) {
        const double here = std::abs(double{divergence_at({fluid.u, fluid.v, fluid.w}, i, j, k)});
        if (std::isfinite(largest)) {
            largest = std::isfinite(here) ? std::max(largest, here) : here;
        }
    });
    return largest;
}

/// How fast the fluid turns around the cell, about whatever axis.
float vorticity_at(const Fluid& fluid, int i, int j, int k) {
    const Field& u = fluid.u;
    const Field& v = fluid.v;
    const Field& w = fluid.w;
    const float x = w(i, j + 1, k) - w(i, j - 1, k) - v(i, j, k + 1) + v(i, j, k - 1);
    const float y = u(i, j, k + 1) - u(i, j, k - 1) - w(i + 1, j, k) + w(i - 1, j, k);
    const float z = v(i + 1, j, k) - v(i - 1, j, k) - u(i, j + 1, k) + u(i, j - 1, k);
    return 0.5f * (u.N - 2) * std::hypot(x, y, z);
}

void add_fields(CubeWindow& window, const Fluid& fluid) {
    window.fields = {
        {"dye", [&](CubeCell c) { return fluid.density(c.i, c.j, c.k); }, 1.0f, false, false,
         "in a cell"},
        {"speed",
         [&](CubeCell c) {
             return std::hypot(fluid.u(c.i, c.j, c.k), fluid.v(c.i, c.j, c.k),
                               fluid.w(c.i, c.j, c.k));
         },
         0.0f, false, false, "widths/s"},
        {"divergence",
         [&](CubeCell c) {
             return divergence_at({fluid.u, fluid.v, fluid.w}, c.i, c.j, c.k);
         },
         0.0f, true, true, "1/s"},
        {"pressure", [&](CubeCell c) { return fluid.pressure(c.i, c.j, c.k); }, 0.0f, true, false,
         "widths^2/s"},
        {"vorticity", [&](CubeCell c) { return vorticity_at(fluid, c.i, c.j, c.k); }, 0.0f, false,
         true, "1/s"},
    };
    window.velocity = [&](CubeCell c) {
        return std::array{fluid.u(c.i, c.j, c.k), fluid.v(c.i, c.j, c.k), fluid.w(c.i, c.j, c.k)};
    };
}

std::string description(const Fluid& fluid, CubeCell cell) {
    const auto [i, j, k] = cell;
    return "(" + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + ") IX " +
           std::to_string(fluid.density.IX(i, j, k)) + " dye " +
           short_number(fluid.density(i, j, k)) + " u " + short_number(fluid.u(i, j, k)) + " v " +
           short_number(fluid.v(i, j, k)) + " w " + short_number(fluid.w(i, j, k));
}

// ---- The mouse, and a scene --------------------------------------------------------------------

/// The brush is as deep as it is wide.
void apply(Fluid& fluid, const CubeWindow& window, const Stroke& stroke) {
    const auto [du, dv, dw] =
        window.in_cube(velocity_add_scale * stroke.dx, velocity_add_scale * stroke.dy);
    const int depth = std::max(1, fluid.u.N / 16);
    for (int layer = 0; layer < depth; ++layer) {
        const CubeCell cell = window.cell(stroke.i, stroke.j, (depth - 1) / 2 - layer);
        if (stroke.dye) {
            add_density(fluid, cell.i, cell.j, cell.k, 1.0f);
        }
        add_velocity(fluid, cell.i, cell.j, cell.k, {du, dv, dw});
    }
}

/// Two jets of dye that cross, one a little above the other.
void set_jets(Fluid& fluid) {
    const auto n = static_cast<float>(fluid.u.N - 2);
    for_each_cell(fluid.u.N, [&](int i, int j, int k) {
        const float x = (static_cast<float>(i) - 0.5f) / n;
        const float y = (static_cast<float>(j) - 0.5f) / n;
        const float z = (static_cast<float>(k) - 0.5f) / n;
        if (x > 0.1f && x < 0.35f && std::hypot(y - 0.45f, z - 0.5f) < 0.09f) {
            add_density(fluid, i, j, k, 3.0f);
            add_velocity(fluid, i, j, k, {1.2f, 0.0f, 0.0f});
        }
        if (z > 0.1f && z < 0.35f && std::hypot(x - 0.6f, y - 0.55f) < 0.09f) {
            add_density(fluid, i, j, k, 3.0f);
            add_velocity(fluid, i, j, k, {0.0f, -0.3f, 1.2f});
        }
    });
}

// ---- The program -------------------------------------------------------------------------------

void add_parameters(Program& program, CubeWindow& window, FluidWithSlips& fluid) {
    Slips& slips = fluid.slips;
    program.description.parameters = {
        {"diff", &fluid.diff, "how fast dye spreads"},
        {"visc", &fluid.visc, "how fast velocity spreads"},
        {"iterations", &fluid.iterations, "sweeps spent on each relaxation"},
        {"view", &window.view, "what is shown"},
        {"slip_corners", &slips.corners, "a corner weighs 0.33 three times"},
        {"slip_corner_index", &slips.corner_index, "one corner reads behind the array"},
        {"slip_edges", &slips.edges, "edges are never written"},
        {"slip_clamp", &slips.clamp, "a back-trace may leave the cube"},
        {"slip_first_guess", &slips.first_guess, "diffusion starts from an old scratch array"},
        {"slip_whole_numbers", &slips.whole_numbers, "diff and visc are cut to whole numbers"},
        {"slip_divergence", &slips.divergence, "the divergence times N, not over N"},
        {"slip_explicit_update", &slips.explicit_update, "diffusion by a step forward in time"},
    };
    // These are of earlier chapters, or seldom changed.
    program.description.add_from_earlier({
        {"sheet_opacity", &window.sheet_opacity, "of one layer in the cube's picture", 1.0},
        {"diffuse_velocity", &fluid.diffuse_velocity, "velocity spreads"},
        {"advect_velocity", &fluid.advect_velocity, "velocity carries itself"},
        {"project_velocity", &fluid.project_velocity, "velocity is projected"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &window.velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    });
}

/// Dye and velocity, for ParaView. The fluid lies from 0 to 1 along each axis.
void write_vti(const Fluid& fluid, const OutputFile& output) {
    const double h = 1.0 / (fluid.u.N - 2);
    const Field* const parts[] = {&fluid.u, &fluid.v, &fluid.w};
    save_vti(output, fluid.u.N, -h, h,
             {{"density", 1, [&](int, int i, int j, int k) { return fluid.density(i, j, k); }},
              {"velocity", 3,
               [&](int component, int i, int j, int k) { return (*parts[component])(i, j, k); }}});
}

/// What the window shows, and what the mouse does.
void fill_in(Program& program, CubeWindow& window, FluidWithSlips& fluid) {
    program.look = window.look(program);
    program.simulation.box = box_of(Shape::cube, fluid.u.N);
    program.simulation.reset = [&](int N) {
        fluid = FluidWithSlips(N);
        window.begin(N);
    };
    program.simulation.step = [&](float dt) {
        any_of(fluid.slips) ? step(fluid, dt) : step(static_cast<Fluid&>(fluid), dt);
    };
    program.simulation.stroke = [&](const Stroke& stroke) { apply(fluid, window, stroke); };
    program.description.scenes = {{"jets", "two jets of dye that cross", [&] { set_jets(fluid); }}};
    program.simulation.arrays = 10;
    program.simulation.refuse_save.add([&]() -> std::string {
        return fluid.slips.first_guess
                   ? "--slip-first-guess needs what its scratch arrays hold, and no state file "
                     "keeps that; leave one of the two out"
                   : "";
    });
    program.description.outputs = {{"--vti", "write dye and velocity for ParaView",
                                    [&](const OutputFile& output) { write_vti(fluid, output); }}};
    program.description.readouts = {{"dye", [&] { return total(fluid.density); }},
                                    {"max div", [&] { return largest_divergence(fluid); }},
                                    {"slice", [&] { return 1.0 * window.chosen_slice(); }}};
    program.look.describe = [&](int column, int row) {
        return description(fluid, window.cell(column, row));
    };
    program.description.state = {
        {"density", [&](int i, int j, int k) -> float& { return fluid.density(i, j, k); }},
        {"u", [&](int i, int j, int k) -> float& { return fluid.u(i, j, k); }},
        {"v", [&](int i, int j, int k) -> float& { return fluid.v(i, j, k); }},
        {"w", [&](int i, int j, int k) -> float& { return fluid.w(i, j, k); }},
    };
    add_parameters(program, window, fluid);
}

}  // namespace

int main(int argc, char** argv) {
    FluidWithSlips fluid(40);
    CubeWindow window;
    add_fields(window, fluid);
    Program program("21_3d", "Ash's cube");
    fill_in(program, window, fluid);
    window.connect(program);
    const MeetingJets jets(program, window, fluid);
    program.description.keys.push_back(
        {'p', "projection on or off", [&] { fluid.project_velocity = !fluid.project_velocity; }});
    program.numbers = numbers;

    return program.run(argc, argv);
}
