// Step 3: a tile in workgroup memory. Both colours in one dispatch, from `guess` into another field, x.
@group(0) @binding(7) var<storage, read> guess: array<f32>;

const wide = 16;  // the tile's edge, with a rim of two cells on each side: 16^3 floats fill 16384 bytes
const rim = 2;
var<workgroup> tile: array<array<array<f32, wide>, wide>, wide>;

fn relax_in_tile(at: vec3i, cell: vec3i, colour: i32) {
    let to_rim = min(min(at.x, min(at.y, at.z)), wide - 1 - max(at.x, max(at.y, at.z)));
    if (to_rim > colour && is_fluid(cell.x, cell.y, cell.z) && colour_of(cell.x, cell.y, cell.z) == colour) {
        let neighbours = tile[at.z - 1][at.y][at.x] + tile[at.z + 1][at.y][at.x] + tile[at.z][at.y - 1][at.x] +
                         tile[at.z][at.y + 1][at.x] + tile[at.z][at.y][at.x + 1] + tile[at.z][at.y][at.x - 1];
        tile[at.z][at.y][at.x] = (x0[IX(cell.x, cell.y, cell.z)] + settings.a * neighbours) * settings.c_recip;
    }
}

// The 256 threads of a workgroup are a layer of the tile: each has a column of 16 cells.
@compute @workgroup_size(wide, wide, 1)
fn relax_tile(@builtin(local_invocation_id) thread: vec3u, @builtin(workgroup_id) group: vec3u) {
    let corner = vec3i(group) * (wide - 2 * rim) + 1 - rim;
    let column = vec3i(vec2i(thread.xy), 0);
    for (var z = 0; z < wide; z++) {
        let cell = corner + column + vec3i(0, 0, z);
        if (all(cell >= vec3i(0)) && all(cell < vec3i(settings.N))) {
            tile[z][column.y][column.x] = guess[IX(cell.x, cell.y, cell.z)];
        }
    }
    for (var colour = RED; colour <= BLACK; colour++) {
        workgroupBarrier();
        for (var z = 0; z < wide; z++) {
            relax_in_tile(column + vec3i(0, 0, z), corner + column + vec3i(0, 0, z), colour);
        }
    }
    for (var z = rim; z < wide - rim; z++) {
        let cell = corner + column + vec3i(0, 0, z);
        if (all(column.xy >= vec2i(rim)) && all(column.xy < vec2i(wide - rim)) && is_fluid(cell.x, cell.y, cell.z)) {
            set_cell(cell.x, cell.y, cell.z, tile[z][column.y][column.x]);
        }
    }
}
