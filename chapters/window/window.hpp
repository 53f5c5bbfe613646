// The window of a fluid on a staggered grid. A chapter's main.cpp adds what this chapter is about.
// It is a template, so that each chapter can show its own Fluid: include the chapter's solver.hpp
// first.
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "common/app/box.hpp"
#include "common/app/history.hpp"
#include "common/app/occasions.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/fields.hpp"
#include "window/measures.hpp"

/// A window that shows a fluid with the members u, v, w, density and pressure. It sets each of the
/// program's functions once: what else is to happen is added to the occasions below. What is data
/// of the program (fields, keys, own_scenes, outputs) is added there.
template <class Fluid>
class Window {
  public:
    Fluid fluid;
    workbook::Program program;
    workbook::BoxWindow box;  ///< which layer is shown, and small boxes with all their numbers
    workbook::History history;
    std::vector<workbook::Readout> history_columns;  ///< without any there is no --history

    // What a step is, and what is shown.
    std::function<void(double dt)> advance = [this](double dt) { step(fluid, dt); };
    std::function<const Fluid&()> shown = [this]() -> const Fluid& { return fluid; };
    /// Further lines in the cells of a small box, above those on pressure, divergence and dye.
    std::function<std::vector<std::string>(int i, int j, std::string (*written)(double))>
        more_numbers;
    std::function<std::string(int i, int j)> more_words;  ///< on a cell, behind those on its fields
    std::function<double(const Fluid&)> max_divergence = [](const Fluid& seen) {
        return largest_divergence(seen);
    };
    std::function<double(const Fluid&)> energy = [](const Fluid& seen) {
        return kinetic_energy(seen);
    };

    // Occasions.
    /// Tells the fluid what the reader has chosen: before each step, and in scenes.
    workbook::Actions<> apply;
    workbook::Actions<double> before_step, after_step;  ///< they are given dt
    workbook::Actions<workbook::Box> at_reset;  ///< there is a new fluid of that size, still empty
    workbook::Actions<> at_begin;  ///< a scene of the chapter was played, or a state was loaded
    workbook::Actions<const workbook::Stroke&> on_stroke;  ///< before its dye and its velocity

    // The program's own occasions. Who accepts a loaded state gives it to the fluid.
    workbook::Takers<workbook::Place, workbook::Place, bool>& drags = program.simulation.drag;
    workbook::Takers<workbook::Picture&, workbook::Rectangle>& draws = program.look.draw_instead;
    workbook::Actions<workbook::Picture&, const workbook::View&>& draw_over =
        program.look.draw_over;
    workbook::Reasons<workbook::Box>& refuse = program.simulation.refuse;
    workbook::Reasons<>& refuse_state = program.simulation.refuse_state;
    workbook::Reasons<>& refuse_save = program.simulation.refuse_save;

    Window(const std::string& folder, const std::string& title, workbook::Box size)
        : fluid(size.nx, size.ny, size.nz), program(folder, title) {
        program.simulation.shape = workbook::Shape::box;
        program.simulation.box = size;
        program.look = box.look(program);
        set_run();
        set_mouse();
        set_picture();
        add_state();
        add_parameters();
        add_readouts();
    }
    Window(const Window&) = delete;  // the program refers to it
    Window& operator=(const Window&) = delete;

    // ---- What a chapter adds -------------------------------------------------------------------

    /// All parameters and readouts that have been added so far are those of earlier chapters: what
    /// is added from now on comes before them.
    void new_in_this_chapter() {
        earlier_parameters_.swap(parameters_);
        earlier_readouts_.swap(readouts_);
    }

    /// Shows a parameter of an earlier chapter among those of this one, since it matters here, too.
    void bring_forward(const std::string& name) {
        const auto found = std::find_if(
            earlier_parameters_.begin(), earlier_parameters_.end(),
            [&name](const workbook::Parameter& parameter) { return parameter.name == name; });
        if (found != earlier_parameters_.end()) {
            parameters_.push_back(std::move(*found));
            earlier_parameters_.erase(found);
        }
    }

    /// Adds a parameter. `applies` says whether it means something just now; without it, always.
    void add(workbook::Parameter parameter, std::function<bool()> applies = {}) {
        parameter.applies = std::move(applies);
        parameters_.push_back(std::move(parameter));
    }

    void add(workbook::Readout readout) { readouts_.push_back(std::move(readout)); }

    /// Makes one of the fluid's enumerations a parameter, whose values have these names in order.
    /// `applies` says whether it means something just now, as in add().
    template <class Enum>
    void choose(const std::string& name, Enum Fluid::*chosen, std::vector<std::string> names,
                const std::string& meaning, std::function<bool()> applies = {}) {
        choices_.push_back({static_cast<int>(fluid.*chosen), std::move(names)});
        workbook::Choice* choice = &choices_.back();
        add({name, choice, meaning}, std::move(applies));
        apply.add([this, chosen, choice] { fluid.*chosen = static_cast<Enum>(choice->chosen); });
    }

