#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "box_fields.hpp"
#include "catch.hpp"
#include "larger.hpp"
#include "solver.hpp"

using namespace box_fields;

namespace {

double largest(const Field& field) {
    return distance(field, zeros({field.nx, field.ny, field.nz}));
}

/// Solves A p = rhs with one of the solvers.
Fluid solved(Solver solver, const Field& rhs, double tolerance, int iterations) {
    Fluid fluid(rhs.nx, rhs.ny, rhs.nz);
    fluid.matrix = pressure_matrix(fluid);
    fluid.rhs = rhs;
    fluid.solver = solver;
    fluid.tolerance = tolerance;
    fluid.iterations = iterations;
    solve_pressure(fluid);
    return fluid;
}

int iterations_of(Solver solver, const Field& rhs, double tolerance) {
    const Fluid fluid = solved(solver, rhs, tolerance, 50);
    INFO("residual " << fluid.residuals.back());
    CHECK(fluid.residuals.back() <= tolerance);
    return static_cast<int>(fluid.residuals.size()) - 1;
}

Multigrid hierarchy(const Size& size) {
    return make_multigrid(matrix_of_box(size));
}

/// What a V-cycle leaves of the residual, the mean of the first eight.
double factor_of(const Size& size) {
    return std::pow(solved(Solver::MULTIGRID, bumpy(size, 11), 0.0, 8).residuals.back(), 0.125);
}

/// Half a wave along each axis that has more than one cell, each as high as asked for.
Field waves(const Size& size, const Vector& heights) {
    const auto wave = [](int i, int n) { return std::cos(std::numbers::pi * (i + 0.5) / n); };
    Field field = zeros(size);
    fill(field, [&](int i, int j, int k) {
        return (size.nx > 1 ? heights.x * wave(i, size.nx) : 0.0) +
               (size.ny > 1 ? heights.y * wave(j, size.ny) : 0.0) +
               (size.nz > 1 ? heights.z * wave(k, size.nz) : 0.0);
    });
    return field;
}

}  // namespace

// ---- The grids ---------------------------------------------------------------------------------

TEST_CASE("a coarse cell gets the mean of the residual under it, times 4", "[15_multigrid]") {
    Level flat = {matrix_of_box({4, 4, 1}), zeros({4, 4, 1}), zeros({4, 4, 1})};
    flat.rhs(2, 1, 0) = 1.0;
    flat.rhs(3, 0, 0) = 0.25;
    flat.rhs(0, 2, 0) = 8.0;
    Field coarse = zeros({2, 2, 1});
    coarse.values.assign(4, 99.0);
    restrict_residual(flat, coarse);
    const std::vector<double> expected = {0.0, 1.25, 8.0, 0.0};
    for (std::size_t cell = 0; cell < expected.size(); ++cell) {
        INFO("4 x 4 x 1, p = 0, coarse cell "
             << cell << ": the mean of its four cells, times 4; what was there before is gone");
        CHECK(coarse.values[cell] == expected[cell]);
    }
    for (const auto& [size, half] : {std::pair(Size{8, 6, 4}, Size{4, 3, 2}),
                                     {Size{2, 4, 6}, Size{1, 2, 3}},
                                     {Size{1, 6, 2}, Size{1, 3, 1}},
                                     {Size{4, 1, 8}, Size{2, 1, 4}},
                                     {Size{10, 1, 1}, Size{5, 1, 1}}}) {
        const Level fine = {matrix_of_box(size), bumpy(size, 31), bumpy(size, 32)};
        Field found = zeros(half);
        found.values.assign(found.values.size(), 99.0);
        restrict_residual(fine, found);
        Field r = fine.rhs;
        Field a_p = r;
        multiply(fine.A, fine.p, a_p);
        add_scaled(r, -1.0, a_p);
        Field sum = zeros(half);
        Field count = zeros(half);
        for (int k = 0; k < size.nz; ++k) {
            for (int j = 0; j < size.ny; ++j) {
                for (int i = 0; i < size.nx; ++i) {
                    sum(i / 2, j / 2, k / 2) += r(i, j, k);
                    count(i / 2, j / 2, k / 2) += 1.0;
                }
            }
        }
        for (std::size_t cell = 0; cell < sum.values.size(); ++cell) {
            INFO(name_of(size) << ", coarse cell " << cell << ": 4 times the mean of rhs - A p");
            CHECK_THAT(found.values[cell],
                       WithinAbs(4.0 * sum.values[cell] / count.values[cell], 1e-13));
        }
    }
}

