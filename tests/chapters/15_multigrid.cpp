#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "common/algebra/algebra.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/trial_boxes.hpp"

namespace {

struct Size {
    int nx, ny, nz;
};

std::string name_of(const Size& size) {
    return std::to_string(size.nx) + " x " + std::to_string(size.ny) + " x " +
           std::to_string(size.nz);
}

Field zeros(const Size& size) {
    return Field(size.nx, size.ny, size.nz, {0.5, 0.5, 0.5});
}

Field bumpy(const Size& size, std::uint32_t seed) {
    return bumpy_pressure(size.nx, size.ny, size.nz, seed);
}

Matrix matrix_of_box(const Size& size) {
    return trial::closed(size.nx, size.ny, size.nz);
}

/// Flat, deep, long and thin boxes: sides that are even, odd and prime, and of one point.
constexpr std::array<Size, 9> sizes = {{{4, 4, 1},
                                        {6, 5, 3},
                                        {2, 7, 4},
                                        {5, 2, 6},
                                        {13, 1, 1},
                                        {1, 11, 1},
                                        {1, 1, 8},
                                        {7, 1, 5},
                                        {1, 6, 4}}};

/// A matrix without any symmetry in space: weights from 0.5 to 2.5, also towards what is open
/// beyond the box, some of them 0, and some points that are given.
Matrix random_matrix(const Size& size, std::uint32_t seed) {
    Matrix A(zeros(size));
    for (Field* weights : {&A.x, &A.y, &A.z}) {
        for (double& weight : weights->values) {
            const bool is_wall = trial::next_random(seed) < -0.8;
            weight = is_wall ? 0.0 : 1.5 + trial::next_random(seed);
        }
    }
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            A.diagonal(i, j, k) += A.weight(side, i, j, k);
        }
        if (trial::next_random(seed) < -0.8) {
            A.diagonal(i, j, k) = 0.0;
        }
    });
    return A;
}

/// A as a table of all its entries. A point without an equation has the entries 0.
Eigen::MatrixXd dense(const Matrix& A) {
    const Field& points = A.diagonal;
    const auto count = static_cast<Eigen::Index>(points.values.size());
    Eigen::MatrixXd table = Eigen::MatrixXd::Zero(count, count);
    for_each_point(points, [&](int i, int j, int k) {
        const int row = points.IX(i, j, k);
        table(row, row) = points(i, j, k);
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            if (A.has(i, j, k) && A.has(i + di, j + dj, k + dk)) {
                table(row, points.IX(i + di, j + dj, k + dk)) = -A.weight(side, i, j, k);
            }
        }
    });
    return table;
}

/// The table P of copying: 1 where the point of a row, if it has an equation, belongs to the point
/// of a column.
Eigen::MatrixXd copying(const Matrix& A, const std::vector<int>& blocks, std::size_t count) {
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(blocks.size()),
                                              static_cast<Eigen::Index>(count));
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        if (A.diagonal.values[n] != 0.0) {
            P(static_cast<Eigen::Index>(n), blocks[n]) = 1.0;
        }
    }
    return P;
}

/// A grid that is half as long along an axis, rounded up.
Field half_along(const Field& points, int axis) {
    const auto size = [&](int n, int along) { return along == axis ? (n + 1) / 2 : n; };
    return Field(size(points.nx, 0), size(points.ny, 1), size(points.nz, 2), points.origin);
}

/// The pairs along an axis, if no point moves on.
std::vector<int> plain_pairs(const Field& points, int axis) {
    const Field half = half_along(points, axis);
    std::vector<int> pairs;
    for_each_point(points, [&](int i, int j, int k) {
        pairs.push_back(
            half.IX(axis == 0 ? i / 2 : i, axis == 1 ? j / 2 : j, axis == 2 ? k / 2 : k));
    });
    return pairs;
}

Matrix joined_along(const Matrix& A, int axis) {
    return coarsen(A, half_along(A.diagonal, axis), plain_pairs(A.diagonal, axis));
}

/// A grid of these equations, whose points belong to blocks without any pattern.
Level level_of(const Matrix& A, int blocks, std::uint32_t seed) {
    Level level = {A, A.diagonal, A.diagonal, {}};
    for (std::size_t n = 0; n < A.diagonal.values.size(); ++n) {
        const double place = 0.5 + 0.5 * trial::next_random(seed);
        level.blocks.push_back(std::min(blocks - 1, static_cast<int>(place * blocks)));
    }
    return level;
}

/// Takes away the weight between a point and its neighbour on a side, as a thin wall does.
void wall_off(Matrix& A, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    const double weight = A.weight(side, i, j, k);
    A.weight(side, i, j, k) = 0.0;
    A.diagonal(i, j, k) -= weight;
    A.diagonal(i + di, j + dj, k + dk) -= weight;
}

/// The sum of all equations' left-hand sides for x = 1.
double sum_of_entries(const Matrix& A) {
    return dense(A).sum();
}

