// The library behind stable_fluids.h on the GPU: beside itself on the host, and all the other tests
// of the library once more. Without a GPU this program says so, loudly, and returns 77, which CTest
// shows as skipped. (With an emulated GPU, of tests/emulation/, there always is one.)
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "fluid_box.hpp"

namespace {

using namespace fluid_box;

/// What the device may differ from the host by, in parts of the largest number of a field. It is
/// compiled without fused multiply-adds and does the same to each cell; but what is added up over
/// all cells, it adds up in another order, and by the sum it decides whether another V-cycle is
/// made. With a tolerance of 0 the number of cycles is given, and only "conserve" uses a sum at
/// all.
constexpr double bound = 1e-5;

void compare(const std::string& what, const Field& device, const Field& host) {
    check_close(what + ", on the device", device, host, bound * largest(host));
}

/// Two balls, or disks, that move and turn.
void put_solids(Fluid& fluid, const Triple& n) {
    const Field corners =
        made({n[0] + 1, n[1] + 1, n[2] > 1 ? n[2] + 1 : 1}, [&](int i, int j, int k) {
            const double one = std::hypot(i - 0.3 * n[0], j - 0.6 * n[1], k - 0.4 * n[2]);
            const double two = std::hypot(i - 0.8 * n[0], j - 0.3 * n[1], k - 0.5 * n[2]);
            return 0.25 * std::min(one - 2.7, two - 1.8);
        });
    REQUIRE(stable_fluids_set_solid(fluid.handle(), corners.values.data(), corners.values.size()) ==
            STABLE_FLUIDS_OK);
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const int field = STABLE_FLUIDS_SOLID_U + axis;
        fluid.set(field, bumpy(fluid.shape(field), 51 + static_cast<std::uint32_t>(axis)));
    }
}

/// Labels a cell in the middle of each.
void name_bodies(const Fluid& fluid, const Triple& n) {
    Field labels(n, -1.0f);
    labels(3 * n[0] / 10, 3 * n[1] / 5, 2 * n[2] / 5) = 0.0f;
    labels(4 * n[0] / 5, 3 * n[1] / 10, n[2] / 2) = 1.0f;
    const std::vector<std::int32_t> whole(labels.values.begin(), labels.values.end());
    REQUIRE(stable_fluids_set_bodies(fluid.handle(), whole.data(), whole.size()) ==
            STABLE_FLUIDS_OK);
}

stable_fluids_forces forces_on(const Fluid& fluid, int body) {
    const double pivot[3] = {};
    stable_fluids_forces found = {};
    found.size = sizeof found;
    REQUIRE(stable_fluids_forces_on(fluid.handle(), body, pivot, &found) == STABLE_FLUIDS_OK);
    return found;
}

/// One of several boxes with everything in it.
Plan plan_of(int kind, const Triple& n, int advection) {
    Plan plan(n, 0.25f);
    if (kind == 0) {
        plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.5f, -0.2f, n[2] > 1 ? 0.1f : 0.0f});
        plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.2f);
        plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_NO_SLIP, {0.7f, 0.0f, 0.0f});
        plan.pair(2, STABLE_FLUIDS_PERIODIC);
    } else if (kind == 1) {
        plan.all(STABLE_FLUIDS_PERIODIC);
    } else {
        plan.pair(0, STABLE_FLUIDS_FREE_SLIP);
        plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_TOTAL_PRESSURE, {}, 0.3f);
        plan.face(STABLE_FLUIDS_FRONT, STABLE_FLUIDS_OUTFLOW, {}, 0.1f);
    }
    plan.d.advection = advection;
    plan.d.viscosity = 0.01f;
    plan.d.tolerance = 0.0f;
    plan.d.cycles = 12;
    plan.scalar().diffusion = 0.02f;
    if (kind == 0) {
        plan.scalars.back().faces[STABLE_FLUIDS_LEFT] = {STABLE_FLUIDS_FIXED_VALUE, 1.0f};
    }
    plan.scalar().dissipation = 0.1f;
    plan.buoyancy = {{0.5f, 0.25f}, {-0.25f, 0.0f}};
    plan.d.buoyancy_direction[0] = 0.5f;
    plan.d.confinement = 0.5f;
    return plan;
}

