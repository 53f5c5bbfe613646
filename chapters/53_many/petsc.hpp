// Given: PETSc's objects for the box, and the calls to PETSc and MPI that a step makes. A function
// of PETSc returns an error code. We need not look at it, since our own error handler has ended all
// ranks by then (see end_all_ranks). Include many.hpp first.
#pragma once

#include <mpi.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
    std::this_thread::sleep_for(std::chrono::milliseconds(500 * std::min(rank_of_this(), 16)));
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

/// How many bytes PETSc has sent from this rank, and in how many messages.
inline std::pair<double, double> sent_so_far() {
    return {petsc_isend_len + petsc_send_len, petsc_isend_ct + petsc_send_ct};
}

}  // namespace many

// PETSc waits for other ranks in these functions of MPI. A program may define any of them anew, to
// measure it, and call the original by another name, which begins with P. (The brackets around
// their names keep PETSc's macros of the same names away.)
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

/// What PETSc has made of a box's equations, on all ranks together.
struct Equations {
    double entries_per_row = 0.0;  ///< numbers that A stores, over its rows
    std::string preconditioner;  ///< PETSc's name of it: "mg", or "gamg" for algebraic multigrid
    int cells_left = 0;  ///< where halving ends
    int grids = 0;  ///< of multigrid, the finest one included; 0 if it is not used
};

/// How many numbers a matrix stores, zeros included, over its rows. All ranks must ask together.
inline double entries_per_row(Mat matrix) {
    MatInfo all;
    MatGetInfo(matrix, MAT_GLOBAL_SUM, &all);
    PetscInt rows = 0;
    MatGetSize(matrix, &rows, nullptr);
    return all.nz_used / static_cast<double>(rows);
}

/// If halving ends with more cells than this, their equations are not solved directly.
constexpr int most_solved_directly = 4096;

/// A PETSc grid of n cells over the ranks, with so many ghost cells on each side: those at corners
/// as well, if its stencil is a box, and not if it is a star.
inline DM make_grid(const Three& n, const Three& ranks, int halvings, int ghosts,
                    DMDAStencilType stencil = DMDA_STENCIL_BOX) {
    std::vector<PetscInt> cells[3];
    for (int axis = 0; axis < 3; ++axis) {
        for (const int count : cells_of_ranks(n[axis], ranks[axis], halvings)) {
            cells[axis].push_back(count);
        }
    }
    DM grid = nullptr;
    DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, stencil,
                 n[0], n[1], n[2], ranks[0], ranks[1], ranks[2], 1, ghosts, cells[0].data(),
                 cells[1].data(), cells[2].data(), &grid);
    DMSetUp(grid);
    return grid;
}

/// A of the box, as a PETSc matrix of which each rank has the rows of its own cells. Its null
/// space, the constants, is attached. The grid must be a star. In a matrix for a box, PETSc would
/// store zeros for the corners, too, and multiply by them in each iteration.
inline Mat make_matrix(DM star, const Part& part) {
    Mat matrix = nullptr;
    DMCreateMatrix(star, &matrix);
    for (int k = part.begin[2]; k < part.end[2]; ++k) {
        for (int j = part.begin[1]; j < part.end[1]; ++j) {
            for (int i = part.begin[0]; i < part.end[0]; ++i) {
                const MatStencil row = {k, j, i, 0};
                for (const Entry& entry : matrix_row(part, {i, j, k})) {
                    const auto [x, y, z] = entry.cell;
                    const MatStencil column = {z, y, x, 0};
                    MatSetValuesStencil(matrix, 1, &row, 1, &column, &entry.value, INSERT_VALUES);
                }
            }
        }
    }
    MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
    MatNullSpace constants = nullptr;
    MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants);
    MatSetNullSpace(matrix, constants);
    MatNullSpaceDestroy(&constants);
    return matrix;
}

