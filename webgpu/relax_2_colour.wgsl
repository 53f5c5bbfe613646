// Step 2: threads only for one colour. A row needs half as many threads as cells.
@compute @workgroup_size(32, 4, 2)
fn relax_colour(@builtin(global_invocation_id) thread: vec3u) {
    let j = i32(thread.y) + 1;
    let k = i32(thread.z) + 1;
    let first = select(2, 1, colour_of(1, j, k) == settings.colour);  // where the colour begins in this row
    let i = 2 * i32(thread.x) + first;
    if (is_fluid(i, j, k)) {
        set_cell(i, j, k, relaxed_at(i, j, k));
    }
}
