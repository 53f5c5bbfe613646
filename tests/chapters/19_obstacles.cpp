#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 7> boxes = {
    {{5, 4, 3}, {3, 6, 2}, {2, 3, 5}, {8, 5, 1}, {1, 7, 4}, {9, 1, 2}, {1, 1, 8}}};

constexpr std::array<Solver, 5> all_solvers = {Solver::GAUSS_SEIDEL, Solver::DIRECT,
                                               Solver::CONJUGATE_GRADIENTS, Solver::PRECONDITIONED,
                                               Solver::MULTIGRID};

constexpr const char* names[3] = {"u", "v", "w"};
constexpr const char* solver_names[5] = {"Gauss-Seidel", "the factors", "conjugate gradients",
                                         "preconditioned conjugate gradients", "multigrid"};

using Place = std::array<int, 3>;

Field& part_of(Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
}
const Field& part_of(const Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
}
Field& given_of(Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u_given : axis == 1 ? fluid.v_given : fluid.w_given;
}
const Field& given_of(const Fluid& fluid, int axis) {
    return axis == 0 ? fluid.u_given : axis == 1 ? fluid.v_given : fluid.w_given;
}

double along(Vector vector, int axis) {
    return axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z;
}

template <class Action>
void for_each_place(const Field& field, Action action) {
    for (int k = 0; k < field.nz; ++k) {
        for (int j = 0; j < field.ny; ++j) {
            for (int i = 0; i < field.nx; ++i) {
                action(Place{i, j, k});
            }
        }
    }
}

// ---- What is solid, told by fluid.solid alone --------------------------------------------------

enum class Lies { IN_FLUID, IN_SOLID, BEYOND };

/// What a cell is, and beyond which side it lies.
std::pair<Lies, int> where_is(const Fluid& fluid, Place at) {
    const Place size = {fluid.nx, fluid.ny, fluid.nz};
    for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] < 0 || at[axis] >= size[axis]) {
            return {Lies::BEYOND, 2 * axis + (at[axis] < 0 ? 0 : 1)};
        }
    }
    return {fluid.solid(at[0], at[1], at[2]) == 1.0 ? Lies::IN_SOLID : Lies::IN_FLUID, -1};
}

bool holds_fluid(const Fluid& fluid, Place at) {
    return where_is(fluid, at).first == Lies::IN_FLUID;
}

/// The two cells beside a face.
std::array<Place, 2> cells_beside(int axis, Place face) {
    Place before = face;
    --before[axis];
    return {before, face};
}

/// Whether fluid may cross that face as it likes: both its cells are fluid, or one is, and the
/// other lies beyond an outflow.
bool may_flow(const Fluid& fluid, int axis, Place face) {
    for (const Place& cell : cells_beside(axis, face)) {
        const auto [lies, side] = where_is(fluid, cell);
        if (lies == Lies::IN_SOLID ||
            (lies == Lies::BEYOND && fluid.sides[side].opening != Opening::OUTFLOW)) {
            return false;
        }
    }
    return true;
}

/// What the velocity of a face must be that fluid may not cross as it likes.
double expected_velocity(const Fluid& fluid, int axis, Place face) {
    return given_of(fluid, axis)(face[0], face[1], face[2]);
}

/// Gives the faces of solids the velocity `speed` along an axis. The walls of the box stay at rest.
void move_solids(Fluid& fluid, int axis, double speed) {
    for_each_place(given_of(fluid, axis), [&](Place at) {
        bool is_moved = false;
        bool is_rim = false;
        for (const Place& cell : cells_beside(axis, at)) {
            const Lies lies = where_is(fluid, cell).first;
            is_moved = is_moved || lies == Lies::IN_SOLID;
            is_rim = is_rim || lies == Lies::BEYOND;
        }
        given_of(fluid, axis)(at[0], at[1], at[2]) = is_moved && !is_rim ? speed : 0.0;
    });
}

/// Lets the walls of the box be at rest: the faces of its closed sides get the velocity 0.
void rest_walls(Fluid& fluid) {
    for (int axis = 0; axis < 3; ++axis) {
        for_each_place(given_of(fluid, axis), [&](Place at) {
            for (const Place& cell : cells_beside(axis, at)) {
                const auto [lies, side] = where_is(fluid, cell);
                if (lies == Lies::BEYOND && fluid.sides[side].opening == Opening::CLOSED) {
                    given_of(fluid, axis)(at[0], at[1], at[2]) = 0.0;
                }
            }
        });
    }
}

/// A box full of numbers with solids in it, about a third of all cells, each of whose faces moves
/// in its own way. Never are all cells solid, nor none.
Fluid box_with_solids(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.4;
    fluid.rho = 1.7;
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    make_bumpy(fluid.u_given, seed + 4);
    make_bumpy(fluid.v_given, seed + 5);
    make_bumpy(fluid.w_given, seed + 6);
    make_bumpy(fluid.solid, seed + 7);
    for (double& value : fluid.solid.values) {
        value = value < -0.35 ? 1.0 : 0.0;
    }
    fluid.solid.values[1] = 1.0;
    fluid.solid.values[nx * ny * nz - 2] = 0.0;
    rest_walls(fluid);
    set_bnd(fluid);
    return fluid;
}

/// The same with openings: none; one outflow; an inflow and an outflow; and so on.
Fluid open_box_with_solids(int nx, int ny, int nz, int openings, std::uint32_t seed) {
    Fluid fluid = box_with_solids(nx, ny, nz, seed);
    const auto open = [&](int side, Opening opening) { fluid.sides[side].opening = opening; };
    if (openings == 1) {
        open(1, Opening::OUTFLOW);
    } else if (openings == 2) {
        open(2, Opening::INFLOW);
        open(4, Opening::OUTFLOW);
    } else if (openings == 3) {
        open(0, Opening::OUTFLOW);
        open(3, Opening::OUTFLOW);
        open(5, Opening::INFLOW);
    }
    set_bnd(fluid);
    return fluid;
}

std::string words_of_box(const Fluid& fluid) {
    std::string words = "box " + words_of(fluid.nx, fluid.ny, fluid.nz) + ", solid cells:";
    for (std::size_t cell = 0; cell < fluid.solid.values.size(); ++cell) {
        words += fluid.solid.values[cell] == 1.0 ? " " + std::to_string(cell) : "";
    }
    for (int side = 0; side < 6; ++side) {
        const Opening opening = fluid.sides[side].opening;
        words += opening == Opening::OUTFLOW  ? ", outflow " + std::to_string(side)
                 : opening == Opening::INFLOW ? ", inflow " + std::to_string(side)
                                              : "";
    }
    return words;
}

