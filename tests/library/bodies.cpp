// The force and the torque of the fluid on each body: known ones, those of flows with a symmetry,
// and what two bodies have to do with each other.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "solids_in_box.hpp"

namespace {

using namespace fluid_box;

using Vector = std::array<double, 3>;

double part(const Vector& vector, int axis) {
    return vector[static_cast<std::size_t>(axis)];
}

/// Names bodies: `label(i, j, k)` is that of a cell.
template <class Label>
void set_bodies(const Fluid& fluid, const Label& label) {
    std::vector<std::int32_t> labels;
    for_each(fluid.shape(STABLE_FLUIDS_PRESSURE),
             [&](int i, int j, int k) { labels.push_back(label(i, j, k)); });
    INFO(stable_fluids_error(fluid.handle()));
    REQUIRE(stable_fluids_set_bodies(fluid.handle(), labels.data(), labels.size()) ==
            STABLE_FLUIDS_OK);
}

struct Forces {
    Vector force, torque;  ///< of pressure and friction
    Vector friction;
};

Forces forces_on(const Fluid& fluid, int body, const Vector& pivot) {
    stable_fluids_forces found = {};
    found.size = sizeof found;
    INFO(stable_fluids_error(fluid.handle()));
    REQUIRE(stable_fluids_forces_on(fluid.handle(), body, pivot.data(), &found) ==
            STABLE_FLUIDS_OK);
    Forces both = {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        both.force[axis] = found.pressure[axis] + found.friction[axis];
        both.torque[axis] = found.pressure_torque[axis] + found.friction_torque[axis];
        both.friction[axis] = found.friction[axis];
    }
    return both;
}

Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A point with these coordinates along a, b and c.
Vector point(const Roles& roles, double along, double across, double beside) {
    Vector found = {};
    found[static_cast<std::size_t>(roles.a)] = along;
    found[static_cast<std::size_t>(roles.b)] = across;
    if (roles.deep) {
        found[static_cast<std::size_t>(roles.c)] = beside;
    }
    return found;
}

Distance nearest(Distance one, Distance two) {
    return [=](double x, double y, double z) { return std::min(one(x, y, z), two(x, y, z)); };
}

/// Two balls of different sizes, and the number of the nearer one for each cell.
struct TwoBalls {
    Vector centre[2];
    double radius[2];
    bool deep;

    Distance distance() const {
        return nearest(ball(centre[0], radius[0], deep), ball(centre[1], radius[1], deep));
    }
    /// The number of the ball that is nearer to a place.
    int nearest_to(const Vector& p) const {
        return ball(centre[0], radius[0], deep)(p[0], p[1], p[2]) <
                       ball(centre[1], radius[1], deep)(p[0], p[1], p[2])
                   ? 0
                   : 1;
    }
    int label(const Fluid& fluid, int i, int j, int k) const {
        return nearest_to({(i + 0.5) * fluid.h(), (j + 0.5) * fluid.h(), (k + 0.5) * fluid.h()});
    }
    void put_in(const Fluid& fluid) const {
        set_solid(fluid, distance());
        set_bodies(fluid, [&](int i, int j, int k) { return label(fluid, i, j, k); });
    }
};

/// In a box of 20 x 14 (x 12) cells of a quarter of a metre.
TwoBalls two_balls(const Roles& roles) {
    return {{point(roles, 1.4, 1.3, 1.6), point(roles, 3.55, 2.05, 1.2)}, {0.71, 0.92}, roles.deep};
}

}  // namespace

