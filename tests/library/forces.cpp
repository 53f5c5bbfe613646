// Buoyancy, vorticity confinement and the prescribed divergence, through the library's header:
// exact steps of flows that need no pressure, and what the projection must leave. Host and device
// run the same tests. What 31_smoke makes of the same fields stands in forces_of_smoke.cpp.
#include <cmath>
#include <string>
#include <vector>

#include "fluid_box.hpp"

namespace {

using namespace fluid_box;

/// Checks the component along a against `expected(place across)`, and that the others are 0.
template <class Expected>
void check_profile(const Fluid& fluid, const Roles& roles, const Expected& expected,
                   double within) {
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const int field = component(axis);
        check_close("the velocity along " + std::string(name_of_axis(axis)), fluid.read(field),
                    made(fluid.shape(field),
                         [&](int i, int j, int k) {
                             return axis == roles.a ? expected(part({i, j, k}, roles.b)) : 0.0;
                         }),
                    within);
    }
}

/// A box that is joined along a, and has walls without friction elsewhere.
Plan joined_along(const Roles& roles, int across) {
    Plan plan(roles.size(4, across, 3), 0.25f);
    plan.all(STABLE_FLUIDS_FREE_SLIP).pair(roles.a, STABLE_FLUIDS_PERIODIC);
    if (!roles.deep) {
        plan.d.faces[4] = plan.d.faces[5] = stable_fluids_face{};
    }
    return plan;
}

/// Something of everything, next to walls of all kinds.
Plan busy_plan(const Triple& n, int threads) {
    Plan plan(n, 0.125f);
    plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.5f, 0.0f, 0.0f});
    plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW);
    plan.pair(2, STABLE_FLUIDS_PERIODIC);
    plan.d.viscosity = 0.01f;
    plan.d.advection = STABLE_FLUIDS_MACCORMACK;
    plan.d.threads = threads;
    plan.scalar();
    plan.scalar();
    plan.buoyancy = {{0.5f, 0.25f}, {-0.3f, 0.0f}};
    plan.d.buoyancy_direction[0] = 0.5f;
    plan.d.confinement = 2.0f;
    return plan;
}

}  // namespace

// ---- Buoyancy ----------------------------------------------------------------------------------

TEST_CASE("buoyancy pushes along its direction, by each scalar's share", "[forces]") {
    const auto heat = [](int b) { return 20.0 + 3.0 * b - 0.5 * b * b; };
    const auto smoke = [](int b) { return 0.25 * (b % 3); };
    for (const Roles& roles : all_roles()) {
        for (const float length : {1.0f, -1.0f, -4.0f}) {
            INFO(roles.name() << ", direction " << length);
            Plan plan = joined_along(roles, 7);
            plan.scalar();
            plan.scalar();
            plan.scalar();  // which pushes nothing
            plan.buoyancy = {{0.5f, 20.0f}, {-2.0f, 0.0f}, {0.0f, 1.0f}};
            plan.d.buoyancy_direction[1] = 0.0f;
            plan.d.buoyancy_direction[roles.a] = length;
            Fluid fluid(plan);
            fluid.fill(STABLE_FLUIDS_SCALAR(0), [&](int i, int j, int k) {
                return heat(part({i, j, k}, roles.b));
            });
            fluid.fill(STABLE_FLUIDS_SCALAR(1), [&](int i, int j, int k) {
                return smoke(part({i, j, k}, roles.b));
            });
            fluid.set(STABLE_FLUIDS_SCALAR(2), 9.0f);
            fluid.step(0.125);
            const double sign = length > 0.0f ? 1.0 : -1.0;
            check_profile(
                fluid, roles,
                [&](int b) { return sign * 0.125 * (0.5 * (heat(b) - 20.0) - 2.0 * smoke(b)); },
                1e-6);
        }
    }
}

TEST_CASE("a slanting direction has its length taken out", "[forces]") {
    Plan plan({4, 4, 4});
    plan.all(STABLE_FLUIDS_PERIODIC);
    plan.scalar();
    plan.buoyancy = {{1.0f, 0.0f}};
    const float direction[3] = {2.0f, -3.0f, 6.0f};  // 7 long
    std::copy_n(direction, 3, plan.d.buoyancy_direction);
    Fluid fluid(plan);
    fluid.set(STABLE_FLUIDS_SCALAR(0), 14.0f);
    fluid.step(0.5);
    for (int axis = 0; axis < 3; ++axis) {
        const Field u = fluid.read(component(axis));
        check_close("a component", u, Field(u.n, direction[axis]), 1e-6);
    }
}

