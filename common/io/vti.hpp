#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "common/io/output.hpp"

namespace workbook {

/// A number, or a vector of three, that every cell has.
struct VtiField {
    std::string name;
    int components;  ///< 1 or 3
    std::function<float(int component, int i, int j, int k)> value;
};

/// Writes so many cells along each axis as VTK ImageData (.vti: XML, then the numbers as they lie
/// in memory), which ParaView and VTK's own reader open. Cells are `spacing` wide, and the first
/// one's corner lies at `origin` along each axis. Throws InputError if it cannot be written, or
/// holds a number that is not finite. The caller commits. Where the file is a piece of a larger
/// box, `first` is its first cell in that box, whose corner then lies at `origin`.
void save_vti(const OutputFile& output, std::array<int, 3> n, double origin, double spacing,
              const std::vector<VtiField>& fields, std::array<int, 3> first = {0, 0, 0});

/// The same for a cube of n x n x n cells.
inline void save_vti(const OutputFile& output, int n, double origin, double spacing,
                     const std::vector<VtiField>& fields) {
    save_vti(output, std::array<int, 3>{n, n, n}, origin, spacing, fields);
}

}  // namespace workbook
