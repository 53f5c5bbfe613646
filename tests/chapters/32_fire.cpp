#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "32_fire/burners.hpp"
#include "32_fire/growth.hpp"
#include "catch.hpp"
#include "common/draw/black_body.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/sources.hpp"

using namespace workbook;

namespace {

constexpr std::array<std::array<int, 3>, 5> boxes = {
    {{5, 4, 3}, {3, 6, 2}, {2, 3, 5}, {8, 5, 1}, {1, 7, 4}}};

double sum_of(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

/// A box full of numbers whose gas is 310 to 2100 kelvin hot, with fuel from 0 to 1.
Fluid hot_fluid(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.3;
    fluid.tolerance = 1e-8;
    fluid.iterations = 20000;
    fluid.expands = 1.0;
    fluid.burning = 4.0;
    fluid.radiation = 2500.0;
    fluid.soot = 0.6;
    make_bumpy(fluid.temperature, seed + 8);
    make_bumpy(fluid.fuel, seed + 9);
    for (std::size_t cell = 0; cell < fluid.fuel.values.size(); ++cell) {
        fluid.temperature.values[cell] = 10.0 + 895.0 * (1.0 + fluid.temperature.values[cell]);
        fluid.fuel.values[cell] = 0.5 + 0.5 * fluid.fuel.values[cell];
    }
    return fluid;
}

/// Opens that side for what flows out.
void open_side(Fluid& fluid, int side) {
    fluid.sides[side].opening = Opening::OUTFLOW;
}

/// A flat box, open on all four sides, in which a patch can grow.
Fluid open_box(int n, Advection advection) {
    Fluid fluid(n, n, 1);
    fluid.advection = advection;
    fluid.solver = Solver::DIRECT;
    for (int side = 0; side < 4; ++side) {
        open_side(fluid, side);
    }
    return fluid;
}

/// How far the divergence is from `expansion` less `mean`, at most over all cells of fluid.
double worst_divergence(const Fluid& fluid, double mean) {
    double worst = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (!is_solid(fluid, i, j, k)) {
                    worst = larger(worst, std::abs(divergence_at(fluid, i, j, k) -
                                                   (fluid.expansion(i, j, k) - mean)));
                }
            }
        }
    }
    return worst;
}

/// Lets nothing move.
void stop(Fluid& fluid) {
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        std::fill(field->values.begin(), field->values.end(), 0.0);
    }
}

/// A temperature that is counted from 300 kelvin, in kelvin over another one.
double ratio_of_kelvin(double after, double before) {
    return (300.0 + after) / (300.0 + before);
}

}  // namespace

// ---- Burning -----------------------------------------------------------------------------------

TEST_CASE("fuel burns where it is hot, and becomes heat and soot", "[32_fire]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid before = hot_fluid(nx, ny, nz, 5);
        Fluid fluid = before;
        fluid.heat = 100.0;
        fluid.ignition = 700.0;
        burn(fluid, 0.2);
        double burnt = 0.0;
        for (std::size_t cell = 0; cell < fluid.fuel.values.size(); ++cell) {
            const bool is_hot = before.temperature.values[cell] > 700.0;
            const double fuel = before.fuel.values[cell];
            const double share = is_hot ? fuel * (1.0 - std::exp(-0.8)) : 0.0;
            INFO("box " << words_of(nx, ny, nz) << ", cell " << cell << " at "
                        << before.temperature.values[cell]
                        << ": burnt is fuel (1 - e^-burning dt)");
            CHECK_THAT(fluid.fuel.values[cell], WithinAbs(fuel - share, 1e-14));
            INFO("does it become heat, and soot?");
            CHECK_THAT(
                fluid.temperature.values[cell],
                WithinAbs(std::min(before.temperature.values[cell] + 100.0 * share, fluid.hottest),
                          1e-10));
            CHECK_THAT(fluid.smoke.values[cell], WithinAbs(0.6 * share, 1e-14));
            burnt += share;
        }
        INFO("does some burn, and is fuel plus what has burnt what there was?");
        CHECK(burnt > 0.1);
        CHECK_THAT(sum_of(fluid.fuel) + sum_of(fluid.smoke) / 0.6,
                   WithinAbs(sum_of(before.fuel), 1e-12));
    }
}

