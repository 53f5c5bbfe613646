// The table behind --numbers: what this chapter computes, beside what it was when this was written.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "52_fast/lanes.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

const std::string measured = "as recorded";

/// The largest difference between so many fused sweeps and as many of red_black.
double difference_of_fused(int nx, int ny, int nz, int sweeps, int threads) {
    const Fluid fluid = race::prepared(Fluid(nx, ny, nz), 0, 0.0);
    Field fused = fluid.pressure;
    Field plain = fluid.pressure;
    fused_sweeps(fused, fluid.rhs, sweeps, thread_pool(threads));
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        red_black(fluid.matrix, plain, fluid.rhs);
    }
    double largest = 0.0;
    for (std::size_t cell = 0; cell < plain.values.size(); ++cell) {
        largest = std::max(largest, std::abs(plain.values[cell] - fused.values[cell]));
    }
    return largest;
}

/// The largest difference between relax_row and a loop for flat boxes alone, which adds no rows of
/// zeros and multiplies by a quarter: in all rows that have two neighbours, but for their ends.
double difference_of_flat_rows(int nx, int ny, int sweeps) {
    const Fluid fluid = race::prepared(Fluid(nx, ny, 1), 0, 0.0);
    const std::vector<double> wall(nx, 0.0);
    Field p = fluid.rhs;
    double largest = 0.0;
    for (int stage = 0; stage < 2 * sweeps; ++stage) {
        for (int j = 1; j + 1 < ny; ++j) {
            const Field before = p;
            relax_row(p, fluid.rhs, wall.data(), stage % 2, j, 0);
            for (int i = 2 - (j + stage) % 2; i < nx - 1; i += 2) {
                const double sum = before(i - 1, j, 0) + before(i + 1, j, 0) + before(i, j - 1, 0) +
                                   before(i, j + 1, 0);
                const double found = (fluid.rhs(i, j, 0) + sum) * 0.25;
                largest = std::max(largest, std::abs(found - p(i, j, 0)));
            }
        }
    }
    return largest;
}

/// A cache that has room for the last so many units that were touched.
struct Cache {
    std::size_t room;
    std::list<int> units = {};
    double loads = 0.0;

    /// A stage of a sweep looks at a unit and its two neighbours.
    void touch(int middle) {
        for (const int unit : {middle - 1, middle + 1, middle}) {
            const auto found = std::find(units.begin(), units.end(), unit);
            loads += found == units.end() ? 1.0 : 0.0;
            units.remove(unit);
            units.push_front(unit);
            units.resize(std::min(units.size(), room));
        }
    }
};

constexpr int units = 2000;  // rows of a flat box, in the model of a cache
constexpr double bytes_of_p_and_rhs = 24.0;  // of a cell: p is read and written, rhs is read
constexpr double bytes_with_matrix =
    48.0;  // in a flat box: a diagonal and two weights are read, too

/// The bytes a cell that one of so many fused sweeps moves, where a cache has room for some rows.
double bytes_of_fused(int sweeps, std::size_t room) {
    Cache cache = {room};
    wavefront(0, units, 0, 0, 2 * sweeps, [&](int, int unit) { cache.touch(unit); });
    return bytes_of_p_and_rhs * cache.loads / units / sweeps;
}

/// The same for a sweep as red_black does it, all red rows and then all black ones, which moves so
/// many bytes with each visit of a cell.
double bytes_of_colours(double bytes_moved, std::size_t room) {
    Cache cache = {room};
    for (int pass = 0; pass < 2; ++pass) {
        for (int unit = 0; unit < units; ++unit) {
            cache.touch(unit);
        }
    }
    return bytes_moved * cache.loads / units;
}

