// The worked answers of 61_adjoint's exercises.
#include <cmath>
#include <cstddef>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// The derivative of J by a factor that multiplies the whole first velocity. `by` is the derivative
/// by each of its numbers.
inline double by_factor(const Velocity& velocity, const Derivative& by) {
    return dot(velocity, by.velocity);
}

/// The derivative of J by the last dye, where J is the place of the dye's middle along x: the sum
/// of x times the dye, over the sum of the dye, which must not be 0.
inline Derivative of_middle(const Fluid& fluid) {
    double sum = 0.0;
    double moment = 0.0;
    for_each_point(fluid.density, [&](int i, int j, int k) {
        sum += fluid.density(i, j, k);
        moment += fluid.h * (i + 0.5) * fluid.density(i, j, k);
    });
    Derivative by = zero_derivative(fluid);
    for_each_point(by.density, [&](int i, int j, int k) {
        by.density(i, j, k) = (fluid.h * (i + 0.5) - moment / sum) / sum;
    });
    return by;
}

/// The derivative by the first state of `fluid`, with about two times the root of `steps` states in
/// memory. On the way forwards only every `apart`-th state is kept, a checkpoint. On the way back
/// the steps from one checkpoint to the next are made once more. `derivative_of_J` returns the
/// derivative of J by the state of the fluid that it is given, the last one.
template <class DerivativeOfJ>
Derivative run_with_checkpoints(Fluid fluid, int steps, double dt, DerivativeOfJ derivative_of_J) {
    const int apart = static_cast<int>(std::ceil(std::sqrt(steps)));
    std::vector<Fluid> checkpoints;
    for (int n = 0; n < steps; ++n) {
        if (n % apart == 0) {
            checkpoints.push_back(fluid);
        }
        step(fluid, dt);
    }
    Derivative by = derivative_of_J(fluid);
    int last = steps;
    while (!checkpoints.empty()) {
        Fluid again = checkpoints.back();
        checkpoints.pop_back();
        const int first = apart * static_cast<int>(checkpoints.size());
        const std::vector<State> states = run_forwards(again, last - first, dt);
        by = run_backwards(again, states, by, dt).front();
        last = first;
    }
    return by;
}

namespace {

constexpr double dt = 0.4;

Fluid stirred(int nx, int ny, int nz) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, 5);
    fluid.solver = Solver::DIRECT;
    for (double& dye : fluid.density.values) {
        dye = std::abs(dye);
    }
    return fluid;
}

double middle_of(const Fluid& fluid) {
    double sum = 0.0;
    double moment = 0.0;
    for_each_point(fluid.density, [&](int i, int j, int k) {
        sum += fluid.density(i, j, k);
        moment += fluid.h * (i + 0.5) * fluid.density(i, j, k);
    });
    return moment / sum;
}

/// Where the middle of the dye is after ten steps, if the first velocity is that many times as
/// large.
double middle_after(Fluid fluid, double factor) {
    for (Field* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        for (double& value : faces->values) {
            value *= factor;
        }
    }
    for (int n = 0; n < 10; ++n) {
        step(fluid, dt);
    }
    return middle_of(fluid);
}

}  // namespace

TEST_CASE("the derivatives by a factor and of the middle") {
    const Fluid first = stirred(9, 7, 1);
    Fluid fluid = first;
    const std::vector<State> states = run_forwards(fluid, 10, dt);
    const Derivative by = run_backwards(fluid, states, of_middle(fluid), dt).front();
    const double eps = 1e-6;
    const double expected =
        (middle_after(first, 1.0 + eps) - middle_after(first, 1.0 - eps)) / (2.0 * eps);
    CHECK(std::abs(expected) > 1e-3);
    CHECK_THAT(by_factor({first.u, first.v, first.w}, by),
               WithinAbs(expected, 1e-6 * std::abs(expected)));
}

TEST_CASE("with checkpoints the derivative is the same") {
    for (const int steps : {1, 10, 16, 23}) {
        const Fluid first = stirred(6, 5, 3);
        Fluid fluid = first;
        const std::vector<State> states = run_forwards(fluid, steps, dt);
        const Derivative expected = run_backwards(fluid, states, of_middle(fluid), dt).front();
        const Derivative found = run_with_checkpoints(first, steps, dt, of_middle);
        INFO(steps << " steps");
        CHECK(distance(found.velocity.u, expected.velocity.u) < 1e-14);
        CHECK(distance(found.velocity.w, expected.velocity.w) < 1e-14);
        CHECK(distance(found.density, expected.density) < 1e-14);
        CHECK(distance(found.force.v, expected.force.v) < 1e-14);
    }
}
