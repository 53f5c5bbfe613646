// That neither MacCormack's method nor central differences make energy from nothing, and that what
// comes in is not held back.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "fluid_box.hpp"

namespace {

using namespace fluid_box;

/// A few large whirls.
void stir(Fluid& fluid, const Triple& n, std::uint32_t seed) {
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const Field phases = bumpy({6, 1, 1}, seed + static_cast<std::uint32_t>(axis));
        const auto wave = [&](int waves, int along, int place, int number) {
            return std::sin(2.0 * std::numbers::pi * waves * place / part(n, along) +
                            3.0 * static_cast<double>(phases(number, 0, 0)));
        };
        fluid.fill(component(axis), [&](int i, int j, int k) {
            return wave(1, 0, i, 0) * wave(1, 1, j, 1) * wave(1, 2, k, 2) +
                   0.5 * wave(2, 0, i, 3) * wave(2, 1, j, 4) * wave(1, 2, k, 5);
        });
    }
}

/// A ball at rest, a little beside the middle.
void put_ball_in(Fluid& fluid, const Triple& n) {
    const Field distance =
        made({n[0] + 1, n[1] + 1, n[2] > 1 ? n[2] + 1 : 1}, [&](int i, int j, int k) {
            const double z = n[2] > 1 ? k - 0.45 * n[2] : 0.0;
            return std::hypot(i - 0.5 * n[0], j - 0.4 * n[1], z) / n[0] - 0.2;
        });
    REQUIRE(stable_fluids_set_solid(fluid.handle(), distance.values.data(),
                                    distance.values.size()) == STABLE_FLUIDS_OK);
}

/// The energy of the fluid: of a face that a solid cuts, its fraction counts. (In the statistics,
/// it counts whole.)
double energy_of(const Fluid& fluid) {
    double sum = 0.0;
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const Field u = fluid.read(component(axis));
        const Field open = fluid.read(STABLE_FLUIDS_FRACTION_X + axis);
        for_each(u.n, [&](int i, int j, int k) {
            const int place = part({i, j, k}, axis);
            const bool at_end = place == 0 || place == part(u.n, axis) - 1;
            const double speed = static_cast<double>(u(i, j, k));
            sum += (at_end ? 0.5 : 1.0) * static_cast<double>(open(i, j, k)) * speed * speed;
        });
    }
    return sum;
}

/// The most energy that a fluid left to itself has in so many steps, and the last, over that at the
/// start.
struct Found {
    double most, last;
};

Found energy_found(const Triple& n, int flow, int advection, int splitting, double cfl, bool ball,
                   int steps) {
    Plan plan(n, 1.0f / static_cast<float>(n[0]));
    plan.all(flow);
    plan.d.advection = advection;
    plan.d.splitting = splitting;
    Fluid fluid(plan);
    stir(fluid, n, 5);
    if (ball) {
        put_ball_in(fluid, n);
    }
    fluid.step(1e-6);  // takes the divergence out
    const stable_fluids_statistics start = fluid.statistics();
    const double energy = energy_of(fluid);
    Found found = {0.0, 0.0};
    for (int step = 0; step < steps; step += 20) {
        fluid.step(cfl * fluid.h() / start.largest_speed, 20);
        found.last = energy_of(fluid) / energy;
        found.most = std::max(found.most, found.last);
    }
    return found;
}

void check_energy(const Triple& n, int flow, int splitting, double cfl, bool ball, int steps) {
    INFO(name_of_size(n) << (ball ? " with a ball, " : ", ") << name_of_flow(flow) << ", splitting "
                         << splitting << ", CFL number " << cfl);
    const Found found =
        energy_found(n, flow, STABLE_FLUIDS_MACCORMACK, splitting, cfl, ball, steps);
    CHECK(found.most <= 1.01);
}

constexpr double cfl_numbers[] = {0.05, 0.1, 0.25, 0.45, 1.0, 2.5, 5.0};
constexpr int splittings[] = {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT};
constexpr int closed[] = {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_FREE_SLIP, STABLE_FLUIDS_PERIODIC};

void check_central_differences(const std::vector<double>& speeds, int steps) {
    int number = 0;
    for (const double cfl : speeds) {
        for (const int splitting : {STABLE_FLUIDS_LIE, STABLE_FLUIDS_MIDPOINT}) {
            for (const Triple& n : {Triple{9, 8, 7}, {16, 14, 1}}) {
                const int flow = closed[number % 3];
                const Found found =
                    energy_found(n, flow, STABLE_FLUIDS_CENTRAL, splitting, cfl, false, steps);
                INFO(name_of_size(n) << ", " << name_of_flow(flow) << ", splitting " << splitting
                                     << ", CFL number " << cfl);
                CHECK(found.most <= 1.01);
                if (cfl < 0.1 && splitting == STABLE_FLUIDS_MIDPOINT) {
                    CHECK(found.last >= 0.99);
                }
            }
            ++number;
        }
    }
}

}  // namespace