/// Prolongation from a coarse grid to the next finer one, as a PETSc matrix.
inline Mat make_prolongation(DM fine, const Three& n, DM coarse, const Three& coarse_n) {
    DMDALocalInfo own, below;
    DMDAGetLocalInfo(fine, &own);
    DMDAGetLocalInfo(coarse, &below);
    ISLocalToGlobalMapping rows = nullptr, columns = nullptr;
    DMGetLocalToGlobalMapping(fine, &rows);
    DMGetLocalToGlobalMapping(coarse, &columns);
    Mat matrix = nullptr;
    MatCreateAIJ(PETSC_COMM_WORLD, own.xm * own.ym * own.zm, below.xm * below.ym * below.zm,
                 PETSC_DETERMINE, PETSC_DETERMINE, 8, nullptr, 8, nullptr, &matrix);
    MatSetLocalToGlobalMapping(matrix, rows, columns);
    const auto place = [](const DMDALocalInfo& of, int i, int j, int k) {  // in the grid's block
        return i - of.gxs + of.gxm * (j - of.gys + of.gym * (k - of.gzs));
    };
    for (int k = own.zs; k < own.zs + own.zm; ++k) {
        for (int j = own.ys; j < own.ys + own.ym; ++j) {
            for (int i = own.xs; i < own.xs + own.xm; ++i) {
                for (const Entry& entry : prolongation_row(n, coarse_n, {i, j, k})) {
                    const auto [x, y, z] = entry.cell;
                    MatSetValueLocal(matrix, place(own, i, j, k), place(below, x, y, z),
                                     entry.value, ADD_VALUES);
                }
            }
        }
    }
    MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
    return matrix;
}

/// The box over all ranks of MPI_COMM_WORLD, as the `ranks` of step.
class Ranks {
  public:
    int iterations = 0;  ///< of the last solution
    std::vector<double> residuals;  ///< relative, before its first iteration and after each
    Equations equations;
    Costs costs;

    ~Ranks() { end(); }

    /// Makes this rank's part of a box of n cells, with the parameters of `like`. Throws Refused if
    /// there are more ranks than the box can be cut for.
    Part begin(const Three& n, const Fluid& like) {
        end();
        shares_ = share_box(n, count_ranks());
        if (shares_[0] == 0) {
            throw Refused(std::to_string(count_ranks()) + " ranks cannot share " + words_of(n) +
                          " cells, since each must own one along every axis; choose fewer ranks");
        }
        halvings_ = count_halvings(n, shares_);
        ghosts_ = 1;
        grid_ = make_grid(n, shares_, halvings_, 1);
        Part part = make_own_part(n, like);
        part.fluid.matrix = pressure_matrix(part.fluid);
        make_solver(part);
        return part;
    }

    /// Fills these fields' ghost cells with what their owners have. If a back-trace of `dt` seconds
    /// needs more ghost cells than there are, the part gets more first. Throws Refused if it would
    /// need cells from beyond the neighbours' parts.
    void exchange(Part& part, double dt, std::initializer_list<Field*> fields) {
        int needed = ghosts_needed(part, dt);
        MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (needed > ghosts_ && count_ranks() > 1) {
            widen(part, needed);
        }
        for (Field* field : fields) {
            exchange(part, *field);
        }
    }

    /// Solves for the pressure of the whole box, from 0, to fluid.tolerance, in at most
    /// fluid.iterations iterations; the mean of the result is 0. Fills the part's pressure.
    void solve_pressure(Part& part) {
        Vec rhs = nullptr, pressure = nullptr;
        DMGetGlobalVector(grid_, &rhs);
        DMGetGlobalVector(grid_, &pressure);
        put_owned(part, part.fluid.rhs, rhs);
        subtract_mean(rhs);
        choose_tolerance(part.fluid);
        KSPSolve(solver_, rhs, pressure);
        subtract_mean(pressure);
        remember_residuals(rhs);
        get_block(part, part.fluid.pressure, pressure);
        DMRestoreGlobalVector(grid_, &pressure);
        DMRestoreGlobalVector(grid_, &rhs);
    }

