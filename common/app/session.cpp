#include "common/app/session.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/app/brush.hpp"
#include "common/app/layout.hpp"
#include "common/app/paint.hpp"
#include "common/app/program.hpp"
#include "common/app/scene.hpp"
#include "common/draw/png.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

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

/// The name with a step's number in the place of its first row of `#`, as Blender names frames.
std::string name_of_frame(std::string name, int number) {
    const std::size_t begin = name.find('#');
    const std::size_t end = std::min(name.find_first_not_of('#', begin), name.size());
    std::string digits = std::to_string(number);
    if (digits.size() < end - begin) {
        digits.insert(0, end - begin - digits.size(), '0');
    }
    return name.replace(begin, end - begin, digits);
}

/// Whether an output of that name is one of many, of which each step writes one.
bool has_frames(const FurtherOutput& output, const std::string& name) {
    return output.has_frames && name.find('#') != std::string::npos;
}

void check_outputs(const Description& description, const Flags& flags) {
    for (const auto& [flag, path] : {std::pair("--save", flags.save), {"--png", flags.png}}) {
        if (!path.empty()) {
            check_writable(flag, path);
        }
    }
    for (const StateCompanion& companion : description.companions) {
        if (!flags.save.empty()) {
            check_writable("--save", flags.save + companion.ending);
        }
    }
    for (std::size_t k = 0; k < description.outputs.size(); ++k) {
        const FurtherOutput& output = description.outputs[k];
        const std::string& name = flags.outputs[k];
        if (!name.empty()) {
            check_writable(output.flag, has_frames(output, name) ? name_of_frame(name, 0) : name);
            if (output.check) {
                output.check(name);
            }
        }
    }
    if (!flags.frames.empty()) {
        make_folder(flags.frames);
    }
}

void read_inputs(const Description& description, const Flags& flags) {
    for (std::size_t k = 0; k < description.inputs.size(); ++k) {
        if (!flags.inputs[k].empty()) {
            description.inputs[k].read(flags.inputs[k]);
        }
    }
}

std::optional<State> loaded_state(const Program& program, const Flags& flags) {
    if (flags.load.empty()) {
        return std::nullopt;
    }
    const Shape shape = program.simulation.shape;
    State loaded = load_state(flags.load, program.description.state, shape);
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

/// Puts what was loaded into the grid. A state file may hold parameters, too: what a flag says goes
/// before them.
void restore(Program& program, const State& loaded) {
    const std::vector<Parameter>& parameters = program.description.parameters;
    const std::vector<double> asked = numbers_in(parameters);
    restore_state(loaded, program.description.state, program.simulation.shape);
    for (const StateCompanion& companion : program.description.companions) {
        companion.read(loaded.path + companion.ending);
    }
    const std::string reason = program.simulation.refuse_state();
    if (!reason.empty()) {
        throw InputError(loaded.path + ": " + reason);
    }
    program.simulation.after_load();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (program.session.was_given(parameters[k].name)) {
            set_number(parameters[k], asked[k]);
        }
    }
}

void choose_shown(Program& program, const Flags& flags) {
    const std::vector<ShownField>& fields = program.description.fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k].name == flags.show) {
            program.screen.field = k;
        }
    }
    if (flags.probe.empty()) {
        return;
    }
    const GridCell probe = {flags.probe[0], flags.probe[1]};
    const Box cells = program.simulation.cells();
    if (probe.i >= cells.nx || probe.j >= cells.ny) {
        const std::string whose = words_of(program.simulation.shape, program.simulation.box);
        throw InputError(
            "--probe: the cells of " + whose + " go from 0 to " + std::to_string(cells.nx - 1) +
            (cells.ny == cells.nx ? "" : " and from 0 to " + std::to_string(cells.ny - 1)));
    }
    program.screen.probe = probe;
}

void check_save(const Simulation& simulation, const std::string& path) {
    if (path.empty()) {
        return;
    }
    const std::string reason = simulation.refuse_save();
    if (!reason.empty()) {
        throw InputError("--save " + path + ": " + reason);
    }
}

/// Writes the state and what belongs to it. The files are added to those that are to be committed.
void write_state(const Program& program, const std::string& path, std::deque<OutputFile>& files) {
    const Description& description = program.description;
    save_state(files.emplace_back("--save", path), program.simulation.box, description.state,
               program.simulation.shape);
    for (const StateCompanion& companion : description.companions) {
        companion.write(files.emplace_back("--save", path + companion.ending));
    }
}

