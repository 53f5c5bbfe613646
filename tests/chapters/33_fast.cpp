#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "library/src/fast.hpp"
#include "reference.hpp"
#include "solver.hpp"

namespace {

struct Size {
    int nx, ny, nz;
};

std::string name_of(const Size& size) {
    return std::to_string(size.nx) + " x " + std::to_string(size.ny) + " x " +
           std::to_string(size.nz);
}

const std::vector<std::pair<Method, std::string>> all_methods = {
    {Method::JACOBI, "Jacobi"},
    {Method::GAUSS_SEIDEL, "Gauss-Seidel"},
    {Method::RED_BLACK, "red-black Gauss-Seidel"},
    {Method::OVER_RELAXATION, "over-relaxation"},
    {Method::CONJUGATE_GRADIENTS, "conjugate gradients"},
    {Method::RELAXED_GRADIENTS, "conjugate gradients with over-relaxation"},
    {Method::MULTIGRID, "multigrid"},
    {Method::MULTIGRID_GRADIENTS, "conjugate gradients with multigrid"},
    {Method::REFINED, "refined multigrid"},
    {Method::COSINES, "cosines"},
    {Method::FACTORS, "factors"}};

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine.
Box<double> bumpy(const Size& size, std::uint32_t seed) {
    Box<double> box(size.nx, size.ny, size.nz);
    for (double& value : box.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    return box;
}

/// The same, with an average of 0: a right-hand side that has a solution.
Box<double> solvable(const Size& size, std::uint32_t seed) {
    Box<double> b = bumpy(size, seed);
    take_out_average(b);
    return b;
}

/// One long wave along i and two along j.
Box<double> smooth(int n) {
    Box<double> b(n, n, 1);
    for_each_cell(b, [&](int i, int j, int k) {
        b(i, j, k) = std::cos(std::numbers::pi * (i + 0.5) / n) *
                     std::cos(2.0 * std::numbers::pi * (j + 0.5) / n);
    });
    return b;
}

template <class A, class B>
double distance(const Box<A>& a, const Box<B>& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        found = larger(found, std::abs(static_cast<double>(a.values[cell]) - b.values[cell]));
    }
    return found;
}

template <class Number>
double largest(const Box<Number>& box) {
    return distance(box, Box<Number>(box.nx, box.ny, box.nz));
}

/// The exact pressure with an average of 0, by the direct solver of 11_mac.
Box<double> exact_pressure(const Box<double>& b) {
    Attempt<double> attempt = start<double>(Method::FACTORS, b);
    advance(attempt);
    take_out_average(attempt.p);
    return attempt.p;
}

/// What of the residual is left by each of the last cycles, on average.
double factor_per_cycle(const Size& size, int before, int after, int cycles) {
    const Box<double> b = solvable(size, 7);
    std::vector<Level<double>> levels = make_levels<double>(size.nx, size.ny, size.nz);
    levels[0].b = b;
    v_cycle(levels, 0, before, after);
    v_cycle(levels, 0, before, after);  // the first ones are better than all others
    const double early = true_residual(levels[0].p, b);
    for (int cycle = 0; cycle < cycles; ++cycle) {
        v_cycle(levels, 0, before, after);
    }
    return std::pow(true_residual(levels[0].p, b) / early, 1.0 / cycles);
}

void check_values(const Box<double>& box, const std::vector<double>& expected, const char* name) {
    REQUIRE(box.values.size() == expected.size());
    for (std::size_t cell = 0; cell < expected.size(); ++cell) {
        INFO(name << ", cell " << cell);
        CHECK_THAT(box.values[cell], WithinAbs(expected[cell], 1e-14));
    }
}

/// Four cells in a square with something to do in three of them.
Box<double> four_cells() {
    Box<double> b(2, 2, 1);
    b.values = {-9.0, 0.0, 6.0, 3.0};
    return b;
}

/// How many iterations it takes.
template <class Number = double>
int iterations(Method method, const Box<double>& b, double tolerance, int most = 20000) {
    const Attempt<Number> attempt = solve<Number>(method, b, tolerance, most);
    REQUIRE(attempt.residuals.back() <= tolerance);
    return static_cast<int>(attempt.residuals.size()) - 1;
}

Fluid bumpy_fluid(const Size& size, std::uint32_t seed) {
    Fluid fluid(size.nx, size.ny, size.nz);
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        const Box<double> box = bumpy({field->nx, field->ny, field->nz}, seed++);
        field->values = box.values;
    }
    set_bnd(fluid);
    return fluid;
}

}  // namespace

// ---- Sweeps ------------------------------------------------------------------------------------

TEST_CASE("a Jacobi sweep looks at the old values only", "[33_fast]") {
    const Box<double> b = four_cells();
    Box<double> p(2, 2, 1);
    jacobi(p, b, 1.0);
    INFO("each cell of four has two neighbours: from p = 0 all go to b / 2");
    check_values(p, {-4.5, 0.0, 3.0, 1.5}, "p");
    jacobi(p, b, 0.5);
    INFO("then half of the way to (b + neighbours) / 2, read before the sweep");
    check_values(p, {-3.75, -0.75, 2.25, 2.25}, "p");
}

TEST_CASE("a Gauss-Seidel sweep looks at the new values", "[33_fast]") {
    Box<double> p(2, 2, 1);
    gauss_seidel(p, four_cells());
    INFO("-9/2; then (0 - 4.5)/2; then (6 - 4.5)/2; the last cell has both new neighbours");
    check_values(p, {-4.5, -2.25, 0.75, 0.75}, "p");
}

