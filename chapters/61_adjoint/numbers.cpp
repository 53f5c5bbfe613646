// The table behind --numbers: what advection blurs and loses, by formula or as it was found once,
// beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/collocated.hpp"
#include "window/flows.hpp"
#include "window/measures.hpp"

namespace {

using namespace workbook;

const std::string recorded = "as recorded";

/// A row of cells in a flow to the right, one unit of length a second, through its ends as well.
Fluid row_of(std::vector<double> dye) {
    Fluid fluid(static_cast<int>(dye.size()), 1, 1);
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 1.0);
    fluid.density.values = std::move(dye);
    return fluid;
}

void add_row_by_hand(Numbers& numbers) {
    const Fluid fluid = row_of({0, 0, 8, 8, 0, 0});
    Field forth = fluid.density;
    Field back = forth;
    Field sharp = forth;
    advect(fluid, forth, fluid.density, 0.5);
    advect(fluid, back, forth, -0.5);
    advect_sharp(fluid, sharp, fluid.density, 0.5);
    numbers.checked("0 0 8 8 0 0, carried by half a cell", {0, 0, 4, 8, 4, 0}, forth.values, 1e-12,
                    "by hand");
    numbers.checked("  and back again", {0, 2, 6, 6, 2, 0}, back.values, 1e-12, "by hand");
    numbers.checked("  half the error subtracted, within limits", {0, 0, 5, 8, 3, 0}, sharp.values,
                    1e-12, "by hand");
}

/// The variance of the dye's places along a row.
double variance(const Fluid& fluid) {
    double sum = 0.0, mean = 0.0, square = 0.0;
    for (int i = 0; i < fluid.nx; ++i) {
        const double x = fluid.h * (i + 0.5);
        sum += fluid.density(i, 0, 0);
        mean += x * fluid.density(i, 0, 0);
        square += x * x * fluid.density(i, 0, 0);
    }
    mean /= sum;
    return square / sum - mean * mean;
}

/// What a flow that carries by a share `a` of a cell in each step blurs, as a viscosity: half of
/// what the variance of a smooth hill grows by in a second.
double blur(Advection advection, double a, double h, double dt) {
    std::vector<double> hill(128);
    for (int i = 0; i < 128; ++i) {
        hill[i] = std::exp(-0.5 * std::pow((i - 50) / 6.0, 2));
    }
    Fluid fluid = row_of(hill);
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), a * h / dt);
    fluid.h = h;
    fluid.advection = advection;
    const double before = variance(fluid);
    for (int steps = 0; steps < 20; ++steps) {
        advect_density(fluid, dt);
    }
    return (variance(fluid) - before) / (2.0 * 20.0 * dt);
}

void add_blur(Numbers& numbers, double a, double sharp) {
    const double h = 0.5;
    const double dt = a * h;
    numbers.checked("steps of " + in_words(a) + " cells: numerical viscosity",
                    a * (1.0 - a) * h * h / (2.0 * dt), blur(Advection::LINEAR, a, h, dt), 1e-6,
                    "a (1 - a) h^2 / (2 dt)");
    numbers.checked("  sharp", sharp, blur(Advection::SHARP, a, h, dt), 1e-5, recorded);
}

/// The velocity of the single vortex, in a box that is 1 wide.
Vector vortex_velocity(double x, double y) {
    const double pi = std::numbers::pi;
    return {std::sin(pi * x) * std::cos(pi * y), -std::cos(pi * x) * std::sin(pi * y), 0.0};
}

/// Where that which the vortex carries to (x, y) was a time ago, by small steps.
Vector vortex_departure(double x, double y, double time) {
    const double dt = -time / 50;
    for (int steps = 0; steps < 50; ++steps) {
        const Vector a = vortex_velocity(x, y);
        const Vector b = vortex_velocity(x + 0.5 * dt * a.x, y + 0.5 * dt * a.y);
        const Vector c = vortex_velocity(x + 0.5 * dt * b.x, y + 0.5 * dt * b.y);
        const Vector d = vortex_velocity(x + dt * c.x, y + dt * c.y);
        x += dt / 6.0 * (a.x + 2.0 * b.x + 2.0 * c.x + d.x);
        y += dt / 6.0 * (a.y + 2.0 * b.y + 2.0 * c.y + d.y);
    }
    return {x, y, 0.0};
}

/// The mean error of a smooth hill that the vortex has carried for half a second, one cell in each
/// step at most.
double error_of_hill(Advection advection, int n) {
    const auto hill = [](double x, double y) {
        return std::exp(-100.0 * ((x - 0.5) * (x - 0.5) + (y - 0.3) * (y - 0.3)));
    };
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.advection = advection;
    set_vortices(fluid, 1);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            fluid.density(i, j, 0) = hill((i + 0.5) / n, (j + 0.5) / n);
        }
    }
    for (int steps = 0; steps < n / 2; ++steps) {
        advect_density(fluid, 1.0 / n);
    }
    double error = 0.0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const Vector was = vortex_departure((i + 0.5) / n, (j + 0.5) / n, 0.5);
            error += std::abs(fluid.density(i, j, 0) - hill(was.x, was.y)) / (n * n);
        }
    }
    return error;
}

