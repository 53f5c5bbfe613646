// The operations of cells.hpp on a row of places, for the host.
#pragma once

#include "library/src/cells.hpp"

namespace box {

/// One function for each operation: it does row (j, k) of it.
struct Rows {
    void (*add_scaled)(const AddScaled&, int j, int k);
    void (*scale)(const Scale&, int j, int k);
    void (*set_bnd)(const SetBnd&, int j, int k);
    /// `alone` if nobody else looks at the row meanwhile: then the places of the other colour may
    /// be written, too, with what they hold, which is quicker.
    void (*relax)(const Relax&, int j, int k, bool alone);
    void (*residual)(const Residual&, int j, int k);
    void (*restrict_to)(const Restrict&, int j, int k);
    void (*prolong)(const Prolong&, int j, int k);
    void (*advect)(const Advect&, int j, int k);
    void (*correct)(const Correct&, int j, int k);
    void (*divergence)(const Divergence&, int j, int k);
    void (*gradient)(const Gradient&, int j, int k);
    void (*speed)(const Speed&, int j, int k);
    void (*vorticity)(const Vorticity&, int j, int k);
    void (*confine)(const Confine&, int j, int k);
    void (*cut_relax)(const CutRelax&, int j, int k, bool alone);
    void (*cut_residual)(const CutResidual&, int j, int k);
    void (*cut_prolong)(const CutProlong&, int j, int k);
    void (*cut_divergence)(const CutDivergence&, int j, int k);
    void (*cut_gradient)(const CutGradient&, int j, int k);
    void (*combine)(const Combine&, int j, int k);
    void (*multiply)(const Multiply&, int j, int k);
    void (*enforce)(const Enforce&, int j, int k);
    void (*hold_back)(const HoldBack&, int j, int k);
    void (*mask)(const Mask&, int j, int k);
    void (*extend_faces)(const ExtendFaces&, int j, int k);
    void (*extend_cells)(const ExtendCells&, int j, int k);
    void (*viscosity)(const Viscosity&, int j, int k);
    void (*blend)(const Blend&, int j, int k);

    double (*sum)(const Value&, int j, int k);
    double (*cut_apply)(const CutApply&, int j, int k);
    double (*product)(const Product&, int j, int k);
    double (*friction)(const Friction&, int j, int k);
    double (*push)(const Push&, int j, int k);
    double (*flows_in)(const FlowsIn&, int j, int k);
    double (*pushed_in)(const PushedIn&, int j, int k);
    double (*expands)(const Expands&, int j, int k);
    Energies (*energies)(const Energy&, int j, int k);
    double (*squares_of_faces)(const FaceValue&, int j, int k);
    double (*squares_of_value)(const Value&, int j, int k);
    double (*squares_of_residual)(const Residual&, int j, int k);
    double (*squares_of_divergence)(const Divergence&, int j, int k);
    double (*largest)(const Value&, int j, int k);
};

// Compiled for the machine that all have, and for those with wider registers. They do the same
// operations in the same order, so they return the same to the last bit.
extern const Rows rows_base;
extern const Rows rows_avx2;
extern const Rows rows_avx512;
// The same with gathers: reading from many places at once is quicker on some processors, and slower
// on others.
extern const Rows rows_avx2_gather;
extern const Rows rows_avx512_gather;

/// The tables that this processor can do, those with wider registers later. Returns
/// how many there are.
constexpr int most_tables = 5;
int rows_that_run(const Rows* found[most_tables]);

/// The quickest of them on this processor: the widest, with gathers or without, whichever carries
/// more quickly when both try.
const Rows& quickest_rows();

}  // namespace box
