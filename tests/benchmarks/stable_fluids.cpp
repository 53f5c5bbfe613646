// What a step of the library behind stable_fluids.h costs, beside the tutorials' steps in boxes
// with as many cells: 07_project's with its 20 sweeps, and 21_3d's with its 4. The same flow
// in both: a jet that is pushed on and on, with the tutorial's viscosity and diffusion, and one
// dye. `divergence` is the largest one after the step, in parts of the largest speed a cell's
// width. At the end, ratios of this run; a run with --benchmark_repetitions=5 takes the best of
// five for them.
#include <benchmark/benchmark.h>

// All that the chapters' headers include, so that none of it ends in their namespaces.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stable_fluids.h"
namespace chapter_07 {
#include "07_project/solver.hpp"
}
namespace chapter_09 {
#include "21_3d/solver.hpp"
}

namespace {

constexpr float dt = 1.0f / 60.0f;
constexpr float push = 6.0f;  ///< box widths a second, each second

/// Calls visit(i, j, k) for the cells, counted from 0, in which a box of n cells across is pushed.
template <class Visit>
void for_jet(int n, bool deep, const Visit& visit) {
    for (int k = deep ? 7 * n / 16 : 0; k < (deep ? 9 * n / 16 : 1); ++k) {
        for (int j = n / 2; j < 5 * n / 8; ++j) {
            for (int i = n / 4; i < 3 * n / 8; ++i) {
                visit(i, j, k);
            }
        }
    }
}

/// Remembers each benchmark's largest divergence, for the ratios.
std::map<std::string, double>& divergences() {
    static std::map<std::string, double> found;
    return found;
}

void report(benchmark::State& state, const std::string& name, double divergence, double cells) {
    state.counters["divergence"] = divergence;
    state.counters["a_cell"] = benchmark::Counter(
        cells, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    divergences()[name] = divergence;
}

/// 07_project's step, as it is.
void step_of_07(benchmark::State& state) {
    const int N = static_cast<int>(state.range(0));
    chapter_07::Fluid fluid(N);
    for (auto _ : state) {
        for_jet(N, false, [&](int i, int j, int) {
            chapter_07::add_velocity(fluid, i + 1, j + 1, push * dt, 0.2f * push * dt);
            chapter_07::add_density(fluid, i + 1, j + 1, dt);
        });
        chapter_07::step(fluid, dt);
    }
    float most = 0.0f;
    float fastest = 0.0f;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            most = std::max(most, std::abs(chapter_07::divergence_at(fluid.u, fluid.v, i, j)));
            fastest = std::max({fastest, std::abs(fluid.u(i, j)), std::abs(fluid.v(i, j))});
        }
    }
    report(state, "07", static_cast<double>(most / fastest) / N, static_cast<double>(N) * N);
}

/// 21_3d's step, as it is: its N counts the walls.
void step_of_09(benchmark::State& state) {
    const int cells = static_cast<int>(state.range(0));
    const int N = cells + 2;
    chapter_09::Fluid fluid(N);
    for (auto _ : state) {
        for_jet(cells, true, [&](int i, int j, int k) {
            chapter_09::add_velocity(fluid, i + 1, j + 1, k + 1,
                                     {push * dt, 0.2f * push * dt, 0.0f});
            chapter_09::add_density(fluid, i + 1, j + 1, k + 1, dt);
        });
        chapter_09::step(fluid, dt);
    }
    float most = 0.0f;
    float fastest = 0.0f;
    for (int k = 1; k <= cells; ++k) {
        for (int j = 1; j <= cells; ++j) {
            for (int i = 1; i <= cells; ++i) {
                const float out = fluid.u(i + 1, j, k) - fluid.u(i - 1, j, k) +
                                  fluid.v(i, j + 1, k) - fluid.v(i, j - 1, k) +
                                  fluid.w(i, j, k + 1) - fluid.w(i, j, k - 1);
                most = std::max(most, std::abs(0.5f * out));
                fastest = std::max({fastest, std::abs(fluid.u(i, j, k)), std::abs(fluid.v(i, j, k)),
                                    std::abs(fluid.w(i, j, k))});
            }
        }
    }
    report(state, "09", static_cast<double>(most / fastest), std::pow(cells, 3.0));
}

