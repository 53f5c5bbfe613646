#include "program.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include "memory.hpp"
#include "output.hpp"
#include "paint.hpp"
#include "png.hpp"
#include "scene.hpp"
#include "window.hpp"

namespace workbook {
namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_no_display = 3;

struct NoDisplay {};

double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void check_memory(int N, int arrays) {
    const double cells = (N + 2.0) * (N + 2.0);
    const double needed = cells * arrays * sizeof(float);
    const double present = physical_memory();
    if (present > 0.0 && needed > present) {
        throw InputError("--n " + std::to_string(N) + " takes " + short_number(needed / 1e9) +
                         " GB of memory, this machine has " + short_number(present / 1e9) +
                         " GB: choose a smaller N");
    }
}

std::string numbered(const std::string& stem, int number) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%05d", number);
    return stem + digits + ".png";
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (!std::filesystem::is_directory(path)) {
        throw InputError("--frames " + path + ": not a folder, and cannot be made one" +
                         (error ? " (" + error.message() + ")" : ""));
    }
    check_writable("--frames", numbered(path + "/frame_", 0));
}

}  // namespace

int Program::run(int argc, char** argv) {
    try {
        std::vector<std::string> field_names;
        for (const ShownField& field : fields) {
            field_names.push_back(field.name);
        }
        const ParsedFlags parsed =
            parse_flags(argc, argv, name + ": " + title, parameters, field_names);
        if (std::holds_alternative<int>(parsed)) {
            return std::get<int>(parsed);
        }
        const Flags& flags = std::get<Flags>(parsed);
        int status = 0;
        if (flags.numbers) {
            status = numbers() ? 0 : 1;
        } else {
            if (!flags.headless && !have_display()) {
                throw NoDisplay();
            }
            prepare(flags);
            flags.headless ? run_headless(flags) : run_window(flags);
        }
        if (!std::cout.flush()) {
            throw InputError("standard output cannot be written");
        }
        return status;
    } catch (const InputError& error) {
        std::cerr << name << ": " << error.what() << "\n";
    } catch (const NoDisplay&) {
        std::cerr << name
                  << ": no display to open a window on; --headless --png FILE draws without "
                  << "one\n";
        return exit_no_display;
    } catch (const std::bad_alloc&) {
        std::cerr << name << ": not enough memory; choose a smaller --n\n";
    } catch (const std::filesystem::filesystem_error& error) {
        std::cerr << name << ": " << error.what() << "\n";
    }
    return exit_bad_input;
}

/// Brings the fluid into the state that the flags ask for, and checks that results can be written.
void Program::prepare(const Flags& flags) {
    dt = flags.dt;
    for (const auto& [flag, path] : {std::pair("--save", flags.save), {"--png", flags.png}}) {
        if (!path.empty()) {
            check_writable(flag, path);
        }
    }
    if (!flags.frames.empty()) {
        make_folder(flags.frames);
    }
    std::optional<State> loaded;
    if (!flags.load.empty()) {
        loaded = load_state(flags.load, state);
        if (flags.N_given && flags.N != loaded->N) {
            throw InputError("--n " + std::to_string(flags.N) + ": " + flags.load +
                             " has N = " + std::to_string(loaded->N) + "; leave --n out");
        }
    }
    const int n = loaded ? loaded->N : flags.N;
    check_memory(n, arrays);
    begin_again(n);
    if (loaded) {
        std::size_t k = 0;
        for (int j = 0; j <= N + 1; ++j) {
            for (int i = 0; i <= N + 1; ++i) {
                for (const StateColumn& column : state) {
                    column.cell(i, j) = loaded->values[k++];
                }
            }
        }
    }
    std::string scene = flags.scene;
    if (scene.empty()) {
        scene = flags.headless && !loaded ? scenes().front().name : "none";
    }
    const std::vector<Place>& path = scene_named(scene).path;
    for (std::size_t k = 0; k < path.size(); ++k) {
        const Place from = path[k == 0 ? 0 : k - 1];
        apply_stroke(from.x, from.y, path[k].x, path[k].y, true);
    }
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k].name == flags.show) {
            shown_ = k;
        }
    }
    if (!flags.probe.empty()) {
        probe_ = {flags.probe[0], flags.probe[1]};
        if (std::max(probe_.i, probe_.j) > N + 1) {
            throw InputError("--probe: the cells of N = " + std::to_string(N) + " go from 0 to " +
                             std::to_string(N + 1));
        }
    }
}

