// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "23_cuda/timings.hpp"
#include "common/app/cube.hpp"
#include "common/app/program.hpp"
#include "common/draw/words.hpp"
#include "common/io/vti.hpp"
#include "cuda/device_fluid.hpp"
#include "window/meeting_jets.hpp"
#include "window/slips.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves, as in 07_project

// ---- Who computes ------------------------------------------------------------------------------

/// What a step changes: dye, velocity and pressure. A set of these is a sum.
enum Parts : unsigned { NOTHING = 0, DYE = 1, VELOCITY = 2, PRESSURE = 4, EVERYTHING = 7 };

/// The fluid, and who computes its steps: the processor, or a GPU if there is one.
struct Computer {
    FluidWithSlips fluid{40};
    Choice backend{0, {"automatic", "host", "cuda"}};
    Choice kernels{3, {"cell", "colour", "tile", "march"}};  ///< as device::Kernels has them
    std::optional<std::string> no_gpu;  ///< why there is none, or ""; asked before the first step
    std::optional<device::DeviceFluid> on_device;  ///< the same fluid on the GPU, if it is in use
    std::string device_name;  ///< asked when the fluid there is made
    bool device_is_behind = true;  ///< the fluid here has been changed since
    unsigned only_on_device = NOTHING;  ///< the parts that are newer there than here
    bool has_begun = false;  ///< a step has been made
    bool has_window = false;
    std::string words;  ///< who computed the last step, and what it took
};

/// Goes on without the GPU, because of an error. That ends the program where the GPU was asked for
/// by name; but a window that has begun stays open. A part that could not be fetched stays as it
/// was when it was last shown.
void give_up(Computer& computer, const std::string& why) {
    if (computer.backend.chosen == 2 && !(computer.has_begun && computer.has_window)) {
        throw InputError(why + "; --backend host needs none");
    }
    computer.backend.chosen = 1;
    computer.on_device.reset();
    computer.only_on_device = NOTHING;
    computer.words = why;
}

/// Returns the fluid, after fetching those of the parts from the GPU that are newer there.
const Fluid& fluid_with(Computer& computer, unsigned parts) {
    FluidWithSlips& fluid = computer.fluid;
    const unsigned missing = parts & computer.only_on_device;
    if (missing == NOTHING) {
        return fluid;
    }
    const auto to = [&](Parts part, Field& field) {
        return (missing & part) != 0 ? field.cells.data() : nullptr;
    };
    try {
        computer.on_device->download(to(DYE, fluid.density), to(VELOCITY, fluid.u),
                                     to(VELOCITY, fluid.v), to(VELOCITY, fluid.w),
                                     to(PRESSURE, fluid.pressure));
        computer.only_on_device &= ~missing;
    } catch (const device::Error& error) {
        give_up(computer, error.what());
    }
    return fluid;
}

/// Whether these parts can be had without fetching anything. Without a window everything is
/// fetched that is asked for.
bool is_here(const Computer& computer, unsigned parts) {
    return !computer.has_window || (parts & computer.only_on_device) == 0;
}

/// A step as a graph. What it changes stays on the GPU until it is asked for.
void step_on_device(Computer& computer, float dt) {
    Fluid& fluid = computer.fluid;
    if (!computer.on_device || computer.on_device->N() != fluid.u.N) {
        computer.on_device.emplace(fluid.u.N);
        computer.device_name = device::name();
        computer.device_is_behind = true;
    }
    if (std::exchange(computer.device_is_behind, false)) {
        upload(*computer.on_device, fluid);
    }
    const auto begin = std::chrono::steady_clock::now();
    computer.on_device->step(settings_of(fluid, computer.kernels), dt);
    computer.on_device->wait();
    computer.words =
        computer.device_name + ", " + short_number(milliseconds_since(begin)) + " ms a step";
    computer.only_on_device = EVERYTHING;
}