/// A closed box that a wall parts in two, across the axis. Both parts have a size of their own.
Fluid parted_box(int axis, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(axis == 0 ? 7 : 3, axis == 1 ? 7 : 2, axis == 2 ? 7 : 2, seed);
    for_each_place(fluid.solid,
                   [&](Place at) { fluid.solid(at[0], at[1], at[2]) = at[axis] == 2 ? 1.0 : 0.0; });
    fluid.tolerance = 1e-13;
    fluid.iterations = 20000;
    set_bnd(fluid);
    return fluid;
}

// ---- The equations, told cell by cell and face by face -----------------------------------------

/// A, dense, told cell by cell. The row of a cell without an equation is empty.
Eigen::MatrixXd dense_matrix(const Fluid& fluid) {
    const auto count = static_cast<Eigen::Index>(fluid.solid.values.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
    for_each_place(fluid.solid, [&](Place at) {
        const int row = fluid.solid.IX(at[0], at[1], at[2]);
        for (int side = 0; side < 6 && holds_fluid(fluid, at); ++side) {
            Place beside = at;
            beside[side / 2] += side % 2 == 0 ? -1 : 1;
            const auto [lies, beyond] = where_is(fluid, beside);
            if (lies == Lies::IN_FLUID) {
                matrix(row, row) += 1.0;
                matrix(row, fluid.solid.IX(beside[0], beside[1], beside[2])) -= 1.0;
            } else if (lies == Lies::BEYOND && fluid.sides[beyond].opening == Opening::OUTFLOW) {
                matrix(row, row) += 1.0;
            }
        }
    });
    return matrix;
}

/// What a projection must do, by a dense matrix and its pseudo-inverse. This leaves out what no
/// pressure can balance, and takes the pressure whose mean in each closed component is 0.
Fluid projected_densely(Fluid fluid, double dt) {
    for (int axis = 0; axis < 3; ++axis) {
        for_each_place(part_of(fluid, axis), [&](Place at) {
            if (!may_flow(fluid, axis, at)) {
                part_of(fluid, axis)(at[0], at[1], at[2]) = expected_velocity(fluid, axis, at);
            }
        });
    }
    const auto count = static_cast<Eigen::Index>(fluid.solid.values.size());
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(count);
    for_each_place(fluid.solid, [&](Place at) {
        if (holds_fluid(fluid, at)) {
            double leaves = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
                Place far = at;
                ++far[axis];
                const Field& faces = part_of(fluid, axis);
                leaves += faces(far[0], far[1], far[2]) - faces(at[0], at[1], at[2]);
            }
            rhs[fluid.solid.IX(at[0], at[1], at[2])] = -fluid.rho * fluid.h / dt * leaves;
        }
    });
    const Eigen::VectorXd p = algebra::pseudo_inverse(dense_matrix(fluid)) * rhs;
    fluid.pressure.values.assign(p.begin(), p.end());
    for (int axis = 0; axis < 3; ++axis) {
        for_each_place(part_of(fluid, axis), [&](Place at) {
            if (may_flow(fluid, axis, at)) {
                const auto [before, after] = cells_beside(axis, at);
                const auto p_in = [&](Place cell) {
                    return holds_fluid(fluid, cell) ? fluid.pressure(cell[0], cell[1], cell[2])
                                                    : 0.0;
                };
                part_of(fluid, axis)(at[0], at[1], at[2]) -=
                    dt / (fluid.rho * fluid.h) * (p_in(after) - p_in(before));
            }
        });
    }
    return fluid;
}

/// The largest divergence of a cell of fluid.
double divergence_left(const Fluid& fluid) {
    double found = 0.0;
    for_each_place(fluid.solid, [&](Place at) {
        if (holds_fluid(fluid, at)) {
            found = larger(found, std::abs(divergence_at(fluid, at[0], at[1], at[2])));
        }
    });
    return found;
}

/// The solution of the equations of viscosity for one part of the velocity, dense: each face that
/// is not free keeps its velocity.
Eigen::VectorXd diffused_densely(const Fluid& fluid, int axis, double dt) {
    const Field& faces = part_of(fluid, axis);
    const auto count = static_cast<Eigen::Index>(faces.values.size());
    const double a = fluid.nu * dt / (fluid.h * fluid.h);
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(count, count);
    Eigen::VectorXd right = as_vector(faces);
    for_each_place(faces, [&](Place at) {
        const int row = faces.IX(at[0], at[1], at[2]);
        for (int side = 0; side < 6 && may_flow(fluid, axis, at); ++side) {
            Place next = at;
            next[side / 2] += side % 2 == 0 ? -1 : 1;
            if (faces.has(next[0], next[1], next[2])) {
                const auto [one, other] = cells_beside(axis, next);
                const bool is_in_solid = !holds_fluid(fluid, one) && !holds_fluid(fluid, other);
                const double share = is_in_solid ? 2.0 : 1.0;  // its wall is half as far away
                matrix(row, row) += share * a;
                matrix(row, faces.IX(next[0], next[1], next[2])) -= share * a;
            } else if (fluid.sides[side].opening != Opening::OUTFLOW && !fluid.sides[side].slips) {
                matrix(row, row) += 2.0 * a;
                right[row] += 2.0 * a * along(fluid.sides[side].velocity, axis);
            }
        }
    });
    return algebra::solve(matrix, right);
}

/// Whether the equation of a cell is there: it is fluid, and has a neighbour to flow to.
bool has_equation(const Eigen::MatrixXd& A, int row) {
    return A(row, row) > 0.0;
}

/// The components of A, each as the rows that it joins to the first, directly or through others.
std::vector<std::vector<int>> components_of(const Eigen::MatrixXd& A) {
    const int rows = static_cast<int>(A.rows());
    std::vector<int> least(rows);  // of the rows of its component
    std::iota(least.begin(), least.end(), 0);
    for (int n = 0; n < rows; ++n) {
        for (int row = 0; row < rows; ++row) {
            for (int other = 0; other < rows; ++other) {
                if (A(row, other) != 0.0) {
                    least[row] = std::min(least[row], least[other]);
                }
            }
        }
    }
    std::vector<std::vector<int>> found(rows);
    for (int row = 0; row < rows; ++row) {
        if (has_equation(A, row)) {
            found[least[row]].push_back(row);
        }
    }
    std::erase_if(found, [](const std::vector<int>& points) { return points.empty(); });
    return found;
}

