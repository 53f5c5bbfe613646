#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "chapter.hpp"
#include "direct.hpp"
#include "larger.hpp"
#include "reference.hpp"

namespace {

struct Velocity {
    Field u, v;
    explicit Velocity(int N) : u(N), v(N) {}
    void refresh_walls() {
        set_bnd(BoundaryType::VELOCITY_HORIZONTAL, u);
        set_bnd(BoundaryType::VELOCITY_VERTICAL, v);
    }
};

Velocity bumpy_velocity(int N, std::uint32_t seed) {
    Velocity velocity(N);
    velocity.u = bumpy(N, seed);
    velocity.v = bumpy(N, seed + 1);
    velocity.refresh_walls();
    return velocity;
}

/// Projects, and answers the pressure.
Field project(Velocity& velocity, int iterations) {
    Field pressure(velocity.u.N);
    Field divergence(velocity.u.N);
    project(velocity.u, velocity.v, pressure, divergence, iterations);
    return pressure;
}

double rms_divergence(const Velocity& velocity) {
    const int N = velocity.u.N;
    double sum = 0.0;
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            sum += std::pow(divergence_at(velocity.u, velocity.v, i, j), 2);
        }
    }
    return std::sqrt(sum / (N * N));
}

double share_kept(Velocity velocity, int iterations) {
    velocity.refresh_walls();
    const double before = rms_divergence(velocity);
    project(velocity, iterations);
    return rms_divergence(velocity) / before;
}

/// k half waves across, l down, as u; no v.
Velocity wave(int N, int k, int l) {
    Velocity velocity(N);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            velocity.u(i, j) = static_cast<float>(std::sin(std::numbers::pi * k * (i - 0.5) / N) *
                                                  std::cos(std::numbers::pi * l * (j - 0.5) / N));
        }
    }
    velocity.refresh_walls();
    return velocity;
}

/// A flow that only turns: the curl of a bumpy stream function that is mirrored in the walls.
Velocity turning_velocity(int N) {
    const auto stream = [&](int i, int j) {
        double sum = 0.0;
        for (int k = 1; k <= 4; ++k) {
            for (int l = 1; l <= 3; ++l) {
                sum += std::sin(1.7 * k + 0.6 * l * l) *
                       std::sin(std::numbers::pi * k * (i - 0.5) / N) *
                       std::sin(std::numbers::pi * l * (j - 0.5) / N);
            }
        }
        return sum;
    };
    Velocity velocity(N);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            velocity.u(i, j) = static_cast<float>(stream(i, j + 1) - stream(i, j - 1));
            velocity.v(i, j) = static_cast<float>(stream(i - 1, j) - stream(i + 1, j));
        }
    }
    velocity.refresh_walls();
    return velocity;
}

Eigen::VectorXd without_mean(const Eigen::VectorXd& p) {
    return p - Eigen::VectorXd::Constant(p.size(), p.mean());
}

/// The pressure's exact solution. Its matrix is singular: a constant more or less changes nothing.
/// Adding 1 to one diagonal entry asks for the solution that is 0 in that cell.
Eigen::VectorXd exact_pressure(const Velocity& velocity) {
    const int N = velocity.u.N;
    Field b(N);
    for (int j = 1; j <= N; ++j) {
        for (int i = 1; i <= N; ++i) {
            b(i, j) = -divergence_at(velocity.u, velocity.v, i, j) / static_cast<float>(N * N);
        }
    }
    Eigen::SparseMatrix<double> A = matrix(N, 1.0, 4.0, {1, 1});
    A.coeffRef(0, 0) += 1.0;
    return without_mean(solve(A, b));
}

}  // namespace

TEST_CASE("divergence is what flows out, per second", "[07_project]") {
    Velocity velocity(8);
    for (int j = 0; j <= 9; ++j) {
        for (int i = 0; i <= 9; ++i) {
            velocity.u(i, j) = 0.25f * static_cast<float>(i);
            velocity.v(i, j) = 0.5f * static_cast<float>(j) + 3.0f * static_cast<float>(i);
        }
    }
    INFO(
        "u grows by 0.25 a cell to the right and v by 0.5 a cell down, and a cell is 1/8 wide: "
        "8 * 0.75");
    INFO(
        "is it the difference of the neighbours, over the 2 h between them? (1 / N in whole "
        "numbers is "
        "0: write 1.0f / N)");
    CHECK_THAT(divergence_at(velocity.u, velocity.v, 3, 6), WithinAbs(6.0, 1e-5));
}

