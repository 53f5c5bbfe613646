#pragma once

#include <string>
#include <vector>

#include "common/draw/cells.hpp"

namespace workbook {

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