void stir(Fluid& fluid) {
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const auto seed = static_cast<std::uint32_t>(axis);
        fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 1 + seed));
        fluid.set(force(axis), bumpy(fluid.shape(force(axis)), 11 + seed));
    }
    for (const int n : {0, 1}) {
        const auto seed = static_cast<std::uint32_t>(n);
        fluid.set(STABLE_FLUIDS_SCALAR(n), bumpy(fluid.shape(STABLE_FLUIDS_SCALAR(n)), 21 + seed));
        fluid.set(STABLE_FLUIDS_SOURCE(n), bumpy(fluid.shape(STABLE_FLUIDS_SOURCE(n)), 31 + seed));
    }
}

Fluid made_by(std::int32_t where, Plan plan) {
    plan.d.backend = where;
    Fluid fluid(plan);
    stir(fluid);
    if (plan.d.faces[STABLE_FLUIDS_RIGHT].flow == STABLE_FLUIDS_OUTFLOW) {
        fluid.set(STABLE_FLUIDS_EXPANSION, bumpy(plan.size(), 41));  // elsewhere, it takes a sum
    }
    return fluid;
}

}  // namespace

TEST_CASE("without a GPU, CUDA is refused in one clear line") {
    const std::string why = stable_fluids_why_no_cuda();
    CHECK(why.find('\n') == std::string::npos);
    if (!why.empty()) {
        stable_fluids_description d;
        stable_fluids_describe(&d);
        d.backend = STABLE_FLUIDS_CUDA;
        stable_fluids* fluid = nullptr;
        CHECK(stable_fluids_create(&d, &fluid) == STABLE_FLUIDS_NO_DEVICE);
        CHECK(fluid == nullptr);
        CHECK(std::string(stable_fluids_error(nullptr)).find('\n') == std::string::npos);
    }
}

TEST_CASE("the device does what the host does", "[gpu]") {
    for (const Triple& n : {Triple{33, 21, 1},
                            {1, 40, 1},
                            {17, 12, 9},
                            {5, 1, 7},
                            {64, 64, 1},
                            {300, 2, 1},
                            {32, 32, 32},
                            {130, 67, 1},
                            {40, 37, 35}}) {
        if (sanitized && n[0] * n[1] * n[2] > 2000) {
            continue;
        }
        for (const int kind : {0, 1, 2}) {
            for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
                INFO(name_of_size(n) << ", box " << kind << ", " << name_of_advection(advection));
                const Plan plan = plan_of(kind, n, advection);
                Fluid host = made_by(STABLE_FLUIDS_HOST, plan);
                Fluid device = made_by(STABLE_FLUIDS_CUDA, plan);
                host.step(0.1, 2);
                device.step(0.1, 2);
                REQUIRE(largest(host.read(STABLE_FLUIDS_SCALAR(0))) > 0.1);
                // A pipe one cell wide is at rest in the end. It was not to begin with.
                const double apart = bound * std::max(largest(host.read(STABLE_FLUIDS_SPEED)), 0.1);
                for (int axis = 0; axis < host.axes(); ++axis) {
                    check_close(name_of_field(component(axis)) + ", on the device",
                                device.read(component(axis)), host.read(component(axis)), apart);
                }
                for (const int field : {STABLE_FLUIDS_SCALAR(0), STABLE_FLUIDS_SCALAR(1),
                                        int{STABLE_FLUIDS_SPEED}, int{STABLE_FLUIDS_VORTICITY}}) {
                    compare(name_of_field(field), device.read(field), host.read(field));
                }
                const stable_fluids_statistics a = device.statistics();
                const stable_fluids_statistics b = host.statistics();
                CHECK(a.backend == STABLE_FLUIDS_CUDA);
                CHECK(a.pressure_cycles == b.pressure_cycles);
                CHECK_THAT(a.kinetic_energy,
                           WithinAbs(b.kinetic_energy, 1e-4 * std::max(b.kinetic_energy, 0.01)));
                CHECK_THAT(a.largest_speed, WithinAbs(b.largest_speed, apart));
            }
        }
    }
}

