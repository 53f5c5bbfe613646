#include "common/draw/sheets.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace workbook {
namespace {

Place3 corner(int number) {
    return {number & 1 ? 1.0f : 0.0f, number & 2 ? 1.0f : 0.0f, number & 4 ? 1.0f : 0.0f};
}

/// A cell's colour, and of 256 parts how many of what is behind it it hides.
struct Texel {
    int red, green, blue, share;
};

/// Puts a cell over a pixel.
void blend(std::uint8_t* pixel, const Texel& texel) {
    const int left = 256 - texel.share;
    pixel[0] = static_cast<std::uint8_t>((pixel[0] * left + texel.red * texel.share) >> 8);
    pixel[1] = static_cast<std::uint8_t>((pixel[1] * left + texel.green * texel.share) >> 8);
    pixel[2] = static_cast<std::uint8_t>((pixel[2] * left + texel.blue * texel.share) >> 8);
}

/// Narrows the columns x0 <= x < x1 to those where  start + step x  lies between 0 and `size`.
void narrow(float start, float step, float size, int& x0, int& x1) {
    if (std::abs(step) < 1e-9f) {
        x1 = start >= 0.0f && start < size ? x1 : x0;
        return;
    }
    const float a = -start / step;
    const float b = (size - start) / step;
    x0 = std::max(x0, static_cast<int>(std::ceil(std::clamp(std::min(a, b), -1e6f, 1e6f))));
    x1 = std::min(x1, static_cast<int>(std::ceil(std::clamp(std::max(a, b), -1e6f, 1e6f))));
}

/// One sheet: the parallelogram from `origin` along `right` and `down`, filled with n x n cells.
void draw_sheet(Picture& picture, CubeView::Point origin, CubeView::Point right,
                CubeView::Point down, int n, const std::vector<Texel>& cells) {
    const float determinant = right.x * down.y - right.y * down.x;
    if (std::abs(determinant) < 1.0f) {
        return;  // seen from its edge
    }
    const float top = origin.y + std::min({0.0f, right.y, down.y, right.y + down.y});
    const float bottom = origin.y + std::max({0.0f, right.y, down.y, right.y + down.y});
    const int last_y = std::min(picture.height() - 1, static_cast<int>(bottom));
    // From pixel to cell: the inverse of the two sides' matrix. A step to the right changes column
    // and row by the same amount everywhere.
    const float size = static_cast<float>(n);
    const float column_step = size * down.y / determinant;
    const float row_step = -size * right.y / determinant;
    for (int y = std::max(0, static_cast<int>(top)); y <= last_y; ++y) {
        const float dx = 0.5f - origin.x;
        const float dy = static_cast<float>(y) + 0.5f - origin.y;
        const float first_column = size * (dx * down.y - dy * down.x) / determinant;
        const float first_row = size * (dy * right.x - dx * right.y) / determinant;
        int x0 = 0;
        int x1 = picture.width();
        narrow(first_column, column_step, size, x0, x1);
        narrow(first_row, row_step, size, x0, x1);
        std::uint8_t* const pixels = picture.row(y);
        for (int x = x0; x < x1; ++x) {
            const float at = static_cast<float>(x);
            const int column =
                std::clamp(static_cast<int>(first_column + at * column_step), 0, n - 1);
            const int row = std::clamp(static_cast<int>(first_row + at * row_step), 0, n - 1);
            const Texel& texel = cells[static_cast<std::size_t>(row * n + column)];
            if (texel.share > 0) {
                blend(pixels + 4 * x, texel);
            }
        }
    }
}

}  // namespace

void draw_sheets(Picture& picture, const CubeView& view, int n,
                 const std::function<Glow(int i, int j, int k)>& glow) {
    const int axis = view.facing_axis();
    const int across = axis == 0 ? 2 : 0;  // the cells' columns and rows run along these
    const int downwards = axis == 1 ? 2 : 1;
    std::vector<Texel> cells(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int step = 0; step < n; ++step) {
        const int layer = view.grows_away(axis) ? n - 1 - step : step;
        for (int row = 0; row < n; ++row) {
            for (int column = 0; column < n; ++column) {
                int at[3];
                at[axis] = layer;
                at[across] = column;
                at[downwards] = row;
                const Glow seen = glow(at[0], at[1], at[2]);
                cells[static_cast<std::size_t>(row * n + column)] = {
                    seen.colour.red, seen.colour.green, seen.colour.blue,
                    static_cast<int>(256.0f * std::clamp(seen.opacity, 0.0f, 1.0f))};
            }
        }
        const float depth = (static_cast<float>(layer) + 0.5f) / static_cast<float>(n);
        const auto place = [&](float column, float row) {
            float at[3];
            at[axis] = depth;
            at[across] = column;
            at[downwards] = row;
            return view.point({at[0], at[1], at[2]});
        };
        const CubeView::Point origin = place(0.0f, 0.0f);
        const CubeView::Point right = place(1.0f, 0.0f);
        const CubeView::Point down = place(0.0f, 1.0f);
        draw_sheet(picture, origin, {right.x - origin.x, right.y - origin.y},
                   {down.x - origin.x, down.y - origin.y}, n, cells);
    }
}

void draw_cube_edges(Picture& picture, const CubeView& view, bool in_front, Colour colour) {
    int farthest = 0;
    for (int number = 1; number < 8; ++number) {
        farthest =
            view.distance(corner(number)) > view.distance(corner(farthest)) ? number : farthest;
    }
    for (int number = 0; number < 8; ++number) {
        for (const int bit : {1, 2, 4}) {
            if ((number & bit) != 0) {
                continue;
            }
            const bool behind = number == farthest || (number | bit) == farthest;
            if (behind != in_front) {
                const CubeView::Point a = view.point(corner(number));
                const CubeView::Point b = view.point(corner(number | bit));
                picture.line(a.x, a.y, b.x, b.y, colour);
            }
        }
    }
    if (in_front) {
        const Place3 ends[] = {{1.06f, 0.0f, 0.0f}, {0.0f, 1.06f, 0.0f}, {0.0f, 0.0f, 1.06f}};
        for (int axis = 0; axis < 3; ++axis) {
            const CubeView::Point at = view.point(ends[axis]);
            picture.text(static_cast<int>(at.x) - picture.scaled(letter_width),
                         static_cast<int>(at.y) - picture.scaled(12), std::string(1, "xyz"[axis]),
                         {170, 180, 200}, picture.letters(3));
        }
    }
}

void draw_slice_outline(Picture& picture, const CubeView& view, int axis, float at, Colour colour) {
    const auto place = [&](float first, float second) {
        float coordinates[3];
        coordinates[axis] = at;
        coordinates[(axis + 1) % 3] = first;
        coordinates[(axis + 2) % 3] = second;
        return view.point({coordinates[0], coordinates[1], coordinates[2]});
    };
    const CubeView::Point ends[] = {place(0.0f, 0.0f), place(1.0f, 0.0f), place(1.0f, 1.0f),
                                    place(0.0f, 1.0f)};
    for (int k = 0; k < 4; ++k) {
        picture.line(ends[k].x, ends[k].y, ends[(k + 1) % 4].x, ends[(k + 1) % 4].y, colour);
    }
}

}  // namespace workbook
