// Rows of the equations: relaxation and residuals, on registers where there are any. It is a part
// of rows.cpp.
#pragma once

#include "library/src/registers.hpp"

namespace box {
namespace {

#ifdef REGISTERS

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
/// would have to be waited for. So each register of the row is read once, before the one to its
/// left is written, where no neighbour of the colour changes; and the last register, which the
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
    const auto relax_at = [&](int n, const Floats& here, const Floats& left, const Floats& right,
                              const Floats& inverse, const Bits& keep)
        __attribute__((always_inline)) {
        Floats of_b;
        Neighbours<Floats> near;
        near.before_x = left;
        near.after_x = right;
        load(of_b, b + n);
        load_aside<deep>(near, x + n, row, layer);
        const Floats sum = sum_of<deep>(near, weight);
        const Floats relaxed = relaxed_from(here, of_b, sum, inverse, omega);
        const Floats kept = keep != 0 ? relaxed : here;
        store(x + n, kept);
    };

    // With the last register first, the processor does not see that row follows row. A step of
    // 128 x 128 x 128 cells takes 4 % more without.
    if constexpr (deep) {
        fetch_row(b + 2 * op.b.row, count);
        fetch_row(x + layer + 2 * row, count);
    }

    // The first and the last place have diagonals of their own.
    const auto inverse_at = [&](int n) { return inverse_of(diagonal(e, first + n, j, k)); };
    const Floats inner = Floats{} + inverse_at(1);
    Floats inverse = inner;
    inverse[0] = inverse_at(0);
    const bool odd = ((first + j + k + op.colour) & 1) != 0;
    const Bits even_lanes = Register<width>::even;
    const Bits all = odd ? ~even_lanes : even_lanes;

    const int last = count - width;
    Floats here, left, right;
    load(here, x + last);
    load(left, x + last - 1);
    load(right, x + last + 1);
    Floats inverse_last = last == 0 ? inverse : inner;
    inverse_last[width - 1] = inverse_at(count - 1);
    const Bits all_last = (last & 1) != 0 ? ~all : all;
    relax_at(last, here, left, right, inverse_last, all_last);
    Floats before = {};
    before[width - 1] = x[-1];
    load(here, x);
    Floats next = {};
    int n = 0;
    for (; n + width <= last; n += width) {
        load(next, x + n + width);
        from_left(left, before, here);
        from_right(right, here, next);
        relax_at(n, here, left, right, inverse, all);
        inverse = inner;
        before = here;
        here = next;
    }
    if (n < last) {
        next[0] = x[n + width];
        from_left(left, before, here);
        from_right(right, here, next);
        const Bits counted = Register<width>::counted;
        relax_at(n, here, left, right, inverse, all & (counted < last - n));
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

/// Does a row: the first and the last place, which may be beside a wall, by the operation itself,
/// and what lies between them by `between`.
template <class Op, class Between>
void ends_and_between(const Op& op, int j, int k, const Between& between) {
    const Range range = op.equations.x.range;
    if (range.first > range.last) {
        return;
    }
    op(range.first, j, k);
    if (range.last - range.first > 1) {
        between();
    }
    if (range.last > range.first) {
        op(range.last, j, k);
    }
}

template <bool deep>
void relax_row(const Relax& op, int j, int k, bool alone) {
    if (!alone || !relax_quickly<deep>(op, j, k)) {
        ends_and_between(op, j, k, [&] { relax_between<deep>(op, j, k); });
    }
}

void relax(const Relax& op, int j, int k, bool alone) {
    if (op.equations.deep) {
        relax_row<true>(op, j, k, alone);
    } else {
        relax_row<false>(op, j, k, alone);
    }
}

#ifdef REGISTERS

/// Calls work(n, here, sum, diagonal) for the places of a row, counted from the first one, with the
/// weighted sum of their neighbours: for as many at once as a register holds. The registers lie as
/// those of relax_registers(): so what that has written is read as it was written, at once. The
/// last ones may be among those before them.
template <int width, bool deep, class Work>
CELL void for_registers(const Equations& e, const Array& all, int j, int k, const Work& work) {
    using Floats = typename Register<width>::Floats;
    const int first = e.x.range.first;
    const int count = e.x.range.last - first + 1;
    const Weights weight = {e.x.weight, e.y.weight, e.z.weight};
    const float* const x = &all(first, j, k);
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
        Floats here;
        Neighbours<Floats> near;
        Floats after = {};
        after[0] = x[n + width];
        load(here, x + n);
        from_left(near.before_x, before, here);
        from_right(near.after_x, here, after);
        load_aside<deep>(near, x + n, all.row, all.layer);
        work(n, here, sum_of<deep>(near, weight), middle);
        before = here;
        middle = inner;
    }
}

#endif

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

/// Works out a row of it, if it is long enough for registers. Returns whether it was.
template <bool deep>
bool residual_quickly([[maybe_unused]] const Residual& op, [[maybe_unused]] int j,
                      [[maybe_unused]] int k) {
#ifdef REGISTERS
    const Range range = op.equations.x.range;
    const float* const b = &op.b(range.first, j, k);
    float* const r = &op.r(range.first, j, k);
    const auto residual_at = [&](int n, const auto& here, const auto& sum, const auto& middle)
        __attribute__((always_inline)) {
        auto of_b = here;
        load(of_b, b + n);
        store(r + n, left_over(here, of_b, sum, middle));
    };
    return with_registers(range.last - range.first + 1, [&](auto width) {
        for_registers<decltype(width)::floats, deep>(op.equations, op.x, j, k, residual_at);
    });
#else
    return false;
#endif
}

template <bool deep>
void residual_row(const Residual& op, int j, int k) {
    if (!residual_quickly<deep>(op, j, k)) {
        ends_and_between(op, j, k, [&] { residual_between<deep>(op, j, k); });
    }
}

void row(const Residual& op, int j, int k) {
    if (op.equations.deep) {
        residual_row<true>(op, j, k);
    } else {
        residual_row<false>(op, j, k);
    }
}

}  // namespace
}  // namespace box
