// What a step takes on the ranks of 53_many, for tests/on_a_cluster.sh: no rank has the whole box.
// A stream around a body, with viscosity and smoke.
//
// usage: mpiexec -n RANKS many_ranks NX NY NZ STEPS [WHAT] [PETSC'S OPTIONS...]
//   --one       the same box in 31_smoke first, on the first rank, which must have room for it
//   --matrix    instead: what a product with A costs, if it stores what matrix_row returns, and if
//               PETSc makes it for a box stencil
//   --dmda      instead: an exchange by hand, and the same by PETSc's DMDA
//   --costs     instead: what a step and a product send, by formula and by count; what the solvers
//               compute; and how much memory a rank takes
//   --overlap   instead: an exchange and then all cells, or the inner cells while messages travel
//   --pressure  instead: the grids that PETSc derives for the pressure, and the time that they take
#include "many.hpp"

#ifdef __linux__
#include <sched.h>
#endif
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "53_many/petsc.hpp"

namespace {

constexpr double tolerance = 1e-6;
constexpr double dt = 0.5;

/// A fluid with the parameters of the stream.
Fluid stream_of(const Three& n) {
    Fluid fluid(n[0], n[1], n[2]);
    fluid.nu = 0.02;
    fluid.beta = 0.01;
    fluid.advection = Advection::SHARP;
    fluid.tolerance = tolerance;
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[0].velocity = {1.0, 0.0, 0.0};
    fluid.sides[1].opening = Opening::OUTFLOW;
    return fluid;
}

/// Fills a fluid whose first cell is `first` in a box of n cells: the stream, a body, and smoke.
void fill_stream(const Three& n, const Three& first, Fluid& fluid) {
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 1.0);
    std::fill(fluid.u_given.values.begin(), fluid.u_given.values.end(), 0.0);
    for_each_point(fluid.u_given, [&](int i, int j, int k) {
        if (i + first[0] == 0) {
            fluid.u_given(i, j, k) = 1.0;
        }
    });
    for_each_point(fluid.solid, [&](int i, int j, int k) {
        const double x = i + first[0] - 0.3 * n[0];
        const double y = j + first[1] - 0.52 * n[1];
        fluid.solid(i, j, k) = std::hypot(x, y) < 0.1 * n[1] ? 1.0 : 0.0;
        fluid.source(i, j, k) = i + first[0] < 4 && (j + first[1]) % 32 < 16 ? 5.0 : 0.0;
    });
    set_bnd(fluid);
}

/// How long something takes.
struct Times {
    double seconds;
    double processor;  ///< seconds for which this rank's program kept cores busy

    static Times now() { return {MPI_Wtime(), static_cast<double>(std::clock()) / CLOCKS_PER_SEC}; }
    Times until_now(int steps) const {
        const Times end = now();
        return {(end.seconds - seconds) / steps, (end.processor - processor) / steps};
    }
};

void print(const std::string& what, const Times& step, double fastest, double iterations,
           double waiting, const many::Sent& sent) {
    std::printf("%-14s %10.4f %10.4f %10.4f %10.1f %9.0f %12.0f %10.0f\n", what.c_str(),
                step.seconds, fastest, step.processor, iterations, 100.0 * waiting, sent.bytes,
                sent.messages);
}

void measure_one(const Three& n, int steps) {
    Fluid fluid = stream_of(n);
    fill_stream(n, {0, 0, 0}, fluid);
    step(fluid, dt);
    double iterations = 0.0;
    double fastest = 1e300;
    const Times began = Times::now();
    for (int made = 0; made < steps; ++made) {
        const Times step_began = Times::now();
        step(fluid, dt);
        fastest = std::min(fastest, step_began.until_now(1).seconds);
        iterations += static_cast<double>(fluid.residuals.size()) - 1.0;
    }
    print("31_smoke", began.until_now(steps), fastest, iterations / steps, 0.0, {});
}

