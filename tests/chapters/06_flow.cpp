#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "chapter.hpp"
#include "direct.hpp"

namespace {

/// A fluid whose velocity diffuses and carries itself, and is not projected.
Fluid flowing_fluid(int N, std::uint32_t seed) {
    Fluid fluid(N);
    without_projection(fluid);
    fluid.velocity_fade_rate = 0.0f;
    fluid.u = bumpy(N, seed);
    fluid.v = bumpy(N, seed + 1);
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    return fluid;
}

double sampled(const Field& field, double x, double y) {
    x = std::clamp(x, 0.5, field.N + 0.5);
    y = std::clamp(y, 0.5, field.N + 0.5);
    const int i = static_cast<int>(x);
    const int j = static_cast<int>(y);
    const double s = x - i;
    const double t = y - j;
    return (1 - s) * ((1 - t) * field(i, j) + t * field(i, j + 1)) +
           s * ((1 - t) * field(i + 1, j) + t * field(i + 1, j + 1));
}

}  // namespace

TEST_CASE("velocity diffuses, each component between its own walls", "[06_flow]") {
    Fluid fluid = flowing_fluid(10, 1);
    fluid.advect_velocity = false;
    fluid.velocity_diffuse_iterations = 300;
    const Field u = fluid.u;
    const Field v = fluid.v;
    velocity_step(fluid, 0.5f);
    const double a = 0.5 * fluid.velocity_diffuse_rate * 100;
    INFO("is velocity_diffuse_rate the rate?");
    INFO("are u_prev and v_prev taken before it spreads, each of its own component?");
    {
        INFO("u spreads, mirrored at the left and right walls");
        CHECK(distance(fluid.u, solve(matrix(10, a, 1 + 4 * a, {-1, 1}), u)) < 1e-5);
    }
    INFO("v spreads, mirrored at the upper and lower walls");
    CHECK(distance(fluid.v, solve(matrix(10, a, 1 + 4 * a, {1, -1}), v)) < 1e-5);
    REQUIRE(distance(fluid.u, u) > 0.1);
}

TEST_CASE("velocity carries itself, as it was before the step", "[06_flow]") {
    const int N = 10;
    Fluid fluid = flowing_fluid(N, 3);
    fluid.diffuse_velocity = false;
    const Field u = fluid.u;
    const Field v = fluid.v;
    velocity_step(fluid, 0.2f);
    REQUIRE(distance(fluid.u, u) > 0.1);
    REQUIRE(distance(fluid.v, v) > 0.1);
    for (const auto& [i, j] : {std::pair(3, 7), {8, 2}, {5, 5}, {9, 9}}) {
        const double x = i - 0.2 * N * u(i, j);
        const double y = j - 0.2 * N * v(i, j);
        INFO(cell_name(i, j) << " came from (" << x << ", " << y << "), for u and for v");
        INFO("are u_prev and v_prev taken anew before the velocity is carried?");
        CHECK_THAT(fluid.u(i, j), WithinAbs(sampled(u, x, y), 1e-5));
        INFO("v must be carried by the old u, not by the u that has just moved");
        CHECK_THAT(fluid.v(i, j), WithinAbs(sampled(v, x, y), 1e-5));
    }
}

TEST_CASE("the walls of the velocity are in order after its step", "[06_flow]") {
    Fluid fluid = flowing_fluid(6, 5);
    velocity_step(fluid, 0.1f);
    REQUIRE(distance(fluid.u, flowing_fluid(6, 5).u) > 0.01);
    for (int k = 1; k <= 6; ++k) {
        INFO("row or column " << k);
        CHECK(fluid.u(0, k) == -fluid.u(1, k));
        CHECK(fluid.u(k, 7) == fluid.u(k, 6));
        CHECK(fluid.v(7, k) == fluid.v(6, k));
        CHECK(fluid.v(k, 0) == -fluid.v(k, 1));
    }
}

