#include <algorithm>
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
#include "window/inflow.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 7> boxes = {
    {{5, 3, 2}, {2, 4, 3}, {3, 2, 5}, {7, 4, 1}, {1, 6, 1}, {1, 1, 4}, {1, 1, 1}}};

constexpr std::array<const char*, 6> names = {"left",  "right",  "above",
                                              "below", "before", "behind"};

constexpr std::array<Advection, 3> advections = {Advection::LINEAR, Advection::SHARP,
                                                 Advection::REFLECTED};

constexpr std::array<Solver, 5> solvers = {Solver::GAUSS_SEIDEL, Solver::DIRECT,
                                           Solver::CONJUGATE_GRADIENTS, Solver::PRECONDITIONED,
                                           Solver::MULTIGRID};

Field& part_of(Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
}
const Field& part_of(const Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
}
Field& given_of(Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u_given : axis == 1 ? fluid.v_given : fluid.w_given;
}

double along(Vector vector, int axis) {
    return axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z;
}

std::array<int, 3> size_of(const Field& field) {
    return {field.nx, field.ny, field.nz};
}

/// A box full of numbers, in which each face that touches a solid is given a number as well: on
/// walls, too, until stop_walls.
Fluid box_to_open(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.4;
    fluid.rho = 1.5;
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    for (int axis = 0; axis < 3; ++axis) {
        make_bumpy(given_of(fluid, axis), seed + 10 + axis);
        make_bumpy(part_of(fluid, axis), seed + 20 + axis);
    }
    for (int side = 0; side < 6; ++side) {
        fluid.sides[side].velocity = {0.3 + side, 1.7 - 0.4 * side, -2.0 + 0.9 * side};
    }
    return fluid;
}

/// Opens the sides whose bits are set.
void open_sides(Fluid& fluid, unsigned sides, Opening opening) {
    for (int side = 0; side < 6; ++side) {
        if ((sides >> side & 1u) != 0) {
            fluid.sides[side].opening = opening;
        }
    }
}

/// Lets nothing through the walls.
void stop_walls(Fluid& fluid) {
    for (int side = 0; side < 6; ++side) {
        if (fluid.sides[side].opening == Opening::CLOSED) {
            close_side(fluid, side, Opening::CLOSED);
        }
    }
}

/// Sets of outflows: each side alone, and some together.
constexpr std::array<unsigned, 10> outflows = {1u,  2u,        4u,        8u,        16u,
                                               32u, 0b000011u, 0b101010u, 0b011100u, 0b111111u};

std::string words_of_sides(unsigned sides) {
    std::string words;
    for (int side = 0; side < 6; ++side) {
        if ((sides >> side & 1u) != 0) {
            words += std::string(words.empty() ? "" : ", ") + names[side];
        }
    }
    return words.empty() ? "none" : words;
}

/// Whether the cell lies at that side.
bool is_at(const Field& cells, int side, int i, int j, int k) {
    const std::array<int, 3> at = {i, j, k};
    return at[side / 2] == (side % 2 == 0 ? 0 : size_of(cells)[side / 2] - 1);
}

/// A of a box with outflows, told cell by cell: the pressure beyond counts, and is 0.
Eigen::MatrixXd expected_open_matrix(const Field& p, unsigned sides) {
    Eigen::MatrixXd matrix = expected_matrix(p);
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                for (int side = 0; side < 6; ++side) {
                    if ((sides >> side & 1u) != 0 && is_at(p, side, i, j, k)) {
                        matrix(p.IX(i, j, k), p.IX(i, j, k)) += 1.0;
                    }
                }
            }
        }
    }
    return matrix;
}

/// The value of a field at any place, with what outside adds to it.
double value_at(const Fluid& fluid, const Field& field, Vector place) {
    const double inside = interpolate(field, fluid.h, place);
    return inside + from_outside(fluid, field, place, inside);
}

/// What enters less what leaves through all sides, per second, told from the velocities alone.
double net_inflow(const Fluid& fluid) {
    double net = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const Field& faces = part_of(fluid, axis);
        for (int k = 0; k < faces.nz; ++k) {
            for (int j = 0; j < faces.ny; ++j) {
                for (int i = 0; i < faces.nx; ++i) {
                    const int at = axis == 0 ? i : axis == 1 ? j : k;
                    const int last = size_of(faces)[axis] - 1;
                    net += (at == 0 ? 1.0 : at == last ? -1.0 : 0.0) * faces(i, j, k);
                }
            }
        }
    }
    return fluid.h * fluid.h * net;
}

double energy(const Fluid& fluid) {
    return dot(fluid.u, fluid.u) + dot(fluid.v, fluid.v) + dot(fluid.w, fluid.w);
}

void fill(Field& field, double value) {
    std::fill(field.values.begin(), field.values.end(), value);
}

/// A stream that is the same everywhere, through a box all of whose sides slip: it enters where it
/// points away from a side, and leaves at the side across.
Fluid uniform_stream(std::array<int, 3> n, Vector velocity) {
    Fluid fluid(n[0], n[1], n[2]);
    fluid.h = 0.13;
    fluid.nu = 0.03;
    for (int axis = 0; axis < 3; ++axis) {
        const double speed = along(velocity, axis);
        fill(part_of(fluid, axis), speed);
        fill(given_of(fluid, axis), speed);
        if (speed != 0.0) {
            fluid.sides[2 * axis + (speed < 0.0)].opening = Opening::INFLOW;
            fluid.sides[2 * axis + (speed > 0.0)].opening = Opening::OUTFLOW;
        }
    }
    for (Side& side : fluid.sides) {
        side.velocity = velocity;
        side.slips = true;
    }
    return fluid;
}

/// A channel of that many cells across, four times as long, between two walls that hold. Its stream
/// runs along axis 0 or 1, and its mean speed is 1.
Fluid channel(int n, int axis, Advection advection) {
    Fluid fluid = axis == 0 ? Fluid(4 * n, n, 1) : Fluid(n, 4 * n, 1);
    fluid.h = 1.0 / n;
    fluid.nu = 0.05;
    fluid.advection = advection;
    fluid.solver = Solver::DIRECT;
    set_inflow(fluid, 2 * axis, 1.5, Profile::PARABOLIC);
    fluid.sides[2 * axis + 1].opening = Opening::OUTFLOW;
    return fluid;
}

