#include "common/draw/faces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/draw/words.hpp"

namespace workbook {
namespace {

using Written = std::string (*)(double);  // how a number is written

/// The number on an edge, and beside it an arrow of (dx, dy) pixels.
void draw_face(Picture& picture, Place at, Place arrow, const std::string& words, int size) {
    const int width = text_width(words, size);
    const int height = line_height(size);
    const int margin = picture.scaled(2);
    picture.rectangle(static_cast<int>(at.x) - width / 2 - margin,
                      static_cast<int>(at.y) - height / 2 - margin, width + picture.scaled(3),
                      height + margin, {40, 36, 28});
    draw_centred(picture, at.x, at.y, words, face_colour, size);
    if (std::hypot(arrow.x, arrow.y) < 1.0f) {
        return;
    }
    const float apart = 8.0f * picture.scale;
    const float beside = arrow.x == 0.0f ? 0.5f * static_cast<float>(width) + apart : 0.0f;
    const float below = arrow.y == 0.0f ? 0.5f * static_cast<float>(height) + apart : 0.0f;
    const float x0 = at.x - 0.5f * arrow.x + beside;
    const float y0 = at.y - 0.5f * arrow.y + below;
    picture.line(x0, y0, x0 + arrow.x, y0 + arrow.y, face_colour);
    const float line = static_cast<float>(picture.scaled(1));
    picture.line(x0 + line, y0 + line, x0 + arrow.x + line, y0 + arrow.y + line, face_colour);
    picture.disc(x0 + arrow.x, y0 + arrow.y, 3.5f * picture.scale, face_colour);
}

void draw_inside(Picture& picture, const View& view, const FaceNumbers& numbers, Written written,
                 int size) {
    const float line = static_cast<float>(line_height(size));
    for (int j = 0; j < numbers.rows; ++j) {
        for (int i = 0; i < numbers.columns; ++i) {
            const std::vector<std::string> lines = numbers.inside(i, j, written);
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
    const float cell = view.cell / picture.scale;  // as wide as it would be at scale 1
    const int usual = cell >= 400.0f ? letter_sizes : cell >= 190.0f ? 3 : 1;
    const int size = picture.letters(usual);
    const Written written = usual > 1 ? in_words : in_few_words;
    const double largest = largest_of(numbers);
    const auto arrow = [&](double value) {  // in pixels
        return 0.45f * view.cell * static_cast<float>(value / largest);
    };
    draw_cells(picture, view, numbers.ground);
    picture.scales.clear();  // the numbers say more than these colours
    const int width = static_cast<int>(view.cell) * numbers.columns;
    const int height = static_cast<int>(view.cell) * numbers.rows;
    const int line = picture.scaled(1);
    picture.outline(static_cast<int>(view.left), static_cast<int>(view.top), width + line,
                    height + line, number_colour);
    draw_inside(picture, view, numbers, written, size);
    const float half = 0.5f * view.cell;
    for (int j = 0; j <= numbers.rows; ++j) {
        for (int i = 0; i <= numbers.columns; ++i) {
            const float x = view.x(static_cast<float>(i));
            const float y = view.y(static_cast<float>(j));
            if (j < numbers.rows) {
                const double across = numbers.across(i, j);
                draw_face(picture, {x - half, y}, {arrow(across), 0.0f}, written(across), size);
            }
            if (i < numbers.columns) {
                const double down = numbers.down(i, j);
                draw_face(picture, {x, y - half}, {0.0f, arrow(down)}, written(down), size);
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
