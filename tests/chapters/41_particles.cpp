#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/flows.hpp"
#include "window/seed.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 4> boxes = {{{5, 4, 3}, {3, 6, 2}, {7, 5, 1}, {1, 4, 6}}};
constexpr std::array<Advection, 3> transfers = {Advection::PIC, Advection::FLIP, Advection::APIC};
constexpr const char* names[4] = {"u", "v", "w", "density"};

std::string name_of(Advection advection) {
    return advection == Advection::PIC ? "PIC" : advection == Advection::FLIP ? "FLIP" : "APIC";
}

const Field& field_of(const Fluid& fluid, int n) {
    return n == 0 ? fluid.u : n == 1 ? fluid.v : n == 2 ? fluid.w : fluid.density;
}
Field& field_of(Fluid& fluid, int n) {
    return n == 0 ? fluid.u : n == 1 ? fluid.v : n == 2 ? fluid.w : fluid.density;
}

std::array<double, 3> as_array(Vector vector) {
    return {vector.x, vector.y, vector.z};
}

/// Numbers without a pattern, from 0 to 1.
class Numbers {
  public:
    explicit Numbers(std::uint32_t seed) : seed_(seed) {}
    double operator()() {
        seed_ = seed_ * 1664525u + 1013904223u;
        return static_cast<double>(seed_ >> 8) / 16777216.0;
    }

  private:
    std::uint32_t seed_;
};

/// A box whose sides are all outflows: set_bnd leaves each face its velocity.
Fluid open_box(int nx, int ny, int nz) {
    Fluid fluid(nx, ny, nz);
    fluid.h = 0.7;
    for (Side& side : fluid.sides) {
        side.opening = Opening::OUTFLOW;
    }
    return fluid;
}

Fluid bumpy_open_box(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = open_box(nx, ny, nz);
    for (int n = 0; n < 4; ++n) {
        make_bumpy(field_of(fluid, n), seed + static_cast<std::uint32_t>(n));
    }
    return fluid;
}

/// Particles anywhere in the box, with whatever velocity, dye and, if wanted, gradients.
std::vector<Particle> some_particles(const Fluid& fluid, int count, bool with_gradients,
                                     std::uint32_t seed) {
    Numbers number(seed);
    std::vector<Particle> particles(count);
    for (Particle& particle : particles) {
        particle.place = {fluid.h * fluid.nx * number(), fluid.h * fluid.ny * number(),
                          fluid.h * fluid.nz * number()};
        for (int n = 0; n < 4; ++n) {
            particle.values[n] = 2.0 * number() - 1.0;
            if (with_gradients && n < 3) {
                particle.gradients[n] = {number() - 0.5, number() - 0.5, number() - 0.5};
            }
        }
    }
    return particles;
}

/// A place in points of a field along one axis, and within its points.
double clamped(const Fluid& fluid, const Field& field, const Particle& particle, int axis) {
    const std::array<int, 3> size = {field.nx, field.ny, field.nz};
    const double place = as_array(particle.place)[axis] / fluid.h - as_array(field.origin)[axis];
    return std::clamp(place, 0.0, size[axis] - 1.0);
}

/// The weight of a particle at a point of a field, by the formula of the hat.
double weight_at(const Fluid& fluid, const Field& field, const Particle& particle,
                 std::array<int, 3> at) {
    double weight = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double x = clamped(fluid, field, particle, axis);
        weight *= std::max(0.0, 1.0 - std::abs(x - at[axis]));
    }
    return weight;
}

/// Calls action for the place of each point of a field.
template <class Action>
void at_each_point(const Field& field, Action action) {
    for_each_point(field, [&](int i, int j, int k) { action(std::array<int, 3>{i, j, k}); });
}

double value_at(const Field& field, std::array<int, 3> at) {
    return field(at[0], at[1], at[2]);
}

/// The mass of each point: the weights of all particles there, each of mass 1.
Field masses(const Fluid& fluid, int n) {
    Field mass = field_of(fluid, n);
    at_each_point(mass, [&](std::array<int, 3> at) {
        double sum = 0.0;
        for (const Particle& particle : fluid.particles) {
            sum += weight_at(fluid, mass, particle, at);
        }
        mass(at[0], at[1], at[2]) = sum;
    });
    return mass;
}

