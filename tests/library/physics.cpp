// What is known of fluids on paper, asked of the library: exact solutions, what is conserved, what
// is symmetric, and Ghia's cavity. Host and device run the same tests.
//
// Bounds: the equations are solved to a tolerance in root mean square, 1e-6 here unless a test says
// otherwise, and a float holds 6e-8 of a number; over a few steps in boxes of a few hundred cells,
// the largest error is then some 1e-5 of the largest number. Where a bound is another, the test
// says why.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "fluid_box.hpp"
#include "reference.hpp"

namespace {

using namespace fluid_box;
constexpr double pi = std::numbers::pi;
constexpr double bound = 2e-5;

/// A velocity of so much along an axis.
std::array<float, 3> along(int axis, float speed) {
    std::array<float, 3> velocity = {0.0f, 0.0f, 0.0f};
    velocity[static_cast<std::size_t>(axis)] = speed;
    return velocity;
}

/// Checks the component along a against `expected(place across)`, in places from 0, and that the
/// others are 0.
template <class Expected>
void check_profile(const Fluid& fluid, const Roles& roles, const Expected& expected,
                   double within) {
    const int a = component(roles.a);
    check_close("the velocity along " + std::string(name_of_axis(roles.a)), fluid.read(a),
                made(fluid.shape(a),
                     [&](int i, int j, int k) {
                         return expected(part({i, j, k}, roles.b));
                     }),
                within);
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        if (axis != roles.a) {
            INFO("nothing flows along " << name_of_axis(axis));
            CHECK(largest(fluid.read(component(axis))) <= within);
        }
    }
}

int wrapped(int i, int n) {
    return ((i % n) + n) % n;
}

/// A random velocity, and the scalars there are; `seed` names them.
void make_bumpy(Fluid& fluid, int scalars, std::uint32_t seed) {
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        fluid.set(component(axis),
                  bumpy(fluid.shape(component(axis)), seed + static_cast<std::uint32_t>(axis)));
    }
    for (int n = 0; n < scalars; ++n) {
        fluid.set(STABLE_FLUIDS_SCALAR(n), bumpy(fluid.shape(STABLE_FLUIDS_SCALAR(n)),
                                                 seed + 10 + static_cast<std::uint32_t>(n)));
    }
}

}  // namespace

// ---- Between walls -----------------------------------------------------------------------------

TEST_CASE("Couette: between sliding walls the velocity is a straight line", "[physics]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan = channel(roles, roles.size(4, 9, 3), 0.3f);
        plan.face(low_face(roles.b), STABLE_FLUIDS_NO_SLIP, along(roles.a, -0.5f));
        plan.face(high_face(roles.b), STABLE_FLUIDS_NO_SLIP, along(roles.a, 1.5f));
        Fluid fluid(plan);
        fluid.step(2.0, 40);  // what is not yet steady shrinks by more than half in each
        check_profile(
            fluid, roles, [](int j) { return -0.5 + 2.0 * (j + 0.5) / 9.0; }, bound);
    }
}

TEST_CASE("Poiseuille: a force between walls makes a parabola", "[physics]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        const double h = 0.25;
        const double H = 9.0 * h;
        const Plan plan = channel(roles, roles.size(4, 9, 3), 0.5f);
        Fluid fluid(plan);
        fluid.set(force(roles.a), 0.75f);
        fluid.step(2.0, 40);
        INFO("the cells' equations have the parabola itself for their solution, plus G h2 / 8 nu");
        check_profile(
            fluid, roles,
            [&](int j) {
                const double y = (j + 0.5) * h;
                return 0.75 / (2.0 * 0.5) * (y * (H - y) + h * h / 4.0);
            },
            bound);
    }
}

TEST_CASE("Poiseuille: a difference of pressure between open ends does the same",
          "[physics][large]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        const double h = 0.25;
        const double H = 9.0 * h;
        const double G = (2.0 - 0.5) / (6.0 * h);
        const double dt = 0.5;
        Plan plan(roles.size(6, 9, 3), 0.25f);
        plan.pair(roles.b, STABLE_FLUIDS_NO_SLIP).pair(roles.c, STABLE_FLUIDS_FREE_SLIP);
        plan.face(low_face(roles.a), STABLE_FLUIDS_OUTFLOW, along(0, 0.0f), 2.0f);
        plan.face(high_face(roles.a), STABLE_FLUIDS_OUTFLOW, along(0, 0.0f), 0.5f);
        plan.d.viscosity = 0.5f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        fluid.step(dt, 80);
        INFO("the pressure comes last in a step: it adds dt G, of which viscosity has yet to know");
        check_profile(
            fluid, roles,
            [&](int j) {
                const double y = (j + 0.5) * h;
                return dt * G + G / (2.0 * 0.5) * (y * (H - y) + h * h / 4.0);
            },
            bound);
        check_close("the pressure", fluid.read(STABLE_FLUIDS_PRESSURE),
                    made(plan.size(),
                         [&](int i, int j, int k) {
                             return 2.0 - 1.5 * (part({i, j, k}, roles.a) + 0.5) / 6.0;
                         }),
                    bound);
    }
}

TEST_CASE("without friction a difference of pressure accelerates by itself over the length",
          "[physics]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan(roles.size(7, 3, 5), 0.5f);
        plan.all(STABLE_FLUIDS_FREE_SLIP);
        plan.face(low_face(roles.a), STABLE_FLUIDS_OUTFLOW, along(0, 0.0f), -1.0f);
        plan.face(high_face(roles.a), STABLE_FLUIDS_OUTFLOW, along(0, 0.0f), 2.5f);
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        fluid.step(0.1, 5);
        fluid.step(0.25, 2);
        check_profile(
            fluid, roles, [](int) { return -1.0 * 3.5 / 3.5; }, bound);
    }
}

TEST_CASE("what comes in goes out: the same flux through each section of a channel", "[physics]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan(roles.size(11, 6, 3), 0.5f);
        plan.pair(roles.b, STABLE_FLUIDS_NO_SLIP).pair(roles.c, STABLE_FLUIDS_FREE_SLIP);
        plan.face(high_face(roles.a), STABLE_FLUIDS_INFLOW, along(roles.a, -1.25f));
        plan.face(low_face(roles.a), STABLE_FLUIDS_OUTFLOW);
        plan.d.viscosity = 0.1f;
        plan.d.tolerance = 1e-6f;
        plan.d.advection = STABLE_FLUIDS_MACCORMACK;
        Fluid fluid(plan);
        fluid.step(0.2, 20);
        const Field u = fluid.read(component(roles.a));
        const double places = static_cast<double>(u.values.size()) / 12.0;
        std::vector<double> flux(12, 0.0);
        for_each(u.n, [&](int i, int j, int k) {
            flux[static_cast<std::size_t>(part({i, j, k}, roles.a))] +=
                static_cast<double>(u(i, j, k)) / places;
        });
        for (int section = 0; section < 12; ++section) {
            INFO("average velocity through section " << section);
            CHECK_THAT(flux[static_cast<std::size_t>(section)], WithinAbs(-1.25, bound));
        }
        INFO("walls hold it back, so it must be faster in the middle");
        CHECK(largest(u) > 1.4);
    }
}

// ---- Waves and vortices that die away ----------------------------------------------------------

TEST_CASE("a shear wave decays as its wave number says", "[physics]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        const double h = 0.5;
        const double nu = 0.2;
        const double dt = 0.3;
        Plan plan(roles.size(3, 13, 5), 0.5f);
        plan.all(STABLE_FLUIDS_PERIODIC);
        plan.d.viscosity = 0.2f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const auto wave = [&](int j) { return std::cos(2.0 * pi * (j + 0.5) / 13.0 + 0.3); };
        fluid.fill(component(roles.a), [&](int i, int j, int k) {
            return wave(part({i, j, k}, roles.b));
        });
        fluid.step(dt, 7);
        const double eigenvalue = (2.0 - 2.0 * std::cos(2.0 * pi / 13.0)) / (h * h);
        const double left = std::pow(1.0 + dt * nu * eigenvalue, -7.0);
        INFO("each backward Euler step leaves 1 / (1 + dt nu lambda), in all " << left);
        check_profile(
            fluid, roles, [&](int j) { return left * wave(j); }, bound);
    }
}

TEST_CASE("the shear wave's decay e^(-nu k2 t) is found to second order", "[physics]") {
    std::vector<double> errors;
    for (const int n : {8, 16, 32}) {
        Plan plan({4, n, 1}, 1.0f / static_cast<float>(n));
        plan.all(STABLE_FLUIDS_PERIODIC);
        plan.d.viscosity = 0.05f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        fluid.fill(STABLE_FLUIDS_U,
                   [&](int, int j, int) { return std::sin(2.0 * pi * (j + 0.5) / n); });
        const int steps = n * n / 2;  // dt as h2, so that both errors shrink as h2
        const double time = 0.5;
        fluid.step(time / steps, steps);
        const Field u = fluid.read(STABLE_FLUIDS_U);
        double left = 0.0;
        for (int j = 0; j < n; ++j) {
            left += 2.0 / n * std::sin(2.0 * pi * (j + 0.5) / n) * static_cast<double>(u(1, j, 0));
        }
        errors.push_back(std::abs(left - std::exp(-0.05 * 4.0 * pi * pi * time)));
    }
    const double order = std::log2(errors[1] / errors[2]);
    CAPTURE(errors[0], errors[1], errors[2], order);
    CHECK(std::log2(errors[0] / errors[1]) > 1.9);
    CHECK(order > 1.9);
    CHECK(order < 2.1);
    const double rate = 0.05 * 4.0 * pi * pi * 0.5;
    INFO(
        "to lowest order: the grid makes the rate smaller by (k h)^2 / 12 of it, a step by dt / 2 "
        "of it");
    const double expected = std::exp(-rate) * (rate * std::pow(2.0 * pi / 32.0, 2) / 12.0 +
                                               rate * rate / (32.0 * 32.0 / 2.0) / 2.0);
    CHECK_THAT(errors[2] / expected, WithinAbs(1.0, 0.02));
}

