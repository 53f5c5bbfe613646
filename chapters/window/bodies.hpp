// Bodies in the fluid: which there are, where they are after each step, and what is saved of them.
//
//     Bodies bodies(window);              // after Walls and Openings: flags, state, the rake of
//     dye Hand hand(window, bodies);          // window/hand.hpp: the mouse drags the body or
//     paints Forces forces(window, bodies, walls);  // window/forces.hpp: drag, lift, the probe
//     show_solids(window);                // window/solids.hpp: how solid cells look
// A scene sets "shape", "body_x" and so on by window.set, and calls bodies.place().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <iterator>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "common/draw/faces.hpp"
#include "window/inflow.hpp"
#include "window/loads.hpp"
#include "window/measures.hpp"
#include "window/shapes.hpp"
#include "window/window.hpp"

/// The body of the chosen shape, which flags place and which may move, and cells that are painted
/// solid. Before each step the fluid is told of them. It must stay where it is.
template <class Fluid>
class Bodies {
  public:
    /// The body has moved for a step of dt, and the fluid has not yet.
    workbook::Actions<double> at_move;

    explicit Bodies(Window<Fluid>& window) : window_(window), fluid_(window.fluid) {
        add_parameters();
        add_state();
        window.at_reset.add([this](workbook::Box) { begin(); });
        window.before_step.add([this](double dt) {
            move(dt);
            at_move(dt);
            if (must_place_) {
                place_bodies(fluid_, all());
            }
        });
        window.after_step.add([this](double) {
            if (rake_ > 0) {
                rake(fluid_, std::min(2, fluid_.nx - 1), rake_);
            }
            report();
        });
    }
    Bodies(const Bodies&) = delete;  // the window refers to it
    Bodies& operator=(const Bodies&) = delete;

    // ---- What there is -------------------------------------------------------------------------

    /// Whether there is a body of the chosen shape. What is painted has no size to divide by.
    bool has_body() const { return body_.size > 0.0 && !is_painted(); }

    /// The shape "painted": there is nothing but painted cells.
    bool is_painted() const { return shape_.chosen == static_cast<int>(BodyShape::PAINTED); }

    /// Where the body is, how large, and how fast it moves. (Its shape and angle are in all().)
    const Body& body() const { return body_; }

    /// How fast it moves by itself, without a hand.
    double drift() const { return std::hypot(drift_x_, drift_y_); }