/// Whether A maps a constant on these rows to 0.
bool is_in_null_space(const Eigen::MatrixXd& A, const std::vector<int>& points) {
    Eigen::VectorXd ones = Eigen::VectorXd::Zero(A.rows());
    for (const int point : points) {
        ones[point] = 1.0;
    }
    return (A * ones).cwiseAbs().maxCoeff() == 0.0;
}

bool same_bits(const Field& a, const Field& b) {
    return a.values == b.values;
}

bool same_velocities(const Fluid& a, const Fluid& b) {
    return same_bits(a.u, b.u) && same_bits(a.v, b.v) && same_bits(a.w, b.w);
}

/// A box with solids, mirrored from end to end along one axis.
Fluid mirrored_with_solids(const Fluid& fluid, int axis) {
    Fluid result = mirrored(fluid, axis);
    Fluid given = fluid;
    given.u = fluid.u_given;
    given.v = fluid.v_given;
    given.w = fluid.w_given;
    given.density = fluid.solid;
    given = mirrored(given, axis);
    result.u_given = given.u;
    result.v_given = given.v;
    result.w_given = given.w;
    result.solid.values = given.density.values;
    std::swap(result.sides[2 * axis], result.sides[2 * axis + 1]);
    for (Side& side : result.sides) {
        (axis == 0 ? side.velocity.x : axis == 1 ? side.velocity.y : side.velocity.z) *= -1.0;
    }
    set_bnd(result);
    return result;
}

/// A box with solids, turned so that x becomes y, y becomes z and z becomes x.
Fluid rotated(const Fluid& fluid) {
    Fluid result(fluid.nz, fluid.nx, fluid.ny);
    const auto turn = [](Field& to, const Field& from) {
        for_each_place(from,
                       [&](Place at) { to(at[2], at[0], at[1]) = from(at[0], at[1], at[2]); });
    };
    turn(result.v, fluid.u);
    turn(result.w, fluid.v);
    turn(result.u, fluid.w);
    turn(result.v_given, fluid.u_given);
    turn(result.w_given, fluid.v_given);
    turn(result.u_given, fluid.w_given);
    turn(result.density, fluid.density);
    turn(result.pressure, fluid.pressure);
    turn(result.solid, fluid.solid);
    for (int side = 0; side < 6; ++side) {
        Side& to = result.sides[(side + 2) % 6];
        to = fluid.sides[side];
        const Vector velocity = fluid.sides[side].velocity;
        to.velocity = {velocity.z, velocity.x, velocity.y};
    }
    result.h = fluid.h;
    result.rho = fluid.rho;
    result.nu = fluid.nu;
    result.tolerance = fluid.tolerance;
    result.iterations = fluid.iterations;
    result.solver = fluid.solver;
    result.advection = fluid.advection;
    set_bnd(result);
    return result;
}

}  // namespace

// ---- What is solid -----------------------------------------------------------------------------

TEST_CASE("a solid cell has its label as soon as fluid.solid says so", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = open_box_with_solids(nx, ny, nz, 2, 3);
        for_each_place(fluid.solid, [&](Place at) {
            INFO(words_of_box(fluid) << "; cell " << words_of(at[0], at[1], at[2])
                                     << ": is it solid where fluid.solid is 1?");
            CHECK(is_solid(fluid, at[0], at[1], at[2]) == !holds_fluid(fluid, at));
            CHECK(label_at(fluid, at[0], at[1], at[2]) ==
                  (holds_fluid(fluid, at) ? Label::FLUID : Label::SOLID));
        });
        INFO("beyond the box the sides say what there is, whatever is solid beside them");
        std::fill(fluid.solid.values.begin(), fluid.solid.values.end(), 1.0);
        CHECK(label_at(fluid, -1, 0, 0) == Label::SOLID);
        CHECK(label_at(fluid, 0, -1, 0) == Label::SOLID);
        CHECK(label_at(fluid, 0, 0, -1) == Label::AIR);
        INFO("nothing is called after a change of fluid.solid");
        fluid.solid.values[0] = 0.0;
        CHECK(label_at(fluid, 0, 0, 0) == Label::FLUID);
        CHECK(label_at(fluid, nx - 1, ny - 1, nz - 1) == Label::SOLID);
    }
}

TEST_CASE("neither dye nor a push gets into a solid", "[19_obstacles]") {
    Fluid fluid = box_with_solids(5, 4, 3, 11);
    const Fluid before = fluid;
    int pushed = 0;
    for_each_place(fluid.solid, [&](Place at) {
        add_density(fluid, at[0], at[1], at[2], 2.0);
        add_velocity(fluid, at[0], at[1], at[2], {1.0, -2.0, 3.0});
        INFO("cell " << words_of(at[0], at[1], at[2]));
        CHECK(fluid.density(at[0], at[1], at[2]) - before.density(at[0], at[1], at[2]) ==
              (holds_fluid(fluid, at) ? 2.0 : 0.0));
        pushed += holds_fluid(fluid, at) ? 0 : 1;
    });
    CHECK(pushed > 10);
    for (int axis = 0; axis < 3; ++axis) {
        for_each_place(part_of(fluid, axis), [&](Place at) {
            if (!may_flow(fluid, axis, at)) {
                INFO(names[axis] << words_of(at[0], at[1], at[2]) << " is a face of a solid");
                CHECK(part_of(fluid, axis)(at[0], at[1], at[2]) ==
                      expected_velocity(fluid, axis, at));
            }
        });
    }
}

TEST_CASE("what a solid cell holds stays in it", "[19_obstacles]") {
    for (const Advection advection : {Advection::LINEAR, Advection::SHARP}) {
        Fluid fluid = box_with_solids(6, 5, 4, 13);
        fluid.advection = advection;
        const Fluid before = fluid;
        advect_density(fluid, 0.3);
        int kept = 0;
        double moved = 0.0;
        for_each_place(fluid.solid, [&](Place at) {
            const double change =
                fluid.density(at[0], at[1], at[2]) - before.density(at[0], at[1], at[2]);
            if (holds_fluid(fluid, at)) {
                moved = larger(moved, std::abs(change));
                return;
            }
            INFO("cell " << words_of(at[0], at[1], at[2])
                         << ", whose faces move: is a solid cell left alone?");
            CHECK(change == 0.0);
            ++kept;
        });
        CHECK(kept > 10);
        CHECK(moved > 0.01);
    }
}

