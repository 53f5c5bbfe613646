// The weight of a coarse face: the sum of the weights of the two fine faces that it is made of. `level` is the coarse one.
@group(1) @binding(1) var<storage, read> wx: array<f32>;
@group(1) @binding(2) var<storage, read> wy: array<f32>;
@group(1) @binding(3) var<storage, read_write> coarse_wx: array<f32>;
@group(1) @binding(4) var<storage, read_write> coarse_wy: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x);
    let j = i32(thread.y);
    let wide = 2 * level.size.x;  // of the fine grid
    if (i <= level.size.x && j < level.size.y) {
        let fine = 2 * i + (wide + 1) * 2 * j;
        coarse_wx[i + (level.size.x + 1) * j] = wx[fine] + wx[fine + wide + 1];
    }
    if (i < level.size.x && j <= level.size.y) {
        let fine = 2 * i + wide * 2 * j;
        coarse_wy[i + level.size.x * j] = wy[fine] + wy[fine + 1];
    }
}
