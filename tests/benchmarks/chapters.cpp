// What a step of each chapter on the staggered grid costs: nanoseconds a cell, beside a step of
// 07_project with its defaults; the iterations of its solver; the milliseconds of its parts; and
// how many steps a second its program makes in the scene in which its window begins. One core, the
// median of five, everything in one run. Compare figures of one run only.
//
//     cmake --build build --target benchmark_chapters && build/bin/benchmark_chapters
#include <benchmark/benchmark.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace chapter_07 {
#include "07_project/solver.hpp"
}
namespace chapter_11 {
#include "11_mac/solver.hpp"
}
namespace chapter_12 {
#include "12_matrix/solver.hpp"
}
namespace chapter_13 {
#include "13_direct/solver.hpp"
}
namespace chapter_14 {
#include "14_gradients/solver.hpp"
}
namespace chapter_15 {
#include "15_multigrid/solver.hpp"
}
namespace chapter_16 {
#include "16_sharp/solver.hpp"
}
namespace chapter_17 {
#include "17_viscosity/solver.hpp"
}
namespace chapter_18 {
#include "18_open/solver.hpp"
}
namespace chapter_19 {
#include "19_obstacles/solver.hpp"
}
namespace chapter_31 {
#include "31_smoke/solver.hpp"
}
namespace chapter_32 {
#include "32_fire/solver.hpp"
}
namespace chapter_41 {
#include "41_particles/solver.hpp"
}
namespace chapter_42 {
#include "42_water/solver.hpp"
}

