// The sides of the box and what flows through them.
//
//     Openings openings(window);        // flags, readouts, columns of the state file, the mouse
//     openings.add_dye()                // for scenes: stripes of dye where fluid enters
//     window.history_columns = openings.columns();
// A scene opens a side by window.set("left", 1): 0 is closed, 1 an inflow, 2 an outflow; and sets
// "inflow" (a speed), "profile" (0 uniform, 1 parabolic) and "stripes". Then it calls
// window.apply().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "common/draw/faces.hpp"
#include "window/inflow.hpp"
#include "window/measures.hpp"
#include "window/sides.hpp"
#include "window/window.hpp"

/// What a window can do with the openings of its fluid. It must stay where it is.
template <class Fluid>
class Openings {
    using Opening = decltype(Fluid{1, 1, 1}.sides[0].opening);

  public:
    explicit Openings(Window<Fluid>& window) : window_(window), fluid_(window.fluid) {
        for (workbook::Choice& side : sides_) {
            side.names = {"closed", "inflow", "outflow"};
        }
        add_parameters();
        add_readouts();
        add_state();
        window.apply.add([this] { tell_fluid(); });
        window.after_step.add([this](double) {
            add_dye();
            report_defect();
        });
        window.on_stroke.add([this](const workbook::Stroke& stroke) { paint(stroke); });
        window.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            draw(picture, view);
        });
    }
    Openings(const Openings&) = delete;  // the window refers to it
    Openings& operator=(const Openings&) = delete;

    /// The columns of --history.
    std::vector<workbook::Readout> columns() const {
        return {{"kinetic_energy", [this] { return kinetic_energy(fluid_); }},
                {"inflow", [this] { return passing(fluid_).in; }},
                {"outflow", [this] { return passing(fluid_).out; }}};
    }

    /// Dyes every second stripe of what enters next to an inflow's faces: what comes from outside
    /// has no dye, so nobody would see it.
    void add_dye() {
        for (int side = 0; side < 6; ++side) {
            if (fluid_.sides[side].opening == Opening::INFLOW && stripes_ > 0) {
                add_dye(side);
            }
        }
    }

  private:
    /// Tells the fluid which of its sides are open. What has been painted on an inflow stays, until
    /// another speed is asked for. A side that changes makes it another box, and then the pressure
    /// of the last one has no meaning.
    void tell_fluid() {
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
                close_side(fluid_, side, wanted);
                across(side) = 0.0;
            }
            is_other_box = is_other_box || is_new;
        }
        if (is_other_box) {
            std::fill(fluid_.pressure.values.begin(), fluid_.pressure.values.end(), 0.0);
        }
    }

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

    void add_dye(int side) {
        const auto& faces = given_on(fluid_, side);
        const int points = side < 2 ? fluid_.ny : fluid_.nx;
        const bool far = side % 2 == 1;
        for_each_on_side(fluid_.density, side, [&](int i, int j, int k) {
            const double velocity =
                faces(i + (side == 1 ? 1 : 0), j + (side == 3 ? 1 : 0), k + (side == 5 ? 1 : 0));
            const double inwards = far ? -velocity : velocity;
            const int stripe = (2 * stripes_ + 1) * (side < 2 ? j : i) / points;
            if (inwards > 0.0 && stripe % 2 == 1) {
                fluid_.density(i, j, k) = 1.0;
            }
        });
    }

    /// What enters, less what leaves. Each is a sum of many numbers: their rounding is not shown.
    double net() const {
        const Passing found = passing(fluid_);
        const double difference = found.in - found.out;
        return std::abs(difference) > 1e-9 * (found.in + found.out) ? difference : 0.0;
    }

    /// Returns whether the reader wants a side to be that.
    bool has(Opening opening) const {
        return std::any_of(sides_.begin(), sides_.end(), [opening](const auto& side) {
            return side.chosen == static_cast<int>(opening);
        });
    }

    /// Says so where more enters than leaves, or less, and no outflow lets the rest pass.
    void report_defect() {
        if (has(Opening::OUTFLOW) || net() == 0.0) {
            return;
        }
        const Passing found = passing(fluid_);
        const std::string words =
            "in " + workbook::in_words(found.in) + ", out " + workbook::in_words(found.out) +
            ", and no side is an outflow, so divergence stays: try --right outflow";
        window_.program.screen.say(words);
        if (!has_warned_) {
            std::cerr << window_.program.description.name << ": " << words << "\n";
            has_warned_ = true;
        }
    }

    /// A drag over the cells of an inflow changes the velocity that it is given: a tenth as much as
    /// that of other faces, since it stays.
    void paint(const workbook::Stroke& stroke) {
        const int i = stroke.i, j = stroke.j, k = window_.box.layer;
        if (label_at(fluid_, i, j, k) != Label::FLUID) {
            return;
        }
        const double scale = 0.05 * window_.program.description.parameter("velocity_add_scale");
        const double x = scale * stroke.dx * fluid_.h * fluid_.nx;
        const double y = scale * stroke.dy * fluid_.h * fluid_.ny;
        const bool is_at[] = {i == 0, i == fluid_.nx - 1, j == 0, j == fluid_.ny - 1};
        for (int side = 0; side < 4; ++side) {
            if (is_at[side] && fluid_.sides[side].opening == Opening::INFLOW) {
                auto& faces = given_on(fluid_, side);
                faces(i + (side == 1 ? 1 : 0), j + (side == 3 ? 1 : 0), k) += side < 2 ? x : y;
            }
        }
    }

    /// Draws the sides that are open: a green line along an inflow, a blue one along an outflow.
    void draw(workbook::Picture& picture, const workbook::View& view) const {
        const int left = static_cast<int>(view.left);
        const int top = static_cast<int>(view.top);
        const int width = static_cast<int>(view.cell * static_cast<float>(view.columns));
        const int height = static_cast<int>(view.cell * static_cast<float>(view.rows));
        const int thick = picture.scaled(5);
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

    void add_parameters() {
        const auto has_inflow = [this] { return has(Opening::INFLOW); };
        window_.add({"inflow", &speed_, "speed with which fluid enters at an inflow", 1e9, -1e9},
                    has_inflow);
        window_.add({"profile", &profile_, "how the speed varies over an inflow"}, has_inflow);
        window_.add({"stripes", &stripes_, "how many stripes of dye enter at an inflow", 1000.0},
                    has_inflow);
        for (int side = 0; side < 6; ++side) {
            window_.add({side_names[side], &sides_[side], "what that side of the box is"},
                        [this, side] { return side < 4 || window_.program.simulation.box.nz > 1; });
        }
    }

    void add_readouts() {
        const auto is_open = [this] { return has(Opening::INFLOW) || has(Opening::OUTFLOW); };
        window_.add({"in", [this] { return passing(fluid_).in; }, true, is_open});
        window_.add({"in - out", [this] { return net(); }, true, is_open});
    }

    /// The velocities of inflows; what the sides are, in the first six rows; and the stripes.
    void add_state() {
        window_.save("u_given", fluid_.u_given);
        window_.save("v_given", fluid_.v_given);
        window_.save("w_given", fluid_.w_given);
        window_.save_rows("opening", 6, [this](int side) {
            saved_[side] = sides_[side].chosen;
            return &saved_[side];
        });
        window_.save_rows("stripes", 1, [this](int) {
            saved_stripes_ = stripes_;
            return &saved_stripes_;
        });
        window_.refuse_state.add([this] { return restore(); });
        window_.refuse_save.add([this] {  // asked before anything is saved
            tell_fluid();
            return std::string();
        });
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        for (int side = 0; side < 6; ++side) {
            if (saved_[side] != 0.0 && saved_[side] != 1.0 && saved_[side] != 2.0) {
                return "opening must be 0 for a closed side, 1 for an inflow, 2 for an outflow";
            }
            sides_[side].chosen = static_cast<int>(saved_[side]);
            const auto opening = static_cast<Opening>(sides_[side].chosen);
            if (opening == Opening::INFLOW) {
                fluid_.sides[side].opening = opening;
            } else {
                close_side(fluid_, side, opening);
            }
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
        return "";
    }

    Window<Fluid>& window_;
    Fluid& fluid_;
    std::array<workbook::Choice, 6> sides_;  ///< what the reader asks for
    workbook::Choice profile_{0, {"uniform", "parabolic"}};
    double speed_ = 16.0;
    int stripes_ = 4;
    std::array<double, 6> saved_ = {};
    double saved_stripes_ = 0.0;
    bool has_warned_ = false;
};