TEST_CASE("the device does what the host does between solids", "[gpu]") {
    for (const Triple& n : {Triple{33, 21, 1}, {17, 12, 9}, {20, 18, 16}}) {
        for (const int kind : {0, 1, 2}) {
            INFO(name_of_size(n) << ", box " << kind);
            Plan plan =
                plan_of(kind, n, kind == 1 ? STABLE_FLUIDS_LINEAR : STABLE_FLUIDS_MACCORMACK);
            plan.d.tolerance = 1e-5f;
            plan.d.cycles = 50;
            plan.d.splitting = kind == 0   ? STABLE_FLUIDS_MIDPOINT
                               : kind == 1 ? STABLE_FLUIDS_STRANG
                                           : STABLE_FLUIDS_LIE;
            Fluid host = made_by(STABLE_FLUIDS_HOST, plan);
            Fluid device = made_by(STABLE_FLUIDS_CUDA, plan);
            for (Fluid* fluid : {&host, &device}) {
                put_solids(*fluid, n);
                name_bodies(*fluid, n);
                fluid->step(0.1, kind == 2 ? 2 : 3);
            }
            // They add up in other orders, and so stop at other cycles: see below.
            const double apart = 1e-4 * std::max(largest(host.read(STABLE_FLUIDS_SPEED)), 1.0);
            for (int axis = 0; axis < host.axes(); ++axis) {
                check_close(name_of_field(component(axis)) + ", on the device",
                            device.read(component(axis)), host.read(component(axis)), apart);
                CHECK(same_bytes(device.read(STABLE_FLUIDS_FRACTION_X + axis),
                                 host.read(STABLE_FLUIDS_FRACTION_X + axis)));
            }
            for (const int field : {STABLE_FLUIDS_SCALAR(0), STABLE_FLUIDS_SCALAR(1)}) {
                check_close(name_of_field(field) + ", on the device", device.read(field),
                            host.read(field), 1e-4);
            }
            const stable_fluids_statistics a = device.statistics();
            const stable_fluids_statistics b = host.statistics();
            CHECK(a.closed_regions == b.closed_regions);
            CHECK(a.closed_divergence == b.closed_divergence);
            for (int axis = 0; axis < host.axes(); ++axis) {
                CHECK_THAT(a.solid_force[axis], WithinAbs(b.solid_force[axis], 1e-2));
            }
            for (const int body : {0, 1}) {
                const stable_fluids_forces there = forces_on(device, body);
                const stable_fluids_forces here = forces_on(host, body);
                for (int axis = 0; axis < 3; ++axis) {
                    CHECK_THAT(there.pressure[axis], WithinAbs(here.pressure[axis], 1e-2));
                    CHECK_THAT(there.friction[axis], WithinAbs(here.friction[axis], 1e-3));
                    CHECK_THAT(there.pressure_torque[axis],
                               WithinAbs(here.pressure_torque[axis], 5e-2));
                    CHECK_THAT(there.friction_torque[axis],
                               WithinAbs(here.friction_torque[axis], 5e-3));
                }
            }
        }
    }
}

/// Makes four steps on the host and on the device, and checks that they lead to the same velocity.
/// Then `check_more` gets both fluids.
template <class CheckMore>
void check_four_steps(const Plan& plan, const CheckMore& check_more) {
    Fluid host = made_by(STABLE_FLUIDS_HOST, plan);
    Fluid device = made_by(STABLE_FLUIDS_CUDA, plan);
    host.step(0.1, 4);
    device.step(0.1, 4);
    const double apart = 1e-4 * std::max(largest(host.read(STABLE_FLUIDS_SPEED)), 0.1);
    for (int axis = 0; axis < host.axes(); ++axis) {
        check_close(name_of_field(component(axis)) + ", on the device",
                    device.read(component(axis)), host.read(component(axis)), apart);
    }
    check_more(host, device);
}

TEST_CASE("the device splits a step as the host does", "[gpu]") {
    for (const Triple& n : {Triple{33, 21, 1}, {13, 11, 9}}) {
        for (const int kind : {0, 1, 2}) {
            INFO(name_of_size(n) << ", box " << kind);
            Plan plan = plan_of(kind, n, STABLE_FLUIDS_MACCORMACK);
            plan.d.splitting = kind == 1 ? STABLE_FLUIDS_STRANG : STABLE_FLUIDS_MIDPOINT;
            check_four_steps(plan, [](Fluid& host, Fluid& device) {
                const Field pressure = host.read(STABLE_FLUIDS_PRESSURE);
                check_close("the pressure, on the device", device.read(STABLE_FLUIDS_PRESSURE),
                            pressure, 1e-4 * std::max(largest(pressure), 1.0));
            });
        }
    }
}

