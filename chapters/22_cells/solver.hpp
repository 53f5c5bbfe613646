// The whole fluid in three dimensions, in one header that needs the standard library and, for
// threads, common/parallel.hpp. Names follow Ash's article, Stam's paper and the Godot tutorial.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "common/parallel.hpp"

/// Stands before each function of one cell. It asks nvcc to compile the function for the processor
/// and for a graphics card (23_cuda); to all other compilers it says nothing.
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

/// One number for every cell of a cube of N x N x N cells. The outermost of them are walls, so N
/// counts them too: that is how Ash means it, while the N of the chapters before did not.
///
/// i runs right, j runs down and k runs away from you, each from 0 to N - 1; 1..N-2 are fluid, 0
/// and N-1 are wall. They lie row after row and layer after layer in one array. N must be at least
/// 3.
struct Field {
    int N;
    std::vector<float> cells;

    explicit Field(int n) : N(n), cells(n * n * n, 0.0f) {}

    /// Where cell (i, j, k) lies in the array. Beyond the walls there is nothing: a debug build
    /// stops.
    int IX(int i, int j, int k) const {
        assert(0 <= i && i < N && 0 <= j && j < N && 0 <= k && k < N);
        return i + N * (j + N * k);
    }
    float& operator()(int i, int j, int k) { return cells[IX(i, j, k)]; }
    float operator()(int i, int j, int k) const { return cells[IX(i, j, k)]; }
};

/// The cells of a field, to be read by the functions of one cell. It owns nothing and is cheap to
/// copy, and the memory may be anywhere.
struct ConstFieldView {
    const float* cells;
    int N;

    ConstFieldView(const Field& field) : cells(field.cells.data()), N(field.N) {}

    HD float operator()(int i, int j, int k) const {
        assert(0 <= i && i < N && 0 <= j && j < N && 0 <= k && k < N);
        return cells[i + N * (j + N * k)];
    }
};

/// The state of the fluid, and its parameters.
struct Fluid {
    float diff = 0.0001f;  ///< how fast dye spreads, in squares of the cube's width a second
    float visc = 0.0001f;  ///< how fast u, v and w spread: the fluid's viscosity
    int iterations = 4;  ///< relaxation sweeps spent on each of them, and on the pressure
    int threads = 1;  ///< how many share the loops; the result is the same to the last bit
    bool diffuse_velocity = true;  ///< may be switched off, to see what it does
    bool advect_velocity = true;  ///< likewise
    bool project_velocity = true;  ///< likewise

    Field density;  ///< how much dye a cell holds: 0 is none, 1 is shown full, more is allowed
    Field density_prev;  ///< the dye as it was before the operation under way
    Field u;  ///< velocity to the right: at 1 it crosses the whole cube, N - 2 cells, in a second
    Field v;  ///< velocity down, in the same unit
    Field w;  ///< velocity away from you, in the same unit
    Field u_prev, v_prev, w_prev;  ///< the velocity as it was before the operation under way
    Field pressure;  ///< of the last projection: times the time step, over the fluid's density
    Field divergence;  ///< the right-hand side of its equations: -h h times the divergence

    explicit Fluid(int n)
        : density(n), density_prev(n), u(n), v(n), w(n), u_prev(n), v_prev(n), w_prev(n),
          pressure(n), divergence(n) {}
};

/// Names a cell of a slice by its column and its row. It may lie in a wall, or outside.
struct Cell {
    int i, j;
};

/// A number for each direction: right, down and away from you.
struct Vector {
    float x, y, z;
};

/// The cell under the mouse at (x, y), in pixels from the grid's upper left corner, where a cell is
/// `cell_size` pixels wide. Left of the grid or above it the result is negative, so it must be
/// rounded down. Cutting the decimals off would put those points into cell 0.
inline Cell cell_from_mouse(float x, float y, float cell_size) {
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Returns whether (i, j, k) is one of the (N - 2)^3 cells that hold fluid.
HD inline bool is_fluid(int N, int i, int j, int k) {
    return 1 <= i && i < N - 1 && 1 <= j && j < N - 1 && 1 <= k && k < N - 1;
}

/// Calls work(i, j, k) for each cell that holds fluid, in the order in which they lie in memory.
template <class Work>
inline void for_each_cell(int N, const Work& work) {
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                work(i, j, k);
            }
        }
    }
}

