// What is done to one cell, for the library behind stable_fluids.h. Each operation is a small
// struct that says which arrays it reads and writes, and whose call operator does one cell. The
// host's loops (rows.cpp) and the GPU's kernels (device.cu) both call these, so the arithmetic
// stands here once.
//
// Nothing here uses the standard library but std::floor: rows.cpp is compiled once for each width
// of the processor's registers, and a function that both shared could end up in the wrong program.
#pragma once

#include <cmath>

/// Stands before what the GPU may call, too, and is always part of its caller.
#if defined(__CUDACC__)
#define CELL __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define CELL inline __attribute__((always_inline))
#else
#define CELL inline
#endif

/// Stands before the longest of them. A web page loads each copy of a function, so in a page there
/// is one copy, which is called.
#ifdef __EMSCRIPTEN__
#define LONG_CELL __attribute__((noinline))
#else
#define LONG_CELL CELL
#endif

namespace box {

/// Whether this library is one for a web page, which loads all of it. It has neither solids nor
/// faces with a total pressure, and no STABLE_FLUIDS_MIDPOINT.
#ifdef STABLE_FLUIDS_SMALL
constexpr bool is_small = true;
#else
constexpr bool is_small = false;
#endif

// ---- Arrays ------------------------------------------------------------------------------------

/// Numbers for the places of a box. Around them are ghosts: places -1 and beyond the last, which
/// hold what a cell at a wall is to find there. A flat box has no ghosts along z. It owns nothing.
struct Array {
    float* data = nullptr;  ///< place (0, 0, 0)
    int row = 0;  ///< floats from a row to the next
    int layer = 0;  ///< floats from a layer to the next; 0 in a flat box

    CELL float& operator()(int i, int j, int k) const { return data[i + row * j + layer * k]; }
    /// Floats from a place to the next along an axis: 0, 1 or 2.
    CELL int step(int axis) const { return axis == 0 ? 1 : axis == 1 ? row : layer; }
};

/// The places from first to last, both included.
struct Range {
    int first = 0;
    int last = -1;
};

/// The places that an operation is for.
struct Extent {
    Range x, y, z;
};

/// Those along axis 0, 1 or 2.
CELL Range& range_of(Extent& over, int axis) {
    return axis == 0 ? over.x : axis == 1 ? over.y : over.z;
}
CELL const Range& range_of(const Extent& over, int axis) {
    return axis == 0 ? over.x : axis == 1 ? over.y : over.z;
}

CELL float smaller(float a, float b) {
    return a < b ? a : b;
}
CELL float larger(float a, float b) {
    return a > b ? a : b;
}

/// x += factor y
struct AddScaled {
    Extent over;
    Array x, y;
    float factor;

    CELL void operator()(int i, int j, int k) const { x(i, j, k) += factor * y(i, j, k); }
};

/// x = factor x + plus
struct Scale {
    Extent over;
    Array x;
    float factor, plus;

    CELL void operator()(int i, int j, int k) const { x(i, j, k) = factor * x(i, j, k) + plus; }
};

// ---- Walls -------------------------------------------------------------------------------------

/// One place along an axis that gets its value from another one: x(at) = times x(from) + plus.
struct Mirror {
    int at = 0, from = 0;
    float times = 1.0f, plus = 0.0f;
};

/// Gives the ghosts along one axis their values (Stam's set_bnd), and faces in the walls theirs: up
/// to four mirrors for each line of places along the axis. `over` has one place along that axis: 0.
struct SetBnd {
    Extent over;
    Array x;
    int axis;  ///< 0, 1 or 2
    int count;
    Mirror mirrors[4];

    CELL void operator()(int i, int j, int k) const {
        for (int n = 0; n < count; ++n) {
            const Mirror& m = mirrors[n];
            const float source = axis == 0   ? x(m.from, j, k)
                                 : axis == 1 ? x(i, m.from, k)
                                             : x(i, j, m.from);
            const float value = (m.times == 0.0f ? 0.0f : m.times * source) + m.plus;
            (axis == 0 ? x(m.at, j, k) : axis == 1 ? x(i, m.at, k) : x(i, j, m.at)) = value;
        }
    }
};

// ---- Equations ---------------------------------------------------------------------------------

/// A line of the equations along one axis. `weight` is what a neighbour counts. What the place
/// beyond either end counts, in weights: 1 if it is like any other, 0 behind a wall that nothing
/// passes, 2 if the value in the wall, half a place away, is given. Then the ghost holds twice that
/// value.
struct Axis {
    Range range;
    float weight = 0.0f;
    float low = 1.0f, high = 1.0f;
};

/// For each place:  centre x + sum over the neighbours of weight (x - neighbour) = b
struct Equations {
    Axis x, y, z;
    float centre = 0.0f;
    bool deep = false;  ///< whether there are neighbours along z

    CELL Extent over() const { return {x.range, y.range, z.range}; }
};

/// Those along axis 0, 1 or 2.
CELL Axis& axis_of(Equations& e, int axis) {
    return axis == 0 ? e.x : axis == 1 ? e.y : e.z;
}
CELL const Axis& axis_of(const Equations& e, int axis) {
    return axis == 0 ? e.x : axis == 1 ? e.y : e.z;
}

/// What the two neighbours along an axis count together at place i.
CELL float sides(const Axis& axis, int i) {
    return axis.weight * (2.0f + (i == axis.range.first ? axis.low - 1.0f : 0.0f) +
                          (i == axis.range.last ? axis.high - 1.0f : 0.0f));
}

CELL float diagonal(const Equations& e, int i, int j, int k) {
    return e.centre + sides(e.x, i) + sides(e.y, j) + (e.deep ? sides(e.z, k) : 0.0f);
}

// The arithmetic of a place. Value is a float, or a register of floats for as many places side by
// side (rows.cpp).

/// The values around a place: before it and after it along each axis.
template <class Value>
struct Neighbours {
    Value before_x, after_x, before_y, after_y, before_z, after_z;
};

/// What the neighbours along each axis count.
struct Weights {
    float x, y, z;
};

/// The sum of the neighbours, each times its weight.
template <bool deep, class Value>
CELL Value sum_of(const Neighbours<Value>& near, Weights weight) {
    const Value flat =
        weight.x * (near.before_x + near.after_x) + weight.y * (near.before_y + near.after_y);
    if constexpr (deep) {
        return flat + weight.z * (near.before_z + near.after_z);
    } else {
        return flat;
    }
}

/// What a place is set to that is `here`: what its own equation asks for, and omega times as far
/// from what it was (SOR).
template <class Value>
CELL Value relaxed_from(const Value& here, const Value& b, const Value& sum, const Value& inverse,
                        float omega) {
    const Value asked = (b + sum) * inverse;
    return here + omega * (asked - here);
}

/// What the equation of a place leaves over.
template <class Value>
CELL Value left_over(const Value& here, const Value& b, const Value& sum, const Value& diagonal) {
    return b + sum - diagonal * here;
}

/// The sum of the neighbours, each times its weight.
template <bool deep>
CELL float neighbours(const Equations& e, Array x, int i, int j, int k) {
    Neighbours<float> near = {x(i - 1, j, k), x(i + 1, j, k), x(i, j - 1, k),
                              x(i, j + 1, k), 0.0f,           0.0f};
    if constexpr (deep) {
        near.before_z = x(i, j, k - 1);
        near.after_z = x(i, j, k + 1);
    }
    return sum_of<deep>(near, {e.x.weight, e.y.weight, e.z.weight});
}

/// What a place with that diagonal is set to.
template <bool deep>
CELL float relaxed(const Equations& e, Array x, Array b, float omega, float inverse, int i, int j,
                   int k) {
    return relaxed_from(x(i, j, k), b(i, j, k), neighbours<deep>(e, x, i, j, k), inverse, omega);
}

/// One over the diagonal; 0 for a place that no equation says anything of.
CELL float inverse_of(float diagonal) {
    return diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
}

/// Half a red-black sweep: the places whose i + j + k is even (colour 0) or odd (1).
struct Relax {
    Equations equations;
    Array x, b;
    float omega;
    int colour;

