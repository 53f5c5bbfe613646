#include "paint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "colour.hpp"

namespace workbook {
namespace {

constexpr Colour arrow_colour = {51, 204, 255};
constexpr Colour line_colour = {60, 60, 60};
constexpr Colour text_colour = {220, 220, 220};
constexpr Colour dim_colour = {150, 150, 150};
constexpr int text_lines = 5;
constexpr int tutorial_side = 576;  // 18 cells of 32 pixels
constexpr int largest_side = 1024;

/// How many pixels a dot of the letters takes: 2 in the tutorial's window, more in a larger one.
int dot_size(int width, int height) {
    return std::max(1, 2 * std::min(width, height) / tutorial_side);
}

/// The height of the lines of text below the grid.
int text_height(int dot) {
    return text_lines * letter_height * dot + 8;
}

bool is_wall(int N, int i, int j) {
    return i == 0 || j == 0 || i == N + 1 || j == N + 1;
}

/// The value that gets the brightest colour.
float full_value(const ShownField& field, int N) {
    if (field.full_at > 0.0f) {
        return field.full_at;
    }
    float largest = 0.0f;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            const float size = std::abs(field.value(i, j));
            if (std::isfinite(size)) {
                largest = std::max(largest, size);
            }
        }
    }
    return largest > 0.0f ? largest : 1.0f;
}

void draw_cells(Picture& picture, const View& view, const ShownField& field, int N,
                bool walls_have_values) {
    const float full = full_value(field, N);
    const int side = static_cast<int>(std::lround(view.cell * static_cast<float>(view.cells)));
    const int left = static_cast<int>(view.left);
    const int top = static_cast<int>(view.top);
    int drawn_row = -1;
    for (int y = 0; y < side; ++y) {
        const int j = std::min(N + 1, static_cast<int>(static_cast<float>(y) / view.cell));
        if (j == drawn_row) {
            picture.copy_row(top + y - 1, top + y, left, left + side);
            continue;
        }
        drawn_row = j;
        int drawn_column = -1;
        Colour colour{};
        for (int x = 0; x < side; ++x) {
            const int i = std::min(N + 1, static_cast<int>(static_cast<float>(x) / view.cell));
            if (i != drawn_column) {
                drawn_column = i;
                const bool wall = is_wall(N, i, j);
                const float value = wall && !walls_have_values ? 0.0f : field.value(i, j) / full;
                colour = field.is_signed ? signed_colour(value) : sequential_colour(value);
                colour = wall ? wall_tint(colour) : colour;
            }
            picture.pixel(left + x, top + y, colour);
        }
    }
    if (view.cell >= 12.0f) {
        for (int k = 0; k <= view.cells; ++k) {
            const int at = std::min(side - 1, static_cast<int>(static_cast<float>(k) * view.cell));
            picture.rectangle(left + at, top, 1, side, line_colour);
            picture.rectangle(left, top + at, side, 1, line_colour);
        }
    }
}

void draw_arrows(Picture& picture, const View& view, const Program& program) {
    const int N = program.N;
    // As long as in the tutorial, whose picture gives the N cells 512 pixels; where cells are so
    // small that arrows would cover each other, only some are drawn.
    const float scale = *program.arrow_scale * view.cell * static_cast<float>(N) / 512.0f;
    const int stride = std::max(1, static_cast<int>(std::ceil(18.0f / view.cell)));
    const int first = stride == 1 ? (program.walls_have_values ? 0 : 1) : 1 + stride / 2;
    const int last = stride == 1 && program.walls_have_values ? N + 1 : N;
    for (int j = first; j <= last; j += stride) {
        for (int i = first; i <= last; i += stride) {
            const auto [u, v] = program.velocity(i, j);
            const float x0 = view.x(static_cast<float>(i));
            const float y0 = view.y(static_cast<float>(j));
            const float x1 = x0 + u * scale;
            const float y1 = y0 + v * scale;
            picture.line(x0, y0, x1, y1, arrow_colour);
            picture.line(x0 + 1.0f, y0, x1 + 1.0f, y1, arrow_colour);
            picture.disc(x1, y1, std::clamp(view.cell / 13.0f, 1.0f, 2.5f), arrow_colour);
        }
    }
}

