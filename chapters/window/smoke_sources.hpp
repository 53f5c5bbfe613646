// Sources of smoke and warmth in a window: how many there are, where, and how they move.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/app/program.hpp"
#include "window/sources.hpp"
#include "window/window.hpp"

/// Sources side by side, which sway, and a single one that the mouse may move.
template <class Fluid>
class SmokeSources {
  public:
    explicit SmokeSources(Window<Fluid>& window) : window_(window) {
        add_parameters();
        add_state();
        window.at_reset.add([this](workbook::Box) {
            middle_ = {};
            follows_mouse_ = false;
        });
        window.at_begin.add([this] { place_sources(window_.fluid, placed()); });
        window.before_step.add([this](double) { place_sources(window_.fluid, placed()); });
        window.after_step.add([this](double dt) {
            if (two_colours_) {
                colour(dt);
            }
        });
        window.drags.add([this](workbook::Place, workbook::Place to, bool left_button) {
            if (follows_mouse_ && left_button) {
                follow(to);
            }
            return follows_mouse_ && left_button;
        });
        window.add_key('e', "the source follows the mouse, or stays where it is", [this] {
            follows_mouse_ = !follows_mouse_;
            count_ = std::max(count_, 1);
        });
        window.program.look.drag_meaning.add([this](bool left_button) {
            return std::string(follows_mouse_ && left_button ? "move the source" : "");
        });
    }

    /// Moves the source, or the middle of several.
    void move(const SmokeSource& middle) { middle_ = middle; }

    /// Lets the left button move the source from now on, until the fluid begins anew.
    void let_mouse_move() { follows_mouse_ = true; }

    /// Whether there are any.
    bool has_any() const { return count_ > 0; }

  private:
    void add_parameters() {
        Fluid& fluid = window_.fluid;
        const auto has_any = [this] { return count_ > 0; };
        const auto has_several = [this] { return count_ > 1; };
        window_.add({"source_temperature", &fluid.source_temperature,
                     "what a source keeps, from that outside", 1e6, -1e6},
                    has_any);
        window_.add({"source_smoke", &fluid.source_smoke, "likewise", 1e6}, has_any);
        window_.add({"sources", &count_, "of smoke, side by side", 10});
        window_.add({"source_apart", &apart_, "how far, in widths of the box", 10.0}, has_several);
        window_.add({"sway", &sway_, "of the sources, in widths of the box", 1.0}, has_any);
        window_.add({"two_colours", &two_colours_, "sources on the right give dye"}, has_several);
    }

    /// The sources as they are now.
    std::vector<SmokeSource> placed() const {
        const Fluid& fluid = window_.fluid;
        const double seconds = window_.history.time;
        std::vector<SmokeSource> found;
        for (int n = 0; n < count_; ++n) {
            SmokeSource source = middle_;
            source.x += sway_at(seconds, sway_, 1.3) + (n - 0.5 * (count_ - 1)) * apart_;
            source.z = 0.5 * fluid.nz / fluid.nx + 0.7 * sway_at(seconds, sway_, 0.9);
            found.push_back(source);
        }
        return found;
    }

    void follow(workbook::Place to) {
        middle_.x = to.x;
        middle_.y = (1.0 - to.y) * window_.fluid.ny / window_.fluid.nx;
    }

    /// Makes what the sources on the right have added to the smoke dye, which has another colour.
    void colour(double dt) {
        Fluid& fluid = window_.fluid;
        for (std::size_t cell = 0; cell < fluid.source.values.size(); ++cell) {
            if (static_cast<int>(cell) % fluid.nx >= middle_.x * fluid.nx) {
                const double share = 1.0 - std::exp(-fluid.source.values[cell] * dt);
                double& dye = fluid.density.values[cell];
                fluid.smoke.values[cell] *= 1.0 - share;
                dye += share * (fluid.source_smoke - dye);
            }
        }
    }

    // ---- The state file ------------------------------------------------------------------------

    void add_state() {
        window_.save_rows("sources", 8, [this](int row) {
            if (row == 0) {  // each only in its own row: a file is read through these, too
                saved_count_ = count_;
            } else if (row == 6) {
                saved_colours_ = two_colours_ ? 1.0 : 0.0;
            } else if (row == 7) {
                saved_follows_ = follows_mouse_ ? 1.0 : 0.0;
            }
            const std::array<double*, 8> numbers = {&saved_count_,   &middle_.x,     &middle_.y,
                                                    &middle_.radius, &sway_,         &apart_,
                                                    &saved_colours_, &saved_follows_};
            return numbers[row];
        });
        window_.refuse_state.add([this] { return restore(); });
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        const auto is_switch = [](double value) { return value == 0.0 || value == 1.0; };
        if (saved_count_ != std::floor(saved_count_) || saved_count_ < 0.0 || saved_count_ > 10.0) {
            return "the first row of sources, how many, must be a whole number from 0 to 10";
        }
        if (!(middle_.radius > 0.0)) {
            return "the fourth row of sources, their radius, must be more than 0";
        }
        if (!is_switch(saved_colours_) || !is_switch(saved_follows_)) {
            return "the seventh and eighth row of sources must be 0 or 1";
        }
        count_ = static_cast<int>(saved_count_);
        two_colours_ = saved_colours_ == 1.0;
        follows_mouse_ = saved_follows_ == 1.0;
        return "";
    }

    Window<Fluid>& window_;
    SmokeSource middle_;
    int count_ = 0;
    double apart_ = 0.36;  ///< in widths of the box
    double sway_ = 0.01;
    bool two_colours_ = false;
    bool follows_mouse_ = false;
    double saved_count_ = 0.0;  ///< a state file holds numbers
    double saved_colours_ = 0.0;
    double saved_follows_ = 0.0;
};