    CELL void operator()(int i, int j, int k) const {
        if (((i + j + k) & 1) != colour) {
            return;
        }
        const float inverse = inverse_of(diagonal(equations, i, j, k));
        x(i, j, k) = equations.deep ? relaxed<true>(equations, x, b, omega, inverse, i, j, k)
                                    : relaxed<false>(equations, x, b, omega, inverse, i, j, k);
    }
};

/// r = b - A x. Returns r at the place; its square is added up.
struct Residual {
    Equations equations;
    Array x, b, r;

    /// r at the place, which is not written anywhere.
    CELL float at(int i, int j, int k) const {
        const float sum = equations.deep ? neighbours<true>(equations, x, i, j, k)
                                         : neighbours<false>(equations, x, i, j, k);
        return left_over(x(i, j, k), b(i, j, k), sum, diagonal(equations, i, j, k));
    }
    CELL float operator()(int i, int j, int k) const { return r(i, j, k) = at(i, j, k); }
};

// ---- From box to box ---------------------------------------------------------------------------

/// Which fine places lie under a coarse one along an axis, and how much of each.
struct Under {
    int first;
    float share[3];
};

/// Coarse place i of an axis with n fine ones, where it is as long as `ratio` of them, at most 2.
CELL Under under(int i, float ratio, int n) {
    const float begin = ratio * static_cast<float>(i);
    const float end = smaller(ratio * static_cast<float>(i + 1), static_cast<float>(n));
    const int first = static_cast<int>(begin);
    const float one = static_cast<float>(first + 1);
    return {first,
            {smaller(one, end) - begin, larger(0.0f, smaller(1.0f, end - one)),
             larger(0.0f, end - one - 1.0f)}};
}

/// Coarse b = the sum of the fine r under each place, the parts that belong to it.
struct Restrict {
    Extent over;  ///< of the coarse box
    Array r, b;
    int nx, ny, nz;  ///< of the fine box
    float ratio_x, ratio_y, ratio_z;  ///< fine places on a coarse one; 1 where there are as many

    /// What b is there. `fine` says what the fine r is at a place.
    template <class Fine>
    CELL float sum_of(const Fine& fine, int i, int j, int k) const {
        const Under in_x = under(i, ratio_x, nx);
        const Under in_y = under(j, ratio_y, ny);
        const Under in_z = under(k, ratio_z, nz);
        float sum = 0.0f;
        for (int c = 0; c < 3; ++c) {
            for (int q = 0; q < 3 && in_z.share[c] > 0.0f; ++q) {
                for (int a = 0; a < 3 && in_y.share[q] > 0.0f; ++a) {
                    if (in_x.share[a] > 0.0f) {
                        sum += in_z.share[c] * in_y.share[q] * in_x.share[a] *
                               fine(in_x.first + a, in_y.first + q, in_z.first + c);
                    }
                }
            }
        }
        return sum;
    }
    CELL void operator()(int i, int j, int k) const { b(i, j, k) = sum_of(r, i, j, k); }
};

/// Between place i and the next, and the share of the next.
struct Place {
    int i;
    float s;
};

/// Where the centre of fine place i lies among the coarse centres.
CELL Place among(int i, float ratio) {
    const float x = (static_cast<float>(i) + 0.5f) / ratio + 0.5f;  // 1 is the first centre
    const int before = static_cast<int>(x);
    return {before - 1, x - static_cast<float>(before)};
}

/// The value a share s of the way from one float to the next. Where the processor may read both at
/// once it does, since reading here and there is most of what it costs to be carried.
CELL float between_two(const float* first, float s) {
#if defined(__GNUC__) && !defined(__CUDACC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    typedef unsigned long long __attribute__((aligned(4), may_alias)) Two;
    const unsigned long long two = *reinterpret_cast<const Two*>(first);
    const float a = __builtin_bit_cast(float, static_cast<unsigned>(two));
    const float b = __builtin_bit_cast(float, static_cast<unsigned>(two >> 32));
#else
    const float a = first[0];
    const float b = first[1];
#endif
    return a + s * (b - a);
}

/// Linear interpolation between the four places around a point, or the eight.
template <bool deep>
CELL float interpolate(Array f, Place x, Place y, Place z) {
    const auto along_x = [&](int j, int k) { return between_two(&f(x.i, j, k), x.s); };
    const auto along_y = [&](int k) {
        const float a = along_x(y.i, k);
        return a + y.s * (along_x(y.i + 1, k) - a);
    };
    const float a = along_y(z.i);
    return deep ? a + z.s * (along_y(z.i + 1) - a) : a;
}

/// Column i of a box, between the rows that a point lies between.
template <bool deep>
CELL float between_rows(Array f, int i, Place y, Place z) {
    const auto along_y = [&](int k) {
        const float a = f(i, y.i, k);
        return a + y.s * (f(i, y.i + 1, k) - a);
    };
    const float a = along_y(z.i);
    return deep ? a + z.s * (along_y(z.i + 1) - a) : a;
}

/// Fine x += coarse x, interpolated between its centres. The coarse ghosts must have been set.
struct Prolong {
    Extent over;  ///< of the fine box
    Array coarse, x;
    float ratio_x, ratio_y, ratio_z;
    bool deep;

    template <bool with_z>
    CELL float correction(int i, int j, int k) const {
        const Place in_x = among(i, ratio_x);
        const Place in_y = among(j, ratio_y);
        const Place in_z = with_z ? among(k, ratio_z) : Place{0, 0.0f};
        const float a = between_rows<with_z>(coarse, in_x.i, in_y, in_z);
        return a + in_x.s * (between_rows<with_z>(coarse, in_x.i + 1, in_y, in_z) - a);
    }
    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) += deep ? correction<true>(i, j, k) : correction<false>(i, j, k);
    }
};

