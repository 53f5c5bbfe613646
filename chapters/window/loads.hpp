// What can be measured around bodies in a flow: the forces on them, by two ways, the pressure drop
// across them, how often vortices leave, and a rake of dye.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "window/shapes.hpp"

/// What the flow does to the bodies in one step, in the fluid's own units: forces to the right (x)
/// and down (y) by the pressure on them and by friction along them, and the pressure before them
/// less that behind.
struct Loads {
    double pressure_x = 0.0, pressure_y = 0.0;
    double friction_x = 0.0, friction_y = 0.0;
    double pressure_drop = 0.0;
};

/// Returns whether (i, j, k) is a solid cell of the box.
template <class Fluid>
bool is_body(const Fluid& fluid, int i, int j, int k) {
    return fluid.solid.has(i, j, k) && is_solid(fluid, i, j, k);
}

/// Returns whether one of the two cells beside face (i, j, k) of u, v or w is such a cell.
template <class Fluid, class Field>
bool touches_body(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    const auto step = across(faces);
    return is_body(fluid, i, j, k) || is_body(fluid, i - step.i, j - step.j, k - step.k);
}

/// The largest divergence of a cell of fluid, or NaN if one has that. Within a body at the edge of
/// the box it may be anything.
template <class Fluid>
double largest_divergence_of_fluid(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double here = is_solid(fluid, i, j, k) ? 0.0 : divergence_at(fluid, i, j, k);
                if (!(std::abs(here) <= largest)) {
                    largest = std::abs(here);
                }
            }
        }
    }
    return largest;
}

/// The force by which the fluid drags at solids through friction, along u or v: what viscosity, in
/// `diffuse`, has passed on from each face whose velocity is not given to each neighbour that
/// touches a solid.
template <class Fluid, class Field>
double friction_on_solids(const Fluid& fluid, const Field& faces) {
    double sum = 0.0;
    for_each_point(faces, [&](int i, int j, int k) {
        if (is_given(fluid, faces, i, j, k)) {
            return;
        }
        for (const auto& [di, dj, dk] : neighbours) {
            const int x = i + di, y = j + dj, z = k + dk;
            if (faces.has(x, y, z) && touches_body(fluid, faces, x, y, z)) {
                const double share = is_within_solid(fluid, faces, x, y, z) ? 2.0 : 1.0;
                sum += share * (faces(i, j, k) - faces(x, y, z));
            }
        }
    });
    return fluid.rho * fluid.nu * fluid.h * sum;  // the face's area over the distance is h
}

/// The forces on all solids in the step that `fluid` has just made, as stress on their faces. The
/// friction is that of the velocity after diffusion and before projection, since this is the one
/// that diffusion made. To find it, the gradient of the pressure is added again, and a force is
/// taken back, unless the step carried the reflected velocity: then it acted before.
template <class Fluid>
Loads loads_by_stress(const Fluid& fluid, double dt) {
    Loads loads;
    const auto& p = fluid.pressure;
    const auto& solid = fluid.solid.values;
    if (std::find(solid.begin(), solid.end(), 1.0) == solid.end()) {
        return loads;  // there is no body
    }
    const double area = fluid.h * fluid.h;
    for_each_point(p, [&](int i, int j, int k) {
        if (is_solid(fluid, i, j, k)) {
            return;
        }
        for (const auto& [di, dj, dk] : neighbours) {
            if (is_body(fluid, i + di, j + dj, k + dk)) {
                loads.pressure_x += di * area * p(i, j, k);
                loads.pressure_y += dj * area * p(i, j, k);
            }
        }
    });
    Fluid before_projection = fluid;
    subtract_gradient(before_projection, -dt);
    if (fluid.advection != decltype(fluid.advection)::REFLECTED || fluid.reflects_next) {
        add_force(before_projection, -dt);
    }
    loads.friction_x = friction_on_solids(fluid, before_projection.u);
    loads.friction_y = friction_on_solids(fluid, before_projection.v);
    return loads;
}

