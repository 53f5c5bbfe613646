// Loops over a row of places. This file is compiled several times, under the name ROWS_NAME:
// nothing in it may be seen from outside but that table.
#include "library/src/rows.hpp"

#ifndef ROWS_NAME
#define ROWS_NAME rows_base
#endif

// No turn of the loop after it reads what another one writes, though the compiler cannot know.
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define INDEPENDENT __pragma(loop(ivdep))
#else
#define INDEPENDENT
#endif

namespace box {
namespace {

/// So many places are done side by side at most, and sums are kept for so many.
constexpr int lanes = 16;

/// Any operation, place after place. It works on a copy, which no store can change.
template <class Op>
void each(const Op& given, int j, int k) {
    const Op op = given;
    const int last = op.over.x.last;
    INDEPENDENT
    for (int i = op.over.x.first; i <= last; ++i) {
        op(i, j, k);
    }
}

/// One mirror after the other: no place along a row has to do with another one, but where the row
/// lies along the axis itself, which is then one line.
void set_bnd(const SetBnd& op, int j, int k) {
    if (op.axis == 0) {
        op(0, j, k);
        return;
    }
    const int first = op.over.x.first;
    const int count = op.over.x.last - first + 1;
    for (int n = 0; n < op.count; ++n) {
        const Mirror m = op.mirrors[n];
        float* const to = op.axis == 1 ? &op.x(first, m.at, k) : &op.x(first, j, m.at);
        const float* const from = op.axis == 1 ? &op.x(first, m.from, k) : &op.x(first, j, m.from);
        if (m.times == 0.0f) {
            for (int i = 0; i < count; ++i) {
                to[i] = 0.0f + m.plus;
            }
            continue;
        }
        INDEPENDENT
        for (int i = 0; i < count; ++i) {
            to[i] = m.times * from[i] + m.plus;
        }
    }
}

template <int where, int together, bool deep, class Op>
void carry(const Op& given, int j, int k) {
    const Op op = given;
    const int last = op.over.x.last;
    INDEPENDENT
    for (int i = op.over.x.first; i <= last; ++i) {
        op.template cell<where, together, deep>(i, j, k);
    }
}

/// Scalars, as many together as `op` says, which are `together` or more.
template <int together, bool deep, class Op>
void carry_scalars(const Op& op, int j, int k) {
    if constexpr (together < Op::most) {
        if (op.count > together) {
            carry_scalars<together + 1, deep>(op, j, k);
            return;
        }
    }
    carry<AT_CENTRE, together, deep>(op, j, k);
}

/// Advect or Correct, as its kind of place asks.
template <class Op>
void carry_any(const Op& op, int j, int k) {
    if (op.flow.deep) {
        op.where == ON_X   ? carry<ON_X, 1, true>(op, j, k)
        : op.where == ON_Y ? carry<ON_Y, 1, true>(op, j, k)
        : op.where == ON_Z ? carry<ON_Z, 1, true>(op, j, k)
                           : carry_scalars<1, true>(op, j, k);
    } else {
        op.where == ON_X   ? carry<ON_X, 1, false>(op, j, k)
        : op.where == ON_Y ? carry<ON_Y, 1, false>(op, j, k)
                           : carry_scalars<1, false>(op, j, k);
    }
}

/// So many places of a row are done at a time where something is kept in between.
constexpr int chunk = 512;

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define REGISTERS
#endif
#endif

#ifdef REGISTERS

/// So many floats go into a register.
#if defined(__AVX512F__)
constexpr int widest = 16;
#elif defined(__AVX__)
constexpr int widest = 8;
#else
constexpr int widest = 4;
#endif

/// So many floats in a register, as a type.
template <int count>
struct Width {
    static constexpr int floats = count;
};

/// Calls `work` with the width of the widest registers that a row of `count` places fills. Returns
/// whether there are any.
template <class Work>
bool with_registers(int count, const Work& work) {
#ifdef __AVX512F__
    if (count >= 16) {
        work(Width<16>());
        return true;
    }
#endif
#ifdef __AVX__
    if (count >= 8) {
        work(Width<8>());
        return true;
    }
#endif
    if (count >= 4) {
        work(Width<4>());
        return true;
    }
    return false;
}

/// A register of floats, and one of as many integers, which select floats.
template <int width>
struct Register;
template <>
struct Register<4> {
    typedef float Floats __attribute__((vector_size(16)));
    typedef int Bits __attribute__((vector_size(16)));
    static constexpr Bits even = {-1, 0, -1, 0};
    static constexpr Bits counted = {0, 1, 2, 3};
};
#ifdef __AVX__
template <>
struct Register<8> {
    typedef float Floats __attribute__((vector_size(32)));
    typedef int Bits __attribute__((vector_size(32)));
    static constexpr Bits even = {-1, 0, -1, 0, -1, 0, -1, 0};
    static constexpr Bits counted = {0, 1, 2, 3, 4, 5, 6, 7};
};
#endif
#ifdef __AVX512F__
template <>
struct Register<16> {
    typedef float Floats __attribute__((vector_size(64)));
    typedef int Bits __attribute__((vector_size(64)));
    static constexpr Bits even = {-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0};
    static constexpr Bits counted = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
};
#endif

template <class Floats>
CELL void load(Floats& to, const float* from) {
    __builtin_memcpy(&to, from, sizeof to);
}

/// The floats one place to the left of those in `here`: the last one before it, then its own.
template <class Floats>
CELL void from_left(Floats& to, const Floats& before, const Floats& here) {
    if constexpr (sizeof(Floats) == 64) {
        to = __builtin_shufflevector(before, here, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                     27, 28, 29, 30);
    } else if constexpr (sizeof(Floats) == 32) {
        to = __builtin_shufflevector(before, here, 7, 8, 9, 10, 11, 12, 13, 14);
    } else {
        to = __builtin_shufflevector(before, here, 3, 4, 5, 6);
    }
}

/// The floats one place to the right: its own but for the first, then the first one after it.
template <class Floats>
CELL void from_right(Floats& to, const Floats& here, const Floats& after) {
    if constexpr (sizeof(Floats) == 64) {
        to = __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                     16);
    } else if constexpr (sizeof(Floats) == 32) {
        to = __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8);
    } else {
        to = __builtin_shufflevector(here, after, 1, 2, 3, 4);
    }
}

