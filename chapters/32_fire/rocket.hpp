// A rocket's nozzle in the ceiling, which the mouse steers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "32_fire/burners.hpp"
#include "common/app/program.hpp"
#include "window/smoke_sources.hpp"
#include "window/window.hpp"

/// The nozzle, once it is lit: the left button points its jet at the mouse, and the right one moves
/// it.
template <class Fluid>
class Rocket {
  public:
    Rocket(Window<Fluid>& window, SmokeSources<Fluid>& sources)
        : window_(window), sources_(sources) {
        const auto is_lit = [this] { return is_lit_; };
        window.add({"nozzle_width", &nozzle_.width, "of the rocket", 1.0, 0.01}, is_lit);
        window.add({"nozzle_angle", &nozzle_.angle, "in degrees", 45.0, -45.0}, is_lit);
        window.add({"nozzle_speed", &nozzle_.speed, "of the jet", 100.0}, is_lit);
        window.add({"thrust", [this] { return push(); }, true, is_lit});
        add_state();
        window.at_reset.add([this](workbook::Box) {
            nozzle_.x = 0.5;
            is_lit_ = false;
        });
        window.before_step.add([this](double) {
            if (is_lit_) {
                place_nozzle(window_.fluid, nozzle_);
            }
        });
        window.drags.add([this](workbook::Place, workbook::Place to, bool left_button) {
            if (is_lit_) {
                steer(to, left_button);
            }
            return is_lit_;
        });
        window.program.look.drag_meaning.add([this](bool left_button) -> std::string {
            if (!is_lit_) {
                return "";
            }
            return left_button ? "point the rocket" : "move the rocket";
        });
        window.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            if (is_lit_) {
                draw_nozzle(picture, view);
            }
        });
    }

    /// Lights the rocket, until the fluid begins anew. The ceiling must be an inflow.
    void light() {
        is_lit_ = true;
        place_nozzle(window_.fluid, nozzle_);
        fuel_nozzle();
    }

    /// The thrust, straight up. Without a rocket there is none.
    double push() const { return is_lit_ ? thrust(window_.fluid)[1] : 0.0; }

  private:
    void steer(workbook::Place to, bool left_button) {
        if (left_button) {
            point_at(to);
        } else {
            nozzle_.x = std::clamp(static_cast<double>(to.x), 0.1, 0.9);
        }
        fuel_nozzle();
    }

    void point_at(workbook::Place place) {
        const Fluid& fluid = window_.fluid;
        const double right = place.x - nozzle_.x;
        const double down = std::max(0.05, static_cast<double>(place.y) * fluid.ny / fluid.nx);
        nozzle_.angle = std::clamp(std::atan2(right, down) * 180.0 / std::numbers::pi, -45.0, 45.0);
    }

    /// Puts the fuel into the mouth of the nozzle.
    void fuel_nozzle() {
        const Fluid& fluid = window_.fluid;
        sources_.move({nozzle_.x, static_cast<double>(fluid.ny) / fluid.nx,
                       0.5 * fluid.nz / fluid.nx, 0.75 * nozzle_.width});
    }

    void draw_nozzle(workbook::Picture& picture, const workbook::View& view) const {
        const float width = view.cell * static_cast<float>(window_.fluid.nx);
        const float x = view.left + width * static_cast<float>(nozzle_.x);
        const float half = 0.5f * width * static_cast<float>(nozzle_.width);
        const auto tilt = static_cast<float>(std::tan(nozzle_.angle * std::numbers::pi / 180.0));
        const int rows = static_cast<int>(0.035f * width);
        for (int row = 0; row < rows; ++row) {
            const float share = static_cast<float>(row) / static_cast<float>(rows);
            const float wide = half * (0.7f + 0.45f * share);
            const float middle = x + tilt * static_cast<float>(row);
            picture.rectangle(static_cast<int>(middle - wide), static_cast<int>(view.top) + row,
                              static_cast<int>(2.0f * wide), 1, {96, 100, 112});
        }
    }

    void add_state() {
        window_.save_rows("rocket", 5, [this](int row) {
            if (row == 0) {  // only in its own row: a file is read through these, too
                saved_lit_ = is_lit_ ? 1.0 : 0.0;
            }
            const std::array<double*, 5> numbers = {&saved_lit_, &nozzle_.x, &nozzle_.width,
                                                    &nozzle_.angle, &nozzle_.speed};
            return numbers[row];
        });
        window_.refuse_state.add([this]() -> std::string {
            if (saved_lit_ != 0.0 && saved_lit_ != 1.0) {
                return "the first row of rocket must be 1 for a rocket, else 0";
            }
            if (!(nozzle_.width > 0.0)) {
                return "the third row of rocket, its width, must be more than 0";
            }
            is_lit_ = saved_lit_ == 1.0;
            return "";
        });
    }

    Window<Fluid>& window_;
    SmokeSources<Fluid>& sources_;
    Nozzle nozzle_;
    bool is_lit_ = false;
    double saved_lit_ = 0.0;  ///< a state file holds numbers
};
