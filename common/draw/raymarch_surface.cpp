// What is seen of the surface of a liquid: rays are marched to it, refracted, and marched on.
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/draw/colour.hpp"
#include "common/draw/raymarch_grid.hpp"
#include "common/draw/surface.hpp"

namespace workbook {
namespace {

constexpr float longest_step = 0.7f;  // of a ray near a surface, in cells
constexpr int most_surfaces = 3;  // that a ray goes through
constexpr Rgb stone = {0.52f, 0.46f, 0.40f};  // the share of the light that solids throw back
constexpr Rgb ambient = {0.32f, 0.36f, 0.42f};
constexpr Place3 unscaled_sun = {-0.35f, -1.0f, -0.45f};

const Place3 sun = normalized(unscaled_sun);

Place3 minus(Place3 a) {
    return {-a.x, -a.y, -a.z};
}

Rgb between(Rgb a, Rgb b, float share) {
    return add(a * Rgb{1.0f - share, 1.0f - share, 1.0f - share}, share, b);
}

/// The light that comes from a direction outside of the box: a bright ceiling and dark walls.
Rgb sky(Place3 towards) {
    const float up = std::clamp(-towards.y, 0.0f, 1.0f);
    const Rgb found = between({0.10f, 0.13f, 0.18f}, {0.85f, 0.92f, 1.0f}, up * up);
    const float glint = std::max(dot(towards, sun), 0.0f);
    return add(found, 3.0f * std::pow(glint, 180.0f), {1.0f, 0.97f, 0.9f});
}

Place3 reflected(Place3 along, Place3 normal) {
    return on_ray(along, -2.0f * dot(along, normal), normal);
}

/// The direction behind a surface with that normal, which points against `along` (Snell's law).
Place3 refracted(Place3 along, Place3 normal, float refractive_index) {
    const float refraction = 1.0f / refractive_index;
    const float c = -dot(along, normal);
    const float k = 1.0f - refraction * refraction * (1.0f - c * c);
    const Place3 scaled = {refraction * along.x, refraction * along.y, refraction * along.z};
    return normalized(on_ray(scaled, refraction * c - std::sqrt(std::max(k, 0.0f)), normal));
}

/// The share of the light that a surface reflects (Schlick 1994).
float mirrored_share(float cosine, float refractive_index) {
    const float root = (refractive_index - 1.0f) / (refractive_index + 1.0f);
    const float straight = root * root;  // where light falls straight onto the surface
    const float left = 1.0f - std::clamp(cosine, 0.0f, 1.0f);
    return straight + (1.0f - straight) * std::pow(left, 5.0f);
}

/// The normal of the box's face at a place on it, which points against `along`.
Place3 face_normal(Place3 at, Place3 along, Place3 sides) {
    const auto near = [](float a, float b) { return std::abs(a - b) < 1e-2f; };
    if (near(at.y, along.y > 0.0f ? 0.0f : sides.y)) {
        return {0.0f, along.y > 0.0f ? -1.0f : 1.0f, 0.0f};
    }
    if (near(at.x, along.x > 0.0f ? 0.0f : sides.x)) {
        return {along.x > 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f};
    }
    return {0.0f, 0.0f, along.z > 0.0f ? -1.0f : 1.0f};
}

/// The screen's byte for an amount of light on a film, from a table, since to_screen is slow.
std::uint8_t film_byte(float light) {
    constexpr int steps = 4096;
    constexpr float most = 4.0f, exposure = 1.5f;
    static const std::vector<std::uint8_t> table = [] {
        std::vector<std::uint8_t> bytes;
        for (int n = 0; n <= steps; ++n) {
            const float there = most * (static_cast<float>(n) + 0.5f) / steps;
            bytes.push_back(to_screen(on_film(exposure * there)));
        }
        return bytes;
    }();
    const float place = std::clamp(light / most, 0.0f, 1.0f) * steps;
    return table[static_cast<std::size_t>(place)];
}

}  // namespace

LitSurface::LitSurface(LevelSet level_set, const Liquid& liquid, parallel::ThreadPool& pool)
    : level_set_(std::move(level_set)), liquid_(liquid) {
    const std::size_t count = level_set_.count();
    if (level_set_.phi.size() != count ||
        (!level_set_.solid.empty() && level_set_.solid.size() != count)) {
        throw std::invalid_argument("a level set needs one number for each point");
    }
    for (float& phi : level_set_.phi) {
        if (!std::isfinite(phi)) {
            phi = 1.0f;
        }
    }
    if (count > 0) {
        find_blocks();
        light_floor(pool);
    }
}

/// Interpolates at a place, in cells from the corner of the box.
float LitSurface::interpolate(const std::vector<float>& values, Place3 place) const {
    const LevelSet& grid = level_set_;
    const float x = std::clamp(place.x - 0.5f, 0.0f, static_cast<float>(grid.nx - 1));
    const float y = std::clamp(place.y - 0.5f, 0.0f, static_cast<float>(grid.ny - 1));
    const float z = std::clamp(place.z - 0.5f, 0.0f, static_cast<float>(grid.nz - 1));
    const int i = static_cast<int>(x), j = static_cast<int>(y), k = static_cast<int>(z);
    const float s = x - static_cast<float>(i);
    const float t = y - static_cast<float>(j);
    const float r = z - static_cast<float>(k);
    const std::size_t right = i + 1 < grid.nx ? 1 : 0;
    const std::size_t below = j + 1 < grid.ny ? static_cast<std::size_t>(grid.nx) : 0;
    const std::size_t behind =
        k + 1 < grid.nz ? static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny) : 0;
    const float* const at = values.data() + grid.index(i, j, k);
    const auto across = [&](const float* a) { return a[0] + s * (a[right] - a[0]); };
    const auto down = [&](const float* a) {
        const float above = across(a);
        return above + t * (across(a + below) - above);
    };
    const float before = down(at);
    return before + r * (down(at + behind) - before);
}

