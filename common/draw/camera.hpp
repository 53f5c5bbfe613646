// Where a cube, or a box, is seen from, and where its places appear in a picture.
#pragma once

#include <optional>

#include "common/draw/picture.hpp"

namespace workbook {

/// A place in a cube or a box, in shares of its sides: x to the right, y down, z away. Also a
/// direction, or the lengths of a box's sides.
struct Place3 {
    float x, y, z;
};

/// Where a cube is seen from: turned around its upright axis, then tipped towards the viewer, in
/// radians. From (0, 0) one looks straight along z.
struct Camera {
    float turned = 0.55f;
    float tipped = 0.4f;

    /// Turns it as if the picture were dragged by so many pixels.
    void drag(float dx, float dy);
};

/// A cube in an area of a picture, seen from far away: without perspective, so that a square in it
/// appears as a parallelogram, and each picture of a layer is moved, turned and sheared, no more.
/// Or a box with sides of those lengths, in any unit; its places run from 0 to 1 all the same.
class CubeView {
  public:
    CubeView(Rectangle area, Camera camera, Place3 sides = {1.0f, 1.0f, 1.0f});

    struct Point {
        float x, y;
    };
    /// The pixel at which a place is seen.
    Point point(Place3 place) const;

    /// How far away a place is; larger is farther.
    float distance(Place3 place) const;

    /// The place seen at a pixel on the plane where coordinate `axis` (0 is x) is `at`; nothing if
    /// the plane is seen from its edge.
    std::optional<Place3> place_on(int axis, float at, float x, float y) const;

    /// The direction in which one looks, of length 1 and along the axes as they are in space (not
    /// in shares of the sides).
    Place3 away() const { return away_; }

    /// The axis that points most nearly at the viewer, and whether its coordinate grows away.
    int facing_axis() const;
    bool grows_away(int axis) const;

  private:
    float from_x_[3], from_y_[3], from_z_[3];  ///< pixel x, y and distance for a step along an axis
    float middle_x_, middle_y_;
    Place3 away_;
};

}  // namespace workbook