TEST_CASE("how much has burnt does not depend on the step", "[32_fire]") {
    Fluid fluid = hot_fluid(5, 4, 3, 11);
    fluid.heat = 100.0;
    fluid.ignition = 0.0;
    Fluid twice = fluid;
    burn(fluid, 0.6);
    burn(twice, 0.25);
    burn(twice, 0.35);
    INFO("one long step, or two short ones");
    CHECK(distance(fluid.fuel, twice.fuel) < 1e-14);
    CHECK(distance(fluid.temperature, twice.temperature) < 1e-10);
    CHECK(sum_of(fluid.smoke) > 1.0);
}

TEST_CASE("no flame becomes hotter than the hottest", "[32_fire]") {
    Fluid fluid(3, 1, 1);
    fluid.burning = 50.0;
    fluid.fuel.values = {1.0, 1.0, 1.0};
    fluid.temperature.values = {300.0, 1500.0, 2400.0};
    burn(fluid, 1.0);
    INFO("at the ignition temperature nothing burns yet");
    CHECK(fluid.temperature(0, 0, 0) == 300.0);
    CHECK(fluid.fuel(0, 0, 0) == 1.0);
    INFO("a flame ends at the hottest, but gas that was hotter before stays so");
    CHECK(fluid.temperature(1, 0, 0) == 1900.0);
    CHECK(fluid.temperature(2, 0, 0) == 2400.0);
    CHECK(fluid.fuel(2, 0, 0) < 1e-12);
}

// ---- Radiation ---------------------------------------------------------------------------------

TEST_CASE("hot gas cools as the fourth power says, whatever the step", "[32_fire]") {
    for (const double first : {40.0, 700.0, 1900.0, 2600.0}) {
        for (const double dt : {0.01, 0.7, 30.0}) {
            Fluid fluid(2, 3, 1);
            fluid.radiation = 3000.0;
            fluid.temperature(1, 2, 0) = first;
            fluid.temperature(0, 1, 0) = -20.0;
            radiate(fluid, dt);
            double expected = first;  // by many small steps of Runge and Kutta
            const int steps = 20000;
            const auto slope = [](double t) { return -3000.0 * std::pow(t / 1900.0, 4.0); };
            for (int n = 0; n < steps; ++n) {
                const double tiny = dt / steps, half = slope(expected);
                const double middle = slope(expected + 0.5 * tiny * half);
                const double again = slope(expected + 0.5 * tiny * middle);
                const double end = slope(expected + tiny * again);
                expected += tiny / 6.0 * (half + 2.0 * middle + 2.0 * again + end);
            }
            INFO("from " << first << " in " << dt << " seconds");
            CHECK_THAT(fluid.temperature(1, 2, 0), WithinAbs(expected, 1e-8 * first));
            CHECK(fluid.temperature(1, 2, 0) > 0.0);
            INFO("what is colder than outside does not radiate");
            CHECK(fluid.temperature(0, 1, 0) == -20.0);
            CHECK(fluid.temperature(0, 0, 0) == 0.0);
        }
    }
}

// ---- Expansion ---------------------------------------------------------------------------------

TEST_CASE("gas expands as its temperature in kelvin grows", "[32_fire]") {
    Fluid fluid(4, 3, 2);
    fluid.expands = 1.0;
    fluid.ambient = 250.0;
    Field before = fluid.temperature;
    before(1, 2, 1) = 250.0;
    fluid.temperature(1, 2, 1) = 750.0;  // from 500 to 1000 kelvin
    fluid.temperature(3, 0, 0) = -125.0;  // from 250 to 125
    before(0, 0, 0) = fluid.temperature(0, 0, 0) = 300.0;
    fluid.expansion(2, 2, 0) = 7.0;  // of an earlier step
    expand(fluid, before, 0.1);
    INFO("twice the temperature is twice the volume: D = ln 2 / dt");
    CHECK_THAT(fluid.expansion(1, 2, 1), WithinAbs(std::log(2.0) / 0.1, 1e-12));
    INFO("what cools shrinks");
    CHECK_THAT(fluid.expansion(3, 0, 0), WithinAbs(-std::log(2.0) / 0.1, 1e-12));
    INFO("and what stays as warm does neither");
    CHECK(fluid.expansion(0, 0, 0) == 0.0);
    CHECK(fluid.expansion(2, 2, 0) == 0.0);
    fluid.expands = 0.25;
    expand(fluid, before, 0.1);
    CHECK_THAT(fluid.expansion(1, 2, 1), WithinAbs(0.25 * std::log(2.0) / 0.1, 1e-12));
}

