// The factor L of the matrix A, as a spy plot.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "common/algebra/algebra.hpp"
#include "common/draw/spy.hpp"
#include "window/window.hpp"

/// The entries of L. Those are marked that A does not have: the fill-in. Eigen numbers the cells
/// anew before it factorizes, and L has this order.
template <class Factors>
std::vector<workbook::MatrixEntry> entries_of_factor(const Factors& factors) {
    const Eigen::SparseMatrix<double> L = factors.ldlt.matrixL();
    Eigen::SparseMatrix<double> in_its_order = assemble_matrix(factors.A);
    in_its_order = in_its_order.twistedBy(factors.ldlt.permutationP());
    std::vector<workbook::MatrixEntry> entries = workbook::entries_of(L);
    for (workbook::MatrixEntry& entry : entries) {
        entry.is_marked = in_its_order.coeff(entry.row, entry.column) == 0.0;
    }
    return entries;
}

/// Draws L, and counts the fill-in.
template <class Factors>
void draw_factor(workbook::Picture& picture, workbook::Rectangle area, const Factors& factors) {
    const std::vector<workbook::MatrixEntry> entries = entries_of_factor(factors);
    const auto fill_in = std::count_if(entries.begin(), entries.end(),
                                       [](const auto& entry) { return entry.is_marked; });
    workbook::draw_spy(
        picture, area, static_cast<int>(factors.A.diagonal.values.size()), entries, 0.5,
        "L: " + std::to_string(entries.size()) + " entries, green: " + std::to_string(fill_in) +
            " of them, which A does not have");
}

/// Adds the key L, which shows the factor L instead of the fluid's cells.
template <class Fluid>
void show_factor(Window<Fluid>& window) {
    struct Shown {
        bool is_on = false;
        decltype(Fluid::factors) factors;
    };
    const auto shown = std::make_shared<Shown>();
    window.add_key('l', "the factor L of A", [shown] { shown->is_on = !shown->is_on; });
    window.draws.add([&window, shown](workbook::Picture& picture, workbook::Rectangle area) {
        if (!shown->is_on) {
            return false;
        }
        const auto A = pressure_matrix(window.fluid);
        if (!shown->factors || shown->factors->A != A) {
            shown->factors = factorize(A);
        }
        if (shown->factors) {  // there are none until factorize is written
            draw_factor(picture, area, *shown->factors);
        }
        return true;
    });
}
