// Loops over a row of places. This file is compiled several times, under the name ROWS_NAME:
// nothing in it, or in its parts, may be seen from outside but that table.
#include "library/src/rows.hpp"

#include "library/src/carry_rows.hpp"
#include "library/src/cut_rows.hpp"
#include "library/src/grid_rows.hpp"
#include "library/src/registers.hpp"
#include "library/src/relax_rows.hpp"
#include "library/src/sum_rows.hpp"

#ifndef ROWS_NAME
#define ROWS_NAME rows_base
#endif

namespace box {
namespace {

/// Has the ends of a row brought into the cache, if there is such a row. The processor would not
/// expect to need them: they are far from the last ones.
void fetch_ends(const SetBnd& op, int j, int k) {
    for (int n = 0; n < op.count; ++n) {
        fetch(&op.x(op.mirrors[n].at, j, k));
    }
}

/// One mirror after the other: no place along a row has to do with another one, but where the row
/// lies along the axis itself, which is then one line.
void row(const SetBnd& op, int j, int k) {
    if (op.axis == 0) {
        fetch_ends(op, j + 8, k);
        op(0, j, k);
        return;
    }
    const int count = op.over.x.last - op.over.x.first + 1;
    const int step = op.x.step(op.axis);
    float* const row = &op.x(op.over.x.first, j, k);
    for (int n = 0; n < op.count; ++n) {
        const Mirror m = op.mirrors[n];
        float* const to = row + m.at * step;
        const float* const from = row + m.from * step;
        if (m.times == 0.0f) {
            for (int i = 0; i < count; ++i) {
                to[i] = 0.0f + m.plus;
            }
            continue;
        }
        INDEPENDENT
        for (int i = 0; i < count; ++i) {
            to[i] = m.times * from[i] + m.plus;
        }
    }
}

/// Away from the ends of the row, all places find their neighbours alike.
template <int at, bool deep>
void central_row(const Central& given, int j, int k) {
    const Central op = given;
    const Range x = op.over.x;
    const Reach in_y = op.reach_y(j);
    const Reach in_z = op.reach_z(k);
    const int begin = x.first > 2 ? x.first : 2;
    const int end = x.last < op.flow.nx - 3 ? x.last : op.flow.nx - 3;
    for (int i = x.first; i <= x.last && i < begin; ++i) {
        op.template cell<at, deep>(op.reach_x(i), in_y, in_z, i, j, k);
    }
    const Reach within = op.reach_x(begin);
    INDEPENDENT
    for (int i = begin; i <= end; ++i) {
        op.template cell<at, deep>(within, in_y, in_z, i, j, k);
    }
    for (int i = begin > end + 1 ? begin : end + 1; i <= x.last; ++i) {
        op.template cell<at, deep>(op.reach_x(i), in_y, in_z, i, j, k);
    }
}

template <bool deep>
void central_row(const Central& op, int j, int k) {
    if (op.where == ON_X) {
        central_row<ON_X, deep>(op, j, k);
    } else if (op.where == ON_Y) {
        central_row<ON_Y, deep>(op, j, k);
    } else {
        central_row<ON_Z, deep>(op, j, k);
    }
}

void row(const Advect& op, int j, int k) {
    carry_any(op, j, k);
}

void row(const Correct& op, int j, int k) {
    carry_any(op, j, k);
}

void row(const Halfway& op, int j, int k) {
    if (op.flow.deep) {
        halfway_row<true>(op, j, k);
    } else {
        halfway_row<false>(op, j, k);
    }
}

void row(const Central& op, int j, int k) {
    if (op.flow.deep) {
        central_row<true>(op, j, k);
    } else {
        central_row<false>(op, j, k);
    }
}

}  // namespace

// A loop for each operation: its own `row`, or else that of any operation.
#define WRITE(Op, name) static_cast<void (*)(const Op&, int, int)>(row),
#define ADD_UP(Op, name) static_cast<double (*)(const Op&, int, int)>(sum_of_row),
#define ADD_UP_SQUARES(Op, name) static_cast<double (*)(const Op&, int, int)>(squares_of_row),
#define WRITE_AT_SOLIDS(Op, name) is_small ? nullptr : WRITE(Op, name)
#define ADD_UP_SQUARES_AT_SOLIDS(Op, name) is_small ? nullptr : ADD_UP_SQUARES(Op, name)
#define ADD_UP_AT_SOLIDS(Op, name) is_small ? nullptr : ADD_UP(Op, name)

const Rows ROWS_NAME = {FOR_OPERATIONS(WRITE) FOR_OPERATIONS_OF_SOLIDS(WRITE_AT_SOLIDS) row, relax,
                        is_small ? nullptr : cut_relax_alone,
                        FOR_SUMS(ADD_UP) FOR_SUMS_OF_SOLIDS(ADD_UP_AT_SOLIDS) FOR_ENERGIES(ADD_UP)
                            FOR_ENERGIES_OF_SOLIDS(ADD_UP_AT_SOLIDS) FOR_SQUARES(ADD_UP_SQUARES)
                                FOR_SQUARES_OF_SOLIDS(ADD_UP_SQUARES_AT_SOLIDS) energies,
                        largest};

}  // namespace box