namespace {

/// The Taylor-Green vortex: a solution of the whole Navier-Stokes equations, whose nonlinear part
/// is all pressure. In each plane of two axes.
struct TaylorGreen {
    Roles roles;
    int n;

    double angle(int place, bool on_face) const {
        return 2.0 * pi * (place + (on_face ? 0.0 : 0.5)) / n;
    }
    double a(int i, int j, int k) const {
        const Triple p = {i, j, k};
        return std::sin(angle(part(p, roles.a), true)) * std::cos(angle(part(p, roles.b), false));
    }
    double b(int i, int j, int k) const {
        const Triple p = {i, j, k};
        return -std::cos(angle(part(p, roles.a), false)) * std::sin(angle(part(p, roles.b), true));
    }
    Plan plan(int beside) const {
        Plan made(roles.size(n, n, beside), 1.0f / static_cast<float>(n));
        made.all(STABLE_FLUIDS_PERIODIC);
        made.d.viscosity = 0.02f;
        made.d.tolerance = 1e-6f;
        made.d.advection = STABLE_FLUIDS_MACCORMACK;
        return made;
    }
    void begin(Fluid& fluid) const {
        fluid.fill(component(roles.a), [&](int i, int j, int k) { return a(i, j, k); });
        fluid.fill(component(roles.b), [&](int i, int j, int k) { return b(i, j, k); });
    }
};

}  // namespace

TEST_CASE("Taylor-Green vortices decay as e^(-2 nu k2 t), found to second order",
          "[physics][large]") {
    std::vector<double> amplitudes;
    std::vector<double> fields;
    const double time = 0.25;
    const double exact = std::exp(-2.0 * 0.02 * 4.0 * pi * pi * time);
    for (const int n : {12, 24, 48}) {
        const TaylorGreen vortex = {{0, 1, 2, false}, n};
        Fluid fluid(vortex.plan(1));
        vortex.begin(fluid);
        const int steps = n * n / 6;  // dt as h2, so that both errors shrink as h2
        fluid.step(time / steps, steps);
        const Field u = fluid.read(STABLE_FLUIDS_U);
        double left = 0.0;
        double error = 0.0;
        for_each({n, n, 1}, [&](int i, int j, int k) {
            const double mode = vortex.a(i, j, k);
            const double found = static_cast<double>(u(i, j, k));
            left += 4.0 / (n * n) * mode * found;
            error += std::pow(found - exact * mode, 2) / (n * n);
        });
        amplitudes.push_back(std::abs(left - exact));
        fields.push_back(std::sqrt(error));
    }
    const double order = std::log2(amplitudes[1] / amplitudes[2]);
    const double field_order = std::log2(fields[1] / fields[2]);
    CAPTURE(amplitudes[0], amplitudes[1], amplitudes[2], order);
    CAPTURE(fields[0], fields[1], fields[2], field_order);
    CHECK(amplitudes[2] < 2e-3);
    CHECK(order > 1.8);
    CHECK(field_order > 1.8);
}

TEST_CASE("Taylor-Green vortices are the same in each plane", "[physics]") {
    const auto worst = [](const Roles& roles) {
        const TaylorGreen vortex = {roles, 12};
        Fluid fluid(vortex.plan(3));
        vortex.begin(fluid);
        fluid.step(0.02, 10);
        INFO(roles.name());
        if (roles.deep) {
            CHECK(largest(fluid.read(component(roles.c))) <= bound);
        }
        const Field u = fluid.read(component(roles.a));
        Field line({13, 12, 1});
        for_each(line.n, [&](int along_a, int along_b, int) {
            Triple p = {1, 1, 1};
            p[static_cast<std::size_t>(roles.a)] = along_a;
            p[static_cast<std::size_t>(roles.b)] = along_b;
            p[static_cast<std::size_t>(roles.c)] = roles.deep ? 1 : 0;
            line(along_a, along_b, 0) = u(p);
        });
        return line;
    };
    const Field flat = worst({0, 1, 2, false});
    for (const Roles& roles : all_roles()) {
        check_close(roles.name(), worst(roles), flat, bound);
    }
}

// ---- What spreads ------------------------------------------------------------------------------

TEST_CASE("viscosity and diffusion are solved to the tolerance, however long the step is",
          "[physics]") {
    for (const Triple& n : {Triple{1, 5, 3},
                            {5, 3, 1},
                            {3, 3, 1},
                            {3, 3, 3},
                            {8, 8, 1},
                            {7, 5, 3},
                            {33, 17, 1},
                            {17, 15, 9},
                            {1, 1, 1},
                            {2, 2, 2}}) {
        for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_FREE_SLIP,
                               STABLE_FLUIDS_OUTFLOW, STABLE_FLUIDS_PERIODIC}) {
            for (const float dt : {0.01f, 0.5f, 2.0f, 20.0f, 1000.0f}) {
                if (sanitized && dt > 100.0f) {
                    continue;
                }
                INFO(name_of_size(n) << ", " << name_of_flow(flow) << ": dt nu is " << dt << " h2");
                Plan plan(n);
                plan.all(flow);
                plan.d.viscosity = 1.0f;
                plan.d.tolerance = 1e-5f;
                plan.scalar().diffusion = 1.0f;
                Fluid fluid(plan);
                make_bumpy(fluid, 1, 121);
                const Field before = fluid.read(STABLE_FLUIDS_SCALAR(0));
                // So slow that it goes nowhere, but viscosity acts on it all the same.
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    Field slow = fluid.read(component(axis));
                    for (float& value : slow.values) {
                        value *= 1e-7f;
                    }
                    fluid.set(component(axis), slow);
                }
                fluid.step(static_cast<double>(dt));
                CHECK(fluid.statistics().viscosity_residual <= 1e-5);
                // What is left of the scalar's equations: each cell's gain is what its neighbours
                // give.
                const Field now = fluid.read(STABLE_FLUIDS_SCALAR(0));
                double left = 0.0;
                double size = 0.0;
                for_each(n, [&](int i, int j, int k) {
                    const double here = static_cast<double>(now(i, j, k));
                    double sum = here - static_cast<double>(before(i, j, k));
                    double first = 0.0;
                    for (int axis = 0; axis < 3; ++axis) {
                        for (const int side : {-1, 1}) {
                            const auto at = static_cast<std::size_t>(axis);
                            Triple p = {i, j, k};
                            p[at] += side;
                            if (flow == STABLE_FLUIDS_PERIODIC) {
                                p[at] = wrapped(p[at], n[at]);
                            } else {
                                p[at] = std::clamp(p[at], 0, n[at] - 1);
                            }
                            const double dt_nu = static_cast<double>(dt);
                            sum += dt_nu * (here - static_cast<double>(now(p)));
                            first += dt_nu * static_cast<double>(before(i, j, k) - before(p));
                        }
                    }
                    left += sum * sum;
                    size += first * first;
                });
                // The tolerance, and what float makes of numbers times dt.
                const double rounding = 1e-6 * (1.0 + 12.0 * static_cast<double>(dt)) *
                                        std::sqrt(static_cast<double>(now.values.size()));
                CHECK(std::sqrt(left) <= 2e-5 * std::sqrt(size) + rounding);
            }
        }
    }
}

TEST_CASE("viscosity takes few sweeps in any box, however long the step is", "[physics][large]") {
    for (const Triple& n :
         {Triple{64, 63, 1}, {40, 90, 1}, {100, 3, 1}, {33, 17, 9}, {16, 21, 24}}) {
        for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_FREE_SLIP,
                               STABLE_FLUIDS_OUTFLOW, STABLE_FLUIDS_PERIODIC}) {
            for (const float dt : {0.1f, 4.0f, 10.0f, 1e4f, 1e5f}) {
                INFO(name_of_size(n) << ", " << name_of_flow(flow) << ": dt nu is " << dt << " h2");
                Plan plan(n);
                plan.all(flow);
                plan.d.viscosity = 1.0f;
                plan.d.tolerance = 1e-5f;
                Fluid fluid(plan);
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    Field slow = bumpy(fluid.shape(component(axis)), 151);
                    for (float& value : slow.values) {
                        value *= 1e-7f;
                    }
                    fluid.set(component(axis), slow);
                }
                fluid.step(static_cast<double>(dt));
                CHECK(fluid.statistics().viscosity_residual <= 1e-5);
                CHECK(fluid.statistics().viscosity_sweeps <= (dt < 5.0f ? 25 : 15));
            }
        }
    }
}

TEST_CASE("what spreads far is the same to the last bit for any number of threads",
          "[physics][host]") {
    for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_OUTFLOW, STABLE_FLUIDS_PERIODIC}) {
        for (const Triple& n : {Triple{171, 180, 1}, {172, 179, 1}, {24, 26, 40}}) {
            const auto after_a_step = [&](int threads) {
                Plan plan(n);
                plan.all(flow);
                plan.d.viscosity = 50.0f;
                plan.scalar().diffusion = 20.0f;
                plan.d.threads = threads;
                Fluid fluid(plan);
                make_bumpy(fluid, 1, 161);
                fluid.step(1.0);
                std::vector<float> all = fluid.read(STABLE_FLUIDS_SCALAR(0)).values;
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    const Field u = fluid.read(component(axis));
                    all.insert(all.end(), u.values.begin(), u.values.end());
                }
                return all;
            };
            const std::vector<float> alone = after_a_step(1);
            INFO(name_of_size(n) << ", " << name_of_flow(flow));
            CHECK(after_a_step(3) == alone);
            CHECK(after_a_step(16) == alone);
        }
    }
}

