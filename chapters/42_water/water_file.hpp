// What a state file says about water: phi, and what its scene has chosen.
#pragma once

#include <memory>
#include <string>

#include "42_water/scenes.hpp"
#include "window/window.hpp"

/// Saves and loads it.
template <class Fluid>
void save_water(Window<Fluid>& window, WaterScenes<Fluid>& scenes, Fountain<Fluid>& fountain) {
    Fluid& fluid = window.fluid;
    const auto save = [&window](const std::string& name, double& number) {
        window.save_rows(name, 1, [&number](int) { return &number; });
    };
    window.save("phi", fluid.phi);
    save("weight_x", fluid.force_x);
    save("weight_y", fluid.force_y);
    save("weight_z", fluid.force_z);
    save("width_of_cell", fluid.h);
    save("column", scenes.column);
    save("nozzle", fountain.speed);
    save("nozzle_row", fountain.next_row);
    const auto has_air = std::make_shared<double>(0.0);  // a state file holds numbers
    window.save_rows("air", 1, [&fluid, has_air](int) {
        *has_air = fluid.has_air ? 1.0 : 0.0;
        return has_air.get();
    });
    window.refuse_state.add([&window, &fluid, has_air] {
        fluid.has_air = *has_air != 0.0;
        if (fluid.has_air) {
            window.set("tolerance", WaterScenes<Fluid>::tolerance(fluid));
        }
        return std::string();
    });
}
