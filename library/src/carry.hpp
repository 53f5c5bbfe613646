// How what is carried gets from place to place, and the energy of it.
#pragma once

#include "library/src/grid.hpp"

namespace box {

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

/// A component of the velocity, which lives on faces along `axis`, where another quantity lives:
/// its own value there; at a centre the mean of two faces, and on a face along another axis the
/// mean of the four around it.
template <int where, int axis>
CELL float component_here(Array component, int i, int j, int k) {
    const float* here = &component(i, j, k);
    const int ahead = component.step(axis);
    if (where == axis) {
        return here[0];
    }
    if (where == AT_CENTRE) {
        return 0.5f * (here[0] + here[ahead]);
    }
    const int back = -component.step(where);
    return 0.25f * ((here[back] + here[0]) + (here[back + ahead] + here[ahead]));
}

/// The velocity just where a quantity lives.
template <int where, bool deep>
CELL Point velocity_here(const Flow& flow, int i, int j, int k) {
    return {component_here<where, 0>(flow.u, i, j, k), component_here<where, 1>(flow.v, i, j, k),
            deep ? component_here<where, 2>(flow.w, i, j, k) : 0.0f};
}

template <int where>
CELL Point velocity_here(const Flow& flow, int i, int j, int k) {
    return flow.deep ? velocity_here<where, true>(flow, i, j, k)
                     : velocity_here<where, false>(flow, i, j, k);
}

/// The velocity at the centre of a face.
CELL Point velocity_on_face(const Flow& flow, int axis, int i, int j, int k) {
    return axis == 0   ? velocity_here<ON_X>(flow, i, j, k)
           : axis == 1 ? velocity_here<ON_Y>(flow, i, j, k)
                       : velocity_here<ON_Z>(flow, i, j, k);
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

/// u, v, w = the velocity half the way back from each cell's centre. Traces from the centres, and
/// from the faces between them, may all go back along it: then it is looked for once a cell.
struct Halfway {
    Extent over;
    Flow flow;
    float steps;  ///< as for upstream()
    Array u, v, w;

    template <bool deep>
    CELL void cell(int i, int j, int k) const {
        const Point half = moved<deep>(flow, place_of<AT_CENTRE>(i, j, k),
                                       velocity_here<AT_CENTRE, deep>(flow, i, j, k), 0.5f * steps);
        const Point velocity = velocity_at<deep>(flow, half);
        u(i, j, k) = velocity.x;
        v(i, j, k) = velocity.y;
        if (deep) {
            w(i, j, k) = velocity.z;
        }
    }
    CELL void operator()(int i, int j, int k) const {
        if (flow.deep) {
            cell<true>(i, j, k);
        } else {
            cell<false>(i, j, k);
        }
    }
};

/// A velocity at the centres, just where a quantity lives: on a face, the mean of its two cells.
struct AtCentres {
    Array u, v, w;  ///< without data if there is none

    template <int where>
    CELL static float component(const Array& of_cells, int i, int j, int k) {
        const float* const here = &of_cells(i, j, k);
        return where == AT_CENTRE ? here[0] : 0.5f * (here[-of_cells.step(where)] + here[0]);
    }
    template <int where, bool deep>
    CELL Point at(int i, int j, int k) const {
        return {component<where>(u, i, j, k), component<where>(v, i, j, k),
                deep ? component<where>(w, i, j, k) : 0.0f};
    }
};

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
    AtCentres halfway =
        {};  ///< as Halfway has found it; if it has not, each place looks for its own

    template <int at, int together, bool deep>
    CELL void cell(int i, int j, int k) const {
        read<together, deep>(places_at<at, deep>(flow, from<at, deep>(i, j, k)), i, j, k);
    }
    CELL bool has_halfway() const { return !is_small && halfway.u.data != nullptr; }
    template <int at, bool deep>
    CELL Point from(int i, int j, int k) const {
        return has_halfway() ? along_halfway<at, deep>(i, j, k)
                             : upstream<at, deep>(flow, steps, i, j, k);
    }
    template <int at, bool deep>
    CELL Point along_halfway(int i, int j, int k) const {
        return moved<deep>(flow, place_of<at>(i, j, k), halfway.at<at, deep>(i, j, k), steps);
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
        add<at, together, deep>(upstream<at, deep>(flow, -steps, i, j, k),
                                upstream<at, deep>(flow, steps, i, j, k), i, j, k);
    }
    /// With what the traces forward and back have found.
    template <int at, int together, bool deep>
    CELL void add(const Point& to, const Point& from, int i, int j, int k) const {
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

}  // namespace box
