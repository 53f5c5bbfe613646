#include "common/draw/paint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

constexpr Colour arrow_colour = {51, 204, 255};
constexpr Colour line_colour = {60, 60, 60};
constexpr Colour text_colour = {220, 220, 220};
constexpr Colour dim_colour = {150, 150, 150};
constexpr Colour ground_colour = {16, 16, 16};
constexpr int text_lines = 6;
constexpr int tutorial_side = 576;  // 18 cells of 32 pixels
constexpr int largest_side = 1024;
constexpr int least_beside_panel = 280;  // pixels for the fluid, or there is no panel

/// The height of the lines of text below the grid.
int text_height(int size) {
    return text_lines * line_height(size) + 8;
}

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

void draw_grid_lines(Picture& picture, const View& view) {
    const Rectangle whole = pixels_of(view);
    const auto edge = [&](int k, int length) {
        return std::min(length - 1, static_cast<int>(static_cast<float>(k) * view.cell));
    };
    for (int i = 0; i <= view.columns; ++i) {
        picture.rectangle(whole.x + edge(i, whole.width), whole.y, 1, whole.height, line_colour);
    }
    for (int j = 0; j <= view.rows; ++j) {
        picture.rectangle(whole.x, whole.y + edge(j, whole.height), whole.width, 1, line_colour);
    }
}

/// A line of text below the grid.
struct TextLine {
    std::string words;
    Colour colour;
};

void add_wrapped(std::vector<TextLine>& lines, const std::string& words, Colour colour, int width,
                 int size) {
    for (const std::string& line : wrapped(words, width, size)) {
        lines.push_back({line, colour});
    }
}

/// The numbers at a colour bar's two ends. Several fields may be drawn each in its own range.
std::pair<std::string, std::string> ends_of(const std::vector<ColourScale>& scales) {
    const ColourScale& first = scales.front();
    std::string end = short_number(first.full);
    bool is_cut = false;
    for (const ColourScale& scale : scales) {
        end = short_number(scale.full) == short_number(first.full) ? end : "the largest of each";
        is_cut = is_cut || scale.is_cut;
    }
    return {first.is_signed ? "-" + end : "0", end + (is_cut ? " and more" : "")};
}

/// Draws the name and unit of what was drawn and, if there is room beside them, its colour bar;
/// else the bar is below. Returns how many lines that takes; with `picture` null it draws nothing.
int draw_bar(Picture* picture, const std::vector<ColourScale>& scales, Rectangle room, int size) {
    if (scales.empty()) {
        return 0;
    }
    const ColourScale& scale = scales.front();
    const std::string name = scale.name + (scale.unit.empty() ? "" : " (" + scale.unit + ")");
    const auto [low, high] = ends_of(scales);
    const int letter = text_width(" ", size);
    const int least = text_width(low + high, size) + 14 * letter;  // a bar of twelve letters
    const std::vector<std::string> lines = wrapped(name, room.width, size);
    const bool beside = text_width(lines.back(), size) + 3 * letter + least <= room.width;
    const int count = static_cast<int>(lines.size()) + (beside ? 0 : 1);
    if (picture == nullptr) {
        return count;
    }
    int y = room.y;
    for (const std::string& words : lines) {
        picture->text(room.x, y, words, text_colour, size);
        y += line_height(size);
    }
    y = room.y + (count - 1) * line_height(size);
    int x = room.x + (beside ? text_width(lines.back(), size) + 3 * letter : 0);
    picture->text(x, y, low, text_colour, size);
    x += text_width(low, size) + letter;
    const int longest = 40 * letter;
    const int width = std::min(longest, room.x + room.width - x - letter - text_width(high, size));
    for (int k = 0; k < width; ++k) {
        const float place = static_cast<float>(k) / static_cast<float>(std::max(1, width - 1));
        picture->rectangle(x + k, y + 4, 1, line_height(size) - 8,
                           scale.is_signed
                               ? signed_colour(2.0f * place - 1.0f)
                               : sequential_colour(scale.darkest + (1.0f - scale.darkest) * place));
    }
    picture->outline(x - 1, y + 3, width + 2, line_height(size) - 6, dim_colour);
    picture->text(x + width + letter, y, high, text_colour, size);
    return count;
}

