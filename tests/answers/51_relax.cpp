// The worked answers of 51_relax's exercises.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <tuple>

#include "catch.hpp"
#include "solver.hpp"

/// The largest factor that a Jacobi sweep with that weight leaves of a rough wave, in a large box
/// of so many axes. A wave is rough if its half wave is shorter than two cells along some axis.
inline double smoothing_factor(double weight, int axes) {
    // A Jacobi sweep multiplies a wave by 1 - weight * s, where s is the mean over the axes of
    // 1 - cos(angle from cell to cell). s is smallest where one axis is just rough, and the others
    // have no wave at all; it is 2 for the checkerboard.
    const double least = 1.0 / axes;
    const double most = 2.0;
    return std::max(std::abs(1.0 - weight * least), std::abs(1.0 - weight * most));
}

/// The spectral radius of a full Jacobi sweep on A, measured, whatever the box looks like. After
/// many sweeps with the weight 1/2 only the smoothest error is left. Each further sweep multiplies
/// it by (1 + radius) / 2.
inline double measured_radius(const Matrix& A, int sweeps) {
    const Field& like = A.diagonal;
    const Field nothing(like.nx, like.ny, like.nz, like.origin);
    Field p = nothing;
    for (std::size_t cell = 0; cell < p.values.size(); ++cell) {
        p.values[cell] =
            static_cast<double>(cell * cell % 101);  // any error, as long as it has all
    }
    subtract_mean(p);
    double factor = 0.0;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const double before = dot(p, p);
        jacobi(A, p, nothing, 0.5);
        subtract_mean(p);
        factor = std::sqrt(dot(p, p) / before);
    }
    return 2.0 * factor - 1.0;
}

TEST_CASE("a decade of the smoothest error costs half a million sweeps at 1024 x 1024") {
    const double radius = spectral_radius(1024, 1024, 1);
    const double sweeps = std::log(10.0) / -std::log(radius * radius);
    CHECK(sweeps > 485000.0);
    CHECK(sweeps < 495000.0);
    const double omega = best_omega(radius);
    INFO("over-relaxation leaves omega - 1 a sweep");
    CHECK_THAT(std::log(10.0) / -std::log(omega - 1.0), WithinAbs(530.0, 5.0));
}

TEST_CASE("a weight of 4/5 smooths best in 2D, 6/7 in 3D") {
    for (const auto& [axes, weight, left] : {std::tuple(2, 0.8, 0.6), {3, 6.0 / 7.0, 5.0 / 7.0}}) {
        INFO(axes << " axes");
        CHECK_THAT(smoothing_factor(weight, axes), WithinAbs(left, 1e-12));
        CHECK(smoothing_factor(weight - 0.05, axes) > left + 0.01);
        CHECK(smoothing_factor(weight + 0.05, axes) > left + 0.01);
    }
    INFO("and the code does what the formula says: waves in a box, one sweep");
    double worst = 0.0;
    const int n = 32;
    const Matrix A = pressure_matrix(Fluid(n, n, 1));
    const Field nothing(n, n, 1, {0.5, 0.5, 0.5});
    for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) {
            if (2 * k < n && 2 * l < n) {
                continue;  // smooth
            }
            Field p = nothing;
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) {
                    p(i, j, 0) = std::cos(std::numbers::pi * k * (i + 0.5) / n) *
                                 std::cos(std::numbers::pi * l * (j + 0.5) / n);
                }
            }
            const double before = p(11, 13, 0);
            if (std::abs(before) > 0.01) {
                jacobi(A, p, nothing);
                worst = std::max(worst, std::abs(p(11, 13, 0) / before));
            }
        }
    }
    CHECK_THAT(worst, WithinAbs(0.6, 0.01));
}

TEST_CASE("the radius can be measured") {
    for (const auto& [nx, ny, nz] : {std::array{24, 24, 1}, {7, 15, 4}, {5, 3, 11}}) {
        const double radius = spectral_radius(nx, ny, nz);
        const double found =
            measured_radius(pressure_matrix(Fluid(nx, ny, nz)), 4 * std::max({nx, ny, nz}) * nx);
        INFO(nx << " x " << ny << " x " << nz << ": " << found << ", by formula " << radius);
        CHECK_THAT(1.0 - found, WithinAbs(1.0 - radius, 0.02 * (1.0 - radius)));
    }
}
