// The scenes of this chapter: dams, drops, a wave and a fountain.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "42_water/fill.hpp"
#include "42_water/fountain.hpp"
#include "common/app/program.hpp"
#include "common/io/state.hpp"
#include "window/bodies.hpp"
#include "window/transfers.hpp"
#include "window/window.hpp"

/// Adds them. Each has a box that is two metres wide, on Earth, unless flags say otherwise.
template <class Fluid>
class WaterScenes {
  public:
    double column = 0.0;  ///< the width of the dam's column; 0: there is no dam

    WaterScenes(Window<Fluid>& window, const Transfers<Fluid>& transfers, Fountain<Fluid>& fountain,
                Bodies<Fluid>& bodies)
        : window_(window), transfers_(transfers), fountain_(fountain), bodies_(bodies) {
        Fluid& fluid = window.fluid;
        window.at_reset.add([this](workbook::Box) { empty(); });
        add("dam", "a column of water that falls down", [&] { column = fill_dam(fluid); });
        add("obstacle", "a dam that breaks, and a ball in its way", [&] { begin_obstacle(); });
        add("drop", "a drop that falls into a pool", [&] { fill_drop(fluid); });
        add("drops", "two drops that fall into a pool", [&] { fill_drops(fluid); });
        add("slosh", "the longest wave of a box", [&] {
            const double width = fluid.h * fluid.nx;
            const double height = fluid.h * fluid.ny;
            fill_with_wave(fluid, std::min(0.5 * width, 0.6 * height), 0.05 * width);
        });
        add("fountain", "water that comes up from below", [&] { fountain_.begin(); });
        const auto is_for_a_dam = [](workbook::Box box) {
            return box.nx == box.ny && box.nz == 1 && box.nx >= 32;  // else it is a few cells wide
        };
        window.begin_with(is_for_a_dam, {"dam", 1.0 / 60.0, true});
        const auto is_for_drops = [](workbook::Box box) { return box.nz >= 16 && box.nx >= 32; };
        window.begin_with(is_for_drops, {"drops", 1.0 / 60.0, true});
    }
    WaterScenes(const WaterScenes&) = delete;  // the window refers to it
    WaterScenes& operator=(const WaterScenes&) = delete;

    /// Returns the tolerance of the pressure's solver where there is air. A deep box has more
    /// cells, so its solver may stop earlier.
    static double tolerance(const Fluid& fluid) { return fluid.nz == 1 ? 1e-6 : 1e-4; }

  private:
    static constexpr double gravity = 9.81, box_width = 2.0;

    void add(const std::string& name, const std::string& meaning, std::function<void()> fill) {
        window_.add_scene(name, meaning, [this, fill = std::move(fill)] {
            begin();
            fill();
        });
    }

    void begin() {
        if (!transfers_.has_particles()) {
            throw workbook::InputError(
                "--advection " + window_.chosen("advection") +
                ": only particles know where there is air; choose pic, flip or apic");
        }
        window_.set("cell_size", box_width / window_.fluid.nx);
        window_.set("force_x", 0.0);
        window_.set("force_y", gravity);
        window_.set("nu", 0.0);
        window_.set("tolerance", tolerance(window_.fluid));
        empty();
    }

    /// A dam, and a round body that lies on the floor.
    void begin_obstacle() {
        const Fluid& fluid = window_.fluid;
        const double width = fluid.h * fluid.nx;
        const double bottom = fluid.h * fluid.ny;
        const double size = std::min(0.2 * width, 0.4 * bottom);
        window_.set(
            {{"body_size", size},
             {"body_x", 0.55 * width},
             {"body_y", bottom - 0.5 * size},
             {"shape", static_cast<double>(fluid.nz > 1 ? BodyShape::SPHERE : BodyShape::CIRCLE)}});
        bodies_.place();
        column = fill_dam(window_.fluid);
    }

    void empty() {
        column = 0.0;
        fountain_.speed = 0.0;
    }

    Window<Fluid>& window_;
    const Transfers<Fluid>& transfers_;
    Fountain<Fluid>& fountain_;
    Bodies<Fluid>& bodies_;
};
