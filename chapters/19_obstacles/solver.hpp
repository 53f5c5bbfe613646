// The whole fluid on a staggered grid, in one header that needs the standard library and Eigen.
// Its numbers are double, as in Normoyle's tutorial.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

/// A point in space, or a velocity.
struct Vector {
    double x, y, z;
};

/// Numbers on a block of nx x ny x nz points: one for every cell, or one for every face that looks
/// along one axis. They lie row after row in one array: i runs right and fastest, j runs down, k
/// runs away from you. Unlike before there are no wall cells, so the cells count from 0.
struct Field {
    int nx, ny, nz;
    Vector origin;  ///< where point (0, 0, 0) lies, in cells from the corner of the box
    std::vector<double> values;
    std::shared_ptr<const std::vector<bool>> solids;  ///< of cells: which are solid; null: none is
    std::array<bool, 6> outflow = {};  ///< of a pressure: beyond which sides it is known to be 0

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
    bool is_closed() const { return outflow == std::array<bool, 6>{}; }
    double& operator()(int i, int j, int k) { return values[IX(i, j, k)]; }
    double operator()(int i, int j, int k) const { return values[IX(i, j, k)]; }
};

/// The ways to solve for the pressure.
enum class Solver { GAUSS_SEIDEL, DIRECT, CONJUGATE_GRADIENTS, PRECONDITIONED };

/// The ways to carry a field along the flow. LINEAR interpolates once, as 11_mac does. SHARP also
/// subtracts half of the error (advect_sharp). REFLECTED is SHARP, and every second step carries
/// the reflected velocity (advect_reflected).
enum class Advection { LINEAR, SHARP, REFLECTED };

/// What a side of the box is: a wall; faces through which fluid flows with a given velocity; or
/// faces through which it flows as it likes, against a pressure of 0 beyond them.
enum class Opening { CLOSED, INFLOW, OUTFLOW };

/// One of the six sides of the box.
struct Side {
    Opening opening = Opening::CLOSED;
    bool slips = false;  ///< true: free slip; false: no slip
    Vector velocity = {0.0, 0.0, 0.0};  ///< of the wall, in its own plane, like a lid
                                        ///< (of an opening: of the fluid beyond it)
};