TEST_CASE("the right-hand side asks for the divergence that is meant", "[32_fire]") {
    Fluid fluid = bumpy_fluid(5, 4, 3, 23);
    fluid.h = 0.5;
    fluid.rho = 2.0;
    fluid.expands = 1.0;
    Field before = fluid.temperature;
    make_bumpy(before, 24);
    make_bumpy(fluid.temperature, 25);
    for (Field* field : {&before, &fluid.temperature}) {
        for (double& temperature : field->values) {
            temperature *= 100.0;
        }
    }
    expand(fluid, before, 0.1);
    update_matrix(fluid);
    right_hand_side(fluid, 0.1);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 5; ++i) {
                const double grows =
                    (300.0 + fluid.temperature(i, j, k)) / (300.0 + before(i, j, k));
                INFO("cell " << words_of(i, j, k) << ": -rho h^2 / dt (div - expansion)");
                CHECK_THAT(fluid.rhs(i, j, k),
                           WithinAbs(-5.0 * (divergence_at(fluid, i, j, k) - std::log(grows) / 0.1),
                                     1e-12));
            }
        }
    }
}

TEST_CASE("what expands flows out", "[32_fire]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (int side = 0; side < 6; ++side) {
            const std::array<int, 3> size = {nx, ny, nz};
            if (size[side / 2] == 1) {
                continue;
            }
            Fluid fluid = hot_fluid(nx, ny, nz, 31 + side);
            open_side(fluid, side);
            const Advection ways[] = {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED};
            fluid.advection = ways[side % 3];
            for (int n = 0; n < 3; ++n) {
                step(fluid, 0.02);
                const Balance balance = balance_of(fluid);
                double size_of_all = 0.0;
                for (const double one : fluid.expansion.values) {
                    size_of_all +=
                        std::abs(one) * fluid.h * fluid.h * (fluid.nz == 1 ? 1.0 : fluid.h);
                }
                INFO("box " << words_of(nx, ny, nz) << ", open on side " << side << ", step " << n
                            << ": is the expansion part of the projection?");
                CHECK(size_of_all > 1e-3);
                CHECK(std::abs(balance.outflow - balance.expansion) < 1e-6 * size_of_all);
                INFO("and does each cell expand as it should?");
                CHECK(worst_divergence(fluid, 0.0) < 1e-5);
                CHECK(pressure_rise(fluid) == 0.0);
            }
        }
    }
}

TEST_CASE("in a closed vessel there is no room for the mean", "[32_fire]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const Solver solver : {Solver::MULTIGRID, Solver::DIRECT}) {
            Fluid fluid = hot_fluid(nx, ny, nz, 47);
            fluid.solver = solver;
            step(fluid, 0.02);
            const double mean = sum_of(fluid.expansion) / (nx * ny * nz);
            INFO("box " << words_of(nx, ny, nz) << ": its mean, " << mean
                        << ", is no part of the divergence");
            CHECK(std::abs(mean) > 1e-3);
            CHECK(worst_divergence(fluid, mean) < 1e-5);
            INFO("but raises the pressure of the vessel: gamma times the mean, a second");
            CHECK_THAT(pressure_rise(fluid), WithinAbs(1.4 * mean, 1e-12));
            CHECK(fluid.compatibility_defect > 1e-4);
        }
    }
}

