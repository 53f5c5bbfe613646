// A grid of the multigrid solver of chapter 15: the finest is the fluid's own, and each other one has a cell for a block
// of 2 x 2 cells of the one before. Each has a matrix of its own, which one weight for each face describes.
struct Level {
    size: vec2i,
    colour: i32,
    boost: f32,  // over-correction, as in chapter 15: a coarser grid finds about half of what is missing
}
@group(1) @binding(0) var<uniform> level: Level;

fn cell_of(i: i32, j: i32) -> i32 {
    return i + level.size.x * j;
}

fn is_in(i: i32, j: i32) -> bool {
    return i < level.size.x && j < level.size.y;
}
