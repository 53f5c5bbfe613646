// Step 2: threads only for one colour.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

/// A row has half as many threads as cells, and all of them have something to do. The memory moves
/// as before: what is skipped lies between what is not.
__global__ void relax_colour(Sweep sweep, Colour colour) {
    const auto [n, j, k] = cell_of_thread();  // n counts the cells of the colour, from 1
    const int i = nth_of_colour(colour, n - 1, j, k);
    if (is_fluid(sweep.x.N, i, j, k)) {
        relax_cell(sweep, i, j, k);
    }
}

}  // namespace

void sweep_by_colours(cudaStream_t stream, const Sweep& sweep) {
    const dim3 block(32, 4, 2);
    dim3 blocks = blocks_for(sweep.x.N, block);
    blocks.x = (blocks.x + 1) / 2;
    for (const Colour colour : {Colour::RED, Colour::BLACK}) {
        relax_colour<<<blocks, block, 0, stream>>>(sweep, colour);
        CHECK_LAUNCH(relax_colour);
    }
}

}  // namespace device
