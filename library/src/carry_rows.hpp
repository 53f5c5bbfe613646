// Rows of what is carried. It is a part of rows.cpp.
#pragma once

#include "library/src/registers.hpp"

#if defined(REGISTERS) && defined(__AVX__)
#include <immintrin.h>
#define NEAR_PLACES
#endif

namespace box {
namespace {

// A row is carried piece by piece, and a piece stage after stage: half the way back, the velocity
// there, all the way, and what is there. Each stage is a short loop, of which the processor has
// several turns under way at once.

/// So many places are a piece. What is kept of them stays in the first cache.
constexpr int piece = 128;

/// Points that fluid comes from, and the velocity found on the way.
struct Piece {
    float x[piece], y[piece], z[piece];
    float u[piece], v[piece], w[piece];
    bool is_rough = false;  ///< whether a quarter of the points, or more, have been found to be far

    template <bool deep>
    CELL void set(int n, const Point& to) {
        x[n] = to.x;
        y[n] = to.y;
        if constexpr (deep) {
            z[n] = to.z;
        }
    }
    template <bool deep>
    CELL Point at(int n) const {
        return {x[n], y[n], deep ? z[n] : 0.0f};
    }
};

/// What a field that lives there is at the points from `first` to before `end`.
template <int where, bool deep>
void interpolate_apart(const Flow& given, Array f, const Piece& points, int first, int end,
                       float* values) {
    const Flow flow = given;
    INDEPENDENT
    for (int n = first; n < end; ++n) {
        const Places p = places_at<where, deep>(flow, points.at<deep>(n));
        values[n] = interpolate<deep>(f, p.x, p.y, p.z);
    }
}

#ifdef NEAR_PLACES

// Neighbouring places get what they get from neighbouring places, or nearly so, unless the flow
// changes much within a register. Each point of a register then lies between the places that belong
// to its lane, or one further, along each axis. All these are read a register at a time, and each
// lane selects: that is quicker than to read here and there. The arithmetic is the same.

/// How the points of a register lie along an axis.
struct Along {
    using Floats = Register<widest>::Floats;
    using Bits = Register<widest>::Bits;
    int first;  ///< the place before the point of lane 0, or before that
    Bits is_further;  ///< the lanes whose point lies one place further
    Floats share;  ///< of the next place
    Floats from_first;  ///< how far it is from the lane's first place
};

/// For points whose coordinate, in places, is x. Along the row, the place of each lane is one
/// further than that of the lane before it. No place is before 0, and `first` is at most `most`. A
/// point at `end` belongs to the place before it, as on_faces() says.
template <bool along_row>
CELL void find_along(const Along::Floats& x, int most, float end, Along& found) {
    constexpr int middle = widest / 2;
    const Along::Floats zero = {};
    // All points are within reach that lie half a place around the one in the middle.
    found.first = static_cast<int>(x[middle] - 0.5f);
    Along::Floats places = zero;
    if constexpr (along_row) {
        found.first = found.first > middle ? found.first - middle : 0;
        places += __builtin_convertvector(Register<widest>::counted, Along::Floats);
    }
    found.first = found.first < most ? found.first : most;
    places += static_cast<float>(found.first);
    // Numbers that are that close have an exact difference, so the share is exact, too.
    found.from_first = x - places;
    found.is_further = (found.from_first >= 1.0f) & (x < end);
    found.share = found.from_first - (found.is_further ? zero + 1.0f : zero);
}

/// Whether any of these floats, as bits, is not from 0 to below 2: then its sign is set, or the
/// highest bit of its exponent.
CELL bool any_is_far(const Along::Bits& from_first) {
    constexpr int sign_and_exponent = -0x40000000;
#ifdef __AVX512F__
    return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(from_first),
                                  _mm512_set1_epi32(sign_and_exponent)) != 0;
#else
    return _mm256_testz_si256(reinterpret_cast<__m256i>(from_first),
                              _mm256_set1_epi32(sign_and_exponent)) == 0;
#endif
}

/// A field around the points of a register.
struct Nearby {
    using Floats = Along::Floats;
    Along x, y, z;
    const float* first;  ///< the first place along each axis
    int next_row, last_row, next_layer, last_layer;  ///< how far the others are from there