TEST_CASE("at rest, each body is as light as the fluid that it displaces", "[bodies]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan(roles.size(20, 14, 12), 0.25f);
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const TwoBalls balls = two_balls(roles);
        balls.put_in(fluid);
        const double gravity = -9.81;
        fluid.set(force(roles.b), static_cast<float>(gravity));
        fluid.step(0.01, 2);
        const Field open = fluid.read(fraction(roles.b));
        for (const int body : {0, 1}) {
            INFO("body " << body);
            const Vector pivot = point(roles, 0.3, 0.1, 0.2);
            // The weight of what the closed shares of the faces cut out, and its torque.
            double volume = 0.0;
            Vector torque = {};
            for_each(open.n, [&](int i, int j, int k) {
                const Vector place = {(i + (roles.b == 0 ? 0.0 : 0.5)) * fluid.h(),
                                      (j + (roles.b == 1 ? 0.0 : 0.5)) * fluid.h(),
                                      (k + (roles.b == 2 ? 0.0 : 0.5)) * fluid.h()};
                const double share = 1.0 - static_cast<double>(open(i, j, k));
                if (balls.nearest_to(place) == body) {
                    Vector lift = {};
                    const double size = std::pow(fluid.h(), fluid.axes()) * share;
                    lift[static_cast<std::size_t>(roles.b)] = -gravity * size;
                    const Vector turns = cross(
                        {place[0] - pivot[0], place[1] - pivot[1], place[2] - pivot[2]}, lift);
                    volume += size;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        torque[axis] += turns[axis];
                    }
                }
            });
            const double radius = balls.radius[body];
            CHECK_THAT(volume, Catch::Matchers::WithinRel(
                                   roles.deep ? 4.0 / 3.0 * M_PI * std::pow(radius, 3)
                                              : M_PI * radius * radius,
                                   0.06));
            const Forces found = forces_on(fluid, body, pivot);
            for (int axis = 0; axis < 3; ++axis) {
                const double lift = axis == roles.b ? -gravity * volume : 0.0;
                CHECK_THAT(part(found.force, axis), WithinAbs(lift, -gravity * volume * 1e-4));
                if (roles.deep || axis == 2) {
                    CHECK_THAT(part(found.torque, axis),
                               WithinAbs(part(torque, axis), -gravity * volume * 1e-3));
                } else {
                    CHECK(part(found.torque, axis) == 0.0);
                }
            }
        }
    }
}

TEST_CASE("what acts on the bodies adds up to what acts on all solids", "[bodies]") {
    for (const Roles& roles : all_roles()) {
        for (const int splitting :
             {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
            INFO(roles.name() << ", splitting " << splitting);
            Plan plan(roles.size(20, 14, 12), 0.25f);
            plan.pair(roles.a, STABLE_FLUIDS_PERIODIC);
            plan.face(high_face(roles.b), STABLE_FLUIDS_OUTFLOW);
            plan.d.viscosity = 0.03f;
            plan.d.splitting = splitting;
            const auto stirred = [&] {
                Fluid fluid(plan);
                two_balls(roles).put_in(fluid);
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 7u));
                    fluid.set(solid_velocity(axis), 0.1f * static_cast<float>(1 + axis));
                }
                fluid.step(0.05, 4);
                return fluid;
            };
            Fluid fluid = stirred();
            const stable_fluids_statistics all = fluid.statistics();
            const Forces one = forces_on(fluid, 0, {});
            const Forces two = forces_on(fluid, 1, {});
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                INFO("along " << name_of_axis(axis));
                CHECK(std::abs(part(one.friction, axis)) > 5e-4);
                CHECK(std::abs(part(two.force, axis)) > 1e-3);
                CHECK_THAT(part(one.force, axis) + part(two.force, axis),
                           WithinAbs(all.solid_force[axis], 1e-5));
            }
            // What is set afterwards changes nothing of the last step, whether or not somebody has
            // asked before.
            Fluid asked_late = stirred();
            for (Fluid* later : {&fluid, &asked_late}) {
                set_solid(*later, ball({1.0, 1.0, 1.0}, 0.5, roles.deep));
                later->set(component(roles.a), 0.25f);
                const Forces found = forces_on(*later, 0, {});
                CHECK(found.force == one.force);
                CHECK(found.torque == one.torque);
            }
        }
    }
}

