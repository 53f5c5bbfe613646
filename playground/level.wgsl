// A grid of the multigrid solver of chapter 15: the finest is the fluid's own, and each other one has a cell for a block
// of 2 x 2 cells of the one before. All have the same matrix, which two weights a cell describe.
struct Level {
    size: vec2i,
    colour: i32,
    boost: f32,  // a constant over a block bends too little: corrections are multiplied by this
}
@group(1) @binding(0) var<uniform> level: Level;

fn cell_of(i: i32, j: i32) -> i32 {
    return i + level.size.x * j;
}

fn is_in(i: i32, j: i32) -> bool {
    return i < level.size.x && j < level.size.y;
}
