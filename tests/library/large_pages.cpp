// Memory for large fields, which lie side by side in large pages.
#include "library/src/large_pages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

using box::LargePages;

namespace {

/// Some memory, full of a number of its own.
struct Filled {
    float* data;
    std::size_t count;
    float number;

    Filled(LargePages& memory, std::size_t bytes, float with)
        : data(memory.allocate(bytes)), count(bytes / sizeof(float)), number(with) {
        std::fill(data, data + count, number);
    }
    bool is_untouched() const {
        return std::all_of(data, data + count, [&](float value) { return value == number; });
    }
};

constexpr std::size_t mib = 1 << 20;

/// What Linux says of the memory that lies there, or nothing.
std::string flags_of(const void* data) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    std::ifstream maps("/proc/self/smaps");
    bool is_there = false;
    for (std::string text; std::getline(maps, text);) {
        std::istringstream words(text);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = ' ';
        if (words >> std::hex >> begin >> dash >> end && dash == '-') {
            is_there = begin <= address && address < end;
        } else if (is_there && text.rfind("VmFlags:", 0) == 0) {
            return text + " ";
        }
    }
    return "";
}

}  // namespace

TEST_CASE("fields of all sizes have memory of their own, from a line of the cache on") {
    LargePages memory;
    std::vector<Filled> fields;
    float number = 1.0f;
    for (const std::size_t bytes :
         {std::size_t{400}, 9 * mib + 4, mib, 70 * mib, std::size_t{131072}, 20 * mib, 2 * mib,
          30 * mib, 12 * mib, mib + 36}) {
        fields.emplace_back(memory, bytes, number);
        number += 1.0f;
        CHECK(reinterpret_cast<std::uintptr_t>(fields.back().data) % 64 == 0);
    }
    for (const Filled& field : fields) {
        INFO("field " << field.number);
        CHECK(field.is_untouched());
    }
    for (std::size_t n = 0; n < fields.size(); n += 2) {
        memory.release(fields[n].data);
        fields[n] = Filled(memory, 5 * mib, number);
        number += 1.0f;
    }
    for (const Filled& field : fields) {
        INFO("field " << field.number);
        CHECK(field.is_untouched());
    }
    for (const Filled& field : fields) {
        memory.release(field.data);
    }
}

TEST_CASE("what a field gives back is for the next one of its size") {
    if (!LargePages::are_there()) {
        return;
    }
    LargePages memory;
    float* const a = memory.allocate(3 * mib);
    float* const b = memory.allocate(3 * mib);
    float* const c = memory.allocate(4 * mib);
    memory.release(b);
    float* const larger = memory.allocate(3 * mib + 64);
    float* const smaller = memory.allocate(3 * mib - 64);
    CHECK(larger != b);
    CHECK(smaller != b);
    CHECK(memory.allocate(3 * mib) == b);
    for (float* const data : {a, b, c, larger, smaller}) {
        memory.release(data);
    }
}

TEST_CASE("Linux is asked for large pages for each large field") {
    if (!LargePages::are_there()) {
        return;
    }
    LargePages memory;
    float* const before = memory.allocate(40 * mib);
    float* const field = memory.allocate(33 * mib);
    if (flags_of(field).empty()) {
        WARN("nothing is known of this memory");
    } else {
        CHECK(flags_of(before).find(" hg ") != std::string::npos);
        CHECK(flags_of(field).find(" hg ") != std::string::npos);
        CHECK(flags_of(field + 33 * mib / sizeof(float) - 1).find(" hg ") != std::string::npos);
    }
    memory.release(before);
    memory.release(field);
}
