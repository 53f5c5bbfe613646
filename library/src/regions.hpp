// What follows from the fractions of cells and faces: where there is fluid, also on the coarser
// boxes, which regions it has, what solids that move force on them, and where the surface is. All
// of it is worked out in the computer's memory, and changes nothing.
#pragma once

#include <vector>

#include "library/src/backend.hpp"
#include "library/src/field.hpp"
#include "library/src/numbers.hpp"

namespace box {

/// A box of the hierarchy, with the pressure's equations.
struct Grid {
    int n[3];
    Layout layout;
    Equations equations;
};

/// What the solids are in.
struct Surroundings {
    std::vector<Grid> grids;  ///< the finest first
    bool joined[3];
    double wall_velocity[3]
                        [2];  ///< across the box's walls, at the low and the high end of each axis
    float h;

    int axes() const { return grids[0].equations.deep ? 3 : 2; }
};

/// What somebody has set.
struct SolidsGiven {
    Numbers fraction;  ///< of the cells
    std::vector<Numbers> f;  ///< of the faces
    std::vector<Numbers> s;  ///< the solid's velocity
    Numbers expansion;
    bool expands;  ///< whether it may be more than 0 anywhere

    bool cut(const Grid& finest) const;  ///< whether any fraction is below 1
    bool moves() const;  ///< whether any velocity is not 0
};

/// 1 in each cell that has a face through which something may flow.
Numbers alive_of(Backend& backend, const Grid& grid, const std::vector<Numbers>& f);

/// The fractions of a coarser box's faces along an axis: the mean of the finer faces under each;
/// between two layers of them, the mean of both as it is near them.
Numbers coarser(Backend& backend, const Numbers& fine, const Grid& of_fine, const Grid& of_coarse,
                int axis);

/// Regions of fluid: cells that are joined by open faces.
struct Regions {
    std::vector<int> region;  ///< of each cell: a number, or -1 for none
    std::vector<char> is_closed;  ///< of each region: whether it has no outlet

    int closed_count() const;
};

/// A closed region, on its own: where its cells are, and how many there are.
struct ClosedRegion {
    Extent within;
    double cells = 0.0;
};
/// All closed regions; and `numbers`, which says of each cell which of them it is in, from 1 on. It
/// is -1 in a region with an outlet, and 0 where there is no fluid.
std::vector<ClosedRegion> closed_regions(const Grid& finest, const Regions& regions,
                                         Numbers& numbers);
Regions find_regions(Backend& backend, const Surroundings& around, const Numbers& alive,
                     const std::vector<Numbers>& f);

/// The divergence that the projection is to leave in each cell, times h: what expands there, and
/// what solids and walls force on its region if that is closed.
struct Wanted {
    Numbers divergence;
    bool any;
    double largest_forced;  ///< 1/s: the largest that is forced on a closed region
};
Wanted find_wanted(Backend& backend, const Surroundings& around, const Regions& regions,
                   const SolidsGiven& given);

/// Opens the faces of the box's walls that are closed although no solid is behind them: there the
/// solid's velocity says what flows in. Returns whether there are any.
bool open_walls(const Surroundings& around, const Numbers& fraction, std::vector<Numbers>& f);

/// Where solids are near.
struct NearSolids {
    std::vector<Range> of_rows;  ///< places of each row, those of ghosts included: RowsNearSolids
    Range y, z;  ///< from the first row with such places to the last, and likewise of layers
};

/// Finds it. `fractions` are those of the faces along each axis, and then those of the cells, if
/// they count.
NearSolids find_near_solids(Backend& backend, const Grid& grid,
                            const std::vector<Array>& fractions);

/// The rows of an extent from the first one that a solid is near to the last.
Extent rows_near(const NearSolids& near, Extent over);

/// The area of the surface in each cell (in h2, or in h if flat), and that over its distance from
/// the cell's middle (in h). What a surface leaves open of opposite faces differs by its own area,
/// as seen along the axis. If it is a plane, it divides the cell in two halves when it goes through
/// the middle.
struct Surface {
    Numbers area, nearness;
};
Surface find_surface(Backend& backend, const Grid& finest, const SolidsGiven& given,
                     const Numbers& alive);

/// A coarser box of the hierarchy.
struct CoarseFound {
    std::vector<Numbers> f;
    Numbers alive;
    NearSolids near_closed;
};

/// All of it.
struct SolidsFound {
    Numbers alive;
    std::vector<CoarseFound> coarse;  ///< from the finest of them on
    Regions regions;
    Wanted wanted;
    bool any_seen;  ///< whether any wall was opened
    Numbers region_numbers;
    std::vector<ClosedRegion> closed;
    Surface surface;  ///< if any scalar wants to know
    NearSolids near_closed;  ///< by all fractions
    NearSolids near_solid;  ///< by those that solids alone leave open
};

}  // namespace box