TEST_CASE("beside a mirror, there is no lift and no torque, and two bodies push alike",
          "[bodies]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan(roles.size(24, 16, 8), 0.125f);
        plan.pair(roles.a, STABLE_FLUIDS_PERIODIC).pair(roles.b, STABLE_FLUIDS_FREE_SLIP);
        plan.pair(roles.c, STABLE_FLUIDS_FREE_SLIP);
        plan.d.viscosity = 0.02f;
        plan.d.tolerance = 1e-6f;
        for (const bool is_pair : {false, true}) {
            INFO((is_pair ? "two" : "one"));
            const Vector centre = point(roles, 1.2, 1.0, 0.5);
            const TwoBalls balls = {{point(roles, 1.2, 0.6, 0.5), point(roles, 1.2, 1.4, 0.5)},
                                    {0.21, 0.21},
                                    roles.deep};
            Fluid fluid(plan);
            set_solid(fluid, is_pair ? balls.distance() : ball(centre, 0.31, roles.deep));
            set_bodies(fluid, [&](int i, int j, int k) {
                return is_pair ? balls.label(fluid, i, j, k) : 0;
            });
            fluid.set(component(roles.a), 1.0f);
            fluid.step(0.05, 10);
            const Forces one = forces_on(fluid, 0, is_pair ? balls.centre[0] : centre);
            const Forces two = is_pair ? forces_on(fluid, 1, balls.centre[1]) : one;
            const double drag = part(one.force, roles.a);
            const int around = 3 - roles.a - roles.b;
            CHECK(drag > 0.01);
            CHECK(part(one.friction, roles.a) > 0.1 * drag);
            CHECK_THAT(part(two.force, roles.a), WithinAbs(drag, 1e-4 * drag));
            CHECK_THAT(part(two.force, roles.b) + part(one.force, roles.b),
                       WithinAbs(0.0, 1e-4 * drag));
            CHECK_THAT(part(two.torque, around) + part(one.torque, around),
                       WithinAbs(0.0, 1e-4 * drag));
            if (is_pair) {  // the gap between them is another one than that at the walls
                CHECK(std::abs(part(one.torque, around)) > 2e-4 * drag);
            }
        }
    }
}

