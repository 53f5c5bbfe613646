// What goes wrong on a GPU only once in a while, and on an emulated one whenever it is told to.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "stable_fluids.h"

namespace {

/// A small box with a little of everything.
stable_fluids_description described(const stable_fluids_scalar* scalar) {
    stable_fluids_description d;
    stable_fluids_describe(&d);
    d.backend = STABLE_FLUIDS_CUDA;
    d.nx = 6;
    d.ny = 5;
    d.nz = 3;
    d.viscosity = 0.01f;
    d.scalars = scalar;
    d.scalar_count = 1;
    return d;
}

/// The first status that is not OK in a fluid's life, and what is said of it.
struct Life {
    bool begun;
    stable_fluids_status status;
    std::string error;
};

Life live() {
    stable_fluids_scalar scalar;
    stable_fluids_describe_scalar(&scalar);
    const stable_fluids_description d = described(&scalar);
    stable_fluids* fluid = nullptr;
    stable_fluids_status status = stable_fluids_create(&d, &fluid);
    if (status != STABLE_FLUIDS_OK) {
        CHECK(fluid == nullptr);
        return {false, status, stable_fluids_error(nullptr)};
    }
    std::vector<float> cells(90, 1.0f);
    status = stable_fluids_set(fluid, STABLE_FLUIDS_SCALAR(0), cells.data(), cells.size());
    if (status == STABLE_FLUIDS_OK) {
        status = stable_fluids_step(fluid, 0.1f, 1);
    }
    if (status == STABLE_FLUIDS_OK) {
        status = stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(0), cells.data(), cells.size());
        CHECK(std::isfinite(cells[45]));
    }
    const Life life = {true, status, status == STABLE_FLUIDS_OK ? "" : stable_fluids_error(fluid)};
    if (status == STABLE_FLUIDS_DEVICE_ERROR) {
        CHECK(stable_fluids_step(fluid, 0.1f, 1) == STABLE_FLUIDS_DEVICE_ERROR);
    }
    stable_fluids_destroy(fluid);
    return life;
}

std::string refusal_by(const emulation::Machine& machine) {
    const emulation::Instead emulated(machine);
    const std::string why = stable_fluids_why_no_cuda();
    const Life life = live();
    if (life.status == STABLE_FLUIDS_OK) {
        return why.empty() ? "none" : why;
    }
    CHECK(life.status == STABLE_FLUIDS_NO_DEVICE);
    CHECK(life.error.find(why) != std::string::npos);
    return why;
}

}  // namespace

TEST_CASE("whatever call fails, it is said and nothing is lost", "[gpu][emulated]") {
    REQUIRE(emulation::in_use() == 0);
    for (const cudaError_t failure : {cudaErrorLaunchFailure, cudaErrorMemoryAllocation}) {
        int errors = 0;
        int without_memory = 0;
        long call = 0;
        for (bool reached = true; reached;) {
            emulation::Machine machine;
            machine.failing_call = ++call;
            machine.failure = failure;
            const emulation::Instead emulated(machine);
            const Life life = live();
            reached = emulation::machine.calls >= call;
            INFO("call " << call << ": " << life.error);
            REQUIRE(emulation::in_use() == 0);
            REQUIRE(cudaGetLastError() == cudaSuccess);
            if (life.status != STABLE_FLUIDS_OK) {
                INFO("all is said, but when memory is given back: nobody could be told");
                REQUIRE(++errors == call);
                const auto advises = [&](const char* what) {
                    return life.error.find(what) != std::string::npos;
                };
                if (life.status == STABLE_FLUIDS_OUT_OF_MEMORY) {
                    CHECK(failure == cudaErrorMemoryAllocation);
                    CHECK_FALSE(life.begun);
                    CHECK((advises("; make the box smaller") ||
                           advises("; close what else uses the GPU")));
                    ++without_memory;
                } else {
                    CHECK(life.status == STABLE_FLUIDS_DEVICE_ERROR);
                    CHECK(advises("; destroy the fluid and make another, and if that fails"));
                }
                CHECK(life.error.find('\n') == std::string::npos);
            }
        }
        CHECK(errors > 100);
        CHECK((without_memory > 10) == (failure == cudaErrorMemoryAllocation));
    }
}

TEST_CASE("a computer that will not do is refused as it should be", "[gpu][emulated]") {
    CHECK(refusal_by({}) == "none");
    CHECK(refusal_by({.driver = 0}).find("no NVIDIA driver is installed") == 0);
    CHECK(refusal_by({.driver = 12020}).find("the NVIDIA driver is too old") == 0);
    CHECK(refusal_by({.devices = 0}).find("there is no NVIDIA GPU") == 0);
    CHECK(refusal_by({.counting = cudaErrorSystemNotReady})
              .find("the GPU cannot be used: system not yet initialized") == 0);
    CHECK(refusal_by({.attributes = cudaErrorNoKernelImageForDevice})
              .find("this library was compiled for other GPUs than the one that is here") == 0);
    CHECK(refusal_by({.attributes = cudaErrorLaunchFailure})
              .find("the GPU cannot be used: unspecified launch failure") == 0);
    const emulation::Instead emulated({.memory = 45000});
    const Life life = live();
    CHECK(life.status == STABLE_FLUIDS_OUT_OF_MEMORY);
    CHECK(life.error.find("out of device memory: 0.000 GB more are needed") != std::string::npos);
    CHECK(emulation::in_use() == 0);
}