// ---- The faces of solids -----------------------------------------------------------------------

TEST_CASE("set_given gives a solid's faces its velocity, and no others", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = box_with_solids(nx, ny, nz, 17);
        int given = 0;
        for (int axis = 0; axis < 3; ++axis) {
            Field faces = part_of(fluid, axis);
            make_bumpy(faces, 18);
            const Field before = faces;
            set_given(fluid, faces, given_of(fluid, axis));
            for_each_place(faces, [&](Place at) {
                INFO(words_of_box(fluid)
                     << "; " << names[axis] << words_of(at[0], at[1], at[2])
                     << ": is a face between fluid and solid closed, and does it "
                        "move as the solid does?");
                const bool is_free = may_flow(fluid, axis, at);
                CHECK(faces(at[0], at[1], at[2]) ==
                      (is_free ? before : given_of(fluid, axis))(at[0], at[1], at[2]));
                given += is_free ? 0 : 1;
            });
        }
        CHECK(given > 3);
    }
}

TEST_CASE("set_bnd closes the faces of solids, and still those of the box", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            Fluid fluid = open_box_with_solids(nx, ny, nz, openings, 19);
            for (int axis = 0; axis < 3; ++axis) {
                make_bumpy(part_of(fluid, axis), 20 + axis);
            }
            const Fluid before = fluid;
            set_bnd(fluid);
            for (int axis = 0; axis < 3; ++axis) {
                for_each_place(part_of(fluid, axis), [&](Place at) {
                    INFO(words_of_box(fluid) << "; " << names[axis] << words_of(at[0], at[1], at[2])
                                             << ": do the faces of solids have their velocity?");
                    const double now = part_of(fluid, axis)(at[0], at[1], at[2]);
                    CHECK(now == (may_flow(fluid, axis, at)
                                      ? part_of(before, axis)(at[0], at[1], at[2])
                                      : expected_velocity(fluid, axis, at)));
                });
            }
        }
    }
}

// ---- A, and the right-hand side ----------------------------------------------------------------

TEST_CASE("solids have no weight and no equation", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            Fluid fluid = open_box_with_solids(nx, ny, nz, openings, 31);
            make_bumpy(fluid.pressure, 32);
            const Eigen::MatrixXd A = dense_matrix(fluid);
            const Eigen::VectorXd p = as_vector(fluid.pressure);
            const Matrix found = pressure_matrix(fluid);
            for_each_place(fluid.solid, [&](Place at) {
                const int row = fluid.solid.IX(at[0], at[1], at[2]);
                INFO(words_of_box(fluid) << "; cell " << words_of(at[0], at[1], at[2])
                                         << ": are only its faces counted that no solid touches?");
                CHECK(found.diagonal(at[0], at[1], at[2]) == A(row, row));
            });
            for (int axis = 0; axis < 3; ++axis) {
                const Field& weights = axis == 0 ? found.x : axis == 1 ? found.y : found.z;
                for_each_place(weights, [&](Place at) {
                    INFO(words_of_box(fluid)
                         << "; the face of " << names[axis] << words_of(at[0], at[1], at[2])
                         << ": has it a weight just where fluid may cross it?");
                    CHECK(weights(at[0], at[1], at[2]) == (may_flow(fluid, axis, at) ? 1.0 : 0.0));
                });
            }
            Field result = fluid.pressure;
            multiply(found, fluid.pressure, result);
            CHECK((as_vector(result) - A * p).cwiseAbs().maxCoeff() < 1e-13);
            Eigen::MatrixXd with_ones = A;
            for (Eigen::Index row = 0; row < A.rows(); ++row) {
                with_ones(row, row) += has_equation(A, static_cast<int>(row)) ? 0.0 : 1.0;
            }
            INFO(words_of_box(fluid) << ": has Eigen's matrix a 1 where there is no equation?");
            CHECK((Eigen::MatrixXd(assemble_matrix(found)) - with_ones).cwiseAbs().maxCoeff() ==
                  0.0);
        }
    }
}

TEST_CASE("where there is no equation the right-hand side is 0", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = box_with_solids(nx, ny, nz, 29);
        make_bumpy(fluid.rhs, 30);
        const Eigen::MatrixXd A = dense_matrix(fluid);
        update_matrix(fluid);
        right_hand_side(fluid, 0.1);
        for_each_place(fluid.solid, [&](Place at) {
            INFO(words_of_box(fluid) << "; cell " << words_of(at[0], at[1], at[2])
                                     << ": what moves like a solid flows together nowhere");
            const double divergence = divergence_at(fluid, at[0], at[1], at[2]);
            const bool has = has_equation(A, fluid.solid.IX(at[0], at[1], at[2]));
            CHECK_THAT(fluid.rhs(at[0], at[1], at[2]),
                       WithinAbs(has ? -1.7 * 0.16 / 0.1 * divergence : 0.0, 1e-12));
        });
    }
}

TEST_CASE("a fluid cell between solids on all sides has no equation", "[19_obstacles]") {
    Fluid fluid = bumpy_fluid(3, 3, 1, 33);
    std::fill(fluid.solid.values.begin(), fluid.solid.values.end(), 1.0);
    fluid.solid(1, 1, 0) = 0.0;
    fluid.u_given(2, 1, 0) = 0.5;  // the solid on the right moves away from it
    for (int n = 0; n < 5; ++n) {
        const Fluid after = projected(fluid, all_solvers[n], 0.1);
        INFO("by " << solver_names[n] << ": nothing that its pressure could move");
        CHECK(label_at(after, 1, 1, 0) == Label::FLUID);
        CHECK_FALSE(after.matrix.has(1, 1, 0));
        CHECK(after.closed.empty());
        CHECK(largest(after.pressure) == 0.0);
        CHECK_THAT(divergence_at(after, 1, 1, 0), WithinAbs(0.5, 1e-14));
    }
}

// ---- Components --------------------------------------------------------------------------------

