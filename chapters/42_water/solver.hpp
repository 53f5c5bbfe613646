// The whole fluid on a staggered grid, in one header that needs the standard library and Eigen.
// Its numbers are double, as in Normoyle's tutorial.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
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
/// the reflected velocity (advect_reflected). With PIC, FLIP and APIC particles carry it
/// (grid_to_particles).
enum class Advection { LINEAR, SHARP, REFLECTED, PIC, FLIP, APIC };

/// What a side of the box is: a wall; faces through which fluid flows with a given velocity; or
/// faces through which it flows as it likes, into the air beyond them.
enum class Opening { CLOSED, INFLOW, OUTFLOW };

/// One of the six sides of the box.
struct Side {
    Opening opening = Opening::CLOSED;
    bool slips = false;  ///< true: free slip; false: no slip
    Vector velocity = {0.0, 0.0, 0.0};  ///< of the wall, in its own plane, like a lid
                                        ///< (of an opening: of the fluid beyond it)
};

/// What a cell is. Fluid has a pressure to solve for, a solid has none, and in air it is 0.
enum class Label { FLUID, SOLID, AIR };

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

/// A small piece of the fluid, which moves with it.
struct Particle {
    Vector place;  ///< from the corner of the box
    std::array<double, 4> values = {};  ///< its u, v, w and dye
    std::array<Vector, 4> gradients = {};  ///< of u, v and w around it: with APIC, else 0
};

/// A field around a place: its value there, and its gradient.
struct Affine {
    double value;
    Vector gradient;
};

/// What particles bring to a point of a field: the sum of their values, each times its weight, and
/// the sum of the weights.
struct Sum {
    double value = 0.0, weight = 0.0;
};

/// The state of the fluid in a box of nx x ny x nz cells, and its parameters. Each size must be at
/// least 1.
struct Fluid {
    int nx, ny, nz;
    double h = 1.0;  ///< the width of a cell, in the unit of all lengths
    double rho = 1.0;  ///< the mass of a unit of volume of the fluid (not the dye)
    double nu = 0.0;  ///< kinematic viscosity: how fast velocity diffuses, area per second
    double force_x = 0.0, force_y = 0.0, force_z = 0.0;  ///< change of velocity in a second
    double tolerance = 1e-10;  ///< a solver stops once its residual is as small as this
    int iterations = 200;  ///< and after so many iterations at the latest
    Solver solver = Solver::MULTIGRID;
    Advection advection = Advection::LINEAR;
    bool reflects_next = false;  ///< whether the next step carries the reflected velocity
    double gradient_factor = 0.0;  ///< dt / rho of the last projection

    Side sides[6];  ///< left, right, above, below, before and behind, in the order of `neighbours`

    Field u;  ///< velocity to the right, on the X faces: u(i, j, k) is left of cell (i, j, k)
    Field v;  ///< velocity down, on the Y faces: v(i, j, k) is above cell (i, j, k)
    Field w;  ///< velocity away from you, on the Z faces: w(i, j, k) is in front of cell (i, j, k)
    Field u_given = u, v_given = v, w_given = w;  ///< the velocities of faces that touch a solid
    Field density;  ///< how much dye a cell holds, at its centre: 0 is none
    Field solid;  ///< 1 where a cell is solid, 0 where it is not
    Field pressure;  ///< of the last projection, at the centres: mass over length and squared time
    Field rhs;  ///< the right-hand side of its equations, see right_hand_side
    Matrix matrix;  ///< the matrix of its equations, see pressure_matrix
    std::vector<std::vector<int>> closed;  ///< the closed components of this matrix
    std::vector<double> residuals;  ///< of the pressure, before the first iteration and after each
    double viscous_residual = 0.0;  ///< of the last diffusion: the largest of u's, v's and w's
    double compatibility_defect = 0.0;  ///< of the right-hand side: 0 if there is a solution
    std::shared_ptr<const Factors> factors;  ///< kept from step to step, as long as A is the same
    std::vector<Level> levels;  ///< the grids of multigrid, from the finest on, kept as long
    std::vector<Particle> particles;  ///< of PIC, FLIP and APIC, which carry nothing if it is empty
    std::array<Field, 4> brought = {u, v, w, density};  ///< as the particles last brought them
    double flip_share = 1.0;  ///< the weight of FLIP in FLIP, from 0 to 1: the rest is PIC
    bool has_air = false;  ///< whether there is air where no particles are
    Field phi = rhs;  ///< below 0 in water and above 0 in air, see find_surface
    double surface_shift = 0.0;  ///< what shift_surface has last subtracted from phi
    double kappa = 0.15;  ///< the share of a volume error that keep_volume corrects in a step

