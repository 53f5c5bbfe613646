#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/app/program.hpp"

namespace workbook {

/// The time of a run, and a table with one row for each of its steps: the flag --history writes it.
class History {
  public:
    /// Tells the program to keep the time, in its state files as well, and adds --history, whose
    /// columns these are, behind `step` and `time`. Both must stay where they are.
    void connect(Program& program, std::vector<Readout> columns);

    /// Takes other columns instead, before the first step.
    void replace_columns(std::vector<Readout> columns) { columns_ = std::move(columns); }

    /// Says, after a step, whether its readouts hold for the step before it as well: as the mean of
    /// both. Then the row of that step gets them, too.
    std::function<bool()> holds_for_both;

    double time = 0.0;  ///< seconds since the first step, even if that was before a --load

  private:
    void end_step(double dt);
    void add_row();
    void write(const OutputFile& output);

    std::vector<Readout> columns_;
    std::vector<std::vector<double>> rows_;  ///< the first is the state before the first step
};

}  // namespace workbook
