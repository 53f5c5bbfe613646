#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "31_smoke/cavity.hpp"
#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/sources.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 5> boxes = {
    {{5, 4, 3}, {3, 6, 2}, {2, 3, 5}, {8, 5, 1}, {1, 7, 4}}};

double sum_of(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

/// A box full of numbers, as warm and smoky as they say, with nothing that moves it yet.
Fluid warm_fluid(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.3;
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    make_bumpy(fluid.temperature, seed + 8);
    make_bumpy(fluid.smoke, seed + 9);
    return fluid;
}

/// A whirl around an axis, 0 to 2, in a cube of n cells that is one wide: fast in the middle, and
/// turning the other way if `sense` is -1. It is built of velocities a quarter turn apart.
Fluid whirl(int n, int axis, double sense, double offset) {
    Fluid fluid(n, n, n);
    fluid.h = 1.0 / n;
    fluid.epsilon = 0.7;
    Field* fields[3] = {&fluid.u, &fluid.v, &fluid.w};
    const int one = (axis + 1) % 3, other = (axis + 2) % 3;
    for (int part = 0; part < 3; ++part) {
        Field& field = *fields[part];
        for (int k = 0; k < field.nz; ++k) {
            for (int j = 0; j < field.ny; ++j) {
                for (int i = 0; i < field.nx; ++i) {
                    const double at[3] = {(i + field.origin.x) / n - 0.5 - offset,
                                          (j + field.origin.y) / n - 0.5,
                                          (k + field.origin.z) / n - 0.5};
                    const double r2 = at[one] * at[one] + at[other] * at[other];
                    const double turns = sense * std::exp(-20.0 * r2);
                    field(i, j, k) = part == one     ? -turns * at[other]
                                     : part == other ? turns * at[one]
                                                     : 0.0;
                }
            }
        }
    }
    return fluid;
}

/// What add_confinement adds to u, v and w at the middle of a cell.
Vector push_in_cell(const Fluid& before, const Fluid& after, int i, int j, int k) {
    const Vector place = {before.h * (i + 0.5), before.h * (j + 0.5), before.h * (k + 0.5)};
    const Vector one = velocity_at(before, place), other = velocity_at(after, place);
    return {other.x - one.x, other.y - one.y, other.z - one.z};
}

/// A closed box with a warm ball left of its middle or right of it.
Fluid with_ball(int nx, int ny, int nz, double x, double temperature) {
    Fluid fluid(nx, ny, nz);
    fluid.h = 1.0 / nx;
    fluid.advection = Advection::SHARP;
    fluid.tolerance = 1e-13;
    fluid.beta = 4.0;
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const double away = std::hypot(i + 0.5 - x, j + 0.5 - 0.5 * ny);
                if (away < 0.25 * nx) {
                    fluid.temperature(i, j, k) = temperature;
                    fluid.smoke(i, j, k) = 1.0;
                }
            }
        }
    }
    return fluid;
}

/// The mean row of the smoke, counted from above.
double height_of_smoke(const Fluid& fluid) {
    double moment = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                moment += (j + 0.5) * fluid.smoke(i, j, k);
            }
        }
    }
    return moment / sum_of(fluid.smoke);
}

}  // namespace

// ---- Buoyancy ----------------------------------------------------------------------------------

TEST_CASE("warm fluid rises and smoke sinks, through the faces of its cell", "[31_smoke]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid(nx, ny, nz);
        fluid.alpha = 3.0;
        fluid.beta = 2.0;
        const int i = nx - 1, j = ny / 2, k = nz / 2;
        fluid.temperature(i, j, k) = 5.0;
        add_buoyancy(fluid, 0.1);
        INFO("box " << words_of(nx, ny, nz) << ": does warm fluid rise? v is positive downwards");
        CHECK_THAT(fluid.v(i, j, k), WithinAbs(-0.5, 1e-15));
        INFO("and is half of a cell's push on each of its faces above and below?");
        CHECK_THAT(fluid.v(i, j + 1, k), WithinAbs(-0.5, 1e-15));
        CHECK_THAT(sum_of(fluid.v), WithinAbs(-1.0, 1e-15));
        CHECK(sum_of(fluid.u) == 0.0);
        CHECK(sum_of(fluid.w) == 0.0);
        fluid.temperature(i, j, k) = 0.0;
        fluid.smoke(i, j, k) = 5.0;
        add_buoyancy(fluid, 0.1);
        INFO("and does smoke sink?");
        CHECK_THAT(fluid.v(i, j, k), WithinAbs(0.25, 1e-15));
        CHECK_THAT(sum_of(fluid.v), WithinAbs(0.5, 1e-14));
    }
}

