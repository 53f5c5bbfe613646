#pragma once

#include <string>

namespace workbook {

/// What a chapter's grid looks like.
enum class Shape {
    square,  ///< N x N fluid cells inside a border of wall cells
    cube,  ///< N x N x N cells, the outermost of them walls
    box,  ///< nx x ny x nz cells, with numbers on the faces between them; flat where nz is 1
};

/// How many cells a grid has to the right, down, and into the picture.
struct Box {
    int nx, ny, nz;
};

inline bool operator==(Box a, Box b) {
    return a.nx == b.nx && a.ny == b.ny && a.nz == b.nz;
}

/// The largest grid that a 2D chapter takes, and the largest of a 3D one, in cells a side.
inline constexpr int largest_N = 8192;
inline constexpr int largest_N_3d = 512;

/// The smallest cube: a fluid cell in its walls.
inline constexpr int smallest_cube = 3;

/// The grid that `--n N` asks for.
inline Box box_of(Shape shape, int N) {
    return {N, N, shape == Shape::cube ? N : 1};
}

/// How many cells a picture shows along each axis: a square has a border of wall cells besides its
/// N x N, a cube has its walls within its N, and a box has none.
inline Box cells_of(Shape shape, Box box) {
    if (shape == Shape::square) {
        return {box.nx + 2, box.ny + 2, 1};
    }
    return box;
}

/// How many indices i, j and k there are in a state file: those of a square count its walls, those
/// of a box the face behind its last cell.
inline Box rows_of(Shape shape, Box box) {
    switch (shape) {
        case Shape::square:
            return {box.nx + 2, box.ny + 2, 1};
        case Shape::cube:
            return box;
        case Shape::box:
            break;
    }
    return {box.nx + 1, box.ny + 1, box.nz + 1};
}

/// A grid's size in words: "N = 16" or "8x8x1".
inline std::string words_of(Shape shape, Box box, const std::string& equals = " = ") {
    if (shape != Shape::box) {
        return "N" + equals + std::to_string(box.nx);
    }
    return std::to_string(box.nx) + "x" + std::to_string(box.ny) + "x" + std::to_string(box.nz);
}

}  // namespace workbook