TEST_CASE("whatever heats or cools the gas changes its volume", "[32_fire]") {
    const char* causes[] = {"cooling", "diffusion", "a wall", "a source", "fire", "radiation"};
    for (int cause = 0; cause < 6; ++cause) {
        Fluid fluid(2, 1, 1);
        fluid.expands = 1.0;
        fluid.temperature.values = {600.0, 500.0};  // 900 and 800 kelvin
        fluid.cooling = cause == 0 ? 10.0 * std::log(600.0 / 502.0) : 0.0;  // to 802 kelvin
        fluid.kappa = cause == 1 || cause == 2 ? 1.0 : 0.0;
        fluid.sides[0].heats = cause == 2;
        fluid.source(0, 0, 0) = cause == 3 ? 5.0 : 0.0;
        fluid.source_temperature = 1000.0;
        fluid.fuel(0, 0, 0) = cause == 4 ? 0.5 : 0.0;
        fluid.burning = 4.0;
        fluid.radiation = cause == 5 ? 9000.0 : 0.0;
        const Field before = fluid.temperature;
        react(fluid, 0.1);
        INFO(causes[cause] << ": D is ln(T after / T before) / dt, from all that heats and cools");
        CHECK(std::abs(fluid.temperature(0, 0, 0) - 600.0) > 5.0);
        for (const int i : {0, 1}) {
            const double ratio = ratio_of_kelvin(fluid.temperature(i, 0, 0), before(i, 0, 0));
            CHECK_THAT(fluid.expansion(i, 0, 0), WithinAbs(std::log(ratio) / 0.1, 1e-12));
        }
        if (cause == 0) {
            INFO("from 900 to 802 kelvin");
            CHECK_THAT(fluid.expansion(0, 0, 0), WithinAbs(std::log(802.0 / 900.0) / 0.1, 1e-9));
        }
    }
}

TEST_CASE("volume, heat and smoke balance where gas expands", "[32_fire]") {
    const double dt = 0.05;
    for (const auto& [nx, ny, nz] : boxes) {
        for (int side = -1; side < 6; ++side) {  // -1: all are closed
            const std::array<int, 3> size = {nx, ny, nz};
            if (side >= 0 && size[side / 2] == 1) {
                continue;
            }
            Fluid fluid = hot_fluid(nx, ny, nz, 71 + side);
            fluid.solver = Solver::DIRECT;
            fluid.cooling = 0.8;
            fluid.kappa = 0.02;
            fluid.source(0, 0, 0) = 6.0;
            fluid.source_temperature = 1500.0;
            for (std::size_t cell = 0; cell < fluid.smoke.values.size(); ++cell) {
                fluid.smoke.values[cell] = 1.0 - fluid.fuel.values[cell];
            }
            if (side >= 0) {
                open_side(fluid, side);
            }
            stop(fluid);
            const Field before = fluid.temperature;
            react(fluid, dt);
            project(fluid, dt);
            const double mean = side >= 0 ? 0.0 : sum_of(fluid.expansion) / (nx * ny * nz);
            const double h = fluid.h, volume = h * h * (nz == 1 ? 1.0 : h);
            INFO("box " << words_of(nx, ny, nz) << ", open on side " << side
                        << ": what flows out is what all cells expand by");
            CHECK(largest(fluid.expansion) > 1e-3);
            CHECK_THAT(balance_of(fluid).outflow,
                       WithinAbs(volume * (sum_of(fluid.expansion) - mean * nx * ny * nz), 1e-9));
            const Field smoke = fluid.smoke, fuel = fluid.fuel;
            thin_smoke(fluid, dt);
            double kept = 0.0;
            for (int k = 0; k < nz; ++k) {
                for (int j = 0; j < ny; ++j) {
                    for (int i = 0; i < nx; ++i) {
                        const double hotter =
                            ratio_of_kelvin(fluid.temperature(i, j, k), before(i, j, k));
                        const double larger = hotter * std::exp(-mean * dt);
                        INFO("cell " << words_of(i, j, k) << ": its gas takes T after / T before "
                                     << "times as much room, less what walls compress");
                        CHECK_THAT(std::exp(divergence_at(fluid, i, j, k) * dt),
                                   WithinAbs(larger, 1e-9));
                        INFO("and its smoke is spread over that room");
                        CHECK_THAT(fluid.smoke(i, j, k), WithinAbs(smoke(i, j, k) / larger, 1e-9));
                        kept += fluid.smoke(i, j, k) * larger;
                    }
                }
            }
            INFO("is all smoke still there, in the room that the gas takes now?");
            CHECK_THAT(kept, WithinAbs(sum_of(smoke), 1e-9));
            INFO("fuel is a share of the gas: expansion does not change it");
            CHECK(distance(fluid.fuel, fuel) == 0.0);
        }
    }
}