/// The direction in which interpolated values grow fastest, of length 1.
Place3 LitSurface::gradient(const std::vector<float>& values, Place3 place) const {
    constexpr float step = 0.75f;
    const auto change = [&](float x, float y, float z) {
        return interpolate(values, {place.x + x, place.y + y, place.z + z}) -
               interpolate(values, {place.x - x, place.y - y, place.z - z});
    };
    const Place3 found = {change(step, 0.0f, 0.0f), change(0.0f, step, 0.0f),
                          change(0.0f, 0.0f, step)};
    const float square = dot(found, found);
    return square > 1e-12f ? normalized(found) : Place3{0.0f, -1.0f, 0.0f};
}

bool LitSurface::is_solid(Place3 place) const {
    return !level_set_.solid.empty() && interpolate(level_set_.solid, place) >= 0.5f;
}

// ---- Blocks: where no surface is near, a ray takes long steps ----------------------------------

std::size_t LitSurface::block(Place3 place) const {
    constexpr float size = block_size;
    const auto along = [](float at, int count) {
        return std::clamp(static_cast<int>(at / size), 0, count - 1);
    };
    return block_index(along(place.x, blocks_x_), along(place.y, blocks_y_),
                       along(place.z, blocks_z_));
}

std::size_t LitSurface::block_index(int x, int y, int z) const {
    return static_cast<std::size_t>(x + blocks_x_ * (y + blocks_y_ * z));
}

/// Calls action(x, y, z) for each block.
template <class Action>
void LitSurface::for_each_block(const Action& action) const {
    for (int z = 0; z < blocks_z_; ++z) {
        for (int y = 0; y < blocks_y_; ++y) {
            for (int x = 0; x < blocks_x_; ++x) {
                action(x, y, z);
            }
        }
    }
}

