#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cube.hpp"

// The solver that this one puts into cells, to compare with.
namespace chapter_09 {
#include "21_3d/solver.hpp"
}  // namespace chapter_09

namespace {

/// 21_3d's fields have the same bytes in the same order.
template <class One, class Other>
bool same_bytes(const One& a, const Other& b) requires requires {
    a.cells.size() + b.cells.size();
}
{ return std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(float)) == 0; }

template <class One, class Other>
bool same_bytes(const One& a, const Other& b) requires requires {
    a.density.N + b.density.N;
}
{
    return same_bytes(a.density, b.density) && same_bytes(a.u, b.u) && same_bytes(a.v, b.v) &&
           same_bytes(a.w, b.w);
}

/// With all digits that a float has: two that differ look different.
std::string in_words(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

/// The first cell in which two fields differ, in words: a fluid cell, if one does. (The wall's
/// cells mirror it, and come first in the array.)
template <class One, class Other>
std::string first_difference(const One& a, const Other& b) {
    for (const bool fluid : {true, false}) {
        for (int cell = 0; cell < static_cast<int>(a.cells.size()); ++cell) {
            const auto at = static_cast<std::size_t>(cell);
            const int i = cell % a.N;
            const int j = cell / a.N % a.N;
            const int k = cell / (a.N * a.N);
            if (is_fluid(a.N, i, j, k) == fluid &&
                std::memcmp(&a.cells[at], &b.cells[at], sizeof(float)) != 0) {
                return cell_name(i, j, k) + " of " + std::to_string(a.N) + "^3 holds " +
                       in_words(a.cells[at]) + ", not " + in_words(b.cells[at]) +
                       (fluid ? "" : " (it is in a wall; all fluid cells are right)");
            }
        }
    }
    return "no cell differs";
}

chapter_09::Field as_09(const Field& field) {
    chapter_09::Field copy(field.N);
    copy.cells = field.cells;
    return copy;
}

chapter_09::BoundaryType as_09(BoundaryType boundary) {
    return static_cast<chapter_09::BoundaryType>(boundary);
}

/// Gives a field the walls of 21_3d, whatever this chapter makes of them.
void refresh_walls(BoundaryType boundary, Field& x) {
    chapter_09::Field walled = as_09(x);
    set_bnd(as_09(boundary), walled);
    x.cells = walled.cells;
}

Field bumpy_with_walls(BoundaryType boundary, int N, std::uint32_t seed) {
    Field field = bumpy(N, seed);
    refresh_walls(boundary, field);
    return field;
}

struct Velocity {
    Field u, v, w;
    explicit Velocity(int N) : u(N), v(N), w(N) {}
    void refresh_walls() {
        ::refresh_walls(BoundaryType::VELOCITY_HORIZONTAL, u);
        ::refresh_walls(BoundaryType::VELOCITY_VERTICAL, v);
        ::refresh_walls(BoundaryType::VELOCITY_DEPTH, w);
    }
};

Velocity bumpy_velocity(int N, std::uint32_t seed) {
    Velocity velocity(N);
    velocity.u = bumpy(N, seed);
    velocity.v = bumpy(N, seed + 1);
    velocity.w = bumpy(N, seed + 2);
    velocity.refresh_walls();
    return velocity;
}

Fluid bumpy_fluid(int N, std::uint32_t seed) {
    Fluid fluid(N);
    const Velocity velocity = bumpy_velocity(N, seed);
    fluid.u = velocity.u;
    fluid.v = velocity.v;
    fluid.w = velocity.w;
    fluid.density = bumpy(N, seed + 3);
    for (float& cell : fluid.density.cells) {
        cell += 1.0f;
    }
    refresh_walls(BoundaryType::SCALAR, fluid.density);
    fluid.diff = 0.01f;
    fluid.visc = 0.02f;
    return fluid;
}

chapter_09::Fluid as_09(const Fluid& fluid) {
    chapter_09::Fluid old(fluid.u.N);
    old.diff = fluid.diff;
    old.visc = fluid.visc;
    old.iterations = fluid.iterations;
    old.density = as_09(fluid.density);
    old.u = as_09(fluid.u);
    old.v = as_09(fluid.v);
    old.w = as_09(fluid.w);
    return old;
}

/// Projects, and answers the pressure.
Field project(Velocity& velocity, int iterations) {
    Field pressure(velocity.u.N);
    Field divergence(velocity.u.N);
    project(velocity.u, velocity.v, velocity.w, pressure, divergence, iterations);
    return pressure;
}

double rms_divergence(const Velocity& velocity) {
    double sum = 0.0;
    for_fluid(velocity.u.N, [&](int i, int j, int k) {
        sum += std::pow(divergence_at(velocity.u, velocity.v, velocity.w, i, j, k), 2);
    });
    return std::sqrt(sum / std::pow(velocity.u.N - 2, 3));
}

/// u = sin(pi x) cos(pi y), the wave of 21_3d's numbers.
Velocity wave(int N) {
    Velocity velocity(N);
    const double step = std::numbers::pi / (N - 2);
    for_fluid(N, [&](int i, int j, int k) {
        velocity.u(i, j, k) =
            static_cast<float>(std::sin(step * (i - 0.5)) * std::cos(step * (j - 0.5)));
    });
    velocity.refresh_walls();
    return velocity;
}

double share_kept(Velocity velocity, int iterations) {
    const double before = rms_divergence(velocity);
    project(velocity, iterations);
    return rms_divergence(velocity) / before;
}

/// What one red-black sweep does to the error, as a matrix: first the red rows are solved for, then
/// the black ones. What a cell finds in a wall is what it held itself.
Eigen::MatrixXd sweep_matrix(int N, double a, double c, BoundaryType boundary) {
    const Eigen::MatrixXd A = matrix(N, a, c, boundary);
    const auto size = A.rows();
    Eigen::MatrixXd sweep = Eigen::MatrixXd::Identity(size, size);
    for (const int colour : {0, 1}) {
        Eigen::MatrixXd half = Eigen::MatrixXd::Identity(size, size);
        for_fluid(N, [&](int i, int j, int k) {
            if ((i + j + k) % 2 == colour) {
                const int row = row_of(N, i, j, k);
                half.row(row) -= A.row(row) / c;
            }
        });
        sweep = half * sweep;
    }
    return sweep;
}

/// One sweep, done by hand: each colour from a copy of what was there before.
Field swept_by_hand(BoundaryType boundary, Field x, const Field& x0, float a, float c) {
    const float c_recip = 1.0f / c;
    for (const int colour : {0, 1}) {
        const Field old = x;
        for_fluid(x.N, [&](int i, int j, int k) {
            if ((i + j + k) % 2 == colour) {
                const float neighbours = old(i, j, k - 1) + old(i, j, k + 1) + old(i, j - 1, k) +
                                         old(i, j + 1, k) + old(i + 1, j, k) + old(i - 1, j, k);
                x(i, j, k) = (x0(i, j, k) + a * neighbours) * c_recip;
            }
        });
        refresh_walls(boundary, x);
    }
    return x;
}

/// Stops at the first wall cell that is not what 21_3d makes of the fluid.
void check_walls(const Field& x, BoundaryType boundary) {
    Field expected = x;
    refresh_walls(boundary, expected);
    INFO("the walls of " << name_of(boundary) << ", N = " << x.N);
    INFO("u is mirrored left and right, v above and below, w in front and behind; else copied");
    INFO("each edge is the average of its two neighbours, each corner of its three edges");
    INFO("does the cell beside a wall write its wall cells too?");
    INFO(first_difference(x, expected));
    REQUIRE(x.cells == expected.cells);  // -0 is as good as 0
}

}  // namespace

