#pragma once

#include <string>

namespace workbook {

/// Thrown where a window is asked for and there is no display.
struct NoDisplay {};

/// Says in one line on stderr what has gone wrong, and returns the exit status for it: 2 for bad
/// input and for what this machine cannot do, 3 without a display, 4 for anything else. To be
/// called where an exception has been caught, of any kind.
int tell_failure(const std::string& program);

}  // namespace workbook
