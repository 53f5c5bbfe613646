// The table behind --numbers: how many iterations multigrid takes, and what its parts are worth.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "window/trial_boxes.hpp"

namespace {

using namespace workbook;

/// What twenty sweeps leave of half a wave from wall to wall, in n x n cells.
double left_of_half_wave(int n) {
    const Matrix A = trial::closed(n, n, 1);
    const Field nothing(n, n, 1, A.diagonal.origin);
    Field error = nothing;
    for_each_point(error, [&](int i, int j, int k) {
        error(i, j, k) = std::cos(std::numbers::pi * (i + 0.5) / n);
    });
    const double before = std::sqrt(dot(error, error));
    for (int sweep = 0; sweep < 20; ++sweep) {
        gauss_seidel(A, error, nothing);
    }
    subtract_mean(error);
    return std::sqrt(dot(error, error)) / before;
}

/// The energy of x: the sum of weight times difference squared.
double energy(const Matrix& A, const Field& x) {
    Field product = x;
    multiply(A, x, product);
    return dot(x, product);
}

/// The energy of a slope in a row of n cells, and of the steps that are its means in blocks of two.
std::pair<double, double> energy_of_slope_and_steps(int n) {
    const Matrix A = trial::closed(n, 1, 1);
    Field slope = A.diagonal;
    Field steps = A.diagonal;
    for (int i = 0; i < n; ++i) {
        slope(i, 0, 0) = i + 0.5;
        const int block = i / 2;
        steps(i, 0, 0) = 2.0 * block + 1.0;
    }
    return {energy(A, slope), energy(A, steps)};
}

/// What is not as in solver.hpp in a cycle: the factor of the prolongation, how often grids coarser
/// than the second are visited, and whether the second sweep goes back.
struct Cycle {
    double factor = 1.9;
    int visits = 2;
    bool is_back = true;
};

void cycle_with(std::vector<Level>& levels, std::size_t l, Field& x, const Field& b,
                const Cycle& cycle) {
    const Matrix& A = levels[l].A;
    const int visits = l < 2 ? 1 : cycle.visits;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    for (int visit = 0; visit < visits; ++visit) {
        gauss_seidel(A, x, b);
        if (l + 1 < levels.size()) {
            Level& coarser = levels[l + 1];
            restrict_residual(levels[l], x, b, coarser.b);
            cycle_with(levels, l + 1, coarser.x, coarser.b, cycle);
            for (double& value : coarser.x.values) {
                value *= cycle.factor / 1.9;
            }
            prolong(levels[l], x, coarser.x);
        }
        if (cycle.is_back) {
            gauss_seidel_back(A, x, b);
        } else {
            gauss_seidel(A, x, b);
        }
    }
}

double iterations_with(const Matrix& A, const Cycle& cycle) {
    std::vector<Level> levels = make_levels(A);
    return trial::iterations_of(A, trial::random_rhs(A), 1e-6, [&](Field& z, const Field& r) {
        cycle_with(levels, 0, z, r, cycle);
    });
}

/// The residual after 200 iterations, where both sweeps go forth.
double left_without_symmetry(const Matrix& A) {
    std::vector<Level> levels = make_levels(A);
    const Field b = trial::random_rhs(A);
    Field x(b.nx, b.ny, b.nz, b.origin);
    return conjugate_gradients(
               A, x, b, 1e-6, 200,
               [&](Field& z, const Field& r) { cycle_with(levels, 0, z, r, {.is_back = false}); })
        .back();
}

/// The iterations where the coarse grids are those of an empty box.
double iterations_with_grids_of_empty_box(const Matrix& A) {
    const Field& points = A.diagonal;
    std::vector<Level> levels = make_levels(trial::closed(points.nx, points.ny, points.nz));
    levels[0].A = A;
    return trial::iterations_of(A, trial::random_rhs(A), 1e-6, [&](Field& z, const Field& r) {
        multigrid_cycle(levels, 0, z, r);
    });
}

/// The work of a cycle, in sweeps: two sweeps, a restriction and a prolongation in each visit of a
/// grid. A grid coarser than the second is visited so many times as often as the one before.
double work_of_cycle(int nx, int ny, int nz, int visits) {
    const std::vector<Level> levels = make_levels(trial::closed(nx, ny, nz));
    double looks = 0.0;
    double times = 1.0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        times *= l < 2 ? 1 : visits;
        looks += 4.0 * times * static_cast<double>(levels[l].x.values.size());
    }
    return looks / (1.0 * nx * ny * nz);
}

/// The iterations of a step, on the average of forty: from 0 as `solve_pressure` begins, and from
/// the last pressure.
std::pair<double, double> iterations_from_zero_and_last() {
    Fluid fluid(128, 128, 1);
    fluid.tolerance = 1e-6;
    double from_zero = 0.0;
    double from_last = 0.0;
    for (int count = 0; count < 40; ++count) {
        for (int i = 40; i < 56; ++i) {
            add_velocity(fluid, i + count, 60, 0, {10.0, 4.0, 0.0});
        }
        Field x = fluid.pressure;
        step(fluid, 0.1);
        from_zero += static_cast<double>(fluid.residuals.size()) - 1.0;
        const auto cycle = [&](Field& z, const Field& r) {
            multigrid_cycle(fluid.levels, 0, z, r);
        };
        from_last += static_cast<double>(
                         conjugate_gradients(fluid.matrix, x, fluid.rhs, 1e-6, 200, cycle).size()) -
                     1.0;
    }
    return {from_zero / 40.0, from_last / 40.0};
}

void add_multigrid(Numbers& numbers, const std::string& box, const Matrix& A, double expected) {
    numbers.checked(box + ": multigrid", expected,
                    trial::iterations_of_multigrid(A, trial::random_rhs(A)), 1.0, "as recorded");
}

