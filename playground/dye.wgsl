// Carries the dye. Red, green and blue are its colour, and alpha is heat.
@group(1) @binding(0) var carried: texture_storage_2d<rgba16float, write>;
@group(1) @binding(1) var dye: texture_2d<f32>;
@group(1) @binding(2) var flow: texture_2d<f32>;

/// Where what flows to a place was: both from 0 to 1 across the picture.
fn departure(place: vec2f) -> vec2f {
    let shape = vec2f(f32(settings.size.y) / f32(settings.size.x), 1.0);  // a height, as a share of each side
    let middle = place - 0.5 * settings.dt * shape * textureSampleLevel(flow, linear, place, 0.0).xy;
    return place - settings.dt * shape * textureSampleLevel(flow, linear, middle, 0.0).xy;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    if (all(vec2i(thread.xy) < settings.dye_size)) {
        let place = (vec2f(thread.xy) + 0.5) / vec2f(settings.dye_size);
        textureStore(carried, thread.xy, textureSampleLevel(dye, linear, departure(place), 0.0));
    }
}
