// The whole fluid in three dimensions, in one header that needs nothing but the standard library.
// Names follow Ash's article, Stam's paper and the Godot tutorial. What is done to one cell is a
// function of its own here, that the processor and a GPU can both call; who calls it for all the
// cells comes after: loops in this file, kernels in cuda/.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <future>
#include <utility>
#include <vector>

/// Stands before what the GPU may call, too. Only nvcc knows the two words.
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

/// Where cell (i, j, k) of a field lies in its array.
HD inline int cell_index(int N, int i, int j, int k) {
    assert(0 <= i && i < N && 0 <= j && j < N && 0 <= k && k < N);
    return i + N * (j + N * k);
}

/// The cells of a field, wherever their memory is: the processor's or the GPU's. It owns nothing,
/// so it is cheap to copy, and may be handed to a kernel.
struct FieldView {
    float* cells;
    int N;

    HD FieldView(float* first, int n) : cells(first), N(n) {}
    FieldView(Field& field) : cells(field.cells.data()), N(field.N) {}
    HD float& operator()(int i, int j, int k) const { return cells[cell_index(N, i, j, k)]; }
};

/// The same for cells that are only read.
struct ConstFieldView {
    const float* cells;
    int N;

    HD ConstFieldView(FieldView view) : cells(view.cells), N(view.N) {}
    ConstFieldView(const Field& field) : cells(field.cells.data()), N(field.N) {}
    HD float operator()(int i, int j, int k) const { return cells[cell_index(N, i, j, k)]; }
};

/// Told what has just been done, "relax" or "advect" for example, so that it may look at the clock.
using Watch = std::function<void(const char* done)>;

/// Tells it, if there is one.
inline void tell(const Watch& watch, const char* done) {
    if (watch) {
        watch(done);
    }
}

/// The state of the fluid, and the numbers that steer it.
struct Fluid {
    float diff = 0.0001f;  ///< how fast dye spreads, in squares of the cube's width a second
    float visc = 0.0001f;  ///< how fast u, v and w spread: the fluid's viscosity
    int iterations = 4;  ///< relaxation sweeps spent on each of them, and on the pressure
    int threads = 1;  ///< how many work at once; the result is the same to the last bit
    bool diffuse_velocity = true;  ///< may be switched off, to see what it does
    bool advect_velocity = true;  ///< likewise
    bool project_velocity = true;  ///< likewise
    bool fast = true;  ///< relax with fewer passes over the memory; the result is the same
    Watch watch;  ///< if there is one: told of each operation of a step

    Field density;  ///< how much dye a cell holds: 0 is none, 1 is shown full, more is allowed
    Field density_prev;  ///< the dye as it was before the operation under way
    Field u;  ///< velocity to the right: at 1 it crosses the whole cube, N - 2 cells, in a second
    Field v;  ///< velocity down, in the same unit
    Field w;  ///< velocity away from you, in the same unit
    Field u_prev, v_prev, w_prev;  ///< the velocity as it was before the operation under way
    Field pressure;  ///< what the last projection pushed with (scaled by the time step)
    Field divergence;  ///< what it pushed against, as lin_solve wants it: -h h times the divergence

    explicit Fluid(int n)
        : density(n), density_prev(n), u(n), v(n), w(n), u_prev(n), v_prev(n), w_prev(n),
          pressure(n), divergence(n) {}
};

/// Names a cell of a slice by its column and its row. It may lie in a wall, or outside.
struct Cell {
    int i, j;
};

