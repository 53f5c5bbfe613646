// What goes wrong on a GPU only once in a while, and on an emulated one whenever it is told to.
#include <cuda_runtime.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cuda/device_fluid.hpp"

namespace {

std::string refusal_by(const emulation::Machine& machine) {
    const emulation::Instead emulated(machine);
    const std::string why = device::why_not();
    try {
        const device::DeviceFluid fluid(16);
    } catch (const device::Error& error) {
        return why == error.what() ? why : why + " / " + error.what();
    }
    return "none";
}

/// All that is done with a fluid, from its beginning to its end.
void live() {
    device::DeviceFluid fluid(6);
    std::vector<float> cells(216, 0.5f);
    fluid.upload(cells.data(), cells.data(), cells.data(), cells.data());
    device::Settings settings;
    fluid.step(settings, 0.1f);
    settings.graph = settings.diffuse_velocity = false;
    for (const device::Kernels kernels :
         {device::Kernels::CELL, device::Kernels::COLOUR, device::Kernels::TILE}) {
        settings.kernels = kernels;
        fluid.step(settings, 0.1f);
    }
    fluid.timed_step(settings, 0.1f);
    fluid.timed_scale(2);
    fluid.download(cells.data(), cells.data(), nullptr, nullptr);
    CHECK(std::isfinite(cells[100]));
}

}  // namespace

TEST_CASE("whatever call fails, it is named and nothing is lost", "[gpu][emulated]") {
    REQUIRE(emulation::in_use() == 0);
    for (const cudaError_t failure : {cudaErrorLaunchFailure, cudaErrorMemoryAllocation}) {
        std::set<std::string> files;
        int errors = 0;
        long call = 0;
        for (bool reached = true; reached;) {
            emulation::Machine machine;
            machine.failing_call = ++call;
            machine.failure = failure;
            const emulation::Instead emulated(machine);
            std::string what;
            try {
                live();
            } catch (const device::Error& error) {
                what = error.what();
                ++errors;
            }
            reached = emulation::machine.calls >= call;
            INFO("call " << call << ": " << what);
            REQUIRE(emulation::in_use() == 0);
            REQUIRE(cudaGetLastError() == cudaSuccess);
            if (!what.empty()) {
                CHECK(what.find(failure == cudaErrorMemoryAllocation
                                    ? ": out of memory"
                                    : ": unspecified launch failure") != std::string::npos);
                CHECK(what.find('\n') == std::string::npos);
                const std::size_t file = what.rfind(" at ", what.find(".cu")) + 4;
                REQUIRE(file > 4);
                REQUIRE(file < what.size());
                files.insert(what.substr(file, what.find(':', file) - file));
            }
        }
        INFO("all calls but the last, which waits in the destructor, and one beyond");
        CHECK(errors == call - 2);
        CHECK(errors > 100);
        CHECK(files == std::set<std::string>{"advect.cu", "device_fluid.cu", "owners.cuh",
                                             "project.cu", "relax.cu", "relax_1_cell.cu",
                                             "relax_2_colour.cu", "relax_3_tile.cu",
                                             "relax_4_march.cu"});
    }
}

TEST_CASE("the first fluid cell of each row begins a line of memory", "[gpu][emulated]") {
    for (const int N : {3, 30, 33}) {
        const emulation::Instead emulated({});
        device::DeviceFluid fluid(N);
        const std::vector<float> cells(static_cast<std::size_t>(N) * N * N, 0.5f);
        fluid.upload(nullptr, cells.data(), nullptr, nullptr);
        INFO("N = " << N);
        CHECK((emulation::machine.uploaded_to + sizeof(float)) % 128 == 0);
        CHECK(emulation::machine.uploaded_pitch % 128 == 0);
        CHECK(emulation::machine.uploaded_pitch >= N * sizeof(float));
    }
}

TEST_CASE("only what is asked for is fetched, into pinned memory", "[gpu][emulated]") {
    const emulation::Instead emulated({});
    device::DeviceFluid fluid(5);
    std::vector<float> cells(125, 0.5f);
    fluid.upload(cells.data(), nullptr, nullptr, nullptr);
    fluid.download(cells.data(), nullptr, nullptr, nullptr);
    CHECK(emulation::machine.downloads == 1);
    fluid.download(nullptr, cells.data(), cells.data(), cells.data());
    CHECK(emulation::machine.downloads == 4);
    CHECK(emulation::machine.pinned_downloads == 4);
}

TEST_CASE("a step that could not be written down leaves the fluid as it was", "[gpu][emulated]") {
    const std::vector<float> bumps = {0.5f, -1.0f, 0.25f, 2.0f, 1.5f};
    std::vector<float> before(216);
    for (std::size_t n = 0; n < before.size(); ++n) {
        before[n] = bumps[n % bumps.size()];
    }
    for (long call = 1;; ++call) {
        device::DeviceFluid fluid(6);
        fluid.upload(before.data(), before.data(), before.data(), before.data());
        emulation::Machine machine;
        machine.failing_call = call;
        bool failed = false;
        {
            const emulation::Instead emulated(machine);
            try {
                fluid.step({}, 0.1f);
            } catch (const device::Error&) {
                failed = true;
            }
        }
        if (!failed) {
            CHECK(call > 20);
            return;
        }
        INFO("call " << call);
        CHECK(cudaGetLastError() == cudaSuccess);
        std::vector<float> after(216), u(216), w(216);
        fluid.download(after.data(), u.data(), nullptr, w.data());
        REQUIRE(after == before);
        REQUIRE(u == before);
        REQUIRE(w == before);
    }
}

TEST_CASE("a computer that will not do is refused as it should be", "[gpu][emulated]") {
    CHECK(refusal_by({}) == "none");
    CHECK(refusal_by({.driver = 0}) == "no NVIDIA driver is installed");
    CHECK(refusal_by({.driver = 12020}) ==
          "the NVIDIA driver is too old: it is made for CUDA 12.2, and this program for 13.0");
    CHECK(refusal_by({.devices = 0}) == "there is no NVIDIA GPU");
    CHECK(refusal_by({.counting = cudaErrorSystemNotReady}) ==
          "the GPU cannot be used: system not yet initialized");
    CHECK(refusal_by({.attributes = cudaErrorNoKernelImageForDevice}) ==
          "this program was compiled for other GPUs than the one that is here");
    CHECK(cudaGetLastError() == cudaSuccess);
    const emulation::Instead emulated({.memory = 1'000'000'000});
    CHECK(device::why_not().empty());
    std::string message;
    try {
        const device::DeviceFluid fluid(320);
    } catch (const device::Error& error) {
        message = error.what();
    }
    CHECK(message == "out of device memory: N = 320 needs 1.44 GB, and 1.00 GB are free");
}