/// A box of width 1 with slipping walls and one dye. Arguments of `state`: cells across,
/// dimensions, threads.
stable_fluids_description describe_box(const benchmark::State& state, stable_fluids_scalar& dye) {
    const int n = static_cast<int>(state.range(0));
    stable_fluids_describe_scalar(&dye);
    stable_fluids_description description;
    stable_fluids_describe(&description);
    description.nx = description.ny = n;
    description.nz = state.range(1) == 3 ? n : 1;
    description.h = 1.0f / static_cast<float>(n);
    for (stable_fluids_face& face : description.faces) {
        face.flow = STABLE_FLUIDS_FREE_SLIP;
    }
    description.scalars = &dye;
    description.scalar_count = 1;
    description.threads = static_cast<std::int32_t>(state.range(2));
    return description;
}

/// The library's step. Arguments: cells across, dimensions, threads, how it carries, and the
/// tolerance as a power of ten.
void step_of_library(benchmark::State& state, std::int32_t backend) {
    const int n = static_cast<int>(state.range(0));
    const bool deep = state.range(1) == 3;
    stable_fluids_scalar dye;
    stable_fluids_description description = describe_box(state, dye);
    description.viscosity = deep ? 0.0001f : 0.01f;  // as in the chapters
    dye.diffusion = deep ? 0.0001f : 0.006f;
    description.advection = static_cast<std::int32_t>(state.range(3));
    description.tolerance =
        static_cast<float>(std::pow(10.0, -static_cast<double>(state.range(4))));
    description.backend = backend;
    const auto fill = [&](stable_fluids* fluid, std::int32_t field, float value) {
        std::int32_t shape[3];
        stable_fluids_shape(fluid, field, shape);
        const std::size_t row = static_cast<std::size_t>(shape[0]);
        const std::size_t layer = row * static_cast<std::size_t>(shape[1]);
        std::vector<float> values(layer * static_cast<std::size_t>(shape[2]), 0.0f);
        for_jet(n, deep, [&](int i, int j, int k) {
            values[static_cast<std::size_t>(i) + row * static_cast<std::size_t>(j) +
                   layer * static_cast<std::size_t>(k)] = value;
        });
        stable_fluids_set(fluid, field, values.data(), values.size());
    };
    const auto make = [&] {
        stable_fluids* fluid = nullptr;
        if (stable_fluids_create(&description, &fluid) == STABLE_FLUIDS_OK) {
            fill(fluid, STABLE_FLUIDS_FORCE_X, push);
            fill(fluid, STABLE_FLUIDS_FORCE_Y, 0.2f * push);
            fill(fluid, STABLE_FLUIDS_SOURCE(0), 1.0f);
        }
        return fluid;
    };
    if (backend == STABLE_FLUIDS_CUDA) {  // each kernel is loaded when it is first launched
        stable_fluids* const first = make();
        stable_fluids_step(first, dt, 1);
        stable_fluids_wait(first);
        stable_fluids_destroy(first);
    }
    stable_fluids* const fluid = make();
    if (fluid == nullptr) {
        state.SkipWithError(stable_fluids_error(nullptr));
        return;
    }
    for (auto _ : state) {
        if (stable_fluids_step(fluid, dt, 1) != STABLE_FLUIDS_OK ||
            stable_fluids_wait(fluid) != STABLE_FLUIDS_OK) {
            state.SkipWithError(stable_fluids_error(fluid));
            break;
        }
    }
    stable_fluids_statistics statistics = {};
    statistics.size = sizeof statistics;
    stable_fluids_statistics_of(fluid, &statistics);
    const double cells = static_cast<double>(n) * n * (deep ? n : 1);
    std::string name = "library";
    for (int argument = 0; argument < 5; ++argument) {
        name += "/" + std::to_string(state.range(argument));
    }
    report(state, name,
           statistics.largest_divergence * static_cast<double>(description.h) /
               statistics.largest_speed,
           cells);
    state.counters["cycles"] = statistics.pressure_cycles;
    state.counters["sweeps"] = statistics.viscosity_sweeps;
    state.counters["floats_a_cell"] = static_cast<double>(statistics.bytes) / (4.0 * cells);
    stable_fluids_destroy(fluid);
}