TEST_CASE("find_component finds all that a cell is joined to, and marks it", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            const Fluid fluid = open_box_with_solids(nx, ny, nz, openings, 35);
            const Eigen::MatrixXd A = dense_matrix(fluid);
            for (const std::vector<int>& expected : components_of(A)) {
                for (const int first : {expected.front(), expected.back()}) {
                    std::vector<bool> is_found(fluid.solid.values.size(), false);
                    Component found = find_component(pressure_matrix(fluid), first, is_found);
                    INFO(words_of_box(fluid)
                         << "; from cell " << first
                         << ": are all cells found that it is joined to, once?");
                    std::sort(found.points.begin(), found.points.end());
                    CHECK(found.points == expected);
                    std::vector<int> marked;
                    for (std::size_t point = 0; point < is_found.size(); ++point) {
                        if (is_found[point]) {
                            marked.push_back(static_cast<int>(point));
                        }
                    }
                    CHECK(marked == expected);
                    INFO("is it closed unless one of its faces is an outflow?");
                    CHECK(found.is_closed == is_in_null_space(A, expected));
                }
            }
        }
    }
}

TEST_CASE("each closed component is found, once, with all its cells", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            const Fluid fluid = open_box_with_solids(nx, ny, nz, openings, 37);
            const Eigen::MatrixXd A = dense_matrix(fluid);
            std::vector<std::vector<int>> expected;
            for (const std::vector<int>& points : components_of(A)) {
                if (is_in_null_space(A, points)) {
                    expected.push_back(points);
                }
            }
            std::vector<std::vector<int>> found = closed_components(pressure_matrix(fluid));
            for (std::vector<int>& points : found) {
                std::sort(points.begin(), points.end());
            }
            INFO(words_of_box(fluid)
                 << ": each component that no outflow reaches, with all its cells");
            CHECK(found == expected);
            INFO("as many as A has eigenvalues that are 0, besides the empty rows");
            Eigen::Index zeros = 0;
            for (const double eigenvalue : algebra::eigenvalues(A)) {
                zeros += std::abs(eigenvalue) < 1e-9 ? 1 : 0;
            }
            for (int row = 0; row < static_cast<int>(A.rows()); ++row) {
                zeros -= has_equation(A, row) ? 0 : 1;
            }
            CHECK(static_cast<Eigen::Index>(found.size()) == zeros);
        }
    }
}

TEST_CASE("components are found when the matrix changes, and then only", "[19_obstacles]") {
    Fluid fluid = parted_box(0, 39);
    update_matrix(fluid);
    CHECK(fluid.matrix == pressure_matrix(fluid));
    CHECK(fluid.closed.size() == 2);
    fluid.solid(2, 0, 0) = 0.0;
    update_matrix(fluid);
    INFO("the wall has a hole: is there one component left?");
    CHECK(fluid.matrix == pressure_matrix(fluid));
    CHECK(fluid.closed.size() == 1);
    fluid.sides[5].opening = Opening::OUTFLOW;
    update_matrix(fluid);
    INFO("it has an outflow: is none closed?");
    CHECK(fluid.closed.empty());
    fluid.sides[5].opening = Opening::CLOSED;
    update_matrix(fluid);
    CHECK(fluid.closed.size() == 1);
    fluid.closed.clear();
    update_matrix(fluid);
    INFO("the matrix is the same: are the components looked for again?");
    CHECK(fluid.closed.empty());
}

TEST_CASE("every closed component loses its own mean, and no other", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            const Fluid fluid = open_box_with_solids(nx, ny, nz, openings, 41);
            Field x = fluid.pressure;
            make_bumpy(x, 42);
            const Eigen::MatrixXd A = dense_matrix(fluid);
            Eigen::VectorXd expected = algebra::pseudo_inverse(A) * (A * as_vector(x));
            for (int row = 0; row < static_cast<int>(A.rows()); ++row) {
                if (!has_equation(A, row)) {
                    expected[row] = x.values[row];
                }
            }
            for (const std::vector<int>& points : closed_components(pressure_matrix(fluid))) {
                subtract_mean(x, points);
            }
            INFO(words_of_box(fluid) << ": is the mean of each closed component 0, and is what an "
                                        "outflow reaches left alone?");
            CHECK((as_vector(x) - expected).cwiseAbs().maxCoeff() < 1e-12);
            INFO("and there are solids: cell number 1 is one");
            CHECK(label_at(fluid, 1 % nx, 1 / nx % ny, 1 / nx / ny) == Label::SOLID);
        }
    }
}

TEST_CASE("the defect is that of the worst component", "[19_obstacles]") {
    for (int axis = 0; axis < 3; ++axis) {
        for (const int part : {0, 1}) {
            Fluid fluid = parted_box(axis, 43);
            int n = 0;
            for_each_place(fluid.rhs, [&](Place at) {
                const bool is_part = part == 0 ? at[axis] < 2 : at[axis] > 2;
                fluid.rhs(at[0], at[1], at[2]) = is_part ? (++n == 1 ? -1.0 : 2.0) : 0.0;
            });
            const double sum = 2.0 * (n - 1) - 1.0;
            update_matrix(fluid);
            solve_pressure(fluid);
            INFO("a box that a wall parts across axis " << axis << ", part " << part
                                                        << ": the largest of all defects");
            CHECK_THAT(fluid.compatibility_defect, WithinAbs(sum / (2.0 * (n - 1) + 1.0), 1e-14));
            INFO("what is left of the right-hand side is compatible");
            solve_pressure(fluid);
            CHECK(fluid.compatibility_defect < 1e-14);
        }
    }
}

// ---- The pressure ------------------------------------------------------------------------------

TEST_CASE("a gradient moves no face of a solid", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = open_box_with_solids(nx, ny, nz, 3, 47);
        const Fluid before = fluid;
        update_matrix(fluid);
        make_bumpy(fluid.pressure, 48);  // in solids as well
        subtract_gradient(fluid, 0.1);
        for (int axis = 0; axis < 3; ++axis) {
            for_each_place(part_of(fluid, axis), [&](Place at) {
                if (!may_flow(fluid, axis, at)) {
                    INFO(words_of_box(fluid) << "; " << names[axis] << words_of(at[0], at[1], at[2])
                                             << ": the pressure moves the fluid, not the solid");
                    CHECK(part_of(fluid, axis)(at[0], at[1], at[2]) ==
                          part_of(before, axis)(at[0], at[1], at[2]));
                }
            });
        }
    }
}