/// The matrix A of the pressure's equations as factors L D L^T, with which A p = b is solved at
/// once.
using Factors = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

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
    Solver solver = Solver::PRECONDITIONED;
    Advection advection = Advection::LINEAR;
    bool reflects_next = false;  ///< whether the next step carries the reflected velocity

    Side sides[6];  ///< left, right, above, below, before and behind, in the order of `neighbours`

    Field u;  ///< velocity to the right, on the X faces: u(i, j, k) is left of cell (i, j, k)
    Field v;  ///< velocity down, on the Y faces: v(i, j, k) is above cell (i, j, k)
    Field w;  ///< velocity away from you, on the Z faces: w(i, j, k) is before cell (i, j, k)
    Field u_given = u, v_given = v, w_given = w;  ///< velocities of inflows and solids
    Field density;  ///< how much dye a cell holds, at its centre: 0 is none
    Field pressure;  ///< of the last projection, at the centres: mass over length and squared time
    Field rhs;  ///< the right-hand side of its equations, see right_hand_side
    Field solid = rhs;  ///< 1 where a cell is solid, 0 where it is fluid: see mark_solids
    std::vector<double> residuals;  ///< of the pressure, before the first iteration and after each
    double viscous_residual = 0.0;  ///< of the last diffusion: the largest of u's, v's and w's
    double compatibility_defect = 0.0;  ///< of the right-hand side: 0 if there is a solution
    std::shared_ptr<const Factors> factors;  ///< kept from step to step, until A changes

    Fluid(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), u(nx + 1, ny, nz, {0.0, 0.5, 0.5}),
          v(nx, ny + 1, nz, {0.5, 0.0, 0.5}), w(nx, ny, nz + 1, {0.5, 0.5, 0.0}),
          density(nx, ny, nz, {0.5, 0.5, 0.5}), pressure(density), rhs(density) {
        sides[4].slips = sides[5].slips = nz == 1;  // a flat fluid has no friction there
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

/// Returns whether (i, j, k) is one of the cells of the box, and not solid. All that lies outside
/// of the box is wall, or beyond an opening.
inline bool is_fluid(const Field& cells, int i, int j, int k) {
    return cells.has(i, j, k) && !(cells.solids && (*cells.solids)[cells.IX(i, j, k)]);
}

/// The part of a vector along the axis that the faces of a field look along: u's, v's or w's. For
/// the centres of cells it is 0.
inline double part_along(const Field& faces, Vector vector) {
    const Vector first = faces.origin;
    return first.x == 0.0 ? vector.x : first.y == 0.0 ? vector.y : first.z == 0.0 ? vector.z : 0.0;
}

/// How far a place, counted in points of a field from its first, lies beyond the field's last point
/// on each side, in the order of `neighbours`. On a side that the place has not passed, this is
/// negative.
inline std::array<double, 6> beyond(const Field& field, double x, double y, double z) {
    return {-x, x - field.nx + 1, -y, y - field.ny + 1, -z, z - field.nz + 1};
}

/// Returns whether (i, j, k) is a cell of fluid, or lies beyond an outflow.
inline bool is_open(const Fluid& fluid, int i, int j, int k) {
    const std::array<double, 6> cells = beyond(fluid.density, i, j, k);
    const auto side = std::max_element(cells.begin(), cells.end()) - cells.begin();
    return cells[side] > 0.0 ? fluid.sides[side].opening == Opening::OUTFLOW
                             : is_fluid(fluid.density, i, j, k);
}

/// Returns whether face (i, j, k) of u, v or w lies between two cells of fluid, or on an outflow.
/// Otherwise its velocity is given.
inline bool is_free(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    const Vector first = faces.origin;  // 0 along the axis that the faces look along
    return is_open(fluid, i, j, k) &&
           is_open(fluid, i - (first.x == 0.0), j - (first.y == 0.0), k - (first.z == 0.0));
}

/// Gives a face on that side the velocity of an inflow, or 0 at a wall. A face of an outflow keeps
/// its velocity.
inline void set_face(const Side& side, double& velocity, double given) {
    const double kept = side.opening == Opening::OUTFLOW ? velocity : 0.0;
    velocity = side.opening == Opening::INFLOW ? given : kept;
}

/// Sets the faces of u, v or w that are not free to their given velocity, which is that of a solid
/// or of an inflow.
inline void set_given(const Fluid& fluid, Field& faces, const Field& given) {
    for (int k = 0; k < faces.nz; ++k) {
        for (int j = 0; j < faces.ny; ++j) {
            for (int i = 0; i < faces.nx; ++i) {
                if (!is_free(fluid, faces, i, j, k)) {
                    faces(i, j, k) = given(i, j, k);
                }
            }
        }
    }
}

/// Sets the velocities that are given: on the sides of the box 0 on a wall, and that of an inflow;
/// on the faces of a solid the solid's. On an outflow they stay as they are.
inline void set_bnd(Fluid& fluid) {
    set_given(fluid, fluid.u, fluid.u_given);
    set_given(fluid, fluid.v, fluid.v_given);
    set_given(fluid, fluid.w, fluid.w_given);
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            set_face(fluid.sides[0], fluid.u(0, j, k), fluid.u_given(0, j, k));
            set_face(fluid.sides[1], fluid.u(fluid.nx, j, k), fluid.u_given(fluid.nx, j, k));
        }
        for (int i = 0; i < fluid.nx; ++i) {
            set_face(fluid.sides[2], fluid.v(i, 0, k), fluid.v_given(i, 0, k));
            set_face(fluid.sides[3], fluid.v(i, fluid.ny, k), fluid.v_given(i, fluid.ny, k));
        }
    }
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            set_face(fluid.sides[4], fluid.w(i, j, 0), fluid.w_given(i, j, 0));
            set_face(fluid.sides[5], fluid.w(i, j, fluid.nz), fluid.w_given(i, j, fluid.nz));
        }
    }
}

/// Makes the cells solid in which fluid.solid is 1. Call it after every change of fluid.solid. A is
/// then another matrix, so its factors are computed anew. The last pressure belongs to the cells as
/// they were, so the next step does not reflect.
inline void mark_solids(Fluid& fluid) {
    const std::vector<double>& solid = fluid.solid.values;  // 1 is true, 0 is false
    const auto solids = std::make_shared<const std::vector<bool>>(solid.begin(), solid.end());
    fluid.density.solids = fluid.pressure.solids = fluid.rhs.solids = solids;
    fluid.factors.reset();
    fluid.reflects_next = false;
    set_bnd(fluid);
}

/// Adds dye to cell (i, j, k). A cell outside the box is left alone.
inline void add_density(Fluid& fluid, int i, int j, int k, double amount) {
    if (is_fluid(fluid.density, i, j, k)) {
        fluid.density(i, j, k) += amount;
    }
}

