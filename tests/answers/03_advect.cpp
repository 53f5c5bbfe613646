// The worked answers of 03_advect's exercises.
#include <cmath>
#include <utility>

#include "catch.hpp"
#include "chapter.hpp"

/// Pushes the dye of each cell to the nearest cell that its arrow points to.
inline void push_forward(Field& d, const Field& d0, const Field& u, const Field& v, float dt) {
    const int N = d.N;
    std::fill(d.cells.begin(), d.cells.end(), 0.0f);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const int to_i = static_cast<int>(std::lround(i + dt * N * u(i, j)));
            const int to_j = static_cast<int>(std::lround(j + dt * N * v(i, j)));
            d(std::clamp(to_i, 1, N), std::clamp(to_j, 1, N)) += d0(i, j);
        }
    }
}

/// The value of a field between the cells.
inline float sample(const Field& d, float x, float y) {
    const auto [i0, j0, s0, s1, t0, t1] = source_at(x, y, d.N);
    return s0 * (t0 * d(i0, j0) + t1 * d(i0, j0 + 1)) +
           s1 * (t0 * d(i0 + 1, j0) + t1 * d(i0 + 1, j0 + 1));
}

/// Advection whose way back starts in the direction that the flow has half a step upstream.
inline void advect_midpoint(Field& d, const Field& d0, const Field& u, const Field& v, float dt) {
    const int N = d.N;
    const float dt0 = dt * N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float half_x = i - 0.5f * dt0 * u(i, j);
            const float half_y = j - 0.5f * dt0 * v(i, j);
            d(i, j) = sample(d0, i - dt0 * sample(u, half_x, half_y),
                             j - dt0 * sample(v, half_x, half_y));
        }
    }
}

TEST_CASE("push_forward keeps all dye and leaves holes") {
    const int N = 16;
    Field d0(N);
    Field u(N);
    const Field v(N);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= 8; ++i) {
            d0(i, j) = 1.0f;
            u(i, j) = static_cast<float>(i - 1);  // twice as far from column 1 after dt N = 1
        }
    }
    Field d(N);
    push_forward(d, d0, u, v, 1.0f / 16.0f);
    CHECK(total(d) == 128.0);
    for (int i = 1; i <= N; ++i) {
        INFO("column " << i);
        CHECK(d(i, 5) == (i % 2 == 1 ? 1.0f : 0.0f));
    }
    // The same flow, told where the dye is now: no cell of columns 1 to 15 is left empty.
    Field now(N);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            now(i, j) = 0.5f * static_cast<float>(i - 1);
        }
    }
    call_advect(d, d0, now, v, 1.0f / 16.0f);
    for (int i = 1; i <= 15; ++i) {
        CHECK(d(i, 5) > 0.4f);
    }
}

TEST_CASE("advect_midpoint stays on the circle") {
    const int N = 64;
    Field u(N);
    Field v(N);
    Field start(N);
    for (int j = 0; j <= N + 1; ++j) {
        for (int i = 0; i <= N + 1; ++i) {
            u(i, j) = -(static_cast<float>(j) - 32.5f) / static_cast<float>(N);
            v(i, j) = (static_cast<float>(i) - 32.5f) / static_cast<float>(N);
            start(i, j) = std::exp(-0.1f * (std::pow(static_cast<float>(i) - 48.0f, 2.0f) +
                                            std::pow(static_cast<float>(j) - 32.5f, 2.0f)));
        }
    }
    // The distance from the middle, and the share of the dye that is left.
    const auto after_a_quarter = [&](auto move) {
        Field d = start;
        const float dt = std::acos(0.0f) / 8.0f;
        for (int k = 0; k < 8; ++k) {
            const Field d0 = d;
            move(d, d0, dt);
        }
        double x = 0.0;
        double y = 0.0;
        for (int j = 1; j <= N; ++j) {
            for (int i = 1; i <= N; ++i) {
                x += d(i, j) * (i - 32.5);
                y += d(i, j) * (j - 32.5);
            }
        }
        return std::pair(std::hypot(x, y) / total(d), total(d) / total(start));
    };
    const auto [straight, kept_by_straight] =
        after_a_quarter([&](Field& d, const Field& d0, float dt) { call_advect(d, d0, u, v, dt); });
    const auto [midpoint, kept_by_midpoint] = after_a_quarter(
        [&](Field& d, const Field& d0, float dt) { advect_midpoint(d, d0, u, v, dt); });
    INFO("the circle has radius 15.5; straight lines end at " << straight << ", midpoints at "
                                                              << midpoint);
    CHECK(std::abs(straight - 15.5) > 1.0);
    CHECK(std::abs(midpoint - 15.5) < 0.1);
    // A step multiplies the total by 1 / (1 + w^2), and by 1 / (1 + w^4 / 4), with w = pi / 16.
    CHECK_THAT(kept_by_straight, WithinAbs(0.7391, 0.002));
    CHECK_THAT(kept_by_midpoint, WithinAbs(0.9970, 0.002));
    CHECK_THAT(kept_by_midpoint, WithinAbs(0.9979, 1e-4));  // as measured
}