/// The order of convergence: the power of the cells' width with which the error shrinks.
void add_orders(Numbers& numbers, int n) {
    const std::string sizes = std::to_string(n) + " to " + std::to_string(2 * n) + " cells: ";
    const auto order = [&](Advection advection) {
        return std::log2(error_of_hill(advection, n) / error_of_hill(advection, 2 * n));
    };
    numbers.checked(sizes + "order of linear advection", 1.0, order(Advection::LINEAR), 0.15,
                    "in theory");
    numbers.checked("  of sharp advection", 2.0, order(Advection::SHARP), 0.2, "in theory");
}

/// Zalesak's disk after one turn on 100 x 100 cells: what it differs by, and its dye.
void add_zalesak(Numbers& numbers, int steps, std::pair<double, double> linear,
                 std::pair<double, double> sharp) {
    for (const auto& [advection, expected] :
         {std::pair(Advection::LINEAR, linear), std::pair(Advection::SHARP, sharp)}) {
        Fluid fluid(100, 100, 1);
        fluid.advection = advection;
        set_wheel(fluid, 1.0);
        set_dye(fluid, in_zalesaks_disk);
        const Field before = fluid.density;
        for (int done = 0; done < steps; ++done) {
            advect_density(fluid, 1.0 / steps);
        }
        const bool is_linear = advection == Advection::LINEAR;
        numbers.checked(is_linear ? "Zalesak's disk, one turn in " + std::to_string(steps) +
                                        " steps: error, linear"
                                  : "  error, sharp",
                        expected.first, share_displaced(fluid.density, before), 0.001, recorded);
        numbers.checked(is_linear ? "  its dye, linear" : "  its dye, sharp", expected.second,
                        total(fluid.density) / total(before), 0.001, recorded);
    }
}

/// The share of a fluid's kinetic energy that 50 steps of 0.03 seconds leave.
double energy_kept(Fluid fluid) {
    const double before = kinetic_energy(fluid);
    fluid.tolerance = 1e-8;
    for (int steps = 0; steps < 50; ++steps) {
        step(fluid, 0.03);
    }
    return kinetic_energy(fluid) / before;
}

void add_energies(Numbers& numbers) {
    Fluid fluid(64, 64, 1);
    fluid.h = 1.0 / 64;
    set_vortices(fluid, 2);
    const double linear = energy_kept(fluid);
    fluid.advection = Advection::SHARP;
    const double sharp = energy_kept(fluid);
    fluid.advection = Advection::REFLECTED;
    numbers.checked("four vortices: energy after 1.5 s, linear", 0.46, linear, 0.005, recorded);
    numbers.checked("  sharp", 0.54, sharp, 0.005, recorded);
    numbers.checked("  reflected", 0.99, energy_kept(fluid), 0.005, recorded);
    const double viscosity = fluid.h * fluid.h / (12.0 * 0.03);  // the mean of a (1 - a) is 1/6
    const double k = 2.0 * std::numbers::pi;
    numbers.checked("  linear over sharp", std::exp(-2.0 * viscosity * 2.0 * k * k * 1.5),
                    linear / sharp, 0.02, "the decay by h^2 / (12 dt)");
    numbers.checked("  h^2 / (12 dt), in box widths squared", 0.000678, viscosity, 1e-6, "by hand");

    Fluid pinwheel(2, 2, 1);
    pinwheel.v(0, 1, 0) = 1.0;
    advect_velocity(pinwheel, 0.1);
    numbers.checked("pinwheel: energy before its projection", 0.405, kinetic_energy(pinwheel),
                    1e-12, "0.9^2 / 2");
    project(pinwheel, 0.1);
    numbers.checked("  after it", 0.10125, kinetic_energy(pinwheel), 1e-9, "4 x 0.225^2 / 2");
    subtract_gradient(pinwheel, 0.1);
    numbers.checked("  reflected", 0.405, kinetic_energy(pinwheel), 1e-9, "as before");
}

/// Carries the velocity sharply, with all of the correction, whatever energy it makes.
void advect_velocity_unbounded(Fluid& fluid, double dt) {
    const Fluid before = fluid;
    advect_sharp(before, fluid.u, before.u, dt);
    advect_sharp(before, fluid.v, before.v, dt);
    advect_sharp(before, fluid.w, before.w, dt);
    set_bnd(fluid);
}