namespace {

constexpr double dt = 0.01;

/// A fluid in a box one wide, with the windows' tolerance, that a diagonal stroke with dye has set
/// in motion.
template <class Fluid>
Fluid stirred(int nx, int ny, int nz) {
    Fluid fluid(nx, ny, nz);
    fluid.h = 1.0 / nx;
    fluid.tolerance = nz == 1 ? 1e-6 : 1e-4;
    fluid.iterations = 1000;
    for (int k = 0; k < nz; ++k) {
        for (int i = 0; i < nx / 2; ++i) {
            add_density(fluid, nx / 4 + i, ny / 2 + i / 4, k, 1.0);
            add_velocity(fluid, nx / 4 + i, ny / 2 + i / 4, k, {2.0, 0.5, 0.0});
        }
    }
    return fluid;
}

/// The same, with a velocity that is reflected in every second step, as the windows have it.
template <class Fluid>
Fluid reflected(int nx, int ny, int nz) {
    Fluid fluid = stirred<Fluid>(nx, ny, nz);
    fluid.advection = decltype(fluid.advection)::REFLECTED;
    return fluid;
}

/// A stream from left to right around a disc, viscous.
chapter_19::Fluid street() {
    using namespace chapter_19;
    auto fluid = reflected<Fluid>(220, 41, 1);
    fluid.nu = 1e-4;
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[1].opening = Opening::OUTFLOW;
    for (int j = 0; j < fluid.ny; ++j) {
        fluid.u_given(0, j, 0) = 1.0;
        for (int i = 0; i < fluid.nx; ++i) {
            const bool is_in_disc = std::hypot(i - 20.0, j - 19.5) < 5.0;
            fluid.solid(i, j, 0) = is_in_disc ? 1.0 : 0.0;
        }
    }
    return fluid;
}

/// A plume that rises from a source below an open side, without dye.
template <class Fluid>
Fluid plume(int nx, int ny, int nz) {
    Fluid fluid(nx, ny, nz);
    fluid.h = 1.0 / nx;
    fluid.tolerance = nz == 1 ? 1e-6 : 1e-4;
    fluid.iterations = 1000;
    fluid.advection = decltype(fluid.advection)::SHARP;
    fluid.sides[2].opening = decltype(fluid.sides[2].opening)::OUTFLOW;
    fluid.beta = 4.0;
    fluid.cooling = 0.3;
    fluid.epsilon = 0.3;
    for (int k = 0; k < nz; ++k) {
        for (int i = 3 * nx / 8; i < 5 * nx / 8; ++i) {
            fluid.source(i, ny - 2, k) = 20.0;
        }
    }
    return fluid;
}

/// A fire in such a box.
chapter_32::Fluid fire() {
    auto fluid = plume<chapter_32::Fluid>(96, 144, 1);
    fluid.gravity = 4.0;
    fluid.source_temperature = 1000.0;
    fluid.source_fuel = 1.0;
    fluid.burning = 5.0;
    fluid.radiation = 1000.0;
    fluid.expands = 1.0;
    return fluid;
}

/// A fluid, the left half of it full of particles.
template <class Fluid>
Fluid half_full(int n, int layers) {
    Fluid fluid(n, n, layers);
    fluid.h = 1.0 / n;
    fluid.tolerance = layers == 1 ? 1e-6 : 1e-4;
    fluid.iterations = 1000;
    fluid.advection = decltype(fluid.advection)::APIC;
    fluid.force_y = 1.0;
    const std::vector<double> depths =
        layers == 1 ? std::vector<double>{0.5} : std::vector<double>{0.25, 0.75};
    for_each_point(fluid.density, [&](int i, int j, int k) {
        for (const double z : depths) {
            for (const double y : {0.25, 0.75}) {
                for (const double x : {0.25, 0.75}) {
                    if (2 * i < n) {
                        fluid.particles.push_back(
                            {{fluid.h * (i + x), fluid.h * (j + y), fluid.h * (k + z)}, {}, {}});
                    }
                }
            }
        }
    });
    return fluid;
}

chapter_42::Fluid dam(int n, int layers) {
    auto fluid = half_full<chapter_42::Fluid>(n, layers);
    fluid.has_air = true;
    return fluid;
}

template <class Fluid>
void carry_all(Fluid& fluid) {
    advect_velocity(fluid, dt);
    advect_density(fluid, dt);
    if constexpr (requires { advect_smoke(fluid, dt); }) {
        advect_smoke(fluid, dt);
    }
}

/// Registers three benchmarks of a chapter: the step, what carries, and what solves.
template <class Begin>
void add(const std::string& name, Begin begin) {
    using Fluid = decltype(begin());
    const auto flowing = [begin] {
        Fluid fluid = begin();
        for (int n = 0; n < 10; ++n) {
            step(fluid, dt);
        }
        return fluid;
    };
    const auto parts = [flowing](benchmark::State& state, bool is_carried, auto part) {
        Fluid fluid = flowing();
        if (is_carried) {
            carry_all(fluid);  // what a projection finds
        }
        for (auto _ : state) {
            state.PauseTiming();
            Fluid copy = fluid;
            state.ResumeTiming();
            part(copy);
        }
    };
    const auto plan = [](benchmark::internal::Benchmark* made) {
        made->Iterations(10)->Repetitions(5)->ReportAggregatesOnly(true)->Unit(
            benchmark::kMillisecond);
    };
    plan(benchmark::RegisterBenchmark((name + "/step").c_str(), [flowing](benchmark::State& state) {
        Fluid fluid = flowing();
        double iterations = 0.0;
        for (auto _ : state) {
            step(fluid, dt);
            iterations += static_cast<double>(fluid.residuals.size()) - 1.0;
        }
        state.counters["cells"] = static_cast<double>(fluid.pressure.values.size());
        state.counters["iterations"] = iterations / static_cast<double>(state.iterations());
    }));
    plan(benchmark::RegisterBenchmark((name + "/carry").c_str(), [parts](benchmark::State& state) {
        parts(state, false, [](Fluid& fluid) { carry_all(fluid); });
    }));
    plan(benchmark::RegisterBenchmark((name + "/solve").c_str(), [parts](benchmark::State& state) {
        parts(state, true, [](Fluid& fluid) {
            right_hand_side(fluid, dt);
            solve_pressure(fluid);
        });
    }));
}

/// 07_project at 128 x 128.
void add_07() {
    benchmark::RegisterBenchmark("07/step",
                                 [](benchmark::State& state) {
                                     chapter_07::Fluid fluid(128);
                                     for (int k = 0; k < 64; ++k) {
                                         add_density(fluid, 32 + k, 64 + k / 4, 1.0f);
                                         add_velocity(fluid, 32 + k, 64 + k / 4, 2.0f, 0.5f);
                                     }
                                     for (auto _ : state) {
                                         step(fluid, 1.0f / 60.0f);
                                     }
                                     state.counters["cells"] = 128.0 * 128.0;
                                 })
        ->Iterations(10)
        ->Repetitions(5)
        ->ReportAggregatesOnly(true)
        ->Unit(benchmark::kMillisecond);
}

/// Keeps the medians, and says nothing itself.
class Medians : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.aggregate_name == "median") {
                milliseconds[run.run_name.function_name] = run.GetAdjustedCPUTime();
                for (const auto& [counter, value] : run.counters) {
                    counters[run.run_name.function_name + "/" + counter] = value;
                }
            }
        }
    }
    std::map<std::string, double> milliseconds;
    std::map<std::string, double> counters;

    double nanoseconds_a_cell(const std::string& name) {
        return 1e6 * milliseconds[name + "/step"] / counters[name + "/step/cells"];
    }
};

