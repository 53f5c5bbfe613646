// The window of this chapter: what its fluid can do, in the words of common/app/program.hpp.
#include "many.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "11_mac/collocated.hpp"
#include "11_mac/measures.hpp"
#include "12_matrix/direct.hpp"
#include "13_gradients/residuals.hpp"
#include "31_relax/sweeps.hpp"
#include "32_multigrid/grids.hpp"
#include "34_many/window.hpp"
#include "common/app/box.hpp"
#include "common/app/program.hpp"
#include "common/draw/spy.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves, as in 07_project
float velocity_draw_scale = 20.0f;  // pixels of arrow for a velocity of one box width a second

/// A moment within a step.
struct Moment {
    std::string name;
    Fluid fluid;
    bool shows_rhs = false;
};

/// All that the window shows.
struct App {
    Fluid fluid{64, 64, 1};
    Choice solver{static_cast<int>(Solver::MULTIGRID),
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned", "jacobi",
                   "red-black", "over-relaxation", "multigrid", "multigrid-preconditioned"}};
    many::Shown ranks;
    bool shows_matrix = false;
    bool shows_residuals = false;
    BoxWindow window;
    std::vector<Moment> moments;  ///< of the last step, for the key that goes through them
    std::size_t moment = 0;
    std::optional<collocated::Fluid> beside;  ///< 07_project's fluid, if it is shown

    bool is_direct() const { return solver.chosen == static_cast<int>(Solver::DIRECT); }
    bool is_multigrid() const { return solver.chosen >= static_cast<int>(Solver::MULTIGRID); }
    const Fluid& shown() const { return moments.empty() ? fluid : moments[moment].fluid; }
};

/// Tells the fluid which solver the reader has chosen. Moment by moment there is no PETSc.
void choose_solver(App& app) {
    app.fluid.solver = static_cast<Solver>(std::min(app.solver.chosen, 8));
}

/// Where the field has a number (i, j, k), or null: a state file's rows run beyond some fields.
double* value_in(Field& field, int i, int j, int k) {
    return i < field.nx && j < field.ny && k < field.nz ? &field(i, j, k) : nullptr;
}

// ---- 07_project's fluid beside ours ------------------------------------------------------------

/// Puts 07_project's fluid beside ours, with the same dye and velocity, or takes it away again.
/// Only a square has one.
void toggle_collocated(App& app) {
    const Fluid& fluid = app.fluid;
    if (app.beside || fluid.nx != fluid.ny || fluid.nz != 1) {
        app.beside.reset();
        app.window.other.reset();
        return;
    }
    app.beside = collocated::fluid_like(fluid);
    app.window.other = collocated::other_grid(*app.beside);
}

void set_both_to_checkerboard(App& app) {
    app.moments.clear();
    set_checkerboard(app.fluid);
    if (app.beside) {
        set_checkerboard(*app.beside);
    }
}

void project_both(App& app, double dt) {
    app.moments.clear();
    choose_solver(app);
    project(app.fluid, dt);
    if (app.beside) {
        collocated::Fluid& beside = *app.beside;
        project(beside.u, beside.v, beside.pressure, beside.divergence, app.fluid.iterations);
    }
}

// ---- One step, moment by moment ----------------------------------------------------------------

/// The moments of the step that `fluid` is about to make.
std::vector<Moment> moments_of(Fluid fluid, double dt) {
    std::vector<Moment> moments = {{"before the step", fluid}};
    advect_velocity(fluid, dt);
    moments.push_back({"velocity carried along", fluid});
    if (fluid.force_x != 0.0 || fluid.force_y != 0.0 || fluid.force_z != 0.0) {
        add_force(fluid, dt);
        moments.push_back({"force added", fluid});
    }
    right_hand_side(fluid, dt);
    solve_pressure(fluid);
    moments.push_back({"pressure solved", fluid, true});
    subtract_gradient(fluid, dt);
    moments.push_back({"gradient subtracted", fluid});
    advect_density(fluid, dt);
    moments.push_back({"dye carried along", fluid});
    return moments;
}

/// Shows the next moment. The fluid itself has made the whole step when its first moment is shown.
void next_moment(App& app, Program& program) {
    program.session.paused = true;
    if (!app.moments.empty() && app.moment + 1 < app.moments.size()) {
        ++app.moment;
    } else {
        choose_solver(app);
        std::vector<Moment> moments = moments_of(app.fluid, program.simulation.dt);
        program.simulation.advance();
        app.moments = std::move(moments);
        app.moment = 1;
    }
    program.screen.say(app.moments[app.moment].name);
}

// ---- What is shown -----------------------------------------------------------------------------