TEST_CASE("add_force adds weight and confinement", "[31_smoke]") {
    Fluid fluid = warm_fluid(5, 4, 3, 3);
    fluid.force_x = 0.3;
    Fluid weight_only = fluid, expected = fluid;
    add_force(weight_only, 0.2);
    fluid.epsilon = expected.epsilon = 0.4;
    add_confinement(expected, 0.2);
    for (double& u : expected.u.values) {
        u += 0.2 * 0.3;
    }
    set_bnd(expected);
    add_force(fluid, 0.2);
    INFO("do both act, and do walls stay shut?");
    CHECK(distance(fluid.u, expected.u) < 1e-12);
    CHECK(distance(fluid.v, expected.v) < 1e-12);
    CHECK(distance(fluid.w, expected.w) < 1e-12);
    INFO("does add_confinement push u?");
    CHECK(distance(fluid.u, weight_only.u) > 1e-3);
    fluid.beta = 1.7;
    const Fluid before = fluid;
    add_buoyancy(fluid, 0.2);
    INFO("does add_buoyancy push v, and leave the walls shut?");
    CHECK(distance(fluid.v, before.v) > 0.05);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 5; ++i) {
            CHECK(fluid.v(i, 0, k) == 0.0);
            CHECK(fluid.v(i, 4, k) == 0.0);
        }
    }
}

TEST_CASE("a warm ball rises, and a cold one sinks", "[31_smoke]") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        for (const int nz : {1, 3}) {
            for (const double temperature : {1.0, -1.0}) {
                Fluid fluid = with_ball(9, 12, nz, 4.0, temperature);
                fluid.advection = advection;
                const double before = height_of_smoke(fluid);
                for (int n = 0; n < 12; ++n) {
                    step(fluid, 0.04);
                }
                INFO("temperature "
                     << temperature << ", " << nz << " layers: rows are counted "
                     << "downwards. Does warm fluid rise, and take its smoke along?");
                CHECK((height_of_smoke(fluid) - before) * temperature < -0.1);
                INFO("is what the forces did projected?");
                CHECK(largest_divergence(fluid) < 1e-9);
            }
        }
    }
}

TEST_CASE("a step has buoyancy act before viscosity, and the other forces after it", "[31_smoke]") {
    for (const auto& [nx, ny, nz] : {std::array{6, 5, 4}, {7, 6, 1}}) {
        Fluid fluid = warm_fluid(nx, ny, nz, 71);
        fluid.advection = Advection::REFLECTED;
        fluid.nu = 0.4;
        fluid.force_x = 0.3;
        fluid.alpha = 0.6;
        fluid.beta = 1.7;
        fluid.epsilon = 0.4;
        for (int n = 0; n < 4; ++n) {
            Fluid expected = fluid;
            step(fluid, 0.05);
            if (n % 2 == 1) {  // every second step reflects: there all forces come first
                advect_reflected(expected, 0.05);
                diffuse_velocity(expected, 0.05);
            } else {
                advect_velocity(expected, 0.05);
                add_buoyancy(expected, 0.05);
                diffuse_velocity(expected, 0.05);
                add_force(expected, 0.05);
            }
            project(expected, 0.05);
            INFO("box " << words_of(nx, ny, nz) << ", step " << n
                        << ": does viscosity act on what buoyancy has added?");
            CHECK(distance(fluid.u, expected.u) < 1e-10);
            CHECK(distance(fluid.v, expected.v) < 1e-10);
            CHECK(distance(fluid.w, expected.w) < 1e-10);
        }
    }
    Fluid still(6, 5, 4);
    still.beta = 2.0;
    still.temperature.values.assign(still.temperature.values.size(), 1.0);
    still.temperature(2, 3, 1) = 3.0;
    Fluid pushed = still;
    advect_reflected(pushed, 0.1);
    INFO("does a step that reflects have buoyancy as well, before anything is carried?");
    CHECK_THAT(pushed.v(2, 3, 1), WithinAbs(-0.4, 1e-12));
}

