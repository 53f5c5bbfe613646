// What the library behind stable_fluids.h promises of its functions: what is set is read, what is
// read begins anew bit for bit, what is wrong is said. Host and device run the same tests.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numbers>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "fluid_box.hpp"

namespace {

using namespace fluid_box;

/// A box in which everything happens at once.
Plan busy_plan(const Triple& n) {
    Plan plan(n, 0.25f);
    plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.5f, 0.0f, 0.0f});
    plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.2f);
    plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_NO_SLIP, {0.5f, 0.0f, 0.0f});
    plan.pair(2, STABLE_FLUIDS_PERIODIC);
    plan.d.viscosity = 0.01f;
    plan.d.advection = STABLE_FLUIDS_MACCORMACK;
    plan.scalar().diffusion = 0.02f;
    plan.scalars.back().faces[STABLE_FLUIDS_LEFT] = {STABLE_FLUIDS_FIXED_VALUE, 1.0f};
    plan.scalar().dissipation = 0.1f;
    plan.scalars.back().initial = 0.5f;
    plan.buoyancy = {{0.5f, 0.25f}, {-0.25f, 0.0f}};
    plan.d.confinement = 0.5f;
    return plan;
}

void stir(Fluid& fluid, int scalars) {
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const auto seed = static_cast<std::uint32_t>(axis);
        fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 1 + seed));
        fluid.set(force(axis), bumpy(fluid.shape(force(axis)), 11 + seed));
    }
    fluid.set(STABLE_FLUIDS_EXPANSION, bumpy(fluid.shape(STABLE_FLUIDS_EXPANSION), 41));
    for (int n = 0; n < scalars; ++n) {
        const auto seed = static_cast<std::uint32_t>(n);
        fluid.set(STABLE_FLUIDS_SCALAR(n), bumpy(fluid.shape(STABLE_FLUIDS_SCALAR(n)), 21 + seed));
        fluid.set(STABLE_FLUIDS_SOURCE(n), bumpy(fluid.shape(STABLE_FLUIDS_SOURCE(n)), 31 + seed));
    }
}

void check_same_bytes(const std::vector<Field>& found, const std::vector<Field>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
        INFO("field " << at << " of what is carried from step to step");
        CHECK(same_bytes(found[at], expected[at]));
    }
}

/// What all fields of this fluid are called in the header.
std::vector<int> fields_of(const Plan& plan) {
    std::vector<int> fields = {
        STABLE_FLUIDS_U,          STABLE_FLUIDS_V,         STABLE_FLUIDS_FORCE_X,
        STABLE_FLUIDS_FORCE_Y,    STABLE_FLUIDS_PRESSURE,  STABLE_FLUIDS_DIVERGENCE,
        STABLE_FLUIDS_SPEED,      STABLE_FLUIDS_VORTICITY, STABLE_FLUIDS_VORTICITY_Z,
        STABLE_FLUIDS_EXPANSION,  STABLE_FLUIDS_FRACTION,  STABLE_FLUIDS_FRACTION_X,
        STABLE_FLUIDS_FRACTION_Y, STABLE_FLUIDS_SOLID_U,   STABLE_FLUIDS_SOLID_V};
    if (plan.deep()) {
        fields.insert(fields.end(),
                      {STABLE_FLUIDS_W, STABLE_FLUIDS_FORCE_Z, STABLE_FLUIDS_VORTICITY_X,
                       STABLE_FLUIDS_VORTICITY_Y, STABLE_FLUIDS_FRACTION_Z, STABLE_FLUIDS_SOLID_W});
    }
    for (int n = 0; n < static_cast<int>(plan.scalars.size()); ++n) {
        fields.push_back(STABLE_FLUIDS_SCALAR(n));
        fields.push_back(STABLE_FLUIDS_SOURCE(n));
    }
    return fields;
}

bool is_of_solid(int field) {
    return field >= STABLE_FLUIDS_FRACTION && field <= STABLE_FLUIDS_SOLID_W;
}

/// Values that a field may be set to: for a fraction, from 0.1 to 0.5.
Field some_values(const Fluid& fluid, int field, std::uint32_t seed) {
    Field values = bumpy(fluid.shape(field), seed);
    for (float& value : values.values) {
        if (field >= STABLE_FLUIDS_FRACTION && field <= STABLE_FLUIDS_FRACTION_Z) {
            value = 0.1f + 0.4f * std::min(std::abs(value), 1.0f);
        }
    }
    return values;
}

}  // namespace

// ---- Fields, there and back --------------------------------------------------------------------

TEST_CASE("the library is the header's", "[interface]") {
    CHECK(stable_fluids_version() == 10000 * STABLE_FLUIDS_VERSION_MAJOR +
                                         100 * STABLE_FLUIDS_VERSION_MINOR +
                                         STABLE_FLUIDS_VERSION_PATCH);
}

TEST_CASE("a description begins with what the header says", "[interface]") {
    stable_fluids_description d;
    std::memset(&d, 0xa5, sizeof d);
    stable_fluids_describe(&d);
    CHECK(d.size == sizeof d);
    CHECK((d.nx == 64 && d.ny == 64 && d.nz == 1));
    CHECK(d.h == 1.0f / 64.0f);
    CHECK(d.viscosity == 0.0f);
    CHECK(d.advection == STABLE_FLUIDS_LINEAR);
    CHECK(d.tolerance == 1e-4f);
    CHECK(d.cycles == 50);
    CHECK(d.scalar_count == 0);
    CHECK(d.backend == STABLE_FLUIDS_BEST);
    CHECK(d.threads == 0);
    CHECK(d.buoyancy == nullptr);
    CHECK((d.buoyancy_direction[0] == 0.0f && d.buoyancy_direction[1] == -1.0f &&
           d.buoyancy_direction[2] == 0.0f));
    CHECK(d.confinement == 0.0f);
    CHECK(d.splitting == STABLE_FLUIDS_LIE);
    CHECK(d.scalar_size == sizeof(stable_fluids_scalar));
    CHECK(d.buoyancy_size == sizeof(stable_fluids_buoyancy));
    for (const stable_fluids_face& face : d.faces) {
        CHECK(face.flow == STABLE_FLUIDS_NO_SLIP);
        CHECK((face.u == 0.0f && face.v == 0.0f && face.w == 0.0f && face.pressure == 0.0f));
    }
    stable_fluids_scalar s;
    std::memset(&s, 0xa5, sizeof s);
    stable_fluids_describe_scalar(&s);
    CHECK((s.diffusion == 0.0f && s.dissipation == 0.0f && s.initial == 0.0f && s.conserve == 0));
    CHECK((s.solid.flow == STABLE_FLUIDS_ZERO_FLUX && s.solid.value == 0.0f));
    for (const stable_fluids_scalar_face& face : s.faces) {
        CHECK((face.flow == STABLE_FLUIDS_ZERO_FLUX && face.value == 0.0f));
    }
    stable_fluids_describe(nullptr);
    stable_fluids_describe_scalar(nullptr);
    stable_fluids_destroy(nullptr);
}

TEST_CASE("a fluid begins at rest, with its scalars as described", "[interface]") {
    for (const Triple& n : {Triple{5, 4, 1}, {5, 4, 3}}) {
        Plan plan = busy_plan(n);
        const Fluid fluid(plan);
        const Field u = fluid.read(STABLE_FLUIDS_U);
        check_close("u, but for the inflow", u,
                    made(u.n, [](int i, int, int) { return i == 0 ? 0.5 : 0.0; }), 0.0);
        CHECK(largest(fluid.read(STABLE_FLUIDS_V)) == 0.0);
        CHECK(largest(fluid.read(STABLE_FLUIDS_PRESSURE)) == 0.0);
        CHECK(largest(fluid.read(STABLE_FLUIDS_FORCE_X)) == 0.0);
        CHECK(largest(fluid.read(STABLE_FLUIDS_SOURCE(0))) == 0.0);
        check_close("scalar 1", fluid.read(STABLE_FLUIDS_SCALAR(1)), Field(n, 0.5f), 0.0);
        check_close("no solid", fluid.read(STABLE_FLUIDS_FRACTION), Field(n, 1.0f), 0.0);
        check_close("nor on faces", fluid.read(STABLE_FLUIDS_FRACTION_X), Field(u.n, 1.0f), 0.0);
        CHECK(largest(fluid.read(STABLE_FLUIDS_SOLID_V)) == 0.0);
        const stable_fluids_statistics statistics = fluid.statistics();
        CHECK(statistics.steps == 0);
        CHECK(statistics.time == 0.0);
    }
}