/// This rank's part of a box.
Part part_of(const Three& n, int ghosts) {
    const Three shares = share_box(n, many::count_ranks());
    if (shares[0] == 0) {
        throw many::Refused("the ranks cannot share that box; choose fewer ranks");
    }
    const Fluid like = stream_of({1, 1, 1});
    std::array<Side, 6> sides;
    const Fluid whole_sides = stream_of({1, 1, n[2] == 1 ? 1 : 2});
    std::copy(std::begin(whole_sides.sides), std::end(whole_sides.sides), sides.begin());
    Part part = make_part(n, shares, many::rank_of_this(), ghosts, like, sides);
    fill_stream(n, part.first, part.fluid);
    return part;
}

/// The sum of what all ranks have sent since then.
many::Sent sent_since(const many::Sent& before) {
    const many::Sent now = many::sent_so_far();
    double sums[2] = {now.bytes - before.bytes, now.messages - before.messages};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return {sums[0], sums[1]};
}

void measure_ranks(const Three& n, int steps) {
    many::MpiRanks ranks;
    Part part = part_of(n, 2);
    step(part, dt, ranks);
    const double waited = many::seconds_waited();
    const many::Sent sent = many::sent_so_far();
    double iterations = 0.0;
    double fastest = 1e300;
    const Times began = Times::now();
    for (int made = 0; made < steps; ++made) {
        const Times step_began = Times::now();
        step(part, dt, ranks);
        fastest = std::min(fastest, step_began.until_now(1).seconds);
        iterations += static_cast<double>(part.fluid.residuals.size()) - 1.0;
    }
    const Times took = began.until_now(steps);
    const many::Sent all = sent_since(sent);
    std::vector<double> waiting = {(many::seconds_waited() - waited) / steps / took.seconds /
                                   many::count_ranks()};
    ranks.sum(waiting);
    if (many::rank_of_this() == 0) {
        print(std::to_string(many::count_ranks()) + " ranks", took, fastest, iterations / steps,
              waiting[0], {all.bytes / steps, all.messages / steps});
    }
}

/// Seconds of processor time that this rank takes for a product with a matrix.
double seconds_of_product(Mat matrix) {
    constexpr int products = 10;
    Vec x = nullptr, product = nullptr;
    MatCreateVecs(matrix, &x, &product);
    VecSetRandom(x, nullptr);
    MatMult(matrix, x, product);
    const Times began = Times::now();
    for (int made = 0; made < products; ++made) {
        MatMult(matrix, x, product);
    }
    const Times took = began.until_now(products);
    VecDestroy(&x);
    VecDestroy(&product);
    return took.processor;
}