/// One step, wherever it is to be made. If the GPU cannot do it, the host does and says why.
void take_step(Computer& computer, float dt) {
    const bool by_name = computer.backend.chosen == 2;
    if (!computer.no_gpu) {
        computer.no_gpu = device::why_not();
    }
    std::string why = any_of(computer.fluid.slips) ? "slips run on the host only" : "";
    if (why.empty() && (by_name || (computer.backend.chosen == 0 && computer.no_gpu->empty()))) {
        try {
            step_on_device(computer, dt);
            computer.has_begun = true;
            return;
        } catch (const device::Error& error) {
            give_up(computer, error.what());
            why = error.what();
        }
    }
    computer.has_begun = true;
    fluid_with(computer, EVERYTHING);
    computer.on_device.reset();
    const double took = step_on_host(computer.fluid, dt);
    computer.device_is_behind = true;
    const int threads = computer.fluid.threads;
    computer.words = "host, " + std::to_string(threads) +
                     (threads == 1 ? " thread, " : " threads, ") + short_number(took) +
                     " ms a step" + (why.empty() ? "" : ": " + why);
}

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

void add_fields(CubeWindow& window, Computer& computer) {
    window.fields = {
        {"dye", [&](CubeCell c) { return fluid_with(computer, DYE).density(c.i, c.j, c.k); }, 1.0f,
         false, false, "in a cell"},
        {"speed",
         [&](CubeCell c) {
             const Fluid& fluid = fluid_with(computer, VELOCITY);
             return std::hypot(fluid.u(c.i, c.j, c.k), fluid.v(c.i, c.j, c.k),
                               fluid.w(c.i, c.j, c.k));
         },
         0.0f, false, false, "widths/s"},
        {"divergence",
         [&](CubeCell c) {
             const Fluid& fluid = fluid_with(computer, VELOCITY);
             return divergence_at({fluid.u, fluid.v, fluid.w}, c.i, c.j, c.k);
         },
         0.0f, true, true, "1/s"},
        {"pressure",
         [&](CubeCell c) { return fluid_with(computer, PRESSURE).pressure(c.i, c.j, c.k); }, 0.0f,
         true, false, "widths^2/s"},
        {"vorticity",
         [&](CubeCell c) { return vorticity_at(fluid_with(computer, VELOCITY), c.i, c.j, c.k); },
         0.0f, false, true, "1/s"},
    };
    window.velocity = [&](CubeCell c) {
        const Fluid& fluid = fluid_with(computer, VELOCITY);
        return std::array{fluid.u(c.i, c.j, c.k), fluid.v(c.i, c.j, c.k), fluid.w(c.i, c.j, c.k)};
    };
}

/// What the picture shows of the fluid.
unsigned parts_shown(const Program& program) {
    const std::string& field = program.shown_field().name;
    const unsigned arrows = program.screen.shows_arrows ? VELOCITY : NOTHING;
    return arrows | (field == "dye" ? DYE : field == "pressure" ? PRESSURE : VELOCITY);
}