/// Draws the colour bar and the lines of text below an area at the picture's lower end. What does
/// not fit there takes some of the area.
void draw_text(Picture& picture, Rectangle area, const std::vector<TextLine>& lines, int size) {
    const int line = line_height(size);
    Rectangle room{8, 0, area.width - 16, 0};
    const int bar = draw_bar(nullptr, picture.scales, room, size);
    const int needed = (bar + static_cast<int>(lines.size())) * line + 8;
    picture.text_height = std::min(needed, picture.height() * 2 / 3);
    const int top = std::min(area.height, picture.height() - picture.text_height);
    picture.rectangle(0, top, area.width, picture.height() - top, ground_colour);
    room.y = top + 4;
    draw_bar(&picture, picture.scales, room, size);
    int y = room.y + bar * line;
    for (const TextLine& words : lines) {
        picture.text(room.x, y, words.words, words.colour, size);
        y += line;
    }
}

constexpr int words_margin = 12;  ///< in pixels, on each side of a column

std::vector<std::string> help_lines(const Program& program) {
    std::vector<std::string> lines = {"left drag   dye and velocity",
                                      "right drag  velocity only",
                                      "Space  pause or go on",
                                      ".      one step",
                                      "R      begin again",
                                      "V      arrows on or off",
                                      "F      next field",
                                      "Tab    next parameter",
                                      "+ -    change it (or drag its slider)",
                                      "S      save a picture",
                                      "H      this help",
                                      "Esc    quit"};
    const auto is_earlier = [](const Parameter& parameter) { return parameter.from_earlier; };
    if (std::any_of(program.parameters.begin(), program.parameters.end(), is_earlier)) {
        lines.insert(lines.begin() + 9, "J      parameters from earlier chapters, shown or not");
    }
    if (program.turn) {
        lines.insert(lines.begin() + 2, "middle drag  turn (or Alt and left drag)");
    }
    if (program.wheel) {
        lines.insert(lines.begin() + 2, "wheel  " + program.wheel_meaning);
    }
    for (const Key& key : program.keys) {
        lines.push_back(std::string(1, static_cast<char>(std::toupper(key.key))) + "      " +
                        key.meaning);
    }
    return lines;
}

/// The lines of an entry such as "Tab    next parameter". All begin where its meaning begins, where
/// that leaves room for some letters.
std::vector<std::string> entry_lines(const std::string& entry, int width, int size) {
    const std::size_t meaning = entry.find_first_not_of(' ', entry.find("  "));
    const int room = width - text_width(entry.substr(0, meaning), size);
    if (meaning == std::string::npos || room < text_width(" ", size) * 12) {
        return wrapped(entry, width, size);
    }
    std::vector<std::string> lines = wrapped(entry.substr(meaning), room, size);
    for (std::string& line : lines) {
        line.insert(0, meaning, ' ');
    }
    lines.front().replace(0, meaning, entry, 0, meaning);
    return lines;
}

/// The lines of all entries in columns of so many rows, one column after the other. An entry that
/// would go on in the next column begins there instead, and leaves empty lines behind.
std::vector<std::string> in_columns(const std::vector<std::vector<std::string>>& entries,
                                    int rows) {
    const auto in_column = static_cast<std::size_t>(rows);
    std::vector<std::string> lines;
    for (const std::vector<std::string>& entry : entries) {
        const std::size_t used = lines.size() % in_column;
        if (used + entry.size() > in_column && entry.size() <= in_column) {
            lines.resize(lines.size() + in_column - used);
        }
        lines.insert(lines.end(), entry.begin(), entry.end());
    }
    return lines;
}

WordsLayout help_layout(const Program& program, int width, int height) {
    return words_layout({0, 0, width, height}, help_lines(program),
                        letter_size(layout_of(program, width, height).fluid.width, height));
}

void draw_probed(Picture& picture, const View& view, const Program& program, GridCell probe) {
    const int x = static_cast<int>(view.left + static_cast<float>(probe.i) * view.cell);
    const int y = static_cast<int>(view.top + static_cast<float>(probe.j) * view.cell);
    const int size = std::max(3, static_cast<int>(view.cell));
    picture.outline(x, y, size + 1, size + 1, {255, 255, 255});
    picture.outline(x + 1, y + 1, size - 1, size - 1, {0, 0, 0});  // for white dye
    if (program.draw_probe) {
        program.draw_probe(picture, view, probe);
    }
}

