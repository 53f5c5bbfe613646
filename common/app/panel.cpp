#include "common/app/panel.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

namespace workbook {
namespace {

constexpr Colour panel_ground_colour = {26, 27, 30};
constexpr Colour row_colour = {44, 47, 54};
constexpr Colour filled_colour = {38, 84, 128};
constexpr Colour handle_colour = {120, 190, 250};
constexpr Colour panel_text_colour = {230, 230, 230};
constexpr Colour panel_dim_colour = {160, 160, 160};
constexpr int letters_in_row = 32;
constexpr double zero_share = 0.04;  // of a slider, or of each half of it, stands for 0

/// The gap around rows and in them, beside letters of that size.
int row_gap(int size) {
    return line_height(size) / 4;
}

/// The smallest and the largest size that a number's slider stands for, besides 0.
struct Sizes {
    double least, most;
};

Sizes sizes_of(const Parameter& parameter) {
    const double end = std::max(std::abs(parameter.least), std::abs(parameter.most));
    const bool is_count = std::holds_alternative<int*>(parameter.value);
    // What begins with 0 may be of any size.
    const double least = parameter.usual != 0.0 ? std::abs(parameter.usual) / 100.0 : 1e-4;
    const double most = parameter.usual != 0.0 ? std::abs(parameter.usual) * 100.0 : 100.0;
    const Sizes sizes = {std::max({least, parameter.least, is_count ? 1.0 : 0.0}),
                         std::min(most, end)};
    return sizes.least < sizes.most ? sizes : Sizes{sizes.most / 100.0, sizes.most};
}

double rounded(double number) {
    if (number == 0.0) {
        return 0.0;
    }
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(number))) - 2.0);
    return std::round(number / unit) * unit;
}

/// The words on a row's right side.
std::string value_in_panel(const Parameter& parameter) {
    const std::string value = value_of(parameter);
    if (std::holds_alternative<bool*>(parameter.value)) {
        return value == "1" ? "on" : "off";
    }
    return has_slider(parameter) ? value : value + " >";
}

/// A row is twice as high where name and value do not fit side by side.
int lines_of(const Parameter& parameter) {
    const std::size_t letters = parameter.name.size() + 2 + value_in_panel(parameter).size();
    return letters <= letters_in_row ? 1 : 2;
}

std::string title_of(std::size_t count, std::size_t shown, std::size_t first) {
    if (shown == count) {
        return "drag, or Tab and + -";
    }
    return std::to_string(first + 1) + " to " + std::to_string(first + shown) + " of " +
           std::to_string(count) + " (wheel, Tab)";
}

bool applies(const Parameter& parameter) {
    return !parameter.applies || parameter.applies();
}

/// Appends the numbers of the parameters that apply and are, or are not, from earlier chapters.
void append_listed(std::vector<std::size_t>& numbers, const std::vector<Parameter>& parameters,
                   bool from_earlier) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (parameters[k].from_earlier == from_earlier && applies(parameters[k])) {
            numbers.push_back(k);
        }
    }
}

std::size_t count_earlier(const std::vector<Parameter>& parameters) {
    std::vector<std::size_t> numbers;
    append_listed(numbers, parameters, true);
    return numbers.size();
}

/// The panel's lines from top to bottom, all of them. Nothing stands for the line of the folded
/// parameters.
std::vector<std::optional<std::size_t>> lines_of_panel(const std::vector<Parameter>& parameters,
                                                       bool shows_earlier) {
    std::vector<std::optional<std::size_t>> lines;
    const std::vector<std::size_t> all = listed(parameters, shows_earlier);
    const auto is_own = [&](std::size_t number) { return !parameters[number].from_earlier; };
    const auto earlier = std::partition_point(all.begin(), all.end(), is_own);
    lines.insert(lines.end(), all.begin(), earlier);
    if (count_earlier(parameters) > 0) {
        lines.emplace_back(std::nullopt);
    }
    lines.insert(lines.end(), earlier, all.end());
    return lines;
}

}  // namespace

bool has_slider(const Parameter& parameter) {
    return !std::holds_alternative<bool*>(parameter.value) &&
           !std::holds_alternative<Choice*>(parameter.value);
}

