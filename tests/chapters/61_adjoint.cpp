#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 3> boxes = {{{7, 5, 1}, {4, 9, 1}, {5, 3, 4}}};
constexpr double dt = 0.4;

std::string name_of(const std::array<int, 3>& box) {
    return "a box of " + words_of(box[0], box[1], box[2]);
}

/// A box that flows along every axis, up to `cells` cells a step, and holds dye. Its cells are half
/// as wide as the unit, its rho is 2, and a force acts.
Fluid flowing(const std::array<int, 3>& box, double cells, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(box[0], box[1], box[2], seed);
    fluid.h = 0.5;
    fluid.rho = 2.0;
    fluid.force_x = 0.3;
    fluid.force_y = -0.2;
    fluid.force_z = box[2] > 1 ? 0.1 : 0.0;
    fluid.solver = Solver::DIRECT;
    for (Field* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        for (double& value : faces->values) {
            value *= cells * fluid.h / dt;
        }
    }
    return fluid;
}

Field bumpy_like(const Field& field, std::uint32_t seed) {
    Field result = field;
    make_bumpy(result, seed);
    return result;
}

Velocity velocity_of(const Fluid& fluid) {
    return {fluid.u, fluid.v, fluid.w};
}

/// A velocity without any pattern, on the walls as well.
Velocity bumpy_velocity(const Fluid& fluid, std::uint32_t seed) {
    return {bumpy_like(fluid.u, seed), bumpy_like(fluid.v, seed + 1),
            bumpy_like(fluid.w, seed + 2)};
}

/// A velocity like that, through no wall.
Velocity bumpy_inside(const Fluid& fluid, std::uint32_t seed) {
    Fluid other = fluid;
    set_velocity(other, bumpy_velocity(fluid, seed));
    set_bnd(other);
    return velocity_of(other);
}

/// A derivative of a J that depends on no force yet.
Derivative bumpy_weights(const Fluid& fluid, std::uint32_t seed) {
    Derivative by = zero_derivative(fluid);
    by.velocity = bumpy_velocity(fluid, seed);
    by.density = bumpy_like(fluid.density, seed + 3);
    return by;
}

/// The same for a J that depends on forces, too.
Derivative bumpy_derivative(const Fluid& fluid, std::uint32_t seed) {
    Derivative by = bumpy_weights(fluid, seed);
    by.force = bumpy_velocity(fluid, seed + 4);
    return by;
}

double length(const Velocity& velocity) {
    return std::sqrt(dot(velocity, velocity));
}

double length(const Field& field) {
    return std::sqrt(dot(field, field));
}

/// Checks that <M x, y> is <x, M^T y>, to 1e-12 of the product of the lengths of M x and y.
void check_equal(double forwards, double backwards, double size) {
    INFO("<M x, y> is " << forwards << ", <x, M^T y> is " << backwards);
    REQUIRE(std::abs(forwards) > 1e-6 * size);  // else nothing would be compared
    CHECK(std::abs(forwards - backwards) <= 1e-12 * size);
}

/// What a run depends on: the first velocity, the first dye and the force on each face.
struct Start {
    Velocity velocity;
    Field density;
    Velocity force;
};

/// The points that every departure point of a run lies between.
using Cells = std::vector<std::array<int, 3>>;

void note_cells(Cells& cells, const Fluid& fluid) {
    const auto cell = [&](double x, double first, int n) {
        const double point = std::clamp(x / fluid.h - first, -0.5, n - 0.5);
        return n == 1 ? 0 : static_cast<int>(std::floor(point));
    };
    for (const Field* field : {&fluid.u, &fluid.v, &fluid.w, &fluid.density}) {
        const Vector first = field->origin;
        for_each_point(*field, [&](int i, int j, int k) {
            if (!is_given(fluid, *field, i, j, k)) {
                const Vector place = {fluid.h * (i + first.x), fluid.h * (j + first.y),
                                      fluid.h * (k + first.z)};
                const Vector from = trace_back(fluid, place, dt);
                cells.push_back({cell(from.x, first.x, field->nx), cell(from.y, first.y, field->ny),
                                 cell(from.z, first.z, field->nz)});
            }
        });
    }
}

/// J of a run, told without run_forwards: the products of the last state with `weights`.
struct Told {
    double J;
    Cells cells;
};