/// How many seconds a program takes for some steps without a window, or 0 if it fails.
double seconds_of(const std::string& program, int steps) {
    const std::string command =
        "\"" + program + "\" --headless --steps " + std::to_string(steps) + " > /dev/null 2>&1";
    const auto began = std::chrono::steady_clock::now();
    const bool fails = std::system(command.c_str()) != 0;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return fails ? 0.0 : took.count();
}

/// The steps a second of a program, the median of five, or 0 if it is not there.
double steps_a_second(const std::string& program) {
    std::vector<double> rates;
    for (int n = 0; n < 5; ++n) {
        const double few = seconds_of(program, 2);
        const double many = seconds_of(program, 62);
        rates.push_back(many > few && few > 0.0 ? 60.0 / (many - few) : 0.0);
    }
    std::sort(rates.begin(), rates.end());
    return rates[2];
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    add_07();
    add("11", [] { return stirred<chapter_11::Fluid>(128, 128, 1); });
    add("12", [] { return stirred<chapter_12::Fluid>(128, 128, 1); });
    add("13", [] { return stirred<chapter_13::Fluid>(128, 128, 1); });
    add("14", [] { return stirred<chapter_14::Fluid>(128, 128, 1); });
    add("15", [] { return stirred<chapter_15::Fluid>(128, 128, 1); });
    add("15 in 3D", [] { return stirred<chapter_15::Fluid>(40, 60, 40); });
    add("16", [] { return reflected<chapter_16::Fluid>(128, 128, 1); });
    add("16 in 3D", [] { return reflected<chapter_16::Fluid>(40, 60, 40); });
    add("17", [] {
        auto fluid = reflected<chapter_17::Fluid>(128, 128, 1);
        fluid.nu = 1e-3;
        return fluid;
    });
    add("18", [] { return reflected<chapter_18::Fluid>(128, 128, 1); });
    add("19, a street", [] { return street(); });
    add("31", [] { return plume<chapter_31::Fluid>(128, 256, 1); });
    add("31 in 3D", [] { return plume<chapter_31::Fluid>(40, 60, 40); });
    add("32", [] { return fire(); });
    add("41", [] { return half_full<chapter_41::Fluid>(128, 1); });
    add("42", [] { return dam(128, 1); });
    add("42 in 3D", [] { return dam(40, 40); });
    Medians medians;
    benchmark::RunSpecifiedBenchmarks(&medians);

    const double first = medians.nanoseconds_a_cell("07");
    std::printf("07: %.0f ns a cell and step\n", first);
    std::printf("%-14s %8s %6s %11s %8s %8s %8s\n", "chapter", "ns/cell", "x 07", "iterations",
                "carry ms", "solve ms", "rest ms");
    for (const auto& [name, step] : medians.milliseconds) {
        const std::size_t end = name.find("/step");
        if (end == std::string::npos || name == "07/step") {
            continue;
        }
        const std::string chapter = name.substr(0, end);
        const double cost = medians.nanoseconds_a_cell(chapter);
        const double carry = medians.milliseconds[chapter + "/carry"];
        const double solve = medians.milliseconds[chapter + "/solve"];
        std::printf("%-14s %8.0f %6.2f %11.1f %8.2f %8.2f %8.2f\n", chapter.c_str(), cost,
                    cost / first, medians.counters[name + "/iterations"], carry, solve,
                    step - carry - solve);
    }

    const std::string path = argv[0];
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    std::printf("steps a second in the window's first scene, without drawing\n");
    for (const char* program :
         {"07_project", "15_multigrid", "16_sharp", "17_viscosity", "18_open", "19_obstacles",
          "31_smoke", "32_fire", "41_particles", "42_water"}) {
        std::printf("%-14s %8.0f\n", program, steps_a_second(folder + program));
    }
}