TEST_CASE("gas that expands evenly takes its smoke along, step after step", "[32_fire]") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        for (const bool is_open : {true, false}) {
            Fluid fluid(6, 5, 1);
            fluid.h = 0.2;
            fluid.expands = 1.0;
            fluid.advection = advection;
            fluid.solver = Solver::DIRECT;
            fluid.burning = 3.0;
            fluid.ignition = -1.0;
            fluid.soot = 0.0;
            fluid.fuel.values.assign(30, 0.5);
            fluid.smoke.values.assign(30, 0.8);
            if (is_open) {
                open_side(fluid, 1);
            }
            double gone = 0.0;  // the volume that has left
            for (int n = 0; n < 10; ++n) {
                step(fluid, 0.02);
                gone += 0.02 * balance_of(fluid).outflow;
            }
            const double hotter = ratio_of_kelvin(fluid.temperature(0, 0, 0), 0.0);
            INFO("all fluid has become " << hotter << " times as hot");
            CHECK(hotter > 2.0);
            for (int cell = 0; cell < 30; ++cell) {
                CHECK_THAT(ratio_of_kelvin(fluid.temperature.values[cell], 0.0),
                           WithinAbs(hotter, 1e-9));
                INFO("is smoke thinned as the gas expands? In a closed box it has no room");
                CHECK_THAT(fluid.smoke.values[cell], WithinAbs(is_open ? 0.8 / hotter : 0.8, 1e-9));
                INFO("is fuel a share of the gas, so that only burning changes it?");
                CHECK_THAT(fluid.fuel.values[cell], WithinAbs(0.5 * std::exp(-0.6), 1e-9));
            }
            INFO("has the volume left by which the gas has grown?");
            CHECK_THAT(gone, WithinAbs(is_open ? 1.2 * std::log(hotter) : 0.0, 1e-9));
        }
    }
}

TEST_CASE("smoke in a solid is not thinned", "[32_fire]") {
    Fluid fluid(4, 3, 2);
    fluid.solid(0, 1, 0) = 1.0;
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.u_given(0, 1, 0) = 1.0;  // into the solid cell, and not out of it
    fluid.u(2, 0, 0) = 0.5;
    fluid.smoke.values.assign(24, 1.0);
    set_bnd(fluid);
    thin_smoke(fluid, 0.1);
    INFO("a solid keeps its smoke");
    CHECK(fluid.smoke(0, 1, 0) == 1.0);
    INFO("before a face that lets gas out there is less, and behind it more");
    CHECK_THAT(fluid.smoke(1, 0, 0), WithinAbs(std::exp(-0.05), 1e-14));
    CHECK_THAT(fluid.smoke(2, 0, 0), WithinAbs(std::exp(0.05), 1e-14));
}

TEST_CASE("solids do not expand, and take no room of a vessel", "[32_fire]") {
    for (const bool is_open : {false, true}) {
        Fluid fluid = hot_fluid(6, 5, 3, 53);
        if (is_open) {
            open_side(fluid, 2);
        }
        for (const int i : {2, 3}) {
            fluid.solid(i, 2, 1) = 1.0;
            fluid.temperature(i, 2, 1) = 1800.0;
        }
        step(fluid, 0.02);
        INFO("a solid may be hot, and cool, but it keeps its size");
        CHECK(fluid.expansion(2, 2, 1) == 0.0);
        const double mean = sum_of(fluid.expansion) / (6 * 5 * 3 - 2);
        INFO("does the gas around it expand?");
        CHECK(std::abs(mean) > 1e-3);
        CHECK(worst_divergence(fluid, is_open ? 0.0 : mean) < 1e-5);
        CHECK_THAT(pressure_rise(fluid), WithinAbs(is_open ? 0.0 : 1.4 * mean, 1e-12));
    }
}

// ---- Weight ------------------------------------------------------------------------------------

TEST_CASE("hot gas lacks 1 - T0 / T of its weight", "[32_fire]") {
    Fluid fluid(3, 4, 2);
    fluid.gravity = 10.0;
    fluid.ambient = 300.0;
    fluid.temperature(1, 1, 1) = 500.0;
    fluid.fuel(1, 1, 1) = 1.0;
    fluid.burning = 1e4;
    fluid.heat = 400.0;
    burn(fluid, 1.0);  // to 1200 kelvin: a quarter as heavy
    add_buoyancy(fluid, 0.2);
    INFO("10 times 3/4 times 0.2, upwards, half of it on either face");
    CHECK_THAT(fluid.v(1, 1, 1), WithinAbs(-0.75, 1e-14));
    CHECK_THAT(fluid.v(1, 2, 1), WithinAbs(-0.75, 1e-14));
    CHECK_THAT(sum_of(fluid.v), WithinAbs(-1.5, 1e-14));
    fluid.alpha = 4.0;
    fluid.smoke(2, 2, 0) = 0.5;
    add_buoyancy(fluid, 0.1);
    INFO("soot is heavy");
    CHECK_THAT(fluid.v(2, 2, 0), WithinAbs(0.1, 1e-14));
}

