#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/shape.hpp"

namespace workbook {

/// One number that every cell has, and that the next step depends on. In a box, whose indices run
/// beyond its cells, a row may have no such number: then its pointer is null.
struct StateColumn {
    std::string name;
    std::variant<std::function<float&(int i, int j)>, std::function<float&(int i, int j, int k)>,
                 std::function<double*(int i, int j, int k)>>
        cell;
};

/// A state file's contents. `values` holds a row's columns side by side, rows in the order in which
/// save_state writes them; where a file has nothing, it is NaN.
struct State {
    Box box;
    std::vector<double> values;
    std::string path;
    std::vector<std::uint32_t> lines;  ///< where each row stands, if some may be empty in parts
};

/// Reads a state file: CSV, the header `i,j,` (`i,j,k,` unless the grid is a square) and the names
/// of `columns`, then one row a cell, in any order. Throws InputError, naming file and line, for a
/// file that cannot be read or has another header, a row that is malformed or not finite, a cell
/// twice or a cell missing.
State load_state(const std::string& path, const std::vector<StateColumn>& columns,
                 Shape shape = Shape::square);

/// Puts what was loaded into the columns of a grid of that size. Throws InputError, naming file and
/// line, for a number where none belongs, or none where one does.
void restore_state(const State& state, const std::vector<StateColumn>& columns,
                   Shape shape = Shape::square);

/// Writes a state file, in nine significant digits for a float and 17 for a double: enough to read
/// back the very same numbers. Throws InputError if it cannot be written, or holds a number that is
/// not finite. The caller commits.
void save_state(const OutputFile& output, Box box, const std::vector<StateColumn>& columns,
                Shape shape = Shape::square);

/// Reads a table of numbers that belongs to a state file: CSV with this header. Returns the rows
/// one after the other. Throws InputError, naming file and line, as load_state does.
std::vector<double> load_table(const std::string& path, const std::string& header);

/// Writes such a table, in 17 significant digits. Throws InputError as save_state does.
void save_table(const OutputFile& output, const std::string& header,
                const std::vector<double>& values);

}  // namespace workbook