/// A of a closed box, once with what matrix_row returns, and once with all places that PETSc keeps
/// for a box stencil. The two take turns, and of each the fastest counts, so that other programs
/// disturb both alike.
void measure_matrix(const Three& n, int turns) {
    many::MpiRanks ranks;
    Part part = part_of(n, 1);
    part.fluid = Fluid(part.fluid.nx, part.fluid.ny, part.fluid.nz);
    const Matrix A = pressure_matrix(part.fluid);
    DM grid = many::make_dmda(part, part.fluid.density, DMDA_STENCIL_BOX);
    Mat matrices[2] = {many::make_matrix(part, A, ranks), nullptr};
    DMCreateMatrix(grid, &matrices[1]);
    Field numbers = A.diagonal;
    number_points(part, numbers, ranks);
    for_each_point_of(part, owned_points(part, part.rank, {0, 0, 0}), [&](int i, int j, int k) {
        const PetscInt row = static_cast<PetscInt>(numbers(i, j, k));
        for (const Entry& entry : matrix_row(A, numbers, i, j, k)) {
            const PetscInt column = static_cast<PetscInt>(entry.column);
            MatSetValues(matrices[1], 1, &row, 1, &column, &entry.value, INSERT_VALUES);
        }
    });
    MatAssemblyBegin(matrices[1], MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(matrices[1], MAT_FINAL_ASSEMBLY);
    double seconds[2] = {1e300, 1e300};
    for (int turn = 0; turn < turns; ++turn) {
        for (const int which : {0, 1}) {
            seconds[which] = std::min(seconds[which], seconds_of_product(matrices[which]));
        }
    }
    const double entries[2] = {many::entries_per_row(matrices[0]),
                               many::entries_per_row(matrices[1])};
    if (many::rank_of_this() == 0) {
        std::printf("%-14s %14s %12s %6s\n", "A", "entries a row", "ms a product", "ratio");
        for (const int which : {0, 1}) {
            std::printf("%-14s %14.3f %12.3f %6.2f\n", which == 0 ? "our rows" : "box stencil",
                        entries[which], 1000.0 * seconds[which], seconds[which] / seconds[0]);
        }
    }
    MatDestroy(&matrices[0]);
    MatDestroy(&matrices[1]);
    DMDestroy(&grid);
}

/// An exchange by hand, and by PETSc's DMDA: what they send, and how far their results are apart.
void compare_with_dmda(const Three& n) {
    many::MpiRanks ranks;
    Part part = part_of(n, 2);
    double apart = 0.0;
    for (Field* field : {&part.fluid.u, &part.fluid.v, &part.fluid.w, &part.fluid.density}) {
        Field by_hand = *field;
        number_points(part, by_hand, ranks);
        Field by_dmda = by_hand;
        DM grid = many::make_dmda(part, *field, DMDA_STENCIL_BOX);
        many::exchange_by_dmda(part, grid, by_dmda);  // its first one sends what it needs to know
        many::Sent before = many::sent_so_far();
        exchange(part, {&by_hand}, ranks);
        const many::Sent hand = sent_since(before);
        before = many::sent_so_far();
        many::exchange_by_dmda(part, grid, by_dmda);
        const many::Sent dmda = sent_since(before);
        for (std::size_t point = 0; point < by_hand.values.size(); ++point) {
            apart = std::max(apart, std::abs(by_hand.values[point] - by_dmda.values[point]));
        }
        if (many::rank_of_this() == 0) {
            std::printf("by hand: %.0f bytes, %.0f messages; by DMDA: %.0f, %.0f\n", hand.bytes,
                        hand.messages, dmda.bytes, dmda.messages);
        }
        DMDestroy(&grid);
    }
    apart = ranks.largest(apart);
    if (many::rank_of_this() == 0) {
        std::printf("apart: %g\n", apart);
    }
}

/// All ranks, and what their solvers take.
class MeasuringRanks : public many::MpiRanks {
  public:
    many::Sent sent;  ///< in solves
    double flops = 0.0;  ///< likewise
    double processor = 0.0;  ///< seconds, likewise

    std::vector<double> solve(const Part& part, const std::string& name, const Matrix& A, Field& x,
                              const Field& b) override {
        const many::Sent before = many::sent_so_far();
        const Times began = Times::now();
        double flops_before = 0.0, flops_now = 0.0;
        PetscGetFlops(&flops_before);
        const std::vector<double> residuals = MpiRanks::solve(part, name, A, x, b);
        PetscGetFlops(&flops_now);
        const many::Sent now = many::sent_so_far();
        flops += flops_now - flops_before;
        processor += began.until_now(1).processor;
        sent.bytes += now.bytes - before.bytes;
        sent.messages += now.messages - before.messages;
        return residuals;
    }
};

/// Prints what all ranks send by formula and by count.
void print_sent(const std::string& what, const many::Sent& formula, const many::Sent& count) {
    if (many::rank_of_this() == 0) {
        std::printf("%s: by formula %.0f bytes, %.0f messages; by count %.0f, %.0f\n", what.c_str(),
                    formula.bytes, formula.messages, count.bytes, count.messages);
    }
}

/// A product with A of a closed box.
void count_product(const Three& n) {
    MeasuringRanks ranks;
    Part part = part_of(n, 1);
    part.fluid = Fluid(part.fluid.nx, part.fluid.ny, part.fluid.nz);
    Mat matrix = many::make_matrix(part, pressure_matrix(part.fluid), ranks);
    Vec x = nullptr, product = nullptr;
    MatCreateVecs(matrix, &x, &product);
    MatMult(matrix, x, product);
    const many::Sent before = many::sent_so_far();
    MatMult(matrix, x, product);
    print_sent("a product", many::sent_by_product(n, part.shares), sent_since(before));
    VecDestroy(&x);
    VecDestroy(&product);
    MatDestroy(&matrix);
}

/// Prints how much memory a rank has taken, and on how many cores it may run: 1 if it is bound.
void print_memory_and_cores(const Part& part, Ranks& ranks) {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const double kilobytes = ranks.largest(static_cast<double>(usage.ru_maxrss));
    double most = 0.0;
#ifdef __linux__
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    most = ranks.largest(CPU_COUNT(&cores));
#endif
    if (many::rank_of_this() == 0) {
        std::printf("memory: at most %.1f MB a rank, %.0f bytes a cell of its block\n",
                    kilobytes / 1000.0,
                    1024.0 * kilobytes / static_cast<double>(part.fluid.density.values.size()));
        std::printf("a rank may run on at most %.0f cores\n", most);
    }
}

/// What a step of the stream costs, but for seconds.
void measure_costs(const Three& n) {
    MeasuringRanks ranks;
    Part part = part_of(n, 2);
    step(part, dt, ranks);  // makes the matrices and the coarse grids, too
    ranks.sent = {};
    ranks.flops = 0.0;
    ranks.processor = 0.0;
    const Times began = Times::now();
    const many::Sent before = many::sent_so_far();
    step(part, dt, ranks);
    const double processor = began.until_now(1).processor;
    many::Sent exchanges = sent_since(before);
    std::vector<double> sums = {ranks.sent.bytes, ranks.sent.messages, ranks.flops, ranks.processor,
                                processor};
    ranks.sum(sums);
    exchanges.bytes -= sums[0];
    exchanges.messages -= sums[1];
    print_sent("the exchanges of a step", many::sent_by_formula(part), exchanges);
    if (many::rank_of_this() == 0) {
        const double cells = 1.0 * n[0] * n[1] * n[2];
        std::printf("the solvers of a step: %.0f bytes, %.0f messages, %.0f operations a cell\n",
                    sums[0], sums[1], sums[2] / cells);
        std::printf("processor time a cell: %.2f us in solvers, %.2f us in all else\n",
                    1e6 * sums[3] / cells, 1e6 * (sums[4] - sums[3]) / cells);
    }
    print_memory_and_cores(part, ranks);
    count_product(n);
}

/// All ranks, one of which computes something while its messages are under way.
class BusyRanks : public many::MpiRanks {
  public:
    std::function<void()> meanwhile;

    void wait() override {
        if (meanwhile) {
            meanwhile();
        }
        MpiRanks::wait();
    }
};

/// Sums up the neighbours of each of these cells, of several fields.
void sum_neighbours(const Part& part, const std::vector<Field*>& fields, const Points& cells,
                    Field& sums) {
    for (const Field* field : fields) {
        for_each_point_of(part, cells, [&](int i, int j, int k) {
            for (const auto& [di, dj, dk] : neighbours) {
                if (field->has(i + di, j + dj, k + dk)) {
                    sums(i, j, k) += (*field)(i + di, j + dj, k + dk);
                }
            }
        });
    }
}

/// The cells of a rank that have no ghost cell beside them.
Points inner_cells(const Part& part) {
    Points inner = owned_points(part, part.rank, {0, 0, 0});
    for (int axis = 0; axis < 3; ++axis) {
        inner.begin[axis] += inner.begin[axis] > 0 ? 1 : 0;
        inner.end[axis] -= inner.end[axis] < part.n[axis] ? 1 : 0;
    }
    return inner;
}

/// The others: slabs that do not overlap.
std::vector<Points> outer_cells(const Part& part) {
    Points rest = owned_points(part, part.rank, {0, 0, 0});
    const Points inner = inner_cells(part);
    std::vector<Points> slabs;
    for (int axis = 0; axis < 3; ++axis) {
        Points before = rest, behind = rest;
        before.end[axis] = inner.begin[axis];
        behind.begin[axis] = inner.end[axis];
        slabs.push_back(before);
        slabs.push_back(behind);
        rest.begin[axis] = inner.begin[axis];
        rest.end[axis] = inner.end[axis];
    }
    return slabs;
}

/// The fewest seconds that each of these acts takes on the slowest rank. They take turns, so that
/// other programs disturb all alike.
std::vector<double> fastest_in_turns(Ranks& ranks, int turns,
                                     const std::vector<std::function<void()>>& acts) {
    std::vector<double> fastest(acts.size(), 1e300);
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t which = 0; which < acts.size(); ++which) {
            MPI_Barrier(MPI_COMM_WORLD);
            const Times began = Times::now();
            acts[which]();
            const double seconds = ranks.largest(began.until_now(1).seconds);
            fastest[which] = std::min(fastest[which], seconds);
        }
    }
    return fastest;
}

