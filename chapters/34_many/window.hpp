// Given: what the window shows of the ranks, their borders and a bar for each one's time. Include
// many.hpp first.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "34_many/session.hpp"
#include "common/app/program.hpp"
#include "common/draw/cells.hpp"

namespace many {

/// What of the window is this chapter's own.
struct Shown {
    bool borders = true, bars = true;
    bool has_window = false;  ///< something has been shown already
    workbook::Program* program = nullptr;
    const workbook::Choice* solver = nullptr;

    /// Whether all ranks make the steps: then the last solver is chosen.
    bool is_on_all() const { return solver->chosen == static_cast<int>(solver->names.size()) - 1; }
};

/// Makes a step, on all ranks if their solver is chosen. Where that is refused, since the fluid is
/// too fast, an open window does not close for it: the first rank makes the step alone.
inline void make_step(Shown& shown, Fluid& fluid, double dt) {
    if (!shown.is_on_all()) {
        step(fluid, dt);
        return;
    }
    try {
        session()->make_steps(fluid, dt, 1);
    } catch (const workbook::InputError& error) {
        if (!shown.has_window) {
            throw;
        }
        step(fluid, dt);
        shown.program->screen.say(std::string("one rank made this step alone: ") + error.what());
    }
}

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
    constexpr int width = 200, height = 12;
    const int x = static_cast<int>(view.left) + 8;
    int y = static_cast<int>(view.top) + 8;
    for (std::size_t rank = 0; rank < session()->ranks.size(); ++rank, y += height + 6) {
        const Costs& costs = session()->ranks[rank].costs;
        const double share = costs.seconds > 0.0 ? costs.waiting / costs.seconds : 0.0;
        const int computing = static_cast<int>(width * (1.0 - std::clamp(share, 0.0, 1.0)));
        picture.shade(x - 4, y - 3, width + 300, height + 6);
        picture.rectangle(x, y, width, height, {190, 90, 60});
        picture.rectangle(x, y, computing, height, {120, 190, 250});
        picture.text(x + width + 8, y - 2,
                     "rank " + std::to_string(rank) + ": waits " +
                         std::to_string(std::lround(100.0 * share)) + " %",
                     {235, 235, 235}, 1);
    }
}

/// Tells the program what it needs to know of the ranks. `solver` is on all of them if it is the
/// last one.
inline void connect(workbook::Program& program, Shown& shown, Fluid& fluid,
                    workbook::Choice& solver, const int& layer) {
    solver.names.push_back("petsc");
    solver.chosen = static_cast<int>(solver.names.size()) - 1;
    shown.program = &program;
    shown.solver = &solver;
    program.simulation.refuse = [&shown, refuse = program.simulation.refuse](workbook::Box box) {
        const bool is_shared = share_box({box.nx, box.ny, box.nz}, count_ranks())[0] > 0;
        return !shown.is_on_all() ? refuse(box)
               : is_shared        ? std::string()
                                  : std::to_string(count_ranks()) + " ranks cannot share " +
                                 std::to_string(box.nx) + " x " + std::to_string(box.ny) + " x " +
                                 std::to_string(box.nz) +
                                 " cells, since each must own one along every axis; choose fewer "
                                 "ranks";
    };
    program.look.draw = [&shown, draw = program.look.draw](workbook::Picture& picture,
                                                           workbook::Rectangle area) {
        shown.has_window = true;
        return draw(picture, area);
    };
    program.look.draw_over = [&, draw_over = program.look.draw_over](workbook::Picture& picture,
                                                                     const workbook::View& view) {
        if (shown.borders && session()->ranks.size() > 1) {
            draw_borders(picture, view, layer);
        }
        if (shown.bars && session()->ranks.size() > 1) {
            draw_bars(picture, view);
        }
        draw_over(picture, view);
    };
    program.description.keys.push_back(
        {'o', "who owns which cells", [&] { shown.borders = !shown.borders; }});
    program.description.keys.push_back(
        {'w', "the ranks' time waiting", [&] { shown.bars = !shown.bars; }});
    program.description.outputs.push_back(
        {"--pvti", "write a piece for each rank, for ParaView",
         [&fluid](const workbook::OutputFile& output) { session()->write(fluid, output); }});
}

}  // namespace many
