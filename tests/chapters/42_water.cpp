#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "42_water/fill.hpp"
#include "42_water/fountain.hpp"
#include "42_water/iterations.hpp"
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
constexpr std::array<Solver, 5> solvers = {Solver::GAUSS_SEIDEL, Solver::DIRECT,
                                           Solver::CONJUGATE_GRADIENTS, Solver::PRECONDITIONED,
                                           Solver::MULTIGRID};

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

/// Calls action for the place of each point of a field.
template <class Action>
void at_each_point(const Field& field, Action action) {
    for_each_point(field, [&](int i, int j, int k) { action(std::array<int, 3>{i, j, k}); });
}

/// Says where the air is.
void set_phi(Fluid& fluid, const Field& phi) {
    fluid.has_air = true;
    fluid.phi = phi;
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
    set_bnd(fluid);
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

/// How many cells are water.
int cells_of_water(const Fluid& fluid) {
    int count = 0;
    at_each_point(fluid.phi, [&](std::array<int, 3> at) {
        count += label_at(fluid, at[0], at[1], at[2]) == Label::FLUID ? 1 : 0;
    });
    return count;
}

/// The cell in which a particle is.
std::array<int, 3> cell_of_particle(const Fluid& fluid, const Particle& particle) {
    std::array<int, 3> cell = {};
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = static_cast<int>(std::floor(as_array(particle.place)[axis] / fluid.h));
    }
    return cell;
}

/// How many particles are in cells of water.
int particles_in_water(const Fluid& fluid) {
    int count = 0;
    for (const Particle& particle : fluid.particles) {
        const auto [i, j, k] = cell_of_particle(fluid, particle);
        count += label_at(fluid, i, j, k) == Label::FLUID ? 1 : 0;
    }
    return count;
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
Fluid drop(std::array<int, 3> size, Vector middle, double radius, double h = 0.5) {
    Fluid fluid(size[0], size[1], size[2]);
    fluid.h = h;
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

/// The weight of a particle at the centre of a cell, by the formula of the hat.
double weight_at(const Fluid& fluid, const Particle& particle, std::array<int, 3> at) {
    const std::array<int, 3> size = {fluid.nx, fluid.ny, fluid.nz};
    double weight = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double place = as_array(particle.place)[axis] / fluid.h;
        const double x = std::clamp(place - 0.5, 0.0, size[axis] - 1.0);
        weight *= std::max(0.0, 1.0 - std::abs(x - at[axis]));
    }
    return weight;
}

/// The sum of the weights of all particles that no solid covers.
double sum_of_weights(const Fluid& fluid, std::array<int, 3> at) {
    double sum = 0.0;
    for (const Particle& particle : fluid.particles) {
        const auto [i, j, k] = cell_of_particle(fluid, particle);
        if (fluid.solid(i, j, k) == 0.0) {
            sum += weight_at(fluid, particle, at);
        }
    }
    return sum;
}

bool is_in_cell(const Fluid& fluid, const Particle& particle, std::array<int, 3> at) {
    return cell_of_particle(fluid, particle) == at;
}

/// A box full of water, with the particles in the middles of their quarters, but for some cells
/// that are solid.
Fluid full_box(int nx, int ny, int nz) {
    Fluid fluid(nx, ny, nz);
    fluid.h = 0.7;
    fluid.solid(0, 1, 0) = 1.0;
    if (nx > 2) {
        fluid.solid(nx - 1, ny - 1, nz - 1) = 1.0;
        fluid.solid(nx - 2, ny - 1, nz - 1) = 1.0;
    }
    fill_with_water(
        fluid, [](double, double, double) { return true; }, 0.0);
    return fluid;
}

/// Checks what cells are, by phi, by the solids and by the sides of the box.
void check_labels() {
    Fluid fluid(3, 2, 2);
    Field phi = fluid.phi;
    phi.values = {-3.0, 1.0, 2.0, -0.01, 4.0, 0.0, -2.0, -1.0, 3.0, -5.0, 0.5, -0.5};
    CHECK(label_at(fluid, 1, 0, 0) == Label::FLUID);  // without air
    set_phi(fluid, phi);
    CHECK(label_at(fluid, 0, 0, 0) == Label::FLUID);
    CHECK(label_at(fluid, 2, 1, 1) == Label::FLUID);
    INFO("in air the pressure is known, as beyond an outflow");
    CHECK(label_at(fluid, 1, 0, 0) == Label::AIR);
    CHECK(label_at(fluid, 2, 1, 0) == Label::AIR);  // phi is 0
    fluid.solid(1, 0, 0) = 1.0;
    fluid.solid(2, 1, 1) = 1.0;
    CHECK(label_at(fluid, 1, 0, 0) == Label::SOLID);
    CHECK(label_at(fluid, 2, 1, 1) == Label::SOLID);
    CHECK(label_at(fluid, -1, 0, 0) == Label::SOLID);
    fluid.sides[0].opening = Opening::OUTFLOW;
    CHECK(label_at(fluid, -1, 0, 0) == Label::AIR);
}

/// Checks the shares that planes cut off an eighth of a cell.
void check_shares_below() {
    const Eighth eighth = {-1.0, 1.0, 2.0, 4.0};  // from -1 to 6
    CHECK(share_below(eighth, -1.0) == 0.0);
    CHECK(share_below(eighth, 6.0) == 1.0);
    CHECK_THAT(share_below(eighth, -0.5), WithinAbs(0.125 / 48.0, 1e-13));  // a pyramid
    CHECK_THAT(share_below(eighth, 2.5), WithinAbs(0.5, 1e-13));  // the middle
    for (const double level : {-0.7, 0.3, 1.1, 2.4}) {
        CHECK_THAT(share_below(eighth, level) + share_below(eighth, 5.0 - level),
                   WithinAbs(1.0, 1e-12));
        CHECK_THAT(share_below({-1.0, 4.0, 1.0, 2.0}, level),
                   WithinAbs(share_below(eighth, level), 1e-13));
        const double of_one = share_below({-1.0, 0.0, 4.0, 0.0}, level);  // a flat surface
        CHECK_THAT(of_one, WithinAbs(std::clamp(0.25 * (level + 1.0), 0.0, 1.0), 2e-3));
    }
}

}  // namespace

