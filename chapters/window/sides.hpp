// What the sides of a box are called, in the order of `neighbours`.
#pragma once

#include <array>

inline constexpr std::array<const char*, 6> side_names = {"left",  "right",  "above",
                                                          "below", "before", "behind"};
