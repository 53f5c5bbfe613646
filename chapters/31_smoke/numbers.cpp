// The table behind --numbers: heat and smoke in small boxes, and with --long the heated cavity of
// de Vahl Davis at all his Rayleigh numbers.
#include "solver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "31_smoke/cavity.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/flows.hpp"
#include "window/measures.hpp"
#include "window/sources.hpp"

namespace {

using namespace workbook;

const char* name_of(Advection advection) {
    return advection == Advection::LINEAR  ? "linear"
           : advection == Advection::SHARP ? "sharp"
                                           : "reflected";
}

/// A heated cavity of n x n cells after as much time as so many of its steps take. The first of
/// them, `hurried`, pass in steps that are four times as long. They lead to nearly the same steady
/// flow, and the rest leads to that of short steps. No wall moves, so the direct solver keeps its
/// factors, and is faster than multigrid.
Fluid heated(int n, double rayleigh, Advection advection, int steps, int hurried) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-6;
    fluid.advection = advection;
    begin_heated_cavity(fluid, rayleigh);
    const double dt = heated_cavity_dt(fluid, rayleigh);
    for (int count = 0; count < hurried / 4; ++count) {
        step(fluid, 4.0 * dt);
    }
    for (int count = hurried; count < steps; ++count) {
        step(fluid, dt);
    }
    return fluid;
}

/// A cavity beside its row of the table. The Nusselt numbers may be off by one share of it, the
/// velocities by the other.
void add_cavity(Numbers& numbers, int n, const HeatedCavity& paper, Advection advection,
                double share, double velocity_share) {
    const int hurried = n < 64 ? 0 : 2000;
    const Fluid fluid = heated(n, paper.rayleigh, advection, 3000, hurried);
    const HeatedCavity found = heated_cavity_of(fluid, paper.rayleigh);
    const std::string cells = std::to_string(n) + " x " + std::to_string(n);
    numbers.checked("Ra " + in_few_words(paper.rayleigh) + ", " + cells + ", " +
                        name_of(advection) + ": Nusselt, mean of the volume",
                    paper.nusselt, found.nusselt, share * paper.nusselt, "de Vahl Davis");
    numbers.checked("  at the warm wall", paper.nusselt, nusselt_of_column(fluid, 0),
                    share * paper.nusselt, "the same");
    numbers.checked("  largest u", paper.u_max, found.u_max, velocity_share * paper.u_max,
                    "de Vahl Davis");
    numbers.checked("  largest v", paper.v_max, found.v_max, velocity_share * paper.v_max,
                    "de Vahl Davis");
}

/// The Nusselt number of a small cavity, and of one in which buoyancy acts after viscosity. Both
/// are compared with what this program has found before.
void add_order(Numbers& numbers) {
    for (const bool is_before : {true, false}) {
        Fluid fluid(16, 16, 1);
        fluid.h = 1.0 / 16;
        fluid.solver = Solver::DIRECT;
        fluid.tolerance = 1e-6;
        fluid.advection = Advection::SHARP;
        begin_heated_cavity(fluid, 1e4);
        const double dt = 2.0 * heated_cavity_dt(fluid, 1e4);
        for (int n = 0; n < 1000; ++n) {
            if (is_before) {
                step(fluid, dt);
            } else {
                advect_velocity(fluid, dt);
                diffuse_velocity(fluid, dt);
                add_buoyancy(fluid, dt);
                add_force(fluid, dt);
                project(fluid, dt);
                advect_smoke(fluid, dt);
            }
        }
        numbers.checked(is_before ? "Ra 1e+04, 16 x 16, sharp: Nusselt, mean of the volume"
                                  : "  if buoyancy acts after viscosity",
                        is_before ? 2.3365 : 2.3570, mean_nusselt(fluid), 1e-3,
                        "as recorded; de Vahl Davis: 2.243");
    }
}

