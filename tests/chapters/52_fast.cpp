#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "solver.hpp"

namespace {

struct Size {
    int nx, ny, nz;
};

/// Three different sizes along every axis, flat ones, thin ones, and those of one cell.
const std::vector<Size> many_sizes = {{5, 97, 1}, {97, 5, 1}, {64, 48, 1}, {3, 5, 61}, {9, 31, 4},
                                      {6, 7, 50}, {1, 40, 1}, {40, 1, 1},  {1, 1, 40}, {2, 1, 33},
                                      {7, 1, 20}, {1, 6, 30}, {1, 1, 1},   {2, 2, 2}};

std::string name_of(const Size& size) {
    return std::to_string(size.nx) + " x " + std::to_string(size.ny) + " x " +
           std::to_string(size.nz);
}

Field zeros(const Size& size) {
    return Field(size.nx, size.ny, size.nz, {0.5, 0.5, 0.5});
}

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine.
Field bumpy(const Size& size, std::uint32_t seed) {
    Field field = zeros(size);
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    return field;
}

double distance(const Field& a, const Field& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        found = larger(found, std::abs(a.values[cell] - b.values[cell]));
    }
    return found;
}

/// A of a closed box.
Matrix matrix_of(const Size& size) {
    return pressure_matrix(Fluid(size.nx, size.ny, size.nz));
}

/// A fluid whose pressure was solved for.
Fluid solved(const Size& size, Solver solver, double tolerance, int iterations) {
    Fluid fluid(size.nx, size.ny, size.nz);
    fluid.matrix = pressure_matrix(fluid);
    fluid.rhs = bumpy(size, 17);
    fluid.solver = solver;
    fluid.tolerance = tolerance;
    fluid.iterations = iterations;
    solve_pressure(fluid);
    return fluid;
}

/// A visit of a wavefront.
using Visit = std::pair<int, int>;  // stage and unit

std::vector<Visit> visits_of(int begin, int end, int left, int right, int stages) {
    std::vector<Visit> visits;
    wavefront(begin, end, left, right, stages, [&](int stage, int unit) {
        visits.push_back({stage, unit});
    });
    return visits;
}

}  // namespace

// ---- One row -----------------------------------------------------------------------------------

TEST_CASE("a row sets the cells of one colour to what their equations ask for", "[52_fast]") {
    Field p = zeros({5, 3, 1});
    for (int cell = 0; cell < 15; ++cell) {
        p.values[cell] = cell * cell;
    }
    Field rhs = zeros({5, 3, 1});
    rhs.values = {1.0, 2.0, 3.0, 4.0, 5.0, -6.0, 7.0, -8.0, 9.0, 11.0, 0.5, 1.5, 2.5, 3.5, 4.5};
    const std::vector<double> wall(5, 0.0);
    const Field before = p;
    relax_row(p, rhs, wall.data(), 0, 1, 0);
    INFO("row 1, red: cells 1 and 3, each (rhs + its four neighbours) / 4");
    CHECK_THAT(p(1, 1, 0), WithinAbs((7.0 + 25.0 + 49.0 + 1.0 + 121.0) / 4.0, 1e-13));
    CHECK_THAT(p(3, 1, 0), WithinAbs((9.0 + 49.0 + 81.0 + 9.0 + 169.0) / 4.0, 1e-13));
    for (const int cell : {0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14}) {
        INFO("no other cell changes, " << cell);
        CHECK(p.values[cell] == before.values[cell]);
    }
    p = before;
    relax_row(p, rhs, wall.data(), 1, 1, 0);
    INFO("row 1, black: at its ends there are three neighbours, and so a third");
    CHECK_THAT(p(0, 1, 0), WithinAbs((-6.0 + 36.0 + 0.0 + 100.0) / 3.0, 1e-13));
    CHECK_THAT(p(2, 1, 0), WithinAbs((-8.0 + 36.0 + 64.0 + 4.0 + 144.0) / 4.0, 1e-13));
    CHECK_THAT(p(4, 1, 0), WithinAbs((11.0 + 64.0 + 16.0 + 196.0) / 3.0, 1e-13));
    p = before;
    relax_row(p, rhs, wall.data(), 0, 0, 0);
    INFO("row 0: nothing is above it");
    CHECK_THAT(p(0, 0, 0), WithinAbs((1.0 + 1.0 + 25.0) / 2.0, 1e-13));
    CHECK_THAT(p(2, 0, 0), WithinAbs((3.0 + 1.0 + 9.0 + 49.0) / 3.0, 1e-13));
}

