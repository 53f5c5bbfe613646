#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "reference.hpp"
#include "solver.hpp"

namespace {

std::string name_of(int i, int j, int k) {
    return "(" + std::to_string(i) + ", " + std::to_string(j) + ", " + std::to_string(k) + ")";
}

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine.
void make_bumpy(Field& field, std::uint32_t seed) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

Fluid bumpy_fluid(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid(nx, ny, nz);
    make_bumpy(fluid.u, seed);
    make_bumpy(fluid.v, seed + 1);
    make_bumpy(fluid.w, seed + 2);
    make_bumpy(fluid.density, seed + 3);
    set_bnd(fluid);
    return fluid;
}

/// A box with a post in it, a wall across it with a hole, and a cell walled in on every side.
Fluid fluid_with_solids() {
    Fluid fluid = bumpy_fluid(9, 7, 2, 21);
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 7; ++j) {
            fluid.solid(5, j, k) = j == 3 ? 0.0 : 1.0;
        }
        fluid.solid(2, 2, k) = 1.0;
        fluid.solid(2, 3, k) = 1.0;
    }
    for (const auto& [i, j, k] : {std::array{0, 5, 0}, {1, 6, 0}, {0, 6, 1}}) {
        fluid.solid(i, j, k) = 1.0;  // around the corner cell (0, 6, 0)
    }
    set_bnd(fluid);
    return fluid;
}

double largest(const Field& field) {
    double found = 0.0;
    for (const double value : field.values) {
        found = larger(found, std::abs(value));
    }
    return found;
}

double distance(const Field& a, const Field& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        found = larger(found, std::abs(a.values[k] - b.values[k]));
    }
    return found;
}

double sum_of(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

double largest_divergence(const Fluid& fluid) {
    double found = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (is_fluid(fluid.solid, i, j, k)) {
                    found = larger(found, std::abs(divergence_at(fluid, i, j, k)));
                }
            }
        }
    }
    return found;
}

double kinetic_energy(const Fluid& fluid) {
    double sum = 0.0;
    for (const Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        for (const double value : field->values) {
            sum += 0.5 * fluid.rho * std::pow(fluid.h, 3) * value * value;
        }
    }
    return sum;
}

/// The tutorial's box with its one pushed face, carried for 0.1 seconds.
Fluid pinwheel() {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    advect_velocity(fluid, 0.1);
    return fluid;
}

void check_values(const Field& field, const std::vector<double>& expected, const char* name) {
    REQUIRE(field.values.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        INFO(name << "[" << k << "]");
        CHECK_THAT(field.values[k], WithinAbs(expected[k], 1e-12));
    }
}

/// A in full, or a matrix of zeros where there is none yet.
Eigen::MatrixXd full_matrix(const Field& solid) {
    const Eigen::SparseMatrix<double> sparse = assemble_matrix(solid);
    const auto cells = static_cast<Eigen::Index>(solid.values.size());
    INFO("A has a row and a column for every cell");
    REQUIRE(sparse.rows() == cells);
    REQUIRE(sparse.cols() == cells);
    return Eigen::MatrixXd(sparse);
}

Eigen::VectorXd as_vector(const Field& field) {
    return Eigen::VectorXd::Map(field.values.data(),
                                static_cast<Eigen::Index>(field.values.size()));
}

const char* name_of(Solver solver) {
    return solver == Solver::DIRECT                ? "the direct solver"
           : solver == Solver::CONJUGATE_GRADIENTS ? "conjugate gradients"
                                                   : "Gauss-Seidel";
}

/// Solves with one solver and answers the velocity's fluid.
Fluid projected(Fluid fluid, Solver solver, double dt, double tolerance = 1e-13) {
    fluid.solver = solver;
    fluid.tolerance = tolerance;
    fluid.iterations = 20000;
    project(fluid, dt);
    return fluid;
}

/// The eigenvalues of -d2/dx2 times h^2 on n cells, as the reference file lists them.
std::vector<double> reference_eigenvalues(int n, const std::string& walls) {
    std::vector<double> found;
    for (const std::vector<std::string>& words : reference_rows("laplacian_eigenvalues.csv")) {
        if (words[0] == std::to_string(n) && words[1] == walls) {
            found.push_back(std::stod(words[3]));
        }
    }
    return found;
}

}  // namespace

// ---- Between the points ------------------------------------------------------------------------

TEST_CASE("a field is read exactly at its own points and straight in between", "[11_mac]") {
    Fluid fluid(4, 3, 2);
    fluid.h = 0.5;
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w, &fluid.density}) {
        for (int k = 0; k < field->nz; ++k) {
            for (int j = 0; j < field->ny; ++j) {
                for (int i = 0; i < field->nx; ++i) {  // 2 + 3 x + 5 y + 7 z, at the point's place
                    (*field)(i, j, k) =
                        2.0 + 0.5 * (3.0 * (i + field->origin.x) + 5.0 * (j + field->origin.y) +
                                     7.0 * (k + field->origin.z));
                }
            }
        }
        const Vector place = {0.83, 0.61, 0.46};
        INFO("points of this field begin at (" << field->origin.x << ", " << field->origin.y << ", "
                                               << field->origin.z << ") cells; h is 0.5");
        CHECK_THAT(interpolate(*field, 0.5, place),
                   WithinAbs(2.0 + 3.0 * 0.83 + 5.0 * 0.61 + 7.0 * 0.46, 1e-12));
    }
    const Vector velocity = velocity_at(fluid, {0.7, 0.9, 0.5});
    CHECK_THAT(velocity.x, WithinAbs(2.0 + 2.1 + 4.5 + 3.5, 1e-12));
    CHECK_THAT(velocity.y, WithinAbs(velocity.x, 1e-12));
    CHECK_THAT(velocity.z, WithinAbs(velocity.x, 1e-12));
}

