// The race of all solvers on one right-hand side: who runs, what was measured, and how it is drawn.
// Include solver.hpp first.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <locale>
#include <string>
#include <utility>
#include <vector>

#include "33_fast/contestants.hpp"
#include "common/app/program.hpp"
#include "common/draw/caption.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/words.hpp"

namespace race {

constexpr double least_residual = 1e-12;  // the lower end of the plot; no lane runs beyond it
constexpr double most_cell_sweeps = 5e7;  // of a lane: a larger box gets fewer sweeps
constexpr double most_cells_for_factors = 70000;  // beyond, a direct solver takes too long

// ---- Right-hand sides --------------------------------------------------------------------------

/// Numbers without any pattern, from -1 to 1, the same on every machine.
inline void random_rhs(Field& rhs) {
    std::uint32_t seed = 11;
    for (double& value : rhs.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

/// Half a wave across each axis that has more than one cell.
inline void smooth_rhs(Field& rhs) {
    const auto wave = [](int i, int n) {
        return n > 1 ? std::cos(std::acos(-1.0) * (i + 0.5) / n) : 0.0;
    };
    for (int k = 0; k < rhs.nz; ++k) {
        for (int j = 0; j < rhs.ny; ++j) {
            for (int i = 0; i < rhs.nx; ++i) {
                rhs(i, j, k) = wave(i, rhs.nx) + 0.7 * wave(j, rhs.ny) + 0.4 * wave(k, rhs.nz);
            }
        }
    }
}

/// A fluid that is ready to solve for its pressure, with the right-hand side of that number:
/// random, smooth, or that of the fluid's own next projection.
inline Fluid prepared(Fluid fluid, int right_side, double dt) {
    if (right_side == 0) {
        random_rhs(fluid.rhs);
    } else if (right_side == 1) {
        smooth_rhs(fluid.rhs);
    } else {
        advect_velocity(fluid, dt);
        add_force(fluid, dt);
        right_hand_side(fluid, dt);
    }
    subtract_mean(fluid.rhs);
    fluid.tolerance = least_residual;
    return fluid;
}

// ---- Lanes -------------------------------------------------------------------------------------

/// What one solver did, run once from p = 0.
struct Result {
    std::vector<double> residuals;  ///< at first, then after each iteration
    double work = 1.0;  ///< of an iteration, in sweeps: one looks at each cell once
    double seconds = 0.0;  ///< of an iteration, its residual included
    Field p;
};

/// Runs a solver for at most so many iterations, from p = 0.
using Run = std::function<Result(const Fluid&, int iterations)>;

/// One solver in the race.
struct Lane {
    std::string name;
    Run run;
    double work = 1.0;  ///< of an iteration, as far as is known before it has run
    Result result;
    double reaches = 0.0;  ///< the work that it has been run for
    bool done = false;  ///< there is nothing to be won by running it longer
};

inline double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// A solver of the chapters, whose iteration costs so many sweeps.
inline Run by(Solver solver, double work) {
    return [=](const Fluid& prepared, int iterations) {
        Fluid fluid = prepared;
        fluid.solver = solver;
        fluid.iterations = iterations;
        const double start = seconds_now();
        solve_pressure(fluid);
        const double seconds = seconds_now() - start;
        const double count = std::max(1.0, static_cast<double>(fluid.residuals.size()) - 1.0);
        Result result = {fluid.residuals, work, seconds / count, fluid.pressure};
        if (solver == Solver::DIRECT && fluid.factors) {
            const auto& factor = fluid.factors->matrixL().nestedExpression();
            result.work = 2.0 * static_cast<double>(factor.nonZeros()) /
                          static_cast<double>(fluid.rhs.values.size());
        }
        return result;
    };
}

/// A contestant that no chapter has: improve(p) does one iteration and returns its work.
template <class Improve>
Result iterate(const Fluid& prepared, int iterations, Improve improve) {
    Field p = prepared.rhs;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    std::vector<double> residuals = {residual(p, prepared.rhs)};
    double work = 0.0;
    const double start = seconds_now();
    while (residuals.back() > least_residual && static_cast<int>(residuals.size()) <= iterations) {
        work += improve(p);
        residuals.push_back(residual(p, prepared.rhs));
    }
    const double count = std::max(1.0, static_cast<double>(residuals.size()) - 1.0);
    return {residuals, work / count, (seconds_now() - start) / count, p};
}

inline Result run_cosines(const Fluid& fluid, int) {
    return iterate(fluid, 1, [&](Field& p) {
        solve_by_cosines(p, fluid.rhs);
        return 2.0 * std::log2(static_cast<double>(p.values.size()) + 1.0);
    });
}

/// The work of a V-cycle. Its two sweeps, residual and prolongation cost four sweeps, and as much
/// for each of the coarser grids' cells.
inline double work_of_cycle(const Fluid& fluid) {
    return fluid.nz > 1 ? 32.0 / 7.0 : 16.0 / 3.0;
}

/// The library alone. Nobody can look at its pressure between two V-cycles, so each residual is
/// that of a run from the start, with one cycle more than the run before. What is timed is all that
/// it takes to get p from the last of them: its share of the whole step, and of the copies there
/// and back, but not the creation of the fluid.
inline Result run_library(const Fluid& fluid, int iterations) {
    Field p = fluid.rhs;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    Result result = {{residual(p, fluid.rhs)}, work_of_cycle(fluid), 0.0, p};
    for (int cycles = 1; cycles <= std::min(iterations, 1000); ++cycles) {
        LibrarySolver solver(fluid.rhs, least_residual, cycles, fluid.threads);
        const double start = seconds_now();
        solver.solve(result.p, fluid.rhs);
        const double seconds = seconds_now() - start;
        if (solver.cycles() < cycles) {
            break;  // float is at its end, or there is nothing to do
        }
        result.residuals.push_back(residual(result.p, fluid.rhs));
        result.seconds = seconds / cycles;
    }
    return result;
}

constexpr int cycles_to_refine = 2;  // of the library, in an iteration of refinement

inline Result run_refinement(const Fluid& fluid, int iterations) {
    LibrarySolver solver(fluid.rhs, 0.0, cycles_to_refine, fluid.threads);
    return iterate(fluid, iterations, [&](Field& p) {
        refine(solver, p, fluid.rhs);
        return 1.0 + cycles_to_refine * work_of_cycle(fluid);
    });
}

/// The cells of multigrid's coarsest grid.
inline double coarsest_cells(int nx, int ny, int nz) {
    const auto halves = [](int n) { return n == 1 || n % 2 == 0; };
    while (nx * ny * nz > 1 && halves(nx) && halves(ny) && halves(nz)) {
        nx = (nx + 1) / 2;
        ny = (ny + 1) / 2;
        nz = (nz + 1) / 2;
    }
    return static_cast<double>(nx) * ny * nz * (nz > 1 ? 8.0 : 1.0);
}

/// Everybody that is able to run in that box.
inline std::vector<Lane> all_lanes(const Fluid& fluid) {
    const double cycle = work_of_cycle(fluid);
    const double passes = fluid.sweeps_at_once;
    std::vector<Lane> lanes;
    const auto add = [&](const char* name, double work, Run run) {
        lanes.push_back({name, std::move(run), work, {{}, work, 0.0, fluid.rhs}});
    };
    const auto add_solver = [&](const char* name, Solver solver, double work) {
        add(name, work, by(solver, work));
    };
    add_solver("Jacobi", Solver::JACOBI, 1.0);
    add_solver("Gauss-Seidel", Solver::GAUSS_SEIDEL, 1.0);
    add_solver("red-black", Solver::RED_BLACK, 1.0);
    add_solver("fused", Solver::FUSED, passes);
    add_solver("SOR", Solver::OVER_RELAXATION, 1.0);
    add_solver("CG", Solver::CONJUGATE_GRADIENTS, 2.0);
    add_solver("SGS-PCG", Solver::PRECONDITIONED, 4.0);
    if (coarsest_cells(fluid.nx, fluid.ny, fluid.nz) <= most_cells_for_factors) {
        add_solver("MG-PCG", Solver::MULTIGRID_PRECONDITIONED, 2.0 + cycle);
        add_solver("multigrid", Solver::MULTIGRID, cycle);
    }
    add("iterative refinement", 1.0 + cycles_to_refine * cycle, run_refinement);
    add("library", cycle, run_library);
    add("DCT", 1.0, run_cosines);
    if (static_cast<double>(fluid.rhs.values.size()) * (fluid.nz > 1 ? 8.0 : 1.0) <=
        most_cells_for_factors) {
        add_solver("LDLT", Solver::DIRECT, 1.0);
    }
    return lanes;
}

// ---- The race ----------------------------------------------------------------------------------

struct Race {
    workbook::Choice view{0, {"race", "fluid"}};
    workbook::Choice right_side{0, {"random", "smooth", "fluid"}};
    workbook::Choice measure{0, {"work", "time"}};
    double sweeps = 2.0;  ///< the work that each lane may do in a step
    double allowed = 0.0;  ///< and in all
    Fluid fluid{1, 1, 1};  ///< with the right-hand side that all solve for
    std::vector<Lane> lanes;
};

/// Puts all lanes to the start. Returns whether there is anything to solve for.
inline bool line_up(Race& race, const Fluid& fluid, double dt) {
    race.fluid = prepared(fluid, race.right_side.chosen, dt);
    race.lanes = all_lanes(race.fluid);
    race.allowed = 0.0;
    return dot(race.fluid.rhs, race.fluid.rhs) > 0.0;
}

/// Cuts off what came after ten iterations that won nothing. Returns whether there was such.
inline bool cut_stalled(std::vector<double>& residuals) {
    for (std::size_t k = 10; k < residuals.size(); ++k) {
        if (residuals[k] < 1e-3 && residuals[k] > 0.999 * residuals[k - 10]) {
            residuals.resize(k + 1);
            return true;
        }
    }
    return false;
}

/// Runs each lane for as much work as is allowed, from the start: a solver is one function, which
/// nobody can stop on its way. So a lane that must be run again is run for twice as much as before.
inline void catch_up(Race& race) {
    const double most =
        std::max(100.0, most_cell_sweeps / static_cast<double>(race.fluid.rhs.values.size()));
    for (Lane& lane : race.lanes) {
        if (lane.done || lane.reaches >= race.allowed) {
            continue;
        }
        lane.reaches = std::min(most, std::max(race.allowed, 2.0 * lane.reaches));
        const double iterations = std::max(1.0, std::floor(lane.reaches / lane.work + 1e-9));
        lane.result = lane.run(race.fluid, static_cast<int>(iterations));
        std::vector<double>& residuals = lane.result.residuals;
        lane.work = lane.result.work;
        lane.done = cut_stalled(residuals) || lane.reaches >= most ||
                    static_cast<double>(residuals.size()) - 1.0 < iterations;
        lane.done = lane.done || lane.name == "DCT" || lane.name == "LDLT";
    }
}

/// How many of a lane's residuals may be seen: those that it would have by now.
inline std::size_t seen_of(const Race& race, const Lane& lane) {
    const double iterations = std::floor(race.allowed / lane.result.work + 1e-9);
    return std::min(lane.result.residuals.size(), static_cast<std::size_t>(iterations) + 1);
}

/// Everything that the race has measured so far, a line an iteration.
inline void write_csv(Race& race, const workbook::OutputFile& output) {
    catch_up(race);
    std::ofstream file = output.open();
    file.imbue(std::locale::classic());
    file.precision(17);
    file << "solver,iteration,work,seconds,residual\n";
    for (const Lane& lane : race.lanes) {
        for (std::size_t k = 0; k < lane.result.residuals.size(); ++k) {
            const double count = static_cast<double>(k);
            file << lane.name << ',' << k << ',' << count * lane.result.work << ','
                 << count * lane.result.seconds << ',' << lane.result.residuals[k] << '\n';
        }
    }
    output.close(file);
}

// ---- Drawing -----------------------------------------------------------------------------------

using workbook::Colour;
using workbook::Picture;
using workbook::Rectangle;

constexpr Colour words_colour = {235, 235, 235};
constexpr Colour dim_colour = {130, 135, 145};

/// A colour for each lane, told apart by colour-blind eyes: Okabe and Ito's, and lighter ones.
inline Colour colour_of(std::size_t lane) {
    static const Colour colours[] = {
        {230, 159, 0},   {86, 180, 233},  {0, 158, 115},   {240, 228, 66},  {0, 114, 178},
        {213, 94, 0},    {204, 121, 167}, {235, 235, 235}, {150, 150, 150}, {160, 220, 190},
        {250, 190, 160}, {150, 190, 250}, {255, 120, 120}};
    return colours[lane % std::size(colours)];
}

/// What a lane's p leaves of rhs in its middle layer, by powers of ten: white is as much as the
/// largest value of rhs, black 1e-8 of it.
inline workbook::ShownField residual_field(const Race& race, const Lane& lane) {
    const Field& rhs = race.fluid.rhs;
    const Field& p = lane.result.p;
    double most = 1e-300;
    for (const double value : rhs.values) {
        most = std::max(most, std::abs(value));
    }
    const auto value = [&rhs, &p, most](int i, int j) {
        const int k = p.nz / 2;
        const NeighbourSum found = neighbour_sum(p, i, j, k);
        const double r = rhs(i, j, k) - (found.count * p(i, j, k) - found.sum);
        return static_cast<float>(1.0 + std::log10(std::abs(r) / most + 1e-9) / 8.0);
    };
    return {"residual", value, 1.0f, false, "1: the largest right-hand side, 0: 1e-8 of it"};
}

/// A lane's name, in two lines, and how far it has come.
inline void draw_words_on_lane(Picture& picture, const Lane& lane, std::size_t seen, Colour colour,
                               Rectangle area) {
    const int line = workbook::letter_height;
    const std::vector<std::string> name = workbook::wrapped(lane.name, area.width - 8, 1);
    int y = area.y + 2 + (2 - static_cast<int>(name.size())) * line;
    for (const std::string& words : name) {
        picture.text(area.x + 4, y, words, colour, 1);
        y += line;
    }
    const std::string after = " after " + std::to_string(seen - 1);
    std::string words;
    for (const char* digits : {"%.3g", "%.2g", "%.1g"}) {  // as many as there is room for
        char residual[40];
        std::snprintf(residual, sizeof residual, digits, lane.result.residuals[seen - 1]);
        words = residual + after;
        if (workbook::text_width(words, 1) <= area.width - 4) {
            break;
        }
    }
    picture.text(area.x + 4, y, words, words_colour, 1);
}

/// Whether a lane of that width has room for words.
inline bool has_words(int width) {
    return width > 12 * workbook::letter_width;
}

/// The names of all lanes, one after the other. Returns how many pixels high they are.
inline int draw_names(Picture& picture, const Race& race, Rectangle area) {
    int x = area.x;
    int y = area.y;
    for (std::size_t number = 0; number < race.lanes.size(); ++number) {
        const std::string& name = race.lanes[number].name;
        const int width = workbook::text_width(name, 1);
        if (x > area.x && x + width > area.x + area.width) {
            x = area.x;
            y += workbook::letter_height;
        }
        picture.text(x, y, name, colour_of(number), 1);
        x += width + 2 * workbook::letter_width;
    }
    return y + workbook::letter_height - area.y;
}

inline void draw_lane(Picture& picture, const Race& race, std::size_t number, Rectangle area) {
    const Lane& lane = race.lanes[number];
    const std::size_t seen = seen_of(race, lane);
    if (has_words(area.width)) {
        draw_words_on_lane(picture, lane, seen, colour_of(number), area);
    }
    const int words = has_words(area.width) ? 3 * workbook::letter_height : 0;
    const Rectangle room = {area.x + 4, area.y + words + 4, area.width - 8,
                            area.height - words - 8};
    if (seen > 1 || lane.result.residuals.size() == 1) {
        draw_cells(picture, workbook::view_in(room, race.fluid.nx, race.fluid.ny, false),
                   residual_field(race, lane));
    } else if (has_words(area.width)) {
        picture.text(room.x + 8, room.y + 8, "at work", dim_colour, 1);
    }
}

/// Where the plot lies in the picture: work or seconds to the right, up to `most`, and residuals
/// downwards by powers of ten. What is larger than 10, or not a number, is at the top.
struct Plot {
    float left, right, top, bottom;
    double most;

    float x(double value) const { return left + (right - left) * static_cast<float>(value / most); }
    float y(double residual) const {
        const double size = residual < 10.0 ? std::max(residual, least_residual) : 10.0;
        return top + (bottom - top) * static_cast<float>((1.0 - std::log10(size)) / 13.0);
    }
};

inline void draw_curve(Picture& picture, const Plot& plot, const Lane& lane, double unit,
                       std::size_t seen, Colour colour) {
    float x0 = 0.0f;
    float y0 = 0.0f;
    for (std::size_t k = 0; k < seen; ++k) {
        const float x = plot.x(unit * static_cast<double>(k));
        const float y = plot.y(lane.result.residuals[k]);
        if (k > 0) {
            picture.line(x0, y0, x, y, colour);
            picture.line(x0, y0 + 1.0f, x, y + 1.0f, colour);
        }
        x0 = x;
        y0 = y;
    }
    picture.disc(x0, y0, 3.0f, colour);
}

/// All residuals against work or time, on a logarithmic scale.
inline void draw_plot_of_race(Picture& picture, const Race& race, Rectangle area) {
    const bool by_time = race.measure.chosen == 1;
    const auto unit = [&](const Lane& lane) {
        return by_time ? 1e3 * lane.result.seconds : lane.result.work;
    };
    double most = by_time ? 1e-3 : 10.0;
    for (const Lane& lane : race.lanes) {
        most = std::max(most, unit(lane) * (static_cast<double>(seen_of(race, lane)) - 1.0));
    }
    const Plot plot = {
        static_cast<float>(area.x + 52), static_cast<float>(area.x + area.width - 12),
        static_cast<float>(area.y + 18), static_cast<float>(area.y + area.height - 24), most};
    picture.outline(area.x, area.y, area.width, area.height, dim_colour);
    const float apart = (plot.bottom - plot.top) / 6.5f;  // a label must not touch the next one
    const int every = apart >= static_cast<float>(workbook::letter_height) ? 2 : 12;
    for (int power = 0; power >= -12; power -= every) {
        const float y = plot.y(std::pow(10.0, power));
        picture.line(plot.left, y, plot.right, y, {45, 48, 55});
        picture.text(area.x + 4, static_cast<int>(y) - workbook::letter_height / 2,
                     "1e" + std::to_string(power), dim_colour, 1);
    }
    const std::string below = std::string(by_time ? "milliseconds" : "work in sweeps") +
                              ", up to " + workbook::short_number(most);
    picture.text(static_cast<int>(plot.right) - workbook::text_width(below, 1),
                 static_cast<int>(plot.bottom) + 4, below, dim_colour, 1);
    for (std::size_t number = 0; number < race.lanes.size(); ++number) {
        const Lane& lane = race.lanes[number];
        draw_curve(picture, plot, lane, unit(lane), seen_of(race, lane), colour_of(number));
    }
}

/// Draws the residuals of all lanes, and the plot below them.
inline void draw(Picture& picture, Race& race, Rectangle area) {
    catch_up(race);
    const int columns = 7;
    const int width = area.width / columns;
    const bool named = has_words(width);
    const int line = workbook::letter_height;
    const int height = named ? std::max(40, std::min(width + 3 * line, area.height / 3))
                             : std::min(width, area.height / 6);
    for (std::size_t number = 0; number < race.lanes.size(); ++number) {
        const int place = static_cast<int>(number);
        draw_lane(
            picture, race, number,
            {area.x + place % columns * width, area.y + place / columns * height, width, height});
    }
    int below = area.y + 2 * height + 4;
    if (!named) {  // the names stand below the pictures, in the same order
        below += draw_names(picture, race, {area.x + 4, below, area.width - 8, 0});
    }
    draw_plot_of_race(picture, race,
                      {area.x + 4, below, area.width - 8, area.y + area.height - below - 4});
}

// ---- In the window -----------------------------------------------------------------------------

inline void add_parameters_and_keys(workbook::Program& program, Race& race, Fluid& fluid) {
    program.description.parameters.insert(
        program.description.parameters.end(),
        {{"view", &race.view, "what is shown, and what a step does"},
         {"right_side", &race.right_side, "what the race solves for"},
         {"measure", &race.measure, "what the horizontal axis of the plot counts"},
         {"sweeps", &race.sweeps, "the work of each solver in a step, in sweeps", 1000.0, 0.01},
         {"sweeps_at_once", &fluid.sweeps_at_once, "how many sweeps are fused into one pass", 100.0,
          1.0}});
    const auto start_again = [&] { return line_up(race, fluid, program.simulation.dt); };
    const auto next_side = [&, start_again] {
        race.right_side.chosen = (race.right_side.chosen + 1) % 3;
        const bool flows = start_again();
        program.screen.say("right-hand side: " + race.right_side.names[race.right_side.chosen] +
                           (flows ? "" : ", but nothing flows (A, then drag)"));
    };
    const auto larger_box = [&] {
        const int n = fluid.nx >= 512 ? 16 : 2 * fluid.nx;
        program.simulation.box = {n, n, 1};
        program.simulation.box = workbook::box_of(workbook::Shape::cube, n);
        program.simulation.reset_box(program.simulation.box);
    };
    program.description.keys.insert(
        program.description.keys.end(),
        {{'a', "the race, or the fluid", [&] { race.view.chosen = 1 - race.view.chosen; }},
         {'b', "another right-hand side: random, smooth, the fluid's", next_side},
         {'t', "plot against work or time", [&] { race.measure.chosen = 1 - race.measure.chosen; }},
         {'o', "all lanes start over", start_again},
         {'e', "the next larger box", larger_box}});
}

/// Puts the race before the fluid in a program that shows the fluid already, and lets it go on with
/// each step. The race, the fluid and the program must stay where they are.
inline void connect(workbook::Program& program, Race& race, Fluid& fluid) {
    program.description.threads = &fluid.threads;
    add_parameters_and_keys(program, race, fluid);
    program.description.outputs.push_back(
        {"--csv", "write what the race has measured",
         [&](const workbook::OutputFile& output) { write_csv(race, output); }});
    program.simulation.reset_box = [&, reset = program.simulation.reset_box](workbook::Box box) {
        const int threads = fluid.threads;
        reset(box);
        fluid.threads = threads;
        race.lanes.clear();
    };
    program.simulation.step = [&, step = program.simulation.step](double dt) {
        if (race.view.chosen == 0) {
            if (race.lanes.empty()) {
                line_up(race, fluid, dt);
            }
            race.allowed += race.sweeps;
        }
        step(dt);  // the fluid runs on behind the race
    };
    program.look.draw = [&, draw_fluid = program.look.draw](Picture& picture, Rectangle area) {
        if (race.view.chosen == 0 && !race.lanes.empty()) {
            draw(picture, race, area);
            return true;
        }
        return draw_fluid && draw_fluid(picture, area);
    };
    program.look.picture_size = [&, size = program.look.picture_size](bool still) {
        return race.view.chosen == 0 ? workbook::Size{960, 800}
               : size                ? size(still)
                                     : workbook::natural_size(fluid.nx, fluid.ny);
    };
    program.simulation.bytes =
        [bytes = program.simulation.bytes](workbook::Box box) {  // each lane keeps a pressure
            return bytes(box) + 80.0 * sizeof(double) * box.nx * box.ny * box.nz;
        };
}

}  // namespace race
