#include "common/app/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <type_traits>

#include "common/app/scene.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

std::string plain(double number) {
    std::ostringstream text;
    text << number;
    return text.str();
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) {
        all += (all.empty() ? "" : ", ") + word;
    }
    return all;
}

/// Whether a whole word is a number of that range.
bool is_in(FlagRange range, const std::string& word) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (word.empty() || end != word.c_str() + word.size() || !std::isfinite(number)) {
        return false;
    }
    const bool above_least = range.least_included ? number >= range.least : number > range.least;
    return above_least && number <= range.most;
}

/// A check for CLI11: the words of a complaint, or none.
CLI::Validator between(FlagRange range) {
    return CLI::Validator(
        [range](std::string& word) -> std::string {
            if (is_in(range, word)) {
                return {};
            }
            return "'" + word + "' is not a number " + (range.least_included ? "from " : "above ") +
                   plain(range.least) + " to " + plain(range.most);
        },
        "");
}

/// The flags: how CLI11 reads them, and what there is to tell about them.
class FlagList {
  public:
    CLI::App app;
    std::vector<FlagFacts> facts;

    explicit FlagList(const std::string& title) : app(title) {
        app.get_formatter()->column_width(36);
        facts.push_back({.name = "--help", .meaning = app.get_help_ptr()->get_description()});
    }

    /// A flag that `value` is read from.
    template <class Value>
    CLI::Option* add(const FlagFacts& flag, Value& value) {
        return finish(app.add_option(flag.name, value, flag.meaning), flag);
    }

    /// A flag whose value is a word that `read` is called with.
    CLI::Option* add_read(const FlagFacts& flag,
                          const std::function<void(const std::string&)>& read) {
        return finish(app.add_option_function(flag.name, read, flag.meaning), flag);
    }

    /// A flag without a value.
    void add_plain(const std::string& name, bool& value, const std::string& meaning) {
        app.add_flag(name, value, meaning);
        facts.push_back({.name = name, .meaning = meaning});
    }

  private:
    CLI::Option* finish(CLI::Option* option, const FlagFacts& flag) {
        option->type_name(flag.kind);
        if (flag.from_earlier) {
            option->group("From earlier chapters");
        }
        if (flag.range) {
            option->check(between(*flag.range));
        }
        facts.push_back(flag);
        return option;
    }
};

void add_number(FlagList& list, const Parameter& parameter) {
    std::visit(
        [&](auto* value) {
            using Value = std::remove_pointer_t<decltype(value)>;
            if constexpr (!std::is_same_v<Value, Choice>) {
                list.add({.name = flag_of(parameter),
                          .kind = std::is_same_v<Value, int> ? "COUNT" : "NUMBER",
                          .meaning = parameter.meaning + " (" + plain(*value) + ")",
                          .range = FlagRange{parameter.least, parameter.most},
                          .usual = *value,
                          .from_earlier = parameter.from_earlier},
                         *value);
            }
        },
        parameter.value);
}

/// `--it 1` and `--it 0`; and `--it` alone is 1.
void add_switch(FlagList& list, const Parameter& parameter, bool& value) {
    const CLI::Validator known(
        [](std::string& word) -> std::string {
            const bool good = word == "0" || word == "1" || word == "true";  // CLI11's own word
            return good ? "" : "'" + word + "' is neither 0 nor 1";
        },
        "");
    list.add_read(
            {.name = flag_of(parameter),
             .kind = "0|1",
             .meaning = parameter.meaning + (value ? " (1, which is on)" : " (0, which is off)"),
             .usual = value,
             .from_earlier = parameter.from_earlier},
            [&value](const std::string& word) { value = word != "0"; })
        ->expected(0, 1)
        ->check(known);
}

void add_choice(FlagList& list, const Parameter& parameter, Choice& choice) {
    const CLI::Validator known(
        [names = choice.names](std::string& word) -> std::string {
            const bool found = std::find(names.begin(), names.end(), word) != names.end();
            return found ? "" : "'" + word + "' is none of " + joined(names);
        },
        "");
    const auto choose = [&choice](const std::string& word) {
        const auto found = std::find(choice.names.begin(), choice.names.end(), word);
        choice.chosen = static_cast<int>(found - choice.names.begin());
    };
    const std::string chosen = value_of(parameter);
    list.add_read({.name = flag_of(parameter),
                   .kind = "NAME",
                   .meaning = parameter.meaning + ": " + joined(choice.names) + " (" + chosen + ")",
                   .choices = choice.names,
                   .usual = chosen,
                   .from_earlier = parameter.from_earlier},
                  choose)
        ->check(known);
}

