// Relaxation, by whichever of the four steps is asked for. All of them find the same.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

/// In place: x begins as `guess`, and each sweep changes it.
void relax_in_place(cudaStream_t stream, Kernels kernels, const Sweep& sweep, ConstFieldView guess,
                    int iterations) {
    const std::size_t bytes = bytes_of(sweep.x);
    if (guess.cells) {
        CHECK(cudaMemcpyAsync(sweep.x.cells, guess.cells, bytes, cudaMemcpyDeviceToDevice, stream));
    } else {
        CHECK(cudaMemsetAsync(sweep.x.cells, 0, bytes, stream));
    }
    for (int n = 0; n < iterations; ++n) {
        kernels == Kernels::CELL ? sweep_by_cells(stream, sweep) : sweep_by_colours(stream, sweep);
    }
}

}  // namespace

void relax(cudaStream_t stream, Kernels kernels, Sweep sweep, ConstFieldView guess, FieldView spare,
           int iterations, int depth) {
    if (iterations == 0 || kernels == Kernels::CELL || kernels == Kernels::COLOUR) {
        relax_in_place(stream, kernels, sweep, guess, iterations);
        return;
    }
    const FieldView x = sweep.x;
    for (int left = iterations; left > 0; --left) {  // to and fro, so that the last one ends in x
        sweep.x = left % 2 == 1 ? x : spare;
        kernels == Kernels::TILE ? sweep_by_tiles(stream, sweep, guess)
                                 : sweep_by_marching(stream, sweep, guess, depth);
        guess = sweep.x;
    }
}

}  // namespace device