TEST_CASE("fields have the shapes of their places", "[interface]") {
    const Plan plan = busy_plan({7, 5, 3});
    Fluid fluid(plan);
    CHECK(fluid.shape(STABLE_FLUIDS_U) == Triple{8, 5, 3});
    CHECK(fluid.shape(STABLE_FLUIDS_V) == Triple{7, 6, 3});
    CHECK(fluid.shape(STABLE_FLUIDS_W) == Triple{7, 5, 4});
    CHECK(fluid.shape(STABLE_FLUIDS_FORCE_X) == Triple{8, 5, 3});
    CHECK(fluid.shape(STABLE_FLUIDS_FORCE_Y) == Triple{7, 6, 3});
    CHECK(fluid.shape(STABLE_FLUIDS_FORCE_Z) == Triple{7, 5, 4});
    for (int field = STABLE_FLUIDS_PRESSURE; field <= STABLE_FLUIDS_VORTICITY_Z; ++field) {
        CHECK(fluid.shape(field) == Triple{7, 5, 3});
    }
    CHECK(fluid.shape(STABLE_FLUIDS_FRACTION) == Triple{7, 5, 3});
    for (int axis = 0; axis < 3; ++axis) {
        CHECK(fluid.shape(STABLE_FLUIDS_FRACTION_X + axis) == fluid.shape(component(axis)));
        CHECK(fluid.shape(STABLE_FLUIDS_SOLID_U + axis) == fluid.shape(component(axis)));
    }
    CHECK(fluid.shape(STABLE_FLUIDS_SCALAR(1)) == Triple{7, 5, 3});
    CHECK(fluid.shape(STABLE_FLUIDS_SOURCE(1)) == Triple{7, 5, 3});
    Fluid flat(busy_plan({7, 5, 1}));
    CHECK(flat.shape(STABLE_FLUIDS_U) == Triple{8, 5, 1});
    CHECK(flat.shape(STABLE_FLUIDS_V) == Triple{7, 6, 1});
    std::int32_t shape[3];
    for (const int missing :
         {int{STABLE_FLUIDS_W}, int{STABLE_FLUIDS_FORCE_Z}, int{STABLE_FLUIDS_VORTICITY_X},
          int{STABLE_FLUIDS_VORTICITY_Y}, int{STABLE_FLUIDS_FRACTION_Z}, int{STABLE_FLUIDS_SOLID_W},
          -1, 21, 99, STABLE_FLUIDS_SCALAR(2), STABLE_FLUIDS_SCALAR(64), STABLE_FLUIDS_SOURCE(2),
          300, 2147483647, -2147483647}) {
        INFO("a flat fluid with two scalars has no field " << missing);
        CHECK(stable_fluids_shape(flat.handle(), missing, shape) == STABLE_FLUIDS_INVALID);
    }
}

TEST_CASE("what is set is read, what is added is added, and walls keep what is theirs",
          "[interface]") {
    for (const Triple& n : {Triple{6, 5, 1}, {4, 5, 3}}) {
        const Plan plan = busy_plan(n);
        Fluid fluid(plan);
        std::uint32_t seed = 0;
        for (const int field : fields_of(plan)) {
            if (field >= STABLE_FLUIDS_PRESSURE && field <= STABLE_FLUIDS_VORTICITY_Z) {
                continue;
            }
            INFO(name_of_size(n) << ", " << name_of_field(field));
            const Field values = some_values(fluid, field, ++seed);
            const Field more = some_values(fluid, field, ++seed + 100);
            // What the walls make of it: inflow on the left, nothing through the top and the
            // bottom, and the front and the back are the same places.
            const auto expected = [&](const Field& given) {
                return made(given.n, [&](int i, int j, int k) {
                    if (field == STABLE_FLUIDS_U && i == 0) {
                        return 0.5f;
                    }
                    if (field == STABLE_FLUIDS_V && (j == 0 || j == n[1])) {
                        return 0.0f;
                    }
                    return field == STABLE_FLUIDS_W && k == n[2] ? given(i, j, 0) : given(i, j, k);
                });
            };
            fluid.set(field, values);
            check_close("as set", fluid.read(field), expected(values), 0.0);
            fluid.add(field, more);
            Field sum = values;
            for (std::size_t at = 0; at < sum.values.size(); ++at) {
                sum.values[at] += more.values[at];
            }
            check_close("as added", fluid.read(field), expected(sum), 0.0);
        }
    }
}

TEST_CASE("setting one field leaves the others alone", "[interface]") {
    const Plan plan = busy_plan({4, 5, 3});
    Fluid fluid(plan);
    stir(fluid, 2);
    const std::vector<int> fields = fields_of(plan);
    for (const int field : fields) {
        if (field >= STABLE_FLUIDS_PRESSURE && field <= STABLE_FLUIDS_VORTICITY_Z) {
            continue;
        }
        std::vector<Field> before;
        for (const int other : fields) {
            before.push_back(fluid.read(other));
        }
        fluid.set(field, some_values(fluid, field, 77));
        for (std::size_t at = 0; at < fields.size(); ++at) {
            const int other = fields[at];
            const bool computed =
                other >= STABLE_FLUIDS_DIVERGENCE && other <= STABLE_FLUIDS_VORTICITY_Z;
            const bool divergence = other == STABLE_FLUIDS_DIVERGENCE && is_of_solid(field);
            if (other != field && !(computed && field <= STABLE_FLUIDS_W) && !divergence) {
                INFO(name_of_field(field) << " is set, and " << name_of_field(other) << " is read");
                CHECK(same_bytes(fluid.read(other), before[at]));
            }
        }
    }
}

TEST_CASE("a view shows what is read", "[interface]") {
    for (const Triple& n : {Triple{6, 5, 1}, {4, 5, 3}}) {
        const Plan plan = busy_plan(n);
        Fluid fluid(plan);
        stir(fluid, 2);
        fluid.step(0.1, 2);
        for (const int field : fields_of(plan)) {
            INFO(name_of_size(n) << ", " << name_of_field(field));
            const Field values = fluid.read(field);
            stable_fluids_view_of_field view = {};
            view.size = sizeof view;
            REQUIRE(stable_fluids_view(fluid.handle(), field, &view) == STABLE_FLUIDS_OK);
            CHECK((view.shape[0] == values.n[0] && view.shape[1] == values.n[1] &&
                   view.shape[2] == values.n[2]));
            REQUIRE(view.data != nullptr);
            CHECK((view.on_device != 0) == (backend == STABLE_FLUIDS_CUDA));
            if (view.on_device == 0) {
                CHECK(view.stream == nullptr);
                check_close("through its strides",
                            made(values.n,
                                 [&](int i, int j, int k) {
                                     return view.data[i * view.strides[0] + j * view.strides[1] +
                                                      k * view.strides[2]];
                                 }),
                            values, 0.0);
            }
        }
        INFO("looking at a fluid changes nothing in it");
        Fluid other(plan);
        stir(other, 2);
        other.step(0.1, 2);
        fluid.step(0.1, 1);
        other.step(0.1, 1);
        check_same_bytes(state_of(fluid, 2), state_of(other, 2));
    }
}

TEST_CASE("a view of what is carried shows it after any number of steps", "[interface]") {
    for (const Triple& n : {Triple{6, 5, 1}, {4, 5, 3}}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const int splitting :
                 {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
                Plan plan = busy_plan(n);
                plan.d.advection = advection;
                plan.d.splitting = splitting;
                // Of five scalars, three are carried together, with all fields that are free.
                plan.scalar();
                plan.scalar();
                plan.scalar();
                plan.buoyancy.resize(plan.scalars.size());
                Fluid fluid(plan);
                Fluid unseen(plan);
                stir(fluid, 2);
                stir(unseen, 2);
                std::vector<stable_fluids_view_of_field> views;
                std::vector<int> fields;
                // Not in the order of their numbers, nor all before the first step.
                for (const int field :
                     {STABLE_FLUIDS_SCALAR(2), int{STABLE_FLUIDS_V}, STABLE_FLUIDS_SCALAR(0),
                      int{STABLE_FLUIDS_U}, int{STABLE_FLUIDS_FORCE_X}, STABLE_FLUIDS_SOURCE(1),
                      STABLE_FLUIDS_SCALAR(3), int{STABLE_FLUIDS_EXPANSION},
                      STABLE_FLUIDS_SCALAR(4)}) {
                    stable_fluids_view_of_field view = {};
                    view.size = sizeof view;
                    REQUIRE(stable_fluids_view(fluid.handle(), field, &view) == STABLE_FLUIDS_OK);
                    REQUIRE(view.on_device == (backend == STABLE_FLUIDS_CUDA ? 1 : 0));
                    views.push_back(view);
                    fields.push_back(field);
                    if (fields.size() == 3) {
                        fluid.step(0.1);
                        unseen.step(0.1);
                    }
                }
                for (const int steps : {1, 2, 1, 3}) {
                    fluid.step(0.1, steps);
                    unseen.step(0.1, steps);
                    for (std::size_t at = 0; at < views.size(); ++at) {
                        INFO(name_of_size(n) << ", " << name_of_field(fields[at]));
                        stable_fluids_view_of_field now = {};
                        now.size = sizeof now;
                        stable_fluids_view(fluid.handle(), fields[at], &now);
                        CHECK(now.data == views[at].data);
                        const Field values = unseen.read(fields[at]);
                        CHECK(same_bytes(fluid.read(fields[at]), values));
                        if (now.on_device == 0) {
                            const auto& view = views[at];
                            check_close(
                                "through the first view",
                                made(
                                    values.n,
                                    [&](int i, int j, int k) {
                                        return view.data[i * view.strides[0] + j * view.strides[1] +
                                                         k * view.strides[2]];
                                    }),
                                values, 0.0);
                        }
                    }
                }
                check_same_bytes(state_of(fluid, 5), state_of(unseen, 5));
                CHECK(same_bytes(fluid.read(STABLE_FLUIDS_PRESSURE),
                                 unseen.read(STABLE_FLUIDS_PRESSURE)));
            }
        }
    }
}

// ---- What is computed from the velocity --------------------------------------------------------