/// Turns a box so that x becomes y, y becomes z and z becomes x.
Fluid turned(const Fluid& fluid) {
    Fluid result(fluid.nz, fluid.nx, fluid.ny);
    const auto turn = [](const Field& from, Field& to) {
        for (int k = 0; k < from.nz; ++k) {
            for (int j = 0; j < from.ny; ++j) {
                for (int i = 0; i < from.nx; ++i) {
                    to(k, i, j) = from(i, j, k);
                }
            }
        }
    };
    for (int axis = 0; axis < 3; ++axis) {
        turn(part_of(fluid, axis), part_of(result, (axis + 1) % 3));
        turn(given_of(const_cast<Fluid&>(fluid), axis), given_of(result, (axis + 1) % 3));
    }
    turn(fluid.density, result.density);
    turn(fluid.pressure, result.pressure);
    for (int side = 0; side < 6; ++side) {
        const Side& from = fluid.sides[side];
        result.sides[(side + 2) % 6] = {
            from.opening, from.slips, {from.velocity.z, from.velocity.x, from.velocity.y}};
    }
    result.h = fluid.h;
    result.rho = fluid.rho;
    result.nu = fluid.nu;
    result.force_x = fluid.force_z;
    result.force_y = fluid.force_x;
    result.force_z = fluid.force_y;
    result.tolerance = fluid.tolerance;
    result.iterations = fluid.iterations;
    result.solver = fluid.solver;
    result.advection = fluid.advection;
    return result;
}

}  // namespace

// ---- Labels ------------------------------------------------------------------------------------

TEST_CASE("what lies beyond a side of the box", "[18_open]") {
    const Fluid fluid(3, 4, 5);
    for (const int i : {-2, -1, 0, 2, 3, 4}) {
        for (const int j : {-2, -1, 0, 3, 4, 5}) {
            for (const int k : {-2, -1, 0, 4, 5, 6}) {
                const std::vector<bool> is_beyond = {i<0, i> 2, j<0, j> 3, k<0, k> 4};
                const auto first = std::find(is_beyond.begin(), is_beyond.end(), true);
                if (first != is_beyond.end()) {
                    INFO("cell "
                         << words_of(i, j, k)
                         << ": does it lie beyond that side of the box, and no earlier one?");
                    CHECK(side_towards(fluid, i, j, k) == first - is_beyond.begin());
                }
            }
        }
    }
}

TEST_CASE("fluid in the box, air beyond an outflow, and a solid beyond all else", "[18_open]") {
    for (int open = 0; open < 6; ++open) {
        for (const Opening opening : {Opening::CLOSED, Opening::INFLOW, Opening::OUTFLOW}) {
            Fluid fluid(3, 4, 5);
            fluid.sides[open].opening = opening;
            for_each_point(fluid.density, [&](int i, int j, int k) {
                INFO("cell " << words_of(i, j, k) << ", where " << names[open] << " is opening "
                             << static_cast<int>(opening) << " of closed, inflow, outflow");
                CHECK(label_at(fluid, i, j, k) == Label::FLUID);
                for (int side = 0; side < 6; ++side) {
                    const auto& [di, dj, dk] = neighbours[side];
                    if (!is_at(fluid.density, side, i, j, k)) {
                        continue;
                    }
                    const bool is_air = side == open && opening == Opening::OUTFLOW;
                    INFO("its neighbour " << names[side]
                                          << ": is it air beyond an outflow, and else a solid?");
                    CHECK(label_at(fluid, i + di, j + dj, k + dk) ==
                          (is_air ? Label::AIR : Label::SOLID));
                    CHECK(label_at(fluid, i + 3 * di, j + 3 * dj, k + 3 * dk) ==
                          (is_air ? Label::AIR : Label::SOLID));
                    CHECK(label_beyond(fluid, i + di, j + dj, k + dk) ==
                          (is_air ? Label::AIR : Label::SOLID));
                }
            });
        }
    }
}

// ---- The pressure beyond -----------------------------------------------------------------------

/// Whether A is closed. From 19_obstacles on, this is asked of each component.
bool has_null_space(const auto& A) {
    if constexpr (requires { is_closed(A); }) {
        return is_closed(A);
    } else {
        return !closed_components(A).empty();
    }
}

TEST_CASE("a face has the weight 1 on an outflow, and 0 on a wall or an inflow", "[18_open]") {
    for (int open = 0; open < 6; ++open) {
        for (const Opening opening : {Opening::CLOSED, Opening::INFLOW, Opening::OUTFLOW}) {
            Fluid fluid(3, 4, 5);
            fluid.sides[open].opening = opening;
            const Matrix A = pressure_matrix(fluid);
            for_each_point(fluid.pressure, [&](int i, int j, int k) {
                double count = 0.0;
                for (int side = 0; side < 6; ++side) {
                    const bool is_inside = !is_at(fluid.pressure, side, i, j, k);
                    const bool counts = is_inside || (side == open && opening == Opening::OUTFLOW);
                    const double expected = counts ? 1.0 : 0.0;
                    INFO("cell " << words_of(i, j, k) << ", its face " << names[side] << ", where "
                                 << names[open] << " is opening " << static_cast<int>(opening)
                                 << " of closed, inflow, outflow");
                    CHECK(weight_towards(fluid, side, i, j, k) == expected);
                    CHECK(A.weight(side, i, j, k) == expected);
                    count += expected;
                }
                CHECK(A.diagonal(i, j, k) == count);
            });
            INFO("A is closed unless a weight leads to a pressure that is known");
            CHECK(has_null_space(A) == (opening != Opening::OUTFLOW));
        }
    }
}

TEST_CASE("an outflow adds 1 to the diagonal of A, and nothing else", "[18_open]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const unsigned sides : outflows) {
            Fluid fluid(nx, ny, nz);
            make_bumpy(fluid.pressure, 3);
            open_sides(fluid, 63u, Opening::INFLOW);  // which change nothing
            open_sides(fluid, sides, Opening::OUTFLOW);
            const Field& p = fluid.pressure;
            const Matrix A = pressure_matrix(fluid);
            const Eigen::MatrixXd entries(assemble_matrix(A));
            const Eigen::MatrixXd expected = expected_open_matrix(p, sides);
            INFO("box " << words_of(nx, ny, nz) << ", outflows: " << words_of_sides(sides)
                        << "; the pressure beyond an outflow is 0: it counts in the diagonal, and "
                           "has no column");
            CHECK((entries - expected).cwiseAbs().maxCoeff() == 0.0);
            CHECK((entries - entries.transpose()).cwiseAbs().maxCoeff() == 0.0);
            Field product = p;
            multiply(A, p, product);
            CHECK((as_vector(product) - expected * as_vector(p)).cwiseAbs().maxCoeff() < 1e-13);
        }
    }
}

TEST_CASE("an outflow ends the null space", "[18_open]") {
    Fluid fluid(8, 8, 1);
    const auto eigenvalues = [&] {
        const Eigen::MatrixXd A(assemble_matrix(pressure_matrix(fluid)));
        return algebra::eigenvalues(A);
    };
    CHECK_THAT(eigenvalues()[0], WithinAbs(0.0, 1e-13));
    CHECK_THAT(eigenvalues()[1], WithinAbs(0.152241, 1e-6));
    for (int side = 0; side < 4; ++side) {
        fluid.sides[side].opening = Opening::OUTFLOW;
        INFO(names[side] << ": the least eigenvalue is 4 sin^2(pi / (2 (2 n + 1)))");
        CHECK_THAT(eigenvalues()[0], WithinAbs(0.034054, 1e-6));
        CHECK_THAT(eigenvalues()[0],
                   WithinAbs(4.0 * std::pow(std::sin(std::numbers::pi / 34.0), 2), 1e-13));
        fluid.sides[side].opening = Opening::CLOSED;
    }
}

