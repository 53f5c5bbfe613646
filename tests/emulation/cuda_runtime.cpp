// The emulation behind cuda_runtime.h.

// Some systems ask for it by default. It would take a change of stacks for a mistake.
#undef _FORTIFY_SOURCE

#include "cuda_runtime.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

// Where the linker says that shared memory begins and ends.
extern char __start_shared_memory[] __attribute__((weak));
extern char __stop_shared_memory[] __attribute__((weak));

using Work = std::function<void()>;

struct EmulatedStream {
    bool waits_for_default;
    int device;
    std::deque<Work> work = {};
    std::vector<Work>* capture = nullptr;
    long captures_from = 0;  ///< the number of the call that began it
};

/// When it was, as soon as it has been. Who has queued it may destroy the event before.
struct EmulatedEvent {
    using Moment = std::optional<std::chrono::steady_clock::time_point>;
    std::shared_ptr<Moment> moment = std::make_shared<Moment>();
};

struct EmulatedGraph {
    std::vector<Work> work = {};
};

struct EmulatedGraphExec : EmulatedGraph {};

namespace {

using emulation::machine;

std::recursive_mutex one_at_a_time;  // several threads of a program may call CUDA
cudaError_t last = cudaSuccess;
thread_local int chosen_device = 0;

std::map<const char*, std::size_t> on_device, on_host;  // memory given out, and its size
std::size_t device_bytes = 0;
std::set<cudaStream_t> streams;
std::size_t others = 0;  // events and graphs

[[noreturn]] void stop(const char* what) {
    std::fprintf(stderr, "emulated GPU: %s\n", what);
    std::abort();
}

/// Counts a call. It answers what goes wrong with it, if something is to. As in CUDA, an error
/// stays until it is asked for, whatever goes well in between.
cudaError_t called() {
    return ++machine.calls == machine.failing_call ? last = machine.failure : cudaSuccess;
}

// ---- Threads -----------------------------------------------------------------------------------

/// Has a stack of its own, on which one thread after the other runs to its end, or one to the next
/// barrier.
struct Fiber {
    jmp_buf where = {};
    bool begun = false;
    std::vector<char> stack = std::vector<char>(std::size_t{1} << 16);
    uint3 thread = {};
    bool at_barrier = false;
};

jmp_buf outside;
Fiber* current = nullptr;
std::vector<std::unique_ptr<Fiber>> fibers;
std::mt19937 drawn(1);

const Work* kernel = nullptr;
std::vector<unsigned> threads_left;  // of the block, those that have not begun
unsigned ended = 0;

uint3 place(unsigned number, dim3 all) {
    return {number % all.x, number / all.x % all.y, number / (all.x * all.y)};
}

[[gnu::noinline]] void leave(bool at_barrier) {
    current->at_barrier = at_barrier;
    if (_setjmp(current->where) == 0) {
        _longjmp(outside, 1);
    }
}

void run_threads() {
    for (;;) {
        while (!threads_left.empty()) {
            current->thread = threadIdx = place(threads_left.back(), blockDim);
            threads_left.pop_back();
            (*kernel)();
            ++ended;
        }
        leave(false);
    }
}

/// Runs a fiber until it leaves. There are functions for the whole of this, but they ask the
/// operating system each time, which takes much longer.
[[gnu::noinline]] void go_on(Fiber& fiber) {
    current = &fiber;
    threadIdx = fiber.thread;
    if (_setjmp(outside) == 0) {
        if (fiber.begun) {
            _longjmp(fiber.where, 1);
        }
        fiber.begun = true;
        ucontext_t beginning;
        getcontext(&beginning);
        beginning.uc_stack.ss_sp = fiber.stack.data();
        beginning.uc_stack.ss_size = fiber.stack.size();
        makecontext(&beginning, run_threads, 0);
        setcontext(&beginning);
    }
}

void run_block() {
    std::fill(__start_shared_memory, __stop_shared_memory, '\xff');
    threads_left.resize(blockDim.x * blockDim.y * blockDim.z);
    std::iota(threads_left.begin(), threads_left.end(), 0u);
    std::shuffle(threads_left.begin(), threads_left.end(), drawn);
    ended = 0;
    std::vector<Fiber*> waiting;
    while (!threads_left.empty()) {
        if (waiting.size() == fibers.size()) {
            fibers.push_back(std::make_unique<Fiber>());
        }
        Fiber& next = *fibers[waiting.size()];
        go_on(next);
        if (next.at_barrier) {
            waiting.push_back(&next);
        }
    }
    while (!waiting.empty()) {
        if (ended > 0) {
            stop("some threads of a block wait at __syncthreads, and others have ended");
        }
        std::shuffle(waiting.begin(), waiting.end(), drawn);
        for (Fiber* const fiber : waiting) {
            go_on(*fiber);
        }
        std::erase_if(waiting, [](const Fiber* fiber) { return !fiber->at_barrier; });
    }
}

void run_grid(dim3 blocks, dim3 threads, const Work& what) {
    kernel = &what;
    gridDim = blocks;
    blockDim = threads;
    std::vector<unsigned> order(blocks.x * blocks.y * blocks.z);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), drawn);
    for (const unsigned block : order) {
        blockIdx = place(block, blocks);
        run_block();
    }
    kernel = nullptr;
}

