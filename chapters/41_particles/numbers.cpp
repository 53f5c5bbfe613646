// The table behind --numbers: bodies in small boxes, and with --long the channel of Schaefer and
// Turek beside their bands.
#include "solver.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "17_obstacles/channel.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

namespace {

using namespace workbook;

/// A box of 9 x 6 cells with a wall across it, and a frame of solid cells around one cell.
Fluid rooms() {
    Fluid fluid(9, 6, 1);
    for (int j = 0; j < 6; ++j) {
        fluid.solid(3, j, 0) = 1.0;
    }
    for (int j = 1; j < 4; ++j) {
        for (int i = 5; i < 8; ++i) {
            fluid.solid(i, j, 0) = i == 6 && j == 2 ? 0.0 : 1.0;
        }
    }
    mark_solids(fluid);
    return fluid;
}

/// How many of the components are fluid.
double fluid_components(const Fluid& fluid) {
    const auto components = closed_components(fluid.pressure);
    return static_cast<double>(
        std::count_if(components.begin(), components.end(), [&](const auto& cells) {
            return fluid.solid.values[static_cast<std::size_t>(cells[0])] == 0.0;
        }));
}

void add_components(Numbers& numbers) {
    Fluid fluid = rooms();
    const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                            Eigen::MatrixXd(assemble_matrix(fluid.pressure)))
                                            .eigenvalues();
    const double zeros = static_cast<double>((eigenvalues.array().abs() < 1e-12).count());
    numbers.checked("three rooms, 14 solid cells: eigenvalues that are 0", 17.0, zeros, 0.0,
                    "one for each room, and for each solid cell");
    numbers.checked("  closed components of fluid", 3.0, fluid_components(fluid), 0.0,
                    "the three rooms");
    fluid.sides[1].opening = Opening::OUTFLOW;
    mark_outflows(fluid);
    numbers.checked("  with an outflow on the right", 2.0, fluid_components(fluid), 0.0,
                    "it reaches one of them");
}

/// The largest divergence in the fluid.
double divergence_left(const Fluid& fluid) {
    double largest = 0.0;
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            if (is_fluid(fluid.density, i, j, 0)) {
                largest = std::max(largest, std::abs(divergence_at(fluid, i, j, 0)));
            }
        }
    }
    return largest;
}

void add_bodies(Numbers& numbers) {
    Fluid fluid(32, 16, 1);
    fluid.advection = Advection::REFLECTED;
    fluid.nu = 0.1;
    fluid.solver = Solver::DIRECT;
    set_inflow(fluid, 0, 5.0, Profile::UNIFORM);
    fluid.sides[1].opening = Opening::OUTFLOW;
    Body body = {BodyShape::CIRCLE, 10.0, 8.0, 6.0};
    place_bodies(fluid, {body});
    double crossing = 0.0;
    for (int n = 0; n < 20; ++n) {
        step(fluid, 0.1);
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (!is_fluid(fluid.density, i, j, 0)) {
                    crossing = std::max({crossing, std::abs(fluid.u(i, j, 0)),
                                         std::abs(fluid.u(i + 1, j, 0)), std::abs(fluid.v(i, j, 0)),
                                         std::abs(fluid.v(i, j + 1, 0))});
                }
            }
        }
    }
    numbers.checked("a body at rest: flow through its faces, in 20 steps", 0.0, crossing, 0.0,
                    "none");
    numbers.checked("  divergence left around it", 0.0, divergence_left(fluid), 1e-9, "none");
    numbers.checked("  what leaves, less what enters", 0.0, passing(fluid).out - passing(fluid).in,
                    1e-9, "nothing");
    Fluid closed(32, 16, 1);
    closed.solver = Solver::DIRECT;
    body.velocity_x = 2.0;
    place_bodies(closed, {body});
    step(closed, 0.1);
    numbers.checked("a body that moves in a closed box: compatibility defect", 0.0,
                    closed.compatibility_defect, 1e-12,
                    "as much leaves its front as its back takes");
    Body piston = {BodyShape::SQUARE, 10.0, 8.0, 16.0};
    piston.velocity_x = 2.0;
    place_bodies(closed, {piston});
    step(closed, 0.1);
    numbers.checked("a piston in it: compatibility defect", 1.0, closed.compatibility_defect, 1e-12,
                    "nothing leaves");
    numbers.checked("  divergence that stays behind it", 1.0, divergence_at(closed, 0, 8, 0), 1e-9,
                    "2 over a length of 2");
}

/// A run of the channel: the flags of the program, and its figures over the last `share` of it.
struct Run {
    Advection advection;
    double reynolds;
    int resolution;
    double dt;
    int steps;
    double share;
};

