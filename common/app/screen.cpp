#include "common/app/screen.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <vector>

#include "common/app/mouse.hpp"
#include "common/app/paint.hpp"
#include "common/app/program.hpp"
#include "common/app/rest.hpp"
#include "common/app/watched.hpp"
#include "common/app/window.hpp"

namespace workbook {
namespace {

double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// ---- Parameters --------------------------------------------------------------------------------

void say_parameter(Program& program, std::size_t number) {
    const Parameter& parameter = program.description.parameters[number];
    program.screen.say(parameter.name + " " + value_of(parameter) + ": " + parameter.meaning);
}

/// Undoes a change that the chapter cannot do with, and says why.
void check_change(Program& program, std::size_t number, double before) {
    const std::string reason = program.simulation.refuse(program.simulation.box);
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

// ---- Keys --------------------------------------------------------------------------------------

/// The keys of this chapter alone.
void press_own(Program& program, char key) {
    for (const Key& own : program.description.keys) {
        if (own.key == key) {
            own.press();
            program.session.own_keys += key;
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
    if (!program.session.paused) {
        clock.seconds_a_picture += 0.05 * (passed - clock.seconds_a_picture);
        program.screen.pictures_per_second = 1.0 / std::max(clock.seconds_a_picture, 1e-4);
    }
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

void show(Program& program, Window& window, Rest& rest) {
    if (rest.skips_next()) {
        window.keep();
        return;
    }
    Screen& screen = program.screen;
    screen.in_motion = !program.session.paused;
    const Picture picture = paint(program, screen.size.width, screen.size.height);
    screen.in_motion = false;
    screen.text_room = std::max(screen.text_room, picture.text_height);  // so the fluid stays
    window.show(picture);
    if (program.session.paused) {
        rest.see(picture);
    }
}

}  // namespace

void choose_parameter(Program& program, int further) {
    const std::vector<Parameter>& parameters = program.description.parameters;
    choose_further(parameters, program.screen.panel, further);
    if (const std::optional<std::size_t> chosen = chosen_of(parameters, program.screen.panel)) {
        say_parameter(program, *chosen);
    }
}

void set_parameter(Program& program, std::size_t number, double value) {
    const Parameter& parameter = program.description.parameters[number];
    program.screen.panel.chosen = number;
    const double before = number_in(parameter);
    set_number(parameter, value);
    check_change(program, number, before);
}

void press(Program& program, char key) {
    Screen& screen = program.screen;
    screen.say_nothing();
    switch (key) {
        case ' ':
            program.session.paused = !program.session.paused;
            return;
        case '.':
            program.session.paused = true;
            program.simulation.advance();
            return;
        case 'r':
            replay(program);
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
    screen.scenes = scenes_to_choose(program.description);
    screen.size = natural_size(program, false);
    Window window(program.description.name + " - " + program.description.title, screen.size.width,
                  screen.size.height);
    screen.message = "Drag with the mouse. H for help.";
    Mouse mouse;
    Clock clock;
    write_frame(program);
    press_all(program, flags.keys);
    Watched watched(program);
    Rest rest;

    window.run([&] {
        bool is_open = true;
        for (const Event& event : window.events()) {
            is_open = handle(program, event, mouse) && is_open;
            rest.end();
        }
        pass_time(program, clock, flags.steps);
        if (!program.session.paused) {
            rest.end();
        }
        show(program, window, rest);
        watched.save_sometimes();
        if (!is_open) {
            watched.save();
            write_results(program, flags);
        }
        return is_open;
    });
}

}  // namespace workbook