TEST_CASE("twenty sweeps project a push as they should", "[07_project]") {
    Velocity velocity(16);
    velocity.u(8, 8) = 1.0f;
    const Field pressure = project(velocity, 20);
    INFO("u(8, 8) = 1, all else 0, N = 16");
    {
        INFO("is the right-hand side -h h times the divergence, is a = 1 and c = 4?");
        INFO("has the pressure the walls of a scalar?");
        CHECK_THAT(pressure(7, 8), WithinAbs(-0.0112322, 1e-6));
        CHECK_THAT(pressure(9, 8), WithinAbs(0.0109996, 1e-6));
    }
    INFO("is the gradient subtracted, is it divided by 2 h?");
    INFO("u loses what the pressure grows to the right, v what it grows down");
    CHECK_THAT(velocity.u(8, 8), WithinAbs(0.822145, 1e-6));
    CHECK_THAT(velocity.u(9, 8), WithinAbs(-0.041625, 1e-6));
    CHECK_THAT(velocity.u(8, 9), WithinAbs(-0.064611, 1e-6));
    CHECK_THAT(velocity.v(9, 9), WithinAbs(0.075298, 1e-6));
}

TEST_CASE("the walls of the velocity are in order after projection", "[07_project]") {
    Velocity velocity = bumpy_velocity(6, 13);
    const Velocity before = velocity;
    project(velocity, 20);
    REQUIRE(distance(velocity.u, before.u) > 0.01);
    for (int k = 1; k <= 6; ++k) {
        INFO("row or column " << k << ": does project end with set_bnd of u and of v?");
        CHECK(velocity.u(0, k) == -velocity.u(1, k));
        CHECK(velocity.u(k, 7) == velocity.u(k, 6));
        CHECK(velocity.v(7, k) == velocity.v(6, k));
        CHECK(velocity.v(k, 0) == -velocity.v(k, 1));
    }
}

TEST_CASE("projection takes divergence out", "[07_project]") {
    // As smooth as what the mouse stirs up; no mode of it is too short for the collocated grid.
    Velocity velocity = wave(16, 1, 2);
    const double before = rms_divergence(velocity);
    project(velocity, 2000);
    INFO("divergence " << before << " before, " << rms_divergence(velocity)
                       << " after: has the pressure the wrong sign, or a factor too much?");
    CHECK(rms_divergence(velocity) < 0.04 * before);
}

TEST_CASE("what flows out of one cell flows into others", "[07_project]") {
    const Velocity velocity = bumpy_velocity(9, 1);
    double sum = 0.0;
    for (int j = 1; j <= 9; ++j) {
        for (int i = 1; i <= 9; ++i) {
            sum += divergence_at(velocity.u, velocity.v, i, j);
        }
    }
    REQUIRE(rms_divergence(velocity) > 1.0);
    INFO("in a closed box all divergence adds up to 0: only then has the pressure a solution");
    CHECK_THAT(sum, WithinAbs(0.0, 1e-3));
}

TEST_CASE("the pressure converges to the direct solution, up to a constant", "[07_project]") {
    const Velocity before = bumpy_velocity(11, 3);
    Velocity velocity = before;
    const Field pressure = project(velocity, 4000);
    const Eigen::VectorXd exact = exact_pressure(before);
    const double largest = exact.cwiseAbs().maxCoeff();
    REQUIRE(largest > 1e-3);
    INFO("largest pressure " << largest << "; against Eigen's SimplicialLDLT");
    CHECK((without_mean(as_vector(pressure)) - exact).cwiseAbs().maxCoeff() <
          1e-5 * largest + 1e-7);
    INFO("and the velocity has lost just its gradient");
    for (const auto& [i, j] : {std::pair(4, 7), {1, 2}, {11, 10}}) {
        const auto p = [&](int pi, int pj) {
            return exact[std::clamp(pi, 1, 11) - 1 + 11 * (std::clamp(pj, 1, 11) - 1)];
        };
        CHECK_THAT(velocity.u(i, j),
                   WithinAbs(before.u(i, j) - (p(i + 1, j) - p(i - 1, j)) * 11 / 2, 1e-4));
        CHECK_THAT(velocity.v(i, j),
                   WithinAbs(before.v(i, j) - (p(i, j + 1) - p(i, j - 1)) * 11 / 2, 1e-4));
    }
}

