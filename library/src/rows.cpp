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

void set_bnd(const SetBnd& op, int j, int k) {
    each(op, j, k);
}

template <int where, bool deep, class Op>
void carry(const Op& given, int j, int k) {
    const Op op = given;
    const int last = op.over.x.last;
    INDEPENDENT
    for (int i = op.over.x.first; i <= last; ++i) {
        op.template cell<where, deep>(i, j, k);
    }
}

/// Advect or Correct, as its kind of place asks.
template <class Op>
void carry_any(const Op& op, int j, int k) {
    if (op.flow.deep) {
        op.where == ON_X   ? carry<ON_X, true>(op, j, k)
        : op.where == ON_Y ? carry<ON_Y, true>(op, j, k)
        : op.where == ON_Z ? carry<ON_Z, true>(op, j, k)
                           : carry<AT_CENTRE, true>(op, j, k);
    } else {
        op.where == ON_X   ? carry<ON_X, false>(op, j, k)
        : op.where == ON_Y ? carry<ON_Y, false>(op, j, k)
                           : carry<AT_CENTRE, false>(op, j, k);
    }
}

/// So many places of a row are done at a time where something is kept in between.
constexpr int chunk = 512;

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

/// The places between the first and the last of a row have the same diagonal.
template <bool deep>
void relax_between(const Relax& given, int j, int k, bool alone) {
    const Relax op = given;
    const Equations& e = op.equations;
    const int first = e.x.range.first + 1;
    const int last = e.x.range.last - 1;
    const float inverse = inverse_of(diagonal(e, first, j, k));
    if (alone) {
        for (int from = first; from <= last; from += chunk) {
            const int to = from + chunk - 1 < last ? from + chunk - 1 : last;
            relax_chunk<deep>(op, inverse, from, to, j, k);
        }
        return;
    }
    for (int i = first + ((first + j + k + op.colour) & 1); i <= last; i += 2) {
        op.x(i, j, k) = relaxed<deep>(e, op.x, op.b, op.omega, inverse, i, j, k);
    }
}

void relax(const Relax& op, int j, int k, bool alone) {
    const Range range = op.equations.x.range;
    if (range.first > range.last) {
        return;
    }
    op(range.first, j, k);
    if (range.last - range.first > 1) {
        op.equations.deep ? relax_between<true>(op, j, k, alone)
                          : relax_between<false>(op, j, k, alone);
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
        op.r(i, j, k) = op.b(i, j, k) + neighbours<deep>(e, op.x, i, j, k) - middle * op.x(i, j, k);
    }
}

void residual(const Residual& op, int j, int k) {
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

/// Restricts from `rows` x `layers` fine rows, two places of each: they all count whole.
template <int rows, int layers>
void restrict_whole(const Restrict& given, int j, int k) {
    const Restrict op = given;
    const int last = op.over.x.last;
    INDEPENDENT
    for (int i = op.over.x.first; i <= last; ++i) {
        float sum = 0.0f;
        for (int c = 0; c < layers; ++c) {
            for (int q = 0; q < rows; ++q) {
                const float* r = &op.r(2 * i, rows * j + q, layers * k + c);
                sum = sum + r[0] + r[1];
            }
        }
        op.b(i, j, k) = sum;
    }
}

void restrict_to(const Restrict& op, int j, int k) {
    const bool whole = op.ratio_x == 2.0f && op.ratio_y == 2.0f;
    if (whole && op.ratio_z == 2.0f) {
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

void prolong(const Prolong& given, int j, int k) {
    const Prolong op = given;
    const int count = op.over.x.last + 1;
    if (op.ratio_x != 2.0f) {
        each(op, j, k);
        return;
    }
    for (int first = 0; first < count; first += 2 * chunk) {
        const int pairs = (count - first) / 2 < chunk ? (count - first) / 2 : chunk;
        op.deep ? prolong_pairs<true>(op, first, pairs, j, k)
                : prolong_pairs<false>(op, first, pairs, j, k);
    }
}

constexpr int lanes = 16;

/// The squares of what an operation returns along a row, by way of sixteen sums side by side.
template <class Op>
double squares(const Op& given, Range range, int j, int k) {
    const Op op = given;
    float sums[lanes] = {};
    int i = range.first;
    for (; i + lanes - 1 <= range.last; i += lanes) {
        INDEPENDENT
        for (int lane = 0; lane < lanes; ++lane) {
            const float value = op(i + lane, j, k);
            sums[lane] += value * value;
        }
    }
    double sum = 0.0;
    for (; i <= range.last; ++i) {
        const double value = static_cast<double>(op(i, j, k));
        sum += value * value;
    }
    for (const float part : sums) {
        sum += static_cast<double>(part);
    }
    return sum;
}

double squares_of_residual(const Residual& op, int j, int k) {
    residual(op, j, k);
    return squares(Value{{}, op.r}, op.equations.x.range, j, k);
}

double squares_of_divergence(const Divergence& op, int j, int k) {
    return squares(op, op.over.x, j, k);
}

double squares_of_faces(const FaceValue& op, int j, int k) {
    return squares(op, op.over.x, j, k);
}

double sum(const Value& given, int j, int k) {
    const Value op = given;
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
double largest(const Value& given, int j, int k) {
    const Value op = given;
    float sizes[lanes] = {};
    float poison[lanes] = {};
    const int count = op.over.x.last - op.over.x.first + 1;
    for (int from = 0; from < count; from += lanes) {
        // The last lanes go over some places twice rather than beyond the row.
        const int start = op.over.x.first + (from + lanes <= count ? from : count - lanes);
        const int skip = start < op.over.x.first ? op.over.x.first - start : 0;
        INDEPENDENT
        for (int lane = skip; lane < lanes; ++lane) {
            const float value = op(start + lane, j, k);
            const float size = value < 0.0f ? -value : value;
            sizes[lane] = larger(sizes[lane], size);
            poison[lane] += 0.0f * value;
        }
    }
    float all = 0.0f;
    float bad = 0.0f;
    for (int lane = 0; lane < lanes; ++lane) {
        all = larger(all, sizes[lane]);
        bad += poison[lane];
    }
    return static_cast<double>(all + bad);
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
                        sum,
                        squares_of_faces,
                        squares_of_residual,
                        squares_of_divergence,
                        largest};

}  // namespace box
