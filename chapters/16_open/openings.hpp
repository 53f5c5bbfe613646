// The sides of the box and what flows through them, for the windows of this chapter and of those
// that follow.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "11_mac/measures.hpp"
#include "14_sharp/flows.hpp"
#include "16_open/inflow.hpp"
#include "common/app/box.hpp"
#include "common/app/program.hpp"

/// What a window can do with the openings of its fluid: flags, scenes, readouts, columns of the
/// state file, the mouse at an inflow.
template <class Fluid>
class Openings {
    using Opening = decltype(Fluid{1, 1, 1}.sides[0].opening);

  public:
    Openings(Fluid& fluid, const workbook::BoxWindow& window) : fluid_(fluid), window_(window) {
        for (workbook::Choice& side : sides_) {
            side.names = {"closed", "inflow", "outflow"};
        }
    }

    /// Tells the fluid which of its sides are open. What has been painted on an inflow stays, until
    /// another speed is asked for. A side that changes makes it another box, and then the pressure
    /// of the last one has no meaning.
    void apply() {
        bool is_other_box = false;
        for (int side = 0; side < 6; ++side) {
            auto& opening = fluid_.sides[side].opening;
            const auto wanted = static_cast<Opening>(sides_[side].chosen);
            const double speed = side % 2 == 1 ? -speed_ : speed_;
            const bool is_new = opening != wanted;
            if (wanted == Opening::INFLOW &&
                (is_new || across(side) != speed || is_filled(side, other_profile()))) {
                set_inflow(fluid_, side, speed_, static_cast<Profile>(profile_.chosen));
                across(side) = speed;
            } else if (is_new) {
                opening = wanted;
                across(side) = 0.0;
            }
            is_other_box = is_other_box || is_new;
        }
        if (is_other_box) {
            std::fill(fluid_.pressure.values.begin(), fluid_.pressure.values.end(), 0.0);
            mark_outflows(fluid_);
        }
        show_readouts();
    }

