// A checkerboard of velocities, on this chapter's grid and on 07_project's.
#pragma once

#include "window/collocated.hpp"

/// Gives every open X and Y face a velocity of 1 or -1, alternating from face to face.
template <class Fluid>
void set_checkerboard(Fluid& fluid) {
    for (auto* field : {&fluid.u, &fluid.v}) {
        for (int k = 0; k < field->nz; ++k) {
            for (int j = 0; j < field->ny; ++j) {
                for (int i = 0; i < field->nx; ++i) {
                    (*field)(i, j, k) = (i + j) % 2 == 0 ? 1.0 : -1.0;
                }
            }
        }
    }
    set_bnd(fluid);
}

namespace collocated {

/// Gives every cell a velocity of 1 or -1 cell a second, alternating from cell to cell.
inline void set_checkerboard(Fluid& fluid) {
    const int N = fluid.u.N;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            fluid.u(i, j) = ((i + j) % 2 == 0 ? 1.0f : -1.0f) / static_cast<float>(N);
            fluid.v(i, j) = fluid.u(i, j);
        }
    }
    set_walls(fluid);
}

}  // namespace collocated
