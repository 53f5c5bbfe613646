// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/app/program.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/paint.hpp"

// 07_project's fluid, to stand beside this one, in a room of its own: its names are ours as well.
namespace collocated {
#include "07_project/solver.hpp"
}

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves, as in 07_project
float velocity_draw_scale = 20.0f;  // pixels of arrow for a velocity of one box width a second

constexpr int most_numbered = 6;  // boxes up to this size are drawn with all their numbers
constexpr double most_direct_3d = 32768;  // cells; beyond, the factors take minutes and gigabytes

constexpr Colour number_colour = {235, 235, 235};
constexpr Colour face_colour = {255, 200, 90};
constexpr Colour solid_colour = {110, 100, 95};

/// A moment within a step.
struct Stage {
    std::string name;
    Fluid fluid;
    std::optional<Field> b;  ///< what was solved for, if that has just been done
};

/// All that the window shows.
struct Stand {
    Fluid fluid{2, 2, 1};
    Choice solver{0, {"direct", "conjugate-gradients", "gauss-seidel"}};
    int slice = 0;  ///< the layer k that is shown
    bool build_walls = false;  ///< the mouse sets solid cells
    bool show_matrix = false;
    std::vector<Stage> stages;  ///< of the last step, for the key that goes through them
    std::size_t stage = 0;
    std::optional<collocated::Fluid> beside;  ///< 07_project's fluid, if it is shown

    const Fluid& shown() const { return stages.empty() ? fluid : stages[stage].fluid; }
    bool is_small() const { return std::max(fluid.nx, fluid.ny) <= most_numbered && fluid.nz == 1; }
};

// ---- What can be said about a fluid ------------------------------------------------------------

/// What rounding leaves of a 0 is shown as 0.
double without_rounding(double value) {
    return std::abs(value) < 1e-12 ? 0.0 : value;
}

std::string in_words(double value) {
    return short_number(without_rounding(value));
}

/// The same in three digits, where there is little room.
std::string in_few_words(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3g", without_rounding(value));
    return text;
}

double total(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

/// Half the mass times the square of the velocity, each face counted as a cell.
double kinetic_energy(const Fluid& fluid) {
    const double mass = fluid.rho * fluid.h * fluid.h * fluid.h;
    return 0.5 * mass * (dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v) + dot(fluid.w, fluid.w));
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double here = std::abs(divergence_at(fluid, i, j, k));
                if (!std::isfinite(here)) {
                    return here;
                }
                largest = std::max(largest, here);
            }
        }
    }
    return largest;
}

/// The velocity at the centre of cell (i, j, k).
Vector velocity_of_cell(const Fluid& fluid, int i, int j, int k) {
    return velocity_at(fluid, {fluid.h * (i + 0.5), fluid.h * (j + 0.5), fluid.h * (k + 0.5)});
}

/// How much the fluid turns, clockwise on the screen, around the centre of cell (i, j, k).
double vorticity_at(const Fluid& fluid, int i, int j, int k) {
    const double h = fluid.h;
    const Vector at = {h * (i + 0.5), h * (j + 0.5), h * (k + 0.5)};
    const double down = interpolate(fluid.v, h, {at.x + 0.5 * h, at.y, at.z}) -
                        interpolate(fluid.v, h, {at.x - 0.5 * h, at.y, at.z});
    const double right = interpolate(fluid.u, h, {at.x, at.y + 0.5 * h, at.z}) -
                         interpolate(fluid.u, h, {at.x, at.y - 0.5 * h, at.z});
    return (down - right) / h;
}

/// Where the field has a number (i, j, k), or null: a state file's rows run beyond some fields.
double* value_in(Field& field, int i, int j, int k) {
    return i < field.nx && j < field.ny && k < field.nz ? &field(i, j, k) : nullptr;
}

/// An alternating velocity on every open face, or in every cell of 07_project's fluid.
void set_checkerboard(Stand& stand) {
    for (Field* field : {&stand.fluid.u, &stand.fluid.v}) {
        for (int k = 0; k < field->nz; ++k) {
            for (int j = 0; j < field->ny; ++j) {
                for (int i = 0; i < field->nx; ++i) {
                    (*field)(i, j, k) = (i + j) % 2 == 0 ? 1.0 : -1.0;
                }
            }
        }
    }
    set_bnd(stand.fluid);
    if (stand.beside) {
        collocated::Fluid& beside = *stand.beside;
        for (int j = 1; j <= beside.u.N; ++j) {
            for (int i = 1; i <= beside.u.N; ++i) {
                beside.u(i, j) = ((i + j) % 2 == 0 ? 1.0f : -1.0f) / static_cast<float>(beside.u.N);
                beside.v(i, j) = beside.u(i, j);
            }
        }
        set_bnd(collocated::BoundaryType::VELOCITY_HORIZONTAL, beside.u);
        set_bnd(collocated::BoundaryType::VELOCITY_VERTICAL, beside.v);
    }
}