// ---- Faces of three kinds ----------------------------------------------------------------------

TEST_CASE("faces that are closed, given and free", "[18_open]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (int side = 0; side < 6; ++side) {
            for (const Opening opening : {Opening::CLOSED, Opening::INFLOW, Opening::OUTFLOW}) {
                Fluid fluid = box_to_open(nx, ny, nz, 5);
                fluid.sides[side].opening = opening;
                const Fluid before = fluid;
                set_bnd(fluid);
                const int axis = side / 2;
                const Field& faces = part_of(fluid, axis);
                for (int k = 0; k < nz; ++k) {
                    for (int j = 0; j < ny; ++j) {
                        for (int i = 0; i < nx; ++i) {
                            if (!is_at(fluid.density, side, i, j, k)) {
                                continue;
                            }
                            const int far = side % 2;
                            const int face =
                                faces.IX(i + (far && axis == 0), j + (far && axis == 1),
                                         k + (far && axis == 2));
                            INFO("box "
                                 << words_of(nx, ny, nz) << ", face " << names[side] << " of "
                                 << words_of(i, j, k) << ": "
                                 << (opening == Opening::CLOSED ? "a wall has what it is given"
                                     : opening == Opening::INFLOW
                                         ? "an inflow has what it is given"
                                         : "an outflow keeps what it has"));
                            const Field& expected = opening == Opening::OUTFLOW
                                                        ? part_of(before, axis)
                                                        : given_of(fluid, axis);
                            CHECK(faces.values[face] == expected.values[face]);
                        }
                    }
                }
            }
        }
    }
    for (int side = 0; side < 6; ++side) {
        Fluid fluid = box_to_open(4, 3, 5, 6);
        open_sides(fluid, 63u, Opening::INFLOW);
        fluid.sides[side].opening = Opening::OUTFLOW;
        set_bnd(fluid);
        const Fluid before = fluid;
        project(fluid, 0.1);
        INFO("only the faces of an outflow move in the projection, " << names[side]);
        for (int other = 0; other < 6; ++other) {
            const Passing now = passing(fluid, other);
            const Passing then = passing(before, other);
            CHECK((now.in - now.out == then.in - then.out) == (other != side));
        }
    }
    for (int side = 0; side < 6; ++side) {
        for (const Opening opening : {Opening::CLOSED, Opening::INFLOW, Opening::OUTFLOW}) {
            Fluid fluid(3, 4, 5);
            fluid.sides[side].opening = opening;
            for (int axis = 0; axis < 3; ++axis) {
                const Field& faces = part_of(fluid, axis);
                for (int k = 0; k < faces.nz; ++k) {
                    for (int j = 0; j < faces.ny; ++j) {
                        for (int i = 0; i < faces.nx; ++i) {
                            const int at = axis == 0 ? i : axis == 1 ? j : k;
                            const int last = size_of(faces)[axis] - 1;
                            const bool is_outer = at == 0 || at == last;
                            const bool is_on_side =
                                axis == side / 2 && at == (side % 2 == 0 ? 0 : last);
                            INFO("face " << words_of(i, j, k) << " of "
                                         << "uvw"[axis] << ", " << names[side] << " is open");
                            CHECK(is_given(fluid, faces, i, j, k) ==
                                  (is_outer && !(is_on_side && opening == Opening::OUTFLOW)));
                        }
                    }
                }
            }
        }
    }
}

// ---- The projection ----------------------------------------------------------------------------

TEST_CASE("where an outflow gives the pressure, no constant is free", "[18_open]") {
    for (const unsigned sides : outflows) {
        for (const Solver solver : solvers) {
            Fluid fluid(5, 3, 2);
            fluid.solver = solver;
            fluid.tolerance = 1e-13;
            fluid.iterations = 20000;
            open_sides(fluid, sides, Opening::OUTFLOW);
            write_equations_down(fluid);
            make_bumpy(fluid.rhs, 7);
            const Field before = fluid.rhs;
            solve_pressure(fluid);
            INFO("outflows: " << words_of_sides(sides) << ", solver " << static_cast<int>(solver)
                              << "; is every pressure left as it is?");
            CHECK(fluid.rhs.values == before.values);
            CHECK((expected_open_matrix(fluid.pressure, sides) * as_vector(fluid.pressure) -
                   as_vector(before))
                      .cwiseAbs()
                      .maxCoeff() < 1e-11);
            CHECK(fluid.compatibility_defect == 0.0);
        }
        Fluid fluid(5, 3, 2);
        open_sides(fluid, sides, Opening::OUTFLOW);
        Field b = fluid.rhs;
        Field x = fluid.rhs;
        make_bumpy(b, 8);
        const auto factors = factorize(pressure_matrix(fluid));
        REQUIRE(factors != nullptr);
        solve_direct(*factors, x, b);
        INFO("is A left as it is, with nothing added to its diagonal?");
        CHECK((expected_open_matrix(x, sides) * as_vector(x) - as_vector(b)).cwiseAbs().maxCoeff() <
              1e-12);
    }
}

TEST_CASE("one cell, by hand: what enters pushes its way out", "[18_open]") {
    for (int side = 0; side < 6; ++side) {
        for (const Solver solver : solvers) {
            Fluid fluid(1, 1, 1);
            fluid.h = 0.5;
            fluid.rho = 3.0;
            fluid.solver = solver;
            const int axis = side / 2;
            const double velocity = side % 2 == 0 ? 2.0 : -2.0;
            fluid.sides[side].opening = Opening::INFLOW;
            fluid.sides[side ^ 1].opening = Opening::OUTFLOW;
            given_of(fluid, axis).values = {velocity, velocity};
            project(fluid, 0.25);
            INFO("in " << names[side]
                       << " and out across: p is rho h / dt times 2, and the outflow "
                       << "subtracts the gradient from p to 0");
            CHECK_THAT(fluid.pressure.values[0], WithinAbs(3.0 * 0.5 / 0.25 * 2.0, 1e-13));
            CHECK_THAT(part_of(fluid, axis).values[0], WithinAbs(velocity, 1e-14));
            CHECK_THAT(part_of(fluid, axis).values[1], WithinAbs(velocity, 1e-14));
        }
    }
}

