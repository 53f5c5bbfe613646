#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "cube.hpp"

// The solver that goes over the walls afterwards, to compare with.
namespace chapter_21_of_23 {
#include "21_3d/solver.hpp"
}  // namespace chapter_21_of_23

namespace {

namespace old = chapter_21_of_23;

FieldView view_of(Field& field) {
    return {field.cells.data(), field.N};
}

bool the_same(const Field& a, const Field& b) {
    return std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(float)) == 0;
}

/// The first cell in which two fields differ, in words: a fluid cell, if one does. (The wall's
/// cells mirror it, and come first in the array.)
std::string what_differs(const Field& found, const Field& expected) {
    const int N = found.N;
    for (const bool fluid : {true, false}) {
        for (int cell = 0; cell < N * N * N; ++cell) {
            const auto at = static_cast<std::size_t>(cell);
            const Place place = {cell % N, cell / N % N, cell / (N * N)};
            if (is_fluid(N, place[0], place[1], place[2]) == fluid &&
                std::memcmp(&found.cells[at], &expected.cells[at], sizeof(float)) != 0) {
                char text[96];
                std::snprintf(text, sizeof text, " of %d^3 holds %.9g, not %.9g", N,
                              double{found.cells[at]}, double{expected.cells[at]});
                return cell_name(place[0], place[1], place[2]) + text +
                       (fluid ? "" : " (it is in a wall; all fluid cells are right)");
            }
        }
    }
    return "no cell differs";
}

/// A field with numbers everywhere, in the walls those of 21_3d.
Field walled(BoundaryType boundary, int N, std::uint32_t seed) {
    old::Field field(N);
    field.cells = bumpy(N, seed).cells;
    old::set_bnd(static_cast<old::BoundaryType>(boundary), field);
    Field copy(N);
    copy.cells = field.cells;
    return copy;
}

old::Field as_old(const Field& field) {
    old::Field copy(field.N);
    copy.cells = field.cells;
    return copy;
}

struct Stream {
    Field u, v, w;
    Stream(int N, std::uint32_t seed)
        : u(walled(BoundaryType::VELOCITY_HORIZONTAL, N, seed)),
          v(walled(BoundaryType::VELOCITY_VERTICAL, N, seed + 1)),
          w(walled(BoundaryType::VELOCITY_DEPTH, N, seed + 2)) {}
    operator Flow() const { return {u, v, w}; }
};

}  // namespace

// ---- A cell and its walls ----------------------------------------------------------------------

TEST_CASE("a cell is written together with its mirror images", "[23_cuda]") {
    for (const int N : {6, 4, 3}) {
        for (const BoundaryType boundary : all_types) {
            const Field expected = walled(boundary, N, 1);
            Field x(N);
            for_fluid(N, [&](int i, int j, int k) {
                set_cell(boundary, view_of(x), i, j, k, expected(i, j, k));
            });
            INFO(name_of(boundary) << ": are faces, edges and corners those of 21_3d?");
            INFO("u is mirrored left and right, v above and below, w in front and behind");
            INFO(what_differs(x, expected));
            REQUIRE(the_same(x, expected));
        }
    }
}

TEST_CASE("no two cells write the same wall cell", "[23_cuda]") {
    for (const int N : {6, 3}) {
        std::vector<int> writers(static_cast<std::size_t>(N * N * N), 0);
        for_fluid(N, [&](int i, int j, int k) {
            Field x = constant(N, 7.0f);
            set_cell(BoundaryType::SCALAR, view_of(x), i, j, k, 1.0f);
            for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
                writers[cell] += x.cells[cell] == 7.0f ? 0 : 1;
            }
        });
        for (int cell = 0; cell < N * N * N; ++cell) {
            INFO(cell_name(cell % N, cell / N % N, cell / (N * N))
                 << " of " << N << "^3 is written by " << writers[static_cast<std::size_t>(cell)]
                 << " fluid cells, and should be by one: two would race for it");
            REQUIRE(writers[static_cast<std::size_t>(cell)] == 1);
        }
    }
}

