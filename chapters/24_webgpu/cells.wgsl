// The functions of one cell, as chapter 22's solver.hpp has them, in WGSL, the language of WebGPU.
// Each kernel in webgpu/ is compiled together with this file.

/// What a kernel is told when it is dispatched: lin_solve's and advect's arguments.
struct Settings {
    N: i32,  // cells along each edge, walls included
    boundary: i32,  // what x holds: SCALAR, or one of the three velocities
    colour: i32,  // RED or BLACK: the cells that a dispatch relaxes
    dt0: f32,  // a velocity of 1 crosses so many cells in this step
    a: f32,
    c_recip: f32,
};

@group(0) @binding(0) var<uniform> settings: Settings;

// The fields. These are names: a bind group says which buffer each of them is, anew for each dispatch.
@group(0) @binding(1) var<storage, read_write> x: array<f32>;  // the field that a kernel writes
@group(0) @binding(2) var<storage, read> x0: array<f32>;  // the field that it starts from
@group(0) @binding(3) var<storage, read> u: array<f32>;
@group(0) @binding(4) var<storage, read> v: array<f32>;
@group(0) @binding(5) var<storage, read> w: array<f32>;
@group(0) @binding(6) var<storage, read> pressure: array<f32>;

// What x holds, as BoundaryType has it.
const SCALAR = 0;
const VELOCITY_HORIZONTAL = 1;
const VELOCITY_VERTICAL = 2;
const VELOCITY_DEPTH = 3;

// The colours of a chessboard in three dimensions.
const RED = 0;
const BLACK = 1;

/// Where cell (i, j, k) lies in a field.
fn IX(i: i32, j: i32, k: i32) -> i32 {
    return i + settings.N * (j + settings.N * k);
}

/// Returns whether (i, j, k) is one of the (N - 2)^3 cells that hold fluid.
fn is_fluid(i: i32, j: i32, k: i32) -> bool {
    let last = settings.N - 2;
    return 1 <= i && i <= last && 1 <= j && j <= last && 1 <= k && k <= last;
}

/// Returns what a wall cell holds if the fluid cell nearest to it holds `value`. The wall cell lies
/// in the left or right wall (in_i), the upper or lower one (in_j), the front or back one (in_k),
/// or where two or three of them meet.
fn mirrored(value: f32, in_i: bool, in_j: bool, in_k: bool) -> f32 {
    let across = select(value, -value, settings.boundary == VELOCITY_HORIZONTAL);
    let down = select(value, -value, settings.boundary == VELOCITY_VERTICAL);
    let away = select(value, -value, settings.boundary == VELOCITY_DEPTH);
    var sum = 0.0;
    var count = 0.0;
    if (in_i) {
        sum += across;
        count += 1.0;
    }
    if (in_j) {
        sum += down;
        count += 1.0;
    }
    if (in_k) {
        sum += away;
        count += 1.0;
    }
    return sum / count;
}

/// Sets the fluid cell (i, j, k) of x, and with it the wall cells that mirror it. These are the wall
/// cells to which no other fluid cell is nearer. So no pass over the walls has to follow.
fn set_cell(i: i32, j: i32, k: i32, value: f32) {
    x[IX(i, j, k)] = value;
    let cell = vec3i(i, j, k);
    let last = settings.N - 2;
    let begin = select(cell, cell - 1, cell == vec3i(1));
    let end = select(cell, cell + 1, cell == vec3i(last));
    for (var c = begin.z; c <= end.z; c++) {
        for (var b = begin.y; b <= end.y; b++) {
            for (var a = begin.x; a <= end.x; a++) {
                if (!is_fluid(a, b, c)) {
                    x[IX(a, b, c)] = mirrored(value, a != i, b != j, c != k);
                }
            }
        }
    }
}

/// The eight cells around a point, and how much each counts there.
struct Source {
    i0: i32,  // the upper left of the front four; the others are one right, below, behind
    j0: i32,
    k0: i32,
    s0: f32,  // weights of left and right, upper and lower, front and back
    s1: f32,
    t0: f32,
    t1: f32,
    u0: f32,
    u1: f32,
};

