// Given: what a rank's part of the box is, and where the parts end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "solver.hpp"

/// One number for each axis: cells, ranks, or the place of a cell.
using Three = std::array<int, 3>;

/// What one rank works on: a block of the box. The block is the cells that the rank owns and, where
/// it does not end at a wall, ghost cells, which hold copies of other ranks' cells.
struct Part {
    Three n = {1, 1, 1};  ///< the cells of the whole box
    Three begin = {0, 0, 0}, end = {1, 1, 1};  ///< the cells that the rank owns; end is one beyond
    Three first = {0, 0, 0};  ///< the block's first cell, a ghost unless it is begin
    Fluid fluid = Fluid(1, 1, 1);  ///< the block, as 15_multigrid's functions take it
};

/// One number in a row of a matrix: the cell whose column it stands in, and the number.
struct Entry {
    Three cell;
    double value;
};

/// Makes the part that owns the cells from begin to end and has `ghosts` ghost cells on each side,
/// but none beyond the walls. The origins of its fields say where in the box the block lies, so a
/// place is the same place on each rank.
inline Part make_part(const Three& n, const Three& begin, const Three& end, int ghosts) {
    Three first, count;
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = std::max(0, begin[axis] - ghosts);
        count[axis] = std::min(n[axis], end[axis] + ghosts) - first[axis];
    }
    Part part = {n, begin, end, first, Fluid(count[0], count[1], count[2])};
    Fluid& fluid = part.fluid;
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w, &fluid.density, &fluid.pressure}) {
        field->origin.x += first[0];
        field->origin.y += first[1];
        field->origin.z += first[2];
    }
    return part;
}

/// How often the box is halved for multigrid: sides of more than one cell are, until one is odd or
/// few cells remain. An axis that ranks share keeps at least two cells a rank, so that the parts
/// are about equal.
inline int count_halvings(Three n, const Three& ranks) {
    int halvings = 0;
    while (n[0] * n[1] * n[2] > 8) {
        for (int axis = 0; axis < 3; ++axis) {
            const int fewest = ranks[axis] > 1 ? 2 * ranks[axis] : 1;
            if (n[axis] > 1 && (n[axis] % 2 != 0 || n[axis] / 2 < fewest)) {
                return halvings;
            }
            n[axis] = (n[axis] + 1) / 2;
        }
        ++halvings;
    }
    return halvings;
}

/// How many cells each rank owns along an axis of n cells: as equal as can be, but whole cells of
/// the coarsest grid, so that no coarse cell lies on two ranks.
inline std::vector<int> cells_of_ranks(int n, int ranks, int halvings) {
    const int coarse = std::max(1, n >> halvings);
    std::vector<int> cells(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        cells[rank] = ((rank + 1) * coarse / ranks - rank * coarse / ranks) * (n / coarse);
    }
    return cells;
}

/// A row of prolongation as a matrix: the cells of a coarser grid of `coarse` cells between whose
/// centres cell (i, j, k) of a grid of n cells is interpolated, and their weights.
inline std::vector<Entry> prolongation_row(const Three& n, const Three& coarse, const Three& cell) {
    std::vector<Entry> row = {{{0, 0, 0}, 1.0}};
    for (int axis = 0; axis < 3; ++axis) {
        const double place = (cell[axis] + 0.5) * coarse[axis] / n[axis] - 0.5;
        const auto [i0, i1, s0, s1] = linear_weights(place, coarse[axis]);
        std::vector<Entry> longer;
        for (Entry entry : row) {
            entry.cell[axis] = i0;
            longer.push_back({entry.cell, entry.value * s0});
            if (i1 != i0 && s1 > 0.0) {
                entry.cell[axis] = i1;
                longer.push_back({entry.cell, entry.value * s1});
            }
        }
        row = longer;
    }
    return row;
}
