// Draws a surface that is given by numbers on a grid, as that of a clear liquid in a box: lit,
// with what lies behind it refracted. It knows where the surface is, and nothing of why.
//
//     LevelSet surface = {nx, ny, nz};           // then one number for each point
//     surface.phi[surface.index(i, j, k)] = ...;
//     const CubeView view(area, camera, surface.sides());
//     draw_surface(picture, view, LitSurface(surface, liquid, pool), pool, 1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/draw/camera.hpp"
#include "common/draw/light.hpp"
#include "common/draw/picture.hpp"
#include "common/parallel.hpp"

namespace workbook {

/// Numbers at nx x ny x nz points, in the middles of as many cells of a box: x to the right, y
/// down, z away from the viewer. They are negative on one side of a surface and positive on the
/// other, and near it they are about the distance to it, in widths of a cell. Between the points
/// they are interpolated (tri-linearly), and from the outermost ones to the box's faces they stay
/// the same.
struct LevelSet {
    int nx = 0, ny = 0, nz = 0;
    std::vector<float> phi = std::vector<float>(count());
    std::vector<float> solid = {};  ///< 1 at points in a solid, else 0; empty: there is none

    std::size_t count() const {
        return nx < 1 || ny < 1 || nz < 1
                   ? 0
                   : static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) *
                         static_cast<std::size_t>(nz);
    }
    std::size_t index(int i, int j, int k) const {
        return static_cast<std::size_t>(i) +
               static_cast<std::size_t>(nx) *
                   (static_cast<std::size_t>(j) +
                    static_cast<std::size_t>(ny) * static_cast<std::size_t>(k));
    }
    /// The box's sides in cells, for CubeView.
    Place3 sides() const {
        return {static_cast<float>(nx), static_cast<float>(ny), static_cast<float>(nz)};
    }
};

/// What a clear liquid does to light. Lengths are in the unit of the box's width.
struct Liquid {
    float refractive_index;  ///< 1 or more (Snell)
    Rgb absorption;  ///< of light on its way to the eye, for a unit of length
    float absorption_of_sunlight;  ///< of light on its way to the floor, for a unit of length
    Rgb colour;  ///< what very much of the liquid sends back
};

/// A level set with the light that reaches the floor of its box, ready to be looked at from
/// anywhere. Where phi is negative there is liquid. Light from above is refracted by it, so it
/// gathers on the floor in bright lines (caustics).
class LitSurface {
  public:
    /// Sends light through the liquid to the floor. What is not finite (NaN) counts as air. Throws
    /// std::invalid_argument if an array has not one number for each point.
    LitSurface(LevelSet level_set, const Liquid& liquid, parallel::ThreadPool& pool);

    /// The light that a ray brings to the eye, and whether it meets anything.
    struct Seen {
        bool anything;
        Rgb light;
    };

    /// Follows a ray from a place, in cells, in a direction of length 1. `behind` is the light that
    /// comes from behind the box.
    Seen look(Place3 from, Place3 along, Rgb behind) const;

    Place3 sides() const { return level_set_.sides(); }

  private:
    enum class Meets { NOTHING, SURFACE, SOLID };
    struct Hit {
        Meets meets;
        float t;
    };

    float interpolate(const std::vector<float>& values, Place3 place) const;
    Place3 gradient(const std::vector<float>& values, Place3 place) const;
    std::size_t block(Place3 place) const;
    std::size_t block_index(int x, int y, int z) const;
    template <class Action>
    void for_each_block(const Action& action) const;
    bool is_plain(int x, int y, int z) const;
    void grow_distance(int x, int y, int z, std::uint8_t distance);
    void find_blocks();
    void light_floor(parallel::ThreadPool& pool);
    void send_light(Place3 target, std::vector<float>& received) const;
    bool is_solid(Place3 place) const;
    Hit next(Place3 from, Place3 along, float first, float last, bool in_liquid) const;
    float crossing(Place3 from, Place3 along, float before, float behind, bool of_solid) const;
    Rgb through(Place3 from, Place3 along, Rgb behind, int depth, Hit& hit) const;
    Rgb in_liquid(Place3 at, Place3 along, Place3 straight, Rgb behind, int depth) const;
    Rgb leaving(Place3 at, Rgb behind) const;
    Rgb floor(Place3 at) const;
    Rgb solid_at(Place3 at) const;

    LevelSet level_set_;
    Liquid liquid_;
    std::vector<std::uint8_t> far_;  ///< how many blocks a block is from the nearest with a surface
    int blocks_x_ = 0, blocks_y_ = 0, blocks_z_ = 0;
    std::vector<float> floor_light_;  ///< the share of the light that reaches it: 1 without liquid
};

/// Draws the surface, the floor of the box and what is solid over what the picture holds. The view
/// is made with the level set's sides(). A ray is followed for each square of `pixels_per_ray` x
/// `pixels_per_ray` pixels.
void draw_surface(Picture& picture, const CubeView& view, const LitSurface& lit,
                  parallel::ThreadPool& pool, int pixels_per_ray = 1);

}  // namespace workbook