TEST_CASE("each solver finds the pressure between solids", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            const Fluid before = open_box_with_solids(nx, ny, nz, openings, 53);
            const Fluid expected = projected_densely(before, 0.1);
            REQUIRE(largest(expected.pressure) > 0.01);
            for (int n = 0; n < 5; ++n) {
                Fluid fluid = projected(before, all_solvers[n], 0.1);
                INFO(words_of_box(fluid)
                     << "; by " << solver_names[n]
                     << ", against a pseudo-inverse: has each closed component a "
                        "pressure of its own whose mean is 0?");
                CHECK(distance(fluid.pressure, expected.pressure) < 1e-9);
                for (int axis = 0; axis < 3; ++axis) {
                    CHECK(distance(part_of(fluid, axis), part_of(expected, axis)) < 1e-9);
                }
                for_each_place(fluid.solid, [&](Place at) {
                    if (!holds_fluid(fluid, at)) {
                        INFO("a solid has no pressure");
                        CHECK(fluid.pressure(at[0], at[1], at[2]) == 0.0);
                    }
                });
            }
        }
    }
}

TEST_CASE("where the solids are at rest no divergence is left", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1}) {
            Fluid fluid = open_box_with_solids(nx, ny, nz, openings, 59);
            for (int axis = 0; axis < 3; ++axis) {
                Field& given = given_of(fluid, axis);
                std::fill(given.values.begin(), given.values.end(), 0.0);
            }
            for (int n = 1; n < 5; ++n) {
                const Fluid after = projected(fluid, all_solvers[n], 0.1);
                INFO(words_of_box(fluid) << "; by " << solver_names[n]);
                CHECK(divergence_left(after) < 1e-10);
                CHECK(after.compatibility_defect < 1e-10);
                INFO("and there are solids: cell number 1 is one");
                CHECK_FALSE(after.matrix.has(1 % nx, 1 / nx % ny, 1 / nx / ny));
            }
        }
    }
}

TEST_CASE("neither factors nor grids are kept when other cells become solid", "[19_obstacles]") {
    for (const Solver solver : {Solver::DIRECT, Solver::MULTIGRID}) {
        Fluid fluid = box_with_solids(6, 5, 2, 61);
        fluid = projected(fluid, solver, 0.1);
        REQUIRE((fluid.factors || !fluid.levels.empty()));
        for_each_place(fluid.solid, [&](Place at) {
            double& solid = fluid.solid(at[0], at[1], at[2]);
            solid = at[0] < 5 ? fluid.solid(at[0] + 1, at[1], at[2]) : 0.0;
        });
        make_bumpy(fluid.u, 62);
        const Fluid expected = projected_densely(fluid, 0.1);
        const Fluid found = projected(fluid, solver, 0.1);
        INFO(
            "all solids have moved by a cell: A is another matrix. Are factors and grids those "
            "of this one?");
        CHECK(distance(found.pressure, expected.pressure) < 1e-10);
        INFO("and are the factors kept as long as the solids stay?");
        const Fluid again = projected(found, solver, 0.1);
        CHECK(again.factors == found.factors);
    }
}

// ---- Bodies ------------------------------------------------------------------------------------

TEST_CASE("a body at rest is not crossed, and a moving one pushes", "[19_obstacles]") {
    for (int axis = 0; axis < 3; ++axis) {
        for (const double speed : {0.0, 0.7, -1.3}) {
            Fluid fluid = bumpy_fluid(axis == 0 ? 9 : 6, axis == 1 ? 9 : 5, axis == 2 ? 9 : 4, 67);
            fluid.nu = 0.05;
            fluid.tolerance = 1e-12;
            fluid.iterations = 1000;
            for_each_place(fluid.solid, [&](Place at) {
                const bool is_body = at[axis] >= 3 && at[axis] < 5 && at[(axis + 1) % 3] >= 1 &&
                                     at[(axis + 1) % 3] < 4 && at[(axis + 2) % 3] == 2;
                fluid.solid(at[0], at[1], at[2]) = is_body ? 1.0 : 0.0;
            });
            move_solids(fluid, axis, speed);
            for (const Advection advection :
                 {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
                fluid.advection = advection;
                for (int n = 0; n < 3; ++n) {
                    step(fluid, 0.1);
                }
                INFO("axis " << axis << ", a body that moves with " << speed);
                CHECK(divergence_left(fluid) < 1e-9);
                CHECK(fluid.compatibility_defect < 1e-9);
                for (int other = 0; other < 3; ++other) {
                    for_each_place(part_of(fluid, other), [&](Place at) {
                        if (!may_flow(fluid, other, at)) {
                            CHECK(part_of(fluid, other)(at[0], at[1], at[2]) ==
                                  expected_velocity(fluid, other, at));
                        }
                    });
                }
            }
        }
    }
}

TEST_CASE("a piston in a closed box has nowhere to push to", "[19_obstacles]") {
    for (int axis = 0; axis < 3; ++axis) {
        Fluid fluid = parted_box(axis, 71);
        for (int other = 0; other < 3; ++other) {
            std::fill(part_of(fluid, other).values.begin(), part_of(fluid, other).values.end(),
                      0.0);
        }
        move_solids(fluid, axis, 0.5);
        for (int n = 0; n < 5; ++n) {
            Fluid after = projected(fluid, all_solvers[n], 0.1);
            INFO("a piston across axis " << axis << ", by " << solver_names[n]
                                         << ": each part of the box has its own defect, 1");
            CHECK_THAT(after.compatibility_defect, WithinAbs(1.0, 1e-12));
            INFO("what cannot be is left out: each part is squeezed or stretched evenly");
            for_each_place(after.solid, [&](Place at) {
                if (holds_fluid(after, at)) {
                    const double expected = at[axis] < 2 ? 0.5 / 2.0 : -0.5 / 4.0;
                    CHECK_THAT(divergence_at(after, at[0], at[1], at[2]),
                               WithinAbs(expected, 1e-10));
                }
            });
        }
        INFO("with an outflow behind it there is a way out");
        fluid.sides[2 * axis + 1].opening = Opening::OUTFLOW;
        fluid.sides[2 * axis].opening = Opening::OUTFLOW;
        const Fluid open = projected(fluid, Solver::MULTIGRID, 0.1);
        CHECK(open.compatibility_defect == 0.0);
        CHECK(divergence_left(open) < 1e-10);
        CHECK_THAT(part_of(open, axis)(axis == 0 ? 7 : 0, axis == 1 ? 7 : 0, axis == 2 ? 7 : 0),
                   WithinAbs(0.5, 1e-10));
    }
}

TEST_CASE("a box of solid has no fluid, and nothing goes wrong", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : {std::array{4, 3, 2}, {1, 1, 1}, {5, 1, 1}}) {
        for (const int openings : {0, 1, 3}) {
            Fluid fluid = bumpy_fluid(nx, ny, nz, 73);
            fluid.nu = 0.1;
            fluid.sides[1].opening = openings > 0 ? Opening::OUTFLOW : Opening::CLOSED;
            fluid.sides[2].opening = openings > 1 ? Opening::INFLOW : Opening::CLOSED;
            std::fill(fluid.solid.values.begin(), fluid.solid.values.end(), 1.0);
            for (int n = 0; n < 5; ++n) {
                fluid.solver = all_solvers[n];
                fluid.advection = n % 2 == 0 ? Advection::REFLECTED : Advection::LINEAR;
                step(fluid, 0.1);
                step(fluid, 0.1);
                INFO("box " << words_of(nx, ny, nz) << ", by " << solver_names[n]);
                CHECK(largest(fluid.u) + largest(fluid.v) + largest(fluid.w) == 0.0);
                CHECK(largest(fluid.pressure) == 0.0);
                CHECK(fluid.compatibility_defect == 0.0);
            }
        }
    }
}

