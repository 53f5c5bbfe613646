// The race's contestants that are given: cosines, iterative refinement, and the library's fast
// multigrid, against the solvers that readers write.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "33_fast/solver.hpp"

#include "33_fast/contestants.hpp"
#include "catch.hpp"
#include "larger.hpp"

namespace {

struct Size {
    int nx, ny, nz;
};

const std::vector<Size> many_sizes = {{64, 64, 1}, {65, 33, 1}, {1, 50, 1}, {12, 10, 9},
                                      {16, 8, 4},  {2, 1, 1},   {31, 3, 2}, {7, 5, 30}};

std::string name_of(const Size& size) {
    return std::to_string(size.nx) + " x " + std::to_string(size.ny) + " x " +
           std::to_string(size.nz);
}

Field zeros(const Size& size) {
    return Field(size.nx, size.ny, size.nz, {0.5, 0.5, 0.5});
}

/// Numbers without any pattern, the same on every machine, with the mean 0.
Field compatible(const Size& size, std::uint32_t seed) {
    Field field = zeros(size);
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    subtract_mean(field);
    return field;
}

double distance(const Field& a, const Field& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        found = larger(found, std::abs(a.values[cell] - b.values[cell]));
    }
    return found;
}

double largest(const Field& field) {
    return distance(field, zeros({field.nx, field.ny, field.nz}));
}

/// The pressure with the mean 0, by Eigen's direct solver.
Field exact_pressure(const Field& rhs) {
    Field p = rhs;
    solve_direct(*factorize(p), p, rhs);
    subtract_mean(p);
    return p;
}

Field without_mean(Field field) {
    subtract_mean(field);
    return field;
}

std::vector<double> all_of(const fast::Box& box) {
    std::vector<double> values(static_cast<std::size_t>(box.nx) * box.ny * box.nz);
    fast::copy_to(box, values.data());
    return values;
}

}  // namespace

TEST_CASE("the cosine transform finds the cosines in a line") {
    Eigen::FFT<double> fft;
    for (const int n : {2, 3, 4, 7, 12, 13, 16}) {
        std::vector<double> line(n);
        for (int i = 0; i < n; ++i) {
            line[i] = 5.0 + 2.0 * std::cos(std::numbers::pi * (n - 1) * (i + 0.5) / n);
        }
        const std::vector<double> before = line;
        cosine_transform(fft, line, false);
        INFO("n = " << n << ": a constant 5 and twice the shortest cosine");
        CHECK_THAT(line[0], WithinAbs(5.0 * n, 1e-12));
        CHECK_THAT(line[n - 1], WithinAbs(2.0 * 0.5 * n, 1e-12));
        for (int k = 1; k < n - 1; ++k) {
            CHECK_THAT(line[k], WithinAbs(0.0, 1e-12));
        }
        cosine_transform(fft, line, true);
        INFO("and back again");
        for (int i = 0; i < n; ++i) {
            CHECK_THAT(line[i], WithinAbs(before[i], 1e-13));
        }
    }
}

TEST_CASE("cosines find the direct solver's pressure, at any size") {
    for (const Size& size : many_sizes) {
        const Field rhs = compatible(size, 37);
        Field p = zeros(size);
        solve_by_cosines(p, rhs);
        INFO(name_of(size));
        CHECK(residual(p, rhs) < 1e-13 * (1.0 + size.nx + size.ny + size.nz));
        CHECK(distance(p, exact_pressure(rhs)) < 1e-9);
        CHECK(largest(p) > 0.1);
    }
}

TEST_CASE("iterative refinement goes on where float stops") {
    for (const Size& size : many_sizes) {
        const Field rhs = compatible(size, 41);
        fast::Solver solver(size.nx, size.ny, size.nz, 2);
        Field p = zeros(size);
        double before = 1.0;
        for (int count = 0; count < 12; ++count) {
            const double work = refine(solver, p, rhs);
            const double after = residual(p, rhs);
            INFO(name_of(size) << ", iteration " << count);
            CHECK(after < std::max(0.25 * before, 1e-12));
            CHECK(work >= 1.0);
            before = after;
        }
        CHECK(before < 1e-11);
        CHECK(distance(without_mean(p), exact_pressure(rhs)) < 1e-8);
    }
    fast::Solver solver(6, 4, 1, 1);
    Field p = zeros({6, 4, 1});
    refine(solver, p, zeros({6, 4, 1}));
    INFO("where there is nothing to do nothing is done");
    CHECK(largest(p) == 0.0);
}

