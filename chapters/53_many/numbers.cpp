// The table behind --numbers: what is recorded, or found another way, beside what the ranks find.
#include "many.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
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

/// A box that is open on the right, with a round body in it.
Fluid channel(const Three& n) {
    Fluid fluid(n[0], n[1], n[2]);
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[0].velocity = {1.0, 0.0, 0.0};
    fluid.sides[1].opening = Opening::OUTFLOW;
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            fluid.u_given(0, j, k) = 1.0;
            for (int i = 0; i < n[0]; ++i) {
                const double x = (i + 0.5) / n[0] - 0.45;
                const double y = (j + 0.5) / n[1] - 0.55;
                const bool is_body = x * x + y * y < 0.02;
                fluid.solid(i, j, k) = is_body ? 1.0 : 0.0;
            }
        }
    }
    return fluid;
}

/// A channel in which all that a step knows is at work.
Fluid busy_channel(const Three& n) {
    Fluid fluid = channel(n);
    fluid.h = 0.1;
    fluid.force_y = 0.3;
    fluid.nu = 0.01;
    fluid.kappa = 0.02;
    fluid.alpha = 0.2;
    fluid.beta = 0.5;
    fluid.epsilon = 0.3;
    fluid.tolerance = 1e-12;
    fluid.iterations = 1000;
    fluid.advection = Advection::SHARP;
    make_bumpy(fluid.u, 1, 0.5);
    make_bumpy(fluid.v, 2, 0.5);
    make_bumpy(fluid.w, 3, 0.5);
    make_bumpy(fluid.density, 4, 1.0);
    make_bumpy(fluid.temperature, 5, 1.0);
    make_bumpy(fluid.smoke, 6, 1.0);
    set_bnd(fluid);
    return fluid;
}

double distance(const Field& a, const Field& b) {
    double largest = 0.0;
    for (std::size_t point = 0; point < a.values.size(); ++point) {
        largest = std::max(largest, std::abs(a.values[point] - b.values[point]));
    }
    return largest;
}

/// 0 for what rounding leaves, which is another number on each machine.
double without_noise(double number) {
    return number < 1e-8 ? 0.0 : number;
}

/// The fluid after all ranks have solved for its pressure.
Fluid solved_on_ranks(Fluid fluid, double tolerance) {
    make_bumpy(fluid.rhs, 11, 1.0);
    fluid.tolerance = tolerance;
    many::session()->solve(fluid);
    return fluid;
}

double iterations_of(const Fluid& fluid, double tolerance) {
    return static_cast<double>(solved_on_ranks(fluid, tolerance).residuals.size()) - 1.0;
}

/// How many numbers PETSc stores of A for each row.
double stored_in_a_row(const Fluid& fluid) {
    solved_on_ranks(fluid, 1e-2);
    return many::session()->pressure().stored_in_a_row;
}

/// How far the pressure that the ranks find is from that of 13_direct's direct solver.
double from_direct(const Fluid& fluid) {
    Fluid direct = fluid;
    update_matrix(direct);
    make_bumpy(direct.rhs, 11, 1.0);
    for_each_point(direct.rhs, [&](int i, int j, int k) {
        if (!direct.matrix.has(i, j, k)) {
            direct.rhs(i, j, k) = 0.0;
        }
    });
    direct.solver = Solver::DIRECT;
    solve_pressure(direct);
    return without_noise(distance(solved_on_ranks(fluid, 1e-13).pressure, direct.pressure));
}

/// How far steps on the ranks lead from steps of 31_smoke.
double from_steps(const Three& n, int steps) {
    Fluid here = busy_channel(n);
    Fluid there = here;
    many::session()->make_steps(there, 0.05, steps);
    for (int made = 0; made < steps; ++made) {
        step(here, 0.05);
    }
    return without_noise(
        std::max({distance(here.u, there.u), distance(here.v, there.v), distance(here.w, there.w),
                  distance(here.density, there.density), distance(here.smoke, there.smoke),
                  distance(here.temperature, there.temperature)}));
}

