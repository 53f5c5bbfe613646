// The race as a picture: the residual that each solver leaves, and their curves below.
// Include solver.hpp first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "52_fast/race.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/words.hpp"

namespace race {

using workbook::Colour;
using workbook::Picture;
using workbook::Rectangle;

constexpr Colour words_colour = {235, 235, 235};
constexpr Colour dim_colour = {130, 135, 145};

/// A colour for each lane, told apart by colour-blind eyes: Okabe and Ito's, and lighter ones.
inline Colour colour_of(std::size_t lane) {
    static const Colour colours[] = {{230, 159, 0},   {86, 180, 233},  {0, 158, 115},
                                     {240, 228, 66},  {0, 114, 178},   {213, 94, 0},
                                     {204, 121, 167}, {235, 235, 235}, {160, 220, 190},
                                     {250, 190, 160}, {150, 190, 250}, {255, 120, 120}};
    return colours[lane % std::size(colours)];
}

/// What a lane's p leaves of rhs in its middle layer, by powers of ten: white is as much as the
/// largest value of rhs, black 1e-8 of it.
inline workbook::ShownField residual_field(const Race& race, const Lane& lane) {
    const Field& rhs = race.fluid.rhs;
    const Field& p = lane.result.p;
    double most = 1e-300;
    for (const double value : rhs.values) {
        most = std::max(most, std::abs(value));
    }
    const Matrix& A = race.fluid.matrix;
    const auto value = [&A, &rhs, &p, most](int i, int j) {
        const int k = p.nz / 2;
        const double product = A.diagonal(i, j, k) * p(i, j, k) - neighbour_sum(A, p, i, j, k);
        const double r = rhs(i, j, k) - product;
        return static_cast<float>(1.0 + std::log10(std::abs(r) / most + 1e-9) / 8.0);
    };
    return {"residual", value, 1.0f, false, "1: the largest right-hand side, 0: 1e-8 of it"};
}

/// A lane's name, in two lines, and how far it has come.
inline void draw_words_on_lane(Picture& picture, const Lane& lane, std::size_t seen, Colour colour,
                               Rectangle area) {
    const int letters = picture.letters(1);
    const int line = workbook::line_height(letters);
    const int margin = picture.scaled(4);
    const std::vector<std::string> name =
        workbook::wrapped(lane.name, area.width - 2 * margin, letters);
    int y = area.y + margin / 2 + (2 - static_cast<int>(name.size())) * line;
    for (const std::string& words : name) {
        picture.text(area.x + margin, y, words, colour, letters);
        y += line;
    }
    const std::string after = " after " + std::to_string(seen - 1);
    std::string words;
    for (const char* digits : {"%.3g", "%.2g", "%.1g"}) {  // as many as there is room for
        char residual[40];
        std::snprintf(residual, sizeof residual, digits, lane.result.residuals[seen - 1]);
        words = residual + after;
        if (workbook::text_width(words, letters) <= area.width - margin) {
            break;
        }
    }
    picture.text(area.x + margin, y, words, words_colour, letters);
}

/// Whether a lane of that width has room for words.
inline bool has_words(const Picture& picture, int width) {
    return width > 12 * workbook::text_width(" ", picture.letters(1));
}

/// The names of all lanes, one after the other. Returns how many pixels high they are.
inline int draw_names(Picture& picture, const Race& race, Rectangle area) {
    const int letters = picture.letters(1);
    const int line = workbook::line_height(letters);
    int x = area.x;
    int y = area.y;
    for (std::size_t number = 0; number < race.lanes.size(); ++number) {
        const std::string& name = race.lanes[number].name;
        const int width = workbook::text_width(name, letters);
        if (x > area.x && x + width > area.x + area.width) {
            x = area.x;
            y += line;
        }
        picture.text(x, y, name, colour_of(number), letters);
        x += width + workbook::text_width("  ", letters);
    }
    return y + line - area.y;
}

inline void draw_lane(Picture& picture, const Race& race, std::size_t number, Rectangle area) {
    const Lane& lane = race.lanes[number];
    const std::size_t seen = seen_of(race, lane);
    const int letters = picture.letters(1);
    const bool named = has_words(picture, area.width);
    if (named) {
        draw_words_on_lane(picture, lane, seen, colour_of(number), area);
    }
    const int words = named ? 3 * workbook::line_height(letters) : 0;
    const int margin = picture.scaled(4);
    const Rectangle room = {area.x + margin, area.y + words + margin, area.width - 2 * margin,
                            area.height - words - 2 * margin};
    if (seen > 1 || lane.result.residuals.size() == 1) {
        draw_cells(picture, workbook::view_in(room, race.fluid.nx, race.fluid.ny, false),
                   residual_field(race, lane));
    } else if (named) {
        picture.text(room.x + 2 * margin, room.y + 2 * margin, "at work", dim_colour, letters);
    }
}

/// Where the plot lies in the picture: work or seconds to the right, up to `most`, and residuals
/// downwards by powers of ten. What is larger than 10, or not a number, is at the top.
struct Plot {
    float left, right, top, bottom;
    double most;