Told told(Fluid fluid, const Start& start, int steps, const Derivative& weights) {
    set_velocity(fluid, start.velocity);
    fluid.density = start.density;
    set_bnd(fluid);
    Told result = {0.0, {}};
    for (int n = 0; n < steps; ++n) {
        note_cells(result.cells, fluid);
        advect_velocity(fluid, dt);
        add_force(fluid, dt);
        Velocity velocity = velocity_of(fluid);
        add_scaled(velocity, dt, start.force);
        set_velocity(fluid, velocity);
        project(fluid, dt);
        note_cells(result.cells, fluid);
        advect_density(fluid, dt);
    }
    result.J = dot(velocity_of(fluid), weights.velocity) + dot(fluid.density, weights.density);
    return result;
}

Start start_of(const Fluid& fluid) {
    return {velocity_of(fluid), fluid.density, zero_derivative(fluid).velocity};
}

/// The derivative of that J by all that the run depends on, by the chapter's functions.
Derivative derivative_of(Fluid fluid, int steps, const Derivative& weights) {
    const std::vector<State> states = run_forwards(fluid, steps, dt);
    const std::vector<Derivative> derivatives = run_backwards(fluid, states, weights, dt);
    REQUIRE(derivatives.size() == states.size());
    return derivatives.front();
}

/// The numbers of one field of a run's start, and the derivatives by them.
struct Entries {
    std::string name;
    Field& (*of)(Start&);
    const Field& (*by)(const Derivative&);
};

const std::vector<Entries> all_entries = {
    {"u", [](Start& s) -> Field& { return s.velocity.u; },
     [](const Derivative& d) -> const Field& { return d.velocity.u; }},
    {"v", [](Start& s) -> Field& { return s.velocity.v; },
     [](const Derivative& d) -> const Field& { return d.velocity.v; }},
    {"w", [](Start& s) -> Field& { return s.velocity.w; },
     [](const Derivative& d) -> const Field& { return d.velocity.w; }},
    {"dye", [](Start& s) -> Field& { return s.density; },
     [](const Derivative& d) -> const Field& { return d.density; }},
    {"the force along x", [](Start& s) -> Field& { return s.force.u; },
     [](const Derivative& d) -> const Field& { return d.force.u; }},
    {"the force along y", [](Start& s) -> Field& { return s.force.v; },
     [](const Derivative& d) -> const Field& { return d.force.v; }},
};

}  // namespace

// ---- Each operation's transpose ----------------------------------------------------------------

TEST_CASE("what interpolate reads, its transpose adds", "[61_adjoint]") {
    Field two(2, 1, 1, {0.5, 0.5, 0.5});
    interpolate_adjoint(two, 1.0, {0.75, 0.5, 0.5}, 8.0);
    INFO("a quarter of a cell from the first centre to the second: 3/4 of 8 and 1/4 of 8");
    check_values(two, {6.0, 2.0}, "field");
    interpolate_adjoint(two, 1.0, {0.75, 0.5, 0.5}, 4.0);
    INFO("it adds to what is there");
    check_values(two, {9.0, 3.0}, "field");
    for (const auto& box : boxes) {
        Fluid fluid(box[0], box[1], box[2]);
        const double h = 0.5;
        for (const Field* like : {&fluid.u, &fluid.v, &fluid.w, &fluid.density}) {
            const Field x = bumpy_like(*like, 3);
            Field places(17, 3, 1, {0, 0, 0});
            make_bumpy(places, 5);
            for (int n = 0; n < places.nx; ++n) {
                const Vector place = {h * box[0] * (0.5 + 0.6 * places(n, 0, 0)),
                                      h * box[1] * (0.5 + 0.6 * places(n, 1, 0)),
                                      h * box[2] * (0.5 + 0.6 * places(n, 2, 0))};
                Field spread = *like;
                interpolate_adjoint(spread, h, place, 2.5);
                INFO(name_of(box) << ", place " << n << ": some lie beyond the walls");
                CHECK_THAT(dot(x, spread), WithinAbs(2.5 * interpolate(x, h, place), 1e-12));
            }
        }
    }
}

TEST_CASE("advect's transpose by the field that is carried", "[61_adjoint]") {
    for (const auto& box : boxes) {
        const Fluid fluid = flowing(box, 1.7, 3);
        for (const Field* like : {&fluid.u, &fluid.v, &fluid.w, &fluid.density}) {
            const Field d0 = bumpy_like(*like, 11);
            const Field by_d = bumpy_like(*like, 12);
            Field carried(like->nx, like->ny, like->nz, like->origin);  // 0 where it is left alone
            advect(fluid, carried, d0, dt);
            Field by_d0(like->nx, like->ny, like->nz, like->origin);
            advect_adjoint(fluid, by_d, by_d0, dt);
            INFO(name_of(box) << ", a field of " << words_of(like->nx, like->ny, like->nz));
            if (length(carried) == 0.0) {  // all of w is given where there is one layer
                CHECK(length(by_d0) == 0.0);
                continue;
            }
            check_equal(dot(carried, by_d), dot(d0, by_d0), length(carried) * length(by_d));
            Field twice = by_d0;
            advect_adjoint(fluid, by_d, twice, dt);
            add_scaled(twice, -2.0, by_d0);
            INFO("it adds to what is there");
            CHECK(largest(twice) <= 1e-12);
        }
    }
}

