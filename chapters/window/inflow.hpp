// Ways to fill the velocities that an inflow is given, and what flows through the sides of a box.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <algorithm>

/// How the velocity of an inflow varies over its side.
enum class Profile { UNIFORM, PARABOLIC };

/// The height of a parabola above place x of n points, each in the middle of its part of a row: 1
/// in the middle of the row, 0 at its two ends.
inline double parabola(int x, int n) {
    const double share = (x + 0.5) / n;
    return 4.0 * share * (1.0 - share);
}

/// Calls visit(i, j, k) for each of a field's points on a side, in the order of `neighbours`.
template <class Field, class Visit>
void for_each_on_side(const Field& field, int side, Visit visit) {
    const int size[] = {field.nx, field.ny, field.nz};
    int begin[] = {0, 0, 0};
    int end[] = {field.nx, field.ny, field.nz};
    begin[side / 2] = side % 2 == 1 ? size[side / 2] - 1 : 0;
    end[side / 2] = begin[side / 2] + 1;
    for (int k = begin[2]; k < end[2]; ++k) {
        for (int j = begin[1]; j < end[1]; ++j) {
            for (int i = begin[0]; i < end[0]; ++i) {
                visit(i, j, k);
            }
        }
    }
}

/// The velocities that the faces of that side are given: u_given, v_given or w_given.
template <class Fluid>
auto& given_on(Fluid& fluid, int side) {
    return side < 2 ? fluid.u_given : side < 4 ? fluid.v_given : fluid.w_given;
}

/// The velocity of face (i, j, k) of an inflow through which fluid enters with that speed, or
/// leaves with it if it is negative. A parabolic inflow has this speed in the middle, and none at
/// the walls beside it. Along an axis whose two walls slip it is the same everywhere, as it is in a
/// flat box from front to back.
template <class Fluid>
double inflow_at(const Fluid& fluid, int side, double speed, Profile profile, int i, int j, int k) {
    const int size[] = {fluid.nx, fluid.ny, fluid.nz};
    const int place[] = {i, j, k};
    double velocity = side % 2 == 1 ? -speed : speed;
    for (int axis = 0; axis < 3 && profile == Profile::PARABOLIC; ++axis) {
        const bool slips = fluid.sides[2 * axis].slips && fluid.sides[2 * axis + 1].slips;
        if (axis != side / 2 && !slips) {
            velocity *= parabola(place[axis], size[axis]);
        }
    }
    return velocity;
}

/// Makes a side (in the order of `neighbours`) an inflow, with the velocities of inflow_at.
template <class Fluid>
void set_inflow(Fluid& fluid, int side, double speed, Profile profile) {
    auto& faces = given_on(fluid, side);
    for_each_on_side(faces, side, [&](int i, int j, int k) {
        faces(i, j, k) = inflow_at(fluid, side, speed, profile, i, j, k);
    });
    fluid.sides[side].opening = decltype(fluid.sides[side].opening)::INFLOW;
}

/// Makes a side (in the order of `neighbours`) a wall or an outflow. A wall is at rest, and its
/// faces are given no velocity any more.
template <class Fluid, class Opening>
void close_side(Fluid& fluid, int side, Opening opening) {
    auto& faces = given_on(fluid, side);
    for_each_on_side(faces, side, [&faces](int i, int j, int k) { faces(i, j, k) = 0.0; });
    fluid.sides[side].opening = opening;
}

/// Lets what enters on the left fill the box.
template <class Fluid>
void fill_from_left(Fluid& fluid) {
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i <= fluid.nx; ++i) {
                fluid.u(i, j, k) = fluid.u_given(0, j, k);
            }
        }
    }
}

/// Volumes that pass a side each second: what enters, and what leaves.
struct Passing {
    double in = 0.0, out = 0.0;
};

/// What passes a side of the box, between fluid and what lies beyond.
template <class Fluid>
Passing passing(const Fluid& fluid, int side) {
    const auto& faces = side < 2 ? fluid.u : side < 4 ? fluid.v : fluid.w;
    Passing found;
    for_each_on_side(faces, side, [&](int i, int j, int k) {
        if (label_at(fluid, i - (side == 1), j - (side == 3), k - (side == 5)) == Label::SOLID) {
            return;
        }
        const double inwards = fluid.h * fluid.h * faces(i, j, k) * (side % 2 == 1 ? -1.0 : 1.0);
        found.in += std::max(0.0, inwards);
        found.out += std::max(0.0, -inwards);
    });
    return found;
}

/// What passes all sides of the box.
template <class Fluid>
Passing passing(const Fluid& fluid) {
    Passing found;
    for (int side = 0; side < 6; ++side) {
        const Passing one = passing(fluid, side);
        found.in += one.in;
        found.out += one.out;
    }
    return found;
}
