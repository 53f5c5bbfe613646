// Three contestants of the race that no earlier chapter's solver has: cosines, iterative refinement
// (an exercise of 32_multigrid), and the library's fast multigrid, which the second one uses. They
// are given: nobody needs to write them.
// Include solver.hpp first.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "library/src/fast.hpp"

// ---- Cosines -----------------------------------------------------------------------------------

/// The discrete cosine transform of the n numbers of a line, in place: number k becomes the sum of
/// line[i] cos(pi k (i + 1/2) / n). Or `back` again. It goes through one Fourier transform as long
/// as the line, whose numbers are put in another order first: those at even places, then those at
/// odd places from the last to the first (Makhoul 1980).
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
        const std::complex<double> turn = std::polar(1.0, std::acos(-1.0) * k / (2.0 * n));
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

/// Transforms all lines of n cells that run along an axis on which two neighbours lie `stride`
/// places apart in the array.
inline void transform_lines(Field& field, int n, int stride, bool back) {
    Eigen::FFT<double> fft;
    std::vector<double> line(n);
    for (int cell = 0; cell < static_cast<int>(field.values.size()) && n > 1; ++cell) {
        if (cell / stride % n != 0) {
            continue;  // not the first of its line
        }
        for (int m = 0; m < n; ++m) {
            line[m] = field.values[cell + m * stride];
        }
        cosine_transform(fft, line, back);
        for (int m = 0; m < n; ++m) {
            field.values[cell + m * stride] = line[m];
        }
    }
}

/// Solves A p = rhs at once, to rounding, for a right-hand side whose mean is 0. The cosines that
/// fit into the box with whole half waves are A's eigenvectors, and their eigenvalues are known:
/// the sum over the axes of 4 sin^2(pi k / 2n). So rhs is taken apart into cosines, each is divided
/// by its eigenvalue, and they are put together again. The constant, whose eigenvalue is 0, stays
/// out.
inline void solve_by_cosines(Field& p, const Field& rhs) {
    const auto eigenvalue = [](int k, int n) {
        return 4.0 * std::pow(std::sin(std::acos(-1.0) * k / (2.0 * n)), 2);
    };
    p = rhs;
    transform_lines(p, p.nx, 1, false);
    transform_lines(p, p.ny, p.nx, false);
    transform_lines(p, p.nz, p.nx * p.ny, false);
    for (int k = 0; k < p.nz; ++k) {
        for (int j = 0; j < p.ny; ++j) {
            for (int i = 0; i < p.nx; ++i) {
                const double all = eigenvalue(i, p.nx) + eigenvalue(j, p.ny) + eigenvalue(k, p.nz);
                p(i, j, k) = all > 0.0 ? p(i, j, k) / all : 0.0;
            }
        }
    }
    transform_lines(p, p.nx, 1, true);
    transform_lines(p, p.ny, p.nx, true);
    transform_lines(p, p.nz, p.nx * p.ny, true);
}

// ---- Multigrid in float ------------------------------------------------------------------------

/// One iteration of iterative refinement: finds what p leaves of rhs, in double; solves for it to a
/// tenth, in float, by the library's multigrid; and adds that correction to p, in double. Returns
/// the work, in sweeps.
inline double refine(fast::Solver& solver, Field& p, const Field& rhs) {
    Field left = rhs;
    apply_matrix(p, left);
    double largest = 0.0;
    for (std::size_t cell = 0; cell < left.values.size(); ++cell) {
        left.values[cell] = rhs.values[cell] - left.values[cell];
        largest = std::max(largest, std::abs(left.values[cell]));
    }
    if (!(largest > 0.0)) {
        return 1.0;
    }
    std::vector<float> r, correction(left.values.size());
    for (const double value : left.values) {
        r.push_back(static_cast<float>(value / largest));  // float has nothing below 1e-45
    }
    fast::solve(solver, correction.data(), r.data(), 0.1);
    for (std::size_t cell = 0; cell < left.values.size(); ++cell) {
        p.values[cell] += largest * correction[cell];
    }
    return 1.0 + solver.work;
}
