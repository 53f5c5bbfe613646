// Warm air and smoke: how hard they push, how heat spreads, and how much of both there is.
#pragma once

#include <array>
#include <string>

#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/measures.hpp"
#include "window/window.hpp"

/// A field of the fluid that has a number in each cell, to be shown: nothing in solids.
template <class Fluid, class Field>
workbook::ShownField shown_in_cells(const Window<Fluid>& window, const std::string& name,
                                    const Field& field, float full_at, bool is_signed) {
    const auto value = [&window, &field](int i, int j) {
        const bool solid = is_solid(window.fluid, i, j, window.box.layer);
        return solid ? 0.0f : static_cast<float>(field(i, j, window.box.layer));
    };
    return {name, value, full_at, is_signed};
}

/// Adds what moves warm air, the temperature and the smoke as fields and in the state file, and how
/// much there is of both. The smoke becomes the first of the fields.
template <class Fluid>
void add_air(Window<Fluid>& window) {
    Fluid& fluid = window.fluid;
    window.add({"alpha", &fluid.alpha, "how smoke sinks", 1e6, -1e6});
    window.add({"beta", &fluid.beta, "how warmth rises", 1e6, -1e6});
    window.add({"kappa", &fluid.kappa, "how heat spreads, an area a second", 1e9});
    window.add({"cooling", &fluid.cooling, "how fast it cools, 1 / seconds", 1e6});
    window.add({"epsilon", &fluid.epsilon, "strength of the vorticity confinement", 1e6, -1e6});
    window.add({"smoke", [&fluid] { return total(fluid.smoke); }});
    window.add({"heat", [&fluid] { return workbook::without_rounding(total(fluid.temperature)); }});

    auto& fields = window.program.description.fields;
    fields.insert(fields.begin(),
                  shown_in_cells(window, "temperature", fluid.temperature, 1.0f, true));
    fields.insert(fields.begin(), shown_in_cells(window, "smoke", fluid.smoke, 1.0f, false));

    window.save("temperature", fluid.temperature);
    window.save("smoke", fluid.smoke);
    window.save_rows("air", 8, [&fluid](int row) {
        const std::array<double*, 8> numbers = {&fluid.alpha,        &fluid.beta,
                                                &fluid.kappa,        &fluid.cooling,
                                                &fluid.epsilon,      &fluid.source_temperature,
                                                &fluid.source_smoke, &fluid.h};
        return numbers[row];
    });
    window.refuse_state.add([&fluid]() -> std::string {
        if (!(fluid.kappa >= 0.0 && fluid.cooling >= 0.0)) {
            return "the third and fourth row of air, kappa and cooling, must not be negative";
        }
        if (!(fluid.h > 0.0)) {
            return "the eighth row of air, the width of a cell, must be more than 0";
        }
        return "";
    });
}
