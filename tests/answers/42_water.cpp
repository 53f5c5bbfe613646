// The worked answers of 42_water's exercises, and what its lesson claims about steps that are too
// long, ceilings and level sets.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

#include "42_water/surface.hpp"
#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

/// How much space the particles would fill, four to a cell of a flat box, or eight to one of a deep
/// box: an area or a volume.
inline double volume_by_count(const Fluid& fluid) {
    const double full = fluid.nz == 1 ? 4.0 : 8.0;
    const double cell = fluid.h * fluid.h * (fluid.nz == 1 ? 1.0 : fluid.h);
    return cell * static_cast<double>(fluid.particles.size()) / full;
}

/// A step in which the ceiling lets go of water that hangs from it. Where the ceiling pulls, the
/// pressure below it is less than that of the air. So if any is, the ceiling is open for this step:
/// beyond it p is 0, and the water falls as if there were air above it.
inline void step_and_let_go(Fluid& fluid, double dt) {
    constexpr int above = 2;
    bool pulls = false;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int i = 0; i < fluid.nx; ++i) {
            pulls = pulls || fluid.pressure(i, 0, k) < 0.0;
        }
    }
    fluid.sides[above].opening = pulls ? Opening::OUTFLOW : Opening::CLOSED;
    mark_outflows(fluid);
    step(fluid, dt);
}

/// Carries phi itself, as the density was carried before there were particles, instead of finding
/// it from particles.
inline void carry_level_set(Fluid& fluid, double dt) {
    const Field before = fluid.phi;
    advect(fluid, fluid.phi, before, dt);
}

namespace {

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
    CHECK_THAT(water_volume(fluid), WithinAbs(0.25, 0.01));
    Fluid deep(4, 3, 2);
    deep.h = 0.5;
    seed_particles(deep);
    CHECK_THAT(volume_by_count(deep), WithinAbs(24.0 * 0.125, 1e-12));
}

TEST_CASE("42 answers: a ceiling that lets go", "[answers]") {
    const auto is_high = [](double, double y, double) { return y < 0.25; };
    Fluid held = box_with(32, is_high, 0.0), falls = held;
    const double start = height_of_middle(held), dt = 0.01;
    for (int n = 0; n < 20; ++n) {
        step(held, dt);
        step_and_let_go(falls, dt);
    }
    UNSCOPED_INFO("held fell " << start - height_of_middle(held) << ", let go "
                      << start - height_of_middle(falls) << " free " << 0.5 * 9.81 * 0.04);
    CHECK(held.pressure(3, 0, 0) < 0.0);
    CHECK_THAT(height_of_middle(held), WithinAbs(start, 1e-3));
    CHECK_THAT(start - height_of_middle(falls), WithinAbs(0.5 * 9.81 * 0.04, 0.02));
    for (int n = 0; n < 100; ++n) {
        step_and_let_go(falls, dt);
    }
    CHECK(height_of_middle(falls) < 0.2);
    CHECK(water_volume(falls) > 0.2);
}

TEST_CASE("42 answers: a level set loses drops", "[answers]") {
    for (const double radius : {0.25, 0.1, 0.05}) {
        Fluid fluid(64, 64, 1);
        fluid.h = 1.0 / 64;
        fluid.has_air = true;
        for (int j = 0; j < 64; ++j) {
            for (int i = 0; i < 64; ++i) {
                const double x = (i + 0.5) / 64, y = (j + 0.5) / 64;
                fluid.phi(i, j, 0) = std::hypot(x - 0.5, y - 0.3) - radius;
            }
        }
        for (int k = 0; k < 1; ++k) {
            for (int j = 0; j < 64; ++j) {
                for (int i = 0; i <= 64; ++i) {
                    fluid.u(i, j, k) = -2.0 * std::numbers::pi * ((j + 0.5) / 64 - 0.5);
                    fluid.v(j, i, k) = 2.0 * std::numbers::pi * ((j + 0.5) / 64 - 0.5);
                }
            }
        }
        const double before = water_volume(fluid);
        for (int n = 0; n < 300; ++n) {  // once around
            carry_level_set(fluid, 1.0 / 300);
        }
        const double kept = water_volume(fluid) / before;
        UNSCOPED_INFO("radius " << radius << " kept " << kept);
        CHECK(kept < 0);
    }
}

TEST_CASE("42: what a long step does to waves", "[answers]") {
    for (const double share : {0.4, 1.0, 2.0, 3.0}) {
        Fluid fluid(32, 32, 1);
        fluid.h = 1.0 / 32;
        fluid.force_y = 9.81;
        fluid.advection = Advection::APIC;
        fluid.tolerance = 1e-6;
        fill_with_wave(fluid, 0.5, 0.05);
        Fluid flat = fluid;
        fill_with_wave(flat, 0.5, 0.0);
        const double dt = share * std::sqrt(fluid.h / 9.81);
        const double before = energy_of_water(fluid) - energy_of_water(flat), all=energy_of_water(flat);
        double most = 0.0;
        for (int n = 0; n < static_cast<int>(3.0 / dt); ++n) {
            step(fluid, dt);
            most = std::max(most, (energy_of_water(fluid) - energy_of_water(flat)) / before);
        }
        UNSCOPED_INFO("share " << share << " dt " << dt << " most " << most << " energy of wave share " << before / all);
        CHECK(most < 0);
    }
}