TEST_CASE("the parts of the velocity are averages of their own faces", "[11_mac]") {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    INFO("the face u(1, 0, 0) lies at (1, 0.5, 0.5); four Y faces are around it");
    CHECK_THAT(velocity_at(fluid, {1.0, 0.5, 0.5}).y, WithinAbs(0.25, 1e-15));
    CHECK_THAT(velocity_at(fluid, {0.5, 1.0, 0.5}).y, WithinAbs(1.0, 1e-15));
    CHECK_THAT(velocity_at(fluid, {0.5, 0.9, 0.5}).y, WithinAbs(0.9, 1e-15));
    CHECK(velocity_at(fluid, {0.5, 0.9, 0.5}).x == 0.0);
}

TEST_CASE("beyond the outermost points their value goes on", "[11_mac]") {
    Fluid fluid(3, 2, 2);
    make_bumpy(fluid.density, 5);
    CHECK_THAT(interpolate(fluid.density, 1.0, {-4.0, 0.5, 0.5}),
               WithinAbs(fluid.density(0, 0, 0), 1e-15));
    CHECK_THAT(interpolate(fluid.density, 1.0, {9.0, 1.9, 7.0}),
               WithinAbs(fluid.density(2, 1, 1), 1e-15));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    INFO("even a place that is no number is somewhere inside");
    CHECK(std::abs(interpolate(fluid.density, 1.0, {nan, nan, nan})) <= 1.0);
    CHECK(std::abs(interpolate(fluid.density, 1.0, {1e300, -1e300, 0.5})) <= 1.0);
}

// ---- Moving ------------------------------------------------------------------------------------

TEST_CASE("the way back is one straight step, or two half steps", "[11_mac]") {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    const Vector straight = trace_back(fluid, {0.5, 1.0, 0.5}, 0.1);
    INFO("v is 1 at y = 1: what arrives there after 0.1 seconds comes from upstream, y = 0.9");
    CHECK_THAT(straight.x, WithinAbs(0.5, 1e-15));
    CHECK_THAT(straight.y, WithinAbs(0.9, 1e-15));
    fluid.midpoint = true;
    INFO("half-way, at y = 0.95, the velocity is 0.95");
    CHECK_THAT(trace_back(fluid, {0.5, 1.0, 0.5}, 0.1).y, WithinAbs(0.905, 1e-15));
}

TEST_CASE("two half steps follow a circle better than one straight step", "[11_mac]") {
    Fluid fluid(24, 20, 1);  // turns as a wheel does around (13, 9)
    for (int j = 0; j < 20; ++j) {
        for (int i = 0; i <= 24; ++i) {
            fluid.u(i, j, 0) = -(j + 0.5 - 9.0);
        }
    }
    for (int j = 0; j <= 20; ++j) {
        for (int i = 0; i < 24; ++i) {
            fluid.v(i, j, 0) = i + 0.5 - 13.0;
        }
    }
    const auto error = [&](double dt) {  // from (17, 9), a quarter of a radian in all
        Vector place = {17.0, 9.0, 0.5};
        const int steps = static_cast<int>(std::lround(0.25 / dt));
        for (int k = 0; k < steps; ++k) {
            place = trace_back(fluid, place, dt);
        }
        return std::hypot(place.x - (13.0 + 4.0 * std::cos(0.25)),
                          place.y - (9.0 - 4.0 * std::sin(0.25)));
    };
    const double euler = error(0.125) / error(0.0625);
    fluid.midpoint = true;
    const double midpoint = error(0.125) / error(0.0625);
    INFO("half the step, half the error: first order; a quarter of it: second order");
    CHECK_THAT(euler, WithinAbs(2.0, 0.15));
    CHECK_THAT(midpoint, WithinAbs(4.0, 0.3));
}

TEST_CASE("a blob in a uniform flow moves dt u / h cells", "[11_mac]") {
    Fluid fluid(12, 9, 5);
    fluid.h = 0.25;
    for (double& u : fluid.u.values) {
        u = 1.5;
    }
    for (double& v : fluid.v.values) {
        v = -0.5;
    }
    for (double& w : fluid.w.values) {
        w = 0.5;
    }
    Field blob(12, 9, 5, {0.5, 0.5, 0.5});
    blob(3, 6, 1) = 2.0;
    Field carried = blob;
    advect(fluid, carried, blob, 0.5);  // 3 cells right, 1 up, 1 away
    INFO("has it moved " << fluid.h << " times as far, or in one direction only?");
    CHECK_THAT(carried(6, 5, 2), WithinAbs(2.0, 1e-12));
    CHECK_THAT(sum_of(carried), WithinAbs(2.0, 1e-12));
    advect(fluid, carried, blob, 0.25);  // half as far: a half cell each way up and away
    CHECK_THAT(carried(4, 6, 1), WithinAbs(2.0 * 0.5 * 0.5 * 0.5, 1e-12));
    CHECK_THAT(carried(5, 5, 2), WithinAbs(2.0 * 0.5 * 0.5 * 0.5, 1e-12));
}

