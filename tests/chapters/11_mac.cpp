#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "bumpy.hpp"
#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "larger.hpp"
#include "reference.hpp"
#include "solver.hpp"

namespace {

double sum_of(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

/// The divergence of cell (i, j, k), written down once more, and not as the solver does it.
double outflow(const Fluid& fluid, int i, int j, int k) {
    const double x = fluid.u(i + 1, j, k) - fluid.u(i, j, k);
    const double y = fluid.v(i, j + 1, k) - fluid.v(i, j, k);
    const double z = fluid.w(i, j, k + 1) - fluid.w(i, j, k);
    return (x + y + z) / fluid.h;
}

double largest_outflow(const Fluid& fluid) {
    double found = 0.0;
    for_each_point(fluid.density, [&](int i, int j, int k) {
        found = larger(found, std::abs(outflow(fluid, i, j, k)));
    });
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

/// The tutorial's box with its one pushed face.
Fluid pinwheel() {
    Fluid fluid(2, 2, 1);
    fluid.v(0, 1, 0) = 1.0;
    return fluid;
}

void check_near(const Field& field, const std::vector<double>& expected, const char* name) {
    REQUIRE(field.values.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        INFO(name << "[" << k << "]");
        CHECK_THAT(field.values[k], WithinAbs(expected[k], 1e-10));
    }
}

/// Later chapters have other solvers as well: this one then chooses the sweeps.
template <class Fluid>
void choose_sweeps(Fluid& fluid) {
    if constexpr (requires { fluid.solver; }) {
        fluid.solver = decltype(fluid.solver)::GAUSS_SEIDEL;
    }
}

/// The residual of the equations of the pressure in this box, in whatever way they are written.
template <class Fluid, class Field>
double residual_in(Fluid fluid, const Field& p, const Field& rhs) {
    write_equations_down(fluid);
    if constexpr (requires { fluid.matrix; }) {
        return residual(fluid.matrix, p, rhs);
    } else {
        return residual(p, rhs);
    }
}

/// One sweep over them.
template <class Fluid, class Field>
void sweep_in(Fluid fluid, Field& p, const Field& rhs) {
    write_equations_down(fluid);
    if constexpr (requires { fluid.matrix; }) {
        gauss_seidel(fluid.matrix, p, rhs);
    } else {
        gauss_seidel(p, rhs);
    }
}

/// Whatever the chapter's solver is, it shall come as close as doubles allow.
Fluid exactly(Fluid fluid) {
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    return fluid;
}

Fluid projected(const Fluid& before, double dt) {
    Fluid fluid = exactly(before);
    project(fluid, dt);
    return fluid;
}

/// The equations of the pressure as a full matrix: a row for every cell, a -1 for each neighbour
/// inside the box, and their number on the diagonal.
Eigen::MatrixXd equations(const Field& cells) {
    const auto n = static_cast<Eigen::Index>(cells.values.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    const auto join = [&](int one, int other) {
        A(one, one) += 1.0;
        A(other, other) += 1.0;
        A(one, other) = A(other, one) = -1.0;
    };
    for_each_point(cells, [&](int i, int j, int k) {
        if (i + 1 < cells.nx) {
            join(cells.IX(i, j, k), cells.IX(i + 1, j, k));
        }
        if (j + 1 < cells.ny) {
            join(cells.IX(i, j, k), cells.IX(i, j + 1, k));
        }
        if (k + 1 < cells.nz) {
            join(cells.IX(i, j, k), cells.IX(i, j, k + 1));
        }
    });
    return A;
}

/// The pressure whose mean is 0, from Eigen and not from sweeps.
Eigen::VectorXd direct_solution(const Field& rhs) {
    const Eigen::VectorXd b = as_vector(rhs);
    const auto n = b.size();
    const Eigen::MatrixXd mean = Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
    return algebra::solve(equations(rhs) + mean, b - mean * b);
}

/// Boxes of three different sizes, and some that are only one cell deep, high or wide.
std::vector<Fluid> boxes() {
    return {bumpy_fluid(6, 4, 3, 21), bumpy_fluid(3, 7, 5, 22), bumpy_fluid(8, 5, 1, 23),
            bumpy_fluid(4, 1, 6, 24), bumpy_fluid(1, 5, 2, 25), bumpy_fluid(1, 1, 7, 26)};
}

}  // namespace

// ---- Between the points ------------------------------------------------------------------------

TEST_CASE("a field is read exactly at its own points and straight in between", "[11_mac]") {
    Fluid fluid(4, 3, 2);
    fluid.h = 0.5;
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w, &fluid.density}) {
        for_each_point(*field, [&](int i, int j, int k) {  // 2 + 3 x + 5 y + 7 z, at its place
            (*field)(i, j, k) =
                2.0 + 0.5 * (3.0 * (i + field->origin.x) + 5.0 * (j + field->origin.y) +
                             7.0 * (k + field->origin.z));
        });
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

TEST_CASE("each of the eight points counts by its own weight", "[11_mac]") {
    Field field(5, 4, 3, {0.5, 0.0, 0.5});
    const Vector place = {0.5 * 2.3, 0.5 * 1.4, 0.5 * 1.8};  // between points 1 and 2 in x, ...
    for (int corner = 0; corner < 8; ++corner) {
        const int right = corner & 1, down = corner >> 1 & 1, away = corner >> 2;
        Field one = field;
        one(1 + right, 1 + down, 1 + away) = 1.0;
        const double weight = (right ? 0.8 : 0.2) * (down ? 0.4 : 0.6) * (away ? 0.3 : 0.7);
        INFO("only point " << words_of(1 + right, 1 + down, 1 + away) << " is 1");
        CHECK_THAT(interpolate(one, 0.5, place), WithinAbs(weight, 1e-12));
    }
}

TEST_CASE("the parts of the velocity are means of their own faces", "[11_mac]") {
    Fluid fluid = pinwheel();
    INFO("the face u(1, 0, 0) lies at (1, 0.5, 0.5); four Y faces are around it");
    CHECK_THAT(velocity_at(fluid, {1.0, 0.5, 0.5}).y, WithinAbs(0.25, 1e-15));
    CHECK_THAT(velocity_at(fluid, {0.5, 1.0, 0.5}).y, WithinAbs(1.0, 1e-15));
    CHECK_THAT(velocity_at(fluid, {0.5, 0.9, 0.5}).y, WithinAbs(0.9, 1e-15));
    CHECK(velocity_at(fluid, {0.5, 0.9, 0.5}).x == 0.0);
}

TEST_CASE("beyond the outermost points their value goes on", "[11_mac]") {
    Fluid fluid(3, 2, 4);
    make_bumpy(fluid.density, 5);
    const Field& d = fluid.density;
    INFO("left of the box, above it, before it; right of it, below it, behind it");
    CHECK_THAT(interpolate(d, 1.0, {-4.0, 0.5, 0.5}), WithinAbs(d(0, 0, 0), 1e-15));
    CHECK_THAT(interpolate(d, 1.0, {1.5, -0.1, 0.5}), WithinAbs(d(1, 0, 0), 1e-15));
    CHECK_THAT(interpolate(d, 1.0, {1.5, 1.5, -2.0}), WithinAbs(d(1, 1, 0), 1e-15));
    CHECK_THAT(interpolate(d, 1.0, {9.0, 0.5, 2.5}), WithinAbs(d(2, 0, 2), 1e-15));
    CHECK_THAT(interpolate(d, 1.0, {0.5, 1.9, 2.5}), WithinAbs(d(0, 1, 2), 1e-15));
    CHECK_THAT(interpolate(d, 1.0, {0.5, 0.5, 7.0}), WithinAbs(d(0, 0, 3), 1e-15));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    INFO("even a place that is no number is somewhere inside");
    CHECK(std::abs(interpolate(d, 1.0, {nan, nan, nan})) <= 1.0);
    CHECK(std::abs(interpolate(d, 1.0, {1e300, -1e300, 0.5})) <= 1.0);
}

TEST_CASE("a velocity added to a cell is the one that is read at its centre", "[11_mac]") {
    Fluid fluid(5, 4, 3);
    fluid.h = 0.5;
    add_velocity(fluid, 2, 1, 1, {2.0, 3.0, 5.0});
    const Vector inside = velocity_at(fluid, {1.25, 0.75, 0.75});
    INFO("half of it on each of the six faces, whose mean is half");
    CHECK_THAT(inside.x, WithinAbs(1.0, 1e-15));
    CHECK_THAT(inside.y, WithinAbs(1.5, 1e-15));
    CHECK_THAT(inside.z, WithinAbs(2.5, 1e-15));
    CHECK(fluid.u(3, 1, 1) == fluid.u(2, 1, 1));
    CHECK(fluid.v(2, 2, 1) == fluid.v(2, 1, 1));
    CHECK(fluid.w(2, 1, 2) == fluid.w(2, 1, 1));
    const Fluid before = fluid;
    for (const auto& [i, j, k] :
         {std::array{-1, 1, 1}, {5, 1, 1}, {2, -1, 1}, {2, 4, 1}, {2, 1, -1}, {2, 1, 3}}) {
        add_velocity(fluid, i, j, k, {1.0, 1.0, 1.0});
        add_density(fluid, i, j, k, 1.0);
    }
    add_density(fluid, 4, 3, 2, 0.5);
    INFO("a cell outside the box is left alone");
    CHECK(distance(fluid.u, before.u) + distance(fluid.v, before.v) + distance(fluid.w, before.w) ==
          0.0);
    CHECK(fluid.density(4, 3, 2) == 0.5);
    CHECK(sum_of(fluid.density) == 0.5);
    Fluid corner(5, 4, 3);
    add_velocity(corner, 4, 3, 2, {2.0, 3.0, 5.0});
    INFO("no velocity crosses a wall");
    CHECK(corner.u(4, 3, 2) == 1.0);
    CHECK(corner.v(4, 3, 2) == 1.5);
    CHECK(corner.w(4, 3, 2) == 2.5);
    CHECK(corner.u(5, 3, 2) + corner.v(4, 4, 2) + corner.w(4, 3, 3) == 0.0);
}

// ---- Moving ------------------------------------------------------------------------------------

TEST_CASE("the departure point is one straight step upstream", "[11_mac]") {
    const Fluid fluid = pinwheel();
    const Vector straight = trace_back(fluid, {0.5, 1.0, 0.5}, 0.1);
    INFO("v is 1 at y = 1: what arrives there after 0.1 seconds comes from upstream, y = 0.9");
    CHECK_THAT(straight.x, WithinAbs(0.5, 1e-15));
    CHECK_THAT(straight.y, WithinAbs(0.9, 1e-15));
    const Fluid bumpy = bumpy_fluid(5, 4, 3, 51);
    const Vector place = {2.2, 1.7, 1.1};
    const Vector velocity = velocity_at(bumpy, place);
    const Vector found = trace_back(bumpy, place, 0.3);
    INFO("x goes with u, y with v and z with w");
    CHECK_THAT(found.x, WithinAbs(2.2 - 0.3 * velocity.x, 1e-14));
    CHECK_THAT(found.y, WithinAbs(1.7 - 0.3 * velocity.y, 1e-14));
    CHECK_THAT(found.z, WithinAbs(1.1 - 0.3 * velocity.z, 1e-14));
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
        w = 1.0;
    }
    Field blob(12, 9, 5, {0.5, 0.5, 0.5});
    blob(3, 6, 1) = 2.0;
    Field carried = blob;
    advect(fluid, carried, blob, 0.5);  // 3 cells right, 1 up, 2 away
    INFO("has it moved " << fluid.h << " times as far, or in one direction only?");
    CHECK_THAT(carried(6, 5, 3), WithinAbs(2.0, 1e-12));
    CHECK_THAT(sum_of(carried), WithinAbs(2.0, 1e-12));
    advect(fluid, carried, blob, 0.25);  // half as far: 1.5 cells right, 0.5 up, 1 away
    CHECK_THAT(carried(4, 6, 2), WithinAbs(2.0 * 0.5 * 0.5, 1e-12));
    CHECK_THAT(carried(5, 5, 2), WithinAbs(2.0 * 0.5 * 0.5, 1e-12));
}

TEST_CASE("each part of the velocity is carried from its own faces", "[11_mac]") {
    const Fluid before = bumpy_fluid(7, 6, 5, 31);
    Fluid fluid = before;
    advect_velocity(fluid, 0.3);
    REQUIRE(distance(fluid.u, before.u) > 0.1);
    const auto check_inside = [&](const Field& found, const Field& read, double Vector::*part) {
        for_each_point(found, [&](int i, int j, int k) {
            const Vector place = {i + read.origin.x, j + read.origin.y, k + read.origin.z};
            const double expected = velocity_at(before, trace_back(before, place, 0.3)).*part;
            const bool is_wall = (read.origin.x == 0.0 && (i == 0 || i == before.nx)) ||
                                 (read.origin.y == 0.0 && (j == 0 || j == before.ny)) ||
                                 (read.origin.z == 0.0 && (k == 0 || k == before.nz));
            INFO("at " << words_of(i, j, k)
                       << (is_wall ? ", a wall: does it end with set_bnd?"
                                   : ": is each traced from its own face, by "
                                     "the velocity before any moved?"));
            CHECK_THAT(found(i, j, k), WithinAbs(is_wall ? 0.0 : expected, 1e-14));
        });
    };
    check_inside(fluid.u, before.u, &Vector::x);
    check_inside(fluid.v, before.v, &Vector::y);
    check_inside(fluid.w, before.w, &Vector::z);
}

TEST_CASE("advect leaves faces alone whose velocity is given", "[11_mac]") {
    const Fluid fluid = bumpy_fluid(6, 5, 4, 33);
    for (const Field* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        Field d0 = *faces;
        Field d = *faces;
        make_bumpy(d0, 34);
        make_bumpy(d, 35);
        const Field before = d;
        advect(fluid, d, d0, 0.3);
        for_each_point(d, [&](int i, int j, int k) {
            const bool is_wall = (d.origin.x == 0.0 && (i == 0 || i == fluid.nx)) ||
                                 (d.origin.y == 0.0 && (j == 0 || j == fluid.ny)) ||
                                 (d.origin.z == 0.0 && (k == 0 || k == fluid.nz));
            INFO("at " << words_of(i, j, k)
                       << (is_wall ? ", a wall: is a face left alone whose velocity is given?"
                                   : ": is every other face carried?"));
            CHECK((d(i, j, k) == before(i, j, k)) == is_wall);
        });
    }
}

TEST_CASE("carried dye stays between the least and the most there was", "[11_mac]") {
    Fluid fluid = bumpy_fluid(11, 6, 3, 71);
    const Field before = fluid.density;
    advect_density(fluid, 2.7);
    INFO("is the dye carried at all, and never beyond what was there?");
    CHECK(distance(fluid.density, before) > 0.1);
    CHECK(largest(fluid.density) <= largest(before));
    Field even = before;
    for (double& value : even.values) {
        value = 0.75;
    }
    advect(fluid, fluid.density, even, 0.8);
    INFO("dye that is the same everywhere stays so");
    CHECK(distance(fluid.density, even) < 1e-14);
}

// ---- The right-hand side -----------------------------------------------------------------------

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
    for (const Fluid& bumpy : boxes()) {
        double sum = 0.0;
        for_each_point(bumpy.density, [&](int i, int j, int k) {
            sum += divergence_at(bumpy, i, j, k);
            INFO("cell " << words_of(i, j, k));
            CHECK_THAT(divergence_at(bumpy, i, j, k), WithinAbs(outflow(bumpy, i, j, k), 1e-13));
        });
        INFO("what leaves one cell enters another: in a closed box all adds up to 0");
        CHECK_THAT(sum, WithinAbs(0.0, 1e-12));
    }
}

TEST_CASE("the right-hand side is -rho h^2 / dt times the divergence", "[11_mac]") {
    for (Fluid fluid : boxes()) {
        fluid.h = 0.5;
        fluid.rho = 3.0;
        write_equations_down(fluid);
        right_hand_side(fluid, 0.1);
        for_each_point(fluid.rhs, [&](int i, int j, int k) {
            INFO("h = 0.5, rho = 3, dt = 0.1: the factor is -7.5. Cell " << words_of(i, j, k));
            CHECK_THAT(fluid.rhs(i, j, k), WithinAbs(-7.5 * outflow(fluid, i, j, k), 1e-12));
        });
    }
}

// ---- The sweeps --------------------------------------------------------------------------------

TEST_CASE("the residual is what p leaves of the right-hand side, over all of it", "[11_mac]") {
    for (const Fluid& fluid : boxes()) {
        Field p = fluid.density;
        Field rhs = p;
        make_bumpy(rhs, 91);
        const Eigen::VectorXd b = as_vector(rhs);
        const double expected = (b - equations(p) * as_vector(p)).norm() / b.norm();
        INFO("box of " << words_of(p.nx, p.ny, p.nz)
                       << ": the length of rhs - (count p - sum), over the length of rhs");
        CHECK_THAT(residual_in(fluid, p, rhs), WithinAbs(expected, 1e-12));
        std::fill(rhs.values.begin(), rhs.values.end(), 0.0);
        INFO("with nothing asked for there is nothing to divide by");
        CHECK(residual_in(fluid, p, rhs) == 0.0);
    }
}

TEST_CASE("a sweep solves each cell's equation in turn, with its neighbours as they are now",
          "[11_mac]") {
    for (const Fluid& fluid : boxes()) {
        Field p = fluid.density;
        Field rhs = p;
        make_bumpy(rhs, 92);
        const Eigen::MatrixXd A = equations(p);
        const Eigen::VectorXd above = A.triangularView<Eigen::StrictlyUpper>() * as_vector(p);
        const Eigen::VectorXd expected =
            A.triangularView<Eigen::Lower>().solve(as_vector(rhs) - above);
        sweep_in(fluid, p, rhs);
        INFO("box of " << words_of(p.nx, p.ny, p.nz)
                       << ": is each cell divided by the number of its neighbours, "
                          "and are the cells taken in the order of memory?");
        CHECK((as_vector(p) - expected).cwiseAbs().maxCoeff() < 1e-13);
    }
    Field lonely(1, 1, 1, {0.5, 0.5, 0.5});
    Field rhs = lonely;
    lonely(0, 0, 0) = 3.0;
    sweep_in(Fluid(1, 1, 1), lonely, rhs);
    INFO("the only cell of a box has no neighbour: there is nothing to divide by");
    CHECK(lonely(0, 0, 0) == 3.0);
}

TEST_CASE("the sweeps end at the tolerance, or after so many", "[11_mac]") {
    Fluid fluid = bumpy_fluid(6, 5, 4, 16);
    choose_sweeps(fluid);
    write_equations_down(fluid);
    right_hand_side(fluid, 0.1);
    Field p = fluid.pressure;
    std::vector<double> expected = {1.0};
    for (int sweep = 0; sweep < 7; ++sweep) {
        sweep_in(fluid, p, fluid.rhs);
        expected.push_back(residual_in(fluid, p, fluid.rhs));
    }
    fluid.iterations = 7;
    fluid.tolerance = 0.0;
    fluid.residuals = {1.0};
    lin_solve(fluid);
    INFO("7 sweeps, and the residual after each: 8 numbers with the first");
    REQUIRE(fluid.residuals.size() == 8);
    REQUIRE(expected.back() > 0.0);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK_THAT(fluid.residuals[k], WithinAbs(expected[k], 1e-14));
    }
    CHECK(distance(fluid.pressure, p) == 0.0);
    std::fill(fluid.pressure.values.begin(), fluid.pressure.values.end(), 0.0);
    fluid.tolerance = expected[4];
    fluid.residuals = {1.0};
    lin_solve(fluid);
    INFO("the tolerance is what four sweeps leave");
    CHECK(fluid.residuals.size() == 5);
    lin_solve(fluid);
    INFO("what is good enough already is left alone");
    CHECK(fluid.residuals.size() == 5);
}

