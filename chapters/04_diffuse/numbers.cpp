// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

namespace {

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

}  // namespace

bool numbers(const Program&) {
    Fluid fluid(16);
    const float dt = 1.0f / 60.0f;
    const float a = dt * fluid.density_diffuse_rate * 16 * 16;
    const auto dye_one_at = [&](int i, int j, int sweeps) {
        Field x(16);
        x(i, j) = 1.0f;
        const Field x0 = x;
        diffuse(x, x0, fluid.density_diffuse_rate, dt, sweeps);
        return x;
    };
    const Field middle = dye_one_at(8, 8, fluid.density_diffuse_iterations);
    const Field corner = dye_one_at(1, 1, fluid.density_diffuse_iterations);

    Numbers numbers("04_diffuse: the tutorial's numbers beside ours");
    const std::string drop = "Skupnik, A drop in the ocean";
    const std::string in_double = "in double precision";
    numbers.setting("density_diffuse_rate", 0.006, fluid.density_diffuse_rate, drop);
    numbers.setting("density_diffuse_iterations", 20, fluid.density_diffuse_iterations, drop);
    numbers.checked("a = dt * rate * N * N", 0.0256, a, 1e-7, "0.006 * 256 / 60");
    numbers.checked("dye 1 at (8, 8): stays there", 0.909078001, middle(8, 8), 1e-6, in_double);
    numbers.checked("  in each neighbour", 0.021167858, middle(9, 8), 1e-6, in_double);
    numbers.checked("  in each diagonal one", 0.000984720, middle(9, 9), 1e-6, in_double);
    numbers.checked("  in all cells", 1, total(middle), 1e-6, in_double);
    numbers.checked("dye 1 at (1, 1): stays there", 0.908093, corner(1, 1), 1e-6, in_double);
    numbers.checked("  in all cells: walls absorb it", 0.952398, total(corner), 1e-6, in_double);
    const Field once = dye_one_at(8, 8, 1);
    const Field four_times = dye_one_at(8, 8, 4);
    numbers.checked("change from sweep 4 to sweep 20", 0, middle(8, 8) - four_times(8, 8), 1e-6,
                    "a is small: settled");
    numbers.checked("change from sweep 1 to sweep 20", 0.0008877, middle(8, 8) - once(8, 8), 1e-6,
                    "once: (1 + 2 a a / c) / c");

    // The explicit step: each cell gives and takes a share of the difference to its neighbours. By
    // what does it multiply cell (i, j) of a checkerboard?
    const auto explicit_growth = [](float share, int i, int j) {
        Field x(16);
        for (int row = 1; row <= 16; ++row) {
            for (int column = 1; column <= 16; ++column) {
                x(column, row) = (column + row) % 2 == 0 ? 1.0f : -1.0f;
            }
        }
        const float neighbours = x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1);
        return (x(i, j) + share * (neighbours - 4.0f * x(i, j))) / x(i, j);
    };
    numbers.checked("explicit step on a checkerboard, a = 0.25", -1, explicit_growth(0.25f, 8, 8),
                    1e-6, "1 - 8 a");
    numbers.checked("explicit step on a checkerboard, a = 0.5", -3, explicit_growth(0.5f, 8, 8),
                    1e-6, "1 - 8 a: it grows");
    numbers.checked("  in a cell beside one wall", -2.5, explicit_growth(0.5f, 1, 8), 1e-6,
                    "1 - 7 a: the wall holds 0");
    numbers.checked("  in a corner cell", -2, explicit_growth(0.5f, 1, 1), 1e-6,
                    "1 - 6 a: beside two walls");

    // Both steps where a is too large for the explicit one.
    Field half(16);
    half(8, 8) = 1.0f;
    const Field one = half;
    lin_solve(half, one, 0.5f, 3.0f, 40);
    numbers.checked("dye 1, a = 0.5: implicit step leaves there", 0.384023, half(8, 8), 1e-5,
                    in_double);
    numbers.checked("  in each neighbour", 0.0760351, half(9, 8), 1e-5, in_double);
    numbers.checked("  explicit step leaves there", -1, one(8, 8) - 4 * 0.5f * one(8, 8), 0,
                    "1 - 4 a: less than nothing");
    return numbers.print();
}