TEST_CASE("a red-black sweep sets the red cells first", "[33_fast]") {
    Box<double> p(2, 2, 1);
    red_black(p, four_cells());
    INFO("first the two red cells on the diagonal, then the two black ones");
    check_values(p, {-4.5, -1.5, 1.5, 1.5}, "p");
    INFO("with other weights along the axes, as a coarser box has them");
    Box<double> q(2, 2, 1);
    red_black(q, four_cells(), {2.0, 1.0, 1.0});
    check_values(q, {-3.0, -5.0 / 3.0, 5.0 / 3.0, 1.0}, "q");
}

TEST_CASE("over-relaxation goes omega times as far", "[33_fast]") {
    Box<double> p(2, 2, 1);
    over_relax(p, four_cells(), 1.5);
    check_values(p, {-6.75, -5.0625, -0.5625, -1.96875}, "p");
    over_relax(p, four_cells(), 1.5);
    INFO("the second sweep starts from what is there: -6.75 goes 1.5 times the way to -7.3125");
    CHECK_THAT(p(0, 0, 0), WithinAbs(-6.75 - 1.5 * 0.5625, 1e-14));
    Box<double> q(2, 2, 1);
    over_relax(q, four_cells(), 1.5, true);
    INFO("backwards, from the last cell to the first");
    check_values(q, {-0.84375, 1.6875, 6.1875, 2.25}, "q");
    Box<double> one(5, 4, 3);
    Box<double> plain(5, 4, 3);
    over_relax(one, bumpy({5, 4, 3}, 3), 1.0);
    gauss_seidel(plain, bumpy({5, 4, 3}, 3));
    INFO("with omega = 1 it is Gauss-Seidel");
    CHECK(distance(one, plain) < 1e-15);
}

TEST_CASE("Jacobi never lets go of the checkerboard in a closed box", "[33_fast]") {
    const Box<double> nothing(6, 5, 1);
    Box<double> p = nothing;
    for_each_cell(p, [&](int i, int j, int k) { p(i, j, k) = (i + j) % 2 == 0 ? 1.0 : -1.0; });
    const Box<double> board = p;
    jacobi(p, nothing, 1.0);
    INFO("with a full step every cell takes its neighbours' value: minus its own");
    CHECK_THAT(p(2, 3, 0), WithinAbs(-board(2, 3, 0), 1e-15));
    CHECK_THAT(p(0, 0, 0), WithinAbs(-board(0, 0, 0), 1e-15));
    jacobi(p, nothing, 0.5);
    INFO("with half a step it is gone at once");
    CHECK(largest(p) < 1e-15);
}

TEST_CASE("within a colour the order does not matter", "[33_fast]") {
    const Box<double> b = solvable({7, 5, 3}, 11);  // turned round, each cell keeps its colour
    Box<double> turned_b = b;
    std::reverse(turned_b.values.begin(), turned_b.values.end());
    Box<double> p(7, 5, 3);
    Box<double> turned(7, 5, 3);
    for (int sweep = 0; sweep < 3; ++sweep) {
        red_black(p, b);
        red_black(turned, turned_b);
    }
    REQUIRE(largest(p) > 0.1);
    std::reverse(turned.values.begin(), turned.values.end());
    INFO("a box turned round gives the pressure turned round: no cell was first of its colour");
    CHECK(distance(p, turned) < 1e-14);
}

TEST_CASE("Gauss-Seidel converges at the predicted rate, in both orders", "[33_fast]") {
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] != "neumann" || words[0] == "32") {
            continue;
        }
        const int n = std::stoi(words[0]);
        const double left = 1.0 - std::stod(words[3]);
        const Box<double> b = solvable({n, n, 1}, 13);
        for (const bool in_colours : {false, true}) {
            Box<double> p(n, n, 1);
            std::vector<double> residuals;
            for (int sweep = 0; sweep <= 2 * n * n; ++sweep) {
                in_colours ? red_black(p, b) : gauss_seidel(p, b);
                if (sweep == n * n || sweep == n * n / 2) {
                    residuals.push_back(true_residual(p, b));
                }
            }
            const int sweeps = n * n - n * n / 2;
            const double factor = std::pow(residuals[1] / residuals[0], 1.0 / sweeps);
            INFO("N = " << n << ": each sweep leaves " << factor << ", predicted " << 1.0 - left);
            CHECK_THAT(1.0 - factor, WithinAbs(left, 0.03 * left));
        }
        ++rows;
    }
    CHECK(rows == 3);
}

TEST_CASE("Jacobi's radius follows from the size of the box alone", "[33_fast]") {
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] == "neumann") {
            const int n = std::stoi(words[0]);
            const double lost = 1.0 - std::stod(words[2]);
            INFO("N = " << n << ": 1 - radius, as the eigenvalues of Jacobi's matrix have it");
            CHECK_THAT(1.0 - jacobi_radius(n, n, 1), WithinAbs(lost, 0.02 * lost));
        }
    }
    INFO("a single cell has no wave");
    CHECK(jacobi_radius(1, 1, 1) == 0.0);
}