void add_parameter(FlagList& list, const Parameter& parameter) {
    if (bool* const* value = std::get_if<bool*>(&parameter.value)) {
        add_switch(list, parameter, **value);
    } else if (Choice* const* choice = std::get_if<Choice*>(&parameter.value)) {
        add_choice(list, parameter, **choice);
    } else {
        add_number(list, parameter);
    }
}

void add_size(FlagList& list, Flags& flags, const ChapterFlags& chapter) {
    const auto add = [&](const std::string& flag, std::optional<int>& value,
                         const std::string& meaning, int usual, FlagRange range) {
        list.add({.name = flag,
                  .kind = "N",
                  .meaning = meaning + " (" + std::to_string(usual) + ")",
                  .range = range,
                  .usual = usual},
                 value);
    };
    const Box usual = chapter.box;
    const FlagRange any = {1, largest_N};
    if (chapter.shape == Shape::square) {
        add("--n", flags.n, "fluid cells in a row and in a column", usual.nx, any);
        return;
    }
    if (chapter.shape == Shape::cube) {
        add("--n", flags.n, "cells along each edge, walls included", usual.nx,
            {smallest_cube, largest_N_3d});
        return;
    }
    add("--nx", flags.nx, "cells in a row", usual.nx, any);
    add("--ny", flags.ny, "cells in a column", usual.ny, any);
    add("--nz", flags.nz, "cells in depth", usual.nz, any);
    list.add(
        {.name = "--n", .kind = "N", .meaning = "short for --nx N --ny N --nz 1", .range = any},
        flags.n);
}

/// The grid that the flags come to.
Box size_of(const Flags& flags, const ChapterFlags& chapter) {
    const Box start = flags.n ? box_of(chapter.shape, *flags.n) : chapter.box;
    const Box box = {flags.nx.value_or(start.nx), flags.ny.value_or(start.ny),
                     flags.nz.value_or(start.nz)};
    if (box.nz > 1 && std::max({box.nx, box.ny, box.nz}) > largest_N_3d) {
        throw InputError("--nx, --ny, --nz: " + words_of(chapter.shape, box) +
                         " is too large; where nz is above 1, each may be " +
                         std::to_string(largest_N_3d) + " at most");
    }
    return box;
}

std::vector<std::string> scene_names(const ChapterFlags& chapter) {
    std::vector<std::string> names;
    for (const Scene& scene : scenes()) {
        names.push_back(scene.name);
    }
    for (const std::string& name : chapter.scenes) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {  // else it is replaced
            names.push_back(name);
        }
    }
    return names;
}

void add_scene(FlagList& list, Flags& flags, const ChapterFlags& chapter) {
    const std::string usual = chapter.scene.empty() ? scenes().front().name : chapter.scene;
    std::string meaning = chapter.scenes.empty() ? "a scripted drag before the first step: "
                                                 : "what happens before the first step: ";
    meaning += joined(scene_names(chapter));
    meaning += chapter.scene_in_window ? " (" : " (headless: ";
    meaning += usual;
    if (!chapter.scene.empty() && chapter.shape == Shape::box) {
        meaning += " in " + words_of(chapter.shape, chapter.box);
    }
    if (!chapter.window_scene.empty()) {
        meaning += ", in a window without a size: " + chapter.window_scene;
    }
    list.add({.name = "--scene",
              .kind = "NAME",
              .meaning = meaning + ", unless --load is given)",
              .choices = scene_names(chapter),
              .usual = usual},
             flags.scene);
}

/// Adds flags of the chapter's own that take a file, and makes room for their files' names.
void add_files(FlagList& list, std::vector<std::string>& names,
               const std::vector<std::pair<std::string, std::string>>& own) {
    names.resize(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
        list.add({own[k].first, "FILE", own[k].second}, names[k]);
    }
}

void add_start(FlagList& list, Flags& flags, const ChapterFlags& chapter) {
    list.add({.name = "--steps",
              .kind = "N",
              .meaning = "how many steps to run headless (60); a window pauses after so many",
              .range = FlagRange{0, 1e9},
              .usual = 60},
             flags.steps);
    const bool is_usual = std::abs(chapter.dt - 1.0 / 60.0) < 1e-12;
    list.add({.name = "--dt",
              .kind = "SECONDS",
              .meaning = "the time step (" + (is_usual ? "1/60" : plain(chapter.dt)) + ")",
              .range = FlagRange{0, 1e6, false},
              .usual = chapter.dt},
             flags.dt);
    list.add_plain("--headless", flags.headless, "no window: run, write what is asked for, exit");
    add_scene(list, flags, chapter);
    list.add({"--load", "FILE", "begin with a saved state"}, flags.load);
    add_files(list, flags.inputs, chapter.inputs);
}