/// Changes the velocity in cell (i, j, k): half of the change goes to each of its two faces along
/// an axis, except where set_bnd gives the velocity. A cell outside the box is left alone.
inline void add_velocity(Fluid& fluid, int i, int j, int k, Vector change) {
    if (!is_fluid(fluid.density, i, j, k)) {
        return;
    }
    fluid.u(i, j, k) += 0.5 * change.x;
    fluid.u(i + 1, j, k) += 0.5 * change.x;
    fluid.v(i, j, k) += 0.5 * change.y;
    fluid.v(i, j + 1, k) += 0.5 * change.y;
    fluid.w(i, j, k) += 0.5 * change.z;
    fluid.w(i, j, k + 1) += 0.5 * change.z;
    set_bnd(fluid);
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
/// the eight points around it.
inline double interpolate(const Field& field, double h, Vector place) {
    const auto [i0, i1, r0, r1] = linear_weights(place.x / h - field.origin.x, field.nx);
    const auto [j0, j1, s0, s1] = linear_weights(place.y / h - field.origin.y, field.ny);
    const auto [k0, k1, t0, t1] = linear_weights(place.z / h - field.origin.z, field.nz);
    return t0 * (s0 * (r0 * field(i0, j0, k0) + r1 * field(i1, j0, k0)) +
                 s1 * (r0 * field(i0, j1, k0) + r1 * field(i1, j1, k0))) +
           t1 * (s0 * (r0 * field(i0, j0, k1) + r1 * field(i1, j0, k1)) +
                 s1 * (r0 * field(i0, j1, k1) + r1 * field(i1, j1, k1)));
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
    double change = 0.0, sum = 0.0;
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
/// so at a face one of them is stored and the other two are interpolated.
inline Vector velocity_at(const Fluid& fluid, Vector place) {
    return {interpolate(fluid.u, fluid.h, place), interpolate(fluid.v, fluid.h, place),
            interpolate(fluid.w, fluid.h, place)};
}

/// Returns the departure point, from which the flow carries a value to `place` in `dt` seconds: one
/// straight step upstream (Normoyle, the advection step). Unless fluid.advection is LINEAR, the
/// velocity is that half way along this step (midpoint rule), so that the error of a step shrinks
/// with the cube of `dt` instead of its square. A negative `dt` traces downstream.
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
/// opening, it is the value outside, unless `dt` is negative: nothing comes from outside
/// downstream. `d` must be neither `d0` nor a part of `fluid`'s velocity. Returns the departure
/// points, in the order of d.values.
inline std::vector<Vector> advect(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    const double h = fluid.h;
    std::vector<Vector> departures;
    departures.reserve(d.values.size());
    for (int k = 0; k < d.nz; ++k) {
        for (int j = 0; j < d.ny; ++j) {
            for (int i = 0; i < d.nx; ++i) {
                const Vector place = {h * (i + d.origin.x), h * (j + d.origin.y),
                                      h * (k + d.origin.z)};
                departures.push_back(trace_back(fluid, place, dt));
                d(i, j, k) = interpolate(d0, h, departures.back());
                d(i, j, k) +=
                    dt > 0.0 ? from_outside(fluid, d0, departures.back(), d(i, j, k)) : 0.0;
            }
        }
    }
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
           is_fluid(fluid.density, std::min(static_cast<int>(x), fluid.nx - 1),
                    std::min(static_cast<int>(y), fluid.ny - 1),
                    std::min(static_cast<int>(z), fluid.nz - 1));
}

/// Carries `d0` like advect, but to second order. A field that is carried forth and back again
/// should not change. The difference is the error of two steps, so half of it is subtracted. The
/// result stays within the values around the departure point, as the interpolated value does
/// (MacCormack's scheme with a limiter: Selle, Fedkiw, Kim, Liu and Rossignac 2008); beside an
/// opening, also within what advect has brought in from outside. Where one of the two traces leaves
/// the fluid, the error is unknown, and the value of advect is kept.
inline void advect_sharp(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    Field back = d0;
    const std::vector<Vector> upstream = advect(fluid, d, d0, dt);
    const std::vector<Vector> downstream = advect(fluid, back, d, -dt);
    for (std::size_t n = 0; n < d.values.size(); ++n) {
        if (is_in_fluid(fluid, upstream[n]) && is_in_fluid(fluid, downstream[n])) {
            const Range range = range_around(d0, fluid.h, upstream[n]);
            const double error = 0.5 * (back.values[n] - d0.values[n]);
            d.values[n] = std::clamp(d.values[n] - error, std::min(range.least, d.values[n]),
                                     std::max(range.most, d.values[n]));
        }
    }
}

/// Carries `d0` into `d` by the method that fluid.advection names.
inline void carry(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    if (fluid.advection == Advection::LINEAR) {
        advect(fluid, d, d0, dt);
    } else {
        advect_sharp(fluid, d, d0, dt);
    }
}

/// Carries u, v and w along the velocity as it was before any of them moved.
inline void advect_velocity(Fluid& fluid, double dt) {
    Field u = fluid.u;
    Field v = fluid.v;
    Field w = fluid.w;
    carry(fluid, u, fluid.u, dt);
    carry(fluid, v, fluid.v, dt);
    carry(fluid, w, fluid.w, dt);
    std::swap(fluid.u, u);
    std::swap(fluid.v, v);
    std::swap(fluid.w, w);
    set_bnd(fluid);
}

/// Carries the dye.
inline void advect_density(Fluid& fluid, double dt) {
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
/// are stored right on its faces, one cell apart, so no face is skipped as in 07_project.
inline double divergence_at(const Fluid& fluid, int i, int j, int k) {
    return (fluid.u(i + 1, j, k) - fluid.u(i, j, k) + fluid.v(i, j + 1, k) - fluid.v(i, j, k) +
            fluid.w(i, j, k + 1) - fluid.w(i, j, k)) /
           fluid.h;
}

/// Fills fluid.rhs with the right-hand side of the pressure's equations, -rho h^2 / dt times the
/// divergence of each cell that is fluid, and 0 in the others. It comes from asking that
/// u - dt / (rho h) times the difference of p be free of divergence. (The tutorial divides by rho.
/// With rho = 1 this makes no difference.)
inline void right_hand_side(Fluid& fluid, double dt) {
    const double scale = -fluid.rho * fluid.h * fluid.h / dt;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const bool is_solid = !is_fluid(fluid.rhs, i, j, k);
                fluid.rhs(i, j, k) = is_solid ? 0.0 : scale * divergence_at(fluid, i, j, k);
            }
        }
    }
}

