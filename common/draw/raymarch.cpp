#include "common/draw/raymarch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

constexpr float opaque = 20.0f;  // the extinction, per cell, of a cell that hides all behind it
constexpr float invisible = 1e-4f;  // a share of the brightest light that no screen shows
constexpr std::uint32_t block_size = 4;  // a ray passes over this many cells if they are empty
constexpr std::uint8_t nothing = 0, something = 1, solids = 2;  // what a block holds

Rgb operator*(Rgb a, Rgb b) {
    return {a.red * b.red, a.green * b.green, a.blue * b.blue};
}

/// a + share * b
Rgb add(Rgb a, float share, Rgb b) {
    return {a.red + share * b.red, a.green + share * b.green, a.blue + share * b.blue};
}

float dot(Place3 a, Place3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// from + t * along
Place3 on_ray(Place3 from, float t, Place3 along) {
    return {from.x + t * along.x, from.y + t * along.y, from.z + t * along.z};
}

Place3 normalized(Place3 a) {
    return on_ray({0.0f, 0.0f, 0.0f}, 1.0f / std::sqrt(dot(a, a)), a);
}

void require(bool holds, const char* what) {
    if (!holds) {
        throw std::invalid_argument(std::string("a volume to draw: ") + what);
    }
}

/// The same direction with the length 1.
Place3 direction_of(Place3 along) {
    const float squared = dot(along, along);
    require(std::isfinite(squared) && squared > 0.0f, "light without a direction");
    return normalized(along);
}

/// The direction to the light; in two dimensions it lies in the plane.
Place3 direction_of_light(Place3 towards, const Volume& volume) {
    return direction_of(volume.nz == 1 ? Place3{towards.x, towards.y, 0.0f} : towards);
}

void check(const Volume& volume) {
    const auto fits = [&](const auto& array) {
        return array.empty() || array.size() == volume.count();
    };
    require(volume.extinction.size() == volume.count() && fits(volume.colour) &&
                fits(volume.glow) && fits(volume.solid),
            "an array has not one number for each cell");
    require(std::isfinite(volume.cell_size) && volume.cell_size > 0.0f,
            "its cell size is not positive");
}

/// What a ray meets in one cell; what is emitted and lost counts per cell of its way.
struct Cell {
    float extinction;
    Rgb colour, glow;
    float solid;
};

/// A volume's cell with numbers that can be worked with: see LitVolume's constructor.
Cell cell_of(const Volume& volume, std::size_t n, float thinnest) {
    Cell cell = {volume.extinction[n] * volume.cell_size,
                 volume.colour.empty() ? Rgb{0.9f, 0.9f, 0.9f} : volume.colour[n],
                 volume.glow.empty() ? Rgb{} : add({}, volume.cell_size, volume.glow[n]),
                 volume.solid.empty() ? 0.0f : volume.solid[n]};
    const Rgb all = add(cell.colour, 1.0f, cell.glow);
    if (!std::isfinite(all.red + all.green + all.blue + cell.solid) ||
        std::isnan(cell.extinction)) {
        return {opaque, {}, {opaque, 0.0f, opaque}, 0.0f};  // magenta
    }
    cell.extinction = cell.extinction < thinnest ? 0.0f : std::min(cell.extinction, opaque);
    cell.solid = std::clamp(cell.solid, 0.0f, 1.0f);
    return cell;
}

/// The eight cells around a place.
struct Corner {
    std::size_t first;  ///< the one nearest to the box's corner (0, 0, 0)
    float x, y, z;  ///< how far the place lies from it towards the next ones, 0 to 1
    std::uint8_t contents;  ///< of their block: nothing, something, or solids too
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

Part part_in_box(Place3 from, Place3 along, Place3 sides) {
    Part part = {0.0f, 1e30f};
    const auto clip = [&part](float start, float step, float side) {
        if (step != 0.0f) {
            const float a = -start / step;
            const float b = (side - start) / step;
            part.first = std::max(part.first, std::min(a, b));
            part.last = std::min(part.last, std::max(a, b));
        } else if (!(start >= 0.0f && start <= side)) {
            part.last = 0.0f;
        }
    };
    clip(from.x, along.x, sides.x);
    clip(from.y, along.y, sides.y);
    clip(from.z, along.z, sides.z);
    return part;
}

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

}  // namespace

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
    std::vector<float> blocking;  ///< the extinction that the light meets, solids included
    std::vector<float> solid;  ///< empty if there is none
    std::vector<std::uint8_t> contents;  ///< of each block of places

    explicit Grid(const Volume& volume);

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

    void take(const Volume& volume);
    template <class Array>
    void fill_rim(Array& array) const;
    std::uint8_t found_around(std::uint32_t i0, std::uint32_t j0, std::uint32_t k0) const;
    void find_contents();

    Corner corner(Place3 place) const;
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

// ---- The cells ---------------------------------------------------------------------------------

LitVolume::Grid::Grid(const Volume& volume)
    : nx(volume.count() > 0 ? volume.nx : 0), ny(volume.count() > 0 ? volume.ny : 0),
      nz(volume.count() > 0 ? volume.nz : 0) {
    check(volume);
    if (nx > 0) {
        take(volume);
        find_contents();
    }
}

/// Takes each cell's extinction and glow. The light that it scatters is added later.
void LitVolume::Grid::take(const Volume& volume) {
    const std::size_t size = layer * (static_cast<std::size_t>(nz) + 2);
    samples.resize(size);
    blocking.resize(size);
    solid.resize(volume.solid.empty() ? 0 : size);
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const std::size_t n = index(i, j, k);
                const Cell cell = cell_of(volume, volume.index(i, j, k), thinnest());
                samples[n] = {cell.extinction, cell.glow.red, cell.glow.green, cell.glow.blue};
                blocking[n] = cell.extinction + opaque * cell.solid;
                if (!solid.empty()) {
                    solid[n] = cell.solid;
                }
            }
        }
    }
    fill_rim(samples);
    fill_rim(blocking);
    if (!solid.empty()) {
        fill_rim(solid);
    }
}

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

