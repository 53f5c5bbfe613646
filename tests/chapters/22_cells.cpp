#include <algorithm>
#include <atomic>
#include <cassert>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "complex_eigenvalues.hpp"
#include "cube.hpp"

// The solver whose sweeps went in the order of the array, to compare with.
namespace chapter_21 {
#include "21_3d/solver.hpp"
}  // namespace chapter_21

namespace {

bool equal_bytes(const Field& a, const Field& b) {
    return std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(float)) == 0;
}

/// With all digits that a float has: two that differ look different.
std::string all_digits(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

/// The first cell in which two fields differ, in words: a fluid cell, if one does.
std::string difference(const Field& found, const Field& expected) {
    std::string in_wall = "no cell differs";
    for (int cell = static_cast<int>(found.cells.size()) - 1; cell >= 0; --cell) {
        const auto at = static_cast<std::size_t>(cell);
        const int N = found.N;
        const Place place = {cell % N, cell / N % N, cell / (N * N)};
        if (std::memcmp(&found.cells[at], &expected.cells[at], sizeof(float)) != 0) {
            in_wall = cell_name(place[0], place[1], place[2]) + " of " + std::to_string(N) +
                      "^3 holds " + all_digits(found.cells[at]) + ", not " +
                      all_digits(expected.cells[at]);
            if (is_fluid(N, place[0], place[1], place[2])) {
                return in_wall;
            }
        }
    }
    return in_wall;
}

Field bumpy_with_walls(BoundaryType boundary, int N, std::uint32_t seed) {
    Field field = bumpy(N, seed);
    set_bnd(boundary, field);
    return field;
}

Fluid stirred(int N, std::uint32_t seed) {
    Fluid fluid(N);
    fluid.u = bumpy_with_walls(BoundaryType::VELOCITY_HORIZONTAL, N, seed);
    fluid.v = bumpy_with_walls(BoundaryType::VELOCITY_VERTICAL, N, seed + 1);
    fluid.w = bumpy_with_walls(BoundaryType::VELOCITY_DEPTH, N, seed + 2);
    fluid.density = bumpy_with_walls(BoundaryType::SCALAR, N, seed + 3);
    fluid.diff = 0.01f;
    fluid.visc = 0.02f;
    return fluid;
}

/// Some sweeps, done by hand: each colour from a copy of what was there before.
Field swept_by_hand(BoundaryType boundary, Field x, const Field& x0, float a, float c,
                    int iterations) {
    const float c_recip = 1.0f / c;
    for (int half = 0; half < 2 * iterations; ++half) {
        const Field old = x;
        for_fluid(x.N, [&](int i, int j, int k) {
            if ((i + j + k) % 2 == half % 2) {
                const float neighbours = old(i, j, k - 1) + old(i, j, k + 1) + old(i, j - 1, k) +
                                         old(i, j + 1, k) + old(i + 1, j, k) + old(i - 1, j, k);
                x(i, j, k) = (x0(i, j, k) + a * neighbours) * c_recip;
            }
        });
        set_bnd(boundary, x);
    }
    return x;
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
        sweep = algebra::product(half, sweep);
    }
    return sweep;
}

/// Leaves one thread behind, whatever a test asks for.
struct Threads {
    explicit Threads(int threads) { thread_pool(threads); }
    ~Threads() { thread_pool(1); }
};

}  // namespace

// ---- Two colours -------------------------------------------------------------------------------