TEST_CASE("divergence, speed and vorticity are what they are called", "[interface]") {
    for (const bool deep : {false, true}) {
        for (const int flow :
             {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_FREE_SLIP, STABLE_FLUIDS_PERIODIC}) {
            const Triple n = {6, 5, deep ? 4 : 1};
            const double h = 0.25;
            Plan plan(n, 0.25f);
            plan.all(flow);
            Fluid fluid(plan);
            std::array<Field, 3> u;
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                fluid.set(component(axis), bumpy(fluid.shape(component(axis)),
                                                 41 + static_cast<std::uint32_t>(axis)));
                u[static_cast<std::size_t>(axis)] = fluid.read(component(axis));
            }
            // A component beyond the walls: around the box, as it is inside, or as much the other
            // way.
            const auto value = [&](int axis, Triple p) {
                double sign = 1.0;
                for (int other = 0; other < fluid.axes(); ++other) {
                    const auto at = static_cast<std::size_t>(other);
                    if (other != axis && (p[at] < 0 || p[at] >= n[at])) {
                        if (flow == STABLE_FLUIDS_PERIODIC) {
                            p[at] = (p[at] + n[at]) % n[at];
                        } else {
                            p[at] = p[at] < 0 ? 0 : n[at] - 1;
                            sign = flow == STABLE_FLUIDS_NO_SLIP ? -sign : sign;
                        }
                    }
                }
                return sign * static_cast<double>(u[static_cast<std::size_t>(axis)](p));
            };
            const auto next = [](Triple p, int axis, int by) {
                p[static_cast<std::size_t>(axis)] += by;
                return p;
            };
            const auto middle = [&](int axis, const Triple& p) {
                return 0.5 * (value(axis, p) + value(axis, next(p, axis, 1)));
            };
            const auto change = [&](int of, int axis, const Triple& p) {
                return (middle(of, next(p, axis, 1)) - middle(of, next(p, axis, -1))) / (2.0 * h);
            };
            const auto curl = [&](int axis, const Triple& p) {
                const int b = (axis + 1) % 3;
                const int c = (axis + 2) % 3;
                return change(c, b, p) - change(b, c, p);
            };
            const auto check = [&](int field,
                                   const std::function<double(const Triple&)>& expected) {
                INFO((deep ? "3D, " : "2D, ") << name_of_flow(flow));
                check_close(name_of_field(field), fluid.read(field),
                            made(n,
                                 [&](int i, int j, int k) {
                                     return expected({i, j, k});
                                 }),
                            1e-5);
            };
            check(STABLE_FLUIDS_DIVERGENCE, [&](const Triple& p) {
                double sum = 0.0;
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    sum += (value(axis, next(p, axis, 1)) - value(axis, p)) / h;
                }
                return sum;
            });
            check(STABLE_FLUIDS_SPEED, [&](const Triple& p) {
                double sum = 0.0;
                for (int axis = 0; axis < fluid.axes(); ++axis) {
                    sum += std::pow(middle(axis, p), 2);
                }
                return std::sqrt(sum);
            });
            check(STABLE_FLUIDS_VORTICITY_Z, [&](const Triple& p) { return curl(2, p); });
            if (deep) {
                check(STABLE_FLUIDS_VORTICITY_X, [&](const Triple& p) { return curl(0, p); });
                check(STABLE_FLUIDS_VORTICITY_Y, [&](const Triple& p) { return curl(1, p); });
                check(STABLE_FLUIDS_VORTICITY, [&](const Triple& p) {
                    return std::hypot(curl(0, p), curl(1, p), curl(2, p));
                });
            } else {
                check(STABLE_FLUIDS_VORTICITY, [&](const Triple& p) { return curl(2, p); });
            }
        }
    }
}

TEST_CASE("the statistics say what is there", "[interface]") {
    for (const bool deep : {false, true}) {
        for (const int flow :
             {STABLE_FLUIDS_FREE_SLIP, STABLE_FLUIDS_PERIODIC, STABLE_FLUIDS_OUTFLOW}) {
            INFO((deep ? "3D, " : "2D, ") << name_of_flow(flow));
            const double h = 0.25;
            Plan plan({9, 6, deep ? 5 : 1}, 0.25f);
            plan.all(flow);
            plan.d.viscosity = 0.05f;
            plan.d.tolerance = 1e-5f;
            Fluid fluid(plan);
            stir(fluid, 0);
            fluid.step(0.125, 3);
            fluid.step(0.25, 2);
            const stable_fluids_statistics found = fluid.statistics();
            double energy = 0.0;
            double fastest = 0.0;
            for (int axis = 0; axis < fluid.axes(); ++axis) {
                const Field u = fluid.read(component(axis));
                fastest = std::max(fastest, largest(u));
                for_each(u.n, [&](int i, int j, int k) {
                    const Triple p = {i, j, k};
                    const int place = p[static_cast<std::size_t>(axis)];
                    const bool at_end =
                        place == 0 || place == u.n[static_cast<std::size_t>(axis)] - 1;
                    energy += (at_end ? 0.25 : 0.5) * std::pow(static_cast<double>(u(i, j, k)), 2);
                });
            }
            energy *= h * h * (deep ? h : 1.0);
            CHECK(found.backend == backend);
            CHECK(found.steps == 5);
            CHECK_THAT(found.time, WithinAbs(0.875, 1e-6));
            CHECK_THAT(found.kinetic_energy / energy, WithinAbs(1.0, 1e-5));
            CHECK_THAT(found.largest_speed, WithinAbs(fastest, 1e-6));
            CHECK_THAT(found.cfl, WithinAbs(fastest * 0.25 / h, 1e-5));
            CHECK_THAT(found.largest_divergence,
                       WithinAbs(largest(fluid.read(STABLE_FLUIDS_DIVERGENCE)), 1e-6));
            CHECK((found.pressure_residual > 0.0 && found.pressure_residual <= 1e-5));
            CHECK((found.pressure_cycles > 0 && found.pressure_cycles <= 50));
            CHECK(found.viscosity_sweeps > 0);
            CHECK((found.viscosity_residual > 0.0 && found.viscosity_residual <= 1e-5));
        }
    }
}

TEST_CASE("a solid that was just put in is in the statistics, and no force on it yet",
          "[interface]") {
    for (const bool deep : {false, true}) {
        INFO((deep ? "3D" : "2D"));
        Plan plan({9, 6, deep ? 5 : 1}, 0.25f);
        plan.d.viscosity = 0.05f;
        Fluid fluid(plan);
        stir(fluid, 0);
        fluid.step(0.125, 2);
        const auto no_force = [](const stable_fluids_statistics& found) {
            return found.solid_force[0] == 0.0 && found.solid_force[1] == 0.0 &&
                   found.solid_force[2] == 0.0;
        };
        CHECK(no_force(fluid.statistics()));
        const Field distance =
            made({10, 7, deep ? 6 : 1}, [](int i, int, int) { return i < 4 ? -1.0 : 1.0; });
        REQUIRE(stable_fluids_set_solid(fluid.handle(), distance.values.data(),
                                        distance.values.size()) == STABLE_FLUIDS_OK);
        const stable_fluids_statistics first = fluid.statistics();
        const stable_fluids_statistics again = fluid.statistics();
        CHECK(first.kinetic_energy == again.kinetic_energy);
        CHECK(first.largest_speed == again.largest_speed);
        CHECK(fluid.read(STABLE_FLUIDS_U)(2, 3, 0) == 0.0f);
        CHECK(no_force(first));
        fluid.step(0.125);
        CHECK_FALSE(no_force(fluid.statistics()));
        INFO("and none is left once they have gone");
        for (int axis = 0; axis < fluid.axes(); ++axis) {
            fluid.set(STABLE_FLUIDS_FRACTION_X + axis, 1.0f);
        }
        fluid.set(STABLE_FLUIDS_FRACTION, 1.0f);
        fluid.step(0.125);
        CHECK(no_force(fluid.statistics()));
    }
}

TEST_CASE("a fluid with one scalar takes at most 16 floats a cell", "[interface][large]") {
    for (const Triple& n : {Triple{256, 256, 1}, {128, 128, 128}}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            Plan plan(n);
            plan.d.advection = advection;
            plan.d.viscosity = 0.1f;
            plan.scalar().diffusion = 0.1f;
            Fluid fluid(plan);
            if (!sanitized) {  // to see that no step takes any more
                fluid.step(0.1);
            }
            const double cells = static_cast<double>(n[0]) * n[1] * n[2];
            const double each = static_cast<double>(fluid.statistics().bytes) / (4.0 * cells);
            INFO(name_of_size(n) << ": " << each << " floats a cell");
            CHECK(each <= 16.0);
            CHECK(each >= 4.0);  // what it carries, at least
        }
    }
}

