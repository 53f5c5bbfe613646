// The worked answers of 42_water's exercises, and what its lesson claims about steps that are too
// long, ceilings and level sets. And what its companion measures.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "42_water/fill.hpp"
#include "42_water/measures.hpp"
#include "42_water/parts.hpp"
#include "42_water/surface.hpp"
#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// How much space the particles would fill if each cell were full: an area or a volume.
inline double volume_by_count(const Fluid& fluid) {
    const double cell = fluid.h * fluid.h * (fluid.nz == 1 ? 1.0 : fluid.h);
    return cell * static_cast<double>(fluid.particles.size()) / particles_in_full_cell(fluid);
}

/// A step in which the ceiling lets go of water that hangs from it. First the step is tried with a
/// closed ceiling. Where this pulls, the pressure below it is less than that of the air, which is
/// 0. If it pulls anywhere, or pushes nowhere, the step is made again with the whole ceiling open.
/// Beyond an open ceiling p is 0, and the water falls as if there were air above it.
inline void step_and_let_go(Fluid& fluid, double dt) {
    constexpr int above = 2;
    const Fluid before = fluid;
    fluid.sides[above].opening = Opening::CLOSED;
    step(fluid, dt);
    bool pulls = false;
    bool pushes = false;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            pulls = pulls || fluid.pressure(i, 0, k) < 0.0;
            pushes = pushes || fluid.pressure(i, 0, k) > 0.0;
        }
    }
    if (pulls || !pushes) {
        fluid = before;
        fluid.sides[above].opening = Opening::OUTFLOW;
        step(fluid, dt);
    }
}

/// Carries phi itself, as the density was carried before there were particles, instead of finding
/// it from particles.
inline void carry_level_set(Fluid& fluid, double dt) {
    const Field before = fluid.phi;
    advect(fluid, fluid.phi, before, dt);
}

/// Returns the weight of a face, if the box holds two fluids: that of weight_towards, times
/// fluid.rho / rho of the face. The dye is the share of the other fluid, whose density is
/// `other_rho`.
inline double weight_of_two(const Fluid& fluid, double other_rho, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    const double weight = weight_towards(fluid, side, i, j, k);
    if (weight == 0.0) {
        return 0.0;
    }
    const double dye = 0.5 * (fluid.density(i, j, k) + fluid.density(i + di, j + dj, k + dk));
    return weight * fluid.rho / (fluid.rho + dye * (other_rho - fluid.rho));
}

/// Returns the matrix of the pressure's equations for two fluids.
inline Matrix matrix_of_two(const Fluid& fluid, double other_rho) {
    Matrix A(fluid.pressure);
    for_each_point(fluid.pressure, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            const double weight = weight_of_two(fluid, other_rho, side, i, j, k);
            A.weight(side, i, j, k) = weight;
            A.diagonal(i, j, k) += weight;
        }
    });
    return A;
}

/// Makes the velocity of two fluids free of divergence. They fill a closed box without air.
inline void project_two(Fluid& fluid, double other_rho, double dt) {
    set_bnd(fluid);
    fluid.matrix = matrix_of_two(fluid, other_rho);
    fluid.closed = closed_components(fluid.matrix);
    right_hand_side(fluid, dt);
    solve_pressure(fluid);
    subtract_gradient(fluid, dt);
}

namespace {

/// Calls action for the place of each point of a field.
template <class Action>
void at_each_point(const Field& field, Action action) {
    for_each_point(field, [&](int i, int j, int k) { action(std::array<int, 3>{i, j, k}); });
}

/// A flat box of the width 1 with weight, and water where is_water(x, y, z).
template <class IsWater>
Fluid box_with(int n, IsWater is_water, double jitter) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.force_y = 9.81;
    fluid.advection = Advection::APIC;
    fluid.tolerance = 1e-8;
    fill_with_water(fluid, is_water, jitter);
    return fluid;
}