/// Loads the neighbours along y and z of the places from `here` on.
template <bool deep, class Floats>
CELL void load_aside(Neighbours<Floats>& near, const float* here, int row, int layer) {
    load(near.before_y, here - row);
    load(near.after_y, here + row);
    if constexpr (deep) {
        load(near.before_z, here - layer);
        load(near.after_z, here + layer);
    }
}

/// Relaxes a row of `count` places, as many as a register holds or more. All places are computed,
/// and those of the colour are kept. What was just written, and lies in part in what is read next,
/// would have to be waited for. So what is to the left of a register is read before the register
/// there is written, where no neighbour of the colour changes; and the last register, which the
/// others may reach into, comes first.
template <int width, bool deep>
void relax_registers(const Relax& op, int first, int count, int j, int k) {
    using Floats = typename Register<width>::Floats;
    using Bits = typename Register<width>::Bits;
    const Equations& e = op.equations;
    const float omega = op.omega;
    const Weights weight = {e.x.weight, e.y.weight, e.z.weight};
    const int row = op.x.row;
    const int layer = op.x.layer;
    float* const x = &op.x(first, j, k);
    const float* const b = &op.b(first, j, k);
    const auto relax_at = [&](int n, const Floats& left, const Floats& inverse, const Bits& keep)
        __attribute__((always_inline)) {
        Floats here, of_b;
        Neighbours<Floats> near;
        near.before_x = left;
        load(here, x + n);
        load(near.after_x, x + n + 1);
        load(of_b, b + n);
        load_aside<deep>(near, x + n, row, layer);
        const Floats sum = sum_of<deep>(near, weight);
        const Floats relaxed = relaxed_from(here, of_b, sum, inverse, omega);
        const Floats kept = keep != 0 ? relaxed : here;
        __builtin_memcpy(x + n, &kept, sizeof kept);
    };

    // The first and the last place have diagonals of their own.
    const auto inverse_at = [&](int n) { return inverse_of(diagonal(e, first + n, j, k)); };
    const Floats inner = Floats{} + inverse_at(1);
    Floats inverse = inner;
    inverse[0] = inverse_at(0);
    const bool odd = ((first + j + k + op.colour) & 1) != 0;
    const Bits even_lanes = Register<width>::even;
    const Bits all = odd ? ~even_lanes : even_lanes;

    const int last = count - width;
    Floats left;
    Floats next_left;
    load(next_left, x - 1);
    load(left, x + last - 1);
    Floats inverse_last = last == 0 ? inverse : inner;
    inverse_last[width - 1] = inverse_at(count - 1);
    const Bits all_last = (last & 1) != 0 ? ~all : all;
    relax_at(last, left, inverse_last, all_last);
    int n = 0;
    for (; n + width <= last; n += width) {
        left = next_left;
        load(next_left, x + n + width - 1);
        relax_at(n, left, inverse, all);
        inverse = inner;
    }
    if (n < last) {
        const Bits counted = Register<width>::counted;
        relax_at(n, next_left, inverse, all & (counted < last - n));
    }
}

