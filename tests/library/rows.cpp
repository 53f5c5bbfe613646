// The host's loops, compiled for several kinds of processor: all that run here return the same, to
// the last bit.
#include "library/src/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace box;

namespace {

/// A box with ghosts, full of random numbers.
struct Numbers {
    static constexpr int nx = 45, ny = 11;
    int nz, row = nx + 4, layer;
    std::vector<float> memory;

    Numbers(unsigned seed, bool deep, float size) : nz(deep ? 7 : 1), layer(deep ? row * 15 : 0) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> number(-size, size);
        memory.resize(static_cast<std::size_t>(row * 15 * (deep ? nz + 4 : 1)));
        for (float& value : memory) {
            value = number(random);
        }
    }
    Array array() { return {memory.data() + 1 + row + layer, row, layer}; }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("each processor's loops carry alike") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    REQUIRE(count >= 1);
    for (const bool deep : {false, true}) {
        Numbers u(1, deep, 3.0f);
        Numbers v(2, deep, 3.0f);
        Numbers w(3, deep, 3.0f);
        Numbers from(4, deep, 1.0f);
        for (const float around : {0.0f, 1.0f}) {  // closed, or joined
            const auto length = [&](int n) { return around * static_cast<float>(n); };
            const auto per = [&](int n) { return around / static_cast<float>(n); };
            const Flow flow = {u.array(),
                               v.array(),
                               w.array(),
                               Numbers::nx,
                               Numbers::ny,
                               u.nz,
                               length(Numbers::nx),
                               length(Numbers::ny),
                               length(u.nz),
                               per(Numbers::nx),
                               per(Numbers::ny),
                               per(u.nz),
                               deep};
            for (const int where : {ON_X, ON_Y, ON_Z, AT_CENTRE}) {
                if (where == ON_Z && !deep) {
                    continue;
                }
                std::vector<float> first_carried, first_corrected;
                for (int n = 0; n < count; ++n) {
                    Numbers carried(5, deep, 1.0f);
                    Numbers corrected(6, deep, 1.0f);
                    const Extent over = {{0, Numbers::nx - 1}, {0, Numbers::ny - 1}, {0, u.nz - 1}};
                    const Advect advect = {over, flow, carried.array(), from.array(), 0.7f, where};
                    const Correct correct = {
                        over, flow, corrected.array(), carried.array(), from.array(), 0.7f, where};
                    for (int k = 0; k < u.nz; ++k) {
                        for (int j = 0; j < Numbers::ny; ++j) {
                            tables[n]->advect(advect, j, k);
                        }
                    }
                    for (int k = 0; k < u.nz; ++k) {
                        for (int j = 0; j < Numbers::ny; ++j) {
                            tables[n]->correct(correct, j, k);
                        }
                    }
                    if (n == 0) {
                        first_carried = carried.memory;
                        first_corrected = corrected.memory;
                    }
                    INFO("table " << n << ", kind of place " << where << ", deep " << deep);
                    CHECK(same_bits(carried.memory, first_carried));
                    CHECK(same_bits(corrected.memory, first_corrected));
                }
            }
        }
    }
}

TEST_CASE("the quickest loops are chosen once, from those that run") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    const Rows& chosen = quickest_rows();
    bool found = false;
    for (int n = 0; n < count; ++n) {
        found = found || &chosen == tables[n];
    }
    CHECK(found);
    CHECK(&quickest_rows() == &chosen);
}

