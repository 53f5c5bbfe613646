// What relax.cu, its four steps, advect.cu and project.cu launch. All of it is only queued in the
// stream, and none of it waits.
#pragma once

#include <cuda_runtime.h>

#include "cuda/cells.cuh"

namespace device {

/// Bytes from the first cell of a field to its last one, padding included.
inline std::size_t bytes_of(ConstFieldView x) {
    return sizeof(float) * (std::size_t{1} * x.row * (x.N * x.N - 1) + x.N);
}

/// Whether these kernels were compiled for the GPU that is here, in CUDA's words.
cudaError_t kernels_fit();

/// Does `iterations` red-black sweeps. They start from `guess`, or from 0 if it has no cells, and
/// what they find ends up in sweep.x. `spare` is overwritten. None of sweep.x, guess and spare may
/// be another.
/// A marching block writes `depth` layers.
void relax(cudaStream_t stream, Kernels kernels, Sweep sweep, ConstFieldView guess, FieldView spare,
           int iterations, int depth);

/// One sweep in place: a thread a cell, or threads for one colour at a time.
void sweep_by_cells(cudaStream_t stream, const Sweep& sweep);
void sweep_by_colours(cudaStream_t stream, const Sweep& sweep);

/// One sweep from `guess`, or from 0 if it has no cells, into sweep.x: by tiles in shared memory,
/// or by flat ones that march through the layers.
void sweep_by_tiles(cudaStream_t stream, const Sweep& sweep, ConstFieldView guess);
void sweep_by_marching(cudaStream_t stream, const Sweep& sweep, ConstFieldView guess, int depth);

/// Carries one field, or three that travel together. `at_once` finds the way back once for all
/// three; else each has a launch of its own.
void advect(cudaStream_t stream, Carried field, const Flow& flow, float dt);
void advect(cudaStream_t stream, bool at_once, Carried first, Carried second, Carried third,
            const Flow& flow, float dt);

/// Fills `divergence` with what the pressure has to undo, -h² times the divergence of the flow,
/// and sets `pressure` to 0, its first guess.
void find_divergence(cudaStream_t stream, FieldView divergence, FieldView pressure,
                     const Flow& flow);

/// Subtracts the pressure's gradient from the velocity, and sets its walls.
void subtract_gradient(cudaStream_t stream, FlowView flow, ConstFieldView pressure);

/// x = k x + b, for `count` floats, a multiple of 4 or not.
void scale(cudaStream_t stream, float* x, const float* b, float k, int count);

}  // namespace device
