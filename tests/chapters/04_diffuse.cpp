#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "chapter.hpp"
#include "direct.hpp"

namespace {

constexpr float dt = 1.0f / 60.0f;
constexpr float rate = 0.006f;

/// Dye 1 in one cell of 16 x 16, diffused as in the tutorial.
Field dye_one_at(int i, int j, int iterations) {
    Field x(16);
    x(i, j) = 1.0f;
    const Field x0 = x;
    call_diffuse(x, x0, rate, dt, iterations);
    return x;
}

/// Without values in the walls.
Field bumpy_inside(int N, std::uint32_t seed) {
    Field field = bumpy(N, seed);
    for (int k = 0; k <= N + 1; ++k) {
        field(0, k) = field(N + 1, k) = field(k, 0) = field(k, N + 1) = 0.0f;
    }
    return field;
}

}  // namespace

TEST_CASE("one sweep sets each cell from its equation", "[04_diffuse]") {
    Field x(4);
    Field x0(4);
    x0(2, 3) = 10.0f;
    call_lin_solve(x, x0, 0.5f, 4.0f, 1);
    INFO(
        "x0 / c in the cell itself: does each sweep start from x0, is it divided by c? is it swept "
        "as "
        "often as `iterations` says, here once?");
    CHECK(x(2, 3) == 2.5f);
    INFO(
        "a times that / c in the cells to the right and below, which come later in the sweep: "
        "is each of the four neighbours read once, from x as it is by now and not from a copy?");
    CHECK(x(3, 3) == 0.3125f);
    CHECK(x(2, 4) == 0.3125f);
    INFO("the cells to the left and above came before: nothing yet (is x0 read, not a copy of x?)");
    CHECK(x(1, 3) == 0.0f);
    CHECK(x(2, 2) == 0.0f);
    INFO("the diagonal one gets it from both sides, at once: Gauss-Seidel reads what is new");
    CHECK(x(3, 4) == 0.078125f);
}

TEST_CASE("no sweeps, no change", "[04_diffuse]") {
    const Field x0 = bumpy_inside(5, 1);
    Field x = bumpy_inside(5, 2);
    const Field before = x;
    call_lin_solve(x, x0, 0.5f, 3.0f, 0);
    CHECK(x.cells == before.cells);
    call_lin_solve(x, x0, 0.5f, 3.0f, 1);
    CHECK(distance(x, before) > 0.1);
}

TEST_CASE("the sweeps begin with what the field holds", "[04_diffuse]") {
    const Field x0 = bumpy_inside(6, 3);
    Field at_once = bumpy_inside(6, 4);
    Field in_parts = at_once;
    call_lin_solve(at_once, x0, 1.0f, 5.0f, 7);
    call_lin_solve(in_parts, x0, 1.0f, 5.0f, 3);
    REQUIRE(distance(at_once, in_parts) > 1e-4);
    call_lin_solve(in_parts, x0, 1.0f, 5.0f, 4);
    INFO("3 sweeps and 4 more are 7 sweeps");
    CHECK(distance(at_once, in_parts) == 0.0);
}

TEST_CASE("many sweeps solve the equations", "[04_diffuse]") {
    const Field x0 = bumpy_inside(9, 5);
    Field x(9);
    const float before = residual(x, x0, 2.0f, 9.0f);
    REQUIRE(before > 0.5f);
    call_lin_solve(x, x0, 2.0f, 9.0f, 200);
    INFO("residual " << before << " before, " << residual(x, x0, 2.0f, 9.0f)
                     << " after 200 sweeps");
    CHECK(residual(x, x0, 2.0f, 9.0f) < 1e-5f);
    INFO("and by hand, in cell (4, 7)");
    const double neighbours = double{x(3, 7)} + x(5, 7) + x(4, 6) + x(4, 8);
    CHECK_THAT(9.0 * x(4, 7) - 2.0 * neighbours, WithinAbs(x0(4, 7), 1e-5));
}