TEST_CASE("the sweeps arrive at the direct solution, whose mean is 0", "[11_mac]") {
    for (const Fluid& before : boxes()) {
        Fluid fluid = exactly(before);
        choose_sweeps(fluid);
        fluid.h = 0.5;
        fluid.rho = 3.0;
        write_equations_down(fluid);
        right_hand_side(fluid, 0.1);
        const Field rhs = fluid.rhs;
        solve_pressure(fluid);
        INFO("box of " << words_of(fluid.nx, fluid.ny, fluid.nz) << ", "
                       << fluid.residuals.size() - 1 << " sweeps");
        REQUIRE(largest(rhs) > 0.1);
        CHECK((as_vector(fluid.pressure) - direct_solution(rhs)).cwiseAbs().maxCoeff() < 1e-10);
        CHECK_THAT(sum_of(fluid.pressure), WithinAbs(0.0, 1e-10));
        CHECK(fluid.residuals.front() == 1.0);
        CHECK(fluid.residuals.back() <= 1e-13);
    }
}

TEST_CASE("Gauss-Seidel converges at the predicted rate", "[11_mac]") {
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] != "neumann") {
            continue;
        }
        const int N = std::stoi(words[0]);
        const double predicted = std::stod(words[3]);  // rho_gs_elim: walls on the diagonal
        Fluid fluid = exactly(bumpy_fluid(N, N, 1, 15));
        choose_sweeps(fluid);
        fluid.tolerance = 0.0;
        fluid.iterations = 2 * N * N;
        write_equations_down(fluid);
        right_hand_side(fluid, 1.0);
        solve_pressure(fluid);
        const std::vector<double>& residuals = fluid.residuals;
        INFO("N = " << N << ": so many sweeps were asked for");
        REQUIRE(static_cast<int>(residuals.size()) == 2 * N * N + 1);
        if (residuals.back() < 1e-13) {
            continue;  // nothing left to measure
        }
        const double measured = std::pow(residuals[static_cast<std::size_t>(N * N + N * N / 2)] /
                                             residuals[static_cast<std::size_t>(N * N)],
                                         2.0 / (N * N));
        INFO("each sweep leaves " << measured << " of the residual, predicted " << predicted);
        CHECK_THAT(1.0 - measured, WithinAbs(1.0 - predicted, 0.02 * (1.0 - predicted)));
        ++rows;
    }
    CHECK(rows >= 2);
}

