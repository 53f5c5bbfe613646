#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "42_water/fill.hpp"
#include "42_water/measures.hpp"
#include "42_water/parts.hpp"
#include "42_water/slosh.hpp"
#include "42_water/surface.hpp"
#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 4> boxes = {{{5, 4, 3}, {3, 6, 2}, {7, 5, 1}, {1, 4, 6}}};
constexpr std::array<Advection, 3> transfers = {Advection::PIC, Advection::FLIP, Advection::APIC};
constexpr std::array<Solver, 4> solvers = {Solver::GAUSS_SEIDEL, Solver::DIRECT,
                                           Solver::CONJUGATE_GRADIENTS, Solver::PRECONDITIONED};

std::string name_of(Advection advection) {
    return advection == Advection::PIC ? "PIC" : advection == Advection::FLIP ? "FLIP" : "APIC";
}

std::array<double, 3> as_array(Vector vector) {
    return {vector.x, vector.y, vector.z};
}

Field& velocity(Fluid& fluid, int n) {
    return n == 0 ? fluid.u : n == 1 ? fluid.v : fluid.w;
}

double& force(Fluid& fluid, int axis) {
    return axis == 0 ? fluid.force_x : axis == 1 ? fluid.force_y : fluid.force_z;
}

template <class Action>
void for_each_point(const Field& field, Action action) {
    for (int k = 0; k < field.nz; ++k) {
        for (int j = 0; j < field.ny; ++j) {
            for (int i = 0; i < field.nx; ++i) {
                action(std::array<int, 3>{i, j, k});
            }
        }
    }
}

/// Tells the pressure's equations where the air is.
void set_phi(Fluid& fluid, const Field& phi) {
    fluid.has_air = true;
    fluid.phi = phi;
    fluid.pressure.phi = fluid.rhs.phi = std::make_shared<const Field>(phi);
    fluid.factors.reset();
}

/// A box with a velocity everywhere, in which about half of the cells are water, anywhere.
Fluid bumpy_water(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.7;
    fluid.rho = 1.3;
    Field phi = fluid.phi;
    make_bumpy(phi, seed + 10);
    fluid.solid(0, 1, 0) = 1.0;
    phi(0, 1, 0) = -0.5;  // no air
    set_phi(fluid, phi);
    mark_solids(fluid);
    return fluid;
}

/// Whether face `at` of a field touches a cell of water.
bool is_wet(const Fluid& fluid, const Field& faces, std::array<int, 3> at) {
    const auto first = as_array(faces.origin);
    const auto is_water = [&](std::array<int, 3> cell) {
        return fluid.phi.has(cell[0], cell[1], cell[2]) &&
               fluid.solid(cell[0], cell[1], cell[2]) == 0.0 &&
               fluid.phi(cell[0], cell[1], cell[2]) < 0.0;
    };
    std::array<int, 3> other = at;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        other[axis] -= first[axis] == 0.0 ? 1 : 0;
    }
    return is_water(at) || is_water(other);
}

/// Water with a flat surface `depth` above the wall beyond the last cell of an axis, and a weight
/// towards it.
Fluid pool(std::array<int, 3> size, int axis, double depth, double jitter) {
    Fluid fluid(size[0], size[1], size[2]);
    fluid.h = 0.5;
    fluid.tolerance = 1e-13;
    fluid.iterations = 1000;
    force(fluid, axis) = 9.81;
    const double bottom = fluid.h * size[axis];
    fill_with_water(
        fluid,
        [&](double x, double y, double z) {
            return std::array<double, 3>{x, y, z}[axis] > bottom - depth;
        },
        jitter);
    return fluid;
}

/// A drop of that radius around a place, with the particles in the middles of their quarters.
Fluid drop(std::array<int, 3> size, Vector middle, double radius) {
    Fluid fluid(size[0], size[1], size[2]);
    fluid.h = 0.5;
    fluid.tolerance = 1e-13;
    fluid.iterations = 1000;
    fill_with_water(
        fluid,
        [&](double x, double y, double z) {
            return std::hypot(x - middle.x, y - middle.y, size[2] > 1 ? z - middle.z : 0.0) <
                   radius;
        },
        0.0);
    return fluid;
}

}  // namespace

// ---- The surface -------------------------------------------------------------------------------

