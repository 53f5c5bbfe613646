// A box that tilts.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "common/app/program.hpp"
#include "window/window.hpp"

/// Adds keys, and drags of the mouse, that turn the weight as if the box were tilted.
template <class Fluid>
class Tilt {
  public:
    explicit Tilt(Window<Fluid>& window) : window_(window) {
        window.add_key('<', "tilt the box to the left (left arrow)", [this] { tilt(-10.0, 0.0); });
        window.add_key('>', "tilt it to the right (right arrow)", [this] { tilt(10.0, 0.0); });
        window.add_key('^', "upright again (up arrow)",
                       [this] { tilt(-to_right_, -towards_you_); });
        window.add_key('y', "the mouse tilts the box, or turns it", [this] { change(); });
        window.at_reset.add([this](workbook::Box) {
            to_right_ = 0.0;
            towards_you_ = 0.0;
        });
    }
    Tilt(const Tilt&) = delete;  // the window refers to it
    Tilt& operator=(const Tilt&) = delete;

    /// Takes a drag by so many pixels, if the mouse tilts the box now, and says whether it does.
    bool drag(float dx, float dy) {
        if (drags_) {
            constexpr double degrees = 0.3;  // for a pixel
            tilt(degrees * static_cast<double>(dx), degrees * static_cast<double>(dy));
        }
        return drags_;
    }

  private:
    void change() {
        drags_ = !drags_;
        window_.program.screen.say(drags_ ? "a turning drag tilts the box"
                                          : "a turning drag turns the box");
    }

    /// Tilts it further, in degrees.
    void tilt(double to_right, double towards_you) {
        Fluid& fluid = window_.fluid;
        if (to_right_ == 0.0 && towards_you_ == 0.0) {
            weight_ = std::hypot(fluid.force_x, fluid.force_y, fluid.force_z);
        }
        to_right_ = std::remainder(to_right_ + to_right, 360.0);
        towards_you_ = fluid.nz > 1 ? std::clamp(towards_you_ + towards_you, -90.0, 90.0) : 0.0;
        const double across = to_right_ * std::numbers::pi / 180.0;
        const double along = towards_you_ * std::numbers::pi / 180.0;
        fluid.force_x = weight_ * std::sin(across) * std::cos(along);
        fluid.force_y = weight_ * std::cos(across) * std::cos(along);
        fluid.force_z = -weight_ * std::sin(along);
        std::string words = "tilted by " + std::to_string(std::lround(to_right_)) + " degrees";
        if (fluid.nz > 1) {
            words += ", and towards you by " + std::to_string(std::lround(towards_you_));
        }
        window_.program.screen.say(words);
    }

    Window<Fluid>& window_;
    bool drags_ = false;  ///< whether the mouse tilts the box
    double to_right_ = 0.0, towards_you_ = 0.0;  ///< by which the box is tilted, in degrees
    double weight_ = 0.0;  ///< before it was
};
