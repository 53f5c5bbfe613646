#include "library/src/field.hpp"

namespace box {

Layout::Layout(int nx, int ny, int nz, bool deep) {
    constexpr int line = 16;  // floats, in the processor's cache and in its widest register
    const int lines = (nx + 2 + line - 1) / line;
    // In a flat box the rows begin where a line does. In a deep one that would take a tenth more,
    // and what it waits for is the memory. An odd number of lines keeps rows apart in the cache.
    row = deep || nx < line ? nx + 2 : (lines < 8 ? lines : lines | 1) * line;
    layer = deep ? row * (ny + 2) : 0;
    origin = static_cast<std::size_t>(line + row + layer);
    size = static_cast<std::size_t>(line - 1) + static_cast<std::size_t>(row) *
                                                    static_cast<std::size_t>(ny + 2) *
                                                    static_cast<std::size_t>(deep ? nz + 2 : 1);
}

Field::Field(Backend& where, const Layout& layout)
    : backend(&where), memory(where.allocate(layout.size)), places{memory + layout.origin,
                                                                   layout.row, layout.layer} {}

Field::~Field() {
    if (memory != nullptr) {
        backend->release(memory);
    }
}

}  // namespace box
