// Red-black sweeps and multigrid V-cycles for the pressure in a closed box, as fast as we could
// make them. The workbook's lessons say what is done; this file, how little of it a machine has to
// do. It needs the standard library and parallel.hpp, and nothing else.
//
// Four things make the difference:
// - Each colour has its own array. Then the cells that one colour's sweep looks at lie side by
//   side, and a loop over them is done eight or sixteen cells at a time.
// - Colours follow each other row by row: red on one row, black on the row before it, while both
//   are still in cache. So can whole sweeps: `wavefront`.
// - What a red-black sweep makes known is not computed: black cells have no residual after it, and
//   red ones need no correction before it.
// - Threads share the rows. Each value comes from the same operations whatever their number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "common/parallel.hpp"

// A copy of each innermost loop for each width of the machine's registers; the program takes the
// widest that it finds. Elsewhere, the compiler's own choice.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__AVX2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FAST_WIDTHS __attribute__((target_clones("avx512f", "avx2", "default")))
#define FAST_INSIDE __attribute__((always_inline))  // part of such a copy
#else
#define FAST_WIDTHS
#define FAST_INSIDE
#endif

namespace fast {

using parallel::ThreadPool;
using parallel::wavefront;

// ---- Boxes in two colours ----------------------------------------------------------------------

/// Memory that begins where a cache line does.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t line{64};
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const LineAllocator&) const { return true; }
};

using Floats = std::vector<float, LineAllocator<float>>;

/// A float for every cell of a closed box, the red cells (i + j + k even) in one array and the
/// black ones in another. Row (j, k) has in each array its cells of that colour from left to right.
/// Around them are zeros that nobody changes, so that looking beyond a wall adds nothing.
struct Box {
    int nx, ny, nz;
    std::ptrdiff_t row;  ///< how far the next row is in an array
    std::ptrdiff_t layer;  ///< and how far the next layer; a box of one layer has none around it
    Floats colours[2];

    Box(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), row(((nx + 1) / 2 + 1 + 15) / 16 * 16),
          layer((ny + 2) * row) {
        for (Floats& colour : colours) {
            colour.assign(16 + layer * (nz > 1 ? nz + 2 : 1), 0.0f);
        }
    }

    /// The first cell of a colour in row (j, k); row and layer -1, ny and nz are there as well.
    float* at(int colour, int j, int k) { return colours[colour].data() + start_of(j, k); }
    const float* at(int colour, int j, int k) const {
        return colours[colour].data() + start_of(j, k);
    }

    /// Any cell, for those who are in no hurry.
    float& operator()(int i, int j, int k) { return at((i + j + k) & 1, j, k)[i / 2]; }
    float operator()(int i, int j, int k) const { return at((i + j + k) & 1, j, k)[i / 2]; }

    void clear() {
        std::fill(colours[0].begin(), colours[0].end(), 0.0f);
        std::fill(colours[1].begin(), colours[1].end(), 0.0f);
    }

    /// What a wavefront takes for a unit: a row of a flat box, a layer of a deep one.
    int units() const { return nz > 1 ? nz : ny; }

  private:
    std::ptrdiff_t start_of(int j, int k) const {
        return 16 + row * (j + 1) + layer * (nz > 1 ? k + 1 : 0);
    }
};

/// Takes the numbers over from an array in the usual order, i fastest.
template <class Number>
void copy_from(Box& box, const Number* values) {
    for (int k = 0; k < box.nz; ++k) {
        for (int j = 0; j < box.ny; ++j, values += box.nx) {
            for (const int first : {0, 1}) {
                float* half = box.at((first + j + k) & 1, j, k);
                for (int m = 0; first + 2 * m < box.nx; ++m) {
                    half[m] = static_cast<float>(values[first + 2 * m]);
                }
            }
        }
    }
}

/// Puts the numbers into an array in the usual order.
template <class Number>
void copy_to(const Box& box, Number* values) {
    for (int k = 0; k < box.nz; ++k) {
        for (int j = 0; j < box.ny; ++j, values += box.nx) {
            for (const int first : {0, 1}) {
                const float* half = box.at((first + j + k) & 1, j, k);
                for (int m = 0; first + 2 * m < box.nx; ++m) {
                    values[first + 2 * m] = half[m];
                }
            }
        }
    }
}

/// What a neighbour counts along each axis.
struct Weights {
    float x = 1.0f, y = 1.0f, z = 1.0f;
};

// ---- One row of one colour ---------------------------------------------------------------------

/// The cells of one colour in a row, and all that is around them.
struct HalfRow {
    float* x;
    const float* b;
    const float *left, *right;  ///< the row's cells of the other colour, as seen from x
    const float *up, *down;
    const float *front, *back;  ///< none in a flat box
    int count;
    bool wall_left, wall_right;  ///< whether the first and the last cell are at a wall
    float wx, wy, wz;
    float others;  ///< the weights of the neighbours above, below, in front and behind
};

inline HalfRow half_row(Box& p, const Box& b, const Weights& w, int colour, int j, int k) {
    const int first = (j + k + colour) & 1;
    const int other = 1 - colour;
    const bool deep = p.nz > 1;
    HalfRow h = {};
    h.x = p.at(colour, j, k);
    h.b = b.at(colour, j, k);
    h.left = p.at(other, j, k) + first - 1;
    h.right = p.at(other, j, k) + first;
    h.up = p.at(other, j - 1, k);
    h.down = p.at(other, j + 1, k);
    h.front = deep ? p.at(other, j, k - 1) : nullptr;
    h.back = deep ? p.at(other, j, k + 1) : nullptr;
    h.count = (p.nx - first + 1) / 2;
    h.wall_left = first == 0;
    h.wall_right = ((p.nx - 1 - first) & 1) == 0;
    h.wx = w.x;
    h.wy = w.y;
    h.wz = w.z;
    h.others = w.y * static_cast<float>((j > 0) + (j < p.ny - 1)) +
               w.z * static_cast<float>((k > 0) + (k < p.nz - 1));
    return h;
}

