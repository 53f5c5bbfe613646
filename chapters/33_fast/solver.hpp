// The whole fluid on a staggered grid, in one header that needs the standard library and Eigen.
// Names follow Normoyle's tutorial and the chapters before; numbers are doubles, as hers are.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <utility>
#include <vector>

/// A point in space, or a velocity.
struct Vector {
    double x, y, z;
};

/// Numbers on a block of nx x ny x nz points: one for every cell, or one for every face that looks
/// along one axis. They lie row after row in one array: i runs right and fastest, j runs down, k
/// runs away from you. Unlike in the chapters before there are no wall cells: all count from 0.
struct Field {
    int nx, ny, nz;
    Vector origin;  ///< where point (0, 0, 0) lies, in cells from the corner of the box
    std::vector<double> values;

    Field(int columns, int rows, int layers, Vector first)
        : nx(columns), ny(rows), nz(layers), origin(first), values(columns * rows * layers, 0.0) {}

    /// Where point (i, j, k) lies in the array. Beyond the block there is nothing: a debug build
    /// stops.
    int IX(int i, int j, int k) const {
        assert(0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz);
        return i + nx * (j + ny * k);
    }
    double& operator()(int i, int j, int k) { return values[IX(i, j, k)]; }
    double operator()(int i, int j, int k) const { return values[IX(i, j, k)]; }
};

/// The ways to solve for the pressure.
enum class Solver { DIRECT, CONJUGATE_GRADIENTS, GAUSS_SEIDEL };

/// How a solution went.
struct Solved {
    /// The length of b - A p over that of b: at the start, then after each iteration. (The direct
    /// solver has only a start and an end.)
    std::vector<double> residuals;
    /// How far b is from adding up to 0 in each closed region, over the sum of its sizes: 0 where
    /// there is a solution. Else no pressure can do what was asked, and p solves for the b without
    /// its average.
    double imbalance = 0.0;
};

/// A, taken apart once into factors that solve at once for any b.
struct Factors {
    std::vector<double> solid;  ///< the solid cells that A was made for
    std::shared_ptr<const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> ldlt;
};

/// The state of the fluid in a closed box of nx x ny x nz cells, and the numbers that steer it.
/// Each size must be at least 1.
struct Fluid {
    int nx, ny, nz;
    double h = 1.0;  ///< the width of a cell: lengths, and so velocities, are in this unit
    double rho = 1.0;  ///< what a unit of volume of the fluid weighs (not the dye)
    double force_x = 0.0, force_y = 0.0, force_z = 0.0;  ///< change of velocity in a second
    bool midpoint = false;  ///< trace back in two half steps, instead of the tutorial's one
    Solver solver = Solver::DIRECT;
    double tolerance = 1e-10;  ///< conjugate gradients stop at this residual
    int iterations = 1000;  ///< no solver takes more iterations than this

    Field u;  ///< velocity to the right, on the X faces: u(i, j, k) is left of cell (i, j, k)
    Field v;  ///< velocity down, on the Y faces: v(i, j, k) is above cell (i, j, k)
    Field w;  ///< velocity away from you, on the Z faces: w(i, j, k) is before cell (i, j, k)
    Field density;  ///< how much dye a cell holds, at its centre: 0 is none
    Field pressure;  ///< what the last projection pushed with, at the centres
    Field solid;  ///< 1 where a cell is solid, 0 where it holds fluid
    Solved solved;  ///< how the last projection went
    Factors factors;  ///< kept from step to step: A depends on the walls alone

    Fluid(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), u(nx + 1, ny, nz, {0.0, 0.5, 0.5}),
          v(nx, ny + 1, nz, {0.5, 0.0, 0.5}), w(nx, ny, nz + 1, {0.5, 0.5, 0.0}),
          density(nx, ny, nz, {0.5, 0.5, 0.5}), pressure(density), solid(density) {}
};

/// Names a cell by its column and its row. It may lie in a wall, or outside.
struct Cell {
    int i, j;
};

/// The cell under the mouse at (x, y), in pixels from the grid's upper left corner, where a cell is
/// `cell_size` pixels wide. Left of the grid or above it the answer is negative, so it must be
/// rounded down: cutting the decimals off would bring those points into cell 0.
inline Cell cell_from_mouse(float x, float y, float cell_size) {
    return {static_cast<int>(std::floor(x / cell_size)),
            static_cast<int>(std::floor(y / cell_size))};
}

/// Says whether (i, j, k) is a cell of the box that holds fluid. All that lies outside is wall.
inline bool is_fluid(const Field& solid, int i, int j, int k) {
    return 0 <= i && i < solid.nx && 0 <= j && j < solid.ny && 0 <= k && k < solid.nz &&
           solid(i, j, k) == 0.0;
}

/// Stops the flow through walls: a face stays open only if there is fluid on both of its sides.
inline void set_bnd(Fluid& fluid) {
    const Field& solid = fluid.solid;
    for (int k = 0; k <= fluid.nz; ++k) {
        for (int j = 0; j <= fluid.ny; ++j) {
            for (int i = 0; i <= fluid.nx; ++i) {
                const bool here = is_fluid(solid, i, j, k);
                if (j < fluid.ny && k < fluid.nz && !(here && is_fluid(solid, i - 1, j, k))) {
                    fluid.u(i, j, k) = 0.0;
                }
                if (i < fluid.nx && k < fluid.nz && !(here && is_fluid(solid, i, j - 1, k))) {
                    fluid.v(i, j, k) = 0.0;
                }
                if (i < fluid.nx && j < fluid.ny && !(here && is_fluid(solid, i, j, k - 1))) {
                    fluid.w(i, j, k) = 0.0;
                }
            }
        }
    }
}

/// Adds dye to cell (i, j, k). A solid cell, or one outside, is left alone.
inline void add_density(Fluid& fluid, int i, int j, int k, double amount) {
    if (is_fluid(fluid.solid, i, j, k)) {
        fluid.density(i, j, k) += amount;
    }
}

/// Pushes the fluid in cell (i, j, k): half of the push goes to each of its two faces along an
/// axis, unless there is a wall. A solid cell, or one outside, is left alone.
inline void add_velocity(Fluid& fluid, int i, int j, int k, Vector push) {
    const Field& solid = fluid.solid;
    if (!is_fluid(solid, i, j, k)) {
        return;
    }
    fluid.u(i, j, k) += is_fluid(solid, i - 1, j, k) ? 0.5 * push.x : 0.0;
    fluid.u(i + 1, j, k) += is_fluid(solid, i + 1, j, k) ? 0.5 * push.x : 0.0;
    fluid.v(i, j, k) += is_fluid(solid, i, j - 1, k) ? 0.5 * push.y : 0.0;
    fluid.v(i, j + 1, k) += is_fluid(solid, i, j + 1, k) ? 0.5 * push.y : 0.0;
    fluid.w(i, j, k) += is_fluid(solid, i, j, k - 1) ? 0.5 * push.z : 0.0;
    fluid.w(i, j, k + 1) += is_fluid(solid, i, j, k + 1) ? 0.5 * push.z : 0.0;
}