TEST_CASE("the device carries by central differences as the host does", "[gpu]") {
    for (const Triple& n : {Triple{33, 21, 1}, {13, 11, 9}}) {
        for (const int kind : {1, 2}) {
            INFO(name_of_size(n) << ", box " << kind);
            Plan plan = plan_of(kind, n, STABLE_FLUIDS_CENTRAL);
            plan.d.splitting = kind == 1 ? STABLE_FLUIDS_LIE : STABLE_FLUIDS_MIDPOINT;
            check_four_steps(
                plan, [](Fluid&, Fluid& device) { CHECK(device.statistics().corrected == 1.0); });
        }
    }
}

TEST_CASE("the device keeps as much of MacCormack's correction as the host", "[gpu]") {
    const Triple n = {13, 12, 11};
    for (const int kind :
         {0, 1, 2}) {  // closed; with a stream, nozzles and a gas that burns; a ball
        INFO("box " << kind);
        Plan plan(n, 1.0f / 13.0f);
        plan.d.advection = STABLE_FLUIDS_MACCORMACK;
        plan.d.tolerance = 1e-4f;
        if (kind == 1) {
            plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.01f, 0.0f, 0.0f});
            plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_INFLOW, {0.01f, 0.0f, 0.0f});
        }
        const auto begin = [&](std::int32_t where, std::int32_t splitting) {
            plan.d.backend = where;
            plan.d.splitting = splitting;
            Fluid fluid(plan);
            if (kind == 1) {
                fluid.fill(STABLE_FLUIDS_FRACTION_Y, [](int i, int j, int) {
                    return j == 0 && std::abs(i - 6) > 3 ? 0.0 : 1.0;
                });
                fluid.fill(STABLE_FLUIDS_SOLID_V, [](int i, int j, int) {
                    return j > 0 || std::abs(i - 6) <= 3 ? 0.0 : i < 6 ? 0.02 : -0.02;
                });
                fluid.set(STABLE_FLUIDS_EXPANSION, 0.001f);
            } else if (kind == 2) {
                const Field distance = made({14, 13, 12}, [](int i, int j, int k) {
                    return (std::hypot(i - 6.2, j - 5.1, k - 4.7) - 2.6) / 13.0;
                });
                REQUIRE(stable_fluids_set_solid(fluid.handle(), distance.values.data(),
                                                distance.values.size()) == STABLE_FLUIDS_OK);
            }
            return fluid;
        };
        // A flow that would gain energy: whirls that have gone on for a while.
        Fluid whirls = begin(STABLE_FLUIDS_HOST, STABLE_FLUIDS_LIE);
        for (int axis = 0; axis < 3; ++axis) {
            whirls.fill(component(axis), [&](int i, int j, int k) {
                return std::sin(0.45 * i + axis) * std::cos(0.5 * j + 2 * axis) *
                       std::cos(0.55 * k - axis);
            });
        }
        whirls.step(0.01, 300);
        for (const std::int32_t splitting : {STABLE_FLUIDS_LIE, STABLE_FLUIDS_MIDPOINT}) {
            Fluid host = begin(STABLE_FLUIDS_HOST, splitting);
            Fluid device = begin(STABLE_FLUIDS_CUDA, splitting);
            double least = 1.0;
            for (int axis = 0; axis < 3; ++axis) {
                for (Fluid* fluid : {&host, &device}) {
                    fluid->set(component(axis), whirls.read(component(axis)));
                }
            }
            for (int step = 0; step < 4; ++step) {
                host.step(0.01);
                device.step(0.01);
                const double share = host.statistics().corrected;
                CHECK_THAT(device.statistics().corrected, WithinAbs(share, 1e-3));
                least = std::min(least, share);
            }
            CHECK(least < 0.999);
            CHECK(least > 0.0);
            for (int axis = 0; axis < 3; ++axis) {
                check_close(name_of_field(component(axis)) + ", on the device",
                            device.read(component(axis)), host.read(component(axis)), 1e-4);
            }
        }
    }
}