/// Relaxes a row that nobody else looks at meanwhile. Returns whether it did: not if it is short.
template <bool deep>
bool relax_quickly(const Relax& op, int j, int k) {
    const Range range = op.equations.x.range;
    const int count = range.last - range.first + 1;
    return with_registers(count, [&](auto width) {
        relax_registers<decltype(width)::floats, deep>(op, range.first, count, j, k);
    });
}

#else

/// Relaxes the places from first to last of a row, none of them at its ends: they have one
/// diagonal. All of them are computed, and those of the colour are kept. Not at once: a place that
/// was just written cannot be read together with one that was not without waiting for it.
template <bool deep>
void relax_chunk(const Relax& op, float inverse, int first, int last, int j, int k) {
    float values[chunk];
    float* const x = &op.x(first, j, k);
    const int count = last - first + 1;
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        values[n] = relaxed<deep>(op.equations, op.x, op.b, op.omega, inverse, first + n, j, k);
    }
    const int odd = (first + j + k + op.colour) & 1;
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        x[n] = (n & 1) == odd ? values[n] : x[n];
    }
}

template <bool deep>
bool relax_quickly(const Relax& given, int j, int k) {
    const Relax op = given;
    const Range range = op.equations.x.range;
    if (range.last - range.first < 2) {
        return false;
    }
    op(range.first, j, k);
    const float inverse = inverse_of(diagonal(op.equations, range.first + 1, j, k));
    for (int from = range.first + 1; from < range.last; from += chunk) {
        const int to = from + chunk - 1 < range.last - 1 ? from + chunk - 1 : range.last - 1;
        relax_chunk<deep>(op, inverse, from, to, j, k);
    }
    op(range.last, j, k);
    return true;
}

#endif

/// The places of one colour between the first and the last of a row, which have the same diagonal.
template <bool deep>
void relax_between(const Relax& given, int j, int k) {
    const Relax op = given;
    const Equations& e = op.equations;
    const int first = e.x.range.first + 1;
    const int last = e.x.range.last - 1;
    const float inverse = inverse_of(diagonal(e, first, j, k));
    for (int i = first + ((first + j + k + op.colour) & 1); i <= last; i += 2) {
        op.x(i, j, k) = relaxed<deep>(e, op.x, op.b, op.omega, inverse, i, j, k);
    }
}

void relax(const Relax& op, int j, int k, bool alone) {
    const bool deep = op.equations.deep;
    if (alone && (deep ? relax_quickly<true>(op, j, k) : relax_quickly<false>(op, j, k))) {
        return;
    }
    const Range range = op.equations.x.range;
    if (range.first > range.last) {
        return;
    }
    op(range.first, j, k);
    if (range.last - range.first > 1) {
        deep ? relax_between<true>(op, j, k) : relax_between<false>(op, j, k);
    }
    if (range.last > range.first) {
        op(range.last, j, k);
    }
}

template <bool deep>
void residual_between(const Residual& given, int j, int k) {
    const Residual op = given;
    const Equations& e = op.equations;
    const int last = e.x.range.last - 1;
    const float middle = diagonal(e, e.x.range.first + 1, j, k);
    INDEPENDENT
    for (int i = e.x.range.first + 1; i <= last; ++i) {
        op.r(i, j, k) =
            left_over(op.x(i, j, k), op.b(i, j, k), neighbours<deep>(e, op.x, i, j, k), middle);
    }
}

#ifdef REGISTERS