TEST_CASE("every solver finds the pressure of an open box, and no divergence is left",
          "[18_open]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const unsigned sides : outflows) {
            const unsigned inflows = (sides << 3 | sides >> 3) & 63u & ~sides;
            Fluid before = box_to_open(nx, ny, nz, 41);
            open_sides(before, inflows, Opening::INFLOW);
            open_sides(before, sides, Opening::OUTFLOW);
            Fluid exact = before;
            set_bnd(exact);
            write_equations_down(exact);
            right_hand_side(exact, 0.1);
            const Eigen::VectorXd p =
                algebra::solve(expected_open_matrix(exact.pressure, sides), as_vector(exact.rhs));
            for (const Solver solver : solvers) {
                const Fluid fluid = projected(before, solver, 0.1);
                INFO("box " << words_of(nx, ny, nz) << ", outflows: " << words_of_sides(sides)
                            << ", inflows: " << words_of_sides(inflows) << ", solver "
                            << static_cast<int>(solver)
                            << "; is the pressure left as it is, with no mean subtracted?");
                CHECK((as_vector(fluid.pressure) - p).cwiseAbs().maxCoeff() < 1e-9);
                CHECK(largest_divergence(fluid) < 1e-10);
                INFO("what enters leaves");
                CHECK_THAT(net_inflow(fluid), WithinAbs(0.0, 1e-11));
                CHECK(fluid.compatibility_defect == 0.0);
            }
        }
    }
}

TEST_CASE("the factors are dropped when the outflows change, and kept when not", "[18_open]") {
    Fluid fluid = box_to_open(6, 5, 1, 51);
    stop_walls(fluid);
    fluid.solver = Solver::DIRECT;
    project(fluid, 0.1);
    for (const int side : {1, 2, 0}) {
        const auto old = fluid.factors;
        fluid.sides[side].opening = Opening::OUTFLOW;
        make_bumpy(fluid.u, 52 + side);
        project(fluid, 0.1);
        INFO("with other outflows A is another matrix: are its old factors dropped?");
        CHECK(fluid.factors != old);
        CHECK(largest_divergence(fluid) < 1e-12);
        const auto kept = fluid.factors;
        project(fluid, 0.1);
        INFO("as long as they stay, its factors are kept");
        CHECK(fluid.factors == kept);
    }
    fluid.sides[0].opening = fluid.sides[1].opening = fluid.sides[2].opening = Opening::CLOSED;
    project(fluid, 0.1);
    CHECK(largest_divergence(fluid) < 1e-12);
    CHECK_THAT(as_vector(fluid.pressure).mean(), WithinAbs(0.0, 1e-13));
}

TEST_CASE("inflow without outflow: no pressure can help, and the defect says so", "[18_open]") {
    for (int side = 0; side < 6; ++side) {
        for (const Solver solver : solvers) {
            Fluid fluid(4, 5, 3);
            fluid.solver = solver;
            fluid.iterations = 5000;
            set_inflow(fluid, side, 2.0, Profile::UNIFORM);
            project(fluid, 0.1);
            const double length = size_of(fluid.density)[side / 2];
            INFO("in " << names[side]
                       << ", and nowhere out: all of the right-hand side has one sign");
            CHECK_THAT(fluid.compatibility_defect, WithinAbs(1.0, 1e-14));
            CHECK_THAT(largest_divergence(fluid), WithinAbs(2.0 / length, 1e-8));
            INFO("the speed at an inflow is that towards the box: out at the other side");
            set_inflow(fluid, side ^ 1, -2.0, Profile::UNIFORM);
            project(fluid, 0.1);
            CHECK_THAT(fluid.compatibility_defect, WithinAbs(0.0, 1e-13));
            CHECK(largest_divergence(fluid) < 1e-8);
            set_inflow(fluid, side ^ 1, 3.0, Profile::UNIFORM);
            fluid.sides[(side + 2) % 6].opening = Opening::OUTFLOW;
            project(fluid, 0.1);
            INFO("with an outflow there is always a way out");
            CHECK(fluid.compatibility_defect == 0.0);
            CHECK(largest_divergence(fluid) < 1e-8);
        }
    }
}

TEST_CASE("multigrid hardly needs more steps with an outflow than without", "[18_open]") {
    const auto steps = [](int n, unsigned outflow) {
        Fluid fluid(n, n, 1);
        fluid.solver = Solver::MULTIGRID;
        fluid.tolerance = 1e-6;
        open_sides(fluid, outflow, Opening::OUTFLOW);
        write_equations_down(fluid);
        make_bumpy(fluid.rhs, 57);
        CHECK(has_null_space(fluid.matrix) == (outflow == 0u));
        solve_pressure(fluid);
        return static_cast<int>(fluid.residuals.size()) - 1;
    };
    for (const int n : {64, 128}) {
        const int closed = steps(n, 0u);
        CHECK(closed <= 9);
        for (const unsigned outflow : {1u, 2u, 4u, 8u, 15u}) {
            INFO("size " << n << ", outflows: " << words_of_sides(outflow)
                         << ": do the coarser grids have the outflow, too?");
            CHECK(steps(n, outflow) <= closed + 3);
        }
    }
}

// ---- What comes from outside -------------------------------------------------------------------

TEST_CASE("beyond an opening lie the values of outside", "[18_open]") {
    const Fluid box = box_to_open(4, 5, 3, 61);
    for (int side = 0; side < 6; ++side) {
        const Vector outside = box.sides[side].velocity;
        for (int axis = 0; axis < 4; ++axis) {  // u, v, w and the dye
            const Field& field = axis < 3 ? part_of(box, axis) : box.density;
            const double beyond_it = axis < 3 ? along(outside, axis) : 0.0;
            for (const double steps : {0.25, 0.6, 1.0, 1.7}) {
                std::array<double, 3> at = {1.7, 2.2, 1.3};
                const std::array<double, 3> first = {field.origin.x, field.origin.y,
                                                     field.origin.z};
                at[side / 2] = side % 2 == 0
                                   ? first[side / 2] - steps
                                   : first[side / 2] + size_of(field)[side / 2] - 1 + steps;
                const Vector place = {0.4 * at[0], 0.4 * at[1], 0.4 * at[2]};
                const double nearest = interpolate(field, 0.4, place);
                const double share = std::min(steps, 1.0);
                const double mixed = (1.0 - share) * nearest + share * beyond_it;
                INFO(steps << " steps beyond the last point, " << names[side] << ", "
                           << "uvwd"[axis]);
                REQUIRE(std::abs(nearest - beyond_it) > 1e-3);
                Fluid fluid = box;
                {
                    INFO("a wall's nearest value goes on");
                    CHECK(value_at(fluid, field, place) == nearest);
                }
                fluid.sides[side].opening = Opening::OUTFLOW;
                {
                    INFO(
                        "what comes back through an outflow has the values of outside, which lie "
                        "a step beyond the last point");
                    CHECK_THAT(value_at(fluid, field, place), WithinAbs(mixed, 1e-14));
                }
                fluid.sides[side].opening = Opening::INFLOW;
                {
                    INFO(
                        "an inflow brings the velocity of its faces across, all else from "
                        "outside");
                    CHECK_THAT(value_at(fluid, field, place),
                               WithinAbs(axis == side / 2 ? nearest : mixed, 1e-14));
                }
            }
        }
    }
    Fluid fluid = box;
    open_sides(fluid, 63u, Opening::OUTFLOW);
    INFO("between the points of a field outside has no share");
    CHECK(value_at(fluid, box.density, {0.7, 0.9, 0.5}) ==
          interpolate(box.density, 0.4, {0.7, 0.9, 0.5}));
    INFO("in a corner each side has its share, whichever comes first");
    for (const Field* field : {&box.u, &box.v, &box.w, &box.density}) {
        for (const Vector place : {Vector{-0.06, 0.9, 1.14}, {0.1, 0.9, 1.3}, {-0.5, 0.9, 1.9}}) {
            const double left = std::clamp(field->origin.x - place.x / 0.4, 0.0, 1.0);
            const double behind =
                std::clamp(place.z / 0.4 - field->origin.z - (field->nz - 1), 0.0, 1.0);
            const double inside = interpolate(*field, 0.4, place);
            const double change = left * (part_along(*field, box.sides[0].velocity) - inside) +
                                  behind * (part_along(*field, box.sides[5].velocity) - inside);
            CHECK_THAT(value_at(fluid, *field, place),
                       WithinAbs(inside + change / std::max(1.0, left + behind), 1e-13));
        }
    }
}