TEST_CASE("a Gaussian's variance grows by 2 kappa t along each axis", "[physics]") {
    for (const bool deep : {false, true}) {
        const Triple n = {33, 28, deep ? 30 : 1};
        const double h = 0.1;
        const std::array<double, 3> centre = {1.62, 1.43, 1.51};
        const std::array<double, 3> width = {0.25, 0.2, 0.22};
        Plan plan(n, 0.1f);
        plan.scalar().diffusion = 0.05f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const auto place = [&](int at) { return (at + 0.5) * h; };
        fluid.fill(STABLE_FLUIDS_SCALAR(0), [&](int i, int j, int k) {
            double exponent = 0.0;
            for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
                const auto at = static_cast<std::size_t>(axis);
                exponent +=
                    0.5 * std::pow((place(part({i, j, k}, axis)) - centre[at]) / width[at], 2);
            }
            return std::exp(-exponent);
        });
        const auto variance = [&](int axis) {
            const Field c = fluid.read(STABLE_FLUIDS_SCALAR(0));
            double sum = 0.0, first = 0.0, second = 0.0;
            for_each(n, [&](int i, int j, int k) {
                const double x = place(part({i, j, k}, axis));
                const double value = static_cast<double>(c(i, j, k));
                sum += value;
                first += value * x;
                second += value * x * x;
            });
            return second / sum - first * first / (sum * sum);
        };
        std::array<double, 3> before = {};
        for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
            before[static_cast<std::size_t>(axis)] = variance(axis);
        }
        fluid.step(0.05, 10);
        for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
            INFO("along "
                 << name_of_axis(axis) << (deep ? " in 3D" : " in 2D")
                 << "; exact on the grid, too, but for the tail that has reached the walls");
            CHECK_THAT(variance(axis) - before[static_cast<std::size_t>(axis)],
                       WithinAbs(2.0 * 0.05 * 0.5, 2e-4));
        }
    }
}

TEST_CASE("a spreading Gaussian is found to second order", "[physics]") {
    std::vector<double> errors;
    for (const int n : {16, 32, 64}) {
        Plan plan({n, n, 1}, 1.0f / static_cast<float>(n));
        plan.scalar().diffusion = 0.01f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const auto exact = [&](double t) {
            const double variance = 0.0064 + 2.0 * 0.01 * t;
            return made({n, n, 1}, [&](int i, int j, int) {
                const double x = (i + 0.5) / n - 0.52;
                const double y = (j + 0.5) / n - 0.47;
                return 0.0064 / variance * std::exp(-0.5 * (x * x + y * y) / variance);
            });
        };
        fluid.set(STABLE_FLUIDS_SCALAR(0), exact(0.0));
        const int steps = n * n / 32;
        fluid.step(0.25 / steps, steps);
        errors.push_back(distance(fluid.read(STABLE_FLUIDS_SCALAR(0)), exact(0.25)));
    }
    CAPTURE(errors[0], errors[1], errors[2]);
    CHECK(errors[2] < 2.5e-3);
    CHECK(std::log2(errors[0] / errors[1]) > 1.8);
    CHECK(std::log2(errors[1] / errors[2]) > 1.9);
}

TEST_CASE("heat is conducted in a straight line between walls of given values", "[physics]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan(roles.size(4, 9, 3), 0.5f);
        plan.pair(roles.a, STABLE_FLUIDS_PERIODIC);
        stable_fluids_scalar& heat = plan.scalar();
        heat.faces[low_face(roles.b)] = {STABLE_FLUIDS_FIXED_VALUE, 3.0f};
        heat.faces[high_face(roles.b)] = {STABLE_FLUIDS_FIXED_VALUE, -1.0f};
        heat.diffusion = 2.0f;
        heat.initial = 7.0f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        fluid.step(4.0, 30);
        check_close("heat", fluid.read(STABLE_FLUIDS_SCALAR(0)),
                    made(plan.size(),
                         [&](int i, int j, int k) {
                             return 3.0 - 4.0 * (part({i, j, k}, roles.b) + 0.5) / 9.0;
                         }),
                    3.0 * bound);
    }
}

TEST_CASE("scalars decay, grow from their sources, and begin, each on its own", "[physics]") {
    for (const bool deep : {false, true}) {
        Plan plan({5, 4, deep ? 3 : 1}, 0.5f);
        plan.scalar().initial = 2.0f;
        plan.scalar().dissipation = 0.5f;
        plan.scalars.back().initial = 3.0f;
        plan.scalars.back().diffusion = 0.7f;  // of what is the same everywhere, nothing spreads
        plan.scalar();
        plan.scalar().dissipation = 2.0f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const Field source = bumpy(plan.size(), 7);
        fluid.set(STABLE_FLUIDS_SOURCE(2), source);
        fluid.set(STABLE_FLUIDS_SOURCE(3), 4.0f);
        fluid.step(0.25, 3);
        fluid.step(0.5, 1);
        const auto check = [&](int n, const auto& expected) {
            check_close("scalar " + std::to_string(n), fluid.read(STABLE_FLUIDS_SCALAR(n)),
                        made(plan.size(), expected), 1e-5);
        };
        check(0, [](int, int, int) { return 2.0; });
        check(1, [](int, int, int) { return 3.0 / (std::pow(1.125, 3) * 1.25); });
        check(2, [&](int i, int j, int k) { return 1.25 * static_cast<double>(source(i, j, k)); });
        double fourth = 0.0;  // what is added decays, too
        for (const double dt : {0.25, 0.25, 0.25, 0.5}) {
            fourth = (fourth + dt * 4.0) / (1.0 + dt * 2.0);
        }
        check(3, [&](int, int, int) { return fourth; });
        INFO("a source that is taken away adds no more");
        const Field before = fluid.read(STABLE_FLUIDS_SCALAR(2));
        fluid.set(STABLE_FLUIDS_SOURCE(2), 0.0f);
        fluid.step(0.25, 3);
        check_close("scalar 2", fluid.read(STABLE_FLUIDS_SCALAR(2)), before, 1e-6);
    }
}

// ---- What does not change ----------------------------------------------------------------------

TEST_CASE("a uniform stream through joined faces stays as it is", "[physics]") {
    for (const bool deep : {false, true}) {
        for (const int advection :
             {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_CENTRAL}) {
            for (const float viscosity : {0.0f, 0.4f}) {
                INFO((deep ? "3D, " : "2D, ")
                     << name_of_advection(advection) << ", viscosity " << viscosity);
                Plan plan({7, 5, deep ? 6 : 1}, 0.3f);
                plan.all(STABLE_FLUIDS_PERIODIC);
                plan.d.advection = advection;
                plan.d.viscosity = viscosity;
                plan.d.tolerance = 1e-6f;
                Fluid fluid(plan);
                const float stream[3] = {0.7f, -1.3f, 0.4f};
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    fluid.set(component(axis), stream[axis]);
                }
                fluid.step(0.37, 9);
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    const Field now = fluid.read(component(axis));
                    check_close(name_of_field(component(axis)), now, Field(now.n, stream[axis]),
                                1e-5);
                }
            }
        }
    }
}

TEST_CASE("a uniform stream that comes in and goes out stays as it is", "[physics]") {
    for (const Roles& roles : all_roles()) {
        for (const bool forward : {true, false}) {
            for (const bool from_rest : {false, true}) {
                INFO(roles.name() << (forward ? ", forward" : ", backward")
                                  << (from_rest ? ", from rest" : ""));
                const float speed = forward ? 1.5f : -1.5f;
                Plan plan(roles.size(9, 6, 5), 0.3f);
                plan.all(STABLE_FLUIDS_FREE_SLIP);
                plan.face(forward ? low_face(roles.a) : high_face(roles.a), STABLE_FLUIDS_INFLOW,
                          along(roles.a, speed));
                plan.face(forward ? high_face(roles.a) : low_face(roles.a), STABLE_FLUIDS_OUTFLOW);
                plan.d.viscosity = 0.1f;
                plan.d.tolerance = 1e-6f;
                plan.d.advection = STABLE_FLUIDS_MACCORMACK;
                Fluid fluid(plan);
                if (!from_rest) {
                    fluid.set(component(roles.a), speed);
                }
                fluid.step(0.4, 7);
                check_profile(
                    fluid, roles, [&](int) { return static_cast<double>(speed); }, bound);
            }
        }
    }
}

TEST_CASE("a slanting stream comes in through some faces and goes out through the others",
          "[physics]") {
    for (const bool deep : {false, true}) {
        const std::array<float, 3> stream = {0.8f, -0.5f, 1.1f};
        INFO((deep ? "3D" : "2D"));
        Plan plan({6, 7, deep ? 5 : 1}, 0.4f);
        plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, stream);
        plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW);
        plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_OUTFLOW);
        plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_INFLOW, stream);
        plan.face(STABLE_FLUIDS_FRONT, STABLE_FLUIDS_INFLOW, stream);
        plan.face(STABLE_FLUIDS_BACK, STABLE_FLUIDS_OUTFLOW);
        plan.d.viscosity = 0.1f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        for (int axis = 0; axis < fluid.axes(); ++axis) {
            fluid.set(component(axis), stream[static_cast<std::size_t>(axis)]);
        }
        fluid.step(0.4, 7);
        for (int axis = 0; axis < fluid.axes(); ++axis) {
            const Field now = fluid.read(component(axis));
            check_close(name_of_field(component(axis)), now,
                        Field(now.n, stream[static_cast<std::size_t>(axis)]), bound);
        }
    }
}

