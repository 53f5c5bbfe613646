// Blurs a picture along one axis, a part of the glow around what is bright. The first time it also takes what is dark
// away, and looks at the dye, which is finer.
struct Blur {
    along: vec2f,  // from a pixel to the next, as a share of the picture
    least: f32,  // what is darker does not glow
    spare: f32,
}
@group(1) @binding(0) var<uniform> blur: Blur;
@group(1) @binding(1) var blurred: texture_storage_2d<rgba16float, write>;
@group(1) @binding(2) var picture: texture_2d<f32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let size = textureDimensions(blurred);
    if (any(thread.xy >= size)) {
        return;
    }
    let place = (vec2f(thread.xy) + 0.5) / vec2f(size);
    var sum = vec4f(0.0);
    for (var n = -6; n <= 6; n++) {
        let share = exp(-f32(n * n) / 12.0) / 6.1;
        let seen = textureSampleLevel(picture, linear, place + f32(n) * blur.along, 0.0);
        sum += share * max(seen - blur.least, vec4f(0.0));
    }
    textureStore(blurred, thread.xy, sum);
}