TEST_CASE("fast sweeps do what fused ones do") {
    for (const Size& size : many_sizes) {
        for (const int sweeps : {1, 3, 7}) {
            const Field rhs = compatible(size, 67);
            const Field before = compatible(size, 68);
            Field p = before;
            fast::Box fast_rhs(size.nx, size.ny, size.nz);
            fast::Box fast_p = fast_rhs;
            fast::copy_from(fast_rhs, rhs.values.data());
            fast::copy_from(fast_p, p.values.data());
            parallel::ThreadPool pool(2);
            fast::red_black(pool, fast_p, fast_rhs, sweeps);
            fused_sweeps(p, rhs, sweeps, pool);
            Field found = zeros(size);
            found.values = all_of(fast_p);
            INFO(name_of(size) << ", " << sweeps << " sweeps in one pass");
            REQUIRE(distance(p, before) > 0.1);
            CHECK(distance(found, p) < 1e-5);
        }
    }
}

TEST_CASE("a fast V-cycle does what that of 32_multigrid does") {
    for (const Size& size : {Size{64, 32, 1}, Size{16, 8, 4}, Size{8, 64, 16}}) {
        const Field rhs = compatible(size, 71);
        Multigrid multigrid = make_multigrid(rhs);
        multigrid.levels[0] = {zeros(size), rhs};
        fast::Solver solver(size.nx, size.ny, size.nz, 2);
        fast::copy_from(solver.grid.levels[0].b, rhs.values.data());
        double before = 1.0;
        double fast_before = 1.0;
        for (int cycle = 0; cycle < 3; ++cycle) {
            v_cycle(multigrid, 0);
            fast::v_cycle(solver);
            Field found = zeros(size);
            found.values = all_of(solver.grid.levels[0].p);
            const double after = residual(multigrid.levels[0].p, rhs);
            const double fast_after = residual(found, rhs);
            INFO(name_of(size) << ", cycle " << cycle << ": leaves " << after / before << " and "
                               << fast_after / fast_before);
            CHECK(after < 0.2 * before);
            CHECK(fast_after < 0.2 * fast_before);
            before = after;
            fast_before = fast_after;
        }
    }
}

TEST_CASE("the fast multigrid solves what cosines solve") {
    for (const Size& size : many_sizes) {
        Field rhs = compatible(size, 73);
        const Field good = rhs;
        for (double& value : rhs.values) {
            value += 0.01;  // no solution has this mean: it is left out
        }
        Field exact = zeros(size);
        solve_by_cosines(exact, good);
        fast::Solver solver(size.nx, size.ny, size.nz, 2);
        Field p = zeros(size);
        p.values.assign(p.values.size(), 99.0);  // what p was before must not matter
        const std::vector<double> residuals =
            fast::solve(solver, p.values.data(), rhs.values.data(), 1e-11);
        INFO(name_of(size) << ": residual " << residuals.back());
        CHECK(residuals.back() <= 1e-11);
        CHECK_THAT(residual(p, good), WithinAbs(residuals.back(), 1e-13));
        CHECK_THAT(solver.compatibility_defect, WithinAbs(compatibility_defect(rhs), 1e-12));
        CHECK(largest(exact) > 0.1);
        CHECK(distance(without_mean(p), exact) < 1e-8);
    }
}