/// The six neighbours of a cell, as steps from it.
inline constexpr int neighbours[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                         {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};

/// Returns whether the neighbour of cell (i, j, k) on that side lies beyond an outflow: there p is
/// 0.
inline bool is_outflow(const Field& p, int side, int i, int j, int k) {
    const auto& [di, dj, dk] = neighbours[side];
    return p.outflow[side] && !p.has(i + di, j + dj, k + dk);
}

/// The face of cell (i, j, k) on that side.
inline double& face_of(Fluid& fluid, int side, int i, int j, int k) {
    Field& faces = side < 2 ? fluid.u : side < 4 ? fluid.v : fluid.w;
    return faces(i + (side == 1), j + (side == 3), k + (side == 5));
}

/// A cell's neighbours in its equation: how many they are, and the sum of p in them.
struct NeighbourSum {
    int count;
    double sum;
};

/// Returns whether it is certain that all six neighbours of cell (i, j, k) are fluid, since no wall
/// is near and no cell of the box is solid. Then neighbour_sum need not look at each of them, which
/// takes longer than the sum.
inline bool is_surrounded(const Field& p, int i, int j, int k) {
    return !p.solids && p.has(i - 1, j - 1, k - 1) && p.has(i + 1, j + 1, k + 1);
}

/// Looks at the neighbours of cell (i, j, k). Nothing flows through a wall or a solid, so these
/// have no pressure in the equations (Normoyle, the rules for cells next to a boundary). A
/// neighbour beyond an outflow is counted, with the pressure 0. A solid cell has no equation, and
/// no neighbours.
inline NeighbourSum neighbour_sum(const Field& p, int i, int j, int k) {
    if (is_surrounded(p, i, j, k)) {
        return {6, p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) + p(i, j + 1, k) +
                       p(i, j, k - 1) + p(i, j, k + 1)};
    }
    NeighbourSum found = {0, 0.0};
    for (int side = is_fluid(p, i, j, k) ? 0 : 6; side < 6; ++side) {  // else there is no equation
        const auto& [di, dj, dk] = neighbours[side];
        if (is_fluid(p, i + di, j + dj, k + dk)) {
            ++found.count;
            found.sum += p(i + di, j + dj, k + dk);
        }
        found.count += is_outflow(p, side, i, j, k);
    }
    return found;
}

