// Three contestants of the race that no earlier chapter's solver has: cosines, the library, and
// iterative refinement with the library inside. They are given: nobody needs to write them. Include
// solver.hpp first.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "stable_fluids.h"

// ---- Cosines -----------------------------------------------------------------------------------

/// Which number of a line of n comes m-th before its Fourier transform: those at even places, then
/// those at odd places from the last to the first (Makhoul 1980).
inline int mixed_place(int m, int n) {
    return 2 * m < n ? 2 * m : 2 * (n - m) - 1;
}

/// exp(i pi k / 2n), which turns Fourier's waves into cosines that are half a cell further.
inline std::complex<double> half_turn(int k, int n) {
    return std::polar(1.0, std::acos(-1.0) * k / (2.0 * n));
}

/// The discrete cosine transform of the n numbers of a line, in place: number k becomes the sum of
/// line[i] cos(pi k (i + 1/2) / n). It goes through one Fourier transform as long as the line.
inline void cosine_transform(Eigen::FFT<double>& fft, std::vector<double>& line) {
    const int n = static_cast<int>(line.size());
    std::vector<std::complex<double>> mixed(n), waves(n);
    for (int m = 0; m < n; ++m) {
        mixed[m] = line[mixed_place(m, n)];
    }
    fft.fwd(waves, mixed);
    for (int k = 0; k < n; ++k) {
        line[k] = (std::conj(half_turn(k, n)) * waves[k]).real();
    }
}

/// Undoes cosine_transform.
inline void transform_back(Eigen::FFT<double>& fft, std::vector<double>& line) {
    const int n = static_cast<int>(line.size());
    std::vector<std::complex<double>> mixed(n), waves(n);
    for (int k = 0; k < n; ++k) {
        waves[k] = half_turn(k, n) * std::complex<double>(line[k], k > 0 ? -line[n - k] : 0.0);
    }
    fft.inv(mixed, waves);
    for (int m = 0; m < n; ++m) {
        line[mixed_place(m, n)] = mixed[m].real();
    }
}