/// Two neighbours in a row of n, and what each of them counts.
struct Between {
    int i0, i1;
    double s0, s1;
};

/// Finds the neighbours of place x, counted in points from the first. Beyond the first or the last
/// point their own value goes on. (A comparison with NaN is false: even that ends inside.)
inline Between between(double x, int n) {
    x = std::max(0.0, std::min(x, n - 1.0));
    const int i0 = static_cast<int>(x);
    const double s1 = x - i0;
    return {i0, std::min(i0 + 1, n - 1), 1.0 - s1, s1};
}

/// The value of a field at any place of the box, from the eight points around it.
inline double interpolate(const Field& field, double h, Vector place) {
    const auto [i0, i1, r0, r1] = between(place.x / h - field.origin.x, field.nx);
    const auto [j0, j1, s0, s1] = between(place.y / h - field.origin.y, field.ny);
    const auto [k0, k1, t0, t1] = between(place.z / h - field.origin.z, field.nz);
    return t0 * (s0 * (r0 * field(i0, j0, k0) + r1 * field(i1, j0, k0)) +
                 s1 * (r0 * field(i0, j1, k0) + r1 * field(i1, j1, k0))) +
           t1 * (s0 * (r0 * field(i0, j0, k1) + r1 * field(i1, j0, k1)) +
                 s1 * (r0 * field(i0, j1, k1) + r1 * field(i1, j1, k1)));
}

/// The full velocity at any place of the box. Its three parts live on different faces, so at a face
/// one of them is stored and the other two are averages.
inline Vector velocity_at(const Fluid& fluid, Vector place) {
    return {interpolate(fluid.u, fluid.h, place), interpolate(fluid.v, fluid.h, place),
            interpolate(fluid.w, fluid.h, place)};
}

/// Where that which arrives at `place` was `dt` seconds ago: one straight step upstream (Normoyle,
/// the advection step). With `midpoint`, the velocity half-way is taken for the whole step: the
/// path then bends with the flow (Runge and Kutta's second order).
inline Vector trace_back(const Fluid& fluid, Vector place, double dt) {
    Vector velocity = velocity_at(fluid, place);
    if (fluid.midpoint) {
        velocity =
            velocity_at(fluid, {place.x - 0.5 * dt * velocity.x, place.y - 0.5 * dt * velocity.y,
                                place.z - 0.5 * dt * velocity.z});
    }
    return {place.x - dt * velocity.x, place.y - dt * velocity.y, place.z - dt * velocity.z};
}

/// Carries `d0` along the flow of `fluid` for `dt` seconds into `d`: each of its points, be it the
/// centre of a cell or of a face, takes the value from where the flow comes from. `d` must be
/// neither `d0` nor a part of `fluid`'s velocity.
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
    const Fluid before = fluid;
    advect(before, fluid.u, before.u, dt);
    advect(before, fluid.v, before.v, dt);
    advect(before, fluid.w, before.w, dt);
    set_bnd(fluid);
}

/// Carries the dye. Solid cells hold none: where they had a share in what was read, it is made up
/// by the others.
inline void advect_density(Fluid& fluid, double dt) {
    const Field density_before = fluid.density;
    Field share_of_solid = fluid.solid;
    advect(fluid, fluid.density, density_before, dt);
    advect(fluid, share_of_solid, fluid.solid, dt);
    for (std::size_t cell = 0; cell < fluid.density.values.size(); ++cell) {
        const double share = 1.0 - share_of_solid.values[cell];
        if (fluid.solid.values[cell] != 0.0 || share <= 0.0) {
            fluid.density.values[cell] = 0.0;
        } else {
            fluid.density.values[cell] /= share;
        }
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
/// are stored right on its faces, one cell apart: nothing is skipped, as it was in 07_project.
inline double divergence_at(const Fluid& fluid, int i, int j, int k) {
    return (fluid.u(i + 1, j, k) - fluid.u(i, j, k) + fluid.v(i, j + 1, k) - fluid.v(i, j, k) +
            fluid.w(i, j, k + 1) - fluid.w(i, j, k)) /
           fluid.h;
}

/// The six neighbours of a cell, as steps from it.
inline constexpr int neighbours[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                         {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};

/// The fluid cells among a cell's six neighbours.
struct Around {
    int count;  ///< how many there are
    double sum;  ///< and what p adds up to in them
};

inline Around around(const Field& solid, const Field& p, int i, int j, int k) {
    Around found = {0, 0.0};
    for (const auto& [di, dj, dk] : neighbours) {
        if (is_fluid(solid, i + di, j + dj, k + dk)) {
            ++found.count;
            found.sum += p(i + di, j + dj, k + dk);
        }
    }
    return found;
}

/// The matrix A of the equations A p = b, one row and one column for each cell: on the diagonal the
/// number of its fluid neighbours, and -1 in the column of each. Nothing flows through a wall, so a
/// wall has no pressure to ask for. A solid cell's row is empty, and so is that of a cell walled in
/// on every side (Normoyle, the rules for cells next to a boundary).
inline Eigen::SparseMatrix<double> assemble_matrix(const Field& solid) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < solid.nz; ++k) {
        for (int j = 0; j < solid.ny; ++j) {
            for (int i = 0; i < solid.nx; ++i) {
                if (!is_fluid(solid, i, j, k)) {
                    continue;
                }
                for (const auto& [di, dj, dk] : neighbours) {
                    if (is_fluid(solid, i + di, j + dj, k + dk)) {
                        const int row = solid.IX(i, j, k);
                        entries.emplace_back(row, row, 1.0);  // entries of one place add up
                        entries.emplace_back(row, solid.IX(i + di, j + dj, k + dk), -1.0);
                    }
                }
            }
        }
    }
    const int cells = solid.nx * solid.ny * solid.nz;
    Eigen::SparseMatrix<double> matrix(cells, cells);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

/// A times p, without A: a row is short, and known by looking at the neighbours.
inline void apply_matrix(const Field& solid, const Field& p, Field& result) {
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const Around found = around(solid, p, i, j, k);
                result(i, j, k) =
                    is_fluid(solid, i, j, k) ? found.count * p(i, j, k) - found.sum : 0.0;
            }
        }
    }
}

