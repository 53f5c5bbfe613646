#include "common/app/program.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>

#include "common/app/description.hpp"
#include "common/app/scene.hpp"
#include "common/app/window.hpp"
#include "common/draw/paint.hpp"
#include "common/draw/png.hpp"
#include "common/io/output.hpp"
#include "common/memory.hpp"

namespace workbook {
namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_no_display = 3;

struct NoDisplay {};

bool asks_for_json(int argc, const char* const* argv) {
    return std::find(argv, argv + argc, std::string_view("--help=json")) != argv + argc;
}

double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
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

/// Where the mouse is, and what it is up to.
struct Program::Mouse {
    bool dragging = false, turning = false, dye = true;
    std::optional<PanelRow> slider;  ///< that is being dragged
    int x = 0, y = 0;
    std::optional<Place> place;  ///< where it was seen last, if that is on the fluid
};

ChapterFlags Program::chapter_flags() const {
    ChapterFlags chapter;
    chapter.title = name + ": " + title;
    chapter.parameters = parameters;
    for (const ShownField& field : fields) {
        chapter.fields.push_back(field.name);
    }
    chapter.shape = shape;
    chapter.box = shape == Shape::box ? box : box_of(shape, N);
    chapter.dt = dt;
    for (const OwnScene& scene : own_scenes) {
        chapter.scenes.push_back(scene.name);
    }
    if (start) {
        const Start begun = start(chapter.box);
        chapter.scene = begun.scene;
        chapter.scene_in_window = begun.in_window;
        chapter.dt = begun.dt;
    }
    for (const FurtherOutput& output : outputs) {
        chapter.outputs.emplace_back(output.flag, output.meaning);
    }
    chapter.threads = threads;
    return chapter;
}

void Program::run_with(const Flags& flags) {
    if (!flags.headless && !have_display()) {
        throw NoDisplay();
    }
    prepare(flags);
    flags.headless ? run_headless(flags) : run_window(flags);
}

/// Returns the exit status.
int Program::run_words(int argc, const char* const* argv) {
    if (asks_for_json(argc, argv)) {
        std::cout << description_of(*this, chapter_flags()) << "\n";
        return 0;
    }
    const ParsedFlags parsed = parse_flags(argc, argv, chapter_flags());
    if (std::holds_alternative<int>(parsed)) {
        return std::get<int>(parsed);
    }
    const Flags& flags = std::get<Flags>(parsed);
    if (flags.numbers) {
        long_numbers = flags.long_numbers;
        return numbers(*this) ? 0 : 1;
    }
    run_with(flags);
    return 0;
}

int Program::run(int argc, char** argv) {
    try {
        const int status = run_words(argc, argv);
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

void Program::check_outputs(const Flags& flags) const {
    for (const auto& [flag, path] : {std::pair("--save", flags.save), {"--png", flags.png}}) {
        if (!path.empty()) {
            check_writable(flag, path);
        }
    }
    for (const StateCompanion& companion : companions) {
        if (!flags.save.empty()) {
            check_writable("--save", flags.save + companion.ending);
        }
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!flags.outputs[k].empty()) {
            check_writable(outputs[k].flag, flags.outputs[k]);
        }
    }
    if (!flags.frames.empty()) {
        make_folder(flags.frames);
    }
}

std::optional<State> Program::loaded_state(const Flags& flags) const {
    if (flags.load.empty()) {
        return std::nullopt;
    }
    State loaded = load_state(flags.load, state, shape);
    const Box flat = box_of(shape, flags.n.value_or(0));
    const auto differs = [&](const std::optional<int>& given, int short_for, int there) {
        return given ? *given != there : flags.n && short_for != there;
    };
    if (differs(flags.nx, flat.nx, loaded.box.nx) || differs(flags.ny, flat.ny, loaded.box.ny) ||
        differs(flags.nz, flat.nz, loaded.box.nz)) {
        const std::string given =
            flags.n ? "--n " + std::to_string(*flags.n) : std::string("--nx, --ny, --nz");
        throw InputError(given + ": " + flags.load + " has " + words_of(shape, loaded.box) +
                         "; leave " + (flags.n ? "--n" : "them") + " out");
    }
    return loaded;
}

/// Throws if this machine, or this chapter, cannot do with such a grid.
void Program::check_box(Box b) const {
    const std::string reason = refuse ? refuse(b) : "";
    if (!reason.empty()) {
        throw InputError(reason);
    }
    const Box rows = rows_of(shape == Shape::box ? Shape::cube : shape, b);  // a box has no walls
    const double cells = 1.0 * rows.nx * rows.ny * rows.nz;
    const double needed = bytes ? bytes(b) : cells * arrays * sizeof(float);
    const double present = physical_memory();
    if (present > 0.0 && needed > present) {
        const std::string grid =
            shape == Shape::box ? words_of(shape, b) : "--n " + std::to_string(b.nx);
        throw InputError(grid + " takes " + short_number(needed / 1e9) +
                         " GB of memory, this machine has " + short_number(present / 1e9) +
                         " GB: choose a smaller " + (shape == Shape::box ? "grid" : "N"));
    }
}

/// Brings the fluid into the state that the flags ask for, and checks that results can be written.
void Program::prepare(const Flags& flags) {
    check_outputs(flags);
    given_ = flags.given;
    panel_in_files_ = flags.panel;
    const std::optional<State> loaded = loaded_state(flags);
    const Box b = loaded ? loaded->box : flags.box;
    check_box(b);
    Start begun{scenes().front().name, dt};
    if (start) {
        begun = start(b);
    }
    dt = flags.dt.value_or(begun.dt);
    paused = begun.paused && !flags.headless;
    if (begun.in_window || !flags.scene.empty()) {
        replayed_ = flags.scene.empty() ? begun.scene : flags.scene;
    }
    begin_again(b);
    if (loaded) {
        restore(*loaded);
    }
    const bool scene_wanted = !loaded && (flags.headless || begun.in_window);
    play(!flags.scene.empty() ? flags.scene : scene_wanted ? begun.scene : "none");
    for (Parameter& parameter : parameters) {  // a scene may have set some
        parameter.usual = parameter.usual != 0.0 ? parameter.usual : number_in(parameter);
    }
    choose_shown(flags);
    check_save(flags);
}

void Program::choose_shown(const Flags& flags) {
    arrows_ = !flags.no_arrows;
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k].name == flags.show) {
            shown_ = k;
        }
    }
    if (flags.probe.empty()) {
        return;
    }
    probe_ = {flags.probe[0], flags.probe[1]};
    const auto [columns, rows] = shown_cells();
    if (probe_.i >= columns || probe_.j >= rows) {
        const std::string whose = words_of(shape, box);
        throw InputError("--probe: the cells of " + whose + " go from 0 to " +
                         std::to_string(columns - 1) +
                         (rows == columns ? "" : " and from 0 to " + std::to_string(rows - 1)));
    }
}