TEST_CASE("each part of the velocity is carried from its own faces", "[11_mac]") {
    Fluid fluid(10, 8, 6);
    make_bumpy(fluid.u, 31);
    make_bumpy(fluid.v, 32);
    make_bumpy(fluid.w, 33);
    set_bnd(fluid);
    const Fluid before = fluid;
    advect_velocity(fluid, 0.3);
    for (const auto& [i, j, k] : {std::array{4, 3, 2}, {7, 6, 1}, {1, 2, 4}}) {
        INFO("at " << name_of(i, j, k)
                   << ": is each traced from its own face, by the velocity before any moved?");
        const Vector u_face = {1.0 * i, j + 0.5, k + 0.5};
        const Vector v_face = {i + 0.5, 1.0 * j, k + 0.5};
        const Vector w_face = {i + 0.5, j + 0.5, 1.0 * k};
        CHECK_THAT(fluid.u(i, j, k),
                   WithinAbs(velocity_at(before, trace_back(before, u_face, 0.3)).x, 1e-14));
        CHECK_THAT(fluid.v(i, j, k),
                   WithinAbs(velocity_at(before, trace_back(before, v_face, 0.3)).y, 1e-14));
        CHECK_THAT(fluid.w(i, j, k),
                   WithinAbs(velocity_at(before, trace_back(before, w_face, 0.3)).z, 1e-14));
    }
    CHECK(distance(fluid.u, before.u) > 0.1);
    INFO("the six walls: does it end with set_bnd, and does set_bnd reach the last faces?");
    for (const int far : {0, 1}) {
        CHECK(fluid.u(far * 10, 3, 2) == 0.0);
        CHECK(fluid.v(4, far * 8, 2) == 0.0);
        CHECK(fluid.w(4, 3, far * 6) == 0.0);
    }
}

TEST_CASE("carried dye stays between the least and the most there was", "[11_mac]") {
    Fluid fluid = bumpy_fluid(11, 6, 3, 71);
    const Field before = fluid.density;
    advect_density(fluid, 2.7);
    CHECK(distance(fluid.density, before) > 0.1);
    CHECK(largest(fluid.density) <= largest(before));
}

TEST_CASE("dye that is the same everywhere stays so, around solid cells too", "[11_mac]") {
    Fluid fluid = fluid_with_solids();
    Field blob = fluid.density;
    advect(fluid, blob, fluid.density, 0.4);
    REQUIRE(distance(blob, fluid.density) > 0.1);  // it does carry
    for (std::size_t cell = 0; cell < fluid.density.values.size(); ++cell) {
        fluid.density.values[cell] = fluid.solid.values[cell] == 0.0 ? 0.75 : 0.0;
    }
    const Field before = fluid.density;
    advect_density(fluid, 0.8);
    INFO("a solid cell holds no dye: what was read there must not thin the rest");
    CHECK(distance(fluid.density, before) < 1e-14);
}

TEST_CASE("a force acts on each open face, and on no wall", "[11_mac]") {
    Fluid fluid(3, 4, 2);
    fluid.force_x = 2.0;
    fluid.force_y = -9.81;
    fluid.force_z = 0.5;
    add_force(fluid, 0.1);
    CHECK_THAT(fluid.u(1, 2, 1), WithinAbs(0.2, 1e-15));
    CHECK_THAT(fluid.v(2, 3, 0), WithinAbs(-0.981, 1e-15));
    CHECK_THAT(fluid.w(2, 0, 1), WithinAbs(0.05, 1e-15));
    CHECK(fluid.v(0, 0, 0) == 0.0);
    CHECK(fluid.v(0, 4, 0) == 0.0);
    CHECK(fluid.u(3, 0, 0) == 0.0);
}

// ---- The matrix --------------------------------------------------------------------------------

TEST_CASE("A is the tutorial's matrix", "[11_mac]") {
    const Eigen::MatrixXd A = full_matrix(Fluid(2, 2, 1).solid);
    Eigen::Matrix4d printed;
    printed << 2, -1, -1, 0, -1, 2, 0, -1, -1, 0, 2, -1, 0, -1, -1, 2;
    INFO("A is\n" << A);
    CHECK((A - printed).cwiseAbs().maxCoeff() == 0.0);
}

TEST_CASE("A is symmetric and its rows add up to 0", "[11_mac]") {
    for (const Fluid& fluid : {Fluid(5, 3, 2), Fluid(1, 6, 1), fluid_with_solids()}) {
        const Eigen::MatrixXd A = full_matrix(fluid.solid);
        INFO("box of " << name_of(fluid.nx, fluid.ny, fluid.nz));
        REQUIRE(A.cwiseAbs().maxCoeff() >= 2.0);
        CHECK((A - A.transpose()).cwiseAbs().maxCoeff() == 0.0);
        INFO("a pressure that is the same everywhere pushes nothing");
        CHECK(A.rowwise().sum().cwiseAbs().maxCoeff() == 0.0);
    }
}

TEST_CASE("the diagonal counts the neighbours that are fluid", "[11_mac]") {
    const Eigen::MatrixXd A = full_matrix(Fluid(4, 3, 3).solid);
    const Field at = Fluid(4, 3, 3).solid;
    const auto diagonal = [&](int i, int j, int k) { return A(at.IX(i, j, k), at.IX(i, j, k)); };
    CHECK(diagonal(1, 1, 1) == 6.0);
    CHECK(diagonal(0, 1, 1) == 5.0);
    CHECK(diagonal(0, 2, 1) == 4.0);
    CHECK(diagonal(3, 2, 0) == 3.0);
    const Fluid walls = fluid_with_solids();
    const Eigen::MatrixXd B = full_matrix(walls.solid);
    const int post = walls.solid.IX(2, 2, 0);
    const int walled_in = walls.solid.IX(0, 6, 0);
    const int beside = walls.solid.IX(1, 2, 0);
    INFO("the rows of a solid cell, of one walled in, and of one left of the post");
    CHECK(B.row(post).cwiseAbs().sum() == 0.0);
    CHECK(B.row(walled_in).cwiseAbs().sum() == 0.0);
    CHECK(B(beside, beside) == 4.0);
    CHECK(B(beside, post) == 0.0);
}