/// A cycle on grid l, taken step by step.
void follow_cycle(std::vector<Level>& levels, std::size_t l) {
    Level& level = levels[l];
    std::fill(level.x.values.begin(), level.x.values.end(), 0.0);
    for (int visit = 0; visit < (l < 2 ? 1 : 2); ++visit) {
        gauss_seidel(level.A, level.x, level.b);
        if (l + 1 < levels.size()) {
            restrict_residual(level, level.x, level.b, levels[l + 1].b);
            follow_cycle(levels, l + 1);
            prolong(level, level.x, levels[l + 1].x);
        }
        gauss_seidel_back(level.A, level.x, level.b);
    }
}

/// A fluid with these equations. From 18_open on its solver asks for more than A, but `solve` does
/// not.
Fluid problem(const Matrix& A, const Field& b, double tolerance) {
    Fluid fluid(b.nx, b.ny, b.nz);
    fluid.matrix = A;
    fluid.rhs = b;
    fluid.solver = Solver::MULTIGRID;
    fluid.tolerance = tolerance;
    fluid.iterations = 200;
    return fluid;
}

/// How much of the first residual is left in b - A x itself.
double left_over(const Fluid& fluid) {
    Field product = fluid.rhs;
    multiply(fluid.matrix, fluid.pressure, product);
    add_scaled(product, -1.0, fluid.rhs);
    return std::sqrt(dot(product, product) / dot(fluid.rhs, fluid.rhs));
}

/// Solves to 1e-6 and checks that b - A x is as small as that, after at most so many iterations.
void check_iterations(const std::string& name, const Matrix& A, const Field& b, int most) {
    Fluid fluid = problem(A, b, 1e-6);
    solve(fluid);
    INFO(name << ": " << fluid.residuals.size() - 1 << " iterations leave " << left_over(fluid)
              << " of b - A x");
    CHECK(left_over(fluid) <= 1.01e-6);
    CHECK(static_cast<int>(fluid.residuals.size()) - 1 <= most);
}

void check_iterations(const std::string& name, const Matrix& A, int most) {
    check_iterations(name, A, trial::random_rhs(A), most);
}

}  // namespace

// ---- The coarse matrix -------------------------------------------------------------------------

TEST_CASE("four cells in a row become two, and two become one", "[15_multigrid]") {
    const Matrix row = trial::closed(4, 1, 1);
    const Matrix two = coarsen(row, zeros({2, 1, 1}), {0, 0, 1, 1});
    INFO("a row of four cells has two pairs");
    REQUIRE(two.diagonal.nx == 2);
    REQUIRE(two.diagonal.ny == 1);
    REQUIRE(two.diagonal.nz == 1);
    INFO("a pair has the diagonal 1 + 2 - 2: the weight 1 inside stands in two diagonals");
    CHECK(two.diagonal(0, 0, 0) == 1.0);
    CHECK(two.diagonal(1, 0, 0) == 1.0);
    CHECK(two.x(1, 0, 0) == 1.0);
    const Matrix one = coarsen(two, zeros({1, 1, 1}), {0, 0});
    REQUIRE(one.diagonal.values.size() == 1);
    INFO("the last point has the diagonal 1 + 1 - 2 = 0: it has no equation");
    CHECK(one.diagonal(0, 0, 0) == 0.0);
}

TEST_CASE("five cells in a row have three pairs, the last of one cell", "[15_multigrid]") {
    for (const Size& size : {Size{5, 1, 1}, Size{1, 5, 1}, Size{1, 1, 5}}) {
        const Field like = zeros({(size.nx + 1) / 2, (size.ny + 1) / 2, (size.nz + 1) / 2});
        const Matrix coarse = coarsen(matrix_of_box(size), like, {0, 0, 1, 1, 2});
        INFO("a box of " << name_of(size) << " cells: the coarse grid has three points");
        REQUIRE(coarse.diagonal.values.size() == 3);
        INFO("the last cell has the diagonal 1, and so has its pair");
        CHECK(coarse.diagonal.values == std::vector<double>{1.0, 2.0, 1.0});
    }
}

TEST_CASE("the weights between two pairs add up", "[15_multigrid]") {
    const Matrix half = joined_along(trial::closed(4, 4, 1), 0);
    INFO("4 x 4 cells in pairs along x: two faces of weight 1 lie between a pair and that below");
    REQUIRE(half.diagonal.nx == 2);
    REQUIRE(half.diagonal.ny == 4);
    CHECK(half.y(1, 1, 0) == 2.0);
    CHECK(half.x(1, 2, 0) == 1.0);
    CHECK(half.diagonal(0, 0, 0) == 3.0);
    const Matrix deep = joined_along(joined_along(trial::closed(4, 4, 4), 0), 1);
    INFO("4 x 4 x 4 cells, blocks of 2 x 2: four faces of weight 1 along z, two along x");
    CHECK(deep.z(1, 1, 1) == 4.0);
    CHECK(deep.x(1, 1, 2) == 2.0);
    CHECK(deep.diagonal(1, 0, 1) == 12.0);
}

