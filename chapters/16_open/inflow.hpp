// Ways to fill the velocities that an inflow is given. These are templates, so that every later
// chapter can open its own Fluid with them.
#pragma once

/// How the velocity of an inflow varies over its side.
enum class Profile { UNIFORM, PARABOLIC };

/// The height of a parabola above place x of n points, each in the middle of its part of a row: 1
/// in the middle of the row, 0 at its two ends.
inline double parabola(int x, int n) {
    const double share = (x + 0.5) / n;
    return 4.0 * share * (1.0 - share);
}

/// Makes a side (in the order of `neighbours`) an inflow, through which fluid enters with that
/// speed, or leaves with it if it is negative. A parabolic inflow has this speed in the middle, and
/// none at the walls beside it. Along an axis whose two walls slip it is the same everywhere, as it
/// is in a flat box from front to back.
template <class Fluid>
void set_inflow(Fluid& fluid, int side, double speed, Profile profile) {
    const int axis = side / 2;
    const bool is_far = side % 2 == 1;
    auto& faces = axis == 0 ? fluid.u_given : axis == 1 ? fluid.v_given : fluid.w_given;
    const int size[] = {faces.nx, faces.ny, faces.nz};
    int begin[] = {0, 0, 0};
    int end[] = {faces.nx, faces.ny, faces.nz};
    begin[axis] = is_far ? size[axis] - 1 : 0;
    end[axis] = begin[axis] + 1;
    const auto shape = [&](int along, int place) {
        const bool slips = fluid.sides[2 * along].slips && fluid.sides[2 * along + 1].slips;
        return along == axis || slips || profile == Profile::UNIFORM ? 1.0
                                                                     : parabola(place, size[along]);
    };
    for (int k = begin[2]; k < end[2]; ++k) {
        for (int j = begin[1]; j < end[1]; ++j) {
            for (int i = begin[0]; i < end[0]; ++i) {
                faces(i, j, k) =
                    (is_far ? -speed : speed) * shape(0, i) * shape(1, j) * shape(2, k);
            }
        }
    }
    fluid.sides[side].opening = decltype(fluid.sides[side].opening)::INFLOW;
}
