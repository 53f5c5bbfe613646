// The backend on an NVIDIA GPU: the operations of operations.hpp, a thread a cell. All of it
// happens in one stream, in the order it was asked for, and next to the caller's own work on the
// GPU.
//
// A coarse box of the V-cycle has next to nothing to do; what takes time there is to launch it. So
// operations on few places are put on a list, and one launch does all that is on the list. The
// numbers are the host's to the last bit, but for what is added up: that is in another order, and
// the same one in each run.
//
// Compiled for compute capabilities 7.5, 8.0 and 9.0; not run on a GPU yet.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "common/gpu/owners.cuh"
#include "library/src/backend.hpp"
#include "stable_fluids.h"

namespace box {

namespace {

// ---- Threads for places ------------------------------------------------------------------------

// Guesses, all of them: never run on a GPU yet.
constexpr unsigned block_size = 256;  // threads
constexpr unsigned list_block = 512;  // threads for a list; more have too few registers
constexpr std::size_t few_places = 16 * 16 * 16;  // an operation on no more is put on a list

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
__global__ void each(const __grid_constant__ Op op, Extent over) {
    for_places(over, op);
}

/// Advect or Correct, for one kind of place.
template <class Op, int at, int together, bool deep>
struct Carry {
    Op op;
    Extent over;

    __device__ __forceinline__ void operator()(int i, int j, int k) const {
        op.template cell<at, together, deep>(i, j, k);
    }
};

/// Residual and Restrict in one: the fine r is worked out where it is added up, and not written.
struct PassOn {
    Residual residual;
    Restrict restrict_to;

    __device__ __forceinline__ void operator()(int i, int j, int k) const {
        const auto fine = [&](int a, int q, int c) { return residual.at(a, q, c); };
        restrict_to.b(i, j, k) = restrict_to.sum_of(fine, i, j, k);
    }
};

Extent places_of(const PassOn& op) {
    return op.restrict_to.over;
}

// ---- Relaxation --------------------------------------------------------------------------------

/// As many places as there are of one colour, or a few more.
CELL Extent half_of(const Extent& over) {
    return {{0, (over.x.last - over.x.first) / 2}, over.y, over.z};
}

/// Sets the places of one colour: every second one of each row, so that no thread has one for
/// nothing. To be called for half_of the places.
template <bool deep>
struct Half {
    Relax op;
    float within;  ///< one over the diagonal of a place that is not at an end of any axis, which
                   ///< nearly all are not: it saves the division

    __device__ __forceinline__ void operator()(int n, int j, int k) const {
        const Equations& e = op.equations;
        const Range x = e.x.range;
        const Range y = e.y.range;
        const Range z = e.z.range;
        const int i = x.first + 2 * n + ((x.first + j + k + op.colour) & 1);
        if (i > x.last) {
            return;
        }
        const bool at_end = i == x.first || i == x.last || j == y.first || j == y.last ||
                            (deep && (k == z.first || k == z.last));
        const float inverse = at_end ? inverse_of(diagonal(e, i, j, k)) : within;
        op.x(i, j, k) = relaxed<deep>(e, op.x, op.b, op.omega, inverse, i, j, k);
    }
};

float inverse_within(const Equations& e) {
    return inverse_of(diagonal(e, e.x.range.first + 1, e.y.range.first + 1, e.z.range.first + 1));
}

// ---- Lists of operations on few places ---------------------------------------------------------

/// Floats that become 0.
struct Clear {
    float* data;
    int count;
};

/// Whole sweeps. Behind it on a list are the wraps that are done before each colour.
struct Sweeps {
    Relax relax;
    float within;  ///< as in Half
    int sweeps;
    int wrap_count;
};

enum Kind : unsigned { CLEAR, SET_BND, SWEEPS, PASS_ON, RESTRICT, PROLONG };

constexpr Kind kind_of(const Clear&) {
    return CLEAR;
}
constexpr Kind kind_of(const SetBnd&) {
    return SET_BND;
}
constexpr Kind kind_of(const Sweeps&) {
    return SWEEPS;
}
constexpr Kind kind_of(const PassOn&) {
    return PASS_ON;
}
constexpr Kind kind_of(const Restrict&) {
    return RESTRICT;
}
constexpr Kind kind_of(const Prolong&) {
    return PROLONG;
}

/// What is to be done by one block, one operation after the other. It is a kernel's argument, of
/// which CUDA takes 4096 bytes on any GPU.
struct List {
    /// Before each operation.
    struct Head {
        Kind kind;
        unsigned bytes;  ///< of the operation and all that belongs to it
    };

