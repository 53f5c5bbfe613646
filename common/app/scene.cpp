#include "common/app/scene.hpp"

#include <cmath>
#include <numbers>

#include "common/io/output.hpp"

namespace workbook {
namespace {

/// A long stroke from the lower left to the upper right that first dips: no mirror image of itself.
std::vector<Place> drag() {
    std::vector<Place> path;
    for (int k = 0; k <= 24; ++k) {
        const float t = static_cast<float>(k) / 24.0f;
        path.push_back({0.15f + 0.6f * t, 0.62f + 0.55f * t * (0.45f - t)});
    }
    return path;
}

/// Three quarters of a circle, off the middle.
std::vector<Place> swirl() {
    std::vector<Place> path;
    for (int k = 0; k <= 36; ++k) {
        const float angle = 1.5f * std::numbers::pi_v<float> * static_cast<float>(k) / 36.0f;
        path.push_back({0.45f + 0.25f * std::cos(angle), 0.55f + 0.25f * std::sin(angle)});
    }
    return path;
}

/// Short pushes to the right in one place near the left wall.
std::vector<Place> jet() {
    std::vector<Place> path;
    for (int k = 0; k <= 12; ++k) {
        path.push_back({0.13f + 0.004f * static_cast<float>(k), 0.45f});
    }
    return path;
}

/// A stroke that ends at the right wall.
std::vector<Place> wall() {
    std::vector<Place> path;
    for (int k = 0; k <= 16; ++k) {
        const float t = static_cast<float>(k) / 16.0f;
        path.push_back({0.55f + 0.44f * t, 0.45f - 0.2f * t});
    }
    return path;
}

}  // namespace

const std::vector<Scene>& scenes() {
    static const std::vector<Scene> all = {
        {"drag", "one long stroke, upwards to the right", drag()},
        {"swirl", "three quarters of a circle", swirl()},
        {"jet", "a push to the right, near the left wall", jet()},
        {"wall", "a stroke that ends at the right wall", wall()},
        {"drop", "one click", {{0.47f, 0.47f}}},
        {"corner", "one click in the upper left corner", {{0.01f, 0.01f}}},
        {"none", "nothing", {}},
    };
    return all;
}

const Scene& scene_named(const std::string& name) {
    std::string names;
    for (const Scene& scene : scenes()) {
        if (scene.name == name) {
            return scene;
        }
        names += (names.empty() ? "" : ", ") + scene.name;
    }
    throw InputError("--scene " + name + ": no scene of that name; there are " + names);
}

}  // namespace workbook
