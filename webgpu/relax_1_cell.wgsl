// Step 1: a thread for each cell. Half of the threads find that their cell has the other colour.
@compute @workgroup_size(32, 4, 2)
fn relax_cell(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z) && colour_of(cell.x, cell.y, cell.z) == settings.colour) {
        set_cell(cell.x, cell.y, cell.z, relaxed_at(cell.x, cell.y, cell.z));
    }
}
