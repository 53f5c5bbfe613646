#pragma once

#include <string>
#include <vector>

namespace workbook {

struct Description;
struct Look;

/// What the mouse and the keys do, an entry for each: the key, spaces, and its meaning.
std::vector<std::string> help_lines(const Description& description, const Look& look);

}  // namespace workbook
