// The worked answers of 17_viscosity's exercises.
#include <cmath>
#include <numbers>

#include "17_viscosity/cavity.hpp"
#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// Lets viscosity act on u, v or w by an explicit step: each face looks at its neighbours as they
/// are now, and nothing is solved (Bird's equation 9).
inline void diffuse_explicitly(const Fluid& fluid, Field& faces, double dt) {
    const double a = fluid.nu * dt / (fluid.h * fluid.h);
    const auto& [A, b] = diffusion_equations(fluid, faces, a, walls_of(fluid, faces));
    Field product = faces;
    multiply(A, faces, product);
    add_scaled(faces, 1.0, b);  // b - A u is what neighbours and walls add, and 0 where u is given
    add_scaled(faces, -1.0, product);
}

/// Lets viscosity act by half a step forwards in time and half a step backwards (Crank and Nicolson
/// 1947). Returns the residual of the second half.
inline double diffuse_by_halves(const Fluid& fluid, Field& faces, double dt) {
    diffuse_explicitly(fluid, faces, 0.5 * dt);
    return diffuse(fluid, faces, fluid.nu, walls_of(fluid, faces), 0.5 * dt);
}

/// The force of the upper wall on the fluid, to the right: viscosity times the slope of u at the
/// wall, summed over the wall.
inline double force_of_lid(const Fluid& fluid) {
    double force = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 1; i < fluid.nx; ++i) {
            const double slope = 2.0 * (fluid.sides[2].velocity.x - fluid.u(i, 0, k)) / fluid.h;
            force += fluid.rho * fluid.nu * slope * fluid.h * fluid.h;
        }
    }
    return force;
}

namespace {

/// A wave between walls that hold.
Fluid wave(int nx, int ny, int wave_x, int wave_y) {
    Fluid fluid(nx, ny, 1);
    fluid.tolerance = 1e-14;
    for (int j = 0; j < ny; ++j) {
        for (int i = 1; i < nx; ++i) {
            fluid.u(i, j, 0) = std::sin(std::numbers::pi * wave_x * i / nx) *
                               std::sin(std::numbers::pi * wave_y * (j + 0.5) / ny);
        }
    }
    return fluid;
}

double eigenvalue(int nx, int ny, int wave_x, int wave_y) {
    return 4.0 * std::pow(std::sin(std::numbers::pi * wave_x / (2.0 * nx)), 2) +
           4.0 * std::pow(std::sin(std::numbers::pi * wave_y / (2.0 * ny)), 2);
}

/// How far a slow wave is from its exact decay after so many steps to the same time.
template <class Diffuse>
double error_of(Diffuse diffuse_once, int steps) {
    Fluid fluid = wave(8, 6, 1, 1);
    fluid.nu = 1.0;
    const double exact = fluid.u(4, 3, 0) * std::exp(-eigenvalue(8, 6, 1, 1) * 4.0);
    for (int n = 0; n < steps; ++n) {
        diffuse_once(fluid, fluid.u, 4.0 / steps);
    }
    return std::abs(fluid.u(4, 3, 0) - exact);
}

/// The lid's force in a steady cavity, over half of rho U^2 and its area.
double drag_coefficient(int n) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-6;
    begin_cavity(fluid, 100.0);
    for (int step_count = 0; step_count < 400; ++step_count) {
        step(fluid, 1.0 / 32.0);
    }
    return force_of_lid(fluid) / (0.5 * fluid.h);  // the lid's area: 1 times h
}

}  // namespace

TEST_CASE("an explicit step is stable while a is at most a quarter") {
    for (const auto& [a, grows] : {std::pair(0.24, false), {0.26, true}, {0.5, true}}) {
        Fluid fluid = wave(12, 12, 11, 12);  // nearly a checkerboard
        fluid.nu = a;
        const double before = largest(fluid.u);
        for (int n = 0; n < 100; ++n) {
            diffuse_explicitly(fluid, fluid.u, 1.0);
        }
        const double factor = std::abs(1.0 - a * eigenvalue(12, 12, 11, 12));
        INFO("a = " << a);
        CHECK((largest(fluid.u) > before) == grows);
        CHECK_THAT(largest(fluid.u) / before / std::pow(factor, 100), WithinAbs(1.0, 1e-9));
    }
}

TEST_CASE("two halves are of second order, a whole of first") {
    const auto whole = [](Fluid& fluid, Field& faces, double dt) {
        diffuse(fluid, faces, fluid.nu, walls_of(fluid, faces), dt);
    };
    const auto halves = [](Fluid& fluid, Field& faces, double dt) {
        diffuse_by_halves(fluid, faces, dt);
    };
    CHECK_THAT(error_of(whole, 16) / error_of(whole, 32), WithinAbs(2.0, 0.1));
    CHECK_THAT(error_of(halves, 16) / error_of(halves, 32), WithinAbs(4.0, 0.1));
    CHECK(error_of(halves, 16) < 0.05 * error_of(whole, 16));

    // But a checkerboard that should vanish at once only changes its sign, if dt is long.
    Fluid fluid = wave(12, 12, 11, 12);
    const Fluid before = fluid;
    fluid.nu = 100.0;
    diffuse_by_halves(fluid, fluid.u, 1.0);
    CHECK_THAT(fluid.u(5, 6, 0) / before.u(5, 6, 0), WithinAbs(-0.995, 1e-3));
}

TEST_CASE("the force of the lid") {
    Fluid fluid(9, 5, 2);  // between two walls, u is a straight line
    fluid.h = 0.5;
    fluid.rho = 3.0;
    fluid.nu = 0.2;
    fluid.sides[2].velocity.x = 2.0;
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 5; ++j) {
            for (int i = 0; i <= 9; ++i) {
                fluid.u(i, j, k) = 2.0 * (1.0 - (j + 0.5) / 5.0);
            }
        }
    }
    const double faces = 8.0 * 2.0 * 0.25;  // their area
    CHECK_THAT(force_of_lid(fluid), WithinAbs(3.0 * 0.2 * 2.0 / 2.5 * faces, 1e-13));

    CHECK_THAT(drag_coefficient(16), WithinAbs(0.2311, 0.002));
    CHECK_THAT(drag_coefficient(32), WithinAbs(0.3071, 0.002));
}