TEST_CASE("phi is half a cell less the share of a full cell", "[42_water]") {
    for (const auto& box : boxes) {
        const int nx = box[0], ny = box[1], nz = box[2];
        Fluid fluid(nx, ny, nz);
        fluid.h = 0.7;
        fluid.has_air = true;
        seed_particles(fluid);
        for (std::size_t n = 0; n < fluid.particles.size(); n += 3) {
            fluid.particles[n / 3] = fluid.particles[n];  // a third of them, anywhere
        }
        fluid.particles.resize(fluid.particles.size() / 3);
        fluid.solid(0, 1, 0) = 1.0;
        mark_solids(fluid);
        particles_to_grid(fluid);
        const double full = nz == 1 ? 4.0 : 8.0;
        int alone = 0;
        for_each_point(fluid.phi, [&](std::array<int, 3> at) {
            double sum = 0.0;
            bool is_in_it = false;
            for (const Particle& particle : fluid.particles) {
                double weight = 1.0;
                bool is_here = true;
                const std::array<int, 3> size = {nx, ny, nz};
                for (int axis = 0; axis < 3; ++axis) {
                    const double place = as_array(particle.place)[axis] / fluid.h;
                    const double x = std::clamp(place - 0.5, 0.0, size[axis] - 1.0);
                    weight *= std::max(0.0, 1.0 - std::abs(x - at[axis]));
                    is_here = is_here && at[axis] <= place && place < at[axis] + 1;
                }
                sum += weight;
                is_in_it = is_in_it || is_here;
            }
            INFO("box " << words_of(nx, ny, nz) << ", cell " << words_of(at[0], at[1], at[2])
                        << ": the weights add up to " << sum);
            const double found = fluid.phi(at[0], at[1], at[2]);
            const double expected = fluid.h * (0.5 - sum / full);
            if (fluid.solid(at[0], at[1], at[2]) == 1.0) {
                CHECK(found < 0.0);
            } else if (is_in_it && expected > -0.05 * fluid.h) {
                ++alone;
                CHECK_THAT(found, WithinAbs(-0.05 * fluid.h, 1e-13));
            } else {
                CHECK_THAT(found, WithinAbs(expected, 1e-13));
            }
            REQUIRE(fluid.pressure.phi);
            REQUIRE(fluid.rhs.phi);
            CHECK((*fluid.pressure.phi)(at[0], at[1], at[2]) == found);
        });
        CHECK(alone > 0);
    }
}

TEST_CASE("a full box has no surface", "[42_water]") {
    for (const auto& box : boxes) {
        const int nx = box[0], ny = box[1], nz = box[2];
        Fluid fluid(nx, ny, nz);
        fill_with_water(
            fluid, [](double, double, double) { return true; }, 0.0);
        for (const double phi : fluid.phi.values) {
            CHECK_THAT(phi, WithinAbs(-0.5 * fluid.h, 1e-13));
        }
    }
}

TEST_CASE("p is 0 where phi is, on the way from water to air", "[42_water]") {
    Fluid fluid(3, 2, 2);
    Field phi = fluid.phi;
    phi.values = {-3.0, 1.0, 2.0, -0.01, 4.0, 0.0, -2.0, -1.0, 3.0, -5.0, 0.5, -0.5};
    set_phi(fluid, phi);
    const Field& p = fluid.pressure;
    {
        INFO("in air the pressure is known, as beyond an outflow");
        CHECK(is_outflow(p, 1, 0, 0, 0));
        CHECK_FALSE(is_outflow(p, 2, 0, 1, 0));
    }
    INFO("the surface is 3/4 of the way to a centre: the weight is 4/3");
    CHECK_THAT(weight_of_zero(p, 1, 0, 0, 0), WithinAbs(4.0 / 3.0, 1e-13));
    INFO("the surface is very near: the weight is 20");
    CHECK_THAT(weight_of_zero(p, 1, 0, 1, 0), WithinAbs(20.0, 1e-12));
    CHECK(weight_of_zero(p, 2, 0, 1, 0) == 0.0);  // water
    CHECK(weight_of_zero(p, 5, 0, 0, 0) == 0.0);
    CHECK(weight_of_zero(p, 0, 0, 0, 0) == 0.0);  // a wall
    CHECK_THAT(weight_of_zero(p, 4, 1, 0, 1), WithinAbs(2.0, 1e-13));
    CHECK_THAT(weight_of_zero(p, 4, 2, 1, 1), WithinAbs(1.0, 1e-13));  // phi = 0 at its centre
    fluid.sides[0].opening = Opening::OUTFLOW;
    mark_outflows(fluid);
    INFO("beyond an outflow p is 0 a cell away");
    CHECK(weight_of_zero(fluid.pressure, 0, 0, 0, 0) == 1.0);
    CHECK(is_air(p, 1, 0, 0));
    CHECK(is_air(p, 2, 1, 0));
    CHECK_FALSE(is_air(p, 0, 0, 0));
    CHECK_FALSE(is_air(fluid.density, 1, 0, 0));
    CHECK(is_fluid(fluid.density, 1, 0, 0));
    CHECK_FALSE(is_fluid(p, 1, 0, 0));
}

