// Adds to x within a ball: what the mouse does.
struct Ball {
    centre: vec3f,  // in cells
    radius: f32,
    amount: f32,  // in the middle; it falls off towards the rim
}
@group(0) @binding(7) var<uniform> ball: Ball;

@compute @workgroup_size(32, 4, 2)
fn add(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    let off = distance(vec3f(cell), ball.centre) / ball.radius;
    if (off < 1.0 && is_fluid(cell.x, cell.y, cell.z)) {
        let share = (1.0 - off * off) * (1.0 - off * off);
        set_cell(cell.x, cell.y, cell.z, x[IX(cell.x, cell.y, cell.z)] + share * ball.amount);
    }
}
