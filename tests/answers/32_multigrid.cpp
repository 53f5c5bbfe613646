// The worked answers of 32_multigrid's exercises.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

#include "catch.hpp"
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
    red_black(here.p, here.rhs);
    restrict_residual(here, coarser.rhs);
    std::fill(coarser.p.values.begin(), coarser.p.values.end(), 0.0);
    w_cycle(multigrid, l + 1);
    w_cycle(multigrid, l + 1);
    prolong(coarser.p, here.p);
    red_black(here.p, here.rhs);
}

/// The smallest eigenvalue of A that is not 0, by inverse iteration: to solve A p = rhs divides
/// each eigenvector in rhs by its eigenvalue, so that the one with the smallest grows the most. The
/// result is Rayleigh's quotient, p A p over p p, for the last p; rhs is A p.
inline double smallest_eigenvalue(const Field& start, int solutions) {
    Fluid fluid(start.nx, start.ny, start.nz);
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

/// What the last four of ten cycles leave of the residual, on average, and what a cycle costs in
/// sweeps if each grid is visited so many times as often as the one before.
template <class Cycle>
std::pair<double, double> factor_and_work(const Field& rhs, int visits, Cycle cycle) {
    Multigrid multigrid = make_multigrid(rhs);
    std::fill(multigrid.levels[0].p.values.begin(), multigrid.levels[0].p.values.end(), 0.0);
    multigrid.levels[0].rhs = rhs;
    double early = 0.0;
    for (int count = 0; count < 10; ++count) {
        early = count == 6 ? residual(multigrid.levels[0].p, rhs) : early;
        cycle(multigrid, 0);
    }
    double work = 0.0;
    double times = 4.0 / static_cast<double>(rhs.values.size());
    for (std::size_t l = 0; l + 1 < multigrid.levels.size(); ++l) {
        work += times * static_cast<double>(multigrid.levels[l].p.values.size());
        times *= visits;
    }
    return {std::pow(residual(multigrid.levels[0].p, rhs) / early, 0.25), work};
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
