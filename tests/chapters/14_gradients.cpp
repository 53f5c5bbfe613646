#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 6> boxes = {
    {{5, 3, 2}, {2, 4, 3}, {3, 2, 5}, {7, 1, 1}, {1, 6, 1}, {1, 1, 4}}};

constexpr std::array<Solver, 2> both = {Solver::CONJUGATE_GRADIENTS, Solver::PRECONDITIONED};

const char* name_of(Solver solver) {
    return solver == Solver::PRECONDITIONED ? "preconditioned conjugate gradients"
                                            : "conjugate gradients";
}

/// Runs conjugate gradients, plain or preconditioned, on fluid.rhs, and returns what is in
/// fluid.pressure after so many iterations.
Eigen::VectorXd after(Fluid fluid, Solver solver, int iterations) {
    fluid.solver = solver;
    fluid.tolerance = 0.0;
    fluid.iterations = iterations;
    solve_pressure(fluid);
    return as_vector(fluid.pressure);
}

/// Takes the mean of all values away. (Later chapters' subtract_mean asks of which points.)
void take_mean_away(Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    for (double& value : field.values) {
        value -= sum / static_cast<double>(field.values.size());
    }
}

/// A box with its matrix, whose right-hand side is bumpy, and compatible.
Fluid bumpy_problem(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid(nx, ny, nz);
    project(fluid, 1.0);  // at rest: the pressure stays 0, and the matrix is made
    make_bumpy(fluid.rhs, seed);
    take_mean_away(fluid.rhs);
    return fluid;
}

/// The exact pressure, whose mean is 0.
Eigen::VectorXd exact_pressure(const Fluid& fluid) {
    Eigen::MatrixXd A = expected_matrix(fluid.rhs);
    A(0, 0) += 1.0;
    Eigen::VectorXd p = algebra::solve(A, as_vector(fluid.rhs));
    p.array() -= p.mean();
    return p;
}

/// The steps that a solver takes to 1e-6 on a bumpy right-hand side.
int steps_taken(Fluid fluid, Solver solver) {
    fluid.solver = solver;
    fluid.tolerance = 1e-6;
    fluid.iterations = 2000;
    solve_pressure(fluid);
    INFO("is a residual returned for each step?");
    REQUIRE(fluid.residuals.size() > 1);
    return static_cast<int>(fluid.residuals.size()) - 1;
}

/// The largest eigenvalue of A over the least that is not 0, for a box with more than one cell.
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

}  // namespace

// ---- The preconditioner ------------------------------------------------------------------------

TEST_CASE("symmetric Gauss-Seidel is one sweep forth and one back", "[14_gradients]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix matrix = pressure_matrix(Fluid(nx, ny, nz));
        const Field r = bumpy_pressure(nx, ny, nz, 81);
        Field z = bumpy_pressure(nx, ny, nz, 82);
        symmetric_gauss_seidel(matrix, z, r);
        const Eigen::MatrixXd A = expected_matrix(r);
        const Eigen::MatrixXd L = A.triangularView<Eigen::Lower>();  // with the diagonal
        const Eigen::MatrixXd U = A.triangularView<Eigen::Upper>();
        const Eigen::VectorXd forth = algebra::inverse(L) * as_vector(r);
        const Eigen::VectorXd back =
            algebra::inverse(U) *
            (as_vector(r) - (A - U) * forth);  // each cell with its neighbours as now
        INFO("box "
             << words_of(nx, ny, nz)
             << ": does it begin at 0, sweep from the first cell to the last, and then back?");
        CHECK((as_vector(z) - back).cwiseAbs().maxCoeff() < 1e-12);
    }
}

TEST_CASE("the preconditioner is symmetric, as conjugate gradients need it", "[14_gradients]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Matrix A = pressure_matrix(Fluid(nx, ny, nz));
        const Field a = bumpy_pressure(nx, ny, nz, 83);
        const Field b = bumpy_pressure(nx, ny, nz, 84);
        Field za = a;
        Field zb = b;
        symmetric_gauss_seidel(A, za, a);
        symmetric_gauss_seidel(A, zb, b);
        INFO("box " << words_of(nx, ny, nz) << ": forth alone is not symmetric");
        REQUIRE(distance(za, a) > 0.1);
        CHECK_THAT(as_vector(b).dot(as_vector(za)),
                   WithinAbs(as_vector(a).dot(as_vector(zb)), 1e-12));
        CHECK(as_vector(a).dot(as_vector(za)) > 0.0);
    }
    INFO("the only cell of a box has no neighbour, and is left alone");
    Field one = bumpy_pressure(1, 1, 1, 85);
    symmetric_gauss_seidel(pressure_matrix(Fluid(1, 1, 1)), one, one);
    CHECK(one.values[0] == 0.0);
}

