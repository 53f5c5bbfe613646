// The worked answers of 24_webgpu's exercises.

/// Over-relaxation: the cell goes `omega` times as far as its equation asks, 1 <= omega < 2.
fn over_relaxed_at(i: i32, j: i32, k: i32, omega: f32) -> f32 {
    let old = x[IX(i, j, k)];
    return old + omega * (relaxed_at(i, j, k) - old);
}

/// A number for each thread of a workgroup, and where all threads can read it.
var<workgroup> partial: array<f32, 256>;

/// Returns the sum of what the 256 threads of a workgroup hand in. In each round, half of the threads add the numbers
/// of the other half to their own.
fn sum_of_workgroup(own: f32, thread: u32) -> f32 {
    partial[thread] = own;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (thread < half) {
            partial[thread] += partial[thread + half];
        }
    }
    workgroupBarrier();
    return partial[0];
}
