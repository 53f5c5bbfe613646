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
    float velocity_fade_rate = 0.0f;  ///< speed that u and v lose in a second, each on its own
    float density_diffuse_rate = 0.006f;  ///< how fast dye spreads, in domain areas a second
    int density_diffuse_iterations = 20;  ///< relaxation sweeps spent on it
    float velocity_diffuse_rate = 0.01f;  ///< how fast u and v spread: the fluid's viscosity
    int velocity_diffuse_iterations = 20;  ///< relaxation sweeps spent on each of them
    int pressure_iterations = 20;  ///< relaxation sweeps spent on the pressure, twice a step
    bool diffuse_velocity = true;  ///< may be switched off, to see what it does
    bool advect_velocity = true;  ///< likewise
    bool project_velocity = true;  ///< likewise

    Field density;  ///< how much dye a cell holds: 0 is none, 1 is shown full, more is allowed
    Field density_prev;  ///< the dye as it was before the operation under way
    Field u;  ///< velocity to the right: at 1 it crosses the whole grid, N cells, in a second
    Field v;  ///< velocity down, in the same unit
    Field u_prev, v_prev;  ///< the velocity as it was before the operation under way
    Field pressure;  ///< of the last projection: times the time step, over the fluid's density
    Field divergence;  ///< the right-hand side of its equations: -h h times the divergence

    explicit Fluid(int n)
        : density(n), density_prev(n), u(n), v(n), u_prev(n), v_prev(n), pressure(n),
          divergence(n) {}
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

/// What a field holds. set_bnd copies it into the walls, or mirrors it, accordingly.
enum class BoundaryType { SCALAR, VELOCITY_HORIZONTAL, VELOCITY_VERTICAL };

/// Gives each wall cell the value that makes it a wall. A velocity that points into the wall is
/// mirrored there: the wall cell holds the opposite of the fluid cell it touches, so that the
/// velocity is 0 on the face between the two. All else is copied: no dye is exchanged with the
/// wall, and the fluid slides along it (free slip). A corner takes the average of its two
/// neighbours in the walls (Stam 2003, "set_bnd").
inline void set_bnd(BoundaryType boundary, Field& x) {
    const int N = x.N;
    const float across = boundary == BoundaryType::VELOCITY_HORIZONTAL ? -1.0f : 1.0f;
    const float down = boundary == BoundaryType::VELOCITY_VERTICAL ? -1.0f : 1.0f;
    for (int k = 1; k <= N; ++k) {
        x(0, k) = across * x(1, k);
        x(N + 1, k) = across * x(N, k);
        x(k, 0) = down * x(k, 1);
        x(k, N + 1) = down * x(k, N);
    }
    x(0, 0) = 0.5f * (x(1, 0) + x(0, 1));
    x(N + 1, 0) = 0.5f * (x(N, 0) + x(N + 1, 1));
    x(0, N + 1) = 0.5f * (x(1, N + 1) + x(0, N));
    x(N + 1, N + 1) = 0.5f * (x(N, N + 1) + x(N + 1, N));
}

/// Returns whether the fluid cell (i, j) lies beside a wall.
inline bool touches_wall(int N, int i, int j) {
    return i == 1 || i == N || j == 1 || j == N;
}

/// Adds dye to cell (i, j), and to the wall cells that copy it. A cell in the wall, or outside, is
/// left alone.
inline void add_density(Fluid& fluid, int i, int j, float amount) {
    if (!is_fluid(fluid.density.N, i, j)) {
        return;
    }
    fluid.density(i, j) += amount;
    if (touches_wall(fluid.density.N, i, j)) {
        set_bnd(BoundaryType::SCALAR, fluid.density);
    }
}

/// Pushes the fluid in cell (i, j), and mirrors that in the wall cells beside it. A cell in the
/// wall, or outside, is left alone.
inline void add_velocity(Fluid& fluid, int i, int j, float du, float dv) {
    if (!is_fluid(fluid.u.N, i, j)) {
        return;
    }
    fluid.u(i, j) += du;
    fluid.v(i, j) += dv;
    if (touches_wall(fluid.u.N, i, j)) {
        set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
        set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    }
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
inline void advect(BoundaryType boundary, Field& d, const Field& d0, const Field& u, const Field& v,
                   float dt) {
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
    set_bnd(boundary, d);
}

/// Solves  c x(i, j) - a (sum of the four neighbours of x) = x0(i, j)  for x, approximately, by
/// Gauss-Seidel relaxation: each cell in turn is set to what its own equation asks for, given its
/// neighbours as they are now; then all over again, `iterations` times. The first guess is what x
/// holds on entry. It converges whenever c > 4 |a|, the quicker the larger c is beside 4 a. (With
/// c = 4 a, and walls that copy, adding a constant to x changes nothing. Then there is a solution
/// only if the values of x0 add up to 0.) x and x0 have the same N.
inline void lin_solve(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                      int iterations) {
    const int N = x.N;
    for (int k = 0; k < iterations; ++k) {
        for (int j = 1; j <= N; ++j) {
            for (int i = 1; i <= N; ++i) {
                x(i, j) =
                    (x0(i, j) + a * (x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1))) / c;
            }
        }
        set_bnd(boundary, x);
    }
}

