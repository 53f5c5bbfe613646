// The rest of a step, a thread a cell: the two ends of a projection, what the mouse adds, and the
// yardstick for all of them.
#include "common/gpu/owners.cuh"
#include "cuda/kernels.cuh"

namespace device {

namespace {

__global__ void divergence_kernel(FieldView divergence, FieldView pressure, Flow flow) {
    const auto [i, j, k] = cell_of_thread();
    if (is_fluid(flow.u.N, i, j, k)) {
        divergence_cell(divergence, pressure, flow, i, j, k);
    }
}

__global__ void gradient_kernel(FlowView flow, ConstFieldView pressure) {
    const auto [i, j, k] = cell_of_thread();
    if (is_fluid(pressure.N, i, j, k)) {
        subtract_gradient_cell(flow, pressure, i, j, k);
    }
}

/// Moves 12 bytes a cell, as a sweep must, and does next to nothing with them. A float4 is four
/// floats that are read and written in one instruction; the last few go one by one.
__global__ void scale_kernel(float* x, const float* b, float k, int count) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * n + 3 < count) {
        float4 four = reinterpret_cast<float4*>(x)[n];
        const float4 more = reinterpret_cast<const float4*>(b)[n];
        four.x = k * four.x + more.x;
        four.y = k * four.y + more.y;
        four.z = k * four.z + more.z;
        four.w = k * four.w + more.w;
        reinterpret_cast<float4*>(x)[n] = four;
        return;
    }
    for (int m = 4 * n; m < count; ++m) {
        x[m] = k * x[m] + b[m];
    }
}

const dim3 block(32, 4, 2);

}  // namespace

void find_divergence(cudaStream_t stream, FieldView divergence, FieldView pressure,
                     const Flow& flow) {
    divergence_kernel<<<blocks_for(flow.u.N, block), block, 0, stream>>>(divergence, pressure,
                                                                         flow);
    CHECK_LAUNCH(divergence_kernel);
}

void subtract_gradient(cudaStream_t stream, FlowView flow, ConstFieldView pressure) {
    gradient_kernel<<<blocks_for(pressure.N, block), block, 0, stream>>>(flow, pressure);
    CHECK_LAUNCH(gradient_kernel);
}

void scale(cudaStream_t stream, float* x, const float* b, float k, int count) {
    const int threads = (count - 1) / 4 + 1;
    scale_kernel<<<(threads - 1) / 256 + 1, 256, 0, stream>>>(x, b, k, count);
    CHECK_LAUNCH(scale_kernel);
}

}  // namespace device
