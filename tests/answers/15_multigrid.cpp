// The worked answers of 15_multigrid's exercises.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "solver.hpp"

/// A W-cycle: as v_cycle, but each coarser grid is visited twice. The second visit begins with what
/// the first has found.
inline void w_cycle(Multigrid& multigrid, std::size_t l) {
    Level& here = multigrid.levels[l];
    if (l + 1 == multigrid.levels.size()) {
        solve_direct(*multigrid.coarsest, here.p, here.rhs);
        return;
    }
    Level& coarser = multigrid.levels[l + 1];
    red_black(here.A, here.p, here.rhs);
    restrict_residual(here, coarser.rhs);
    std::fill(coarser.p.values.begin(), coarser.p.values.end(), 0.0);
    w_cycle(multigrid, l + 1);
    w_cycle(multigrid, l + 1);
    prolong(coarser.p, here.p);
    red_black(here.A, here.p, here.rhs);
}

/// The smallest eigenvalue of A that is not 0, by inverse iteration: to solve A p = rhs divides
/// each eigenvector in rhs by its eigenvalue, so that the one with the smallest grows the most. The
/// result is Rayleigh's quotient, p A p over p p, for the last p; rhs is A p.
inline double smallest_eigenvalue(const Field& start, int solutions) {
    Fluid fluid(start.nx, start.ny, start.nz);
    fluid.matrix = pressure_matrix(fluid);
    fluid.solver = Solver::MULTIGRID;
    fluid.tolerance = 1e-11;
    fluid.rhs = start;
    double found = 0.0;
    for (int count = 0; count < solutions; ++count) {
        solve_pressure(fluid);
        found = dot(fluid.pressure, fluid.rhs) / dot(fluid.pressure, fluid.pressure);
        fluid.rhs = fluid.pressure;
    }
    return found;
}

/// Rounds each number to the nearest float.
inline void round_to_float(Field& field) {
    for (double& value : field.values) {
        value = static_cast<float>(value);
    }
}

/// A V-cycle on grids that hold only floats: as v_cycle, but what a step writes is rounded. (Within
/// a step the sums are still in double.)
inline void float_v_cycle(Multigrid& multigrid, std::size_t l) {
    Level& here = multigrid.levels[l];
    round_to_float(here.rhs);
    if (l + 1 == multigrid.levels.size()) {
        solve_direct(*multigrid.coarsest, here.p, here.rhs);
        round_to_float(here.p);
        return;
    }
    Level& coarser = multigrid.levels[l + 1];
    red_black(here.A, here.p, here.rhs);
    round_to_float(here.p);
    restrict_residual(here, coarser.rhs);
    std::fill(coarser.p.values.begin(), coarser.p.values.end(), 0.0);
    float_v_cycle(multigrid, l + 1);
    prolong(coarser.p, here.p);
    round_to_float(here.p);
    red_black(here.A, here.p, here.rhs);
    round_to_float(here.p);
}

/// One iteration of iterative refinement: computes in double what p leaves of rhs, lets a V-cycle
/// in float find a correction from it, and adds that to p in double.
inline void refine(Multigrid& multigrid, Field& p, const Field& rhs) {
    Level& finest = multigrid.levels[0];
    multiply(finest.A, p, finest.rhs);
    for (std::size_t cell = 0; cell < rhs.values.size(); ++cell) {
        finest.rhs.values[cell] = rhs.values[cell] - finest.rhs.values[cell];
    }
    std::fill(finest.p.values.begin(), finest.p.values.end(), 0.0);
    float_v_cycle(multigrid, 0);
    add_scaled(p, 1.0, finest.p);
}

