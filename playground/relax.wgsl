// Sets each cell of one colour to what its own equation asks for, as in chapter 22.
@group(1) @binding(1) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let j = i32(thread.y);
    let i = 2 * i32(thread.x) + ((j + level.colour) & 1);
    if (!is_in(i, j)) {
        return;
    }
    let weights = weights_of(i, j);
    let diagonal = weights.x + weights.y + weights.z + weights.w;
    if (diagonal > 0.0) {
        x[cell_of(i, j)] = (b[cell_of(i, j)] + dot(weights, neighbours_of(i, j))) / diagonal;
    }
}
