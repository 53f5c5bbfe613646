#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 3> boxes = {{{7, 5, 1}, {4, 9, 1}, {5, 3, 4}}};

std::string name_of(const std::array<int, 3>& box) {
    return "a box of " + words_of(box[0], box[1], box[2]);
}

Fluid empty_fluid(const std::array<int, 3>& box) {
    Fluid fluid(box[0], box[1], box[2]);
    fluid.h = 0.5;
    fluid.solver = Solver::DIRECT;
    fluid.tolerance = 1e-14;
    return fluid;
}

Velocity bumpy_velocity(const Fluid& fluid, std::uint32_t seed) {
    Fluid other = fluid;
    make_bumpy(other.u, seed);
    make_bumpy(other.v, seed + 1);
    make_bumpy(other.w, seed + 2);
    set_bnd(other);
    return {other.u, other.v, other.w};
}

Numbers bumpy_numbers(std::size_t count, std::uint32_t seed) {
    Field field(static_cast<int>(count), 1, 1, {0, 0, 0});
    make_bumpy(field, seed);
    return field.values;
}

/// A disk of dye at one place of a box.
Field disk_at(const Fluid& fluid, double x, double y, double radius) {
    Field dye = fluid.density;
    for_each_point(dye, [&](int i, int j, int k) {
        const double away = std::hypot(i + 0.5 - x * fluid.nx, j + 0.5 - y * fluid.ny) / fluid.nx;
        dye(i, j, k) = 1.0 / (1.0 + std::exp(30.0 * (away - radius)));
    });
    return dye;
}

/// Dye is to come from one place to two others.
Task moving_task(const std::array<int, 3>& box, Control control) {
    Fluid start = empty_fluid(box);
    const Velocity stir = bumpy_velocity(start, 3);
    set_velocity(start, stir);
    start.density = disk_at(start, 0.3, 0.4, 0.2);
    Task task = {start,   {{3, disk_at(start, 0.5, 0.5, 0.2)}, {6, disk_at(start, 0.7, 0.5, 0.2)}},
                 6,       0.1,
                 control, 2,
                 0.05};
    return task;
}

std::size_t count_of(const Task& task) {
    const Fluid& fluid = task.start;
    switch (task.control) {
        case Control::VISCOSITY:
            return 1;
        case Control::SOURCE:
            return fluid.density.values.size();
        default:
            return fluid.u.values.size() + fluid.v.values.size() + fluid.w.values.size();
    }
}

/// A valley that bends: Rosenbrock's function, whose least value is 0 at (1, 1).
Value rosenbrock(const Numbers& x) {
    const double a = 1.0 - x[0];
    const double b = x[1] - x[0] * x[0];
    return {a * a + 100.0 * b * b, {-2.0 * a - 400.0 * x[0] * b, 200.0 * b}};
}

/// A bowl that is steep along one axis and flat along another.
Value bowl(const Numbers& x) {
    const double weights[] = {1.0, 30.0, 5.0, 100.0};
    Value value = {0.0, x};
    for (std::size_t n = 0; n < x.size(); ++n) {
        value.J += 0.5 * weights[n] * x[n] * x[n];
        value.gradient[n] = weights[n] * x[n];
    }
    return value;
}

Eigen::VectorXd as_vector(const Numbers& numbers) {
    return Eigen::VectorXd::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

/// The inverse of J's second derivatives as BFGS has it, as a whole matrix (Nocedal and Wright,
/// equation 6.17).
Eigen::MatrixXd whole_matrix(const std::vector<Change>& changes) {
    const Eigen::VectorXd last_x = as_vector(changes.back().x);
    const Eigen::VectorXd last_gradient = as_vector(changes.back().gradient);
    const auto size = last_x.size();
    Eigen::MatrixXd H = Eigen::MatrixXd::Identity(size, size) * last_x.dot(last_gradient) /
                        last_gradient.dot(last_gradient);
    for (const Change& change : changes) {
        const Eigen::VectorXd s = as_vector(change.x);
        const Eigen::VectorXd y = as_vector(change.gradient);
        const Eigen::MatrixXd V =
            Eigen::MatrixXd::Identity(size, size) - y * s.transpose() / s.dot(y);
        H = V.transpose() * H * V + s * s.transpose() / s.dot(y);
    }
    return H;
}

/// A fluid's dye after every second step, of 20 in all, as targets.
std::vector<Target> ten_pictures_of(Fluid fluid) {
    std::vector<Target> pictures;
    for (int n = 1; n <= 20; ++n) {
        step(fluid, 0.05);
        if (n % 2 == 0) {
            pictures.push_back({n, fluid.density});
        }
    }
    return pictures;
}

}  // namespace

