// Given: the ranks of MPI, and PETSc's solvers for the equations of a step. A function of PETSc
// returns an error code. We need not look at it, since our own error handler has ended all ranks by
// then (see end_all_ranks). Include many.hpp first.
#pragma once

#include <mpi.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "53_many/costs.hpp"

namespace many {

/// Something that all ranks refuse alike, in one line.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline int rank_of_this() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

inline int count_ranks() {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

/// Says why in one line, and ends all ranks with status 2. Where several of them are in the same
/// trouble, the first of these says it: it ends the others before they have waited long enough.
[[noreturn]] inline void end_all_ranks(const std::string& why) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500 * std::min(rank_of_this(), 8)));
    std::fprintf(stderr, "53_many: %s\n", why.c_str());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
}

/// What PETSc calls when something is wrong. (When PetscMalloc gets no memory, PETSC_ERR_MEM is not
/// always what it reports.)
inline PetscErrorCode on_error(MPI_Comm, int, const char* function, const char*,
                               PetscErrorCode code, PetscErrorType type, const char* words, void*) {
    if (type == PETSC_ERROR_INITIAL) {
        const std::string where = function ? function : "";
        std::string line = std::string(words ? words : "") + " (" + where + ")";
        for (char& letter : line) {
            letter = letter == '\n' ? ' ' : letter;
        }
        const bool is_memory = code == PETSC_ERR_MEM || where.find("Malloc") != std::string::npos;
        end_all_ranks(is_memory ? "not enough memory; choose a smaller --n" : "PETSc: " + line);
    }
    return code;
}

/// What the ranks took, since they were asked last.
struct Costs {
    double seconds = 0.0;  ///< in steps
    double waiting = 0.0;  ///< of these, in calls to MPI that wait for other ranks
    double bytes = 0.0;  ///< sent to other ranks
    double messages = 0.0;
};

/// The seconds that this rank has spent in MPI's functions below.
inline double& seconds_waited() {
    static double seconds = 0.0;
    return seconds;
}

/// Adds its own lifetime to seconds_waited.
class Waiting {
  public:
    Waiting() = default;
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { seconds_waited() += MPI_Wtime() - began_; }

  private:
    double began_ = MPI_Wtime();
};

/// What this rank has sent in all. PETSc counts its own messages, and also those of this file,
/// since its headers make MPI_Isend a macro that counts.
inline Sent sent_so_far() {
    return {petsc_isend_len + petsc_send_len, petsc_isend_ct + petsc_send_ct};
}

}  // namespace many

// We and PETSc wait for other ranks in these functions of MPI. A program may define any of them
// anew, to measure it, and call the original by another name, which begins with P. (The brackets
// around their names keep PETSc's macros of the same names away.)
extern "C" {

[[gnu::used]] inline int(MPI_Allreduce)(const void* own, void* of_all, int count, MPI_Datatype type,
                                        MPI_Op operation, MPI_Comm ranks) {
    const many::Waiting waiting;
    return PMPI_Allreduce(own, of_all, count, type, operation, ranks);
}

[[gnu::used]] inline int(MPI_Waitall)(int count, MPI_Request* requests, MPI_Status* states) {
    const many::Waiting waiting;
    return PMPI_Waitall(count, requests, states);
}

[[gnu::used]] inline int(MPI_Waitany)(int count, MPI_Request* requests, int* which,
                                      MPI_Status* state) {
    const many::Waiting waiting;
    return PMPI_Waitany(count, requests, which, state);
}

}  // extern "C"

namespace many {

/// How many numbers a matrix stores, zeros included, over its rows. All ranks must ask together.
inline double entries_per_row(Mat matrix) {
    MatInfo all;
    MatGetInfo(matrix, MAT_GLOBAL_SUM, &all);
    PetscInt rows = 0;
    MatGetSize(matrix, &rows, nullptr);
    return all.nz_used / static_cast<double>(rows);
}

/// Fills a rank's part of a vector with number(i, j, k) for each of these points.
template <class Number>
void fill_vector(const Part& part, const Points& owned, Vec vector, Number number) {
    double* values = nullptr;
    VecGetArray(vector, &values);
    std::size_t at = 0;
    for_each_point_of(part, owned, [&](int i, int j, int k) {
        values[at] = number(i, j, k);
        ++at;
    });
    VecRestoreArray(vector, &values);
}

/// A as a PETSc matrix, of which each rank has the rows of its own points.
inline Mat make_matrix(const Part& part, const Matrix& A, Ranks& ranks) {
    Field numbers = A.diagonal;
    number_points(part, numbers, ranks);
    const Points owned = owned_points(part, part.rank, extra_points(part.fluid, A.diagonal));
    const PetscInt rows = count_points(owned);
    Mat matrix = nullptr;
    MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 7, nullptr, 6,
                 nullptr, &matrix);
    for_each_point_of(part, owned, [&](int i, int j, int k) {
        const PetscInt row = static_cast<PetscInt>(numbers(i, j, k));
        for (const Entry& entry : matrix_row(A, numbers, i, j, k)) {
            const PetscInt column = static_cast<PetscInt>(entry.column);
            MatSetValues(matrix, 1, &row, 1, &column, &entry.value, INSERT_VALUES);
        }
    });
    MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
    MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE);
    return matrix;
}

