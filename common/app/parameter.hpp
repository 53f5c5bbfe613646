#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace workbook {

/// One of several named possibilities.
struct Choice {
    int chosen = 0;
    std::vector<std::string> names;
};

/// Something of the chapter that the reader may change: by a flag at the start, by keys while it
/// runs. Its flag is its name with dashes: density_fade_rate is --density-fade-rate.
struct Parameter {
    std::string name;
    std::variant<float*, double*, int*, bool*, Choice*> value;
    std::string meaning;
    double most = 1000.0;
    double least = 0.0;
    double usual = 0.0;  ///< a slider has it in its middle; 0: the value at the start
    bool from_earlier = false;  ///< it belongs to an earlier chapter
    std::function<bool()> applies = {};  ///< whether it means something now; without this, always
};

/// A parameter's value as a number; of a Choice, the place of what is chosen.
double number_in(const Parameter& parameter);
void set_number(const Parameter& parameter, double number);

/// The values of several as numbers, in their order.
std::vector<double> numbers_in(const std::vector<Parameter>& parameters);

/// Its value in a few characters.
std::string value_of(const Parameter& parameter);

/// What + and - do to it. It stays in its range.
void change(const Parameter& parameter, bool up);

/// The flag of a parameter, with its dashes.
std::string flag_of(const Parameter& parameter);

}  // namespace workbook
