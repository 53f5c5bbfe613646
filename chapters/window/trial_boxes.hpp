// Boxes on which solvers are tried: closed or open, with bodies, walls and water in them, and
// right-hand sides without any pattern.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// In a namespace of their own: the chapters have labels, too.
namespace trial {

/// What a cell is, inside of a box or beyond it: OPEN is where the pressure is given.
enum class Kind { FLUID, SOLID, OPEN };
using KindOf = std::function<Kind(int i, int j, int k)>;

/// The matrix of a box whose cells are what kind_of says. A face between two cells of fluid has the
/// weight 1, one of a solid 0, and one towards what is open `open_weight`.
inline Matrix matrix_of(int nx, int ny, int nz, const KindOf& kind_of, double open_weight = 1.0) {
    Matrix A(Field(nx, ny, nz, {0.5, 0.5, 0.5}));
    for_each_point(A.diagonal, [&](int i, int j, int k) {
        if (kind_of(i, j, k) != Kind::FLUID) {
            return;
        }
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            const Kind beside = kind_of(i + di, j + dj, k + dk);
            const double weight =
                beside == Kind::FLUID ? 1.0 : (beside == Kind::OPEN ? open_weight : 0.0);
            A.weight(side, i, j, k) = weight;
            A.diagonal(i, j, k) += weight;
        }
    });
    return A;
}

/// A box whose sides are closed, with what is_solid says in it.
inline Matrix closed(int nx, int ny, int nz,
                     const std::function<bool(int i, int j)>& is_solid = nullptr) {
    return matrix_of(nx, ny, nz, [&](int i, int j, int k) {
        const bool is_inside = 0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz;
        return is_inside && !(is_solid && is_solid(i, j)) ? Kind::FLUID : Kind::SOLID;
    });
}

/// A box that is open on the right.
inline Matrix outflow(int nx, int ny, int nz) {
    return matrix_of(nx, ny, nz, [&](int i, int j, int k) {
        const bool is_inside = 0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz;
        return is_inside ? Kind::FLUID : (i == nx ? Kind::OPEN : Kind::SOLID);
    });
}

/// A box that is open at its top.
inline Matrix open_top(int nx, int ny, int nz) {
    return matrix_of(nx, ny, nz, [&](int i, int j, int k) {
        const bool is_inside = 0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz;
        return is_inside ? Kind::FLUID : (j < 0 ? Kind::OPEN : Kind::SOLID);
    });
}

/// A street: n x n cells with a disc, open on the right.
inline Matrix street(int n) {
    return matrix_of(n, n, 1, [n](int i, int j, int k) {
        const bool is_inside = 0 <= i && i < n && 0 <= j && j < n && k == 0;
        const bool is_disc = std::hypot(i + 0.5 - 0.3 * n, j + 0.5 - 0.5 * n) < 0.1 * n;
        return is_inside && !is_disc ? Kind::FLUID : (i == n ? Kind::OPEN : Kind::SOLID);
    });
}

/// Water under air in n x n cells, with waves. Every face between them is cut at theta of its
/// cell's width, which makes its weight 1 / theta.
inline Matrix water(int n, double theta) {
    return matrix_of(
        n, n, 1,
        [n](int i, int j, int k) {
            const bool is_inside = 0 <= i && i < n && 0 <= j && j < n && k == 0;
            const bool is_air = j < n * (0.3 + 0.08 * std::sin(25.0 * i / n));
            return !is_inside ? Kind::SOLID : (is_air ? Kind::OPEN : Kind::FLUID);
        },
        1.0 / theta);
}

/// A wall from top to bottom, with an opening of n / 16 cells at its top.
inline Matrix wall_with_gap(int n) {
    return closed(n, n, 1, [n](int i, int j) { return i == n / 2 && j >= n / 16; });
}

/// A wall one cell thick at a column, with a gap of one cell at a row, or none if it is n.
inline Matrix thin_wall(int n, int column, int gap) {
    return closed(n, n, 1, [=](int i, int j) { return i == column && j != gap; });
}

/// A wall from corner to corner, of steps of one cell, which parts the box in two.
inline Matrix diagonal_wall(int n) {
    return closed(n, n, 1, [](int i, int j) { return i == j || i + 1 == j; });
}