    CELL static Floats select(const Along& along, const Floats& here, const Floats& next,
                              const Floats& last) {
        return between<Floats>(along.is_further ? next : here, along.is_further ? last : next,
                               along.share);
    }
    CELL Floats in_row(const float* row) const {
        Floats here, next, last;
        load(here, row);
        load(next, row + 1);
        load(last, row + 2);
        return select(x, here, next, last);
    }
    CELL Floats in_layer(const float* layer) const {
        return select(y, in_row(layer), in_row(layer + next_row), in_row(layer + last_row));
    }
    CELL Floats in_box() const {
        return select(z, in_layer(first), in_layer(first + next_layer),
                      in_layer(first + last_layer));
    }
};

/// The points of a register, of which n is the first, among the places where a field lives.
template <int where, bool deep>
CELL void find_near(const Flow& flow, const Piece& points, int n, Nearby& found) {
    // Places are counted from 0: on faces that is the first one, at centres the ghost before it.
    constexpr int before_x = where == ON_X ? 0 : 1;
    constexpr int before_y = where == ON_Y ? 0 : 1;
    constexpr int before_z = where == ON_Z ? 0 : 1;
    Along::Floats x;
    load(x, points.x + n);
    const int last_x = flow.nx + before_x;
    find_along<true>(before_x == 0 ? x : x + 0.5f, last_x - widest - 1, static_cast<float>(last_x),
                     found.x);
    load(x, points.y + n);
    const int last_y = flow.ny + before_y;
    find_along<false>(before_y == 0 ? x : x + 0.5f, last_y - 1, static_cast<float>(last_y),
                      found.y);
    if constexpr (deep) {
        load(x, points.z + n);
        const int last_z = flow.nz + before_z;
        find_along<false>(before_z == 0 ? x : x + 0.5f, last_z - 1, static_cast<float>(last_z),
                          found.z);
    }
}

template <bool deep>
CELL bool is_far(const Nearby& near) {
    Along::Bits all = reinterpret_cast<Along::Bits>(near.x.from_first) |
                      reinterpret_cast<Along::Bits>(near.y.from_first);
    if constexpr (deep) {
        all |= reinterpret_cast<Along::Bits>(near.z.from_first);
    }
    return any_is_far(all);
}

/// What the field that they lie in is at the points, which are not far.
template <int where, bool deep>
CELL Along::Floats value_near(const Flow& flow, const Array& f, Nearby& near) {
    const int i = near.x.first - (where == ON_X ? 0 : 1);
    const int j = near.y.first - (where == ON_Y ? 0 : 1);
    const int k = deep ? near.z.first - (where == ON_Z ? 0 : 1) : 0;
    near.first = &f(i, j, k);
    near.next_row = f.row;
    near.last_row = j + 2 <= flow.ny ? 2 * f.row : f.row;
    near.next_layer = f.layer;
    near.last_layer = k + 2 <= flow.nz ? 2 * f.layer : f.layer;
    if constexpr (deep) {
        return near.in_box();
    } else {
        return near.in_layer(near.first);
    }
}

/// Whether registers may be looked for near places: floats must count places, and a row must have
/// room for a register.
CELL bool has_room(const Flow& flow, int count) {
    constexpr int most = 1 << 22;
    return count >= widest && flow.nx > widest && flow.nx <= most && flow.ny <= most &&
           flow.nz <= most;
}

/// interpolate_apart() for a piece, a register at a time where its points are not far. The last
/// register may do again what the one before it has done. If a quarter of the piece is far, the
/// rest is taken to be far, too.
template <int where, bool deep>
void interpolate_near(const Flow& given, Array f, Piece& points, int count, float* values) {
    const Flow flow = given;
    int far = 0;
    for (int from = 0; from < count; from += widest) {
        const int n = from + widest <= count ? from : count - widest;
        Nearby near;
        find_near<where, deep>(flow, points, n, near);
        if (!is_far<deep>(near)) {
            store(values + n, value_near<where, deep>(flow, f, near));
            continue;
        }
        far += widest;
        points.is_rough = 4 * far >= count;
        const int end = points.is_rough ? count : n + widest;
        interpolate_apart<where, deep>(flow, f, points, n, end, values);
        if (points.is_rough) {
            return;
        }
    }
}

#endif

template <int where, bool deep>
CELL void interpolate_points(const Flow& flow, const Array& f, Piece& points, int count,
                             float* values) {
#ifdef NEAR_PLACES
    if (!points.is_rough && has_room(flow, count)) {
        interpolate_near<where, deep>(flow, f, points, count, values);
        return;
    }
#endif
    interpolate_apart<where, deep>(flow, f, points, 0, count, values);
}

/// Finds the velocity half the way back from `count` places from (i, j, k) on, and stores it.
template <int where, bool deep>
void halfway_of_piece(const Flow& given, float steps, int i, int count, int j, int k, Piece& points,
                      float* u, float* v, float* w) {
    const Flow flow = given;
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        points.set<deep>(n,
                         moved<deep>(flow, place_of<where>(i + n, j, k),
                                     velocity_here<where, deep>(flow, i + n, j, k), 0.5f * steps));
    }
    interpolate_points<ON_X, deep>(flow, flow.u, points, count, u);
    interpolate_points<ON_Y, deep>(flow, flow.v, points, count, v);
    if constexpr (deep) {
        interpolate_points<ON_Z, deep>(flow, flow.w, points, count, w);
    }
}

