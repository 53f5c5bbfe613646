// The worked answers of 16_sharp's exercises.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/flows.hpp"

/// What linear interpolation blurs, as a viscosity, in a flow that carries everything by `cells`
/// cells in each step of `dt` seconds. Only the share of a cell beyond a whole number blurs.
inline double numerical_viscosity(double cells, double h, double dt) {
    const double a = cells - std::floor(cells);
    return a * (1.0 - a) * h * h / (2.0 * dt);
}

/// Carries `d0` like advect_sharp, but where a corrected value leaves the range of the values
/// around the departure point, it takes that of advect instead of the nearest in the range.
inline void advect_reverting(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    Field plain = d0;
    Field back = d0;
    advect(fluid, plain, d0, dt);
    advect(fluid, back, plain, -dt);
    advect_sharp(fluid, d, d0, dt);
    for (std::size_t n = 0; n < d.values.size(); ++n) {
        const double corrected = plain.values[n] - 0.5 * (back.values[n] - d0.values[n]);
        if (d.values[n] != corrected) {  // it was clamped
            d.values[n] = plain.values[n];
        }
    }
}

/// Carries `d0` by subtracting half the error before the last step instead of after it: forth,
/// back, and forth again from the corrected field (BFECC: Dupont and Liu 2003). Nothing limits it.
inline void advect_back_and_forth(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    Field back = d0;
    Field corrected = d0;
    advect(fluid, d, d0, dt);
    advect(fluid, back, d, -dt);
    for (std::size_t n = 0; n < d.values.size(); ++n) {
        corrected.values[n] -= 0.5 * (back.values[n] - d0.values[n]);
    }
    advect(fluid, d, corrected, dt);
}

namespace {

Fluid hill_in_a_row(int n) {
    Fluid fluid(n, 1, 1);
    fluid.h = 1.0 / n;
    fluid.advection = Advection::SHARP;
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 1.0);
    for (int i = 0; i < n; ++i) {
        fluid.density(i, 0, 0) = std::exp(-200.0 * std::pow((i + 0.5) / n - 0.3, 2));
    }
    return fluid;
}

/// The mean error of a hill that a flow has carried by 0.3 of a row.
template <class Advect>
double error_of(int n, Advect advect_with) {
    Fluid fluid = hill_in_a_row(n);
    const int steps = n / 2;
    for (int k = 0; k < steps; ++k) {
        advect_with(fluid, fluid.density, Field(fluid.density), 0.3 / steps);
    }
    double error = 0.0;
    for (int i = 0; i < n; ++i) {
        error +=
            std::abs(fluid.density(i, 0, 0) - std::exp(-200.0 * std::pow((i + 0.5) / n - 0.6, 2))) /
            n;
    }
    return error;
}

/// What Zalesak's disk differs by after one turn in 100 steps, and its largest value.
template <class Advect>
std::pair<double, double> after_a_turn(Advect advect_with) {
    Fluid fluid(100, 100, 1);
    fluid.advection = Advection::SHARP;
    set_wheel(fluid, 1.0);
    set_dye(fluid, in_zalesaks_disk);
    const Field before = fluid.density;
    for (int steps = 0; steps < 100; ++steps) {
        advect_with(fluid, fluid.density, Field(fluid.density), 0.01);
    }
    return {share_displaced(fluid.density, before),
            *std::max_element(fluid.density.values.begin(), fluid.density.values.end())};
}

/// Carries `d0` like advect_sharp, but nothing limits it.
void advect_without_limiter(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    Field back = d0;
    advect(fluid, d, d0, dt);
    advect(fluid, back, d, -dt);
    for (std::size_t n = 0; n < d.values.size(); ++n) {
        d.values[n] -= 0.5 * (back.values[n] - d0.values[n]);
    }
}

}  // namespace

TEST_CASE("without a limiter more dye than there was stays beside the edges") {
    Fluid fluid(100, 100, 1);
    fluid.advection = Advection::SHARP;
    set_wheel(fluid, 1.0);
    set_dye(fluid, in_zalesaks_disk);
    for (int steps = 1; steps <= 100; ++steps) {
        advect_without_limiter(fluid, fluid.density, Field(fluid.density), 0.01);
        const double most =
            *std::max_element(fluid.density.values.begin(), fluid.density.values.end());
        if (steps == 1) {
            CHECK_THAT(most, WithinAbs(1.174, 0.001));
        } else if (steps == 50) {
            CHECK_THAT(most, WithinAbs(1.249, 0.001));
        } else if (steps == 100) {
            CHECK_THAT(most, WithinAbs(1.214, 0.001));
        }
    }
}

TEST_CASE("numerical viscosity, by its formula and by what a step does") {
    CHECK_THAT(numerical_viscosity(0.5, 1.0, 1.0), WithinAbs(0.125, 1e-15));
    CHECK_THAT(numerical_viscosity(3.0, 1.0, 1.0), WithinAbs(0.0, 1e-15));
    CHECK_THAT(numerical_viscosity(1.92, 1.0 / 64, 0.03), WithinAbs(0.0003, 1e-5));
    CHECK_THAT(numerical_viscosity(0.5, 1.0 / 64, 0.03), WithinAbs(0.001, 2e-5));
    for (const double cells : {0.2, 0.5, 1.7}) {  // a single 1 spreads over two cells
        Fluid fluid(8, 1, 1);
        fluid.h = 0.5;
        std::fill(fluid.u.values.begin(), fluid.u.values.end(), 1.0);
        fluid.density(3, 0, 0) = 1.0;
        const double dt = cells * fluid.h;
        advect_density(fluid, dt);
        double mean = 0.0, square = 0.0;
        for (int i = 0; i < 8; ++i) {
            mean += fluid.density(i, 0, 0) * fluid.h * i;
            square += fluid.density(i, 0, 0) * fluid.h * i * fluid.h * i;
        }
        CHECK_THAT((square - mean * mean) / (2.0 * dt),
                   WithinAbs(numerical_viscosity(cells, fluid.h, dt), 1e-14));
    }
}

TEST_CASE("to take advect's value instead of the nearest one costs sharpness") {
    CHECK_THAT(after_a_turn(advect_sharp).first, WithinAbs(0.52, 0.005));
    CHECK_THAT(after_a_turn(advect_reverting).first, WithinAbs(0.54, 0.005));
}

TEST_CASE("back and forth is of second order as well") {
    const double order =
        std::log2(error_of(128, advect_back_and_forth) / error_of(256, advect_back_and_forth));
    CHECK_THAT(order, WithinAbs(2.2, 0.05));
    CHECK_THAT(std::log2(error_of(128, advect) / error_of(256, advect)), WithinAbs(1.0, 0.2));
    const auto [displaced, most] = after_a_turn(advect_back_and_forth);
    CHECK_THAT(displaced, WithinAbs(0.27, 0.005));
    CHECK_THAT(most, WithinAbs(1.13, 0.01));
}
