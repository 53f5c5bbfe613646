// The worked answers of 14_gradients' exercises.
#include <cmath>
#include <numbers>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// A preconditioner of one division for each point: the residual over the diagonal of A (Jacobi).
inline void divide_by_diagonal(const Matrix& A, Field& z, const Field& r) {
    for_each_point(r, [&](int i, int j, int k) {
        if (A.has(i, j, k)) {
            z(i, j, k) = r(i, j, k) / A.diagonal(i, j, k);
        }
    });
}

/// Solves A x = b by steepest descent, starting from the values that x has. Each step goes along
/// the residual itself, as far as lowers the error the most, and forgets where it has been. Returns
/// the residuals, before the first step and after each.
inline std::vector<double> steepest_descent(const Matrix& A, Field& x, const Field& b,
                                            double tolerance, int iterations) {
    Field r = b;
    Field a_r = b;
    multiply(A, x, a_r);
    add_scaled(r, -1.0, a_r);
    const double size = std::sqrt(dot(b, b));
    std::vector<double> residuals = {std::sqrt(dot(r, r)) / size};
    while (residuals.back() > tolerance && static_cast<int>(residuals.size()) <= iterations) {
        multiply(A, r, a_r);
        const double alpha = dot(r, r) / dot(r, a_r);
        add_scaled(x, alpha, r);
        add_scaled(r, -alpha, a_r);
        residuals.push_back(std::sqrt(dot(r, r)) / size);
    }
    return residuals;
}

namespace {

/// The steps that a solver takes to 1e-6 on a random right-hand side, as the numbers table has it.
template <class Solve>
int steps_of(int n, Solve solve) {
    Fluid fluid(n, n, 1);
    make_bumpy(fluid.rhs, 1);
    subtract_mean(fluid.rhs);
    const Matrix A = pressure_matrix(fluid);
    const std::vector<double> residuals = solve(A, fluid.pressure, fluid.rhs, 1e-6, 20000);
    CHECK(residual(A, fluid.pressure, fluid.rhs) <= 1.001e-6);
    return static_cast<int>(residuals.size()) - 1;
}

}  // namespace

TEST_CASE("the condition number of 100 cells in a row") {
    const double most = std::pow(std::sin(99 * std::numbers::pi / 200), 2);
    const double least = std::pow(std::sin(std::numbers::pi / 200), 2);
    CHECK_THAT(most / least, WithinAbs(4052.0, 1.0));
    const double root = std::sqrt(most / least);
    CHECK_THAT(std::log(2e6) / std::log((root + 1.0) / (root - 1.0)), WithinAbs(462.0, 1.0));
}

TEST_CASE("dividing by the diagonal helps little") {
    const auto plain = [](const Matrix& A, Field& x, const Field& b, double tolerance,
                          int iterations) {
        const auto copy = [](Field& z, const Field& r) { z = r; };
        return conjugate_gradients(A, x, b, tolerance, iterations, copy);
    };
    const auto divided = [](const Matrix& A, Field& x, const Field& b, double tolerance,
                            int iterations) {
        const auto divide = [&](Field& z, const Field& r) { divide_by_diagonal(A, z, r); };
        return conjugate_gradients(A, x, b, tolerance, iterations, divide);
    };
    CHECK_THAT(steps_of(64, plain), WithinAbs(223, 3));
    CHECK_THAT(steps_of(64, divided), WithinAbs(219, 3));
}

TEST_CASE("steepest descent needs as many steps as the condition number says") {
    CHECK_THAT(steps_of(16, steepest_descent), WithinAbs(1146, 60));
    CHECK_THAT(steps_of(32, steepest_descent), WithinAbs(4683, 200));
}
