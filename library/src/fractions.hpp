// How much of a cell, or of a face, is on the positive side of a surface that is given by its
// signed distance at the corners.
#pragma once

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

}  // namespace box