/// Whether there is neither a surface nor a solid in a block, nor at the points right beside it.
bool LitSurface::is_plain(int x, int y, int z) const {
    constexpr int size = block_size;
    const LevelSet& grid = level_set_;
    const auto range = [](int at, int count) {  // one more point on each side
        return std::pair{std::max(0, at * size - 1), std::min(count, (at + 1) * size + 1)};
    };
    const auto [i0, i1] = range(x, grid.nx);
    const auto [j0, j1] = range(y, grid.ny);
    const auto [k0, k1] = range(z, grid.nz);
    bool has_liquid = false;
    bool has_air = false;
    for (int k = k0; k < k1; ++k) {
        for (int j = j0; j < j1; ++j) {
            for (int i = i0; i < i1; ++i) {
                const std::size_t n = grid.index(i, j, k);
                if (!grid.solid.empty() && grid.solid[n] > 0.0f) {
                    return false;
                }
                if (grid.phi[n] < 0.0f) {
                    has_liquid = true;
                } else {
                    has_air = true;
                }
            }
        }
    }
    return !(has_liquid && has_air);
}

/// Gives each block around block (x, y, z), whose distance is known, the next larger distance,
/// unless its own is smaller.
void LitSurface::grow_distance(int x, int y, int z, std::uint8_t distance) {
    for (int c = std::max(z - 1, 0); c <= std::min(z + 1, blocks_z_ - 1); ++c) {
        for (int b = std::max(y - 1, 0); b <= std::min(y + 1, blocks_y_ - 1); ++b) {
            for (int a = std::max(x - 1, 0); a <= std::min(x + 1, blocks_x_ - 1); ++a) {
                std::uint8_t& beside = far_[block_index(a, b, c)];
                beside = std::min(beside, static_cast<std::uint8_t>(distance + 1));
            }
        }
    }
}

/// Finds the blocks in which there is a surface or a solid, and how far the others are from them:
/// `farthest` stands for all larger distances.
void LitSurface::find_blocks() {
    constexpr int size = block_size;
    constexpr std::uint8_t farthest = 7;
    blocks_x_ = (level_set_.nx + size - 1) / size;
    blocks_y_ = (level_set_.ny + size - 1) / size;
    blocks_z_ = (level_set_.nz + size - 1) / size;
    far_.assign(block_index(0, 0, blocks_z_), farthest);
    for_each_block([&](int x, int y, int z) {
        if (!is_plain(x, y, z)) {
            far_[block_index(x, y, z)] = 0;
        }
    });
    for (std::uint8_t distance = 0; distance + 1 < farthest; ++distance) {
        for_each_block([&](int x, int y, int z) {
            if (far_[block_index(x, y, z)] == distance) {
                grow_distance(x, y, z, distance);
            }
        });
    }
}

/// Where between two places of a ray the surface lies, or a solid begins.
float LitSurface::crossing(Place3 from, Place3 along, float before, float behind,
                           bool of_solid) const {
    const auto value = [&](float t) {
        const Place3 place = on_ray(from, t, along);
        return of_solid ? interpolate(level_set_.solid, place) - 0.5f
                        : interpolate(level_set_.phi, place);
    };
    const bool begins_below = value(before) < 0.0f;
    for (int n = 0; n < 6; ++n) {
        const float middle = 0.5f * (before + behind);
        const bool is_before = (value(middle) < 0.0f) == begins_below;
        if (is_before) {
            before = middle;
        } else {
            behind = middle;
        }
    }
    return 0.5f * (before + behind);
}

