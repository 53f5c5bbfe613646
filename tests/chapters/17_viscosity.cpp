#include "17_viscosity/cavity.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 7> boxes = {
    {{5, 4, 3}, {3, 6, 2}, {2, 3, 5}, {6, 5, 1}, {1, 4, 5}, {7, 1, 2}, {1, 1, 4}}};

constexpr const char* names[3] = {"u", "v", "w"};

Field& part_of(Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
}
const Field& part_of(const Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
}

double along(Vector vector, int axis) {
    return axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z;
}

std::array<int, 3> size_of(const Field& field) {
    return {field.nx, field.ny, field.nz};
}

/// A box full of numbers, whose six walls move each in its own way. Those that slip are the bits of
/// `slips`.
Fluid box_with_walls(int nx, int ny, int nz, unsigned slips, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.4;
    fluid.nu = 0.7;
    fluid.tolerance = 1e-14;
    fluid.iterations = 10000;
    for (int side = 0; side < 6; ++side) {
        fluid.sides[side].slips = (slips >> side & 1u) != 0;
        fluid.sides[side].velocity = {0.3 + side, 1.7 - 0.4 * side, -2.0 + 0.9 * side};
    }
    return fluid;
}

/// The chapter's equations for u, v or w, or for a field at the centres of the cells.
Equations equations_for(const Fluid& fluid, const Field& field, double a) {
    return diffusion_equations(fluid, field, a, walls_of(fluid, field));
}

/// Lets one part of the velocity spread. Returns the residual.
double diffuse_part(Fluid& fluid, int axis, double dt) {
    Field& faces = part_of(fluid, axis);
    return diffuse(fluid, faces, fluid.nu, walls_of(fluid, faces), dt);
}

/// The equations of one part of the velocity, told face by face: matrix times new velocity is old
/// velocity plus what the walls add. `walls` is that vector for walls that move.
struct Told {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd walls;
    std::vector<bool> free;
};

Told told_equations(const Fluid& fluid, int axis, double a) {
    const Field& faces = part_of(fluid, axis);
    const auto count = static_cast<Eigen::Index>(faces.values.size());
    Told found = {Eigen::MatrixXd::Identity(count, count), Eigen::VectorXd::Zero(count),
                  std::vector<bool>(faces.values.size(), true)};
    const std::array<int, 3> size = size_of(faces);
    for (int row = 0; row < count; ++row) {
        const std::array<int, 3> at = {row % size[0], row / size[0] % size[1],
                                       row / size[0] / size[1]};
        found.free[row] = 0 < at[axis] && at[axis] < size[axis] - 1;
        for (int side = 0; side < 6 && found.free[row]; ++side) {
            std::array<int, 3> beyond = at;
            beyond[side / 2] += side % 2 == 0 ? -1 : 1;
            const bool is_inside = 0 <= beyond[side / 2] && beyond[side / 2] < size[side / 2];
            if (is_inside) {
                found.matrix(row, row) += a;
                found.matrix(row, faces.IX(beyond[0], beyond[1], beyond[2])) -= a;
            } else if (!fluid.sides[side].slips) {
                found.matrix(row, row) += 2.0 * a;
                found.walls[row] += 2.0 * a * along(fluid.sides[side].velocity, axis);
            }
        }
    }
    return found;
}

/// The solution of these equations.
Eigen::VectorXd diffused(const Fluid& fluid, int axis, double dt) {
    const Told equations = told_equations(fluid, axis, fluid.nu * dt / (fluid.h * fluid.h));
    return algebra::solve(equations.matrix, as_vector(part_of(fluid, axis)) + equations.walls);
}

/// What a wave that stands between two walls is along one axis: its value at a point, and the
/// eigenvalue that belongs to it.
struct Mode {
    double first, wave;
    bool is_sine;

    double at(int point) const {
        const double angle = wave * (point + first);
        return is_sine ? std::sin(angle) : std::cos(angle);
    }
    double eigenvalue() const { return 4.0 * std::pow(std::sin(0.5 * wave), 2); }
};

/// The wave number `n` of faces that look along this axis, or lie along it between two walls, of
/// which each may slip.
Mode mode_of(const Field& faces, int axis, const Fluid& fluid, int n) {
    const std::array<double, 3> origin = {faces.origin.x, faces.origin.y, faces.origin.z};
    const int points = size_of(faces)[axis];
    if (origin[axis] == 0.0) {  // the walls themselves are points
        return {0.0, std::numbers::pi * n / (points - 1), true};
    }
    const bool slips_first = fluid.sides[2 * axis].slips;
    const bool slips_last = fluid.sides[2 * axis + 1].slips;
    if (slips_first == slips_last) {
        return {0.5, std::numbers::pi * (slips_first ? n - 1 : n) / points, !slips_first};
    }
    return {0.5, std::numbers::pi * (n - 0.5) / points, slips_last};
}