TEST_CASE("the eigenvalues of A are sums of 4 sin^2(pi k / 2n)", "[11_mac]") {
    for (const auto& [nx, ny, nz] : {std::array{4, 8, 1}, {16, 4, 1}, {4, 4, 4}, {8, 1, 1}}) {
        const Eigen::MatrixXd A = full_matrix(Fluid(nx, ny, nz).solid);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
        std::vector<double> expected;
        for (int k = 0; k < nx; ++k) {
            for (int l = 0; l < ny; ++l) {
                for (int m = 0; m < nz; ++m) {
                    double sum = 0.0;
                    for (const auto& [mode, n] : {std::pair(k, nx), {l, ny}, {m, nz}}) {
                        const std::vector<double> one =
                            n == 1 ? std::vector{0.0} : reference_eigenvalues(n, "neumann");
                        REQUIRE(static_cast<int>(one.size()) == n);
                        CHECK_THAT(
                            one[mode],
                            WithinAbs(
                                4.0 * std::pow(std::sin(std::numbers::pi * mode / (2 * n)), 2),
                                1e-11));
                        sum += one[mode];
                    }
                    expected.push_back(sum);
                }
            }
        }
        std::sort(expected.begin(), expected.end());
        for (std::size_t k = 0; k < expected.size(); ++k) {
            INFO(nx << " x " << ny << " x " << nz << ", eigenvalue " << k);
            CHECK_THAT(solver.eigenvalues()[static_cast<Eigen::Index>(k)],
                       WithinAbs(expected[k], 1e-10));
        }
    }
}

TEST_CASE("A has one free constant for each region, and one for each solid cell", "[11_mac]") {
    Fluid fluid = fluid_with_solids();
    fluid.solid(5, 3, 0) = 1.0;  // closes the hole in the wall
    fluid.solid(5, 3, 1) = 1.0;
    const Eigen::MatrixXd A = full_matrix(fluid.solid);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
    const long zeros = (solver.eigenvalues().array().abs() < 1e-10).count();
    const std::vector<int> region = find_regions(fluid.solid);
    const int regions = *std::max_element(region.begin(), region.end()) + 1;
    CHECK(regions == 3);  // left, right, and the cell walled in
    CHECK(zeros == regions + static_cast<long>(sum_of(fluid.solid)));
}

TEST_CASE("A without A gives the same", "[11_mac]") {
    const Fluid fluid = fluid_with_solids();
    Field p = fluid.pressure;
    Field result = fluid.pressure;
    make_bumpy(p, 77);
    make_bumpy(result, 78);
    apply_matrix(fluid.solid, p, result);
    const Eigen::VectorXd expected = full_matrix(fluid.solid) * as_vector(p);
    INFO("a solid neighbour counts neither on the diagonal nor in the sum");
    CHECK((as_vector(result) - expected).cwiseAbs().maxCoeff() < 1e-13);
}

// ---- The right-hand side -----------------------------------------------------------------------
// -------------------------------------------------------------------------

TEST_CASE("divergence is what flows out through the six faces", "[11_mac]") {
    Fluid fluid(3, 3, 3);
    fluid.h = 0.5;
    fluid.u(2, 1, 1) = 1.0;
    fluid.u(1, 1, 1) = 0.25;
    fluid.v(1, 2, 1) = 10.0;
    fluid.v(1, 1, 1) = 4.0;
    fluid.w(1, 1, 2) = 300.0;
    fluid.w(1, 1, 1) = 100.0;
    INFO("0.75 by u, 6 by v, 200 by w, over h = 0.5");
    CHECK_THAT(divergence_at(fluid, 1, 1, 1), WithinAbs(413.5, 1e-12));
}

TEST_CASE("b is the tutorial's, and grows with rho", "[11_mac]") {
    Fluid fluid = pinwheel();
    Field b = fluid.pressure;
    right_hand_side(fluid, b, 0.1);
    check_values(b, {-9.0, 0.0, 9.0, 0.0}, "b");
    fluid.rho = 2.0;
    fluid.h = 0.5;
    right_hand_side(fluid, b, 0.1);
    INFO("-rho h^2 / dt times the divergence, with rho = 2, h = 0.5, divergence 0.9 / 0.5");
    CHECK_THAT(b(0, 0, 0), WithinAbs(-2.0 * 0.25 / 0.1 * 1.8, 1e-12));
}

TEST_CASE("in a closed box b adds up to 0 in each region", "[11_mac]") {
    Fluid fluid = fluid_with_solids();
    fluid.solid(5, 3, 0) = 1.0;
    fluid.solid(5, 3, 1) = 1.0;
    set_bnd(fluid);
    Field b = fluid.pressure;
    right_hand_side(fluid, b, 0.1);
    REQUIRE(largest(b) > 1.0);
    CHECK(remove_averages(find_regions(fluid.solid), b) < 1e-14);
}

// ---- Solving -----------------------------------------------------------------------------------

TEST_CASE("the pinwheel, to the tutorial's last digit, by each solver", "[11_mac]") {
    for (const Solver solver :
         {Solver::DIRECT, Solver::CONJUGATE_GRADIENTS, Solver::GAUSS_SEIDEL}) {
        Fluid fluid = pinwheel();
        INFO("solved by " << name_of(solver));
        CHECK_THAT(fluid.v(0, 1, 0), WithinAbs(0.9, 1e-15));
        CHECK_THAT(kinetic_energy(fluid), WithinAbs(0.405, 1e-15));
        fluid = projected(fluid, solver, 0.1, 1e-14);
        check_values(fluid.pressure, {-3.375, -1.125, 3.375, 1.125}, "p");
        check_values(fluid.u, {0, -0.225, 0, 0, 0.225, 0}, "mU");
        check_values(fluid.v, {0, 0, 0.225, -0.225, 0, 0}, "mV");
        check_values(fluid.w, {0, 0, 0, 0, 0, 0, 0, 0}, "mW");
        CHECK(largest_divergence(fluid) < 1e-12);
        CHECK_THAT(kinetic_energy(fluid), WithinAbs(0.10125, 1e-12));
    }
}