TEST_CASE("the pressure converges at the predicted rate", "[07_project]") {
    Velocity bumps = bumpy_velocity(8, 5);
    REQUIRE(distance(project(bumps, 20), Field(8)) > 1e-4);  // the pressure is relaxed at all
    int rows = 0;
    for (const std::vector<std::string>& words : reference_rows("iteration_spectral_radii.csv")) {
        if (words[1] != "neumann") {
            continue;
        }
        const int N = std::stoi(words[0]);
        const double predicted = std::stod(words[7]);  // rho_gs_setbnd_lagged
        // With nothing on the right-hand side the pressure itself is the error; start without mean.
        Field p = bumpy(N, 5);
        const double mean = total(p) / (N * N);
        for (float& cell : p.cells) {
            cell -= static_cast<float>(mean);
        }
        set_bnd(BoundaryType::SCALAR, p);
        const auto error = [&] { return without_mean(as_vector(p)).norm(); };
        const int sweeps = N * N;
        lin_solve(BoundaryType::SCALAR, p, Field(N), 1.0f, 4.0f, sweeps);
        const double earlier = error();
        lin_solve(BoundaryType::SCALAR, p, Field(N), 1.0f, 4.0f, sweeps);
        const double measured = std::pow(error() / earlier, 1.0 / sweeps);
        INFO("N = " << N << ": each sweep leaves " << measured << " of the error, predicted "
                    << predicted);
        CHECK_THAT(1 - measured, WithinAbs(1 - predicted, 0.02 * (1 - predicted)));
        ++rows;
    }
    CHECK(rows == 4);
}

TEST_CASE("twenty sweeps leave most of a wave, thousands leave what the grid leaves",
          "[07_project]") {
    const Velocity smooth = wave(16, 1, 0);
    CHECK_THAT(share_kept(smooth, 20), WithinAbs(0.7159, 1e-4));
    CHECK_THAT(share_kept(smooth, 200), WithinAbs(0.0395, 1e-4));
    CHECK_THAT(share_kept(smooth, 5000), WithinAbs(0.0096, 1e-4));
    Velocity push(16);
    push.u(8, 8) = 1.0f;
    CHECK_THAT(share_kept(push, 20), WithinAbs(0.6437, 1e-4));
    CHECK_THAT(share_kept(push, 5000), WithinAbs(0.6435, 1e-4));
}

TEST_CASE("solved exactly, each wave keeps what the collocated grid cannot see", "[07_project]") {
    const int N = 8;
    int waves = 0;
    for (int k = 0; k < N; ++k) {
        for (int l = 0; l < N; ++l) {
            const Velocity velocity = wave(N, k, l);
            if (k == 0 || rms_divergence(velocity) < 1e-3) {
                continue;  // nothing flows together
            }
            const double sx = std::pow(std::sin(std::numbers::pi * k / (2 * N)), 2);
            const double sy = std::pow(std::sin(std::numbers::pi * l / (2 * N)), 2);
            INFO(k << " half waves across, " << l << " down");
            CHECK_THAT(share_kept(velocity, 3000),
                       WithinAbs((sx * sx + sy * sy) / (sx + sy), 2e-4));
            ++waves;
        }
    }
    CHECK(waves == 56);
}

TEST_CASE("a checkerboard passes untouched", "[07_project]") {
    Velocity velocity(8);
    for (int j = 1; j <= 8; ++j) {
        for (int i = 1; i <= 8; ++i) {
            velocity.u(i, j) = (i + j) % 2 == 0 ? 1.0f : -1.0f;
            velocity.v(i, j) = (i + j) % 2 == 0 ? -0.5f : 0.5f;
        }
    }
    velocity.refresh_walls();
    const Velocity before = velocity;
    project(velocity, 1000);
    INFO("central differences reach over the cell: they see no divergence in it");
    CHECK(distance(velocity.u, before.u) == 0.0);
    CHECK(distance(velocity.v, before.v) == 0.0);
    Velocity push(8);
    push.u(4, 4) = 1.0f;
    const Velocity pushed = push;
    project(push, 20);
    CHECK(distance(push.u, pushed.u) > 0.01);
}

TEST_CASE("a flow that only turns is left as it is", "[07_project]") {
    Velocity velocity = turning_velocity(16);
    const Velocity before = velocity;
    REQUIRE(distance(before.u, Field(16)) > 0.3);
    REQUIRE(rms_divergence(before) < 1e-5);
    project(velocity, 1000);
    CHECK(distance(velocity.u, before.u) < 1e-5);
    CHECK(distance(velocity.v, before.v) < 1e-5);
    INFO("a push on top of it does not stay");
    velocity.u(8, 8) += 1.0f;
    const Velocity pushed = velocity;
    project(velocity, 1000);
    CHECK(distance(velocity.u, pushed.u) > 0.1);
}

TEST_CASE("projection never adds energy", "[07_project]") {
    const auto energy = [](const Velocity& velocity) {
        return as_vector(velocity.u).squaredNorm() + as_vector(velocity.v).squaredNorm();
    };
    Velocity velocity = bumpy_velocity(12, 7);
    const double before = energy(velocity);
    project(velocity, 2000);
    REQUIRE(energy(velocity) > 0.1 * before);
    CHECK(energy(velocity) < 0.9 * before);
}

