// Step 3: a tile in shared memory. Both colours in one launch, from `guess` into another field.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

// A block's threads: a tile of cells with its rim.
constexpr int wide = tile_size[0], high = tile_size[1], deep = tile_size[2];

/// A block reads its tile and a rim around it, relaxes red, waits, relaxes black, and writes what
/// lies within the rim. So the memory is passed once instead of twice. The rim is read by several
/// blocks and relaxed by each: after red its outermost cells are wrong, since they did not know all
/// their neighbours, and after black those beside them.
__global__ void __launch_bounds__(wide* high* deep) relax_tile(Sweep sweep, ConstFieldView guess) {
    __shared__ float tile[deep][high][wide];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int z = threadIdx.z;
    const int N = sweep.x.N;
    const int i = blockIdx.x * (wide - 2 * rim) + x + 1 - rim;
    const int j = blockIdx.y * (high - 2 * rim) + y + 1 - rim;
    const int k = blockIdx.z * (deep - 2 * rim) + z + 1 - rim;
    const bool is_there = min(i, min(j, k)) >= 0 && max(i, max(j, k)) < N;  // walls are, too
    tile[z][y][x] = is_there && guess.cells ? guess(i, j, k) : 0.0f;
    const int to_rim = min(min(min(x, wide - 1 - x), min(y, high - 1 - y)), min(z, deep - 1 - z));
    const bool fluid = is_fluid(N, i, j, k);
    for (const Colour colour : {Colour::RED, Colour::BLACK}) {
        __syncthreads();
        if (fluid && to_rim > (colour == Colour::RED ? 0 : 1) && colour_of(i, j, k) == colour) {
            const float neighbours = tile[z - 1][y][x] + tile[z + 1][y][x] + tile[z][y - 1][x] +
                                     tile[z][y + 1][x] + tile[z][y][x + 1] + tile[z][y][x - 1];
            tile[z][y][x] = (sweep.x0(i, j, k) + sweep.a * neighbours) * sweep.c_recip;
        }
    }
    if (fluid && to_rim >= rim) {
        set_cell(sweep.boundary, sweep.x, i, j, k, tile[z][y][x]);
    }
}

}  // namespace

void sweep_by_tiles(cudaStream_t stream, const Sweep& sweep, ConstFieldView guess) {
    const auto tiles = [&](int along) {
        return (sweep.x.N - 2 + along - 2 * rim - 1) / (along - 2 * rim);
    };
    const dim3 blocks(tiles(wide), tiles(high), tiles(deep));
    relax_tile<<<blocks, dim3(wide, high, deep), 0, stream>>>(sweep, guess);
    CHECK_LAUNCH(relax_tile);
}

}  // namespace device
