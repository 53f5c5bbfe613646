#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "chapter.hpp"
#include "direct.hpp"
#include "reference.hpp"

namespace {

constexpr BoundaryType all_types[] = {BoundaryType::SCALAR, BoundaryType::VELOCITY_HORIZONTAL,
                                      BoundaryType::VELOCITY_VERTICAL};

Walls walls_of(BoundaryType boundary) {
    return {boundary == BoundaryType::VELOCITY_HORIZONTAL ? -1.0 : 1.0,
            boundary == BoundaryType::VELOCITY_VERTICAL ? -1.0 : 1.0};
}

std::string name_of(BoundaryType boundary) {
    return boundary == BoundaryType::SCALAR                ? "a scalar"
           : boundary == BoundaryType::VELOCITY_HORIZONTAL ? "u"
                                                           : "v";
}

std::string rule_of(BoundaryType boundary) {
    return boundary == BoundaryType::SCALAR ? "a scalar is copied into every wall"
           : boundary == BoundaryType::VELOCITY_HORIZONTAL
               ? "u is mirrored in the left and the right wall, copied into the upper and the lower"
               : "v is mirrored in the upper and the lower wall, copied into the left and the "
                 "right";
}

/// Stops at the first wall cell that is wrong: one says enough.
void check_walls(const Field& x, BoundaryType boundary) {
    const int N = x.N;
    const float across = static_cast<float>(walls_of(boundary).left_right);
    const float down = static_cast<float>(walls_of(boundary).up_down);
    INFO(rule_of(boundary));
    for (int k = 1; k <= N; ++k) {
        INFO("k = " << k << " of N = " << N);
        {
            INFO("left wall, beside it x(1, k) = " << x(1, k));
            REQUIRE(x(0, k) == across * x(1, k));
        }
        {
            INFO("right wall, beside it x(N, k) = " << x(N, k));
            REQUIRE(x(N + 1, k) == across * x(N, k));
        }
        {
            INFO("upper wall, beside it x(k, 1) = " << x(k, 1));
            REQUIRE(x(k, 0) == down * x(k, 1));
        }
        {
            INFO("lower wall, beside it x(k, N) = " << x(k, N));
            REQUIRE(x(k, N + 1) == down * x(k, N));
        }
    }
    INFO("each corner is the average of its two neighbours in the walls");
    CHECK_THAT(x(0, 0), WithinAbs(0.5 * (x(1, 0) + x(0, 1)), 1e-6));
    CHECK_THAT(x(N + 1, 0), WithinAbs(0.5 * (x(N, 0) + x(N + 1, 1)), 1e-6));
    CHECK_THAT(x(0, N + 1), WithinAbs(0.5 * (x(1, N + 1) + x(0, N)), 1e-6));
    CHECK_THAT(x(N + 1, N + 1), WithinAbs(0.5 * (x(N, N + 1) + x(N + 1, N)), 1e-6));
}

/// Dye 1 in one cell of 16 x 16, diffused as in the tutorial.
Field dye_one_at(int i, int j) {
    Field x(16);
    x(i, j) = 1.0f;
    const Field x0 = x;
    diffuse(BoundaryType::SCALAR, x, x0, 0.006f, 1.0f / 60.0f, 20);
    return x;
}

}  // namespace

TEST_CASE("the walls copy a scalar and mirror a velocity", "[05_bounds]") {
    for (const int N : {7, 2, 1}) {
        for (const BoundaryType boundary : all_types) {
            Field x = bumpy(N, 1);
            set_bnd(boundary, x);
            check_walls(x, boundary);
        }
    }
}

TEST_CASE("the right component is mirrored at the right walls", "[05_bounds]") {
    Field x(4);
    x(1, 2) = 3.0f;
    x(3, 4) = 5.0f;
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, x);
    INFO("u points into the left and the right wall: mirrored there, copied above and below");
    CHECK(x(0, 2) == -3.0f);
    CHECK(x(3, 5) == 5.0f);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, x);
    INFO("v points into the upper and the lower wall");
    CHECK(x(0, 2) == 3.0f);
    CHECK(x(3, 5) == -5.0f);
}

