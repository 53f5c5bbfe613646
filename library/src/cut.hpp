// What is done to a cell where solids cut the grid.
#pragma once

#include "library/src/grid.hpp"

namespace box {

// Solids cut the cells: a face has a share that is open to the fluid, its fraction, and so has a
// cell. The pressure's equations then have the fractions for weights (Batty, Bertails and Bridson
// 2007, "A Fast Variational Framework for Accurate Solid-Fluid Coupling"; Ng, Min and Gibou 2009,
// "An Efficient Fluid-Solid Coupling Algorithm for Single-Phase Flows", equation 12).

/// On the host, the places of each row that a solid may be near, from the first one to the last,
/// for row (-1, -1) and so on. A solid is near where any fraction is less than 1, at the place
/// itself, up to two places before it or one after it along each axis. Without `near`, the host
/// looks at the fractions themselves.
struct RowsNearSolids {
    const Range* near = nullptr;
    int rows = 0;  ///< of a layer
    bool deep = false;  ///< else there is one layer

    Range of_row(int j, int k) const { return near[(deep ? k + 1 : 0) * rows + j + 1]; }
};

/// Equations in a box with solids: those of `whole`, but what passes between two places counts as
/// much as f of the latter says, and `centre` as much as `share` does. Where the share is less than
/// 0, the value is given, and stays. If whole.centre is 0, there is no share. Operations with them
/// are for all places of `whole`. Where a row is known to have no solid near, the host reads
/// neither its fractions nor its shares.
struct Cut {
    Equations whole;
    Array fx, fy, fz;
    Array share;
    RowsNearSolids near_solids = {};  ///< where no solid is near, f and the share are 1
};

/// What the place before place i counts, and the one after it, in what is open to it: 1 but at the
/// ends.
CELL float counts_before(const Axis& axis, int i) {
    return i == axis.range.first ? axis.low : 1.0f;
}
CELL float counts_after(const Axis& axis, int i) {
    return i == axis.range.last ? axis.high : 1.0f;
}

/// One row of the equations, or as many as a register holds (Value is as in Neighbours): the
/// diagonal, the sum of the neighbours, each times its weight, and whether the row is there: else
/// the value is given.
template <class Value>
struct CutRows {
    Value diagonal, neighbours;
    decltype(Value{} >= Value{}) there;
};
using CutRow = CutRows<float>;

/// Rows of the equations from what is around their places: the values, how much of each face is
/// open, and what each neighbour counts in that; and from what the places themselves count.
template <bool deep, class Value, class Counts>
CELL CutRows<Value> cut_rows_of(const Neighbours<Value>& near, const Neighbours<Value>& open,
                                const Neighbours<Counts>& counts, Weights weight,
                                const Value& centre) {
    // In the order of diagonal(), so that rows without solids are the same to the last bit.
    CutRows<Value> rows = {
        centre + weight.x * (open.before_x * counts.before_x + open.after_x * counts.after_x) +
            weight.y * (open.before_y * counts.before_y + open.after_y * counts.after_y),
        weight.x * (open.before_x * near.before_x + open.after_x * near.after_x) +
            weight.y * (open.before_y * near.before_y + open.after_y * near.after_y),
        centre >= 0.0f};
    if constexpr (deep) {
        rows.diagonal +=
            weight.z * (open.before_z * counts.before_z + open.after_z * counts.after_z);
        rows.neighbours += weight.z * (open.before_z * near.before_z + open.after_z * near.after_z);
    }
    return rows;
}

/// What places are set to that are `here`: SOR, where the equations ask for anything.
template <class Value>
CELL Value cut_relaxed(const CutRows<Value>& rows, const Value& here, const Value& b, float omega) {
    const auto asks = rows.there & (rows.diagonal > 0.0f);
    const Value inverse = 1.0f / (asks ? rows.diagonal : Value{} + 1.0f);
    const Value there = relaxed_from(here, b, rows.neighbours, inverse, omega);
    return asks ? there : here;
}

/// What the equations of places leave over; 0 where there is none.
template <class Value>
CELL Value cut_left_over(const CutRows<Value>& rows, const Value& here, const Value& b) {
    const Value left = b + rows.neighbours - rows.diagonal * here;
    return rows.there ? left : Value{};
}

/// The row of a place. `centred` is whether `centre` counts anything, `plain` whether it is known
/// that no solid is near: then no fraction is read.
template <bool deep, bool centred, bool plain = false>
CELL CutRow cut_row(const Cut& cut, Array x, int i, int j, int k) {
    const Equations& e = cut.whole;
    const auto open_at = [&](const Array& fractions, int a, int b, int c) {
        return plain ? 1.0f : fractions(a, b, c);
    };
    Neighbours<float> near = {x(i - 1, j, k), x(i + 1, j, k), x(i, j - 1, k),
                              x(i, j + 1, k), 0.0f,           0.0f};
    Neighbours<float> open = {open_at(cut.fx, i, j, k),
                              open_at(cut.fx, i + 1, j, k),
                              open_at(cut.fy, i, j, k),
                              open_at(cut.fy, i, j + 1, k),
                              0.0f,
                              0.0f};
    Neighbours<float> counts = {counts_before(e.x, i),
                                counts_after(e.x, i),
                                counts_before(e.y, j),
                                counts_after(e.y, j),
                                0.0f,
                                0.0f};
    if constexpr (deep) {
        near.before_z = x(i, j, k - 1);
        near.after_z = x(i, j, k + 1);
        open.before_z = open_at(cut.fz, i, j, k);
        open.after_z = open_at(cut.fz, i, j, k + 1);
        counts.before_z = counts_before(e.z, k);
        counts.after_z = counts_after(e.z, k);
    }
    const float centre = centred ? e.centre * open_at(cut.share, i, j, k) : 0.0f;
    return cut_rows_of<deep>(near, open, counts, {e.x.weight, e.y.weight, e.z.weight}, centre);
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

    CELL void operator()(int i, int j, int k) const {
        if (((i + j + k) & 1) == colour) {
            x(i, j, k) = cut_relaxed(cut_row(cut, x, i, j, k), x(i, j, k), b(i, j, k), omega);
        }
    }
};

/// r = b - A x, but not in the memory of b or x. Returns r at the place: 0 where no equation says
/// anything, if b is 0 there.
struct CutResidual {
    Extent over;
    Cut cut;
    Array x, b, r;

