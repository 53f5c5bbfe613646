#include <cmath>
#include <limits>

#include "catch.hpp"
#include "chapter.hpp"

namespace {

Field constant(int N, float value) {
    Field field(N);
    for (float& cell : field.cells) {
        cell = value;
    }
    return field;
}

}  // namespace

TEST_CASE("the four weights around (7.3, 4.8)", "[03_advect]") {
    const Source source = source_at(7.3f, 4.8f, 16);
    INFO("between the columns 7 and 8: 0.7 and 0.3");
    CHECK(source.i0 == 7);
    CHECK_THAT(source.s0, WithinAbs(0.7, 1e-6));
    CHECK_THAT(source.s1, WithinAbs(0.3, 1e-6));
    INFO("between the rows 4 and 5: 0.2 and 0.8; the nearer one counts more");
    CHECK(source.j0 == 4);
    CHECK_THAT(source.t0, WithinAbs(0.2, 1e-6));
    CHECK_THAT(source.t1, WithinAbs(0.8, 1e-6));
}

TEST_CASE("at the centre of a cell only that cell counts", "[03_advect]") {
    const Source source = source_at(7.0f, 4.0f, 16);
    INFO("whole numbers are centres of cells");
    CHECK(source.i0 == 7);
    CHECK(source.j0 == 4);
    CHECK(source.s0 == 1.0f);
    CHECK(source.t0 == 1.0f);
    CHECK(source.s1 == 0.0f);
    CHECK(source.t1 == 0.0f);
}

TEST_CASE("points beyond the walls are pulled in", "[03_advect]") {
    for (const float far : {-3.0f, -1e30f, -std::numeric_limits<float>::infinity()}) {
        const Source source = source_at(far, 5.25f, 8);
        INFO("x = " << far << " is pulled in to 0.5, half way between wall and first cell");
        CHECK(source.i0 == 0);
        CHECK(source.s1 == 0.5f);
        CHECK(source.j0 == 5);
        CHECK(source.t1 == 0.25f);
    }
    for (const float far : {9.5f, 1e30f, std::numeric_limits<float>::infinity()}) {
        const Source source = source_at(2.75f, far, 8);
        INFO("y = " << far << " is pulled in to 8.5, half way between last cell and wall");
        CHECK(source.i0 == 2);
        CHECK(source.s1 == 0.75f);
        CHECK(source.j0 == 8);
        CHECK(source.t1 == 0.5f);
    }
}

TEST_CASE("a point that is not a number stays inside", "[03_advect]") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Source source = source_at(nan, nan, 8);
    CHECK(source.i0 >= 0);
    CHECK(source.i0 <= 8);
    CHECK(source.j0 >= 0);
    CHECK(source.j0 <= 8);
    INFO("and another point is found where it is");
    CHECK(source_at(3.5f, 6.0f, 8).j0 == 6);
}

TEST_CASE("in a uniform flow a blob moves dt N u cells, exactly", "[03_advect]") {
    for (const int N : {16, 12}) {
        Field d0(N);
        d0(3, 9) = 1.0f;
        d0(4, 9) = 0.5f;
        Field d(N);
        const float dt = 0.125f;
        // 3 cells right and 2 up
        call_advect(d, d0, constant(N, 24.0f / static_cast<float>(N)),
                    constant(N, -16.0f / static_cast<float>(N)), dt);
        INFO("N = " << N << ": 3 cells to the right, 2 up (y points down)");
        INFO(
            "is the velocity scaled by N? does each cell look upstream, u along i and v along j? "
            "does "
            "it read d0, not d?");
        CHECK_THAT(d(6, 7), WithinAbs(1.0, 1e-5));
        CHECK_THAT(d(7, 7), WithinAbs(0.5, 1e-5));
        INFO("total dye " << total(d) << ", expected 1.5: does every cell read from the copy?");
        CHECK_THAT(total(d), WithinAbs(1.5, 1e-5));
    }
}

TEST_CASE("half a cell to the right shares the dye between two columns", "[03_advect]") {
    Field d0(8);
    d0(3, 6) = 1.0f;
    Field d(8);
    call_advect(d, d0, constant(8, 1.0f), constant(8, 0.0f), 0.0625f);
    INFO("dye 1 at (3, 6), carried half a cell to the right");
    CHECK_THAT(d(3, 6), WithinAbs(0.5, 1e-6));
    CHECK_THAT(d(4, 6), WithinAbs(0.5, 1e-6));
    CHECK_THAT(total(d), WithinAbs(1.0, 1e-6));
}

TEST_CASE("a quarter of a cell down keeps more above than below", "[03_advect]") {
    Field d0(8);
    d0(3, 6) = 1.0f;
    Field d(8);
    call_advect(d, d0, constant(8, 0.0f), constant(8, 0.5f), 0.0625f);
    INFO("dye 1 at (3, 6), carried a quarter of a cell down: v moves along j");
    CHECK_THAT(d(3, 6), WithinAbs(0.75, 1e-6));
    CHECK_THAT(d(3, 7), WithinAbs(0.25, 1e-6));
}