/// What the row of A takes away in one cell.
inline float sum_in(const HalfRow& h, int m) {
    const float flat = h.wx * (h.left[m] + h.right[m]) + h.wy * (h.up[m] + h.down[m]);
    return h.front == nullptr ? flat : flat + h.wz * (h.front[m] + h.back[m]);
}

/// Calls visit(m, diagonal) for the cells that have a wall on their left or right.
template <class Visit>
void for_walls(const HalfRow& h, Visit visit) {
    const bool both = h.wall_left && h.wall_right && h.count == 1;
    if (h.wall_left && h.count > 0) {
        visit(0, both ? h.others : h.others + h.wx);
    }
    if (h.wall_right && h.count > 0 && !both) {
        visit(h.count - 1, h.others + h.wx);
    }
}

FAST_WIDTHS inline void relax_flat(float* __restrict x, const float* __restrict b,
                                   const float* __restrict left, const float* __restrict right,
                                   const float* __restrict up, const float* __restrict down,
                                   int count, float wx, float wy, float inverse) {
    for (int m = 0; m < count; ++m) {
        x[m] = (b[m] + (wx * (left[m] + right[m]) + wy * (up[m] + down[m]))) * inverse;
    }
}

FAST_WIDTHS inline void relax_deep(float* __restrict x, const float* __restrict b,
                                   const float* __restrict left, const float* __restrict right,
                                   const float* __restrict up, const float* __restrict down,
                                   const float* __restrict front, const float* __restrict back,
                                   int count, float wx, float wy, float wz, float inverse) {
    for (int m = 0; m < count; ++m) {
        x[m] = (b[m] +
                (wx * (left[m] + right[m]) + wy * (up[m] + down[m]) + wz * (front[m] + back[m]))) *
               inverse;
    }
}

FAST_WIDTHS inline void scale(float* __restrict x, const float* __restrict b, int count,
                              float inverse) {
    for (int m = 0; m < count; ++m) {
        x[m] = b[m] * inverse;
    }
}

/// Sets each cell of the half row to what its equation asks for; `from_zero`, where all neighbours
/// are known to be 0, without looking at them. The cells at the walls are done as all others, and
/// then again: that is quicker than to stop for them.
inline void relax(const HalfRow& h, bool from_zero) {
    const float inverse = 1.0f / (h.others + 2.0f * h.wx);
    if (from_zero) {
        scale(h.x, h.b, h.count, inverse);
    } else if (h.front == nullptr) {
        relax_flat(h.x, h.b, h.left, h.right, h.up, h.down, h.count, h.wx, h.wy, inverse);
    } else {
        relax_deep(h.x, h.b, h.left, h.right, h.up, h.down, h.front, h.back, h.count, h.wx, h.wy,
                   h.wz, inverse);
    }
    for_walls(h, [&](int m, float diagonal) {
        const float sum = from_zero ? 0.0f : sum_in(h, m);
        h.x[m] = diagonal > 0.0f ? (h.b[m] + sum) / diagonal : 0.0f;
    });
}

FAST_WIDTHS inline void residual_flat(const float* __restrict x, const float* __restrict b,
                                      const float* __restrict left, const float* __restrict right,
                                      const float* __restrict up, const float* __restrict down,
                                      int count, float wx, float wy, float diagonal,
                                      float* __restrict r) {
    for (int m = 0; m < count; ++m) {
        r[m] = b[m] + (wx * (left[m] + right[m]) + wy * (up[m] + down[m])) - diagonal * x[m];
    }
}

FAST_WIDTHS inline void residual_deep(const float* __restrict x, const float* __restrict b,
                                      const float* __restrict left, const float* __restrict right,
                                      const float* __restrict up, const float* __restrict down,
                                      const float* __restrict front, const float* __restrict back,
                                      int count, float wx, float wy, float wz, float diagonal,
                                      float* __restrict r) {
    for (int m = 0; m < count; ++m) {
        r[m] = b[m] +
               (wx * (left[m] + right[m]) + wy * (up[m] + down[m]) + wz * (front[m] + back[m])) -
               diagonal * x[m];
    }
}

/// The half row's residual, b - A p.
inline void find_residual(const HalfRow& h, float* r) {
    const float diagonal = h.others + 2.0f * h.wx;
    if (h.front == nullptr) {
        residual_flat(h.x, h.b, h.left, h.right, h.up, h.down, h.count, h.wx, h.wy, diagonal, r);
    } else {
        residual_deep(h.x, h.b, h.left, h.right, h.up, h.down, h.front, h.back, h.count, h.wx, h.wy,
                      h.wz, diagonal, r);
    }
    for_walls(h, [&](int m, float at_wall) { r[m] = h.b[m] + sum_in(h, m) - at_wall * h.x[m]; });
}

/// The sum of squares, by way of sixteen sums side by side.
FAST_WIDTHS inline double sum_of_squares(const float* r, int count) {
    float lanes[16] = {};
    int m = 0;
    for (; m + 16 <= count; m += 16) {
        for (int lane = 0; lane < 16; ++lane) {
            lanes[lane] += r[m + lane] * r[m + lane];
        }
    }
    double sum = 0.0;
    for (; m < count; ++m) {
        sum += static_cast<double>(r[m]) * r[m];
    }
    for (const float lane : lanes) {
        sum += lane;
    }
    return sum;
}

/// Adds r to `all`. Returns its sum of squares, by way of sixteen sums side by side.
FAST_WIDTHS inline double add_and_square(const float* __restrict r, int count,
                                         float* __restrict all) {
    float lanes[16] = {};
    int m = 0;
    for (; m + 16 <= count; m += 16) {
        for (int lane = 0; lane < 16; ++lane) {
            lanes[lane] += r[m + lane] * r[m + lane];
            all[m + lane] += r[m + lane];
        }
    }
    double sum = 0.0;
    for (; m < count; ++m) {
        sum += static_cast<double>(r[m]) * r[m];
        all[m] += r[m];
    }
    for (const float lane : lanes) {
        sum += lane;
    }
    return sum;
}

// ---- Sweeps ------------------------------------------------------------------------------------

