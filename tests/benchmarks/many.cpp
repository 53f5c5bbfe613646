// What a step takes on the ranks of 53_many, for tests/on_a_cluster.sh: no rank has the whole box.
// With --one, the same box in 15_multigrid and in the library first, on one thread of the first
// rank, which must have room for it. With --matrix instead, what A costs if PETSc makes it for a
// star stencil or for a box stencil.
//
// usage: mpiexec -n RANKS many NX NY NZ STEPS [--one | --matrix] [PETSC'S OPTIONS...]
#include "many.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "53_many/petsc.hpp"
#include "stable_fluids.h"

namespace {

constexpr double tolerance = 1e-6;

/// Smooth whirls, whose speed is at most a cell in a step of 1 s; `first` is the fluid's first cell
/// in a box of n cells. Before the projection they have a divergence.
void set_whirls(const Three& n, const Three& first, Fluid& fluid) {
    const auto wave = [&](int axis, int at, double waves) {
        return std::acos(-1.0) * waves * (at + first[axis]) / n[axis];
    };
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        const bool is_u = field == &fluid.u;
        for (int k = 0; k < field->nz; ++k) {
            for (int j = 0; j < field->ny; ++j) {
                for (int i = 0; i < field->nx; ++i) {
                    const double x = wave(0, i, 3.0), y = wave(1, j, 2.0), z = wave(2, k, 2.0);
                    (*field)(i, j, k) = 0.5 * (is_u                ? std::sin(x) * std::cos(y + z)
                                               : field == &fluid.v ? std::sin(y) * std::cos(x)
                                                                   : std::sin(z) * std::cos(x - y));
                }
            }
        }
    }
    fluid.tolerance = tolerance;
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

void print(const std::string& what, const Times& step, double iterations, double waiting,
           double bytes, double messages) {
    std::printf("%-14s %10.4f %10.4f %10.1f %9.0f %12.0f %10.0f\n", what.c_str(), step.seconds,
                step.processor, iterations, 100.0 * waiting, bytes, messages);
}

void measure_multigrid(const Three& n, int steps) {
    Fluid fluid(n[0], n[1], n[2]);
    set_whirls(n, {0, 0, 0}, fluid);
    set_bnd(fluid);
    step(fluid, 1.0);
    double iterations = 0.0;
    const Times began = Times::now();
    for (int made = 0; made < steps; ++made) {
        step(fluid, 1.0);
        iterations += static_cast<double>(fluid.residuals.size()) - 1.0;
    }
    print("15_multigrid", began.until_now(steps), iterations / steps, 0.0, 0.0, 0.0);
}

/// The library makes its steps in float.
void measure_library(const Three& n, int steps) {
    stable_fluids_scalar dye;
    stable_fluids_describe_scalar(&dye);
    stable_fluids_description description;
    stable_fluids_describe(&description);
    description.nx = n[0];
    description.ny = n[1];
    description.nz = n[2];
    description.h = 1.0f;
    description.viscosity = 0.0f;
    description.scalars = &dye;
    description.scalar_count = 1;
    description.backend = STABLE_FLUIDS_HOST;
    description.threads = 1;
    description.tolerance = static_cast<float>(tolerance);
    for (stable_fluids_face& face : description.faces) {
        face.flow = STABLE_FLUIDS_FREE_SLIP;
    }
    stable_fluids* fluid = nullptr;
    if (stable_fluids_create(&description, &fluid) != STABLE_FLUIDS_OK) {
        many::end_all_ranks(stable_fluids_error(nullptr));
    }
    Fluid whirls(n[0], n[1], n[2]);
    set_whirls(n, {0, 0, 0}, whirls);
    set_bnd(whirls);
    const Field* const fields[] = {&whirls.u, &whirls.v, &whirls.w};
    const std::int32_t names[] = {STABLE_FLUIDS_U, STABLE_FLUIDS_V, STABLE_FLUIDS_W};
    for (int axis = 0; axis < 3; ++axis) {
        const std::vector<float> values(fields[axis]->values.begin(), fields[axis]->values.end());
        stable_fluids_set(fluid, names[axis], values.data(), values.size());
    }
    double cycles = 0.0;
    stable_fluids_step(fluid, 1.0f, 1);
    stable_fluids_wait(fluid);
    const Times began = Times::now();
    for (int made = 0; made < steps; ++made) {
        stable_fluids_step(fluid, 1.0f, 1);
        stable_fluids_wait(fluid);
        stable_fluids_statistics statistics = {};
        statistics.size = sizeof statistics;
        stable_fluids_statistics_of(fluid, &statistics);
        cycles += statistics.pressure_cycles;
    }
    print("library", began.until_now(steps), cycles / steps, 0.0, 0.0, 0.0);
    stable_fluids_destroy(fluid);
}

void measure_ranks(const Three& n, int steps) {
    Fluid like(1, 1, 1);
    like.tolerance = tolerance;
    many::Ranks ranks;
    Part part = ranks.begin(n, like);
    set_whirls(n, part.first, part.fluid);
    step(part, 1.0, ranks);
    const double waited = many::seconds_waited();
    const auto [bytes, messages] = many::sent_so_far();
    double iterations = 0.0;
    const Times began = Times::now();
    for (int made = 0; made < steps; ++made) {
        step(part, 1.0, ranks);
        iterations += ranks.iterations;
    }
    const Times took = began.until_now(steps);
    double sums[3] = {
        (many::seconds_waited() - waited) / steps / took.seconds / many::count_ranks(),
        many::sent_so_far().first - bytes, many::sent_so_far().second - messages};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (many::rank_of_this() == 0) {
        print(std::to_string(many::count_ranks()) + " ranks", took, iterations / steps, sums[0],
              sums[1] / steps, sums[2] / steps);
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

/// Products with A, which PETSc makes for a star stencil and for a box stencil. The two take turns,
/// and of each the fastest counts, so that other programs disturb both alike.
void measure_matrix(const Three& n, int turns) {
    many::Ranks ranks;
    const Part part = ranks.begin(n, Fluid(1, 1, 1));
    const Three shares = share_box(n, many::count_ranks());
    Mat matrices[2] = {nullptr, nullptr};
    double seconds[2] = {1e300, 1e300};
    for (const bool is_box : {false, true}) {
        DM grid = many::make_grid(n, shares, count_halvings(n, shares), 1,
                                  is_box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR);
        matrices[is_box] = many::make_matrix(grid, part);
        DMDestroy(&grid);
    }
    for (int turn = 0; turn < turns; ++turn) {
        for (const int which : {0, 1}) {
            seconds[which] = std::min(seconds[which], seconds_of_product(matrices[which]));
        }
    }
    const double entries[2] = {many::entries_per_row(matrices[0]),
                               many::entries_per_row(matrices[1])};
    if (many::rank_of_this() == 0) {
        std::printf("%-14s %14s %12s %6s\n", "A for a", "entries a row", "ms a product", "ratio");
        for (const int which : {0, 1}) {
            std::printf("%-14s %14.3f %12.3f %6.2f\n", which == 0 ? "star stencil" : "box stencil",
                        entries[which], 1000.0 * seconds[which], seconds[which] / seconds[0]);
        }
    }
    MatDestroy(&matrices[0]);
    MatDestroy(&matrices[1]);
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
        many::end_all_ranks("usage: many NX NY NZ STEPS [--one | --matrix] [PETSc's options...]");
    }
    const std::string what = argc >= 6 ? argv[5] : "";
    try {
        if (what == "--one" && many::rank_of_this() == 0) {
            std::printf("%-14s %10s %10s %10s %9s %12s %10s\n", "a step on", "seconds", "processor",
                        "iterations", "waiting %", "bytes sent", "messages");
            measure_multigrid(n, steps);
            measure_library(n, steps);
        }
        if (what == "--matrix") {
            measure_matrix(n, steps);
        } else {
            measure_ranks(n, steps);
        }
    } catch (const many::Refused& refused) {
        many::end_all_ranks(refused.what());
    } catch (const std::bad_alloc&) {
        many::end_all_ranks("not enough memory; choose a smaller box or more ranks");
    }
    PetscFinalize();
    return 0;
}