/// Cells, arrows, and the cell that is probed, if one is.
void draw_grid(Picture& picture, const View& view, const Program& program, const GridCell* probe) {
    draw_cells(picture, view, program.shown_field(), program.walls_have_values);
    if (program.shows_arrows() && program.velocity) {
        draw_arrows(picture, view, program.velocity, *program.arrow_scale,
                    program.walls_have_values);
    }
    if (probe != nullptr) {
        draw_probed(picture, view, program, *probe);
    }
    if (program.draw_over) {
        program.draw_over(picture, view);
    }
}

std::string status_of(const Program& program, double pictures_per_second) {
    std::string status =
        words_of(program.shape, program.box, " ") + "  step " + std::to_string(program.step_count);
    if (pictures_per_second > 0.0) {
        status += "  " + std::to_string(std::lround(pictures_per_second)) + " fps";
    }
    return status + (program.paused ? "  paused" : "");
}

std::string readouts_of(const Program& program) {
    std::string readouts;
    for (const Readout& readout : program.readouts) {
        if (readout.shown && (!readout.applies || readout.applies())) {
            readouts += readout.name + " " + short_number(readout.value()) + "  ";
        }
    }
    return readouts;
}

/// What the last line says of a cell.
std::string words_on(const Program& program, GridCell cell) {
    if (program.describe) {
        return program.describe(cell.i, cell.j);
    }
    std::string words = "(" + std::to_string(cell.i) + "," + std::to_string(cell.j) + ")";
    if (program.index) {
        words += " IX " + std::to_string(program.index(cell.i, cell.j));
    }
    for (const StateColumn& column : program.state) {
        if (const auto* flat = std::get_if<0>(&column.cell)) {
            words += " " + column.name + " " + short_number((*flat)(cell.i, cell.j));
        }
    }
    return words;
}

}  // namespace

std::string short_number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

Size natural_size(int columns, int rows) {
    const int longest = std::max(columns, rows);
    const int side = std::min(largest_side, longest * std::max(1, tutorial_side / longest));
    const int width = std::max(side, tutorial_side);
    // A low grid leaves room for little else than itself; but the lines of text need some.
    const double share = static_cast<double>(rows) / longest;
    const int height = std::max(width / 2, static_cast<int>(std::lround(width * share)));
    return {width, height + text_height(letter_size(width, width))};
}

int letter_size(int width, int height) {
    const int side = std::min(width, 3 * height / 2);
    const int sides[] = {500, 820, 1060, 1152, 1440};  // where the next larger letters begin
    return 1 + static_cast<int>(std::upper_bound(std::begin(sides), std::end(sides), side) -
                                std::begin(sides));
}

Rectangle area_above_text(int width, int height, int least_text) {
    const int text = std::min(height / 2, text_height(letter_size(width, height)));
    return {0, 0, width, height - std::max(text, least_text)};
}

int more_text_room(const Program& program, Size fluid) {
    const int size = letter_size(fluid.width, fluid.height);
    std::string words = status_of(program, 60.0) + "  paused";
    for (const Readout& readout : program.readouts) {
        words += readout.shown ? "  " + readout.name + " -1.234e-05" : "";
    }
    const int bar = 1, cell = 2;
    const int lines = bar + cell + static_cast<int>(wrapped(words, fluid.width - 16, size).size());
    return std::max(0, lines - text_lines) * line_height(size);
}

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

View view_of(const Program& program, int width, int height) {
    const auto [columns, rows] = program.shown_cells();
    const Rectangle area = area_above_text(width, height, program.text_room_);
    return view_in(area, columns, rows, program.has_walls());
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
                colour = field.is_signed ? signed_colour(value) : sequential_colour(value);
                colour = wall ? wall_tint(colour) : colour;
            }
            picture.pixel(whole.x + x, whole.y + y, colour);
        }
    }
    picture.scales.push_back({field.name, field.unit, full, field.is_signed, is_cut});
    if (view.cell >= 12.0f) {
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
    const int stride = std::max(1, static_cast<int>(std::ceil(18.0f / view.cell)));
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
            picture.line(x0 + 1.0f, y0, x1 + 1.0f, y1, arrow_colour);
            picture.disc(x1, y1, std::clamp(view.cell / 13.0f, 1.0f, 2.5f), arrow_colour);
        }
    }
}