/// Sets all cells of a colour in a unit: a row of a flat box, a layer of a deep one.
inline void relax_unit(Box& p, const Box& b, const Weights& w, int colour, int unit,
                       bool from_zero) {
    const bool deep = p.nz > 1;
    for (int row = 0; row < (deep ? p.ny : 1); ++row) {
        relax(half_row(p, b, w, colour, deep ? row : unit, deep ? unit : 0), from_zero);
    }
}

/// Some red-black sweeps at once, in one pass through memory: from the p that is there, or from 0.
inline void red_black(ThreadPool& pool, Box& p, const Box& b, int sweeps = 1, const Weights& w = {},
                      bool from_zero = false) {
    wavefront(pool, p.units(), 2 * sweeps, [&](int stage, int unit, int) {
        relax_unit(p, b, w, stage % 2, unit, from_zero && stage == 0);
    });
}

// ---- From box to box ---------------------------------------------------------------------------

/// Whether each coarse cell has just its two fine ones along every axis that has more than one.
inline bool halves(const Box& fine) {
    return fine.nx % 2 == 0 && fine.ny % 2 == 0 && (fine.nz == 1 || fine.nz % 2 == 0);
}

FAST_WIDTHS inline void split(const float* __restrict all, float* __restrict even,
                              float* __restrict odd, int pairs) {
    for (int m = 0; m < pairs; ++m) {
        even[m] = all[2 * m];
        odd[m] = all[2 * m + 1];
    }
}

/// Room for one thread's rows in between.
struct Scratch {
    Floats all, part;
};

/// Restricts to coarse row (j, k) of b the residuals of the four fine cells (eight in a deep box)
/// under each of its own. Red ones only: this follows a sweep that ended with the black ones.
/// Returns the sum of the squares of these residuals.
inline double restrict_row(Box& p, const Box& b, const Weights& w, Box& coarse, int j, int k,
                           Scratch& scratch) {
    scratch.all.assign(coarse.nx + 1, 0.0f);
    scratch.part.resize(coarse.nx + 1);
    double squares = 0.0;
    for (int dk = 0; dk < (p.nz > 1 ? 2 : 1); ++dk) {
        for (int dj = 0; dj < 2; ++dj) {
            find_residual(half_row(p, b, w, 0, 2 * j + dj, 2 * k + dk), scratch.part.data());
            squares += add_and_square(scratch.part.data(), coarse.nx, scratch.all.data());
        }
    }
    float* even = coarse.at((j + k) & 1, j, k);
    float* odd = coarse.at((j + k + 1) & 1, j, k);
    split(scratch.all.data(), even, odd, coarse.nx / 2);
    if (coarse.nx % 2 == 1) {
        even[coarse.nx / 2] = scratch.all[coarse.nx - 1];
    }
    return squares;
}

/// Restricts what lies under the unit of the coarse box that ends with this fine one, if one does.
inline double restrict_unit(Box& p, const Box& b, const Weights& w, Box& coarse, int unit,
                            Scratch& scratch) {
    if (unit % 2 == 0) {
        return 0.0;
    }
    if (p.nz == 1) {
        return restrict_row(p, b, w, coarse, unit / 2, 0, scratch);
    }
    double squares = 0.0;
    for (int j = 0; j < coarse.ny; ++j) {
        squares += restrict_row(p, b, w, coarse, j, unit / 2, scratch);
    }
    return squares;
}

/// 3/4 of the nearer row and 1/4 of the farther one, of both a pair of rows in front and one
/// behind.
FAST_WIDTHS inline void mix_four(const float* __restrict one, const float* __restrict two,
                                 const float* __restrict three, const float* __restrict four,
                                 int count, float* __restrict mixed) {
    for (int m = 0; m < count; ++m) {
        mixed[m] = 0.75f * (0.75f * one[m] + 0.25f * two[m]) +
                   0.25f * (0.75f * three[m] + 0.25f * four[m]);
    }
}

FAST_WIDTHS inline void join(const float* __restrict even, const float* __restrict odd,
                             float* __restrict all, int pairs) {
    for (int m = 0; m < pairs; ++m) {
        all[2 * m] = even[m];
        all[2 * m + 1] = odd[m];
    }
}

FAST_WIDTHS inline void add_mixed(float* __restrict x, const float* __restrict near_cells,
                                  const float* __restrict far_cells, int count) {
    for (int m = 0; m < count; ++m) {
        x[m] += 0.75f * near_cells[m] + 0.25f * far_cells[m];
    }
}

FAST_WIDTHS inline void add_four(float* __restrict x, const float* __restrict near_row,
                                 const float* __restrict far_row, int beside, int count) {
    for (int m = 0; m < count; ++m) {
        x[m] += 0.75f * (0.75f * near_row[m] + 0.25f * far_row[m]) +
                0.25f * (0.75f * near_row[m + beside] + 0.25f * far_row[m + beside]);
    }
}

/// A copy of a box in the usual order, each row with its first and its last value once more before
/// and behind: that is how it looks to the finer box under it.
struct Flat {
    std::ptrdiff_t row;
    int ny;
    Floats values;

    explicit Flat(const Box& box)
        : row((box.nx + 2 + 15) / 16 * 16 + 16), ny(box.ny), values(row * box.ny * box.nz, 0.0f) {}

    float* at(int j, int k) { return values.data() + 16 + row * (j + ny * k); }
    const float* at(int j, int k) const { return values.data() + 16 + row * (j + ny * k); }
};

inline void lay_flat(const Box& box, Flat& flat, int j, int k) {
    const int pairs = box.nx / 2;
    float* all = flat.at(j, k);
    const float* even = box.at((j + k) & 1, j, k);
    join(even, box.at((j + k + 1) & 1, j, k), all, pairs);
    if (box.nx % 2 == 1) {
        all[box.nx - 1] = even[pairs];
    }
    all[-1] = all[0];
    all[box.nx] = all[box.nx - 1];
}

inline void lay_unit_flat(const Box& box, Flat& flat, int unit) {
    for (int j = 0; j < (box.nz > 1 ? box.ny : 1); ++j) {
        lay_flat(box, flat, box.nz > 1 ? j : unit, box.nz > 1 ? unit : 0);
    }
}

