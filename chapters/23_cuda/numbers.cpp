// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <cstdint>
#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "cuda/device_fluid.hpp"

namespace {

constexpr int N = 14;

FieldView view_of(Field& field) {
    return {field.cells.data(), field.N};
}

/// Numbers without any pattern, from -1 to 1, the same on every machine.
Field bumpy(BoundaryType boundary, std::uint32_t seed) {
    Field x(N);
    for (float& value : x.cells) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    set_bnd(boundary, x);
    return x;
}

double differing_cells(const Field& a, const Field& b) {
    double count = 0.0;
    for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
        count += a.cells[cell] != b.cells[cell];
    }
    return count;
}

/// How many cells differ if a sweep's cells write their own walls, threads for one colour at a
/// time.
double differing_after_sweeps() {
    Field expected = bumpy(BoundaryType::VELOCITY_DEPTH, 1);
    const Field x0 = bumpy(BoundaryType::SCALAR, 2);
    Field x = expected;
    const Sweep sweep = {BoundaryType::VELOCITY_DEPTH, view_of(x), x0, 1.0f, 1.0f / 7.0f};
    for (const Colour colour : {Colour::RED, Colour::BLACK, Colour::RED, Colour::BLACK}) {
        for (int k = 1; k < N - 1; ++k) {
            for (int j = 1; j < N - 1; ++j) {
                for (int n = 0; nth_of_colour(colour, n, j, k) < N - 1; ++n) {
                    relax_cell(sweep, nth_of_colour(colour, n, j, k), j, k);
                }
            }
        }
    }
    lin_solve(BoundaryType::VELOCITY_DEPTH, expected, x0, 1.0f, 7.0f, 2);
    return differing_cells(x, expected);
}

/// The same for carrying.
double differing_when_carried() {
    const Field d0 = bumpy(BoundaryType::VELOCITY_HORIZONTAL, 3);
    const Field u = bumpy(BoundaryType::VELOCITY_HORIZONTAL, 4);
    const Field v = bumpy(BoundaryType::VELOCITY_VERTICAL, 5);
    const Field w = bumpy(BoundaryType::VELOCITY_DEPTH, 6);
    Field expected(N);
    advect(BoundaryType::VELOCITY_HORIZONTAL, expected, d0, {u, v, w}, 0.1f);
    Field d(N);
    for_each_cell(N, [&](int i, int j, int k) {
        advect_cell({BoundaryType::VELOCITY_HORIZONTAL, view_of(d), d0}, {u, v, w}, 0.1f * (N - 2),
                    i, j, k);
    });
    return differing_cells(d, expected);
}

/// How many cells are written for one fluid cell of a cube of `size`: itself and its images.
double written_for(int size, int i, int j, int k) {
    Field x(size);
    set_cell(BoundaryType::SCALAR, view_of(x), i, j, k, 1.0f);
    return differing_cells(x, Field(size));
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("23_cuda: the host's numbers");
    const Fluid fluid(18);
    numbers.setting("sweeps", 4, fluid.iterations, "Ash, FluidCubeStep");
    numbers.checked("cells that differ: two sweeps, cell by cell", 0, differing_after_sweeps(), 0.0,
                    "lin_solve");
    numbers.checked("  carried, cell by cell", 0, differing_when_carried(), 0.0, "advect");
    numbers.checked("cells written for (1, 1, 1), (1, 1, 5), N = 14", {8, 4},
                    {written_for(14, 1, 1, 1), written_for(14, 1, 1, 5)}, 0.0, "by hand");
    numbers.checked("  for the only fluid cell of N = 3", 27, written_for(3, 1, 1, 1), 0.0,
                    "by hand");
    const double tile = 16.0 * 8.0 * 8.0;
    numbers.checked("cells read for each one written: tile 16 x 8 x 8", 16.0 / 3.0,
                    tile / (12.0 * 4.0 * 4.0), 1e-9, "1024 / 192");
    numbers.checked("  marching, 32 x 32", 64.0 / 49.0, 32.0 * 32.0 / (28.0 * 28.0), 1e-9,
                    "1024 / 784");
    const auto with_layers = [](int depth) {
        const double width = device::march_width;
        const double written = width - 2 * device::rim;
        return width * width * (depth + 2 * device::rim) / (written * written * depth);
    };
    numbers.checked("  and 4 layers more than it writes: 16", 80.0 / 49.0, with_layers(16), 1e-9,
                    "1024 20 / 784 16");
    numbers.checked("    32", 72.0 / 49.0, with_layers(32), 1e-9, "1024 36 / 784 32");
    numbers.checked("    64", 68.0 / 49.0, with_layers(64), 1e-9, "1024 68 / 784 64");
    using device::Kernels;
    numbers.checked("bytes a cell of a sweep: cell", 24.0, device::bytes_a_cell(Kernels::CELL, 0),
                    1e-9, "by hand");
    numbers.checked("  colour", 24.0, device::bytes_a_cell(Kernels::COLOUR, 0), 1e-9, "by hand");
    numbers.checked("  tile", 215.0 / 6.0, device::bytes_a_cell(Kernels::TILE, 0), 1e-9, "by hand");
    numbers.checked("  march, 16 layers", 15.6964, device::bytes_a_cell(Kernels::MARCH, 16), 1e-4,
                    "by hand");
    numbers.checked("  march, 6 layers", 18.8299, device::bytes_a_cell(Kernels::MARCH, 6), 1e-4,
                    "by hand");
    numbers.checked("layers a block, 264 at once, N = 96", 6.0, 1.0 * device::march_depth(96, 264),
                    0.0, "by hand");
    return numbers.print();
}