TEST_CASE("the residual is the largest error of an equation", "[04_diffuse]") {
    Field x(5);
    Field x0(5);
    x(2, 4) = 1.0f;
    x0(5, 5) = 7.0f;
    INFO(
        "c x is 3 too much in (2, 4), a x = 0.5 is missing beside it, and 7 too little stands in "
        "the "
        "last cell, (5, 5): errors of both signs count, in every cell");
    CHECK(residual(x, x0, 0.5f, 3.0f) == 7.0f);
    x0(5, 5) = 0.0f;
    CHECK(residual(x, x0, 0.5f, 3.0f) == 3.0f);
    x(2, 4) = 0.0f;
    CHECK(residual(x, x0, 0.5f, 3.0f) == 0.0f);
}

TEST_CASE("twenty sweeps spread dye 1 as they should", "[04_diffuse]") {
    const Field x = dye_one_at(8, 8, 20);
    INFO("N = 16, rate 0.006, dt 1/60: a = dt * rate * N * N = 0.0256, c = 1 + 4 a");
    INFO("(an explicit step would leave 0.8976 in the middle)");
    CHECK_THAT(x(8, 8), WithinAbs(0.909078001, 1e-6));
    CHECK_THAT(x(9, 8), WithinAbs(0.021167858, 1e-6));
    CHECK_THAT(x(8, 7), WithinAbs(0.021167858, 1e-6));
    CHECK_THAT(x(9, 9), WithinAbs(0.000984720, 1e-6));
    INFO("total dye " << total(x) << ", expected 1: is it divided by 1 + 4 a?");
    CHECK_THAT(total(x), WithinAbs(1.0, 1e-6));
}

TEST_CASE("dye spreads the same way in all four directions", "[04_diffuse]") {
    const Field x = dye_one_at(6, 9, 20);
    REQUIRE(x(7, 9) > 0.02f);
    INFO("left, right, up and down of (6, 9)");
    CHECK_THAT(x(5, 9), WithinAbs(x(7, 9), 1e-7));
    CHECK_THAT(x(6, 8), WithinAbs(x(7, 9), 1e-7));
    CHECK_THAT(x(6, 10), WithinAbs(x(7, 9), 1e-7));
}

TEST_CASE("a grows with the square of N", "[04_diffuse]") {
    // With twice as many cells, a quarter of the rate is the same a.
    Field coarse(8);
    Field fine(16);
    coarse(4, 4) = 1.0f;
    fine(8, 8) = 1.0f;
    const Field coarse0 = coarse;
    const Field fine0 = fine;
    call_diffuse(coarse, coarse0, 4.0f * rate, dt, 50);
    call_diffuse(fine, fine0, rate, dt, 50);
    REQUIRE(coarse(4, 4) < 0.95f);
    INFO("rate 0.024 at N = 8 and rate 0.006 at N = 16 have the same a");
    CHECK_THAT(fine(8, 8), WithinAbs(coarse(4, 4), 1e-5));
}

TEST_CASE("the tutorial's dye is settled after four sweeps", "[04_diffuse]") {
    const Field four = dye_one_at(8, 8, 4);
    const Field twenty = dye_one_at(8, 8, 20);
    REQUIRE(total(four) > 0.9);
    INFO(
        "a is small beside 1: each sweep shrinks the error a hundredfold; does diffuse begin with "
        "what x holds?");
    CHECK(distance(four, twenty) < 1e-6);
    CHECK(distance(dye_one_at(8, 8, 1), twenty) > 1e-4);
}

TEST_CASE("implicit diffusion is stable for any a", "[04_diffuse]") {
    for (const float large : {10.0f, 1e3f, 1e6f}) {
        Field x = bumpy_inside(8, 6);
        const Field x0 = x;
        call_diffuse(x, x0, large, 1.0f, 100);
        INFO("rate " << large << ": averages of values from -1 to 1 stay between them");
        CHECK(distance(x, Field(8)) <= 1.0);
        REQUIRE(distance(x, x0) > 0.1);
    }
}