// ---- Being carried -----------------------------------------------------------------------------

/// A point, in cells from the box's corner: the centre of cell (i, j, k) is at i + 0.5 and so on,
/// the face left of it at i.
struct Point {
    float x, y, z;
};

/// What carries: the velocity, and the box it is in. All ghosts must have been set.
struct Flow {
    Array u, v, w;
    int nx, ny, nz;
    float around_x, around_y, around_z;  ///< cells to the same place again if the faces are joined,
    float per_x, per_y, per_z;  ///< and one over that; 0 and 0 if they are not
    bool deep;
};

/// Where a quantity lives: on the faces that look along x, y or z, or at the centres.
enum Where { ON_X = 0, ON_Y = 1, ON_Z = 2, AT_CENTRE = 3 };

/// A point that has left the box comes in again on the other side, or is pulled back to the wall.
/// Even one that is not a number ends inside: a comparison with NaN is false.
CELL float inside(float x, int n, float around, float per) {
    const float length = static_cast<float>(n);
    const float once = x - around * std::floor(x * per);
    const float above = once > 0.0f ? once : 0.0f;
    return above < length ? above : length;
}

CELL Place on_faces(float x, int n) {
    const int i = static_cast<int>(x);
    const int before = i < n ? i : n - 1;
    return {before, x - static_cast<float>(before)};
}

CELL Place at_centres(float x) {
    const float from_first = x + 0.5f;
    const int i = static_cast<int>(from_first);
    return {i - 1, from_first - static_cast<float>(i)};
}

/// The velocity at a point inside, each component from its own faces.
template <bool deep>
CELL Point velocity_at(const Flow& flow, Point p) {
    const Place face_x = on_faces(p.x, flow.nx);
    const Place face_y = on_faces(p.y, flow.ny);
    const Place centre_x = at_centres(p.x);
    const Place centre_y = at_centres(p.y);
    if (!deep) {
        return {interpolate<false>(flow.u, face_x, centre_y, {0, 0.0f}),
                interpolate<false>(flow.v, centre_x, face_y, {0, 0.0f}), 0.0f};
    }
    const Place centre_z = at_centres(p.z);
    return {interpolate<true>(flow.u, face_x, centre_y, centre_z),
            interpolate<true>(flow.v, centre_x, face_y, centre_z),
            interpolate<true>(flow.w, centre_x, centre_y, on_faces(p.z, flow.nz))};
}

/// The average of the four faces of another kind around a face: `a` and `b` are one step back along
/// the one axis, and one ahead along the other.
CELL float average4(Array f, int i, int j, int k, int back, int ahead) {
    const float* here = &f(i, j, k);
    return 0.25f * ((here[back] + here[0]) + (here[back + ahead] + here[ahead]));
}

/// The velocity just where a quantity lives.
template <int where, bool deep>
CELL Point velocity_here(const Flow& flow, int i, int j, int k) {
    const Array u = flow.u;
    const Array v = flow.v;
    const Array w = flow.w;
    Point at = {0.0f, 0.0f, 0.0f};
    if (where == ON_X) {
        at.x = u(i, j, k);
        at.y = average4(v, i, j, k, -1, v.row);
        at.z = deep ? average4(w, i, j, k, -1, w.layer) : 0.0f;
    } else if (where == ON_Y) {
        at.x = average4(u, i, j, k, -u.row, 1);
        at.y = v(i, j, k);
        at.z = deep ? average4(w, i, j, k, -w.row, w.layer) : 0.0f;
    } else if (where == ON_Z) {
        at.x = average4(u, i, j, k, -u.layer, 1);
        at.y = average4(v, i, j, k, -v.layer, v.row);
        at.z = w(i, j, k);
    } else {
        at.x = 0.5f * (u(i, j, k) + u(i + 1, j, k));
        at.y = 0.5f * (v(i, j, k) + v(i, j + 1, k));
        at.z = deep ? 0.5f * (w(i, j, k) + w(i, j, k + 1)) : 0.0f;
    }
    return at;
}

template <int where>
CELL Point velocity_here(const Flow& flow, int i, int j, int k) {
    return flow.deep ? velocity_here<where, true>(flow, i, j, k)
                     : velocity_here<where, false>(flow, i, j, k);
}

/// The velocity at the centre of a face.
CELL Point velocity_on_face(const Flow& flow, int axis, int i, int j, int k) {
    if (axis == 0) {
        return velocity_here<ON_X>(flow, i, j, k);
    }
    if (axis == 1) {
        return velocity_here<ON_Y>(flow, i, j, k);
    }
    return velocity_here<ON_Z>(flow, i, j, k);
}

template <bool deep>
CELL Point moved(const Flow& flow, Point p, Point velocity, float steps) {
    return {inside(p.x - steps * velocity.x, flow.nx, flow.around_x, flow.per_x),
            inside(p.y - steps * velocity.y, flow.ny, flow.around_y, flow.per_y),
            deep ? inside(p.z - steps * velocity.z, flow.nz, flow.around_z, flow.per_z) : 0.0f};
}

/// Where a quantity that lives there has its value number (i, j, k).
template <int where>
CELL Point place_of(int i, int j, int k) {
    return {static_cast<float>(i) + (where == ON_X ? 0.0f : 0.5f),
            static_cast<float>(j) + (where == ON_Y ? 0.0f : 0.5f),
            static_cast<float>(k) + (where == ON_Z ? 0.0f : 0.5f)};
}

/// Where what arrives at a place was before, in two stages: half the way with the velocity here,
/// then all the way with the velocity found there (RK2). `steps` is how many cells a velocity of 1
/// crosses; less than 0, it is traced forward.
template <int where, bool deep>
LONG_CELL Point upstream(const Flow& flow, float steps, int i, int j, int k) {
    const Point p = place_of<where>(i, j, k);
    const Point half =
        moved<deep>(flow, p, velocity_here<where, deep>(flow, i, j, k), 0.5f * steps);
    return moved<deep>(flow, p, velocity_at<deep>(flow, half), steps);
}

/// The places around a point, of a quantity that lives there.
struct Places {
    Place x, y, z;
};

template <int where, bool deep>
CELL Places places_at(const Flow& flow, Point p) {
    return {where == ON_X ? on_faces(p.x, flow.nx) : at_centres(p.x),
            where == ON_Y ? on_faces(p.y, flow.ny) : at_centres(p.y),
            !deep           ? Place{0, 0.0f}
            : where == ON_Z ? on_faces(p.z, flow.nz)
                            : at_centres(p.z)};
}

/// So many scalars are carried together. Each one more makes the loops larger, and a web page loads
/// them.
#ifdef __EMSCRIPTEN__
constexpr int most_carried = 1;
constexpr int most_corrected = 1;
#else
constexpr int most_carried = 3;
constexpr int most_corrected = 2;
#endif