TEST_CASE("a wall between two pairs stays a wall", "[15_multigrid]") {
    for (const bool has_gap : {false, true}) {
        const Matrix box =
            trial::closed(8, 4, 1, [&](int i, int j) { return i == 4 && !(has_gap && j == 3); });
        const Matrix coarse = joined_along(joined_along(box, 0), 1);
        INFO("a wall at i = 4 of 8 x 4 cells" << (has_gap ? ", open at j = 3" : "")
                                              << ": no coarse weight joins what it parts");
        CHECK(coarse.x(2, 0, 0) == 0.0);
        CHECK(coarse.x(2, 1, 0) == (has_gap ? 1.0 : 0.0));
        CHECK(coarse.x(1, 0, 0) == 2.0);
        CHECK(coarse.x(3, 0, 0) == 2.0);
    }
}

TEST_CASE("the coarse matrix is the sum over pairs of any matrix", "[15_multigrid]") {
    for (const Size& size : sizes) {
        for (const int axis : {0, 1, 2}) {
            const Matrix A = random_matrix(size, 7);
            const Matrix coarse = joined_along(A, axis);
            const Field like = half_along(A.diagonal, axis);
            const Eigen::MatrixXd P = copying(A, plain_pairs(A.diagonal, axis), like.values.size());
            const Eigen::MatrixXd expected =
                algebra::product(P.transpose(), algebra::product(dense(A), P));
            INFO("a box of " << name_of(size) << " cells, in pairs along axis " << axis
                             << ": the coarse grid has the points of `like`");
            REQUIRE(coarse.diagonal.nx == like.nx);
            REQUIRE(coarse.diagonal.ny == like.ny);
            REQUIRE(coarse.diagonal.nz == like.nz);
            INFO(
                "a pair's equation is the sum of its cells' equations, P^T A P; a weight to a "
                "point without an equation, or beyond the box, stays in the diagonal, and counts "
                "neither as inside nor as between");
            CHECK((dense(coarse) - expected).cwiseAbs().maxCoeff() < 1e-12);
        }
    }
}

// ---- Pairs, and walls within them --------------------------------------------------------------

TEST_CASE("a wall within a pair sends its second point on, along each axis", "[15_multigrid]") {
    for (const int axis : {0, 1, 2}) {
        Matrix A = trial::closed(axis == 0 ? 8 : 1, axis == 1 ? 8 : 1, axis == 2 ? 8 : 1);
        Matrix walls = A;
        const auto at = [axis](int place, int along) { return along == axis ? place : 0; };
        wall_off(walls, 2 * axis, at(3, 0), at(3, 1), at(3, 2));
        const Field like = half_along(A.diagonal, axis);
        INFO("eight points along axis " << axis << " make four pairs");
        CHECK(make_pairs(A, axis, like) == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3});
        INFO("with a thin wall between points 2 and 3, point 3 goes with points 4 and 5");
        const std::vector<int> pairs = make_pairs(walls, axis, like);
        CHECK(pairs == std::vector<int>{0, 0, 1, 2, 2, 2, 3, 3});
        const Matrix coarse = coarsen(walls, like, pairs);
        INFO("so on the coarse grid the wall stands between two points");
        CHECK(coarse.weight(2 * axis, at(1, 0), at(1, 1), at(1, 2)) == 1.0);
        CHECK(coarse.weight(2 * axis, at(2, 0), at(2, 1), at(2, 2)) == 0.0);
        CHECK(coarse.weight(2 * axis, at(3, 0), at(3, 1), at(3, 2)) == 1.0);
        wall_off(walls, 2 * axis, at(4, 0), at(4, 1), at(4, 2));
        INFO("with a wall on both of its sides it stays, as its diagonal is 0");
        CHECK(make_pairs(walls, axis, like) == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3});
    }
}

TEST_CASE("a wall within the last pair sends its first point back, along each axis",
          "[15_multigrid]") {
    for (const int axis : {0, 1, 2}) {
        Matrix A = trial::closed(8, 8, 8);
        for_each_point(A.diagonal, [&](int i, int j, int k) {
            const int place = axis == 0 ? i : (axis == 1 ? j : k);
            if (place == 7) {
                wall_off(A, 2 * axis, i, j, k);
            }
        });
        const Field half = half_along(A.diagonal, axis);
        const std::vector<int> pairs = make_pairs(A, axis, half);
        for_each_point(A.diagonal, [&](int i, int j, int k) {
            const auto pair_of = [&](int place, int along) {
                return along != axis ? place : (place == 6 ? 2 : place / 2);
            };
            INFO("8 x 8 x 8 points, a thin wall between 6 and 7 along axis "
                 << axis << ": (" << i << ", " << j << ", " << k
                 << ") belongs to a pair that lies on one side of it");
            REQUIRE(pairs[A.diagonal.IX(i, j, k)] ==
                    half.IX(pair_of(i, 0), pair_of(j, 1), pair_of(k, 2)));
        });
        const Matrix coarse = coarsen(A, half, pairs);
        INFO("so the wall stands between pairs 2 and 3; between 1 and 2 there is none");
        CHECK(coarse.weight(2 * axis, axis == 0 ? 3 : 1, axis == 1 ? 3 : 1, axis == 2 ? 3 : 1) ==
              0.0);
        CHECK(coarse.weight(2 * axis, axis == 0 ? 2 : 1, axis == 1 ? 2 : 1, axis == 2 ? 2 : 1) ==
              1.0);
    }
}