TEST_CASE("a correction is interpolated between the coarse centres", "[15_multigrid]") {
    Field coarse = zeros({2, 2, 1});
    coarse.values = {0.0, 16.0, 32.0, 160.0};
    Field p = zeros({4, 4, 1});
    p.values.assign(16, 1.0);
    prolong(coarse, p);
    INFO("9/16, 3/16, 3/16 and 1/16 of the four around, added to what is there");
    CHECK_THAT(p(1, 1, 0), WithinAbs(1.0 + 3.0 + 6.0 + 10.0, 1e-13));
    CHECK_THAT(p(2, 1, 0), WithinAbs(1.0 + 9.0 + 2.0 + 30.0, 1e-13));
    INFO("beyond the last centre its value goes on");
    CHECK_THAT(p(0, 0, 0), WithinAbs(1.0, 1e-14));
    CHECK_THAT(p(3, 0, 0), WithinAbs(17.0, 1e-14));
    CHECK_THAT(p(1, 0, 0), WithinAbs(5.0, 1e-14));
    for (const Size& half : {Size{4, 3, 3}, Size{3, 5, 2}, Size{6, 1, 4}, Size{1, 3, 5}}) {
        const Vector slope = {3.0, 5.0, 7.0};
        Field wide = zeros(half);
        fill(wide, [&](int i, int j, int k) {
            return 2.0 * (slope.x * (i + 0.5) + slope.y * (j + 0.5) + slope.z * (k + 0.5));
        });
        const auto twice = [](int n) { return n == 1 ? 1 : 2 * n; };
        Field found = zeros({twice(half.nx), twice(half.ny), twice(half.nz)});
        prolong(wide, found);
        INFO(name_of(half) << ": a slope is met exactly between the outermost centres");
        for (int k = half.nz > 1; k < std::max(1, found.nz - 1); ++k) {
            for (int j = half.ny > 1; j < std::max(1, found.ny - 1); ++j) {
                for (int i = half.nx > 1; i < std::max(1, found.nx - 1); ++i) {
                    const auto place = [](int i_fine, int n) {
                        return n == 1 ? 1.0 : i_fine + 0.5;
                    };
                    CHECK_THAT(found(i, j, k),
                               WithinAbs(slope.x * place(i, half.nx) + slope.y * place(j, half.ny) +
                                             slope.z * place(k, half.nz),
                                         1e-12));
                }
            }
        }
    }
}

TEST_CASE("what is smooth has the same solution on the coarse grid", "[15_multigrid]") {
    for (const auto& [size, half] : {std::pair(Size{32, 24, 1}, Size{16, 12, 1}),
                                     {Size{20, 12, 16}, Size{10, 6, 8}},
                                     {Size{1, 32, 20}, Size{1, 16, 10}}}) {
        const Field p = waves(size, {3.0, -2.0, 1.0});
        Level fine = {matrix_of_box(size), zeros(size), zeros(size)};
        multiply(fine.A, p, fine.rhs);
        Field coarse_rhs = zeros(half);
        restrict_residual(fine, coarse_rhs);
        Field coarse_p = solved(Solver::DIRECT, coarse_rhs, 0.0, 1).pressure;
        Field found = zeros(size);
        prolong(coarse_p, found);
        INFO(name_of(size) << ": without the factor 4 the correction has a quarter of the height");
        CHECK(distance(found, p) < 0.06 * largest(p));
    }
}

// ---- The cycle ---------------------------------------------------------------------------------