    void add_scene(const std::string& name, const std::string& meaning,
                   std::function<void()> play) {
        program.description.scenes.push_back({name, meaning, [this, play = std::move(play)] {
                                                  play();
                                                  at_begin();
                                              }});
    }

    /// Adds a key, which must be a small letter or a sign.
    void add_key(char key, const std::string& meaning, std::function<void()> press) {
        program.description.keys.push_back({key, meaning, std::move(press)});
    }

    /// Begins with that scene where the reader asks for none, in boxes for which `fits` is true.
    /// What is added last is asked first.
    void begin_with(std::function<bool(workbook::Box)> fits, workbook::Start start) {
        starts_.push_front({std::move(fits), std::move(start)});
    }
    void begin_with(workbook::Box size, workbook::Start start) {
        begin_with([size](workbook::Box asked) { return asked == size; }, std::move(start));
    }

    /// Begins without arrows, where something else shows better how the fluid flows.
    void begin_without_arrows() { program.look.begins_with_arrows = false; }

    /// Counts more memory than that of the fields: so many bytes for a box.
    void count_memory(std::function<double(workbook::Box)> bytes) {
        memory_.push_back(std::move(bytes));
    }

    // ---- The state file ------------------------------------------------------------------------

    /// Adds a field of the fluid to the state file. (Its rows run beyond some fields.)
    template <class Field>
    void save(const std::string& name, Field& field) {
        program.description.state.push_back({name, [&field](int i, int j, int k) -> double* {
                                                 const bool has =
                                                     i < field.nx && j < field.ny && k < field.nz;
                                                 return has ? &field(i, j, k) : nullptr;
                                             }});
    }

    /// Adds a column to the state file whose first `rows` rows hold numbers: `number(row)` says
    /// where. It is called when a file is read as well, and then the number is written there.
    void save_rows(const std::string& name, int rows,
                   const std::function<double*(int row)>& number) {
        program.description.state.push_back(
            {name, [this, rows, number](int i, int j, int k) -> double* {
                 const int row = i + (fluid.nx + 1) * (j + (fluid.ny + 1) * k);
                 return row < rows ? number(row) : nullptr;
             }});
    }

    // ---- For scenes ----------------------------------------------------------------------------

    /// Sets a parameter, unless its flag has.
    void set(const std::string& name, double number) {
        for (const workbook::Parameter& parameter : program.description.parameters) {
            if (parameter.name == name && !program.session.was_given(name)) {
                set_number(parameter, number);
            }
        }
    }

    /// Sets several parameters, each unless its flag has.
    void set(const std::vector<std::pair<std::string, double>>& numbers) {
        for (const auto& [name, number] : numbers) {
            set(name, number);
        }
    }

    /// Takes a box of that size, unless a flag asks for another one. Its depth stays.
    void set_size(int nx, int ny) {
        if (!program.session.was_given("n") && !program.session.was_given("nx") &&
            !program.session.was_given("ny")) {
            program.resize({nx, ny, program.simulation.box.nz});
        }
    }

    // ---- For another fluid beside this one -----------------------------------------------------

    /// Does to a fluid what a stroke of the mouse does.
    void draw(const workbook::Stroke& stroke, Fluid& drawn) const {
        if (stroke.dye) {
            add_density(drawn, stroke.i, stroke.j, box.layer, 1.0);
        }
        const float x = velocity_add_scale_ * stroke.dx;  // in widths of the box, as in 07_project
        const float y = velocity_add_scale_ * stroke.dy;
        add_velocity(drawn, stroke.i, stroke.j, box.layer,
                     {x * drawn.h * drawn.nx, y * drawn.h * drawn.ny, 0.0});
    }

    /// The arrow of a fluid's cell, in the layer that is shown: its velocity in widths of the box.
    std::pair<float, float> arrow(const Fluid& seen, int i, int j) const {
        const auto velocity = velocity_of_cell(seen, i, j, box.layer);
        const double width = seen.h * seen.nx;
        return {static_cast<float>(velocity.x / width), static_cast<float>(velocity.y / width)};
    }

    // ---- The program ---------------------------------------------------------------------------

    /// The words for what is chosen of a parameter with several possibilities.
    std::string chosen(const std::string& name) const {
        for (const workbook::Parameter& parameter : program.description.parameters) {
            if (parameter.name == name) {
                return value_of(parameter);
            }
        }
        return "";
    }

    /// Runs the program, with this table behind --numbers. All must have been added.
    int run(int argc, char** argv, bool (*numbers)(const workbook::Program&)) {
        program.description.parameters = parameters_;
        program.description.add_from_earlier(earlier_parameters_);
        std::vector<workbook::Readout>& readouts = program.description.readouts;
        readouts = readouts_;
        readouts.insert(readouts.end(), earlier_readouts_.begin(), earlier_readouts_.end());
        program.numbers = numbers;
        if (!history_columns.empty()) {
            history.connect(program, history_columns);
        }
        box.connect(program);
        return program.run(argc, argv);
    }

  private:
    struct FirstScene {
        std::function<bool(workbook::Box)> fits;
        workbook::Start start;
    };

