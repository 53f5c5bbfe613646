// Rows of what passes from grid to grid. It is a part of rows.cpp.
#pragma once

#include "library/src/registers.hpp"

namespace box {
namespace {

/// sum_under() from `rows` x `layers` fine rows, two places of each: they all count whole, so there
/// is no share to multiply by. (With shares of 1, compilers leave the loop to one float at a time,
/// and a step of a flat box takes 6 % more.) Where the number of fine places is odd, there is one
/// under the last coarse place.
template <int rows, int layers>
void restrict_whole(const Restrict& given, int j, int k) {
    const Restrict op = given;
    const int pairs = op.nx / 2;
    INDEPENDENT
    for (int i = 0; i < pairs; ++i) {
        float sum = 0.0f;
        for (int c = 0; c < layers; ++c) {
            for (int q = 0; q < rows; ++q) {
                const float* const r = &op.r(2 * i, rows * j + q, layers * k + c);
                sum = sum + r[0] + r[1];
            }
        }
        op.b(i, j, k) = sum;
    }
    if (op.nx % 2 == 1) {
        op(pairs, j, k);
    }
}

void row(const Restrict& op, int j, int k) {
    const bool whole = op.ratio_x == 2.0f && op.ratio_y == 2.0f && 2 * j + 1 < op.ny;
    if (whole && op.ratio_z == 2.0f && 2 * k + 1 < op.nz) {
        restrict_whole<2, 2>(op, j, k);
    } else if (whole && op.ratio_z == 1.0f) {
        restrict_whole<2, 1>(op, j, k);
    } else {
        row<Restrict>(op, j, k);
    }
}

/// Two fine places lie over one coarse place: how far they are between the coarse centres.
CELL float to_first() {
    return among(0, 2.0f).s;
}
CELL float to_second() {
    return among(1, 2.0f).s;
}

/// Prolongs to a row whose box has twice as many places: `first`, an even one, and so many pairs.
template <bool deep>
void prolong_pairs(const Prolong& op, int first, int pairs, int j, int k) {
    float room[chunk + 2];
    float* const mixed = room + 1;  // mixed[m] is the coarse place over the pair m
    const Place in_y = among(j, op.ratio_y);
    const Place in_z = deep ? among(k, op.ratio_z) : Place{0, 0.0f};
    INDEPENDENT
    for (int m = -1; m <= pairs; ++m) {
        mixed[m] = between_rows<deep>(op.coarse, first / 2 + m, in_y, in_z);
    }
    float* const x = &op.x(first, j, k);
    INDEPENDENT
    for (int m = 0; m < pairs; ++m) {
        const float to_left = between(mixed[m - 1], mixed[m], to_first());
        const float to_right = between(mixed[m], mixed[m + 1], to_second());
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
        row<Op>(op, j, k);
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

void row(const Prolong& given, int j, int k) {
    prolong_row(given, j, k, [&](const Prolong& op, int first, int pairs) {
        op.deep ? prolong_pairs<true>(op, first, pairs, j, k)
                : prolong_pairs<false>(op, first, pairs, j, k);
    });
}

}  // namespace
}  // namespace box
