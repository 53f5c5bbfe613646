#include <set>

#include "catch.hpp"
#include "chapter.hpp"

TEST_CASE("a field has N fluid cells and two walls in each direction", "[01_grid]") {
    INFO("(N + 2) * (N + 2) cells are expected: N in each direction, and a wall at either end");
    CHECK(Field(16).cells.size() == 324);
    CHECK(Field(5).cells.size() == 49);
    CHECK(Field(1).cells.size() == 9);
    INFO("IX reaches the last of them: one step down is N + 2 further");
    CHECK(Field(16).IX(17, 17) == 323);
}

TEST_CASE("a new field is empty", "[01_grid]") {
    Field field(5);
    field(2, 3) = 1.0f;
    INFO("a value that is written must be there, and only there");
    REQUIRE(field(2, 3) == 1.0f);
    REQUIRE(field(3, 2) == 0.0f);
    for (const float cell : Field(5).cells) {
        CHECK(cell == 0.0f);
    }
}

TEST_CASE("IX counts along the rows", "[01_grid]") {
    const Field field(16);
    INFO("one step right is one further in the array, one step down is N + 2 further");
    CHECK(field.IX(0, 0) == 0);
    CHECK(field.IX(1, 0) == 1);
    CHECK(field.IX(0, 1) == 18);
    CHECK(field.IX(7, 4) == 79);
    CHECK(field.IX(4, 7) == 130);
    CHECK(field.IX(17, 17) == 323);
}

TEST_CASE("IX gives each cell a place of its own", "[01_grid]") {
    const Field field(5);
    std::set<int> places;
    for (int j = 0; j <= 6; ++j) {
        for (int i = 0; i <= 6; ++i) {
            const int place = field.IX(i, j);
            INFO(cell_name(i, j) << " lies at " << place << " of 49");
            CHECK(place >= 0);
            CHECK(place < 49);
            INFO("another cell lies there already: is a row N + 2 cells long?");
            CHECK(places.insert(place).second);
        }
    }
}

TEST_CASE("the parentheses read and write the cell that IX names", "[01_grid]") {
    Field field(5);
    field(2, 4) = 7.0f;
    CHECK(field.cells[30] == 7.0f);
    const Field& same = field;
    CHECK(same(2, 4) == 7.0f);
    CHECK(same(4, 2) == 0.0f);
}

TEST_CASE("the mouse finds the cell under it", "[01_grid]") {
    INFO(
        "x counts columns, i; y counts rows, j; where cells are 32 pixels wide, "
        "cell 7 begins at pixel 224 and ends before 256");
    const auto check = [](float x, float y, float size, int i, int j) {
        const Cell cell = cell_from_mouse(x, y, size);
        INFO("the mouse at (" << x << ", " << y << "), cells " << size << " pixels wide");
        CHECK(cell.i == i);
        CHECK(cell.j == j);
    };
    check(250.0f, 140.0f, 32.0f, 7, 4);
    check(32.0f, 31.9f, 32.0f, 1, 0);
    check(575.0f, 0.0f, 32.0f, 17, 0);
    check(10.0f, 100.0f, 4.5f, 2, 22);
}

TEST_CASE("left of the grid and above it there are no cells", "[01_grid]") {
    const Cell cell = cell_from_mouse(-1.0f, -33.0f, 32.0f);
    INFO("round down: cutting off the decimals brings -1 pixel into cell 0");
    CHECK(cell.i == -1);
    CHECK(cell.j == -2);
}

TEST_CASE("fluid cells go from 1 to N", "[01_grid]") {
    INFO("fluid cells go from 1 to N, N included");
    CHECK(is_fluid(5, 1, 5));
    CHECK(is_fluid(5, 5, 1));
    CHECK(is_fluid(1, 1, 1));
    for (const auto& [i, j] : {std::pair(0, 3), {6, 3}, {3, 0}, {3, 6}, {-1, 2}, {2, 9}}) {
        INFO(cell_name(i, j) << " of N = 5 is a wall, or outside");
        CHECK_FALSE(is_fluid(5, i, j));
    }
}

TEST_CASE("dye goes where it is put, and nowhere else", "[01_grid]") {
    Fluid fluid(5);
    add_density(fluid, 2, 4, 1.0f);
    add_density(fluid, 5, 1, 0.25f);
    INFO("1 in cell (2, 4), 0.25 in cell (5, 1)");
    CHECK(fluid.density(2, 4) == 1.0f);
    CHECK(fluid.density(5, 1) == 0.25f);
    CHECK(total(fluid.density) == 1.25);
}

TEST_CASE("dye adds up, past 1 as well", "[01_grid]") {
    Fluid fluid(5);
    for (int click = 0; click < 3; ++click) {
        add_density(fluid, 2, 4, 1.0f);
    }
    INFO("three clicks make 3: only the picture stops at 1");
    CHECK(fluid.density(2, 4) == 3.0f);
}

TEST_CASE("walls take no dye", "[01_grid]") {
    Fluid fluid(5);
    add_density(fluid, 3, 3, 1.0f);
    REQUIRE(total(fluid.density) == 1.0);
    const Field before = fluid.density;
    for (const auto& [i, j] : {std::pair(0, 3), {6, 3}, {3, 0}, {3, 6}, {-1, 2}, {2, 900}}) {
        add_density(fluid, i, j, 1.0f);
        INFO("dye was put into " << cell_name(i, j) << ", a wall or outside");
        CHECK(fluid.density.cells == before.cells);
    }
}
