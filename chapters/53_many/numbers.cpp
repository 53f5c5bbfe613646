// The table behind --numbers: what is recorded, or found another way, beside what the ranks find.
#include "many.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "53_many/session.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// Numbers without any pattern, from -size to size, the same on every machine.
void make_bumpy(Field& field, std::uint32_t seed, double size) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = size * (static_cast<double>(seed >> 8) / 8388608.0 - 1.0);
    }
}

/// A fluid with dye that flows along every axis.
Fluid bumpy_fluid(const Three& n) {
    Fluid fluid(n[0], n[1], n[2]);
    fluid.h = 0.5;
    fluid.force_y = 0.3;
    fluid.tolerance = 1e-12;
    make_bumpy(fluid.u, 1, 2.0);
    make_bumpy(fluid.v, 2, 2.0);
    make_bumpy(fluid.w, 3, 2.0);
    make_bumpy(fluid.density, 4, 1.0);
    set_bnd(fluid);
    return fluid;
}

double distance(const Field& a, const Field& b) {
    double largest = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        largest = std::max(largest, std::abs(a.values[cell] - b.values[cell]));
    }
    return largest;
}

/// 0 for what rounding leaves, which is another number on each machine.
double without_noise(double number) {
    return number < 1e-9 ? 0.0 : number;
}

Fluid solved_on_ranks(const Three& n, double tolerance) {
    Fluid fluid(n[0], n[1], n[2]);
    make_bumpy(fluid.rhs, 11, 1.0);
    fluid.tolerance = tolerance;
    many::session()->solve(fluid);
    return fluid;
}

double iterations_of(const Three& n) {
    return static_cast<double>(solved_on_ranks(n, 1e-8).residuals.size()) - 1.0;
}

many::Equations equations_of(const Three& n) {
    solved_on_ranks(n, 1e-8);
    return many::session()->equations();
}

/// How far the pressure that the ranks find is from that of 13_direct's direct solver.
double from_direct(const Three& n) {
    Fluid direct(n[0], n[1], n[2]);
    direct.matrix = pressure_matrix(direct);
    make_bumpy(direct.rhs, 11, 1.0);
    direct.solver = Solver::DIRECT;
    solve_pressure(direct);
    return without_noise(distance(solved_on_ranks(n, 1e-13).pressure, direct.pressure));
}

/// How far two steps on the ranks lead from two steps of 15_multigrid.
double from_step(const Three& n) {
    Fluid here = bumpy_fluid(n);
    Fluid there = here;
    many::session()->make_steps(there, 0.1, 2);
    step(here, 0.1);
    step(here, 0.1);
    return without_noise(
        std::max({distance(here.u, there.u), distance(here.v, there.v), distance(here.w, there.w),
                  distance(here.density, there.density)}));
}

/// What one field's exchange sends among so many ranks, in kilobytes: each ghost cell once.
double kilobytes_of_exchange(const Three& n, int ranks, int ghosts) {
    const Three shares = share_box(n, ranks);
    double cells = -1.0 * n[0] * n[1] * n[2];
    for (int z = 0; z < shares[2]; ++z) {
        for (int y = 0; y < shares[1]; ++y) {
            for (int x = 0; x < shares[0]; ++x) {
                Three begin, end;
                for (int axis = 0; axis < 3; ++axis) {
                    const int at = axis == 0 ? x : axis == 1 ? y : z;
                    begin[axis] = n[axis] * at / shares[axis];
                    end[axis] = n[axis] * (at + 1) / shares[axis];
                }
                const Field& block = make_part(n, begin, end, ghosts).fluid.density;
                cells += static_cast<double>(block.values.size());
            }
        }
    }
    return cells * sizeof(double) / 1000.0;
}

/// Amdahl's law: how many times as fast so many ranks are, if this share of the work is one's
/// alone.
double amdahl(double alone, double ranks) {
    return 1.0 / (alone + (1.0 - alone) / ranks);
}

