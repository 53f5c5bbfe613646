// What the dye is to become: a letter; and the disk that it is at the start.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "common/draw/picture.hpp"

/// Fills a field with the share of each cell that is inside: is_inside(x, y), with x and y in
/// widths of a cell. Each cell is tried at 16 places.
template <class IsInside>
void fill_inside(Field& field, IsInside is_inside) {
    for_each_point(field, [&](int i, int j, int k) {
        int found = 0;
        for (const double dy : {0.125, 0.375, 0.625, 0.875}) {
            for (const double dx : {0.125, 0.375, 0.625, 0.875}) {
                if (is_inside(i + dx, j + dy)) {
                    ++found;
                }
            }
        }
        field(i, j, k) = found / 16.0;
    });
}

/// Fills a field with a bold letter that takes seven tenths of its height.
inline void fill_letter(Field& field, char letter) {
    constexpr int size = 4;  // the largest letters that a page of the browser edition has
    const int margin = 10;
    workbook::Picture picture(2 * margin + workbook::text_width("M", size),
                              2 * margin + workbook::line_height(size));
    picture.text(margin, margin, std::string(1, letter), {255, 255, 255}, size);
    const auto is_white = [&](int x, int y) { return picture.at(x, y).red > 127; };
    int left = picture.width(), right = -1, top = picture.height(), bottom = -1;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            if (is_white(x, y)) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
        }
    }
    const double scale = (bottom + 1 - top) / (0.7 * std::min(field.nx, field.ny));
    const auto is_on_line = [&](double x, double y) {
        const double at_x = 0.5 * (left + right + 1) + scale * (x - 0.5 * field.nx);
        const double at_y = 0.5 * (top + bottom + 1) + scale * (y - 0.5 * field.ny);
        return is_white(static_cast<int>(std::floor(at_x)), static_cast<int>(std::floor(at_y)));
    };
    const double more = 0.02 * field.ny;  // to either side of a line, so that the letter is bold
    fill_inside(field, [&](double x, double y) {
        return is_on_line(x, y) || is_on_line(x - more, y) || is_on_line(x + more, y) ||
               is_on_line(x, y - more) || is_on_line(x, y + more);
    });
}

/// Makes edges soft: linear advection blurs, so a fluid could not draw sharper ones. Each cell gets
/// two thirds of its own value, and a twelfth of those of its neighbours to the right, to the left,
/// below and above. Beyond the walls it is its own neighbour.
inline void soften(Field& field) {
    const Field sharp = field;
    for_each_point(field, [&](int i, int j, int k) {
        const int right = std::min(i + 1, field.nx - 1);
        const int below = std::min(j + 1, field.ny - 1);
        const double around = sharp(std::max(i - 1, 0), j, k) + sharp(right, j, k) +
                              sharp(i, std::max(j - 1, 0), k) + sharp(i, below, k);
        field(i, j, k) = 2.0 / 3.0 * sharp(i, j, k) + around / 12.0;
    });
}

/// Returns a letter with soft edges for a box.
inline Field soft_letter(const Fluid& fluid, char letter) {
    Field result = fluid.density;
    fill_letter(result, letter);
    soften(result);
    return result;
}

/// Fills a field with a disk in its middle that holds as much dye as `wanted`.
inline void fill_disk(Field& field, const Field& wanted) {
    double sum = 0.0;
    for (const double dye : wanted.values) {
        sum += dye / wanted.nz;
    }
    const double radius = std::sqrt(sum / std::acos(-1.0));
    fill_inside(field, [&](double x, double y) {
        return std::hypot(x - 0.5 * field.nx, y - 0.5 * field.ny) < radius;
    });
}