TEST_CASE("a V-cycle smooths, goes down, comes up and smooths", "[15_multigrid]") {
    for (const Size& size : {Size{16, 8, 1}, Size{8, 24, 4}, Size{4, 12, 20}, Size{6, 2, 10}}) {
        Multigrid multigrid = hierarchy(size);
        for (Level& level : multigrid.levels) {
            level.p = bumpy({level.p.nx, level.p.ny, level.p.nz}, 41);
        }
        multigrid.levels[0].rhs = compatible(size, 33);
        std::vector<Level> steps = multigrid.levels;
        const std::size_t last = steps.size() - 1;
        REQUIRE(last > 0);
        v_cycle(multigrid, 0);
        for (std::size_t l = 0; l < last; ++l) {
            red_black(steps[l].A, steps[l].p, steps[l].rhs);
            restrict_residual(steps[l], steps[l + 1].rhs);
            std::fill(steps[l + 1].p.values.begin(), steps[l + 1].p.values.end(), 0.0);
        }
        solve_direct(*multigrid.coarsest, steps[last].p, steps[last].rhs);
        for (std::size_t l = last; l > 0; --l) {
            prolong(steps[l].p, steps[l - 1].p);
            red_black(steps[l - 1].A, steps[l - 1].p, steps[l - 1].rhs);
        }
        for (std::size_t l = 0; l <= last; ++l) {
            INFO(name_of(size) << ": on its way down, the rhs of level " << l);
            CHECK(distance(multigrid.levels[l].rhs, steps[l].rhs) < 1e-13);
        }
        for (std::size_t l = last; l > 0; --l) {
            INFO(name_of(size) << ": on its way up, the p of level " << l << ", begun from 0");
            CHECK(distance(multigrid.levels[l].p, steps[l].p) < 1e-13);
        }
        INFO(name_of(size) << ": its way down and up taken step by step, each coarse p from 0");
        REQUIRE(largest(steps[0].p) > 0.1);
        CHECK(distance(multigrid.levels[0].p, steps[0].p) < 1e-13);
    }
}

TEST_CASE("every side is halved until one is odd", "[15_multigrid]") {
    const struct {
        Size box;
        std::vector<Size> coarser;
    } expected[] = {{{16, 8, 1}, {{8, 4, 1}, {4, 2, 1}, {2, 1, 1}, {1, 1, 1}}},
                    {{12, 20, 1}, {{6, 10, 1}, {3, 5, 1}}},
                    {{1, 24, 8}, {{1, 12, 4}, {1, 6, 2}, {1, 3, 1}}},
                    {{8, 4, 2}, {{4, 2, 1}, {2, 1, 1}, {1, 1, 1}}},
                    {{9, 6, 2}, {}},
                    {{6, 9, 2}, {}},
                    {{4, 2, 3}, {}}};
    for (const auto& [box, coarser] : expected) {
        Multigrid multigrid = hierarchy(box);
        INFO(name_of(box) << ": a side is halved where it is even or 1, and only if all are");
        REQUIRE(multigrid.levels.size() == coarser.size() + 1);
        for (std::size_t l = 0; l < coarser.size(); ++l) {
            for (const Field* field : {&multigrid.levels[l + 1].p, &multigrid.levels[l + 1].rhs}) {
                CHECK(field->nx == coarser[l].nx);
                CHECK(field->ny == coarser[l].ny);
                CHECK(field->nz == coarser[l].nz);
            }
            INFO("the matrix of a coarser grid is that of a box with so many cells");
            CHECK(multigrid.levels[l + 1].A == matrix_of_box(coarser[l]));
        }
        INFO("the factors are those of the coarsest grid");
        CHECK(multigrid.coarsest->A == multigrid.levels.back().A);
        const Field rhs = compatible(box, 21);
        multigrid.levels[0].rhs = rhs;
        v_cycle(multigrid, 0);
        INFO("and a cycle on these grids leaves at most a fifth of the residual");
        CHECK(residual(multigrid.levels[0].A, multigrid.levels[0].p, rhs) < 0.2);
    }
}

TEST_CASE("a V-cycle leaves about a tenth in 2D and a sixth in 3D, in a box of any size",
          "[15_multigrid]") {
    for (const Size& size : {Size{32, 32, 1}, Size{64, 64, 1}, Size{128, 128, 1}, Size{48, 24, 1},
                             Size{40, 56, 1}, Size{1, 32, 64}, Size{64, 1, 32}}) {
        const double factor = factor_of(size);
        INFO(name_of(size) << ": a cycle leaves " << factor << ", the mean of the first eight");
        CHECK(factor < 0.12);
    }
    for (const Size& size : {Size{16, 16, 16}, Size{32, 8, 16}, Size{8, 16, 32}, Size{12, 20, 4}}) {
        const double factor = factor_of(size);
        INFO(name_of(size) << ": a cycle leaves " << factor << ", the mean of the first eight");
        CHECK(factor < 0.16);
    }
}