TEST_CASE("each processor's loops relax as the operation itself does, place after place") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (const bool deep : {false, true}) {
        for (int nx = 1; nx <= Numbers::nx; ++nx) {
            const Numbers start(nx, deep, 1.0f);
            Numbers b(7, deep, 1.0f);
            for (const int colour : {0, 1}) {
                for (const bool from_one : {false, true}) {  // as for faces between walls
                    Equations e = {};
                    e.x = {{from_one ? 1 : 0, nx - 1}, 1.7f, 2.0f, 0.0f};
                    e.y = {{0, Numbers::ny - 1}, 0.9f, 1.0f, 0.0f};
                    e.z = {{0, start.nz - 1}, 0.3f, 0.0f, 2.0f};
                    e.centre = 0.25f;
                    e.deep = deep;
                    Numbers plain = start;
                    const Relax op = {e, plain.array(), b.array(), 1.3f, colour};
                    for (int k = 0; k < start.nz; ++k) {
                        for (int j = 0; j < Numbers::ny; ++j) {
                            for (int i = e.x.range.first; i <= e.x.range.last; ++i) {
                                op(i, j, k);
                            }
                        }
                    }
                    for (int n = 0; n < count; ++n) {
                        for (const bool alone : {false, true}) {
                            Numbers quick = start;
                            const Relax rows = {e, quick.array(), b.array(), 1.3f, colour};
                            for (int k = 0; k < start.nz; ++k) {
                                for (int j = 0; j < Numbers::ny; ++j) {
                                    tables[n]->relax(rows, j, k, alone);
                                }
                            }
                            INFO("table " << n << ", " << nx << " places, alone " << alone);
                            CHECK(same_bits(quick.memory, plain.memory));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("each processor's loops find the same residual, and add up and compare alike") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (const bool deep : {false, true}) {
        for (int nx = 1; nx <= Numbers::nx; ++nx) {
            Numbers x(nx, deep, 1.0f);
            Numbers b(7, deep, 1.0f);
            Equations e = {};
            e.x = {{nx > 20 ? 1 : 0, nx - 1}, 1.7f, 2.0f, 0.0f};
            e.y = {{0, Numbers::ny - 1}, 0.9f, 1.0f, 0.0f};
            e.z = {{0, x.nz - 1}, 0.3f, 0.0f, 2.0f};
            e.centre = 0.25f;
            e.deep = deep;
            Numbers plain(8, deep, 1.0f);
            const Residual op = {e, x.array(), b.array(), plain.array()};
            std::vector<double> squares, sizes;
            for (int k = 0; k < x.nz; ++k) {
                for (int j = 0; j < Numbers::ny; ++j) {
                    double size = 0.0;
                    double sum = 0.0;
                    for (int i = e.x.range.first; i <= e.x.range.last; ++i) {
                        const double r = static_cast<double>(op(i, j, k));
                        sum += r * r;
                        size = std::max(size, std::abs(r));
                    }
                    squares.push_back(sum);
                    sizes.push_back(size);
                }
            }
            std::vector<double> first_squares;
            for (int n = 0; n < count; ++n) {
                INFO("table " << n << ", " << nx << " places");
                Numbers quick(8, deep, 1.0f);
                const Residual rows = {e, x.array(), b.array(), quick.array()};
                const Value value = {e.over(), quick.array()};
                std::size_t at = 0;
                for (int k = 0; k < x.nz; ++k) {
                    for (int j = 0; j < Numbers::ny; ++j, ++at) {
                        const double sum = tables[n]->squares_of_residual(rows, j, k);
                        CHECK(std::abs(sum - squares[at]) <= 1e-5 * squares[at]);
                        if (n == 0) {
                            first_squares.push_back(sum);
                        }
                        CHECK(sum == first_squares[at]);
                        CHECK(tables[n]->largest(value, j, k) == sizes[at]);
                    }
                }
                CHECK(same_bits(quick.memory, plain.memory));
                if (nx > 2) {
                    quick.array()(nx - 2, 1, 0) = std::numeric_limits<float>::quiet_NaN();
                    CHECK(std::isnan(tables[n]->largest(value, 1, 0)));
                    quick.array()(nx - 2, 1, 0) = -std::numeric_limits<float>::infinity();
                    CHECK(!(tables[n]->largest(value, 1, 0) < 1e38));
                }
            }
        }
    }
}
