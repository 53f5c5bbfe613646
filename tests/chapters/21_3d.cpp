#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "catch.hpp"
#include "cube.hpp"
#include "larger.hpp"

#include "window/slips.hpp"

// The solver that this one extends, to compare with.
namespace chapter_07 {
#include "07_project/solver.hpp"
}  // namespace chapter_07

namespace {

bool same_bytes(const Field& a, const Field& b) {
    return std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(float)) == 0;
}

bool same_bytes(const Fluid& a, const Fluid& b) {
    return same_bytes(a.density, b.density) && same_bytes(a.u, b.u) && same_bytes(a.v, b.v) &&
           same_bytes(a.w, b.w);
}

struct Velocity {
    Field u, v, w;
    explicit Velocity(int N) : u(N), v(N), w(N) {}
    operator Flow() const { return {u, v, w}; }
    void refresh_walls() {
        set_bnd(BoundaryType::VELOCITY_HORIZONTAL, u);
        set_bnd(BoundaryType::VELOCITY_VERTICAL, v);
        set_bnd(BoundaryType::VELOCITY_DEPTH, w);
    }
};

Velocity bumpy_velocity(int N, std::uint32_t seed) {
    Velocity velocity(N);
    velocity.u = bumpy(N, seed);
    velocity.v = bumpy(N, seed + 1);
    velocity.w = bumpy(N, seed + 2);
    velocity.refresh_walls();
    return velocity;
}

Fluid bumpy_fluid(int N, std::uint32_t seed) {
    Fluid fluid(N);
    const Velocity velocity = bumpy_velocity(N, seed);
    fluid.u = velocity.u;
    fluid.v = velocity.v;
    fluid.w = velocity.w;
    fluid.density = bumpy(N, seed + 3);
    for (float& cell : fluid.density.cells) {
        cell += 1.0f;
    }
    set_bnd(BoundaryType::SCALAR, fluid.density);
    fluid.diff = 0.01f;
    fluid.visc = 0.02f;
    return fluid;
}

/// A fluid whose velocity stays as it is: only its dye spreads and moves.
Fluid with_steady_flow(Fluid fluid) {
    fluid.diffuse_velocity = false;
    fluid.advect_velocity = false;
    fluid.project_velocity = false;
    return fluid;
}

/// Projects, and answers the pressure.
Field project(Velocity& velocity, int iterations) {
    Field pressure(velocity.u.N);
    Field divergence(velocity.u.N);
    project(velocity.u, velocity.v, velocity.w, pressure, divergence, iterations);
    return pressure;
}

double rms_divergence(const Velocity& velocity) {
    double sum = 0.0;
    for_fluid(velocity.u.N,
              [&](int i, int j, int k) { sum += std::pow(divergence_at(velocity, i, j, k), 2); });
    return std::sqrt(sum / std::pow(velocity.u.N - 2, 3));
}

double largest_divergence(const Velocity& velocity) {
    double most = 0.0;
    for_fluid(velocity.u.N, [&](int i, int j, int k) {
        const double here = divergence_at(velocity, i, j, k);
        most = larger(most, std::abs(here));
    });
    return most;
}

double share_kept(Velocity velocity, int iterations) {
    const double before = rms_divergence(velocity);
    project(velocity, iterations);
    return rms_divergence(velocity) / before;
}

/// p half waves across, q down, r away, as u; no v and no w.
Velocity wave(int N, int p, int q, int r) {
    Velocity velocity(N);
    const double step = std::numbers::pi / (N - 2);
    for_fluid(N, [&](int i, int j, int k) {
        velocity.u(i, j, k) =
            static_cast<float>(std::sin(step * p * (i - 0.5)) * std::cos(step * q * (j - 0.5)) *
                               std::cos(step * r * (k - 0.5)));
    });
    velocity.refresh_walls();
    return velocity;
}

/// What stands at (x, y, z), in double precision.
double sampled(const Field& field, double x, double y, double z) {
    const double far = field.N - 1.5;
    x = std::clamp(x, 0.5, far);
    y = std::clamp(y, 0.5, far);
    z = std::clamp(z, 0.5, far);
    const int i = static_cast<int>(x);
    const int j = static_cast<int>(y);
    const int k = static_cast<int>(z);
    double sum = 0.0;
    for (int n = 0; n < 8; ++n) {
        const int right = n % 2;
        const int below = n / 2 % 2;
        const int behind = n / 4;
        sum += (right == 1 ? x - i : 1 - (x - i)) * (below == 1 ? y - j : 1 - (y - j)) *
               (behind == 1 ? z - k : 1 - (z - k)) * field(i + right, j + below, k + behind);
    }
    return sum;
}

Eigen::VectorXd without_mean(const Eigen::VectorXd& p) {
    return p - Eigen::VectorXd::Constant(p.size(), p.mean());
}

/// The pressure's exact solution, as in 07_project's tests: the matrix is singular, and adding 1 to
/// one diagonal entry asks for the solution that is 0 in that cell.
Eigen::VectorXd exact_pressure(const Velocity& velocity) {
    const int N = velocity.u.N;
    Field b(N);
    for_fluid(N, [&](int i, int j, int k) {
        b(i, j, k) = -divergence_at(velocity, i, j, k) / static_cast<float>((N - 2) * (N - 2));
    });
    Eigen::SparseMatrix<double> A = matrix(N, 1.0, 6.0, BoundaryType::SCALAR);
    A.coeffRef(0, 0) += 1.0;
    return without_mean(solve(A, b));
}

/// Stops at the first wall cell that is wrong: one says enough.
void check_walls(const Field& x, BoundaryType boundary) {
    const int N = x.N;
    const auto signs = signs_of(boundary);
    INFO("the walls of " << name_of(boundary) << ", N = " << N);
    INFO("u is mirrored left and right, v above and below, w in front and behind; else copied");
    for (int n = 1; n < N - 1; ++n) {
        for (int m = 1; m < N - 1; ++m) {
            INFO("at " << m << ", " << n << " of the wall");
            {
                INFO(
                    "left and right wall: are they given the cells beside them, (1, m, n) and "
                    "(N - 2, m, n)?");
                REQUIRE(x(0, m, n) == signs[0] * x(1, m, n));
                REQUIRE(x(N - 1, m, n) == signs[0] * x(N - 2, m, n));
            }
            {
                INFO(
                    "upper and lower wall: are they given the cells beside them, (m, 1, n) and "
                    "(m, N - 2, n)?");
                REQUIRE(x(m, 0, n) == signs[1] * x(m, 1, n));
                REQUIRE(x(m, N - 1, n) == signs[1] * x(m, N - 2, n));
            }
            {
                INFO(
                    "front and back wall: are they given the cells beside them, (m, n, 1) and "
                    "(m, n, N - 2)?");
                REQUIRE(x(m, n, 0) == signs[2] * x(m, n, 1));
                REQUIRE(x(m, n, N - 1) == signs[2] * x(m, n, N - 2));
            }
        }
    }
    // A cell where walls meet is the average of its neighbours one step inwards along each of the
    // axes at whose end it lies.
    for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
        const int at[3] = {static_cast<int>(cell) % N, static_cast<int>(cell) / N % N,
                           static_cast<int>(cell) / (N * N)};
        double sum = 0.0;
        int walls = 0;
        for (int axis = 0; axis < 3; ++axis) {
            Place beside = {at[0], at[1], at[2]};
            if (at[axis] == 0 || at[axis] == N - 1) {
                beside[axis] = at[axis] == 0 ? 1 : N - 2;
                sum += x(beside[0], beside[1], beside[2]);
                ++walls;
            }
        }
        if (walls >= 2) {
            INFO(cell_name(at[0], at[1], at[2]) << ", where " << walls << " walls meet");
            INFO(
                "each edge is the average of its two neighbours in the walls, each corner that of "
                "its three neighbours on the edges");
            REQUIRE_THAT(x(at[0], at[1], at[2]), WithinAbs(sum / walls, 1e-6));
        }
    }
}

}  // namespace

// ---- The cube and its walls --------------------------------------------------------------------

