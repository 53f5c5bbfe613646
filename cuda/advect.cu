// Advection: a thread a cell, for one field or for three that travel together. Both do to each cell
// what advect_cell in solver.hpp does, and find the same.
//
// A GPU's texture units could interpolate in hardware. They count weights in 1/256, though: ours
// would no longer be the host's numbers.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

/// Each thread reads all of the velocity to find the way back, and then eight cells, of which its
/// neighbours read most too: the cache has them.
__global__ void advect_one(Carried field, Flow flow, float dt0) {
    const auto [i, j, k] = cell_of_thread();
    if (is_fluid(flow.u.N, i, j, k)) {
        advect_cell(field, flow, dt0, i, j, k);
    }
}

/// Three fields that travel together.
struct Luggage {
    Carried fields[3];
};

/// The way back is the same for all three, so it is found once: that is 24 bytes a cell instead of
/// 48. Blocks are as deep as they are high, since the eight cells that are read lie in two layers.
__global__ void __launch_bounds__(512) advect_three(Luggage luggage, Flow flow, float dt0) {
    const auto [i, j, k] = cell_of_thread();
    if (!is_fluid(flow.u.N, i, j, k)) {
        return;
    }
    const Source source = departure_at(flow, dt0, i, j, k);
    float found[3];
    for (int n = 0; n < 3; ++n) {  // all reads first: they can be under way at once
        found[n] = interpolate(luggage.fields[n].d0, source);
    }
    for (int n = 0; n < 3; ++n) {
        set_cell(luggage.fields[n].boundary, luggage.fields[n].d, i, j, k, found[n]);
    }
}

const dim3 block(32, 4, 4);

}  // namespace

void advect(cudaStream_t stream, Carried field, const Flow& flow, float dt) {
    const int N = flow.u.N;
    advect_one<<<blocks_for(N, block), block, 0, stream>>>(field, flow, dt * (N - 2));
    CHECK_LAUNCH(advect_one);
}

void advect(cudaStream_t stream, bool at_once, Carried first, Carried second, Carried third,
            const Flow& flow, float dt) {
    const int N = flow.u.N;
    if (!at_once) {
        for (const Carried& field : {first, second, third}) {
            advect(stream, field, flow, dt);
        }
        return;
    }
    const Luggage luggage = {{first, second, third}};
    advect_three<<<blocks_for(N, block), block, 0, stream>>>(luggage, flow, dt * (N - 2));
    CHECK_LAUNCH(advect_three);
}

}  // namespace device
