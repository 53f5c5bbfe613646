// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/app/program.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/paint.hpp"
#include "common/draw/volume.hpp"
#include "common/io/vti.hpp"

#include "cuda/device_fluid.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves, as in 07_project
float velocity_draw_scale = 20.0f;  // pixels of arrow for a velocity of 1
float sheet_opacity = 0.4f;  // of one layer of cells that is full

constexpr Colour edge_colour = {90, 100, 120};
constexpr Colour slice_colour = {200, 170, 90};
constexpr Colour words_colour = {235, 235, 235};

enum class Look { SLICES, SLICE, CUBE };

/// All that the window shows.
struct Stand {
    Fluid fluid{128};
    Choice backend{0, {"automatic", "host", "cuda"}};
    std::optional<device::DeviceFluid> on_device;  ///< the same fluid on the GPU, if it is in use
    std::string device_name;
    bool device_is_behind = true;  ///< the fluid here has been changed since
    std::string why_host;  ///< what went wrong where the GPU was to compute, if it did
    bool has_begun = false;  ///< a step has been made
    bool has_window = false;
    std::map<std::string, double> milliseconds;  ///< of the last step, by kernel
    Choice view{0, {"automatic", "slices", "slice", "cube"}};
    int axis = 2;  ///< the slice looks along x, y or z
    int slice = 64;  ///< and is this one of its layers
    Camera camera;
};

/// A cell of the cube.
struct Cell3 {
    int i, j, k;
};

/// The cell in that column and row of a slice. Along x the columns are layers, along y the rows.
Cell3 cell_in_slice(int axis, int slice, int column, int row) {
    switch (axis) {
        case 0:
            return {slice, row, column};
        case 1:
            return {column, slice, row};
        default:
            return {column, row, slice};
    }
}

// ---- What can be said about a fluid ------------------------------------------------------------

double total(const Field& field) {
    double sum = 0.0;
    for (int k = 1; k < field.N - 1; ++k) {
        for (int j = 1; j < field.N - 1; ++j) {
            for (int i = 1; i < field.N - 1; ++i) {
                sum += field(i, j, k);
            }
        }
    }
    return sum;
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 1; k < fluid.u.N - 1; ++k) {
        for (int j = 1; j < fluid.u.N - 1; ++j) {
            for (int i = 1; i < fluid.u.N - 1; ++i) {
                const double here =
                    std::abs(double{divergence_at(fluid.u, fluid.v, fluid.w, i, j, k)});
                if (!std::isfinite(here)) {
                    return here;
                }
                largest = std::max(largest, here);
            }
        }
    }
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

/// A number of each cell, and how it is shown.
struct Quantity {
    std::string name;
    float (*of)(const Fluid& fluid, int i, int j, int k);
    float full_at;  ///< 0: the largest shown
    bool is_signed;
    bool inside_only;  ///< it needs neighbours on all sides
};

const std::vector<Quantity>& quantities() {
    static const std::vector<Quantity> all = {
        {"dye", [](const Fluid& f, int i, int j, int k) { return f.density(i, j, k); }, 1.0f, false,
         false},
        {"speed",
         [](const Fluid& f, int i, int j, int k) {
             return std::hypot(f.u(i, j, k), f.v(i, j, k), f.w(i, j, k));
         },
         0.0f, false, false},
        {"divergence",
         [](const Fluid& f, int i, int j, int k) { return divergence_at(f.u, f.v, f.w, i, j, k); },
         0.0f, true, true},
        {"pressure", [](const Fluid& f, int i, int j, int k) { return f.pressure(i, j, k); }, 0.0f,
         true, false},
        {"vorticity", vorticity_at, 0.0f, false, true},
    };
    return all;
}

float value_of(const Fluid& fluid, const Quantity& quantity, Cell3 cell) {
    if (quantity.inside_only && !is_fluid(fluid.u.N, cell.i, cell.j, cell.k)) {
        return 0.0f;
    }
    return quantity.of(fluid, cell.i, cell.j, cell.k);
}

/// The part of the velocity that lies in a slice, along its columns and rows.
std::pair<float, float> velocity_in_slice(const Fluid& fluid, int axis, Cell3 cell) {
    const auto& [i, j, k] = cell;
    switch (axis) {
        case 0:
            return {fluid.w(i, j, k), fluid.v(i, j, k)};
        case 1:
            return {fluid.u(i, j, k), fluid.w(i, j, k)};
        default:
            return {fluid.u(i, j, k), fluid.v(i, j, k)};
    }
}

// ---- Who computes ------------------------------------------------------------------------------

