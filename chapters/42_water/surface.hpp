// The surface of the water as a contour, how much water it encloses, and how the scenes of this
// chapter are filled. These are templates, so that every later chapter can use them on its own
// Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>
#include <vector>

#include "window/seed.hpp"

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

/// Returns how far the water reaches to the right along the bottom of the box: the farthest place
/// where phi = 0 in any layer's lowest row.
template <class Fluid>
double front(const Fluid& fluid) {
    double farthest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double here = fluid.phi(i, fluid.ny - 1, k);
            const double next = i + 1 < fluid.nx ? fluid.phi(i + 1, fluid.ny - 1, k) : here;
            if (here < 0.0) {
                const double share = next < 0.0 ? 0.5 : here / (here - next);
                farthest = std::max(farthest, fluid.h * (i + 0.5 + share));
            }
        }
    }
    return farthest;
}

/// Returns how high the water stands at the left side of the box, above the bottom: the highest
/// place where phi = 0 in any layer's first column.
template <class Fluid>
double height(const Fluid& fluid) {
    double highest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            const double here = fluid.phi(0, j, k);
            const double above = j > 0 ? fluid.phi(0, j - 1, k) : here;
            if (here < 0.0) {
                const double share = above < 0.0 ? 0.5 : here / (here - above);
                highest = std::max(highest, fluid.h * (fluid.ny - j - 0.5 + share));
            }
        }
    }
    return highest;
}

/// Returns the energy of the water: of its motion, and of its weight above the bottom of the box.
/// Each particle has its share of a full cell's mass.
template <class Fluid>
double energy_of_water(const Fluid& fluid) {
    const double mass =
        fluid.rho * std::pow(fluid.h, fluid.nz > 1 ? 3.0 : 2.0) / (fluid.nz > 1 ? 8.0 : 4.0);
    double sum = 0.0;
    for (const auto& particle : fluid.particles) {
        const auto& [u, v, w, dye] = particle.values;
        const auto place = particle.place;
        sum += 0.5 * (u * u + v * v + w * w) - fluid.force_x * place.x +
               fluid.force_y * (fluid.h * fluid.ny - place.y) - fluid.force_z * place.z;
    }
    return mass * sum;
}

/// Fills the part of the box where is_water(x, y, z) with particles, and the rest is air. Places
/// are in the unit of h. With `jitter` 1 each particle is somewhere in its quarter of a cell, as in
/// 41_particles, and with 0 in the middle of it.
template <class Fluid, class IsWater>
void fill_with_water(Fluid& fluid, IsWater is_water, double jitter) {
    fluid.has_air = true;
    seed_particles(fluid);
    std::erase_if(fluid.particles, [&](auto& particle) {
        for (auto axis : {&std::remove_reference_t<decltype(particle.place)>::x,
                          &std::remove_reference_t<decltype(particle.place)>::y,
                          &std::remove_reference_t<decltype(particle.place)>::z}) {
            double& place = particle.place.*axis;
            const double middle = fluid.h * (0.5 * std::floor(2.0 * place / fluid.h) + 0.25);
            const bool is_flat =
                fluid.nz == 1 && axis == &std::remove_reference_t<decltype(particle.place)>::z;
            place = is_flat ? place : middle + jitter * (place - middle);
        }
        return !is_water(particle.place.x, particle.place.y, particle.place.z);
    });
    particles_to_grid(fluid);
}

/// Returns how long a step may be. In the time h / |u| the fastest water crosses one cell. In steps
/// longer than about sqrt(h / g) waves gain energy, so 0.4 sqrt(h / g) is the second limit. The
/// smaller one is returned.
template <class Fluid>
double longest_step(const Fluid& fluid) {
    double speed = 0.0;
    for (const auto* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        for (const double velocity : faces->values) {
            speed = std::max(speed, std::abs(velocity));
        }
    }
    const double weight = std::hypot(fluid.force_x, fluid.force_y, fluid.force_z);
    return std::min(fluid.h / speed, 0.4 * std::sqrt(fluid.h / weight));
}

/// Lets `dt` seconds pass, in steps that are not longer than longest_step allows. There are at
/// most `most` steps, even if they are too long then. Before each of them, `prepare` is called.
/// Returns the number of steps. Without air it is 1.
template <class Fluid, class Prepare>
int step_in_parts(Fluid& fluid, double dt, int most, Prepare prepare) {
    int count = 0;
    for (double left = dt; left > 0.0; ++count) {
        prepare();
        const double parts = fluid.has_air ? std::ceil(left / longest_step(fluid)) : 1.0;
        const double part = left / std::clamp(parts, 1.0, 1.0 * std::max(1, most - count));
        step(fluid, part);
        left = part < left ? left - part : 0.0;
    }
    return count;
}