TEST_CASE("advect's transpose by the velocity that carries", "[61_adjoint]") {
    for (const auto& box : boxes) {
        const Fluid fluid = flowing(box, 1.7, 5);
        const Velocity change = bumpy_velocity(fluid, 21);
        for (const Field* like : {&fluid.u, &fluid.v, &fluid.w, &fluid.density}) {
            const Field d0 = bumpy_like(*like, 13);
            const Field by_d = bumpy_like(*like, 14);
            // How each value that is carried changes with the velocity. Within a cell interpolation
            // is smooth, so this can be told by its slope in a direction, without trace_adjoint.
            double forwards = 0.0;
            double size = 0.0;
            for_each_point(*like, [&](int i, int j, int k) {
                if (is_given(fluid, *like, i, j, k)) {
                    return;
                }
                const double h = fluid.h;
                const Vector place = {h * (i + like->origin.x), h * (j + like->origin.y),
                                      h * (k + like->origin.z)};
                const Vector from = trace_back(fluid, place, dt);
                const Vector slope = gradient_at(d0, h, from);
                const double carried = -dt * (slope.x * interpolate(change.u, h, place) +
                                              slope.y * interpolate(change.v, h, place) +
                                              slope.z * interpolate(change.w, h, place));
                forwards += carried * by_d(i, j, k);
                size += std::abs(carried * by_d(i, j, k));
            });
            Velocity by_velocity = zero_derivative(fluid).velocity;
            trace_adjoint(fluid, d0, by_d, by_velocity, dt);
            INFO(name_of(box) << ", a field of " << words_of(like->nx, like->ny, like->nz));
            if (size == 0.0) {
                CHECK(length(by_velocity) == 0.0);  // w in one layer
                continue;
            }
            check_equal(forwards, dot(change, by_velocity), size);
        }
    }
}

TEST_CASE("a faster flow brings what lies further upstream", "[61_adjoint]") {
    Fluid fluid(4, 1, 1);
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), 0.5);
    const Field before = [&] {
        Field dye = fluid.density;
        dye.values = {0.0, 1.0, 5.0, 7.0};
        return dye;
    }();
    Derivative by = zero_derivative(fluid);
    by.density(2, 0, 0) = 1.0;
    advect_density_adjoint(fluid, before, by, 1.0);
    INFO("cell 2 gets half of cell 1 and half of cell 2, and J is its dye");
    check_values(by.density, {0.0, 0.5, 0.5, 0.0}, "by the dye");
    INFO("its slope upstream is 4 a cell; half of its velocity is that of the face on either side");
    check_values(by.velocity.u, {0.0, 0.0, -2.0, -2.0, 0.0}, "by u");
}

TEST_CASE("advecting the velocity has a derivative of two parts", "[61_adjoint]") {
    for (const auto& box : boxes) {
        const Fluid fluid = flowing(box, 1.7, 7);
        const Velocity change = bumpy_velocity(fluid, 31);
        Derivative by = bumpy_derivative(fluid, 33);
        const Derivative weights = by;
        const auto J_at = [&](double factor) {
            Fluid other = fluid;
            Velocity velocity = velocity_of(fluid);
            add_scaled(velocity, factor, change);
            set_velocity(other, velocity);
            Cells cells;
            note_cells(cells, other);
            advect_velocity(other, dt);
            return Told{dot(velocity_of(other), weights.velocity), cells};
        };
        const double eps = 1e-6;
        const Told more = J_at(eps);
        const Told less = J_at(-eps);
        const bool is_smooth = more.cells == less.cells;
        REQUIRE(is_smooth);
        advect_velocity_adjoint(fluid, by, dt);
        const double expected = (more.J - less.J) / (2.0 * eps);
        INFO(name_of(box) << ": velocity is carried, and it carries. By differences " << expected);
        CHECK_THAT(dot(change, by.velocity), WithinAbs(expected, 1e-7 * length(weights.velocity)));
        INFO("the derivative by the dye stays as it was");
        CHECK(by.density == weights.density);
    }
}

