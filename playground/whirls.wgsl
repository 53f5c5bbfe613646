// Gives back to the smoke the whirls that blur takes away (vorticity confinement: Fedkiw, Stam and Jensen 2001), and lets
// it rise. Compiled behind cells.wgsl: x is a component of the velocity, x0 the same as it was, and u, v and w the velocity
// as it was. `pressure` is bound to the dye.
struct Smoke {
    dt: f32,
    swirl: f32,
    lift: f32,  // how fast dye 1 rises, each second
    fade: f32,
}
@group(0) @binding(7) var<uniform> smoke: Smoke;

/// The velocity's vorticity, times twice the width of a cell. Beyond a wall, that of the nearest fluid cell.
fn vorticity_at(cell: vec3i) -> vec3f {
    let i = clamp(cell.x, 1, settings.N - 2);
    let j = clamp(cell.y, 1, settings.N - 2);
    let k = clamp(cell.z, 1, settings.N - 2);
    return vec3f(w[IX(i, j + 1, k)] - w[IX(i, j - 1, k)] - v[IX(i, j, k + 1)] + v[IX(i, j, k - 1)],
                 u[IX(i, j, k + 1)] - u[IX(i, j, k - 1)] - w[IX(i + 1, j, k)] + w[IX(i - 1, j, k)],
                 v[IX(i + 1, j, k)] - v[IX(i - 1, j, k)] - u[IX(i, j + 1, k)] + u[IX(i, j - 1, k)]);
}

@compute @workgroup_size(32, 4, 2)
fn whirls(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (!is_fluid(cell.x, cell.y, cell.z)) {
        return;
    }
    let rise = vec3f(length(vorticity_at(cell + vec3i(1, 0, 0))) - length(vorticity_at(cell - vec3i(1, 0, 0))),
                     length(vorticity_at(cell + vec3i(0, 1, 0))) - length(vorticity_at(cell - vec3i(0, 1, 0))),
                     length(vorticity_at(cell + vec3i(0, 0, 1))) - length(vorticity_at(cell - vec3i(0, 0, 1))));
    let here = IX(cell.x, cell.y, cell.z);
    var force = 0.5 * smoke.swirl * cross(rise / (length(rise) + 1e-5), vorticity_at(cell));
    force.y -= smoke.lift * pressure[here];
    set_cell(cell.x, cell.y, cell.z, x0[here] + smoke.dt * force[settings.boundary - VELOCITY_HORIZONTAL]);
}
