// The worked answers of 19_obstacles' exercises, and what its companions measure.
#include "solver.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "staggered.hpp"
#include "window/inflow.hpp"
#include "window/loads.hpp"
#include "window/shapes.hpp"

/// Sets the faces of a round body to the velocity of its rotation, `omega` radians a second,
/// clockwise on the screen. The body stays where it is.
inline void set_spin(Fluid& fluid, const Body& body, double omega) {
    const double h = fluid.h;
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            if (covers(body, fluid, i, j)) {
                for (const int one : {0, 1}) {  // both faces of the cell, along each axis
                    fluid.u_given(i + one, j, 0) = -omega * (h * (j + 0.5) - body.y);
                    fluid.v_given(i, j + one, 0) = omega * (h * (i + 0.5) - body.x);
                }
            }
        }
    }
    set_bnd(fluid);
}

/// Returns the share of a face that lies in fluid, from the distances of its two ends to a body.
/// A distance is negative within the body.
inline double share_between(double one, double other) {
    if (one < 0.0 && other < 0.0) {
        return 0.0;
    }
    const double outside = std::max(one, 0.0) + std::max(other, 0.0);
    return outside > 0.0 ? outside / (std::abs(one) + std::abs(other)) : 1.0;
}

/// Makes a flat velocity free of divergence around a body at rest, whose shares of fluid are in
/// `u_share` and `v_share`: through a face flows its velocity times its share (Batty, Bertails and
/// Bridson 2007; Ng, Min and Gibou 2009). The outermost faces keep their velocity.
inline void project_by_shares(Fluid& fluid, const Field& u_share, const Field& v_share) {
    const Field& p = fluid.pressure;
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(fluid.nx * fluid.ny);
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const int row = p.IX(i, j, 0);
            rhs[row] =
                u_share(i, j, 0) * fluid.u(i, j, 0) - u_share(i + 1, j, 0) * fluid.u(i + 1, j, 0) +
                v_share(i, j, 0) * fluid.v(i, j, 0) - v_share(i, j + 1, 0) * fluid.v(i, j + 1, 0);
            const auto couple = [&](int i1, int j1, double share) {
                if (p.has(i1, j1, 0)) {
                    entries.emplace_back(row, row, share);
                    entries.emplace_back(row, p.IX(i1, j1, 0), -share);
                }
            };
            couple(i - 1, j, u_share(i, j, 0));
            couple(i + 1, j, u_share(i + 1, j, 0));
            couple(i, j - 1, v_share(i, j, 0));
            couple(i, j + 1, v_share(i, j + 1, 0));
            entries.emplace_back(row, row, 1e-10);  // no cell is without an equation
        }
    }
    Eigen::SparseMatrix<double> matrix(rhs.size(), rhs.size());
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
    const Eigen::VectorXd solution = factors.solve(rhs);
    fluid.pressure.values.assign(solution.begin(), solution.end());
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 1; i < fluid.nx; ++i) {
            fluid.u(i, j, 0) -= p(i, j, 0) - p(i - 1, j, 0);
        }
    }
    for (int j = 1; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            fluid.v(i, j, 0) -= p(i, j, 0) - p(i, j - 1, 0);
        }
    }
}

namespace {

/// The largest error of u in the flow around a cylinder without friction, which is known, outside
/// of the cylinder: with whole cells, or with shares of faces.
double error_around_cylinder(int n, bool by_shares) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    const double radius = 0.15, middle = 0.5;
    const auto velocity = [&](double x, double y) {
        const double r2 = (x - middle) * (x - middle) + (y - middle) * (y - middle);
        const double s = radius * radius / (r2 * r2);
        return std::array<double, 2>{
            1.0 - s * ((x - middle) * (x - middle) - (y - middle) * (y - middle)),
            -2.0 * s * (x - middle) * (y - middle)};
    };
    const auto distance_at = [&](double x, double y) {
        return std::hypot(x - middle, y - middle) - radius;
    };
    Field u_share = fluid.u;
    Field v_share = fluid.v;
    const Body body = {BodyShape::CIRCLE, middle, middle, 2.0 * radius};
    const double h = fluid.h;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= n; ++i) {
            const double x = h * i, y = h * j;
            u_share(i, j, 0) = share_between(distance_at(x, y), distance_at(x, y + h));
            v_share(j, i, 0) = share_between(distance_at(y, x), distance_at(y + h, x));
            if (!by_shares) {
                const auto solid = [&](int a, int b) {
                    return fluid.density.has(a, b, 0) && covers(body, fluid, a, b);
                };
                u_share(i, j, 0) = solid(i, j) || solid(i - 1, j) ? 0.0 : 1.0;
                v_share(j, i, 0) = solid(j, i) || solid(j, i - 1) ? 0.0 : 1.0;
            }
            if (i == 0 || i == n) {
                fluid.u(i, j, 0) = velocity(x, y + 0.5 * h)[0];
                fluid.v(j, i, 0) = velocity(y + 0.5 * h, x)[1];
            }
        }
    }
    project_by_shares(fluid, u_share, v_share);
    double error = 0.0;
    for (int j = 0; j < n; ++j) {
        for (int i = 1; i < n; ++i) {
            const double x = h * i, y = h * (j + 0.5);
            if (distance_at(x, y) > 1.5 * h) {
                error = std::max(error, std::abs(fluid.u(i, j, 0) - velocity(x, y)[0]));
            }
        }
    }
    return error;
}

}  // namespace