TEST_CASE("each cell takes what is upstream of it", "[03_advect]") {
    const int N = 9;
    const Field d0 = bumpy(N, 1);
    const Field u = bumpy(N, 2);
    const Field v = bumpy(N, 3);
    Field d(N);
    call_advect(d, d0, u, v, 0.3f);
    for (const auto& [i, j] : {std::pair(2, 7), {5, 3}, {8, 8}, {1, 4}}) {
        const double x = std::clamp(i - 0.3 * N * u(i, j), 0.5, N + 0.5);
        const double y = std::clamp(j - 0.3 * N * v(i, j), 0.5, N + 0.5);
        const int i0 = static_cast<int>(x);
        const int j0 = static_cast<int>(y);
        const double s = x - i0;
        const double t = y - j0;
        const double expected = (1 - s) * ((1 - t) * d0(i0, j0) + t * d0(i0, j0 + 1)) +
                                s * ((1 - t) * d0(i0 + 1, j0) + t * d0(i0 + 1, j0 + 1));
        INFO(cell_name(i, j) << " came from (" << x << ", " << y
                             << "), by the velocity in the cell itself");
        INFO("are all four cells around that point read, each with its own weight?");
        CHECK_THAT(d(i, j), WithinAbs(expected, 1e-5));
    }
}

TEST_CASE("without velocity nothing moves", "[03_advect]") {
    const Field d0 = bumpy(7, 4);
    Field d(7);
    call_advect(d, d0, constant(7, 1.0f), constant(7, 0.0f), 0.5f);
    REQUIRE(distance(d, d0) > 0.1);
    call_advect(d, d0, constant(7, 0.0f), constant(7, 0.0f), 0.5f);
    INFO("velocity 0 leaves every cell as it is, those in the last row and column too");
    CHECK(distance(d, d0) == 0.0);
}

TEST_CASE("advection leaves the walls to others", "[03_advect][open-walls]") {
    Field d0 = constant(6, 1.0f);
    Field d(6);
    call_advect(d, d0, constant(6, 0.0f), constant(6, 0.0f), 0.5f);
    REQUIRE(d(1, 4) == 1.0f);
    for (int k = 0; k <= 7; ++k) {
        INFO("row or column " << k << " of the walls: do the loops go from 1 to N?");
        CHECK(d(0, k) == 0.0f);
        CHECK(d(7, k) == 0.0f);
        CHECK(d(k, 0) == 0.0f);
        CHECK(d(k, 7) == 0.0f);
    }
}

TEST_CASE("what was in the target before does not matter", "[03_advect]") {
    const Field d0 = bumpy(7, 5);
    const Field u = bumpy(7, 6);
    const Field v = bumpy(7, 7);
    Field clean(7);
    Field dirty = constant(7, 100.0f);
    call_advect(clean, d0, u, v, 0.1f);
    call_advect(dirty, d0, u, v, 0.1f);
    REQUIRE(distance(clean, Field(7)) > 0.1);
    INFO("advect reads the copy and overwrites the target");
    CHECK(distance(clean, dirty) == 0.0);
}

TEST_CASE("advection makes no new extremes, however fast the flow", "[03_advect]") {
    const Field d0 = bumpy(8, 8);
    Field u = bumpy(8, 9);
    Field v = bumpy(8, 10);
    for (const float speed : {1.0f, 50.0f, 1e30f}) {
        for (std::size_t k = 0; k < u.cells.size(); ++k) {
            u.cells[k] *= speed;
            v.cells[k] *= speed;
        }
        Field d(8);
        call_advect(d, d0, u, v, 0.1f);
        REQUIRE(distance(d, Field(8)) > 0.0);
        INFO("averages of values from -1 to 1 stay between them: do the four weights add up to 1?");
        CHECK(distance(d, Field(8)) <= 1.0 + 1e-6);
    }
}

TEST_CASE("a step carries the dye along, then fades it", "[03_advect]") {
    Fluid fluid(8);
    only_move_and_fade(fluid);
    fluid.density_fade_rate = 0.5f;
    fluid.velocity_fade_rate = 0.0f;
    fluid.u = constant(8, 2.0f);
    fluid.v = constant(8, 1.0f);
    fluid.density(2, 3) = 1.0f;
    step(fluid, 0.125f);
    INFO("2 cells to the right, 1 down, and 0.5 * 0.125 lost");
    INFO("is the copy taken before advect, does advect read from the copy?");
    CHECK_THAT(fluid.density(4, 4), WithinAbs(0.9375, 1e-6));
    CHECK_THAT(total(fluid.density), WithinAbs(0.9375, 1e-6));
    step(fluid, 0.125f);
    INFO("and again: is the copy taken anew in every step?");
    CHECK_THAT(fluid.density(6, 5), WithinAbs(0.875, 1e-6));
    CHECK_THAT(total(fluid.density), WithinAbs(0.875, 1e-6));
}
