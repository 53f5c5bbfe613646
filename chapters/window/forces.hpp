// What the flow does to a body: drag, lift and the pressure drop across it; and a probe behind it.
//
//     Forces forces(window, bodies, walls);  // readouts, columns of the state file, the probe
//     forces.add_history();             // drag, lift and pressure drop in --history
//     forces.now().lift                 // of the last step, or of the last pair of steps
#pragma once

#include <array>

#include "common/draw/faces.hpp"
#include "window/bodies.hpp"
#include "window/loads.hpp"
#include "window/walls.hpp"
#include "window/window.hpp"

/// Measures after each step. It must stay where it is.
template <class Fluid>
class Forces {
    using Opening = decltype(Fluid{1, 1, 1}.sides[0].opening);
    using Advection = decltype(Fluid::advection);

  public:
    Forces(Window<Fluid>& window, Bodies<Fluid>& bodies, Walls<Fluid>& walls)
        : window_(window), fluid_(window.fluid), bodies_(bodies) {
        window.add({"probe_x", &probe_x_, "the probe, from the left", 1e9, -1e9},
                   [this] { return bodies_.has_body(); });
        window.add({"probe_y", &probe_y_, "the probe, from above", 1e9, -1e9},
                   [this] { return bodies_.has_body(); });
        add_readouts();
        walls.reynolds = [this, &walls] {
            const double size = bodies_.body().size;
            return size > 0.0 ? speed() * size / fluid_.nu : walls.reynolds_of_box();
        };
        window.save_rows("probe", 2, [this](int row) { return row == 0 ? &probe_x_ : &probe_y_; });
        window.save_rows("loads", 3, [this](int row) {
            const std::array<double*, 3> values = {&now_.drag, &now_.lift, &now_.pressure_drop};
            return values[row];
        });
        window.at_reset.add([this](workbook::Box) {
            now_ = {};
            ends_pair_ = false;
        });
        bodies.at_move.add([this](double dt) { begin_step(dt); });
        window.after_step.add([this](double dt) { measure(dt); });
        window.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            draw_probe(picture, view);
        });
    }
    Forces(const Forces&) = delete;  // the window refers to it
    Forces& operator=(const Forces&) = delete;

    const Coefficients& now() const { return now_; }

    /// Whether there is a body on which they act.
    bool has_body() const { return bodies_.has_body(); }

    /// Has --history write them. Two steps of a pair are measured together, and have one mean.
    void add_history() {
        window_.history_columns = {{"drag", [this] { return now_.drag; }},
                                   {"lift", [this] { return now_.lift; }},
                                   {"pressure_drop", [this] { return now_.pressure_drop; }}};
        window_.history.holds_for_both = [this] { return ends_pair_; };
    }

  private:
    /// The mean speed of the stream: that of an inflow on the left, or of a body that drifts.
    double speed() const {
        const double area = fluid_.h * fluid_.h * fluid_.ny * fluid_.nz;
        const double inflow = passing(fluid_, 0).in / area;
        const bool is_inflow = fluid_.sides[0].opening == Opening::INFLOW;
        return is_inflow && inflow > 0.0 ? inflow : bodies_.drift();
    }

    /// Measures what the step before has done, if it was the first of a pair.
    void begin_step(double dt) {
        has_turn_ = fluid_.reflects_next;
        first_ = has_turn_ ? loads_on(fluid_, bodies_.body(), dt) : Loads{};
    }

    /// Measures what the last step has done. The two steps of a pair, of which the second carries
    /// the reflected velocity, are measured together.
    void measure(double dt) {
        const Loads last = loads_on(fluid_, bodies_.body(), dt);
        const double size = bodies_.has_body() ? bodies_.body().size : 0.0;
        const bool begins_pair = fluid_.reflects_next && !has_turn_;
        ends_pair_ = has_turn_ && !fluid_.reflects_next && fluid_.advection == Advection::REFLECTED;
        if (!begins_pair) {
            const Loads loads = ends_pair_ ? mean_of_pair(first_, last, true) : last;
            now_ = coefficients_of(fluid_, loads, speed(), size);
            now_.pressure_drop = size > 0.0 ? now_.pressure_drop : 0.0;
        }
    }

    void add_readouts() {
        using workbook::without_rounding;
        const auto is_streamed_around = [this] { return bodies_.has_body() && speed() > 0.0; };
        window_.add(
            {"drag", [this] { return without_rounding(now_.drag); }, true, is_streamed_around});
        window_.add(
            {"lift", [this] { return without_rounding(now_.lift); }, true, is_streamed_around});
        window_.add({"v at the probe", [this] { return without_rounding(v_at_probe()); }, true,
                     [this] { return bodies_.has_body(); }});
    }

    double v_at_probe() const {
        const double middle = 0.5 * fluid_.h * fluid_.nz;
        return interpolate(fluid_.v, fluid_.h, {probe_x_, probe_y_, middle});
    }

    void draw_probe(workbook::Picture& picture, const workbook::View& view) const {
        if (bodies_.has_body()) {
            constexpr workbook::Colour white = {255, 255, 255};
            const float x = view.left + view.cell * static_cast<float>(probe_x_ / fluid_.h);
            const float y = view.top + view.cell * static_cast<float>(probe_y_ / fluid_.h);
            const float arm = 6.0f * picture.scale;
            picture.line(x - arm, y, x + arm, y, white);
            picture.line(x, y - arm, x, y + arm, white);
        }
    }

    Window<Fluid>& window_;
    Fluid& fluid_;
    Bodies<Fluid>& bodies_;
    double probe_x_ = 0.0, probe_y_ = 0.0;
    Coefficients now_;
    Loads first_;  ///< of the first step of a pair
    bool has_turn_ = false;  ///< whether the step that is made is the second of a pair
    bool ends_pair_ = false;
};