TEST_CASE("rows, one after the other, are a red-black sweep", "[52_fast]") {
    for (const Size& size : many_sizes) {
        const Field rhs = bumpy(size, 3);
        const Field before = bumpy(size, 4);
        Field p = before;
        const std::vector<double> wall(size.nx, 0.0);
        for (const int colour : {0, 1}) {
            for (int k = 0; k < size.nz; ++k) {
                for (int j = 0; j < size.ny; ++j) {
                    relax_row(p, rhs, wall.data(), colour, j, k);
                }
            }
        }
        Field expected = before;
        red_black(matrix_of(size), expected, rhs);
        INFO(name_of(size) << ": not a bit may differ; are the sums in neighbour_sum's order?");
        CHECK((p.values == expected.values));
        CHECK((size.nx * size.ny * size.nz == 1 || distance(p, before) > 0.05));
    }
}

// ---- The wavefront -----------------------------------------------------------------------------

TEST_CASE("a wavefront's stages march one unit behind each other", "[52_fast]") {
    const std::vector<Visit> expected = {{0, 4}, {0, 5}, {1, 4}, {0, 6}, {1, 5}, {2, 4},
                                         {0, 7}, {1, 6}, {2, 5}, {1, 7}, {2, 6}, {2, 7}};
    INFO("units 4 to 7 in three stages: as soon as stage 0 has done 5, stage 1 does 4");
    CHECK(visits_of(4, 8, 0, 0, 3) == expected);
}

TEST_CASE("a wavefront leaves out what another thread has to do", "[52_fast]") {
    const auto units_of = [](const std::vector<Visit>& visits, int stage) {
        std::set<int> units;
        for (const auto& [of, unit] : visits) {
            if (of == stage) {
                units.insert(unit);
            }
        }
        return units;
    };
    const std::vector<Visit> part = visits_of(10, 20, 1, 0, 4);
    const std::vector<Visit> other = visits_of(10, 20, 0, 1, 4);
    const std::vector<Visit> gap = visits_of(10, 10, -1, -1, 4);
    for (int stage = 0; stage < 4; ++stage) {
        std::set<int> late, early, grown;
        for (int unit = 10; unit < 20; ++unit) {
            if (unit >= 10 + stage) {
                late.insert(unit);
            }
            if (unit < 20 - stage) {
                early.insert(unit);
            }
        }
        for (int unit = 10 - stage; unit < 10 + stage; ++unit) {
            grown.insert(unit);
        }
        INFO("stage " << stage << " of a part that begins at 10, left = 1: one unit later a stage");
        CHECK(units_of(part, stage) == late);
        INFO("that ends before 20, right = 1: one unit earlier a stage");
        CHECK(units_of(other, stage) == early);
        INFO("and of a gap at 10, left = right = -1: one unit more at both ends a stage");
        CHECK(units_of(gap, stage) == grown);
    }
    CHECK(gap.size() == 12);
    CHECK(part.size() == 34);
}

TEST_CASE("each stage finds its unit and both neighbours ready, in any number of threads",
          "[52_fast]") {
    for (const int threads : {1, 2, 7}) {
        parallel::ThreadPool pool(threads);
        for (const int units : {1, 2, 3, 8, 16, 33, 57, 200}) {
            for (const int stages : {1, 2, 4, 6}) {
                std::vector<std::atomic<int>> done(units);
                std::atomic<int> outside = 0;
                std::atomic<int> too_early = 0;
                std::atomic<int> too_late = 0;
                parallel_wavefront(pool, units, stages, [&](int stage, int unit) {
                    if (unit < 0 || unit >= units) {
                        ++outside;
                        return;
                    }
                    for (const int beside : {unit - 1, unit, unit + 1}) {
                        if (beside >= 0 && beside < units) {
                            too_early += done[beside] < stage;
                            too_late += done[beside] > stage + (beside == unit ? 0 : 1);
                        }
                    }
                    ++done[unit];
                });
                INFO(units << " units, " << stages << " stages, " << threads << " threads");
                INFO("no unit is before the first or after the last");
                CHECK(outside == 0);
                INFO("a unit comes when the stage before has done it and its two neighbours");
                CHECK(too_early == 0);
                INFO("and when the stage after it has done none of the three");
                CHECK(too_late == 0);
                for (int unit = 0; unit < units; ++unit) {
                    INFO("every stage does each unit once: unit " << unit);
                    CHECK(done[unit] == stages);
                }
            }
        }
    }
}

TEST_CASE("all threads have a part, and each keeps its stages close together", "[52_fast]") {
    const int stages = 6;
    for (const int threads : {2, 5}) {
        parallel::ThreadPool pool(threads);
        std::set<std::thread::id> workers;
        std::vector<int> widths;
        std::mutex door;
        parallel_wavefront(pool, 400, stages, [&](int stage, int unit) {
            thread_local int front = 0;
            const std::lock_guard<std::mutex> lock(door);
            front = stage == 0 ? unit : front;
            workers.insert(std::this_thread::get_id());
            if (stage > 0 && unit > stages && front > unit) {
                widths.push_back(front - unit - stage);
            }
        });
        INFO(threads << " threads for 400 units");
        CHECK(static_cast<int>(workers.size()) == pool.threads());
        INFO("stage s works s units behind stage 0, while what they share is in the cache");
        REQUIRE(!widths.empty());
        CHECK(std::count(widths.begin(), widths.end(), 0) > 1200);
        for (const int missing : {0, 1}) {
            workers.clear();
            parallel_wavefront(pool, 2 * stages * threads - missing, stages, [&](int, int) {
                const std::lock_guard<std::mutex> lock(door);
                workers.insert(std::this_thread::get_id());
            });
            INFO("a part must have two units a stage, and here " << missing << " are missing");
            CHECK(static_cast<int>(workers.size()) == pool.threads() - missing);
        }
    }
}

