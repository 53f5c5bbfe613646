// The worked answers of chapter 01's exercises.
#include "catch.hpp"
#include "chapter.hpp"

/// The cell that lies at a place of the array: IX backwards.
inline Cell cell_at_place(int place, int N) {
    return {place % (N + 2), place / (N + 2)};
}

TEST_CASE("cell_at_place is IX backwards") {
    CHECK(cell_at_place(207, 16).i == 9);
    CHECK(cell_at_place(207, 16).j == 11);
    const Field field(5);
    for (int place = 0; place < 49; ++place) {
        const Cell cell = cell_at_place(place, 5);
        CHECK(field.IX(cell.i, cell.j) == place);
    }
}
