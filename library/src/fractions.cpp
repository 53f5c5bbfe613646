#include "library/src/fractions.hpp"

#include <algorithm>

namespace box {

namespace {

/// How far from a corner at distance a to one at distance b, on the other side, the surface is.
double crossing(double a, double b) {
    return a / (a - b);
}

/// The share of a triangle on the positive side, with linear distance in it.
double fraction_of_triangle(double a, double b, double c) {
    double d[3] = {a, b, c};
    std::sort(d, d + 3);
    if (d[0] > 0.0 || d[2] <= 0.0) {
        return d[0] > 0.0 ? 1.0 : 0.0;
    }
    if (d[1] > 0.0) {
        return 1.0 - crossing(d[0], d[1]) * crossing(d[0], d[2]);
    }
    return crossing(d[2], d[0]) * crossing(d[2], d[1]);
}

double fraction_of_tetrahedron(double a, double b, double c, double e) {
    double d[4] = {a, b, c, e};
    std::sort(d, d + 4);
    if (d[0] > 0.0 || d[3] <= 0.0) {
        return d[0] > 0.0 ? 1.0 : 0.0;
    }
    if (d[1] > 0.0) {
        return 1.0 - crossing(d[0], d[1]) * crossing(d[0], d[2]) * crossing(d[0], d[3]);
    }
    if (d[2] <= 0.0) {
        return crossing(d[3], d[0]) * crossing(d[3], d[1]) * crossing(d[3], d[2]);
    }
    // Two on each side: a wedge, of three tetrahedra.
    const double s = crossing(d[2], d[0]);
    const double t = crossing(d[2], d[1]);
    const double v = crossing(d[3], d[0]);
    const double w = crossing(d[3], d[1]);
    return s * t + v * w * (1.0 - t) + v * t * (1.0 - s);
}

double kept(double share) {
    return share < smallest_fraction ? 0.0 : std::min(share, 1.0);
}

/// All on one side: 1, all on the other: 0, else -1.
double plain(const double* corners, int count) {
    const auto in_fluid = [](double distance) { return distance > 0.0; };
    const auto fluid = std::count_if(corners, corners + count, in_fluid);
    return fluid == 0 ? 0.0 : fluid == count ? 1.0 : -1.0;
}

}  // namespace

double fraction_of_segment(double a, double b) {
    const double d[2] = {a, b};
    const double whole = plain(d, 2);
    return whole >= 0.0 ? whole : kept(a > 0.0 ? crossing(a, b) : crossing(b, a));
}

double fraction_of_square(const double c[4]) {
    const double whole = plain(c, 4);
    if (whole >= 0.0) {
        return whole;
    }
    const double middle = 0.25 * (c[0] + c[1] + c[2] + c[3]);
    return kept(
        0.25 *
        (fraction_of_triangle(c[0], c[1], middle) + fraction_of_triangle(c[1], c[3], middle) +
         fraction_of_triangle(c[3], c[2], middle) + fraction_of_triangle(c[2], c[0], middle)));
}

double fraction_of_cube(const double c[8]) {
    const double whole = plain(c, 8);
    if (whole >= 0.0) {
        return whole;
    }
    double middle = 0.0;
    for (int n = 0; n < 8; ++n) {
        middle += 0.125 * c[n];
    }
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const int one = 1 << ((axis + 1) % 3);
        const int two = 1 << ((axis + 2) % 3);
        for (const int side : {0, 1 << axis}) {
            const int ring[5] = {side, side + one, side + one + two, side + two, side};
            const double face = 0.25 * (c[ring[0]] + c[ring[1]] + c[ring[2]] + c[ring[3]]);
            for (int n = 0; n < 4; ++n) {
                sum += fraction_of_tetrahedron(c[ring[n]], c[ring[n + 1]], face, middle) / 24.0;
            }
        }
    }
    return kept(sum);
}

// ---- The corners of all cells ------------------------------------------------------------------

Corners::Corners(const float* all, int nx, int ny, bool is_deep)
    : distance(all), row(static_cast<std::size_t>(nx) + 1),
      layer(row * (static_cast<std::size_t>(ny) + 1)), deep(is_deep) {}

const float* Corners::at(int i, int j, int k) const {
    return distance + (static_cast<std::size_t>(i) + row * static_cast<std::size_t>(j) +
                       layer * static_cast<std::size_t>(k));
}

float Corners::share(int i, int j, int k, const int further[3]) const {
    const float* const first = at(i, j, k);
    double corners[8] = {};
    int count = 0;
    for (int c = 0; c <= further[2]; ++c) {
        for (int b = 0; b <= further[1]; ++b) {
            for (int a = 0; a <= further[0]; ++a) {
                corners[count] =
                    static_cast<double>(first[a + (b == 0 ? 0 : row) + (c == 0 ? 0 : layer)]);
                ++count;
            }
        }
    }
    return static_cast<float>(count == 2   ? fraction_of_segment(corners[0], corners[1])
                              : count == 4 ? fraction_of_square(corners)
                                           : fraction_of_cube(corners));
}

float Corners::whole_cell(int i, int j, int k) const {
    const float* const a = at(i, j, k);
    const float* const b = a + (deep ? layer : 0);
    const float ends[] = {a[0], a[1], a[row], a[row + 1], b[0], b[1], b[row], b[row + 1]};
    const float low = *std::min_element(ends, ends + 8);
    const float high = *std::max_element(ends, ends + 8);
    return low > 0.0f ? 1.0f : high > 0.0f ? -1.0f : 0.0f;
}

}  // namespace box