TEST_CASE("the device carries scalars together as the host does, to the last bit", "[gpu]") {
    for (const Triple& n : {Triple{19, 13, 1}, {11, 9, 7}}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (int count = 1; count <= 4; ++count) {
                Plan plan(n, 0.25f);
                plan.pair(0, STABLE_FLUIDS_PERIODIC);
                plan.d.advection = advection;
                plan.d.tolerance = 0.0f;
                plan.d.cycles = 2;
                for (int at = 0; at < count; ++at) {
                    plan.scalar().dissipation = 0.1f * static_cast<float>(at);
                }
                const auto carried_by = [&](std::int32_t where) {
                    plan.d.backend = where;
                    Fluid fluid(plan);
                    for (int axis = 0; axis < fluid.axes(); ++axis) {
                        fluid.set(component(axis), bumpy(fluid.shape(component(axis)),
                                                         1 + static_cast<std::uint32_t>(axis)));
                    }
                    for (int at = 0; at < count; ++at) {
                        fluid.set(STABLE_FLUIDS_SCALAR(at),
                                  bumpy(n, 21 + static_cast<std::uint32_t>(at)));
                    }
                    fluid.step(0.2);
                    return state_of(fluid, count);
                };
                const std::vector<Field> host = carried_by(STABLE_FLUIDS_HOST);
                const std::vector<Field> device = carried_by(STABLE_FLUIDS_CUDA);
                for (std::size_t at = 0; at < host.size(); ++at) {
                    INFO(name_of_size(n) << ", advection " << advection << ", " << count
                                         << " scalars, field " << at);
                    CHECK(same_bytes(device[at], host[at]));
                }
            }
        }
    }
}

TEST_CASE("a large box, too", "[gpu][large]") {
    const Plan plan = plan_of(0, {128, 128, 128}, STABLE_FLUIDS_MACCORMACK);
    Fluid host = made_by(STABLE_FLUIDS_HOST, plan);
    Fluid device = made_by(STABLE_FLUIDS_CUDA, plan);
    host.step(0.05);
    device.step(0.05);
    for (const int field : {int{STABLE_FLUIDS_U}, int{STABLE_FLUIDS_V}, int{STABLE_FLUIDS_W},
                            STABLE_FLUIDS_SCALAR(0), STABLE_FLUIDS_SCALAR(1)}) {
        compare(name_of_field(field), device.read(field), host.read(field));
    }
}

TEST_CASE("the device does the same each time, to the last bit", "[gpu]") {
    const Triple n = sanitized ? Triple{17, 12, 9} : Triple{40, 37, 35};
    Plan plan = plan_of(0, n, STABLE_FLUIDS_MACCORMACK);
    plan.d.tolerance = 1e-5f;
    plan.d.cycles = 50;
    plan.d.splitting = STABLE_FLUIDS_STRANG;
    std::vector<std::vector<Field>> found;
    for (int run = 0; run < 3; ++run) {
        Fluid device = made_by(STABLE_FLUIDS_CUDA, plan);
        device.step(0.1, 4);
        found.push_back(state_of(device, 2));
    }
    for (std::size_t at = 0; at < found[0].size(); ++at) {
        CHECK(same_bytes(found[1][at], found[0][at]));
        CHECK(same_bytes(found[2][at], found[0][at]));
    }
}

TEST_CASE("to a tolerance, host and device agree as far as it goes", "[gpu]") {
    Plan plan = plan_of(2, {33, 30, 28}, STABLE_FLUIDS_LINEAR);
    plan.d.tolerance = 1e-6f;
    plan.d.cycles = 50;
    Fluid host = made_by(STABLE_FLUIDS_HOST, plan);
    Fluid device = made_by(STABLE_FLUIDS_CUDA, plan);
    host.step(0.1);
    device.step(0.1);
    CHECK(device.statistics().pressure_residual <= 1e-6);
    INFO("another cycle or not: 1e-6 of a divergence, over 33 cells");
    for (int axis = 0; axis < 3; ++axis) {
        check_close(name_of_field(component(axis)), device.read(component(axis)),
                    host.read(component(axis)), 1e-4);
    }
}

int main(int argc, char** argv) {
    Catch::Session session;
    if (const int wrong = session.applyCommandLine(argc, argv)) {
        return wrong;
    }
    const std::string reason = stable_fluids_why_no_cuda();
    std::vector<std::string>& filters = session.configData().testsOrTags;
    if (reason.empty()) {
        fluid_box::backend = STABLE_FLUIDS_CUDA;
        filters.emplace_back("~[host]~[long]");
    } else {
        filters.emplace_back("without a GPU*");
    }
    const int failed = session.run();
    if (failed != 0 || reason.empty()) {
        return failed;
    }
    std::printf(
        "\n==== SKIPPED: no test of the library has run on a GPU ====\n"
        "==== %s ====\n\n",
        reason.c_str());
    return 77;
}
