// Relaxation, the heart of a step: first as it comes, then with less traffic. Both do to each cell
// what relax_cell in solver.hpp does, and find the same.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

// ---- The naive port ----------------------------------------------------------------------------

/// A thread a cell, and a launch for each colour: a launch ends when all its threads have, and that
/// is what makes black wait for red. Half of the threads have nothing to do. Each launch moves x
/// and x0 through the memory as a whole, since what is skipped lies between what is not: 24 bytes a
/// cell and sweep.
__global__ void relax_naive(BoundaryType boundary, FieldView x, ConstFieldView x0, float a,
                            float c_recip, int colour) {
    const auto [i, j, k] = cell_of_thread();
    if (is_fluid(x.N, i, j, k) && (i + j + k) % 2 == colour) {
        relax_cell(boundary, x, x0, a, c_recip, i, j, k);
    }
}

void sweep_naive(cudaStream_t stream, BoundaryType boundary, FieldView x, ConstFieldView x0,
                 float a, float c_recip) {
    const dim3 block(32, 4, 2);
    for (const int colour : {0, 1}) {
        relax_naive<<<blocks_for(x.N, block), block, 0, stream>>>(boundary, x, x0, a, c_recip,
                                                                  colour);
        CHECK_LAUNCH(relax_naive);
    }
}

// ---- The fast one ------------------------------------------------------------------------------

constexpr int width = 32;  // a block has width x width threads, each with a column of cells

/// Several sweeps in one launch, from `guess` into another field x: each block reads a tile of the
/// cube and a rim around it, and relaxes while what it needs is in registers and shared memory.
/// That is 12 bytes a cell for all of the sweeps together, and what the rims cost.
///
/// A sweep has two stages, red and black. The block marches through the layers: stage 0 is at layer
/// `top`, stage 1 one layer behind it, and so on, which is just far enough to have all that it
/// needs. (relax_marching in solver.hpp does the same.) The last stage's layer is done and goes to
/// memory. The rim is as wide as there are stages: each of them knows its neighbours one cell less
/// far.
///
/// column[n] is what the thread's own column holds in layer top + 1 - n. `planes` shows the others'
/// columns. In one march from layer to layer each stage writes another plane, and reads in it only
/// cells of the colour that it does not write: one barrier a layer is enough.
template <int sweeps>
__global__ void __launch_bounds__(width* width)
    relax_fast(BoundaryType boundary, FieldView x, ConstFieldView guess, ConstFieldView x0, float a,
               float c_recip, int depth) {
    constexpr int stages = 2 * sweeps;
    __shared__ float planes[stages + 1][width][width];
    const int N = x.N;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = 1 + blockIdx.x * (width - 2 * stages) + tx - stages;
    const int j = 1 + blockIdx.y * (width - 2 * stages) + ty - stages;
    const int begin = 1 + blockIdx.z * depth;  // the block answers for these layers
    const int end = min(begin + depth, N - 1);
    const int lowest = max(begin - stages + 1, 1);  // and relaxes from this one on
    const bool inside = 1 <= i && i < N - 1 && 1 <= j && j < N - 1;
    const int from_rim = inside ? min(min(tx, width - 1 - tx), min(ty, width - 1 - ty)) : 0;
    const float across = mirrored(boundary, 1.0f, true, false, false);
    const float down = mirrored(boundary, 1.0f, false, true, false);
    const float away = mirrored(boundary, 1.0f, false, false, true);

    const auto read = [&](ConstFieldView field, int k) {
        return inside && field.cells && 1 <= k && k < N - 1 ? field(i, j, k) : 0.0f;
    };
    float column[stages + 2] = {read(guess, lowest + 1), read(guess, lowest),
                                read(guess, lowest - 1)};
    float anchor[stages] = {read(x0, lowest)};  // anchor[n] is what x0 holds in layer top - n
    planes[lowest % (stages + 1)][ty][tx] = column[1];

    for (int top = lowest; top < end + stages - 1; ++top) {
        const float next = read(guess, top + 2);  // asked for now, needed in the next layer
        const float next_anchor = read(x0, top + 1);
        __syncthreads();
        planes[(top + 1) % (stages + 1)][ty][tx] =
            column[0];  // nobody reads it before the next one
        // Stage s wants colour s % 2, and is at layer top - s. So a thread has something to do in
        // all stages or in none.
        if ((i + j + top) % 2 == 0) {
#pragma unroll
            for (int stage = 0; stage < stages; ++stage) {
                const int k = top - stage;
                if (stage < from_rim && lowest <= k && k < N - 1) {
                    float(&plane)[width][width] = planes[k % (stages + 1)];
                    const float here = column[stage + 1];  // and in a wall, what mirrors it
                    const float front = k == 1 ? away * here : column[stage + 2];
                    const float back = k == N - 2 ? away * here : column[stage];
                    const float above = j == 1 ? down * here : plane[ty - 1][tx];
                    const float below = j == N - 2 ? down * here : plane[ty + 1][tx];
                    const float right = i == N - 2 ? across * here : plane[ty][tx + 1];
                    const float left = i == 1 ? across * here : plane[ty][tx - 1];
                    column[stage + 1] = relaxed(
                        anchor[stage], front + back + above + below + right + left, a, c_recip);
                    plane[ty][tx] = column[stage + 1];
                }
            }
        }
        const int done = top - stages + 1;
        if (begin <= done && from_rim >= stages) {
            set_cell(boundary, x, i, j, done, column[stages]);
        }
#pragma unroll
        for (int n = stages + 1; n > 0; --n) {
            column[n] = column[n - 1];
        }
#pragma unroll
        for (int n = stages - 1; n > 0; --n) {
            anchor[n] = anchor[n - 1];
        }
        column[0] = next;
        anchor[0] = next_anchor;
    }
}