    /// Copies a field of the box, which the first rank has whole, into the parts.
    void scatter(Part& part, const Field* whole, Field& field) {
        Vec all = nullptr;
        VecScatter path = open_path(&all);
        if (whole) {
            double* values = nullptr;
            VecGetArray(all, &values);
            for (int k = 0; k < part.n[2]; ++k) {
                for (int j = 0; j < part.n[1]; ++j) {
                    for (int i = 0; i < part.n[0]; ++i) {
                        *values++ = (*whole)(i, j, k);
                    }
                }
            }
            VecRestoreArray(all, &values);
        }
        Vec owned = nullptr;
        DMGetGlobalVector(grid_, &owned);
        VecScatterBegin(path, all, natural_, INSERT_VALUES, SCATTER_REVERSE);
        VecScatterEnd(path, all, natural_, INSERT_VALUES, SCATTER_REVERSE);
        DMDANaturalToGlobalBegin(grid_, natural_, INSERT_VALUES, owned);
        DMDANaturalToGlobalEnd(grid_, natural_, INSERT_VALUES, owned);
        get_block(part, field, owned);
        DMRestoreGlobalVector(grid_, &owned);
        close_path(&path, &all);
    }

    /// Copies a field of the parts into one of the box, on the first rank; elsewhere `whole` is
    /// null.
    void gather(const Part& part, const Field& field, Field* whole) {
        Vec all = nullptr, owned = nullptr;
        VecScatter path = open_path(&all);
        DMGetGlobalVector(grid_, &owned);
        put_owned(part, field, owned);
        DMDAGlobalToNaturalBegin(grid_, owned, INSERT_VALUES, natural_);
        DMDAGlobalToNaturalEnd(grid_, owned, INSERT_VALUES, natural_);
        VecScatterBegin(path, natural_, all, INSERT_VALUES, SCATTER_FORWARD);
        VecScatterEnd(path, natural_, all, INSERT_VALUES, SCATTER_FORWARD);
        if (whole) {
            const double* values = nullptr;
            VecGetArrayRead(all, &values);
            for (int k = 0; k < part.n[2]; ++k) {
                for (int j = 0; j < part.n[1]; ++j) {
                    for (int i = 0; i < part.n[0]; ++i) {
                        (*whole)(i, j, k) = *values++;
                    }
                }
            }
            VecRestoreArrayRead(all, &values);
        }
        DMRestoreGlobalVector(grid_, &owned);
        close_path(&path, &all);
    }

    /// What follows the lone -- and PETSc has not made use of, or "".
    std::string unused_option() const {
        PetscInt count = 0;
        char **names = nullptr, **values = nullptr;
        PetscOptionsLeftGet(nullptr, &count, &names, &values);
        std::string first = count > 0 ? std::string("-") + names[0] : "";
        PetscOptionsLeftRestore(nullptr, &count, &names, &values);
        return first;
    }

    int ghosts() const { return ghosts_; }

    /// Gives a fluid the parameters of another.
    static void set_parameters(Fluid& fluid, const Fluid& like) {
        fluid.h = like.h;
        fluid.rho = like.rho;
        fluid.force_x = like.force_x;
        fluid.force_y = like.force_y;
        fluid.force_z = like.force_z;
        fluid.tolerance = like.tolerance;
        fluid.iterations = like.iterations;
    }

  private:
    Three shares_ = {1, 1, 1};
    int halvings_ = 0, ghosts_ = 1;
    DM grid_ = nullptr;
    KSP solver_ = nullptr;
    Vec natural_ = nullptr;
    double tolerance_ = -1.0;
    int most_iterations_ = -1;

    static std::string words_of(const Three& n) {
        return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
    }

    void end() {
        KSPDestroy(&solver_);
        DMDestroy(&grid_);
        tolerance_ = -1.0;
    }

    /// This rank's part, as PETSc has cut the box.
    Part make_own_part(const Three& n, const Fluid& like) const {
        DMDALocalInfo own;
        DMDAGetLocalInfo(grid_, &own);
        Part part = make_part(n, {own.xs, own.ys, own.zs},
                              {own.xs + own.xm, own.ys + own.ym, own.zs + own.zm}, ghosts_);
        set_parameters(part.fluid, like);
        return part;
    }