TEST_CASE("all neighbours of a cell have the other colour", "[22_cells]") {
    for_fluid(7, [&](int i, int j, int k) {
        for (const auto& [a, b, c] : std::vector<Place>{
                 {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}) {
            INFO(cell_name(i, j, k) << " and its neighbour " << cell_name(i + a, j + b, k + c)
                                    << " have the same colour: one of them must be black");
            REQUIRE(colour_of(i + a, j + b, k + c) != colour_of(i, j, k));
        }
        INFO(cell_name(i, j, k) << ": is it red where i + j + k is even, else black?");
        REQUIRE((colour_of(i, j, k) == Colour::RED) == ((i + j + k) % 2 == 0));
    });
}

TEST_CASE("a sweep does all red cells first, then all black ones", "[22_cells]") {
    for (const int N : {9, 8, 3}) {
        for (const BoundaryType boundary : all_types) {
            const Field x0 = bumpy(N, 13);
            Field x = bumpy_with_walls(boundary, N, 14);
            const Field expected = swept_by_hand(boundary, x, x0, 0.5f, 4.0f, 3);
            lin_solve(boundary, x, x0, 0.5f, 4.0f, 3);
            INFO(name_of(boundary) << ", three sweeps, N = " << N);
            INFO(
                "red, where i + j + k is even, from the black cells as they were; then black, from "
                "the red cells as they are now; both colours in every layer, 1 to N - 2");
            INFO("and are the walls set after each sweep?");
            INFO(difference(x, expected));
            REQUIRE(equal_bytes(x, expected));
        }
    }
}

TEST_CASE("the order within a colour does not matter", "[22_cells]") {
    const int N = 9;
    const Field x0 = bumpy(N, 15);
    Field forwards = bumpy_with_walls(BoundaryType::VELOCITY_DEPTH, N, 16);
    Field backwards = forwards;
    lin_solve(BoundaryType::VELOCITY_DEPTH, forwards, x0, 1.0f, 7.0f, 2);
    for (const Colour colour : {Colour::RED, Colour::BLACK, Colour::RED, Colour::BLACK}) {
        for (int i = N - 2; i >= 1; --i) {
            for (int k = N - 2; k >= 1; --k) {
                for (int j = N - 2; j >= 1; --j) {
                    if (((i + j + k) % 2 == 0) == (colour == Colour::RED)) {
                        backwards(i, j, k) =
                            (x0(i, j, k) + neighbours_at(backwards, i, j, k)) * (1.0f / 7.0f);
                    }
                }
            }
        }
        set_bnd(BoundaryType::VELOCITY_DEPTH, backwards);
    }
    INFO("no cell of a colour reads another one of it: so they may all be done at once");
    INFO(difference(forwards, backwards));
    CHECK(equal_bytes(forwards, backwards));
}

TEST_CASE("mirrored, four sweeps give the mirrored answer where N is odd", "[22_cells]") {
    // Then a cell and its mirror image have one colour. 21_3d's order has a direction.
    const int N = 9;
    const Field x0 = bumpy(N, 32);
    Field straight = bumpy_with_walls(BoundaryType::SCALAR, N, 33);
    for (int axis = 0; axis < 3; ++axis) {
        const auto mirrored = [&](int i, int j, int k) {
            Place at = {i, j, k};
            at[axis] = N - 1 - at[axis];
            return at;
        };
        Field mirrored_x0(N);
        Field turned(N);
        for (int k = 0; k < N; ++k) {
            for (int j = 0; j < N; ++j) {
                for (int i = 0; i < N; ++i) {
                    const auto [a, b, c] = mirrored(i, j, k);
                    mirrored_x0(i, j, k) = x0(a, b, c);
                    turned(i, j, k) = straight(a, b, c);
                }
            }
        }
        Field swept = straight;
        lin_solve(BoundaryType::SCALAR, swept, x0, 1.0f, 7.0f, 4);
        lin_solve(BoundaryType::SCALAR, turned, mirrored_x0, 1.0f, 7.0f, 4);
        REQUIRE(distance(swept, straight) > 0.1);
        for_fluid(N, [&](int i, int j, int k) {
            const auto [a, b, c] = mirrored(i, j, k);
            INFO(cell_name(i, j, k)
                 << ", axis " << axis << " mirrored: are the first and the last cell done alike?");
            REQUIRE_THAT(turned(i, j, k), WithinAbs(swept(a, b, c), 1e-6));
        });
    }
}

TEST_CASE("red and black shrink the error at the rate of their matrix", "[22_cells]") {
    const int N = 7;
    for (const BoundaryType boundary : all_types) {
        const Eigen::MatrixXd sweep = sweep_matrix(N, 1.0, 7.0, boundary);
        const double radius = algebra::complex_eigenvalues(sweep).cwiseAbs().maxCoeff();
        // With x0 = 0 the solution is 0, and x is its own error.
        Field x = bumpy_with_walls(boundary, N, 19);
        const Eigen::VectorXd expected = sweep * as_vector(x);
        lin_solve(boundary, x, Field(N), 1.0f, 7.0f, 1);
        INFO(name_of(boundary) << ": one sweep does to x what its matrix does, red rows first");
        REQUIRE((as_vector(x) - expected).cwiseAbs().maxCoeff() < 1e-6);
        lin_solve(boundary, x, Field(N), 1.0f, 7.0f, 40);
        const double before = as_vector(x).norm();
        lin_solve(boundary, x, Field(N), 1.0f, 7.0f, 20);
        REQUIRE(before > 0.0);
        INFO(name_of(boundary) << ": a sweep should leave " << radius
                               << " of the error, the matrix's spectral radius");
        CHECK_THAT(std::pow(as_vector(x).norm() / before, 1.0 / 20), WithinAbs(radius, 1e-3));

        // And the sweeps of 21_3d, one cell after the other, are as quick.
        chapter_21::Field old(N);
        old.cells = bumpy_with_walls(boundary, N, 19).cells;
        const auto old_boundary = static_cast<chapter_21::BoundaryType>(boundary);
        const auto norm = [&] {
            Field copy(N);
            copy.cells = old.cells;
            return as_vector(copy).norm();
        };
        chapter_21::lin_solve(old_boundary, old, chapter_21::Field(N), 1.0f, 7.0f, 40);
        const double old_before = norm();
        chapter_21::lin_solve(old_boundary, old, chapter_21::Field(N), 1.0f, 7.0f, 20);
        CHECK_THAT(std::pow(norm() / old_before, 1.0 / 20), WithinAbs(radius, 0.02));
    }
}

TEST_CASE("a few sweeps leave nearly as much divergence as 21_3d's", "[22_cells]") {
    const int N = 18;
    Fluid smooth(N);
    const double step = std::numbers::pi / (N - 2);
    for_fluid(N, [&](int i, int j, int k) {
        smooth.u(i, j, k) =
            static_cast<float>(std::sin(step * (i - 0.5)) * std::cos(step * (j - 0.5)));
    });
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, smooth.u);
    const auto rms = [](const Fluid& fluid) {
        double sum = 0.0;
        for_fluid(fluid.u.N, [&](int i, int j, int k) {
            sum += std::pow(divergence_at({fluid.u, fluid.v, fluid.w}, i, j, k), 2);
        });
        return std::sqrt(sum);
    };
    const auto kept = [&](int sweeps) {
        Fluid fluid = smooth;
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, sweeps);
        return rms(fluid) / rms(smooth);
    };
    INFO("N = 18, u = sin(pi x) cos(pi y): what 4, 20, 100 and 400 sweeps leave of the divergence");
    INFO("there it was 0.9147, 0.6390, 0.1084 and 0.0097");
    CHECK_THAT(kept(4), WithinAbs(0.9180, 1e-4));
    CHECK_THAT(kept(20), WithinAbs(0.6363, 1e-4));
    CHECK_THAT(kept(100), WithinAbs(0.1069, 1e-4));
    CHECK_THAT(kept(400), WithinAbs(0.0097, 1e-4));
}