/// The loads over two steps, the second of which came last. Where it carried the reflected
/// velocity, the first pressure acted in both steps, so the pressures of the two alternate: their
/// mean is the first one and half of the second.
inline Loads mean_of_pair(const Loads& first, const Loads& second, bool is_reflected) {
    const double of_first = is_reflected ? 1.0 : 0.5;
    return {of_first * first.pressure_x + 0.5 * second.pressure_x,
            of_first * first.pressure_y + 0.5 * second.pressure_y,
            0.5 * (first.friction_x + second.friction_x),
            0.5 * (first.friction_y + second.friction_y),
            of_first * first.pressure_drop + 0.5 * second.pressure_drop};
}

/// The pressure on a solid at (x, y), as seen from the fluid to the left of it (direction -1) or to
/// the right (1): that of the next two cells of fluid in that direction, on a straight line to the
/// place. 0 if there are none.
template <class Fluid>
double surface_pressure(const Fluid& fluid, double x, double y, int direction) {
    const double row = y / fluid.h - 0.5;
    const int j = static_cast<int>(std::floor(std::clamp(row, 0.0, fluid.ny - 1.0)));
    const int next = std::min(j + 1, fluid.ny - 1);
    const double share = std::clamp(row - j, 0.0, 1.0);
    const int k = fluid.nz / 2;
    const auto are_fluid = [&](int i) {
        return fluid.pressure.has(i, j, k) && !is_solid(fluid, i, j, k) &&
               !is_solid(fluid, i, next, k);
    };
    const auto pressure = [&](int i) {
        return (1.0 - share) * fluid.pressure(i, j, k) + share * fluid.pressure(i, next, k);
    };
    const double place = std::clamp(x / fluid.h - 0.5, -1.0, 1.0 * fluid.nx);
    int i = static_cast<int>(direction < 0 ? std::floor(place + 1e-6) : std::ceil(place - 1e-6));
    while (fluid.pressure.has(i, j, k) && !are_fluid(i)) {
        i += direction;
    }
    if (!fluid.pressure.has(i, j, k) || !are_fluid(i)) {
        return 0.0;
    }
    if (!are_fluid(i + direction)) {
        return pressure(i);
    }
    const double distance = direction * (i - place);
    return pressure(i) + distance * (pressure(i) - pressure(i + direction));
}

/// 2 F / (rho U^2 D) for each length of depth: what drag and lift are compared by.
template <class Fluid>
double force_coefficient(const Fluid& fluid, double force, double speed, double size) {
    const double depth = fluid.nz * fluid.h;
    return speed != 0.0 && size > 0.0 ? 2.0 * force / (fluid.rho * speed * speed * size * depth)
                                      : 0.0;
}

/// What is measured at a body: coefficients of drag and lift, and the pressure before it less that
/// behind it.
struct Coefficients {
    double drag = 0.0, lift = 0.0, pressure_drop = 0.0;
};

/// The loads on a body in the step that `fluid` has just made.
template <class Fluid>
Loads loads_on(const Fluid& fluid, const Body& body, double dt) {
    Loads loads = loads_by_stress(fluid, dt);
    loads.pressure_drop = surface_pressure(fluid, body.x - 0.5 * body.size, body.y, -1) -
                          surface_pressure(fluid, body.x + 0.5 * body.size, body.y, 1);
    return loads;
}

/// As coefficients, for a stream of that mean speed. y points down, and lift up.
template <class Fluid>
Coefficients coefficients_of(const Fluid& fluid, const Loads& loads, double speed, double size) {
    return {force_coefficient(fluid, loads.pressure_x + loads.friction_x, speed, size),
            -force_coefficient(fluid, loads.pressure_y + loads.friction_y, speed, size),
            loads.pressure_drop};
}

// ---- The momentum balance ----------------------------------------------------------------------

/// A part of the box around a body, from cell (left, top) up to, and without, (right, bottom). It
/// is as deep as the box. It must end where there is fluid on both sides.
struct Control {
    int left, right, top, bottom;
};