std::string value_of(const Parameter& parameter) {
    return std::visit([](auto* value) { return short_number(static_cast<double>(*value)); },
                      parameter.value);
}

void draw_text_line(Picture& picture, int line, int top, const std::string& words, Colour colour) {
    const int dot = dot_size(picture.width(), picture.height());
    const int width = static_cast<int>(words.size()) * letter_width * dot;
    picture.text(3 * dot, top + 6 + line * letter_height * dot, words, colour,
                 width + 8 <= picture.width() ? dot : std::max(1, dot / 2));
}

/// Words in the middle, on a darkened ground.
void draw_panel(Picture& picture, const std::vector<std::string>& lines) {
    std::size_t longest = 0;
    for (const std::string& line : lines) {
        longest = std::max(longest, line.size());
    }
    const int columns = static_cast<int>(longest) * letter_width;
    const int dot = dot_size(picture.width(), picture.height());
    const int scale = columns * dot + 24 <= picture.width() ? dot : std::max(1, dot / 2);
    const int width = columns * scale + 24;
    const int height = static_cast<int>(lines.size()) * letter_height * scale + 20;
    const int x = std::max(0, (picture.width() - width) / 2);
    const int y = std::max(0, (picture.height() - text_height(dot) - height) / 2);
    picture.shade(x, y, width, height);
    picture.outline(x, y, width, height, dim_colour);
    int at = y + 12;
    for (const std::string& line : lines) {
        picture.text(x + 12, at, line, text_colour, scale);
        at += letter_height * scale;
    }
}

std::vector<std::string> help_lines(const Program& program) {
    std::vector<std::string> lines = {"left drag   dye and velocity",
                                      "right drag  velocity only",
                                      "Space  pause or go on",
                                      ".      one step",
                                      "R      begin again",
                                      "V      arrows on or off",
                                      "F      next field",
                                      "Tab    next parameter",
                                      "+ -    change it",
                                      "S      save a picture",
                                      "H      this help",
                                      "Esc    quit"};
    for (const Key& key : program.keys) {
        lines.push_back(std::string(1, static_cast<char>(std::toupper(key.key))) + "      " +
                        key.meaning);
    }
    return lines;
}

}  // namespace

std::string short_number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

Size natural_size(int N) {
    const int cells = N + 2;
    const int side = std::min(largest_side, cells * std::max(1, tutorial_side / cells));
    const int width = std::max(side, tutorial_side);
    return {width, width + text_height(dot_size(width, width))};
}

View view_of(int N, int width, int height) {
    const int above = height - text_height(dot_size(width, height));
    const int room = std::max(1, std::min(width, above));
    const int cells = N + 2;
    const int side = room >= cells ? room / cells * cells : room;
    return {std::floor(static_cast<float>(width - side) / 2.0f),
            std::floor(static_cast<float>(std::max(side, above) - side) / 2.0f),
            static_cast<float>(side) / static_cast<float>(cells), cells};
}