/// What the pressure must undo, in each cell, into b: b = -rho h^2 / dt times the divergence. It
/// comes from asking that u - dt / (rho h) times the difference of p be free of divergence. (The
/// tutorial prints rho under the line: at rho = 1 nobody sees it.)
inline void right_hand_side(const Fluid& fluid, Field& b, double dt) {
    const double scale = -fluid.rho * fluid.h * fluid.h / dt;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                b(i, j, k) = scale * divergence_at(fluid, i, j, k);
            }
        }
    }
}

/// Gives cell (i, j, k), and all fluid that can be reached from it without crossing a wall, this
/// number.
inline void spread_number(const Field& solid, std::vector<int>& region, int i, int j, int k,
                          int number) {
    std::vector<std::array<int, 3>> to_visit = {{i, j, k}};
    region[solid.IX(i, j, k)] = number;
    while (!to_visit.empty()) {
        const auto [ci, cj, ck] = to_visit.back();
        to_visit.pop_back();
        for (const auto& [di, dj, dk] : neighbours) {
            const std::array<int, 3> next = {ci + di, cj + dj, ck + dk};
            if (is_fluid(solid, next[0], next[1], next[2]) &&
                region[solid.IX(next[0], next[1], next[2])] != number) {
                region[solid.IX(next[0], next[1], next[2])] = number;
                to_visit.push_back(next);
            }
        }
    }
}

/// Numbers the regions of fluid that walls keep apart, from 0: for each cell its region, or -1 if
/// it is solid. Within a region the pressure hangs together; between two, nothing ties it.
inline std::vector<int> find_regions(const Field& solid) {
    std::vector<int> region(solid.values.size(), -1);
    int regions = 0;
    for (int k = 0; k < solid.nz; ++k) {
        for (int j = 0; j < solid.ny; ++j) {
            for (int i = 0; i < solid.nx; ++i) {
                if (is_fluid(solid, i, j, k) && region[solid.IX(i, j, k)] < 0) {
                    spread_number(solid, region, i, j, k, regions);
                    ++regions;
                }
            }
        }
    }
    return region;
}

/// Takes the average of each region out of x. Answers the largest sum that a region had, over the
/// sum of its sizes: 0 if each added up to 0 already, 1 if a region's values all had one sign.
inline double remove_averages(const std::vector<int>& region, Field& x) {
    const int regions = region.empty() ? 0 : *std::max_element(region.begin(), region.end()) + 1;
    std::vector<double> sum(regions, 0.0), size(regions, 0.0), cells(regions, 0.0);
    for (std::size_t cell = 0; cell < region.size(); ++cell) {
        if (region[cell] >= 0) {
            sum[region[cell]] += x.values[cell];
            size[region[cell]] += std::abs(x.values[cell]);
            cells[region[cell]] += 1.0;
        }
    }
    for (std::size_t cell = 0; cell < region.size(); ++cell) {
        if (region[cell] >= 0) {
            x.values[cell] -= sum[region[cell]] / cells[region[cell]];
        }
    }
    double largest = 0.0;
    for (int r = 0; r < regions; ++r) {
        if (size[r] > 0.0) {
            largest = std::max(largest, std::abs(sum[r]) / size[r]);
        }
    }
    return largest;
}

/// Solves A p = b at once, by Eigen's factors A = L D L^T.
///
/// A alone has none: it cannot tell p from p plus a constant, so some pivot in D is 0. One cell of
/// each region therefore gets 1 more on its diagonal. Adding up the region's equations, all else
/// cancels, and what remains says that the pressure of that one cell is the sum of b, 0. So no
/// equation is changed by it. Rows that are empty get their 1 as well.
inline void solve_direct(const Field& solid, const std::vector<int>& region, Field& p,
                         const Field& b, Factors& factors) {
    if (factors.ldlt == nullptr || factors.solid != solid.values) {
        Eigen::SparseMatrix<double> matrix = assemble_matrix(solid);
        int next = 0;
        for (int cell = 0; cell < matrix.rows(); ++cell) {
            const bool first_of_region = region[cell] == next;
            if (first_of_region || region[cell] < 0) {
                matrix.coeffRef(cell, cell) += 1.0;
                next += first_of_region ? 1 : 0;
            }
        }
        factors.ldlt =
            std::make_shared<const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>>(matrix);
        factors.solid = solid.values;
    }
    const Eigen::VectorXd solution =
        factors.ldlt->solve(Eigen::VectorXd::Map(b.values.data(), b.nx * b.ny * b.nz));
    p.values.assign(solution.begin(), solution.end());
}

/// The sum of the products of two fields' values.
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

/// Solves A p = b by conjugate gradients, from p = 0 (Hestenes and Stiefel 1952). p goes along one
/// direction after the other, each time just as far as lowers the error the most; and each
/// direction is chosen so that it does not spoil what the earlier ones have won. Answers the
/// residuals.
inline std::vector<double> conjugate_gradients(const Field& solid, Field& p, const Field& b,
                                               double tolerance, int iterations) {
    std::fill(p.values.begin(), p.values.end(), 0.0);
    Field r = b;  // what is still to be done: b - A p
    Field direction = r;
    Field a_direction = r;
    double rr = dot(r, r);
    const double start = rr;
    std::vector<double> residuals = {start > 0.0 ? 1.0 : 0.0};
    while (residuals.back() > tolerance && static_cast<int>(residuals.size()) <= iterations) {
        apply_matrix(solid, direction, a_direction);
        const double length = rr / dot(direction, a_direction);
        add_scaled(p, length, direction);
        add_scaled(r, -length, a_direction);
        const double rr_before = rr;
        rr = dot(r, r);
        for (std::size_t cell = 0; cell < r.values.size(); ++cell) {
            direction.values[cell] = r.values[cell] + rr / rr_before * direction.values[cell];
        }
        residuals.push_back(std::sqrt(rr / start));
    }
    return residuals;
}

/// How far p is from solving A p = b: the length of b - A p.
inline double residual(const Field& solid, const Field& p, const Field& b) {
    Field r = b;
    apply_matrix(solid, p, r);
    for (std::size_t cell = 0; cell < r.values.size(); ++cell) {
        r.values[cell] = b.values[cell] - r.values[cell];
    }
    return std::sqrt(dot(r, r));
}

