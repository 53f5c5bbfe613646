// What a step of 07_project and a picture of it cost, and what a sweep costs beside a loop that
// moves the same memory. Compare figures of one run only: machines differ, and so do their moods.
#include <benchmark/benchmark.h>

#include <vector>

#include "common/app/paint.hpp"
#include "common/app/program.hpp"
#include "common/draw/caption.hpp"
#include "solver.hpp"

namespace {

void stir(Fluid& fluid) {
    const int N = fluid.density.N;
    for (int k = 0; k < N / 2; ++k) {
        add_density(fluid, N / 4 + k, N / 2 + k / 4, 1.0f);
        add_velocity(fluid, N / 4 + k, N / 2 + k / 4, 2.0f, 0.5f);
    }
}

void a_step(benchmark::State& state) {
    Fluid fluid(static_cast<int>(state.range(0)));
    stir(fluid);
    for (auto _ : state) {
        step(fluid, 1.0f / 60.0f);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(0));
}
BENCHMARK(a_step)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

void twenty_sweeps(benchmark::State& state) {
    Fluid fluid(static_cast<int>(state.range(0)));
    stir(fluid);
    for (auto _ : state) {
        lin_solve(BoundaryType::SCALAR, fluid.pressure, fluid.density, 1.0f, 4.0f, 20);
    }
    state.SetItemsProcessed(20 * state.iterations() * state.range(0) * state.range(0));
}
BENCHMARK(twenty_sweeps)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

/// x = k x + b moves the 12 bytes a cell that a sweep has to move.
void twenty_times_the_memory(benchmark::State& state) {
    const auto cells = static_cast<std::size_t>(state.range(0) * state.range(0));
    std::vector<float> x(cells, 1.0f);
    const std::vector<float> b(cells, 0.5f);
    for (auto _ : state) {
        for (int sweep = 0; sweep < 20; ++sweep) {
            for (std::size_t k = 0; k < cells; ++k) {
                x[k] = 0.5f * x[k] + b[k];
            }
            benchmark::ClobberMemory();
        }
    }
    state.SetItemsProcessed(20 * state.iterations() * state.range(0) * state.range(0));
}
BENCHMARK(twenty_times_the_memory)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

void a_picture(benchmark::State& state) {
    const int N = static_cast<int>(state.range(0));
    Fluid fluid(N);
    stir(fluid);
    step(fluid, 1.0f / 60.0f);
    float arrow_scale = 20.0f;
    workbook::Program program("07_project", "");
    program.simulation.box = workbook::box_of(workbook::Shape::cube, N);
    program.description.fields = {{"dye", [&](int i, int j) { return fluid.density(i, j); }}};
    program.look.velocity = [&](int i, int j) { return std::pair(fluid.u(i, j), fluid.v(i, j)); };
    program.look.arrow_scale = &arrow_scale;
    program.look.walls_have_values = true;
    const workbook::Size size = workbook::natural_size(N + 2, N + 2);
    for (auto _ : state) {
        benchmark::DoNotOptimize(workbook::paint(program, size.width, size.height));
    }
}
BENCHMARK(a_picture)->Arg(16)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