void Program::check_save(const Flags& flags) const {
    const std::string reason = why_no_save && !flags.save.empty() ? why_no_save() : "";
    if (!reason.empty()) {
        throw InputError("--save " + flags.save + ": " + reason);
    }
}

/// Puts what was loaded into the grid. A state file may hold parameters, too: what a flag says goes
/// before them.
void Program::restore(const State& loaded) {
    std::vector<double> asked;
    for (const Parameter& parameter : parameters) {
        asked.push_back(number_in(parameter));
    }
    restore_state(loaded, state, shape);
    for (const StateCompanion& companion : companions) {
        companion.read(loaded.path + companion.ending);
    }
    const std::string reason = refuse_state ? refuse_state() : "";
    if (!reason.empty()) {
        throw InputError(loaded.path + ": " + reason);
    }
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (was_given(parameters[k].name)) {
            set_number(parameters[k], asked[k]);
        }
    }
}

/// An empty grid, with the parameters as they are now.
void Program::begin_again(Box b) {
    std::vector<double> kept;
    for (const Parameter& parameter : parameters) {
        kept.push_back(number_in(parameter));
    }
    reset_box ? reset_box(b) : reset(b.nx);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        set_number(parameters[k], kept[k]);
    }
    N = b.nx;
    box = b;
    step_count = 0;
}

void Program::resize(Box b) {
    check_box(b);
    begin_again(b);
}

/// Plays a scene: the chapter's own, or one of those that all chapters have.
void Program::play(const std::string& scene) {
    for (const OwnScene& own : own_scenes) {
        if (own.name == scene) {
            own.play();
            return;
        }
    }
    const std::vector<Place>& path = scene_named(scene).path;
    for (std::size_t k = 0; k < path.size(); ++k) {
        apply_stroke(path[k == 0 ? 0 : k - 1], path[k], true);
    }
}

void Program::advance() {
    step(dt);
    ++step_count;
}