TEST_CASE("the cells of a cylinder against its area") {
    for (const auto& [cells, expected, share] :
         {std::array{5.0, 16.0, 0.815}, {10.0, 80.0, 1.019}, {20.0, 316.0, 1.006}}) {
        Fluid fluid(2 * static_cast<int>(cells), 2 * static_cast<int>(cells), 1);
        const int found = place_bodies(fluid, {{BodyShape::CIRCLE, cells, cells, cells}});
        INFO("D = " << cells);
        CHECK(found == expected);
        CHECK_THAT(found / (0.25 * 3.14159265 * cells * cells), WithinAbs(share, 5e-4));
    }
}

TEST_CASE("a body that goes away leaves neither cells nor velocities") {
    Fluid fluid(8, 6, 3);
    const Fluid empty = fluid;
    place_bodies(fluid, {{BodyShape::SQUARE, 1.0, 1.0, 4.0, 0.0, 1.5, -0.5}});
    CHECK(fluid.u(3, 2, 1) == 1.5);
    CHECK(fluid.v(1, 3, 1) == -0.5);
    INFO("it touches two walls of the box, which stay at rest");
    CHECK(fluid.u(0, 1, 1) == 0.0);
    CHECK(fluid.v(1, 0, 1) == 0.0);
    place_bodies(fluid, {});
    CHECK(fluid.solid == empty.solid);
    CHECK(fluid.u_given == empty.u_given);
    CHECK(fluid.v_given == empty.v_given);
    CHECK(fluid.w_given == empty.w_given);
}

TEST_CASE("a sphere is round in every direction, and a circle where the box is one layer deep") {
    Fluid fluid(14, 12, 10);
    fluid.h = 0.5;
    const Body sphere = {BodyShape::SPHERE, 3.75, 2.75, 4.0, 0.0, 1.5, -0.5};
    const int found = place_bodies(fluid, {sphere});
    int expected = 0;
    for (int k = 0; k < 10; ++k) {
        for (int j = 0; j < 12; ++j) {
            for (int i = 0; i < 14; ++i) {
                const double x = 0.5 * (i + 0.5) - 3.75, y = 0.5 * (j + 0.5) - 2.75;
                const double z = 0.5 * (k + 0.5) - 2.5;  // the box's middle
                const bool is_solid = x * x + y * y + z * z < 4.0;
                expected += is_solid;
                INFO("cell (" << i << ", " << j << ", " << k << ")");
                CHECK(fluid.solid(i, j, k) == (is_solid ? 1.0 : 0.0));
                if (is_solid) {
                    CHECK(fluid.u_given(i, j, k) == 1.5);
                    CHECK(fluid.v_given(i, j, k) == -0.5);
                }
            }
        }
    }
    CHECK(found == expected);
    CHECK_THAT(found * 0.125 / (4.0 / 3.0 * 3.14159265 * 8.0), WithinAbs(1.0, 0.05));

    Fluid flat(14, 12, 1);
    flat.h = 0.5;
    Fluid disk = flat;
    Body circle = sphere;
    circle.shape = BodyShape::CIRCLE;
    CHECK(place_bodies(flat, {sphere}) == place_bodies(disk, {circle}));
    CHECK(flat.solid.values == disk.solid.values);
}