// ---- Streams -----------------------------------------------------------------------------------

void finish(EmulatedStream& stream) {
    while (!stream.work.empty()) {
        stream.work.front()();
        stream.work.pop_front();
    }
}

/// Queues work, or writes it down.
void tell(cudaStream_t stream, Work work) {
    if (streams.count(stream) == 0) {
        stop("there is no such stream");
    }
    ++machine.queued;
    stream->capture ? stream->capture->push_back(std::move(work))
                    : stream->work.push_back(std::move(work));
}

/// CUDA's default stream begins when the others are done that do not say otherwise.
void finish_for_default_stream() {
    for (const cudaStream_t stream : streams) {
        if (stream->waits_for_default) {
            finish(*stream);
        }
    }
}

bool holds(const std::map<const char*, std::size_t>& all, const void* begin, std::size_t bytes) {
    const auto* const from = static_cast<const char*>(begin);
    const auto after = all.upper_bound(from);
    if (after == all.begin()) {
        return false;
    }
    const auto& [memory, size] = *std::prev(after);
    return from + bytes <= memory + size;
}

void check_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (holds(on_device, to, bytes) != (kind != cudaMemcpyDeviceToHost) ||
        holds(on_device, from, bytes) != (kind != cudaMemcpyHostToDevice)) {
        stop("a copy leads elsewhere than it says, or beyond what was allocated");
    }
}

void check_memory(const void* to, std::size_t bytes) {
    if (!holds(on_device, to, bytes)) {
        stop("cudaMemset beyond what was allocated");
    }
}

}  // namespace

#define LOCK const std::lock_guard lock(one_at_a_time)
#define BEGIN_CALL                                                  \
    LOCK;                                                           \
    if (const cudaError_t error = called(); error != cudaSuccess) { \
        return error;                                               \
    }

void __syncthreads() {
    leave(true);
    threadIdx = current->thread;
}

namespace emulation {

std::size_t in_use() {
    LOCK;
    return on_device.size() + on_host.size() + streams.size() + others;
}

cudaError_t allocate(void** memory, std::size_t bytes, bool device) {
    BEGIN_CALL
    if (device && device_bytes + bytes > machine.memory) {
        return last = cudaErrorMemoryAllocation;
    }
    auto* const made = static_cast<char*>(std::malloc(bytes));
    if (!made) {
        return last = cudaErrorMemoryAllocation;
    }
    std::memset(made, 0xff, bytes);
    (device ? on_device : on_host)[made] = bytes;
    device_bytes += device ? bytes : 0;
    *memory = made;
    return cudaSuccess;
}

cudaError_t looked_at() {
    LOCK;
    return machine.attributes == cudaSuccess ? cudaSuccess : last = machine.attributes;
}

cudaError_t queue(dim3 blocks, dim3 threads, cudaStream_t stream, Work what) {
    BEGIN_CALL
    const auto within = [](dim3 size, unsigned x, unsigned y, unsigned z) {
        return 1 <= size.x && size.x <= x && 1 <= size.y && size.y <= y && 1 <= size.z &&
               size.z <= z;
    };
    if (!within(blocks, 2147483647, 65535, 65535) || !within(threads, 1024, 1024, 64) ||
        threads.x * threads.y * threads.z > 1024) {
        return last = cudaErrorInvalidConfiguration;
    }
    if (stream->device != chosen_device) {
        return last = cudaErrorInvalidResourceHandle;
    }
    tell(stream, [=, kernel_call = std::move(what)] { run_grid(blocks, threads, kernel_call); });
    return cudaSuccess;
}

}  // namespace emulation

// ---- CUDA's functions --------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
    LOCK;
    return std::exchange(last, cudaSuccess);
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorInvalidResourceHandle:
            return "invalid resource handle";
        case cudaErrorLaunchFailure:
            return "unspecified launch failure";
        case cudaErrorSystemNotReady:
            return "system not yet initialized";
        default:
            return "an error";
    }
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = machine.driver;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    if (machine.devices == 0 || machine.counting != cudaSuccess) {
        return last = machine.devices == 0 ? cudaErrorNoDevice : machine.counting;
    }
    *count = machine.devices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    BEGIN_CALL
    *device = chosen_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    chosen_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
    std::strcpy(properties->name, "an emulated GPU");
    properties->multiProcessorCount = 16;  // enough for a cube to be done in several slabs
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->totalGlobalMem = machine.memory;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
    BEGIN_CALL
    *free_bytes = machine.memory - device_bytes;
    *all_bytes = machine.memory;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    BEGIN_CALL
    for (const cudaStream_t stream : streams) {
        finish(*stream);
    }
    return cudaSuccess;
}