TEST_CASE("what README.md says of the cost", "[interface][large]") {
    const auto bytes_of = [](Plan plan, int scalars, int advection) {
        for (int n = 0; n < scalars; ++n) {
            plan.scalar();
        }
        plan.d.advection = advection;
        return static_cast<double>(Fluid(plan).statistics().bytes) /
               (static_cast<double>(plan.d.nx) * plan.d.ny * plan.d.nz);
    };
    if (backend == STABLE_FLUIDS_HOST) {
        for (const Triple& n : {Triple{512, 512, 1}, {128, 128, 128}}) {
            const double a_fluid = n[2] > 1 ? 36.0 : 29.0;
            const double for_lie = 4.2;
            const double for_linear = n[2] > 1 ? 13.0 : 8.0;
            for (const int scalars : {0, 1, 2, 3}) {
                const double for_maccormack = n[2] > 1 ? 9.0 : scalars > 1 ? 4.0 : 0.0;
                const double both = a_fluid + for_lie + 4.2 * scalars;
                INFO(name_of_size(n) << ", " << scalars << " scalars");
                CHECK_THAT(bytes_of(Plan(n), scalars, STABLE_FLUIDS_LINEAR),
                           WithinAbs(both + for_linear, 0.8));
                CHECK_THAT(bytes_of(Plan(n), scalars, STABLE_FLUIDS_MACCORMACK),
                           WithinAbs(both + for_maccormack, 0.8));
            }
        }
    }
    for (const auto& [tolerance, most, most_before] :
         {std::tuple(1e-2f, 2, 3), {1e-4f, 5, 7}, {1e-6f, 8, 10}}) {
        // The most cycles of such boxes, with a description of this size.
        const auto most_cycles = [tolerance = tolerance](std::size_t size) {
            int found = 0;
            for (const int n : {64, 128, 256, 512}) {
                if (sanitized && n > 128) {
                    continue;
                }
                Plan plan({n, n, 1}, 1.0f / static_cast<float>(n));
                plan.d.tolerance = tolerance;
                plan.d.size = static_cast<std::uint32_t>(size);
                Fluid fluid(plan);
                fluid.fill(STABLE_FLUIDS_U, [n](int i, int j, int) {
                    return std::sin(std::numbers::pi * i / n) *
                           std::cos(std::numbers::pi * (j + 0.5) / n);
                });
                fluid.step(1e-9);
                found = std::max(found, fluid.statistics().pressure_cycles);
            }
            return found;
        };
        INFO("tolerance " << tolerance);
        const int now = most_cycles(sizeof(stable_fluids_description));
        const int before = most_cycles(offsetof(stable_fluids_description, scalar_size));
        CHECK(now <= most);
        CHECK(before <= most_before);
        if (!sanitized) {
            CHECK(now == most);
            CHECK(before == most_before);
        }
    }
    if (!sanitized) {
        Plan plan({512, 512, 1}, 1.0f / 512.0f);
        plan.d.viscosity = 1e-4f;
        plan.d.faces[STABLE_FLUIDS_TOP].u = 1.0f;
        Fluid fluid(plan);
        for (int n = 0; n < 3; ++n) {
            fluid.step(1.0 / 512.0);
            CHECK(fluid.statistics().viscosity_sweeps <= 3);
        }
    }
}

TEST_CASE("what README.md says of the memory of solids", "[interface][large]") {
    const auto with_solids = [](const Triple& n) {
        Fluid fluid(Plan{n});
        const std::uint64_t before = fluid.statistics().bytes;
        fluid.set(STABLE_FLUIDS_FRACTION, 1.0f);
        return static_cast<double>(fluid.statistics().bytes - before) /
               (static_cast<double>(n[0]) * n[1] * n[2]);
    };
    if (backend == STABLE_FLUIDS_HOST) {
        CHECK_THAT(with_solids({512, 512, 1}), WithinAbs(46.0, 0.5));
        CHECK_THAT(with_solids({128, 128, 128}), WithinAbs(54.0, 0.5));
    }
}

// ---- Steps -------------------------------------------------------------------------------------

TEST_CASE("so many steps at once are so many steps, and none is none", "[interface]") {
    for (const Triple& n : {Triple{9, 7, 1}, {6, 5, 4}}) {
        Fluid one(busy_plan(n));
        Fluid other(busy_plan(n));
        stir(one, 2);
        stir(other, 2);
        one.step(0.1, 3);
        one.step(0.05, 2);
        for (const double dt : {0.1, 0.1, 0.1, 0.05, 0.05}) {
            other.step(dt);
            other.step(dt, 0);
        }
        check_same_bytes(state_of(one, 2), state_of(other, 2));
        CHECK(one.statistics().steps == 5);
        CHECK(other.statistics().steps == 5);
    }
}

TEST_CASE("what has been read begins anew and goes on bit for bit", "[interface]") {
    for (const Triple& n : {Triple{9, 7, 1}, {6, 5, 4}}) {
        Plan plan = busy_plan(n);
        plan.d.tolerance = 0.0f;  // otherwise, it begins with the pressures of the last steps
        Fluid one(plan);
        stir(one, 2);
        one.step(0.1, 3);
        Fluid other(plan);
        for (const int field : fields_of(plan)) {
            if (field < STABLE_FLUIDS_PRESSURE || field >= STABLE_FLUIDS_EXPANSION) {
                other.set(field, one.read(field));
            }
        }
        check_same_bytes(state_of(other, 2), state_of(one, 2));
        one.step(0.15, 4);
        other.step(0.15, 4);
        check_same_bytes(state_of(other, 2), state_of(one, 2));
    }
}

namespace {

std::vector<unsigned char> saved_state(const Fluid& fluid) {
    std::size_t size = 0;
    REQUIRE(stable_fluids_state_size(fluid.handle(), &size) == STABLE_FLUIDS_OK);
    std::vector<unsigned char> state(size);
    REQUIRE(stable_fluids_get_state(fluid.handle(), state.data(), size) == STABLE_FLUIDS_OK);
    return state;
}

/// A box in which everything happens, with a ball that lies on a joined face of the box.
Plan plan_to_save(const Triple& n, int splitting) {
    Plan plan = busy_plan(n);
    plan.d.splitting = splitting;
    return plan;
}

void put_ball(Fluid& fluid, const Triple& n) {
    const Field distance = made(
        {n[0] + 1, n[1] + 1, n[2] > 1 ? n[2] + 1 : 1},
        [](int i, int j, int k) { return (std::hypot(i - 4.3, j - 2.6, k - 0.4) - 1.7) / 4.0; });
    REQUIRE(stable_fluids_set_solid(fluid.handle(), distance.values.data(),
                                    distance.values.size()) == STABLE_FLUIDS_OK);
    fluid.set(STABLE_FLUIDS_SOLID_U, 0.2f);
}

/// Such a fluid, after so many steps.
Fluid flowing(const Plan& plan, bool with_ball, int steps) {
    Fluid fluid(plan);
    stir(fluid, 2);
    if (with_ball) {
        put_ball(fluid, plan.size());
    }
    fluid.step(0.1, steps);
    return fluid;
}

void set_state(Fluid& fluid, const std::vector<unsigned char>& state) {
    REQUIRE(stable_fluids_set_state(fluid.handle(), state.data(), state.size()) ==
            STABLE_FLUIDS_OK);
}

}  // namespace