/// Fills the free faces with a product of three waves. Returns the sum of their eigenvalues.
double fill_with_mode(Fluid& fluid, int axis, std::array<int, 3> n) {
    Field& faces = part_of(fluid, axis);
    const Mode x = mode_of(faces, 0, fluid, n[0]);
    const Mode y = mode_of(faces, 1, fluid, n[1]);
    const Mode z = mode_of(faces, 2, fluid, n[2]);
    for (int k = 0; k < faces.nz; ++k) {
        for (int j = 0; j < faces.ny; ++j) {
            for (int i = 0; i < faces.nx; ++i) {
                faces(i, j, k) = x.at(i) * y.at(j) * z.at(k);
            }
        }
    }
    set_bnd(fluid);
    return x.eigenvalue() + y.eigenvalue() + z.eigenvalue();
}

void stand_still(Fluid& fluid) {
    for (Side& side : fluid.sides) {
        side.velocity = {0.0, 0.0, 0.0};
    }
}

/// A field with nothing on the walls, and bumps elsewhere.
Field bumpy_change(const Fluid& fluid, int axis, std::uint32_t seed) {
    Fluid change = fluid;
    make_bumpy(part_of(change, axis), seed);
    set_bnd(change);
    return part_of(change, axis);
}

bool same_bits(const Field& a, const Field& b) {
    return a.values == b.values;
}

}  // namespace

// ---- The equations -----------------------------------------------------------------------------

TEST_CASE("a face feels its neighbours, and a ghost where a wall runs along it", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const unsigned slips : {0u, 63u, 22u, 41u}) {
            const Fluid fluid = box_with_walls(nx, ny, nz, slips, 7);
            for (int axis = 0; axis < 3; ++axis) {
                const Field& faces = part_of(fluid, axis);
                const Told told = told_equations(fluid, axis, 0.5);
                const auto& [A, b] = equations_for(fluid, faces, 0.5);
                for_each_point(faces, [&](int i, int j, int k) {
                    const int face = faces.IX(i, j, k);
                    INFO("box " << words_of(nx, ny, nz) << ", " << names[axis] << words_of(i, j, k)
                                << ", walls that slip: " << slips
                                << "; a ghost at a wall that holds is 2 wall - u: its weight is "
                                   "2 a, and b has 2 a times the wall's velocity");
                    if (!told.free[face]) {
                        CHECK_FALSE(A.has(i, j, k));
                        return;
                    }
                    CHECK(A.diagonal(i, j, k) == told.matrix(face, face));
                    CHECK_THAT(b(i, j, k), WithinAbs(faces(i, j, k) + told.walls[face], 1e-14));
                    for (int side = 0; side < 6; ++side) {
                        std::array<int, 3> next = {i, j, k};
                        next[side / 2] += side % 2 == 0 ? -1 : 1;
                        const bool is_inside = faces.has(next[0], next[1], next[2]);
                        const double beyond = fluid.sides[side].slips ? 0.0 : 1.0;
                        CHECK(A.weight(side, i, j, k) == (is_inside ? 0.5 : beyond));
                    }
                });
            }
        }
    }
}

TEST_CASE("the left-hand side is (1 + count a) u less a times the neighbours", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid fluid = box_with_walls(nx, ny, nz, 38u, 17);
        for (int axis = 0; axis < 3; ++axis) {
            Field faces = part_of(fluid, axis);
            make_bumpy(faces, 19);  // on the walls as well
            for (const double a : {0.0, 0.3, 40.0}) {
                const Told told = told_equations(fluid, axis, a);
                const auto& [A, b] = equations_for(fluid, faces, a);
                Field result = bumpy_change(fluid, axis, 23);
                multiply(A, faces, result);
                const Eigen::VectorXd expected = told.matrix * as_vector(faces);
                double error = 0.0;
                double error_of_b = 0.0;
                for (std::size_t face = 0; face < faces.values.size(); ++face) {
                    if (told.free[face]) {
                        error = larger(error, std::abs(result.values[face] - expected[face]));
                        error_of_b = larger(error_of_b, std::abs(b.values[face] - told.walls[face] -
                                                                 faces.values[face]));
                    }
                }
                INFO("box " << words_of(nx, ny, nz) << ", " << names[axis] << ", a = " << a);
                CHECK(error < 1e-12);
                INFO("a wall that moves pulls on what lies along it");
                CHECK(error_of_b < 1e-12);
            }
        }
    }
}