/// The momentum of a field whose points have these masses.
double momentum(const Field& field, const Field& mass) {
    return dot(field, mass);
}

double momentum(const std::vector<Particle>& particles, int n) {
    double sum = 0.0;
    for (const Particle& particle : particles) {
        sum += particle.values[n];
    }
    return sum;
}

/// A part of the velocity that counts for turning about an axis: which, along which axis its arm
/// is, and with what sign.
struct Turning {
    int part, arm;
    double sign;
};

std::array<Turning, 2> turning_about(int axis) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    return {{{last, next, 1.0}, {next, last, -1.0}}};
}

/// The angular momentum of the grid about the corner of the box, along one axis.
double angular_momentum(const Fluid& fluid, const std::array<Field, 3>& mass, int axis) {
    double sum = 0.0;
    for (const Turning& one : turning_about(axis)) {
        const Field& field = field_of(fluid, one.part);
        at_each_point(field, [&](std::array<int, 3> at) {
            const double place = fluid.h * (at[one.arm] + as_array(field.origin)[one.arm]);
            sum += one.sign * place * value_at(mass[one.part], at) * value_at(field, at);
        });
    }
    return sum;
}

/// The angular momentum of the grid about the middle of the particles, and not that of the motion
/// of all particles together.
double own_angular_momentum(const Fluid& fluid, int axis) {
    const std::array<Field, 3> mass = {masses(fluid, 0), masses(fluid, 1), masses(fluid, 2)};
    const int next = (axis + 1) % 3;
    const int last = (axis + 2) % 3;
    double arm_next = 0.0;
    double arm_last = 0.0;
    for (const Particle& particle : fluid.particles) {
        arm_next += as_array(particle.place)[next];
        arm_last += as_array(particle.place)[last];
    }
    const double count = static_cast<double>(fluid.particles.size());
    return angular_momentum(fluid, mass, axis) -
           (arm_next * momentum(field_of(fluid, last), mass[last]) -
            arm_last * momentum(field_of(fluid, next), mass[next])) /
               count;
}

/// Twice the kinetic energy of the grid's points, each with the mass that particles give it.
double energy_of_grid(const Fluid& fluid) {
    double sum = 0.0;
    for (int n = 0; n < 3; ++n) {
        const Field mass = masses(fluid, n);
        at_each_point(mass, [&](std::array<int, 3> at) {
            const double velocity = value_at(field_of(fluid, n), at);
            sum += value_at(mass, at) * velocity * velocity;
        });
    }
    return sum;
}

/// A ball of particles around the middle of a box, which turns about an axis as one rigid body, and
/// moves on besides. Whether it has gradients depends on the transfer.
Fluid turning_ball(Advection advection, int axis) {
    Fluid fluid = open_box(9, 8, 10);
    fluid.advection = advection;
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const std::array<double, 3> middle = {0.5 * 9 * fluid.h, 0.5 * 8 * fluid.h, 0.5 * 10 * fluid.h};
    for (Particle& particle : some_particles(fluid, 3000, false, 5)) {
        std::array<double, 3> arm = as_array(particle.place);
        for (int n = 0; n < 3; ++n) {
            arm[n] -= middle[n];
        }
        if (std::hypot(arm[0], arm[1], arm[2]) < 2.4 * fluid.h) {
            particle.values = {0.3, -0.2, 0.1, 0.0};
            particle.values[next] -= 2.0 * arm[last];
            particle.values[last] += 2.0 * arm[next];
            if (advection == Advection::APIC) {
                const auto unit = [](int n, double length) {
                    return Vector{n == 0 ? length : 0.0, n == 1 ? length : 0.0,
                                  n == 2 ? length : 0.0};
                };
                particle.gradients[next] = unit(last, -2.0);
                particle.gradients[last] = unit(next, 2.0);
            }
            fluid.particles.push_back(particle);
        }
    }
    return fluid;
}

}  // namespace

// ---- Particles to grid -------------------------------------------------------------------------