TEST_CASE("what comes in slowly comes in all the same", "[18_open]") {
    for (int side = 0; side < 6; ++side) {
        for (const Opening opening : {Opening::INFLOW, Opening::OUTFLOW}) {
            for (const Advection advection : {Advection::LINEAR, Advection::SHARP}) {
                const int axis = side / 2;
                Fluid fluid = axis == 0   ? Fluid(5, 1, 1)
                              : axis == 1 ? Fluid(1, 5, 1)
                                          : Fluid(1, 1, 5);
                fluid.advection = advection;
                fluid.sides[side].opening = opening;
                fluid.sides[side ^ 1].opening = Opening::OUTFLOW;
                fill(part_of(fluid, axis), side % 2 == 0 ? 0.2 : -0.2);
                fill(fluid.density, 1.0);
                const int near = side % 2 == 0 ? 0 : 4;
                advect_density(fluid, 1.0);
                INFO("a fifth of a cell a step, in " << names[side] << ", advection "
                                                     << static_cast<int>(advection)
                                                     << ": what outside has brought is within the "
                                                        "limits, too");
                CHECK(fluid.density.values[near] < 0.95);
                CHECK(fluid.density.values[near] > 0.75);
                for (int n = 1; n < 100; ++n) {
                    advect_density(fluid, 1.0);
                }
                CHECK(largest(fluid.density) < 1e-3);
            }
        }
        const int axis = side / 2;
        Fluid fluid = box_to_open(4, 5, 3, 67);
        fluid.sides[side].opening = Opening::OUTFLOW;
        for (int other = 0; other < 3; ++other) {
            fill(part_of(fluid, other), 0.0);
        }
        fill(part_of(fluid, axis), side % 2 == 0 ? -0.1 : 0.1);  // outwards, a quarter of a cell
        Field back = fluid.density;
        advect(fluid, back, fluid.density, -1.0);
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 5; ++j) {
                for (int i = 0; i < 4; ++i) {
                    INFO("traced downstream, out " << names[side]
                                                   << ", nothing comes from outside");
                    if (is_at(back, side, i, j, k)) {
                        CHECK_THAT(back(i, j, k), WithinAbs(fluid.density(i, j, k), 1e-14));
                    }
                }
            }
        }
    }
}

TEST_CASE("dye that has left does not come back", "[18_open]") {
    for (int side = 0; side < 6; ++side) {
        for (const Advection advection : advections) {
            const int axis = side / 2;
            Fluid fluid = box_to_open(4, 3, 5, 71);
            fluid.advection = advection;
            fluid.sides[side].opening = Opening::OUTFLOW;
            for (int other = 0; other < 3; ++other) {
                fill(part_of(fluid, other), 0.0);
            }
            fill(part_of(fluid, axis), side % 2 == 0 ? 0.4 : -0.4);  // inwards, a cell a second
            Fluid before = fluid;
            advect_density(fluid, 1.0);
            for (int k = 0; k < 5; ++k) {
                for (int j = 0; j < 3; ++j) {
                    for (int i = 0; i < 4; ++i) {
                        const auto& [di, dj, dk] = neighbours[side];
                        const bool is_new = is_at(fluid.density, side, i, j, k);
                        INFO("in through the outflow " << names[side] << ", cell "
                                                       << words_of(i, j, k)
                                                       << ": outside there is no dye");
                        CHECK_THAT(fluid.density(i, j, k),
                                   WithinAbs(is_new ? 0.0 : before.density(i + di, j + dj, k + dk),
                                             1e-14));
                    }
                }
            }
        }
    }
}

TEST_CASE("a uniform stream stays as it is, to the last bit", "[18_open]") {
    for (const Advection advection : advections) {
        const auto check = [&](Vector velocity) {
            Fluid fluid = uniform_stream({7, 6, 5}, velocity);
            fluid.advection = advection;
            fill(fluid.density, 1.0);
            const Fluid before = fluid;
            for (int n = 0; n < 12; ++n) {
                step(fluid, 0.1);
            }
            INFO("velocity " << velocity.x << ", " << velocity.y << ", " << velocity.z
                             << ", advection " << static_cast<int>(advection));
            CHECK(fluid.u.values == before.u.values);
            CHECK(fluid.v.values == before.v.values);
            CHECK(fluid.w.values == before.w.values);
            CHECK(largest(fluid.pressure) == 0.0);
            INFO("but what enters has no dye");
            CHECK(*std::min_element(fluid.density.values.begin(), fluid.density.values.end()) <
                  0.01);
        };
        for (const double speed : {1.0, 0.7, -1.0, -0.7}) {
            check({speed, 0.0, 0.0});
            check({0.0, speed, 0.0});
            check({0.0, 0.0, speed});
        }
        check({1.0, -0.5, 0.0});
        check({-0.25, 0.0, 1.0});
        check({0.5, 1.0, -0.75});
    }
}

