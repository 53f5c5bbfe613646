// The backend on an NVIDIA GPU: the operations of cells.hpp, a thread a cell. All of it happens in
// one stream, in the order it was asked for, and next to the caller's own work on the GPU.
//
// A coarse box of the V-cycle has next to nothing to do; what takes time there is to launch it. So
// its sweeps are all done in one launch. The numbers are the host's to the last bit, but for what
// is added up: that is in another order, and the same one in each run.
//
// Compiled for compute capabilities 7.5, 8.0 and 9.0; not run on a GPU yet.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>

#include "common/gpu/owners.cuh"
#include "library/src/backend.hpp"
#include "stable_fluids.h"

namespace box {

namespace {

// ---- Threads for places ------------------------------------------------------------------------

// Guesses, all of them: never run on a GPU yet.
constexpr unsigned block_size = 256;  // threads
constexpr unsigned small_block = 512;  // threads for a small box; more have too few registers
constexpr int few_places = 16 * 16 * 16;  // a box with no more is small

constexpr unsigned most_blocks = 1u << 30;
constexpr unsigned most_partials = 1024;  // blocks that add up: enough to keep a GPU busy

/// What a launch is made of.
struct Shape {
    dim3 blocks, threads;
};

unsigned count_of(Range range) {
    return static_cast<unsigned>(std::max(range.last - range.first + 1, 0));
}

std::size_t count_of(const Extent& over) {
    return std::size_t{1} * count_of(over.x) * count_of(over.y) * count_of(over.z);
}

/// Up to so many threads a block, neighbours along x next to each other, for their floats arrive
/// together; then y and z grow in turn. An axis with one place takes no threads from the others.
dim3 threads_for(const Extent& over, unsigned most) {
    const unsigned nx = count_of(over.x);
    const unsigned ny = count_of(over.y);
    const unsigned nz = count_of(over.z);
    dim3 threads(1, 1, 1);
    while (threads.x < 32 && threads.x < nx) {
        threads.x *= 2;
    }
    while (threads.x * threads.y * threads.z < most) {
        const bool more_y = threads.y < ny;
        const bool more_z = threads.z < nz && threads.z < 64;  // CUDA allows no more along z
        if (more_y && (!more_z || threads.y <= threads.z)) {
            threads.y *= 2;
        } else if (more_z) {
            threads.z *= 2;
        } else {
            break;
        }
    }
    return threads;
}

/// A thread for each place; or, if that takes more than `most` blocks, more places for each thread.
Shape shape_of(const Extent& over, unsigned most) {
    constexpr unsigned along_y_or_z = 65535;  // CUDA allows no more there
    const dim3 threads = threads_for(over, block_size);
    const auto blocks = [](Range range, unsigned size, unsigned limit) {
        return std::clamp((count_of(range) + size - 1) / size, 1u, std::max(limit, 1u));
    };
    const unsigned x = blocks(over.x, threads.x, most);
    const unsigned y = blocks(over.y, threads.y, std::min(most / x, along_y_or_z));
    const unsigned z = blocks(over.z, threads.z, std::min(most / x / y, along_y_or_z));
    return {dim3(x, y, z), threads};
}

/// Calls act(i, j, k) for each of this thread's places.
template <class Act>
__device__ __forceinline__ void for_places(const Extent& over, const Act& act) {
    const int i0 = over.x.first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int j0 = over.y.first + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int k0 = over.z.first + static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    const int in_x = static_cast<int>(gridDim.x * blockDim.x);
    const int in_y = static_cast<int>(gridDim.y * blockDim.y);
    const int in_z = static_cast<int>(gridDim.z * blockDim.z);
    for (int k = k0; k <= over.z.last; k += in_z) {
        for (int j = j0; j <= over.y.last; j += in_y) {
            for (int i = i0; i <= over.x.last; i += in_x) {
                act(i, j, k);
            }
        }
    }
}

// ---- Any operation -----------------------------------------------------------------------------

template <class Op>
Extent places_of(const Op& op) {
    return op.over;
}

Extent places_of(const Residual& op) {
    return op.equations.over();
}

template <class Op>
__global__ void each(const __grid_constant__ Op op, Extent over) {
    for_places(over, op);
}

/// Advect or Correct, for one kind of place.
template <class Op, int at, bool deep>
struct Carry {
    Op op;
    Extent over;

