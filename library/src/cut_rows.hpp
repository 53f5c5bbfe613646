// Rows in a box with solids. It is a part of rows.cpp.
#pragma once

#include <algorithm>

#include "library/src/grid_rows.hpp"
#include "library/src/relax_rows.hpp"
#include "library/src/sum_rows.hpp"

namespace box {
namespace {

/// false or true, as a type.
template <bool is>
struct Is {
    constexpr bool operator()() const { return is; }
};

/// Whether it is known that no solid is near a whole row.
bool is_known_plain(const RowsNearSolids& near_solids, int j, int k) {
    return near_solids.near != nullptr && is_empty(near_solids.of_row(j, k));
}

/// The places of a row that a solid may be near: lots of as many places as there are lanes, so
/// that they fill registers. If there is none, the range ends before it begins, behind `all`.
Range near_part(const RowsNearSolids& near_solids, Range all, int j, int k) {
    if (near_solids.near == nullptr) {
        return all;
    }
    const Range near = near_solids.of_row(j, k);
    const int first = near.first > all.first ? near.first : all.first;
    const int last = near.last < all.last ? near.last : all.last;
    if (first > last) {
        return {all.last + 1, all.last};
    }
    const int begin = first - (first - all.first) % lanes;
    const int end = begin + ((last - begin) / lanes + 1) * lanes;
    return {begin, end - 1 < all.last ? end - 1 : all.last};
}

/// Calls work(places, is_plain) for the places of a row before those that a solid may be near, for
/// these, and for those behind them. `is_plain` is whether it is known that no solid is near.
template <class Work>
CELL void for_parts(Range all, Range near, const Work& work) {
    work(Range{all.first, near.first - 1}, Is<true>());
    work(near, Is<false>());
    work(Range{near.last + 1, all.last}, Is<true>());
}

/// A kind of row: whether it has neighbours along z, and whether the share counts anything.
template <bool is_deep, bool is_centred>
struct Kind {
    static constexpr bool deep = is_deep;
    static constexpr bool centred = is_centred;
};

/// Calls work(kind) with the kind of the equations' rows.
template <class Work>
void with_kind(const Cut& cut, const Work& work) {
    const bool centred = cut.whole.centre != 0.0f;
    if (cut.whole.deep && centred) {
        work(Kind<true, true>());
    } else if (cut.whole.deep) {
        work(Kind<true, false>());
    } else if (centred) {
        work(Kind<false, true>());
    } else {
        work(Kind<false, false>());
    }
}

#ifdef REGISTERS

/// Rows of the equations, as many at once as fill a register, from the first place of a row on.
template <int width, class Row>
struct CutRegisters {
    using Floats = typename Register<width>::Floats;

    const float *x, *fx, *fy, *fz, *share;
    int x_row, x_layer, f_row, f_layer;
    Neighbours<float> counts;
    Weights weight;
    float centre;

    CELL CutRegisters(const Cut& cut, const Array& all, Range places, int j, int k)
        : x(&all(places.first, j, k)), fx(&cut.fx(places.first, j, k)),
          fy(&cut.fy(places.first, j, k)), fz(Row::deep ? &cut.fz(places.first, j, k) : nullptr),
          share(Row::centred ? &cut.share(places.first, j, k) : nullptr), x_row(all.row),
          x_layer(all.layer), f_row(cut.fx.row),
          f_layer(cut.fx.layer), counts{counts_before(cut.whole.x, places.first),
                                        counts_after(cut.whole.x, places.last),
                                        counts_before(cut.whole.y, j),
                                        counts_after(cut.whole.y, j),
                                        counts_before(cut.whole.z, k),
                                        counts_after(cut.whole.z, k)},
          weight{cut.whole.x.weight, cut.whole.y.weight, cut.whole.z.weight},
          centre(cut.whole.centre) {}