/// The smallest residual that V-cycles reach if all they keep is float.
double float_floor(int n) {
    const Fluid fluid = race::prepared(Fluid(n, n, 1), 1, 0.0);
    Field p = fluid.pressure;
    double least = 1.0;
    for (int cycles = 1; cycles <= 14; ++cycles) {
        LibrarySolver(fluid.rhs, 0.0, cycles, 1).solve(p, fluid.rhs);
        least = std::min(least, residual(fluid.matrix, p, fluid.rhs));
    }
    return least;
}

/// How many iterations multigrid takes to a residual of 1e-6.
double iterations_of_multigrid(int nx, int ny, int nz) {
    Fluid fluid = race::prepared(Fluid(nx, ny, nz), 0, 0.0);
    fluid.tolerance = 1e-6;
    return static_cast<double>(race::by(Solver::MULTIGRID)(fluid, 100).residuals.size()) - 1.0;
}

void add_counts(workbook::Numbers& numbers) {
    const struct {
        const char* name;
        double iterations, work;
    } expected[] = {
        {"Jacobi", 21032, 31548},
        {"Gauss-Seidel", 8425, 8425},
        {"red-black", 8694, 17388},
        {"fused", 1087, 543.5},
        {"SOR", 243, 243},
        {"CG", 224, 746.667},
        {"SGS-PCG", 90, 465},
        {"multigrid", 7, 59.5},
        {"iterative refinement", 3, 10},
        {"DCT", 1, 2},
        {"LDLT", 1, 8.54517},
    };
    Fluid fluid = race::prepared(Fluid(64, 64, 1), 0, 0.0);
    const auto doubles = [&](Solver solver) {
        return race::work_of(fluid, solver) * race::doubles_of_sweep(fluid);
    };
    numbers.checked(
        "doubles a cell: fused, Gauss-Seidel, red-black", {3, 6, 12},
        {doubles(Solver::FUSED), doubles(Solver::GAUSS_SEIDEL), doubles(Solver::RED_BLACK)}, 1e-6,
        "counted, in 52_fast.work");
    numbers.checked("  CG, SGS-PCG, multigrid", {20, 31, 51},
                    {doubles(Solver::CONJUGATE_GRADIENTS), doubles(Solver::PRECONDITIONED),
                     doubles(Solver::MULTIGRID)},
                    1e-3, "counted, in 52_fast.work");
    fluid.tolerance = 1e-6;
    const std::vector<race::Lane> lanes = race::all_lanes(fluid);
    for (const auto& [name, iterations, work] : expected) {
        for (const race::Lane& lane : lanes) {
            if (lane.name == name) {
                const race::Result result = lane.run(fluid, 40000);
                double found = 0.0;
                for (const double residual : result.residuals) {
                    found += residual > 1e-6 ? 1.0 : 0.0;
                }
                numbers.checked("64 x 64 to 1e-6, iterations and work: " + lane.name,
                                {iterations, work}, {found, found * result.work},
                                0.01 * iterations + 1e-3, measured);
            }
        }
    }
}

/// The library alone stops where float ends, so it is asked for less.
void add_library(workbook::Numbers& numbers) {
    const Fluid fluid = race::prepared(Fluid(64, 64, 1), 0, 0.0);
    const race::Result result = race::run_library(fluid, 40);
    double cycles = 0.0;
    for (const double residual : result.residuals) {
        cycles += residual > 1e-4 ? 1.0 : 0.0;
    }
    const double least = *std::min_element(result.residuals.begin(), result.residuals.end());
    numbers.checked("64 x 64 to 1e-4, iterations and work: library", {3, 1.25},
                    {cycles, cycles * result.work}, 1e-3, measured);
    numbers.checked("  its least residual", 2.1e-6, least, 0.3e-6, measured + ", float's end");
}

/// The least and the most that an iteration leaves of the residual, until this is 1e-4.
std::vector<double> range_of_factors(const race::Result& result) {
    const std::vector<double>& residuals = result.residuals;
    double least = 1.0;
    double most = 0.0;
    for (std::size_t k = 1; k < residuals.size() && residuals[k - 1] > 1e-4; ++k) {
        const double factor = residuals[k] / residuals[k - 1];
        least = std::min(least, factor);
        most = std::max(most, factor);
    }
    return {least, most};
}