    Fluid(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), u(nx + 1, ny, nz, {0.0, 0.5, 0.5}),
          v(nx, ny + 1, nz, {0.5, 0.0, 0.5}), w(nx, ny, nz + 1, {0.5, 0.5, 0.0}),
          density(nx, ny, nz, {0.5, 0.5, 0.5}), solid(density), pressure(density), rhs(density),
          matrix(density) {
        const bool is_flat = nz == 1;  // a flat fluid has no friction before it and behind it
        sides[4].slips = is_flat;
        sides[5].slips = is_flat;
    }
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

/// Returns the side of the box beyond which cell (i, j, k) lies, in the order of `neighbours`. The
/// cell must not lie in the box. Beyond an edge or a corner of the box, the first of its sides
/// counts.
inline int side_towards(const Fluid& fluid, int i, int j, int k) {
    if (i < 0) {
        return 0;
    }
    if (i >= fluid.nx) {
        return 1;
    }
    if (j < 0) {
        return 2;
    }
    if (j >= fluid.ny) {
        return 3;
    }
    return k < 0 ? 4 : 5;
}

/// Returns what cell (i, j, k) is, which must lie beyond the box. Beyond an outflow there is air,
/// and beyond a wall a solid. Beyond an inflow there is a solid, too, since the velocity of its
/// faces is given.
inline Label label_beyond(const Fluid& fluid, int i, int j, int k) {
    const int side = side_towards(fluid, i, j, k);
    const bool is_outflow = fluid.sides[side].opening == Opening::OUTFLOW;
    return is_outflow ? Label::AIR : Label::SOLID;
}

/// Returns whether a cell of the box is solid.
inline bool is_solid(const Fluid& fluid, int i, int j, int k) {
    return fluid.solid(i, j, k) == 1.0;
}

/// Returns what cell (i, j, k) is. In the box phi says where the water ends.
inline Label label_at(const Fluid& fluid, int i, int j, int k) {
    if (!fluid.density.has(i, j, k)) {
        return label_beyond(fluid, i, j, k);
    }
    if (is_solid(fluid, i, j, k)) {
        return Label::SOLID;
    }
    const bool is_air = fluid.has_air && fluid.phi(i, j, k) >= 0.0;
    return is_air ? Label::AIR : Label::FLUID;
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
/// two cells beside the face is solid. For a field at the centres of cells the result is whether
/// cell (i, j, k) is solid.
inline bool is_given(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    const Direction step = across(faces);
    const Label behind = label_at(fluid, i, j, k);
    const Label before = label_at(fluid, i - step.i, j - step.j, k - step.k);
    return behind == Label::SOLID || before == Label::SOLID;
}

/// Gives the faces of u, v or w that touch a solid their velocity.
inline void set_given(const Fluid& fluid, Field& faces, const Field& given) {
    for_each_point(faces, [&](int i, int j, int k) {
        if (is_given(fluid, faces, i, j, k)) {
            faces(i, j, k) = given(i, j, k);
        }
    });
}

/// Gives the faces of walls, inflows and solids their velocity.
inline void set_bnd(Fluid& fluid) {
    set_given(fluid, fluid.u, fluid.u_given);
    set_given(fluid, fluid.v, fluid.v_given);
    set_given(fluid, fluid.w, fluid.w_given);
}

/// Adds dye to cell (i, j, k). A cell that is not fluid is left alone.
inline void add_density(Fluid& fluid, int i, int j, int k, double amount) {
    if (label_at(fluid, i, j, k) == Label::FLUID) {
        fluid.density(i, j, k) += amount;
    }
}

/// Changes the velocity in cell (i, j, k): half of the change goes to each of its two faces along
/// an axis, except where set_bnd gives the velocity. A cell that is not fluid is left alone.
inline void add_velocity(Fluid& fluid, int i, int j, int k, Vector change) {
    if (label_at(fluid, i, j, k) != Label::FLUID) {
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

/// The part of a vector along the axis that the faces of a field look along: u's, v's or w's. For
/// the centres of cells it is 0.
inline double part_along(const Field& faces, Vector vector) {
    const Direction step = across(faces);
    return step.i * vector.x + step.j * vector.y + step.k * vector.z;
}

/// How far a place, counted in points of a field from its first, lies beyond the field's last point
/// on each side, in the order of `neighbours`. On a side that the place has not passed, this is
/// negative.
inline std::array<double, 6> beyond(const Field& field, double x, double y, double z) {
    return {-x, x - field.nx + 1, -y, y - field.ny + 1, -z, z - field.nz + 1};
}

/// Returns what the values outside the box add to `inside`, the interpolated value of a field at a
/// place in or beyond the box. What comes in through an opening brings the values of outside: the
/// velocity of the side, and no dye. A ghost point holds these values, one step beyond the field's
/// last point, and in between values are interpolated. The velocity across an inflow is an
/// exception, since its faces hold it.
inline double from_outside(const Fluid& fluid, const Field& field, Vector place, double inside) {
    const double h = fluid.h;
    const double first[] = {field.origin.x, field.origin.y, field.origin.z};
    const std::array<double, 6> shares =
        beyond(field, place.x / h - first[0], place.y / h - first[1], place.z / h - first[2]);
    double change = 0.0;
    double sum = 0.0;
    for (int side = 0; side < 6; ++side) {
        const Opening opening = fluid.sides[side].opening;
        if (opening == Opening::OUTFLOW || (opening == Opening::INFLOW && first[side / 2] > 0.0)) {
            const double share = std::min(std::max(0.0, shares[side]), 1.0);
            change += share * (part_along(field, fluid.sides[side].velocity) - inside);
            sum += share;
        }
    }
    return change / std::max(1.0, sum);
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
/// centre of a cell or of a face, gets the value at its departure point. Where that lies beyond an
/// opening, it is the value outside, unless `dt` is negative, since downstream nothing comes from
/// outside. A point for which is_given is true is left alone. `d` must be neither `d0` nor a part
/// of `fluid`'s velocity. Returns the departure points, in the order of d.values.
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
        if (dt > 0.0) {
            d(i, j, k) += from_outside(fluid, d0, departure, d(i, j, k));
        }
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

/// Returns whether a place lies in the box and in no solid. The walls of the box belong to it. (For
/// NaN it returns false, since comparisons with NaN are false.)
inline bool is_in_fluid(const Fluid& fluid, Vector place) {
    const double x = place.x / fluid.h, y = place.y / fluid.h, z = place.z / fluid.h;
    return 0.0 <= x && x <= fluid.nx && 0.0 <= y && y <= fluid.ny && 0.0 <= z && z <= fluid.nz &&
           !is_solid(fluid, std::min(static_cast<int>(x), fluid.nx - 1),
                     std::min(static_cast<int>(y), fluid.ny - 1),
                     std::min(static_cast<int>(z), fluid.nz - 1));
}

/// Subtracts half of the error from `d`, which advect has carried from `d0`. `upstream` are the
/// departure points that advect returned. If `d` is carried downstream again, it should become
/// `d0`. What it becomes instead differs from `d0` by the error of two steps, so half of the
/// difference is the error of one. The result stays within the values around the departure point,
/// as the interpolated value does (MacCormack's scheme with a limiter: Selle, Fedkiw, Kim, Liu and
/// Rossignac 2008); beside an opening, also within what advect has brought in from outside. Where
/// one of the two traces leaves the fluid, the error is unknown, and the value of advect is kept.
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
            d.values[n] = std::clamp(d.values[n] - error, std::min(range.least, d.values[n]),
                                     std::max(range.most, d.values[n]));
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

/// Returns the slope of interpolated values at place x in a row of n points: `slope` between two
/// points, and 0 beyond the ends of the row, where the values are constant.
inline double slope_in_row(double slope, double x, int n) {
    const bool is_beyond = x < 0.0 || x > n - 1.0;
    return is_beyond ? 0.0 : slope;
}

/// Returns the value of a field at any place of a box whose cells are h wide, as interpolate does,
/// and its gradient. Interpolated values lie on a straight line from one point to the next. The
/// slope of this line is the second point's value less the first one's. The slopes are interpolated
/// along the other two axes. This gives a slope per point, so it is divided by h.
inline Affine affine_at(const Field& field, double h, Vector place) {
    const Vector at = {place.x / h - field.origin.x, place.y / h - field.origin.y,
                       place.z / h - field.origin.z};
    const LinearWeights x = linear_weights(at.x, field.nx);
    const LinearWeights y = linear_weights(at.y, field.ny);
    const LinearWeights z = linear_weights(at.z, field.nz);
    const auto value = [&](int j, int k) {
        return x.s0 * field(x.i0, j, k) + x.s1 * field(x.i1, j, k);
    };
    const auto slope = [&](int j, int k) { return field(x.i1, j, k) - field(x.i0, j, k); };
    const double near_above = value(y.i0, z.i0), near_below = value(y.i1, z.i0);
    const double far_above = value(y.i0, z.i1), far_below = value(y.i1, z.i1);
    const double near = y.s0 * near_above + y.s1 * near_below;
    const double far = y.s0 * far_above + y.s1 * far_below;
    const double along_x = z.s0 * (y.s0 * slope(y.i0, z.i0) + y.s1 * slope(y.i1, z.i0)) +
                           z.s1 * (y.s0 * slope(y.i0, z.i1) + y.s1 * slope(y.i1, z.i1));
    const double along_y = z.s0 * (near_below - near_above) + z.s1 * (far_below - far_above);
    const double along_z = far - near;
    const Vector gradient = {slope_in_row(along_x, at.x, field.nx) / h,
                             slope_in_row(along_y, at.y, field.ny) / h,
                             slope_in_row(along_z, at.z, field.nz) / h};
    return {z.s0 * near + z.s1 * far, gradient};
}

/// Lets the particles keep the dye that solids have covered, and that the grid no longer shows. In
/// each solid cell, `brought` is set to what the grid holds. grid_to_particles adds the difference
/// between the grid and `brought` to the particles' dye, and in these cells it is now 0.
inline void keep_covered_dye(Fluid& fluid) {
    for_each_point(fluid.density, [&](int i, int j, int k) {
        if (is_solid(fluid, i, j, k)) {
            fluid.brought[3](i, j, k) = fluid.density(i, j, k);
        }
    });
}

/// Updates velocity and dye of the particles from the grid.
///
/// With PIC a particle takes the velocity of the grid (Harlow 1964). With FLIP it takes only the
/// change, as far as fluid.flip_share says (Brackbill and Ruppel 1986; Zhu and Bridson 2005). With
/// APIC it takes the velocity and its gradient (Jiang, Schroeder, Selle, Teran and Stomakhin 2015,
/// section 5). Of the dye it always takes the change.
inline void grid_to_particles(Fluid& fluid) {
    const Field* const fields[] = {&fluid.u, &fluid.v, &fluid.w, &fluid.density};
    const double flip = fluid.advection == Advection::FLIP ? fluid.flip_share : 0.0;
    for (Particle& particle : fluid.particles) {
        for (int n = 0; n < 4; ++n) {
            const bool is_dye = n == 3;
            if (fluid.advection == Advection::APIC && !is_dye) {
                const Affine now = affine_at(*fields[n], fluid.h, particle.place);
                particle.values[n] = now.value;
                particle.gradients[n] = now.gradient;
            } else {
                const double share = is_dye ? 1.0 : flip;
                const double now = interpolate(*fields[n], fluid.h, particle.place);
                const double change = now - interpolate(fluid.brought[n], fluid.h, particle.place);
                particle.values[n] = share * (particle.values[n] + change) + (1.0 - share) * now;
                particle.gradients[n] = {0.0, 0.0, 0.0};
            }
        }
    }
}

/// Moves the particles along the flow for `dt` seconds, by the midpoint rule. A step along an axis
/// that would end outside the fluid is left out. So particles glide along solids, and a particle
/// that a solid has covered does not move.
inline void move_particles(Fluid& fluid, double dt) {
    for (Particle& particle : fluid.particles) {
        const Vector to = trace_back(fluid, particle.place, -dt);
        for (double Vector::*axis : {&Vector::x, &Vector::y, &Vector::z}) {
            Vector next = particle.place;
            next.*axis = to.*axis;
            if (is_in_fluid(fluid, next)) {
                particle.place = next;
            }
        }
    }
}

/// Returns how many particles a full cell has: 4, or 8 in a box with several layers.
inline double particles_in_full_cell(const Fluid& fluid) {
    return fluid.nz == 1 ? 4.0 : 8.0;
}

/// Returns the sum of the particles' weights at the centre of cell (i, j, k) if all fluid around it
/// is full of particles. Amid full cells this sum is the number of particles in a full cell. Along
/// each axis, 3/4 of it come from the cell's own particles, and 1/8 from those of each neighbour.
/// If the neighbour lies beyond the box, its share comes from the cell nearest to it in the box
/// (linear_weights). If it is solid, its share is missing.
inline double full_weight(const Fluid& fluid, int i, int j, int k) {
    const double shares[] = {0.125, 0.75, 0.125};
    double sum = 0.0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
            for (int di = -1; di <= 1; ++di) {
                const int x = std::clamp(i + di, 0, fluid.nx - 1);
                const int y = std::clamp(j + dj, 0, fluid.ny - 1);
                const int z = std::clamp(k + dk, 0, fluid.nz - 1);
                if (!is_solid(fluid, x, y, z)) {
                    sum += shares[di + 1] * shares[dj + 1] * shares[dk + 1];
                }
            }
        }
    }
    return particles_in_full_cell(fluid) * sum;
}

/// The six neighbours of a cell, as steps from it.
inline constexpr int neighbours[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                         {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};

/// Returns whether cell (i, j, k) is water or one of its six neighbours is.
inline bool touches_water(const Fluid& fluid, int i, int j, int k) {
    bool touches = label_at(fluid, i, j, k) == Label::FLUID;
    for (const auto& [di, dj, dk] : neighbours) {
        touches = touches || label_at(fluid, i + di, j + dj, k + dk) == Label::FLUID;
    }
    return touches;
}

/// An eighth of a cell, a block with one corner at the cell's centre. In the corner where phi is
/// least it is `lowest`. Along the three edges from there it rises by x, y and z, each at least 0.
struct Eighth {
    double lowest, x, y, z;
};

/// The eighths of cells that may lie partly in the water, and the number of those that wholly do.
struct Eighths {
    double full = 0.0;
    std::vector<Eighth> partly;
};

/// Returns the eighths of all cells but the solid ones, for levels from -most to most. In each phi
/// is linear: it has its value at the cell's centre, and at the middle of a face the mean of the
/// two cells. Towards a wall or a solid it is constant.
inline Eighths eighths_of_cells(const Fluid& fluid, double most) {
    Eighths eighths;
    for_each_point(fluid.phi, [&](int i, int j, int k) {
        if (is_solid(fluid, i, j, k)) {
            return;
        }
        const double phi = fluid.phi(i, j, k);
        double rise[6];  // from the cell's centre to each of its faces
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            const bool is_there =
                fluid.phi.has(i + di, j + dj, k + dk) && !is_solid(fluid, i + di, j + dj, k + dk);
            rise[side] = is_there ? 0.5 * (fluid.phi(i + di, j + dj, k + dk) - phi) : 0.0;
        }
        for (const double x : {rise[0], rise[1]}) {
            for (const double y : {rise[2], rise[3]}) {
                for (const double z : {rise[4], rise[5]}) {
                    const double fall = std::min(x, 0.0) + std::min(y, 0.0) + std::min(z, 0.0);
                    const Eighth one = {phi + fall, std::abs(x), std::abs(y), std::abs(z)};
                    if (one.lowest + one.x + one.y + one.z <= -most) {
                        eighths.full += 1.0;
                    } else if (one.lowest < most) {
                        eighths.partly.push_back(one);
                    }
                }
            }
        }
    });
    return eighths;
}

/// Returns the share of an eighth of a cell where phi < level. The plane phi = level cuts off a
/// pyramid at the lowest corner. Its edges are depth / x, depth / y and depth / z times as long as
/// those of the eighth, and a pyramid has a sixth of the volume that the block with these edges
/// has. Where an edge is too long, the part of the pyramid beyond the eighth is a smaller pyramid
/// and is subtracted. What lies beyond two faces has then been subtracted twice, so it is added
/// once (R. Scardovelli and S. Zaleski 2000).
inline double share_below(const Eighth& eighth, double level) {
    const double depth = level - eighth.lowest;
    const double whole = eighth.x + eighth.y + eighth.z;
    if (depth <= 0.0) {
        return 0.0;
    }
    if (depth >= whole) {
        return 1.0;
    }
    const double x = std::max(eighth.x, 0.001 * whole);  // not 0
    const double y = std::max(eighth.y, 0.001 * whole);
    const double z = std::max(eighth.z, 0.001 * whole);
    const auto cube = [](double a) { return a > 0.0 ? a * a * a : 0.0; };
    const double pyramids = cube(depth) - cube(depth - x) - cube(depth - y) - cube(depth - z) +
                            cube(depth - x - y) + cube(depth - y - z) + cube(depth - z - x);
    return pyramids / (6.0 * x * y * z);
}

/// Returns the volume where phi < level, in cells.
inline double volume_below(const Eighths& eighths, double level) {
    double sum = eighths.full;
    for (const Eighth& eighth : eighths.partly) {
        sum += share_below(eighth, level);
    }
    return sum / 8.0;
}

/// Returns the level for which volume_below is `volume`, but at most `most` and at least -most.
/// Four times it halves the range in which the level lies, and then interpolates. Without a surface
/// it returns 0.
inline double level_of_volume(const Eighths& eighths, double volume, double most) {
    double low = -most;
    double high = most;
    double volume_low = volume_below(eighths, low);
    double volume_high = volume_below(eighths, high);
    if (volume_low == volume_high) {
        return 0.0;
    }
    if (volume <= volume_low || volume_high <= volume) {
        return volume <= volume_low ? low : high;
    }
    for (int n = 0; n < 4; ++n) {
        const double middle = 0.5 * (low + high);
        const double volume_middle = volume_below(eighths, middle);
        if (volume_middle < volume) {
            low = middle;
            volume_low = volume_middle;
        } else {
            high = middle;
            volume_high = volume_middle;
        }
    }
    return low + (volume - volume_low) / (volume_high - volume_low) * (high - low);
}

/// Lowers phi everywhere by one number, such that the water encloses a volume, in cells (for a
/// level set that is advected, A. Smolianski 2005). The number is at most h / 4, and may be
/// negative.
inline void shift_surface(Fluid& fluid, double volume) {
    const double most = 0.25 * fluid.h;
    fluid.surface_shift = level_of_volume(eighths_of_cells(fluid, most), volume, most);
    for_each_point(fluid.phi, [&](int i, int j, int k) {
        if (!is_solid(fluid, i, j, k)) {
            fluid.phi(i, j, k) -= fluid.surface_shift;
        }
    });
}

/// Finds the surface of the water, and fills fluid.phi. `sums` has the sums of the particles'
/// weights at the centres of the cells. c is the ratio of such a sum to that of full water. It
/// falls from 1 to 0 across the surface. So phi = (1/2 - c) h is about the distance to the surface,
/// and negative in the water. In a solid c is 1.
///
/// Particles that fly alone are too few to make phi negative. If neither their cell nor a neighbour
/// is water, each of them lowers phi in its cell (0.4 was found by trial). Beside water that would
/// lift the surface, so there they do nothing. At last shift_surface makes the water enclose what
/// its particles fill: each has its share of a full cell, and one that a solid covers has none. The
/// shift may raise phi, but where particles fly alone there is still water.
inline void find_surface(Fluid& fluid, const std::vector<Sum>& sums) {
    for_each_point(fluid.phi, [&](int i, int j, int k) {
        const double weight = sums[fluid.phi.IX(i, j, k)].weight;
        double c = 0.0;
        if (is_solid(fluid, i, j, k)) {
            c = 1.0;
        } else if (weight > 0.0) {
            c = weight / full_weight(fluid, i, j, k);
        }
        fluid.phi(i, j, k) = fluid.h * (0.5 - c);
    });
    double count = 0.0;  // of the particles that no solid covers
    std::vector<int> alone;  // for each particle that flies alone, its cell
    for (const Particle& particle : fluid.particles) {
        const int i = linear_weights(particle.place.x / fluid.h, fluid.nx).i0;
        const int j = linear_weights(particle.place.y / fluid.h, fluid.ny).i0;
        const int k = linear_weights(particle.place.z / fluid.h, fluid.nz).i0;
        if (is_solid(fluid, i, j, k)) {
            continue;
        }
        count += 1.0;
        if (!touches_water(fluid, i, j, k)) {
            alone.push_back(fluid.phi.IX(i, j, k));
        }
    }
    const double depth = 0.4 * fluid.h / particles_in_full_cell(fluid);
    for (const int cell : alone) {
        fluid.phi.values[cell] = std::min(fluid.phi.values[cell], 0.0) - depth;
    }
    shift_surface(fluid, count / particles_in_full_cell(fluid));
    for (const int cell : alone) {
        fluid.phi.values[cell] = std::min(fluid.phi.values[cell], -0.1 * depth);
    }
}

/// Adds number n of a particle's values to the sums of a field, whose points are h apart. Each of
/// the eight points around the particle gets the value plus the gradient times the vector to the
/// point, with the weight that interpolate gives to this point.
inline void add_particle(std::vector<Sum>& sums, const Field& field, double h,
                         const Particle& particle, int n) {
    const Vector place = particle.place;
    const Vector gradient = particle.gradients[n];
    const LinearWeights x = linear_weights(place.x / h - field.origin.x, field.nx);
    const LinearWeights y = linear_weights(place.y / h - field.origin.y, field.ny);
    const LinearWeights z = linear_weights(place.z / h - field.origin.z, field.nz);
    for (int corner = 0; corner < 8; ++corner) {
        const int a = corner % 2;
        const int b = corner / 2 % 2;
        const int c = corner / 4;
        const double weight = (a ? x.s1 : x.s0) * (b ? y.s1 : y.s0) * (c ? z.s1 : z.s0);
        // What the gradient adds to the value on the way to this point, divided by h.
        const double change =
            gradient.x * (a - x.s1) + gradient.y * (b - y.s1) + gradient.z * (c - z.s1);
        Sum& sum = sums[field.IX(a ? x.i1 : x.i0, b ? y.i1 : y.i0, c ? z.i1 : z.i0)];
        sum.value += weight * (particle.values[n] + h * change);
        sum.weight += weight;
    }
}

/// Transfers velocity and dye from the particles to the grid. A point of a field gets the weighted
/// mean of the particles around it, see add_particle. A particle that a solid covers does not
/// count. A point that no particle reaches keeps its value, and so does a solid cell.
inline void particles_to_grid(Fluid& fluid) {
    Field* const fields[] = {&fluid.u, &fluid.v, &fluid.w, &fluid.density};
    std::array<std::vector<Sum>, 4> sums;
    for (int n = 0; n < 4; ++n) {
        sums[n].resize(fields[n]->values.size());
    }
    for (const Particle& particle : fluid.particles) {
        if (!is_in_fluid(fluid, particle.place)) {
            continue;
        }
        for (int n = 0; n < 4; ++n) {
            add_particle(sums[n], *fields[n], fluid.h, particle, n);
        }
    }
    for (int n = 0; n < 4; ++n) {
        Field& field = *fields[n];
        for (std::size_t point = 0; point < field.values.size(); ++point) {
            const Sum& sum = sums[n][point];
            const bool is_covered = n == 3 && fluid.solid.values[point] == 1.0;
            if (sum.weight > 0.0 && !is_covered) {
                field.values[point] = sum.value / sum.weight;
            }
        }
        fluid.brought[n] = field;
    }
    if (fluid.has_air) {
        find_surface(fluid, sums[3]);
    }
    set_bnd(fluid);
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

/// Returns the energy that flows into the box in `dt` seconds, as dot counts it: the squares of the
/// velocities, added up over the cells. Where fluid enters through a face of an opening with the
/// velocity u, it fills u dt / h cells. Across the opening it has the velocity u, and along the
/// opening that of the fluid outside, side.velocity.
inline double energy_flowing_in(const Fluid& fluid, double dt) {
    double energy = 0.0;
    const auto add = [&](const Field& faces, const Side& side, double inwards) {
        if (side.opening != Opening::CLOSED && inwards > 0.0) {
            const Vector outside = side.velocity;
            const double part = part_along(faces, outside);
            const double along =
                outside.x * outside.x + outside.y * outside.y + outside.z * outside.z - part * part;
            energy += inwards * dt / fluid.h * (inwards * inwards + along);
        }
    };
    const Field* const velocity[] = {&fluid.u, &fluid.v, &fluid.w};
    for (int axis = 0; axis < 3; ++axis) {
        const Field& faces = *velocity[axis];
        const Direction step = across(faces);
        for_each_point(faces, [&](int i, int j, int k) {
            if (!fluid.density.has(i - step.i, j - step.j, k - step.k)) {
                add(faces, fluid.sides[2 * axis], faces(i, j, k));
            }
            if (!fluid.density.has(i, j, k)) {
                add(faces, fluid.sides[2 * axis + 1], -faces(i, j, k));
            }
        });
    }
    return energy;
}

/// Carries the velocity `before` along that of `fluid`, and makes the result the velocity of
/// `fluid`. Unless fluid.advection is LINEAR, it is corrected by half of the error. The limiter of
/// subtract_error bounds the values of the result, but not its energy. So only a share of the
/// correction is added, the largest that keeps the energy below a limit. The limit is the energy of
/// `before` and what flows in, or the energy of the uncorrected result if this is more.
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
        const double had = dot(before, before) + energy_flowing_in(fluid, dt);
        const double most = std::max(had, dot(carried, carried));
        add_scaled(carried, largest_share(carried, correction, most), correction);
    }
    std::swap(fluid.u, carried.u);
    std::swap(fluid.v, carried.v);
    std::swap(fluid.w, carried.w);
    set_bnd(fluid);
}

/// Carries u, v and w along the velocity as it was before any of them moved. If particles carry
/// them, they carry the dye, too.
inline void advect_velocity(Fluid& fluid, double dt) {
    if (fluid.advection >= Advection::PIC) {
        keep_covered_dye(fluid);
        grid_to_particles(fluid);
        move_particles(fluid, dt);
        particles_to_grid(fluid);
        return;
    }
    fluid.particles.clear();  // what they have is not up to date
    const Velocity before = {fluid.u, fluid.v, fluid.w};
    carry_velocity(fluid, before, dt);
}

/// Carries the dye, unless particles have done so already.
inline void advect_density(Fluid& fluid, double dt) {
    if (fluid.advection >= Advection::PIC) {
        return;
    }
    const Field density_before = fluid.density;
    const std::vector<double>& dye = density_before.values;
    if (std::any_of(dye.begin(), dye.end(), [](double amount) { return amount != 0.0; })) {
        carry(fluid, fluid.density, density_before, dt);
    }
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
/// divergence of each cell that has an equation, and 0 in the others. The equations say that the
/// velocity is free of divergence once dt / (rho h) times the difference of p has been subtracted
/// from it. (The tutorial divides by rho. With rho = 1 this makes no difference.)
inline void right_hand_side(Fluid& fluid, double dt) {
    const double scale = -fluid.rho * fluid.h * fluid.h / dt;
    for_each_point(fluid.rhs, [&](int i, int j, int k) {
        fluid.rhs(i, j, k) = 0.0;
        if (fluid.matrix.has(i, j, k)) {
            fluid.rhs(i, j, k) = scale * divergence_at(fluid, i, j, k);
        }
    });
}

/// Returns the weight of the face between a cell of water and its neighbour, a cell of air. The
/// pressure is 0 at the surface, which is closer than the neighbour's centre. So the weight is
/// 1 / theta, where theta is the distance from the water's centre to the surface, in cells. It is
/// computed from phi at the two centres, since phi is 0 at the surface and nearly linear between
/// them (the ghost-fluid method: Gibou, Fedkiw, Cheng and Kang 2002; for water Enright, Nguyen,
/// Gibou and Fedkiw 2003). theta is at least 0.05, since a large weight makes the equations hard to
/// solve.
inline double weight_of_surface(double phi_in_water, double phi_in_air) {
    const double theta = phi_in_water / (phi_in_water - phi_in_air);
    return 1.0 / std::max(0.05, theta);
}

/// Returns the weight of the face between cell (i, j, k) and its neighbour on a side. The pressure
/// moves nothing through the face of a solid, so this has the weight 0 (Normoyle, the rules for
/// cells next to a boundary). A face between water and air has the weight that weight_of_surface
/// returns, and every other face the weight 1.
inline double weight_towards(const Fluid& fluid, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    const Label beside = label_at(fluid, i + di, j + dj, k + dk);
    if (beside == Label::SOLID) {
        return 0.0;
    }
    if (beside == Label::AIR && fluid.phi.has(i + di, j + dj, k + dk)) {
        return weight_of_surface(fluid.phi(i, j, k), fluid.phi(i + di, j + dj, k + dk));
    }
    return 1.0;
}

/// Returns the matrix A of the pressure's equations. The diagonal is the sum of a cell's weights,
/// so it counts the neighbours that are not solid. In air the pressure is known, it is 0, and there
/// is no equation. There is none in a solid, either.
inline Matrix pressure_matrix(const Fluid& fluid) {
    Matrix A(fluid.pressure);
    for_each_point(fluid.pressure, [&](int i, int j, int k) {
        if (label_at(fluid, i, j, k) != Label::FLUID) {
            return;
        }
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

/// Subtracts the mean of a field at some points from its values there.
inline void subtract_mean(Field& x, const std::vector<int>& points) {
    double sum = 0.0;
    for (const int point : points) {
        sum += x.values[point];
    }
    for (const int point : points) {
        x.values[point] -= sum / static_cast<double>(points.size());
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

/// How far a right-hand side is from having a solution at the points of a closed component: the
/// absolute value of the sum of its values there, over the sum of their absolute values. Each
/// column of A adds up to 0 there, so the values of A p add up to 0 for every p. So the values of
/// the right-hand side must, too. The result is 0 if they do, and 1 if all of them have one sign.
inline double compatibility_defect(const Field& rhs, const std::vector<int>& points) {
    double sum = 0.0;
    double size = 0.0;
    for (const int point : points) {
        sum += rhs.values[point];
        size += std::abs(rhs.values[point]);
    }
    return size > 0.0 ? std::abs(sum) / size : 0.0;
}

/// A component of A: the points that its weights join, directly or through other points.
struct Component {
    std::vector<int> points;  ///< their places in the array of a field
    bool is_closed;  ///< whether no weight leads from them to a known value, such as the 0 beyond
};

/// Finds the component of a point. It begins with that point, and each point in it adds its
/// neighbours. Marks them all in `is_found`.
inline Component find_component(const Matrix& A, int first, std::vector<bool>& is_found) {
    const Field& cells = A.diagonal;
    Component component = {{first}, true};
    is_found[first] = true;
    for (std::size_t n = 0; n < component.points.size(); ++n) {
        const int point = component.points[n];
        const int i = point % cells.nx;
        const int j = point / cells.nx % cells.ny;
        const int k = point / cells.nx / cells.ny;
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            if (A.weight(side, i, j, k) == 0.0) {
                continue;
            }
            if (!A.has(i + di, j + dj, k + dk)) {
                component.is_closed = false;
                continue;
            }
            const int neighbour = cells.IX(i + di, j + dj, k + dk);
            if (!is_found[neighbour]) {
                is_found[neighbour] = true;
                component.points.push_back(neighbour);
            }
        }
    }
    return component;
}

/// Returns the closed components of A, each as the list of its points. A is singular in each of
/// them.
inline std::vector<std::vector<int>> closed_components(const Matrix& A) {
    std::vector<std::vector<int>> components;
    const int points = static_cast<int>(A.diagonal.values.size());
    std::vector<bool> is_found(points, false);
    for (int point = 0; point < points; ++point) {
        if (A.diagonal.values[point] != 0.0 && !is_found[point]) {
            const Component found = find_component(A, point, is_found);
            if (found.is_closed) {
                components.push_back(found.points);
            }
        }
    }
    return components;
}

/// Factorizes A, once for all right-hand sides.
///
/// In a closed component A is singular. Adding a constant to p there changes nothing (the null
/// space), so one pivot in D is 0. Therefore 1 is added to the diagonal in the row of the
/// component's first point. The sum of the component's equations then says that the pressure of
/// this point is the sum of the right-hand side, which is 0. So the added term, which is this
/// pressure, is 0, and the solution solves the equations of A itself.
inline std::shared_ptr<const Factors> factorize(const Matrix& A) {
    Eigen::SparseMatrix<double> matrix = assemble_matrix(A);
    for (const std::vector<int>& points : closed_components(A)) {
        matrix.coeffRef(points[0], points[0]) += 1.0;
    }
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

/// Keeps the volume of the water. Where the particles are too close together (c > 1, see
/// find_surface), the water must expand a little. Where they are too far apart (c < 1), it must
/// shrink. So the function changes fluid.rhs, and the projection makes the divergence
/// kappa (c - 1) / dt instead of 0. c - 1 is limited to the range from -1/2 to 1/2. A cell at the
/// surface need not be full, so it may expand, but it does not shrink.
inline void keep_volume(Fluid& fluid, double dt) {
    if (!fluid.has_air) {
        return;
    }
    const double scale = fluid.kappa * fluid.rho * fluid.h * fluid.h / (dt * dt);
    for_each_point(fluid.rhs, [&](int i, int j, int k) {
        if (!fluid.matrix.has(i, j, k)) {
            return;
        }
        double least = -0.5;
        for (const auto& [di, dj, dk] : neighbours) {
            if (label_at(fluid, i + di, j + dj, k + dk) == Label::AIR) {
                least = 0.0;
            }
        }
        const double c = 0.5 - (fluid.phi(i, j, k) + fluid.surface_shift) / fluid.h;
        fluid.rhs(i, j, k) += scale * std::clamp(c - 1.0, least, 0.5);
    });
}

/// Solves for the pressure, starting from 0. In each closed component the mean of a right-hand side
/// that is not compatible is subtracted first, and the result has the mean 0, since only
/// differences of p matter there. All other right-hand sides have just one solution.
inline void solve_pressure(Fluid& fluid) {
    Field& p = fluid.pressure;
    fluid.compatibility_defect = 0.0;
    for (const std::vector<int>& points : fluid.closed) {
        const double defect = compatibility_defect(fluid.rhs, points);
        fluid.compatibility_defect = std::max(fluid.compatibility_defect, defect);
        subtract_mean(fluid.rhs, points);
    }
    std::fill(p.values.begin(), p.values.end(), 0.0);
    solve(fluid);
    for (const std::vector<int>& points : fluid.closed) {
        subtract_mean(p, points);
    }
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

/// Makes the matrix anew. If it is no longer the one that it was, finds its closed components.
inline void update_matrix(Fluid& fluid) {
    const Matrix A = pressure_matrix(fluid);
    if (A != fluid.matrix) {
        fluid.matrix = A;
        fluid.closed = closed_components(A);
    }
}

/// Makes the velocity free of divergence, but for what keep_volume asks for: solves for the
/// pressure whose gradient, times dt / rho, has the same divergence, and subtracts this.
inline void project(Fluid& fluid, double dt) {
    set_bnd(fluid);
    update_matrix(fluid);
    right_hand_side(fluid, dt);
    keep_volume(fluid, dt);
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

/// What a field finds on a side of the box: a wall that holds it at a value, or nothing.
struct Wall {
    bool holds;
    double value;
};

/// The walls of u, v or w, in the order of `neighbours`. A wall that slips does not hold it, and an
/// outflow does not, either.
inline std::array<Wall, 6> walls_of(const Fluid& fluid, const Field& faces) {
    std::array<Wall, 6> walls;
    for (int side = 0; side < 6; ++side) {
        const Side& at = fluid.sides[side];
        const bool holds = !at.slips && at.opening != Opening::OUTFLOW;
        walls[side] = {holds, part_along(faces, at.velocity)};
    }
    return walls;
}

/// Returns whether one of the two cells beside face (i, j, k) of u, v or w is fluid.
inline bool touches_fluid(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    const Direction step = across(faces);
    const Label behind = label_at(fluid, i, j, k);
    const Label before = label_at(fluid, i - step.i, j - step.j, k - step.k);
    return behind == Label::FLUID || before == Label::FLUID;
}

/// Returns whether face (i, j, k) of u, v or w lies within a solid: it touches a solid, and no
/// fluid.
inline bool is_within_solid(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    return is_given(fluid, faces, i, j, k) && !touches_fluid(fluid, faces, i, j, k);
}

/// Returns whether face (i, j, k) of u, v or w lies within the air: it touches neither water nor a
/// solid.
inline bool is_in_air(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    return !is_given(fluid, faces, i, j, k) && !touches_fluid(fluid, faces, i, j, k);
}

/// The equations A x = b.
struct Equations {
    Matrix A;
    Field b;
};

/// Returns the equations of diffusion for a field: its new values, spread backwards in time, are
/// those that it has. Between two points of the field the weight is a = diffusivity dt / h^2, and
/// the diagonal is 1 more than the sum of the weights (Bird's equations 12 and 13, where a is
/// called k).
///
/// Beyond a wall that holds the field there is no neighbour, but a ghost. Its value is 2 wall - x,
/// so that the mean of both is that of the wall (Bird's equations 14 to 16, with a wall that
/// moves). So the ghost acts like two neighbours that have the wall's value. Their weight is 2 a,
/// and since the value is known, it stands in b. A neighbour within a solid is such a ghost, too,
/// since the solid's wall lies half way to it. A point whose value is given has no equation. The
/// air does not drag on the water, so a point within the air has no equation, and towards it the
/// weight is 0.
inline Equations diffusion_equations(const Fluid& fluid, const Field& field, double a,
                                     const std::array<Wall, 6>& walls) {
    Equations equations = {Matrix(field), field};
    Matrix& A = equations.A;
    Field& b = equations.b;
    for_each_point(field, [&](int i, int j, int k) {
        if (is_given(fluid, field, i, j, k) || is_in_air(fluid, field, i, j, k)) {
            b(i, j, k) = 0.0;
            return;
        }
        A.diagonal(i, j, k) = 1.0;
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            double weight = 0.0;
            const bool is_there = field.has(i + di, j + dj, k + dk);
            if (is_there && !is_in_air(fluid, field, i + di, j + dj, k + dk)) {
                const bool is_ghost = is_within_solid(fluid, field, i + di, j + dj, k + dk);
                weight = is_ghost ? 2.0 * a : a;
            } else if (!is_there && walls[side].holds) {
                weight = 2.0 * a;
                b(i, j, k) += weight * walls[side].value;
            }
            A.weight(side, i, j, k) = weight;
            A.diagonal(i, j, k) += weight;
        }
    });
    return equations;
}

/// Lets a field spread for `dt` seconds. Backward Euler, as in 04_diffuse, so no `dt` is too long.
/// Conjugate gradients, as in 14_gradients, solve the equations. Returns the residual.
inline double diffuse(const Fluid& fluid, Field& field, double diffusivity,
                      const std::array<Wall, 6>& walls, double dt) {
    const double a = diffusivity * dt / (fluid.h * fluid.h);
    if (a == 0.0) {
        return 0.0;  // nothing spreads
    }
    const Equations equations = diffusion_equations(fluid, field, a, walls);
    const auto copy = [](Field& z, const Field& r) { z = r; };
    const std::vector<double> residuals = conjugate_gradients(
        equations.A, field, equations.b, fluid.tolerance, fluid.iterations, copy);
    return residuals.back();
}

/// Lets viscosity act on the velocity. Each of its three parts spreads by itself.
inline void diffuse_velocity(Fluid& fluid, double dt) {
    fluid.viscous_residual = 0.0;
    for (Field* faces : {&fluid.u, &fluid.v, &fluid.w}) {
        const double left = diffuse(fluid, *faces, fluid.nu, walls_of(fluid, *faces), dt);
        fluid.viscous_residual = std::max(fluid.viscous_residual, left);
    }
}

/// Extrapolates u, v or w from the faces that touch water into the air, where particles that leave
/// the water need a velocity. A face in the air gets the mean of its neighbours that touch water. A
/// second layer of faces gets the means of neighbours in this first layer, and a third layer the
/// means of neighbours in the second. Farther away the velocity is 0.
inline void extrapolate(const Fluid& fluid, Field& faces) {
    const int far = 4;
    std::vector<int> layers(faces.values.size(), far);  // 0: it touches water
    for_each_point(faces, [&](int i, int j, int k) {
        if (touches_fluid(fluid, faces, i, j, k)) {
            layers[faces.IX(i, j, k)] = 0;
        } else {
            faces(i, j, k) = 0.0;
        }
    });
    for (int layer = 1; layer < far; ++layer) {
        for_each_point(faces, [&](int i, int j, int k) {
            if (layers[faces.IX(i, j, k)] < far) {
                return;  // it has its velocity already
            }
            double count = 0.0;
            double sum = 0.0;
            for (const auto& [di, dj, dk] : neighbours) {
                if (faces.has(i + di, j + dj, k + dk) &&
                    layers[faces.IX(i + di, j + dj, k + dk)] < layer) {
                    count += 1.0;
                    sum += faces(i + di, j + dj, k + dk);
                }
            }
            if (count > 0.0) {
                layers[faces.IX(i, j, k)] = layer;
                faces(i, j, k) = sum / count;
            }
        });
    }
}

/// Lets `dt` seconds pass (more than 0). If the solids or the openings are no longer those of the
/// last pressure, the step does not reflect. If there is air, u, v and w are extrapolated into it.
/// The velocity that the particles have brought is extrapolated in the same way, since FLIP
/// subtracts it from the new one.
inline void step(Fluid& fluid, double dt) {
    set_bnd(fluid);
    const bool reflects = fluid.advection == Advection::REFLECTED && fluid.reflects_next &&
                          fluid.matrix == pressure_matrix(fluid);
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
    if (fluid.has_air) {
        for (Field* faces : {&fluid.brought[0], &fluid.brought[1], &fluid.brought[2], &fluid.u,
                             &fluid.v, &fluid.w}) {
            extrapolate(fluid, *faces);
        }
        set_bnd(fluid);
    }
    advect_density(fluid, dt);
}