TEST_CASE("where a point has moved on, the next one does not go back", "[15_multigrid]") {
    Matrix A = trial::closed(8, 2, 1);
    for (const int j : {0, 1}) {
        wall_off(A, 0, 5, j, 0);
        wall_off(A, 0, 7, j, 0);
    }
    INFO("walls between 4 and 5, and 6 and 7: point 5 moves on to 6, which then stays with it");
    const Field half = half_along(A.diagonal, 0);
    const std::vector<int> pairs = make_pairs(A, 0, half);
    CHECK(pairs == std::vector<int>{0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 7, 7});
    const Matrix coarse = coarsen(A, half, pairs);
    CHECK(coarse.x(2, 0, 0) == 1.0);
    CHECK(coarse.x(3, 0, 0) == 0.0);
}

TEST_CASE("beside a solid nothing moves on", "[15_multigrid]") {
    Matrix A = trial::closed(8, 3, 1, [](int i, int) { return i == 2; });
    const Matrix before = A;
    INFO("the first point of the pair is solid: the second parts nothing, and stays");
    const Field like = half_along(A.diagonal, 0);
    const std::vector<int> pairs = make_pairs(A, 0, like);
    CHECK(pairs == plain_pairs(A.diagonal, 0));
    CHECK(A == before);
    INFO("so its pair has only its own weights, one to the right and one down");
    const Matrix coarse = coarsen(A, like, pairs);
    CHECK(coarse.diagonal(1, 0, 0) == 2.0);
    CHECK(coarse.diagonal(2, 0, 0) == 4.0);
}

TEST_CASE("beside a gap a point moves on with its weights", "[15_multigrid]") {
    Matrix A = trial::closed(8, 2, 1);
    wall_off(A, 0, 3, 0, 0);
    const Field like = half_along(A.diagonal, 0);
    Matrix changed = A;
    const std::vector<int> pairs = make_pairs(changed, 0, like);
    INFO("a thin wall between points 2 and 3 of row 0; row 1 is open");
    CHECK(pairs[A.diagonal.IX(3, 0, 0)] == like.IX(2, 0, 0));
    CHECK(pairs[A.diagonal.IX(3, 1, 0)] == like.IX(1, 1, 0));
    INFO("the weight from (3, 0) to (3, 1) is handed over to (4, 0) and (4, 1)");
    CHECK(changed.y(3, 1, 0) == 0.0);
    CHECK(changed.y(4, 1, 0) == 2.0);
    CHECK(changed.diagonal(3, 0, 0) == 1.0);
    CHECK(changed.diagonal(3, 1, 0) == 2.0);
    CHECK(changed.diagonal(4, 0, 0) == 4.0 - 1.0 + 1.0);
    CHECK(changed.diagonal(4, 1, 0) == 4.0);
    const Matrix coarse = coarsen(changed, like, pairs);
    INFO("so three weights, not two, join the rows there, and one joins them before the wall");
    CHECK(coarse.y(2, 1, 0) == 3.0);
    CHECK(coarse.y(1, 1, 0) == 1.0);
    for (const bool is_beside : {false, true}) {
        Matrix closed_off = A;
        if (is_beside) {
            wall_off(closed_off, 0, 4, 1, 0);
            wall_off(closed_off, 0, 2, 1, 0);
        } else {
            wall_off(closed_off, 2, 4, 1, 0);
            wall_off(closed_off, 2, 1, 1, 0);
        }
        Matrix after = closed_off;
        const std::vector<int> stay = make_pairs(after, 0, like);
        INFO(
            "where (3, 0) and (3, 1) are not joined through (4, 0) and (4, 1), (3, 0) stays, and "
            "so does (2, 0), since (2, 0) and (2, 1) are not joined through (1, 0) and (1, 1)");
        CHECK(stay[A.diagonal.IX(3, 0, 0)] == like.IX(1, 0, 0));
        CHECK(stay[A.diagonal.IX(2, 0, 0)] == like.IX(1, 0, 0));
        CHECK(after.y(3, 1, 0) == 1.0);
        CHECK(after.y(2, 1, 0) == 1.0);
    }
}

