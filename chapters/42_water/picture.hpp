// Water in the picture of a window: one layer of the box, with a smooth surface and air above it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "42_water/smooth_surface.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/picture.hpp"
#include "common/parallel.hpp"
#include "window/window.hpp"

/// One layer of a level set, which has some points along each side of a cell.
class LayerOfSurface {
  public:
    /// Takes the layer in the middle of layer k of the box.
    LayerOfSurface(const workbook::LevelSet& surface, int nz, int k)
        : surface_(surface), layer_(surface.nz / nz * k + surface.nz / nz / 2) {}

    /// Interpolates phi at a place in points from the corner of the box.
    float at(float x, float y) const {
        const int i = std::clamp(static_cast<int>(std::floor(x - 0.5f)), 0, surface_.nx - 1);
        const int j = std::clamp(static_cast<int>(std::floor(y - 0.5f)), 0, surface_.ny - 1);
        const float s = std::clamp(x - 0.5f - static_cast<float>(i), 0.0f, 1.0f);
        const float t = std::clamp(y - 0.5f - static_cast<float>(j), 0.0f, 1.0f);
        return (1.0f - t) * ((1.0f - s) * value(i, j) + s * value(i + 1, j)) +
               t * ((1.0f - s) * value(i, j + 1) + s * value(i + 1, j + 1));
    }

    int columns() const { return surface_.nx; }

  private:
    float value(int i, int j) const {
        return surface_.phi[surface_.index(std::min(i, surface_.nx - 1),
                                           std::min(j, surface_.ny - 1), layer_)];
    }

    const workbook::LevelSet& surface_;
    int layer_;
};

/// Calls visit(x, y, distance) for each pixel of the grid with its distance to the surface in
/// pixels. It is below 0 in the water.
template <class Visit>
void for_each_pixel(const workbook::View& view, const LayerOfSurface& surface, Visit visit) {
    const int left = static_cast<int>(std::lround(view.left));
    const int top = static_cast<int>(std::lround(view.top));
    const float columns = static_cast<float>(view.columns), rows = static_cast<float>(view.rows);
    const int right = static_cast<int>(std::lround(view.left + view.cell * columns));
    const int bottom = static_cast<int>(std::lround(view.top + view.cell * rows));
    const float pixels = view.cell * columns / static_cast<float>(surface.columns());
    for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
            const float phi = surface.at((static_cast<float>(x - left) + 0.5f) / pixels,
                                         (static_cast<float>(y - top) + 0.5f) / pixels);
            visit(x, y, pixels * phi);
        }
    }
}

/// The colour at a share of the way from one to another.
inline workbook::Colour mixed(workbook::Colour from, workbook::Colour to, float share) {
    const float part = std::clamp(share, 0.0f, 1.0f);
    const auto mix = [part](std::uint8_t a, std::uint8_t b) {
        const auto first = static_cast<float>(a);
        return static_cast<std::uint8_t>(
            std::lround(first + part * (static_cast<float>(b) - first)));
    };
    return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

/// Makes the water blue, with a bright crest along its surface, a fifth of a cell wide. This shows
/// no field, so the picture has no bar.
inline void draw_blue_water(workbook::Picture& picture, const workbook::View& view,
                            const LayerOfSurface& surface) {
    constexpr workbook::Colour water = {28, 98, 178}, crest = {140, 196, 240};
    const float width = std::max(1.0f, view.cell / 5.0f);
    picture.scales.clear();
    for_each_pixel(view, surface, [&](int x, int y, float distance) {
        if (distance < 1.0f) {
            picture.pixel(x, y, mixed(crest, water, -distance / width));
        }
    });
}

/// Covers all that is air. The edge is smooth: a pixel that the surface crosses is mixed.
inline void draw_air(workbook::Picture& picture, const workbook::View& view,
                     const LayerOfSurface& surface) {
    constexpr workbook::Colour air = {18, 20, 26};
    for_each_pixel(view, surface, [&](int x, int y, float distance) {
        if (distance > -0.5f) {
            picture.pixel(x, y, mixed(picture.at(x, y), air, distance + 0.5f));
        }
    });
}

/// Draws the water of the window's fluid. It has the colours of the field that is shown; with dye
/// it is blue.
template <class Fluid>
void add_water_picture(Window<Fluid>& window, parallel::ThreadPool& pool) {
    window.draw_over.add([&window, &pool](workbook::Picture& picture, const workbook::View& view) {
        const Fluid& fluid = window.fluid;
        const workbook::Program& program = window.program;
        if (!fluid.has_air) {
            return;
        }
        const workbook::LevelSet found = smooth_surface(fluid, pool);
        const LayerOfSurface surface(found, fluid.nz, window.box.layer);
        if (program.shown_field().name == "dye") {
            draw_blue_water(picture, view, surface);
            if (program.screen.shows_arrows) {
                workbook::draw_arrows(picture, view, program.look.velocity,
                                      *program.look.arrow_scale);
            }
        }
        draw_air(picture, view, surface);
    });
}