/// Walls eight cells apart, with a gap of one cell between any two rooms.
inline Matrix lattice(int n) {
    return closed(n, n, 1, [](int i, int j) {
        return (i % 8 == 4 && j % 8 != 0) || (j % 8 == 4 && i % 8 != 0);
    });
}

/// Walls eight cells apart, with a gap on the right, on the left, on the right... One long way.
inline Matrix labyrinth(int n) {
    return closed(n, n, 1,
                  [n](int i, int j) { return j % 8 == 4 && i != (j % 16 == 4 ? n - 1 : 0); });
}

/// The next number of a row without any pattern, from -1 to 1, the same on every machine.
inline double next_random(std::uint32_t& seed) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
}

/// A solid in 30 of 100 cells, without any pattern.
inline Matrix random_solids(int n) {
    std::vector<bool> solids(static_cast<std::size_t>(n) * n);
    std::uint32_t seed = 3;
    for (std::size_t cell = 0; cell < solids.size(); ++cell) {
        solids[cell] = next_random(seed) < -0.4;
    }
    return closed(n, n, 1, [&](int i, int j) { return solids[i + n * j]; });
}

/// The points of one part of the fluid: all that can be reached from `start` through weights.
inline std::vector<std::size_t> part_from(const Matrix& A, std::vector<bool>& is_done, int start_i,
                                          int start_j, int start_k) {
    struct Place {
        int i, j, k;
    };
    const Field& points = A.diagonal;
    std::vector<Place> places = {{start_i, start_j, start_k}};
    is_done[points.IX(start_i, start_j, start_k)] = true;
    std::vector<std::size_t> found;
    for (std::size_t n = 0; n < places.size(); ++n) {
        const auto [i, j, k] = places[n];
        found.push_back(points.IX(i, j, k));
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            if (A.weight(side, i, j, k) != 0.0 && A.has(i + di, j + dj, k + dk) &&
                !is_done[points.IX(i + di, j + dj, k + dk)]) {
                is_done[points.IX(i + di, j + dj, k + dk)] = true;
                places.push_back({i + di, j + dj, k + dk});
            }
        }
    }
    return found;
}

/// Numbers without any pattern, for which A x = b has a solution: in each part of the fluid whose
/// equations add up to 0, so does b.
inline Field random_rhs(const Matrix& A, std::uint32_t seed = 11) {
    Field b = A.diagonal;
    for (double& value : b.values) {
        value = value != 0.0 ? next_random(seed) : 0.0;
    }
    Field left = A.diagonal;  // of each diagonal, less the weights within the fluid
    for_each_point(left, [&](int i, int j, int k) {
        for (int side = 0; side < 6; ++side) {
            const auto& [di, dj, dk] = neighbours[side];
            if (A.has(i, j, k) && A.has(i + di, j + dj, k + dk)) {
                left(i, j, k) -= A.weight(side, i, j, k);
            }
        }
    });
    std::vector<bool> is_done(b.values.size(), false);
    for_each_point(b, [&](int i, int j, int k) {
        if (!A.has(i, j, k) || is_done[b.IX(i, j, k)]) {
            return;
        }
        const std::vector<std::size_t> part = part_from(A, is_done, i, j, k);
        double sum = 0.0;
        double open = 0.0;
        for (const std::size_t point : part) {
            sum += b.values[point];
            open += left.values[point];
        }
        for (const std::size_t point : part) {
            b.values[point] -= open < 1e-9 ? sum / static_cast<double>(part.size()) : 0.0;
        }
    });
    return b;
}

/// Solves A x = b from 0 by gradients with any preconditioner, and returns the iterations.
template <class Preconditioner>
int iterations_of(const Matrix& A, const Field& b, double tolerance, Preconditioner precondition) {
    Field x = b;
    std::fill(x.values.begin(), x.values.end(), 0.0);
    const auto residuals = conjugate_gradients(A, x, b, tolerance, 5000, precondition);
    return static_cast<int>(residuals.size()) - 1;
}

/// The same with a cycle of multigrid.
inline int iterations_of_multigrid(const Matrix& A, const Field& b, double tolerance = 1e-6) {
    std::vector<Level> levels = make_levels(A);
    return iterations_of(A, b, tolerance,
                         [&](Field& z, const Field& r) { multigrid_cycle(levels, 0, z, r); });
}

}  // namespace trial
