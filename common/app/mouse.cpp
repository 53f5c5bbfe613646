#include "common/app/mouse.hpp"

#include <algorithm>
#include <string>

#include "common/app/brush.hpp"
#include "common/app/layout.hpp"
#include "common/app/program.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

/// Sets what is under the mouse in a parameter's row: a slider, or the next of several.
void move_slider(Program& program, const PanelRow& row, int x) {
    const Parameter& parameter = program.description.parameters[*row.parameter];
    const double value =
        has_slider(parameter) ? slider_number(parameter, place_in(row, x)) : next_number(parameter);
    set_parameter(program, *row.parameter, value);
}

/// Does what a press on a row of the panel asks for.
void press_panel(Program& program, const PanelRow& row, int x, Mouse& mouse) {
    if (!row.parameter) {
        fold_or_unfold(program.description.parameters, program.screen.panel);
        return;
    }
    move_slider(program, row, x);
    if (has_slider(program.description.parameters[*row.parameter])) {
        mouse.slider = row;
    }
}

bool lies_in(Rectangle area, int x, int y) {
    return area.x <= x && x < area.x + area.width && area.y <= y && y < area.y + area.height;
}

/// The row of the panel at a pixel of the window, if there is one.
std::optional<PanelRow> row_at(const Program& program, const Layout& layout, int x, int y) {
    if (layout.panel.width == 0) {
        return std::nullopt;
    }
    for (const PanelRow& row : panel_rows(program.description.parameters, program.screen.panel,
                                          layout.panel, layout.panel_letters)) {
        if (lies_in(row.place, x, y)) {
            return row;
        }
    }
    return std::nullopt;
}

Layout layout_of_window(const Program& program) {
    return layout_of(program, program.screen.size.width, program.screen.size.height);
}

/// Whether a pixel of the window lies neither on the panel nor on the row of scenes.
bool is_on_fluid(const Layout& layout, int x, int y) {
    return x < layout.fluid.width && y >= scene_row_height(layout.scenes);
}

/// The button of a scene at a pixel of the window, if there is one.
const SceneButton* button_at(const Layout& layout, int x, int y) {
    for (const SceneButton& button : layout.scenes) {
        if (lies_in(button.place, x, y)) {
            return &button;
        }
    }
    return nullptr;
}

/// Begins the scene that is clicked, or says why it cannot be had.
void click_scene(Program& program, const std::string& name) {
    try {
        begin_scene(program, name);
        program.screen.say(name + ": " + meaning_of_scene(program.description, name));
    } catch (const InputError& error) {
        program.screen.say(error.what());
    }
}

/// Where a pixel of the window lies on the fluid, if it does.
std::optional<Place> place_of(const Program& program, int x, int y) {
    return program.look.place_under(program.simulation, area_of_window(program),
                                    static_cast<float>(x), static_cast<float>(y));
}

void draw(const Program& program, Place from, Place to, bool dye) {
    draw_with_brush(program.simulation, program.look, from, to, dye);
}

void move_mouse(Program& program, const Event& event, Mouse& mouse) {
    if (mouse.slider) {
        move_slider(program, *mouse.slider, event.x);
        return;
    }
    const auto x = static_cast<float>(event.x);
    const auto y = static_cast<float>(event.y);
    program.screen.probe = {-1, -1};
    if (is_on_fluid(layout_of_window(program), event.x, event.y)) {
        program.screen.probe =
            program.look.cell_under(program.simulation, area_of_window(program), x, y);
    }
    if (mouse.turning) {
        program.look.turn(x - static_cast<float>(mouse.x), y - static_cast<float>(mouse.y));
    } else if (mouse.dragging) {
        const std::optional<Place> place = place_of(program, event.x, event.y);
        if (place) {
            draw(program, mouse.place.value_or(*place), *place, mouse.dye);
        }
        mouse.place = place;
    }
    mouse.x = event.x;
    mouse.y = event.y;
}

/// On the panel a button moves a slider, and above the fluid it begins a scene; elsewhere it draws,
/// or turns.
void press_button(Program& program, const Event& event, Mouse& mouse) {
    program.screen.say_nothing();
    mouse.x = event.x;
    mouse.y = event.y;
    const Layout layout = layout_of_window(program);
    if (event.x >= layout.fluid.width) {
        if (const std::optional<PanelRow> row = row_at(program, layout, event.x, event.y)) {
            press_panel(program, *row, event.x, mouse);
        }
        return;
    }
    if (!is_on_fluid(layout, event.x, event.y)) {
        if (const SceneButton* button = button_at(layout, event.x, event.y)) {
            click_scene(program, button->name);
        }
        return;
    }
    mouse.turning = event.button == Event::Button::turning && program.look.turn;
    mouse.dragging = event.button != Event::Button::turning;
    mouse.dye = event.button == Event::Button::left;
    mouse.place = place_of(program, event.x, event.y);
    if (mouse.dragging && mouse.place) {
        draw(program, *mouse.place, *mouse.place, mouse.dye);
    }
}

/// On the panel the wheel goes through the parameters.
void turn_wheel(Program& program, const Event& event, const Mouse& mouse) {
    if (mouse.x >= layout_of_window(program).fluid.width) {
        choose_parameter(program, event.steps > 0 ? -1 : 1);
    } else if (program.look.wheel) {
        program.look.wheel(event.steps);
    }
}

}  // namespace

bool handle(Program& program, const Event& event, Mouse& mouse) {
    switch (event.kind) {
        case Event::Kind::close:
            return false;
        case Event::Kind::resize:
            program.screen.size = {std::max(64, event.x), std::max(64, event.y)};
            program.screen.text_room = 0;
            break;
        case Event::Kind::key:
            if (event.key == '\x1b') {
                return false;
            }
            press(program, event.key);
            break;
        case Event::Kind::press:
            press_button(program, event, mouse);
            break;
        case Event::Kind::release:
            mouse.dragging = false;
            mouse.turning = false;
            mouse.slider.reset();
            break;
        case Event::Kind::move:
            move_mouse(program, event, mouse);
            break;
        case Event::Kind::leave:
            program.screen.probe = {-1, -1};
            break;
        case Event::Kind::wheel:
            turn_wheel(program, event, mouse);
            break;
    }
    return true;
}

}  // namespace workbook
