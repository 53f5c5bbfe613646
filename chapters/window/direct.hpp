// How much memory the direct solver takes: its factors fill up, above all in boxes that are deep.
#pragma once

#include <cmath>
#include <string>

#include "common/app/program.hpp"
#include "window/window.hpp"

/// The memory that the factors of a box take, as measured.
inline double bytes_of_factors(workbook::Box box) {
    const double cells = 1.0 * box.nx * box.ny * box.nz;
    return 16.0 *
           (box.nz == 1 ? 2.2 * cells * std::log2(cells + 1.0) : 10.0 * std::pow(cells, 4.0 / 3.0));
}

/// Why the direct solver will not do for a box, or "".
inline std::string why_not_direct(workbook::Box box) {
    constexpr double most_cells_in_3d = 32768;
    return box.nz > 1 && 1.0 * box.nx * box.ny * box.nz > most_cells_in_3d
               ? "in a box that deep the direct solver takes minutes and gigabytes; choose another "
                 "--solver"
               : "";
}

/// Refuses boxes that are too large for the direct solver, as long as it is chosen, and counts the
/// memory of its factors.
template <class Fluid>
void limit_direct(Window<Fluid>& window) {
    const auto is_chosen = [&window] {
        const auto direct = static_cast<double>(decltype(Fluid::solver)::DIRECT);
        return window.program.description.parameter("solver") == direct;
    };
    window.refuse.add([is_chosen](workbook::Box box) -> std::string {
        return is_chosen() ? why_not_direct(box) : "";
    });
    window.count_memory(
        [is_chosen](workbook::Box box) { return is_chosen() ? bytes_of_factors(box) : 0.0; });
}
