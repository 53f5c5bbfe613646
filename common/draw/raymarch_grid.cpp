#include "common/draw/raymarch_grid.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace workbook {
namespace {

void require(bool holds, const char* what) {
    if (!holds) {
        throw std::invalid_argument(std::string("a volume to draw: ") + what);
    }
}

void check(const Volume& volume) {
    const auto fits = [&](const auto& array) {
        return array.empty() || array.size() == volume.count();
    };
    require(volume.extinction.size() == volume.count() && fits(volume.colour) &&
                fits(volume.glow) && fits(volume.solid) && fits(volume.kelvin) &&
                fits(volume.reached),
            "an array has not one number for each cell");
    require(std::isfinite(volume.cell_size) && volume.cell_size > 0.0f,
            "its cell size is not positive");
}

/// Values of a box from twice as many cells along an axis: `apart` is from a cell to the next one
/// along it, and `side` is how many there are.
template <class Value, class Mix>
std::vector<Value> refined_along(const std::vector<Value>& values, std::size_t apart,
                                 std::size_t side, const Mix& mix) {
    std::vector<Value> found(2 * values.size());
    for (std::size_t first = 0; first < values.size(); first += apart * side) {
        for (std::size_t cell = 0; cell < side; ++cell) {
            const Value* const here = values.data() + first + cell * apart;
            const Value* const before = cell > 0 ? here - apart : here;
            const Value* const after = cell + 1 < side ? here + apart : here;
            Value* const to = found.data() + 2 * (first + cell * apart);
            for (std::size_t n = 0; n < apart; ++n) {
                to[n] = mix(here[n], before[n]);
                to[n + apart] = mix(here[n], after[n]);
            }
        }
    }
    return found;
}

/// Values of a box from twice as many cells along each axis that has more than one.
template <class Value, class Mix>
std::vector<Value> refined(std::vector<Value> values, const Volume& volume, const Mix& mix) {
    std::size_t apart = 1;
    for (const int side : {volume.nx, volume.ny, volume.nz}) {
        const auto cells = static_cast<std::size_t>(side);
        if (cells > 1 && !values.empty()) {
            values = refined_along(values, apart, cells, mix);
        }
        apart *= cells > 1 ? 2 * cells : 1;
    }
    return values;
}

}  // namespace

Volume refined(const Volume& volume) {
    check(volume);
    Volume found;
    const auto doubled = [](int side) { return side > 1 ? 2 * side : side; };
    found.nx = doubled(volume.nx);
    found.ny = doubled(volume.ny);
    found.nz = doubled(volume.nz);
    found.cell_size = 0.5f * volume.cell_size;
    found.exposure = volume.exposure;
    const auto mixed = [](float here, float beside) { return 0.75f * here + 0.25f * beside; };
    const auto mixed_light = [&](const Rgb& here, const Rgb& beside) {
        return Rgb{mixed(here.red, beside.red), mixed(here.green, beside.green),
                   mixed(here.blue, beside.blue)};
    };
    found.extinction = refined(volume.extinction, volume, mixed);
    found.colour = refined(volume.colour, volume, mixed_light);
    found.glow = refined(volume.glow, volume, mixed_light);
    found.solid = refined(volume.solid, volume, mixed);
    found.kelvin = refined(volume.kelvin, volume, mixed);
    found.reached = refined(volume.reached, volume, mixed);
    return found;
}

Place3 direction_of(Place3 along) {
    const float squared = dot(along, along);
    require(std::isfinite(squared) && squared > 0.0f, "light without a direction");
    return normalized(along);
}

Place3 direction_of_light(Place3 towards, const Volume& volume) {
    return direction_of(volume.nz == 1 ? Place3{towards.x, towards.y, 0.0f} : towards);
}

Cell cell_of(const Volume& volume, std::size_t n, float thinnest) {
    Cell cell = {volume.extinction[n] * volume.cell_size,
                 volume.colour.empty() ? Rgb{0.9f, 0.9f, 0.9f} : volume.colour[n],
                 volume.glow.empty() ? Rgb{} : add({}, volume.cell_size, volume.glow[n]),
                 volume.solid.empty() ? 0.0f : volume.solid[n],
                 volume.kelvin.empty() ? 0.0f : volume.kelvin[n],
                 volume.reached.empty() ? 0.0f : volume.reached[n]};
    const Rgb all = add(cell.colour, 1.0f, cell.glow);
    if (!std::isfinite(all.red + all.green + all.blue + cell.solid + cell.kelvin + cell.reached) ||
        std::isnan(cell.extinction)) {
        return {opaque, {}, {opaque, 0.0f, opaque}, 0.0f, 0.0f, 0.0f};  // magenta
    }
    cell.extinction = cell.extinction < thinnest ? 0.0f : std::min(cell.extinction, opaque);
    cell.solid = std::clamp(cell.solid, 0.0f, 1.0f);
    return cell;
}

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

LitVolume::Grid::Grid(const Volume& volume, const Light& light)
    : nx(volume.count() > 0 ? volume.nx : 0), ny(volume.count() > 0 ? volume.ny : 0),
      nz(volume.count() > 0 ? volume.nz : 0) {
    check(volume);
    if (nx > 0) {
        take(volume, light);
        find_contents();
    }
}

/// A cell's extinction, and the light that it glows with and scatters.
LitVolume::Grid::Sample LitVolume::Grid::lit_sample(const Cell& cell, const Light& light) {
    const Rgb scattered = cell.colour * add(light.ambient, cell.reached, light.colour);
    const Rgb given = add(cell.glow, cell.extinction, scattered);
    return {cell.extinction, given.red, given.green, given.blue};
}

/// Takes what each cell holds. Where the light that reaches it is not known, this is found later.
void LitVolume::Grid::take(const Volume& volume, const Light& light) {
    const std::size_t size = layer * (static_cast<std::size_t>(nz) + 2);
    samples.resize(size);
    blocking.resize(size);
    solid.resize(volume.solid.empty() ? 0 : size);
    heat.resize(volume.kelvin.empty() ? 0 : size);
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const std::size_t n = index(i, j, k);
                const Cell cell = cell_of(volume, volume.index(i, j, k), thinnest());
                samples[n] = lit_sample(cell, light);
                blocking[n] = cell.extinction + opaque * cell.solid;
                if (!solid.empty()) {
                    solid[n] = cell.solid;
                }
                if (!heat.empty()) {
                    const float most = volume.exposure * cell.extinction;
                    heat[n] = {most * (1.0f - cell.colour.red), most * (1.0f - cell.colour.green),
                               most * (1.0f - cell.colour.blue), cell.kelvin};
                }
            }
        }
    }
    fill_rim(samples);
    fill_rim(blocking);
    if (!solid.empty()) {
        fill_rim(solid);
    }
    if (!heat.empty()) {
        fill_rim(heat);
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
                    found = std::max(found, something);
                    if (!heat.empty() && heat[n][3] > coldest) {
                        found = heated;
                    }
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

const GlowTable& glow_table() {
    static const GlowTable table;
    return table;
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

}  // namespace workbook
