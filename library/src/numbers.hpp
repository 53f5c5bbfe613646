// Fields in the computer's memory, for what is worked out there: regions, coarser fractions,
// bodies.
#pragma once

#include <vector>

#include "library/src/backend.hpp"
#include "library/src/field.hpp"

namespace box {

/// Numbers in the computer's memory, laid out as a field.
struct Numbers {
    std::vector<float> all;
    Array array;

    Numbers() = default;
    explicit Numbers(const Layout& layout)
        : all(layout.size, 0.0f), array{all.data() + layout.origin, layout.row, layout.layer} {}
    Numbers(Numbers&&) = default;
    Numbers& operator=(Numbers&&) = default;
};

inline std::vector<Array> arrays_of(const std::vector<Numbers>& all) {
    std::vector<Array> arrays;
    arrays.reserve(all.size());
    for (const Numbers& numbers : all) {
        arrays.push_back(numbers.array);
    }
    return arrays;
}

inline float at(const Array& array, const int place[3]) {
    return array(place[0], place[1], place[2]);
}

/// Calls visit(i, j, k) for each place from 0 to n - 1 along each axis, several at once where there
/// are threads. It must not throw.
template <class Visit>
void for_each_place_at_once(Backend& backend, int nx, int ny, int nz, const Visit& visit) {
    const bool deep = nz > 1;
    backend.for_parts(deep ? nz : ny, [&](int begin, int end) {
        for (int k = deep ? begin : 0; k < (deep ? end : nz); ++k) {
            for (int j = deep ? 0 : begin; j < (deep ? ny : end); ++j) {
                for (int i = 0; i < nx; ++i) {
                    visit(i, j, k);
                }
            }
        }
    });
}

/// Likewise, but one after the other.
template <class Visit>
void for_each_place(int nx, int ny, int nz, const Visit& visit) {
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                visit(i, j, k);
            }
        }
    }
}

}  // namespace box