void add_results(FlagList& list, Flags& flags, const ChapterFlags& chapter) {
    list.add({"--save", "FILE", "save the state at the end, as CSV"}, flags.save);
    list.add({"--png", "FILE", "write the last picture"}, flags.png);
    list.add({"--frames", "DIR", "write a picture of the start and of every step"}, flags.frames);
    list.add_plain("--panel", flags.panel, "with --png or --frames: the panel of parameters, too");
    add_files(list, flags.outputs, chapter.outputs);
    list.add_plain("--numbers", flags.numbers,
                   "print the tutorial's numbers beside ours, and exit");
    list.add_plain("--long", flags.long_numbers,
                   "with --numbers: the published tables that take longer, too");
    list.add({.name = "--show",
              .kind = "FIELD",
              .meaning = "the field shown first: " + joined(chapter.fields),
              .choices = chapter.fields},
             flags.show);
    list.add_plain("--no-arrows", flags.no_arrows, "begin without arrows: the key V shows them");
    list.add({"--probe", "I J", "show cell I J as if the mouse were on it",
              FlagRange{0, largest_N + 1}},
             flags.probe)
        ->expected(2);
    list.add({"--keys", "KEYS", "press these keys in turn, after the last step"}, flags.keys);
    if (chapter.threads != nullptr) {
        list.add({.name = "--threads",
                  .kind = "N",
                  .meaning = "how many threads compute (" + std::to_string(*chapter.threads) + ")",
                  .range = FlagRange{1, 256},
                  .usual = *chapter.threads},
                 *chapter.threads);
    }
}

void add_all(FlagList& list, Flags& flags, const ChapterFlags& chapter) {
    add_size(list, flags, chapter);
    add_start(list, flags, chapter);
    add_results(list, flags, chapter);
    for (const bool earlier : {false, true}) {
        for (const Parameter& parameter : chapter.parameters) {
            if (parameter.from_earlier == earlier) {
                add_parameter(list, parameter);
            }
        }
    }
}

/// Throws for words that CLI11 cannot judge.
void check_names(const CLI::App& app, const Flags& flags, const ChapterFlags& chapter) {
    std::vector<std::pair<std::string, std::string>> files = {{"--load", flags.load},
                                                              {"--save", flags.save},
                                                              {"--png", flags.png},
                                                              {"--frames", flags.frames}};
    for (std::size_t k = 0; k < flags.outputs.size(); ++k) {
        files.emplace_back(chapter.outputs[k].first, flags.outputs[k]);
    }
    for (std::size_t k = 0; k < flags.inputs.size(); ++k) {
        files.emplace_back(chapter.inputs[k].first, flags.inputs[k]);
    }
    for (const auto& [flag, value] : files) {
        if (app.count(flag) > 0 && value.empty()) {
            throw InputError(flag + " needs a name");
        }
    }
    if (flags.long_numbers && !flags.numbers) {
        throw InputError("--long adds to what --numbers prints: give both");
    }
    const std::vector<std::string> known = scene_names(chapter);
    if (!flags.scene.empty() && std::find(known.begin(), known.end(), flags.scene) == known.end()) {
        throw InputError("--scene " + flags.scene + ": no scene of that name; there are " +
                         joined(known));
    }
    const std::vector<std::string>& fields = chapter.fields;
    if (!flags.show.empty() &&
        std::find(fields.begin(), fields.end(), flags.show) == fields.end()) {
        throw InputError("--show " + flags.show + ": this chapter shows " + joined(fields));
    }
}

}  // namespace

std::vector<FlagFacts> flag_facts(const ChapterFlags& chapter) {
    Flags unused;
    FlagList list(chapter.title);
    add_all(list, unused, chapter);
    return list.facts;
}

ParsedFlags parse_flags(int argc, const char* const* argv, const ChapterFlags& chapter) {
    Flags flags;
    FlagList list(chapter.title);
    add_all(list, flags, chapter);
    CLI::App& app = list.app;
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help();
        return 0;
    } catch (const CLI::ParseError& error) {
        std::string cause = error.what();
        std::replace(cause.begin(), cause.end(), '\n', ' ');
        throw InputError(cause + " (--help lists the flags)");
    }
    check_names(app, flags, chapter);
    for (const Parameter& parameter : chapter.parameters) {
        if (app.count(flag_of(parameter)) > 0) {
            flags.given.push_back(parameter.name);
        }
    }
    for (const auto& [name, is_given] : {std::pair("n", flags.n.has_value()),
                                         {"nx", flags.nx.has_value()},
                                         {"ny", flags.ny.has_value()},
                                         {"nz", flags.nz.has_value()},
                                         {"dt", flags.dt.has_value()}}) {
        if (is_given) {
            flags.given.emplace_back(name);
        }
    }
    flags.box = size_of(flags, chapter);
    return flags;
}

}  // namespace workbook
