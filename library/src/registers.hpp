// Registers of floats, for the loops of rows.cpp, which is compiled for several widths: nothing in
// it may be seen from outside.
#pragma once

#include "library/src/operations.hpp"

// No turn of the loop after it reads what another one writes, though the compiler cannot know.
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define INDEPENDENT __pragma(loop(ivdep))
#else
#define INDEPENDENT
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define REGISTERS
#endif
#endif

namespace box {
namespace {

/// So many places are done side by side at most, and sums are kept for so many.
constexpr int lanes = 16;

/// So many places of a row are done at a time where something is kept in between.
constexpr int chunk = 512;

/// Has a line of the cache brought into it, of which the processor does not expect that it is
/// needed.
CELL void fetch([[maybe_unused]] const float* from) {
#ifdef __GNUC__
    __builtin_prefetch(from);
#endif
}

/// The same for so many floats.
CELL void fetch_row(const float* from, int count) {
    constexpr int line = 16;  // floats
    for (int n = 0; n < count; n += line) {
        fetch(from + n);
    }
}

#ifdef REGISTERS

/// So many floats go into a register.
#if defined(__AVX512F__)
constexpr int widest = 16;
#elif defined(__AVX__)
constexpr int widest = 8;
#else
constexpr int widest = 4;
#endif

/// So many floats in a register, as a type.
template <int count>
struct Width {
    static constexpr int floats = count;
};

/// Calls `work` with the width of the widest registers that a row of `count` places fills. Returns
/// whether there are any.
template <class Work>
bool with_registers(int count, const Work& work) {
#ifdef __AVX512F__
    if (count >= 16) {
        work(Width<16>());
        return true;
    }
#endif
#ifdef __AVX__
    if (count >= 8) {
        work(Width<8>());
        return true;
    }
#endif
    if (count >= 4) {
        work(Width<4>());
        return true;
    }
    return false;
}

/// A register of floats, and one of as many integers, which select floats.
template <int width>
struct Register;
template <>
struct Register<4> {
    typedef float Floats __attribute__((vector_size(16)));
    typedef int Bits __attribute__((vector_size(16)));
    static constexpr Bits even = {-1, 0, -1, 0};
    static constexpr Bits counted = {0, 1, 2, 3};
};
#ifdef __AVX__
template <>
struct Register<8> {
    typedef float Floats __attribute__((vector_size(32)));
    typedef int Bits __attribute__((vector_size(32)));
    static constexpr Bits even = {-1, 0, -1, 0, -1, 0, -1, 0};
    static constexpr Bits counted = {0, 1, 2, 3, 4, 5, 6, 7};
};
#endif
#ifdef __AVX512F__
template <>
struct Register<16> {
    typedef float Floats __attribute__((vector_size(64)));
    typedef int Bits __attribute__((vector_size(64)));
    static constexpr Bits even = {-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0};
    static constexpr Bits counted = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
};
#endif

/// The floats one place to the left of those in `here`: the last one before it, then its own.
template <class Floats>
CELL void from_left(Floats& to, const Floats& before, const Floats& here) {
    if constexpr (sizeof(Floats) == 64) {
        to = __builtin_shufflevector(before, here, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                     27, 28, 29, 30);
    } else if constexpr (sizeof(Floats) == 32) {
        to = __builtin_shufflevector(before, here, 7, 8, 9, 10, 11, 12, 13, 14);
    } else {
        to = __builtin_shufflevector(before, here, 3, 4, 5, 6);
    }
}

/// The floats one place to the right: its own but for the first, then the first one after it.
template <class Floats>
CELL void from_right(Floats& to, const Floats& here, const Floats& after) {
    if constexpr (sizeof(Floats) == 64) {
        to = __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                     16);
    } else if constexpr (sizeof(Floats) == 32) {
        to = __builtin_shufflevector(here, after, 1, 2, 3, 4, 5, 6, 7, 8);
    } else {
        to = __builtin_shufflevector(here, after, 1, 2, 3, 4);
    }
}

#endif

/// Any operation, place after place. It works on a copy, which no store can change.
template <class Op>
void row(const Op& given, int j, int k) {
    const Op op = given;
    const int last = op.over.x.last;
    INDEPENDENT
    for (int i = op.over.x.first; i <= last; ++i) {
        op(i, j, k);
    }
}

}  // namespace
}  // namespace box