/// The cell under the mouse at (x, y), in pixels from the grid's upper left corner, where a cell is
/// `cell_size` pixels wide. Left of the grid or above it the answer is negative, so it must be
/// rounded down: cutting the decimals off would bring those points into cell 0.
inline Cell cell_from_mouse(float x, float y, float cell_size) {
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Says whether (i, j, k) is one of the (N - 2)^3 cells that hold fluid.
HD inline bool is_fluid(int N, int i, int j, int k) {
    return 1 <= i && i < N - 1 && 1 <= j && j < N - 1 && 1 <= k && k < N - 1;
}

/// What a field holds, for the walls to know how to mirror it.
enum class BoundaryType { SCALAR, VELOCITY_HORIZONTAL, VELOCITY_VERTICAL, VELOCITY_DEPTH };

/// What a wall cell holds that lies in the left or right wall, the upper or lower one, the front or
/// back one, or where two or three of them meet, if the fluid cell nearest to it holds `value`. On
/// a face it copies that cell, so that nothing is exchanged with the wall. A velocity that points
/// into the wall is mirrored instead, so that it is 0 on the face between the two: no flow through
/// the wall, but free slip along it. (Stam 2003, "set_bnd"; Ash, "set_bnd".) On the twelve edges
/// two walls meet: a cell there takes the average of its two neighbours in them. In the eight
/// corners three edges meet, and it is the average of three.
HD inline float mirrored(BoundaryType boundary, float value, bool in_i, bool in_j, bool in_k) {
    const float across = boundary == BoundaryType::VELOCITY_HORIZONTAL ? -1.0f : 1.0f;
    const float down = boundary == BoundaryType::VELOCITY_VERTICAL ? -1.0f : 1.0f;
    const float away = boundary == BoundaryType::VELOCITY_DEPTH ? -1.0f : 1.0f;
    const float edge_ij = 0.5f * (across * value + down * value);
    const float edge_ik = 0.5f * (across * value + away * value);
    const float edge_jk = 0.5f * (down * value + away * value);
    if (in_i && in_j && in_k) {
        return (edge_jk + edge_ik + edge_ij) / 3.0f;
    }
    if (in_i) {
        return in_j ? edge_ij : in_k ? edge_ik : across * value;
    }
    if (in_j) {
        return in_k ? edge_jk : down * value;
    }
    return in_k ? away * value : value;
}

/// Says whether the fluid cell (i, j, k) is mirrored in a wall.
HD inline bool touches_wall(int N, int i, int j, int k) {
    return i == 1 || i == N - 2 || j == 1 || j == N - 2 || k == 1 || k == N - 2;
}

/// Gives the fluid cell (i, j, k) its value, and with it the wall cells that mirror it: those that
/// no other fluid cell is nearer to. So each wall cell is written together with one fluid cell, and
/// by whoever writes that: nobody has to go over the walls afterwards, or to wait for it.
HD inline void set_cell(BoundaryType boundary, FieldView x, int i, int j, int k, float value) {
    x(i, j, k) = value;
    if (!touches_wall(x.N, i, j, k)) {
        return;
    }
    const int far = x.N - 2;
    for (int c = k == 1 ? 0 : k; c <= (k == far ? k + 1 : k); ++c) {
        for (int b = j == 1 ? 0 : j; b <= (j == far ? j + 1 : j); ++b) {
            for (int a = i == 1 ? 0 : i; a <= (i == far ? i + 1 : i); ++a) {
                x(a, b, c) = mirrored(boundary, value, a != i, b != j, c != k);
            }
        }
    }
}

/// Gives all wall cells their values, where a field was filled by hand.
inline void set_bnd(BoundaryType boundary, Field& x) {
    const int N = x.N;
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                set_cell(boundary, x, i, j, k, x(i, j, k));
            }
        }
    }
}

/// Adds dye to cell (i, j, k). Walls hold none: a cell in the wall, or outside, is left alone.
inline void add_density(Fluid& fluid, int i, int j, int k, float amount) {
    if (!is_fluid(fluid.density.N, i, j, k)) {
        return;
    }
    set_cell(BoundaryType::SCALAR, fluid.density, i, j, k, fluid.density(i, j, k) + amount);
}

/// Pushes the fluid in cell (i, j, k). Walls do not move: a cell in the wall, or outside, is left
/// alone.
inline void add_velocity(Fluid& fluid, int i, int j, int k, float du, float dv, float dw) {
    if (!is_fluid(fluid.u.N, i, j, k)) {
        return;
    }
    set_cell(BoundaryType::VELOCITY_HORIZONTAL, fluid.u, i, j, k, fluid.u(i, j, k) + du);
    set_cell(BoundaryType::VELOCITY_VERTICAL, fluid.v, i, j, k, fluid.v(i, j, k) + dv);
    set_cell(BoundaryType::VELOCITY_DEPTH, fluid.w, i, j, k, fluid.w(i, j, k) + dw);
}

/// Does work(n) for each n from `first` to `last`, shared out among `threads` of them: each takes a
/// run of neighbours. As long as no work reads what another writes, the result does not depend on
/// how many there are.
template <class Work>
inline void share_out(int threads, int first, int last, const Work& work) {
    const int count = last - first + 1;
    const int parts = std::clamp(threads, 1, std::max(count, 1));
    const auto do_part = [&](int part) {
        for (int n = first + count * part / parts; n < first + count * (part + 1) / parts; ++n) {
            work(n);
        }
    };
    std::vector<std::future<void>> others;
    for (int part = 1; part < parts; ++part) {
        others.push_back(std::async(std::launch::async, do_part, part));
    }
    do_part(0);
    for (std::future<void>& other : others) {
        other.get();
    }
}

