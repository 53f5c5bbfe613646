// The worked answers of 01_grid's exercises.
#include "catch.hpp"
#include "chapter.hpp"

/// The cell that lies at a place of the array: IX backwards.
inline Cell cell_at_place(int place, int N) {
    return {place % (N + 2), place / (N + 2)};
}

/// Where cell (i, j) lies when the columns are stored one after the other.
inline int place_by_columns(int i, int j, int N) {
    return j + (N + 2) * i;
}

TEST_CASE("stored by columns, the cell below is the next one") {
    CHECK(place_by_columns(7, 5, 16) == place_by_columns(7, 4, 16) + 1);
    CHECK(place_by_columns(8, 4, 16) == place_by_columns(7, 4, 16) + 18);
    CHECK(place_by_columns(17, 17, 16) == 323);
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
