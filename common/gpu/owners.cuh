// Every call into CUDA is checked here, and everything that CUDA gives out has an owner that gives
// it back.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "common/gpu/driver.hpp"

namespace device {

/// Thrown when there is no more memory to be had.
struct OutOfMemory : Error {
    using Error::Error;
};

/// Throws if a call has failed: what it was, where it stands, and what CUDA says.
inline void check(cudaError_t status, const char* call, const char* file, int line) {
    if (status != cudaSuccess) {
        cudaGetLastError();  // it is told now: the next call need not tell it again
        const char* const slash = std::strrchr(file, '/');
        const std::string what = std::string(call) + " at " + (slash ? slash + 1 : file) + ":" +
                                 std::to_string(line) + ": " + cudaGetErrorString(status);
        status == cudaErrorMemoryAllocation ? throw OutOfMemory(what) : throw Error(what);
    }
}

#define CHECK(call) ::device::check(call, #call, __FILE__, __LINE__)

/// After a launch, which has no return value.
#define CHECK_LAUNCH(kernel) \
    ::device::check(cudaGetLastError(), #kernel "<<<>>>", __FILE__, __LINE__)

/// Why no GPU can be used, in one line; nothing if one can. `kernels_fit` asks CUDA whether what
/// was compiled with the caller, a "program" or a "library", is for the GPU that is here.
inline std::string why_no_gpu(const char* caller, cudaError_t (*kernels_fit)()) {
    int driver = 0;
    int runtime = 0;
    int devices = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaError_t status = cudaGetDeviceCount(&devices);
    const bool counted = status == cudaSuccess || status == cudaErrorNoDevice;
    std::string problem =
        why_not_driver(driver, runtime, devices, counted ? "" : cudaGetErrorString(status));
    if (problem.empty() && status == cudaSuccess) {
        status = kernels_fit();
        const bool for_others = status == cudaErrorNoKernelImageForDevice ||
                                status == cudaErrorInvalidDeviceFunction ||
                                status == cudaErrorUnsupportedPtxVersion;
        if (for_others) {
            problem = std::string("this ") + caller +
                      " was compiled for other GPUs than the one that is here";
        } else if (status != cudaSuccess) {
            problem = std::string("the GPU cannot be used: ") + cudaGetErrorString(status);
        }
    }
    if (!problem.empty()) {
        cudaGetLastError();  // it is told now: the next call need not tell it again
    }
    return problem;
}

/// Owns one thing that CUDA gave out, as std::unique_ptr owns memory.
template <class Handle, auto destroy>
class Owner {
  public:
    Owner() = default;
    explicit Owner(Handle what) : handle(what) {}
    ~Owner() {
        if (handle) {
            destroy(handle);  // nobody could be told if that failed
        }
    }
    Owner(Owner&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    Owner& operator=(Owner&& other) noexcept {
        std::swap(handle, other.handle);
        return *this;
    }
    Handle get() const { return handle; }

  private:
    Handle handle = nullptr;
};

inline void free_floats(float* cells) {
    cudaFree(cells);
}

inline void free_pinned(float* cells) {
    cudaFreeHost(cells);
}

using Floats = Owner<float*, free_floats>;
using Pinned = Owner<float*, free_pinned>;
using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;
using Graph = Owner<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owner<cudaGraphExec_t, cudaGraphExecDestroy>;

/// Memory for so many floats on the device. It holds 0.
inline Floats make_floats(std::size_t count) {
    float* cells = nullptr;
    CHECK(cudaMalloc(&cells, count * sizeof(float)));
    Floats owner(cells);
    CHECK(cudaMemset(cells, 0, count * sizeof(float)));
    return owner;
}

/// Memory for so many floats on the host, which the system keeps in place. So a GPU can write it
/// itself; other memory is copied once more.
inline Pinned make_pinned(std::size_t count) {
    float* cells = nullptr;
    CHECK(cudaMallocHost(&cells, count * sizeof(float)));
    return Pinned(cells);
}

inline Stream make_stream() {
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream));
    return Stream(stream);
}

inline Event make_event() {
    cudaEvent_t event = nullptr;
    CHECK(cudaEventCreate(&event));
    return Event(event);
}

}  // namespace device