TEST_CASE("the direct solver leaves no divergence", "[11_mac]") {
    for (Fluid fluid : {bumpy_fluid(13, 7, 1, 3), bumpy_fluid(5, 4, 9, 4), bumpy_fluid(1, 17, 1, 5),
                        bumpy_fluid(40, 64, 1, 6), fluid_with_solids()}) {
        const double before = largest_divergence(fluid);
        REQUIRE(before > 0.1);
        fluid.h = 0.3;
        project(fluid, 0.02);
        INFO(name_of(fluid.nx, fluid.ny, fluid.nz)
             << ": divergence " << before << " before, " << largest_divergence(fluid) << " after");
        {
            INFO(
                "a pivot of A is 0, or what rounding made of 0: is a cell of each region tied "
                "down?");
            REQUIRE(fluid.factors.ldlt != nullptr);
            CHECK(fluid.factors.ldlt->vectorD().minCoeff() > 1e-3);
        }
        {
            INFO("did the pressure push on a face of a wall or of a solid cell?");
            Fluid closed = fluid;
            set_bnd(closed);
            CHECK(distance(fluid.u, closed.u) == 0.0);
            CHECK(distance(fluid.v, closed.v) == 0.0);
            CHECK(distance(fluid.w, closed.w) == 0.0);
        }
        CHECK(largest_divergence(fluid) < 1e-12 * before / 0.3);
        REQUIRE(fluid.solved.residuals.size() == 2);
        CHECK(fluid.solved.residuals.back() < 1e-12);
    }
}

TEST_CASE("conjugate gradients leave what they were allowed to leave", "[11_mac]") {
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
        const Fluid before = bumpy_fluid(24, 18, 1, 9);
        const Fluid after = projected(before, Solver::CONJUGATE_GRADIENTS, 0.1, tolerance);
        Field b = before.pressure;
        right_hand_side(before, b, 0.1);
        REQUIRE(dot(b, b) > 1.0);
        INFO("tolerance " << tolerance << ", " << after.solved.residuals.size() << " residuals");
        const double measured = residual(before.solid, after.pressure, b) / std::sqrt(dot(b, b));
        CHECK(measured <= 1.001 * tolerance);
        CHECK(measured > 0.01 * tolerance);  // it stops in time
        Field left = b;
        right_hand_side(after, left, 0.1);
        INFO("what is left of the divergence is the residual");
        CHECK_THAT(std::sqrt(dot(left, left) / dot(b, b)), WithinAbs(measured, 1e-12));
    }
}

TEST_CASE("conjugate gradients arrive in as many steps as A has different eigenvalues",
          "[11_mac]") {
    const Fluid pushed = pinwheel();  // eigenvalues 0, 2, 2, 4: two that are not 0
    const Fluid after = projected(pushed, Solver::CONJUGATE_GRADIENTS, 0.1, 1e-14);
    REQUIRE(!after.solved.residuals.empty());
    CHECK(after.solved.residuals.size() == 3);  // the start, and two steps
    CHECK(after.solved.residuals.front() == 1.0);
    CHECK(after.solved.residuals.back() < 1e-14);
}

TEST_CASE("conjugate gradients converge as the condition of A allows", "[11_mac]") {
    const Fluid before = bumpy_fluid(32, 32, 1, 13);
    const Fluid after = projected(before, Solver::CONJUGATE_GRADIENTS, 0.1, 1e-10);
    const double least = 4.0 * std::pow(std::sin(std::numbers::pi / 64), 2);
    const double most = 8.0 * std::pow(std::sin(std::numbers::pi * 31 / 64), 2);
    const double condition = std::sqrt(most / least);
    const double factor = (condition - 1.0) / (condition + 1.0);
    const int steps = static_cast<int>(after.solved.residuals.size()) - 1;
    REQUIRE(steps > 20);
    // 2 factor^k bounds the error in A's norm; in the residual's norm the condition comes on top.
    INFO(steps << " steps");
    CHECK(after.solved.residuals.back() < 2.0 * condition * std::pow(factor, steps) + 1e-10);
    CHECK(steps < std::log(1e-10 / (2.0 * condition)) / std::log(factor) + 1);
}

TEST_CASE("Gauss-Seidel converges at the predicted rate", "[11_mac]") {
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] != "neumann") {
            continue;
        }
        const int N = std::stoi(words[0]);
        const double predicted = std::stod(words[2 + 1]);  // rho_gs_elim: walls on the diagonal
        const Fluid fluid = bumpy_fluid(N, N, 1, 15);
        Field b = fluid.pressure;
        right_hand_side(fluid, b, 1.0);
        Field p = b;
        const std::vector<double> residuals = lin_solve(fluid.solid, p, b, 0.0, 2 * N * N);
        REQUIRE(static_cast<int>(residuals.size()) == 2 * N * N + 1);
        const double measured = std::pow(residuals[static_cast<std::size_t>(N * N + N * N / 2)] /
                                             residuals[static_cast<std::size_t>(N * N)],
                                         2.0 / (N * N));
        if (residuals.back() < 1e-13) {
            continue;  // nothing left to measure
        }
        INFO("N = " << N << ": each sweep leaves " << measured << " of the residual, predicted "
                    << predicted);
        CHECK_THAT(1.0 - measured, WithinAbs(1.0 - predicted, 0.02 * (1.0 - predicted)));
        ++rows;
    }
    CHECK(rows >= 2);
}

TEST_CASE("the three solvers agree", "[11_mac]") {
    for (const Fluid& before : {bumpy_fluid(8, 5, 1, 17), bumpy_fluid(4, 3, 6, 18),
                                bumpy_fluid(1, 9, 1, 19), fluid_with_solids()}) {
        const Fluid direct = projected(before, Solver::DIRECT, 0.1);
        const Fluid gradients = projected(before, Solver::CONJUGATE_GRADIENTS, 0.1);
        const Fluid relaxed = projected(before, Solver::GAUSS_SEIDEL, 0.1);
        INFO("box of " << name_of(before.nx, before.ny, before.nz));
        REQUIRE(largest(direct.pressure) > 0.1);
        CHECK(distance(direct.pressure, gradients.pressure) < 1e-10);
        CHECK(distance(direct.pressure, relaxed.pressure) < 1e-9);
        CHECK(distance(direct.u, gradients.u) < 1e-11);
        CHECK(distance(direct.v, relaxed.v) < 1e-10);
        CHECK(distance(direct.w, gradients.w) < 1e-11);
    }
}