TEST_CASE("each point gets the weighted mean of the particles around it", "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = bumpy_open_box(nx, ny, nz, 3);
        const std::string box = "box " + words_of(nx, ny, nz);
        fluid.particles = some_particles(fluid, 12, true, 7);
        const Fluid before = fluid;
        particles_to_grid(fluid);
        int reached = 0, kept = 0;
        for (int n = 0; n < 4; ++n) {
            const Field& field = field_of(fluid, n);
            at_each_point(field, [&](std::array<int, 3> at) {
                double sum = 0.0, weights = 0.0;
                for (const Particle& particle : fluid.particles) {
                    const double weight = weight_at(fluid, field, particle, at);
                    double value = particle.values[n];
                    for (int axis = 0; axis < 3; ++axis) {
                        value += as_array(particle.gradients[n])[axis] * fluid.h *
                                 (at[axis] - clamped(fluid, field, particle, axis));
                    }
                    sum += weight * value;
                    weights += weight;
                }
                INFO(box << ", " << names[n] << words_of(at[0], at[1], at[2])
                         << ": is it the mean of the particles around it, by weight?");
                if (weights > 1e-9) {
                    CHECK_THAT(value_at(field, at), WithinAbs(sum / weights, 1e-9));
                    ++reached;
                } else if (weights == 0.0) {
                    INFO("no particle reaches it: it keeps its value");
                    CHECK(value_at(field, at) == value_at(field_of(before, n), at));
                    ++kept;
                }
            });
            INFO(names[n] << ": is what the particles brought kept?");
            CHECK(fluid.brought[n].values == field.values);
        }
        CHECK(reached > 20);
        CHECK(kept > 0);
    }
}

TEST_CASE("what particles bring is kept as it was before the walls stop it", "[41_particles]") {
    Fluid fluid(4, 3, 2);
    fluid.particles = some_particles(fluid, 200, false, 9);
    for (Particle& particle : fluid.particles) {
        particle.values = {1.5, -2.5, 3.5, 0.5};
    }
    particles_to_grid(fluid);
    INFO("the walls change the velocity: FLIP's particles must be told of it");
    CHECK(fluid.u(0, 1, 0) == 0.0);
    CHECK(fluid.v(1, 3, 1) == 0.0);
    CHECK(fluid.w(1, 1, 0) == 0.0);
    CHECK_THAT(fluid.brought[0](0, 1, 0), WithinAbs(1.5, 1e-12));
    CHECK_THAT(fluid.brought[1](1, 3, 1), WithinAbs(-2.5, 1e-12));
    CHECK_THAT(fluid.brought[2](1, 1, 0), WithinAbs(3.5, 1e-12));
    CHECK_THAT(fluid.w(1, 1, 1), WithinAbs(3.5, 1e-12));
    CHECK_THAT(fluid.density(3, 2, 1), WithinAbs(0.5, 1e-12));
}

TEST_CASE("a particle that a solid covers brings nothing", "[41_particles]") {
    for (const Advection advection : transfers) {
        Fluid fluid = bumpy_open_box(6, 5, 3, 15);
        fluid.advection = advection;
        fluid.particles = some_particles(fluid, 400, advection == Advection::APIC, 17);
        for (int j = 1; j < 3; ++j) {
            fluid.solid(2, j, 1) = fluid.solid(3, j, 1) = 1.0;
        }
        Fluid without = fluid;
        std::erase_if(without.particles, [&](const Particle& particle) {
            return !is_in_fluid(fluid, particle.place);
        });
        REQUIRE(without.particles.size() + 5 < fluid.particles.size());
        REQUIRE(without.particles.size() > 300);
        const Fluid before = fluid;
        particles_to_grid(fluid);
        particles_to_grid(without);
        for (int n = 0; n < 4; ++n) {
            INFO(name_of(advection)
                 << ", " << names[n] << ": does a covered particle act on the fluid beside it?");
            CHECK(field_of(fluid, n).values == field_of(without, n).values);
            CHECK(field_of(fluid, n).values != field_of(before, n).values);
        }
    }
}

// ---- Grid to particles -------------------------------------------------------------------------