/// Adds to the black cells of row (j, k) the correction that the coarse box found, interpolated
/// between its centres. The red ones need none: the sweep that follows begins by setting them anew.
inline void prolong_row(const Box& coarse, const Flat& flat, Box& p, int j, int k,
                        Scratch& scratch) {
    const auto beyond = [](int fine, int n) {
        return std::max(0, std::min(n - 1, fine / 2 + (fine % 2 == 0 ? -1 : 1)));
    };
    const int first = (j + k + 1) & 1;  // where the row's black cells begin
    const int beside = first == 0 ? -1 : 1;
    const int near_j = j / 2;
    const int far_j = beyond(j, coarse.ny);
    float* x = p.at(1, j, k);
    if (p.nz == 1) {
        add_four(x, flat.at(near_j, 0), flat.at(far_j, 0), beside, coarse.nx);
        return;
    }
    const int near_k = k / 2;
    const int far_k = beyond(k, coarse.nz);
    scratch.all.resize(coarse.nx + 2);
    float* mixed = scratch.all.data();
    mix_four(flat.at(near_j, near_k) - 1, flat.at(far_j, near_k) - 1, flat.at(near_j, far_k) - 1,
             flat.at(far_j, far_k) - 1, coarse.nx + 2, mixed);
    add_mixed(x, mixed + 1, mixed + 1 + beside, coarse.nx);
}

inline void prolong_unit(const Box& coarse, const Flat& flat, Box& p, int unit, Scratch& scratch) {
    for (int j = 0; j < (p.nz > 1 ? p.ny : 1); ++j) {
        prolong_row(coarse, flat, p, p.nz > 1 ? j : unit, p.nz > 1 ? unit : 0, scratch);
    }
}

/// Two neighbouring places of a coarse row, and the shares that a place of the fine one has in
/// them.
struct Shares {
    int first, second;
    float to_first, to_second;
};

/// The coarse cells that fine cell i of n overlaps, and the part of it that lies in each.
inline Shares restriction_weights(int i, int n, int coarse) {
    const int first = i * coarse / n;
    const int second = ((i + 1) * coarse - 1) / n;
    const float to_first = first == second ? 1.0f
                                           : static_cast<float>((first + 1) * n - i * coarse) /
                                                 static_cast<float>(coarse);
    return {first, second, to_first, 1.0f - to_first};
}

/// The coarse cells whose centres lie beside that of fine cell i of n, and their weights in linear
/// interpolation. At an end the nearest cell alone counts.
inline Shares prolongation_weights(int i, int n, int coarse) {
    const float m = static_cast<float>(coarse);
    const float centre = (static_cast<float>(i) + 0.5f) * m / static_cast<float>(n) - 0.5f;
    const float x = std::max(0.0f, std::min(centre, m - 1.0f));
    const int first = static_cast<int>(x);
    const float share = x - static_cast<float>(first);
    return {first, std::min(first + 1, coarse - 1), 1.0f - share, share};
}

/// Restricts from a box with an odd side. Returns the sum of the squares of the residuals.
inline double restrict_odd(Box& p, const Box& b, const Weights& w, Box& coarse, Scratch& scratch) {
    coarse.clear();
    scratch.part.resize(p.nx);
    double squares = 0.0;
    for (int k = 0; k < p.nz; ++k) {
        const Shares z = restriction_weights(k, p.nz, coarse.nz);
        for (int j = 0; j < p.ny; ++j) {
            const Shares y = restriction_weights(j, p.ny, coarse.ny);
            const HalfRow h = half_row(p, b, w, 0, j, k);
            find_residual(h, scratch.part.data());
            for (int m = 0; m < h.count; ++m) {
                const float r = scratch.part[m];
                const Shares x = restriction_weights(2 * m + ((j + k) & 1), p.nx, coarse.nx);
                for (int corner = 0; corner < 8; ++corner) {
                    coarse(corner & 1 ? x.second : x.first, corner & 2 ? y.second : y.first,
                           corner & 4 ? z.second : z.first) +=
                        (corner & 1 ? x.to_second : x.to_first) *
                        (corner & 2 ? y.to_second : y.to_first) *
                        (corner & 4 ? z.to_second : z.to_first) * r;
                }
                squares += static_cast<double>(r) * r;
            }
        }
    }
    return squares;
}

/// Corrects the black cells of a box with an odd side.
inline void prolong_odd(const Box& coarse, Box& p) {
    for (int k = 0; k < p.nz; ++k) {
        const Shares z = prolongation_weights(k, p.nz, coarse.nz);
        for (int j = 0; j < p.ny; ++j) {
            const Shares y = prolongation_weights(j, p.ny, coarse.ny);
            for (int i = (j + k + 1) & 1; i < p.nx; i += 2) {
                const Shares x = prolongation_weights(i, p.nx, coarse.nx);
                float sum = 0.0f;
                for (int corner = 0; corner < 8; ++corner) {
                    sum += (corner & 1 ? x.to_second : x.to_first) *
                           (corner & 2 ? y.to_second : y.to_first) *
                           (corner & 4 ? z.to_second : z.to_first) *
                           coarse(corner & 1 ? x.second : x.first, corner & 2 ? y.second : y.first,
                                  corner & 4 ? z.second : z.first);
                }
                p(i, j, k) += sum;
            }
        }
    }
}

// ---- Multigrid ---------------------------------------------------------------------------------

struct Level {
    Box p, b;
    Weights weights;
    Flat flat;  ///< p once more, for the finer level; the finest needs none
};

/// The grid hierarchy for one size, and what is needed on the way up and down. levels[0] has the
/// equations A p = b themselves.
struct Multigrid {
    std::vector<Level> levels;
    std::vector<Scratch> scratch;  ///< one for each thread
    std::vector<double> squares;  ///< one for each unit, so that they are added up in one order