    void put_owned(const Part& part, const Field& field, Vec owned) const {
        double* values = nullptr;
        VecGetArray(owned, &values);
        const std::vector<double> mine = owned_values(part, field);
        std::copy(mine.begin(), mine.end(), values);
        VecRestoreArray(owned, &values);
    }

    void get_block(const Part& part, Field& field, Vec owned) const {
        Vec block = nullptr;
        DMGetLocalVector(grid_, &block);
        DMGlobalToLocal(grid_, owned, INSERT_VALUES, block);
        const double* values = nullptr;
        VecGetArrayRead(block, &values);
        fill_block(part, field, values);
        VecRestoreArrayRead(block, &values);
        DMRestoreLocalVector(grid_, &block);
    }

    void exchange(Part& part, Field& field) const {
        Vec owned = nullptr;
        DMGetGlobalVector(grid_, &owned);
        put_owned(part, field, owned);
        get_block(part, field, owned);
        DMRestoreGlobalVector(grid_, &owned);
    }

    /// Makes the part anew with more ghost cells.
    void widen(Part& part, int ghosts) {
        for (int axis = 0; axis < 3; ++axis) {
            const std::vector<int> cells = cells_of_ranks(part.n[axis], shares_[axis], halvings_);
            const int fewest = *std::min_element(cells.begin(), cells.end());
            if (shares_[axis] > 1 && ghosts > fewest) {
                throw Refused("in one step the fluid crosses " +
                              (ghosts < 1000000 ? std::to_string(ghosts) : "too many") +
                              " cells, and some rank owns only " + std::to_string(fewest) +
                              " along an axis; choose a smaller --dt or fewer ranks");
            }
        }
        ghosts_ = ghosts;
        const DM before = std::exchange(grid_, make_grid(part.n, shares_, halvings_, ghosts));
        Part wide = make_own_part(part.n, part.fluid);
        for (Field Fluid::*name :
             {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density, &Fluid::pressure}) {
            Vec owned = nullptr;
            DMGetGlobalVector(grid_, &owned);
            put_owned(part, part.fluid.*name, owned);
            get_block(wide, wide.fluid.*name, owned);
            DMRestoreGlobalVector(grid_, &owned);
        }
        part = std::move(wide);
        DM old = before;
        DMDestroy(&old);
    }

    void subtract_mean(Vec values) const {
        PetscInt count = 0;
        double sum = 0.0;
        VecGetSize(values, &count);
        VecSum(values, &sum);
        VecShift(values, -sum / count);
    }