template <int sweeps>
void sweep_fast(cudaStream_t stream, BoundaryType boundary, FieldView x, ConstFieldView guess,
                ConstFieldView x0, float a, float c_recip) {
    const int cells = x.N - 2;
    const int useful = width - 4 * sweeps;
    const int tiles = (cells + useful - 1) / useful;
    const int depth = cells <= 64 ? 16 : cells <= 192 ? 32 : 64;  // a guess: never run on a GPU yet
    const dim3 blocks(tiles, tiles, (cells + depth - 1) / depth);
    relax_fast<sweeps>
        <<<blocks, dim3(width, width), 0, stream>>>(boundary, x, guess, x0, a, c_recip, depth);
    CHECK_LAUNCH(relax_fast);
}

}  // namespace

cudaError_t kernels_fit() {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, relax_naive);
}

void relax(cudaStream_t stream, bool fast, BoundaryType boundary, FieldView x, ConstFieldView guess,
           ConstFieldView x0, FieldView spare, float a, float c, int iterations) {
    const float c_recip = 1.0f / c;
    if (fast && iterations > 0) {
        const int launches = (iterations + 1) / 2;  // of two sweeps each, the last one maybe of one
        for (int n = 0; n < launches; ++n) {
            const FieldView into = (launches - 1 - n) % 2 == 0 ? x : spare;
            const bool two = 2 * n + 1 < iterations;
            const auto sweep = two ? sweep_fast<2> : sweep_fast<1>;
            sweep(stream, boundary, into, guess, x0, a, c_recip);
            guess = into;
        }
        return;
    }
    const std::size_t bytes = sizeof(float) * x.N * x.N * x.N;
    if (guess.cells) {
        CHECK(cudaMemcpyAsync(x.cells, guess.cells, bytes, cudaMemcpyDeviceToDevice, stream));
    } else {
        CHECK(cudaMemsetAsync(x.cells, 0, bytes, stream));
    }
    for (int n = 0; n < iterations; ++n) {
        sweep_naive(stream, boundary, x, x0, a, c_recip);
    }
}

}  // namespace device
