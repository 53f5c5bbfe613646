// Given: what a rank's part of the box is, and what it can ask of the other ranks.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "solver.hpp"

/// One number for each axis: cells, ranks, or the place of a point.
using Three = std::array<int, 3>;

/// The points of a field from `begin` to one before `end` along each axis, by their places in the
/// field of the whole box. Where `end` is not beyond `begin`, there are none.
struct Points {
    Three begin, end;
};

/// How many points these are.
inline int count_points(const Points& points) {
    int count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        count *= std::max(0, points.end[axis] - points.begin[axis]);
    }
    return count;
}

/// The points that are among both.
inline Points intersection(const Points& a, const Points& b) {
    Points both;
    for (int axis = 0; axis < 3; ++axis) {
        both.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
        both.end[axis] = std::min(a.end[axis], b.end[axis]);
    }
    return both;
}

/// What one rank works on: a block of the box, as a fluid of its own. The block is the cells that
/// the rank owns, and up to `ghosts` layers of ghost cells around them, as far as the box reaches.
/// They hold copies of other ranks' cells. Where the block ends in the midst of the box, the
/// fluid's side is closed.
struct Part {
    Three n = {1, 1, 1};  ///< the cells of the whole box
    Three shares = {1, 1, 1};  ///< how many ranks share each axis
    int rank = 0;  ///< whose part this is: along x the ranks count fastest, along z slowest
    int ghosts = 1;  ///< layers of ghost cells
    Three first = {0, 0, 0};  ///< the block's first cell, by its place in the box
    std::array<Side, 6> sides;  ///< of the whole box
    Fluid fluid = Fluid(1, 1, 1);  ///< the block, as 31_smoke's functions take it
};

/// How many points more than cells a field has along each axis: 1 along that which the faces of u,
/// v or w look along.
inline Three extra_points(const Fluid& fluid, const Field& field) {
    return {field.nx - fluid.nx, field.ny - fluid.ny, field.nz - fluid.nz};
}

/// Calls action(i, j, k) for these points, row after row, by their places in the fields of the
/// part. The part must have them.
template <class Action>
void for_each_point_of(const Part& part, const Points& points, Action action) {
    const auto [x, y, z] = part.first;
    for (int k = points.begin[2] - z; k < points.end[2] - z; ++k) {
        for (int j = points.begin[1] - y; j < points.end[1] - y; ++j) {
            for (int i = points.begin[0] - x; i < points.end[0] - x; ++i) {
                action(i, j, k);
            }
        }
    }
}

/// One number in a row of a matrix, and the number of its column.
struct Entry {
    double column;  ///< a whole number
    double value;
};

/// All ranks, as one of them sees them. In the program each function is a call of MPI or of PETSc
/// (petsc.hpp), and in the tests the ranks are threads. From sum() on, all ranks must call the same
/// function, and it waits for them.
class Ranks {
  public:
    virtual ~Ranks() = default;
    virtual int count() const = 0;
    virtual int rank() const = 0;  ///< which of them this is, from 0 on

    /// Begins to send numbers to a rank. They must stay as they are until wait() returns. No
    /// numbers are no message.
    virtual void send(int to, const std::vector<double>& numbers) = 0;
    /// Begins to receive as many numbers from a rank as `numbers` has. They are there when wait()
    /// returns.
    virtual void receive(int from, std::vector<double>& numbers) = 0;
    /// Waits until all is sent and received that this rank has begun to send and to receive.
    virtual void wait() = 0;

    /// Makes each number the sum of this number over all ranks.
    virtual void sum(std::vector<double>& numbers) = 0;
    /// Returns the largest of all ranks' numbers.
    virtual double largest(double number) = 0;
    /// Returns whether something is true on any rank.
    bool any(bool is_true) { return largest(is_true ? 1.0 : 0.0) > 0.0; }
    /// Returns all ranks' lists, one after the other.
    virtual std::vector<double> join(const std::vector<double>& numbers) = 0;
    /// Solves A x = b for the whole box, from the values that the points of x have. Each rank gives
    /// the rows of its own points, see matrix_row, and gets x there. `name` is "pressure", "u",
    /// "v", "w" or "temperature". A of the pressure may be singular in part.fluid.closed. Stops as
    /// part.fluid says. Returns the relative residuals, before the first iteration and after each.
    virtual std::vector<double> solve(const Part& part, const std::string& name, const Matrix& A,
                                      Field& x, const Field& b) = 0;
};

/// The fields that make up a fluid's state, with the solids, sources and velocities given to it.
inline std::vector<Field*> state_of(Fluid& fluid) {
    return {&fluid.u,       &fluid.v,       &fluid.w,           &fluid.density,
            &fluid.smoke,   &fluid.solid,   &fluid.temperature, &fluid.source,
            &fluid.u_given, &fluid.v_given, &fluid.w_given,     &fluid.pressure};
}

/// The numbers that a fluid has beside its fields: its parameters, and what its last step says of
/// itself.
inline constexpr double Fluid::*numbers_of_fluid[] = {
    &Fluid::h,
    &Fluid::rho,
    &Fluid::nu,
    &Fluid::force_x,
    &Fluid::force_y,
    &Fluid::force_z,
    &Fluid::alpha,
    &Fluid::beta,
    &Fluid::kappa,
    &Fluid::cooling,
    &Fluid::epsilon,
    &Fluid::source_temperature,
    &Fluid::source_smoke,
    &Fluid::tolerance,
    &Fluid::gradient_factor,
    &Fluid::viscous_residual,
    &Fluid::heat_residual,
    &Fluid::compatibility_defect,
};

/// Gives a fluid the numbers of another, but neither its size nor its sides.
inline void copy_numbers(const Fluid& from, Fluid& to) {
    for (double Fluid::*number : numbers_of_fluid) {
        to.*number = from.*number;
    }
    to.iterations = from.iterations;
    to.advection = from.advection;
    to.reflects_next = from.reflects_next;
    to.residuals = from.residuals;
}

/// Gives the block the sides of the box where it reaches them.
inline void set_sides(Part& part) {
    const Three end = {part.first[0] + part.fluid.nx, part.first[1] + part.fluid.ny,
                       part.first[2] + part.fluid.nz};
    for (int axis = 0; axis < 3; ++axis) {
        const bool begins_box = part.first[axis] == 0;
        const bool ends_box = end[axis] == part.n[axis];
        part.fluid.sides[2 * axis] = begins_box ? part.sides[2 * axis] : Side();
        part.fluid.sides[2 * axis + 1] = ends_box ? part.sides[2 * axis + 1] : Side();
    }
}

/// Has the origins of the block's fields say where in the box they lie. So a place is the same
/// place on each rank, to the last bit.
inline void set_origins(Part& part) {
    Fluid& fluid = part.fluid;
    for (Field* field : {&fluid.u, &fluid.v, &fluid.w, &fluid.u_given, &fluid.v_given,
                         &fluid.w_given, &fluid.density, &fluid.temperature, &fluid.smoke,
                         &fluid.solid, &fluid.source, &fluid.pressure, &fluid.rhs}) {
        field->origin.x += part.first[0];
        field->origin.y += part.first[1];
        field->origin.z += part.first[2];
    }
}