namespace {

/// Numbers without any pattern, with a mean of 0.
Field bumpy(int nx, int ny, int nz) {
    Field rhs(nx, ny, nz, {0.5, 0.5, 0.5});
    std::uint32_t seed = 5;
    for (double& value : rhs.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    subtract_mean(rhs);
    return rhs;
}

Matrix matrix_like(const Field& rhs) {
    return pressure_matrix(Fluid(rhs.nx, rhs.ny, rhs.nz));
}

/// What the last four of ten cycles leave of the residual, on average, and what a cycle costs in
/// sweeps if each grid is visited so many times as often as the one before.
template <class Cycle>
std::pair<double, double> factor_and_work(const Field& rhs, int visits, Cycle cycle) {
    Multigrid multigrid = make_multigrid(matrix_like(rhs));
    std::fill(multigrid.levels[0].p.values.begin(), multigrid.levels[0].p.values.end(), 0.0);
    multigrid.levels[0].rhs = rhs;
    double early = 0.0;
    for (int count = 0; count < 10; ++count) {
        if (count == 6) {
            early = residual(multigrid.levels[0].A, multigrid.levels[0].p, rhs);
        }
        cycle(multigrid, 0);
    }
    double work = 0.0;
    double times = 4.0 / static_cast<double>(rhs.values.size());
    for (std::size_t l = 0; l + 1 < multigrid.levels.size(); ++l) {
        work += times * static_cast<double>(multigrid.levels[l].p.values.size());
        times *= visits;
    }
    return {std::pow(residual(multigrid.levels[0].A, multigrid.levels[0].p, rhs) / early, 0.25),
            work};
}

/// Half a wave along each side that has more than one cell, the smooth right-hand side of 52_fast.
Field half_waves(int nx, int ny, int nz) {
    const auto wave = [](int i, int n) {
        return n > 1 ? std::cos(std::numbers::pi * (i + 0.5) / n) : 0.0;
    };
    Field rhs(nx, ny, nz, {0.5, 0.5, 0.5});
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                rhs(i, j, k) = wave(i, nx) + 0.7 * wave(j, ny) + 0.4 * wave(k, nz);
            }
        }
    }
    subtract_mean(rhs);
    return rhs;
}

double largest(const Field& field) {
    double found = 0.0;
    for (const double value : field.values) {
        found = larger(found, std::abs(value));
    }
    return found;
}

/// The largest error of p, over the largest pressure.
double error_of(Field p, const Fluid& exact) {
    subtract_mean(p);
    add_scaled(p, -1.0, exact.pressure);
    return largest(p) / largest(exact.pressure);
}

/// What one way to improve p leaves of a smooth right-hand side, cycle by cycle, and its p.
struct Course {
    std::vector<double> residuals;
    Field p;
};

template <class Improve>
Course course_of(const Field& rhs, int cycles, Improve improve) {
    const Matrix A = matrix_like(rhs);
    Course course = {{}, rhs};
    std::fill(course.p.values.begin(), course.p.values.end(), 0.0);
    Multigrid multigrid = make_multigrid(A);
    for (int cycle = 0; cycle < cycles; ++cycle) {
        improve(multigrid, course.p);
        course.residuals.push_back(residual(A, course.p, rhs));
    }
    return course;
}

/// The same for cycles that go on from the p of their finest grid.
template <class Cycle>
Course course_of_cycles(const Field& rhs, int cycles, Cycle cycle) {
    return course_of(rhs, cycles, [&](Multigrid& multigrid, Field& p) {
        multigrid.levels[0].p = p;
        multigrid.levels[0].rhs = rhs;
        cycle(multigrid, 0);
        p = multigrid.levels[0].p;
    });
}

}  // namespace

TEST_CASE("a V-cycle costs four thirds of its finest grid's work in 2D, eight sevenths in 3D") {
    CHECK_THAT(factor_and_work(bumpy(64, 64, 1), 1, v_cycle).second, WithinAbs(4.0 * 4 / 3, 0.01));
    CHECK_THAT(factor_and_work(bumpy(32, 32, 32), 1, v_cycle).second, WithinAbs(4.0 * 8 / 7, 0.01));
}

TEST_CASE("a W-cycle leaves less than a V-cycle, and a decade costs more") {
    const struct {
        Field rhs;
        double v_leaves, w_leaves, v_work, w_work, v_decade, w_decade;
    } expected[] = {{bumpy(64, 64, 1), 0.155, 0.100, 5.33, 7.88, 6.58, 7.87},
                    {bumpy(32, 32, 32), 0.200, 0.176, 4.57, 5.33, 6.53, 7.06}};
    for (const auto& [rhs, v_leaves, w_leaves, v_work, w_work, v_decade, w_decade] : expected) {
        const auto [v, work_of_v] = factor_and_work(rhs, 1, v_cycle);
        const auto [w, work_of_w] = factor_and_work(rhs, 2, w_cycle);
        INFO(rhs.nz << " layers");
        CHECK_THAT(v, WithinAbs(v_leaves, 0.005));
        CHECK_THAT(w, WithinAbs(w_leaves, 0.005));
        CHECK_THAT(work_of_v, WithinAbs(v_work, 0.01));
        CHECK_THAT(work_of_w, WithinAbs(w_work, 0.01));
        CHECK_THAT(work_of_v / -std::log10(v), WithinAbs(v_decade, 0.1));
        CHECK_THAT(work_of_w / -std::log10(w), WithinAbs(w_decade, 0.1));
    }
}