/// The eight cells around a point, and how much each counts there.
struct Source {
    int i0, j0, k0;  ///< the upper left of the front four; the others are one right, below, behind
    float s0, s1, t0, t1, u0, u1;  ///< weights of left and right, upper and lower, front and back
};

/// Finds what surrounds the point (x, y, z), measured in cells, so that (7, 4, 2) is the centre of
/// cell (7, 4, 2). A point beyond the walls is first pulled in to half a cell from the border: then
/// all eight cells exist. Even a point that is not a number ends inside, since a comparison with
/// NaN is false (std::clamp would let it through).
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

/// The average of the eight cells, each with its weight.
HD inline float interpolate(ConstFieldView d0, const Source& source) {
    const auto& [i0, j0, k0, s0, s1, t0, t1, u0, u1] = source;
    return u0 * (t0 * (s0 * d0(i0, j0, k0) + s1 * d0(i0 + 1, j0, k0)) +
                 t1 * (s0 * d0(i0, j0 + 1, k0) + s1 * d0(i0 + 1, j0 + 1, k0))) +
           u1 * (t0 * (s0 * d0(i0, j0, k0 + 1) + s1 * d0(i0 + 1, j0, k0 + 1)) +
                 t1 * (s0 * d0(i0, j0 + 1, k0 + 1) + s1 * d0(i0 + 1, j0 + 1, k0 + 1)));
}

/// Where the velocity (u, v, w) brings into cell (i, j, k) what arrives there, from as far away as
/// it goes while a velocity of 1 crosses `dt0` cells.
///
/// Pushing the dye of each cell forward would land it between cells and leave holes. So ask the
/// other way round: what arrives here was one step upstream (Stam 2003, "Moving Densities").
HD inline Source upstream(ConstFieldView u, ConstFieldView v, ConstFieldView w, float dt0, int i,
                          int j, int k) {
    return source_at(i - dt0 * u(i, j, k), j - dt0 * v(i, j, k), k - dt0 * w(i, j, k), u.N);
}

/// Sets cell (i, j, k) of `d` to what the velocity (u, v, w) carries there from `d0`, which must be
/// another field.
HD inline void advect_cell(BoundaryType boundary, FieldView d, ConstFieldView d0, ConstFieldView u,
                           ConstFieldView v, ConstFieldView w, float dt0, int i, int j, int k) {
    set_cell(boundary, d, i, j, k, interpolate(d0, upstream(u, v, w, dt0, i, j, k)));
}

/// Carries `d0` along the velocity (u, v, w) for `dt` seconds into `d`, which must be another
/// field. No cell waits for another one here, so `threads` may share the layers.
inline void advect(BoundaryType boundary, Field& d, const Field& d0, const Field& u, const Field& v,
                   const Field& w, float dt, int threads = 1) {
    const int N = d.N;
    const float dt0 = dt * (N - 2);  // velocity is in domain widths, the grid counts in cells
    share_out(threads, 1, N - 2, [&](int k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                advect_cell(boundary, d, d0, u, v, w, dt0, i, j, k);
            }
        }
    });
}

/// What a cell's own equation asks it to be, given the sum of its six neighbours.
HD inline float relaxed(float x0, float neighbours, float a, float c_recip) {
    return (x0 + a * neighbours) * c_recip;
}

/// Sets cell (i, j, k) of x to what its own equation asks for, given its neighbours as they are
/// now.
HD inline void relax_cell(BoundaryType boundary, FieldView x, ConstFieldView x0, float a,
                          float c_recip, int i, int j, int k) {
    const float neighbours = x(i, j, k - 1) + x(i, j, k + 1) + x(i, j - 1, k) + x(i, j + 1, k) +
                             x(i + 1, j, k) + x(i - 1, j, k);
    set_cell(boundary, x, i, j, k, relaxed(x0(i, j, k), neighbours, a, c_recip));
}

