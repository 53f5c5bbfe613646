// Corrects what dye.wgsl has carried by what it would carry back, as in chapter 16, and adds what the fingers bring.
@group(1) @binding(0) var corrected: texture_storage_2d<rgba16float, write>;
@group(1) @binding(1) var carried: texture_2d<f32>;
@group(1) @binding(2) var dye: texture_2d<f32>;
@group(1) @binding(3) var flow: texture_2d<f32>;

fn way(place: vec2f, dt: f32) -> vec2f {
    let shape = vec2f(f32(settings.size.y) / f32(settings.size.x), 1.0);
    let middle = place + 0.5 * dt * shape * textureSampleLevel(flow, linear, place, 0.0).xy;
    return place + dt * shape * textureSampleLevel(flow, linear, middle, 0.0).xy;
}

/// The correction, but no more and no less than the four cells that the dye came from.
fn sharpened(place: vec2f, carried_here: vec4f, cell: vec2i) -> vec4f {
    let back = textureSampleLevel(carried, linear, way(place, settings.dt), 0.0);
    let wanted = carried_here + 0.5 * (textureLoad(dye, cell, 0) - back);
    let first = vec2i(floor(way(place, -settings.dt) * vec2f(settings.dye_size) - 0.5));
    let last = settings.dye_size - 1;
    let a = textureLoad(dye, clamp(first, vec2i(0), last), 0);
    let b = textureLoad(dye, clamp(first + vec2i(1, 0), vec2i(0), last), 0);
    let c = textureLoad(dye, clamp(first + vec2i(0, 1), vec2i(0), last), 0);
    let d = textureLoad(dye, clamp(first + vec2i(1, 1), vec2i(0), last), 0);
    return clamp(wanted, min(min(a, b), min(c, d)), max(max(a, b), max(c, d)));
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec2i(thread.xy);
    if (any(cell >= settings.dye_size)) {
        return;
    }
    let place = (vec2f(cell) + 0.5) / vec2f(settings.dye_size);
    var here = sharpened(place, textureLoad(carried, cell, 0), cell);
    here *= vec4f(vec3f(pow(settings.fade, settings.dt)), pow(settings.cooling, settings.dt));
    let in_heights = place * vec2f(settings.size) / f32(settings.size.y);
    for (var n = 0; n < 16; n++) {
        let share = strength(splats[n], in_heights);
        here += share * vec4f(splats[n].colour.rgb, splats[n].heat);
    }
    if (body_at(place * vec2f(settings.size)) >= 0) {
        here = vec4f(0.0);
    }
    textureStore(corrected, cell, clamp(here, vec4f(0.0), vec4f(12.0)));
}