// ---- All of it ---------------------------------------------------------------------------------

TEST_CASE("fuel goes with the dye, and sources keep it", "[32_fire]") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP}) {
        Fluid fluid = bumpy_fluid(5, 4, 3, 29);
        fluid.advection = advection;
        fluid.tolerance = 1e-13;
        fluid.fuel.values = fluid.density.values;
        project(fluid, 0.1);
        step(fluid, 0.05);
        INFO("is fuel carried?");
        CHECK(distance(fluid.fuel, fluid.density) == 0.0);
        fluid.source(4, 0, 2) = 4000.0;
        fluid.source_fuel = 0.8;
        step(fluid, 0.05);
        INFO("a source keeps its fuel");
        CHECK_THAT(fluid.fuel(4, 0, 2), WithinAbs(0.8, 1e-12));
        CHECK(fluid.fuel(0, 3, 0) == fluid.density(0, 3, 0));
        fluid.temperature(4, 0, 2) = 1000.0;
        fluid.burning = 1.0;
        burn(fluid, 0.1);
        INFO("and it can burn");
        CHECK_THAT(fluid.fuel(4, 0, 2), WithinAbs(0.8 * std::exp(-0.1), 1e-12));
    }
}

TEST_CASE("temperature and fuel stay within their bounds", "[32_fire]") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        Fluid fluid = hot_fluid(7, 9, 1, 61);
        fluid.advection = advection;
        fluid.gravity = 9.81;
        fluid.epsilon = 1.0;
        open_side(fluid, 2);
        for (int n = 0; n < 40; ++n) {
            step(fluid, 0.03);
            for (std::size_t cell = 0; cell < fluid.fuel.values.size(); ++cell) {
                INFO("step " << n << ", cell " << cell);
                CHECK(fluid.temperature.values[cell] >= 0.0);
                CHECK(fluid.temperature.values[cell] <= fluid.hottest);
                CHECK(fluid.fuel.values[cell] >= 0.0);
                CHECK(fluid.fuel.values[cell] <= 1.0);
                CHECK(fluid.smoke.values[cell] >= 0.0);
            }
        }
        INFO("has it burnt?");
        CHECK(sum_of(fluid.fuel) < 5.0);
    }
}

TEST_CASE("a flame that is symmetric stays so, and rises", "[32_fire]") {
    Fluid fluid(12, 18, 1);
    fluid.h = 1.0 / 12;
    fluid.expands = 1.0;
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    fluid.gravity = 9.81;
    fluid.burning = 6.0;
    fluid.radiation = 3000.0;
    open_side(fluid, 2);
    fluid.source_temperature = 900.0;
    fluid.source_fuel = 1.0;
    fluid.source_smoke = 0.0;
    place_sources(fluid, {{0.5, 0.15, 0.5, 0.2}});
    for (int n = 0; n < 15; ++n) {
        step(fluid, 0.02);
    }
    for (int j = 0; j < 18; ++j) {
        for (int i = 0; i < 6; ++i) {
            INFO("cell " << i << ", " << j << " and its mirror image");
            CHECK_THAT(fluid.temperature(i, j, 0),
                       WithinAbs(fluid.temperature(11 - i, j, 0), 1e-5));
            CHECK_THAT(fluid.fuel(i, j, 0), WithinAbs(fluid.fuel(11 - i, j, 0), 1e-8));
        }
    }
    INFO("is it hot above the source, and does it burn there?");
    CHECK(fluid.v(6, 11, 0) < -0.1);
    CHECK(fluid.temperature(6, 12, 0) > 900.0);
}

