// What the library looks up once of solids: the places of each row that one is near.
#include "library/src/regions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "catch.hpp"

using namespace box;

namespace {

/// A box with all fractions of its faces and cells, which are 1.
struct Fractions {
    Grid grid;
    std::vector<Numbers> all;

    Fractions(int nx, int ny, int nz) : grid{{nx, ny, nz}, Layout(nx, ny, nz, nz > 1), {}} {
        grid.equations.deep = nz > 1;
        for (int which = 0; which < axes() + 1; ++which) {
            all.emplace_back(grid.layout);
            std::fill(all.back().all.begin(), all.back().all.end(), 1.0f);
        }
    }
    int axes() const { return grid.n[2] > 1 ? 3 : 2; }
};

}  // namespace

TEST_CASE("a solid is near the places from one before it to two after it") {
    const std::unique_ptr<Backend> host = make_host(2);
    for (const int nz : {1, 12}) {
        const bool deep = nz > 1;
        for (std::size_t which = 0; which < (deep ? 4 : 3); ++which) {
            Fractions fractions(15, 11, nz);
            fractions.all[which].array(6, 5, deep ? 4 : 0) = 0.9f;
            fractions.all[which].array(9, 5, deep ? 4 : 0) = 0.0f;
            const NearSolids near =
                find_near_solids(*host, fractions.grid, arrays_of(fractions.all));
            REQUIRE(near.of_rows.size() == static_cast<std::size_t>(14 * (deep ? nz + 3 : 1)));
            const Extent over = rows_near(near, {{0, 14}, {0, 6}, {0, nz - 1}});
            CHECK((over.x.first == 0 && over.x.last == 14));
            CHECK((over.y.first == 4 && over.y.last == 6));
            CHECK((over.z.first == (deep ? 3 : 0) && over.z.last == (deep ? 6 : 0)));
            const RowsNearSolids rows = {near.of_rows.data(), 14, deep};
            for (int k = deep ? -1 : 0; k <= (deep ? nz + 1 : 0); ++k) {
                for (int j = -1; j <= 12; ++j) {
                    INFO("fractions " << which << ", row " << j << " of layer " << k);
                    const bool is_near = j >= 4 && j <= 7 && (!deep || (k >= 3 && k <= 6));
                    const Range found = rows.of_row(j, k);
                    CHECK(is_empty(found) != is_near);
                    if (is_near) {
                        CHECK(found.first == 5);
                        CHECK(found.last == 11);
                    }
                }
            }
        }
    }
}

TEST_CASE("a solid at an end of the box is near the ghosts at both ends") {
    const std::unique_ptr<Backend> host = make_host(1);
    const int n[3] = {15, 11, 12};
    for (int axis = 0; axis < 3; ++axis) {
        for (const int end : {0, 1, n[axis] - 1, n[axis]}) {
            Fractions fractions(n[0], n[1], n[2]);
            std::array<int, 3> place = {7, 5, 6};
            place[static_cast<std::size_t>(axis)] = end;
            const int which = end < n[axis] ? 3 : axis;  // the last place is a face across the axis
            const Array& array = fractions.all[static_cast<std::size_t>(which)].array;
            array(place[0], place[1], place[2]) = 0.5f;
            const NearSolids near =
                find_near_solids(*host, fractions.grid, arrays_of(fractions.all));
            const RowsNearSolids rows = {near.of_rows.data(), n[1] + 3, true};
            for (const int ghost : {-1, n[axis], n[axis] + 1}) {
                INFO("axis " << axis << ", a solid at " << end << ", ghost " << ghost);
                place[static_cast<std::size_t>(axis)] = ghost;
                const Range found = rows.of_row(place[1], place[2]);
                CHECK(found.first <= place[0]);
                CHECK(found.last >= place[0]);
                const Extent over = rows_near(near, {{}, {place[1], place[1]}, {ghost, ghost}});
                CHECK((axis != 2 || !is_empty(over.z)));
            }
        }
    }
}

TEST_CASE("fractions that no equation reads are not looked at") {
    // On a coarser grid, nobody sets the ghosts: not those of faces across another axis, either.
    const std::unique_ptr<Backend> host = make_host(1);
    Fractions fractions(8, 6, 5);
    fractions.all.pop_back();
    for (int axis = 0; axis < 3; ++axis) {
        const Array& array = fractions.all[static_cast<std::size_t>(axis)].array;
        const int last[3] = {axis == 0 ? 8 : 7, axis == 1 ? 6 : 5, axis == 2 ? 5 : 4};
        for (int k = -1; k <= 5; ++k) {
            for (int j = -1; j <= 6; ++j) {
                for (int i = -1; i <= 8; ++i) {
                    const bool is_there =
                        i >= 0 && i <= last[0] && j >= 0 && j <= last[1] && k >= 0 && k <= last[2];
                    array(i, j, k) = is_there ? 1.0f : 0.0f;
                }
            }
        }
    }
    const NearSolids near = find_near_solids(*host, fractions.grid, arrays_of(fractions.all));
    CHECK(std::all_of(near.of_rows.begin(), near.of_rows.end(), is_empty));
    CHECK(is_empty(rows_near(near, {{0, 7}, {0, 5}, {0, 4}}).y));
}