TEST_CASE("the matrices are symmetric, and no change lowers their energy", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const unsigned slips : {0u, 63u, 25u}) {
            const Fluid fluid = box_with_walls(nx, ny, nz, slips, 29);
            INFO("box " << words_of(nx, ny, nz) << ", as conjugate gradients need it");
            const Eigen::MatrixXd pressures(assemble_matrix(pressure_matrix(fluid)));
            CHECK((pressures - pressures.transpose()).cwiseAbs().maxCoeff() == 0.0);
            for (int axis = 0; axis < 3; ++axis) {
                const Field x = bumpy_change(fluid, axis, 31);
                const Field y = bumpy_change(fluid, axis, 37);
                Field ax = x;
                Field ay = y;
                const Matrix A = equations_for(fluid, x, 2.5).A;
                multiply(A, x, ax);
                multiply(A, y, ay);
                const Eigen::MatrixXd entries(assemble_matrix(A));
                INFO(names[axis]);
                CHECK((entries - entries.transpose()).cwiseAbs().maxCoeff() == 0.0);
                CHECK_THAT(dot(x, ay), WithinAbs(dot(y, ax), 1e-11));
                CHECK(dot(x, ax) >= dot(x, x));
                CHECK((largest(x) == 0.0 || dot(x, ax) > dot(x, x)));
            }
        }
    }
    INFO("the dye, at the centres, would be pulled by no wall");
    const Fluid moving = box_with_walls(4, 3, 2, 0u, 39);
    const Equations of_dye = equations_for(moving, moving.density, 2.5);
    CHECK(same_bits(of_dye.b, moving.density));
    CHECK(of_dye.A.diagonal(0, 0, 0) == 1.0 + 9.0 * 2.5);
}

TEST_CASE("Bird's matrices, and their eigenvalues", "[17_viscosity]") {
    const double k = 0.35;
    const auto matrix_of = [&](const Fluid& fluid, const std::vector<int>& cells) {
        // Bird's velocities are at the centres.
        const Eigen::MatrixXd all(assemble_matrix(equations_for(fluid, fluid.density, k).A));
        const Eigen::MatrixXd found = all(cells, cells);
        return found;
    };
    const auto check = [&](const Eigen::MatrixXd& matrix, double sum) {
        Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(4, 4);
        expected.diagonal().setConstant(1.0 + sum * k);
        for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}}) {
            expected(a, b) = expected(b, a) = -k;
        }
        CHECK((matrix - expected).cwiseAbs().maxCoeff() < 1e-14);
        const Eigen::VectorXd found = algebra::eigenvalues(matrix);
        const std::array<double, 4> sums = {sum - 2.0, sum, sum, sum + 2.0};
        for (int n = 0; n < 4; ++n) {
            CHECK_THAT(found[n], WithinAbs(1.0 + sums[n] * k, 1e-13));
        }
    };
    INFO("equation 13: 1 + 4 k on the diagonal, eigenvalues 1 + 2 k to 1 + 6 k");
    check(matrix_of(Fluid(4, 4, 1), {5, 6, 9, 10}), 4.0);
    INFO("with equations 14 to 16: 1 + 6 k on the diagonal");
    check(matrix_of(Fluid(2, 2, 1), {0, 1, 2, 3}), 6.0);
    INFO("where the walls slip: 1 + 2 k");
    Fluid slips(2, 2, 1);
    for (Side& side : slips.sides) {
        side.slips = true;
    }
    check(matrix_of(slips, {0, 1, 2, 3}), 2.0);
}

// ---- Solving them ------------------------------------------------------------------------------

TEST_CASE("every wave decays by backward Euler's factor, along every axis", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : {std::array{6, 5, 4}, {4, 7, 5}, {5, 4, 7}}) {
        for (const unsigned slips : {0u, 63u, 0b100110u, 0b011001u}) {
            for (int axis = 0; axis < 3; ++axis) {
                for (const std::array<int, 3> n : {std::array{1, 1, 1}, {2, 3, 1}, {3, 1, 2}}) {
                    Fluid fluid = box_with_walls(nx, ny, nz, slips, 47);
                    stand_still(fluid);
                    const double eigenvalue = fill_with_mode(fluid, axis, n);
                    const Field before = part_of(fluid, axis);
                    const double dt = 0.25;
                    const double a = fluid.nu * dt / (fluid.h * fluid.h);
                    diffuse_part(fluid, axis, dt);
                    Field expected = before;
                    for (double& value : expected.values) {
                        value /= 1.0 + a * eigenvalue;
                    }
                    INFO("box " << words_of(nx, ny, nz) << ", " << names[axis] << ", wave "
                                << words_of(n[0], n[1], n[2]) << ", walls that slip: " << slips
                                << ": divided by 1 + a lambda, where a = nu dt / h^2?");
                    REQUIRE(largest(before) > 0.2);
                    CHECK(distance(part_of(fluid, axis), expected) < 1e-12);
                }
            }
        }
    }
}