/// Residual, on registers that lie as those of relax_registers: so what that has written is read as
/// it was written, at once.
template <int width, bool deep>
void residual_registers(const Residual& op, int first, int count, int j, int k) {
    using Floats = typename Register<width>::Floats;
    const Equations& e = op.equations;
    const Weights weight = {e.x.weight, e.y.weight, e.z.weight};
    const int row = op.x.row;
    const int layer = op.x.layer;
    const float* const x = &op.x(first, j, k);
    const float* const b = &op.b(first, j, k);
    float* const r = &op.r(first, j, k);
    const auto diagonal_at = [&](int n) { return diagonal(e, first + n, j, k); };
    const Floats inner = Floats{} + diagonal_at(1);
    Floats middle = inner;
    middle[0] = diagonal_at(0);
    Floats middle_last = count == width ? middle : inner;
    middle_last[width - 1] = diagonal_at(count - 1);
    Floats before = {};
    before[width - 1] = x[-1];
    for (int n = 0; n < count; n += width) {
        if (n + width >= count) {
            n = count - width;
            before[width - 1] = x[n - 1];
            middle = middle_last;
        }
        Floats here, of_b;
        Neighbours<Floats> near;
        Floats after = {};
        after[0] = x[n + width];
        load(here, x + n);
        from_left(near.before_x, before, here);
        from_right(near.after_x, here, after);
        load(of_b, b + n);
        load_aside<deep>(near, x + n, row, layer);
        const Floats left = left_over(here, of_b, sum_of<deep>(near, weight), middle);
        __builtin_memcpy(r + n, &left, sizeof left);
        before = here;
        middle = inner;
    }
}

#endif

/// Works out a row of it, if it is long enough for registers. Returns whether it was.
template <bool deep>
bool residual_quickly([[maybe_unused]] const Residual& op, [[maybe_unused]] int j,
                      [[maybe_unused]] int k) {
#ifdef REGISTERS
    const Range range = op.equations.x.range;
    const int count = range.last - range.first + 1;
    return with_registers(count, [&](auto width) {
        residual_registers<decltype(width)::floats, deep>(op, range.first, count, j, k);
    });
#else
    return false;
#endif
}

void residual(const Residual& op, int j, int k) {
    if (op.equations.deep ? residual_quickly<true>(op, j, k) : residual_quickly<false>(op, j, k)) {
        return;
    }
    const Range range = op.equations.x.range;
    if (range.first > range.last) {
        return;
    }
    op(range.first, j, k);
    if (range.last - range.first > 1) {
        op.equations.deep ? residual_between<true>(op, j, k) : residual_between<false>(op, j, k);
    }
    if (range.last > range.first) {
        op(range.last, j, k);
    }
}

/// Restricts from `rows` x `layers` fine rows, two places of each: they all count whole. Where the
/// number of fine places is odd, there is one under the last coarse place.
template <int rows, int layers>
void restrict_whole(const Restrict& given, int j, int k) {
    const Restrict op = given;
    const int pairs = op.nx / 2;
    INDEPENDENT
    for (int i = 0; i < pairs; ++i) {
        float sum = 0.0f;
        for (int c = 0; c < layers; ++c) {
            for (int q = 0; q < rows; ++q) {
                const float* r = &op.r(2 * i, rows * j + q, layers * k + c);
                sum = sum + r[0] + r[1];
            }
        }
        op.b(i, j, k) = sum;
    }
    if (op.nx % 2 == 1) {
        op(pairs, j, k);
    }
}

void restrict_to(const Restrict& op, int j, int k) {
    const bool whole = op.ratio_x == 2.0f && op.ratio_y == 2.0f && 2 * j + 1 < op.ny;
    if (whole && op.ratio_z == 2.0f && 2 * k + 1 < op.nz) {
        restrict_whole<2, 2>(op, j, k);
    } else if (whole && op.ratio_z == 1.0f) {
        restrict_whole<2, 1>(op, j, k);
    } else {
        each(op, j, k);
    }
}

/// Prolongs to a row whose box has twice as many places: `first`, an even one, and so many pairs.
template <bool deep>
void prolong_pairs(const Prolong& op, int first, int pairs, int j, int k) {
    float between[chunk + 2];
    float* const mixed = between + 1;  // mixed[m] is the coarse place over the pair m
    const Place in_y = among(j, op.ratio_y);
    const Place in_z = deep ? among(k, op.ratio_z) : Place{0, 0.0f};
    INDEPENDENT
    for (int m = -1; m <= pairs; ++m) {
        mixed[m] = between_rows<deep>(op.coarse, first / 2 + m, in_y, in_z);
    }
    float* const x = &op.x(first, j, k);
    INDEPENDENT
    for (int m = 0; m < pairs; ++m) {
        const float to_left = mixed[m - 1] + 0.75f * (mixed[m] - mixed[m - 1]);
        const float to_right = mixed[m] + 0.25f * (mixed[m + 1] - mixed[m]);
        x[2 * m] += to_left;
        x[2 * m + 1] += to_right;
    }
}

