// The answers to the exercises of 31_smoke, as its lesson prints them, and that they are right.
#include <cmath>

#include "catch.hpp"
#include "solver.hpp"
#include "window/sources.hpp"

/// Makes stairs of solid cells: the uppermost stands at the left wall, each one further right is
/// lower, and the last ends at the floor.
inline void build_stairs(Fluid& fluid, int stairs) {
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const int stair = stairs * i / fluid.nx;  // 0 is the uppermost
                const int height = fluid.ny * (stairs - 1 - stair) / (2 * stairs);
                fluid.solid(i, j, k) = fluid.ny - j <= height ? 1.0 : 0.0;
            }
        }
    }
    set_bnd(fluid);
}

/// The mean column of the smoke or the dye in a row of a flat fluid, in widths of the box. If the
/// row holds none, 0.
inline double middle_of_row(const Fluid& fluid, const Field& field, int j) {
    double sum = 0.0, moment = 0.0;
    for (int i = 0; i < fluid.nx; ++i) {
        sum += field(i, j, 0);
        moment += field(i, j, 0) * (i + 0.5) / fluid.nx;
    }
    return sum > 0.0 ? moment / sum : 0.0;
}

/// The kinetic energy that the vorticity confinement adds in `dt` seconds, for each unit of mass.
inline double energy_from_confinement(Fluid fluid, double dt) {
    const auto energy = [&fluid] {
        return 0.5 * (dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v) + dot(fluid.w, fluid.w));
    };
    const double before = energy();
    add_confinement(fluid, dt);
    set_bnd(fluid);
    return energy() - before;
}

namespace {

Fluid air(int nx, int ny) {
    Fluid fluid(nx, ny, 1);
    fluid.h = 1.0 / nx;
    fluid.beta = 4.0;
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-8;
    return fluid;
}

double energy_of(const Fluid& fluid) {
    return 0.5 * (dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v));
}

}  // namespace

TEST_CASE("cold smoke pours down stairs") {
    Fluid fluid = air(40, 24);
    build_stairs(fluid, 4);
    CHECK(fluid.solid(0, 23, 0) == 1.0);
    CHECK(fluid.solid(39, 23, 0) == 0.0);
    fluid.source_temperature = -1.0;
    for (int j = 10; j < 14; ++j) {
        for (int i = 1; i < 5; ++i) {
            fluid.source(i, j, 0) = 4000.0;
        }
    }
    for (int n = 0; n < 150; ++n) {
        step(fluid, 0.02);
    }
    double above = 0.0, below = 0.0;  // in the upper quarter; at the foot of the stairs
    for (int j = 0; j < 24; ++j) {
        for (int i = 0; i < 40; ++i) {
            above += j < 6 ? fluid.smoke(i, j, 0) / 240.0 : 0.0;
            below += j >= 12 && i >= 30 ? fluid.smoke(i, j, 0) / 120.0 : 0.0;
        }
    }
    INFO("smoke in the upper quarter: " << above << ", at the foot of the stairs: " << below);
    CHECK(above < 0.01);
    CHECK(below > 0.1);
}

TEST_CASE("two plumes lean towards each other") {
    Fluid fluid = air(48, 96);
    fluid.sides[2].opening = Opening::OUTFLOW;
    fluid.cooling = 0.3;
    place_sources(fluid, {{0.35, 0.12, 0.5, 0.08}, {0.65, 0.12, 0.5, 0.08}});
    for (int n = 0; n < 160; ++n) {
        step(fluid, 0.01);
        for (int j = 0; j < 96; ++j) {
            for (int i = 24; i < 48; ++i) {  // the right one gives dye
                fluid.density(i, j, 0) = fluid.source(i, j, 0) > 0.0 ? 1.0 : fluid.density(i, j, 0);
                fluid.smoke(i, j, 0) = fluid.source(i, j, 0) > 0.0 ? 0.0 : fluid.smoke(i, j, 0);
            }
        }
    }
    const auto apart = [&](int j) {
        return middle_of_row(fluid, fluid.density, j) - middle_of_row(fluid, fluid.smoke, j);
    };
    INFO("at the sources, an eighth of a width above them, and further up");
    CHECK_THAT(apart(90), WithinAbs(0.264, 0.002));
    CHECK_THAT(apart(84), WithinAbs(0.179, 0.002));
    CHECK_THAT(apart(78), WithinAbs(0.441, 0.002));
}

TEST_CASE("confinement that is too strong makes energy of nothing") {
    Fluid fluid = air(32, 32);
    fluid.beta = 0.0;
    for (int j = 0; j < 32; ++j) {
        for (int i = 0; i < 32; ++i) {
            const double x = (i + 0.5) / 32 - 0.4, y = (j + 0.5) / 32 - 0.5;
            fluid.u(i, j, 0) = -y * std::exp(-20.0 * (x * x + y * y));
            fluid.v(i, j, 0) = x * std::exp(-20.0 * (x * x + y * y));
        }
    }
    set_bnd(fluid);
    project(fluid, 0.01);
    Fluid strong = fluid;
    strong.epsilon = 5.0;
    CHECK(energy_from_confinement(fluid, 0.01) == 0.0);
    CHECK(energy_from_confinement(strong, 0.01) > 0.0);
    const double before = energy_of(fluid);
    for (int n = 0; n < 100; ++n) {
        step(fluid, 0.02);
        step(strong, 0.02);
    }
    INFO("without it, energy is only lost");
    CHECK(energy_of(fluid) < before);
    INFO("with it, there is many times more");
    CHECK(energy_of(strong) > 5.0 * before);
}