/// An empty grid, with the parameters as they are now.
void Program::begin_again(int n) {
    std::vector<double> kept;
    for (const Parameter& parameter : parameters) {
        std::visit([&](auto* value) { kept.push_back(static_cast<double>(*value)); },
                   parameter.value);
    }
    reset(n);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        std::visit(
            [&](auto* value) {
                *value = static_cast<std::remove_reference_t<decltype(*value)>>(kept[k]);
            },
            parameters[k].value);
    }
    N = n;
    step_count = 0;
}

void Program::advance() {
    step(dt);
    ++step_count;
}

/// Draws with a brush as wide as a cell of the tutorial's 16 x 16 grid (at least one cell), from
/// one place to another. Each cell that the brush meets gets the whole stroke, once.
void Program::apply_stroke(float x0, float y0, float x1, float y1, bool dye) {
    const float n = static_cast<float>(N);
    const int brush = std::max(1, N / 16);
    const float dots = std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0)) * n / 0.5f /
                                 static_cast<float>(brush));
    const int places = static_cast<int>(std::clamp(dots, 1.0f, 1e4f));
    std::set<std::pair<int, int>> met;
    for (int k = x0 == x1 && y0 == y1 ? places : 0; k <= places; ++k) {
        const float t = static_cast<float>(k) / static_cast<float>(places);
        // The chapter says which cell lies where; here a cell is one unit wide.
        const float half = 0.5f * static_cast<float>(brush - 1);
        const GridCell corner = cell_from_mouse(1.0f + (x0 + t * (x1 - x0)) * n - half,
                                                1.0f + (y0 + t * (y1 - y0)) * n - half, 1.0f);
        for (int j = corner.j; j < corner.j + brush; ++j) {
            for (int i = corner.i; i < corner.i + brush; ++i) {
                met.insert({j, i});
            }
        }
    }
    for (const auto& [j, i] : met) {
        stroke({i, j, 512.0f * (x1 - x0), 512.0f * (y1 - y0), dye});
    }
}

void Program::change_parameter(bool up) {
    if (parameters.empty()) {
        return;
    }
    const Parameter& parameter = parameters[chosen_];
    if (auto* const* number = std::get_if<float*>(&parameter.value)) {
        const double least = 1e-4;
        const double changed = up ? std::max(least, **number * 1.25) : **number / 1.25;
        **number = static_cast<float>(changed < least ? 0.0 : std::min(changed, parameter.most));
    } else if (auto* const* count = std::get_if<int*>(&parameter.value)) {
        **count = std::clamp(**count + (up ? 1 : -1), 0, static_cast<int>(parameter.most));
    } else {
        *std::get<bool*>(parameter.value) = up;
    }
}

void Program::press(char key) {
    message_.clear();
    switch (key) {
        case ' ':
            paused = !paused;
            return;
        case '.':
            paused = true;
            advance();
            return;
        case 'r':
            begin_again(N);
            return;
        case 'v':
            arrows_ = !arrows_;
            return;
        case 'f':
            shown_ = (shown_ + 1) % fields.size();
            return;
        case '\t':
            chosen_ = parameters.empty() ? 0 : (chosen_ + 1) % parameters.size();
            return;
        case '+':
        case '=':
            change_parameter(true);
            return;
        case '-':
        case '_':
            change_parameter(false);
            return;
        case 'h':
            help_ = !help_;
            return;
        case 's': {
            const std::string path = numbered(name + "-", step_count);
            const Size size = natural_size(N);
            try {
                write_png("S", path, paint(*this, size.width, size.height));
                message_ = "saved " + path;
            } catch (const InputError& error) {
                message_ = error.what();
            }
            return;
        }
        default:
            break;
    }
    for (const Key& own : keys) {
        if (own.key == key) {
            own.press();
        }
    }
}