// ---- The pressure ------------------------------------------------------------------------------

TEST_CASE("the matrix with air is what apply_matrix applies, and is symmetric", "[42_water]") {
    for (const auto& box : boxes) {
        const int nx = box[0], ny = box[1], nz = box[2];
        Fluid fluid = bumpy_water(nx, ny, nz, 11);
        fluid.sides[1].opening = Opening::OUTFLOW;
        mark_outflows(fluid);
        Field p = fluid.pressure, result = p;
        make_bumpy(p, 5);
        for_each_point(p, [&](std::array<int, 3> at) {
            if (!is_fluid(p, at[0], at[1], at[2])) {
                p(at[0], at[1], at[2]) = 0.0;
            }
        });
        apply_matrix(p, result);
        const Eigen::MatrixXd matrix = assemble_matrix(fluid.pressure);
        const Eigen::VectorXd expected = matrix * as_vector(p);
        INFO("box " << words_of(nx, ny, nz));
        CHECK((as_vector(result) - expected).cwiseAbs().maxCoeff() < 1e-11);
        CHECK((matrix - matrix.transpose()).cwiseAbs().maxCoeff() == 0.0);
        INFO("a row adds up to the weights of the p that are known");
        for_each_point(p, [&](std::array<int, 3> at) {
            const auto [i, j, k] = at;
            const double phi = fluid.phi(i, j, k);
            double weights = i == nx - 1 ? 1.0 : 0.0;  // the outflow
            for (const auto& [di, dj, dk] : neighbours) {
                if (fluid.phi.has(i + di, j + dj, k + dk)) {
                    const double beside = fluid.phi(i + di, j + dj, k + dk);
                    weights += beside < 0.0 ? 0.0 : 1.0 / std::max(0.05, phi / (phi - beside));
                }
            }
            const bool is_water = phi < 0.0 && fluid.solid(i, j, k) == 0.0;
            CHECK_THAT(matrix.row(p.IX(i, j, k)).sum(), WithinAbs(is_water ? weights : 0.0, 1e-10));
        });
    }
}

TEST_CASE("no cell of water has any divergence, whatever the solver", "[42_water]") {
    for (const auto& box : boxes) {
        const int nx = box[0], ny = box[1], nz = box[2];
        for (const Solver solver : solvers) {
            Fluid before = bumpy_water(nx, ny, nz, 21);
            before.kappa = 0.0;
            const Fluid fluid = projected(before, solver, 0.1);
            std::vector<bool> is_closed(fluid.phi.values.size(), false);
            for (const std::vector<int>& cells : closed_components(fluid.rhs)) {
                for (const int cell : cells) {
                    is_closed[cell] = true;
                }
            }
            int water = 0;
            for_each_point(fluid.phi, [&](std::array<int, 3> at) {
                const auto [i, j, k] = at;
                INFO("box " << words_of(nx, ny, nz) << ", cell " << words_of(i, j, k)
                            << ": has the gradient the weights of the matrix?");
                if (!is_fluid(fluid.rhs, i, j, k)) {
                    CHECK(fluid.pressure(i, j, k) == 0.0);
                } else if (!is_closed[fluid.phi.IX(i, j, k)]) {
                    ++water;
                    CHECK_THAT(divergence_at(fluid, i, j, k), WithinAbs(0.0, 1e-9));
                }
            });
            CHECK(water > 0);
        }
    }
}