TEST_CASE("the cube lies in one array, row after row and layer after layer", "[21_3d]") {
    Field x(5);
    CHECK(x.cells.size() == 125);
    CHECK(x.IX(3, 0, 0) == 3);
    CHECK(x.IX(3, 1, 0) == 8);
    CHECK(x.IX(3, 1, 2) == 58);
    CHECK(x.IX(4, 4, 4) == 124);
    x(3, 1, 2) = 2.0f;
    CHECK(x.cells[58] == 2.0f);
    INFO("N counts the walls: of 5 layers 3 are fluid, and the wall behind is number 4");
    CHECK(is_fluid(5, 3, 1, 2));
    CHECK(is_fluid(5, 1, 3, 3));
    CHECK_FALSE(is_fluid(5, 4, 1, 2));
    CHECK_FALSE(is_fluid(5, 3, 0, 2));
    CHECK_FALSE(is_fluid(5, 3, 1, 4));
    x(2, 3, 3) = 5.0f;
    set_bnd(BoundaryType::SCALAR, x);
    INFO("is the wall behind the last layer given what stands in layer N - 2?");
    CHECK(x.cells[static_cast<std::size_t>(2 + 5 * (3 + 5 * 4))] == 5.0f);
}

TEST_CASE("the faces copy a scalar and mirror a velocity, edges and corners average", "[21_3d]") {
    for (const int N : {9, 4, 3}) {
        for (const BoundaryType boundary : all_types) {
            Field x = bumpy(N, 1);
            set_bnd(boundary, x);
            check_walls(x, boundary);
        }
    }
}

TEST_CASE("each component is mirrored at its own two walls", "[21_3d]") {
    Field x(6);
    x(1, 3, 2) = 3.0f;
    x(2, 4, 3) = 5.0f;
    x(3, 2, 4) = 7.0f;
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, x);
    INFO("u points into the left and the right wall: mirrored there, copied at the other four");
    CHECK(x(0, 3, 2) == -3.0f);
    CHECK(x(2, 5, 3) == 5.0f);
    CHECK(x(3, 2, 5) == 7.0f);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, x);
    INFO("v points into the upper and the lower wall");
    CHECK(x(0, 3, 2) == 3.0f);
    CHECK(x(2, 5, 3) == -5.0f);
    CHECK(x(3, 2, 5) == 7.0f);
    set_bnd(BoundaryType::VELOCITY_DEPTH, x);
    INFO("w points into the front and the back wall");
    CHECK(x(0, 3, 2) == 3.0f);
    CHECK(x(2, 5, 3) == 5.0f);
    CHECK(x(3, 2, 5) == -7.0f);
}

TEST_CASE("the walls do not touch the fluid", "[21_3d]") {
    for (const BoundaryType boundary : all_types) {
        const Field before = bumpy(6, 2);
        Field x = before;
        set_bnd(boundary, x);
        REQUIRE(x(0, 3, 2) != before(0, 3, 2));
        INFO("set_bnd of " << name_of(boundary));
        CHECK(distance(x, before) == 0.0);
    }
}

TEST_CASE("a constant field stays constant everywhere, edges and corners included", "[21_3d]") {
    Field x0(7);
    for_fluid(7, [&](int i, int j, int k) { x0(i, j, k) = 0.75f; });
    set_bnd(BoundaryType::SCALAR, x0);
    Field x = bumpy(7, 8);
    const Velocity flow = bumpy_velocity(7, 9);
    {
        INFO("as printed, an edge holds 0 and so does a corner: are they written?");
        for (const float cell : x0.cells) {
            REQUIRE_THAT(cell, WithinAbs(0.75, 1e-6));
        }
    }
    {
        advect(BoundaryType::SCALAR, x, x0, flow, 2.0f);
        INFO("carried: do the eight weights add up to 1? does advect end with set_bnd?");
        for (const float cell : x.cells) {
            REQUIRE_THAT(cell, WithinAbs(0.75, 1e-6));
        }
    }
    diffuse(BoundaryType::SCALAR, x, x0, 0.1f, 1.0f, 10);
    INFO("diffused: are there six neighbours, two of them in k, and is c = 1 + 6 a?");
    for (const float cell : x.cells) {
        REQUIRE_THAT(cell, WithinAbs(0.75, 1e-6));
    }
    Fluid fluid = bumpy_fluid(7, 10);
    fluid.density = x0;
    for (int n = 0; n < 5; ++n) {
        step(fluid, 0.5f);
    }
    INFO("after five steps");
    for (const float cell : fluid.density.cells) {
        REQUIRE_THAT(cell, WithinAbs(0.75, 1e-5));
    }
}

TEST_CASE("what is put beside a wall shows in the wall at once", "[21_3d]") {
    Fluid fluid(6);
    for (const auto& [i, j, k] : std::vector<Place>{{1, 3, 2},
                                                    {4, 2, 3},
                                                    {3, 1, 2},
                                                    {2, 4, 3},
                                                    {2, 3, 1},
                                                    {3, 2, 4},
                                                    {4, 4, 4},
                                                    {1, 1, 1},
                                                    {2, 2, 2}}) {
        add_density(fluid, i, j, k, 1.0f + 0.1f * static_cast<float>(i));
        add_velocity(fluid, i, j, k, {1.0f, 0.5f, 0.25f});
        check_walls(fluid.density, BoundaryType::SCALAR);
        check_walls(fluid.u, BoundaryType::VELOCITY_HORIZONTAL);
        check_walls(fluid.v, BoundaryType::VELOCITY_VERTICAL);
        check_walls(fluid.w, BoundaryType::VELOCITY_DEPTH);
    }
    CHECK(fluid.density(1, 3, 2) == 1.1f);
    CHECK(fluid.u(0, 3, 2) == -1.0f);
    CHECK(fluid.w(3, 2, 4) == 0.25f);
    CHECK(fluid.w(3, 2, 5) == -0.25f);
    const Fluid before = fluid;
    for (const auto& [i, j, k] : std::vector<Place>{
             {0, 3, 2}, {5, 3, 2}, {3, 0, 2}, {3, 5, 2}, {3, 2, 0}, {3, 2, 5}, {-9, 99, 2}}) {
        add_density(fluid, i, j, k, 1.0f);
        add_velocity(fluid, i, j, k, {1.0f, 1.0f, 1.0f});
    }
    INFO("a cell in a wall, or outside, is left alone");
    CHECK(same_bytes(fluid, before));
    INFO("the mouse, on a slice");
    CHECK(cell_from_mouse(-1.0f, 33.0f, 16.0f).i == -1);
    CHECK(cell_from_mouse(-1.0f, 33.0f, 16.0f).j == 2);
}

TEST_CASE("every operator leaves the walls in order", "[21_3d]") {
    const Velocity flow = bumpy_velocity(6, 4);
    for (const BoundaryType boundary : all_types) {
        const Field x0 = bumpy(6, 3);
        Field x(6);
        {
            INFO("after advect: does it end with set_bnd?");
            advect(boundary, x, x0, flow, 0.1f);
            REQUIRE(largest(x) > 0.1);
            check_walls(x, boundary);
        }
        INFO("after diffuse: does each sweep end with set_bnd, for a field of this type?");
        diffuse(boundary, x, x0, 0.01f, 0.1f, 3);
        check_walls(x, boundary);
    }
    Velocity velocity = flow;
    project(velocity, 4);
    INFO(
        "u loses what the pressure grows to the right, v what it grows down, w what it grows away");
    REQUIRE(distance(velocity.w, flow.w) > 0.01);
    INFO("does project end with set_bnd of u, of v and of w?");
    check_walls(velocity.u, BoundaryType::VELOCITY_HORIZONTAL);
    check_walls(velocity.v, BoundaryType::VELOCITY_VERTICAL);
    check_walls(velocity.w, BoundaryType::VELOCITY_DEPTH);
}

// ---- Diffusion ---------------------------------------------------------------------------------

TEST_CASE("four sweeps spread a drop as they should", "[21_3d]") {
    Field x(18);
    x(8, 8, 8) = 1.0f;
    const Field x0 = x;
    diffuse(BoundaryType::SCALAR, x, x0, 0.006f, 1.0f / 60.0f, 4);
    INFO("dye 1 in (8, 8, 8), N = 18: a = dt * rate * (N - 2)^2 = 0.0256, c = 1 + 6 a");
    INFO("are there six neighbours, two of them in k?");
    CHECK_THAT(x(8, 8, 8), WithinAbs(0.869432039, 1e-6));
    CHECK_THAT(x(7, 8, 8), WithinAbs(0.019380207, 1e-6));
    CHECK_THAT(x(9, 8, 8), WithinAbs(0.019380213, 1e-6));
    CHECK_THAT(x(8, 8, 7), WithinAbs(0.019380207, 1e-6));
    CHECK_THAT(x(8, 9, 8), WithinAbs(0.019380213, 1e-6));
    CHECK_THAT(x(9, 8, 9), WithinAbs(0.000863993, 1e-6));
    CHECK_THAT(x(9, 9, 9), WithinAbs(0.000057691, 1e-6));
    INFO("total dye " << total(x) << ", expected 1: with so small an a four sweeps are enough");
    CHECK_THAT(total(x), WithinAbs(1.0, 1e-6));
}

