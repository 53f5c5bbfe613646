// Carries the velocity along itself: from u0 and v0 into u and v.
@group(1) @binding(0) var<storage, read_write> u: array<f32>;
@group(1) @binding(1) var<storage, read_write> v: array<f32>;
@group(1) @binding(2) var<storage, read> u0: array<f32>;
@group(1) @binding(3) var<storage, read> v0: array<f32>;

/// u0 at a point, in cells: the average of the four around it.
fn u_at(point: vec2f) -> f32 {
    let at = point - vec2f(0.0, 0.5);
    let first = vec2i(floor(at));
    let t = at - floor(at);
    let upper = mix(u0[at_u(first.x, first.y)], u0[at_u(first.x + 1, first.y)], t.x);
    let lower = mix(u0[at_u(first.x, first.y + 1)], u0[at_u(first.x + 1, first.y + 1)], t.x);
    return mix(upper, lower, t.y);
}

fn v_at(point: vec2f) -> f32 {
    let at = point - vec2f(0.5, 0.0);
    let first = vec2i(floor(at));
    let t = at - floor(at);
    let upper = mix(v0[at_v(first.x, first.y)], v0[at_v(first.x + 1, first.y)], t.x);
    let lower = mix(v0[at_v(first.x, first.y + 1)], v0[at_v(first.x + 1, first.y + 1)], t.x);
    return mix(upper, lower, t.y);
}

fn velocity_at(point: vec2f) -> vec2f {
    return vec2f(u_at(point), v_at(point));
}

/// Where what flows to a point was a step before. It asks for the velocity half way.
fn departure(point: vec2f) -> vec2f {
    let cells = settings.dt * f32(settings.size.y);
    let middle = point - 0.5 * cells * velocity_at(point);
    return clamp(point - cells * velocity_at(middle), vec2f(0.0), vec2f(settings.size));
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x);
    let j = i32(thread.y);
    if (i <= settings.size.x && j < settings.size.y) {
        u[at_u(i, j)] = u_at(departure(vec2f(f32(i), f32(j) + 0.5)));
    }
    if (i < settings.size.x && j <= settings.size.y) {
        v[at_v(i, j)] = v_at(departure(vec2f(f32(i) + 0.5, f32(j))));
    }
}