    Multigrid(int nx, int ny, int nz, int threads) : scratch(threads) {
        const float columns = static_cast<float>(nx);
        const float rows = static_cast<float>(ny);
        const float layers = static_cast<float>(nz);
        while (true) {
            const float hx = columns / static_cast<float>(nx);
            const float hy = rows / static_cast<float>(ny);
            const float hz = layers / static_cast<float>(nz);
            const Box box(nx, ny, nz);
            levels.push_back({box,
                              box,
                              {hy * hz / hx, hx * hz / hy, hx * hy / hz},
                              Flat(levels.empty() ? Box(1, 1, 1) : box)});
            if (nx == 1 && ny == 1 && nz == 1) {
                break;
            }
            nx = (nx + 1) / 2;
            ny = (ny + 1) / 2;
            nz = (nz + 1) / 2;
        }
        squares.assign(levels[0].p.units(), 0.0);
    }
};

/// What one pass over a level does, row after row.
struct Pass {
    bool correct = false;  ///< first, the correction by the next level, which was solved
    bool from_zero = false;  ///< or else, whatever p was is forgotten: it begins at 0
    int sweeps = 1;  ///< then so many red-black sweeps
    bool hand_on = false;  ///< last, the residual is handed to the next level,
    bool lay_flat = false;  ///< or p is made ready for the finer one
};

/// Makes a pass over level l. Returns the sum of the squares of what it handed on.
inline double pass(ThreadPool& pool, Multigrid& grid, std::size_t l, const Pass& todo) {
    Level& here = grid.levels[l];
    Level& next = grid.levels[l + 1];
    if (!halves(here.p)) {
        if (todo.correct) {
            prolong_odd(next.p, here.p);
        }
        red_black(pool, here.p, here.b, todo.sweeps, here.weights, todo.from_zero);
        for (int unit = 0; unit < here.p.units() && todo.lay_flat; ++unit) {
            lay_unit_flat(here.p, here.flat, unit);
        }
        return todo.hand_on ? restrict_odd(here.p, here.b, here.weights, next.b, grid.scratch[0])
                            : 0.0;
    }
    const int first = todo.correct ? 1 : 0;
    const int last = first + 2 * todo.sweeps;
    const bool more = todo.hand_on || todo.lay_flat;
    const auto do_unit = [&](int stage, int unit, int thread) {
        Scratch& scratch = grid.scratch[thread];
        if (stage < first) {
            prolong_unit(next.p, next.flat, here.p, unit, scratch);
        } else if (stage < last) {
            relax_unit(here.p, here.b, here.weights, (stage - first) % 2, unit,
                       todo.from_zero && stage == 0);
        } else if (todo.lay_flat) {
            lay_unit_flat(here.p, here.flat, unit);
        } else {
            grid.squares[unit] = restrict_unit(here.p, here.b, here.weights, next.b, unit, scratch);
        }
    };
    wavefront(pool, here.p.units(), last + (more ? 1 : 0), do_unit);
    double sum = 0.0;
    for (int unit = 0; unit < here.p.units() && todo.hand_on; ++unit) {
        sum += grid.squares[unit];
    }
    return sum;
}

/// A box of one size, the threads that work on it, and what they need to solve A p = b there.
struct Solver {
    int nx, ny, nz;
    ThreadPool pool;
    ThreadPool alone{1};
    Multigrid grid;
    double average = 0.0;  ///< of b: taken out of it
    double start = 0.0;  ///< the length of b without it
    /// How far b was from adding up to 0, over the sum of its sizes.
    double compatibility_defect = 0.0;
    double work = 0.0;  ///< so far, in sweeps over the box
    bool begun = false;  ///< whether p has been set

    Solver(int columns, int rows, int layers, int threads)
        : nx(columns), ny(rows), nz(layers), pool(threads), grid(nx, ny, nz, threads) {}

    int units() const { return nz > 1 ? nz : ny; }
};

/// As the other `pass`, with as many threads as are worth it, and writes the work down.
inline double pass(Solver& solver, std::size_t l, const Pass& todo) {
    const Box& box = solver.grid.levels[l].p;
    const double cells = static_cast<double>(box.nx) * box.ny * box.nz;
    const double all = static_cast<double>(solver.nx) * solver.ny * solver.nz;
    const double halves_of_sweep = todo.sweeps * 2.0 + (todo.correct ? 1.0 : 0.0) +
                                   (todo.hand_on ? 1.0 : 0.0) - (todo.from_zero ? 0.5 : 0.0);
    solver.work += 0.5 * halves_of_sweep * cells / all;
    return pass(cells > 30000.0 ? solver.pool : solver.alone, solver.grid, l, todo);
}

/// One V(1, 1)-cycle on level l, from p = 0 or from the p that is there.
inline void v_cycle(Solver& solver, std::size_t l = 0, bool from_zero = false) {
    if (l + 1 == solver.grid.levels.size()) {
        solver.grid.levels[l].p.clear();  // one cell, and nothing that it could differ from
        return;
    }
    pass(solver, l, {.from_zero = from_zero, .hand_on = true});
    v_cycle(solver, l + 1, true);
    pass(solver, l, {.correct = true, .lay_flat = l > 0});
}

/// V(1, 1)-cycles on the box itself, from p = 0, until what is left is about `enough` long, or
/// float is at its end. The sweep after one cycle and the sweep before the next are one pass, in
/// which we learn how far we are; but where one cycle more is sure to do, we stop after it without
/// asking. Returns whether it should be enough.
inline bool cycles(Solver& solver, double enough, int most) {
    if (solver.grid.levels.size() == 1) {
        return true;
    }
    const double usual_factor = solver.nz > 1 ? 0.18 : 0.145;
    double last = pass(solver, 0, {.from_zero = true, .hand_on = true});
    for (int cycle = 1; true; ++cycle) {
        v_cycle(solver, 1, true);
        const bool sure = usual_factor * usual_factor * last <= enough * enough;
        if (sure || cycle == most) {
            pass(solver, 0, {.correct = true});
            return sure;
        }
        const double left = pass(solver, 0, {.correct = true, .sweeps = 2, .hand_on = true});
        if (left <= enough * enough || left > 0.25 * last) {
            return left <= enough * enough;
        }
        last = left;
    }
}

// ---- The double loop around ---------------------------------------------------------------------

