// The whole fluid on a staggered grid, in one header that needs the standard library and Eigen.
// Its numbers are double, as in Normoyle's tutorial.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
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

    Field(int columns, int rows, int layers, Vector first)
        : nx(columns), ny(rows), nz(layers), origin(first), values(columns * rows * layers, 0.0) {}

    /// Returns the index of point (i, j, k) in the array. Outside the block, a debug build stops.
    int IX(int i, int j, int k) const {
        assert(0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz);
        return i + nx * (j + ny * k);
    }
    double& operator()(int i, int j, int k) { return values[IX(i, j, k)]; }
    double operator()(int i, int j, int k) const { return values[IX(i, j, k)]; }
};

/// The ways to solve for the pressure.
enum class Solver {
    GAUSS_SEIDEL,
    DIRECT,
    CONJUGATE_GRADIENTS,
    PRECONDITIONED,
    JACOBI,
    RED_BLACK,
    OVER_RELAXATION,
};

/// The matrix A of the pressure's equations as factors L D L^T, with which A p = b is solved at
/// once.
using Factors = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

/// The state of the fluid in a closed box of nx x ny x nz cells, and its parameters. Each size must
/// be at least 1.
struct Fluid {
    int nx, ny, nz;
    double h = 1.0;  ///< the width of a cell, in the unit of all lengths
    double rho = 1.0;  ///< the mass of a unit of volume of the fluid (not the dye)
    double force_x = 0.0, force_y = 0.0, force_z = 0.0;  ///< change of velocity in a second
    double tolerance = 1e-10;  ///< a solver stops once its residual is as small as this
    int iterations = 200;  ///< and after so many iterations at the latest
    Solver solver = Solver::OVER_RELAXATION;

    Field u;  ///< velocity to the right, on the X faces: u(i, j, k) is left of cell (i, j, k)
    Field v;  ///< velocity down, on the Y faces: v(i, j, k) is above cell (i, j, k)
    Field w;  ///< velocity away from you, on the Z faces: w(i, j, k) is before cell (i, j, k)
    Field density;  ///< how much dye a cell holds, at its centre: 0 is none
    Field pressure;  ///< of the last projection, at the centres: mass over length and squared time
    Field rhs;  ///< the right-hand side of its equations, see right_hand_side
    std::vector<double> residuals;  ///< of the pressure, before the first iteration and after each
    double compatibility_defect = 0.0;  ///< of the right-hand side: 0 if there is a solution
    std::shared_ptr<const Factors> factors;  ///< kept from step to step: A depends on the box alone

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
inline bool is_fluid(const Field& cells, int i, int j, int k) {
    return 0 <= i && i < cells.nx && 0 <= j && j < cells.ny && 0 <= k && k < cells.nz;
}

/// Stops the flow through the walls: nothing crosses the outermost faces of the box.
inline void set_bnd(Fluid& fluid) {
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            fluid.u(0, j, k) = fluid.u(fluid.nx, j, k) = 0.0;
        }
        for (int i = 0; i < fluid.nx; ++i) {
            fluid.v(i, 0, k) = fluid.v(i, fluid.ny, k) = 0.0;
        }
    }
    for (int j = 0; j < fluid.ny; ++j) {
        for (int i = 0; i < fluid.nx; ++i) {
            fluid.w(i, j, 0) = fluid.w(i, j, fluid.nz) = 0.0;
        }
    }
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
/// centre of a cell or of a face, gets the value at its departure point. `d` must be neither `d0`
/// nor a part of `fluid`'s velocity.
inline void advect(const Fluid& fluid, Field& d, const Field& d0, double dt) {
    const double h = fluid.h;
    for (int k = 0; k < d.nz; ++k) {
        for (int j = 0; j < d.ny; ++j) {
            for (int i = 0; i < d.nx; ++i) {
                const Vector place = {h * (i + d.origin.x), h * (j + d.origin.y),
                                      h * (k + d.origin.z)};
                d(i, j, k) = interpolate(d0, h, trace_back(fluid, place, dt));
            }
        }
    }
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
/// are stored right on its faces, one cell apart, so no face is skipped as in 07_project.
inline double divergence_at(const Fluid& fluid, int i, int j, int k) {
    return (fluid.u(i + 1, j, k) - fluid.u(i, j, k) + fluid.v(i, j + 1, k) - fluid.v(i, j, k) +
            fluid.w(i, j, k + 1) - fluid.w(i, j, k)) /
           fluid.h;
}

/// Fills fluid.rhs with the right-hand side of the pressure's equations, -rho h^2 / dt times the
/// divergence of each cell. It comes from asking that u - dt / (rho h) times the difference of p be
/// free of divergence. (The tutorial divides by rho. With rho = 1 this makes no difference.)
inline void right_hand_side(Fluid& fluid, double dt) {
    const double scale = -fluid.rho * fluid.h * fluid.h / dt;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                fluid.rhs(i, j, k) = scale * divergence_at(fluid, i, j, k);
            }
        }
    }
}