// ---- Projecting --------------------------------------------------------------------------------

TEST_CASE("every inner face loses dt / (rho h) times the difference of the pressure", "[11_mac]") {
    for (Fluid fluid : boxes()) {
        make_bumpy(fluid.pressure, 61);
        fluid.h = 0.5;
        fluid.rho = 4.0;
        const Fluid before = fluid;
        const Field& p = before.pressure;
        write_equations_down(fluid);
        subtract_gradient(fluid, 0.2);  // 0.2 / (4 * 0.5) = 0.1
        const auto check = [&](const Field& found, const Field& had, int di, int dj, int dk) {
            for_each_point(found, [&](int i, int j, int k) {
                const bool is_wall = i < di || j < dj || k < dk ||  // the first or the last face
                                     i == p.nx || j == p.ny || k == p.nz;
                const double change = is_wall ? 0.0 : p(i, j, k) - p(i - di, j - dj, k - dk);
                INFO("face " << words_of(i, j, k) << " along (" << di << ", " << dj << ", " << dk
                             << "), dt = 0.2, rho = 4, h = 0.5");
                CHECK_THAT(found(i, j, k), WithinAbs(had(i, j, k) - 0.1 * change, 1e-13));
            });
        };
        check(fluid.u, before.u, 1, 0, 0);
        check(fluid.v, before.v, 0, 1, 0);
        check(fluid.w, before.w, 0, 0, 1);
    }
}

