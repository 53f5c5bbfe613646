// The walls of the box and the viscosity of the fluid in it, for the windows of this chapter and of
// those that follow.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "11_mac/measures.hpp"
#include "14_sharp/flows.hpp"
#include "15_viscosity/cavity.hpp"
#include "common/app/program.hpp"

/// What a window can do with fluid.nu and fluid.sides: flags, a key, scenes, readouts, columns of
/// the state file.
template <class Fluid>
class Walls {
  public:
    explicit Walls(Fluid& fluid) : fluid_(fluid) { fluid.nu = 1.0; }

    /// Tells the fluid which of its sides slip. A flat fluid feels nothing before and behind it.
    void apply() {
        for (int side = 0; side < 6; ++side) {
            fluid_.sides[side].slips = slips_[side] || (side >= 4 && fluid_.nz == 1);
        }
    }

    /// Adds all this to the program, which must have its own parameters, keys, scenes and readouts
    /// already. Both must stay where they are.
    void connect(workbook::Program& program) {
        add_parameters(program);
        add_state(program);
        add_scenes(program);
        program.description.keys.push_back(
            {'b', "walls that slip, or walls that hold", [this] { change(); }});
        const auto is_viscous = [this] { return fluid_.nu > 0.0; };
        program.description.readouts.push_back(
            {"Re", [this] { return fluid_.nu > 0.0 ? reynolds() : 0.0; }, true, is_viscous});
        program.description.readouts.push_back(
            {"viscous residual", [this] { return fluid_.viscous_residual; }, true, is_viscous});
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            const bool is_usual = box == workbook::Box{64, 64, 1};
            return is_usual ? workbook::Start{"cavity", 1.0 / 60.0, true} : start(box);
        };
        program.simulation.reset_box = [this,
                                        reset = program.simulation.reset_box](workbook::Box box) {
            reset(box);
            apply();
        };
    }

  private:
    static constexpr std::array<const char*, 6> names = {"left",  "right",  "above",
                                                         "below", "before", "behind"};

    void add_parameters(workbook::Program& program) {
        program.description.parameters.push_back(
            {"nu", &fluid_.nu, "kinematic viscosity, an area in a second", 1e9});
        program.description.parameters.push_back(
            {"reynolds", &scene_reynolds_,
             "Reynolds number of the scenes cavity and channel: sets nu, unless --nu is given", 1e9,
             1e-3});
        for (int side = 0; side < 6; ++side) {
            program.description.parameters.push_back({std::string("slip_") + names[side],
                                                      &slips_[side],
                                                      "the fluid glides along that wall"});
        }
        for (const int side : {2, 3, 0, 1}) {
            auto& velocity = fluid_.sides[side].velocity;
            program.description.parameters.push_back(
                {std::string("move_") + names[side], side < 2 ? &velocity.y : &velocity.x,
                 std::string("velocity of that wall ") + (side < 2 ? "down" : "to the right"), 1e9,
                 -1e9});
        }
    }

    /// nu, and in the first six rows the sides, in the order of fluid.sides.
    void add_state(workbook::Program& program) {
        const auto column = [&](const std::string& name, auto value_of, int rows) {
            program.description.state.push_back(
                {name, [this, value_of, rows](int i, int j, int k) -> double* {
                     const int row = i + (fluid_.nx + 1) * (j + (fluid_.ny + 1) * k);
                     return row < rows ? value_of(row) : nullptr;
                 }});
        };
        column(
            "nu", [this](int) { return &fluid_.nu; }, 1);
        const auto slips = [this](int side) {  // a state file holds numbers
            saved_slips_[side] = slips_[side] ? 1.0 : 0.0;
            return &saved_slips_[side];
        };
        column("slips", slips, 6);
        column(
            "wall_u", [this](int side) { return &fluid_.sides[side].velocity.x; }, 6);
        column(
            "wall_v", [this](int side) { return &fluid_.sides[side].velocity.y; }, 6);
        column(
            "wall_w", [this](int side) { return &fluid_.sides[side].velocity.z; }, 6);
        program.simulation.refuse_state = [this, refuse = program.simulation.refuse_state] {
            for (int side = 0; side < 6; ++side) {
                if (saved_slips_[side] != 0.0 && saved_slips_[side] != 1.0) {
                    return std::string("slips must be 1 for a wall that slips, else 0");
                }
                slips_[side] = saved_slips_[side] == 1.0;
            }
            apply();
            return fluid_.nu < 0.0 ? "nu must not be negative" : refuse();
        };
    }

    void add_scenes(workbook::Program& program) {
        const auto add = [&](const std::string& name, const std::string& meaning, auto begin) {
            program.description.scenes.push_back({name, meaning, [this, &program, begin] {
                                                      const double nu = fluid_.nu;
                                                      begin();
                                                      if (program.session.was_given("nu")) {
                                                          fluid_.nu = nu;
                                                      }
                                                  }});
        };
        add("cavity", "the upper wall is pulled to the right", [this] {
            begin_cavity(fluid_, scene_reynolds_);
            set_dye(fluid_, [](double, double y) { return y < 0.12 || (y > 0.44 && y < 0.56); });
        });
        add("channel", "a stream through the middle, which returns along the walls", [this] {
            constexpr double pi = std::numbers::pi;
            set_stream(fluid_, [](double x, double y) {
                return -std::sin(pi * x) * std::sin(2.0 * pi * y) / (2.0 * pi);
            });
            const double width = fluid_.h * fluid_.nx;
            fluid_.nu = width * width / scene_reynolds_;
            set_dye(fluid_, [](double x, double) { return static_cast<int>(8.0 * x) % 2 == 0; });
        });
    }

    /// Lets all walls slip, or none.
    void change() {
        const bool all = std::find(slips_.begin(), slips_.end(), false) == slips_.end();
        slips_.fill(!all);
        apply();
    }

    /// The speed of the fastest wall, or of the fluid where no wall moves, times the box's width
    /// over nu.
    double reynolds() const {
        double speed = 0.0;
        for (const auto& side : fluid_.sides) {
            speed = std::max({speed, std::abs(side.velocity.x), std::abs(side.velocity.y),
                              std::abs(side.velocity.z)});
        }
        if (speed == 0.0) {
            for (const auto* field : {&fluid_.u, &fluid_.v, &fluid_.w}) {
                for (const double value : field->values) {
                    speed = std::max(speed, std::abs(value));
                }
            }
        }
        return speed * fluid_.h * fluid_.nx / fluid_.nu;
    }

    Fluid& fluid_;
    std::array<bool, 6> slips_ = {};  ///< what the reader asks for
    std::array<double, 6> saved_slips_ = {};
    double scene_reynolds_ = 1000.0;
};
