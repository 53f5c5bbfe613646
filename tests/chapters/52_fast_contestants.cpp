// The race's contestants that are given: cosines, the library, and iterative refinement with the
// library inside, against the solvers that readers write.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "52_fast/solver.hpp"

#include "52_fast/contestants.hpp"
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

/// A of a closed box.
Matrix matrix_of(const Size& size) {
    return pressure_matrix(Fluid(size.nx, size.ny, size.nz));
}

/// The pressure with the mean 0, by Eigen's direct solver.
Field exact_pressure(const Matrix& A, const Field& rhs) {
    Field p = rhs;
    solve_direct(*factorize(A), p, rhs);
    subtract_mean(p);
    return p;
}

Field without_mean(Field field) {
    subtract_mean(field);
    return field;
}

}  // namespace

TEST_CASE("threads are started once, and again only where another number is asked for") {
    const parallel::ThreadPool* const three = &thread_pool(3);
    CHECK(three->threads() == 3);
    CHECK(&thread_pool(3) == three);
    CHECK(thread_pool(2).threads() == 2);
}

TEST_CASE("the cosine transform finds the cosines in a line") {
    Eigen::FFT<double> fft;
    for (const int n : {2, 3, 4, 7, 12, 13, 16}) {
        std::vector<double> line(n);
        for (int i = 0; i < n; ++i) {
            line[i] = 5.0 + 2.0 * std::cos(std::numbers::pi * (n - 1) * (i + 0.5) / n);
        }
        const std::vector<double> before = line;
        cosine_transform(fft, line);
        INFO("n = " << n << ": a constant 5 and twice the shortest cosine");
        CHECK_THAT(line[0], WithinAbs(5.0 * n, 1e-12));
        CHECK_THAT(line[n - 1], WithinAbs(2.0 * 0.5 * n, 1e-12));
        for (int k = 1; k < n - 1; ++k) {
            CHECK_THAT(line[k], WithinAbs(0.0, 1e-12));
        }
        transform_back(fft, line);
        INFO("and back again");
        for (int i = 0; i < n; ++i) {
            CHECK_THAT(line[i], WithinAbs(before[i], 1e-13));
        }
    }
}

TEST_CASE("cosines find the direct solver's pressure, at any size") {
    for (const Size& size : many_sizes) {
        const Matrix A = matrix_of(size);
        const Field rhs = compatible(size, 37);
        Field p = zeros(size);
        solve_by_cosines(p, rhs);
        INFO(name_of(size));
        CHECK(residual(A, p, rhs) < 1e-13 * (1.0 + size.nx + size.ny + size.nz));
        CHECK(distance(p, exact_pressure(A, rhs)) < 1e-9);
        CHECK(largest(p) > 0.1);
    }
}

TEST_CASE("iterative refinement goes on where float stops") {
    for (const Size& size : many_sizes) {
        const Matrix A = matrix_of(size);
        const Field rhs = compatible(size, 41);
        LibrarySolver solver(rhs, 0.0, 2, 2);
        Field p = zeros(size);
        double before = 1.0;
        for (int count = 0; count < 12; ++count) {
            refine(A, solver, p, rhs);
            const double after = residual(A, p, rhs);
            INFO(name_of(size) << ", iteration " << count);
            CHECK(after < std::max(0.25 * before, 1e-12));
            before = after;
        }
        CHECK(before < 1e-11);
        CHECK(distance(without_mean(p), exact_pressure(A, rhs)) < 1e-8);
    }
    Field p = zeros({6, 4, 1});
    LibrarySolver solver(p, 0.0, 2, 1);
    refine(matrix_of({6, 4, 1}), solver, p, zeros({6, 4, 1}));
    INFO("where there is nothing to do nothing is done");
    CHECK(largest(p) == 0.0);
}

TEST_CASE("each V-cycle of the library leaves a fifth of the residual at most") {
    for (const Size& size : {Size{64, 32, 1}, Size{16, 8, 4}, Size{8, 64, 16}}) {
        const Matrix A = matrix_of(size);
        const Field rhs = compatible(size, 71);
        double before = 1.0;
        for (int cycles = 1; cycles <= 3; ++cycles) {
            LibrarySolver solver(rhs, 0.0, cycles, 2);
            Field found = zeros(size);
            solver.solve(found, rhs);
            const double after = residual(A, found, rhs);
            INFO(name_of(size) << ", cycle " << cycles << ": leaves " << after / before);
            CHECK(after < 0.2 * before);
            CHECK(after > 0.001 * before);  // one cycle more, and no other
            CHECK(solver.cycles() == cycles);
            before = after;
        }
    }
}

TEST_CASE("the library solves what cosines solve") {
    for (const Size& size : many_sizes) {
        const Matrix A = matrix_of(size);
        Field rhs = compatible(size, 73);
        const Field good = rhs;
        for (double& value : rhs.values) {
            value += 0.01;  // no solution has this mean: it is left out
        }
        Field exact = zeros(size);
        solve_by_cosines(exact, good);
        LibrarySolver solver(rhs, 1e-12, 50, 2);
        Field p = zeros(size);
        p.values.assign(p.values.size(), 99.0);  // what p was before must not matter
        solver.solve(p, rhs);
        INFO(name_of(size) << ": residual " << residual(A, p, good));
        CHECK(residual(A, p, good) < 1e-5);
        CHECK(largest(exact) > 0.1);
        CHECK(distance(without_mean(p), exact) < 1e-5 * largest(exact));
    }
}

TEST_CASE("the library solves a second time as it did the first, at any scale") {
    for (const Size& size : {Size{64, 24, 1}, Size{7, 5, 30}}) {
        const Field rhs = compatible(size, 79);
        LibrarySolver solver(rhs, 0.0, 3, 1);
        Field first = zeros(size);
        solver.solve(first, rhs);
        solver.solve(first, rhs);
        LibrarySolver other(rhs, 0.0, 3, 3);
        for (const double scale : {1.0, std::ldexp(1.0, -500), std::ldexp(1.0, 500)}) {
            Field scaled = rhs;
            for (double& value : scaled.values) {
                value *= scale;
            }
            Field p = zeros(size);
            other.solve(p, scaled);
            for (double& value : p.values) {
                value /= scale;
            }
            INFO(name_of(size) << " times " << scale);
            REQUIRE(largest(first) > 0.1);
            CHECK((p.values == first.values));
        }
    }
}

TEST_CASE("where there is nothing to solve for the library finds nothing") {
    const Size size = {12, 10, 3};
    LibrarySolver solver(zeros(size), 1e-6, 50, 1);
    for (const double value : {0.0, std::nan(""), HUGE_VAL}) {
        Field rhs = compatible(size, 83);
        rhs.values[0] = value;
        if (value == 0.0) {
            rhs = zeros(size);
        }
        Field p = compatible(size, 84);
        solver.solve(p, rhs);
        CHECK(largest(p) == 0.0);
    }
}