TEST_CASE("after a projection nothing piles up, and nothing crosses a wall", "[11_mac]") {
    for (Fluid fluid : boxes()) {
        fluid.h = 0.5;
        fluid.rho = 3.0;
        const double before = largest_outflow(fluid);
        REQUIRE(before > 0.1);
        make_bumpy(fluid.u, 81);  // walls, too
        make_bumpy(fluid.v, 82);
        make_bumpy(fluid.w, 83);
        fluid = projected(fluid, 0.3);
        INFO("box of " << words_of(fluid.nx, fluid.ny, fluid.nz)
                       << ", whose walls had a velocity: does project close them first (set_bnd)?");
        CHECK(largest_outflow(fluid) < 1e-9);
        Fluid closed = fluid;
        set_bnd(closed);
        INFO("did the flow, or the pressure, cross a wall?");
        CHECK(distance(fluid.u, closed.u) == 0.0);
        CHECK(distance(fluid.v, closed.v) == 0.0);
        CHECK(distance(fluid.w, closed.w) == 0.0);
        INFO("the pressure is kept, and so are the residuals of its solution");
        REQUIRE(fluid.residuals.size() >= 2);
        CHECK(fluid.residuals.back() <= 1e-12);
    }
}

TEST_CASE("with rho = 2 the velocity is the same and the pressure twice as large", "[11_mac]") {
    Fluid light = pinwheel();
    advect_velocity(light, 0.1);
    Fluid heavy = light;
    heavy.rho = 2.0;
    light = projected(light, 0.1);
    heavy = projected(heavy, 0.1);
    INFO("v(0, 1, 0) is " << heavy.v(0, 1, 0)
                          << "; with the factor as the tutorial prints it, 0.73125");
    CHECK_THAT(heavy.v(0, 1, 0), WithinAbs(0.225, 1e-12));
    CHECK(largest_outflow(heavy) < 1e-12);
    CHECK_THAT(heavy.pressure(0, 1, 0), WithinAbs(2.0 * light.pressure(0, 1, 0), 1e-11));
    CHECK_THAT(heavy.pressure(0, 1, 0), WithinAbs(6.75, 1e-11));
}

