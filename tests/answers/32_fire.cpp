// The answers to the exercises of 32_fire, as its lesson prints them, and that they are right.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "32_fire/burners.hpp"
#include "catch.hpp"
#include "common/draw/black_body.hpp"
#include "solver.hpp"
#include "window/sources.hpp"

using namespace workbook;

/// Moves the wick of a candle to its place after so many seconds. A draught bends it by two swings
/// at once. The ratio of their rates is no fraction, so the motion never repeats.
inline void light_candle(Fluid& fluid, double seconds) {
    const double bent =
        sway_at(seconds, 0.025, 1.7) + sway_at(seconds, 0.015, 1.7 * std::sqrt(2.0));
    place_sources(fluid, {{0.5 + bent, 0.2, 0.5, 0.07}});
}

/// The light of a green flame on a screen. Copper emits light of a few wavelengths, here of 510 and
/// 545 nanometres. It is as bright as a black body of that temperature.
inline Light3 green_light(double kelvin) {
    const Light3 one = matching_functions(510.0), other = matching_functions(545.0);
    Light3 mixed;
    for (int part = 0; part < 3; ++part) {
        mixed[part] = black_body(kelvin)[1] * (one[part] + other[part]) / (one[1] + other[1]);
    }
    return screen_light(mixed);
}

/// The area of all cells of a flat fluid that are warmer than `temperature`, which is counted from
/// the temperature outside.
inline double area_hotter_than(const Fluid& fluid, double temperature) {
    double cells = 0.0;
    for (const double one : fluid.temperature.values) {
        cells += one > temperature ? 1.0 : 0.0;
    }
    return cells * fluid.h * fluid.h;
}

namespace {

/// Air one wide in which fire can burn, open above.
Fluid air(int nx, int ny) {
    Fluid fluid(nx, ny, 1);
    fluid.h = 1.0 / nx;
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    fluid.expands = 1.0;
    fluid.gravity = 9.81;
    fluid.burning = 6.0;
    fluid.radiation = 3000.0;
    fluid.soot = 0.6;
    fluid.source_temperature = 500.0;
    fluid.source_fuel = 1.0;
    fluid.source_smoke = 0.0;
    fluid.sides[2].opening = Opening::OUTFLOW;
    return fluid;
}

/// The mean column of the warmth in a row, in widths of the box.
double middle_of_flame(const Fluid& fluid, int j) {
    double sum = 0.0, moment = 0.0;
    for (int i = 0; i < fluid.nx; ++i) {
        sum += fluid.temperature(i, j, 0);
        moment += fluid.temperature(i, j, 0) * (i + 0.5) / fluid.nx;
    }
    return moment / sum;
}

}  // namespace

TEST_CASE("a candle flickers") {
    Fluid candle = air(32, 48), still = candle;
    candle.expands = still.expands = 0.2;
    double left = 1.0, right = 0.0, most = 0.0;
    place_sources(still, {{0.5, 0.2, 0.5, 0.07}});
    for (int n = 0; n < 240; ++n) {
        light_candle(candle, 0.01 * n);
        step(candle, 0.01);
        step(still, 0.01);
        if (n >= 60) {
            left = std::min(left, middle_of_flame(candle, 30));
            right = std::max(right, middle_of_flame(candle, 30));
            most = std::max(most, std::abs(middle_of_flame(still, 30) - 0.5));
        }
    }
    INFO("the flame bends from " << left << " to " << right << ", the still one by " << most);
    CHECK_THAT(left, WithinAbs(0.455, 0.002));
    CHECK_THAT(right, WithinAbs(0.571, 0.002));
    CHECK(most < 1e-6);
}

TEST_CASE("green fire is green") {
    for (const double kelvin : {1200.0, 1800.0, 2200.0}) {
        const Light3 light = green_light(kelvin), soot = screen_light(black_body(kelvin));
        INFO("at " << kelvin << " kelvin: red " << light[0] << ", green " << light[1] << ", blue "
                   << light[2]);
        CHECK(light[1] > 2.0 * std::max(light[0], light[2]));
        CHECK(soot[0] > soot[1]);
    }
    CHECK(green_light(2200.0)[1] > 10.0 * green_light(1500.0)[1]);
}

TEST_CASE("with all of its expansion hot gas fills more than half of the box of this scene") {
    double shares[2];
    for (const double expands : {0.2, 1.0}) {
        Fluid fluid = air(48, 72);
        fluid.expands = expands;
        fluid.sides[3].opening = Opening::INFLOW;
        fluid.v_given.values.assign(fluid.v_given.values.size(), 0.0);
        for (int i = 0; i < 48; ++i) {
            fluid.v_given(i, 72, 0) = -0.3;
        }
        place_burner(fluid, 0.4, 0.4);
        place_sources(fluid, {{0.3, 0.0, 0.5, 0.1},
                              {0.4, 0.0, 0.5, 0.1},
                              {0.5, 0.0, 0.5, 0.1},
                              {0.6, 0.0, 0.5, 0.1},
                              {0.7, 0.0, 0.5, 0.1}});
        for (int n = 0; n < 110; ++n) {
            step(fluid, 0.01);
        }
        shares[expands == 1.0] = area_hotter_than(fluid, 600.0) / 1.5;
    }
    INFO("hot is a share of " << shares[0] << " at expands 0.2, and of " << shares[1] << " at 1");
    CHECK(shares[0] < 0.4);
    CHECK(shares[1] > 0.5);
}

TEST_CASE("in a closed box an explosion grows, too, and its pressure rises, then falls") {
    Fluid fluid = air(48, 72);
    fluid.burning = 12.0;
    fluid.radiation = 1300.0;
    fluid.sides[2].opening = Opening::CLOSED;
    place_patches(fluid, 40, 0.2, 0.4, 500.0);
    const double before = area_hotter_than(fluid, 300.0);
    step(fluid, 0.01);
    INFO("the fire pushes against the walls");
    CHECK(pressure_rise(fluid) > 0.1);
    INFO("cold air far from the fire is compressed");
    CHECK(divergence_at(fluid, 2, 2, 0) < -0.1);
    for (int n = 1; n < 25; ++n) {
        step(fluid, 0.01);
    }
    CHECK_THAT(area_hotter_than(fluid, 300.0) / before, WithinAbs(2.38, 0.02));
    for (int n = 25; n < 50; ++n) {
        step(fluid, 0.01);
    }
    INFO("little burns any more, and what is hot cools");
    CHECK(pressure_rise(fluid) < -0.01);
}

TEST_CASE("without expansion an explosion does not grow") {
    double areas[2];
    for (const double expands : {0.0, 1.0}) {
        Fluid fluid = air(48, 72);
        fluid.burning = 12.0;
        fluid.radiation = 1300.0;
        fluid.expands = expands;
        place_patches(fluid, 40, 0.2, 0.4, 500.0);
        const double before = area_hotter_than(fluid, 300.0);
        for (int n = 0; n < 25; ++n) {
            step(fluid, 0.01);
        }
        areas[static_cast<int>(expands)] = area_hotter_than(fluid, 300.0) / before;
    }
    INFO("hot gas grew " << areas[1] << " times, and without expansion " << areas[0] << " times");
    CHECK_THAT(areas[1], WithinAbs(2.63, 0.02));
    CHECK_THAT(areas[0], WithinAbs(1.30, 0.02));
}