/// Calls work(i, j, k) for each cell that holds fluid, and lets the threads of a pool share the
/// layers. Their order is not defined, so no call may read what another call writes.
template <class Work>
inline void share_layers(parallel::ThreadPool& pool, int N, const Work& work) {
    parallel::parallel_for(pool, N - 2, pool.threads(), [&](int begin, int end) {
        for (int k = 1 + begin; k < 1 + end; ++k) {  // layer 0 is a wall
            for (int j = 1; j < N - 1; ++j) {
                for (int i = 1; i < N - 1; ++i) {
                    work(i, j, k);
                }
            }
        }
    });
}

/// Returns the thread pool that all loops share. It makes a new one where another number of
/// threads is asked for, and only then: starting a thread takes longer than many of these loops.
inline parallel::ThreadPool& thread_pool(int threads = 0) {
    static std::unique_ptr<parallel::ThreadPool> pool;
    if (!pool || (threads > 0 && threads != pool->threads())) {
        pool = std::make_unique<parallel::ThreadPool>(std::max(threads, 1));
    }
    return *pool;
}

/// Calls work(i, j, k) for each cell that holds fluid, with as many threads as there are.
template <class Work>
inline void for_all_cells(int N, const Work& work) {
    parallel::ThreadPool& pool = thread_pool();
    if (pool.threads() == 1) {
        for_each_cell(N, work);
    } else {
        share_layers(pool, N, work);
    }
}

/// What a field holds. set_bnd copies it into the walls, or mirrors it, accordingly.
enum class BoundaryType { SCALAR, VELOCITY_HORIZONTAL, VELOCITY_VERTICAL, VELOCITY_DEPTH };

/// Sets the cells where walls meet. On the twelve edges two walls meet, and a cell there takes the
/// average of its two neighbours in them. In the eight corners three edges meet, and the cell takes
/// the average of its three neighbours. (Only advect reads these cells, when a departure point is
/// within half a cell of two walls.)
inline void set_edges(Field& x) {
    const int last = x.N - 1;
    const std::pair<int, int> ends[] = {{0, 1}, {last, last - 1}};  // a wall, and what is beside it
    for (const auto& [a, beside_a] : ends) {
        for (const auto& [b, beside_b] : ends) {
            for (int n = 1; n < last; ++n) {
                x(a, b, n) = 0.5f * (x(beside_a, b, n) + x(a, beside_b, n));
                x(a, n, b) = 0.5f * (x(beside_a, n, b) + x(a, n, beside_b));
                x(n, a, b) = 0.5f * (x(n, beside_a, b) + x(n, a, beside_b));
            }
        }
    }
    for (const auto& [i, beside_i] : ends) {
        for (const auto& [j, beside_j] : ends) {
            for (const auto& [k, beside_k] : ends) {
                x(i, j, k) = (x(beside_i, j, k) + x(i, beside_j, k) + x(i, j, beside_k)) / 3.0f;
            }
        }
    }
}

/// Gives the wall cells their values: each copies the fluid cell it touches, so that nothing is
/// exchanged with the wall. A velocity that points into the wall is mirrored instead, so that it
/// is 0 on the face between the two: no flow through the wall, but free slip along it. (Stam 2003,
/// "set_bnd"; Ash, "set_bnd", where the edges are forgotten.)
inline void set_bnd(BoundaryType boundary, Field& x) {
    const int N = x.N;
    const float across = boundary == BoundaryType::VELOCITY_HORIZONTAL ? -1.0f : 1.0f;
    const float down = boundary == BoundaryType::VELOCITY_VERTICAL ? -1.0f : 1.0f;
    const float away = boundary == BoundaryType::VELOCITY_DEPTH ? -1.0f : 1.0f;
    for (int n = 1; n < N - 1; ++n) {
        for (int m = 1; m < N - 1; ++m) {
            x(0, m, n) = across * x(1, m, n);
            x(N - 1, m, n) = across * x(N - 2, m, n);
            x(m, 0, n) = down * x(m, 1, n);
            x(m, N - 1, n) = down * x(m, N - 2, n);
            x(m, n, 0) = away * x(m, n, 1);
            x(m, n, N - 1) = away * x(m, n, N - 2);
        }
    }
    set_edges(x);
}