TEST_CASE("fluid that comes back cannot blow up", "[18_open]") {
    for (const Advection advection : advections) {
        Fluid fluid = bumpy_fluid(16, 12, 1, 81);
        fluid.h = 1.0 / 12.0;
        fluid.advection = advection;
        fluid.solver = Solver::DIRECT;
        open_sides(fluid, 0b1111u, Opening::OUTFLOW);
        fill(fluid.density, 1.0);
        const double at_first = energy(fluid);
        for (int n = 0; n < 200; ++n) {
            step(fluid, 0.03);
            INFO("step " << n << ", advection " << static_cast<int>(advection)
                         << ": is fluid from outside at rest, and not as fast as that inside?");
            REQUIRE(energy(fluid) <= at_first);
        }
        CHECK(energy(fluid) < 0.05 * at_first);
        INFO("it has no dye, either");
        CHECK(*std::min_element(fluid.density.values.begin(), fluid.density.values.end()) < 0.5);
        CHECK(largest(fluid.density) <= 1.0 + 1e-12);
    }
}

// ---- Viscosity ---------------------------------------------------------------------------------

TEST_CASE("viscosity at openings, and Poiseuille's stream between two walls", "[18_open]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (int open = 0; open < 6; ++open) {
            for (const Opening opening : {Opening::CLOSED, Opening::INFLOW, Opening::OUTFLOW}) {
                Fluid fluid = box_to_open(nx, ny, nz, 91);
                fluid.sides[open].opening = opening;
                for (int axis = 0; axis < 3; ++axis) {
                    const Field& faces = part_of(fluid, axis);
                    const auto& [A, b] =
                        diffusion_equations(fluid, faces, 1.0, walls_of(fluid, faces));
                    const Eigen::MatrixXd entries(assemble_matrix(A));
                    CHECK((entries - entries.transpose()).cwiseAbs().maxCoeff() == 0.0);
                    for_each_point(faces, [&](int i, int j, int k) {
                        INFO("box " << words_of(nx, ny, nz) << ", face " << words_of(i, j, k)
                                    << " of "
                                    << "uvw"[axis] << ", " << names[open] << " is opening "
                                    << static_cast<int>(opening)
                                    << "; beyond an inflow a ghost 2 u_outside - u, beyond an "
                                       "outflow the fluid goes on as it is");
                        CHECK(A.has(i, j, k) == !is_given(fluid, faces, i, j, k));
                        if (!A.has(i, j, k)) {
                            return;
                        }
                        double count = 0.0;
                        double walls = 0.0;
                        for (int side = 0; side < 6; ++side) {
                            const auto& [di, dj, dk] = neighbours[side];
                            if (faces.has(i + di, j + dj, k + dk)) {
                                count += 1.0;
                            } else if (!fluid.sides[side].slips &&
                                       !(side == open && opening == Opening::OUTFLOW)) {
                                count += 2.0;
                                walls += 2.0 * along(fluid.sides[side].velocity, axis);
                            }
                        }
                        CHECK(A.diagonal(i, j, k) == 1.0 + count);
                        CHECK_THAT(b(i, j, k), WithinAbs(faces(i, j, k) + walls, 1e-13));
                    });
                }
            }
        }
    }
    for (const int axis : {0, 1}) {
        for (const Advection advection : {Advection::LINEAR, Advection::SHARP}) {
            for (const int n : {6, 12}) {
                const double dt = 0.01;
                Fluid fluid = channel(n, axis, advection);
                for (int steps = 0; steps < 500; ++steps) {
                    step(fluid, dt);
                }
                // The profile that steps of this length leave as it is. Half a cell from the wall a
                // ghost -u makes the parabola h^2 / 4 too high; and every step ends with the push
                // of the pressure, after viscosity has acted. What flows is what is given.
                const double h = fluid.h;
                const double push =
                    (1.0 + 0.5 * h * h) / ((1.0 / 6.0 + h * h / 3.0) / (2.0 * fluid.nu) + dt);
                double error = 0.0;
                for (int cell = 0; cell < n; ++cell) {
                    const double y = (cell + 0.5) * h;
                    const double expected =
                        push * ((y * (1.0 - y) + 0.25 * h * h) / (2.0 * fluid.nu) + dt);
                    const double u = axis == 0 ? fluid.u(3 * n, cell, 0) : fluid.v(cell, 3 * n, 0);
                    error = larger(error, std::abs(u - expected));
                }
                const auto p = [&](int place) {
                    return axis == 0 ? fluid.pressure(place, n / 2, 0)
                                     : fluid.pressure(n / 2, place, 0);
                };
                INFO("along "
                     << "xy"[axis] << ", " << n << " cells across, advection "
                     << static_cast<int>(advection)
                     << ": do the walls hold the stream, and the outflow not?");
                CHECK(error < 5e-4);
                CHECK_THAT(p(3 * n) - p(2 * n), WithinAbs(-push, 5e-4));
                CHECK_THAT(push, WithinAbs(0.6, 0.9 * h * h + 0.004));
                CHECK_THAT(net_inflow(fluid), WithinAbs(0.0, 1e-13));
            }
        }
    }
}

TEST_CASE("an inflow keeps its velocity while it spreads into the box", "[18_open]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (int axis = 0; axis < 3; ++axis) {
            Fluid fluid = box_to_open(nx, ny, nz, 95);
            fluid.nu = 0.3;
            open_sides(fluid, 63u, Opening::INFLOW);
            fluid.sides[2 * axis].opening = Opening::OUTFLOW;
            set_bnd(fluid);
            Field& faces = part_of(fluid, axis);
            const Field before = faces;
            const double a = 0.3 * 0.1 / (0.4 * 0.4);
            const auto& [A, b] = diffusion_equations(fluid, faces, a, walls_of(fluid, faces));
            diffuse(fluid, faces, fluid.nu, walls_of(fluid, faces), 0.1);
            double change_of_given = 0.0;
            double left = 0.0;
            for_each_point(faces, [&](int i, int j, int k) {
                if (is_given(fluid, faces, i, j, k)) {
                    change_of_given =
                        larger(change_of_given, std::abs(faces(i, j, k) - before(i, j, k)));
                    return;
                }
                double equation = A.diagonal(i, j, k) * faces(i, j, k) - b(i, j, k);
                for (int side = 0; side < 6; ++side) {
                    const auto& [di, dj, dk] = neighbours[side];
                    if (faces.has(i + di, j + dj, k + dk)) {
                        equation -= a * faces(i + di, j + dj, k + dk);
                    }
                }
                left = larger(left, std::abs(equation));
            });
            INFO("box " << words_of(nx, ny, nz) << ", "
                        << "uvw"[axis]);
            const std::array<int, 3> size = size_of(faces);
            CHECK(is_given(fluid, faces, axis == 0 ? size[0] - 1 : 0, axis == 1 ? size[1] - 1 : 0,
                           axis == 2 ? size[2] - 1 : 0));
            CHECK(change_of_given == 0.0);
            CHECK(left < 1e-11);
        }
    }
}

// ---- Whole steps -------------------------------------------------------------------------------

