// What this chapter adds to 15_multigrid: how many ranks share each axis of the box, how many
// layers of ghost cells there must be, what is copied between ranks, a row of the matrix, and a
// step of one part. This file calls neither PETSc nor MPI. Only petsc.hpp does.
#pragma once

#include "parts.hpp"

/// How many ranks share each axis of a box of n cells, such that every rank gets a cell along every
/// axis and as few faces as possible are cut. {0, 0, 0} if they cannot share the box like this.
inline Three share_box(const Three& n, int ranks) {
    Three best = {0, 0, 0};
    double fewest = 1e300;
    for (int x = 1; x <= ranks; ++x) {
        for (int y = 1; x * y <= ranks; ++y) {
            const int z = ranks / (x * y);
            const double faces = 1.0 * x / n[0] + 1.0 * y / n[1] + 1.0 * z / n[2];
            if (x * y * z == ranks && x <= n[0] && y <= n[1] && z <= n[2] && faces < fewest) {
                best = {x, y, z};
                fewest = faces;
            }
        }
    }
    return best;
}

/// Returns the values of a field in the cells that the rank owns, row after row, as PETSc keeps
/// them. For u, v and w, these are the velocities of each cell's left, upper or front face. (So the
/// box's last faces are left out. They are walls, and hold 0.)
inline std::vector<double> owned_values(const Part& part, const Field& field) {
    const auto& [x, y, z] = part.first;
    std::vector<double> values;
    for (int k = part.begin[2]; k < part.end[2]; ++k) {
        for (int j = part.begin[1]; j < part.end[1]; ++j) {
            for (int i = part.begin[0]; i < part.end[0]; ++i) {
                values.push_back(field(i - x, j - y, k - z));
            }
        }
    }
    return values;
}

/// Returns how many layers of ghost cells a back-trace of `dt` seconds needs. This is how many
/// cells the fluid crosses in that time at the fastest of the rank's own velocities, rounded up. It
/// is at least 1, since the divergence, computed from the same cells, needs one layer. If it is a
/// million or more, or if a velocity is not finite, the result is a million.
inline int ghosts_needed(const Part& part, double dt) {
    double farthest = 1.0;
    for (const Field* field : {&part.fluid.u, &part.fluid.v, &part.fluid.w}) {
        for (const double velocity : owned_values(part, *field)) {
            const double cells = std::abs(velocity) * dt / part.fluid.h;
            if (!(cells < 1e6)) {  // which is true of NaN, too
                return 1000000;
            }
            farthest = std::max(farthest, cells);
        }
    }
    return static_cast<int>(std::ceil(farthest));
}

/// Fills a field of the part's block, ghost cells included, with `values`, which has one number for
/// each cell of the block, row after row.
inline void fill_block(const Part& part, Field& field, const double* values) {
    const Field& cells = part.fluid.density;
    for_each_point(cells, [&](int i, int j, int k) { field(i, j, k) = values[cells.IX(i, j, k)]; });
}

/// Returns the row of A for a cell that the rank owns: the diagonal in the cell's own column, and
/// minus the weight in the column of each neighbour, whichever rank owns the neighbour. The part's
/// matrix was made of the block alone, and takes all beyond the block for wall. But a neighbour of
/// an owned cell lies in the block, or beyond a wall of the box. So the row is the same as in the
/// matrix of the whole box.
inline std::vector<Entry> matrix_row(const Part& part, const Three& cell) {
    const Matrix& A = part.fluid.matrix;
    const int i = cell[0] - part.first[0];
    const int j = cell[1] - part.first[1];
    const int k = cell[2] - part.first[2];
    std::vector<Entry> row = {{cell, A.diagonal(i, j, k)}};
    for (int side = 0; side < 6; ++side) {
        const auto& [di, dj, dk] = neighbours[side];
        const double weight = A.weight(side, i, j, k);
        if (weight != 0.0) {
            row.push_back({{cell[0] + di, cell[1] + dj, cell[2] + dk}, -weight});
        }
    }
    return row;
}

/// Lets `dt` seconds pass in a rank's part: 15_multigrid's step, on the block. Before fields are
/// read beyond the rank's own cells, `ranks.exchange(part, dt, fields)` copies the owners' values
/// into their ghost cells, and adds layers of ghost cells if there are too few for `dt`.
/// `ranks.solve_pressure(part)` solves for the pressure of the whole box and fills the block's,
/// ghost cells included. All ranks must call step together. The matrix is that of the block, whose
/// weights the gradient needs.
template <class Ranks>
void step(Part& part, double dt, Ranks& ranks) {
    Fluid& fluid = part.fluid;
    ranks.exchange(part, dt, {&fluid.u, &fluid.v, &fluid.w});
    advect_velocity(fluid, dt);
    add_force(fluid, dt);
    ranks.exchange(part, dt, {&fluid.u, &fluid.v, &fluid.w});
    fluid.matrix = pressure_matrix(fluid);
    right_hand_side(fluid, dt);
    ranks.solve_pressure(part);
    subtract_gradient(fluid, dt);
    ranks.exchange(part, dt, {&fluid.density});
    advect_density(fluid, dt);
}
