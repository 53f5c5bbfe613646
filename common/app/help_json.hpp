#pragma once

#include <string>

#include "common/app/program.hpp"

namespace workbook {

/// What --help=json prints of a program: one JSON object with its name, title, shape, flags,
/// parameters, scenes, fields, and the keys that it alone has.
std::string description_of(const Program& program, const ChapterFlags& chapter);

}  // namespace workbook