void draw_plot(Picture& picture, int x, int y, int width, int height,
               const std::vector<float>& values, const std::string& title) {
    picture.shade(x, y, width, height);
    picture.outline(x, y, width, height, dim_colour);
    int below = y + 6;  // the title
    for (const std::string& line : wrapped(title, width - 12, 1)) {
        picture.text(x + 6, below, line, text_colour, 1);
        below += letter_height;
    }
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
    const bool has_zero = std::count(values.begin(), values.end(), 0.0f) > 0;
    bottom -= has_zero ? 1.0f : 0.0f;  // a line of its own, below all powers of ten
    const float left = static_cast<float>(x + 8 + 6 * letter_width);
    const float right = static_cast<float>(x + width - 10);
    const float high = static_cast<float>(below + 10);
    const float low = static_cast<float>(y + height - 10);
    const float unit = (low - high) / (top - bottom);
    const int every =
        std::max(1, static_cast<int>(std::ceil(static_cast<float>(letter_height) / unit)));
    for (int power = static_cast<int>(top); power >= static_cast<int>(bottom); power -= every) {
        const float at = high + (top - static_cast<float>(power)) * unit;
        picture.line(left, at, right, at, line_colour);
        if (!has_zero || power > static_cast<int>(bottom)) {
            picture.text(x + 4, static_cast<int>(at) - letter_height / 2,
                         "1e" + std::to_string(power), dim_colour, 1);
        }
    }
    if (has_zero) {
        picture.line(left, low, right, low, line_colour);
        picture.text(x + 4, static_cast<int>(low) - letter_height / 2, "0", dim_colour, 1);
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

Layout layout_of(const Program& program, int width, int height) {
    for (int size = letter_sizes; size >= 1 && !program.parameters.empty(); --size) {
        const int panel_letters = std::max(1, size - 1);
        const int panel = panel_width(panel_letters);
        const int left = width - panel;
        if (left >= least_beside_panel && letter_size(left, height) >= size) {
            return {{left, height}, {left, 0, panel, height}, panel_letters};
        }
    }
    return {{width, height}, {width, 0, 0, 0}, 1};
}

Size with_panel(const Program& program, Size fluid) {
    if (program.parameters.empty() || fluid.width < least_beside_panel) {
        return fluid;
    }
    const int size = letter_size(fluid.width, fluid.height);
    return {fluid.width + panel_width(std::max(1, size - 1)), fluid.height};
}

WordsLayout words_layout(Rectangle area, const std::vector<std::string>& words, int size) {
    const auto fits = [&](int letters) {
        const auto is_short = [&](const std::string& line) {
            return text_width(line, letters) + 2 * words_margin <= area.width;
        };
        return static_cast<int>(words.size()) * line_height(letters) + 20 <= area.height &&
               std::all_of(words.begin(), words.end(), is_short);
    };
    while (size > 1 && !fits(size)) {
        --size;
    }
    std::vector<std::vector<std::string>> entries;
    WordsLayout layout{size, {}, 0, 1, 1, 1};
    int count = 0;
    for (const std::string& line : words) {
        entries.push_back(entry_lines(line, area.width - 2 * words_margin, size));
        for (const std::string& part : entries.back()) {
            layout.longest = std::max(layout.longest, text_width(part, size));
            ++count;
        }
    }
    const int in_column = std::max(2, (area.height - 20) / line_height(size));
    const int most = std::max(1, area.width / (layout.longest + 2 * words_margin));
    for (layout.columns = 1; layout.columns <= most; ++layout.columns) {
        layout.rows = (count + layout.columns - 1) / layout.columns;
        for (; layout.rows <= in_column; ++layout.rows) {
            layout.lines = in_columns(entries, layout.rows);
            if (static_cast<int>(layout.lines.size()) <= layout.columns * layout.rows) {
                return layout;
            }
        }
    }
    layout.columns = most;
    layout.rows = in_column - 1;  // below them stands the number of the page
    layout.lines = in_columns(entries, layout.rows);
    const int in_page = layout.columns * layout.rows;
    layout.pages = (static_cast<int>(layout.lines.size()) + in_page - 1) / in_page;
    return layout;
}

void draw_words(Picture& picture, Rectangle area, const WordsLayout& layout, int page) {
    const bool single = layout.pages == 1;
    const int line = line_height(layout.size);
    const int width = layout.columns * (layout.longest + 2 * words_margin);
    const int height = (layout.rows + (single ? 0 : 1)) * line + 20;
    const int x = std::max(0, area.x + (area.width - width) / 2);
    const int y = std::max(0, area.y + (area.height - height) / 2);
    picture.rectangle(x, y, width, height, ground_colour);
    picture.outline(x, y, width, height, dim_colour);
    const int in_page = layout.columns * layout.rows;
    const int first = (page - 1) * in_page;
    const int count = std::min(in_page, static_cast<int>(layout.lines.size()) - first);
    for (int k = 0; k < count; ++k) {
        picture.text(x + words_margin + k / layout.rows * (layout.longest + 2 * words_margin),
                     y + 10 + k % layout.rows * line,
                     layout.lines[static_cast<std::size_t>(first + k)], text_colour, layout.size);
    }
    if (!single) {
        picture.text(
            x + words_margin, y + 10 + layout.rows * line,
            "page " + std::to_string(page) + " of " + std::to_string(layout.pages) + ", H goes on",
            dim_colour, layout.size);
    }
}

int help_pages(const Program& program, int width, int height) {
    return help_layout(program, width, height).pages;
}

namespace {

/// A still has no panel, unless --panel asks for it.
Layout layout_of(const Program& program, int width, int height, bool has_panel) {
    return has_panel ? layout_of(program, width, height) : Layout{{width, height}, {}, 1};
}

}  // namespace

/// The picture whose lines of text have room for that many pixels at least.
Picture painted(const Program& program, int whole_width, int height, bool still, int text_room) {
    Picture picture(whole_width, height);
    const Layout layout =
        layout_of(program, whole_width, height, !still || program.panel_in_files_);
    const int width = layout.fluid.width;
    const Rectangle area = area_above_text(width, height, text_room);
    const auto [columns, rows] = program.shown_cells();
    const View view = view_in(area, columns, rows, program.has_walls());
    const GridCell probe = program.probe_;
    const bool probing =
        0 <= probe.i && probe.i < view.columns && 0 <= probe.j && probe.j < view.rows;
    const auto& own = still && program.draw_still ? program.draw_still : program.draw;
    if (!own || !own(picture, area)) {
        draw_grid(picture, view, program, probing ? &probe : nullptr);
    }

    const int size = letter_size(width, height);
    const int room = width - 16;
    std::vector<TextLine> lines;
    add_wrapped(lines,
                status_of(program, program.pictures_per_second_) + "  " + readouts_of(program),
                text_colour, room, size);
    const bool says = program.said_ || !probing;
    add_wrapped(lines, says ? program.message_ : words_on(program, probe),
                probing ? text_colour : dim_colour, room, size);
    draw_text(picture, area, lines, size);
    if (layout.panel.width > 0) {
        draw_panel(picture, program.parameters, program.panel_, layout.panel, layout.panel_letters);
    }
    if (program.help_page_ > 0) {
        const WordsLayout words = help_layout(program, whole_width, height);
        draw_words(picture, {0, 0, whole_width, height}, words,
                   std::min(program.help_page_, words.pages));
    }
    return picture;
}

Picture paint(const Program& program, int whole_width, int height, bool still) {
    const int room = still ? 0 : program.text_room_;
    Picture picture = painted(program, whole_width, height, still, room);
    const int width =
        layout_of(program, whole_width, height, !still || program.panel_in_files_).fluid.width;
    const Rectangle area = area_above_text(width, height, room);
    const bool has_room = area.height + picture.text_height <= height;
    return has_room ? picture : painted(program, whole_width, height, still, picture.text_height);
}

}  // namespace workbook
