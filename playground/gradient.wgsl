// Subtracts the pressure's gradient through each open face.
@group(1) @binding(0) var<storage, read_write> u: array<f32>;
@group(1) @binding(1) var<storage, read_write> v: array<f32>;
@group(1) @binding(2) var<storage, read> x: array<f32>;
@group(1) @binding(3) var<storage, read> wx: array<f32>;
@group(1) @binding(4) var<storage, read> wy: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x);
    let j = i32(thread.y);
    let here = i + settings.size.x * j;
    if (i > 0 && i < settings.size.x && j < settings.size.y) {
        u[at_u(i, j)] -= wx[at_u(i, j)] * (x[here] - x[here - 1]);
    }
    if (j > 0 && i < settings.size.x && j < settings.size.y) {
        v[at_v(i, j)] -= wy[at_v(i, j)] * (x[here] - x[here - settings.size.x]);
    }
}