TEST_CASE("the number of cycles does not depend on the size", "[15_multigrid]") {
    for (const auto& [n, cycles] : {std::pair(16, 6), {32, 6}, {64, 7}, {128, 7}}) {
        INFO(n << " x " << n << " to 1e-6");
        CHECK(iterations_of(Solver::MULTIGRID, bumpy({n, n, 1}, 11), 1e-6) == cycles);
    }
}

// ---- The solvers -------------------------------------------------------------------------------

TEST_CASE("multigrid finds the direct solver's pressure", "[15_multigrid]") {
    for (const Size& size : {Size{16, 12, 1}, Size{8, 6, 4}, Size{4, 24, 2}, Size{2, 10, 12},
                             Size{1, 16, 1}, Size{9, 5, 3}, Size{1, 1, 1}}) {
        Fluid fluid(size.nx, size.ny, size.nz);
        fluid.matrix = pressure_matrix(fluid);
        fluid.tolerance = 1e-12;
        fluid.iterations = 60;
        // A second right-hand side, solved for by the same fluid: nothing of the first may be left.
        for (const std::uint32_t seed : {29u, 47u}) {
            const Field rhs = bumpy(size, seed);  // not compatible: its mean is left out
            const Fluid exact = solved(Solver::DIRECT, rhs, 1e-12, 1);
            for (const Solver solver : {Solver::MULTIGRID, Solver::MULTIGRID_PRECONDITIONED}) {
                fluid.solver = solver;
                fluid.rhs = rhs;
                solve_pressure(fluid);
                INFO((solver == Solver::MULTIGRID ? "V-cycles" : "as a preconditioner")
                     << ", " << name_of(size) << ": residual " << fluid.residuals.back());
                CHECK(fluid.residuals.back() <= 1e-12);
                CHECK(distance(fluid.pressure, exact.pressure) < 1e-9);
            }
        }
    }
}

TEST_CASE("the grids are made anew when A changes", "[15_multigrid]") {
    const Size size = {8, 12, 4};
    const Field rhs = compatible(size, 59);
    for (const Solver solver : {Solver::MULTIGRID, Solver::MULTIGRID_PRECONDITIONED}) {
        Fluid fluid = solved(solver, rhs, 1e-12, 60);
        const Field once = fluid.pressure;
        REQUIRE(largest(once) > 0.1);
        for (Field* numbers :
             {&fluid.matrix.diagonal, &fluid.matrix.x, &fluid.matrix.y, &fluid.matrix.z}) {
            for (double& number : numbers->values) {
                number *= 2.0;
            }
        }
        solve_pressure(fluid);
        Field twice = fluid.pressure;
        add_scaled(twice, 1.0, fluid.pressure);
        INFO((solver == Solver::MULTIGRID ? "V-cycles" : "as a preconditioner")
             << ": with all of A twice as large, the pressure is half as large");
        CHECK(fluid.multigrid.levels[0].A == fluid.matrix);
        CHECK(fluid.residuals.back() <= 1e-12);
        CHECK(distance(twice, once) < 1e-9);
    }
}

TEST_CASE("a box with an odd side is solved at once", "[15_multigrid]") {
    for (const Size& size : {Size{15, 8, 1}, Size{6, 5, 4}, Size{8, 4, 3}}) {
        const Fluid fluid = solved(Solver::MULTIGRID, bumpy(size, 51), 1e-10, 20);
        INFO(name_of(size) << ": one grid, and one cycle on it is the direct solver");
        CHECK(fluid.residuals.size() == 2);
        CHECK(fluid.residuals.back() < 1e-12);
        CHECK(fluid.multigrid.levels.size() == 1);
    }
}