TEST_CASE("the rate is in domain areas: a grows with (N - 2)^2", "[21_3d]") {
    for (const int N : {6, 10}) {
        const Field x0 = bumpy(N, 5);
        Field x = x0;
        diffuse(BoundaryType::SCALAR, x, x0, 0.02f, 0.25f, 300);
        REQUIRE(distance(x, x0) > 0.1);
        const double a = 0.25 * 0.02 * (N - 2) * (N - 2);
        INFO("N = " << N << ": is a = dt * rate * (N - 2) * (N - 2), with neither N nor a cube?");
        INFO("or does lin_solve leave out a layer, or set_bnd after a sweep?");
        CHECK(distance(x, solve(matrix(N, a, 1 + 6 * a, BoundaryType::SCALAR), x0)) < 1e-5);
    }
}

TEST_CASE("diffusion converges to the direct solution", "[21_3d]") {
    for (const BoundaryType boundary : all_types) {
        for (const double a : {0.0256, 1.0, 10.0}) {
            const Field x0 = bumpy(9, 11);
            Field x = x0;
            const auto a_float = static_cast<float>(a);
            lin_solve(boundary, x, x0, a_float, 1.0f + 6.0f * a_float, 700);
            const Eigen::SparseMatrix<double> A = matrix(9, a, 1 + 6 * a, boundary);
            INFO(name_of(boundary) << ", a = " << a << ", against Eigen's SimplicialLDLT");
            INFO("is every neighbour counted once?");
            CHECK(distance(x, solve(A, x0)) < 4e-6);
            CHECK(residual(x, x0, a_float, 1.0f + 6.0f * a_float) < 1e-4f);
            set_bnd(boundary, x = bumpy(9, 12));
            INFO("the residual is the largest error of any equation, as Eigen has it");
            CHECK_THAT(residual(x, x0, a_float, 1.0f + 6.0f * a_float),
                       WithinAbs(distance(x0, A * as_vector(x)), 1e-5 * (1 + a)));
        }
    }
}

TEST_CASE("converged diffusion conserves the dye", "[21_3d]") {
    Field x = bumpy(9, 7);
    const Field x0 = x;
    diffuse(BoundaryType::SCALAR, x, x0, 0.05f, 0.1f, 500);
    REQUIRE(distance(x, x0) > 0.1);
    INFO("total dye " << total(x) << ", expected " << total(x0));
    CHECK_THAT(total(x), WithinAbs(total(x0), 1e-4));
}

TEST_CASE("a wave between walls decays by 1 / (1 + a lambda)", "[21_3d]") {
    const int N = 10;
    for (const Place& waves : std::vector<Place>{{1, 0, 0}, {0, 0, 3}, {2, 5, 1}, {7, 7, 7}}) {
        Field x(N);
        const double step = std::numbers::pi / (N - 2);
        for_fluid(N, [&](int i, int j, int k) {
            x(i, j, k) = static_cast<float>(std::cos(step * waves[0] * (i - 0.5)) *
                                            std::cos(step * waves[1] * (j - 0.5)) *
                                            std::cos(step * waves[2] * (k - 0.5)));
        });
        set_bnd(BoundaryType::SCALAR, x);
        const Field x0 = x;
        lin_solve(BoundaryType::SCALAR, x, x0, 0.5f, 4.0f, 200);
        double lambda = 6.0;
        for (const int count : waves) {
            lambda -= 2 * std::cos(step * count);
        }
        INFO(waves[0] << ", " << waves[1] << " and " << waves[2]
                      << " half waves across, down and away, a = 0.5");
        CHECK_THAT(x(1, 1, 1) / x0(1, 1, 1), WithinAbs(1 / (1 + 0.5 * lambda), 2e-5));
        CHECK_THAT(x(8, 1, 8) / x0(8, 1, 8), WithinAbs(1 / (1 + 0.5 * lambda), 2e-5));
    }
}

TEST_CASE("each sweep goes on from the one before, walls included", "[21_3d]") {
    const Field x0 = bumpy(6, 6);
    Field at_once(6);
    Field one_by_one(6);
    lin_solve(BoundaryType::VELOCITY_DEPTH, at_once, x0, 2.0f, 13.0f, 4);
    for (int sweep = 0; sweep < 4; ++sweep) {
        lin_solve(BoundaryType::VELOCITY_DEPTH, one_by_one, x0, 2.0f, 13.0f, 1);
        set_bnd(BoundaryType::VELOCITY_DEPTH, one_by_one);
    }
    REQUIRE(largest(at_once) > 0.01);
    REQUIRE(at_once(3, 2, 0) == -at_once(3, 2, 1));
    INFO("set_bnd belongs into the loop over the sweeps, not after it");
    CHECK(same_bytes(at_once, one_by_one));
}

TEST_CASE("a sweep uses what it has just found, in the order of the array", "[21_3d][in-order]") {
    const Field x0 = bumpy(6, 6);
    Field x = bumpy(6, 7);
    Field expected = x;
    lin_solve(BoundaryType::SCALAR, x, x0, 1.0f, 7.0f, 1);
    for_fluid(6, [&](int i, int j, int k) {
        expected(i, j, k) =
            (x0(i, j, k) + expected(i - 1, j, k) + expected(i + 1, j, k) + expected(i, j - 1, k) +
             expected(i, j + 1, k) + expected(i, j, k - 1) + expected(i, j, k + 1)) /
            7.0f;
    });
    INFO("Gauss-Seidel: three of the six neighbours are new already");
    CHECK(distance(x, expected) < 1e-6);
}

// ---- Advection ---------------------------------------------------------------------------------

TEST_CASE("the eight weights around (7.3, 4.8, 2.25)", "[21_3d]") {
    const Source source = source_at(7.3f, 4.8f, 2.25f, 18);
    INFO("between the columns 7 and 8: 0.7 and 0.3");
    CHECK(source.i0 == 7);
    CHECK_THAT(source.s0, WithinAbs(0.7, 1e-6));
    CHECK_THAT(source.s1, WithinAbs(0.3, 1e-6));
    INFO("between the rows 4 and 5: 0.2 and 0.8");
    CHECK(source.j0 == 4);
    CHECK_THAT(source.t0, WithinAbs(0.2, 1e-6));
    CHECK_THAT(source.t1, WithinAbs(0.8, 1e-6));
    INFO("between the layers 2 and 3: 0.75 and 0.25");
    CHECK(source.k0 == 2);
    CHECK(source.u0 == 0.75f);
    CHECK(source.u1 == 0.25f);
}

TEST_CASE("at the centre of a cell only that cell counts", "[21_3d]") {
    const Source source = source_at(7.0f, 4.0f, 2.0f, 18);
    INFO("whole numbers are centres of cells");
    CHECK(source.i0 == 7);
    CHECK(source.j0 == 4);
    CHECK(source.k0 == 2);
    CHECK(source.s1 == 0.0f);
    CHECK(source.t1 == 0.0f);
    CHECK(source.u1 == 0.0f);
    CHECK(source.s0 * source.t0 * source.u0 == 1.0f);
}

TEST_CASE("points beyond the walls are pulled in", "[21_3d]") {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float far : {-3.0f, -1e30f, -infinity}) {
        INFO(far << " is pulled in to 0.5, half way between wall and first cell");
        CHECK(source_at(far, 5.25f, 3.0f, 10).i0 == 0);
        CHECK(source_at(far, 5.25f, 3.0f, 10).s1 == 0.5f);
        CHECK(source_at(far, 5.25f, 3.0f, 10).t1 == 0.25f);
        CHECK(source_at(5.25f, far, 3.0f, 10).t1 == 0.5f);
        CHECK(source_at(5.25f, 3.0f, far, 10).k0 == 0);
        CHECK(source_at(5.25f, 3.0f, far, 10).u1 == 0.5f);
    }
    for (const float far : {9.5f, 1e30f, infinity}) {
        INFO(far << " is pulled in to N - 1.5 = 8.5, half way between last cell and wall");
        INFO("N counts the walls: with N + 0.5 the article reads beyond the array");
        CHECK(source_at(far, 2.75f, 3.0f, 10).i0 == 8);
        CHECK(source_at(far, 2.75f, 3.0f, 10).s1 == 0.5f);
        CHECK(source_at(far, 2.75f, 3.0f, 10).t1 == 0.75f);
        CHECK(source_at(2.75f, far, 3.0f, 10).j0 == 8);
        CHECK(source_at(2.75f, 3.0f, far, 10).k0 == 8);
        CHECK(source_at(2.75f, 3.0f, far, 10).u1 == 0.5f);
    }
}

