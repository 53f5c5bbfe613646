// OpenVDB files: vdb.cpp writes them where libopenvdb was found, and no_vdb.cpp stands in for it.
#pragma once

#include <array>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/vti.hpp"

namespace workbook {

/// Whether OpenVDB files can be written at all.
bool have_vdb();

/// Writes so many cells along each axis, `spacing` wide, to output.temporary(), each field as a
/// grid of its own. Cell (0, 0, 0) has its corner at the origin. The caller commits. Throws
/// InputError if it cannot be written, or where there is no OpenVDB.
void save_vdb(const OutputFile& output, std::array<int, 3> n, double spacing,
              const std::vector<VtiField>& fields);

}  // namespace workbook