TEST_CASE("a fluid with the state of another goes on bit for bit", "[interface]") {
    for (const Triple& n : {Triple{9, 7, 1}, {8, 6, 5}}) {
        for (const int splitting :
             {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
            for (const bool with_ball : {false, true}) {
                INFO(name_of_size(n) << ", splitting " << splitting << ", ball " << with_ball);
                Plan plan = plan_to_save(n, splitting);
                Fluid one = flowing(plan, with_ball, 4);
                const std::vector<unsigned char> state = saved_state(one);
                plan.d.threads = 2;
                Fluid other(plan);
                if (!with_ball) {
                    put_ball(other, n);  // which the state takes out
                }
                set_state(other, state);
                CHECK(stable_fluids_time(other.handle()) == stable_fluids_time(one.handle()));
                CHECK(saved_state(other) == state);
                stable_fluids_statistics a = one.statistics();
                stable_fluids_statistics b = other.statistics();
                b.bytes = a.bytes;
                CHECK(std::memcmp(&a, &b, sizeof a) == 0);
                // Something may be set in between.
                for (Fluid* fluid : {&one, &other}) {
                    fluid->set(STABLE_FLUIDS_SCALAR(1), 0.75f);
                    fluid->step(0.15, 3);
                }
                check_same_bytes(state_of(other, 2), state_of(one, 2));
                CHECK(same_bytes(other.read(STABLE_FLUIDS_PRESSURE),
                                 one.read(STABLE_FLUIDS_PRESSURE)));
                CHECK(saved_state(other) == saved_state(one));
            }
        }
    }
}

TEST_CASE("what a step has found of the velocity is forgotten when something is set",
          "[interface]") {
    const std::vector<std::function<void(Fluid&, const Triple&)>> changes = {
        [](Fluid&, const Triple&) {},
        [](Fluid& fluid, const Triple&) {
            fluid.set(STABLE_FLUIDS_V, bumpy(fluid.shape(STABLE_FLUIDS_V), 77));
        },
        [](Fluid& fluid, const Triple&) { fluid.set(STABLE_FLUIDS_U, 0.3f); },
        [](Fluid& fluid, const Triple& n) { put_ball(fluid, n); },
        [](Fluid& fluid, const Triple&) { stable_fluids_set_solid(fluid.handle(), nullptr, 0); },
        [](Fluid& fluid, const Triple&) { fluid.step(0.07); },
    };
    for (const Triple& n : {Triple{9, 7, 1}, {8, 6, 5}}) {
        for (const bool with_ball : {false, true}) {
            for (std::size_t which = 0; which < changes.size(); ++which) {
                INFO(name_of_size(n) << ", ball " << with_ball << ", change " << which);
                Plan plan = plan_to_save(n, STABLE_FLUIDS_LIE);
                plan.d.advection = STABLE_FLUIDS_LINEAR;
                Fluid goes_on = flowing(plan, with_ball, 3);
                Fluid begins(plan);  // and has found nothing yet
                set_state(begins, saved_state(goes_on));
                for (Fluid* fluid : {&goes_on, &begins}) {
                    changes[which](*fluid, n);
                    fluid->step(0.1);
                }
                check_same_bytes(state_of(begins, 2), state_of(goes_on, 2));
            }
        }
    }
}

TEST_CASE("a state may go to a fluid whose steps are split otherwise", "[interface]") {
    const Triple n = {8, 6, 5};
    const auto with_state = [&](int splitting, const std::vector<unsigned char>& state) {
        Plan plan = plan_to_save(n, splitting);
        plan.d.tolerance = 0.0f;  // otherwise, only Lie's begins with a guess at the pressure
        Fluid fluid(plan);
        set_state(fluid, state);
        return fluid;
    };
    for (const int splitting : {STABLE_FLUIDS_STRANG, STABLE_FLUIDS_MIDPOINT}) {
        const std::vector<unsigned char> state =
            saved_state(flowing(plan_to_save(n, splitting), false, 4));
        const int other =
            splitting == STABLE_FLUIDS_STRANG ? STABLE_FLUIDS_MIDPOINT : STABLE_FLUIDS_STRANG;
        // Nobody knows the velocity before the last step of the one: the other begins without it.
        Fluid goes_on = with_state(other, state);
        Fluid expected = with_state(
            other == STABLE_FLUIDS_MIDPOINT ? STABLE_FLUIDS_LIE : STABLE_FLUIDS_STRANG, state);
        for (Fluid* fluid : {&goes_on, &expected}) {
            fluid->step(0.1);
        }
        for (int axis = 0; axis < 3; ++axis) {
            INFO("from splitting " << splitting << ", component " << axis);
            CHECK(same_bytes(goes_on.read(component(axis)), expected.read(component(axis))));
        }
        Fluid back = with_state(splitting, saved_state(goes_on));
        back.step(0.1, 3);
    }
}

TEST_CASE("bytes that are no state of this fluid are refused, and nothing changes", "[interface]") {
    const Triple n = {8, 6, 5};
    Fluid fluid(plan_to_save(n, STABLE_FLUIDS_STRANG));
    stir(fluid, 2);
    put_ball(fluid, n);
    fluid.step(0.1, 2);
    const std::vector<unsigned char> good = saved_state(fluid);
    std::set<std::string> lines;
    const auto refused = [&](const char* what, std::vector<unsigned char> state) {
        const stable_fluids_status status =
            stable_fluids_set_state(fluid.handle(), state.data(), state.size());
        const std::string line = stable_fluids_error(fluid.handle());
        INFO(what << ": " << line);
        CHECK(status == STABLE_FLUIDS_INVALID);
        CHECK(line.find('\n') == std::string::npos);
        lines.insert(line);
    };
    refused("too short for any", std::vector<unsigned char>(good.begin(), good.begin() + 20));
    refused("a part", std::vector<unsigned char>(good.begin(), good.end() - 4));
    std::vector<unsigned char> other = good;
    other[0] ^= 1;
    refused("another file", other);
    const auto with = [&](std::size_t place, float value) {
        std::vector<unsigned char> state = good;
        std::memcpy(state.data() + place, &value, sizeof value);
        return state;
    };
    refused("not a number", with(good.size() - 400, std::numeric_limits<float>::quiet_NaN()));
    std::size_t first_one = 0;  // the fractions come first
    for (float value = 0.0f; value != 1.0f; first_one += sizeof value) {
        std::memcpy(&value, good.data() + first_one, sizeof value);
    }
    refused("a fraction of 2", with(first_one, 2.0f));
    CHECK(lines.size() == 4);
    Plan more = plan_to_save(n, STABLE_FLUIDS_LIE);
    more.scalar();
    more.buoyancy.push_back({});
    const Fluid with_more(more);
    refused("a fluid with another scalar", saved_state(with_more));
    refused("another box", saved_state(Fluid(plan_to_save({8, 5, 6}, STABLE_FLUIDS_LIE))));
    Plan walls = plan_to_save(n, STABLE_FLUIDS_LIE);
    walls.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_FREE_SLIP);
    refused("other walls", saved_state(Fluid(walls)));
    CHECK(lines.size() == 5);
    CHECK(saved_state(fluid) == good);
    CHECK(stable_fluids_get_state(fluid.handle(), other.data(), other.size() - 1) ==
          STABLE_FLUIDS_INVALID);
    CHECK(stable_fluids_get_state(fluid.handle(), nullptr, good.size()) == STABLE_FLUIDS_INVALID);
    CHECK(stable_fluids_set_state(fluid.handle(), nullptr, good.size()) == STABLE_FLUIDS_INVALID);
    CHECK(stable_fluids_state_size(fluid.handle(), nullptr) == STABLE_FLUIDS_INVALID);
    CHECK(stable_fluids_time(nullptr) == 0.0);
}

TEST_CASE("a description of an early size leaves out what came later, and that is said",
          "[interface]") {
    const auto described = [](std::size_t size) {
        stable_fluids_description d;
        std::memset(&d, 0xa5, sizeof d);
        stable_fluids_describe_sized(&d, size);
        CHECK(d.size == size);
        d.backend = backend;
        stable_fluids* fluid = nullptr;
        REQUIRE(stable_fluids_create(&d, &fluid) == STABLE_FLUIDS_OK);
        const std::string line = stable_fluids_warning(fluid);
        CHECK(stable_fluids_step(fluid, 0.1f, 1) == STABLE_FLUIDS_OK);
        CHECK(std::string(stable_fluids_warning(fluid)).empty());
        stable_fluids_destroy(fluid);
        return line;
    };
    CHECK(described(offsetof(stable_fluids_description, buoyancy)).find("that of version 1.0") !=
          std::string::npos);
    CHECK(described(offsetof(stable_fluids_description, splitting)).find("that of version 1.1") !=
          std::string::npos);
    CHECK(described(offsetof(stable_fluids_description, scalar_size)).empty());
    CHECK(described(sizeof(stable_fluids_description)).empty());
    INFO("a scalar that is described by its size is filled so far, and no further");
    struct {
        stable_fluids_scalar scalar;
        unsigned char behind[8];
    } memory;
    std::memset(&memory, 0xa5, sizeof memory);
    stable_fluids_describe_scalar_sized(&memory.scalar, sizeof memory);
    CHECK(memory.scalar.solid.value == 0.0f);
    CHECK(memory.behind[0] == 0xa5);
    std::memset(&memory, 0xa5, sizeof memory);
    constexpr std::size_t first = offsetof(stable_fluids_scalar, solid);
    stable_fluids_describe_scalar_sized(&memory.scalar, first);
    CHECK(memory.scalar.faces[5].value == 0.0f);
    CHECK(memory.scalar.solid.flow != 0);
    memory.scalar.initial = 3.0f;
    stable_fluids_describe_scalar_sized(&memory.scalar, first - 4);
    stable_fluids_describe_scalar_sized(nullptr, sizeof memory);
    CHECK(memory.scalar.initial == 3.0f);
}

TEST_CASE("scalars of an early size lie closer together, and none is read beyond its end",
          "[interface]") {
    constexpr std::size_t first = offsetof(stable_fluids_scalar, solid);
    std::vector<unsigned char> memory(3 * first);
    for (int n = 0; n < 3; ++n) {
        stable_fluids_scalar scalar;
        stable_fluids_describe_scalar(&scalar);
        scalar.initial = static_cast<float>(n + 1);
        std::memcpy(memory.data() + static_cast<std::size_t>(n) * first, &scalar, first);
    }
    for (const std::size_t size : {std::size_t{0}, first}) {
        Plan plan({4, 3, 1});
        plan.d.scalar_size = size;
        plan.d.scalar_count = 3;
        plan.d.scalars = reinterpret_cast<const stable_fluids_scalar*>(memory.data());
        stable_fluids* fluid = nullptr;
        REQUIRE(stable_fluids_create(&plan.d, &fluid) == STABLE_FLUIDS_OK);
        for (int n = 0; n < 3; ++n) {
            std::vector<float> values(12);
            stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(n), values.data(), values.size());
            CHECK(values[7] == static_cast<float>(n + 1));
        }
        stable_fluids_destroy(fluid);
    }
}

TEST_CASE("fields are set from a GPU's memory only where there is one", "[interface]") {
    Fluid fluid(Plan({5, 4, 1}));
    const std::vector<float> here(20, 1.0f);
    const int field = STABLE_FLUIDS_EXPANSION;
    CHECK(stable_fluids_set_from_device(fluid.handle(), field, here.data(), 20, nullptr) ==
          STABLE_FLUIDS_INVALID);
    const std::string line = stable_fluids_error(fluid.handle());
    CHECK(line.find("use stable_fluids_set()") != std::string::npos);
    CHECK(largest(fluid.read(field)) == 0.0);
}

