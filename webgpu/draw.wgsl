// Draws the cube: a ray for each pixel walks through the dye and adds up the light that comes from there.
struct View {
    eye: vec3f,  // where the camera stands; the cube is from 0 to 1 along each axis, y points down
    steps: f32,  // of a ray through the cube
    right: vec3f,  // the camera's axes, unit vectors
    aspect: f32,  // the picture's width over its height
    down: vec3f,
    zoom: f32,
    forward: vec3f,
    opacity: f32,  // of a domain width of dye 1
    deep: vec4f,  // dye in the shade
    bright: vec4f,  // dye in the light
    thin: vec4f,  // where there is little of it
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var volume: texture_3d<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,  // from -1 to 1, y down
}

/// A triangle that covers the picture.
@vertex
fn corner(@builtin(vertex_index) number: u32) -> Corner {
    let place = vec2f(f32(number & 1u) * 4.0 - 1.0, f32(number >> 1u) * 4.0 - 1.0);
    return Corner(vec4f(place.x, -place.y, 0.0, 1.0), place);
}

/// The colour of that much dye, in that much light.
fn colour_of_dye(dye: f32, light: f32) -> vec3f {
    let body = mix(view.deep.rgb, view.bright.rgb, 0.1 + 0.9 * light);
    return mix(view.thin.rgb * (0.25 + 0.75 * light), body, smoothstep(0.0, 0.5, dye));
}

/// Where the ray enters the cube and where it leaves it, as distances from the eye.
fn crossing(origin: vec3f, direction: vec3f) -> vec2f {
    let one = (vec3f(0.0) - origin) / direction;
    let other = (vec3f(1.0) - origin) / direction;
    let first = min(one, other);
    let last = max(one, other);
    return vec2f(max(max(first.x, first.y), max(first.z, 0.0)), min(last.x, min(last.y, last.z)));
}

/// How much of an edge of the cube is seen at that point of its surface, from 0 to 1.
fn edge_at(point: vec3f) -> f32 {
    let to_side = min(point, 1.0 - point);
    let least = min(to_side.x, min(to_side.y, to_side.z));
    let most = max(to_side.x, max(to_side.y, to_side.z));
    let middle = to_side.x + to_side.y + to_side.z - least - most;  // 0 on an edge
    return 1.0 - smoothstep(0.001, 0.006, middle);
}

@fragment
fn draw(pixel: Corner) -> @location(0) vec4f {
    let across = pixel.place * vec2f(view.aspect, 1.0) / view.zoom;
    let direction = normalize(view.forward + across.x * view.right + across.y * view.down);
    var colour = mix(vec3f(0.020, 0.024, 0.040), vec3f(0.003, 0.004, 0.008), length(pixel.place) * 0.7);
    let between = crossing(view.eye, direction);
    if (between.y <= between.x) {
        return vec4f(pow(colour, vec3f(1.0 / 2.2)), 1.0);
    }
    let stride = 1.7321 / view.steps;
    let jitter = fract(52.9829189 * fract(dot(pixel.position.xy, vec2f(0.06711056, 0.00583715))));
    var through = 1.0;
    var seen = vec3f(0.0);
    for (var at = between.x + jitter * stride; at < between.y; at += stride) {
        let sample = textureSampleLevel(volume, smooth_sampler, view.eye + at * direction, 0.0);
        let stopped = 1.0 - exp(-view.opacity * max(sample.r, 0.0) * stride);
        seen += through * stopped * colour_of_dye(sample.r, sample.g);
        through *= 1.0 - stopped;
        if (through < 0.01) {
            break;
        }
    }
    let behind = colour + 0.10 * edge_at(view.eye + between.y * direction);
    colour = seen * 1.15 + through * behind + 0.05 * edge_at(view.eye + between.x * direction);
    return vec4f(pow(colour, vec3f(1.0 / 2.2)), 1.0);
}
