// Fills x with the right-hand side of the pressure's equations: -h h times the divergence of the flow.
@compute @workgroup_size(32, 4, 2)
fn divergence(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z)) {
        let h = 1.0 / f32(settings.N - 2);
        set_cell(cell.x, cell.y, cell.z, -h * h * divergence_at(cell.x, cell.y, cell.z));
    }
}
