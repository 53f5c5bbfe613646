// What burns, glows and expands in numbers: how fast, how hot, and how much of it there is.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "32_fire/burners.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/air.hpp"
#include "window/measures.hpp"
#include "window/window.hpp"

/// Adds how fuel burns, the fuel and the expansion as fields and in the state file, and what is
/// measured of both.
template <class Fluid>
void add_combustion(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    window.add({"ambient", &fluid.ambient, "kelvin outside", 1e5, 1.0});
    window.add({"gravity", &fluid.gravity, "how light gas rises", 1e6, -1e6});
    window.add({"burning", &fluid.burning, "how fast fuel burns, 1 / s", 1e6});
    window.add({"ignition", &fluid.ignition, "of fuel, from that outside", 1e5});
    window.add({"heat", &fluid.heat, "of all the fuel in a cell, kelvin", 1e5});
    window.add({"soot", &fluid.soot, "smoke that it leaves", 1e3});
    window.add({"hottest", &fluid.hottest, "flame, from that outside", 1e5, 1.0});
    window.add({"radiation", &fluid.radiation, "of the hottest, kelvin / s", 1e6});
    window.add({"expands", &fluid.expands, "1: as an ideal gas", 10.0});

    using workbook::without_rounding;
    window.add({"fuel", [&fluid] { return total(fluid.fuel); }});
    window.add({"expands", [&fluid] { return without_rounding(balance_of(fluid).expansion); }});
    const auto is_vessel = [&fluid] {
        return std::none_of(std::begin(fluid.sides), std::end(fluid.sides),
                            [](const auto& side) { return side.opening == Opening::OUTFLOW; });
    };
    window.add({"p0'/p0", [&fluid] { return pressure_rise(fluid); }, true, is_vessel});

    auto& fields = window.program.description.fields;  // behind smoke and temperature
    fields.insert(fields.begin() + 2,
                  shown_in_cells(window, "expansion", fluid.expansion, 3.0f, true));
    fields.insert(fields.begin() + 2, shown_in_cells(window, "fuel", fluid.fuel, 1.0f, false));

    window.save("fuel", fluid.fuel);
    window.save("expansion", fluid.expansion);
    window.save_rows("fire", 10, [&fluid](int row) {
        const std::array<double*, 10> numbers = {
            &fluid.ambient, &fluid.gravity, &fluid.burning,   &fluid.ignition, &fluid.heat,
            &fluid.soot,    &fluid.hottest, &fluid.radiation, &fluid.expands,  &fluid.source_fuel};
        return numbers[row];
    });
    window.refuse_state.add([&fluid]() -> std::string {
        if (!(fluid.ambient >= 1.0 && fluid.hottest >= 1.0)) {
            return "the first and seventh row of fire, in kelvin, must be at least 1";
        }
        if (!(fluid.burning >= 0.0 && fluid.radiation >= 0.0 && fluid.heat >= 0.0 &&
              fluid.soot >= 0.0 && fluid.expands >= 0.0)) {
            return "no row of fire may be negative, but for the second";
        }
        return "";
    });
}

/// Shows temperatures of the right size: up to 2000 kelvin where there is fire, else up to 1.
template <class Fluid>
void scale_temperature(Window<Fluid>& window) {
    const bool is_fire = window.fluid.source_temperature > 10.0;
    for (workbook::ShownField& field : window.program.description.fields) {
        if (field.name == "temperature") {
            field.full_at = is_fire ? 2000.0f : 1.0f;
            field.unit = is_fire ? "K" : "";
        }
    }
}