double next_number(const Parameter& parameter) {
    Choice* const* choice = std::get_if<Choice*>(&parameter.value);
    const auto count = choice != nullptr ? static_cast<double>((*choice)->names.size()) : 2.0;
    return std::fmod(number_in(parameter) + 1.0, count);
}

double slider_place(const Parameter& parameter) {
    const double number = number_in(parameter);
    const auto [least, most] = sizes_of(parameter);
    double along = 0.0;  // of the slider, or of one half of it
    if (number != 0.0) {
        const double share = std::log(std::abs(number) / least) / std::log(most / least);
        const double zero = parameter.least > 0.0 ? 0.0 : zero_share;
        along = zero + (1.0 - zero) * std::clamp(share, 0.0, 1.0);
    }
    return parameter.least < 0.0 ? 0.5 + std::copysign(0.5 * along, number) : along;
}

double slider_number(const Parameter& parameter, double place) {
    place = std::clamp(place, 0.0, 1.0);
    const auto [least, most] = sizes_of(parameter);
    const double along = parameter.least < 0.0 ? std::abs(2.0 * place - 1.0) : place;
    const double zero = parameter.least > 0.0 ? 0.0 : zero_share;
    if (along < zero) {
        return 0.0;
    }
    const double size = least * std::pow(most / least, (along - zero) / (1.0 - zero));
    const bool is_count = std::holds_alternative<int*>(parameter.value);
    const double number = is_count ? std::round(size) : rounded(size);
    return std::clamp(parameter.least < 0.0 && place < 0.5 ? -number : number, parameter.least,
                      parameter.most);
}

int panel_width(int size) {
    return text_width(std::string(letters_in_row, ' '), size) + 6 * row_gap(size);
}

std::vector<std::size_t> listed(const std::vector<Parameter>& parameters, bool shows_earlier) {
    std::vector<std::size_t> numbers;
    append_listed(numbers, parameters, false);
    if (shows_earlier) {
        append_listed(numbers, parameters, true);
    }
    return numbers;
}

std::optional<std::size_t> chosen_of(const std::vector<Parameter>& parameters, PanelState state) {
    const std::vector<std::size_t> all = listed(parameters, state.shows_earlier);
    if (all.empty()) {
        return std::nullopt;
    }
    const bool is_listed = std::find(all.begin(), all.end(), state.chosen) != all.end();
    return is_listed ? state.chosen : all.front();
}

void choose_further(const std::vector<Parameter>& parameters, PanelState& state, int further) {
    const std::vector<std::size_t> all = listed(parameters, state.shows_earlier);
    const int count = static_cast<int>(all.size());
    if (count == 0) {
        return;
    }
    const auto found = std::find(all.begin(), all.end(), state.chosen);
    if (found == all.end()) {
        state.chosen = all.front();
        return;
    }
    const int place = static_cast<int>(found - all.begin());
    state.chosen = all[static_cast<std::size_t>((place + further + count) % count)];
}

void fold_or_unfold(const std::vector<Parameter>& parameters, PanelState& state) {
    std::vector<std::size_t> earlier;
    append_listed(earlier, parameters, true);
    if (earlier.empty()) {
        return;
    }
    state.shows_earlier = !state.shows_earlier;
    if (state.shows_earlier) {
        state.chosen = earlier.front();
    } else {
        state.chosen = chosen_of(parameters, state).value_or(state.chosen);
    }
}

std::vector<PanelRow> panel_rows(const std::vector<Parameter>& parameters, PanelState state,
                                 Rectangle panel, int size) {
    using Line = std::optional<std::size_t>;
    const int line = line_height(size);
    const int gap = row_gap(size);
    const auto height = [&](Line number) {
        return (number ? lines_of(parameters[*number]) : 1) * line + 2 * gap;
    };
    std::vector<Line> lines = lines_of_panel(parameters, state.shows_earlier);
    int bottom = panel.y + panel.height - gap;
    const bool ends_with_fold = !lines.empty() && !lines.back();
    if (ends_with_fold) {  // it has its room, whatever else has none
        lines.pop_back();
        bottom -= height(std::nullopt) + gap;
    }
    const int top = panel.y + line + 3 * gap;
    const Line chosen = chosen_of(parameters, state);
    const auto last = std::find(lines.begin(), lines.end(), chosen);
    auto first = lines.begin();
    int needed = 0;
    for (auto k = lines.begin(); k != lines.end() && k <= last; ++k) {
        needed += height(*k) + gap;
        while (top + needed - gap > bottom && first < k) {
            needed -= height(*first) + gap;
            ++first;
        }
    }
    std::vector<PanelRow> rows;
    int y = top;
    const auto add = [&](Line number) {
        rows.push_back({number, {panel.x + 2 * gap, y, panel.width - 4 * gap, height(number)}});
        y += height(number) + gap;
    };
    for (auto k = first; k != lines.end() && y + height(*k) <= bottom; ++k) {
        add(*k);
    }
    if (ends_with_fold) {
        add(std::nullopt);
    }
    return rows;
}