double Program::parameter(const std::string& parameter_name) const {
    for (const Parameter& one : parameters) {
        if (one.name == parameter_name) {
            return number_in(one);
        }
    }
    throw std::logic_error("there is no parameter " + parameter_name);
}

bool Program::was_given(const std::string& parameter_name) const {
    return std::find(given_.begin(), given_.end(), parameter_name) != given_.end();
}

/// How many columns and rows the picture shows, walls included.
std::pair<int, int> Program::shown_cells() const {
    const Box rows = rows_of(shape == Shape::box ? Shape::cube : shape, box);
    return {rows.nx, rows.ny};
}

/// The cell at (x, y), where a cell is `cell_size` wide.
GridCell Program::cell_of(float x, float y, float cell_size) const {
    if (cell_from_mouse) {
        return cell_from_mouse(x, y, cell_size);
    }
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Draws with a brush as wide as a cell of the tutorial's 16 x 16 grid (at least one cell), from
/// one place to another. Each cell that the brush meets gets the whole stroke, once.
void Program::apply_stroke(Place from, Place to, bool dye) {
    if (drag && drag(from, to, dye)) {
        return;
    }
    const auto [columns, rows] = shown_cells();
    const int walls = has_walls() ? 2 : 0;
    const float wall = has_walls() ? 1.0f : 0.0f;
    const float across = static_cast<float>(columns - walls);
    const float down = static_cast<float>(rows - walls);
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const int brush = std::max(1, std::min(columns - walls, rows - walls) / 16);
    const float dots = std::ceil(std::max(std::abs(dx) * across, std::abs(dy) * down) / 0.5f /
                                 static_cast<float>(brush));
    const int places = static_cast<int>(std::clamp(dots, 1.0f, 1e4f));
    std::set<std::pair<int, int>> met;
    for (int k = from.x == to.x && from.y == to.y ? places : 0; k <= places; ++k) {
        const float t = static_cast<float>(k) / static_cast<float>(places);
        // The chapter says which cell lies where; here a cell is one unit wide.
        const float half = 0.5f * static_cast<float>(brush - 1);
        const GridCell corner = cell_of(wall + (from.x + t * dx) * across - half,
                                        wall + (from.y + t * dy) * down - half, 1.0f);
        for (int j = corner.j; j < corner.j + brush; ++j) {
            for (int i = corner.i; i < corner.i + brush; ++i) {
                met.insert({j, i});
            }
        }
    }
    const float longest = std::max(across, down);
    for (const auto& [j, i] : met) {
        stroke({i, j, 512.0f * dx * (across / longest), 512.0f * dy * (down / longest), dye});
    }
}

void Program::press(char key) {
    message_.clear();
    said_ = false;
    switch (key) {
        case ' ':
            paused = !paused;
            return;
        case '.':
            paused = true;
            advance();
            return;
        case 'r':
            begin_again(box);
            play(replayed_);
            return;
        case 'v':
            arrows_ = !arrows_;
            return;
        case 'f':
            shown_ = (shown_ + 1) % fields.size();
            return;
        case '\t':
            choose_parameter(1);
            return;
        case 'j':
            fold_or_unfold(parameters, panel_);
            return;
        case '+':
        case '=':
            change_chosen(true);
            return;
        case '-':
        case '_':
            change_chosen(false);
            return;
        case 'h':
            ++help_page_;
            if (help_page_ > help_pages(*this, window_.width, window_.height)) {
                help_page_ = 0;
            }
            return;
        case 's':
            save_picture();
            return;
        default:
            press_own(key);
            return;
    }
}

/// The keys of this chapter alone.
void Program::press_own(char key) {
    for (const Key& own : keys) {
        if (own.key == key) {
            own.press();
        }
    }
}

void Program::change_chosen(bool up) {
    const std::optional<std::size_t> chosen = chosen_of(parameters, panel_);
    if (!chosen) {
        return;
    }
    panel_.chosen = *chosen;
    const double before = number_in(parameters[*chosen]);
    change(parameters[*chosen], up);
    check_change(*chosen, before);
}

/// Undoes a change that the chapter cannot do with, and says why.
void Program::check_change(std::size_t number, double before) {
    const std::string reason = refuse ? refuse(box) : "";
    if (!reason.empty()) {
        set_number(parameters[number], before);
    }
    say(reason.empty() ? words_on_parameter(number) : reason);
}

/// Chooses the parameter that comes so many after the chosen one.
void Program::choose_parameter(int further) {
    choose_further(parameters, panel_, further);
    if (const std::optional<std::size_t> chosen = chosen_of(parameters, panel_)) {
        say(words_on_parameter(*chosen));
    }
}

std::string Program::words_on_parameter(std::size_t number) const {
    const Parameter& parameter = parameters[number];
    return parameter.name + " " + value_of(parameter) + ": " + parameter.meaning;
}

/// Sets what is under the mouse in a parameter's row: a slider, or the next of several.
void Program::move_slider(const PanelRow& row, int x) {
    panel_.chosen = *row.parameter;
    const Parameter& parameter = parameters[panel_.chosen];
    const double before = number_in(parameter);
    set_number(parameter, has_slider(parameter) ? slider_number(parameter, place_in(row, x))
                                                : next_number(parameter));
    check_change(panel_.chosen, before);
}

/// Does what a press on the panel asks for.
void Program::press_panel(const PanelRow& row, int x, Mouse& mouse) {
    if (!row.parameter) {
        fold_or_unfold(parameters, panel_);
        return;
    }
    move_slider(row, x);
    if (has_slider(parameters[panel_.chosen])) {
        mouse.slider = row;
    }
}

/// The row of the panel at a pixel of a window of that size, if there is one.
std::optional<PanelRow> Program::row_at(Size size, int x, int y) const {
    const Layout layout = layout_of(*this, size.width, size.height);
    if (layout.panel.width == 0) {
        return std::nullopt;
    }
    for (const PanelRow& row : panel_rows(parameters, panel_, layout.panel, layout.panel_letters)) {
        if (row.place.x <= x && x < row.place.x + row.place.width && row.place.y <= y &&
            y < row.place.y + row.place.height) {
            return row;
        }
    }
    return std::nullopt;
}

void Program::save_picture() {
    const std::string path = numbered(name + "-", step_count);
    const Size size = natural(false);
    try {
        write_png("S", path, paint(*this, size.width, size.height));
        say("saved " + path);
    } catch (const InputError& error) {
        say(error.what());
    }
}

/// The size of a picture when nobody has pulled at the window.
Size Program::natural(bool still) const {
    const auto [columns, rows] = shown_cells();
    Size fluid = picture_size ? picture_size(still) : natural_size(columns, rows);
    fluid.height += still ? 0 : more_text_room(*this, fluid);
    return still && !panel_in_files_ ? fluid : with_panel(*this, fluid);
}

Picture Program::still() const {
    const Size size = natural(true);
    return paint(*this, size.width, size.height, true);
}

void Program::write_frame(const Flags& flags) const {
    if (!flags.frames.empty()) {
        write_png("--frames", numbered(flags.frames + "/frame_", step_count), still());
    }
}

/// Writes all that is asked for, or nothing.
void Program::write_results(const Flags& flags) const {
    check_save(flags);
    std::deque<OutputFile> files;
    if (!flags.save.empty()) {
        save_state(files.emplace_back("--save", flags.save), box, state, shape);
        for (const StateCompanion& companion : companions) {
            companion.write(files.emplace_back("--save", flags.save + companion.ending));
        }
    }
    if (!flags.png.empty()) {
        save_png(files.emplace_back("--png", flags.png), still());
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!flags.outputs[k].empty()) {
            outputs[k].write(files.emplace_back(outputs[k].flag, flags.outputs[k]));
        }
    }
    for (OutputFile& file : files) {
        file.commit();
    }
}

