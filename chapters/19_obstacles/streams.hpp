// The scenes of this chapter: streams around a body, and a body that pushes.
#pragma once

#include <algorithm>
#include <cmath>

#include "19_obstacles/channel.hpp"
#include "common/io/output.hpp"
#include "window/bodies.hpp"
#include "window/hand.hpp"
#include "window/window.hpp"

/// The scenes, and how finely they resolve the body. It must stay where it is.
template <class Fluid>
class Streams {
  public:
    Streams(Window<Fluid>& window, Bodies<Fluid>& bodies, Hand<Fluid>& hand)
        : window_(window), fluid_(window.fluid), bodies_(bodies), hand_(hand) {
        window.add(
            {"resolution", &resolution_, "cells a diameter, in the scenes with a body", 100, 1});
    }
    Streams(const Streams&) = delete;  // the window refers to it
    Streams& operator=(const Streams&) = delete;

    void add_scenes() {
        window_.add_scene("channel", "a cylinder in a channel (Schaefer and Turek)",
                          [this] { begin_in_channel(); });
        window_.add_scene("wide", "the same far from all walls, which slip",
                          [this] { begin_far_from_walls(); });
        window_.add_scene("paint", "a stream without a body: paint one",
                          [this] { begin_painting(); });
        window_.add_scene("piston", "a block across a closed box, which moves",
                          [this] { begin_piston(); });
        window_.begin_with({220, 41, 1}, {"channel", 1.0 / 150.0, true});
        window_.begin_with({256, 128, 1}, {"wide", 1.0 / 150.0, true});
    }

  private:
    enum class Sides { HOLD, SLIP };

    void begin_in_channel() {
        const auto [nx, ny] = channel_cells(resolution_);
        take_size(nx, ny);
        begin_stream(Sides::HOLD);
        set_body(cylinder_place, cylinder_place, cylinder_diameter);
        fill_box(window_.program.description.parameter("inflow"));
    }

    void begin_far_from_walls() {
        take_size(22 * resolution_, 20 * resolution_);
        begin_stream(Sides::SLIP);
        const double quarter = 0.25 * fluid_.h * fluid_.nx;
        set_body(std::min(6.0 * cylinder_diameter, quarter), 0.5 * fluid_.h * fluid_.ny,
                 cylinder_diameter);
        fill_box(window_.program.description.parameter("inflow"));
    }

    void begin_painting() {
        take_size(22 * resolution_, 8 * resolution_);
        begin_stream(Sides::SLIP);
        set_body(0.0, 0.0, 0.0);
        window_.apply();
        fill_from_left(fluid_);
        set_bnd(fluid_);
        hand_.begin_painting();
    }

    void begin_piston() {
        const double height = fluid_.h * fluid_.ny;
        window_.set("shape", static_cast<double>(BodyShape::SQUARE));
        set_body(0.3 * fluid_.h * fluid_.nx, 0.5 * height, height);
        window_.set("body_velocity_x", 0.05 * fluid_.h * fluid_.nx);
        window_.set("rake", 0.0);
        fill_box(0.0);
    }

    /// Takes a box of that size, unless a flag asks for another one.
    void take_size(int nx, int ny) { window_.set_size(nx, ny); }

    void set_body(double x, double y, double size) {
        window_.set("body_x", x);
        window_.set("body_y", y);
        window_.set("body_size", size);
        window_.set("probe_x", bodies_.body().x + 2.5 * size);
        window_.set("probe_y", bodies_.body().y);
    }

    /// A stream from left to right. Without walls that hold it, it is uniform.
    void begin_stream(Sides sides) {
        workbook::Program& program = window_.program;
        if (program.session.was_given("cell_size")) {
            throw workbook::InputError(
                "--cell-size: in this scene the cylinder is 0.1 wide; --resolution says how many "
                "cells that is");
        }
        fluid_.h = cylinder_diameter / resolution_;
        window_.set("nu", channel_nu);
        window_.set("reynolds", 100.0);
        const double mean = channel_speed(program.description.parameter("reynolds"), fluid_.nu);
        window_.set("left", 1.0);
        window_.set("right", 2.0);
        if (sides == Sides::HOLD) {
            window_.set("profile", static_cast<double>(Profile::PARABOLIC));
            window_.set("inflow", 1.5 * mean);
        } else {
            window_.set("profile", static_cast<double>(Profile::UNIFORM));
            window_.set("inflow", mean);
        }
        const double slips = sides == Sides::SLIP ? 1.0 : 0.0;
        window_.set("slip_above", slips);
        window_.set("slip_below", slips);
        window_.set("tolerance", 1e-6);
        window_.set("stripes", 0.0);
        window_.set("rake", 12.0);
        const double fast = std::abs(program.description.parameter("inflow"));
        if (!program.session.was_given("dt") && fast > 0.0) {
            program.simulation.dt = fluid_.h / fast;
        }
        if (mean > 0.0) {
            set_brightest_vorticity(static_cast<float>(2.5 * mean / cylinder_diameter));
        }
    }

    void set_brightest_vorticity(float value) {
        for (workbook::ShownField& field : window_.program.description.fields) {
            if (field.name == "vorticity") {
                field.full_at = value;
            }
        }
    }

    /// Puts the body into the box, fills the box with what enters, and pushes it up behind the
    /// body, where that is `fast`.
    void fill_box(double fast) {
        window_.apply();
        bodies_.place();
        if (bodies_.is_painted()) {
            hand_.begin_painting();
        }
        if (bodies_.body().size > 0.0) {
            fill_and_kick(fluid_, bodies_.body(), fast);
        }
    }

    Window<Fluid>& window_;
    Fluid& fluid_;
    Bodies<Fluid>& bodies_;
    Hand<Fluid>& hand_;
    int resolution_ = 10;
};
