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

}  // namespace box
