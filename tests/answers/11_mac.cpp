// The worked answers of 11_mac's exercises.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"

/// The vorticity at the upper left corner of cell (i, j, k), in its layer: how fast the fluid turns
/// there, clockwise on the screen. The four faces around a corner are all that it takes.
inline double vorticity_at_corner(const Fluid& fluid, int i, int j, int k) {
    return (fluid.v(i, j, k) - fluid.v(i - 1, j, k) - fluid.u(i, j, k) + fluid.u(i, j - 1, k)) /
           fluid.h;
}

/// The stream function of a flow without divergence in one layer, at the corners of the cells, row
/// after row. From a corner to the one below it, it grows by what flows to the right through the
/// face between these two. From a corner to the one right of it, it grows by what flows up through
/// the face between these two. It is 0 at all corners on the walls, since nothing flows through
/// them.
inline std::vector<double> stream_function(const Fluid& fluid) {
    const int columns = fluid.nx + 1;
    std::vector<double> stream(columns * (fluid.ny + 1), 0.0);
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i <= fluid.nx; ++i) {
            stream[i + columns * (j + 1)] = stream[i + columns * j] + fluid.h * fluid.u(i, j, 0);
        }
    }
    return stream;
}

namespace {

Fluid pushed_box(int nx, int ny) {
    Fluid fluid(nx, ny, 1);
    fluid.h = 0.5;
    fluid.tolerance = 1e-13;
    fluid.iterations = 2000;
    fluid.u(2, 1, 0) = 1.0;
    fluid.v(1, 3, 0) = -2.0;
    return fluid;
}

}  // namespace

TEST_CASE("one sweep solves the pinwheel") {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 0.9;
    right_hand_side(fluid, 0.1);
    gauss_seidel(fluid.pressure, fluid.rhs);
    const double expected[] = {-4.5, -2.25, 2.25, 0.0};
    for (std::size_t cell = 0; cell < 4; ++cell) {
        CHECK_THAT(fluid.pressure.values[cell], WithinAbs(expected[cell], 1e-13));
    }
    CHECK(residual(fluid.pressure, fluid.rhs) < 1e-13);
    subtract_mean(fluid.pressure);
    CHECK_THAT(fluid.pressure(0, 0, 0), WithinAbs(-3.375, 1e-13));
}

TEST_CASE("the pinwheel with its axes exchanged") {
    Fluid fluid(2, 2, 1);
    fluid.u(1, 0, 0) = 0.9;
    project(fluid, 0.1);
    const double rhs[] = {-9.0, 9.0, 0.0, 0.0};
    const double pressure[] = {-3.375, 3.375, -1.125, 1.125};
    for (std::size_t cell = 0; cell < 4; ++cell) {
        CHECK_THAT(fluid.rhs.values[cell], WithinAbs(rhs[cell], 1e-12));
        CHECK_THAT(fluid.pressure.values[cell], WithinAbs(pressure[cell], 1e-9));
    }
    CHECK_THAT(fluid.u(1, 0, 0), WithinAbs(0.225, 1e-10));
    CHECK_THAT(fluid.u(1, 1, 0), WithinAbs(-0.225, 1e-10));
    CHECK_THAT(fluid.v(0, 1, 0), WithinAbs(-0.225, 1e-10));
    CHECK_THAT(fluid.v(1, 1, 0), WithinAbs(0.225, 1e-10));
}

TEST_CASE("a projection leaves the vorticity at the corners as it is") {
    const Fluid before = pushed_box(6, 5);
    Fluid after = before;
    project(after, 0.1);
    CHECK_THAT(vorticity_at_corner(before, 2, 1, 0), WithinAbs(-2.0, 1e-13));
    CHECK_THAT(vorticity_at_corner(before, 2, 3, 0), WithinAbs(4.0, 1e-13));
    double change = 0.0;
    for (int j = 1; j < 5; ++j) {
        for (int i = 1; i < 6; ++i) {
            change = std::max(change, std::abs(vorticity_at_corner(after, i, j, 0) -
                                               vorticity_at_corner(before, i, j, 0)));
        }
    }
    CHECK(std::abs(after.u(2, 1, 0) - before.u(2, 1, 0)) > 0.1);
    CHECK(change < 1e-12);
}

TEST_CASE("a flow without divergence has a stream function") {
    Fluid fluid = pushed_box(6, 5);
    const auto largest_mismatch = [&] {
        const std::vector<double> stream = stream_function(fluid);
        double largest = 0.0;
        for (int j = 0; j <= 5; ++j) {
            for (int i = 0; i < 6; ++i) {
                const double change = stream[i + 1 + 7 * j] - stream[i + 7 * j];
                largest = std::max(largest, std::abs(change + fluid.h * fluid.v(i, j, 0)));
            }
        }
        return largest;
    };
    CHECK(largest_mismatch() > 0.1);
    project(fluid, 0.1);
    CHECK(largest_mismatch() < 1e-11);
}
