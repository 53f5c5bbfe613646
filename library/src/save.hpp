// Fields as files for other programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "library/src/solver.hpp"

namespace box {

/// Writes fields to a .vti file, as stable_fluids_save_vti() says. All of them must be the fluid's.
/// Throws a Failure if the file cannot be written, or if a number is not finite.
void save_vti(Solver& solver, const char* path, const std::int32_t* fields, std::size_t count);

}  // namespace box
