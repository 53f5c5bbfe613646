#include "common/draw/camera.hpp"

#include <algorithm>
#include <cmath>

namespace workbook {
namespace {

float coordinate(Place3 place, int axis) {
    return axis == 0 ? place.x : axis == 1 ? place.y : place.z;
}

}  // namespace

void Camera::drag(float dx, float dy) {
    turned += 0.01f * dx;
    tipped = std::clamp(tipped + 0.01f * dy, -1.55f, 1.55f);
}

CubeView::CubeView(Rectangle area, Camera camera, Place3 sides)
    : middle_x_(static_cast<float>(area.x) + 0.5f * static_cast<float>(area.width)),
      middle_y_(static_cast<float>(area.y) + 0.5f * static_cast<float>(area.height)) {
    // The box's diagonal is as long as the area allows: it may be turned any way.
    const float diagonal = std::sqrt(sides.x * sides.x + sides.y * sides.y + sides.z * sides.z);
    const float size = static_cast<float>(std::min(area.width, area.height)) / diagonal;
    const float cos_turn = std::cos(camera.turned);
    const float sin_turn = std::sin(camera.turned);
    const float cos_tip = std::cos(camera.tipped);
    const float sin_tip = std::sin(camera.tipped);
    const float right[3] = {cos_turn, 0.0f, sin_turn};
    const float away[3] = {-sin_turn, 0.0f, cos_turn};
    for (int axis = 0; axis < 3; ++axis) {
        const float side = coordinate(sides, axis);
        const float down = axis == 1 ? 1.0f : 0.0f;
        from_x_[axis] = side * size * right[axis];
        from_y_[axis] = side * size * (cos_tip * down - sin_tip * away[axis]);
        from_z_[axis] = side * (sin_tip * down + cos_tip * away[axis]);
    }
    away_ = {cos_tip * away[0], sin_tip, cos_tip * away[2]};
}

CubeView::Point CubeView::point(Place3 place) const {
    Point found = {middle_x_, middle_y_};
    for (int axis = 0; axis < 3; ++axis) {
        const float step = coordinate(place, axis) - 0.5f;
        found.x += step * from_x_[axis];
        found.y += step * from_y_[axis];
    }
    return found;
}

float CubeView::distance(Place3 place) const {
    return place.x * from_z_[0] + place.y * from_z_[1] + place.z * from_z_[2];
}

std::optional<Place3> CubeView::place_on(int axis, float at, float x, float y) const {
    const int a = (axis + 1) % 3;
    const int b = (axis + 2) % 3;
    const float determinant = from_x_[a] * from_y_[b] - from_x_[b] * from_y_[a];
    if (std::abs(determinant) < 1.0f) {
        return std::nullopt;
    }
    const float dx = x - middle_x_ - (at - 0.5f) * from_x_[axis];
    const float dy = y - middle_y_ - (at - 0.5f) * from_y_[axis];
    float found[3];
    found[axis] = at;
    found[a] = 0.5f + (dx * from_y_[b] - dy * from_x_[b]) / determinant;
    found[b] = 0.5f + (dy * from_x_[a] - dx * from_y_[a]) / determinant;
    return Place3{found[0], found[1], found[2]};
}

int CubeView::facing_axis() const {
    int found = 0;
    for (int axis = 1; axis < 3; ++axis) {
        found =
            std::abs(coordinate(away_, axis)) > std::abs(coordinate(away_, found)) ? axis : found;
    }
    return found;
}

bool CubeView::grows_away(int axis) const {
    return from_z_[axis] > 0.0f;
}

}  // namespace workbook