TEST_CASE("a fluid stays on its GPU, whichever one is chosen later", "[gpu][emulated]") {
    const emulation::Instead emulated({.devices = 2});
    stable_fluids_scalar scalar;
    stable_fluids_describe_scalar(&scalar);
    const stable_fluids_description d = described(&scalar);
    stable_fluids* fluid = nullptr;
    REQUIRE(stable_fluids_create(&d, &fluid) == STABLE_FLUIDS_OK);
    cudaSetDevice(1);
    CHECK(stable_fluids_step(fluid, 0.1f, 1) == STABLE_FLUIDS_OK);
    int chosen = 0;
    cudaGetDevice(&chosen);
    CHECK(chosen == 1);
    stable_fluids_destroy(fluid);
    cudaSetDevice(0);
}

namespace {

/// How many kernels, copies and memsets a V-cycle queues: one more cycle than in another fluid, and
/// nothing else. The residual is measured after each.
long queued_in_a_cycle(int nx, int ny, int nz, int flow) {
    long queued[2];
    for (const int more : {0, 1}) {
        stable_fluids_description d;
        stable_fluids_describe(&d);
        d.backend = STABLE_FLUIDS_CUDA;
        d.nx = nx;
        d.ny = ny;
        d.nz = nz;
        for (stable_fluids_face& face : d.faces) {
            face.flow = flow;
        }
        d.tolerance = 1e-30f;  // out of reach
        d.cycles = 2 + more;
        stable_fluids* fluid = nullptr;
        REQUIRE(stable_fluids_create(&d, &fluid) == STABLE_FLUIDS_OK);
        std::vector<float> push(static_cast<std::size_t>(nx + 1) * static_cast<std::size_t>(ny) *
                                static_cast<std::size_t>(nz));
        for (std::size_t n = 0; n < push.size(); ++n) {
            push[n] = static_cast<float>(n % 7);
        }
        REQUIRE(stable_fluids_set(fluid, STABLE_FLUIDS_FORCE_X, push.data(), push.size()) ==
                STABLE_FLUIDS_OK);
        const long before = emulation::machine.queued;
        REQUIRE(stable_fluids_step(fluid, 0.1f, 1) == STABLE_FLUIDS_OK);
        queued[more] = emulation::machine.queued - before;
        stable_fluids_statistics statistics;
        statistics.size = sizeof statistics;
        REQUIRE(stable_fluids_statistics_of(fluid, &statistics) == STABLE_FLUIDS_OK);
        REQUIRE(statistics.pressure_cycles == d.cycles);
        stable_fluids_destroy(fluid);
    }
    return queued[1] - queued[0];
}

}  // namespace

TEST_CASE("a V-cycle queues less than half of what its operations are",
          "[gpu][emulated][launches]") {
    struct Box {
        int nx, ny, nz, flow;
        long now;
        long apart;  ///< what was queued when each operation, or all sweeps of a box, went alone
    };
    std::ifstream file(LIBRARY_README);
    const std::string readme(std::istreambuf_iterator<char>(file), {});
    const Box flat = {512, 512, 1, STABLE_FLUIDS_NO_SLIP, 33, 80};
    const Box deep = {64, 64, 64, STABLE_FLUIDS_NO_SLIP, 17, 60};
    CHECK(readme.find("a V-cycle takes " + std::to_string(flat.now) +
                      " launches in a closed box of 512 x 512 cells, and " +
                      std::to_string(deep.now) + " in one of 64 x 64 x 64.") != std::string::npos);
    for (const Box& box : {flat, deep, Box{128, 128, 1, STABLE_FLUIDS_NO_SLIP, 8, 60},
                           Box{64, 64, 64, STABLE_FLUIDS_PERIODIC, 38, 117},
                           Box{65, 63, 66, STABLE_FLUIDS_NO_SLIP, 26, 71}}) {
        const long queued = queued_in_a_cycle(box.nx, box.ny, box.nz, box.flow);
        std::printf("%d x %d x %d cells, %s: %ld launches a V-cycle, %ld before\n", box.nx, box.ny,
                    box.nz, box.flow == STABLE_FLUIDS_PERIODIC ? "periodic" : "closed", queued,
                    box.apart);
        CHECK(queued == box.now);
        CHECK(2 * queued <= box.apart);
    }
}