// ---- Viscosity, forwards and backwards ---------------------------------------------------------

TEST_CASE("viscosity's transpose is viscosity, and has a derivative by nu", "[62_control]") {
    const double dt = 0.3;
    for (const auto& box : boxes) {
        Fluid fluid = empty_fluid(box);
        fluid.nu = 0.4;
        const Velocity before = bumpy_velocity(fluid, 5);
        Derivative by = zero_derivative(fluid);
        by.velocity = bumpy_velocity(fluid, 7);
        const Velocity weights = by.velocity;
        const auto J_at = [&](double nu) {
            Fluid other = fluid;
            other.nu = nu;
            set_velocity(other, before);
            diffuse_velocity(other, dt);
            return dot({other.u, other.v, other.w}, weights);
        };
        set_velocity(fluid, before);
        diffuse_velocity(fluid, dt);
        const Field u = fluid.u;
        diffuse_velocity_adjoint(fluid, before, by, dt);
        INFO(name_of(box) << ": <A^-1 x, y> is <x, A^-1 y>");
        CHECK_THAT(dot(before, by.velocity), WithinAbs(J_at(0.4), 1e-11));
        const double eps = 1e-5;
        const double expected = (J_at(0.4 + eps) - J_at(0.4 - eps)) / (2.0 * eps);
        INFO("by nu: by differences " << expected << ", by the adjoint " << by.nu);
        CHECK_THAT(by.nu, WithinAbs(expected, 1e-7 * std::abs(expected)));
        INFO("the fluid's own velocity stays");
        CHECK(distance(fluid.u, u) == 0.0);
    }
}

// ---- A source of dye, forwards and backwards ---------------------------------------------------

TEST_CASE("dye comes from a source at the end of each step", "[62_control]") {
    Fluid fluid = empty_fluid({4, 3, 2});
    fluid.source(2, 1, 1) = 5.0;
    fluid.source(3, 0, 0) = -1.0;
    step(fluid, 0.2);
    INFO("5 in a second are 1 in 0.2 seconds, and nothing moves");
    CHECK_THAT(fluid.density(2, 1, 1), WithinAbs(1.0, 1e-14));
    CHECK_THAT(fluid.density(3, 0, 0), WithinAbs(-0.2, 1e-14));
    step(fluid, 0.2);
    CHECK_THAT(fluid.density(2, 1, 1), WithinAbs(2.0, 1e-14));
    Derivative by = zero_derivative(fluid);
    by.density(2, 1, 1) = 3.0;
    by.source(2, 1, 1) = 0.25;
    add_source_adjoint(by, 0.2);
    INFO("the derivative by the source adds up, dt times that by the dye");
    CHECK_THAT(by.source(2, 1, 1), WithinAbs(0.85, 1e-14));
    CHECK(by.source(3, 0, 0) == 0.0);
    CHECK(by.density(2, 1, 1) == 3.0);
}

// ---- What is searched for ----------------------------------------------------------------------

