// What a step of 23_cuda costs, part by part, on the host and, where there is one, on a GPU,
// beside a loop that moves the memory that a sweep must move: x = k x + b, 12 bytes a cell. Compare
// figures of one run only: machines differ, and so do their moods. --benchmark_out=FILE writes
// JSON.
//
// The names end in N and the number of threads. The device's part has not been run on a GPU yet.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/device_fluid.hpp"
#include "solver.hpp"

namespace {

using Plan = benchmark::internal::Benchmark;

constexpr int sweeps = 4;  // as in Ash's article

Fluid stirred(int N) {
    Fluid fluid(N);
    std::uint32_t seed = 1;
    for (Field* field : {&fluid.density, &fluid.u, &fluid.v, &fluid.w}) {
        for (float& cell : field->cells) {
            seed = seed * 1664525u + 1013904223u;
            cell = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
        }
    }
    set_bnd(BoundaryType::SCALAR, fluid.density);
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    set_bnd(BoundaryType::VELOCITY_DEPTH, fluid.w);
    return fluid;
}

void count_cells(benchmark::State& state, int times) {
    const std::int64_t N = state.range(0);
    state.SetItemsProcessed(times * state.iterations() * N * N * N);
}

// ---- On the host -------------------------------------------------------------------------------

/// Shares the loops among as many threads as the benchmark's second argument says.
void use_threads(const benchmark::State& state) {
    thread_pool(static_cast<int>(state.range(1)));
}

/// x = k x + b, as often as there are sweeps.
void memory(benchmark::State& state) {
    use_threads(state);
    const int N = static_cast<int>(state.range(0));
    Field x(N);
    const Field b = stirred(N).density;
    for (auto _ : state) {
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            for_all_cells(
                N, [&](int i, int j, int k) { x(i, j, k) = 0.5f * x(i, j, k) + b(i, j, k); });
            benchmark::ClobberMemory();
        }
    }
    count_cells(state, sweeps);
}

void lin_solve(benchmark::State& state) {
    use_threads(state);
    const Fluid fluid = stirred(static_cast<int>(state.range(0)));
    Field x = fluid.u;
    for (auto _ : state) {
        ::lin_solve(BoundaryType::SCALAR, x, fluid.density, 1.0f, 7.0f, sweeps);
    }
    count_cells(state, sweeps);
}

void advect(benchmark::State& state) {
    use_threads(state);
    const Fluid fluid = stirred(static_cast<int>(state.range(0)));
    Field d = fluid.density;
    for (auto _ : state) {
        ::advect(BoundaryType::SCALAR, d, fluid.density, {fluid.u, fluid.v, fluid.w}, 0.001f);
    }
    count_cells(state, 1);
}

void step(benchmark::State& state) {
    Fluid fluid = stirred(static_cast<int>(state.range(0)));
    fluid.threads = static_cast<int>(state.range(1));
    for (auto _ : state) {
        ::step(fluid, 0.001f);
    }
    count_cells(state, 1);
}

// ---- On the device -----------------------------------------------------------------------------

/// Runs a benchmark with a fluid on the GPU; or, if there is none or it cannot, says why.
template <class Body>
void with_device(benchmark::State& state, const Body& body) {
    const int N = static_cast<int>(state.range(0));
    try {
        device::DeviceFluid fluid(N);
        const Fluid start = stirred(N);
        fluid.upload(start.density.cells.data(), start.u.cells.data(), start.v.cells.data(),
                     start.w.cells.data());
        body(fluid);
        count_cells(state, 1);
    } catch (const device::Error& error) {
        state.SkipWithError(error.what());
    }
}

/// Kernel after kernel, timed on the device. The counters are milliseconds of the parts, and what
/// share of the copy bound the relaxation reaches: six solutions a step, of `sweeps` sweeps each.
/// Small cubes stay in the GPU's cache, and have no such bound.
void device_step(benchmark::State& state, device::Kernels kernels) {
    with_device(state, [&](device::DeviceFluid& fluid) {
        device::Settings settings;
        settings.kernels = kernels;
        fluid.timed_step(settings, 0.001f);
        device::Timings sum;
        for (auto _ : state) {
            const device::Timings timings = fluid.timed_step(settings, 0.001f);
            state.SetIterationTime(timings.step() * 1e-3);
            for (float device::Timings::*part :
                 {&device::Timings::relax, &device::Timings::advect, &device::Timings::divergence,
                  &device::Timings::gradient, &device::Timings::copy}) {
                sum.*part += timings.*part;
            }
        }
        const auto steps = static_cast<double>(state.iterations());
        state.counters["relax"] = sum.relax / steps;
        state.counters["advect"] = sum.advect / steps;
        state.counters["divergence"] = sum.divergence / steps;
        state.counters["gradient"] = sum.gradient / steps;
        state.counters["copy"] = sum.copy / steps;
        if (fluid.N() >= 256) {
            state.counters["relax_of_bound"] =
                6 * sweeps * fluid.timed_scale(20) / (sum.relax / steps);
        }
    });
}