TEST_CASE("with x and y exchanged the answer is exchanged", "[07_project]") {
    // Gauss-Seidel goes through the rows from left to right. Going through the columns instead,
    // each cell still finds its left and upper neighbour new and the others old: the same sweep, so
    // this holds after any number of sweeps, to rounding.
    const Velocity before = bumpy_velocity(9, 9);
    Velocity straight = before;
    Velocity exchanged(9);
    for (int j = 1; j <= 9; ++j) {
        for (int i = 1; i <= 9; ++i) {
            exchanged.u(i, j) = before.v(j, i);
            exchanged.v(i, j) = before.u(j, i);
        }
    }
    exchanged.refresh_walls();
    project(straight, 20);
    project(exchanged, 20);
    REQUIRE(distance(straight.u, before.u) > 0.1);
    for (int j = 1; j <= 9; ++j) {
        for (int i = 1; i <= 9; ++i) {
            INFO(cell_name(i, j));
            CHECK_THAT(exchanged.u(i, j), WithinAbs(straight.v(j, i), 1e-5));
            CHECK_THAT(exchanged.v(i, j), WithinAbs(straight.u(j, i), 1e-5));
        }
    }
}

TEST_CASE("mirrored left and right, the answer is mirrored once it has converged", "[07_project]") {
    // The sweeps' order is not symmetric here, so twenty of them do not do.
    const Velocity before = bumpy_velocity(9, 11);
    Velocity mirrored(9);
    for (int j = 1; j <= 9; ++j) {
        for (int i = 1; i <= 9; ++i) {
            mirrored.u(i, j) = -before.u(10 - i, j);
            mirrored.v(i, j) = before.v(10 - i, j);
        }
    }
    mirrored.refresh_walls();
    const auto difference = [&](int iterations) {
        Velocity a = before;
        Velocity b = mirrored;
        project(a, iterations);
        project(b, iterations);
        double largest = 0.0;
        for (int j = 1; j <= 9; ++j) {
            for (int i = 1; i <= 9; ++i) {
                largest = larger(largest, std::abs(double{a.u(i, j)} + b.u(10 - i, j)));
                largest = larger(largest, std::abs(double{a.v(i, j)} - b.v(10 - i, j)));
            }
        }
        return largest;
    };
    CHECK(difference(3) > 1e-3);
    CHECK(difference(3000) < 2e-5);
}

TEST_CASE("each projection starts from pressure 0", "[07_project]") {
    Velocity once = bumpy_velocity(8, 15);
    Velocity again = once;
    const Field expected = project(once, 20);
    REQUIRE(distance(expected, Field(8)) > 1e-4);
    Field pressure = bumpy(8, 17);
    Field divergence = bumpy(8, 18);
    project(again.u, again.v, pressure, divergence, 20);
    INFO(
        "what the pressure was before must not matter, in the walls as well: no state file holds "
        "it");
    CHECK(distance(again.u, once.u) == 0.0);
    CHECK(distance(pressure, expected) == 0.0);
}

TEST_CASE("the velocity's step projects after diffusing and after carrying", "[07_project]") {
    Fluid fluid(8);
    const Velocity start = bumpy_velocity(8, 19);
    fluid.u = start.u;
    fluid.v = start.v;
    Fluid by_hand = fluid;
    velocity_step(fluid, 0.1f);

    by_hand.project_velocity = false;
    by_hand.advect_velocity = false;
    velocity_step(by_hand, 0.1f);
    project(by_hand.u, by_hand.v, by_hand.pressure, by_hand.divergence, 20);
    by_hand.advect_velocity = true;
    by_hand.diffuse_velocity = false;
    velocity_step(by_hand, 0.1f);
    project(by_hand.u, by_hand.v, by_hand.pressure, by_hand.divergence, 20);
    REQUIRE(distance(by_hand.u, start.u) > 0.1);
    REQUIRE(distance(by_hand.pressure, Field(8)) > 1e-4);
    INFO("diffuse, project, advect, project: the tutorial's order");
    CHECK(distance(fluid.u, by_hand.u) == 0.0);
    CHECK(distance(fluid.v, by_hand.v) == 0.0);
}

TEST_CASE("velocity no longer fades by itself", "[07_project]") {
    CHECK(Fluid(4).velocity_fade_rate == 0.0f);
    CHECK(Fluid(4).pressure_iterations == 20);
    INFO("its push dies away in projection instead, a little in each step");
    Fluid fluid(16);
    fluid.diffuse_velocity = false;
    fluid.advect_velocity = false;
    fluid.u(8, 8) = 1.0f;
    step(fluid, 1.0f / 60.0f);
    CHECK(fluid.u(8, 8) < 0.9f);
}