/// How high the middle of the water's mass stands above the floor.
double height_of_middle(const Fluid& fluid) {
    double sum = 0.0;
    for (const Particle& particle : fluid.particles) {
        sum += fluid.h * fluid.ny - particle.place.y;
    }
    return sum / static_cast<double>(fluid.particles.size());
}

}  // namespace

TEST_CASE("42 answers: counted particles notice nothing", "[answers]") {
    const auto is_low = [](double, double y, double) { return y > 0.5; };
    Fluid fluid = box_with(32, is_low, 0.0);
    const double volume = water_volume(fluid), count = volume_by_count(fluid);
    CHECK_THAT(count, WithinAbs(0.5, 1e-12));
    CHECK_THAT(volume, WithinAbs(0.5, 1e-3));
    for (Particle& particle : fluid.particles) {
        particle.place.y = 0.5 + 0.5 * particle.place.y;  // pressed into half of the space
    }
    particles_to_grid(fluid);
    CHECK(volume_by_count(fluid) == count);
    INFO(
        "c falls from 3/2 to 0 in a cell, so it is 1/2 a third of a cell above the particles; phi "
        "is "
        "lowered by h / 4, which is another sixth");
    CHECK_THAT(water_volume(fluid), WithinAbs(0.25 + fluid.h / 3.0 + fluid.h / 6.0, 1e-12));
    Fluid deep(4, 3, 2);
    deep.h = 0.5;
    seed_particles(deep);
    CHECK_THAT(volume_by_count(deep), WithinAbs(24.0 * 0.125, 1e-12));
}

TEST_CASE("42 answers: a ceiling that lets go", "[answers]") {
    const auto is_high = [](double, double y, double) { return y < 0.25; };
    Fluid held = box_with(32, is_high, 0.0), falls = held, uneven = box_with(32, is_high, 0.5);
    const double start = height_of_middle(held), uneven_start = height_of_middle(uneven);
    const double dt = 0.01;
    for (int n = 0; n < 20; ++n) {
        step(held, dt);
        step_and_let_go(falls, dt);
        step_and_let_go(uneven, dt);
    }
    CHECK(held.pressure(3, 0, 0) < 0.0);
    CHECK_THAT(height_of_middle(held), WithinAbs(start, 1e-3));
    INFO("a force acts after each move");
    const double fallen = 9.81 * dt * dt * (19 * 20 / 2);
    CHECK_THAT(start - height_of_middle(falls), WithinAbs(fallen, 1e-9));
    CHECK_THAT(uneven_start - height_of_middle(uneven), WithinAbs(fallen, 1e-3 * fallen));
    for (int n = 0; n < 100; ++n) {
        step_and_let_go(falls, dt);
    }
    CHECK(height_of_middle(falls) < 0.2);
    CHECK(water_volume(falls) > 0.2);
}

TEST_CASE("42 answers: a ceiling that lets go stops water that rises", "[answers]") {
    const auto is_high = [](double, double y, double) { return 0.1 < y && y < 0.25; };
    Fluid fluid = box_with(32, is_high, 0.5);
    for (Particle& particle : fluid.particles) {
        particle.values[1] = -2.0;
    }
    particles_to_grid(fluid);
    fluid.v = fluid.brought[1];
    const double volume = water_volume(fluid);
    double most_pressure = 0.0;
    for (int n = 0; n < 8; ++n) {
        step_and_let_go(fluid, 0.01);
        most_pressure = std::max(most_pressure, fluid.pressure(3, 0, 0));
    }
    CHECK(most_pressure > 1.0);
    INFO("the ceiling holds the water in the box: without it, the middle would be at 0.95");
    CHECK(height_of_middle(fluid) < 1.0 - 0.45 * 0.15);  // a little crowded below the ceiling
    CHECK(water_volume(fluid) > 0.95 * volume);
}