    /// Adds all this to the program, which must have its own parameters, scenes and readouts
    /// already. All three must stay where they are.
    void connect(workbook::Program& program) {
        program_ = &program;
        add_parameters();
        add_state();
        add_scenes();
        program.description.readouts.push_back(
            {"in", [this] { return passing(fluid_).in; }, false});
        program.description.readouts.push_back({"in - out", [this] { return net(); }, false});
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            const bool is_usual = box == workbook::Box{96, 32, 1};
            return is_usual ? workbook::Start{"poiseuille", 1.0 / 60.0, true} : start(box);
        };
        program.simulation.step = [this, step = program.simulation.step](double dt) {
            apply();
            step(dt);
            add_dye();
            report_defect();
        };
        program.simulation.stroke =
            [this, apply_stroke = program.simulation.stroke](const workbook::Stroke& stroke) {
                paint(stroke);
                apply_stroke(stroke);
            };
    }

    /// The columns of --history.
    std::vector<workbook::Readout> columns() const {
        return {{"kinetic_energy", [this] { return kinetic_energy(fluid_); }},
                {"inflow", [this] { return passing(fluid_).in; }},
                {"outflow", [this] { return passing(fluid_).out; }}};
    }

    /// Draws the sides that are open: a green line along an inflow, a blue one along an outflow.
    void draw(workbook::Picture& picture, const workbook::View& view) const {
        const int left = static_cast<int>(view.left);
        const int top = static_cast<int>(view.top);
        const int width = static_cast<int>(view.cell * static_cast<float>(view.columns));
        const int height = static_cast<int>(view.cell * static_cast<float>(view.rows));
        const int thick = 5;
        const std::array<workbook::Rectangle, 4> lines = {
            {{left, top, thick, height},
             {left + width - thick, top, thick, height},
             {left, top, width, thick},
             {left, top + height - thick, width, thick}}};
        for (int side = 0; side < 4; ++side) {
            const auto opening = fluid_.sides[side].opening;
            if (opening != Opening::CLOSED) {
                const auto& line = lines[side];
                picture.rectangle(line.x, line.y, line.width, line.height,
                                  opening == Opening::INFLOW ? workbook::Colour{70, 200, 90}
                                                             : workbook::Colour{80, 150, 255});
            }
        }
    }

  private:
    static constexpr std::array<const char*, 6> names = {"left",  "right",  "above",
                                                         "below", "before", "behind"};

    /// The velocity outside a side, across it. An inflow has its speed there, with the sign of the
    /// axis.
    double& across(int side) {
        auto& velocity = fluid_.sides[side].velocity;
        return side < 2 ? velocity.x : side < 4 ? velocity.y : velocity.z;
    }

    Profile other_profile() const {
        return profile_.chosen == 0 ? Profile::PARABOLIC : Profile::UNIFORM;
    }

    /// Returns whether an inflow has just the velocities of that profile: nothing has been painted.
    bool is_filled(int side, Profile profile) {
        const auto& faces = given_on(fluid_, side);
        const double speed = side % 2 == 1 ? -across(side) : across(side);
        bool is_filled = true;
        for_each_on_side(faces, side, [&](int i, int j, int k) {
            is_filled =
                is_filled && faces(i, j, k) == inflow_at(fluid_, side, speed, profile, i, j, k);
        });
        return is_filled;
    }

    /// What enters, less what leaves. Each is a sum of many numbers: their rounding is not shown.
    double net() const {
        const Passing found = passing(fluid_);
        const double difference = found.in - found.out;
        return std::abs(difference) > 1e-9 * (found.in + found.out) ? difference : 0.0;
    }

    void show_readouts() {
        const bool is_closed = std::all_of(sides_.begin(), sides_.end(),
                                           [](const auto& side) { return side.chosen == 0; });
        for (workbook::Readout& readout : program_->description.readouts) {
            if (readout.name == "in" || readout.name == "in - out") {
                readout.shown = !is_closed;
            }
        }
    }

    void add_parameters() {
        for (int side = 0; side < 6; ++side) {
            program_->description.parameters.push_back(
                {names[side], &sides_[side], "what that side of the box is"});
        }
        program_->description.parameters.push_back(
            {"inflow", &speed_, "speed with which fluid enters at an inflow", 1e9, -1e9});
        program_->description.parameters.push_back(
            {"profile", &profile_, "how the speed varies over an inflow"});
        program_->description.parameters.push_back(
            {"stripes", &stripes_, "how many stripes of dye enter at an inflow", 1000.0});
    }

    /// Dyes every second stripe of what enters next to an inflow's faces: what comes from outside
    /// has no dye, so nobody would see it.
    void add_dye() {
        for (int side = 0; side < 6; ++side) {
            const auto& faces = given_on(fluid_, side);
            if (fluid_.sides[side].opening != Opening::INFLOW || stripes_ == 0) {
                continue;
            }
            const int points = side < 2 ? fluid_.ny : fluid_.nx;
            for_each_on_side(fluid_.density, side, [&](int i, int j, int k) {
                const bool far = side % 2 == 1;
                const double velocity = faces(i + (far && side < 2), j + (far && side / 2 == 1),
                                              k + (far && side >= 4));
                const int stripe = (2 * stripes_ + 1) * (side < 2 ? j : i) / points;
                if ((far ? -velocity : velocity) > 0.0 && stripe % 2 == 1) {
                    fluid_.density(i, j, k) = 1.0;
                }
            });
        }
    }

    /// Says so where more enters than leaves, or less, and no outflow lets the rest pass.
    void report_defect() {
        const bool has_outflow = std::any_of(sides_.begin(), sides_.end(),
                                             [](const auto& side) { return side.chosen == 2; });
        if (has_outflow || net() == 0.0) {
            return;
        }
        const Passing found = passing(fluid_);
        const std::string words =
            "in " + workbook::in_words(found.in) + ", out " + workbook::in_words(found.out) +
            ", and no side is an outflow, so divergence stays: try --right outflow";
        program_->screen.say(words);
        if (!has_warned_) {
            std::cerr << program_->description.name << ": " << words << "\n";
            has_warned_ = true;
        }
    }

    /// A drag over the cells of an inflow changes the velocity that it is given: a tenth as much as
    /// that of other faces, since it stays.
    void paint(const workbook::Stroke& stroke) {
        const int i = stroke.i, j = stroke.j, k = window_.layer;
        if (!is_fluid(fluid_.density, i, j, k)) {
            return;
        }
        const double scale = 0.05 * program_->description.parameter("velocity_add_scale");
        const double x = scale * stroke.dx * fluid_.h * fluid_.nx;
        const double y = scale * stroke.dy * fluid_.h * fluid_.ny;
        const bool is_at[] = {i == 0, i == fluid_.nx - 1, j == 0, j == fluid_.ny - 1};
        for (int side = 0; side < 4; ++side) {
            if (is_at[side] && fluid_.sides[side].opening == Opening::INFLOW) {
                given_on(fluid_, side)(i + (side == 1), j + (side == 3), k) += side < 2 ? x : y;
            }
        }
    }

    /// The velocities of inflows; what the sides are, in the first six rows; and the stripes.
    void add_state() {
        const auto field = [&](const std::string& name, auto& given) {
            program_->description.state.push_back({name, [&given](int i, int j, int k) -> double* {
                                                       return given.has(i, j, k) ? &given(i, j, k)
                                                                                 : nullptr;
                                                   }});
        };
        field("u_given", fluid_.u_given);
        field("v_given", fluid_.v_given);
        field("w_given", fluid_.w_given);
        const auto row_of = [this](int i, int j, int k) {
            return i + (fluid_.nx + 1) * (j + (fluid_.ny + 1) * k);
        };
        program_->description.state.push_back(
            {"opening", [this, row_of](int i, int j, int k) -> double* {
                 const int side = row_of(i, j, k);
                 if (side >= 6) {
                     return nullptr;
                 }
                 saved_[side] = sides_[side].chosen;
                 return &saved_[side];
             }});
        program_->description.state.push_back({"stripes", [this, row_of](int i, int j, int k) {
                                                   if (row_of(i, j, k) != 0) {
                                                       return static_cast<double*>(nullptr);
                                                   }
                                                   saved_stripes_ = stripes_;
                                                   return &saved_stripes_;
                                               }});
        program_->simulation.refuse_state = [this, refuse = program_->simulation.refuse_state] {
            const std::string reason = restore();
            return reason.empty() ? refuse() : reason;
        };
        program_->simulation.why_no_save = [this] {  // asked before anything is saved
            apply();
            return std::string();
        };
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        for (int side = 0; side < 6; ++side) {
            if (saved_[side] != 0.0 && saved_[side] != 1.0 && saved_[side] != 2.0) {
                return "opening must be 0 for a closed side, 1 for an inflow, 2 for an outflow";
            }
            sides_[side].chosen = static_cast<int>(saved_[side]);
            fluid_.sides[side].opening = static_cast<Opening>(sides_[side].chosen);
        }
        if (!(0.0 <= saved_stripes_ && saved_stripes_ <= 1000.0)) {
            return "stripes must be a number from 0 to 1000";
        }
        stripes_ = static_cast<int>(saved_stripes_);
        profile_.chosen = 0;
        for (int side = 0; side < 6; ++side) {
            if (fluid_.sides[side].opening == Opening::INFLOW) {
                speed_ = side % 2 == 1 ? -across(side) : across(side);
                profile_.chosen = is_filled(side, Profile::PARABOLIC) ? 1 : 0;
            }
        }
        mark_outflows(fluid_);
        return "";
    }

    /// Chooses what a side is, unless a flag does.
    void choose(int side, Opening opening) {
        if (!program_->session.was_given(names[side])) {
            sides_[side].chosen = static_cast<int>(opening);
        }
    }

    void add_scenes() {
        const auto add = [&](const std::string& name, const std::string& meaning, auto begin) {
            program_->description.scenes.push_back({name, meaning, [this, begin] {
                                                        begin();
                                                        add_dye();
                                                        set_bnd(fluid_);
                                                    }});
        };
        add("poiseuille", "a stream between two walls", [this] {
            begin_stream(Profile::PARABOLIC, 0.25);
            const double reynolds = program_->description.parameter("reynolds");
            if (!program_->session.was_given("nu")) {
                fluid_.nu = std::abs(speed_) * fluid_.h * fluid_.nx / reynolds;
            }
            for (int k = 0; k < fluid_.nz; ++k) {
                for (int j = 0; j < fluid_.ny; ++j) {
                    for (int i = 0; i <= fluid_.nx; ++i) {
                        fluid_.u(i, j, k) = fluid_.u_given(0, j, k);
                    }
                }
            }
        });
        add("nozzle", "a jet into a room that is open on three sides", [this] {
            choose(2, Opening::OUTFLOW);
            choose(3, Opening::OUTFLOW);
            begin_stream(Profile::UNIFORM, 0.5);
            for_each_on_side(fluid_.u_given, 0, [&](int i, int j, int k) {
                if (std::abs(2 * j + 1 - fluid_.ny) > std::max(1, fluid_.ny / 5)) {
                    fluid_.u_given(i, j, k) = 0.0;
                }
            });
            stripes_ = program_->session.was_given("stripes") ? stripes_ : 1;
        });
        add("tank", "a box without a lid, and weight", [this] {
            choose(2, Opening::OUTFLOW);
            apply();
            fluid_.nu = program_->session.was_given("nu") ? fluid_.nu : 0.0;
            if (!program_->session.was_given("force_y")) {
                fluid_.force_y = fluid_.h * fluid_.ny;
            }
            set_dye(fluid_, [](double, double y) { return y > 0.5; });
        });
    }

    /// Makes the left side an inflow, whose speed is in widths of the box, and the right one an
    /// outflow, unless flags say otherwise.
    void begin_stream(Profile profile, double speed) {
        choose(0, Opening::INFLOW);
        choose(1, Opening::OUTFLOW);
        if (!program_->session.was_given("profile")) {
            profile_.chosen = static_cast<int>(profile);
        }
        if (!program_->session.was_given("inflow")) {
            speed_ = speed * fluid_.h * fluid_.nx;
        }
        apply();
    }

    Fluid& fluid_;
    const workbook::BoxWindow& window_;
    workbook::Program* program_ = nullptr;
    std::array<workbook::Choice, 6> sides_;  ///< what the reader asks for
    workbook::Choice profile_{0, {"uniform", "parabolic"}};
    double speed_ = 16.0;
    int stripes_ = 4;
    std::array<double, 6> saved_ = {};
    double saved_stripes_ = 0.0;
    bool has_warned_ = false;
};
