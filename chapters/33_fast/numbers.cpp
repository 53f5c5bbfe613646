// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// Numbers without any pattern, from -1 to 1, the same on every machine.
::Box<double> random_side(int nx, int ny, int nz) {
    ::Box<double> b(nx, ny, nz);
    std::uint32_t seed = 11;
    for (double& value : b.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    return b;
}

/// Half a wave across each axis that has more than one cell.
::Box<double> smooth_side(int nx, int ny, int nz) {
    ::Box<double> b(nx, ny, nz);
    const auto wave = [](int i, int n) { return std::cos(std::acos(-1.0) * (i + 0.5) / n); };
    for_each_cell(b, [&](int i, int j, int k) {
        b(i, j, k) =
            wave(i, nx) + (ny > 1 ? 0.7 * wave(j, ny) : 0.0) + (nz > 1 ? 0.4 * wave(k, nz) : 0.0);
    });
    return b;
}

/// How many iterations, and how much work, a solver takes to come down to that residual.
std::pair<double, double> cost_of(Method method, const ::Box<double>& b, double tolerance) {
    const Attempt<double> attempt = solve<double>(method, b, tolerance, 20000);
    return {attempt.residuals.size() - 1.0, attempt.work.back()};
}

/// What the eighth V(1, 1)-cycle leaves of the residual, on average over the first eight.
double factor_of_cycle(const ::Box<double>& b) {
    const Attempt<double> attempt = solve<double>(Method::MULTIGRID, b, 0.0, 8);
    return std::pow(attempt.residuals.back(), 1.0 / 8.0);
}

/// The smallest residual that multigrid reaches if its p is kept in float.
double float_floor(int n) {
    const Attempt<float> attempt = solve<float>(Method::MULTIGRID, smooth_side(n, n, 1), 0.0, 14);
    return *std::min_element(attempt.residuals.begin(), attempt.residuals.end());
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("33_fast: the race in numbers");
    numbers.checked("16 x 16: radius of a Jacobi sweep", 0.98942, jacobi_radius(16, 16, 1), 1e-4,
                    "the eigenvalues of its matrix");
    numbers.checked("  a Gauss-Seidel sweep leaves its square", 0.97896,
                    std::pow(jacobi_radius(16, 16, 1), 2), 2e-4, "11_mac's --numbers");
    numbers.checked("  the best omega", 2.0 / (1.0 + std::sqrt(1.0 - 0.98942 * 0.98942)),
                    best_omega(jacobi_radius(16, 16, 1)), 1e-2, "Young 1954, from 0.98942");
    const std::string measured = "measured when this was written";
    numbers.checked(
        "64 x 64: twenty Gauss-Seidel sweeps leave", 0.0721,
        solve<double>(Method::GAUSS_SEIDEL, random_side(64, 64, 1), 0.0, 20).residuals.back(), 1e-4,
        measured);
    const double pi = std::acos(-1.0);
    for (const auto& [n, kept] : {std::pair(16, 0.65), {64, 0.98}, {256, 0.9985}}) {
        numbers.checked("  of the longest wave, " + std::to_string(n) + " x " + std::to_string(n),
                        kept, std::pow(jacobi_radius(n, n, 1), 40), 0.005,
                        "Jacobi's radius, squared, 20 times");
    }
    numbers.checked("64 x 64: the condition of A", 3319, std::pow(std::tan(63 * pi / 128), 2) * 2,
                    1.0, "8 sin^2(63 pi / 128) over 4 sin^2(pi / 128)");
    ::Box<double> board(16, 16, 1);
    for_each_cell(board,
                  [&](int i, int j, int k) { board(i, j, k) = (i + j + k) % 2 ? 1.0 : -1.0; });
    const ::Box<double> before = board;
    jacobi(board, ::Box<double>(16, 16, 1), 1.0);
    numbers.checked("a checkerboard in a closed box, one whole Jacobi sweep", -1.0,
                    board(7, 7, 0) / before(7, 7, 0), 1e-12, "by hand");
    const ::Box<double> b = random_side(64, 64, 1);
    const struct {
        const char* name;
        Method method;
        double iterations, work;
    } expected[] = {
        {"Gauss-Seidel", Method::GAUSS_SEIDEL, 8425, 8425},
        {"red-black", Method::RED_BLACK, 8694, 8694},
        {"over-relaxation", Method::OVER_RELAXATION, 243, 243},
        {"conjugate gradients", Method::CONJUGATE_GRADIENTS, 224, 448},
        {"SSOR-PCG", Method::RELAXED_GRADIENTS, 63, 254},
        {"multigrid", Method::MULTIGRID, 7, 37.3311},
        {"MG-PCG", Method::MULTIGRID_GRADIENTS, 5, 41.998},
        {"float inside double", Method::REFINED, 7, 44.3311},
    };
    for (const auto& [name, method, iterations, work] : expected) {
        const auto [found, spent] = cost_of(method, b, 1e-6);
        numbers.checked("64 x 64 to 1e-6: " + std::string(name), {iterations, work}, {found, spent},
                        0.01 * iterations + 1e-3, measured);
    }
    for (const auto& [n, leaves] : {std::pair(64, 0.1163), {256, 0.1182}}) {
        numbers.checked(std::to_string(n) + " x " + std::to_string(n) + ": a V(1,1)-cycle leaves",
                        leaves, factor_of_cycle(random_side(n, n, 1)), 1e-4,
                        measured + ", mean of eight");
    }
    numbers.checked("32 x 32 x 32: a V(1,1)-cycle leaves", 0.1550,
                    factor_of_cycle(random_side(32, 32, 32)), 1e-4, measured + ", mean of eight");
    for (const auto& [n, floor] : {std::pair(64, 7.45e-5), {128, 3.13e-4}, {256, 1.25e-3}}) {
        numbers.checked(
            std::to_string(n) + " x " + std::to_string(n) + ", smooth: the floor of float", floor,
            float_floor(n), 0.05 * floor, measured + "; grows with n n");
    }
    return numbers.print();
}
