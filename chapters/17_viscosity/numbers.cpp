// The table behind --numbers: Bird's equations as digits, known flows beside ours, and the
// lid-driven cavity beside what others have published.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "17_viscosity/cavity.hpp"
#include "common/algebra/algebra.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// The matrix of the equations of viscosity for some cells, Bird's way: with velocities at their
/// centres.
Eigen::MatrixXd matrix_of(const Fluid& fluid, const std::vector<int>& cells, double k) {
    const Field& centres = fluid.density;
    const Equations equations = diffusion_equations(fluid, centres, k, walls_of(fluid, centres));
    const Eigen::MatrixXd all(assemble_matrix(equations.A));
    return all(cells, cells);
}

std::vector<double> as_numbers(const Eigen::VectorXd& vector) {
    return {vector.begin(), vector.end()};
}

std::vector<double> eigenvalues_of(const Eigen::MatrixXd& matrix) {
    return as_numbers(algebra::eigenvalues(matrix));
}

/// Bird's 4 x 4 grid, whose four inner cells are unknown, with k = 1/2.
void add_birds_matrices(Numbers& numbers) {
    const double k = 0.5;
    const Eigen::MatrixXd known_walls = matrix_of(Fluid(4, 4, 1), {5, 6, 9, 10}, k);
    Fluid fluid(2, 2, 1);
    const std::vector<int> all = {0, 1, 2, 3};
    const Eigen::MatrixXd no_slip = matrix_of(fluid, all, k);
    for (Side& side : fluid.sides) {
        side.slips = true;
    }
    const Eigen::MatrixXd free_slip = matrix_of(fluid, all, k);
    numbers.printed("(13) at k = 1/2, row 1: 1 + 4 k, -k, -k, 0", {3.0, -0.5, -0.5, 0.0},
                    as_numbers(known_walls.row(0)), "Bird, viscous diffusion");
    numbers.printed("  row 2", {-0.5, 3.0, 0.0, -0.5}, as_numbers(known_walls.row(1)),
                    "Bird, viscous diffusion");
    numbers.printed("  row 3", {-0.5, 0.0, 3.0, -0.5}, as_numbers(known_walls.row(2)),
                    "Bird, viscous diffusion");
    numbers.printed("  row 4", {0.0, -0.5, -0.5, 3.0}, as_numbers(known_walls.row(3)),
                    "Bird, viscous diffusion");
    numbers.checked("(13): eigenvalues", {2.0, 3.0, 3.0, 4.0}, eigenvalues_of(known_walls), 1e-12,
                    "1 + 2 k, 1 + 4 k, 1 + 4 k, 1 + 6 k");
    numbers.checked("with the ghosts of (14) to (16), row 1", {4.0, -0.5, -0.5, 0.0},
                    as_numbers(no_slip.row(0)), 1e-12, "1 + 6 k on the diagonal");
    numbers.checked("  eigenvalues", {3.0, 4.0, 4.0, 5.0}, eigenvalues_of(no_slip), 1e-12,
                    "1 + 4 k, 1 + 6 k, 1 + 6 k, 1 + 8 k");
    numbers.checked("walls that slip, row 1", {2.0, -0.5, -0.5, 0.0}, as_numbers(free_slip.row(0)),
                    1e-12, "1 + 2 k on the diagonal");
    numbers.checked("  eigenvalues", {1.0, 2.0, 2.0, 3.0}, eigenvalues_of(free_slip), 1e-12,
                    "1, 1 + 2 k, 1 + 2 k, 1 + 4 k");

    const Eigen::Vector4d u(1.0, 2.0, 3.0, 4.0);
    numbers.checked("u = 1, 2, 3, 4 with walls of velocity 0",
                    {0.75, 13.0 / 12.0, 17.0 / 12.0, 1.75},
                    as_numbers(algebra::solve(known_walls, u)), 1e-12, "(13), by hand");
    const Eigen::Vector4d swapped(1.0, 3.0, 2.0, 4.0);
    numbers.checked(
        "  with (13)'s right-hand side as printed", {0.75, 17.0 / 12.0, 13.0 / 12.0, 1.75},
        as_numbers(algebra::solve(known_walls, swapped)), 1e-12, "rows 2 and 3 exchanged");
    numbers.checked("  with (14) to (16)", {11.0 / 24.0, 17.0 / 24.0, 23.0 / 24.0, 29.0 / 24.0},
                    as_numbers(algebra::solve(no_slip, u)), 1e-12, "by hand");
}