double milliseconds_now() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Says whether the GPU is asked to compute.
bool wants_device(const Stand& stand) {
    return stand.backend.chosen == 2 || (stand.backend.chosen == 0 && device::why_not().empty());
}

std::string backend_in_words(const Stand& stand) {
    if (stand.on_device) {
        return stand.device_name;
    }
    const int threads = stand.fluid.threads;
    return "host, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
           (stand.why_host.empty() ? "" : ": " + stand.why_host);
}

void step_on_device(Stand& stand, float dt) {
    Fluid& fluid = stand.fluid;
    if (!stand.on_device || stand.on_device->N() != fluid.u.N) {
        stand.on_device.emplace(fluid.u.N);
        stand.device_name = device::name();
        stand.device_is_behind = true;
    }
    device::DeviceFluid& on_device = *stand.on_device;
    if (stand.device_is_behind) {
        on_device.upload(fluid.density.cells.data(), fluid.u.cells.data(), fluid.v.cells.data(),
                         fluid.w.cells.data());
        stand.device_is_behind = false;
    }
    device::Settings settings;
    settings.diff = fluid.diff;
    settings.visc = fluid.visc;
    settings.iterations = fluid.iterations;
    settings.diffuse_velocity = fluid.diffuse_velocity;
    settings.advect_velocity = fluid.advect_velocity;
    settings.project_velocity = fluid.project_velocity;
    settings.fast = fluid.fast;
    const device::Timings took = on_device.timed_step(settings, dt);
    stand.milliseconds = {{"relax", took.relax},
                          {"advect", took.advect},
                          {"divergence", took.divergence},
                          {"gradient", took.gradient},
                          {"copy", took.copy}};
    on_device.download(fluid.density.cells.data(), fluid.u.cells.data(), fluid.v.cells.data(),
                       fluid.w.cells.data(), fluid.pressure.cells.data());
}

void step_on_host(Stand& stand, float dt) {
    stand.on_device.reset();
    stand.milliseconds.clear();
    double then = milliseconds_now();
    stand.fluid.watch = [&](const char* done) {
        const double now = milliseconds_now();
        stand.milliseconds[done] += now - then;
        then = now;
    };
    step(stand.fluid, dt);
    stand.fluid.watch = {};
}

/// One step, wherever it is to be made. If the GPU cannot do it, the host does and says why. That
/// is an error where the GPU was asked for by name; but a window that has begun stays open.
void take_step(Stand& stand, float dt) {
    const bool has_begun = std::exchange(stand.has_begun, true);
    if (wants_device(stand)) {
        try {
            step_on_device(stand, dt);
            stand.why_host.clear();
            return;
        } catch (const device::Error& error) {
            if (stand.backend.chosen == 2 && !(has_begun && stand.has_window)) {
                throw InputError(std::string(error.what()) + "; --backend host needs none");
            }
            stand.backend.chosen = 1;
            stand.why_host = error.what();
        }
    }
    step_on_host(stand, dt);
}

// ---- Drawing -----------------------------------------------------------------------------------

const Quantity& shown_quantity(const Program& program) {
    for (const Quantity& quantity : quantities()) {
        if (quantity.name == program.shown_field().name) {
            return quantity;
        }
    }
    return quantities().front();
}

float largest_of(const Fluid& fluid, const Quantity& quantity) {
    const int N = fluid.u.N;
    float largest = 1e-6f;
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                largest = std::max(largest, std::abs(quantity.of(fluid, i, j, k)));
            }
        }
    }
    return largest;
}

void draw_slice(Picture& picture, const Program& program, const Stand& stand, Rectangle area,
                int axis, int slice) {
    const Fluid& fluid = stand.fluid;
    const int N = fluid.u.N;
    const Quantity& quantity = shown_quantity(program);
    const View view = view_in(area, N, N, true);
    const ShownField field = {quantity.name,
                              [&](int column, int row) {
                                  return value_of(fluid, quantity,
                                                  cell_in_slice(axis, slice, column, row));
                              },
                              quantity.full_at, quantity.is_signed};
    draw_cells(picture, view, field);
    if (program.shows_arrows()) {
        const auto velocity = [&](int column, int row) {
            return velocity_in_slice(fluid, axis, cell_in_slice(axis, slice, column, row));
        };
        draw_arrows(picture, view, velocity, velocity_draw_scale);
    }
}

/// One of the three middle slices' place in the picture.
Rectangle part_of(Rectangle area, int axis) {
    const int width = area.width / 3;
    return {area.x + axis * width + 2, area.y + 16, width - 4, area.height - 16};
}