    __device__ __forceinline__ void operator()(int i, int j, int k) const {
        op.template cell<at, deep>(i, j, k);
    }
};

// ---- Relaxation --------------------------------------------------------------------------------

/// What is done before each colour where faces are joined.
struct Wraps {
    SetBnd ops[3];
    int count;
};

/// As many places as there are of one colour, or a few more.
CELL Extent half_of(const Extent& over) {
    return {{0, (over.x.last - over.x.first) / 2}, over.y, over.z};
}

/// Sets the places of one colour: every second one of each row, so that no thread has one for
/// nothing. `within` is one over the diagonal of a place that is not the first or last along any
/// axis, which nearly all of them are not: it saves the division.
template <bool deep>
__device__ __forceinline__ void relax_colour(const Relax& op, float within, int colour) {
    const Equations& e = op.equations;
    const Range x = e.x.range;
    const Range y = e.y.range;
    const Range z = e.z.range;
    for_places(half_of(e.over()), [&](int n, int j, int k) {
        const int i = x.first + 2 * n + ((x.first + j + k + colour) & 1);
        if (i > x.last) {
            return;
        }
        const bool at_end = i == x.first || i == x.last || j == y.first || j == y.last ||
                            (deep && (k == z.first || k == z.last));
        const float inverse = at_end ? inverse_of(diagonal(e, i, j, k)) : within;
        op.x(i, j, k) = relaxed<deep>(e, op.x, op.b, op.omega, inverse, i, j, k);
    });
}

/// One colour of a box of any size.
template <bool deep>
__global__ void relax_once(const __grid_constant__ Relax op, float within, int colour) {
    relax_colour<deep>(op, within, colour);
}

/// All sweeps of a small box, in one block: its threads can wait for each other.
template <bool deep>
__global__ void __launch_bounds__(small_block)
    relax_small(const __grid_constant__ Relax op, float within, int sweeps,
                const __grid_constant__ Wraps wraps) {
    for (int half = 0; half < 2 * sweeps; ++half) {
        for (int n = 0; n < wraps.count; ++n) {
            for_places(wraps.ops[n].over, wraps.ops[n]);
            __syncthreads();
        }
        relax_colour<deep>(op, within, half & 1);
        __syncthreads();
    }
}

// ---- What they return, in one number -----------------------------------------------------------

struct Sum {
    __device__ static double of(float value) { return value; }
    __device__ static double both(double a, double b) { return a + b; }
};

struct Squares : Sum {
    __device__ static double of(float value) { return static_cast<double>(value) * value; }
};

struct Largest {
    __device__ static double of(float value) { return std::fabs(value); }
    /// NaN if one of them is: nothing is more than NaN, and only NaN is not itself.
    __device__ static double both(double a, double b) { return a > b || a != a ? a : b; }
};

/// Puts together what the threads of a block have, in pairs whose order never changes. The first
/// one is told.
template <class How>
__device__ __forceinline__ double of_block(double mine) {
    __shared__ double all[block_size];
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;  // a power of two
    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    all[t] = mine;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            all[t] = How::both(all[t], all[t + half]);
        }
    }
    return t == 0 ? all[0] : 0.0;  // the others would look while it still writes
}

/// A number for each block.
template <class How, class Op>
__global__ void reduce(const __grid_constant__ Op op, Extent over, double* partials) {
    double mine = 0.0;
    for_places(over, [&](int i, int j, int k) { mine = How::both(mine, How::of(op(i, j, k))); });
    const double all = of_block<How>(mine);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        partials[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = all;
    }
}

/// One block makes one number of them.
template <class How>
__global__ void reduce_partials(const double* partials, unsigned count, double* result) {
    double mine = 0.0;
    for (unsigned n = threadIdx.x; n < count; n += block_size) {
        mine = How::both(mine, partials[n]);
    }
    const double all = of_block<How>(mine);
    if (threadIdx.x == 0) {
        *result = all;
    }
}

// ---- Owners ------------------------------------------------------------------------------------

void free_device(double* numbers) {
    cudaFree(numbers);
}

void free_pinned(double* number) {
    cudaFreeHost(number);
}

using Partials = ::device::Owner<double*, free_device>;
using Pinned = ::device::Owner<double*, free_pinned>;

/// A stream that does not wait for what the program does in CUDA's default one, nor holds it up.
::device::Stream make_own_stream() {
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return ::device::Stream(stream);
}

Partials make_partials() {
    double* numbers = nullptr;
    CHECK(cudaMalloc(&numbers, most_partials * sizeof(double)));
    return Partials(numbers);
}

/// A number in the computer's memory that the GPU can write.
Pinned make_pinned() {
    double* number = nullptr;
    CHECK(cudaMallocHost(&number, sizeof(double)));
    return Pinned(number);
}