TEST_CASE("each velocity is a turning part and a gradient, at right angles", "[11_mac]") {
    for (const Fluid& before : {bumpy_fluid(7, 5, 3, 27), bumpy_fluid(3, 4, 6, 28)}) {
        const Fluid after = projected(before, 0.1);
        Fluid taken = before;
        for (const auto& part : {&Fluid::u, &Fluid::v, &Fluid::w}) {
            for (std::size_t k = 0; k < (taken.*part).values.size(); ++k) {
                (taken.*part).values[k] -= (after.*part).values[k];
            }
        }
        INFO("the energy of what was subtracted and of what is left add up to what there was");
        REQUIRE(kinetic_energy(taken) > 0.1);
        CHECK_THAT(kinetic_energy(after) + kinetic_energy(taken),
                   WithinAbs(kinetic_energy(before), 1e-9));
        const Fluid twice = projected(after, 0.1);
        INFO("what was projected once is left as it is");
        CHECK(distance(twice.u, after.u) < 1e-10);
        CHECK(distance(twice.v, after.v) < 1e-10);
        CHECK(distance(twice.w, after.w) < 1e-10);
    }
}

TEST_CASE("a checkerboard does not pass", "[11_mac]") {
    Fluid fluid(8, 6, 1);
    for (Field* field : {&fluid.u, &fluid.v}) {
        for_each_point(*field, [&](int i, int j, int k) {
            (*field)(i, j, k) = (i + j) % 2 == 0 ? 1.0 : -1.0;
        });
    }
    set_bnd(fluid);
    const double before = kinetic_energy(fluid);
    INFO(
        "every cell drains its four neighbours, or fills them: this is a gradient, and nothing of "
        "it is left");
    REQUIRE_THAT(largest_outflow(fluid), WithinAbs(4.0, 1e-12));
    CHECK(kinetic_energy(projected(fluid, 0.1)) < 1e-20 * before);
}