TEST_CASE("a fluid under its own weight stays at rest, and its pressure grows with depth",
          "[physics]") {
    for (const bool deep : {false, true}) {
        for (const bool open : {false, true}) {
            INFO((deep ? "3D" : "2D") << (open ? ", open on top" : ", closed"));
            const Triple n = {5, 7, deep ? 4 : 1};
            const double h = 0.5;
            const double g[3] = {open ? 0.0 : 1.5, -2.5, open || !deep ? 0.0 : 0.75};
            Plan plan(n, 0.5f);
            plan.pair(0, STABLE_FLUIDS_FREE_SLIP);
            if (open) {
                plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_OUTFLOW, along(0, 0.0f), 3.0f);
            }
            plan.d.tolerance = 1e-6f;
            Fluid fluid(plan);
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                fluid.set(force(axis), static_cast<float>(g[axis]));
            }
            fluid.step(0.2, 3);
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                INFO("the fluid does not move along " << name_of_axis(axis));
                CHECK(largest(fluid.read(component(axis))) <= bound);
            }
            Field pressure = fluid.read(STABLE_FLUIDS_PRESSURE);
            const auto weight = [&](int i, int j, int k) {
                return h * (g[0] * (i + 0.5) + g[1] * (j + 0.5) + g[2] * (k + 0.5));
            };
            // Nothing but an opening says what the pressure is; else only its differences are
            // known.
            const double offset =
                open ? 3.0 : static_cast<double>(pressure(0, 0, 0)) - weight(0, 0, 0);
            check_close("the pressure", pressure,
                        made(n, [&](int i, int j, int k) { return offset + weight(i, j, k); }),
                        5.0 * bound);
        }
    }
}

TEST_CASE("a force that is a gradient is all pressure", "[physics]") {
    for (const bool deep : {false, true}) {
        INFO((deep ? "3D" : "2D"));
        const Triple n = {6, 5, deep ? 7 : 1};
        Plan plan(n, 0.25f);
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const Field potential = bumpy(n, 3);
        for (int axis = 0; axis < fluid.axes(); ++axis) {
            fluid.fill(force(axis), [&](int i, int j, int k) {
                Triple before = {i, j, k};
                const int place = part(before, axis);
                if (place == 0 || place == part(n, axis)) {
                    return 123.0;  // a wall does not mind
                }
                --before[static_cast<std::size_t>(axis)];
                return static_cast<double>(potential(i, j, k) - potential(before)) / 0.25;
            });
        }
        fluid.step(0.125);
        for (int axis = 0; axis < fluid.axes(); ++axis) {
            CHECK(largest(fluid.read(component(axis))) <= bound);
        }
        const Field pressure = fluid.read(STABLE_FLUIDS_PRESSURE);
        const float offset = pressure(0, 0, 0) - potential(0, 0, 0);
        check_close("the pressure", pressure,
                    made(n, [&](int i, int j, int k) { return potential(i, j, k) + offset; }),
                    5.0 * bound);
    }
}

TEST_CASE("without flux through its walls a scalar's total stays, carried or spread", "[physics]") {
    for (const bool deep : {false, true}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_PERIODIC}) {
                INFO((deep ? "3D, " : "2D, ")
                     << name_of_advection(advection) << ", " << name_of_flow(flow));
                const Triple n = {11, 9, deep ? 7 : 1};
                Plan plan(n, 0.2f);
                plan.all(flow);
                plan.d.advection = advection;
                plan.d.tolerance = 1e-6f;
                plan.scalar().conserve = 1;
                plan.scalar().conserve = 1;
                plan.scalars.back().diffusion = 0.02f;
                Fluid fluid(plan);
                make_bumpy(fluid, 0, 31);
                for (const int scalar : {0, 1}) {
                    fluid.fill(STABLE_FLUIDS_SCALAR(scalar), [&](int i, int j, int k) {
                        return i < 5 && j > 2 && (k < 3) ? 1.0 + 0.1 * scalar : 0.0;
                    });
                }
                std::vector<double> before;
                for (const int scalar : {0, 1}) {
                    before.push_back(total(fluid.read(STABLE_FLUIDS_SCALAR(scalar))));
                }
                fluid.step(0.1, 40);
                for (const int scalar : {0, 1}) {
                    const Field now = fluid.read(STABLE_FLUIDS_SCALAR(scalar));
                    INFO("scalar " << scalar);
                    const double was = before[static_cast<std::size_t>(scalar)];
                    CHECK_THAT(total(now) / was, WithinAbs(1.0, 2e-5));
                    CHECK(*std::min_element(now.values.begin(), now.values.end()) >= -1e-5f);
                    INFO("and it has been carried about");
                    CHECK(now(0, 8, 0) != 1.0f + 0.1f * static_cast<float>(scalar));
                }
            }
        }
    }
}

TEST_CASE("what spreads in a fluid at rest keeps its total without being told to", "[physics]") {
    const Triple n = {9, 6, 5};
    Plan plan(n, 0.2f);
    plan.pair(1, STABLE_FLUIDS_PERIODIC);
    plan.scalar().diffusion = 0.3f;
    plan.d.tolerance = 1e-6f;
    Fluid fluid(plan);
    fluid.set(STABLE_FLUIDS_SCALAR(0), bumpy(n, 5));
    const double before = total(fluid.read(STABLE_FLUIDS_SCALAR(0)));
    fluid.step(0.05, 20);
    CHECK_THAT(total(fluid.read(STABLE_FLUIDS_SCALAR(0))), WithinAbs(before, 1e-3));
    INFO("and nearly all differences are gone");
    const double average = before / (9.0 * 6.0 * 5.0);
    check_close("the scalar", fluid.read(STABLE_FLUIDS_SCALAR(0)),
                Field(n, static_cast<float>(average)), 0.05);
}

// ---- What is carried ---------------------------------------------------------------------------

TEST_CASE("a stream of whole cells a step moves everything by whole cells", "[physics]") {
    for (const bool deep : {false, true}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            INFO((deep ? "3D, " : "2D, ") << name_of_advection(advection));
            const Triple n = {8, 5, deep ? 7 : 1};
            const Triple shift = {2, -3, deep ? 1 : 0};
            Plan plan(n, 0.25f);
            plan.all(STABLE_FLUIDS_PERIODIC);
            plan.d.advection = advection;
            plan.scalar();
            Fluid fluid(plan);
            for (int axis = 0; axis < fluid.axes(); ++axis) {  // h over dt is 1/2
                fluid.set(component(axis), 0.5f * static_cast<float>(part(shift, axis)));
            }
            const Field start = bumpy(n, 11);
            fluid.set(STABLE_FLUIDS_SCALAR(0), start);
            const int steps = 3;
            fluid.step(0.5, steps);
            INFO("half a cell's width a second along each axis and half a second: exactly");
            check_close("the scalar", fluid.read(STABLE_FLUIDS_SCALAR(0)),
                        made(n,
                             [&](int i, int j, int k) {
                                 return start(wrapped(i - steps * shift[0], n[0]),
                                              wrapped(j - steps * shift[1], n[1]),
                                              wrapped(k - steps * shift[2], n[2]));
                             }),
                        0.0);
        }
    }
}

TEST_CASE("a stream carries a wave across it along, by whole cells", "[physics]") {
    for (const Roles& roles : all_roles()) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            INFO(roles.name() << ", " << name_of_advection(advection));
            Plan plan(roles.size(9, 4, 5), 0.5f);
            plan.all(STABLE_FLUIDS_PERIODIC);
            plan.d.advection = advection;
            plan.d.tolerance = 1e-6f;
            Fluid fluid(plan);
            const Field wave = bumpy({9, 1, 1}, 17);
            fluid.set(component(roles.a), -2.0f);
            fluid.fill(component(roles.b), [&](int i, int j, int k) {
                return wave(part({i, j, k}, roles.a), 0, 0);
            });
            fluid.step(0.5, 2);  // two cells a step, backward
            const Field now = fluid.read(component(roles.b));
            check_close("the velocity along " + std::string(name_of_axis(roles.b)), now,
                        made(now.n,
                             [&](int i, int j, int k) {
                                 return wave(wrapped(part({i, j, k}, roles.a) + 4, 9), 0, 0);
                             }),
                        bound);
        }
    }
}

TEST_CASE("dye that comes in with the stream fills the channel cell by cell", "[physics]") {
    for (const Roles& roles : all_roles()) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            INFO(roles.name() << ", " << name_of_advection(advection));
            Plan plan(roles.size(8, 3, 4), 0.5f);
            plan.all(STABLE_FLUIDS_FREE_SLIP);
            plan.face(low_face(roles.a), STABLE_FLUIDS_INFLOW, along(roles.a, 1.0f));
            plan.face(high_face(roles.a), STABLE_FLUIDS_OUTFLOW);
            plan.d.advection = advection;
            plan.d.tolerance = 1e-6f;
            plan.scalar().faces[low_face(roles.a)] = {STABLE_FLUIDS_FIXED_VALUE, 0.75f};
            Fluid fluid(plan);
            fluid.set(component(roles.a), 1.0f);
            fluid.step(0.5, 3);
            check_close("dye", fluid.read(STABLE_FLUIDS_SCALAR(0)),
                        made(plan.size(),
                             [&](int i, int j, int k) {
                                 return part({i, j, k}, roles.a) < 3 ? 0.75 : 0.0;
                             }),
                        bound);
        }
    }
}

