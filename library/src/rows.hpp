// The operations of operations.hpp on a row of places, for the host.
#pragma once

#include "library/src/operations.hpp"

namespace box {

/// One function for each operation: it does row (j, k) of it, or returns what the row adds up to.
struct Rows {
// NOLINTNEXTLINE(bugprone-macro-parentheses): around the name of a member
#define WRITE(Op, name) void (*name)(const Op&, int j, int k);
    FOR_OPERATIONS(WRITE)
    FOR_OPERATIONS_OF_SOLIDS(WRITE)
#undef WRITE
    void (*blend)(const Blend&, int j, int k);
    /// `alone` if nobody else looks at the row meanwhile: then the places of the other colour may
    /// be written, too, with what they hold, which is quicker.
    void (*relax)(const Relax&, int j, int k, bool alone);
    void (*cut_relax_alone)(const CutRelax&, int j, int k);

// NOLINTNEXTLINE(bugprone-macro-parentheses): around the name of a member
#define ADD_UP(Op, name) double (*name)(const Op&, int j, int k);
    FOR_SUMS(ADD_UP)
    FOR_SUMS_OF_SOLIDS(ADD_UP)
    FOR_ENERGIES(ADD_UP)
    FOR_ENERGIES_OF_SOLIDS(ADD_UP)
    FOR_SQUARES(ADD_UP)
    FOR_SQUARES_OF_SOLIDS(ADD_UP)
#undef ADD_UP
    Energies (*energies)(const Energy&, int j, int k);
    double (*largest)(const Value&, int j, int k);
};

// Compiled for the machine that all have, and for those with wider registers. They do the same
// operations in the same order, so they return the same to the last bit.
extern const Rows rows_base;
extern const Rows rows_avx2;
extern const Rows rows_avx512;

/// The operation that reads here and there, with gathers: reading from many places at once is
/// quicker on some processors, and slower on others.
struct Gathers {
    void (*correct)(const Correct&, int j, int k);
};
extern const Gathers gathers_avx2;
extern const Gathers gathers_avx512;

/// The tables that this processor can do, those with wider registers later. Returns
/// how many there are.
constexpr int most_tables = 5;
int rows_that_run(const Rows* found[most_tables]);

/// The quickest of them on this processor: the widest, with gathers or without, whichever corrects
/// more quickly when both try.
const Rows& quickest_rows();

}  // namespace box