/// Solves A p = b approximately by Gauss-Seidel relaxation, from p = 0: each cell in turn is set to
/// what its own equation asks for, given its neighbours as they are now. Answers the residuals.
inline std::vector<double> lin_solve(const Field& solid, Field& p, const Field& b, double tolerance,
                                     int iterations) {
    std::fill(p.values.begin(), p.values.end(), 0.0);
    const double start = residual(solid, p, b);
    std::vector<double> residuals = {start > 0.0 ? 1.0 : 0.0};
    while (residuals.back() > tolerance && static_cast<int>(residuals.size()) <= iterations) {
        for (int k = 0; k < p.nz; ++k) {
            for (int j = 0; j < p.ny; ++j) {
                for (int i = 0; i < p.nx; ++i) {
                    const Around found = around(solid, p, i, j, k);
                    if (is_fluid(solid, i, j, k) && found.count > 0) {
                        p(i, j, k) = (b(i, j, k) + found.sum) / found.count;
                    }
                }
            }
        }
        residuals.push_back(residual(solid, p, b) / start);
    }
    return residuals;
}

/// Solves A p = b in whatever way fluid.solver says, and takes the p whose average is 0 in each
/// region: A leaves that open. A b that does not add up to 0 there has no solution; then
/// fluid.solved.imbalance tells, and p solves for b without its average.
inline void solve_pressure(Fluid& fluid, Field b) {
    const std::vector<int> region = find_regions(fluid.solid);
    fluid.solved.imbalance = remove_averages(region, b);
    Field& p = fluid.pressure;
    if (fluid.solver == Solver::CONJUGATE_GRADIENTS) {
        fluid.solved.residuals =
            conjugate_gradients(fluid.solid, p, b, fluid.tolerance, fluid.iterations);
    } else if (fluid.solver == Solver::GAUSS_SEIDEL) {
        fluid.solved.residuals = lin_solve(fluid.solid, p, b, fluid.tolerance, fluid.iterations);
    } else {
        solve_direct(fluid.solid, region, p, b, fluid.factors);
        const double start = std::sqrt(dot(b, b));
        fluid.solved.residuals = {1.0, start > 0.0 ? residual(fluid.solid, p, b) / start : 0.0};
    }
    remove_averages(region, p);
}

/// Pushes the fluid from high pressure to low, across every face that is open.
inline void subtract_gradient(Fluid& fluid, double dt) {
    const double scale = dt / (fluid.rho * fluid.h);
    const Field& p = fluid.pressure;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                if (!is_fluid(fluid.solid, i, j, k)) {
                    continue;
                }
                if (is_fluid(fluid.solid, i - 1, j, k)) {
                    fluid.u(i, j, k) -= scale * (p(i, j, k) - p(i - 1, j, k));
                }
                if (is_fluid(fluid.solid, i, j - 1, k)) {
                    fluid.v(i, j, k) -= scale * (p(i, j, k) - p(i, j - 1, k));
                }
                if (is_fluid(fluid.solid, i, j, k - 1)) {
                    fluid.w(i, j, k) -= scale * (p(i, j, k) - p(i, j, k - 1));
                }
            }
        }
    }
}

/// Takes all divergence out of the velocity: finds the pressure whose push does so, and pushes.
inline void project(Fluid& fluid, double dt) {
    set_bnd(fluid);
    Field b = fluid.pressure;
    right_hand_side(fluid, b, dt);
    solve_pressure(fluid, b);
    subtract_gradient(fluid, dt);
}

/// Lets `dt` seconds pass (more than 0).
inline void step(Fluid& fluid, double dt) {
    advect_velocity(fluid, dt);
    add_force(fluid, dt);
    project(fluid, dt);
    advect_density(fluid, dt);
}

// ---- A closed box with nothing in it -----------------------------------------------------------

/// A number of either precision for every cell of a closed box in which nothing is solid. Cells lie
/// as in a Field. Each size must be at least 1.
template <class Number>
struct Box {
    int nx, ny, nz;
    std::vector<Number> values;

    Box(int columns, int rows, int layers)
        : nx(columns), ny(rows), nz(layers), values(columns * rows * layers, Number(0)) {}

    /// Where cell (i, j, k) lies in the array, which is also its row in A. Beyond the box there is
    /// nothing: a debug build stops.
    int IX(int i, int j, int k) const {
        assert(0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz);
        return i + nx * (j + ny * k);
    }
    Number& operator()(int i, int j, int k) { return values[IX(i, j, k)]; }
    Number operator()(int i, int j, int k) const { return values[IX(i, j, k)]; }
};

/// The same numbers in another precision.
template <class To, class From>
Box<To> converted(const Box<From>& from) {
    Box<To> to(from.nx, from.ny, from.nz);
    for (std::size_t cell = 0; cell < from.values.size(); ++cell) {
        to.values[cell] = static_cast<To>(from.values[cell]);
    }
    return to;
}

/// What a neighbour along each axis counts in a row of A: 1, but for the coarser boxes of
/// multigrid.
struct Weights {
    double x = 1.0, y = 1.0, z = 1.0;
};

/// The row of A for one cell, as it meets p: the number on the diagonal, and what all others of the
/// row take away, so that (A p) in this cell is diagonal * p - sum.
template <class Number>
struct Row {
    Number diagonal, sum;
};

/// Looks at the neighbours of cell (i, j, k). The only cell of a box has none: its row is empty.
template <class Number>
Row<Number> row_of(const Box<Number>& p, const Weights& weights, int i, int j, int k) {
    Row<Number> row = {Number(0), Number(0)};
    const auto add = [&](double weight, int ni, int nj, int nk) {
        row.diagonal += static_cast<Number>(weight);
        row.sum += static_cast<Number>(weight) * p(ni, nj, nk);
    };
    if (i > 0) {
        add(weights.x, i - 1, j, k);
    }
    if (i < p.nx - 1) {
        add(weights.x, i + 1, j, k);
    }
    if (j > 0) {
        add(weights.y, i, j - 1, k);
    }
    if (j < p.ny - 1) {
        add(weights.y, i, j + 1, k);
    }
    if (k > 0) {
        add(weights.z, i, j, k - 1);
    }
    if (k < p.nz - 1) {
        add(weights.z, i, j, k + 1);
    }
    return row;
}

/// Calls visit(i, j, k) for each cell of the box, in the order in which they lie.
template <class Number, class Visit>
void for_each_cell(const Box<Number>& box, Visit visit) {
    for (int k = 0; k < box.nz; ++k) {
        for (int j = 0; j < box.ny; ++j) {
            for (int i = 0; i < box.nx; ++i) {
                visit(i, j, k);
            }
        }
    }
}

