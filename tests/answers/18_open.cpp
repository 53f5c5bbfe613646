// The worked answers of 18_open's exercises.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/inflow.hpp"

/// Makes the inflows of a box without outflow compatible: what enters too much, or leaves too much,
/// is taken from all of their faces alike.
inline void balance_inflows(Fluid& fluid) {
    double net = 0.0, faces = 0.0;
    const auto for_each_face = [&](auto visit) {
        for (int side = 0; side < 6; ++side) {
            if (fluid.sides[side].opening == Opening::INFLOW) {
                Field& given = given_on(fluid, side);
                for_each_on_side(given, side, [&](int i, int j, int k) {
                    visit(given(i, j, k), side % 2 == 0 ? 1.0 : -1.0);
                });
            }
        }
    };
    for_each_face([&](double velocity, double inwards) {
        net += inwards * velocity;
        faces += 1.0;
    });
    for_each_face([&](double& velocity, double inwards) { velocity -= inwards * net / faces; });
}

/// A of a box where p is 0 on the faces of the outflows, not half a cell beyond them. The pressure
/// falls to 0 over half the distance, so these faces have the weight 2.
inline Matrix pressure_matrix_with_surface(const Fluid& fluid) {
    Matrix A = pressure_matrix(fluid);
    for_each_point(fluid.pressure, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            if (label_at(fluid, i + di, j + dj, k + dk) == Label::AIR) {
                A.weight(side, i, j, k) = 2.0;
                A.diagonal(i, j, k) += 1.0;
            }
        }
    });
    return A;
}

TEST_CASE("the least eigenvalue of a row of cells with one end open, and with both") {
    const auto least = [](Fluid& fluid) {
        const Eigen::MatrixXd A(assemble_matrix(pressure_matrix(fluid)));
        return algebra::eigenvalues(A)[0];
    };
    for (const int n : {3, 8, 20}) {
        const double pi = std::acos(-1.0);
        Fluid fluid(n, 1, 1);
        fluid.sides[1].opening = Opening::OUTFLOW;
        CHECK_THAT(least(fluid),
                   WithinAbs(4.0 * std::pow(std::sin(pi / (2.0 * (2 * n + 1))), 2), 1e-12));
        fluid.sides[0].opening = Opening::OUTFLOW;
        CHECK_THAT(least(fluid),
                   WithinAbs(4.0 * std::pow(std::sin(pi / (2.0 * (n + 1))), 2), 1e-12));
        CHECK_THAT(n == 8 ? least(fluid) : 0.12061, WithinAbs(0.12061, 1e-5));
    }
}

TEST_CASE("inflows that are balanced are compatible") {
    Fluid fluid(5, 4, 3);
    fluid.tolerance = 1e-13;
    set_inflow(fluid, 0, 2.0, Profile::PARABOLIC);
    set_inflow(fluid, 3, 0.5, Profile::UNIFORM);
    set_inflow(fluid, 5, 0.0, Profile::UNIFORM);
    project(fluid, 0.1);
    CHECK(fluid.compatibility_defect > 0.9);
    balance_inflows(fluid);
    project(fluid, 0.1);
    CHECK(fluid.compatibility_defect < 1e-13);
    CHECK(largest_divergence(fluid) < 1e-11);
    CHECK_THAT(passing(fluid).in - passing(fluid).out, WithinAbs(0.0, 1e-12));
}

TEST_CASE("the surface half a cell beyond, and on the faces") {
    for (int side = 0; side < 6; ++side) {
        Fluid fluid(3, 6, 2);
        fluid.h = 0.5;
        fluid.rho = 2.0;
        fluid.tolerance = 1e-13;
        (side < 2   ? fluid.force_x
         : side < 4 ? fluid.force_y
                    : fluid.force_z) = side % 2 == 0 ? 9.81 : -9.81;
        fluid.sides[side].opening = Opening::OUTFLOW;
        add_force(fluid, 0.1);
        right_hand_side(fluid, 0.1);
        fluid.matrix = pressure_matrix(fluid);
        solve_pressure(fluid);
        const Field half_beyond = fluid.pressure;
        fluid.matrix = pressure_matrix_with_surface(fluid);
        solve_pressure(fluid);
        Fluid at_rest = fluid;
        subtract_gradient(at_rest, 0.1);
        CHECK(larger(largest(at_rest.u), larger(largest(at_rest.v), largest(at_rest.w))) < 1e-11);
        const int size[] = {3, 6, 2};
        for_each_point(fluid.pressure, [&](int i, int j, int k) {
            const int at[] = {i, j, k};
            const int above =
                side % 2 == 0 ? at[side / 2] : size[side / 2] - 1 - at[side / 2];  // cells
            CHECK_THAT(half_beyond(i, j, k), WithinAbs(2.0 * 9.81 * 0.5 * (above + 1.0), 1e-10));
            CHECK_THAT(fluid.pressure(i, j, k), WithinAbs(2.0 * 9.81 * 0.5 * (above + 0.5), 1e-10));
        });
    }
}
