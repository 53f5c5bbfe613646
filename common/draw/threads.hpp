// How many threads draw.
#pragma once

#include <algorithm>
#include <thread>

namespace workbook {

/// Returns how many threads draw a cloud or a surface: as many as there are cores, but at most 8. A
/// browser has one.
inline int drawing_threads() {
#ifdef __EMSCRIPTEN__
    return 1;
#else
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
#endif
}

}  // namespace workbook