/// The same, with nothing to prepare.
template <class Fluid>
int step_in_parts(Fluid& fluid, double dt, int most = 100) {
    return step_in_parts(fluid, dt, most, [] {});
}

/// Fills a flat box with water of that depth, on which the longest wave of the box stands: its
/// surface is raised by `amplitude` at the left wall and lowered by as much at the right one. The
/// particles of still water are moved to where a small wave moves them (linear theory). This keeps
/// them evenly spread.
template <class Fluid>
void fill_with_wave(Fluid& fluid, double depth, double amplitude) {
    const double bottom = fluid.h * fluid.ny, k = std::numbers::pi / (fluid.h * fluid.nx);
    fill_with_water(
        fluid, [&](double, double y, double) { return y > bottom - depth; }, 0.0);
    for (auto& particle : fluid.particles) {
        const double x = particle.place.x, above = bottom - particle.place.y;
        const double scale = amplitude / std::sinh(k * depth);
        particle.place.x -= scale * std::sin(k * x) * std::cosh(k * above);
        particle.place.y -= scale * std::cos(k * x) * std::sinh(k * above);
    }
    particles_to_grid(fluid);
}

/// How water sloshes: the time from one crest to the next, and the share of the first amplitude
/// that is left in the end.
struct Sloshing {
    double period, kept;
};

/// Lets water slosh for so many periods, and measures where its centre of mass goes, from right to
/// left and back. The period is that between the first and the last time when it passes the middle
/// of the box, and the amplitudes are those of the first half period and of the last one.
template <class Fluid>
Sloshing slosh(Fluid& fluid, int periods, double dt) {
    const auto off_middle = [&] {
        double sum = 0.0;
        for (const auto& particle : fluid.particles) {
            sum += particle.place.x - 0.5 * fluid.h * fluid.nx;
        }
        return sum / static_cast<double>(fluid.particles.size());
    };
    double last = off_middle(), most = std::abs(last), time = 0.0;
    std::vector<double> passed, amplitudes;
    while (static_cast<int>(passed.size()) <= 2 * periods && time < 1e4 * dt) {
        step(fluid, dt);
        time += dt;
        const double now = off_middle();
        most = std::max(most, std::abs(now));
        if ((now < 0.0) != (last < 0.0)) {
            passed.push_back(time - dt * now / (now - last));
            amplitudes.push_back(most);
            most = 0.0;
        }
        last = now;
    }
    if (static_cast<int>(passed.size()) <= 2 * periods) {
        return {0.0, 0.0};  // it does not slosh
    }
    return {(passed.back() - passed.front()) / periods, amplitudes.back() / amplitudes.front()};
}

/// Fills the lower left corner of a box with a column of water that is twice as high as it is wide.
/// Its width, which is returned, is 15/64 of that of the box, so that the front can run more than
/// three times as far. In a low box the column is as high as the box allows.
template <class Fluid>
double fill_dam(Fluid& fluid) {
    const double bottom = fluid.h * fluid.ny;
    const double a = std::min(15.0 / 64.0 * fluid.h * fluid.nx, 0.5 * bottom);
    fill_with_water(
        fluid, [&](double x, double y, double) { return x < a && y > bottom - 2.0 * a; }, 0.5);
    return a;
}

/// Fills a box with a pool and a drop above it. Both are at rest.
template <class Fluid>
void fill_drop(Fluid& fluid) {
    const double width = fluid.h * fluid.nx, bottom = fluid.h * fluid.ny;
    const double z_middle = 0.5 * fluid.h * fluid.nz;
    fill_with_water(
        fluid,
        [&](double x, double y, double z) {
            const double deep = fluid.nz > 1 ? z - z_middle : 0.0;
            return y > 0.75 * bottom ||
                   std::hypot(x - 0.5 * width, y - 0.3 * bottom, deep) < 0.13 * width;
        },
        0.5);
}

/// The largest divergence of any cell of water, or without air of any cell. It is not 0, since
/// keep_volume makes some.
template <class Fluid>
double largest_divergence_of_water(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double here =
                    is_fluid(fluid.rhs, i, j, k) ? std::abs(divergence_at(fluid, i, j, k)) : 0.0;
                largest = here <= largest ? largest : here;  // a NaN is the largest of all
            }
        }
    }
    return largest;
}
