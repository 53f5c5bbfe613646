#include "common/app/scene_row.hpp"

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

constexpr Colour button_colour = {44, 47, 54};
constexpr Colour present_colour = {38, 84, 128};
constexpr Colour present_edge_colour = {120, 190, 250};

/// The margin around the row, in letters of that size.
int margin_of(int size) {
    return 3 * line_height(size) / 8;
}

/// The gap between buttons, and beside and above their words.
int gap_of(int size) {
    return line_height(size) / 4;
}

}  // namespace

std::vector<SceneButton> scene_buttons(const std::vector<std::string>& names, int width, int size) {
    const int margin = margin_of(size);
    const int gap = gap_of(size);
    const int height = line_height(size) + gap;
    std::vector<SceneButton> buttons;
    int x = margin;
    int y = margin;
    for (const std::string& name : names) {
        const int needed = text_width(name, size) + 4 * gap;
        if (x > margin && x + needed > width - margin) {
            x = margin;
            y += height + gap;
        }
        buttons.push_back({name, {x, y, needed, height}});
        x += needed + gap;
    }
    return buttons;
}

int scene_row_height(const std::vector<SceneButton>& buttons) {
    if (buttons.empty()) {
        return 0;
    }
    const int margin = buttons.front().place.y;
    const Rectangle last = buttons.back().place;
    return last.y + last.height + margin;
}

void draw_scene_row(Picture& picture, const std::vector<SceneButton>& buttons,
                    const std::string& present, int width, int size) {
    const int gap = gap_of(size);
    picture.rectangle(0, 0, width, scene_row_height(buttons), ground_colour);
    for (const SceneButton& button : buttons) {
        const auto [x, y, wide, high] = button.place;
        const bool is_present = button.name == present;
        picture.rectangle(x, y, wide, high, is_present ? present_colour : button_colour);
        if (is_present) {
            picture.outline(x, y, wide, high, present_edge_colour);
        }
        picture.text(x + 2 * gap, y + gap / 2, button.name, text_colour, size);
    }
}

}  // namespace workbook