/// upstream() for `count` places from (i, j, k) on.
template <int where, bool deep>
void upstream_of_piece(const Flow& given, float steps, int i, int count, int j, int k,
                       Piece& points) {
    const Flow flow = given;
    halfway_of_piece<where, deep>(flow, steps, i, count, j, k, points, points.u, points.v,
                                  points.w);
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        const Point velocity = {points.u[n], points.v[n], deep ? points.w[n] : 0.0f};
        points.set<deep>(n, moved<deep>(flow, place_of<where>(i + n, j, k), velocity, steps));
    }
}

/// Advect::from() for `count` places from (i, j, k) on.
template <int where, bool deep>
void from_piece(const Advect& given, int i, int count, int j, int k, Piece& points) {
    if (!given.has_halfway()) {
        upstream_of_piece<where, deep>(given.flow, given.steps, i, count, j, k, points);
        return;
    }
    const Advect op = given;
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        points.set<deep>(n, op.template along_halfway<where, deep>(i + n, j, k));
    }
}

template <int where, int together, bool deep>
void carry_piece(const Advect& op, int i, int count, int j, int k) {
    Piece from;
    from_piece<where, deep>(op, i, count, j, k, from);
    for (int n = 0; n < together; ++n) {
        interpolate_points<where, deep>(op.flow, op.x0[n], from, count, &op.x[n](i, j, k));
    }
}

template <int where, int together, bool deep>
void carry_piece(const Correct& given, int i, int count, int j, int k) {
    const Correct op = given;
    Piece to;
    Piece from;
    upstream_of_piece<where, deep>(op.flow, -op.steps, i, count, j, k, to);
    upstream_of_piece<where, deep>(op.flow, op.steps, i, count, j, k, from);
    INDEPENDENT
    for (int n = 0; n < count; ++n) {
        op.template add<where, together, deep>(to.at<deep>(n), from.at<deep>(n), i + n, j, k);
    }
}

/// A web page loads the loops, so there each place is done at once.
template <int where, int together, bool deep, class Op>
void carry(const Op& given, int j, int k) {
    const Op op = given;
    const int last = op.over.x.last;
    if constexpr (is_small) {
        INDEPENDENT
        for (int i = op.over.x.first; i <= last; ++i) {
            op.template cell<where, together, deep>(i, j, k);
        }
    } else {
        for (int i = op.over.x.first; i <= last; i += piece) {
            const int count = last - i + 1 < piece ? last - i + 1 : piece;
            carry_piece<where, together, deep>(op, i, count, j, k);
        }
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

/// Advect or Correct for the kind of place where the field lives.
template <bool deep, class Op>
void carry_kind(const Op& op, int j, int k) {
    if (op.where == ON_X) {
        carry<ON_X, 1, deep>(op, j, k);
        return;
    }
    if (op.where == ON_Y) {
        carry<ON_Y, 1, deep>(op, j, k);
        return;
    }
    if constexpr (deep) {
        if (op.where == ON_Z) {
            carry<ON_Z, 1, deep>(op, j, k);
            return;
        }
    }
    carry_scalars<1, deep>(op, j, k);
}

/// The same, for flat and deep fluids.
template <class Op>
void carry_any(const Op& op, int j, int k) {
    if (op.flow.deep) {
        carry_kind<true>(op, j, k);
    } else {
        carry_kind<false>(op, j, k);
    }
}

void row(const Advect& op, int j, int k) {
    carry_any(op, j, k);
}

void row(const Correct& op, int j, int k) {
    carry_any(op, j, k);
}

template <bool deep>
void halfway_row(const Halfway& op, int j, int k) {
    const int last = op.over.x.last;
    for (int i = op.over.x.first; i <= last; i += piece) {
        const int count = last - i + 1 < piece ? last - i + 1 : piece;
        Piece points;
        halfway_of_piece<AT_CENTRE, deep>(op.flow, op.steps, i, count, j, k, points, &op.u(i, j, k),
                                          &op.v(i, j, k), deep ? &op.w(i, j, k) : nullptr);
    }
}

void row(const Halfway& op, int j, int k) {
    if (op.flow.deep) {
        halfway_row<true>(op, j, k);
    } else {
        halfway_row<false>(op, j, k);
    }
}

}  // namespace
}  // namespace box