TEST_CASE("diffuse is the solution of the equations, whatever the walls do", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const unsigned slips : {0u, 63u, 13u, 50u}) {
            const Fluid before = box_with_walls(nx, ny, nz, slips, 53);
            for (int axis = 0; axis < 3; ++axis) {
                for (const double dt : {0.01, 0.5, 30.0}) {
                    Fluid fluid = before;
                    const double left = diffuse_part(fluid, axis, dt);
                    INFO("box " << words_of(nx, ny, nz) << ", " << names[axis] << ", dt " << dt
                                << ", walls that slip: " << slips);
                    CHECK((as_vector(part_of(fluid, axis)) - diffused(before, axis, dt))
                              .cwiseAbs()
                              .maxCoeff() < 1e-11);
                    CHECK(left <= 1e-14);
                }
            }
        }
    }
}

TEST_CASE("a face without an equation keeps its velocity, and its neighbours feel it",
          "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (int axis = 0; axis < 3; ++axis) {
            Fluid fluid = box_with_walls(nx, ny, nz, 38u, 41);
            make_bumpy(part_of(fluid, axis), 43);  // on the walls as well
            const Field before = part_of(fluid, axis);
            const Eigen::VectorXd expected = diffused(fluid, axis, 0.3);
            const std::vector<bool> free = told_equations(fluid, axis, 1.0).free;
            diffuse_part(fluid, axis, 0.3);
            const Field& now = part_of(fluid, axis);
            double kept_error = 0.0;
            for (std::size_t face = 0; face < free.size(); ++face) {
                if (!free[face]) {
                    kept_error =
                        larger(kept_error, std::abs(now.values[face] - before.values[face]));
                }
            }
            INFO("box " << words_of(nx, ny, nz) << ", " << names[axis]
                        << ": is there no equation where is_given says that a velocity is given?");
            CHECK(kept_error == 0.0);
            CHECK((as_vector(now) - expected).cwiseAbs().maxCoeff() < 1e-11);
        }
    }
}

TEST_CASE("each of six moving walls pulls along itself, and only so", "[17_viscosity]") {
    // One free face for each axis: all its other neighbours are walls or ghosts.
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = 0; side < 6; ++side) {
            for (int direction = 0; direction < 3; ++direction) {
                for (const double speed : {1.5, -0.5}) {
                    Fluid fluid(axis == 0 ? 2 : 1, axis == 1 ? 2 : 1, axis == 2 ? 2 : 1);
                    for (Side& one : fluid.sides) {
                        one.slips = false;
                    }
                    fluid.h = 0.5;
                    fluid.nu = 0.2;
                    fluid.tolerance = 1e-15;
                    Vector& velocity = fluid.sides[side].velocity;
                    (direction == 0   ? velocity.x
                     : direction == 1 ? velocity.y
                                      : velocity.z) = speed;
                    Field& faces = part_of(fluid, axis);
                    double& free = faces(axis == 0, axis == 1, axis == 2);
                    free = 0.25;
                    diffuse_velocity(fluid, 0.5);
                    const double a = 0.4;  // 0.2 * 0.5 / 0.5^2
                    const bool pulls = direction == axis && side / 2 != axis;
                    INFO(names[axis] << ", side " << side << " moving along axis " << direction
                                     << ": two neighbours on its axis, four ghosts that count 2");
                    CHECK_THAT(free, WithinAbs((0.25 + (pulls ? 2.0 * a * speed : 0.0)) /
                                                   (1.0 + (2.0 + 8.0) * a),
                                               1e-14));
                    INFO("a wall that slips pulls nothing");
                    fluid.sides[side].slips = true;
                    free = 0.25;
                    diffuse_velocity(fluid, 0.5);
                    const double count = side / 2 == axis ? 10.0 : 8.0;
                    CHECK_THAT(free, WithinAbs(0.25 / (1.0 + count * a), 1e-14));
                }
            }
        }
    }
}