    unsigned used = 0;  ///< bytes
    unsigned widest = 0;  ///< places of the operation that has most of them, if not too many
    alignas(8) unsigned char bytes[4088];

    bool has_room(std::size_t more) const { return used + sizeof(Head) + more <= sizeof bytes; }

    /// The room must be there.
    template <class Op>
    void add(const Op& op, std::size_t places, const SetBnd* wraps, int count) {
        write(Head{kind_of(op), static_cast<unsigned>(size_with(op, count))});
        write(op);
        for (int n = 0; n < count; ++n) {
            write(wraps[n]);
        }
        widest = static_cast<unsigned>(std::clamp<std::size_t>(places, widest, list_block));
    }

    template <class Op>
    static std::size_t size_with(const Op& op, int wrap_count) {
        return sizeof op + static_cast<std::size_t>(wrap_count) * sizeof(SetBnd);
    }

  private:
    template <class Part>
    void write(const Part& part) {
        static_assert(sizeof part % 8 == 0);  // so what comes next is aligned, too
        std::memcpy(bytes + used, &part, sizeof part);
        used += static_cast<unsigned>(sizeof part);
    }
};

/// Calls act(i, j, k) for each place, shared out among the threads of the one block there is. It
/// returns to all of them when the last one is done.
template <class Act>
__device__ __forceinline__ void for_places_of_block(const Extent& over, const Act& act) {
    const int nx = over.x.last - over.x.first + 1;
    const int ny = over.y.last - over.y.first + 1;
    const int nz = over.z.last - over.z.first + 1;
    for (int n = static_cast<int>(threadIdx.x); n < nx * ny * nz;
         n += static_cast<int>(blockDim.x)) {
        act(over.x.first + n % nx, over.y.first + n / nx % ny, over.z.first + n / nx / ny);
    }
    __syncthreads();
}

template <bool deep>
__device__ __forceinline__ void sweep_in_block(const Sweeps& op, const SetBnd* wraps) {
    Half<deep> half = {op.relax, op.within};
    for (int n = 0; n < 2 * op.sweeps; ++n) {
        for (int wrap = 0; wrap < op.wrap_count; ++wrap) {
            for_places_of_block(wraps[wrap].over, wraps[wrap]);
        }
        half.op.colour = n % 2;
        for_places_of_block(half_of(op.relax.equations.over()), half);
    }
}

/// An operation on a list, which begins with these bytes.
template <class Op>
__device__ __forceinline__ const Op& read_as(const unsigned char* bytes) {
    return *reinterpret_cast<const Op*>(bytes);
}

/// Does all of a list. There is one block: its threads can wait for each other.
__global__ void __launch_bounds__(list_block) do_list(const __grid_constant__ List list) {
    for (unsigned at = 0; at < list.used;) {
        const auto& head = read_as<List::Head>(list.bytes + at);
        const unsigned char* const bytes = list.bytes + at + sizeof head;
        at += static_cast<unsigned>(sizeof head) + head.bytes;
        if (head.kind == CLEAR) {
            const auto& op = read_as<Clear>(bytes);
            for_places_of_block({{0, op.count - 1}, {0, 0}, {0, 0}},
                                [&](int n, int, int) { op.data[n] = 0.0f; });
        } else if (head.kind == SET_BND) {
            const auto& op = read_as<SetBnd>(bytes);
            for_places_of_block(op.over, op);
        } else if (head.kind == SWEEPS) {
            const auto& op = read_as<Sweeps>(bytes);
            const auto* const wraps = &read_as<SetBnd>(bytes + sizeof op);
            op.relax.equations.deep ? sweep_in_block<true>(op, wraps)
                                    : sweep_in_block<false>(op, wraps);
        } else if (head.kind == PASS_ON) {
            const auto& op = read_as<PassOn>(bytes);
            for_places_of_block(op.restrict_to.over, op);
        } else if (head.kind == RESTRICT) {
            const auto& op = read_as<Restrict>(bytes);
            for_places_of_block(op.over, op);
        } else if (head.kind == PROLONG) {
            const auto& op = read_as<Prolong>(bytes);
            for_places_of_block(op.over, op);
        }
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

/// Whether this block is the last one of all to come here, told to all its threads. What the
/// blocks have written before, it can read. `arrived` is 0 before and afterwards.
__device__ __forceinline__ bool comes_last(unsigned* arrived) {
    __shared__ bool last;
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
        __threadfence();
        last = atomicInc(arrived, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

/// What a block has made of its places: one number, or the energies.
union Partial {
    double number;
    Energies energies;
    __device__ Partial() {}
};

/// Each block makes one number of its places, and the last one to be done makes one of them all.
template <class How, class Op>
__global__ void reduce(const __grid_constant__ Op op, Extent over, Partial* partials,
                       unsigned* arrived, double* result) {
    double mine = 0.0;
    for_places(over, [&](int i, int j, int k) { mine = How::both(mine, How::of(op(i, j, k))); });
    const double of_places = of_block<How>(mine);
    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (t == 0) {
        partials[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)].number = of_places;
    }
    if (!comes_last(arrived)) {
        return;
    }
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    mine = 0.0;
    for (unsigned n = t; n < gridDim.x * gridDim.y * gridDim.z; n += threads) {
        mine = How::both(mine, partials[n].number);
    }
    const double of_blocks = of_block<How>(mine);
    if (t == 0) {
        *result = of_blocks;
    }
}

// ---- The energy of what is carried -------------------------------------------------------------

/// What has been added up of the energies, in the GPU's memory, and the share that they allow.
struct Limit {
    Energies energies;
    double share;
};

__device__ __forceinline__ Energies in_double(const Energy::Parts& parts) {
    return {parts.before, parts.linear, parts.both, parts.correction};
}

/// What comes in adds to the energy that there was before.
__device__ __forceinline__ Energies in_double(float comes_in) {
    return {comes_in, 0.0, 0.0, 0.0};
}

/// As of_block, for each of the sums.
__device__ __forceinline__ Energies of_block(const Energies& mine) {
    Energies all;
    all.before = of_block<Sum>(mine.before);
    __syncthreads();  // the numbers of one sum are read before those of the next are written
    all.linear = of_block<Sum>(mine.linear);
    __syncthreads();
    all.both = of_block<Sum>(mine.both);
    __syncthreads();
    all.correction = of_block<Sum>(mine.correction);
    __syncthreads();
    return all;
}

/// Adds what `op` returns to the energies. Each block adds up its places, and the last one to be
/// done adds up the blocks.
template <class Op>
__global__ void add_energies(const __grid_constant__ Op op, Extent over, Partial* partials,
                             unsigned* arrived, Limit* limit) {
    Energies mine;
    for_places(over, [&](int i, int j, int k) { mine += in_double(op(i, j, k)); });
    const Energies of_places = of_block(mine);
    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (t == 0) {
        partials[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)].energies =
            of_places;
    }
    if (!comes_last(arrived)) {
        return;
    }
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    mine = Energies();
    for (unsigned n = t; n < gridDim.x * gridDim.y * gridDim.z; n += threads) {
        mine += partials[n].energies;
    }
    const Energies of_blocks = of_block(mine);
    if (t == 0) {
        limit->energies += of_blocks;
        limit->share = largest_share(limit->energies);
    }
}

/// Blend, by the share in the GPU's memory, so that nobody waits for it.
struct BlendBy {
    Blend op;
    const Limit* limit;

    __device__ __forceinline__ void operator()(int i, int j, int k) const {
        const double share = limit->share;
        if (share < 1.0) {
            Blend blend = op;
            blend.share = static_cast<float>(share);
            blend(i, j, k);
        }
    }
};

Extent places_of(const BlendBy& op) {
    return op.op.over;
}

// ---- Owners ------------------------------------------------------------------------------------

void free_device(Partial* numbers) {
    cudaFree(numbers);
}

void free_limit(Limit* limit) {
    cudaFree(limit);
}

void free_counter(unsigned* number) {
    cudaFree(number);
}

void free_pinned(double* number) {
    cudaFreeHost(number);
}

using Partials = ::device::Owner<Partial*, free_device>;
using OwnLimit = ::device::Owner<Limit*, free_limit>;
using Counter = ::device::Owner<unsigned*, free_counter>;
using Pinned = ::device::Owner<double*, free_pinned>;

/// A stream that does not wait for what the program does in CUDA's default one, nor holds it up.
::device::Stream make_own_stream() {
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return ::device::Stream(stream);
}

Partials make_partials() {
    Partial* numbers = nullptr;
    CHECK(cudaMalloc(&numbers, most_partials * sizeof(Partial)));
    return Partials(numbers);
}

OwnLimit make_limit() {
    Limit* limit = nullptr;
    CHECK(cudaMalloc(&limit, sizeof(Limit)));
    return OwnLimit(limit);
}

Counter make_counter() {
    unsigned* number = nullptr;
    CHECK(cudaMalloc(&number, sizeof(unsigned)));
    return Counter(number);
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
    Device() { CHECK(cudaMemsetAsync(arrived.get(), 0, sizeof(unsigned), queue.get())); }
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
        try {
            submit();
        } catch (const Failure&) {
            // nobody could be told
        }
        const cudaError_t waited = cudaStreamSynchronize(queue.get());  // for what may need it
        const cudaError_t freed = cudaFree(data);
        if (waited != cudaSuccess || freed != cudaSuccess) {
            cudaGetLastError();  // nobody could be told
        }
    }

    void clear(float* data, std::size_t count) override {
        if (count <= 4 * few_places) {  // with the ghosts, and they are quickly done
            put_on_list(Clear{data, static_cast<int>(count)}, count);
            return;
        }
        here([&] {
            launch_list();
            CHECK(cudaMemsetAsync(data, 0, count * sizeof(float), queue.get()));
        });
    }
    void copy(float* to, const float* from, std::size_t count) override {
        here([&] {
            launch_list();
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

#define RUN(Op, name)                 \
    void run(const Op& op) override { \
        act(op);                      \
    }
    FOR_OPERATIONS(RUN)
    FOR_OPERATIONS_OF_SOLIDS(RUN)
#undef RUN

    void begin_energies() override {
        here([&] {
            launch_list();
            CHECK(cudaMemsetAsync(limit_there.get(), 0, sizeof(Limit), queue.get()));
        });
    }
    void correct(const Correct& op, const Energy& energy) override {
        carry(op);
        add_energies_of(energy);
    }
#define ADD_ENERGY(Op, name)                 \
    void add_energy(const Op& op) override { \
        add_energies_of(op);                 \
    }
    FOR_ENERGIES(ADD_ENERGY)
    FOR_ENERGIES_OF_SOLIDS(ADD_ENERGY)
#undef ADD_ENERGY
    void limit(const Blend* ops, int count) override {
        for (int n = 0; n < count; ++n) {
            every(BlendBy{ops[n], limit_there.get()});
        }
    }
    double share() override {
        return here([&] {
            launch_list();
            CHECK(cudaMemcpyAsync(result.get(), &limit_there.get()->share, sizeof(double),
                                  cudaMemcpyDeviceToHost, queue.get()));
            CHECK(cudaStreamSynchronize(queue.get()));
            return *result.get();
        });
    }

    void relax(Relax op, int sweeps, const SetBnd* wraps, int count) override {
        op.equations.deep ? sweep<true>(op, sweeps, wraps, count)
                          : sweep<false>(op, sweeps, wraps, count);
    }

    /// The residual and its restriction take one launch, unless coarse places share a fine one:
    /// each of them would work out its r again. In a box with few places that is cheaper than a
    /// launch.
    double smooth(const Smoothing& op) override {
        if (!op.look || op.measure || op.restrict_to == nullptr) {
            return Backend::smooth(op);
        }
        const Restrict& coarse = *op.restrict_to;
        const auto whole = [](float ratio) { return ratio == 1.0f || ratio == 2.0f; };
        const bool few = count_of(op.residual.equations.over()) <= few_places;
        if (!few && !(whole(coarse.ratio_x) && whole(coarse.ratio_y) && whole(coarse.ratio_z))) {
            return Backend::smooth(op);
        }
        Smoothing before = op;
        before.look = false;
        before.restrict_to = nullptr;
        Backend::smooth(before);
        const PassOn pass_on = {op.residual, coarse};
        few ? put_on_list(pass_on, count_of(coarse.over)) : every(pass_on);
        return 0.0;
    }

#define SUM(Op, name)                   \
    double sum(const Op& op) override { \
        return one_number<Sum>(op);     \
    }
    FOR_SUMS(SUM)
    FOR_SUMS_OF_SOLIDS(SUM)
#undef SUM
#define SQUARES(Op, name)                   \
    double squares(const Op& op) override { \
        return one_number<Squares>(op);     \
    }
    FOR_SQUARES(SQUARES)
    FOR_SQUARES_OF_SOLIDS(SQUARES)
#undef SQUARES
    double largest(const Value& op) override {
        return one_number<Largest>(op);
    }

    void submit() override {
        here([&] { launch_list(); });
    }
    void wait() override {
        here([&] {
            launch_list();
            CHECK(cudaStreamSynchronize(queue.get()));
        });
    }
    bool holds(const void* address) const override {
        return here([&] {
            cudaPointerAttributes found = {};
            if (cudaPointerGetAttributes(&found, address) == cudaErrorInvalidValue) {
                cudaGetLastError();  // an address that CUDA does not know: it is told now
                return false;
            }
            return (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged) &&
                   found.device == number;
        });
    }
    void wait_for(void* stream) override {
        here([&] { CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(stream))); });
    }
    bool on_device() const override {
        return true;
    }
    void* stream() const override {
        return queue.get();
    }

  private:
    /// Does something on the fluid's GPU, whichever one the caller has chosen for this thread.
    template <class Work>
    std::invoke_result_t<Work> here(const Work& work) const {
        return told([&] {
            const Chosen chosen(number);
            return work();
        });
    }

    /// All that goes into the stream goes there behind the list.
    template <class... Parameters, class... Arguments>
    void launch(const Shape& shape, void (*kernel)(Parameters...), const Arguments&... arguments) {
        launch_list();
        launch_now(shape, kernel, arguments...);
    }

    template <class... Parameters, class... Arguments>
    void launch_now(const Shape& shape, void (*kernel)(Parameters...),
                    const Arguments&... arguments) {
        cudaLaunchConfig_t config = {};
        config.gridDim = shape.blocks;
        config.blockDim = shape.threads;
        config.stream = queue.get();
        CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    }

    /// Launches what is on the list, if there is anything.
    void launch_list() {
        if (list.used > 0) {
            const unsigned threads = std::bit_ceil(std::max(list.widest, 32u));
            const List all = std::exchange(list, List());
            launch_now({dim3(1), dim3(threads)}, do_list, all);
        }
    }

    /// Puts an operation on the list, and the wraps that belong to it.
    template <class Op>
    void put_on_list(const Op& op, std::size_t places, const SetBnd* wraps = nullptr,
                     int count = 0) {
        if (!list.has_room(List::size_with(op, count))) {
            submit();
        }
        list.add(op, places, wraps, count);
    }

    /// To or from the computer's memory. When it comes back, the caller may change or free that.
    void transfer(float* to, const float* from, std::size_t count, cudaMemcpyKind kind) {
        here([&] {
            launch_list();
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

    /// Does an operation: most of them a thread a place.
    template <class Op>
    void act(const Op& op) {
        every(op);
    }
    void act(const SetBnd& op) {
        few_or_every(op);
    }
    void act(const Restrict& op) {
        few_or_every(op);
    }
    void act(const Prolong& op) {
        few_or_every(op);
    }
    void act(const Advect& op) {
        carry(op);
    }
    void act(const Correct& op) {
        carry(op);
    }

    template <class Op>
    void few_or_every(const Op& op) {
        const std::size_t places = count_of(op.over);
        if (places > few_places) {
            every(op);
        } else if (places > 0) {
            put_on_list(op, places);
        }
    }

    template <class Op>
    void carry(const Op& op) {
        op.flow.deep ? carry_in<true>(op) : carry_in<false>(op);
    }

    template <bool deep, class Op>
    void carry_in(const Op& op) {
        if (op.where == ON_X) {
            every(Carry<Op, ON_X, 1, deep>{op, op.over});
        } else if (op.where == ON_Y) {
            every(Carry<Op, ON_Y, 1, deep>{op, op.over});
        } else if (deep && op.where == ON_Z) {
            every(Carry<Op, ON_Z, 1, true>{op, op.over});
        } else {
            carry_scalars<1, deep>(op);
        }
    }

    /// As many together as `op` says, which are `together` or more.
    template <int together, bool deep, class Op>
    void carry_scalars(const Op& op) {
        if constexpr (together < Op::most) {
            if (op.count > together) {
                carry_scalars<together + 1, deep>(op);
                return;
            }
        }
        every(Carry<Op, AT_CENTRE, together, deep>{op, op.over});
    }

    template <bool deep>
    void sweep(const Relax& op, int sweeps, const SetBnd* wraps, int count) {
        const Equations& e = op.equations;
        const Extent over = e.over();
        if (count_of(over) == 0 || sweeps == 0) {
            return;
        }
        const Extent places = half_of(over);
        Half<deep> half = {op, inverse_within(e)};
        if (count_of(over) <= few_places) {
            put_on_list(Sweeps{op, half.within, sweeps, count}, count_of(places), wraps, count);
            return;
        }
        for (int n = 0; n < 2 * sweeps; ++n) {
            for (int wrap = 0; wrap < count; ++wrap) {
                run(wraps[wrap]);
            }
            half.op.colour = n % 2;
            here([&] { launch(shape_of(places, most_blocks), each<Half<deep>>, half, places); });
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
            launch(shape, reduce<How, Op>, op, over, partials.get(), arrived.get(), result.get());
            CHECK(cudaStreamSynchronize(queue.get()));
            return *result.get();
        });
    }

    template <class Op>
    void add_energies_of(const Op& op) {
        if (count_of(op.over) > 0) {
            here([&] {
                const Shape shape = shape_of(op.over, most_partials);
                launch(shape, add_energies<Op>, op, op.over, partials.get(), arrived.get(),
                       limit_there.get());
            });
        }
    }

    List list;  ///< what has not been launched yet
    int number = current_device();
    ::device::Stream queue = make_own_stream();
    Partials partials = make_partials();
    OwnLimit limit_there = make_limit();
    Counter arrived = make_counter();
    Pinned result = make_pinned();
};

// ---- Whether there is a GPU --------------------------------------------------------------------

cudaError_t kernels_fit() {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, do_list);
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
