// What is on the screen, and what the keys do to it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/app/flags.hpp"
#include "common/app/panel.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/picture.hpp"

namespace workbook {

struct Program;

/// What the reader has chosen to see. Pictures in files show it as well.
struct Screen {
    std::size_t field = 0;  ///< the number of the field that is shown
    bool shows_arrows = true;
    GridCell probe = {-1, -1};  ///< the cell under the mouse
    PanelState panel = {};
    int help_page = 0;  ///< 0: not shown
    std::string message = {};  ///< the last line of text
    bool has_said = false;  ///< the message matters more than what the mouse is on

    // A window's.
    Size size = {0, 0};  ///< or that of the picture without one
    std::vector<std::string> scenes = {};  ///< the names in the row above the fluid
    int text_room = 0;  ///< what the lines of text have needed so far in a window of this size
    double pictures_per_second = 0.0;
    bool in_motion = false;  ///< a window is drawn while time passes: it may be coarse for speed

    /// Shows these words in the last line of text, until the next key or click.
    void say(std::string words) {
        message = std::move(words);
        has_said = true;
    }
    void say_nothing() {
        message.clear();
        has_said = false;
    }
};

/// Chooses the parameter that comes so many after the chosen one.
void choose_parameter(Program& program, int further);

/// Chooses a parameter and changes it, unless the chapter cannot do with that; then it says why.
void set_parameter(Program& program, std::size_t number, double value);

/// Does what a key asks for.
void press(Program& program, char key);

/// Does what these keys ask for, one after the other.
void press_all(Program& program, const std::string& keys);

/// Opens a window on what has been prepared, and returns when it is closed.
void run_window(Program& program, const Flags& flags);

}  // namespace workbook