TEST_CASE("beside a gap a point goes back with its weights", "[15_multigrid]") {
    Matrix A = trial::closed(8, 2, 1);
    wall_off(A, 0, 7, 1, 0);
    const Field like = half_along(A.diagonal, 0);
    Matrix changed = A;
    const std::vector<int> pairs = make_pairs(changed, 0, like);
    INFO("a thin wall between points 6 and 7 of row 1; row 0 is open");
    CHECK(pairs[A.diagonal.IX(6, 1, 0)] == like.IX(2, 1, 0));
    CHECK(pairs[A.diagonal.IX(6, 0, 0)] == like.IX(3, 0, 0));
    INFO("the weight from (6, 0) to (6, 1) is handed over to (5, 0) and (5, 1)");
    CHECK(changed.y(6, 1, 0) == 0.0);
    CHECK(changed.y(5, 1, 0) == 2.0);
    CHECK(changed.diagonal(6, 0, 0) == 2.0);
    CHECK(changed.diagonal(5, 1, 0) == 4.0);
    const Matrix coarse = coarsen(changed, like, pairs);
    CHECK(coarse.y(2, 1, 0) == 3.0);
    CHECK(coarse.y(3, 1, 0) == 1.0);
    INFO("where a wall sends (5, 0) on, it has handed its weight over, so (6, 1) stays");
    wall_off(A, 0, 5, 0, 0);
    const std::vector<int> stays = make_pairs(A, 0, like);
    CHECK(stays[A.diagonal.IX(5, 0, 0)] == like.IX(3, 0, 0));
    CHECK(stays[A.diagonal.IX(6, 1, 0)] == like.IX(3, 1, 0));
}

TEST_CASE("a block does not hold both sides of a long wall", "[15_multigrid]") {
    for (const bool is_diagonal : {false, true}) {
        const int n = 32;
        const Matrix A = is_diagonal ? trial::diagonal_wall(n) : trial::thin_wall(n, 13, n);
        const std::vector<Level> levels = make_levels(A);
        INFO("32 x 32 points become 16 x 16, 8 x 8, 4 x 4, 2 x 2, and one");
        REQUIRE(levels.size() == 6);
        std::vector<bool> is_done(A.diagonal.values.size(), false);
        const std::vector<std::size_t> part = trial::part_from(A, is_done, n - 1, 0, 0);
        std::vector<int> is_in_part(A.diagonal.values.size(), 0);
        for (const std::size_t point : part) {
            is_in_part[point] = 1;
        }
        for (std::size_t l = 0; l + 3 < levels.size(); ++l) {
            std::vector<int> sides(levels[l + 1].x.values.size(), -1);
            for (std::size_t point = 0; point < is_in_part.size(); ++point) {
                if (levels[l].A.diagonal.values[point] == 0.0) {
                    continue;
                }
                const auto block = static_cast<std::size_t>(levels[l].blocks[point]);
                int& side = sides[block];
                INFO("32 x 32 cells, a wall " << (is_diagonal ? "from corner to corner" : "at 13")
                                              << ": no block of grid " << l + 1
                                              << " has points of both parts");
                REQUIRE((side == -1 || side == is_in_part[point]));
                side = is_in_part[point];
            }
            INFO("grid " << l + 1 << " has points of each part");
            REQUIRE(std::count(sides.begin(), sides.end(), 0) > 0);
            REQUIRE(std::count(sides.begin(), sides.end(), 1) > 0);
            is_in_part = sides;
        }
    }
}

TEST_CASE("for x = 1, the equation of a block is the sum of those of its points",
          "[15_multigrid]") {
    for (const Size& size : sizes) {
        for (const std::uint32_t seed : {87u, 88u, 89u, 90u, 91u}) {
            const std::vector<Level> levels = make_levels(random_matrix(size, seed));
            REQUIRE(levels.size() > 1);
            REQUIRE(sum_of_entries(levels[0].A) > 0.1);
            for (std::size_t l = 1; l < levels.size(); ++l) {
                const Matrix& fine = levels[l - 1].A;
                const Matrix& coarse = levels[l].A;
                const Eigen::MatrixXd P =
                    copying(fine, levels[l - 1].blocks, coarse.diagonal.values.size());
                const Eigen::VectorXd sums = dense(fine).rowwise().sum();
                const Eigen::VectorXd expected = P.transpose() * sums;
                const Eigen::VectorXd found = dense(coarse).rowwise().sum();
                INFO(name_of(size) << ", grid " << l
                                   << ": no weight is lost, or joins another block than before");
                CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-10);
                for (const Field* weights : {&coarse.x, &coarse.y, &coarse.z}) {
                    CHECK(*std::min_element(weights->values.begin(), weights->values.end()) >= 0.0);
                }
            }
        }
    }
}

TEST_CASE("the grids end at one point, whatever the sizes are", "[15_multigrid]") {
    const struct {
        Size box;
        std::vector<Size> coarser;
    } expected[] = {{{16, 8, 1}, {{8, 4, 1}, {4, 2, 1}, {2, 1, 1}, {1, 1, 1}}},
                    {{1, 7, 1}, {{1, 4, 1}, {1, 2, 1}, {1, 1, 1}}},
                    {{5, 3, 2}, {{3, 2, 1}, {2, 1, 1}, {1, 1, 1}}},
                    {{1, 1, 1}, {}}};
    for (const auto& [box, coarser] : expected) {
        const std::vector<Level> levels = make_levels(matrix_of_box(box));
        INFO("a box of " << name_of(box) << " cells: every side is halved, and rounded up");
        REQUIRE(levels.size() == coarser.size() + 1);
        for (std::size_t l = 0; l < coarser.size(); ++l) {
            const Field& points = levels[l + 1].A.diagonal;
            CHECK(points.nx == coarser[l].nx);
            CHECK(points.ny == coarser[l].ny);
            CHECK(points.nz == coarser[l].nz);
        }
    }
}