// ---- Conjugate gradients -----------------------------------------------------------------------

TEST_CASE("the pinwheel in two steps, to the tutorial's last digit", "[14_gradients]") {
    for (const Solver solver : both) {
        const Fluid fluid = projected(carried_pinwheel(), solver, 0.1, 1e-14);
        INFO("solved by " << name_of(solver)
                          << ". If p is no number: is z the first argument of precondition, and "
                             "is the old r.z made of the old r and the old z?");
        check_values(fluid.pressure, {-3.375, -1.125, 3.375, 1.125}, "p");
        check_values(fluid.u, {0, -0.225, 0, 0, 0.225, 0}, "mU");
        check_values(fluid.v, {0, 0, 0.225, -0.225, 0, 0}, "mV");
        check_values(fluid.w, {0, 0, 0, 0, 0, 0, 0, 0}, "mW");
        INFO("is each step's residual added to those that are returned?");
        REQUIRE(fluid.residuals.size() > 1);
        CHECK(fluid.residuals.back() < 1e-14);
    }
    const Fluid plain = projected(carried_pinwheel(), Solver::CONJUGATE_GRADIENTS, 0.1, 1e-14);
    INFO("A has two different eigenvalues other than 0, 2 and 4: two steps, three residuals");
    REQUIRE(plain.residuals.size() == 3);
    CHECK_THAT(plain.residuals[0], WithinAbs(1.0, 1e-15));
    CHECK_THAT(plain.residuals[1], WithinAbs(1.0 / 3.0, 1e-12));
}

TEST_CASE("as many steps as A has different eigenvalues other than 0", "[14_gradients]") {
    struct Expected {
        int nx, ny, nz, steps;
    };
    for (const auto& [nx, ny, nz, steps] :
         {Expected{3, 1, 1, 2}, {1, 5, 1, 4}, {1, 1, 4, 3}, {2, 2, 2, 3}, {2, 1, 2, 2}}) {
        Fluid fluid = bumpy_problem(nx, ny, nz, 91);
        fluid.solver = Solver::CONJUGATE_GRADIENTS;
        fluid.tolerance = 1e-12;
        solve_pressure(fluid);
        INFO("box " << words_of(nx, ny, nz));
        CHECK(static_cast<int>(fluid.residuals.size()) == steps + 1);
        CHECK((as_vector(fluid.pressure) - exact_pressure(fluid)).cwiseAbs().maxCoeff() < 1e-11);
    }
}

TEST_CASE("each residual is at right angles to all earlier ones", "[14_gradients]") {
    const Fluid fluid = bumpy_problem(6, 4, 3, 93);
    const Eigen::MatrixXd A = expected_matrix(fluid.rhs);
    std::vector<Eigen::VectorXd> residuals;
    for (int steps = 0; steps <= 8; ++steps) {
        residuals.push_back(as_vector(fluid.rhs) -
                            A * after(fluid, Solver::CONJUGATE_GRADIENTS, steps));
        INFO("after " << steps << " steps");
        REQUIRE(residuals.back().norm() > 1e-6);
        if (steps > 0) {
            const double moved = (residuals.back() - residuals[residuals.size() - 2]).norm();
            INFO("the iterations were " << steps << ": were as many steps done?");
            REQUIRE(moved > 1e-6);
        }
        for (int earlier = 0; earlier < steps; ++earlier) {
            INFO("and after " << earlier
                              << ": is beta the new r.z over the old one, and is the direction "
                              << "z + beta times the old direction?");
            CHECK_THAT(residuals.back().normalized().dot(residuals[earlier].normalized()),
                       WithinAbs(0.0, 1e-10));
        }
    }
}

