// The worked answers of 33_fast's exercises.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"

/// A W(before, after)-cycle: as v_cycle, but each coarser box is visited twice. The second visit
/// begins with what the first has found.
inline void w_cycle(std::vector<Level<double>>& levels, std::size_t l, int before, int after) {
    if (l + 1 == levels.size()) {
        return;
    }
    Level<double>& here = levels[l];
    Level<double>& coarser = levels[l + 1];
    for (int sweep = 0; sweep < before; ++sweep) {
        red_black(here.p, here.b, here.weights);
    }
    find_residual(here.p, here.b, here.weights, here.r);
    restrict_to(here.r, coarser.b);
    std::fill(coarser.p.values.begin(), coarser.p.values.end(), 0.0);
    w_cycle(levels, l + 1, before, after);
    w_cycle(levels, l + 1, before, after);
    prolong_from(coarser.p, here.p);
    for (int sweep = 0; sweep < after; ++sweep) {
        red_black(here.p, here.b, here.weights);
    }
}

/// The smallest eigenvalue of A that is not 0, by inverse iteration: to solve A p = b divides each
/// eigenvector in b by its eigenvalue, so that the one with the smallest grows the most. The answer
/// is Rayleigh's quotient, p A p over p p, for the last p; b is A p.
inline double smallest_eigenvalue(Box<double> b, int solutions) {
    double found = 0.0;
    for (int count = 0; count < solutions; ++count) {
        Box<double> p = solve<double>(Method::MULTIGRID, b, 1e-11, 30).p;
        take_out_average(p);
        found = sum_of_products(p, b) / sum_of_products(p, p);
        b = p;
    }
    return found;
}

namespace {

/// Numbers without any pattern, with an average of 0.
Box<double> bumpy(int nx, int ny, int nz) {
    Box<double> b(nx, ny, nz);
    std::uint32_t seed = 5;
    for (double& value : b.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    take_out_average(b);
    return b;
}

/// What the last four of ten cycles leave of the residual, on average, and what a cycle costs in
/// sweeps if each box is visited so many times as often as the one before.
template <class Cycle>
std::pair<double, double> factor_and_work(const Box<double>& b, int visits, Cycle cycle) {
    std::vector<Level<double>> levels = make_levels<double>(b.nx, b.ny, b.nz);
    levels[0].b = b;
    double early = 0.0;
    for (int count = 0; count < 10; ++count) {
        early = count == 6 ? true_residual(levels[0].p, b) : early;
        cycle(levels, 0, 1, 1);
    }
    double work = 0.0;
    double times = 4.0 / static_cast<double>(b.values.size());
    for (const Level<double>& level : levels) {
        work += times * static_cast<double>(level.p.values.size());
        times *= visits;
    }
    return {std::pow(true_residual(levels[0].p, b) / early, 0.25), work};
}

}  // namespace

TEST_CASE("a decade of the smoothest error costs half a million sweeps at 1024 x 1024") {
    const double radius = jacobi_radius(1024, 1024, 1);
    const double sweeps = std::log(10.0) / -std::log(radius * radius);
    CHECK(sweeps > 485000.0);
    CHECK(sweeps < 495000.0);
    const double omega = best_omega(radius);
    INFO("over-relaxation leaves omega - 1 a sweep");
    CHECK_THAT(std::log(10.0) / -std::log(omega - 1.0), WithinAbs(530.0, 5.0));
}

TEST_CASE("a W-cycle leaves less than a V-cycle, and a decade costs more") {
    const struct {
        Box<double> b;
        double v_leaves, w_leaves, v_work, w_work, v_decade, w_decade;
    } expected[] = {{bumpy(64, 64, 1), 0.155, 0.10, 5.33, 7.94, 6.59, 7.93},
                    {bumpy(32, 32, 32), 0.20, 0.176, 4.57, 5.33, 6.53, 7.06}};
    for (const auto& [b, v_leaves, w_leaves, v_work, w_work, v_decade, w_decade] : expected) {
        const auto [v, work_of_v] = factor_and_work(b, 1, v_cycle<double>);
        const auto [w, work_of_w] = factor_and_work(b, 2, w_cycle);
        INFO(b.nz << " layers");
        CHECK_THAT(v, WithinAbs(v_leaves, 0.005));
        CHECK_THAT(w, WithinAbs(w_leaves, 0.005));
        CHECK_THAT(work_of_v, WithinAbs(v_work, 0.01));
        CHECK_THAT(work_of_w, WithinAbs(w_work, 0.01));
        CHECK_THAT(work_of_v / -std::log10(v), WithinAbs(v_decade, 0.1));
        CHECK_THAT(work_of_w / -std::log10(w), WithinAbs(w_decade, 0.1));
    }
}

TEST_CASE("inverse iteration finds the smallest eigenvalue") {
    for (const Box<double>& b : {bumpy(48, 32, 1), bumpy(64, 64, 1), bumpy(20, 9, 14)}) {
        const double expected = 4.0 * std::pow(std::sin(std::numbers::pi / (2.0 * b.nx)), 2);
        INFO(b.nx << " x " << b.ny << " x " << b.nz);
        CHECK(smallest_eigenvalue(b, 1) > 1.5 * expected);
        CHECK_THAT(smallest_eigenvalue(b, 4), WithinAbs(expected, 0.05 * expected));
        CHECK_THAT(smallest_eigenvalue(b, 10), WithinAbs(expected, 1e-5 * expected));
    }
}
