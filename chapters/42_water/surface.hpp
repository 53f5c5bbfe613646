// The surface of the water as a contour, and how much space it encloses.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

/// A point of a contour, in cells from the upper left corner of the box.
struct ContourPoint {
    double x, y;
};

/// Returns whether cell (i, j, k) lies in the box and is not solid: water may be in it.
template <class Fluid>
bool may_hold_water(const Fluid& fluid, int i, int j, int k) {
    return fluid.solid.has(i, j, k) && fluid.solid(i, j, k) == 0.0;
}

/// Returns phi at the centre of cell (i, j, k). Beyond the box it returns phi of the nearest cell.
/// For a solid cell it returns the mean of phi in its neighbours that are not solid. So the surface
/// meets walls and solids at a right angle.
template <class Fluid>
double phi_beside(const Fluid& fluid, int i, int j, int k) {
    i = std::clamp(i, 0, fluid.nx - 1);
    j = std::clamp(j, 0, fluid.ny - 1);
    k = std::clamp(k, 0, fluid.nz - 1);
    if (may_hold_water(fluid, i, j, k)) {
        return fluid.phi(i, j, k);
    }
    constexpr int beside[][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                 {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    double sum = 0.0;
    int count = 0;
    for (const auto& [di, dj, dk] : beside) {
        if (may_hold_water(fluid, i + di, j + dj, k + dk)) {
            sum += fluid.phi(i + di, j + dj, k + dk);
            ++count;
        }
    }
    return count > 0 ? sum / count : 0.5 * fluid.h;
}

/// Returns phi in column i and row j at the depth z, counted in layers from the centres of the
/// first one. Between the centres of two layers phi is interpolated.
template <class Fluid>
double phi_at_depth(const Fluid& fluid, int i, int j, double z) {
    const int k = static_cast<int>(std::floor(z));
    const double share = z - k;
    const double before = phi_beside(fluid, i, j, k);
    if (share == 0.0) {
        return before;
    }
    return (1.0 - share) * before + share * phi_beside(fluid, i, j, k + 1);
}

/// Returns the part of the square between four neighbouring points where phi, linear along each
/// edge, is negative: a polygon of up to six corners, none if there is no water. The square begins
/// at `first`; its corners have the values `phi`, clockwise from the upper left one, and are
/// `width` by `height` apart.
inline std::vector<ContourPoint> water_in_square(ContourPoint first, double width, double height,
                                                 const std::array<double, 4>& phi) {
    const ContourPoint corners[] = {{first.x, first.y},
                                    {first.x + width, first.y},
                                    {first.x + width, first.y + height},
                                    {first.x, first.y + height}};
    std::vector<ContourPoint> polygon;
    for (std::size_t n = 0; n < 4; ++n) {
        const std::size_t next = (n + 1) % 4;
        if (phi[n] < 0.0) {
            polygon.push_back(corners[n]);
        }
        if ((phi[n] < 0.0) != (phi[next] < 0.0)) {
            const double share = phi[n] / (phi[n] - phi[next]);
            polygon.push_back({corners[n].x + share * (corners[next].x - corners[n].x),
                               corners[n].y + share * (corners[next].y - corners[n].y)});
        }
    }
    return polygon;
}

/// The area of a polygon (the shoelace formula).
inline double area_of(const std::vector<ContourPoint>& polygon) {
    double twice = 0.0;
    for (std::size_t n = 0; n < polygon.size(); ++n) {
        const ContourPoint a = polygon[n], b = polygon[(n + 1) % polygon.size()];
        twice += a.x * b.y - b.x * a.y;
    }
    return 0.5 * std::abs(twice);
}

/// Returns the area of the water in the square between the centres of four cells, the upper left
/// one of which is in column i and row j, at the depth z (see phi_at_depth). A quarter of the
/// square lies in each of these cells. Where one of them is solid or lies beyond the box, its
/// quarter is left out.
template <class Fluid>
double water_between_centres(const Fluid& fluid, int i, int j, double z) {
    const int k = static_cast<int>(std::floor(z + 0.5));
    const double left_above = phi_at_depth(fluid, i, j, z);
    const double right_above = phi_at_depth(fluid, i + 1, j, z);
    const double left_below = phi_at_depth(fluid, i, j + 1, z);
    const double right_below = phi_at_depth(fluid, i + 1, j + 1, z);
    if (may_hold_water(fluid, i, j, k) && may_hold_water(fluid, i + 1, j, k) &&
        may_hold_water(fluid, i, j + 1, k) && may_hold_water(fluid, i + 1, j + 1, k)) {
        return area_of(water_in_square({i + 0.5, j + 0.5}, 1.0, 1.0,
                                       {left_above, right_above, right_below, left_below}));
    }
    const double above = 0.5 * (left_above + right_above);
    const double below = 0.5 * (left_below + right_below);
    const double left = 0.5 * (left_above + left_below);
    const double right = 0.5 * (right_above + right_below);
    const double phi[3][3] = {{left_above, above, right_above},
                              {left, 0.5 * (above + below), right},
                              {left_below, below, right_below}};
    double area = 0.0;
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 2; ++column) {
            if (may_hold_water(fluid, i + column, j + row, k)) {
                const ContourPoint first = {i + 0.5 + 0.5 * column, j + 0.5 + 0.5 * row};
                area += area_of(water_in_square(first, 0.5, 0.5,
                                                {phi[row][column], phi[row][column + 1],
                                                 phi[row + 1][column + 1], phi[row + 1][column]}));
            }
        }
    }
    return area;
}

/// Returns how much space phi = 0 encloses, without the solids in it: in a flat box an area, in a
/// deep one a volume, and without air that of the whole box. A deep box is cut in four places in
/// each layer, and the areas of the cuts are added up.
template <class Fluid>
double water_volume(const Fluid& fluid) {
    const int cuts = fluid.nz > 1 ? 4 : 1;  // in each layer
    double sum = 0.0;
    for (int cut = 0; cut < cuts * fluid.nz; ++cut) {
        const double z = (cut + 0.5) / cuts - 0.5;
        for (int j = -1; j < fluid.ny; ++j) {
            for (int i = -1; i < fluid.nx; ++i) {
                sum += water_between_centres(fluid, i, j, z);
            }
        }
    }
    return sum / cuts * fluid.h * fluid.h * (fluid.nz > 1 ? fluid.h : 1.0);
}
