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
// changes much within a register. Then all the points of a register lie within a window of a few
// rows, and of a few more places in each than there are lanes. The rows of the window are read a
// register at a time, and each lane selects: that is quicker than to read here and there. Where
// the flow changes more, each lane reads for itself, two floats at once. What it reads is written
// down first: an address that was just written as part of a register would have to be waited for.
// The arithmetic is the same.

using Values = Register<widest>::Floats;
using Integers = Register<widest>::Bits;

/// So many rows and layers has a window: the points lie between the first two or the last two.
constexpr int window_rows = 3;

/// So many places are read of each row.
#ifdef __AVX512F__
constexpr int window_places = widest + widest / 2;
#else
constexpr int window_places = widest + 2;
#endif

/// How the places along an axis are counted from 0: where a field lives on faces that is the first
/// face, elsewhere it is the ghost before the first cell.
template <int where, int axis>
struct Counted {
    static constexpr int before = where == axis ? 0 : 1;
    static int last(int n) { return n + before; }
    template <class Coordinate>
    static Coordinate from(const Coordinate& x) {
        return where == axis ? x : x + 0.5f;
    }
};

/// Where a window begins.
struct Window {
    int x, y, z;
    const float* first;
};

/// The first of `count` places, if it would be `first` but for the ends of the box.
CELL int first_within(int first, int last, int count) {
    const int most = last + 1 - count;
    const int from_0 = first > 0 ? first : 0;
    return from_0 < most ? from_0 : most;
}

/// The window around the point in the middle of a register, of which n is the first.
template <int where, bool deep>
CELL Window window_around(const Flow& flow, const Array& f, const Piece& points, int n) {
    using X = Counted<where, ON_X>;
    using Y = Counted<where, ON_Y>;
    using Z = Counted<where, ON_Z>;
    const Point middle = points.at<deep>(n + widest / 2);
    constexpr int to_left = widest / 2 + (window_places - widest - 1) / 2;
    Window found;
    found.x = first_within(static_cast<int>(X::from(middle.x)) - to_left, X::last(flow.nx),
                           window_places);
    found.y =
        first_within(static_cast<int>(Y::from(middle.y) - 0.5f), Y::last(flow.ny), window_rows);
    found.z = deep ? first_within(static_cast<int>(Z::from(middle.z) - 0.5f), Z::last(flow.nz),
                                  window_rows)
                   : 0;
    found.first =
        &f(found.x - X::before, found.y - Y::before, deep ? found.z - Z::before : found.z);
    return found;
}

/// How the points of a register lie along an axis.
struct Along {
    Integers place;  ///< the one before each point, counted from the window's first
    Values share;  ///< of the next place
};

/// For points whose coordinate, in places, is x. One at the last place belongs to the one before
/// it, as on_faces() says.
CELL void find_along(const Values& x, int first, int last, Along& found) {
    const Integers most = Integers{} + (last - 1);
    const Integers place = __builtin_convertvector(x, Integers);
    const Integers before = place < most ? place : most;
    found.share = x - __builtin_convertvector(before, Values);
    found.place = before - first;
}

CELL bool is_any_set(const Integers& bits) {
#ifdef __AVX512F__
    const __m512i all = reinterpret_cast<__m512i>(bits);
    return _mm512_test_epi32_mask(all, all) != 0;
#else
    const __m256i all = reinterpret_cast<__m256i>(bits);
    return _mm256_testz_si256(all, all) == 0;
#endif
}

/// A float and the one after it, read as one double, for half of the points of a register.
typedef double Pairs __attribute__((vector_size(sizeof(Values))));
constexpr int pairs_read = widest / 2;

/// Those that are `distances` floats away from `from`.
CELL Pairs pairs_at(const float* from, const int* distances) {
    const auto pair = [&](int n) __attribute__((always_inline)) {
        double both;
        __builtin_memcpy(&both, from + distances[n], sizeof both);
        return both;
    };
#ifdef __AVX512F__
    return Pairs{pair(0), pair(1), pair(2), pair(3), pair(4), pair(5), pair(6), pair(7)};
#else
    return Pairs{pair(0), pair(1), pair(2), pair(3)};
#endif
}

/// Between the two floats of each pair.
CELL Values between_pairs(const Pairs& begin, const Pairs& end, const Values& share) {
    const Values a = reinterpret_cast<Values>(begin);
    const Values b = reinterpret_cast<Values>(end);
#ifdef __AVX512F__
    const Values left =
        __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const Values right =
        __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#else
    const Values left = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    const Values right = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
    return between<Values>(left, right, share);
}

/// A field around the points of a register.
struct Nearby {
    Along x, y, z;
    const float* first;
    int row, layer;

    /// Between a and b where the points lie there, between b and c where they are further.
    CELL static Values select(const Integers& further, const Values& share, const Values& a,
                              const Values& b, const Values& c) {
        return between<Values>(further != 0 ? b : a, further != 0 ? c : b, share);
    }
#ifdef __AVX512F__
    /// Each lane takes the two that it needs from anywhere in the window.
    CELL Values in_row(const float* from) const {
        Values begin;
        load(begin, from);
        const __m512 end = _mm512_castps256_ps512(_mm256_loadu_ps(from + widest));
        const auto at = [&](const Integers& places) __attribute__((always_inline)) {
            return reinterpret_cast<Values>(_mm512_permutex2var_ps(
                reinterpret_cast<__m512>(begin), reinterpret_cast<__m512i>(places), end));
        };
        return between<Values>(at(x.place), at(x.place + 1), x.share);
    }
    CELL Integers far_along_row() const {
        return (x.place < 0) | (x.place > window_places - 2);
    }
#else
    /// The place of each lane is the one of the lane before it, and one more.
    CELL Values in_row(const float* from) const {
        Values here, next, last;
        load(here, from);
        load(next, from + 1);
        load(last, from + 2);
        return select(x.place - Register<widest>::counted, x.share, here, next, last);
    }
    CELL Integers far_along_row() const {
        return (x.place - Register<widest>::counted) & ~1;
    }
#endif
    CELL Values in_layer(const float* from) const {
        return select(y.place, y.share, in_row(from), in_row(from + row), in_row(from + 2 * row));
    }
    CELL Values in_box() const {
        return select(z.place, z.share, in_layer(first), in_layer(first + layer),
                      in_layer(first + 2 * layer));
    }
};