/// The matrix A of the box as a spy plot: one square for each entry.
void draw_matrix(Picture& picture, const Fluid& fluid, Rectangle area) {
    const std::vector<MatrixEntry> entries = entries_of(assemble_matrix(fluid.pressure));
    const int rows = static_cast<int>(fluid.pressure.values.size());
    draw_spy(picture, area, rows, entries, 3.0,
             "A: " + std::to_string(rows) + " rows and columns, " + std::to_string(entries.size()) +
                 " entries");
}

/// The numbers of the layer that is shown, where it is small enough for them.
FaceNumbers face_numbers(const App& app) {
    const Fluid& fluid = app.shown();
    const bool shows_rhs = !app.moments.empty() && app.moments[app.moment].shows_rhs;
    const auto inside = [&fluid, shows_rhs](int i, int j, std::string (*written)(double)) {
        std::vector<std::string> lines = {"p " + written(fluid.pressure(i, j, 0)),
                                          "div " + written(divergence_at(fluid, i, j, 0))};
        if (shows_rhs) {
            lines.insert(lines.begin(), "rhs " + written(fluid.rhs(i, j, 0)));
        }
        if (fluid.density(i, j, 0) != 0.0) {
            lines.push_back("dye " + written(fluid.density(i, j, 0)));
        }
        return lines;
    };
    const auto dye = [&fluid](int i, int j) {  // not too bright for the letters
        return 0.3f * static_cast<float>(std::min(1.0, fluid.density(i, j, 0)));
    };
    return {fluid.nx,
            fluid.ny,
            [&fluid](int i, int j) { return fluid.u(i, j, 0); },
            [&fluid](int i, int j) { return fluid.v(i, j, 0); },
            inside,
            {"dye", dye}};
}

void apply(App& app, const Stroke& stroke) {
    Fluid& fluid = app.fluid;
    app.moments.clear();
    if (stroke.dye) {
        add_density(fluid, stroke.i, stroke.j, app.window.layer, 1.0);
    }
    const float x = velocity_add_scale * stroke.dx;  // in widths of the box, as in 07_project
    const float y = velocity_add_scale * stroke.dy;
    add_velocity(fluid, stroke.i, stroke.j, app.window.layer,
                 {x * fluid.h * fluid.nx, y * fluid.h * fluid.ny, 0.0});
    if (app.beside) {
        if (stroke.dye) {
            add_density(*app.beside, stroke.i + 1, stroke.j + 1, 1.0f);
        }
        add_velocity(*app.beside, stroke.i + 1, stroke.j + 1, x, y);
    }
}

// ---- The program -------------------------------------------------------------------------------

void add_state(Program& program, Fluid& fluid) {
    const auto column = [&](const std::string& name, Field& field) {
        const auto value = [&field](int i, int j, int k) { return value_in(field, i, j, k); };
        program.description.state.push_back({name, std::function<double*(int, int, int)>(value)});
    };
    column("density", fluid.density);
    column("u", fluid.u);
    column("v", fluid.v);
    column("w", fluid.w);
    column("p", fluid.pressure);
}

