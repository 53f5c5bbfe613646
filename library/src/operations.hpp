// The one list of what is done to cells. The backends, the host's loops and their table are made
// from it: what is added to it is missing nowhere.
#pragma once

#include "library/src/carry.hpp"
#include "library/src/central.hpp"
#include "library/src/cut.hpp"
#include "library/src/grid.hpp"
#include "library/src/view.hpp"

// Each line has the struct that says what is done to a cell, and the name of the host's loop over a
// row of cells.

/// Operations that write fields.
#define FOR_OPERATIONS(DO)     \
    DO(AddScaled, add_scaled)  \
    DO(Combine, combine)       \
    DO(Scale, scale)           \
    DO(SetBnd, set_bnd)        \
    DO(Residual, residual)     \
    DO(Restrict, restrict_to)  \
    DO(Prolong, prolong)       \
    DO(Advect, advect)         \
    DO(Correct, correct)       \
    DO(Divergence, divergence) \
    DO(Gradient, gradient)     \
    DO(Speed, speed)           \
    DO(Vorticity, vorticity)   \
    DO(Confine, confine)

/// Likewise, but those that a library for a web page has no use for.
#define FOR_OPERATIONS_OF_SOLIDS(DO)  \
    DO(CutRelax, cut_relax)           \
    DO(CutResidual, cut_residual)     \
    DO(CutProlong, cut_prolong)       \
    DO(CutDivergence, cut_divergence) \
    DO(CutGradient, cut_gradient)     \
    DO(Multiply, multiply)            \
    DO(Enforce, enforce)              \
    DO(HoldBack, hold_back)           \
    DO(Mask, mask)                    \
    DO(ExtendFaces, extend_faces)     \
    DO(ExtendCells, extend_cells)     \
    DO(Viscosity, viscosity)          \
    DO(ShiftRegion, shift_region)     \
    DO(Halfway, halfway)              \
    DO(Central, central)              \
    DO(Crossed, crossed)              \
    DO(FrictionAtWall, friction_at_wall)

/// Operations whose rows get the ghosts at their ends at once, while they are in cache.
#define FOR_OPERATIONS_TO_ENDS(DO) \
    DO(Central, central)           \
    DO(Gradient, gradient)         \
    DO(CutGradient, cut_gradient)

/// Operations whose results are added up.
#define FOR_SUMS(DO) \
    DO(Value, sum)   \
    DO(Product, product)
#define FOR_SUMS_OF_SOLIDS(DO) \
    DO(CutApply, cut_apply)    \
    DO(Friction, friction)     \
    DO(Push, push)             \
    DO(OfRegion, of_region)

/// Operations whose results are added to the energy that a velocity had before it was carried.
#define FOR_ENERGIES(DO)  \
    DO(FlowsIn, flows_in) \
    DO(Expands, expands)
#define FOR_ENERGIES_OF_SOLIDS(DO) DO(PushedIn, pushed_in)

/// Operations whose results are squared and added up.
#define FOR_SQUARES(DO)               \
    DO(FaceValue, squares_of_faces)   \
    DO(Value, squares_of_value)       \
    DO(Residual, squares_of_residual) \
    DO(Divergence, squares_of_divergence)
#define FOR_SQUARES_OF_SOLIDS(DO)            \
    DO(CutResidual, squares_of_cut_residual) \
    DO(CutDivergence, squares_of_cut_divergence)

namespace box {

/// The places that an operation is for.
template <class Op>
inline Extent places_of(const Op& op) {
    return op.over;
}
inline Extent places_of(const Residual& op) {
    return op.equations.over();
}
inline Extent places_of(const Relax& op) {
    return op.equations.over();
}

}  // namespace box