TEST_CASE("Jacobi leaves what its radius says", "[33_fast]") {
    for (const Size& size : {Size{16, 16, 1}, Size{20, 6, 1}, Size{10, 9, 8}, Size{24, 1, 1},
                             Size{6, 20, 1}, Size{3, 4, 12}}) {
        Box<double> p(size.nx, size.ny, size.nz);
        const int longest = std::max({size.nx, size.ny, size.nz});
        for_each_cell(p, [&](int i, int j, int k) {
            const int along = size.nx == longest ? i : size.ny == longest ? j : k;
            p(i, j, k) = std::cos(std::numbers::pi * (along + 0.5) / longest);
        });
        const Box<double> nothing(size.nx, size.ny, size.nz);
        const auto steps = [&](int count) {
            for (int sweep = 0; sweep < count; ++sweep) {
                jacobi(p, nothing,
                       0.5);  // keeps half of each error, and half of what a full step leaves
            }
            return std::sqrt(sum_of_products(p, p));
        };
        const double early = steps(200);
        const double factor = std::pow(steps(100) / early, 0.01);
        const double radius = jacobi_radius(size.nx, size.ny, size.nz);
        INFO(name_of(size) << ": radius " << radius << ", half a step leaves " << factor);
        CHECK(radius > 0.5);
        CHECK_THAT(1.0 - factor, WithinAbs(0.5 * (1.0 - radius), 0.02 * 0.5 * (1.0 - radius)));
    }
}

TEST_CASE("the best omega is Young's", "[33_fast]") {
    CHECK_THAT(best_omega(0.6), WithinAbs(2.0 / 1.8, 1e-15));
    CHECK_THAT(best_omega(0.0), WithinAbs(1.0, 1e-15));
    const Box<double> b = solvable({24, 24, 1}, 17);
    const double omega = best_omega(jacobi_radius(24, 24, 1));
    const auto sweeps = [&](double with) {
        Box<double> p(24, 24, 1);
        int count = 0;
        for (; true_residual(p, b) > 1e-8 && count < 2000; ++count) {
            over_relax(p, b, with);
        }
        return count;
    };
    const int best = sweeps(omega);
    INFO("omega " << omega << ": " << best << " sweeps");
    CHECK(best < 160);
    INFO("less is slower, by far, and more is slower as well");
    CHECK(sweeps(omega - 0.05) > 1.2 * best);
    CHECK(sweeps(omega + 0.05) > 1.2 * best);
    INFO("with omega = 1 it is Gauss-Seidel");
    CHECK(sweeps(1.0) > 8 * best);
}

TEST_CASE("the best omega turns N^2 sweeps into N", "[33_fast]") {
    const auto sweeps = [](Method method, int n) {
        return static_cast<double>(iterations(method, solvable({n, n, 1}, 19), 1e-4));
    };
    const double plain = sweeps(Method::GAUSS_SEIDEL, 32) / sweeps(Method::GAUSS_SEIDEL, 16);
    const double relaxed =
        sweeps(Method::OVER_RELAXATION, 64) / sweeps(Method::OVER_RELAXATION, 32);
    INFO("a box twice as wide costs Gauss-Seidel " << plain << " times as many sweeps");
    CHECK(plain > 3.0);
    CHECK(plain < 4.6);
    INFO("and over-relaxation " << relaxed << " times as many");
    CHECK(relaxed > 1.5);
    CHECK(relaxed < 2.6);
}

// ---- Conjugate gradients -----------------------------------------------------------------------

TEST_CASE("conjugate gradients step just as far as lowers the error the most", "[33_fast]") {
    const Box<double> b = four_cells();  // A b = (-24, 6, 18, 0): b b = 126, b A b = 324
    Box<double> p(2, 2, 1);
    Gradients<double> now = {b, p, p, p};
    gradient_step(p, now, [](const Box<double>& r, Box<double>& z) { z = r; });
    INFO("the first step is 126/324 of b");
    check_values(p, {-9.0 * 126.0 / 324.0, 0.0, 6.0 * 126.0 / 324.0, 3.0 * 126.0 / 324.0}, "p");
    gradient_step(p, now, [](const Box<double>& r, Box<double>& z) { z = r; });
    INFO("A has two eigenvalues that are not 0, so that two steps arrive");
    CHECK(true_residual(p, b) < 1e-14);
    const Box<double> arrived = p;
    gradient_step(p, now, [](const Box<double>& r, Box<double>& z) { z = r; });
    INFO("and where nothing is left to do nothing goes wrong");
    CHECK(distance(p, arrived) < 1e-13);
}

TEST_CASE("gradient steps converge as the condition of A allows", "[33_fast]") {
    for (const Size& size : {Size{40, 40, 1}, Size{12, 12, 12}}) {
        const int axes = size.nz > 1 ? 3 : 2;
        const double angle = std::numbers::pi / (2.0 * size.nx);
        const double least = 4.0 * std::pow(std::sin(angle), 2);
        const double most = axes * 4.0 * std::pow(std::cos(angle), 2);
        const double condition = std::sqrt(most / least);
        const double factor = (condition - 1.0) / (condition + 1.0);
        const int steps = iterations(Method::CONJUGATE_GRADIENTS,
                                     solvable({size.nx, size.ny, size.nz}, 23), 1e-9, 1000);
        INFO(name_of(size) << ": " << steps << " steps; condition " << condition * condition);
        REQUIRE(steps > 10);
        CHECK(steps <= std::log(1e-9 / (2.0 * condition)) / std::log(factor) + 1);
    }
}

// ---- Multigrid ---------------------------------------------------------------------------------

