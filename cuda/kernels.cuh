// What relax.cu, advect.cu and project.cu launch. All of it is only queued in the stream, and none
// of it waits.
#pragma once

#include <cuda_runtime.h>

#include "cuda/cells.cuh"

namespace device {

/// Whether these kernels were compiled for the GPU that is here, in CUDA's words.
cudaError_t kernels_fit();

/// Does `iterations` red-black sweeps. They start from `guess`, or from 0 if it has no cells, and
/// what they find ends up in x. `spare` is overwritten. None of x, guess and spare may be another.
void relax(cudaStream_t stream, bool fast, BoundaryType boundary, FieldView x, ConstFieldView guess,
           ConstFieldView x0, FieldView spare, float a, float c, int iterations);

/// A field to carry, from d0 into d.
struct Carried {
    BoundaryType boundary;
    FieldView d;
    ConstFieldView d0;
};

/// Carries one field, or three at once.
void advect(cudaStream_t stream, bool fast, Carried field, ConstFieldView u, ConstFieldView v,
            ConstFieldView w, float dt);
void advect(cudaStream_t stream, bool fast, Carried first, Carried second, Carried third,
            ConstFieldView u, ConstFieldView v, ConstFieldView w, float dt);

/// Fills `divergence` with what the pressure has to undo, -h² times the divergence of (u, v, w),
/// and sets `pressure` to 0, its first guess.
void find_divergence(cudaStream_t stream, FieldView divergence, FieldView pressure,
                     ConstFieldView u, ConstFieldView v, ConstFieldView w);

/// Subtracts the pressure's gradient from (u, v, w), and sets their walls.
void subtract_gradient(cudaStream_t stream, FieldView u, FieldView v, FieldView w,
                       ConstFieldView pressure);

/// x = k x + b, for `count` floats, a multiple of 4 or not.
void scale(cudaStream_t stream, float* x, const float* b, float k, int count);

}  // namespace device
