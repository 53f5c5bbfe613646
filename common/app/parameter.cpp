#include "common/app/parameter.hpp"

#include <algorithm>
#include <cstdio>
#include <type_traits>

namespace workbook {
namespace {

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

std::string flag_of(const Parameter& parameter) {
    std::string flag = "--" + parameter.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

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

std::vector<double> numbers_in(const std::vector<Parameter>& parameters) {
    std::vector<double> numbers;
    numbers.reserve(parameters.size());
    for (const Parameter& parameter : parameters) {
        numbers.push_back(number_in(parameter));
    }
    return numbers;
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

}  // namespace workbook