TEST_CASE("the pressure's average is 0 in each region", "[11_mac]") {
    Fluid fluid = fluid_with_solids();
    fluid.solid(5, 3, 0) = 1.0;
    fluid.solid(5, 3, 1) = 1.0;
    set_bnd(fluid);
    for (const Solver solver :
         {Solver::DIRECT, Solver::CONJUGATE_GRADIENTS, Solver::GAUSS_SEIDEL}) {
        const Fluid after = projected(fluid, solver, 0.1, 1e-12);
        REQUIRE(largest(after.pressure) > 0.1);
        std::vector<double> sum(3, 0.0);
        const std::vector<int> region = find_regions(fluid.solid);
        for (std::size_t cell = 0; cell < region.size(); ++cell) {
            if (region[cell] >= 0) {
                sum[static_cast<std::size_t>(region[cell])] += after.pressure.values[cell];
            } else {
                CHECK(after.pressure.values[cell] == 0.0);
            }
        }
        for (const double one : sum) {
            CHECK_THAT(one, WithinAbs(0.0, 1e-11));
        }
        CHECK(largest_divergence(after) < 1e-10);
    }
}

TEST_CASE("with rho = 2 the velocity is the same and the pressure twice as large", "[11_mac]") {
    const Fluid light = projected(pinwheel(), Solver::DIRECT, 0.1);
    Fluid heavy = pinwheel();
    heavy.rho = 2.0;
    heavy = projected(heavy, Solver::DIRECT, 0.1);
    INFO("v(0, 1, 0) is " << heavy.v(0, 1, 0)
                          << "; with the factor as the tutorial prints it, 0.73125");
    CHECK_THAT(heavy.v(0, 1, 0), WithinAbs(0.225, 1e-13));
    CHECK(largest_divergence(heavy) < 1e-12);
    CHECK_THAT(heavy.pressure(0, 1, 0), WithinAbs(2.0 * light.pressure(0, 1, 0), 1e-12));
    CHECK_THAT(heavy.pressure(0, 1, 0), WithinAbs(6.75, 1e-12));
}

TEST_CASE("a right-hand side that has no solution is reported", "[11_mac]") {
    for (const Solver solver :
         {Solver::DIRECT, Solver::CONJUGATE_GRADIENTS, Solver::GAUSS_SEIDEL}) {
        Fluid fluid = bumpy_fluid(6, 5, 1, 23);
        fluid.solver = solver;
        fluid.iterations = 5000;
        Field b = fluid.pressure;
        right_hand_side(fluid, b, 0.1);
        const Field good = b;
        solve_pressure(fluid, b);
        CHECK(fluid.solved.imbalance < 1e-13);
        const Field pressure = fluid.pressure;
        REQUIRE(largest(pressure) > 0.1);
        for (double& value : b.values) {
            value += 0.5;  // as if every cell were filled from outside
        }
        solve_pressure(fluid, b);
        INFO("nothing can flow out of a closed box, so b must add up to 0");
        CHECK(fluid.solved.imbalance > 0.01);
        INFO("and what can be solved is");
        CHECK(distance(fluid.pressure, pressure) < 1e-8);
    }
}

// ---- Projecting --------------------------------------------------------------------------------

TEST_CASE("each velocity is a turning part and a gradient, at right angles", "[11_mac]") {
    const Fluid before = bumpy_fluid(14, 9, 3, 27);
    const Fluid after = projected(before, Solver::DIRECT, 0.1);
    Fluid taken = before;
    for (const auto& part : {&Fluid::u, &Fluid::v, &Fluid::w}) {
        for (std::size_t k = 0; k < (taken.*part).values.size(); ++k) {
            (taken.*part).values[k] -= (after.*part).values[k];
        }
    }
    REQUIRE(kinetic_energy(taken) > 0.1);
    CHECK_THAT(kinetic_energy(after) + kinetic_energy(taken),
               WithinAbs(kinetic_energy(before), 1e-10));
    const Fluid twice = projected(after, Solver::DIRECT, 0.1);
    INFO("what was projected once is left as it is");
    CHECK(distance(twice.u, after.u) < 1e-12);
    CHECK(distance(twice.v, after.v) < 1e-12);
    CHECK(distance(twice.w, after.w) < 1e-12);
}

TEST_CASE("a checkerboard does not pass", "[11_mac]") {
    Fluid fluid(8, 6,
                1);  // the velocity of every other cell to the right, of the others to the left
    for (int j = 0; j < 6; ++j) {
        for (int i = 1; i < 8; ++i) {
            fluid.u(i, j, 0) = (i + j) % 2 == 0 ? 1.0 : -1.0;
        }
    }
    const double before = kinetic_energy(fluid);
    REQUIRE_THAT(largest_divergence(fluid), WithinAbs(2.0, 1e-12));
    project(fluid, 0.1);
    INFO("the staggered grid sees it whole: what is left is what turns between the rows");
    CHECK(largest_divergence(fluid) < 1e-12);
    CHECK(kinetic_energy(fluid) < 0.55 * before);
}