TEST_CASE("between two walls the velocity becomes a straight line", "[17_viscosity]") {
    // Far from the ends of a long box, the upper wall at 3, the lower one at -1.
    Fluid fluid(60, 5, 1);
    fluid.nu = 1.0;
    fluid.iterations = 10000;
    fluid.sides[2].velocity.x = 3.0;
    fluid.sides[3].velocity.x = -1.0;
    diffuse_velocity(fluid, 1e6);  // so long that nothing is left of before
    for (int j = 0; j < 5; ++j) {
        INFO("row " << j << ": is the mean of a face and its ghost the velocity of the wall?");
        CHECK_THAT(fluid.u(30, j, 0), WithinAbs(3.0 - 4.0 * (j + 0.5) / 5.0, 1e-5));
    }
}

TEST_CASE("what momentum the fluid loses goes into the walls", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : {std::array{5, 4, 3}, {3, 5, 4}, {4, 3, 5}}) {
        for (const unsigned slips : {0u, 21u}) {
            const Fluid before = box_with_walls(nx, ny, nz, slips, 59);
            for (int axis = 0; axis < 3; ++axis) {
                Fluid fluid = before;
                diffuse_part(fluid, axis, 0.2);
                const Field& faces = part_of(fluid, axis);
                const std::array<int, 3> size = size_of(faces);
                double gained = 0.0;
                double pulled = 0.0;
                for (int k = 0; k < size[2]; ++k) {
                    for (int j = 0; j < size[1]; ++j) {
                        for (int i = 0; i < size[0]; ++i) {
                            const std::array<int, 3> at = {i, j, k};
                            gained += faces(i, j, k) - part_of(before, axis)(i, j, k);
                            if (at[axis] == 1 || at[axis] == size[axis] - 2) {  // beside a wall
                                const int times = size[axis] == 3 ? 2 : 1;
                                pulled -= times * faces(i, j, k);
                            }
                            const bool is_free = at[axis] > 0 && at[axis] < size[axis] - 1;
                            for (int side = 0; side < 6 && is_free; ++side) {
                                const bool is_beside =
                                    side / 2 != axis &&
                                    at[side / 2] == (side % 2 == 0 ? 0 : size[side / 2] - 1);
                                if (is_beside && !before.sides[side].slips) {
                                    pulled += 2.0 * (along(before.sides[side].velocity, axis) -
                                                     faces(i, j, k));
                                }
                            }
                        }
                    }
                }
                const double a = before.nu * 0.2 / (before.h * before.h);
                INFO("box " << words_of(nx, ny, nz) << ", " << names[axis]);
                CHECK_THAT(gained, WithinAbs(a * pulled, 1e-11));
                CHECK(std::abs(gained) > 0.01);
            }
        }
    }
}

TEST_CASE("without viscosity not a bit changes", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid before = box_with_walls(nx, ny, nz, 9u, 61);
        CHECK(before.viscous_residual == 0.0);
        for (const auto& [nu, dt] : {std::pair(0.0, 0.5), {0.7, 0.0}}) {
            Fluid fluid = before;
            fluid.nu = nu;
            fluid.viscous_residual = 1.0;
            diffuse_velocity(fluid, dt);
            INFO("box " << words_of(nx, ny, nz) << ", nu " << nu << ", dt " << dt);
            CHECK(same_bits(fluid.u, before.u));
            CHECK(same_bits(fluid.v, before.v));
            CHECK(same_bits(fluid.w, before.w));
            CHECK(fluid.viscous_residual == 0.0);
        }
        Fluid slow = before;
        slow.nu = 1e-9;
        diffuse_velocity(slow, 0.5);
        INFO("and a little viscosity changes a little: 0 is an ordinary value");
        CHECK(distance(slow.u, before.u) < 1e-6);
        Fluid usual = before;
        diffuse_velocity(usual, 0.5);
        const double change =
            distance(usual.u, before.u) + distance(usual.v, before.v) + distance(usual.w, before.w);
        CHECK(change > 0.01);
    }
}