// ---- Between two grids -------------------------------------------------------------------------

TEST_CASE("a block gets the sum of its residuals", "[15_multigrid]") {
    for (const Size& size : sizes) {
        const Matrix A = random_matrix(size, 17);
        const Field x = bumpy(size, 31);
        const Field b = bumpy(size, 32);
        Field found = zeros({3, 2, 1});
        std::fill(found.values.begin(), found.values.end(), 99.0);
        const Level level = level_of(A, 6, 18);
        restrict_residual(level, x, b, found);
        Field r = b;  // less A x, in which neighbours that are given count, too
        for_each_point(r, [&](int i, int j, int k) {
            r(i, j, k) -= A.diagonal(i, j, k) * x(i, j, k);
            for (int side = 0; side < 6; ++side) {
                const auto& [di, dj, dk] = neighbours[side];
                if (x.has(i + di, j + dj, k + dk)) {
                    r(i, j, k) += A.weight(side, i, j, k) * x(i + di, j + dj, k + dk);
                }
            }
        });
        const Eigen::VectorXd expected = copying(A, level.blocks, 6).transpose() * as_vector(r);
        INFO(
            name_of(size)
            << ": by level.blocks, the sum of b - A x, not of b, over the points with an equation; "
               "what was there before is gone");
        CHECK((as_vector(found) - expected).cwiseAbs().maxCoeff() < 1e-12);
    }
}

TEST_CASE("a block's correction is added to its points, times 1.9", "[15_multigrid]") {
    for (const Size& size : sizes) {
        const Matrix A = random_matrix(size, 27);
        const Field before = bumpy(size, 41);
        Field coarse = zeros({3, 2, 1});
        std::uint32_t seed = 42;
        for (double& value : coarse.values) {
            value = trial::next_random(seed);
        }
        Field x = before;
        const Level level = level_of(A, 6, 28);
        prolong(level, x, coarse);
        const Eigen::VectorXd expected =
            as_vector(before) + 1.9 * (copying(A, level.blocks, 6) * as_vector(coarse));
        INFO(name_of(size) << ": by level.blocks, 1.9 times the block's value is added; a given "
                              "point keeps its own");
        CHECK((as_vector(x) - expected).cwiseAbs().maxCoeff() < 1e-12);
    }
}

// ---- The cycle ---------------------------------------------------------------------------------

TEST_CASE("a cycle sweeps, goes down, comes up and sweeps back", "[15_multigrid]") {
    for (const Size& size : sizes) {
        const Matrix A = random_matrix(size, 37);
        std::vector<Level> levels = make_levels(A);
        std::vector<Level> steps = levels;
        for (Level& level : levels) {
            std::fill(level.x.values.begin(), level.x.values.end(), 77.0);
        }
        const std::size_t last = steps.size() - 1;
        const Field b = bumpy(size, 51);
        Field x = bumpy(size, 52);
        multigrid_cycle(levels, 0, x, b);
        steps[0].b = b;
        follow_cycle(steps, 0);
        REQUIRE(last > 0);
        for (std::size_t l = 1; l <= last; ++l) {
            INFO(name_of(size) << ": on its way down, the right-hand side of grid " << l
                               << ", after a sweep from x = 0");
            CHECK(distance(levels[l].b, steps[l].b) < 1e-12);
        }
        for (std::size_t l = last; l > 0; --l) {
            INFO(name_of(size) << ": on its way up, x of grid " << l
                               << ", after a sweep from the last point to the first");
            CHECK(distance(levels[l].x, steps[l].x) < 1e-12);
        }
        INFO(name_of(size)
             << ": its way down and up taken step by step, each x from 0; grids 0 and 1 "
                "sweep and correct once, coarser ones twice");
        REQUIRE(largest(steps[0].x) > 0.1);
        CHECK(distance(x, steps[0].x) < 1e-12);
    }
}

TEST_CASE("a cycle is linear, symmetric and positive", "[15_multigrid]") {
    for (const Size& size : sizes) {
        std::vector<Level> levels = make_levels(random_matrix(size, 47));
        const Matrix& A = levels[0].A;
        const auto cycle = [&](const Field& r) {
            Field z = r;
            multigrid_cycle(levels, 0, z, r);
            return z;
        };
        for (std::uint32_t seed = 61; seed < 66; ++seed) {
            Field u = bumpy(size, seed);
            Field v = bumpy(size, seed + 10);
            for (std::size_t n = 0; n < u.values.size(); ++n) {
                if (A.diagonal.values[n] == 0.0) {
                    u.values[n] = v.values[n] = 0.0;
                }
            }
            const Field of_u = cycle(u);
            const Field of_v = cycle(v);
            INFO(name_of(size) << ": u . M v = v . M u, as conjugate gradients need it");
            REQUIRE(largest(of_u) > 0.01);
            REQUIRE(distance(of_u, u) > 0.1);
            CHECK_THAT(dot(u, of_v), WithinAbs(dot(v, of_u), 1e-11));
            INFO(name_of(size) << ": u . M u > 0");
            CHECK(dot(u, of_u) > 0.0);
            Field sum = u;
            add_scaled(sum, -3.0, v);
            Field expected = of_u;
            add_scaled(expected, -3.0, of_v);
            INFO(name_of(size) << ": M (u - 3 v) = M u - 3 M v");
            CHECK(distance(cycle(sum), expected) < 1e-11);
        }
    }
}