/// Follows a ray from `first` to `last` until it meets a solid, or the surface from the side on
/// which it is.
LitSurface::Hit LitSurface::next(Place3 from, Place3 along, float first, float last,
                                 bool in_liquid) const {
    const Place3 start = on_ray(from, first, along);
    if (first < last && !is_solid(start) &&
        (interpolate(level_set_.phi, start) < 0.0f) != in_liquid) {
        return {Meets::SURFACE, first};
    }
    float t = first;
    float before = first;
    while (t < last) {
        const Place3 place = on_ray(from, t, along);
        const std::uint8_t distance = far_[block(place)];
        if (distance > 0) {
            const float rest =
                std::min({rest_of_block(place.x, along.x), rest_of_block(place.y, along.y),
                          rest_of_block(place.z, along.z)});
            const float far = static_cast<float>((distance - 1) * static_cast<int>(block_size));
            before = t;
            t += std::max(rest + 1e-3f, far);
            continue;
        }
        if (is_solid(place)) {
            return {Meets::SOLID, t > first ? crossing(from, along, before, t, true) : t};
        }
        const float phi = interpolate(level_set_.phi, place);
        if ((phi < 0.0f) != in_liquid) {
            return {Meets::SURFACE, t > first ? crossing(from, along, before, t, false) : t};
        }
        before = t;
        t += std::max(longest_step, 0.8f * std::abs(phi));
    }
    return {Meets::NOTHING, last};
}

// ---- Light on the floor ------------------------------------------------------------------------

/// Sends light towards a place on the floor, and adds it to what the floor has received where it
/// arrives.
void LitSurface::send_light(Place3 target, std::vector<float>& received) const {
    const Place3 down = minus(sun);
    const Place3 size = sides();
    const Place3 outside = on_ray(target, 4.0f * (size.x + size.y + size.z), sun);
    const Part part = part_in_box(outside, down, size);
    Hit hit = next(outside, down, part.first, part.last, false);
    Place3 at = on_ray(outside, hit.t, down);
    float light = 1.0f;
    if (hit.meets == Meets::SURFACE) {
        const bool is_face = hit.t <= part.first;
        const Place3 normal = is_face ? face_normal(at, down, size) : gradient(level_set_.phi, at);
        const Place3 along =
            is_face && normal.y == 0.0f ? down : refracted(down, normal, liquid_.refractive_index);
        const Part rest = part_in_box(at, along, size);
        hit = next(at, along, 0.1f, rest.last, true);
        const float way = hit.meets == Meets::NOTHING ? rest.last : hit.t;
        const float mirrored = mirrored_share(-dot(down, normal), liquid_.refractive_index);
        light = std::exp(-liquid_.absorption_of_sunlight * way / size.x) * (1.0f - mirrored);
        at = on_ray(at, way, along);
        if (hit.meets == Meets::SURFACE && at.y < size.y - 1.0f) {  // out of a drop: straight on
            const Part fall = part_in_box(at, down, size);
            at = on_ray(at, fall.last, down);
            hit.meets = Meets::NOTHING;
        }
    }
    const float x = at.x - 0.5f, z = at.z - 0.5f;
    if (hit.meets == Meets::SOLID || at.y < size.y - 1.0f) {
        return;
    }
    const int i = static_cast<int>(std::floor(x)), k = static_cast<int>(std::floor(z));
    const float s = x - static_cast<float>(i), r = z - static_cast<float>(k);
    const auto give = [&](int column, int layer, float share) {
        const int a = std::clamp(column, 0, level_set_.nx - 1);
        const int c = std::clamp(layer, 0, level_set_.nz - 1);
        received[static_cast<std::size_t>(a + level_set_.nx * c)] += share * light;
    };
    give(i, k, (1.0f - s) * (1.0f - r));
    give(i + 1, k, s * (1.0f - r));
    give(i, k + 1, (1.0f - s) * r);
    give(i + 1, k + 1, s * r);
}

/// Finds the light on the floor. Four times as many rays as it has points begin so that without
/// liquid they would be evenly spread.
void LitSurface::light_floor(parallel::ThreadPool& pool) {
    const int nx = level_set_.nx, nz = level_set_.nz;
    const std::size_t count = static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz);
    std::vector<std::vector<float>> parts(static_cast<std::size_t>(pool.threads()));
    const int margin = level_set_.ny / 8;  // rays that would pass beside the floor may reach it
    const int rows = 2 * (nz + 2 * margin);
    const int share = (rows + pool.threads() - 1) / pool.threads();
    parallel::parallel_for(pool, pool.threads(), pool.threads(), [&](int begin, int end) {
        for (int part = begin; part < end; ++part) {
            std::vector<float>& received = parts[static_cast<std::size_t>(part)];
            received.assign(count, 0.0f);
            for (int row = part * share; row < std::min(rows, (part + 1) * share); ++row) {
                for (int column = 0; column < 2 * (nx + 2 * margin); ++column) {
                    const auto at = [margin](int n) {
                        return 0.5f * (static_cast<float>(n) + 0.5f) - static_cast<float>(margin);
                    };
                    send_light({at(column), static_cast<float>(level_set_.ny), at(row)}, received);
                }
            }
        }
    });
    floor_light_.assign(count, 0.0f);
    for (const std::vector<float>& received : parts) {
        for (std::size_t n = 0; n < count; ++n) {
            floor_light_[n] += 0.25f * received[n];
        }
    }
}