TEST_CASE("affine_at returns the value and the gradient of interpolate", "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid fluid = bumpy_open_box(nx, ny, nz, 21);
        Numbers number(22);
        for (int n = 0; n < 4; ++n) {
            const Field& field = field_of(fluid, n);
            const std::array<int, 3> size = {field.nx, field.ny, field.nz};
            for (int trial = 0; trial < 40; ++trial) {
                std::array<double, 3> at = {};
                for (int axis = 0; axis < 3; ++axis) {  // not too near to a point
                    const int before = static_cast<int>((size[axis] + 1) * number()) - 1;
                    at[axis] = before + 0.1 + 0.8 * number();
                }
                const auto place = [&](int axis, double shift) {
                    std::array<double, 3> moved = at;
                    moved[axis] += shift;
                    return Vector{fluid.h * (moved[0] + field.origin.x),
                                  fluid.h * (moved[1] + field.origin.y),
                                  fluid.h * (moved[2] + field.origin.z)};
                };
                const Affine affine = affine_at(field, fluid.h, place(0, 0.0));
                CHECK_THAT(affine.value,
                           WithinAbs(interpolate(field, fluid.h, place(0, 0.0)), 1e-12));
                const auto found = as_array(affine.gradient);
                for (int axis = 0; axis < 3; ++axis) {
                    const double difference = interpolate(field, fluid.h, place(axis, 0.05)) -
                                              interpolate(field, fluid.h, place(axis, -0.05));
                    INFO(names[n] << " along axis " << axis << " at point (" << at[0] << ", "
                                  << at[1] << ", " << at[2] << ")");
                    CHECK_THAT(found[axis], WithinAbs(difference / (0.1 * fluid.h), 1e-9));
                }
            }
        }
    }
}

TEST_CASE("PIC takes the velocity, FLIP its change, APIC its gradient, too", "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = bumpy_open_box(nx, ny, nz, 31);
        for (int n = 0; n < 4; ++n) {
            make_bumpy(fluid.brought[n], 41 + static_cast<std::uint32_t>(n));
        }
        fluid.particles = some_particles(fluid, 30, true, 51);
        fluid.flip_share = 0.75;
        const Fluid before = fluid;
        for (const Advection advection : transfers) {
            fluid = before;
            fluid.advection = advection;
            grid_to_particles(fluid);
            for (std::size_t one = 0; one < fluid.particles.size(); ++one) {
                const Particle& old = before.particles[one];
                const Particle& particle = fluid.particles[one];
                for (int n = 0; n < 4; ++n) {
                    const double now = interpolate(field_of(fluid, n), fluid.h, old.place);
                    const double then = interpolate(fluid.brought[n], fluid.h, old.place);
                    const double with_change = old.values[n] + now - then;
                    double expected = now;
                    if (n == 3) {
                        expected = with_change;  // of dye
                    } else if (advection == Advection::FLIP) {
                        expected = 0.75 * with_change + 0.25 * now;
                    }
                    INFO(name_of(advection) << ", " << names[n] << " of a particle");
                    CHECK_THAT(particle.values[n], WithinAbs(expected, 1e-12));
                    const bool has_gradient = advection == Advection::APIC && n < 3;
                    const auto gradient =
                        as_array(affine_at(field_of(fluid, n), fluid.h, old.place).gradient);
                    for (int axis = 0; axis < 3; ++axis) {
                        INFO("its gradient along axis " << axis);
                        CHECK_THAT(as_array(particle.gradients[n])[axis],
                                   WithinAbs(has_gradient ? gradient[axis] : 0.0, 1e-12));
                    }
                }
            }
        }
    }
}

TEST_CASE("FLIP leaves particles exactly as they are if the grid does not change",
          "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = open_box(nx, ny, nz);
        fluid.advection = Advection::FLIP;
        fluid.particles = some_particles(fluid, 50, false, 61);
        const std::vector<Particle> before = fluid.particles;
        particles_to_grid(fluid);
        REQUIRE(largest(fluid.u) > 0.0);
        grid_to_particles(fluid);
        for (std::size_t one = 0; one < before.size(); ++one) {
            INFO("box " << words_of(nx, ny, nz) << ": no digit of a particle may differ");
            CHECK(fluid.particles[one].values == before[one].values);
        }
        for (double& u : fluid.u.values) {
            u += 1.0;
        }
        grid_to_particles(fluid);
        CHECK_THAT(fluid.particles[0].values[0], WithinAbs(before[0].values[0] + 1.0, 1e-12));
    }
}

