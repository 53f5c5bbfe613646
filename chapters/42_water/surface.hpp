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

/// Returns phi at the centre of cell (i, j, k). Beyond the box it returns phi of the nearest cell.
/// For a solid cell it returns the mean of phi in its neighbours that are not solid. So the surface
/// meets walls and solids at a right angle.
template <class Fluid>
double phi_beside(const Fluid& fluid, int i, int j, int k) {
    i = std::clamp(i, 0, fluid.nx - 1);
    j = std::clamp(j, 0, fluid.ny - 1);
    k = std::clamp(k, 0, fluid.nz - 1);
    if (is_fluid(fluid.density, i, j, k)) {
        return fluid.phi(i, j, k);
    }
    constexpr int beside[][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                 {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    double sum = 0.0;
    int count = 0;
    for (const auto& [di, dj, dk] : beside) {
        if (is_fluid(fluid.density, i + di, j + dj, k + dk)) {
            sum += fluid.phi(i + di, j + dj, k + dk);
            ++count;
        }
    }
    return count > 0 ? sum / count : 0.5 * fluid.h;
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

/// Calls visit(polygon) for each piece of the water in layer k: one for every square between four
/// centres of cells, and narrower ones along the sides of the box.
template <class Fluid, class Visit>
void for_each_piece_of_water(const Fluid& fluid, int k, Visit visit) {
    for (int j = -1; j < fluid.ny; ++j) {
        const double top = std::max(0.0, j + 0.5), bottom = std::min(1.0 * fluid.ny, j + 1.5);
        for (int i = -1; i < fluid.nx; ++i) {
            const double left = std::max(0.0, i + 0.5), right = std::min(1.0 * fluid.nx, i + 1.5);
            const std::vector<ContourPoint> polygon = water_in_square(
                {left, top}, right - left, bottom - top,
                {phi_beside(fluid, i, j, k), phi_beside(fluid, i + 1, j, k),
                 phi_beside(fluid, i + 1, j + 1, k), phi_beside(fluid, i, j + 1, k)});
            if (!polygon.empty()) {
                visit(polygon);
            }
        }
    }
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

/// Returns how much space phi = 0 encloses: in a flat box an area, in a deep one a volume, and
/// without air that of the whole box. Between the layers of a deep box the area is interpolated
/// linearly. Where the surface runs through a solid, the part within the solid is counted, too.
template <class Fluid>
double water_volume(const Fluid& fluid) {
    double sum = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for_each_piece_of_water(fluid, k, [&](const auto& piece) { sum += area_of(piece); });
    }
    return sum * fluid.h * fluid.h * (fluid.nz > 1 ? fluid.h : 1.0);
}