void Program::run_headless(const Flags& flags) {
    window_ = natural(true);
    write_frame(flags);
    for (int k = 0; k < flags.steps.value_or(60); ++k) {
        advance();
        write_frame(flags);
    }
    for (const char key : flags.keys) {
        press(static_cast<char>(std::tolower(static_cast<unsigned char>(key))));
    }
    write_results(flags);
}

Rectangle Program::area_in(Size size) const {
    return area_above_text(size.width, size.height, text_room_);
}

/// Where a pixel of a picture of that size lies on the fluid, if it does.
std::optional<Place> Program::place_of(Size window, int x, int y) const {
    const Size size = layout_of(*this, window.width, window.height).fluid;
    const auto px = static_cast<float>(x);
    const auto py = static_cast<float>(y);
    if (place_at) {
        return place_at(area_in(size), px, py);
    }
    const View view = view_of(*this, size.width, size.height);
    const float wall = view.walls ? view.cell : 0.0f;
    const int walls = view.walls ? 2 : 0;
    return Place{(px - view.left - wall) / (view.cell * static_cast<float>(view.columns - walls)),
                 (py - view.top - wall) / (view.cell * static_cast<float>(view.rows - walls))};
}

void Program::move_mouse(const Event& event, Size window, Mouse& mouse) {
    if (mouse.slider) {
        move_slider(*mouse.slider, event.x);
        return;
    }
    const Size size = layout_of(*this, window.width, window.height).fluid;
    const auto x = static_cast<float>(event.x);
    const auto y = static_cast<float>(event.y);
    if (event.x >= size.width) {
        probe_ = {-1, -1};
    } else if (cell_at) {
        probe_ = cell_at(area_in(size), x, y);
    } else {
        const View view = view_of(*this, size.width, size.height);
        probe_ = cell_of(x - view.left, y - view.top, view.cell);
    }
    if (mouse.turning) {
        turn(x - static_cast<float>(mouse.x), y - static_cast<float>(mouse.y));
    } else if (mouse.dragging) {
        const std::optional<Place> place = place_of(window, event.x, event.y);
        if (place) {
            apply_stroke(mouse.place.value_or(*place), *place, mouse.dye);
        }
        mouse.place = place;
    }
    mouse.x = event.x;
    mouse.y = event.y;
}