/// How a grid of that size begins, where the reader does not say.
Start start_of(const Simulation& simulation, Box size) {
    if (simulation.start) {
        return simulation.start(size);
    }
    return {scenes().front().name, simulation.dt};
}

bool asks_for_grid(const Flags& flags) {
    return flags.n || flags.nx || flags.ny || flags.nz || !flags.load.empty();
}

/// The same for a run with these flags: without a window it has no scene of windows.
Start start_of(const Simulation& simulation, Box size, const Flags& flags) {
    Start begun = start_of(simulation, size);
    if (!flags.headless && !begun.window_scene.empty() && !asks_for_grid(flags)) {
        begun.scene = begun.window_scene;
        begun.in_window = true;
    }
    return begun;
}

void play_own_or_common(Program& program, const std::string& scene) {
    for (const OwnScene& own : program.description.scenes) {
        if (own.name == scene) {
            own.play();
            return;
        }
    }
    const std::vector<Place>& path = scene_named(scene).path;
    for (std::size_t k = 0; k < path.size(); ++k) {
        const Place before = path[k == 0 ? 0 : k - 1];
        draw_with_brush(program.simulation, program.look, before, path[k], true);
    }
}

/// Remembers a change. What there was before a scene stays known when it is played again.
void remember(std::optional<SceneChange>& change, double before, double after) {
    if (before != after) {
        change = SceneChange{change ? change->before : before, after};
    }
}

/// Takes back what was remembered, unless the reader has changed it since.
template <class Value>
void undo(std::optional<SceneChange>& change, Value& value) {
    if (change && static_cast<double>(value) == change->after) {
        value = static_cast<Value>(change->before);
    }
    change.reset();
}

/// Plays a scene: the chapter's own, or one of those that all chapters have. What it does to
/// parameters, and to what is shown, is remembered.
void play(Program& program, const std::string& scene) {
    Session& session = program.session;
    const std::vector<double> before = numbers_in(program.description.parameters);
    const Screen& screen = program.screen;
    const auto field = static_cast<double>(screen.field);
    const double arrows = screen.shows_arrows ? 1.0 : 0.0;
    play_own_or_common(program, scene);
    remember(session.field_change, field, static_cast<double>(screen.field));
    remember(session.arrows_change, arrows, screen.shows_arrows ? 1.0 : 0.0);
    const std::vector<double> after = numbers_in(program.description.parameters);
    for (std::size_t k = 0; k < before.size(); ++k) {
        if (before[k] != after[k]) {
            session.changes.try_emplace(k, SceneChange{before[k], after[k]});
            session.changes[k].after = after[k];
        }
    }
    session.scene = scene;
}

Picture still(const Program& program) {
    const Size size = natural_size(program, true);
    return paint(program, size.width, size.height, true);
}

/// A picture that stands alone ends where its text ends. The frames of a film do not: each must be
/// as high as the others.
Picture still_without_empty_rows(const Program& program) {
    Picture picture = still(program);
    const bool is_text_last = !program.session.panel_in_files && program.screen.help_page == 0;
    if (is_text_last) {
        picture.cut(picture.text_end);
    }
    return picture;
}

}  // namespace

bool Session::was_given(const std::string& parameter_name) const {
    return std::find(given.begin(), given.end(), parameter_name) != given.end();
}

void prepare(Program& program, const Flags& flags) {
    Simulation& simulation = program.simulation;
    Session& session = program.session;
    check_outputs(program.description, flags);
    read_inputs(program.description, flags);
    session.given = flags.given;
    session.panel_in_files = flags.panel;
    session.frames = flags.frames;
    session.outputs = flags.outputs;
    const std::optional<State> loaded = loaded_state(program, flags);
    const Box size = loaded ? loaded->box : flags.box;
    simulation.check(size);
    const Start begun = start_of(simulation, size, flags);
    simulation.dt = flags.dt.value_or(begun.dt);
    session.first_box = size;
    session.first_dt = simulation.dt;
    session.has_window = !flags.headless;
    const bool has_no_steps = flags.steps && *flags.steps == 0;
    session.paused = session.has_window && (begun.paused || has_no_steps);
    if (begun.in_window || !flags.scene.empty()) {
        session.replayed = flags.scene.empty() ? begun.scene : flags.scene;
    }
    program.screen.shows_arrows = program.look.begins_with_arrows && !flags.no_arrows;
    begin_again(program, size);
    if (loaded) {
        restore(program, *loaded);
    }
    const bool scene_wanted = !loaded && (flags.headless || begun.in_window);
    const std::string usual = scene_wanted ? begun.scene : "none";
    play(program, flags.scene.empty() ? usual : flags.scene);
    if (loaded && flags.scene.empty()) {
        session.scene.clear();
    }
    for (Parameter& parameter : program.description.parameters) {  // a scene may have set some
        parameter.usual = parameter.usual != 0.0 ? parameter.usual : number_in(parameter);
    }
    choose_shown(program, flags);
    check_save(simulation, flags.save);
    simulation.after_step.add([&program](double) { write_frame(program); });
}

