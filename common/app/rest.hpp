#pragma once

#include <cstdint>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// While the fluid is paused and nobody touches the window, it shows the same picture again and
/// again. Once the last three pictures were like the one before, only every tenth is painted, and
/// the processor rests.
class Rest {
  public:
    /// Whether the next picture need not be painted.
    bool skips_next() {
        if (same_pictures_ < 3) {
            return false;
        }
        skipped_ = (skipped_ + 1) % 10;
        return skipped_ != 0;
    }

    /// The picture may change from now on: time passes, or somebody has touched the window.
    void end() { same_pictures_ = 0; }

    /// Takes note of what has been painted.
    void see(const Picture& picture) {
        same_pictures_ = picture.rgba() == shown_ ? same_pictures_ + 1 : 0;
        shown_ = picture.rgba();
    }

  private:
    std::vector<std::uint8_t> shown_;
    int same_pictures_ = 0;
    int skipped_ = 0;
};

}  // namespace workbook
