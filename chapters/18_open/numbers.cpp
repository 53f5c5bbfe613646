// The table behind --numbers: what an outflow does to A, and known flows beside ours.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>

#include "common/algebra/algebra.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/inflow.hpp"
#include "window/measures.hpp"

namespace {

using namespace workbook;

/// An eigenvalue of a row of cells, for a wave of that length.
double eigenvalue(double wave) {
    return 4.0 * std::pow(std::sin(0.5 * wave), 2);
}

Eigen::VectorXd eigenvalues_of(const Fluid& fluid) {
    return algebra::eigenvalues(assemble_matrix(pressure_matrix(fluid)));
}

/// Fills a field with numbers from -1 to 1, the same on every machine.
void make_noise(Field& field, std::uint32_t seed) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

/// The iterations to a residual of 1e-6 in a box of n x n cells full of noise.
double iterations_taken(int n, Opening right, Solver solver) {
    Fluid fluid(n, n, 1);
    fluid.sides[1].opening = right;
    fluid.solver = solver;
    fluid.tolerance = 1e-6;
    fluid.iterations = 2000;
    fluid.matrix = pressure_matrix(fluid);
    make_noise(fluid.rhs, 1);
    solve_pressure(fluid);
    return static_cast<double>(fluid.residuals.size()) - 1.0;
}

void add_eigenvalues(Numbers& numbers) {
    constexpr double pi = std::numbers::pi;
    Fluid fluid(8, 8, 1);
    const Eigen::VectorXd closed = eigenvalues_of(fluid);
    fluid.sides[1].opening = Opening::OUTFLOW;
    const Eigen::VectorXd open = eigenvalues_of(fluid);
    const double most = eigenvalue(15.0 * pi / 17.0) + eigenvalue(7.0 * pi / 8.0);
    numbers.checked("8 x 8, closed: least eigenvalue of A", 0.0, without_rounding(closed[0]), 1e-12,
                    "the null space");
    numbers.checked("  the next", eigenvalue(pi / 8.0), closed[1], 1e-12, "4 sin^2(pi / 16)");
    numbers.checked("  condition number without the first",
                    2.0 * eigenvalue(7.0 * pi / 8.0) / eigenvalue(pi / 8.0), closed[63] / closed[1],
                    1e-8, "the formula");
    numbers.checked("right side an outflow: least eigenvalue", eigenvalue(pi / 17.0), open[0],
                    1e-12, "4 sin^2(pi / 34)");
    numbers.checked("  largest", most, open[63], 1e-12, "the formula");
    numbers.checked("  condition number", most / eigenvalue(pi / 17.0), open[63] / open[0], 1e-8,
                    "the formula");
}

/// How fast two of the solvers converge in a closed box, and in one with an outflow.
void add_iterations(Numbers& numbers) {
    numbers.checked("64 x 64, closed: preconditioned steps to 1e-6", 79,
                    iterations_taken(64, Opening::CLOSED, Solver::PRECONDITIONED), 3.0,
                    "as 14_gradients has it");
    numbers.checked("  right side an outflow", 101,
                    iterations_taken(64, Opening::OUTFLOW, Solver::PRECONDITIONED), 3.0,
                    "as recorded");
    for (const auto& [n, with_outflow] : {std::pair(64, 8), {256, 8}}) {
        const std::string size = std::to_string(n) + " x " + std::to_string(n);
        numbers.checked(size + ", closed: multigrid's steps to 1e-6", 7,
                        iterations_taken(n, Opening::CLOSED, Solver::MULTIGRID), 1.0,
                        "as recorded");
        numbers.checked("  right side an outflow", with_outflow,
                        iterations_taken(n, Opening::OUTFLOW, Solver::MULTIGRID), 1.0,
                        "as recorded");
    }
}

/// A fluid that streams to the right, everywhere alike, through a box whose other sides slip.
Fluid uniform_stream(Advection advection) {
    Fluid fluid(12, 9, 7);
    fluid.h = 0.13;
    fluid.nu = 0.03;
    fluid.advection = advection;
    for (Side& side : fluid.sides) {
        side.slips = true;
    }
    set_inflow(fluid, 0, 0.7, Profile::UNIFORM);
    fluid.sides[1].opening = Opening::OUTFLOW;
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 0.7);
    return fluid;
}

void add_uniform_stream(Numbers& numbers) {
    double change = 0.0;
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        Fluid fluid = uniform_stream(advection);
        const Fluid before = fluid;
        for (int n = 0; n < 50; ++n) {
            step(fluid, 0.1);
        }
        const Field* now[] = {&fluid.u, &fluid.v, &fluid.w};
        const Field* then[] = {&before.u, &before.v, &before.w};
        for (int part = 0; part < 3; ++part) {
            for (std::size_t face = 0; face < now[part]->values.size(); ++face) {
                change =
                    std::max(change, std::abs(now[part]->values[face] - then[part]->values[face]));
            }
        }
    }
    numbers.checked("uniform stream, 50 steps: largest change", 0.0, change, 0.0,
                    "to the last bit");
}

/// A channel between two walls, 1 wide and 4 long, in which fluid of the mean speed 1 has come to a
/// steady state.
Fluid channel(int n, double dt) {
    Fluid fluid(4 * n, n, 1);
    fluid.h = 1.0 / n;
    fluid.nu = 0.05;
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    set_inflow(fluid, 0, 1.5, Profile::PARABOLIC);
    fluid.sides[1].opening = Opening::OUTFLOW;
    for (int steps = 0; steps * dt < 6.0; ++steps) {
        step(fluid, dt);
    }
    return fluid;
}

