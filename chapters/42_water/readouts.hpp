// What a window says about water: a line of text, and the columns of --history.
#pragma once

#include "42_water/measures.hpp"
#include "42_water/scenes.hpp"
#include "42_water/surface.hpp"
#include "window/loads.hpp"
#include "window/measures.hpp"
#include "window/window.hpp"

/// Measures the water of the window's fluid, and not what the grid holds in the air. Without air
/// there is no surface, and the volume is 0.
template <class Fluid>
void measure_water(Window<Fluid>& window, const WaterScenes<Fluid>& scenes) {
    const Fluid& fluid = window.fluid;
    window.max_divergence = [](const Fluid& seen) {
        return seen.has_air ? largest_divergence_of_water(seen) : largest_divergence_of_fluid(seen);
    };
    window.energy = [](const Fluid& seen) {
        return seen.has_air ? energy_of_water(seen) : kinetic_energy(seen);
    };
    const auto volume = [&fluid] { return fluid.has_air ? water_volume(fluid) : 0.0; };
    window.add({"volume", volume});
    const auto in_columns = [&scenes](double length) {
        return scenes.column > 0.0 ? length / scenes.column : 0.0;
    };
    window.history_columns = {
        {"front", [&fluid, in_columns] { return in_columns(front(fluid)); }},
        {"height", [&fluid, in_columns] { return in_columns(height(fluid)); }},
        {"volume", volume}};
}