/// A smooth random field that goes 2 to 3 cells a step at most, without viscosity: what the fluid
/// itself costs; `with_ball`, past one of diameter 0.4 that it flows around. Arguments: cells
/// across, dimensions, threads, and viscosity and the dye's diffusion in millionths.
void waves(benchmark::State& state, bool with_ball, std::int32_t splitting,
           std::int32_t advection = STABLE_FLUIDS_LINEAR) {
    const int n = static_cast<int>(state.range(0));
    const bool deep = state.range(1) == 3;
    stable_fluids_scalar dye;
    stable_fluids_description description = describe_box(state, dye);
    description.viscosity = 1e-6f * static_cast<float>(state.range(3));
    dye.diffusion = 1e-6f * static_cast<float>(state.range(4));
    description.tolerance = 1e-3f;
    description.splitting = splitting;
    description.advection = advection;
    description.backend = STABLE_FLUIDS_HOST;
    stable_fluids* fluid = nullptr;
    if (stable_fluids_create(&description, &fluid) != STABLE_FLUIDS_OK) {
        state.SkipWithError(stable_fluids_error(nullptr));
        return;
    }
    std::mt19937 random(1);
    for (const std::int32_t field : std::vector<std::int32_t>{
             STABLE_FLUIDS_U, STABLE_FLUIDS_V, STABLE_FLUIDS_W, STABLE_FLUIDS_SCALAR(0)}) {
        std::int32_t shape[3];
        if (stable_fluids_shape(fluid, field, shape) != STABLE_FLUIDS_OK) {
            continue;  // w, in a flat box
        }
        std::vector<float> values(static_cast<std::size_t>(shape[0]) *
                                  static_cast<std::size_t>(shape[1]) *
                                  static_cast<std::size_t>(shape[2]));
        for (int wave = 0; wave < 12; ++wave) {
            const auto number = [&](float low, float high) {
                return std::uniform_real_distribution<float>(low, high)(random);
            };
            const float turn = 6.2831853f / static_cast<float>(n);
            const float kx = turn * std::round(number(1.0f, 6.0f));
            const float ky = turn * std::round(number(1.0f, 6.0f));
            const float kz = turn * std::round(number(1.0f, 6.0f));
            const float size = number(-1.0f, 1.0f);
            const float start = number(0.0f, 6.2831853f);
            std::size_t at = 0;
            for (int k = 0; k < shape[2]; ++k) {
                for (int j = 0; j < shape[1]; ++j) {
                    for (int i = 0; i < shape[0]; ++i) {
                        values[at++] += size * std::sin(kx * static_cast<float>(i) +
                                                        ky * static_cast<float>(j) +
                                                        kz * static_cast<float>(k) + start);
                    }
                }
            }
        }
        stable_fluids_set(fluid, field, values.data(), values.size());
    }
    if (with_ball) {
        std::vector<float> distance;
        for (int k = 0; k <= (deep ? n : 0); ++k) {
            for (int j = 0; j <= n; ++j) {
                for (int i = 0; i <= n; ++i) {
                    const float x = static_cast<float>(i) * description.h - 0.43f;
                    const float y = static_cast<float>(j) * description.h - 0.52f;
                    const float z = deep ? static_cast<float>(k) * description.h - 0.47f : 0.0f;
                    distance.push_back(std::sqrt(x * x + y * y + z * z) - 0.2f);
                }
            }
        }
        stable_fluids_set_solid(fluid, distance.data(), distance.size());
    }
    stable_fluids_statistics statistics = {};
    statistics.size = sizeof statistics;
    stable_fluids_step(fluid, 1e-6f, 1);
    stable_fluids_statistics_of(fluid, &statistics);
    const float step = 3.0f * description.h / static_cast<float>(statistics.largest_speed);
    for (auto _ : state) {
        if (stable_fluids_step(fluid, step, 1) != STABLE_FLUIDS_OK) {
            state.SkipWithError(stable_fluids_error(fluid));
            break;
        }
    }
    stable_fluids_statistics_of(fluid, &statistics);
    state.counters["a_cell"] = benchmark::Counter(
        static_cast<double>(n) * n * (deep ? n : 1),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["cfl"] = statistics.cfl;
    state.counters["cycles"] = statistics.pressure_cycles;
    stable_fluids_destroy(fluid);
}

void step_of_waves(benchmark::State& state) {
    waves(state, false, STABLE_FLUIDS_LIE);
}
void step_with_strang(benchmark::State& state) {
    waves(state, false, STABLE_FLUIDS_STRANG);
}
void step_with_midpoint(benchmark::State& state) {
    waves(state, false, STABLE_FLUIDS_MIDPOINT);
}
void step_with_maccormack(benchmark::State& state) {
    waves(state, false, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MACCORMACK);
}
void step_with_central(benchmark::State& state) {
    waves(state, false, STABLE_FLUIDS_MIDPOINT, STABLE_FLUIDS_CENTRAL);
}
void step_past_ball(benchmark::State& state) {
    waves(state, true, STABLE_FLUIDS_LIE);
}

/// What the memory gives: a = b + 3 c, far beyond any cache.
void triad(benchmark::State& state) {
    constexpr std::size_t count = std::size_t{1} << 25;
    std::vector<float> a(count, 1.0f), b(count, 2.0f), c(count, 3.0f);
    for (auto _ : state) {
        for (std::size_t i = 0; i < count; ++i) {
            a[i] = b[i] + 3.0f * c[i];
        }
        benchmark::DoNotOptimize(a.data());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() *
                            static_cast<std::int64_t>(3 * count * sizeof(float)));
}

void library(benchmark::State& state) {
    step_of_library(state, STABLE_FLUIDS_HOST);
}
void device(benchmark::State& state) {
    step_of_library(state, STABLE_FLUIDS_CUDA);
}

/// Prints as the console does, and remembers the best time of each benchmark, in nanoseconds.
class Keeper : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            // What was skipped took no time.
            if (run.run_type == Run::RT_Iteration && run.real_accumulated_time > 0.0) {
                const double time = run.GetAdjustedRealTime() * 1e9 /
                                    benchmark::GetTimeUnitMultiplier(run.time_unit);
                const std::string name = run.run_name.function_name + "/" + run.run_name.args;
                const auto [known, is_new] = best.emplace(name, time);
                known->second = std::min(known->second, time);
            }
        }
        ConsoleReporter::ReportRuns(runs);
    }

    /// Prints how much longer the tutorial's step takes, and how much more divergence it leaves, if
    /// both have told.
    void ratio(const char* what, const std::string& tutorial, const char* chapter,
               const std::string& shorter) const {
        const auto a = best.find(tutorial);
        const auto b = best.find(shorter);
        if (a == best.end() || b == best.end()) {
            return;
        }
        std::printf("%-66s %8.2f", what, a->second / b->second);
        const auto left = divergences().find(chapter);
        const auto less = divergences().find(shorter);
        if (left != divergences().end() && less != divergences().end()) {
            std::printf(" %12.0f", left->second / less->second);
        }
        std::printf("\n");
    }

  private:
    std::map<std::string, double> best;
};

