// The solver and the advection, which the reader may choose from 16_sharp on.
#pragma once

#include "window/direct.hpp"
#include "window/residuals.hpp"
#include "window/turn.hpp"
#include "window/window.hpp"

/// Adds the choice among the solvers of 14_gradients, and the residual that is left.
template <class Fluid>
void choose_solver(Window<Fluid>& window) {
    window.choose("solver", &Fluid::solver,
                  {"gauss-seidel", "direct", "conjugate-gradients", "preconditioned"},
                  "how the pressure is found");
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
