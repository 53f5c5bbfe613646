// The whole fluid, as far as this chapter has built it, in one header that needs nothing but the
// standard library. Names follow Stam's paper and the Godot tutorial.
#pragma once

#include <cassert>
#include <cmath>
#include <vector>

/// One number for every cell of a square of N x N fluid cells inside a border of wall cells.
///
/// Cells are addressed as in the tutorial: i runs right and j runs down, 1..N are fluid,
/// 0 and N+1 are wall. They lie row after row in one array. N must be at least 1.
struct Field {
    int N;
    std::vector<float> cells;

    explicit Field(int n) : N(n), cells((n + 2) * (n + 2), 0.0f) {}

    /// Where cell (i, j) lies in the array. Asserts that it exists: i and j go from 0 to N + 1.
    int IX(int i, int j) const {
        assert(0 <= i && i <= N + 1 && 0 <= j && j <= N + 1);
        return i + (N + 2) * j;
    }
    float& operator()(int i, int j) { return cells[IX(i, j)]; }
    float operator()(int i, int j) const { return cells[IX(i, j)]; }
};

/// The state of the fluid, and its parameters.
struct Fluid {
    Field density;  ///< how much dye a cell holds: 0 is none, 1 is shown full, more is allowed

    explicit Fluid(int n) : density(n) {}
};

/// Names a cell by its column and its row. It may lie in a wall, or outside.
struct Cell {
    int i, j;
};

/// The cell under the mouse at (x, y), in pixels from the grid's upper left corner, where a cell is
/// `cell_size` pixels wide. Left of the grid or above it the result is negative, so it must be
/// rounded down. Cutting the decimals off would put those points into cell 0.
inline Cell cell_from_mouse(float x, float y, float cell_size) {
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Returns whether (i, j) is one of the N x N cells that hold fluid.
inline bool is_fluid(int N, int i, int j) {
    return 1 <= i && i <= N && 1 <= j && j <= N;
}

/// Adds dye to cell (i, j). Walls hold none: a cell in the wall, or outside, is left alone.
inline void add_density(Fluid& fluid, int i, int j, float amount) {
    if (!is_fluid(fluid.density.N, i, j)) {
        return;
    }
    fluid.density(i, j) += amount;
}