/// The six neighbours of a cell, as steps from it.
inline constexpr int neighbours[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                         {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};

/// A cell's neighbours in its equation: how many they are, and the sum of p in them.
struct NeighbourSum {
    int count;
    double sum;
};

/// Returns whether it is certain that all six neighbours of cell (i, j, k) are fluid, since no wall
/// is near. Then neighbour_sum need not look at each of them, which takes longer than the sum.
inline bool is_surrounded(const Field& p, int i, int j, int k) {
    return is_fluid(p, i - 1, j - 1, k - 1) && is_fluid(p, i + 1, j + 1, k + 1);
}

/// Looks at the neighbours of cell (i, j, k). Nothing flows through a wall, so a wall has no
/// pressure in the equations (Normoyle, the rules for cells next to a boundary).
inline NeighbourSum neighbour_sum(const Field& p, int i, int j, int k) {
    if (is_surrounded(p, i, j, k)) {
        return {6, p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) + p(i, j + 1, k) +
                       p(i, j, k - 1) + p(i, j, k + 1)};
    }
    NeighbourSum found = {0, 0.0};
    for (const auto& [di, dj, dk] : neighbours) {
        if (is_fluid(p, i + di, j + dj, k + dk)) {
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

/// One weighted Jacobi sweep: each cell goes `weight` of the way to what its equation asks for,
/// given its neighbours as they were before the sweep (Jacobi 1845). With weight = 1 a closed box
/// never loses a checkerboard: red and black cells exchange their values for ever.
inline void jacobi(Field& p, const Field& rhs, double weight = 0.8) {
    const Field before = p;
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const NeighbourSum found = neighbour_sum(before, i, j, k);
                if (found.count > 0) {
                    const double wanted = (rhs(i, j, k) + found.sum) / found.count;
                    p(i, j, k) += weight * (wanted - before(i, j, k));
                }
            }
        }
    }
}

/// One Gauss-Seidel sweep in another order: first all red cells, where i + j + k is even, then
/// all black ones. Red cells have only black neighbours, and black ones only red: within a colour
/// the order does not matter.
inline void red_black(Field& p, const Field& rhs) {
    for (const int colour : {0, 1}) {
        for (int k = 0; k < p.nz; ++k) {
            for (int j = 0; j < p.ny; ++j) {
                for (int i = (j + k + colour) % 2; i < p.nx; i += 2) {
                    const NeighbourSum found = neighbour_sum(p, i, j, k);
                    if (found.count > 0) {
                        p(i, j, k) = (rhs(i, j, k) + found.sum) / found.count;
                    }
                }
            }
        }
    }
}

/// One sweep of successive over-relaxation: as gauss_seidel, but each cell goes `omega` times as
/// far (Frankel 1950, Young 1954). From omega = 2 on it diverges.
inline void over_relax(Field& p, const Field& rhs, double omega) {
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const NeighbourSum found = neighbour_sum(p, i, j, k);
                if (found.count > 0) {
                    const double wanted = (rhs(i, j, k) + found.sum) / found.count;
                    p(i, j, k) += omega * (wanted - p(i, j, k));
                }
            }
        }
    }
}