// ---- The surface -------------------------------------------------------------------------------

TEST_CASE("phi is half a cell less the share of a full cell", "[42_water]") {
    int beside = 0;  // cells of air beside water, although particles are in them
    for (const auto& box : boxes) {
        const int nx = box[0], ny = box[1], nz = box[2];
        const Fluid full = full_box(nx, ny, nz);
        Fluid fluid = full;
        seed_particles(fluid);
        for (std::size_t n = 0; n < fluid.particles.size(); n += 3) {
            fluid.particles[n / 3] = fluid.particles[n];  // a third of them, anywhere
        }
        fluid.particles.resize(fluid.particles.size() / 3);
        const Vector covered = {0.5 * fluid.h, 1.5 * fluid.h, 0.5 * fluid.h};
        fluid.particles[0].place = covered;  // in the solid cell (0, 1, 0)
        particles_to_grid(fluid);
        int alone = 0;
        at_each_point(fluid.phi, [&](std::array<int, 3> at) {
            const double sum = sum_of_weights(fluid, at);
            const auto particles_here =
                std::count_if(fluid.particles.begin(), fluid.particles.end(),
                              [&](const Particle& one) { return is_in_cell(fluid, one, at); });
            const bool is_in_it = particles_here > 0;
            INFO("box " << words_of(nx, ny, nz) << ", cell " << words_of(at[0], at[1], at[2])
                        << ": the weights add up to " << sum << ", and to "
                        << sum_of_weights(full, at) << " in full water");
            const double shift =
                fluid.solid(at[0], at[1], at[2]) == 1.0 ? 0.0 : fluid.surface_shift;
            const double found = fluid.phi(at[0], at[1], at[2]) + shift;
            const auto by_weights = [&](std::array<int, 3> cell) {
                return fluid.h * (0.5 - sum_of_weights(fluid, cell) / sum_of_weights(full, cell));
            };
            const double expected = by_weights(at);
            bool is_by_water = expected < 0.0;
            for (const auto& [di, dj, dk] : neighbours) {
                const std::array<int, 3> cell = {at[0] + di, at[1] + dj, at[2] + dk};
                is_by_water = is_by_water || (fluid.solid.has(cell[0], cell[1], cell[2]) &&
                                              fluid.solid(cell[0], cell[1], cell[2]) == 0.0 &&
                                              by_weights(cell) < 0.0);
            }
            if (fluid.solid(at[0], at[1], at[2]) == 1.0) {
                INFO("in a solid c is 1");
                CHECK_THAT(found, WithinAbs(-0.5 * fluid.h, 1e-13));
            } else if (is_in_it && !is_by_water) {
                INFO("particles fly alone in it");
                ++alone;
                const double one = -0.4 * fluid.h / (nz == 1 ? 4.0 : 8.0);
                const double at_most = 0.1 * one + shift;
                const double all = one * static_cast<double>(particles_here);
                CHECK_THAT(found, WithinAbs(std::min(all, at_most), 1e-13));
            } else {
                beside += is_in_it && expected >= 0.0 ? 1 : 0;
                CHECK_THAT(found, WithinAbs(expected, 1e-13));
            }
        });
        CHECK(alone > 0);
    }
    CHECK(beside > 0);
}