void print_ratios(const Keeper& times) {
    std::printf("\nratios within this run%44s %8s %12s\n", "", "time", "divergence");
    for (const int tolerance : {3, 4}) {
        const std::string power = "/" + std::to_string(tolerance);
        const std::string to = " to 1e-" + std::to_string(tolerance);
        for (const int threads : {1, 2}) {
            const std::string by = "/" + std::to_string(threads);
            const std::string with = to + ", " + std::to_string(threads) + " thread(s)";
            times.ratio(("chapter 07 : library 256^2, linear" + with).c_str(), "step_of_07/256",
                        "07", "library/256/2" + by + "/0" + power);
            times.ratio(("chapter 07 : library 256^2, MacCormack" + with).c_str(), "step_of_07/256",
                        "07", "library/256/2" + by + "/1" + power);
            times.ratio(("21_3d : library 128^3, linear" + with).c_str(), "step_of_09/128", "09",
                        "library/128/3" + by + "/0" + power);
            times.ratio(("21_3d : library 128^3, MacCormack" + with).c_str(), "step_of_09/128",
                        "09", "library/128/3" + by + "/1" + power);
        }
    }
    for (const std::string box :
         {"/512/2/1/", "/512/2/2/", "/64/3/1/", "/64/3/2/", "/128/3/1/", "/128/3/2/"}) {
        for (const char* viscosity : {"0/0", "100/100"}) {
            const std::string of_box = box + viscosity;
            times.ratio(("step_with_strang" + of_box + " : step_of_waves" + of_box).c_str(),
                        "step_with_strang" + of_box, "", "step_of_waves" + of_box);
            times.ratio(("step_with_midpoint" + of_box + " : step_with_strang" + of_box).c_str(),
                        "step_with_midpoint" + of_box, "", "step_with_strang" + of_box);
            times.ratio(("step_with_central" + of_box + " : step_with_maccormack" + of_box).c_str(),
                        "step_with_central" + of_box, "", "step_with_maccormack" + of_box);
            times.ratio(("step_past_ball" + of_box + " : step_of_waves" + of_box).c_str(),
                        "step_past_ball" + of_box, "", "step_of_waves" + of_box);
        }
    }
}

