#pragma once

#include <functional>
#include <string>
#include <vector>

#include "output.hpp"

namespace workbook {

/// One number that every cell has, and that the next step depends on.
struct StateColumn {
    std::string name;
    std::function<float&(int i, int j)> cell;
};

/// A state file's contents. `values` holds a cell's columns side by side, cells row after row,
/// walls included: (N + 2) * (N + 2) * columns numbers.
struct State {
    int N;
    std::vector<float> values;
};

/// Reads a state file: CSV, the header `i,j,` and the names of `columns`, then one row a cell,
/// walls included, in any order. Throws InputError, naming file and line, for a file that cannot be
/// read or has another header, a row that is malformed or not finite, a cell twice or a cell
/// missing.
State load_state(const std::string& path, const std::vector<StateColumn>& columns);

/// Writes a state file of N x N fluid cells and their walls, in nine significant digits: enough to
/// read back the very same floats. Throws InputError if it cannot be written, or holds a number
/// that is not finite. The caller commits.
void save_state(const OutputFile& output, int N, const std::vector<StateColumn>& columns);

}  // namespace workbook