/// A row of p, of an array in the usual order, and the rows around it; where there is a wall, the
/// row itself, so that nothing flows. A flat box has none in front or behind.
template <class Number>
struct Row {
    const Number *p, *up, *down, *front, *back;
    const Number* b;
    int count;
};

template <class Number>
Row<Number> row_at(const Solver& size, const Number* p, const Number* b, int j, int k) {
    const std::ptrdiff_t down = size.nx;
    const std::ptrdiff_t back = down * size.ny;
    const Number* here = p + down * j + back * k;
    return {here,
            j > 0 ? here - down : here,
            j < size.ny - 1 ? here + down : here,
            size.nz == 1 ? nullptr
            : k > 0      ? here - back
                         : here,
            size.nz == 1      ? nullptr
            : k < size.nz - 1 ? here + back
                              : here,
            b + (here - p),
            size.nx};
}

/// Returns the residual of one cell, in double.
template <class Number>
FAST_INSIDE inline double residual_in(const Row<Number>& row, int i, int left, int right,
                                      double average) {
    const double here = row.p[i];
    const double flat =
        (row.p[left] - here) + (row.p[right] - here) + (row.up[i] - here) + (row.down[i] - here);
    const double deep = row.front == nullptr ? 0.0 : (row.front[i] - here) + (row.back[i] - here);
    return (row.b[i] - average) + (flat + deep);
}

template <class Number>
FAST_INSIDE inline void residual_of(const Row<Number>& row, double average, float* __restrict r) {
    const int last = row.count - 1;
    for (int i = 1; i < last; ++i) {
        r[i] = static_cast<float>(residual_in(row, i, i - 1, i + 1, average));
    }
    r[last] = static_cast<float>(residual_in(row, last, std::max(0, last - 1), last, average));
    r[0] = static_cast<float>(residual_in(row, 0, 0, std::min(1, last), average));
}

// One for each precision: a template cannot be cloned.
FAST_WIDTHS inline void residual_row(const Row<double>& row, double average, float* r) {
    residual_of(row, average, r);
}
FAST_WIDTHS inline void residual_row(const Row<float>& row, double average, float* r) {
    residual_of(row, average, r);
}

template <class Number>
FAST_INSIDE inline void subtract_average(const Row<Number>& row, double average,
                                         float* __restrict r) {
    for (int i = 0; i < row.count; ++i) {
        r[i] = static_cast<float>(row.b[i] - average);
    }
}

FAST_WIDTHS inline void subtract_row(const Row<double>& row, double average, float* r) {
    subtract_average(row, average, r);
}
FAST_WIDTHS inline void subtract_row(const Row<float>& row, double average, float* r) {
    subtract_average(row, average, r);
}

/// What some numbers add up to, their sizes, and their squares.
struct Sums {
    double sum = 0.0, size = 0.0, squares = 0.0;
};

/// Adds up what `of` makes of each value, by way of eight sums side by side.
template <class Number, class Of>
FAST_INSIDE inline double sum_of(const Number* values, int count, Of of) {
    double lanes[8] = {};
    int n = 0;
    for (; n + 8 <= count; n += 8) {
        for (int lane = 0; lane < 8; ++lane) {
            lanes[lane] += of(static_cast<double>(values[n + lane]));
        }
    }
    double sum = 0.0;
    for (; n < count; ++n) {
        sum += of(static_cast<double>(values[n]));
    }
    for (const double lane : lanes) {
        sum += lane;
    }
    return sum;
}

template <class Number>
FAST_INSIDE inline Sums sums_in(const Number* values, int count) {
    return {sum_of(values, count, [](double value) { return value; }),
            sum_of(values, count, [](double value) { return std::abs(value); }),
            sum_of(values, count, [](double value) { return value * value; })};
}

FAST_WIDTHS inline Sums sums_of(const double* values, int count) {
    return sums_in(values, count);
}
FAST_WIDTHS inline Sums sums_of(const float* values, int count) {
    return sums_in(values, count);
}

template <class Number>
FAST_INSIDE inline void add_to(Number* __restrict p, const float* __restrict correction,
                               int count) {
    for (int i = 0; i < count; ++i) {
        p[i] += correction[i];
    }
}

FAST_WIDTHS inline void add_row(double* p, const float* correction, int count) {
    add_to(p, correction, count);
}
FAST_WIDTHS inline void add_row(float* p, const float* correction, int count) {
    add_to(p, correction, count);
}

/// Adds the correction that the cycles found to row (j, k) of p, or puts it there.
template <class Number>
void take_correction(const Solver& solver, Number* p, int j, int k, bool first, Scratch& scratch) {
    const Box& found = solver.grid.levels[0].p;
    const int pairs = (solver.nx + 1) / 2;
    scratch.all.resize(2 * pairs);
    join(found.at((j + k) & 1, j, k), found.at((j + k + 1) & 1, j, k), scratch.all.data(), pairs);
    Number* row = p + (static_cast<std::ptrdiff_t>(k) * solver.ny + j) * solver.nx;
    if (first) {
        std::copy_n(scratch.all.data(), solver.nx, row);
    } else {
        add_row(row, scratch.all.data(), solver.nx);
    }
}

/// Hands row (j, k) of the residual r to the cycles.
inline void hand_row(Solver& solver, const float* r, int j, int k) {
    Box& to_do = solver.grid.levels[0].b;
    const int pairs = solver.nx / 2;
    float* even = to_do.at((j + k) & 1, j, k);
    split(r, even, to_do.at((j + k + 1) & 1, j, k), pairs);
    if (solver.nx % 2 == 1) {
        even[pairs] = r[solver.nx - 1];
    }
}

/// Which parts `look_back` has.
struct Look {
    bool take = false;  ///< takes the cycles' correction into p
    bool first = false;  ///< p is 0 up to now, though nobody has set it
    bool hand = false;  ///< hands the residual to the cycles
};

