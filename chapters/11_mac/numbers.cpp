// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <string>

#include "11_mac/checkerboard.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "window/collocated.hpp"
#include "window/measures.hpp"

namespace {

using namespace workbook;

/// The tutorial's fluid after its one advection step.
Fluid carried_pinwheel() {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    return fluid;
}

void add_tutorial_numbers(Numbers& numbers) {
    const std::string grid = "Normoyle, MAC Grid";
    const std::string projection = "Normoyle, the projection step";
    Fluid fluid(2, 2, 1);
    numbers.setting("cell size", 1.0, fluid.h, projection);
    numbers.setting("rho", 1.0, fluid.rho, projection);
    numbers.printed("X faces", 6, static_cast<double>(fluid.u.values.size()), grid);
    numbers.printed("Y faces", 6, static_cast<double>(fluid.v.values.size()), grid);
    numbers.printed("Z faces", 8, static_cast<double>(fluid.w.values.size()), grid);

    fluid = carried_pinwheel();
    numbers.printed("v(0, 1, 0), carried for dt = 0.1", 0.9, fluid.v(0, 1, 0), projection);
    numbers.checked("kinetic energy before", 0.405, kinetic_energy(fluid), 1e-12, "0.9^2 / 2");
    project(fluid, 0.1);
    numbers.printed("b, the right-hand side", {-9, 0, 9, 0}, fluid.rhs.values, projection);
    numbers.printed("p, its mean subtracted", {-3.375, -1.125, 3.375, 1.125}, fluid.pressure.values,
                    projection);
    numbers.printed("mU", {0, -0.225, 0, 0, 0.225, 0}, fluid.u.values, projection);
    numbers.printed("mV", {0, 0, 0.225, -0.225, 0, 0}, fluid.v.values, projection);
    numbers.printed("mW (with the eighth 0)", {0, 0, 0, 0, 0, 0, 0, 0}, fluid.w.values, projection);
    numbers.checked("kinetic energy after", 0.10125, kinetic_energy(fluid), 1e-9,
                    "4 x 0.225^2 / 2");
    numbers.checked("largest divergence after", 0.0, largest_divergence(fluid), 1e-9, "by hand");
}

void add_rho_numbers(Numbers& numbers) {
    Fluid heavy = carried_pinwheel();
    heavy.rho = 2.0;
    project(heavy, 0.1);
    numbers.checked("rho = 2: v(0, 1, 0)", 0.225, heavy.v(0, 1, 0), 1e-9, "as with rho = 1");
    heavy = carried_pinwheel();
    heavy.rho = 2.0;
    right_hand_side(heavy, 0.1);
    for (double& value : heavy.rhs.values) {
        value /= heavy.rho * heavy.rho;  // rho under the line, as the tutorial prints it
    }
    solve_pressure(heavy);
    subtract_gradient(heavy, 0.1);
    numbers.checked("  with the factor as printed", 0.73125, heavy.v(0, 1, 0), 1e-9, "by hand");
    numbers.checked("  and its largest divergence", 0.675, largest_divergence(heavy), 1e-9,
                    "by hand");
}

/// What a projection leaves of the energy of a velocity that alternates from place to place: in
/// 07_project, where velocities sit at the centres, and here.
void add_checkerboard_numbers(Numbers& numbers) {
    collocated::Fluid centred = collocated::plain_fluid(16);
    set_checkerboard(centred);
    const double centred_before = kinetic_energy(centred);
    project(centred.u, centred.v, centred.pressure, centred.divergence, 2000);
    numbers.checked("checkerboard: share of its energy kept, 07_project", 1.0,
                    kinetic_energy(centred) / centred_before, 1e-6, "central differences skip it");
    Fluid staggered(16, 16, 1);
    set_checkerboard(staggered);
    staggered.iterations = 2000;
    const double before = kinetic_energy(staggered);
    project(staggered, 0.1);
    numbers.checked("  staggered", 0.0, kinetic_energy(staggered) / before, 1e-12,
                    "it is a gradient");
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("11_mac: the texts' numbers beside ours");
    add_tutorial_numbers(numbers);
    add_rho_numbers(numbers);
    add_checkerboard_numbers(numbers);
    return numbers.print();
}
