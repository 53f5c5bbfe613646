// Faces of the box with a total pressure, beside the solutions of Bernoulli's equation.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "solids_in_box.hpp"

namespace {

using namespace fluid_box;

/// A duct along a, open at both ends. Its walls let the fluid slip, so viscosity does nothing.
Plan duct(const Roles& roles, int flow, int splitting) {
    Plan plan(roles.size(8, 5, 4), 0.25f);
    plan.all(STABLE_FLUIDS_FREE_SLIP).pair(roles.a, flow);
    plan.d.splitting = splitting;
    plan.d.tolerance = 1e-6f;
    plan.d.viscosity = 1.0f;
    return plan;
}

constexpr double length_of_duct = 2.0;

/// Checks that a component is the same everywhere, and so much.
void check_wind(const Fluid& fluid, const Roles& roles, double expected, double bound) {
    const Field u = fluid.read(component(roles.a));
    INFO("along " << name_of_axis(roles.a));
    CHECK(distance(u, Field(u.n, static_cast<float>(expected))) < bound);
}

}  // namespace

TEST_CASE("a wind through two openings slows down by what it brings in", "[openings]") {
    for (const Roles& roles : all_roles()) {
        for (const int splitting :
             {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
            for (const double wind : {1.0, -2.0}) {
                if ((splitting == STABLE_FLUIDS_LIE) == (wind < 0.0) && roles.deep) {
                    continue;
                }
                INFO(roles.name() << ", splitting " << splitting << ", wind " << wind);
                const auto blown = [&](int flow, double dt) {
                    Fluid fluid(duct(roles, flow, splitting));
                    fluid.set(component(roles.a), static_cast<float>(wind));
                    fluid.step(dt, static_cast<int>(std::lround(2.0 / dt)));
                    return fluid;
                };
                // du / dt = -u^2 / (2 L)
                const double expected =
                    wind / (1.0 + std::abs(wind) * 2.0 / (2.0 * length_of_duct));
                check_wind(blown(STABLE_FLUIDS_TOTAL_PRESSURE, 0.02), roles, expected, 0.02);
                check_wind(blown(STABLE_FLUIDS_TOTAL_PRESSURE, 0.005), roles, expected, 0.006);
                check_wind(blown(STABLE_FLUIDS_OUTFLOW, 0.1), roles, wind, 1e-4);
            }
        }
    }
}

TEST_CASE("a difference of pressures blows as Torricelli says, and no faster", "[openings]") {
    for (const Roles& roles : all_roles()) {
        for (const int splitting :
             {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
            for (const bool to_low : {false, true}) {
                INFO(roles.name() << ", splitting " << splitting << ", to the low end " << to_low);
                Plan plan = duct(roles, STABLE_FLUIDS_TOTAL_PRESSURE, splitting);
                const int from = to_low ? high_face(roles.a) : low_face(roles.a);
                plan.face(from, STABLE_FLUIDS_TOTAL_PRESSURE, {}, 8.0f);
                plan.face(from ^ 1, STABLE_FLUIDS_TOTAL_PRESSURE, {}, 6.0f);
                Fluid fluid(plan);
                const double sign = to_low ? -1.0 : 1.0;
                // L du / dt = p - u^2 / 2
                const auto speed = [](double t) {
                    return 2.0 * std::tanh(t * std::sqrt(2.0 / 2.0) / length_of_duct);
                };
                fluid.step(0.02, 75);
                check_wind(fluid, roles, sign * speed(1.5), 0.02);
                fluid.step(0.05, 200);
                check_wind(fluid, roles, sign * 2.0, 1e-3);
                // What is lost at the opening is there at once, as Bernoulli says.
                const Field p = fluid.read(STABLE_FLUIDS_PRESSURE);
                CHECK(distance(p, Field(p.n, 6.0f)) < 0.01);
            }
        }
    }
}

TEST_CASE("between solids, too", "[openings]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan = duct(roles, STABLE_FLUIDS_TOTAL_PRESSURE, STABLE_FLUIDS_LIE);
        plan.face(low_face(roles.a), STABLE_FLUIDS_TOTAL_PRESSURE, {}, 0.5f);
        plan.d.viscosity = 0.0f;
        Fluid fluid(plan);
        set_solid(fluid, [&](double x, double y, double z) {
            const double at[3] = {x, y, z};
            return at[roles.b] - 0.33;
        });
        fluid.step(0.05, 400);
        const Field u = fluid.read(component(roles.a));
        const Field f = fluid.read(fraction(roles.a));
        double worst = 0.0;
        for_each(u.n, [&](int i, int j, int k) {
            const double off =
                f(i, j, k) > 0.0f ? std::abs(1.0 - static_cast<double>(u(i, j, k))) : 0.0;
            worst = std::max(worst, off);
        });
        CHECK(worst < 1e-3);
    }
}

TEST_CASE("gusts through openings on all sides come to rest, however long the steps",
          "[openings]") {
    for (const Triple& n : {Triple{24, 17, 1}, {12, 9, 10}}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const int splitting :
                 {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
                for (const double cfl : {1.0, 3.0, 5.0}) {
                    INFO(name_of_size(n) << ", advection " << advection << ", splitting "
                                         << splitting << ", cfl " << cfl);
                    Plan plan(n, 0.25f);
                    plan.all(STABLE_FLUIDS_TOTAL_PRESSURE);
                    plan.d.advection = advection;
                    plan.d.splitting = splitting;
                    Fluid fluid(plan);
                    for (int axis = 0; axis < fluid.axes(); ++axis) {
                        fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 5u));
                        fluid.add(component(axis), Field(fluid.shape(component(axis)), 2.0f));
                    }
                    fluid.step(1e-4);
                    const stable_fluids_statistics first = fluid.statistics();
                    double most = first.largest_speed;
                    const double dt = cfl * fluid.h() / first.largest_speed;
                    const int steps = static_cast<int>(std::lround(20.0 / dt));
                    for (int step = 0; step < steps; ++step) {
                        fluid.step(dt);
                        most = std::max(most, fluid.statistics().largest_speed);
                    }
                    // Long steps overshoot at first, and come to rest all the same.
                    CHECK(most < (cfl > 1.0 ? 12.0 : 1.2) * first.largest_speed);
                    CHECK(fluid.statistics().kinetic_energy < 0.15 * first.kinetic_energy);
                }
            }
        }
    }
}