/// Taylor and Green's vortices in a cube, n cells and 1 long, each as fast as 1 a second at most.
Fluid vortices_in_a_cube(int n) {
    Fluid fluid(n, n, n);
    fluid.h = 1.0 / n;
    fluid.advection = Advection::SHARP;
    const double k = std::numbers::pi;
    for_each_point(fluid.density, [&](int i, int j, int l) {
        const double left = k * fluid.h * i;
        const double above = k * fluid.h * j;
        const double half = 0.5 * k * fluid.h;
        const double depth = std::cos(k * fluid.h * (l + 0.5));
        fluid.u(i, j, l) = std::sin(left) * std::cos(above + half) * depth;
        fluid.v(i, j, l) = -std::cos(left + half) * std::sin(above) * depth;
    });
    return fluid;
}

/// What is left of the energy in a cube after 500 steps of a tenth of a cell, without friction.
void add_energies_in_a_cube(Numbers& numbers) {
    Fluid fluid = vortices_in_a_cube(12);
    Fluid unbounded = fluid;
    const double before = kinetic_energy(fluid);
    const double dt = 0.1 * fluid.h;
    for (int steps = 0; steps < 500; ++steps) {
        advect_velocity(fluid, dt);
        project(fluid, dt);
        advect_velocity_unbounded(unbounded, dt);
        project(unbounded, dt);
    }
    numbers.checked("vortices in a cube: energy after 500 short steps, unbounded", 2.50,
                    kinetic_energy(unbounded) / before, 0.05, recorded);
    numbers.checked("  bounded", 0.887, kinetic_energy(fluid) / before, 0.005, recorded);
}

/// Carries a round spot of dye in a vortex for two seconds, and returns how much of it is there
/// then: with 07_project's fluid, and with this one.
double dye_left(Fluid fluid) {
    const double before = total(fluid.density);
    fluid.tolerance = 1e-6;
    for (int steps = 0; steps < 60; ++steps) {
        step(fluid, 1.0 / 30.0);
    }
    return total(fluid.density) / before;
}

double dye_left(collocated::Fluid fluid) {
    const auto sum = [&fluid] {
        double found = 0.0;
        for (int j = 1; j <= fluid.density.N; ++j) {
            for (int i = 1; i <= fluid.density.N; ++i) {
                found += fluid.density(i, j);
            }
        }
        return found;
    };
    const double before = sum();
    for (int steps = 0; steps < 60; ++steps) {
        step(fluid, 1.0f / 30.0f);
    }
    return sum() / before;
}

/// One row for each of the expected figures: 07_project's with 20 sweeps and with 2000, and ours.
void add_dye(Numbers& numbers, double x0, double y0, const std::vector<double>& first,
             const std::vector<double>& ours) {
    Fluid fluid(64, 64, 1);
    fluid.h = 1.0 / 64;
    set_vortices(fluid, 1);
    set_dye(fluid, [&](double x, double y) { return std::hypot(x - x0, y - y0) < 0.12; });
    const std::string spot = "dye at " + in_words(x0) + ", " + in_words(y0) + " after 2 s: ";
    collocated::Fluid beside = collocated::fluid_like(fluid);
    numbers.checked(spot + "left by 07_project", first[0], dye_left(beside), 0.002, recorded);
    if (first.size() > 1) {
        beside.pressure_iterations = 2000;
        numbers.checked("  with 2000 sweeps", first[1], dye_left(beside), 0.002, recorded);
    }
    const std::vector<std::string> names = {"  linear", "  sharp", "  reflected"};
    for (std::size_t k = 0; k < names.size(); ++k) {
        fluid.advection = static_cast<Advection>(k);
        numbers.checked(names[k], ours[k], dye_left(fluid), 0.002, recorded);
    }
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("16_sharp: known figures beside ours");
    add_row_by_hand(numbers);
    add_blur(numbers, 0.1, 0.002041);
    add_blur(numbers, 0.25, 0.001903);
    add_blur(numbers, 0.5, 0.001606);
    const collocated::Fluid first(16);
    numbers.checked("16 x 16 cells, 1/60 s: the most it can be", 60.0 / (8.0 * 16.0 * 16.0),
                    blur(Advection::LINEAR, 0.5, 1.0 / 16.0, 1.0 / 60.0), 1e-7,
                    "h^2 / (8 dt), in box widths squared");
    numbers.checked("  07_project's rate for dye", 0.006, first.density_diffuse_rate, 1e-8,
                    "in the same unit");
    add_orders(numbers, 64);
    add_energies(numbers);
    add_energies_in_a_cube(numbers);
    add_zalesak(numbers, 100, {0.7307, 0.6752}, {0.5184, 1.0057});
    add_dye(numbers, 0.5, 0.3, {2.167, 0.693}, {0.692, 1.010, 1.011});
    add_dye(numbers, 0.7, 0.75, {1.031}, {0.853, 1.032, 1.045});
    if (window.session.long_numbers) {
        add_orders(numbers, 128);
        add_zalesak(numbers, 628, {1.0338, 0.8922}, {0.6993, 1.0297});
    }
    return numbers.print();
}
