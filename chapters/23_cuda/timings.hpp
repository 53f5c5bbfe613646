// What a step takes: on the processor, and with each of the kernels on this machine's GPU. It needs
// the chapter's solver.hpp and 21_3d's slips.hpp before it.
#pragma once

#include <chrono>
#include <fstream>
#include <iomanip>

#include "common/app/flags.hpp"
#include "common/io/output.hpp"
#include "cuda/device_fluid.hpp"
#include "window/slips.hpp"

/// Milliseconds since `begin`.
inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now() - begin).count();
}

/// Makes a step on the processor. Returns the milliseconds that it took.
inline double step_on_host(FluidWithSlips& fluid, float dt) {
    const auto begin = std::chrono::steady_clock::now();
    any_of(fluid.slips) ? step(fluid, dt) : step(static_cast<Fluid&>(fluid), dt);
    return milliseconds_since(begin);
}

/// What the device is told about a step of this fluid. `kernels` names them as device::Kernels
/// does.
inline device::Settings settings_of(const Fluid& fluid, const workbook::Choice& kernels) {
    device::Settings settings;
    settings.diff = fluid.diff;
    settings.visc = fluid.visc;
    settings.iterations = fluid.iterations;
    settings.diffuse_velocity = fluid.diffuse_velocity;
    settings.advect_velocity = fluid.advect_velocity;
    settings.project_velocity = fluid.project_velocity;
    settings.kernels = static_cast<device::Kernels>(kernels.chosen);
    return settings;
}

inline void upload(device::DeviceFluid& device, const Fluid& fluid) {
    device.upload(fluid.density.cells.data(), fluid.u.cells.data(), fluid.v.cells.data(),
                  fluid.w.cells.data());
}

/// Writes a table of what relaxation and a whole step take, in milliseconds, for this fluid: a row
/// for each step of cuda/, if there is a GPU, and one for the processor.
inline void write_timings(const FluidWithSlips& start, const workbook::Choice& kernels,
                          const workbook::OutputFile& output) {
    constexpr int repeats = 20;
    const float dt = 0.01f;
    std::ofstream table = output.open();
    table << "by,N,relax_ms,step_ms\n" << std::setprecision(4);
    const int N = start.u.N;
    if (device::why_not().empty()) {
        device::DeviceFluid fluid(N);
        device::Settings settings = settings_of(start, kernels);
        for (std::size_t chosen = 0; chosen < kernels.names.size(); ++chosen) {
            settings.kernels = static_cast<device::Kernels>(chosen);
            upload(fluid, start);
            fluid.timed_step(settings, dt);  // the first one is slower
            double relax = 0.0;
            double all = 0.0;
            for (int n = 0; n < repeats; ++n) {
                const device::Timings took = fluid.timed_step(settings, dt);
                relax += double{took.relax} / repeats;
                all += double{took.step()} / repeats;
            }
            table << kernels.names[chosen] << "," << N << "," << relax << "," << all << "\n";
        }
        fluid.step(settings, dt);  // this one is captured
        fluid.wait();
        const auto begin = std::chrono::steady_clock::now();
        for (int n = 0; n < repeats; ++n) {
            fluid.step(settings, dt);
        }
        fluid.wait();
        table << "graph," << N << ",," << milliseconds_since(begin) / repeats << "\n";
    }
    FluidWithSlips host = start;
    table << "host," << N << ",," << step_on_host(host, dt) << "\n";
    output.close(table);
}
