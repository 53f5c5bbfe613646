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

/// A V-cycle as in solver.hpp, but with another factor than 1.9, and without the way back if asked.
void cycle_with(std::vector<Level>& levels, std::size_t l, Field& x, const Field& b, double factor,
                bool is_back) {
    const Matrix& A = levels[l].A;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    gauss_seidel(A, x, b);
    if (l + 1 < levels.size()) {
        Level& coarser = levels[l + 1];
        restrict_residual(A, x, b, coarser.b);
        cycle_with(levels, l + 1, coarser.x, coarser.b, factor, is_back);
        for (double& value : coarser.x.values) {
            value *= factor / 1.9;
        }
        prolong(A, x, coarser.x);
    }
    if (is_back) {
        gauss_seidel_back(A, x, b);
    } else {
        gauss_seidel(A, x, b);
    }
}

double iterations_with(const Matrix& A, double factor) {
    std::vector<Level> levels = make_levels(A);
    return trial::iterations_of(A, trial::random_rhs(A), 1e-6, [&](Field& z, const Field& r) {
        cycle_with(levels, 0, z, r, factor, true);
    });
}

/// The residual after 200 iterations, where both sweeps go forth.
double left_without_symmetry(const Matrix& A) {
    std::vector<Level> levels = make_levels(A);
    const Field b = trial::random_rhs(A);
    Field x(b.nx, b.ny, b.nz, b.origin);
    return conjugate_gradients(
               A, x, b, 1e-6, 200,
               [&](Field& z, const Field& r) { cycle_with(levels, 0, z, r, 1.9, false); })
        .back();
}

/// The iterations where the coarse grids are those of an empty box.
double iterations_with_grids_of_empty_box(const Matrix& A) {
    const Field& points = A.diagonal;
    std::vector<Level> levels = make_levels(trial::closed(points.nx, points.ny, points.nz));
    levels[0].A = A;
    return trial::iterations_of(A, trial::random_rhs(A), 1e-6,
                                [&](Field& z, const Field& r) { v_cycle(levels, 0, z, r); });
}

/// The work of a V-cycle, in sweeps: on each grid two sweeps, a restriction and a prolongation.
double work_of_cycle(int nx, int ny, int nz) {
    double looks = 0.0;
    for (const Level& level : make_levels(trial::closed(nx, ny, nz))) {
        looks += 4.0 * static_cast<double>(level.x.values.size());
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
        const auto cycle = [&](Field& z, const Field& r) { v_cycle(fluid.levels, 0, z, r); };
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
    numbers.checked("a V-cycle, in sweeps: 64 x 64", 16.0 / 3.0, work_of_cycle(64, 64, 1), 0.01,
                    "4 (1 + 1/4 + 1/16 + ...)");
    numbers.checked("  32 x 32 x 32", 32.0 / 7.0, work_of_cycle(32, 32, 32), 0.01,
                    "4 (1 + 1/8 + 1/64 + ...)");
    const Matrix square = trial::closed(128, 128, 1);
    for (const auto& [factor, expected] :
         {std::pair(1.0, 34), {1.5, 15}, {1.9, 8}, {2.0, 8}, {2.5, 14}}) {
        numbers.checked("128 x 128, copies times " + std::to_string(factor).substr(0, 3), expected,
                        iterations_with(square, factor), 1.0, "as recorded");
    }
    numbers.checked("  both sweeps forth: what 200 leave", 1.1e-5, left_without_symmetry(square),
                    1e-6, "as recorded");
    add_all(numbers, "64 x 64", trial::closed(64, 64, 1), 8, 90, 224);
    add_all(numbers, "128 x 128", square, 8, 157, 445);
    add_all(numbers, "256 x 256", trial::closed(256, 256, 1), 8, 307, 873);
    add_all(numbers, "32 x 32 x 32", trial::closed(32, 32, 32), 9, 55, 154);
    add_all(numbers, "1024 x 16", trial::closed(1024, 16, 1), 10, 523, 1487);
    add_multigrid(numbers, "97 x 1", trial::closed(97, 1, 1), 11);
    add_multigrid(numbers, "61 x 37", trial::closed(61, 37, 1), 8);
    add_multigrid(numbers, "128 x 128, open on the right", trial::outflow(128, 128, 1), 11);
    add_multigrid(numbers, "128 x 128, open at the top", trial::open_top(128, 128, 1), 12);
    add_multigrid(numbers, "128 x 128, a disc, open on the right", trial::street(128), 11);
    add_multigrid(numbers, "128 x 128, water, theta 0.05", trial::water(128, 0.05), 10);
    add_multigrid(numbers, "128 x 128, a wall with a gap", trial::wall_with_gap(128), 10);
    numbers.checked("  coarse grids without the wall", 28,
                    iterations_with_grids_of_empty_box(trial::wall_with_gap(128)), 2.0,
                    "as recorded");
    add_multigrid(numbers, "64 x 64, a diagonal wall", trial::diagonal_wall(64), 16);
    add_multigrid(numbers, "128 x 128, a diagonal wall", trial::diagonal_wall(128), 21);
    add_multigrid(numbers, "128 x 128, gaps of one cell", trial::lattice(128), 19);
    add_multigrid(numbers, "128 x 128, 30 % solids", trial::random_solids(128), 39);
    add_all(numbers, "64 x 64, a labyrinth", trial::labyrinth(64), 62, 306, 867);
    const auto [from_zero, from_last] = iterations_from_zero_and_last();
    numbers.checked("a stroke, 128 x 128: iterations of a step", 8.0, from_zero, 0.1,
                    "as recorded");
    numbers.checked("  from the last pressure", 7.0, from_last, 0.1, "as recorded");
    if (window.session.long_numbers) {
        add_all(numbers, "512 x 512", trial::closed(512, 512, 1), 9, 609, 1724);
        add_all(numbers, "96 x 96 x 96", trial::closed(96, 96, 96), 10, 154, 440);
        add_multigrid(numbers, "512 x 512, a disc, open on the right", trial::street(512), 13);
        add_multigrid(numbers, "512 x 512, water, theta 0.05", trial::water(512, 0.05), 12);
    }
    return numbers.print();
}
