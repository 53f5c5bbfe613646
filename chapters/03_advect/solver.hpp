// The whole fluid, as far as this chapter has built it, in one header that needs nothing but the
// standard library. Names follow Stam's paper and the Godot tutorial.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

/// One number for every cell of a square of N x N fluid cells inside a border of wall cells.
///
/// Cells are addressed as in the tutorial: i runs right and j runs down, 1..N are fluid,
/// 0 and N+1 are wall. They lie row after row in one array. N must be at least 1.
struct Field {
    int N;
    std::vector<float> cells;

    explicit Field(int n) : N(n), cells((n + 2) * (n + 2), 0.0f) {}

    /// Where cell (i, j) lies in the array. Asserts that it exists: i and j go from 0 to N + 1.
    int IX(int i, int j) const {
        assert(0 <= i && i <= N + 1 && 0 <= j && j <= N + 1);
        return i + (N + 2) * j;
    }
    float& operator()(int i, int j) { return cells[IX(i, j)]; }
    float operator()(int i, int j) const { return cells[IX(i, j)]; }
};

/// The state of the fluid, and its parameters.
struct Fluid {
    float density_fade_rate = 0.1f;  ///< dye that every cell loses in a second
    float velocity_fade_rate = 0.2f;  ///< speed that u and v lose in a second, each on its own

    Field density;  ///< how much dye a cell holds: 0 is none, 1 is shown full, more is allowed
    Field density_prev;  ///< the dye as it was before the operation under way
    Field u;  ///< velocity to the right: at 1 it crosses the whole grid, N cells, in a second
    Field v;  ///< velocity down, in the same unit

    explicit Fluid(int n) : density(n), density_prev(n), u(n), v(n) {}
};

/// Names a cell by its column and its row. It may lie in a wall, or outside.
struct Cell {
    int i, j;
};

/// The cell under the mouse at (x, y), in pixels from the grid's upper left corner, where a cell is
/// `cell_size` pixels wide. Left of the grid or above it the result is negative, so it must be
/// rounded down. Cutting the decimals off would put those points into cell 0.
inline Cell cell_from_mouse(float x, float y, float cell_size) {
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Returns whether (i, j) is one of the N x N cells that hold fluid.
inline bool is_fluid(int N, int i, int j) {
    return 1 <= i && i <= N && 1 <= j && j <= N;
}

/// Adds dye to cell (i, j). Walls hold none: a cell in the wall, or outside, is left alone.
inline void add_density(Fluid& fluid, int i, int j, float amount) {
    if (!is_fluid(fluid.density.N, i, j)) {
        return;
    }
    fluid.density(i, j) += amount;
}

/// Pushes the fluid in cell (i, j). Walls do not move: a cell in the wall, or outside, is left
/// alone.
inline void add_velocity(Fluid& fluid, int i, int j, float du, float dv) {
    if (!is_fluid(fluid.u.N, i, j)) {
        return;
    }
    fluid.u(i, j) += du;
    fluid.v(i, j) += dv;
}

/// Lets dye fade for `dt` seconds: `rate` per second, never below nothing.
inline void fade_density(Field& density, float rate, float dt) {
    const int N = density.N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            density(i, j) = std::max(0.0f, density(i, j) - rate * dt);
        }
    }
}

/// Brings `value` nearer to `target`, by `max_change` at most: it arrives and never overshoots.
/// (Godot has a function of this name; C++ has none.)
inline float move_toward(float value, float target, float max_change) {
    return value + std::clamp(target - value, -max_change, max_change);
}

/// Lets the fluid come to rest: u and v each lose `rate` per second until they are 0.
inline void fade_velocity(Field& u, Field& v, float rate, float dt) {
    const int N = u.N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            u(i, j) = move_toward(u(i, j), 0.0f, rate * dt);
            v(i, j) = move_toward(v(i, j), 0.0f, rate * dt);
        }
    }
}

/// The four cells around a point, and how much each counts there.
struct Source {
    int i0, j0;  ///< the upper left of the four; the others are one to the right and one below
    float s0, s1, t0, t1;  ///< weights of the left and right column, the upper and lower row
};

/// Finds what surrounds the point (x, y), measured in cells, so that (7, 4) is the centre of cell
/// (7, 4). A point beyond a wall is first pulled in to that wall's inner face, half way between the
/// wall cell's centre and the fluid cell's: there all four cells exist. Even a point that is not a
/// number ends inside, since a comparison with NaN is false (std::clamp would let it through).
inline Source source_at(float x, float y, int N) {
    x = std::max(0.5f, std::min(x, N + 0.5f));
    y = std::max(0.5f, std::min(y, N + 0.5f));
    const int i0 = static_cast<int>(x);
    const int j0 = static_cast<int>(y);
    const float s1 = x - i0;
    const float t1 = y - j0;
    return {i0, j0, 1.0f - s1, s1, 1.0f - t1, t1};
}

/// Carries `d0` along the velocity (u, v) for `dt` seconds into `d`, which must be another field.
/// All four have the same N.
///
/// Pushing the dye of each cell forward would land it between cells and leave holes. So ask the
/// other way round: what arrives here was one step upstream (Stam 2003, "Moving Densities").
inline void advect(Field& d, const Field& d0, const Field& u, const Field& v, float dt) {
    const int N = d.N;
    const float dt0 = dt * N;  // velocity is in domain widths, the grid counts in cells
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const auto [i0, j0, s0, s1, t0, t1] =
                source_at(i - dt0 * u(i, j), j - dt0 * v(i, j), N);
            d(i, j) = s0 * (t0 * d0(i0, j0) + t1 * d0(i0, j0 + 1)) +
                      s1 * (t0 * d0(i0 + 1, j0) + t1 * d0(i0 + 1, j0 + 1));
        }
    }
}

/// Lets `dt` seconds pass.
inline void step(Fluid& fluid, float dt) {
    fluid.density_prev = fluid.density;  // advect must not read the field that it writes
    advect(fluid.density, fluid.density_prev, fluid.u, fluid.v, dt);

    fade_density(fluid.density, fluid.density_fade_rate, dt);
    fade_velocity(fluid.u, fluid.v, fluid.velocity_fade_rate, dt);
}