/// x[n] = x0[n], as it is upstream, for the first `count` fields. They live at the same places, so
/// one trace does for all of them. Several are scalars.
struct Advect {
    static constexpr int most = most_carried;
    Extent over;
    Flow flow;
    float steps;
    int where;
    int count;
    Array x[most], x0[most];

    template <int at, int together, bool deep>
    CELL void cell(int i, int j, int k) const {
        const Places p = places_at<at, deep>(flow, upstream<at, deep>(flow, steps, i, j, k));
        read<together, deep>(p, i, j, k);
    }
    /// Those from n on. A loop would keep GCC from doing several cells at once.
    template <int together, bool deep, int n = 0>
    CELL void read(const Places& p, int i, int j, int k) const {
        x[n](i, j, k) = interpolate<deep>(x0[n], p.x, p.y, p.z);
        if constexpr (n + 1 < together) {
            read<together, deep, n + 1>(p, i, j, k);
        }
    }
};

/// The smallest and the largest of some numbers.
struct Limits {
    float low, high;
};

/// The places from which there is something to see along an axis: not the ghosts behind walls.
CELL Range seen_from(int n, bool on_faces, float around) {
    return on_faces || around > 0.0f ? Range{-1, n} : Range{0, n - 1};
}

/// The place, or the nearest one in the range.
CELL int within(Range range, int i) {
    const int above = i > range.first ? i : range.first;
    return above < range.last ? above : range.last;
}

/// The limits of the four places around a point, or the eight, and of what is read there. A ghost
/// is none of them: behind a wall whose value is given, it holds more than there is.
template <int where, bool deep>
CELL Limits limits_of(const Flow& flow, Array f, Places p, float read) {
    const Range seen_x = seen_from(flow.nx, where == ON_X, flow.around_x);
    const auto in_x = [&](int i) { return within(seen_x, i); };
    const Range seen_y = seen_from(flow.ny, where == ON_Y, flow.around_y);
    const auto in_y = [&](int j) { return within(seen_y, j); };
    const Range seen_z = seen_from(flow.nz, where == ON_Z, flow.around_z);
    const auto in_z = [&](int k) { return within(seen_z, k); };
    const int left = in_x(p.x.i);
    const int right = in_x(p.x.i + 1);
    Limits limits = {read, read};
    const auto look_at = [&](float value) {
        limits.low = smaller(limits.low, value);
        limits.high = larger(limits.high, value);
    };
    const auto look_at_layer = [&](int k) {
        look_at(f(left, in_y(p.y.i), k));
        look_at(f(right, in_y(p.y.i), k));
        look_at(f(left, in_y(p.y.i + 1), k));
        look_at(f(right, in_y(p.y.i + 1), k));
    };
    look_at_layer(deep ? in_z(p.z.i) : 0);
    if (deep) {
        look_at_layer(in_z(p.z.i + 1));
    }
    return limits;
}

/// By how many cells a trace forward and a trace back from x differ along an axis: each should end
/// as far from x as the other. Either may have come in again on the other side.
CELL float difference(float ahead, float behind, float x, float around, float per) {
    const float found = ahead + behind - 2.0f * x;
    return found - around * std::floor(found * per + 0.5f);
}

/// x[n] = what MacCormack's method makes of x1[n], which Advect has made of x0[n]: carried forward
/// again, x1 should be x0, and half of what is missing is added. The result stays within what the
/// places around the point upstream hold, so nothing overshoots (Selle et al. 2008).
///
/// What is missing is the error only where a trace forward undoes a trace back. Else it is as large
/// as the differences between neighbours, and to add it makes a rough flow that crosses several
/// cells in a step faster and faster. So less is added the more the traces differ, and nothing
/// where they differ by half a cell. In a smooth flow, that difference is of order dt^2.
struct Correct {
    static constexpr int most = most_corrected;
    Extent over;
    Flow flow;
    float steps;
    int where;
    int count;
    Array x[most], x1[most], x0[most];

    template <int at, int together, bool deep>
    CELL void cell(int i, int j, int k) const {
        const Point to = upstream<at, deep>(flow, -steps, i, j, k);
        const Point from = upstream<at, deep>(flow, steps, i, j, k);
        const Point here = place_of<at>(i, j, k);
        const float dx = difference(to.x, from.x, here.x, flow.around_x, flow.per_x);
        const float dy = difference(to.y, from.y, here.y, flow.around_y, flow.per_y);
        const float dz = deep ? difference(to.z, from.z, here.z, flow.around_z, flow.per_z) : 0.0f;
        const float share = larger(0.0f, 0.5f - 2.0f * (dx * dx + dy * dy + dz * dz));
        const Places ahead = places_at<at, deep>(flow, to);
        const Places behind = places_at<at, deep>(flow, from);
        correct<at, deep>(x[0], x1[0], x0[0], ahead, behind, share, i, j, k);
        if constexpr (together > 1) {
            correct<at, deep>(x[1], x1[1], x0[1], ahead, behind, share, i, j, k);
        }
    }
    template <int at, bool deep>
    CELL void correct(Array to, Array tried, Array from, const Places& ahead, const Places& behind,
                      float share, int i, int j, int k) const {
        const float back = interpolate<deep>(tried, ahead.x, ahead.y, ahead.z);
        const float value = tried(i, j, k) + share * (from(i, j, k) - back);
        const Limits limits = limits_of<at, deep>(flow, from, behind, tried(i, j, k));
        to(i, j, k) = larger(limits.low, smaller(limits.high, value));
    }
};

// ---- The energy of what is carried -------------------------------------------------------------

// What MacCormack's method adds is within limits, but its energy is not: in three dimensions the
// velocity would become faster and faster with nothing that drives it. So of the correction d of
// the linear result f only a share is added: the largest one for which f + share d has no more
// energy than there was before, with what flows in, or than f has, if this is more.

/// Sums over the faces of all components of a velocity: the squares of what it was before it was
/// carried, those of the linear result f, f times the correction d, and the squares of d. Between
/// solids, a face counts as much as its fraction says, as it does in the projection, which then
/// makes no energy either.
struct Energies {
    double before = 0.0, linear = 0.0, both = 0.0, correction = 0.0;

    CELL Energies& operator+=(const Energies& more) {
        before += more.before;
        linear += more.linear;
        both += more.both;
        correction += more.correction;
        return *this;
    }
};

/// The largest share from 0 to 1 of the correction: the root of a quadratic equation. Where a sum
/// is not a number, it is 0.
CELL double largest_share(const Energies& energies) {
    const double a = energies.correction;
    const double b = energies.both;
    const double most = energies.before > energies.linear ? energies.before : energies.linear;
    const double room = most - energies.linear;
    if (a + 2.0 * b <= room) {
        return 1.0;
    }
    const double root = std::sqrt(b * b + a * room);
    const double share = b > 0.0 ? room / (root + b) : (root - b) / a;
    return share > 0.0 ? (share < 1.0 ? share : 1.0) : 0.0;
}

