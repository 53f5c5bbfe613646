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

/// How often the equations of a field are relaxed in a step.
inline int relaxations(const Fluid& fluid) {
    return (fluid.diffuse_velocity ? 3 : 0) + (fluid.project_velocity ? 2 : 0) + 1;
}

/// Gigabytes a second that x = k x + b moves on the GPU, in fields of this size.
inline double gigabytes_a_second(device::DeviceFluid& fluid) {
    const double N = fluid.N();
    const double bytes = 12.0 * device::row_on_device(fluid.N()) * N * N;
    return bytes / (1e6 * fluid.timed_scale(20));
}

/// Writes a table of what relaxation and a whole step take, in milliseconds, for this fluid: a row
/// for each step of cuda/, if there is a GPU, and one for the processor. Beside the time are the
/// bytes that a sweep asks for, for each cell, and what share of the GPU's bandwidth they take.
inline void write_timings(const FluidWithSlips& start, const workbook::Choice& kernels,
                          const workbook::OutputFile& output) {
    constexpr int repeats = 20;
    const float dt = 0.01f;
    std::ofstream table = output.open();
    table << "by,N,relax_ms,step_ms,bytes_a_cell,share_of_bandwidth\n" << std::setprecision(4);
    const int N = start.u.N;
    if (device::why_not().empty()) {
        device::DeviceFluid fluid(N);
        device::Settings settings = settings_of(start, kernels);
        const double bandwidth = gigabytes_a_second(fluid);
        const double relaxed =  // cells in a step
            1.0 * relaxations(start) * start.iterations * (N - 2) * (N - 2) * (N - 2);
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
            const double bytes = device::bytes_a_cell(settings.kernels, fluid.depth());
            table << kernels.names[chosen] << "," << N << "," << relax << "," << all << "," << bytes
                  << "," << bytes * relaxed / (1e6 * relax) / bandwidth << "\n";
        }
        fluid.step(settings, dt);  // this one is captured
        fluid.wait();
        const auto begin = std::chrono::steady_clock::now();
        for (int n = 0; n < repeats; ++n) {
            fluid.step(settings, dt);
        }
        fluid.wait();
        table << "graph," << N << ",," << milliseconds_since(begin) / repeats << ",,\n";
    }
    FluidWithSlips host = start;
    table << "host," << N << ",," << step_on_host(host, dt) << ",,\n";
    output.close(table);
}