TEST_CASE("left to itself, a fluid has never more energy than at the start", "[energy]") {
    const int steps = sanitized ? 100 : 600;
    int number = 0;
    for (const double cfl : {0.05, 0.45, 5.0}) {
        for (const int splitting : splittings) {
            const int flow = closed[number++ % 3];
            const bool ball = number % 2 == 1;
            check_energy({9, 8, 7}, flow, splitting, cfl, ball, steps);
            check_energy({16, 14, 1}, flow, splitting, cfl, ball, steps);
        }
    }
}

TEST_CASE("left to itself, no small fluid has ever more energy than at the start", "[long]") {
    int number = 0;
    for (const double cfl : cfl_numbers) {
        for (const int splitting : splittings) {
            const int flow = closed[number++ % 3];
            check_energy({9, 8, 7}, flow, splitting, cfl, false, 2000);
            check_energy({16, 14, 1}, flow, splitting, cfl, false, 2000);
        }
    }
    // Between solids.
    for (const double cfl : {0.05, 0.2, 1.0, 5.0}) {
        check_energy({9, 8, 7}, closed[number++ % 3], STABLE_FLUIDS_LIE, cfl, true, 2000);
        check_energy({9, 8, 7}, closed[number++ % 3], STABLE_FLUIDS_STRANG, cfl, true, 2000);
        check_energy({16, 14, 1}, closed[number++ % 3], STABLE_FLUIDS_STRANG, cfl, true, 2000);
        check_energy({9, 8, 7}, closed[number++ % 3], STABLE_FLUIDS_MIDPOINT, cfl, true, 2000);
        check_energy({16, 14, 1}, closed[number++ % 3], STABLE_FLUIDS_MIDPOINT, cfl, true, 2000);
    }
}

TEST_CASE("carried by central differences, a fluid keeps its energy, and never gains any",
          "[energy]") {
    check_central_differences({0.05, 5.0}, sanitized ? 100 : 1000);
}

TEST_CASE("carried by central differences, a fluid never gains energy, at any speed", "[long]") {
    check_central_differences({std::begin(cfl_numbers), std::end(cfl_numbers)}, 2000);
}

TEST_CASE("friction at walls takes energy away, however strong it is", "[energy]") {
    for (const float a : {0.1f, 0.3f, 0.5f, 1.5f, 100.0f, 1e7f}) {
        for (const Triple& n : {Triple{3, 3, 1}, {8, 7, 1}, {2, 3, 4}, {8, 7, 6}}) {
            const float dt = 0.1f;
            Plan plan(n, 1.0f / static_cast<float>(n[0]));
            plan.d.splitting = STABLE_FLUIDS_MIDPOINT;
            plan.d.viscosity = a * plan.d.h * plan.d.h / dt;
            Fluid fluid(plan);
            stir(fluid, n, 5);
            fluid.step(1e-6);  // takes the divergence out
            const double energy = energy_of(fluid);
            double most = 0.0;
            for (int step = 0; step < 20; ++step) {
                fluid.step(static_cast<double>(dt), 1);
                most = std::max(most, energy_of(fluid) / energy);
            }
            INFO(name_of_size(n) << ", dt nu / h2 " << a);
            CHECK(most <= 1.0);
        }
    }
}

TEST_CASE("left to itself, no larger fluid has more energy than at the start either", "[long]") {
    int number = 0;
    for (const double cfl : cfl_numbers) {
        for (const int splitting : {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG}) {
            for (const bool ball : {false, true}) {
                const int flow = closed[number++ % 3];
                check_energy({20, 18, 16}, flow, splitting, cfl, ball, 2000);
                check_energy({48, 42, 1}, flow, splitting, cfl, ball, 2000);
            }
        }
    }
    for (const double cfl : {0.05, 0.45, 5.0}) {
        const bool ball = number % 2 == 1;
        const int flow = closed[number++ % 3];
        check_energy({20, 18, 16}, flow, STABLE_FLUIDS_MIDPOINT, cfl, ball, 2000);
        check_energy({48, 42, 1}, flow, STABLE_FLUIDS_MIDPOINT, cfl, ball, 2000);
    }
}

TEST_CASE("what flows in is not held back", "[energy]") {
    // A stream, and in it a jet three times as fast: a nozzle, whose faces the solid's velocity is
    // given for.
    const Triple n = {32, 14, 12};
    for (const int splitting : splittings) {
        for (const bool nozzle : {false, true}) {
            Plan plan(n, 1.0f / 14.0f);
            plan.all(STABLE_FLUIDS_FREE_SLIP);
            plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.3f, 0.0f, 0.0f});
            plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW);
            plan.d.advection = STABLE_FLUIDS_MACCORMACK;
            plan.d.splitting = splitting;
            Fluid fluid(plan);
            fluid.set(STABLE_FLUIDS_U, 0.3f);
            const auto in_jet = [](int i, int j, int k) {
                return i == 0 && j >= 4 && j < 9 && k >= 4 && k < 8;
            };
            if (nozzle) {
                fluid.fill(STABLE_FLUIDS_FRACTION_X,
                           [&](int i, int j, int k) { return in_jet(i, j, k) ? 0.0 : 1.0; });
                fluid.fill(STABLE_FLUIDS_SOLID_U,
                           [&](int i, int j, int k) { return in_jet(i, j, k) ? 0.9 : 0.0; });
            }
            int held_back = 0;
            constexpr int steps = 200;
            for (int step = 0; step < steps; ++step) {
                fluid.step(0.5 * fluid.h() / 0.9);
                held_back += fluid.statistics().corrected < 1.0 ? 1 : 0;
            }
            INFO((nozzle ? "with a nozzle, " : "without a nozzle, ") << "splitting " << splitting);
            CHECK(held_back <= steps / 50);
        }
    }
}

