// Particles in the picture of a window, as dots.
#pragma once

#include <memory>

#include "common/draw/colour.hpp"
#include "common/draw/picture.hpp"
#include "window/counts.hpp"
#include "window/window.hpp"

/// Draws the particles of layer k, each in the colour of its dye.
template <class Fluid>
void draw_dots(workbook::Picture& picture, const workbook::View& view, const Fluid& fluid, int k) {
    const float cell = view.cell / picture.scale;  // as wide as it would be at scale 1
    const int size = picture.scaled(cell < 8.0f ? 1 : cell < 24.0f ? 2 : 3);
    const double scale = view.cell / fluid.h;
    for (const auto& particle : fluid.particles) {
        if (cell_of(fluid, particle).k == k) {
            const int x = static_cast<int>(view.left + scale * particle.place.x) - size / 2;
            const int y = static_cast<int>(view.top + scale * particle.place.y) - size / 2;
            const auto dye = static_cast<float>(particle.values[3]);
            picture.rectangle(x, y, size, size, workbook::sequential_colour(0.25f + 0.75f * dye));
        }
    }
}

/// Adds dots, and a key that shows or hides them.
template <class Fluid>
void add_dots(Window<Fluid>& window, bool shown_at_first) {
    const auto shows = std::make_shared<bool>(shown_at_first);
    window.add_key('d', "the particles as dots", [shows] { *shows = !*shows; });
    window.draw_over.add([&window, shows](workbook::Picture& picture, const workbook::View& view) {
        if (*shows) {
            draw_dots(picture, view, window.fluid, window.box.layer);
        }
    });
}