/// What is still to be done, r = b - A p, in the precision of p.
template <class Number>
void find_residual(const Box<Number>& p, const Box<Number>& b, const Weights& weights,
                   Box<Number>& r) {
    for_each_cell(p, [&](int i, int j, int k) {
        const Row<Number> row = row_of(p, weights, i, j, k);
        r(i, j, k) = b(i, j, k) - (row.diagonal * p(i, j, k) - row.sum);
    });
}

/// The sum of the products of two boxes' values, added up in double.
template <class Number>
double sum_of_products(const Box<Number>& a, const Box<Number>& b) {
    double sum = 0.0;
    for (std::size_t cell = 0; cell < a.values.size(); ++cell) {
        sum += static_cast<double>(a.values[cell]) * b.values[cell];
    }
    return sum;
}

/// The rule by which all solvers stop, and are compared: the length of b - A p over that of b. It
/// is computed in double from whatever p is stored in, so that nobody is his own judge. 0 if b is
/// 0.
template <class Number>
double true_residual(const Box<Number>& p, const Box<double>& b) {
    double left = 0.0;
    for_each_cell(p, [&](int i, int j, int k) {
        const double here = p(i, j, k);
        double r = b(i, j, k);
        for (const auto& [di, dj, dk] : neighbours) {
            if (0 <= i + di && i + di < p.nx && 0 <= j + dj && j + dj < p.ny && 0 <= k + dk &&
                k + dk < p.nz) {
                r -= here - p(i + di, j + dj, k + dk);
            }
        }
        left += r * r;
    });
    const double all = sum_of_products(b, b);
    return all > 0.0 ? std::sqrt(left / all) : 0.0;
}

/// Takes the average out of x. Answers how far x was from adding up to 0, over the sum of its
/// sizes: 0 where it did, 1 if all values had one sign.
inline double take_out_average(Box<double>& x) {
    double sum = 0.0;
    double size = 0.0;
    for (const double value : x.values) {
        sum += value;
        size += std::abs(value);
    }
    for (double& value : x.values) {
        value -= sum / static_cast<double>(x.values.size());
    }
    return size > 0.0 ? std::abs(sum) / size : 0.0;
}

// ---- Sweeps ------------------------------------------------------------------------------------

/// One Jacobi sweep over A p = b: each cell goes `step` of the way to what its equation asks for,
/// given its neighbours as they were before the sweep (Jacobi 1845). With step = 1 a closed box
/// never lets go of the checkerboard: what is too high in the black cells is handed to the red ones
/// and back. Hence a bit less.
template <class Number>
void jacobi(Box<Number>& p, const Box<Number>& b, double step = 0.8) {
    const Box<Number> before = p;
    for_each_cell(p, [&](int i, int j, int k) {
        const Row<Number> row = row_of(before, {}, i, j, k);
        if (row.diagonal > 0) {
            const Number wanted = (b(i, j, k) + row.sum) / row.diagonal;
            p(i, j, k) += static_cast<Number>(step) * (wanted - before(i, j, k));
        }
    });
}

/// One Gauss-Seidel sweep over A p = b in the order in which the cells lie: each is set to what its
/// equation asks for, given its neighbours as they are now. 11_mac's lin_solve, one sweep of it.
template <class Number>
void gauss_seidel(Box<Number>& p, const Box<Number>& b) {
    for_each_cell(p, [&](int i, int j, int k) {
        const Row<Number> row = row_of(p, {}, i, j, k);
        if (row.diagonal > 0) {
            p(i, j, k) = (b(i, j, k) + row.sum) / row.diagonal;
        }
    });
}

/// One Gauss-Seidel sweep in another order: first all cells where i + j + k is even, the red ones,
/// then all others, the black ones. Red cells have only black neighbours, and black ones only red:
/// within a colour the order does not matter, so all could be set at once.
template <class Number>
void red_black(Box<Number>& p, const Box<Number>& b, const Weights& weights = {}) {
    for (const int colour : {0, 1}) {
        for_each_cell(p, [&](int i, int j, int k) {
            if ((i + j + k) % 2 == colour) {
                const Row<Number> row = row_of(p, weights, i, j, k);
                if (row.diagonal > 0) {
                    p(i, j, k) = (b(i, j, k) + row.sum) / row.diagonal;
                }
            }
        });
    }
}

/// One sweep of successive over-relaxation: as gauss_seidel, but each cell goes `omega` times as
/// far (Frankel 1950, Young 1954); from the first cell to the last, or `backwards`. From omega = 2
/// on it diverges.
template <class Number>
void over_relax(Box<Number>& p, const Box<Number>& b, double omega, bool backwards = false) {
    const int cells = static_cast<int>(p.values.size());
    for (int n = 0; n < cells; ++n) {
        const int cell = backwards ? cells - 1 - n : n;
        const int i = cell % p.nx;
        const int j = cell / p.nx % p.ny;
        const int k = cell / (p.nx * p.ny);
        const Row<Number> row = row_of(p, {}, i, j, k);
        if (row.diagonal > 0) {
            const Number wanted = (b(i, j, k) + row.sum) / row.diagonal;
            p(i, j, k) += static_cast<Number>(omega) * (wanted - p(i, j, k));
        }
    }
}

/// What a Jacobi sweep with step = 1 leaves of the smoothest error, a cosine over the longest side:
/// that mode's own factor to a good approximation (Rayleigh's quotient: the mode's x A x over its
/// x D x, where D is the diagonal of A). 0 for a single cell.
inline double jacobi_radius(int nx, int ny, int nz) {
    const double longest = std::max({nx, ny, nz});
    const double half_angle = std::numbers::pi / (2.0 * longest);
    double diagonal = 0.0;  // its average over the box, as the mode weighs it
    for (const int n : {nx, ny, nz}) {
        diagonal += 2.0 - 2.0 / n;
    }
    // At both ends of the longest side the mode is largest: a lost neighbour there weighs more.
    diagonal -= 2.0 / longest * (2.0 * std::pow(std::cos(half_angle), 2) - 1.0);
    return longest > 1.0 ? 1.0 - 4.0 * std::pow(std::sin(half_angle), 2) / diagonal : 0.0;
}

/// The omega with which over_relax converges the fastest, for a matrix whose Jacobi sweeps leave
/// the factor `radius` of the error (Young 1954).
inline double best_omega(double radius) {
    return 2.0 / (1.0 + std::sqrt(1.0 - radius * radius));
}

// ---- Conjugate gradients -----------------------------------------------------------------------

/// What conjugate gradients keep from one step to the next.
template <class Number>
struct Gradients {
    Box<Number> r;  ///< b - A p
    Box<Number> z;  ///< about what p lacks: r itself, or what a preconditioner makes of it
    Box<Number> direction, a_direction;
    double rz = 0.0;  ///< the sum of the products of r and z: 0 before the first step
};