/// What a face adds to each of the sums, where Value is as in Neighbours.
template <class Value>
struct EnergyParts {
    Value before, linear, both, correction;

    /// With the velocity before, the linear result and the correction.
    CELL EnergyParts(const Value& was, const Value& f, const Value& d)
        : before(was * was), linear(f * f), both(f * d), correction(d * d) {}
};

/// Returns what a face adds to each of the sums.
struct Energy {
    Extent over;
    Array before, linear, corrected;
    Array open;  ///< the fractions of the faces; it has no data where there are no solids

    using Parts = EnergyParts<float>;
    CELL Parts operator()(int i, int j, int k) const {
        const float counts = open.data != nullptr ? open(i, j, k) : 1.0f;
        const float f = linear(i, j, k);
        Parts parts(before(i, j, k), f, corrected(i, j, k) - f);
        parts.before *= counts;
        parts.linear *= counts;
        parts.both *= counts;
        parts.correction *= counts;
        return parts;
    }
};

/// x = linear + share (x - linear)
struct Blend {
    Extent over;
    Array x, linear;
    float share;

    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) = linear(i, j, k) + share * (x(i, j, k) - linear(i, j, k));
    }
};

/// Returns the squares of the velocity that comes in through a face of the box in a step, times the
/// cells that it fills.
struct FlowsIn {
    Extent over;  ///< the faces at one end of the box
    Flow flow;
    Array open;  ///< as in Energy
    float steps;
    int axis;
    bool high;  ///< whether it is the high end

    CELL float operator()(int i, int j, int k) const {
        const Point u = velocity_on_face(flow, axis, i, j, k);
        const float across = axis == 0 ? u.x : axis == 1 ? u.y : u.z;
        const float counts = open.data != nullptr ? open(i, j, k) : 1.0f;
        const float fills = counts * steps * larger(0.0f, high ? -across : across);
        return fills * (u.x * u.x + u.y * u.y + u.z * u.z);
    }
};

/// Returns the same for what solids push into a cell through the closed parts of its faces. A
/// nozzle is such a solid.
struct PushedIn {
    Extent over;
    Array f[3], s[3];  ///< fractions, and the solid's velocity
    Array alive;
    float steps;
    bool deep;

    CELL float operator()(int i, int j, int k) const {
        if (!(alive(i, j, k) > 0.0f)) {
            return 0.0f;
        }
        float through = 0.0f;
        float squares = 0.0f;
        for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
            const int ahead = f[axis].step(axis);
            const float* const open = &f[axis](i, j, k);
            const float* const speed = &s[axis](i, j, k);
            through += (1.0f - open[0]) * speed[0] - (1.0f - open[ahead]) * speed[ahead];
            squares += larger(speed[0] * speed[0], speed[ahead] * speed[ahead]);
        }
        return steps * larger(0.0f, through) * squares;
    }
};

/// Returns the same for what expands in a cell.
struct Expands {
    Extent over;
    Flow flow;
    Array expansion;
    float dt;

    CELL float operator()(int i, int j, int k) const {
        const Point u = velocity_here<AT_CENTRE>(flow, i, j, k);
        return dt * larger(0.0f, expansion(i, j, k)) * (u.x * u.x + u.y * u.y + u.z * u.z);
    }
};

// ---- Pressure ----------------------------------------------------------------------------------

/// What flows out of a cell through its faces, in m/s: the divergence times h.
template <bool deep>
CELL float outflow(Array u, Array v, Array w, int i, int j, int k) {
    const float flat = (u(i + 1, j, k) - u(i, j, k)) + (v(i, j + 1, k) - v(i, j, k));
    return deep ? flat + (w(i, j, k + 1) - w(i, j, k)) : flat;
}

/// x = factor times what flows out. Returns x.
struct Divergence {
    Extent over;
    Array u, v, w, x;
    float factor;
    bool deep;

    CELL float operator()(int i, int j, int k) const {
        return x(i, j, k) = factor * (deep ? outflow<true>(u, v, w, i, j, k)
                                           : outflow<false>(u, v, w, i, j, k));
    }
};

/// u -= the difference of q across the face, for one component.
struct Gradient {
    Extent over;
    Array u, q;
    int axis;

    CELL void operator()(int i, int j, int k) const {
        const int back = -q.step(axis);
        const float* here = &q(i, j, k);
        u(i, j, k) -= here[0] - here[back];
    }
};

/// The dynamic pressure at faces of the box where the total pressure is given: half the square of
/// the velocity that comes in. A pressure that followed the velocity at once would make it swing
/// between neighbouring faces, because what comes in faster would be held back by too much. So of
/// the difference it takes the share 1 / (1 + c) in each step, where c is how many cells the flow
/// crosses in it. What is no number any more counts as 0.
struct HoldBack {
    Extent over;  ///< the faces at one end of the box
    Array u;  ///< the velocity across them
    Array pressure, next;  ///< before the step and in it
    float steps;
    bool high;  ///< whether it is the high end

    CELL void operator()(int i, int j, int k) const {
        const float across = high ? -u(i, j, k) : u(i, j, k);
        const float comes_in = larger(0.0f, across);
        const float crosses = steps * larger(across, -across);
        const float before = pressure(i, j, k) < 1e30f ? pressure(i, j, k) : 0.0f;
        next(i, j, k) = before + (0.5f * comes_in * comes_in - before) / (1.0f + crosses);
    }
};

// ---- Solids ------------------------------------------------------------------------------------

// Solids cut the cells: a face has a share that is open to the fluid, its fraction, and so has a
// cell. The pressure's equations then have the fractions for weights (Batty, Bertails and Bridson
// 2007, "A Fast Variational Framework for Accurate Solid-Fluid Coupling"; Ng, Min and Gibou 2009,
// "An Efficient Fluid-Solid Coupling Algorithm for Single-Phase Flows", equation 12).

/// Equations in a box with solids: those of `whole`, but what passes between two places counts as
/// much as f of the latter says, and `centre` as much as `share` does. Where the share is less than
/// 0, the value is given, and stays. If whole.centre is 0, there is no share.
struct Cut {
    Equations whole;
    Array fx, fy, fz;
    Array share;
};

/// What the neighbours along an axis count together at place i.
CELL float cut_sides(const Axis& axis, int i, float before, float after) {
    return axis.weight * (before * (i == axis.range.first ? axis.low : 1.0f) +
                          after * (i == axis.range.last ? axis.high : 1.0f));
}

/// One row of the equations: its diagonal, the sum of the neighbours, each times its weight, and
/// whether it is there: else the value is given.
struct CutRow {
    float diagonal, neighbours;
    bool there;
};

