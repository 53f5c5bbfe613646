// 07_project's fluid beside this chapter's: the same dye and velocity, the same strokes and steps.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "11_mac/checkerboard.hpp"
#include "common/app/box.hpp"
#include "window/collocated.hpp"
#include "window/window.hpp"

namespace collocated {

/// The value of the field of that name in cell (i, j), where lengths are in cells as in the
/// staggered grid.
inline float value_of(const Fluid& fluid, const std::string& field, int i, int j) {
    const auto width = static_cast<float>(fluid.u.N);
    if (field == "dye") {
        return fluid.density(i, j);
    }
    if (field == "pressure") {
        return fluid.pressure(i, j);
    }
    if (field == "divergence") {
        return divergence_at(fluid.u, fluid.v, i, j);
    }
    if (field == "vorticity") {
        return 0.5f * width *
               (fluid.v(i + 1, j) - fluid.v(i - 1, j) - fluid.u(i, j + 1) + fluid.u(i, j - 1));
    }
    const float u = fluid.u(i, j) * width;
    const float v = fluid.v(i, j) * width;
    return field == "u" ? u : field == "v" ? v : std::hypot(u, v);
}

/// How the window shows this fluid, which must stay where it is.
inline workbook::OtherGrid other_grid(const Fluid& fluid) {
    return {
        "07_project, collocated",
        [&fluid](const std::string& field, int i, int j) {
            return value_of(fluid, field, i + 1, j + 1);
        },
        [&fluid](int i, int j) { return std::pair(fluid.u(i + 1, j + 1), fluid.v(i + 1, j + 1)); }};
}

}  // namespace collocated

/// A fluid of 07_project's that a key puts beside the window's own. Only a square has one.
template <class Fluid>
class Beside {
  public:
    explicit Beside(Window<Fluid>& window) : window_(window) {
        window.at_reset.add([this](workbook::Box) { hide(); });
        window.after_step.add([this](double dt) {
            if (other_) {
                step(*other_, static_cast<float>(dt));
            }
        });
        window.on_stroke.add([this](const workbook::Stroke& stroke) { apply(stroke); });
        window.add_key('c', "07_project's fluid beside this one", [this] { toggle(); });
    }

    void set_to_checkerboard() {
        if (other_) {
            set_checkerboard(*other_);
        }
    }

    void project_velocity() {
        if (other_) {
            project(other_->u, other_->v, other_->pressure, other_->divergence,
                    window_.fluid.iterations);
        }
    }

  private:
    void toggle() {
        if (other_) {
            hide();
        } else {
            show();
        }
    }

    void hide() {
        other_.reset();
        window_.box.other.reset();
    }

    void show() {
        const Fluid& fluid = window_.fluid;
        if (fluid.nx != fluid.ny || fluid.nz != 1) {
            window_.program.screen.say("07_project has only squares");
            return;
        }
        other_ = collocated::fluid_like(fluid);
        window_.box.other = collocated::other_grid(*other_);
    }

    void apply(const workbook::Stroke& stroke) {
        if (!other_) {
            return;
        }
        const int i = stroke.i + 1, j = stroke.j + 1;  // 07_project counts its wall cells
        if (stroke.dye) {
            add_density(*other_, i, j, 1.0f);
        }
        const auto scale =
            static_cast<float>(window_.program.description.parameter("velocity_add_scale"));
        add_velocity(*other_, i, j, scale * stroke.dx, scale * stroke.dy);
    }

    Window<Fluid>& window_;
    std::optional<collocated::Fluid> other_;
};