TEST_CASE("a turning cylinder turns the fluid, and is pushed aside in a stream") {
    Fluid fluid(12, 9, 1);
    fluid.h = 0.5;
    const Body body = {BodyShape::CIRCLE, 3.0, 2.25, 2.0};
    place_bodies(fluid, {body});
    set_spin(fluid, body, 2.0);
    CHECK(fluid.u(6, 3, 0) == 1.0);  // above the middle, clockwise: to the right
    CHECK(fluid.u(6, 5, 0) == -1.0);
    CHECK(fluid.v(4, 4, 0) == -1.5);  // left of it: up
    CHECK(fluid.v(7, 4, 0) == 1.5);
    CHECK(fluid.v(7, 5, 0) == 1.5);
    CHECK(fluid.u(1, 4, 0) == 0.0);
    fluid.nu = 0.05;
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[1].opening = Opening::OUTFLOW;
    for (int j = 0; j < 9; ++j) {
        fluid.u_given(0, j, 0) = 0.5;
    }
    for (int n = 0; n < 40; ++n) {
        step(fluid, 0.1);
    }
    double above = 0.0, below = 0.0;
    for (int i = 4; i < 8; ++i) {
        above += fluid.pressure(i, 1, 0);
        below += fluid.pressure(i, 7, 0);
    }
    INFO("above it the stream and the turning go the same way: less pressure there, so lift");
    CHECK(above < below - 0.05);
}

TEST_CASE("shares of faces make a cylinder round") {
    CHECK(share_between(1.0, 2.0) == 1.0);
    CHECK(share_between(-1.0, -2.0) == 0.0);
    CHECK(share_between(-1.0, 3.0) == 0.75);
    CHECK(share_between(3.0, -1.0) == 0.75);
    const double whole = error_around_cylinder(64, false);
    const double shared = error_around_cylinder(64, true);
    CHECK_THAT(whole, WithinAbs(0.138, 5e-4));
    CHECK_THAT(shared, WithinAbs(0.0025, 5e-5));
    CHECK_THAT(error_around_cylinder(32, false), WithinAbs(0.161, 5e-4));
    CHECK_THAT(error_around_cylinder(32, true), WithinAbs(0.0047, 5e-5));
}

// ---- What is measured --------------------------------------------------------------------------

TEST_CASE("a body in a fluid at rest is lifted by the weight of the fluid that it displaces") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        Fluid before(14, 11, 3);
        before.h = 0.5;
        before.rho = 1.7;
        before.nu = 0.2;
        before.tolerance = 1e-13;
        before.force_x = 0.6;
        before.force_y = -2.0;
        before.advection = advection;
        const Body body = {BodyShape::SQUARE, 3.25, 2.75, 1.5};
        REQUIRE(place_bodies(before, {body}) == 27);
        Fluid middle = before;
        step(middle, 0.1);
        Fluid end = middle;
        step(end, 0.1);
        const bool is_reflected = advection == Advection::REFLECTED;
        const Loads loads =
            mean_of_pair(loads_by_stress(middle, 0.1), loads_by_stress(end, 0.1), is_reflected);
        INFO("advection "
             << static_cast<int>(advection) << ": by stress the body is a cell longer "
             << "each way, since pressure is that in the middle of the cells beside it");
        CHECK_THAT(loads.pressure_x, WithinAbs(-0.6 * 1.7 * 0.125 * 36, 1e-9));
        CHECK_THAT(loads.pressure_y, WithinAbs(2.0 * 1.7 * 0.125 * 36, 1e-9));
        CHECK_THAT(loads.friction_x, WithinAbs(0.0, 1e-9));
        CHECK_THAT(loads.friction_y, WithinAbs(0.0, 1e-9));
        INFO("the balance: all that pushes the box of fluid around it, less that fluid's weight");
        const Control control = {2, 12, 1, 10};
        const double weight = 1.7 * 0.125 * (10 * 9 * 3 - 27);
        const auto force = force_by_balance(before, middle, end, control, 0.1, is_reflected);
        CHECK_THAT(force.x + 0.6 * weight, WithinAbs(-0.6 * 1.7 * 0.125 * 27, 1e-9));
        CHECK_THAT(force.y - 2.0 * weight, WithinAbs(2.0 * 1.7 * 0.125 * 27, 1e-9));
    }
}