// ---- Many threads ------------------------------------------------------------------------------

TEST_CASE("the threads share all layers, and do each cell once", "[22_cells]") {
    for (const int N : {3, 4, 9, 20}) {
        for (const int threads : {1, 2, 3, 7}) {
            parallel::ThreadPool pool(threads);
            std::vector<int> done(static_cast<std::size_t>(N * N * N), 0);
            share_layers(pool, N, [&](int i, int j, int k) {
                ++done[static_cast<std::size_t>(i + N * (j + N * k))];
            });
            for (int cell = 0; cell < N * N * N; ++cell) {
                const bool fluid = is_fluid(N, cell % N, cell / N % N, cell / (N * N));
                INFO(cell_name(cell % N, cell / N % N, cell / (N * N))
                     << " of " << N << "^3, " << threads
                     << " thread(s): each fluid cell must be done once, in layers 1 to N - 2, and "
                        "no wall cell");
                REQUIRE(done[static_cast<std::size_t>(cell)] == (fluid ? 1 : 0));
            }
        }
    }
}

TEST_CASE("a colour's cells are done once, and no other cell", "[22_cells]") {
    for (const int N : {3, 4, 9, 20}) {
        for (const int threads : {1, 2, 7}) {
            const Threads afterwards(threads);
            for (const Colour colour : {Colour::RED, Colour::BLACK}) {
                std::vector<int> done(static_cast<std::size_t>(N * N * N), 0);
                for_all_of_colour(colour, N, [&](int i, int j, int k) {
                    ++done[static_cast<std::size_t>(i + N * (j + N * k))];
                });
                for (int cell = 0; cell < N * N * N; ++cell) {
                    const int i = cell % N;
                    const int j = cell / N % N;
                    const int k = cell / (N * N);
                    const bool is_red = (i + j + k) % 2 == 0;
                    const bool is_due = is_fluid(N, i, j, k) && is_red == (colour == Colour::RED);
                    INFO((colour == Colour::RED ? "red" : "black")
                         << " cells of " << N << "^3, " << threads
                         << " thread(s): " << cell_name(i, j, k) << " has been done "
                         << done[static_cast<std::size_t>(cell)] << " time(s)");
                    REQUIRE(done[static_cast<std::size_t>(cell)] == (is_due ? 1 : 0));
                }
            }
        }
    }
}

