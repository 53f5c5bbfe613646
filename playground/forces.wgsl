// What acts on the velocity: fingers, heat that rises, and whirls. Then the faces that are closed get the velocity of
// their body, or 0 at a wall, and the weights say which faces are open, as in chapter 19.
@group(1) @binding(0) var<storage, read_write> u: array<f32>;
@group(1) @binding(1) var<storage, read_write> v: array<f32>;
@group(1) @binding(2) var<storage, read_write> wx: array<f32>;
@group(1) @binding(3) var<storage, read_write> wy: array<f32>;
@group(1) @binding(4) var flow: texture_2d<f32>;  // u, v and the vorticity in the middle of each cell, a step ago
@group(1) @binding(5) var dye: texture_2d<f32>;

fn flow_at(cell: vec2i) -> vec4f {
    return textureLoad(flow, clamp(cell, vec2i(0), settings.size - 1), 0);
}

/// Pushes around the middle of each whirl (vorticity confinement: Fedkiw, Stam and Jensen 2001).
fn whirl(cell: vec2i) -> vec2f {
    let rise = vec2f(abs(flow_at(cell + vec2i(1, 0)).z) - abs(flow_at(cell - vec2i(1, 0)).z),
                     abs(flow_at(cell + vec2i(0, 1)).z) - abs(flow_at(cell - vec2i(0, 1)).z));
    let towards = rise / (length(rise) + 1e-4);
    return settings.swirl * flow_at(cell).z * vec2f(towards.y, -towards.x);
}

/// What a second would add to the velocity at a point, in cells, which lies in that cell.
fn force(point: vec2f, cell: vec2i) -> vec2f {
    let here = textureSampleLevel(dye, linear, point / vec2f(settings.size), 0.0);
    return whirl(cell) / f32(settings.size.y) - vec2f(0.0, settings.buoyancy * here.a);
}

/// What the fingers add.
fn push(point: vec2f) -> vec2f {
    var sum = vec2f(0.0);
    for (var n = 0; n < 16; n++) {
        sum += strength(splats[n], point / f32(settings.size.y)) * splats[n].push;
    }
    return sum;
}

/// The velocity of the body or wall that closes the face between two cells, along its axis, and 0; or 1 where the face
/// is open.
fn closed(before: vec2i, after: vec2i, axis: i32) -> vec2f {
    if (any(before < vec2i(0)) || any(after >= settings.size)) {
        return vec2f(0.0);
    }
    let one = body_at(vec2f(before) + 0.5);
    let other = body_at(vec2f(after) + 0.5);
    let body = max(one, other);
    if (body < 0) {
        return vec2f(0.0, 1.0);
    }
    return vec2f(bodies[body].velocity[axis], 0.0);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec2i(thread.xy);
    if (cell.x <= settings.size.x && cell.y < settings.size.y) {
        let point = vec2f(cell) + vec2f(0.0, 0.5);
        let face = closed(cell - vec2i(1, 0), cell, 0);
        let at = at_u(cell.x, cell.y);
        let free = u[at] + settings.dt * force(point, cell).x + push(point).x;
        u[at] = select(face.x, free, face.y > 0.0);
        wx[at] = face.y;
    }
    if (cell.x < settings.size.x && cell.y <= settings.size.y) {
        let point = vec2f(cell) + vec2f(0.5, 0.0);
        let face = closed(cell - vec2i(0, 1), cell, 1);
        let at = at_v(cell.x, cell.y);
        let free = v[at] + settings.dt * force(point, cell).y + push(point).y;
        v[at] = select(face.x, free, face.y > 0.0);
        wy[at] = face.y;
    }
}
