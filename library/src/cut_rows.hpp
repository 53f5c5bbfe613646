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

/// Whether a whole row of the equations is what it is where there are no solids.
bool is_plain_row(const Cut& cut, Range places, int j, int k) {
    const Range all = cut.whole.x.range;
    return places.first == all.first && places.last == all.last &&
           is_known_plain(cut.near_solids, j, k);
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

/// As cut_row(), for the places from i on that a register holds.
template <int width, class Row, bool plain>
CELL auto cut_rows_at(const Cut& cut, const Array& x, int i, int j, int k) {
    using Floats = typename Register<width>::Floats;
    const Equations& e = cut.whole;
    const auto from = [&](const Array& array, int step) __attribute__((always_inline)) {
        Floats all;
        load(all, &array(i, j, k) + step);
        return all;
    };
    const auto open_from = [&](const Array& fractions, int step) __attribute__((always_inline)) {
        if constexpr (plain) {
            return Floats{} + 1.0f;
        } else {
            return from(fractions, step);
        }
    };
    Neighbours<Floats> near = {from(x, -1), from(x, 1), from(x, -x.row), from(x, x.row), {}, {}};
    Neighbours<Floats> open = {open_from(cut.fx, 0),
                               open_from(cut.fx, 1),
                               open_from(cut.fy, 0),
                               open_from(cut.fy, cut.fy.row),
                               {},
                               {}};
    Neighbours<Floats> counts = {Floats{} + 1.0f,
                                 Floats{} + 1.0f,
                                 Floats{} + counts_before(e.y, j),
                                 Floats{} + counts_after(e.y, j),
                                 {},
                                 {}};
    counts.before_x[0] = counts_before(e.x, i);
    counts.after_x[width - 1] = counts_after(e.x, i + width - 1);
    if constexpr (Row::deep) {
        near.before_z = from(x, -x.layer);
        near.after_z = from(x, x.layer);
        open.before_z = open_from(cut.fz, 0);
        open.after_z = open_from(cut.fz, cut.fz.layer);
        counts.before_z = Floats{} + counts_before(e.z, k);
        counts.after_z = Floats{} + counts_after(e.z, k);
    }
    Floats centre = {};
    if constexpr (Row::centred) {
        centre = e.centre * open_from(cut.share, 0);
    }
    return cut_rows_of<Row::deep>(near, open, counts, {e.x.weight, e.y.weight, e.z.weight}, centre);
}

#endif

/// Calls work(place, rows, here) for the places from first to last of a row, as many at once as
/// fill a register.
template <class Row, class Work>
void for_cut_rows(const Cut& cut, const Array& x, int j, int k, Range all, const Work& work) {
    const Range near = near_part(cut.near_solids, all, j, k);
    for_parts(all, near, [&](Range places, auto is_plain) {
        constexpr bool plain = is_plain();
        int i = places.first;
#ifdef REGISTERS
        while (with_registers(places.last - i + 1, [&](auto width) {
            constexpr int floats = decltype(width)::floats;
            for (; i + floats - 1 <= places.last; i += floats) {
                typename Register<floats>::Floats here;
                load(here, &x(i, j, k));
                work(i, cut_rows_at<floats, Row, plain>(cut, x, i, j, k), here);
            }
        })) {
        }
#endif
        INDEPENDENT
        for (; i <= places.last; ++i) {
            work(i, cut_row<Row::deep, Row::centred, plain>(cut, x, i, j, k), x(i, j, k));
        }
    });
}

/// Half a sweep over a row that nobody else looks at meanwhile: computes all places, and keeps
/// those of the colour (see relax_chunk()).
template <class Row>
void cut_relax_row(const CutRelax& given, int j, int k) {
    const CutRelax op = given;
    const Range range = op.over.x;
    float values[chunk];
    for (int first = range.first; first <= range.last; first += chunk) {
        const int last = first + chunk - 1 < range.last ? first + chunk - 1 : range.last;
        for_cut_rows<Row>(op.cut, op.x, j, k, {first, last},
                          [&](int i, const auto& rows, const auto& here) {
                              auto b = here;
                              load(b, &op.b(i, j, k));
                              const auto relaxed = cut_relaxed(rows, here, b, op.omega);
                              store(values + (i - first), relaxed);
                          });
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
    if (is_plain_row(op.cut, op.over.x, j, k)) {
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
void cut_residual_row(const CutResidual& given, int j, int k) {
    const CutResidual op = given;
    for_cut_rows<Row>(op.cut, op.x, j, k, op.over.x,
                      [&](int i, const auto& rows, const auto& here) {
                          auto b = here;
                          load(b, &op.b(i, j, k));
                          const auto left = cut_left_over(rows, here, b);
                          store(&op.r(i, j, k), left);
                      });
}

void row(const CutResidual& op, int j, int k) {
    if (op.b.data != op.r.data && is_plain_row(op.cut, op.over.x, j, k)) {
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
void cut_apply_row(const CutApply& given, int j, int k) {
    const CutApply op = given;
    for_cut_rows<Row>(op.cut, op.x, j, k, op.over.x,
                      [&](int i, const auto& rows, const auto& here) {
                          const auto product = rows.diagonal * here - rows.neighbours;
                          store(&op.y(i, j, k), product);
                      });
}

double sum_of_row(const CutApply& op, int j, int k) {
    with_kind(op.cut, [&](auto kind) { cut_apply_row<decltype(kind)>(op, j, k); });
    return sum_of_row(Product{op.over, op.x, op.y}, j, k);
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
        const float to_left = op.value(before, here, to_first(), first + 2 * m, j, k);
        const float to_right = op.value(here, after, to_second(), first + 2 * m + 1, j, k);
        x[2 * m] = to_left;
        x[2 * m + 1] = to_right;
    }
}

void row(const CutProlong& given, int j, int k) {
    prolong_row(given, j, k, [&](const CutProlong& op, int first, int pairs) {
        if (op.deep) {
            cut_prolong_pairs<true>(op, first, pairs, j, k);
        } else {
            cut_prolong_pairs<false>(op, first, pairs, j, k);
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
    if (op.deep) {
        cut_divergence_row<true>(op, j, k);
    } else {
        cut_divergence_row<false>(op, j, k);
    }
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

/// Does what there is to do in a row only where `open` is not more than 0, if it is there at all.
template <class Op>
void row_at_closed(const Op& given, const Array& open, int j, int k) {
    const Range near = near_part(given.near_solids, given.over.x, j, k);
    if (!all_positive(open, near, j, k)) {
        Op op = given;
        op.over.x = near;
        row<Op>(op, j, k);
    }
}

void row(const Enforce& op, int j, int k) {
    row_at_closed(op, op.f, j, k);
}

void row(const ExtendFaces& op, int j, int k) {
    row_at_closed(op, op.f, j, k);
}

void row(const ExtendCells& op, int j, int k) {
    row_at_closed(op, op.alive, j, k);
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
