// The race of all solvers on one right-hand side: each runs for as much work as the others.
// Include solver.hpp first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <locale>
#include <string>
#include <vector>

#include "52_fast/lanes.hpp"
#include "common/app/program.hpp"

namespace race {

constexpr double most_cell_sweeps = 5e7;  // of a lane: a larger box gets fewer sweeps

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

}  // namespace race