TEST_CASE("a point that is not a number stays inside", "[21_3d]") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Source source = source_at(nan, nan, nan, 10);
    for (const int first : {source.i0, source.j0, source.k0}) {
        CHECK(first >= 0);
        CHECK(first <= 8);
    }
    INFO("and another point is found where it is");
    CHECK(source_at(3.5f, 6.0f, 4.5f, 10).k0 == 4);
    Fluid fluid = bumpy_fluid(6, 30);
    fluid.u(2, 3, 4) = nan;
    fluid.w(3, 3, 3) = std::numeric_limits<float>::infinity();
    INFO("a whole step with it reads nothing outside either, with slips or without");
    step(fluid, 0.1f);
    CHECK(std::isnan(fluid.u(2, 3, 4)));
    FluidWithSlips slipping(fluid);
    slipping.slips = {true, true, true, true, true, true, true, true};
    step(slipping, 0.1f);
}

TEST_CASE("the average of eight cells weighs each as it should", "[21_3d]") {
    Field x(5);
    for (int n = 0; n < 8; ++n) {  // 1, 10, 100... in (2, 1, 3) and its seven neighbours
        x(2 + n % 2, 1 + n / 2 % 2, 3 + n / 4) = static_cast<float>(std::pow(10.0, n));
    }
    INFO("are all eight cells read, each once, each with its own weight?");
    CHECK(interpolate(x, {2, 1, 3, 1, 0, 1, 0, 1, 0}) == 1.0f);
    CHECK(interpolate(x, {2, 1, 3, 0, 1, 1, 0, 1, 0}) == 10.0f);
    CHECK(interpolate(x, {2, 1, 3, 1, 0, 0, 1, 1, 0}) == 100.0f);
    CHECK(interpolate(x, {2, 1, 3, 0, 1, 0, 1, 1, 0}) == 1000.0f);
    CHECK(interpolate(x, {2, 1, 3, 1, 0, 1, 0, 0, 1}) == 10000.0f);
    CHECK(interpolate(x, {2, 1, 3, 0, 1, 0, 1, 0, 1}) == 10000000.0f);
    CHECK(interpolate(x, {2, 1, 3, 1, 1, 1, 1, 1, 1}) == 11111111.0f);
}

TEST_CASE("in a uniform flow a blob moves dt (N - 2) u cells, exactly", "[21_3d]") {
    for (const int N : {18, 14}) {
        Field d0(N);
        d0(3, 9, 4) = 1.0f;
        d0(4, 9, 5) = 0.5f;
        Field d(N);
        // 3 cells right, 2 up and 5 away
        const auto cells = [&](float count) {
            return constant(N, 8.0f * count / static_cast<float>(N - 2));
        };
        const Field across = cells(3.0f);
        const Field down = cells(-2.0f);
        const Field away = cells(5.0f);
        advect(BoundaryType::SCALAR, d, d0, {across, down, away}, 0.125f);
        INFO("N = " << N << ": 3 cells to the right, 2 up (y points down), 5 away");
        INFO(
            "is the velocity scaled by N - 2? does each cell look upstream, u along i, v along j "
            "and w along k?");
        CHECK_THAT(d(6, 7, 9), WithinAbs(1.0, 1e-5));
        CHECK_THAT(d(7, 7, 10), WithinAbs(0.5, 1e-5));
        INFO("total dye " << total(d) << ", expected 1.5: does every cell read from the copy?");
        CHECK_THAT(total(d), WithinAbs(1.5, 1e-5));
    }
    INFO("a uniform flow carries itself, too: away from the walls it stays what it is");
    Fluid fluid(12);
    fluid.project_velocity = false;
    fluid.u = constant(12, 1.0f);
    fluid.v = constant(12, -0.5f);
    fluid.w = constant(12, 0.25f);
    step(fluid, 0.1f);
    for (const auto& [i, j, k] : std::vector<Place>{{5, 6, 7}, {6, 4, 5}}) {
        CHECK_THAT(fluid.u(i, j, k), WithinAbs(1.0, 1e-5));
        CHECK_THAT(fluid.v(i, j, k), WithinAbs(-0.5, 1e-5));
        CHECK_THAT(fluid.w(i, j, k), WithinAbs(0.25, 1e-5));
    }
}

TEST_CASE("a quarter of a cell away keeps more in front than behind", "[21_3d]") {
    Field d0(10);
    d0(3, 6, 5) = 1.0f;
    Field d(10);
    Velocity flow(10);
    flow.w = constant(10, 0.5f);
    advect(BoundaryType::SCALAR, d, d0, flow, 0.0625f);
    INFO("dye 1 at (3, 6, 5), carried a quarter of a cell away: w moves along k");
    CHECK_THAT(d(3, 6, 5), WithinAbs(0.75, 1e-6));
    CHECK_THAT(d(3, 6, 6), WithinAbs(0.25, 1e-6));
    CHECK_THAT(total(d), WithinAbs(1.0, 1e-6));
}

TEST_CASE("each cell takes what is upstream of it", "[21_3d]") {
    const int N = 9;
    const Field d0 = bumpy(N, 1);
    const Velocity flow = bumpy_velocity(N, 2);
    Field clean(N);
    Field d = constant(N, 100.0f);
    advect(BoundaryType::SCALAR, clean, d0, flow, 0.3f);
    advect(BoundaryType::SCALAR, d, d0, flow, 0.3f);
    for (const auto& [i, j, k] : std::vector<Place>{{2, 7, 4}, {5, 3, 6}, {7, 7, 7}, {1, 4, 2}}) {
        const double x = i - 0.3 * (N - 2) * flow.u(i, j, k);
        const double y = j - 0.3 * (N - 2) * flow.v(i, j, k);
        const double z = k - 0.3 * (N - 2) * flow.w(i, j, k);
        INFO(cell_name(i, j, k) << " came from (" << x << ", " << y << ", " << z
                                << "), by the velocity in the cell itself");
        CHECK_THAT(d(i, j, k), WithinAbs(sampled(d0, x, y, z), 1e-5));
    }
    INFO("advect reads the copy and overwrites the target");
    CHECK(same_bytes(clean, d));
    advect(BoundaryType::SCALAR, d, d0, Velocity(N), 0.3f);
    INFO("velocity 0 leaves every cell as it is, those in the last row, column and layer too");
    CHECK(distance(d, d0) == 0.0);
}

TEST_CASE("advection makes no new extremes, however fast the flow", "[21_3d]") {
    const Field d0 = bumpy(8, 8);
    for (const float speed : {1.0f, 50.0f, 1e30f}) {
        Velocity flow = bumpy_velocity(8, 9);
        for (Field* component : {&flow.u, &flow.v, &flow.w}) {
            for (float& cell : component->cells) {
                cell *= speed;
            }
        }
        Field d(8);
        advect(BoundaryType::SCALAR, d, d0, flow, 0.1f);
        REQUIRE(largest(d) > 0.0);
        INFO("averages of values from -1 to 1 stay between them: do the weights add up to 1?");
        CHECK(largest(d) <= 1.0 + 1e-6);
    }
}

// ---- Projection --------------------------------------------------------------------------------

TEST_CASE("divergence is what flows out, per second", "[21_3d]") {
    Velocity velocity(10);
    for (int k = 0; k < 10; ++k) {
        for (int j = 0; j < 10; ++j) {
            for (int i = 0; i < 10; ++i) {
                const auto [x, y, z] =
                    std::array{static_cast<float>(i), static_cast<float>(j), static_cast<float>(k)};
                velocity.u(i, j, k) = 0.25f * x + 5.0f * z;
                velocity.v(i, j, k) = 0.5f * y + 3.0f * x;
                velocity.w(i, j, k) = 0.125f * z + 7.0f * y;
            }
        }
    }
    INFO(
        "u grows by 0.25 a cell to the right, v by 0.5 a cell down and w by 0.125 a cell away, and "
        "a cell is 1/8 wide: 8 * 0.875");
    INFO("is it the difference of the neighbours, over the 2 h between them, h = 1 / (N - 2)?");
    CHECK_THAT(divergence_at(velocity, 3, 6, 5), WithinAbs(7.0, 1e-5));
}

