#include "flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <type_traits>

#include "output.hpp"
#include "scene.hpp"

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

void add_parameter(CLI::App& app, const Parameter& parameter) {
    std::visit(
        [&](auto* value) {
            constexpr bool is_switch = std::is_same_v<decltype(value), bool*>;
            std::string meaning = parameter.meaning + " (" + plain(*value);
            meaning += is_switch ? "; 0 switches it off)" : ")";
            app.add_option(flag_of(parameter), *value, meaning)
                ->check(between(0.0, is_switch ? 1.0 : parameter.most))
                ->type_name(std::is_same_v<decltype(value), float*> ? "RATE" : "COUNT");
        },
        parameter.value);
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) {
        all += (all.empty() ? "" : ", ") + word;
    }
    return all;
}

}  // namespace

ParsedFlags parse_flags(int argc, char** argv, const std::string& title,
                        const std::vector<Parameter>& parameters,
                        const std::vector<std::string>& field_names) {
    Flags flags;
    CLI::App app(title);
    app.get_formatter()->column_width(36);
    CLI::Option* n = app.add_option("--n", flags.N, "fluid cells in a row and in a column (16)");
    n->check(between(1, largest_N))->type_name("N");
    app.add_option("--steps", flags.steps,
                   "how many steps to run headless (60); a window pauses after so many")
        ->check(between(0, 1e9))
        ->type_name("N");
    app.add_option("--dt", flags.dt, "the time step (1/60)")
        ->check(between(0, 1e6, false))
        ->type_name("SECONDS");
    app.add_flag("--headless", flags.headless, "no window: run, write what is asked for, exit");
    std::vector<std::string> names;
    for (const Scene& scene : scenes()) {
        names.push_back(scene.name);
    }
    app.add_option("--scene", flags.scene,
                   "a scripted drag before the first step: " + joined(names) +
                       " (headless: drag, unless --load is given)")
        ->type_name("NAME");
    app.add_option("--load", flags.load, "begin with a saved state")->type_name("FILE");
    app.add_option("--save", flags.save, "save the state at the end, as CSV")->type_name("FILE");
    app.add_option("--png", flags.png, "write the last picture")->type_name("FILE");
    app.add_option("--frames", flags.frames, "write a picture of the start and of every step")
        ->type_name("DIR");
    app.add_flag("--numbers", flags.numbers, "print the tutorial's numbers beside ours, and exit");
    app.add_option("--show", flags.show, "the field shown first: " + joined(field_names))
        ->type_name("FIELD");
    app.add_option("--probe", flags.probe, "show cell I J as if the mouse were on it")
        ->expected(2)
        ->check(between(0, largest_N + 1))
        ->type_name("I J");
    app.add_option("--keys", flags.keys, "press these keys in turn, after the last step")
        ->type_name("KEYS");
    for (const Parameter& parameter : parameters) {
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
    for (const auto& [flag, value] : {std::pair("--load", &flags.load),
                                      {"--save", &flags.save},
                                      {"--png", &flags.png},
                                      {"--frames", &flags.frames}}) {
        if (app.count(flag) > 0 && value->empty()) {
            throw InputError(std::string(flag) + " needs a name");
        }
    }
    if (!flags.scene.empty()) {
        scene_named(flags.scene);
    }
    if (!flags.show.empty() &&
        std::find(field_names.begin(), field_names.end(), flags.show) == field_names.end()) {
        throw InputError("--show " + flags.show + ": this chapter shows " + joined(field_names));
    }
    flags.N_given = n->count() > 0;
    return flags;
}

}  // namespace workbook
