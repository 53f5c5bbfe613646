// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// Numbers without any pattern, from -1 to 1, the same on every machine.
void make_bumpy(BoundaryType boundary, Field& x, std::uint32_t seed) {
    for (float& value : x.cells) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    set_bnd(boundary, x);
}

double rms_divergence(const Fluid& fluid) {
    double sum = 0.0;
    for_each_cell(fluid.u.N, [&](int i, int j, int k) {
        sum += std::pow(divergence_at({fluid.u, fluid.v, fluid.w}, i, j, k), 2);
    });
    return std::sqrt(sum / std::pow(fluid.u.N - 2.0, 3));
}

/// How much of its divergence a wave, u = sin(pi x) cos(pi y), keeps after so many sweeps.
double kept_after(int sweeps) {
    const int N = 18;
    Fluid fluid(N);
    const double pi = std::acos(-1.0);
    for_each_cell(N, [&](int i, int j, int k) {
        fluid.u(i, j, k) = static_cast<float>(std::sin(pi * (i - 0.5) / (N - 2)) *
                                              std::cos(pi * (j - 0.5) / (N - 2)));
    });
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    const double before = rms_divergence(fluid);
    project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, sweeps);
    return rms_divergence(fluid) / before;
}

/// How many cells of a bumpy fluid differ after a step, by so many threads or by one.
double differing_cells(int threads) {
    Fluid one(14);
    make_bumpy(BoundaryType::SCALAR, one.density, 1);
    make_bumpy(BoundaryType::VELOCITY_HORIZONTAL, one.u, 2);
    make_bumpy(BoundaryType::VELOCITY_VERTICAL, one.v, 3);
    make_bumpy(BoundaryType::VELOCITY_DEPTH, one.w, 4);
    Fluid other = one;
    other.threads = threads;
    step(one, 0.05f);
    step(other, 0.05f);
    double count = 0.0;
    for (std::size_t cell = 0; cell < one.u.cells.size(); ++cell) {
        count += one.u.cells[cell] != other.u.cells[cell] ||
                 one.density.cells[cell] != other.density.cells[cell];
    }
    return count;
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("22_cells: the sweep's numbers");
    const Fluid fluid(18);
    numbers.setting("sweeps", 4, fluid.iterations, "Ash, FluidCubeStep");
    numbers.checked("cells that differ: 2 threads", 0, differing_cells(2), 0.0, "one thread");
    numbers.checked("  7 threads", 0, differing_cells(7), 0.0, "one thread");
    for (const auto& [sweeps, kept] :
         {std::pair(4, 0.9180), {20, 0.6363}, {100, 0.1069}, {400, 0.0097}}) {
        numbers.checked("N = 18, red-black: divergence of a wave left after " +
                            std::to_string(sweeps) + " sweeps",
                        kept, kept_after(sweeps), 1e-4, "in double precision");
    }
    return numbers.print();
}
