// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

namespace {

/// The root of the mean of the squared divergence.
double rms_divergence(const Fluid& fluid) {
    const int N = fluid.u.N;
    double sum = 0.0;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const double divergence = divergence_at(fluid.u, fluid.v, i, j);
            sum += divergence * divergence;
        }
    }
    return std::sqrt(sum / (N * N));
}

/// The largest divergence of any cell, without its sign.
double largest_divergence(const Fluid& fluid) {
    const int N = fluid.u.N;
    double largest = 0.0;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            largest = std::max(largest, std::abs(double{divergence_at(fluid.u, fluid.v, i, j)}));
        }
    }
    return largest;
}

/// How much of its divergence the velocity keeps when it is projected with so many sweeps. The
/// divergence of all cells is measured by that norm.
double share_kept(Fluid& fluid, int sweeps, double (*norm)(const Fluid&) = rms_divergence) {
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    const double before = norm(fluid);
    project(fluid.u, fluid.v, fluid.pressure, fluid.divergence, sweeps);
    return norm(fluid) / before;
}

/// The sum over the fluid cells.
double total(const Field& field) {
    double sum = 0.0;
    for (int j = 1; j <= field.N; ++j) {
        for (int i = 1; i <= field.N; ++i) {
            sum += field(i, j);
        }
    }
    return sum;
}

/// A row of six cells with dye 1 each, pushed by (u, v): how much dye there is after a second
/// without fading.
double dye_after_a_second(float u, float v, int sweeps) {
    Fluid fluid(16);
    fluid.density_fade_rate = 0.0f;
    fluid.pressure_iterations = sweeps;
    for (int i = 5; i <= 10; ++i) {
        add_density(fluid, i, 8, 1.0f);
        add_velocity(fluid, i, 8, u, v);
    }
    for (int k = 0; k < 60; ++k) {
        step(fluid, 1.0f / 60.0f);
    }
    return total(fluid.density);
}

}  // namespace

bool numbers(const Program&) {
    Numbers numbers("07_project: the tutorial's numbers beside ours");
    const Fluid fluid(16);
    const std::string physical = "Skupnik, Let's get physical";
    const std::string in_double = "in double precision";
    numbers.setting("pressure_iterations", 20, fluid.pressure_iterations, physical);
    numbers.setting("velocity_fade_rate: switched off", 0, fluid.velocity_fade_rate, physical);
    numbers.setting("h = 1 / N", 0.0625, 1.0f / 16.0f, physical);

    Fluid pushed(16);
    pushed.u(8, 8) = 1.0f;
    project(pushed.u, pushed.v, pushed.pressure, pushed.divergence, 20);
    numbers.checked("u(8, 8) = 1, projected: u(8, 8)", 0.822145, pushed.u(8, 8), 1e-6, in_double);
    numbers.checked("  u(9, 8)", -0.041625, pushed.u(9, 8), 1e-6, in_double);
    numbers.checked("  u(8, 9)", -0.064611, pushed.u(8, 9), 1e-6, in_double);
    numbers.checked("  v(9, 9)", 0.075298, pushed.v(9, 9), 1e-6, in_double);
    numbers.checked("  pressure(7, 8)", -0.0112322, pushed.pressure(7, 8), 1e-6, in_double);
    numbers.checked("  pressure(9, 8)", 0.0109996, pushed.pressure(9, 8), 1e-6, in_double);

    const auto smooth_wave = [] {
        Fluid wave(16);
        for (int j = 1; j <= 16; ++j) {
            for (int i = 1; i <= 16; ++i) {
                wave.u(i, j) = std::sin(std::numbers::pi_v<float> * (i - 0.5f) / 16.0f);
            }
        }
        return wave;
    };
    const auto wave_keeps = [&](int sweeps) {
        Fluid wave = smooth_wave();
        return share_kept(wave, sweeps);
    };
    const auto largest_of_wave_keeps = [&](int sweeps) {
        Fluid wave = smooth_wave();
        return share_kept(wave, sweeps, largest_divergence);
    };
    const auto push_keeps = [](int sweeps) {
        Fluid push(16);
        push.u(8, 8) = 1.0f;
        return share_kept(push, sweeps);
    };
    numbers.checked("a wave keeps of its divergence, 20 sweeps", 0.7159, wave_keeps(20), 1e-4,
                    in_double);
    numbers.checked("  after 200 sweeps", 0.0395, wave_keeps(200), 1e-4, in_double);
    numbers.checked("  after 5000 sweeps", 0.0096, wave_keeps(5000), 1e-4, "sin^2(pi / 32)");
    numbers.checked("  of its largest divergence, 20 sweeps", 1.1135, largest_of_wave_keeps(20),
                    1e-4, in_double);
    numbers.checked("  after 200 sweeps", 0.0641, largest_of_wave_keeps(200), 1e-4, in_double);
    numbers.checked("one pushed cell keeps, 20 sweeps", 0.6437, push_keeps(20), 1e-4, in_double);
    numbers.checked("  after 5000 sweeps", 0.6435, push_keeps(5000), 1e-4, in_double);
    numbers.checked("row of dye 6, pushed along: a second later", 7.3165,
                    dye_after_a_second(4, 0, 20), 1e-3, in_double);
    numbers.checked("  with 400 sweeps", 7.1592, dye_after_a_second(4, 0, 400), 1e-3, in_double);
    numbers.checked("row of dye 6, pushed across: a second later", 3.2995,
                    dye_after_a_second(0, 4, 20), 1e-3, in_double);
    numbers.checked("  with 400 sweeps", 3.2816, dye_after_a_second(0, 4, 400), 1e-3, in_double);
    return numbers.print();
}