TEST_CASE("in float the fast multigrid is as exact as float can be") {
    const Size size = {128, 128, 1};
    Field rhs = zeros(size);
    std::vector<float> float_rhs;
    for (int j = 0; j < size.ny; ++j) {
        for (int i = 0; i < size.nx; ++i) {
            const auto wave = [](int k, int n) {
                return std::cos(std::numbers::pi * k * (n + 0.5) / 128.0);
            };
            float_rhs.push_back(static_cast<float>(wave(1, i) * wave(2, j)));
            rhs(i, j, 0) = float_rhs.back();
        }
    }
    subtract_mean(rhs);
    Field exact = zeros(size);
    solve_by_cosines(exact, rhs);
    std::vector<float> p(128 * 128);
    fast::Solver solver(128, 128, 1, 1);
    const std::vector<double> residuals = fast::solve(solver, p.data(), float_rhs.data(), 1e-12);
    Field found = zeros(size);
    std::copy(p.begin(), p.end(), found.values.begin());
    INFO("p stored in float: residual " << residuals.back());
    CHECK(residuals.back() > 1e-6);
    CHECK(residuals.back() < 2e-4);
    CHECK_THAT(residual(found, rhs), WithinAbs(residuals.back(), 0.05 * residuals.back()));
    CHECK(distance(without_mean(found), exact) < 1e-5 * largest(exact));
}

TEST_CASE("threads do not change the bytes of the fast multigrid") {
    for (const Size& size : {Size{96, 400, 1}, Size{65, 130, 1}, Size{32, 24, 64}}) {
        const Field rhs = compatible(size, 79);
        Field alone = zeros(size);
        for (const int threads : {1, 2, 3, 5}) {
            fast::Solver solver(size.nx, size.ny, size.nz, threads);
            Field p = zeros(size);
            const std::vector<double> residuals =
                fast::solve(solver, p.values.data(), rhs.values.data(), 1e-9);
            if (threads == 1) {
                alone = p;
                REQUIRE(residuals.back() <= 1e-9);
                REQUIRE(residual(p, rhs) <= 1.1e-9);
            }
            INFO(name_of(size) << " with " << threads << " threads");
            CHECK((p.values == alone.values));
        }
    }
}

TEST_CASE("the fast multigrid is not slowed down by size") {
    std::vector<double> work;
    for (const int n : {64, 256, 1024}) {
        const Field rhs = compatible({n, n, 1}, 83);
        Field p = zeros({n, n, 1});
        fast::Solver solver(n, n, 1, 1);
        REQUIRE(fast::solve(solver, p.values.data(), rhs.values.data(), 1e-4).back() <= 1e-4);
        work.push_back(solver.work);
    }
    INFO("sweeps for four decades: " << work[0] << ", " << work[1] << ", " << work[2]);
    CHECK(work[0] < 25.0);
    CHECK(work[2] < 1.1 * work[0]);
}

TEST_CASE("a fast step does what a step of 32_multigrid does") {
    const Size size = {48, 70, 1};
    Fluid fluid(size.nx, size.ny, size.nz);
    fluid.u.values = compatible({49, 70, 1}, 89).values;
    fluid.v.values = compatible({48, 71, 1}, 90).values;
    fluid.density.values = compatible(size, 91).values;
    set_bnd(fluid);
    fluid.tolerance = 1e-9;
    for (const int threads : {1, 3}) {
        Fluid slow = fluid;
        fast::Flow flow(size.nx, size.ny, threads);
        flow.tolerance = 1e-6f;
        flow.u.assign(fluid.u.values.begin(), fluid.u.values.end());
        flow.v.assign(fluid.v.values.begin(), fluid.v.values.end());
        flow.density.assign(fluid.density.values.begin(), fluid.density.values.end());
        for (int count = 0; count < 3; ++count) {
            step(slow, 0.7);
            fast::step(flow, 0.7f);
        }
        double worst = 0.0;
        for (std::size_t face = 0; face < flow.u.size(); ++face) {
            worst = larger(worst, std::abs(flow.u[face] - slow.u.values[face]));
        }
        for (std::size_t cell = 0; cell < flow.density.size(); ++cell) {
            worst = larger(worst, std::abs(flow.density[cell] - slow.density.values[cell]));
        }
        INFO(threads << " threads; residual " << flow.residuals.back());
        CHECK(worst < 1e-4);
        CHECK(std::abs(flow.density[500] - fluid.density.values[500]) > 1e-3);  // it moved
    }
}