/// Returns whether the fluid cell (i, j, k) is mirrored in a wall.
inline bool touches_wall(int N, int i, int j, int k) {
    return i == 1 || i == N - 2 || j == 1 || j == N - 2 || k == 1 || k == N - 2;
}

/// Adds dye to cell (i, j, k), and to the wall cells that copy it. A cell in the wall, or outside,
/// is left alone.
inline void add_density(Fluid& fluid, int i, int j, int k, float amount) {
    if (!is_fluid(fluid.density.N, i, j, k)) {
        return;
    }
    fluid.density(i, j, k) += amount;
    if (touches_wall(fluid.density.N, i, j, k)) {
        set_bnd(BoundaryType::SCALAR, fluid.density);
    }
}

/// Pushes the fluid in cell (i, j, k), and mirrors that in the wall cells beside it. A cell in the
/// wall, or outside, is left alone.
inline void add_velocity(Fluid& fluid, int i, int j, int k, Vector push) {
    if (!is_fluid(fluid.u.N, i, j, k)) {
        return;
    }
    fluid.u(i, j, k) += push.x;
    fluid.v(i, j, k) += push.y;
    fluid.w(i, j, k) += push.z;
    if (touches_wall(fluid.u.N, i, j, k)) {
        set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
        set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
        set_bnd(BoundaryType::VELOCITY_DEPTH, fluid.w);
    }
}

/// The eight cells around a point, and how much each counts there.
struct Source {
    int i0, j0, k0;  ///< the upper left of the front four; the others are one right, below, behind
    float s0, s1, t0, t1, u0, u1;  ///< weights of left and right, upper and lower, front and back
};

/// Finds what surrounds the point (x, y, z), measured in cells, so that (7, 4, 2) is the centre of
/// cell (7, 4, 2). A point beyond a wall is first pulled in to that wall's inner face, half way
/// between the wall cell's centre and the fluid cell's: there all eight cells exist. Even a point
/// that is not a number ends inside, since a comparison with NaN is false (std::clamp would let it
/// through).
HD inline Source source_at(float x, float y, float z, int N) {
    x = std::max(0.5f, std::min(x, N - 1.5f));
    y = std::max(0.5f, std::min(y, N - 1.5f));
    z = std::max(0.5f, std::min(z, N - 1.5f));
    const int i0 = static_cast<int>(x);
    const int j0 = static_cast<int>(y);
    const int k0 = static_cast<int>(z);
    const float s1 = x - i0;
    const float t1 = y - j0;
    const float u1 = z - k0;
    return {i0, j0, k0, 1.0f - s1, s1, 1.0f - t1, t1, 1.0f - u1, u1};
}

/// Returns the average of the eight cells, each with its weight.
HD inline float interpolate(ConstFieldView d0, const Source& source) {
    const auto& [i0, j0, k0, s0, s1, t0, t1, u0, u1] = source;
    return u0 * (t0 * (s0 * d0(i0, j0, k0) + s1 * d0(i0 + 1, j0, k0)) +
                 t1 * (s0 * d0(i0, j0 + 1, k0) + s1 * d0(i0 + 1, j0 + 1, k0))) +
           u1 * (t0 * (s0 * d0(i0, j0, k0 + 1) + s1 * d0(i0 + 1, j0, k0 + 1)) +
                 t1 * (s0 * d0(i0, j0 + 1, k0 + 1) + s1 * d0(i0 + 1, j0 + 1, k0 + 1)));
}

/// The velocity in every cell, as three fields that belong to somebody else.
struct Flow {
    ConstFieldView u, v, w;
};

/// Finds the departure point of what the flow brings into cell (i, j, k), in a step in which a
/// velocity of 1 crosses `dt0` cells.
HD inline Source departure_at(const Flow& flow, float dt0, int i, int j, int k) {
    return source_at(i - dt0 * flow.u(i, j, k), j - dt0 * flow.v(i, j, k),
                     k - dt0 * flow.w(i, j, k), flow.u.N);
}

/// Carries `d0` along the flow for `dt` seconds into `d`, which must be another field. All have the
/// same N.
///
/// Pushing the dye of each cell forward would land it between cells and leave holes. So ask the
/// other way round: what arrives here was one step upstream (Stam 2003, "Moving Densities").
inline void advect(BoundaryType boundary, Field& d, const Field& d0, const Flow& flow, float dt) {
    const int N = d.N;
    const float dt0 = dt * (N - 2);  // velocity is in domain widths, the grid counts in cells
    for_all_cells(N, [&](int i, int j, int k) {
        d(i, j, k) = interpolate(d0, departure_at(flow, dt0, i, j, k));
    });
    set_bnd(boundary, d);
}

