// Step 1: a thread for each cell.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

/// A launch ends when all its threads have, and that is what makes black wait for red. Half of the
/// threads find the wrong colour and have nothing to do.
__global__ void relax_cells(Sweep sweep, Colour colour) {
    const auto [i, j, k] = cell_of_thread();
    if (is_fluid(sweep.x.N, i, j, k) && colour_of(i, j, k) == colour) {
        relax_cell(sweep, i, j, k);
    }
}

}  // namespace

void sweep_by_cells(cudaStream_t stream, const Sweep& sweep) {
    const dim3 block(32, 4, 2);
    for (const Colour colour : {Colour::RED, Colour::BLACK}) {
        relax_cells<<<blocks_for(sweep.x.N, block), block, 0, stream>>>(sweep, colour);
        CHECK_LAUNCH(relax_cells);
    }
}

cudaError_t kernels_fit() {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, relax_cells);
}

}  // namespace device