/// One step of conjugate gradients, with a preconditioner: guess(r, z) puts into z, roughly, the
/// solution of A z = r. Plain conjugate gradients copy r. Before the first step p is 0, r is b, and
/// rz and direction are 0.
///
/// The factor for the old direction is Polak and Ribiere's, which still holds where the guess is
/// not quite symmetric, as a V-cycle's is not. Where nothing is left to do, nothing happens.
template <class Number, class Guess>
void gradient_step(Box<Number>& p, Gradients<Number>& now, Guess guess) {
    if (now.rz == 0.0) {
        guess(now.r, now.z);
        now.direction = now.z;
        now.rz = sum_of_products(now.r, now.z);
    }
    const Box<Number> nothing(p.nx, p.ny, p.nz);
    find_residual(now.direction, nothing, {}, now.a_direction);  // -A direction
    const double steepness = -sum_of_products(now.direction, now.a_direction);
    if (!(steepness > 0.0)) {
        return;
    }
    const double length = now.rz / steepness;
    for (std::size_t cell = 0; cell < p.values.size(); ++cell) {
        p.values[cell] += static_cast<Number>(length) * now.direction.values[cell];
        now.r.values[cell] += static_cast<Number>(length) * now.a_direction.values[cell];
    }
    guess(now.r, now.z);
    const double again = length * sum_of_products(now.z, now.a_direction) / now.rz;
    now.rz = sum_of_products(now.r, now.z);
    for (std::size_t cell = 0; cell < p.values.size(); ++cell) {
        now.direction.values[cell] =
            now.z.values[cell] + static_cast<Number>(again) * now.direction.values[cell];
    }
}

// ---- Multigrid ---------------------------------------------------------------------------------

/// One box of multigrid's pile: the equations A p = b there, and what is still to be done.
template <class Number>
struct Level {
    Weights weights;
    Box<Number> p, b, r;
};

/// The pile of boxes over one of nx x ny x nz cells: each has half as many cells along every side
/// as the one before, rounded up, until a single cell is left. All fill the same room, so that a
/// cell need not be a cube: along an axis, two cells exchange in proportion to the face between
/// them and against the distance of their centres.
template <class Number>
std::vector<Level<Number>> make_levels(int nx, int ny, int nz) {
    std::vector<Level<Number>> levels;
    const double columns = nx;
    const double rows = ny;
    const double layers = nz;
    while (true) {
        const double hx = columns / nx;
        const double hy = rows / ny;
        const double hz = layers / nz;
        const Box<Number> box(nx, ny, nz);
        levels.push_back({{hy * hz / hx, hx * hz / hy, hx * hy / hz}, box, box, box});
        if (nx == 1 && ny == 1 && nz == 1) {
            return levels;
        }
        nx = (nx + 1) / 2;
        ny = (ny + 1) / 2;
        nz = (nz + 1) / 2;
    }
}

/// Two neighbouring places of a coarse row, and the shares that a place of the fine one has in
/// them.
struct Shares {
    int first, second;
    double to_first, to_second;
};

/// How cell i of n lies over `coarse` cells that fill the same length: mostly within one of them,
/// which then is the first and the second; for an odd n sometimes across two.
inline Shares overlap(int i, int n, int coarse) {
    const int first = i * coarse / n;
    const int second = ((i + 1) * coarse - 1) / n;
    const double to_first =
        first == second ? 1.0 : (static_cast<double>(first + 1) * n - i * coarse) / coarse;
    return {first, second, to_first, 1.0 - to_first};
}

/// Which two of `coarse` cells the centre of cell i of n lies between, and how near to each: for an
/// even n 3/4 and 1/4. Beyond the last centre there is a wall, and the last value goes on.
inline Shares in_between(int i, int n, int coarse) {
    const double x = std::max(0.0, std::min((i + 0.5) * coarse / n - 0.5, coarse - 1.0));
    const int first = static_cast<int>(x);
    return {first, std::min(first + 1, coarse - 1), 1.0 - (x - first), x - first};
}

/// Hands the residual r down to a coarser box: each cell of `b` gets what the cells of r under it
/// add up to. So the sum over the box stays, and with it the solvability.
template <class Number>
void restrict_to(const Box<Number>& r, Box<Number>& b) {
    std::fill(b.values.begin(), b.values.end(), Number(0));
    for_each_cell(r, [&](int i, int j, int k) {
        const Shares x = overlap(i, r.nx, b.nx);
        const Shares y = overlap(j, r.ny, b.ny);
        const Shares z = overlap(k, r.nz, b.nz);
        for (const auto& [bi, sx] : {std::pair(x.first, x.to_first), {x.second, x.to_second}}) {
            for (const auto& [bj, sy] : {std::pair(y.first, y.to_first), {y.second, y.to_second}}) {
                for (const auto& [bk, sz] :
                     {std::pair(z.first, z.to_first), {z.second, z.to_second}}) {
                    b(bi, bj, bk) += static_cast<Number>(sx * sy * sz) * r(i, j, k);
                }
            }
        }
    });
}

/// Adds to p what a coarser box found to be missing, read in between its centres: (bi-,
/// tri-)linear. (Handing each cell down the number of the one above would be simpler; in 3D a
/// cycle would then leave more than half.)
template <class Number>
void prolong_from(const Box<Number>& coarse, Box<Number>& p) {
    for_each_cell(p, [&](int i, int j, int k) {
        const Shares x = in_between(i, p.nx, coarse.nx);
        const Shares y = in_between(j, p.ny, coarse.ny);
        const Shares z = in_between(k, p.nz, coarse.nz);
        double sum = 0.0;
        for (const auto& [ck, sz] : {std::pair(z.first, z.to_first), {z.second, z.to_second}}) {
            for (const auto& [cj, sy] : {std::pair(y.first, y.to_first), {y.second, y.to_second}}) {
                sum +=
                    sz * sy *
                    (x.to_first * coarse(x.first, cj, ck) + x.to_second * coarse(x.second, cj, ck));
            }
        }
        p(i, j, k) += static_cast<Number>(sum);
    });
}