TEST_CASE("with the axes exchanged the answer is exchanged", "[11_mac]") {
    const Fluid before = bumpy_fluid(6, 4, 3, 41);
    Fluid turned(3, 6, 4);  // x -> y -> z -> x
    for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 5; ++j) {
            for (int i = 0; i < 7; ++i) {
                if (k < 3 && j < 4) {
                    turned.v(k, i, j) = before.u(i, j, k);
                }
                if (k < 3 && i < 6) {
                    turned.w(k, i, j) = before.v(i, j, k);
                }
                if (i < 6 && j < 4) {
                    turned.u(k, i, j) = before.w(i, j, k);
                }
                if (i < 6 && j < 4 && k < 3) {
                    turned.density(k, i, j) = before.density(i, j, k);
                }
            }
        }
    }
    Fluid straight = before;
    straight.force_x = 3.0;
    turned.force_y = 3.0;
    step(straight, 0.2);
    step(turned, 0.2);
    REQUIRE(distance(straight.density, before.density) > 0.1);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 6; ++i) {
                INFO("cell " << name_of(i, j, k));
                CHECK_THAT(turned.density(k, i, j), WithinAbs(straight.density(i, j, k), 1e-12));
                CHECK_THAT(turned.v(k, i, j), WithinAbs(straight.u(i, j, k), 1e-12));
                CHECK_THAT(turned.w(k, i, j), WithinAbs(straight.v(i, j, k), 1e-12));
                CHECK_THAT(turned.u(k, i, j), WithinAbs(straight.w(i, j, k), 1e-12));
            }
        }
    }
}

TEST_CASE("mirrored, the answer is mirrored", "[11_mac]") {
    const Fluid before = bumpy_fluid(7, 5, 1, 43);
    Fluid mirrored = before;
    for (int j = 0; j < 5; ++j) {
        for (int i = 0; i <= 7; ++i) {
            mirrored.u(i, j, 0) = -before.u(7 - i, j, 0);
        }
        for (int i = 0; i < 7; ++i) {
            mirrored.density(i, j, 0) = before.density(6 - i, j, 0);
        }
    }
    for (int j = 0; j <= 5; ++j) {
        for (int i = 0; i < 7; ++i) {
            mirrored.v(i, j, 0) = before.v(6 - i, j, 0);
        }
    }
    Fluid straight = before;
    step(straight, 0.3);
    step(mirrored, 0.3);
    REQUIRE(distance(straight.v, before.v) > 0.1);
    for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 7; ++i) {
            INFO("cell " << name_of(i, j, 0) << ": the direct solver favours no side");
            CHECK_THAT(mirrored.density(i, j, 0), WithinAbs(straight.density(6 - i, j, 0), 1e-12));
            CHECK_THAT(mirrored.v(i, j, 0), WithinAbs(straight.v(6 - i, j, 0), 1e-12));
        }
    }
}

TEST_CASE("a weight on a fluid at rest makes pressure and no flow", "[11_mac]") {
    Fluid fluid(4, 6, 2);
    fluid.h = 0.5;
    fluid.rho = 3.0;
    fluid.force_y = 9.81;
    step(fluid, 0.1);
    CHECK(largest(fluid.v) < 1e-12);
    INFO("it grows by rho g h from cell to cell downwards, as in a bottle of water");
    CHECK_THAT(fluid.pressure(2, 4, 1) - fluid.pressure(2, 3, 1),
               WithinAbs(3.0 * 9.81 * 0.5, 1e-10));
    CHECK_THAT(fluid.pressure(3, 5, 0) - fluid.pressure(0, 5, 1), WithinAbs(0.0, 1e-10));
}

TEST_CASE("one cell, and a row of cells, hold still", "[11_mac]") {
    Fluid one(1, 1, 1);
    one.force_x = 5.0;
    one.density(0, 0, 0) = 0.5;
    step(one, 0.1);
    CHECK(one.density(0, 0, 0) == 0.5);
    CHECK(largest(one.u) == 0.0);
    CHECK(largest(one.pressure) == 0.0);
    Fluid row(6, 1, 1);
    row.u(2, 0, 0) = 1.0;
    project(row, 0.1);
    INFO("in a closed pipe nothing can move");
    CHECK(largest(row.u) < 1e-13);
    INFO("p falls by u h rho / dt where the push was");
    CHECK_THAT(row.pressure(2, 0, 0) - row.pressure(1, 0, 0), WithinAbs(10.0, 1e-12));
}

TEST_CASE("where there is nothing to push away, p is 0 and so is the residual", "[11_mac]") {
    for (const auto& [solver, name] : {std::pair(Solver::DIRECT, "the direct solver"),
                                       {Solver::CONJUGATE_GRADIENTS, "conjugate gradients"},
                                       {Solver::GAUSS_SEIDEL, "Gauss-Seidel"}}) {
        Fluid rest = bumpy_fluid(5, 4, 2, 47);
        rest.solver = solver;
        solve_pressure(rest, [&] {
            Field b = rest.pressure;
            right_hand_side(rest, b, 0.1);
            return b;
        }());
        INFO(name << ": the pressure of a push, then of none");
        REQUIRE(largest(rest.pressure) > 0.1);
        solve_pressure(rest, Field(5, 4, 2, {0.5, 0.5, 0.5}));
        INFO("b is 0: does the solver divide by its length?");
        CHECK(largest(rest.pressure) == 0.0);
        REQUIRE(!rest.solved.residuals.empty());
        CHECK(rest.solved.residuals.back() == 0.0);
    }
}

TEST_CASE("each solution starts from 0, whatever the pressure was", "[11_mac]") {
    for (const Solver solver : {Solver::CONJUGATE_GRADIENTS, Solver::GAUSS_SEIDEL}) {
        Fluid fresh = fluid_with_solids();
        fresh.solver = solver;
        fresh.iterations = 7;
        Fluid stale = fresh;
        make_bumpy(stale.pressure, 49);
        project(fresh, 0.1);
        project(stale, 0.1);
        REQUIRE(largest(fresh.pressure) > 0.1);
        INFO("no state file need hold a first guess");
        CHECK(distance(stale.pressure, fresh.pressure) == 0.0);
        INFO("seven iterations are allowed, and done: the start and seven residuals");
        CHECK(fresh.solved.residuals.size() == 8);
    }
}