    void set_run() {
        program.simulation.reset_box = [this](workbook::Box size) {
            fluid = Fluid(size.nx, size.ny, size.nz);
            box.begin(size);
            at_reset(size);
        };
        program.simulation.start = [this](workbook::Box size) {
            for (const FirstScene& first : starts_) {
                if (first.fits(size)) {
                    return first.start;
                }
            }
            return workbook::Start{"drag", 1.0 / 60.0};
        };
        program.simulation.step = [this](double dt) {
            apply();
            before_step(dt);
            advance(dt);
            after_step(dt);
        };
        program.simulation.after_load.add([this] {
            set_bnd(fluid);  // whatever a file says, nothing flows through a wall
            at_begin();
        });
        program.simulation.bytes =
            [this](workbook::Box size) {  // the fields, and copies while a step is made
                double sum = 30.0 * sizeof(double) * size.nx * size.ny * size.nz;
                for (const auto& bytes : memory_) {
                    sum += bytes(size);
                }
                return sum;
            };
    }

    void set_mouse() {
        program.look.cell_from_mouse = [](float x, float y, float cell_size) -> workbook::GridCell {
            const auto cell = cell_from_mouse(x, y, cell_size);
            return {cell.i, cell.j};
        };
        program.simulation.stroke = [this](const workbook::Stroke& stroke) {
            on_stroke(stroke);
            draw(stroke, fluid);
        };
    }

    void set_picture() {
        program.look.velocity = [this](int i, int j) { return arrow(shown(), i, j); };
        program.look.arrow_scale = &velocity_draw_scale_;
        program.look.describe = [this](int i, int j) {
            const std::string words = description(shown(), i, j, box.layer);
            return more_words ? words + more_words(i, j) : words;
        };
        box.name = "staggered";
        box.numbers = [this] { return face_numbers(); };
        box.caption = [] { return std::string(); };
        program.description.fields =
            fields_of([this]() -> const Fluid& { return shown(); }, box.layer);
    }

    /// The numbers of the layer that is shown, where it is small enough for them.
    workbook::FaceNumbers face_numbers() const {
        const Fluid& seen = shown();
        const auto inside = [this, &seen](int i, int j, std::string (*written)(double)) {
            std::vector<std::string> lines;
            if (more_numbers) {
                lines = more_numbers(i, j, written);
            }
            lines.push_back("p " + written(seen.pressure(i, j, 0)));
            lines.push_back("div " + written(divergence_at(seen, i, j, 0)));
            if (seen.density(i, j, 0) != 0.0) {
                lines.push_back("dye " + written(seen.density(i, j, 0)));
            }
            return lines;
        };
        const auto dye = [&seen](int i, int j) {  // not too bright for the letters
            return 0.3f * static_cast<float>(std::min(1.0, seen.density(i, j, 0)));
        };
        const auto u = [&seen](int i, int j) { return seen.u(i, j, 0); };
        const auto v = [&seen](int i, int j) { return seen.v(i, j, 0); };
        return {seen.nx, seen.ny, u, v, inside, {"dye", dye}};
    }

    void add_state() {
        save("density", fluid.density);
        save("u", fluid.u);
        save("v", fluid.v);
        save("w", fluid.w);
        save("p", fluid.pressure);
    }

    void add_parameters() {
        add({"rho", &fluid.rho, "mass of a unit of volume", 1e6, 1e-6});
        add({"cell_size", &fluid.h, "the width h of a cell", 1e6, 1e-6});
        add({"force_x", &fluid.force_x, "acceleration to the right", 1000.0, -1000.0});
        add({"force_y", &fluid.force_y, "acceleration down", 1000.0, -1000.0});
        add({"force_z", &fluid.force_z, "acceleration away from you", 1000.0, -1000.0},
            [this] { return program.simulation.box.nz > 1; });
        add({"tolerance", &fluid.tolerance, "the relative residual at which a solver stops", 1.0});
        add({"iterations", &fluid.iterations, "the most that a solver takes", 1e6});
        add({"velocity_add_scale", &velocity_add_scale_, "velocity for each pixel of the drag"});
        add({"velocity_draw_scale", &velocity_draw_scale_, "pixels of arrow for a velocity of 1"});
    }

    void add_readouts() {
        using workbook::without_rounding;
        add({"dye", [this] { return total(shown().density); }});
        add({"max div", [this] { return without_rounding(max_divergence(shown())); }});
        add({"energy", [this] { return without_rounding(energy(shown())); }});
        add({"iterations", [this] { return std::max(0.0, shown().residuals.size() - 1.0); }});
    }

    std::vector<workbook::Parameter> parameters_, earlier_parameters_;
    std::vector<workbook::Readout> readouts_, earlier_readouts_;
    std::list<workbook::Choice> choices_;  ///< parameters refer to them
    std::list<FirstScene> starts_;
    std::vector<std::function<double(workbook::Box)>> memory_;
    float velocity_add_scale_ = 0.2f;  ///< velocity for each pixel of the drag, as in 07_project
    float velocity_draw_scale_ = 20.0f;  ///< pixels of arrow for one box width a second
};