TEST_CASE("after n steps the error is the least that n directions allow", "[14_gradients]") {
    const Fluid fluid = bumpy_problem(5, 3, 4, 95);
    const Eigen::MatrixXd A = expected_matrix(fluid.rhs);
    const Eigen::VectorXd exact = exact_pressure(fluid);
    Eigen::MatrixXd krylov(A.rows(), 5);  // rhs, A rhs, A A rhs...
    Eigen::VectorXd next = as_vector(fluid.rhs);
    for (int steps = 1; steps <= 5; ++steps) {
        krylov.col(steps - 1) = next.normalized();
        next = A * krylov.col(steps - 1);
        const Eigen::MatrixXd K = krylov.leftCols(steps);
        const Eigen::VectorXd best =
            K * algebra::solve(algebra::product(K.transpose(), algebra::product(A, K)),
                               K.transpose() * (A * exact));
        INFO("after " << steps
                      << " steps: does alpha go just as far as lowers the error the most?");
        CHECK((after(fluid, Solver::CONJUGATE_GRADIENTS, steps) - best).cwiseAbs().maxCoeff() <
              1e-9);
    }
}

TEST_CASE("the error stays within the bound of the condition number", "[14_gradients]") {
    for (const auto& [nx, ny, nz] : {std::array{12, 9, 1}, {1, 8, 5}, {4, 3, 6}}) {
        const Fluid fluid = bumpy_problem(nx, ny, nz, 97);
        const Eigen::MatrixXd A = expected_matrix(fluid.rhs);
        const Eigen::VectorXd eigenvalues = algebra::eigenvalues(A);
        const double kappa = condition_number(nx, ny, nz);
        INFO("box " << words_of(nx, ny, nz) << ", condition number " << kappa);
        CHECK_THAT(eigenvalues[eigenvalues.size() - 1] / eigenvalues[1], WithinAbs(kappa, 1e-8));
        const Eigen::VectorXd exact = exact_pressure(fluid);
        const auto energy = [&](const Eigen::VectorXd& error) {
            return std::sqrt(error.dot(A * error));
        };
        const double start = energy(exact);
        const double factor = (std::sqrt(kappa) - 1.0) / (std::sqrt(kappa) + 1.0);
        double earlier = start;
        for (int steps = 1; steps <= 12; ++steps) {
            const double now = energy(after(fluid, Solver::CONJUGATE_GRADIENTS, steps) - exact);
            INFO("after " << steps << " steps, in the energy norm");
            CHECK(now <= 2.0 * std::pow(factor, steps) * start + 1e-12);
            CHECK(now <= earlier + 1e-12);
            earlier = now;
        }
    }
}

TEST_CASE("conjugate gradients leave what they were allowed to leave", "[14_gradients]") {
    for (const Solver solver : both) {
        for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
            Fluid fluid = bumpy_fluid(14, 8, 5, 9);
            fluid = projected(fluid, solver, 0.1, tolerance);
            INFO(name_of(solver) << ", tolerance " << tolerance << ", " << fluid.residuals.size()
                                 << " residuals");
            const double left = residual(fluid.matrix, fluid.pressure, fluid.rhs);
            CHECK(left <= 1.001 * tolerance);
            CHECK(left > 0.01 * tolerance);  // it stops in time
            REQUIRE(fluid.residuals.size() > 2);
            CHECK(fluid.residuals[fluid.residuals.size() - 2] > tolerance);
            INFO("what is left of the divergence is the residual");
            const Field rhs = fluid.rhs;
            right_hand_side(fluid, 0.1);
            CHECK_THAT(as_vector(fluid.rhs).norm() / as_vector(rhs).norm(), WithinAbs(left, 1e-12));
        }
    }
}

TEST_CASE("the preconditioner halves the steps, and more", "[14_gradients]") {
    for (const auto& [nx, ny, nz] : {std::array{16, 16, 1}, {48, 20, 1}, {14, 9, 11}}) {
        const Fluid fluid = bumpy_problem(nx, ny, nz, 1);
        const int plain = steps_taken(fluid, Solver::CONJUGATE_GRADIENTS);
        const int preconditioned = steps_taken(fluid, Solver::PRECONDITIONED);
        INFO("box " << words_of(nx, ny, nz) << ": " << plain << " steps without, " << preconditioned
                    << " with it");
        CHECK(plain > 15);
        CHECK(preconditioned > 5);
        CHECK(preconditioned < 0.5 * plain);
    }
}