TEST_CASE("what a call leaves to do is in the stream when it returns", "[gpu][emulated]") {
    stable_fluids_scalar scalar;
    stable_fluids_describe_scalar(&scalar);
    scalar.diffusion = 0.1f;  // the last thing in a step, and in a small box held back
    stable_fluids_description d = described(&scalar);
    d.tolerance = 0.0f;
    stable_fluids* fluid = nullptr;
    REQUIRE(stable_fluids_create(&d, &fluid) == STABLE_FLUIDS_OK);
    std::vector<float> cells(90);
    for (std::size_t n = 0; n < cells.size(); ++n) {
        cells[n] = static_cast<float>(n * n % 13);
    }
    REQUIRE(stable_fluids_set(fluid, STABLE_FLUIDS_SCALAR(0), cells.data(), cells.size()) ==
            STABLE_FLUIDS_OK);
    REQUIRE(stable_fluids_step(fluid, 0.1f, 1) == STABLE_FLUIDS_OK);
    stable_fluids_view_of_field view;
    view.size = sizeof view;
    REQUIRE(stable_fluids_view(fluid, STABLE_FLUIDS_SCALAR(0), &view) == STABLE_FLUIDS_OK);
    REQUIRE(cudaStreamSynchronize(static_cast<cudaStream_t>(view.stream)) == cudaSuccess);
    std::vector<float> seen;  // an emulated GPU's memory can be read here
    for (int k = 0; k < view.shape[2]; ++k) {
        for (int j = 0; j < view.shape[1]; ++j) {
            for (int i = 0; i < view.shape[0]; ++i) {
                seen.push_back(view.data[i + j * view.strides[1] + k * view.strides[2]]);
            }
        }
    }
    REQUIRE(stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(0), cells.data(), cells.size()) ==
            STABLE_FLUIDS_OK);
    CHECK(seen == cells);
    stable_fluids_destroy(fluid);
}

TEST_CASE("a field is set from the GPU's memory as it is from the computer's", "[gpu][emulated]") {
    stable_fluids_scalar scalar;
    stable_fluids_describe_scalar(&scalar);
    const stable_fluids_description d = described(&scalar);
    stable_fluids* fluid = nullptr;
    stable_fluids* other = nullptr;
    REQUIRE(stable_fluids_create(&d, &fluid) == STABLE_FLUIDS_OK);
    REQUIRE(stable_fluids_create(&d, &other) == STABLE_FLUIDS_OK);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    const auto refused = [&](const char* words) {
        INFO(stable_fluids_error(fluid));
        CHECK(std::string(stable_fluids_error(fluid)).find(words) != std::string::npos);
    };
    for (const int field : {int{STABLE_FLUIDS_U}, int{STABLE_FLUIDS_V}, STABLE_FLUIDS_SCALAR(0),
                            STABLE_FLUIDS_SOURCE(0), int{STABLE_FLUIDS_FORCE_Z},
                            int{STABLE_FLUIDS_EXPANSION}, int{STABLE_FLUIDS_FRACTION_X}}) {
        int shape[3];
        REQUIRE(stable_fluids_shape(fluid, field, shape) == STABLE_FLUIDS_OK);
        std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
        for (std::size_t n = 0; n < values.size(); ++n) {
            values[n] = 0.0625f * static_cast<float>(n * n % 13);
        }
        const std::size_t bytes = values.size() * sizeof(float);
        float* there = nullptr;
        REQUIRE(cudaMalloc(&there, bytes) == cudaSuccess);
        const auto copy = [&] {  // done when somebody waits for the stream
            REQUIRE(cudaMemcpyAsync(there, values.data(), bytes, cudaMemcpyHostToDevice, stream) ==
                    cudaSuccess);
        };
        const auto set = [&](const float* from) {
            return stable_fluids_set_from_device(fluid, field, from, values.size(), stream);
        };
        copy();
        INFO("field " << field << ": " << stable_fluids_error(fluid));
        REQUIRE(set(there) == STABLE_FLUIDS_OK);
        REQUIRE(stable_fluids_set(other, field, values.data(), values.size()) == STABLE_FLUIDS_OK);
        std::vector<float> found(values.size());
        std::vector<float> expected(values.size());
        stable_fluids_read(fluid, field, found.data(), found.size());
        stable_fluids_read(other, field, expected.data(), expected.size());
        CHECK(found == expected);

        CHECK(set(values.data()) == STABLE_FLUIDS_INVALID);
        refused("not in the memory of the fluid's GPU");
        values[7] = std::numeric_limits<float>::quiet_NaN();
        copy();
        CHECK(set(there) == STABLE_FLUIDS_INVALID);
        refused("it must be finite");
        values[7] = field == STABLE_FLUIDS_FRACTION_X ? 2.0f : 0.25f;
        copy();
        CHECK(set(there) == (values[7] > 1.0f ? STABLE_FLUIDS_INVALID : STABLE_FLUIDS_OK));
        cudaFree(there);
    }
    REQUIRE(stable_fluids_step(fluid, 0.1f, 2) == STABLE_FLUIDS_OK);
    cudaStreamDestroy(stream);
    stable_fluids_destroy(fluid);
    stable_fluids_destroy(other);
}