/// Makes a GPU the one that CUDA's calls are for, and leaves the caller's choice as it was.
class Chosen {
  public:
    explicit Chosen(int number) {
        CHECK(cudaGetDevice(&before));
        if (before != number) {
            CHECK(cudaSetDevice(number));
            changed = true;
        }
    }
    ~Chosen() {
        if (changed) {
            cudaSetDevice(before);
        }
    }
    Chosen(const Chosen&) = delete;
    Chosen& operator=(const Chosen&) = delete;

  private:
    int before = 0;
    bool changed = false;
};

int current_device() {
    int number = 0;
    CHECK(cudaGetDevice(&number));
    return number;
}

Failure out_of_memory(std::size_t bytes) {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    cudaGetLastError();  // it is told now: the next call need not tell it again
    cudaMemGetInfo(&free_bytes, &all_bytes);
    char text[128];
    std::snprintf(
        text, sizeof text,
        "out of device memory: %.3f GB more are needed, %.3f GB are free; make the box smaller",
        static_cast<double>(bytes) / 1e9, static_cast<double>(free_bytes) / 1e9);
    return {STABLE_FLUIDS_OUT_OF_MEMORY, text};
}

/// Does it, and says what goes wrong as the library does. Memory may run out in the middle of a
/// step, too, where a kernel is loaded when it is first launched; half a step is no fluid that
/// could go on.
template <class Work>
auto told(const Work& work) {
    try {
        return work();
    } catch (const ::device::Error& error) {
        throw Failure(STABLE_FLUIDS_DEVICE_ERROR,
                      std::string(error.what()) +
                          "; destroy the fluid and make another, and if that fails as well, start "
                          "the program anew");
    }
}

// ---- The backend -------------------------------------------------------------------------------

class Device final : public Backend {
  public:
    ~Device() override {
        if (cudaStreamSynchronize(queue.get()) != cudaSuccess) {
            cudaGetLastError();  // nobody could be told
        }
    }

    float* allocate(std::size_t count) override {
        return here([&] {
            const std::size_t bytes = count * sizeof(float);
            float* data = nullptr;
            const cudaError_t status = cudaMalloc(&data, bytes);
            if (status == cudaErrorMemoryAllocation) {
                throw out_of_memory(bytes);
            }
            CHECK(status);
            const cudaError_t cleared = cudaMemsetAsync(data, 0, bytes, queue.get());
            if (cleared != cudaSuccess) {
                cudaFree(data);
            }
            CHECK(cleared);
            return data;
        });
    }
    void release(float* data) noexcept override {
        const cudaError_t waited = cudaStreamSynchronize(queue.get());  // for what may need it
        const cudaError_t freed = cudaFree(data);
        if (waited != cudaSuccess || freed != cudaSuccess) {
            cudaGetLastError();  // nobody could be told
        }
    }

