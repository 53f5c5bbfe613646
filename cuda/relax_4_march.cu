// Step 4: a flat tile that marches through the layers.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

constexpr int width = march_width;  // a block has width x width threads, each with a column
// How many such blocks a multiprocessor has room for: some have 2048 threads, others 1024 or 1536.
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ / 100 == 10
constexpr int at_once = 2;
#else
[[maybe_unused]] constexpr int at_once = 1;
#endif
constexpr int kept = 4;  // layers in shared memory at a time

/// The tile is one layer thick, so it has a rim on four sides instead of six. Red is at layer
/// `top`, black one layer behind it, which is just far enough to have all that it reads: four
/// layers, kept in a ring. One barrier a layer is enough. In a layer of other threads' columns,
/// each colour reads only cells of the other one, and those were written before the barrier.
///
/// The launch bounds ask for as many blocks on a multiprocessor as its threads allow. Of two, one
/// works while the other waits at its barrier. They share 65536 registers: 32 for a thread.
__global__ void __launch_bounds__(width* width, at_once)
    relax_march(Sweep sweep, ConstFieldView guess, int depth) {
    __shared__ float ring[kept][width][width];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int N = sweep.x.N;
    const int i = blockIdx.x * (width - 4) + x - 1;
    const int j = blockIdx.y * (width - 4) + y - 1;
    const int begin = 1 + blockIdx.z * depth;  // the block writes these layers
    const int end = min(begin + depth, N - 1);
    const int lowest = max(begin - 1, 1);  // and relaxes from this one on
    const bool is_there = min(i, j) >= 0 && max(i, j) < N;  // walls are, too
    const int to_rim = min(min(x, width - 1 - x), min(y, width - 1 - y));
    const auto load = [&](int k) {
        const bool found = is_there && k < N && guess.cells;
        ring[k % kept][y][x] = found ? guess(i, j, k) : 0.0f;
    };
    load(lowest - 1);
    load(lowest);
    for (int top = lowest; top <= end; ++top) {
        load(top + 1);
        __syncthreads();
        for (int k = top; k >= max(top - 1, lowest); --k) {  // red at top, black behind it
            if (to_rim > top - k && is_fluid(N, i, j, k) && (i + j + top) % 2 == 0) {
                const auto& here = ring[k % kept];
                const float neighbours = ring[(k - 1) % kept][y][x] + ring[(k + 1) % kept][y][x] +
                                         here[y - 1][x] + here[y + 1][x] + here[y][x + 1] +
                                         here[y][x - 1];
                ring[k % kept][y][x] = (sweep.x0(i, j, k) + sweep.a * neighbours) * sweep.c_recip;
            }
        }
        if (top - 1 >= begin && to_rim >= 2 && is_fluid(N, i, j, top - 1)) {
            set_cell(sweep.boundary, sweep.x, i, j, top - 1, ring[(top - 1) % kept][y][x]);
        }
    }
}

}  // namespace

void sweep_by_marching(cudaStream_t stream, const Sweep& sweep, ConstFieldView guess, int depth) {
    const int cells = sweep.x.N - 2;
    const int tiles = (cells - 1) / (width - 2 * rim) + 1;
    const dim3 blocks(tiles, tiles, (cells + depth - 1) / depth);
    relax_march<<<blocks, dim3(width, width), 0, stream>>>(sweep, guess, depth);
    CHECK_LAUNCH(relax_march);
}

}  // namespace device