// ---- The whole step ----------------------------------------------------------------------------

TEST_CASE("the pinwheel is the tutorial's, moment by moment", "[11_mac]") {
    Fluid fluid = exactly(pinwheel());
    CHECK(fluid.u.values.size() == 6);
    CHECK(fluid.v.values.size() == 6);
    CHECK(fluid.w.values.size() == 8);
    advect_velocity(fluid, 0.1);
    check_near(fluid.v, {0, 0, 0.9, 0, 0, 0}, "carried: mV");
    CHECK(largest(fluid.u) == 0.0);
    write_equations_down(fluid);
    right_hand_side(fluid, 0.1);
    check_near(fluid.rhs, {-9, 0, 9, 0}, "b");
    solve_pressure(fluid);
    check_near(fluid.pressure, {-3.375, -1.125, 3.375, 1.125}, "p");
    CHECK_THAT(kinetic_energy(fluid), WithinAbs(0.405, 1e-12));
    subtract_gradient(fluid, 0.1);
    check_near(fluid.u, {0, -0.225, 0, 0, 0.225, 0}, "mU");
    check_near(fluid.v, {0, 0, 0.225, -0.225, 0, 0}, "mV");
    CHECK_THAT(kinetic_energy(fluid), WithinAbs(0.10125, 1e-10));
    Fluid whole = exactly(pinwheel());
    step(whole, 0.1);
    check_near(whole.u, fluid.u.values, "after a whole step: mU");
    check_near(whole.v, fluid.v.values, "after a whole step: mV");
    check_near(whole.w, std::vector<double>(8, 0.0), "mW");
}