// ---- What is conserved -------------------------------------------------------------------------

TEST_CASE("uniform motion stays uniform", "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const Advection advection : transfers) {
            Fluid fluid = open_box(nx, ny, nz);
            fluid.advection = advection;
            const std::array<double, 4> all = {0.3, -1.7, 2.9, 0.6};
            for (int n = 0; n < 4; ++n) {
                std::fill(field_of(fluid, n).values.begin(), field_of(fluid, n).values.end(),
                          all[n]);
            }
            seed_particles(fluid);
            REQUIRE(fluid.particles.size() ==
                    static_cast<std::size_t>((nz == 1 ? 4 : 8) * nx * ny * nz));
            for (int step = 0; step < 5; ++step) {
                advect_velocity(fluid, 0.05);
            }
            INFO("box " << words_of(nx, ny, nz) << ", " << name_of(advection));
            for (int n = 0; n < 4; ++n) {
                INFO(names[n]);
                for (const Particle& particle : fluid.particles) {
                    CHECK_THAT(particle.values[n], WithinAbs(all[n], 1e-13));
                }
                for (const double value : field_of(fluid, n).values) {
                    CHECK_THAT(value, WithinAbs(all[n], 1e-13));
                }
            }
        }
    }
}

TEST_CASE("each transfer conserves momentum, both ways", "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const Advection advection : transfers) {
            Fluid fluid = bumpy_open_box(nx, ny, nz, 71);
            fluid.advection = advection;
            fluid.particles = some_particles(fluid, 150, advection == Advection::APIC, 72);
            particles_to_grid(fluid);
            std::array<double, 3> before = {}, after = {}, change = {};
            for (int n = 0; n < 3; ++n) {
                INFO("box " << words_of(nx, ny, nz) << ", " << name_of(advection)
                            << ": the grid has the momentum " << names[n] << " of the particles");
                const Field mass = masses(fluid, n);
                CHECK_THAT(momentum(field_of(fluid, n), mass),
                           WithinAbs(momentum(fluid.particles, n), 1e-11));
                before[n] = momentum(fluid.particles, n);
                field_of(fluid, n).values[1] += 2.0;  // something pushes the fluid
                change[n] = 2.0 * mass.values[1];
            }
            grid_to_particles(fluid);
            for (int n = 0; n < 3; ++n) {
                after[n] = momentum(fluid.particles, n);
                INFO(name_of(advection)
                     << ": the particles get the momentum of the push, in " << names[n]);
                CHECK_THAT(after[n], WithinAbs(before[n] + change[n], 1e-11));
            }
        }
    }
}

TEST_CASE("what the grid has turned goes on turning with APIC, with PIC less, with FLIP half",
          "[41_particles]") {
    for (int axis = 0; axis < 3; ++axis) {
        double kept_by_pic = 0.0;
        for (const Advection advection : transfers) {
            Fluid fluid = turning_ball(advection, axis);
            REQUIRE(fluid.particles.size() > 100);
            particles_to_grid(fluid);
            for (int n = 0; n < 3; ++n) {  // something makes all of it twice as fast
                for (double& velocity : field_of(fluid, n).values) {
                    velocity *= 2.0;
                }
            }
            const double before = own_angular_momentum(fluid, axis);
            grid_to_particles(fluid);
            particles_to_grid(fluid);
            const double after = own_angular_momentum(fluid, axis);
            INFO(name_of(advection) << " about axis " << axis << ": angular momentum " << before
                                    << ", and there and back again " << after);
            CHECK(before > 200.0);
            if (advection == Advection::PIC) {
                CHECK(after < 0.9 * before);
                CHECK(after > 0.7 * before);
                kept_by_pic = after / before;
            } else if (advection == Advection::FLIP) {
                INFO("half of it is new, and of this FLIP keeps as much as PIC");
                CHECK_THAT(after / before, WithinAbs(0.5 + 0.5 * kept_by_pic, 1e-9));
            } else {
                CHECK_THAT(after, WithinAbs(before, 1e-9));
            }
        }
    }
}

