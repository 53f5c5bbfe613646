// What the end of a run depends on: the derivatives of the dye that one cell will hold, shown over
// the fluid as it is now.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "61_adjoint/push.hpp"
#include "common/draw/cells.hpp"
#include "common/io/output.hpp"
#include "window/vorticity.hpp"
#include "window/window.hpp"

/// Looks ahead to the end of a run, and runs back from there. J is the dye in one cell, the target,
/// at the end. It must stay where it is.
class Backwards {
  public:
    explicit Backwards(Window<Fluid>& window) : window_(window) {
        add_parameters();
        add_mouse_and_pictures();
        window.add_key('p', "push where it raises J the most", [this] { push(); });
        window.at_reset.add([this](workbook::Box) {
            nothing_ = zero_derivative(window_.fluid);
            forget();
        });
        window.at_begin.add([this] { forget(); });
        window.on_stroke.add([this](const workbook::Stroke&) { forget(); });
        window.before_step.add([this](double) { finish(); });
        window.after_step.add([this](double) { go_on(); });
        window.count_memory([this](workbook::Box box) {
            const double of_state = 4.0;  // a cell has the dye and three faces
            const double of_derivative = 7.0;  // by these, and by the forces on the faces
            // The derivatives of one target are shown while those of another one are found.
            const double of_step = of_state + 2.0 * of_derivative;
            return sizeof(double) * box.nx * box.ny * box.nz * of_step * (steps_ + 1);
        });
        window.program.description.outputs.push_back(
            {"--derivative", "write the derivatives of J by the state, like a state file",
             [this](const workbook::OutputFile& output) { write(output); }});
    }
    Backwards(const Backwards&) = delete;  // the window refers to it
    Backwards& operator=(const Backwards&) = delete;

    /// Pushes the fluid along the derivative, so many times.
    void push(int times) {
        for (int n = 0; n < times; ++n) {
            forget();
            push();
        }
    }

  private:
    /// So many steps of a run are made while a window shows a picture, so that it stays fluent.
    static constexpr int steps_a_picture = 6;

    /// What a run was made of. If something is another now, it must be made again.
    struct Asked {
        double dt, force_x, force_y, force_z, rho, h, tolerance;
        int steps, iterations;
        Solver solver;
        bool operator==(const Asked&) const = default;
    };

    void add_parameters() {
        window_.add({"fastest_push", &fastest_push_, "of the key P, in box widths a second", 10.0});
        window_.add({"steps_ahead", &steps_, "how many steps the run has", 200.0, 1.0});
        window_.add({"target_x", &target_x_, "where the target lies, from left to right", 1.0});
        window_.add({"target_y", &target_y_, "where the target lies, from top to bottom", 1.0});
        window_.add({"J", [this] { return end(); }});
        window_.add({"steps left", [this] { return 1.0 * (steps_ - now_); }});
    }