/// Prolongs to a row: by pairs(op, first, count) where its box has twice as many places along it.
template <class Op, class Pairs>
void prolong_row(const Op& given, int j, int k, const Pairs& pairs_of) {
    const Op op = given;
    const int count = op.over.x.last + 1;
    if (op.ratio_x != 2.0f) {
        each(op, j, k);
        return;
    }
    for (int first = 0; first < count; first += 2 * chunk) {
        const int pairs = (count - first) / 2 < chunk ? (count - first) / 2 : chunk;
        pairs_of(op, first, pairs);
    }
    if (count % 2 == 1) {
        op(count - 1, j, k);
    }
}

void prolong(const Prolong& given, int j, int k) {
    prolong_row(given, j, k, [&](const Prolong& op, int first, int pairs) {
        op.deep ? prolong_pairs<true>(op, first, pairs, j, k)
                : prolong_pairs<false>(op, first, pairs, j, k);
    });
}

#ifdef REGISTERS

/// Adds the squares of `count` values, a multiple of sixteen, to sixteen sums side by side.
CELL void add_squares(const float* values, int count, float* sums) {
    using Floats = Register<widest>::Floats;
    constexpr int registers = lanes / widest;
    Floats all[registers];
    __builtin_memcpy(all, sums, sizeof all);
    for (int n = 0; n < count; n += lanes) {
        for (int part = 0; part < registers; ++part) {
            Floats here;
            load(here, values + n + part * widest);
            all[part] += here * here;
        }
    }
    __builtin_memcpy(sums, all, sizeof all);
}

/// Adds the energies of `count` faces, a multiple of sixteen, to sixteen sums of each kind.
CELL void add_energies(const float* before, const float* linear, const float* corrected, int count,
                       float sums[4][lanes]) {
    using Floats = Register<widest>::Floats;
    for (int part = 0; part < lanes; part += widest) {
        Floats of_before = {};
        Floats of_linear = {};
        Floats of_both = {};
        Floats of_correction = {};
        for (int n = part; n < count; n += lanes) {
            Floats was, f, g;
            load(was, before + n);
            load(f, linear + n);
            load(g, corrected + n);
            const EnergyParts<Floats> parts(was, f, g - f);
            of_before += parts.before;
            of_linear += parts.linear;
            of_both += parts.both;
            of_correction += parts.correction;
        }
        __builtin_memcpy(sums[0] + part, &of_before, sizeof of_before);
        __builtin_memcpy(sums[1] + part, &of_linear, sizeof of_linear);
        __builtin_memcpy(sums[2] + part, &of_both, sizeof of_both);
        __builtin_memcpy(sums[3] + part, &of_correction, sizeof of_correction);
    }
}

#else

CELL void add_squares(const float* values, int count, float* sums) {
    for (int n = 0; n < count; n += lanes) {
        INDEPENDENT
        for (int lane = 0; lane < lanes; ++lane) {
            sums[lane] += values[n + lane] * values[n + lane];
        }
    }
}

CELL void add_energies(const float* before, const float* linear, const float* corrected, int count,
                       float sums[4][lanes]) {
    for (int n = 0; n < count; n += lanes) {
        INDEPENDENT
        for (int lane = 0; lane < lanes; ++lane) {
            const float was = before[n + lane];
            const float f = linear[n + lane];
            const EnergyParts<float> parts(was, f, corrected[n + lane] - f);
            sums[0][lane] += parts.before;
            sums[1][lane] += parts.linear;
            sums[2][lane] += parts.both;
            sums[3][lane] += parts.correction;
        }
    }
}

#endif

/// The squares of some values side by side, by way of sixteen sums.
double squares_of_values(const float* values, int count) {
    float sums[lanes] = {};
    const int whole = count - count % lanes;
    add_squares(values, whole, sums);
    double sum = 0.0;
    for (int n = whole; n < count; ++n) {
        sum += static_cast<double>(values[n]) * static_cast<double>(values[n]);
    }
    for (const float part : sums) {
        sum += static_cast<double>(part);
    }
    return sum;
}

/// The squares of what an operation returns along a row, in the same way.
template <class Op>
double squares(const Op& given, Range range, int j, int k) {
    const Op op = given;
    float values[chunk];
    float sums[lanes] = {};
    double sum = 0.0;
    for (int from = range.first; from <= range.last; from += chunk) {
        const int count = range.last - from + 1 < chunk ? range.last - from + 1 : chunk;
        INDEPENDENT
        for (int n = 0; n < count; ++n) {
            values[n] = op(from + n, j, k);
        }
        const int whole = count - count % lanes;
        add_squares(values, whole, sums);
        for (int n = whole; n < count; ++n) {
            sum += static_cast<double>(values[n]) * static_cast<double>(values[n]);
        }
    }
    for (const float part : sums) {
        sum += static_cast<double>(part);
    }
    return sum;
}

