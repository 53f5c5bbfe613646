// What the dye is to become: the picture of a file.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "62_control/letters.hpp"
#include "common/io/output.hpp"
#include "common/io/picture_file.hpp"

/// The mean of the pixels at the edge of a picture.
inline double mean_at_edge(const workbook::GreyPicture& picture) {
    double sum = 0.0;
    int count = 0;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            const bool is_at_side = x == 0 || x == picture.width - 1;
            if (is_at_side || y == 0 || y == picture.height - 1) {
                sum += picture.at(x, y);
                ++count;
            }
        }
    }
    return sum / count;
}

/// Reads what the dye is to become: 0 is no dye, and 1 is the dye of a full cell. In a picture with
/// a bright edge dark pixels are dye, and in one with a dark edge bright ones are. Throws
/// InputError for a bad file, or if no pixel stands out from the edge.
inline workbook::GreyPicture load_target(const std::string& path) {
    workbook::GreyPicture picture = workbook::load_png("--target", path);
    if (mean_at_edge(picture) > 0.5) {
        for (double& value : picture.values) {
            value = 1.0 - value;
        }
    }
    if (*std::max_element(picture.values.begin(), picture.values.end()) < 0.1) {
        throw workbook::InputError("--target " + path +
                                   ": nothing in the picture stands out from its edge; draw it "
                                   "dark on white, or bright on black");
    }
    return picture;
}

/// The mean of a picture over a square with the left upper corner (left, top), all in pixels.
/// Beside the picture there is no dye.
inline double mean_in_square(const workbook::GreyPicture& picture, double left, double top,
                             double side) {
    const int first_x = std::max(0, static_cast<int>(std::floor(left)));
    const int first_y = std::max(0, static_cast<int>(std::floor(top)));
    const double right = left + side;
    const double bottom = top + side;
    const int end_x = std::min(picture.width, static_cast<int>(std::ceil(right)));
    const int end_y = std::min(picture.height, static_cast<int>(std::ceil(bottom)));
    double sum = 0.0;
    for (int y = first_y; y < end_y; ++y) {
        const double height = std::min(y + 1.0, bottom) - std::max<double>(y, top);
        for (int x = first_x; x < end_x; ++x) {
            const double width = std::min(x + 1.0, right) - std::max<double>(x, left);
            sum += width * height * picture.at(x, y);
        }
    }
    return sum / (side * side);
}

/// Fills a field with a picture, as large as fits, in the middle. Each layer is the same.
inline void fill_with_picture(Field& field, const workbook::GreyPicture& picture) {
    const double pixels_a_cell =
        std::max(1.0 * picture.width / field.nx, 1.0 * picture.height / field.ny);
    for_each_point(field, [&](int i, int j, int k) {
        if (k > 0) {
            field(i, j, k) = field(i, j, 0);
            return;
        }
        const double left = 0.5 * picture.width + pixels_a_cell * (i - 0.5 * field.nx);
        const double top = 0.5 * picture.height + pixels_a_cell * (j - 0.5 * field.ny);
        field(i, j, k) = mean_in_square(picture, left, top, pixels_a_cell);
    });
}

/// Returns a picture with soft edges for a box. The cell with the most dye gets as much as a letter
/// has, so that thin lines are not lost in wide cells.
inline Field soft_picture(const Fluid& fluid, const workbook::GreyPicture& picture) {
    Field result = fluid.density;
    fill_with_picture(result, picture);
    const double most = *std::max_element(result.values.begin(), result.values.end());
    for (double& value : result.values) {
        value /= most;
    }
    soften(result);
    return result;
}