    void clear(float* data, std::size_t count) override {
        here([&] { CHECK(cudaMemsetAsync(data, 0, count * sizeof(float), queue.get())); });
    }
    void copy(float* to, const float* from, std::size_t count) override {
        here([&] {
            CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice,
                                  queue.get()));
        });
    }
    void upload(float* to, const float* from, std::size_t count) override {
        transfer(to, from, count, cudaMemcpyHostToDevice);
    }
    void download(float* to, const float* from, std::size_t count) override {
        transfer(to, from, count, cudaMemcpyDeviceToHost);
    }

    void run(const AddScaled& op) override { every(op); }
    void run(const Scale& op) override { every(op); }
    void run(const SetBnd& op) override { every(op); }
    void run(const Restrict& op) override { every(op); }
    void run(const Prolong& op) override { every(op); }
    void run(const Advect& op) override { carry(op); }
    void run(const Correct& op) override { carry(op); }
    void run(const Divergence& op) override { every(op); }
    void run(const Gradient& op) override { every(op); }
    void run(const Speed& op) override { every(op); }
    void run(const Vorticity& op) override { every(op); }
    void run(const Confine& op) override { every(op); }
    void run(const Residual& op) override { every(op); }

    void relax(Relax op, int sweeps, const SetBnd* wraps, int count) override {
        here([&] {
            op.equations.deep ? sweep<true>(op, sweeps, wraps, count)
                              : sweep<false>(op, sweeps, wraps, count);
        });
    }

    double sum(const Value& op) override { return one_number<Sum>(op); }
    double squares(const FaceValue& op) override { return one_number<Squares>(op); }
    double squares(const Value& op) override { return one_number<Squares>(op); }
    double squares(const Residual& op) override { return one_number<Squares>(op); }
    double squares(const Divergence& op) override { return one_number<Squares>(op); }
    double largest(const Value& op) override { return one_number<Largest>(op); }

    void wait() override {
        here([&] { CHECK(cudaStreamSynchronize(queue.get())); });
    }
    bool on_device() const override { return true; }
    void* stream() const override { return queue.get(); }

  private:
    /// Does something on the fluid's GPU, whichever one the caller has chosen for this thread.
    template <class Work>
    std::invoke_result_t<Work> here(const Work& work) const {
        return told([&] {
            const Chosen chosen(number);
            return work();
        });
    }

    template <class... Parameters, class... Arguments>
    void launch(const Shape& shape, void (*kernel)(Parameters...), const Arguments&... arguments) {
        cudaLaunchConfig_t config = {};
        config.gridDim = shape.blocks;
        config.blockDim = shape.threads;
        config.stream = queue.get();
        CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    }

    /// To or from the computer's memory. When it comes back, the caller may change or free that.
    void transfer(float* to, const float* from, std::size_t count, cudaMemcpyKind kind) {
        here([&] {
            CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), kind, queue.get()));
            CHECK(cudaStreamSynchronize(queue.get()));
        });
    }

    template <class Op>
    void every(const Op& op) {
        const Extent over = places_of(op);
        if (count_of(over) > 0) {
            here([&] { launch(shape_of(over, most_blocks), each<Op>, op, over); });
        }
    }

    template <class Op>
    void carry(const Op& op) {
        op.flow.deep ? carry_in<true>(op) : carry_in<false>(op);
    }

    template <bool deep, class Op>
    void carry_in(const Op& op) {
        if (op.where == ON_X) {
            every(Carry<Op, ON_X, deep>{op, op.over});
        } else if (op.where == ON_Y) {
            every(Carry<Op, ON_Y, deep>{op, op.over});
        } else if (deep && op.where == ON_Z) {
            every(Carry<Op, ON_Z, true>{op, op.over});
        } else {
            every(Carry<Op, AT_CENTRE, deep>{op, op.over});
        }
    }

    template <bool deep>
    void sweep(const Relax& op, int sweeps, const SetBnd* wraps, int count) {
        const Equations& e = op.equations;
        const Extent over = e.over();
        if (count_of(over) == 0) {
            return;
        }
        const Extent half = half_of(over);
        const float within =
            inverse_of(diagonal(e, over.x.first + 1, over.y.first + 1, over.z.first + 1));
        if (count_of(over) <= few_places) {
            Wraps all = {{}, count};
            std::copy(wraps, wraps + count, all.ops);
            launch({dim3(1), threads_for(half, small_block)}, relax_small<deep>, op, within, sweeps,
                   all);
            return;
        }
        const Shape shape = shape_of(half, most_blocks);
        for (int n = 0; n < 2 * sweeps; ++n) {
            for (int wrap = 0; wrap < count; ++wrap) {
                every(wraps[wrap]);
            }
            launch(shape, relax_once<deep>, op, within, n % 2);
        }
    }

    template <class How, class Op>
    double one_number(const Op& op) {
        const Extent over = places_of(op);
        if (count_of(over) == 0) {
            return 0.0;
        }
        return here([&] {
            const Shape shape = shape_of(over, most_partials);
            const unsigned count = shape.blocks.x * shape.blocks.y * shape.blocks.z;
            launch(shape, reduce<How, Op>, op, over, partials.get());
            launch({dim3(1), dim3(block_size)}, reduce_partials<How>, partials.get(), count,
                   result.get());
            CHECK(cudaStreamSynchronize(queue.get()));
            return *result.get();
        });
    }

    int number = current_device();
    ::device::Stream queue = make_own_stream();
    Partials partials = make_partials();
    Pinned result = make_pinned();
};

// ---- Whether there is a GPU --------------------------------------------------------------------

cudaError_t kernels_fit() {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, relax_small<true>);
}

}  // namespace

// ---- For those outside -------------------------------------------------------------------------

std::string why_no_device() {
    const std::string problem = ::device::why_no_gpu("library", kernels_fit);
    if (problem.empty()) {
        return "";
    }
    return problem + "; fix that, or ask for STABLE_FLUIDS_HOST";
}

std::unique_ptr<Backend> make_device() {
    if (const std::string problem = why_no_device(); !problem.empty()) {
        throw Failure(STABLE_FLUIDS_NO_DEVICE, problem);
    }
    return told([]() -> std::unique_ptr<Backend> {
        try {
            return std::make_unique<Device>();
        } catch (const ::device::OutOfMemory& error) {
            throw Failure(STABLE_FLUIDS_OUT_OF_MEMORY,
                          std::string(error.what()) + "; close what else uses the GPU");
        }
    });
}

}  // namespace box