TEST_CASE("42 answers: without the exercise a ceiling holds water for half a second", "[answers]") {
    const auto is_high = [](double, double y, double) { return y < 0.25; };
    Fluid fluid = box_with(32, is_high, 0.5);
    const double start = height_of_middle(fluid), dt = 0.01;
    double held_until = 0.0;
    for (int n = 1; n <= 100; ++n) {
        step(fluid, dt);
        held_until = start - height_of_middle(fluid) < 0.1 ? n * dt : held_until;
    }
    INFO("a stone would have fallen by 0.1 after 0.14 seconds");
    CHECK(held_until > 0.4);
    CHECK(held_until < 0.7);
}

TEST_CASE("42 answers: a level set loses water", "[answers]") {
    const auto kept = [](double radius) {
        Fluid fluid(64, 64, 1);
        fluid.h = 1.0 / 64;
        fluid.has_air = true;
        for (int j = 0; j < 64; ++j) {
            for (int i = 0; i < 64; ++i) {
                const double x = (i + 0.5) / 64, y = (j + 0.5) / 64;
                fluid.phi(i, j, 0) = std::hypot(x - 0.5, y - 0.3) - radius;
            }
        }
        for (int j = 0; j < 64; ++j) {
            for (int i = 0; i <= 64; ++i) {  // all turn once in a second
                fluid.u(i, j, 0) = -2.0 * std::numbers::pi * ((j + 0.5) / 64 - 0.5);
                fluid.v(j, i, 0) = 2.0 * std::numbers::pi * ((j + 0.5) / 64 - 0.5);
            }
        }
        const double before = water_volume(fluid);
        for (int n = 0; n < 300; ++n) {
            carry_level_set(fluid, 1.0 / 300);
        }
        return water_volume(fluid) / before;
    };
    CHECK_THAT(kept(0.25), WithinAbs(0.74, 0.005));
    CHECK(kept(0.1) == 0.0);
}

TEST_CASE("42 answers: two fluids of one density are one fluid", "[answers]") {
    for (const auto& [nx, ny, nz] :
         {std::array{5, 4, 3}, std::array{3, 6, 2}, std::array{7, 5, 1}}) {
        Fluid fluid = bumpy_fluid(nx, ny, nz, 31);
        fluid.h = 0.7;
        fluid.rho = 1.3;
        fluid.solver = Solver::DIRECT;
        Fluid two = fluid;
        project(fluid, 0.1);
        project_two(two, 1.3, 0.1);
        CHECK(distance(fluid.u, two.u) + distance(fluid.v, two.v) + distance(fluid.w, two.w) <
              1e-9);
    }
}

TEST_CASE("42 answers: two fluids have no divergence, and at rest they stay", "[answers]") {
    for (const auto& box : {std::array{5, 4, 3}, std::array{3, 6, 2}, std::array{7, 5, 1}}) {
        const int nx = box[0], ny = box[1], nz = box[2];
        Fluid fluid = bumpy_fluid(nx, ny, nz, 31);
        fluid.h = 0.7;
        fluid.solver = Solver::DIRECT;
        for (double& dye : fluid.density.values) {
            dye = std::abs(std::fmod(17.0 * (&dye - fluid.density.values.data()), 5.0)) / 4.0;
        }
        project_two(fluid, 3.0, 0.1);
        at_each_point(fluid.phi, [&](std::array<int, 3> at) {
            CHECK_THAT(divergence_at(fluid, at[0], at[1], at[2]), WithinAbs(0.0, 1e-10));
        });
        Fluid still(nx, ny, nz);
        still.h = 0.7;
        still.solver = Solver::DIRECT;
        at_each_point(still.density, [&](std::array<int, 3> at) {
            still.density(at[0], at[1], at[2]) = at[1] >= ny / 2 ? 1.0 : 0.0;
        });
        still.force_y = 9.81;
        add_force(still, 0.1);
        project_two(still, 3.0, 0.1);
        INFO("the heavier fluid is below, and the pressure grows three times as fast there");
        CHECK(dot(still.v, still.v) < 1e-20);
        CHECK_THAT(still.pressure(0, ny - 1, 0) - still.pressure(0, ny - 2, 0),
                   WithinAbs(9.81 * 0.7 * (ny / 2 < ny - 1 ? 3.0 : 2.0), 1e-9));
    }
}