    CELL float operator()(int i, int j, int k) const {
        return r(i, j, k) = cut_left_over(cut_row(cut, x, i, j, k), x(i, j, k), b(i, j, k));
    }
};

/// y = A x. Returns x y at the place.
struct CutApply {
    Extent over;
    Cut cut;
    Array x, y;

    CELL float operator()(int i, int j, int k) const {
        const CutRow row = cut_row(cut, x, i, j, k);
        y(i, j, k) = row.diagonal * x(i, j, k) - row.neighbours;
        return x(i, j, k) * y(i, j, k);
    }
};

/// z = x y
struct Multiply {
    Extent over;
    Array x, y, z;

    CELL void operator()(int i, int j, int k) const { z(i, j, k) = x(i, j, k) * y(i, j, k); }
};

/// As Prolong, but only from coarse cells that fluid is in, and to such cells.
struct CutProlong {
    Extent over;  ///< of the fine box
    Array coarse, coarse_alive, x, alive;
    float ratio_x, ratio_y, ratio_z;
    bool deep;
    RowsNearSolids near_solids = {}, coarse_near_solids = {};

    /// What some coarse cells say together, and how much they count.
    struct Said {
        float sum, weights;
    };

    /// Column i of the coarse box, between the rows that a point lies between. `plain` is whether
    /// it is known that no solid is near these.
    template <bool with_z, bool plain = false>
    CELL Said column(int i, Place y, Place z) const {
        Said said = {0.0f, 0.0f};
        for (int c = 0; c < (with_z ? 2 : 1); ++c) {
            for (int b = 0; b < 2; ++b) {
                const float share = (b == 0 ? 1.0f - y.s : y.s) * (!with_z  ? 1.0f
                                                                   : c == 0 ? 1.0f - z.s
                                                                            : z.s);
                const float weight = plain ? share : share * coarse_alive(i, y.i + b, z.i + c);
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

/// x = factor times what flows out of each cell, 0 where there is no fluid. Returns x at the place.
struct CutDivergence {
    Extent over;
    Array u[3], f[3], s[3];  ///< velocity, fractions, and the solid's velocity
    Array alive, x;
    float factor;
    bool deep;
    RowsNearSolids near_solids = {};

    template <bool with_z>
    CELL float value(int i, int j, int k) const {
        float sum = (through(u[0], f[0], s[0], i + 1, j, k) - through(u[0], f[0], s[0], i, j, k)) +
                    (through(u[1], f[1], s[1], i, j + 1, k) - through(u[1], f[1], s[1], i, j, k));
        if (with_z) {
            sum += through(u[2], f[2], s[2], i, j, k + 1) - through(u[2], f[2], s[2], i, j, k);
        }
        return alive(i, j, k) > 0.0f ? factor * sum : 0.0f;
    }
    CELL float operator()(int i, int j, int k) const {
        return x(i, j, k) = deep ? value<true>(i, j, k) : value<false>(i, j, k);
    }
};

/// u -= the difference of q across a face that is open at all, for one component.
struct CutGradient {
    Extent over;
    Array u, q, f;
    int axis;
    RowsNearSolids near_solids = {};

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
    RowsNearSolids near_solids = {};

    CELL void operator()(int i, int j, int k) const {
        u(i, j, k) = f(i, j, k) > 0.0f ? u(i, j, k) : s(i, j, k);
    }
};

/// Returns x at the places of one region, 0 at others. All places of a row that no solid is near
/// are of the same region.
struct OfRegion {
    Extent over;
    Array x, region;
    float number;
    RowsNearSolids near_solids = {};

    CELL float operator()(int i, int j, int k) const {
        return region(i, j, k) == number ? x(i, j, k) : 0.0f;
    }
};

/// Adds to x at the places of one region.
struct ShiftRegion {
    Extent over;
    Array x, region;
    float number, plus;

    CELL void operator()(int i, int j, int k) const {
        const float here = x(i, j, k);
        x(i, j, k) = region(i, j, k) == number ? here + plus : here;
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
    RowsNearSolids near_solids = {};

    /// The steps to the faces beside it, and in a deep box those along the other axis.
    CELL int step_aside() const { return axis == 0 ? u.row : 1; }
    CELL int other_step() const { return !deep ? 0 : axis == 2 ? u.row : u.layer; }
    /// More than 0 where there is something to do: on faces between cells without fluid, which have
    /// an open face beside them or at a corner. Value is as in Neighbours.
    template <class Value>
    CELL Value asks(int i, int j, int k) const {
        const int one = step_aside();
        const int two = other_step();
        const float* const open = &f(i, j, k);
        const float* const fluid = &alive(i, j, k);
        Value beside = {};
        const auto look_at = [&](int step) {
            beside = larger(beside, larger(read<Value>(open - step), read<Value>(open + step)));
        };
        look_at(one);
        if (deep) {
            look_at(two);
            look_at(two - one);
            look_at(two + one);
        }
        const Value between = larger(read<Value>(fluid), read<Value>(fluid - u.step(axis)));
        return larger(read<Value>(open), between) > 0.0f ? Value{} : beside;
    }
    /// A face that asks for nothing stays as it is.
    CELL void leave(int, int, int) const {}
    CELL void operator()(int i, int j, int k) const {
        if (f(i, j, k) > 0.0f || !(asks<float>(i, j, k) > 0.0f)) {
            return;
        }
        const int one = step_aside();
        const int two = other_step();
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
        const float mean = sum / count;
        u(i, j, k) = reflect ? 2.0f * s(i, j, k) - mean : mean;
    }
};

/// Goes on with a scalar into the solid, one cell far: the mean of the nearest cells with fluid.
struct ExtendCells {
    Extent over;
    Array x, alive;
    bool deep;
    RowsNearSolids near_solids = {};

    /// More than 0 where fluid is in a cell or in one around it: there the cell itself has to be
    /// looked at. Value is as in Neighbours.
    template <class Value>
    CELL Value asks(int i, int j, int k) const {
        Value most = {};
        for (int c = deep ? -1 : 0; c <= (deep ? 1 : 0); ++c) {
            for (int b = -1; b <= 1; ++b) {
                for (int a = -1; a <= 1; ++a) {
                    most = larger(most, read<Value>(&alive(i + a, j + b, k + c)));
                }
            }
        }
        return most;
    }
    /// A cell that is not near fluid becomes 0.
    CELL void leave(int i, int j, int k) const { x(i, j, k) = 0.0f; }
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

/// The square root of a float, or of all in a register.
template <class Value>
CELL Value square_root(const Value& x) {
    if constexpr (sizeof x == sizeof(float)) {
        return std::sqrt(x);
    } else {
        constexpr int count = sizeof x / sizeof(float);
        float all[count];
        store(all, x);
        for (int n = 0; n < count; ++n) {
            all[n] = std::sqrt(all[n]);
        }
        return read<Value>(all);
    }
}

/// What viscosity has to know of the fluid around the faces of one component: each has a control
/// volume that reaches from one cell's centre to the next one's. Value is as in Neighbours.
struct Around {
    Array cell;  ///< the fractions of the cells
    Array f[3];  ///< and of the faces
    int axis;  ///< the component
    bool deep;
    RowsNearSolids near_solids = {};

    CELL int step(int along) const { return cell.step(along); }
    /// The share of a control volume that is fluid, but never nothing.
    template <class Value = float>
    CELL Value volume(int at) const {
        const float* const here = cell.data + at;
        const Value share = 0.5f * (read<Value>(here - step(axis)) + read<Value>(here));
        return larger(share, Value{} + 0.01f);
    }
    /// The open share of the lower end of the control volume along an axis. Along the component's
    /// own axis, this end lies at a cell's centre. Its share then follows from the cell's two faces
    /// and its volume (Simpson's rule).
    template <class Value = float>
    CELL Value end(int along, int at) const {
        const float* const faces = f[along].data + at;
        const Value before = read<Value>(faces - step(axis));
        const Value here = read<Value>(faces);
        if (along != axis) {
            return 0.5f * (here + before);
        }
        const Value of_cell = read<Value>(cell.data + at - step(axis));
        const Value middle = 0.25f * (6.0f * of_cell - before - here);
        return larger(Value{}, smaller(Value{} + 1.0f, middle));
    }
    /// The solid's surface in the control volume, along an axis, out of the solid. With the ends it
    /// is closed, so it follows from them (Gauss).
    template <class Value = float>
    CELL Value surface(int along, int at) const {
        return end<Value>(along, at + step(along)) - end<Value>(along, at);
    }
    template <class Value>
    CELL Value surface_squared(int at) const {
        const Value x = surface<Value>(0, at);
        const Value y = surface<Value>(1, at);
        const Value z = deep ? surface<Value>(2, at) : Value{};
        return x * x + y * y + z * z;
    }
    /// Surface over distance: what the solid counts as a neighbour. V is the share of the control
    /// volume that is fluid, and A the area of the surface. The middle of the fluid is about V / 2
    /// from a plane, however it is tilted, so a plane counts as 2 A / V. In a corner of walls along
    /// several axes, each is V / 2 away, and together they count as 2 A A / V. There, V is near 1
    /// and A above 1.
    template <class Value>
    CELL Value solid(int at) const {
        const Value area = square_root(surface_squared<Value>(at));
        const Value share = volume<Value>(at);
        const Value meet = larger(Value{}, 4.0f * share - 3.0f) * larger(Value{}, area - 1.0f);
        return 2.0f * area * (1.0f + meet) / share;
    }
    /// How far the middle of the fluid is from the control volume's centre along an axis.
    template <class Value>
    CELL Value offset(int along, int at) const {
        const Value squared = surface_squared<Value>(at);
        const auto is_cut = squared > 0.0f;
        const Value length = square_root<Value>(is_cut ? squared : Value{} + 1.0f);
        const Value away = 0.5f * (1.0f - volume<Value>(at)) * surface<Value>(along, at) / length;
        return is_cut ? away : Value{};
    }
    /// Area over distance, between the control volume before `at` along an axis and this one.
    template <class Value = float>
    CELL Value weight(int along, int at) const {
        const Value area = end<Value>(along, at);
        const Value distance =
            1.0f + offset<Value>(along, at) - offset<Value>(along, at - step(along));
        const Value over_distance = area / larger(Value{} + 0.25f, distance);
        // A closed face has the solid's velocity, just where it is.
        const float* const open = f[axis].data + at;
        const auto is_open = read<Value>(open) > 0.0f;
        const auto is_open_before = read<Value>(open - step(along)) > 0.0f;
        const auto both_open = is_open & is_open_before;
        return both_open ? over_distance : area;
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
                weight[along].data[at] = at_end ? around.end(along, at) : around.weight(along, at);
            }
        }
        if (!(past[0] || past[1] || past[2])) {
            set(equation<float>(at), at);
        }
    }
    /// Whether no weight of a place's equations lies at an end of the box.
    CELL bool is_inside(int i, int j, int k) const {
        const auto within = [&](int axis, int place) { return 0 < place && place < n[axis]; };
        return within(0, i) && within(1, j) && (!around.deep || within(2, k));
    }
    /// The equations of such places, as many as a register holds.
    template <class Value>
    CELL void inside(int i, int j, int k) const {
        const int at = i + around.cell.row * j + around.cell.layer * k;
        // All are worked out before any is stored. What they share is then worked out once: the
        // compiler cannot know that nothing stored is read again.
        Value weights[3] = {};
        for (int along = 0; along < (around.deep ? 3 : 2); ++along) {
            weights[along] = around.weight<Value>(along, at);
        }
        const Equation<Value> found = equation<Value>(at);
        for (int along = 0; along < (around.deep ? 3 : 2); ++along) {
            store(weight[along].data + at, weights[along]);
        }
        set(found, at);
    }
    /// What places count on the diagonal, and the right-hand side.
    template <class Value>
    struct Equation {
        Value share, b;
    };
    template <class Value>
    CELL Equation<Value> equation(int at) const {
        const Value volume = around.volume<Value>(at);
        const Value solid = a * around.solid<Value>(at);
        const auto open = read<Value>(around.f[around.axis].data + at) > 0.0f;
        const Value known = volume * read<Value>(u.data + at) + solid * read<Value>(s.data + at);
        return {open ? volume + solid : Value{} - 1.0f, open ? known : Value{}};
    }
    template <class Value>
    CELL void set(const Equation<Value>& found, int at) const {
        store<Value>(share.data + at, found.share);
        store<Value>(b.data + at, found.b);
    }
};

/// Returns what friction at solids takes from the fluid on a face, over viscosity and h.
struct Friction {
    Extent over;
    Around around;
    Array u, s;
    Array weight[3];  ///< as Viscosity has made them

    CELL float operator()(int i, int j, int k) const {
        return value<float>(i + around.cell.row * j + around.cell.layer * k);
    }
    /// Likewise for as many faces as a register holds.
    template <class Value>
    CELL Value value(int at) const {
        const float* const open = around.f[around.axis].data + at;
        const float* const speed = u.data + at;
        const Value here = read<Value>(speed);
        Value sum = around.solid<Value>(at) * (here - read<Value>(s.data + at));
        for (int along = 0; along < (around.deep ? 3 : 2); ++along) {
            const int step = around.step(along);
            const float* const weights = weight[along].data + at;
            const Value before = read<Value>(weights) * (here - read<Value>(speed - step));
            const Value after = read<Value>(weights + step) * (here - read<Value>(speed + step));
            sum += read<Value>(open - step) > 0.0f ? Value{} : before;
            sum += read<Value>(open + step) > 0.0f ? Value{} : after;
        }
        return read<Value>(open) > 0.0f ? sum : Value{};
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

}  // namespace box
