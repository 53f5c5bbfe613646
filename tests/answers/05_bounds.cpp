// The worked answers of 05_bounds's exercises.
#include "catch.hpp"
#include "chapter.hpp"
#include "direct.hpp"

/// Walls for dye, of which the left one is painted: its face always holds dye 1.
inline void set_bnd_painted(Field& x) {
    set_bnd(BoundaryType::SCALAR, x);
    for (int j = 1; j <= x.N; ++j) {
        x(0, j) = 2.0f - x(1, j);  // so that the average of the two is 1
    }
}

/// Walls that the fluid sticks to: u and v are both 0 on every face.
inline void set_bnd_no_slip(Field& x) {
    const int N = x.N;
    for (int k = 1; k <= N; ++k) {
        x(0, k) = -x(1, k);
        x(N + 1, k) = -x(N, k);
        x(k, 0) = -x(k, 1);
        x(k, N + 1) = -x(k, N);
    }
    x(0, 0) = 0.5f * (x(1, 0) + x(0, 1));
    x(N + 1, 0) = 0.5f * (x(N, 0) + x(N + 1, 1));
    x(0, N + 1) = 0.5f * (x(1, N + 1) + x(0, N));
    x(N + 1, N + 1) = 0.5f * (x(N, N + 1) + x(N + 1, N));
}

namespace {

/// lin_solve with other walls.
template <class Walls>
void relax(Field& x, const Field& x0, float a, int sweeps, Walls walls) {
    for (int k = 0; k < sweeps; ++k) {
        lin_solve(BoundaryType::SCALAR, x, x0, a, 1.0f + 4.0f * a, 1);
        walls(x);
    }
}

}  // namespace

TEST_CASE("a painted wall fills the room") {
    Field x(6);
    set_bnd_painted(x);
    for (int step = 0; step < 200; ++step) {
        const Field x0 = x;
        relax(x, x0, 2.0f, 30, set_bnd_painted);
    }
    CHECK_THAT(x(1, 3), WithinAbs(1.0, 1e-3));
    CHECK_THAT(x(6, 5), WithinAbs(1.0, 1e-3));
}

TEST_CASE("no-slip walls slow the flow beside them") {
    Field free_slip(9);
    for (float& cell : free_slip.cells) {
        cell = 1.0f;
    }
    Field no_slip = free_slip;
    const Field start = free_slip;
    relax(free_slip, start, 0.5f, 100, [](Field& x) { set_bnd(BoundaryType::SCALAR, x); });
    set_bnd_no_slip(no_slip);
    relax(no_slip, start, 0.5f, 100, set_bnd_no_slip);
    CHECK_THAT(free_slip(5, 1), WithinAbs(1.0, 1e-6));
    const Eigen::VectorXd exact = solve(matrix(9, 0.5, 3.0, {-1, -1}), start);
    CHECK(distance(no_slip, exact) < 1e-5);
    INFO("beside the middle of the wall: " << no_slip(5, 1));
    CHECK_THAT(no_slip(5, 1), WithinAbs(0.5763, 1e-4));
}