TEST_CASE("what is symmetric stays symmetric", "[31_smoke]") {
    Fluid fluid = with_ball(10, 12, 1, 5.0, 1.0);
    fluid.epsilon = 0.3;
    for (int n = 0; n < 10; ++n) {
        step(fluid, 0.03);
    }
    for (int j = 0; j < 12; ++j) {
        for (int i = 0; i < 5; ++i) {
            INFO("cell " << i << ", " << j << " and its mirror image");
            CHECK_THAT(fluid.smoke(i, j, 0), WithinAbs(fluid.smoke(9 - i, j, 0), 1e-8));
            CHECK_THAT(fluid.v(i, j, 0), WithinAbs(fluid.v(9 - i, j, 0), 1e-8));
        }
    }
    INFO("does warm fluid rise?");
    CHECK(fluid.v(5, 6, 0) < -0.01);
}

// ---- Vorticity confinement ---------------------------------------------------------------------

TEST_CASE("the curl of a flow that is linear", "[31_smoke]") {
    Fluid fluid(6, 7, 5);
    fluid.h = 0.5;
    const double slope[3][3] = {{0.3, -1.0, 2.0}, {0.7, -0.2, 0.4}, {-0.6, 1.5, -0.1}};
    Field* fields[3] = {&fluid.u, &fluid.v, &fluid.w};
    for (int part = 0; part < 3; ++part) {
        Field& field = *fields[part];
        for (int k = 0; k < field.nz; ++k) {
            for (int j = 0; j < field.ny; ++j) {
                for (int i = 0; i < field.nx; ++i) {
                    field(i, j, k) = 0.5 * (slope[part][0] * (i + field.origin.x) +
                                            slope[part][1] * (j + field.origin.y) +
                                            slope[part][2] * (k + field.origin.z));
                }
            }
        }
    }
    const Vector curl = curl_at(fluid, {1.3, 1.7, 1.2});
    INFO("the curl is (dw/dy - dv/dz, du/dz - dw/dx, dv/dx - du/dy)");
    CHECK_THAT(curl.x, WithinAbs(1.5 - 0.4, 1e-13));
    CHECK_THAT(curl.y, WithinAbs(2.0 + 0.6, 1e-13));
    CHECK_THAT(curl.z, WithinAbs(0.7 + 1.0, 1e-13));
}

TEST_CASE("confinement by hand", "[31_smoke]") {
    // u grows with the square of y and z: omega = (0, z, -2 y), |omega| = sqrt(z^2 + 4 y^2).
    Fluid fluid(6, 6, 6);
    fluid.h = 0.5;
    fluid.epsilon = 0.8;
    for (int k = 0; k < 6; ++k) {
        for (int j = 0; j < 6; ++j) {
            for (int i = 0; i < 7; ++i) {
                const double y = 0.5 * (j + 0.5), z = 0.5 * (k + 0.5);
                fluid.u(i, j, k) = y * y + 0.5 * z * z;
            }
        }
    }
    const Fluid before = fluid;
    add_confinement(fluid, 0.25);
    const auto size = [](double y, double z) { return std::hypot(z, 2.0 * y); };
    const double y = 0.5 * 2.5, z = 0.5 * 3.5;  // of cell (3, 2, 3)
    const double ny = size(y + 0.5, z) - size(y - 0.5, z), nz = size(y, z + 0.5) - size(y, z - 0.5);
    const double scale = 0.25 * 0.8 * 0.5 / std::hypot(ny, nz);
    const Vector push = push_in_cell(before, fluid, 3, 2, 3);
    INFO("epsilon h N x omega with N = (0, ny, nz) and omega = (0, z, -2 y)");
    CHECK_THAT(push.x, WithinAbs(scale * (ny * -2.0 * y - nz * z), 1e-12));
    CHECK_THAT(push.y, WithinAbs(0.0, 1e-13));
    CHECK_THAT(push.z, WithinAbs(0.0, 1e-13));
    INFO("a cell gives half of its push to each of its faces");
    double all = 0.0;
    for (std::size_t face = 0; face < fluid.u.values.size(); ++face) {
        all += fluid.u.values[face] - before.u.values[face];
    }
    CHECK(all < 0.0);
    Fluid rest(5, 4, 3);
    rest.epsilon = 1.0;
    add_confinement(rest, 0.1);
    INFO("and fluid at rest stays at rest");
    CHECK(largest(rest.u) + largest(rest.v) + largest(rest.w) == 0.0);
}

