// What is done to one cell of the grid, for the library behind stable_fluids.h: walls, equations,
// what passes from grid to grid, and the pressure. carry.hpp, cut.hpp and view.hpp have the rest,
// and operations.hpp lists all of it. Each operation is a small struct that says which arrays it
// reads and writes, and whose call operator does one cell. The host's loops (rows.cpp) and the
// GPU's kernels (device.cu) both call these, so the arithmetic stands here once.
//
// Nothing in these files uses the standard library but std::floor: rows.cpp is compiled once for
// each width of the processor's registers, and a function that both shared could end up in the
// wrong program.
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
/// faces with a total pressure, neither STABLE_FLUIDS_MIDPOINT nor STABLE_FLUIDS_CENTRAL.
#ifdef STABLE_FLUIDS_SMALL
constexpr bool is_small = true;
#else
constexpr bool is_small = false;
#endif

// ---- Floats, or registers of them --------------------------------------------------------------

/// Values from memory and to it.
template <class Value>
CELL void load(Value& to, const float* from) {
    if constexpr (sizeof to == sizeof *from) {
        to = *from;
    } else {
        __builtin_memcpy(&to, from, sizeof to);
    }
}
template <class Value>
CELL void store(float* to, const Value& from) {
    if constexpr (sizeof from == sizeof *to) {
        *to = from;
    } else {
        __builtin_memcpy(to, &from, sizeof from);
    }
}

template <class Value>
CELL Value read(const float* from) {
    Value to;
    load(to, from);
    return to;
}

template <class Value>
CELL Value smaller(const Value& a, const Value& b) {
    return a < b ? a : b;
}
template <class Value>
CELL Value larger(const Value& a, const Value& b) {
    return a > b ? a : b;
}

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

CELL bool is_empty(Range places) {
    return places.first > places.last;
}

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

/// x = of_y y + factor x
struct Combine {
    Extent over;
    Array x, y;
    float factor;
    float of_y = 1.0f;

    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) = of_y * y(i, j, k) + factor * x(i, j, k);
    }
};

/// Returns x y at the place.
struct Product {
    Extent over;
    Array x, y;

    CELL float operator()(int i, int j, int k) const { return x(i, j, k) * y(i, j, k); }
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
        float* const line = &x(i, j, k);
        const int step = x.step(axis);
        for (int n = 0; n < count; ++n) {
            const Mirror& m = mirrors[n];
            const float source = line[m.from * step];
            line[m.at * step] = (m.times == 0.0f ? 0.0f : m.times * source) + m.plus;
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

/// x += what friction lacks beside a wall half a place away, where u is given and the ghost holds
/// twice that. The equations take the slope in the wall from the wall and the first place. From the
/// second place as well, it is of second order in h: (8 wall - 9 first + second) / 3h.
struct FrictionAtWall {
    Extent over;  ///< the places beside the wall
    Array u, x;
    int axis;  ///< which the wall looks along
    bool high;  ///< whether it is at the high end
    float a;  ///< viscosity dt / h2, for what of it acts so

    CELL void operator()(int i, int j, int k) const {
        const float* const here = &u(i, j, k);
        const int away = high ? -u.step(axis) : u.step(axis);
        x(i, j, k) += a * (1.0f / 3.0f) * (here[away] - 3.0f * here[0] + here[-away]);
    }
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

/// The sum of the fine values under a coarse place, the parts that belong to it. `fine` says what
/// there is at a fine place.
template <class Fine>
CELL float sum_under(const Under& in_x, const Under& in_y, const Under& in_z, const Fine& fine) {
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

/// Coarse b = the sum of the fine r under each place, the parts that belong to it.
struct Restrict {
    Extent over;  ///< of the coarse box
    Array r, b;
    int nx, ny, nz;  ///< of the fine box
    float ratio_x, ratio_y, ratio_z;  ///< fine places on a coarse one; 1 where there are as many

    /// What b is there. `fine` says what the fine r is at a place.
    template <class Fine>
    CELL float sum_of(const Fine& fine, int i, int j, int k) const {
        return sum_under(under(i, ratio_x, nx), under(j, ratio_y, ny), under(k, ratio_z, nz), fine);
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

/// The value a share s of the way from a to b. Value is as in Neighbours.
template <class Value>
CELL Value between(const Value& a, const Value& b, const Value& s) {
    return a + s * (b - a);
}

/// Likewise from one float in memory to the next. Where the processor may read both at
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
    return between(a, b, s);
}

/// Linear interpolation between the four places around a point, or the eight. Where the first of
/// them is, is worked out once.
template <bool deep>
CELL float interpolate(Array f, Place x, Place y, Place z) {
    const int first = x.i + f.row * y.i + f.layer * z.i;
    const auto along_x = [&](const float* row) { return between_two(row + first, x.s); };
    const auto along_y = [&](const float* layer) {
        return between(along_x(layer), along_x(layer + f.row), y.s);
    };
    return deep ? between(along_y(f.data), along_y(f.data + f.layer), z.s) : along_y(f.data);
}

/// Column i of a box, between the rows that a point lies between.
template <bool deep>
CELL float between_rows(Array f, int i, Place y, Place z) {
    const auto along_y = [&](int k) { return between(f(i, y.i, k), f(i, y.i + 1, k), y.s); };
    return deep ? between(along_y(z.i), along_y(z.i + 1), z.s) : along_y(z.i);
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
        return between(between_rows<with_z>(coarse, in_x.i, in_y, in_z),
                       between_rows<with_z>(coarse, in_x.i + 1, in_y, in_z), in_x.s);
    }
    CELL void operator()(int i, int j, int k) const {
        x(i, j, k) += deep ? correction<true>(i, j, k) : correction<false>(i, j, k);
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

}  // namespace box
