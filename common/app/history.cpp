#include "common/app/history.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "common/io/output.hpp"

namespace workbook {
namespace {

/// A word of a CSV file, in quotation marks where it holds what would end it.
std::string csv_word(const std::string& word) {
    if (word.find_first_of(",\"\n") == std::string::npos) {
        return word;
    }
    std::string quoted = "\"";
    for (const char letter : word) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

/// Enough digits to read the very same number back.
std::string csv_number(double number) {
    char digits[40];
#if defined(__cpp_lib_to_chars)
    const auto [end, error] =
        std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, 17);
    return {digits, end};
#else  // a standard library without it; no locale is ever set, so that the point is a point
    std::snprintf(digits, sizeof digits, "%.17g", number);
    return digits;
#endif
}

}  // namespace

void History::connect(Program& program, std::vector<Readout> columns) {
    columns_ = std::move(columns);
    program.state.push_back(
        {"time", [this](int i, int j, int k) { return i + j + k == 0 ? &time : nullptr; }});
    program.reset_box = [this, reset = program.reset_box](Box box) {
        reset(box);
        time = 0.0;
        rows_.clear();
    };
    program.step = [this, step = program.step](double dt) {
        if (rows_.empty()) {
            add_row();
        }
        step(dt);
        time += dt;
        add_row();
        if (holds_for_both && holds_for_both()) {
            const std::vector<double>& last = rows_.back();
            std::copy(last.begin() + 1, last.end(), rows_[rows_.size() - 2].begin() + 1);
        }
    };
    program.outputs.push_back({"--history", "write a row of readouts for each step, as CSV",
                               [this](const OutputFile& output) { write(output); }});
}

void History::add_row() {
    rows_.push_back({time});
    for (const Readout& column : columns_) {
        rows_.back().push_back(column.value());
    }
}

void History::write(const OutputFile& output) {
    if (rows_.empty()) {
        add_row();
    }
    std::string text = "step,time";
    for (const Readout& column : columns_) {
        text += "," + csv_word(column.name);
    }
    text += "\n";
    for (std::size_t step = 0; step < rows_.size(); ++step) {
        text += std::to_string(step);
        for (std::size_t n = 0; n < rows_[step].size(); ++n) {
            if (!std::isfinite(rows_[step][n])) {
                throw output.write_error((n == 0 ? "time" : columns_[n - 1].name) + " after " +
                                         std::to_string(step) +
                                         " steps is not a finite number: the run has blown up");
            }
            text += "," + csv_number(rows_[step][n]);
        }
        text += "\n";
    }
    errno = 0;
    std::ofstream file(output.temporary(), std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        throw output.write_error(errno != 0 ? std::strerror(errno) : "is the disk full?");
    }
}

}  // namespace workbook