/// What the exchange of one field of cells sends among so many ranks, in kilobytes: each ghost cell
/// once.
double kilobytes_of_exchange(const Three& n, int ranks, int layers) {
    return many::ghost_points(n, share_box(n, ranks), layers) * sizeof(double) / 1000.0;
}

/// Amdahl's law: how many times as fast so many ranks are, if this share of the work is one's
/// alone.
double amdahl(double alone, double ranks) {
    return 1.0 / (alone + (1.0 - alone) / ranks);
}

/// The iterations of the pressure in boxes of all sizes.
void add_iterations(Numbers& numbers, bool is_long) {
    std::vector<int> sizes = {64, 128};
    std::vector<int> deep_sizes = {32};
    if (is_long) {
        sizes = {64, 128, 256, 512};
        deep_sizes = {32, 48, 64, 96};
    }
    for (const int n : sizes) {
        numbers.checked(
            std::to_string(n) + " x " + std::to_string(n) + " to 1e-6: iterations", {9.0, 9.0},
            {iterations_of(Fluid(n, n, 1), 1e-6), iterations_of(channel({n, n, 1}), 1e-6)}, 6.0,
            "closed; a channel with a body: at most 15");
    }
    for (const int n : deep_sizes) {
        numbers.checked(
            std::to_string(n) + "^3: the same", {9.0, 9.0},
            {iterations_of(Fluid(n, n, n), 1e-6), iterations_of(channel({n, n, n}), 1e-6)}, 6.0,
            "at most 15");
    }
}

/// A step of so many ranks, by formula and by count: kilobytes and messages of all ranks.
void add_step(Numbers& numbers, const std::string& what, const Three& n, int ranks, int layers,
              const Fluid& like) {
    const Three shares = share_box(n, ranks);
    const Part part = make_part(n, shares, 0, layers, like, {});
    const many::Sent formula = many::sent_by_formula(part);
    const many::Sent count = many::sent_by_count(n, shares, layers, like);
    numbers.checked(what, {formula.bytes / 1000.0, formula.messages},
                    {count.bytes / 1000.0, count.messages}, 1e-9, "by formula; by count");
}

/// Kilobytes that a rank sends in a step on the mean, where each rank has so many cells, by formula
/// and by count.
void add_weak(Numbers& numbers, const std::string& what, const Three& cells,
              const std::vector<Three>& all_shares, const Fluid& like) {
    std::vector<double> formula, count;
    for (const Three& shares : all_shares) {
        const double ranks = shares[0] * shares[1] * shares[2];
        const Three n = {cells[0] * shares[0], cells[1] * shares[1], cells[2] * shares[2]};
        const Part part = make_part(n, shares, 0, 1, like, {});
        formula.push_back(many::sent_by_formula(part).bytes / 1000.0 / ranks);
        count.push_back(many::sent_by_count(n, shares, 1, like).bytes / 1000.0 / ranks);
    }
    numbers.checked(what, formula, count, 1e-9, "by formula; by count");
}

/// A plan for more cells than one machine holds: what each rank needs, and what a step of 1024^3
/// cells asks of 16 nodes of LUMI-C, each with two EPYC 7763 (204.8 GB/s of memory's bandwidth,
/// says AMD) and a network of 200 Gb/s.
void add_plan(Numbers& numbers) {
    constexpr double ranks = 512.0, nodes = 16.0;
    constexpr double bytes_a_cell = 2200.0;  // of memory, measured: see costs.md
    constexpr double operations = 1900.0;  // a cell, of the solvers in a step: likewise
    constexpr double bytes_an_operation = 6.0;  // a value and a column, 12 bytes, for two
    constexpr double microseconds = 2.5;  // a cell, of all other functions: likewise
    const Three n = {1024, 1024, 1024};
    Part part;
    part.n = n;
    part.shares = share_box(n, 512);
    part.ghosts = 2;
    part.fluid.advection = Advection::SHARP;
    const many::Sent step = many::sent_by_formula(part);
    const double cells = std::pow(1024.0, 3);
    numbers.checked("1024^3 on 512 ranks, 2 layers, a field, kB", 724086.272,
                    kilobytes_of_exchange(n, 512, 2), 1e-3, "512 blocks of 132^3, less the box");
    numbers.checked("  a sharp step: MB and messages a rank", {22.636, 98.98},
                    {step.bytes / 1e6 / ranks, step.messages / ranks}, 0.01,
                    "16 fields; 5 (22^3 - 512) messages");
    numbers.checked("  memory, GB: a rank, a node", {5.06, 161.9},
                    {std::pow(132.0, 3) * bytes_a_cell / 1e9,
                     std::pow(132.0, 3) * bytes_a_cell / 1e9 * ranks / nodes},
                    0.1, "132^3 cells of 2200 bytes");
    numbers.checked(
        "  s: network, memory's bandwidth, our functions", {0.029, 1.868, 5.243},
        {step.bytes / nodes / 25e9, cells * operations * bytes_an_operation / nodes / 409.6e9,
         cells * microseconds / 1e6 / ranks},
        0.01, "LUMI-C: 16 nodes, 25 and 409.6 GB/s each");
}

