// The vorticity as the first field that a window shows, under threads of dye.
#pragma once

#include <algorithm>
#include <cstdint>

#include "window/solids.hpp"
#include "window/window.hpp"

/// Mixes so much white into each pixel of a cell.
inline void whiten(workbook::Picture& picture, const workbook::View& view, int i, int j,
                   double share) {
    const auto mixed = [share](int part) {
        return static_cast<std::uint8_t>(part + share * (255 - part));
    };
    for (int y = edge(view, view.top, j); y < edge(view, view.top, j + 1); ++y) {
        for (int x = edge(view, view.left, i); x < edge(view, view.left, i + 1); ++x) {
            const workbook::Colour under = picture.at(x, y);
            picture.pixel(x, y, {mixed(under.red), mixed(under.green), mixed(under.blue)});
        }
    }
}

/// Lays the dye of a layer over what is drawn already, which remains visible below.
template <class Fluid>
void draw_dye_over(workbook::Picture& picture, const workbook::View& view, const Fluid& fluid,
                   int layer) {
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double dye = std::min(1.0, fluid.density(i, j, layer));
            if (dye > 0.1) {
                whiten(picture, view, i, j, 0.45 * dye);
            }
        }
    }
}

/// Begins with the vorticity, and lays dye over it. Call it before show_solids.
template <class Fluid>
void show_vorticity(Window<Fluid>& window) {
    auto& fields = window.program.description.fields;
    const auto vorticity = std::find_if(
        fields.begin(), fields.end(), [](const auto& field) { return field.name == "vorticity"; });
    std::rotate(fields.begin(), vorticity, vorticity + 1);
    window.draw_over.add([&window](workbook::Picture& picture, const workbook::View& view) {
        if (window.program.shown_field().name == "vorticity") {
            draw_dye_over(picture, view, window.fluid, window.box.layer);
        }
    });
}