TEST_CASE("a ball that turns in a round wall: torques as they must be, and action is reaction",
          "[bodies][steady]") {
    for (const Roles& roles : all_roles()) {
        if (roles.a > roles.b) {
            continue;
        }
        INFO(roles.name());
        const int n = 24;
        const double inner = 0.19;
        const double outer = 0.43;
        const double speed = 1e-3;  // of turning, from a to b
        const Vector middle = point(roles, 0.51, 0.48, 0.53);
        Plan plan(roles.size(n, n, n), 1.0f / n);
        plan.d.viscosity = 1.0f;
        plan.d.tolerance = 1e-6f;
        Fluid fluid(plan);
        const auto radius = [&](double x, double y, double z) {
            return ball(middle, 0.0, roles.deep)(x, y, z);
        };
        set_solid(fluid, [&](double x, double y, double z) {
            return std::min(radius(x, y, z) - inner, outer - radius(x, y, z));
        });
        set_bodies(fluid, [&](int i, int j, int k) {
            const double r = radius((i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n);
            return r < inner ? 0 : r > outer ? 1 : -1;
        });
        for (const int axis : {roles.a, roles.b}) {
            fluid.fill(solid_velocity(axis), [&](int i, int j, int k) {
                const Vector at = {(i + (axis == 0 ? 0.0 : 0.5)) / n,
                                   (j + (axis == 1 ? 0.0 : 0.5)) / n,
                                   (k + (axis == 2 ? 0.0 : 0.5)) / n};
                const int other = axis == roles.a ? roles.b : roles.a;
                const double arm = part(at, other) - part(middle, other);
                return radius(at[0], at[1], at[2]) > 0.3 ? 0.0
                       : axis == roles.a                 ? -speed * arm
                                                         : speed * arm;
            });
        }
        fluid.step(0.5, 4);
        // Between balls, the velocity is a + b / r^3 times the arm; between disks, a + b / r^2.
        const double power = roles.deep ? 3.0 : 2.0;
        const double expected = (roles.deep ? 8.0 : 4.0) * M_PI * speed /
                                (std::pow(inner, -power) - std::pow(outer, -power));
        const int around = 3 - roles.a - roles.b;
        // From x to y, from y to z and from z to x are what turns in the positive sense.
        const double sign = (roles.a + 1) % 3 == roles.b ? 1.0 : -1.0;
        const double on_ball = sign * part(forces_on(fluid, 0, middle).torque, around);
        const double on_wall = sign * part(forces_on(fluid, 1, middle).torque, around);
        CHECK_THAT(on_ball, Catch::Matchers::WithinRel(-expected, 0.05));
        CHECK_THAT(on_wall, Catch::Matchers::WithinRel(expected, 0.09));
        CHECK_THAT(on_ball + on_wall, WithinAbs(0.0, 0.05 * expected));
    }
}

TEST_CASE("a body across joined faces is the body in the middle", "[bodies]") {
    for (const Roles& roles : all_roles()) {
        INFO(roles.name());
        Plan plan = channel(roles, roles.size(16, 11, 8), 0.1f);
        const auto found = [&](double along) {
            Fluid fluid(plan);
            const Vector centre = point(roles, along, 0.93, 1.0);
            const double length = 16 * fluid.h();
            set_solid(fluid, [&](double x, double y, double z) {
                Vector at = {x, y, z};
                double& place = at[static_cast<std::size_t>(roles.a)];
                place = centre[static_cast<std::size_t>(roles.a)] +
                        std::remainder(place - centre[static_cast<std::size_t>(roles.a)], length);
                return ball(centre, 0.6, roles.deep)(at[0], at[1], at[2]);
            });
            set_bodies(fluid, [](int, int, int) { return 0; });
            fluid.set(force(roles.a), 1.0f);
            fluid.step(0.1, 5);
            return forces_on(fluid, 0, centre);
        };
        const Forces middle = found(2.0);
        const Forces across = found(0.0);
        CHECK(part(middle.force, roles.a) > 0.1);
        for (int axis = 0; axis < 3; ++axis) {
            CHECK_THAT(part(across.force, axis), WithinAbs(part(middle.force, axis), 2e-4));
            CHECK_THAT(part(across.torque, axis), WithinAbs(part(middle.torque, axis), 2e-4));
        }
    }
}

TEST_CASE("cells without a label get that of the nearest one", "[bodies]") {
    for (const Triple& n : {Triple{20, 14, 1}, {20, 14, 12}}) {
        INFO(name_of_size(n));
        const Roles roles = {0, 1, 2, n[2] > 1};
        Plan plan(n, 0.25f);
        plan.d.viscosity = 0.05f;
        Fluid fluid(plan);
        const TwoBalls balls = two_balls(roles);
        const auto step = [&] {
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 3u));
            }
            fluid.step(0.1, 2);
        };
        balls.put_in(fluid);
        step();
        const Forces all[2] = {forces_on(fluid, 0, {}), forces_on(fluid, 1, {})};
        set_bodies(fluid, [&](int i, int j, int k) {
            const int body = balls.label(fluid, i, j, k);
            const double h = fluid.h();
            const bool inside = balls.distance()((i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h) < 0.0;
            return inside ? body : -1;
        });
        step();
        for (const int body : {0, 1}) {
            const Forces found = forces_on(fluid, body, {});
            CHECK(found.force == all[body].force);
            CHECK(found.torque == all[body].torque);
        }
    }
}