/// What the ranks send.
void add_costs(Numbers& numbers) {
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
    Fluid like(1, 1, 1);
    add_step(numbers, "64 x 48 on 4 ranks, a linear step: kB, messages", {64, 48, 1}, 4, 1, like);
    like.advection = Advection::SHARP;
    add_step(numbers, "24 x 20 x 16 on 8 ranks, a sharp step", {24, 20, 16}, 8, 1, like);
    add_weak(numbers, "32^2 cells a rank, kB a rank: on 1, 4, 16, 64 ranks", {32, 32, 1},
             {{1, 1, 1}, {2, 2, 1}, {4, 4, 1}, {8, 8, 1}}, like);
    add_weak(numbers, "8^3 cells a rank: on 1, 8, 64 ranks", {8, 8, 8},
             {{1, 1, 1}, {2, 2, 2}, {4, 4, 4}}, like);
    like.epsilon = 0.1;
    add_step(numbers, "64 x 48 on 4 ranks, sharp, with confinement", {64, 48, 1}, 4, 3, like);
    like.advection = Advection::REFLECTED;
    like.reflects_next = true;
    add_step(numbers, "  a step that reflects, too", {64, 48, 1}, 4, 3, like);
    add_plan(numbers);
}

}  // namespace

bool numbers(const Program& program) {
    Numbers numbers("53_many: the same answer on any number of ranks");
    const std::string solved_at_once = "13_direct's direct solver";
    numbers.checked("12 x 9: the pressure's distance from the exact one", 0.0,
                    from_direct(Fluid(12, 9, 1)), 1e-9, solved_at_once);
    numbers.checked("7 x 5 x 6: the same", 0.0, from_direct(Fluid(7, 5, 6)), 1e-9, solved_at_once);
    numbers.checked("17 x 13, a channel with a body: the same", 0.0,
                    from_direct(channel({17, 13, 1})), 1e-9, solved_at_once);
    numbers.checked("24 x 17: the distance of 20 steps", 0.0, from_steps({24, 17, 1}, 20), 1e-9,
                    "31_smoke's steps");
    numbers.checked("11 x 9 x 8: of 5 steps", 0.0, from_steps({11, 9, 8}, 5), 1e-9,
                    "31_smoke's steps");
    add_iterations(numbers, program.session.long_numbers);
    numbers.checked("128 x 128: numbers that A stores in a row", 5.0 - 4.0 / 128,
                    stored_in_a_row(Fluid(128, 128, 1)), 1e-12, "5, and less at walls");
    numbers.checked("32 x 32 x 32: the same", 7.0 - 6.0 / 32, stored_in_a_row(Fluid(32, 32, 32)),
                    1e-12, "7, and less at walls");
    add_costs(numbers);
    numbers.checked("Amdahl, a twentieth alone: on 4, 64 ranks", {3.478, 15.422},
                    {amdahl(0.05, 4), amdahl(0.05, 64)}, 1e-3, "1 / (s + (1 - s) / ranks)");
    return numbers.print();
}
