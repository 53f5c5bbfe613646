// The whole fluid on a staggered grid, in one header that needs the standard library and Eigen.
// Its numbers are double, as in Normoyle's tutorial.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

/// A point in space, or a velocity.
struct Vector {
    double x, y, z;
    bool operator==(const Vector&) const = default;
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
    bool operator==(const Field&) const = default;
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

/// The matrix A of the equations A p = b for the values p of a field, one equation for each point:
///
///     diagonal p - (the sum over its six neighbours of weight times p) = b
///
/// A weight lies on the face between two points and counts for both, so A is symmetric. A point
/// whose diagonal is 0 has no equation: p is known there. Beyond the field p is 0.
struct Matrix {
    Field diagonal;
    Field x, y, z;  ///< the weights: x(i, j, k) is that of the face left of point (i, j, k), like u

    explicit Matrix(const Field& like)
        : diagonal(like.nx, like.ny, like.nz, like.origin),
          x(like.nx + 1, like.ny, like.nz, like.origin),
          y(like.nx, like.ny + 1, like.nz, like.origin),
          z(like.nx, like.ny, like.nz + 1, like.origin) {}

    /// Returns whether point (i, j, k) has an equation.
    bool has(int i, int j, int k) const {
        return diagonal.has(i, j, k) && diagonal(i, j, k) != 0.0;
    }
    /// The weight on a side of point (i, j, k), in the order of `neighbours`.
    double& weight(int side, int i, int j, int k) {
        switch (side) {
            case 0:
                return x(i, j, k);
            case 1:
                return x(i + 1, j, k);
            case 2:
                return y(i, j, k);
            case 3:
                return y(i, j + 1, k);
            case 4:
                return z(i, j, k);
            default:
                return z(i, j, k + 1);
        }
    }
    double weight(int side, int i, int j, int k) const {
        return const_cast<Matrix*>(this)->weight(side, i, j, k);
    }
    bool operator==(const Matrix&) const = default;
};

/// The ways to solve for the pressure.
enum class Solver { GAUSS_SEIDEL, DIRECT, CONJUGATE_GRADIENTS, PRECONDITIONED, MULTIGRID };

/// The ways to carry a field along the flow. LINEAR interpolates once, as 11_mac does. SHARP also
/// subtracts half of the error (advect_sharp). REFLECTED is SHARP, and every second step carries
/// the reflected velocity (advect_reflected).
enum class Advection { LINEAR, SHARP, REFLECTED };

/// A matrix A, and its factors L D L^T, with which A x = b is solved at once for any b.
struct Factors {
    Matrix A;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;

    /// Factorizes `entries`, which is A after its null space has been removed.
    Factors(const Matrix& matrix, const Eigen::SparseMatrix<double>& entries)
        : A(matrix), ldlt(entries) {}
};

/// One grid of multigrid: the matrix of the equations A x = b on it, and room for x and b.
struct Level {
    Matrix A;
    Field x, b;
    std::vector<int> blocks;  ///< for each point, which point of the next grid is its block
};

/// The state of the fluid in a closed box of nx x ny x nz cells, and its parameters. Each size must
/// be at least 1.
struct Fluid {
    int nx, ny, nz;
    double h = 1.0;  ///< the width of a cell, in the unit of all lengths
    double rho = 1.0;  ///< the mass of a unit of volume of the fluid (not the dye)
    double force_x = 0.0, force_y = 0.0, force_z = 0.0;  ///< change of velocity in a second
    double nu = 0.0;  ///< viscosity: length squared in a second
    double tolerance = 1e-10;  ///< a solver stops once its residual is as small as this
    int iterations = 200;  ///< and after so many iterations at the latest
    Solver solver = Solver::MULTIGRID;
    Advection advection = Advection::LINEAR;
    bool reflects_next = false;  ///< whether the next step carries the reflected velocity
    double gradient_factor = 0.0;  ///< dt / rho of the last projection

    Field u;  ///< velocity to the right, on the X faces: u(i, j, k) is left of cell (i, j, k)
    Field v;  ///< velocity down, on the Y faces: v(i, j, k) is above cell (i, j, k)
    Field w;  ///< velocity away from you, on the Z faces: w(i, j, k) is in front of cell (i, j, k)
    Field force_u, force_v, force_w;  ///< a force on each face: change of velocity in a second
    Field density;  ///< how much dye a cell holds, at its centre: 0 is none
    Field source;  ///< how much dye a cell gets in a second
    Field pressure;  ///< of the last projection, at the centres: mass over length and squared time
    Field rhs;  ///< the right-hand side of its equations, see right_hand_side
    Matrix matrix;  ///< the matrix of its equations, see pressure_matrix
    std::vector<double> residuals;  ///< of the pressure, before the first iteration and after each
    double compatibility_defect = 0.0;  ///< of the right-hand side: 0 if there is a solution
    std::shared_ptr<const Factors> factors;  ///< kept from step to step, as long as A is the same
    std::vector<Level> levels;  ///< the grids of multigrid, from the finest on, kept as long

