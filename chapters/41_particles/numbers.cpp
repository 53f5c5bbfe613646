// The table behind --numbers: what each transfer keeps and loses, by hand, by a law, or as it was
// found once, beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "window/flows.hpp"
#include "window/measures.hpp"
#include "window/seed.hpp"

namespace {

using namespace workbook;

const std::string recorded = "as recorded";

struct Transfer {
    Advection advection;
    std::string name;
};
const std::array<Transfer, 3> transfers = {
    {{Advection::PIC, "PIC"}, {Advection::FLIP, "FLIP"}, {Advection::APIC, "APIC"}}};

/// A row of three cells with two particles between its two inner faces.
Fluid row_by_hand(Advection advection) {
    Fluid fluid(3, 1, 1);
    fluid.advection = advection;
    fluid.particles = {{{1.25, 0.5, 0.5}, {4.0, 0.0, 0.0, 0.0}},
                       {{1.75, 0.5, 0.5}, {8.0, 0.0, 0.0, 0.0}}};
    particles_to_grid(fluid);
    return fluid;
}

std::vector<double> inner_faces(const Fluid& fluid) {
    return {fluid.u(1, 0, 0), fluid.u(2, 0, 0)};
}

void add_row_by_hand(Numbers& numbers) {
    numbers.checked("particles with 4 and 8: the faces beside them", {5, 7},
                    inner_faces(row_by_hand(Advection::PIC)), 1e-12, "by hand");
    for (const auto& [advection, name] : transfers) {
        const bool is_pic = advection == Advection::PIC, is_flip = advection == Advection::FLIP;
        Fluid fluid = row_by_hand(advection);
        grid_to_particles(fluid);
        numbers.checked("  " + name + ": the particles then",
                        is_flip ? std::vector<double>{4, 8} : std::vector<double>{5.5, 6.5},
                        {fluid.particles[0].values[0], fluid.particles[1].values[0]}, 1e-12,
                        "by hand");
        particles_to_grid(fluid);
        numbers.checked("  and the faces again",
                        is_pic ? std::vector<double>{5.75, 6.25} : std::vector<double>{5, 7},
                        inner_faces(fluid), 1e-12, "by hand");
    }
}

/// What the transfers differ in: momentum, angular momentum and kinetic energy of the grid.
struct Kept {
    double momentum, angular_momentum, energy;
};

/// The weights of the particles at each point of u (0) or v (1).
Field masses(const Fluid& fluid, int part) {
    Field mass = part == 0 ? fluid.u : fluid.v;
    std::fill(mass.values.begin(), mass.values.end(), 0.0);
    for (const Particle& particle : fluid.particles) {
        const double x = particle.place.x / fluid.h - mass.origin.x;
        const double y = particle.place.y / fluid.h - mass.origin.y;
        const int i = static_cast<int>(x), j = static_cast<int>(y);
        for (int corner = 0; corner < 4; ++corner) {
            const int a = corner % 2, b = corner / 2;
            mass(i + a, j + b, 0) += (1.0 - std::abs(x - i - a)) * (1.0 - std::abs(y - j - b));
        }
    }
    return mass;
}

/// Momentum to the right, angular momentum about the middle of the box, and kinetic energy. A face
/// on the lower or right wall has no mass, since no particle is near.
Kept measure(const Fluid& fluid) {
    const Field u_mass = masses(fluid, 0);
    const Field v_mass = masses(fluid, 1);
    Kept found = {dot(fluid.u, u_mass), 0.0, 0.0};
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            const double u = fluid.u(i, j, 0);
            const double v = fluid.v(i, j, 0);
            found.angular_momentum += (i + 0.5 - 0.5 * fluid.nx) * v_mass(i, j, 0) * v -
                                      (j + 0.5 - 0.5 * fluid.ny) * u_mass(i, j, 0) * u;
            found.energy += 0.5 * (u_mass(i, j, 0) * u * u + v_mass(i, j, 0) * v * v);
        }
    }
    return found;
}

/// A wheel of particles in the middle of a flat box, which turns like a solid and moves to the
/// right. The grid has its velocity, and something has made it twice as fast.
Fluid spun_wheel(Advection advection) {
    Fluid fluid(16, 16, 1);
    fluid.advection = advection;
    seed_particles(fluid);
    std::vector<Particle> wheel;
    for (Particle particle : fluid.particles) {
        const double x = particle.place.x - 8.0;
        const double y = particle.place.y - 8.0;
        if (std::hypot(x, y) < 5.0) {
            particle.values = {0.5 - y, x, 0.0, 0.0};
            if (advection == Advection::APIC) {
                particle.gradients = {Vector{0.0, -1.0, 0.0}, Vector{1.0, 0.0, 0.0},
                                      Vector{0.0, 0.0, 0.0}, Vector{0.0, 0.0, 0.0}};
            }
            wheel.push_back(particle);
        }
    }
    fluid.particles = wheel;
    particles_to_grid(fluid);
    for (Field* faces : {&fluid.u, &fluid.v}) {
        add_scaled(*faces, 1.0, *faces);
    }
    return fluid;
}

