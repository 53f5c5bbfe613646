// The worked answers of 14_gradients' exercises.
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// A preconditioner of one division a cell: the residual over the diagonal of A (Jacobi).
inline void divide_by_diagonal(Field& z, const Field& r) {
    for (int k = 0; k < r.nz; ++k) {
        for (int j = 0; j < r.ny; ++j) {
            for (int i = 0; i < r.nx; ++i) {
                z(i, j, k) = r(i, j, k) / neighbour_sum(r, i, j, k).count;
            }
        }
    }
}

/// Solves for the pressure by steepest descent: each step goes along the residual itself, as far as
/// lowers the error the most, and forgets where it has been.
inline void steepest_descent(Fluid& fluid) {
    Field r = fluid.rhs;
    Field a_r = r;
    while (fluid.residuals.back() > fluid.tolerance &&
           static_cast<int>(fluid.residuals.size()) <= fluid.iterations) {
        apply_matrix(r, a_r);
        const double alpha = dot(r, r) / dot(r, a_r);
        add_scaled(fluid.pressure, alpha, r);
        add_scaled(r, -alpha, a_r);
        fluid.residuals.push_back(residual(fluid.pressure, fluid.rhs));
    }
}

namespace {

/// The steps that a solver takes to 1e-6 on a random right-hand side, as the numbers table has it.
template <class Solve>
int steps_of(int n, Solve solve) {
    Fluid fluid(n, n, 1);
    make_bumpy(fluid.rhs, 1);
    subtract_mean(fluid.rhs);
    fluid.tolerance = 1e-6;
    fluid.iterations = 20000;
    fluid.residuals = {1.0};
    solve(fluid);
    CHECK(residual(fluid.pressure, fluid.rhs) <= 1.001e-6);
    return static_cast<int>(fluid.residuals.size()) - 1;
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
    const auto plain = [](Fluid& fluid) {
        conjugate_gradients(fluid, [](Field& z, const Field& r) { z = r; });
    };
    const auto divided = [](Fluid& fluid) { conjugate_gradients(fluid, divide_by_diagonal); };
    CHECK_THAT(steps_of(64, plain), WithinAbs(223, 3));
    CHECK_THAT(steps_of(64, divided), WithinAbs(219, 3));
}

TEST_CASE("steepest descent needs as many steps as the condition number says") {
    CHECK_THAT(steps_of(16, steepest_descent), WithinAbs(1146, 60));
    CHECK_THAT(steps_of(32, steepest_descent), WithinAbs(4683, 200));
}