/// Puts 07_project's fluid beside ours, with the same dye, or takes it away again. Only a square
/// without solid cells has one. Nothing fades or spreads in it: as here.
void toggle_collocated(Stand& stand) {
    const Fluid& fluid = stand.fluid;
    if (stand.beside || fluid.nx != fluid.ny || fluid.nz != 1 || total(fluid.solid) > 0.0) {
        stand.beside.reset();
        return;
    }
    stand.build_walls = false;
    stand.beside.emplace(fluid.nx);
    stand.beside->density_fade_rate = 0.0f;
    stand.beside->density_diffuse_rate = 0.0f;
    stand.beside->diffuse_velocity = false;
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const Vector velocity = velocity_of_cell(fluid, i, j, 0);
            const double width =
                fluid.h * fluid.nx;  // 07_project measures in widths of the whole grid
            stand.beside->u(i + 1, j + 1) = static_cast<float>(velocity.x / width);
            stand.beside->v(i + 1, j + 1) = static_cast<float>(velocity.y / width);
            stand.beside->density(i + 1, j + 1) = static_cast<float>(fluid.density(i, j, 0));
        }
    }
    set_bnd(collocated::BoundaryType::VELOCITY_HORIZONTAL, stand.beside->u);
    set_bnd(collocated::BoundaryType::VELOCITY_VERTICAL, stand.beside->v);
    set_bnd(collocated::BoundaryType::SCALAR, stand.beside->density);
}

/// Tells the fluid which solver the reader has chosen.
void choose_solver(Stand& stand) {
    stand.fluid.solver = static_cast<Solver>(stand.solver.chosen);
}

void project_both(Stand& stand, double dt) {
    choose_solver(stand);
    stand.stages.clear();
    project(stand.fluid, dt);
    if (stand.beside) {
        collocated::Fluid& beside = *stand.beside;
        project(beside.u, beside.v, beside.pressure, beside.divergence, 1000);
    }
}

// ---- One step, seen in stages ------------------------------------------------------------------

/// The moments of the step that `fluid` is about to make.
std::vector<Stage> stages_of(Fluid fluid, double dt) {
    std::vector<Stage> stages = {{"before the step", fluid, {}}};
    advect_velocity(fluid, dt);
    stages.push_back({"velocity carried along", fluid, {}});
    if (fluid.force_x != 0.0 || fluid.force_y != 0.0 || fluid.force_z != 0.0) {
        add_force(fluid, dt);
        stages.push_back({"force added", fluid, {}});
    }
    Field b = fluid.pressure;
    right_hand_side(fluid, b, dt);
    solve_pressure(fluid, b);
    stages.push_back({"A p = b solved", fluid, b});
    subtract_gradient(fluid, dt);
    stages.push_back({"gradient subtracted", fluid, {}});
    advect_density(fluid, dt);
    stages.push_back({"dye carried along", fluid, {}});
    return stages;
}

/// Shows the next moment. The fluid itself has made the whole step when its first moment is shown.
void next_stage(Stand& stand, Program& program) {
    program.paused = true;
    if (!stand.stages.empty() && stand.stage + 1 < stand.stages.size()) {
        ++stand.stage;
        return;
    }
    choose_solver(stand);
    std::vector<Stage> stages = stages_of(stand.fluid, program.dt);
    program.step(program.dt);
    ++program.step_count;
    stand.stages = std::move(stages);
    stand.stage = 1;
}

// ---- Drawing -----------------------------------------------------------------------------------

void draw_centred(Picture& picture, float x, float y, const std::string& words, Colour colour,
                  int scale) {
    picture.text(static_cast<int>(x) - static_cast<int>(words.size()) * letter_width * scale / 2,
                 static_cast<int>(y) - letter_height * scale / 2, words, colour, scale);
}