TEST_CASE("openings go on bit for bit from a state", "[openings]") {
    for (const int splitting : {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
        INFO("splitting " << splitting);
        Plan plan({12, 9, 1}, 0.25f);
        plan.all(STABLE_FLUIDS_TOTAL_PRESSURE);
        plan.d.splitting = splitting;
        Fluid one(plan);
        one.set(STABLE_FLUIDS_U, bumpy(one.shape(STABLE_FLUIDS_U), 5u));
        one.step(0.1, 5);
        std::size_t size = 0;
        REQUIRE(stable_fluids_state_size(one.handle(), &size) == STABLE_FLUIDS_OK);
        std::vector<unsigned char> state(size);
        REQUIRE(stable_fluids_get_state(one.handle(), state.data(), size) == STABLE_FLUIDS_OK);
        plan.d.threads = 2;
        Fluid other(plan);
        REQUIRE(stable_fluids_set_state(other.handle(), state.data(), size) == STABLE_FLUIDS_OK);
        one.step(0.1, 3);
        other.step(0.1, 3);
        for (const int field : {STABLE_FLUIDS_U, STABLE_FLUIDS_V, STABLE_FLUIDS_PRESSURE}) {
            CHECK(same_bytes(one.read(field), other.read(field)));
        }
        // A box that is merely open has another state.
        plan.all(STABLE_FLUIDS_OUTFLOW);
        Fluid third(plan);
        CHECK(stable_fluids_set_state(third.handle(), state.data(), size) == STABLE_FLUIDS_INVALID);
    }
}
