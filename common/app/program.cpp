#include "common/app/program.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <variant>

#include "common/app/failure.hpp"
#include "common/app/help_json.hpp"
#include "common/app/window.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

bool asks_for_json(int argc, const char* const* argv) {
    return std::find(argv, argv + argc, std::string_view("--help=json")) != argv + argc;
}

ChapterFlags flags_of(const Program& program) {
    const Description& description = program.description;
    const Simulation& simulation = program.simulation;
    ChapterFlags chapter;
    chapter.title = description.name + ": " + description.title;
    chapter.parameters = description.parameters;
    for (const ShownField& field : description.fields) {
        chapter.fields.push_back(field.name);
    }
    chapter.shape = simulation.shape;
    chapter.box = simulation.box;
    chapter.dt = simulation.dt;
    for (const OwnScene& scene : description.scenes) {
        chapter.scenes.push_back(scene.name);
    }
    if (simulation.start) {
        const Start begun = simulation.start(chapter.box);
        chapter.scene = begun.scene;
        chapter.scene_in_window = begun.in_window;
        chapter.window_scene = begun.window_scene;
        chapter.dt = begun.dt;
    }
    for (const FurtherOutput& output : description.outputs) {
        chapter.outputs.emplace_back(output.flag, output.meaning);
    }
    for (const FurtherInput& input : description.inputs) {
        chapter.inputs.emplace_back(input.flag, input.meaning);
    }
    chapter.threads = description.threads;
    return chapter;
}

void run_headless(Program& program, const Flags& flags) {
    program.screen.size = natural_size(program, true);
    write_frame(program);
    for (int k = 0; k < flags.steps.value_or(60); ++k) {
        program.simulation.advance();
    }
    press_all(program, flags.keys);
    write_results(program, flags);
}

void run_with(Program& program, const Flags& flags) {
    if (!flags.headless && !have_display()) {
        throw NoDisplay();
    }
    prepare(program, flags);
    if (flags.headless) {
        run_headless(program, flags);
    } else {
        run_window(program, flags);
    }
}

/// Returns the exit status.
int run_words(Program& program, int argc, const char* const* argv) {
    const ChapterFlags chapter = flags_of(program);
    if (asks_for_json(argc, argv)) {
        std::cout << description_of(program, chapter) << "\n";
        return 0;
    }
    const ParsedFlags parsed = parse_flags(argc, argv, chapter);
    if (std::holds_alternative<int>(parsed)) {
        return std::get<int>(parsed);
    }
    const Flags& flags = std::get<Flags>(parsed);
    if (flags.numbers) {
        program.session.long_numbers = flags.long_numbers;
        return program.numbers(program) ? 0 : 1;
    }
    run_with(program, flags);
    return 0;
}

}  // namespace

int Program::run(int argc, char** argv) {
    try {
        const int status = run_words(*this, argc, argv);
        if (!std::cout.flush()) {
            throw InputError("standard output cannot be written");
        }
        return status;
    } catch (...) {
        return tell_failure(description.name);
    }
}

void Program::resize(Box size) {
    simulation.check(size);
    begin_again(*this, size);
}

}  // namespace workbook
