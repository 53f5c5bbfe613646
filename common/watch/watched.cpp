#include "common/app/watched.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/app/program.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

constexpr double seconds_between = 1.0;
constexpr double times_as_long = 40.0;  // as saving takes: so it takes a fortieth of the time

double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void write_text(const std::string& path, const std::string& text) {
    OutputFile file("watch", path);
    file.write(text);
    file.commit();
}

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string digits(double number) {
    std::string text;
    append_digits(text, number);
    return text;
}

/// Sets the parameter of that name, if there is still one.
void set_named(const std::vector<Parameter>& parameters, const std::string& name, double number) {
    for (const Parameter& parameter : parameters) {
        if (parameter.name == name) {
            set_number(parameter, number);
        }
    }
}

void show_field(Program& program, const std::string& name) {
    const std::vector<ShownField>& fields = program.description.fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k].name == name) {
            program.screen.field = k;
        }
    }
}

}  // namespace

std::string watched_folder() {
    const char* folder = std::getenv("WORKBOOK_WATCHED");
    return folder == nullptr ? "" : folder;
}

void tell_watch(const std::string& line) {
    std::cout << "\x1e" + line + "\n" << std::flush;
}

Watched::Watched(Program& program)
    : program_(program), folder_(watched_folder()), saved_at_(seconds_now()) {
    if (folder_.empty()) {
        return;
    }
    begun_ = numbers_in(program.description.parameters);
    begun_dt_ = program.simulation.dt;
    program.simulation.after_step.add([&program](double) {
        tell_watch("step " + std::to_string(program.simulation.step_count));
    });
    take_up_panel();
}

/// In the file of the panel, each line is a name and what it stands for. The fluid comes after the
/// scene and the keys, which may change it, and before the parameters, which it may bring along.
void Watched::take_up_panel() {
    std::ifstream file(folder_ + "/panel");
    Screen& screen = program_.screen;
    Session& session = program_.session;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string name;
        words >> name >> std::ws;
        if (name == "scene") {
            std::string scene;
            words >> scene;
            if (scene != session.scene) {
                begin_scene(program_, scene);
            }
        } else if (name == "keys") {
            std::string keys;
            words >> keys;
            press_all(program_, keys);
            screen.say_nothing();
        } else if (name == "fluid") {
            take_up_fluid();
        } else if (name == "parameter") {
            double number = 0.0;
            words >> name >> number;
            set_named(program_.description.parameters, name, number);
        } else if (name == "dt") {
            words >> program_.simulation.dt;
        } else if (name == "show") {
            std::getline(words, name);
            show_field(program_, name);
        } else if (name == "screen") {
            words >> screen.shows_arrows >> screen.panel.chosen >> screen.panel.shows_earlier >>
                screen.help_page >> session.paused;
        }
    }
}

void Watched::take_up_fluid() {
    const std::string saved = first_line(folder_ + "/last");
    if (saved.empty()) {
        return;
    }
    saves_first_ = saved != "1";
    try {
        load(program_, folder_ + "/" + saved + "/state.csv");
        std::ifstream(folder_ + "/" + saved + "/step") >> program_.simulation.step_count;
        tell_watch("goes_on " + std::to_string(program_.simulation.step_count));
    } catch (const std::exception& error) {
        tell_watch(std::string("anew ") + error.what());
        begin_again(program_, program_.session.first_box);
    }
}

void Watched::save_sometimes() {
    const double waits = std::max(seconds_between, times_as_long * save_took_);
    if (!folder_.empty() && seconds_now() - saved_at_ >= waits) {
        save();
    }
}

void Watched::save() {
    if (folder_.empty()) {
        return;
    }
    const double begun = seconds_now();
    save_panel();
    save_fluid();
    saved_at_ = seconds_now();
    save_took_ = saved_at_ - begun;
}

/// A parameter that is as the solver begins with it is left to the next solver.
void Watched::save_panel() const {
    const std::vector<Parameter>& parameters = program_.description.parameters;
    const Screen& screen = program_.screen;
    const Session& session = program_.session;
    std::ostringstream text;
    if (!session.scene.empty()) {
        text << "scene " << session.scene << "\n";
    }
    text << "keys " << session.own_keys << "\nfluid\n";
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (number_in(parameters[k]) != begun_[k]) {
            text << "parameter " << parameters[k].name << " " << digits(number_in(parameters[k]))
                 << "\n";
        }
    }
    if (program_.simulation.dt != begun_dt_) {
        text << "dt " << digits(program_.simulation.dt) << "\n";
    }
    text << "show " << program_.shown_field().name << "\nscreen " << screen.shows_arrows << " "
         << screen.panel.chosen << " " << screen.panel.shows_earlier << " " << screen.help_page
         << " " << session.paused << "\n";
    write_text(folder_ + "/panel", text.str());
}

/// Two folders take turns, and a file names the one that is whole: so a crash while one is written
/// does no harm. A fluid that cannot be saved, as one with numbers that are not finite, leaves the
/// last one that could be.
void Watched::save_fluid() {
    const std::string name = saves_first_ ? "1" : "2";
    const std::string to = folder_ + "/" + name;
    const std::string step = std::to_string(program_.simulation.step_count);
    try {
        std::filesystem::create_directory(to);
        workbook::save(program_, to + "/state.csv");
        write_text(to + "/step", step);
        write_text(folder_ + "/last", name);
        saves_first_ = !saves_first_;
        tell_watch("saved " + step);
    } catch (const InputError& error) {
        tell_watch(std::string("unsaved ") + error.what());
    }
}

}  // namespace workbook