// ---- Viscosity ---------------------------------------------------------------------------------

TEST_CASE("is_within_solid: no cell beside the face is fluid", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        const Fluid fluid = box_with_solids(nx, ny, nz, 79);
        int within = 0;
        for (int axis = 0; axis < 3; ++axis) {
            for_each_place(part_of(fluid, axis), [&](Place at) {
                const auto [one, other] = cells_beside(axis, at);
                const bool expected = !holds_fluid(fluid, one) && !holds_fluid(fluid, other);
                INFO(words_of_box(fluid) << "; " << names[axis] << words_of(at[0], at[1], at[2])
                                         << ": within a solid is where neither cell is fluid");
                CHECK(is_within_solid(fluid, part_of(fluid, axis), at[0], at[1], at[2]) ==
                      expected);
                within += expected ? 1 : 0;
            });
        }
        CHECK(within > 0);
    }
}

TEST_CASE("viscosity holds the fluid to the solids, wherever they are", "[19_obstacles]") {
    for (const auto& [nx, ny, nz] : boxes) {
        for (const int openings : {0, 1, 2, 3}) {
            Fluid before = open_box_with_solids(nx, ny, nz, openings, 83);
            before.nu = 0.6;
            for (int side = 0; side < 6; ++side) {
                before.sides[side].slips = side % 3 == 1;
                before.sides[side].velocity = {0.4 + side, 1.1 - 0.3 * side, -0.7 + 0.6 * side};
            }
            Fluid fluid = before;
            diffuse_velocity(fluid, 0.3);
            for (int axis = 0; axis < 3; ++axis) {
                const Field& faces = part_of(fluid, axis);
                const Eigen::VectorXd expected = diffused_densely(before, axis, 0.3);
                INFO(words_of_box(fluid)
                     << "; " << names[axis]
                     << ": the wall of a solid lies half way to a face within it, "
                        "so this counts 2, with the solid's velocity");
                CHECK((as_vector(faces) - expected).cwiseAbs().maxCoeff() < 1e-11);
            }
        }
    }
}

TEST_CASE("channels between solids flow like channels between walls", "[19_obstacles]") {
    // Viscosity and pressure alone: a row of solid cells above and below, and a box without them.
    for (const double speed : {0.0, 0.8}) {
        Fluid bare = bumpy_fluid(7, 4, 1, 89);
        Fluid lined(7, 6, 1);
        for (int j = 0; j < 6; ++j) {
            for (int i = 0; i < 7; ++i) {
                lined.solid(i, j, 0) = j == 0 || j == 5 ? 1.0 : 0.0;
            }
            for (int i = 0; i <= 7; ++i) {
                lined.u_given(i, 0, 0) = i == 0 ? 0.0 : speed;  // the upper solid slides along
            }
        }
        bare.sides[2].velocity.x = speed;
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i <= 7; ++i) {
                lined.u(i, j + 1, 0) = bare.u(i, j, 0);
            }
        }
        for (int j = 0; j <= 4; ++j) {
            for (int i = 0; i < 7; ++i) {
                lined.v(i, j + 1, 0) = bare.v(i, j, 0);
            }
        }
        for (Fluid* fluid : {&bare, &lined}) {
            fluid->nu = 0.3;
            fluid->tolerance = 1e-13;
            fluid->iterations = 2000;
            fluid->sides[1].opening = Opening::OUTFLOW;
            set_bnd(*fluid);
            for (int n = 0; n < 3; ++n) {
                diffuse_velocity(*fluid, 0.2);
                project(*fluid, 0.2);
            }
        }
        for (int j = 0; j < 4; ++j) {
            for (int i = 1; i <= 7; ++i) {
                INFO("u(" << i << ", " << j << "), the upper wall at " << speed
                          << ": does a solid hold the fluid as a wall of the box does?");
                CHECK_THAT(lined.u(i, j + 1, 0), WithinAbs(bare.u(i, j, 0), 1e-11));
            }
        }
        CHECK(largest(bare.u) > 0.01);
        CHECK(label_at(lined, 3, 5, 0) == Label::SOLID);
    }
}

// ---- The whole step ----------------------------------------------------------------------------

TEST_CASE("a step begins with the solids as they are now", "[19_obstacles]") {
    for (const Advection advection : {Advection::LINEAR, Advection::REFLECTED}) {
        Fluid fluid = box_with_solids(6, 4, 2, 23);
        fluid.advection = advection;
        step(fluid, 0.1);
        std::swap(fluid.solid.values[1], fluid.solid.values[46]);
        Fluid told = fluid;
        set_bnd(told);
        REQUIRE_FALSE(same_velocities(fluid, told));
        step(fluid, 0.1);
        step(told, 0.1);
        INFO("another cell is solid: do its faces have their velocity before anything is carried?");
        CHECK(same_velocities(fluid, told));
        CHECK(same_bits(fluid.density, told.density));
    }
}