void begin_again(Program& program, Box size) {
    const std::vector<double> kept = numbers_in(program.description.parameters);
    program.simulation.begin(size);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        set_number(program.description.parameters[k], kept[k]);
    }
}

void load(Program& program, const std::string& path) {
    const State loaded = load_state(path, program.description.state, program.simulation.shape);
    if (!(loaded.box == program.simulation.box)) {
        program.simulation.check(loaded.box);
        begin_again(program, loaded.box);
    }
    restore(program, loaded);
}

void save(const Program& program, const std::string& path) {
    check_save(program.simulation, path);
    std::deque<OutputFile> files;
    write_state(program, path, files);
    for (OutputFile& file : files) {
        file.commit();
    }
}

void replay(Program& program) {
    begin_again(program, program.simulation.box);
    play(program, program.session.replayed);
}

void begin_scene(Program& program, const std::string& scene) {
    Session& session = program.session;
    for (const auto& [number, change] : session.changes) {
        const Parameter& parameter = program.description.parameters[number];
        if (number_in(parameter) == change.after) {
            set_number(parameter, change.before);
        }
    }
    session.changes.clear();
    undo(session.field_change, program.screen.field);
    undo(session.arrows_change, program.screen.shows_arrows);
    session.replayed = scene;
    program.simulation.dt = session.first_dt;
    program.resize(session.first_box);
    play(program, scene);
}

std::vector<std::string> scenes_to_choose(const Description& description) {
    std::vector<std::string> names;
    for (const OwnScene& own : description.scenes) {
        names.push_back(own.name);
    }
    if (names.size() > 1 && !description.offers_all_scenes) {
        return names;
    }
    for (const Scene& scene : scenes()) {
        if (std::find(names.begin(), names.end(), scene.name) == names.end()) {
            names.push_back(scene.name);
        }
    }
    return names;
}

Size natural_size(const Program& program, bool still) {
    Size fluid = program.look.size(program.simulation, still);
    if (!still) {
        fluid.height += more_text_room(program, fluid);
        fluid = with_scenes(program, fluid);
    }
    return still && !program.session.panel_in_files ? fluid : with_panel(program, fluid);
}

void write_frame(const Program& program) {
    if (!program.session.frames.empty()) {
        write_png("--frames",
                  numbered(program.session.frames + "/frame_", program.simulation.step_count),
                  still(program));
    }
    for (std::size_t k = 0; k < program.session.outputs.size(); ++k) {
        const FurtherOutput& output = program.description.outputs[k];
        const std::string& name = program.session.outputs[k];
        if (has_frames(output, name)) {
            OutputFile file(output.flag, name_of_frame(name, program.simulation.step_count));
            output.write(file);
            file.commit();
        }
    }
}

void save_picture(Program& program) {
    const std::string path =
        numbered(program.description.name + "-", program.simulation.step_count);
    const std::vector<std::string> scenes = std::exchange(program.screen.scenes, {});
    const Size size = natural_size(program, false);
    const Picture picture = paint(program, size.width, size.height);
    program.screen.scenes = scenes;
    try {
        write_png("S", path, picture);
        program.screen.say("saved " + path);
    } catch (const InputError& error) {
        program.screen.say(error.what());
    }
}

void write_results(const Program& program, const Flags& flags) {
    const Description& description = program.description;
    const Simulation& simulation = program.simulation;
    check_save(simulation, flags.save);
    std::deque<OutputFile> files;
    if (!flags.save.empty()) {
        write_state(program, flags.save, files);
    }
    if (!flags.png.empty()) {
        save_png(files.emplace_back("--png", flags.png), still_without_empty_rows(program));
    }
    for (std::size_t k = 0; k < description.outputs.size(); ++k) {
        const FurtherOutput& output = description.outputs[k];
        if (!flags.outputs[k].empty() && !has_frames(output, flags.outputs[k])) {
            output.write(files.emplace_back(output.flag, flags.outputs[k]));
        }
    }
    for (OutputFile& file : files) {
        file.commit();
    }
}

}  // namespace workbook