/// The relative residual of the equations: the length (2-norm) of rhs - A p, over the length of
/// rhs. Each cell asks for count p - (sum of its neighbours' p) = rhs. 0 if rhs is 0.
inline double residual(const Field& p, const Field& rhs) {
    double left = 0.0;
    double all = 0.0;
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const NeighbourSum found = neighbour_sum(p, i, j, k);
                const double r = rhs(i, j, k) - (found.count * p(i, j, k) - found.sum);
                left += r * r;
                all += rhs(i, j, k) * rhs(i, j, k);
            }
        }
    }
    return all > 0.0 ? std::sqrt(left / all) : 0.0;
}

/// One Gauss-Seidel sweep: each cell in turn is set to what its own equation asks for, given its
/// neighbours as they are now. A cell without neighbours keeps its value.
inline void gauss_seidel(Field& p, const Field& rhs) {
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const NeighbourSum found = neighbour_sum(p, i, j, k);
                if (found.count > 0) {
                    p(i, j, k) = (rhs(i, j, k) + found.sum) / found.count;
                }
            }
        }
    }
}

/// Relaxes the pressure: Gauss-Seidel sweeps, until the residual is at most fluid.tolerance, or
/// after fluid.iterations of them. Adds each residual to fluid.residuals.
inline void lin_solve(Fluid& fluid) {
    std::vector<double>& residuals = fluid.residuals;
    while (residuals.back() > fluid.tolerance &&
           static_cast<int>(residuals.size()) <= fluid.iterations) {
        gauss_seidel(fluid.pressure, fluid.rhs);
        residuals.push_back(residual(fluid.pressure, fluid.rhs));
    }
}

/// The connected components of the fluid beside which p is known nowhere, as lists of cells. A
/// component begins with one cell, and each cell adds its neighbours. A cell that is not fluid is a
/// component of its own.
inline std::vector<std::vector<int>> closed_components(const Field& p) {
    std::vector<std::vector<int>> components;
    std::vector<bool> is_found(p.values.size(), false);
    for (int first = 0; first < static_cast<int>(p.values.size()); ++first) {
        std::vector<int> cells(is_found[first] ? 0 : 1, first);  // none, if it is in one already
        bool is_closed = !cells.empty();
        is_found[first] = true;
        for (std::size_t n = 0; n < cells.size(); ++n) {
            const int i = cells[n] % p.nx, j = cells[n] / p.nx % p.ny, k = cells[n] / p.nx / p.ny;
            for (int side = 0; side < 6 && is_fluid(p, i, j, k); ++side) {
                const auto& [di, dj, dk] = neighbours[side];
                is_closed = is_closed && !is_outflow(p, side, i, j, k);
                if (is_fluid(p, i + di, j + dj, k + dk) &&
                    !is_found[p.IX(i + di, j + dj, k + dk)]) {
                    cells.push_back(p.IX(i + di, j + dj, k + dk));
                    is_found[cells.back()] = true;
                }
            }
        }
        if (is_closed) {
            components.push_back(cells);
        }
    }
    return components;
}

/// Subtracts the mean of a field from each of its values, unless an outflow gives the pressure:
/// then no constant is free.
inline void subtract_mean(Field& x) {
    if (!x.is_closed()) {
        return;
    }
    double sum = 0.0;
    for (const double value : x.values) {
        sum += value;
    }
    for (double& value : x.values) {
        value -= sum / static_cast<double>(x.values.size());
    }
}

/// The matrix A of the equations A p = rhs, one row and one column for each cell: on the diagonal
/// the number of its neighbours, those beyond an outflow too, and -1 in the column of each that is
/// a cell. The row of a solid cell is empty.
inline Eigen::SparseMatrix<double> assemble_matrix(const Field& p) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const int row = p.IX(i, j, k);
                for (int side = 0; side < 6 && is_fluid(p, i, j, k); ++side) {
                    const auto& [di, dj, dk] = neighbours[side];
                    if (is_fluid(p, i + di, j + dj, k + dk)) {
                        entries.emplace_back(row, row, 1.0);  // entries of one place add up
                        entries.emplace_back(row, p.IX(i + di, j + dj, k + dk), -1.0);
                    } else if (is_outflow(p, side, i, j, k)) {
                        entries.emplace_back(row, row, 1.0);  // p is known: nothing to its right
                    }
                }
            }
        }
    }
    const int cells = p.nx * p.ny * p.nz;
    Eigen::SparseMatrix<double> matrix(cells, cells);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