/// The light that the floor sends back at a place: that of tiles, which the sun lights.
Rgb LitSurface::floor(Place3 at) const {
    const int nx = level_set_.nx, nz = level_set_.nz;
    const float x = std::clamp(at.x - 0.5f, 0.0f, static_cast<float>(nx - 1));
    const float z = std::clamp(at.z - 0.5f, 0.0f, static_cast<float>(nz - 1));
    const int i = std::min(static_cast<int>(x), std::max(nx - 2, 0));
    const int k = std::min(static_cast<int>(z), std::max(nz - 2, 0));
    const auto value = [&](int a, int c) {
        return floor_light_[static_cast<std::size_t>(std::min(a, nx - 1) +
                                                     nx * std::min(c, nz - 1))];
    };
    const float s = x - static_cast<float>(i), r = z - static_cast<float>(k);
    const float light = (1.0f - r) * ((1.0f - s) * value(i, k) + s * value(i + 1, k)) +
                        r * ((1.0f - s) * value(i, k + 1) + s * value(i + 1, k + 1));
    const float tile = static_cast<float>(nx) / 8.0f;
    const auto edge = [tile](float place) {  // 0 on the line between two tiles, 1 beside it
        const float off = std::abs(place / tile - std::round(place / tile)) * tile;
        return std::clamp(off - 0.25f, 0.0f, 1.0f);
    };
    const int number = static_cast<int>(at.x / tile) + static_cast<int>(at.z / tile);
    const float bright =
        (number % 2 == 0 ? 0.60f : 0.42f) * (0.55f + 0.45f * std::min(edge(at.x), edge(at.z)));
    constexpr float most = 1.7f;  // brighter lines would be white
    const Rgb reached =
        add({0.25f, 0.27f, 0.30f}, 0.85f * std::min(light, most), {1.0f, 0.96f, 0.88f});
    return reached * Rgb{bright, bright, 0.96f * bright};
}

Rgb LitSurface::solid_at(Place3 at) const {
    const Place3 normal = minus(gradient(level_set_.solid, at));
    return stone * add(ambient, std::max(dot(normal, sun), 0.0f), {0.9f, 0.87f, 0.8f});
}

// ---- Rays to the eye ---------------------------------------------------------------------------

/// The light that comes into the box at a place on one of its faces: from the floor, or from
/// behind the box.
Rgb LitSurface::leaving(Place3 at, Rgb behind) const {
    return at.y > sides().y - 1e-2f ? floor(at) : behind;
}

/// The light that a ray within the liquid brings. `straight` is its direction outside.
Rgb LitSurface::in_liquid(Place3 at, Place3 along, Place3 straight, Rgb behind, int depth) const {
    const Part part = part_in_box(at, along, sides());
    const Hit hit = next(at, along, 0.05f, part.last, true);
    const float way = hit.meets == Meets::NOTHING ? std::max(part.last, 0.0f) : hit.t;
    const Place3 end = on_ray(at, way, along);
    Rgb light = leaving(end, behind);
    if (hit.meets == Meets::SOLID) {
        light = solid_at(end);
    } else if (hit.meets == Meets::SURFACE) {
        Hit further = {};
        light = through(on_ray(end, 0.5f, straight), straight, behind, depth + 1, further);
    }
    const Rgb& absorption = liquid_.absorption;
    const float width = sides().x;
    const Rgb left = {std::exp(-absorption.red * way / width),
                      std::exp(-absorption.green * way / width),
                      std::exp(-absorption.blue * way / width)};
    const Rgb lost = {1.0f - left.red, 1.0f - left.green, 1.0f - left.blue};
    return add(light * left, 1.0f, lost * liquid_.colour);
}