/// The row of a place. `centred` is whether `centre` counts anything.
template <bool deep, bool centred>
CELL CutRow cut_row(const Cut& cut, Array x, int i, int j, int k) {
    const Equations& e = cut.whole;
    const float left = cut.fx(i, j, k);
    const float right = cut.fx(i + 1, j, k);
    const float above = cut.fy(i, j, k);
    const float below = cut.fy(i, j + 1, k);
    CutRow row = {cut_sides(e.x, i, left, right) + cut_sides(e.y, j, above, below),
                  e.x.weight * (left * x(i - 1, j, k) + right * x(i + 1, j, k)) +
                      e.y.weight * (above * x(i, j - 1, k) + below * x(i, j + 1, k)),
                  true};
    if (deep) {
        const float front = cut.fz(i, j, k);
        const float back = cut.fz(i, j, k + 1);
        row.diagonal += cut_sides(e.z, k, front, back);
        row.neighbours += e.z.weight * (front * x(i, j, k - 1) + back * x(i, j, k + 1));
    }
    if (centred) {
        const float centre = e.centre * cut.share(i, j, k);
        row.diagonal += centre;
        row.there = centre >= 0.0f;
    }
    return row;
}

/// The same for equations of any kind.
CELL CutRow cut_row(const Cut& cut, Array x, int i, int j, int k) {
    if (cut.whole.centre != 0.0f) {
        return cut.whole.deep ? cut_row<true, true>(cut, x, i, j, k)
                              : cut_row<false, true>(cut, x, i, j, k);
    }
    return cut.whole.deep ? cut_row<true, false>(cut, x, i, j, k)
                          : cut_row<false, false>(cut, x, i, j, k);
}

/// Half a red-black sweep with over-relaxation, as Relax.
struct CutRelax {
    Extent over;
    Cut cut;
    Array x, b;
    float omega;
    int colour;

    /// What the place with that row of the equations is set to, if its colour is due.
    CELL float value(const CutRow& row, int i, int j, int k) const {
        const bool asks = row.there & (row.diagonal > 0.0f);
        const float here = x(i, j, k);
        const float asked = (b(i, j, k) + row.neighbours) / (asks ? row.diagonal : 1.0f);
        const float there = here + omega * (asked - here);
        return asks ? there : here;
    }
    CELL void operator()(int i, int j, int k) const {
        if (((i + j + k) & 1) == colour) {
            x(i, j, k) = value(cut_row(cut, x, i, j, k), i, j, k);
        }
    }
};

/// r = b - A x. Returns r at the place: 0 where no equation says anything, if b is 0 there.
struct CutResidual {
    Extent over;
    Cut cut;
    Array x, b, r;

    CELL float value(const CutRow& row, int i, int j, int k) const {
        const float left = b(i, j, k) + row.neighbours - row.diagonal * x(i, j, k);
        return row.there ? left : 0.0f;
    }
    CELL float operator()(int i, int j, int k) const {
        return r(i, j, k) = value(cut_row(cut, x, i, j, k), i, j, k);
    }
};

/// y = A x. Returns x y at the place.
struct CutApply {
    Extent over;
    Cut cut;
    Array x, y;

    CELL float value(const CutRow& row, int i, int j, int k) const {
        return row.diagonal * x(i, j, k) - row.neighbours;
    }
    CELL float operator()(int i, int j, int k) const {
        y(i, j, k) = value(cut_row(cut, x, i, j, k), i, j, k);
        return x(i, j, k) * y(i, j, k);
    }
};

/// z = x y
struct Multiply {
    Extent over;
    Array x, y, z;

    CELL void operator()(int i, int j, int k) const { z(i, j, k) = x(i, j, k) * y(i, j, k); }
};

/// Returns x y at the place.
struct Product {
    Extent over;
    Array x, y;

    CELL float operator()(int i, int j, int k) const { return x(i, j, k) * y(i, j, k); }
};

/// x = y + factor x
struct Combine {
    Extent over;
    Array x, y;
    float factor;

    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) = y(i, j, k) + factor * x(i, j, k);
    }
};

/// As Prolong, but only from coarse cells that fluid is in, and to such cells.
struct CutProlong {
    Extent over;  ///< of the fine box
    Array coarse, coarse_alive, x, alive;
    float ratio_x, ratio_y, ratio_z;
    bool deep;

    /// What some coarse cells say together, and how much they count.
    struct Said {
        float sum, weights;
    };

    /// Column i of the coarse box, between the rows that a point lies between.
    template <bool with_z>
    CELL Said column(int i, Place y, Place z) const {
        Said said = {0.0f, 0.0f};
        for (int c = 0; c < (with_z ? 2 : 1); ++c) {
            for (int b = 0; b < 2; ++b) {
                const float share = (b == 0 ? 1.0f - y.s : y.s) * (!with_z  ? 1.0f
                                                                   : c == 0 ? 1.0f - z.s
                                                                            : z.s);
                const float weight = share * coarse_alive(i, y.i + b, z.i + c);
                said.sum += weight * coarse(i, y.i + b, z.i + c);
                said.weights += weight;
            }
        }
        return said;
    }
    /// x at a place between two columns, the correction included.
    CELL float value(const Said& before, const Said& after, float s, int i, int j, int k) const {
        const float sum = (1.0f - s) * before.sum + s * after.sum;
        const float weights = (1.0f - s) * before.weights + s * after.weights;
        const float here = x(i, j, k);
        const bool asks = (alive(i, j, k) > 0.0f) & (weights > 0.0f);
        const float there = here + sum / (asks ? weights : 1.0f);
        return asks ? there : here;
    }
    template <bool with_z>
    CELL float interpolated(int i, int j, int k) const {
        const Place in_x = among(i, ratio_x);
        const Place in_y = among(j, ratio_y);
        const Place in_z = with_z ? among(k, ratio_z) : Place{0, 0.0f};
        return value(column<with_z>(in_x.i, in_y, in_z), column<with_z>(in_x.i + 1, in_y, in_z),
                     in_x.s, i, j, k);
    }
    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) = deep ? interpolated<true>(i, j, k) : interpolated<false>(i, j, k);
    }
};

/// What flows through a face, in m/s: fluid through its open share, and the solid through the rest.
CELL float through(Array u, Array f, Array s, int i, int j, int k) {
    return f(i, j, k) * u(i, j, k) + (1.0f - f(i, j, k)) * s(i, j, k);
}

/// x = factor times what flows out of each cell, 0 where there is no fluid.
struct CutDivergence {
    Extent over;
    Array u[3], f[3], s[3];  ///< velocity, fractions, and the solid's velocity
    Array alive, x;
    float factor;
    bool deep;

    template <bool with_z>
    CELL float value(int i, int j, int k) const {
        float sum = (through(u[0], f[0], s[0], i + 1, j, k) - through(u[0], f[0], s[0], i, j, k)) +
                    (through(u[1], f[1], s[1], i, j + 1, k) - through(u[1], f[1], s[1], i, j, k));
        if (with_z) {
            sum += through(u[2], f[2], s[2], i, j, k + 1) - through(u[2], f[2], s[2], i, j, k);
        }
        return alive(i, j, k) > 0.0f ? factor * sum : 0.0f;
    }
    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) = deep ? value<true>(i, j, k) : value<false>(i, j, k);
    }
};