/// The iterations of multigrid, and of the solvers of 14_gradients.
void add_all(Numbers& numbers, const std::string& box, const Matrix& A, double multigrid,
             double preconditioned, double plain) {
    const Field b = trial::random_rhs(A);
    add_multigrid(numbers, box, A, multigrid);
    numbers.checked(
        "  symmetric Gauss-Seidel", preconditioned,
        trial::iterations_of(A, b, 1e-6,
                             [&](Field& z, const Field& r) { symmetric_gauss_seidel(A, z, r); }),
        5.0, "as recorded");
    numbers.checked("  no preconditioner", plain,
                    trial::iterations_of(A, b, 1e-6, [](Field& z, const Field& r) { z = r; }), 9.0,
                    "as recorded");
}

}  // namespace

bool numbers(const Program& window) {
    Numbers numbers("15_multigrid: iterations to a residual of 1e-6");
    numbers.checked("half a wave in 64 x 64 cells: twenty sweeps leave", 0.9757,
                    left_of_half_wave(64), 1e-4, "as recorded");
    numbers.checked("  in 8 x 8 cells", 0.1581, left_of_half_wave(8), 1e-4, "as recorded");
    const auto [slope, steps] = energy_of_slope_and_steps(8);
    numbers.checked("8 cells in a row: the energy of a slope", 7.0, slope, 1e-12, "by hand");
    numbers.checked("  of its steps", 12.0, steps, 1e-12, "by hand");
    numbers.checked("a cycle, in sweeps: 64 x 64", 5.96875, work_of_cycle(64, 64, 1, 2), 1e-9,
                    "4 (1 + 1/4 + 2/16 + 4/64 + ... + 32/4096)");
    numbers.checked("  32 x 32 x 32", 4.66602, work_of_cycle(32, 32, 32, 2), 1e-5,
                    "4 (1 + 1/8 + 2/64 + ... + 16/32768)");
    const Matrix square = trial::closed(128, 128, 1);
    for (const auto& [factor, expected] :
         {std::pair(1.0, 18), {1.5, 9}, {1.9, 7}, {2.0, 7}, {2.5, 9}}) {
        numbers.checked("128 x 128, copies times " + std::to_string(factor).substr(0, 3), expected,
                        iterations_with(square, {.factor = factor}), 1.0, "as recorded");
    }
    numbers.checked("  both sweeps forth: what 200 leave", 7.3e-6, left_without_symmetry(square),
                    1e-6, "as recorded");
    add_all(numbers, "64 x 64", trial::closed(64, 64, 1), 7, 90, 224);
    add_all(numbers, "128 x 128", square, 7, 157, 445);
    add_all(numbers, "256 x 256", trial::closed(256, 256, 1), 7, 307, 873);
    add_all(numbers, "32 x 32 x 32", trial::closed(32, 32, 32), 8, 55, 154);
    add_all(numbers, "1024 x 16", trial::closed(1024, 16, 1), 7, 523, 1487);
    add_multigrid(numbers, "97 x 1", trial::closed(97, 1, 1), 10);
    add_multigrid(numbers, "61 x 37", trial::closed(61, 37, 1), 7);
    add_multigrid(numbers, "128 x 128, open on the right", trial::outflow(128, 128, 1), 8);
    add_multigrid(numbers, "128 x 128, open at the top", trial::open_top(128, 128, 1), 9);
    add_multigrid(numbers, "128 x 128, a disc, open on the right", trial::street(128), 9);
    add_multigrid(numbers, "128 x 128, water, theta 0.05", trial::water(128, 0.05), 9);
    add_multigrid(numbers, "128 x 128, a wall with a gap", trial::wall_with_gap(128), 8);
    numbers.checked("  coarse grids without the wall", 28,
                    iterations_with_grids_of_empty_box(trial::wall_with_gap(128)), 2.0,
                    "as recorded");
    add_multigrid(numbers, "64 x 64, a diagonal wall", trial::diagonal_wall(64), 9);
    add_multigrid(numbers, "128 x 128, a diagonal wall", trial::diagonal_wall(128), 8);
    add_multigrid(numbers, "128 x 128, a wall at column 61, a gap of one cell",
                  trial::thin_wall(128, 61, 0), 10);
    add_multigrid(numbers, "  at column 125", trial::thin_wall(128, 125, 0), 10);
    add_multigrid(numbers, "128 x 128, gaps of one cell", trial::lattice(128), 14);
    add_multigrid(numbers, "128 x 128, 30 % solids", trial::random_solids(128), 35);
    add_all(numbers, "64 x 64, a labyrinth", trial::labyrinth(64), 27, 306, 867);
    const auto [from_zero, from_last] = iterations_from_zero_and_last();
    numbers.checked("a stroke, 128 x 128: iterations of a step", 7.0, from_zero, 0.1,
                    "as recorded");
    numbers.checked("  from the last pressure", 7.0, from_last, 0.1, "as recorded");
    if (window.session.long_numbers) {
        add_all(numbers, "512 x 512", trial::closed(512, 512, 1), 7, 609, 1724);
        add_all(numbers, "96 x 96 x 96", trial::closed(96, 96, 96), 8, 154, 440);
        add_multigrid(numbers, "512 x 512, open at the top", trial::open_top(512, 512, 1), 9);
        add_multigrid(numbers, "96 x 96 x 96, open at the top", trial::open_top(96, 96, 96), 10);
        add_multigrid(numbers, "512 x 512, a disc, open on the right", trial::street(512), 8);
        add_multigrid(numbers, "512 x 512, water, theta 0.05", trial::water(512, 0.05), 9);
    }
    return numbers.print();
}