TEST_CASE("the explicit step blows up beyond a = 1/4", "[04_diffuse]") {
    const auto explicit_steps = [](float a, int steps) {
        Field x(8);
        for (int j = 1; j <= 8; ++j) {
            for (int i = 1; i <= 8; ++i) {
                x(i, j) = (i + j) % 2 == 0 ? 1.0f : -1.0f;
            }
        }
        for (int k = 0; k < steps; ++k) {
            const Field x0 = x;
            for (int j = 1; j <= 8; ++j) {
                for (int i = 1; i <= 8; ++i) {
                    x(i, j) = x0(i, j) + a * (x0(i - 1, j) + x0(i + 1, j) + x0(i, j - 1) +
                                              x0(i, j + 1) - 4.0f * x0(i, j));
                }
            }
        }
        return distance(x, Field(8));
    };
    CHECK(explicit_steps(0.24f, 200) < 1.0);
    CHECK(explicit_steps(0.27f, 200) > 100.0);
    INFO("the implicit step, at the same a, divides it by 1 + 8 a instead");
    Field x(8);
    x(4, 4) = 1.0f;
    const Field x0 = x;
    call_diffuse(x, x0, 0.27f, 1.0f / 64.0f, 20);  // a = 0.27
    CHECK(x(4, 4) < 0.8f);
    INFO("one step multiplies a checkerboard by 1 - 8 a");
    CHECK_THAT(explicit_steps(0.5f, 1), WithinAbs(3.0, 1e-6));
}

TEST_CASE("a step diffuses, then advects, then fades", "[04_diffuse]") {
    Fluid fluid(8);
    only_move_and_fade(fluid);
    fluid.density_diffuse_rate = 0.02f;
    fluid.density_fade_rate = 0.5f;
    fluid.density = bumpy_inside(8, 7);
    fluid.u = bumpy_inside(8, 8);
    fluid.v = bumpy_inside(8, 9);

    Field expected = fluid.density;
    Field before = expected;
    call_diffuse(expected, before, 0.02f, 0.1f, fluid.density_diffuse_iterations);
    REQUIRE(distance(expected, before) > 0.01);
    before = expected;
    call_advect(expected, before, fluid.u, fluid.v, 0.1f);
    fade_density(expected, 0.5f, 0.1f);
    REQUIRE(distance(expected, fluid.density) > 0.1);

    step(fluid, 0.1f);
    INFO("the tutorial's order; is the copy taken before each of the two?");
    INFO("are there density_diffuse_iterations sweeps?");
    CHECK(distance(fluid.density, expected) == 0.0);
}

TEST_CASE("the walls of 04_diffuse drink dye", "[04_diffuse][open-walls]") {
    const Field x = dye_one_at(1, 1, 20);
    INFO("nothing stands in the walls: what diffuses there is lost");
    CHECK_THAT(x(1, 1), WithinAbs(0.908093, 1e-6));
    CHECK_THAT(total(x), WithinAbs(0.952398, 1e-6));
}

TEST_CASE("the sweeps converge to the direct solution", "[04_diffuse][open-walls]") {
    for (const double a : {0.0256, 1.0, 10.0}) {
        const Field x0 = bumpy_inside(11, 10);
        Field x = x0;
        call_lin_solve(x, x0, static_cast<float>(a), static_cast<float>(1 + 4 * a), 500);
        const Eigen::VectorXd exact = solve(matrix(11, a, 1 + 4 * a, {0, 0}), x0);
        REQUIRE(exact.norm() > 0.1);
        INFO("a = " << a << ", 500 sweeps against Eigen's SimplicialLDLT");
        CHECK(distance(x, exact) < 2e-6);
    }
}

TEST_CASE("a wave between open walls decays by 1 / (1 + a lambda)", "[04_diffuse][open-walls]") {
    const int N = 12;
    const double a = 0.7;
    Field x(N);
    double lambda = 0.0;
    for (const int waves : {2, 3}) {
        lambda += 4 * std::pow(std::sin(std::numbers::pi * waves / (2 * (N + 1))), 2);
    }
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            x(i, j) = static_cast<float>(std::sin(std::numbers::pi * 2 * i / (N + 1)) *
                                         std::sin(std::numbers::pi * 3 * j / (N + 1)));
        }
    }
    const Field x0 = x;
    call_lin_solve(x, x0, static_cast<float>(a), static_cast<float>(1 + 4 * a), 300);
    CHECK_THAT(x(3, 2) / x0(3, 2), WithinAbs(1 / (1 + a * lambda), 1e-5));
    CHECK_THAT(x(7, 11) / x0(7, 11), WithinAbs(1 / (1 + a * lambda), 1e-5));
}
