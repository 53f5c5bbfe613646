#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace workbook {

/// The largest grid that a 2D chapter takes.
inline constexpr int largest_N = 8192;

/// A number of the chapter that the reader may change: by a flag at the start, by keys while it
/// runs. Its flag is its name with dashes: density_fade_rate is --density-fade-rate.
struct Parameter {
    std::string name;
    std::variant<float*, int*, bool*> value;
    std::string meaning;
    double most = 1000.0;  ///< the least is 0
};

/// What the command line asks for.
struct Flags {
    int N = 16;
    bool N_given = false;
    std::optional<int> steps;
    float dt = 1.0f / 60.0f;
    bool headless = false;
    bool numbers = false;
    std::string scene, load, save, png, frames, show, keys;
    std::vector<int> probe;
};

/// What parse_flags answers: flags to go by, or the status to exit with at once.
using ParsedFlags = std::variant<Flags, int>;

/// Reads the flags that every chapter has, and those of `parameters`, whose values it sets. With
/// --help it prints the list and answers 0. Throws InputError for a flag that is unknown,
/// incomplete or out of range.
ParsedFlags parse_flags(int argc, char** argv, const std::string& title,
                        const std::vector<Parameter>& parameters,
                        const std::vector<std::string>& field_names);

}  // namespace workbook
