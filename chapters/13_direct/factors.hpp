// A and its factor L beside each other, as spy plots.
#pragma once

#include <Eigen/SparseCore>
#include <memory>

#include "window/spy.hpp"
#include "window/window.hpp"

/// Draws A on the left and L on the right. Eigen numbers the cells anew before it factorizes, and L
/// has this order.
template <class Matrix, class Factors>
void draw_factors(workbook::Picture& picture, workbook::Rectangle area, const Matrix& A,
                  const Factors& factors) {
    const int rows = static_cast<int>(A.diagonal.values.size());
    area.width /= 2;
    draw_entries(picture, area, rows, entries_of(A), "A");
    const Eigen::SparseMatrix<double> L = factors.ldlt.matrixL();
    area.x += area.width;
    draw_entries(picture, area, rows, workbook::entries_of(L), "L");
}

/// Adds the key M, which shows A and L instead of the fluid's cells.
template <class Fluid>
void show_factors(Window<Fluid>& window) {
    struct Shown {
        bool is_on = false;
        decltype(Fluid::factors) factors;
    };
    const auto shown = std::make_shared<Shown>();
    window.add_key('m', "the matrix A and its factor L", [shown] { shown->is_on = !shown->is_on; });
    window.draws.add([&window, shown](workbook::Picture& picture, workbook::Rectangle area) {
        if (!shown->is_on) {
            return false;
        }
        const auto A = pressure_matrix(window.fluid);
        if (!shown->factors || shown->factors->A != A) {
            shown->factors = factorize(A);
        }
        if (shown->factors) {  // there are none until factorize is written
            draw_factors(picture, area, A, *shown->factors);
        }
        return true;
    });
}