TEST_CASE("conjugate gradients come to the direct solution, along any axis", "[14_gradients]") {
    for (Fluid before :
         {bumpy_fluid(8, 5, 1, 17), bumpy_fluid(4, 3, 6, 18), bumpy_fluid(1, 9, 2, 19),
          bumpy_fluid(1, 1, 7, 20), bumpy_fluid(5, 1, 4, 21)}) {
        before.h = 0.5;
        before.rho = 3.0;
        const Fluid direct = projected(before, Solver::DIRECT, 0.1);
        REQUIRE(largest(direct.pressure) > 0.1);
        for (const Solver solver : both) {
            const Fluid found = projected(before, solver, 0.1);
            INFO("box " << words_of(before.nx, before.ny, before.nz) << ", by " << name_of(solver));
            CHECK(distance(direct.pressure, found.pressure) < 1e-10);
            CHECK(distance(direct.u, found.u) < 1e-11);
            CHECK(distance(direct.v, found.v) < 1e-11);
            CHECK(distance(direct.w, found.w) < 1e-11);
        }
    }
}

TEST_CASE("mirrored along any axis, conjugate gradients take mirrored steps", "[14_gradients]") {
    Fluid before = bumpy_fluid(7, 5, 3, 43);
    before.solver = Solver::CONJUGATE_GRADIENTS;
    before.iterations = 6;
    Fluid straight = before;
    project(straight, 0.3);
    REQUIRE(largest(straight.pressure) > 0.01);
    for (const int axis : {0, 1, 2}) {
        Fluid turned = mirrored(before, axis);
        project(turned, 0.3);
        INFO("axis " << axis << ", after six steps");
        CHECK(distance(mirrored(turned, axis).pressure, straight.pressure) < 1e-11);
    }
}

TEST_CASE("each solution starts from 0 and takes the steps that it may", "[14_gradients]") {
    for (const Solver solver : both) {
        Fluid fresh = bumpy_fluid(9, 7, 4, 21);
        fresh.solver = solver;
        fresh.iterations = 7;
        Fluid stale = fresh;
        make_bumpy(stale.pressure, 49);
        project(fresh, 0.1);
        project(stale, 0.1);
        REQUIRE(largest(fresh.pressure) > 0.1);
        INFO(name_of(solver) << ": no state file holds a first guess");
        CHECK(distance(stale.pressure, fresh.pressure) == 0.0);
        INFO("seven steps are allowed, and done: eight residuals");
        CHECK(fresh.residuals.size() == 8);
    }
}

TEST_CASE("conjugate gradients go on from the x that is there", "[14_gradients]") {
    const Fluid fluid = bumpy_problem(7, 5, 3, 61);
    const Matrix& A = fluid.matrix;
    const Field& b = fluid.rhs;
    const auto copy = [](Field& z, const Field& r) { z = r; };
    Field near = fluid.pressure;
    conjugate_gradients(A, near, b, 0.0, 4, copy);
    const double left = residual(A, near, b);
    REQUIRE(left > 1e-6);
    REQUIRE(left < 1.0);
    const std::vector<double> residuals = conjugate_gradients(A, near, b, 1e-12, 200, copy);
    INFO("four steps, and then again: r begins with b - A x, over the length of b");
    REQUIRE(residuals.size() > 1);
    CHECK_THAT(residuals.front(), WithinAbs(left, 1e-12));
    take_mean_away(near);
    CHECK((as_vector(near) - exact_pressure(fluid)).cwiseAbs().maxCoeff() < 1e-9);

    Field far = bumpy_pressure(7, 5, 3, 62);
    for (double& value : far.values) {
        value *= 1000.0;
    }
    const std::vector<double> from_afar = conjugate_gradients(A, far, b, 1e-12, 200, copy);
    INFO("an x that is worse than 0: residuals over the length of the first r");
    REQUIRE(from_afar.size() > 1);
    CHECK(from_afar.front() == 1.0);
    take_mean_away(far);
    CHECK((as_vector(far) - exact_pressure(fluid)).cwiseAbs().maxCoeff() < 1e-7);
}

