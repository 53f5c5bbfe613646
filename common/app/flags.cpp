#include "common/app/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <type_traits>

#include "common/app/scene.hpp"
#include "common/io/output.hpp"

namespace workbook {
namespace {

std::string flag_of(const Parameter& parameter) {
    std::string flag = "--" + parameter.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

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

/// A check for CLI11: the words of a complaint, or none.
CLI::Validator between(double least, double most, bool least_included = true) {
    return CLI::Validator(
        [=](std::string& word) -> std::string {
            double number = 0.0;
            if (!CLI::detail::lexical_cast(word, number) || !std::isfinite(number) ||
                number > most || (least_included ? number < least : number <= least)) {
                return "'" + word + "' is not a number " +
                       (least_included ? "from " + plain(least) : "above " + plain(least)) +
                       " to " + plain(most);
            }
            return {};
        },
        "");
}

void add_number(CLI::App& app, const Parameter& parameter) {
    std::visit(
        [&](auto* value) {
            using Value = std::remove_pointer_t<decltype(value)>;
            if constexpr (!std::is_same_v<Value, Choice>) {
                app.add_option(flag_of(parameter), *value,
                               parameter.meaning + " (" + plain(*value) + ")")
                    ->check(between(parameter.least, parameter.most))
                    ->type_name(std::is_same_v<Value, int> ? "COUNT" : "NUMBER");
            }
        },
        parameter.value);
}

/// `--it 1` and `--it 0`; and `--it` alone is 1.
void add_switch(CLI::App& app, const Parameter& parameter, bool& value) {
    const CLI::Validator known(
        [](std::string& word) -> std::string {
            const bool good = word == "0" || word == "1" || word == "true";  // CLI11's own word
            return good ? "" : "'" + word + "' is neither 0 nor 1";
        },
        "");
    app.add_option_function<std::string>(
           flag_of(parameter), [&value](const std::string& word) { value = word != "0"; },
           parameter.meaning + (value ? " (1, which is on)" : " (0, which is off)"))
        ->expected(0, 1)
        ->check(known)
        ->type_name("0|1");
}

void add_choice(CLI::App& app, const Parameter& parameter, Choice& choice) {
    const CLI::Validator known(
        [names = choice.names](std::string& word) -> std::string {
            const bool found = std::find(names.begin(), names.end(), word) != names.end();
            return found ? "" : "'" + word + "' is none of " + joined(names);
        },
        "");
    app.add_option_function<std::string>(
           flag_of(parameter),
           [&choice](const std::string& word) {
               const auto found = std::find(choice.names.begin(), choice.names.end(), word);
               choice.chosen = static_cast<int>(found - choice.names.begin());
           },
           parameter.meaning + ": " + joined(choice.names) + " (" + value_of(parameter) + ")")
        ->check(known)
        ->type_name("NAME");
}

void add_parameter(CLI::App& app, const Parameter& parameter) {
    if (bool* const* value = std::get_if<bool*>(&parameter.value)) {
        add_switch(app, parameter, **value);
    } else if (Choice* const* choice = std::get_if<Choice*>(&parameter.value)) {
        add_choice(app, parameter, **choice);
    } else {
        add_number(app, parameter);
    }
}

void add_size(CLI::App& app, Flags& flags, const ChapterFlags& chapter) {
    const std::string n = std::to_string(chapter.box.nx);
    if (chapter.shape == Shape::square) {
        app.add_option("--n", flags.n, "fluid cells in a row and in a column (" + n + ")")
            ->check(between(1, largest_N))
            ->type_name("N");
        return;
    }
    if (chapter.shape == Shape::cube) {
        app.add_option("--n", flags.n, "cells along each edge, walls included (" + n + ")")
            ->check(between(smallest_cube, largest_N_3d))
            ->type_name("N");
        return;
    }
    const auto add = [&](const std::string& flag, std::optional<int>& value,
                         const std::string& meaning) {
        app.add_option(flag, value, meaning)->check(between(1, largest_N))->type_name("N");
    };
    add("--nx", flags.nx, "cells in a row (" + n + ")");
    add("--ny", flags.ny, "cells in a column (" + std::to_string(chapter.box.ny) + ")");
    add("--nz", flags.nz, "cells in depth (" + std::to_string(chapter.box.nz) + ")");
    add("--n", flags.n, "short for --nx N --ny N --nz 1");
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

void add_start(CLI::App& app, Flags& flags, const ChapterFlags& chapter) {
    app.add_option("--steps", flags.steps,
                   "how many steps to run headless (60); a window pauses after so many")
        ->check(between(0, 1e9))
        ->type_name("N");
    const bool usual = std::abs(chapter.dt - 1.0 / 60.0) < 1e-12;
    app.add_option("--dt", flags.dt, "the time step (" + (usual ? "1/60" : plain(chapter.dt)) + ")")
        ->check(between(0, 1e6, false))
        ->type_name("SECONDS");
    app.add_flag("--headless", flags.headless, "no window: run, write what is asked for, exit");
    const std::string scene =
        chapter.scene.empty() ? scenes().front().name
                              : chapter.scene + (chapter.shape == Shape::box
                                                     ? " in " + words_of(chapter.shape, chapter.box)
                                                     : "");
    app.add_option("--scene", flags.scene,
                   std::string(chapter.scenes.empty() ? "a scripted drag before the first step: "
                                                      : "what happens before the first step: ") +
                       joined(scene_names(chapter)) +
                       (chapter.scene_in_window ? " (" : " (headless: ") + scene +
                       ", unless --load is given)")
        ->type_name("NAME");
    app.add_option("--load", flags.load, "begin with a saved state")->type_name("FILE");
}

void add_results(CLI::App& app, Flags& flags, const ChapterFlags& chapter) {
    app.add_option("--save", flags.save, "save the state at the end, as CSV")->type_name("FILE");
    app.add_option("--png", flags.png, "write the last picture")->type_name("FILE");
    app.add_option("--frames", flags.frames, "write a picture of the start and of every step")
        ->type_name("DIR");
    app.add_flag("--panel", flags.panel, "with --png or --frames: the panel of parameters, too");
    flags.outputs.resize(chapter.outputs.size());
    for (std::size_t k = 0; k < chapter.outputs.size(); ++k) {
        app.add_option(chapter.outputs[k].first, flags.outputs[k], chapter.outputs[k].second)
            ->type_name("FILE");
    }
    app.add_flag("--numbers", flags.numbers, "print the tutorial's numbers beside ours, and exit");
    app.add_flag("--long", flags.long_numbers,
                 "with --numbers: the published tables that take longer, too");
    app.add_option("--show", flags.show, "the field shown first: " + joined(chapter.fields))
        ->type_name("FIELD");
    app.add_flag("--no-arrows", flags.no_arrows, "begin without arrows, as after the key V");
    app.add_option("--probe", flags.probe, "show cell I J as if the mouse were on it")
        ->expected(2)
        ->check(between(0, largest_N + 1))
        ->type_name("I J");
    app.add_option("--keys", flags.keys, "press these keys in turn, after the last step")
        ->type_name("KEYS");
    if (chapter.threads != nullptr) {
        app.add_option("--threads", *chapter.threads,
                       "how many threads compute (" + std::to_string(*chapter.threads) + ")")
            ->check(between(1, 256))
            ->type_name("N");
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

double stepped(double number, bool up) {
    const double least = 1e-4;
    const double sign = up ? 1.0 : -1.0;
    const double along = sign * number;
    if (along >= 0.0) {
        return sign * std::max(least, along * 1.25);
    }
    return -along / 1.25 < least ? 0.0 : number / 1.25;
}

}  // namespace

double number_in(const Parameter& parameter) {
    return std::visit(
        [](auto* value) -> double {
            if constexpr (std::is_same_v<decltype(value), Choice*>) {
                return value->chosen;
            } else {
                return static_cast<double>(*value);
            }
        },
        parameter.value);
}

void set_number(const Parameter& parameter, double number) {
    std::visit(
        [&](auto* value) {
            if constexpr (std::is_same_v<decltype(value), Choice*>) {
                value->chosen = static_cast<int>(number);
            } else {
                *value = static_cast<std::remove_pointer_t<decltype(value)>>(number);
            }
        },
        parameter.value);
}

std::string value_of(const Parameter& parameter) {
    if (Choice* const* choice = std::get_if<Choice*>(&parameter.value)) {
        return (*choice)->names.at(static_cast<std::size_t>((*choice)->chosen));
    }
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", number_in(parameter));
    return text;
}

void change(const Parameter& parameter, bool up) {
    if (std::holds_alternative<bool*>(parameter.value)) {
        set_number(parameter, up ? 1.0 : 0.0);
    } else if (Choice* const* choice = std::get_if<Choice*>(&parameter.value)) {
        const int count = static_cast<int>((*choice)->names.size());
        (*choice)->chosen = ((*choice)->chosen + (up ? 1 : count - 1)) % count;
    } else {
        const double number = number_in(parameter);
        const bool is_count = std::holds_alternative<int*>(parameter.value);
        const double changed = is_count ? number + (up ? 1.0 : -1.0) : stepped(number, up);
        set_number(parameter, std::clamp(changed, parameter.least, parameter.most));
    }
}

ParsedFlags parse_flags(int argc, const char* const* argv, const ChapterFlags& chapter) {
    Flags flags;
    CLI::App app(chapter.title);
    app.get_formatter()->column_width(36);
    add_size(app, flags, chapter);
    add_start(app, flags, chapter);
    add_results(app, flags, chapter);
    for (const Parameter& parameter : chapter.parameters) {
        add_parameter(app, parameter);
    }
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