TEST_CASE("what is handed down to a coarser box adds up", "[33_fast]") {
    for (const auto& [fine, coarse] : {std::pair(Size{8, 6, 4}, Size{4, 3, 2}),
                                       {Size{7, 5, 3}, Size{4, 3, 2}},
                                       {Size{9, 1, 1}, Size{5, 1, 1}},
                                       {Size{2, 3, 1}, Size{1, 2, 1}}}) {
        const Box<double> r = bumpy(fine, 31);
        Box<double> b(coarse.nx, coarse.ny, coarse.nz);
        b.values.assign(b.values.size(), 99.0);  // what was there before must not matter
        restrict_to(r, b);
        const auto sum = [](const Box<double>& box) {
            double found = 0.0;
            for (const double value : box.values) {
                found += value;
            }
            return found;
        };
        INFO(name_of(fine) << " to " << name_of(coarse) << ": the sum over the box stays");
        CHECK_THAT(sum(b), WithinAbs(sum(r), 1e-12));
    }
    Box<double> r(4, 4, 1);
    r(2, 1, 0) = 1.0;
    r(3, 0, 0) = 0.25;
    Box<double> b(2, 2, 1);
    restrict_to(r, b);
    INFO("each coarse cell gets what its four add up to");
    check_values(b, {0.0, 1.25, 0.0, 0.0}, "b");
    Box<double> odd(5, 1, 1);
    odd.values = {1.0, 10.0, 100.0, 1000.0, 10000.0};
    Box<double> three(3, 1, 1);
    restrict_to(odd, three);
    INFO("five cells over three: the second lies to 2/3 in the first, the third within the second");
    check_values(
        three, {1.0 + 20.0 / 3.0, 10.0 / 3.0 + 100.0 + 1000.0 / 3.0, 2000.0 / 3.0 + 10000.0}, "b");
}

TEST_CASE("a correction is read straight in between the coarse centres", "[33_fast]") {
    Box<double> coarse(2, 2, 1);
    coarse.values = {0.0, 16.0, 32.0, 160.0};
    Box<double> p(4, 4, 1);
    p.values.assign(16, 1.0);
    prolong_from(coarse, p);
    INFO("9/16, 3/16, 3/16 and 1/16 of the four around; towards a wall the last value goes on");
    CHECK_THAT(p(0, 0, 0), WithinAbs(1.0, 1e-14));
    CHECK_THAT(p(3, 0, 0), WithinAbs(17.0, 1e-14));
    CHECK_THAT(p(1, 0, 0), WithinAbs(5.0, 1e-14));
    CHECK_THAT(p(1, 1, 0), WithinAbs(1.0 + 3.0 + 6.0 + 10.0, 1e-13));
    for (const Size& size : {Size{9, 7, 5}, Size{8, 6, 2}, Size{11, 1, 3}}) {
        Box<double> wide((size.nx + 1) / 2, (size.ny + 1) / 2, (size.nz + 1) / 2);
        for_each_cell(wide, [&](int i, int j, int k) {
            wide(i, j, k) =
                3.0 * (i + 0.5) / wide.nx + 5.0 * (j + 0.5) / wide.ny + 7.0 * (k + 0.5) / wide.nz;
        });
        Box<double> found(size.nx, size.ny, size.nz);
        prolong_from(wide, found);
        INFO(name_of(size) << ": a slope is met exactly away from the walls");
        const int i = size.nx / 2;
        const int j = size.ny / 2;
        const int k = size.nz / 2;
        CHECK_THAT(found(i, j, k), WithinAbs(3.0 * (i + 0.5) / size.nx + 5.0 * (j + 0.5) / size.ny +
                                                 7.0 * (k + 0.5) / size.nz,
                                             size.nz == 2 ? 2.0 : 1e-13));
    }
}

TEST_CASE("each level of a V-cycle sweeps before and after as often as asked", "[33_fast]") {
    for (const Size& size : {Size{12, 7, 1}, Size{8, 9, 5}}) {
        const Box<double> b = solvable(size, 33);
        std::vector<Level<double>> levels = make_levels<double>(size.nx, size.ny, size.nz);
        REQUIRE(levels.size() > 3);
        levels[0].b = b;
        std::vector<Level<double>> steps = levels;
        v_cycle(levels, 0, 3, 2);
        const auto sweep = [&](std::size_t l, int count) {
            for (int n = 0; n < count; ++n) {
                red_black(steps[l].p, steps[l].b, steps[l].weights);
            }
        };
        for (std::size_t l = 0; l + 1 < steps.size(); ++l) {
            sweep(l, 3);
            find_residual(steps[l].p, steps[l].b, steps[l].weights, steps[l].r);
            restrict_to(steps[l].r, steps[l + 1].b);
        }
        for (std::size_t l = steps.size() - 1; l > 0; --l) {
            prolong_from(steps[l].p, steps[l - 1].p);
            sweep(l - 1, 2);
        }
        INFO(name_of(size) << ": V(3,2), its way down and up taken step by step");
        REQUIRE(largest(steps[0].p) > 0.1);
        CHECK(distance(levels[0].p, steps[0].p) < 1e-13);
    }
}

