#include "common/draw/words.hpp"

#include <algorithm>
#include <cstdio>

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

/// The margin on each side of a column, in pixels.
int margin_beside(int size) {
    return 3 * line_height(size) / 5;
}

/// The margin above the lines, and the one below them.
int margin_above(int size) {
    return line_height(size) / 2;
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

}  // namespace

std::string short_number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

WordsLayout words_layout(Rectangle area, const std::vector<std::string>& words, int size) {
    const auto fits = [&](int letters) {
        const auto is_short = [&](const std::string& line) {
            return text_width(line, letters) + 2 * margin_beside(letters) <= area.width;
        };
        return static_cast<int>(words.size()) * line_height(letters) + 2 * margin_above(letters) <=
                   area.height &&
               std::all_of(words.begin(), words.end(), is_short);
    };
    while (size > 1 && !fits(size)) {
        --size;
    }
    const int beside = margin_beside(size);
    std::vector<std::vector<std::string>> entries;
    WordsLayout layout{size, {}, 0, 1, 1, 1};
    int count = 0;
    for (const std::string& line : words) {
        entries.push_back(entry_lines(line, area.width - 2 * beside, size));
        for (const std::string& part : entries.back()) {
            layout.longest = std::max(layout.longest, text_width(part, size));
            ++count;
        }
    }
    const int in_column = std::max(2, (area.height - 2 * margin_above(size)) / line_height(size));
    const int most = std::max(1, area.width / (layout.longest + 2 * beside));
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
    const int beside = margin_beside(layout.size);
    const int above = margin_above(layout.size);
    const int width = layout.columns * (layout.longest + 2 * beside);
    const int height = (layout.rows + (single ? 0 : 1)) * line + 2 * above;
    const int x = std::max(0, area.x + (area.width - width) / 2);
    const int y = std::max(0, area.y + (area.height - height) / 2);
    picture.rectangle(x, y, width, height, ground_colour);
    picture.outline(x, y, width, height, dim_colour);
    const int in_page = layout.columns * layout.rows;
    const int first = (page - 1) * in_page;
    const int count = std::min(in_page, static_cast<int>(layout.lines.size()) - first);
    for (int k = 0; k < count; ++k) {
        picture.text(x + beside + k / layout.rows * (layout.longest + 2 * beside),
                     y + above + k % layout.rows * line,
                     layout.lines[static_cast<std::size_t>(first + k)], text_colour, layout.size);
    }
    if (!single) {
        picture.text(
            x + beside, y + above + layout.rows * line,
            "page " + std::to_string(page) + " of " + std::to_string(layout.pages) + ", H goes on",
            dim_colour, layout.size);
    }
}

}  // namespace workbook