void draw_plot(Picture& picture, int x, int y, int width, int height,
               const std::vector<float>& values, const std::string& title) {
    picture.shade(x, y, width, height);
    picture.outline(x, y, width, height, dim_colour);
    picture.text(x + 6, y + 6, title, text_colour, 1);
    float top = -30.0f;
    float bottom = 30.0f;
    for (const float value : values) {
        if (value > 0.0f && std::isfinite(value)) {
            top = std::max(top, std::ceil(std::log10(value)));
            bottom = std::min(bottom, std::floor(std::log10(value)));
        }
    }
    if (top < bottom) {
        return;  // nothing to draw
    }
    bottom = std::min(bottom, top - 1.0f);
    const float left = static_cast<float>(x + 40);
    const float right = static_cast<float>(x + width - 10);
    const float high = static_cast<float>(y + 24);
    const float low = static_cast<float>(y + height - 10);
    const float unit = (low - high) / (top - bottom);
    const int every = std::max(1, static_cast<int>(std::ceil(12.0f / unit)));
    for (int power = static_cast<int>(top); power >= static_cast<int>(bottom); power -= every) {
        const float at = high + (top - static_cast<float>(power)) * unit;
        picture.line(left, at, right, at, line_colour);
        picture.text(x + 4, static_cast<int>(at) - 4, "1e" + std::to_string(power), dim_colour, 1);
    }
    float x0 = 0.0f;
    float y0 = 0.0f;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const float value = std::max(values[k], std::pow(10.0f, bottom));
        const float x1 = left + (right - left) * static_cast<float>(k) /
                                    static_cast<float>(std::max<std::size_t>(20, values.size()));
        const float y1 = high + (top - std::log10(value)) * unit;
        if (k > 0) {
            picture.line(x0, y0, x1, y1, arrow_colour);
        }
        picture.disc(x1, y1, 2.0f, arrow_colour);
        x0 = x1;
        y0 = y1;
    }
}

Picture paint(const Program& program, int width, int height) {
    Picture picture(width, height);
    const int N = program.N;
    const View view = view_of(N, width, height);
    const ShownField& field = program.fields[program.shown_];
    draw_cells(picture, view, field, N, program.walls_have_values);
    if (program.arrows_ && program.velocity) {
        draw_arrows(picture, view, program);
    }
    const GridCell probe = program.probe_;
    const bool probing = 0 <= probe.i && probe.i <= N + 1 && 0 <= probe.j && probe.j <= N + 1;
    if (probing) {
        const int x = static_cast<int>(view.left + static_cast<float>(probe.i) * view.cell);
        const int y = static_cast<int>(view.top + static_cast<float>(probe.j) * view.cell);
        const int size = std::max(3, static_cast<int>(view.cell));
        picture.outline(x, y, size + 1, size + 1, {255, 255, 255});
        if (program.draw_probe) {
            program.draw_probe(picture, view, probe);
        }
    }
    if (program.draw_over) {
        program.draw_over(picture, view);
    }

    const int top = height - text_height(dot_size(width, height));
    picture.rectangle(0, top, width, height - top, {16, 16, 16});
    std::string status = "N " + std::to_string(N) + "  step " + std::to_string(program.step_count);
    if (program.pictures_per_second_ > 0.0) {
        status += "  " + std::to_string(std::lround(program.pictures_per_second_)) + " fps";
    }
    draw_text_line(picture, 0, top, status + (program.paused ? "  paused" : ""), text_colour);

    std::string readouts;
    for (const Readout& readout : program.readouts) {
        readouts += readout.name + " " + short_number(readout.value()) + "  ";
    }
    draw_text_line(picture, 1, top, readouts, text_colour);

    std::string shows = "F " + field.name;
    if (field.full_at <= 0.0f) {
        shows += ", brightest at " + short_number(full_value(field, N));
    }
    draw_text_line(picture, 2, top, shows, dim_colour);
    if (!program.parameters.empty()) {
        const Parameter& parameter = program.parameters[program.chosen_];
        draw_text_line(picture, 3, top,
                       "Tab " + parameter.name + " " + value_of(parameter) + " + -", dim_colour);
    }

    std::string last = program.message_;
    if (probing) {
        last = "(" + std::to_string(probe.i) + "," + std::to_string(probe.j) + ") IX " +
               std::to_string(program.index(probe.i, probe.j));
        for (const StateColumn& column : program.state) {
            last += " " + column.name + " " + short_number(column.cell(probe.i, probe.j));
        }
    }
    draw_text_line(picture, 4, top, last, probing ? text_colour : dim_colour);
    if (program.help_) {
        draw_panel(picture, help_lines(program));
    }
    return picture;
}

}  // namespace workbook