TEST_CASE("any weights will do, and a point without an equation keeps its value",
          "[14_gradients]") {
    Matrix A(Field(4, 3, 2, {0.5, 0.5, 0.5}));
    std::uint32_t seed = 63;
    for (Field* weights : {&A.x, &A.y, &A.z}) {
        make_bumpy(*weights, seed++);
        for (double& weight : weights->values) {
            weight += 1.5;
        }
    }
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            A.diagonal(i, j, k) += A.weight(side, i, j, k);
        }
    });
    A.diagonal(2, 1, 1) = 0.0;
    Field b = bumpy_pressure(4, 3, 2, 66);
    b(2, 1, 1) = 0.0;
    for (const bool preconditioned : {false, true}) {
        Field x = bumpy_pressure(4, 3, 2, 67);
        x(2, 1, 1) = 2.0;
        const std::vector<double> residuals =
            conjugate_gradients(A, x, b, 1e-13, 100, [&](Field& z, const Field& r) {
                if (preconditioned) {
                    symmetric_gauss_seidel(A, z, r);
                } else {
                    z = r;
                }
            });
        INFO((preconditioned ? "preconditioned" : "plain")
             << ": 23 unknowns, so hardly more than 23 steps");
        REQUIRE(residuals.size() > 1);
        CHECK(residuals.size() < 27);
        CHECK(x(2, 1, 1) == 2.0);
        for_each_point(x, [&](int i, int j, int k) {
            if (i == 2 && j == 1 && k == 1) {
                return;
            }
            double left = b(i, j, k) - A.diagonal(i, j, k) * x(i, j, k);
            for (int side = 0; side < 6; ++side) {
                const auto& [di, dj, dk] = neighbours[side];
                if (x.has(i + di, j + dj, k + dk)) {
                    left += A.weight(side, i, j, k) * x(i + di, j + dj, k + dk);
                }
            }
            INFO("the equation of point " << words_of(i, j, k));
            CHECK_THAT(left, WithinAbs(0.0, 1e-11));
        });
    }
}

TEST_CASE("a tolerance that is out of reach ends the steps", "[14_gradients]") {
    for (const Solver solver : both) {
        for (const auto& [nx, ny, nz] : {std::array{32, 24, 1}, {9, 8, 7}}) {
            Fluid fluid = bumpy_problem(nx, ny, nz, 68);
            fluid.solver = solver;
            fluid.tolerance = 0.0;
            fluid.iterations = 20000;
            solve_pressure(fluid);
            const double left = residual(fluid.matrix, fluid.pressure, fluid.rhs);
            INFO(name_of(solver) << ", box " << words_of(nx, ny, nz) << ": after "
                                 << fluid.residuals.size()
                                 << " steps rounding is all that is left, and that is " << left);
            REQUIRE(fluid.residuals.size() > 1);
            CHECK(fluid.residuals.size() < 250);
            CHECK(left < 1e-13);
            CHECK(fluid.residuals.back() > 1e-17);
        }
    }
}

TEST_CASE("where A has an inverse, the steps end at the rounding error", "[14_gradients]") {
    Matrix A = pressure_matrix(Fluid(9, 8, 7));
    for (double& entry : A.diagonal.values) {
        entry += 1.0;
    }
    const Field b = bumpy_pressure(9, 8, 7, 72);
    for (const bool preconditioned : {false, true}) {
        Field x = b;
        const std::vector<double> residuals =
            conjugate_gradients(A, x, b, 0.0, 20000, [&](Field& z, const Field& r) {
                if (preconditioned) {
                    symmetric_gauss_seidel(A, z, r);
                } else {
                    z = r;
                }
            });
        INFO((preconditioned ? "preconditioned" : "plain")
             << ", tolerance 0: after " << residuals.size()
             << " steps rounding is all that is left, and the last residual is as large as that");
        CHECK(residual(A, x, b) < 1e-14);
        REQUIRE(residuals.size() > 1);
        CHECK(residuals.back() < 1e-15);
        CHECK(residuals.back() > 1e-18);
        CHECK(residuals.size() < 120);
    }
}