TEST_CASE("in water at rest the pressure is weight times depth, to rounding", "[42_water]") {
    const std::array<int, 3> size = {5, 4, 6};
    for (int axis = 0; axis < 3; ++axis) {
        for (const double depth : {1.0, 1.05, 1.3, 1.5}) {
            Fluid fluid(size[0], size[1], size[2]);
            fluid.h = 0.5;
            fluid.rho = 1.7;
            fluid.kappa = 0.0;
            force(fluid, axis) = 9.81;
            const double bottom = fluid.h * size[axis];
            Field phi = fluid.phi;
            const auto depth_at = [&](std::array<int, 3> at) {
                return depth - (bottom - fluid.h * (at[axis] + 0.5));
            };
            for_each_point(
                phi, [&](std::array<int, 3> at) { phi(at[0], at[1], at[2]) = -depth_at(at); });
            set_phi(fluid, phi);
            for (const Solver solver : solvers) {
                Fluid pushed = fluid;
                add_force(pushed, 0.02);
                pushed = projected(pushed, solver, 0.02);
                INFO("axis " << axis << ", depth " << depth);
                for_each_point(phi, [&](std::array<int, 3> at) {
                    const double expected =
                        depth_at(at) > 0.0 ? fluid.rho * 9.81 * depth_at(at) : 0.0;
                    CHECK_THAT(pushed.pressure(at[0], at[1], at[2]), WithinAbs(expected, 1e-9));
                });
                for (int n = 0; n < 3; ++n) {
                    const Field& faces = velocity(pushed, n);
                    for_each_point(faces, [&](std::array<int, 3> at) {
                        CHECK((!is_wet(fluid, faces, at) ||
                               std::abs(faces(at[0], at[1], at[2])) < 1e-10));
                    });
                }
            }
        }
    }
}

TEST_CASE("too much water expands, too little shrinks, but not at the surface", "[42_water]") {
    Fluid fluid(5, 4, 1);
    fluid.h = 0.5;
    fluid.rho = 1.5;
    fluid.kappa = 0.2;
    Field phi = fluid.phi;
    std::fill(phi.values.begin(), phi.values.end(), -0.5 * fluid.h);
    phi(4, 0, 0) = 0.1;  // air
    phi(0, 0, 0) = -0.7 * fluid.h;  // c is 1.2
    phi(1, 2, 0) = -0.2 * fluid.h;  // c is 0.7
    phi(2, 3, 0) = -1.5 * fluid.h;  // c is 2
    phi(3, 0, 0) = -0.1 * fluid.h;  // c is 0.6, at the surface
    phi(4, 1, 0) = -0.8 * fluid.h;  // c is 1.3, at the surface
    set_phi(fluid, phi);
    const double dt = 0.1, scale = 0.2 * 1.5 * 0.25 / 0.01;
    keep_volume(fluid, dt);
    const auto excess = [&](int i, int j) { return fluid.rhs(i, j, 0) / scale; };
    CHECK_THAT(excess(0, 0), WithinAbs(0.2, 1e-12));
    CHECK_THAT(excess(1, 2), WithinAbs(-0.3, 1e-12));
    INFO("not more than a half at once");
    CHECK_THAT(excess(2, 3), WithinAbs(0.5, 1e-12));
    INFO("at the surface a cell need not be full, but it must not be too full");
    CHECK_THAT(excess(3, 0), WithinAbs(0.0, 1e-12));
    CHECK_THAT(excess(4, 1), WithinAbs(0.3, 1e-12));
    CHECK(excess(4, 0) == 0.0);
    CHECK_THAT(excess(2, 1), WithinAbs(0.0, 1e-12));
    INFO("what is asked for is a divergence: kappa (c - 1) / dt");
    Fluid other = fluid;
    std::fill(other.rhs.values.begin(), other.rhs.values.end(), 0.0);
    other = projected(other, Solver::DIRECT, dt);
    CHECK_THAT(divergence_at(other, 0, 0, 0), WithinAbs(0.2 * 0.2 / dt, 1e-9));
    CHECK_THAT(divergence_at(other, 1, 2, 0), WithinAbs(-0.2 * 0.3 / dt, 1e-9));
    CHECK_THAT(divergence_at(other, 2, 1, 0), WithinAbs(0.0, 1e-9));
    INFO("without air nothing is asked for");
    fluid.has_air = false;
    const Field before = fluid.rhs;
    keep_volume(fluid, dt);
    CHECK(distance(fluid.rhs, before) == 0.0);
}

// ---- Into the air ------------------------------------------------------------------------------

