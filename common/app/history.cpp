#include "common/app/history.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace

void History::connect(Program& program, std::vector<Readout> columns) {
    columns_ = std::move(columns);
    program.description.state.push_back(
        {"time", [this](int i, int j, int k) { return i + j + k == 0 ? &time : nullptr; }});
    program.simulation.after_reset.add([this] {
        time = 0.0;
        rows_.clear();
    });
    program.simulation.before_step.add([this] {
        if (rows_.empty()) {
            add_row();
        }
    });
    program.simulation.after_step.add([this](double dt) { end_step(dt); });
    program.description.outputs.push_back({"--history",
                                           "write a row of readouts for each step, as CSV",
                                           [this](const OutputFile& output) { write(output); }});
}

void History::end_step(double dt) {
    time += dt;
    add_row();
    if (holds_for_both && holds_for_both()) {
        const std::vector<double>& last = rows_.back();
        std::copy(last.begin() + 1, last.end(), rows_[rows_.size() - 2].begin() + 1);
    }
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
            text += ",";
            append_digits(text, rows_[step][n]);
        }
        text += "\n";
    }
    output.write(text);
}

}  // namespace workbook
