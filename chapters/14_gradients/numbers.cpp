// The table behind --numbers: figures found by formula or by Eigen beside what this chapter
// computes.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "common/algebra/algebra.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// Fills a field with numbers from -1 to 1, the same on every machine.
void fill_randomly(Field& field) {
    std::uint32_t seed = 1;
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

/// The largest eigenvalue of A over the least that is not 0, by the formula for boxes.
double condition_number(int nx, int ny, int nz) {
    double most = 0.0;
    double least = 12.0;
    for (const int n : {nx, ny, nz}) {
        if (n > 1) {
            most += 4.0 * std::pow(std::sin(std::numbers::pi * (n - 1) / (2.0 * n)), 2);
            least = std::min(least, 4.0 * std::pow(std::sin(std::numbers::pi / (2.0 * n)), 2));
        }
    }
    return most / least;
}

/// The same, from all eigenvalues of A, or of A preconditioned: for small boxes.
double condition_by_eigenvalues(const Matrix& matrix, bool preconditioned) {
    const Eigen::MatrixXd A(assemble_matrix(matrix));
    const Eigen::MatrixXd lower = A.triangularView<Eigen::Lower>();
    const Eigen::MatrixXd upper = A.triangularView<Eigen::Upper>();
    const Eigen::MatrixXd M = lower * A.diagonal().cwiseInverse().asDiagonal() * upper;
    const Eigen::VectorXd found =
        preconditioned ? algebra::eigenvalues(A, M) : algebra::eigenvalues(A);
    return found[found.size() - 1] / found[1];
}

/// The least eigenvalue whose eigenvector is no constant. Each solution of A x = b multiplies an
/// eigenvector in b by one over its eigenvalue, so after some of them the least one's is left.
double least_eigenvalue(const Factors& factors) {
    Field b = factors.A.diagonal;
    Field x = b;
    fill_randomly(x);
    for (int count = 0; count < 40; ++count) {
        subtract_mean(x);
        const double length = std::sqrt(dot(x, x));
        std::fill(b.values.begin(), b.values.end(), 0.0);
        add_scaled(b, 1.0 / length, x);
        solve_direct(factors, x, b);
    }
    subtract_mean(x);
    return dot(x, b) / dot(x, x);
}

/// The condition number of the solver's own matrix A, for large boxes. No eigenvalue is larger than
/// `most`, twice the largest entry of the diagonal. So the least one of `most` minus A, which is a
/// matrix of the same kind, tells the largest one of A.
double condition_by_solving(const Matrix& A) {
    const std::vector<double>& entries = A.diagonal.values;
    const double most = 2.0 * *std::max_element(entries.begin(), entries.end());
    Matrix flipped = A;
    for (double& entry : flipped.diagonal.values) {
        entry = most - entry;
    }
    for (Field* weights : {&flipped.x, &flipped.y, &flipped.z}) {
        for (double& weight : weights->values) {
            weight = -weight;
        }
    }
    const double largest = most - least_eigenvalue(Factors(flipped, assemble_matrix(flipped)));
    return largest / least_eigenvalue(*factorize(A));
}

/// A box with its matrix and a random right-hand side.
Fluid random_problem(int nx, int ny, int nz) {
    Fluid fluid(nx, ny, nz);
    fluid.matrix = pressure_matrix(fluid);
    fill_randomly(fluid.rhs);
    subtract_mean(fluid.rhs);
    return fluid;
}

/// The steps that a solver takes to a residual of 1e-6.
double steps_taken(Fluid fluid, Solver solver) {
    fluid.solver = solver;
    fluid.tolerance = 1e-6;
    fluid.iterations = 2000;
    solve_pressure(fluid);
    return static_cast<double>(fluid.residuals.size()) - 1.0;
}

void add_steps(Numbers& numbers, int nx, int ny, int nz, double plain, double preconditioned) {
    const Fluid fluid = random_problem(nx, ny, nz);
    const std::string box = std::to_string(nx) + " x " + std::to_string(ny) +
                            (nz > 1 ? " x " + std::to_string(nz) : "");
    numbers.checked(box + ": steps to 1e-6", plain, steps_taken(fluid, Solver::CONJUGATE_GRADIENTS),
                    3.0, "as recorded");
    numbers.checked("  preconditioned", preconditioned, steps_taken(fluid, Solver::PRECONDITIONED),
                    3.0, "as recorded");
}

void add_pinwheel(Numbers& numbers) {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    fluid.solver = Solver::CONJUGATE_GRADIENTS;
    fluid.tolerance = 1e-14;
    project(fluid, 0.1);
    numbers.printed("p, whose mean is 0", {-3.375, -1.125, 3.375, 1.125}, fluid.pressure.values,
                    "Normoyle, the projection step");
    numbers.checked("pinwheel: steps", 2, static_cast<double>(fluid.residuals.size()) - 1.0, 0.0,
                    "eigenvalues other than 0: 2 and 4");
    numbers.checked("  residual after the first", 1.0 / 3.0,
                    fluid.residuals.size() > 1 ? fluid.residuals[1] : NAN, 1e-12, "by hand");
    numbers.checked("  condition number", 2.0, condition_by_eigenvalues(fluid.matrix, false), 1e-12,
                    "4 / 2");
}

/// The error in the energy norm against the bound of the condition number, in a box of 16 x 16.
void add_bound(Numbers& numbers) {
    Fluid fluid = random_problem(16, 16, 1);
    fluid.solver = Solver::DIRECT;
    solve_pressure(fluid);
    const Field exact = fluid.pressure;
    const auto energy = [&](const Field& error) {
        Field product = error;
        multiply(fluid.matrix, error, product);
        return std::sqrt(dot(error, product));
    };
    fluid.solver = Solver::CONJUGATE_GRADIENTS;
    const double root = std::sqrt(condition_number(16, 16, 1));
    const auto share_left = [&](int steps) {
        fluid.iterations = steps;
        solve_pressure(fluid);
        Field error = exact;
        add_scaled(error, -1.0, fluid.pressure);
        return energy(error) / energy(exact);
    };
    const auto bound = [&](int steps) {
        return 2.0 * std::pow((root - 1.0) / (root + 1.0), steps);
    };
    numbers.checked("16 x 16: the bound after 20 steps", 0.1228, bound(20), 1e-4,
                    "2 ((sqrt k - 1)/(sqrt k + 1))^20");
    numbers.checked("  the error, in the energy norm", 0.0587, share_left(20), 1e-4, "as recorded");
    numbers.checked("  the bound after 40 steps", 0.00754, bound(40), 1e-5,
                    "2 ((sqrt k - 1)/(sqrt k + 1))^40");
    numbers.checked("  the error", 0.000549, share_left(40), 1e-6, "as recorded");
}

/// The residual of the fluid's pressure, to one digit.
double residual_in_short(const Fluid& fluid) {
    const double left = residual(fluid.matrix, fluid.pressure, fluid.rhs);
    const double power = std::pow(10.0, std::floor(std::log10(left)));
    return power * std::round(left / power);
}

/// How far conjugate gradients come where they may not stop, with a tolerance of 0.
void add_out_of_reach(Numbers& numbers) {
    Fluid fluid = random_problem(64, 64, 1);
    fluid.solver = Solver::CONJUGATE_GRADIENTS;
    fluid.tolerance = 0.0;
    fluid.iterations = 20000;
    solve_pressure(fluid);
    numbers.checked("64 x 64 with tolerance 0: steps", 335,
                    static_cast<double>(fluid.residuals.size()) - 1.0, 5.0, "as recorded");
    numbers.checked("  the residual of p, to one digit", 5e-14, residual_in_short(fluid), 2e-14,
                    "as recorded");
    for_each_point(fluid.rhs, [&](int i, int j, int k) {
        fluid.rhs(i, j, k) = std::sin(std::numbers::pi * (i + 0.5) / 64.0);
    });
    fluid.solver = Solver::PRECONDITIONED;
    solve_pressure(fluid);
    numbers.checked("  preconditioned, b smooth: steps", 168,
                    static_cast<double>(fluid.residuals.size()) - 1.0, 10.0, "as recorded");
    numbers.checked("  the residual of p, to one digit", 4e-13, residual_in_short(fluid), 2e-13,
                    "as recorded");
}

}  // namespace

