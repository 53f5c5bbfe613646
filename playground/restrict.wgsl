// Adds up the residuals of each block: the right-hand side of the next coarser grid, whose first guess is 0.
@group(1) @binding(1) var<storage, read> x: array<f32>;
@group(1) @binding(5) var<storage, read_write> coarse_b: array<f32>;
@group(1) @binding(6) var<storage, read_write> coarse_x: array<f32>;

fn residual(i: i32, j: i32) -> f32 {
    let here = x[cell_of(i, j)];
    return b[cell_of(i, j)] - dot(weights_of(i, j), here - neighbours_of(i, j));
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = 2 * i32(thread.x);
    let j = 2 * i32(thread.y);
    if (is_in(i, j)) {
        let coarse = i / 2 + level.size.x / 2 * (j / 2);
        coarse_b[coarse] = residual(i, j) + residual(i + 1, j) + residual(i, j + 1) + residual(i + 1, j + 1);
        coarse_x[coarse] = 0.0;
    }
}
