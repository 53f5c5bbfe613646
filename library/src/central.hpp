// How a velocity is carried by central differences, STABLE_FLUIDS_CENTRAL.
//
// A face gains from each of its neighbours what its neighbour loses to it:
//
//     du_i/dt = -(sum over the neighbours j of a_ij u_j),  and  a_ji = -a_ij,
//
// so the sum of the squares of u, its energy, stays as it is (Verstappen and Veldman 2003,
// "Symmetry-preserving discretization of turbulent flow"). Two neighbours with the velocity c
// between them have a = c / 2h. This alone is of second order (Harlow and Welch 1965).
//
// For an error of fourth order in h where c is constant, each place m in the middle of three adds
// c_m / 12h to the a of its pairs (m - 1, m) and (m, m + 1), and subtracts it from that of
// (m - 1, m + 1). In each of the three lines this cancels where u is constant, so a constant u
// stays constant.
#pragma once

#include "library/src/carry.hpp"

namespace box {

/// How a place finds its neighbours along an axis: how many floats away those are that are two
/// places back and ahead, and 1/24 where there is a place in the middle of three, else 0. These
/// middles are the place before, the place itself and the next one.
struct Reach {
    int two_back, two_ahead;
    float before, here, after;
};

/// The place is number i along an axis with n cells. Joined ends go on at the other end. Else
/// nothing lies beyond the outermost places, and no ghost is in a line of three.
CELL Reach reach_at(int i, int n, bool on_faces, bool is_joined, int step) {
    constexpr float share = 1.0f / 24.0f;
    if (is_joined) {
        return {step * (i < 1 ? n - 2 : -2), step * (i + 1 < n ? 2 : 2 - n), share, share, share};
    }
    const int last = on_faces ? n : n - 1;
    const bool has_back = i >= 2;
    const bool has_ahead = i + 2 <= last;
    const bool is_between = i >= 1 && i + 1 <= last;
    return {has_back ? -2 * step : 0, has_ahead ? 2 * step : 0, has_back ? share : 0.0f,
            is_between ? share : 0.0f, has_ahead ? share : 0.0f};
}

/// x = from - steps h times the differences of `u`, which flow.u, v and w carry: a stage of a
/// Runge-Kutta method. All ghosts of u must have been set. x is another array than u, and may be
/// `from`.
struct Central {
    Extent over;
    Flow flow;
    Array x, from, u;
    float steps;  ///< how many cells a velocity of 1 crosses in the stage
    int where;

    /// What flows along an axis out of the place, in m2/s2.
    template <int at, int axis>
    CELL float along(Array carrier, const Reach& reach, int i, int j, int k) const {
        const int step = u.step(axis);
        const float* const here = &u(i, j, k);
        const float* const c = &carrier(i, j, k);
        // Twice what carries, 3/2 and 1/2 places back, and 1/2 and 3/2 places ahead.
        float c0, c1, c2, c3;
        if constexpr (at == axis) {
            c0 = c[reach.two_back] + c[-step];
            c1 = c[-step] + c[0];
            c2 = c[0] + c[step];
            c3 = c[step] + c[reach.two_ahead];
        } else {
            const int back = -u.step(at);
            c0 = c[back - step] + c[-step];
            c1 = c[back] + c[0];
            c2 = c[back + step] + c[step];
            c3 = c[back + 2 * step] + c[2 * step];
        }
        const float before = here[-step];
        const float after = here[step];
        const float second = 0.25f * (c2 * after - c1 * before);
        const float in_the_middle = reach.here * (0.5f * (c1 + c2)) * (after - before);
        const float at_the_end =
            reach.before * (0.5f * (c0 + c1)) * (here[reach.two_back] - before);
        const float at_the_start =
            reach.after * (0.5f * (c2 + c3)) * (after - here[reach.two_ahead]);
        return second + (in_the_middle + (at_the_end + at_the_start));
    }

    CELL Reach reach_x(int i) const {
        return reach_at(i, flow.nx, where == ON_X, flow.around_x > 0.0f, u.step(0));
    }
    CELL Reach reach_y(int j) const {
        return reach_at(j, flow.ny, where == ON_Y, flow.around_y > 0.0f, u.step(1));
    }
    CELL Reach reach_z(int k) const {
        return reach_at(k, flow.nz, where == ON_Z, flow.around_z > 0.0f, u.step(2));
    }

    template <int at, bool deep>
    CELL void cell(const Reach& in_x, const Reach& in_y, const Reach& in_z, int i, int j,
                   int k) const {
        float sum = along<at, 0>(flow.u, in_x, i, j, k) + along<at, 1>(flow.v, in_y, i, j, k);
        if constexpr (deep) {
            sum += along<at, 2>(flow.w, in_z, i, j, k);
        }
        x(i, j, k) = from(i, j, k) - steps * sum;
    }

    template <int at>
    CELL void cell(int i, int j, int k) const {
        if (flow.deep) {
            cell<at, true>(reach_x(i), reach_y(j), reach_z(k), i, j, k);
        } else {
            cell<at, false>(reach_x(i), reach_y(j), reach_z(k), i, j, k);
        }
    }
    CELL void operator()(int i, int j, int k) const {
        if (where == ON_X) {
            cell<ON_X>(i, j, k);
        } else if (where == ON_Y) {
            cell<ON_Y>(i, j, k);
        } else {
            cell<ON_Z>(i, j, k);
        }
    }
};

/// x = how many cells the flow through a cell crosses in a step, along all axes together.
struct Crossed {
    Extent over;
    Flow flow;
    Array x;
    float steps;

    CELL float along(Array component, int axis, int i, int j, int k) const {
        const float* const here = &component(i, j, k);
        return larger(std::fabs(here[0]), std::fabs(here[component.step(axis)]));
    }
    CELL void operator()(int i, int j, int k) const {
        float sum = along(flow.u, 0, i, j, k) + along(flow.v, 1, i, j, k);
        if (flow.deep) {
            sum += along(flow.w, 2, i, j, k);
        }
        x(i, j, k) = steps * sum;
    }
};

}  // namespace box