TEST_CASE("a V-cycle leaves at most 0.15 of the residual in 2D, 0.2 in 3D", "[33_fast]") {
    const double flat = factor_per_cycle({64, 64, 1}, 2, 1, 6);
    INFO("V(2,1), 64 x 64: " << flat);
    CHECK(flat < 0.15);
    const double deep = factor_per_cycle({32, 32, 32}, 2, 1, 6);
    INFO("V(2,1), 32 x 32 x 32: " << deep);
    CHECK(deep < 0.2);
    CHECK(factor_per_cycle({64, 64, 1}, 1, 1, 6) < 0.16);
    CHECK(factor_per_cycle({32, 32, 32}, 1, 1, 6) < 0.21);
}

TEST_CASE("a V-cycle does as much for a large box as for a small one", "[33_fast]") {
    const double small = factor_per_cycle({64, 64, 1}, 2, 1, 4);
    REQUIRE(small < 0.15);
    for (const int n : {128, 256, 512, 1024}) {
        const double factor = factor_per_cycle({n, n, 1}, 2, 1, 4);
        INFO("N = " << n << ": " << factor << " a cycle, at N = 64 " << small);
        CHECK_THAT(factor, WithinAbs(small, 0.2 * small));
    }
}

TEST_CASE("a V-cycle takes boxes of any size", "[33_fast]") {
    for (const Size& size :
         {Size{65, 65, 1}, Size{63, 47, 1}, Size{100, 3, 1}, Size{129, 2, 1}, Size{1, 99, 1},
          Size{1, 1, 70}, Size{17, 23, 9}, Size{40, 40, 2}, Size{31, 1, 14}, Size{2, 2, 2}}) {
        const double factor = factor_per_cycle(size, 1, 1, 3);
        INFO(name_of(size) << ": each cycle leaves " << factor);
        CHECK(factor < 0.31);
    }
}

TEST_CASE("a preconditioner saves steps", "[33_fast]") {
    const Box<double> b = solvable({48, 48, 1}, 29);
    const int plain = iterations(Method::CONJUGATE_GRADIENTS, b, 1e-8, 1000);
    const int relaxed = iterations(Method::RELAXED_GRADIENTS, b, 1e-8, 1000);
    const int cycles = iterations(Method::MULTIGRID, b, 1e-8, 100);
    const int guessed = iterations(Method::MULTIGRID_GRADIENTS, b, 1e-8, 100);
    INFO(plain << " steps alone, " << relaxed << " with over-relaxation there and back, " << guessed
               << " with a V-cycle, which alone takes " << cycles);
    CHECK(2 * relaxed < plain);
    CHECK(guessed < cycles);
}

// ---- Cosines -----------------------------------------------------------------------------------