/// What is known of a cell without fetching anything.
std::string description(const Computer& computer, CubeCell cell) {
    const auto [i, j, k] = cell;
    const Fluid& fluid = computer.fluid;
    std::string words = "(" + std::to_string(i) + "," + std::to_string(j) + "," +
                        std::to_string(k) + ") IX " + std::to_string(fluid.density.IX(i, j, k));
    if (is_here(computer, DYE)) {
        words += " dye " + short_number(fluid.density(i, j, k));
    }
    if (is_here(computer, VELOCITY)) {
        words += " u " + short_number(fluid.u(i, j, k)) + " v " + short_number(fluid.v(i, j, k)) +
                 " w " + short_number(fluid.w(i, j, k));
    }
    return words;
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

void add_parameters(Program& program, CubeWindow& window, Computer& computer) {
    FluidWithSlips& fluid = computer.fluid;
    Slips& slips = fluid.slips;
    program.description.parameters = {
        {"backend", &computer.backend, "who computes"},
        {"kernels", &computer.kernels, "which kernels relax on the GPU"},
        {"iterations", &fluid.iterations, "sweeps spent on each relaxation"},
        {"diff", &fluid.diff, "how fast dye spreads"},
        {"visc", &fluid.visc, "how fast velocity spreads"},
        {"sheet_opacity", &window.sheet_opacity, "of one layer in the cube's picture", 1.0},
        {"view", &window.view, "what is shown"},
    };
    program.description.add_from_earlier({
        {"diffuse_velocity", &fluid.diffuse_velocity, "velocity spreads"},
        {"advect_velocity", &fluid.advect_velocity, "velocity carries itself"},
        {"project_velocity", &fluid.project_velocity, "velocity is projected"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &window.velocity_draw_scale, "pixels of arrow for a velocity of 1"},
        {"slip_corners", &slips.corners, "a corner weighs 0.33 three times"},
        {"slip_corner_index", &slips.corner_index, "one corner reads behind the array"},
        {"slip_edges", &slips.edges, "edges are never written"},
        {"slip_clamp", &slips.clamp, "a back-trace may leave the cube"},
        {"slip_first_guess", &slips.first_guess, "diffusion starts from an old scratch array"},
        {"slip_whole_numbers", &slips.whole_numbers, "diff and visc are cut to whole numbers"},
        {"slip_divergence", &slips.divergence, "the divergence times N, not over N"},
        {"slip_explicit_update", &slips.explicit_update, "diffusion by a step forward in time"},
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
void fill_in(Program& program, CubeWindow& window, Computer& computer) {
    FluidWithSlips& fluid = computer.fluid;
    program.look = window.look(program);
    program.simulation.box = box_of(Shape::cube, fluid.u.N);
    program.simulation.reset = [&](int N) {
        fluid = FluidWithSlips(N);
        window.begin(N);
        computer.device_is_behind = true;
        computer.only_on_device = NOTHING;
    };
    program.simulation.step = [&](float dt) {
        take_step(computer, dt);
        if (computer.has_window) {
            fluid_with(computer, parts_shown(program));
        }
    };
    program.simulation.stroke = [&](const Stroke& stroke) {
        fluid_with(computer, EVERYTHING);
        apply(fluid, window, stroke);
        computer.device_is_behind = true;
    };
    program.description.scenes = {{"jets", "two jets of dye that cross", [&] { set_jets(fluid); }}};
    program.simulation.arrays = 10;
    program.description.threads = &fluid.threads;
    program.simulation.refuse_save.add([&]() -> std::string {
        return fluid.slips.first_guess
                   ? "--slip-first-guess needs what its scratch arrays hold, and no state file "
                     "keeps that; leave one of the two out"
                   : "";
    });
    program.description.outputs = {
        {"--vti", "write dye and velocity for ParaView",
         [&](const OutputFile& output) { write_vti(fluid_with(computer, EVERYTHING), output); }},
        {"--timings", "write a table of what the kernels take", [&](const OutputFile& output) {
             fluid_with(computer, EVERYTHING);
             write_timings(fluid, computer.kernels, output);
         }}};
    program.description.readouts = {
        {"dye", [&] { return total(fluid_with(computer, DYE).density); }, true,
         [&] { return is_here(computer, DYE); }},
        {"max div", [&] { return largest_divergence(fluid_with(computer, VELOCITY)); }, true,
         [&] { return is_here(computer, VELOCITY); }},
        {"slice", [&] { return 1.0 * window.chosen_slice(); }}};
    program.look.describe = [&](int column, int row) {
        return description(computer, window.cell(column, row));
    };
    const auto state_of = [&](Parts part, Field& field) {
        return [&computer, &field, part](int i, int j, int k) -> float& {
            fluid_with(computer, part);
            return field(i, j, k);
        };
    };
    program.description.state = {{"density", state_of(DYE, fluid.density)},
                                 {"u", state_of(VELOCITY, fluid.u)},
                                 {"v", state_of(VELOCITY, fluid.v)},
                                 {"w", state_of(VELOCITY, fluid.w)}};
    add_parameters(program, window, computer);
}

}  // namespace

int main(int argc, char** argv) {
    Computer computer;
    FluidWithSlips& fluid = computer.fluid;
    CubeWindow window;
    add_fields(window, computer);
    Program program("23_cuda", "Ash's cube on the GPU");
    fill_in(program, window, computer);
    window.connect(program);
    window.caption = [&] { return computer.words; };
    program.simulation.before_step.add([&] { computer.has_window = program.session.has_window; });
    MeetingJets jets(program, window, fluid);
    jets.before_change.add([&] {
        fluid_with(computer, EVERYTHING);
        computer.device_is_behind = true;
    });
    program.description.keys.push_back({'b', "the other backend: the GPU, or the host", [&] {
                                            const std::string reason = device::why_not();
                                            computer.backend.chosen =
                                                computer.on_device || !reason.empty() ? 1 : 2;
                                            if (!reason.empty()) {
                                                program.screen.say(reason);
                                            }
                                        }});
    program.description.keys.push_back(
        {'p', "projection on or off", [&] { fluid.project_velocity = !fluid.project_velocity; }});
    program.numbers = numbers;

    return program.run(argc, argv);
}