TEST_CASE("each component is mirrored at its own two walls by the cell beside them", "[23_cuda]") {
    Field x(6);
    set_cell(BoundaryType::VELOCITY_HORIZONTAL, view_of(x), 1, 3, 2, 3.0f);
    INFO("u points into the left wall: mirrored there");
    CHECK(x(0, 3, 2) == -3.0f);
    set_cell(BoundaryType::VELOCITY_HORIZONTAL, view_of(x), 2, 4, 3, 5.0f);
    CHECK(x(2, 5, 3) == 5.0f);
    set_cell(BoundaryType::VELOCITY_VERTICAL, view_of(x), 2, 4, 3, 5.0f);
    INFO("v points into the lower wall");
    CHECK(x(2, 5, 3) == -5.0f);
    set_cell(BoundaryType::VELOCITY_DEPTH, view_of(x), 3, 2, 4, 7.0f);
    INFO("w points into the back wall, number N - 1 = 5: w is mirrored in front and behind");
    CHECK(x(3, 2, 5) == -7.0f);
    set_cell(BoundaryType::VELOCITY_DEPTH, view_of(x), 1, 1, 1, 6.0f);
    INFO("an edge where one wall mirrors and one copies is 0; a corner has a third of the rest");
    CHECK(x(0, 0, 1) == 6.0f);
    CHECK(x(0, 1, 0) == 0.0f);
    CHECK(x(0, 0, 0) == 2.0f);
}

// ---- Beside the loops, bit for bit -------------------------------------------------------------

TEST_CASE("relaxed in the order of the array, the cells do what 21_3d does", "[23_cuda]") {
    for (const int N : {9, 4, 3}) {
        for (const BoundaryType boundary : all_types) {
            const Field x0 = bumpy(N, 5);
            Field x = walled(boundary, N, 6);
            old::Field expected = as_old(x);
            old::lin_solve(static_cast<old::BoundaryType>(boundary), expected, as_old(x0), 0.7f,
                           5.2f, 3);
            const Sweep sweep = {boundary, view_of(x), x0, 0.7f, 1.0f / 5.2f};
            for (int n = 0; n < 3; ++n) {
                for_fluid(N, [&](int i, int j, int k) { relax_cell(sweep, i, j, k); });
            }
            Field found(N);
            found.cells = expected.cells;
            INFO(name_of(boundary) << ": (x0 + a * the six neighbours) * c_recip, with its walls");
            INFO(what_differs(x, found));
            REQUIRE(the_same(x, found));
        }
    }
}

TEST_CASE("the cells of a row that have one colour are numbered from 0", "[23_cuda]") {
    const int N = 9;
    for (const Colour colour : {Colour::RED, Colour::BLACK}) {
        for (int k = 1; k < N - 1; ++k) {
            for (int j = 1; j < N - 1; ++j) {
                int n = 0;
                for (int i = 1; i < N - 1; ++i) {
                    if (colour_of(i, j, k) == colour) {
                        INFO(cell_name(i, j, k)
                             << " is number " << n << " of its colour in its row");
                        REQUIRE(nth_of_colour(colour, n++, j, k) == i);
                    }
                }
            }
        }
    }
}

TEST_CASE("red cells, then black ones, each with its walls, are a sweep", "[23_cuda]") {
    for (const int N : {10, 9, 3}) {
        const Field x0 = bumpy(N, 13);
        Field x = walled(BoundaryType::VELOCITY_VERTICAL, N, 14);
        Field expected = x;
        lin_solve(BoundaryType::VELOCITY_VERTICAL, expected, x0, 0.5f, 4.0f, 2);
        const Sweep sweep = {BoundaryType::VELOCITY_VERTICAL, view_of(x), x0, 0.5f, 0.25f};
        for (const Colour colour : {Colour::RED, Colour::BLACK, Colour::RED, Colour::BLACK}) {
            for (int k = N - 2; k >= 1; --k) {
                for (int j = 1; j < N - 1; ++j) {
                    for (int n = 0; n < N; ++n) {
                        const int i = nth_of_colour(colour, n, j, k);
                        if (is_fluid(N, i, j, k)) {
                            relax_cell(sweep, i, j, k);
                        }
                    }
                }
            }
        }
        INFO("N = " << N << ": no cell reads a wall cell that another one writes");
        INFO(what_differs(x, expected));
        REQUIRE(the_same(x, expected));
    }
}