TEST_CASE("the velocity goes on into the air, three faces far", "[42_water]") {
    for (int axis = 0; axis < 3; ++axis) {  // a row of cells along each axis: two of water
        std::array<int, 3> size = {1, 1, 1};
        size[axis] = 8;
        Fluid fluid(size[0], size[1], size[2]);
        Field phi = fluid.phi;
        std::fill(phi.values.begin(), phi.values.end(), 1.0);
        phi.values[0] = phi.values[1] = -1.0;
        set_phi(fluid, phi);
        Field& faces = velocity(fluid, axis);
        faces.values = {1.0, 2.0, 5.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
        extrapolate(fluid, faces);
        INFO("along axis " << axis);
        check_values(faces, {1.0, 2.0, 5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0}, "the row");
        fluid.has_air = false;
        faces.values = {1.0, 2.0, 5.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
        extrapolate(fluid, faces);
        CHECK(faces.values[8] == 7.0);
    }
    INFO("a face between two that are known gets their mean");
    Fluid fluid(4, 2, 1);
    Field phi = fluid.phi;
    phi.values = {-1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0};
    set_phi(fluid, phi);
    fluid.u.values = {1.0, 2.0, 9.0, 9.0, 9.0, 3.0, 4.0, 5.0, 6.0, 9.0};
    extrapolate(fluid, fluid.u);
    check_values(fluid.u, {1.0, 2.0, 3.5, 6.0, 6.0, 3.0, 4.0, 5.0, 6.0, 6.0}, "u");
}

TEST_CASE("after a step both sides of FLIP's change have been extrapolated", "[42_water]") {
    Fluid fluid = drop({9, 8, 7}, {2.5, 2.0, 1.5}, 1.1);
    fluid.advection = Advection::FLIP;
    for (Side& side : fluid.sides) {
        side.opening = Opening::OUTFLOW;  // set_bnd changes nothing
    }
    fluid.force_x = 1.0;
    fluid.force_y = -2.0;
    fluid.force_z = 0.5;
    std::uint32_t number = 7;
    for (Particle& particle : fluid.particles) {  // whatever they do
        for (int n = 0; n < 3; ++n) {
            number = number * 1664525u + 1013904223u;
            particle.values[n] = static_cast<double>(number >> 8) / 16777216.0 - 0.5;
        }
    }
    for (int n = 0; n < 3; ++n) {
        step(fluid, 0.05);
    }
    for (int n = 0; n < 3; ++n) {
        Field brought = fluid.brought[n], now = velocity(fluid, n);
        extrapolate(fluid, brought);
        extrapolate(fluid, now);
        CHECK(distance(brought, fluid.brought[n]) < 1e-14);
        INFO("the new velocity is extrapolated after the projection");
        CHECK(distance(now, velocity(fluid, n)) < 1e-14);
        CHECK(largest(now) > 0.01);
        int beside_water = 0;
        for (const Field* faces : {&fluid.brought[n], &now}) {
            for_each_point(*faces, [&](std::array<int, 3> at) {
                double sum = 0.0;
                int count = 0;
                for (const auto& [di, dj, dk] : neighbours) {
                    const std::array<int, 3> beside = {at[0] + di, at[1] + dj, at[2] + dk};
                    if (faces->has(beside[0], beside[1], beside[2]) &&
                        is_wet(fluid, *faces, beside)) {
                        sum += (*faces)(beside[0], beside[1], beside[2]);
                        ++count;
                    }
                }
                if (count > 0 && !is_wet(fluid, *faces, at)) {
                    INFO("a face in the air has the mean of those in the water beside it");
                    CHECK_THAT((*faces)(at[0], at[1], at[2]), WithinAbs(sum / count, 1e-13));
                    ++beside_water;
                }
            });
        }
        CHECK(beside_water > 10);
    }
}

// ---- The whole step ----------------------------------------------------------------------------

TEST_CASE("a drop falls like a stone, and keeps a uniform motion", "[42_water]") {
    for (const Advection advection : transfers) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const double weight : {0.0, 3.0}) {
                Fluid fluid = drop({12, 11, 10}, {2.4, 2.3, 2.2}, 1.2);
                fluid.advection = advection;
                fluid.kappa = 0.0;
                force(fluid, axis) = weight;
                for (int n = 0; n < 3; ++n) {
                    Field& faces = velocity(fluid, n);
                    std::fill(faces.values.begin(), faces.values.end(), 0.3 * (n + 1));
                    extrapolate(fluid, faces);
                }
                set_bnd(fluid);
                const std::vector<Particle> before = fluid.particles;
                REQUIRE(before.size() > 200);
                for (int n = 0; n < 4; ++n) {
                    step(fluid, 0.1);
                }
                for (std::size_t one = 0; one < before.size(); ++one) {
                    for (int n = 0; n < 3; ++n) {
                        const double way = as_array(fluid.particles[one].place)[n] -
                                           as_array(before[one].place)[n];
                        // A force acts after each move, so the first move knows nothing of it.
                        const double fall = n == axis ? 0.01 * weight * (0 + 1 + 2 + 3) : 0.0;
                        INFO(name_of(advection) << ", axis " << axis << ", particle " << one);
                        CHECK_THAT(way, WithinAbs(0.4 * 0.3 * (n + 1) + fall, 1e-9));
                    }
                }
            }
        }
    }
}