TEST_CASE("each thread has layers of its own", "[22_cells]") {
    parallel::ThreadPool pool(3);
    REQUIRE(pool.threads() == 3);
    std::mutex door;
    std::map<int, std::set<std::thread::id>> of_layer;
    std::set<std::thread::id> all;
    share_layers(pool, 11, [&](int, int, int k) {
        const std::lock_guard<std::mutex> lock(door);
        of_layer[k].insert(std::this_thread::get_id());
        all.insert(std::this_thread::get_id());
    });
    INFO("nine layers, three threads: each should have some");
    CHECK(all.size() == 3);
    for (const auto& [k, threads] : of_layer) {
        INFO("layer " << k << " should be done by one thread");
        CHECK(threads.size() == 1);
    }
}

TEST_CASE("1, 2 and 7 threads give the same bytes", "[22_cells]") {
    for (const int N : {24, 9, 3}) {
        Fluid one = stirred(N, 22);
        const Fluid start = one;
        step(one, 0.1f);
        step(one, 0.1f);
        REQUIRE(distance(one.u, start.u) > 0.001);
        for (const int threads : {2, 7, 100}) {
            const Threads afterwards(threads);
            Fluid many = start;
            many.threads = threads;
            step(many, 0.1f);
            step(many, 0.1f);
            INFO("N = " << N << ", " << threads << " threads: does one read what another writes?");
            INFO("u: " << difference(many.u, one.u)
                       << "; dye: " << difference(many.density, one.density));
            CHECK(equal_bytes(many.u, one.u));
            CHECK(equal_bytes(many.v, one.v));
            CHECK(equal_bytes(many.w, one.w));
            CHECK(equal_bytes(many.density, one.density));
            CHECK(equal_bytes(many.pressure, one.pressure));
        }
    }
}