TEST_CASE("fluid at the ambient value is not pushed at all", "[forces]") {
    for (const Triple& n : {Triple{6, 5, 1}, {6, 5, 4}}) {
        Plan plan(n);
        plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_OUTFLOW);
        plan.scalar().initial = 293.15f;
        plan.buoyancy = {{0.0334f, 293.15f}};
        Fluid fluid(plan);
        fluid.step(0.1, 3);
        for (int axis = 0; axis < fluid.axes(); ++axis) {
            CHECK(largest(fluid.read(component(axis))) == 0.0);
        }
    }
}

TEST_CASE("a warm bubble rises, and a heavy one sinks", "[forces]") {
    for (const float share : {1.0f, -1.0f}) {
        Plan plan({16, 24, 1}, 1.0f / 16.0f);
        plan.scalar();
        plan.buoyancy = {{share, 0.0f}};  // up, where y points down
        Fluid fluid(plan);
        const auto bubble = [](int i, int j, int) {
            return std::hypot(i - 7.5, j - 11.5) < 4.0 ? 1.0 : 0.0;
        };
        const auto height = [&] {
            const Field field = fluid.read(STABLE_FLUIDS_SCALAR(0));
            double sum = 0.0;
            for_each(field.n, [&](int i, int j, int k) {
                sum += static_cast<double>(field(i, j, k)) * (11.5 - j);
            });
            return sum / total(field);
        };
        fluid.fill(STABLE_FLUIDS_SCALAR(0), bubble);
        fluid.step(0.05, 20);
        CHECK(height() * static_cast<double>(share) > 2.0);  // cells
    }
}

// ---- Vorticity confinement ---------------------------------------------------------------------

TEST_CASE("confinement of a shear flow is what its formula says", "[forces]") {
    const int count = 9;
    const double h = 0.25;
    const double dt = 0.125;
    // The whirls are strongest at place 3.
    const auto speed = [](int b) { return std::tanh(0.7 * (b - 3.2)); };
    const auto clamped = [&](int b) { return std::min(std::max(b, 0), count - 1); };
    const auto slope = [&](int b) {  // of the speed, over two cells, and over one at the walls
        return (speed(clamped(b + 1)) - speed(clamped(b - 1))) / (2.0 * h);
    };
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan = joined_along(roles, count);
        plan.d.confinement = 3.0f;
        Fluid fluid(plan);
        fluid.fill(component(roles.a), [&](int i, int j, int k) {
            return speed(part({i, j, k}, roles.b));
        });
        fluid.step(dt);
        // N looks along b, to where the shear is stronger, and N x omega is then along a.
        check_profile(
            fluid, roles,
            [&](int b) {
                const double grows =
                    std::abs(slope(clamped(b + 1))) - std::abs(slope(clamped(b - 1)));
                const double n = grows > 0.0 ? 1.0 : -1.0;
                return speed(b) - dt * 3.0 * h * n * slope(b);
            },
            2e-6);
    }
}

TEST_CASE("confinement keeps whirls alive, and scales with h", "[forces]") {
    const auto energy_after = [](int n, float confinement) {
        Plan plan({n, n, 1}, 1.0f / static_cast<float>(n));
        plan.all(STABLE_FLUIDS_PERIODIC);
        plan.d.confinement = confinement;
        Fluid fluid(plan);
        const double turn = 2.0 * 3.14159265358979 / n;
        fluid.fill(STABLE_FLUIDS_U, [&](int, int j, int) { return std::sin(turn * (j + 0.5)); });
        fluid.fill(STABLE_FLUIDS_V, [&](int i, int, int) { return std::sin(turn * (i + 0.5)); });
        fluid.step(0.01, 20);
        return fluid.statistics().kinetic_energy;
    };
    CHECK(energy_after(32, 1.0f) > energy_after(32, 0.0f));
    const double coarse = energy_after(32, 1.0f) - energy_after(32, 0.0f);
    const double fine = energy_after(64, 1.0f) - energy_after(64, 0.0f);
    CHECK(fine < 0.7 * coarse);  // about half, as h is
    CHECK(fine > 0.3 * coarse);
}

TEST_CASE("where nothing turns, confinement does nothing", "[forces]") {
    for (const Triple& n : {Triple{6, 5, 1}, {6, 5, 4}}) {
        Plan plan(n);
        plan.all(STABLE_FLUIDS_PERIODIC);
        plan.d.confinement = 100.0f;
        Fluid fluid(plan);
        fluid.set(STABLE_FLUIDS_U, 0.5f);
        fluid.step(0.1, 3);
        const Field u = fluid.read(STABLE_FLUIDS_U);
        check_close("u", u, Field(u.n, 0.5f), 1e-7);
        CHECK(largest(fluid.read(STABLE_FLUIDS_V)) <= 1e-7);
    }
}