TEST_CASE("42 answers: the heavier fluid falls as fast as Rayleigh and Taylor say", "[answers]") {
    const double k = 2.0 * std::numbers::pi, amplitude = 0.005;
    const double s = std::sqrt(9.81 * k * std::tanh(0.5 * k) * (2.0 - 1.0) / (2.0 + 1.0));
    const auto grows = [&](int n, double rho_above, double rho_below) {
        Fluid fluid = box_with(
            n, [](double, double, double) { return true; }, 0.0);
        fluid.has_air = false;
        fluid.solver = Solver::DIRECT;  // what another solver leaves grows, too
        fluid.rho = rho_below;
        for (Particle& particle : fluid.particles) {  // moved as a small wave moves them
            const bool is_above = particle.place.y < 0.5;
            const double x = particle.place.x;
            const double wall = is_above ? particle.place.y : 1.0 - particle.place.y;
            const double scale = amplitude / std::sinh(0.5 * k);
            particle.values[3] = is_above ? 1.0 : 0.0;
            particle.place.y += scale * std::cos(k * x) * std::sinh(k * wall);
            particle.place.x -=
                scale * std::sin(k * x) * std::cosh(k * wall) * (is_above ? 1.0 : -1.0);
        }
        particles_to_grid(fluid);
        const double dt = 0.01;
        const int half = static_cast<int>(std::lround(1.0 / s / dt));
        std::vector<double> speeds;  // of the wave, along the middle of the box
        for (int step = 0; step < 2 * half; ++step) {
            advect_velocity(fluid, dt);
            add_force(fluid, dt);
            project_two(fluid, rho_above, dt);
            speeds.push_back(0.0);
            for (int i = 0; i < n; ++i) {
                speeds.back() += fluid.v(i, n / 2, 0) * std::cos(k * (i + 0.5) / n) * 2.0 / n;
            }
        }
        // From rest the speed is proportional to sinh(s t).
        return std::acosh(0.5 * speeds[2 * half - 1] / speeds[half - 1]) / (half * dt);
    };
    const double coarse = grows(32, 2.0, 1.0), fine = grows(64, 2.0, 1.0);
    INFO("the rate is " << coarse << " and " << fine << " instead of " << s);
    CHECK_THAT(s, WithinAbs(4.52, 0.005));
    CHECK_THAT(coarse, WithinAbs(4.24, 0.005));
    CHECK_THAT(fine, WithinAbs(4.37, 0.005));
    CHECK(std::abs(fine - s) < 0.04 * s);
    CHECK(std::abs(fine - s) < 0.6 * std::abs(coarse - s));
    INFO("with the heavier fluid below, nothing grows");
    CHECK(std::isnan(grows(32, 1.0, 2.0)));
}

TEST_CASE("42: waves gain energy in steps that are too long", "[answers]") {
    const auto gained = [](double share) {  // kinetic energy after five seconds, over that before
        Fluid fluid = box_with(
            32, [](double, double, double) { return true; }, 0.0);
        fluid.tolerance = 1e-6;
        fill_with_wave(fluid, 0.5, 0.05);
        const double dt = share * std::sqrt(fluid.h / 9.81);
        double before = 0.0, after = 0.0;
        for (double time = dt; time < 6.0; time += dt) {
            step(fluid, dt);
            double energy = 0.0;
            for (const Particle& particle : fluid.particles) {
                const auto& [u, v, w, dye] = particle.values;
                energy += u * u + v * v + w * w;
            }
            double& most = time < 1.0 ? before : after;
            most = time < 1.0 || time > 5.0 ? std::max(most, energy) : most;
        }
        return after / before;
    };
    CHECK(gained(0.4) < 1.0);
    CHECK(gained(1.0) < 1.0);
    CHECK(gained(1.5) > 100.0);
}

// ---- What the companion measures ---------------------------------------------------------------

