// The solver and the advection, which the reader may choose from 16_sharp on.
#pragma once

#include "window/direct.hpp"
#include "window/residuals.hpp"
#include "window/turn.hpp"
#include "window/window.hpp"

/// Adds the choice among the solvers up to 15_multigrid, and the residual that is left. A window
/// need not be as accurate as a test.
template <class Fluid>
void choose_solver(Window<Fluid>& window) {
    window.choose("solver", &Fluid::solver,
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned", "multigrid"},
                  "how the pressure is found");
    window.fluid.tolerance = 1e-6;
    limit_direct(window);
    add_residual(window);
}

/// Adds the choice among the advections of 16_sharp, and begins with the last of them.
template <class Fluid>
void choose_advection(Window<Fluid>& window) {
    window.fluid.advection = decltype(Fluid::advection)::REFLECTED;
    window.choose("advection", &Fluid::advection, {"linear", "sharp", "reflected"},
                  "how the fields are carried");
    save_turn(window);
}
