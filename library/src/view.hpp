// What can be seen and said of a flow, and the vorticity confinement, which looks at it.
#pragma once

#include "library/src/carry.hpp"

namespace box {

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