TEST_CASE("smooth is its own transpose", "[62_control]") {
    for (const auto& box : boxes) {
        const Fluid fluid = empty_fluid(box);
        const Velocity x = bumpy_velocity(fluid, 11);
        const Velocity y = bumpy_velocity(fluid, 13);
        for (Field Velocity::*faces : {&Velocity::u, &Velocity::v, &Velocity::w}) {
            Field smooth_x = x.*faces;
            Field smooth_y = y.*faces;
            smooth(fluid, smooth_x);
            smooth(fluid, smooth_y);
            INFO(name_of(box) << ": <K x, y> is <x, K y>");
            CHECK_THAT(dot(smooth_x, y.*faces), WithinAbs(dot(x.*faces, smooth_y), 1e-13));
            CHECK(dot(smooth_x, smooth_x) <= 0.7 * dot(x.*faces, x.*faces));
        }
    }
    Fluid fluid = empty_fluid({7, 5, 3});
    fluid.u(3, 2, 1) = 12.0;
    smooth(fluid, fluid.u);
    INFO("a push of 12 in the middle: half of it stays, and a twelfth goes to each neighbour");
    CHECK_THAT(fluid.u(3, 2, 1), WithinAbs(6.0, 1e-14));
    for (const auto& [di, dj, dk] : neighbours) {
        CHECK_THAT(fluid.u(3 + di, 2 + dj, 1 + dk), WithinAbs(1.0, 1e-14));
    }
    CHECK(fluid.u(4, 3, 1) == 0.0);
    Fluid beside = empty_fluid({7, 5, 3});
    beside.u(1, 2, 1) = 12.0;
    smooth(beside, beside.u);
    {
        INFO("a face in a wall stays 0, also beside a push of 12");
        CHECK(beside.u(0, 2, 1) == 0.0);
        CHECK_THAT(beside.u(1, 2, 1), WithinAbs(6.0, 1e-14));
    }
    Fluid flat = empty_fluid({7, 5, 1});
    flat.u(3, 0, 0) = 12.0;
    smooth(flat, flat.u);
    INFO("beyond a wall the face is its own neighbour; a box of one layer has two such walls");
    CHECK_THAT(flat.u(3, 0, 0), WithinAbs(9.0, 1e-14));
    CHECK_THAT(flat.u(3, 1, 0), WithinAbs(1.0, 1e-14));
}

TEST_CASE("a run begins with what the search has chosen", "[62_control]") {
    Task task = moving_task({7, 5, 1}, Control::FIRST_VELOCITY);
    const Numbers numbers = bumpy_numbers(count_of(task), 17);
    Velocity push = velocity_from(task.start, numbers);
    set_bnd_adjoint(task.start, push);
    smooth_velocity(task.start, push, 2);
    Fluid expected = task.start;
    add_scaled(push, 1.0, {expected.u, expected.v, expected.w});
    set_velocity(expected, push);
    project(expected, task.dt);
    const Fluid begun = fluid_with(task, numbers);
    INFO("the velocity of the start and the push, smoothed twice and projected");
    CHECK(distance(begun.u, expected.u) < 1e-12);
    CHECK(distance(begun.v, expected.v) < 1e-12);
    CHECK(largest_divergence(begun) < 1e-12);

    task.control = Control::HELD_FORCE;
    const Fluid forced = fluid_with(task, numbers);
    add_scaled(push, -1.0, {task.start.u, task.start.v, task.start.w});
    INFO("a force leaves the velocity alone, and is smoothed, too");
    CHECK(distance(forced.u, task.start.u) == 0.0);
    CHECK(distance(forced.force_u, push.u) < 1e-14);
    CHECK(distance(forced.force_v, push.v) < 1e-14);

    task.control = Control::SOURCE;
    const Fluid fed = fluid_with(task, bumpy_numbers(count_of(task), 18));
    INFO("a source is the number of its cell, and the velocity stays");
    CHECK(fed.source.values == bumpy_numbers(count_of(task), 18));
    CHECK(distance(fed.u, task.start.u) == 0.0);

    task.control = Control::VISCOSITY;
    INFO("the number is the logarithm of nu");
    CHECK_THAT(fluid_with(task, {-2.0}).nu, WithinAbs(std::exp(-2.0), 1e-15));
}

TEST_CASE("J's gradient is that by differences", "[62_control]") {
    for (const Control control :
         {Control::FIRST_VELOCITY, Control::HELD_FORCE, Control::SOURCE, Control::VISCOSITY}) {
        for (const auto& box : {std::array{7, 6, 1}, std::array{5, 4, 3}}) {
            const Task task = moving_task(box, control);
            Numbers numbers = bumpy_numbers(count_of(task), 19);
            const Value value = evaluate(task, numbers);
            REQUIRE(value.gradient.size() == numbers.size());
            const Numbers direction = bumpy_numbers(count_of(task), 23);
            const double eps = 1e-6;
            Numbers more = numbers;
            Numbers less = numbers;
            add_scaled(more, eps, direction);
            add_scaled(less, -eps, direction);
            const double expected = (evaluate(task, more).J - evaluate(task, less).J) / (2.0 * eps);
            const double found = dot(direction, value.gradient);
            INFO(name_of(box) << ", control " << static_cast<int>(control) << ": by differences "
                              << expected << ", by the adjoint " << found);
            REQUIRE(std::abs(expected) > 1e-6);
            CHECK(std::abs(found - expected) <= 2e-6 * std::abs(expected));
        }
    }
}