TEST_CASE("nothing that is carried overshoots", "[physics]") {
    for (const bool deep : {false, true}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const double dt : {0.03, 0.2, 1.5}) {
                INFO((deep ? "3D, " : "2D, ") << name_of_advection(advection) << ", dt " << dt);
                const Triple n = {13, 10, deep ? 8 : 1};
                Plan plan(n, 0.2f);
                plan.pair(0, STABLE_FLUIDS_PERIODIC);
                plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_INFLOW, {0.2f, 0.6f, 0.1f});
                plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_OUTFLOW);
                plan.d.advection = advection;
                plan.d.tolerance = 1e-5f;
                plan.scalar().faces[STABLE_FLUIDS_TOP] = {STABLE_FLUIDS_FIXED_VALUE, 1.0f};
                plan.scalar();
                Fluid fluid(plan);
                make_bumpy(fluid, 0, 41);
                for (const int scalar : {0, 1}) {
                    fluid.set(STABLE_FLUIDS_SCALAR(scalar), made(n, [](int i, int j, int k) {
                                  return (i * 7 + j * 3 + k * 5) % 4 == 0 ? 1.0 : 0.0;
                              }));
                }
                fluid.step(dt, 12);
                for (const int scalar : {0, 1}) {
                    INFO("scalar " << scalar << " is 0 or 1 at first"
                                   << (scalar == 0 ? ", and 1 in the stream that comes in" : ""));
                    const Field now = fluid.read(STABLE_FLUIDS_SCALAR(scalar));
                    CHECK(*std::min_element(now.values.begin(), now.values.end()) >= -1e-6f);
                    CHECK(*std::max_element(now.values.begin(), now.values.end()) <= 1.0f + 1e-6f);
                }
            }
        }
    }
}

TEST_CASE(
    "carried by fractions of a cell, MacCormack's error is of second order, linear's of first",
    "[physics]") {
    const auto error = [](int advection, int n) {
        const Triple size = {n, 3 * n / 4, 1};
        Plan plan(size, 1.0f / static_cast<float>(n));
        plan.all(STABLE_FLUIDS_PERIODIC);
        plan.d.advection = advection;
        plan.scalar();
        Fluid fluid(plan);
        fluid.set(STABLE_FLUIDS_U, 0.6f);  // 0.3 and -0.45 cells a step
        fluid.set(STABLE_FLUIDS_V, -0.9f);
        const int steps = n;
        const double dt = 0.5 / n;
        const auto bump = [&](double t) {
            return made(size, [&](int i, int j, int) {
                const double x = (i + 0.5) / n - 0.6 * t;
                const double y = (j + 0.5) / n + 0.9 * t;
                return std::sin(2.0 * pi * x) * std::cos(2.0 * pi * y / 0.75);
            });
        };
        fluid.set(STABLE_FLUIDS_SCALAR(0), bump(0.0));
        fluid.step(dt, steps);
        Field apart = fluid.read(STABLE_FLUIDS_SCALAR(0));
        const Field exact = bump(steps * dt);
        for (std::size_t at = 0; at < apart.values.size(); ++at) {
            apart.values[at] -= exact.values[at];
        }
        return root_mean_square(apart);
    };
    const double linear[] = {error(STABLE_FLUIDS_LINEAR, 32), error(STABLE_FLUIDS_LINEAR, 64)};
    const double better[] = {error(STABLE_FLUIDS_MACCORMACK, 32),
                             error(STABLE_FLUIDS_MACCORMACK, 64)};
    CAPTURE(linear[0], linear[1], better[0], better[1]);
    CHECK(better[1] < 0.1 * linear[1]);
    CHECK(std::log2(linear[0] / linear[1]) > 0.8);
    INFO("the limiter flattens the very tops, which costs less than half an order");
    CHECK(std::log2(better[0] / better[1]) > 1.6);
}

TEST_CASE("a rough flow that crosses many cells in a step comes to rest", "[physics][large]") {
    // Where a trace forward does not undo a trace back, MacCormack's correction is no error: if it
    // were subtracted all the same, this flow would have more than ten times its energy in the end.
    const Triple n = {24, 20, 22};
    for (const auto& [advection, splitting] :
         {std::pair(STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_LIE),
          std::pair(STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_LIE),
          std::pair(STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_STRANG),
          std::pair(STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_MIDPOINT)}) {
        INFO(name_of_advection(advection) << ", splitting " << splitting);
        Plan plan(n, 1.0f / 24.0f);
        plan.all(STABLE_FLUIDS_NO_SLIP);
        plan.d.advection = advection;
        plan.d.splitting = splitting;
        plan.d.tolerance = 1e-3f;
        Fluid fluid(plan);
        make_bumpy(fluid, 0, 17);
        fluid.step(1e-6, 1);
        const stable_fluids_statistics before = fluid.statistics();
        fluid.step(20.0 / 24.0 / before.largest_speed, 240);
        CHECK(fluid.statistics().kinetic_energy < 0.01 * before.kinetic_energy);
    }
}

// ---- How a step is split ------------------------------------------------------------------------

TEST_CASE("with Strang's splitting, the error of a whirl falls nearly with the square of dt",
          "[physics][host]") {
    const int n = 48;
    const auto after = [&](int splitting, int steps) {
        Plan plan({n, n, 1}, 1.0f / n);
        plan.all(STABLE_FLUIDS_FREE_SLIP);
        plan.d.advection = STABLE_FLUIDS_MACCORMACK;
        plan.d.splitting = splitting;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const auto stream = [&](int i, int j) {
            const double x = static_cast<double>(i) / n;
            const double y = static_cast<double>(j) / n;
            const double round = std::sin(pi * x) * std::sin(pi * y);
            return n * round * round * (1.0 + 0.7 * std::sin(3.0 * x + y)) / pi;
        };
        fluid.fill(STABLE_FLUIDS_U,
                   [&](int i, int j, int) { return stream(i, j + 1) - stream(i, j); });
        fluid.fill(STABLE_FLUIDS_V,
                   [&](int i, int j, int) { return stream(i, j) - stream(i + 1, j); });
        fluid.step(0.5 / steps, steps);
        return fluid.read(STABLE_FLUIDS_U);
    };
    // In time alone, that is beside many short steps on the same grid.
    const Field expected = after(STABLE_FLUIDS_STRANG, 384);
    const auto error = [&](int splitting, int steps) {
        const Field found = after(splitting, steps);
        double sum = 0.0;
        for (std::size_t at = 0; at < found.values.size(); ++at) {
            sum += std::pow(static_cast<double>(found.values[at] - expected.values[at]), 2);
        }
        return std::sqrt(sum / static_cast<double>(found.values.size()));
    };
    const double lie = error(STABLE_FLUIDS_LIE, 48);
    const double strang = error(STABLE_FLUIDS_STRANG, 48);
    INFO("errors: " << lie << " and " << strang);
    CHECK(error(STABLE_FLUIDS_LIE, 24) < 2.0 * lie);
    CHECK(error(STABLE_FLUIDS_STRANG, 24) > 3.5 * strang);
    CHECK(strang < 0.1 * lie);
}

TEST_CASE("Strang's splitting begins two steps after something was set", "[physics]") {
    const auto plan_of = [](int splitting) {
        Plan plan({9, 7, 5}, 0.25f);
        plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.5f, 0.0f, 0.0f});
        plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.3f);
        plan.d.advection = STABLE_FLUIDS_MACCORMACK;  // otherwise, only one has shared traces
        plan.d.tolerance = 0.0f;  // otherwise, only one begins with a guess at the pressure
        plan.d.splitting = splitting;
        plan.d.viscosity = 0.01f;
        plan.scalar().initial = 0.5f;
        return plan;
    };
    const auto same = [](const Fluid& a, const Fluid& b) {
        const std::vector<Field> of_a = state_of(a, 1);
        const std::vector<Field> of_b = state_of(b, 1);
        bool all = true;
        for (std::size_t at = 0; at < of_a.size(); ++at) {
            all = all && same_bytes(of_a[at], of_b[at]);
        }
        return all;
    };
    const std::vector<float> corners(10 * 8 * 6, 1.0f);  // far from any solid
    for (const int what : {0, 1, 2}) {
        INFO("set: " << (what == 0 ? "a velocity" : what == 1 ? "a solid" : "a solid's velocity"));
        Fluid lie(plan_of(STABLE_FLUIDS_LIE));
        Fluid strang(plan_of(STABLE_FLUIDS_STRANG));
        make_bumpy(lie, 1, 3);
        make_bumpy(strang, 1, 3);
        for (Fluid* fluid : {&lie, &strang}) {
            fluid->step(0.1, 2);
            if (what == 0) {
                fluid->set(STABLE_FLUIDS_V, bumpy(fluid->shape(STABLE_FLUIDS_V), 8));
            } else if (what == 1) {
                REQUIRE(stable_fluids_set_solid(fluid->handle(), corners.data(), corners.size()) ==
                        STABLE_FLUIDS_OK);
            } else {
                fluid->set(STABLE_FLUIDS_SOLID_V, 0.5f);
            }
            fluid->step(0.1, 2);
        }
        CHECK(same(lie, strang));
        lie.step(0.1);
        strang.step(0.1);
        CHECK(!same(lie, strang));
    }
}

TEST_CASE("a flow that has become steady takes no more cycles", "[physics][steady]") {
    Plan plan({15, 12, 1}, 0.1f);
    plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.5f, 0.0f, 0.0f});
    plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.3f);
    plan.d.viscosity = 0.02f;
    plan.d.tolerance = 1e-4f;
    for (const int splitting : {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG}) {
        plan.d.splitting = splitting;
        Fluid fluid(plan);
        fluid.step(0.1, 150);
        INFO("splitting " << splitting);
        CHECK(fluid.statistics().pressure_residual <= 1e-4);
        CHECK(fluid.statistics().pressure_cycles == 0);
    }
}

