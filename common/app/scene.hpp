#pragma once

#include <string>
#include <vector>

namespace workbook {

/// A place on the fluid: 0 is its left or upper edge, 1 the right or lower one, walls left out.
struct Place {
    float x, y;
};

/// A scripted drag: where the mouse, its left button held, is seen one time after the other. The
/// hand is quick: all of it happens before the first step, so that a state saved at any step holds
/// all there is to know. It is the same drag at any N.
struct Scene {
    std::string name;
    std::string meaning;
    std::vector<Place> path;
};

/// The scenes that `--scene` knows. The first is the default.
const std::vector<Scene>& scenes();

/// Throws InputError, listing the names, if there is no scene of that name.
const Scene& scene_named(const std::string& name);

}  // namespace workbook
