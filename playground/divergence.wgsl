// The right-hand side of the pressure's equations: what flows into each cell, through all of its faces.
@group(1) @binding(0) var<storage, read_write> b: array<f32>;
@group(1) @binding(1) var<storage, read> u: array<f32>;
@group(1) @binding(2) var<storage, read> v: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x);
    let j = i32(thread.y);
    if (i < settings.size.x && j < settings.size.y) {
        b[i + settings.size.x * j] = u[at_u(i, j)] - u[at_u(i + 1, j)] + v[at_v(i, j)] - v[at_v(i, j + 1)];
    }
}
