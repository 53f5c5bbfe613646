// What the mouse does to a window, and what else its reader asks it for.
#pragma once

#include <optional>

#include "common/app/panel.hpp"
#include "common/app/window.hpp"
#include "common/draw/cells.hpp"

namespace workbook {

struct Program;

/// Where the mouse is, and what it is up to.
struct Mouse {
    bool dragging = false, turning = false, dye = true;
    std::optional<PanelRow> slider = {};  ///< that is being dragged
    int x = 0, y = 0;
    std::optional<Place> place = {};  ///< where it was seen last, if that is on the fluid
};

/// Does what the reader asks a window for. False if it is to be closed.
bool handle(Program& program, const Event& event, Mouse& mouse);

}  // namespace workbook
