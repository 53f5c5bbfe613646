// The worked answers of 41_particles' exercises.
#include <algorithm>
#include <array>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/flows.hpp"
#include "window/seed.hpp"

/// Puts a particle into the middle of each cell of fluid that has none. It gets what the particles
/// around it brought: the next grid_to_particles adds the change since. Returns how many are new.
inline int fill_empty_cells(Fluid& fluid) {
    Field count = fluid.pressure;
    std::fill(count.values.begin(), count.values.end(), 0.0);
    const auto cell = [&fluid](double x, int n) {
        return std::min(static_cast<int>(x / fluid.h), n - 1);
    };
    for (const Particle& particle : fluid.particles) {
        const Vector at = particle.place;
        count(cell(at.x, fluid.nx), cell(at.y, fluid.ny), cell(at.z, fluid.nz)) += 1.0;
    }
    const std::size_t before = fluid.particles.size();
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (count(i, j, k) == 0.0 && label_at(fluid, i, j, k) == Label::FLUID) {
                    Particle particle;
                    particle.place = {fluid.h * (i + 0.5), fluid.h * (j + 0.5),
                                      fluid.h * (k + 0.5)};
                    for (int n = 0; n < 4; ++n) {
                        particle.values[n] = interpolate(fluid.brought[n], fluid.h, particle.place);
                    }
                    fluid.particles.push_back(particle);
                }
            }
        }
    }
    return static_cast<int>(fluid.particles.size() - before);
}

/// Lets particles carry the reflected velocity along the velocity, see advect_reflected: before
/// they move, the gradient of the last pressure acts on them once more.
inline void advect_particles_reflected(Fluid& fluid, double dt) {
    const Field u = fluid.u, v = fluid.v, w = fluid.w;
    subtract_gradient(fluid, dt);
    add_force(fluid, dt);
    grid_to_particles(fluid);
    fluid.u = u;
    fluid.v = v;
    fluid.w = w;
    move_particles(fluid, dt);
    particles_to_grid(fluid);
}

namespace {

Fluid four_vortices(Advection advection) {
    Fluid fluid(64, 64, 1);
    fluid.h = 1.0 / 64;
    fluid.solver = Solver::DIRECT;
    fluid.advection = advection;
    set_vortices(fluid, 2);
    seed_particles(fluid);
    return fluid;
}

double energy_of(const Fluid& fluid) {
    return dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v);
}

}  // namespace

TEST_CASE("with PIC each transfer keeps a quarter of the difference") {
    Fluid fluid(3, 1, 1);
    fluid.advection = Advection::PIC;
    fluid.particles = {{{1.25, 0.5, 0.5}, {4.0, 0.0, 0.0, 0.0}},
                       {{1.75, 0.5, 0.5}, {8.0, 0.0, 0.0, 0.0}}};
    double difference = 2.0;
    for (int times = 0; times < 4; ++times) {
        particles_to_grid(fluid);
        CHECK_THAT(fluid.u(1, 0, 0), WithinAbs(6.0 - 0.5 * difference, 1e-12));
        CHECK_THAT(fluid.u(2, 0, 0), WithinAbs(6.0 + 0.5 * difference, 1e-12));
        grid_to_particles(fluid);
        difference *= 0.25;
    }
}

TEST_CASE("empty cells get a particle") {
    for (const Advection advection : {Advection::PIC, Advection::FLIP, Advection::APIC}) {
        Fluid fluid(9, 7, 1);
        fluid.advection = advection;
        set_vortices(fluid, 1);
        std::fill(fluid.density.values.begin(), fluid.density.values.end(), 0.5);
        fluid.solid(4, 3, 0) = 1.0;
        seed_particles(fluid);
        step(fluid, 0.1);
        CHECK(fill_empty_cells(fluid) == 0);
        fluid.particles.erase(
            std::remove_if(fluid.particles.begin(), fluid.particles.end(),
                           [](const Particle& particle) { return particle.place.x < 3.0; }),
            fluid.particles.end());
        CHECK(fill_empty_cells(fluid) == 21);
        CHECK(fill_empty_cells(fluid) == 0);
        const Fluid before = fluid;
        grid_to_particles(fluid);
        const Particle& last = fluid.particles.back();
        for (int n = 0; n < 2; ++n) {
            const Field& field = n == 0 ? before.u : before.v;
            CHECK_THAT(last.values[n], WithinAbs(interpolate(field, 1.0, last.place), 1e-12));
        }
        CHECK_THAT(last.values[3], WithinAbs(0.5, 1e-12));
    }
}

TEST_CASE("particles that carry the reflected velocity keep the energy") {
    for (const auto& [advection, expected] :
         {std::pair(Advection::FLIP, 0.97), std::pair(Advection::APIC, 0.99)}) {
        Fluid fluid = four_vortices(advection);
        const double before = energy_of(fluid);
        for (int steps = 0; steps < 50; steps += 2) {
            step(fluid, 0.03);
            advect_particles_reflected(fluid, 0.03);
            project(fluid, 0.03);
        }
        CHECK_THAT(energy_of(fluid) / before, WithinAbs(expected, 0.005));
    }
}
