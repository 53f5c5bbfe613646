#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "many.hpp"

// No MPI here: each rank is a thread, and what MPI would send lies in memory that they share. That
// PETSc does the same is tested by ranks.py.

namespace {

std::string name_of(const Three& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

void make_bumpy(Field& field, std::uint32_t seed) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

double distance(const Field& a, const Field& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        found = larger(found, std::abs(a.values[cell] - b.values[cell]));
    }
    return found;
}

/// A fluid that flows along every axis, with dye and a force.
Fluid bumpy_fluid(const Three& n) {
    Fluid fluid(n[0], n[1], n[2]);
    fluid.h = 0.5;
    fluid.force_x = 0.2;
    fluid.force_y = -0.3;
    fluid.tolerance = 1e-13;
    make_bumpy(fluid.u, 1);
    make_bumpy(fluid.v, 2);
    make_bumpy(fluid.w, 3);
    make_bumpy(fluid.density, 4);
    set_bnd(fluid);
    return fluid;
}

/// The parts of a box for so many ranks along each axis.
std::vector<Part> parts_of(const Fluid& whole, const Three& shares, int ghosts) {
    const Three n = {whole.nx, whole.ny, whole.nz};
    std::vector<Part> parts;
    for (int z = 0; z < shares[2]; ++z) {
        for (int y = 0; y < shares[1]; ++y) {
            for (int x = 0; x < shares[0]; ++x) {
                const Three rank = {x, y, z};
                Three begin, end;
                for (int axis = 0; axis < 3; ++axis) {
                    begin[axis] = n[axis] * rank[axis] / shares[axis];
                    end[axis] = n[axis] * (rank[axis] + 1) / shares[axis];
                }
                Part part = make_part(n, begin, end, ghosts);
                part.fluid.h = whole.h;
                part.fluid.force_x = whole.force_x;
                part.fluid.force_y = whole.force_y;
                parts.push_back(part);
            }
        }
    }
    return parts;
}

/// Calls visit(place in the box, place in the block) for the cells that a part owns.
template <class Visit>
void for_owned(const Part& part, Visit visit) {
    for (int k = part.begin[2]; k < part.end[2]; ++k) {
        for (int j = part.begin[1]; j < part.end[1]; ++j) {
            for (int i = part.begin[0]; i < part.end[0]; ++i) {
                visit(Three{i, j, k},
                      Three{i - part.first[0], j - part.first[1], k - part.first[2]});
            }
        }
    }
}

double at(const Field& field, const Three& cell) {
    return field(cell[0], cell[1], cell[2]);
}

double& at(Field& field, const Three& cell) {
    return field(cell[0], cell[1], cell[2]);
}

/// What all ranks share in place of a network.
struct Network {
    std::barrier<> all;
    Fluid whole;
    std::vector<Field> slots;  ///< a field of the box for each that is exchanged at once
    std::vector<int> exchanges;  ///< how many fields the first rank exchanged, each time

    Network(const Fluid& fluid, int ranks) : all(ranks), whole(fluid), slots(5, fluid.density) {
        whole.matrix = pressure_matrix(whole);
    }
};

/// The values of the box that lie in a part's block.
std::vector<double> block_of(const Part& part, const Field& whole) {
    const Field& cells = part.fluid.density;
    std::vector<double> values;
    for (int k = 0; k < cells.nz; ++k) {
        for (int j = 0; j < cells.ny; ++j) {
            for (int i = 0; i < cells.nx; ++i) {
                values.push_back(whole(i + part.first[0], j + part.first[1], k + part.first[2]));
            }
        }
    }
    return values;
}

/// One rank, with the two things that a step asks of them.
struct Rank {
    Network& network;
    bool is_first;

    void exchange(Part& part, double, std::initializer_list<Field*> fields) {
        std::size_t slot = 0;
        for (Field* field : fields) {
            for_owned(part, [&](const Three& cell, const Three& place) {
                at(network.slots[slot], cell) = at(*field, place);
            });
            ++slot;
        }
        if (is_first) {
            network.exchanges.push_back(static_cast<int>(slot));
        }
        network.all.arrive_and_wait();
        slot = 0;
        for (Field* field : fields) {
            const std::vector<double> block = block_of(part, network.slots[slot++]);
            const Field& cells = part.fluid.density;
            for (int k = 0; k < cells.nz; ++k) {
                for (int j = 0; j < cells.ny; ++j) {
                    for (int i = 0; i < cells.nx; ++i) {
                        (*field)(i, j, k) = block[cells.IX(i, j, k)];
                    }
                }
            }
        }
        network.all.arrive_and_wait();
    }

