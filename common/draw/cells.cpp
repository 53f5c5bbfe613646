#include "common/draw/cells.hpp"

#include <algorithm>
#include <cmath>

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

constexpr Colour arrow_colour = {51, 204, 255};
constexpr Colour line_colour = {60, 60, 60};

bool is_wall(const View& view, int i, int j) {
    return view.walls && (i == 0 || j == 0 || i == view.columns - 1 || j == view.rows - 1);
}

/// The value that gets the brightest colour.
float full_value(const ShownField& field, const View& view) {
    if (field.full_at > 0.0f) {
        return field.full_at;
    }
    float largest = 0.0f;
    for (int j = 0; j < view.rows; ++j) {
        for (int i = 0; i < view.columns; ++i) {
            const float size = is_wall(view, i, j) ? 0.0f : std::abs(field.value(i, j));
            if (std::isfinite(size)) {
                largest = std::max(largest, size);
            }
        }
    }
    return largest > 0.0f ? largest : 1.0f;
}

/// A view's upper left corner and its size, in whole pixels.
Rectangle pixels_of(const View& view) {
    return {static_cast<int>(view.left), static_cast<int>(view.top),
            static_cast<int>(std::lround(view.cell * static_cast<float>(view.columns))),
            static_cast<int>(std::lround(view.cell * static_cast<float>(view.rows)))};
}

// Lines between more cells than these hide the flow, however large a window is.
constexpr int most_cells_with_lines = 48;

void draw_grid_lines(Picture& picture, const View& view) {
    const int thick = picture.scaled(1);
    const Rectangle whole = pixels_of(view);
    const auto edge = [&](int k, int length) {
        return std::min(length - thick, static_cast<int>(static_cast<float>(k) * view.cell));
    };
    for (int i = 0; i <= view.columns; ++i) {
        picture.rectangle(whole.x + edge(i, whole.width), whole.y, thick, whole.height,
                          line_colour);
    }
    for (int j = 0; j <= view.rows; ++j) {
        picture.rectangle(whole.x, whole.y + edge(j, whole.height), whole.width, thick,
                          line_colour);
    }
}

}  // namespace

View view_in(Rectangle area, int columns, int rows, bool walls) {
    const int width = std::max(1, area.width);
    const int height = std::max(1, area.height);
    const int whole = std::min(width / columns, height / rows);
    const float cell = whole >= 1
                           ? static_cast<float>(whole)
                           : std::min(static_cast<float>(width) / static_cast<float>(columns),
                                      static_cast<float>(height) / static_cast<float>(rows));
    const View at_corner{0.0f, 0.0f, cell, columns, rows, walls};
    const Rectangle size = pixels_of(at_corner);
    const int left = area.x + (width - size.width) / 2;
    const int top = area.y + (height - size.height) / 2;
    return {static_cast<float>(left), static_cast<float>(top), cell, columns, rows, walls};
}

void draw_cells(Picture& picture, const View& view, const ShownField& field,
                bool walls_have_values) {
    const float full = full_value(field, view);
    bool is_cut = false;
    const Rectangle whole = pixels_of(view);
    int drawn_row = -1;
    for (int y = 0; y < whole.height; ++y) {
        const int j = std::min(view.rows - 1, static_cast<int>(static_cast<float>(y) / view.cell));
        if (j == drawn_row) {
            picture.copy_row(whole.y + y - 1, whole.y + y, whole.x, whole.x + whole.width);
            continue;
        }
        drawn_row = j;
        int drawn_column = -1;
        Colour colour{};
        for (int x = 0; x < whole.width; ++x) {
            const int i =
                std::min(view.columns - 1, static_cast<int>(static_cast<float>(x) / view.cell));
            if (i != drawn_column) {
                drawn_column = i;
                const bool wall = is_wall(view, i, j);
                const float value = wall && !walls_have_values ? 0.0f : field.value(i, j) / full;
                is_cut = is_cut || std::abs(value) > 1.0001f;
                colour = field.is_signed ? signed_colour(value)
                                         : sequential_colour(value, field.palette);
                colour = wall ? wall_tint(colour) : colour;
            }
            picture.pixel(whole.x + x, whole.y + y, colour);
        }
    }
    picture.scales.push_back(
        {field.name, field.unit, full, field.is_signed, is_cut, 0.0f, field.palette});
    if (view.cell >= 12.0f * picture.scale &&
        std::max(view.columns, view.rows) <= most_cells_with_lines) {
        draw_grid_lines(picture, view);
    }
}

void draw_arrows(Picture& picture, const View& view,
                 const std::function<std::pair<float, float>(int, int)>& velocity, float scale,
                 bool walls_have_values) {
    const int wall = view.walls ? 1 : 0;
    // As long as in the tutorial, whose picture gives the N cells 512 pixels; where cells are so
    // small that arrows would cover each other, only some are drawn.
    const int cells = std::max(view.columns, view.rows) - 2 * wall;
    const float length = scale * view.cell * static_cast<float>(cells) / 512.0f;
    const int stride = std::max(1, static_cast<int>(std::ceil(18.0f * picture.scale / view.cell)));
    const float beside = static_cast<float>(picture.scaled(1));  // a second line, for a bold arrow
    const float head = std::clamp(view.cell / 13.0f, picture.scale, 2.5f * picture.scale);
    const int skipped = stride == 1 && walls_have_values ? 0 : wall;
    const int first = stride == 1 ? skipped : wall + stride / 2;
    for (int j = first; j < view.rows - skipped; j += stride) {
        for (int i = first; i < view.columns - skipped; i += stride) {
            const auto [u, v] = velocity(i, j);
            const float x0 = view.x(static_cast<float>(i));
            const float y0 = view.y(static_cast<float>(j));
            const float x1 = x0 + u * length;
            const float y1 = y0 + v * length;
            picture.line(x0, y0, x1, y1, arrow_colour);
            picture.line(x0 + beside, y0, x1 + beside, y1, arrow_colour);
            picture.disc(x1, y1, head, arrow_colour);
        }
    }
}

void draw_frame(Picture& picture, const View& view, GridCell cell) {
    const int x = static_cast<int>(view.left + static_cast<float>(cell.i) * view.cell);
    const int y = static_cast<int>(view.top + static_cast<float>(cell.j) * view.cell);
    const int thick = picture.scaled(1);
    const int size = std::max(3 * thick, static_cast<int>(view.cell));
    picture.outline(x, y, size + thick, size + thick, {255, 255, 255});
    picture.outline(x + thick, y + thick, size - thick, size - thick, {0, 0, 0});  // for white dye
}

}  // namespace workbook
