// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

// 07_project's fluid, to stand beside this one, in a namespace of its own: its names are ours as
// well.
namespace collocated {
#include "07_project/solver.hpp"
}

namespace {

using namespace workbook;

/// Half the mass times the square of the velocity, each face counted as a cell.
double kinetic_energy(const Fluid& fluid) {
    const double mass = fluid.rho * fluid.h * fluid.h * fluid.h;
    return 0.5 * mass * (dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v) + dot(fluid.w, fluid.w));
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double here = std::abs(divergence_at(fluid, i, j, k));
                if (!std::isfinite(here)) {
                    return here;
                }
                largest = std::max(largest, here);
            }
        }
    }
    return largest;
}

std::vector<double> row_of(const Eigen::MatrixXd& matrix, int row) {
    const Eigen::VectorXd values = matrix.row(row);
    return {values.begin(), values.end()};
}

std::vector<double> eigenvalues_of(const Eigen::MatrixXd& matrix) {
    const Eigen::VectorXd found =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues();
    return {found.begin(), found.end()};
}

/// The matrices in Bird's notes, for the inner 2 x 2 cells of a 4 x 4 grid, in the order (1,1),
/// (1,2), (2,1), (2,2): `diagonal` for each cell, `beside` between neighbours, and `wall` taken
/// from the diagonal twice, since each cell touches two walls.
Eigen::MatrixXd notes_matrix(double diagonal, double beside, double wall) {
    Eigen::MatrixXd matrix = (diagonal - 2.0 * wall) * Eigen::MatrixXd::Identity(4, 4);
    for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}}) {
        matrix(a, b) = matrix(b, a) = beside;
    }
    return matrix;
}

/// The tutorial's fluid after its one advection step.
Fluid carried_pinwheel() {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    return fluid;
}

void add_tutorial_numbers(Numbers& numbers) {
    const std::string grid = "Normoyle, MAC Grid";
    const std::string projection = "Normoyle, the projection step";
    Fluid fluid(2, 2, 1);
    numbers.setting("cell size", 1.0, fluid.h, projection);
    numbers.setting("rho", 1.0, fluid.rho, projection);
    numbers.setting("X faces", 6, static_cast<double>(fluid.u.values.size()), grid);
    numbers.setting("Y faces", 6, static_cast<double>(fluid.v.values.size()), grid);
    numbers.setting("Z faces", 8, static_cast<double>(fluid.w.values.size()), grid);

    fluid = carried_pinwheel();
    numbers.printed("v(0, 1, 0), carried for dt = 0.1", 0.9, fluid.v(0, 1, 0), projection);
    const Eigen::MatrixXd A(assemble_matrix(fluid.solid));
    const double printed[4][4] = {{2, -1, -1, 0}, {-1, 2, 0, -1}, {-1, 0, 2, -1}, {0, -1, -1, 2}};
    for (int row = 0; row < 4; ++row) {
        numbers.printed("A, row " + std::to_string(row + 1),
                        {std::begin(printed[row]), std::end(printed[row])}, row_of(A, row),
                        projection);
    }
    Field b = fluid.pressure;
    right_hand_side(fluid, b, 0.1);
    numbers.printed("b", {-9, 0, 9, 0}, b.values, projection);
    numbers.checked("kinetic energy before", 0.405, kinetic_energy(fluid), 1e-12, "0.9^2 / 2");
    project(fluid, 0.1);
    numbers.printed("p, its average taken out", {-3.375, -1.125, 3.375, 1.125},
                    fluid.pressure.values, projection);
    numbers.printed("mU", {0, -0.225, 0, 0, 0.225, 0}, fluid.u.values, projection);
    numbers.printed("mV", {0, 0, 0.225, -0.225, 0, 0}, fluid.v.values, projection);
    numbers.printed("mW (with the eighth 0)", {0, 0, 0, 0, 0, 0, 0, 0}, fluid.w.values, projection);
    numbers.checked("kinetic energy after", 0.10125, kinetic_energy(fluid), 1e-12,
                    "4 x 0.225^2 / 2");
    numbers.checked("largest divergence after", 0.0, largest_divergence(fluid), 1e-14, "by hand");
    numbers.checked("eigenvalues of A", {0, 2, 2, 4}, eigenvalues_of(A), 1e-12,
                    "4 sin^2(pi k / 4) + 4 sin^2(pi l / 4)");

    Fluid heavy = carried_pinwheel();
    heavy.rho = 2.0;
    project(heavy, 0.1);
    numbers.checked("rho = 2: v(0, 1, 0)", 0.225, heavy.v(0, 1, 0), 1e-12, "as with rho = 1");
    heavy = carried_pinwheel();
    heavy.rho = 2.0;
    right_hand_side(heavy, b, 0.1);
    for (double& value : b.values) {
        value /= heavy.rho * heavy.rho;  // rho under the line, as the tutorial prints it
    }
    solve_pressure(heavy, b);
    subtract_gradient(heavy, 0.1);
    numbers.checked("  with the factor as printed", 0.73125, heavy.v(0, 1, 0), 1e-12, "by hand");
    numbers.checked("  and its largest divergence", 0.675, largest_divergence(heavy), 1e-12,
                    "by hand");
}