/// The three middle slices, side by side, each with the axis that it looks along.
void draw_slices(Picture& picture, const Program& program, const Stand& stand, Rectangle area) {
    const int middle = stand.fluid.u.N / 2;
    for (int axis = 0; axis < 3; ++axis) {
        const Rectangle part = part_of(area, axis);
        draw_slice(picture, program, stand, part, axis, middle);
        picture.text(part.x + 4, area.y + 4,
                     std::string(1, "xyz"[axis]) + " = " + std::to_string(middle), words_colour, 1);
    }
}

/// The whole cube as half-transparent sheets. What is 0 cannot be seen.
void draw_cube(Picture& picture, const Program& program, const Stand& stand, Rectangle area) {
    const Fluid& fluid = stand.fluid;
    const Quantity& quantity = shown_quantity(program);
    const float full = quantity.full_at > 0.0f ? quantity.full_at : largest_of(fluid, quantity);
    const int n = fluid.u.N - 2;  // walls are left out
    // As many cells as lie one behind the other hide each other the less, the more there are.
    const float opacity = std::min(1.0f, sheet_opacity * 40.0f / static_cast<float>(n));
    const CubeView view(area, stand.camera);
    draw_cube_edges(picture, view, false, edge_colour);
    draw_sheets(picture, view, n, [&](int i, int j, int k) -> Glow {
        const float value = quantity.of(fluid, i + 1, j + 1, k + 1) / full;
        const float size = std::clamp(std::abs(value), 0.0f, 1.0f);
        return {quantity.is_signed ? signed_colour(value) : sequential_colour(0.4f + 0.6f * size),
                opacity * size};
    });
    draw_slice_outline(picture, view, stand.axis,
                       (static_cast<float>(stand.slice) - 0.5f) / static_cast<float>(n),
                       slice_colour);
    draw_cube_edges(picture, view, true, edge_colour);
}

Look look_of(const Stand& stand, bool still) {
    switch (stand.view.chosen) {
        case 1:
            return Look::SLICES;
        case 2:
            return Look::SLICE;
        case 3:
            return Look::CUBE;
        default:
            return still ? Look::SLICES : Look::CUBE;
    }
}

/// Who computes, and the milliseconds of the last step by kernel. (Only in a window: a file's
/// picture should not depend on the machine.)
void draw_timings(Picture& picture, const Stand& stand, int x, int y) {
    double all = 0.0;
    std::string parts;
    for (const auto& [kernel, milliseconds] : stand.milliseconds) {
        all += milliseconds;
        parts += "  " + kernel + " " + short_number(milliseconds);
    }
    picture.text(x, y, backend_in_words(stand), words_colour, 1);
    picture.text(x, y + 12, short_number(all) + " ms a step:" + parts, words_colour, 1);
}

bool draw(Picture& picture, const Program& program, const Stand& stand, Rectangle area,
          bool still) {
    switch (look_of(stand, still)) {
        case Look::SLICES:
            draw_slices(picture, program, stand, area);
            return true;
        case Look::CUBE:
            draw_cube(picture, program, stand, area);
            return true;
        default:
            return false;  // one slice: the program's own picture
    }
}

// ---- The mouse ---------------------------------------------------------------------------------

/// Where a pixel lies on the slice, 0 to 1 across its fluid: seen from the front, or in the cube.
/// Where three slices are shown, the one under the mouse is the one that is drawn on.
std::optional<Place> place_at(Stand& stand, Rectangle area, float x, float y) {
    const int N = stand.fluid.u.N;
    const auto n = static_cast<float>(N - 2);
    const Look look = look_of(stand, false);
    if (look != Look::CUBE) {
        if (look == Look::SLICES) {
            stand.axis = std::clamp((static_cast<int>(x) - area.x) * 3 / area.width, 0, 2);
            stand.slice = N / 2;
        }
        const View view =
            view_in(look == Look::SLICES ? part_of(area, stand.axis) : area, N, N, true);
        return Place{((x - view.left) / view.cell - 1.0f) / n,
                     ((y - view.top) / view.cell - 1.0f) / n};
    }
    const CubeView view(area, stand.camera);
    const float depth = (static_cast<float>(stand.slice) - 0.5f) / n;
    const std::optional<Place3> place = view.place_on(stand.axis, depth, x, y);
    if (!place) {
        return std::nullopt;
    }
    return stand.axis == 0   ? Place{place->z, place->y}
           : stand.axis == 1 ? Place{place->x, place->z}
                             : Place{place->x, place->y};
}

