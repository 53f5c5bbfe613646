// The worked answers of 21_3d's exercises.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "solver.hpp"

/// Lets dye rise as hot smoke does, for `dt` seconds: the more of it a cell holds, the harder it is
/// pushed up, and up is where j becomes smaller.
inline void add_buoyancy(Fluid& fluid, float strength, float dt) {
    const int N = fluid.v.N;
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                fluid.v(i, j, k) -= dt * strength * fluid.density(i, j, k);
            }
        }
    }
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
}

/// set_bnd for a world without walls, where what leaves on one side comes in on the other: a wall
/// cell holds what the fluid cell at the other end of its row does. Each axis is done over the
/// whole cube, so edges and corners are right as well.
inline void set_bnd_periodic(Field& x) {
    const int N = x.N;
    for (int n = 0; n < N; ++n) {
        for (int m = 0; m < N; ++m) {
            x(0, m, n) = x(N - 2, m, n);
            x(N - 1, m, n) = x(1, m, n);
        }
    }
    for (int n = 0; n < N; ++n) {
        for (int m = 0; m < N; ++m) {
            x(m, 0, n) = x(m, N - 2, n);
            x(m, N - 1, n) = x(m, 1, n);
        }
    }
    for (int n = 0; n < N; ++n) {
        for (int m = 0; m < N; ++m) {
            x(m, n, 0) = x(m, n, N - 2);
            x(m, n, N - 1) = x(m, n, 1);
        }
    }
}

/// Brings a coordinate back into a world without walls: takes off whole rounds of N - 2 cells,
/// however many they are. Infinity becomes NaN, and the clamp, which stays, brings NaN to 0.5.
inline float wrapped(float x, int N) {
    const auto round = static_cast<float>(N - 2);
    x -= round * std::floor((x - 0.5f) / round);
    return std::max(0.5f, std::min(x, N - 1.5f));
}

TEST_CASE("smoke rises, and what is beside it sinks") {
    Fluid fluid(16);
    for (int k = 6; k < 10; ++k) {
        for (int j = 10; j < 14; ++j) {
            for (int i = 5; i < 9; ++i) {
                add_density(fluid, i, j, k, 1.0f);
            }
        }
    }
    const auto height = [&] {  // of the dye's centre
        double sum = 0.0;
        double weight = 0.0;
        for (int k = 1; k < 15; ++k) {
            for (int j = 1; j < 15; ++j) {
                for (int i = 1; i < 15; ++i) {
                    sum += j * fluid.density(i, j, k);
                    weight += fluid.density(i, j, k);
                }
            }
        }
        return sum / weight;
    };
    const double before = height();
    for (int n = 0; n < 60; ++n) {
        add_buoyancy(fluid, 1.0f, 1.0f / 30.0f);
        step(fluid, 1.0f / 30.0f);
    }
    INFO("it was at row " << before << " and is at " << height());
    CHECK(height() < before - 1.0);
    CHECK(fluid.v(7, 10, 8) < 0.0f);
    CHECK(fluid.v(14, 10, 8) > 0.0f);
}

TEST_CASE("two jets that cross: part of the divergence stays, however many sweeps") {
    for (const auto& [iterations, left] :
         {std::pair(1, 1.71), {4, 0.56}, {20, 0.37}, {100, 0.37}}) {
        Fluid fluid(40);
        fluid.iterations = iterations;
        for_each_cell(40, [&](int i, int j, int k) {  // as the window's scene jets
            const float x = (static_cast<float>(i) - 0.5f) / 38.0f;
            const float y = (static_cast<float>(j) - 0.5f) / 38.0f;
            const float z = (static_cast<float>(k) - 0.5f) / 38.0f;
            if (x > 0.1f && x < 0.35f && std::hypot(y - 0.45f, z - 0.5f) < 0.09f) {
                add_velocity(fluid, i, j, k, {1.2f, 0.0f, 0.0f});
            }
            if (z > 0.1f && z < 0.35f && std::hypot(x - 0.6f, y - 0.55f) < 0.09f) {
                add_velocity(fluid, i, j, k, {0.0f, -0.3f, 1.2f});
            }
        });
        for (int n = 0; n < 40; ++n) {
            velocity_step(fluid, 1.0f / 60.0f);
        }
        float largest = 0.0f;
        for_each_cell(40, [&](int i, int j, int k) {
            largest =
                std::max(largest, std::abs(divergence_at({fluid.u, fluid.v, fluid.w}, i, j, k)));
        });
        INFO(iterations << " sweeps");
        CHECK_THAT(largest, WithinAbs(left, 0.005));
    }
}

TEST_CASE("what leaves on one side comes in on the other") {
    Field x(6);
    for (int k = 1; k < 5; ++k) {
        for (int j = 1; j < 5; ++j) {
            for (int i = 1; i < 5; ++i) {
                x(i, j, k) = static_cast<float>(i + 10 * j + 100 * k);
            }
        }
    }
    set_bnd_periodic(x);
    CHECK(x(0, 2, 3) == 324.0f);
    CHECK(x(5, 2, 3) == 321.0f);
    CHECK(x(2, 0, 3) == 342.0f);
    CHECK(x(2, 3, 5) == 132.0f);
    INFO("edges and corners");
    CHECK(x(0, 0, 3) == 344.0f);
    CHECK(x(5, 5, 0) == 411.0f);
    CHECK(x(0, 0, 0) == 444.0f);
}

TEST_CASE("a point that leaves comes in on the other side, however far it went") {
    CHECK(wrapped(3.25f, 10) == 3.25f);
    CHECK(wrapped(8.75f, 10) == 0.75f);
    CHECK(wrapped(0.25f, 10) == 8.25f);
    CHECK(wrapped(3.25f + 8.0f * 1000.0f, 10) == 3.25f);
    CHECK(wrapped(3.25f - 8.0f * 1000.0f, 10) == 3.25f);
    const float infinity = std::numeric_limits<float>::infinity();
    INFO("what no round brings back ends inside all the same");
    CHECK(wrapped(std::numeric_limits<float>::quiet_NaN(), 10) == 0.5f);
    CHECK(wrapped(infinity, 10) == 0.5f);
    CHECK(wrapped(-infinity, 10) == 0.5f);
    for (const float far : {1e10f, -1e10f, 3e38f, -3e38f}) {
        CHECK(wrapped(far, 10) >= 0.5f);
        CHECK(wrapped(far, 10) <= 8.5f);
    }
}