TEST_CASE("with Strang's splitting, it makes no difference who reads the pressure", "[physics]") {
    for (const bool open : {false, true}) {
        INFO((open ? "open" : "closed"));
        Plan plan({9, 7, 5}, 0.25f);
        if (open) {
            plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.7f);
        }
        plan.d.splitting = STABLE_FLUIDS_STRANG;
        Fluid read(plan);
        Fluid left_alone(plan);
        for (Fluid* fluid : {&read, &left_alone}) {
            make_bumpy(*fluid, 0, 3);
            for (int n = 0; n < 6; ++n) {
                fluid->step(0.1);
                if (fluid == &read) {
                    const Field pressure = read.read(STABLE_FLUIDS_PRESSURE);
                    CHECK(largest(pressure) > 0.0);
                }
            }
        }
        const std::vector<Field> a = state_of(read, 0);
        const std::vector<Field> b = state_of(left_alone, 0);
        for (std::size_t at = 0; at < a.size(); ++at) {
            CHECK(same_bytes(a[at], b[at]));
        }
    }
}

// ---- Viscosity and diffusion that vanish -------------------------------------------------------

TEST_CASE("as viscosity and diffusion go to 0, so does what they change", "[physics]") {
    for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
        INFO(name_of_advection(advection));
        const Triple n = {9, 7, 5};
        const auto after = [&](float rate) {
            Plan plan(n, 0.5f);
            plan.pair(0, STABLE_FLUIDS_PERIODIC).pair(2, STABLE_FLUIDS_FREE_SLIP);
            plan.d.advection = advection;
            plan.d.viscosity = rate;
            plan.d.tolerance = 1e-6f;
            plan.scalar().diffusion = rate;
            Fluid fluid(plan);
            make_bumpy(fluid, 1, 51);
            fluid.step(0.5, 2);
            return state_of(fluid, 1);
        };
        const std::vector<Field> none = after(0.0f);
        for (const float rate : {1e-3f, 1e-4f, 1e-5f, 1e-7f, 1e-12f, 1e-30f, 1e-40f}) {
            const std::vector<Field> little = after(rate);
            for (std::size_t at = 0; at < none.size(); ++at) {
                // One step of length dt changes at most dt rate 24 / h2; the second one carries it
                // on.
                check_close(
                    "rate " + std::to_string(rate * 1e6f) + "e-6, field " + std::to_string(at),
                    little[at], none[at],
                    0.5 * static_cast<double>(rate) * 24.0 / 0.25 * 4.0 + bound);
            }
        }
    }
}

// ---- Symmetry ----------------------------------------------------------------------------------

namespace {

/// The same problem, seen from elsewhere: what was along axis n is now along axis `to[n]`, forward
/// or backward.
struct Turn {
    Triple to;
    std::array<bool, 3> backward;

    Triple size(const Triple& n) const {
        Triple turned = {1, 1, 1};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            turned[static_cast<std::size_t>(to[axis])] = n[axis];
        }
        return turned;
    }
    Field turned(const Field& field, double sign = 1.0) const {
        Field result(size(field.n));
        for_each(field.n, [&](int i, int j, int k) {
            const Triple from = {i, j, k};
            Triple place = {0, 0, 0};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                place[static_cast<std::size_t>(to[axis])] =
                    backward[axis] ? field.n[axis] - 1 - from[axis] : from[axis];
            }
            result(place[0], place[1], place[2]) = static_cast<float>(sign) * field(i, j, k);
        });
        return result;
    }
    double sign(int axis) const { return backward[static_cast<std::size_t>(axis)] ? -1.0 : 1.0; }
    Plan turned(const Plan& plan) const {
        Plan result = plan;
        const Triple n = size(plan.size());
        result.d.nx = n[0];
        result.d.ny = n[1];
        result.d.nz = n[2];
        for (int axis = 0; axis < 3; ++axis) {
            for (int end = 0; end < 2; ++end) {
                const auto at = static_cast<std::size_t>(axis);
                const int from = 2 * axis + end;
                const int target = 2 * to[at] + (backward[at] ? 1 - end : end);
                const stable_fluids_face& face = plan.d.faces[from];
                std::array<float, 3> velocity = {};
                const float parts[] = {face.u, face.v, face.w};
                for (int part_of = 0; part_of < 3; ++part_of) {
                    velocity[static_cast<std::size_t>(to[static_cast<std::size_t>(part_of)])] =
                        static_cast<float>(sign(part_of)) * parts[part_of];
                }
                result.face(target, face.flow, velocity, face.pressure);
                for (std::size_t scalar = 0; scalar < plan.scalars.size(); ++scalar) {
                    result.scalars[scalar].faces[target] = plan.scalars[scalar].faces[from];
                }
            }
        }
        return result;
    }
};

/// Makes the last places along an axis what the first ones are.
void join(Field& field, int axis) {
    for_each(field.n, [&](int i, int j, int k) {
        Triple first = {i, j, k};
        if (part(first, axis) == part(field.n, axis) - 1) {
            first[static_cast<std::size_t>(axis)] = 0;
            field(i, j, k) = field(first);
        }
    });
}

/// Some steps of a problem without any symmetry, seen from elsewhere; the fields turned as they
/// are.
std::vector<Field> seen(const Plan& plan, const Turn& turn, bool before_turning) {
    Fluid fluid(before_turning ? plan : turn.turned(plan));
    const Fluid& shapes = fluid;
    const auto target = [&](int axis) {
        return before_turning ? axis : turn.to[static_cast<std::size_t>(axis)];
    };
    const auto put = [&](int field, const Field& values, double sign) {
        fluid.set(field, before_turning ? values : turn.turned(values, sign));
    };
    const Triple n = plan.size();
    for (int axis = 0; axis < plan.axes(); ++axis) {
        Triple shape = n;
        ++shape[static_cast<std::size_t>(axis)];
        const auto seed = static_cast<std::uint32_t>(61 + axis);
        Field speed = bumpy(shape, seed);
        Field push = bumpy(shape, seed + 10);
        if (plan.d.faces[low_face(axis)].flow == STABLE_FLUIDS_PERIODIC) {
            join(speed, axis);
            join(push, axis);
        }
        put(component(target(axis)), speed, turn.sign(axis));
        put(force(target(axis)), push, turn.sign(axis));
    }
    put(STABLE_FLUIDS_SCALAR(0), bumpy(n, 64), 1.0);
    put(STABLE_FLUIDS_SOURCE(0), bumpy(n, 65), 1.0);
    fluid.step(0.3, 3);
    std::vector<Field> found;
    const auto take = [&](int field, double sign) {
        found.push_back(before_turning ? turn.turned(shapes.read(field), sign)
                                       : shapes.read(field));
    };
    for (int axis = 0; axis < plan.axes(); ++axis) {
        take(component(target(axis)), turn.sign(axis));
    }
    take(STABLE_FLUIDS_SCALAR(0), 1.0);
    take(STABLE_FLUIDS_SPEED, 1.0);
    take(STABLE_FLUIDS_PRESSURE, 1.0);
    return found;
}

void check_turned(const Plan& plan, const Turn& turn) {
    const std::vector<Field> expected = seen(plan, turn, true);
    const std::vector<Field> found = seen(plan, turn, false);
    const std::string fields[] = {"u", "v", "w", "the scalar", "the speed", "the pressure"};
    for (std::size_t at = 0; at < found.size(); ++at) {
        const std::size_t name =
            at < static_cast<std::size_t>(plan.axes()) ? at : at + (plan.deep() ? 0 : 1);
        // Rounding, which the pressure solver enlarges; the pressure itself is some ten times as
        // large.
        check_close("what was " + fields[name], found[at], expected[at],
                    at + 1 == found.size() ? 2e-3 : 2e-4);
    }
}

/// Boxes with another kind of wall at each end. Where two walls meet they agree on the velocity: in
/// a corner between two different ones, any value is as right as another.
constexpr int kinds_of_box = 3;
Plan box_without_symmetry(int kind, const Triple& n, int advection) {
    Plan plan(n, 0.5f);
    const bool deep = n[2] > 1;
    if (kind == 0) {
        plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.4f, -0.2f, deep ? 0.3f : 0.0f});
        plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.5f);
        plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_OUTFLOW, {}, 0.25f);
        plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_OUTFLOW, {}, -0.125f);
        plan.pair(2, STABLE_FLUIDS_PERIODIC);
    } else if (kind == 1) {
        plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_OUTFLOW, {}, 0.5f);
        plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, -0.25f);
        plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_NO_SLIP, {0.7f, 0.0f, deep ? -0.6f : 0.0f});
        plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_FREE_SLIP);
        plan.face(STABLE_FLUIDS_FRONT, STABLE_FLUIDS_OUTFLOW, {}, 0.25f);
        plan.face(STABLE_FLUIDS_BACK, STABLE_FLUIDS_OUTFLOW, {}, -0.5f);
    } else {
        plan.pair(0, STABLE_FLUIDS_NO_SLIP);
        plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_NO_SLIP)
            .face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_FREE_SLIP);
        plan.pair(2, STABLE_FLUIDS_PERIODIC);
    }
    plan.d.viscosity = 0.05f;
    plan.d.advection = advection;
    plan.d.tolerance = 0.0f;
    plan.d.cycles = 20;  // the same number whichever way it is turned
    stable_fluids_scalar& scalar = plan.scalar();
    scalar.diffusion = 0.03f;
    scalar.dissipation = 0.1f;
    scalar.faces[kind == 1 ? STABLE_FLUIDS_TOP : STABLE_FLUIDS_LEFT] = {STABLE_FLUIDS_FIXED_VALUE,
                                                                        0.5f};
    return plan;
}

}  // namespace

