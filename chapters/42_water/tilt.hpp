// A box that tilts.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "common/app/program.hpp"
#include "window/window.hpp"

/// Adds keys that turn the weight, as if the box were tilted.
template <class Fluid>
class Tilt {
  public:
    explicit Tilt(Window<Fluid>& window) : window_(window) {
        window.add_key('<', "tilt the box to the left (left arrow)", [this] { tilt(-10); });
        window.add_key('>', "tilt it to the right (right arrow)", [this] { tilt(10); });
        window.add_key('^', "upright again (up arrow)", [this] { tilt(-degrees_); });
        window.at_reset.add([this](workbook::Box) { degrees_ = 0; });
    }
    Tilt(const Tilt&) = delete;  // the window refers to it
    Tilt& operator=(const Tilt&) = delete;

  private:
    void tilt(int further) {
        Fluid& fluid = window_.fluid;
        if (degrees_ == 0) {
            weight_ = std::hypot(fluid.force_x, fluid.force_y);
        }
        degrees_ = (degrees_ + further) % 360;
        const double angle = degrees_ * std::numbers::pi / 180.0;
        fluid.force_x = weight_ * std::sin(angle);
        fluid.force_y = weight_ * std::cos(angle);
        window_.program.screen.say("tilted by " + std::to_string(degrees_) + " degrees");
    }

    Window<Fluid>& window_;
    int degrees_ = 0;  ///< by which the box is tilted
    double weight_ = 0.0;  ///< before it was
};
