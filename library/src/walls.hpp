// What a quantity needs to know of the faces of the box.
#pragma once

#include <vector>

#include "library/src/grid.hpp"
#include "stable_fluids.h"

namespace box {

/// What there is at one end of an axis, for one quantity.
struct End {
    enum Kind {
        JOINED,  ///< the other end
        IN_PLACE,  ///< the outermost face lies in it, and its value is given
        HALFWAY,  ///< a wall half a place away, where the value is given
        CLOSED,  ///< a wall that the quantity does not notice
        FED,  ///< likewise, but to the equations the place beyond holds the value more
        OPEN,  ///< the outermost face lies in it, and is computed
        BEYOND  ///< the place beyond it holds the value
    };
    Kind kind = CLOSED;
    float value = 0.0f;
};

/// The two ends of each axis, for one quantity.
struct Ends {
    End low[3], high[3];
};

/// All that a quantity needs to know of the walls.
struct Walls {
    SetBnd ghosts[3];  ///< gives the ghosts along each axis what interpolation needs
    SetBnd given[3];  ///< gives them what the equations need
    SetBnd wraps[3];  ///< brings those of joined ends up to date, in the equations
    int wrap_count = 0;
    Equations equations;  ///< with weights of 1
};

/// Whether fluid may go in and out through a face, at a given pressure.
bool is_open(const stable_fluids_face& face);

/// What the pressure finds at a face.
End end_of_pressure(const stable_fluids_face& face);

/// The ends of all axes, each as of_face(number of the face, axis) says.
template <class OfFace>
Ends ends_of(OfFace of_face) {
    Ends ends;
    for (int axis = 0; axis < 3; ++axis) {
        ends.low[axis] = of_face(2 * axis, axis);
        ends.high[axis] = of_face(2 * axis + 1, axis);
    }
    return ends;
}

/// The operation that does these mirrors along an axis, for all lines of places.
SetBnd mirrors_along(int axis, const std::vector<Mirror>& mirrors, const Extent& everything);

/// The operation that gives x its ghosts along an axis. Those along the next axis take whole rows
/// or layers from elsewhere, with their ghosts.
SetBnd ghosts_of(const Array& x, const Walls& walls, int axis);

/// Works out the walls of a quantity in a box of n[0] x n[1] x n[2] cells. It lives on the faces
/// that look along axis `faces`, or (3) at the centres.
Walls walls_of(const int n[3], bool deep, int faces, const Ends& ends);

}  // namespace box