    void solve_pressure(Part& part) {
        for_owned(part, [&](const Three& cell, const Three& place) {
            at(network.whole.rhs, cell) = at(part.fluid.rhs, place);
        });
        network.all.arrive_and_wait();
        if (is_first) {
            ::solve_pressure(network.whole);
        }
        network.all.arrive_and_wait();
        const std::vector<double> block = block_of(part, network.whole.pressure);
        part.fluid.pressure.values.assign(block.begin(), block.end());
    }
};

/// The fluid after some steps of all parts.
Fluid stepped(const Fluid& fluid, const Three& shares, int ghosts, double dt, int steps,
              Network& network) {
    std::vector<Part> parts = parts_of(fluid, shares, ghosts);
    std::vector<std::thread> threads;
    for (Part& part : parts) {
        const bool is_first = &part == &parts[0];
        for_owned(part, [&](const Three& cell, const Three& place) {
            for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density}) {
                at(part.fluid.*name, place) = at(fluid.*name, cell);
            }
        });
        threads.emplace_back([&part, &network, is_first, dt, steps] {
            Rank rank = {network, is_first};
            rank.exchange(part, dt, {&part.fluid.density});
            for (int made = 0; made < steps; ++made) {
                step(part, dt, rank);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    Fluid result = fluid;
    for (const Part& part : parts) {
        for_owned(part, [&](const Three& cell, const Three& place) {
            for (Field Fluid::*name :
                 {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density, &Fluid::pressure}) {
                at(result.*name, cell) = at(part.fluid.*name, place);
            }
        });
    }
    return result;
}

}  // namespace

TEST_CASE("the ranks share a box so that the fewest faces are cut", "[53_many]") {
    const struct {
        Three n;
        int ranks;
        Three expected;
    } cases[] = {{{64, 32, 1}, 2, {2, 1, 1}},  {{32, 64, 1}, 2, {1, 2, 1}},
                 {{64, 64, 1}, 4, {2, 2, 1}},  {{30, 20, 1}, 6, {3, 2, 1}},
                 {{16, 20, 24}, 8, {2, 2, 2}}, {{9, 2, 40}, 4, {1, 1, 4}},
                 {{64, 60, 50}, 1, {1, 1, 1}}, {{40, 30, 1}, 3, {3, 1, 1}}};
    for (const auto& [n, ranks, expected] : cases) {
        const Three found = share_box(n, ranks);
        INFO(ranks << " ranks, " << name_of(n) << ": " << name_of(found) << " of them, not "
                   << name_of(expected) << ", which cuts fewer faces");
        CHECK((found == expected));
    }
    for (const auto& [n, ranks] : {std::pair(Three{3, 1, 1}, 4),
                                   {Three{6, 6, 1}, 7},
                                   {Three{2, 2, 2}, 16},
                                   {Three{1, 1, 1}, 2}}) {
        INFO(ranks << " ranks cannot each own a cell along every axis of " << name_of(n));
        CHECK((share_box(n, ranks) == Three{0, 0, 0}));
    }
}

TEST_CASE("a rank hands over the cells that it owns, row after row", "[53_many]") {
    const Fluid whole = bumpy_fluid({7, 5, 4});
    for (Part part : parts_of(whole, {2, 2, 2}, 1)) {
        for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density}) {
            Field& field = part.fluid.*name;
            make_bumpy(field, 77);  // the ghost cells, too
            std::vector<double> expected;
            for_owned(part, [&](const Three& cell, const Three& place) {
                at(field, place) = at(whole.*name, cell);
                expected.push_back(at(whole.*name, cell));
            });
            const std::vector<double> found = owned_values(part, field);
            INFO("cells " << name_of(part.begin) << " to " << name_of(part.end)
                          << ": one number for each owned cell, and none for a ghost");
            REQUIRE(found.size() == expected.size());
            INFO("i runs fastest, then j, then k; part.first is the block's first cell");
            CHECK((found == expected));
        }
    }
}