/// Relaxes the cells of one colour in layer k. Coloured like a chessboard, red where i + j + k is
/// even (colour 0) and black where it is odd, a cell has only neighbours of the other colour.
inline void relax_layer(BoundaryType boundary, FieldView x, ConstFieldView x0, float a,
                        float c_recip, int colour, int k) {
    const int N = x.N;
    for (int j = 1; j < N - 1; ++j) {
        for (int i = 1 + (1 + j + k + colour) % 2; i < N - 1; i += 2) {
            relax_cell(boundary, x, x0, a, c_recip, i, j, k);
        }
    }
}

/// Solves  c x(i, j, k) - a (sum of the six neighbours of x) = x0(i, j, k)  for x, approximately,
/// by Gauss-Seidel relaxation: each cell in turn is set to what its own equation asks for, given
/// its neighbours as they are now; then all over again, `iterations` times. The first guess is what
/// x holds on entry. It converges whenever c >= 6 |a|, the quicker the larger c is beside 6 a.
/// (All red cells come before all black ones. No cell of a colour waits for another one of it, so
/// `threads` may share the layers.)
inline void lin_solve(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                      int iterations, int threads = 1) {
    const float c_recip = 1.0f / c;  // a product is quicker than a quotient
    for (int sweep = 0; sweep < iterations; ++sweep) {
        for (const int colour : {0, 1}) {
            share_out(threads, 1, x.N - 2,
                      [&](int k) { relax_layer(boundary, x, x0, a, c_recip, colour, k); });
        }
    }
}

/// Relaxes every other cell of row j in layer k, from cell `first` on, as relax_cell does. Vector
/// units take cells that lie side by side: so all of the row are worked out in `row`, and those of
/// the other colour thrown away. That is still quicker than one by one. The row must not lie along
/// a wall.
inline void relax_row(BoundaryType boundary, FieldView x, ConstFieldView x0, float a, float c_recip,
                      int first, int j, int k, float* row) {
    const int N = x.N;
    float* const here = &x(0, j, k);
    const float* const front = &x(0, j, k - 1);
    const float* const back = &x(0, j, k + 1);
    const float* const above = &x(0, j - 1, k);
    const float* const below = &x(0, j + 1, k);
    const float* const anchor = x0.cells + cell_index(N, 0, j, k);
    for (int i = 1; i < N - 1; ++i) {
        const float neighbours =
            front[i] + back[i] + above[i] + below[i] + here[i + 1] + here[i - 1];
        row[i] = relaxed(anchor[i], neighbours, a, c_recip);
    }
    for (int i = first; i < N - 1; i += 2) {
        here[i] = row[i];
    }
    for (const int i : {1, N - 2}) {  // these are mirrored in the walls
        if ((i - first) % 2 == 0) {
            set_cell(boundary, x, i, j, k, row[i]);
        }
    }
}

/// Does what relax_layer does, whole rows at a time.
inline void relax_layer_fast(BoundaryType boundary, FieldView x, ConstFieldView x0, float a,
                             float c_recip, int colour, int k, float* row) {
    const int N = x.N;
    for (int j = 1; j < N - 1; ++j) {
        const int first = 1 + (1 + j + k + colour) % 2;
        if (k > 1 && k < N - 2 && j > 1 && j < N - 2) {
            relax_row(boundary, x, x0, a, c_recip, first, j, k, row);
            continue;
        }
        for (int i = first; i < N - 1; i += 2) {
            relax_cell(boundary, x, x0, a, c_recip, i, j, k);
        }
    }
}

/// Does `sweeps` sweeps, red and black, in one pass over the memory. As soon as the red cells of
/// two layers are done, the black ones of the layer in front of them can follow, then the red ones
/// of the next sweep one layer further in front, and so on: the stages of all sweeps march through
/// the cube behind each other, while what they work on is still in the cache. A thread cannot go
/// beyond its share of the layers, and at its ends each stage stops one layer short of the one
/// before it. When all are that far, they fill the gaps between the shares.
inline void relax_marching(BoundaryType boundary, FieldView x, ConstFieldView x0, float a,
                           float c_recip, int sweeps, int threads) {
    const int layers = x.N - 2;
    const int stages = 2 * sweeps;
    const int parts = std::clamp(threads, 1, std::max(layers / (2 * stages), 1));
    const auto begin_of = [&](int part) { return 1 + layers * part / parts; };
    share_out(parts, 0, parts - 1, [&](int part) {
        std::vector<float> row(x.N);
        const int begin = begin_of(part);
        const int end = begin_of(part + 1);
        for (int front = begin; front < end + stages - 1; ++front) {
            for (int stage = 0; stage < stages; ++stage) {
                const int k = front - stage;
                const int lowest = part == 0 ? begin : begin + stage;
                const int highest = part == parts - 1 ? end - 1 : end - 1 - stage;
                if (stage == 0 && (k == begin || k == end - 1)) {
                    // Beside another share: relax_row would look at what its thread is writing.
                    relax_layer(boundary, x, x0, a, c_recip, 0, k);
                } else if (lowest <= k && k <= highest) {
                    relax_layer_fast(boundary, x, x0, a, c_recip, stage % 2, k, row.data());
                }
            }
        }
    });
    share_out(parts, 1, parts - 1, [&](int part) {
        std::vector<float> row(x.N);
        for (int stage = 1; stage < stages; ++stage) {
            for (int k = begin_of(part) - stage; k < begin_of(part) + stage; ++k) {
                relax_layer_fast(boundary, x, x0, a, c_recip, stage % 2, k, row.data());
            }
        }
    });
}

