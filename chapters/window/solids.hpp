// How a window shows solid cells: grey, without any values.
#pragma once

#include <cmath>
#include <string>

#include "window/loads.hpp"
#include "window/window.hpp"

/// The pixel where column or row n begins, if the first one begins at `start`.
inline int edge(const workbook::View& view, float start, int n) {
    return static_cast<int>(std::lround(start + view.cell * static_cast<float>(n)));
}

/// Draws the solid cells of a layer grey.
template <class Fluid>
void draw_solids(workbook::Picture& picture, const workbook::View& view, const Fluid& fluid,
                 int layer) {
    constexpr workbook::Colour grey = {150, 150, 155};
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            if (is_solid(fluid, i, j, layer)) {
                const int x = edge(view, view.left, i);
                const int y = edge(view, view.top, j);
                picture.rectangle(x, y, edge(view, view.left, i + 1) - x,
                                  edge(view, view.top, j + 1) - y, grey);
            }
        }
    }
}

/// Shows solid cells. The fields that are there already have no values in them, and a divergence
/// there does not count.
template <class Fluid>
void show_solids(Window<Fluid>& window) {
    for (workbook::ShownField& field : window.program.description.fields) {
        field.value = [&window, value = field.value](int i, int j) {
            const bool solid = is_solid(window.fluid, i, j, window.box.layer);
            return solid ? 0.0f : value(i, j);
        };
    }
    window.max_divergence = [](const Fluid& fluid) { return largest_divergence_of_fluid(fluid); };
    window.more_words = [&window](int i, int j) {
        const bool solid = is_solid(window.fluid, i, j, window.box.layer);
        return std::string(solid ? " solid" : "");
    };
    window.draw_over.add([&window](workbook::Picture& picture, const workbook::View& view) {
        draw_solids(picture, view, window.fluid, window.box.layer);
    });
}
