// The whole fluid on a staggered grid, in one header that needs nothing but the standard library.
// Its numbers are double, as in Normoyle's tutorial.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

/// A point in space, or a velocity.
struct Vector {
    double x, y, z;
};

/// Numbers on a block of nx x ny x nz points: one for every cell, or one for every face that looks
/// along one axis. They lie row after row in one array: i runs right and fastest, j runs down, k
/// runs away from you. Unlike in 07_project there are no wall cells, so the cells count from 0.
struct Field {
    int nx, ny, nz;
    Vector origin;  ///< where point (0, 0, 0) lies, in cells from the corner of the box
    std::vector<double> values;

    Field(int columns, int rows, int layers, Vector first)
        : nx(columns), ny(rows), nz(layers), origin(first), values(columns * rows * layers, 0.0) {}

    /// Returns the index of point (i, j, k) in the array. Outside the block, a debug build stops.
    int IX(int i, int j, int k) const {
        assert(0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz);
        return i + nx * (j + ny * k);
    }
    /// Returns whether the block has a point (i, j, k).
    bool has(int i, int j, int k) const {
        return 0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz;
    }
    double& operator()(int i, int j, int k) { return values[IX(i, j, k)]; }
    double operator()(int i, int j, int k) const { return values[IX(i, j, k)]; }
};

/// Calls action(i, j, k) for each point of a field, in the order of its array.
template <class Action>
void for_each_point(const Field& field, Action action) {
    for (int k = 0; k < field.nz; ++k) {
        for (int j = 0; j < field.ny; ++j) {
            for (int i = 0; i < field.nx; ++i) {
                action(i, j, k);
            }
        }
    }
}

/// The state of the fluid in a closed box of nx x ny x nz cells, and its parameters. Each size must
/// be at least 1.
struct Fluid {
    int nx, ny, nz;
    double h = 1.0;  ///< the width of a cell, in the unit of all lengths
    double rho = 1.0;  ///< the mass of a unit of volume of the fluid (not the dye)
    double force_x = 0.0, force_y = 0.0, force_z = 0.0;  ///< change of velocity in a second
    double tolerance = 1e-10;  ///< a solver stops once its residual is as small as this
    int iterations = 200;  ///< and after so many iterations at the latest

    Field u;  ///< velocity to the right, on the X faces: u(i, j, k) is left of cell (i, j, k)
    Field v;  ///< velocity down, on the Y faces: v(i, j, k) is above cell (i, j, k)
    Field w;  ///< velocity away from you, on the Z faces: w(i, j, k) is in front of cell (i, j, k)
    Field density;  ///< how much dye a cell holds, at its centre: 0 is none
    Field pressure;  ///< of the last projection, at the centres: mass over length and squared time
    Field rhs;  ///< the right-hand side of its equations, see right_hand_side
    std::vector<double> residuals;  ///< of the pressure, before the first iteration and after each

    Fluid(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), u(nx + 1, ny, nz, {0.0, 0.5, 0.5}),
          v(nx, ny + 1, nz, {0.5, 0.0, 0.5}), w(nx, ny, nz + 1, {0.5, 0.5, 0.0}),
          density(nx, ny, nz, {0.5, 0.5, 0.5}), pressure(density), rhs(density) {}
};

/// Names a cell by its column and its row. It may lie outside.
struct Cell {
    int i, j;
};

