// The worked answers of 15_multigrid's exercises.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "window/trial_boxes.hpp"

/// A V-cycle: as multigrid_cycle, but each grid is visited once.
inline void v_cycle(std::vector<Level>& levels, std::size_t l, Field& x, const Field& b) {
    const Matrix& A = levels[l].A;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    gauss_seidel(A, x, b);
    if (l + 1 < levels.size()) {
        Level& coarser = levels[l + 1];
        restrict_residual(levels[l], x, b, coarser.b);
        v_cycle(levels, l + 1, coarser.x, coarser.b);
        prolong(levels[l], x, coarser.x);
    }
    gauss_seidel_back(A, x, b);
}

/// Rounds each number to the nearest float.
inline void round_to_float(Field& field) {
    for (double& value : field.values) {
        value = static_cast<float>(value);
    }
}

/// A V-cycle on grids that hold only floats: as v_cycle, but what each step writes is rounded.
inline void float_v_cycle(std::vector<Level>& levels, std::size_t l, Field& x, const Field& b) {
    const Matrix& A = levels[l].A;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    gauss_seidel(A, x, b);
    round_to_float(x);
    if (l + 1 < levels.size()) {
        Level& coarser = levels[l + 1];
        restrict_residual(levels[l], x, b, coarser.b);
        round_to_float(coarser.b);
        float_v_cycle(levels, l + 1, coarser.x, coarser.b);
        prolong(levels[l], x, coarser.x);
        round_to_float(x);
    }
    gauss_seidel_back(A, x, b);
    round_to_float(x);
}

namespace {

/// The iterations that a kind of cycle takes as a preconditioner.
template <class Cycle>
int iterations(const Matrix& A, double tolerance, Cycle cycle) {
    std::vector<Level> levels = make_levels(A);
    return trial::iterations_of(A, trial::random_rhs(A), tolerance,
                                [&](Field& z, const Field& r) { cycle(levels, 0, z, r); });
}

/// The work of a cycle in sweeps, if each grid coarser than the second is visited so many times as
/// often as the one before.
double work(const Matrix& A, int visits) {
    const std::vector<Level> levels = make_levels(A);
    double looks = 0.0;
    double times = 4.0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        times *= l < 2 ? 1 : visits;
        looks += times * static_cast<double>(levels[l].x.values.size());
    }
    return looks / static_cast<double>(A.diagonal.values.size());
}

}  // namespace

TEST_CASE("a cycle costs one and a half times its finest grid's work in 2D, 7/6 in 3D") {
    CHECK_THAT(work(trial::closed(128, 128, 1), 2), WithinAbs(6.0, 0.05));
    CHECK_THAT(work(trial::closed(32, 32, 32), 2), WithinAbs(4.0 * 7 / 6, 0.01));
    CHECK_THAT(work(trial::closed(128, 128, 1), 1), WithinAbs(5.33, 0.01));
    CHECK_THAT(work(trial::closed(32, 32, 32), 1), WithinAbs(4.57, 0.01));
}

TEST_CASE("a V-cycle takes more iterations, most of all where the fluid goes through gaps") {
    const struct {
        Matrix A;
        int v, both;
    } expected[] = {{trial::closed(128, 128, 1), 8, 7},
                    {trial::street(128), 11, 9},
                    {trial::diagonal_wall(128), 13, 9},
                    {trial::lattice(128), 19, 14},
                    {trial::labyrinth(64), 42, 27}};
    for (const auto& [A, v, both] : expected) {
        CHECK_THAT(iterations(A, 1e-6, v_cycle), WithinAbs(v, 1));
        CHECK_THAT(iterations(A, 1e-6, multigrid_cycle), WithinAbs(both, 1));
    }
}

TEST_CASE("a cycle in float preconditions as well as one in double") {
    for (const Matrix& A : {trial::closed(128, 128, 1), trial::street(128), trial::water(128, 0.05),
                            trial::closed(24, 32, 20)}) {
        std::vector<Level> levels = make_levels(A);
        const Field b = trial::random_rhs(A);
        Field z = b;
        float_v_cycle(levels, 0, z, b);
        for (const Level& level : levels) {
            for (const double value : level.x.values) {
                REQUIRE(value == static_cast<double>(static_cast<float>(value)));
            }
        }
        const int in_double = iterations(A, 1e-12, v_cycle);
        INFO("to 1e-12: " << in_double << " iterations in double");
        CHECK_THAT(iterations(A, 1e-12, float_v_cycle), WithinAbs(in_double, 2));
    }
}

TEST_CASE("cycles in float alone stop where floats end") {
    const Matrix A = trial::closed(128, 128, 1);
    std::vector<Level> levels = make_levels(A);
    Field b = trial::random_rhs(A);
    Field x = b;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    Field r = b;
    Field z = b;
    std::vector<double> residuals;
    for (int cycle = 0; cycle < 60; ++cycle) {
        float_v_cycle(levels, 0, z, r);
        add_scaled(x, 0.5, z);
        round_to_float(x);
        multiply(A, x, r);
        for (std::size_t n = 0; n < r.values.size(); ++n) {
            r.values[n] = b.values[n] - r.values[n];
        }
        residuals.push_back(std::sqrt(dot(r, r) / dot(b, b)));
    }
    INFO("where x is held in float, 60 cycles leave " << residuals.back());
    CHECK(residuals.back() < 1e-5);
    CHECK(residuals.back() > 1e-6);
}