/// How far x is from solving lin_solve's equations: the largest error among them.
inline float residual(const Field& x, const Field& x0, float a, float c) {
    const int N = x.N;
    float largest = 0.0f;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float neighbours = x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1);
            largest = std::max(largest, std::abs(x0(i, j) + a * neighbours - c * x(i, j)));
        }
    }
    return largest;
}

/// Spreads x0 among neighbouring cells for `dt` seconds into x, which should hold a first guess.
///
/// Asks for the x that, diffused backwards in time, gives x0 (backward Euler). Such a step is
/// stable however large `dt` is (Stam 2003, "Diffusion"); the explicit one is not, once a exceeds
/// 1/4.
inline void diffuse(BoundaryType boundary, Field& x, const Field& x0, float rate, float dt,
                    int iterations) {
    const float a = dt * rate * x.N * x.N;
    lin_solve(boundary, x, x0, a, 1.0f + 4.0f * a, iterations);
}

/// Returns the divergence, how much more flows out of cell (i, j) than into it, per second: the
/// change of u from the left neighbour to the right one, and that of v from the upper to the lower,
/// over the 2 h between them.
inline float divergence_at(const Field& u, const Field& v, int i, int j) {
    const float h = 1.0f / u.N;  // the width of a cell, in domain widths
    return (u(i + 1, j) - u(i - 1, j) + v(i, j + 1) - v(i, j - 1)) / (2.0f * h);
}

/// Takes the divergence out of the velocity, as far as `iterations` sweeps allow.
///
/// Finds the pressure whose gradient has the same divergence as the velocity (a relaxation from 0)
/// and subtracts that gradient. `pressure` and `divergence` are overwritten. All fields have the
/// same N. (Stam 2003, "project": every velocity is the sum of a field that conserves mass and a
/// gradient.)
inline void project(Field& u, Field& v, Field& pressure, Field& divergence, int iterations) {
    const int N = u.N;
    const float h = 1.0f / N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            divergence(i, j) = -h * h * divergence_at(u, v, i, j);
            pressure(i, j) = 0.0f;
        }
    }
    set_bnd(BoundaryType::SCALAR, divergence);
    set_bnd(BoundaryType::SCALAR, pressure);

    lin_solve(BoundaryType::SCALAR, pressure, divergence, 1.0f, 4.0f, iterations);

    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            u(i, j) -= (pressure(i + 1, j) - pressure(i - 1, j)) / (2.0f * h);
            v(i, j) -= (pressure(i, j + 1) - pressure(i, j - 1)) / (2.0f * h);
        }
    }
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, v);
}

/// Moves the velocity on by `dt` seconds: diffuses it, as the dye is diffused, and carries it along
/// the flow, which is the velocity itself. Each of the two may leave some divergence, so a
/// projection follows each. Both components are carried by the velocity as it was; otherwise v
/// would follow a u that has already moved.
inline void velocity_step(Fluid& fluid, float dt) {
    if (fluid.diffuse_velocity) {
        fluid.u_prev = fluid.u;
        fluid.v_prev = fluid.v;
        diffuse(BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev,
                fluid.velocity_diffuse_rate, dt, fluid.velocity_diffuse_iterations);
        diffuse(BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev, fluid.velocity_diffuse_rate,
                dt, fluid.velocity_diffuse_iterations);
    }
    if (fluid.project_velocity) {
        project(fluid.u, fluid.v, fluid.pressure, fluid.divergence, fluid.pressure_iterations);
    }
    if (fluid.advect_velocity) {
        fluid.u_prev = fluid.u;
        fluid.v_prev = fluid.v;
        advect(BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev, fluid.u_prev, fluid.v_prev,
               dt);
        advect(BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev, fluid.u_prev, fluid.v_prev,
               dt);
    }
    if (fluid.project_velocity) {
        project(fluid.u, fluid.v, fluid.pressure, fluid.divergence, fluid.pressure_iterations);
    }
}

/// Lets `dt` seconds pass.
inline void step(Fluid& fluid, float dt) {
    velocity_step(fluid, dt);

    fluid.density_prev = fluid.density;  // every sweep needs the dye before the step
    diffuse(BoundaryType::SCALAR, fluid.density, fluid.density_prev, fluid.density_diffuse_rate, dt,
            fluid.density_diffuse_iterations);

    fluid.density_prev = fluid.density;  // advect must not read the field that it writes
    advect(BoundaryType::SCALAR, fluid.density, fluid.density_prev, fluid.u, fluid.v, dt);

    fade_density(fluid.density, fluid.density_fade_rate, dt);
    fade_velocity(fluid.u, fluid.v, fluid.velocity_fade_rate, dt);
}