TEST_CASE("a burning patch grows as its temperature does", "[32_fire]") {
    for (const double edge : {0.2, 0.0}) {
        double errors[2];
        for (const int n : {24, 48}) {
            Fluid fluid = open_box(n, Advection::SHARP);
            const Growth growth = growth_of_patch(fluid, edge);
            errors[n / 48] = growth.found / growth.expected - 1.0;
            INFO("on " << n << " cells the markers grew " << growth.found << " times, not "
                       << growth.expected);
            CHECK(std::abs(errors[n / 48]) < (edge > 0.0 ? 0.03 : 0.25));
            INFO("and the smoke in the patch became " << growth.smoke << " times as much");
            CHECK_THAT(growth.smoke, WithinAbs(1.0, edge > 0.0 ? 0.03 : 0.25));
        }
        const double order = std::log2(errors[0] / errors[1]);
        INFO("errors " << errors[0] << " and " << errors[1] << ": order " << order);
        CHECK(order > (edge > 0.0 ? 1.0 : 0.5));
    }
}

// ---- The rocket --------------------------------------------------------------------------------

TEST_CASE("the thrust of a nozzle is its mass a second times its velocity", "[32_fire]") {
    for (const int nz : {1, 5}) {
        Fluid fluid(20, 10, nz);
        fluid.h = 0.05;
        fluid.rho = 1.2;
        fluid.expands = 1.0;
        fluid.tolerance = 1e-12;
        fluid.sides[2].opening = Opening::INFLOW;
        open_side(fluid, 0);
        open_side(fluid, 1);
        Nozzle nozzle;
        nozzle.width = 0.2;
        nozzle.speed = 2.0;
        nozzle.angle = 30.0;
        place_nozzle(fluid, nozzle);
        set_bnd(fluid);
        double area = 0.0;
        for (const double velocity : fluid.v_given.values) {
            area += velocity / (2.0 * std::cos(std::acos(-1.0) / 6.0));
        }
        area *= nz == 1 ? 0.05 : 0.05 * 0.05;
        const double down = 2.0 * std::sqrt(0.75), right = 1.0;
        const auto found = thrust(fluid);
        INFO(nz << " layers: rho v^2 A down, rho v u A to the right");
        if (nz == 1) {
            CHECK_THAT(area, WithinAbs(0.2, 1e-12));
            CHECK_THAT(found[1], WithinAbs(1.2 * down * down * 0.2, 1e-12));
        }
        CHECK_THAT(found[0], WithinAbs(1.2 * down * right * area, 1e-12));
        place_sources(fluid, {{nozzle.x, 0.5, 0.125, 0.1}});
        fluid.source_temperature = 800.0;
        fluid.source_fuel = 1.0;
        fluid.burning = 5.0;
        step(fluid, 0.05);
        step(fluid, 0.05);
        INFO("does its fuel burn?");
        CHECK(sum_of(fluid.expansion) > 1.0);
        INFO("the jet brings its tilt into the box");
        CHECK(sum_of(fluid.u) > 0.05);
        CHECK(thrust(fluid)[0] == found[0]);
    }
}

// ---- Glow --------------------------------------------------------------------------------------

TEST_CASE("black bodies have the colours that the CIE knows", "[32_fire]") {
    Fluid soot(1, 1, 1);
    soot.temperature(0, 0, 0) = 1900.0;
    soot.radiation = 3000.0;
    const auto colour_of_soot = [&] {
        return chromaticity(black_body(kelvin(soot, soot.temperature(0, 0, 0))));
    };
    const auto hot = colour_of_soot();
    radiate(soot, 0.2);
    INFO("what radiates cools, and becomes redder");
    CHECK(colour_of_soot()[0] > hot[0] + 0.02);
    const auto cool = chromaticity(black_body(2000.0)), warm = chromaticity(black_body(6500.0));
    CHECK_THAT(cool[0], WithinAbs(0.5267, 0.003));
    CHECK_THAT(cool[1], WithinAbs(0.4133, 0.003));
    CHECK_THAT(warm[0], WithinAbs(0.3135, 0.003));
    CHECK_THAT(warm[1], WithinAbs(0.3237, 0.003));
    CHECK(chromaticity(black_body(0.0))[0] == 0.0);
    INFO("the peak of Planck's law lies at 2.8978e6 nm K / T (Wien)");
    for (const double kelvin : {1500.0, 5778.0}) {
        const double peak = 2.8977719e6 / kelvin;
        CHECK(planck(peak, kelvin) > planck(0.99 * peak, kelvin));
        CHECK(planck(peak, kelvin) > planck(1.01 * peak, kelvin));
    }
    INFO("sigma T^4 / pi, all wavelengths together (Stefan and Boltzmann)");
    double sum = 0.0;
    for (double wavelength = 50.0; wavelength < 1e5; wavelength += 5.0) {
        sum += 5e-9 * planck(wavelength, 2000.0);
    }
    CHECK_THAT(sum / (5.670374e-8 * std::pow(2000.0, 4.0) / std::acos(-1.0)), WithinAbs(1.0, 1e-3));
}