/// What PETSc does with boxes of odd sides, where halving ends at once.
void add_odd_boxes(Numbers& numbers) {
    for (const Three& n : {Three{63, 65, 1}, {65, 65, 1}}) {
        const double iterations = iterations_of(n);
        const many::Equations& made = many::session()->equations();
        const int cells = n[0] * n[1];
        const bool is_too_large = cells > 4096;
        numbers.checked(std::to_string(n[0]) + " x " + std::to_string(n[1]) +
                            ", both odd: cells where halving ends",
                        cells, made.cells_left, 0.0, "all");
        numbers.checked("  is PETSc's algebraic multigrid used?", is_too_large ? 1.0 : 0.0,
                        made.preconditioner == "gamg" ? 1.0 : 0.0, 0.0,
                        is_too_large ? "yes, above 4096 cells" : "no, solved directly");
        numbers.checked("  grids", is_too_large ? 4.0 : 1.0, made.grids, is_too_large ? 1.0 : 0.0,
                        is_too_large ? "PETSc makes them from A" : "the box itself");
        numbers.checked("  to 1e-8: iterations", is_too_large ? 12.0 : 1.0, iterations,
                        is_too_large ? 3.0 : 0.0,
                        is_too_large ? "12 with PETSc 3.18" : "1, if it is solved directly");
    }
}

}  // namespace

bool numbers(const Program& program) {
    Numbers numbers("53_many: the same answer on any number of ranks");
    const std::string solved_at_once = "13_direct's direct solver";
    numbers.checked("12 x 9: the pressure's distance from the exact one", 0.0,
                    from_direct({12, 9, 1}), 1e-9, solved_at_once);
    numbers.checked("7 x 5 x 6: the same", 0.0, from_direct({7, 5, 6}), 1e-9, solved_at_once);
    numbers.checked("16 x 24: two steps' distance", 0.0, from_step({16, 24, 1}), 1e-9,
                    "15_multigrid's steps");
    numbers.checked("8 x 5 x 12: the same", 0.0, from_step({8, 5, 12}), 1e-9,
                    "15_multigrid's steps");
    std::vector<int> sizes = {64, 128};
    if (program.session.long_numbers) {
        sizes = {64, 128, 256, 512};
    }
    const bool is_alone = many::count_ranks() == 1;
    std::vector<double> iterations;
    for (const int n : sizes) {
        iterations.push_back(iterations_of({n, n, 1}));
        numbers.checked(std::to_string(n) + " x " + std::to_string(n) + " to 1e-8: iterations",
                        is_alone ? 6.0 : 8.0, iterations.back(), is_alone ? 0.0 : 1.0,
                        "6 on one rank, 8 or 9 on more");
    }
    numbers.checked("  the largest box needs more by", 0.0, iterations.back() - iterations.front(),
                    0.0, "does not grow");
    numbers.checked("128 x 128: numbers that A stores in a row", 5.0 - 4.0 / 128,
                    equations_of({128, 128, 1}).entries_per_row, 1e-12, "5, and less at walls");
    numbers.checked("32 x 32 x 32: the same", 7.0 - 6.0 / 32,
                    equations_of({32, 32, 32}).entries_per_row, 1e-12, "7, and less at walls");
    add_odd_boxes(numbers);
    numbers.checked("512 x 512, a field's exchange, kB: on 2 ranks", 8.192,
                    kilobytes_of_exchange({512, 512, 1}, 2, 1), 1e-9,
                    "2 x 512 cells, 8 bytes each");
    numbers.checked("  on 4 ranks", 16.416, kilobytes_of_exchange({512, 512, 1}, 4, 1), 1e-9,
                    "four blocks of 257^2, less the box");
    numbers.checked("  on 4 ranks, 3 layers of ghost cells", 49.44,
                    kilobytes_of_exchange({512, 512, 1}, 4, 3), 1e-9,
                    "four blocks of 259^2, less the box");
    numbers.checked("256^3 on 8 ranks, a field, kB", 3170.368,
                    kilobytes_of_exchange({256, 256, 256}, 8, 1), 1e-9,
                    "eight blocks of 129^3, less the box");
    numbers.checked("Amdahl, a twentieth alone: on 4, 64 ranks", {3.478, 15.422},
                    {amdahl(0.05, 4), amdahl(0.05, 64)}, 1e-3, "1 / (s + (1 - s) / ranks)");
    return numbers.print();
}
