// Subtracts the pressure's gradient from a component of the velocity, which is x: settings.boundary says which.
@compute @workgroup_size(32, 4, 2)
fn gradient(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z)) {
        let along = gradient_at(cell.x, cell.y, cell.z)[settings.boundary - VELOCITY_HORIZONTAL];
        set_cell(cell.x, cell.y, cell.z, x[IX(cell.x, cell.y, cell.z)] - along);
    }
}