double place_in(const PanelRow& row, int x) {
    return std::clamp((x - row.place.x) / static_cast<double>(std::max(1, row.place.width - 1)),
                      0.0, 1.0);
}

namespace {

void draw_fold(Picture& picture, Rectangle place, std::size_t count, bool is_open, int size) {
    const int gap = row_gap(size);
    const std::string mark = is_open ? "hide" : "show";
    picture.outline(place.x, place.y, place.width, place.height, row_colour);
    picture.text(place.x + gap, place.y + gap, "from earlier chapters: " + std::to_string(count),
                 panel_dim_colour, size);
    picture.text(place.x + place.width - gap - text_width(mark, size), place.y + gap, mark,
                 panel_dim_colour, size);
}

void draw_row(Picture& picture, const PanelRow& row, const Parameter& parameter, bool is_chosen,
              int size) {
    const auto [x, y, width, height] = row.place;
    const int line = picture.scaled(1);
    const int gap = row_gap(size);
    const auto column = [&row](double place) {
        return row.place.x + static_cast<int>(std::lround(place * (row.place.width - 1)));
    };
    picture.rectangle(x, y, width, height, row_colour);
    if (has_slider(parameter)) {
        const int handle = column(slider_place(parameter));
        const int zero = parameter.least < 0.0 ? column(0.5) : x;
        picture.rectangle(std::min(zero, handle), y, std::abs(handle - zero), height,
                          filled_colour);
        picture.rectangle(handle - line, y, 3 * line, height, handle_colour);
    }
    if (is_chosen) {
        picture.outline(x - line, y - line, width + 2 * line, height + 2 * line, panel_text_colour);
    }
    const std::string value = value_in_panel(parameter);
    picture.text(x + gap, y + gap, parameter.name, panel_text_colour, size);
    picture.text(x + width - gap - text_width(value, size),
                 y + gap + (lines_of(parameter) - 1) * line_height(size), value, panel_text_colour,
                 size);
}

/// Which of the listed parameters the rows show, in words.
std::string title_of_rows(const std::vector<std::size_t>& all, const std::vector<PanelRow>& rows) {
    std::vector<std::size_t> shown;
    for (const PanelRow& row : rows) {
        if (row.parameter) {
            shown.push_back(*row.parameter);
        }
    }
    const auto first =
        shown.empty() ? all.begin() : std::find(all.begin(), all.end(), shown.front());
    return title_of(all.size(), shown.size(), static_cast<std::size_t>(first - all.begin()));
}

}  // namespace

void draw_panel(Picture& picture, const std::vector<Parameter>& parameters, PanelState state,
                Rectangle panel, int size) {
    picture.rectangle(panel.x, panel.y, panel.width, panel.height, panel_ground_colour);
    const std::vector<PanelRow> rows = panel_rows(parameters, state, panel, size);
    const std::optional<std::size_t> chosen = chosen_of(parameters, state);
    const int gap = row_gap(size);
    picture.text(panel.x + 2 * gap, panel.y + gap,
                 title_of_rows(listed(parameters, state.shows_earlier), rows), panel_dim_colour,
                 size);
    for (const PanelRow& row : rows) {
        if (row.parameter) {
            draw_row(picture, row, parameters[*row.parameter], row.parameter == chosen, size);
        } else {
            draw_fold(picture, row.place, count_earlier(parameters), state.shows_earlier, size);
        }
    }
}

}  // namespace workbook
