// The equations of a level: x is what is looked for, and b the right-hand side.
@group(1) @binding(2) var<storage, read> b: array<f32>;
@group(1) @binding(3) var<storage, read> wx: array<f32>;
@group(1) @binding(4) var<storage, read> wy: array<f32>;

/// The weights of the left, the right, the upper and the lower face of a cell.
fn weights_of(i: i32, j: i32) -> vec4f {
    let left = i + (level.size.x + 1) * j;
    return vec4f(wx[left], wx[left + 1], wy[cell_of(i, j)], wy[cell_of(i, j + 1)]);
}

/// The four neighbours in x. Beyond a side the weight is 0, so it does not matter what is read there.
fn neighbours_of(i: i32, j: i32) -> vec4f {
    let last = level.size.x * level.size.y - 1;
    return vec4f(x[max(cell_of(i - 1, j), 0)], x[min(cell_of(i + 1, j), last)], x[max(cell_of(i, j - 1), 0)],
                 x[min(cell_of(i, j + 1), last)]);
}
