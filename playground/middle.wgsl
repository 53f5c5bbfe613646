// The velocity in the middle of each cell, and its vorticity, as a texture: the dye is carried by it.
@group(1) @binding(0) var flow: texture_storage_2d<rgba16float, write>;
@group(1) @binding(1) var<storage, read> u: array<f32>;
@group(1) @binding(2) var<storage, read> v: array<f32>;

/// u in the middle of a cell: the mean of its left and its right face.
fn middle_u(i: i32, j: i32) -> f32 {
    return 0.5 * (u[at_u(i, j)] + u[at_u(i + 1, j)]);
}

/// v in the middle of a cell: the mean of its upper and its lower face.
fn middle_v(i: i32, j: i32) -> f32 {
    return 0.5 * (v[at_v(i, j)] + v[at_v(i, j + 1)]);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x);
    let j = i32(thread.y);
    if (i < settings.size.x && j < settings.size.y) {
        let turn = middle_v(i + 1, j) - middle_v(i - 1, j) - middle_u(i, j + 1) + middle_u(i, j - 1);
        let vorticity = 0.5 * f32(settings.size.y) * turn;
        textureStore(flow, vec2i(i, j), vec4f(middle_u(i, j), middle_v(i, j), vorticity, 1.0));
    }
}