void device_cell(benchmark::State& state) {
    device_step(state, device::Kernels::CELL);
}

void device_colour(benchmark::State& state) {
    device_step(state, device::Kernels::COLOUR);
}

void device_tile(benchmark::State& state) {
    device_step(state, device::Kernels::TILE);
}

void device_march(benchmark::State& state) {
    device_step(state, device::Kernels::MARCH);
}

/// Whole steps, replayed from a graph or not; `host_us` is what one of them keeps the host busy.
void device_replay(benchmark::State& state, bool graph) {
    with_device(state, [&](device::DeviceFluid& fluid) {
        device::Settings settings;
        settings.graph = graph;
        fluid.step(settings, 0.001f);
        fluid.wait();
        double host = 0.0;
        for (auto _ : state) {
            const auto begin = std::chrono::steady_clock::now();
            fluid.step(settings, 0.001f);
            host +=
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                    .count();
            fluid.wait();
        }
        state.counters["host_us"] = host / static_cast<double>(state.iterations());
    });
}

void device_graph(benchmark::State& state) {
    device_replay(state, true);
}

void device_launches(benchmark::State& state) {
    device_replay(state, false);
}

// ---- The ratios --------------------------------------------------------------------------------

/// Prints as the console does, and remembers the best time of each benchmark.
class Keeper : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            // What was skipped took no time.
            if (run.run_type == Run::RT_Iteration && run.real_accumulated_time > 0.0) {
                const std::string name = run.run_name.function_name + "/" + run.run_name.args;
                const auto [known, is_new] = best.emplace(name, run.GetAdjustedRealTime());
                known->second = std::min(known->second, run.GetAdjustedRealTime());
            }
        }
        ConsoleReporter::ReportRuns(runs);
    }

    /// Prints how much longer one takes than the other, if both were run.
    void ratio(const std::string& what, const std::string& longer,
               const std::string& shorter) const {
        const auto a = best.find(longer);
        const auto b = best.find(shorter);
        if (a != best.end() && b != best.end()) {
            std::printf("%-70s %9.3f\n", what.c_str(), a->second / b->second);
        }
    }

  private:
    std::map<std::string, double> best;
};

void print_ratios(const Keeper& times) {
    std::printf("\nratios within this run, of best times\n");
    for (const char* const N : {"64", "128", "256"}) {
        for (const char* const threads : {"1", "2"}) {
            const std::string size = std::string("/") + N + "/" + threads;
            const std::string words = std::string(", ") + N + "^3, " + threads + " threads";
            times.ratio("x = k x + b : lin_solve (share of the bound)" + words, "memory" + size,
                        "lin_solve" + size);
        }
        const std::string one = std::string("step/") + N + "/1";
        times.ratio(std::string("a step with one thread : with two, ") + N + "^3", one,
                    std::string("step/") + N + "/2");
        for (const char* const kernels : {"colour", "tile", "march"}) {
            times.ratio(std::string("device, cell : ") + kernels + ", " + N + "^3",
                        std::string("device_cell/") + N,
                        std::string("device_") + kernels + "/" + N);
        }
        times.ratio(std::string("host, one thread : device, ") + N + "^3", one,
                    std::string("device_graph/") + N);
    }
}

void on_host(Plan* plan) {
    plan->Unit(benchmark::kMillisecond)->UseRealTime()->ArgsProduct({{64, 128, 256}, {1, 2}});
}

void on_device(Plan* plan) {
    plan->Unit(benchmark::kMillisecond)->Arg(64)->Arg(128)->Arg(256)->Arg(512);
}

BENCHMARK(memory)->Apply(on_host);
BENCHMARK(lin_solve)->Apply(on_host);
BENCHMARK(advect)->Apply(on_host);
BENCHMARK(step)->Apply(on_host);
BENCHMARK(device_cell)->Apply(on_device)->UseManualTime();
BENCHMARK(device_colour)->Apply(on_device)->UseManualTime();
BENCHMARK(device_tile)->Apply(on_device)->UseManualTime();
BENCHMARK(device_march)->Apply(on_device)->UseManualTime();
BENCHMARK(device_graph)->Apply(on_device)->UseRealTime();
BENCHMARK(device_launches)->Apply(on_device)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    std::printf("device: %s\n",
                device::why_not().empty() ? device::name().c_str() : device::why_not().c_str());
    Keeper keeper;
    benchmark::RunSpecifiedBenchmarks(&keeper);
    print_ratios(keeper);
}