/// The number on a face, and beside it an arrow of (dx, dy) pixels.
void draw_face(Picture& picture, float x, float y, float dx, float dy, double value, int scale) {
    const std::string words = scale > 1 ? in_words(value) : in_few_words(value);
    const int width = static_cast<int>(words.size()) * letter_width * scale;
    picture.rectangle(static_cast<int>(x) - width / 2 - 2,
                      static_cast<int>(y) - letter_height * scale / 2 - 2, width + 3,
                      letter_height * scale + 2, {40, 36, 28});
    draw_centred(picture, x, y, words, face_colour, scale);
    if (std::hypot(dx, dy) < 1.0f) {
        return;
    }
    const float x0 = x - 0.5f * dx + (dx == 0.0f ? 0.5f * static_cast<float>(width) + 8.0f : 0.0f);
    const float y0 = y - 0.5f * dy +
                     (dy == 0.0f ? 0.5f * static_cast<float>(letter_height * scale) + 8.0f : 0.0f);
    picture.line(x0, y0, x0 + dx, y0 + dy, face_colour);
    picture.line(x0 + 1.0f, y0 + 1.0f, x0 + dx + 1.0f, y0 + dy + 1.0f, face_colour);
    picture.disc(x0 + dx, y0 + dy, 3.5f, face_colour);
}

/// What stands in the middle of a cell.
void draw_cell_numbers(Picture& picture, const Stand& stand, float x, float y, int i, int j,
                       int scale) {
    const Fluid& fluid = stand.shown();
    if (fluid.solid(i, j, 0) != 0.0) {
        draw_centred(picture, x, y, "solid", number_colour, scale);
        return;
    }
    const float line = static_cast<float>(letter_height * scale);
    const auto in_room = scale > 1 ? in_words : in_few_words;
    std::vector<std::string> lines = {"p " + in_room(fluid.pressure(i, j, 0)),
                                      "div " + in_room(divergence_at(fluid, i, j, 0))};
    if (!stand.stages.empty() && stand.stages[stand.stage].b) {
        lines.insert(lines.begin(), "b " + in_room((*stand.stages[stand.stage].b)(i, j, 0)));
    }
    if (fluid.density(i, j, 0) != 0.0) {
        lines.push_back("dye " + in_room(fluid.density(i, j, 0)));
    }
    float at = y - 0.5f * line * static_cast<float>(lines.size() - 1);
    for (const std::string& words : lines) {
        draw_centred(picture, x, at, words, number_colour, scale);
        at += line;
    }
}

/// The part of the area in which the grid lies: numbers on the outer faces need a margin, and two
/// grids half of it each.
Rectangle room_for_grid(const Stand& stand, Rectangle area, bool left_half = false) {
    if (stand.beside) {
        const int half = area.width / 2;
        return {area.x + (left_half ? 0 : half), area.y + 24, half, area.height - 24};
    }
    return stand.is_small() ? Rectangle{area.x + 32, area.y + 48, area.width - 64, area.height - 72}
                            : area;
}

View view_of_grid(const Stand& stand, Rectangle area) {
    return view_in(room_for_grid(stand, area), stand.fluid.nx, stand.fluid.ny, false);
}

/// A small box with the number of every face and of every cell.
void draw_numbers(Picture& picture, const Stand& stand, Rectangle area) {
    const Fluid& fluid = stand.shown();
    const View view = view_of_grid(stand, area);
    const int scale = view.cell >= 190.0f ? 2 : 1;
    double fastest = 1e-9;
    for (const Field* field : {&fluid.u, &fluid.v}) {
        for (const double velocity : field->values) {
            fastest = std::max(fastest, std::abs(velocity));
        }
    }
    const auto arrow = [&](double velocity) {  // in pixels
        return 0.45f * view.cell * static_cast<float>(velocity / fastest);
    };
    const ShownField dye = {"dye", [&](int i, int j) {
                                return fluid.solid(i, j, 0) != 0.0
                                           ? 0.0f
                                           : 0.3f * static_cast<float>(fluid.density(i, j, 0));
                            }};
    draw_cells(picture, view, dye);
    picture.outline(static_cast<int>(view.left), static_cast<int>(view.top),
                    static_cast<int>(view.cell) * fluid.nx + 1,
                    static_cast<int>(view.cell) * fluid.ny + 1, number_colour);
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const float x = view.x(static_cast<float>(i));
            const float y = view.y(static_cast<float>(j));
            draw_cell_numbers(picture, stand, x, y, i, j, scale);
        }
    }
    const float half = 0.5f * view.cell;
    for (int j = 0; j <= fluid.ny; ++j) {
        for (int i = 0; i <= fluid.nx; ++i) {
            const float x = view.x(static_cast<float>(i));
            const float y = view.y(static_cast<float>(j));
            if (j < fluid.ny) {
                const double u = fluid.u(i, j, 0);
                draw_face(picture, x - half, y, arrow(u), 0.0f, u, scale);
            }
            if (i < fluid.nx) {
                const double v = fluid.v(i, j, 0);
                draw_face(picture, x, y - half, 0.0f, arrow(v), v, scale);
            }
        }
    }
    const std::string stage =
        ": " + (stand.stages.empty() ? "before the step" : stand.stages[stand.stage].name);
    picture.text(area.x + 8, area.y + 8, "N next moment" + stage, number_colour, 2);
}