/// Writes --save and --png: both, or neither.
void Program::write_results(const Flags& flags) const {
    std::optional<OutputFile> csv, png;
    if (!flags.save.empty()) {
        csv.emplace("--save", flags.save);
        save_state(*csv, N, state);
    }
    if (!flags.png.empty()) {
        const Size size = natural_size(N);
        png.emplace("--png", flags.png);
        save_png(*png, paint(*this, size.width, size.height));
    }
    if (csv) {
        csv->commit();
    }
    if (png) {
        png->commit();
    }
}

void Program::run_headless(const Flags& flags) {
    const Size size = natural_size(N);
    const auto write_frame = [&] {
        if (!flags.frames.empty()) {
            write_png("--frames", numbered(flags.frames + "/frame_", step_count),
                      paint(*this, size.width, size.height));
        }
    };
    write_frame();
    for (int k = 0; k < flags.steps.value_or(60); ++k) {
        advance();
        write_frame();
    }
    for (const char key : flags.keys) {
        press(static_cast<char>(std::tolower(static_cast<unsigned char>(key))));
    }
    write_results(flags);
}

void Program::run_window(const Flags& flags) {
    Size size = natural_size(N);
    Window window(name + " - " + title, size.width, size.height);
    message_ = "Drag with the mouse. H for help.";
    bool dragging = false;
    bool dye = true;
    int last_x = 0;
    int last_y = 0;
    double then = seconds_now();
    double seconds_a_picture = 1.0 / 60.0;
    double owed = 0.0;  // simulated time that has not been run yet
    const auto write_frame = [&] {
        if (!flags.frames.empty()) {
            write_png("--frames", numbered(flags.frames + "/frame_", step_count),
                      paint(*this, size.width, size.height));
        }
    };
    write_frame();
    for (const char key : flags.keys) {
        press(static_cast<char>(std::tolower(static_cast<unsigned char>(key))));
    }

    for (bool open = true; open;) {
        const View view = view_of(N, size.width, size.height);
        const auto drag_to = [&](int x, int y) {
            const float width = view.cell * static_cast<float>(N);
            const auto across = [&](int px) {
                return (static_cast<float>(px) - view.left - view.cell) / width;
            };
            const auto down = [&](int px) {
                return (static_cast<float>(px) - view.top - view.cell) / width;
            };
            apply_stroke(across(last_x), down(last_y), across(x), down(y), dye);
            last_x = x;
            last_y = y;
        };
        for (const Event& event : window.events()) {
            switch (event.kind) {
                case Event::Kind::close:
                    open = false;
                    break;
                case Event::Kind::resize:
                    size = {std::max(64, event.x), std::max(64, event.y)};
                    break;
                case Event::Kind::key:
                    event.key == '\x1b' ? void(open = false) : press(event.key);
                    break;
                case Event::Kind::press:
                    message_.clear();
                    dragging = true;
                    dye = !event.right_button;
                    last_x = event.x;
                    last_y = event.y;
                    drag_to(event.x, event.y);
                    break;
                case Event::Kind::release:
                    dragging = false;
                    break;
                case Event::Kind::move:
                    probe_ = cell_from_mouse(static_cast<float>(event.x) - view.left,
                                             static_cast<float>(event.y) - view.top, view.cell);
                    if (dragging) {
                        drag_to(event.x, event.y);
                    }
                    break;
                case Event::Kind::leave:
                    probe_ = {-1, -1};
                    break;
            }
        }

        const double now = seconds_now();
        const double passed = now - then;
        then = now;
        seconds_a_picture += 0.05 * (passed - seconds_a_picture);
        pictures_per_second_ = 1.0 / std::max(seconds_a_picture, 1e-4);
        // Every step is dt long, however long the picture took: so a run does not depend on the
        // frame rate. A machine that cannot keep up shows slow motion instead of falling behind.
        owed = paused ? 0.0 : std::min(owed + passed, std::max(0.1, 1.5 * dt));
        while (owed >= dt && seconds_now() - now < 0.03) {
            advance();
            write_frame();
            owed -= dt;
            if (flags.steps && step_count == *flags.steps) {
                paused = true;
                owed = 0.0;
            }
        }
        window.show(paint(*this, size.width, size.height));
    }
    write_results(flags);
}

}  // namespace workbook