TEST_CASE("velocity diffuses first and is carried then", "[06_flow]") {
    Fluid fluid = flowing_fluid(8, 7);
    Fluid by_hand = fluid;
    velocity_step(fluid, 0.1f);

    by_hand.advect_velocity = false;
    velocity_step(by_hand, 0.1f);
    by_hand.advect_velocity = true;
    by_hand.diffuse_velocity = false;
    velocity_step(by_hand, 0.1f);
    INFO("diffuse, then advect: the tutorial's order");
    CHECK(distance(fluid.u, by_hand.u) == 0.0);
    CHECK(distance(fluid.v, by_hand.v) == 0.0);

    Fluid swapped = flowing_fluid(8, 7);
    swapped.diffuse_velocity = false;
    velocity_step(swapped, 0.1f);
    swapped.diffuse_velocity = true;
    swapped.advect_velocity = false;
    velocity_step(swapped, 0.1f);
    CHECK(distance(fluid.u, swapped.u) > 1e-3);
}

TEST_CASE("both parts of the velocity's step can be switched off", "[06_flow]") {
    Fluid fluid = flowing_fluid(8, 9);
    const Field u = fluid.u;
    const Field v = fluid.v;
    fluid.diffuse_velocity = false;
    fluid.advect_velocity = false;
    velocity_step(fluid, 0.1f);
    CHECK(distance(fluid.u, u) == 0.0);
    CHECK(distance(fluid.v, v) == 0.0);
    fluid.diffuse_velocity = true;
    velocity_step(fluid, 0.1f);
    CHECK(distance(fluid.u, u) > 0.0);
}

TEST_CASE("in a step the velocity comes first, and carries the dye then", "[06_flow]") {
    Fluid fluid = flowing_fluid(8, 11);
    fluid.velocity_fade_rate = 0.05f;
    fluid.density = bumpy(8, 13);
    set_bnd(BoundaryType::SCALAR, fluid.density);
    Fluid by_hand = fluid;
    step(fluid, 0.1f);

    velocity_step(by_hand, 0.1f);
    REQUIRE(distance(by_hand.u, flowing_fluid(8, 11).u) > 0.01);
    Field before = by_hand.density;
    diffuse(BoundaryType::SCALAR, by_hand.density, before, by_hand.density_diffuse_rate, 0.1f,
            by_hand.density_diffuse_iterations);
    before = by_hand.density;
    advect(BoundaryType::SCALAR, by_hand.density, before, by_hand.u, by_hand.v, 0.1f);
    fade_density(by_hand.density, by_hand.density_fade_rate, 0.1f);
    fade_velocity(by_hand.u, by_hand.v, 0.05f, 0.1f);
    REQUIRE(distance(by_hand.density, bumpy(8, 13)) > 0.1);
    INFO("velocity, dye, fading: the tutorial's order; does the step call velocity_step first?");
    CHECK(distance(fluid.density, by_hand.density) == 0.0);
    CHECK(distance(fluid.u, by_hand.u) == 0.0);
    CHECK(distance(fluid.v, by_hand.v) == 0.0);
}

TEST_CASE("a push drags its surroundings along", "[06_flow]") {
    Fluid fluid = flowing_fluid(16, 1);
    fluid.u = Field(16);
    fluid.v = Field(16);
    fluid.u(8, 8) = 1.0f;
    fluid.advect_velocity = false;
    velocity_step(fluid, 1.0f / 60.0f);
    const double a = 0.01 * 256 / 60;
    Field start(16);
    start(8, 8) = 1.0f;
    const Eigen::VectorXd exact = solve(matrix(16, a, 1 + 4 * a, {-1, 1}), start);
    INFO("u = 1 in (8, 8), a = 0.0426667");
    CHECK(distance(fluid.u, exact) < 1e-6);
    CHECK(fluid.u(9, 8) > 0.03f);
    INFO("nothing pushed down or up");
    CHECK(distance(fluid.v, Field(16)) == 0.0);
}

TEST_CASE("the parameters are those of the tutorial's last retuning", "[06_flow][retuned]") {
    const Fluid fluid(16);
    CHECK(fluid.velocity_diffuse_rate == 0.01f);
    CHECK(fluid.velocity_diffuse_iterations == 20);
    CHECK(fluid.velocity_fade_rate == 0.02f);
    Fluid pushed = fluid;
    without_projection(pushed);
    pushed.u(8, 8) = 1.0f;
    velocity_step(pushed, 1.0f / 60.0f);
    INFO("with them, a push has begun to spread after one step");
    CHECK(pushed.u(8, 9) > 0.01f);
}