/// The sum of the neighbours of each own cell, in three fields: once after an exchange, and once
/// for the inner cells while it is under way.
void measure_overlap(const Three& n, int turns) {
    BusyRanks ranks;
    Part part = part_of(n, 1);
    const std::vector<Field*> fields = {&part.fluid.density, &part.fluid.temperature,
                                        &part.fluid.smoke};
    for (Field* field : fields) {
        number_points(part, *field, ranks);
    }
    const Points all = owned_points(part, part.rank, {0, 0, 0});
    Field after(part.fluid.nx, part.fluid.ny, part.fluid.nz, part.fluid.density.origin);
    Field meanwhile = after;
    const auto exchange_first = [&] {
        std::fill(after.values.begin(), after.values.end(), 0.0);
        exchange(part, fields, ranks);
        sum_neighbours(part, fields, all, after);
    };
    const auto overlap = [&] {
        std::fill(meanwhile.values.begin(), meanwhile.values.end(), 0.0);
        ranks.meanwhile = [&] { sum_neighbours(part, fields, inner_cells(part), meanwhile); };
        exchange(part, fields, ranks);
        ranks.meanwhile = nullptr;
        for (const Points& slab : outer_cells(part)) {
            sum_neighbours(part, fields, slab, meanwhile);
        }
    };
    const std::vector<double> seconds = fastest_in_turns(
        ranks, turns, {[&] { exchange(part, fields, ranks); }, exchange_first, overlap});
    double apart = 0.0;
    for (std::size_t cell = 0; cell < after.values.size(); ++cell) {
        apart = std::max(apart, std::abs(after.values[cell] - meanwhile.values[cell]));
    }
    apart = ranks.largest(apart);
    if (many::rank_of_this() == 0) {
        std::printf(
            "an exchange takes %.3f ms; then all cells %.3f ms; inner cells meanwhile %.3f "
            "ms, %.3f times as long; apart: %g\n",
            1000.0 * seconds[0], 1000.0 * seconds[1], 1000.0 * seconds[2], seconds[2] / seconds[1],
            apart);
    }
}