TEST_CASE("several fluids do not disturb each other, in one thread or in many", "[interface]") {
    const auto after = [](Fluid& fluid) {
        stir(fluid, 2);
        fluid.step(0.1, 5);
        return state_of(fluid, 2);
    };
    Fluid alone(busy_plan({9, 7, 4}));
    const std::vector<Field> expected = after(alone);
    Fluid one(busy_plan({9, 7, 4}));
    Fluid other(busy_plan({5, 8, 1}));
    stir(one, 2);
    stir(other, 2);
    for (int n = 0; n < 5; ++n) {
        one.step(0.1);
        other.step(0.2);
    }
    check_same_bytes(state_of(one, 2), expected);
    std::vector<std::vector<Field>> found(3);
    std::vector<Fluid> fluids;
    for (int n = 0; n < 3; ++n) {
        fluids.emplace_back(busy_plan({9, 7, 4}));
        stir(fluids.back(), 2);
    }
    std::vector<std::thread> threads;
    for (Fluid& fluid :
         fluids) {  // Catch2's assertions are for one thread: here only the library's
        threads.emplace_back([handle = fluid.handle()] { stable_fluids_step(handle, 0.1f, 5); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (Fluid& fluid : fluids) {
        check_same_bytes(state_of(fluid, 2), expected);
    }
}

TEST_CASE("the number of threads does not change a bit", "[interface][host]") {
    // Large enough that rows are shared out, and with an odd number of them.
    for (const Triple& n : {Triple{181, 171, 1}, {35, 31, 29}, {37, 1000, 1}, {20, 3, 400}}) {
        if (sanitized && n[2] == 1) {
            continue;
        }
        std::vector<std::vector<Field>> found;
        for (const int threads : {1, 2, 7}) {
            Plan plan = busy_plan(n);
            plan.d.threads = threads;
            Fluid fluid(plan);
            stir(fluid, 2);
            fluid.step(0.1, 2);
            found.push_back(state_of(fluid, 2));
            found.back().push_back(fluid.read(STABLE_FLUIDS_PRESSURE));
            found.back().push_back(fluid.read(STABLE_FLUIDS_VORTICITY));
        }
        INFO(name_of_size(n));
        check_same_bytes(found[1], found[0]);
        check_same_bytes(found[2], found[0]);
    }
}

TEST_CASE("cycles: as many as asked for without looking, and never more than allowed",
          "[interface]") {
    Plan plan({33, 21, 1}, 0.1f);
    const auto after = [&](float tolerance, int cycles) {
        plan.d.tolerance = tolerance;
        plan.d.cycles = cycles;
        Fluid fluid(plan);
        stir(fluid, 0);
        fluid.set(STABLE_FLUIDS_EXPANSION, 0.0f);  // all divergence is unwanted
        fluid.step(0.01);
        return fluid.statistics();
    };
    CHECK(after(0.0f, 1).pressure_cycles == 1);
    CHECK(after(0.0f, 7).pressure_cycles == 7);
    CHECK(after(1e-6f, 2).pressure_cycles == 2);
    const double once = after(0.0f, 1).largest_divergence;
    CHECK(after(0.0f, 5).largest_divergence < 0.05 * once);
    INFO("a looser tolerance takes fewer cycles");
    CHECK(after(0.5f, 100).pressure_cycles <= 1);
    CHECK(after(1e-2f, 100).pressure_cycles < after(1e-5f, 100).pressure_cycles);
    INFO("what float cannot give ends as well, with what it can");
    const stable_fluids_statistics hopeless = after(1e-30f, 1000);
    CHECK(hopeless.pressure_cycles <= 100);
    CHECK(hopeless.pressure_residual < 2e-6);
}

#ifdef __linux__
TEST_CASE("no box takes more cycles than with a description of version 1.2", "[interface]") {
    for (const Triple& n : {Triple{33, 33, 1}, {40, 24, 1}, {7, 9, 1}, {7, 5, 3}, {16, 12, 20}}) {
        for (const int flow : {STABLE_FLUIDS_FREE_SLIP, STABLE_FLUIDS_PERIODIC}) {
            const auto cycles_of = [&](std::size_t size) {
                Plan plan(n, 0.1f);
                plan.all(flow);
                plan.d.size = static_cast<std::uint32_t>(size);
                plan.d.tolerance = 1e-5f;
                Fluid fluid(plan);
                for (int axis = 0; axis < plan.axes(); ++axis) {
                    fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 7u));
                }
                fluid.step(0.01);
                return fluid.statistics().pressure_cycles;
            };
            INFO(name_of_size(n) << ", " << name_of_flow(flow));
            CHECK(cycles_of(sizeof(stable_fluids_description)) <=
                  cycles_of(offsetof(stable_fluids_description, scalar_size)));
        }
    }
}

TEST_CASE("fluids that ask for as many threads share them", "[interface]") {
    const auto threads = [] {
        const std::filesystem::directory_iterator all("/proc/self/task");
        return std::distance(begin(all), end(all));
    };
    const auto before = threads();
    {
        Plan plan({9, 7, 1});
        plan.d.backend = STABLE_FLUIDS_HOST;
        plan.d.threads = 2;
        const Fluid one(plan);
        INFO("the first fluid makes a thread beside the one that calls");
        CHECK(threads() == before + 1);
        const Fluid another(plan);
        INFO("the second fluid makes none");
        CHECK(threads() == before + 1);
    }
    INFO("the last fluid ends them");
    CHECK(threads() == before);
}
#endif

namespace {

/// A box whose faces are of that kind, open at one of them if it is no slip, with or without a
/// ball.
struct Beginning {
    int flow;
    bool ball;
};

}  // namespace

TEST_CASE("a projection begins with what the pressures of the last two steps say of the next one",
          "[interface]") {
    for (const Triple& n : {Triple{33, 25, 1}, {17, 13, 15}}) {
        for (const Beginning& of : {Beginning{STABLE_FLUIDS_FREE_SLIP, false},
                                    {STABLE_FLUIDS_FREE_SLIP, true},
                                    {STABLE_FLUIDS_PERIODIC, false},
                                    {STABLE_FLUIDS_PERIODIC, true},
                                    {STABLE_FLUIDS_NO_SLIP, false},
                                    {STABLE_FLUIDS_NO_SLIP, true}}) {
            INFO(name_of_size(n) << ", " << name_of_flow(of.flow) << ", ball " << of.ball);
            Plan plan(n, 0.1f);
            plan.all(of.flow);
            if (of.flow == STABLE_FLUIDS_NO_SLIP) {
                plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW, {}, 0.3f);
            }
            plan.d.tolerance = 1e-5f;
            const auto with_ball = [&](Fluid& fluid) {
                if (of.ball) {
                    put_ball(fluid, n);
                }
            };
            Fluid goes_on(plan);
            with_ball(goes_on);
            const auto begun_anew = [&] {
                Fluid begins(plan);
                with_ball(begins);
                for (int axis = 0; axis < plan.axes(); ++axis) {
                    begins.set(component(axis), goes_on.read(component(axis)));
                }
                return begins;
            };
            for (int axis = 0; axis < plan.axes(); ++axis) {
                const auto wave = [axis](int i, int j, int k) {
                    return std::sin(0.5 * i + 0.9 * axis) * std::cos(0.4 * j - 0.3 * k) +
                           0.5 * std::sin(0.3 * k + 0.2 * i - 0.6 * j);
                };
                goes_on.set(component(axis), made(goes_on.shape(component(axis)), wave));
            }
            goes_on.step(0.02, 4);
            int now = 0;
            int before = 0;
            for (const double dt : {0.02, 0.02, 0.02, 0.01, 0.03, 0.02}) {
                Fluid begins = begun_anew();
                begins.step(dt);
                goes_on.step(dt);
                for (int axis = 0; axis < plan.axes(); ++axis) {
                    check_close("the velocity", goes_on.read(component(axis)),
                                begins.read(component(axis)), 1e-3);
                }
                CHECK(goes_on.statistics().pressure_residual <= 1e-5);
                CHECK(goes_on.statistics().pressure_cycles <= begins.statistics().pressure_cycles);
                now += goes_on.statistics().pressure_cycles;
                before += begins.statistics().pressure_cycles;
            }
            INFO(now << " cycles, and " << before << " from 0");
            CHECK(4 * now <= 3 * before);
            INFO("once a velocity is set, the pressures before are forgotten");
            goes_on.set(STABLE_FLUIDS_V, bumpy(goes_on.shape(STABLE_FLUIDS_V), 8u));
            Fluid begins = begun_anew();
            for (Fluid* fluid : {&goes_on, &begins}) {
                fluid->step(0.02, 3);
            }
            for (int axis = 0; axis < plan.axes(); ++axis) {
                CHECK(same_bytes(goes_on.read(component(axis)), begins.read(component(axis))));
            }
        }
    }
}

TEST_CASE("a total that advection changes too much to be kept is said", "[interface]") {
    Plan plan({33, 21, 1}, 0.1f);
    plan.scalar();
    plan.scalar().conserve = 1;
    Fluid fluid(plan);
    stir(fluid, 0);
    Field spot(fluid.shape(STABLE_FLUIDS_SCALAR(1)));
    spot(12, 10, 0) = 1.0f;
    const auto total_after = [&](double dt) {
        fluid.set(STABLE_FLUIDS_SCALAR(1), spot);
        fluid.step(dt);
        return total(fluid.read(STABLE_FLUIDS_SCALAR(1)));
    };
    CHECK_THAT(total_after(0.01), WithinAbs(1.0, 1e-5));
    CHECK(std::string(stable_fluids_warning(fluid.handle())).empty());
    int said = 0;
    for (const double dt : {1.0, 2.0, 3.0, 5.0, 8.0}) {
        const double left = total_after(dt);
        const std::string line = stable_fluids_warning(fluid.handle());
        INFO("dt " << dt << ", of the total is left " << left << ": " << line);
        const bool is_kept = std::abs(left - 1.0) < 1e-4;
        CHECK(line.empty() == is_kept);
        if (!is_kept) {
            ++said;
            CHECK((left <= 0.5 || left >= 2.0));
            CHECK(line.find("scalar 1 is to be conserved, but advection changed its total by more "
                            "than a factor of 2") == 0);
        }
    }
    CHECK(said > 0);
}