double squares_of_value(const Value& op, int j, int k) {
    const Range range = op.over.x;
    return squares_of_values(&op.x(range.first, j, k), range.last - range.first + 1);
}

double squares_of_residual(const Residual& op, int j, int k) {
    residual(op, j, k);
    const Range range = op.equations.x.range;
    return squares_of_values(&op.r(range.first, j, k), range.last - range.first + 1);
}

double squares_of_divergence(const Divergence& op, int j, int k) {
    return squares(op, op.over.x, j, k);
}

double squares_of_faces(const FaceValue& op, int j, int k) {
    return squares(op, op.over.x, j, k);
}

/// Whether all values of a row are 1.
bool all_one(const Array& x, Range range, int j, int k) {
    const float* const values = &x(0, j, k);
    int others = 0;
    for (int i = range.first; i <= range.last; ++i) {
        others += values[i] == 1.0f ? 0 : 1;
    }
    return others == 0;
}

double in_double(const float sums[lanes]) {
    double sum = 0.0;
    for (int lane = 0; lane < lanes; ++lane) {
        sum += static_cast<double>(sums[lane]);
    }
    return sum;
}

/// Adds up the energies of a row, by way of sixteen sums of each kind. Most rows are not near a
/// solid.
Energies energies(const Energy& given, int j, int k) {
    const Range range = given.over.x;
    Energies all;
    int i = range.first;
    if (given.open.data == nullptr || all_one(given.open, range, j, k)) {
        float sums[4][lanes] = {};
        const int whole = (range.last - range.first + 1) / lanes * lanes;
        i += whole;
        add_energies(&given.before(range.first, j, k), &given.linear(range.first, j, k),
                     &given.corrected(range.first, j, k), whole, sums);
        all = {in_double(sums[0]), in_double(sums[1]), in_double(sums[2]), in_double(sums[3])};
    }
    for (; i <= range.last; ++i) {
        const Energy::Parts parts = given(i, j, k);
        all += {static_cast<double>(parts.before), static_cast<double>(parts.linear),
                static_cast<double>(parts.both), static_cast<double>(parts.correction)};
    }
    return all;
}

template <class Op>
double sum(const Op& given, int j, int k) {
    const Op op = given;
    double sums[lanes] = {};
    int i = op.over.x.first;
    for (; i + lanes - 1 <= op.over.x.last; i += lanes) {
        INDEPENDENT
        for (int lane = 0; lane < lanes; ++lane) {
            sums[lane] += static_cast<double>(op(i + lane, j, k));
        }
    }
    double sum = 0.0;
    for (; i <= op.over.x.last; ++i) {
        sum += static_cast<double>(op(i, j, k));
    }
    for (const double part : sums) {
        sum += part;
    }
    return sum;
}

/// A value that is not finite makes `poison` not a number, and that stays so.
double largest(const Value& op, int j, int k) {
    const Range range = op.over.x;
    const int count = range.last - range.first + 1;
    const float* const values = &op.x(range.first, j, k);
    float all = 0.0f;
    float poison = 0.0f;
    const auto look_at = [&](float value) {
        all = larger(all, value < 0.0f ? -value : value);
        poison += 0.0f * value;
    };
    int n = 0;
#ifdef REGISTERS
    using Floats = Register<widest>::Floats;
    Floats sizes = {};
    Floats poisons = {};
    for (; n + widest <= count; n += widest) {
        Floats here;
        load(here, values + n);
        const Floats size = here < 0.0f ? -here : here;
        sizes = sizes > size ? sizes : size;
        poisons += 0.0f * here;
    }
    for (int lane = 0; lane < widest; ++lane) {
        look_at(sizes[lane]);
        look_at(poisons[lane]);
    }
#endif
    for (; n < count; ++n) {
        look_at(values[n]);
    }
    return static_cast<double>(all + poison);
}

// ---- Solids ------------------------------------------------------------------------------------

/// false or true, as a type.
template <bool is>
struct Is {
    constexpr bool operator()() const { return is; }
};

/// Calls work(deep, centred) for equations of that kind.
template <class Work>
void for_kind_of(const Cut& cut, const Work& work) {
    const bool centred = cut.whole.centre != 0.0f;
    if (cut.whole.deep) {
        centred ? work(Is<true>(), Is<true>()) : work(Is<true>(), Is<false>());
    } else {
        centred ? work(Is<false>(), Is<true>()) : work(Is<false>(), Is<false>());
    }
}