/// Does what lin_solve does, to the last bit, several sweeps in each pass over the memory.
inline void lin_solve_fast(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                           int iterations, int threads = 1) {
    const float c_recip = 1.0f / c;
    const int layers = x.N - 2;
    for (int left = iterations; left > 0;) {
        const int sweeps = std::clamp(layers / (4 * std::max(threads, 1)), 1, left);
        relax_marching(boundary, x, x0, a, c_recip, sweeps, threads);
        left -= sweeps;
    }
}

/// How far x is from solving lin_solve's equations: the largest error among them.
inline float residual(const Field& x, const Field& x0, float a, float c) {
    const int N = x.N;
    float largest = 0.0f;
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                const float neighbours = x(i, j, k - 1) + x(i, j, k + 1) + x(i, j - 1, k) +
                                         x(i, j + 1, k) + x(i + 1, j, k) + x(i - 1, j, k);
                largest =
                    std::max(largest, std::abs(x0(i, j, k) + a * neighbours - c * x(i, j, k)));
            }
        }
    }
    return largest;
}

/// Spreads x0 among neighbouring cells for `dt` seconds into x, which should hold a first guess.
///
/// Asks for the x that, diffused backwards in time, gives x0: such a step is stable however large
/// `dt` is (Stam 2003, "Diffusion"), while the forward step blows up once a exceeds 1/6.
inline void diffuse(BoundaryType boundary, Field& x, const Field& x0, float rate, float dt,
                    int iterations, int threads = 1, bool fast = false) {
    const float a = dt * rate * (x.N - 2) * (x.N - 2);
    const auto solve = fast ? lin_solve_fast : lin_solve;
    solve(boundary, x, x0, a, 1.0f + 6.0f * a, iterations, threads);
}

/// How much more flows out of cell (i, j, k) than into it, per second: the change of u from the
/// left neighbour to the right one, of v from the upper to the lower, and of w from the one in
/// front to the one behind, over the 2 h between them.
HD inline float divergence_at(ConstFieldView u, ConstFieldView v, ConstFieldView w, int i, int j,
                              int k) {
    const float h = 1.0f / (u.N - 2);  // the width of a cell, in domain widths
    return (u(i + 1, j, k) - u(i - 1, j, k) + v(i, j + 1, k) - v(i, j - 1, k) + w(i, j, k + 1) -
            w(i, j, k - 1)) /
           (2.0f * h);
}

/// Writes down what the pressure is to push against in cell (i, j, k), and the pressure's first
/// guess, which is 0.
HD inline void divergence_cell(FieldView divergence, FieldView pressure, ConstFieldView u,
                               ConstFieldView v, ConstFieldView w, int i, int j, int k) {
    const float h = 1.0f / (u.N - 2);
    set_cell(BoundaryType::SCALAR, divergence, i, j, k, -h * h * divergence_at(u, v, w, i, j, k));
    set_cell(BoundaryType::SCALAR, pressure, i, j, k, 0.0f);
}