/// Does transform(fft, line) to all lines of n cells that run along an axis on which two neighbours
/// lie `stride` places apart in the array.
template <class Transform>
void transform_lines(Field& field, int n, int stride, Transform transform) {
    if (n == 1) {
        return;  // such a line is its own transform
    }
    Eigen::FFT<double> fft;
    std::vector<double> line(n);
    for (int cell = 0; cell < static_cast<int>(field.values.size()); ++cell) {
        if (cell / stride % n != 0) {
            continue;  // not the first of its line
        }
        for (int m = 0; m < n; ++m) {
            line[m] = field.values[cell + m * stride];
        }
        transform(fft, line);
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
    transform_lines(p, p.nx, 1, cosine_transform);
    transform_lines(p, p.ny, p.nx, cosine_transform);
    transform_lines(p, p.nz, p.nx * p.ny, cosine_transform);
    for_each_point(p, [&](int i, int j, int k) {
        const double all = eigenvalue(i, p.nx) + eigenvalue(j, p.ny) + eigenvalue(k, p.nz);
        p(i, j, k) = all > 0.0 ? p(i, j, k) / all : 0.0;
    });
    transform_lines(p, p.nx, 1, transform_back);
    transform_lines(p, p.ny, p.nx, transform_back);
    transform_lines(p, p.nz, p.nx * p.ny, transform_back);
}

// ---- The library -------------------------------------------------------------------------------

/// The library as a solver of A p = rhs, by V-cycles in float. It has no function for one equation
/// alone, but a step contains one. In a fluid at rest whose cells are 1 m wide, a step of 1 s makes
/// the divergence what is prescribed, rhs, and then A times the pressure is rhs.
class LibrarySolver {
  public:
    /// For fields of the size of `like`. A solution takes as many V-cycles as `cycles` says, 1 to
    /// 1000, or fewer if the divergence falls to `tolerance` times rhs, or to where float ends.
    /// Throws std::bad_alloc if there is no room.
    LibrarySolver(const Field& like, double tolerance, int cycles, int threads)
        : fluid(nullptr, stable_fluids_destroy), values(like.values.size()) {
        stable_fluids_description description;
        stable_fluids_describe(&description);
        description.nx = like.nx;
        description.ny = like.ny;
        description.nz = like.nz;
        description.h = 1.0f;
        description.tolerance = static_cast<float>(tolerance);
        description.cycles = cycles;
        description.backend = STABLE_FLUIDS_HOST;
        description.threads = threads;
        stable_fluids* created = nullptr;
        check(stable_fluids_create(&description, &created));
        fluid.reset(created);
        const bool deep = like.nz > 1;
        for (const int field : {STABLE_FLUIDS_U, STABLE_FLUIDS_V, STABLE_FLUIDS_W}) {
            int shape[3] = {0, 0, 0};
            if (field != STABLE_FLUIDS_W || deep) {
                check(stable_fluids_shape(fluid.get(), field, shape));
            }
            rest[field].resize(static_cast<std::size_t>(shape[0]) * shape[1] * shape[2]);
        }
    }

    /// Sets p to the solution, whatever it was before. A rhs whose mean is not 0 has none: then p
    /// is that for rhs without its mean. Where rhs is 0 or not finite, p becomes 0.
    void solve(Field& p, const Field& rhs) {
        double largest = 0.0;
        for (const double value : rhs.values) {
            largest = std::max(largest, std::abs(value));
        }
        std::fill(p.values.begin(), p.values.end(), 0.0);
        if (!(largest > 0.0)) {
            return;
        }
        for (std::size_t cell = 0; cell < values.size(); ++cell) {
            // float has nothing below 1e-45
            values[cell] = static_cast<float>(rhs.values[cell] / largest);
        }
        if (!set(STABLE_FLUIDS_EXPANSION, values)) {
            return;
        }
        for (const int field : {STABLE_FLUIDS_U, STABLE_FLUIDS_V, STABLE_FLUIDS_W}) {
            if (!rest[field].empty()) {
                set(field, rest[field]);
            }
        }
        check(stable_fluids_step(fluid.get(), 1.0f, 1));
        check(
            stable_fluids_read(fluid.get(), STABLE_FLUIDS_PRESSURE, values.data(), values.size()));
        for (std::size_t cell = 0; cell < values.size(); ++cell) {
            p.values[cell] = largest * values[cell];
        }
    }

    /// The V-cycles of the last solution.
    int cycles() const {
        stable_fluids_statistics statistics;
        statistics.size = sizeof statistics;
        check(stable_fluids_statistics_of(fluid.get(), &statistics));
        return statistics.pressure_cycles;
    }

  private:
    static void check(stable_fluids_status status) {
        if (status != STABLE_FLUIDS_OK) {
            throw std::bad_alloc();  // nothing else can go wrong
        }
    }
    bool set(int field, const std::vector<float>& to) {
        return stable_fluids_set(fluid.get(), field, to.data(), to.size()) == STABLE_FLUIDS_OK;
    }

    std::unique_ptr<stable_fluids, decltype(&stable_fluids_destroy)> fluid;
    std::vector<float> values;
    std::vector<float> rest[3];  ///< u, v and w at rest
};

/// One iteration of iterative refinement: finds what p leaves of rhs, in double; lets the library
/// solve for it, in float; and adds that correction to p, in double.
inline void refine(const Matrix& A, LibrarySolver& solver, Field& p, const Field& rhs) {
    Field left = rhs;
    multiply(A, p, left);
    for (std::size_t cell = 0; cell < left.values.size(); ++cell) {
        left.values[cell] = rhs.values[cell] - left.values[cell];
    }
    Field correction = left;
    solver.solve(correction, left);
    add_scaled(p, 1.0, correction);
}