/// Returns the length of the residual b - A p, computed in double from p as it is stored, all in
/// one pass.
template <class Number>
double look_back(Solver& solver, Number* p, const Number* b, const Look& look) {
    const bool deep = solver.nz > 1;
    const int first = look.take ? 1 : 0;
    wavefront(solver.pool, solver.units(), first + 1, [&](int stage, int unit, int thread) {
        Scratch& scratch = solver.grid.scratch[thread];
        scratch.part.resize(solver.nx);
        double squares = 0.0;
        for (int row = 0; row < (deep ? solver.ny : 1); ++row) {
            const int j = deep ? row : unit;
            const int k = deep ? unit : 0;
            if (stage < first) {
                take_correction(solver, p, j, k, look.first, scratch);
                continue;
            }
            const Row<Number> cells = row_at(solver, p, b, j, k);
            if (look.first && !look.take) {
                subtract_row(cells, solver.average, scratch.part.data());
            } else {
                residual_row(cells, solver.average, scratch.part.data());
            }
            squares += sum_of_squares(scratch.part.data(), solver.nx);
            if (look.hand) {
                hand_row(solver, scratch.part.data(), j, k);
            }
        }
        solver.grid.squares[unit] = squares;
    });
    double sum = 0.0;
    for (int unit = 0; unit < solver.units(); ++unit) {
        sum += solver.grid.squares[unit];
    }
    solver.work += look.take ? 1.5 : look.first ? 0.5 : 1.0;
    return std::sqrt(sum);
}

/// Finds the average of b, and how far b is from having none. Returns the sum of the squares
/// without it. On the way b is handed to the cycles as it is.
template <class Number>
double take_over(Solver& solver, const Number* b) {
    const bool deep = solver.nz > 1;
    std::vector<Sums> sums(solver.units());
    wavefront(solver.pool, solver.units(), 1, [&](int, int unit, int thread) {
        Scratch& scratch = solver.grid.scratch[thread];
        scratch.part.resize(solver.nx);
        for (int row = 0; row < (deep ? solver.ny : 1); ++row) {
            const int j = deep ? row : unit;
            const int k = deep ? unit : 0;
            const Row<Number> cells = row_at(solver, b, b, j, k);
            subtract_row(cells, 0.0, scratch.part.data());
            hand_row(solver, scratch.part.data(), j, k);
            const Sums some = sums_of(cells.b, solver.nx);
            sums[unit].sum += some.sum;
            sums[unit].size += some.size;
            sums[unit].squares += some.squares;
        }
    });
    Sums all;
    for (const Sums& one : sums) {
        all.sum += one.sum;
        all.size += one.size;
        all.squares += one.squares;
    }
    solver.average = all.sum / (static_cast<double>(solver.nx) * solver.ny * solver.nz);
    solver.compatibility_defect = all.size > 0.0 ? std::abs(all.sum) / all.size : 0.0;
    return all.squares - all.sum * solver.average;
}

/// Gets ready to solve A p = b for arrays of nx * ny * nz numbers. As long as nothing else is asked
/// of the solver, `improve` may follow, with the same arrays. Returns the residual at p = 0: 1, or
/// 0 if there is nothing to do; p itself is set by the first improvement.
template <class Number>
double begin(Solver& solver, Number* p, const Number* b) {
    solver.work = 0.5;
    solver.begun = false;
    const double squares = take_over(solver, b);
    solver.start = squares < 0.0 ? 0.0 : std::sqrt(squares);
    if (solver.compatibility_defect > 1e-7) {  // else float sees no difference
        solver.start = look_back(solver, p, b, {.first = true, .hand = true});
    }
    if (!(solver.start > 0.0)) {
        std::fill_n(p, static_cast<std::ptrdiff_t>(solver.nx) * solver.ny * solver.nz, Number(0));
    }
    return solver.start / (solver.start > 0.0 ? solver.start : 1.0);  // NaN stays NaN
}

/// Improves p by at most so many V-cycles in float, until the residual is about `enough`. Returns
/// the residual: the length of b - A p over that of b, in double. `before` is what it was.
template <class Number>
double improve(Solver& solver, Number* p, const Number* b, double before, double enough, int most) {
    if (!(before > 0.0)) {
        return before;
    }
    const double least = 0.5e-4 * before;  // more is not to be had of float
    const bool done =
        cycles(solver, std::max(enough, least) * solver.start, most) && enough >= least;
    const bool first = !solver.begun;
    solver.begun = true;
    const double after =
        look_back(solver, p, b, {.take = true, .first = first, .hand = !done}) / solver.start;
    if (done && after > 1.25 * enough) {
        look_back(solver, p, b, {.hand = true});
    }
    return after;
}

/// Solves A p = b, from p = 0, until the residual is at most `tolerance` or does not get smaller
/// any more. A b that does not add up to 0 has no solution: then solver.compatibility_defect tells,
/// and p solves for b without its average. Returns the residuals: 1, and then one for each time
/// that we looked.
template <class Number>
std::vector<double> solve(Solver& solver, Number* p, const Number* b, double tolerance) {
    std::vector<double> residuals = {begin(solver, p, b)};
    while (residuals.back() > tolerance) {
        const double before = residuals.back();
        residuals.push_back(improve(solver, p, b, before, 0.8 * tolerance, 12));
        if (!(residuals.back() < 0.5 * before)) {
            break;
        }
    }
    return residuals;
}

// ---- A flat fluid ------------------------------------------------------------------------------

/// A fluid in a flat box without solid cells, in float: u on the nx + 1 by ny faces
/// that look right, v on the nx by ny + 1 that look down, in cells per second. All rows lie one
/// after the other, i fastest.
struct Flow {
    int nx, ny;
    std::vector<float> u, v, density, p, b;
    std::vector<float> u_before, v_before, density_before;
    float tolerance = 1e-4f;
    std::vector<double> residuals;  ///< of the last projection
    Solver solver;

    Flow(int columns, int rows, int threads)
        : nx(columns), ny(rows), u((nx + 1) * ny), v(nx * (ny + 1)), density(nx * ny), p(nx * ny),
          b(nx * ny), solver(nx, ny, 1, threads) {}
};

