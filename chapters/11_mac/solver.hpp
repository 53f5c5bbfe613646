// The whole fluid on a staggered grid, in one header that needs the standard library and Eigen.
// Names follow Normoyle's tutorial and the chapters before; numbers are doubles, as hers are.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
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
