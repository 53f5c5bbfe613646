// The worked answers of 62_control's exercises.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// The length to try next, where J is `value` after `length`, too much. The parabola through J and
/// its slope at the start, and through this value, is lowest there. It stays between a tenth and
/// half of `length`.
inline double length_by_parabola(double J, double slope, double length, double value) {
    const double bend = (value - J - slope * length) / (length * length);
    return std::clamp(-slope / (2.0 * bend), 0.1 * length, 0.5 * length);
}

/// The derivative of J by a force that is the same everywhere and acts in all steps.
inline Vector by_uniform_force(const Derivative& by) {
    Vector sum = {0.0, 0.0, 0.0};
    for (const double value : by.force.u.values) {
        sum.x += value;
    }
    for (const double value : by.force.v.values) {
        sum.y += value;
    }
    for (const double value : by.force.w.values) {
        sum.z += value;
    }
    return sum;
}

/// Goes down from x like a heavy ball (Polyak 1964). Each step is minus `length` times the
/// gradient, and a share of the step before. Returns how many steps it takes until J is at most
/// `enough`, or `most`.
template <class Function>
int roll_down(const Function& function, Numbers x, double length, double enough, int most) {
    Numbers change(x.size(), 0.0);
    for (int steps = 0; steps < most; ++steps) {
        const Value value = function(x);
        if (value.J <= enough) {
            return steps;
        }
        for (double& number : change) {
            number *= 0.97;
        }
        add_scaled(change, -length, value.gradient);
        add_scaled(x, 1.0, change);
    }
    return most;
}

namespace {

Value rosenbrock(const Numbers& x) {
    const double a = 1.0 - x[0];
    const double b = x[1] - x[0] * x[0];
    return {a * a + 100.0 * b * b, {-2.0 * a - 400.0 * x[0] * b, 200.0 * b}};
}

}  // namespace

TEST_CASE("the lowest point of a parabola") {
    const auto J = [](double t) { return 3.0 * (t - 0.3) * (t - 0.3) + 1.0; };
    CHECK_THAT(length_by_parabola(J(0.0), -1.8, 1.0, J(1.0)), WithinAbs(0.3, 1e-14));
    INFO("but not too near to either end");
    CHECK_THAT(length_by_parabola(0.0, -1.0, 1.0, 1e6), WithinAbs(0.1, 1e-14));
    CHECK_THAT(length_by_parabola(0.0, -1.0, 1.0, -0.9), WithinAbs(0.5, 1e-14));
}

TEST_CASE("the derivative by a force that is the same everywhere") {
    Fluid first = bumpy_fluid(6, 7, 1, 5);
    first.solver = Solver::DIRECT;
    first.force_x = 0.2;
    const auto J_with = [&](double x, double y) {
        Fluid fluid = first;
        fluid.force_x += x;
        fluid.force_y += y;
        for (int n = 0; n < 8; ++n) {
            step(fluid, 0.3);
        }
        return dot(fluid.density, first.density);
    };
    Fluid fluid = first;
    const std::vector<State> states = run_forwards(fluid, 8, 0.3);
    Derivative by = zero_derivative(fluid);
    by.density = first.density;
    const Vector found = by_uniform_force(run_backwards(fluid, states, by, 0.3).front());
    const double eps = 1e-6;
    const double by_x = (J_with(eps, 0.0) - J_with(-eps, 0.0)) / (2.0 * eps);
    const double by_y = (J_with(0.0, eps) - J_with(0.0, -eps)) / (2.0 * eps);
    CHECK_THAT(found.x, WithinAbs(by_x, 1e-6));
    CHECK_THAT(found.y, WithinAbs(by_y, 1e-6));
    INFO("in a closed box the pressure balances such a force");
    CHECK_THAT(found.x, WithinAbs(0.0, 1e-9));
    Derivative other = zero_derivative(Fluid(3, 2, 2));
    std::fill(other.force.u.values.begin(), other.force.u.values.end(), 2.0);
    other.force.v(1, 1, 0) = 5.0;
    other.force.w(2, 0, 1) = -1.0;
    INFO("sixteen faces along x with 2 each, one along y with 5, one along z with -1");
    CHECK(by_uniform_force(other).x == 32.0);
    CHECK(by_uniform_force(other).y == 5.0);
    CHECK(by_uniform_force(other).z == -1.0);
}

TEST_CASE("a heavy ball rolls faster than descent creeps") {
    const int steps = roll_down(rosenbrock, {-1.2, 1.0}, 2e-4, 1e-8, 20000);
    INFO(steps << " steps");
    CHECK(steps < 3000);
    CHECK(steps > 2500);
}