TEST_CASE("cycles stop when the residual is small enough", "[15_multigrid]") {
    const Field rhs = bumpy({12, 8, 4}, 52);
    const Fluid stopped = solved(Solver::MULTIGRID, rhs, 1e-3, 20);
    INFO("one residual before the first cycle, and one after each");
    REQUIRE(stopped.residuals.size() > 2);
    CHECK(stopped.residuals.back() <= 1e-3);
    CHECK(stopped.residuals[stopped.residuals.size() - 2] > 1e-3);
    CHECK(stopped.residuals.front() == 1.0);
    CHECK(solved(Solver::MULTIGRID, rhs, 0.0, 3).residuals.size() == 4);
    const Fluid nothing = solved(Solver::MULTIGRID, zeros({12, 8, 4}), 0.0, 20);
    INFO("where rhs is 0, there is nothing to do");
    CHECK(nothing.residuals.size() == 1);
    CHECK(largest(nothing.pressure) == 0.0);
}

TEST_CASE("a preconditioner begins from 0", "[15_multigrid]") {
    Multigrid multigrid = hierarchy({8, 4, 6});
    Field first = zeros({8, 4, 6});
    Field again = bumpy({8, 4, 6}, 55);
    precondition_by_v_cycle(multigrid, first, compatible({8, 4, 6}, 53));
    precondition_by_v_cycle(multigrid, again, compatible({8, 4, 6}, 54));
    precondition_by_v_cycle(multigrid, again, compatible({8, 4, 6}, 53));
    INFO("z is filled, whatever was in it");
    REQUIRE(largest(first) > 0.1);
    INFO("the same r gives the same z, whatever came between");
    CHECK(distance(first, again) < 1e-14);
    INFO("and z is what one cycle finds");
    const Fluid cycle = solved(Solver::MULTIGRID, compatible({8, 4, 6}, 53), 0.0, 1);
    subtract_mean(first);
    CHECK(distance(first, cycle.pressure) < 1e-13);
}

TEST_CASE("a V-cycle is not symmetric, and conjugate gradients take it all the same",
          "[15_multigrid]") {
    for (const Size& size : {Size{8, 8, 1}, Size{4, 2, 8}}) {
        Multigrid multigrid = hierarchy(size);
        const Field a = compatible(size, 57);
        const Field b = compatible(size, 58);
        Field of_a = zeros(size);
        Field of_b = of_a;
        precondition_by_v_cycle(multigrid, of_a, a);
        precondition_by_v_cycle(multigrid, of_b, b);
        INFO(name_of(size) << ": a . B b = " << dot(a, of_b) << ", b . B a = " << dot(b, of_a)
                           << "; they are equal where B is symmetric");
        CHECK(std::abs(dot(a, of_b) - dot(b, of_a)) > 1e-3);
    }
    for (const auto& [size, alone, together] : {std::tuple(Size{64, 64, 1}, 12, 9),
                                                {Size{128, 128, 1}, 12, 9},
                                                {Size{16, 16, 16}, 13, 9}}) {
        const Field rhs = bumpy(size, 11);
        INFO(name_of(size) << " to 1e-10: cycles alone, then as a preconditioner");
        CHECK(iterations_of(Solver::MULTIGRID, rhs, 1e-10) == alone);
        CHECK(iterations_of(Solver::MULTIGRID_PRECONDITIONED, rhs, 1e-10) == together);
    }
}

TEST_CASE("four cycles leave less divergence than twenty sweeps, by far", "[15_multigrid]") {
    Fluid fluid(128, 128, 1);  // one long wave, which sweeps hardly touch
    for (int j = 0; j < 128; ++j) {
        for (int i = 1; i < 128; ++i) {
            fluid.u(i, j, 0) = std::sin(std::numbers::pi * i / 128);
        }
    }
    Fluid swept = fluid;
    swept.solver = Solver::GAUSS_SEIDEL;
    swept.iterations = 20;
    project(swept, 0.1);
    fluid.solver = Solver::MULTIGRID;
    fluid.iterations = 4;
    fluid.tolerance = 0.0;
    project(fluid, 0.1);
    REQUIRE(fluid.residuals.size() == 5);
    INFO("twenty sweeps leave " << swept.residuals.back() << " of it, four cycles "
                                << fluid.residuals.back());
    CHECK(swept.residuals.back() > 0.4);
    CHECK(fluid.residuals.back() < 1e-3);
}