    /// Conjugate gradients with V-cycles. Each prolongation interpolates, where 15_multigrid's
    /// copies, and each restriction is its transpose. Where many cells remain on the coarsest grid,
    /// algebraic multigrid instead.
    void make_solver(const Part& part) {
        KSPCreate(PETSC_COMM_WORLD, &solver_);
        KSPSetType(solver_, KSPCG);
        KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED);
        KSPSetResidualHistory(solver_, nullptr, PETSC_DECIDE, PETSC_TRUE);
        DM star = make_grid(part.n, shares_, halvings_, 1, DMDA_STENCIL_STAR);
        Mat matrix = make_matrix(star, part);
        DMDestroy(&star);
        KSPSetOperators(solver_, matrix, matrix);
        MatDestroy(&matrix);
        PC cycle = nullptr;
        KSPGetPC(solver_, &cycle);
        const auto coarsened = [&part](int halvings) {
            Three cells = part.n;
            for (int& count : cells) {
                count = std::max(1, count >> halvings);
            }
            return cells;
        };
        const Three coarsest = coarsened(halvings_);
        const int remaining = coarsest[0] * coarsest[1] * coarsest[2];
        if (remaining > most_solved_directly) {
            PCSetType(cycle, PCGAMG);
        } else {
            PCSetType(cycle, PCMG);
            PCMGSetLevels(cycle, halvings_ + 1, nullptr);
            PCMGSetGalerkin(cycle, PC_MG_GALERKIN_BOTH);
            DM fine = grid_;
            for (int halved = 1; halved <= halvings_; ++halved) {
                DM coarse = make_grid(coarsened(halved), shares_, halvings_ - halved, 1);
                Mat prolongation =
                    make_prolongation(fine, coarsened(halved - 1), coarse, coarsened(halved));
                PCMGSetInterpolation(cycle, halvings_ - halved + 1, prolongation);
                MatDestroy(&prolongation);
                if (fine != grid_) {
                    DMDestroy(&fine);
                }
                fine = coarse;
            }
            if (fine != grid_) {
                DMDestroy(&fine);
            }
            solve_coarsest(cycle, remaining);
        }
        KSPSetFromOptions(solver_);
        KSPSetUp(solver_);
        look_at_equations(remaining);
    }

    void look_at_equations(int cells_left) {
        Mat matrix = nullptr;
        KSPGetOperators(solver_, &matrix, nullptr);
        PC cycle = nullptr;
        KSPGetPC(solver_, &cycle);
        PCType name = nullptr;
        PCGetType(cycle, &name);
        equations = {entries_per_row(matrix), name, cells_left, 0};
        if (equations.preconditioner == PCMG || equations.preconditioner == PCGAMG) {
            PetscInt grids = 0;
            PCMGGetLevels(cycle, &grids);
            equations.grids = grids;
        }
    }

    /// The equations of the coarsest grid are solved directly, on every rank. (PETSc would only
    /// sweep, if it is the only grid.) Their matrix is singular. A small one is taken apart into
    /// singular values, of which the zero is left out. A larger one is factorized, and the pivot
    /// that would be 0 is shifted. This adds a constant to the solution, which is taken out again,
    /// as A has the null space.
    static void solve_coarsest(PC cycle, int cells) {
        KSP coarse = nullptr, inner = nullptr;
        PC on_all = nullptr, at_once = nullptr;
        PCMGGetCoarseSolve(cycle, &coarse);
        KSPSetType(coarse, KSPPREONLY);
        KSPGetPC(coarse, &on_all);
        PCSetType(on_all, PCREDUNDANT);
        PCRedundantGetKSP(on_all, &inner);
        KSPSetType(inner, KSPPREONLY);
        KSPGetPC(inner, &at_once);
        if (cells <= 128) {
            PCSetType(at_once, PCSVD);
        } else {
            PCSetType(at_once, PCLU);
            PCFactorSetShiftType(at_once, MAT_SHIFT_INBLOCKS);
        }
    }

    /// Tells PETSc when to stop, but what follows the lone -- goes before that.
    void choose_tolerance(const Fluid& fluid) {
        if (tolerance_ != fluid.tolerance || most_iterations_ != fluid.iterations) {
            tolerance_ = fluid.tolerance;
            most_iterations_ = fluid.iterations;
            KSPSetTolerances(solver_, fluid.tolerance, 1e-300, 1e30, fluid.iterations);
            KSPSetFromOptions(solver_);
        }
    }

    void remember_residuals(Vec rhs) {
        double size = 0.0;
        VecNorm(rhs, NORM_2, &size);
        const double* history = nullptr;
        PetscInt count = 0;
        KSPGetIterationNumber(solver_, &iterations);
        KSPGetResidualHistory(solver_, &history, &count);
        residuals.assign(1, size > 0.0 ? 1.0 : 0.0);
        for (PetscInt k = 1; k < count; ++k) {
            residuals.push_back(size > 0.0 ? history[k] / size : 0.0);
        }
    }

    VecScatter open_path(Vec* all) {
        VecScatter path = nullptr;
        DMDACreateNaturalVector(grid_, &natural_);
        VecScatterCreateToZero(natural_, &path, all);
        return path;
    }

    void close_path(VecScatter* path, Vec* all) {
        VecScatterDestroy(path);
        VecDestroy(all);
        VecDestroy(&natural_);
    }
};

}  // namespace many