TEST_CASE("from particles at rest APIC returns the angular momentum of any velocity on the grid",
          "[41_particles]") {
    for (int axis = 0; axis < 3; ++axis) {
        Fluid fluid = turning_ball(Advection::APIC, axis);
        for (int n = 0; n < 3; ++n) {
            make_bumpy(field_of(fluid, n), 75 + static_cast<std::uint32_t>(n));
        }
        Fluid by_pic = fluid;
        by_pic.advection = Advection::PIC;
        const double before = own_angular_momentum(fluid, axis);
        const double energy = energy_of_grid(fluid);
        for (int times = 0; times < 3; ++times) {
            for (Fluid* one : {&fluid, &by_pic}) {
                grid_to_particles(*one);
                particles_to_grid(*one);
            }
        }
        const double after = own_angular_momentum(fluid, axis);
        INFO("about axis " << axis << ": angular momentum " << before
                           << ", and there and back again three times " << after);
        CHECK_THAT(after, WithinAbs(before, 1e-9));
        CHECK(std::abs(own_angular_momentum(by_pic, axis) - before) > 0.1);
        INFO("of the energy " << energy << " not all is returned, but " << energy_of_grid(fluid));
        CHECK(energy_of_grid(fluid) < 0.9 * energy);
    }
}

TEST_CASE("particles that fly on have their momentum, and the grid gets a little less turning",
          "[41_particles]") {
    for (int axis = 0; axis < 3; ++axis) {
        Fluid fluid = turning_ball(Advection::APIC, axis);
        particles_to_grid(fluid);
        grid_to_particles(fluid);
        const double turning = own_angular_momentum(fluid, axis);
        for (Particle& particle : fluid.particles) {
            particle.place.x += 0.1 * particle.values[0];
            particle.place.y += 0.1 * particle.values[1];
            particle.place.z += 0.1 * particle.values[2];
        }
        particles_to_grid(fluid);
        for (int n = 0; n < 3; ++n) {
            INFO("the momentum " << names[n] << " is that of the particles, wherever they are");
            CHECK_THAT(momentum(field_of(fluid, n), masses(fluid, n)),
                       WithinAbs(momentum(fluid.particles, n), 1e-9));
        }
        const double changed = own_angular_momentum(fluid, axis) / turning - 1.0;
        INFO("about axis " << axis << " the angular momentum changes by " << changed);
        CHECK(std::abs(changed) > 1e-6);
        CHECK(std::abs(changed) < 0.02);
    }
}

TEST_CASE("no dye is lost, not even where a body goes", "[41_particles]") {
    for (const Advection advection : transfers) {
        Fluid fluid(12, 9, 1);
        fluid.h = 0.5;
        fluid.advection = advection;
        set_vortices(fluid, 1);
        make_bumpy(fluid.density, 81);
        for (double& dye : fluid.density.values) {
            dye = std::abs(dye);
        }
        seed_particles(fluid);
        grid_to_particles(fluid);
        const std::vector<Particle> before = fluid.particles;
        CHECK(momentum(before, 3) > 100.0);
        particles_to_grid(fluid);
        for (int n = 0; n < 6; ++n) {
            const int left = 2 + n / 2;
            std::fill(fluid.solid.values.begin(), fluid.solid.values.end(), 0.0);
            for (int j = 3; j < 6; ++j) {
                fluid.solid(left, j, 0) = fluid.solid(left + 1, j, 0) = 1.0;
                fluid.density(left, j, 0) = fluid.density(left + 1, j, 0) = 0.0;
                for (int i = left; i < left + 3; ++i) {
                    fluid.u_given(i, j, 0) = 0.25;
                }
            }
            step(fluid, 1.0);
        }
        double moved = 0.0;
        for (std::size_t one = 0; one < before.size(); ++one) {
            INFO(name_of(advection) << ": each particle has its dye, to the last digit");
            CHECK(fluid.particles[one].values[3] == before[one].values[3]);
            moved = larger(moved, std::abs(fluid.particles[one].place.x - before[one].place.x));
        }
        CHECK(moved > 1.0);
        INFO("dye that the mouse adds gets to the particles");
        at_each_point(fluid.density, [&](std::array<int, 3> at) {
            add_density(fluid, at[0], at[1], at[2], 0.25);
        });
        grid_to_particles(fluid);
        const double count = static_cast<double>(before.size());
        CHECK(momentum(fluid.particles, 3) > momentum(before, 3) + 0.15 * count);
        CHECK(momentum(fluid.particles, 3) < momentum(before, 3) + 0.26 * count);
    }
}