/// Computes all places, and keeps those of the colour (see relax_chunk()).
void cut_relax(const CutRelax& given, int j, int k, bool alone) {
    if (!alone) {
        each(given, j, k);
        return;
    }
    for_kind_of(given.cut, [&](auto deep, auto centred) {
        const CutRelax op = given;
        const Range range = op.over.x;
        float values[chunk];
        for (int first = range.first; first <= range.last; first += chunk) {
            const int count = range.last - first + 1 < chunk ? range.last - first + 1 : chunk;
            INDEPENDENT
            for (int n = 0; n < count; ++n) {
                const CutRow row = cut_row<deep(), centred()>(op.cut, op.x, first + n, j, k);
                values[n] = op.value(row, first + n, j, k);
            }
            float* const x = &op.x(first, j, k);
            const int odd = (first + j + k + op.colour) & 1;
            INDEPENDENT
            for (int n = 0; n < count; ++n) {
                const float here = x[n];
                x[n] = (n & 1) == odd ? values[n] : here;
            }
        }
    });
}

void cut_residual(const CutResidual& given, int j, int k) {
    for_kind_of(given.cut, [&](auto deep, auto centred) {
        const CutResidual op = given;
        const Range range = op.over.x;
        INDEPENDENT
        for (int i = range.first; i <= range.last; ++i) {
            const CutRow row = cut_row<deep(), centred()>(op.cut, op.x, i, j, k);
            op.r(i, j, k) = op.value(row, i, j, k);
        }
    });
}

double cut_apply(const CutApply& given, int j, int k) {
    for_kind_of(given.cut, [&](auto deep, auto centred) {
        const CutApply op = given;
        const Range range = op.over.x;
        INDEPENDENT
        for (int i = range.first; i <= range.last; ++i) {
            const CutRow row = cut_row<deep(), centred()>(op.cut, op.x, i, j, k);
            op.y(i, j, k) = op.value(row, i, j, k);
        }
    });
    return sum(Product{given.over, given.x, given.y}, j, k);
}

/// As prolong_pairs().
template <bool deep>
void cut_prolong_pairs(const CutProlong& given, int first, int pairs, int j, int k) {
    const CutProlong op = given;
    float sums[chunk + 2];
    float weights[chunk + 2];
    const Place in_y = among(j, op.ratio_y);
    const Place in_z = deep ? among(k, op.ratio_z) : Place{0, 0.0f};
    INDEPENDENT
    for (int m = 0; m < pairs + 2; ++m) {
        const CutProlong::Said said = op.column<deep>(first / 2 + m - 1, in_y, in_z);
        sums[m] = said.sum;
        weights[m] = said.weights;
    }
    float* const x = &op.x(first, j, k);
    INDEPENDENT
    for (int m = 0; m < pairs; ++m) {
        const CutProlong::Said before = {sums[m], weights[m]};
        const CutProlong::Said here = {sums[m + 1], weights[m + 1]};
        const CutProlong::Said after = {sums[m + 2], weights[m + 2]};
        const float to_left = op.value(before, here, 0.75f, first + 2 * m, j, k);
        const float to_right = op.value(here, after, 0.25f, first + 2 * m + 1, j, k);
        x[2 * m] = to_left;
        x[2 * m + 1] = to_right;
    }
}

void cut_prolong(const CutProlong& given, int j, int k) {
    prolong_row(given, j, k, [&](const CutProlong& op, int first, int pairs) {
        op.deep ? cut_prolong_pairs<true>(op, first, pairs, j, k)
                : cut_prolong_pairs<false>(op, first, pairs, j, k);
    });
}

template <bool deep>
void cut_divergence_between(const CutDivergence& given, int j, int k) {
    const CutDivergence op = given;
    INDEPENDENT
    for (int i = op.over.x.first; i <= op.over.x.last; ++i) {
        op.x(i, j, k) = op.value<deep>(i, j, k);
    }
}

void cut_divergence(const CutDivergence& op, int j, int k) {
    op.deep ? cut_divergence_between<true>(op, j, k) : cut_divergence_between<false>(op, j, k);
}

// Most rows are not near a solid.

/// Whether all values of a row are more than 0.
bool all_positive(const Array& x, Range range, int j, int k) {
    const float* const values = &x(0, j, k);
    int others = 0;
    for (int i = range.first; i <= range.last; ++i) {
        others += values[i] > 0.0f ? 0 : 1;
    }
    return others == 0;
}