/// One V-cycle on A p = b of levels[l], from the p that is there (Brandt 1977): some sweeps smooth
/// the error; what is left of it, smooth, can be seen on a coarser box, where the same is done and
/// costs a quarter (an eighth in 3D); the sweeps after smooth what the coarser box could not know.
/// The single cell at the top has nothing to solve.
template <class Number>
void v_cycle(std::vector<Level<Number>>& levels, std::size_t l, int before, int after) {
    if (l + 1 == levels.size()) {
        return;
    }
    Level<Number>& here = levels[l];
    Level<Number>& coarser = levels[l + 1];
    for (int sweep = 0; sweep < before; ++sweep) {
        red_black(here.p, here.b, here.weights);
    }
    find_residual(here.p, here.b, here.weights, here.r);
    restrict_to(here.r, coarser.b);
    std::fill(coarser.p.values.begin(), coarser.p.values.end(), Number(0));
    v_cycle(levels, l + 1, before, after);
    prolong_from(coarser.p, here.p);
    for (int sweep = 0; sweep < after; ++sweep) {
        red_black(here.p, here.b, here.weights);
    }
}

/// Corrects p by one V(1, 1)-cycle in another precision, float for example: what is still to be
/// done is found in the precision of p, handed over as a right-hand side of its own, and what comes
/// back is added. The cycle need not be exact: what it leaves, the next one is given. So p gets as
/// exact as its own precision allows, while most of the work is done in the other.
template <class Number, class Other>
void refine(Box<Number>& p, const Box<Number>& b, std::vector<Level<Other>>& levels) {
    Box<Number> r(p.nx, p.ny, p.nz);
    find_residual(p, b, {}, r);
    levels[0].b = converted<Other>(r);
    std::fill(levels[0].p.values.begin(), levels[0].p.values.end(), Other(0));
    v_cycle(levels, 0, 1, 1);
    for (std::size_t cell = 0; cell < p.values.size(); ++cell) {
        p.values[cell] += levels[0].p.values[cell];
    }
}

// ---- Cosines -----------------------------------------------------------------------------------

/// Turns the n numbers of a line into the amounts of n cosines in it, in place: the k-th is the sum
/// of line[i] cos(pi k (i + 1/2) / n). Or `back` again. It goes through one Fourier transform as
/// long as the line, whose numbers are put in another order first: those at even places, then those
/// at odd places from the last to the first (Makhoul 1980).
inline void cosine_transform(Eigen::FFT<double>& fft, std::vector<double>& line, bool back) {
    const int n = static_cast<int>(line.size());
    const auto place = [n](int m) { return 2 * m < n ? 2 * m : 2 * (n - m) - 1; };
    std::vector<std::complex<double>> mixed(n), waves(n);
    for (int m = 0; m < n && !back; ++m) {
        mixed[m] = line[place(m)];
    }
    if (!back) {
        fft.fwd(waves, mixed);
    }
    for (int k = 0; k < n; ++k) {
        const std::complex<double> turn = std::polar(1.0, std::numbers::pi * k / (2.0 * n));
        if (back) {
            waves[k] = turn * std::complex<double>(line[k], k > 0 ? -line[n - k] : 0.0);
        } else {
            line[k] = (std::conj(turn) * waves[k]).real();
        }
    }
    if (back) {
        fft.inv(mixed, waves);
    }
    for (int m = 0; m < n && back; ++m) {
        line[place(m)] = mixed[m].real();
    }
}

/// Transforms all lines of n cells of a box that run along an axis on which two neighbours lie
/// `stride` places apart in the array.
inline void transform_lines(Box<double>& box, int n, int stride, bool back) {
    Eigen::FFT<double> fft;
    std::vector<double> line(n);
    for (int cell = 0; cell < static_cast<int>(box.values.size()) && n > 1; ++cell) {
        if (cell / stride % n != 0) {
            continue;  // not the first of its line
        }
        for (int m = 0; m < n; ++m) {
            line[m] = box.values[cell + m * stride];
        }
        cosine_transform(fft, line, back);
        for (int m = 0; m < n; ++m) {
            box.values[cell + m * stride] = line[m];
        }
    }
}

/// Solves A p = b at once, to rounding. The cosines that fit into the box with whole half waves are
/// A's eigenvectors: A only multiplies each, by the sum over the axes of 4 sin^2(pi k / 2n). So b
/// is taken apart into cosines, each is divided by its number, and they are put together again. The
/// cosine with k = 0 on every axis is the constant, which A cannot see: p gets none.
inline void solve_by_cosines(Box<double>& p, const Box<double>& b) {
    const auto number = [](int k, int n) {
        return 4.0 * std::pow(std::sin(std::numbers::pi * k / (2.0 * n)), 2);
    };
    p = b;
    transform_lines(p, p.nx, 1, false);
    transform_lines(p, p.ny, p.nx, false);
    transform_lines(p, p.nz, p.nx * p.ny, false);
    for_each_cell(p, [&](int i, int j, int k) {
        const double times = number(i, p.nx) + number(j, p.ny) + number(k, p.nz);
        p(i, j, k) = times > 0.0 ? p(i, j, k) / times : 0.0;
    });
    transform_lines(p, p.nx, 1, true);
    transform_lines(p, p.ny, p.nx, true);
    transform_lines(p, p.nz, p.nx * p.ny, true);
}

// ---- The race ----------------------------------------------------------------------------------

/// The ways to solve A p = b in a closed box, from the simplest to the best.
enum class Method {
    JACOBI,
    GAUSS_SEIDEL,
    RED_BLACK,
    OVER_RELAXATION,
    CONJUGATE_GRADIENTS,
    RELAXED_GRADIENTS,  ///< conjugate gradients; over-relaxation there and back guesses
    MULTIGRID,
    MULTIGRID_GRADIENTS,  ///< conjugate gradients; a V-cycle guesses
    REFINED,  ///< multigrid in float, its residual in double: p should be double as well
    COSINES,
    FACTORS  ///< 11_mac's direct solver
};

/// A solver under way: what it has, and how it went.
template <class Number>
struct Attempt {
    Method method;
    Box<double> exact_b;  ///< b without its average
    Box<Number> b;  ///< the same, as the solver sees it
    Box<Number> p;  ///< how far it has come; it begins at 0
    double imbalance = 0.0;  ///< how far b was from adding up to 0 (see take_out_average)
    std::vector<double> residuals;  ///< the true ones: at the start, then after each iteration
    std::vector<double>
        work;  ///< what that took up to then, in sweeps (each looks once at each cell)
    Gradients<Number> gradients;
    std::vector<Level<Number>> levels;
    std::vector<Level<float>> float_levels;
    double omega = 1.0;
};