TEST_CASE("friction on a body: what a layer between two solids gives each of them") {
    Fluid fluid(6, 9, 2);
    fluid.h = 0.25;
    fluid.rho = 1.3;
    fluid.nu = 0.4;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 6; ++i) {
            for (const int j : {0, 1, 6, 7, 8}) {
                fluid.solid(i, j, k) = 1.0;
            }
        }
        for (int i = 0; i <= 6; ++i) {
            for (const int j : {0, 1}) {
                fluid.u_given(i, j, k) = 2.0;
            }
        }
    }
    set_bnd(fluid);
    for (int k = 0; k < 2; ++k) {
        for (int j = 2; j < 6; ++j) {
            for (int i = 1; i < 6; ++i) {
                fluid.u(i, j, k) = 2.0 - 2.0 * (j - 1.5) / 4.0;  // 2 above, 0 below, straight
            }
        }
    }
    INFO("rho nu times the slope, 2 over 1, on ten faces of h x h of each solid");
    const double stress = 1.3 * 0.4 * 2.0 / 1.0, area = 10 * 0.0625;
    CHECK_THAT(friction_on_solids(fluid, fluid.u), WithinAbs(stress * area - stress * area, 1e-12));
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i <= 6; ++i) {
            for (int k = 0; k < 2; ++k) {
                fluid.u(i, j, k) = 1.75;  // as fast as the layer beside it: no friction there
            }
        }
    }
    CHECK_THAT(friction_on_solids(fluid, fluid.u), WithinAbs(stress * area, 1e-12));
}

TEST_CASE("the pressure on a body is found on a straight line through the next two cells") {
    Fluid fluid(12, 7, 1);
    fluid.h = 0.5;
    place_bodies(fluid, {{BodyShape::SQUARE, 3.0, 1.75, 1.5}});
    for (int j = 0; j < 7; ++j) {
        for (int i = 0; i < 12; ++i) {
            fluid.pressure(i, j, 0) = 4.0 + 3.0 * 0.5 * (i + 0.5) - 2.0 * 0.5 * (j + 0.5);
        }
    }
    for (const double y : {1.3, 1.75, 2.1}) {
        CHECK_THAT(surface_pressure(fluid, 2.25, y, -1), WithinAbs(4.0 + 6.75 - 2.0 * y, 1e-12));
        CHECK_THAT(surface_pressure(fluid, 3.75, y, 1), WithinAbs(4.0 + 11.25 - 2.0 * y, 1e-12));
    }
    INFO("and 0 where there is no fluid on that side");
    place_bodies(fluid, {{BodyShape::SQUARE, 0.0, 1.75, 20.0}});
    CHECK(surface_pressure(fluid, 3.0, 1.75, -1) == 0.0);
    CHECK(surface_pressure(fluid, -50.0, 1.75, -1) == 0.0);
}

TEST_CASE("how often a value swings, around whatever mean") {
    std::vector<double> times, values;
    for (int n = 0; n < 400; ++n) {
        times.push_back(3.0 + 0.01 * n);
        values.push_back(7.0 - 0.5 * std::sin(2.0 * 3.14159265358979 * 2.7 * times.back()));
    }
    CHECK_THAT(frequency_of(times, values), WithinAbs(2.7, 0.002));
    CHECK(frequency_of(times, std::vector<double>(400, 1.0)) == 0.0);
    CHECK(frequency_of({}, {}) == 0.0);
}

TEST_CASE("an inflow or outflow that a body covers lets nothing through") {
    Fluid fluid(10, 6, 1);
    fluid.h = 0.5;
    set_inflow(fluid, 0, 2.0, Profile::UNIFORM);
    fluid.sides[1].opening = Opening::OUTFLOW;
    place_bodies(fluid, {{BodyShape::SQUARE, 0.0, 0.0, 2.0}});
    for (int n = 0; n < 3; ++n) {
        step(fluid, 0.1);
    }
    CHECK_THAT(passing(fluid).in, WithinAbs(4 * 2.0 * 0.25, 1e-12));
    CHECK_THAT(passing(fluid).out, WithinAbs(4 * 2.0 * 0.25, 1e-9));
}

TEST_CASE("a rake leaves solids clear") {
    Fluid fluid(5, 8, 2);
    place_bodies(fluid, {{BodyShape::SQUARE, 2.0, 1.0, 2.0}});
    rake(fluid, 2, 4);
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 8; ++j) {
            CHECK(fluid.density(2, j, k) == (j == 3 || j == 5 || j == 7 ? 1.0 : 0.0));
        }
    }
    rake(fluid, 5, 4);  // beyond the box: nothing
}
