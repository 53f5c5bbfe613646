// The worked answers of 13_direct's exercises.
#include <cmath>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// The factors of a box's matrix in which the pressure of the first cell is given: it has no
/// equation, and its value is 0.
inline std::shared_ptr<const Factors> factorize_with_given_cell(Matrix A) {
    A.diagonal(0, 0, 0) = 0.0;
    return std::make_shared<const Factors>(A, assemble_matrix(A));
}

/// How many entries the factor L of a box's matrix has for each one that A has on its diagonal and
/// below: the fill-in.
inline double fill_in(const Matrix& A) {
    const Eigen::SparseMatrix<double> lower = assemble_matrix(A).triangularView<Eigen::Lower>();
    const Eigen::SparseMatrix<double> factor = factorize(A)->ldlt.matrixL();
    return static_cast<double>(factor.nonZeros()) / static_cast<double>(lower.nonZeros());
}

TEST_CASE("two right-hand sides for three cells in a row") {
    Field rhs = Fluid(3, 1, 1).pressure;
    rhs.values = {1.0, 2.0, -3.0};
    CHECK(compatibility_defect(rhs) == 0.0);
    rhs.values = {4.0, 2.0, -3.0};
    CHECK_THAT(compatibility_defect(rhs), WithinAbs(1.0 / 3.0, 1e-15));
    subtract_mean(rhs);
    CHECK(rhs.values == std::vector<double>{3.0, 1.0, -4.0});
}

TEST_CASE("a given first cell gives the same pressure") {
    for (Fluid fluid : {bumpy_fluid(6, 5, 2, 3), bumpy_fluid(9, 1, 1, 4)}) {
        project(fluid, 0.1);
        Field rhs = fluid.rhs;
        rhs(0, 0, 0) = 0.0;
        Field p = rhs;
        solve_direct(*factorize_with_given_cell(fluid.matrix), p, rhs);
        CHECK(p(0, 0, 0) == 0.0);
        subtract_mean(p);
        REQUIRE(largest(p) > 0.1);
        CHECK(distance(p, fluid.pressure) < 1e-11);
    }
}

TEST_CASE("the factors fill in more and more, and most of all in three dimensions") {
    const double flat = fill_in(pressure_matrix(Fluid(64, 64, 1)));
    const double finer = fill_in(pressure_matrix(Fluid(128, 128, 1)));
    const double deep = fill_in(pressure_matrix(Fluid(16, 16, 16)));
    INFO("64 x 64: " << flat << ", 128 x 128: " << finer << ", 16 x 16 x 16: " << deep);
    CHECK_THAT(flat, WithinAbs(6.1, 0.3));
    CHECK_THAT(finer, WithinAbs(8.2, 0.4));
    CHECK_THAT(deep, WithinAbs(19.1, 1.0));
}