TEST_CASE("a step carries the velocity, adds the force, projects, and then carries the dye",
          "[11_mac]") {
    const Fluid before = exactly(bumpy_fluid(5, 4, 3, 37));
    Fluid fluid = before;
    fluid.force_x = 1.0;
    fluid.force_y = 2.0;
    fluid.force_z = 3.0;
    Fluid whole = fluid;
    step(whole, 0.2);
    REQUIRE(distance(whole.density, before.density) > 0.1);
    advect_velocity(fluid, 0.2);
    add_force(fluid, 0.2);
    project(fluid, 0.2);
    const Field carried_by = fluid.u;
    advect_density(fluid, 0.2);
    INFO("in another order the numbers differ; the dye moves by the projected velocity");
    CHECK(distance(whole.density, fluid.density) < 1e-12);
    CHECK(distance(whole.u, carried_by) < 1e-12);
    CHECK(distance(whole.pressure, fluid.pressure) < 1e-12);
}

TEST_CASE("a weight on a fluid at rest makes pressure and no flow", "[11_mac]") {
    Fluid fluid = exactly(Fluid(4, 6, 3));
    fluid.h = 0.5;
    fluid.rho = 3.0;
    fluid.force_x = -2.0;
    fluid.force_y = 9.81;
    fluid.force_z = 4.0;
    step(fluid, 0.1);
    const Field& p = fluid.pressure;
    INFO("it grows by rho g h from cell to cell along the force, as in a bottle of water");
    CHECK_THAT(p(3, 4, 1) - p(2, 4, 1), WithinAbs(3.0 * -2.0 * 0.5, 1e-9));
    CHECK_THAT(p(2, 4, 1) - p(2, 3, 1), WithinAbs(3.0 * 9.81 * 0.5, 1e-9));
    CHECK_THAT(p(2, 4, 2) - p(2, 4, 1), WithinAbs(3.0 * 4.0 * 0.5, 1e-9));
    CHECK(largest(fluid.u) + largest(fluid.v) + largest(fluid.w) < 1e-9);
}