/// How far a right-hand side is from having a solution: the sum of its values over the sum of their
/// sizes. In a closed box each column of A adds up to 0, so the values of A p add up to 0 for every
/// p. 0 if it is compatible, 1 if all its values have one sign. With an outflow A is not singular,
/// every right-hand side is compatible, and 0 is returned.
inline double compatibility_defect(const Field& rhs) {
    if (!rhs.is_closed()) {
        return 0.0;
    }
    double sum = 0.0;
    double size = 0.0;
    for (const double value : rhs.values) {
        sum += value;
        size += std::abs(value);
    }
    return size > 0.0 ? std::abs(sum) / size : 0.0;
}

/// Subtracts from each closed component of a field the mean of that component, since each has a
/// null space of its own. Returns the largest compatibility defect of any component.
inline double subtract_means(Field& x) {
    double defect = 0.0;
    for (const std::vector<int>& cells : closed_components(x)) {
        Field part(static_cast<int>(cells.size()), 1, 1, x.origin);
        for (std::size_t n = 0; n < cells.size(); ++n) {
            part.values[n] = x.values[cells[n]];
        }
        defect = std::max(defect, compatibility_defect(part));
        subtract_mean(part);
        for (std::size_t n = 0; n < cells.size(); ++n) {
            x.values[cells[n]] = part.values[n];
        }
    }
    return defect;
}

/// Factorizes A, once for all right-hand sides.
///
/// With a closed component, A is singular. Adding a constant to p in it changes nothing (the null
/// space), so one pivot in D is 0. Therefore 1 is added to the diagonal in the row of the
/// component's first cell. The sum of the component's equations then says that the pressure of this
/// cell is the sum of the right-hand side, which is 0. So the added term is 0, and no equation has
/// changed.
inline std::shared_ptr<const Factors> factorize(const Field& p) {
    Eigen::SparseMatrix<double> matrix = assemble_matrix(p);
    for (const std::vector<int>& cells : closed_components(p)) {
        matrix.coeffRef(cells[0], cells[0]) += 1.0;
    }
    return std::make_shared<const Factors>(matrix);
}

/// Solves A p = rhs at once, for a compatible right-hand side.
inline void solve_direct(const Factors& factors, Field& p, const Field& rhs) {
    const int cells = static_cast<int>(rhs.values.size());
    const Eigen::VectorXd solution = factors.solve(Eigen::VectorXd::Map(rhs.values.data(), cells));
    p.values.assign(solution.begin(), solution.end());
}

/// Fills `result` with A times p. A is not stored, since each row follows from the cell's
/// neighbours.
inline void apply_matrix(const Field& p, Field& result) {
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const NeighbourSum found = neighbour_sum(p, i, j, k);
                result(i, j, k) = found.count * p(i, j, k) - found.sum;
            }
        }
    }
}

/// The dot product of two fields.
inline double dot(const Field& a, const Field& b) {
    double sum = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        sum += a.values[cell] * b.values[cell];
    }
    return sum;
}

/// Adds `factor` times `direction` to x.
inline void add_scaled(Field& x, double factor, const Field& direction) {
    for (std::size_t cell = 0; cell < x.values.size(); ++cell) {
        x.values[cell] += factor * direction.values[cell];
    }
}

/// A preconditioner: puts into z, roughly, the solution of A z = r. Symmetric Gauss-Seidel: one
/// sweep from the first cell to the last, and one back, so that no end of the box is favoured.
inline void symmetric_gauss_seidel(Field& z, const Field& r) {
    std::fill(z.values.begin(), z.values.end(), 0.0);
    gauss_seidel(z, r);
    for (int k = z.nz - 1; k >= 0; --k) {
        for (int j = z.ny - 1; j >= 0; --j) {
            for (int i = z.nx - 1; i >= 0; --i) {
                const NeighbourSum found = neighbour_sum(z, i, j, k);
                if (found.count > 0) {
                    z(i, j, k) = (r(i, j, k) + found.sum) / found.count;
                }
            }
        }
    }
}

/// Solves for the pressure by conjugate gradients, from p = 0 (Hestenes and Stiefel 1952). p goes
/// along one direction after the other, each time as far as lowers the energy of the error the
/// most. Each direction is conjugate to the earlier ones, so a step along it does not undo theirs.
/// The directions are made of z, where precondition(z, r) fills z with an approximate solution of A
/// z = r. Adds each residual to fluid.residuals.
template <class Preconditioner>
void conjugate_gradients(Fluid& fluid, Preconditioner precondition) {
    Field& p = fluid.pressure;
    std::vector<double>& residuals = fluid.residuals;
    Field r = fluid.rhs;  // rhs - A p
    Field z = r;
    precondition(z, r);
    Field direction = z;
    Field a_direction = z;
    double rz = dot(r, z);
    while (residuals.back() > fluid.tolerance &&
           static_cast<int>(residuals.size()) <= fluid.iterations) {
        apply_matrix(direction, a_direction);
        const double alpha = rz / dot(direction, a_direction);
        add_scaled(p, alpha, direction);
        add_scaled(r, -alpha, a_direction);
        precondition(z, r);
        const double beta = dot(r, z) / rz;
        rz = dot(r, z);
        for (std::size_t cell = 0; cell < z.values.size(); ++cell) {
            direction.values[cell] = z.values[cell] + beta * direction.values[cell];
        }
        residuals.push_back(residual(p, fluid.rhs));
    }
}

