// The host's loops, compiled for several kinds of processor: all that run here return the same, to
// the last bit.
#include "library/src/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include "library/src/backend.hpp"
#include "library/src/field.hpp"

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

/// The places of each row that a solid is near, looked for place after place: as in RowsNearSolids.
std::vector<Range> find_near(const std::vector<Array>& fractions, int nz, bool deep) {
    const auto is_near = [&](int i, int j, int k) {
        for (int c = deep ? std::max(k - 2, -1) : 0; c <= (deep ? std::min(k + 1, nz + 1) : 0);
             ++c) {
            for (int b = std::max(j - 2, -1); b <= std::min(j + 1, Numbers::ny + 1); ++b) {
                for (int a = std::max(i - 2, -1); a <= std::min(i + 1, Numbers::nx + 1); ++a) {
                    for (const Array& array : fractions) {
                        if (array(a, b, c) < 1.0f) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    };
    std::vector<Range> found;
    for (int k = deep ? -1 : 0; k <= (deep ? nz + 1 : 0); ++k) {
        for (int j = -1; j <= Numbers::ny + 1; ++j) {
            Range near;
            for (int i = -1; i <= Numbers::nx + 1; ++i) {
                if (is_near(i, j, k)) {
                    near = {is_empty(near) ? i : near.first, i};
                }
            }
            found.push_back(near);
        }
    }
    return found;
}

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
                    const Advect advect = {over,          flow, 0.7f, where, 1, {carried.array()},
                                           {from.array()}};
                    const Correct correct = {
                        over,          flow, 0.7f, where, 1, {corrected.array()}, {carried.array()},
                        {from.array()}};
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

namespace {

/// A flow of so many cells a step along x, plus waves, in just the memory that the library has.
/// `drawn_out` are waves of u alone, and shorter: neighbours along a row come from places that are
/// further apart, or closer together, than they are.
struct Stream {
    static constexpr int nx = 150, ny = 9;  // more than a piece, and no whole number of registers
    int nz;
    Layout layout;
    std::vector<std::vector<float>> memory;

    Stream(bool deep, float speed, float waves, float drawn_out)
        : nz(deep ? 5 : 1), layout(nx, ny, nz, deep), memory(4, std::vector<float>(layout.size)) {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> number(-1.0f, 1.0f);
        for (std::size_t n = 0; n < layout.size; ++n) {
            const float wave = waves * std::sin(0.07f * static_cast<float>(n % 1000));
            memory[0][n] = speed + wave + drawn_out * std::sin(0.2f * static_cast<float>(n % 1000));
            memory[1][n] = 0.4f * speed - wave;
            memory[2][n] = 0.3f * speed + 0.5f * wave;
            memory[3][n] = number(random);
        }
    }
    static Array array_in(std::vector<float>& values, const Layout& layout) {
        return {values.data() + layout.origin, layout.row, layout.layer};
    }
    Flow flow(bool deep, bool joined) {
        const auto around = [&](int n) { return joined ? static_cast<float>(n) : 0.0f; };
        const auto per = [&](int n) { return joined ? 1.0f / static_cast<float>(n) : 0.0f; };
        return {array_in(memory[0], layout),
                array_in(memory[1], layout),
                array_in(memory[2], layout),
                nx,
                ny,
                nz,
                around(nx),
                around(ny),
                around(nz),
                per(nx),
                per(ny),
                per(nz),
                deep};
    }
};

template <int where, bool deep, class Op>
void carry_one_by_one(const Op& op) {
    for (int k = op.over.z.first; k <= op.over.z.last; ++k) {
        for (int j = op.over.y.first; j <= op.over.y.last; ++j) {
            for (int i = op.over.x.first; i <= op.over.x.last; ++i) {
                op.template cell<where, 1, deep>(i, j, k);
            }
        }
    }
}

template <int where, bool deep>
void check_stream(Stream& stream, bool joined, Range columns) {
    const Flow flow = stream.flow(deep, joined);
    const Array from = Stream::array_in(stream.memory[3], stream.layout);
    const Extent over = {columns, {0, Stream::ny - 1}, {0, stream.nz - 1}};
    std::vector<float> carried(stream.layout.size);
    std::vector<float> shared(stream.layout.size);
    std::vector<float> corrected(stream.layout.size);
    Advect advect = {over,  flow, 1.0f, where, 1, {Stream::array_in(carried, stream.layout)},
                     {from}};
    carry_one_by_one<where, deep>(advect);
    Advect advect_shared = advect;  // along any velocity at the centres
    advect_shared.halfway = {flow.v, flow.u, deep ? flow.w : Array()};
    advect_shared.x[0] = Stream::array_in(shared, stream.layout);
    carry_one_by_one<where, deep>(advect_shared);
    Correct correct = {over,          flow,  1.0f,
                       where,         1,     {Stream::array_in(corrected, stream.layout)},
                       {advect.x[0]}, {from}};
    carry_one_by_one<where, deep>(correct);
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (int n = 0; n < count; ++n) {
        std::vector<float> quickly_carried(stream.layout.size);
        std::vector<float> quickly_corrected(stream.layout.size);
        std::vector<float> quickly_shared(stream.layout.size);
        advect_shared.x[0] = Stream::array_in(quickly_shared, stream.layout);
        advect.x[0] = Stream::array_in(quickly_carried, stream.layout);
        correct.x[0] = Stream::array_in(quickly_corrected, stream.layout);
        for (int k = 0; k < stream.nz; ++k) {
            for (int j = 0; j < Stream::ny; ++j) {
                tables[n]->advect(advect, j, k);
                tables[n]->correct(correct, j, k);
                tables[n]->advect(advect_shared, j, k);
            }
        }
        INFO("table " << n << ", kind of place " << where << ", deep " << deep << ", joined "
                      << joined << ", columns " << columns.first << " to " << columns.last);
        CHECK(same_bits(quickly_carried, carried));
        CHECK(same_bits(quickly_shared, shared));
        CHECK(same_bits(quickly_corrected, corrected));
    }
}

/// The same, for the velocity half the way back from the centres.
template <bool deep>
void check_halfway(Stream& stream, bool joined, Range columns) {
    const Extent over = {columns, {0, Stream::ny - 1}, {0, stream.nz - 1}};
    std::vector<std::vector<float>> plain(3, std::vector<float>(stream.layout.size));
    const auto writing_to = [&](std::vector<std::vector<float>>& found) {
        return Halfway{over,
                       stream.flow(deep, joined),
                       0.9f,
                       Stream::array_in(found[0], stream.layout),
                       Stream::array_in(found[1], stream.layout),
                       Stream::array_in(found[2], stream.layout)};
    };
    const Halfway op = writing_to(plain);
    for (int k = 0; k < stream.nz; ++k) {
        for (int j = 0; j < Stream::ny; ++j) {
            for (int i = columns.first; i <= columns.last; ++i) {
                op(i, j, k);
            }
        }
    }
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (int n = 0; n < count; ++n) {
        std::vector<std::vector<float>> quick(3, std::vector<float>(stream.layout.size));
        const Halfway rows = writing_to(quick);
        for (int k = 0; k < stream.nz; ++k) {
            for (int j = 0; j < Stream::ny; ++j) {
                tables[n]->halfway(rows, j, k);
            }
        }
        INFO("table " << n << ", deep " << deep << ", joined " << joined);
        for (std::size_t component = 0; component < 3; ++component) {
            INFO("component " << component);
            CHECK(same_bits(quick[component], plain[component]));
        }
    }
}

template <bool deep>
void check_streams(float speed, float waves, float drawn_out) {
    Stream stream(deep, speed, waves, drawn_out);
    INFO("speed " << speed << ", waves " << waves << ", drawn out " << drawn_out);
    for (const bool joined : {false, true}) {
        for (const Range columns :
             {Range{0, Stream::nx - 1}, Range{1, Stream::nx - 1}, Range{5, 11}, Range{3, 20}}) {
            check_stream<ON_X, deep>(stream, joined, columns);
            check_stream<ON_Y, deep>(stream, joined, columns);
            check_stream<AT_CENTRE, deep>(stream, joined, columns);
            check_halfway<deep>(stream, joined, columns);
            if constexpr (deep) {
                check_stream<ON_Z, deep>(stream, joined, columns);
            }
        }
    }
}

}  // namespace

TEST_CASE("each processor's loops carry a smooth flow as the operation does, place by place") {
    for (const float speed : {-40.0f, -2.6f, -0.5f, 0.0f, 0.3f, 1.0f, 3.2f, 40.0f}) {
        for (const float waves : {0.0f, 0.3f, 2.0f}) {
            check_streams<false>(speed, waves, 0.0f);
            check_streams<true>(speed, waves, 0.0f);
        }
    }
    for (const float drawn_out : {2.0f, 3.0f, 4.0f, 6.0f}) {
        check_streams<false>(1.3f, 0.1f, drawn_out);
        check_streams<true>(1.3f, 0.1f, drawn_out);
    }
}

TEST_CASE("each processor's loops do central differences as the operation does, place by place") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (const bool deep : {false, true}) {
        Numbers u(1, deep, 3.0f);
        Numbers v(2, deep, 3.0f);
        Numbers w(3, deep, 3.0f);
        Numbers from(4, deep, 1.0f);
        for (const int nx : {1, 2, 3, 4, 5, 8, Numbers::nx}) {
            for (const float around : {0.0f, 1.0f}) {  // closed, or joined
                Flow flow = {u.array(), v.array(), w.array(), nx,   Numbers::ny, u.nz, 0.0f,
                             0.0f,      0.0f,      0.0f,      0.0f, 0.0f,        deep};
                flow.around_x = around * static_cast<float>(nx);
                for (const int where : {ON_X, ON_Y, ON_Z}) {
                    if (where == ON_Z && !deep) {
                        continue;
                    }
                    const Extent over = {{0, nx - 1}, {0, Numbers::ny - 1}, {0, u.nz - 1}};
                    Numbers plain(5, deep, 1.0f);
                    Central op = {over,         flow, plain.array(), from.array(),
                                  from.array(), 0.7f, where};
                    for (int k = 0; k < u.nz; ++k) {
                        for (int j = 0; j < Numbers::ny; ++j) {
                            for (int i = 0; i < nx; ++i) {
                                op(i, j, k);
                            }
                        }
                    }
                    for (int n = 0; n < count; ++n) {
                        Numbers quick(5, deep, 1.0f);
                        op.x = quick.array();
                        for (int k = 0; k < u.nz; ++k) {
                            for (int j = 0; j < Numbers::ny; ++j) {
                                tables[n]->central(op, j, k);
                            }
                        }
                        INFO("table " << n << ", " << nx << " places, kind of place " << where
                                      << ", deep " << deep);
                        CHECK(same_bits(quick.memory, plain.memory));
                    }
                }
            }
        }
    }
}

TEST_CASE("each processor's loops carry scalars together as one after the other") {
    const Rows* tables[most_tables];
    const int tables_here = rows_that_run(tables);
    for (const bool deep : {false, true}) {
        Numbers u(1, deep, 3.0f);
        Numbers v(2, deep, 3.0f);
        Numbers w(3, deep, 3.0f);
        Flow flow = {u.array(), v.array(), w.array(), Numbers::nx, Numbers::ny, u.nz, 0.0f,
                     0.0f,      0.0f,      0.0f,      0.0f,        0.0f,        deep};
        flow.around_y = static_cast<float>(Numbers::ny);
        flow.per_y = 1.0f / flow.around_y;
        const Extent over = {{0, Numbers::nx - 1}, {0, Numbers::ny - 1}, {0, u.nz - 1}};
        const auto all_rows = [&](auto row, const auto& op) {
            for (int k = 0; k < u.nz; ++k) {
                for (int j = 0; j < Numbers::ny; ++j) {
                    row(op, j, k);
                }
            }
        };
        std::vector<Numbers> from, carried, corrected;
        for (unsigned n = 0; n < static_cast<unsigned>(Advect::most); ++n) {
            from.emplace_back(10 + n, deep, 1.0f);
            carried.emplace_back(20 + n, deep, 1.0f);
            corrected.emplace_back(30 + n, deep, 1.0f);
        }
        std::vector<Numbers> carried_alone = carried;
        std::vector<Numbers> corrected_alone = corrected;
        for (std::size_t n = 0; n < from.size(); ++n) {
            const Array first = carried_alone[n].array();
            all_rows(rows_base.advect,
                     Advect{over, flow, 0.7f, AT_CENTRE, 1, {first}, {from[n].array()}});
            const Array second = corrected_alone[n].array();
            all_rows(rows_base.correct,
                     Correct{over, flow, 0.7f, AT_CENTRE, 1, {second}, {first}, {from[n].array()}});
        }
        for (int table = 0; table < tables_here; ++table) {
            for (int count = 1; count <= Advect::most; ++count) {
                std::vector<Numbers> advected = carried;
                std::vector<Numbers> sharpened = corrected;
                Advect advect = {over, flow, 0.7f, AT_CENTRE, count, {}, {}};
                Correct correct = {over, flow, 0.7f, AT_CENTRE, count, {}, {}, {}};
                for (int n = 0; n < count; ++n) {
                    const auto at = static_cast<std::size_t>(n);
                    advect.x[n] = advected[at].array();
                    advect.x0[n] = from[at].array();
                    if (n < Correct::most) {
                        correct.x[n] = sharpened[at].array();
                        correct.x1[n] = advected[at].array();
                        correct.x0[n] = from[at].array();
                    }
                }
                all_rows(tables[table]->advect, advect);
                if (count <= Correct::most) {
                    all_rows(tables[table]->correct, correct);
                }
                for (int n = 0; n < Advect::most; ++n) {
                    INFO("table " << table << ", scalar " << n << " of " << count << ", deep "
                                  << deep);
                    const auto at = static_cast<std::size_t>(n);
                    const bool tried = n < count;
                    const bool done = tried && count <= Correct::most;
                    CHECK(same_bits(advected[at].memory,
                                    tried ? carried_alone[at].memory : carried[at].memory));
                    CHECK(same_bits(sharpened[at].memory,
                                    done ? corrected_alone[at].memory : corrected[at].memory));
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

TEST_CASE("what two starts leave is added up together as it is one after the other") {
    for (const bool deep : {false, true}) {
        const int n[3] = {deep ? 27 : 201, deep ? 41 : 170, deep ? 23 : 1};
        const Layout layout(n[0] + 1, n[1] + 1, deep ? n[2] + 1 : 1, deep);
        const std::unique_ptr<Backend> plain = make_host(1);
        std::mt19937 random(deep ? 3 : 2);
        std::uniform_real_distribution<float> number(-1.0f, 1.0f);
        std::vector<float> memory[5];
        Array arrays[5];
        for (int field = 0; field < 5; ++field) {
            memory[field].resize(layout.size);
            for (float& value : memory[field]) {
                value = number(random);
            }
            arrays[field] = {memory[field].data() + layout.origin, layout.row, layout.layer};
        }
        Equations e = {};
        e.x = {{0, n[0] - 1}, 1.7f, 2.0f, 0.0f};
        e.y = {{1, n[1] - 1}, 0.9f, 1.0f, 0.0f};
        e.z = {{0, n[2] - 1}, 0.3f, 0.0f, 2.0f};
        e.deep = deep;
        const Cut cut = {e, arrays[3], arrays[4], arrays[2], {}};
        const auto check = [&](const auto& x, const auto& y) {
            const Left expected = plain->Backend::left_by(x, y);
            double both = 0.0;
            for (int k = 0; k < n[2]; ++k) {
                for (int j = 1; j < n[1]; ++j) {
                    for (int i = 0; i < n[0]; ++i) {
                        both += static_cast<double>(x(i, j, k)) * static_cast<double>(y(i, j, k));
                    }
                }
            }
            CHECK(std::abs(expected.of_both - both) <= 1e-4 * expected.of_x);
            CHECK(expected.of_x != expected.of_y);
            for (const int threads : {1, 2, 3}) {
                INFO("deep " << deep << ", " << threads << " threads");
                const Left found = make_host(threads)->left_by(x, y);
                CHECK(found.of_x == expected.of_x);
                CHECK(found.of_y == expected.of_y);
                CHECK(found.of_both == expected.of_both);
            }
        };
        std::vector<float> room[2] = {memory[0], memory[0]};
        const Array r = {room[0].data() + layout.origin, layout.row, layout.layer};
        const Array s = {room[1].data() + layout.origin, layout.row, layout.layer};
        check(Residual{e, arrays[0], arrays[2], r}, Residual{e, arrays[1], arrays[2], s});
        check(CutResidual{e.over(), cut, arrays[0], arrays[2], r},
              CutResidual{e.over(), cut, arrays[1], arrays[2], s});
    }
}

TEST_CASE("each processor's loops go from box to box as the operations do, place after place") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    const auto each_row = [](const Extent& over, const auto& row) {
        for (int k = over.z.first; k <= over.z.last; ++k) {
            for (int j = over.y.first; j <= over.y.last; ++j) {
                row(j, k);
            }
        }
    };
    const auto each_place = [&](const Extent& over, const auto& op) {
        each_row(over, [&](int j, int k) {
            for (int i = over.x.first; i <= over.x.last; ++i) {
                op(i, j, k);
            }
        });
    };
    for (const bool deep : {false, true}) {
        for (int nx = 1; nx <= Numbers::nx; ++nx) {
            // An odd number of fine places, two on each coarse one, leaves the last coarse place
            // with one.
            for (const bool two_on_each : {false, true}) {
                const auto ratio = [&](int n) {
                    const float coarse = static_cast<float>((n + 1) / 2);
                    return n == 1 ? 1.0f : two_on_each ? 2.0f : static_cast<float>(n) / coarse;
                };
                const auto coarse = [](int n) { return Range{0, (n + 1) / 2 - 1}; };
                const int ny = Numbers::ny;
                Numbers r(nx, deep, 1.0f);
                const int nz = r.nz;
                const Extent over = {{0, nx - 1}, {0, ny - 1}, {0, nz - 1}};
                const Extent over_coarse = {coarse(nx), coarse(ny), coarse(nz)};
                Numbers b(9, deep, 1.0f);
                Numbers x(10, deep, 1.0f);
                each_place(over_coarse, Restrict{over_coarse, r.array(), b.array(), nx, ny, nz,
                                                 ratio(nx), ratio(ny), ratio(nz)});
                each_place(over, Prolong{over, r.array(), x.array(), ratio(nx), ratio(ny),
                                         ratio(nz), deep});
                for (int n = 0; n < count; ++n) {
                    INFO("table " << n << ", " << nx << " places, deep " << deep << ", two on each "
                                  << two_on_each);
                    Numbers quick_b(9, deep, 1.0f);
                    Numbers quick_x(10, deep, 1.0f);
                    const Restrict restrict_to = {over_coarse, r.array(), quick_b.array(),
                                                  nx,          ny,        nz,
                                                  ratio(nx),   ratio(ny), ratio(nz)};
                    const Prolong prolong = {
                        over, r.array(), quick_x.array(), ratio(nx), ratio(ny), ratio(nz), deep};
                    each_row(over_coarse,
                             [&](int j, int k) { tables[n]->restrict_to(restrict_to, j, k); });
                    each_row(over, [&](int j, int k) { tables[n]->prolong(prolong, j, k); });
                    CHECK(same_bits(quick_b.memory, b.memory));
                    CHECK(same_bits(quick_x.memory, x.memory));
                }
            }
        }
    }
}

TEST_CASE("each processor's loops treat solids as the operations do, place after place") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    // Fractions: a third of them closed, a third whole.
    const auto fractions = [](unsigned seed, bool deep) {
        Numbers numbers(seed, deep, 1.0f);
        for (float& value : numbers.memory) {
            value = value < -0.33f ? 0.0f : value > 0.33f ? 1.0f : 0.34f + value;
        }
        return numbers;
    };
    for (const bool deep : {false, true}) {
        for (const int nx : {1, 2, 3, 7, 16, 17, 33, 45}) {
            const Numbers start(9, deep, 1.0f);
            Numbers x(1, deep, 1.0f);
            Numbers b(2, deep, 1.0f);
            Numbers s(3, deep, 1.0f);
            Numbers v(4, deep, 1.0f);
            Numbers w(5, deep, 1.0f);
            Numbers f[3] = {fractions(6, deep), fractions(7, deep), fractions(8, deep)};
            Numbers alive = fractions(10, deep);
            Numbers share(11, deep, 1.0f);
            const Extent over = {{0, nx - 1}, {0, Numbers::ny - 1}, {0, start.nz - 1}};
            Equations e = {};
            e.x = {over.x, 1.7f, 2.0f, 0.0f};
            e.y = {over.y, 0.9f, 1.0f, 0.0f};
            e.z = {over.z, 0.3f, 0.0f, 2.0f};
            e.deep = deep;
            const auto compare = [&](const char* what, const auto& make, const auto& row,
                                     bool has_work = true) {
                Numbers plain = start;
                const auto op = make(plain.array());
                for (int k = over.z.first; k <= over.z.last; ++k) {
                    for (int j = over.y.first; j <= over.y.last; ++j) {
                        for (int i = over.x.first; i <= over.x.last; ++i) {
                            op(i, j, k);
                        }
                    }
                }
                for (int n = 0; n < count; ++n) {
                    Numbers quick = start;
                    const auto rows = make(quick.array());
                    for (int k = over.z.first; k <= over.z.last; ++k) {
                        for (int j = over.y.first; j <= over.y.last; ++j) {
                            row(*tables[n], rows, j, k);
                        }
                    }
                    INFO(what << ", table " << n << ", " << nx << " places, deep " << deep);
                    CHECK(same_bits(quick.memory, plain.memory));
                    CHECK((nx < 16 || same_bits(quick.memory, start.memory) != has_work));
                }
            };
            // Solids are everywhere (-1), nowhere (100), or at one place of one row. The host is
            // told which places they are near, unless they are everywhere.
            const int rows_of_layer = Numbers::ny + 3;
            for (const int at : {-1, 100, 9, 20}) {
                const bool everywhere = at < 0;
                const bool is_there = !everywhere && at < nx;
                std::vector<Numbers> whole(5, start);
                for (std::size_t which = 0; which < whole.size(); ++which) {
                    std::fill(whole[which].memory.begin(), whole[which].memory.end(), 1.0f);
                    if (is_there) {
                        whole[which].array()(at, 5, deep ? 3 : 0) = which == 3 ? 0.6f : 0.0f;
                        whole[which].array()(at + 1, 5, deep ? 3 : 0) = 0.3f;
                    }
                }
                for (const int back : {1, whole[4].layer, whole[4].row}) {  // dead cells
                    if (is_there) {
                        (&whole[4].array()(at, 5, deep ? 3 : 0))[-back] = 0.0f;
                    }
                }
                std::vector<Array> open;
                open.reserve(whole.size());
                for (std::size_t which = 0; which < whole.size(); ++which) {
                    Numbers* const cut_ones[] = {&f[0], &f[1], &f[2], &share, &alive};
                    open.push_back((everywhere ? *cut_ones[which] : whole[which]).array());
                }
                const std::vector<Range> near = find_near(open, start.nz, deep);
                RowsNearSolids near_solids = {near.data(), rows_of_layer, deep};
                if (everywhere) {
                    near_solids = {};
                }
                for (const float centre : {0.0f, 0.6f}) {
                    INFO("centre " << centre << ", a solid at place " << at);
                    e.centre = centre;
                    const Cut cut = {e, open[0], open[1], open[2], open[3], near_solids};
                    for (const int colour : {0, 1}) {
                        for (const bool alone : {false, true}) {
                            compare(
                                "relax",
                                [&](Array out) {
                                    return CutRelax{over, cut, out, b.array(), 1.3f, colour};
                                },
                                [&](const Rows& rows, const CutRelax& op, int j, int k) {
                                    (alone ? rows.cut_relax_alone : rows.cut_relax)(op, j, k);
                                });
                        }
                    }
                    compare(
                        "residual",
                        [&](Array out) {
                            return CutResidual{over, cut, x.array(), b.array(), out};
                        },
                        [](const Rows& rows, const CutResidual& op, int j, int k) {
                            rows.cut_residual(op, j, k);
                        });
                    std::vector<double> sums;
                    compare(
                        "apply",
                        [&](Array out) {
                            return CutApply{over, cut, x.array(), out};
                        },
                        [&](const Rows& rows, const CutApply& op, int j, int k) {
                            const double sum = rows.cut_apply(op, j, k);
                            double expected = 0.0;
                            for (int i = over.x.first; i <= over.x.last; ++i) {
                                expected += static_cast<double>(op.x(i, j, k)) *
                                            static_cast<double>(op.y(i, j, k));
                            }
                            CHECK_THAT(sum, Catch::Matchers::WithinAbs(expected, 1e-5));
                            sums.push_back(sum);
                        });
                    const std::size_t rows_there = sums.size() / static_cast<std::size_t>(count);
                    for (std::size_t n = rows_there; n < sums.size(); ++n) {
                        CHECK(sums[n] == sums[n - rows_there]);
                    }
                }
                const auto divergence = [&](Array out) {
                    return CutDivergence{over,
                                         {x.array(), v.array(), w.array()},
                                         {open[0], open[1], open[2]},
                                         {s.array(), b.array(), share.array()},
                                         open[4],
                                         out,
                                         -1.5f,
                                         deep,
                                         near_solids};
                };
                compare("divergence", divergence,
                        [](const Rows& rows, const CutDivergence& op, int j, int k) {
                            rows.cut_divergence(op, j, k);
                        });
                compare("divergence and its squares", divergence,
                        [&](const Rows& rows, const CutDivergence& op, int j, int k) {
                            const double sum = rows.squares_of_cut_divergence(op, j, k);
                            double expected = 0.0;
                            for (int i = over.x.first; i <= over.x.last; ++i) {
                                const double here = static_cast<double>(op.x(i, j, k));
                                expected += here * here;
                            }
                            CHECK_THAT(sum, Catch::Matchers::WithinRel(expected, 1e-5));
                        });
                // A region has whole rows where no solid is near.
                Numbers region = start;
                for (int k = -1; k <= start.nz; ++k) {
                    for (int j = -1; j <= Numbers::ny; ++j) {
                        for (int i = -1; i <= nx; ++i) {
                            const bool by_place =
                                everywhere || (is_there && j == 5 && (!deep || k == 3));
                            const int number = by_place ? i / 3 + j : j;
                            region.array()(i, j, deep ? k : 0) = static_cast<float>(number % 2);
                        }
                    }
                }
                for (int n = 0; n < count; ++n) {
                    const OfRegion op = {over, x.array(), region.array(), 1.0f, near_solids};
                    for (int k = over.z.first; k <= over.z.last; ++k) {
                        for (int j = over.y.first; j <= over.y.last; ++j) {
                            double expected = 0.0;
                            for (int i = over.x.first; i <= over.x.last; ++i) {
                                expected += static_cast<double>(op(i, j, k));
                            }
                            INFO("of region, table " << n << ", row " << j << ", layer " << k);
                            CHECK_THAT(tables[n]->of_region(op, j, k),
                                       Catch::Matchers::WithinAbs(expected, 1e-9));
                        }
                    }
                }
                for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
                    const Array& faces = open[static_cast<std::size_t>(axis)];
                    compare(
                        "gradient",
                        [&](Array out) {
                            return CutGradient{over, out, x.array(), faces, axis, near_solids};
                        },
                        [](const Rows& rows, const CutGradient& op, int j, int k) {
                            rows.cut_gradient(op, j, k);
                        });
                    compare(
                        "enforce",
                        [&](Array out) {
                            return Enforce{over, out, faces, s.array(), near_solids};
                        },
                        [](const Rows& rows, const Enforce& op, int j, int k) {
                            rows.enforce(op, j, k);
                        },
                        everywhere || is_there);
                    compare(
                        "extend faces",
                        [&](Array out) {
                            return ExtendFaces{over, out,   faces, s.array(),  open[4],
                                               axis, false, deep,  near_solids};
                        },
                        [](const Rows& rows, const ExtendFaces& op, int j, int k) {
                            rows.extend_faces(op, j, k);
                        },
                        everywhere || is_there);
                }
                compare(
                    "extend cells",
                    [&](Array out) {
                        return ExtendCells{over, out, open[4], deep, near_solids};
                    },
                    [](const Rows& rows, const ExtendCells& op, int j, int k) {
                        rows.extend_cells(op, j, k);
                    },
                    everywhere || is_there);
                // On the coarse box, there is one dead cell, or they are everywhere or nowhere.
                for (const int row : {0, 2, 4, 5}) {
                    Numbers coarse_alive = everywhere ? f[0] : Numbers(9, deep, 1.0f);
                    if (!everywhere) {
                        std::fill(coarse_alive.memory.begin(), coarse_alive.memory.end(), 1.0f);
                    }
                    if (is_there) {
                        coarse_alive.array()(at / 2, row, deep ? row / 2 : 0) = 0.0f;
                    }
                    const std::vector<Range> coarse_near =
                        find_near({coarse_alive.array()}, start.nz, deep);
                    RowsNearSolids near_coarse = {coarse_near.data(), rows_of_layer, deep};
                    if (everywhere) {
                        near_coarse = {};
                    }
                    for (const float ratio : {2.0f, 1.75f}) {
                        INFO("ratio " << ratio << ", a dead coarse cell in row " << row);
                        compare(
                            "prolong",
                            [&](Array out) {
                                return CutProlong{over,        x.array(),  coarse_alive.array(),
                                                  out,         open[4],    ratio,
                                                  ratio,       ratio,      deep,
                                                  near_solids, near_coarse};
                            },
                            [](const Rows& rows, const CutProlong& op, int j, int k) {
                                rows.cut_prolong(op, j, k);
                            });
                    }
                }
            }
            for (const bool high : {false, true}) {
                compare(
                    "hold back",
                    [&](Array out) {
                        return HoldBack{over, b.array(), b.array(), out, 0.7f, high};
                    },
                    [](const Rows& rows, const HoldBack& op, int j, int k) {
                        rows.hold_back(op, j, k);
                    });
            }
            compare(
                "mask",
                [&](Array out) {
                    return Mask{over, out, alive.array()};
                },
                [](const Rows& rows, const Mask& op, int j, int k) { rows.mask(op, j, k); });
        }
    }
}

TEST_CASE("a component goes on into the solid beside open faces and at their corners") {
    for (const bool deep : {false, true}) {
        Numbers open(6, deep, 1.0f);
        Numbers alive(7, deep, 1.0f);
        for (std::vector<float>* const memory : {&open.memory, &alive.memory}) {
            for (float& value : *memory) {
                value = value < 0.7f ? 0.0f : value;
            }
        }
        Numbers s(8, deep, 1.0f);
        const Array f = open.array();
        const Array fluid = alive.array();
        const Extent over = {{0, 44}, {0, Numbers::ny - 1}, {0, open.nz - 1}};
        for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
            for (const bool slips : {false, true}) {
                Numbers u(9, deep, 1.0f);
                Numbers before = u;
                const ExtendFaces op = {over, u.array(), f, s.array(), fluid, axis, slips, deep};
                int changed = 0;
                for (int k = over.z.first; k <= over.z.last; ++k) {
                    for (int j = over.y.first; j <= over.y.last; ++j) {
                        for (int i = over.x.first; i <= over.x.last; ++i) {
                            op(i, j, k);
                            // The mean of the nearest open faces, at one step or at two.
                            float sum[3] = {};
                            float count[3] = {};
                            for (int c = deep ? -1 : 0; c <= (deep ? 1 : 0); ++c) {
                                for (int b = -1; b <= 1; ++b) {
                                    for (int a = -1; a <= 1; ++a) {
                                        const int along[3] = {a, b, c};
                                        const int steps = a * a + b * b + c * c;
                                        const bool counts = along[axis] == 0 && steps > 0 &&
                                                            f(i + a, j + b, k + c) > 0.0f;
                                        if (counts) {
                                            sum[steps] += before.array()(i + a, j + b, k + c);
                                            count[steps] += 1.0f;
                                        }
                                    }
                                }
                            }
                            const int back[3] = {axis == 0, axis == 1, axis == 2};
                            const bool in_solid =
                                f(i, j, k) == 0.0f && fluid(i, j, k) == 0.0f &&
                                fluid(i - back[0], j - back[1], k - back[2]) == 0.0f;
                            float expected = before.array()(i, j, k);
                            if (in_solid && count[1] > 0.0f) {
                                const float mean = sum[1] / count[1];
                                expected = slips ? mean : 2.0f * s.array()(i, j, k) - mean;
                            } else if (in_solid && count[2] > 0.0f) {
                                expected = sum[2] / count[2];
                            }
                            INFO("axis " << axis << ", deep " << deep << ", slips " << slips
                                         << ", face " << i << ", " << j << ", " << k);
                            CHECK_THAT(u.array()(i, j, k),
                                       Catch::Matchers::WithinAbs(expected, 1e-5f));
                            changed += expected != before.array()(i, j, k) ? 1 : 0;
                        }
                    }
                }
                CHECK(changed > 50);
            }
        }
    }
}

TEST_CASE("a scalar goes on one cell into the solid, and is 0 further inside") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (const bool deep : {false, true}) {
        Numbers alive(7, deep, 1.0f);
        std::fill(alive.memory.begin(), alive.memory.end(), 1.0f);
        const int nz = alive.nz;
        const auto in_block = [&](int i, int j, int k) {
            return i >= 6 && i < 29 && j >= 2 && j < 9 && (!deep || (k >= 1 && k < 6));
        };
        for (int k = 0; k < nz; ++k) {
            for (int j = 0; j < Numbers::ny; ++j) {
                for (int i = 0; i < Numbers::nx; ++i) {
                    alive.array()(i, j, k) = in_block(i, j, k) ? 0.0f : 1.0f;
                }
            }
        }
        const std::vector<Range> near = find_near({alive.array()}, nz, deep);
        const RowsNearSolids near_solids = {near.data(), Numbers::ny + 3, deep};
        const Extent over = {{0, Numbers::nx - 1}, {0, Numbers::ny - 1}, {0, nz - 1}};
        Numbers before(9, deep, 1.0f);
        for (int n = 0; n < count; ++n) {
            Numbers x = before;
            const ExtendCells op = {over, x.array(), alive.array(), deep, near_solids};
            for (int k = 0; k < nz; ++k) {
                for (int j = 0; j < Numbers::ny; ++j) {
                    tables[n]->extend_cells(op, j, k);
                }
            }
            for (int k = 0; k < nz; ++k) {
                for (int j = 0; j < Numbers::ny; ++j) {
                    for (int i = 0; i < Numbers::nx; ++i) {
                        // The mean of the nearest cells with fluid, at one to three steps.
                        float sum[4] = {};
                        float fluid[4] = {};
                        for (int c = deep ? -1 : 0; c <= (deep ? 1 : 0); ++c) {
                            for (int b = -1; b <= 1; ++b) {
                                for (int a = -1; a <= 1; ++a) {
                                    const int steps = a * a + b * b + c * c;
                                    if (!in_block(i + a, j + b, k + c)) {
                                        sum[steps] += before.array()(i + a, j + b, k + c);
                                        fluid[steps] += 1.0f;
                                    }
                                }
                            }
                        }
                        float expected = 0.0f;
                        for (int steps = 3; steps >= 0; --steps) {
                            if (fluid[steps] > 0.0f) {
                                expected = sum[steps] / fluid[steps];
                            }
                        }
                        INFO("table " << n << ", deep " << deep << ", cell " << i << ", " << j
                                      << ", " << k);
                        CHECK_THAT(x.array()(i, j, k), Catch::Matchers::WithinAbs(expected, 1e-6f));
                    }
                }
            }
        }
    }
}

namespace {

/// The memory of weights along each axis, and of shares.
using Memories = std::vector<std::vector<float>>;

/// Checks the weights and shares that are read near a solid. Far from it, nobody writes any.
void check_what_is_read(const RowsNearSolids& near_solids, const Extent& places,
                        const Memories& found, const Memories& expected) {
    const bool deep = near_solids.deep;
    const int row = Numbers::nx + 4;
    const int layer = deep ? row * 15 : 0;
    const auto same_at = [&](std::size_t which, int i, int j, int k) {
        const std::size_t at = static_cast<std::size_t>(i + 1 + row * (j + 1) + layer * (k + 1));
        return found[which][at] == expected[which][at];
    };
    int read = 0;
    for (int k = places.z.first; k <= places.z.last; ++k) {
        for (int j = places.y.first; j <= places.y.last; ++j) {
            const Range near = near_solids.of_row(j, k);
            const int last = std::min(near.last, places.x.last);
            for (int i = std::max(near.first, places.x.first); i <= last; ++i) {
                INFO("place " << i << ", " << j << ", " << k);
                CHECK((same_at(0, i, j, k) && same_at(0, i + 1, j, k)));
                CHECK((same_at(1, i, j, k) && same_at(1, i, j + 1, k)));
                CHECK((!deep || (same_at(2, i, j, k) && same_at(2, i, j, k + 1))));
                CHECK(same_at(3, i, j, k));
                ++read;
            }
        }
    }
    CHECK(read > 0);
}

}  // namespace

TEST_CASE("each processor's loops make the same equations of viscosity, near a solid and not") {
    const Rows* tables[most_tables];
    const int count = rows_that_run(tables);
    for (const bool deep : {false, true}) {
        for (int component = 0; component < (deep ? 3 : 2); ++component) {
            for (std::size_t which = 0; which < 4; ++which) {
                // All is fluid, the ghosts too, but two places of one of the arrays.
                std::vector<Numbers> fractions(4, Numbers(8, deep, 1.0f));
                for (Numbers& numbers : fractions) {
                    for (float& value : numbers.memory) {
                        value = 1.0f;
                    }
                }
                fractions[which].array()(20, 3, 0) = 0.0f;
                fractions[which].array()(44, 8, deep ? 5 : 0) = 0.4f;
                Numbers u(5, deep, 1.0f);
                Numbers s(6, deep, 1.0f);
                std::vector<Array> open;
                open.reserve(fractions.size());
                for (Numbers& numbers : fractions) {
                    open.push_back(numbers.array());
                }
                const std::vector<Range> near = find_near(open, u.nz, deep);
                const RowsNearSolids known = {near.data(), Numbers::ny + 3, deep};
                const Extent places = {
                    {component == 0 ? 1 : 0, Numbers::nx - 1}, {0, Numbers::ny - 1}, {0, u.nz - 1}};
                const auto run = [&](const auto& row, const auto& friction_of,
                                     const RowsNearSolids& near_solids) {
                    std::vector<Numbers> out(5, Numbers(7, deep, 1.0f));
                    Viscosity op = {};
                    const int nx = Numbers::nx;
                    const int ny = Numbers::ny;
                    op.places = places;
                    op.over = {{op.places.x.first, nx}, {0, ny}, {0, deep ? u.nz : 0}};
                    op.around.near_solids = near_solids;
                    op.around.cell = fractions[3].array();
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        op.around.f[axis] = fractions[axis].array();
                        op.weight[axis] = out[axis].array();
                    }
                    op.around.axis = component;
                    op.around.deep = deep;
                    op.n[0] = nx;
                    op.n[1] = ny;
                    op.n[2] = u.nz;
                    op.a = 0.3f;
                    op.u = u.array();
                    op.s = s.array();
                    op.share = out[3].array();
                    op.b = out[4].array();
                    for (int k = op.over.z.first; k <= op.over.z.last; ++k) {
                        for (int j = op.over.y.first; j <= op.over.y.last; ++j) {
                            row(op, j, k);
                        }
                    }
                    std::vector<std::vector<float>> found;
                    for (const Numbers& numbers : out) {
                        found.push_back(numbers.memory);
                    }
                    const Friction friction = {op.places,
                                               op.around,
                                               op.u,
                                               op.s,
                                               {op.weight[0], op.weight[1], op.weight[2]}};
                    std::vector<double> sums;
                    for (int k = op.places.z.first; k <= op.places.z.last; ++k) {
                        for (int j = op.places.y.first; j <= op.places.y.last; ++j) {
                            sums.push_back(friction_of(friction, j, k));
                        }
                    }
                    return std::pair(found, sums);
                };
                const auto plain = run(
                    [](const Viscosity& op, int j, int k) {
                        for (int i = op.over.x.first; i <= op.over.x.last; ++i) {
                            op(i, j, k);
                        }
                    },
                    [](const Friction& op, int j, int k) {
                        double sum = 0.0;
                        for (int i = op.over.x.first; i <= op.over.x.last; ++i) {
                            sum += static_cast<double>(op(i, j, k));
                        }
                        return sum;
                    },
                    RowsNearSolids());
                for (int n = 0; n < count; ++n) {
                    for (const bool is_known : {false, true}) {
                        INFO("table " << n << ", component " << component << ", deep " << deep
                                      << ", known " << is_known);
                        const auto quick = run([&](const Viscosity& op, int j,
                                                   int k) { tables[n]->viscosity(op, j, k); },
                                               [&](const Friction& op, int j, int k) {
                                                   return tables[n]->friction(op, j, k);
                                               },
                                               is_known ? known : RowsNearSolids());
                        for (std::size_t at = 0; at < plain.second.size(); ++at) {
                            CHECK_THAT(quick.second[at],
                                       Catch::Matchers::WithinAbs(plain.second[at], 1e-12));
                        }
                        for (std::size_t at = 0; at < plain.first.size(); ++at) {
                            const bool all_written = !is_known || at == 4;
                            CHECK((same_bits(quick.first[at], plain.first[at]) || !all_written));
                        }
                        if (is_known) {
                            check_what_is_read(known, places, quick.first, plain.first);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("each processor's loops add up the same energies") {
    const box::Rows* tables[box::most_tables];
    const int count = box::rows_that_run(tables);
    for (const int n : {1, 3, 16, 31, 64, 101}) {
        std::vector<float> memory(4 * 128);
        for (std::size_t at = 0; at < memory.size(); ++at) {
            memory[at] = std::sin(0.7f * static_cast<float>(at * at % 997));
        }
        const auto array = [&](int which) {
            return box::Array{memory.data() + 128 * which, 128, 0};
        };
        for (const bool solids : {false, true}) {
            for (int i = 0; i < n; ++i) {
                memory[static_cast<std::size_t>(3 * 128 + i)] = i % 5 == 2 ? 0.25f : 1.0f;
            }
            const box::Energy op = {{{0, n - 1}, {0, 0}, {0, 0}},
                                    array(0),
                                    array(1),
                                    array(2),
                                    solids ? array(3) : box::Array()};
            double before = 0.0;
            double both = 0.0;
            for (int i = 0; i < n; ++i) {
                const box::Energy::Parts parts = op(i, 0, 0);
                before += static_cast<double>(parts.before);
                both += static_cast<double>(parts.both);
            }
            const box::Energies first = tables[0]->energies(op, 0, 0);
            CHECK(std::abs(first.before - before) <= 1e-5 * n);
            CHECK(std::abs(first.both - both) <= 1e-5 * n);
            for (int table = 1; table < count; ++table) {
                const box::Energies other = tables[table]->energies(op, 0, 0);
                CHECK(other.before == first.before);
                CHECK(other.linear == first.linear);
                CHECK(other.both == first.both);
                CHECK(other.correction == first.correction);
            }
        }
    }
}