TEST_CASE("a projection that runs out of cycles is said", "[interface]") {
    Plan plan({33, 21, 1}, 0.1f);
    plan.d.tolerance = 1e-6f;
    plan.d.cycles = 1;
    Fluid hasty(plan);
    stir(hasty, 0);
    CHECK(std::string(stable_fluids_warning(hasty.handle())).empty());
    hasty.step(0.01, 3);
    const std::string line = stable_fluids_warning(hasty.handle());
    INFO(line);
    CHECK(line.find("the projection made all of its 1 cycles and left ") == 0);
    CHECK(line.find("tolerance of 1e-06") != std::string::npos);
    CHECK(line.find(": raise cycles or tolerance") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(hasty.statistics().unsolved_steps == 3);
    CHECK(hasty.statistics().pressure_residual > 1e-6);
    INFO("and no other is");
    hasty.step(0.01, 0);
    CHECK(std::string(stable_fluids_warning(hasty.handle())).empty());
    CHECK(std::string(stable_fluids_warning(nullptr)).empty());
    for (const auto& [tolerance, cycles] : {std::pair(1e-6f, 50), {0.0f, 1}, {1e-30f, 1000}}) {
        plan.d.tolerance = tolerance;
        plan.d.cycles = cycles;
        Fluid fluid(plan);
        stir(fluid, 0);
        fluid.step(0.01, 3);
        CHECK(std::string(stable_fluids_warning(fluid.handle())).empty());
        CHECK(fluid.statistics().unsolved_steps == 0);
    }
}

// ---- What is refused ---------------------------------------------------------------------------

namespace {

/// Creates it, which must fail with this status. Returns the error line. Whatever happens, nothing
/// is left behind.
std::string refusal(const Plan& plan, stable_fluids_status expected = STABLE_FLUIDS_INVALID) {
    stable_fluids_description d = plan.d;
    d.scalars = plan.scalars.empty() ? d.scalars : plan.scalars.data();
    d.scalar_count += static_cast<std::int32_t>(plan.scalars.size());
    d.buoyancy = plan.buoyancy.empty() ? nullptr : plan.buoyancy.data();
    stable_fluids* fluid = reinterpret_cast<stable_fluids*>(&d);
    const stable_fluids_status status = stable_fluids_create(&d, &fluid);
    CHECK(status == expected);
    CHECK(fluid == nullptr);
    if (status == STABLE_FLUIDS_OK) {
        stable_fluids_destroy(fluid);
        return "nothing";
    }
    return stable_fluids_error(nullptr);
}

void check_line(const std::string& line) {
    CHECK(line.size() > 10);
    CHECK(line.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("each mistake in a description is refused with a line of its own", "[interface]") {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    struct Mistake {
        const char* what;
        const char* word;  ///< that the line must have
        std::function<void(Plan&)> make;
    };
    const std::vector<Mistake> mistakes = {
        {"an older header", "size", [](Plan& p) { p.d.size -= 4; }},
        {"no cells along x", "0 x 4", [](Plan& p) { p.d.nx = 0; }},
        {"fewer than none along y", "-3", [](Plan& p) { p.d.ny = -3; }},
        {"none along z", "x 0", [](Plan& p) { p.d.nz = 0; }},
        {"more than can be counted", "too many",
         [](Plan& p) { p.d.nx = p.d.ny = p.d.nz = 100000; }},
        {"rows that are filled up to more than can be counted", "too many",
         [](Plan& p) {
             p.d.nx = 15;
             p.d.ny = 100000000;
             p.d.nz = 1;
         }},
        {"h is 0", "h is 0", [](Plan& p) { p.d.h = 0.0f; }},
        {"h is negative", "h is -1", [](Plan& p) { p.d.h = -1.0f; }},
        {"h is no number", "h is", [&](Plan& p) { p.d.h = nan; }},
        {"viscosity is negative", "viscosity", [](Plan& p) { p.d.viscosity = -1e-9f; }},
        {"viscosity is infinite", "viscosity", [&](Plan& p) { p.d.viscosity = inf; }},
        {"tolerance is negative", "tolerance", [](Plan& p) { p.d.tolerance = -0.1f; }},
        {"tolerance is no number", "tolerance", [&](Plan& p) { p.d.tolerance = nan; }},
        {"no cycles", "cycles", [](Plan& p) { p.d.cycles = 0; }},
        {"too many cycles", "cycles", [](Plan& p) { p.d.cycles = 1001; }},
        {"no such advection", "advection", [](Plan& p) { p.d.advection = 3; }},
        {"no such backend", "backend", [](Plan& p) { p.d.backend = 3; }},
        {"fewer threads than none", "threads", [](Plan& p) { p.d.threads = -1; }},
        {"too many scalars", "scalar_count", [](Plan& p) { p.d.scalar_count = 65; }},
        {"fewer scalars than none", "scalar_count", [](Plan& p) { p.d.scalar_count = -1; }},
        {"scalars that are not there", "null", [](Plan& p) { p.d.scalar_count = 2; }},
        {"no such flow", "right", [](Plan& p) { p.d.faces[STABLE_FLUIDS_RIGHT].flow = 6; }},
        {"no such flow, either", "top", [](Plan& p) { p.d.faces[STABLE_FLUIDS_TOP].flow = -1; }},
        {"half a joint", "bottom",
         [](Plan& p) { p.d.faces[STABLE_FLUIDS_BOTTOM].flow = STABLE_FLUIDS_PERIODIC; }},
        {"a wall that moves into itself", "front",
         [](Plan& p) { p.d.faces[STABLE_FLUIDS_FRONT].w = 1.0f; }},
        {"a wall that is infinitely fast", "back",
         [&](Plan& p) { p.d.faces[STABLE_FLUIDS_BACK].u = inf; }},
        {"inflow of no number", "left",
         [&](Plan& p) {
             p.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {nan, 0.0f, 0.0f});
         }},
        {"outflow into no pressure", "left",
         [&](Plan& p) { p.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_OUTFLOW, {}, nan); }},
        {"inflow and no way out", "more flows in than out",
         [](Plan& p) {
             p.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {1.0f, 0.0f, 0.0f});
         }},
        {"outflow and no way in", "more flows out than in",
         [](Plan& p) {
             p.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_INFLOW, {1.0f, 0.0f, 0.0f});
         }},
        {"a total pressure of no number", "the top face's pressure",
         [&](Plan& p) { p.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_TOTAL_PRESSURE, {}, nan); }},
        {"diffusion is negative", "diffusion", [](Plan& p) { p.scalar().diffusion = -1.0f; }},
        {"dissipation is infinite", "dissipation", [&](Plan& p) { p.scalar().dissipation = inf; }},
        {"it begins as no number", "initial", [&](Plan& p) { p.scalar().initial = nan; }},
        {"a scalar has no such flow", "scalar 0",
         [](Plan& p) { p.scalar().faces[STABLE_FLUIDS_TOP].flow = 4; }},
        {"a flux without diffusion", "a diffusion of 0: let it be more",
         [](Plan& p) {
             p.scalar().faces[STABLE_FLUIDS_TOP] = {STABLE_FLUIDS_FIXED_FLUX, 1.0f};
         }},
        {"a flux of no number", "value at the bottom",
         [&](Plan& p) {
             p.scalar().diffusion = 1.0f;
             p.scalars.back().faces[STABLE_FLUIDS_BOTTOM] = {STABLE_FLUIDS_FIXED_FLUX, nan};
         }},
        {"to be conserved, and can diffuse out", "pass the back",
         [](Plan& p) {
             p.scalar().conserve = 1;
             p.scalars.back().diffusion = 1.0f;
             p.scalars.back().faces[STABLE_FLUIDS_BACK] = {STABLE_FLUIDS_FIXED_FLUX, -1.0f};
         }},
        {"scalars of another size", "scalar_size is",
         [](Plan& p) {
             p.scalar();
             p.d.scalar_size = sizeof(stable_fluids_scalar) + 4;
         }},
        {"buoyancies of another size", "buoyancy_size is",
         [](Plan& p) {
             p.scalar();
             p.d.buoyancy_size = sizeof(stable_fluids_buoyancy) - 4;
         }},
        {"solids that are joined", "periodic at solids",
         [](Plan& p) { p.scalar().solid.flow = STABLE_FLUIDS_SCALAR_PERIODIC; }},
        {"solids of another kind", "flow at solids is 99",
         [](Plan& p) { p.scalar().solid.flow = 99; }},
        {"to be conserved, and heated by solids", "the surface of solids",
         [](Plan& p) {
             p.scalar().conserve = 1;
             p.scalars.back().solid = {STABLE_FLUIDS_FIXED_VALUE, 1.0f};
         }},
        {"an advection from nowhere", "advection is 99", [](Plan& p) { p.d.advection = 99; }},
        {"a splitting from nowhere", "splitting is 99", [](Plan& p) { p.d.splitting = 99; }},
        {"a backend from nowhere", "backend is 99", [](Plan& p) { p.d.backend = 99; }},
        {"a face from nowhere", "the back face's flow is 99",
         [](Plan& p) { p.d.faces[STABLE_FLUIDS_BACK].flow = 99; }},
        {"a scalar is joined where the fluid is not", "scalar 1",
         [](Plan& p) {
             p.scalar();
             p.scalar().faces[STABLE_FLUIDS_TOP].flow = STABLE_FLUIDS_SCALAR_PERIODIC;
         }},
        {"a scalar's wall has no number", "value",
         [&](Plan& p) {
             p.scalar().faces[STABLE_FLUIDS_TOP] = {STABLE_FLUIDS_FIXED_VALUE, nan};
         }},
        {"to be conserved, and can leave", "conserved",
         [](Plan& p) {
             p.scalar().conserve = 1;
             p.scalars.back().faces[STABLE_FLUIDS_LEFT].flow = STABLE_FLUIDS_FIXED_VALUE;
         }},
        {"a newer header", "no older", [](Plan& p) { p.d.size += 8; }},
        {"there is no such splitting", "splitting is 3", [](Plan& p) { p.d.splitting = 3; }},
        {"a splitting of less than 0", "splitting is -1", [](Plan& p) { p.d.splitting = -1; }},
        {"confinement is negative", "confinement", [](Plan& p) { p.d.confinement = -1.0f; }},
        {"confinement is no number", "confinement", [&](Plan& p) { p.d.confinement = nan; }},
        {"a share is infinite", "scalar 0's buoyancy",
         [&](Plan& p) {
             p.scalar();
             p.buoyancy = {{inf, 0.0f}};
         }},
        {"an ambient value is no number", "ambient",
         [&](Plan& p) {
             p.scalar();
             p.scalar();
             p.buoyancy = {{1.0f, 0.0f}, {1.0f, nan}};
         }},
        {"a push in no direction", "(0, -1, 0)",
         [&](Plan& p) {
             p.scalar();
             p.buoyancy = {{1.0f, 0.0f}};
             p.d.buoyancy_direction[1] = 0.0f;
         }},
        {"a push in a direction that is no number", "along z",
         [&](Plan& p) {
             p.scalar();
             p.buoyancy = {{1.0f, 0.0f}};
             p.d.buoyancy_direction[2] = nan;
         }},
    };
    std::set<std::string> lines;
    for (const Mistake& mistake : mistakes) {
        Plan plan({5, 4, 3});
        mistake.make(plan);
        const std::string line = refusal(plan);
        INFO(mistake.what << ": " << line);
        check_line(line);
        CHECK(line.find(mistake.word) != std::string::npos);
        CHECK(lines.insert(line).second);
    }
    INFO("and what is only unusual is not refused");
    for (const std::function<void(Plan&)>& unusual : std::vector<std::function<void(Plan&)>>{
             [&](Plan& p) {  // nothing pushes, so nobody asks in which direction
                 p.scalar();
                 p.buoyancy = {{0.0f, 300.0f}};
                 p.d.buoyancy_direction[0] = nan;
             },
             [](Plan& p) { p.d.nx = p.d.ny = p.d.nz = 1; }, [](Plan& p) { p.d.tolerance = 0.0f; },
             [](Plan& p) { p.d.cycles = 1000; }, [](Plan& p) { p.d.threads = 64; },
             [](Plan& p) { p.d.scalar_size = p.d.buoyancy_size = 0; },
             [](Plan& p) {
                 p.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {1.0f, 0.0f, 0.0f});
                 p.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_INFLOW, {0.0f, 0.8f, 0.0f});
             },
             [](Plan& p) {
                 p.d.nz = 1;  // then there are no faces along z
                 p.d.faces[STABLE_FLUIDS_FRONT].flow = 77;
             }}) {
        Plan plan({4, 5, 3});
        plan.d.nx = 5;
        plan.d.ny = 4;
        unusual(plan);
        const Fluid fluid(plan);
        CHECK(fluid.statistics().steps == 0);
    }
}