/// Points of a register of which some lie outside of the window: each lane reads for itself.
struct Apart {
    int n;  ///< the first of the points
    const float* first;
    int distances[widest];  ///< from there to the place before each point, in floats
    Values x, y, z;  ///< shares of the next places

    template <bool deep>
    CELL void write_down(int number, const Nearby& around) {
        n = number;
        first = around.first;
        x = around.x.share;
        y = around.y.share;
        Integers distance = around.x.place + around.row * around.y.place;
        if constexpr (deep) {
            z = around.z.share;
            distance += around.layer * around.z.place;
        }
        __builtin_memcpy(distances, &distance, sizeof distance);
    }
    CELL Values in_row(int away) const {
        const float* const from = first + away;
        return between_pairs(pairs_at(from, distances), pairs_at(from, distances + pairs_read), x);
    }
    CELL Values in_layer(int away, int row) const {
        return between<Values>(in_row(away), in_row(away + row), y);
    }
    CELL Values in_box(int row, int layer) const {
        return between<Values>(in_layer(0, row), in_layer(layer, row), z);
    }
};

/// Finds what is around the points of a register, of which n is the first. Returns whether all of
/// them lie in the window.
template <int where, bool deep>
CELL bool find_near(const Flow& flow, const Array& f, const Piece& points, int n,
                    const Window& window, Nearby& found) {
    using X = Counted<where, ON_X>;
    using Y = Counted<where, ON_Y>;
    using Z = Counted<where, ON_Z>;
    found.first = window.first;
    found.row = f.row;
    found.layer = f.layer;
    Values x;
    load(x, points.x + n);
    find_along(X::from(x), window.x, X::last(flow.nx), found.x);
    load(x, points.y + n);
    find_along(Y::from(x), window.y, Y::last(flow.ny), found.y);
    Integers across = found.y.place;
    if constexpr (deep) {
        load(x, points.z + n);
        find_along(Z::from(x), window.z, Z::last(flow.nz), found.z);
        across |= found.z.place;
    }
    return !is_any_set(found.far_along_row() | (across & ~1));
}

/// Has the window two rows further on brought into the cache, as far as no row before needs it:
/// what lies ahead of all the rows and layers that have been done. The processor cannot see the
/// order in which windows are read. Steps of 512 x 512 and of 128 x 128 x 128 cells that cross
/// three take 9 and 6 % more without.
template <bool deep>
CELL void fetch_ahead(const Window& window, const Array& f) {
    constexpr int last = window_rows - 1;
    const float* const front = window.first + (last + 2) * f.row + (deep ? last * f.layer : 0);
    fetch(front);
    fetch(front + widest);
}

/// Whether the piece fills a register, and the box has room for a window.
CELL bool has_room(const Flow& flow, int count) {
    return count >= widest && flow.nx + 1 >= window_places && flow.ny + 1 >= window_rows &&
           (!flow.deep || flow.nz + 1 >= window_rows);
}

/// interpolate_apart() for a piece, a register at a time. The last one may do again what the one
/// before it has done.
template <int where, bool deep>
void interpolate_registers(const Flow& given, Array f, const Piece& points, int count,
                           float* values) {
    const Flow flow = given;
    const auto begin_of = [=](int n) { return n + widest <= count ? n : count - widest; };
    Apart apart[piece / widest];
    int aparts = 0;
    // Nothing can be read before it is known where. So that is worked out a register ahead.
    Window ahead = window_around<where, deep>(flow, f, points, 0);
    for (int from = 0; from < count; from += widest) {
        const int n = begin_of(from);
        const Window window = ahead;
        ahead = window_around<where, deep>(flow, f, points, begin_of(from + widest));
        fetch_ahead<deep>(window, f);
        Nearby near;
        if (find_near<where, deep>(flow, f, points, n, window, near)) {
            store(values + n, deep ? near.in_box() : near.in_layer(near.first));
        } else {
            apart[aparts].template write_down<deep>(n, near);
            ++aparts;
        }
    }
    for (int which = 0; which < aparts; ++which) {
        const Apart& one = apart[which];
        store(values + one.n, deep ? one.in_box(f.row, f.layer) : one.in_layer(0, f.row));
    }
}

#endif

template <int where, bool deep>
CELL void interpolate_points(const Flow& flow, const Array& f, const Piece& points, int count,
                             float* values) {
#ifdef NEAR_PLACES
    if (has_room(flow, count)) {
        interpolate_registers<where, deep>(flow, f, points, count, values);
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
    // With all the rows of a deep box that are read here and there, the processor does not expect
    // these. A step of 128 x 128 x 128 cells takes 3 % more without.
    if constexpr (deep) {
        fetch_row(&op.halfway.u(i, j + 2, k), count);
        fetch_row(&op.halfway.v(i, j + 2, k), count);
        fetch_row(&op.halfway.w(i, j + 2, k), count);
    }
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

}  // namespace
}  // namespace box
