// The worked answers of 52_fast's exercises.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"

/// Does so many red-black sweeps in one pass over the memory, in which each cell goes `omega` times
/// as far as its equation asks for.
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

/// A V-cycle as v_cycle, whose sweeps go through memory once, and in threads.
inline void fused_v_cycle(Multigrid& multigrid, std::size_t l, parallel::ThreadPool& pool) {
    Level& here = multigrid.levels[l];
    if (l + 1 == multigrid.levels.size()) {
        solve_direct(*multigrid.coarsest, here.p, here.rhs);
        return;
    }
    Level& coarser = multigrid.levels[l + 1];
    fused_sweeps(here.p, here.rhs, 1, pool);
    restrict_residual(here, coarser.rhs);
    std::fill(coarser.p.values.begin(), coarser.p.values.end(), 0.0);
    fused_v_cycle(multigrid, l + 1, pool);
    prolong(coarser.p, here.p);
    fused_sweeps(here.p, here.rhs, 1, pool);
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

TEST_CASE("a V-cycle with fused sweeps is a V-cycle, to the last bit") {
    parallel::ThreadPool pool(2);
    for (const Field& rhs : {bumpy(64, 32, 1), bumpy(16, 8, 32)}) {
        const Matrix A = matrix_of(rhs);
        Multigrid plain = make_multigrid(A);
        plain.levels[0].rhs = rhs;
        Multigrid fused = plain;
        for (int cycle = 0; cycle < 3; ++cycle) {
            v_cycle(plain, 0);
            fused_v_cycle(fused, 0, pool);
        }
        CHECK(residual(A, plain.levels[0].p, rhs) < 0.02);
        CHECK((fused.levels[0].p.values == plain.levels[0].p.values));
    }
}