TEST_CASE("add_force's transpose", "[61_adjoint]") {
    for (const auto& box : boxes) {
        Fluid fluid = flowing(box, 1.0, 9);
        const Velocity x = bumpy_velocity(fluid, 41);
        const Derivative weights = bumpy_derivative(fluid, 43);
        const Velocity force = {bumpy_like(fluid.u, 51), bumpy_like(fluid.v, 52),
                                bumpy_like(fluid.w, 53)};
        Fluid pushed = fluid;
        set_velocity(pushed, x);
        Velocity velocity = velocity_of(pushed);
        add_scaled(velocity, dt, force);
        set_velocity(pushed, velocity);
        set_bnd(pushed);
        Derivative by = weights;
        add_force_adjoint(fluid, by, dt);
        Velocity by_force = by.force;
        add_scaled(by_force, -1.0, weights.force);  // what is new
        INFO(name_of(box));
        check_equal(dot(velocity_of(pushed), weights.velocity),
                    dot(x, by.velocity) + dot(force, by_force),
                    length(weights.velocity) * length(x));
        INFO("the fluid's own velocity stays");
        CHECK(distance(fluid.u, flowing(box, 1.0, 9).u) == 0.0);
    }
}

TEST_CASE("a projection is its own transpose", "[61_adjoint]") {
    for (const auto& box : boxes) {
        Fluid fluid = flowing(box, 1.0, 11);
        const Velocity x = bumpy_velocity(fluid, 61);
        const Derivative weights = bumpy_derivative(fluid, 63);
        Fluid one = fluid;
        set_velocity(one, x);
        project(one, dt);
        Derivative by = weights;
        project_adjoint(fluid, by, dt);
        INFO(name_of(box));
        check_equal(dot(velocity_of(one), weights.velocity), dot(x, by.velocity),
                    length(weights.velocity) * length(x));
        INFO("the fluid's own velocity stays, and so does the derivative by the dye");
        CHECK(distance(fluid.u, flowing(box, 1.0, 11).u) == 0.0);
        CHECK(by.density == weights.density);
    }
}

// ---- A whole run -------------------------------------------------------------------------------

TEST_CASE("the transposed step is a step's derivative", "[61_adjoint]") {
    for (const auto& box : boxes) {
        Fluid fluid = flowing(box, 0.9, 13);
        const Derivative weights = bumpy_weights(fluid, 73);
        const Start change = {bumpy_inside(fluid, 81), bumpy_like(fluid.density, 84),
                              bumpy_velocity(fluid, 85)};
        const auto told_at = [&](double factor) {
            Start start = start_of(fluid);
            add_scaled(start.velocity, factor, change.velocity);
            add_scaled(start.density, factor, change.density);
            add_scaled(start.force, factor, change.force);
            return told(fluid, start, 1, weights);
        };
        const double eps = 1e-6;
        const Told more = told_at(eps);
        const Told less = told_at(-eps);
        const bool is_smooth = more.cells == less.cells;
        REQUIRE(is_smooth);
        Fluid scratch = fluid;
        const State before = {velocity_of(fluid), fluid.density};
        step(scratch, dt);
        const State after = {velocity_of(scratch), scratch.density};
        Derivative by = weights;
        step_adjoint(scratch, before, after, by, dt);
        const double expected = (more.J - less.J) / (2.0 * eps);
        const double found = dot(change.velocity, by.velocity) + dot(change.density, by.density) +
                             dot(change.force, by.force);
        INFO(name_of(box) << ": by differences " << expected << ", by the adjoint " << found);
        CHECK(std::abs(found - expected) <= 1e-7 * length(weights.velocity));
    }
}

TEST_CASE("derivatives of twenty steps are those by central differences", "[61_adjoint]") {
    for (const auto& box : {std::array{12, 9, 1}, std::array{6, 5, 4}}) {
        const Fluid fluid = flowing(box, 0.8, 17);
        const Derivative weights = bumpy_weights(fluid, 91);
        const Derivative by = derivative_of(fluid, 20, weights);
        std::uint32_t random = 7;
        int compared = 0;
        for (const Entries& entries : all_entries) {
            const Field& found = entries.by(by);
            const double size = largest(found);
            for (int tries = 0; tries < 6; ++tries) {
                random = random * 1664525u + 1013904223u;
                const std::size_t at = (random >> 8) % found.values.size();
                Start start = start_of(fluid);
                double& number = entries.of(start).values[at];
                const double middle = number;
                const double eps = 2e-6;
                number = middle + eps;
                const Told more = told(fluid, start, 20, weights);
                number = middle - eps;
                const Told less = told(fluid, start, 20, weights);
                if (more.cells != less.cells) {
                    continue;  // a kink lies between the two
                }
                const double expected = (more.J - less.J) / (2.0 * eps);
                if (expected == 0.0 && found.values[at] != 0.0) {
                    FAIL(
                        "set_bnd removes the velocity in a wall, so the derivative by it is 0: "
                        "call "
                        "set_bnd_adjoint");
                }
                INFO(name_of(box) << ", by number " << at << " of " << entries.name
                                  << ": by differences " << expected << ", by the adjoint "
                                  << found.values[at]);
                CHECK(std::abs(found.values[at] - expected) <= 1e-6 * size);
                ++compared;
            }
        }
        INFO("of 36 numbers, " << compared << " have no kink beside them");
        CHECK(compared >= 20);
    }
}