// ---- The solver --------------------------------------------------------------------------------

TEST_CASE("multigrid finds the solution that elimination finds", "[15_multigrid]") {
    for (const Size& size : sizes) {
        const Matrix A = random_matrix(size, 57);
        Field b = bumpy(size, 71);
        Eigen::MatrixXd table = dense(A);
        for (std::size_t n = 0; n < b.values.size(); ++n) {
            if (A.diagonal.values[n] == 0.0) {
                b.values[n] = 0.0;
                const auto row = static_cast<Eigen::Index>(n);
                table(row, row) = 1.0;
            }
        }
        Fluid fluid = problem(A, b, 1e-13);
        solve(fluid);
        const Eigen::VectorXd expected = algebra::solve(table, as_vector(b));
        INFO(name_of(size) << ": " << fluid.residuals.size() - 1 << " iterations");
        CHECK((as_vector(fluid.pressure) - expected).cwiseAbs().maxCoeff() < 1e-10);
        CHECK(fluid.residuals.size() < 40);
    }
    INFO("the only cell of a closed box has no neighbour: its pressure stays 0");
    Fluid one = problem(matrix_of_box({1, 1, 1}), zeros({1, 1, 1}), 1e-6);
    solve(one);
    CHECK(one.pressure.values[0] == 0.0);
    Field z = bumpy({1, 1, 1}, 5);
    multigrid_cycle(one.levels, 0, z, zeros({1, 1, 1}));
    CHECK(z.values[0] == 0.0);
}

TEST_CASE("a block that is closed all around gets no equation", "[15_multigrid]") {
    Matrix A = trial::closed(33, 18, 5);
    std::uint32_t seed = 3;
    for (Field* weights : {&A.x, &A.y, &A.z}) {
        for (double& weight : weights->values) {
            weight *= 0.55 + 0.45 * trial::next_random(seed);
        }
    }
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        A.diagonal(i, j, k) = 0.0;
        for (int side = 0; side < 6; ++side) {
            A.diagonal(i, j, k) += A.weight(side, i, j, k);
        }
    });
    const double last_diagonal = make_levels(A).back().A.diagonal.values[0];
    INFO(
        "weights from 0.1 to 1: what rounding leaves of the last diagonal is no equation; a "
        "diagonal below 1e-10 of the block's sum must be exactly 0");
    CHECK(last_diagonal == 0.0);
    check_iterations("33 x 18 x 5, weights from 0.1 to 1", A, 15);
}

TEST_CASE("at most 15 iterations to 1e-6, whatever the size", "[15_multigrid]") {
    for (const Size& size :
         {Size{32, 32, 1}, Size{64, 64, 1}, Size{128, 128, 1}, Size{256, 256, 1}, Size{61, 37, 1},
          Size{1, 97, 101}, Size{97, 1, 1}, Size{32, 32, 32}, Size{17, 13, 19}}) {
        check_iterations(name_of(size), matrix_of_box(size), 15);
    }
    check_iterations("1024 x 16, a channel", matrix_of_box({1024, 16, 1}), 15);
    check_iterations("16 x 1024, a channel", matrix_of_box({16, 1024, 1}), 15);
}

TEST_CASE("at most 15 iterations to 1e-6, whatever the boundary", "[15_multigrid]") {
    for (const int n : {64, 128, 256}) {
        const std::string box = std::to_string(n) + " x " + std::to_string(n);
        check_iterations(box + ", open on the right", trial::outflow(n, n, 1), 15);
        check_iterations(box + ", open at the top", trial::open_top(n, n, 1), 15);
        check_iterations(box + ", a disc, open on the right", trial::street(n), 15);
        check_iterations(box + ", water, theta 0.05", trial::water(n, 0.05), 15);
        check_iterations(box + ", a wall with a gap", trial::wall_with_gap(n), 15);
    }
    check_iterations("32 x 32 x 32, open on the right", trial::outflow(32, 32, 32), 15);
    check_iterations("32 x 32 x 32, open at the top", trial::open_top(32, 32, 32), 15);
    check_iterations("1024 x 16, open on the right", trial::outflow(1024, 16, 1), 20);
}

