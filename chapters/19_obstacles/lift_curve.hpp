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

    /// The pixels that it needs below the grid, in a picture of scale 1.
    int room() const { return height + 12; }

  private:
    static constexpr int width = 260, height = 76;  ///< in a picture of scale 1
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
        const int margin = picture.scaled(6);
        const int wide = picture.scaled(width);
        const int high = picture.scaled(height);
        const int x = static_cast<int>(view.left) + margin;
        const int bottom = static_cast<int>(view.top + view.cell * static_cast<float>(view.rows));
        const auto needed = static_cast<float>(picture.scaled(height + 8));
        const bool has_room = view.top > needed;  // as much below as above
        const int y = has_room ? bottom + margin : bottom - high - margin;
        if (!has_room && hides_much(view, picture.scale)) {
            return;
        }
        const double lift = workbook::without_rounding(forces_.now().lift);
        picture.shade(x, y, wide, high);
        picture.outline(x, y, wide, high, grey);
        picture.text(x + margin, y + picture.scaled(4), "lift " + workbook::in_few_words(lift),
                     white, picture.letters(1));
        draw_curve(picture, {x, y, wide, high});
    }

    /// Whether it would hide half of the fluid's height, or a quarter of all, where it lies on it.
    static bool hides_much(const workbook::View& view, float scale) {
        const float cell = view.cell / scale;  // as wide as it would be at scale 1
        const float fluid_width = cell * static_cast<float>(view.columns);
        const float fluid_height = cell * static_cast<float>(view.rows);
        return fluid_height < 2.0f * height + 6.0f ||
               fluid_width * fluid_height < 4.0f * width * height;
    }

    void draw_curve(workbook::Picture& picture, workbook::Rectangle place) const {
        float largest = 0.01f;
        for (const float lift : lifts_) {
            largest = std::max(largest, std::abs(lift));
        }
        const auto high = static_cast<float>(place.height);
        const float centre = static_cast<float>(place.y) + 0.58f * high;
        const float unit = 0.36f * high / largest;
        const int margin = picture.scaled(6);
        const auto left = static_cast<float>(place.x + margin);
        const auto length = static_cast<float>(place.width - 2 * margin);
        const float apart = length / static_cast<float>(most_kept - 1);
        picture.line(left, centre, left + length, centre, grey);
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