/// A closed, insulated box with a warm ball of smoke in it.
Fluid insulated(Advection advection) {
    Fluid fluid(32, 48, 1);
    fluid.h = 1.0 / 32;
    fluid.solver = Solver::DIRECT;
    fluid.advection = advection;
    fluid.beta = 4.0;
    for (int j = 0; j < 48; ++j) {
        for (int i = 0; i < 32; ++i) {
            const double away = std::hypot(i + 0.5 - 16.0, j + 0.5 - 36.0);
            fluid.smoke(i, j, 0) = fluid.temperature(i, j, 0) =
                std::clamp(8.0 - away, 0.0, 4.0) / 4.0;
        }
    }
    return fluid;
}

/// How far a field is from being its own mirror image, left and right exchanged.
double lopsided(const Field& field) {
    double most = 0.0;
    for (int j = 0; j < field.ny; ++j) {
        for (int i = 0; i < field.nx; ++i) {
            most = std::max(most, std::abs(field(i, j, 0) - field(field.nx - 1 - i, j, 0)));
        }
    }
    return most;
}

void add_forces(Numbers& numbers) {
    Fluid fluid(4, 5, 3);
    fluid.alpha = 3.0;
    fluid.beta = 2.0;
    fluid.temperature(1, 2, 1) = 5.0;
    fluid.smoke(1, 2, 1) = 1.0;
    add_buoyancy(fluid, 0.1);
    numbers.checked("one warm cell with smoke, in 0.1 seconds: the face above", -0.35,
                    fluid.v(1, 2, 1), 1e-15, "0.1 / 2 (3 - 2 times 5): up");
    numbers.checked("  the face below", -0.35, fluid.v(1, 3, 1), 1e-15, "the same");
    numbers.checked("  all faces", -0.7, total(fluid.v), 1e-15, "no other");
    const auto strength = [](int n) {
        Fluid whirl(n, n, 1);
        whirl.h = 1.0 / n;
        whirl.epsilon = 1.0;
        set_stream(whirl, [](double x, double y) {
            return std::exp(-20.0 * ((x - 0.5) * (x - 0.5) + (y - 0.4) * (y - 0.4)));
        });
        whirl.u.values.assign(whirl.u.values.size(), 0.0);
        Fluid pushed = whirl;
        add_confinement(pushed, 1.0);
        double most = 0.0;
        for (std::size_t face = 0; face < whirl.v.values.size(); ++face) {
            most = std::max(most, std::abs(pushed.v.values[face] - whirl.v.values[face]));
        }
        return most;
    };
    numbers.checked("confinement of a whirl on 64 cells, over that on 128", 2.0,
                    strength(64) / strength(128), 0.1, "as h");
}

/// What is left of smoke and heat in a closed box after a second. Nothing flows in or out, so any
/// difference from 1 is what carrying loses or makes. `recorded` is what this program found.
void add_losses(Numbers& numbers, Advection advection, double recorded) {
    Fluid fluid = insulated(advection);
    const double smoke = total(fluid.smoke), heat = total(fluid.temperature);
    for (int n = 0; n < 100; ++n) {
        step(fluid, 0.01);
    }
    const std::string name = name_of(advection);
    numbers.checked("smoke left in a closed box after a second, " + name, recorded,
                    total(fluid.smoke) / smoke, 1e-3, "as recorded; 1 would be all");
    numbers.checked("  heat", recorded, total(fluid.temperature) / heat, 1e-3, "the same");
    numbers.checked("  largest difference of mirrored cells", 0.0, lopsided(fluid.smoke), 1e-6,
                    "rounding errors only");
}

/// How much symmetry a solver loses in the same second that stops early.
void add_symmetry(Numbers& numbers) {
    Fluid fluid = insulated(Advection::SHARP);
    fluid.solver = Solver::MULTIGRID;
    fluid.tolerance = 1e-3;
    for (int n = 0; n < 100; ++n) {
        step(fluid, 0.01);
    }
    numbers.checked("the same, multigrid that stops at 1e-3", 0.0, lopsided(fluid.smoke), 0.01,
                    "sweeps begin at the left");
}