/// Returns the sum of the six neighbours of cell (i, j, k).
HD inline float neighbours_at(ConstFieldView x, int i, int j, int k) {
    return x(i, j, k - 1) + x(i, j, k + 1) + x(i, j - 1, k) + x(i, j + 1, k) + x(i + 1, j, k) +
           x(i - 1, j, k);
}

/// The colours of a chessboard in three dimensions.
enum class Colour { RED, BLACK };

/// Returns the colour of cell (i, j, k): red where i + j + k is even, else black. All neighbours of
/// a cell have the other colour.
HD inline Colour colour_of(int i, int j, int k) {
    return (i + j + k) % 2 == 0 ? Colour::RED : Colour::BLACK;
}

/// Calls work(i, j, k) for each cell of that colour that holds fluid, with as many threads as there
/// are. In a row every second cell has the colour, so each row begins at its first one.
template <class Work>
inline void for_all_of_colour(Colour colour, int N, const Work& work) {
    parallel::ThreadPool& pool = thread_pool();
    const int layers = N - 2;
    parallel::parallel_for(pool, layers, pool.threads(), [&](int begin, int end) {
        for (int k = 1 + begin; k < 1 + end; ++k) {
            for (int j = 1; j < N - 1; ++j) {
                const int first = colour_of(1, j, k) == colour ? 1 : 2;
                for (int i = first; i < N - 1; i += 2) {
                    work(i, j, k);
                }
            }
        }
    });
}

/// Solves  c x(i, j, k) - a (sum of the six neighbours of x) = x0(i, j, k)  for x, approximately,
/// by red-black Gauss-Seidel relaxation. First each red cell is set to what its own equation asks
/// for, given its neighbours, which are all black; then each black cell, given its neighbours as
/// they are now; then all over again, `iterations` times. The first guess is what x holds on entry.
/// It converges whenever c > 6 |a|, the quicker the larger c is beside 6 a. (With c = 6 a, and
/// walls that copy, adding a constant to x changes nothing. Then there is a solution only if the
/// values of x0 add up to 0.) x and x0 have the same N.
inline void lin_solve(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                      int iterations) {
    const float c_recip = 1.0f / c;  // a product is quicker than a quotient
    const auto relax = [&](int i, int j, int k) {
        x(i, j, k) = (x0(i, j, k) + a * neighbours_at(x, i, j, k)) * c_recip;
    };
    for (int sweep = 0; sweep < iterations; ++sweep) {
        for (const Colour colour : {Colour::RED, Colour::BLACK}) {
            for_all_of_colour(colour, x.N, relax);
        }
        set_bnd(boundary, x);
    }
}

/// How far x is from solving lin_solve's equations: the largest error among them.
inline float residual(const Field& x, const Field& x0, float a, float c) {
    float largest = 0.0f;
    for_each_cell(x.N, [&](int i, int j, int k) {
        const float error = x0(i, j, k) + a * neighbours_at(x, i, j, k) - c * x(i, j, k);
        largest = std::max(largest, std::abs(error));
    });
    return largest;
}

/// Spreads x0 among neighbouring cells for `dt` seconds into x, which should hold a first guess.
///
/// Asks for the x that, diffused backwards in time, gives x0: such a step is stable however large
/// `dt` is (Stam 2003, "Diffusion"), while the forward step blows up once a exceeds 1/6.
inline void diffuse(BoundaryType boundary, Field& x, const Field& x0, float rate, float dt,
                    int iterations) {
    const float a = dt * rate * (x.N - 2) * (x.N - 2);
    lin_solve(boundary, x, x0, a, 1.0f + 6.0f * a, iterations);
}

/// How much more flows out of cell (i, j, k) than into it, per second: the change of u from the
/// left neighbour to the right one, of v from the upper to the lower, and of w from the one in
/// front to the one behind, over the 2 h between them.
HD inline float divergence_at(const Flow& flow, int i, int j, int k) {
    const auto& [u, v, w] = flow;
    const float h = 1.0f / (u.N - 2);  // the width of a cell, in domain widths
    return (u(i + 1, j, k) - u(i - 1, j, k) + v(i, j + 1, k) - v(i, j - 1, k) + w(i, j, k + 1) -
            w(i, j, k - 1)) /
           (2.0f * h);
}

