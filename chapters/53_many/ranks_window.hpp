// Given: the ranks in a window, their borders and a bar for each one's time. Include many.hpp
// first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "53_many/session.hpp"
#include "common/draw/cells.hpp"
#include "window/window.hpp"

namespace many {

/// Draws a line around each rank's cells in the layer that is shown.
inline void draw_borders(workbook::Picture& picture, const workbook::View& view, int layer) {
    const workbook::Colour colour = {255, 255, 255};
    for (const RankState& rank : session()->ranks) {
        if (rank.begin[2] <= layer && layer < rank.end[2]) {
            const float left = view.left + view.cell * static_cast<float>(rank.begin[0]);
            const float right = view.left + view.cell * static_cast<float>(rank.end[0]);
            const float top = view.top + view.cell * static_cast<float>(rank.begin[1]);
            const float bottom = view.top + view.cell * static_cast<float>(rank.end[1]);
            picture.outline(static_cast<int>(left), static_cast<int>(top),
                            static_cast<int>(right - left), static_cast<int>(bottom - top), colour);
        }
    }
}

/// Draws a bar for each rank: the part of its last step that it has computed, and, darker, the part
/// that it has waited for other ranks.
inline void draw_bars(workbook::Picture& picture, const workbook::View& view) {
    const int width = picture.scaled(200);
    const int height = picture.scaled(12);
    const int margin = picture.scaled(8);
    const int x = static_cast<int>(view.left) + margin;
    int y = static_cast<int>(view.top) + margin;
    for (std::size_t rank = 0; rank < session()->ranks.size(); ++rank) {
        const Costs& costs = session()->ranks[rank].costs;
        const double share = costs.seconds > 0.0 ? costs.waiting / costs.seconds : 0.0;
        const int computing = static_cast<int>(width * (1.0 - std::clamp(share, 0.0, 1.0)));
        picture.shade(x - picture.scaled(4), y - picture.scaled(3), picture.scaled(500),
                      picture.scaled(18));
        picture.rectangle(x, y, width, height, {190, 90, 60});
        picture.rectangle(x, y, computing, height, {120, 190, 250});
        picture.text(x + width + margin, y - picture.scaled(2),
                     "rank " + std::to_string(rank) + ": waits " +
                         std::to_string(std::lround(100.0 * share)) + " %",
                     {235, 235, 235}, picture.letters(1));
        y += picture.scaled(18);
    }
}

/// Lets all ranks make the steps of a window, and shows them.
class RanksWindow {
  public:
    explicit RanksWindow(Window<Fluid>& window) : window_(window) {
        window.add({"computes", &computes_, "which ranks make the steps"});
        window.advance = [this](double dt) { advance(dt); };
        window.refuse.add([this](workbook::Box box) {
            return is_on_all() ? why_not({box.nx, box.ny, box.nz}) : std::string();
        });
        window.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            draw(picture, view);
        });
        window.add_key('m', "who owns which cells", [this] { borders_ = !borders_; });
        window.add_key('w', "the ranks' time waiting", [this] { bars_ = !bars_; });
        window.program.description.outputs.push_back({"--pvti",
                                                      "write a piece for each rank, for ParaView",
                                                      [this](const workbook::OutputFile& output) {
                                                          session()->write(window_.fluid, output);
                                                      }});
    }

  private:
    /// Whether all ranks make the steps.
    bool is_on_all() const { return computes_.chosen == 0; }

    void advance(double dt) {
        if (is_on_all()) {
            session()->make_steps(window_.fluid, dt, 1);
        } else {
            step(window_.fluid, dt);
        }
    }

    void draw(workbook::Picture& picture, const workbook::View& view) const {
        const bool are_many = session()->ranks.size() > 1;
        if (borders_ && are_many) {
            draw_borders(picture, view, window_.box.layer);
        }
        if (bars_ && are_many) {
            draw_bars(picture, view);
        }
    }

    Window<Fluid>& window_;
    workbook::Choice computes_ = {0, {"all", "first"}};
    bool borders_ = true, bars_ = true;
};

}  // namespace many
