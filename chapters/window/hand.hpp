// The mouse and bodies: it drags the body, or paints solid cells.
//
//     Hand hand(window, bodies);        // the keys O and U; strokes beside the body remain strokes
//     hand.begin_painting()             // for scenes that begin with it
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "window/bodies.hpp"
#include "window/shapes.hpp"
#include "window/window.hpp"

/// What the mouse does to bodies. It must stay where it is.
template <class Fluid>
class Hand {
  public:
    Hand(Window<Fluid>& window, Bodies<Fluid>& bodies)
        : window_(window), fluid_(window.fluid), bodies_(bodies) {
        window.add_key('o', "paint solids, or drag again", [this] { change(); });
        window.add_key('u', "another shape", [this] { bodies_.change_shape(); });
        window.at_reset.add([this](workbook::Box) {
            has_grabbed_ = false;
            paints_ = false;
        });
        window.drags.add([this](workbook::Place from, workbook::Place to, bool left_button) {
            return paints_ ? paint(from, to, left_button) : drag(from, to);
        });
        window.program.look.drag_meaning.add([this](bool left_button) -> std::string {
            if (paints_) {
                return left_button ? "paint solids" : "remove solids";
            }
            if (!bodies_.has_body()) {
                return "";
            }
            return left_button ? "move the body; beside it, dye and velocity"
                               : "move the body; beside it, velocity only";
        });
    }
    Hand(const Hand&) = delete;  // the window refers to it
    Hand& operator=(const Hand&) = delete;

    /// From now on a drag paints.
    void begin_painting() {
        paints_ = true;
        window_.program.screen.say("left button: paint solids; right button: remove them");
    }

  private:
    void change() {
        if (paints_) {
            paints_ = false;
            window_.program.screen.say("drag the body, or the fluid");
        } else {
            begin_painting();
        }
    }

    /// Takes a drag that has begun on the body: the body follows.
    bool drag(workbook::Place from, workbook::Place to) {
        const double width = fluid_.h * fluid_.nx;
        const double height = fluid_.h * fluid_.ny;
        if (from.x == to.x && from.y == to.y) {  // the button has just been pressed
            const bool is_on_body =
                bodies_.has_body() && is_inside(bodies_.all()[0], width * from.x, height * from.y);
            has_grabbed_ = is_on_body || (has_grabbed_ && bodies_.is_pulled());
        }
        if (has_grabbed_) {
            bodies_.pull(width * (to.x - from.x), height * (to.y - from.y));
        }
        return has_grabbed_;
    }

    /// Makes the cells under a drag solid, or fluid with the other button.
    bool paint(workbook::Place from, workbook::Place to, bool left_button) {
        const double radius = std::max(0.8, std::min(fluid_.nx, fluid_.ny) / 40.0);
        const double dx = fluid_.nx * (to.x - from.x);
        const double dy = fluid_.ny * (to.y - from.y);
        const double length = dx * dx + dy * dy;
        const auto is_under = [&](int i, int j) {
            const double x = i + 0.5 - fluid_.nx * from.x;
            const double y = j + 0.5 - fluid_.ny * from.y;
            const double share =
                length > 0.0 ? std::clamp((x * dx + y * dy) / length, 0.0, 1.0) : 0.0;
            return std::hypot(x - share * dx, y - share * dy) < radius;
        };
        bodies_.paint(is_under, left_button);
        return true;
    }

    Window<Fluid>& window_;
    Fluid& fluid_;
    Bodies<Fluid>& bodies_;
    bool has_grabbed_ = false;
    bool paints_ = false;
};