void enforce(const Enforce& op, int j, int k) {
    if (!all_positive(op.f, op.over.x, j, k)) {
        each(op, j, k);
    }
}

void extend_faces(const ExtendFaces& op, int j, int k) {
    if (!all_positive(op.f, op.over.x, j, k)) {
        each(op, j, k);
    }
}

void extend_cells(const ExtendCells& op, int j, int k) {
    if (!all_positive(op.alive, op.over.x, j, k)) {
        each(op, j, k);
    }
}

/// Whether no solid is near a row: all is fluid that the control volumes of its faces, and those
/// before them, follow from. That reaches two places back, but not behind the ghosts. Faces are
/// looked at on both sides of a place.
bool is_plain(const Around& around, Range range, int j, int k) {
    const auto back = [](int place) { return place > 1 ? place - 2 : -1; };
    const auto all_fluid = [&](const Array& x, int axis) {
        const Range along_x = {back(range.first), range.last + (axis == 0 ? 1 : 0)};
        const int last_row = axis == 1 ? j + 1 : j;
        const int last_layer = axis == 2 ? k + 1 : k;
        bool all = true;
        for (int c = around.deep ? back(k) : k; all && c <= last_layer; ++c) {
            for (int b = back(j); all && b <= last_row; ++b) {
                all = all_one(x, along_x, b, c);
            }
        }
        return all;
    };
    return all_fluid(around.cell, AT_CENTRE) && all_fluid(around.f[0], 0) &&
           all_fluid(around.f[1], 1) && (!around.deep || all_fluid(around.f[2], 2));
}

/// Where no solid is near, each end counts 1, each volume is 1 and each surface 0.
void viscosity(const Viscosity& given, int j, int k) {
    const Viscosity op = given;
    const Range x = op.places.x;
    if (j > op.places.y.last || k > op.places.z.last || !is_plain(op.around, x, j, k)) {
        each(given, j, k);
        return;
    }
    for (int along = 0; along < (op.around.deep ? 3 : 2); ++along) {
        float* const weight = &op.weight[along](0, j, k);
        const int last = along == 0 ? op.over.x.last : x.last;
        for (int i = x.first; i <= last; ++i) {
            weight[i] = 1.0f;
        }
    }
    INDEPENDENT
    for (int i = x.first; i <= x.last; ++i) {
        op.share(i, j, k) = 1.0f;
        op.b(i, j, k) = op.u(i, j, k) + 0.0f * op.s(i, j, k);
    }
}

/// Friction is where a face or a neighbour of it is closed, on any side.
double friction(const Friction& op, int j, int k) {
    const Array& f = op.around.f[op.around.axis];
    const Range x = {op.over.x.first, op.over.x.last + 1};
    const bool none = is_plain(op.around, op.over.x, j, k) && all_one(f, x, j, k) &&
                      all_one(f, x, j + 1, k) && (!op.around.deep || all_one(f, x, j, k + 1));
    return none ? 0.0 : sum(op, j, k);
}

}  // namespace

const Rows ROWS_NAME = {each<AddScaled>,
                        each<Scale>,
                        set_bnd,
                        relax,
                        residual,
                        restrict_to,
                        prolong,
                        carry_any<Advect>,
                        carry_any<Correct>,
                        each<Divergence>,
                        each<Gradient>,
                        each<Speed>,
                        each<Vorticity>,
                        each<Confine>,
                        is_small ? nullptr : cut_relax,
                        is_small ? nullptr : cut_residual,
                        is_small ? nullptr : cut_prolong,
                        is_small ? nullptr : cut_divergence,
                        is_small ? nullptr : each<CutGradient>,
                        is_small ? nullptr : each<Combine>,
                        is_small ? nullptr : each<Multiply>,
                        is_small ? nullptr : enforce,
                        is_small ? nullptr : each<HoldBack>,
                        is_small ? nullptr : each<Mask>,
                        is_small ? nullptr : extend_faces,
                        is_small ? nullptr : extend_cells,
                        is_small ? nullptr : viscosity,
                        each<Blend>,
                        sum<Value>,
                        is_small ? nullptr : cut_apply,
                        is_small ? nullptr : sum<Product>,
                        is_small ? nullptr : friction,
                        is_small ? nullptr : sum<Push>,
                        sum<FlowsIn>,
                        is_small ? nullptr : sum<PushedIn>,
                        sum<Expands>,
                        energies,
                        squares_of_faces,
                        squares_of_value,
                        squares_of_residual,
                        squares_of_divergence,
                        largest};

}  // namespace box