/// A as a picture: one square for each number that is not 0, the diagonal bright.
void draw_matrix(Picture& picture, const Stand& stand, Rectangle area) {
    const Eigen::SparseMatrix<double> matrix = assemble_matrix(stand.fluid.solid);
    const int rows = static_cast<int>(matrix.rows());
    picture.text(area.x + 8, area.y + 8,
                 "A: " + std::to_string(rows) + " rows, " + std::to_string(matrix.nonZeros()) +
                     " numbers that are not 0",
                 number_colour, 1);
    const int side = std::min(area.width - 16, area.height - 32);
    const float size = static_cast<float>(side) / static_cast<float>(rows);
    const int left = area.x + (area.width - side) / 2;
    const int top = area.y + 24;
    picture.outline(left - 1, top - 1, side + 2, side + 2, face_colour);
    for (int column = 0; column < rows; ++column) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, column); entry; ++entry) {
            const float x = static_cast<float>(left) + size * static_cast<float>(column);
            const float y = static_cast<float>(top) + size * static_cast<float>(entry.row());
            const int pixels = std::max(1, static_cast<int>(size) - (size >= 4.0f ? 1 : 0));
            picture.rectangle(static_cast<int>(x), static_cast<int>(y), pixels, pixels,
                              signed_colour(static_cast<float>(entry.value()) / 4.0f));
            if (size >= 28.0f) {
                draw_centred(picture, x + 0.5f * size, y + 0.5f * size, in_words(entry.value()),
                             number_colour, size >= 60.0f ? 2 : 1);
            }
        }
    }
}

/// 07_project's field of that name, in its own cells.
float value_beside(const collocated::Fluid& beside, const std::string& field, int i, int j) {
    const auto width = static_cast<float>(beside.u.N);
    if (field == "dye") {
        return beside.density(i, j);
    }
    if (field == "pressure") {
        return beside.pressure(i, j);
    }
    if (field == "divergence") {
        return divergence_at(beside.u, beside.v, i, j);
    }
    if (field == "vorticity") {
        return 0.5f * width *
               (beside.v(i + 1, j) - beside.v(i - 1, j) - beside.u(i, j + 1) + beside.u(i, j - 1));
    }
    const float u = beside.u(i, j) * width;  // in cells a second, as ours
    const float v = beside.v(i, j) * width;
    return field == "u" ? u : std::hypot(u, v);
}

/// Both fluids, in one scale of colours.
void draw_side_by_side(Picture& picture, const Stand& stand, Rectangle area,
                       const ShownField& field, const Program& program) {
    const collocated::Fluid& beside = *stand.beside;
    const int N = beside.u.N;
    ShownField left = field;
    ShownField right = field;
    left.value = [&](int i, int j) { return value_beside(beside, field.name, i + 1, j + 1); };
    if (field.full_at <= 0.0f) {
        float most = 1e-6f;
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i) {
                most = std::max({most, std::abs(left.value(i, j)), std::abs(right.value(i, j))});
            }
        }
        left.full_at = right.full_at = most;
    }
    const View left_view = view_in(room_for_grid(stand, area, true), N, N, false);
    const View right_view = view_of_grid(stand, area);
    draw_cells(picture, left_view, left);
    draw_cells(picture, right_view, right);
    const auto arrows_left = [&](int i, int j) {
        return std::pair(beside.u(i + 1, j + 1), beside.v(i + 1, j + 1));
    };
    if (program.shows_arrows()) {
        draw_arrows(picture, left_view, arrows_left, velocity_draw_scale);
        draw_arrows(picture, right_view, program.velocity, velocity_draw_scale);
    }
    const std::string scale = ", brightest at " + in_words(right.full_at);
    picture.text(area.x + 8, area.y + 8, "07, all at the centres" + scale, number_colour, 1);
    picture.text(area.x + area.width / 2 + 8, area.y + 8, "08, staggered" + scale, number_colour,
                 1);
}

