// What a window shows of a fluid on a staggered grid: fields, and a line of text on a cell.
#pragma once

#include <string>
#include <vector>

#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/measures.hpp"

/// What a line of text says about cell (i, j, k).
template <class Fluid>
std::string description(const Fluid& fluid, int i, int j, int k) {
    using workbook::in_words;
    return "(" + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + ") dye " +
           in_words(fluid.density(i, j, k)) + " u " + in_words(fluid.u(i, j, k)) + ".." +
           in_words(fluid.u(i + 1, j, k)) + " v " + in_words(fluid.v(i, j, k)) + ".." +
           in_words(fluid.v(i, j + 1, k)) + " p " + in_words(fluid.pressure(i, j, k));
}

/// The fields that a window shows, of the fluid that `shown()` returns, in the layer that is
/// chosen.
template <class Shown>
std::vector<workbook::ShownField> fields_of(Shown shown, const int& layer) {
    std::vector<workbook::ShownField> fields;
    const auto field = [&](const std::string& name, auto value, float full_at, bool is_signed,
                           const std::string& unit) {
        const auto rounded = [shown, value, &layer](int i, int j) {
            return static_cast<float>(workbook::without_rounding(value(shown(), i, j, layer)));
        };
        fields.push_back({name, rounded, full_at, is_signed, unit});
    };
    const auto dye = [](auto& f, int i, int j, int k) { return f.density(i, j, k); };
    const auto speed = [](auto& f, int i, int j, int k) { return speed_of_cell(f, i, j, k); };
    const auto div = [](auto& f, int i, int j, int k) { return divergence_at(f, i, j, k); };
    const auto pressure = [](auto& f, int i, int j, int k) { return f.pressure(i, j, k); };
    const auto vorticity = [](auto& f, int i, int j, int k) { return vorticity_at(f, i, j, k); };
    const auto u = [](auto& f, int i, int j, int k) { return f.u(i, j, k); };
    const auto v = [](auto& f, int i, int j, int k) { return f.v(i, j, k); };
    field("dye", dye, 1.0f, false, "in a cell");
    field("speed", speed, 0.0f, false, "length/s");
    field("divergence", div, 0.0f, true, "1/s");
    field("pressure", pressure, 0.0f, true, "mass/(length s^2)");
    field("vorticity", vorticity, 0.0f, true, "1/s");
    field("u", u, 0.0f, true, "length/s");
    field("v", v, 0.0f, true, "length/s");
    return fields;
}
