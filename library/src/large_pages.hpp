// Memory for large fields, in large pages.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace box {

/// Memory for fields, side by side in blocks of whole pages of 2 MiB, which Linux is asked for: the
/// processor finds its way in them sooner. A field of 128 x 128 x 128 places has 2,000 pages of the
/// usual size, and those of a step are more than it keeps track of. Where there are no large pages,
/// Linux refuses, and all is as it was. Small fields, and all on other systems, have memory of
/// their own. So they have under AddressSanitizer, which then sees who reads beyond them.
class LargePages {
  public:
    /// Whether large fields lie side by side here. If not, each field has memory of its own.
    static bool are_there();
    /// Memory that begins where a line of the cache does. Throws std::bad_alloc if there is none.
    float* allocate(std::size_t bytes);
    /// Gives back what allocate() has returned. A later field of the same size may get it.
    void release(float* data) noexcept;

  private:
    static constexpr std::size_t line = 64;
    static constexpr std::size_t page = 2 << 20;
    static constexpr std::size_t least = 1 << 17;  ///< smaller ones have memory of their own
    /// Bytes between fields. Without them the same place of several fields often has to share a few
    /// lines of the cache, and a step of 512 x 512 cells takes 5 % more.
    static constexpr std::size_t between = 129 * line;
    static constexpr std::size_t block_size = 32 * page;

    struct Free {
        void operator()(char* memory) const { ::operator delete (memory, std::align_val_t{page}); }
    };
    /// The memory of a field.
    struct Space {
        float* data;
        std::size_t bytes;
        bool in_use;
    };
    struct Block {
        std::unique_ptr<char, Free> memory;
        std::size_t bytes;
        std::size_t taken;  ///< bytes from its begin on
        std::vector<Space> spaces;
    };

    Block& block_with_room(std::size_t bytes);

    std::vector<Block> blocks;
};

}  // namespace box
