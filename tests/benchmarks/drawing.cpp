// How long a picture takes on one core: of a volume of 64 x 64 x 64 cells, 512 x 512 pixels large;
// of a fire, as 32_fire's window draws it; and of water, as 42_water's window does, in two threads,
// too.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "common/draw/black_body.hpp"
#include "common/draw/raymarch.hpp"
#include "common/draw/surface.hpp"

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

/// A flame in a box of that size: its middle is hot, and its smoke is everywhere around it. On a
/// film it has a temperature; on a screen it sends out light that is as bright as a screen at most.
Volume flame(int nx, int ny, int nz, bool is_on_film) {
    const GlowTable table;
    Volume volume = {nx, ny, nz, 1.0f / static_cast<float>(nx)};
    volume.colour.assign(volume.count(), {0.1f, 0.1f, 0.1f});
    volume.solid.resize(volume.count());
    volume.exposure = 10.0f;
    volume.kelvin.resize(is_on_film ? volume.count() : 0);
    volume.glow.resize(is_on_film ? 0 : volume.count());
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const float x = (static_cast<float>(i) + 0.5f) / static_cast<float>(nx) - 0.5f;
                const float z = (static_cast<float>(k) + 0.5f) / static_cast<float>(nz) - 0.5f;
                const float y = static_cast<float>(j) / static_cast<float>(ny);
                const float r = std::hypot(x - 0.1f * std::sin(9 * y), nz == 1 ? 0.0f : z);
                const float kelvin = 300.0f + 1800.0f * std::exp(-60.0f * r * r);
                const std::size_t cell = volume.index(i, j, k);
                volume.extinction[cell] = 8.0f * std::exp(-8.0f * r * r);
                if (is_on_film) {
                    volume.kelvin[cell] = kelvin;
                } else {
                    const Rgb light = table.at(kelvin);
                    const float most = volume.extinction[cell];
                    volume.glow[cell] = {most * on_film(light.red), most * on_film(light.green),
                                         most * on_film(light.blue)};
                }
            }
        }
    }
    return volume;
}

/// The flame as it was drawn before there was a film, or on a film: from finer cells, and with a
/// glow around it.
template <class Draw>
void draw_fire(Volume volume, Picture& picture, parallel::ThreadPool& pool, const Draw& draw) {
    if (volume.kelvin.empty()) {
        draw(picture, LitVolume(volume, Light{}, pool));
        return;
    }
    volume.reached = light_reaching(volume, Light{}.towards, pool);
    LightPicture light(picture, {0, 0, picture.width(), picture.height()});
    draw(light, LitVolume(refined(volume), Light{}, pool));
    const auto height = static_cast<float>(picture.height());
    light.spread(0.12f, 0.05f * height, pool);
    light.spread(0.12f, 0.012f * height, pool);
    light.develop(picture, pool);
}

void flat_fire(benchmark::State& state) {
    parallel::ThreadPool pool(1);
    const Volume volume = flame(96, 144, 1, state.range(0) != 0);
    Picture picture(480, 720);
    while (state.KeepRunning()) {
        draw_fire(volume, picture, pool, [&](auto& target, const LitVolume& lit) {
            draw_layer(target, 0.0f, 0.0f, 480.0f / lit.sides().x, lit, 0, 0.15f * lit.sides().x,
                       pool);
        });
        benchmark::DoNotOptimize(picture.row(0));
    }
}

void deep_fire(benchmark::State& state) {
    parallel::ThreadPool pool(1);
    const Volume volume = flame(40, 60, 40, state.range(0) != 0);
    const bool is_in_motion = state.range(1) != 0;
    Picture picture(576, 576);
    const CubeView view({0, 0, 576, 576}, Camera{}, volume.sides());
    while (state.KeepRunning()) {
        draw_fire(volume, picture, pool, [&](auto& target, const LitVolume& lit) {
            if (state.range(0) != 0) {
                draw_volume_smoothly(target, view, lit, pool, is_in_motion ? 4 : 2);
            } else {
                draw_volume(target, view, lit, pool, is_in_motion ? 2 : 1);
            }
        });
        benchmark::DoNotOptimize(picture.row(0));
    }
}

/// Waves on water that fills two fifths of a box, as 42_water's window draws them: with the light
/// on the floor, in as many threads as are asked for.
void water(benchmark::State& state) {
    parallel::ThreadPool pool(static_cast<int>(state.range(1)));
    LevelSet waves = {128, 96, 64};
    for (int k = 0; k < waves.nz; ++k) {
        for (int j = 0; j < waves.ny; ++j) {
            for (int i = 0; i < waves.nx; ++i) {
                const float x = static_cast<float>(i) / 64, z = static_cast<float>(k) / 64;
                const float level = 58.0f + 6.0f * std::sin(5 * x) * std::cos(7 * z + 2 * x);
                waves.phi[waves.index(i, j, k)] =
                    std::clamp(level - static_cast<float>(j), -1.0f, 2.0f);
            }
        }
    }
    const Liquid liquid = {1.33f, {3.2f, 1.2f, 0.8f}, 0.4f, {0.02f, 0.2f, 0.3f}};
    const CubeView view({0, 0, 576, 432}, Camera{}, waves.sides());
    const bool is_in_motion = state.range(0) != 0;
    while (state.KeepRunning()) {
        Picture picture(576, 432);
        draw_surface(picture, view, LitSurface(waves, liquid, pool), pool, is_in_motion ? 2 : 1);
        benchmark::DoNotOptimize(picture.row(0));
    }
}

BENCHMARK(water)
    ->ArgNames({"in_motion", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(flat_fire)->ArgName("film")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(deep_fire)
    ->ArgNames({"film", "in_motion"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(light)->ArgName("plume")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(draw)
    ->ArgNames({"plume", "pixels_per_ray"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
