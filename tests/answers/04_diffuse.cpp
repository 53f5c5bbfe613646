// The worked answers of 04_diffuse's exercises.
#include "catch.hpp"
#include "chapter.hpp"

/// Spreads x0 into x by the explicit step: stable only as long as a <= 1/4.
inline void diffuse_explicitly(Field& x, const Field& x0, float a) {
    const int N = x.N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float neighbours = x0(i - 1, j) + x0(i + 1, j) + x0(i, j - 1) + x0(i, j + 1);
            x(i, j) = x0(i, j) + a * (neighbours - 4.0f * x0(i, j));
        }
    }
}

/// One sweep of Jacobi's relaxation: all neighbours are those of the sweep before.
inline void jacobi_sweep(Field& x, const Field& x0, float a, float c) {
    const int N = x.N;
    const Field before = x;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float neighbours =
                before(i - 1, j) + before(i + 1, j) + before(i, j - 1) + before(i, j + 1);
            x(i, j) = (x0(i, j) + a * neighbours) / c;
        }
    }
}

TEST_CASE("the explicit step multiplies a checkerboard by 1 - 8 a") {
    for (const float a : {0.25f, 0.5f}) {
        Field x0(6);
        for (int j = 0; j <= 7; ++j) {
            for (int i = 0; i <= 7; ++i) {
                x0(i, j) = (i + j) % 2 == 0 ? 1.0f : -1.0f;
            }
        }
        Field x(6);
        diffuse_explicitly(x, x0, a);
        CHECK_THAT(x(2, 4), WithinAbs(1.0 - 8.0 * a, 1e-6));
        CHECK_THAT(x(3, 4), WithinAbs(8.0 * a - 1.0, 1e-6));
    }
}

TEST_CASE("Jacobi needs more than twice the sweeps of Gauss-Seidel") {
    const Field x0 = bumpy(16, 1);
    const float a = 5.0f;
    const float c = 1.0f + 4.0f * a;
    const auto sweeps = [&](auto sweep) {
        Field x(16);
        int count = 0;
        for (; residual(x, x0, a, c) > 1e-4f && count < 10000; ++count) {
            sweep(x);
        }
        return count;
    };
    const int jacobi = sweeps([&](Field& x) { jacobi_sweep(x, x0, a, c); });
    const int gauss_seidel = sweeps([&](Field& x) { call_lin_solve(x, x0, a, c, 1); });
    INFO(jacobi << " and " << gauss_seidel);
    CHECK(jacobi > 2 * gauss_seidel);
    CHECK(jacobi < 3 * gauss_seidel);
}