/// Returns how fast the pressure rises at cell (i, j, k): its change from the left neighbour to the
/// right one, from the upper to the lower, and from the one in front to the one behind, over the
/// 2 h between them.
HD inline Vector gradient_at(ConstFieldView pressure, int i, int j, int k) {
    const float h = 1.0f / (pressure.N - 2);
    return {(pressure(i + 1, j, k) - pressure(i - 1, j, k)) / (2.0f * h),
            (pressure(i, j + 1, k) - pressure(i, j - 1, k)) / (2.0f * h),
            (pressure(i, j, k + 1) - pressure(i, j, k - 1)) / (2.0f * h)};
}

/// Takes the divergence out of the velocity, as far as `iterations` sweeps allow.
///
/// Finds the pressure whose gradient has the same divergence as the velocity (a relaxation from 0)
/// and subtracts that gradient. `pressure` and `divergence` are overwritten. All fields have the
/// same N. (Stam 2003, "project": every velocity is the sum of a field that conserves mass and a
/// gradient.)
inline void project(Field& u, Field& v, Field& w, Field& pressure, Field& divergence,
                    int iterations) {
    const int N = u.N;
    const float h = 1.0f / (N - 2);
    for_all_cells(N, [&](int i, int j, int k) {
        divergence(i, j, k) = -h * h * divergence_at({u, v, w}, i, j, k);
        pressure(i, j, k) = 0.0f;
    });
    set_bnd(BoundaryType::SCALAR, divergence);
    set_bnd(BoundaryType::SCALAR, pressure);

    lin_solve(BoundaryType::SCALAR, pressure, divergence, 1.0f, 6.0f, iterations);

    for_all_cells(N, [&](int i, int j, int k) {
        const auto [x, y, z] = gradient_at(pressure, i, j, k);
        u(i, j, k) -= x;
        v(i, j, k) -= y;
        w(i, j, k) -= z;
    });
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, v);
    set_bnd(BoundaryType::VELOCITY_DEPTH, w);
}

/// Moves the velocity on by `dt` seconds: diffuses it, as the dye is diffused, and carries it along
/// the flow, which is the velocity itself. Each of the two may leave some divergence, so a
/// projection follows each. All components are carried by the velocity as it was; otherwise v would
/// follow a u that has already moved.
inline void velocity_step(Fluid& fluid, float dt) {
    if (fluid.diffuse_velocity) {
        fluid.u_prev = fluid.u;
        fluid.v_prev = fluid.v;
        fluid.w_prev = fluid.w;
        diffuse(BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev, fluid.visc, dt,
                fluid.iterations);
        diffuse(BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev, fluid.visc, dt,
                fluid.iterations);
        diffuse(BoundaryType::VELOCITY_DEPTH, fluid.w, fluid.w_prev, fluid.visc, dt,
                fluid.iterations);
    }
    if (fluid.project_velocity) {
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, fluid.iterations);
    }
    if (fluid.advect_velocity) {
        fluid.u_prev = fluid.u;
        fluid.v_prev = fluid.v;
        fluid.w_prev = fluid.w;
        const Flow before = {fluid.u_prev, fluid.v_prev, fluid.w_prev};
        advect(BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev, before, dt);
        advect(BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev, before, dt);
        advect(BoundaryType::VELOCITY_DEPTH, fluid.w, fluid.w_prev, before, dt);
    }
    if (fluid.project_velocity) {
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, fluid.iterations);
    }
}

/// Lets `dt` seconds pass.
inline void step(Fluid& fluid, float dt) {
    thread_pool(std::max(fluid.threads, 1));
    velocity_step(fluid, dt);

    fluid.density_prev = fluid.density;  // every sweep needs the dye before the step
    diffuse(BoundaryType::SCALAR, fluid.density, fluid.density_prev, fluid.diff, dt,
            fluid.iterations);

    fluid.density_prev = fluid.density;  // advect must not read the field that it writes
    advect(BoundaryType::SCALAR, fluid.density, fluid.density_prev, {fluid.u, fluid.v, fluid.w},
           dt);
}
