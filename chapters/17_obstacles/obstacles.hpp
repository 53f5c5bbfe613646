// Bodies in the flow, for the windows of this chapter and of those that follow: the mouse drags
// them or paints them, scenes put them into streams, and what the flow does to them is measured.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "11_mac/measures.hpp"
#include "16_open/inflow.hpp"
#include "17_obstacles/channel.hpp"
#include "17_obstacles/measure.hpp"
#include "17_obstacles/shapes.hpp"
#include "common/app/box.hpp"
#include "common/app/history.hpp"
#include "common/app/program.hpp"
#include "common/io/output.hpp"

/// What a window can do with solids: a body that the mouse drags, cells that it paints, scenes,
/// readouts, a plot of the lift, columns of the state file and of --history.
template <class Fluid>
class Obstacles {
    using Opening = decltype(Fluid{1, 1, 1}.sides[0].opening);

  public:
    Obstacles(Fluid& fluid, workbook::BoxWindow& window) : fluid_(fluid), window_(window) {}

    /// Adds all this to the program, but for what is below. It must have its own parameters, keys,
    /// scenes, fields and readouts already. All must stay where they are. `apply` must tell the
    /// fluid what the reader has chosen: solver, walls, openings.
    void connect(workbook::Program& program, std::function<void()> apply) {
        program_ = &program;
        apply_ = std::move(apply);
        add_parameters();
        add_state();
        add_scenes();
        add_readouts();
        change_fields();
        window_.size = [this](workbook::Size natural) { return picture_size(natural); };
        program.description.keys.push_back(
            {'o', "paint solids, or drag again", [this] { change_mode(); }});
        program.description.keys.push_back({'u', "another shape", [this] {
                                                shape_.chosen = (shape_.chosen + 1) % 4;
                                                place_now();
                                            }});
        program.description.keys.push_back(
            {'y', "the plot of the lift", [this] { plots_ = !plots_; }});
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            const bool is_wide = box == workbook::Box{256, 128, 1};
            return box == workbook::Box{220, 41, 1} || is_wide
                       ? workbook::Start{is_wide ? "wide" : "channel", 1.0 / 150.0, true}
                       : start(box);
        };
        program.simulation.reset_box = [this,
                                        reset = program.simulation.reset_box](workbook::Box box) {
            reset(box);
            begin_anew();
        };
        program.simulation.step = [this, step = program.simulation.step](double dt) {
            if (must_place_) {
                place_bodies(fluid_, bodies());
            }
            step(dt);
            if (rake_ > 0) {
                rake(fluid_, std::min(2, fluid_.nx - 1), rake_);
            }
        };
    }

    /// Adds what happens once a step and once a drag, even where a twin takes part in it, and the
    /// columns of --history: its own, unless a later chapter has others.
    void connect_mouse(workbook::Program& program, workbook::History& history,
                       std::vector<workbook::Readout> columns = {}) {
        program.simulation.step = [this, step = program.simulation.step](double dt) {
            move_body(dt);
            const bool has_turn = fluid_.reflects_next;
            const Loads first = has_turn ? loads_on(fluid_, body_, dt) : Loads{};
            step(dt);
            measure(first, has_turn, dt);
            report();
        };
        program.simulation.drag = [this](workbook::Place from, workbook::Place to, bool dye) {
            return is_painting_ ? paint(from, to, dye) : drag(from, to);
        };
        if (columns.empty()) {
            columns = {{"drag", [this] { return now_.drag; }},
                       {"lift", [this] { return now_.lift; }},
                       {"pressure_drop", [this] { return now_.pressure_drop; }}};
            history.holds_for_both = [this] { return ends_pair_; };
        }
        history.connect(program, std::move(columns));
    }

    /// Shows the plot of the lift, or does not, until its key is pressed.
    void show_plot(bool shown) { plots_ = shown; }

    /// Makes the cells solid for which `is_solid` is true, as if the mouse had painted them.
    void paint_cells(const std::function<bool(int i, int j)>& is_solid) {
        painted_.clear();
        for (int cell = 0; cell < fluid_.nx * fluid_.ny; ++cell) {
            painted_.push_back(is_solid(cell % fluid_.nx, cell / fluid_.nx));
        }
        place_now();
    }

    /// Draws the solids, the probe, and the plot of the lift.
    void draw(workbook::Picture& picture, const workbook::View& view) const {
        if (program_->shown_field().name == "vorticity") {
            draw_dye(picture, view);
        }
        draw_solids(picture, view);
        if (has_body()) {
            const float x = view.left + view.cell * static_cast<float>(probe_x_ / fluid_.h);
            const float y = view.top + view.cell * static_cast<float>(probe_y_ / fluid_.h);
            picture.line(x - 6, y, x + 6, y, white);
            picture.line(x, y - 6, x, y + 6, white);
        }
        if (plots_ && body_.size > 0.0 && lifts_.size() > 1) {
            draw_lifts(picture, view);
        }
    }

    /// A copy of the fluid, with the bodies where the next step will put them first.
    Fluid placed(double dt) const {
        Fluid copy = fluid_;
        if (must_place_ || !same(bodies(moved(dt)), placed_)) {
            place_bodies(copy, bodies(moved(dt)));
        }
        return copy;
    }

  private:
    static constexpr workbook::Colour grey = {150, 150, 155}, white = {255, 255, 255};
    static constexpr int plot_height = 76;
    static constexpr std::size_t most_plotted = 600;
    static constexpr double most_cells = 2.0;  ///< that a hand moves the body in a step

    // ---- The bodies ----------------------------------------------------------------------------

    /// Whether there is a body of the chosen shape. What is painted has no size to divide by.
    bool has_body() const {
        return body_.size > 0.0 && shape_.chosen != static_cast<int>(BodyShape::PAINTED);
    }

    /// The bodies as they are now: that of the chosen shape, and what is painted.
    std::vector<Body> bodies() const { return bodies(body_); }

    /// The same if the body of the chosen shape is that one.
    std::vector<Body> bodies(const Body& chosen) const {
        std::vector<Body> found;
        if (shape_.chosen != static_cast<int>(BodyShape::PAINTED) && chosen.size > 0.0) {
            found.push_back(chosen);
            found[0].shape = static_cast<BodyShape>(shape_.chosen);
            found[0].angle = angle_ * std::numbers::pi / 180.0;
        }
        if (std::find(painted_.begin(), painted_.end(), true) != painted_.end()) {
            Body body;
            body.shape = BodyShape::PAINTED;
            body.painted = painted_;
            found.push_back(body);
        }
        return found;
    }

    static bool same(const std::vector<Body>& a, const std::vector<Body>& b) {
        return std::equal(
            a.begin(), a.end(), b.begin(), b.end(), [](const Body& one, const Body& other) {
                return one.shape == other.shape && one.x == other.x && one.y == other.y &&
                       one.size == other.size && one.angle == other.angle &&
                       one.velocity_x == other.velocity_x && one.velocity_y == other.velocity_y &&
                       one.painted == other.painted;
            });
    }

    /// Makes the fluid's solids what the bodies are, without waiting for a step.
    void place_now() {
        placed_ = bodies();
        place_bodies(fluid_, placed_);
        must_place_ = true;  // if there is a twin, it follows with the next step
    }

    /// How far the hand takes the body along in a step: {x, y}.
    std::array<double, 2> taken_along() const {
        const double far = std::hypot(pending_x_, pending_y_);
        const double most = most_cells * fluid_.h;
        const double share = far > most ? most / far : 1.0;
        return {share * pending_x_, share * pending_y_};
    }

    /// The body after a step: it moves as fast as it drifts, and after the hand that drags it.
    Body moved(double dt) const {
        const auto [x, y] = taken_along();
        Body body = body_;
        body.velocity_x = drift_x_ + x / dt;
        body.velocity_y = drift_y_ + y / dt;
        body.x += dt * body.velocity_x;
        body.y += dt * body.velocity_y;
        return body;
    }

    void move_body(double dt) {
        const auto [x, y] = taken_along();
        body_ = moved(dt);
        pending_x_ -= x;
        pending_y_ -= y;
        must_place_ = must_place_ || !same(bodies(), placed_);
        placed_ = bodies();
    }

    /// Takes a drag that has begun on the body: the body follows.
    bool drag(workbook::Place from, workbook::Place to) {
        const double width = fluid_.h * fluid_.nx, height = fluid_.h * fluid_.ny;
        if (from.x == to.x && from.y == to.y) {
            const std::vector<Body> found = bodies();
            const bool is_on_body = !found.empty() && found[0].shape != BodyShape::PAINTED &&
                                    is_inside(found[0], width * from.x, height * from.y);
            is_grabbed_ = is_on_body || (is_grabbed_ && (pending_x_ != 0.0 || pending_y_ != 0.0));
        }
        if (is_grabbed_) {
            pending_x_ += width * (to.x - from.x);
            pending_y_ += height * (to.y - from.y);
        }
        return is_grabbed_;
    }

    /// Makes the cells under a drag solid, or fluid with the other button.
    bool paint(workbook::Place from, workbook::Place to, bool dye) {
        const double radius = std::max(0.8, std::min(fluid_.nx, fluid_.ny) / 40.0);
        painted_.resize(static_cast<std::size_t>(fluid_.nx) * fluid_.ny, false);
        const double dx = fluid_.nx * (to.x - from.x), dy = fluid_.ny * (to.y - from.y);
        const double length = dx * dx + dy * dy;
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {
                const double x = i + 0.5 - fluid_.nx * from.x, y = j + 0.5 - fluid_.ny * from.y;
                const double share =
                    length > 0.0 ? std::clamp((x * dx + y * dy) / length, 0.0, 1.0) : 0.0;
                if (std::hypot(x - share * dx, y - share * dy) < radius) {
                    painted_[static_cast<std::size_t>(i) + fluid_.nx * j] = dye;
                }
            }
        }
        place_now();
        return true;
    }

    void change_mode() {
        is_painting_ = !is_painting_;
        program_->screen.say(is_painting_ ? "left button: paint solids; right button: remove them"
                                          : "drag the body, or the fluid");
    }

    void begin_anew() {
        painted_.clear();
        body_.size = program_->session.was_given("body_size") ? body_.size : 0.0;
        placed_.clear();
        must_place_ = true;
        pending_x_ = pending_y_ = 0.0;
        is_grabbed_ = is_painting_ = ends_pair_ = false;
        now_ = {};
        lifts_.clear();
    }

    // ---- What is measured ----------------------------------------------------------------------

    /// The mean speed of the stream: that of an inflow on the left, or of a body that drifts.
    double speed() const {
        const double inflow = passing(fluid_, 0).in / (fluid_.h * fluid_.h * fluid_.ny * fluid_.nz);
        const bool is_inflow = fluid_.sides[0].opening == Opening::INFLOW;
        return is_inflow && inflow > 0.0 ? inflow : std::hypot(drift_x_, drift_y_);
    }

    /// Measures what the last step has done. The two steps of a pair, of which the second carries
    /// the reflected velocity, are measured together.
    void measure(const Loads& first, bool has_turn, double dt) {
        const Loads last = loads_on(fluid_, body_, dt);
        const double size = has_body() ? body_.size : 0.0;
        const bool is_first = fluid_.reflects_next && !has_turn;
        ends_pair_ = has_turn && !fluid_.reflects_next &&
                     program_->description.parameter("advection") == 2.0;
        if (!is_first) {
            now_ = coefficients_of(fluid_, ends_pair_ ? mean_of_pair(first, last, true) : last,
                                   speed(), size);
            now_.pressure_drop = size > 0.0 ? now_.pressure_drop : 0.0;
        }
        lifts_.push_back(static_cast<float>(now_.lift));
        if (lifts_.size() > most_plotted) {
            lifts_.erase(lifts_.begin());
        }
    }

    /// Says in a line why the flow cannot be what it should be, if so; on stderr, too, but once.
    void report() {
        const std::vector<Body> found = bodies();
        const auto solid_cells = total(fluid_.solid);
        std::string words;
        if (!found.empty() && found[0].shape != BodyShape::PAINTED && !covers_any(found[0])) {
            words =
                "the body covers no cell: it lies outside of the box, or is smaller than a cell";
        } else if (solid_cells == static_cast<double>(fluid_.solid.values.size())) {
            words = "the solids fill the box: no fluid is left";
        } else if (solid_cells > 0.0 && fluid_.compatibility_defect > 1e-6 && !is_told_by_sides() &&
                   largest_divergence_of_fluid(fluid_) * fluid_.h > 1e-6 * fastest()) {
            words =
                "more is pushed into a closed part of the fluid than leaves it (compatibility "
                "defect " +
                workbook::in_few_words(fluid_.compatibility_defect) +
                "), so divergence stays: open a way out";
        }
        if (!words.empty()) {
            program_->screen.say(words);
            if (reported_.insert(words.substr(0, 20)).second) {
                std::cerr << program_->description.name << ": " << words << "\n";
            }
        }
    }

    /// Whether the sides of the box say already that more enters than leaves: see Openings.
    bool is_told_by_sides() const {
        const Passing found = passing(fluid_);
        return fluid_.pressure.is_closed() &&
               std::abs(found.in - found.out) > 1e-9 * (found.in + found.out);
    }

    bool covers_any(const Body& body) const {
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {
                if (covers(body, fluid_, i, j, fluid_.nz / 2)) {
                    return true;
                }
            }
        }
        return false;
    }

    double fastest() const {
        double found = 0.0;
        for (const auto* field : {&fluid_.u, &fluid_.v, &fluid_.w}) {
            for (const double value : field->values) {
                found = std::max(found, std::abs(value));
            }
        }
        return found;
    }

    void add_readouts() {
        for (workbook::Readout& readout : program_->description.readouts) {
            if (readout.name == "Re") {
                readout.value = [this, of_box = readout.value] {
                    return body_.size > 0.0 && fluid_.nu > 0.0 ? speed() * body_.size / fluid_.nu
                                                               : of_box();
                };
            }
        }
        const auto is_streamed_around = [this] { return has_body() && speed() > 0.0; };
        program_->description.readouts.push_back(
            {"drag", [this] { return workbook::without_rounding(now_.drag); }, true,
             is_streamed_around});
        program_->description.readouts.push_back(
            {"lift", [this] { return workbook::without_rounding(now_.lift); }, true,
             is_streamed_around});
        program_->description.readouts.push_back(
            {"v at the probe",
             [this] {
                 return workbook::without_rounding(
                     interpolate(fluid_.v, fluid_.h, {probe_x_, probe_y_, middle()}));
             },
             true, [this] { return has_body(); }});
    }

    double middle() const { return 0.5 * fluid_.h * fluid_.nz; }

    // ---- What is shown -------------------------------------------------------------------------

    /// Puts the vorticity first, and shows nothing in solids.
    void change_fields() {
        auto& fields = program_->description.fields;
        const auto vorticity = std::find_if(fields.begin(), fields.end(), [](const auto& field) {
            return field.name == "vorticity";
        });
        std::rotate(fields.begin(), vorticity, vorticity + 1);
        for (workbook::ShownField& field : fields) {
            field.value = [this, value = field.value](int i, int j) {
                return is_solid(fluid_.density, i, j, window_.layer) ? 0.0f : value(i, j);
            };
        }
        program_->look.describe = [this, describe = program_->look.describe](int i, int j) {
            return describe(i, j) + (is_solid(fluid_.density, i, j, window_.layer) ? " solid" : "");
        };
    }

    /// Long boxes get a wider picture than others, with room for the plot below.
    workbook::Size picture_size(workbook::Size natural) const {
        const int columns = fluid_.nx * (window_.other ? 2 : 1);
        if (columns < 150 || columns < 2 * fluid_.ny) {
            return natural;
        }
        const int cell = std::max(1, 1056 / columns);
        const int text =
            natural.height - std::max(natural.width / 2, natural.width * fluid_.ny / columns);
        return {
            std::min(1056, cell * columns),
            std::max(natural.height, cell * fluid_.ny + text +
                                         (fluid_.ny < columns / 4 ? 2 * (plot_height + 12) : 0))};
    }

    /// Lays threads of dye over the vorticity and its arrows, which remain visible below.
    void draw_dye(workbook::Picture& picture, const workbook::View& view) const {
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {
                const double dye = std::min(1.0, fluid_.density(i, j, window_.layer));
                if (dye > 0.1) {
                    whiten(picture, view, i, j, 0.45 * dye);
                }
            }
        }
    }

    /// Mixes so much white into each pixel of a cell.
    static void whiten(workbook::Picture& picture, const workbook::View& view, int i, int j,
                       double share) {
        const auto mixed = [share](int part) {
            return static_cast<std::uint8_t>(part + share * (255 - part));
        };
        for (int y = edge(view, view.top, j); y < edge(view, view.top, j + 1); ++y) {
            for (int x = edge(view, view.left, i); x < edge(view, view.left, i + 1); ++x) {
                const workbook::Colour under = picture.at(x, y);
                picture.pixel(x, y, {mixed(under.red), mixed(under.green), mixed(under.blue)});
            }
        }
    }

    /// The pixel where column or row n begins.
    static int edge(const workbook::View& view, float start, int n) {
        return static_cast<int>(std::lround(start + view.cell * static_cast<float>(n)));
    }

    void draw_solids(workbook::Picture& picture, const workbook::View& view) const {
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {
                if (is_solid(fluid_.density, i, j, window_.layer)) {
                    const int x = edge(view, view.left, i), y = edge(view, view.top, j);
                    picture.rectangle(x, y, edge(view, view.left, i + 1) - x,
                                      edge(view, view.top, j + 1) - y, grey);
                }
            }
        }
    }

    void draw_lifts(workbook::Picture& picture, const workbook::View& view) const {
        const int width = 260, height = plot_height;
        const int x = static_cast<int>(view.left) + 6;
        const int bottom = static_cast<int>(view.top + view.cell * static_cast<float>(view.rows));
        const bool has_room = view.top > static_cast<float>(height + 8);  // as much below as above
        const int y = has_room ? bottom + 6 : bottom - height - 6;
        if (!has_room && static_cast<float>(y) < view.top + static_cast<float>(height)) {
            return;  // it would hide half of the fluid
        }
        float largest = 0.01f;
        for (const float lift : lifts_) {
            largest = std::max(largest, std::abs(lift));
        }
        picture.shade(x, y, width, height);
        picture.outline(x, y, width, height, grey);
        picture.text(x + 6, y + 4,
                     "lift " + workbook::in_few_words(workbook::without_rounding(now_.lift)), white,
                     1);
        const float centre = static_cast<float>(y) + 0.58f * static_cast<float>(height);
        const float unit = 0.36f * static_cast<float>(height) / largest;
        const float apart = static_cast<float>(width - 12) / static_cast<float>(most_plotted - 1);
        const auto left = static_cast<float>(x + 6);
        picture.line(left, centre, left + static_cast<float>(width - 12), centre, grey);
        for (std::size_t n = 1; n < lifts_.size(); ++n) {
            if (std::isfinite(lifts_[n]) && std::isfinite(lifts_[n - 1])) {
                picture.line(left + apart * static_cast<float>(n - 1),
                             centre - unit * lifts_[n - 1], left + apart * static_cast<float>(n),
                             centre - unit * lifts_[n], {242, 193, 78});
            }
        }
    }

    // ---- Parameters and scenes -----------------------------------------------------------------

    void add_parameters() {
        auto& parameters = program_->description.parameters;
        parameters.push_back({"shape", &shape_, "of the body"});
        parameters.push_back({"body_x", &body_.x, "its middle, from the left", 1e9, -1e9});
        parameters.push_back({"body_y", &body_.y, "its middle, from above", 1e9, -1e9});
        parameters.push_back({"body_size", &body_.size, "its diameter, side or chord", 1e9});
        parameters.push_back(
            {"body_angle", &angle_, "how far it is turned, in degrees", 1e4, -1e4});
        parameters.push_back(
            {"body_velocity_x", &drift_x_, "of the body, to the right", 1e9, -1e9});
        parameters.push_back({"body_velocity_y", &drift_y_, "of the body, down", 1e9, -1e9});
        parameters.push_back(
            {"resolution", &resolution_, "cells a diameter, in the scenes with a body", 100, 1});
        parameters.push_back({"rake", &rake_, "threads of dye near the left side", 1000.0});
        parameters.push_back({"probe_x", &probe_x_, "the probe, from the left", 1e9, -1e9});
        parameters.push_back({"probe_y", &probe_y_, "the probe, from above", 1e9, -1e9});
    }

    /// Sets a parameter, unless a flag has.
    void choose(const std::string& name, double number) {
        for (const workbook::Parameter& parameter : program_->description.parameters) {
            if (parameter.name == name && !program_->session.was_given(name)) {
                set_number(parameter, number);
            }
        }
    }

    /// Takes a box of that size, unless a flag asks for another one.
    void choose_box(int nx, int ny) {
        choose("solver", 1);  // direct: A stays as it is, as long as the body does
        if (!program_->session.was_given("n") && !program_->session.was_given("nx") &&
            !program_->session.was_given("ny")) {
            program_->resize({nx, ny, program_->simulation.box.nz});
        }
    }

    void choose_body(double x, double y, double size) {
        choose("body_x", x);
        choose("body_y", y);
        choose("body_size", size);
        choose("probe_x", body_.x + 2.5 * size);
        choose("probe_y", body_.y);
    }

    /// A stream from left to right around a body; `wall` says whether there are walls that hold it.
    void begin_stream(double reynolds, bool wall) {
        if (program_->session.was_given("cell_size")) {
            throw workbook::InputError(
                "--cell-size: in this scene the cylinder is 0.1 wide; --resolution says how many "
                "cells that is");
        }
        fluid_.h = cylinder_diameter / resolution_;
        choose("nu", channel_nu);
        choose("reynolds", reynolds);
        const double mean = channel_speed(program_->description.parameter("reynolds"), fluid_.nu);
        choose("left", 1);
        choose("right", 2);
        choose("profile", wall ? 1 : 0);
        choose("inflow", wall ? 1.5 * mean : mean);
        choose("slip_above", wall ? 0 : 1);
        choose("slip_below", wall ? 0 : 1);
        choose("tolerance", 1e-8);
        choose("stripes", 0);
        choose("rake", 12);
        const double fast = std::abs(program_->description.parameter("inflow"));
        if (!program_->session.was_given("dt") && fast > 0.0) {
            program_->simulation.dt = fluid_.h / fast;
        }
        for (workbook::ShownField& field : program_->description.fields) {
            field.full_at = field.name == "vorticity" && mean > 0.0
                                ? static_cast<float>(2.5 * mean / cylinder_diameter)
                                : field.full_at;
        }
    }

    /// Applies what has been chosen, and fills the box with what enters.
    void fill(bool kicks) {
        apply_();
        place_now();
        is_painting_ = shape_.chosen == static_cast<int>(BodyShape::PAINTED);
        const double fast = program_->description.parameter("inflow");
        if (body_.size > 0.0) {
            fill_and_kick(fluid_, body_, kicks ? fast : 0.0);
        }
    }

    void add_scenes() {
        for (workbook::OwnScene& scene : program_->description.scenes) {
            scene.name = scene.name == "channel" ? "stream" : scene.name;  // 15_viscosity's
        }
        const auto add = [&](const std::string& name, const std::string& meaning, auto begin) {
            program_->description.scenes.push_back({name, meaning, begin});
        };
        add("channel", "a cylinder in a channel (Schaefer and Turek)", [this] {
            const auto [nx, ny] = channel_cells(resolution_);
            choose_box(nx, ny);
            begin_stream(100.0, true);
            choose_body(cylinder_place, cylinder_place, cylinder_diameter);
            fill(true);
        });
        add("wide", "the same far from all walls, which slip", [this] {
            choose_box(22 * resolution_, 20 * resolution_);
            begin_stream(100.0, false);
            const double quarter = 0.25 * fluid_.h * fluid_.nx;
            choose_body(std::min(6.0 * cylinder_diameter, quarter), 0.5 * fluid_.h * fluid_.ny,
                        cylinder_diameter);
            fill(true);
        });
        add("paint", "a stream without a body: paint one", [this] {
            choose_box(22 * resolution_, 8 * resolution_);
            begin_stream(100.0, false);
            choose_body(0.0, 0.0, 0.0);
            apply_();
            for (int k = 0; k < fluid_.nz; ++k) {
                for (int j = 0; j < fluid_.ny; ++j) {
                    for (int i = 0; i <= fluid_.nx; ++i) {
                        fluid_.u(i, j, k) = fluid_.u_given(0, j, k);
                    }
                }
            }
            set_bnd(fluid_);
            change_mode();
        });
        add("piston", "a block across a closed box, which moves", [this] {
            const double height = fluid_.h * fluid_.ny;
            choose("shape", 1);
            choose_body(0.3 * fluid_.h * fluid_.nx, 0.5 * height, height);
            choose("body_velocity_x", 0.05 * fluid_.h * fluid_.nx);
            choose("rake", 0);
            fill(false);
        });
    }

    // ---- The state file ------------------------------------------------------------------------

    void add_state() {
        using Value = std::function<double*(int, int, int)>;
        const auto in_cell = [this](auto value) {
            return [this, value](int i, int j, int k) {
                return fluid_.solid.has(i, j, k) ? value(i, j, k) : nullptr;
            };
        };
        program_->description.state.push_back({"solid", Value(in_cell([this](int i, int j, int k) {
                                                   return &fluid_.solid(i, j, k);
                                               }))});
        program_->description.state.push_back(
            {"painted", Value(in_cell([this](int i, int j, int) {
                 const auto cells =
                     static_cast<std::size_t>(fluid_.nx) * static_cast<std::size_t>(fluid_.ny);
                 const auto cell =
                     static_cast<std::size_t>(i) +
                     static_cast<std::size_t>(fluid_.nx) * static_cast<std::size_t>(j);
                 saved_painted_.resize(cells);
                 saved_painted_[cell] = cell < painted_.size() && painted_[cell] ? 1.0 : 0.0;
                 return &saved_painted_[cell];
             }))});
        const auto rows_of = [this](const std::string& name, auto value_of, int rows) {
            program_->description.state.push_back(
                {name, [this, value_of, rows](int i, int j, int k) -> double* {
                     const int row = i + (fluid_.nx + 1) * (j + (fluid_.ny + 1) * k);
                     return row < rows ? value_of(row) : nullptr;
                 }});
        };
        rows_of(
            "body",
            [this](int n) {
                if (n == 0) {  // each only in its own row: a file is read through these, too
                    saved_shape_ = shape_.chosen;
                } else if (n == 7) {
                    saved_rake_ = rake_;
                }
                const std::array<double*, 8> values = {&saved_shape_, &body_.x,    &body_.y,
                                                       &body_.size,   &angle_,     &drift_x_,
                                                       &drift_y_,     &saved_rake_};
                return values[n];
            },
            8);
        rows_of(
            "probe", [this](int n) { return n == 0 ? &probe_x_ : &probe_y_; }, 2);
        rows_of(
            "loads",
            [this](int n) {
                return n == 0 ? &now_.drag : n == 1 ? &now_.lift : &now_.pressure_drop;
            },
            3);
        program_->simulation.refuse_state = [this, refuse = program_->simulation.refuse_state] {
            const std::string reason = refuse();  // it opens the sides of the box, and has the turn
            return reason.empty() ? restore() : reason;
        };
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        const auto is_switch = [](double value) { return value == 0.0 || value == 1.0; };
        const auto& solid = fluid_.solid.values;
        if (!std::all_of(solid.begin(), solid.end(), is_switch)) {
            return "solid must be 1 for a solid cell, else 0";
        }
        if (!std::all_of(saved_painted_.begin(), saved_painted_.end(), is_switch)) {
            return "painted must be 1 for a cell that is painted solid, else 0";
        }
        if (saved_shape_ != std::floor(saved_shape_) || saved_shape_ < 0.0 || saved_shape_ > 4.0) {
            return "the first row of body, its shape, must be 0, 1, 2, 3 or 4";
        }
        if (!(body_.size >= 0.0)) {
            return "the fourth row of body, its size, must not be negative";
        }
        if (!(0.0 <= saved_rake_ && saved_rake_ <= 1000.0)) {
            return "the eighth row of body, the threads of the rake, must be a number from 0 to "
                   "1000";
        }
        shape_.chosen = static_cast<int>(saved_shape_);
        rake_ = static_cast<int>(saved_rake_);
        painted_.assign(saved_painted_.begin(), saved_painted_.end());
        const std::vector<Body> found = bodies();
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {  // a solid cell that no body covers is painted
                const auto covering = [&](const Body& body) {
                    return covers(body, fluid_, i, j, 0);
                };
                if (fluid_.solid(i, j, 0) == 1.0 &&
                    std::none_of(found.begin(), found.end(), covering)) {
                    painted_[static_cast<std::size_t>(i) + fluid_.nx * j] = true;
                }
            }
        }
        const bool reflects_next = fluid_.reflects_next;
        mark_solids(fluid_);
        fluid_.reflects_next = reflects_next;
        must_place_ = true;
        return "";
    }

    Fluid& fluid_;
    workbook::BoxWindow& window_;
    std::function<void()> apply_;
    workbook::Program* program_ = nullptr;
    workbook::Choice shape_{0, {"circle", "square", "aerofoil", "painted", "sphere"}};
    Body body_;
    double angle_ = 0.0;  ///< in degrees
    double drift_x_ = 0.0, drift_y_ = 0.0;  ///< how fast it moves by itself
    double pending_x_ = 0.0, pending_y_ = 0.0;  ///< how far the hand has gone ahead of it
    std::vector<bool> painted_;
    std::vector<Body> placed_;  ///< in the last step
    bool must_place_ = true;
    bool is_grabbed_ = false, is_painting_ = false, plots_ = true, ends_pair_ = false;
    int resolution_ = 10, rake_ = 0;
    double probe_x_ = 0.0, probe_y_ = 0.0;
    Coefficients now_;
    std::vector<float> lifts_;
    std::set<std::string> reported_;
    double saved_shape_ = 0.0, saved_rake_ = 0.0;
    std::vector<double> saved_painted_;
};