// ---- The mouse ---------------------------------------------------------------------------------

/// Where a pixel lies on the grid: in either of the two, if there are two.
std::optional<Place> place_at(const Stand& stand, Rectangle area, float x, float y) {
    const int half = area.width / 2;
    if (stand.beside && x < static_cast<float>(area.x + half)) {
        x += static_cast<float>(half);
    }
    const View view = view_of_grid(stand, area);
    return Place{(x - view.left) / (view.cell * static_cast<float>(view.columns)),
                 (y - view.top) / (view.cell * static_cast<float>(view.rows))};
}

GridCell cell_at(const Stand& stand, Rectangle area, float x, float y) {
    const View view = view_of_grid(stand, area);
    const Cell cell = cell_from_mouse(x - view.left, y - view.top, view.cell);
    return {cell.i, cell.j};
}

void apply(Stand& stand, const Stroke& stroke) {
    Fluid& fluid = stand.fluid;
    const int k = stand.slice;
    stand.stages.clear();
    if (stand.build_walls) {
        if (0 <= stroke.i && stroke.i < fluid.nx && 0 <= stroke.j && stroke.j < fluid.ny) {
            fluid.solid(stroke.i, stroke.j, k) = stroke.dye ? 1.0 : 0.0;
            fluid.density(stroke.i, stroke.j, k) = 0.0;
            set_bnd(fluid);
        }
        return;
    }
    if (stroke.dye) {
        add_density(fluid, stroke.i, stroke.j, k, 1.0);
    }
    const Vector push = {velocity_add_scale * stroke.dx, velocity_add_scale * stroke.dy, 0.0};
    add_velocity(fluid, stroke.i, stroke.j, k,
                 {push.x * fluid.h * fluid.nx, push.y * fluid.h * fluid.ny, 0.0});
    if (stand.beside) {
        if (stroke.dye) {
            add_density(*stand.beside, stroke.i + 1, stroke.j + 1, 1.0f);
        }
        add_velocity(*stand.beside, stroke.i + 1, stroke.j + 1, static_cast<float>(push.x),
                     static_cast<float>(push.y));
    }
}

/// A round post in the way of a jet of dye, a little off the jet's middle.
void set_post(Stand& stand) {
    Fluid& fluid = stand.fluid;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double x = (i + 0.5) / fluid.nx;
                const double y = (j + 0.5) / fluid.ny;
                if (std::hypot(x - 0.55, y - 0.52) < 0.1) {
                    fluid.solid(i, j, k) = 1.0;
                } else if (x > 0.05 && x < 0.3 && std::abs(y - 0.5) < 0.1) {
                    add_density(fluid, i, j, k, 1.0);
                    add_velocity(fluid, i, j, k, {1.5 * fluid.h * fluid.nx, 0.0, 0.0});
                }
            }
        }
    }
    set_bnd(fluid);
}

// ---- The program -------------------------------------------------------------------------------

std::string description(const Stand& stand, int i, int j) {
    const Fluid& fluid = stand.shown();
    const int k = stand.slice;
    const std::string cell = "(" + std::to_string(i) + "," + std::to_string(j) + "," +
                             std::to_string(k) + ") row " +
                             std::to_string(fluid.density.IX(i, j, k));
    if (fluid.solid(i, j, k) != 0.0) {
        return cell + " solid";
    }
    return cell + " dye " + in_words(fluid.density(i, j, k)) + " u " + in_words(fluid.u(i, j, k)) +
           ".." + in_words(fluid.u(i + 1, j, k)) + " v " + in_words(fluid.v(i, j, k)) + ".." +
           in_words(fluid.v(i, j + 1, k)) + " p " + in_words(fluid.pressure(i, j, k));
}