TEST_CASE("fluid at rest under its weight stays at rest, and its pressure grows with depth",
          "[18_open]") {
    for (int open = 0; open < 6; ++open) {
        for (const Advection advection : advections) {
            Fluid fluid(5, 4, 3);
            fluid.h = 0.5;
            fluid.rho = 2.0;
            fluid.nu = 0.3;
            fluid.advection = advection;
            fluid.tolerance = 1e-14;
            fluid.sides[open].opening = Opening::OUTFLOW;
            const double g = open % 2 == 0 ? 9.81 : -9.81;
            (open < 2 ? fluid.force_x : open < 4 ? fluid.force_y : fluid.force_z) = g;
            for (int n = 0; n < 3; ++n) {
                step(fluid, 0.1);
            }
            INFO("open " << names[open] << ", advection " << static_cast<int>(advection));
            CHECK(larger(largest(fluid.u), larger(largest(fluid.v), largest(fluid.w))) < 1e-12);
            const std::array<int, 3> size = size_of(fluid.density);
            for (int k = 0; k < size[2]; ++k) {
                for (int j = 0; j < size[1]; ++j) {
                    for (int i = 0; i < size[0]; ++i) {
                        const std::array<int, 3> at = {i, j, k};
                        const int depth =
                            open % 2 == 0 ? at[open / 2] + 1 : size[open / 2] - at[open / 2];
                        INFO("cell " << words_of(i, j, k) << ": rho g h for each cell up to the "
                                     << "one beyond, where p is 0");
                        CHECK_THAT(fluid.pressure(i, j, k),
                                   WithinAbs(2.0 * 9.81 * 0.5 * depth, 1e-11));
                    }
                }
            }
        }
    }
}

TEST_CASE("openings know no axis: a box that is turned does the same", "[18_open]") {
    for (const Advection advection : advections) {
        Fluid fluid = box_to_open(6, 4, 3, 101);
        fluid.nu = 0.02;
        fluid.iterations = 5000;
        fluid.advection = advection;
        fluid.sides[0].opening = Opening::INFLOW;
        fluid.sides[3].opening = fluid.sides[5].opening = Opening::OUTFLOW;
        fluid.sides[1].slips = true;
        stop_walls(fluid);
        set_bnd(fluid);
        Fluid once = turned(fluid);
        Fluid twice = turned(once);
        for (int n = 0; n < 4; ++n) {
            step(fluid, 0.05);
            step(once, 0.05);
            step(twice, 0.05);
        }
        const Fluid expected = turned(fluid);
        INFO("what enters leaves");
        CHECK_THAT(net_inflow(fluid), WithinAbs(0.0, 1e-9));
        CHECK(fluid.u(0, 2, 1) == fluid.u_given(0, 2, 1));
        INFO("x to y to z to x, advection " << static_cast<int>(advection));
        REQUIRE(largest(fluid.w) > 0.1);
        for (int axis = 0; axis < 3; ++axis) {
            CHECK(distance(part_of(once, axis), part_of(expected, axis)) < 1e-10);
            CHECK(distance(part_of(twice, axis), part_of(turned(expected), axis)) < 1e-10);
        }
        CHECK(distance(once.density, expected.density) < 1e-10);
        CHECK(distance(once.pressure, expected.pressure) < 1e-9);
    }
}

TEST_CASE("left and right, above and below, before and behind do the same", "[18_open]") {
    for (int axis = 0; axis < 3; ++axis) {
        Fluid fluid = box_to_open(5, 4, 3, 111);
        fluid.h = 0.5;
        fluid.nu = 0.03;
        fluid.advection = Advection::SHARP;
        fluid.sides[2 * axis].opening = Opening::INFLOW;
        fluid.sides[2 * axis + 1].opening = Opening::OUTFLOW;
        fluid.sides[(2 * axis + 2) % 6].opening = Opening::OUTFLOW;
        for (Side& side : fluid.sides) {
            side.velocity = {0.0, 0.0, 0.0};
        }
        stop_walls(fluid);
        set_bnd(fluid);
        Fluid other = mirrored(fluid, axis);
        std::swap(other.sides[2 * axis].opening, other.sides[2 * axis + 1].opening);
        Field& given = given_of(other, axis);
        const Field kept = given;
        const std::array<int, 3> size = size_of(kept);
        for (int k = 0; k < kept.nz; ++k) {
            for (int j = 0; j < kept.ny; ++j) {
                for (int i = 0; i < kept.nx; ++i) {
                    std::array<int, 3> at = {i, j, k};
                    at[axis] = size[axis] - 1 - at[axis];
                    given(at[0], at[1], at[2]) = -kept(i, j, k);
                }
            }
        }
        for (int n = 0; n < 4; ++n) {
            step(fluid, 0.05);
            step(other, 0.05);
        }
        const Fluid expected = mirrored(fluid, axis);
        INFO("what enters leaves");
        CHECK_THAT(net_inflow(fluid), WithinAbs(0.0, 1e-9));
        CHECK(part_of(fluid, axis).values[0] == given_of(fluid, axis).values[0]);
        INFO("mirrored along "
             << "xyz"[axis]);
        for (int part = 0; part < 3; ++part) {
            CHECK(distance(part_of(other, part), part_of(expected, part)) < 1e-10);
        }
        CHECK(distance(other.density, expected.density) < 1e-10);
    }
}

TEST_CASE("only faces that touch a solid take the velocity that they are given", "[18_open]") {
    for (const Advection advection : advections) {
        Fluid fluid = bumpy_fluid(6, 5, 2, 121);
        fluid.advection = advection;
        fluid.nu = 0.01;
        Fluid other = fluid;
        for (int axis = 0; axis < 3; ++axis) {
            make_bumpy(given_of(other, axis), 122 + axis);
        }
        const Fluid gives = other;
        stop_walls(other);
        for (int n = 0; n < 3; ++n) {
            step(fluid, 0.1);
            step(other, 0.1);
        }
        INFO("what is given to faces between two cells of fluid changes nothing");
        CHECK(fluid.u.values == other.u.values);
        CHECK(fluid.v.values == other.v.values);
        CHECK(fluid.w.values == other.w.values);
        CHECK(fluid.density.values == other.density.values);
        other.sides[2].opening = Opening::INFLOW;
        other.sides[1].opening = Opening::OUTFLOW;
        other.v_given = gives.v_given;
        close_side(other, 3, Opening::CLOSED);
        step(other, 0.1);
        INFO("until a side is opened");
        CHECK(largest_divergence(other) < 1e-6);
        CHECK(other.v(2, 0, 1) == gives.v_given(2, 0, 1));
        CHECK(other.v(2, 5, 1) == 0.0);
        CHECK_THAT(net_inflow(other), WithinAbs(0.0, 1e-7));
    }
}