TEST_CASE("bodies make no difference to the flow, and take memory for it only if it is viscous",
          "[bodies]") {
    for (const float viscosity : {0.0f, 0.05f}) {
        Plan plan({20, 14, 1}, 0.25f);
        plan.d.viscosity = viscosity;
        Fluid with(plan);
        Fluid without(plan);
        const TwoBalls balls = two_balls({0, 1, 2, false});
        set_solid(without, balls.distance());
        balls.put_in(with);
        const std::uint64_t more = with.statistics().bytes - without.statistics().bytes;
        CHECK((more > 0) == (viscosity > 0.0f));
        for (Fluid* fluid : {&with, &without}) {
            fluid->set(STABLE_FLUIDS_U, bumpy(fluid->shape(STABLE_FLUIDS_U), 1u));
            fluid->step(0.1, 3);
        }
        CHECK(same_bytes(with.read(STABLE_FLUIDS_U), without.read(STABLE_FLUIDS_U)));
        CHECK(same_bytes(with.read(STABLE_FLUIDS_PRESSURE), without.read(STABLE_FLUIDS_PRESSURE)));
        balls.put_in(with);  // once more takes no more
        CHECK(with.statistics().bytes - without.statistics().bytes == more);
        REQUIRE(stable_fluids_set_bodies(with.handle(), nullptr, 0) == STABLE_FLUIDS_OK);
        CHECK(with.statistics().bytes == without.statistics().bytes);
    }
}

TEST_CASE("forces that nobody knows are refused, and labels that are none", "[bodies]") {
    Plan plan({6, 5, 1});
    Fluid fluid(plan);
    stable_fluids* const handle = fluid.handle();
    stable_fluids_forces forces = {};
    forces.size = sizeof forces;
    const double pivot[3] = {};
    const auto refused = [&](stable_fluids_status status, const std::string& words) {
        INFO(stable_fluids_error(handle));
        CHECK(status == STABLE_FLUIDS_INVALID);
        CHECK(std::string(stable_fluids_error(handle)).find(words) != std::string::npos);
    };
    const auto ask = [&](int body) {
        return stable_fluids_forces_on(handle, body, pivot, &forces);
    };
    refused(ask(0), "no body 0");
    std::vector<std::int32_t> labels(30, -1);
    refused(stable_fluids_set_bodies(handle, labels.data(), 29), "30 cells, not 29");
    for (const std::int32_t wrong : {-2, 65536}) {
        labels[8] = wrong;
        refused(stable_fluids_set_bodies(handle, labels.data(), 30),
                "the label at i = 2, j = 1 is " + std::to_string(wrong));
    }
    refused(ask(0), "no body 0");
    labels[8] = 3;
    REQUIRE(stable_fluids_set_bodies(handle, labels.data(), 30) == STABLE_FLUIDS_OK);
    refused(ask(3), "make a step");
    fluid.step(0.1);
    CHECK(ask(3) == STABLE_FLUIDS_OK);
    refused(ask(4), "no body 4");
    refused(ask(-1), "no body -1");
    std::size_t size = 0;
    REQUIRE(stable_fluids_state_size(handle, &size) == STABLE_FLUIDS_OK);
    std::vector<unsigned char> state(size);
    REQUIRE(stable_fluids_get_state(handle, state.data(), size) == STABLE_FLUIDS_OK);
    REQUIRE(stable_fluids_set_state(handle, state.data(), size) == STABLE_FLUIDS_OK);
    refused(ask(3), "make a step");
    fluid.step(0.1);
    CHECK(ask(3) == STABLE_FLUIDS_OK);
    const double far[3] = {0.0, std::numeric_limits<double>::infinity(), 0.0};
    refused(stable_fluids_forces_on(handle, 3, far, &forces), "the pivot");
    refused(stable_fluids_forces_on(handle, 3, nullptr, &forces), "the pivot");
    refused(stable_fluids_forces_on(handle, 3, pivot, nullptr), "sizeof forces");
    forces.size -= 8;
    refused(ask(3), "sizeof forces");
    REQUIRE(stable_fluids_set_solid(handle, nullptr, 0) == STABLE_FLUIDS_OK);
    forces.size = sizeof forces;
    refused(ask(3), "no body 3");
}
