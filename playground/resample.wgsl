// Begins on another grid: velocity and dye are those of the old one.
@group(1) @binding(0) var<storage, read_write> u: array<f32>;
@group(1) @binding(1) var<storage, read_write> v: array<f32>;
@group(1) @binding(2) var new_dye: texture_storage_2d<rgba16float, write>;
@group(1) @binding(3) var flow: texture_2d<f32>;
@group(1) @binding(4) var dye: texture_2d<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec2i(thread.xy);
    if (cell.x <= settings.size.x && cell.y < settings.size.y) {
        let place = (vec2f(cell) + vec2f(0.0, 0.5)) / vec2f(settings.size);
        u[at_u(cell.x, cell.y)] = textureSampleLevel(flow, linear, place, 0.0).x;
    }
    if (cell.x < settings.size.x && cell.y <= settings.size.y) {
        let place = (vec2f(cell) + vec2f(0.5, 0.0)) / vec2f(settings.size);
        v[at_v(cell.x, cell.y)] = textureSampleLevel(flow, linear, place, 0.0).y;
    }
    if (all(cell < settings.dye_size)) {
        let place = (vec2f(cell) + 0.5) / vec2f(settings.dye_size);
        textureStore(new_dye, cell, textureSampleLevel(dye, linear, place, 0.0));
    }
}
