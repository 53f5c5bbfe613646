// Advection: first as it comes, then three fields at a time. Both do to each cell what advect_cell
// in solver.hpp does, and find the same.
//
// A GPU's texture units could interpolate in hardware. They count weights in 1/256, though: ours
// would no longer be the host's numbers.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

// ---- The naive port ----------------------------------------------------------------------------

/// A thread a cell, a launch a field. Each reads all of the velocity to find the way back, and then
/// eight cells, of which its neighbours read most too: the cache has them.
__global__ void advect_naive(Carried field, ConstFieldView u, ConstFieldView v, ConstFieldView w,
                             float dt0) {
    const auto [i, j, k] = cell_of_thread();
    if (is_fluid(u.N, i, j, k)) {
        advect_cell(field.boundary, field.d, field.d0, u, v, w, dt0, i, j, k);
    }
}

// ---- The fast one ------------------------------------------------------------------------------

/// Up to three fields that travel together.
template <int count>
struct Luggage {
    Carried fields[count];
};

/// The way back is the same for all fields, so it is found once: for u, v and w that is 24 bytes a
/// cell instead of 48. Blocks are as deep as they are high, since the eight cells that are read lie
/// in two layers: whatever one layer's threads fetch, those of the next can use again.
template <int count>
__global__ void __launch_bounds__(512) advect_fast(Luggage<count> luggage, ConstFieldView u,
                                                   ConstFieldView v, ConstFieldView w, float dt0) {
    const auto [i, j, k] = cell_of_thread();
    if (!is_fluid(u.N, i, j, k)) {
        return;
    }
    const Source source = upstream(u, v, w, dt0, i, j, k);
    float found[count];
#pragma unroll
    for (int n = 0; n < count; ++n) {  // all reads first: they can be under way at once
        found[n] = interpolate(luggage.fields[n].d0, source);
    }
#pragma unroll
    for (int n = 0; n < count; ++n) {
        set_cell(luggage.fields[n].boundary, luggage.fields[n].d, i, j, k, found[n]);
    }
}

template <int count>
void launch_fast(cudaStream_t stream, const Luggage<count>& luggage, ConstFieldView u,
                 ConstFieldView v, ConstFieldView w, float dt) {
    const dim3 block(32, 4, 4);
    advect_fast<count>
        <<<blocks_for(u.N, block), block, 0, stream>>>(luggage, u, v, w, dt * (u.N - 2));
    CHECK_LAUNCH(advect_fast);
}

}  // namespace

void advect(cudaStream_t stream, bool fast, Carried field, ConstFieldView u, ConstFieldView v,
            ConstFieldView w, float dt) {
    if (fast) {
        launch_fast(stream, Luggage<1>{{field}}, u, v, w, dt);
        return;
    }
    const dim3 block(256, 1, 1);
    advect_naive<<<blocks_for(u.N, block), block, 0, stream>>>(field, u, v, w, dt * (u.N - 2));
    CHECK_LAUNCH(advect_naive);
}

void advect(cudaStream_t stream, bool fast, Carried first, Carried second, Carried third,
            ConstFieldView u, ConstFieldView v, ConstFieldView w, float dt) {
    if (fast) {
        launch_fast(stream, Luggage<3>{{first, second, third}}, u, v, w, dt);
        return;
    }
    for (const Carried& field : {first, second, third}) {
        advect(stream, false, field, u, v, w, dt);
    }
}

}  // namespace device