/// Prints the grids that PETSc has derived.
void print_grids(KSP solver) {
    PC grids = nullptr;
    KSPGetPC(solver, &grids);
    PetscBool has_grids = PETSC_FALSE;
    PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(grids), &has_grids, PCGAMG, PCMG, "");
    if (!has_grids) {
        return;
    }
    PetscInt levels = 0, coarsest = 0;
    double cells = 0.0, entries = 0.0;
    KSP coarse = nullptr;
    Mat matrix = nullptr;
    PCMGGetLevels(grids, &levels);
    PCMGGetGridComplexity(grids, &cells, &entries);
    PCMGGetCoarseSolve(grids, &coarse);
    KSPGetOperators(coarse, &matrix, nullptr);
    MatGetSize(matrix, &coarsest, nullptr);
    if (many::rank_of_this() == 0) {
        std::printf("%d grids, the coarsest of %d points; they store %.2f times what A stores\n",
                    static_cast<int>(levels), static_cast<int>(coarsest), entries);
    }
}

/// The pressure's equations for a right-hand side without any pattern: PETSc's grids, and the
/// fastest of so many solutions.
void measure_pressure(const Three& n, int turns) {
    MeasuringRanks ranks;
    Part part = part_of(n, 1);
    update_matrix(part, ranks);
    Field rhs = part.fluid.rhs;
    number_points(part, rhs, ranks);
    for (double& value : rhs.values) {
        value = std::fmod(value * 0.6180339887498949, 1.0) - 0.5;
    }
    const std::function<void()> solve = [&] {
        part.fluid.rhs = rhs;
        solve_pressure(part, ranks);
    };
    const auto counted = [&] {
        std::vector<double> sums = {ranks.flops, ranks.sent.messages};
        ranks.sum(sums);
        ranks.flops = 0.0;
        ranks.sent = {};
        sums[0] /= 1.0 * n[0] * n[1] * n[2];
        return sums;
    };
    const double first = fastest_in_turns(ranks, 1, {solve})[0];
    const std::vector<double> with_set_up = counted();
    const double again = fastest_in_turns(ranks, turns, {solve})[0];
    const std::vector<double> solutions = counted();
    print_grids(ranks.system("pressure")->solver);
    if (many::rank_of_this() == 0) {
        const double operations = solutions[0] / turns;
        const double messages = solutions[1] / turns;
        std::printf("set-up: %.0f operations a cell, %.0f messages, %.1f ms\n",
                    with_set_up[0] - operations, with_set_up[1] - messages,
                    1000.0 * (first - again));
        std::printf("solution: %d iterations, %.0f operations a cell, %.0f messages, %.1f ms\n",
                    static_cast<int>(part.fluid.residuals.size()) - 1, operations, messages,
                    1000.0 * again);
    }
}