TEST_CASE("a block is filled with its ghost cells", "[53_many]") {
    const Fluid whole = bumpy_fluid({6, 7, 3});
    for (Part part : parts_of(whole, {2, 3, 1}, 2)) {
        for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density}) {
            Field& field = part.fluid.*name;
            std::fill(field.values.begin(), field.values.end(), 99.0);
            const std::vector<double> block = block_of(part, whole.*name);
            fill_block(part, field, block.data());
            double wrong = 0.0;
            const Field& cells = part.fluid.density;
            for (int k = 0; k < cells.nz; ++k) {
                for (int j = 0; j < cells.ny; ++j) {
                    for (int i = 0; i < cells.nx; ++i) {
                        wrong = larger(wrong, std::abs(field(i, j, k) - block[cells.IX(i, j, k)]));
                    }
                }
            }
            INFO("block from " << name_of(part.first) << ", " << cells.nx << " x " << cells.ny
                               << " x " << cells.nz
                               << ": each cell gets its number, each ghost cell as well");
            CHECK(wrong == 0.0);
            INFO("a last row of faces, beyond the block's cells, is left as it is");
            CHECK(std::count(field.values.begin(), field.values.end(), 99.0) ==
                  static_cast<std::ptrdiff_t>(field.values.size() - block.size()));
        }
    }
}

TEST_CASE("as many ghost cells as the fastest velocity crosses", "[53_many]") {
    Part part = make_part({12, 9, 6}, {4, 3, 2}, {8, 6, 4}, 2);
    part.fluid.h = 0.5;
    INFO("in a fluid at rest one layer is needed, for the divergence");
    CHECK(ghosts_needed(part, 0.1) == 1);
    const struct {
        Field Fluid::*name;
        double velocity;
        double dt;
        int expected;
    } cases[] = {{&Fluid::u, 3.0, 0.1, 1},    {&Fluid::u, 5.5, 0.1, 2},
                 {&Fluid::v, -10.5, 0.1, 3},  {&Fluid::w, 16.0, 0.25, 8},
                 {&Fluid::w, -16.5, 0.25, 9}, {&Fluid::v, 1.0, 1.0, 2}};
    for (const auto& [name, velocity, dt, expected] : cases) {
        Part moving = part;
        (moving.fluid.*name)(3, 4, 2) = velocity;
        INFO("velocity " << velocity << " for " << dt << " s, cells 0.5 wide: it crosses "
                         << std::abs(velocity) * dt / 0.5 << " of them, rounded up");
        CHECK(ghosts_needed(moving, dt) == expected);
    }
    Part beside = part;
    beside.fluid.u(0, 0, 0) = 1000.0;
    INFO("a ghost cell may hold what is old: only the rank's own velocities count");
    CHECK(ghosts_needed(beside, 0.1) == 1);
    for (const double wild : {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(), -1e12}) {
        Part blown_up = part;
        blown_up.fluid.v(3, 3, 3) = wild;
        blown_up.fluid.v(4, 3, 3) = 1.0;
        blown_up.fluid.w(3, 3, 3) = 2.0;
        INFO("a velocity of " << wild << " among others");
        CHECK(ghosts_needed(blown_up, 0.1) == 1000000);
    }
}

TEST_CASE("a row of the matrix is that of the whole box", "[53_many]") {
    for (const auto& [n, shares] : {std::pair(Three{4, 3, 1}, Three{1, 1, 1}),
                                    {Three{6, 4, 1}, Three{3, 2, 1}},
                                    {Three{3, 4, 2}, Three{1, 2, 2}},
                                    {Three{1, 5, 3}, Three{1, 5, 1}},
                                    {Three{2, 1, 1}, Three{2, 1, 1}}}) {
        const Fluid whole = bumpy_fluid(n);
        const Eigen::SparseMatrix<double> expected = assemble_matrix(pressure_matrix(whole));
        int rows = 0;
        for (Part& part : parts_of(whole, shares, 1)) {
            part.fluid.matrix = pressure_matrix(part.fluid);
            for_owned(part, [&](const Three& cell, const Three&) {
                const auto [i, j, k] = cell;
                std::map<int, double> row;
                for (const Entry& entry : matrix_row(part, cell)) {
                    const auto [x, y, z] = entry.cell;
                    INFO(name_of(n) << ": a column of a cell beyond the walls");
                    REQUIRE(is_fluid(whole, x, y, z));
                    row[whole.rhs.IX(x, y, z)] += entry.value;
                }
                INFO(name_of(n) << " on " << name_of(shares) << " ranks, cell " << name_of(cell)
                                << ": the number of neighbours, and -1 for each, on any rank");
                int entries = 0;
                for (int column = 0; column < expected.cols(); ++column) {
                    const double value = expected.coeff(whole.rhs.IX(i, j, k), column);
                    entries += value != 0.0 ? 1 : 0;
                    CHECK(row[column] == value);
                }
                CHECK(entries > 1);
                ++rows;
            });
        }
        CHECK(rows == n[0] * n[1] * n[2]);
    }
}