void add_notes_numbers(Numbers& numbers) {
    const double k = 0.5;
    const auto all_rows = [&](const std::string& equation, const Eigen::MatrixXd& ours,
                              double diagonal, double beside, const std::string& how) {
        const double d = diagonal;
        const double n = beside;
        const std::vector<double> expected[] = {
            {d, n, n, 0}, {n, d, 0, n}, {n, 0, d, n}, {0, n, n, d}};
        for (int row = 0; row < 4; ++row) {
            numbers.checked(equation + ", row " + std::to_string(row + 1), expected[row],
                            row_of(ours, row), 1e-12, how);
        }
    };
    const Eigen::MatrixXd known_pressure = notes_matrix(4, -1, 0);
    const Eigen::MatrixXd copied_pressure = notes_matrix(4, -1, 1);
    const Eigen::MatrixXd known = notes_matrix(1 + 4 * k, -k, 0);
    const Eigen::MatrixXd no_slip = notes_matrix(1 + 4 * k, -k, -k);
    const Eigen::MatrixXd copied = notes_matrix(1 + 4 * k, -k, k);
    all_rows("Bird (6), known wall values", known_pressure, 4, -1, "his equation (6)");
    numbers.checked("  eigenvalues", {2, 4, 4, 6}, eigenvalues_of(known_pressure), 1e-12,
                    "by hand");
    all_rows("Bird (7), copied into the walls", copied_pressure, 2, -1, "Normoyle's A");
    numbers.checked("  eigenvalues", {0, 2, 2, 4}, eigenvalues_of(copied_pressure), 1e-12,
                    "by hand");
    all_rows("Bird (13), k = 0.5", known, 1 + 4 * k, -k, "1+4k and -k");
    numbers.checked("  eigenvalues", {1 + 2 * k, 1 + 4 * k, 1 + 4 * k, 1 + 6 * k},
                    eigenvalues_of(known), 1e-12, "1+2k, 1+4k, 1+4k, 1+6k");
    all_rows("Bird (14) to (16), no-slip", no_slip, 1 + 6 * k, -k, "1+6k and -k");
    numbers.checked("  eigenvalues", {1 + 4 * k, 1 + 6 * k, 1 + 6 * k, 1 + 8 * k},
                    eigenvalues_of(no_slip), 1e-12, "1+4k, 1+6k, 1+6k, 1+8k");
    all_rows("(13), copied into the walls", copied, 1 + 2 * k, -k, "1+2k and -k");
    numbers.checked("  eigenvalues", {1, 1 + 2 * k, 1 + 2 * k, 1 + 4 * k}, eigenvalues_of(copied),
                    1e-12, "1, 1+2k, 1+2k, 1+4k");
    const auto solution = [](const Eigen::MatrixXd& matrix, const Eigen::Vector4d& before) {
        const Eigen::VectorXd found = matrix.ldlt().solve(before);
        return std::vector<double>(found.begin(), found.end());
    };
    numbers.checked("(13) for u = 1 2 3 4, walls at 0", {0.75, 13 / 12.0, 17 / 12.0, 1.75},
                    solution(known, {1, 2, 3, 4}), 1e-12, "by hand");
    numbers.checked("  in the printed order 1 3 2 4", {0.75, 17 / 12.0, 13 / 12.0, 1.75},
                    solution(known, {1, 3, 2, 4}), 1e-12, "two cells exchanged");
    numbers.checked("  no-slip", {11 / 24.0, 17 / 24.0, 23 / 24.0, 29 / 24.0},
                    solution(no_slip, {1, 2, 3, 4}), 1e-12, "by hand");
}