// ---- A prescribed divergence -------------------------------------------------------------------

TEST_CASE("the prescribed divergence is reached to the tolerance", "[forces]") {
    enum Box { OPEN, CLOSED, JOINED };
    for (const Triple& n : {Triple{13, 10, 1}, {7, 6, 5}}) {
        for (const Box box : {OPEN, CLOSED, JOINED}) {
            for (const float tolerance : {1e-2f, 1e-5f}) {
                INFO(name_of_size(n) << ", box " << box << ", tolerance " << tolerance);
                Plan plan(n, 0.25f);
                if (box == OPEN) {
                    plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_OUTFLOW);
                } else if (box == JOINED) {
                    plan.all(STABLE_FLUIDS_PERIODIC);
                }
                plan.d.tolerance = tolerance;
                Fluid fluid(plan);
                Field wanted = bumpy(n, 5);
                for (float& value : wanted.values) {
                    value = 3.0f * value + 0.5f;
                }
                fluid.set(STABLE_FLUIDS_EXPANSION, wanted);
                CHECK(same_bytes(fluid.read(STABLE_FLUIDS_EXPANSION), wanted));
                fluid.step(0.01);  // from rest: all of it is missing at first
                const double mean =
                    box == OPEN ? 0.0 : total(wanted) / static_cast<double>(wanted.values.size());
                Field missing = fluid.read(STABLE_FLUIDS_DIVERGENCE);
                for (std::size_t at = 0; at < missing.values.size(); ++at) {
                    wanted.values[at] -= static_cast<float>(mean);
                    missing.values[at] -= wanted.values[at];
                }
                const double share = root_mean_square(missing) / root_mean_square(wanted);
                CHECK(share <= static_cast<double>(tolerance) * 1.01);
                CHECK(fluid.statistics().pressure_residual <= static_cast<double>(tolerance));
                INFO("and in later steps, too; and when it is over, it is over");
                fluid.step(0.01, 2);
                CHECK(distance(fluid.read(STABLE_FLUIDS_DIVERGENCE), wanted) <=
                      20.0 * static_cast<double>(tolerance));
                fluid.set(STABLE_FLUIDS_EXPANSION, 0.0f);
                fluid.step(0.01);
                CHECK(largest(fluid.read(STABLE_FLUIDS_DIVERGENCE)) <=
                      20.0 * static_cast<double>(tolerance));
            }
        }
    }
}

TEST_CASE("what expands flows out", "[forces]") {
    Plan plan({8, 6, 1}, 0.5f);
    plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW);
    plan.d.tolerance = 1e-6f;
    Fluid fluid(plan);
    fluid.fill(STABLE_FLUIDS_EXPANSION,
               [](int i, int j, int) { return i == 3 && j == 2 ? 4.0 : 0.0; });
    fluid.step(0.1);
    const Field u = fluid.read(STABLE_FLUIDS_U);
    double out = 0.0;
    for (int j = 0; j < 6; ++j) {
        out += 0.5 * static_cast<double>(u(8, j, 0));
    }
    CHECK_THAT(out, WithinAbs(4.0 * 0.5 * 0.5, 1e-5));  // area / second
}

// ---- Together ----------------------------------------------------------------------------------

TEST_CASE("forces are the same to the last bit for any number of threads", "[forces][host]") {
    for (const Triple& n : {Triple{182, 170, 1}, {34, 26, 30}}) {
        std::vector<std::vector<Field>> states;
        for (const int threads : {1, 2, 3, 8}) {
            Fluid fluid(busy_plan(n, threads));
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                fluid.set(component(axis), bumpy(fluid.shape(component(axis)),
                                                 static_cast<std::uint32_t>(1 + axis)));
            }
            fluid.set(STABLE_FLUIDS_SCALAR(0), bumpy(n, 7));
            fluid.set(STABLE_FLUIDS_SCALAR(1), bumpy(n, 8));
            fluid.set(STABLE_FLUIDS_EXPANSION, bumpy(n, 9));
            fluid.step(0.02, 3);
            states.push_back(state_of(fluid, 2));
        }
        for (const std::vector<Field>& state : states) {
            for (std::size_t field = 0; field < state.size(); ++field) {
                CHECK(same_bytes(state[field], states[0][field]));
            }
        }
    }
}
