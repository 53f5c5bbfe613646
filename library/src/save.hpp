// Fields as files for other programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "library/src/solver.hpp"

namespace box {

enum class FileFormat { VTI, VDB };

/// Writes fields to a file, as stable_fluids_save_vti() and stable_fluids_save_vdb() say. All of
/// them must be the fluid's. Throws a Failure if the file cannot be written, or if a number is not
/// finite.
void save(Solver& solver, FileFormat format, const char* path, const std::int32_t* fields,
          std::size_t count);

}  // namespace box