TEST_CASE("a full box has no surface, and c is 1 everywhere", "[42_water]") {
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

TEST_CASE("in full water c is 1 beside a body, too", "[42_water]") {
    for (const auto& box : boxes) {
        const Fluid fluid = full_box(box[0], box[1], box[2]);
        at_each_point(fluid.phi, [&](std::array<int, 3> at) {
            INFO("box " << words_of(box[0], box[1], box[2]) << ", cell "
                        << words_of(at[0], at[1], at[2]));
            const double c = 0.5 - fluid.phi(at[0], at[1], at[2]) / fluid.h;
            CHECK_THAT(c, WithinAbs(1.0, 1e-13));
        });
    }
}

TEST_CASE("in full water c is 1 beside a body that covers particles, too", "[42_water]") {
    for (const auto& box : boxes) {
        Fluid fluid(box[0], box[1], box[2]);
        fluid.h = 0.7;
        fill_with_water(
            fluid, [](double, double, double) { return true; }, 0.0);
        fluid.solid(0, 2, 0) = 1.0;  // a body has been put into the water
        particles_to_grid(fluid);
        at_each_point(fluid.phi, [&](std::array<int, 3> at) {
            INFO("box " << words_of(box[0], box[1], box[2]) << ", cell "
                        << words_of(at[0], at[1], at[2]));
            const double c = 0.5 - fluid.phi(at[0], at[1], at[2]) / fluid.h;
            CHECK_THAT(c, WithinAbs(1.0, 1e-13));
        });
    }
}

TEST_CASE("the volume is that of the particles, beside a body, too", "[42_water]") {
    const int n = 48;
    for (const int nz : {1, 6}) {
        for (const double level : {0.3, 0.42, 0.55}) {  // below the body, at it, and above it
            Fluid fluid(n, n / 2, nz);
            fluid.h = 1.0 / n;
            at_each_point(fluid.solid, [&](std::array<int, 3> at) {
                const bool is_post = 20 <= at[0] && at[0] < 28 && 8 <= at[1];
                const bool is_plate = 36 <= at[0] && at[0] < 45 && at[1] == 16;
                fluid.solid(at[0], at[1], at[2]) = is_post || is_plate ? 1.0 : 0.0;
            });
            fill_with_water(
                fluid, [&](double, double y, double) { return y > 0.5 - 0.8 * level; }, 0.0);
            const double cell = std::pow(fluid.h, nz == 1 ? 2.0 : 3.0);
            const double full = nz == 1 ? 4.0 : 8.0;
            const double of_particles = cell * static_cast<double>(fluid.particles.size()) / full;
            INFO(nz << " layers, level " << level << ": the particles fill " << of_particles
                    << ", and the volume is " << water_volume(fluid));
            CHECK(std::abs(water_volume(fluid) / of_particles - 1.0) < 0.02);
        }
    }
}

TEST_CASE("the surface encloses what its particles fill", "[42_water]") {
    check_shares_below();
    for (const int nz : {1, 8}) {
        for (const double lift : {0.0, 0.2, 0.45, 0.7}) {  // of a sheet, in cells
            Fluid fluid(10, 12, nz);
            fluid.h = 0.5;
            fluid.solid(4, 6, 0) = 1.0;
            fill_with_water(
                fluid, [](double, double y, double) { return 2.5 < y && y < 3.5; }, 0.0);
            for (Particle& particle : fluid.particles) {
                particle.place.y -= lift * fluid.h;
                particle.place.y = std::max(particle.place.y, 2.6);  // a few are crowded
            }
            fluid.solid(7, 6, 0) = 1.0;  // covers particles
            particles_to_grid(fluid);
            double count = 0.0;
            for (const Particle& particle : fluid.particles) {
                const auto [i, j, k] = cell_of_particle(fluid, particle);
                count += fluid.solid(i, j, k) == 0.0 ? 1.0 : 0.0;
            }
            const double full = nz == 1 ? 4.0 : 8.0;
            const double wanted = count / full * std::pow(fluid.h, nz == 1 ? 2.0 : 3.0);
            INFO(nz << " layers, lifted by " << lift << ": the particles fill " << wanted
                    << ", and the surface encloses " << water_volume(fluid));
            CHECK_THAT(water_volume(fluid) / wanted, WithinAbs(1.0, 0.01));
        }
    }
}

TEST_CASE("keep_volume reads c, not the shifted surface", "[42_water]") {
    Fluid fluid = drop({10, 9, 1}, {2.6, 2.2, 0.0}, 1.1);
    REQUIRE(std::abs(fluid.surface_shift) > 0.001 * fluid.h);
    fluid.matrix = pressure_matrix(fluid);
    fluid.rhs = Field(fluid.nx, fluid.ny, fluid.nz, fluid.rhs.origin);
    const double dt = 0.1;
    keep_volume(fluid, dt);
    int inside = 0;
    at_each_point(fluid.rhs, [&](std::array<int, 3> at) {
        bool is_inside = label_at(fluid, at[0], at[1], at[2]) == Label::FLUID;
        for (const auto& [di, dj, dk] : neighbours) {
            is_inside =
                is_inside && label_at(fluid, at[0] + di, at[1] + dj, at[2] + dk) != Label::AIR;
        }
        if (is_inside) {
            ++inside;
            const double excess = sum_of_weights(fluid, at) / 4.0 - 1.0;
            const double scale = fluid.kappa * fluid.rho * fluid.h * fluid.h / (dt * dt);
            INFO("inside the drop c is 1, wherever the surface is");
            CHECK_THAT(fluid.rhs(at[0], at[1], at[2]), WithinAbs(scale * excess, 1e-12));
        }
    });
    CHECK(inside > 3);
}

TEST_CASE("air begins where phi is 0, and there p is 0", "[42_water]") {
    check_labels();
    Fluid fluid(3, 2, 2);
    Field phi = fluid.phi;
    phi.values = {-3.0, 1.0, 2.0, -0.01, 4.0, 0.0, -2.0, -1.0, 3.0, -5.0, 0.5, -0.5};
    set_phi(fluid, phi);
    INFO("the surface is 3/4 of the way to a centre: the weight is 4/3");
    CHECK_THAT(weight_of_surface(-3.0, 1.0), WithinAbs(4.0 / 3.0, 1e-13));
    CHECK_THAT(weight_towards(fluid, 1, 0, 0, 0), WithinAbs(4.0 / 3.0, 1e-13));
    INFO("the surface is very near: the weight is 20");
    CHECK_THAT(weight_towards(fluid, 1, 0, 1, 0), WithinAbs(20.0, 1e-12));
    CHECK(weight_towards(fluid, 2, 0, 1, 0) == 1.0);  // water
    CHECK(weight_towards(fluid, 5, 0, 0, 0) == 1.0);
    CHECK(weight_towards(fluid, 0, 0, 0, 0) == 0.0);  // a wall
    CHECK_THAT(weight_towards(fluid, 4, 1, 0, 1), WithinAbs(2.0, 1e-13));
    CHECK_THAT(weight_towards(fluid, 4, 2, 1, 1), WithinAbs(1.0, 1e-13));  // phi = 0 at its centre
    fluid.sides[0].opening = Opening::OUTFLOW;
    INFO("beyond an outflow p is 0 a cell away");
    CHECK(weight_towards(fluid, 0, 0, 0, 0) == 1.0);
    fluid.solid(1, 0, 0) = 1.0;
    CHECK(weight_towards(fluid, 1, 0, 0, 0) == 0.0);
}

// ---- The pressure ------------------------------------------------------------------------------

TEST_CASE("both cells of a face have its weight, and air has no equation", "[42_water]") {
    for (const auto& box : boxes) {
        const int nx = box[0], ny = box[1], nz = box[2];
        Fluid fluid = bumpy_water(nx, ny, nz, 11);
        fluid.sides[1].opening = Opening::OUTFLOW;
        const Matrix A = pressure_matrix(fluid);
        Field p = fluid.pressure, result = p;
        make_bumpy(p, 5);
        at_each_point(p, [&](std::array<int, 3> at) {
            if (!A.has(at[0], at[1], at[2])) {
                p(at[0], at[1], at[2]) = 0.0;
            }
        });
        multiply(A, p, result);
        const Eigen::MatrixXd matrix = assemble_matrix(A);
        const Eigen::VectorXd expected = matrix * as_vector(p);
        INFO("box " << words_of(nx, ny, nz));
        CHECK((as_vector(result) - expected).cwiseAbs().maxCoeff() < 1e-11);
        CHECK((matrix - matrix.transpose()).cwiseAbs().maxCoeff() == 0.0);
        INFO("a row adds up to the weights of the p that are known");
        at_each_point(p, [&](std::array<int, 3> at) {
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
            CHECK(A.has(i, j, k) == is_water);
            CHECK_THAT(matrix.row(p.IX(i, j, k)).sum(), WithinAbs(is_water ? weights : 1.0, 1e-10));
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
            for (const std::vector<int>& cells : closed_components(fluid.matrix)) {
                for (const int cell : cells) {
                    is_closed[cell] = true;
                }
            }
            int water = 0;
            at_each_point(fluid.phi, [&](std::array<int, 3> at) {
                const auto [i, j, k] = at;
                INFO("box " << words_of(nx, ny, nz) << ", cell " << words_of(i, j, k)
                            << ": has the gradient the weights of the matrix?");
                if (!fluid.matrix.has(i, j, k)) {
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
            at_each_point(phi,
                          [&](std::array<int, 3> at) { phi(at[0], at[1], at[2]) = -depth_at(at); });
            set_phi(fluid, phi);
            for (const Solver solver : solvers) {
                Fluid pushed = fluid;
                add_force(pushed, 0.02);
                pushed = projected(pushed, solver, 0.02);
                INFO("axis " << axis << ", depth " << depth);
                at_each_point(phi, [&](std::array<int, 3> at) {
                    const double expected =
                        depth_at(at) > 0.0 ? fluid.rho * 9.81 * depth_at(at) : 0.0;
                    CHECK_THAT(pushed.pressure(at[0], at[1], at[2]), WithinAbs(expected, 1e-9));
                });
                for (int n = 0; n < 3; ++n) {
                    const Field& faces = velocity(pushed, n);
                    at_each_point(faces, [&](std::array<int, 3> at) {
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
    update_matrix(fluid);
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

// ---- Viscosity ---------------------------------------------------------------------------------

TEST_CASE("viscosity joins faces that touch water, and does not reach into the air", "[42_water]") {
    for (const auto& box : boxes) {
        Fluid fluid = bumpy_water(box[0], box[1], box[2], 51);
        const double a = 0.3;
        for (int n = 0; n < 3; ++n) {
            const Field& faces = velocity(fluid, n);
            const Matrix A = diffusion_equations(fluid, faces, a, walls_of(fluid, faces)).A;
            int beside_air = 0;
            at_each_point(faces, [&](std::array<int, 3> at) {
                const auto [i, j, k] = at;
                INFO("box " << words_of(box[0], box[1], box[2]) << ", part " << n << ", face "
                            << words_of(i, j, k)
                            << ": only a face that touches water has an equation");
                const bool has_equation =
                    is_wet(fluid, faces, at) && !is_given(fluid, faces, i, j, k);
                REQUIRE(A.has(i, j, k) == has_equation);
                if (!has_equation) {
                    return;
                }
                for (int side = 0; side < 6; ++side) {
                    const std::array<int, 3> beside = {
                        i + neighbours[side][0], j + neighbours[side][1], k + neighbours[side][2]};
                    if (faces.has(beside[0], beside[1], beside[2]) &&
                        !is_given(fluid, faces, beside[0], beside[1], beside[2])) {
                        const bool wet = is_wet(fluid, faces, beside);
                        beside_air += wet ? 0 : 1;
                        INFO("towards the air the weight is 0");
                        CHECK(A.weight(side, i, j, k) == (wet ? a : 0.0));
                    }
                }
            });
            CHECK((n > 0 || beside_air > 0 || box[0] == 1));
        }
    }
}

TEST_CASE("a drop without weight keeps its speed, however viscous it is", "[42_water]") {
    for (const Advection advection : transfers) {
        for (const int nz : {1, 16}) {
            const double h = 1.0 / 24.0;
            Fluid fluid = drop({24, 20, nz}, {10.0 * h, 9.0 * h, 9.0 * h}, 3.2 * h, h);
            fluid.advection = advection;
            fluid.nu = 0.1;
            const std::array<double, 3> speed = {0.4, 0.3, nz > 1 ? -0.2 : 0.0};
            for (int n = 0; n < 3; ++n) {
                Field& faces = velocity(fluid, n);
                std::fill(faces.values.begin(), faces.values.end(), speed[n]);
                extrapolate(fluid, faces);
            }
            for (int n = 0; n < 10; ++n) {
                step(fluid, 0.02);
            }
            for (int n = 0; n < 3; ++n) {
                double sum = 0.0;
                for (const Particle& particle : fluid.particles) {
                    sum += particle.values[n];
                }
                const double mean = sum / static_cast<double>(fluid.particles.size());
                INFO(name_of(advection) << ", " << nz << " layers: part " << n << " is " << mean
                                        << " instead of " << speed[n] << " after 0.2 s");
                CHECK(std::abs(mean - speed[n]) <= 0.01 * std::abs(speed[n]));
            }
        }
    }
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
            at_each_point(*faces, [&](std::array<int, 3> at) {
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
                {
                    INFO("most of its particles are in cells of water");
                    REQUIRE(2 * particles_in_water(fluid) > static_cast<int>(before.size()));
                }
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
            REQUIRE(cells_of_water(fluid) > 30);
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

TEST_CASE("splashes keep their volume", "[42_water]") {
    struct Case {
        std::string scene;
        std::array<int, 3> size;
        int steps;
        double most;  // error of the volume
    };
    for (const auto& [scene, size, steps, most] :
         {Case{"dam", {64, 64, 1}, 70, 0.01}, Case{"drops", {64, 64, 1}, 60, 0.01},
          Case{"a body", {64, 64, 1}, 60, 0.01}, Case{"dam", {32, 24, 16}, 50, 0.01}}) {
        Fluid fluid(size[0], size[1], size[2]);
        fluid.h = 2.0 / size[0];
        fluid.force_y = 9.81;
        fluid.advection = Advection::APIC;
        fluid.tolerance = 1e-5;
        if (scene == "drops") {
            fill_drops(fluid);
        } else if (scene == "dam") {
            fill_dam(fluid);
        } else {
            fill_tank_with_body(fluid);
        }
        const double volume = water_volume(fluid);
        const Field first = fluid.phi;
        double least = 1.0;
        double greatest = 1.0;
        for (int n = 0; n < steps; ++n) {
            step_in_parts(fluid, 1.0 / 60.0);
            least = std::min(least, water_volume(fluid) / volume);
            greatest = std::max(greatest, water_volume(fluid) / volume);
        }
        INFO(scene << ", " << size[2] << " layers: the volume is at least " << least
                   << " of the first, and at most " << greatest);
        CHECK(least > 1.0 - most);
        CHECK(greatest < 1.0 + most);
        CHECK(distance(fluid.phi, first) > fluid.h);  // it has moved at all
    }
}

TEST_CASE("multigrid takes at most 15 iterations at the surface", "[42_water]") {
    for (const bool is_fountain : {false, true}) {
        for (const int nz : {1, 12}) {
            Fluid fluid(nz == 1 ? 64 : 20, nz == 1 ? 64 : 24, nz);
            fluid.h = 2.0 / fluid.nx;
            fluid.force_y = 9.81;
            fluid.advection = Advection::APIC;
            fluid.tolerance = 1e-6;
            Fountain fountain(fluid);
            if (is_fountain) {
                fountain.begin();
            } else {
                fill_dam(fluid);
            }
            const MostIterations most = most_iterations(fluid, nz == 1 ? 40 : 20,
                                                        [&](double part) { fountain.flow(part); });
            INFO((is_fountain ? "fountain, " : "dam, ") << nz << " layers");
            CHECK(cells_of_water(fluid) > 100);
            CHECK(most.usual > 3);
            CHECK(most.usual <= 15);
            INFO("theta is 0.05 wherever there is a surface");
            CHECK(most.at_least_theta > 3);
            CHECK(most.at_least_theta <= 15);
        }
    }
}
