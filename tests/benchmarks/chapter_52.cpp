// What the solvers of 52_fast cost: beside the sweeps that the tutorials print, beside a loop
// that only moves the memory that a sweep has to move, beside the library, and beside other
// people's solvers where they are installed (FFTW, hypre and Eigen). At the end, the ratios that
// the chapter speaks of. Compare figures of one run only; a run with --benchmark_repetitions=5
// takes the best of five for the ratios.
#include <benchmark/benchmark.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "52_fast/solver.hpp"

#include "52_fast/contestants.hpp"
namespace chapter_07 {
#include "07_project/solver.hpp"
}
#ifdef WORKBOOK_HAVE_FFTW
#include <fftw3.h>
#endif
#ifdef WORKBOOK_HAVE_HYPRE
#include <HYPRE_struct_ls.h>
#include <mpi.h>
#endif

namespace {

using Plan = benchmark::internal::Benchmark;

/// Numbers without any pattern, from -1 to 1, with an average of 0.
template <class Number>
std::vector<Number> bumpy(std::size_t cells) {
    std::vector<Number> values(cells);
    std::uint32_t seed = 1;
    double sum = 0.0;
    for (Number& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<Number>(static_cast<double>(seed >> 8) / 8388608.0 - 1.0);
        sum += value;
    }
    for (Number& value : values) {
        value -= static_cast<Number>(sum / static_cast<double>(cells));
    }
    return values;
}

struct Size {
    int nx, ny, nz;
    std::size_t cells() const { return static_cast<std::size_t>(nx) * ny * nz; }
};

/// The size that a benchmark's first two arguments name: N, and 2 or 3 dimensions.
Size size_of(const benchmark::State& state) {
    const int N = static_cast<int>(state.range(0));
    return {N, N, state.range(1) == 3 ? N : 1};
}

/// A field of that size, with these values.
Field field_of(const Size& size, std::vector<double> values) {
    Field field(size.nx, size.ny, size.nz, {0.5, 0.5, 0.5});
    field.values = std::move(values);
    return field;
}

/// A of a closed box of that size.
Matrix matrix_of(const Size& size) {
    return pressure_matrix(Fluid(size.nx, size.ny, size.nz));
}

void count(benchmark::State& state, double sweeps = 1.0) {
    state.counters["a_cell"] = benchmark::Counter(
        sweeps * static_cast<double>(size_of(state).cells()),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// ---- The sweeps that the tutorials print -------------------------------------------------------

/// A sweep as the tutorials print it: with wall cells around, in the order of the rows, or with i
/// outside, as some have it; and with the neighbour that was just computed added last, so that all
/// else is ready when it comes.
enum class Order { ROWS, COLUMNS, LAST };

template <Order order>
void printed_sweep(benchmark::State& state) {
    const int N = static_cast<int>(state.range(0));
    const int row = N + 2;
    std::vector<float> x(static_cast<std::size_t>(row) * row, 0.0f);
    const std::vector<float> x0 = bumpy<float>(x.size());
    const auto set = [&](int i, int j) {
        const int cell = i + row * j;
        if (order == Order::LAST) {
            x[cell] = 0.25f * (x0[cell] + (x[cell + 1] + (x[cell - row] + x[cell + row]))) +
                      0.25f * x[cell - 1];
        } else {
            x[cell] =
                (x0[cell] + 1.0f * (x[cell - 1] + x[cell + 1] + x[cell - row] + x[cell + row])) /
                4.0f;
        }
    };
    for (auto _ : state) {
        for (int outer = 1; outer <= N; ++outer) {
            for (int inner = 1; inner <= N; ++inner) {
                order == Order::COLUMNS ? set(outer, inner) : set(inner, outer);
            }
        }
        benchmark::ClobberMemory();
    }
    count(state);
}

// ---- The chapter's sweeps, in double: N, dimensions, threads, sweeps in a pass
// -----------------

/// Says how many bytes a second the sweeps move, if each moves so many of a cell.
void count_bytes(benchmark::State& state, double sweeps, double bytes) {
    count(state, sweeps);
    state.counters["bytes"] =
        benchmark::Counter(bytes * static_cast<double>(size_of(state).cells()),
                           benchmark::Counter::kIsIterationInvariantRate);
}

/// x = k x + b moves 24 bytes a cell: what a sweep has to move at least.
void triad(benchmark::State& state) {
    const std::size_t cells = size_of(state).cells();
    std::vector<double> x(cells, 1.0);
    const std::vector<double> b(cells, 0.5);
    parallel::ThreadPool pool(static_cast<int>(state.range(2)));
    for (auto _ : state) {
        parallel::parallel_for(pool, static_cast<int>(cells), pool.threads(),
                               [&](int begin, int end) {
                                   for (int cell = begin; cell < end; ++cell) {
                                       x[cell] = 0.5 * x[cell] + b[cell];
                                   }
                               });
        benchmark::ClobberMemory();
    }
    count_bytes(state, 1.0, 24.0);
}

/// A sweep as 51_relax has it, which reads the matrix, too.
void readable_sweep(benchmark::State& state) {
    const Size size = size_of(state);
    const Matrix A = matrix_of(size);
    const Field rhs = field_of(size, bumpy<double>(size.cells()));
    Field p = rhs;
    for (auto _ : state) {
        red_black(A, p, rhs);
        benchmark::ClobberMemory();
    }
    count_bytes(state, 1.0, size.nz > 1 ? 112.0 : 96.0);
}

/// A sweep row by row, red ones and then black ones: each colour goes through memory by itself.
void plain_sweep(benchmark::State& state) {
    const Size size = size_of(state);
    const Field rhs = field_of(size, bumpy<double>(size.cells()));
    Field p = rhs;
    const std::vector<double> wall(size.nx, 0.0);
    const int rows = size.ny * size.nz;
    parallel::ThreadPool pool(static_cast<int>(state.range(2)));
    for (auto _ : state) {
        for (const int colour : {0, 1}) {
            parallel::parallel_for(pool, rows, pool.threads(), [&](int begin, int end) {
                for (int row = begin; row < end; ++row) {
                    relax_row(p, rhs, wall.data(), colour, row % size.ny, row / size.ny);
                }
            });
        }
        benchmark::ClobberMemory();
    }
    count_bytes(state, 1.0, 48.0);
}

/// Who relaxes a row whose neighbour rows all exist, but for its ends: relax_row; a loop for flat
/// boxes alone, which adds no rows of zeros, to the last bit the same; that loop with a product, by
/// 1/4, in place of the division, still the same; and a loop for deep boxes with a product by 1/6,
/// which rounds otherwise.
enum class Row { GIVEN, NO_ZEROS, QUARTER, SIXTH };

template <Row kind>
void relax_inner_row(Field& p, const Field& rhs, int beside, int colour, int j, int k) {
    double* const row = &p(0, j, k);
    const double* const b = rhs.values.data() + rhs.IX(0, j, k);
    const int layer = p.nx * p.ny;
    for (int i = 2 - (j + k + colour) % 2; i < p.nx - 1; i += 2) {
        double sum = row[i - 1] + row[i + 1] + row[i - p.nx] + row[i + p.nx];
        if constexpr (kind == Row::SIXTH) {
            sum += row[i - layer] + row[i + layer];
            row[i] = (b[i] + sum) * (1.0 / 6.0);
        } else if constexpr (kind == Row::QUARTER) {
            row[i] = (b[i] + sum) * 0.25;
        } else {
            row[i] = (b[i] + sum) / (beside + 2);
        }
    }
}

/// The rows whose neighbour rows all exist, red ones and then black ones. In a box that fits into
/// the cache memory does not count.
template <Row kind>
void inner_rows(benchmark::State& state) {
    const Size size = size_of(state);
    const Field rhs = field_of(size, bumpy<double>(size.cells()));
    Field p = rhs;
    const std::vector<double> wall(size.nx, 0.0);
    const bool deep = size.nz > 1;
    int beside = deep ? 4 : 2;
    benchmark::DoNotOptimize(beside);  // relax_row does not know it beforehand, either
    for (auto _ : state) {
        for (const int colour : {0, 1}) {
            for (int k = deep ? 1 : 0; k < (deep ? size.nz - 1 : 1); ++k) {
                for (int j = 1; j + 1 < size.ny; ++j) {
                    if constexpr (kind == Row::GIVEN) {
                        relax_row(p, rhs, wall.data(), colour, j, k);
                    } else {
                        relax_inner_row<kind>(p, rhs, beside, colour, j, k);
                    }
                }
            }
        }
        benchmark::ClobberMemory();
    }
    count(state);
}

/// Several sweeps in one pass.
void fused(benchmark::State& state) {
    const Size size = size_of(state);
    const Field rhs = field_of(size, bumpy<double>(size.cells()));
    Field p = rhs;
    parallel::ThreadPool pool(static_cast<int>(state.range(2)));
    const int sweeps = static_cast<int>(state.range(3));
    for (auto _ : state) {
        fused_sweeps(p, rhs, sweeps, pool);
        benchmark::ClobberMemory();
    }
    count_bytes(state, sweeps, 24.0);
}

// ---- The library: N, dimensions, threads, decades ----------------------------------------------

/// What the lesson times: p by the library alone, in float. (1e-4: float ends soon after.)
void library(benchmark::State& state) {
    const Size size = size_of(state);
    const Field rhs = field_of(size, bumpy<double>(size.cells()));
    Field p = rhs;
    LibrarySolver solver(rhs, std::pow(10.0, -static_cast<double>(state.range(3))), 50,
                         static_cast<int>(state.range(2)));
    for (auto _ : state) {
        solver.solve(p, rhs);
        benchmark::ClobberMemory();
    }
    count(state);
    state.counters["residual"] = residual(matrix_of(size), p, rhs);
    state.counters["cycles"] = solver.cycles();
}

/// So many V-cycles: what seven take longer than one is six V-cycles and nothing else.
void library_cycles(benchmark::State& state) {
    const Size size = size_of(state);
    const Field rhs = field_of(size, bumpy<double>(size.cells()));
    Field p = rhs;
    LibrarySolver solver(rhs, 0.0, static_cast<int>(state.range(3)),
                         static_cast<int>(state.range(2)));
    for (auto _ : state) {
        solver.solve(p, rhs);
        benchmark::ClobberMemory();
    }
    count(state);
}

/// A box whose pressure is to be found to so many decades.
Fluid to_solve(const benchmark::State& state) {
    const Size size = size_of(state);
    Fluid fluid(size.nx, size.ny, size.nz);
    fluid.matrix = pressure_matrix(fluid);
    fluid.rhs = field_of(size, bumpy<double>(size.cells()));
    fluid.tolerance = std::pow(10.0, -static_cast<double>(state.range(3)));
    return fluid;
}

/// 15_multigrid's solver, in double and in one thread.
void multigrid(benchmark::State& state) {
    Fluid fluid = to_solve(state);
    fluid.solver = Solver::MULTIGRID;
    for (auto _ : state) {
        std::fill(fluid.pressure.values.begin(), fluid.pressure.values.end(), 0.0);
        solve_pressure(fluid);
        benchmark::ClobberMemory();
    }
    count(state);
    state.counters["residual"] = residual(fluid.matrix, fluid.pressure, fluid.rhs);
}

/// Iterative refinement in double, with the library inside.
void refinement(benchmark::State& state) {
    Fluid fluid = to_solve(state);
    LibrarySolver solver(fluid.rhs, 0.0, 2, static_cast<int>(state.range(2)));
    for (auto _ : state) {
        std::fill(fluid.pressure.values.begin(), fluid.pressure.values.end(), 0.0);
        while (residual(fluid.matrix, fluid.pressure, fluid.rhs) > fluid.tolerance) {
            refine(fluid.matrix, solver, fluid.pressure, fluid.rhs);
        }
        benchmark::ClobberMemory();
    }
    count(state);
    state.counters["residual"] = residual(fluid.matrix, fluid.pressure, fluid.rhs);
}

// ---- Other people's
// ------------------------------------------------------------------------------

/// Cosines by Eigen's Fourier transform, as the chapter has it.
void cosines(benchmark::State& state) {
    const Size size = size_of(state);
    const Field b = field_of(size, bumpy<double>(size.cells()));
    Field p = b;
    for (auto _ : state) {
        solve_by_cosines(p, b);
    }
    count(state);
    state.counters["residual"] = residual(matrix_of(size), p, b);
}

template <class Preconditioner>
void eigen_gradients(benchmark::State& state) {
    const Size size = size_of(state);
    const std::vector<double> values = bumpy<double>(size.cells());
    const Eigen::SparseMatrix<double> matrix = assemble_matrix(matrix_of(size));
    const Eigen::VectorXd b =
        Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
    Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper,
                             Preconditioner>
        solver;
    solver.setTolerance(std::pow(10.0, -static_cast<double>(state.range(3))));
    solver.setMaxIterations(20000);
    solver.compute(matrix);
    for (auto _ : state) {
        const Eigen::VectorXd p = solver.solve(b);
        benchmark::DoNotOptimize(p.data());
    }
    count(state);
    state.counters["residual"] = solver.error();
    state.counters["steps"] = static_cast<double>(solver.iterations());
}

#ifdef WORKBOOK_HAVE_FFTW
/// The same as `cosines`, by FFTW with the best plan it finds.
void fftw(benchmark::State& state) {
    const Size size = size_of(state);
    const int threads = static_cast<int>(state.range(2));
    fftw_init_threads();
    fftw_plan_with_nthreads(threads);
    double* b = fftw_alloc_real(size.cells());
    double* p = fftw_alloc_real(size.cells());
    const bool deep = size.nz > 1;
    const int sides[3] = {size.nz, size.ny, size.nx};
    const fftw_r2r_kind there[3] = {FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10};
    const fftw_r2r_kind back[3] = {FFTW_REDFT01, FFTW_REDFT01, FFTW_REDFT01};
    const int axes = deep ? 3 : 2;
    const fftw_plan forward =
        fftw_plan_r2r(axes, sides + 3 - axes, b, p, there, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    const fftw_plan backward = fftw_plan_r2r(axes, sides + 3 - axes, p, p, back, FFTW_MEASURE);
    const std::vector<double> values = bumpy<double>(size.cells());
    std::copy(values.begin(), values.end(), b);
    std::vector<double> numbers(size.nx);  // all sides are equal
    for (int k = 0; k < size.nx; ++k) {
        numbers[k] = 4.0 * std::pow(std::sin(std::numbers::pi * k / (2.0 * size.nx)), 2);
    }
    const double scale = 1.0 / std::pow(2.0 * size.nx, axes);
    parallel::ThreadPool pool(threads);
    const int rows = size.ny * size.nz;
    for (auto _ : state) {
        fftw_execute(forward);
        pool.run([&](int thread) {
            for (int row = rows / threads * thread;
                 row < (thread + 1 == threads ? rows : rows / threads * (thread + 1)); ++row) {
                const double others =
                    numbers[row % size.ny] + (deep ? numbers[row / size.ny] : 0.0);
                double* line = p + static_cast<std::ptrdiff_t>(row) * size.nx;
                for (int i = 0; i < size.nx; ++i) {
                    line[i] *= scale / (others + numbers[i]);
                }
            }
        });
        p[0] = 0.0;
        fftw_execute(backward);
    }
    const Field exact_b = field_of(size, values);
    Field found = exact_b;
    std::copy_n(p, size.cells(), found.values.begin());
    count(state);
    state.counters["residual"] = residual(matrix_of(size), found, exact_b);
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    fftw_free(b);
    fftw_free(p);
}
#endif

#ifdef WORKBOOK_HAVE_HYPRE
/// hypre's semicoarsening multigrid for grids, PFMG, in one process; only the solution is timed,
/// not what it prepares.
void hypre(benchmark::State& state) {
    const Size size = size_of(state);
    const int axes = size.nz > 1 ? 3 : 2;
    int lower[3] = {0, 0, 0};
    int upper[3] = {size.nx - 1, size.ny - 1, size.nz - 1};
    HYPRE_StructGrid grid;
    HYPRE_StructGridCreate(MPI_COMM_SELF, axes, &grid);
    HYPRE_StructGridSetExtents(grid, lower, upper);
    HYPRE_StructGridAssemble(grid);
    HYPRE_StructStencil stencil;
    HYPRE_StructStencilCreate(axes, 2 * axes + 1, &stencil);
    const auto neighbour = [](int entry) { return neighbours[entry - 1]; };  // x, y, z in turn
    for (int entry = 0; entry <= 2 * axes; ++entry) {
        int offset[3] = {0, 0, 0};
        for (int axis = 0; axis < axes && entry > 0; ++axis) {
            offset[axis] = neighbour(entry)[axis];
        }
        HYPRE_StructStencilSetElement(stencil, entry, offset);
    }
    HYPRE_StructMatrix A;
    HYPRE_StructMatrixCreate(MPI_COMM_SELF, grid, stencil, &A);
    HYPRE_StructMatrixInitialize(A);
    std::vector<int> entries;
    std::vector<double> coefficients;
    for (int entry = 0; entry <= 2 * axes; ++entry) {
        entries.push_back(entry);
    }
    Field box = field_of(size, bumpy<double>(size.cells()));
    const auto add_cell = [&](int i, int j, int k) {
        double diagonal = 0.0;
        coefficients.push_back(0.0);
        const std::size_t place = coefficients.size() - 1;
        for (int entry = 1; entry <= 2 * axes; ++entry) {
            const auto& step = neighbour(entry);
            const int ni = i + step[0];
            const int nj = j + step[1];
            const int nk = k + step[2];
            const bool inside =
                0 <= ni && ni < size.nx && 0 <= nj && nj < size.ny && 0 <= nk && nk < size.nz;
            coefficients.push_back(inside ? -1.0 : 0.0);
            diagonal += inside ? 1.0 : 0.0;
        }
        coefficients[place] = diagonal;
    };
    for (int k = 0; k < size.nz; ++k) {
        for (int j = 0; j < size.ny; ++j) {
            for (int i = 0; i < size.nx; ++i) {
                add_cell(i, j, k);
            }
        }
    }
    HYPRE_StructMatrixSetBoxValues(A, lower, upper, 2 * axes + 1, entries.data(),
                                   coefficients.data());
    HYPRE_StructMatrixAssemble(A);
    HYPRE_StructVector b, p;
    HYPRE_StructVectorCreate(MPI_COMM_SELF, grid, &b);
    HYPRE_StructVectorInitialize(b);
    std::vector<double> values = bumpy<double>(size.cells());
    HYPRE_StructVectorSetBoxValues(b, lower, upper, values.data());
    HYPRE_StructVectorAssemble(b);
    HYPRE_StructVectorCreate(MPI_COMM_SELF, grid, &p);
    HYPRE_StructVectorInitialize(p);
    HYPRE_StructVectorAssemble(p);
    HYPRE_StructSolver solver;
    HYPRE_StructPFMGCreate(MPI_COMM_SELF, &solver);
    HYPRE_StructPFMGSetTol(solver, std::pow(10.0, -static_cast<double>(state.range(3))));
    HYPRE_StructPFMGSetMaxIter(solver, 200);
    HYPRE_StructPFMGSetRelaxType(solver, 2);  // red-black
    HYPRE_StructPFMGSetRAPType(solver, 1);  // five and seven points on all levels: its fastest
    HYPRE_StructPFMGSetSkipRelax(solver, 1);
    HYPRE_StructPFMGSetup(solver, A, b, p);
    for (auto _ : state) {
        HYPRE_StructVectorSetConstantValues(p, 0.0);
        HYPRE_StructPFMGSolve(solver, A, b, p);
    }
    int steps = 0;
    HYPRE_StructPFMGGetNumIterations(solver, &steps);
    const Field exact_b = field_of(size, values);
    HYPRE_StructVectorGetBoxValues(p, lower, upper, box.values.data());
    count(state);
    state.counters["residual"] = residual(matrix_of(size), box, exact_b);
    state.counters["cycles"] = steps;
    HYPRE_StructPFMGDestroy(solver);
    HYPRE_StructVectorDestroy(p);
    HYPRE_StructVectorDestroy(b);
    HYPRE_StructMatrixDestroy(A);
    HYPRE_StructStencilDestroy(stencil);
    HYPRE_StructGridDestroy(grid);
}
#endif

// ---- A whole step
// --------------------------------------------------------------------------------

/// A step of 07_project, as it is.
void step_of_07(benchmark::State& state) {
    const int N = static_cast<int>(state.range(0));
    chapter_07::Fluid fluid(N);
    for (int k = 0; k < N / 2; ++k) {
        chapter_07::add_density(fluid, N / 4 + k, N / 2 + k / 4, 1.0f);
        chapter_07::add_velocity(fluid, N / 4 + k, N / 2 + k / 4, 2.0f, 0.5f);
    }
    for (auto _ : state) {
        chapter_07::step(fluid, 1.0f / 60.0f);
    }
    count(state);
}

/// A step of the library to 1e-4: a jet that blows on and on.
void step_of_library(benchmark::State& state) {
    const int N = static_cast<int>(state.range(0));
    stable_fluids_scalar dye;
    stable_fluids_describe_scalar(&dye);
    stable_fluids_description description;
    stable_fluids_describe(&description);
    description.nx = N;
    description.ny = N;
    description.h = 1.0f / static_cast<float>(N);
    description.scalar_count = 1;
    description.scalars = &dye;
    description.backend = STABLE_FLUIDS_HOST;
    description.threads = static_cast<int>(state.range(2));
    stable_fluids* fluid = nullptr;
    if (stable_fluids_create(&description, &fluid) != STABLE_FLUIDS_OK) {
        state.SkipWithError("no room");
        return;
    }
    std::vector<float> force(static_cast<std::size_t>(N) * (N + 1));
    std::vector<float> source(static_cast<std::size_t>(N) * N);
    for (int j = N / 2; j < N / 2 + N / 16; ++j) {
        for (int i = N / 4; i < N / 4 + N / 16; ++i) {
            force[i + static_cast<std::size_t>(N + 1) * j] = 5.0f;
            source[i + static_cast<std::size_t>(N) * j] = 1.0f;
        }
    }
    stable_fluids_set(fluid, STABLE_FLUIDS_FORCE_X, force.data(), force.size());
    stable_fluids_set(fluid, STABLE_FLUIDS_SOURCE(0), source.data(), source.size());
    for (auto _ : state) {
        stable_fluids_step(fluid, 1.0f / 60.0f, 1);
    }
    count(state);
    stable_fluids_statistics statistics;
    statistics.size = sizeof statistics;
    stable_fluids_statistics_of(fluid, &statistics);
    state.counters["residual"] = statistics.pressure_residual;
    state.counters["cfl"] = statistics.cfl;
    stable_fluids_destroy(fluid);
}

// ---- The ratios
// ----------------------------------------------------------------------------------

/// Prints as the console does, and remembers the best time of each benchmark, in nanoseconds: where
/// one thread does all the work that of the processor, which other programs hardly change, and
/// otherwise that on the clock.
class Keeper : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            // What was skipped took no time.
            if (run.run_type == Run::RT_Iteration && run.real_accumulated_time > 0.0) {
                const double units = has_one_thread(run.run_name.args) ? run.GetAdjustedCPUTime()
                                                                       : run.GetAdjustedRealTime();
                const double time = units * 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
                const std::string name = run.run_name.function_name + "/" + run.run_name.args;
                const auto [known, is_new] = best.emplace(name, time);
                known->second = std::min(known->second, time);
            }
        }
        ConsoleReporter::ReportRuns(runs);
    }

    /// Prints how much longer one takes than the other, if both were run.
    void ratio(const char* what, const std::string& longer, const std::string& shorter,
               double factor = 1.0) const {
        const auto a = best.find(longer);
        const auto b = best.find(shorter);
        if (a != best.end() && b != best.end()) {
            std::printf("%-78s %9.3f\n", what, factor * a->second / b->second);
        }
    }

  private:
    /// The third argument, if there is one, is the number of threads: N, dimensions, threads.
    static bool has_one_thread(const std::string& args) {
        int N = 0;
        int dimensions = 0;
        int threads = 1;
        std::sscanf(args.c_str(), "%d/%d/%d", &N, &dimensions, &threads);
        return threads == 1;
    }

    std::map<std::string, double> best;
};

void print_ratios(const Keeper& times) {
    std::printf("\nratios within this run, of best times\n");
    for (const char* size : {"2048/2", "4096/2", "256/3"}) {
        const std::string at = std::string("/") + size;
        std::printf("the chapter's own sweeps, %s\n", size);
        times.ratio("  a readable sweep : a plain one, one thread", "readable_sweep" + at,
                    "plain_sweep" + at + "/1");
        times.ratio("  a plain sweep : a triad, one thread (2 where bandwidth alone counts)",
                    "plain_sweep" + at + "/1", "triad" + at + "/1");
        for (const char* threads : {"/1", "/2"}) {
            const std::string plain = "plain_sweep" + at + threads;
            for (const auto& [sweeps, word] :
                 {std::pair("/1", 1.0), {"/4", 4.0}, {"/8", 8.0}, {"/16", 16.0}}) {
                const std::string with = std::string(threads) + sweeps;
                times.ratio(
                    ("  a plain sweep : one of several fused, threads and sweeps " + with).c_str(),
                    plain, "fused" + at + with, word);
            }
            times.ratio("  one of 8 fused sweeps : a triad, as many threads",
                        "fused" + at + threads + "/8", "triad" + at + threads, 1.0 / 8.0);
        }
    }
    const std::string given = "inner_rows<Row::GIVEN>/128/2";
    times.ratio("one of 8 fused sweeps of 4096^2 : one of 128^2, in the cache, each a cell",
                "fused/4096/2/1/8", "plain_sweep/128/2/1", 1.0 / 8.0 / 1024.0);
    times.ratio("rows of 128^2 by relax_row : without the rows of zeros", given,
                "inner_rows<Row::NO_ZEROS>/128/2");
    times.ratio("  by relax_row : without them, and times a quarter", given,
                "inner_rows<Row::QUARTER>/128/2");
    times.ratio("rows of 32^3 by relax_row : times a sixth", "inner_rows<Row::GIVEN>/32/3",
                "inner_rows<Row::SIXTH>/32/3");
    times.ratio("printed sweep : the same with the new neighbour added last, 1024^2",
                "printed_sweep<Order::ROWS>/1024/2", "printed_sweep<Order::LAST>/1024/2");
    times.ratio("sixteen printed sweeps of 2048^2 : sixteen fused ones",
                "printed_sweep<Order::ROWS>/2048/2", "fused/2048/2/1/16", 16.0);
    times.ratio("the same, two threads", "printed_sweep<Order::ROWS>/2048/2", "fused/2048/2/2/16",
                16.0);
    for (const auto& [box, words] : {std::pair("1024/2", "1024^2"), {"128/3", "128^3"}}) {
        const std::string at = std::string("/") + box;
        std::printf("the library, %s\n", words);
        times.ratio("  multigrid to 1e-4 : library, one thread", "multigrid" + at + "/1/4",
                    "library" + at + "/1/4");
        times.ratio("  library, one thread : two", "library" + at + "/1/4",
                    "library" + at + "/2/4");
        times.ratio("  multigrid to 1e-6 : refinement, one thread", "multigrid" + at + "/1/6",
                    "refinement" + at + "/1/6");
        times.ratio("  seven V-cycles : one", "library_cycles" + at + "/1/7",
                    "library_cycles" + at + "/1/1");
        times.ratio("  library to 1e-4 : one printed sweep, rows", "library" + at + "/1/4",
                    "printed_sweep<Order::ROWS>" + at);
        times.ratio("  the same : columns", "library" + at + "/1/4",
                    "printed_sweep<Order::COLUMNS>" + at);
        times.ratio("  refinement to 1e-6 : FFTW's cosines, one thread", "refinement" + at + "/1/6",
                    "fftw" + at + "/1");
        times.ratio("  the same, two threads", "refinement" + at + "/2/6", "fftw" + at + "/2");
        times.ratio("  hypre's PFMG : refinement to 1e-6, one thread", "hypre" + at + "/1/6",
                    "refinement" + at + "/1/6");
    }
    const std::string diagonal = "eigen_gradients<Eigen::DiagonalPreconditioner<double>>/";
    times.ratio("Eigen's CG, diagonal : refinement to 1e-6, 1024^2, one thread",
                diagonal + "1024/2/1/6", "refinement/1024/2/1/6");
    times.ratio("the same, 256^2", diagonal + "256/2/1/6", "refinement/256/2/1/6");
    times.ratio("Eigen's CG, incomplete Cholesky : the same",
                "eigen_gradients<Eigen::IncompleteCholesky<double>>/256/2/1/6",
                "refinement/256/2/1/6");
    times.ratio("step of 07_project, 1024^2 : step of the library, one thread", "step_of_07/1024/2",
                "step_of_library/1024/2/1");
    times.ratio("the same, two threads", "step_of_07/1024/2", "step_of_library/1024/2/2");
}

void milliseconds(Plan* plan) {
    plan->Unit(benchmark::kMillisecond)->UseRealTime();
}

void sizes_and_threads(Plan* plan) {
    milliseconds(plan);
    for (const int threads : {1, 2}) {
        plan->Args({2048, 2, threads})->Args({4096, 2, threads})->Args({256, 3, threads});
    }
}

void sizes_threads_and_sweeps(Plan* plan) {
    milliseconds(plan);
    for (const int threads : {1, 2}) {
        for (const int sweeps : {1, 4, 8, 16}) {
            plan->Args({2048, 2, threads, sweeps})
                ->Args({4096, 2, threads, sweeps})
                ->Args({256, 3, threads, sweeps});
        }
    }
}

BENCHMARK(triad)->Apply(sizes_and_threads);
BENCHMARK(readable_sweep)->Apply(milliseconds)->Args({2048, 2})->Args({4096, 2})->Args({256, 3});
BENCHMARK(plain_sweep)->Apply(sizes_and_threads);
BENCHMARK(plain_sweep)->Args({128, 2, 1});
BENCHMARK(inner_rows<Row::GIVEN>)->Args({128, 2})->Args({32, 3});
BENCHMARK(inner_rows<Row::NO_ZEROS>)->Args({128, 2});
BENCHMARK(inner_rows<Row::QUARTER>)->Args({128, 2});
BENCHMARK(inner_rows<Row::SIXTH>)->Args({32, 3});
BENCHMARK(fused)->Apply(sizes_threads_and_sweeps);
BENCHMARK(printed_sweep<Order::ROWS>)->Apply(milliseconds)->Args({1024, 2})->Args({2048, 2});
BENCHMARK(printed_sweep<Order::COLUMNS>)->Apply(milliseconds)->Args({1024, 2});
BENCHMARK(printed_sweep<Order::LAST>)->Apply(milliseconds)->Args({1024, 2});
BENCHMARK(library)
    ->Apply(milliseconds)
    ->Args({1024, 2, 1, 4})
    ->Args({1024, 2, 2, 4})
    ->Args({128, 3, 1, 4})
    ->Args({128, 3, 2, 4});
BENCHMARK(library_cycles)
    ->Apply(milliseconds)
    ->Args({1024, 2, 1, 1})
    ->Args({1024, 2, 1, 7})
    ->Args({128, 3, 1, 1})
    ->Args({128, 3, 1, 7});
BENCHMARK(multigrid)
    ->Apply(milliseconds)
    ->Args({1024, 2, 1, 4})
    ->Args({1024, 2, 1, 6})
    ->Args({128, 3, 1, 4})
    ->Args({128, 3, 1, 6});
BENCHMARK(refinement)
    ->Apply(milliseconds)
    ->Args({256, 2, 1, 6})
    ->Args({1024, 2, 1, 6})
    ->Args({1024, 2, 2, 6})
    ->Args({128, 3, 1, 6})
    ->Args({128, 3, 2, 6});
BENCHMARK(cosines)->Apply(milliseconds)->Args({1024, 2})->Args({128, 3});
#ifdef WORKBOOK_HAVE_FFTW
BENCHMARK(fftw)
    ->Apply(milliseconds)
    ->Args({1024, 2, 1})
    ->Args({1024, 2, 2})
    ->Args({128, 3, 1})
    ->Args({128, 3, 2});
#endif
#ifdef WORKBOOK_HAVE_HYPRE
BENCHMARK(hypre)->Apply(milliseconds)->Args({1024, 2, 1, 6})->Args({128, 3, 1, 6});
#endif
BENCHMARK(eigen_gradients<Eigen::DiagonalPreconditioner<double>>)
    ->Apply(milliseconds)
    ->Iterations(1)
    ->Args({256, 2, 1, 6})
    ->Args({1024, 2, 1, 6});
BENCHMARK(eigen_gradients<Eigen::IncompleteCholesky<double>>)
    ->Apply(milliseconds)
    ->Iterations(1)
    ->Args({256, 2, 1, 6});
BENCHMARK(step_of_07)->Apply(milliseconds)->Args({1024, 2});
BENCHMARK(step_of_library)->Apply(milliseconds)->Args({1024, 2, 1})->Args({1024, 2, 2});

}  // namespace

int main(int argc, char** argv) {
#ifdef WORKBOOK_HAVE_HYPRE
    MPI_Init(&argc, &argv);
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    Keeper keeper;
    benchmark::RunSpecifiedBenchmarks(&keeper);
    print_ratios(keeper);
#ifdef WORKBOOK_HAVE_HYPRE
    MPI_Finalize();
#endif
}