/// Moves each particle straight ahead for `dt` seconds, by its own velocity. This changes neither
/// the momentum of the particles nor their angular momentum.
void fly_on(Fluid& fluid, double dt) {
    for (Particle& particle : fluid.particles) {
        particle.place.x += dt * particle.values[0];
        particle.place.y += dt * particle.values[1];
    }
}

void add_wheel(Numbers& numbers) {
    struct Recorded {
        double once, ten_times, moved;
    };
    const std::array<Recorded, 3> expected = {
        {{0.976, 0.797, 0.976}, {0.988, 0.988, 0.988}, {1.0, 1.0, 0.99978}}};
    for (std::size_t n = 0; n < transfers.size(); ++n) {
        const auto& [advection, name] = transfers[n];
        const bool is_apic = advection == Advection::APIC;
        Fluid fluid = spun_wheel(advection);
        const Kept before = measure(fluid);
        const auto transfer = [&fluid](int times) {
            for (int time = 0; time < times; ++time) {
                grid_to_particles(fluid);
                particles_to_grid(fluid);
            }
        };
        transfer(1);
        const Kept once = measure(fluid);
        numbers.checked("a wheel, spun on the grid, there and back, " + name + ": momentum", 1.0,
                        once.momentum / before.momentum, 1e-12, "conserved");
        const double tolerance = is_apic ? 1e-12 : 0.005;
        const std::string source = is_apic ? "conserved" : recorded;
        numbers.checked("  angular momentum", expected[n].once,
                        once.angular_momentum / before.angular_momentum, tolerance, source);
        Fluid moved = fluid;
        transfer(9);
        numbers.checked("  ten times", expected[n].ten_times,
                        measure(fluid).angular_momentum / before.angular_momentum, tolerance,
                        source);
        fly_on(moved, 0.1);
        particles_to_grid(moved);
        numbers.checked("  once, and the particles have moved", expected[n].moved,
                        measure(moved).angular_momentum / before.angular_momentum,
                        is_apic ? 5e-5 : 0.005, recorded);
    }
}

/// What one transfer there and back keeps of the wheel's angular momentum and kinetic energy, if
/// something has given each face of the grid another velocity.
void add_any_velocity(Numbers& numbers) {
    struct Recorded {
        double angular_momentum, energy;
    };
    const std::array<Recorded, 3> expected = {{{0.976, 0.865}, {0.987, 0.883}, {1.0, 0.976}}};
    for (std::size_t n = 0; n < transfers.size(); ++n) {
        const auto& [advection, name] = transfers[n];
        Fluid fluid = spun_wheel(advection);
        for (Field* faces : {&fluid.u, &fluid.v}) {
            for_each_point(*faces, [&](int i, int j, int) {
                (*faces)(i, j, 0) += 3.0 * std::sin(7.0 * i * i + 3.0 * j * (i + j));
            });
        }
        const Kept before = measure(fluid);
        grid_to_particles(fluid);
        particles_to_grid(fluid);
        const Kept after = measure(fluid);
        const bool is_apic = advection == Advection::APIC;
        numbers.checked(
            (n == 0 ? "any velocity on the grid, " : "  ") + name + ": angular momentum",
            expected[n].angular_momentum, after.angular_momentum / before.angular_momentum,
            is_apic ? 1e-12 : 0.005, is_apic ? "conserved" : recorded);
        numbers.checked("  kinetic energy", expected[n].energy, after.energy / before.energy, 0.005,
                        recorded);
    }
}

/// The share of the vortices' kinetic energy that so many steps leave.
double energy_kept(Advection advection, int n, double dt) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.solver = Solver::DIRECT;
    fluid.advection = advection;
    set_vortices(fluid, 2);
    const double before = kinetic_energy(fluid);
    if (advection >= Advection::PIC) {
        seed_particles(fluid);
    }
    for (int steps = 0; steps < std::lround(1.5 / dt); ++steps) {
        step(fluid, dt);
    }
    return kinetic_energy(fluid) / before;
}

void add_energies(Numbers& numbers, int n, double dt, std::array<double, 5> expected) {
    const std::string words = "vortices, " + std::to_string(n) + " cells, steps of " + in_words(dt);
    numbers.checked(words + ": energy, linear", expected[0], energy_kept(Advection::LINEAR, n, dt),
                    0.005, recorded);
    numbers.checked("  sharp", expected[1], energy_kept(Advection::SHARP, n, dt), 0.005, recorded);
    for (std::size_t k = 0; k < 3; ++k) {
        numbers.checked("  " + transfers[k].name, expected[2 + k],
                        energy_kept(transfers[k].advection, n, dt), 0.005, recorded);
    }
}