void measure(const std::string& what, const Three& n, int steps) {
    if (what == "--matrix") {
        measure_matrix(n, steps);
        return;
    }
    if (what == "--dmda") {
        compare_with_dmda(n);
        return;
    }
    if (what == "--costs") {
        measure_costs(n);
        return;
    }
    if (what == "--overlap") {
        measure_overlap(n, steps);
        return;
    }
    if (what == "--pressure") {
        measure_pressure(n, steps);
        return;
    }
    if (what == "--one" && many::rank_of_this() == 0) {
        std::printf("%-14s %10s %10s %10s %10s %9s %12s %10s\n", "a step on", "seconds", "fastest",
                    "processor", "iterations", "waiting %", "bytes sent", "messages");
        measure_one(n, steps);
    }
    measure_ranks(n, steps);
}

}  // namespace

int main(int argc, char** argv) {
    PetscInitialize(&argc, &argv, nullptr, nullptr);
    PetscPushErrorHandler(many::on_error, nullptr);
    Three n = {1, 1, 1};
    int steps = 0;
    bool is_good = argc >= 5;
    for (int at = 0; is_good && at < 4; ++at) {
        int& number = at < 3 ? n[at] : steps;
        number = std::atoi(argv[at + 1]);
        is_good = number >= 1;
    }
    if (!is_good) {
        many::end_all_ranks(
            "usage: many_ranks NX NY NZ STEPS [--one | --matrix | --dmda | --costs | --overlap | "
            "--pressure] [PETSc's options...]");
    }
    try {
        measure(argc >= 6 ? argv[5] : "", n, steps);
    } catch (const many::Refused& refused) {
        many::end_all_ranks(refused.what());
    } catch (const std::bad_alloc&) {
        many::end_all_ranks("not enough memory; choose a smaller box or more ranks");
    }
    PetscFinalize();
    return 0;
}
