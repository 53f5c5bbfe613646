// The table behind --numbers: derivatives by the adjoint beside differences of whole runs.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "61_adjoint/push.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "window/flows.hpp"

namespace {

using namespace workbook;

const std::string recorded = "as recorded";
constexpr double dt = 0.02;

/// The scene of the window in n x n cells: a vortex, and a disk of dye in it.
Fluid vortex_with_dye(int n, Solver solver) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.solver = solver;
    set_vortices(fluid, 1);
    set_dye(fluid, [](double x, double y) { return std::hypot(x - 0.3, y - 0.3) < 0.14; });
    return fluid;
}

/// The derivative of J by the last state, where J is the dye in the target.
Derivative of_target(const Fluid& fluid, double x, double y) {
    Derivative by = zero_derivative(fluid);
    by.density(static_cast<int>(x * fluid.nx), static_cast<int>(y * fluid.ny), 0) = 1.0;
    return by;
}

/// J after so many steps.
double J_of(Fluid fluid, int steps, const Derivative& weights) {
    for (int n = 0; n < steps; ++n) {
        step(fluid, dt);
    }
    return dot(fluid.density, weights.density);
}

/// Numbers without any pattern, from -1 to 1, the same on every machine.
Field noise_like(const Field& field, unsigned seed) {
    Field noise = field;
    for (double& value : noise.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    return noise;
}

void add_by_hand(Numbers& numbers) {
    Field two(2, 1, 1, {0.5, 0.5, 0.5});
    interpolate_adjoint(two, 1.0, {0.75, 0.5, 0.5}, 8.0);
    numbers.checked("8, a quarter of the way between two cells", {6, 2}, two.values, 1e-12,
                    "by hand");
    Fluid row(4, 1, 1);
    std::fill(row.u.values.begin(), row.u.values.end(), 0.5);
    Field dye = row.density;
    dye.values = {0.0, 1.0, 5.0, 7.0};
    Derivative by = zero_derivative(row);
    by.density(2, 0, 0) = 1.0;
    advect_density_adjoint(row, dye, by, 1.0);
    numbers.checked("0 1 5 7, carried by half a cell: by the dye", {0, 0.5, 0.5, 0},
                    by.density.values, 1e-12, "by hand");
    numbers.checked("  by u", {0, 0, -2, -2, 0}, by.velocity.u.values, 1e-12, "by hand");
}

/// How far <P x, y> and <x, P^T y> are apart for a projection P, relative to them.
double asymmetry_of_project(Fluid fluid) {
    const Velocity x = {noise_like(fluid.u, 3), noise_like(fluid.v, 4), noise_like(fluid.w, 5)};
    Derivative by = zero_derivative(fluid);
    by.velocity = {noise_like(fluid.u, 6), noise_like(fluid.v, 7), noise_like(fluid.w, 8)};
    const Velocity y = by.velocity;
    Fluid projected = fluid;
    projected.u = x.u;
    projected.v = x.v;
    projected.w = x.w;
    project(projected, dt);
    project_adjoint(fluid, by, dt);
    return dot({projected.u, projected.v, projected.w}, y) / dot(x, by.velocity) - 1.0;
}

/// <M x, y> against <x, M^T y>: the relative difference.
void add_dot_products(Numbers& numbers) {
    Fluid fluid = vortex_with_dye(32, Solver::DIRECT);
    const Field d0 = noise_like(fluid.density, 1);
    const Field weights = noise_like(fluid.density, 2);
    Field carried = d0;
    advect(fluid, carried, d0, dt);
    Field by_d0(d0.nx, d0.ny, d0.nz, d0.origin);
    advect_adjoint(fluid, weights, by_d0, dt);
    numbers.checked("advect: dot products, relative difference", 0.0,
                    dot(carried, weights) / dot(d0, by_d0) - 1.0, 1e-12, "M and its transpose");

    numbers.checked("project: the same", 0.0, asymmetry_of_project(fluid), 1e-12,
                    "M is its own transpose");
    fluid.solver = Solver::MULTIGRID;
    fluid.tolerance = 0.01;
    numbers.checked("  stopped at a residual of 0.01", -0.000642, asymmetry_of_project(fluid), 1e-5,
                    recorded);
}

void add_differences(Numbers& numbers) {
    const Fluid first = vortex_with_dye(32, Solver::DIRECT);
    const Derivative weights = of_target(first, 0.74, 0.79);
    Fluid fluid = first;
    const auto states = run_forwards(fluid, 60, dt);
    const std::vector<Derivative> derivatives = run_backwards(fluid, states, weights, dt);
    const Derivative by = derivatives.empty() ? zero_derivative(fluid) : derivatives.front();
    const double eps = 1e-6;
    const struct {
        std::string name;
        Field Fluid::*field;
        const Field& by;
        int i, j;
    } entries[] = {{"u(12, 6)", &Fluid::u, by.velocity.u, 12, 6},
                   {"v(11, 8)", &Fluid::v, by.velocity.v, 11, 8},
                   {"the dye in cell (12, 7)", &Fluid::density, by.density, 12, 7}};
    for (const auto& [name, field, found, i, j] : entries) {
        Fluid more = first;
        Fluid less = first;
        (more.*field)(i, j, 0) += eps;
        (less.*field)(i, j, 0) -= eps;
        numbers.checked("60 steps: by " + name,
                        (J_of(more, 60, weights) - J_of(less, 60, weights)) / (2.0 * eps),
                        found(i, j, 0), 1e-6, "two runs and their difference");
    }
}

/// Interpolation has kinks at the points of the grid, and a fluid at rest has all its departure
/// points there.
void add_kink(Numbers& numbers) {
    Fluid row(4, 1, 1);
    row.density.values = {0.0, 1.0, 5.0, 7.0};
    const auto change = [&row](double u) {
        Fluid moving = row;
        std::fill(moving.u.values.begin(), moving.u.values.end(), u);
        Field carried = row.density;
        advect(moving, carried, row.density, 1.0);
        return (carried(2, 0, 0) - row.density(2, 0, 0)) / u;
    };
    numbers.checked("0 1 5 7 at rest: cell 2, by a flow to the right", -4.0, change(0.01), 1e-9,
                    "1 - 5");
    numbers.checked("  by a flow to the left", -2.0, change(-0.01), 1e-9, "5 - 7");
    Derivative by = zero_derivative(row);
    by.density(2, 0, 0) = 1.0;
    advect_density_adjoint(row, row.density, by, 1.0);
    numbers.checked("  by the adjoint", -2.0, by.velocity.u(2, 0, 0) + by.velocity.u(3, 0, 0),
                    1e-12, "that of one side");
}

/// How many times smaller the remainder of J is after half of a change of the velocity by noise: 4
/// times, if J is smooth. The remainder is what the derivative does not tell. `stir` is the noise
/// that the first velocity itself has.
double taylor_ratio(double stir, double size) {
    const auto change = [](Fluid fluid, double factor, unsigned seed) {
        add_scaled(fluid.u, factor, noise_like(fluid.u, seed));
        add_scaled(fluid.v, factor, noise_like(fluid.v, seed + 1));
        set_bnd(fluid);
        return fluid;
    };
    const Fluid first = change(vortex_with_dye(32, Solver::DIRECT), stir, 21);
    const Derivative weights = of_target(first, 0.74, 0.79);
    Fluid fluid = first;
    const auto states = run_forwards(fluid, 60, dt);
    const std::vector<Derivative> derivatives = run_backwards(fluid, states, weights, dt);
    const Derivative by = derivatives.empty() ? zero_derivative(fluid) : derivatives.front();
    const double J = J_of(first, 60, weights);
    const auto remainder = [&](double factor) {
        const Fluid changed = change(first, factor, 9);
        Velocity difference = {changed.u, changed.v, changed.w};
        add_scaled(difference, -1.0, {first.u, first.v, first.w});
        return J_of(changed, 60, weights) - J - dot(difference, by.velocity);
    };
    return remainder(size) / remainder(0.5 * size);
}

void add_taylor(Numbers& numbers) {
    numbers.checked("half of a change leaves a remainder that is smaller by a factor of", 4.0,
                    taylor_ratio(0.02, 0.002), 0.1, "Taylor, where J is smooth");
    numbers.checked("  in a vortex with departure points on the grid", 2.0, taylor_ratio(0.0, 2e-6),
                    0.1, "on a kink");
}

/// How much memory the kept states take, in megabytes.
double megabytes_of(const std::vector<::State>& states) {
    std::size_t count = 0;
    for (const ::State& state : states) {
        const Velocity& velocity = state.velocity;
        count += state.density.values.size() + velocity.u.values.size();
        count += velocity.v.values.size() + velocity.w.values.size();
    }
    return 1e-6 * sizeof(double) * static_cast<double>(count);
}

/// What pushing along the derivative does to the scene of the window.
void add_pushes(Numbers& numbers) {
    Fluid fluid = vortex_with_dye(64, Solver::MULTIGRID);
    fluid.tolerance = 1e-6;
    const Derivative weights = of_target(fluid, 0.74, 0.79);
    const double expected[] = {0.0472, 0.731, 0.0, 0.9071};
    for (int pushes = 0; pushes <= 3; ++pushes) {
        Fluid run = fluid;
        const auto states = run_forwards(run, 60, dt);
        if (expected[pushes] > 0.0) {
            const std::string count = std::to_string(pushes);
            numbers.checked("64 x 64 cells: J after " + count + " pushes", expected[pushes],
                            dot(states.back().density, weights.density), 0.0005, recorded);
        }
        const std::vector<Derivative> derivatives = run_backwards(run, states, weights, dt);
        if (!derivatives.empty()) {
            push_along(fluid, derivatives.front().velocity, 0.2);
        }
    }
    const auto kept = run_forwards(fluid, 60, dt);
    const double numbers_of_a_state = 2.0 * 65 * 64 + 2.0 * 64 * 64 + 64 * 64;
    numbers.checked("  megabytes of " + std::to_string(kept.size()) + " states",
                    1e-6 * 61.0 * 8.0 * numbers_of_a_state, megabytes_of(kept), 1e-9,
                    "u, v, w and the dye, 8 bytes each");
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("61_adjoint: derivatives by the adjoint, and by differences");
    add_by_hand(numbers);
    add_dot_products(numbers);
    add_differences(numbers);
    add_kink(numbers);
    add_taylor(numbers);
    add_pushes(numbers);
    static_cast<void>(window);
    return numbers.print();
}