TEST_CASE("J is the share of the first mismatch, and the price", "[62_control]") {
    Task task = moving_task({7, 6, 1}, Control::FIRST_VELOCITY);
    const Fluid empty = empty_fluid({7, 6, 1});
    set_velocity(task.start, {empty.u, empty.v, empty.w});
    const Numbers nothing(count_of(task), 0.0);
    INFO("nobody pushes, and nothing moves: J is 1");
    CHECK_THAT(evaluate(task, nothing).J, WithinAbs(1.0, 1e-14));
    const Numbers push = bumpy_numbers(count_of(task), 29);
    const double with_price = evaluate(task, push).J;
    task.price = 0.0;
    INFO("the price is half of 0.05 times the mean square of the push");
    CHECK_THAT(with_price - evaluate(task, push).J,
               WithinAbs(0.025 * dot(push, push) / static_cast<double>(push.size()), 1e-14));
    task.targets = {{6, task.start.density}};
    INFO("where all is as wanted from the start, J is not divided by 0");
    CHECK_THAT(evaluate(task, nothing).J, WithinAbs(0.0, 1e-14));
}

// ---- The search --------------------------------------------------------------------------------

TEST_CASE("L-BFGS goes where the whole matrix says", "[62_control]") {
    const Numbers gradient = {1.0, -2.0, 3.0, 0.5};
    const Numbers without = bfgs_direction({}, gradient);
    REQUIRE(without.size() == 4);
    INFO("without any changes: straight down the gradient");
    CHECK(as_vector(without) == -as_vector(gradient));
    std::vector<Change> changes;
    for (const std::uint32_t seed : {31u, 37u, 41u}) {
        const Numbers x = bumpy_numbers(4, seed);
        changes.push_back({x, bowl(x).gradient});  // the bowl's gradient is linear
        const Numbers found = bfgs_direction(changes, gradient);
        REQUIRE(found.size() == 4);
        const Eigen::VectorXd expected = -whole_matrix(changes) * as_vector(gradient);
        INFO(changes.size() << " changes");
        CHECK((as_vector(found) - expected).norm() < 1e-12 * expected.norm());
        const Numbers back = bfgs_direction(changes, changes.back().gradient);
        INFO("the last change of the gradient leads to the last change of x");
        CHECK((as_vector(back) + as_vector(x)).norm() < 1e-12);
    }
}

TEST_CASE("a search goes down a valley that bends", "[62_control]") {
    int evaluations[2] = {0, 0};
    for (const Method method : {Method::DESCENT, Method::BFGS}) {
        Search search = begin_search(rosenbrock, {-1.2, 1.0}, method, 0.1);
        REQUIRE(search.history.size() == 1);
        for (int steps = 0; steps < 2000 && search.value.J > 1e-8 && !search.is_done; ++steps) {
            const double before = search.value.J;
            const std::size_t evaluated = search.history.size();
            search_step(search, rosenbrock);
            INFO("no step goes up, and each evaluation is noted");
            REQUIRE(search.value.J <= before);
            REQUIRE(search.history.size() > evaluated);
            REQUIRE(search.history.back() == search.value.J);
            REQUIRE(search.changes.size() <= (method == Method::BFGS ? 10u : 0u));
        }
        evaluations[static_cast<int>(method)] = static_cast<int>(search.history.size());
    }
    INFO("descent takes " << evaluations[0] << " evaluations, L-BFGS " << evaluations[1]);
    CHECK(evaluations[1] < 70);
    CHECK(evaluations[0] > 1000);
}