// ---- A cell and its walls ----------------------------------------------------------------------

TEST_CASE("a cell is written together with its mirror images", "[23_cuda]") {
    for (const int N : {6, 4, 3}) {
        for (const BoundaryType boundary : all_types) {
            const Field values = bumpy(N, 1);
            Field x(N);
            for_fluid(
                N, [&](int i, int j, int k) { set_cell(boundary, x, i, j, k, values(i, j, k)); });
            Field expected = values;
            refresh_walls(boundary, expected);
            INFO(name_of(boundary) << ": are faces, edges and corners those of 21_3d?");
            INFO("u is mirrored left and right, v above and below, w in front and behind");
            INFO(first_difference(x, expected));
            REQUIRE(same_bytes(x, expected));
        }
    }
}

TEST_CASE("no two cells write the same wall cell", "[23_cuda]") {
    for (const int N : {6, 3}) {
        const float untouched = 7.0f;
        std::vector<int> writers(static_cast<std::size_t>(N * N * N), 0);
        for_fluid(N, [&](int i, int j, int k) {
            Field x = constant(N, untouched);
            set_cell(BoundaryType::SCALAR, x, i, j, k, 1.0f);
            for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
                writers[cell] += x.cells[cell] == untouched ? 0 : 1;
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

TEST_CASE("each component is mirrored at its own two walls", "[23_cuda]") {
    Field x(6);
    set_cell(BoundaryType::VELOCITY_HORIZONTAL, x, 1, 3, 2, 3.0f);
    INFO("u points into the left wall: mirrored there");
    CHECK(x(0, 3, 2) == -3.0f);
    set_cell(BoundaryType::VELOCITY_HORIZONTAL, x, 2, 4, 3, 5.0f);
    CHECK(x(2, 5, 3) == 5.0f);
    set_cell(BoundaryType::VELOCITY_VERTICAL, x, 2, 4, 3, 5.0f);
    INFO("v points into the lower wall");
    CHECK(x(2, 5, 3) == -5.0f);
    set_cell(BoundaryType::VELOCITY_DEPTH, x, 3, 2, 4, 7.0f);
    INFO("w points into the back wall, number N - 1 = 5: w is mirrored in front and behind");
    CHECK(x(3, 2, 5) == -7.0f);
    set_cell(BoundaryType::VELOCITY_DEPTH, x, 1, 1, 1, 6.0f);
    INFO(
        "an edge where one wall mirrors and one copies is 0; a corner has a third of what is left");
    CHECK(x(0, 0, 1) == 6.0f);
    CHECK(x(0, 1, 0) == 0.0f);
    CHECK(x(0, 0, 0) == 2.0f);
}

TEST_CASE("what is put beside a wall shows in the wall at once", "[23_cuda]") {
    Fluid fluid(6);
    for (const auto& [i, j, k] : std::vector<Place>{{1, 3, 2},
                                                    {4, 2, 3},
                                                    {3, 1, 2},
                                                    {2, 4, 3},
                                                    {2, 3, 1},
                                                    {3, 2, 4},
                                                    {4, 4, 4},
                                                    {2, 2, 2}}) {
        add_density(fluid, i, j, k, 1.0f);
        add_velocity(fluid, i, j, k, 1.0f, 0.5f, 0.25f);
        check_walls(fluid.density, BoundaryType::SCALAR);
        check_walls(fluid.u, BoundaryType::VELOCITY_HORIZONTAL);
        check_walls(fluid.v, BoundaryType::VELOCITY_VERTICAL);
        check_walls(fluid.w, BoundaryType::VELOCITY_DEPTH);
    }
    CHECK(fluid.density(1, 3, 2) == 1.0f);
    CHECK(fluid.u(0, 3, 2) == -1.0f);
    CHECK(fluid.w(3, 2, 5) == -0.25f);
    const Fluid before = fluid;
    add_density(fluid, 0, 3, 2, 1.0f);
    add_velocity(fluid, 3, 2, 5, 1.0f, 1.0f, 1.0f);
    INFO("a cell in a wall is left alone");
    CHECK(same_bytes(fluid, before));
}

// ---- Beside 21_3d, bit for bit ------------------------------------------------------------

TEST_CASE("relaxed in the order of the array, the cells do what 21_3d does", "[23_cuda]") {
    for (const int N : {9, 4, 3}) {
        for (const BoundaryType boundary : all_types) {
            const Field x0 = bumpy(N, 5);
            Field x = bumpy_with_walls(boundary, N, 6);
            chapter_09::Field expected = as_09(x);
            lin_solve(as_09(boundary), expected, as_09(x0), 0.7f, 5.2f, 3);
            for (int sweep = 0; sweep < 3; ++sweep) {
                for_fluid(N, [&](int i, int j, int k) {
                    relax_cell(boundary, x, x0, 0.7f, 1.0f / 5.2f, i, j, k);
                });
            }
            INFO(name_of(boundary) << ": (x0 + a * the six neighbours) * c_recip, with its walls");
            INFO(
                "if only the last digits differ: 21_3d adds front, back, above, below, right, "
                "left, in this order");
            INFO(first_difference(x, expected));
            REQUIRE(same_bytes(x, expected));
        }
    }
}

TEST_CASE("advected cells are those of 21_3d", "[23_cuda]") {
    for (const int N : {12, 4, 3}) {
        for (const float dt : {0.01f, 0.3f, 100.0f}) {
            for (const BoundaryType boundary : all_types) {
                const Field d0 = bumpy_with_walls(boundary, N, 7);
                const Velocity flow = bumpy_velocity(N, 8);
                chapter_09::Field expected(N);
                advect(as_09(boundary), expected, as_09(d0), as_09(flow.u), as_09(flow.v),
                       as_09(flow.w), dt);
                Field d = constant(N, 100.0f);
                advect(boundary, d, d0, flow.u, flow.v, flow.w, dt);
                INFO(name_of(boundary) << ", dt = " << dt << ", N = " << N);
                INFO(
                    "is each cell looked up in d0, upstream of it, u along i, v along j, w along "
                    "k? and are its walls written with it?");
                INFO(first_difference(d, expected));
                REQUIRE(same_bytes(d, expected));
            }
        }
    }
}

TEST_CASE("divergence and gradient are those of 21_3d", "[23_cuda]") {
    for (const int N : {10, 3}) {
        const Velocity before = bumpy_velocity(N, 9);
        chapter_09::Field u = as_09(before.u);
        chapter_09::Field v = as_09(before.v);
        chapter_09::Field w = as_09(before.w);
        chapter_09::Field old_pressure(N);
        chapter_09::Field old_divergence(N);
        project(u, v, w, old_pressure, old_divergence, 3);

        Velocity after = before;
        Field divergence = bumpy(N, 10);
        Field pressure = bumpy(N, 11);
        for_fluid(N, [&](int i, int j, int k) {
            divergence_cell(divergence, pressure, after.u, after.v, after.w, i, j, k);
        });
        {
            INFO("the right-hand side is -h h times the divergence, h = 1 / (N - 2)");
            INFO(first_difference(divergence, old_divergence));
            CHECK(same_bytes(divergence, old_divergence));
        }
        {
            INFO("the pressure starts from 0, in the walls too");
            INFO(first_difference(pressure, Field(N)));
            CHECK(same_bytes(pressure, Field(N)));
        }
        pressure.cells = old_pressure.cells;
        for_fluid(N, [&](int i, int j, int k) {
            subtract_gradient_cell(after.u, after.v, after.w, pressure, i, j, k);
        });
        const auto check_component = [&](const char* name, const Field& found, const auto& old) {
            INFO("u loses what the pressure grows to the right, v down, w away, over 2 h");
            INFO(name << ": " << first_difference(found, old));
            CHECK(same_bytes(found, old));
        };
        check_component("u", after.u, u);
        check_component("v", after.v, v);
        check_component("w", after.w, w);
    }
}

// ---- Two colours -------------------------------------------------------------------------------

TEST_CASE("a sweep does all red cells first, then all black ones", "[23_cuda]") {
    for (const int N : {9, 8, 3}) {
        for (const BoundaryType boundary : all_types) {
            const Field x0 = bumpy(N, 13);
            Field x = bumpy_with_walls(boundary, N, 14);
            Field expected = x;
            for (int sweep = 0; sweep < 3; ++sweep) {
                expected = swept_by_hand(boundary, expected, x0, 0.5f, 4.0f);
            }
            lin_solve(boundary, x, x0, 0.5f, 4.0f, 3);
            INFO(name_of(boundary) << ", three sweeps, N = " << N);
            INFO(
                "red, where i + j + k is even, from the black cells as they were; then black, from "
                "the red cells as they are now");
            INFO("is every layer done, 1 to N - 2, each cell once a sweep, both colours?");
            INFO(first_difference(x, expected));
            REQUIRE(same_bytes(x, expected));
        }
    }
}

TEST_CASE("a layer relaxes the cells of its colour and no others", "[23_cuda]") {
    const int N = 8;
    for (const int colour : {0, 1}) {
        for (int layer = 1; layer < N - 1; ++layer) {
            const Field before = constant(N, 1.0f);
            Field x = before;
            relax_layer(BoundaryType::SCALAR, x, Field(N), 1.0f, 0.5f, colour, layer);
            for_fluid(N, [&](int i, int j, int k) {
                const bool its_turn = k == layer && (i + j + k) % 2 == colour;
                INFO(cell_name(i, j, k) << ", layer " << layer << ", colour " << colour
                                        << ": is (i + j + k) % 2 == colour what decides?");
                INFO("six neighbours of 1 over 2 make 3");
                REQUIRE(x(i, j, k) == (its_turn ? 3.0f : 1.0f));
            });
        }
    }
}

TEST_CASE("the order within a colour does not matter", "[23_cuda]") {
    const int N = 9;
    const Field x0 = bumpy(N, 15);
    Field forwards = bumpy_with_walls(BoundaryType::VELOCITY_DEPTH, N, 16);
    Field backwards = forwards;
    const Field start = forwards;
    lin_solve(BoundaryType::VELOCITY_DEPTH, forwards, x0, 1.0f, 7.0f, 2);
    REQUIRE(distance(forwards, start) > 0.1);
    for (int half = 0; half < 4; ++half) {
        for (int k = N - 2; k >= 1; --k) {
            for (int j = N - 2; j >= 1; --j) {
                for (int i = N - 2; i >= 1; --i) {
                    if ((i + j + k) % 2 == half % 2) {
                        relax_cell(BoundaryType::VELOCITY_DEPTH, backwards, x0, 1.0f, 1.0f / 7.0f,
                                   i, j, k);
                    }
                }
            }
        }
    }
    INFO(
        "no cell of a colour reads another one of it, nor that one's wall: so they may go at once");
    INFO(first_difference(forwards, backwards));
    CHECK(same_bytes(forwards, backwards));
}

TEST_CASE("red and black converge to the direct solution", "[23_cuda]") {
    for (const BoundaryType boundary : all_types) {
        for (const double a : {0.0256, 1.0, 10.0}) {
            const Field x0 = bumpy(9, 17);
            Field x = x0;
            refresh_walls(boundary, x);
            const auto a_float = static_cast<float>(a);
            lin_solve(boundary, x, x0, a_float, 1.0f + 6.0f * a_float, 700);
            const Eigen::SparseMatrix<double> A = matrix(9, a, 1 + 6 * a, boundary);
            INFO(name_of(boundary) << ", a = " << a << ", against Eigen's SimplicialLDLT");
            CHECK(distance(x, solve(A, x0)) < 4e-6);
            CHECK(residual(x, x0, a_float, 1.0f + 6.0f * a_float) < 1e-4f);
        }
    }
    INFO("diffused, it conserves the dye");
    Field x = bumpy(9, 18);
    refresh_walls(BoundaryType::SCALAR, x);
    const Field x0 = x;
    diffuse(BoundaryType::SCALAR, x, x0, 0.05f, 0.1f, 500);
    REQUIRE(distance(x, x0) > 0.1);
    CHECK_THAT(total(x), WithinAbs(total(x0), 1e-4));
}

TEST_CASE("the error shrinks at the rate of the sweep's matrix", "[23_cuda]") {
    const int N = 7;
    const double a = 1.0;
    const double c = 7.0;
    for (const BoundaryType boundary : all_types) {
        const Eigen::MatrixXd sweep = sweep_matrix(N, a, c, boundary);
        const double radius =
            Eigen::EigenSolver<Eigen::MatrixXd>(sweep, false).eigenvalues().cwiseAbs().maxCoeff();
        // With x0 = 0 the solution is 0, and x is its own error.
        Field x = bumpy_with_walls(boundary, N, 19);
        lin_solve(boundary, x, Field(N), 1.0f, 7.0f, 40);
        const double before = as_vector(x).norm();
        lin_solve(boundary, x, Field(N), 1.0f, 7.0f, 20);
        REQUIRE(before > 0.0);
        INFO(name_of(boundary) << ": a sweep should leave " << radius << " of the error");
        CHECK_THAT(std::pow(as_vector(x).norm() / before, 1.0 / 20), WithinAbs(radius, 1e-3));

        // And the sweeps that 21_3d does, one cell after the other, are as quick.
        chapter_09::Field old = as_09(bumpy_with_walls(boundary, N, 19));
        const auto norm = [&] {
            Field copy(N);
            copy.cells = old.cells;
            return as_vector(copy).norm();
        };
        lin_solve(as_09(boundary), old, chapter_09::Field(N), 1.0f, 7.0f, 40);
        const double old_before = norm();
        lin_solve(as_09(boundary), old, chapter_09::Field(N), 1.0f, 7.0f, 20);
        CHECK_THAT(std::pow(norm() / old_before, 1.0 / 20), WithinAbs(radius, 0.02));
    }
}

TEST_CASE("a few sweeps leave nearly as much divergence as 21_3d's", "[23_cuda]") {
    const Velocity smooth = wave(18);  // there it was 0.9147, 0.6390, 0.1084 and 0.0097
    INFO("N = 18, u = sin(pi x) cos(pi y): what 4, 20, 100 and 400 sweeps leave of the divergence");
    CHECK_THAT(share_kept(smooth, 4), WithinAbs(0.9180, 1e-4));
    CHECK_THAT(share_kept(smooth, 20), WithinAbs(0.6363, 1e-4));
    CHECK_THAT(share_kept(smooth, 100), WithinAbs(0.1069, 1e-4));
    CHECK_THAT(share_kept(smooth, 400), WithinAbs(0.0097, 1e-4));
}

TEST_CASE("several sweeps in one pass give the same bytes as one by one", "[23_cuda]") {
    for (const int N : {3, 4, 6, 21, 40}) {
        const BoundaryType boundary =
            N % 2 == 0 ? BoundaryType::VELOCITY_HORIZONTAL : BoundaryType::VELOCITY_DEPTH;
        for (const int iterations : {1, 4, 5}) {
            for (const int threads : {1, 2, 7}) {
                const Field x0 = bumpy(N, 20);
                Field slow = bumpy_with_walls(boundary, N, 21);
                Field fast = slow;
                const Field start = slow;
                lin_solve(boundary, slow, x0, 1.0f, 7.0f, iterations);
                lin_solve_fast(boundary, fast, x0, 1.0f, 7.0f, iterations, threads);
                REQUIRE(distance(slow, start) > 0.0);
                INFO("N = " << N << ", " << iterations << " sweeps, " << threads << " threads");
                INFO("lin_solve's " << first_difference(slow, fast));
                REQUIRE(same_bytes(slow, fast));
            }
        }
    }
}

TEST_CASE("once converged, a step is that of 21_3d", "[23_cuda]") {
    Fluid fluid = bumpy_fluid(9, 12);
    fluid.iterations = 800;
    chapter_09::Fluid old = as_09(fluid);
    const Fluid before = fluid;
    step(fluid, 0.1f);
    step(old, 0.1f);
    REQUIRE(distance(fluid.density, before.density) > 0.1);
    REQUIRE(distance(fluid.w, before.w) > 0.1);
    Field density(9);
    Field w(9);
    density.cells = old.density.cells;
    w.cells = old.w.cells;
    INFO("in whatever order cells are relaxed, they end at the one solution");
    CHECK(distance(fluid.density, density) < 2e-5);
    CHECK(distance(fluid.w, w) < 2e-5);
}

// ---- Threads -----------------------------------------------------------------------------------

TEST_CASE("1, 2 and 7 threads give the same bytes", "[23_cuda]") {
    for (const bool fast : {false, true}) {
        for (const int N : {40, 9, 3}) {
            Fluid one = bumpy_fluid(N, 22);
            one.fast = fast;
            const Fluid start = one;
            step(one, 0.1f);
            step(one, 0.1f);
            REQUIRE(distance(one.u, start.u) > 0.001);
            for (const int threads : {2, 7, 100, 0}) {
                Fluid many = start;
                many.threads = threads;
                step(many, 0.1f);
                step(many, 0.1f);
                INFO("N = " << N << ", " << threads << " threads, fast = " << fast
                            << ": does one read what another writes?");
                INFO(first_difference(many.u, one.u));
                CHECK(same_bytes(many, one));
                CHECK(same_bytes(many.pressure, one.pressure));
            }
        }
    }
}

TEST_CASE("threads share each colour's layers among them", "[23_cuda]") {
    const int N = 20;
    const Field x0 = bumpy(N, 23);
    Field one = bumpy_with_walls(BoundaryType::VELOCITY_VERTICAL, N, 24);
    const Field start = one;
    lin_solve(BoundaryType::VELOCITY_VERTICAL, one, x0, 1.0f, 7.0f, 4);
    REQUIRE(distance(one, start) > 0.1);
    for (const int threads : {2, 3, 7}) {
        for (int again = 0; again < 5; ++again) {
            Field many = start;
            lin_solve(BoundaryType::VELOCITY_VERTICAL, many, x0, 1.0f, 7.0f, 4, threads);
            INFO(threads << " threads: all must be done with red before one begins with black");
            INFO(first_difference(many, one));
            REQUIRE(same_bytes(many, one));
        }
    }
}

// ---- What holds in any order -------------------------------------------------------------------

TEST_CASE("a constant field stays constant everywhere, edges and corners included", "[23_cuda]") {
    Field x0 = constant(7, 0.75f);
    Field x = bumpy(7, 25);
    const Velocity flow = bumpy_velocity(7, 26);
    advect(BoundaryType::SCALAR, x, x0, flow.u, flow.v, flow.w, 2.0f);
    for (const float cell : x.cells) {
        INFO("advected: is every cell written, those in the walls too?");
        REQUIRE_THAT(cell, WithinAbs(0.75, 1e-6));
    }
    x = bumpy_with_walls(BoundaryType::SCALAR, 7, 27);
    diffuse(BoundaryType::SCALAR, x, x0, 0.1f, 1.0f, 300);
    for (const float cell : x.cells) {
        INFO("diffused: are there six neighbours, and is c = 1 + 6 a?");
        REQUIRE_THAT(cell, WithinAbs(0.75, 1e-5));
    }
    Fluid fluid = bumpy_fluid(7, 28);
    fluid.density = x0;
    for (int n = 0; n < 5; ++n) {
        step(fluid, 0.5f);
    }
    for (const float cell : fluid.density.cells) {
        INFO("after five steps");
        REQUIRE_THAT(cell, WithinAbs(0.75, 1e-5));
    }
}

TEST_CASE("in a uniform flow a blob moves dt (N - 2) u cells, exactly", "[23_cuda]") {
    for (const int N : {18, 14}) {
        Field d0(N);
        d0(3, 9, 4) = 1.0f;
        d0(4, 9, 5) = 0.5f;
        Field d = bumpy(N, 29);
        const auto cells = [&](float count) {
            return constant(N, 8.0f * count / static_cast<float>(N - 2));
        };
        advect(BoundaryType::SCALAR, d, d0, cells(3.0f), cells(-2.0f), cells(5.0f), 0.125f);
        INFO("N = " << N << ": 3 cells to the right, 2 up (y points down), 5 away");
        INFO("is the velocity scaled by N - 2? is d0 read, and not d, which is being written?");
        CHECK_THAT(d(6, 7, 9), WithinAbs(1.0, 1e-5));
        CHECK_THAT(d(7, 7, 10), WithinAbs(0.5, 1e-5));
        INFO("total dye " << total(d) << ", expected 1.5");
        CHECK_THAT(total(d), WithinAbs(1.5, 1e-5));
    }
    INFO("a uniform flow carries itself, too: away from the walls it stays what it is");
    Fluid fluid(14);
    fluid.project_velocity = false;
    fluid.u = constant(14, 1.0f);
    fluid.v = constant(14, -0.5f);
    fluid.w = constant(14, 0.25f);
    step(fluid, 0.1f);
    CHECK_THAT(fluid.u(6, 7, 8), WithinAbs(1.0, 1e-5));
    CHECK_THAT(fluid.v(6, 7, 8), WithinAbs(-0.5, 1e-5));
    CHECK_THAT(fluid.w(6, 7, 8), WithinAbs(0.25, 1e-5));
}

TEST_CASE("a cell that is carried touches nothing but itself", "[23_cuda]") {
    const int N = 8;
    const Field d0 = bumpy(N, 30);
    const Velocity flow = bumpy_velocity(N, 31);
    Field all(N);
    advect(BoundaryType::SCALAR, all, d0, flow.u, flow.v, flow.w, 0.2f);
    for (const Place& place : std::vector<Place>{{3, 4, 5}, {6, 6, 2}}) {
        const int i = place[0];
        const int j = place[1];
        const int k = place[2];
        Field d = constant(N, 7.0f);
        advect_cell(BoundaryType::SCALAR, d, d0, flow.u, flow.v, flow.w, 0.2f * 6, i, j, k);
        INFO(cell_name(i, j, k) << " alone gets what it gets among all");
        CHECK(d(i, j, k) == all(i, j, k));
        for_fluid(N, [&](int a, int b, int c) {
            if (a != i || b != j || c != k) {
                REQUIRE(d(a, b, c) == 7.0f);
            }
        });
    }
}

TEST_CASE("mirrored, four sweeps give the mirrored answer where N is odd", "[23_cuda]") {
    // Then a cell and its mirror image have one colour. 21_3d's order has a direction.
    const int N = 9;
    const Field x0 = bumpy(N, 32);
    Field straight = bumpy_with_walls(BoundaryType::SCALAR, N, 33);
    Field mirrored_x0(N);
    Field turned(N);
    for (int k = 0; k < N; ++k) {
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i) {
                mirrored_x0(i, j, k) = x0(i, j, N - 1 - k);
                turned(i, j, k) = straight(i, j, N - 1 - k);
            }
        }
    }
    const Field start = straight;
    lin_solve(BoundaryType::SCALAR, straight, x0, 1.0f, 7.0f, 4);
    lin_solve(BoundaryType::SCALAR, turned, mirrored_x0, 1.0f, 7.0f, 4);
    REQUIRE(distance(straight, start) > 0.1);
    for_fluid(N,
              [&](int i, int j, int k) {
                  INFO(cell_name(i, j, k)
                       << ", front and back exchanged: is the first layer done as the last?");
                  REQUIRE(turned(i, j, k) == straight(i, j, N - 1 - k));
              });
}

TEST_CASE("with the axes exchanged the answer is exchanged", "[23_cuda]") {
    const Fluid start = bumpy_fluid(9, 34);
    Fluid straight = start;
    step(straight, 0.1f);
    step(straight, 0.1f);
    REQUIRE(distance(straight.density, start.density) > 0.1);
    Fluid exchanged = start;  // x becomes y, y becomes z, z becomes x
    for (int k = 0; k < 9; ++k) {
        for (int j = 0; j < 9; ++j) {
            for (int i = 0; i < 9; ++i) {
                exchanged.density(k, i, j) = start.density(i, j, k);
                exchanged.v(k, i, j) = start.u(i, j, k);
                exchanged.w(k, i, j) = start.v(i, j, k);
                exchanged.u(k, i, j) = start.w(i, j, k);
            }
        }
    }
    step(exchanged, 0.1f);
    step(exchanged, 0.1f);
    for_fluid(9, [&](int i, int j, int k) {
        INFO(cell_name(i, j, k) << ": the colours know no axis");
        REQUIRE_THAT(exchanged.density(k, i, j), WithinAbs(straight.density(i, j, k), 1e-5));
        REQUIRE_THAT(exchanged.v(k, i, j), WithinAbs(straight.u(i, j, k), 1e-5));
        REQUIRE_THAT(exchanged.w(k, i, j), WithinAbs(straight.v(i, j, k), 1e-5));
        REQUIRE_THAT(exchanged.u(k, i, j), WithinAbs(straight.w(i, j, k), 1e-5));
    });
}

// ---- The step ----------------------------------------------------------------------------------

TEST_CASE("a step diffuses, projects, carries and projects the velocity, then the dye",
          "[23_cuda]") {
    for (const bool fast : {false, true}) {
        Fluid fluid = bumpy_fluid(8, 35);
        fluid.fast = fast;
        const Fluid start = fluid;
        std::vector<std::string> told;
        fluid.watch = [&](const char* done) { told.emplace_back(done); };
        step(fluid, 0.1f);

        Velocity velocity(8);
        velocity.u = start.u;
        velocity.v = start.v;
        velocity.w = start.w;
        diffuse(BoundaryType::VELOCITY_HORIZONTAL, velocity.u, start.u, 0.02f, 0.1f, 4);
        diffuse(BoundaryType::VELOCITY_VERTICAL, velocity.v, start.v, 0.02f, 0.1f, 4);
        diffuse(BoundaryType::VELOCITY_DEPTH, velocity.w, start.w, 0.02f, 0.1f, 4);
        project(velocity, 4);
        const Velocity old = velocity;
        REQUIRE(distance(old.w, start.w) > 0.1);
        advect(BoundaryType::VELOCITY_HORIZONTAL, velocity.u, old.u, old.u, old.v, old.w, 0.1f);
        advect(BoundaryType::VELOCITY_VERTICAL, velocity.v, old.v, old.u, old.v, old.w, 0.1f);
        advect(BoundaryType::VELOCITY_DEPTH, velocity.w, old.w, old.u, old.v, old.w, 0.1f);
        project(velocity, 4);
        INFO("all three are carried by the velocity as it was, not by one that has just moved");
        CHECK(same_bytes(fluid.u, velocity.u));
        CHECK(same_bytes(fluid.v, velocity.v));
        CHECK(same_bytes(fluid.w, velocity.w));

        Field spread = start.density;
        diffuse(BoundaryType::SCALAR, spread, start.density, 0.01f, 0.1f, 4);
        Field density(8);
        advect(BoundaryType::SCALAR, density, spread, velocity.u, velocity.v, velocity.w, 0.1f);
        REQUIRE(distance(density, start.density) > 0.1);
        CHECK(same_bytes(fluid.density, density));
        CHECK(std::set<std::string>(told.begin(), told.end()) ==
              std::set<std::string>{"advect", "copy", "divergence", "gradient", "relax"});
    }
}

TEST_CASE("every operator leaves the walls in order", "[23_cuda]") {
    const Velocity flow = bumpy_velocity(6, 36);
    for (const BoundaryType boundary : all_types) {
        const Field x0 = bumpy_with_walls(boundary, 6, 37);
        Field x(6);
        advect(boundary, x, x0, flow.u, flow.v, flow.w, 0.1f);
        REQUIRE(largest(x) > 0.1);
        check_walls(x, boundary);
        x = x0;
        diffuse(boundary, x, x0, 0.1f, 0.1f, 3);
        REQUIRE(distance(x, x0) > 0.01);
        check_walls(x, boundary);
    }
    Velocity velocity = flow;
    project(velocity, 4);
    REQUIRE(distance(velocity.w, flow.w) > 0.01);
    check_walls(velocity.u, BoundaryType::VELOCITY_HORIZONTAL);
    check_walls(velocity.v, BoundaryType::VELOCITY_VERTICAL);
    check_walls(velocity.w, BoundaryType::VELOCITY_DEPTH);
}

TEST_CASE("what a saved state does not hold does not matter", "[23_cuda]") {
    Fluid fluid = bumpy_fluid(7, 38);
    const Fluid start = fluid;
    step(fluid, 0.1f);
    REQUIRE(distance(fluid.density, start.density) > 0.01);
    Fluid loaded = start;
    for (Field* scratch : {&loaded.density_prev, &loaded.u_prev, &loaded.v_prev, &loaded.w_prev,
                           &loaded.pressure, &loaded.divergence}) {
        *scratch = constant(7, 7.0f);
    }
    step(loaded, 0.1f);
    INFO("the scratch arrays held 7 everywhere: is each of them written before it is read?");
    INFO(first_difference(loaded.density, fluid.density));
    CHECK(same_bytes(loaded, fluid));
}

TEST_CASE("a velocity that is not a number stays inside", "[23_cuda]") {
    Fluid fluid = bumpy_fluid(6, 39);
    const Fluid start = fluid;
    step(fluid, 0.1f);
    REQUIRE(distance(fluid.density, start.density) > 0.01);
    fluid.u(2, 3, 4) = std::numeric_limits<float>::quiet_NaN();
    fluid.w(3, 3, 3) = std::numeric_limits<float>::infinity();
    step(fluid, 0.1f);
    CHECK(std::isnan(fluid.u(2, 3, 4)));
    CHECK(fluid.density(1, 1, 1) != start.density(1, 1, 1));
}
