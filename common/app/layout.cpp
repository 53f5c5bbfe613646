#include "common/app/layout.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/app/panel.hpp"
#include "common/app/program.hpp"
#include "common/draw/caption.hpp"

namespace workbook {
namespace {

constexpr int least_beside_panel = 280;  // pixels for the fluid, or there is no panel
constexpr int scenes_share = 6;  // the row of scenes has this part of the height at most

/// The fluid and its panel, without the scenes.
Layout with_panel_beside(const Program& program, int width, int height) {
    const bool has_parameters = !program.description.parameters.empty();
    for (int size = letter_sizes; size >= 1 && has_parameters; --size) {
        const int panel_letters = std::max(1, size - 1);
        const int panel = panel_width(panel_letters);
        const int left = width - panel;
        if (left >= least_beside_panel && letter_size(left, height) >= size) {
            return {{left, height}, {left, 0, panel, height}, panel_letters};
        }
    }
    return {{width, height}, {width, 0, 0, 0}, 1};
}

/// The letters of the row of scenes, where the row has room for them.
int scene_letters(Size fluid) {
    return std::max(1, letter_size(fluid.width, fluid.height) - 1);
}

/// Adds the row of scenes, in smaller letters where they are many, if there is room.
void add_scenes(Layout& layout, const std::vector<std::string>& names) {
    for (int size = scene_letters(layout.fluid); size >= 1; --size) {
        std::vector<SceneButton> buttons = scene_buttons(names, layout.fluid.width, size);
        if (scene_row_height(buttons) <= layout.fluid.height / scenes_share) {
            layout.scenes = std::move(buttons);
            layout.scene_letters = size;
            return;
        }
    }
}

}  // namespace

Layout layout_of(const Program& program, int width, int height) {
    Layout layout = with_panel_beside(program, width, height);
    add_scenes(layout, program.screen.scenes);
    return layout;
}

Layout layout_of_still(const Program& program, int width, int height) {
    if (program.session.panel_in_files) {
        return with_panel_beside(program, width, height);
    }
    return {{width, height}, {width, 0, 0, 0}, 1};
}

Rectangle area_of(const Layout& layout, int least_text) {
    Rectangle area = area_above_text(layout.fluid.width, layout.fluid.height, least_text);
    const int above = scene_row_height(layout.scenes);
    area.y += above;
    area.height = std::max(1, area.height - above);
    return area;
}

Rectangle area_of_window(const Program& program) {
    const Screen& screen = program.screen;
    return area_of(layout_of(program, screen.size.width, screen.size.height), screen.text_room);
}

Size with_panel(const Program& program, Size fluid) {
    if (program.description.parameters.empty() || fluid.width < least_beside_panel) {
        return fluid;
    }
    const int size = letter_size(fluid.width, fluid.height);
    return {fluid.width + panel_width(std::max(1, size - 1)), fluid.height};
}

Size with_scenes(const Program& program, Size fluid) {
    const std::vector<SceneButton> buttons =
        scene_buttons(program.screen.scenes, fluid.width, scene_letters(fluid));
    return {fluid.width, fluid.height + scene_row_height(buttons)};
}

}  // namespace workbook