// ---- Fused sweeps ------------------------------------------------------------------------------

TEST_CASE("fused sweeps are red-black sweeps, to the last bit", "[52_fast]") {
    for (const Size& size : many_sizes) {
        const Matrix A = matrix_of(size);
        const Field rhs = bumpy(size, 5);
        const Field before = bumpy(size, 6);
        Field expected = before;
        for (int sweeps = 1; sweeps <= 5; ++sweeps) {
            red_black(A, expected, rhs);
            for (const int threads : {1, 2, 7}) {
                parallel::ThreadPool pool(threads);
                Field p = before;
                fused_sweeps(p, rhs, sweeps, pool);
                INFO(name_of(size)
                     << ": " << sweeps << " sweeps in one pass, " << threads << " threads");
                CHECK((p.values == expected.values));
            }
        }
        CHECK((size.nx * size.ny * size.nz == 1 || distance(expected, before) > 0.05));
    }
}

TEST_CASE("forty sweeps in one pass are forty sweeps", "[52_fast]") {
    for (const Size& size : {Size{30, 600, 1}, Size{4, 3, 600}}) {
        const Matrix A = matrix_of(size);
        const Field rhs = bumpy(size, 7);
        parallel::ThreadPool pool(1);
        Field p = bumpy(size, 8);
        Field expected = p;
        fused_sweeps(p, rhs, 40, pool);
        for (int sweep = 0; sweep < 40; ++sweep) {
            red_black(A, expected, rhs);
        }
        INFO(name_of(size) << ": forty sweeps in one pass");
        CHECK((p.values == expected.values));
    }
}

TEST_CASE("the pressure by fused sweeps is that of red-black ones", "[52_fast]") {
    for (const Size& size : {Size{12, 9, 1}, Size{7, 5, 6}}) {
        const Fluid plain = solved(size, Solver::RED_BLACK, 0.0, 24);
        for (const int threads : {1, 3}) {
            Fluid fluid(size.nx, size.ny, size.nz);
            fluid.matrix = pressure_matrix(fluid);
            fluid.rhs = bumpy(size, 17);
            fluid.solver = Solver::FUSED;
            fluid.tolerance = 0.0;
            fluid.iterations = 3;
            fluid.threads = threads;
            REQUIRE(fluid.sweeps_at_once == 8);
            REQUIRE(Fluid(2, 3, 4).threads == 1);
            solve_pressure(fluid);
            INFO(name_of(size) << ": three passes of eight sweeps, " << threads << " threads");
            REQUIRE(fluid.residuals.size() == 4);
            for (int pass = 0; pass < 4; ++pass) {
                CHECK(fluid.residuals[pass] == plain.residuals[8 * pass]);
            }
            CHECK((fluid.pressure.values == plain.pressure.values));
        }
    }
}

TEST_CASE("fused sweeps find the direct solver's pressure", "[52_fast]") {
    for (const Size& size : {Size{12, 9, 1}, Size{7, 5, 6}, Size{1, 14, 2}}) {
        const Fluid direct = solved(size, Solver::DIRECT, 0.0, 1);
        const Fluid fused = solved(size, Solver::FUSED, 1e-11, 1000);
        INFO(name_of(size));
        CHECK(fused.residuals.back() <= 1e-11);
        CHECK(distance(fused.pressure, direct.pressure) < 1e-8);
        const Fluid stopped = solved(size, Solver::FUSED, 0.2, 1000);
        INFO("it stops as soon as the residual is small enough");
        REQUIRE(stopped.residuals.size() >= 2);
        CHECK(stopped.residuals.back() <= 0.2);
        CHECK(stopped.residuals[stopped.residuals.size() - 2] > 0.2);
    }
}

TEST_CASE("a fluid whose pressure is found by fused sweeps keeps its volume", "[52_fast]") {
    Fluid fluid(14, 10, 6);
    fluid.solver = Solver::FUSED;
    fluid.iterations = 400;
    fluid.threads = 2;
    add_velocity(fluid, 3, 6, 2, {1.0, -0.5, 0.25});
    add_velocity(fluid, 9, 2, 4, {-0.5, 1.0, 0.75});
    step(fluid, 0.5);
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                largest = larger(largest, std::abs(divergence_at(fluid, i, j, k)));
            }
        }
    }
    CHECK(largest < 1e-9);
}