Street figures(const Run& run) {
    const auto [nx, ny] = channel_cells(run.resolution);
    Fluid fluid(nx, ny, 1);
    fluid.advection = run.advection;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-8;
    fluid.nu = channel_nu;
    const Body body = channel_cylinder();
    begin_channel(fluid, body, run.reynolds, run.resolution);
    const double speed = channel_speed(run.reynolds, fluid.nu);
    const int skipped = static_cast<int>(run.steps * (1.0 - run.share));
    const Record record = record_run(fluid, body, speed, run.dt, run.steps, skipped);
    Street street = street_of(record, speed, body.size);
    if (street.strouhal == 0.0) {
        street.pressure_drop = record.pressure_drops.back();
    }
    return street;
}

/// The middle of a band, which stands for it in the table; its ends are in `how`.
double middle_of(Band band) {
    return 0.5 * (band.least + band.most);
}

void add_steady(Numbers& numbers, const Run& run, double tolerance) {
    const Street found = figures(run);
    numbers.checked("Re 20, D = " + std::to_string(run.resolution) + ": drag coefficient",
                    middle_of(drag_20), found.drag, tolerance * drag_20.most, "5.57 to 5.59");
    numbers.checked("  by the balance of momentum", middle_of(drag_20), found.balance,
                    tolerance * drag_20.most, "5.57 to 5.59");
    numbers.checked("  pressure drop", middle_of(pressure_drop_20), found.pressure_drop,
                    tolerance * pressure_drop_20.most, "0.1172 to 0.1176");
}

/// Two ways to get the drag wrong, in the same channel.
void add_traps(Numbers& numbers) {
    const Street linear = figures({Advection::LINEAR, 20.0, 10, 0.02, 300, 0.1});
    numbers.checked("Re 20, D = 10, carried linearly: drag coefficient", 5.93, linear.drag, 0.01,
                    "as recorded");
    numbers.checked("  by the balance of momentum", 6.41, linear.balance, 0.01, "as recorded");
    const auto [nx, ny] = channel_cells(10);
    Fluid fluid(nx, ny, 1);
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-8;
    fluid.nu = channel_nu;
    begin_channel(fluid, channel_cylinder(), 20.0, 10);
    for (int n = 0; n < 100; ++n) {
        step(fluid, 0.02);
    }
    const auto coefficient = [&](double force) {
        return force_coefficient(fluid, force, channel_speed(20.0, fluid.nu), cylinder_diameter);
    };
    numbers.checked("  sharply: friction's part of it", 1.855,
                    coefficient(loads_by_stress(fluid, 0.02).friction_x), 0.01, "as recorded");
    numbers.checked("  the same with the velocity after the projection", 1.965,
                    coefficient(friction_on_solids(fluid, fluid.u)), 0.01, "as recorded");
}

void add_street(Numbers& numbers, const Run& run, const std::string& name) {
    const Street found = figures(run);
    numbers.checked("Re 100, D = " + std::to_string(run.resolution) + name + ": Strouhal number",
                    middle_of(strouhal_100), found.strouhal, 0.2 * strouhal_100.most,
                    "0.295 to 0.305");
    numbers.checked("  largest drag coefficient", middle_of(drag_100), found.drag,
                    0.2 * drag_100.most, "3.22 to 3.24");
    numbers.checked("  by the balance of momentum", middle_of(drag_100), found.balance,
                    0.6 * drag_100.most, "3.22 to 3.24");
    numbers.checked("  largest lift coefficient", middle_of(lift_100), found.lift,
                    1.0 * lift_100.most, "0.99 to 1.01");
    numbers.checked("  pressure drop", middle_of(pressure_drop_100), found.pressure_drop,
                    0.2 * pressure_drop_100.most, "2.46 to 2.50");
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("17_obstacles: known figures beside ours");
    add_components(numbers);
    add_bodies(numbers);
    add_steady(numbers, {Advection::SHARP, 20.0, 10, 0.02, 300, 0.1}, 0.1);
    add_traps(numbers);
    if (window.long_numbers) {
        add_steady(numbers, {Advection::SHARP, 20.0, 20, 0.01, 800, 0.1}, 0.05);
        add_street(numbers, {Advection::LINEAR, 100.0, 10, 0.004, 2000, 0.4}, ", linear");
        add_street(numbers, {Advection::SHARP, 100.0, 10, 0.004, 2000, 0.4}, ", sharp");
        add_street(numbers, {Advection::REFLECTED, 100.0, 10, 0.004, 2000, 0.4}, ", reflected");
        add_street(numbers, {Advection::REFLECTED, 100.0, 20, 0.002, 4000, 0.4}, ", reflected");
    }
    return numbers.print();
}