TEST_CASE("inflow through closed walls may add up to 0, and then it flows", "[interface]") {
    Plan plan({5, 4, 1}, 0.5f);
    plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {1.0f, 0.0f, 0.0f});
    plan.face(STABLE_FLUIDS_BOTTOM, STABLE_FLUIDS_INFLOW,
              {0.0f, 0.8f, 0.0f});  // is sucked out there
    plan.d.tolerance = 1e-5f;
    Fluid fluid(plan);
    fluid.step(0.1, 5);
    CHECK(fluid.statistics().pressure_residual <= 1e-5);
    CHECK(largest(fluid.read(STABLE_FLUIDS_DIVERGENCE)) < 1e-3);
}

TEST_CASE("each mistake in a call is refused with a line, and nothing is done", "[interface]") {
    Plan plan = busy_plan({5, 4, 3});
    Fluid fluid(plan);
    stable_fluids* handle = fluid.handle();
    CHECK(std::string(stable_fluids_error(handle)).empty());
    stir(fluid, 2);
    fluid.step(0.1);
    const std::vector<Field> before = state_of(fluid, 2);
    std::set<std::string> lines;
    const auto refused = [&](const char* what, stable_fluids_status status,
                             stable_fluids_status expected = STABLE_FLUIDS_INVALID) {
        const std::string line = stable_fluids_error(handle);
        INFO(what << ": " << line);
        CHECK(status == expected);
        check_line(line);
        CHECK(lines.insert(line).second);
    };
    std::vector<float> values(5 * 4 * 3, 1.0f);
    const auto set = [&](int field, std::size_t count) {
        return stable_fluids_set(handle, field, values.data(), count);
    };
    const int scalar = STABLE_FLUIDS_SCALAR(0);
    refused("too few values", set(scalar, 59));
    refused("too many values", set(scalar, 61));
    refused("a scalar's values for u", set(STABLE_FLUIDS_U, 60));
    refused("no such scalar", set(STABLE_FLUIDS_SCALAR(2), 60));
    refused("no such field", set(55, 60));
    refused("the pressure is computed", set(STABLE_FLUIDS_PRESSURE, 60));
    refused("the speed is computed", set(STABLE_FLUIDS_SPEED, 60));
    refused("no values", stable_fluids_set(handle, scalar, nullptr, 60));
    values[17] = std::numeric_limits<float>::quiet_NaN();
    refused("not a number", set(scalar, 60));
    CHECK(std::string(stable_fluids_error(handle))
              .find("scalar_0 at i = 2, j = 3, k = 0 is nan: it must be finite") == 0);
    values[17] = 1.0f;
    values[31] = -std::numeric_limits<float>::infinity();
    refused("infinite", stable_fluids_add(handle, scalar, values.data(), 60));
    CHECK(stable_fluids_read(handle, STABLE_FLUIDS_U, nullptr, 72) == STABLE_FLUIDS_INVALID);
    refused("too little room", stable_fluids_read(handle, scalar, values.data(), 58));
    refused("no shape", stable_fluids_shape(handle, scalar, nullptr));
    refused("dt is 0", stable_fluids_step(handle, 0.0f, 1));
    refused("dt is negative", stable_fluids_step(handle, -0.1f, 1));
    refused("dt is infinite",
            stable_fluids_step(handle, std::numeric_limits<float>::infinity(), 1));
    refused("dt is no number",
            stable_fluids_step(handle, std::numeric_limits<float>::quiet_NaN(), 1));
    refused("fewer steps than none", stable_fluids_step(handle, 0.1f, -2));
    refused("no statistics", stable_fluids_statistics_of(handle, nullptr));
    refused("no view", stable_fluids_view(handle, scalar, nullptr));
    check_same_bytes(state_of(fluid, 2), before);
    CHECK(fluid.statistics().steps == 1);
    stable_fluids_view_of_field view = {};
    CHECK(stable_fluids_view(handle, scalar, &view) == STABLE_FLUIDS_INVALID);
    stable_fluids_statistics statistics = {};
    CHECK(stable_fluids_statistics_of(handle, &statistics) == STABLE_FLUIDS_INVALID);
    INFO("without a fluid, the thread keeps the line");
    CHECK(stable_fluids_step(nullptr, 0.1f, 1) == STABLE_FLUIDS_INVALID);
    check_line(stable_fluids_error(nullptr));
    CHECK(stable_fluids_create(&plan.d, nullptr) == STABLE_FLUIDS_INVALID);
    stable_fluids* made = nullptr;
    CHECK(stable_fluids_create(nullptr, &made) == STABLE_FLUIDS_INVALID);
    CHECK(made == nullptr);
    INFO("and afterwards all is well");
    fluid.step(0.1);
}

TEST_CASE("numbers that outgrow a float are said to", "[interface]") {
    Plan plan({6, 5, 1});
    plan.all(STABLE_FLUIDS_FREE_SLIP);
    plan.scalar();
    Fluid fluid(plan);
    fluid.set(STABLE_FLUIDS_SCALAR(0), 3e38f);
    const Field more({6, 5, 1}, 3e38f);
    CHECK(stable_fluids_add(fluid.handle(), STABLE_FLUIDS_SCALAR(0), more.values.data(), 30) ==
          STABLE_FLUIDS_NOT_FINITE);
    check_line(stable_fluids_error(fluid.handle()));
    CHECK(fluid.read(STABLE_FLUIDS_SCALAR(0))(2, 2, 0) == 3e38f);
    fluid.set(STABLE_FLUIDS_SOURCE(0), 3e38f);
    CHECK(stable_fluids_step(fluid.handle(), 1.0f, 1) == STABLE_FLUIDS_NOT_FINITE);
    check_line(stable_fluids_error(fluid.handle()));
    Fluid pushed(plan);
    pushed.set(STABLE_FLUIDS_FORCE_X, bumpy({7, 5, 1}, 3));
    CHECK(stable_fluids_step(pushed.handle(), 3e38f, 3) == STABLE_FLUIDS_NOT_FINITE);
}

TEST_CASE("where the fluid lives", "[interface]") {
    Plan plan({6, 5, 1});
    const bool usable = std::string(stable_fluids_why_no_cuda()).empty();
    plan.d.backend = STABLE_FLUIDS_BEST;
    const Fluid best(plan);
    CHECK(best.statistics().backend == (usable ? STABLE_FLUIDS_CUDA : STABLE_FLUIDS_HOST));
    plan.d.backend = STABLE_FLUIDS_HOST;
    const Fluid host(plan);
    CHECK(host.statistics().backend == STABLE_FLUIDS_HOST);
    plan.d.backend = STABLE_FLUIDS_CUDA;
    if (usable) {
        const Fluid device(plan);
        CHECK(device.statistics().backend == STABLE_FLUIDS_CUDA);
    } else {
        check_line(stable_fluids_why_no_cuda());
        check_line(refusal(plan, STABLE_FLUIDS_NO_DEVICE));
    }
}
