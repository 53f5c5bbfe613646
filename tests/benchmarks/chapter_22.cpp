// What a step of 22_cells costs beside one of 21_3d: in one thread, as processor time, and in two,
// by the clock. All runs take turns, and each figure is the median of five. Compare figures of one
// run only. Two threads need two free cores: the last line says how many they had.
//
//     cmake --build build --target benchmark_22 && build/bin/benchmark_22
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "common/parallel.hpp"

namespace chapter_21 {
#include "21_3d/solver.hpp"
}
namespace chapter_22 {
#include "22_cells/solver.hpp"
}

namespace {

constexpr float dt = 0.001f;

template <class Fluid>
Fluid stirred(int N) {
    Fluid fluid(N);
    std::uint32_t seed = 1;
    for (auto* field : {&fluid.density, &fluid.u, &fluid.v, &fluid.w}) {
        for (float& cell : field->cells) {
            seed = seed * 1664525u + 1013904223u;
            cell = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
        }
    }
    return fluid;
}

/// Milliseconds of five runs, by the clock and of all processors together.
struct Times {
    std::vector<double> by_clock, of_processors;

    template <class Work>
    void measure(const Work& work) {
        const auto began = std::chrono::steady_clock::now();
        const std::clock_t before = std::clock();
        work();
        of_processors.push_back(1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - began;
        by_clock.push_back(took.count());
    }
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// What no thread shares in a step with its defaults: eight copies, and the walls after each of 24
/// sweeps, 4 fields carried and 2 projections of 5 fields.
void not_shared(chapter_22::Fluid& fluid) {
    for (int n = 0; n < 8; ++n) {
        fluid.u_prev = fluid.u;
    }
    for (int n = 0; n < 24 + 4 + 2 * 5; ++n) {
        set_bnd(chapter_22::BoundaryType::SCALAR, fluid.v);
    }
}

void compare(int N) {
    auto in_order = stirred<chapter_21::Fluid>(N);
    auto by_colours = stirred<chapter_22::Fluid>(N);
    Times old, one, two, rest;
    const auto step_by_colours = [&](int threads) {
        by_colours.threads = threads;
        step(by_colours, dt);
    };
    for (int n = 0; n < 5; ++n) {
        old.measure([&] { step(in_order, dt); });
        chapter_22::thread_pool(1);
        one.measure([&] { step_by_colours(1); });
        rest.measure([&] { not_shared(by_colours); });
        chapter_22::thread_pool(2);
        two.measure([&] { step_by_colours(2); });
    }
    std::printf("N = %d, medians of five\n", N);
    std::printf("  a step of 21_3d, processor time                      %8.1f ms\n",
                median(old.of_processors));
    std::printf("  22_cells, one thread : 21_3d, processor time         %8.2f\n",
                median(one.of_processors) / median(old.of_processors));
    std::printf("  22_cells, two threads : 21_3d, by the clock          %8.2f\n",
                median(two.by_clock) / median(old.by_clock));
    std::printf("  22_cells, two threads : one, by the clock            %8.2f\n",
                median(two.by_clock) / median(one.by_clock));
    std::printf("  share of a step that stays in one thread             %8.2f\n",
                median(rest.of_processors) / median(one.of_processors));
    std::printf("  cores that two threads had: processor time : clock   %8.2f\n",
                median(two.of_processors) / median(two.by_clock));
}

}  // namespace

int main() {
    for (const int N : {66, 130}) {
        compare(N);
    }
}