GridCell cell_at(Stand& stand, Rectangle area, float x, float y) {
    const std::optional<Place> place = place_at(stand, area, x, y);
    if (!place) {
        return {-1, -1};
    }
    const auto n = static_cast<float>(stand.fluid.u.N - 2);
    const Cell cell = cell_from_mouse(place->x * n + 1.0f, place->y * n + 1.0f, 1.0f);
    return {cell.i, cell.j};
}

/// The brush is as deep as it is wide.
void apply(Stand& stand, const Stroke& stroke) {
    stand.device_is_behind = true;
    Fluid& fluid = stand.fluid;
    const float right = velocity_add_scale * stroke.dx;
    const float down = velocity_add_scale * stroke.dy;
    const int depth = std::max(1, fluid.u.N / 16);
    const int nearest = stand.slice - (depth - 1) / 2;
    for (int slice = nearest; slice < nearest + depth; ++slice) {
        const Cell3 cell = cell_in_slice(stand.axis, slice, stroke.i, stroke.j);
        if (stroke.dye) {
            add_density(fluid, cell.i, cell.j, cell.k, 1.0f);
        }
        const std::array<float, 3> push = stand.axis == 0   ? std::array{0.0f, down, right}
                                          : stand.axis == 1 ? std::array{right, 0.0f, down}
                                                            : std::array{right, down, 0.0f};
        add_velocity(fluid, cell.i, cell.j, cell.k, push[0], push[1], push[2]);
    }
}

/// Two jets of dye that cross, one a little above the other.
void set_jets(Fluid& fluid) {
    const auto n = static_cast<float>(fluid.u.N - 2);
    for (int k = 1; k < fluid.u.N - 1; ++k) {
        for (int j = 1; j < fluid.u.N - 1; ++j) {
            for (int i = 1; i < fluid.u.N - 1; ++i) {
                const float x = (static_cast<float>(i) - 0.5f) / n;
                const float y = (static_cast<float>(j) - 0.5f) / n;
                const float z = (static_cast<float>(k) - 0.5f) / n;
                if (x > 0.1f && x < 0.35f && std::hypot(y - 0.45f, z - 0.5f) < 0.09f) {
                    add_density(fluid, i, j, k, 3.0f);
                    add_velocity(fluid, i, j, k, 1.2f, 0.0f, 0.0f);
                }
                if (z > 0.1f && z < 0.35f && std::hypot(x - 0.6f, y - 0.55f) < 0.09f) {
                    add_density(fluid, i, j, k, 3.0f);
                    add_velocity(fluid, i, j, k, 0.0f, -0.3f, 1.2f);
                }
            }
        }
    }
}

// ---- The program -------------------------------------------------------------------------------

std::string description(const Stand& stand, int column, int row) {
    const Fluid& fluid = stand.fluid;
    const auto [i, j, k] = cell_in_slice(stand.axis, stand.slice, column, row);
    return "(" + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + ") IX " +
           std::to_string(fluid.density.IX(i, j, k)) + " dye " +
           short_number(fluid.density(i, j, k)) + " u " + short_number(fluid.u(i, j, k)) + " v " +
           short_number(fluid.v(i, j, k)) + " w " + short_number(fluid.w(i, j, k));
}

void add_parameters(Program& program, Stand& stand) {
    Fluid& fluid = stand.fluid;
    program.parameters = {
        {"diff", &fluid.diff, "how fast dye spreads"},
        {"visc", &fluid.visc, "how fast velocity spreads"},
        {"iterations", &fluid.iterations, "sweeps spent on each relaxation"},
        {"diffuse_velocity", &fluid.diffuse_velocity, "velocity spreads"},
        {"advect_velocity", &fluid.advect_velocity, "velocity carries itself"},
        {"project_velocity", &fluid.project_velocity, "velocity is projected"},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
        {"sheet_opacity", &sheet_opacity, "of one layer in the cube's picture", 1.0},
        {"view", &stand.view, "what is shown"},
        {"backend", &stand.backend, "who computes"},
        {"fast", &fluid.fast, "the fast kernels, or the naive ones"},
    };
}

