// The lid-driven cavity and what others have found in it, for the window, the numbers and the tests
// of this chapter. These are templates, so that every later chapter can fill its own Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

/// What a paper prints for the velocity at one place of a centreline, for three Reynolds numbers:
/// `at` is the height above the bottom or the distance from the left wall, in widths of the box,
/// and velocities are in those of the lid. Up is positive, as in the papers.
struct CentrelineRow {
    double at, re_100, re_400, re_1000;

    double of(int reynolds) const {
        return reynolds == 100 ? re_100 : reynolds == 400 ? re_400 : re_1000;
    }
};

/// Ghia, Ghia and Shin 1982, table I: the velocity to the right on the vertical centreline.
inline constexpr std::array<CentrelineRow, 15> ghia_u = {{
    {0.9766, 0.84123, 0.75837, 0.65928},
    {0.9688, 0.78871, 0.68439, 0.57492},
    {0.9609, 0.73722, 0.61756, 0.51117},
    {0.9531, 0.68717, 0.55892, 0.46604},
    {0.8516, 0.23151, 0.29093, 0.33304},
    {0.7344, 0.00332, 0.16256, 0.18719},
    {0.6172, -0.13641, 0.02135, 0.05702},
    {0.5000, -0.20581, -0.11477, -0.06080},
    {0.4531, -0.21090, -0.17119, -0.10648},
    {0.2813, -0.15662, -0.32726, -0.27805},
    {0.1719, -0.10150, -0.24299, -0.38289},
    {0.1016, -0.06434, -0.14612, -0.29730},
    {0.0703, -0.04775, -0.10338, -0.22220},
    {0.0625, -0.04192, -0.09266, -0.20196},
    {0.0547, -0.03717, -0.08186, -0.18109},
}};

/// Stands for a number that is left out.
inline constexpr double left_out = std::numeric_limits<double>::quiet_NaN();

/// Their table II: the velocity up on the horizontal centreline. One number is left out: at 0.9063
/// and Re 400 they print -0.23827, which lies far off the curve of its neighbours. We take it for a
/// misprint.
inline constexpr std::array<CentrelineRow, 15> ghia_v = {{
    {0.9688, -0.05906, -0.12146, -0.21388},
    {0.9609, -0.07391, -0.15663, -0.27669},
    {0.9531, -0.08864, -0.19254, -0.33714},
    {0.9453, -0.10313, -0.22847, -0.39188},
    {0.9063, -0.16914, left_out, -0.51550},
    {0.8594, -0.22445, -0.44993, -0.42665},
    {0.8047, -0.24533, -0.38598, -0.31966},
    {0.5000, 0.05454, 0.05186, 0.02526},
    {0.2344, 0.17527, 0.30174, 0.32235},
    {0.2266, 0.17507, 0.30203, 0.33075},
    {0.1563, 0.16077, 0.28124, 0.37095},
    {0.0938, 0.12317, 0.22965, 0.32627},
    {0.0781, 0.10890, 0.20920, 0.30353},
    {0.0703, 0.10091, 0.19713, 0.29012},
    {0.0625, 0.09233, 0.18360, 0.27485},
}};

/// The extreme velocities on the two centrelines.
struct Extremes {
    double least_u, least_v, most_v;
};

/// Botella and Peyret 1998, by a spectral method.
inline constexpr Extremes botella_100 = {-0.2140424, -0.2538030, 0.1795728};
inline constexpr Extremes botella_1000 = {-0.3885698, -0.5270771, 0.3769447};

/// Pulls the upper wall to the right, one width of the box a second unless it moves already, and
/// makes the fluid as viscous as the Reynolds number says: speed times width over nu.
template <class Fluid>
void begin_cavity(Fluid& fluid, double reynolds) {
    const double width = fluid.h * fluid.nx;
    double& lid = fluid.sides[2].velocity.x;
    lid = lid == 0.0 ? width : lid;
    fluid.nu = std::abs(lid) * width / reynolds;
}

/// The velocity to the right, over that of the lid, at so many widths above the bottom.
template <class Fluid>
double u_on_centreline(const Fluid& fluid, double y) {
    const double width = fluid.h * fluid.nx;
    return interpolate(fluid.u, fluid.h, {0.5 * width, width * (1.0 - y), 0.5 * fluid.h}) /
           fluid.sides[2].velocity.x;
}

/// The velocity up, over that of the lid, at so many widths from the left wall.
template <class Fluid>
double v_on_centreline(const Fluid& fluid, double x) {
    const double width = fluid.h * fluid.nx;
    return -interpolate(fluid.v, fluid.h, {width * x, 0.5 * width, 0.5 * fluid.h}) /
           fluid.sides[2].velocity.x;
}

/// The extremes of the values that lie on the centrelines, for an even number of cells.
template <class Fluid>
Extremes extremes_of(const Fluid& fluid) {
    Extremes found = {0.0, 0.0, 0.0};
    for (int cell = 0; cell < fluid.nx; ++cell) {
        const double place = (cell + 0.5) / fluid.nx;
        found.least_u = std::min(found.least_u, u_on_centreline(fluid, place));
        found.least_v = std::min(found.least_v, v_on_centreline(fluid, place));
        found.most_v = std::max(found.most_v, v_on_centreline(fluid, place));
    }
    return found;
}

/// The largest differences from Ghia's columns: of u and of v. NaN if any velocity is.
struct Differences {
    double u = 0.0, v = 0.0;
};

template <class Fluid>
Differences differences_from_ghia(const Fluid& fluid, int reynolds) {
    Differences found;
    const auto take = [](double& largest, double ours, double printed) {
        const double difference = std::abs(ours - printed);
        if (!std::isnan(printed) && !(difference <= largest) && !std::isnan(largest)) {
            largest = difference;
        }
    };
    for (const CentrelineRow& row : ghia_u) {
        take(found.u, u_on_centreline(fluid, row.at), row.of(reynolds));
    }
    for (const CentrelineRow& row : ghia_v) {
        take(found.v, v_on_centreline(fluid, row.at), row.of(reynolds));
    }
    return found;
}