TEST_CASE("the energy that flows in, by hand", "[18_open]") {
    Fluid fluid(2, 3, 4);
    fluid.h = 0.5;
    fluid.u(0, 1, 2) = 3.0;  // into the box, on the left
    fluid.u(0, 2, 2) = -5.0;  // out of it
    fluid.u(1, 1, 1) = 7.0;  // within it
    fluid.u(2, 0, 3) = -2.0;  // into it, on the right
    fluid.v(1, 0, 1) = 4.0;
    fluid.v(0, 3, 0) = -1.0;
    fluid.w(1, 2, 0) = 6.0;
    fluid.w(0, 0, 4) = -1.5;
    for (Side& side : fluid.sides) {
        side.velocity = {2.0, 4.0, 8.0};
    }
    INFO("through walls nothing flows in");
    CHECK(energy_flowing_in(fluid, 0.1) == 0.0);
    const double expected[6] = {3.0 * 0.2 * (9.0 + 16.0 + 64.0), 2.0 * 0.2 * (4.0 + 16.0 + 64.0),
                                4.0 * 0.2 * (16.0 + 4.0 + 64.0), 1.0 * 0.2 * (1.0 + 4.0 + 64.0),
                                6.0 * 0.2 * (36.0 + 4.0 + 16.0), 1.5 * 0.2 * (2.25 + 4.0 + 16.0)};
    double sum = 0.0;
    for (int side = 0; side < 6; ++side) {
        INFO("the " << names[side] << " side: dt / h is 0.2, and the velocity outside (2, 4, 8)");
        fluid.sides[side].opening = side % 2 == 0 ? Opening::INFLOW : Opening::OUTFLOW;
        sum += expected[side];
        CHECK_THAT(energy_flowing_in(fluid, 0.1), WithinAbs(sum, 1e-12));
    }
    INFO("only beyond the outflows there is air");
    CHECK(label_beyond(fluid, -1, 1, 1) == Label::SOLID);
    CHECK(label_beyond(fluid, 2, 1, 1) == Label::AIR);
}

TEST_CASE("a channel that fills is carried sharply", "[18_open]") {
    Fluid fluid(24, 8, 1);
    fluid.h = 0.125;
    fluid.advection = Advection::SHARP;
    set_inflow(fluid, 0, 1.0, Profile::PARABOLIC);
    fluid.sides[1].opening = Opening::OUTFLOW;
    step(fluid, 0.05);
    Fluid fills = fluid;
    Field u = fluid.u;
    advect_sharp(fluid, u, fluid.u, 0.05);
    advect_velocity(fills, 0.05);
    REQUIRE(distance(u, fluid.u) > 0.01);
    INFO("what flows in is allowed: the correction is not cut");
    CHECK(distance(fills.u, u) < 1e-12);
}

TEST_CASE("a state that was copied goes on as the fluid does", "[18_open]") {
    Fluid fluid = box_to_open(6, 5, 1, 131);
    fluid.nu = 0.02;
    fluid.advection = Advection::REFLECTED;
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[1].opening = fluid.sides[2].opening = Opening::OUTFLOW;
    stop_walls(fluid);
    for (int n = 0; n < 3; ++n) {
        step(fluid, 0.05);
    }
    Fluid copy(6, 5, 1);
    for (int axis = 0; axis < 3; ++axis) {
        part_of(copy, axis) = part_of(fluid, axis);
        given_of(copy, axis) = given_of(fluid, axis);
    }
    copy.density = fluid.density;
    copy.pressure.values = fluid.pressure.values;
    for (int side = 0; side < 6; ++side) {
        copy.sides[side] = fluid.sides[side];
    }
    copy.h = fluid.h;
    copy.rho = fluid.rho;
    copy.nu = fluid.nu;
    copy.tolerance = fluid.tolerance;
    copy.iterations = fluid.iterations;
    copy.advection = fluid.advection;
    copy.reflects_next = fluid.reflects_next;
    copy.gradient_factor = 0.05 / copy.rho;  // the time step is a flag
    write_equations_down(copy);  // the sides determine it
    for (int n = 0; n < 4; ++n) {
        step(fluid, 0.05);
        step(copy, 0.05);
    }
    INFO(
        "velocities, given ones, dye, pressure, sides and whose turn it is: nothing else is state");
    CHECK(copy.u.values == fluid.u.values);
    CHECK(copy.v.values == fluid.v.values);
    CHECK(copy.density.values == fluid.density.values);
    CHECK(copy.pressure.values == fluid.pressure.values);
    CHECK(fluid.u(0, 2, 0) == fluid.u_given(0, 2, 0));
    CHECK_THAT(net_inflow(copy), WithinAbs(0.0, 1e-9));
}

// ---- What is given to fill inflows with --------------------------------------------------------

TEST_CASE("uniform and parabolic inflows, towards the box from every side", "[18_open]") {
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const double sign = side % 2 == 0 ? 1.0 : -1.0;
        Fluid fluid(4, 6, 5);
        fluid.h = 0.5;
        set_inflow(fluid, side, 3.0, Profile::UNIFORM);
        set_bnd(fluid);
        const std::array<int, 3> size = {4, 6, 5};
        const double faces = 1.0 * size[(axis + 1) % 3] * size[(axis + 2) % 3];
        INFO(names[side]);
        CHECK(fluid.sides[side].opening == Opening::INFLOW);
        CHECK_THAT(passing(fluid, side).in, WithinAbs(3.0 * 0.25 * faces, 1e-12));
        CHECK(passing(fluid, side).out == 0.0);
        CHECK_THAT(net_inflow(fluid), WithinAbs(3.0 * 0.25 * faces, 1e-12));
        CHECK(passing(fluid, side ^ 1).in == 0.0);
        set_inflow(fluid, side, -3.0, Profile::UNIFORM);
        set_bnd(fluid);
        CHECK_THAT(passing(fluid).out, WithinAbs(3.0 * 0.25 * faces, 1e-12));

        Fluid flat = axis == 0 ? Fluid(3, 8, 1) : axis == 1 ? Fluid(8, 3, 1) : Fluid(1, 8, 3);
        if (axis == 2) {
            flat.sides[0].slips = flat.sides[1].slips = true;
        }
        set_inflow(flat, side, 3.0, Profile::PARABOLIC);
        const Field& given = given_of(flat, axis);
        for (int cell = 0; cell < 8; ++cell) {
            const double y = (cell + 0.5) / 8.0;
            const int near = side % 2 == 0 ? 0 : 3;
            const double found = axis == 0   ? given(near, cell, 0)
                                 : axis == 1 ? given(cell, near, 0)
                                             : given(0, cell, near);
            CHECK_THAT(found, WithinAbs(sign * 3.0 * 4.0 * y * (1.0 - y), 1e-13));
        }
        flat.sides[side ^ 1].opening = Opening::OUTFLOW;
        project(flat, 0.1);
        INFO("all that is given leaves across");
        CHECK_THAT(passing(flat, side ^ 1).out, WithinAbs(passing(flat, side).in, 1e-8));
    }
}