// ---- The move ----------------------------------------------------------------------------------

TEST_CASE("particles move by the midpoint rule", "[41_particles]") {
    for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        std::array<double, 3> errors = {};
        for (int halves = 0; halves < 3; ++halves) {
            Fluid fluid(9, 8, 10);
            fluid.advection = Advection::APIC;
            const std::array<double, 3> middle = {4.5, 4.0, 5.0};
            for (const Turning& one : turning_about(axis)) {
                Field& field = field_of(fluid, one.part);
                at_each_point(field, [&](std::array<int, 3> at) {
                    field(at[0], at[1], at[2]) =
                        one.sign *
                        (at[one.arm] + as_array(field.origin)[one.arm] - middle[one.arm]);
                });
            }
            Particle particle = {{4.5, 4.0, 5.0}};
            (next == 0 ? particle.place.x : next == 1 ? particle.place.y : particle.place.z) += 2.0;
            fluid.particles = {particle};
            const double dt = 0.4 / (1 << halves);
            move_particles(fluid, dt);
            const auto place = as_array(fluid.particles[0].place);
            errors[halves] = std::hypot(place[next] - middle[next] - 2.0 * std::cos(dt),
                                        place[last] - middle[last] - 2.0 * std::sin(dt));
        }
        INFO("half the step, an eighth of the error of a step about axis " << axis);
        CHECK(errors[0] > 0.0);
        CHECK(errors[0] < 0.05);
        CHECK(errors[0] / errors[1] > 7.0);
        CHECK(errors[1] / errors[2] > 7.0);
    }
}

TEST_CASE("particles stay in the fluid, and glide along what stops them", "[41_particles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = bumpy_open_box(nx, ny, nz, 91);
        fluid.advection = Advection::PIC;
        seed_particles(fluid);
        fluid.solid(0, 2, 0) = fluid.solid(0, 3, 0) = 1.0;
        std::vector<bool> was_covered;
        for (const Particle& particle : fluid.particles) {
            was_covered.push_back(!is_in_fluid(fluid, particle.place));
        }
        int moved = 0;
        for (int n = 0; n < 20; ++n) {
            move_particles(fluid, 0.4);
        }
        for (std::size_t one = 0; one < fluid.particles.size(); ++one) {
            INFO("box " << words_of(nx, ny, nz) << ": does a particle leave the fluid?");
            CHECK((was_covered[one] || is_in_fluid(fluid, fluid.particles[one].place)));
            ++moved;
        }
        CHECK(moved > 50);
    }
    Fluid fluid = open_box(6, 5, 4);
    fluid.advection = Advection::FLIP;
    for (int n = 0; n < 3; ++n) {
        std::fill(field_of(fluid, n).values.begin(), field_of(fluid, n).values.end(), 0.5);
    }
    fluid.particles = {{{fluid.h * 5.9, fluid.h * 2.0, fluid.h * 2.0}},
                       {{fluid.h * 2.0, fluid.h * 4.9, fluid.h * 2.0}},
                       {{fluid.h * 2.0, fluid.h * 2.0, fluid.h * 3.9}}};
    move_particles(fluid, 0.3);
    for (int n = 0; n < 3; ++n) {
        const auto place = as_array(fluid.particles[n].place);
        for (int axis = 0; axis < 3; ++axis) {
            const double stopped = fluid.h * (axis == 0 ? 5.9 : axis == 1 ? 4.9 : 3.9);
            INFO("a wall across axis " << n << " stops a particle along this axis only");
            CHECK_THAT(place[axis], WithinAbs(axis == n ? stopped : fluid.h * 2.0 + 0.15, 1e-12));
        }
    }
}