TEST_CASE("no reflection follows a change of solids or openings", "[19_obstacles]") {
    enum class Change { NONE, SOLIDS, OPENING, VELOCITY };
    for (const Change change : {Change::NONE, Change::SOLIDS, Change::OPENING, Change::VELOCITY}) {
        Fluid fluid = box_with_solids(6, 4, 2, 23);
        fluid.advection = Advection::REFLECTED;
        step(fluid, 0.1);
        REQUIRE(fluid.reflects_next);
        if (change == Change::SOLIDS) {
            std::swap(fluid.solid.values[1], fluid.solid.values[46]);
        } else if (change == Change::OPENING) {
            fluid.sides[1].opening = Opening::OUTFLOW;
        } else if (change == Change::VELOCITY) {
            move_solids(fluid, 0, 0.3);
        }
        Fluid plain = fluid;
        plain.reflects_next = false;
        step(fluid, 0.1);
        step(plain, 0.1);
        const bool is_same_matrix = change == Change::NONE || change == Change::VELOCITY;
        INFO("the last pressure is that of other cells: does the next step reflect?");
        CHECK(fluid.reflects_next == !is_same_matrix);
        CHECK(same_velocities(fluid, plain) == !is_same_matrix);
        INFO("and there are solids: cell number 1 or 46 is one");
        CHECK(largest(fluid.solid) == 1.0);
        CHECK(label_at(fluid, 1, 0, 0) != label_at(fluid, 4, 3, 1));
    }
}

TEST_CASE("mirrored along any axis, solids and all, it moves mirrored", "[19_obstacles]") {
    for (const Advection advection : {Advection::LINEAR, Advection::REFLECTED}) {
        for (int axis = 0; axis < 3; ++axis) {
            Fluid fluid = open_box_with_solids(7, 5, 4, axis, 97);
            fluid.nu = 0.05;
            fluid.advection = advection;
            Fluid turned = mirrored_with_solids(fluid, axis);
            INFO("axis " << axis << ": are the mirrored solids where they belong?");
            REQUIRE(label_at(turned, axis == 0 ? 5 : 1, axis == 1 ? 4 : 0, axis == 2 ? 3 : 0) ==
                    Label::SOLID);
            for (int n = 0; n < 2; ++n) {
                step(fluid, 0.1);
                step(turned, 0.1);
            }
            const Fluid back = mirrored_with_solids(turned, axis);
            CHECK(distance(back.u, fluid.u) < 1e-10);
            CHECK(distance(back.v, fluid.v) < 1e-10);
            CHECK(distance(back.w, fluid.w) < 1e-10);
            CHECK(distance(back.density, fluid.density) < 1e-10);
            CHECK(largest(fluid.u) > 0.05);
        }
    }
}

TEST_CASE("with x, y and z exchanged, it moves the same", "[19_obstacles]") {
    for (const int openings : {0, 2, 3}) {
        Fluid fluid = open_box_with_solids(6, 5, 4, openings, 101);
        fluid.nu = 0.05;
        fluid.advection = Advection::REFLECTED;
        Fluid turned = rotated(fluid);
        REQUIRE(label_at(turned, 0, 1, 0) == Label::SOLID);
        for (int n = 0; n < 2; ++n) {
            step(fluid, 0.1);
            step(turned, 0.1);
        }
        const Fluid expected = rotated(fluid);
        INFO(words_of_box(fluid));
        CHECK(distance(turned.u, expected.u) < 1e-10);
        CHECK(distance(turned.v, expected.v) < 1e-10);
        CHECK(distance(turned.w, expected.w) < 1e-10);
        CHECK(distance(turned.density, expected.density) < 1e-10);
    }
}

TEST_CASE("a copy after an odd step goes on as if nothing had happened", "[19_obstacles]") {
    Fluid fluid = open_box_with_solids(7, 5, 3, 2, 103);
    fluid.nu = 0.05;
    fluid.advection = Advection::REFLECTED;
    for (int n = 0; n < 3; ++n) {
        step(fluid, 0.05);
    }
    Fluid other(7, 5, 3);
    other.h = fluid.h;
    other.rho = fluid.rho;
    other.nu = fluid.nu;
    other.tolerance = fluid.tolerance;
    other.iterations = fluid.iterations;
    other.advection = fluid.advection;
    // What a state file holds:
    std::copy(std::begin(fluid.sides), std::end(fluid.sides), std::begin(other.sides));
    for (int axis = 0; axis < 3; ++axis) {
        part_of(other, axis).values = part_of(fluid, axis).values;
        given_of(other, axis).values = given_of(fluid, axis).values;
    }
    other.density.values = fluid.density.values;
    other.pressure.values = fluid.pressure.values;
    other.solid.values = fluid.solid.values;
    other.reflects_next = fluid.reflects_next;
    other.gradient_factor = 0.05 / other.rho;  // the time step is a flag
    update_matrix(other);  // that of the last pressure follows from the rest
    CHECK(fluid.reflects_next);
    for (int n = 0; n < 4; ++n) {
        step(fluid, 0.05);
        step(other, 0.05);
    }
    CHECK(same_velocities(fluid, other));
    CHECK(same_bits(fluid.density, other.density));
    CHECK(same_bits(fluid.pressure, other.pressure));
    INFO("and there are solids in it");
    CHECK(label_at(other, 1, 0, 0) == Label::SOLID);
}

TEST_CASE("every second step is reflected around solids, too", "[19_obstacles]") {
    Fluid fluid = box_with_solids(6, 5, 3, 107);
    fluid.advection = Advection::REFLECTED;
    step(fluid, 0.1);
    Fluid by_hand = fluid;
    advect_reflected(by_hand, 0.1);
    project(by_hand, 0.1);
    step(fluid, 0.1);
    CHECK(distance(fluid.u, by_hand.u) < 1e-10);
    for_each_place(fluid.u, [&](Place at) {
        if (!may_flow(fluid, 0, at)) {
            INFO("u" << words_of(at[0], at[1], at[2]) << " is a face of a solid");
            CHECK(fluid.u(at[0], at[1], at[2]) == expected_velocity(fluid, 0, at));
        }
    });
    CHECK(label_at(fluid, 1, 0, 0) == Label::SOLID);
}