TEST_CASE("a very viscous fluid stops, or moves with its walls", "[17_viscosity]") {
    Fluid fluid = box_with_walls(7, 4, 5, 0u, 67);
    fluid.nu = 1e8;
    stand_still(fluid);
    diffuse_velocity(fluid, 1.0);
    CHECK(largest(fluid.u) < 1e-6);
    CHECK(largest(fluid.v) < 1e-6);
    CHECK(largest(fluid.w) < 1e-6);
    INFO("no dt and no nu is too large: no velocity exceeds what was there, or the walls'");
    for (const double nu : {1e-3, 1.0, 1e3, 1e6}) {
        Fluid moving = box_with_walls(6, 5, 4, 37u, 71);
        moving.nu = nu;
        diffuse_velocity(moving, 2.0);
        CHECK(largest(moving.u) <= 5.3 + 1e-9);
        CHECK(largest(moving.v) <= 1.7 + 1e-9);
        CHECK(largest(moving.w) <= 2.5 + 1e-9);
    }
}

TEST_CASE("diffuse says how far it is from the solution", "[17_viscosity]") {
    const Fluid before = box_with_walls(6, 5, 4, 36u, 73);
    for (int axis = 0; axis < 3; ++axis) {
        double earlier = 1.0;
        for (const int iterations : {0, 1, 2, 4, 8}) {
            Fluid fluid = before;
            fluid.tolerance = 0.0;
            fluid.iterations = iterations;
            const double said = diffuse_part(fluid, axis, 0.5);
            const Told told = told_equations(before, axis, before.nu * 0.5 / (before.h * before.h));
            const Eigen::VectorXd now = as_vector(part_of(fluid, axis));
            const Eigen::VectorXd old = as_vector(part_of(before, axis));
            const Eigen::VectorXd b = old + told.walls;
            const double size = std::max(b.norm(), (b - told.matrix * old).norm());
            INFO(names[axis] << " after " << iterations
                             << " iterations: what is left, over b or over what was left at first");
            CHECK_THAT(said, WithinAbs((b - told.matrix * now).norm() / size, 1e-12));
            CHECK((iterations == 0) == same_bits(part_of(fluid, axis), part_of(before, axis)));
            CHECK((iterations == 0 || said < earlier));
            earlier = said;
        }
    }
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
        Fluid fluid = before;
        fluid.tolerance = tolerance;
        diffuse_velocity(fluid, 0.5);
        INFO("tolerance " << tolerance << ": the worst of u, v and w, and no further than asked");
        CHECK(fluid.viscous_residual <= tolerance);
        CHECK(fluid.viscous_residual > 1e-3 * tolerance);
    }
}

TEST_CASE("as many iterations as the equations have different eigenvalues", "[17_viscosity]") {
    for (const auto& [nx, ny, nz, axis, iterations] :
         {std::array{5, 1, 1, 0, 4}, {1, 7, 1, 1, 6}, {1, 1, 4, 2, 3}, {2, 3, 1, 0, 3}}) {
        Fluid fluid = box_with_walls(nx, ny, nz, 48u, 91);
        const Eigen::VectorXd expected = diffused(fluid, axis, 2.0);
        fluid.tolerance = 0.0;
        fluid.iterations = iterations;
        const double left = diffuse_part(fluid, axis, 2.0);
        INFO("box " << words_of(nx, ny, nz)
                    << ": is each direction r + beta times the last, beta new r.r over old?");
        CHECK(left < 1e-11);
        CHECK((as_vector(part_of(fluid, axis)) - expected).cwiseAbs().maxCoeff() < 1e-11);
    }
}

TEST_CASE("u, v and w spread alike, and each by itself", "[17_viscosity]") {
    const Fluid before = box_with_walls(5, 4, 3, 18u, 79);
    Fluid fluid = before;
    diffuse_velocity(fluid, 0.3);
    double largest_residual = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        Fluid alone = before;
        alone.nu = 0.7;
        largest_residual = std::max(largest_residual, diffuse_part(alone, axis, 0.3));
        INFO(names[axis]);
        CHECK(same_bits(part_of(fluid, axis), part_of(alone, axis)));
        CHECK(distance(part_of(fluid, axis), part_of(before, axis)) > 0.1);
        for (int other = 0; other < 3; ++other) {
            CHECK((other == axis || same_bits(part_of(alone, other), part_of(before, other))));
        }
    }
    CHECK(fluid.viscous_residual == largest_residual);
    CHECK(same_bits(fluid.density, before.density));
}

