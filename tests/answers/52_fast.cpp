// The worked answers of 52_fast's exercises.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"

/// Does so many red-black sweeps of over-relaxation in one pass over the memory. Each cell changes
/// by `omega` times the change that its equation asks for.
inline void fused_over_relax(Field& p, const Field& rhs, double omega, int sweeps,
                             parallel::ThreadPool& pool) {
    const std::vector<double> wall(p.nx, 0.0);
    const bool flat = p.nz == 1;
    parallel_wavefront(pool, flat ? p.ny : p.nz, 2 * sweeps, [&](int stage, int unit) {
        const int rows = flat ? 1 : p.ny;
        for (int row = 0; row < rows; ++row) {
            const int j = flat ? unit : row;
            const int k = flat ? 0 : unit;
            double* const values = p.values.data() + p.IX(0, j, k);
            const std::vector<double> before(values, values + p.nx);
            relax_row(p, rhs, wall.data(), stage % 2, j, k);
            for (int i = 0; i < p.nx; ++i) {  // cells of the other colour have not moved
                values[i] = before[i] + omega * (values[i] - before[i]);
            }
        }
    });
}

/// A red-black sweep back, in one pass over the memory: the black cells first. It makes the cycle
/// symmetric.
inline void fused_sweep_back(Field& p, const Field& rhs, parallel::ThreadPool& pool) {
    const std::vector<double> wall(p.nx, 0.0);
    const bool flat = p.nz == 1;
    parallel_wavefront(pool, flat ? p.ny : p.nz, 2, [&](int stage, int unit) {
        const int rows = flat ? 1 : p.ny;
        for (int row = 0; row < rows; ++row) {
            relax_row(p, rhs, wall.data(), 1 - stage, flat ? unit : row, flat ? 0 : unit);
        }
    });
}

/// A cycle as multigrid_cycle, whose sweeps on the finest grid are red-black, read no matrix, and
/// go through memory once, in threads.
inline void fused_cycle(std::vector<Level>& levels, Field& x, const Field& b,
                        parallel::ThreadPool& pool) {
    std::fill(x.values.begin(), x.values.end(), 0.0);
    fused_sweeps(x, b, 1, pool);
    if (levels.size() > 1) {
        restrict_residual(levels[0], x, b, levels[1].b);
        multigrid_cycle(levels, 1, levels[1].x, levels[1].b);
        prolong(levels[0], x, levels[1].x);
    }
    fused_sweep_back(x, b, pool);
}

namespace {

/// Numbers without any pattern, with the mean 0.
Field bumpy(int nx, int ny, int nz) {
    Field rhs(nx, ny, nz, {0.5, 0.5, 0.5});
    std::uint32_t seed = 11;
    for (double& value : rhs.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    subtract_mean(rhs);
    return rhs;
}

/// A of a closed box of the size of a field.
Matrix matrix_of(const Field& field) {
    return pressure_matrix(Fluid(field.nx, field.ny, field.nz));
}

/// How many passes of eight sweeps bring the residual down to 1e-6.
int passes(double omega, int threads) {
    const Field rhs = bumpy(64, 64, 1);
    const Matrix A = matrix_of(rhs);
    Field p(64, 64, 1, {0.5, 0.5, 0.5});
    parallel::ThreadPool pool(threads);
    int count = 0;
    while (residual(A, p, rhs) > 1e-6 && count < 2000) {
        fused_over_relax(p, rhs, omega, 8, pool);
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("fused over-relaxation takes 31 passes where fused sweeps take 1087") {
    CHECK(passes(1.0, 1) == 1087);
    const double omega = best_omega(spectral_radius(64, 64, 1));
    CHECK(std::abs(passes(omega, 1) - 31) <= 1);
    CHECK(passes(omega, 2) == passes(omega, 1));
    parallel::ThreadPool alone(1);
    parallel::ThreadPool pool(3);
    const Field rhs = bumpy(9, 7, 40);
    Field p = rhs;
    Field q = rhs;
    fused_over_relax(p, rhs, 1.5, 3, alone);
    fused_over_relax(q, rhs, 1.5, 3, pool);
    CHECK((p.values == q.values));
}

TEST_CASE("a cycle with fused sweeps preconditions as well as one with plain sweeps") {
    parallel::ThreadPool pool(2);
    for (const Field& rhs : {bumpy(64, 64, 1), bumpy(33, 70, 1), bumpy(16, 9, 32)}) {
        const Matrix A = matrix_of(rhs);
        std::vector<Level> levels = make_levels(A);
        const auto iterations_with = [&](const auto& cycle) {
            Field p(rhs.nx, rhs.ny, rhs.nz, rhs.origin);
            Field r = rhs;
            const std::vector<double> residuals = conjugate_gradients(A, p, r, 1e-6, 100, cycle);
            CHECK(residual(A, p, rhs) <= 1.01e-6);
            return static_cast<int>(residuals.size()) - 1;
        };
        const int plain =
            iterations_with([&](Field& z, const Field& r) { multigrid_cycle(levels, 0, z, r); });
        const int fused =
            iterations_with([&](Field& z, const Field& r) { fused_cycle(levels, z, r, pool); });
        INFO(rhs.nx << " x " << rhs.ny << " x " << rhs.nz << ": " << fused
                    << " iterations, and with plain sweeps " << plain);
        CHECK(fused > 5);
        CHECK(fused <= plain + 2);
    }
}

TEST_CASE("a fused cycle is symmetric, as conjugate gradients need it") {
    parallel::ThreadPool pool(3);
    const Field a = bumpy(21, 40, 1);
    Field b = a;
    std::reverse(b.values.begin(), b.values.end());
    for (std::size_t cell = 0; cell < b.values.size(); cell += 3) {
        b.values[cell] *= 0.5;
    }
    subtract_mean(b);
    std::vector<Level> levels = make_levels(matrix_of(a));
    Field of_a = a;
    Field of_b = b;
    fused_cycle(levels, of_a, a, pool);
    fused_cycle(levels, of_b, b, pool);
    CHECK(std::abs(dot(of_a, b)) > 0.1);
    CHECK(std::abs(dot(of_a, b) - dot(a, of_b)) < 1e-10);
}