// Memory.

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    BEGIN_CALL
    const bool here = holds(on_device, address, 1);
    const bool pinned = holds(on_host, address, 1);
    attributes->type = here     ? cudaMemoryTypeDevice
                       : pinned ? cudaMemoryTypeHost
                                : cudaMemoryTypeUnregistered;
    attributes->device = 0;
    return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
    LOCK;
    if (memory) {
        const auto found = on_device.find(static_cast<char*>(memory));
        if (found == on_device.end()) {
            stop("cudaFree of what cudaMalloc has not given, or twice");
        }
        device_bytes -= found->second;
        on_device.erase(found);
        std::free(memory);
    }
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
    LOCK;
    if (memory && on_host.erase(static_cast<char*>(memory)) == 0) {
        stop("cudaFreeHost of what cudaMallocHost has not given, or twice");
    }
    std::free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) {
    BEGIN_CALL
    check_memory(to, bytes);
    finish_for_default_stream();
    std::memset(to, byte, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
    BEGIN_CALL
    check_memory(to, bytes);
    tell(stream, [=] { std::memset(to, byte, bytes); });
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    BEGIN_CALL
    check_copy(to, from, bytes, kind);
    finish_for_default_stream();
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    BEGIN_CALL
    check_copy(to, from, bytes, kind);
    tell(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    BEGIN_CALL
    if (width > to_pitch || width > from_pitch) {
        return last = cudaErrorInvalidValue;
    }
    const auto whole = [&](std::size_t pitch) { return pitch * (height - 1) + width; };
    check_copy(to, from, whole(to_pitch), kind);
    check_copy(to, from, whole(from_pitch), kind);
    auto* const there = static_cast<char*>(to);
    if (kind == cudaMemcpyHostToDevice) {
        machine.uploaded_to = there - std::prev(on_device.upper_bound(there))->first;
        machine.uploaded_pitch = to_pitch;
    } else if (kind == cudaMemcpyDeviceToHost) {
        ++machine.downloads;
        machine.pinned_downloads += holds(on_host, to, whole(to_pitch)) ? 1 : 0;
    }
    tell(stream, [=] {
        for (std::size_t row = 0; row < height; ++row) {
            std::memcpy(static_cast<char*>(to) + row * to_pitch,
                        static_cast<const char*>(from) + row * from_pitch, width);
        }
    });
    return cudaSuccess;
}

// Streams.

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    BEGIN_CALL
    *stream = new EmulatedStream{flags != cudaStreamNonBlocking, chosen_device};
    streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    LOCK;
    if (streams.erase(stream) == 0 || !stream->work.empty()) {
        stop("cudaStreamDestroy twice, or while there is work in the stream");
    }
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    LOCK;
    if (const cudaError_t error = called(); error != cudaSuccess) {
        if (stream) {
            stream->work.clear();  // nothing more is done after an error
        }
        return error;
    }
    if (!stream) {  // the default stream has nothing to do: its calls wait for what they ask for
        return cudaSuccess;
    }
    if (stream->capture) {
        return last = cudaErrorStreamCaptureUnsupported;
    }
    finish(*stream);
    return cudaSuccess;
}

// Graphs.

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode /*mode*/) {
    BEGIN_CALL
    stream->capture = new std::vector<Work>;
    stream->captures_from = machine.calls;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    LOCK;
    const std::unique_ptr<std::vector<Work>> captured(std::exchange(stream->capture, nullptr));
    if (!captured) {
        stop("cudaStreamEndCapture of a stream that captures nothing");
    }
    if (const cudaError_t error = called(); error != cudaSuccess) {
        return error;
    }
    if (stream->captures_from < machine.failing_call && machine.failing_call < machine.calls) {
        return last = cudaErrorStreamCaptureInvalidated;
    }
    *graph = new EmulatedGraph{*captured};
    ++others;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
    BEGIN_CALL
    *ready = new EmulatedGraphExec{*graph};
    ++others;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    BEGIN_CALL
    for (const Work& work : graph->work) {
        tell(stream, work);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    LOCK;
    delete graph;
    --others;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    LOCK;
    delete graph;
    --others;
    return cudaSuccess;
}

// Events.

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    BEGIN_CALL
    *event = new EmulatedEvent;
    ++others;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    LOCK;
    delete event;
    --others;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    BEGIN_CALL
    tell(stream, [moment = event->moment] { *moment = std::chrono::steady_clock::now(); });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    BEGIN_CALL
    for (const cudaStream_t stream : streams) {
        finish(*stream);
    }
    return event->moment->has_value() ? cudaSuccess : last = cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
    BEGIN_CALL
    if (!begin->moment->has_value() || !end->moment->has_value()) {
        return last = cudaErrorInvalidResourceHandle;
    }
    *ms = std::chrono::duration<float, std::milli>(**end->moment - **begin->moment).count();
    return cudaSuccess;
}