void add_keys(Program& program, Stand& stand) {
    const auto look_along = [&](int axis) {
        stand.axis = axis;
        stand.slice = std::clamp(stand.slice, 1, stand.fluid.u.N - 2);
        if (look_of(stand, false) == Look::SLICES) {
            stand.view.chosen = 2;
        }
    };
    program.keys = {
        {'x', "slices along x", [=] { look_along(0); }},
        {'y', "slices along y", [=] { look_along(1); }},
        {'z', "slices along z", [=] { look_along(2); }},
        {'c', "the cube, one slice, or three",
         [&] {
             const Look look = look_of(stand, false);
             stand.view.chosen = look == Look::CUBE ? 2 : look == Look::SLICE ? 1 : 3;
         }},
        {'b', "the other backend: the GPU, or the host",
         [&] {
             const std::string reason = device::why_not();
             stand.why_host.clear();
             stand.backend.chosen = wants_device(stand) || !reason.empty() ? 1 : 2;
             if (!reason.empty()) {
                 program.say(reason);
             }
         }},
        {'p', "projection on or off",
         [&] { stand.fluid.project_velocity = !stand.fluid.project_velocity; }},
    };
    program.wheel_meaning = "nearer or farther slice";
    program.wheel = [&](int steps) {
        if (look_of(stand, false) != Look::SLICES) {  // those three are always the middle ones
            stand.slice = std::clamp(stand.slice + steps, 1, stand.fluid.u.N - 2);
        }
    };
    program.turn = [&](float dx, float dy) { stand.camera.drag(dx, dy); };
}

void add_fields_and_state(Program& program, Stand& stand) {
    Fluid& fluid = stand.fluid;
    for (const Quantity& quantity : quantities()) {
        const auto value = [&stand, &quantity](int column, int row) {
            return value_of(stand.fluid, quantity,
                            cell_in_slice(stand.axis, stand.slice, column, row));
        };
        program.fields.push_back({quantity.name, value, quantity.full_at, quantity.is_signed});
    }
    program.state = {
        {"density", [&](int i, int j, int k) -> float& { return fluid.density(i, j, k); }},
        {"u", [&](int i, int j, int k) -> float& { return fluid.u(i, j, k); }},
        {"v", [&](int i, int j, int k) -> float& { return fluid.v(i, j, k); }},
        {"w", [&](int i, int j, int k) -> float& { return fluid.w(i, j, k); }},
    };
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
Program make_program(Stand& stand) {
    Program program("23_cuda", "Ash's cube on the GPU");
    Fluid& fluid = stand.fluid;
    program.shape = Shape::cube;
    program.N = fluid.u.N;
    program.reset = [&](int N) {
        fluid = Fluid(N);
        stand.device_is_behind = true;
        stand.slice = N / 2;
    };
    program.step = [&](float dt) { take_step(stand, dt); };
    program.stroke = [&](const Stroke& stroke) { apply(stand, stroke); };
    program.own_scenes = {{"jets", "two jets of dye that cross", [&] { set_jets(fluid); }}};
    program.arrays = 10;
    program.threads = &fluid.threads;
    program.outputs = {{"--vti", "write dye and velocity for ParaView",
                        [&](const OutputFile& output) { write_vti(fluid, output); }}};
    program.velocity = [&](int column, int row) {
        return velocity_in_slice(fluid, stand.axis,
                                 cell_in_slice(stand.axis, stand.slice, column, row));
    };
    program.arrow_scale = &velocity_draw_scale;
    program.walls_have_values = true;
    program.readouts = {{"dye", [&] { return total(fluid.density); }},
                        {"max div", [&] { return largest_divergence(fluid); }},
                        {"slice", [&] { return 1.0 * stand.slice; }}};
    program.describe = [&](int column, int row) { return description(stand, column, row); };
    program.place_at = [&](Rectangle area, float x, float y) {
        return place_at(stand, area, x, y);
    };
    program.cell_at = [&](Rectangle area, float x, float y) { return cell_at(stand, area, x, y); };
    add_fields_and_state(program, stand);
    add_parameters(program, stand);
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    Stand stand;
    Program program = make_program(stand);
    add_keys(program, stand);
    bool in_window = false;
    program.draw = [&](Picture& picture, Rectangle area) {
        in_window = stand.has_window = true;
        const bool drawn = draw(picture, program, stand, area, false);
        if (drawn) {  // above the cube, but below the slices, which have their names above them
            const bool below = look_of(stand, false) == Look::SLICES;
            draw_timings(picture, stand, area.x + 8,
                         area.y + (below ? std::max(18, area.height - 26) : 6));
        }
        return drawn;
    };
    program.draw_still = [&](Picture& picture, Rectangle area) {
        in_window = false;
        return draw(picture, program, stand, area, true);
    };
    program.draw_over = [&](Picture& picture, const View&) {  // over one slice
        if (in_window) {
            draw_timings(picture, stand, 8, 6);
        }
    };
    program.picture_size = [&](bool still) {
        return look_of(stand, still) == Look::SLICES ? Size{960, 460} : Size{640, 700};
    };
    program.numbers = numbers;

    return program.run(argc, argv);
}
