// The moments of a step, which a key shows one after another.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "window/window.hpp"

/// Shows the fluid as it is at each moment of a step. The solver's step says when one is there.
template <class Fluid>
class Moments {
  public:
    explicit Moments(Window<Fluid>& window) : window_(window) {
        window.at_reset.add([this](workbook::Box) { forget(); });
        window.on_stroke.add([this](const workbook::Stroke&) { forget(); });
        window.before_step.add([this](double) { forget(); });
        window.advance = [this](double dt) { advance(dt); };
        window.shown = [this]() -> const Fluid& {
            return moments_.empty() ? window_.fluid : moments_[shown_].fluid;
        };
        window.more_numbers = [this](int i, int j, std::string (*written)(double)) {
            std::vector<std::string> lines;
            if (!moments_.empty() && moments_[shown_].name == pressure_solved) {
                lines.push_back("rhs " + written(moments_[shown_].fluid.rhs(i, j, 0)));
            }
            return lines;
        };
        window.box.caption = [this] {
            const std::string name = moments_.empty() ? "before the step" : moments_[shown_].name;
            return name + " (N: next moment)";
        };
        window.add_key('n', "next moment of a step", [this] { show_next(); });
    }

    /// Shows the fluid as it is now.
    void forget() {
        moments_.clear();
        shown_ = 0;
    }

  private:
    static constexpr const char* pressure_solved = "pressure solved";

    struct Moment {
        std::string name;
        Fluid fluid;
    };

    /// Shows the next moment. The fluid has made the whole step when its first moment is shown.
    void show_next() {
        window_.program.session.paused = true;
        if (shown_ + 1 < moments_.size()) {
            ++shown_;
        } else {
            listens_ = true;
            window_.program.simulation.step(window_.program.simulation.dt);
            listens_ = false;
            ++window_.program.simulation.step_count;
            if (moments_.empty()) {  // nobody has told
                moments_.push_back({"after the step", window_.fluid});
            }
            shown_ = 0;
        }
        window_.program.screen.say(moments_[shown_].name);
    }

    void advance(double dt) {
        if (listens_) {
            step(window_.fluid, dt, [this](const std::string& done) { hear(done); });
        } else {
            step(window_.fluid, dt);
        }
    }

    /// A part of the step is done.
    void hear(const std::string& done) {
        const Fluid& fluid = window_.fluid;
        if (done == "force added" && fluid.force_x == 0.0 && fluid.force_y == 0.0 &&
            fluid.force_z == 0.0) {
            return;
        }
        if (done == "gradient subtracted" && !moments_.empty()) {
            Fluid solved = moments_.back().fluid;  // there was a pressure before its gradient went
            solved.rhs = fluid.rhs;
            solved.pressure = fluid.pressure;
            solved.residuals = fluid.residuals;
            moments_.push_back({pressure_solved, solved});
        }
        moments_.push_back({done, fluid});
    }

    Window<Fluid>& window_;
    std::vector<Moment> moments_;  ///< of the last step, if they are shown
    std::size_t shown_ = 0;
    bool listens_ = false;
};
