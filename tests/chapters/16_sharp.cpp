#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "catch.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "window/flows.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 5> boxes = {
    {{7, 5, 4}, {4, 8, 5}, {5, 3, 9}, {9, 6, 1}, {1, 4, 7}}};

/// A box that flows along every axis, by less than `cells` cells a second, walls included.
Fluid streaming_fluid(const std::array<int, 3>& box, double cells, std::uint32_t seed) {
    Fluid fluid(box[0], box[1], box[2]);
    fluid.h = 0.5;
    fluid.advection = Advection::SHARP;
    make_bumpy(fluid.density, seed);
    std::uint32_t next = seed;
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        make_bumpy(*field, ++next);
        for (double& value : field->values) {
            value *= cells * fluid.h;
        }
    }
    return fluid;
}

/// The same velocity on every face, those of the walls included.
Fluid uniform_fluid(const std::array<int, 3>& box, Vector velocity) {
    Fluid fluid(box[0], box[1], box[2]);
    fluid.advection = Advection::SHARP;
    std::fill(fluid.u.values.begin(), fluid.u.values.end(), velocity.x);
    std::fill(fluid.v.values.begin(), fluid.v.values.end(), velocity.y);
    std::fill(fluid.w.values.begin(), fluid.w.values.end(), velocity.z);
    return fluid;
}

Vector place_of(const Fluid& fluid, const Field& field, int i, int j, int k) {
    return {fluid.h * (i + field.origin.x), fluid.h * (j + field.origin.y),
            fluid.h * (k + field.origin.z)};
}

/// Whether point (i, j, k) of a field is a face of the walls. Its velocity is given.
bool is_on_wall(const Fluid& fluid, const Field& field, int i, int j, int k) {
    return (field.origin.x == 0.0 && (i == 0 || i == fluid.nx)) ||
           (field.origin.y == 0.0 && (j == 0 || j == fluid.ny)) ||
           (field.origin.z == 0.0 && (k == 0 || k == fluid.nz));
}

bool is_within(const Fluid& fluid, Vector place) {
    const auto lies = [](double x, double length) { return x >= 0.0 && x <= length; };
    return lies(place.x, fluid.h * fluid.nx) && lies(place.y, fluid.h * fluid.ny) &&
           lies(place.z, fluid.h * fluid.nz);
}

/// The two points beside x on one axis of a field, counted from its first: twice the same where x
/// is level with one, or beyond the ends.
std::array<int, 2> beside(double x, int n) {
    const double inside = std::clamp(x, 0.0, n - 1.0);
    return {static_cast<int>(std::floor(inside)), static_cast<int>(std::ceil(inside))};
}