TEST_CASE("a row of the matrix has the weights that the part's matrix has", "[53_many]") {
    Part part = make_part({5, 6, 3}, {1, 2, 1}, {3, 4, 2}, 1);
    Matrix& A = part.fluid.matrix;
    A = pressure_matrix(part.fluid);
    make_bumpy(A.diagonal, 5);
    make_bumpy(A.x, 6);
    make_bumpy(A.y, 7);
    make_bumpy(A.z, 8);
    A.x(3, 2, 1) = 0.0;  // as if there were a wall right of cell 2, 3, 1
    for_owned(part, [&](const Three& cell, const Three& place) {
        const auto [i, j, k] = place;
        std::map<Three, double> expected = {{cell, A.diagonal(i, j, k)}};
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            expected[{cell[0] + di, cell[1] + dj, cell[2] + dk}] = -A.weight(side, i, j, k);
        }
        std::map<Three, double> found;
        for (const Entry& entry : matrix_row(part, cell)) {
            found[entry.cell] += entry.value;
            INFO("cell " << name_of(cell) << ": nothing stands where the weight is 0");
            CHECK(entry.value != 0.0);
        }
        for (const auto& [beside, value] : expected) {
            INFO("cell " << name_of(cell) << ", column of " << name_of(beside)
                         << ": the diagonal, or minus the weight between the two");
            CHECK(found[beside] == value);
        }
    });
}

TEST_CASE("a step in parts is a step of the whole box", "[53_many]") {
    const struct {
        Three n;
        std::vector<Three> shares;
    } cases[] = {{{12, 10, 1}, {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 1}, {4, 1, 1}}},
                 {{7, 5, 6}, {{1, 1, 1}, {1, 1, 3}, {3, 1, 1}, {2, 2, 1}, {1, 2, 2}}},
                 {{1, 9, 8}, {{1, 2, 1}, {1, 2, 2}}}};
    for (const auto& [n, all_shares] : cases) {
        const Fluid before = bumpy_fluid(n);
        Fluid expected = before;
        for (int made = 0; made < 3; ++made) {
            step(expected, 0.4);
        }
        for (const Three& shares : all_shares) {
            const int count = shares[0] * shares[1] * shares[2];
            Network network(before, count);
            const Fluid found = stepped(before, shares, 1, 0.4, 3, network);
            INFO(name_of(n) << " on " << name_of(shares) << " ranks, three steps, its fields were "
                            << "exchanged " << network.exchanges.size() - 1 << " times");
            for (const auto& [name, words] : {std::pair(&Fluid::pressure, "pressure"),
                                              {&Fluid::u, "u"},
                                              {&Fluid::v, "v"},
                                              {&Fluid::w, "w"},
                                              {&Fluid::density, "density"}}) {
                const double off = distance(found.*name, expected.*name);
                INFO(words << " is off by " << off
                           << ": was each field exchanged after it changed, and before a "
                              "neighbour reads it, and has the block its matrix?");
                CHECK(off < 1e-10);
            }
            INFO(
                "a field that no neighbour reads need not travel: u, v and w twice a step, dye "
                "once");
            int fields = -1;
            for (const int exchanged : network.exchanges) {
                fields += exchanged;
            }
            CHECK(fields <= 3 * 7);
            INFO("and something happens in a step");
            CHECK(distance(found.density, before.density) > 0.1);
        }
    }
}