TEST_CASE("mirrored along any axis, viscosity is mirrored", "[17_viscosity]") {
    const Fluid before = box_with_walls(6, 5, 4, 34u, 83);
    Fluid straight = before;
    diffuse_velocity(straight, 0.2);
    REQUIRE(distance(straight.u, before.u) > 0.1);
    for (int axis = 0; axis < 3; ++axis) {
        Fluid turned = mirrored(before, axis);
        std::swap(turned.sides[2 * axis], turned.sides[2 * axis + 1]);
        for (Side& side : turned.sides) {
            (axis == 0 ? side.velocity.x : axis == 1 ? side.velocity.y : side.velocity.z) *= -1.0;
        }
        diffuse_velocity(turned, 0.2);
        const Fluid back = mirrored(turned, axis);
        INFO("axis " << axis);
        CHECK(distance(back.u, straight.u) < 1e-11);
        CHECK(distance(back.v, straight.v) < 1e-11);
        CHECK(distance(back.w, straight.w) < 1e-11);
    }
}

TEST_CASE("a flat fluid feels no walls before and behind it", "[17_viscosity]") {
    Fluid flat = bumpy_fluid(6, 5, 1, 89);
    CHECK(flat.sides[4].slips);
    CHECK(flat.sides[5].slips);
    CHECK_FALSE(flat.sides[2].slips);
    Fluid deep(6, 5, 3);
    CHECK_FALSE(deep.sides[4].slips);
    CHECK_FALSE(deep.sides[5].slips);
    deep.sides[4].slips = deep.sides[5].slips = true;
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j <= 5; ++j) {
            for (int i = 0; i <= 6; ++i) {
                if (j < 5) {
                    deep.u(i, j, k) = flat.u(i, j, 0);
                }
                if (i < 6) {
                    deep.v(i, j, k) = flat.v(i, j, 0);
                }
            }
        }
    }
    for (Fluid* fluid : {&flat, &deep}) {
        fluid->nu = 0.3;
        fluid->tolerance = 1e-14;
        fluid->sides[2].velocity.x = 1.0;
        diffuse_velocity(*fluid, 0.5);
        INFO("does anything spread?");
        CHECK(fluid->viscous_residual > 0.0);
    }
    for (int k = 0; k < 3; ++k) {
        INFO("layer " << k);
        CHECK_THAT(deep.u(3, 0, k), WithinAbs(flat.u(3, 0, 0), 1e-13));
        CHECK_THAT(deep.u(2, 4, k), WithinAbs(flat.u(2, 4, 0), 1e-13));
        CHECK_THAT(deep.v(5, 3, k), WithinAbs(flat.v(5, 3, 0), 1e-13));
    }
}

// ---- The step ----------------------------------------------------------------------------------

TEST_CASE("a viscous fluid at rest stays at rest under its weight", "[17_viscosity]") {
    for (const Advection way : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        Fluid fluid(6, 5, 4);
        fluid.tolerance = 1e-13;
        fluid.nu = 1.5;
        fluid.force_x = 3.0;
        fluid.force_y = 9.0;
        fluid.force_z = -2.0;
        fluid.advection = way;
        for (int n = 0; n < 5; ++n) {
            step(fluid, 0.1);
        }
        INFO("way " << static_cast<int>(way)
                    << ": does viscosity act before the force is added, which only the pressure "
                       "holds up?");
        CHECK(largest(fluid.u) < 1e-10);
        CHECK(largest(fluid.v) < 1e-10);
        CHECK(largest(fluid.w) < 1e-10);
    }
    Fluid moving = box_with_walls(6, 5, 4, 0u, 99);
    const Field before = moving.u;
    diffuse_part(moving, 0, 0.1);
    INFO("and a fluid that moves is slowed down");
    REQUIRE(distance(moving.u, before) > 0.01);
}

TEST_CASE("a step carries, spreads, pushes, projects, and carries the dye", "[17_viscosity]") {
    for (const auto& [nx, ny, nz] : {std::array{6, 5, 4}, {7, 6, 1}}) {
        Fluid fluid = box_with_walls(nx, ny, nz, 2u, 97);
        fluid.tolerance = 1e-12;
        fluid.force_y = 2.0;
        fluid.advection = Advection::REFLECTED;
        for (int n = 0; n < 4; ++n) {
            Fluid expected = fluid;
            step(fluid, 0.05);
            const bool reflects = n % 2 == 1;
            reflects ? advect_reflected(expected, 0.05) : advect_velocity(expected, 0.05);
            for (int axis = 0; axis < 3; ++axis) {
                const Eigen::VectorXd spread = diffused(expected, axis, 0.05);
                part_of(expected, axis).values.assign(spread.begin(), spread.end());
            }
            if (!reflects) {
                add_force(expected, 0.05);
            }
            project(expected, 0.05);
            advect_density(expected, 0.05);
            INFO("box " << words_of(nx, ny, nz) << ", step " << n);
            CHECK(distance(fluid.u, expected.u) < 1e-9);
            CHECK(distance(fluid.v, expected.v) < 1e-9);
            CHECK(distance(fluid.w, expected.w) < 1e-9);
            CHECK(distance(fluid.density, expected.density) < 1e-9);
            INFO("is the projection last? After it, no cell has any divergence");
            CHECK(largest_divergence(fluid) < 1e-9);
            CHECK(fluid.viscous_residual > 0.0);
        }
    }
}