void add_fields(Program& program, Stand& stand) {
    const auto field = [&](const std::string& name, double (*value)(const Fluid&, int, int, int),
                           bool is_signed) {
        const auto shown = [&stand, value](int i, int j) {
            return static_cast<float>(without_rounding(value(stand.shown(), i, j, stand.slice)));
        };
        program.fields.push_back({name, shown, name == "dye" ? 1.0f : 0.0f, is_signed});
    };
    field(
        "dye", [](const Fluid& f, int i, int j, int k) { return f.density(i, j, k); }, false);
    field(
        "speed",
        [](const Fluid& f, int i, int j, int k) {
            const Vector velocity = velocity_of_cell(f, i, j, k);
            return std::hypot(velocity.x, velocity.y, velocity.z);
        },
        false);
    field("divergence", divergence_at, true);
    field(
        "pressure", [](const Fluid& f, int i, int j, int k) { return f.pressure(i, j, k); }, true);
    field("vorticity", vorticity_at, true);
    field(
        "u", [](const Fluid& f, int i, int j, int k) { return f.u(i, j, k); }, true);
}

void add_state(Program& program, Fluid& fluid) {
    const auto column = [&](const std::string& name, Field& field) {
        const auto value = [&field](int i, int j, int k) { return value_in(field, i, j, k); };
        program.state.push_back({name, std::function<double*(int, int, int)>(value)});
    };
    column("density", fluid.density);
    column("u", fluid.u);
    column("v", fluid.v);
    column("w", fluid.w);
    column("p", fluid.pressure);
    column("solid", fluid.solid);
}

