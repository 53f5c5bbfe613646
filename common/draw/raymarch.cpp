// What is seen of a volume that is lit: along one ray, and in a picture.
#include "common/draw/raymarch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "common/draw/colour.hpp"
#include "common/draw/raymarch_grid.hpp"

namespace workbook {

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
void put_over(Picture& picture, int x, int y, const LitVolume::Seen& seen) {
    std::uint8_t* const pixel = picture.row(y) + 4 * x;
    const Rgb behind = linear_light({pixel[0], pixel[1], pixel[2]});
    const Rgb light = add(seen.radiance, seen.transmittance, behind);
    pixel[0] = screen_byte(light.red);
    pixel[1] = screen_byte(light.green);
    pixel[2] = screen_byte(light.blue);
}

void put_over(LightPicture& picture, int x, int y, const LitVolume::Seen& seen) {
    Rgb& light = picture.at(x, y);
    light = add(seen.radiance, seen.transmittance, light);
}

Rectangle pixels(const Picture& picture) {
    return {0, 0, picture.width(), picture.height()};
}

Rectangle pixels(const LightPicture& picture) {
    return picture.area();
}

bool is_nothing(const LitVolume::Seen& seen) {
    return seen.transmittance == 1.0f && seen.radiance.red == 0.0f && seen.radiance.green == 0.0f &&
           seen.radiance.blue == 0.0f;
}

/// Puts look(x, y) over the pixels of a rectangle, as far as it lies in the picture; (x, y) is the
/// middle of a square of `side` x `side` pixels.
template <class Target, class Look>
void put_over_all(Target& picture, float left, float top, float right, float bottom, int side,
                  parallel::ThreadPool& pool, const Look& look) {
    const Rectangle all = pixels(picture);
    const auto inside = [](float at, int first, int size) {
        return static_cast<int>(
            std::clamp(at, static_cast<float>(first), static_cast<float>(first + size)));
    };
    const int x0 = inside(std::floor(left), all.x, all.width);
    const int x1 = inside(std::ceil(right), all.x, all.width);
    const int y0 = inside(std::floor(top), all.y, all.height);
    const int y1 = inside(std::ceil(bottom), all.y, all.height);
    const float middle = 0.5f * static_cast<float>(side);
    const auto do_square = [&](int x, int y) {
        const LitVolume::Seen seen =
            look(static_cast<float>(x) + middle, static_cast<float>(y) + middle);
        if (is_nothing(seen)) {
            return;
        }
        for (int row = y; row < std::min(y + side, y1); ++row) {
            for (int column = x; column < std::min(x + side, x1); ++column) {
                put_over(picture, column, row, seen);
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

/// The rectangle of a picture in which a cube is seen.
struct Bounds {
    float left = 1e30f, top = 1e30f, right = -1e30f, bottom = -1e30f;

    explicit Bounds(const CubeView& view) {
        for (int corner = 0; corner < 8; ++corner) {
            const CubeView::Point at =
                view.point({static_cast<float>(corner & 1), static_cast<float>(corner >> 1 & 1),
                            static_cast<float>(corner >> 2)});
            left = std::min(left, at.x);
            right = std::max(right, at.x);
            top = std::min(top, at.y);
            bottom = std::max(bottom, at.y);
        }
    }
};

/// The rays of a picture's pixels. All begin on the box's nearest side, or where it would go on.
class Rays {
  public:
    Rays(const CubeView& view, const LitVolume& lit)
        : view_(view), lit_(lit), axis_(view.facing_axis()),
          nearest_(view.grows_away(axis_) ? 0.0f : 1.0f) {}

    /// One place on that side is found if all are: the side is not seen from its edge.
    bool exist(const Bounds& bounds) const {
        return lit_.sides().x > 0.0f &&
               view_.place_on(axis_, nearest_, bounds.left, bounds.top).has_value();
    }

    LitVolume::Seen operator()(float x, float y) const {
        const std::optional<Place3> from = view_.place_on(axis_, nearest_, x, y);
        const Place3 sides = lit_.sides();
        return lit_.march({from->x * sides.x, from->y * sides.y, from->z * sides.z}, view_.away());
    }

  private:
    const CubeView& view_;
    const LitVolume& lit_;
    int axis_;
    float nearest_;
};

/// What is seen at a share t of the way from one ray to another.
LitVolume::Seen between(const LitVolume::Seen& a, const LitVolume::Seen& b, float t) {
    const auto part = [t](float from, float to) { return from + t * (to - from); };
    return {{part(a.radiance.red, b.radiance.red), part(a.radiance.green, b.radiance.green),
             part(a.radiance.blue, b.radiance.blue)},
            part(a.transmittance, b.transmittance)};
}

template <class Target>
void put_volume(Target& picture, const CubeView& view, const LitVolume& lit,
                parallel::ThreadPool& pool, int pixels_per_ray) {
    const Bounds bounds(view);
    const Rays rays(view, lit);
    if (rays.exist(bounds)) {
        put_over_all(picture, bounds.left, bounds.top, bounds.right, bounds.bottom,
                     std::max(pixels_per_ray, 1), pool, rays);
    }
}

template <class Target>
void put_volume_smoothly(Target& picture, const CubeView& view, const LitVolume& lit,
                         parallel::ThreadPool& pool, int pixels_between_rays) {
    const Bounds bounds(view);
    const Rays rays(view, lit);
    if (!rays.exist(bounds)) {
        return;
    }
    const auto apart = static_cast<float>(std::max(pixels_between_rays, 1));
    const int columns = static_cast<int>((bounds.right - bounds.left) / apart) + 2;
    const int rows = static_cast<int>((bounds.bottom - bounds.top) / apart) + 2;
    std::vector<LitVolume::Seen> seen(static_cast<std::size_t>(columns) *
                                      static_cast<std::size_t>(rows));
    parallel::parallel_for(pool, rows, pool.threads(), [&](int begin, int end) {
        for (int row = begin; row < end; ++row) {
            for (int column = 0; column < columns; ++column) {
                seen[static_cast<std::size_t>(row * columns + column)] =
                    rays(bounds.left + apart * static_cast<float>(column),
                         bounds.top + apart * static_cast<float>(row));
            }
        }
    });
    const auto look = [&](float x, float y) {
        const float right = std::max((x - bounds.left) / apart, 0.0f);
        const float down = std::max((y - bounds.top) / apart, 0.0f);
        const int column = std::min(static_cast<int>(right), columns - 2);
        const int row = std::min(static_cast<int>(down), rows - 2);
        const LitVolume::Seen* const above = seen.data() + row * columns + column;
        const LitVolume::Seen* const below = above + columns;
        const float across = right - static_cast<float>(column);
        return between(between(above[0], above[1], across), between(below[0], below[1], across),
                       down - static_cast<float>(row));
    };
    put_over_all(picture, bounds.left, bounds.top, bounds.right, bounds.bottom, 1, pool, look);
}

template <class Target>
void put_layer(Target& picture, float left, float top, float cell, const LitVolume& lit, int k,
               float depth, parallel::ThreadPool& pool) {
    const Place3 sides = lit.sides();
    const auto look = [&](float x, float y) {
        return lit.look_at((x - left) / cell, (y - top) / cell, k, depth);
    };
    put_over_all(picture, left, top, left + cell * sides.x, top + cell * sides.y, 1, pool, look);
}

}  // namespace

void draw_volume(Picture& picture, const CubeView& view, const LitVolume& lit,
                 parallel::ThreadPool& pool, int pixels_per_ray) {
    put_volume(picture, view, lit, pool, pixels_per_ray);
}

void draw_volume(LightPicture& picture, const CubeView& view, const LitVolume& lit,
                 parallel::ThreadPool& pool, int pixels_per_ray) {
    put_volume(picture, view, lit, pool, pixels_per_ray);
}

void draw_volume_smoothly(Picture& picture, const CubeView& view, const LitVolume& lit,
                          parallel::ThreadPool& pool, int pixels_between_rays) {
    put_volume_smoothly(picture, view, lit, pool, pixels_between_rays);
}

void draw_volume_smoothly(LightPicture& picture, const CubeView& view, const LitVolume& lit,
                          parallel::ThreadPool& pool, int pixels_between_rays) {
    put_volume_smoothly(picture, view, lit, pool, pixels_between_rays);
}

void draw_layer(Picture& picture, float left, float top, float cell, const LitVolume& lit, int k,
                float depth, parallel::ThreadPool& pool) {
    put_layer(picture, left, top, cell, lit, k, depth, pool);
}

void draw_layer(LightPicture& picture, float left, float top, float cell, const LitVolume& lit,
                int k, float depth, parallel::ThreadPool& pool) {
    put_layer(picture, left, top, cell, lit, k, depth, pool);
}

}  // namespace workbook
