// What all kernels of the playground's flow know. The fluid is 1 high; its cells are squares, and y points down.
// u lies on the left face of each cell and v on the upper one, as in chapter 11.

struct Settings {
    size: vec2i,  // cells
    dye_size: vec2i,  // cells of the dye, which are smaller
    dt: f32,
    swirl: f32,  // how much of the whirls that blur takes away is given back
    fade: f32,  // the share of the dye that stays, each second
    cooling: f32,  // the share of the heat that stays, each second
    buoyancy: f32,  // how fast heat 1 rises, each second
}

struct Body {
    centre: vec2f,
    velocity: vec2f,
    radius: f32,
    spare_1: f32,
    spare_2: f32,
    spare_3: f32,
}

/// A finger, from where it was to where it is.
struct Splat {
    from_to: vec4f,
    push: vec2f,
    radius: f32,
    heat: f32,
    colour: vec4f,  // added to the dye
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<uniform> bodies: array<Body, 8>;  // a radius of 0: there is none
@group(0) @binding(2) var<uniform> splats: array<Splat, 16>;  // likewise
@group(0) @binding(3) var linear: sampler;

/// Where u of face (i, j) lies in its buffer: i from 0 to the width. Outside, the nearest.
fn at_u(i: i32, j: i32) -> i32 {
    return clamp(i, 0, settings.size.x) + (settings.size.x + 1) * clamp(j, 0, settings.size.y - 1);
}

/// The same for v: j from 0 to the height.
fn at_v(i: i32, j: i32) -> i32 {
    return clamp(i, 0, settings.size.x - 1) + settings.size.x * clamp(j, 0, settings.size.y);
}

/// The number of the body that covers that point, in cells, or -1.
fn body_at(point: vec2f) -> i32 {
    let place = point / f32(settings.size.y);
    for (var n = 0; n < 8; n++) {
        if (distance(place, bodies[n].centre) < bodies[n].radius) {
            return n;
        }
    }
    return -1;
}

/// How strongly a splat acts at that place: 1 along its line.
fn strength(splat: Splat, place: vec2f) -> f32 {
    if (splat.radius <= 0.0) {
        return 0.0;
    }
    let along = splat.from_to.zw - splat.from_to.xy;
    let share = clamp(dot(place - splat.from_to.xy, along) / max(dot(along, along), 1e-9), 0.0, 1.0);
    let off = distance(place, splat.from_to.xy + share * along) / splat.radius;
    return exp(-off * off);
}