TEST_CASE("inverse iteration finds the smallest eigenvalue") {
    for (const Field& rhs : {bumpy(48, 32, 1), bumpy(64, 64, 1), bumpy(20, 8, 12)}) {
        const double expected = 4.0 * std::pow(std::sin(std::numbers::pi / (2.0 * rhs.nx)), 2);
        INFO(rhs.nx << " x " << rhs.ny << " x " << rhs.nz);
        CHECK(smallest_eigenvalue(rhs, 1) > 1.5 * expected);
        CHECK_THAT(smallest_eigenvalue(rhs, 4), WithinAbs(expected, 0.05 * expected));
        CHECK_THAT(smallest_eigenvalue(rhs, 10), WithinAbs(expected, 1e-5 * expected));
    }
}

TEST_CASE("a V-cycle in float is a V-cycle whose grids hold floats") {
    const Field rhs = bumpy(24, 8, 16);
    Multigrid exact = make_multigrid(matrix_like(rhs));
    Multigrid rounded = exact;
    exact.levels[0].p = rhs;
    exact.levels[0].rhs = rhs;
    rounded.levels[0] = exact.levels[0];
    v_cycle(exact, 0);
    float_v_cycle(rounded, 0);
    for (std::size_t l = 0; l < rounded.levels.size(); ++l) {
        for (const Field& held : {rounded.levels[l].p, rounded.levels[l].rhs}) {
            for (const double value : held.values) {
                INFO("level " << l << " holds " << value);
                REQUIRE(value == static_cast<double>(static_cast<float>(value)));
            }
        }
    }
    Field difference = rounded.levels[0].p;
    add_scaled(difference, -1.0, exact.levels[0].p);
    INFO("what it finds is what a cycle in double finds, to the digits of a float");
    CHECK(largest(exact.levels[0].p) > 0.1);
    CHECK(largest(difference) < 1e-5);
    CHECK(largest(difference) > 1e-9);
}

TEST_CASE("in float the residual of a smooth problem stops, with refinement it does not") {
    const struct {
        int nx, ny, nz;
        double stops_at, within;
    } expected[] = {{64, 64, 1, 4.8e-5, 4e-6},   {128, 128, 1, 1.8e-4, 1e-5},
                    {256, 256, 1, 7.3e-4, 2e-5}, {48, 1, 96, 8.3e-5, 4e-6},
                    {1, 64, 32, 4.3e-5, 4e-6},   {16, 32, 48, 2.4e-5, 2e-6}};
    for (const auto& [nx, ny, nz, stops_at, within] : expected) {
        const Field rhs = half_waves(nx, ny, nz);
        Fluid exact(nx, ny, nz);
        exact.matrix = pressure_matrix(exact);
        exact.rhs = rhs;
        exact.solver = Solver::DIRECT;
        solve_pressure(exact);
        const Course in_double = course_of_cycles(rhs, 14, v_cycle);
        const Course in_float = course_of_cycles(rhs, 14, float_v_cycle);
        const Course refined =
            course_of(rhs, 14, [&](Multigrid& multigrid, Field& p) { refine(multigrid, p, rhs); });
        INFO(nx << " x " << ny << " x " << nz << ": 14 cycles leave " << in_double.residuals.back()
                << " in double, " << in_float.residuals.back() << " in float, "
                << refined.residuals.back() << " refined; error " << error_of(in_float.p, exact)
                << " in float, " << error_of(refined.p, exact));
        CHECK_THAT(in_float.residuals.back(), WithinAbs(stops_at, within));
        INFO("and it has stopped: six cycles before it was there, too");
        CHECK_THAT(in_float.residuals[7], WithinAbs(stops_at, 2.0 * within));
        CHECK(error_of(in_float.p, exact) < 3.5e-7);
        CHECK(error_of(in_float.p, exact) > 3e-8);
        CHECK(refined.residuals.back() < (nz > 1 && nx > 1 && ny > 1 ? 1e-10 : 1e-11));
        CHECK(error_of(refined.p, exact) < 1e-10);
        for (std::size_t cycle = 0; cycle < 12; ++cycle) {
            INFO("refined, cycle " << cycle << " leaves as much as one in double");
            CHECK_THAT(refined.residuals[cycle] / in_double.residuals[cycle], WithinAbs(1.0, 0.01));
        }
    }
}