/// Finds what surrounds the point (x, y, z), measured in cells, so that (7, 4, 2) is the centre of
/// cell (7, 4, 2). A point beyond a wall is first pulled in to that wall's inner face.
fn source_at(x: f32, y: f32, z: f32) -> Source {
    let most = f32(settings.N) - 1.5;
    let inside = clamp(vec3f(x, y, z), vec3f(0.5), vec3f(most));
    let first = vec3i(inside);
    let after = inside - vec3f(first);
    let before = 1.0 - after;
    return Source(first.x, first.y, first.z, before.x, after.x, before.y, after.y, before.z, after.z);
}

/// Returns the average of the eight cells of x0, each with its weight.
fn interpolate(source: Source) -> f32 {
    let i = source.i0;
    let j = source.j0;
    let k = source.k0;
    let upper_front = source.s0 * x0[IX(i, j, k)] + source.s1 * x0[IX(i + 1, j, k)];
    let lower_front = source.s0 * x0[IX(i, j + 1, k)] + source.s1 * x0[IX(i + 1, j + 1, k)];
    let upper_back = source.s0 * x0[IX(i, j, k + 1)] + source.s1 * x0[IX(i + 1, j, k + 1)];
    let lower_back = source.s0 * x0[IX(i, j + 1, k + 1)] + source.s1 * x0[IX(i + 1, j + 1, k + 1)];
    let front = source.t0 * upper_front + source.t1 * lower_front;
    let back = source.t0 * upper_back + source.t1 * lower_back;
    return source.u0 * front + source.u1 * back;
}

/// Finds the departure point of what the flow brings into cell (i, j, k).
fn departure_at(i: i32, j: i32, k: i32) -> Source {
    let here = IX(i, j, k);
    return source_at(f32(i) - settings.dt0 * u[here], f32(j) - settings.dt0 * v[here],
                     f32(k) - settings.dt0 * w[here]);
}

/// Returns the sum of the six neighbours of cell (i, j, k) of x.
fn neighbours_at(i: i32, j: i32, k: i32) -> f32 {
    return x[IX(i, j, k - 1)] + x[IX(i, j, k + 1)] + x[IX(i, j - 1, k)] + x[IX(i, j + 1, k)] +
           x[IX(i + 1, j, k)] + x[IX(i - 1, j, k)];
}

/// Returns the colour of cell (i, j, k): RED where i + j + k is even, else BLACK.
fn colour_of(i: i32, j: i32, k: i32) -> i32 {
    return (i + j + k) % 2;
}

/// Returns what cell (i, j, k)'s own equation asks for: (x0 + a times its neighbours in x) / c.
fn relaxed_at(i: i32, j: i32, k: i32) -> f32 {
    return (x0[IX(i, j, k)] + settings.a * neighbours_at(i, j, k)) * settings.c_recip;
}

/// How much more flows out of cell (i, j, k) than into it, per second.
fn divergence_at(i: i32, j: i32, k: i32) -> f32 {
    let h = 1.0 / f32(settings.N - 2);  // the width of a cell, in domain widths
    return (u[IX(i + 1, j, k)] - u[IX(i - 1, j, k)] + v[IX(i, j + 1, k)] - v[IX(i, j - 1, k)] +
            w[IX(i, j, k + 1)] - w[IX(i, j, k - 1)]) / (2.0 * h);
}

/// Returns how fast the pressure rises at cell (i, j, k) along the three axes.
fn gradient_at(i: i32, j: i32, k: i32) -> vec3f {
    let h = 1.0 / f32(settings.N - 2);
    return vec3f(pressure[IX(i + 1, j, k)] - pressure[IX(i - 1, j, k)],
                 pressure[IX(i, j + 1, k)] - pressure[IX(i, j - 1, k)],
                 pressure[IX(i, j, k + 1)] - pressure[IX(i, j, k - 1)]) / (2.0 * h);
}
