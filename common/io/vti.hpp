#pragma once

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

/// Writes n x n x n cells as VTK ImageData (.vti: XML, then the numbers as they lie in memory),
/// which ParaView and VTK's own reader open. Cells are `spacing` wide, and the first one's corner
/// lies at `origin` along each axis. Throws InputError if it cannot be written, or holds a number
/// that is not finite. The caller commits.
void save_vti(const OutputFile& output, int n, double origin, double spacing,
              const std::vector<VtiField>& fields);

}  // namespace workbook