TEST_CASE("the walls do not touch the fluid", "[05_bounds]") {
    for (const BoundaryType boundary : all_types) {
        const Field before = bumpy(6, 2);
        Field x = before;
        set_bnd(boundary, x);
        REQUIRE(x(0, 3) != before(0, 3));
        INFO("set_bnd of " << name_of(boundary));
        CHECK(distance(x, before) == 0.0);
    }
}

TEST_CASE("what is put beside a wall shows in the wall at once", "[05_bounds]") {
    Fluid fluid(5);
    for (const auto& [i, j] : {std::pair(1, 3), {5, 2}, {3, 1}, {2, 5}, {5, 5}, {3, 3}}) {
        add_density(fluid, i, j, 1.0f + 0.1f * static_cast<float>(i));
        add_velocity(fluid, i, j, 1.0f, 0.5f);
    }
    REQUIRE(fluid.density(1, 3) > 1.0f);
    REQUIRE(fluid.v(3, 1) == 0.5f);
    {
        INFO("does add_density call set_bnd where it touches a wall?");
        check_walls(fluid.density, BoundaryType::SCALAR);
    }
    INFO("does add_velocity call set_bnd where it touches a wall, for u and v each as it is?");
    check_walls(fluid.u, BoundaryType::VELOCITY_HORIZONTAL);
    check_walls(fluid.v, BoundaryType::VELOCITY_VERTICAL);
}

TEST_CASE("every operator leaves the walls in order", "[05_bounds]") {
    for (const BoundaryType boundary : all_types) {
        const Field x0 = bumpy(6, 3);
        Field x(6);
        {
            INFO("after advect: does it end with set_bnd?");
            advect(boundary, x, x0, bumpy(6, 4), bumpy(6, 5), 0.1f);
            REQUIRE(distance(x, Field(6)) > 0.1);
            check_walls(x, boundary);
        }
        INFO("after diffuse: does each sweep end with set_bnd, for a field of this type?");
        diffuse(boundary, x, x0, 0.01f, 0.1f, 3);
        check_walls(x, boundary);
    }
}

TEST_CASE("each sweep sees the walls of the sweep before", "[05_bounds]") {
    const Field x0 = bumpy(6, 6);
    Field at_once(6);
    Field one_by_one(6);
    lin_solve(BoundaryType::VELOCITY_VERTICAL, at_once, x0, 2.0f, 9.0f, 4);
    for (int k = 0; k < 4; ++k) {
        lin_solve(BoundaryType::VELOCITY_VERTICAL, one_by_one, x0, 2.0f, 9.0f, 1);
        set_bnd(BoundaryType::VELOCITY_VERTICAL, one_by_one);
    }
    REQUIRE(distance(at_once, Field(6)) > 0.01);
    REQUIRE(at_once(3, 0) == -at_once(3, 1));
    INFO("set_bnd belongs into the loop over the sweeps, not after it");
    CHECK(distance(at_once, one_by_one) == 0.0);
}

TEST_CASE("twenty sweeps with walls keep all the dye", "[05_bounds]") {
    const Field middle = dye_one_at(8, 8);
    CHECK_THAT(middle(8, 8), WithinAbs(0.909078001, 1e-6));
    CHECK_THAT(middle(8, 7), WithinAbs(0.021167858, 1e-6));
    CHECK_THAT(middle(9, 9), WithinAbs(0.000984720, 1e-6));
    const Field corner = dye_one_at(1, 1);
    INFO("dye 1 in the corner cell (1, 1): in 04_diffuse the walls absorbed 0.0476 of it");
    CHECK_THAT(corner(1, 1), WithinAbs(0.952398, 1e-6));
    CHECK_THAT(total(corner), WithinAbs(1.0, 1e-6));
}