/// Copies to the pressure and its right-hand side which sides are outflows. If these have changed,
/// A is another matrix, and its factors are dropped.
inline void mark_outflows(Fluid& fluid) {
    for (int side = 0; side < 6; ++side) {
        fluid.rhs.outflow[side] = fluid.sides[side].opening == Opening::OUTFLOW;
    }
    fluid.factors = fluid.pressure.outflow == fluid.rhs.outflow ? fluid.factors : nullptr;
    fluid.pressure.outflow = fluid.rhs.outflow;
}

/// Solves for the pressure, starting from 0. In each closed component the mean of a right-hand side
/// that is not compatible is subtracted first, and the result has the mean 0, since only
/// differences of p matter there.
inline void solve_pressure(Fluid& fluid) {
    Field& p = fluid.pressure;
    mark_outflows(fluid);
    fluid.compatibility_defect = subtract_means(fluid.rhs);
    std::fill(p.values.begin(), p.values.end(), 0.0);
    fluid.residuals = {residual(p, fluid.rhs)};
    if (fluid.solver == Solver::DIRECT) {
        fluid.factors = fluid.factors ? fluid.factors : factorize(p);
        if (fluid.factors) {  // there are none until factorize is written
            solve_direct(*fluid.factors, p, fluid.rhs);
        }
        fluid.residuals.push_back(residual(p, fluid.rhs));
    } else if (fluid.solver == Solver::CONJUGATE_GRADIENTS) {
        conjugate_gradients(fluid, [](Field& z, const Field& r) { z = r; });
    } else if (fluid.solver == Solver::PRECONDITIONED) {
        conjugate_gradients(fluid, symmetric_gauss_seidel);
    } else {
        lin_solve(fluid);
    }
    subtract_means(p);
}

/// Subtracts the gradient of the pressure: the fluid is pushed from high pressure to low, across
/// every face that is neither a wall nor a solid's. Beyond an outflow the pressure is 0.
inline void subtract_gradient(Fluid& fluid, double dt) {
    const double scale = dt / (fluid.rho * fluid.h);
    const Field& p = fluid.pressure;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (i > 0) {
                    fluid.u(i, j, k) -= scale * (p(i, j, k) - p(i - 1, j, k));
                }
                if (j > 0) {
                    fluid.v(i, j, k) -= scale * (p(i, j, k) - p(i, j - 1, k));
                }
                if (k > 0) {
                    fluid.w(i, j, k) -= scale * (p(i, j, k) - p(i, j, k - 1));
                }
                for (int side = 0; side < 6; ++side) {
                    if (is_outflow(p, side, i, j, k)) {  // from p in the cell to 0 beyond
                        face_of(fluid, side, i, j, k) +=
                            (side % 2 == 0 ? -scale : scale) * p(i, j, k);
                    }
                }
            }
        }
    }
    set_bnd(fluid);  // no pressure moves a solid
}

/// Makes the velocity free of divergence: solves for the pressure whose gradient, times dt / rho,
/// has the same divergence, and subtracts this.
inline void project(Fluid& fluid, double dt) {
    set_bnd(fluid);
    right_hand_side(fluid, dt);
    solve_pressure(fluid);
    subtract_gradient(fluid, dt);
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
    const Fluid before = fluid;
    subtract_gradient(fluid, dt);
    add_force(fluid, dt);
    const Fluid reflected = fluid;
    carry(before, fluid.u, reflected.u, dt);
    carry(before, fluid.v, reflected.v, dt);
    carry(before, fluid.w, reflected.w, dt);
    set_bnd(fluid);
}

/// Returns whether face (i, j, k) of u, v or w lies within a solid: no cell beside it is fluid.
inline bool is_within_solid(const Fluid& fluid, const Field& faces, int i, int j, int k) {
    const Vector first = faces.origin;
    return !is_fluid(fluid.density, i, j, k) &&
           !is_fluid(fluid.density, i - (first.x == 0.0), j - (first.y == 0.0),
                     k - (first.z == 0.0));
}