TEST_CASE("with the axes exchanged the result is exchanged", "[11_mac]") {
    const Fluid before = exactly(bumpy_fluid(6, 4, 3, 41));
    Fluid turned = exactly(Fluid(3, 6, 4));  // x -> y -> z -> x
    for_each_point(before.u, [&](int i, int j, int k) { turned.v(k, i, j) = before.u(i, j, k); });
    for_each_point(before.v, [&](int i, int j, int k) { turned.w(k, i, j) = before.v(i, j, k); });
    for_each_point(before.w, [&](int i, int j, int k) { turned.u(k, i, j) = before.w(i, j, k); });
    for_each_point(before.density,
                   [&](int i, int j, int k) { turned.density(k, i, j) = before.density(i, j, k); });
    Fluid straight = before;
    straight.force_x = turned.force_y = 3.0;
    step(straight, 0.2);
    step(turned, 0.2);
    REQUIRE(distance(straight.density, before.density) > 0.1);
    for_each_point(before.density, [&](int i, int j, int k) {
        INFO("cell " << words_of(i, j, k));
        CHECK_THAT(turned.density(k, i, j), WithinAbs(straight.density(i, j, k), 1e-10));
        CHECK_THAT(turned.v(k, i, j), WithinAbs(straight.u(i, j, k), 1e-10));
        CHECK_THAT(turned.w(k, i, j), WithinAbs(straight.v(i, j, k), 1e-10));
        CHECK_THAT(turned.u(k, i, j), WithinAbs(straight.w(i, j, k), 1e-10));
    });
}

TEST_CASE("mirrored, the result is mirrored", "[11_mac]") {
    const Fluid before = exactly(bumpy_fluid(5, 4, 3, 43));
    Fluid mirrored = before;  // left and right, up and down, front and back exchanged
    for_each_point(before.u, [&](int i, int j, int k) {
        mirrored.u(i, j, k) = -before.u(5 - i, 3 - j, 2 - k);
    });
    for_each_point(before.v, [&](int i, int j, int k) {
        mirrored.v(i, j, k) = -before.v(4 - i, 4 - j, 2 - k);
    });
    for_each_point(before.w, [&](int i, int j, int k) {
        mirrored.w(i, j, k) = -before.w(4 - i, 3 - j, 3 - k);
    });
    for_each_point(before.density, [&](int i, int j, int k) {
        mirrored.density(i, j, k) = before.density(4 - i, 3 - j, 2 - k);
    });
    Fluid straight = before;
    step(straight, 0.3);
    step(mirrored, 0.3);
    REQUIRE(distance(straight.v, before.v) > 0.1);
    for_each_point(before.density, [&](int i, int j, int k) {
        INFO("cell " << words_of(i, j, k));
        CHECK_THAT(mirrored.density(i, j, k),
                   WithinAbs(straight.density(4 - i, 3 - j, 2 - k), 1e-10));
        CHECK_THAT(mirrored.v(i, j, k), WithinAbs(-straight.v(4 - i, 4 - j, 2 - k), 1e-10));
    });
}

TEST_CASE("the width of a cell is a unit and nothing else", "[11_mac]") {
    const Fluid before = exactly(bumpy_fluid(5, 4, 3, 47));
    Fluid small = before;
    small.h = 0.25;
    for (Field* field : {&small.u, &small.v, &small.w}) {
        for (double& value : field->values) {
            value *= 0.25;
        }
    }
    Fluid large = before;
    step(large, 0.3);
    step(small, 0.3);
    REQUIRE(distance(large.density, before.density) > 0.1);
    INFO("a quarter of the width, a quarter of the velocity: the same cells, the same dye");
    CHECK(distance(large.density, small.density) < 1e-10);
    CHECK_THAT(small.pressure(2, 1, 1), WithinAbs(large.pressure(2, 1, 1) / 16.0, 1e-10));
}