TEST_CASE("at most 15 iterations to 1e-6, whatever the walls", "[15_multigrid]") {
    for (const int n : {64, 128, 256}) {
        const std::string box = std::to_string(n) + " x " + std::to_string(n);
        check_iterations(box + ", a diagonal wall", trial::diagonal_wall(n), 15);
        check_iterations(box + ", gaps of one cell", trial::lattice(n), 15);
    }
    for (int column = 1; column < 63; ++column) {
        const std::string wall = "64 x 64, a wall at column " + std::to_string(column);
        check_iterations(wall + ", with a gap of one cell", trial::thin_wall(64, column, 37), 15);
        if (column < 4 || column > 58) {
            check_iterations(wall, trial::thin_wall(64, column, 64), 15);
            check_iterations(wall + ", with a gap at row 0", trial::thin_wall(64, column, 0), 15);
        }
    }
    for (const int column : {83, 253}) {
        check_iterations("256 x 256, a wall with a gap at column " + std::to_string(column),
                         trial::thin_wall(256, column, 37), 15);
    }
    for (int column = 1; column < 19; ++column) {
        const auto wall = [column](int i, int j) { return i == column && j != 11; };
        check_iterations("20 x 20 x 20, a wall with a gap at column " + std::to_string(column),
                         trial::closed(20, 20, 20, wall), 15);
    }
    const auto near_the_end = [](int i, int j) { return i == 29 && j != 11; };
    check_iterations("32 x 32 x 32, a wall with a gap at column 29",
                     trial::closed(32, 32, 32, near_the_end), 15);
    const auto antidiagonal = [](int i, int j) { return i + j == 126 || i + j == 127; };
    check_iterations("128 x 128, the other diagonal", trial::closed(128, 128, 1, antidiagonal), 15);
    const auto row = [](int i, int j) { return j == 61 && i != 77; };
    check_iterations("128 x 128, a wall at row 61", trial::closed(128, 128, 1, row), 15);
    check_iterations("48 x 48 x 48, a diagonal wall",
                     trial::closed(48, 48, 48, [](int i, int j) { return i == j || i + 1 == j; }),
                     15);
}

TEST_CASE("where ways are one cell wide it takes more, but it converges", "[15_multigrid]") {
    check_iterations("128 x 128, 30 % solids", trial::random_solids(128), 40);
    check_iterations("64 x 64, a labyrinth", trial::labyrinth(64), 32);
}

TEST_CASE("the steps of a fluid take at most 15 iterations", "[15_multigrid]") {
    for (const Size& size : {Size{64, 64, 1}, Size{24, 20, 16}}) {
        Fluid fluid(size.nx, size.ny, size.nz);
        fluid.tolerance = 1e-6;
        INFO("a fluid begins with multigrid");
        CHECK(fluid.solver == Solver::MULTIGRID);
        for (int count = 0; count < 6; ++count) {
            for (int i = size.nx / 4; i < size.nx / 2; ++i) {
                add_velocity(fluid, i, size.ny / 3, size.nz / 2, {2.0, 1.0, 0.0});
            }
            step(fluid, 0.5);
            INFO(name_of(size) << ", step " << count << ": " << fluid.residuals.size() - 1
                               << " iterations leave " << left_over(fluid));
            CHECK(left_over(fluid) <= 1.01e-6);
            CHECK(fluid.residuals.size() > 2);
            CHECK(fluid.residuals.size() <= 16);
        }
    }
}

TEST_CASE("the grids are kept, and made anew when A changes", "[15_multigrid]") {
    const Matrix A = trial::street(32);
    Fluid fluid = problem(A, trial::random_rhs(A), 1e-10);
    solve(fluid);
    REQUIRE(fluid.levels.size() == 6);
    const double* grids = fluid.levels.back().A.diagonal.values.data();
    solve(fluid);
    INFO("the same A: the grids are those of the last solution");
    CHECK(fluid.levels.back().A.diagonal.values.data() == grids);
    fluid.matrix = trial::open_top(32, 32, 1);
    fluid.rhs = trial::random_rhs(fluid.matrix);
    std::fill(fluid.pressure.values.begin(), fluid.pressure.values.end(), 0.0);
    solve(fluid);
    INFO("another A: with the old grids it takes " << fluid.residuals.size() - 1 << " iterations");
    CHECK(fluid.levels[0].A == fluid.matrix);
    CHECK(fluid.levels[1].A == make_levels(fluid.matrix).at(1).A);
    CHECK(left_over(fluid) <= 1.01e-10);
    CHECK(fluid.residuals.size() <= 25);
}

TEST_CASE("what is not a number does not keep multigrid busy", "[15_multigrid]") {
    const Matrix A = trial::outflow(16, 12, 1);
    Field b = trial::random_rhs(A);
    Fluid fluid = problem(A, b, 1e-6);
    solve(fluid);
    INFO("without it there is a solution");
    REQUIRE(left_over(fluid) <= 1.01e-6);
    fluid.rhs(3, 4, 0) = std::numeric_limits<double>::quiet_NaN();
    std::fill(fluid.pressure.values.begin(), fluid.pressure.values.end(), 0.0);
    solve(fluid);
    CHECK(fluid.residuals.size() <= 2);
    INFO("and a right-hand side of zeros has the solution 0, at once");
    std::fill(fluid.rhs.values.begin(), fluid.rhs.values.end(), 0.0);
    std::fill(fluid.pressure.values.begin(), fluid.pressure.values.end(), 0.0);
    solve(fluid);
    CHECK(fluid.residuals.size() == 1);
    CHECK(largest(fluid.pressure) == 0.0);
}
