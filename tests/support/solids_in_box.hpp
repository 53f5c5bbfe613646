// Solids in a fluid of the library, for its tests.
#pragma once

#include <functional>

#include "fluid_box.hpp"

namespace fluid_box {

/// The signed distance to the solids' surface, of a place in metres.
using Distance = std::function<double(double, double, double)>;

/// Sets the solids from a distance.
inline void set_solid(const Fluid& fluid, const Distance& distance) {
    Triple n = fluid.shape(STABLE_FLUIDS_PRESSURE);
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        ++n[static_cast<std::size_t>(axis)];
    }
    const Field corners = made(n, [&](int i, int j, int k) {
        return distance(i * fluid.h(), j * fluid.h(), k * fluid.h());
    });
    INFO(stable_fluids_error(fluid.handle()));
    REQUIRE(stable_fluids_set_solid(fluid.handle(), corners.values.data(), corners.values.size()) ==
            STABLE_FLUIDS_OK);
}

/// A ball, or in a flat box a disk.
inline Distance ball(std::array<double, 3> centre, double radius, bool deep) {
    return [=](double x, double y, double z) {
        const double in_z = deep ? z - centre[2] : 0.0;
        return std::hypot(x - centre[0], y - centre[1], in_z) - radius;
    };
}

inline int fraction(int axis) {
    return STABLE_FLUIDS_FRACTION_X + axis;
}
inline int solid_velocity(int axis) {
    return STABLE_FLUIDS_SOLID_U + axis;
}

}  // namespace fluid_box