TEST_CASE("still water stays still", "[42_water]") {
    for (const Advection advection : transfers) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const int nz : {1, 5}) {
                if (axis == 2 && nz == 1) {
                    continue;
                }
                Fluid fluid = pool({7, 6, nz}, axis, 1.5, 0.0);
                fluid.advection = advection;
                for (int n = 0; n < 30; ++n) {
                    step(fluid, 0.05);
                }
                INFO(name_of(advection)
                     << ", weight along axis " << axis << ", " << nz << " layers");
                for (int n = 0; n < 3; ++n) {
                    CHECK(largest(velocity(fluid, n)) < 1e-8 * std::sqrt(9.81 * 1.5));
                }
                CHECK(water_volume(fluid) > 0.0);
            }
        }
    }
}

TEST_CASE("mirrored water stays mirrored", "[42_water]") {
    for (const Advection advection : transfers) {
        for (int axis = 0; axis < 3; ++axis) {
            const std::array<int, 3> size = {6, 5, 4};
            Fluid fluid = pool(size, 1, 1.3, 0.9);
            fluid.advection = advection;
            force(fluid, 0) = 4.0;
            force(fluid, 2) = -3.0;
            Fluid other = mirrored(fluid, axis);
            force(other, axis) *= -1.0;
            const double width = fluid.h * size[axis];
            for (Particle& particle : other.particles) {
                double& place = axis == 0   ? particle.place.x
                                : axis == 1 ? particle.place.y
                                            : particle.place.z;
                place = width - place;
            }
            const std::vector<Particle> before = fluid.particles;
            for (int n = 0; n < 4; ++n) {
                step(fluid, 0.04);
                step(other, 0.04);
            }
            INFO(name_of(advection) << ", mirrored along axis " << axis);
            double moved = 0.0;
            for (std::size_t one = 0; one < before.size(); ++one) {
                for (int n = 0; n < 3; ++n) {
                    const double place = as_array(fluid.particles[one].place)[n];
                    const double there = as_array(other.particles[one].place)[n];
                    CHECK_THAT(n == axis ? width - there : there, WithinAbs(place, 1e-9));
                    moved = larger(moved, std::abs(place - as_array(before[one].place)[n]));
                }
            }
            CHECK(moved > 0.02);
        }
    }
}

TEST_CASE("waves slosh with the period of the theory", "[42_water]") {
    const int n = 32;
    const double depth = 0.5, k = std::numbers::pi;
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.force_y = 9.81;
    fluid.advection = Advection::APIC;
    fluid.tolerance = 1e-6;
    fill_with_wave(fluid, depth, 0.05);
    {
        INFO("the box is half full");
        REQUIRE_THAT(water_volume(fluid), WithinAbs(0.5, 0.01));
    }
    const Sloshing found = slosh(fluid, 5, 0.4 * std::sqrt(fluid.h / 9.81));
    const double period = 2.0 * std::numbers::pi / std::sqrt(9.81 * k * std::tanh(k * depth));
    INFO("the period is " << found.period << " instead of " << period << ", and " << found.kept
                          << " of the amplitude is left");
    CHECK(std::abs(found.period / period - 1.0) < 0.015);
    CHECK(found.kept > 0.75);
    CHECK(found.kept < 1.05);
}

TEST_CASE("a dam that breaks gains no energy, and loses no water", "[42_water]") {
    for (const Advection advection : transfers) {
        Fluid fluid(48, 24, 1);
        fluid.h = 1.0 / 48;
        fluid.force_y = 9.81;
        fluid.advection = advection;
        fluid.tolerance = 1e-5;
        fill_with_water(
            fluid, [](double x, double y, double) { return x < 0.25 && y > 0.1; }, 0.5);
        const double energy = energy_of_water(fluid), volume = water_volume(fluid);
        for (int n = 0; n < 60; ++n) {
            step_in_parts(fluid, 1.0 / 60.0);
            INFO(name_of(advection) << ", step " << n);
            CHECK(energy_of_water(fluid) < 1.01 * energy);
        }
        INFO(name_of(advection));
        CHECK(energy_of_water(fluid) < 0.9 * energy);
        CHECK_THAT(water_volume(fluid) / volume, WithinAbs(1.0, 0.06));
    }
}