TEST_CASE("a box with its axes exchanged holds the same fluid", "[physics]") {
    for (int kind = 0; kind < kinds_of_box; ++kind) {
        for (const int advection :
             {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_CENTRAL}) {
            for (const Triple& to : {Triple{1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}}) {
                INFO("box " << kind << ", " << name_of_advection(advection) << ": x becomes "
                            << name_of_axis(to[0]) << ", y " << name_of_axis(to[1]) << ", z "
                            << name_of_axis(to[2]));
                const Turn turn = {to, {false, false, false}};
                check_turned(box_without_symmetry(kind, {7, 5, 4}, advection), turn);
                if (to[2] == 2) {
                    check_turned(box_without_symmetry(kind, {9, 6, 1}, advection), turn);
                }
            }
        }
    }
}

TEST_CASE("a box in the mirror holds the same fluid", "[physics]") {
    for (int kind = 0; kind < kinds_of_box; ++kind) {
        for (const int advection :
             {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_CENTRAL}) {
            for (int axis = 0; axis < 3; ++axis) {
                INFO("box " << kind << ", " << name_of_advection(advection) << ", mirrored along "
                            << name_of_axis(axis));
                const Turn turn = {{0, 1, 2}, {axis == 0, axis == 1, axis == 2}};
                check_turned(box_without_symmetry(kind, {7, 5, 4}, advection), turn);
                if (axis < 2) {
                    check_turned(box_without_symmetry(kind, {9, 6, 1}, advection), turn);
                }
            }
        }
    }
}

TEST_CASE("a wall that fluid slides along is a mirror", "[physics]") {
    for (const bool deep : {false, true}) {
        INFO((deep ? "3D" : "2D") << ": a box, and twice the box in each direction, joined");
        const Triple n = {5, 6, deep ? 3 : 1};
        const Triple twice = {10, 12, deep ? 6 : 1};
        const auto plan = [&](const Triple& size, int flow) {
            Plan made_plan(size, 0.5f);
            made_plan.all(flow);
            made_plan.d.viscosity = 0.1f;
            made_plan.d.tolerance = 1e-6f;
            made_plan.d.advection = STABLE_FLUIDS_MACCORMACK;
            made_plan.scalar().diffusion = 0.05f;
            return made_plan;
        };
        Fluid box(plan(n, STABLE_FLUIDS_FREE_SLIP));
        Fluid mirrored(plan(twice, STABLE_FLUIDS_PERIODIC));
        make_bumpy(box, 1, 71);
        // The value at a place of the large box: the box itself, or one of its images.
        const auto image = [&](const Field& field, int axis_of_field, Triple p) {
            double sign = 1.0;
            for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
                const auto at = static_cast<std::size_t>(axis);
                if (axis == axis_of_field) {
                    p[at] = wrapped(p[at], 2 * n[at]);
                    if (p[at] > n[at]) {
                        p[at] = 2 * n[at] - p[at];
                        sign = -sign;
                    }
                } else if (p[at] >= n[at]) {
                    p[at] = 2 * n[at] - 1 - p[at];
                }
            }
            return sign * static_cast<double>(field(p));
        };
        std::vector<int> fields = {STABLE_FLUIDS_SCALAR(0)};
        for (int axis = 0; axis < box.axes(); ++axis) {
            fields.push_back(component(axis));
        }
        const auto axis_of = [](int field) { return field < 3 ? field : -1; };
        for (const int field : fields) {
            const Field values = box.read(field);
            mirrored.fill(field, [&](int i, int j, int k) {
                return image(values, axis_of(field), {i, j, k});
            });
        }
        box.step(0.3, 3);
        mirrored.step(0.3, 3);
        for (const int field : fields) {
            const Field values = box.read(field);
            const Field now = mirrored.read(field);
            check_close(name_of_field(field), now,
                        made(now.n,
                             [&](int i, int j, int k) {
                                 return image(values, axis_of(field), {i, j, k});
                             }),
                        2e-4);
        }
    }
}

TEST_CASE("a deep fluid that is the same everywhere along an axis is a flat one", "[physics]") {
    for (const int flow : {STABLE_FLUIDS_PERIODIC, STABLE_FLUIDS_FREE_SLIP}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            INFO(name_of_advection(advection) << ", along z " << name_of_flow(flow));
            const auto after = [&](int nz) {
                Plan plan = box_without_symmetry(0, {9, 7, 1}, advection);
                plan.d.nz = nz;
                plan.d.tolerance = 1e-6f;
                plan.d.cycles = 100;
                plan.pair(2, flow);
                for (const int which : {STABLE_FLUIDS_FRONT, STABLE_FLUIDS_BACK}) {
                    plan.scalars[0].faces[which].flow = flow == STABLE_FLUIDS_PERIODIC
                                                            ? STABLE_FLUIDS_SCALAR_PERIODIC
                                                            : STABLE_FLUIDS_ZERO_FLUX;
                }
                Fluid fluid(plan);
                for (const int field :
                     {int{STABLE_FLUIDS_U}, int{STABLE_FLUIDS_V}, STABLE_FLUIDS_SCALAR(0)}) {
                    const Triple shape = fluid.shape(field);
                    const Field flat =
                        bumpy({shape[0], shape[1], 1}, 80 + static_cast<std::uint32_t>(field));
                    fluid.fill(field, [&](int i, int j, int) { return flat(i, j, 0); });
                }
                fluid.step(0.3, 3);
                return fluid;
            };
            const Fluid flat = after(1);
            const Fluid deep = after(4);
            for (const int field :
                 {int{STABLE_FLUIDS_U}, int{STABLE_FLUIDS_V}, STABLE_FLUIDS_SCALAR(0)}) {
                const Field expected = flat.read(field);
                const Field now = deep.read(field);
                check_close(name_of_field(field), now,
                            made(now.n, [&](int i, int j, int) { return expected(i, j, 0); }),
                            1e-4);
            }
            CHECK(largest(deep.read(STABLE_FLUIDS_W)) <= bound);
        }
    }
}

// ---- The divergence ----------------------------------------------------------------------------

namespace {

/// What may stand at the two faces that look along an axis.
std::vector<std::array<int, 2>> all_pairs() {
    std::vector<std::array<int, 2>> pairs = {{STABLE_FLUIDS_PERIODIC, STABLE_FLUIDS_PERIODIC}};
    for (int low = STABLE_FLUIDS_NO_SLIP; low <= STABLE_FLUIDS_OUTFLOW; ++low) {
        for (int high = STABLE_FLUIDS_NO_SLIP; high <= STABLE_FLUIDS_OUTFLOW; ++high) {
            pairs.push_back({low, high});
        }
    }
    return pairs;
}

/// A plan with these pairs. Where nothing is open, what comes in must go out.
Plan with_pairs(const Triple& n, const std::vector<std::array<int, 2>>& pairs) {
    Plan plan(n, 0.5f);
    bool open = false;
    for (const std::array<int, 2>& pair : pairs) {
        open = open || pair[0] == STABLE_FLUIDS_OUTFLOW || pair[1] == STABLE_FLUIDS_OUTFLOW;
    }
    for (int axis = 0; axis < static_cast<int>(pairs.size()); ++axis) {
        const auto [low, high] = pairs[static_cast<std::size_t>(axis)];
        const bool through = low == STABLE_FLUIDS_INFLOW && high == STABLE_FLUIDS_INFLOW;
        for (int end = 0; end < 2; ++end) {
            const int flow = end == 0 ? low : high;
            std::array<float, 3> velocity = {0.3f, -0.4f, 0.2f};
            if (flow == STABLE_FLUIDS_NO_SLIP ||
                (flow == STABLE_FLUIDS_INFLOW && !open && !through)) {
                velocity[static_cast<std::size_t>(axis)] = 0.0f;
            }
            if (n[2] == 1) {
                velocity[2] = 0.0f;
            }
            plan.face(2 * axis + end, flow, velocity, 0.25f * static_cast<float>(axis + end));
        }
    }
    return plan;
}

std::string name_of_pairs(const std::vector<std::array<int, 2>>& pairs) {
    std::string name;
    for (std::size_t axis = 0; axis < pairs.size(); ++axis) {
        name += std::string(axis == 0 ? "" : "; ") + name_of_axis(static_cast<int>(axis)) + ": " +
                name_of_flow(pairs[axis][0]) + " and " + name_of_flow(pairs[axis][1]);
    }
    return name;
}

/// Projects random numbers, and nothing else: in so short a step nothing gets anywhere. Returns how
/// many cycles it took.
int check_divergence(const Plan& plan, std::uint32_t seed, const std::string& name) {
    Fluid fluid(plan);
    make_bumpy(fluid, 0, seed);
    const double before = root_mean_square(fluid.read(STABLE_FLUIDS_DIVERGENCE));
    fluid.step(1e-9);
    const Field left = fluid.read(STABLE_FLUIDS_DIVERGENCE);
    const double after = root_mean_square(left);
    const stable_fluids_statistics statistics = fluid.statistics();
    const double asked = static_cast<double>(plan.d.tolerance);
    // What a float can hold: each velocity is rounded once, some 1e-7 of it. A pressure outside
    // pushes through a step so short with less than that.
    const double rounding = 1e-6 / static_cast<double>(plan.d.h);
    if (!(after <= 1.02 * asked * before + rounding) || !(statistics.pressure_residual <= asked) ||
        std::abs(statistics.largest_divergence - largest(left)) > rounding) {
        INFO(name_of_size(plan.size()) << ", " << name);
        INFO("divergence " << before << " before, " << after << " after "
                           << statistics.pressure_cycles << " cycles");
        CHECK(after <= 1.02 * asked * before + rounding);
        CHECK(statistics.pressure_residual <= asked);
        CHECK_THAT(statistics.largest_divergence, WithinAbs(largest(left), rounding));
    }
    return statistics.pressure_cycles;
}

}  // namespace

