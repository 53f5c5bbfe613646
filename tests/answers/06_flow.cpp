// The worked answers of 06_flow's exercises.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "chapter.hpp"

/// Returns how many cells move at a tenth of the largest speed or faster.
inline int cells_in_motion(const Fluid& fluid) {
    const int N = fluid.u.N;
    const auto speed = [&](int i, int j) { return std::hypot(fluid.u(i, j), fluid.v(i, j)); };
    float largest = 0.0f;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            largest = std::max(largest, speed(i, j));
        }
    }
    int count = 0;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            count += largest > 0.0f && speed(i, j) >= 0.1f * largest ? 1 : 0;
        }
    }
    return count;
}

/// Relaxes until the residual is at most `tolerance`, and returns how many sweeps that took. Gives
/// up after `most` sweeps, since float's rounding keeps a residual from falling to 0.
inline int lin_solve_until(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                           float tolerance, int most) {
    int sweeps = 0;
    while (sweeps < most && residual(x, x0, a, c) > tolerance) {
        lin_solve(boundary, x, x0, a, c, 1);
        ++sweeps;
    }
    return sweeps;
}

TEST_CASE("honey moves more cells than water") {
    const auto moved = [](float viscosity) {
        Fluid fluid(32);
        fluid.velocity_diffuse_rate = viscosity;
        fluid.velocity_fade_rate = 0.0f;
        for (int i = 12; i <= 20; ++i) {
            add_velocity(fluid, i, 15, 1.0f, 0.0f);
        }
        for (int k = 0; k < 30; ++k) {
            step(fluid, 1.0f / 60.0f);
        }
        return cells_in_motion(fluid);
    };
    const int water = moved(0.0f);
    const int honey = moved(0.2f);
    INFO("water " << water << ", honey " << honey);
    CHECK(water == 9);
    CHECK(std::abs(honey - 960) <= 2);  // of 1024; rounding decides about the last cells
}

TEST_CASE("lin_solve_until stops when it may") {
    Field x(16);
    x(8, 8) = 1.0f;
    const Field x0 = x;
    const float a = 0.01f * 256.0f / 60.0f;
    const int sweeps =
        lin_solve_until(BoundaryType::VELOCITY_HORIZONTAL, x, x0, a, 1.0f + 4.0f * a, 1e-6f, 100);
    INFO(sweeps << " sweeps");
    CHECK(sweeps >= 5);
    CHECK(sweeps <= 6);

    Field p(16);
    Field b(16);
    b(7, 8) = -1.0f;
    b(9, 8) = 1.0f;
    const int more = lin_solve_until(BoundaryType::SCALAR, p, b, 1.0f, 4.0f, 1e-6f, 2000);
    INFO("and " << more << " for a pressure");
    CHECK(more > 100);
    CHECK(more < 2000);
}
