// The race in a window: it stands before the fluid, and goes on with each step. Include solver.hpp
// first.
#pragma once

#include <string>

#include "52_fast/race.hpp"
#include "52_fast/race_picture.hpp"
#include "window/window.hpp"

namespace race {

/// Chooses the next possibility, behind the last one the first.
inline void choose_next(workbook::Choice& choice) {
    choice.chosen = (choice.chosen + 1) % static_cast<int>(choice.names.size());
}

/// Lets all solvers run for a right-hand side. The fluid flows on behind them.
class RaceWindow {
  public:
    explicit RaceWindow(Window<Fluid>& window) : window_(window) {
        add_parameters();
        add_keys();
        window.at_reset.add([this](workbook::Box) {
            window_.fluid.threads = threads_;
            race_.lanes.clear();
        });
        window.before_step.add([this](double dt) { go_on(dt); });
        window.draws.add([this](workbook::Picture& picture, workbook::Rectangle area) {
            return draw_race(picture, area);
        });
        window.box.size = [this](workbook::Size natural) {
            return is_shown() ? workbook::Size{960, 800} : natural;
        };
        window.count_memory([](workbook::Box box) {  // each lane keeps a pressure
            return 80.0 * sizeof(double) * box.nx * box.ny * box.nz;
        });
        window.program.description.threads = &threads_;
        window.program.description.outputs.push_back(
            {"--csv", "write what the race has measured",
             [this](const workbook::OutputFile& output) { write_csv(race_, output); }});
    }

    /// Whether the window shows the race, and not the fluid.
    bool is_shown() const { return race_.view.chosen == 0; }

  private:
    void add_parameters() {
        const auto in_race = [this] { return is_shown(); };
        window_.add({"view", &race_.view, "what is shown, and what a step does"});
        window_.add({"right_side", &race_.right_side, "what the race solves for"}, in_race);
        window_.add({"measure", &race_.measure, "what the horizontal axis of the plot counts"},
                    in_race);
        window_.add(
            {"sweeps", &race_.sweeps, "the work of each solver in a step, in sweeps", 1000.0, 0.01},
            in_race);
    }

    void add_keys() {
        window_.add_key('a', "the race, or the fluid", [this] { choose_next(race_.view); });
        window_.add_key('b', "another right-hand side: random, smooth, the fluid's",
                        [this] { take_next_side(); });
        window_.add_key('t', "plot against work or time", [this] { choose_next(race_.measure); });
        window_.add_key('o', "all lanes start over", [this] { start_again(); });
        window_.add_key('e', "the next larger box", [this] { take_larger_box(); });
    }

    /// Puts all lanes to the start. Returns whether there is anything to solve for.
    bool start_again() { return line_up(race_, window_.fluid, window_.program.simulation.dt); }

    void take_next_side() {
        choose_next(race_.right_side);
        const bool flows = start_again();
        window_.program.screen.say(
            "right-hand side: " + race_.right_side.names[race_.right_side.chosen] +
            (flows ? "" : ", but nothing flows (A, then drag)"));
    }

    void take_larger_box() {
        const int nx = window_.fluid.nx;
        const int n = nx >= 512 ? 16 : 2 * nx;
        try {
            window_.program.resize({n, n, 1});
        } catch (const workbook::InputError& error) {  // too large for this machine
            window_.program.screen.say(error.what());
        }
    }

    void go_on(double dt) {
        if (is_shown()) {
            if (race_.lanes.empty()) {
                line_up(race_, window_.fluid, dt);
            }
            race_.allowed += race_.sweeps;
        }
    }

    bool draw_race(workbook::Picture& picture, workbook::Rectangle area) {
        const bool runs = is_shown() && !race_.lanes.empty();
        if (runs) {
            draw(picture, race_, area);
        }
        return runs;
    }

    Window<Fluid>& window_;
    Race race_;
    int threads_ = 1;  ///< of all that know how to share their work
};

}  // namespace race
