// The worked answers of 02_fade's exercises.
#include <cmath>

#include "catch.hpp"
#include "chapter.hpp"

/// Takes the share `rate * dt` of what is there, continuously: it never reaches 0.
inline void fade_by_share(Field& density, float rate, float dt) {
    const float left = std::exp(-rate * dt);
    for (float& cell : density.cells) {
        cell *= left;
    }
}

/// Takes `rate * dt` off the length of each arrow, and leaves its direction.
inline void fade_speed(Field& u, Field& v, float rate, float dt) {
    for (std::size_t k = 0; k < u.cells.size(); ++k) {
        const float speed = std::hypot(u.cells[k], v.cells[k]);
        const float left = speed > rate * dt ? 1.0f - rate * dt / speed : 0.0f;
        u.cells[k] *= left;
        v.cells[k] *= left;
    }
}

TEST_CASE("fade_by_share is the same at any frame rate") {
    Field once(3);
    Field often(3);
    once(2, 1) = often(2, 1) = 1.0f;
    fade_by_share(once, 0.5f, 1.0f);
    for (int k = 0; k < 100; ++k) {
        fade_by_share(often, 0.5f, 0.01f);
    }
    CHECK_THAT(once(2, 1), WithinAbs(std::exp(-0.5), 1e-6));
    CHECK_THAT(often(2, 1), WithinAbs(std::exp(-0.5), 1e-5));
}

TEST_CASE("fade_speed keeps the direction") {
    Field u(3);
    Field v(3);
    u(2, 1) = 0.8f;
    v(2, 1) = -0.6f;
    u(1, 3) = 0.01f;
    fade_speed(u, v, 0.2f, 0.5f);
    CHECK_THAT(u(2, 1), WithinAbs(0.72, 1e-6));
    CHECK_THAT(v(2, 1), WithinAbs(-0.54, 1e-6));
    CHECK(u(1, 3) == 0.0f);
}