TEST_CASE("A is taken apart once, as long as the walls stay", "[11_mac]") {
    Fluid fluid = bumpy_fluid(8, 6, 1, 53);
    project(fluid, 0.1);
    const auto* const first = fluid.factors.ldlt.get();
    REQUIRE(first != nullptr);
    step(fluid, 0.1);
    CHECK(fluid.factors.ldlt.get() == first);
}

TEST_CASE("carrying closes the faces of solid cells", "[11_mac]") {
    Fluid fluid = fluid_with_solids();
    const Field before = fluid.u;
    advect_velocity(fluid, 0.7);
    REQUIRE(distance(fluid.u, before) > 0.1);
    INFO("at a corner of a solid cell, what comes along its face comes from the open");
    Fluid closed = fluid;
    set_bnd(closed);
    CHECK(distance(closed.u, fluid.u) == 0.0);
    CHECK(distance(closed.v, fluid.v) == 0.0);
    CHECK(distance(closed.w, fluid.w) == 0.0);
}

TEST_CASE("solid cells are flowed around", "[11_mac]") {
    Fluid fluid = fluid_with_solids();
    REQUIRE(largest_divergence(fluid) > 1.0);
    step(fluid, 0.2);
    for (int k = 0; k < 2; ++k) {
        INFO("the faces of the post, left, above, below and right");
        CHECK(fluid.u(2, 2, k) == 0.0);
        CHECK(fluid.v(2, 2, k) == 0.0);
        CHECK(fluid.v(2, 4, k) == 0.0);
        CHECK(fluid.u(3, 3, k) == 0.0);
        CHECK(fluid.density(2, 2, k) == 0.0);
    }
    CHECK(largest_divergence(fluid) < 1e-11);
    double through_hole = 0.0;
    for (int k = 0; k < 2; ++k) {
        through_hole += fluid.u(5, 3, k);
        for (int j = 0; j < 7; ++j) {
            CHECK((j == 3 || fluid.u(5, j, k) == 0.0));
        }
    }
    INFO("as much flows through the wall's hole one way as the other");
    CHECK_THAT(through_hole, WithinAbs(0.0, 1e-11));
    CHECK(std::abs(fluid.u(5, 3, 0)) > 1e-3);
}

TEST_CASE("walls that move are taken up by the direct solver", "[11_mac]") {
    Fluid fluid = bumpy_fluid(6, 6, 1, 51);
    project(fluid, 0.1);
    REQUIRE(largest(fluid.pressure) > 0.1);
    fluid = [&] {
        Fluid next = bumpy_fluid(6, 6, 1, 52);
        next.factors = fluid.factors;
        return next;
    }();
    fluid.solid(3, 3, 0) = 1.0;
    project(fluid, 0.1);
    INFO(
        "the factors of the old A must not serve the new one, and project must close the new walls "
        "first");
    CHECK(largest_divergence(fluid) < 1e-12);
}

TEST_CASE("a step carries, forces, projects, then moves the dye", "[11_mac]") {
    Fluid fluid = bumpy_fluid(7, 6, 2, 61);
    fluid.force_x = 2.0;
    Fluid by_hand = fluid;
    const Fluid before = fluid;
    step(fluid, 0.25);
    advect_velocity(by_hand, 0.25);
    add_force(by_hand, 0.25);
    project(by_hand, 0.25);
    advect_density(by_hand, 0.25);
    REQUIRE(distance(fluid.u, before.u) > 0.1);
    REQUIRE(distance(fluid.density, before.density) > 0.1);
    CHECK(distance(fluid.u, by_hand.u) == 0.0);
    CHECK(distance(fluid.density, by_hand.density) == 0.0);
    INFO("what is not in a state file must not matter");
    Fluid loaded(7, 6, 2);
    loaded.force_x = 2.0;
    loaded.u = before.u;
    loaded.v = before.v;
    loaded.w = before.w;
    loaded.density = before.density;
    make_bumpy(loaded.pressure, 63);
    step(loaded, 0.25);
    CHECK(distance(loaded.u, fluid.u) == 0.0);
    CHECK(distance(loaded.pressure, fluid.pressure) == 0.0);
}

TEST_CASE("the mouse pushes both faces of a cell, half each, and no wall", "[11_mac]") {
    Fluid fluid(4, 3, 2);
    fluid.u(1, 1, 0) = 0.5;
    fluid.solid(1, 2, 0) = 1.0;
    add_velocity(fluid, 0, 1, 0, {1.0, 2.0, 3.0});
    add_velocity(fluid, 1, 1, 0, {1.0, 2.0, 3.0});
    CHECK(fluid.u(0, 1, 0) == 0.0);
    CHECK(fluid.u(1, 1, 0) == 1.5);
    CHECK(fluid.u(2, 1, 0) == 0.5);
    CHECK(fluid.v(0, 1, 0) == 1.0);
    CHECK(fluid.v(0, 2, 0) == 1.0);
    CHECK(fluid.v(1, 2, 0) == 0.0);
    CHECK(fluid.w(0, 1, 0) == 0.0);
    CHECK(fluid.w(0, 1, 1) == 1.5);
    add_velocity(fluid, -1, 1, 0, {1.0, 1.0, 1.0});
    add_velocity(fluid, 1, 2, 0, {1.0, 1.0, 1.0});
    add_density(fluid, 4, 1, 0, 1.0);
    add_density(fluid, 1, 2, 0, 1.0);
    CHECK(sum_of(fluid.density) == 0.0);
    add_density(fluid, 3, 1, 0, 1.0);
    CHECK(sum_of(fluid.density) == 1.0);
    const Field before = fluid.density;
    step(fluid, 0.1);
    INFO("and a step takes the dye along");
    CHECK(distance(fluid.density, before) > 1e-3);
}
