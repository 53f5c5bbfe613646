#include "catch.hpp"
#include "chapter.hpp"

namespace {

/// A fluid at rest, with nothing happening but fading.
Fluid fading_fluid() {
    Fluid fluid(5);
    only_move_and_fade(fluid);
    fluid.density_fade_rate = 0.1f;
    fluid.velocity_fade_rate = 0.2f;
    return fluid;
}

}  // namespace

TEST_CASE("a push goes into the cell that is pushed", "[02_fade]") {
    Fluid fluid(5);
    add_velocity(fluid, 2, 4, 1.0f, -0.5f);
    add_velocity(fluid, 2, 4, 0.25f, 0.0f);
    INFO("u is the velocity to the right, v the one down; pushes add up");
    CHECK(fluid.u(2, 4) == 1.25f);
    CHECK(fluid.v(2, 4) == -0.5f);
    CHECK(total(fluid.u) == 1.25);
    CHECK(total(fluid.v) == -0.5);
}

TEST_CASE("walls cannot be pushed", "[02_fade]") {
    Fluid fluid(5);
    add_velocity(fluid, 3, 2, 1.0f, 2.0f);
    REQUIRE(fluid.u(3, 2) == 1.0f);
    const Field u = fluid.u;
    const Field v = fluid.v;
    for (const auto& [i, j] : {std::pair(0, 3), {6, 3}, {3, 0}, {3, 6}, {-1, 2}, {2, 900}}) {
        add_velocity(fluid, i, j, 1.0f, 2.0f);
        INFO(cell_name(i, j) << ", a wall or outside, was pushed");
        CHECK(fluid.u.cells == u.cells);
        CHECK(fluid.v.cells == v.cells);
    }
}

TEST_CASE("dye fades by rate times dt", "[02_fade]") {
    Field density(5);
    density(1, 3) = 1.0f;
    density(4, 2) = 3.0f;
    fade_density(density, 0.1f, 0.5f);
    INFO("0.1 a second for half a second: 0.05 less in each cell");
    CHECK_THAT(density(1, 3), WithinAbs(0.95, 1e-6));
    CHECK_THAT(density(4, 2), WithinAbs(2.95, 1e-6));
}

TEST_CASE("dye fades to nothing and no further", "[02_fade]") {
    Field density(5);
    density(3, 1) = 0.01f;
    density(3, 2) = 1.0f;
    fade_density(density, 0.1f, 0.5f);
    INFO("0.01 of dye cannot lose 0.05; is there less than nothing in a cell?");
    CHECK(density(3, 1) == 0.0f);
    CHECK(density(2, 2) == 0.0f);
    CHECK_THAT(density(3, 2), WithinAbs(0.95, 1e-6));
}

TEST_CASE("dye fades the same at any frame rate", "[02_fade]") {
    for (const int steps : {5, 24, 60, 1000}) {
        Field density(5);
        density(2, 3) = 1.0f;
        for (int k = 0; k < steps; ++k) {
            fade_density(density, 0.1f, 1.0f / static_cast<float>(steps));
        }
        INFO(steps << " steps in a second: is the rate multiplied by dt?");
        CHECK_THAT(density(2, 3), WithinAbs(0.9, 1e-4));
    }
}

TEST_CASE("every fluid cell fades, the last row and column too", "[02_fade]") {
    Field density(4);
    for (int j = 1; j <= 4; ++j) {
        for (int i = 1; i <= 4; ++i) {
            density(i, j) = 1.0f;
        }
    }
    fade_density(density, 0.1f, 1.0f);
    for (int j = 1; j <= 4; ++j) {
        for (int i = 1; i <= 4; ++i) {
            INFO(cell_name(i, j) << " of N = 4: fluid cells go from 1 to N, N included");
            CHECK_THAT(density(i, j), WithinAbs(0.9, 1e-6));
        }
    }
}

TEST_CASE("move_toward arrives and does not overshoot", "[02_fade]") {
    INFO("5 towards 0, 2 at most");
    CHECK(move_toward(5.0f, 0.0f, 2.0f) == 3.0f);
    INFO("-5 towards 0, 2 at most");
    CHECK(move_toward(-5.0f, 0.0f, 2.0f) == -3.0f);
    INFO("1 and -1 are nearer to 0 than 2");
    CHECK(move_toward(1.0f, 0.0f, 2.0f) == 0.0f);
    CHECK(move_toward(-1.0f, 0.0f, 2.0f) == 0.0f);
    INFO("another target");
    CHECK(move_toward(1.0f, 4.0f, 2.0f) == 3.0f);
    CHECK(move_toward(5.0f, 4.0f, 2.0f) == 4.0f);
}

TEST_CASE("velocity fades in each component on its own", "[02_fade]") {
    Field u(5);
    Field v(5);
    u(2, 4) = 1.0f;
    v(2, 4) = 0.05f;
    u(4, 1) = -0.05f;
    v(4, 1) = -1.0f;
    fade_velocity(u, v, 0.2f, 0.5f);
    INFO("u and v each lose 0.1, towards 0: (1, 0.05) becomes (0.9, 0)");
    CHECK_THAT(u(2, 4), WithinAbs(0.9, 1e-6));
    CHECK(v(2, 4) == 0.0f);
    INFO("negative velocities fade towards 0, too: (-0.05, -1) becomes (0, -0.9)");
    CHECK(u(4, 1) == 0.0f);
    CHECK_THAT(v(4, 1), WithinAbs(-0.9, 1e-6));
}

TEST_CASE("velocity fades in every fluid cell, in the last row and column too", "[02_fade]") {
    Field u(4);
    Field v(4);
    for (int j = 1; j <= 4; ++j) {
        for (int i = 1; i <= 4; ++i) {
            u(i, j) = 1.0f;
            v(i, j) = -1.0f;
        }
    }
    fade_velocity(u, v, 0.2f, 1.0f);
    for (int j = 1; j <= 4; ++j) {
        for (int i = 1; i <= 4; ++i) {
            INFO(cell_name(i, j) << " of N = 4: fluid cells go from 1 to N, N included");
            CHECK_THAT(u(i, j), WithinAbs(0.8, 1e-6));
            CHECK_THAT(v(i, j), WithinAbs(-0.8, 1e-6));
        }
    }
}

TEST_CASE("a step fades dye and velocity, each at its rate", "[02_fade]") {
    Fluid fluid = fading_fluid();
    fluid.density(2, 4) = 1.0f;
    fluid.u(4, 1) = 0.5f;
    fluid.v(1, 2) = -0.5f;
    step(fluid, 0.01f);
    INFO("dye 1 loses 0.1 * 0.01");
    CHECK_THAT(fluid.density(2, 4), WithinAbs(0.999, 1e-6));
    INFO("velocity loses 0.2 * 0.01");
    CHECK_THAT(fluid.u(4, 1), WithinAbs(0.498, 1e-6));
    CHECK_THAT(fluid.v(1, 2), WithinAbs(-0.498, 1e-6));
}