/// Tells PETSc in which closed components a constant may be added to the solution.
inline void attach_null_space(const Part& part, Mat matrix, Ranks& ranks) {
    const Field& cells = part.fluid.density;
    std::vector<Vec> constants;
    for (const std::vector<int>& points : part.fluid.closed) {
        std::vector<double> count = {static_cast<double>(points.size())};
        ranks.sum(count);
        Field constant(cells.nx, cells.ny, cells.nz, cells.origin);
        for (const int point : points) {
            constant.values[point] = 1.0 / std::sqrt(count[0]);  // so that its length is 1
        }
        Vec vector = nullptr;
        MatCreateVecs(matrix, &vector, nullptr);
        fill_vector(part, owned_points(part, part.rank, {0, 0, 0}), vector,
                    [&](int i, int j, int k) { return constant(i, j, k); });
        constants.push_back(vector);
    }
    if (!constants.empty()) {
        MatNullSpace space = nullptr;
        MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, static_cast<PetscInt>(constants.size()),
                           constants.data(), &space);
        MatSetNullSpace(matrix, space);
        MatNullSpaceDestroy(&space);
    }
    for (Vec& vector : constants) {
        VecDestroy(&vector);
    }
}

/// The equations of one name as PETSc solves them, kept as long as A is the same.
struct System {
    std::optional<Matrix> A;
    KSP solver = nullptr;
    Vec x = nullptr, b = nullptr;
    double stored_in_a_row = 0.0;  ///< numbers that PETSc stores of A, over its rows
    double tolerance = -1.0;
    int iterations = -1;

    System() = default;
    System(const System&) = delete;
    System& operator=(const System&) = delete;
    ~System() { clear(); }

    void clear() {
        KSPDestroy(&solver);
        VecDestroy(&x);
        VecDestroy(&b);
        A.reset();
        tolerance = -1.0;
    }

    /// Tells PETSc when to stop, but what follows the lone -- goes before that.
    void choose_tolerance(double to, int most) {
        if (tolerance != to || iterations != most) {
            tolerance = to;
            iterations = most;
            KSPSetTolerances(solver, to, 1e-300, 1e30, most);
            KSPSetFromOptions(solver);
        }
    }
};

/// All ranks of MPI_COMM_WORLD.
class MpiRanks : public Ranks {
  public:
    int count() const override { return count_ranks(); }
    int rank() const override { return rank_of_this(); }