/// The light that a ray outside of the liquid brings, and what it meets first.
Rgb LitSurface::through(Place3 from, Place3 along, Rgb behind, int depth, Hit& hit) const {
    const Part part = part_in_box(from, along, sides());
    hit = {Meets::NOTHING, part.last};
    if (!(part.last > part.first)) {
        return behind;
    }
    const float first = std::max(part.first, 0.0f);
    hit = next(from, along, first, part.last, false);
    const Place3 at = on_ray(from, hit.t, along);
    if (hit.meets == Meets::NOTHING || depth >= most_surfaces) {
        return leaving(on_ray(from, part.last, along), behind);
    }
    if (hit.meets == Meets::SOLID) {
        return solid_at(at);
    }
    const bool is_face = hit.t <= first && depth == 0;
    const Place3 normal = is_face ? face_normal(at, along, sides()) : gradient(level_set_.phi, at);
    const float facing = -dot(along, normal);
    const float mirrored = mirrored_share(std::abs(facing), liquid_.refractive_index);
    const Place3 inside =
        facing > 0.0f ? refracted(along, normal, liquid_.refractive_index) : along;
    const Rgb light = in_liquid(at, inside, along, behind, depth);
    return between(light, sky(reflected(along, normal)), is_face ? 0.5f * mirrored : mirrored);
}

LitSurface::Seen LitSurface::look(Place3 from, Place3 along, Rgb behind) const {
    Hit hit = {};
    const Rgb light = through(from, along, behind, 0, hit);
    const Place3 end = on_ray(from, hit.t, along);
    const Part part = part_in_box(from, along, sides());
    const bool meets_floor = part.last > part.first && end.y > sides().y - 1e-2f;
    const bool meets = hit.meets != Meets::NOTHING || meets_floor;
    return {meets, light};
}

void draw_surface(Picture& picture, const CubeView& view, const LitSurface& lit,
                  parallel::ThreadPool& pool, int pixels_per_ray) {
    const int side = std::max(pixels_per_ray, 1);
    const int columns = (picture.width() + side - 1) / side;
    const int rows = (picture.height() + side - 1) / side;
    const Place3 sides = lit.sides();
    const int axis = view.facing_axis();
    const float nearest = view.grows_away(axis) ? 0.0f : 1.0f;
    if (sides.x < 1.0f || !view.place_on(axis, nearest, 0.0f, 0.0f)) {
        return;
    }
    const float before = sides.x + sides.y + sides.z;  // where a ray starts, in front of the box
    const auto do_square = [&](int column, int row) {
        const int x = column * side, y = row * side;
        const float middle = 0.5f * static_cast<float>(side);
        const std::optional<Place3> place = view.place_on(
            axis, nearest, static_cast<float>(x) + middle, static_cast<float>(y) + middle);
        const Place3 on_side = {place->x * sides.x, place->y * sides.y, place->z * sides.z};
        const Place3 from = on_ray(on_side, -before, view.away());
        const Rgb behind = linear_light(picture.at(x, y));
        const LitSurface::Seen seen = lit.look(from, view.away(), behind);
        if (!seen.anything) {
            return;
        }
        picture.rectangle(
            x, y, side, side,
            {film_byte(seen.light.red), film_byte(seen.light.green), film_byte(seen.light.blue)});
    };
    parallel::parallel_for(pool, rows, pool.threads(), [&](int begin, int end) {
        for (int row = begin; row < end; ++row) {
            for (int column = 0; column < columns; ++column) {
                do_square(column, row);
            }
        }
    });
}

}  // namespace workbook