/// Subtracts the pressure's push from the velocity in cell (i, j, k).
HD inline void subtract_gradient_cell(FieldView u, FieldView v, FieldView w,
                                      ConstFieldView pressure, int i, int j, int k) {
    const float h = 1.0f / (u.N - 2);
    const float across = (pressure(i + 1, j, k) - pressure(i - 1, j, k)) / (2.0f * h);
    const float down = (pressure(i, j + 1, k) - pressure(i, j - 1, k)) / (2.0f * h);
    const float away = (pressure(i, j, k + 1) - pressure(i, j, k - 1)) / (2.0f * h);
    set_cell(BoundaryType::VELOCITY_HORIZONTAL, u, i, j, k, u(i, j, k) - across);
    set_cell(BoundaryType::VELOCITY_VERTICAL, v, i, j, k, v(i, j, k) - down);
    set_cell(BoundaryType::VELOCITY_DEPTH, w, i, j, k, w(i, j, k) - away);
}

/// Takes out of the velocity what flows together or apart, and keeps what turns.
///
/// Finds the pressure whose push, its gradient, has the same divergence as the velocity (a
/// relaxation from 0, in `iterations` sweeps) and subtracts that push. `pressure` and `divergence`
/// are overwritten. (Stam 2003, "project": every velocity is the sum of a field that conserves
/// mass and a gradient.)
inline void project(Field& u, Field& v, Field& w, Field& pressure, Field& divergence,
                    int iterations, int threads = 1, bool fast = false, const Watch& watch = {}) {
    const int N = u.N;
    share_out(threads, 1, N - 2, [&](int k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                divergence_cell(divergence, pressure, u, v, w, i, j, k);
            }
        }
    });
    tell(watch, "divergence");

    const auto solve = fast ? lin_solve_fast : lin_solve;
    solve(BoundaryType::SCALAR, pressure, divergence, 1.0f, 6.0f, iterations, threads);
    tell(watch, "relax");

    share_out(threads, 1, N - 2, [&](int k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                subtract_gradient_cell(u, v, w, pressure, i, j, k);
            }
        }
    });
    tell(watch, "gradient");
}

/// Spreads u, v and w like the dye.
inline void diffuse_components(Fluid& fluid, float dt) {
    const struct {
        BoundaryType boundary;
        Field& now;
        Field& prev;
    } parts[] = {{BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev},
                 {BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev},
                 {BoundaryType::VELOCITY_DEPTH, fluid.w, fluid.w_prev}};
    for (const auto& [boundary, now, prev] : parts) {
        prev = now;
        tell(fluid.watch, "copy");
        diffuse(boundary, now, prev, fluid.visc, dt, fluid.iterations, fluid.threads, fluid.fast);
        tell(fluid.watch, "relax");
    }
}

/// Moves the velocity on by `dt` seconds: it spreads like the dye, and it is carried along by the
/// flow, which is itself. All components must be carried by the velocity as it was, or v would
/// follow a u that has already moved.
inline void velocity_step(Fluid& fluid, float dt) {
    if (fluid.diffuse_velocity) {
        diffuse_components(fluid, dt);
    }
    if (fluid.project_velocity) {
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, fluid.iterations,
                fluid.threads, fluid.fast, fluid.watch);
    }
    if (fluid.advect_velocity) {
        std::swap(fluid.u, fluid.u_prev);  // advect writes every cell: no need to copy any
        std::swap(fluid.v, fluid.v_prev);
        std::swap(fluid.w, fluid.w_prev);
        advect(BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev, fluid.u_prev, fluid.v_prev,
               fluid.w_prev, dt, fluid.threads);
        advect(BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev, fluid.u_prev, fluid.v_prev,
               fluid.w_prev, dt, fluid.threads);
        advect(BoundaryType::VELOCITY_DEPTH, fluid.w, fluid.w_prev, fluid.u_prev, fluid.v_prev,
               fluid.w_prev, dt, fluid.threads);
        tell(fluid.watch, "advect");
    }
    if (fluid.project_velocity) {
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, fluid.iterations,
                fluid.threads, fluid.fast, fluid.watch);
    }
}

/// Lets `dt` seconds pass.
inline void step(Fluid& fluid, float dt) {
    velocity_step(fluid, dt);

    fluid.density_prev = fluid.density;  // the anchor that every sweep returns to
    tell(fluid.watch, "copy");
    diffuse(BoundaryType::SCALAR, fluid.density, fluid.density_prev, fluid.diff, dt,
            fluid.iterations, fluid.threads, fluid.fast);
    tell(fluid.watch, "relax");

    std::swap(fluid.density, fluid.density_prev);  // advect must not read the field that it writes
    advect(BoundaryType::SCALAR, fluid.density, fluid.density_prev, fluid.u, fluid.v, fluid.w, dt,
           fluid.threads);
    tell(fluid.watch, "advect");
}