    /// The body of the chosen shape, and what is painted.
    std::vector<Body> all() const {
        std::vector<Body> found;
        if (has_body()) {
            found.push_back(body_);
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

    // ---- What can be done with it --------------------------------------------------------------

    /// Makes the fluid's solids what the bodies are, without waiting for a step.
    void place() {
        placed_ = all();
        place_bodies(fluid_, placed_);
        must_place_ = true;
    }

    /// Takes the next shape of the first four.
    void change_shape() {
        shape_.chosen = (shape_.chosen + 1) % 4;
        place();
    }

    /// Pulls the body along. It follows in the next steps, two cells a step at most.
    void pull(double dx, double dy) {
        pending_x_ += dx;
        pending_y_ += dy;
    }

    /// Whether it has not yet come to where it is pulled.
    bool is_pulled() const { return pending_x_ != 0.0 || pending_y_ != 0.0; }

    /// Makes those cells solid or fluid for which `is_meant` is true.
    void paint(const std::function<bool(int i, int j)>& is_meant, bool solid) {
        painted_.resize(static_cast<std::size_t>(fluid_.nx) * fluid_.ny, false);
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {
                if (is_meant(i, j)) {
                    painted_[cell(i, j)] = solid;
                }
            }
        }
        place();
    }

  private:
    static constexpr double most_cells = 2.0;  ///< that a hand moves the body in a step

    /// A new fluid is there. Only a body that flags ask for is in it.
    void begin() {
        painted_.clear();
        body_.size = window_.program.session.was_given("body_size") ? body_.size : 0.0;
        placed_.clear();
        must_place_ = true;
        pending_x_ = 0.0;
        pending_y_ = 0.0;
    }

    /// Moves the body as fast as it drifts, and after the hand that pulls it.
    void move(double dt) {
        const double far = std::hypot(pending_x_, pending_y_);
        const double most = most_cells * fluid_.h;
        const double share = far > most ? most / far : 1.0;
        const double x = share * pending_x_;
        const double y = share * pending_y_;
        body_.velocity_x = drift_x_ + x / dt;
        body_.velocity_y = drift_y_ + y / dt;
        body_.x += dt * body_.velocity_x;
        body_.y += dt * body_.velocity_y;
        pending_x_ -= x;
        pending_y_ -= y;
        must_place_ = must_place_ || !same(all(), placed_);
        placed_ = all();
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

    std::size_t cell(int i, int j) const {
        return static_cast<std::size_t>(i) + static_cast<std::size_t>(fluid_.nx) * j;
    }

    // ---- What cannot be right ------------------------------------------------------------------

    /// Says in a line why the flow cannot be what it should be, if so; on stderr, too, but once.
    void report() {
        const std::string words = trouble();
        if (words.empty()) {
            return;
        }
        window_.program.screen.say(words);
        const bool is_new = reported_.insert(words.substr(0, 20)).second;
        if (is_new) {
            std::cerr << window_.program.description.name << ": " << words << "\n";
        }
    }

    std::string trouble() const {
        const double solid_cells = total(fluid_.solid);
        if (has_body() && !covers_any(all()[0])) {
            return "the body covers no cell: it lies outside of the box, or is smaller than a cell";
        }
        if (solid_cells == static_cast<double>(fluid_.solid.values.size())) {
            return "the solids fill the box: no fluid is left";
        }
        if (solid_cells > 0.0 && fluid_.compatibility_defect > 1e-6 && !is_told_by_sides() &&
            largest_divergence_of_fluid(fluid_) * fluid_.h > 1e-6 * fastest()) {
            return "more is pushed into a closed part of the fluid than leaves it (compatibility "
                   "defect " +
                   workbook::in_few_words(fluid_.compatibility_defect) +
                   "), so divergence stays: open a way out";
        }
        return "";
    }

    /// Whether the sides of the box say already that more enters than leaves: see Openings.
    bool is_told_by_sides() const {
        const auto is_outflow = [](const auto& side) { return side.opening == Opening::OUTFLOW; };
        const bool has_outflow =
            std::any_of(std::begin(fluid_.sides), std::end(fluid_.sides), is_outflow);
        const Passing found = passing(fluid_);
        return !has_outflow && std::abs(found.in - found.out) > 1e-9 * (found.in + found.out);
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

    // ---- Flags and the state file --------------------------------------------------------------

    void add_parameters() {
        const auto applies = [this] { return has_body(); };
        window_.add({"shape", &shape_, "of the body"});
        window_.add({"body_size", &body_.size, "its diameter, side or chord", 1e9});
        window_.add({"body_x", &body_.x, "its middle, from the left", 1e9, -1e9}, applies);
        window_.add({"body_y", &body_.y, "its middle, from above", 1e9, -1e9}, applies);
        window_.add({"body_angle", &angle_, "how far it is turned, in degrees", 1e4, -1e4},
                    applies);
        window_.add({"body_velocity_x", &drift_x_, "of the body, to the right", 1e9, -1e9},
                    applies);
        window_.add({"body_velocity_y", &drift_y_, "of the body, down", 1e9, -1e9}, applies);
        window_.add({"rake", &rake_, "threads of dye near the left side", 1000.0});
    }

    /// Which cells are solid, and which are painted; and in the first eight rows the body.
    void add_state() {
        window_.save("solid", fluid_.solid);
        window_.program.description.state.push_back(
            {"painted", [this](int i, int j, int k) -> double* {
                 if (!fluid_.solid.has(i, j, k)) {
                     return nullptr;
                 }
                 saved_painted_.resize(static_cast<std::size_t>(fluid_.nx) * fluid_.ny);
                 double& saved = saved_painted_[cell(i, j)];
                 saved = painted(i, j) ? 1.0 : 0.0;
                 return &saved;
             }});
        window_.save_rows("body", 8, [this](int row) {
            if (row == 0) {  // each only in its own row: a file is read through these, too
                saved_shape_ = shape_.chosen;
            }
            if (row == 7) {
                saved_rake_ = rake_;
            }
            const std::array<double*, 8> values = {&saved_shape_, &body_.x,    &body_.y,
                                                   &body_.size,   &angle_,     &drift_x_,
                                                   &drift_y_,     &saved_rake_};
            return values[row];
        });
        window_.refuse_state.add([this] { return restore(); });
    }

    bool painted(int i, int j) const {
        return cell(i, j) < painted_.size() && painted_[cell(i, j)];
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        std::string reason = why_not_saved();
        if (!reason.empty()) {
            return reason;
        }
        shape_.chosen = static_cast<int>(saved_shape_);
        rake_ = static_cast<int>(saved_rake_);
        painted_.assign(saved_painted_.begin(), saved_painted_.end());
        paint_what_no_body_covers();
        must_place_ = true;
        return "";
    }

    std::string why_not_saved() const {
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
        return "";
    }

    /// A solid cell that no body covers has been painted.
    void paint_what_no_body_covers() {
        const std::vector<Body> found = all();
        for (int j = 0; j < fluid_.ny; ++j) {
            for (int i = 0; i < fluid_.nx; ++i) {
                const auto covering = [&](const Body& body) {
                    return covers(body, fluid_, i, j, 0);
                };
                if (fluid_.solid(i, j, 0) == 1.0 &&
                    std::none_of(found.begin(), found.end(), covering)) {
                    painted_[cell(i, j)] = true;
                }
            }
        }
    }

    Window<Fluid>& window_;
    Fluid& fluid_;
    workbook::Choice shape_{0, {"circle", "square", "aerofoil", "painted", "sphere"}};
    Body body_;
    double angle_ = 0.0;  ///< in degrees
    double drift_x_ = 0.0, drift_y_ = 0.0;  ///< how fast it moves by itself
    double pending_x_ = 0.0, pending_y_ = 0.0;  ///< how far the hand has gone ahead of it
    std::vector<bool> painted_;  ///< of each column and row; empty: none
    std::vector<Body> placed_;  ///< in the last step
    bool must_place_ = true;
    int rake_ = 0;
    std::set<std::string> reported_;
    double saved_shape_ = 0.0, saved_rake_ = 0.0;
    std::vector<double> saved_painted_;
};
