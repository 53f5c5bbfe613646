#include "common/app/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace workbook {
namespace {

/// Six digits: the seventh of a float depends on whose sine was used. What rounding leaves of a 0
/// is shown as 0.
std::string shown(double value, const char* format = "%.6g") {
    char text[40];
    std::snprintf(text, sizeof text, format, std::abs(value) < 1e-14 ? 0.0 : value);
    return text;
}

std::string shown(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
        text += (text.empty() ? "" : " ") + shown(value);
    }
    return text;
}

/// The difference of largest size: NaN if any is, or if there are more of one than of the other.
double difference_of(const std::vector<double>& ours, const std::vector<double>& expected) {
    double largest = ours.size() == expected.size() ? 0.0 : NAN;
    for (std::size_t k = 0; k < std::min(ours.size(), expected.size()); ++k) {
        const double difference = ours[k] - expected[k];
        if (std::isnan(difference) || std::abs(difference) > std::abs(largest)) {
            largest = difference;
        }
    }
    return largest;
}

double size_of(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::string gap(width > text.size() ? width - text.size() : 0, ' ');
    return right ? gap + text : text + gap;
}

}  // namespace

void Numbers::setting(const std::string& what, double stated, double ours,
                      const std::string& where) {
    rows_.push_back({'s', what, {stated}, {ours}, 1e-6 * std::abs(stated), where});
}

void Numbers::printed(const std::string& what, double printed, double ours,
                      const std::string& where) {
    this->printed(what, std::vector{printed}, std::vector{ours}, where);
}

void Numbers::checked(const std::string& what, double expected, double ours, double tolerance,
                      const std::string& how) {
    checked(what, std::vector{expected}, std::vector{ours}, tolerance, how);
}

void Numbers::printed(const std::string& what, const std::vector<double>& printed,
                      const std::vector<double>& ours, const std::string& where) {
    rows_.push_back({'p', what, printed, ours, 1e-6 * std::max(1.0, size_of(printed)), where});
}

void Numbers::checked(const std::string& what, const std::vector<double>& expected,
                      const std::vector<double>& ours, double tolerance, const std::string& how) {
    rows_.push_back({'c', what, expected, ours, tolerance, how});
}

bool Numbers::print() const {
    std::size_t width = 20;
    std::size_t value_width = 14;
    for (const Row& row : rows_) {
        width = std::max(width, row.what.size());
        value_width =
            std::max({value_width, shown(row.expected).size() + 2, shown(row.ours).size() + 2});
    }
    const struct {
        char kind;
        const char* title;
        const char* expected;
    } tables[] = {{'s', "Settings, as the text states them", "stated"},
                  {'p', "Results that the text prints", "printed"},
                  {'c', "Results that no text prints", "expected"}};

    bool agree = true;
    std::cout << title_ << "\n";
    for (const auto& table : tables) {
        bool begun = false;
        for (const Row& row : rows_) {
            if (row.kind != table.kind) {
                continue;
            }
            if (!begun) {
                std::cout << "\n"
                          << padded(table.title, width, false)
                          << padded(table.expected, value_width, true)
                          << padded("ours", value_width, true) << padded("difference", 12, true)
                          << "\n";
                begun = true;
            }
            const double difference = difference_of(row.ours, row.expected);
            // What is left to the rounding of a double is not worth showing.
            const double least = 1e-12 * std::max(1.0, size_of(row.expected));
            const bool agrees = std::abs(difference) <= row.tolerance;  // false for NaN, too
            agree = agree && agrees;
            std::cout << padded(row.what, width, false)
                      << padded(shown(row.expected), value_width, true)
                      << padded(shown(row.ours), value_width, true)
                      << padded(shown(std::abs(difference) < least ? 0.0 : difference, "%.0e"), 12,
                                true)
                      << "  " << row.where << (agrees ? "" : "  DIFFERS") << "\n";
        }
    }
    return agree;
}

}  // namespace workbook
