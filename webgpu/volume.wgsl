// Fills a texture that the picture is drawn from: in each cell its dye, and the light that reaches it from above.
@group(0) @binding(7) var volume: texture_storage_3d<rgba16float, write>;

const to_light = vec3f(-0.35, -0.85, -0.4);  // a unit vector: up is towards smaller j
const density_of_shadow = 24.0;  // a domain width of dye 1 lets exp(-24) of the light through

/// The light that the dye between this cell and the light leaves, from 0 to 1.
fn light_at(cell: vec3i) -> f32 {
    let stride = max(f32(settings.N) / 40.0, 1.0);  // in cells
    var depth = 0.0;
    var at = vec3f(cell) + stride * to_light;
    while (is_fluid(i32(at.x), i32(at.y), i32(at.z))) {
        depth += x0[IX(i32(at.x), i32(at.y), i32(at.z))];
        at += stride * to_light;
    }
    return exp(-density_of_shadow * depth * stride / f32(settings.N - 2));
}

@compute @workgroup_size(8, 8, 4)
fn fill_volume(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z)) {
        let dye = x0[IX(cell.x, cell.y, cell.z)];
        textureStore(volume, cell - 1, vec4f(dye, light_at(cell), 0.0, 1.0));
    }
}