TEST_CASE("confinement turns whirls faster, around every axis and in both senses", "[31_smoke]") {
    for (int axis = 0; axis < 3; ++axis) {
        for (const double sense : {1.0, -1.0}) {
            Fluid fluid = whirl(12, axis, sense, 0.0);
            const auto spin_of = [&](const Fluid& one) {  // along the axis, at its middle
                const Vector curl = curl_at(one, {0.5, 0.5, 0.5});
                return axis == 0 ? curl.x : axis == 1 ? curl.y : curl.z;
            };
            const double before = spin_of(fluid);
            add_confinement(fluid, 0.1);
            INFO("axis " << axis << ", sense " << sense << ": N points to where the whirl is "
                         << "stronger, whatever its sense");
            CHECK(spin_of(fluid) * sense > before * sense + 0.01);
        }
    }
}

TEST_CASE("confinement shrinks with the cells", "[31_smoke]") {
    Fluid fluid = whirl(8, 2, 1.0, 0.1);
    Fluid finer =
        fluid;  // the same numbers on cells half as wide, and half as fast: omega is equal
    finer.h = 0.5 * fluid.h;
    for (Field* field : {&finer.u, &finer.v, &finer.w}) {
        for (double& value : field->values) {
            value *= 0.5;
        }
    }
    const Fluid before = fluid, finer_before = finer;
    add_confinement(fluid, 0.1);
    add_confinement(finer, 0.1);
    INFO("does add_confinement push at all?");
    CHECK(distance(fluid.u, before.u) > 1e-4);
    for (std::size_t face = 0; face < fluid.u.values.size(); ++face) {
        INFO("face " << face << " of u: epsilon h, so half of it on cells half as wide");
        CHECK_THAT(finer.u.values[face] - finer_before.u.values[face],
                   WithinAbs(0.5 * (fluid.u.values[face] - before.u.values[face]), 1e-14));
    }
}

// ---- Heat and smoke ----------------------------------------------------------------------------

TEST_CASE("sources keep their cells, and air cools, whatever the step", "[31_smoke]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid(nx, ny, nz);
        fluid.cooling = 0.7;
        fluid.source_temperature = 3.0;
        fluid.source_smoke = 0.5;
        fluid.source(0, ny - 1, 0) = 4000.0;
        fluid.source(nx - 1, 0, nz - 1) = 2.0;
        fluid.temperature(nx - 1, ny - 1, 0) = 4.0;
        Fluid twice = fluid;
        step(fluid, 0.2);
        step(twice, 0.1);
        step(twice, 0.1);
        INFO("a source keeps its temperature and its smoke");
        CHECK_THAT(fluid.temperature(0, ny - 1, 0), WithinAbs(3.0, 1e-12));
        CHECK_THAT(fluid.smoke(0, ny - 1, 0), WithinAbs(0.5, 1e-12));
        INFO("a slow one approaches it as e^-t: in 0.2 seconds by 1 - e^-0.4");
        CHECK_THAT(fluid.smoke(nx - 1, 0, nz - 1), WithinAbs(0.5 * (1 - std::exp(-0.4)), 1e-12));
        CHECK_THAT(twice.smoke(nx - 1, 0, nz - 1),
                   WithinAbs(fluid.smoke(nx - 1, 0, nz - 1), 1e-12));
        if (nx > 1) {
            INFO("air cools as e^-t, whatever the length of a step");
            CHECK_THAT(fluid.temperature(nx - 1, ny - 1, 0),
                       WithinAbs(4.0 * std::exp(-0.14), 1e-12));
            CHECK_THAT(twice.temperature(nx - 1, ny - 1, 0),
                       WithinAbs(4.0 * std::exp(-0.14), 1e-12));
        }
    }
}

