#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/app/parameter.hpp"
#include "common/io/shape.hpp"

namespace workbook {

/// What the command line asks for.
struct Flags {
    std::optional<int> n, nx, ny, nz;  ///< as given
    Box box = {16, 16, 1};  ///< what they come to
    std::optional<int> steps;
    std::optional<double> dt;
    bool headless = false;
    bool panel = false;  ///< files of pictures show it, too
    bool numbers = false;
    bool long_numbers = false;  ///< with the tables that take longer
    bool no_arrows = false;
    std::string scene, load, save, png, frames, show, keys;
    std::vector<std::string> outputs;  ///< one for each of the chapter's own; empty: not asked for
    std::vector<std::string> inputs;  ///< the same
    std::vector<int> probe;
    std::vector<std::string> given;  ///< the names of the parameters that it sets, and of sizes
};

/// What a chapter has that parse_flags must know of.
struct ChapterFlags {
    std::string title;
    std::vector<Parameter> parameters;
    std::vector<std::string> fields;
    Shape shape = Shape::square;
    Box box = {16, 16, 1};  ///< the grid when nothing else is asked for
    double dt = 1.0 / 60.0;
    std::vector<std::string> scenes;  ///< besides those that all chapters have
    std::string scene;  ///< the default, if it is another than that of all chapters
    bool scene_in_window = false;
    std::string window_scene;  ///< what a window plays instead, if it is another one
    std::vector<std::pair<std::string, std::string>> outputs, inputs;  ///< flag and meaning
    int* threads = nullptr;
};

/// A range of numbers. That it begins at `least` may or may not include that number.
struct FlagRange {
    double least, most;
    bool least_included = true;
};

/// What there is to tell about a flag.
struct FlagFacts {
    std::string name;  ///< with its dashes
    std::string kind = {};  ///< its value as --help calls it, such as NUMBER; "": it has none
    std::string meaning = {};  ///< in the words of --help
    std::optional<FlagRange> range = {};
    std::vector<std::string> choices = {};
    std::variant<std::monostate, bool, int, float, double, std::string> usual = {};
    bool from_earlier = false;  ///< it sets a parameter of an earlier chapter
};

/// Returns the flags that every chapter has, the chapter's own, and those of parameters from
/// earlier chapters, in the order of --help.
std::vector<FlagFacts> flag_facts(const ChapterFlags& chapter);

/// What parse_flags returns: flags to go by, or the status to exit with at once.
using ParsedFlags = std::variant<Flags, int>;

/// Reads the flags that every chapter has, and the chapter's own; it sets the values of its
/// parameters. With --help it prints the list and returns 0. Throws InputError for a flag that is
/// unknown, incomplete or out of range.
ParsedFlags parse_flags(int argc, const char* const* argv, const ChapterFlags& chapter);

}  // namespace workbook