/// Gets a solver ready, which may take memory, but no work yet.
template <class Number>
Attempt<Number> start(Method method, const Box<double>& b) {
    const Box<Number> zero(b.nx, b.ny, b.nz);
    Attempt<Number> attempt = {method, b, zero, zero, 0.0, {}, {}, {zero, zero, zero, zero},
                               {},     {}};
    attempt.imbalance = take_out_average(attempt.exact_b);
    attempt.b = converted<Number>(attempt.exact_b);
    attempt.residuals = {true_residual(attempt.p, attempt.exact_b)};
    attempt.work = {0.0};
    attempt.gradients.r = attempt.b;
    attempt.omega = best_omega(jacobi_radius(b.nx, b.ny, b.nz));
    if (method == Method::MULTIGRID || method == Method::MULTIGRID_GRADIENTS) {
        attempt.levels = make_levels<Number>(b.nx, b.ny, b.nz);
    }
    if (method == Method::REFINED) {
        attempt.float_levels = make_levels<float>(b.nx, b.ny, b.nz);
    }
    return attempt;
}

/// What a V(1, 1)-cycle costs, in sweeps of the finest box: two sweeps, a residual, and as much
/// again for going down and up, on each level.
template <class Number>
double cycle_work(const std::vector<Level<Number>>& levels) {
    double cells = 0.0;
    for (const Level<Number>& level : levels) {
        cells += static_cast<double>(level.p.values.size());
    }
    return levels.empty() ? 0.0 : 4.0 * cells / static_cast<double>(levels[0].p.values.size());
}

/// Puts into z, roughly, the solution of A z = r: by over-relaxation from the first cell to the
/// last and back, by a V-cycle, or, for plain conjugate gradients, by taking r as it is. Answers
/// the work.
template <class Number>
double guess(Attempt<Number>& attempt, const Box<Number>& r, Box<Number>& z) {
    if (attempt.method == Method::CONJUGATE_GRADIENTS) {
        z = r;
        return 0.0;
    }
    std::fill(z.values.begin(), z.values.end(), Number(0));
    if (attempt.method == Method::RELAXED_GRADIENTS) {
        over_relax(z, r, attempt.omega);
        over_relax(z, r, attempt.omega, true);
        return 2.0;
    }
    attempt.levels[0].b = r;
    attempt.levels[0].p = z;
    v_cycle(attempt.levels, 0, 1, 1);
    z = attempt.levels[0].p;
    return cycle_work(attempt.levels);
}

/// Solves with the direct solver of 11_mac. Answers the work: how often its factors are longer
/// than the box has cells, there and back.
template <class Number>
double solve_by_factors(Attempt<Number>& attempt) {
    const Field solid(attempt.p.nx, attempt.p.ny, attempt.p.nz, {0.5, 0.5, 0.5});
    Field p = solid;
    Field b = solid;
    b.values = attempt.exact_b.values;
    Factors factors;
    solve_direct(solid, std::vector<int>(b.values.size(), 0), p, b, factors);
    for (std::size_t cell = 0; cell < p.values.size(); ++cell) {
        attempt.p.values[cell] = static_cast<Number>(p.values[cell]);
    }
    return 2.0 * static_cast<double>(factors.ldlt->matrixL().nestedExpression().nonZeros()) /
           static_cast<double>(b.values.size());
}

/// Solves by cosines. Answers the work: a Fourier transform looks at each cell once for each
/// halving of the box, there and back.
template <class Number>
double solve_at_once(Attempt<Number>& attempt) {
    Box<double> exact = attempt.exact_b;
    solve_by_cosines(exact, attempt.exact_b);
    attempt.p = converted<Number>(exact);
    return 2.0 * std::log2(static_cast<double>(exact.values.size()) + 1.0);
}

/// Lets the solver do one iteration. Answers the work.
template <class Number>
double iterate(Attempt<Number>& attempt) {
    Box<Number>& p = attempt.p;
    double guessing = 0.0;
    switch (attempt.method) {
        case Method::JACOBI:
            jacobi(p, attempt.b);
            return 1.0;
        case Method::GAUSS_SEIDEL:
            gauss_seidel(p, attempt.b);
            return 1.0;
        case Method::RED_BLACK:
            red_black(p, attempt.b);
            return 1.0;
        case Method::OVER_RELAXATION:
            over_relax(p, attempt.b, attempt.omega);
            return 1.0;
        case Method::MULTIGRID:
            attempt.levels[0].b = attempt.b;
            std::swap(attempt.levels[0].p, p);
            v_cycle(attempt.levels, 0, 1, 1);
            std::swap(attempt.levels[0].p, p);
            return cycle_work(attempt.levels);
        case Method::REFINED:
            refine(p, attempt.b, attempt.float_levels);
            return cycle_work(attempt.float_levels) + 1.0;
        case Method::COSINES:
            return solve_at_once(attempt);
        case Method::FACTORS:
            return solve_by_factors(attempt);
        default:
            gradient_step(p, attempt.gradients, [&](const Box<Number>& r, Box<Number>& z) {
                guessing += guess(attempt, r, z);
            });
            return 2.0 + guessing;  // A once, and six passes over its boxes for another look
    }
}

/// Lets the solver do one iteration, and writes down how far it has come.
template <class Number>
void advance(Attempt<Number>& attempt) {
    const double work = iterate(attempt);
    attempt.work.push_back(attempt.work.back() + work);
    attempt.residuals.push_back(true_residual(attempt.p, attempt.exact_b));
}

/// Solves A p = b in the given way, from p = 0, until the residual is at most `tolerance`, or after
/// so many iterations. A b that does not add up to 0 has no solution: the answer's imbalance tells,
/// and its p then solves for b without its average.
template <class Number>
Attempt<Number> solve(Method method, const Box<double>& b, double tolerance, int iterations) {
    Attempt<Number> attempt = start<Number>(method, b);
    while (attempt.residuals.back() > tolerance &&
           static_cast<int>(attempt.residuals.size()) <= iterations) {
        advance(attempt);
    }
    return attempt;
}

/// Takes all divergence out of the velocity of a fluid in a box without solid cells, as project
/// does, by V-cycles, until the residual is at most fluid.tolerance. The box may be as large as
/// memory allows: the work for a cell does not grow with it.
inline void project_by_multigrid(Fluid& fluid, double dt) {
    set_bnd(fluid);
    Field divergence = fluid.pressure;
    right_hand_side(fluid, divergence, dt);
    Box<double> b(fluid.nx, fluid.ny, fluid.nz);
    b.values = divergence.values;
    const Attempt<double> attempt =
        solve<double>(Method::MULTIGRID, b, fluid.tolerance, fluid.iterations);
    fluid.pressure.values = attempt.p.values;
    fluid.solved.residuals = attempt.residuals;
    fluid.solved.imbalance = attempt.imbalance;
    subtract_gradient(fluid, dt);
}
