// A stand-in for CUDA's own header of this name: with it the kernels in cuda/ run on any Linux
// computer, slowly, and so the tests that ask for a GPU can be run without one.
//
// It is strict where a GPU is lenient. The threads of a block run one after the other from one
// __syncthreads to the next, in an order that is drawn anew each time, as are the blocks: a result
// that depends on who comes first is another one than the host's. What a stream is told is only
// done when somebody waits for it. Memory, shared or not, is full of NaN to begin with. What CUDA
// would refuse is refused; what it would let pass but should not ends the program, with a line on
// stderr.
//
// It cannot show how fast anything is, what nvcc makes of a kernel, or what threads do that really
// run at the same time.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

// ---- What the compiler knows when it is nvcc ---------------------------------------------------

#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(most_threads, ...)
/// Blocks run one after the other, so one copy will do. It has a place of its own in the program,
/// where a block finds it as the block before has not left it.
#define __shared__ static __attribute__((section("shared_memory")))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1)
        : x(along_x), y(along_y), z(along_z) {}
};

struct float4 {
    float x, y, z, w;
};

inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;

void __syncthreads();

/// Whatever a thread writes, the others see at once.
inline void __threadfence() {}

/// Counts up to `most`, and begins at 0 again. Returns what it was before.
inline unsigned atomicInc(unsigned* number, unsigned most) {
    const unsigned before = *number;
    *number = before >= most ? 0 : before + 1;
    return before;
}

constexpr int min(int a, int b) {
    return a < b ? a : b;
}

constexpr int max(int a, int b) {
    return a > b ? a : b;
}

// ---- What the run time knows, as far as it is used here ----------------------------------------

// The numbers are CUDA's.
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorUnsupportedPtxVersion = 222,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorLaunchFailure = 719,
    cudaErrorSystemNotReady = 802,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
constexpr unsigned cudaStreamNonBlocking = 1;

using cudaStream_t = struct EmulatedStream*;
using cudaEvent_t = struct EmulatedEvent*;
using cudaGraph_t = struct EmulatedGraph*;
using cudaGraphExec_t = struct EmulatedGraphExec*;

struct cudaDeviceProp {
    char name[256];
    int multiProcessorCount;
    int maxThreadsPerMultiProcessor;
    std::size_t totalGlobalMem;
};
struct cudaFuncAttributes {};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
};

cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes);
cudaError_t cudaDeviceSynchronize();

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address);
cudaError_t cudaFree(void* memory);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemset(void* to, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end);

// ---- The emulation's own -----------------------------------------------------------------------

namespace emulation {

/// What is emulated. A test may make it another computer.
struct Machine {
    int driver = 13000;
    int devices = 1;
    cudaError_t counting = cudaSuccess;  ///< what cudaGetDeviceCount returns, if there are any
    std::size_t memory = std::size_t{2} << 30;
    cudaError_t attributes = cudaSuccess;  ///< what cudaFuncGetAttributes returns

    std::size_t uploaded_to = 0;  ///< where in its memory the last cudaMemcpy2DAsync to it began
    std::size_t uploaded_pitch = 0;  ///< and from one row to the next, in bytes
    long downloads = 0;  ///< by cudaMemcpy2DAsync so far,
    long pinned_downloads = 0;  ///< and those to memory that cudaMallocHost has given
    long queued = 0;  ///< kernels, copies and memsets that streams have been told so far
    long calls = 0;  ///< made so far, but for those that give something back
    long failing_call = -1;  ///< that one will fail,
    cudaError_t failure = cudaErrorLaunchFailure;  ///< with this
};
inline Machine machine;

/// Another machine, as long as this lives.
struct Instead {
    Machine before = machine;
    explicit Instead(const Machine& other) { machine = other; }
    ~Instead() { machine = before; }
    Instead(const Instead&) = delete;
    Instead& operator=(const Instead&) = delete;
};

/// How much has been given out and not been given back.
std::size_t in_use();

cudaError_t allocate(void** memory, std::size_t bytes, bool on_device);

/// What cudaFuncGetAttributes returns.
cudaError_t looked_at();

/// Queues a kernel, whose arguments it has.
cudaError_t queue(dim3 blocks, dim3 threads, cudaStream_t stream, std::function<void()> kernel);

/// launch(kernel, blocks, threads, 0, stream)(arguments) is what
/// kernel<<<blocks, threads, 0, stream>>>(arguments) is turned into.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, int /*dynamic memory*/,
            cudaStream_t stream) {
    return [=](Parameters... arguments) {
        queue(blocks, threads, stream, [=] { kernel(arguments...); });
    };
}

}  // namespace emulation

template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
    return emulation::allocate(reinterpret_cast<void**>(memory), bytes, true);
}

template <class T>
cudaError_t cudaMallocHost(T** memory, std::size_t bytes) {
    return emulation::allocate(reinterpret_cast<void**>(memory), bytes, false);
}

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* /*attributes*/, Kernel* /*kernel*/) {
    return emulation::looked_at();
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               const Arguments&... arguments) {
    return emulation::queue(config->gridDim, config->blockDim, config->stream,
                            [=] { kernel(static_cast<Parameters>(arguments)...); });
}