/// Flows with known answers.
void add_known_flows(Numbers& numbers) {
    Fluid still(12, 9, 1);
    still.nu = 0.0;
    still.sides[2].velocity.x = 1.0;
    still.u(5, 3, 0) = 1.0;
    const Field before = still.u;
    diffuse_velocity(still, 1.0);
    double change = 0.0;
    for (std::size_t face = 0; face < before.values.size(); ++face) {
        change = std::max(change, std::abs(still.u.values[face] - before.values[face]));
    }
    numbers.checked("nu = 0: largest change", 0.0, change, 0.0, "not a bit");

    Fluid wave(12, 9, 1);
    wave.nu = 0.8;
    wave.tolerance = 1e-14;
    const double pi = std::numbers::pi;
    for (int j = 0; j < 9; ++j) {
        for (int i = 1; i < 12; ++i) {
            wave.u(i, j, 0) = std::sin(pi * i / 12.0) * std::sin(pi * (j + 0.5) / 9.0);
        }
    }
    const double u = wave.u(4, 2, 0);
    diffuse_velocity(wave, 2.5);
    const double lambda =
        4.0 * std::pow(std::sin(pi / 24.0), 2) + 4.0 * std::pow(std::sin(pi / 18.0), 2);
    numbers.checked("a wave between walls, after one step", 1.0 / (1.0 + 2.0 * lambda),
                    wave.u(4, 2, 0) / u, 1e-12, "1 / (1 + a lambda)");

    // A wall begins to move under a deep fluid: the middle of a box that is long and deep enough.
    Fluid deep(80, 40, 1);
    deep.nu = 1.0;
    deep.sides[2].velocity.x = 1.0;
    for (int n = 0; n < 320; ++n) {
        diffuse_velocity(deep, 0.1);
    }
    for (const int j : {2, 7}) {
        numbers.checked("a wall begins to move: u " + std::to_string(j) + ".5 cells from it",
                        std::erfc((j + 0.5) / (2.0 * std::sqrt(32.0))), deep.u(40, j, 0), 2e-3,
                        "erfc(y / (2 sqrt(nu t))): Stokes 1851");
    }
}

/// Takes steps for so many seconds. Their number is even, since reflection has two.
void run(Fluid& fluid, double seconds, double dt) {
    const int pairs = static_cast<int>(std::lround(0.5 * seconds / dt));
    for (int count = 0; count < 2 * pairs; ++count) {
        step(fluid, dt);
    }
}

/// A lid-driven cavity of n x n cells at its beginning. In each second the lid moves by one width
/// of the box.
Fluid cavity_at_rest(int n, double reynolds, Advection advection) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.advection = advection;
    fluid.solver = Solver::DIRECT;  // in a box that does not change, it factorizes A only once
    fluid.tolerance = 1e-6;  // with 1e-8, four digits behind the point are the same
    begin_cavity(fluid, reynolds);
    return fluid;
}

/// The small cavity after so many seconds.
Fluid small_cavity(double reynolds, Advection advection, double seconds) {
    Fluid fluid = cavity_at_rest(32, reynolds, advection);
    run(fluid, seconds, 1.0 / 32.0);
    return fluid;
}

/// A large cavity after so many seconds. The first of them, `hurried`, pass in steps that are four
/// times as long. They lead to nearly the same steady flow, and the rest leads to that of short
/// steps.
Fluid large_cavity(int n, double reynolds, Advection advection, double seconds,
                   double hurried = 0.0) {
    constexpr double dt = 0.01;
    Fluid fluid = cavity_at_rest(n, reynolds, advection);
    run(fluid, hurried, 4.0 * dt);
    run(fluid, seconds - hurried, dt);
    return fluid;
}

