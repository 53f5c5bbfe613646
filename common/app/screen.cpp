#include "common/app/screen.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>

#include "common/app/brush.hpp"
#include "common/app/layout.hpp"
#include "common/app/paint.hpp"
#include "common/app/program.hpp"
#include "common/app/window.hpp"

namespace workbook {
namespace {

/// Where the mouse is, and what it is up to.
struct Mouse {
    bool dragging = false, turning = false, dye = true;
    std::optional<PanelRow> slider = {};  ///< that is being dragged
    int x = 0, y = 0;
    std::optional<Place> place = {};  ///< where it was seen last, if that is on the fluid
};

double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void clear_message(Screen& screen) {
    screen.message.clear();
    screen.has_said = false;
}

// ---- Parameters --------------------------------------------------------------------------------

void say_parameter(Program& program, std::size_t number) {
    const Parameter& parameter = program.description.parameters[number];
    program.screen.say(parameter.name + " " + value_of(parameter) + ": " + parameter.meaning);
}

/// Undoes a change that the chapter cannot do with, and says why.
void check_change(Program& program, std::size_t number, double before) {
    const std::string reason = program.simulation.why_not(program.simulation.box);
    if (reason.empty()) {
        say_parameter(program, number);
        return;
    }
    set_number(program.description.parameters[number], before);
    program.screen.say(reason);
}

void change_chosen(Program& program, bool up) {
    const std::vector<Parameter>& parameters = program.description.parameters;
    const std::optional<std::size_t> chosen = chosen_of(parameters, program.screen.panel);
    if (!chosen) {
        return;
    }
    program.screen.panel.chosen = *chosen;
    const double before = number_in(parameters[*chosen]);
    change(parameters[*chosen], up);
    check_change(program, *chosen, before);
}

/// Chooses the parameter that comes so many after the chosen one.
void choose_parameter(Program& program, int further) {
    const std::vector<Parameter>& parameters = program.description.parameters;
    choose_further(parameters, program.screen.panel, further);
    if (const std::optional<std::size_t> chosen = chosen_of(parameters, program.screen.panel)) {
        say_parameter(program, *chosen);
    }
}

/// Sets what is under the mouse in a parameter's row: a slider, or the next of several.
void move_slider(Program& program, const PanelRow& row, int x) {
    const std::size_t number = *row.parameter;
    const Parameter& parameter = program.description.parameters[number];
    program.screen.panel.chosen = number;
    const double before = number_in(parameter);
    const double after =
        has_slider(parameter) ? slider_number(parameter, place_in(row, x)) : next_number(parameter);
    set_number(parameter, after);
    check_change(program, number, before);
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

// ---- Keys --------------------------------------------------------------------------------------

/// The keys of this chapter alone.
void press_own(Program& program, char key) {
    for (const Key& own : program.description.keys) {
        if (own.key == key) {
            own.press();
        }
    }
}

void turn_help_page(Program& program) {
    Screen& screen = program.screen;
    ++screen.help_page;
    if (screen.help_page > help_pages(program, screen.size.width, screen.size.height)) {
        screen.help_page = 0;
    }
}

// ---- The mouse ---------------------------------------------------------------------------------

Layout layout_of_window(const Program& program) {
    return layout_of(program, program.screen.size.width, program.screen.size.height);
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
    const bool is_on_panel = event.x >= layout_of_window(program).fluid.width;
    program.screen.probe = {-1, -1};
    if (!is_on_panel) {
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

/// On the panel a button moves a slider, and draws nothing; elsewhere it draws, or turns.
void press_button(Program& program, const Event& event, Mouse& mouse) {
    clear_message(program.screen);
    mouse.x = event.x;
    mouse.y = event.y;
    const Layout layout = layout_of_window(program);
    if (event.x >= layout.fluid.width) {
        if (const std::optional<PanelRow> row = row_at(program, layout, event.x, event.y)) {
            press_panel(program, *row, event.x, mouse);
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

/// Does what the user asks for. False if that is to end.
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

// ---- Time --------------------------------------------------------------------------------------

/// The time that has passed outside, and how much of it the fluid has not yet run.
struct Clock {
    double then = seconds_now();
    double seconds_a_picture = 1.0 / 60.0;
    double owed = 0.0;
};

/// Lets the fluid run for as long as has passed since the last picture. Every step is dt long,
/// however long the picture took: so a run does not depend on the frame rate. A machine that cannot
/// keep up shows slow motion instead of falling behind.
void pass_time(Program& program, Clock& clock, const std::optional<int>& steps) {
    Simulation& simulation = program.simulation;
    const double now = seconds_now();
    const double passed = now - clock.then;
    clock.then = now;
    clock.seconds_a_picture += 0.05 * (passed - clock.seconds_a_picture);
    program.screen.pictures_per_second = 1.0 / std::max(clock.seconds_a_picture, 1e-4);
    const double most_owed = std::max(0.1, 1.5 * simulation.dt);
    clock.owed = program.session.paused ? 0.0 : std::min(clock.owed + passed, most_owed);
    while (clock.owed >= simulation.dt && seconds_now() - now < 0.03) {
        simulation.advance();
        clock.owed -= simulation.dt;
        if (steps && simulation.step_count == *steps) {
            program.session.paused = true;
            clock.owed = 0.0;
        }
    }
}

void show(Program& program, Window& window) {
    Screen& screen = program.screen;
    screen.in_motion = !program.session.paused;
    const Picture picture = paint(program, screen.size.width, screen.size.height);
    screen.in_motion = false;
    screen.text_room = std::max(screen.text_room, picture.text_height);  // so the fluid stays
    window.show(picture);
}

}  // namespace

void press(Program& program, char key) {
    Screen& screen = program.screen;
    clear_message(screen);
    switch (key) {
        case ' ':
            program.session.paused = !program.session.paused;
            return;
        case '.':
            program.session.paused = true;
            program.simulation.advance();
            return;
        case 'r':
            begin_again(program, program.simulation.box);
            play(program, program.session.replayed);
            return;
        case 'v':
            screen.shows_arrows = !screen.shows_arrows;
            return;
        case 'f':
            screen.field = (screen.field + 1) % program.description.fields.size();
            return;
        case '\t':
            choose_parameter(program, 1);
            return;
        case 'j':
            fold_or_unfold(program.description.parameters, screen.panel);
            return;
        case '+':
        case '=':
            change_chosen(program, true);
            return;
        case '-':
        case '_':
            change_chosen(program, false);
            return;
        case 'h':
            turn_help_page(program);
            return;
        case 's':
            save_picture(program);
            return;
        default:
            press_own(program, key);
            return;
    }
}

void press_all(Program& program, const std::string& keys) {
    for (const char key : keys) {
        press(program, static_cast<char>(std::tolower(static_cast<unsigned char>(key))));
    }
}

void run_window(Program& program, const Flags& flags) {
    Screen& screen = program.screen;
    screen.size = natural_size(program, false);
    Window window(program.description.name + " - " + program.description.title, screen.size.width,
                  screen.size.height);
    screen.message = "Drag with the mouse. H for help.";
    Mouse mouse;
    Clock clock;
    write_frame(program);
    press_all(program, flags.keys);

    window.run([&] {
        bool is_open = true;
        for (const Event& event : window.events()) {
            is_open = handle(program, event, mouse) && is_open;
        }
        pass_time(program, clock, flags.steps);
        show(program, window);
        if (!is_open) {
            write_results(program, flags);
        }
        return is_open;
    });
}

}  // namespace workbook