TEST_CASE("the divergence is as small as asked for, whatever stands at the faces", "[physics]") {
    const std::vector<std::array<int, 2>> pairs = all_pairs();
    std::uint32_t seed = 0;
    int most = 0;
    std::string slowest;
    const auto check = [&](const Triple& n, const std::vector<std::array<int, 2>>& mix) {
        Plan plan = with_pairs(n, mix);
        plan.d.tolerance = 1e-4f;
        const int cycles = check_divergence(plan, ++seed, name_of_pairs(mix));
        if (cycles > most) {
            most = cycles;
            slowest = name_of_size(n) + ", " + name_of_pairs(mix);
        }
    };
    for (const std::array<int, 2>& x : pairs) {
        for (const std::array<int, 2>& y : pairs) {
            check({7, 5, 1}, {x, y});
            check({4, 9, 1}, {x, y});
            for (const std::array<int, 2>& z : pairs) {
                if (!sanitized || seed % 7 == 0) {
                    check({5, 3, 4}, {x, y, z});
                } else {
                    ++seed;
                }
            }
        }
    }
    INFO("the slowest: " << slowest);
    CHECK(most <= 15);
    CHECK(seed == (2 + 17) * 17 * 17);
}

TEST_CASE("multigrid is as quick in boxes of any size", "[physics]") {
    for (const Triple& n : {Triple{64, 64, 1},
                            {63, 63, 1},
                            {65, 65, 1},
                            {127, 33, 1},
                            {96, 37, 1},
                            {200, 50, 1},
                            {32, 32, 32},
                            {33, 31, 29},
                            {17, 40, 9},
                            {16, 64, 16}}) {
        if (sanitized && n[2] > 9) {
            continue;
        }
        for (const int flow :
             {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_PERIODIC, STABLE_FLUIDS_OUTFLOW}) {
            Plan plan(n, 0.1f);
            plan.all(flow);
            plan.d.tolerance = 1e-4f;
            const int cycles = check_divergence(plan, 91, name_of_flow(flow));
            INFO(name_of_size(n) << ", " << name_of_flow(flow));
            CHECK(cycles <= 15);
        }
    }
}

TEST_CASE("flat, thin and tiny boxes", "[physics]") {
    for (const Triple& n : {Triple{1000, 3, 1},
                            {3, 1000, 1},
                            {1, 40, 1},
                            {40, 1, 1},
                            {1, 1, 1},
                            {2, 1, 1},
                            {1, 2, 1},
                            {2, 2, 1},
                            {3, 1, 2},
                            {1, 1, 2},
                            {1, 1, 17},
                            {1, 3, 200},
                            {2, 2, 2},
                            {300, 2, 2}}) {
        for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_FREE_SLIP,
                               STABLE_FLUIDS_PERIODIC, STABLE_FLUIDS_OUTFLOW}) {
            INFO(name_of_size(n) << ", " << name_of_flow(flow));
            Plan plan(n, 0.1f);
            plan.all(flow);
            plan.d.tolerance = 1e-4f;
            plan.d.cycles = 200;
            check_divergence(plan, 101, name_of_flow(flow));
            plan.d.viscosity = 0.01f;
            plan.d.advection = STABLE_FLUIDS_MACCORMACK;
            plan.scalar().diffusion = 0.02f;
            plan.scalars.back().initial = 1.5f;
            Fluid fluid(plan);
            make_bumpy(fluid, 0, 102);
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                fluid.set(force(axis), bumpy(fluid.shape(force(axis)), 103));
            }
            fluid.step(0.2, 4);
            const stable_fluids_statistics statistics = fluid.statistics();
            CHECK(statistics.pressure_residual <= 1e-4);
            CHECK(std::isfinite(statistics.kinetic_energy));
            const Field scalar = fluid.read(STABLE_FLUIDS_SCALAR(0));
            check_close("a scalar that is the same everywhere stays so", scalar,
                        Field(scalar.n, 1.5f), 1e-3);
        }
    }
}

// ---- A whole flow ------------------------------------------------------------------------------

namespace {

/// The cubic through the four points around x, of values that lie at `places`.
double cubic(const std::vector<double>& places, const std::vector<double>& values, double x) {
    std::size_t first = 0;
    while (first + 4 < places.size() && places[first + 2] < x) {
        ++first;
    }
    double sum = 0.0;
    for (std::size_t i = first; i < first + 4; ++i) {
        double product = values[i];
        for (std::size_t j = first; j < first + 4; ++j) {
            product *= j == i ? 1.0 : (x - places[j]) / (places[i] - places[j]);
        }
        sum += product;
    }
    return sum;
}

}  // namespace

// Ghia, Ghia and Shin's table is itself some way from the truth: at 129 x 129 their lowest v is
// -0.24533, where a spectral method finds -0.25380 (Botella and Peyret 1998). So the bound on its
// values is 0.01: their 0.0085 and a little of ours. One of them, u at 0.0703, lies 0.0013 beside
// the curve through its neighbours, perhaps a slip of the pen; the bound hides that, too. What a
// grid of 64 x 64 and a dt of 0.4 h can do, by second order in h and first in dt, the spectral
// extremes show: 0.004, so the bound on these is 0.005. On half the grid it is four times that.
TEST_CASE("the lid-driven cavity at Re 100 is Ghia, Ghia and Shin's", "[physics][cavity]") {
    const int n = sanitized ? 32 : 64;
    Plan plan({n, n, 1}, 1.0f / static_cast<float>(n));
    plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_NO_SLIP,
              {1.0f, 0.0f, 0.0f});  // y towards the lid
    plan.d.viscosity = 0.01f;
    plan.d.advection = STABLE_FLUIDS_MACCORMACK;
    plan.d.tolerance = 1e-4f;
    Fluid fluid(plan);
    const double dt = 0.4 / n;
    fluid.step(dt, 20 * n);  // 8 seconds from rest
    Field before = fluid.read(STABLE_FLUIDS_U);
    fluid.step(dt, 30 * n);  // 12 more
    const Field u = fluid.read(STABLE_FLUIDS_U);
    const Field v = fluid.read(STABLE_FLUIDS_V);
    INFO("8 seconds are on the way to the steady flow, and 20 are there");
    CHECK(distance(u, before) < 0.02);
    std::vector<double> places = {0.0};
    std::vector<double> down = {0.0};
    std::vector<double> right = {0.0};
    for (int at = 0; at < n; ++at) {
        places.push_back((at + 0.5) / n);
        down.push_back(static_cast<double>(u(n / 2, at, 0)));
        right.push_back(static_cast<double>(v(at, n / 2, 0)));
    }
    places.push_back(1.0);
    down.push_back(1.0);
    right.push_back(0.0);
    int rows = 0;
    double worst = 0.0;
    std::string where;
    for (const std::vector<std::string>& words : reference_rows("ghia_1982_re100.csv")) {
        const double place = std::stod(words[1]);
        const double expected = std::stod(words[2]);
        const double found = cubic(places, words[0] == "u" ? down : right, place);
        UNSCOPED_INFO(words[0] << " at " << words[1] << ": " << found << ", Ghia has " << words[2]);
        ++rows;
        if (std::abs(found - expected) > worst) {
            worst = std::abs(found - expected);
            where = words[0] + " at " + words[1];
        }
    }
    REQUIRE(rows == 34);
    INFO("furthest from Ghia: " << where << ", by " << worst);
    CHECK(worst < 0.01);
    const auto lowest = [](const std::vector<double>& values) {
        return *std::min_element(values.begin(), values.end());
    };
    const double spectral = sanitized ? 0.02 : 0.005;
    CHECK_THAT(lowest(down), WithinAbs(-0.2140424, spectral));
    CHECK_THAT(lowest(right), WithinAbs(-0.2538030, spectral));
    CHECK_THAT(*std::max_element(right.begin(), right.end()), WithinAbs(0.1795728, spectral));
}

TEST_CASE("a million steps of five cells each stay finite", "[long]") {
    for (const bool deep : {false, true}) {
        for (const auto& [advection, splitting] :
             {std::pair(STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_LIE),
              std::pair(STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_LIE),
              std::pair(STABLE_FLUIDS_MACCORMACK, STABLE_FLUIDS_STRANG)}) {
            INFO((deep ? "3D, " : "2D, ")
                 << name_of_advection(advection) << ", splitting " << splitting);
            Plan plan(deep ? Triple{6, 5, 4} : Triple{8, 8, 1}, 0.125f);
            plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_NO_SLIP, {1.0f, 0.0f, 0.0f});
            plan.d.advection = advection;
            plan.d.splitting = splitting;
            plan.d.tolerance = 1e-2f;
            plan.scalar();
            Fluid fluid(plan);
            make_bumpy(fluid, 1, 111);
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                fluid.set(force(axis), bumpy(fluid.shape(force(axis)), 112));
            }
            // A million in the smallest; the others show that they are no worse.
            const bool million = !deep && advection == STABLE_FLUIDS_LINEAR;
            const int rounds = sanitized ? 10 : million ? 1000 : 100;
            const int steps = sanitized ? 20 : million ? 1000 : 300;
            double fastest = fluid.statistics().largest_speed;
            for (int round = 0; round < rounds; ++round) {
                fluid.step(5.0 * 0.125 / fastest, steps);
                fastest = fluid.statistics().largest_speed;
                REQUIRE(std::isfinite(fastest));
                REQUIRE(fastest < 1e3);
                REQUIRE(fastest > 0.0);
            }
            INFO("what is only carried is where it was: between -1 and 1");
            CHECK(largest(fluid.read(STABLE_FLUIDS_SCALAR(0))) <= 1.0 + 1e-5);
            CHECK(fluid.statistics().steps == static_cast<std::int64_t>(rounds) * steps);
        }
    }
}
