// Water in the picture of a window: a smooth surface, air above it, and foam where particles fly
// alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "42_water/surface.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/picture.hpp"
#include "window/counts.hpp"
#include "window/window.hpp"

/// phi in one layer of the box, between the centres of the cells, too.
class LayerOfPhi {
  public:
    template <class Fluid>
    LayerOfPhi(const Fluid& fluid, int k) : columns_(fluid.nx), rows_(fluid.ny) {
        for (int j = -1; j <= rows_; ++j) {  // half a cell beyond the sides, too
            for (int i = -1; i <= columns_; ++i) {
                values_.push_back(phi_beside(fluid, i, j, k));
            }
        }
    }

    /// Interpolates phi at a place in cells from the corner of the box.
    double at(double x, double y) const {
        const int i = std::clamp(static_cast<int>(std::floor(x - 0.5)), -1, columns_ - 1);
        const int j = std::clamp(static_cast<int>(std::floor(y - 0.5)), -1, rows_ - 1);
        const double s = x - 0.5 - i;
        const double t = y - 0.5 - j;
        return (1.0 - t) * ((1.0 - s) * value(i, j) + s * value(i + 1, j)) +
               t * ((1.0 - s) * value(i, j + 1) + s * value(i + 1, j + 1));
    }

  private:
    double value(int i, int j) const {
        return values_[static_cast<std::size_t>((j + 1) * (columns_ + 2) + i + 1)];
    }

    int columns_, rows_;
    std::vector<double> values_;
};

/// Calls visit(x, y, phi) for each pixel of the grid.
template <class Visit>
void for_each_pixel(const workbook::View& view, const LayerOfPhi& phi, Visit visit) {
    const int left = static_cast<int>(std::lround(view.left));
    const int top = static_cast<int>(std::lround(view.top));
    const int right = static_cast<int>(std::lround(view.left + view.cell * view.columns));
    const int bottom = static_cast<int>(std::lround(view.top + view.cell * view.rows));
    for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
            visit(x, y, phi.at((x + 0.5 - left) / view.cell, (y + 0.5 - top) / view.cell));
        }
    }
}

/// Makes the water blue, with a bright crest along its surface.
inline void draw_blue_water(workbook::Picture& picture, const workbook::View& view,
                            const LayerOfPhi& phi, double h) {
    constexpr workbook::Colour water = {32, 104, 184}, crest = {120, 180, 230};
    for_each_pixel(view, phi, [&](int x, int y, double here) {
        if (here < 0.0) {
            picture.pixel(x, y, here > -0.15 * h ? crest : water);
        }
    });
}

/// Covers all that is air.
inline void draw_air(workbook::Picture& picture, const workbook::View& view,
                     const LayerOfPhi& phi) {
    constexpr workbook::Colour air = {18, 20, 26};
    for_each_pixel(view, phi, [&](int x, int y, double here) {
        if (here >= 0.0) {
            picture.pixel(x, y, air);
        }
    });
}

/// Draws foam: the particles of layer k that are at the surface or beyond it.
template <class Fluid>
void draw_foam(workbook::Picture& picture, const workbook::View& view, const LayerOfPhi& phi,
               const Fluid& fluid, int k) {
    constexpr workbook::Colour foam = {225, 238, 250};
    const int size = std::max(picture.scaled(2), static_cast<int>(0.3f * view.cell));
    for (const auto& particle : fluid.particles) {
        const double x = particle.place.x / fluid.h;
        const double y = particle.place.y / fluid.h;
        if (cell_of(fluid, particle).k == k && phi.at(x, y) > -0.1 * fluid.h) {
            picture.rectangle(static_cast<int>(view.left + view.cell * x) - size / 2,
                              static_cast<int>(view.top + view.cell * y) - size / 2, size, size,
                              foam);
        }
    }
}

/// Draws the water of the window's fluid. It has the colours of the field that is shown; with dye
/// it is blue.
template <class Fluid>
void add_water_picture(Window<Fluid>& window) {
    window.draw_over.add([&window](workbook::Picture& picture, const workbook::View& view) {
        const Fluid& fluid = window.fluid;
        const workbook::Program& program = window.program;
        if (!fluid.has_air) {
            return;
        }
        const LayerOfPhi phi(fluid, window.box.layer);
        if (program.shown_field().name == "dye") {
            draw_blue_water(picture, view, phi, fluid.h);
            if (program.screen.shows_arrows) {
                workbook::draw_arrows(picture, view, program.look.velocity,
                                      *program.look.arrow_scale);
            }
        }
        draw_air(picture, view, phi);
        draw_foam(picture, view, phi, fluid, window.box.layer);
    });
}