/// u -= the difference of q across a face that is open at all, for one component.
struct CutGradient {
    Extent over;
    Array u, q, f;
    int axis;

    CELL void operator()(int i, int j, int k) const {
        const int back = -q.step(axis);
        const float* here = &q(i, j, k);
        const float before = u(i, j, k);
        const float less = before - (here[0] - here[back]);
        u(i, j, k) = f(i, j, k) > 0.0f ? less : before;
    }
};

/// u = the solid's velocity on faces that no fluid passes.
struct Enforce {
    Extent over;
    Array u, f, s;

    CELL void operator()(int i, int j, int k) const {
        u(i, j, k) = f(i, j, k) > 0.0f ? u(i, j, k) : s(i, j, k);
    }
};

/// x = 0 where there is no fluid.
struct Mask {
    Extent over;
    Array x, alive;

    CELL void operator()(int i, int j, int k) const {
        const float here = x(i, j, k);
        x(i, j, k) = alive(i, j, k) > 0.0f ? here : 0.0f;
    }
};

/// Goes on with a component into the solid, one face far, so that whatever is carried close to it
/// finds what it would behind a wall of the box: the velocity beside it (`slips`), or one that
/// makes it the solid's in between. Faces between fluid and solid have the solid's velocity
/// already. The result is written to faces that are closed, and read from those that are open.
struct ExtendFaces {
    Extent over;
    Array u, f, s, alive;
    int axis;
    bool slips, deep;

    CELL void operator()(int i, int j, int k) const {
        const int own = u.step(axis);
        if (f(i, j, k) > 0.0f || alive(i, j, k) > 0.0f || (&alive(i, j, k))[-own] > 0.0f) {
            return;
        }
        const int one = axis == 0 ? u.row : 1;
        const int two = !deep ? 0 : axis == 2 ? u.row : u.layer;
        const float* const open = &f(i, j, k);
        const float* const here = &u(i, j, k);
        float sum = 0.0f;
        float count = 0.0f;
        const auto look_at = [&](int step) {
            sum += open[step] > 0.0f ? here[step] : 0.0f;
            count += open[step] > 0.0f ? 1.0f : 0.0f;
        };
        look_at(-one);
        look_at(one);
        if (deep) {
            look_at(-two);
            look_at(two);
        }
        bool reflect = !slips;
        if (count == 0.0f && deep) {
            reflect = false;  // twice is not at all
            look_at(-one - two);
            look_at(one - two);
            look_at(two - one);
            look_at(one + two);
        }
        if (count > 0.0f) {
            const float mean = sum / count;
            u(i, j, k) = reflect ? 2.0f * s(i, j, k) - mean : mean;
        }
    }
};

/// Goes on with a scalar into the solid, one cell far: the mean of the nearest cells with fluid.
struct ExtendCells {
    Extent over;
    Array x, alive;
    bool deep;

    CELL void operator()(int i, int j, int k) const {
        if (alive(i, j, k) > 0.0f) {
            return;
        }
        float sum[4] = {};
        float count[4] = {};
        for (int c = deep ? -1 : 0; c <= (deep ? 1 : 0); ++c) {
            for (int b = -1; b <= 1; ++b) {
                for (int a = -1; a <= 1; ++a) {
                    const int steps = a * a + b * b + c * c;
                    const bool there = alive(i + a, j + b, k + c) > 0.0f;
                    sum[steps] += there ? x(i + a, j + b, k + c) : 0.0f;
                    count[steps] += there ? 1.0f : 0.0f;
                }
            }
        }
        for (int steps = 1; steps <= 3; ++steps) {
            if (count[steps] > 0.0f) {
                x(i, j, k) = sum[steps] / count[steps];
                return;
            }
        }
        x(i, j, k) = 0.0f;
    }
};

/// What viscosity has to know of the fluid around the faces of one component: each has a control
/// volume that reaches from one cell's centre to the next one's.
struct Around {
    Array cell;  ///< the fractions of the cells
    Array f[3];  ///< and of the faces
    int axis;  ///< the component
    bool deep;

    CELL int step(int along) const { return cell.step(along); }
    /// The share of a control volume that is fluid, but never nothing.
    CELL float volume(int at) const {
        const float share = 0.5f * (cell.data[at - step(axis)] + cell.data[at]);
        return larger(share, 0.01f);
    }
    /// The open share of the lower end of the control volume along an axis. Along the component's
    /// own axis, this end lies at a cell's centre. Its share then follows from the cell's two faces
    /// and its volume (Simpson's rule).
    CELL float end(int along, int at) const {
        const float* const faces = f[along].data;
        if (along != axis) {
            return 0.5f * (faces[at] + faces[at - step(axis)]);
        }
        const int before = at - step(axis);
        const float middle = 0.25f * (6.0f * cell.data[before] - faces[before] - faces[at]);
        return larger(0.0f, smaller(1.0f, middle));
    }
    /// The solid's surface in the control volume, along an axis, out of the solid. With the ends it
    /// is closed, so it follows from them (Gauss).
    CELL float surface(int along, int at) const {
        return end(along, at + step(along)) - end(along, at);
    }
    CELL float surface_squared(int at) const {
        const float x = surface(0, at);
        const float y = surface(1, at);
        const float z = deep ? surface(2, at) : 0.0f;
        return x * x + y * y + z * z;
    }
    /// Surface over distance: what the solid counts as a neighbour. V is the share of the control
    /// volume that is fluid, and A the area of the surface. The middle of the fluid is about V / 2
    /// from a plane, however it is tilted, so a plane counts as 2 A / V. In a corner of walls along
    /// several axes, each is V / 2 away, and together they count as 2 A A / V. There, V is near 1
    /// and A above 1.
    CELL float solid(int at) const {
        const float area = std::sqrt(surface_squared(at));
        const float share = volume(at);
        const float meet = larger(0.0f, 4.0f * share - 3.0f) * larger(0.0f, area - 1.0f);
        return 2.0f * area * (1.0f + meet) / share;
    }
    /// How far the middle of the fluid is from the control volume's centre along an axis.
    CELL float offset(int along, int at) const {
        const float squared = surface_squared(at);
        return squared > 0.0f ? 0.5f * (1.0f - volume(at)) * surface(along, at) / std::sqrt(squared)
                              : 0.0f;
    }
    /// Area over distance, between the control volume before `at` along an axis and this one.
    CELL float weight(int along, int at, bool at_end) const {
        const float area = end(along, at);
        const float* const open = f[axis].data;
        // A closed face has the solid's velocity, just where it is.
        if (at_end || area == 0.0f || !(open[at] > 0.0f && open[at - step(along)] > 0.0f)) {
            return area;
        }
        const float distance = 1.0f + offset(along, at) - offset(along, at - step(along));
        return area / larger(0.25f, distance);
    }
};