TEST_CASE("the cosine transform finds the cosines in a line", "[33_fast]") {
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

TEST_CASE("cosines solve to rounding, at any size", "[33_fast]") {
    for (const Size& size : {Size{64, 64, 1}, Size{65, 33, 1}, Size{1, 50, 1}, Size{12, 10, 9},
                             Size{16, 16, 16}, Size{2, 1, 1}, Size{31, 3, 2}}) {
        const Box<double> b = solvable(size, 37);
        Box<double> p(size.nx, size.ny, size.nz);
        solve_by_cosines(p, b);
        INFO(name_of(size));
        CHECK(true_residual(p, b) < 1e-13 * (1.0 + size.nx + size.ny + size.nz));
        double sum = 0.0;
        for (const double value : p.values) {
            sum += value;
        }
        CHECK_THAT(sum, WithinAbs(0.0, 1e-10));
    }
}

// ---- The race ----------------------------------------------------------------------------------

TEST_CASE("all solvers agree with the direct one", "[33_fast]") {
    for (const Size& size : {Size{12, 10, 1}, Size{9, 7, 1}, Size{6, 5, 4}, Size{5, 3, 7},
                             Size{20, 2, 1}, Size{1, 13, 1}, Size{1, 1, 8}, Size{2, 2, 1}}) {
        const Box<double> b = solvable(size, 41);
        const Box<double> exact = exact_pressure(b);
        REQUIRE(largest(exact) > 0.1);
        for (const auto& [method, name] : all_methods) {
            Attempt<double> attempt = solve<double>(method, b, 1e-10, 6000);
            take_out_average(attempt.p);
            INFO(name << ", " << name_of(size) << ": " << attempt.residuals.size() - 1
                      << " iterations, residual " << attempt.residuals.back()
                      << (method == Method::MULTIGRID_GRADIENTS
                              ? " (is the old direction's factor one for any guess?)"
                              : ""));
            REQUIRE(attempt.residuals.front() == 1.0);
            REQUIRE(attempt.residuals.back() <= 1e-10);
            CHECK(distance(attempt.p, exact) < 1e-8);
            CHECK(attempt.imbalance < 1e-12);
            CHECK(attempt.work.size() == attempt.residuals.size());
            CHECK(attempt.work.back() > 0.0);
        }
    }
}

TEST_CASE("what a solver says of its residual is true", "[33_fast]") {
    const Size size = {10, 8, 3};
    const Box<double> b = solvable(size, 43);
    Fluid fluid(size.nx, size.ny, size.nz);
    Field right = fluid.pressure;
    right.values = b.values;
    for (const auto& [method, name] : all_methods) {
        for (const double tolerance : {1e-2, 1e-5}) {
            const Attempt<double> attempt = solve<double>(method, b, tolerance, 2000);
            Field p = fluid.pressure;
            p.values = attempt.p.values;
            INFO(name << ": measured with 11_mac's matrix");
            REQUIRE(attempt.residuals.back() <= tolerance);
            CHECK_THAT(residual(fluid.solid, p, right) / std::sqrt(dot(right, right)),
                       WithinAbs(attempt.residuals.back(), 1e-6 * tolerance + 1e-13));
            INFO("and it stops at the first that is small enough");
            REQUIRE(attempt.residuals.size() >= 2);
            CHECK(attempt.residuals[attempt.residuals.size() - 2] > tolerance);
        }
    }
}

TEST_CASE("a right-hand side that has no solution is reported by each solver", "[33_fast]") {
    const Box<double> good = solvable({8, 6, 1}, 47);
    Box<double> b = good;
    for (double& value : b.values) {
        value += 0.5;  // as if every cell were filled from outside
    }
    const Box<double> exact = exact_pressure(good);
    for (const auto& [method, name] : all_methods) {
        Attempt<double> attempt = solve<double>(method, b, 1e-9, 3000);
        INFO(name << ": nothing can flow out of a closed box, so b must add up to 0");
        CHECK(attempt.imbalance > 0.1);
        INFO("and what can be solved is");
        REQUIRE(attempt.residuals.back() <= 1e-9);
        take_out_average(attempt.p);
        CHECK(distance(attempt.p, exact) < 1e-7);
    }
}

TEST_CASE("where there is nothing to do nothing is done", "[33_fast]") {
    for (const auto& [method, name] : all_methods) {
        INFO(name);
        CHECK(iterations(method, solvable({3, 2, 1}, 53), 1e-6, 500) > 0);  // it can do something
        const Attempt<double> rest = solve<double>(method, Box<double>(5, 4, 3), 1e-9, 10);
        CHECK(rest.residuals == std::vector<double>{0.0});
        CHECK(largest(rest.p) == 0.0);
        Box<double> one(1, 1, 1);
        one(0, 0, 0) = 3.0;
        INFO("a single cell has no neighbours and no equation: it can only report");
        Attempt<double> single = solve<double>(method, one, 1e-9, 10);
        CHECK(single.imbalance == 1.0);
        CHECK(single.p(0, 0, 0) == 0.0);
        advance(single);
        CHECK(single.p(0, 0, 0) == 0.0);
    }
}

TEST_CASE("with the axes exchanged each solver answers in exchange", "[33_fast]") {
    const Box<double> b = solvable({7, 4, 6}, 59);
    Box<double> turned_b(6, 7, 4);  // x -> y -> z -> x
    for_each_cell(b, [&](int i, int j, int k) { turned_b(k, i, j) = b(i, j, k); });
    for (const auto& [method, name] : all_methods) {
        Attempt<double> straight = solve<double>(method, b, 1e-11, 3000);
        Attempt<double> turned = solve<double>(method, turned_b, 1e-11, 3000);
        INFO(name);
        REQUIRE(straight.residuals.back() <= 1e-11);
        REQUIRE(turned.residuals.back() <= 1e-11);
        take_out_average(straight.p);
        take_out_average(turned.p);
        double worst = 0.0;
        for_each_cell(b, [&](int i, int j, int k) {
            worst = larger(worst, std::abs(straight.p(i, j, k) - turned.p(k, i, j)));
        });
        CHECK(worst < 1e-9);
    }
}

// ---- Float -------------------------------------------------------------------------------------

TEST_CASE("float alone stalls, the earlier the larger the box", "[33_fast]") {
    std::vector<double> floors;
    for (const int n : {64, 128, 256}) {
        floors.push_back(solve<float>(Method::MULTIGRID, smooth(n), 0.0, 12).residuals.back());
    }
    INFO("smallest residuals at N = 64, 128, 256: " << floors[0] << ", " << floors[1] << ", "
                                                    << floors[2]);
    CHECK(floors[0] > 2e-6);
    CHECK(floors[0] < 1e-4);
    INFO("twice the width, four times the pressure, and its last digit with it");
    CHECK(floors[1] / floors[0] > 2.5);
    CHECK(floors[1] / floors[0] < 6.0);
    CHECK(floors[2] / floors[1] > 2.5);
    CHECK(floors[2] / floors[1] < 6.0);
}

TEST_CASE("float cycles inside a double loop go on where float stops", "[33_fast]") {
    const Box<double> b = smooth(128);
    const Attempt<double> refined = solve<double>(Method::REFINED, b, 1e-11, 30);
    const Attempt<double> all_double = solve<double>(Method::MULTIGRID, b, 1e-11, 30);
    INFO("residual " << refined.residuals.back() << " after " << refined.residuals.size() - 1
                     << " cycles in float, " << all_double.residuals.size() - 1 << " in double");
    CHECK(refined.residuals.back() <= 1e-11);
    CHECK(refined.residuals.size() <= all_double.residuals.size() + 2);
}

// ---- 11_mac's box --------------------------------------------------------------------------

TEST_CASE("the pinwheel by multigrid", "[33_fast]") {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 0.9;
    fluid.tolerance = 1e-13;
    project_by_multigrid(fluid, 0.1);
    CHECK_THAT(fluid.v(0, 1, 0), WithinAbs(0.225, 1e-12));
    CHECK_THAT(fluid.u(1, 0, 0), WithinAbs(-0.225, 1e-12));
    CHECK_THAT(fluid.pressure(0, 1, 0) - fluid.pressure(0, 0, 0), WithinAbs(6.75, 1e-11));
}

TEST_CASE("multigrid projects as the direct solver does", "[33_fast]") {
    for (const Size& size : {Size{24, 17, 1}, Size{7, 6, 5}}) {
        Fluid direct = bumpy_fluid(size, 61);
        direct.u(0, 2, 0) = 3.0;  // through a wall: set_bnd must see to it
        Fluid cycles = direct;
        cycles.tolerance = 1e-12;
        cycles.solved.imbalance = 99.0;  // of an earlier step
        project(direct, 0.1);
        project_by_multigrid(cycles, 0.1);
        {
            INFO("fluid.solved has a residual for each of the cycles that fluid.tolerance takes");
            REQUIRE(cycles.solved.residuals.size() > 5);
        }
        {
            INFO("and its imbalance, 0 in a closed box: are the walls set before all else?");
            CHECK_THAT(cycles.solved.imbalance, WithinAbs(0.0, 1e-12));
        }
        double worst = 0.0;
        for (std::size_t face = 0; face < direct.u.values.size(); ++face) {
            worst = larger(worst, std::abs(direct.u.values[face] - cycles.u.values[face]));
        }
        INFO(name_of(size) << ", residual " << cycles.solved.residuals.back());
        CHECK(worst < 1e-9);
    }
}

TEST_CASE("four cycles leave less divergence than twenty sweeps, by far", "[33_fast]") {
    Fluid fluid(256, 256, 1);  // one long wave, which sweeps hardly touch
    for (int j = 0; j < 256; ++j) {
        for (int i = 1; i < 256; ++i) {
            fluid.u(i, j, 0) = std::sin(std::numbers::pi * i / 256);
        }
    }
    Fluid swept = fluid;
    swept.solver = Solver::GAUSS_SEIDEL;
    swept.iterations = 20;
    project(swept, 0.1);
    fluid.iterations = 4;
    fluid.tolerance = 0.0;
    project_by_multigrid(fluid, 0.1);
    REQUIRE(fluid.solved.residuals.size() == 5);
    INFO("twenty sweeps leave " << swept.solved.residuals.back() << " of it, four cycles "
                                << fluid.solved.residuals.back());
    CHECK(swept.solved.residuals.back() > 0.5);
    CHECK(fluid.solved.residuals.back() < 1e-3);
}

// ---- The fast versions -------------------------------------------------------------------------

namespace {

/// Sizes of all kinds for the fast versions: even and odd sides, flat, thin, deep, larger than a
/// thread's part.
const std::vector<Size> many_sizes = {{64, 200, 1}, {34, 36, 1}, {33, 41, 1}, {7, 2, 1},
                                      {1, 9, 1},    {9, 1, 1},   {2, 2, 1},   {32, 16, 48},
                                      {6, 4, 2},    {9, 8, 7},   {1, 1, 12},  {3, 1, 5}};

template <class Number>
std::vector<Number> as_floats(const fast::Box& box) {
    std::vector<Number> values(static_cast<std::size_t>(box.nx * box.ny * box.nz));
    fast::copy_to(box, values.data());
    return values;
}

double distance_of(const std::vector<float>& a, const Box<double>& b) {
    Box<float> box(b.nx, b.ny, b.nz);
    box.values = a;
    return distance(box, b);
}

}  // namespace

TEST_CASE("fast sweeps do what readable ones do", "[33_fast]") {
    for (const Size& size : many_sizes) {
        for (const int sweeps : {1, 3, 7}) {
            const Box<double> b = solvable(size, 67);
            Box<double> p = bumpy(size, 68);
            fast::Box fast_b(size.nx, size.ny, size.nz);
            fast::Box fast_p = fast_b;
            fast::copy_from(fast_b, b.values.data());
            fast::copy_from(fast_p, p.values.data());
            parallel::ThreadPool pool(1);
            fast::red_black(pool, fast_p, fast_b, sweeps, {1.0f, 0.5f, 2.0f});
            const Box<double> before = p;
            for (int sweep = 0; sweep < sweeps; ++sweep) {
                red_black(p, b, {1.0, 0.5, 2.0});
            }
            INFO(name_of(size) << ", " << sweeps << " sweeps in one pass");
            REQUIRE(distance(p, before) > 0.1);
            CHECK(distance_of(as_floats<float>(fast_p), p) < 1e-5);
        }
    }
}

TEST_CASE("a fast V-cycle does what a readable one does", "[33_fast]") {
    for (const Size& size : many_sizes) {
        const Box<double> b = solvable(size, 71);
        std::vector<Level<double>> levels = make_levels<double>(size.nx, size.ny, size.nz);
        levels[0].b = b;
        fast::Solver solver(size.nx, size.ny, size.nz, 2);
        fast::copy_from(solver.grid.levels[0].b, b.values.data());
        for (int cycle = 0; cycle < 3; ++cycle) {
            v_cycle(levels, 0, 1, 1);
            fast::v_cycle(solver);
            INFO(name_of(size) << ", cycle " << cycle);
            REQUIRE(largest(levels[0].p) > 0.1);
            Box<double> found(size.nx, size.ny, size.nz);
            fast::copy_to(solver.grid.levels[0].p, found.values.data());
            take_out_average(found);  // what rounding adds to all cells alike, A cannot see
            Box<double> expected = levels[0].p;
            take_out_average(expected);
            CHECK(distance(found, expected) < 2e-5 * largest(levels[0].p));
        }
    }
}

TEST_CASE("the fast multigrid solves what cosines solve", "[33_fast]") {
    for (const Size& size : many_sizes) {
        const Box<double> b = bumpy(size, 73);  // its average is not 0
        Box<double> good = b;
        const double imbalance = take_out_average(good);
        Box<double> exact = good;
        solve_by_cosines(exact, good);
        fast::Solver solver(size.nx, size.ny, size.nz, 2);
        Box<double> p(size.nx, size.ny, size.nz);
        p.values.assign(p.values.size(), 99.0);  // what p was before must not matter
        const std::vector<double> residuals =
            fast::solve(solver, p.values.data(), b.values.data(), 1e-11);
        INFO(name_of(size) << ": residual " << residuals.back());
        CHECK(residuals.back() <= 1e-11);
        CHECK_THAT(true_residual(p, good), WithinAbs(residuals.back(), 1e-13));
        CHECK_THAT(solver.imbalance, WithinAbs(imbalance, 1e-12));
        take_out_average(p);
        CHECK(largest(exact) > 0.1);
        CHECK(distance(p, exact) < 1e-8);
    }
}

TEST_CASE("in float the fast multigrid is as exact as float can be", "[33_fast]") {
    const Box<double> b = smooth(128);
    Box<double> exact = b;
    solve_by_cosines(exact, b);
    const Box<float> float_b = converted<float>(b);
    Box<float> p(128, 128, 1);
    fast::Solver solver(128, 128, 1, 1);
    const std::vector<double> residuals =
        fast::solve(solver, p.values.data(), float_b.values.data(), 1e-12);
    INFO("p stored in float: residual " << residuals.back() << ", true "
                                        << true_residual(p, converted<double>(float_b)));
    CHECK(residuals.back() > 1e-6);
    CHECK(residuals.back() < 2e-4);
    CHECK_THAT(true_residual(p, b), WithinAbs(residuals.back(), 0.05 * residuals.back()));
    Box<double> centred = converted<double>(p);
    take_out_average(centred);
    CHECK(distance(centred, exact) < 1e-5 * largest(exact));
}

TEST_CASE("threads do not change the bytes", "[33_fast]") {
    for (const Size& size : {Size{96, 400, 1}, Size{65, 130, 1}, Size{32, 24, 64}}) {
        const Box<double> b = solvable(size, 79);
        Box<double> alone(size.nx, size.ny, size.nz);
        fast::Box b_in_colours(size.nx, size.ny, size.nz);
        fast::copy_from(b_in_colours, b.values.data());
        std::vector<float> swept;
        for (const int threads : {1, 2, 3, 5}) {
            fast::Solver solver(size.nx, size.ny, size.nz, threads);
            Box<double> p(size.nx, size.ny, size.nz);
            const std::vector<double> residuals =
                fast::solve(solver, p.values.data(), b.values.data(), 1e-9);
            fast::Box q(size.nx, size.ny, size.nz);
            fast::red_black(solver.pool, q, b_in_colours, 5);
            if (threads == 1) {
                alone = p;
                swept = as_floats<float>(q);
                Box<double> exact(size.nx, size.ny, size.nz);
                solve_by_cosines(exact, b);
                Box<double> centred = p;
                take_out_average(centred);
                REQUIRE(residuals.back() <= 1e-9);
                REQUIRE(largest(exact) > 0.1);
                REQUIRE(distance(centred, exact) < 1e-6);
            }
            INFO(name_of(size) << " with " << threads << " threads");
            CHECK((p.values == alone.values));
            CHECK((as_floats<float>(q) == swept));
        }
    }
}

TEST_CASE("the fast multigrid is not slowed down by size", "[33_fast]") {
    std::vector<double> work;
    for (const int n : {64, 256, 1024}) {
        const Box<double> b = solvable({n, n, 1}, 83);
        Box<double> p(n, n, 1);
        fast::Solver solver(n, n, 1, 1);
        const std::vector<double> residuals =
            fast::solve(solver, p.values.data(), b.values.data(), 1e-4);
        REQUIRE(residuals.back() <= 1e-4);
        work.push_back(solver.work);
        if (n == 64) {
            INFO("as few as the readable one needs");
            const Attempt<double> readable = solve<double>(Method::MULTIGRID, b, 1e-4, 20);
            REQUIRE(readable.residuals.back() <= 1e-4);
            CHECK(solver.work <= readable.work.back() + 4.0);
        }
    }
    INFO("sweeps for four decades: " << work[0] << ", " << work[1] << ", " << work[2]);
    CHECK(work[0] < 25.0);
    CHECK(work[2] < 1.1 * work[0]);
}

TEST_CASE("a fast step does what a step of 11_mac does", "[33_fast]") {
    Fluid fluid = bumpy_fluid({48, 70, 1}, 89);
    const Box<double> dye = bumpy({48, 70, 1}, 90);
    fluid.density.values = dye.values;
    fluid.tolerance = 1e-9;
    for (const int threads : {1, 3}) {
        Fluid slow = fluid;
        fast::Flow flow(48, 70, threads);
        flow.tolerance = 1e-6f;
        flow.u.assign(fluid.u.values.begin(), fluid.u.values.end());
        flow.v.assign(fluid.v.values.begin(), fluid.v.values.end());
        flow.density.assign(fluid.density.values.begin(), fluid.density.values.end());
        for (int count = 0; count < 3; ++count) {
            advect_velocity(slow, 0.7);
            project_by_multigrid(slow, 0.7);
            advect_density(slow, 0.7);
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