/// What the particles have of u and the grid does not see, as a share of all u that they have: the
/// length (2-norm) of the one over that of the other.
double hidden_share(const Fluid& fluid) {
    double hidden = 0.0, all = 0.0;
    for (const Particle& particle : fluid.particles) {
        const double seen = interpolate(fluid.brought[0], fluid.h, particle.place);
        hidden += (particle.values[0] - seen) * (particle.values[0] - seen);
        all += particle.values[0] * particle.values[0];
    }
    return std::sqrt(hidden / all);
}

/// The dye of the particles, and the cells that no particle is in, after the vortices have turned.
void add_dye(Numbers& numbers) {
    Fluid fluid(64, 64, 1);
    fluid.h = 1.0 / 64;
    fluid.solver = Solver::DIRECT;
    fluid.advection = Advection::FLIP;
    set_vortices(fluid, 2);
    set_dye(fluid, [](double x, double) { return static_cast<int>(7.0 * x) % 2 == 0; });
    seed_particles(fluid);
    grid_to_particles(fluid);
    particles_to_grid(fluid);
    const auto dye = [&] {
        double sum = 0.0;
        for (const Particle& particle : fluid.particles) {
            sum += particle.values[3];
        }
        return sum;
    };
    const double before = dye();
    Fluid mixed = fluid;
    mixed.flip_share = 0.95;
    for (int steps = 0; steps < 50; ++steps) {
        step(fluid, 0.03);
        step(mixed, 0.03);
    }
    numbers.checked("four vortices after 1.5 s, FLIP: dye that the particles have lost", 0.0,
                    before - dye(), 0.0, "none");
    std::vector<int> count(64 * 64, 0);
    for (const Particle& particle : fluid.particles) {
        ++count[fluid.density.IX(static_cast<int>(64 * particle.place.x),
                                 static_cast<int>(64 * particle.place.y), 0)];
    }
    numbers.checked("  cells without a particle", 32.0,
                    static_cast<double>(std::count(count.begin(), count.end(), 0)), 6.0, recorded);
    numbers.checked("  most particles in a cell", 11.0,
                    *std::max_element(count.begin(), count.end()), 3.0, recorded);
    numbers.checked("  share of u that the grid does not see", 0.0204, hidden_share(fluid), 0.002,
                    recorded);
    numbers.checked("  with 95 % of FLIP", 0.0147, hidden_share(mixed), 0.002, recorded);
}

/// How far a particle is from the middle of a wheel after one turn in 60 steps; 1 at first. Each
/// straight step is a tangent: it leads outwards.
void add_turn(Numbers& numbers) {
    Fluid fluid(4, 4, 1);
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i <= 4; ++i) {
            fluid.u(i, j, 0) = 2.0 - (j + 0.5);
            fluid.v(j, i, 0) = j + 0.5 - 2.0;
        }
    }
    const double dt = 2.0 * 3.14159265358979 / 60.0;
    const double straight = std::pow(1.0 + dt * dt, 30.0);
    for (const bool is_midpoint : {false, true}) {
        fluid.advection = is_midpoint ? Advection::APIC : Advection::LINEAR;
        fluid.particles = {{{3.0, 2.0, 0.5}}};
        for (int n = 0; n < 60; ++n) {
            move_particles(fluid, dt);
        }
        const Vector place = fluid.particles[0].place;
        numbers.checked(is_midpoint
                            ? "  by the midpoint rule"
                            : "a particle on a wheel, one turn in 60 straight steps: radius",
                        is_midpoint ? std::pow(1.0 + 0.25 * dt * dt * dt * dt, 30.0) : straight,
                        std::hypot(place.x - 2.0, place.y - 2.0), 1e-9,
                        is_midpoint ? "(1 + dt^4 / 4)^30" : "(1 + dt^2)^30");
    }
}

}  // namespace

bool numbers(const workbook::Program& window) {
    Numbers numbers("41_particles: what each transfer keeps");
    add_row_by_hand(numbers);
    add_wheel(numbers);
    add_any_velocity(numbers);
    add_turn(numbers);
    add_dye(numbers);
    add_energies(numbers, 64, 0.03, {0.460, 0.540, 0.417, 0.532, 0.539});
    add_energies(numbers, 32, 0.01, {0.310, 0.779, 0.020, 0.735, 0.770});
    if (window.session.long_numbers) {
        add_energies(numbers, 32, 0.03, {0.321, 0.544, 0.186, 0.512, 0.542});
        add_energies(numbers, 64, 0.01, {0.521, 0.776, 0.324, 0.765, 0.778});
    }
    return numbers.print();
}