TEST_CASE("42: a contour encloses the area of its shape", "[answers]") {
    Fluid fluid(9, 7, 1);
    fluid.h = 0.5;
    fluid.has_air = true;
    const auto set = [&](auto value) {
        at_each_point(fluid.phi, [&](std::array<int, 3> at) {
            fluid.phi(at[0], at[1], 0) = value(fluid.h * (at[0] + 0.5), fluid.h * (at[1] + 0.5));
        });
    };
    set([](double, double y) { return 1.3 - y; });
    INFO("all below a level");
    CHECK_THAT(water_volume(fluid), WithinAbs(4.5 * (3.5 - 1.3), 1e-12));
    CHECK_THAT(height(fluid), WithinAbs(3.5 - 1.3, 1e-12));
    CHECK_THAT(front(fluid), WithinAbs(4.5, 1e-12));
    set([](double x, double) { return x - 1.9; });
    INFO("all left of a line");
    CHECK_THAT(water_volume(fluid), WithinAbs(1.9 * 3.5, 1e-12));
    CHECK_THAT(front(fluid), WithinAbs(1.9, 1e-12));
    CHECK_THAT(height(fluid), WithinAbs(3.5, 1e-12));
    INFO("a slope through a square");
    CHECK_THAT(area_of(water_in_square({3.0, 4.0}, 1.0, 1.0, {-1.5, -0.5, 1.5, 0.5})),
               WithinAbs(0.5, 1e-12));
    CHECK_THAT(area_of(water_in_square({3.0, 4.0}, 2.0, 0.5, {1.5, 0.5, -1.5, -0.5})),
               WithinAbs(0.5, 1e-12));
    set([](double x, double y) { return std::hypot(x - 2.3, y - 1.7) - 1.2; });
    INFO("a disk, as a polygon: a little less");
    CHECK(water_volume(fluid) < std::numbers::pi * 1.44);
    CHECK(water_volume(fluid) > 0.95 * std::numbers::pi * 1.44);
    set([](double, double) { return -1.0; });
    CHECK_THAT(water_volume(fluid), WithinAbs(4.5 * 3.5, 1e-12));
    set([](double, double) { return 1.0; });
    CHECK(water_volume(fluid) == 0.0);
    CHECK(front(fluid) == 0.0);
    CHECK(height(fluid) == 0.0);
}

TEST_CASE("42: a long step is made in parts", "[answers]") {
    Fluid fluid(7, 6, 1);
    fluid.h = 0.5;
    fluid.force_y = 9.81;
    fill_with_water(
        fluid, [](double, double y, double) { return y > 1.5; }, 0.0);
    const double most = 0.4 * std::sqrt(0.5 / 9.81);
    CHECK_THAT(longest_step(fluid), WithinAbs(most, 1e-12));
    fluid.u(3, 4, 0) = -20.0;
    CHECK_THAT(longest_step(fluid), WithinAbs(0.5 / 20.0, 1e-12));
    fluid.u(3, 4, 0) = 0.0;
    CHECK(step_in_parts(fluid, 0.9 * most) == 1);
    CHECK(step_in_parts(fluid, 2.5 * most) == 3);
    CHECK(step_in_parts(fluid, 50.0 * most, 4) == 4);
    fluid.has_air = false;
    CHECK(step_in_parts(fluid, 50.0 * most) == 1);
}

TEST_CASE("42: energy is that of motion and that of height", "[answers]") {
    Fluid fluid(4, 3, 1);
    fluid.h = 0.5;
    fluid.rho = 2.0;
    fluid.force_y = 10.0;
    fluid.particles = {{{0.5, 1.0, 0.25}, {3.0, 4.0, 0.0, 0.0}}, {{1.0, 0.5, 0.25}, {}}};
    const double mass = 2.0 * 0.25 / 4.0;
    CHECK_THAT(energy_of_water(fluid),
               WithinAbs(mass * (12.5 + 10.0 * 0.5) + mass * 10.0 * 1.0, 1e-12));
}