bool numbers(const workbook::Program&) {
    Numbers numbers("14_gradients: known figures beside ours");
    add_pinwheel(numbers);
    const Matrix A = pressure_matrix(Fluid(16, 16, 1));
    numbers.checked("16 x 16: condition number of A", condition_number(16, 16, 1),
                    condition_by_eigenvalues(A, false), 1e-9, "the formula");
    numbers.checked("  preconditioned", 25.356, condition_by_eigenvalues(A, true), 1e-2,
                    "as recorded");
    for (const int n : {32, 64, 128}) {
        const double kappa = condition_number(n, n, 1);
        const std::string box = std::to_string(n) + " x " + std::to_string(n);
        numbers.checked(box + ": condition number of A", kappa,
                        condition_by_solving(pressure_matrix(Fluid(n, n, 1))), 1e-6 * kappa,
                        "the formula");
    }
    add_bound(numbers);
    add_steps(numbers, 16, 16, 1, 56, 25);
    add_steps(numbers, 32, 32, 1, 112, 47);
    add_steps(numbers, 64, 64, 1, 223, 79);
    add_steps(numbers, 128, 128, 1, 442, 156);
    add_steps(numbers, 24, 24, 24, 118, 47);
    add_out_of_reach(numbers);
    return numbers.print();
}