TEST_CASE("a body covers particles, and uncovers them", "[41_particles]") {
    Fluid fluid(8, 6, 1);
    fluid.advection = Advection::APIC;
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 1.0);
    seed_particles(fluid);
    const std::size_t count = fluid.particles.size();
    fluid.solid(3, 2, 0) = 1.0;
    const auto covered = [&] {
        return std::count_if(fluid.particles.begin(), fluid.particles.end(), [](const auto& one) {
            return 3.0 <= one.place.x && one.place.x < 4.0 && 2.0 <= one.place.y &&
                   one.place.y < 3.0;
        });
    };
    CHECK(covered() == 4);
    for (int n = 0; n < 3; ++n) {
        advect_velocity(fluid, 0.1);
    }
    CHECK(covered() <= 4);
    CHECK(fluid.particles.size() == count);
    fluid.solid(3, 2, 0) = 0.0;
    const std::vector<Particle> before = fluid.particles;
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 1.0);
    move_particles(fluid, 0.1);
    for (std::size_t one = 0; one < count; ++one) {
        if (before[one].place.x < 7.5) {
            CHECK_THAT(fluid.particles[one].place.x, WithinAbs(before[one].place.x + 0.1, 1e-12));
        }
    }
}

// ---- The whole step ----------------------------------------------------------------------------

TEST_CASE("a mirrored box of particles stays mirrored", "[41_particles]") {
    for (const Advection advection : transfers) {
        for (int axis = 0; axis < 3; ++axis) {
            Fluid fluid = bumpy_fluid(5, 4, 3, 101);
            fluid.h = 0.4;
            fluid.advection = advection;
            fluid.tolerance = 1e-13;
            fluid.iterations = 1000;
            seed_particles(fluid);
            Fluid other = mirrored(fluid, axis);
            const double width = fluid.h * (5 - axis);
            for (Particle& particle : other.particles) {
                double& place = axis == 0   ? particle.place.x
                                : axis == 1 ? particle.place.y
                                            : particle.place.z;
                place = width - place;
            }
            const Field before = fluid.u;
            for (int n = 0; n < 4; ++n) {
                step(fluid, 0.05);
                step(other, 0.05);
            }
            const Fluid back = mirrored(other, axis);
            INFO(name_of(advection) << ", mirrored along axis " << axis);
            for (int n = 0; n < 4; ++n) {
                INFO(names[n]);
                CHECK(distance(field_of(fluid, n), field_of(back, n)) < 1e-9);
            }
            std::array<double, 3> sums = {};
            for (const Particle& particle : fluid.particles) {
                for (int n = 0; n < 3; ++n) {
                    sums[n] += std::abs(particle.values[n]);
                }
            }
            CHECK(sums[0] > 1.0);
            CHECK(distance(fluid.u, before) > 0.01);
        }
    }
}

TEST_CASE("of the vortices' energy each transfer keeps its share", "[41_particles]") {
    std::array<double, 3> kept = {};
    for (int n = 0; n < 3; ++n) {
        Fluid fluid(32, 32, 1);
        fluid.h = 1.0 / 32;
        fluid.solver = Solver::DIRECT;
        fluid.advection = transfers[n];
        set_vortices(fluid, 2);
        const auto energy = [&] { return dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v); };
        const double before = energy();
        seed_particles(fluid);
        for (int steps = 0; steps < 50; ++steps) {
            step(fluid, 0.01);
        }
        kept[n] = energy() / before;
    }
    INFO("PIC " << kept[0] << ", FLIP " << kept[1] << ", APIC " << kept[2]);
    CHECK(kept[0] < 0.5 * kept[1]);
    CHECK(kept[1] > 0.8);
    CHECK(kept[2] > 0.8);
    CHECK(kept[1] < 1.0);
    CHECK(kept[2] < 1.0);
}
