#include "common/draw/faces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/draw/words.hpp"

namespace workbook {
namespace {

/// The number on an edge, and beside it an arrow of (dx, dy) pixels.
void draw_face(Picture& picture, Place at, Place arrow, double value, int size) {
    const std::string words = size > 1 ? in_words(value) : in_few_words(value);
    const int width = text_width(words, size);
    const int height = line_height(size);
    picture.rectangle(static_cast<int>(at.x) - width / 2 - 2,
                      static_cast<int>(at.y) - height / 2 - 2, width + 3, height + 2, {40, 36, 28});
    draw_centred(picture, at.x, at.y, words, face_colour, size);
    if (std::hypot(arrow.x, arrow.y) < 1.0f) {
        return;
    }
    const float beside = arrow.x == 0.0f ? 0.5f * static_cast<float>(width) + 8.0f : 0.0f;
    const float below = arrow.y == 0.0f ? 0.5f * static_cast<float>(height) + 8.0f : 0.0f;
    const float x0 = at.x - 0.5f * arrow.x + beside;
    const float y0 = at.y - 0.5f * arrow.y + below;
    picture.line(x0, y0, x0 + arrow.x, y0 + arrow.y, face_colour);
    picture.line(x0 + 1.0f, y0 + 1.0f, x0 + arrow.x + 1.0f, y0 + arrow.y + 1.0f, face_colour);
    picture.disc(x0 + arrow.x, y0 + arrow.y, 3.5f, face_colour);
}

void draw_inside(Picture& picture, const View& view, const FaceNumbers& numbers, int size) {
    const float line = static_cast<float>(line_height(size));
    for (int j = 0; j < numbers.rows; ++j) {
        for (int i = 0; i < numbers.columns; ++i) {
            const std::vector<std::string> lines =
                numbers.inside(i, j, size > 1 ? in_words : in_few_words);
            float y =
                view.y(static_cast<float>(j)) - 0.5f * line * static_cast<float>(lines.size() - 1);
            for (const std::string& words : lines) {
                draw_centred(picture, view.x(static_cast<float>(i)), y, words, number_colour, size);
                y += line;
            }
        }
    }
}

/// The largest number on any edge, or a little more than 0.
double largest_of(const FaceNumbers& numbers) {
    double largest = 1e-9;
    for (int j = 0; j <= numbers.rows; ++j) {
        for (int i = 0; i <= numbers.columns; ++i) {
            const double across = j < numbers.rows ? numbers.across(i, j) : 0.0;
            const double down = i < numbers.columns ? numbers.down(i, j) : 0.0;
            largest = std::max({largest, std::abs(across), std::abs(down)});
        }
    }
    return largest;
}

}  // namespace

void draw_faces(Picture& picture, const View& view, const FaceNumbers& numbers) {
    const int size = view.cell >= 400.0f ? letter_sizes : view.cell >= 190.0f ? 3 : 1;
    const double largest = largest_of(numbers);
    const auto arrow = [&](double value) {  // in pixels
        return 0.45f * view.cell * static_cast<float>(value / largest);
    };
    draw_cells(picture, view, numbers.ground);
    picture.scales.clear();  // the numbers say more than these colours
    const int width = static_cast<int>(view.cell) * numbers.columns;
    const int height = static_cast<int>(view.cell) * numbers.rows;
    picture.outline(static_cast<int>(view.left), static_cast<int>(view.top), width + 1, height + 1,
                    number_colour);
    draw_inside(picture, view, numbers, size);
    const float half = 0.5f * view.cell;
    for (int j = 0; j <= numbers.rows; ++j) {
        for (int i = 0; i <= numbers.columns; ++i) {
            const float x = view.x(static_cast<float>(i));
            const float y = view.y(static_cast<float>(j));
            if (j < numbers.rows) {
                const double across = numbers.across(i, j);
                draw_face(picture, {x - half, y}, {arrow(across), 0.0f}, across, size);
            }
            if (i < numbers.columns) {
                const double down = numbers.down(i, j);
                draw_face(picture, {x, y - half}, {0.0f, arrow(down)}, down, size);
            }
        }
    }
}

void draw_centred(Picture& picture, float x, float y, const std::string& words, Colour colour,
                  int size) {
    picture.text(static_cast<int>(x) - text_width(words, size) / 2,
                 static_cast<int>(y) - line_height(size) / 2, words, colour, size);
}

double without_rounding(double value) {
    return std::abs(value) < 1e-12 ? 0.0 : value;
}

std::string in_words(double value) {
    return short_number(without_rounding(value));
}

std::string in_few_words(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3g", without_rounding(value));
    return text;
}

}  // namespace workbook
