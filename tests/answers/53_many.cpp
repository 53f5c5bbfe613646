// The worked answers of 53_many's exercises.
#include <cmath>

#include "catch.hpp"
#include "many.hpp"

/// How many bytes a rank receives when one field of cells is exchanged: 8 for each of its ghost
/// cells.
inline double bytes_received(const Part& part) {
    const Three extra = {0, 0, 0};
    const int owned = count_points(owned_points(part, part.rank, extra));
    const int block = count_points(with_ghosts(part, part.rank, extra));
    return 1.0 * (block - owned) * sizeof(double);
}

/// How many times as fast `ranks` ranks are as one, if the share `alone` of one rank's time is work
/// that only one rank can do (Amdahl 1967).
inline double strong_speedup(double alone, double ranks) {
    return 1.0 / (alone + (1.0 - alone) / ranks);
}

/// How many times as much work `ranks` ranks do as one in the same time, if the box grows with them
/// and in the share `alone` of that time only one rank can work (Gustafson 1988).
inline double weak_speedup(double alone, double ranks) {
    return alone + (1.0 - alone) * ranks;
}

TEST_CASE("what a rank receives", "[answers]") {
    const Fluid like(1, 1, 1);
    const std::array<Side, 6> closed = {};
    const Part middle = make_part({512, 512, 1}, {4, 4, 1}, 5, 1, like, closed);
    CHECK(bytes_received(middle) == (130.0 * 130 - 128.0 * 128) * 8);
    const Part corner = make_part({512, 512, 1}, {2, 2, 1}, 0, 1, like, closed);
    CHECK(bytes_received(corner) == (257.0 * 257 - 256.0 * 256) * 8);
    CHECK(bytes_received(make_part({9, 9, 9}, {1, 1, 1}, 0, 3, like, closed)) == 0.0);
}

TEST_CASE("the two laws", "[answers]") {
    for (const double alone : {0.0, 0.05, 0.5, 1.0}) {
        CHECK(strong_speedup(alone, 1) == 1.0);
        CHECK(weak_speedup(alone, 1) == 1.0);
    }
    CHECK(std::abs(strong_speedup(0.05, 64) - 15.42) < 0.01);
    CHECK(std::abs(weak_speedup(0.05, 64) - 60.85) < 0.01);
    CHECK(strong_speedup(0.05, 1e12) < 20.0);
}
