// The chapter's solver, for device code. It lies in a namespace of its own: a program that is
// linked with this may have another solver.hpp, its reader's own.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "cuda/device_fluid.hpp"

namespace device {

#include "23_cuda/solver.hpp"

/// The cell of the thread that asks, where the block lies in the grid as the cell does in the
/// fluid. It may be beyond the last one.
struct Cell3 {
    int i, j, k;
};

__device__ inline Cell3 cell_of_thread() {
    return {static_cast<int>(1 + blockIdx.x * blockDim.x + threadIdx.x),
            static_cast<int>(1 + blockIdx.y * blockDim.y + threadIdx.y),
            static_cast<int>(1 + blockIdx.z * blockDim.z + threadIdx.z)};
}

/// As many blocks as it takes to give each of the (N - 2)^3 fluid cells a thread.
inline dim3 blocks_for(int N, dim3 block) {
    const auto along = [&](unsigned size) { return (N - 2 + size - 1) / size; };
    return {along(block.x), along(block.y), along(block.z)};
}

}  // namespace device