TEST_CASE("a sweep by many threads is that of one", "[22_cells]") {
    const int N = 20;
    const Field x0 = bumpy(N, 23);
    const Field start = bumpy_with_walls(BoundaryType::VELOCITY_VERTICAL, N, 24);
    const Field expected = swept_by_hand(BoundaryType::VELOCITY_VERTICAL, start, x0, 1.0f, 7.0f, 4);
    for (const int threads : {2, 3, 7}) {
        const Threads afterwards(threads);
        for (int again = 0; again < 5; ++again) {
            Field many = start;
            lin_solve(BoundaryType::VELOCITY_VERTICAL, many, x0, 1.0f, 7.0f, 4);
            INFO(threads << " threads: all must be done with red before one begins with black");
            INFO(difference(many, expected));
            REQUIRE(equal_bytes(many, expected));
        }
    }
}

TEST_CASE("all threads take part in advect, lin_solve and project", "[22_cells]") {
    // Which thread has done a cell cannot be seen, unless one thread alone rounds upward.
    const int N = 14;
    const Fluid start = stirred(N, 34);
    const auto after = [&](int threads, const auto& work) {
        const Threads afterwards(threads);
        Fluid fluid = start;
        std::fesetround(FE_UPWARD);
        work(fluid);
        std::fesetround(FE_TONEAREST);
        return fluid;
    };
    const auto carry = [&](Fluid& fluid) {
        advect(BoundaryType::SCALAR, fluid.density, start.density, {start.u, start.v, start.w},
               0.1f);
    };
    const auto relax = [&](Fluid& fluid) {
        lin_solve(BoundaryType::SCALAR, fluid.density, start.u, 1.0f, 7.0f, 2);
    };
    const auto balance = [](Fluid& fluid) {
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, 3);
    };
    const auto check = [](const Field& shared, const Field& alone, const Field& before) {
        REQUIRE(distance(shared, before) > 0.001);
        INFO("with three threads some cells are not rounded upward, as all are with one");
        CHECK(distance(shared, alone) > 0.0);
        CHECK(distance(shared, alone) < 1e-4);
    };
    INFO("advect");
    check(after(3, carry).density, after(1, carry).density, start.density);
    INFO("lin_solve");
    check(after(3, relax).density, after(1, relax).density, start.density);
    INFO("project, the divergence");
    const Fluid shared = after(3, balance);
    check(shared.divergence, after(1, balance).divergence, start.divergence);
    INFO("project, what it subtracts from the velocity");
    const Fluid alone = after(1, [&](Fluid& fluid) {
        for_fluid(N, [&](int i, int j, int k) {
            const auto [x, y, z] = gradient_at(shared.pressure, i, j, k);
            fluid.u(i, j, k) -= x;
            fluid.v(i, j, k) -= y;
            fluid.w(i, j, k) -= z;
        });
    });
    check(shared.u, alone.u, start.u);
    check(shared.v, alone.v, start.v);
    check(shared.w, alone.w, start.w);
}

TEST_CASE("the threads stay until another number of them is asked for", "[22_cells]") {
    static thread_local int mark = 0;
    const auto marks = [] {
        std::atomic<int> sum = 0;
        thread_pool().run([&](int) { sum += mark; });
        return sum.load();
    };
    const Threads afterwards(3);
    std::atomic<int> cells = 0;
    for_all_cells(5, [&](int, int, int) { ++cells; });
    INFO("the 27 fluid cells of a cube of 5^3");
    REQUIRE(cells == 27);
    thread_pool().run([](int) { mark = 1; });
    Fluid fluid = stirred(6, 35);
    INFO("unless more are asked for, there is one");
    CHECK(fluid.threads == 1);
    fluid.threads = 3;
    step(fluid, 0.1f);
    step(fluid, 0.1f);
    for (const int threads : {3, 0, -1}) {
        thread_pool(threads);
        INFO("after two steps with three threads, and thread_pool(" << threads << ")");
        CHECK(thread_pool().threads() == 3);
        CHECK(marks() == 3);
    }
    for (const auto& [asked, got] : {std::pair(2, 2), {4, 4}, {1, 1}, {0, 1}, {-3, 1}}) {
        fluid.threads = asked;
        step(fluid, 0.1f);
        INFO("a step of a fluid with " << asked << " threads");
        CHECK(thread_pool().threads() == got);
    }
    mark = 0;
}