TEST_CASE("in a step the dye has the walls of a scalar", "[05_bounds]") {
    Fluid fluid(7);
    only_move_and_fade(fluid);
    fluid.density_diffuse_rate = 0.05f;
    fluid.density_fade_rate = 0.0f;
    fluid.density = bumpy(7, 12);
    for (float& cell : fluid.density.cells) {
        cell += 1.0f;
    }
    set_bnd(BoundaryType::SCALAR, fluid.density);
    fluid.u = bumpy(7, 13);
    fluid.v = bumpy(7, 14);

    Field expected = fluid.density;
    Field before = expected;
    diffuse(BoundaryType::SCALAR, expected, before, 0.05f, 0.1f, fluid.density_diffuse_iterations);
    before = expected;
    advect(BoundaryType::SCALAR, expected, before, fluid.u, fluid.v, 0.1f);
    REQUIRE(distance(expected, fluid.density) > 0.1);

    step(fluid, 0.1f);
    INFO("dye is a scalar: does the step say so, to diffuse and to advect?");
    CHECK(distance(fluid.density, expected) == 0.0);
    check_walls(fluid.density, BoundaryType::SCALAR);
}

TEST_CASE("converged diffusion conserves the dye", "[05_bounds]") {
    Field x = bumpy(9, 7);
    const Field x0 = x;
    diffuse(BoundaryType::SCALAR, x, x0, 0.05f, 0.1f, 500);
    REQUIRE(distance(x, x0) > 0.1);
    INFO("total dye " << total(x) << ", expected " << total(x0));
    CHECK_THAT(total(x), WithinAbs(total(x0), 1e-4));
}

TEST_CASE("a constant field stays constant", "[05_bounds]") {
    Field x = bumpy(7, 8);
    Field x0(7);
    for (float& cell : x0.cells) {
        cell = 0.75f;
    }
    advect(BoundaryType::SCALAR, x, x0, bumpy(7, 9), bumpy(7, 10), 2.0f);
    for (const float cell : x.cells) {
        CHECK_THAT(cell, WithinAbs(0.75, 1e-6));
    }
    diffuse(BoundaryType::SCALAR, x, x0, 0.1f, 1.0f, 10);
    for (const float cell : x.cells) {
        CHECK_THAT(cell, WithinAbs(0.75, 1e-6));
    }
}

TEST_CASE("with walls the sweeps converge to another direct solution", "[05_bounds]") {
    for (const BoundaryType boundary : all_types) {
        for (const double a : {0.0256, 1.0, 10.0}) {
            const Field x0 = bumpy(11, 11);
            Field x = x0;
            lin_solve(boundary, x, x0, static_cast<float>(a), static_cast<float>(1 + 4 * a), 1500);
            const Eigen::VectorXd exact = solve(matrix(11, a, 1 + 4 * a, walls_of(boundary)), x0);
            const Eigen::VectorXd open = solve(matrix(11, a, 1 + 4 * a, {0, 0}), x0);
            REQUIRE((exact - open).cwiseAbs().maxCoeff() > 1e-3);
            INFO(name_of(boundary) << ", a = " << a << ", against Eigen's SimplicialLDLT");
            CHECK(distance(x, exact) < 4e-6);
        }
    }
}

TEST_CASE("a wave between walls decays by 1 / (1 + a lambda)", "[05_bounds]") {
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("diffusion_mode_factors.csv")) {
        REQUIRE(words.size() >= 5);
        const int N = std::stoi(words[0]);
        const int k = std::stoi(words[1]);
        const int l = std::stoi(words[2]);
        const double a = std::stod(words[3]);
        const double factor = std::stod(words[4]);
        if (N > 32) {
            continue;  // takes long, shows nothing new
        }
        Field x(N);
        for (int j = 1; j <= N; ++j) {
            for (int i = 1; i <= N; ++i) {
                x(i, j) = static_cast<float>(std::cos(std::numbers::pi * k * (i - 0.5) / N) *
                                             std::cos(std::numbers::pi * l * (j - 0.5) / N));
            }
        }
        set_bnd(BoundaryType::SCALAR, x);
        const Field x0 = x;
        lin_solve(BoundaryType::SCALAR, x, x0, static_cast<float>(a), static_cast<float>(1 + 4 * a),
                  400);
        INFO("N = " << N << ", " << k << " and " << l << " half waves, a = " << a);
        CHECK_THAT(x(1, 1) / x0(1, 1), WithinAbs(factor, 2e-5));
        CHECK_THAT(x(1, N) / x0(1, N), WithinAbs(factor, 2e-5));
        ++rows;
    }
    CHECK(rows >= 40);
}
