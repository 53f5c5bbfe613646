// Sums over rows, in one order whatever the width of the registers. It is a part of rows.cpp.
#pragma once

#include "library/src/relax_rows.hpp"

namespace box {
namespace {

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

/// The sum of 2 `half` values, in pairs: each addition waits for few others.
template <int half>
CELL double sum_in_pairs(const double* values) {
    double sums[half];
    for (int n = 0; n < half; ++n) {
        sums[n] = values[n] + values[n + half];
    }
    if constexpr (half > 1) {
        return sum_in_pairs<half / 2>(sums);
    } else {
        return sums[0];
    }
}

CELL double sum_of_lanes(const double* sums) {
    return sum_in_pairs<lanes / 2>(sums);
}

CELL double sum_of_lanes(const float* sums) {
    double all[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        all[lane] = static_cast<double>(sums[lane]);
    }
    return sum_of_lanes(all);
}

/// The squares of some values side by side, by way of sixteen sums.
double squares_of_values(const float* values, int count) {
    float sums[lanes] = {};
    const int whole = count - count % lanes;
    add_squares(values, whole, sums);
    double sum = 0.0;
    for (int n = whole; n < count; ++n) {
        sum += static_cast<double>(values[n]) * static_cast<double>(values[n]);
    }
    return sum + sum_of_lanes(sums);
}

/// The squares of what an operation returns along a row, in the same way.
template <class Op>
double squares_of_row(const Op& given, int j, int k) {
    const Op op = given;
    const Range range = op.over.x;
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
    return sum + sum_of_lanes(sums);
}

double squares_of_row(const Value& op, int j, int k) {
    const Range range = op.over.x;
    return squares_of_values(&op.x(range.first, j, k), range.last - range.first + 1);
}

double squares_of_row(const Residual& op, int j, int k) {
    row(op, j, k);
    const Range range = op.equations.x.range;
    return squares_of_values(&op.r(range.first, j, k), range.last - range.first + 1);
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
        all = {sum_of_lanes(sums[0]), sum_of_lanes(sums[1]), sum_of_lanes(sums[2]),
               sum_of_lanes(sums[3])};
    }
    for (; i <= range.last; ++i) {
        const Energy::Parts parts = given(i, j, k);
        all += {static_cast<double>(parts.before), static_cast<double>(parts.linear),
                static_cast<double>(parts.both), static_cast<double>(parts.correction)};
    }
    return all;
}

template <class Op>
double sum_of_row(const Op& given, int j, int k) {
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
    return sum + sum_of_lanes(sums);
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
    float of_lanes[2][widest];
    __builtin_memcpy(of_lanes[0], &sizes, sizeof sizes);
    __builtin_memcpy(of_lanes[1], &poisons, sizeof poisons);
    for (int half = widest / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; ++lane) {
            of_lanes[0][lane] = larger(of_lanes[0][lane], of_lanes[0][lane + half]);
            of_lanes[1][lane] += of_lanes[1][lane + half];
        }
    }
    look_at(of_lanes[0][0]);
    look_at(of_lanes[1][0]);
#endif
    for (; n < count; ++n) {
        look_at(values[n]);
    }
    return static_cast<double>(all + poison);
}

}  // namespace
}  // namespace box
