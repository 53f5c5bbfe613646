// Draws a box of cells that hold smoke, or anything else that light passes through: a ray is
// marched through the box for each pixel, and towards a light for each cell. It knows how dense a
// cell is and what colour it has, and nothing of why.
//
// In three dimensions a chapter's window does this:
//
//     Volume volume = {nx, ny, nz, cell_size};          // then one number for each cell
//     volume.extinction[volume.index(i, j, k)] = ...;
//     const LitVolume lit(volume, Light{}, pool);       // how much light reaches each cell
//     const CubeView view(area, camera, volume.sides());
//     draw_cube_edges(picture, view, false, edge_colour);   // behind
//     draw_volume(picture, view, lit, pool, turning ? 2 : 1);
//     draw_cube_edges(picture, view, true, edge_colour);    // in front
//
// `lit` can be kept for as long as only the camera changes. Look::turn is called once for each
// part of a drag: it sets `turning`, and the drawing function clears it again, so that the picture
// is coarse while the mouse turns the box, and fine when the mouse rests.
//
// In two dimensions (nz = 1) draw_layer takes the place of draw_volume, and shows the same light.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "common/draw/camera.hpp"
#include "common/draw/light.hpp"
#include "common/draw/picture.hpp"
#include "common/parallel.hpp"

namespace workbook {

/// What light meets in a box of nx x ny x nz cells, x to the right, y down, z away from the viewer.
/// Each array has a number for every cell, at index(i, j, k); only `extinction` must be there.
/// Between the cells' centres values are interpolated (tri-linearly), and from the outermost
/// centres to the box's faces they stay the same.
struct Volume {
    int nx = 0, ny = 0, nz = 0;
    float cell_size = 1.0f;  ///< the length of a cell's sides, in any unit of length

    /// How much light is lost on its way, per unit of length: after a length L through cells of
    /// extinction s, e^(-s L) of it is left (the law of Beer and Lambert). Smoke's extinction is
    /// its density times a factor. A plume is nearly opaque (5 % is left) where the extinction
    /// times the plume's width is 3.
    std::vector<float> extinction = std::vector<float>(count());

    std::vector<Rgb> colour = {};  ///< the share of the light that smoke throws back; empty: 0.9
    std::vector<Rgb> glow = {};  ///< light that a cell sends out, per unit of length; empty: none
    std::vector<float> solid = {};  ///< how much of a cell a solid fills, 0 to 1; empty: none

    /// The temperature of a cell's smoke; empty: too cold to glow. Hot smoke sends out as large a
    /// share of a black body's light as it would swallow of another's (Kirchhoff): what it holds
    /// back and does not throw back, its extinction times 1 - colour. Between the cells' centres
    /// the temperature is interpolated, not the light, which grows much faster.
    std::vector<float> kelvin = {};
    float exposure = 1.0f;  ///< how much light one of 2000 kelvin sends out (its luminance)

    /// The share of the light that reaches a cell; empty: LitVolume finds it.
    std::vector<float> reached = {};

    /// The number of cells; 0 if the box has no size.
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

/// The same volume from twice as many cells along each axis that has more than one. A cell's value
/// counts three times as much as that of the neighbour on the other side of its half, so that the
/// values are smooth: they approach quadratic B-splines (Chaikin 1974). `cell_size` is half as
/// large.
Volume refined(const Volume& volume);

/// A light that is so far away that its rays are parallel, and a faint one from all around.
struct Light {
    /// The direction from the box to the light, of any length but 0. In two dimensions (nz = 1) the
    /// light lies in the plane: z is left out.
    Place3 towards = {-0.6f, -1.0f, -0.5f};
    Rgb colour = {1.0f, 1.0f, 1.0f};
    Rgb ambient = {0.10f, 0.12f, 0.16f};  ///< reaches every cell: no shadow is quite black
    Rgb solid = {0.55f, 0.45f, 0.35f};  ///< the share of the light that solids throw back
};

/// Returns, for each cell, the share of the light that reaches its centre through the others, 0 to
/// 1: a ray is marched from each centre to the box's faces (Kajiya and Von Herzen 1984, their first
/// pass). Solids let nothing through. Throws std::invalid_argument as LitVolume does.
std::vector<float> light_reaching(const Volume& volume, Place3 towards, parallel::ThreadPool& pool);

/// A volume with its light, ready to be looked at from anywhere.
class LitVolume {
  public:
    /// Marches from every cell towards the light. Extinctions below 0 count as 0, and those that
    /// hide all within a cell as that; a cell with a number that is not finite (NaN) becomes an
    /// opaque one in magenta, as elsewhere in the book. What is so thin that it changes no colour
    /// on its way through the whole box counts as nothing. A box without cells is invisible.
    /// Throws std::invalid_argument if an array has not one number for each cell, if the cell size
    /// is not positive, or if `towards` has no direction.
    LitVolume(const Volume& volume, const Light& light, parallel::ThreadPool& pool);

