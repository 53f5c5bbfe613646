#include "common/app/program.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>
#include <variant>

#include "common/app/help_json.hpp"
#include "common/app/window.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_no_display = 3;

struct NoDisplay {};

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
        chapter.dt = begun.dt;
    }
    for (const FurtherOutput& output : description.outputs) {
        chapter.outputs.emplace_back(output.flag, output.meaning);
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
    const std::string& name = description.name;
    try {
        const int status = run_words(*this, argc, argv);
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

void Program::resize(Box size) {
    simulation.check(size);
    begin_again(*this, size);
}

}  // namespace workbook
