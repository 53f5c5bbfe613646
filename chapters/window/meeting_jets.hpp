// The scene with which a cube's window opens: two jets of dye blow at each other until the reader
// draws. It needs the chapter's solver.hpp before it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "common/app/cube.hpp"
#include "common/app/program.hpp"

/// Where dye and fluid come out, and how they move there: in widths of the cube, and in widths a
/// second.
struct Nozzle {
    float x, y, z;
    Vector velocity;
};

/// The nozzle on the left after so many seconds, or the one on the right. Both blow in puffs at a
/// place in the middle that wanders: its swings never come together again, so the flow does not
/// repeat.
inline Nozzle nozzle_at(float seconds, bool right) {
    const float x = right ? 0.88f : 0.12f;
    const float away_x = 0.5f + 0.08f * std::sin(1.3f * seconds) - x;
    const float away_y = 0.10f * std::sin(1.9f * seconds);
    const float away_z = 0.10f * std::sin(0.8f * seconds + 1.0f);
    const float speed = 1.4f + 0.9f * std::sin(5.0f * seconds);
    const float share = speed / std::hypot(away_x, away_y, away_z);
    return {x, 0.5f, 0.5f, {share * away_x, share * away_y, share * away_z}};
}

/// For dt, draws the fluid in a nozzle along with it, and fills it with dye.
inline void blow(Fluid& fluid, const Nozzle& nozzle, float dt) {
    const int N = fluid.u.N;
    const auto n = static_cast<float>(N - 2);
    const float radius = std::max(0.07f, 1.0f / n);
    for_each_cell(N, [&](int i, int j, int k) {
        const float x = (static_cast<float>(i) - 0.5f) / n - nozzle.x;
        const float y = (static_cast<float>(j) - 0.5f) / n - nozzle.y;
        const float z = (static_cast<float>(k) - 0.5f) / n - nozzle.z;
        const float share = 1.0f - (x * x + y * y + z * z) / (radius * radius);
        if (share <= 0.0f) {
            return;
        }
        const float pull = std::min(1.0f, 40.0f * dt * share);
        fluid.u(i, j, k) += pull * (nozzle.velocity.x - fluid.u(i, j, k));
        fluid.v(i, j, k) += pull * (nozzle.velocity.y - fluid.v(i, j, k));
        fluid.w(i, j, k) += pull * (nozzle.velocity.z - fluid.w(i, j, k));
        fluid.density(i, j, k) += pull * (1.0f - fluid.density(i, j, k));
    });
}

/// For dt, takes a share of all dye away, so that the cube never fills up.
inline void clear(Fluid& fluid, float share_a_second, float dt) {
    const float left = std::max(0.0f, 1.0f - share_a_second * dt);
    for (float& cell : fluid.density.cells) {
        cell *= left;
    }
}

/// Plays the scene: the jets blow, and the cube turns. It must stay where it is.
class MeetingJets {
  public:
    /// What is to be done before the scene changes the fluid in a step; to these anybody adds.
    workbook::Actions<> before_change;

    MeetingJets(workbook::Program& program, workbook::CubeWindow& window, Fluid& fluid)
        : program_(program), window_(window), fluid_(fluid) {
        program.description.offers_all_scenes = true;
        program.description.scenes.push_back(
            {"meet", "two jets blow at each other, until you draw", [this] { begin(); }});
        program.simulation.start = [&program](workbook::Box) {
            workbook::Start start{"drag", program.simulation.dt};
            start.window_scene = "meet";
            return start;
        };
        program.simulation.after_reset.add([this] { blows_ = false; });
        program.simulation.before_step.add([this] { go_on(); });
        program.simulation.drag.add([this](workbook::Place, workbook::Place, bool) {
            stop();
            return false;
        });
    }
    MeetingJets(const MeetingJets&) = delete;  // the program refers to it
    MeetingJets& operator=(const MeetingJets&) = delete;

  private:
    static constexpr int cells = 48;  ///< along each edge, walls included

    void begin() {
        if (!program_.session.was_given("n")) {
            program_.resize({cells, cells, cells});
        }
        set("diff", 0.0);
        set("visc", 0.0);
        set("view", 4.0);
        window_.turning = -0.2f;
        blows_ = true;
    }

    void stop() {
        blows_ = false;
        window_.turning = 0.0f;
    }

    void go_on() {
        if (!blows_) {
            return;
        }
        before_change();
        const auto dt = static_cast<float>(program_.simulation.dt);
        const float now = dt * static_cast<float>(program_.simulation.step_count);
        blow(fluid_, nozzle_at(now, false), dt);
        blow(fluid_, nozzle_at(now, true), dt);
        clear(fluid_, 0.8f, dt);
    }

    /// Sets a parameter, unless its flag has.
    void set(const std::string& name, double number) {
        for (const workbook::Parameter& parameter : program_.description.parameters) {
            if (parameter.name == name && !program_.session.was_given(name)) {
                set_number(parameter, number);
            }
        }
    }

    workbook::Program& program_;
    workbook::CubeWindow& window_;
    Fluid& fluid_;
    bool blows_ = false;
};