TEST_CASE("the light of hot soot on a screen", "[32_fire]") {
    const Light3 white = screen_light({0.9505, 1.0, 1.0890});  // the screen's own white, D65
    for (const double part : white) {
        CHECK_THAT(part, WithinAbs(1.0, 2e-3));
    }
    const Light3 red = screen_light(black_body(1200.0));
    INFO("a screen has no negative light");
    CHECK(red[2] == 0.0);
    CHECK(red[0] > 3.0 * red[1]);
    CHECK(screen_light(black_body(1800.0))[2] == 0.0);
    CHECK(screen_light(black_body(2000.0))[2] > 0.0);
    const GlowTable table;
    Fluid soot(1, 1, 1);
    soot.temperature(0, 0, 0) = 1900.0;
    soot.radiation = 3000.0;
    const auto light_of_soot = [&] {
        return table.at(static_cast<float>(kelvin(soot, soot.temperature(0, 0, 0))));
    };
    const Rgb hot = light_of_soot();
    radiate(soot, 0.2);
    INFO("what radiates cools, and becomes darker");
    CHECK(light_of_soot().red < 0.9f * hot.red);
    float before = 0.0f;
    for (float kelvin = 250.0f; kelvin < 4500.0f; kelvin += 130.0f) {
        const Rgb light = table.at(kelvin);
        INFO("at " << kelvin << " kelvin");
        CHECK(light.red >= before);
        CHECK(light.red >= light.green);
        CHECK(light.green >= light.blue);
        before = light.red;
    }
    INFO("at room temperature nothing glows");
    CHECK(table.at(300.0f).red < 1e-9f);
    CHECK(table.at(2200.0f).red > 2.0f);
}

TEST_CASE("the energy that expansion adds, by hand, and in a patch that grows", "[32_fire]") {
    Fluid fluid(2, 3, 2);
    fluid.h = 0.5;
    fluid.u(0, 1, 1) = -2.0;  // from cell (0, 1, 1) 2 / 0.5 flow out on the left
    fluid.w(1, 2, 0) = 3.0;  // and into cell (1, 2, 0) flows more than out of it
    Velocity before = {fluid.u, fluid.v, fluid.w};
    before.u(0, 1, 1) = 1.0;
    before.u(1, 1, 1) = 2.0;
    before.v(0, 1, 1) = 3.0;
    before.v(0, 2, 1) = 4.0;
    before.w(0, 1, 1) = 5.0;
    before.w(0, 1, 2) = 6.0;
    before.u(2, 2, 0) = 7.0;
    INFO("e^(4 * 0.25) - 1 more cells have the mean square of each pair of faces");
    CHECK_THAT(energy_of_expansion(fluid, before, 0.25),
               WithinAbs((std::exp(1.0) - 1.0) * (2.5 + 12.5 + 30.5), 1e-12));
    INFO("a patch that becomes warmer grows");
    Fluid grows = open_box(16, Advection::SHARP);
    grows.h = 0.125;
    grows.expands = 1.0;
    const Field cold = grows.temperature;
    for (int j = 6; j < 10; ++j) {
        for (int i = 5; i < 10; ++i) {
            grows.temperature(i, j, 0) = 50.0;
        }
    }
    expand(grows, cold, 0.05);
    for (int steps = 0; steps < 3; ++steps) {
        project(grows, 0.05);
        Field u = grows.u;
        advect_sharp(grows, u, grows.u, 0.05);
        REQUIRE(distance(u, grows.u) > 0.001);
        advect_velocity(grows, 0.05);
        INFO("what expansion adds is allowed: the correction is not cut");
        CHECK(distance(grows.u, u) < 1e-12);
    }
}
