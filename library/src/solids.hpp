// What a fluid with solids in it has besides the rest. What is done with it is in solids.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "library/src/field.hpp"
#include "library/src/regions.hpp"

namespace box {

/// A box of the hierarchy, with the fractions of its faces.
struct CutLevel {
    Field f[3], alive;
    NearSolids near_closed;
};

/// The force of the fluid on a body along one axis, at one place of its surface, over the density.
struct SurfaceForce {
    int body, axis;
    bool is_friction;
    double place[3];  ///< in cells from the box's corner
    double force;
    double couple[3] = {};  ///< a torque that is the same about each pivot
};

/// The bodies among the solids (bodies.cpp).
struct Bodies {
    std::vector<int> label;  ///< of each cell: the number of its body, or -1 if there are none
    int count = 0;
    Field
        sheared[3];  ///< the velocity after viscosity in the last step, from which friction follows
    bool stepped = false;  ///< whether a step has been made since they were named
    bool found = false;  ///< whether `forces` are those of the last step
    std::vector<SurfaceForce> forces;
};

struct Solids {
    Field fraction;  ///< of the cells
    Field f[3];  ///< of the faces
    Field s[3];  ///< the solid's velocity
    Field seen[3];  ///< as f, but for faces of the box that are closed and not at a solid; if any
    Field alive;  ///< 1 in a cell that has an open face, else 0
    Field wanted;  ///< h times the divergence that is prescribed, or cannot be avoided
    Field area;  ///< of the surface in each cell, in h2 (flat: h), if a scalar wants to know
    Field nearness;  ///< that over its distance from the cell's middle, in h
    Field z, p, y;  ///< conjugate gradients: the preconditioned residual, the direction, and A p
    std::vector<CutLevel> levels;  ///< the coarser boxes; the first one is not used

    std::uint64_t bytes = 0;  ///< that all of these take

    bool changed = true;  ///< whether what follows from the fractions is not up to date
    bool cut = false;  ///< whether there is any solid
    bool moves = false;  ///< whether any velocity of the solids is not 0
    bool any_wanted = false;
    bool any_seen = false;
    NearSolids near_closed;  ///< for what `f` says
    NearSolids near_solid;  ///< and for what surfaces() says
    Field region;  ///< the number of each cell's region, as closed_regions() says; if any needs it
    std::vector<ClosedRegion> closed;
    double closed_divergence = 0.0;
    double friction[3] = {};  ///< on all solids, in the last step
    double push[3] = {};  ///< of the pressure
    std::unique_ptr<Bodies> bodies;  ///< none, until any are named
    bool pushed = true;  ///< whether `push` is that of the last step; before any, it is 0
};

}  // namespace box