TEST_CASE("half the change leaves a quarter of the remainder", "[61_adjoint]") {
    const Fluid fluid = flowing({12, 9, 1}, 0.8, 19);
    const Derivative weights = bumpy_weights(fluid, 93);
    const Derivative by = derivative_of(fluid, 20, weights);
    const Velocity direction = bumpy_inside(fluid, 95);
    const auto remainder = [&](double factor) {
        Start start = start_of(fluid);
        add_scaled(start.velocity, factor, direction);
        return told(fluid, start, 20, weights).J - told(fluid, start_of(fluid), 20, weights).J -
               factor * dot(direction, by.velocity);
    };
    for (const double factor : {1e-4, 5e-5}) {
        const double ratio = remainder(factor) / remainder(0.5 * factor);
        INFO("a change of " << factor << ", and half of it: the remainders' ratio is " << ratio);
        CHECK_THAT(ratio, WithinAbs(4.0, 0.2));
    }
}

TEST_CASE("each state has its derivative", "[61_adjoint]") {
    Fluid fluid = flowing({6, 7, 1}, 0.8, 23);
    const Derivative weights = bumpy_weights(fluid, 97);
    const std::vector<State> states = run_forwards(fluid, 6, dt);
    REQUIRE(states.size() == 7);
    const std::vector<Derivative> all = run_backwards(fluid, states, weights, dt);
    REQUIRE(all.size() == 7);
    INFO("the last one is what the run begins with");
    CHECK(all.back().density == weights.density);
    for (const int begun : {2, 5}) {
        const std::vector<State> rest(states.begin() + begun, states.end());
        const std::vector<Derivative> of_rest = run_backwards(fluid, rest, weights, dt);
        REQUIRE(of_rest.size() == rest.size());
        INFO("a run from state " << begun << " on");
        CHECK(distance(of_rest[0].density, all[begun].density) == 0.0);
        CHECK(distance(of_rest[0].velocity.u, all[begun].velocity.u) == 0.0);
        CHECK(distance(of_rest[0].force.v, all[begun].force.v) == 0.0);
    }
    INFO("the force of six steps counts more than that of one");
    CHECK(length(all[0].force) > 1.5 * length(all[5].force));
}

TEST_CASE("dye that is only carried is linear in the dye", "[61_adjoint]") {
    Fluid fluid = flowing({9, 8, 1}, 0.7, 29);
    const Field first = fluid.density;
    Derivative by = zero_derivative(fluid);
    by.density(4, 5, 0) = 1.0;
    const std::vector<State> states = run_forwards(fluid, 8, dt);
    const std::vector<Derivative> all = run_backwards(fluid, states, by, dt);
    REQUIRE(all.size() == 9);
    for (std::size_t n = 0; n < all.size(); ++n) {
        INFO("step " << n << ": the dye of then, each cell by its derivative, adds up to the J of "
                     << "the end");
        CHECK_THAT(dot(states[n].density, all[n].density),
                   WithinAbs(states.back().density(4, 5, 0), 1e-12));
    }
    INFO("equal dye everywhere stays equal, so the derivatives by the dye add up to 1");
    double sum = 0.0;
    for (const double value : all[0].density.values) {
        sum += value;
    }
    CHECK_THAT(sum, WithinAbs(1.0, 1e-12));
}

TEST_CASE("a run of no steps, and what has no way back", "[61_adjoint]") {
    Fluid fluid = flowing({5, 4, 1}, 0.7, 31);
    const Derivative by = bumpy_weights(fluid, 99);
    INFO("no step at all: the derivative is the one that was given");
    const std::vector<Derivative> all = run_backwards(fluid, run_forwards(fluid, 0, dt), by, dt);
    REQUIRE(all.size() == 1);
    CHECK(all[0].density == by.density);
    CHECK(distance(all[0].velocity.u, by.velocity.u) == 0.0);
    for (const Advection advection : {Advection::SHARP, Advection::REFLECTED}) {
        fluid.advection = advection;
        CHECK_THROWS_AS(run_forwards(fluid, 3, dt), std::invalid_argument);
    }
}
