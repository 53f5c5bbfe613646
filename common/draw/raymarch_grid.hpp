// The cells that raymarch.cpp marches through, and how a ray goes from one to the next. Only the
// files raymarch*.cpp include this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/draw/black_body.hpp"
#include "common/draw/raymarch.hpp"

namespace workbook {

inline constexpr float opaque =
    20.0f;  // the extinction, per cell, of a cell that hides all behind it
inline constexpr float invisible = 1e-4f;  // a share of the brightest light that no screen shows
inline constexpr std::uint32_t block_size =
    4;  // a ray passes over this many cells if they are empty
inline constexpr std::uint8_t nothing = 0, something = 1, heated = 2, solids = 3;  // in a block
inline constexpr float coldest = 800.0f;  // whose glow is seen, in kelvin

inline Rgb operator*(Rgb a, Rgb b) {
    return {a.red * b.red, a.green * b.green, a.blue * b.blue};
}

/// a + share * b
inline Rgb add(Rgb a, float share, Rgb b) {
    return {a.red + share * b.red, a.green + share * b.green, a.blue + share * b.blue};
}

inline float dot(Place3 a, Place3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// from + t * along
inline Place3 on_ray(Place3 from, float t, Place3 along) {
    return {from.x + t * along.x, from.y + t * along.y, from.z + t * along.z};
}

inline Place3 normalized(Place3 a) {
    return on_ray({0.0f, 0.0f, 0.0f}, 1.0f / std::sqrt(dot(a, a)), a);
}

/// The same direction with the length 1. Throws std::invalid_argument if there is none.
Place3 direction_of(Place3 along);

/// The direction to the light; in two dimensions it lies in the plane.
Place3 direction_of_light(Place3 towards, const Volume& volume);

/// What a ray meets in one cell; what is emitted and lost counts per cell of its way.
struct Cell {
    float extinction;
    Rgb colour, glow;
    float solid, kelvin;
    float reached;  ///< the share of the light that reaches it
};

/// A volume's cell with numbers that can be worked with: see LitVolume's constructor.
Cell cell_of(const Volume& volume, std::size_t n, float thinnest);

/// The light of black bodies, computed when it is first asked for.
const GlowTable& glow_table();

/// The eight cells around a place.
struct Corner {
    std::size_t first;  ///< the one nearest to the box's corner (0, 0, 0)
    float x, y, z;  ///< how far the place lies from it towards the next ones, 0 to 1
    std::uint8_t contents;  ///< of their block: nothing, something, heat too, or solids too
};

/// A step of a ray from a cell's centre towards the light. Rays from all centres make the same
/// steps.
struct LightStep {
    std::ptrdiff_t first;  ///< the first of the eight cells around its middle, from the ray's own
    std::array<float, 8> weights;  ///< of these cells
};

/// The part of a ray that lies in the box; none if `last` is not after `first`.
struct Part {
    float first, last;
};

Part part_in_box(Place3 from, Place3 along, Place3 sides);

/// How far a ray has yet to go in its block along one axis.
inline float rest_of_block(float place, float step) {
    constexpr int whole = block_size;
    constexpr float size = block_size;
    const int first = static_cast<int>(place) / whole * whole;
    const float begin = static_cast<float>(first);
    return step > 0.0f   ? (begin + size - place) / step
           : step < 0.0f ? (begin - place) / step
                         : 1e30f;
}

/// The volume's cells, with a rim of copies around them, so that every place in the box has eight
/// cells around it. Lengths are in cells.
struct LitVolume::Grid {
    /// Of a cell: its extinction, and the red, green and blue light that it gives per length. Both
    /// are interpolated as they are, so that the colour of an empty cell does not matter.
    using Sample = std::array<float, 4>;

    int nx, ny, nz;
    // A place's first cell, counted from the rim, is at most this one.
    std::uint32_t last_i = static_cast<std::uint32_t>(nx);
    std::uint32_t last_j = static_cast<std::uint32_t>(ny);
    std::uint32_t last_k = static_cast<std::uint32_t>(nz);
    std::uint32_t blocks_x = last_i / block_size + 1, blocks_y = last_j / block_size + 1;
    std::size_t row = static_cast<std::size_t>(nx) + 2;  ///< from a cell to the one below it
    std::size_t layer = row * (static_cast<std::size_t>(ny) + 2);  ///< and to the one behind it
    std::vector<Sample> samples;
    /// Of a cell: the share of a black body's red, green and blue light that it sends out per
    /// length, times the exposure; and its temperature. Empty if the volume has none.
    std::vector<Sample> heat;
    std::vector<float> blocking;  ///< the extinction that the light meets, solids included
    std::vector<float> solid;  ///< empty if there is none
    std::vector<std::uint8_t> contents;  ///< of each block of places

    Grid(const Volume& volume, const Light& light);

    Place3 sides() const {
        return {static_cast<float>(nx), static_cast<float>(ny), static_cast<float>(nz)};
    }

    /// Where cell (i, j, k) lies in the arrays; the rim has the indices -1 and nx, ny or nz.
    std::size_t index(int i, int j, int k) const {
        return static_cast<std::size_t>(i + 1) + static_cast<std::size_t>(j + 1) * row +
               static_cast<std::size_t>(k + 1) * layer;
    }
    Place3 centre(int i, int j, int k) const {
        return {static_cast<float>(i) + 0.5f, static_cast<float>(j) + 0.5f,
                static_cast<float>(k) + 0.5f};
    }
    bool has_smoke(int j, int k) const {
        const auto first = samples.begin() + static_cast<std::ptrdiff_t>(index(0, j, k));
        return std::any_of(first, first + nx, [](const Sample& s) { return s[0] > 0.0f; });
    }
    float thinnest() const { return invisible / std::sqrt(dot(sides(), sides())); }

    static Sample lit_sample(const Cell& cell, const Light& light);
    void take(const Volume& volume, const Light& light);
    template <class Array>
    void fill_rim(Array& array) const;
    std::uint8_t found_around(std::uint32_t i0, std::uint32_t j0, std::uint32_t k0) const;
    void find_contents();

    Corner corner(Place3 place) const;
    Sample interpolate(const std::vector<Sample>& values, const Corner& corner) const;
    Sample sample(const Corner& corner) const;
    float interpolate(const std::vector<float>& values, const Corner& corner) const;

    template <class Visit>
    void march(Place3 from, Place3 along, const Visit& visit) const;
    float transmittance(Place3 from, Place3 towards) const;
    std::vector<LightStep> light_steps(Place3 towards) const;
    std::vector<float> light_in_row(int j, int k, Place3 towards,
                                    const std::vector<LightStep>& steps) const;

    bool is_solid(const Corner& corner) const {
        return corner.contents == solids && interpolate(solid, corner) >= 0.5f;
    }
    Place3 surface(Place3 before, Place3 inside) const;
    Place3 normal(Place3 place) const;
};

/// Copies the outermost cells into the rim: from their centres to the box's faces nothing changes.
template <class Array>
void LitVolume::Grid::fill_rim(Array& array) const {
    for (int k = -1; k <= nz; ++k) {
        for (int j = -1; j <= ny; ++j) {
            const bool in_rim = k < 0 || k == nz || j < 0 || j == ny;
            for (int i = -1; i <= nx; i += in_rim || i == nx ? 1 : nx + 1) {
                array[index(i, j, k)] = array[index(
                    std::clamp(i, 0, nx - 1), std::clamp(j, 0, ny - 1), std::clamp(k, 0, nz - 1))];
            }
        }
    }
}

inline Corner LitVolume::Grid::corner(Place3 place) const {
    const float x = place.x + 0.5f;  // from the centre of the rim's first cell
    const float y = place.y + 0.5f;
    const float z = place.z + 0.5f;
    // Places lie in the box. Where rounding has put one beside it, it still finds a cell.
    const auto i = std::min(static_cast<std::uint32_t>(static_cast<int>(x)), last_i);
    const auto j = std::min(static_cast<std::uint32_t>(static_cast<int>(y)), last_j);
    const auto k = std::min(static_cast<std::uint32_t>(static_cast<int>(z)), last_k);
    const std::uint32_t block =
        i / block_size + blocks_x * (j / block_size + blocks_y * (k / block_size));
    return {i + j * row + k * layer, x - static_cast<float>(static_cast<int>(i)),
            y - static_cast<float>(static_cast<int>(j)),
            z - static_cast<float>(static_cast<int>(k)), contents[block]};
}

/// The light that a cell's heat sends out, and its extinction.
inline LitVolume::Grid::Sample LitVolume::Grid::sample(const Corner& corner) const {
    Sample found = interpolate(samples, corner);
    if (corner.contents >= heated && !heat.empty()) {
        const Sample hot = interpolate(heat, corner);
        const Rgb light = glow_table().at(hot[3]);
        found[1] += hot[0] * light.red;
        found[2] += hot[1] * light.green;
        found[3] += hot[2] * light.blue;
    }
    return found;
}

inline LitVolume::Grid::Sample LitVolume::Grid::interpolate(const std::vector<Sample>& values,
                                                            const Corner& corner) const {
    const Sample* const at = values.data() + corner.first;
    Sample found;
    for (std::size_t n = 0; n < 4; ++n) {
        const auto across = [&](const Sample* a) {
            return a[0][n] + corner.x * (a[1][n] - a[0][n]);
        };
        const auto down = [&](const Sample* a) {
            const float above = across(a);
            return above + corner.y * (across(a + row) - above);
        };
        const float before = down(at);
        found[n] = before + corner.z * (down(at + layer) - before);
    }
    return found;
}

inline float LitVolume::Grid::interpolate(const std::vector<float>& values,
                                          const Corner& corner) const {
    const float* const at = values.data() + corner.first;
    const auto across = [&](const float* a) { return a[0] + corner.x * (a[1] - a[0]); };
    const auto down = [&](const float* a) {
        const float above = across(a);
        return above + corner.y * (across(a + row) - above);
    };
    const float before = down(at);
    return before + corner.z * (down(at + layer) - before);
}

// ---- The rays ----------------------------------------------------------------------------------

/// Calls visit(place, corner, length) in the middle of each step of a ray through the box, from the
/// front to the back, until it returns false. `along` has the length 1. Steps in which there is
/// nothing are left out.
template <class Visit>
void LitVolume::Grid::march(Place3 from, Place3 along, const Visit& visit) const {
    const Part part = part_in_box(from, along, sides());
    if (!(part.last > part.first) || !std::isfinite(dot(from, from))) {
        return;
    }
    const int steps = static_cast<int>(std::ceil(part.last - part.first));
    const float length = (part.last - part.first) / static_cast<float>(steps);
    for (int step = 0; step < steps; ++step) {
        const float t = part.first + (static_cast<float>(step) + 0.5f) * length;
        const Place3 place = on_ray(from, t, along);
        const Corner around = corner(place);
        if (around.contents == nothing) {
            const float rest = std::min({rest_of_block(place.x + 0.5f, along.x),
                                         rest_of_block(place.y + 0.5f, along.y),
                                         rest_of_block(place.z + 0.5f, along.z)});
            step += static_cast<int>(std::min(rest / length, 1e6f));
        } else if (!visit(place, around, length)) {
            return;
        }
    }
}

}  // namespace workbook