TEST_CASE("four sweeps project a push as they should", "[21_3d][in-order]") {
    Velocity velocity(18);
    velocity.u(8, 8, 8) = 1.0f;
    const Field pressure = project(velocity, 4);
    INFO("u(8, 8, 8) = 1, all else 0, N = 18");
    {
        INFO("is the right-hand side -h h times the divergence, h = 1 / (N - 2), a = 1 and c = 6?");
        INFO("and are there `iterations` sweeps?");
        CHECK_THAT(pressure(7, 8, 8), WithinAbs(-0.006388514, 1e-7));
        CHECK_THAT(pressure(9, 8, 8), WithinAbs(0.006228395, 1e-7));
    }
    INFO("is the gradient subtracted, is it divided by 2 h?");
    INFO(
        "u loses what the pressure grows to the right, v what it grows down, w what it grows away");
    CHECK_THAT(velocity.u(8, 8, 8), WithinAbs(0.899064727, 1e-6));
    CHECK_THAT(velocity.u(9, 8, 8), WithinAbs(-0.012785561, 1e-6));
    CHECK_THAT(velocity.u(8, 9, 8), WithinAbs(-0.021925696, 1e-6));
    CHECK_THAT(velocity.u(8, 8, 9), WithinAbs(-0.021925696, 1e-6));
    CHECK_THAT(velocity.v(9, 9, 8), WithinAbs(0.047491212, 1e-6));
    CHECK_THAT(velocity.w(9, 8, 9), WithinAbs(0.047491212, 1e-6));
    CHECK_THAT(velocity.w(9, 9, 8), WithinAbs(-0.000441073, 1e-6));
}

TEST_CASE("four sweeps leave most of a wave's divergence", "[21_3d][in-order]") {
    // Ash's array holds -0.5 / N times the differences. Without the 1 / N that is the divergence
    // per width of a cell instead of per width of the cube: h times divergence_at.
    const Velocity smooth = wave(18, 1, 1, 0);
    const double h = 1.0 / 16.0;
    INFO("N = 18, u = sin(pi x) cos(pi y)");
    CHECK_THAT(h * largest_divergence(smooth), WithinAbs(0.193, 5e-4));
    Velocity projected = smooth;
    project(projected, 4);
    INFO("after four sweeps the largest divergence is even larger");
    CHECK_THAT(h * largest_divergence(projected), WithinAbs(0.212, 5e-4));
    INFO("how much of it is left, on an average: 91, 64, 11 and 1 percent");
    CHECK_THAT(share_kept(smooth, 4), WithinAbs(0.9147, 1e-4));
    CHECK_THAT(share_kept(smooth, 20), WithinAbs(0.6390, 1e-4));
    CHECK_THAT(share_kept(smooth, 100), WithinAbs(0.1084, 1e-4));
    CHECK_THAT(share_kept(smooth, 400), WithinAbs(0.0097, 1e-4));
}

TEST_CASE("solved exactly, each wave keeps what the collocated grid cannot see", "[21_3d]") {
    const int N = 6;
    const auto s = [](int k) { return std::pow(std::sin(std::numbers::pi * k / 8), 2); };
    for (int p = 1; p < 4; ++p) {
        for (int q = 0; q < 4; ++q) {
            for (int r = 0; r < 4; ++r) {
                const double left = s(p) * s(p) + s(q) * s(q) + s(r) * s(r);
                INFO(p << ", " << q << " and " << r << " half waves across, down and away");
                CHECK_THAT(share_kept(wave(N, p, q, r), 300),
                           WithinAbs(left / (s(p) + s(q) + s(r)), 2e-4));
            }
        }
    }
}

TEST_CASE("the pressure converges to the direct solution, up to a constant", "[21_3d]") {
    const Velocity before = bumpy_velocity(9, 3);
    Velocity velocity = before;
    const Field pressure = project(velocity, 1500);
    const Eigen::VectorXd exact = exact_pressure(before);
    const double most = exact.cwiseAbs().maxCoeff();
    REQUIRE(most > 1e-3);
    INFO("largest pressure " << most << "; against Eigen's SimplicialLDLT");
    CHECK((without_mean(as_vector(pressure)) - exact).cwiseAbs().maxCoeff() < 1e-5 * most + 1e-7);
    INFO("and the velocity has lost just its gradient");
    const auto p = [&](int i, int j, int k) {
        return exact[row_of(9, std::clamp(i, 1, 7), std::clamp(j, 1, 7), std::clamp(k, 1, 7))];
    };
    for (const auto& [i, j, k] : std::vector<Place>{{4, 7, 2}, {1, 2, 5}, {7, 6, 1}}) {
        CHECK_THAT(velocity.u(i, j, k),
                   WithinAbs(before.u(i, j, k) - (p(i + 1, j, k) - p(i - 1, j, k)) * 7 / 2, 1e-4));
        CHECK_THAT(velocity.v(i, j, k),
                   WithinAbs(before.v(i, j, k) - (p(i, j + 1, k) - p(i, j - 1, k)) * 7 / 2, 1e-4));
        CHECK_THAT(velocity.w(i, j, k),
                   WithinAbs(before.w(i, j, k) - (p(i, j, k + 1) - p(i, j, k - 1)) * 7 / 2, 1e-4));
    }
}

TEST_CASE("what flows out of one cell flows into others", "[21_3d]") {
    const Velocity velocity = bumpy_velocity(9, 1);
    double sum = 0.0;
    for_fluid(9, [&](int i, int j, int k) { sum += divergence_at(velocity, i, j, k); });
    REQUIRE(rms_divergence(velocity) > 1.0);
    INFO("in a closed box all divergence adds up to 0: only then has the pressure a solution");
    CHECK_THAT(sum, WithinAbs(0.0, 5e-3));
}

TEST_CASE("what does not flow together passes untouched", "[21_3d]") {
    Velocity push(10);
    push.w(5, 4, 6) = 1.0f;
    const Velocity pushed = push;
    project(push, 4);
    REQUIRE(distance(push.w, pushed.w) > 0.01);
    Velocity board(10);
    for_fluid(10, [&](int i, int j, int k) {
        const float sign = (i + j + k) % 2 == 0 ? 1.0f : -1.0f;
        board.u(i, j, k) = sign;
        board.v(i, j, k) = -0.5f * sign;
        board.w(i, j, k) = 0.25f * sign;
    });
    board.refresh_walls();
    Velocity after = board;
    project(after, 100);
    INFO("central differences reach over the cell: they see no divergence in a checkerboard");
    CHECK(distance(after.u, board.u) == 0.0);
    CHECK(distance(after.w, board.w) == 0.0);
    // The curl of a stream function that is mirrored in the walls: it turns about a tilted axis.
    Velocity turning(18);
    const auto bump = [](int i, int j, int k) {
        const double step = std::numbers::pi / 16;
        return std::sin(step * (i - 0.5)) * std::sin(2 * step * (j - 0.5)) *
               std::sin(step * (k - 0.5));
    };
    for_fluid(18, [&](int i, int j, int k) {
        const double to_x = bump(i + 1, j, k) - bump(i - 1, j, k);
        const double to_y = bump(i, j + 1, k) - bump(i, j - 1, k);
        const double to_z = bump(i, j, k + 1) - bump(i, j, k - 1);
        turning.u(i, j, k) = static_cast<float>(to_y - 2 * to_z);
        turning.v(i, j, k) = static_cast<float>(-to_x + 3 * to_z);
        turning.w(i, j, k) = static_cast<float>(2 * to_x - 3 * to_y);
    });
    turning.refresh_walls();
    REQUIRE(largest(turning.w) > 0.3);
    Velocity turned = turning;
    project(turned, 200);
    INFO("a flow that only turns is left as it is");
    CHECK(distance(turned.u, turning.u) < 1e-5);
    CHECK(distance(turned.v, turning.v) < 1e-5);
    CHECK(distance(turned.w, turning.w) < 1e-5);
}