    void send(int to, const std::vector<double>& numbers) override {
        if (numbers.empty()) {
            return;
        }
        MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, to, 0,
                  MPI_COMM_WORLD, &begun_.emplace_back());
    }

    void receive(int from, std::vector<double>& numbers) override {
        if (numbers.empty()) {
            return;
        }
        MPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, from, 0,
                  MPI_COMM_WORLD, &begun_.emplace_back());
    }

    void wait() override {
        MPI_Waitall(static_cast<int>(begun_.size()), begun_.data(), MPI_STATUSES_IGNORE);
        begun_.clear();
    }

    void sum(std::vector<double>& numbers) override {
        MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                      MPI_SUM, MPI_COMM_WORLD);
    }

    double largest(double number) override {
        MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return number;
    }

    std::vector<double> join(const std::vector<double>& numbers) override {
        const int own = static_cast<int>(numbers.size());
        std::vector<int> sizes(count()), begins(count());
        MPI_Allgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
        for (int rank = 1; rank < count(); ++rank) {
            begins[rank] = begins[rank - 1] + sizes[rank - 1];
        }
        std::vector<double> all(begins.back() + sizes.back());
        MPI_Allgatherv(numbers.data(), own, MPI_DOUBLE, all.data(), sizes.data(), begins.data(),
                       MPI_DOUBLE, MPI_COMM_WORLD);
        return all;
    }

    std::vector<double> solve(const Part& part, const std::string& name, const Matrix& A, Field& x,
                              const Field& b) override {
        System& system = systems_[name];
        if (any(system.A != A)) {
            make_system(part, name, A, system);
        }
        const Points owned = owned_points(part, part.rank, extra_points(part.fluid, x));
        fill_vector(part, owned, system.b,
                    [&](int i, int j, int k) { return right_hand_side_at(A, x, b, i, j, k); });
        fill_vector(part, owned, system.x,
                    [&](int i, int j, int k) { return A.has(i, j, k) ? x(i, j, k) : 0.0; });
        system.choose_tolerance(part.fluid.tolerance, part.fluid.iterations);
        KSPSolve(system.solver, system.b, system.x);
        const double* values = nullptr;
        VecGetArrayRead(system.x, &values);
        std::size_t at = 0;
        for_each_point_of(part, owned, [&](int i, int j, int k) {
            if (A.has(i, j, k)) {
                x(i, j, k) = values[at];
            }
            ++at;
        });
        VecRestoreArrayRead(system.x, &values);
        return residuals_of(system);
    }

    /// The equations of that name, or null if they have not been solved.
    const System* system(const std::string& name) const {
        const auto found = systems_.find(name);
        return found == systems_.end() ? nullptr : &found->second;
    }

    /// Forgets all equations.
    void clear() { systems_.clear(); }

  private:
    std::vector<MPI_Request> begun_;
    std::map<std::string, System> systems_;

    /// Conjugate gradients. For the pressure they are preconditioned by algebraic multigrid. The
    /// others need few iterations, unless diffusivity dt / h^2 is large.
    void make_system(const Part& part, const std::string& name, const Matrix& A, System& system) {
        system.clear();
        system.A = A;
        Mat matrix = make_matrix(part, A, *this);
        KSPCreate(PETSC_COMM_WORLD, &system.solver);
        KSPSetType(system.solver, KSPCG);
        KSPSetNormType(system.solver, KSP_NORM_UNPRECONDITIONED);
        KSPSetInitialGuessNonzero(system.solver, PETSC_TRUE);
        KSPSetResidualHistory(system.solver, nullptr, PETSC_DECIDE, PETSC_TRUE);
        PC preconditioner = nullptr;
        KSPGetPC(system.solver, &preconditioner);
        if (name == "pressure") {
            attach_null_space(part, matrix, *this);
            PCSetType(preconditioner, PCGAMG);
        } else {
            PCSetType(preconditioner, PCNONE);
            KSPSetOptionsPrefix(system.solver, (name + "_").c_str());
        }
        KSPSetOperators(system.solver, matrix, matrix);
        system.stored_in_a_row = entries_per_row(matrix);
        MatCreateVecs(matrix, &system.x, &system.b);
        MatDestroy(&matrix);
    }

    /// The residuals of the last solution, over the length of b, or of the first residual if this
    /// is longer.
    static std::vector<double> residuals_of(const System& system) {
        double size = 0.0;
        VecNorm(system.b, NORM_2, &size);
        const double* history = nullptr;
        PetscInt count = 0;
        KSPGetResidualHistory(system.solver, &history, &count);
        size = std::max(size, count > 0 ? history[0] : 0.0);
        std::vector<double> residuals = {size > 0.0 ? history[0] / size : 0.0};
        for (PetscInt k = 1; k < count; ++k) {
            residuals.push_back(size > 0.0 ? history[k] / size : 0.0);
        }
        return residuals;
    }
};

// ---- The same by PETSc's own object for boxes
// ----------------------------------------------------

/// Makes a DMDA of a field: PETSc shares its points as owned_points does, and numbers them as
/// number_points does. A star stencil leaves out the ghost points at corners.
inline DM make_dmda(const Part& part, const Field& field, DMDAStencilType stencil) {
    const Three extra = extra_points(part.fluid, field);
    Three points;
    std::array<std::vector<PetscInt>, 3> owned;  // how many points the ranks own along each axis
    int between = 1;  // neighbours along the axis have numbers that differ by so much
    for (int axis = 0; axis < 3; ++axis) {
        points[axis] = part.n[axis] + extra[axis];
        for (int at = 0; at < part.shares[axis]; ++at) {
            const Points points_at = owned_points(part, at * between, extra);
            owned[axis].push_back(points_at.end[axis] - points_at.begin[axis]);
        }
        between *= part.shares[axis];
    }
    DM grid = nullptr;
    DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, stencil,
                 points[0], points[1], points[2], part.shares[0], part.shares[1], part.shares[2], 1,
                 part.ghosts, owned[0].data(), owned[1].data(), owned[2].data(), &grid);
    DMSetUp(grid);
    return grid;
}

/// Does what exchange does, for one field.
inline void exchange_by_dmda(const Part& part, DM grid, Field& field) {
    const Three extra = extra_points(part.fluid, field);
    Vec owned = nullptr, block = nullptr;
    DMGetGlobalVector(grid, &owned);
    DMGetLocalVector(grid, &block);
    fill_vector(part, owned_points(part, part.rank, extra), owned,
                [&](int i, int j, int k) { return field(i, j, k); });
    DMGlobalToLocal(grid, owned, INSERT_VALUES, block);
    const double* values = nullptr;
    VecGetArrayRead(block, &values);
    std::size_t at = 0;
    for_each_point_of(part, with_ghosts(part, part.rank, extra), [&](int i, int j, int k) {
        field(i, j, k) = values[at];
        ++at;
    });
    VecRestoreArrayRead(block, &values);
    DMRestoreLocalVector(grid, &block);
    DMRestoreGlobalVector(grid, &owned);
}

}  // namespace many
