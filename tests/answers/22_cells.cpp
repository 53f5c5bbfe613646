// The worked answers of 22_cells's exercises.
#include <cmath>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"

/// Jacobi's sweep lets all cells go at once: each is worked out from the sweep before, in another
/// field. It needs no colours, and waits only for the end of the sweep.
inline void lin_solve_jacobi(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                             int iterations) {
    const float c_recip = 1.0f / c;
    Field before(x.N);
    for (int sweep = 0; sweep < iterations; ++sweep) {
        std::swap(x, before);
        for_all_cells(x.N, [&](int i, int j, int k) {
            x(i, j, k) = (x0(i, j, k) + a * neighbours_at(before, i, j, k)) * c_recip;
        });
        set_bnd(boundary, x);
    }
}

/// Returns the sum over the fluid cells, the same to the last bit whatever the number of threads:
/// each layer has a sum of its own, and these are added up in order.
inline double sum_of_layers(const Field& x) {
    std::vector<double> sums(x.N, 0.0);
    for_all_cells(x.N, [&](int i, int j, int k) { sums[k] += x(i, j, k); });
    double sum = 0.0;
    for (const double of_layer : sums) {
        sum += of_layer;
    }
    return sum;
}

namespace {

Field drop(int N) {
    Field x0(N);
    x0(N / 2, N / 2, N / 2) = 1.0f;
    set_bnd(BoundaryType::SCALAR, x0);
    return x0;
}

}  // namespace

TEST_CASE("Jacobi needs twice the sweeps of red and black, and no colours") {
    const Field x0 = drop(18);
    const auto left = [&](auto solve, int sweeps) {
        Field x(18);
        solve(BoundaryType::SCALAR, x, x0, 1.0f, 6.1f, sweeps);
        return residual(x, x0, 1.0f, 6.1f);
    };
    const float by_colours = left(lin_solve, 20);
    INFO("20 sweeps of red and black leave " << by_colours << ", 20 of Jacobi "
                                             << left(lin_solve_jacobi, 20) << ", 44 of them "
                                             << left(lin_solve_jacobi, 44));
    CHECK(left(lin_solve_jacobi, 20) > 1.5f * by_colours);
    CHECK(left(lin_solve_jacobi, 44) < by_colours);
    thread_pool(3);
    CHECK(left(lin_solve, 20) == by_colours);
    thread_pool(1);
}

TEST_CASE("a sum by many threads is that of one, to the last bit") {
    Field x(12);
    for_each_cell(12, [&](int i, int j, int k) {
        x(i, j, k) = std::sin(static_cast<float>(i + 12 * j + 144 * k));
    });
    const double one = sum_of_layers(x);
    CHECK(std::abs(one) > 1e-3);
    for (const int threads : {2, 3, 7}) {
        thread_pool(threads);
        CHECK(sum_of_layers(x) == one);
    }
    thread_pool(1);
}

TEST_CASE("half of the cells are red") {
    int red = 0;
    for_each_cell(18, [&](int i, int j, int k) { red += colour_of(i, j, k) == Colour::RED; });
    CHECK(red == 16 * 16 * 16 / 2);
    red = 0;
    for_each_cell(5, [&](int i, int j, int k) { red += colour_of(i, j, k) == Colour::RED; });
    CHECK(red == 13);
}