TEST_CASE("projection never adds energy", "[21_3d]") {
    const auto energy = [](const Velocity& velocity) {
        return as_vector(velocity.u).squaredNorm() + as_vector(velocity.v).squaredNorm() +
               as_vector(velocity.w).squaredNorm();
    };
    Velocity velocity = bumpy_velocity(9, 7);
    const double before = energy(velocity);
    project(velocity, 700);
    REQUIRE(energy(velocity) > 0.1 * before);
    CHECK(energy(velocity) < 0.95 * before);
}

TEST_CASE("each projection starts from pressure 0", "[21_3d]") {
    Velocity once = bumpy_velocity(8, 15);
    Velocity again = once;
    const Field expected = project(once, 4);
    REQUIRE(largest(expected) > 1e-4);
    Field pressure = bumpy(8, 17);
    Field divergence = bumpy(8, 18);
    project(again.u, again.v, again.w, pressure, divergence, 4);
    INFO("what the pressure was before must not matter: a saved state does not hold it");
    INFO("is it set to 0, and its walls too, with set_bnd before the solve?");
    CHECK(same_bytes(again.u, once.u));
    CHECK(same_bytes(pressure, expected));
}

// ---- The step ----------------------------------------------------------------------------------

TEST_CASE("four sweeps for all, and nothing wrong unless asked for", "[21_3d]") {
    const FluidWithSlips fluid(18);
    CHECK(fluid.iterations == 4);
    const Slips& slips = fluid.slips;
    CHECK_FALSE(any_of(slips));
    Fluid pushed(18);
    pushed.visc = 0.0f;
    pushed.advect_velocity = false;
    pushed.u(8, 8, 8) = 1.0f;
    velocity_step(pushed, 0.1f);
    Velocity by_hand(18);
    by_hand.u(8, 8, 8) = 1.0f;
    project(by_hand, 4);
    project(by_hand, 4);
    CHECK(pushed.u(8, 8, 8) < 0.9f);
    INFO("projected twice, each time in four sweeps");
    CHECK(distance(pushed.u, by_hand.u) < 1e-6);
}

TEST_CASE("a step diffuses, projects, carries and projects the velocity, then the dye", "[21_3d]") {
    Fluid fluid = bumpy_fluid(8, 19);
    const Fluid start = fluid;
    step(fluid, 0.1f);

    Velocity velocity(8);
    velocity.u = start.u;
    velocity.v = start.v;
    velocity.w = start.w;
    diffuse(BoundaryType::VELOCITY_HORIZONTAL, velocity.u, start.u, 0.02f, 0.1f, 4);
    diffuse(BoundaryType::VELOCITY_VERTICAL, velocity.v, start.v, 0.02f, 0.1f, 4);
    diffuse(BoundaryType::VELOCITY_DEPTH, velocity.w, start.w, 0.02f, 0.1f, 4);
    project(velocity, 4);
    const Velocity old = velocity;
    REQUIRE(distance(old.w, start.w) > 0.1);
    advect(BoundaryType::VELOCITY_HORIZONTAL, velocity.u, old.u, old, 0.1f);
    advect(BoundaryType::VELOCITY_VERTICAL, velocity.v, old.v, old, 0.1f);
    advect(BoundaryType::VELOCITY_DEPTH, velocity.w, old.w, old, 0.1f);
    project(velocity, 4);
    INFO("diffuse, project, advect, project: u, v and w, each with its own walls");
    INFO("all three are carried by the velocity as it was, not by one that has just moved");
    CHECK(same_bytes(fluid.u, velocity.u));
    CHECK(same_bytes(fluid.v, velocity.v));
    CHECK(same_bytes(fluid.w, velocity.w));

    Field spread = start.density;
    diffuse(BoundaryType::SCALAR, spread, start.density, 0.01f, 0.1f, 4);
    Field density(8);
    advect(BoundaryType::SCALAR, density, spread, velocity, 0.1f);
    REQUIRE(distance(density, start.density) > 0.1);
    INFO("then the dye spreads at its own rate, and the new velocity carries it");
    CHECK(same_bytes(fluid.density, density));
}

TEST_CASE("each part of the velocity's step can be switched off", "[21_3d]") {
    Fluid fluid = with_steady_flow(bumpy_fluid(8, 9));
    const Fluid before = fluid;
    velocity_step(fluid, 0.1f);
    CHECK(same_bytes(fluid, before));
    Fluid diffused = before;
    diffused.diffuse_velocity = true;
    velocity_step(diffused, 0.1f);
    CHECK(distance(diffused.w, before.w) > 0.01);
    Fluid carried = before;
    carried.advect_velocity = true;
    velocity_step(carried, 0.1f);
    CHECK(distance(carried.w, before.w) > 0.01);
    Fluid projected = before;
    projected.project_velocity = true;
    velocity_step(projected, 0.1f);
    CHECK(distance(projected.w, before.w) > 0.01);
}

TEST_CASE("nothing flows through a wall", "[21_3d]") {
    Fluid fluid = bumpy_fluid(7, 23);
    for (int n = 0; n < 3; ++n) {
        step(fluid, 0.1f);
    }
    REQUIRE(largest(fluid.u) > 0.01);
    for (int m = 1; m < 6; ++m) {
        for (int n = 1; n < 6; ++n) {
            INFO("half way between a wall cell and the one beside it, the velocity into the wall");
            REQUIRE(fluid.u(0, m, n) + fluid.u(1, m, n) == 0.0f);
            REQUIRE(fluid.u(6, m, n) + fluid.u(5, m, n) == 0.0f);
            REQUIRE(fluid.v(m, 0, n) + fluid.v(m, 1, n) == 0.0f);
            REQUIRE(fluid.v(m, 6, n) + fluid.v(m, 5, n) == 0.0f);
            REQUIRE(fluid.w(m, n, 0) + fluid.w(m, n, 1) == 0.0f);
            REQUIRE(fluid.w(m, n, 6) + fluid.w(m, n, 5) == 0.0f);
        }
    }
    INFO("but along it, it does: free slip");
    CHECK(fluid.u(3, 0, 3) == fluid.u(3, 1, 3));
    CHECK(fluid.u(3, 3, 6) == fluid.u(3, 3, 5));
}

TEST_CASE("what a saved state does not hold does not matter", "[21_3d]") {
    Fluid fluid = bumpy_fluid(7, 25);
    const Fluid start = fluid;
    step(fluid, 0.1f);
    REQUIRE(distance(fluid.density, start.density) > 0.01);
    Fluid loaded = start;
    for (Field* scratch : {&loaded.density_prev, &loaded.u_prev, &loaded.v_prev, &loaded.w_prev,
                           &loaded.pressure, &loaded.divergence}) {
        *scratch = constant(7, 7.0f);
    }
    const auto check = [&](const Slips& slips) {
        FluidWithSlips clean(start);
        FluidWithSlips stale(loaded);
        clean.slips = stale.slips = slips;
        step(clean, 0.1f);
        step(stale, 0.1f);
        INFO("the scratch arrays held 7 everywhere: is each of them written before it is read?");
        CHECK(same_bytes(stale, clean));
    };
    check({});
    // Nor with the slips, one excepted: see "slip first guess".
    for (bool Slips::*slip : {&Slips::corners, &Slips::corner_index, &Slips::edges, &Slips::clamp,
                              &Slips::whole_numbers, &Slips::divergence, &Slips::explicit_update}) {
        Slips slips;
        slips.*slip = true;
        check(slips);
    }
}

TEST_CASE("with the axes exchanged the answer is exchanged", "[21_3d]") {
    // Along whichever axis the sweep goes first, each cell finds its lower neighbours new and the
    // others old: it is the same sweep, so this holds after four of them too, to rounding.
    const Fluid start = bumpy_fluid(9, 29);
    Fluid straight = start;
    step(straight, 0.1f);
    step(straight, 0.1f);
    REQUIRE(distance(straight.density, start.density) > 0.1);
    Place axes = {0, 1, 2};
    while (std::next_permutation(axes.begin(), axes.end())) {
        const auto moved = [&](int i, int j, int k) {
            Place to{};
            to[axes[0]] = i;
            to[axes[1]] = j;
            to[axes[2]] = k;
            return to;
        };
        Fluid exchanged = start;
        const Field* const from[] = {&start.u, &start.v, &start.w};
        Field* const into[] = {&exchanged.u, &exchanged.v, &exchanged.w};
        for (int k = 0; k < 9; ++k) {
            for (int j = 0; j < 9; ++j) {
                for (int i = 0; i < 9; ++i) {
                    const auto [a, b, c] = moved(i, j, k);
                    exchanged.density(a, b, c) = start.density(i, j, k);
                    for (int axis = 0; axis < 3; ++axis) {
                        (*into[axes[axis]])(a, b, c) = (*from[axis])(i, j, k);
                    }
                }
            }
        }
        step(exchanged, 0.1f);
        step(exchanged, 0.1f);
        const Field* const answers[] = {&straight.u, &straight.v, &straight.w};
        for_fluid(9, [&](int i, int j, int k) {
            const auto [a, b, c] = moved(i, j, k);
            INFO(cell_name(i, j, k) << ", its axes taken as " << axes[0] << axes[1] << axes[2]);
            REQUIRE_THAT(exchanged.density(a, b, c), WithinAbs(straight.density(i, j, k), 1e-5));
            for (int axis = 0; axis < 3; ++axis) {
                REQUIRE_THAT((*into[axes[axis]])(a, b, c),
                             WithinAbs((*answers[axis])(i, j, k), 1e-5));
            }
        });
    }
}

