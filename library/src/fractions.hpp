// How much of a cell, or of a face, is on the positive side of a surface that is given by its
// signed distance at the corners.
#pragma once

#include <cstddef>

namespace box {

/// A share that is less than this is dropped: it counts as 0.
constexpr double smallest_fraction = 0.01;

/// The share of a segment whose ends are at these distances.
double fraction_of_segment(double a, double b);

/// The share of a square, exact for a plane that cuts its four triangles. The corners are at (0,
/// 0), (1, 0), (0, 1) and (1, 1).
double fraction_of_square(const double corners[4]);

/// The share of a cube, likewise; corner n is at (n & 1, n >> 1 & 1, n >> 2).
double fraction_of_cube(const double corners[8]);

/// The distances at the corners of all cells.
struct Corners {
    const float* distance;  ///< i fastest
    std::size_t row, layer;  ///< corners from a row to the next, and from a layer
    bool deep;

    Corners(const float* all, int nx, int ny, bool is_deep);
    const float* at(int i, int j, int k) const;
    /// The fluid's share of the box from corner (i, j, k) to one that is so many corners further
    /// along each axis: of a cell, a face or an edge.
    float share(int i, int j, int k, const int further[3]) const;
    /// 1 if all corners of a cell are in the fluid, 0 if none is, else -1.
    float whole_cell(int i, int j, int k) const;
};

}  // namespace box
