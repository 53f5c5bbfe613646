// Lets the smoke thin out: x is multiplied by what is left of it after the step. Compiled behind cells.wgsl.
struct Smoke {
    dt: f32,
    swirl: f32,
    lift: f32,
    fade: f32,
}
@group(0) @binding(7) var<uniform> smoke: Smoke;

@compute @workgroup_size(32, 4, 2)
fn thin(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z)) {
        set_cell(cell.x, cell.y, cell.z, min(x[IX(cell.x, cell.y, cell.z)], 4.0) * pow(smoke.fade, smoke.dt));
    }
}