/// The equations of viscosity for one component: the weights, and b from the velocity u.
struct Viscosity {
    Extent over;  ///< one place more along each axis: there the last equations' weights are
    Extent places;  ///< of the equations
    Around around;
    int n[3];  ///< cells of the box
    float a;  ///< viscosity dt / h2
    Array u, s;  ///< velocity, and the solid's
    Array weight[3];
    Array share, b;

    CELL void operator()(int i, int j, int k) const {
        const int at = i + around.cell.row * j + around.cell.layer * k;
        const int place[3] = {i, j, k};
        const bool past[3] = {i > places.x.last, j > places.y.last, k > places.z.last};
        for (int along = 0; along < (around.deep ? 3 : 2); ++along) {
            const bool needed =
                !(along != 0 && past[0]) && !(along != 1 && past[1]) && !(along != 2 && past[2]);
            if (needed) {
                const bool at_end = place[along] <= 0 || place[along] >= n[along];
                weight[along].data[at] = around.weight(along, at, at_end);
            }
        }
        if (past[0] || past[1] || past[2]) {
            return;
        }
        const float volume = around.volume(at);
        const float solid = a * around.solid(at);
        const bool open = around.f[around.axis].data[at] > 0.0f;
        share.data[at] = open ? volume + solid : -1.0f;
        b.data[at] = open ? volume * u.data[at] + solid * s.data[at] : 0.0f;
    }
};

/// Returns what friction at solids takes from the fluid on a face, over viscosity and h.
struct Friction {
    Extent over;
    Around around;
    Array u, s;
    Array weight[3];  ///< as Viscosity has made them

    CELL float operator()(int i, int j, int k) const {
        const int at = i + around.cell.row * j + around.cell.layer * k;
        const float* const open = around.f[around.axis].data;
        if (!(open[at] > 0.0f)) {
            return 0.0f;
        }
        float sum = around.solid(at) * (u.data[at] - s.data[at]);
        for (int along = 0; along < (around.deep ? 3 : 2); ++along) {
            const int step = around.step(along);
            const float before = weight[along].data[at] * (u.data[at] - u.data[at - step]);
            const float after = weight[along].data[at + step] * (u.data[at] - u.data[at + step]);
            sum += open[at - step] > 0.0f ? 0.0f : before;
            sum += open[at + step] > 0.0f ? 0.0f : after;
        }
        return sum;
    }
};

/// Returns pressure times the solid's surface in the cell, into the solid along an axis.
struct Push {
    Extent over;
    Array p, f;
    int axis;

    CELL float operator()(int i, int j, int k) const {
        const int ahead = f.step(axis);
        const float* const open = &f(i, j, k);
        return p(i, j, k) * (open[0] - open[ahead]);
    }
};

// ---- Vorticity confinement ---------------------------------------------------------------------

/// The force  factor (N x omega)  at a cell's centre. omega is the vorticity, and N the direction
/// in which its length grows fastest. (In a flat box omega has only a part along z, and that is
/// also `size`.) The force may be written over omega, but not over `size`, whose ghosts must have
/// been set.
struct Confine {
    Extent over;
    Array size;  ///< the length of omega, with any sign
    Array omega[3], force[3];
    float factor;  ///< epsilon h
    bool deep;

    CELL float slope(const float* here, int step) const {
        return larger(here[step], -here[step]) - larger(here[-step], -here[-step]);
    }
    CELL void operator()(int i, int j, int k) const {
        const float* here = &size(i, j, k);
        const float x = slope(here, 1);
        const float y = slope(here, size.row);
        const float z = deep ? slope(here, size.layer) : 0.0f;
        const float length = std::sqrt(x * x + y * y + z * z);
        const float divisor = length > 0.0f ? length : 1.0f;  // then N is 0, too
        const float scale = length > 0.0f ? factor : 0.0f;
        const float nx = x / divisor;
        const float ny = y / divisor;
        const float about_z = omega[2](i, j, k);
        if (!deep) {
            force[0](i, j, k) = scale * (ny * about_z);
            force[1](i, j, k) = -(scale * (nx * about_z));
            return;
        }
        const float nz = z / divisor;
        const float about_x = omega[0](i, j, k);
        const float about_y = omega[1](i, j, k);
        force[0](i, j, k) = scale * (ny * about_z - nz * about_y);
        force[1](i, j, k) = scale * (nz * about_x - nx * about_z);
        force[2](i, j, k) = scale * (nx * about_y - ny * about_x);
    }
};

// ---- What can be seen and said -----------------------------------------------------------------

/// x = the length of the velocity at the cell's centre.
struct Speed {
    Extent over;
    Flow flow;
    Array x;

    CELL void operator()(int i, int j, int k) const {
        const Point p = velocity_here<AT_CENTRE>(flow, i, j, k);
        x(i, j, k) = std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    }
};

/// How much a component that lives on faces along `own` changes along `other`, over two cells at
/// the cell's centre, times 1 / (2 h).
CELL float change(Array f, int own, int other, int i, int j, int k, float factor) {
    const float* here = &f(i, j, k);
    const int ahead = f.step(own);
    const int aside = f.step(other);
    return factor * 0.5f *
           ((here[aside] + here[aside + ahead]) - (here[-aside] + here[ahead - aside]));
}

/// x = the curl at the cell's centre: along one axis, or (3) its length.
struct Vorticity {
    Extent over;
    Flow flow;
    Array x;
    float factor;  ///< 1 / (2 h)
    int axis;

    CELL float along(int one, Array of_one, int two, Array of_two, int i, int j, int k) const {
        return change(of_two, two, one, i, j, k, factor) -
               change(of_one, one, two, i, j, k, factor);
    }
    CELL void operator()(int i, int j, int k) const {
        const float z = axis >= 2 ? along(0, flow.u, 1, flow.v, i, j, k) : 0.0f;
        if (axis == 2) {
            x(i, j, k) = z;
            return;
        }
        const float a = axis != 1 ? along(1, flow.v, 2, flow.w, i, j, k) : 0.0f;
        const float b = axis != 0 ? along(2, flow.w, 0, flow.u, i, j, k) : 0.0f;
        x(i, j, k) = axis == 0 ? a : axis == 1 ? b : std::sqrt(a * a + b * b + z * z);
    }
};

/// Returns x at the place: for sums, and for the largest size.
struct Value {
    Extent over;
    Array x;

    CELL float operator()(int i, int j, int k) const { return x(i, j, k); }
};

/// Returns x at the place; at the first and the last place along `axis` less by the factor
/// sqrt(1/2): its square then counts half, as these faces belong half to this box.
struct FaceValue {
    Extent over;
    Array x;
    int axis;

    CELL float operator()(int i, int j, int k) const {
        const Range range = range_of(over, axis);
        const int place = axis == 0 ? i : axis == 1 ? j : k;
        const bool at_end = place == range.first || place == range.last;
        return at_end ? 0.70710678f * x(i, j, k) : x(i, j, k);
    }
};

}  // namespace box
