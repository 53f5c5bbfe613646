#pragma once

#include "common/draw/picture.hpp"
#include "common/io/output.hpp"

namespace workbook {

/// Writes the picture as PNG; needs neither a display nor a GPU. Throws InputError if the file
/// cannot be written whole. The caller commits.
void save_png(const OutputFile& output, const Picture& picture);

/// Creates, writes and commits the file. `what` names the flag or key in an error message.
void write_png(const std::string& what, const std::string& path, const Picture& picture);

}  // namespace workbook