/// What the cells hold that lie around the places of the block that begins at place (i0, j0, k0).
std::uint8_t LitVolume::Grid::found_around(std::uint32_t i0, std::uint32_t j0,
                                           std::uint32_t k0) const {
    std::uint8_t found = nothing;
    for (std::uint32_t k = k0; k <= std::min(k0 + block_size, last_k + 1); ++k) {
        for (std::uint32_t j = j0; j <= std::min(j0 + block_size, last_j + 1); ++j) {
            for (std::uint32_t i = i0; i <= std::min(i0 + block_size, last_i + 1); ++i) {
                const std::size_t n = i + j * row + k * layer;
                const Sample& s = samples[n];
                if (!solid.empty() && solid[n] > 0.0f) {
                    return solids;
                }
                if (s[0] != 0.0f || s[1] != 0.0f || s[2] != 0.0f || s[3] != 0.0f) {
                    found = something;
                }
            }
        }
    }
    return found;
}

void LitVolume::Grid::find_contents() {
    const std::uint32_t blocks_z = last_k / block_size + 1;
    contents.reserve(std::size_t{blocks_x} * blocks_y * blocks_z);
    for (std::uint32_t z = 0; z < blocks_z; ++z) {
        for (std::uint32_t y = 0; y < blocks_y; ++y) {
            for (std::uint32_t x = 0; x < blocks_x; ++x) {
                contents.push_back(found_around(x * block_size, y * block_size, z * block_size));
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

inline LitVolume::Grid::Sample LitVolume::Grid::sample(const Corner& corner) const {
    const Sample* const at = samples.data() + corner.first;
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

/// The share of the light that reaches a place.
float LitVolume::Grid::transmittance(Place3 from, Place3 towards) const {
    float depth = 0.0f;
    march(from, towards, [&](Place3, const Corner& around, float length) {
        depth += length * interpolate(blocking, around);
        return depth < opaque;
    });
    return std::exp(-depth);
}

/// The steps that the rays to the light make, all one cell long.
std::vector<LightStep> LitVolume::Grid::light_steps(Place3 towards) const {
    std::vector<LightStep> steps;
    for (int n = 0; n <= nx + ny + nz; ++n) {
        const Place3 middle = on_ray({0.0f, 0.0f, 0.0f}, static_cast<float>(n) + 0.5f, towards);
        const float i = std::floor(middle.x);
        const float j = std::floor(middle.y);
        const float k = std::floor(middle.z);
        LightStep step;
        step.first = static_cast<std::ptrdiff_t>(i) +
                     static_cast<std::ptrdiff_t>(j) * static_cast<std::ptrdiff_t>(row) +
                     static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(layer);
        for (std::size_t corner = 0; corner < 8; ++corner) {
            step.weights[corner] = (corner & 1 ? middle.x - i : 1.0f - middle.x + i) *
                                   (corner & 2 ? middle.y - j : 1.0f - middle.y + j) *
                                   (corner & 4 ? middle.z - k : 1.0f - middle.z + k);
        }
        steps.push_back(step);
    }
    return steps;
}

/// The share of the light that reaches the centres of a row of cells. The row makes each step
/// together, since no ray needs to find its eight cells then; a last, shorter step leads each ray
/// to the box's face.
std::vector<float> LitVolume::Grid::light_in_row(int j, int k, Place3 towards,
                                                 const std::vector<LightStep>& steps) const {
    const auto length_from = [&](int i) {
        return part_in_box(centre(i, j, k), towards, sides()).last;
    };
    const auto count = static_cast<std::size_t>(nx);
    std::vector<float> depths(count);
    int begin = 0;  // the cells from whose centres the step still lies in the box
    int end = nx;
    for (std::size_t n = 0; n < steps.size(); ++n) {
        const float needed = static_cast<float>(n + 1);
        while (begin < end && length_from(begin) < needed) {
            ++begin;
        }
        while (begin < end && length_from(end - 1) < needed) {
            --end;
        }
        if (begin == end) {
            break;
        }
        const std::array<float, 8>& w = steps[n].weights;
        const float* const a = blocking.data() + index(0, j, k) + steps[n].first;
        for (std::ptrdiff_t i = begin; i < end; ++i) {
            const float* const b = a + i;
            depths[static_cast<std::size_t>(i)] +=
                w[0] * b[0] + w[1] * b[1] + w[2] * b[row] + w[3] * b[row + 1] + w[4] * b[layer] +
                w[5] * b[layer + 1] + w[6] * b[layer + row] + w[7] * b[layer + row + 1];
        }
    }
    for (int i = 0; i < nx; ++i) {
        const float length = length_from(i);
        const float whole = std::floor(length);
        const Place3 last = on_ray(centre(i, j, k), 0.5f * (whole + length), towards);
        float& depth = depths[static_cast<std::size_t>(i)];
        depth = std::exp(-depth - (length - whole) * interpolate(blocking, corner(last)));
    }
    return depths;
}

/// Where a ray enters a solid: between a place before it and one inside.
Place3 LitVolume::Grid::surface(Place3 before, Place3 inside) const {
    for (int half = 0; half < 5; ++half) {
        const Place3 middle = {0.5f * (before.x + inside.x), 0.5f * (before.y + inside.y),
                               0.5f * (before.z + inside.z)};
        (is_solid(corner(middle)) ? inside : before) = middle;
    }
    return inside;
}

/// The direction out of a solid at its surface, from what is solid around it; (0, 0, 0) if there is
/// as much on all sides.
Place3 LitVolume::Grid::normal(Place3 place) const {
    Place3 out = {0.0f, 0.0f, 0.0f};
    for (int n = 0; n < 27; ++n) {
        const int x = n % 3 - 1, y = n / 3 % 3 - 1, z = n / 9 - 1;
        const Place3 away = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
        const Place3 beside = on_ray(place, 1.5f, away);
        const Place3 at = {std::clamp(beside.x, 0.0f, sides().x),
                           std::clamp(beside.y, 0.0f, sides().y),
                           std::clamp(beside.z, 0.0f, sides().z)};
        out = on_ray(out, -interpolate(solid, corner(at)), away);
    }
    return dot(out, out) > 0.0f ? normalized(out) : out;
}

LitVolume::LitVolume(const Volume& volume, const Light& light, parallel::ThreadPool& pool)
    : light_(light) {
    light_.towards = direction_of_light(light.towards, volume);
    const auto grid = std::make_shared<Grid>(volume);
    const std::vector<LightStep> steps = grid->light_steps(light_.towards);
    parallel::parallel_for(pool, grid->nz * grid->ny, pool.threads(), [&](int begin, int end) {
        for (int row = begin; row < end; ++row) {
            const int j = row % grid->ny;
            const int k = row / grid->ny;
            if (!grid->has_smoke(j, k)) {
                continue;
            }
            const std::vector<float> reaches = grid->light_in_row(j, k, light_.towards, steps);
            for (int i = 0; i < grid->nx; ++i) {
                Grid::Sample& sample = grid->samples[grid->index(i, j, k)];
                const Cell cell = cell_of(volume, volume.index(i, j, k), grid->thinnest());
                const float share = reaches[static_cast<std::size_t>(i)];
                const Rgb scattered = cell.colour * add(light_.ambient, share, light_.colour);
                const Rgb given = add(cell.glow, cell.extinction, scattered);
                sample = {cell.extinction, given.red, given.green, given.blue};
            }
        }
    });
    if (grid->nx > 0) {
        grid->fill_rim(grid->samples);
    }
    grid_ = grid;
}

Place3 LitVolume::sides() const {
    return grid_->sides();
}

namespace {

/// (1 - e^-x) / x, to the last digits of a float: how much of what is emitted evenly on the way
/// through a depth x comes out at its end. Where x is small, as in most steps, this is the first
/// terms of its series, which need no division.
inline float emerging(float x) {
    if (x > 0.5f) {
        return (1.0f - std::exp(-x)) / x;
    }
    const float x2 = x * x;
    return (1.0f - x / 2) + x2 * ((1.0f / 6 - x / 24) + x2 * ((1.0f / 120 - x / 720) + x2 / 5040));
}

/// What is seen after a length through something with that extinction, which gives off that light.
inline LitVolume::Seen through(const std::array<float, 4>& sample, float length) {
    const float depth = sample[0] * length;
    const float share = emerging(depth);
    const float from = share * length;
    return {{from * sample[1], from * sample[2], from * sample[3]}, 1.0f - depth * share};
}

}  // namespace

LitVolume::Seen LitVolume::march(Place3 from, Place3 along) const {
    const Place3 direction = direction_of(along);
    Seen seen = {{0.0f, 0.0f, 0.0f}, 1.0f};
    grid_->march(from, direction, [&](Place3 place, const Corner& around, float length) {
        if (grid_->is_solid(around)) {
            const Place3 at = grid_->surface(on_ray(place, -length, direction), place);
            const Place3 out = grid_->normal(at);
            const float facing = std::max(dot(out, light_.towards), 0.0f);
            const float reaches =
                facing > 0.0f ? grid_->transmittance(on_ray(at, 1.5f, out), light_.towards) : 0.0f;
            const Rgb reached = add(light_.ambient, facing * reaches, light_.colour);
            seen.radiance = add(seen.radiance, seen.transmittance, light_.solid * reached);
            seen.transmittance = 0.0f;
            return false;
        }
        const Seen step = through(grid_->sample(around), length);
        seen.radiance = add(seen.radiance, seen.transmittance, step.radiance);
        seen.transmittance *= step.transmittance;
        return seen.transmittance > invisible;
    });
    return seen;
}

LitVolume::Seen LitVolume::look_at(float x, float y, int k, float depth) const {
    if (!(x >= 0.0f && x <= sides().x && y >= 0.0f && y <= sides().y && k >= 0 && k < grid_->nz)) {
        return {{0.0f, 0.0f, 0.0f}, 1.0f};
    }
    const Corner around = grid_->corner({x, y, static_cast<float>(k) + 0.5f});
    if (grid_->is_solid(around)) {
        return {light_.solid * add(light_.ambient, 0.5f, light_.colour), 0.0f};
    }
    return through(grid_->sample(around), depth);
}

std::vector<float> light_reaching(const Volume& volume, Place3 towards,
                                  parallel::ThreadPool& pool) {
    const Place3 direction = direction_of_light(towards, volume);
    const LitVolume::Grid grid(volume);
    const std::vector<LightStep> steps = grid.light_steps(direction);
    std::vector<float> reaching(volume.count());
    parallel::parallel_for(pool, grid.nz * grid.ny, pool.threads(), [&](int begin, int end) {
        for (int row = begin; row < end; ++row) {
            const int j = row % grid.ny;
            const int k = row / grid.ny;
            const std::vector<float> found = grid.light_in_row(j, k, direction, steps);
            std::copy(found.begin(), found.end(),
                      reaching.begin() + static_cast<std::ptrdiff_t>(volume.index(0, j, k)));
        }
    });
    return reaching;
}

// ---- The picture -------------------------------------------------------------------------------

Rgb linear_light(Colour colour) {
    static const std::array<float, 256> table = [] {
        std::array<float, 256> light{};
        for (std::size_t byte = 0; byte < light.size(); ++byte) {
            const double c = static_cast<double>(byte) / 255.0;
            light[byte] =
                static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
        }
        return light;
    }();
    return {table[colour.red], table[colour.green], table[colour.blue]};
}

namespace {

/// The screen's byte for an amount of light, from a table: to_screen for each pixel is slow.
std::uint8_t screen_byte(float light) {
    constexpr int steps = 16384;
    static const std::vector<std::uint8_t> table = [] {
        std::vector<std::uint8_t> bytes;
        for (int n = 0; n <= steps; ++n) {  // each for the middle of its step
            bytes.push_back(to_screen((n + 0.5) / steps));
        }
        return bytes;
    }();
    const float place = std::clamp(light, 0.0f, 1.0f) * steps;
    return table[static_cast<std::size_t>(place)];
}

/// Puts what a ray has brought over a pixel.
void put_over(std::uint8_t* pixel, const LitVolume::Seen& seen) {
    const Rgb behind = linear_light({pixel[0], pixel[1], pixel[2]});
    const Rgb light = add(seen.radiance, seen.transmittance, behind);
    pixel[0] = screen_byte(light.red);
    pixel[1] = screen_byte(light.green);
    pixel[2] = screen_byte(light.blue);
}

bool is_nothing(const LitVolume::Seen& seen) {
    return seen.transmittance == 1.0f && seen.radiance.red == 0.0f && seen.radiance.green == 0.0f &&
           seen.radiance.blue == 0.0f;
}

/// Puts look(x, y) over the pixels of a rectangle, as far as it lies in the picture; (x, y) is the
/// middle of a square of `side` x `side` pixels.
template <class Look>
void put_over_all(Picture& picture, float left, float top, float right, float bottom, int side,
                  parallel::ThreadPool& pool, const Look& look) {
    const auto inside = [](float at, int size) {
        return static_cast<int>(std::clamp(at, 0.0f, static_cast<float>(size)));
    };
    const int x0 = inside(std::floor(left), picture.width());
    const int x1 = inside(std::ceil(right), picture.width());
    const int y0 = inside(std::floor(top), picture.height());
    const int y1 = inside(std::ceil(bottom), picture.height());
    const float middle = 0.5f * static_cast<float>(side);
    const auto do_square = [&](int x, int y) {
        const LitVolume::Seen seen =
            look(static_cast<float>(x) + middle, static_cast<float>(y) + middle);
        if (is_nothing(seen)) {
            return;
        }
        for (int row = y; row < std::min(y + side, y1); ++row) {
            for (int column = x; column < std::min(x + side, x1); ++column) {
                put_over(picture.row(row) + 4 * column, seen);
            }
        }
    };
    const auto do_rows = [&](int begin, int end) {
        for (int square = begin; square < end; ++square) {
            for (int x = x0; x < x1; x += side) {
                do_square(x, y0 + square * side);
            }
        }
    };
    parallel::parallel_for(pool, (y1 - y0 + side - 1) / side, pool.threads(), do_rows);
}

}  // namespace

void draw_volume(Picture& picture, const CubeView& view, const LitVolume& lit,
                 parallel::ThreadPool& pool, int pixels_per_ray) {
    float left = 1e30f, top = 1e30f, right = -1e30f, bottom = -1e30f;
    for (int corner = 0; corner < 8; ++corner) {
        const CubeView::Point at =
            view.point({static_cast<float>(corner & 1), static_cast<float>(corner >> 1 & 1),
                        static_cast<float>(corner >> 2)});
        left = std::min(left, at.x);
        right = std::max(right, at.x);
        top = std::min(top, at.y);
        bottom = std::max(bottom, at.y);
    }
    // All rays begin on the box's nearest side, or where it would go on.
    const int axis = view.facing_axis();
    const float nearest = view.grows_away(axis) ? 0.0f : 1.0f;
    const Place3 sides = lit.sides();
    const auto look = [&](float x, float y) {
        const std::optional<Place3> from = view.place_on(axis, nearest, x, y);
        return lit.march({from->x * sides.x, from->y * sides.y, from->z * sides.z}, view.away());
    };
    // One place on that side is found if all are: the side is not seen from its edge.
    if (sides.x > 0.0f && view.place_on(axis, nearest, left, top)) {
        put_over_all(picture, left, top, right, bottom, std::max(pixels_per_ray, 1), pool, look);
    }
}

void draw_layer(Picture& picture, float left, float top, float cell, const LitVolume& lit, int k,
                float depth, parallel::ThreadPool& pool) {
    const Place3 sides = lit.sides();
    const auto look = [&](float x, float y) {
        return lit.look_at((x - left) / cell, (y - top) / cell, k, depth);
    };
    put_over_all(picture, left, top, left + cell * sides.x, top + cell * sides.y, 1, pool, look);
}

}  // namespace workbook