    void add_mouse_and_pictures() {
        window_.drags.add([this](workbook::Place, workbook::Place to, bool left_button) {
            if (!left_button) {
                target_x_ = std::clamp(to.x, 0.0f, 1.0f);
                target_y_ = std::clamp(to.y, 0.0f, 1.0f);
            }
            return !left_button;
        });
        window_.program.look.drag_meaning.add([](bool left_button) -> std::string {
            return left_button ? "" : "the target, whose dye at the end is J";
        });
        add_fields();
        window_.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            draw(picture, view);
            work(steps_a_picture);
        });
    }

    Asked asked() const {
        const Fluid& fluid = window_.fluid;
        return {window_.program.simulation.dt,
                fluid.force_x,
                fluid.force_y,
                fluid.force_z,
                fluid.rho,
                fluid.h,
                fluid.tolerance,
                steps_,
                fluid.iterations,
                fluid.solver};
    }

    workbook::GridCell target() const {
        const Fluid& fluid = window_.fluid;
        const auto cell = [](double share, int n) {
            return std::clamp(static_cast<int>(share * n), 0, n - 1);
        };
        return {cell(target_x_, fluid.nx), cell(target_y_, fluid.ny)};
    }

    /// From now on the run begins with the fluid as it is.
    void forget() {
        ahead_.reset();
        states_.clear();
        derivatives_.clear();
        backwards_.clear();
        now_ = 0;
    }

    /// A step was made. At the end of the run another one begins.
    void go_on() {
        ++now_;
        const bool is_in_run = now_ < static_cast<int>(states_.size());
        if (!is_in_run || now_ == steps_ || states_[now_].density != window_.fluid.density) {
            forget();
        }
    }

    /// Makes so many steps of the run, forwards or backwards, if there are some to make.
    void work(int steps) {
        if (!states_.empty() && made_of_ != asked()) {
            forget();
        }
        const int made = static_cast<int>(states_.size()) - 1;
        if (made < steps_) {
            work_forwards(std::min(steps, made < 0 ? steps_ : steps_ - made));
        } else if (!is_ready()) {
            work_backwards(steps);
        }
    }

    void work_forwards(int steps) {
        if (states_.empty()) {
            window_.apply();
            made_of_ = asked();
            ahead_ = window_.fluid;
        } else {
            states_.pop_back();  // it is the first one of what follows
        }
        const std::vector<State> made = run_forwards(*ahead_, steps, made_of_.dt);
        states_.insert(states_.end(), made.begin(), made.end());
    }

    /// Runs back from the end, or from where it has come to. Once it is at the start, what it has
    /// found is shown.
    void work_backwards(int steps) {
        const workbook::GridCell cell = target();
        if (backwards_.empty() || !is_same(cell, of_backwards_)) {
            of_backwards_ = cell;
            Derivative by = zero_derivative(*ahead_);
            by.density(cell.i, cell.j, window_.box.layer) = 1.0;
            backwards_ = {by};
        }
        const int left = steps_ + 1 - static_cast<int>(backwards_.size());
        const auto to = states_.begin() + left;
        const std::vector<State> part(to - std::min(left, steps), to + 1);
        std::vector<Derivative> made =
            run_backwards(*ahead_, part, backwards_.front(), made_of_.dt);
        made.resize(part.size(), zero_derivative(*ahead_));
        made.insert(made.end(), backwards_.begin() + 1, backwards_.end());
        backwards_.swap(made);
        if (backwards_.size() == states_.size()) {
            derivatives_.swap(backwards_);
            of_target_ = of_backwards_;
            backwards_.clear();
        }
    }

    static bool is_same(workbook::GridCell one, workbook::GridCell other) {
        return one.i == other.i && one.j == other.j;
    }

    /// Whether the derivatives of the dye in the target are known.
    bool is_ready() const {
        return static_cast<int>(states_.size()) == steps_ + 1 && made_of_ == asked() &&
               !derivatives_.empty() && is_same(target(), of_target_);
    }

    /// Makes whatever is missing of the run.
    void finish() {
        while (!is_ready()) {
            work(steps_);
        }
    }

    /// A picture without a window shows all of it.
    void finish_without_window() {
        if (!window_.program.session.has_window) {
            finish();
        }
    }

    /// The derivatives of the dye in the target at the end, by the fluid as it is now. A window
    /// finds them while it shows pictures. Until then it has those of the target before, or 0.
    const Derivative& now() {
        finish_without_window();
        return derivatives_.empty() ? nothing_ : derivatives_[now_];
    }

    /// The dye in the target at the end.
    double end() {
        finish_without_window();
        const workbook::GridCell cell = target();
        const bool is_known = static_cast<int>(states_.size()) == steps_ + 1;
        return is_known ? states_.back().density(cell.i, cell.j, window_.box.layer) : 0.0;
    }

    /// The change of the velocity in a cell that raises J the most, for its size.
    Vector best_push(int i, int j) {
        const Velocity& by = now().velocity;
        const int k = window_.box.layer;
        return {by.u(i, j, k) + by.u(i + 1, j, k), by.v(i, j, k) + by.v(i, j + 1, k), 0.0};
    }

    /// Pushes the fluid along the derivative.
    void push() {
        finish();
        const Derivative by = now();
        push_along(window_.fluid, by.velocity, fastest_push_);
        forget();
    }

    /// Writes the derivatives by the fluid as it is now. Each column has the derivatives by the one
    /// of this name in a state file. Where a column has no number in a row, nothing is written.
    void write(const workbook::OutputFile& output) {
        finish();
        const Derivative& by = now();
        const Field* const columns[] = {&by.density, &by.velocity.u, &by.velocity.v,
                                        &by.velocity.w};
        std::string text = "i,j,k,density,u,v,w\n";
        const Fluid& fluid = window_.fluid;
        const Field rows(fluid.nx + 1, fluid.ny + 1, fluid.nz + 1, {0, 0, 0});
        for_each_point(rows, [&](int i, int j, int k) {
            text += std::to_string(i) + ',' + std::to_string(j) + ',' + std::to_string(k);
            for (const Field* column : columns) {
                text += ',';
                if (column->has(i, j, k)) {
                    workbook::append_digits(text, (*column)(i, j, k));
                }
            }
            text += '\n';
        });
        output.write(text);
    }

    void add_fields() {
        auto& fields = window_.program.description.fields;
        const auto strength = [this](int i, int j) {
            const Vector push = best_push(i, j);
            return static_cast<float>(std::hypot(push.x, push.y));
        };
        const auto share = [this](int i, int j) {
            return static_cast<float>(now().density(i, j, window_.box.layer));
        };
        fields.insert(fields.begin(), {"push", strength, 0.0f, false, "J for a velocity of 1",
                                       workbook::Palette::warm});
        fields.insert(fields.begin() + 1, {"origin", share, 0.0f, false, "J for dye of 1"});
    }

    void draw(workbook::Picture& picture, const workbook::View& view) {
        finish_without_window();
        const std::string& name = window_.program.shown_field().name;
        if (name == "push" || name == "origin") {
            draw_dye_over(picture, view, window_.fluid, window_.box.layer);
        }
        if (name == "push") {
            draw_pushes(picture, view);
        }
        draw_target(picture, view);
    }

    /// Arrows along the best push, the longest one as long as two cells of the tutorial's grid.
    void draw_pushes(workbook::Picture& picture, const workbook::View& view) {
        double strongest = 0.0;
        for (int j = 0; j < window_.fluid.ny; ++j) {
            for (int i = 0; i < window_.fluid.nx; ++i) {
                const Vector push = best_push(i, j);
                strongest = std::max(strongest, std::hypot(push.x, push.y));
            }
        }
        if (strongest > 0.0) {
            const auto arrow = [&](int i, int j) {
                const Vector push = best_push(i, j);
                return std::pair(static_cast<float>(push.x / strongest),
                                 static_cast<float>(push.y / strongest));
            };
            workbook::draw_arrows(picture, view, arrow, 48.0f);
        }
    }

    /// How much of the run there and back is known, from 0 to 1.
    double share_known() const {
        if (is_ready()) {
            return 1.0;
        }
        const double made = 1.0 * states_.size() + 1.0 * backwards_.size();
        return made / (2.0 * (steps_ + 1));
    }

    /// A ring around the target. Until the derivatives are known it is open: it grows with them.
    void draw_target(workbook::Picture& picture, const workbook::View& view) {
        const workbook::GridCell cell = target();
        const float x = view.x(static_cast<float>(cell.i));
        const float y = view.y(static_cast<float>(cell.j));
        const float radius = 2.5f * std::max(view.cell, 4.0f * picture.scale);
        constexpr int corners = 48;
        const int drawn = static_cast<int>(corners * share_known());
        for (int n = 0; n < drawn; ++n) {
            const auto at = [&](int corner) {
                const float angle = 6.2831853f * static_cast<float>(corner) / corners;
                return std::pair(x + radius * std::cos(angle), y + radius * std::sin(angle));
            };
            const auto [x0, y0] = at(n);
            const auto [x1, y1] = at(n + 1);
            picture.line(x0, y0, x1, y1, {255, 255, 255});
        }
    }

    Window<Fluid>& window_;
    int steps_ = 60;
    float target_x_ = 0.74f, target_y_ = 0.79f;  ///< in widths and heights of the box
    double fastest_push_ = 0.2;
    Asked made_of_ = {};
    std::optional<Fluid> ahead_;  ///< the fluid at the last of these states
    std::vector<State> states_;
    std::vector<Derivative> derivatives_;  ///< of the dye in of_target_ at the end, by each state
    std::vector<Derivative> backwards_;  ///< the same for of_backwards_, by the last states so far
    workbook::GridCell of_target_ = {-1, -1}, of_backwards_ = {-1, -1};
    Derivative nothing_ = zero_derivative(Fluid(1, 1, 1));
    int now_ = 0;  ///< the number of the present state
};