TEST_CASE("mirrored front and back, the answer is mirrored once it has converged", "[21_3d]") {
    // The sweeps' order is not symmetric here, so four of them do not do.
    const Velocity before = bumpy_velocity(8, 11);
    Velocity mirrored(8);
    for_fluid(8, [&](int i, int j, int k) {
        mirrored.u(i, j, k) = before.u(i, j, 7 - k);
        mirrored.v(i, j, k) = before.v(i, j, 7 - k);
        mirrored.w(i, j, k) = -before.w(i, j, 7 - k);
    });
    mirrored.refresh_walls();
    const auto difference = [&](int iterations) {
        Velocity a = before;
        Velocity b = mirrored;
        project(a, iterations);
        project(b, iterations);
        double most = 0.0;
        for_fluid(8, [&](int i, int j, int k) {
            most = larger(most, std::abs(double{a.u(i, j, k)} - b.u(i, j, 7 - k)));
            most = larger(most, std::abs(double{a.w(i, j, k)} + b.w(i, j, 7 - k)));
        });
        return most;
    };
    CHECK(difference(4) > 1e-3);
    CHECK(difference(1000) < 2e-5);
}

// ---- Beside 07_project -------------------------------------------------------------------------

namespace {

/// 07_project's fluid with numbers everywhere, and parameters as this chapter has them.
chapter_07::Fluid flat_fluid(int N, int iterations) {
    chapter_07::Fluid flat(N);
    flat.u = bumpy<chapter_07::Field>(N, 31);
    flat.v = bumpy<chapter_07::Field>(N, 32);
    flat.density = bumpy<chapter_07::Field>(N, 33);
    for (float& cell : flat.density.cells) {
        cell += 1.0f;
    }
    set_bnd(chapter_07::BoundaryType::VELOCITY_HORIZONTAL, flat.u);
    set_bnd(chapter_07::BoundaryType::VELOCITY_VERTICAL, flat.v);
    set_bnd(chapter_07::BoundaryType::SCALAR, flat.density);
    flat.density_fade_rate = 0.0f;
    flat.density_diffuse_rate = 0.01f;
    flat.velocity_diffuse_rate = 0.02f;
    flat.density_diffuse_iterations = iterations;
    flat.velocity_diffuse_iterations = iterations;
    flat.pressure_iterations = iterations;
    return flat;
}

/// The cell of the cube that stands `depth` layers above cell (i, j) of the flat grid, whose x and
/// y are axes `across` and `across + 1` of the cube (after the third comes the first).
Place above(int across, int i, int j, int depth) {
    Place cell{};
    cell[across] = i;
    cell[(across + 1) % 3] = j;
    cell[(across + 2) % 3] = depth;
    return cell;
}

/// How far a flat flow and the same flow extruded into a cube are apart after three steps.
double extruded_difference(int across, int iterations) {
    chapter_07::Fluid flat = flat_fluid(8, iterations);
    Fluid cube(10);
    cube.diff = 0.01f;
    cube.visc = 0.02f;
    cube.iterations = iterations;
    Field* const components[] = {&cube.u, &cube.v, &cube.w};
    Field& first = *components[across];
    Field& second = *components[(across + 1) % 3];
    Field& third = *components[(across + 2) % 3];
    const auto for_all = [&](const auto& visit) {
        for (int depth = 0; depth < 10; ++depth) {
            for (int j = 0; j < 10; ++j) {
                for (int i = 0; i < 10; ++i) {
                    const auto [a, b, c] = above(across, i, j, depth);
                    visit(i, j, cube.u.IX(a, b, c));
                }
            }
        }
    };
    for_all([&](int i, int j, int cell) {
        const auto at = static_cast<std::size_t>(cell);
        first.cells[at] = flat.u(i, j);
        second.cells[at] = flat.v(i, j);
        cube.density.cells[at] = flat.density(i, j);
    });
    for (int n = 0; n < 3; ++n) {
        step(cube, 0.1f);
        step(flat, 0.1f);
    }
    double most = 0.0;
    for_all([&](int i, int j, int cell) {
        const auto at = static_cast<std::size_t>(cell);
        const auto differ = [&](float a, float b) {
            most = larger(most, std::abs(double{a} - double{b}));
        };
        if (chapter_07::is_fluid(8, i, j)) {
            differ(first.cells[at], flat.u(i, j));
            differ(second.cells[at], flat.v(i, j));
            differ(third.cells[at], 0.0f);
            differ(cube.density.cells[at], flat.density(i, j));
        }
    });
    return most;
}

}  // namespace

TEST_CASE("a flat flow, extruded, does what 07_project does", "[21_3d]") {
    REQUIRE(chapter_07::divergence_at(flat_fluid(8, 1).u, flat_fluid(8, 1).v, 3, 4) != 0.0f);
    for (const int across : {0, 1, 2}) {
        INFO("its x is axis " << across << " of the cube, its y the next one");
        INFO("solved to the end, a layer that is like its neighbours has no part in it");
        CHECK(extruded_difference(across, 500) < 2e-5);
        INFO("after four sweeps 4 p = ... and 6 p = ... are not equally far");
        CHECK(extruded_difference(across, 4) > 1e-3);
    }
}

// ---- The slips, and what each of them does -----------------------------------------------------

namespace {

/// Dye 1 everywhere in a strong wind that comes out of the corner (0, 0, 0), or out of one at an
/// other end: where each axis is `from`.
FluidWithSlips windy(int N, std::array<float, 3> from) {
    FluidWithSlips fluid(with_steady_flow(Fluid(N)));
    fluid.u = constant(N, 100.0f * from[0]);
    fluid.v = constant(N, 100.0f * from[1]);
    fluid.w = constant(N, 100.0f * from[2]);
    for_fluid(N, [&](int i, int j, int k) { fluid.density(i, j, k) = 1.0f; });
    set_bnd(BoundaryType::SCALAR, fluid.density);
    fluid.diff = 0.0f;
    return fluid;
}

/// What a cell in the middle of it holds a step later.
float blown(FluidWithSlips fluid, const Slips& slips) {
    fluid.slips = slips;
    step(fluid, 0.1f);
    return fluid.density(4, 4, 4);
}

}  // namespace

TEST_CASE("with no slip switched on nothing slips", "[21_3d]") {
    const Fluid start = bumpy_fluid(9, 77);
    Fluid right = start;
    FluidWithSlips slipping(start);
    for (int n = 0; n < 3; ++n) {
        step(right, 0.1f);
        step(slipping, 0.1f);
    }
    REQUIRE(distance(right.density, start.density) > 0.01);
    CHECK(same_bytes(slipping, right));
}

TEST_CASE("slip edges: a constant field is 0.75 at an edge and 0.5 in a corner", "[21_3d]") {
    Slips slips;
    slips.edges = true;
    const FluidWithSlips from_corner = windy(8, {1.0f, 1.0f, 1.0f});
    const FluidWithSlips from_edge = windy(8, {1.0f, 1.0f, 0.0f});
    CHECK_THAT(blown(from_corner, {}), WithinAbs(1.0, 1e-6));
    CHECK_THAT(blown(from_edge, {}), WithinAbs(1.0, 1e-6));
    CHECK_THAT(blown(from_corner, slips), WithinAbs(0.5, 1e-6));
    CHECK_THAT(blown(from_edge, slips), WithinAbs(0.75, 1e-6));
    FluidWithSlips fluid = from_edge;
    fluid.slips = slips;
    step(fluid, 0.0f);
    CHECK(fluid.density(0, 0, 4) == 0.0f);
    CHECK(fluid.density(7, 4, 0) == 0.0f);
    CHECK(fluid.density(0, 0, 0) == 0.0f);
    CHECK(fluid.density(0, 3, 4) == 1.0f);
}

