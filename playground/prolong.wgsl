// Adds the correction of a block to each of its cells.
@group(1) @binding(1) var<storage, read_write> x: array<f32>;
@group(1) @binding(2) var<storage, read> coarse_x: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x);
    let j = i32(thread.y);
    if (i < level.size.x && j < level.size.y) {
        x[i + level.size.x * j] += level.boost * coarse_x[i / 2 + level.size.x / 2 * (j / 2)];
    }
}