void add_parameters(Program& program, App& app) {
    Fluid& fluid = app.fluid;
    program.description.parameters = {
        {"solver", &app.solver, "how the pressure is found"},
        {"rho", &fluid.rho, "mass of a unit of volume", 1e6, 1e-6},
        {"cell_size", &fluid.h, "the width h of a cell", 1e6, 1e-6},
        {"force_x", &fluid.force_x, "acceleration to the right", 1000.0, -1000.0},
        {"force_y", &fluid.force_y, "acceleration down", 1000.0, -1000.0},
        {"force_z", &fluid.force_z, "acceleration away from you", 1000.0, -1000.0},
        {"tolerance", &fluid.tolerance, "the relative residual at which a solver stops", 1.0},
        {"iterations", &fluid.iterations, "the most that a solver takes", 1e6},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
}

void add_keys(Program& program, App& app) {
    program.description.keys = {
        {'n', "next moment of a step", [&] { next_moment(app, program); }},
        {'c', "07_project's fluid beside this one",
         [&] {
             const bool was_shown = app.beside.has_value();
             toggle_collocated(app);
             if (!was_shown && !app.beside) {
                 program.screen.say("07_project has only squares");
             }
         }},
        {'x', "a checkerboard of velocities", [&] { set_both_to_checkerboard(app); }},
        {'p', "project, and nothing else", [&] { project_both(app, program.simulation.dt); }},
        {'m', "the matrix A", [&] { app.shows_matrix = !app.shows_matrix; }},
        {'g', "the residuals of the last solution",
         [&] { app.shows_residuals = !app.shows_residuals; }},
    };
}

void add_readouts(Program& program, const App& app) {
    program.description.readouts = {
        {"dye", [&app] { return total(app.shown().density); }},
        {"max div", [&app] { return without_rounding(largest_divergence(app.shown())); }},
        {"energy", [&app] { return without_rounding(kinetic_energy(app.shown())); }},
        {"iterations", [&app] { return std::max(0.0, app.shown().residuals.size() - 1.0); }},
        {"residual",
         [&app] { return app.shown().residuals.empty() ? 0.0 : app.shown().residuals.back(); }},
    };
}

/// What the window shows, and what the mouse does.
Program make_program(App& app) {
    Program program("34_many", "Past one machine");
    Fluid& fluid = app.fluid;
    program.simulation.shape = Shape::box;
    program.simulation.box = {64, 64, 1};
    program.simulation.reset_box = [&](Box box) {
        fluid = Fluid(box.nx, box.ny, box.nz);
        app.window.begin(box);
        app.moments.clear();
        app.beside.reset();
    };
    program.simulation.refuse_state = [&] {
        set_bnd(fluid);  // whatever a file says, nothing flows through a wall
        return std::string();
    };
    program.simulation.start = [](Box box) {
        return box == Box{2, 2, 1} ? Start{"pinwheel", 0.1, true, true} : Start{"drag", 1.0 / 60.0};
    };
    program.description.scenes = {
        {"pinwheel", "velocity on one face, as in the tutorial",
         [&] { fluid.v(0, fluid.ny / 2, 0) = fluid.ny > 1 ? 1.0 : 0.0; }},
        {"checkerboard", "velocities that alternate from face to face",
         [&] { set_both_to_checkerboard(app); }},
    };
    program.simulation.step = [&](double dt) {
        app.moments.clear();
        choose_solver(app);
        many::make_step(app.ranks, fluid, dt);
        if (app.beside) {
            step(*app.beside, static_cast<float>(dt));
        }
    };
    program.simulation.bytes = [&](Box box) {  // six fields, and copies while a step is made
        return 20.0 * sizeof(double) * box.nx * box.ny * box.nz +
               (app.is_direct() ? bytes_of_factors(box) : 0.0);
    };
    program.simulation.refuse = [&](Box box) {
        return app.is_direct()      ? why_not_direct(box)
               : app.is_multigrid() ? why_not_multigrid(box)
                                    : "";
    };
    program.look.cell_from_mouse = [](float x, float y, float cell_size) -> GridCell {
        const Cell cell = cell_from_mouse(x, y, cell_size);
        return {cell.i, cell.j};
    };
    program.simulation.stroke = [&](const Stroke& stroke) { apply(app, stroke); };
    program.look.velocity = [&](int i, int j) {
        const Vector velocity = velocity_of_cell(app.shown(), i, j, app.window.layer);
        const double width = fluid.h * fluid.nx;
        return std::pair(static_cast<float>(velocity.x / width),
                         static_cast<float>(velocity.y / width));
    };
    program.look.arrow_scale = &velocity_draw_scale;
    program.look.describe = [&](int i, int j) {
        return description(app.shown(), i, j, app.window.layer);
    };
    app.window.name = "staggered";
    app.window.numbers = [&] { return face_numbers(app); };
    app.window.caption = [&] {
        return (app.moments.empty() ? "before the step" : app.moments[app.moment].name) +
               " (N: next moment)";
    };
    const auto shown = [&]() -> const Fluid& { return app.shown(); };
    add_fields(program, shown, app.window.layer);
    add_residual_field(program, shown, app.window.layer);
    add_noise_scene(program, fluid);
    add_state(program, fluid);
    add_parameters(program, app);
    add_readouts(program, app);
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    const many::Session session(argc, argv);  // beyond this there is only the first rank
    App app;
    Program program = make_program(app);
    add_keys(program, app);
    app.window.connect(program);
    program.look.draw = [&app, draw_box = program.look.draw](Picture& picture, Rectangle area) {
        if (app.shows_matrix) {
            draw_matrix(picture, app.fluid, area);
            return true;
        }
        return draw_box(picture, area);
    };
    program.look.draw_over = [&](Picture& picture, const View& view) {
        if (app.shows_residuals) {
            draw_residuals(picture, view, app.shown().residuals,
                           app.solver.names[app.solver.chosen]);
        }
    };
    add_grids(program, app.fluid);
    many::connect(program, app.ranks, app.fluid, app.solver, app.window.layer);
    program.numbers = numbers;
    return program.run(argc, argv);
}