/// Prints how many milliseconds each part of a step takes, on the average of some steps of a plume
/// that has begun to rise. `fluid` is still and empty; its source is not placed yet.
void print_milliseconds(Fluid fluid, double tolerance, int steps) {
    const double dt = fluid.nz == 1 ? 0.01 : 0.02;
    fluid.h = 1.0 / fluid.nx;
    fluid.advection = Advection::SHARP;
    fluid.tolerance = tolerance;
    fluid.beta = 4.0;
    fluid.cooling = 0.3;
    fluid.epsilon = fluid.nz == 1 ? 0.3 : 0.5;
    fluid.sides[2].opening = Opening::OUTFLOW;
    place_sources(fluid, {{0.51, 0.12, 0.5 * fluid.nz / fluid.nx, 0.08}});
    for (int n = 0; n < 20; ++n) {
        step(fluid, dt);
    }
    std::array<double, 6> milliseconds = {};
    const auto timed = [&](int part, auto act) {
        const auto begin = std::chrono::steady_clock::now();
        act();
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - begin;
        milliseconds[part] += taken.count() / steps;
    };
    for (int n = 0; n < steps; ++n) {  // what step does, part by part
        timed(0, [&] { advect_velocity(fluid, dt); });
        timed(1, [&] { add_buoyancy(fluid, dt); });
        timed(2, [&] { diffuse_velocity(fluid, dt); });
        timed(1, [&] { add_force(fluid, dt); });
        timed(3, [&] { project(fluid, dt); });
        timed(4, [&] { advect_density(fluid, dt); });
        timed(5, [&] { advect_smoke(fluid, dt); });
    }
    double all = 0.0;
    for (const double part : milliseconds) {
        all += part;
    }
    std::printf(
        "%d x %d x %d, %s: %.1f ms a step: velocity carried %.1f, buoyancy and confinement "
        "%.1f, viscosity %.1f, pressure %.1f (%d iterations), dye %.1f, heat and smoke "
        "%.1f\n",
        fluid.nx, fluid.ny, fluid.nz, fluid.solver == Solver::DIRECT ? "factors" : "multigrid", all,
        milliseconds[0], milliseconds[1], milliseconds[2], milliseconds[3],
        static_cast<int>(fluid.residuals.size()) - 1, milliseconds[4], milliseconds[5]);
    std::fflush(stdout);
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("31_smoke: known figures beside ours");
    add_forces(numbers);
    add_losses(numbers, Advection::LINEAR, 0.9077);
    add_losses(numbers, Advection::SHARP, 0.9178);
    add_losses(numbers, Advection::REFLECTED, 0.9222);
    add_symmetry(numbers);
    add_cavity(numbers, 16, de_vahl_davis[0], Advection::SHARP, 0.03, 0.03);
    add_cavity(numbers, 16, de_vahl_davis[0], Advection::LINEAR, 0.03, 0.04);
    add_order(numbers);
    if (window.session.long_numbers) {
        Fluid flat(128, 256, 1), deep(40, 60, 40);
        print_milliseconds(flat, 1e-6, 20);  // the tolerances of the scenes
        print_milliseconds(deep, 1e-4, 10);
        flat.solver = Solver::DIRECT;
        print_milliseconds(flat, 1e-6, 20);
        for (const HeatedCavity& paper : de_vahl_davis) {
            const double share = paper.rayleigh > 1e5 ? 0.03 : paper.rayleigh > 1e4 ? 0.01 : 0.005;
            add_cavity(numbers, 64, paper, Advection::SHARP, share, 0.02);
            add_cavity(numbers, 64, paper, Advection::LINEAR, 0.15, 0.15);
        }
    }
    return numbers.print();
}