void add_parameters(Program& program, Stand& stand) {
    Fluid& fluid = stand.fluid;
    program.parameters = {
        {"solver", &stand.solver, "how A p = b is solved"},
        {"midpoint", &fluid.midpoint, "trace back in two half steps"},
        {"rho", &fluid.rho, "what a unit of volume weighs", 1e6, 1e-6},
        {"cell_size", &fluid.h, "the width h of a cell", 1e6, 1e-6},
        {"force_x", &fluid.force_x, "force to the right, for each mass", 1000.0, -1000.0},
        {"force_y", &fluid.force_y, "force down", 1000.0, -1000.0},
        {"force_z", &fluid.force_z, "force away from you", 1000.0, -1000.0},
        {"tolerance", &fluid.tolerance, "where the solvers stop, over the first residual", 1.0},
        {"iterations", &fluid.iterations, "the most that a solver takes", 1e6},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
}

void add_keys(Program& program, Stand& stand) {
    program.keys = {
        {'n', "next moment of a step",
         [&] {
             next_stage(stand, program);
             program.say(stand.stages[stand.stage].name);
         }},
        {'m', "the matrix A", [&] { stand.show_matrix = !stand.show_matrix; }},
        {'c', "07_project's fluid beside this one",
         [&] {
             const bool was_shown = stand.beside.has_value();
             toggle_collocated(stand);
             if (!was_shown && !stand.beside) {
                 program.say("07_project has only squares with no solid cells");
             }
         }},
        {'x', "a checkerboard of velocities", [&] { set_checkerboard(stand); }},
        {'p', "project, and nothing else", [&] { project_both(stand, program.dt); }},
        {'b', "left drag builds walls, right drag digs",
         [&] {
             stand.build_walls = !stand.build_walls && !stand.beside;
             program.say(stand.build_walls ? "left drag builds, right drag digs"
                                           : "left drag is dye again");
         }},
        {'k', "next layer", [&] { stand.slice = (stand.slice + 1) % stand.fluid.nz; }},
    };
}

void set_readouts(Program& program, const Stand& stand) {
    program.readouts = {
        {"dye", [&stand] { return total(stand.shown().density); }},
        {"max div", [&stand] { return without_rounding(largest_divergence(stand.shown())); }},
        {"energy", [&stand] { return without_rounding(kinetic_energy(stand.shown())); }},
        {"iterations",
         [&stand] { return std::max(0.0, stand.shown().solved.residuals.size() - 1.0); }},
    };
    if (stand.fluid.nz > 1) {
        program.readouts.push_back({"layer", [&stand] { return 1.0 * stand.slice; }});
    }
}

/// What is wrong with a state that was loaded, or "".
std::string fault_of(const Fluid& fluid) {
    for (std::size_t cell = 0; cell < fluid.solid.values.size(); ++cell) {
        const double solid = fluid.solid.values[cell];
        if (solid != 0.0 && solid != 1.0) {
            return "solid is " + short_number(solid) + " in a cell; it must be 0 or 1";
        }
        if (solid == 1.0 && fluid.density.values[cell] != 0.0) {
            return "a solid cell holds dye; its density must be 0";
        }
    }
    return "";
}

/// What the window shows, and what the mouse and the keys do.
Program make_program(Stand& stand) {
    Program program("11_mac", "What is A?");
    Fluid& fluid = stand.fluid;
    program.shape = Shape::box;
    program.box = {2, 2, 1};
    program.reset_box = [&](Box box) {
        fluid = Fluid(box.nx, box.ny, box.nz);
        stand.slice = box.nz / 2;
        stand.stages.clear();
        stand.beside.reset();
    };
    program.refuse_state = [&] {
        set_bnd(fluid);  // whatever a file says, nothing flows through a wall
        return fault_of(fluid);
    };
    program.start = [](Box box) {
        return box == Box{2, 2, 1} ? Start{"pinwheel", 0.1, true, true} : Start{"drag", 1.0 / 60.0};
    };
    program.own_scenes = {
        {"pinwheel", "one pushed face, as in the tutorial",
         [&] { fluid.v(0, fluid.ny / 2, 0) = fluid.ny > 1 ? 1.0 : 0.0; }},
        {"post", "a jet of dye against a round post", [&] { set_post(stand); }},
        {"checkerboard", "velocities that alternate from face to face",
         [&] { set_checkerboard(stand); }},
    };
    program.step = [&](double dt) {
        stand.stages.clear();
        choose_solver(stand);
        step(fluid, dt);
        if (stand.beside) {
            step(*stand.beside, static_cast<float>(dt));
        }
    };
    program.bytes = [&](Box box) {
        // Six fields and as many copies while a step is made; the factors as measured for boxes.
        const double cells = 1.0 * box.nx * box.ny * box.nz;
        const double factors =
            box.nz == 1 ? 2.2 * cells * std::log2(cells + 1.0) : 10.0 * std::pow(cells, 4.0 / 3.0);
        return cells * 20 * sizeof(double) + (stand.solver.chosen == 0 ? 16.0 * factors : 0.0);
    };
    program.refuse = [&](Box box) -> std::string {
        const double cells = 1.0 * box.nx * box.ny * box.nz;
        return stand.solver.chosen == 0 && box.nz > 1 && cells > most_direct_3d
                   ? "in a box that deep the direct solver takes minutes and gigabytes; choose "
                     "--solver "
                     "conjugate-gradients"
                   : "";
    };
    program.stroke = [&](const Stroke& stroke) { apply(stand, stroke); };
    program.velocity = [&](int i, int j) {
        const Vector velocity = velocity_of_cell(stand.shown(), i, j, stand.slice);
        return std::pair(static_cast<float>(velocity.x / (fluid.h * fluid.nx)),
                         static_cast<float>(velocity.y / (fluid.h * fluid.nx)));
    };
    program.arrow_scale = &velocity_draw_scale;
    program.picture_size = [&](bool) {
        return natural_size(fluid.nx * (stand.beside ? 2 : 1), fluid.ny);
    };
    program.describe = [&](int i, int j) { return description(stand, i, j); };
    program.place_at = [&](Rectangle area, float x, float y) {
        return place_at(stand, area, x, y);
    };
    program.cell_at = [&](Rectangle area, float x, float y) { return cell_at(stand, area, x, y); };
    program.draw_over = [&](Picture& picture, const View& view) {
        const int size = std::max(1, static_cast<int>(std::ceil(view.cell)));
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (fluid.solid(i, j, stand.slice) != 0.0) {
                    picture.rectangle(
                        static_cast<int>(view.left + static_cast<float>(i) * view.cell),
                        static_cast<int>(view.top + static_cast<float>(j) * view.cell), size, size,
                        solid_colour);
                }
            }
        }
    };
    add_fields(program, stand);
    add_state(program, fluid);
    add_parameters(program, stand);
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    Stand stand;
    Program program = make_program(stand);
    add_keys(program, stand);
    const std::function<void(Box)> reset = program.reset_box;
    program.reset_box = [&](Box box) {
        reset(box);
        set_readouts(program, stand);
    };
    program.draw = [&](Picture& picture, Rectangle area) {
        if (stand.show_matrix) {
            draw_matrix(picture, stand, area);
        } else if (stand.beside) {
            draw_side_by_side(picture, stand, area, program.shown_field(), program);
        } else if (stand.is_small()) {
            draw_numbers(picture, stand, area);
        } else {
            return false;
        }
        return true;
    };
    program.numbers = numbers;

    return program.run(argc, argv);
}
