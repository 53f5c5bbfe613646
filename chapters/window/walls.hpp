// The walls of the box and the viscosity of the fluid in it.
//
//     Walls walls(window);              // flags, the key B, readouts, columns of the state file
//     walls.scene_reynolds()            // for scenes, which set nu by it
//     walls.reynolds = [&] { ... };     // another number for the readout "Re"
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "window/sides.hpp"
#include "window/window.hpp"

/// What a window can do with fluid.nu and fluid.sides. It must stay where it is.
template <class Fluid>
class Walls {
  public:
    /// What the readout "Re" shows. It is not shown where nu is 0.
    std::function<double()> reynolds = [this] { return reynolds_of_box(); };

    explicit Walls(Window<Fluid>& window) : window_(window), fluid_(window.fluid) {
        fluid_.nu = 1.0;
        add_parameters();
        add_readouts();
        add_state();
        window.add_key('b', "walls that slip, or walls that hold", [this] { change(); });
        window.apply.add([this] { tell_fluid(); });
        window.at_reset.add([this](workbook::Box) { tell_fluid(); });
    }
    Walls(const Walls&) = delete;  // the window refers to it
    Walls& operator=(const Walls&) = delete;

    /// The Reynolds number that the reader wants scenes to have.
    double scene_reynolds() const { return scene_reynolds_; }

    /// The speed of the fastest wall, or of the fluid where no wall moves, times the box's width
    /// over nu.
    double reynolds_of_box() const {
        const double wall = fastest_wall();
        const double speed = wall > 0.0 ? wall : fastest_face();
        return speed * fluid_.h * fluid_.nx / fluid_.nu;
    }

  private:
    void add_parameters() {
        window_.add({"nu", &fluid_.nu, "kinematic viscosity, an area in a second", 1e9});
        window_.add({"reynolds", &scene_reynolds_,
                     "Reynolds number of a scene: sets nu, unless --nu is given", 1e9, 1e-3});
        for (int side = 0; side < 6; ++side) {
            window_.add({std::string("slip_") + side_names[side], &slips_[side],
                         "the fluid glides along that wall"},
                        [this, side] { return side < 4 || window_.program.simulation.box.nz > 1; });
        }
        for (const int side : {2, 3, 0, 1}) {
            auto& velocity = fluid_.sides[side].velocity;
            const std::string direction = side < 2 ? "down" : "to the right";
            window_.add(
                {std::string("move_") + side_names[side], side < 2 ? &velocity.y : &velocity.x,
                 "velocity of that wall " + direction, 1e9, -1e9},
                [this, side] { return !slips_[side]; });
        }
    }

    void add_readouts() {
        const auto is_viscous = [this] { return fluid_.nu > 0.0; };
        window_.add(
            {"Re", [this] { return fluid_.nu > 0.0 ? reynolds() : 0.0; }, true, is_viscous});
        window_.add(
            {"viscous residual", [this] { return fluid_.viscous_residual; }, true, is_viscous});
        if constexpr (requires(const Fluid& fluid) { fluid.heat_residual; }) {
            window_.add({"heat residual", [this] { return fluid_.heat_residual; }, true,
                         [this] { return fluid_.kappa > 0.0; }});
        }
    }

    /// nu, and in the first six rows the sides, in the order of fluid.sides.
    void add_state() {
        window_.save_rows("nu", 1, [this](int) { return &fluid_.nu; });
        window_.save_rows("slips", 6, [this](int side) {  // a state file holds numbers
            saved_slips_[side] = slips_[side] ? 1.0 : 0.0;
            return &saved_slips_[side];
        });
        window_.save_rows("wall_u", 6, [this](int side) { return &fluid_.sides[side].velocity.x; });
        window_.save_rows("wall_v", 6, [this](int side) { return &fluid_.sides[side].velocity.y; });
        window_.save_rows("wall_w", 6, [this](int side) { return &fluid_.sides[side].velocity.z; });
        window_.refuse_state.add([this] { return restore(); });
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        for (int side = 0; side < 6; ++side) {
            if (saved_slips_[side] != 0.0 && saved_slips_[side] != 1.0) {
                return "slips must be 1 for a wall that slips, else 0";
            }
            slips_[side] = saved_slips_[side] == 1.0;
        }
        tell_fluid();
        return fluid_.nu < 0.0 ? "nu must not be negative" : "";
    }

    /// Tells the fluid which of its sides slip. A flat fluid feels nothing before and behind it.
    void tell_fluid() {
        for (int side = 0; side < 6; ++side) {
            fluid_.sides[side].slips = slips_[side] || (side >= 4 && fluid_.nz == 1);
        }
    }

    /// Lets all walls slip, or none.
    void change() {
        const bool all = std::find(slips_.begin(), slips_.end(), false) == slips_.end();
        slips_.fill(!all);
        tell_fluid();
    }

    double fastest_wall() const {
        double speed = 0.0;
        for (const auto& side : fluid_.sides) {
            speed = std::max({speed, std::abs(side.velocity.x), std::abs(side.velocity.y),
                              std::abs(side.velocity.z)});
        }
        return speed;
    }

    double fastest_face() const {
        double speed = 0.0;
        for (const auto* field : {&fluid_.u, &fluid_.v, &fluid_.w}) {
            for (const double value : field->values) {
                speed = std::max(speed, std::abs(value));
            }
        }
        return speed;
    }

    Window<Fluid>& window_;
    Fluid& fluid_;
    std::array<bool, 6> slips_ = {};  ///< what the reader asks for
    std::array<double, 6> saved_slips_ = {};
    double scene_reynolds_ = 1000.0;
};