    CELL static Floats from(const float* at) {
        Floats all;
        load(all, at);
        return all;
    }
    /// The rows of the n-th place and those after it. `first` and `last` are whether the row begins
    /// or ends among them.
    CELL CutRows<Floats> at(int n, bool first, bool last) const {
        Neighbours<Floats> near = {
            from(x + n - 1), from(x + n + 1), from(x + n - x_row), from(x + n + x_row), {}, {}};
        Neighbours<Floats> open = {
            from(fx + n), from(fx + n + 1), from(fy + n), from(fy + n + f_row), {}, {}};
        Neighbours<Floats> count = {Floats{} + 1.0f,
                                    Floats{} + 1.0f,
                                    Floats{} + counts.before_y,
                                    Floats{} + counts.after_y,
                                    Floats{} + counts.before_z,
                                    Floats{} + counts.after_z};
        if (first) {
            count.before_x[0] = counts.before_x;
        }
        if (last) {
            count.after_x[width - 1] = counts.after_x;
        }
        if constexpr (Row::deep) {
            near.before_z = from(x + n - x_layer);
            near.after_z = from(x + n + x_layer);
            open.before_z = from(fz + n);
            open.after_z = from(fz + n + f_layer);
        }
        Floats of_centre = {};
        if constexpr (Row::centred) {
            of_centre = centre * from(share + n);
        }
        return cut_rows_of<Row::deep>(near, open, count, weight, of_centre);
    }
};

#endif

/// Calls work(n, rows, here) for the places of a row, counted from the first one, as many at once
/// as fill a register. The last ones may be among those before them.
template <class Row, class Work>
void for_cut_rows(const Cut& cut, const Array& x, int j, int k, Range places, const Work& work) {
    const int count = places.last - places.first + 1;
#ifdef REGISTERS
    const bool done = with_registers(
        count, [&](auto width) __attribute__((always_inline)) {
            constexpr int floats = decltype(width)::floats;
            const CutRegisters<floats, Row> rows(cut, x, places, j, k);
            const int last = count - floats;
            for (int n = 0; n < last; n += floats) {
                work(n, rows.at(n, n == 0, false), rows.from(rows.x + n));
            }
            work(last, rows.at(last, last == 0, true), rows.from(rows.x + last));
        });
    if (done) {
        return;
    }
#endif
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        const int i = places.first + n;
        work(n, cut_row<Row::deep, Row::centred>(cut, x, i, j, k), x(i, j, k));
    }
}

/// Half a sweep over a row that nobody else looks at meanwhile: computes all places, and keeps
/// those of the colour (see relax_chunk()).
template <class Row>
void cut_relax_row(const CutRelax& op, int j, int k) {
    const Range range = op.over.x;
    const float omega = op.omega;
    for (int first = range.first; first <= range.last; first += chunk) {
        const int last = first + chunk - 1 < range.last ? first + chunk - 1 : range.last;
        float values[chunk];
        const float* const b = &op.b(first, j, k);
        const auto relax_at = [&](int n, const auto& rows, const auto& here)
            __attribute__((always_inline)) {
            auto of_b = here;
            load(of_b, b + n);
            store(values + n, cut_relaxed(rows, here, of_b, omega));
        };
        for_cut_rows<Row>(op.cut, op.x, j, k, {first, last}, relax_at);
        float* const x = &op.x(first, j, k);
        const int odd = (first + j + k + op.colour) & 1;
        INDEPENDENT
        for (int n = 0; n <= last - first; ++n) {
            const float here = x[n];
            x[n] = (n & 1) == odd ? values[n] : here;
        }
    }
}

void cut_relax_alone(const CutRelax& op, int j, int k) {
    if (is_known_plain(op.cut.near_solids, j, k)) {
        relax({op.cut.whole, op.x, op.b, op.omega, op.colour}, j, k, true);
    } else {
        with_kind(op.cut, [&](auto kind) { cut_relax_row<decltype(kind)>(op, j, k); });
    }
}

/// Half a sweep over a row whose other places somebody may read meanwhile: they are not written.
template <class Row>
void cut_relax_between(const CutRelax& given, int j, int k) {
    const CutRelax op = given;
    const Range all = op.over.x;
    for_parts(all, near_part(op.cut.near_solids, all, j, k), [&](Range places, auto is_plain) {
        constexpr bool plain = is_plain();
        const int first = places.first;
        for (int i = first + ((first + j + k + op.colour) & 1); i <= places.last; i += 2) {
            const CutRow row = cut_row<Row::deep, Row::centred, plain>(op.cut, op.x, i, j, k);
            op.x(i, j, k) = cut_relaxed(row, op.x(i, j, k), op.b(i, j, k), op.omega);
        }
    });
}

void row(const CutRelax& op, int j, int k) {
    with_kind(op.cut, [&](auto kind) { cut_relax_between<decltype(kind)>(op, j, k); });
}

template <class Row>
void cut_residual_row(const CutResidual& op, int j, int k) {
    const Range range = op.over.x;
    const float* const b = &op.b(range.first, j, k);
    float* const r = &op.r(range.first, j, k);
    const auto residual_at = [&](int n, const auto& rows, const auto& here)
        __attribute__((always_inline)) {
        auto of_b = here;
        load(of_b, b + n);
        store(r + n, cut_left_over(rows, here, of_b));
    };
    for_cut_rows<Row>(op.cut, op.x, j, k, range, residual_at);
}

void row(const CutResidual& op, int j, int k) {
    if (is_known_plain(op.cut.near_solids, j, k)) {
        row(Residual{op.cut.whole, op.x, op.b, op.r}, j, k);
    } else {
        with_kind(op.cut, [&](auto kind) { cut_residual_row<decltype(kind)>(op, j, k); });
    }
}

double squares_of_row(const CutResidual& op, int j, int k) {
    row(op, j, k);
    const Range range = op.over.x;
    return squares_of_values(&op.r(range.first, j, k), range.last - range.first + 1);
}

template <class Row>
void cut_apply_row(const CutApply& op, int j, int k) {
    const Range range = op.over.x;
    float* const y = &op.y(range.first, j, k);
    const auto apply_at = [&](int n, const auto& rows, const auto& here)
        __attribute__((always_inline)) {
        store(y + n, rows.diagonal * here - rows.neighbours);
    };
    for_cut_rows<Row>(op.cut, op.x, j, k, range, apply_at);
}

/// A row that no solid is near, if it is long enough for registers. Returns whether it was.
template <bool deep>
bool apply_quickly([[maybe_unused]] const CutApply& op, [[maybe_unused]] int j,
                   [[maybe_unused]] int k) {
#ifdef REGISTERS
    const Range range = op.over.x;
    float* const y = &op.y(range.first, j, k);
    const auto apply_at = [&](int n, const auto& here, const auto& sum, const auto& middle)
        __attribute__((always_inline)) {
        store(y + n, middle * here - sum);
    };
    return with_registers(range.last - range.first + 1, [&](auto width) {
        for_registers<decltype(width)::floats, deep>(op.cut.whole, op.x, j, k, apply_at);
    });
#else
    return false;
#endif
}

double sum_of_row(const CutApply& op, int j, int k) {
    const bool is_plain = is_known_plain(op.cut.near_solids, j, k);
    const bool deep = op.cut.whole.deep;
    const bool done =
        is_plain && (deep ? apply_quickly<true>(op, j, k) : apply_quickly<false>(op, j, k));
    if (!done) {
        with_kind(op.cut, [&](auto kind) { cut_apply_row<decltype(kind)>(op, j, k); });
    }
    return sum_of_row(Product{op.over, op.x, op.y}, j, k);
}

/// As prolong_pairs().
template <bool deep, bool plain>
void cut_prolong_pairs(const CutProlong& given, int first, int pairs, int j, int k) {
    const CutProlong op = given;
    float sums[chunk + 2];
    float weights[chunk + 2];
    const Place in_y = among(j, op.ratio_y);
    const Place in_z = deep ? among(k, op.ratio_z) : Place{0, 0.0f};
    INDEPENDENT
    for (int m = 0; m < pairs + 2; ++m) {
        const CutProlong::Said said = op.column<deep, plain>(first / 2 + m - 1, in_y, in_z);
        sums[m] = said.sum;
        weights[m] = said.weights;
    }
    float* const x = &op.x(first, j, k);
    INDEPENDENT
    for (int m = 0; m < pairs; ++m) {
        const CutProlong::Said before = {sums[m], weights[m]};
        const CutProlong::Said here = {sums[m + 1], weights[m + 1]};
        const CutProlong::Said after = {sums[m + 2], weights[m + 2]};
        if constexpr (plain) {  // all of them together count 1
            x[2 * m] += (1.0f - to_first()) * before.sum + to_first() * here.sum;
            x[2 * m + 1] += (1.0f - to_second()) * here.sum + to_second() * after.sum;
        } else {
            const float to_left = op.value(before, here, to_first(), first + 2 * m, j, k);
            const float to_right = op.value(here, after, to_second(), first + 2 * m + 1, j, k);
            x[2 * m] = to_left;
            x[2 * m + 1] = to_right;
        }
    }
}

/// Whether it is known that no solid is near a row, nor in those that are prolonged to it, and that
/// these together count 1: so they do where two fine places lie over one coarse place. A solid in
/// any of these rows is near the first of them.
bool is_known_plain(const CutProlong& op, int j, int k) {
    if (op.ratio_y != 2.0f || (op.deep && op.ratio_z != 2.0f)) {
        return false;
    }
    const int coarse_j = among(j, op.ratio_y).i;
    const int coarse_k = op.deep ? among(k, op.ratio_z).i : 0;
    return is_known_plain(op.near_solids, j, k) &&
           is_known_plain(op.coarse_near_solids, coarse_j, coarse_k);
}

void row(const CutProlong& given, int j, int k) {
    const bool plain = is_known_plain(given, j, k);
    prolong_row(given, j, k, [&](const CutProlong& op, int first, int pairs) {
        if (op.deep && plain) {
            cut_prolong_pairs<true, true>(op, first, pairs, j, k);
        } else if (op.deep) {
            cut_prolong_pairs<true, false>(op, first, pairs, j, k);
        } else if (plain) {
            cut_prolong_pairs<false, true>(op, first, pairs, j, k);
        } else {
            cut_prolong_pairs<false, false>(op, first, pairs, j, k);
        }
    });
}

template <bool deep>
void cut_divergence_row(const CutDivergence& given, int j, int k) {
    for_parts(given.over.x, near_part(given.near_solids, given.over.x, j, k),
              [&](Range places, auto is_plain) {
                  const CutDivergence op = given;
                  INDEPENDENT
                  for (int i = places.first; i <= places.last; ++i) {
                      op.x(i, j, k) =
                          is_plain() ? op.factor * outflow<deep>(op.u[0], op.u[1], op.u[2], i, j, k)
                                     : op.value<deep>(i, j, k);
                  }
              });
}

void row(const CutDivergence& op, int j, int k) {
    if (is_known_plain(op.near_solids, j, k)) {
        row(Divergence{op.over, op.u[0], op.u[1], op.u[2], op.x, op.factor, op.deep}, j, k);
    } else if (op.deep) {
        cut_divergence_row<true>(op, j, k);
    } else {
        cut_divergence_row<false>(op, j, k);
    }
}

double squares_of_row(const CutDivergence& op, int j, int k) {
    row(op, j, k);
    const Range range = op.over.x;
    return squares_of_values(&op.x(range.first, j, k), range.last - range.first + 1);
}

void row(const CutGradient& op, int j, int k) {
    if (is_known_plain(op.near_solids, j, k)) {
        row(Gradient{op.over, op.u, op.q, op.axis}, j, k);
    } else {
        row<CutGradient>(op, j, k);
    }
}

double sum_of_row(const OfRegion& op, int j, int k) {
    if (!is_known_plain(op.near_solids, j, k)) {
        return sum_of_row<OfRegion>(op, j, k);
    }
    const bool is_there = op.region(op.over.x.first, j, k) == op.number;
    return is_there ? sum_of_row(Value{op.over, op.x}, j, k) : 0.0;
}

// Most places are not near a solid.

/// Whether all values of a row are more than 0.
bool all_positive(const Array& x, Range range, int j, int k) {
    const float* const values = &x(0, j, k);
    int others = 0;
    for (int i = range.first; i <= range.last; ++i) {
        others += values[i] > 0.0f ? 0 : 1;
    }
    return others == 0;
}

void row(const Enforce& given, int j, int k) {
    const Range near = near_part(given.near_solids, given.over.x, j, k);
    // Only some places of each row are needed, which the processor does not expect.
    const int count = near.last - near.first + 1;
    fetch_row(&given.f(near.first, j + 3, k), count);
    fetch_row(&given.u(near.first, j + 3, k), count);
    fetch_row(&given.s(near.first, j + 3, k), count);
    if (!all_positive(given.f, near, j, k)) {
        Enforce op = given;
        op.over.x = near;
        row<Enforce>(op, j, k);
    }
}

// Where an operation has nothing to do is found for many places at once. Only what nobody writes is
// looked at: others may be at work on the rows around.

#ifdef REGISTERS

/// As many places as a register holds.
template <int width, class Op>
void extend_places(const Op& op, int i, int j, int k) {
    float asks[width];
    store(asks, op.template asks<typename Register<width>::Floats>(i, j, k));
    for (int n = 0; n < width; ++n) {
        if (asks[n] > 0.0f) {
            op(i + n, j, k);
        } else {
            op.leave(i + n, j, k);
        }
    }
}

#endif

/// The places of a row that a solid may be near, if any are closed.
template <class Op>
void extend_row(const Op& op, const Array& open, int j, int k) {
    const Range near = near_part(op.near_solids, op.over.x, j, k);
    if (all_positive(open, near, j, k)) {
        return;
    }
    int i = near.first;
#ifdef REGISTERS
    while (with_registers(near.last - i + 1, [&](auto width) {
        constexpr int floats = decltype(width)::floats;
        for (; i + floats - 1 <= near.last; i += floats) {
            extend_places<floats>(op, i, j, k);
        }
    })) {
    }
#endif
    for (; i <= near.last; ++i) {
        op(i, j, k);
    }
}

void row(const ExtendFaces& op, int j, int k) {
    extend_row(op, op.f, j, k);
}

void row(const ExtendCells& op, int j, int k) {
    extend_row(op, op.alive, j, k);
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

/// b of places that no solid is near: each volume is 1 and each surface 0.
void plain_rhs(const Viscosity& given, Range places, int j, int k) {
    const Viscosity op = given;
    INDEPENDENT
    for (int i = places.first; i <= places.last; ++i) {
        op.b(i, j, k) = op.u(i, j, k);
    }
}

/// Their weights and shares.
void plain_weights(const Viscosity& op, Range places, int j, int k) {
    const int count = places.last - places.first + 1;
    for (int along = 0; along < (op.around.deep ? 3 : 2); ++along) {
        std::fill_n(&op.weight[along](places.first, j, k), count, 1.0f);
    }
    std::fill_n(&op.share(places.first, j, k), count, 1.0f);
}

#ifdef REGISTERS

/// The equations of places inside the box, for one component, as many at once as fill a register.
/// Returns the place after the last one that is done.
template <int axis, bool deep>
int viscosity_inside(const Viscosity& given, Range places, int j, int k) {
    Viscosity op = given;
    op.around.axis = axis;
    op.around.deep = deep;
    int i = places.first;
    while (with_registers(places.last - i + 1, [&](auto width) {
        constexpr int floats = decltype(width)::floats;
        for (; i + floats - 1 <= places.last; i += floats) {
            op.template inside<typename Register<floats>::Floats>(i, j, k);
        }
    })) {
    }
    return i;
}

int viscosity_inside(const Viscosity& op, Range places, int j, int k) {
    const int axis = op.around.axis;
    if (op.around.deep) {
        return axis == 0   ? viscosity_inside<0, true>(op, places, j, k)
               : axis == 1 ? viscosity_inside<1, true>(op, places, j, k)
                           : viscosity_inside<2, true>(op, places, j, k);
    }
    return axis == 0 ? viscosity_inside<0, false>(op, places, j, k)
                     : viscosity_inside<1, false>(op, places, j, k);
}

#endif

/// The equations of places that a solid may be near.
void any_viscosity(const Viscosity& op, Range places, int j, int k) {
    int i = places.first;
#ifdef REGISTERS
    for (; i <= places.last && !op.is_inside(i, j, k); ++i) {
        op(i, j, k);
    }
    const int last = places.last < op.n[0] ? places.last : op.n[0] - 1;
    if (i <= last) {
        i = viscosity_inside(op, {i, last}, j, k);
    }
#endif
    for (; i <= places.last; ++i) {
        op(i, j, k);
    }
}

void row(const Viscosity& given, int j, int k) {
    const Viscosity op = given;
    const Range x = op.places.x;
    const bool has_equations = j <= op.places.y.last && k <= op.places.z.last;
    RowsNearSolids near = op.around.near_solids;
    if (is_known_plain(near, j, k) && is_known_plain(near, j - 1, k) &&
        is_known_plain(near, j, k - 1)) {
        if (has_equations) {
            plain_rhs(op, x, j, k);  // nobody reads the weights
        }
        return;
    }
    if (!has_equations) {
        row<Viscosity>(given, j, k);
        return;
    }
    if (near.near == nullptr && is_plain(op.around, x, j, k)) {
        plain_rhs(op, x, j, k);
        plain_weights(op, x, j, k);
    } else {
        for_parts(x, near_part(near, x, j, k), [&](Range places, auto is_plain) {
            if constexpr (is_plain()) {
                plain_rhs(op, places, j, k);
                plain_weights(op, places, j, k);
            } else {
                any_viscosity(op, places, j, k);
            }
        });
    }
    op(op.over.x.last, j, k);
}

/// The faces of a row that may have any friction, as far as a look at them tells, or as it is
/// known: whole lots of as many as there are lanes.
Range faces_with_friction(const Friction& op, int j, int k) {
    const Range all = op.over.x;
    if (op.around.near_solids.near != nullptr) {
        return near_part(op.around.near_solids, all, j, k);
    }
    const Array& f = op.around.f[op.around.axis];
    const Range x = {all.first, all.last + 1};
    const bool is_none = is_plain(op.around, all, j, k) && all_one(f, x, j, k) &&
                         all_one(f, x, j + 1, k) && (!op.around.deep || all_one(f, x, j, k + 1));
    return is_none ? Range{all.last + 1, all.last} : all;
}

/// Friction on so many faces as there are lanes.
void friction_of(const Friction& op, int first, int j, int k, float values[lanes]) {
#ifdef REGISTERS
    const int at = first + op.around.cell.row * j + op.around.cell.layer * k;
    for (int n = 0; n < lanes; n += widest) {
        store(values + n, op.value<Register<widest>::Floats>(at + n));
    }
#else
    for (int n = 0; n < lanes; ++n) {
        values[n] = op(first + n, j, k);
    }
#endif
}

/// Friction is where a face or a neighbour of it is closed, on any side. So it is 0 on most faces,
/// which are left out; the others are added up in the same order as by sum_of_row().
double sum_of_row(const Friction& op, int j, int k) {
    const Range range = faces_with_friction(op, j, k);
    double sums[lanes] = {};
    int i = range.first;
    for (; i + lanes - 1 <= range.last; i += lanes) {
        float values[lanes];
        friction_of(op, i, j, k, values);
        for (int lane = 0; lane < lanes; ++lane) {
            sums[lane] += static_cast<double>(values[lane]);
        }
    }
    double sum = 0.0;
    for (; i <= range.last; ++i) {
        sum += static_cast<double>(op(i, j, k));
    }
    return sum + sum_of_lanes(sums);
}

}  // namespace
}  // namespace box
