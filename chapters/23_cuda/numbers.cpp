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
void make_bumpy(Field& x, std::uint32_t seed) {
    for (float& value : x.cells) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
}

/// How much of its divergence a wave, u = sin(pi x) cos(pi y), keeps after so many sweeps.
double kept_after(int sweeps) {
    const int N = 18;
    Fluid fluid(N);
    const double pi = std::acos(-1.0);
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                fluid.u(i, j, k) = static_cast<float>(std::sin(pi * (i - 0.5) / (N - 2)) *
                                                      std::cos(pi * (j - 0.5) / (N - 2)));
            }
        }
    }
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    const auto squares = [&] {
        double sum = 0.0;
        for (int k = 1; k < N - 1; ++k) {
            for (int j = 1; j < N - 1; ++j) {
                for (int i = 1; i < N - 1; ++i) {
                    sum += std::pow(divergence_at(fluid.u, fluid.v, fluid.w, i, j, k), 2);
                }
            }
        }
        return sum;
    };
    const double before = squares();
    project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, sweeps);
    return std::sqrt(squares() / before);
}

/// How many cells of a bumpy fluid differ after a step, by so many threads or by the fast kernels.
double differing_cells(int threads, bool fast) {
    Fluid one(14);
    make_bumpy(one.density, 1);
    make_bumpy(one.u, 2);
    make_bumpy(one.v, 3);
    make_bumpy(one.w, 4);
    set_bnd(BoundaryType::SCALAR, one.density);
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, one.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, one.v);
    set_bnd(BoundaryType::VELOCITY_DEPTH, one.w);
    Fluid other = one;
    one.fast = false;
    other.fast = fast;
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
    workbook::Numbers numbers("23_cuda: the host's numbers");
    const Fluid fluid(18);
    numbers.setting("sweeps", 4, fluid.iterations, "Ash, FluidCubeStep");
    numbers.checked("cells that differ: 2 threads", 0, differing_cells(2, false), 0.0,
                    "one thread");
    numbers.checked("  7 threads", 0, differing_cells(7, false), 0.0, "one thread");
    numbers.checked("  the fast relaxation, 3 threads", 0, differing_cells(3, true), 0.0,
                    "the naive one");
    for (const auto& [sweeps, kept] :
         {std::pair(4, 0.9180), {20, 0.6363}, {100, 0.1069}, {400, 0.0097}}) {
        numbers.checked("N = 18, red-black: a wave keeps, " + std::to_string(sweeps) + " sweeps",
                        kept, kept_after(sweeps), 1e-4, "in double precision");
    }
    return numbers.print();
}