/// Fills one row of a field with what was upstream of each of its points: go[0] cells to the left
/// and go[1] up. The field as it was has nx x ny points, and this is its row j, from its point
/// `first` on.
FAST_WIDTHS inline void carry_row(const float* __restrict before, int nx, int ny,
                                  const float* __restrict go_x, const float* __restrict go_y, int j,
                                  int first, int count, float* __restrict row) {
    const float last_x = static_cast<float>(nx - 1);
    const float last_y = static_cast<float>(ny - 1);
    for (int m = 0; m < count; ++m) {
        const float from_x = static_cast<float>(first + m) - go_x[m];
        const float from_y = static_cast<float>(j) - go_y[m];
        const float high_x = from_x > 0.0f ? from_x : 0.0f;
        const float high_y = from_y > 0.0f ? from_y : 0.0f;
        const float x = high_x < last_x ? high_x : last_x;
        const float y = high_y < last_y ? high_y : last_y;
        const int i0 = static_cast<int>(x);
        const int j0 = static_cast<int>(y);
        const int i1 = i0 + 1 < nx ? i0 + 1 : i0;
        const int j1 = j0 + 1 < ny ? j0 + 1 : j0;
        const float s = x - static_cast<float>(i0);
        const float t = y - static_cast<float>(j0);
        row[m] = (1.0f - t) * ((1.0f - s) * before[i0 + nx * j0] + s * before[i1 + nx * j0]) +
                 t * ((1.0f - s) * before[i0 + nx * j1] + s * before[i1 + nx * j1]);
    }
}

/// The averages of two rows, each times a factor: of one point and the next, and of both rows' two.
FAST_WIDTHS inline void average_two(const float* __restrict one, const float* __restrict two,
                                    float factor, int count, float* __restrict result) {
    for (int m = 0; m < count; ++m) {
        result[m] = factor * 0.5f * (one[m] + two[m]);
    }
}

FAST_WIDTHS inline void average_four(const float* __restrict one, const float* __restrict two,
                                     float factor, int count, float* __restrict result) {
    for (int m = 0; m < count; ++m) {
        result[m] = factor * 0.25f * ((one[m] + one[m + 1]) + (two[m] + two[m + 1]));
    }
}

/// Carries u and v along themselves for dt seconds. The faces of the walls stay closed.
inline void carry_velocity(Flow& flow, float dt) {
    const int nx = flow.nx;
    flow.u_before = flow.u;
    flow.v_before = flow.v;
    const float* u = flow.u_before.data();
    const float* v = flow.v_before.data();
    wavefront(flow.solver.pool, flow.ny, 1, [&](int, int j, int thread) {
        Scratch& scratch = flow.solver.grid.scratch[thread];
        scratch.all.resize(nx + 1);
        scratch.part.resize(nx + 1);
        const float* u_row = u + (nx + 1) * j;
        average_two(u_row + 1, u_row + 1, dt, nx - 1, scratch.all.data());
        average_four(v + nx * j, v + nx * (j + 1), dt, nx - 1, scratch.part.data());
        carry_row(u, nx + 1, flow.ny, scratch.all.data(), scratch.part.data(), j, 1, nx - 1,
                  flow.u.data() + (nx + 1) * j + 1);
        if (j > 0) {
            average_four(u_row - (nx + 1), u_row, dt, nx, scratch.all.data());
            average_two(v + nx * j, v + nx * j, dt, nx, scratch.part.data());
            carry_row(v, nx, flow.ny + 1, scratch.all.data(), scratch.part.data(), j, 0, nx,
                      flow.v.data() + nx * j);
        }
    });
}

/// Carries the dye along the velocity.
inline void carry_density(Flow& flow, float dt) {
    const int nx = flow.nx;
    flow.density_before = flow.density;
    wavefront(flow.solver.pool, flow.ny, 1, [&](int, int j, int thread) {
        Scratch& scratch = flow.solver.grid.scratch[thread];
        scratch.all.resize(nx + 1);
        scratch.part.resize(nx + 1);
        const float* u_row = flow.u.data() + (nx + 1) * j;
        const float* v_row = flow.v.data() + nx * j;
        average_two(u_row, u_row + 1, dt, nx, scratch.all.data());
        average_two(v_row, v_row + nx, dt, nx, scratch.part.data());
        carry_row(flow.density_before.data(), nx, flow.ny, scratch.all.data(), scratch.part.data(),
                  j, 0, nx, flow.density.data() + nx * j);
    });
}

FAST_WIDTHS inline void outflow_row(const float* __restrict u, const float* __restrict v_above,
                                    const float* __restrict v_below, int count,
                                    float* __restrict b) {
    for (int i = 0; i < count; ++i) {
        b[i] = -((u[i + 1] - u[i]) + (v_below[i] - v_above[i]));
    }
}

FAST_WIDTHS inline void push_row(const float* __restrict behind, const float* __restrict ahead,
                                 int count, float* __restrict velocity) {
    for (int i = 0; i < count; ++i) {
        velocity[i] -= ahead[i] - behind[i];
    }
}

/// Takes the divergence out of the velocity, but for the tolerance. p is in such a unit that its
/// difference between two cells is the change of velocity on the face between them.
inline void project(Flow& flow) {
    const int nx = flow.nx;
    wavefront(flow.solver.pool, flow.ny, 1, [&](int, int j, int) {
        outflow_row(flow.u.data() + (nx + 1) * j, flow.v.data() + nx * j,
                    flow.v.data() + nx * (j + 1), nx, flow.b.data() + nx * j);
    });
    flow.residuals = solve(flow.solver, flow.p.data(), flow.b.data(), flow.tolerance);
    wavefront(flow.solver.pool, flow.ny, 1, [&](int, int j, int) {
        const float* p = flow.p.data() + nx * j;
        push_row(p, p + 1, nx - 1, flow.u.data() + (nx + 1) * j + 1);
        if (j > 0) {
            push_row(p - nx, p, nx, flow.v.data() + nx * j);
        }
    });
}

/// Lets dt seconds pass.
inline void step(Flow& flow, float dt) {
    carry_velocity(flow, dt);
    project(flow);
    carry_density(flow, dt);
}

}  // namespace fast