    /// What a ray brings to the eye: the light that comes from the box itself, and the share that
    /// is left of what shines from behind the box.
    struct Seen {
        Rgb radiance;
        float transmittance;
    };

    /// Marches along a ray that starts at `from` and goes on in the direction `along`, which may
    /// have any length; both in cells, (0, 0, 0) is a corner of the box and (nx, ny, nz) the
    /// opposite one. The ray adds up absorption and emission from the front to the back (Max 1995,
    /// "Optical models for direct volume rendering"), in equal steps of at most one cell, through
    /// exactly the part of the ray that lies in the box. It stops where hardly any light is left.
    /// From a place that is not finite nothing is seen. Throws std::invalid_argument if `along` is
    /// no direction.
    Seen march(Place3 from, Place3 along) const;

    /// What is seen at a place (x, y), in cells, of layer k, looked at along z as if the layer were
    /// `depth` cells thick; that thickness casts no shadow. Outside of the box there is nothing.
    Seen look_at(float x, float y, int k, float depth) const;

    /// The volume's size, in cells.
    Place3 sides() const;

  private:
    friend std::vector<float> light_reaching(const Volume&, Place3, parallel::ThreadPool&);
    struct Grid;
    std::shared_ptr<const Grid> grid_;  ///< never changed, so copies share it
    Light light_;
};

/// Draws the volume over what the picture holds. The view is made with the volume's sides(). A ray
/// is marched for each square of `pixels_per_ray` x `pixels_per_ray` pixels, so 2 is four times as
/// fast as 1. The picture is the same for any number of threads.
void draw_volume(Picture& picture, const CubeView& view, const LitVolume& lit,
                 parallel::ThreadPool& pool, int pixels_per_ray = 1);
void draw_volume(LightPicture& picture, const CubeView& view, const LitVolume& lit,
                 parallel::ThreadPool& pool, int pixels_per_ray = 1);

/// Draws the volume as draw_volume does, but from fewer rays: they are `pixels_between_rays` pixels
/// apart along both axes, and between them what they bring is interpolated. So 4 is nearly sixteen
/// times as fast as a ray for each pixel, and as smooth. It is meant for clouds whose cells are
/// wider than that; a solid's outline would be blurred.
void draw_volume_smoothly(Picture& picture, const CubeView& view, const LitVolume& lit,
                          parallel::ThreadPool& pool, int pixels_between_rays);
void draw_volume_smoothly(LightPicture& picture, const CubeView& view, const LitVolume& lit,
                          parallel::ThreadPool& pool, int pixels_between_rays);

/// Draws layer k of the volume, seen straight on, over what the picture holds: its cells fill the
/// rectangle from (left, top) on and are `cell` pixels wide (a View has all three). They look as if
/// the layer were `depth` cells thick: in two dimensions about as thick as a plume is wide.
void draw_layer(Picture& picture, float left, float top, float cell, const LitVolume& lit, int k,
                float depth, parallel::ThreadPool& pool);
void draw_layer(LightPicture& picture, float left, float top, float cell, const LitVolume& lit,
                int k, float depth, parallel::ThreadPool& pool);

}  // namespace workbook
