#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace workbook {
namespace {

/// Six digits: the seventh of a float depends on whose sine was used.
std::string shown(double value, const char* format = "%.6g") {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::string gap(width > text.size() ? width - text.size() : 0, ' ');
    return right ? gap + text : text + gap;
}

}  // namespace

void Numbers::setting(const std::string& what, double stated, double ours,
                      const std::string& where) {
    rows_.push_back({'s', what, stated, ours, 1e-6 * std::abs(stated), where});
}

void Numbers::printed(const std::string& what, double printed, double ours,
                      const std::string& where) {
    rows_.push_back({'p', what, printed, ours, 1e-6 * std::max(1.0, std::abs(printed)), where});
}

void Numbers::checked(const std::string& what, double expected, double ours, double tolerance,
                      const std::string& how) {
    rows_.push_back({'c', what, expected, ours, tolerance, how});
}

void Numbers::note(const std::string& text) {
    rows_.push_back({'n', text, 0.0, 0.0, 0.0, ""});
}

bool Numbers::print() const {
    std::size_t width = 20;
    for (const Row& row : rows_) {
        width = row.kind == 'n' ? width : std::max(width, row.what.size());
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
                          << padded(table.title, width, false) << padded(table.expected, 14, true)
                          << padded("ours", 14, true) << padded("difference", 12, true) << "\n";
                begun = true;
            }
            const double difference = row.ours - row.expected;
            const bool agrees = std::abs(difference) <= row.tolerance;  // false for NaN, too
            agree = agree && agrees;
            std::cout << padded(row.what, width, false) << padded(shown(row.expected), 14, true)
                      << padded(shown(row.ours), 14, true)
                      << padded(shown(difference, "%.0e"), 12, true) << "  " << row.where
                      << (agrees ? "" : "  DIFFERS") << "\n";
        }
    }
    bool begun = false;
    for (const Row& row : rows_) {
        if (row.kind == 'n') {
            std::cout << (begun ? "" : "\n") << row.what << "\n";
            begun = true;
        }
    }
    return agree;
}

}  // namespace workbook
