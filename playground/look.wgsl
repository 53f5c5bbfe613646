// Draws the dye: its colour, light that falls on it from the upper left, what glows, and the bodies.
struct Body {
    centre: vec2f,
    velocity: vec2f,
    radius: f32,
    spare_1: f32,
    spare_2: f32,
    spare_3: f32,
}

struct Look {
    aspect: f32,
    height: f32,  // of the picture in pixels
    relief: f32,  // how much the dye looks like something with a surface
    glow: f32,
    fire: f32,  // 1: heat is drawn as fire
    paper: f32,  // 1: ink on paper; 0: light in the dark
    spare_1: f32,
    spare_2: f32,
}

@group(0) @binding(0) var<uniform> look: Look;
@group(0) @binding(1) var<uniform> bodies: array<Body, 8>;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var dye: texture_2d<f32>;
@group(0) @binding(4) var glow: texture_2d<f32>;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,
}

@vertex
fn corner(@builtin(vertex_index) number: u32) -> Corner {
    let place = vec2f(f32(number & 1u) * 4.0 - 1.0, f32(number >> 1u) * 4.0 - 1.0);
    return Corner(vec4f(place.x, -place.y, 0.0, 1.0), 0.5 + 0.5 * place);
}

fn brightness(colour: vec4f) -> f32 {
    return dot(colour.rgb, vec3f(0.30, 0.45, 0.25)) + 0.6 * colour.a * look.fire;
}

fn dye_at(place: vec2f) -> vec4f {
    return textureSampleLevel(dye, linear, place, 0.0);
}

/// The colour of a hot gas: from a dark red to a white that is a little yellow.
fn fire(heat: f32) -> vec3f {
    let h = clamp(heat, 0.0, 3.0);
    return vec3f(1.8 * pow(h, 1.2), 0.75 * pow(h, 2.0), 0.22 * pow(h, 3.2));
}

/// What makes a picture of bright light look as film has it (a fit by Narkowicz, 2015, to the ACES curve).
fn on_film(light: vec3f) -> vec3f {
    return clamp(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14), vec3f(0.0), vec3f(1.0));
}

/// How the surface of the dye is turned at that place, as a normal.
fn normal_at(place: vec2f) -> vec3f {
    let pixel = vec2f(1.0 / look.aspect, 1.0) / f32(textureDimensions(dye).y);
    let across = brightness(dye_at(place + vec2f(pixel.x, 0.0))) - brightness(dye_at(place - vec2f(pixel.x, 0.0)));
    let down = brightness(dye_at(place + vec2f(0.0, pixel.y))) - brightness(dye_at(place - vec2f(0.0, pixel.y)));
    return normalize(vec3f(-look.relief * vec2f(across, down), 1.0));
}

fn light_of_dye(place: vec2f) -> vec3f {
    let here = dye_at(place);
    let normal = normal_at(place);
    let towards = normalize(vec3f(-0.45, -0.6, 0.75));
    let lit = 0.62 + 0.5 * max(dot(normal, towards), 0.0);
    let shine = pow(max(dot(reflect(-towards, normal), vec3f(0.0, 0.0, 1.0)), 0.0), 24.0);
    let glowing = textureSampleLevel(glow, linear, place, 0.0);
    let body = here.rgb * lit + 0.25 * shine * min(brightness(here), 1.0);
    return body + look.glow * glowing.rgb + look.fire * (fire(here.a) + 0.5 * look.glow * fire(1.4 * glowing.a));
}

/// A ball that is lit like the dye, and the share of the pixel that it covers.
fn body_at(place: vec2f) -> vec4f {
    let at = place * vec2f(look.aspect, 1.0);
    for (var n = 0; n < 8; n++) {
        let off = (at - bodies[n].centre) / max(bodies[n].radius, 1e-6);
        let far = length(off);
        let covered = clamp((1.0 - far) * bodies[n].radius * look.height + 0.5, 0.0, 1.0);
        if (bodies[n].radius > 0.0 && covered > 0.0) {
            let normal = vec3f(off, sqrt(max(1.0 - far * far, 0.0)));
            let light = max(dot(normal, normalize(vec3f(-0.45, -0.6, 0.75))), 0.0);
            let rim = pow(1.0 - normal.z, 3.0);
            let shine = pow(max(dot(reflect(-normalize(vec3f(-0.45, -0.6, 0.75)), normal), vec3f(0.0, 0.0, 1.0)), 0.0), 30.0);
            let around = textureSampleLevel(glow, linear, place + 0.03 * off, 0.0).rgb;
            return vec4f(vec3f(0.035, 0.04, 0.05) + 0.16 * light + 0.5 * shine + rim * (0.08 + 1.5 * around), covered);
        }
    }
    return vec4f(0.0);
}

@fragment
fn draw(pixel: Corner) -> @location(0) vec4f {
    let off = pixel.place - 0.5;
    let ground = mix(vec3f(0.010, 0.011, 0.020), vec3f(0.002, 0.002, 0.005), 2.2 * dot(off, off));
    var light = ground + light_of_dye(pixel.place);
    if (look.paper > 0.5) {  // ink takes away the light that is not of its colour
        let here = dye_at(pixel.place).rgb;
        let taken = dot(here, vec3f(1.0)) - here;
        light = vec3f(1.35, 1.29, 1.17) * exp(-1.1 * taken) * (0.75 + 0.3 * normal_at(pixel.place).z);
    }
    let body = body_at(pixel.place);
    light = mix(light, body.rgb, body.a);
    let grain = fract(52.9829189 * fract(dot(pixel.position.xy, vec2f(0.06711056, 0.00583715)))) - 0.5;
    return vec4f(pow(on_film(light), vec3f(1.0 / 2.2)) + grain / 200.0, 1.0);
}