TEST_CASE("heat that spreads between insulated walls is kept", "[31_smoke]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = warm_fluid(nx, ny, nz, 17);
        fluid.kappa = 0.2;
        const double before = sum_of(fluid.temperature), smoke_before = sum_of(fluid.smoke);
        for (Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
            std::fill(field->values.begin(), field->values.end(), 0.0);
        }
        const double spread_before = fluid.temperature.values[0] - fluid.temperature.values[1];
        step(fluid, 5.0);
        INFO("box " << words_of(nx, ny, nz) << ": no wall heats. Is all heat still there?");
        CHECK_THAT(sum_of(fluid.temperature), WithinAbs(before, 1e-9));
        INFO("what is left of the equations of heat is in heat_residual");
        CHECK(fluid.heat_residual > 0.0);
        CHECK(fluid.heat_residual < 1e-12);
        INFO("and all smoke?");
        CHECK_THAT(sum_of(fluid.smoke), WithinAbs(smoke_before, 1e-12));
        INFO("and does it spread with kappa?");
        CHECK(std::abs(fluid.temperature.values[0] - fluid.temperature.values[1]) <
              0.7 * std::abs(spread_before));
    }
}

TEST_CASE("between a warm wall and a cold one the temperature becomes a straight line",
          "[31_smoke]") {
    for (int axis = 0; axis < 3; ++axis) {
        std::array<int, 3> size = {3, 2, 4};
        size[axis] = 7;
        Fluid fluid(size[0], size[1], size[2]);
        fluid.h = 0.4;
        fluid.kappa = 0.5;
        fluid.nu = 0.01;
        fluid.tolerance = 1e-13;
        fluid.sides[2 * axis].heats = fluid.sides[2 * axis + 1].heats = true;
        fluid.sides[2 * axis].temperature = 2.0;
        fluid.sides[2 * axis + 1].temperature = -1.0;
        for (int n = 0; n < 8; ++n) {
            step(fluid, 1e4);
        }
        for (int k = 0; k < size[2]; ++k) {
            for (int j = 0; j < size[1]; ++j) {
                for (int i = 0; i < size[0]; ++i) {
                    const std::array<int, 3> at = {i, j, k};
                    INFO("axis " << axis << ", cell " << words_of(i, j, k)
                                 << ": a wall lies half a cell from its cells");
                    CHECK_THAT(fluid.temperature(i, j, k),
                               WithinAbs(2.0 - 3.0 * (at[axis] + 0.5) / 7.0, 1e-6));
                }
            }
        }
    }
}

TEST_CASE("the walls of heat: those that heat, but no outflow", "[31_smoke]") {
    Fluid fluid(5, 4, 3);
    fluid.kappa = 0.5;
    for (int side = 0; side < 6; ++side) {
        fluid.sides[side].heats = side != 3;
        fluid.sides[side].temperature = 1.0 + side;
        fluid.sides[side].slips = side == 4;
        fluid.sides[side].velocity = {-7.0, -7.0, -7.0};
    }
    fluid.sides[1].opening = Opening::OUTFLOW;
    fluid.sides[2].opening = Opening::INFLOW;
    const std::array<Wall, 6> walls = walls_of_heat(fluid);
    for (int side = 0; side < 6; ++side) {
        INFO("side " << side << ": does a wall hold the temperature if it heats, and then only? "
                     << "And does an outflow heat?");
        CHECK(walls[side].holds == (side != 1 && side != 3));
        CHECK(walls[side].value == 1.0 + side);
    }
}