/// What a projection leaves of the energy of a velocity that alternates from place to place: in
/// 07_project, where velocities sit at the centres, and here.
void add_checkerboard_numbers(Numbers& numbers) {
    const auto sign = [](int i, int j) { return (i + j) % 2 == 0 ? 1.0 : -1.0; };
    collocated::Fluid centred(16);
    const auto energy = [&] {
        double sum = 0.0;
        for (int j = 1; j <= 16; ++j) {
            for (int i = 1; i <= 16; ++i) {
                sum += std::pow(centred.u(i, j), 2) + std::pow(centred.v(i, j), 2);
            }
        }
        return sum;
    };
    for (int j = 1; j <= 16; ++j) {
        for (int i = 1; i <= 16; ++i) {
            centred.u(i, j) = centred.v(i, j) = static_cast<float>(sign(i, j) / 16.0);
        }
    }
    set_bnd(collocated::BoundaryType::VELOCITY_HORIZONTAL, centred.u);
    set_bnd(collocated::BoundaryType::VELOCITY_VERTICAL, centred.v);
    const double centred_before = energy();
    project(centred.u, centred.v, centred.pressure, centred.divergence, 1000);
    numbers.checked("checkerboard: share of its energy kept, 07_project", 1.0,
                    energy() / centred_before, 1e-6, "central differences skip it");

    Fluid staggered(16, 16, 1);
    for (Field* field : {&staggered.u, &staggered.v}) {
        for (int j = 0; j < field->ny; ++j) {
            for (int i = 0; i < field->nx; ++i) {
                (*field)(i, j, 0) = sign(i, j);
            }
        }
    }
    set_bnd(staggered);
    const double before = kinetic_energy(staggered);
    project(staggered, 0.1);
    numbers.checked("  staggered", 0.0, kinetic_energy(staggered) / before, 1e-14,
                    "it is a gradient");
}

void add_solver_numbers(Numbers& numbers) {
    Fluid fluid = carried_pinwheel();
    fluid.solver = Solver::CONJUGATE_GRADIENTS;
    project(fluid, 0.1);
    numbers.checked("pinwheel: steps of conjugate gradients", 2,
                    fluid.solved.residuals.size() - 1.0, 0.0, "eigenvalues other than 0: 2 and 4");
    fluid = Fluid(16, 16, 1);
    fluid.u(5, 7, 0) = 1.0;
    Field b = fluid.pressure;
    right_hand_side(fluid, b, 0.1);
    const std::vector<double> residuals = lin_solve(fluid.solid, fluid.pressure, b, 0.0, 600);
    numbers.checked("16 x 16: a sweep leaves of the residual", 0.97896,
                    residuals.size() == 601 ? std::pow(residuals[600] / residuals[500], 0.01) : NAN,
                    2e-5, "the matrix of a sweep (07_project: 0.98253)");
    const Eigen::MatrixXd A(assemble_matrix(fluid.solid));
    const std::vector<double> eigenvalues = eigenvalues_of(A);
    const double least = 4.0 * std::pow(std::sin(std::acos(-1.0) / 32.0), 2);
    const double most = 8.0 * std::pow(std::sin(15.0 * std::acos(-1.0) / 32.0), 2);
    numbers.checked("16 x 16: largest eigenvalue over least", most / least,
                    eigenvalues.back() / eigenvalues[1], 1e-9, "the formula");
    add_checkerboard_numbers(numbers);
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("11_mac: the texts' numbers beside ours");
    add_tutorial_numbers(numbers);
    add_notes_numbers(numbers);
    add_solver_numbers(numbers);
    return numbers.print();
}
