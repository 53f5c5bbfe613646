// A grid hierarchy, and what a cycle over it is like.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "library/src/field.hpp"
#include "library/src/walls.hpp"

namespace box {

/// One grid of a hierarchy, and its equations.
struct Level {
    std::array<int, 3> n;  ///< unknown places along each axis
    std::array<int, 3> first = {};  ///< where the first of them is in the field that is solved for
    Layout layout;
    Walls walls;
    Array x, b, r;
    float* memory_of_x = nullptr;  ///< all of it, ghosts included; the finest needs none
    std::array<float, 3> ratio = {1.0f, 1.0f, 1.0f};  ///< places on one of the next grid's
    std::array<float, 3> size;  ///< of a place along each axis, in those of the finest
    Field own_x, own_b, own_r;  ///< what is not borrowed
};

/// What a multigrid cycle is like: sweeps before and after the next grid has its turn, how far they
/// go, and how many grids there are.
struct Cycle {
    int down, up;
    float omega;  ///< on the finest grid
    float coarse_omega;  ///< on the others
    float seam_omega;  ///< on any where joined ends have the same colour
    std::size_t depth;
    double leaves = 1.0;  ///< of what a cycle finds, as far as is known
    /// So many times as much is left with one sweep on the finest grid after it instead of two.
    double with_one_sweep = std::numeric_limits<double>::infinity();

    float omega_on(const std::vector<Level>& grids, std::size_t l) const;
};

/// What is done with what is left after sweeps, b - A x.
enum Then { NOTHING, PASS_ON, MEASURE };  ///< passed on to the next box; measured as well

/// Red-black sweeps on a box of the hierarchy.
struct Sweeps {
    bool corrected;  ///< whether what the next box found is added first
    int count;
    Then then;
};

/// Gives a level the equations  centre x - a (the differences to the neighbours), each times the
/// places of the finest box that one of its own is.
void weigh(Level& level, float centre, float a);

}  // namespace box
