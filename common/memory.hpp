#pragma once

namespace workbook {

/// The bytes of memory that this machine has, or 0 if it does not say.
double physical_memory();

}  // namespace workbook