/// The momentum in it.
template <class Fluid>
auto momentum_within(const Fluid& fluid, const Control& control) {
    const double h = fluid.h;
    auto sum = velocity_at(fluid, {0.0, 0.0, 0.0});
    sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = control.top; j < control.bottom; ++j) {
            for (int i = control.left; i < control.right; ++i) {
                const auto velocity =
                    velocity_at(fluid, {h * (i + 0.5), h * (j + 0.5), h * (k + 0.5)});
                sum.x += fluid.rho * h * h * h * velocity.x;
                sum.y += fluid.rho * h * h * h * velocity.y;
            }
        }
    }
    return sum;
}

/// The force on the bodies within, by the balance of momentum over two steps: what momentum enters
/// through the four sides, what pressure and friction do to them, and what does not stay in the
/// fluid is the body's. `start`, `middle` and `end` are the fluid before, between and after the
/// steps. The pressure is the mean of the two, as in mean_of_pair. Returns {x, y, 0}.
template <class Fluid>
auto force_by_balance(const Fluid& start, const Fluid& middle, const Fluid& end,
                      const Control& control, double dt, bool is_reflected) {
    const double h = start.h;
    auto pressure = end.pressure;
    for (std::size_t cell = 0; cell < pressure.values.size(); ++cell) {
        pressure.values[cell] = (is_reflected ? 1.0 : 0.5) * middle.pressure.values[cell] +
                                0.5 * end.pressure.values[cell];
    }
    const auto before = momentum_within(start, control);
    auto force = momentum_within(end, control);
    force = {-(force.x - before.x) / (2.0 * dt), -(force.y - before.y) / (2.0 * dt), 0.0};
    const auto add_face = [&](double x, double y, double z, int nx, int ny) {  // outwards
        const auto u = velocity_at(middle, {h * x, h * y, h * z});
        const auto out = velocity_at(middle, {h * (x + 0.5 * nx), h * (y + 0.5 * ny), h * z});
        const auto in = velocity_at(middle, {h * (x - 0.5 * nx), h * (y - 0.5 * ny), h * z});
        const double p = interpolate(pressure, h, {h * x, h * y, h * z});
        const double through = middle.rho * (nx * u.x + ny * u.y);
        const double friction = middle.rho * middle.nu / h;
        force.x += h * h * (-through * u.x - nx * p + friction * (out.x - in.x));
        force.y += h * h * (-through * u.y - ny * p + friction * (out.y - in.y));
    };
    for (int k = 0; k < start.nz; ++k) {
        for (int j = control.top; j < control.bottom; ++j) {
            add_face(control.left, j + 0.5, k + 0.5, -1, 0);
            add_face(control.right, j + 0.5, k + 0.5, 1, 0);
        }
        for (int i = control.left; i < control.right; ++i) {
            add_face(i + 0.5, control.top, k + 0.5, 0, -1);
            add_face(i + 0.5, control.bottom, k + 0.5, 0, 1);
        }
    }
    return force;
}

// ---- In time -----------------------------------------------------------------------------------

/// How often a value swings in a unit of time: the times at which it passes its mean upwards, found
/// on straight lines between the moments, are counted. 0 if it does so less than twice.
inline double frequency_of(const std::vector<double>& times, const std::vector<double>& values) {
    double mean = 0.0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    double first = 0.0, last = 0.0;
    int passes = 0;
    for (std::size_t n = 1; n < values.size() && n < times.size(); ++n) {
        const double before = values[n - 1] - mean, after = values[n] - mean;
        if (before < 0.0 && after >= 0.0) {
            last = times[n - 1] + (times[n] - times[n - 1]) * before / (before - after);
            first = passes == 0 ? last : first;
            ++passes;
        }
    }
    return passes > 1 && last > first ? (passes - 1) / (last - first) : 0.0;
}

/// Fills cells of column i with dye, so many threads at equal distances. A thread that falls on a
/// solid, or a column outside of the box, is left out.
template <class Fluid>
void rake(Fluid& fluid, int i, int threads) {
    for (int k = 0; k < fluid.nz; ++k) {
        for (int thread = 0; thread < threads; ++thread) {
            const int j = static_cast<int>((thread + 0.5) * fluid.ny / threads);
            if (fluid.density.has(i, j, k) && !is_solid(fluid, i, j, k)) {
                fluid.density(i, j, k) = 1.0;
            }
        }
    }
}
