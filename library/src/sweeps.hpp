// Red-black sweeps with over-relaxation, for what spreads, whether solids cut the box or not.
#pragma once

#include <functional>

#include "library/src/grid.hpp"

namespace box {

/// How a system of equations was solved.
struct Solved {
    int work = 0;  ///< V-cycles, or sweeps
    double residual = 0.0;  ///< what was left over what was there at first
};

/// How sweeps go about  centre x - a (the sum of x's differences to its neighbours) = b.
struct SweepPlan {
    double omega;  ///< the over-relaxation that is best for a box whose slowest mode is a constant
    double wanted;  ///< the residual at which it is enough, over what it was at first
    int first;  ///< as many sweeps as should do
    int more;  ///< as many as are made at a time after that
    bool measures;  ///< whether anybody looks at the residual; if not, `first` sweeps must do
};
SweepPlan plan_sweeps(int axes, float centre, float a, float tolerance);

/// Makes sweeps until the residual is as small as the plan wants, or does not get smaller any more.
/// sweep(count) makes so many and returns how long the residual is then, which was `before`.
Solved sweep_by(const SweepPlan& plan, double before, const std::function<double(int)>& sweep);

/// Where an odd number of places is joined, the first and the last have the same colour, although
/// they are neighbours: done at once, over-relaxation makes them swing ever further. So the last
/// layer has a turn of its own. Fills in the parts that are done one after the other, up to 8, and
/// returns how many there are. Along joined axes, the first place must be 0.
int parts_to_relax(const Extent& over, const bool joined[3], Extent parts[8]);

}  // namespace box