TEST_CASE("where rounding leaves no solution, x does not run away", "[14_gradients]") {
    for (const Solver solver : both) {
        for (const auto& [nx, ny, nz] : {std::array{12, 12, 12}, {9, 8, 7}, {64, 64, 1}}) {
            Fluid fluid = bumpy_problem(nx, ny, nz, 69);
            for_each_point(fluid.rhs, [&](int i, int j, int k) {
                fluid.rhs(i, j, k) = std::sin(std::numbers::pi * (i + 0.5) / fluid.nx);
            });
            fluid.solver = solver;
            fluid.tolerance = 0.0;
            fluid.iterations = 3000;
            solve_pressure(fluid);
            const double left = residual(fluid.matrix, fluid.pressure, fluid.rhs);
            INFO(name_of(solver) << ", box " << words_of(nx, ny, nz) << ": after "
                                 << fluid.residuals.size() << " steps p leaves " << left
                                 << ". Once the residual is 10,000 times the least, does p go "
                                    "back to where it was the least?");
            CHECK(left < 1e-12);
            REQUIRE(fluid.residuals.size() > 1);
            CHECK(fluid.residuals.size() < 250);
            CHECK_THAT(fluid.residuals.back(), WithinAbs(left, 5e-13));
        }
    }
}

TEST_CASE("a right-hand side without any solution does no harm", "[14_gradients]") {
    const Fluid fluid = bumpy_problem(3, 3, 1, 70);
    Field ones = fluid.rhs;
    std::fill(ones.values.begin(), ones.values.end(), 1.0);
    for (const bool preconditioned : {false, true}) {
        Field x = fluid.pressure;
        const std::vector<double> residuals =
            conjugate_gradients(fluid.matrix, x, ones, 1e-10, 200, [&](Field& z, const Field& r) {
                if (preconditioned) {
                    symmetric_gauss_seidel(fluid.matrix, z, r);
                } else {
                    z = r;
                }
            });
        INFO((preconditioned ? "preconditioned" : "plain")
             << ": all values are 1, so A x can come no nearer than 0 does");
        REQUIRE(residuals.size() > 1);
        CHECK(residuals.back() <= 1.0);
        CHECK(residual(fluid.matrix, x, ones) < 1.1);
    }
}

TEST_CASE("a right-hand side that is the same everywhere leaves no pressure", "[14_gradients]") {
    for (const Solver solver : both) {
        Fluid fluid = bumpy_problem(3, 3, 1, 71);
        fluid.solver = solver;
        solve_pressure(fluid);
        INFO(name_of(solver) << ", first a bumpy one");
        REQUIRE(largest(fluid.pressure) > 0.1);
        std::fill(fluid.rhs.values.begin(), fluid.rhs.values.end(), 0.7);
        solve_pressure(fluid);
        INFO("now one whose values are all 0.7: without their mean they are nothing but rounding");
        CHECK(largest(fluid.pressure) < 1e-12);
    }
}

TEST_CASE("where nothing flows together, no step is taken", "[14_gradients]") {
    for (const Solver solver : both) {
        Fluid fluid = projected(bumpy_fluid(5, 4, 2, 47), solver, 0.1);
        INFO(name_of(solver) << ", first the pressure of a push");
        REQUIRE(largest(fluid.pressure) > 0.1);
        std::fill(fluid.rhs.values.begin(), fluid.rhs.values.end(), 0.0);
        fluid.tolerance = 0.0;
        solve_pressure(fluid);
        INFO("rhs is 0: is 0 divided by 0?");
        CHECK(largest(fluid.pressure) == 0.0);
        REQUIRE(fluid.residuals.size() == 1);
        CHECK(fluid.residuals.back() == 0.0);
    }
}

TEST_CASE("a mean in the right-hand side does not disturb conjugate gradients", "[14_gradients]") {
    for (const Solver solver : both) {
        Fluid fluid = bumpy_problem(6, 5, 3, 23);
        const Eigen::VectorXd expected = exact_pressure(fluid);
        for (double& value : fluid.rhs.values) {
            value += 0.5;
        }
        fluid.solver = solver;
        solve_pressure(fluid);
        INFO(name_of(solver));
        CHECK(fluid.compatibility_defect > 0.1);
        CHECK((as_vector(fluid.pressure) - expected).cwiseAbs().maxCoeff() < 1e-8);
    }
}
