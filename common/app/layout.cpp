#include "common/app/layout.hpp"

#include <algorithm>

#include "common/app/panel.hpp"
#include "common/app/program.hpp"
#include "common/draw/caption.hpp"

namespace workbook {
namespace {

constexpr int least_beside_panel = 280;  // pixels for the fluid, or there is no panel

}  // namespace

Layout layout_of(const Program& program, int width, int height) {
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

Layout layout_of_still(const Program& program, int width, int height) {
    if (program.session.panel_in_files) {
        return layout_of(program, width, height);
    }
    return {{width, height}, {width, 0, 0, 0}, 1};
}

Rectangle area_of_window(const Program& program) {
    const Screen& screen = program.screen;
    const Size fluid = layout_of(program, screen.size.width, screen.size.height).fluid;
    return area_above_text(fluid.width, fluid.height, screen.text_room);
}

Size with_panel(const Program& program, Size fluid) {
    if (program.description.parameters.empty() || fluid.width < least_beside_panel) {
        return fluid;
    }
    const int size = letter_size(fluid.width, fluid.height);
    return {fluid.width + panel_width(std::max(1, size - 1)), fluid.height};
}

}  // namespace workbook