TEST_CASE("beside a solid the fluid finds its temperature, half a cell away", "[31_smoke]") {
    for (const double warmth : {2.0, -1.0}) {
        Fluid lined(7, 4, 1), bare(5, 4, 1);
        for (Fluid* fluid : {&lined, &bare}) {
            fluid->kappa = 0.3;
            fluid->tolerance = 1e-13;
            fluid->iterations = 2000;
        }
        bare.sides[0].heats = true;
        bare.sides[0].temperature = warmth;
        for (int j = 0; j < 4; ++j) {
            for (const int i : {0, 1}) {
                lined.solid(i, j, 0) = 1.0;
                lined.temperature(i, j, 0) = warmth;
            }
        }
        for (int n = 0; n < 3; ++n) {
            step(lined, 0.4);
            step(bare, 0.4);
        }
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 5; ++i) {
                INFO("cell " << words_of(i, j, 0) << ": is a solid like a wall that heats?");
                CHECK_THAT(lined.temperature(i + 2, j, 0),
                           WithinAbs(bare.temperature(i, j, 0), 1e-11));
            }
            INFO("does heat that spreads leave a solid as warm as it is?");
            CHECK(lined.temperature(1, j, 0) == warmth);
        }
        lined.cooling = 0.7;
        step(lined, 0.4);
        INFO("but a solid cools, as all cells do");
        CHECK_THAT(lined.temperature(0, 2, 0), WithinAbs(warmth * std::exp(-0.28), 1e-12));
    }
}

TEST_CASE("an opening lets air in that is neither warm nor smoky", "[31_smoke]") {
    Fluid fluid(6, 5, 1);
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[1].opening = Opening::OUTFLOW;
    for (int j = 0; j < 5; ++j) {
        fluid.u_given(0, j, 0) = 1.0;
        for (int i = 0; i < 6; ++i) {
            fluid.temperature(i, j, 0) = fluid.smoke(i, j, 0) = 1.0;
        }
    }
    for (int n = 0; n < 12; ++n) {
        step(fluid, 1.0);
    }
    INFO("after two crossings nothing of what was there is left");
    CHECK(std::abs(sum_of(fluid.temperature)) < 1e-9);
    CHECK(std::abs(sum_of(fluid.smoke)) < 1e-9);
}

TEST_CASE("temperature and smoke go with the dye", "[31_smoke]") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP}) {
        Fluid fluid = warm_fluid(5, 4, 3, 29);
        fluid.advection = advection;
        fluid.temperature.values = fluid.smoke.values = fluid.density.values;
        project(fluid, 0.1);
        step(fluid, 0.05);
        for (std::size_t cell = 0; cell < fluid.density.values.size(); ++cell) {
            INFO("cell " << cell << ": are temperature and smoke carried?");
            CHECK(fluid.temperature.values[cell] == fluid.density.values[cell]);
            // (32_fire thins smoke by the divergence, of which rounding errors are left.)
            CHECK_THAT(fluid.smoke.values[cell], WithinAbs(fluid.density.values[cell], 1e-12));
        }
    }
}

// ---- The heated cavity -------------------------------------------------------------------------

TEST_CASE("without a flow the Nusselt number is 1", "[31_smoke]") {
    Fluid fluid(8, 5, 1);
    fluid.h = 0.125;
    fluid.tolerance = 1e-13;
    begin_heated_cavity(fluid, 1e3);
    fluid.beta = 0.0;
    CHECK(mean_nusselt(Fluid(4, 4, 1)) == 0.0);
    for (int n = 0; n < 8; ++n) {
        step(fluid, 1e3);
    }
    for (int i = 0; i <= 8; ++i) {
        CHECK_THAT(nusselt_of_column(fluid, i), WithinAbs(1.0, 1e-6));
    }
    CHECK_THAT(mean_nusselt(fluid), WithinAbs(1.0, 1e-6));
}

TEST_CASE("de Vahl Davis's cavity at Ra 1e3 in a small box", "[31_smoke]") {
    Fluid fluid(12, 12, 1);
    fluid.h = 1.0 / 12.0;
    fluid.advection = Advection::SHARP;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-8;
    begin_heated_cavity(fluid, 1e3);
    for (int n = 0; n < 1500; ++n) {
        step(fluid, 2.0 * heated_cavity_dt(fluid, 1e3));
    }
    const HeatedCavity found = heated_cavity_of(fluid, 1e3);
    CHECK_THAT(found.nusselt, WithinAbs(1.118, 0.04));
    CHECK_THAT(found.u_max, WithinAbs(3.649, 0.2));
    CHECK_THAT(found.v_max, WithinAbs(3.697, 0.2));
    CHECK_THAT(nusselt_of_column(fluid, 0), WithinAbs(nusselt_of_column(fluid, 12), 1e-4));
}
