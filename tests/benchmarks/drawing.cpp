// How long a picture of a volume takes on one core: 64 x 64 x 64 cells, 512 x 512 pixels.
#include <benchmark/benchmark.h>

#include <cmath>

#include "common/draw/raymarch.hpp"

namespace {

using namespace workbook;

/// Thin smoke everywhere, so that no ray ends early and none passes over anything; or a plume,
/// which fills a third of the box.
Volume smoke(bool is_plume) {
    Volume volume = {64, 64, 64, 1.0f / 64};
    for (int k = 0; k < 64; ++k) {
        for (int j = 0; j < 64; ++j) {
            for (int i = 0; i < 64; ++i) {
                const float x = static_cast<float>(i) / 64, y = static_cast<float>(j) / 64;
                const float z = static_cast<float>(k) / 64;
                const float r = std::hypot(x - 0.5f - 0.08f * std::sin(9 * y), z - 0.5f);
                const float plume = 14.0f * std::exp(-std::pow(r / (0.27f - 0.22f * y), 2.0f));
                const float thin = 0.4f + 0.2f * std::sin(20 * x) * std::sin(30 * y + 10 * z);
                volume.extinction[volume.index(i, j, k)] = !is_plume      ? thin
                                                           : plume < 0.3f ? 0.0f
                                                                          : plume;
            }
        }
    }
    return volume;
}

void light(benchmark::State& state) {
    parallel::ThreadPool pool(1);
    const Volume volume = smoke(state.range(0) != 0);
    while (state.KeepRunning()) {
        const LitVolume lit(volume, Light{}, pool);
        benchmark::DoNotOptimize(lit.sides());
    }
}

void draw(benchmark::State& state) {
    parallel::ThreadPool pool(1);
    const Volume volume = smoke(state.range(0) != 0);
    const LitVolume lit(volume, Light{}, pool);
    const CubeView view({0, 0, 512, 512}, Camera{}, volume.sides());
    while (state.KeepRunning()) {
        Picture picture(512, 512);
        draw_volume(picture, view, lit, pool, static_cast<int>(state.range(1)));
        benchmark::DoNotOptimize(picture.row(0));
    }
}

BENCHMARK(light)->ArgName("plume")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(draw)
    ->ArgNames({"plume", "pixels_per_ray"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
