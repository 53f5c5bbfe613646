// The lift as a curve, below the grid or over its lower corner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common/draw/faces.hpp"
#include "window/forces.hpp"
#include "window/window.hpp"

/// Keeps the lift of the last steps and draws it, where there is a body. A key hides it. It must
/// stay where it is.
template <class Fluid>
class LiftCurve {
  public:
    LiftCurve(Window<Fluid>& window, const Forces<Fluid>& forces) : forces_(forces) {
        window.add_key('y', "the plot of the lift", [this] { is_shown_ = !is_shown_; });
        window.at_reset.add([this](workbook::Box) { lifts_.clear(); });
        window.after_step.add([this](double) { keep(); });
        window.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            if (is_shown_ && forces_.has_body() && lifts_.size() > 1) {
                draw(picture, view);
            }
        });
    }
    LiftCurve(const LiftCurve&) = delete;  // the window refers to it
    LiftCurve& operator=(const LiftCurve&) = delete;

    /// The pixels that it needs below the grid.
    int room() const { return height + 12; }

  private:
    static constexpr int width = 260, height = 76;
    static constexpr std::size_t most_kept = 600;
    static constexpr workbook::Colour grey = {150, 150, 155}, white = {255, 255, 255},
                                      yellow = {242, 193, 78};

    void keep() {
        lifts_.push_back(static_cast<float>(forces_.now().lift));
        if (lifts_.size() > most_kept) {
            lifts_.erase(lifts_.begin());
        }
    }

    void draw(workbook::Picture& picture, const workbook::View& view) const {
        const int x = static_cast<int>(view.left) + 6;
        const int bottom = static_cast<int>(view.top + view.cell * static_cast<float>(view.rows));
        const bool has_room = view.top > static_cast<float>(height + 8);  // as much below as above
        const int y = has_room ? bottom + 6 : bottom - height - 6;
        if (!has_room && hides_much(view)) {
            return;
        }
        const double lift = workbook::without_rounding(forces_.now().lift);
        picture.shade(x, y, width, height);
        picture.outline(x, y, width, height, grey);
        picture.text(x + 6, y + 4, "lift " + workbook::in_few_words(lift), white, 1);
        draw_curve(picture, x, y);
    }

    /// Whether it would hide half of the fluid's height, or a quarter of all, where it lies on it.
    static bool hides_much(const workbook::View& view) {
        const float fluid_width = view.cell * static_cast<float>(view.columns);
        const float fluid_height = view.cell * static_cast<float>(view.rows);
        return fluid_height < 2.0f * height + 6.0f ||
               fluid_width * fluid_height < 4.0f * width * height;
    }

    void draw_curve(workbook::Picture& picture, int x, int y) const {
        float largest = 0.01f;
        for (const float lift : lifts_) {
            largest = std::max(largest, std::abs(lift));
        }
        const float centre = static_cast<float>(y) + 0.58f * static_cast<float>(height);
        const float unit = 0.36f * static_cast<float>(height) / largest;
        const float apart = static_cast<float>(width - 12) / static_cast<float>(most_kept - 1);
        const auto left = static_cast<float>(x + 6);
        picture.line(left, centre, left + static_cast<float>(width - 12), centre, grey);
        for (std::size_t n = 1; n < lifts_.size(); ++n) {
            if (std::isfinite(lifts_[n]) && std::isfinite(lifts_[n - 1])) {
                picture.line(left + apart * static_cast<float>(n - 1),
                             centre - unit * lifts_[n - 1], left + apart * static_cast<float>(n),
                             centre - unit * lifts_[n], yellow);
            }
        }
    }

    const Forces<Fluid>& forces_;
    std::vector<float> lifts_;  ///< of the last steps
    bool is_shown_ = true;
};