/// The values around a place, eight at most, sorted.
std::vector<double> values_around(const Fluid& fluid, const Field& field, Vector place) {
    std::vector<double> found;
    for (const int k : beside(place.z / fluid.h - field.origin.z, field.nz)) {
        for (const int j : beside(place.y / fluid.h - field.origin.y, field.ny)) {
            for (const int i : beside(place.x / fluid.h - field.origin.x, field.nx)) {
                found.push_back(field(i, j, k));
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// What became of the points of a field in one sharp step.
struct Told {
    Field field;
    int limited = 0, left = 0, free = 0;  ///< points whose limit was met, whose traces left, others
};

/// Sharp advection told point by point. The faces of walls keep what d0 has there.
Told told_sharp(const Fluid& fluid, const Field& d0, double dt) {
    Field forth = d0;
    Field back = d0;
    advect(fluid, forth, d0, dt);
    advect(fluid, back, forth, -dt);
    Told told{forth};
    for (int k = 0; k < d0.nz; ++k) {
        for (int j = 0; j < d0.ny; ++j) {
            for (int i = 0; i < d0.nx; ++i) {
                if (is_on_wall(fluid, d0, i, j, k)) {
                    continue;
                }
                const Vector place = place_of(fluid, d0, i, j, k);
                const Vector departure = trace_back(fluid, place, dt);
                if (!is_within(fluid, departure) ||
                    !is_within(fluid, trace_back(fluid, place, -dt))) {
                    ++told.left;
                    continue;
                }
                const double corrected = forth(i, j, k) - (back(i, j, k) - d0(i, j, k)) / 2.0;
                const std::vector<double> around = values_around(fluid, d0, departure);
                told.field(i, j, k) = std::min(std::max(corrected, around.front()), around.back());
                ++(told.field(i, j, k) == corrected ? told.free : told.limited);
            }
        }
    }
    return told;
}

/// Whether half of the error is subtracted at all: advect_sharp is not just advect.
bool is_corrected(const Fluid& fluid, const Field& d0, double dt) {
    Field linear = d0;
    Field sharp = d0;
    advect(fluid, linear, d0, dt);
    advect_sharp(fluid, sharp, d0, dt);
    return distance(sharp, linear) > 1e-3;
}

/// Whether it is in a bumpy fluid, in which there is an error.
bool corrects() {
    const Fluid fluid = streaming_fluid({4, 8, 5}, 1.0, 7);
    return is_corrected(fluid, fluid.density, 0.4);
}

/// The four vortices of the window in a box that is 1 wide.
Fluid vortices(int n, Advection advection) {
    Fluid fluid(n, n, 1);
    fluid.h = 1.0 / n;
    fluid.solver = Solver::DIRECT;
    fluid.advection = advection;
    set_vortices(fluid, 2);
    return fluid;
}

double energy_of(const Fluid& fluid) {
    double sum = 0.0;
    for (const Field* field : {&fluid.u, &fluid.v, &fluid.w}) {
        for (const double value : field->values) {
            sum += 0.5 * value * value;
        }
    }
    return sum;
}

/// A bumpy box with weight, in units that are not 1, solved to the last digits.
Fluid heavy_fluid(int nx, int ny, int nz, std::uint32_t seed) {
    Fluid fluid = bumpy_fluid(nx, ny, nz, seed);
    fluid.h = 0.5;
    fluid.rho = 3.0;
    fluid.force_x = 0.2;
    fluid.force_y = 0.7;
    fluid.force_z = nz > 1 ? -0.4 : 0.0;
    fluid.solver = Solver::DIRECT;
    fluid.advection = Advection::REFLECTED;
    return fluid;
}

double distance_of_velocities(const Fluid& a, const Fluid& b) {
    return larger(distance(a.u, b.u), larger(distance(a.v, b.v), distance(a.w, b.w)));
}

double distance_of_all(const Fluid& a, const Fluid& b) {
    return larger(distance_of_velocities(a, b),
                  larger(distance(a.density, b.density), distance(a.pressure, b.pressure)));
}

}  // namespace

// ---- Carrying sharply --------------------------------------------------------------------------

TEST_CASE("a row of six cells, carried by half a cell, by hand", "[16_sharp]") {
    for (const int axis : {0, 1, 2}) {
        std::array<int, 3> box = {1, 1, 1};
        box[axis] = 6;
        Fluid fluid = uniform_fluid(box, {1.0, 1.0, 1.0});
        fluid.density.values = {0, 0, 8, 8, 0, 0};
        Field d = fluid.density;
        advect_sharp(fluid, d, fluid.density, 0.5);
        INFO("axis " << axis << ": forth it is 0 0 4 8 4 0, and back again 0 2 6 6 2 0. Is half of "
                     << "that error subtracted, and then no value outside those around its "
                     << "departure point?");
        check_values(d, {0, 0, 5, 8, 3, 0}, "d");
        INFO("and against the axis");
        Fluid other = uniform_fluid(box, {-1.0, -1.0, -1.0});
        other.density.values = {0, 0, 8, 8, 0, 0};
        advect_sharp(other, d, other.density, 0.5);
        check_values(d, {0, 3, 8, 5, 0, 0}, "d");
    }
}

TEST_CASE("sharp advection leaves faces alone whose velocity is given", "[16_sharp]") {
    for (const auto& box : boxes) {
        const Fluid fluid = streaming_fluid(box, 1.0, 19);
        for (const Field* d0 : {&fluid.u, &fluid.v, &fluid.w}) {
            Field d = *d0;
            make_bumpy(d, 20);
            const Field before = d;
            advect_sharp(fluid, d, *d0, 0.4);
            for (int k = 0; k < d.nz; ++k) {
                for (int j = 0; j < d.ny; ++j) {
                    for (int i = 0; i < d.nx; ++i) {
                        const bool is_wall = is_on_wall(fluid, d, i, j, k);
                        INFO("box " << words_of(box[0], box[1], box[2]) << ", face "
                                    << words_of(i, j, k)
                                    << (is_wall ? ": is a face left alone whose velocity is given?"
                                                : ": is every other face carried?"));
                        CHECK((d(i, j, k) == before(i, j, k)) == is_wall);
                    }
                }
            }
        }
    }
    INFO("and is half of the error subtracted at all?");
    CHECK(corrects());
}

TEST_CASE("sharp advection is advect less half the error, within limits", "[16_sharp]") {
    for (const auto& box : boxes) {
        int limited = 0, left = 0, free = 0;
        for (const double dt : {0.3, 0.9, 2.6}) {
            const Fluid fluid = streaming_fluid(box, 1.0, 5);
            for (const Field* d0 : {&fluid.density, &fluid.u, &fluid.v, &fluid.w}) {
                Field d = *d0;
                advect_sharp(fluid, d, *d0, dt);
                const Told told = told_sharp(fluid, *d0, dt);
                INFO("box " << words_of(box[0], box[1], box[2]) << ", dt = " << dt
                            << ": forth, back from there, half the difference, the limits of the "
                            << "departure point, and plain advect where a trace leaves the box?");
                CHECK(distance(d, told.field) < 1e-13);
                limited += told.limited;
                left += told.left;
                free += told.free;
            }
        }
        CHECK(limited > 20);
        CHECK(left > 10);
        CHECK(free > 20);
    }
}

TEST_CASE("carried by whole cells, a field arrives as it was", "[16_sharp]") {
    for (const auto& box : boxes) {
        for (const auto& [di, dj, dk] : {std::array{1, 0, 0}, {0, -1, 0}, {0, 0, 2}, {-2, 1, 1}}) {
            Fluid fluid = uniform_fluid(box, {1.0 * di, 1.0 * dj, 1.0 * dk});
            make_bumpy(fluid.density, 7);
            Field d(box[0], box[1], box[2], fluid.density.origin);
            advect_sharp(fluid, d, fluid.density, 1.0);
            INFO("box " << words_of(box[0], box[1], box[2]) << ", by " << words_of(di, dj, dk));
            for (int k = 0; k < d.nz; ++k) {
                for (int j = 0; j < d.ny; ++j) {
                    for (int i = 0; i < d.nx; ++i) {
                        const auto from = [](int at, int n) { return std::clamp(at, 0, n - 1); };
                        INFO("cell " << words_of(i, j, k));
                        CHECK(d(i, j, k) == fluid.density(from(i - di, d.nx), from(j - dj, d.ny),
                                                          from(k - dk, d.nz)));
                    }
                }
            }
        }
    }
    INFO("and is half of the error subtracted at all?");
    CHECK(corrects());
}

TEST_CASE("nothing exceeds the values that it came from", "[16_sharp]") {
    Fluid fluid = streaming_fluid({8, 6, 5}, 1.3, 11);
    Field all = fluid.density;
    std::fill(all.values.begin(), all.values.end(), 4.25);
    Field d(8, 6, 5, all.origin);
    advect_sharp(fluid, d, all, 0.7);
    INFO("a field that is the same everywhere stays the same, to the last bit");
    CHECK(d.values == all.values);
    for (int steps = 0; steps < 30; ++steps) {
        const auto [least, most] =
            std::minmax_element(fluid.density.values.begin(), fluid.density.values.end());
        const double low = *least, high = *most;
        advect_density(fluid, 0.7);
        const auto [lower, higher] =
            std::minmax_element(fluid.density.values.begin(), fluid.density.values.end());
        INFO("step " << steps
                     << ": is the result clamped to what lies around its departure point?");
        REQUIRE(*lower >= low);
        REQUIRE(*higher <= high);
    }
    INFO("and is half of the error subtracted at all?");
    CHECK(corrects());
}

TEST_CASE("the walls belong to the fluid, and what lies beyond does not", "[16_sharp]") {
    for (const double h : {1.0, 0.5}) {
        Fluid fluid(5, 3, 2);
        fluid.h = h;
        const Vector far = {5.0 * h, 3.0 * h, 2.0 * h};
        INFO("h = " << h << ": both corners, and the middle");
        CHECK(is_in_fluid(fluid, {0.0, 0.0, 0.0}));
        CHECK(is_in_fluid(fluid, far));
        CHECK(is_in_fluid(fluid, {4.9 * h, 0.1 * h, 1.9 * h}));
        const double off = 1e-9;
        for (const double out : {-off, -3.0, std::numeric_limits<double>::quiet_NaN(),
                                 -std::numeric_limits<double>::infinity()}) {
            INFO("beyond a near wall by " << out);
            CHECK_FALSE(is_in_fluid(fluid, {out, h, h}));
            CHECK_FALSE(is_in_fluid(fluid, {h, out, h}));
            CHECK_FALSE(is_in_fluid(fluid, {h, h, out}));
        }
        for (const double out : {off, 1.0, std::numeric_limits<double>::infinity(), 1e300}) {
            INFO("beyond a far wall by " << out);
            CHECK_FALSE(is_in_fluid(fluid, {far.x + out, h, h}));
            CHECK_FALSE(is_in_fluid(fluid, {h, far.y + out, h}));
            CHECK_FALSE(is_in_fluid(fluid, {h, h, far.z + out}));
        }
    }
}

TEST_CASE("where a trace leaves the fluid, the value is that of advect", "[16_sharp]") {
    for (const int axis : {0, 1, 2}) {
        for (const double speed : {2.0, -2.0}) {
            Vector velocity = {0.0, 0.0, 0.0};
            (axis == 0 ? velocity.x : axis == 1 ? velocity.y : velocity.z) = speed;
            std::array<int, 3> box = {4, 4, 4};
            box[axis] = 11;
            Fluid fluid = uniform_fluid(box, velocity);
            make_bumpy(fluid.density, 13);
            Field plain = fluid.density;
            Field sharp = fluid.density;
            advect(fluid, plain, fluid.density, 0.7);
            advect_sharp(fluid, sharp, fluid.density, 0.7);
            int alike = 0, others = 0;
            for (int k = 0; k < box[2]; ++k) {
                for (int j = 0; j < box[1]; ++j) {
                    for (int i = 0; i < box[0]; ++i) {
                        const int along = axis == 0 ? i : axis == 1 ? j : k;
                        const bool leaves = along == 0 || along == 10;  // by 1.4 from 0.5 cells
                        const bool same = sharp(i, j, k) == plain(i, j, k);
                        INFO("axis " << axis << ", speed " << speed << ", cell "
                                     << words_of(i, j, k)
                                     << ": upstream or downstream, its trace leaves the box");
                        if (leaves) {
                            CHECK(same);
                        }
                        ++(same ? alike : others);
                    }
                }
            }
            CHECK(alike < 60);
            CHECK(others > 100);
        }
    }
}

// ---- The trace ---------------------------------------------------------------------------------

TEST_CASE("sharp traces take the velocity half way", "[16_sharp]") {
    Fluid fluid(9, 8, 7);
    fluid.h = 0.5;
    const Vector middle = {2.2, 2.1, 1.6};
    const Vector turn = {0.3, -0.5, 0.7};
    const auto velocity = [&](Vector at) -> Vector {  // the box turns like a solid
        const Vector r = {at.x - middle.x, at.y - middle.y, at.z - middle.z};
        return {turn.y * r.z - turn.z * r.y, turn.z * r.x - turn.x * r.z,
                turn.x * r.y - turn.y * r.x};
    };
    const auto fill = [&](Field& field, auto part) {
        for (int k = 0; k < field.nz; ++k) {
            for (int j = 0; j < field.ny; ++j) {
                for (int i = 0; i < field.nx; ++i) {
                    field(i, j, k) = part(velocity(place_of(fluid, field, i, j, k)));
                }
            }
        }
    };
    fill(fluid.u, [](Vector v) { return v.x; });
    fill(fluid.v, [](Vector v) { return v.y; });
    fill(fluid.w, [](Vector v) { return v.z; });
    const auto upstream = [](Vector at, Vector v, double dt) -> Vector {
        return {at.x - dt * v.x, at.y - dt * v.y, at.z - dt * v.z};
    };
    const auto check = [](Vector found, Vector expected) {
        CHECK_THAT(found.x, WithinAbs(expected.x, 1e-13));
        CHECK_THAT(found.y, WithinAbs(expected.y, 1e-13));
        CHECK_THAT(found.z, WithinAbs(expected.z, 1e-13));
    };
    for (const Vector at : {Vector{2.4, 1.7, 1.9}, {1.3, 2.8, 1.2}, {3.1, 2.2, 2.3}}) {
        for (const double dt : {0.5, -0.5}) {
            INFO("dt = " << dt);
            for (const Advection way : {Advection::SHARP, Advection::REFLECTED}) {
                fluid.advection = way;
                INFO("is the velocity that of the point half a step away?");
                const Vector half = upstream(at, velocity(at), 0.5 * dt);
                check(trace_back(fluid, at, dt), upstream(at, velocity(half), dt));
            }
            fluid.advection = Advection::LINEAR;
            INFO("linear advection takes one straight step, as before");
            check(trace_back(fluid, at, dt), upstream(at, velocity(at), dt));
        }
        CHECK(is_in_fluid(fluid, trace_back(fluid, at, 0.5)));
    }
}

// ---- Where it is used --------------------------------------------------------------------------

TEST_CASE("dye and velocity are carried the way that the fluid names", "[16_sharp]") {
    for (const Advection way : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        Fluid fluid = bumpy_fluid(6, 5, 4, 17);
        fluid.h = 0.5;
        fluid.advection = way;
        const Fluid before = fluid;
        const auto expected = [&](const Field& field) {
            Field d = field;
            if (way == Advection::LINEAR) {
                advect(before, d, field, 0.4);
            } else {
                d = told_sharp(before, field, 0.4).field;
            }
            return d;
        };
        INFO("way " << static_cast<int>(way) << " of linear, sharp, reflected");
        Field d = before.density;
        carry(before, d, before.density, 0.4);
        CHECK(distance(d, expected(before.density)) < 1e-13);
        CHECK(distance(d, before.density) > 0.01);
        INFO("advect_density carries the dye, along a velocity that stays");
        advect_density(fluid, 0.4);
        CHECK(distance(fluid.density, expected(before.density)) < 1e-13);
        CHECK(distance_of_velocities(fluid, before) == 0.0);
        INFO("advect_velocity carries all three parts along the velocity as it was");
        advect_velocity(fluid, 0.4);
        Fluid carried = before;
        carried.u = expected(before.u);
        carried.v = expected(before.v);
        carried.w = expected(before.w);
        set_bnd(carried);
        CHECK(distance_of_velocities(fluid, carried) < 1e-13);
    }
}

TEST_CASE("half the cells' width, a quarter of the error", "[16_sharp]") {
    // A smooth hill in a shear that is given, along each axis in turn: what is exact is known.
    for (const int axis : {0, 1, 2}) {
        const auto error = [&](int n, Advection way) {
            std::array<int, 3> box = {1, 1, 1};
            box[axis] = n;
            box[(axis + 1) % 3] = n / 2;
            Fluid fluid(box[0], box[1], box[2]);
            fluid.h = 1.0 / n;
            fluid.advection = way;
            Field& along = axis == 0 ? fluid.u : axis == 1 ? fluid.v : fluid.w;
            const auto across = [&](const Field& field, int i, int j, int k) {
                const Vector at = place_of(fluid, field, i, j, k);
                return std::pair(axis == 0   ? at.x
                                 : axis == 1 ? at.y
                                             : at.z,
                                 axis == 0   ? at.y
                                 : axis == 1 ? at.z
                                             : at.x);
            };
            const auto speed = [](double y) { return 0.25 + 0.5 * y; };
            const auto hill = [](double x, double y) {
                return std::exp(-60.0 * (x - 0.35) * (x - 0.35) - 30.0 * (y - 0.25) * (y - 0.25));
            };
            const auto for_each = [](Field& field, auto value) {
                for (int k = 0; k < field.nz; ++k) {
                    for (int j = 0; j < field.ny; ++j) {
                        for (int i = 0; i < field.nx; ++i) {
                            field(i, j, k) = value(i, j, k);
                        }
                    }
                }
            };
            for_each(along,
                     [&](int i, int j, int k) { return speed(across(along, i, j, k).second); });
            const auto exact = [&](double time) {
                return [&, time](int i, int j, int k) {
                    const auto [x, y] = across(fluid.density, i, j, k);
                    return hill(x - time * speed(y), y);
                };
            };
            for_each(fluid.density, exact(0.0));
            for (int steps = 0; steps < n / 2; ++steps) {
                carry(fluid, fluid.density, Field(fluid.density), 1.3 / n);
            }
            Field expected = fluid.density;
            for_each(expected, exact(0.65));
            double sum = 0.0;
            for (std::size_t cell = 0; cell < expected.values.size(); ++cell) {
                sum += std::abs(expected.values[cell] - fluid.density.values[cell]);
            }
            return sum / static_cast<double>(expected.values.size());
        };
        const double coarse = error(48, Advection::SHARP);
        const double fine = error(96, Advection::SHARP);
        INFO("axis " << axis << ": errors " << coarse << " and " << fine);
        CHECK_THAT(std::log2(coarse / fine), WithinAbs(2.0, 0.25));
        INFO("linear advection only halves it");
        CHECK_THAT(std::log2(error(48, Advection::LINEAR) / error(96, Advection::LINEAR)),
                   WithinAbs(1.0, 0.25));
        CHECK(coarse < 0.3 * error(48, Advection::LINEAR));
    }
}

// ---- Energy -------------------------------------------------------------------------------------

/// A velocity of a few numbers, with nothing before and behind.
Velocity velocity_of(const std::vector<double>& u, double v, double w) {
    Velocity velocity = {Field(static_cast<int>(u.size()), 1, 1, {0.0, 0.5, 0.5}),
                         Field(1, 1, 1, {0.5, 0.0, 0.5}), Field(1, 1, 1, {0.5, 0.5, 0.0})};
    velocity.u.values = u;
    velocity.v.values = {v};
    velocity.w.values = {w};
    return velocity;
}

TEST_CASE("the largest share of a correction, by hand", "[16_sharp]") {
    const Velocity linear = velocity_of({1.0, 2.0}, 3.0, 5.0);  // 1 + 4 + 9 + 25 = 39
    INFO("(1 + s)^2 adds up to 42 with the rest, 38, if s is 1: all of it");
    CHECK(largest_share(linear, velocity_of({1.0, 0.0}, 0.0, 0.0), 42.0) == 1.0);
    INFO("(2 - 4 s)^2 falls to 0 and is 4 again at s = 1: all of it");
    CHECK(largest_share(linear, velocity_of({0.0, -4.0}, 0.0, 0.0), 39.0) == 1.0);
    INFO("(3 + 7 s)^2 + 30 is 46 at s = 1 / 7");
    CHECK_THAT(largest_share(linear, velocity_of({0.0, 0.0}, 7.0, 0.0), 46.0),
               WithinAbs(1.0 / 7.0, 1e-14));
    INFO("(5 - 20 s)^2 + 14 is 39 at s = 0, and again at s = 1 / 2");
    CHECK_THAT(largest_share(linear, velocity_of({0.0, 0.0}, 0.0, -20.0), 39.0),
               WithinAbs(0.5, 1e-14));
    INFO("(2 + s)^2 + (3 + 2 s)^2 + 26 exceeds 39 at once: nothing");
    CHECK_THAT(largest_share(linear, velocity_of({0.0, 1.0}, 2.0, 0.0), 39.0),
               WithinAbs(0.0, 1e-14));
    INFO("nothing to add: all of it");
    CHECK(largest_share(linear, velocity_of({0.0, 0.0}, 0.0, 0.0), 39.0) == 1.0);
}

/// A fluid whose velocity lies between two others: share 0 is the first, 1 the second.
Fluid mixed(const Fluid& one, const Fluid& other, double share) {
    Fluid mixture = one;
    const auto mix = [share](Field& field, const Field& towards) {
        for (std::size_t n = 0; n < field.values.size(); ++n) {
            field.values[n] += share * (towards.values[n] - field.values[n]);
        }
    };
    mix(mixture.u, other.u);
    mix(mixture.v, other.v);
    mix(mixture.w, other.w);
    return mixture;
}

/// The largest share of `other` with which the energy of the mixture is at most `most`, found by
/// halving.
double share_found_by_halving(const Fluid& one, const Fluid& other, double most) {
    if (energy_of(other) <= most) {
        return 1.0;
    }
    double least = 0.0;
    double above = 1.0;
    for (int halvings = 0; halvings < 60; ++halvings) {
        const double middle = 0.5 * (least + above);
        if (energy_of(mixed(one, other, middle)) > most) {
            above = middle;
        } else {
            least = middle;
        }
    }
    return least;
}

TEST_CASE("a correction that would add energy is added in part", "[16_sharp]") {
    Fluid fluid = bumpy_fluid(8, 6, 7, 79);
    fluid.h = 0.125;
    fluid.advection = Advection::SHARP;
    const double dt = 0.02;
    int limited = 0;
    for (int steps = 0; steps < 300; ++steps) {
        step(fluid, dt);
        if (steps % 20 != 0) {
            continue;
        }
        const Fluid before = fluid;
        Fluid linear = before;
        advect(before, linear.u, before.u, dt);
        advect(before, linear.v, before.v, dt);
        advect(before, linear.w, before.w, dt);
        Fluid sharp = before;
        sharp.u = told_sharp(before, before.u, dt).field;
        sharp.v = told_sharp(before, before.v, dt).field;
        sharp.w = told_sharp(before, before.w, dt).field;
        const double most = std::max(energy_of(before), energy_of(linear));
        const double share = share_found_by_halving(linear, sharp, most);
        Fluid carried = before;
        advect_velocity(carried, dt);
        INFO("step " << steps << ": the energy was " << energy_of(before)
                     << ", carried linearly it is " << energy_of(linear) << ", corrected "
                     << energy_of(sharp) << ", so the share is " << share);
        CHECK(distance_of_velocities(carried, mixed(linear, sharp, share)) < 1e-9);
        if (share < 0.99) {
            ++limited;
        }
    }
    CHECK(limited > 3);
    CHECK(limited < 15);
}

TEST_CASE("without a force, energy does not grow", "[16_sharp]") {
    struct Run {
        int nz;
        Advection way;
        double cells;  // at most so many in a step
        int steps;
    };
    // With the whole correction, energy grows from step 140 on where cells is 0.1, and from step
    // 230 on where it is 0.05.
    for (const auto& [nz, way, cells, steps] :
         {Run{7, Advection::SHARP, 0.1, 200}, Run{7, Advection::REFLECTED, 0.1, 200},
          Run{7, Advection::SHARP, 0.05, 300}, Run{7, Advection::REFLECTED, 0.5, 50},
          Run{7, Advection::SHARP, 1.0, 50}, Run{7, Advection::SHARP, 5.0, 50},
          Run{1, Advection::SHARP, 0.25, 100}, Run{1, Advection::REFLECTED, 2.0, 100}}) {
        Fluid fluid = bumpy_fluid(8, 6, nz, 79);
        fluid.h = 0.125;
        fluid.advection = way;
        project(fluid, 0.1);
        const double fastest = std::max({largest(fluid.u), largest(fluid.v), largest(fluid.w)});
        const double before = energy_of(fluid);
        double most = 0.0;
        for (int n = 0; n < steps; ++n) {
            step(fluid, cells * fluid.h / fastest);
            most = std::max(most, energy_of(fluid));
        }
        INFO("way " << static_cast<int>(way) << ", depth " << nz << ", at most " << cells
                    << " cells a step");
        CHECK(most <= 1.01 * before);
        CHECK(energy_of(fluid) > 0.0);
    }
    INFO("and is half of the error subtracted at all?");
    CHECK(corrects());
}

TEST_CASE("mirrored along any axis, a fluid moves as its mirror image", "[16_sharp]") {
    for (const Advection way : {Advection::SHARP, Advection::REFLECTED}) {
        Fluid before = heavy_fluid(7, 5, 4, 23);
        before.advection = way;
        for (const int axis : {0, 1, 2}) {
            Fluid straight = before;
            Fluid turned = mirrored(before, axis);
            (axis == 0 ? turned.force_x : axis == 1 ? turned.force_y : turned.force_z) *= -1.0;
            for (int steps = 0; steps < 4; ++steps) {
                step(straight, 0.15);
                step(turned, 0.15);
            }
            INFO("axis " << axis << ", way " << static_cast<int>(way));
            CHECK(distance_of_all(mirrored(turned, axis), straight) < 1e-11);
            REQUIRE(is_corrected(before, before.density, 0.15));
        }
    }
}

// ---- Reflection --------------------------------------------------------------------------------

TEST_CASE("the reflected velocity is 2 u - u~, carried along u", "[16_sharp]") {
    for (const auto& [nx, ny, nz] : boxes) {
        Fluid fluid = heavy_fluid(nx, ny, nz, 29);
        const double dt = 0.2;
        advect_velocity(fluid, dt);
        add_force(fluid, dt);
        const Fluid tilde = fluid;  // the velocity before the projection
        project(fluid, dt);
        Fluid mirror = fluid;
        const auto reflect = [](Field& field, const Field& before) {
            for (std::size_t n = 0; n < field.values.size(); ++n) {
                field.values[n] = 2.0 * field.values[n] - before.values[n];
            }
        };
        reflect(mirror.u, tilde.u);
        reflect(mirror.v, tilde.v);
        reflect(mirror.w, tilde.w);
        INFO("box " << words_of(nx, ny, nz) << ": the mirror image has the energy of u~");
        CHECK_THAT(energy_of(mirror), WithinAbs(energy_of(tilde), 1e-11));
        CHECK(energy_of(fluid) < 0.999 * energy_of(tilde));
        add_force(mirror, dt);
        Fluid expected = fluid;
        expected.u = told_sharp(fluid, mirror.u, dt).field;
        expected.v = told_sharp(fluid, mirror.v, dt).field;
        expected.w = told_sharp(fluid, mirror.w, dt).field;
        set_bnd(expected);
        const Fluid projected = fluid;
        advect_reflected(fluid, dt);
        INFO("is 2 u - u~ what is carried, along u as it was, and are the walls closed?");
        CHECK(distance_of_velocities(fluid, expected) < 1e-11);
        CHECK(fluid.density.values == projected.density.values);
    }
}

TEST_CASE("the mirror image does not depend on the next step's dt and rho", "[16_sharp]") {
    Fluid fluid = heavy_fluid(6, 4, 5, 83);
    advect_velocity(fluid, 0.2);
    add_force(fluid, 0.2);
    const Fluid tilde = fluid;  // the velocity before the projection
    project(fluid, 0.2);
    fluid.rho = 5.0;
    fluid.advection = Advection::LINEAR;
    const double dt = 1e-9;  // so short that almost nothing is carried
    Fluid mirror = fluid;
    advect_reflected(mirror, dt);
    for (int n = 0; n < 3; ++n) {
        const Field& u = *std::array{&fluid.u, &fluid.v, &fluid.w}[n];
        const Field& before = *std::array{&tilde.u, &tilde.v, &tilde.w}[n];
        const Field& reflected = *std::array{&mirror.u, &mirror.v, &mirror.w}[n];
        Field expected = u;
        for (std::size_t face = 0; face < u.values.size(); ++face) {
            expected.values[face] = 2.0 * u.values[face] - before.values[face];
        }
        INFO("field " << n << " of u, v, w: 2 u - u~, with the dt and the rho of the projection");
        CHECK(distance(reflected, expected) < 1e-7);
        CHECK(distance(reflected, u) > 0.01);
    }
}

TEST_CASE("to exchange the fields is to copy the fluids, bit for bit", "[16_sharp]") {
    for (const Advection way : {Advection::LINEAR, Advection::SHARP, Advection::REFLECTED}) {
        for (const auto& [nx, ny, nz] : boxes) {
            Fluid fluid = heavy_fluid(nx, ny, nz, 53);
            fluid.advection = way;
            const double dt = 0.2;
            project(fluid, dt);  // so that there is a pressure
            const Fluid before = fluid;
            Fluid reflected = before;
            subtract_gradient(reflected, dt);
            add_force(reflected, dt);
            Fluid expected = reflected;
            carry(before, expected.u, reflected.u, dt);
            carry(before, expected.v, reflected.v, dt);
            carry(before, expected.w, reflected.w, dt);
            set_bnd(expected);
            advect_reflected(fluid, dt);
            INFO("way " << static_cast<int>(way) << ", box " << words_of(nx, ny, nz)
                        << ": does the velocity, as it was, carry the reflected one?");
            CHECK(fluid.u == expected.u);
            CHECK(fluid.v == expected.v);
            CHECK(fluid.w == expected.w);
            CHECK(distance_of_velocities(fluid, before) > 0.01);
            INFO("and nothing else changes");
            CHECK(fluid.density == before.density);
            CHECK(fluid.pressure == before.pressure);
        }
    }
}

TEST_CASE("a fluid at rest stays at rest under its weight, reflected or not", "[16_sharp]") {
    for (const Vector force : {Vector{9.0, 0.0, 0.0}, {0.0, -7.0, 0.0}, {2.0, 3.0, 5.0}}) {
        Fluid fluid(5, 4, 3);
        fluid.h = 0.5;
        fluid.tolerance = 1e-14;
        fluid.advection = Advection::REFLECTED;
        fluid.force_x = force.x;
        fluid.force_y = force.y;
        fluid.force_z = force.z;
        const Fluid at_rest = fluid;
        step(fluid, 0.1);
        CHECK(distance_of_velocities(fluid, at_rest) < 1e-11);
        INFO("does it add the force before it carries, so that it carries a velocity of 0?");
        Fluid carried = fluid;
        advect_reflected(carried, 0.1);
        CHECK(distance_of_velocities(carried, at_rest) < 1e-11);
        step(fluid, 0.1);
        CHECK(distance_of_velocities(fluid, at_rest) < 1e-11);
    }
    Fluid moving = heavy_fluid(5, 4, 3, 43);
    const Fluid before = moving;
    advect_reflected(moving, 0.1);
    INFO("and a fluid that moves is carried");
    REQUIRE(distance_of_velocities(moving, before) > 0.01);
}

TEST_CASE("every second step reflects", "[16_sharp]") {
    const Fluid before = heavy_fluid(6, 4, 5, 31);
    const double dt = 0.15;
    Fluid fluid = before;
    Fluid told = before;
    for (int steps = 0; steps < 5; ++steps) {
        const bool reflects = steps % 2 == 1;
        INFO("step " << steps
                     << (reflects ? ": does it carry the reflected velocity?"
                                  : ": is this an ordinary step?"));
        CHECK(fluid.reflects_next == reflects);
        step(fluid, dt);
        if (reflects) {
            advect_reflected(told, dt);
        } else {
            advect_velocity(told, dt);
            add_force(told, dt);
        }
        project(told, dt);
        advect_density(told, dt);
        REQUIRE(distance_of_all(fluid, told) == 0.0);
        Fluid reflected = before;
        project(reflected, dt);
        const Fluid projected = reflected;
        advect_reflected(reflected, dt);
        REQUIRE(distance_of_velocities(reflected, projected) > 0.01);
    }
    for (const Advection way : {Advection::LINEAR, Advection::SHARP}) {
        Fluid other = before;
        other.advection = way;
        other.reflects_next = true;
        Fluid same = before;
        same.advection = way;
        step(other, dt);
        step(same, dt);
        INFO("way " << static_cast<int>(way) << " never reflects, and forgets whose turn it was");
        CHECK(distance_of_all(other, same) == 0.0);
        CHECK_FALSE(other.reflects_next);
    }
}

TEST_CASE("what steady vortices keep of their energy", "[16_sharp]") {
    const auto kept = [](Advection way) {
        Fluid fluid = vortices(64, way);
        const double before = energy_of(fluid);
        for (int steps = 0; steps < 50; ++steps) {
            step(fluid, 0.03);
        }
        return energy_of(fluid) / before;
    };
    INFO("linear: 46 %, as 11_mac");
    CHECK_THAT(kept(Advection::LINEAR), WithinAbs(0.46, 0.005));
    INFO("sharp: 54 %, for each projection takes its share");
    CHECK_THAT(kept(Advection::SHARP), WithinAbs(0.54, 0.005));
    INFO("reflected: 99 %");
    CHECK_THAT(kept(Advection::REFLECTED), WithinAbs(0.99, 0.005));
}

TEST_CASE("steps that are short and long in turn add no energy", "[16_sharp]") {
    const auto kept = [](Advection way) {
        Fluid turning = vortices(64, way);
        const double before = energy_of(turning);
        double most = before;
        for (int steps = 0; steps < 30; ++steps) {
            step(turning, steps % 2 == 0 ? 0.03 : 0.06);
            most = std::max(most, energy_of(turning));
        }
        CHECK(most <= 1.01 * before);
        return energy_of(turning) / before;
    };
    INFO("with steps of 0.03 and 0.06 seconds in turn, vortices gain no energy");
    CHECK(kept(Advection::REFLECTED) > kept(Advection::SHARP) + 0.1);
    INFO("and is half of the error subtracted at all?");
    CHECK(corrects());
}

TEST_CASE("a state file holds all that the next step needs", "[16_sharp]") {
    Fluid fluid = heavy_fluid(5, 4, 3, 37);
    for (int steps = 0; steps < 3; ++steps) {
        step(fluid, 0.1);
    }
    Fluid reflected = fluid;
    advect_reflected(reflected, 0.1);
    INFO("is the velocity carried at all?");
    REQUIRE(distance_of_velocities(reflected, fluid) > 0.01);
    Fluid loaded(5, 4, 3);  // with the same parameters, as the flags give them
    loaded.h = fluid.h;
    loaded.rho = fluid.rho;
    loaded.force_x = fluid.force_x;
    loaded.force_y = fluid.force_y;
    loaded.force_z = fluid.force_z;
    loaded.solver = fluid.solver;
    loaded.advection = fluid.advection;
    loaded.u = fluid.u;
    loaded.v = fluid.v;
    loaded.w = fluid.w;
    loaded.density = fluid.density;
    loaded.pressure = fluid.pressure;
    write_equations_down(loaded);  // the box determines it
    loaded.gradient_factor = 0.1 / loaded.rho;  // the time step is a flag, too
    Fluid forgetful = loaded;
    loaded.reflects_next = fluid.reflects_next;
    for (int steps = 0; steps < 4; ++steps) {
        step(fluid, 0.1);
        step(loaded, 0.1);
        step(forgetful, 0.1);
    }
    INFO("after three steps, four more: the same to the last bit");
    CHECK(distance_of_all(loaded, fluid) == 0.0);
    INFO("but not without reflects_next");
    CHECK(distance_of_all(forgetful, fluid) > 1e-3);
}

TEST_CASE("numbers that are not finite do not lead out of the arrays", "[16_sharp]") {
    Fluid fluid = streaming_fluid({4, 3, 2}, 1.0, 41);
    fluid.u(2, 1, 0) = std::numeric_limits<double>::quiet_NaN();
    fluid.v(1, 1, 1) = std::numeric_limits<double>::infinity();
    fluid.w(3, 2, 1) = 1e300;
    Field d = fluid.density;
    advect_sharp(fluid, d, fluid.density, 0.5);
    INFO("every value still is one of those that there were, or lies between them");
    CHECK(largest(d) <= 1.0);
    CHECK(distance(d, fluid.density) > 0.01);
    INFO("a box of one cell has nothing to carry anything from");
    Fluid one(1, 1, 1);
    one.advection = Advection::REFLECTED;
    one.density.values = {2.5};
    step(one, 0.1);
    step(one, 0.1);
    CHECK(one.density.values[0] == 2.5);
    CHECK(one.u.values[0] == 0.0);
    INFO("and is half of the error subtracted at all?");
    CHECK(corrects());
}