/// Always as many steps, so that all have come as far.
void steps(benchmark::internal::Benchmark* plan, int count) {
    plan->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(count);
}
void flat(benchmark::internal::Benchmark* plan) {
    steps(plan, 60);
}
void deep(benchmark::internal::Benchmark* plan) {
    steps(plan, 8);
}

/// Each kind of advection to 1e-4, and linear to 1e-3; with one thread and with two.
void plan_library(benchmark::internal::Benchmark* plan, int n, int dimensions) {
    for (const auto& [advection, power] : {std::pair{0, 4}, {1, 4}, {0, 3}}) {
        for (const int threads : {1, 2}) {
            plan->Args({n, dimensions, threads, advection, power});
        }
    }
}

BENCHMARK(step_of_07)->Apply(flat)->Args({256});
BENCHMARK(step_of_09)->Apply(deep)->Args({128});
void flat_library(benchmark::internal::Benchmark* plan) {
    flat(plan);
    plan_library(plan, 256, 2);
}
void deep_library(benchmark::internal::Benchmark* plan) {
    deep(plan);
    plan_library(plan, 128, 3);
}
BENCHMARK(library)->Apply(flat_library);
BENCHMARK(library)->Apply(deep_library);
BENCHMARK(triad)->Unit(benchmark::kMillisecond)->Iterations(5);
void flat_waves(benchmark::internal::Benchmark* plan) {
    flat(plan);
    for (const auto& [viscosity, diffusion] : {std::pair{0, 0}, {100, 0}, {100, 100}}) {
        for (const int threads : {1, 2}) {
            plan->Args({512, 2, threads, viscosity, diffusion});
        }
    }
}
BENCHMARK(step_of_waves)->Apply(flat_waves);
BENCHMARK(step_with_strang)->Apply(flat_waves);
BENCHMARK(step_with_midpoint)->Apply(flat_waves);
void deep_waves(benchmark::internal::Benchmark* plan) {
    deep(plan);
    for (const int n : {64, 128}) {
        for (const int threads : {1, 2}) {
            for (const int viscosity : {0, 100}) {
                plan->Args({n, 3, threads, viscosity, viscosity});
            }
        }
    }
}
BENCHMARK(step_of_waves)->Apply(deep_waves);
BENCHMARK(step_with_strang)->Apply(deep_waves);
BENCHMARK(step_with_midpoint)->Apply(deep_waves);
BENCHMARK(step_with_maccormack)->Apply(deep_waves);
BENCHMARK(step_with_central)->Apply(deep_waves);
BENCHMARK(step_past_ball)->Apply(deep_waves);
}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    if (*stable_fluids_why_no_cuda() == '\0') {
        for (const std::vector<std::int64_t>& arguments :
             {std::vector<std::int64_t>{256, 2, 0, 0, 4},
              {1024, 2, 0, 1, 4},
              {128, 3, 0, 0, 4},
              {256, 3, 0, 1, 4}}) {
            flat(benchmark::RegisterBenchmark("device", device)->Args(arguments));
        }
    }
    Keeper keeper;
    benchmark::RunSpecifiedBenchmarks(&keeper);
    print_ratios(keeper);
}