TEST_CASE("walls that hold slow a fluid down, walls that slip let it glide", "[17_viscosity]") {
    const auto energy_left = [](bool slips) {
        Fluid fluid(16, 12, 5);
        fluid.nu = 0.5;
        for (Side& side : fluid.sides) {
            side.slips = slips;
        }
        for (int k = 0; k < 5; ++k) {
            for (int i = 1; i < 16; ++i) {
                for (int j = 0; j < 12; ++j) {
                    fluid.u(i, j, k) = j < 6 ? 3.0 : -3.0;
                }
            }
        }
        project(fluid, 0.1);
        const double before = dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v);
        for (int n = 0; n < 20; ++n) {
            step(fluid, 0.1);
        }
        return (dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v)) / before;
    };
    const double slipping = energy_left(true);
    const double holding = energy_left(false);
    CHECK(slipping < 0.9);
    CHECK(holding < 0.75 * slipping);
    CHECK(holding > 0.01);
}

TEST_CASE("what is copied after an odd step goes on as if nothing had happened", "[17_viscosity]") {
    Fluid fluid = box_with_walls(7, 6, 4, 33u, 101);
    fluid.advection = Advection::REFLECTED;
    fluid.tolerance = 1e-9;
    for (int n = 0; n < 3; ++n) {
        step(fluid, 0.03);
    }
    Fluid other(7, 6, 4);
    other.h = fluid.h;
    other.tolerance = fluid.tolerance;
    other.iterations = fluid.iterations;
    other.advection = Advection::REFLECTED;
    // What a state file holds:
    other.nu = fluid.nu;
    std::copy(std::begin(fluid.sides), std::end(fluid.sides), std::begin(other.sides));
    other.u = fluid.u;
    other.v = fluid.v;
    other.w = fluid.w;
    other.density = fluid.density;
    other.pressure = fluid.pressure;
    other.reflects_next = fluid.reflects_next;
    other.gradient_factor = 0.03 / other.rho;  // the time step is a flag
    write_equations_down(other);  // the box determines it
    for (int n = 0; n < 4; ++n) {
        step(fluid, 0.03);
        step(other, 0.03);
    }
    CHECK(same_bits(fluid.u, other.u));
    CHECK(same_bits(fluid.v, other.v));
    CHECK(same_bits(fluid.w, other.w));
    CHECK(same_bits(fluid.density, other.density));
    CHECK(largest(fluid.u) > 0.1);
    CHECK(fluid.viscous_residual > 0.0);
}

// ---- The lid-driven cavity ---------------------------------------------------------------------

TEST_CASE("the cavity of Ghia, Ghia and Shin, on a small grid", "[17_viscosity]") {
    const auto steady = [](Advection advection) {
        Fluid fluid(32, 32, 1);
        fluid.h = 0.25;  // whatever the unit of length
        fluid.advection = advection;
        fluid.solver = Solver::DIRECT;
        fluid.tolerance = 1e-6;
        begin_cavity(fluid, 100.0);
        CHECK(fluid.sides[2].velocity.x == 8.0);
        CHECK_THAT(fluid.nu, WithinAbs(0.64, 1e-15));
        for (int n = 0; n < 400; ++n) {
            step(fluid, 1.0 / 32.0);
        }
        return fluid;
    };
    const Fluid reflected = steady(Advection::REFLECTED);
    const Differences near = differences_from_ghia(reflected, 100);
    INFO("differences of u " << near.u << " and of v " << near.v << " at Re 100");
    CHECK(near.u < 0.006);
    CHECK(near.v < 0.01);
    const Extremes found = extremes_of(reflected);
    CHECK_THAT(found.least_u, WithinAbs(botella_100.least_u, 0.006));
    CHECK_THAT(found.least_v, WithinAbs(botella_100.least_v, 0.006));
    CHECK_THAT(found.most_v, WithinAbs(botella_100.most_v, 0.006));
    const Differences far = differences_from_ghia(steady(Advection::LINEAR), 100);
    INFO("linear advection has a viscosity of its own: " << far.u);
    CHECK(far.u > 0.015);
    CHECK(far.u < 0.03);
}