    Fluid(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), u(nx + 1, ny, nz, {0.0, 0.5, 0.5}),
          v(nx, ny + 1, nz, {0.5, 0.0, 0.5}), w(nx, ny, nz + 1, {0.5, 0.5, 0.0}), force_u(u),
          force_v(v), force_w(w), density(nx, ny, nz, {0.5, 0.5, 0.5}), source(density),
          pressure(density), rhs(density), matrix(density) {}
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

/// Returns the sum of a field's values at eight points, each times its weight, of which x, y and z
/// are the factors. A box of one layer has only four.
inline double weighted_sum(const Field& field, const LinearWeights& x, const LinearWeights& y,
                           const LinearWeights& z) {
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

/// Returns the value of a field at any place of a box whose cells are h wide, interpolated between
/// the eight points around it.
inline double interpolate(const Field& field, double h, Vector place) {
    const LinearWeights x = linear_weights(place.x / h - field.origin.x, field.nx);
    const LinearWeights y = linear_weights(place.y / h - field.origin.y, field.ny);
    const LinearWeights z = linear_weights(place.z / h - field.origin.z, field.nz);
    return weighted_sum(field, x, y, z);
}

/// The full velocity at any place of the box. Its three components are stored on different faces,
/// so at a face one of them is stored and the other two are interpolated. Along each axis, two of
/// them have the same weights.
inline Vector velocity_at(const Fluid& fluid, Vector place) {
    const Field& u = fluid.u;
    const Field& v = fluid.v;
    const Field& w = fluid.w;
    const Vector at = {place.x / fluid.h, place.y / fluid.h, place.z / fluid.h};
    const LinearWeights u_x = linear_weights(at.x - u.origin.x, u.nx);
    const LinearWeights v_y = linear_weights(at.y - v.origin.y, v.ny);
    const LinearWeights w_z = linear_weights(at.z - w.origin.z, w.nz);
    const LinearWeights x = linear_weights(at.x - v.origin.x, v.nx);  // of v and w
    const LinearWeights y = linear_weights(at.y - w.origin.y, w.ny);  // of u and w
    const LinearWeights z = linear_weights(at.z - u.origin.z, u.nz);  // of u and v
    return {weighted_sum(u, u_x, y, z), weighted_sum(v, x, v_y, z), weighted_sum(w, x, y, w_z)};
}

/// Returns the departure point, from which the flow carries a value to `place` in `dt` seconds: one
/// straight step upstream (Normoyle, the advection step). Unless fluid.advection is LINEAR, it
/// takes the velocity of the point half way along the step (midpoint rule), so that the error
/// shrinks with the cube of `dt` instead of the square. A negative `dt` traces downstream.
inline Vector trace_back(const Fluid& fluid, Vector place, double dt) {
    Vector velocity = velocity_at(fluid, place);
    if (fluid.advection != Advection::LINEAR) {
        velocity =
            velocity_at(fluid, {place.x - 0.5 * dt * velocity.x, place.y - 0.5 * dt * velocity.y,
                                place.z - 0.5 * dt * velocity.z});
    }
    return {place.x - dt * velocity.x, place.y - dt * velocity.y, place.z - dt * velocity.z};
}

/// Carries `d0` along the flow of `fluid` for `dt` seconds into `d`. Each point of `d`, at the
/// centre of a cell or of a face, gets the value at its departure point. A face whose velocity
/// set_bnd gives is left alone. `d` must be neither `d0` nor a part of `fluid`'s velocity. Returns
/// the departure points, in the order of d.values.
inline std::vector<Vector> advect(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    const double h = fluid.h;
    std::vector<Vector> departures(d.values.size());
    for_each_point(d, [&](int i, int j, int k) {
        if (is_given(fluid, d, i, j, k)) {
            return;
        }
        const Vector place = {h * (i + d.origin.x), h * (j + d.origin.y), h * (k + d.origin.z)};
        const Vector departure = trace_back(fluid, place, dt);
        departures[d.IX(i, j, k)] = departure;
        d(i, j, k) = interpolate(d0, h, departure);
    });
    return departures;
}

/// The least and the greatest of some values.
struct Range {
    double least, most;
};

/// Returns the least and the greatest of the values that interpolate uses at a place. These are
/// eight, or fewer where a weight is 0.
inline Range range_around(const Field& field, double h, Vector place) {
    const LinearWeights x = linear_weights(place.x / h - field.origin.x, field.nx);
    const LinearWeights y = linear_weights(place.y / h - field.origin.y, field.ny);
    const LinearWeights z = linear_weights(place.z / h - field.origin.z, field.nz);
    Range range = {field(x.i0, y.i0, z.i0), field(x.i0, y.i0, z.i0)};
    for (const int k : {z.i0, z.s1 > 0.0 ? z.i1 : z.i0}) {
        for (const int j : {y.i0, y.s1 > 0.0 ? y.i1 : y.i0}) {
            for (const int i : {x.i0, x.s1 > 0.0 ? x.i1 : x.i0}) {
                range.least = std::min(range.least, field(i, j, k));
                range.most = std::max(range.most, field(i, j, k));
            }
        }
    }
    return range;
}

/// Returns whether a place lies in the fluid. The walls of the box belong to it. (For NaN it
/// returns false, since comparisons with NaN are false.)
inline bool is_in_fluid(const Fluid& fluid, Vector place) {
    const double x = place.x / fluid.h, y = place.y / fluid.h, z = place.z / fluid.h;
    return 0.0 <= x && x <= fluid.nx && 0.0 <= y && y <= fluid.ny && 0.0 <= z && z <= fluid.nz &&
           is_fluid(fluid, std::min(static_cast<int>(x), fluid.nx - 1),
                    std::min(static_cast<int>(y), fluid.ny - 1),
                    std::min(static_cast<int>(z), fluid.nz - 1));
}

/// Subtracts half of the error from `d`, which advect has carried from `d0`. `upstream` are the
/// departure points that advect returned. If `d` is carried downstream again, it should become
/// `d0`. What it becomes instead differs from `d0` by the error of two steps, so half of the
/// difference is the error of one. The result stays within the values around the departure point,
/// as the interpolated value does (MacCormack's scheme with a limiter: Selle, Fedkiw, Kim, Liu and
/// Rossignac 2008). Where one of the two traces leaves the fluid, the error is unknown, and the
/// value of advect is kept.
inline void subtract_error(const Fluid& fluid, Field& d, const Field& d0,
                           const std::vector<Vector>& upstream, double dt) {
    Field back = d0;
    const std::vector<Vector> downstream = advect(fluid, back, d, -dt);
    for_each_point(d, [&](int i, int j, int k) {
        const int n = d.IX(i, j, k);
        if (!is_given(fluid, d, i, j, k) && is_in_fluid(fluid, upstream[n]) &&
            is_in_fluid(fluid, downstream[n])) {
            const Range range = range_around(d0, fluid.h, upstream[n]);
            const double error = 0.5 * (back.values[n] - d0.values[n]);
            d.values[n] = std::clamp(d.values[n] - error, range.least, range.most);
        }
    });
}

/// Carries `d0` like advect, but to second order.
inline void advect_sharp(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    const std::vector<Vector> upstream = advect(fluid, d, d0, dt);
    subtract_error(fluid, d, d0, upstream, dt);
}

/// Carries `d0` into `d` by the method that fluid.advection names.
inline void carry(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    if (fluid.advection == Advection::LINEAR) {
        advect(fluid, d, d0, dt);
    } else {
        advect_sharp(fluid, d, d0, dt);
    }
}

/// The dot product of two fields.
inline double dot(const Field& a, const Field& b) {
    double sum = 0.0;
    for (std::size_t n = 0; n < a.values.size(); ++n) {
        sum += a.values[n] * b.values[n];
    }
    return sum;
}

/// Adds `factor` times `direction` to x.
inline void add_scaled(Field& x, double factor, const Field& direction) {
    for (std::size_t n = 0; n < x.values.size(); ++n) {
        x.values[n] += factor * direction.values[n];
    }
}

/// The three fields of a velocity.
struct Velocity {
    Field u, v, w;
};

/// Returns the dot product of two velocities. The dot product of a velocity with itself is its
/// energy divided by rho h^3 / 2.
inline double dot(const Velocity& a, const Velocity& b) {
    return dot(a.u, b.u) + dot(a.v, b.v) + dot(a.w, b.w);
}

/// Adds `factor` times `direction` to a velocity.
inline void add_scaled(Velocity& velocity, double factor, const Velocity& direction) {
    add_scaled(velocity.u, factor, direction.u);
    add_scaled(velocity.v, factor, direction.v);
    add_scaled(velocity.w, factor, direction.w);
}

/// Returns the largest share s from 0 to 1 with which the energy of linear + s correction is at
/// most `most`. Here the energy of a velocity is its dot product with itself. The energy of
/// `linear` must be at most `most`. If s = 1 gives more than `most`, s is the larger root of the
/// quadratic equation by which the energy equals `most`.
inline double largest_share(const Velocity& linear, const Velocity& correction, double most) {
    const double a = dot(correction, correction);
    const double b = dot(linear, correction);
    const double c = dot(linear, linear) - most;
    if (a + 2.0 * b + c <= 0.0) {
        return 1.0;
    }
    return (std::sqrt(b * b - a * c) - b) / a;
}

/// Carries the velocity `before` along that of `fluid`, and makes the result the velocity of
/// `fluid`. Unless fluid.advection is LINEAR, it is corrected by half of the error. The limiter of
/// subtract_error bounds the values of the result, but not its energy. So only the largest share of
/// the correction is added with which the energy is at most that of `before`, or that of the
/// uncorrected result if this is more.
inline void carry_velocity(Fluid& fluid, const Velocity& before, double dt) {
    Velocity carried = before;
    const std::vector<Vector> upstream_of_u = advect(fluid, carried.u, before.u, dt);
    const std::vector<Vector> upstream_of_v = advect(fluid, carried.v, before.v, dt);
    const std::vector<Vector> upstream_of_w = advect(fluid, carried.w, before.w, dt);
    if (fluid.advection != Advection::LINEAR) {
        Velocity correction = carried;
        subtract_error(fluid, correction.u, before.u, upstream_of_u, dt);
        subtract_error(fluid, correction.v, before.v, upstream_of_v, dt);
        subtract_error(fluid, correction.w, before.w, upstream_of_w, dt);
        add_scaled(correction, -1.0, carried);
        const double most = std::max(dot(before, before), dot(carried, carried));
        add_scaled(carried, largest_share(carried, correction, most), correction);
    }
    std::swap(fluid.u, carried.u);
    std::swap(fluid.v, carried.v);
    std::swap(fluid.w, carried.w);
    set_bnd(fluid);
}

/// Carries u, v and w along the velocity as it was before any of them moved.
inline void advect_velocity(Fluid& fluid, double dt) {
    const Velocity before = {fluid.u, fluid.v, fluid.w};
    carry_velocity(fluid, before, dt);
}

/// Carries the dye.
inline void advect_density(Fluid& fluid, double dt) {
    const Field density_before = fluid.density;
    const std::vector<double>& dye = density_before.values;
    if (std::any_of(dye.begin(), dye.end(), [](double amount) { return amount != 0.0; })) {
        carry(fluid, fluid.density, density_before, dt);
    }
}

/// Lets the sources of dye act for `dt` seconds.
inline void add_source(Fluid& fluid, double dt) {
    for (std::size_t n = 0; n < fluid.density.values.size(); ++n) {
        fluid.density.values[n] += dt * fluid.source.values[n];
    }
}

/// Lets the forces act for `dt` seconds: one that is the same everywhere, such as weight, and the
/// one that each face has.
inline void add_force(Fluid& fluid, double dt) {
    for (std::size_t n = 0; n < fluid.u.values.size(); ++n) {
        fluid.u.values[n] += dt * (fluid.force_x + fluid.force_u.values[n]);
    }
    for (std::size_t n = 0; n < fluid.v.values.size(); ++n) {
        fluid.v.values[n] += dt * (fluid.force_y + fluid.force_v.values[n]);
    }
    for (std::size_t n = 0; n < fluid.w.values.size(); ++n) {
        fluid.w.values[n] += dt * (fluid.force_z + fluid.force_w.values[n]);
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

/// Returns the weight of the face between cell (i, j, k) and its neighbour on a side. Nothing flows
/// through a wall, so a wall has no pressure in the equations, and its face has the weight 0
/// (Normoyle, the rules for cells next to a boundary). Every other face has the weight 1.
inline double weight_towards(const Fluid& fluid, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    return is_fluid(fluid, i + di, j + dj, k + dk) ? 1.0 : 0.0;
}

/// Returns the matrix A of the pressure's equations. The diagonal is the sum of a cell's weights,
/// so it counts the neighbours that are not wall.
inline Matrix pressure_matrix(const Fluid& fluid) {
    Matrix A(fluid.pressure);
    for_each_point(fluid.pressure, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            const double weight = weight_towards(fluid, side, i, j, k);
            A.weight(side, i, j, k) = weight;
            A.diagonal(i, j, k) += weight;
        }
    });
    return A;
}

/// Returns the sum over the six neighbours of point (i, j, k) of weight times x. Beyond the block x
/// is 0, so nothing is added there.
inline double neighbour_sum(const Matrix& A, const Field& x, int i, int j, int k) {
    double sum = 0.0;
    if (i > 0) {
        sum += A.x(i, j, k) * x(i - 1, j, k);
    }
    if (i + 1 < x.nx) {
        sum += A.x(i + 1, j, k) * x(i + 1, j, k);
    }
    if (j > 0) {
        sum += A.y(i, j, k) * x(i, j - 1, k);
    }
    if (j + 1 < x.ny) {
        sum += A.y(i, j + 1, k) * x(i, j + 1, k);
    }
    if (k > 0) {
        sum += A.z(i, j, k) * x(i, j, k - 1);
    }
    if (k + 1 < x.nz) {
        sum += A.z(i, j, k + 1) * x(i, j, k + 1);
    }
    return sum;
}

/// Fills `result` with A times x: the left-hand side of each equation, and 0 where there is none.
inline void multiply(const Matrix& A, const Field& x, Field& result) {
    for_each_point(x, [&](int i, int j, int k) {
        result(i, j, k) = 0.0;
        if (A.has(i, j, k)) {
            result(i, j, k) = A.diagonal(i, j, k) * x(i, j, k) - neighbour_sum(A, x, i, j, k);
        }
    });
}

/// The relative residual of the equations: the length (2-norm) of b - A x, over the length of b.
/// 0 if b is 0.
inline double residual(const Matrix& A, const Field& x, const Field& b) {
    Field product = b;
    multiply(A, x, product);
    double left = 0.0;
    double all = 0.0;
    for (std::size_t n = 0; n < b.values.size(); ++n) {
        const double r = b.values[n] - product.values[n];
        left += r * r;
        all += b.values[n] * b.values[n];
    }
    return all > 0.0 ? std::sqrt(left / all) : 0.0;
}

/// Returns the value that the equation of point (i, j, k) asks for, given its neighbours as they
/// are now. A point without an equation keeps its value.
inline double relaxed(const Matrix& A, const Field& x, const Field& b, int i, int j, int k) {
    if (!A.has(i, j, k)) {
        return x(i, j, k);
    }
    return (b(i, j, k) + neighbour_sum(A, x, i, j, k)) / A.diagonal(i, j, k);
}

/// One Gauss-Seidel sweep: each point in turn is set to what its own equation asks for.
inline void gauss_seidel(const Matrix& A, Field& x, const Field& b) {
    for_each_point(x, [&](int i, int j, int k) { x(i, j, k) = relaxed(A, x, b, i, j, k); });
}

/// Relaxes the pressure: Gauss-Seidel sweeps until the residual is at most fluid.tolerance, but no
/// more than fluid.iterations sweeps. Adds each residual to fluid.residuals.
inline void lin_solve(Fluid& fluid) {
    std::vector<double>& residuals = fluid.residuals;
    while (residuals.back() > fluid.tolerance &&
           static_cast<int>(residuals.size()) <= fluid.iterations) {
        gauss_seidel(fluid.matrix, fluid.pressure, fluid.rhs);
        residuals.push_back(residual(fluid.matrix, fluid.pressure, fluid.rhs));
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

/// Returns A as a sparse matrix of Eigen, with one row and one column for each point: on the
/// diagonal that of A, and in the column of each neighbour minus the weight between the two. A
/// point without an equation has a 1 on the diagonal, and nothing else in its row and its column.
inline Eigen::SparseMatrix<double> assemble_matrix(const Matrix& A) {
    std::vector<Eigen::Triplet<double>> entries;
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        const int row = A.diagonal.IX(i, j, k);
        if (!A.has(i, j, k)) {
            entries.emplace_back(row, row, 1.0);
            return;
        }
        entries.emplace_back(row, row, A.diagonal(i, j, k));
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            const double weight = A.weight(side, i, j, k);
            if (weight != 0.0 && A.has(i + di, j + dj, k + dk)) {
                entries.emplace_back(row, A.diagonal.IX(i + di, j + dj, k + dk), -weight);
            }
        }
    });
    const auto points = static_cast<Eigen::Index>(A.diagonal.values.size());
    Eigen::SparseMatrix<double> matrix(points, points);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

/// How far a right-hand side is from having a solution: the absolute value of the sum of its
/// values, over the sum of their absolute values. If each column of A adds up to 0, the values of
/// A p add up to 0 for every p. So the values of the right-hand side must, too. The result is 0 if
/// they do, and 1 if all of them have one sign.
inline double compatibility_defect(const Field& rhs) {
    double sum = 0.0;
    double size = 0.0;
    for (const double value : rhs.values) {
        sum += value;
        size += std::abs(value);
    }
    return size > 0.0 ? std::abs(sum) / size : 0.0;
}

/// Factorizes A, once for all right-hand sides.
///
/// A is singular. Adding a constant to p changes nothing (the null space), so one pivot in D is 0.
/// Therefore 1 is added to the first entry of the diagonal. The sum of all equations then says that
/// the pressure of the first cell is the sum of the right-hand side, which is 0. So the added term,
/// which is this pressure, is 0, and the solution solves the equations of A itself.
inline std::shared_ptr<const Factors> factorize(const Matrix& A) {
    Eigen::SparseMatrix<double> matrix = assemble_matrix(A);
    matrix.coeffRef(0, 0) += 1.0;
    return std::make_shared<const Factors>(A, matrix);
}

/// Solves A x = b at once, for a compatible right-hand side.
inline void solve_direct(const Factors& factors, Field& x, const Field& b) {
    const auto points = static_cast<Eigen::Index>(b.values.size());
    const Eigen::VectorXd solution =
        factors.ldlt.solve(Eigen::VectorXd::Map(b.values.data(), points));
    x.values.assign(solution.begin(), solution.end());
}

/// Returns about how long (2-norm) b - A x remains because of rounding, even if x solves the
/// equations. The largest term of an equation is usually the diagonal times x. Its rounding error
/// is about that term times the relative error of a double.
inline double rounding_error(const Matrix& A, const Field& x) {
    double sum = 0.0;
    for (std::size_t n = 0; n < x.values.size(); ++n) {
        const double term = A.diagonal.values[n] * x.values[n];
        sum += term * term;
    }
    return std::numeric_limits<double>::epsilon() * std::sqrt(sum);
}

/// The best x that a solver has found so far, and its residual.
struct Best {
    Field x;
    double residual;

    /// Keeps another x if its residual is at most half as large. (So few of them are copied.)
    void look_at(const Field& other, double its_residual) {
        if (its_residual <= 0.5 * residual) {
            x = other;
            residual = its_residual;
        }
    }
    /// Returns whether an x with that residual has run away: the residual is more than 10,000 times
    /// as large as that of the best x, or NaN. Apart from rounding errors, a residual of conjugate
    /// gradients is at most the root of the condition number times any earlier one. This root is
    /// 115 in a box of 128 x 128.
    bool is_far_from(double its_residual) const { return !(its_residual <= 1e4 * residual); }
};

/// One Gauss-Seidel sweep from the last point back to the first.
inline void gauss_seidel_back(const Matrix& A, Field& x, const Field& b) {
    for (int k = x.nz - 1; k >= 0; --k) {
        for (int j = x.ny - 1; j >= 0; --j) {
            for (int i = x.nx - 1; i >= 0; --i) {
                x(i, j, k) = relaxed(A, x, b, i, j, k);
            }
        }
    }
}

/// A preconditioner: puts into z, roughly, the solution of A z = r. Symmetric Gauss-Seidel: one
/// sweep from the first point to the last, and one back, so that no end of the box is favoured.
inline void symmetric_gauss_seidel(const Matrix& A, Field& z, const Field& r) {
    std::fill(z.values.begin(), z.values.end(), 0.0);
    gauss_seidel(A, z, r);
    gauss_seidel_back(A, z, r);
}

/// Solves A x = b by conjugate gradients (Hestenes and Stiefel 1952). It starts from the values
/// that x has. x goes along one direction after the other, each time as far as lowers the energy of
/// the error the most. Each direction is conjugate to the earlier ones, so a step along it does not
/// undo theirs. The directions are made of z, where precondition(z, r) fills z with an approximate
/// solution of A z = r.
///
/// Stops once the residual is at most `tolerance`, after `iterations`, or once r is as short as the
/// rounding error. Then the tolerance is out of reach, since b - A x itself cannot get shorter.
/// Stops as well once x has run away, and then goes back to the best x.
///
/// Returns the residuals, before the first iteration and after each: the length of r over that of
/// b, or over that of the first r if this is longer. The last one is that of the final x.
template <class Preconditioner>
std::vector<double> conjugate_gradients(const Matrix& A, Field& x, const Field& b, double tolerance,
                                        int iterations, Preconditioner precondition) {
    Field r = b;  // b - A x
    Field a_direction = b;
    multiply(A, x, a_direction);
    add_scaled(r, -1.0, a_direction);
    Field z = r;
    precondition(z, r);
    Field direction = z;
    double rz = dot(r, z);
    const double size = std::sqrt(std::max(dot(b, b), dot(r, r)));
    std::vector<double> residuals = {size > 0.0 ? std::sqrt(dot(r, r)) / size : 0.0};
    Best best = {x, residuals.back()};
    while (residuals.back() > tolerance && static_cast<int>(residuals.size()) <= iterations &&
           residuals.back() * size > rounding_error(A, x) && !best.is_far_from(residuals.back())) {
        multiply(A, direction, a_direction);
        const double alpha = rz / dot(direction, a_direction);
        add_scaled(x, alpha, direction);
        add_scaled(r, -alpha, a_direction);
        precondition(z, r);
        const double rz_before = rz;
        rz = dot(r, z);
        const double beta = rz / rz_before;
        for (std::size_t n = 0; n < z.values.size(); ++n) {
            direction.values[n] = z.values[n] + beta * direction.values[n];
        }
        residuals.push_back(std::sqrt(dot(r, r)) / size);
        best.look_at(x, residuals.back());
    }
    if (best.is_far_from(residuals.back())) {
        x = best.x;
        residuals.back() = best.residual;
    }
    return residuals;
}

/// Returns A on a coarser grid, which has as many points as `like`. Each point n of the fine grid
/// belongs to point pairs[n] there. Two neighbours belong to the same point, or to two that are
/// neighbours on the same side. The coarse x stands for all values of a pair, which are taken to be
/// equal, and its equation is the sum of their equations. Within the pair the weight cancels: it
/// stands in two diagonals, and joins two equal values. Between two pairs the weights add up. So
/// the coarse A is again such a matrix, and walls, openings and solids are in it. A pair that is
/// closed all around keeps only rounding on its diagonal. It gets no equation: a diagonal of 0.
inline Matrix coarsen(const Matrix& fine, const Field& like, const std::vector<int>& pairs) {
    const Field& points = fine.diagonal;
    Matrix coarse(like);
    Field sums = coarse.diagonal;  // of the diagonals in each pair
    for_each_point(points, [&](int i, int j, int k) {
        const int pair = pairs[points.IX(i, j, k)];
        double& diagonal = coarse.diagonal.values[pair];
        diagonal += points(i, j, k);
        sums.values[pair] += points(i, j, k);
        for (const int side : {0, 2, 4}) {  // left, above, before: so each face is visited once
            const auto& [di, dj, dk] = neighbours[side];
            if (!fine.has(i, j, k) || !fine.has(i + di, j + dj, k + dk)) {
                continue;
            }
            const double weight = fine.weight(side, i, j, k);
            const bool is_inside = pairs[points.IX(i + di, j + dj, k + dk)] == pair;
            if (is_inside) {
                diagonal -= 2.0 * weight;
            } else {
                const int row = pair / like.nx;
                coarse.weight(side, pair % like.nx, row % like.ny, row / like.ny) += weight;
            }
        }
    });
    for (std::size_t n = 0; n < sums.values.size(); ++n) {
        if (coarse.diagonal.values[n] < 1e-10 * sums.values[n]) {
            coarse.diagonal.values[n] = 0.0;
        }
    }
    return coarse;
}

/// Returns whether A has a weight between point (i, j, k) and its neighbour on a side, and an
/// equation for both.
inline bool is_joined(const Matrix& A, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    return A.has(i, j, k) && A.has(i + di, j + dj, k + dk) && A.weight(side, i, j, k) != 0.0;
}

/// Returns whether point (i, j, k) leaves its pair and goes to that of its neighbour on a side. It
/// does if a wall parts it from the other point of its pair, and none from that neighbour. Each of
/// its neighbours across the axis must also be reached by way of that one, so that no way through a
/// gap is lost.
inline bool moves(const Matrix& A, const std::vector<int>& pairs, int side, int i, int j, int k) {
    const int opposite = side % 2 == 0 ? side + 1 : side - 1;
    if (is_joined(A, opposite, i, j, k) || !is_joined(A, side, i, j, k)) {
        return false;
    }
    const auto& [di, dj, dk] = neighbours[side];
    if (!A.has(i - di, j - dj, k - dk)) {
        return false;
    }
    const Field& points = A.diagonal;
    if (pairs[points.IX(i - di, j - dj, k - dk)] != pairs[points.IX(i, j, k)]) {
        return false;
    }
    for (int beside = 0; beside < 6; ++beside) {
        if (beside / 2 == side / 2 || !is_joined(A, beside, i, j, k)) {
            continue;
        }
        const auto& [si, sj, sk] = neighbours[beside];
        if (!is_joined(A, side, i + si, j + sj, k + sk) ||
            !is_joined(A, beside, i + di, j + dj, k + dk)) {
            return false;
        }
    }
    return true;
}

/// Moves the weights between point (i, j, k) and its neighbours across an axis one point further,
/// towards its neighbour on a side. So a point that moves takes its weights along.
inline void hand_over(Matrix& A, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    for (int beside = 0; beside < 6; ++beside) {
        if (beside / 2 == side / 2 || !is_joined(A, beside, i, j, k)) {
            continue;
        }
        const auto& [si, sj, sk] = neighbours[beside];
        const double weight = A.weight(beside, i, j, k);
        A.weight(beside, i, j, k) = 0.0;
        A.diagonal(i, j, k) -= weight;
        A.diagonal(i + si, j + sj, k + sk) -= weight;
        A.weight(beside, i + di, j + dj, k + dk) += weight;
        A.diagonal(i + di, j + dj, k + dk) += weight;
        A.diagonal(i + di + si, j + dj + sj, k + dk + sk) += weight;
    }
}

/// Returns to which point of a coarser grid, one of such points as `like`, each point of A belongs:
/// along an axis (0, 1 or 2), points 0 and 1 are a pair, points 2 and 3... But where a wall parts a
/// pair, its second point moves on to the next one, or else its first point to the one before.
/// Those take their weights along, so A changes.
inline std::vector<int> make_pairs(Matrix& A, int axis, const Field& like) {
    const Field& points = A.diagonal;
    std::vector<int> pairs(points.values.size());
    for_each_point(points, [&](int i, int j, int k) {
        pairs[points.IX(i, j, k)] =
            like.IX(axis == 0 ? i / 2 : i, axis == 1 ? j / 2 : j, axis == 2 ? k / 2 : k);
    });
    for (const int side : {2 * axis + 1, 2 * axis}) {
        for_each_point(points, [&](int i, int j, int k) {
            if (moves(A, pairs, side, i, j, k)) {
                const auto& [di, dj, dk] = neighbours[side];
                pairs[points.IX(i, j, k)] = pairs[points.IX(i + di, j + dj, k + dk)];
                hand_over(A, side, i, j, k);
            }
        });
    }
    return pairs;
}

/// Makes the next coarser grid, on which each block of 2 x 2 x 2 points is one: it joins pairs
/// along x, then pairs of these along y and along z. (At an odd end, and along a side of one point,
/// a block has fewer.) Fills the blocks of the fine grid.
inline Level make_coarser(Level& fine) {
    for (std::size_t n = 0; n < fine.x.values.size(); ++n) {
        fine.blocks.push_back(static_cast<int>(n));
    }
    Matrix A = fine.A;
    for (const int axis : {0, 1, 2}) {
        const Field& points = A.diagonal;
        const auto size = [&](int n, int along) { return along == axis ? (n + 1) / 2 : n; };
        const Field like(size(points.nx, 0), size(points.ny, 1), size(points.nz, 2), points.origin);
        const std::vector<int> pairs = make_pairs(A, axis, like);
        A = coarsen(A, like, pairs);
        for (int& block : fine.blocks) {
            block = pairs[block];
        }
    }
    return {A, A.diagonal, A.diagonal, {}};
}

/// Makes the grids for the equations of A, each coarser than the one before, until one cannot be
/// made coarser. That one has a single point.
inline std::vector<Level> make_levels(const Matrix& A) {
    std::vector<Level> levels = {{A, A.diagonal, A.diagonal, {}}};
    Level coarse = make_coarser(levels.back());
    while (coarse.x.values.size() < levels.back().x.values.size()) {
        levels.push_back(coarse);
        coarse = make_coarser(levels.back());
    }
    return levels;
}

/// Restriction: fills coarse_b, the right-hand side of the next grid after `level`. Its equations
/// are the sums of those of a block, so a block gets the sum of what b - A x is at its points.
inline void restrict_residual(const Level& level, const Field& x, const Field& b, Field& coarse_b) {
    const Matrix& A = level.A;
    std::fill(coarse_b.values.begin(), coarse_b.values.end(), 0.0);
    for_each_point(x, [&](int i, int j, int k) {
        if (A.has(i, j, k)) {
            const double product = A.diagonal(i, j, k) * x(i, j, k) - neighbour_sum(A, x, i, j, k);
            coarse_b.values[level.blocks[x.IX(i, j, k)]] += b(i, j, k) - product;
        }
    });
}

/// Prolongation: adds coarse_x, which the next grid after `level` found to be missing in a block,
/// to each of its points, times 1.9. Equal values in a block turn a slope into steps, which have
/// twice the slope's energy, so the coarser grid finds only about half of what is missing.
inline void prolong(const Level& level, Field& x, const Field& coarse_x) {
    for (std::size_t n = 0; n < x.values.size(); ++n) {
        if (level.A.diagonal.values[n] != 0.0) {
            x.values[n] += 1.9 * coarse_x.values[level.blocks[n]];
        }
    }
}

/// A cycle of multigrid on the equations A x = b of level l, from x = 0 (Brandt 1977). It is a
/// preconditioner, so x solves them only roughly. A sweep smooths the error. What is left of the
/// error is solved for on a coarser grid, where a sweep costs a quarter of one here (an eighth in
/// 3D). A sweep back smooths the steps between the blocks, and makes the cycle symmetric, as
/// conjugate gradients need it. The two finest grids go through this once, which is a V-cycle. All
/// others are cheap, and do it twice, the second time from the x of the first: a W-cycle.
inline void multigrid_cycle(std::vector<Level>& levels, std::size_t l, Field& x, const Field& b) {
    const Matrix& A = levels[l].A;
    const int visits = l < 2 ? 1 : 2;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    for (int visit = 0; visit < visits; ++visit) {
        gauss_seidel(A, x, b);
        if (l + 1 < levels.size()) {
            Level& coarser = levels[l + 1];
            restrict_residual(levels[l], x, b, coarser.b);
            multigrid_cycle(levels, l + 1, coarser.x, coarser.b);
            prolong(levels[l], x, coarser.x);
        }
        gauss_seidel_back(A, x, b);
    }
}

/// Solves A p = rhs by the method that fluid.solver names, starting from the values that p has.
inline void solve(Fluid& fluid) {
    const Matrix& A = fluid.matrix;
    fluid.residuals = {residual(A, fluid.pressure, fluid.rhs)};
    if (fluid.solver == Solver::DIRECT) {
        if (!fluid.factors || fluid.factors->A != A) {
            fluid.factors = factorize(A);
        }
        if (fluid.factors) {  // there are none until factorize is written
            solve_direct(*fluid.factors, fluid.pressure, fluid.rhs);
        }
        fluid.residuals.push_back(residual(A, fluid.pressure, fluid.rhs));
    } else if (fluid.solver == Solver::CONJUGATE_GRADIENTS) {
        const auto copy = [](Field& z, const Field& r) { z = r; };
        fluid.residuals = conjugate_gradients(A, fluid.pressure, fluid.rhs, fluid.tolerance,
                                              fluid.iterations, copy);
    } else if (fluid.solver == Solver::PRECONDITIONED) {
        const auto sweep = [&](Field& z, const Field& r) { symmetric_gauss_seidel(A, z, r); };
        fluid.residuals = conjugate_gradients(A, fluid.pressure, fluid.rhs, fluid.tolerance,
                                              fluid.iterations, sweep);
    } else if (fluid.solver == Solver::MULTIGRID) {
        if (fluid.levels.empty() || fluid.levels[0].A != A) {
            fluid.levels = make_levels(A);
        }
        const auto cycle = [&](Field& z, const Field& r) {
            multigrid_cycle(fluid.levels, 0, z, r);
        };
        fluid.residuals = conjugate_gradients(A, fluid.pressure, fluid.rhs, fluid.tolerance,
                                              fluid.iterations, cycle);
    } else {
        lin_solve(fluid);
    }
}

/// Solves for the pressure, starting from 0. If the right-hand side is not compatible, its mean is
/// subtracted first. The result has the mean 0, since only differences of p matter.
inline void solve_pressure(Fluid& fluid) {
    Field& p = fluid.pressure;
    fluid.compatibility_defect = compatibility_defect(fluid.rhs);
    subtract_mean(fluid.rhs);
    std::fill(p.values.begin(), p.values.end(), 0.0);
    solve(fluid);
    subtract_mean(p);
}

/// Subtracts from each face of u, v or w the product of `scale`, the face's weight and the
/// difference of p between the two cells beside it. Beyond the box p is 0.
inline void subtract_differences(Field& faces, const Field& weights, const Field& p, double scale) {
    const Direction step = across(faces);
    for_each_point(faces, [&](int i, int j, int k) {
        const bool has_before = p.has(i - step.i, j - step.j, k - step.k);
        const double before = has_before ? p(i - step.i, j - step.j, k - step.k) : 0.0;
        const double behind = p.has(i, j, k) ? p(i, j, k) : 0.0;
        faces(i, j, k) -= scale * weights(i, j, k) * (behind - before);
    });
}

/// Subtracts the gradient of the pressure: the fluid is pushed from high pressure to low. A face
/// has the weight that it has in A, so nothing is pushed through a wall.
inline void subtract_gradient(Fluid& fluid, double dt) {
    const double scale = dt / (fluid.rho * fluid.h);
    subtract_differences(fluid.u, fluid.matrix.x, fluid.pressure, scale);
    subtract_differences(fluid.v, fluid.matrix.y, fluid.pressure, scale);
    subtract_differences(fluid.w, fluid.matrix.z, fluid.pressure, scale);
}

/// Makes the velocity free of divergence. Solves for the pressure whose gradient, times dt / rho,
/// has the divergence of the velocity, and subtracts this product from the velocity.
inline void project(Fluid& fluid, double dt) {
    set_bnd(fluid);
    fluid.matrix = pressure_matrix(fluid);
    right_hand_side(fluid, dt);
    solve_pressure(fluid);
    subtract_gradient(fluid, dt);
    fluid.gradient_factor = dt / fluid.rho;
}

/// Carries the reflected velocity along the velocity.
///
/// A step that carries and then projects loses energy: what it has carried is no longer free of
/// divergence, and a projection never adds. Let u~ be the velocity before the last projection, and
/// u after it. The projection subtracted u~ - u. The next step subtracts this once more. So every
/// second step carries 2 u - u~, the mirror image of u~, which has as much energy as u~ had
/// (advection-reflection: Zehnder, Narain and Thomaszewski 2018). No u~ is kept for that: 2 u - u~
/// is u, less the gradient of the last pressure once more. So velocity that the mouse adds between
/// two steps is added once, not twice. The force is added before anything is carried. In a fluid at
/// rest the gradient of the pressure cancels it, so the fluid stays at rest.
inline void advect_reflected(Fluid& fluid, double dt) {
    Velocity reflected = {fluid.u, fluid.v, fluid.w};
    subtract_gradient(fluid, fluid.gradient_factor * fluid.rho);
    add_force(fluid, dt);
    std::swap(fluid.u, reflected.u);  // now `fluid` has its velocity again, along which
    std::swap(fluid.v, reflected.v);  // the reflected one is carried
    std::swap(fluid.w, reflected.w);
    carry_velocity(fluid, reflected, dt);
}

/// Returns the matrix of the equations by which u, v or w spreads: backward Euler, as in
/// 04_diffuse. `a` is nu dt / h^2. Walls do not drag, so beyond a wall there is no neighbour. A
/// face whose velocity set_bnd gives has no equation.
inline Matrix diffusion_matrix(const Fluid& fluid, const Field& faces, double a) {
    Matrix A(faces);
    for_each_point(faces, [&](int i, int j, int k) {
        if (is_given(fluid, faces, i, j, k)) {
            return;
        }
        A.diagonal(i, j, k) = 1.0;
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            if (faces.has(i + di, j + dj, k + dk)) {
                A.weight(side, i, j, k) = a;
                A.diagonal(i, j, k) += a;
            }
        }
    });
    return A;
}

/// Lets viscosity act on the velocity for `dt` seconds. Each of its three parts spreads by itself.
inline void diffuse_velocity(Fluid& fluid, double dt) {
    const double a = fluid.nu * dt / (fluid.h * fluid.h);
    if (a == 0.0) {
        return;
    }
    const auto copy = [](Field& z, const Field& r) { z = r; };
    for (Field* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        const Field before = *faces;
        conjugate_gradients(diffusion_matrix(fluid, *faces, a), *faces, before, fluid.tolerance,
                            fluid.iterations, copy);
    }
}

/// Lets `dt` seconds pass (more than 0).
inline void step(Fluid& fluid, double dt) {
    const bool reflects = fluid.advection == Advection::REFLECTED && fluid.reflects_next;
    if (reflects) {
        advect_reflected(fluid, dt);
        diffuse_velocity(fluid, dt);
    } else {
        advect_velocity(fluid, dt);
        diffuse_velocity(fluid, dt);
        add_force(fluid, dt);
    }
    fluid.reflects_next = fluid.advection == Advection::REFLECTED && !reflects;
    project(fluid, dt);
    advect_density(fluid, dt);
    add_source(fluid, dt);
}

/// Returns the neighbours of place x in a row of n points, as linear_weights does, but with the
/// weights of the slope. Interpolated values lie on a straight line from one point to the next. The
/// slope of this line is the second point's value less the first one's, so the weights are -1 and
/// 1. Beyond the ends of the row interpolated values are constant, so both weights are 0.
inline LinearWeights slope_weights(double x, int n) {
    const LinearWeights at = linear_weights(x, n);
    const bool is_beyond = x < 0.0 || x > n - 1.0;
    const double slope = is_beyond ? 0.0 : 1.0;
    return {at.i0, at.i1, -slope, slope};
}

/// Returns the gradient of a field at any place of a box whose cells are h wide. Its component
/// along an axis is interpolated like the field itself, except that slope_weights replaces
/// linear_weights along this axis. This gives a slope per point, so it is divided by h.
inline Vector gradient_at(const Field& field, double h, Vector place) {
    const Vector at = {place.x / h - field.origin.x, place.y / h - field.origin.y,
                       place.z / h - field.origin.z};
    const LinearWeights x = linear_weights(at.x, field.nx);
    const LinearWeights y = linear_weights(at.y, field.ny);
    const LinearWeights z = linear_weights(at.z, field.nz);
    const auto sum = [&](const LinearWeights& a, const LinearWeights& b, const LinearWeights& c) {
        const auto in_layer = [&](int k) {
            return b.s0 * (a.s0 * field(a.i0, b.i0, k) + a.s1 * field(a.i1, b.i0, k)) +
                   b.s1 * (a.s0 * field(a.i0, b.i1, k) + a.s1 * field(a.i1, b.i1, k));
        };
        return c.s0 * in_layer(c.i0) + c.s1 * in_layer(c.i1);
    };
    return {sum(slope_weights(at.x, field.nx), y, z) / h,
            sum(x, slope_weights(at.y, field.ny), z) / h,
            sum(x, y, slope_weights(at.z, field.nz)) / h};
}

/// What a step begins with, and what it leaves: the velocity and the dye.
struct State {
    Velocity velocity;
    Field density;
};

/// The derivative of a number J by each number that it depends on: how fast J grows when that
/// number grows. J is a function of the states of a run, such as the mismatch of its dye with
/// pictures.
struct Derivative {
    Velocity velocity;  ///< by the velocity on each face
    Field density;  ///< by the dye in each cell
    Velocity force;  ///< by a force on each face that acts in all steps, as force_x does
    Field source;  ///< by a source of dye in each cell that acts in all steps
    double nu = 0.0;  ///< by the viscosity
};

/// Returns the derivative of a J that depends on nothing: 0 for each number.
inline Derivative zero_derivative(const Fluid& fluid) {
    const Fluid empty(fluid.nx, fluid.ny, fluid.nz);
    const Velocity zero = {empty.u, empty.v, empty.w};
    return {zero, empty.density, zero, empty.source, 0.0};
}

/// Makes `steps` steps of `dt` seconds. Returns the states before the first step and after each, so
/// there are steps + 1. The way back needs them, since it goes along the same flow. Only linear
/// advection has a way back here: throws std::invalid_argument for another one.
inline std::vector<State> run_forwards(Fluid& fluid, int steps, double dt) {
    if (fluid.advection != Advection::LINEAR) {
        throw std::invalid_argument("only linear advection can be run backwards");
    }
    set_bnd(fluid);
    std::vector<State> states = {{{fluid.u, fluid.v, fluid.w}, fluid.density}};
    for (int n = 0; n < steps; ++n) {
        step(fluid, dt);
        states.push_back({{fluid.u, fluid.v, fluid.w}, fluid.density});
    }
    return states;
}

/// Exchanges the fluid's velocity with another one.
inline void swap_velocity(Fluid& fluid, Velocity& other) {
    std::swap(fluid.u, other.u);
    std::swap(fluid.v, other.v);
    std::swap(fluid.w, other.w);
}

/// Gives the fluid another velocity.
inline void set_velocity(Fluid& fluid, const Velocity& velocity) {
    fluid.u = velocity.u;
    fluid.v = velocity.v;
    fluid.w = velocity.w;
}

/// The transpose of interpolate. Where interpolate reads points, times their weights, this adds
/// `value` to the same points, times the same weights.
inline void interpolate_adjoint(Field& field, double h, Vector place, double value) {
    const LinearWeights x = linear_weights(place.x / h - field.origin.x, field.nx);
    const LinearWeights y = linear_weights(place.y / h - field.origin.y, field.ny);
    const LinearWeights z = linear_weights(place.z / h - field.origin.z, field.nz);
    const auto add_in_layer = [&](int k, double share) {
        field(x.i0, y.i0, k) += y.s0 * x.s0 * share;
        field(x.i1, y.i0, k) += y.s0 * x.s1 * share;
        field(x.i0, y.i1, k) += y.s1 * x.s0 * share;
        field(x.i1, y.i1, k) += y.s1 * x.s1 * share;
    };
    add_in_layer(z.i0, z.s0 * value);
    if (z.s1 != 0.0) {
        add_in_layer(z.i1, z.s1 * value);
    }
}

/// The transpose of advect by the field that it carries. advect gave each point of `d` the value of
/// `d0` at its departure point. So the derivative by this point of `d` is added to that by `d0`
/// there. A face whose velocity set_bnd gives was left alone, so it adds nothing.
inline void advect_adjoint(const Fluid& fluid, const Field& by_d, Field& by_d0, double dt) {
    const double h = fluid.h;
    for_each_point(by_d, [&](int i, int j, int k) {
        if (is_given(fluid, by_d, i, j, k)) {
            return;
        }
        const Vector place = {h * (i + by_d.origin.x), h * (j + by_d.origin.y),
                              h * (k + by_d.origin.z)};
        interpolate_adjoint(by_d0, h, trace_back(fluid, place, dt), by_d(i, j, k));
    });
}

/// The transpose of advect by the velocity that carries. A faster flow moves the departure point
/// upstream by dt times the change of the velocity, and the value there differs by the gradient of
/// `d0`. The velocity at the point was interpolated, so its derivative is added to the faces that
/// were read.
inline void trace_adjoint(const Fluid& fluid, const Field& d0, const Field& by_d,
                          Velocity& by_velocity, double dt) {
    const double h = fluid.h;
    for_each_point(by_d, [&](int i, int j, int k) {
        if (is_given(fluid, by_d, i, j, k)) {
            return;
        }
        const Vector place = {h * (i + by_d.origin.x), h * (j + by_d.origin.y),
                              h * (k + by_d.origin.z)};
        const Vector gradient = gradient_at(d0, h, trace_back(fluid, place, dt));
        const double by_departure = -dt * by_d(i, j, k);
        interpolate_adjoint(by_velocity.u, h, place, by_departure * gradient.x);
        interpolate_adjoint(by_velocity.v, h, place, by_departure * gradient.y);
        interpolate_adjoint(by_velocity.w, h, place, by_departure * gradient.z);
    });
}

/// The transpose of advect_density, which carried `density_before` along the velocity that `fluid`
/// has. Turns the derivative by what was carried into that by what was there before.
inline void advect_density_adjoint(const Fluid& fluid, const Field& density_before, Derivative& by,
                                   double dt) {
    const Field by_carried = by.density;
    std::fill(by.density.values.begin(), by.density.values.end(), 0.0);
    advect_adjoint(fluid, by_carried, by.density, dt);
    trace_adjoint(fluid, density_before, by_carried, by.velocity, dt);
}

/// The transpose of advect_velocity, which carried the velocity that `fluid` has along itself. So
/// this velocity counts twice: it is carried, and it carries all three parts.
inline void advect_velocity_adjoint(const Fluid& fluid, Derivative& by, double dt) {
    const Velocity by_carried = by.velocity;
    by.velocity = zero_derivative(fluid).velocity;
    advect_adjoint(fluid, by_carried.u, by.velocity.u, dt);
    advect_adjoint(fluid, by_carried.v, by.velocity.v, dt);
    advect_adjoint(fluid, by_carried.w, by.velocity.w, dt);
    trace_adjoint(fluid, fluid.u, by_carried.u, by.velocity, dt);
    trace_adjoint(fluid, fluid.v, by_carried.v, by.velocity, dt);
    trace_adjoint(fluid, fluid.w, by_carried.w, by.velocity, dt);
}

/// The transpose of set_bnd, which is set_bnd itself: it keeps some numbers, and makes others 0.
inline void set_bnd_adjoint(Fluid& fluid, Velocity& by_velocity) {
    swap_velocity(fluid, by_velocity);
    set_bnd(fluid);
    swap_velocity(fluid, by_velocity);
}

/// The transpose of add_force. What is added to a velocity does not change how it counts. The force
/// itself counts dt times as much, in each step again.
inline void add_force_adjoint(Fluid& fluid, Derivative& by, double dt) {
    set_bnd_adjoint(fluid, by.velocity);
    add_scaled(by.force, dt, by.velocity);
}

/// The transpose of project, which is project itself. It subtracts G A^-1 D u from u, where D
/// computes the divergence and G the gradient. G is the transpose of D, but for a factor, and A is
/// symmetric, so the whole is.
inline void project_adjoint(Fluid& fluid, Derivative& by, double dt) {
    swap_velocity(fluid, by.velocity);
    project(fluid, dt);
    swap_velocity(fluid, by.velocity);
}

/// The transpose of diffuse_velocity, which is diffuse_velocity itself, since its matrix A is
/// symmetric. `fluid` has the velocity x that has spread, and `before` is b, what it was before.
/// The derivative by nu follows from A x = b, where A is 1 + nu B. If nu grows, A x must stay b. So
/// A times the change of x is minus B x times that of nu, and B x is (b - x) / nu. `fluid.nu` is
/// more than 0.
inline void diffuse_velocity_adjoint(Fluid& fluid, const Velocity& before, Derivative& by,
                                     double dt) {
    Velocity change = {fluid.u, fluid.v, fluid.w};
    add_scaled(change, -1.0, before);
    swap_velocity(fluid, by.velocity);
    diffuse_velocity(fluid, dt);
    swap_velocity(fluid, by.velocity);
    by.nu += dot(by.velocity, change) / fluid.nu;
}

/// The transpose of add_source. What is added to the dye does not change how the dye counts. The
/// source itself counts dt times as much, in each step again.
inline void add_source_adjoint(Derivative& by, double dt) {
    add_scaled(by.source, dt, by.density);
}

/// The transpose of step: its parts in reverse order. Turns the derivative by the state after the
/// step into that by the state before it. The velocity and the pressure of `fluid` are overwritten.
inline void step_adjoint(Fluid& fluid, const State& before, const State& after, Derivative& by,
                         double dt) {
    set_velocity(fluid, after.velocity);
    add_source_adjoint(by, dt);
    advect_density_adjoint(fluid, before.density, by, dt);
    project_adjoint(fluid, by, dt);
    add_force_adjoint(fluid, by, dt);
    if (fluid.nu > 0.0) {
        set_velocity(fluid, before.velocity);
        advect_velocity(fluid, dt);
        const Velocity carried = {fluid.u, fluid.v, fluid.w};
        diffuse_velocity(fluid, dt);
        diffuse_velocity_adjoint(fluid, carried, by, dt);
    }
    set_velocity(fluid, before.velocity);
    advect_velocity_adjoint(fluid, by, dt);
}

/// Runs back over the states that run_forwards has kept. `by` is the derivative of J by the last
/// state. Returns those by all states, the first at the front. The first one's force is the
/// derivative by a force that acts in all steps. `fluid` has the parameters of the run, and its
/// velocity and pressure are overwritten.
inline std::vector<Derivative> run_backwards(Fluid& fluid, const std::vector<State>& states,
                                             Derivative by, double dt) {
    std::vector<Derivative> derivatives = {by};
    for (std::size_t n = states.size() - 1; n > 0; --n) {
        step_adjoint(fluid, states[n - 1], states[n], by, dt);
        set_bnd_adjoint(fluid, by.velocity);
        derivatives.push_back(by);
    }
    std::reverse(derivatives.begin(), derivatives.end());
    return derivatives;
}

/// What a search may choose: the velocity of the start; a force or sources of dye that act in all
/// steps; or the viscosity.
enum class Control { FIRST_VELOCITY, HELD_FORCE, SOURCE, VISCOSITY };

/// The dye that is wanted after so many steps.
struct Target {
    int step;
    Field density;
};

/// What a search is for: steps of `dt` seconds from a start to the targets, one at least.
struct Task {
    Fluid start;
    std::vector<Target> targets;
    int steps = 40;
    double dt = 0.025;
    Control control = Control::FIRST_VELOCITY;
    int smoothing = 6;  ///< how often a push is smoothed
    double price = 0.0;  ///< J has half of it, times the mean square of the push or the sources
};

/// The numbers that a search changes.
using Numbers = std::vector<double>;

/// J at some numbers, and its derivative by each of them.
struct Value {
    double J;
    Numbers gradient;
};

/// The dot product of two lists of numbers.
inline double dot(const Numbers& a, const Numbers& b) {
    double sum = 0.0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        sum += a[n] * b[n];
    }
    return sum;
}

/// Adds `factor` times `direction` to x.
inline void add_scaled(Numbers& x, double factor, const Numbers& direction) {
    for (std::size_t n = 0; n < x.size(); ++n) {
        x[n] += factor * direction[n];
    }
}

/// Returns the numbers of a velocity in one list: those of u, then of v, then of w.
inline Numbers numbers_of(const Velocity& velocity) {
    Numbers numbers = velocity.u.values;
    numbers.insert(numbers.end(), velocity.v.values.begin(), velocity.v.values.end());
    numbers.insert(numbers.end(), velocity.w.values.begin(), velocity.w.values.end());
    return numbers;
}

/// Returns the velocity of such a list, with as many faces as that of `fluid`.
inline Velocity velocity_from(const Fluid& fluid, const Numbers& numbers) {
    Velocity velocity = {fluid.u, fluid.v, fluid.w};
    auto next = numbers.begin();
    for (Field* faces : {&velocity.u, &velocity.v, &velocity.w}) {
        for (double& value : faces->values) {
            value = *next;
            ++next;
        }
    }
    return velocity;
}

/// Smooths u, v, w or the dye. Each point gets half of its own value, and a twelfth of those of its
/// six neighbours. Beyond the walls it is its own neighbour. A face whose velocity set_bnd gives
/// must be 0, and stays so. A face counts for another as that one counts for it, so smooth is its
/// own transpose.
inline void smooth(const Fluid& fluid, Field& faces) {
    const Field before = faces;
    for_each_point(faces, [&](int i, int j, int k) {
        if (is_given(fluid, faces, i, j, k)) {
            return;
        }
        double sum = 0.0;
        for (const auto& [di, dj, dk] : neighbours) {
            const bool is_there = faces.has(i + di, j + dj, k + dk);
            sum += is_there ? before(i + di, j + dj, k + dk) : before(i, j, k);
        }
        faces(i, j, k) = 0.5 * before(i, j, k) + sum / 12.0;
    });
}

/// Smooths a velocity `times` times.
inline void smooth_velocity(const Fluid& fluid, Velocity& velocity, int times) {
    for (int n = 0; n < times; ++n) {
        smooth(fluid, velocity.u);
        smooth(fluid, velocity.v);
        smooth(fluid, velocity.w);
    }
}

/// Returns the fluid that begins a run, with what the search has chosen. The numbers are the push
/// on each face before it is smoothed, the source in each cell, or the logarithm of the viscosity,
/// which cannot be negative.
inline Fluid fluid_with(const Task& task, const Numbers& numbers) {
    Fluid fluid = task.start;
    if (task.control == Control::VISCOSITY) {
        fluid.nu = std::exp(numbers[0]);
        return fluid;
    }
    if (task.control == Control::SOURCE) {
        fluid.source.values = numbers;
        return fluid;
    }
    Velocity push = velocity_from(fluid, numbers);
    set_bnd_adjoint(fluid, push);
    smooth_velocity(fluid, push, task.smoothing);
    if (task.control == Control::HELD_FORCE) {
        fluid.force_u = push.u;
        fluid.force_v = push.v;
        fluid.force_w = push.w;
    } else {
        add_scaled(push, 1.0, {fluid.u, fluid.v, fluid.w});
        set_velocity(fluid, push);
        project(fluid, task.dt);
    }
    return fluid;
}

/// The transpose of fluid_with: the derivative by the numbers of the search, from that by the fluid
/// that begins the run.
inline Numbers fluid_with_adjoint(const Task& task, const Fluid& begun, Derivative by) {
    if (task.control == Control::VISCOSITY) {
        return {by.nu * begun.nu};
    }
    if (task.control == Control::SOURCE) {
        return by.source.values;
    }
    Fluid fluid = begun;
    if (task.control == Control::FIRST_VELOCITY) {
        project_adjoint(fluid, by, task.dt);
    }
    Velocity& by_push = task.control == Control::HELD_FORCE ? by.force : by.velocity;
    smooth_velocity(fluid, by_push, task.smoothing);
    set_bnd_adjoint(fluid, by_push);
    return numbers_of(by_push);
}

/// Half of the squared difference of two fields: how far dye is from what is wanted.
inline double mismatch(const Field& density, const Field& wanted) {
    Field difference = density;
    add_scaled(difference, -1.0, wanted);
    return 0.5 * dot(difference, difference);
}

/// Returns the mismatch of the start, which nothing has moved, with all targets; 1 if it is 0.
inline double first_mismatch(const Task& task) {
    double sum = 0.0;
    for (const Target& target : task.targets) {
        sum += mismatch(task.start.density, target.density);
    }
    return sum > 0.0 ? sum : 1.0;
}

/// Returns J and its gradient. J is the mismatch with all targets as a share of first_mismatch, and
/// half of the price times the mean square of the push or the sources. It takes a run forwards and
/// one backwards. On the way back, each target adds what J grows by with the dye of its step.
inline Value evaluate(const Task& task, const Numbers& numbers) {
    const Fluid begun = fluid_with(task, numbers);
    Fluid fluid = begun;
    const std::vector<State> states = run_forwards(fluid, task.steps, task.dt);
    const double scale = 1.0 / first_mismatch(task);
    double J = 0.0;
    Derivative by = zero_derivative(fluid);
    for (int n = task.steps; n >= 0; --n) {
        for (const Target& target : task.targets) {
            if (target.step == n) {
                J += scale * mismatch(states[n].density, target.density);
                add_scaled(by.density, scale, states[n].density);
                add_scaled(by.density, -scale, target.density);
            }
        }
        if (n > 0) {
            step_adjoint(fluid, states[n - 1], states[n], by, task.dt);
        }
    }
    Numbers gradient = fluid_with_adjoint(task, begun, by);
    if (task.control != Control::VISCOSITY) {
        const double price = task.price / static_cast<double>(numbers.size());
        J += 0.5 * price * dot(numbers, numbers);
        add_scaled(gradient, price, numbers);
    }
    return {J, gradient};
}

/// What a search remembers of one of its steps: how the numbers changed, and how the gradient did.
struct Change {
    Numbers x, gradient;
};

/// The two ways to search: straight down the gradient, or as L-BFGS says.
enum class Method { DESCENT, BFGS };

/// Where a search for the smallest J is.
struct Search {
    Method method = Method::BFGS;
    Numbers x;
    Value value;  ///< at x
    std::vector<Change> changes;  ///< of the last steps, ten at most; none with DESCENT
    double length = 1.0;  ///< of the last step, in lengths of its direction
    std::vector<double> history;  ///< J at the best x, after each evaluation
    bool is_done = false;  ///< no step along the direction makes J smaller
};

/// Begins a search at x. Its first try changes no number by more than `first_change`.
template <class Function>
Search begin_search(const Function& function, const Numbers& x, Method method,
                    double first_change) {
    Search search = {method, x, function(x), {}, 1.0, {}, false};
    double largest = 0.0;
    for (const double slope : search.value.gradient) {
        largest = std::max(largest, std::abs(slope));
    }
    search.length = largest > 0.0 ? 0.5 * first_change / largest : 1.0;
    search.history.push_back(search.value.J);
    return search;
}

/// Returns the direction in which L-BFGS goes (Nocedal 1980; Nocedal and Wright, algorithm 7.4). It
/// is minus H times the gradient, where H is an estimate of the inverse of J's second derivatives.
/// H is never stored. Each change corrects it, so that H times the change of the gradient is the
/// change of x. Without any changes it is 1.
inline Numbers bfgs_direction(const std::vector<Change>& changes, const Numbers& gradient) {
    Numbers direction(gradient.size(), 0.0);
    add_scaled(direction, -1.0, gradient);
    if (changes.empty()) {
        return direction;
    }
    std::vector<double> shares(changes.size());
    for (std::size_t n = changes.size(); n > 0; --n) {
        const Change& change = changes[n - 1];
        shares[n - 1] = dot(change.x, direction) / dot(change.x, change.gradient);
        add_scaled(direction, -shares[n - 1], change.gradient);
    }
    const Change& last = changes.back();
    const double scale = dot(last.x, last.gradient) / dot(last.gradient, last.gradient);
    for (double& number : direction) {
        number *= scale;
    }
    for (std::size_t n = 0; n < changes.size(); ++n) {
        const Change& change = changes[n];
        const double share = dot(change.gradient, direction) / dot(change.x, change.gradient);
        add_scaled(direction, shares[n] - share, change.x);
    }
    return direction;
}

/// Goes to x, where J has that value. L-BFGS remembers the change if the slope along it grew, as in
/// a valley.
inline void go_to(Search& search, const Numbers& x, const Value& value) {
    if (search.method == Method::BFGS) {
        Change change = {x, value.gradient};
        add_scaled(change.x, -1.0, search.x);
        add_scaled(change.gradient, -1.0, search.value.gradient);
        if (dot(change.x, change.gradient) > 0.0) {
            search.changes.push_back(change);
        }
        if (search.changes.size() > 10) {
            search.changes.erase(search.changes.begin());
        }
    }
    search.x = x;
    search.value = value;
}

/// Makes one step of a search, by a line search. It tries a length, then half of it, and so on,
/// until J has fallen by at least a ten-thousandth of what the slope promises (Armijo 1966). The
/// first length is 1 where L-BFGS has something to go by, else twice the last one. If 20 tries
/// fail, L-BFGS forgets what it remembers. If it remembers nothing, the search is done.
template <class Function>
void search_step(Search& search, const Function& function) {
    const Numbers direction = bfgs_direction(search.changes, search.value.gradient);
    const double slope = dot(direction, search.value.gradient);
    double length = search.changes.empty() ? 2.0 * search.length : 1.0;
    for (int tries = 0; tries < 20; ++tries) {
        Numbers x = search.x;
        add_scaled(x, length, direction);
        const Value value = function(x);
        if (value.J < search.value.J + 1e-4 * length * slope) {
            search.length = length;
            go_to(search, x, value);
            search.history.push_back(value.J);
            return;
        }
        search.history.push_back(search.value.J);
        length *= 0.5;
    }
    search.is_done = search.changes.empty();
    search.changes.clear();
}
