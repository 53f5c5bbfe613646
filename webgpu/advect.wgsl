// Carries x0 along the flow into x: a thread for each cell.
@compute @workgroup_size(32, 4, 2)
fn advect(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z)) {
        set_cell(cell.x, cell.y, cell.z, interpolate(departure_at(cell.x, cell.y, cell.z)));
    }
}