/// The spectral radius of a Jacobi sweep with weight 1, the factor that it leaves of the smoothest
/// error, a cosine over the longest side of the box (Rayleigh's quotient of that cosine, a good
/// approximation). 0 for one cell or two, which have no such error.
inline double spectral_radius(int nx, int ny, int nz) {
    const double longest = std::max({nx, ny, nz});
    const double half_angle = std::acos(-1.0) / (2.0 * longest);
    double diagonal = 0.0;  // of A, its mean over the box, as the cosine weighs it
    for (const int n : {nx, ny, nz}) {
        diagonal += 2.0 - 2.0 / n;
    }
    // At both ends of the longest side the cosine is largest: a missing neighbour weighs more
    // there.
    diagonal -= 2.0 / longest * (2.0 * std::pow(std::cos(half_angle), 2) - 1.0);
    return std::max(0.0, 1.0 - 4.0 * std::pow(std::sin(half_angle), 2) / diagonal);
}

/// The omega with which over_relax converges the fastest, where a Jacobi sweep has the spectral
/// radius `radius` (Young 1954).
inline double best_omega(double radius) {
    return 2.0 / (1.0 + std::sqrt(1.0 - radius * radius));
}

/// Relaxes the pressure: sweeps of the kind that fluid.solver names, until the residual is at most
/// fluid.tolerance, or after fluid.iterations of them. Adds each residual to fluid.residuals.
inline void lin_solve(Fluid& fluid) {
    const double omega = best_omega(spectral_radius(fluid.nx, fluid.ny, fluid.nz));
    Field& p = fluid.pressure;
    std::vector<double>& residuals = fluid.residuals;
    while (residuals.back() > fluid.tolerance &&
           static_cast<int>(residuals.size()) <= fluid.iterations) {
        if (fluid.solver == Solver::JACOBI) {
            jacobi(p, fluid.rhs);
        } else if (fluid.solver == Solver::RED_BLACK) {
            red_black(p, fluid.rhs);
        } else if (fluid.solver == Solver::OVER_RELAXATION) {
            over_relax(p, fluid.rhs, omega);
        } else {
            gauss_seidel(p, fluid.rhs);
        }
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

/// The matrix A of the equations A p = rhs, one row and one column for each cell: on the diagonal
/// the number of its neighbours, and -1 in the column of each.
inline Eigen::SparseMatrix<double> assemble_matrix(const Field& p) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const int row = p.IX(i, j, k);
                for (const auto& [di, dj, dk] : neighbours) {
                    if (is_fluid(p, i + di, j + dj, k + dk)) {
                        entries.emplace_back(row, row, 1.0);  // entries of one place add up
                        entries.emplace_back(row, p.IX(i + di, j + dj, k + dk), -1.0);
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
/// sizes. Each column of A adds up to 0, so the values of A p add up to 0 for every p. 0 if it is
/// compatible, 1 if all its values have one sign.
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
/// the pressure of the first cell is the sum of the right-hand side, which is 0. So the added term
/// is 0, and no equation has changed.
inline std::shared_ptr<const Factors> factorize(const Field& p) {
    Eigen::SparseMatrix<double> matrix = assemble_matrix(p);
    matrix.coeffRef(0, 0) += 1.0;
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

/// Solves for the pressure, starting from 0. If the right-hand side is not compatible, its mean is
/// subtracted first. The result has the mean 0, since only differences of p matter.
inline void solve_pressure(Fluid& fluid) {
    Field& p = fluid.pressure;
    fluid.compatibility_defect = compatibility_defect(fluid.rhs);
    subtract_mean(fluid.rhs);
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
    subtract_mean(p);
}

/// Subtracts the gradient of the pressure: the fluid is pushed from high pressure to low, across
/// every face that is not a wall.
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
            }
        }
    }
}

/// Makes the velocity free of divergence: solves for the pressure whose gradient, times dt / rho,
/// has the same divergence, and subtracts this.
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