/// What multigrid leaves in an iteration and the library in a V-cycle, in boxes of several sizes.
void add_factors(workbook::Numbers& numbers) {
    const struct {
        const char* size;
        int nx, ny, nz;
        std::vector<double> multigrid, library;
    } expected[] = {
        {"64 x 64", 64, 64, 1, {0.104, 0.209}, {0.020, 0.054}},
        {"256 x 256", 256, 256, 1, {0.109, 0.184}, {0.019, 0.054}},
        {"32 x 32 x 32", 32, 32, 32, {0.141, 0.183}, {0.018, 0.047}},
        {"64 x 64 x 64", 64, 64, 64, {0.141, 0.189}, {0.018, 0.045}},
    };
    for (const auto& [size, nx, ny, nz, multigrid, library] : expected) {
        const Fluid fluid = race::prepared(Fluid(nx, ny, nz), 0, 0.0);
        numbers.checked(size + std::string(": an iteration of multigrid leaves"), multigrid,
                        range_of_factors(race::by(Solver::MULTIGRID)(fluid, 10)), 1e-3,
                        "least and most on the way to 1e-4");
        numbers.checked("  a V-cycle of the library", library,
                        range_of_factors(race::run_library(fluid, 10)), 1e-3,
                        "least and most on the way to 1e-4");
    }
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("52_fast: the fused sweep and the race, in numbers");
    numbers.checked("97 x 61: 5 fused sweeps less 5 plain ones", 0.0,
                    difference_of_fused(97, 61, 1, 5, 1), 0.0, "not a bit differs");
    numbers.checked("  the same, three threads", 0.0, difference_of_fused(97, 61, 1, 5, 3), 0.0,
                    "not a bit differs");
    numbers.checked("23 x 17 x 41: 2 fused, three threads", 0.0,
                    difference_of_fused(23, 17, 41, 2, 3), 0.0, "not a bit differs");
    numbers.checked("97 x 61: relax_row less a loop without zeros, times 1/4", 0.0,
                    difference_of_flat_rows(97, 61, 3), 0.0, "not a bit differs");
    const std::string counted = "counted, in a cache of 64 rows";
    numbers.checked("bytes a cell: a sweep of red_black", 96.0,
                    bytes_of_colours(bytes_with_matrix, 64), 0.1, counted);
    numbers.checked("  a sweep by relax_row, not fused", 48.0,
                    bytes_of_colours(bytes_of_p_and_rhs, 64), 0.1, counted);
    for (const int sweeps : {1, 4, 8, 16}) {
        numbers.checked("  one of " + std::to_string(sweeps) + " fused sweeps", 24.0 / sweeps,
                        bytes_of_fused(sweeps, 64), 0.1, counted);
    }
    numbers.checked("  one of 8, in a cache of 8 rows", 54.0, bytes_of_fused(8, 8), 0.5,
                    "counted: the rows leave the cache between stages");
    add_counts(numbers);
    add_library(numbers);
    numbers.checked("multigrid to 1e-6: iterations at 64 x 64, 256 x 256, 32 x 32 x 32", {7, 7, 8},
                    {iterations_of_multigrid(64, 64, 1), iterations_of_multigrid(256, 256, 1),
                     iterations_of_multigrid(32, 32, 32)},
                    0.0, measured);
    add_factors(numbers);
    for (const auto& [n, floor] : {std::pair(64, 6.7e-5), {128, 2.74e-4}, {256, 1.09e-3}}) {
        numbers.checked(
            std::to_string(n) + " x " + std::to_string(n) + ", smooth: least residual in float",
            floor, float_floor(n), 0.1 * floor, measured + "; grows with n squared");
    }
    return numbers.print();
}