TEST_CASE("what expands is not held back", "[energy]") {
    const Triple n = {16, 14, 12};
    for (const int splitting : splittings) {
        Plan plan(n, 1.0f / 14.0f);
        plan.all(STABLE_FLUIDS_OUTFLOW);
        plan.d.advection = STABLE_FLUIDS_MACCORMACK;
        plan.d.splitting = splitting;
        Fluid fluid(plan);
        fluid.fill(STABLE_FLUIDS_EXPANSION, [](int i, int j, int k) {
            return std::hypot(i - 6.0, j - 6.5, k - 5.0) < 3.0 ? 2.0 : 0.0;
        });
        int held_back = 0;
        constexpr int steps = 100;
        for (int step = 0; step < steps; ++step) {
            fluid.step(0.02);
            held_back += fluid.statistics().corrected < 1.0 ? 1 : 0;
        }
        INFO("splitting " << splitting);
        CHECK(held_back <= steps / 50);
    }
}

/// Runs a fluid with 1, 2, 3 and 5 threads, as `run` says, and checks that its velocity is the same
/// to the last bit.
template <class Run>
void check_any_number_of_threads(int advection, int splitting, const Run& run) {
    const Triple n = {28, 26, 25};  // enough cells for several threads
    std::vector<std::vector<Field>> found;
    for (const int threads : {1, 2, 3, 5}) {
        Plan plan(n, 1.0f / 28.0f);
        plan.d.advection = advection;
        plan.d.splitting = splitting;
        plan.d.threads = threads;
        Fluid fluid(plan);
        stir(fluid, n, 5);
        run(fluid, n);
        found.push_back(state_of(fluid, 0));
        for (std::size_t at = 0; at < found[0].size(); ++at) {
            INFO(threads << " threads, component " << at);
            CHECK(same_bytes(found.back()[at], found[0][at]));
        }
    }
}

TEST_CASE("what is kept of the correction is the same for any number of threads, to the last bit",
          "[energy][host]") {
    const int steps = sanitized ? 10 : 120;
    check_any_number_of_threads(STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_STRANG,
                                [&](Fluid& fluid, const Triple& n) {
                                    put_ball_in(fluid, n);
                                    fluid.step(0.005, steps);
                                    CHECK((fluid.statistics().corrected < 1.0 || sanitized));
                                });
}

TEST_CASE("central differences are the same for any number of threads, to the last bit",
          "[energy][host]") {
    check_any_number_of_threads(STABLE_FLUIDS_CENTRAL, STABLE_FLUIDS_MIDPOINT,
                                [](Fluid& fluid, const Triple&) {
                                    fluid.step(0.05, 10);
                                    CHECK(fluid.statistics().corrected == 1.0);
                                });
}

TEST_CASE("where there are no central differences, MacCormack's method carries the velocity",
          "[energy]") {
    const Triple n = {12, 10, 9};
    enum Kind { IN_THE_OPEN, WITH_A_BALL, EXPANDING, IN_LONG_STEPS };
    for (const Kind kind : {IN_THE_OPEN, WITH_A_BALL, EXPANDING, IN_LONG_STEPS}) {
        std::vector<std::vector<Field>> found;
        for (const int advection : {STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_CENTRAL}) {
            Plan plan(n, 1.0f / 12.0f);
            plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW);
            plan.d.advection = advection;
            plan.d.splitting = STABLE_FLUIDS_MIDPOINT;
            Fluid fluid(plan);
            stir(fluid, n, 5);
            if (kind == WITH_A_BALL) {
                put_ball_in(fluid, n);
            }
            if (kind == EXPANDING) {
                fluid.fill(STABLE_FLUIDS_EXPANSION, [](int i, int, int) { return 0.1 * i; });
            }
            fluid.step(kind == IN_LONG_STEPS ? 30.0 : 0.05, 1);
            found.push_back(state_of(fluid, 0));
        }
        for (std::size_t at = 0; at < found[0].size(); ++at) {
            INFO("kind " << kind << ", component " << at);
            CHECK(same_bytes(found[0][at], found[1][at]) == (kind != IN_THE_OPEN));
        }
    }
}
