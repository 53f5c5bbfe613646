#include "library/src/large_pages.hpp"

#include <algorithm>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define APART
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define APART
#endif
#endif

namespace box {

namespace {

#if defined(MADV_HUGEPAGE) && !defined(APART)
constexpr bool large_pages_are_there = true;

void prefer_large_pages(char* memory, std::size_t bytes) {
    madvise(memory, bytes, MADV_HUGEPAGE);
}
#else
constexpr bool large_pages_are_there = false;

void prefer_large_pages(char*, std::size_t) {}
#endif

/// The least multiple of `unit` that is not less.
std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

bool LargePages::are_there() {
    return large_pages_are_there;
}

float* LargePages::allocate(std::size_t bytes) {
    if (!large_pages_are_there || bytes < least) {
        return static_cast<float*>(::operator new (bytes, std::align_val_t{line}));
    }
    const std::size_t whole = round_up(bytes, line) + between;
    for (Block& block : blocks) {
        for (Space& space : block.spaces) {
            if (!space.in_use && space.bytes == whole) {
                space.in_use = true;
                return space.data;
            }
        }
    }
    Block& block = block_with_room(whole);
    char* const data = block.memory.get() + block.taken;
    block.spaces.push_back({reinterpret_cast<float*>(data), whole, true});
    block.taken += whole;
    return block.spaces.back().data;
}

/// The last block, or a new one if that has no room for so many bytes.
LargePages::Block& LargePages::block_with_room(std::size_t bytes) {
    if (blocks.empty() || blocks.back().bytes - blocks.back().taken < bytes) {
        const std::size_t all = std::max(block_size, round_up(bytes, page));
        std::unique_ptr<char, Free> memory(
            static_cast<char*>(::operator new (all, std::align_val_t{page})));
        prefer_large_pages(memory.get(), all);
        blocks.push_back({std::move(memory), all, 0, {}});
    }
    return blocks.back();
}

void LargePages::release(float* data) noexcept {
    if (!large_pages_are_there) {
        ::operator delete (data, std::align_val_t{line});
        return;
    }
    for (auto block = blocks.begin(); block != blocks.end(); ++block) {
        const auto space = std::find_if(block->spaces.begin(), block->spaces.end(),
                                        [&](const Space& one) { return one.data == data; });
        if (space == block->spaces.end()) {
            continue;
        }
        space->in_use = false;
        if (std::none_of(block->spaces.begin(), block->spaces.end(),
                         [](const Space& one) { return one.in_use; })) {
            blocks.erase(block);
        }
        return;
    }
    ::operator delete (data, std::align_val_t{line});
}

}  // namespace box