/// Returns how many neighbours face (i, j, k) of u, v or w has in the equations of viscosity, and
/// the sum of their velocities. Beyond a wall along the face's velocity there is no neighbour, but
/// a ghost. Its velocity is 2 wall - u, so that the mean of both is that of the wall (Bird's
/// equations 14 to 16, with a wall that moves). In count u - sum this makes two neighbours of the
/// velocity of the wall. A neighbour within a solid is such a ghost, too: the solid's wall lies
/// half way to it. A ghost at a wall that slips, or beyond an outflow, has the velocity u itself,
/// so it is not counted. `wall` is 1, or 0 for walls at rest.
inline NeighbourSum viscous_neighbours(const Fluid& fluid, const Field& faces, int i, int j, int k,
                                       double wall) {
    NeighbourSum found = {0, 0.0};
    for (int side = 0; side < 6; ++side) {
        const auto& [di, dj, dk] = neighbours[side];
        if (faces.has(i + di, j + dj, k + dk)) {
            const int share = is_within_solid(fluid, faces, i + di, j + dj, k + dk) ? 2 : 1;
            found.count += share;
            found.sum += share * faces(i + di, j + dj, k + dk);
        } else if (!fluid.sides[side].slips && fluid.sides[side].opening != Opening::OUTFLOW) {
            found.count += 2;
            found.sum += 2.0 * wall * part_along(faces, fluid.sides[side].velocity);
        }
    }
    return found;
}

/// Fills `result` with the left-hand side of the equations of viscosity,
/// (1 + count a) u - a (sum of the neighbours' u), for each free face of u, v or w, where
/// a = nu dt / h^2 (Bird's equations 12 and 13, where it is called k). The other faces stay as they
/// are. `wall` is that of viscous_neighbours.
inline void apply_viscosity(const Fluid& fluid, const Field& faces, Field& result, double a,
                            double wall) {
    result = faces;
    for (int k = 0; k < faces.nz; ++k) {
        for (int j = 0; j < faces.ny; ++j) {
            for (int i = 0; i < faces.nx; ++i) {
                if (is_free(fluid, faces, i, j, k)) {
                    const NeighbourSum found = viscous_neighbours(fluid, faces, i, j, k, wall);
                    result(i, j, k) += a * (found.count * faces(i, j, k) - found.sum);
                }
            }
        }
    }
}

/// Lets viscosity act for `dt` seconds on u, v or w. Backward Euler, as in 04_diffuse: the new
/// velocity, spread backwards in time, gives the old one, and no `dt` is too long. Conjugate
/// gradients, as in 14_gradients, solve the equations for the change of the velocity. It is 0 on
/// every wall, however the wall moves. Returns the residual: the length (2-norm) of rhs - A u, over
/// that of the old velocity or of the new one, whichever is longer.
inline double diffuse(const Fluid& fluid, Field& faces, double dt) {
    const double a = fluid.nu * dt / (fluid.h * fluid.h);
    if (a == 0.0) {
        return 0.0;  // nothing spreads
    }
    Field r = faces;  // the right-hand side is the velocity as it was
    Field a_direction = faces;
    apply_viscosity(fluid, faces, a_direction, a, 1.0);
    add_scaled(r, -1.0, a_direction);
    Field direction = r;
    const double before = dot(faces, faces);
    double rr = dot(r, r);
    const double enough = fluid.tolerance * fluid.tolerance;
    for (int n = 0; n < fluid.iterations && rr > enough * std::max(before, dot(faces, faces));
         ++n) {
        apply_viscosity(fluid, direction, a_direction, a, 0.0);
        const double alpha = rr / dot(direction, a_direction);
        add_scaled(faces, alpha, direction);
        add_scaled(r, -alpha, a_direction);
        const double beta = dot(r, r) / rr;
        rr = dot(r, r);
        for (std::size_t face = 0; face < r.values.size(); ++face) {
            direction.values[face] = r.values[face] + beta * direction.values[face];
        }
    }
    return rr > 0.0 ? std::sqrt(rr / std::max(before, dot(faces, faces))) : 0.0;
}

/// Lets viscosity act on the velocity. Each of its three parts spreads by itself.
inline void diffuse_velocity(Fluid& fluid, double dt) {
    fluid.viscous_residual = std::max(
        {diffuse(fluid, fluid.u, dt), diffuse(fluid, fluid.v, dt), diffuse(fluid, fluid.w, dt)});
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
}
