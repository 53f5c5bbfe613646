// The worked answers of 07_project's exercises.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "chapter.hpp"

/// Successive over-relaxation: lin_solve that moves each cell `omega` times as far.
inline void over_relax(Field& x, const Field& x0, float omega, int iterations) {
    const int N = x.N;
    for (int k = 0; k < iterations; ++k) {
        for (int j = 1; j <= N; ++j) {
            for (int i = 1; i <= N; ++i) {
                const float neighbours = x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1);
                x(i, j) += omega * ((x0(i, j) + neighbours) / 4.0f - x(i, j));
            }
        }
        set_bnd(BoundaryType::SCALAR, x);
    }
}

/// Returns how fast the fluid turns around cell (i, j): half the difference of the neighbours over
/// the width of a cell, positive where it turns clockwise on the screen.
inline float spin_at(const Field& u, const Field& v, int i, int j) {
    return 0.5f * u.N * (v(i + 1, j) - v(i - 1, j) - u(i, j + 1) + u(i, j - 1));
}

/// Vorticity confinement: for `dt` seconds, pushes the fluid around the places where it turns most.
inline void confine_vorticity(Fluid& fluid, float strength, float dt) {
    const int N = fluid.u.N;
    Field spin(N);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            spin(i, j) = spin_at(fluid.u, fluid.v, i, j);
        }
    }
    for (int j = 2; j < N; ++j) {
        for (int i = 2; i < N; ++i) {
            // (x, y) points to where it turns more. The cells beside a wall are left out, since the
            // spin is not known in the wall.
            const float x = std::abs(spin(i + 1, j)) - std::abs(spin(i - 1, j));
            const float y = std::abs(spin(i, j + 1)) - std::abs(spin(i, j - 1));
            const float length = std::hypot(x, y) + 1e-5f;
            add_velocity(fluid, i, j, dt * strength * spin(i, j) * y / length,
                         -dt * strength * spin(i, j) * x / length);
        }
    }
}

namespace {

double rms_divergence(const Fluid& fluid) {
    double sum = 0.0;
    for (int j = 1; j <= fluid.u.N; ++j) {
        for (int i = 1; i <= fluid.u.N; ++i) {
            sum += std::pow(divergence_at(fluid.u, fluid.v, i, j), 2);
        }
    }
    return std::sqrt(sum) / fluid.u.N;
}

double largest_spin(const Fluid& fluid) {
    double largest = 0.0;
    for (int j = 1; j <= fluid.u.N; ++j) {
        for (int i = 1; i <= fluid.u.N; ++i) {
            largest = std::max(largest, std::abs(double{spin_at(fluid.u, fluid.v, i, j)}));
        }
    }
    return largest;
}

}  // namespace

TEST_CASE("twenty over-relaxed sweeps leave half of what plain ones do") {
    const auto left = [](float omega) {
        Fluid fluid(16);
        for (int j = 1; j <= 16; ++j) {
            for (int i = 1; i <= 16; ++i) {
                fluid.u(i, j) =
                    std::sin(std::numbers::pi_v<float> * (static_cast<float>(i) - 0.5f) / 16.0f);
            }
        }
        set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
        const double before = rms_divergence(fluid);
        project(fluid.u, fluid.v, fluid.pressure, fluid.divergence, 0);  // the right-hand side
        over_relax(fluid.pressure, fluid.divergence, omega, 20);
        for (int j = 1; j <= 16; ++j) {
            for (int i = 1; i <= 16; ++i) {
                fluid.u(i, j) -= 8.0f * (fluid.pressure(i + 1, j) - fluid.pressure(i - 1, j));
                fluid.v(i, j) -= 8.0f * (fluid.pressure(i, j + 1) - fluid.pressure(i, j - 1));
            }
        }
        set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
        set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
        return rms_divergence(fluid) / before;
    };
    INFO("omega 1: " << left(1.0f) << ", omega 1.7: " << left(1.7f));
    CHECK_THAT(left(1.0f), WithinAbs(0.7159, 1e-4));
    CHECK_THAT(left(1.7f), WithinAbs(0.3449, 1e-4));
}

TEST_CASE("confinement keeps whirls turning") {
    const auto spin_left = [](float strength) {
        Fluid fluid(32);
        for (int k = 0; k < 8; ++k) {
            add_velocity(fluid, 12 + k, 14, 2.0f, 0.0f);
            add_velocity(fluid, 12 + k, 20, -2.0f, 0.0f);
        }
        for (int k = 0; k < 20; ++k) {
            confine_vorticity(fluid, strength, 1.0f / 60.0f);
            step(fluid, 1.0f / 60.0f);
        }
        return largest_spin(fluid);
    };
    INFO("without " << spin_left(0.0f) << ", with " << spin_left(0.3f));
    CHECK(spin_left(0.0f) > 0.01);
    CHECK(spin_left(0.3f) > 1.05 * spin_left(0.0f));
    CHECK(spin_left(0.3f) < 3.0 * spin_left(0.0f));
}