TEST_CASE("advected cells are those of the loop", "[23_cuda]") {
    for (const int N : {12, 4, 3}) {
        for (const float dt : {0.01f, 0.3f, 100.0f}) {
            for (const BoundaryType boundary : all_types) {
                const Field d0 = walled(boundary, N, 7);
                const Stream flow(N, 8);
                Field expected(N);
                advect(boundary, expected, d0, flow, dt);
                Field d = constant(N, 100.0f);
                for_fluid(N, [&](int i, int j, int k) {
                    advect_cell({boundary, view_of(d), d0}, flow, dt * (N - 2), i, j, k);
                });
                INFO(name_of(boundary) << ", dt = " << dt << ", N = " << N);
                INFO("is each cell looked up in d0, and are its walls written with it?");
                INFO(what_differs(d, expected));
                REQUIRE(the_same(d, expected));
            }
        }
    }
}

TEST_CASE("divergence and gradient, cell by cell, are those of the projection", "[23_cuda]") {
    for (const int N : {10, 3}) {
        Stream expected(N, 9);
        Stream found = expected;
        Field pressure(N);
        Field rhs(N);
        project(expected.u, expected.v, expected.w, pressure, rhs, 3);

        Field own_rhs = bumpy(N, 10);
        Field guess = bumpy(N, 11);
        for_fluid(N, [&](int i, int j, int k) {
            divergence_cell(view_of(own_rhs), view_of(guess), found, i, j, k);
        });
        {
            INFO("the right-hand side is -h h times the divergence, h = 1 / (N - 2)");
            INFO(what_differs(own_rhs, rhs));
            CHECK(the_same(own_rhs, rhs));
        }
        {
            INFO("the pressure starts from 0, in the walls too");
            INFO(what_differs(guess, Field(N)));
            CHECK(the_same(guess, Field(N)));
        }
        const FlowView flow = {view_of(found.u), view_of(found.v), view_of(found.w)};
        for_fluid(N, [&](int i, int j, int k) { subtract_gradient_cell(flow, pressure, i, j, k); });
        for (const auto& [name, one, other] : {std::tuple("u", &found.u, &expected.u),
                                               {"v", &found.v, &expected.v},
                                               {"w", &found.w, &expected.w}}) {
            INFO("u loses what the pressure grows to the right, v down, w away, over 2 h");
            INFO(name << ": " << what_differs(*one, *other));
            CHECK(the_same(*one, *other));
        }
    }
}

TEST_CASE("a cell that is carried touches nothing but itself", "[23_cuda]") {
    const int N = 8;
    const Field d0 = bumpy(N, 30);
    const Stream flow(N, 31);
    Field all(N);
    advect(BoundaryType::SCALAR, all, d0, flow, 0.2f);
    for (const auto& [i, j, k] : std::vector<Place>{{3, 4, 5}, {6, 6, 2}}) {
        Field d = constant(N, 7.0f);
        advect_cell({BoundaryType::SCALAR, view_of(d), d0}, flow, 0.2f * 6, i, j, k);
        INFO(cell_name(i, j, k) << " alone gets what it gets among all");
        CHECK(d(i, j, k) == all(i, j, k));
        for (int c = 1; c < N - 1; ++c) {
            for (int b = 1; b < N - 1; ++b) {
                for (int a = 1; a < N - 1; ++a) {
                    REQUIRE((d(a, b, c) == 7.0f || (a == i && b == j && c == k)));
                }
            }
        }
    }
}