double poiseuille(double y) {
    return 6.0 * y * (1.0 - y);
}

void add_poiseuille(Numbers& numbers, int n, double dt) {
    const Fluid fluid = channel(n, dt);
    const double h = fluid.h;
    // The profile that a step leaves as it is: at a wall the ghost makes the parabola h^2 / 4 too
    // high, and the push of the pressure comes after viscosity. What flows is what was given.
    const double push = (1.0 + 0.5 * h * h) / ((1.0 / 6.0 + h * h / 3.0) / (2.0 * fluid.nu) + dt);
    double error = 0.0, expected = 0.0;
    for (int j = 0; j < n; ++j) {
        const double y = (j + 0.5) * h;
        const double steady = push * ((y * (1.0 - y) + 0.25 * h * h) / (2.0 * fluid.nu) + dt);
        error = std::max(error, std::abs(fluid.u(3 * n, j, 0) - poiseuille(y)));
        expected = std::max(expected, std::abs(steady - poiseuille(y)));
    }
    const Passing found = passing(fluid);
    const std::string which = std::to_string(n) + " cells across, dt " + in_few_words(dt);
    numbers.checked(which + ": error of u", expected, error, 2e-4, "of a steady step, by hand");
    numbers.checked("  pressure difference over a length of 1", -push,
                    fluid.pressure(3 * n, n / 2, 0) - fluid.pressure(2 * n, n / 2, 0), 2e-4,
                    "-12 rho nu = -0.6 for thin cells");
    numbers.checked("  (in - out) / in", 0.0, without_rounding((found.in - found.out) / found.in),
                    1e-12, "what enters leaves");
}

/// A jet into a room that is open on three sides.
void add_jet(Numbers& numbers) {
    Fluid fluid(48, 36, 1);
    fluid.h = 1.0 / 36.0;
    fluid.advection = Advection::REFLECTED;
    set_inflow(fluid, 0, 1.0, Profile::UNIFORM);
    for (int j = 0; j < 36; ++j) {
        fluid.u_given(0, j, 0) = 14 <= j && j < 22 ? 1.0 : 0.0;
    }
    for (const int side : {1, 2, 3}) {
        fluid.sides[side].opening = Opening::OUTFLOW;
    }
    double worst = 0.0;
    for (int n = 0; n < 60; ++n) {
        step(fluid, 1.0 / 60.0);
        const Passing found = passing(fluid);
        worst = std::max(worst, std::abs(found.in - found.out) / found.in);
    }
    numbers.checked("jet, 60 steps: (in - out) / in", 0.0, without_rounding(worst), 1e-9,
                    "the tolerance is 1e-10");
}

/// Noise in a box that is open on four sides.
void add_backflow(Numbers& numbers) {
    Fluid fluid(32, 24, 1);
    fluid.h = 1.0 / 24.0;
    fluid.advection = Advection::REFLECTED;
    make_noise(fluid.u, 3);
    make_noise(fluid.v, 5);
    for (int side = 0; side < 4; ++side) {
        fluid.sides[side].opening = Opening::OUTFLOW;
    }
    const double before = kinetic_energy(fluid);
    double most = 0.0;
    for (int n = 0; n < 200; ++n) {
        step(fluid, 0.03);
        most = std::max(most, kinetic_energy(fluid) / before);
    }
    numbers.checked("four outflows, noise: largest energy over the first", 0.386, most, 0.002,
                    "as recorded: never above 1");
}

void add_weight(Numbers& numbers) {
    Fluid fluid(16, 32, 1);
    fluid.h = 1.0 / 32.0;
    fluid.rho = 1000.0;
    fluid.force_y = 9.81;
    fluid.sides[2].opening = Opening::OUTFLOW;
    for (int n = 0; n < 20; ++n) {
        step(fluid, 1.0 / 60.0);
    }
    double speed = 0.0;
    for (const double v : fluid.v.values) {
        speed = std::max(speed, std::abs(v));
    }
    numbers.checked("water 1 deep: pressure of the lowest cells", 9810.0, fluid.pressure(5, 31, 0),
                    1e-4, "rho g H");
    numbers.checked("  speed after 20 steps", 0.0, without_rounding(speed), 1e-9, "at rest");
}

void add_no_way_out(Numbers& numbers) {
    Fluid fluid(8, 6, 1);
    set_inflow(fluid, 0, 1.0, Profile::UNIFORM);
    project(fluid, 0.1);
    numbers.checked("inflow without outflow: compatibility defect", 1.0, fluid.compatibility_defect,
                    1e-12, "all of one sign");
    numbers.checked("  divergence that stays", 1.0 / 8.0, largest_divergence(fluid), 1e-9,
                    "speed over length");
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("18_open: known figures beside ours");
    add_eigenvalues(numbers);
    add_iterations(numbers);
    add_no_way_out(numbers);
    add_uniform_stream(numbers);
    add_jet(numbers);
    add_backflow(numbers);
    add_weight(numbers);
    add_poiseuille(numbers, 8, 0.02);
    add_poiseuille(numbers, 16, 0.02);
    if (window.session.long_numbers) {
        add_poiseuille(numbers, 32, 0.02);
        add_poiseuille(numbers, 8, 0.0025);
        add_poiseuille(numbers, 16, 0.0025);
        add_poiseuille(numbers, 32, 0.0025);
    }
    return numbers.print();
}