    float x(double value) const { return left + (right - left) * static_cast<float>(value / most); }
    float y(double residual) const {
        const double size = residual < 10.0 ? std::max(residual, least_residual) : 10.0;
        return top + (bottom - top) * static_cast<float>((1.0 - std::log10(size)) / 13.0);
    }
};

inline void draw_curve(Picture& picture, const Plot& plot, const Lane& lane, double unit,
                       std::size_t seen, Colour colour) {
    const auto below = static_cast<float>(picture.scaled(1));  // a second line, for a bold curve
    float x0 = 0.0f;
    float y0 = 0.0f;
    for (std::size_t k = 0; k < seen; ++k) {
        const float x = plot.x(unit * static_cast<double>(k));
        const float y = plot.y(lane.result.residuals[k]);
        if (k > 0) {
            picture.line(x0, y0, x, y, colour);
            picture.line(x0, y0 + below, x, y + below, colour);
        }
        x0 = x;
        y0 = y;
    }
    picture.disc(x0, y0, 3.0f * picture.scale, colour);
}

/// All residuals against work or time, on a logarithmic scale.
inline void draw_plot_of_race(Picture& picture, const Race& race, Rectangle area) {
    const bool by_time = race.measure.chosen == 1;
    const auto unit = [&](const Lane& lane) {
        return by_time ? 1e3 * lane.result.seconds : lane.result.work;
    };
    double most = by_time ? 1e-3 : 10.0;
    for (const Lane& lane : race.lanes) {
        most = std::max(most, unit(lane) * (static_cast<double>(seen_of(race, lane)) - 1.0));
    }
    const Plot plot = {static_cast<float>(area.x + picture.scaled(52)),
                       static_cast<float>(area.x + area.width - picture.scaled(12)),
                       static_cast<float>(area.y + picture.scaled(18)),
                       static_cast<float>(area.y + area.height - picture.scaled(24)), most};
    const int letters = picture.letters(1);
    const int line = workbook::line_height(letters);
    picture.outline(area.x, area.y, area.width, area.height, dim_colour);
    const float apart = (plot.bottom - plot.top) / 6.5f;  // a label must not touch the next one
    const int every = apart >= static_cast<float>(line) ? 2 : 12;
    for (int power = 0; power >= -12; power -= every) {
        const float y = plot.y(std::pow(10.0, power));
        picture.line(plot.left, y, plot.right, y, {45, 48, 55});
        picture.text(area.x + picture.scaled(4), static_cast<int>(y) - line / 2,
                     "1e" + std::to_string(power), dim_colour, letters);
    }
    const std::string below = std::string(by_time ? "milliseconds" : "work in sweeps") +
                              ", up to " + workbook::short_number(most);
    picture.text(static_cast<int>(plot.right) - workbook::text_width(below, letters),
                 static_cast<int>(plot.bottom) + picture.scaled(4), below, dim_colour, letters);
    for (std::size_t number = 0; number < race.lanes.size(); ++number) {
        const Lane& lane = race.lanes[number];
        draw_curve(picture, plot, lane, unit(lane), seen_of(race, lane), colour_of(number));
    }
}

/// Draws the residuals of all lanes, and the plot below them.
inline void draw(Picture& picture, Race& race, Rectangle area) {
    catch_up(race);
    const int columns = 6;
    const int width = area.width / columns;
    const bool named = has_words(picture, width);
    const int line = workbook::line_height(picture.letters(1));
    const int margin = picture.scaled(4);
    const int height =
        named ? std::max(picture.scaled(40), std::min(width + 3 * line, area.height / 3))
              : std::min(width, area.height / 6);
    for (std::size_t number = 0; number < race.lanes.size(); ++number) {
        const int place = static_cast<int>(number);
        draw_lane(
            picture, race, number,
            {area.x + place % columns * width, area.y + place / columns * height, width, height});
    }
    int below = area.y + 2 * height + margin;
    if (!named) {  // the names stand below the pictures, in the same order
        below += draw_names(picture, race, {area.x + margin, below, area.width - 2 * margin, 0});
    }
    draw_plot_of_race(
        picture, race,
        {area.x + margin, below, area.width - 2 * margin, area.y + area.height - below - margin});
}

}  // namespace race
