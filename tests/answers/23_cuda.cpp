// The worked answers of 23_cuda's exercises.
#include <utility>

#include "catch.hpp"
#include "solver.hpp"

/// Jacobi's way to let all cells go at once: each is worked out from the sweep before, in another
/// field. No colours, and nothing to wait for but the end of the sweep.
inline void lin_solve_jacobi(BoundaryType boundary, Field& x, const Field& x0, float a, float c,
                             int iterations, int threads = 1) {
    const float c_recip = 1.0f / c;
    Field before(x.N);
    for (int sweep = 0; sweep < iterations; ++sweep) {
        std::swap(x, before);
        share_out(threads, 1, x.N - 2, [&](int k) {
            for (int j = 1; j < x.N - 1; ++j) {
                for (int i = 1; i < x.N - 1; ++i) {
                    const float neighbours = before(i, j, k - 1) + before(i, j, k + 1) +
                                             before(i, j - 1, k) + before(i, j + 1, k) +
                                             before(i + 1, j, k) + before(i - 1, j, k);
                    set_cell(boundary, x, i, j, k, relaxed(x0(i, j, k), neighbours, a, c_recip));
                }
            }
        });
    }
}

/// Over-relaxation: each cell goes `omega` times as far as its equation asks, 1 <= omega < 2.
/// Beside relax_cell that is one line more, and threads and colours stay as they are.
inline void over_relax_cell(BoundaryType boundary, FieldView x, ConstFieldView x0, float a,
                            float c_recip, float omega, int i, int j, int k) {
    const float old = x(i, j, k);
    relax_cell(boundary, x, x0, a, c_recip, i, j, k);
    set_cell(boundary, x, i, j, k, old + omega * (x(i, j, k) - old));
}

namespace {

Field drop(int N) {
    Field x0(N);
    set_cell(BoundaryType::SCALAR, x0, N / 2, N / 2, N / 2, 1.0f);
    return x0;
}

}  // namespace

TEST_CASE("Jacobi needs twice the sweeps of red and black, and no colours") {
    const Field x0 = drop(18);
    const auto left = [&](auto solve, int sweeps) {
        Field x(18);
        solve(BoundaryType::SCALAR, x, x0, 1.0f, 6.1f, sweeps, 2);
        return residual(x, x0, 1.0f, 6.1f);
    };
    const float by_colours = left(lin_solve, 20);
    INFO("20 sweeps of red and black leave " << by_colours << ", 20 of Jacobi "
                                             << left(lin_solve_jacobi, 20) << ", 40 of them "
                                             << left(lin_solve_jacobi, 40));
    CHECK(left(lin_solve_jacobi, 20) > 1.5f * by_colours);
    CHECK(left(lin_solve_jacobi, 44) < by_colours);
}

TEST_CASE("going farther than asked gets there sooner") {
    const int N = 18;
    const Field x0 = drop(N);
    const auto left = [&](float omega) {
        Field x(N);
        for (int sweep = 0; sweep < 20; ++sweep) {
            for (const int colour : {0, 1}) {
                for (int k = 1; k < N - 1; ++k) {
                    for (int j = 1; j < N - 1; ++j) {
                        for (int i = 1 + (1 + j + k + colour) % 2; i < N - 1; i += 2) {
                            over_relax_cell(BoundaryType::SCALAR, x, x0, 1.0f, 1.0f / 6.1f, omega,
                                            i, j, k);
                        }
                    }
                }
            }
        }
        return residual(x, x0, 1.0f, 6.1f);
    };
    INFO("after 20 sweeps: omega 1 leaves " << left(1.0f) << ", 1.5 leaves " << left(1.5f));
    CHECK(left(1.5f) < 0.2f * left(1.0f));
}