/// The cell under the mouse at (x, y), in pixels from the grid's upper left corner, where a cell is
/// `cell_size` pixels wide. Left of the grid or above it the result is negative, so it must be
/// rounded down. Cutting the decimals off would put those points into cell 0.
inline Cell cell_from_mouse(float x, float y, float cell_size) {
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Returns whether (i, j, k) is one of the cells of the box. All that lies outside is wall.
inline bool is_fluid(const Fluid& fluid, int i, int j, int k) {
    return fluid.density.has(i, j, k);
}

/// A step from one cell to another.
struct Direction {
    int i, j, k;
};

/// Returns the step across the faces of u, v or w: one cell to the right, down or away from you. It
/// leads from the cell before a face, which has the lower index, to the cell behind it. The origin
/// of the faces tells the axis: along it they begin at a whole number of cells, and along the other
/// two half a cell further. For a field at the centres of cells it is {0, 0, 0}.
inline Direction across(const Field& faces) {
    const auto step = [](double first) { return first == static_cast<int>(first) ? 1 : 0; };
    return {step(faces.origin.x), step(faces.origin.y), step(faces.origin.z)};
}

/// Returns whether set_bnd gives face (i, j, k) of u, v or w its velocity. It does if one of the
/// two cells beside the face is wall. For a field at the centres of cells the result is false.
inline bool is_given(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    const Direction step = across(faces);
    return !is_fluid(fluid, i, j, k) || !is_fluid(fluid, i - step.i, j - step.j, k - step.k);
}

/// Stops the flow through the walls.
inline void set_bnd(Fluid& fluid) {
    for (Field* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        for_each_point(*faces, [&](int i, int j, int k) {
            if (is_given(fluid, *faces, i, j, k)) {
                (*faces)(i, j, k) = 0.0;
            }
        });
    }
}

/// Adds dye to cell (i, j, k). A cell outside the box is left alone.
inline void add_density(Fluid& fluid, int i, int j, int k, double amount) {
    if (is_fluid(fluid, i, j, k)) {
        fluid.density(i, j, k) += amount;
    }
}

/// Changes the velocity in cell (i, j, k): half of the change goes to each of its two faces along
/// an axis, except where set_bnd gives the velocity. A cell outside the box is left alone.
inline void add_velocity(Fluid& fluid, int i, int j, int k, Vector change) {
    if (!is_fluid(fluid, i, j, k)) {
        return;
    }
    const auto add = [&](Field& faces, int x, int y, int z, double half) {
        if (!is_given(fluid, faces, x, y, z)) {
            faces(x, y, z) += half;
        }
    };
    add(fluid.u, i, j, k, 0.5 * change.x);
    add(fluid.u, i + 1, j, k, 0.5 * change.x);
    add(fluid.v, i, j, k, 0.5 * change.y);
    add(fluid.v, i, j + 1, k, 0.5 * change.y);
    add(fluid.w, i, j, k, 0.5 * change.z);
    add(fluid.w, i, j, k + 1, 0.5 * change.z);
}

/// Two neighbours in a row of n points, and the weight of each.
struct LinearWeights {
    int i0, i1;
    double s0, s1;
};

/// Finds the neighbours of place x, counted in points from the first. Outside the row the nearest
/// point has the weight 1. (This holds for NaN, too, since comparisons with it are false.)
inline LinearWeights linear_weights(double x, int n) {
    x = std::max(0.0, std::min(x, n - 1.0));
    const int i0 = static_cast<int>(x);
    const double s1 = x - i0;
    return {i0, std::min(i0 + 1, n - 1), 1.0 - s1, s1};
}

/// Returns the value of a field at any place of a box whose cells are h wide, interpolated between
/// the eight points around it. A box of one layer has only four.
inline double interpolate(const Field& field, double h, Vector place) {
    const LinearWeights x = linear_weights(place.x / h - field.origin.x, field.nx);
    const LinearWeights y = linear_weights(place.y / h - field.origin.y, field.ny);
    const LinearWeights z = linear_weights(place.z / h - field.origin.z, field.nz);
    const auto in_layer = [&](int k) {
        return y.s0 * (x.s0 * field(x.i0, y.i0, k) + x.s1 * field(x.i1, y.i0, k)) +
               y.s1 * (x.s0 * field(x.i0, y.i1, k) + x.s1 * field(x.i1, y.i1, k));
    };
    const double near = in_layer(z.i0);
    if (z.s1 == 0.0) {
        return near;
    }
    return z.s0 * near + z.s1 * in_layer(z.i1);
}

/// The full velocity at any place of the box. Its three components are stored on different faces,
/// so at a face one of them is stored and the other two are interpolated.
inline Vector velocity_at(const Fluid& fluid, Vector place) {
    return {interpolate(fluid.u, fluid.h, place), interpolate(fluid.v, fluid.h, place),
            interpolate(fluid.w, fluid.h, place)};
}

/// Returns the departure point, from which the flow carries a value to `place` in `dt` seconds: one
/// straight step upstream (Normoyle, the advection step).
inline Vector trace_back(const Fluid& fluid, Vector place, double dt) {
    const Vector velocity = velocity_at(fluid, place);
    return {place.x - dt * velocity.x, place.y - dt * velocity.y, place.z - dt * velocity.z};
}

/// Carries `d0` along the flow of `fluid` for `dt` seconds into `d`. Each point of `d`, at the
/// centre of a cell or of a face, gets the value at its departure point. A face whose velocity
/// set_bnd gives is left alone. `d` must be neither `d0` nor a part of `fluid`'s velocity.
inline void advect(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    const double h = fluid.h;
    for_each_point(d, [&](int i, int j, int k) {
        if (is_given(fluid, d, i, j, k)) {
            return;
        }
        const Vector place = {h * (i + d.origin.x), h * (j + d.origin.y), h * (k + d.origin.z)};
        d(i, j, k) = interpolate(d0, h, trace_back(fluid, place, dt));
    });
}

/// Carries u, v and w along the velocity as it was before any of them moved.
inline void advect_velocity(Fluid& fluid, double dt) {
    Field u = fluid.u;
    Field v = fluid.v;
    Field w = fluid.w;
    advect(fluid, u, fluid.u, dt);
    advect(fluid, v, fluid.v, dt);
    advect(fluid, w, fluid.w, dt);
    std::swap(fluid.u, u);
    std::swap(fluid.v, v);
    std::swap(fluid.w, w);
    set_bnd(fluid);
}

/// Carries the dye.
inline void advect_density(Fluid& fluid, double dt) {
    const Field density_before = fluid.density;
    advect(fluid, fluid.density, density_before, dt);
}

/// Lets a force that is the same everywhere, such as weight, act for `dt` seconds.
inline void add_force(Fluid& fluid, double dt) {
    for (double& u : fluid.u.values) {
        u += dt * fluid.force_x;
    }
    for (double& v : fluid.v.values) {
        v += dt * fluid.force_y;
    }
    for (double& w : fluid.w.values) {
        w += dt * fluid.force_z;
    }
    set_bnd(fluid);
}

/// How much more flows out of cell (i, j, k) than into it, per second and volume. The velocities
/// are stored right on its faces, one cell apart. (In 07_project they are two cells apart, and the
/// velocity of the cell between them is skipped.)
inline double divergence_at(const Fluid& fluid, int i, int j, int k) {
    return (fluid.u(i + 1, j, k) - fluid.u(i, j, k) + fluid.v(i, j + 1, k) - fluid.v(i, j, k) +
            fluid.w(i, j, k + 1) - fluid.w(i, j, k)) /
           fluid.h;
}

/// Fills fluid.rhs with the right-hand side of the pressure's equations, -rho h^2 / dt times the
/// divergence of each cell. The equations say that the velocity is free of divergence once
/// dt / (rho h) times the difference of p has been subtracted from it. (The tutorial divides by
/// rho. With rho = 1 this makes no difference.)
inline void right_hand_side(Fluid& fluid, double dt) {
    const double scale = -fluid.rho * fluid.h * fluid.h / dt;
    for_each_point(fluid.rhs, [&](int i, int j, int k) {
        fluid.rhs(i, j, k) = scale * divergence_at(fluid, i, j, k);
    });
}

/// The six neighbours of a cell, as steps from it.
inline constexpr int neighbours[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                         {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};

/// A cell's neighbours in its equation: how many they are, and the sum of p in them.
struct NeighbourSum {
    int count;
    double sum;
};

/// Looks at the neighbours of cell (i, j, k). Nothing flows through a wall, so a wall has no
/// pressure in the equations (Normoyle, the rules for cells next to a boundary).
inline NeighbourSum neighbour_sum(const Field& p, int i, int j, int k) {
    NeighbourSum found = {0, 0.0};
    for (const auto& [di, dj, dk] : neighbours) {
        if (p.has(i + di, j + dj, k + dk)) {
            ++found.count;
            found.sum += p(i + di, j + dj, k + dk);
        }
    }
    return found;
}

/// The relative residual of the equations: the length (2-norm) of rhs - A p, over the length of
/// rhs. Each cell asks for count p - (sum of its neighbours' p) = rhs. 0 if rhs is 0.
inline double residual(const Field& p, const Field& rhs) {
    double left = 0.0;
    double all = 0.0;
    for_each_point(p, [&](int i, int j, int k) {
        const NeighbourSum found = neighbour_sum(p, i, j, k);
        const double r = rhs(i, j, k) - (found.count * p(i, j, k) - found.sum);
        left += r * r;
        all += rhs(i, j, k) * rhs(i, j, k);
    });
    return all > 0.0 ? std::sqrt(left / all) : 0.0;
}

/// One Gauss-Seidel sweep: each cell in turn is set to what its own equation asks for, given its
/// neighbours as they are now. A cell without neighbours keeps its value.
inline void gauss_seidel(Field& p, const Field& rhs) {
    for_each_point(p, [&](int i, int j, int k) {
        const NeighbourSum found = neighbour_sum(p, i, j, k);
        if (found.count > 0) {
            p(i, j, k) = (rhs(i, j, k) + found.sum) / found.count;
        }
    });
}

/// Relaxes the pressure: Gauss-Seidel sweeps until the residual is at most fluid.tolerance, but no
/// more than fluid.iterations sweeps. Adds each residual to fluid.residuals.
inline void lin_solve(Fluid& fluid) {
    std::vector<double>& residuals = fluid.residuals;
    while (residuals.back() > fluid.tolerance &&
           static_cast<int>(residuals.size()) <= fluid.iterations) {
        gauss_seidel(fluid.pressure, fluid.rhs);
        residuals.push_back(residual(fluid.pressure, fluid.rhs));
    }
}

/// Subtracts the mean of a field from each of its values.
inline void subtract_mean(Field& x) {
    double sum = 0.0;
    for (const double value : x.values) {
        sum += value;
    }
    for (double& value : x.values) {
        value -= sum / static_cast<double>(x.values.size());
    }
}

/// Solves for the pressure, starting from 0. The result has the mean 0, since only differences of p
/// matter.
inline void solve_pressure(Fluid& fluid) {
    Field& p = fluid.pressure;
    std::fill(p.values.begin(), p.values.end(), 0.0);
    fluid.residuals = {residual(p, fluid.rhs)};
    lin_solve(fluid);
    subtract_mean(p);
}

/// Subtracts the gradient of the pressure: the fluid is pushed from high pressure to low, across
/// every face that is not a wall.
inline void subtract_gradient(Fluid& fluid, double dt) {
    const double scale = dt / (fluid.rho * fluid.h);
    const Field& p = fluid.pressure;
    for_each_point(p, [&](int i, int j, int k) {
        if (i > 0) {
            fluid.u(i, j, k) -= scale * (p(i, j, k) - p(i - 1, j, k));
        }
        if (j > 0) {
            fluid.v(i, j, k) -= scale * (p(i, j, k) - p(i, j - 1, k));
        }
        if (k > 0) {
            fluid.w(i, j, k) -= scale * (p(i, j, k) - p(i, j, k - 1));
        }
    });
}

/// Makes the velocity free of divergence. Solves for the pressure whose gradient, times dt / rho,
/// has the divergence of the velocity, and subtracts this product from the velocity.
inline void project(Fluid& fluid, double dt) {
    set_bnd(fluid);
    right_hand_side(fluid, dt);
    solve_pressure(fluid);
    subtract_gradient(fluid, dt);
}

/// What `step` calls after each of its parts, with words for what has been done.
using Listener = std::function<void(const char* done)>;

/// A listener that does nothing.
inline void nobody(const char*) {}

/// Lets `dt` seconds pass (more than 0), and tells a listener of each part of it.
inline void step(Fluid& fluid, double dt, const Listener& tell = nobody) {
    advect_velocity(fluid, dt);
    tell("velocity carried along");
    add_force(fluid, dt);
    tell("force added");
    project(fluid, dt);
    tell("gradient subtracted");
    advect_density(fluid, dt);
    tell("dye carried along");
}