std::string words_of(const Fluid& fluid, int reynolds) {
    const char* advection = fluid.advection == Advection::LINEAR  ? "linear"
                            : fluid.advection == Advection::SHARP ? "sharp"
                                                                  : "reflected";
    return "Re " + std::to_string(reynolds) + ", " + std::to_string(fluid.nx) + " x " +
           std::to_string(fluid.nx) + ", " + advection;
}

/// How far both centrelines are from Ghia's table at most, and how far they may be.
void add_ghia(Numbers& numbers, const Fluid& fluid, int reynolds, double most_u, double most_v) {
    const Differences found = differences_from_ghia(fluid, reynolds);
    numbers.checked(words_of(fluid, reynolds) + ": u, difference from Ghia's", 0.0, found.u, most_u,
                    "Ghia, Ghia and Shin 1982, table I");
    numbers.checked("  v, difference from Ghia's", 0.0, found.v, most_v,
                    "Ghia, Ghia and Shin 1982, table II");
}

void add_extremes(Numbers& numbers, const Fluid& fluid, const Extremes& published, double most) {
    const Extremes found = extremes_of(fluid);
    numbers.checked(
        "  least u, least v, most v", {published.least_u, published.least_v, published.most_v},
        {found.least_u, found.least_v, found.most_v}, most, "Botella and Peyret 1998, spectral");
}

/// What the flow differs by from Ghia's, and how strong its vortex is, for a flow that is not
/// right.
void add_recorded(Numbers& numbers, const Fluid& fluid, int reynolds, double u, double least_u) {
    numbers.checked(words_of(fluid, reynolds) + ": u, difference from Ghia's", u,
                    differences_from_ghia(fluid, reynolds).u, 1e-3, "as recorded");
    numbers.checked("  least u", least_u, extremes_of(fluid).least_u, 1e-3, "as recorded");
}

void add_small_cavities(Numbers& numbers) {
    const Fluid reflected = small_cavity(100.0, Advection::REFLECTED, 12.5);
    add_ghia(numbers, reflected, 100, 0.006, 0.01);
    add_extremes(numbers, reflected, botella_100, 0.006);
    add_recorded(numbers, small_cavity(100.0, Advection::SHARP, 12.5), 100, 0.0086, -0.2028);
    add_recorded(numbers, small_cavity(100.0, Advection::LINEAR, 12.5), 100, 0.0191, -0.1954);
    add_recorded(numbers, small_cavity(400.0, Advection::REFLECTED, 25.0), 400, 0.0446, -0.2935);
    add_recorded(numbers, small_cavity(400.0, Advection::LINEAR, 25.0), 400, 0.1471, -0.2096);
}

/// The sizes at which the cavity is published.
void add_large_cavities(Numbers& numbers) {
    const Fluid re_100 = large_cavity(64, 100.0, Advection::REFLECTED, 15.0);
    add_ghia(numbers, re_100, 100, 0.005, 0.012);
    add_extremes(numbers, re_100, botella_100, 0.002);
    const Fluid sharp = large_cavity(64, 100.0, Advection::SHARP, 15.0);
    add_ghia(numbers, sharp, 100, 0.005, 0.012);
    add_extremes(numbers, sharp, botella_100, 0.005);
    add_recorded(numbers, large_cavity(64, 100.0, Advection::LINEAR, 15.0), 100, 0.0119, -0.2038);
    add_ghia(numbers, large_cavity(128, 400.0, Advection::REFLECTED, 30.0, 20.0), 400, 0.015,
             0.015);
    add_recorded(numbers, large_cavity(128, 400.0, Advection::SHARP, 30.0), 400, 0.0158, -0.3137);
    const Fluid re_1000 = large_cavity(128, 1000.0, Advection::REFLECTED, 50.0, 35.0);
    add_ghia(numbers, re_1000, 1000, 0.03, 0.03);
    add_extremes(numbers, re_1000, botella_1000, 0.012);
    add_recorded(numbers, large_cavity(64, 1000.0, Advection::LINEAR, 50.0), 1000, 0.1772, -0.2544);
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("17_viscosity: Bird's numbers and the published cavity beside ours");
    add_birds_matrices(numbers);
    add_known_flows(numbers);
    add_small_cavities(numbers);
    if (window.session.long_numbers) {
        add_large_cavities(numbers);
    }
    return numbers.print();
}
