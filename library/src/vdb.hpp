// OpenVDB files: vdb.cpp writes them where libopenvdb was found, and no_vdb.cpp stands in for it.
#pragma once

#include <array>
#include <vector>

#include "common/io/vti.hpp"

namespace box {

/// Writes so many cells along each axis, `spacing` wide, to output.temporary(). The caller commits.
/// Throws a Failure if that cannot be done.
void write_vdb(const workbook::OutputFile& output, std::array<int, 3> n, double spacing,
               const std::vector<workbook::VtiField>& fields);

/// Throws a Failure if no OpenVDB files can be written at all.
void check_vdb();

}  // namespace box