/// On the panel a button moves a slider, and draws nothing; elsewhere it draws, or turns.
void Program::press_button(const Event& event, Size size, Mouse& mouse) {
    message_.clear();
    said_ = false;
    mouse.x = event.x;
    mouse.y = event.y;
    if (event.x >= layout_of(*this, size.width, size.height).fluid.width) {
        if (const std::optional<PanelRow> row = row_at(size, event.x, event.y)) {
            press_panel(*row, event.x, mouse);
        }
        return;
    }
    mouse.turning = event.button == Event::Button::turning && turn;
    mouse.dragging = event.button != Event::Button::turning;
    mouse.dye = event.button == Event::Button::left;
    mouse.place = place_of(size, event.x, event.y);
    if (mouse.dragging && mouse.place) {
        apply_stroke(*mouse.place, *mouse.place, mouse.dye);
    }
}

/// On the panel the wheel goes through the parameters.
void Program::turn_wheel(const Event& event, Size size, const Mouse& mouse) {
    if (mouse.x >= layout_of(*this, size.width, size.height).fluid.width) {
        choose_parameter(event.steps > 0 ? -1 : 1);
    } else if (wheel) {
        wheel(event.steps);
    }
}

/// Does what the user asks for. False if that is to end.
bool Program::handle(const Event& event, Size& size, Mouse& mouse) {
    switch (event.kind) {
        case Event::Kind::close:
            return false;
        case Event::Kind::resize:
            size = {std::max(64, event.x), std::max(64, event.y)};
            text_room_ = 0;
            break;
        case Event::Kind::key:
            if (event.key == '\x1b') {
                return false;
            }
            press(event.key);
            break;
        case Event::Kind::press:
            press_button(event, size, mouse);
            break;
        case Event::Kind::release:
            mouse.dragging = mouse.turning = false;
            mouse.slider.reset();
            break;
        case Event::Kind::move:
            move_mouse(event, size, mouse);
            break;
        case Event::Kind::leave:
            probe_ = {-1, -1};
            break;
        case Event::Kind::wheel:
            turn_wheel(event, size, mouse);
            break;
    }
    return true;
}

void Program::run_window(const Flags& flags) {
    window_ = natural(false);
    Window window(name + " - " + title, window_.width, window_.height);
    message_ = "Drag with the mouse. H for help.";
    Mouse mouse;
    double then = seconds_now();
    double seconds_a_picture = 1.0 / 60.0;
    double owed = 0.0;  // simulated time that has not been run yet
    write_frame(flags);
    for (const char key : flags.keys) {
        press(static_cast<char>(std::tolower(static_cast<unsigned char>(key))));
    }

    window.run([&] {
        bool open = true;
        for (const Event& event : window.events()) {
            open = handle(event, window_, mouse) && open;
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
            write_frame(flags);
            owed -= dt;
            if (flags.steps && step_count == *flags.steps) {
                paused = true;
                owed = 0.0;
            }
        }
        in_motion = !paused;
        const Picture picture = paint(*this, window_.width, window_.height);
        in_motion = false;
        text_room_ = std::max(text_room_, picture.text_height);  // so the fluid does not jump
        window.show(picture);
        if (!open) {
            write_results(flags);
        }
        return open;
    });
}

}  // namespace workbook