TEST_CASE("the first try is as short as it was asked to be", "[62_control]") {
    for (const double first : {3.0, 0.02}) {
        std::vector<Numbers> tried;
        const auto watched = [&](const Numbers& x) {
            tried.push_back(x);
            return bowl(x);
        };
        Search search = begin_search(watched, {1.0, 1.0, 1.0, 1.0}, Method::BFGS, first);
        search_step(search, watched);
        REQUIRE(tried.size() >= 2);
        INFO("the steepest of four numbers changes by " << first);
        CHECK_THAT(tried[1][3], WithinAbs(1.0 - first, 1e-14));
        CHECK_THAT(tried[1][0], WithinAbs(1.0 - 0.01 * first, 1e-14));
        if (first == 3.0) {
            INFO("that is too far, so half of it is next");
            REQUIRE(tried.size() >= 3);
            CHECK_THAT(tried[2][3], WithinAbs(-0.5, 1e-14));
        }
    }
    INFO("at the lowest point no direction leads down, and the search says so");
    Search search = begin_search(bowl, {0.0, 0.0, 0.0, 0.0}, Method::BFGS, 1.0);
    search_step(search, bowl);
    CHECK(search.is_done);
}

TEST_CASE("a search pushes dye to where it is wanted", "[62_control]") {
    Fluid start = empty_fluid({16, 12, 1});
    start.h = 1.0 / 16.0;
    start.density = disk_at(start, 0.35, 0.5, 0.15);
    Task task = {start, {{10, disk_at(start, 0.65, 0.45, 0.15)}}, 10, 0.1};
    double left[2] = {0.0, 0.0};
    for (const Control control : {Control::FIRST_VELOCITY, Control::HELD_FORCE}) {
        task.control = control;
        const auto function = [&](const Numbers& numbers) { return evaluate(task, numbers); };
        for (const Method method : {Method::DESCENT, Method::BFGS}) {
            Search search = begin_search(function, Numbers(count_of(task), 0.0), method, 0.3);
            for (int steps = 0; steps < 40 && search.history.size() < 40; ++steps) {
                search_step(search, function);
            }
            left[static_cast<int>(method)] = search.value.J;
        }
        INFO("control " << static_cast<int>(control) << ": of the mismatch descent leaves "
                        << left[0] << ", L-BFGS " << left[1]);
        CHECK(left[1] < 0.04);
        CHECK(left[1] < 0.85 * left[0]);
    }
}

TEST_CASE("a search finds a viscosity from ten pictures", "[62_control]") {
    Fluid start = empty_fluid({12, 10, 1});
    start.h = 1.0 / 12.0;
    start.solver = Solver::MULTIGRID;
    start.tolerance = 1e-12;
    set_velocity(start, bumpy_velocity(start, 43));
    start.density = disk_at(start, 0.4, 0.5, 0.2);
    for (const double nu : {0.03, 0.004}) {
        Fluid fluid = start;
        fluid.nu = nu;
        const Task task = {start, ten_pictures_of(fluid), 20, 0.05, Control::VISCOSITY};
        const auto function = [&](const Numbers& numbers) { return evaluate(task, numbers); };
        Search search = begin_search(function, {std::log(0.01)}, Method::BFGS, 0.5);
        for (int steps = 0; steps < 30 && search.value.J > 1e-16 && !search.is_done; ++steps) {
            search_step(search, function);
        }
        const double found = std::exp(search.x[0]);
        INFO("true " << nu << ", found " << found << " after " << search.history.size()
                     << " evaluations, J " << search.value.J);
        CHECK(std::abs(found - nu) < 1e-5 * nu);
    }
}

TEST_CASE("a search finds a source of dye from ten pictures", "[62_control]") {
    Fluid start = empty_fluid({14, 11, 1});
    start.h = 1.0 / 14.0;
    set_velocity(start, bumpy_velocity(start, 47));
    project(start, 0.05);
    Fluid fluid = start;
    fluid.source = disk_at(start, 0.6, 0.35, 0.1);
    const Field source = fluid.source;
    const Task task = {start, ten_pictures_of(fluid), 20, 0.05, Control::SOURCE};
    const auto function = [&](const Numbers& numbers) { return evaluate(task, numbers); };
    Search search = begin_search(function, Numbers(count_of(task), 0.0), Method::BFGS, 1.0);
    for (int steps = 0; steps < 100 && search.value.J > 1e-14 && !search.is_done; ++steps) {
        search_step(search, function);
    }
    const Fluid found = fluid_with(task, search.x);
    INFO("after " << search.history.size() << " evaluations J is " << search.value.J
                  << ", and a cell's source is off by " << distance(found.source, source));
    CHECK(distance(found.source, source) < 1e-4);
}