TEST_CASE("slip corners: three times 0.33 is 0.99", "[21_3d]") {
    Slips slips;
    slips.corners = true;
    const FluidWithSlips fluid = windy(8, {1.0f, -1.0f, 1.0f});
    CHECK_THAT(blown(fluid, {}), WithinAbs(1.0, 1e-6));
    CHECK_THAT(blown(fluid, slips), WithinAbs((7.0 + 0.99) / 8.0, 1e-6));
}

TEST_CASE("slip corner index: one corner misses a neighbour", "[21_3d]") {
    Slips slips;
    slips.corner_index = true;
    CHECK_THAT(blown(windy(8, {1.0f, 1.0f, 1.0f}), slips), WithinAbs(1.0, 1e-6));
    INFO("behind the end of the array is whatever it is, here 0: corner (0, 0, N - 1) is 2/3");
    CHECK_THAT(blown(windy(8, {1.0f, 1.0f, -1.0f}), slips),
               WithinAbs((7.0 + 2.0 / 3.0) / 8.0, 1e-6));
}

TEST_CASE("slip clamp: what flows out of the far walls comes from elsewhere", "[21_3d]") {
    Slips slips;
    slips.clamp = true;
    FluidWithSlips fluid = windy(8, {-1.0f, 0.0f, 0.0f});
    for_fluid(8, [&](int i, int j, int k) {
        fluid.density(i, j, k) = i == 1 ? static_cast<float>(j) : 0.0f;
    });
    set_bnd(BoundaryType::SCALAR, fluid.density);
    INFO("dye only at the left wall, wind out of the right wall");
    CHECK(blown(fluid, {}) == 0.0f);
    INFO("beyond the right wall the index finds the next row's left wall");
    CHECK(blown(fluid, slips) == 5.0f);

    INFO("dye 1 everywhere, wind out of the back wall: there the array is at its end");
    CHECK_THAT(blown(windy(8, {0.0f, 0.0f, -1.0f}), {}), WithinAbs(1.0, 1e-6));
    CHECK(blown(windy(8, {0.0f, 0.0f, -1.0f}), slips) == 0.0f);
    INFO("at the near walls nothing is wrong");
    CHECK_THAT(blown(windy(8, {1.0f, 1.0f, 1.0f}), slips), WithinAbs(1.0, 1e-6));

    for (const auto& [N, beyond] : {std::pair(16, 546), {64, 8322}, {128, 33026}}) {
        const Source far = source_at(1e9f, 1e9f, 1e9f, N + 2);  // the clamp as it is printed
        const int index = far.i0 + 1 + N * (far.j0 + 1 + N * (far.k0 + 1));
        INFO("N = " << N << ": the farthest of the eight cells lies that far behind the last one");
        CHECK(index - (N * N * N - 1) == beyond);
        CHECK(2 * N * N + 2 * N + 2 == beyond);
    }
}

TEST_CASE("slip first guess: four sweeps err by 42 percent instead of 3", "[21_3d][in-order]") {
    FluidWithSlips fluid(18);
    fluid.u = wave(18, 1, 1, 0).u;
    fluid.visc = 10.0f / 256.0f;  // a = 1 in a tenth of a second
    fluid.project_velocity = false;
    fluid.advect_velocity = false;
    const Eigen::VectorXd exact =
        solve(matrix(18, 1.0, 7.0, BoundaryType::VELOCITY_HORIZONTAL), fluid.u);
    const auto error = [&](FluidWithSlips start, bool slip) {
        start.slips.first_guess = slip;
        velocity_step(start, 0.1f);
        return distance(start.u, exact) / exact.cwiseAbs().maxCoeff();
    };
    INFO("the largest error over the largest value, from the field itself and from 0");
    CHECK_THAT(error(fluid, false), WithinAbs(0.0325, 1e-4));
    CHECK_THAT(error(fluid, true), WithinAbs(0.4227, 1e-4));
    INFO("in later steps u starts from the last pressure, v from the last divergence");
    FluidWithSlips later = fluid;
    later.pressure = constant(18, 5.0f);
    CHECK(error(later, false) == error(fluid, false));
    CHECK(error(later, true) > 1.0);
    INFO("w and the dye start from what they were before they were carried last");
    later = fluid;
    later.w = wave(18, 1, 1, 0).u;
    later.w_prev = later.w;
    later.visc = 0.0f;
    later.iterations = 0;
    later.slips.first_guess = true;
    later.density_prev = constant(18, 3.0f);
    velocity_step(later, 0.1f);
    CHECK(same_bytes(later.w, later.w_prev));
    step(later, 0.0f);
    CHECK(later.density(5, 6, 7) == 3.0f);
}

TEST_CASE("slip divergence: multiplied by N, the largest is 10.6 instead of 0.2",
          "[21_3d][in-order]") {
    FluidWithSlips fluid(18);
    fluid.u = wave(18, 1, 1, 0).u;
    fluid.diffuse_velocity = false;
    fluid.slips.divergence = true;
    project_with_slips(fluid);
    Velocity velocity(18);
    velocity.u = fluid.u;
    velocity.v = fluid.v;
    velocity.w = fluid.w;
    INFO(
        "per width of a cell, N = 18, u = sin(pi x) cos(pi y): 0.193 before, 0.212 without the "
        "slip");
    CHECK_THAT(largest_divergence(velocity) / 16.0, WithinAbs(10.57, 0.01));
}

TEST_CASE("slip explicit update: a checkerboard grows by |1 - 12 a|", "[21_3d]") {
    Fluid board = with_steady_flow(Fluid(12));
    for_fluid(12, [&](int i, int j, int k) {
        board.density(i, j, k) = (i + j + k) % 2 == 0 ? 1.0f : -1.0f;
    });
    set_bnd(BoundaryType::SCALAR, board.density);
    const auto after = [&](float a, int steps, bool slip) {
        FluidWithSlips fluid(board);
        fluid.slips.explicit_update = slip;
        fluid.diff = a;  // a = dt diff (N - 2)^2, and dt is 1 / 100
        for (int n = 0; n < steps; ++n) {
            step(fluid, 0.01f);
        }
        return fluid.density;
    };
    for (const float a : {0.1f, 1.0f / 6.0f, 0.25f}) {
        INFO("a = " << a << ", in the middle");
        CHECK_THAT(after(a, 1, true)(6, 6, 6), WithinAbs(1 - 12 * double{a}, 1e-5));
        CHECK_THAT(after(a, 3, true)(6, 6, 6), WithinAbs(std::pow(1 - 12 * double{a}, 3), 1e-4));
    }
    INFO("beyond 1/6 it blows up, up to there it does not; lin_solve never does");
    CHECK(largest(after(0.18f, 50, true)) > 50.0);
    CHECK(largest(after(0.165f, 50, true)) <= 1.0);
    CHECK(largest(after(0.18f, 50, false)) <= 1.0);
    CHECK(largest(after(10.0f, 3, false)) <= 1.0);
    INFO("small enough, both do the same");
    CHECK(distance(after(0.001f, 1, true), after(0.001f, 1, false)) < 2e-4);
    CHECK(distance(after(0.001f, 1, false), board.density) > 0.01);
}

TEST_CASE("slip whole numbers: a diffusion of 0.0001 is none", "[21_3d]") {
    const auto after = [](float rate, bool slip) {
        FluidWithSlips fluid(bumpy_fluid(7, 41));
        fluid.advect_velocity = false;
        fluid.project_velocity = false;
        fluid.diff = rate;
        fluid.visc = rate;
        fluid.slips.whole_numbers = slip;
        fluid.u = fluid.v = fluid.w = Field(7);
        fluid.w(3, 3, 3) = 0.001f;
        step(fluid, 0.1f);
        return fluid;
    };
    const Field before = bumpy_fluid(7, 41).density;
    CHECK(distance(after(0.9f, false).density, before) > 0.1);
    CHECK(distance(after(0.9f, true).density, before) < 1e-3);
    CHECK(after(0.9f, true).w(3, 3, 3) == 0.001f);
    CHECK(after(0.9f, false).w(3, 3, 3) < 0.0005f);
    INFO("1.9 is 1");
    CHECK(same_bytes(after(1.9f, true), after(1.0f, false)));
}
