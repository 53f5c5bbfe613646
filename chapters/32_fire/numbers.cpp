// The table behind --numbers: what expands and what flows out, how a patch grows, and the colours
// of hot soot. With --long the patch grows on a finer grid, too.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "32_fire/burners.hpp"
#include "32_fire/growth.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "common/draw/black_body.hpp"
#include "common/draw/faces.hpp"
#include "window/measures.hpp"
#include "window/sources.hpp"

namespace {

using namespace workbook;

/// Patches that explode in a vessel, whose upper side may be open.
Fluid vessel(bool is_open) {
    Fluid fluid(32, 48, 1);
    fluid.h = 1.0 / 32;
    fluid.advection = Advection::SHARP;
    fluid.tolerance = 1e-8;
    fluid.expands = 1.0;
    fluid.gravity = 9.81;
    fluid.burning = 12.0;
    fluid.radiation = 1300.0;
    fluid.sides[2].opening = is_open ? Opening::OUTFLOW : Opening::CLOSED;
    place_patches(fluid, 30, 0.2, 0.4, 1000.0);
    return fluid;
}

void add_burning(Numbers& numbers) {
    Fluid fluid = vessel(true);
    fluid.ignition = 100.0;
    const double fuel = total(fluid.fuel);
    fluid.soot = 1.0;
    burn(fluid, 0.05);
    numbers.checked("fuel left plus fuel burnt in 0.05 s, over the fuel before", 1.0,
                    (total(fluid.fuel) + total(fluid.smoke)) / fuel, 1e-12, "nothing is lost");
    Fluid gas(1, 1, 1);
    gas.radiation = 3000.0;
    for (const double dt : {0.1, 10.0}) {
        gas.temperature.values[0] = 1900.0;
        radiate(gas, dt);
        numbers.checked("1900 kelvin above outside, after " + in_few_words(dt) + " s of radiation",
                        1900.0 * std::pow(1.0 + 3.0 * 3000.0 * dt / 1900.0, -1.0 / 3.0),
                        gas.temperature.values[0], 1e-9, "the solution of the equation");
    }
}

void add_weight(Numbers& numbers) {
    Fluid gas(1, 2, 1);
    gas.gravity = 1.0;
    gas.temperature(0, 1, 0) = 1900.0;
    add_buoyancy(gas, 1.0);  // half of the push, on the face between the two cells
    numbers.checked("weight of gas of 2200 kelvin, over that of air of 300", 300.0 / 2200.0,
                    1.0 + 2.0 * gas.v(0, 1, 0), 1e-12, "T0 / T");
}

void add_expansion(Numbers& numbers) {
    Fluid open = vessel(true);
    double worst = 0.0;
    for (int n = 0; n < 20; ++n) {
        step(open, 0.01);
        const Balance balance = balance_of(open);
        double size = 0.0;
        for (const double one : open.expansion.values) {
            size += std::abs(one) * open.h * open.h;
        }
        worst = std::max(worst, std::abs(balance.outflow - balance.expansion) / size);
    }
    numbers.checked("open box: |outflow - sum of D h^2| / sum of |D| h^2, worst of 20 steps", 0.0,
                    worst, 7e-8, "tolerance 1e-8");
    Fluid gas(1, 1, 1);
    gas.expands = 1.0;
    gas.cooling = 10.0 * std::log(600.0 / 502.0);
    gas.temperature.values[0] = 600.0;
    react(gas, 0.1);
    numbers.checked("gas that cools from 900 to 802 kelvin in 0.1 s: D, in 1 / s",
                    10.0 * std::log(802.0 / 900.0), gas.expansion.values[0], 1e-9,
                    "ln(802 / 900) / 0.1");
    Fluid closed = vessel(false);
    step(closed, 0.01);
    const double mean = total(closed.expansion) / (32 * 48);
    double least = 1e300, most = -1e300;
    for (int j = 0; j < 48; ++j) {
        for (int i = 0; i < 32; ++i) {
            const double lacks = closed.expansion(i, j, 0) - divergence_at(closed, i, j, 0);
            least = std::min(least, lacks);
            most = std::max(most, lacks);
        }
    }
    numbers.checked("closed box: D minus the divergence, smallest of all cells", mean, least, 1e-4,
                    "the mean of D");
    numbers.checked("  largest", mean, most, 1e-4, "the same");
    numbers.checked("  p0'/p0, in 1 / s", 1.4 * mean, pressure_rise(closed), 1e-12,
                    "gamma times this mean");
}

/// How a patch grows on finer and finer grids, with which order the error falls, and how much of
/// its smoke is left. `errors` and `smoke` are what this program found.
void add_growth(Numbers& numbers, double edge, const std::vector<double>& errors,
                const std::vector<double>& smoke) {
    double before = 0.0;
    for (int level = 0; level < static_cast<int>(errors.size()); ++level) {
        const int n = 32 << level;
        Fluid fluid(n, n, 1);
        fluid.advection = Advection::SHARP;
        fluid.solver = Solver::DIRECT;
        for (int side = 0; side < 4; ++side) {
            fluid.sides[side].opening = Opening::OUTFLOW;
        }
        const Growth growth = growth_of_patch(fluid, edge);
        const double error = 100.0 * (growth.found / growth.expected - 1.0);
        const std::string cells = std::to_string(n) + " x " + std::to_string(n);
        numbers.checked(std::string("area of a burning patch, ") + (edge > 0.0 ? "soft" : "sharp") +
                            " edge, " + cells + ": error in %",
                        errors[level], error, 0.02, "as recorded; 0 would be right");
        if (level > 0) {
            numbers.checked("  order of the error", std::log2(errors[level - 1] / errors[level]),
                            std::log2(before / error), 0.05, "the same");
        }
        numbers.checked("  smoke in it, over that before", smoke[level], growth.smoke, 2e-4,
                        "as recorded; 1 would be right");
        before = error;
    }
}

void add_colours(Numbers& numbers) {
    const auto cool = chromaticity(black_body(2000.0)), warm = chromaticity(black_body(6500.0));
    numbers.checked("colour of 2000 kelvin: x", 0.5267, cool[0], 0.003, "CIE 1931");
    numbers.checked("  y", 0.4133, cool[1], 0.003, "the same");
    numbers.checked("colour of 6500 kelvin: x", 0.3135, warm[0], 0.003, "CIE 1931");
    numbers.checked("  y", 0.3237, warm[1], 0.003, "the same");
}

void add_thrust(Numbers& numbers) {
    Fluid fluid(40, 60, 1);
    fluid.h = 1.0 / 40;
    fluid.sides[2].opening = Opening::INFLOW;
    Nozzle nozzle;
    nozzle.speed = 3.0;
    nozzle.angle = 30.0;
    place_nozzle(fluid, nozzle);
    set_bnd(fluid);
    const auto found = thrust(fluid);
    numbers.checked("thrust of a jet of 3 m/s, 0.1 m wide, tilted by 30 degrees: down", 0.675,
                    found[1], 1e-12, "rho v^2 A, v = 3 cos 30");
    numbers.checked("  to the right", 0.3 * std::sqrt(0.75) * 1.5, found[0], 1e-12,
                    "rho v u A, u = 3 sin 30");
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("32_fire: known figures beside ours");
    add_burning(numbers);
    add_weight(numbers);
    add_expansion(numbers);
    const auto shown = [&](std::vector<double> recorded) {
        recorded.resize(window.session.long_numbers ? 4 : 3);
        return recorded;
    };
    add_growth(numbers, 0.2, shown({-1.517, -0.523, -0.194, -0.080}),
               {0.9870, 0.9952, 0.9981, 0.9992});
    add_growth(numbers, 0.0, shown({-14.52, -9.32, -6.14, -4.00}),
               {0.8892, 0.9307, 0.9548, 0.9707});
    add_thrust(numbers);
    add_colours(numbers);
    return numbers.print();
}
