// What the race charges for an iteration of each solver, beside what is read and written when the
// solver runs; and how often lin_solve starts threads. For this the chapter is compiled with a
// vector whose values pass through a simulated cache, and with threads that are counted.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <Eigen/SparseCholesky>
#include <unsupported/Eigen/FFT>

#include "catch.hpp"

namespace counted {

using namespace std;

/// A cache for doubles, in lines of eight. What was not used for the longest time makes room.
class Cache {
  public:
    explicit Cache(size_t lines_at_once) : room(lines_at_once) {}

    /// Fetches the line that begins at `first` and has so many doubles, unless it is here.
    void touch(const double* first, size_t length) {
        const auto found = places.find(first);
        if (found != places.end()) {
            lines.splice(lines.begin(), lines, found->second);
            return;
        }
        moved += static_cast<double>(length);
        lines.push_front({first, std::vector<double>(first, first + length)});
        places[first] = lines.begin();
        if (lines.size() > room) {
            put_back(lines.back());
            places.erase(lines.back().first);
            lines.pop_back();
        }
    }

    /// An array of so many doubles is copied, filled or gone: none of its lines is here any more.
    void forget(const double* array, size_t size) {
        for (size_t n = 0; n < size; n += 8) {
            const auto found = places.find(array + n);
            if (found != places.end()) {
                put_back(*found->second);
                lines.erase(found->second);
                places.erase(found);
            }
        }
    }

    double moved = 0.0;  ///< doubles that were fetched from memory or written there

  private:
    struct Line {
        const double* first;
        std::vector<double> fetched;
    };

    /// A line is written only if a value in it has changed.
    void put_back(const Line& line) {
        if (!std::equal(line.fetched.begin(), line.fetched.end(), line.first)) {
            moved += static_cast<double>(line.fetched.size());
        }
    }

    size_t room;
    std::list<Line> lines;
    std::unordered_map<const double*, std::list<Line>::iterator> places;
};

inline Cache cache(1024);

/// A vector whose values pass through the cache, if they are doubles and there are many.
template <class T>
class vector : public std::vector<T> {
    using Base = std::vector<T>;

  public:
    using Base::Base;
    vector() = default;
    vector(const vector& other) : Base(other) {
        other.pass();
        pass();
    }
    vector(vector&&) noexcept = default;
    vector& operator=(const vector& other) {
        forget();
        Base::operator=(other);
        other.pass();
        pass();
        return *this;
    }
    vector& operator=(vector&& other) noexcept {
        forget();
        Base::operator=(std::move(other));
        return *this;
    }
    ~vector() { forget(); }

    typename Base::reference operator[](size_t n) {
        touch(n);
        return Base::operator[](n);
    }
    typename Base::const_reference operator[](size_t n) const {
        touch(n);
        return Base::operator[](n);
    }
    /// Who asks for this goes through all values.
    typename Base::iterator begin() {
        pass();
        return Base::begin();
    }
    typename Base::const_iterator begin() const {
        pass();
        return Base::begin();
    }

  private:
    bool is_counted() const { return std::is_same_v<T, double> && this->size() >= 512; }

    void touch(size_t n) const {
        if constexpr (std::is_same_v<T, double>) {
            if (is_counted()) {
                const size_t first = n / 8 * 8;
                cache.touch(this->data() + first, std::min<size_t>(8, this->size() - first));
            }
        }
    }
    void pass() const {
        if (is_counted()) {
            forget();
            cache.moved += static_cast<double>(this->size());
        }
    }
    void forget() const {
        if constexpr (std::is_same_v<T, double>) {
            if (is_counted()) {
                cache.forget(this->data(), this->size());
            }
        }
    }
};

inline int started = 0;

/// A thread that is counted when it starts.
class thread : public std::thread {
  public:
    template <class Work, class = std::enable_if_t<!std::is_same_v<std::decay_t<Work>, thread>>>
    explicit thread(Work&& work) : std::thread(std::forward<Work>(work)) {
        ++started;
    }
};

}  // namespace counted

#define std counted
#include "52_fast/solver.hpp"

#include "52_fast/lanes.hpp"
#undef std

namespace {

/// The doubles a cell that some work moves.
template <class Work>
double moved_by(const Fluid& fluid, Work work) {
    const double before = counted::cache.moved;
    work();
    return (counted::cache.moved - before) / static_cast<double>(fluid.nx * fluid.ny * fluid.nz);
}

/// How often conjugate gradients copy x, since its residual is at most half of that of the last
/// copy.
int copies(const std::vector<double>& residuals) {
    int count = 0;
    double kept = residuals.front();
    for (const double residual : residuals) {
        if (residual <= 0.5 * kept) {
            kept = residual;
            ++count;
        }
    }
    return count;
}

/// Those of an iteration of conjugate gradients: what six take more than three, without the copies
/// of the best x, 2 doubles a cell each.
template <class Precondition>
double moved_by_gradients(const Fluid& fluid, Precondition precondition) {
    const auto moved = [&](int iterations) {
        Field x = fluid.pressure;
        int copied = 0;
        const double all = moved_by(fluid, [&] {
            const auto residuals =
                conjugate_gradients(fluid.matrix, x, fluid.rhs, 0.0, iterations, precondition);
            copied = copies({residuals.begin(), residuals.end()});
        });
        return all - 2.0 * copied;
    };
    const double three = moved(3);
    return (moved(6) - three) / 3.0;
}

/// What an iteration moves besides: three doubles tell when to stop, of which the length of r has
/// one and the rounding error two, and the cache fetches the product before it is written.
constexpr double besides = 3.0 + 1.0;

/// A flat box or a deep one. A few rows or layers of all fields fit into the cache, and no field.
Fluid box(bool deep) {
    return race::prepared(deep ? Fluid(24, 24, 128) : Fluid(256, 512, 1), 0, 0.0);
}

/// What the race charges for an iteration, in doubles a cell.
double charged(const Fluid& fluid, Solver solver) {
    return race::work_of(fluid, solver) * race::doubles_of_sweep(fluid);
}

}  // namespace

TEST_CASE("a sweep's work is what it reads and writes") {
    for (const bool deep : {false, true}) {
        const Fluid fluid = box(deep);
        const Matrix& A = fluid.matrix;
        Field p = fluid.pressure;
        const auto sweeps = [&](Solver solver, auto sweep) {
            sweep();  // its last rows are still in the cache, as those of every other
            const double found = moved_by(fluid, sweep);
            INFO((deep ? "deep" : "flat") << " box, solver " << static_cast<int>(solver));
            CHECK_THAT(charged(fluid, solver), WithinAbs(found, 0.02 * found));
        };
        sweeps(Solver::GAUSS_SEIDEL, [&] { gauss_seidel(A, p, fluid.rhs); });
        sweeps(Solver::OVER_RELAXATION, [&] { over_relax(A, p, fluid.rhs, 1.5); });
        sweeps(Solver::RED_BLACK, [&] { red_black(A, p, fluid.rhs); });
        sweeps(Solver::JACOBI, [&] { jacobi(A, p, fluid.rhs); });
    }
}

TEST_CASE("the work of conjugate gradients is what an iteration reads and writes") {
    for (const bool deep : {false, true}) {
        Fluid fluid = box(deep);
        const Matrix& A = fluid.matrix;
        const auto gradients = [&](Solver solver, auto precondition) {
            const double found = moved_by_gradients(fluid, precondition) - besides;
            INFO((deep ? "deep" : "flat") << " box, solver " << static_cast<int>(solver));
            CHECK_THAT(charged(fluid, solver), WithinAbs(found, 0.02 * found));
        };
        gradients(Solver::CONJUGATE_GRADIENTS, [](Field& z, const Field& r) { z = r; });
        gradients(Solver::PRECONDITIONED,
                  [&](Field& z, const Field& r) { symmetric_gauss_seidel(A, z, r); });
    }
}

TEST_CASE("the work of multigrid is what an iteration reads and writes") {
    for (const bool deep : {false, true}) {
        // The coarser grids are visited twice, so they may not fit into the cache either: the boxes
        // are long, and for the narrow flat one the cache is smaller.
        counted::cache = counted::Cache(deep ? 1024 : 192);
        Fluid fluid = race::prepared(deep ? Fluid(24, 24, 256) : Fluid(128, 2048, 1), 0, 0.0);
        fluid.levels = make_levels(fluid.matrix);
        const auto cycle = [&](Field& z, const Field& r) {
            multigrid_cycle(fluid.levels, 0, z, r);
        };
        const double found = moved_by_gradients(fluid, cycle) - besides;
        INFO((deep ? "deep" : "flat") << " box");
        CHECK_THAT(charged(fluid, Solver::MULTIGRID), WithinAbs(found, 0.02 * found));
    }
}

TEST_CASE("the work of cosines is what they read and write") {
    for (const bool deep : {false, true}) {
        const Fluid fluid = box(deep);
        Field p = fluid.pressure;
        const double found = moved_by(fluid, [&] { solve_by_cosines(p, fluid.rhs); });
        INFO((deep ? "deep" : "flat") << " box");
        CHECK_THAT(race::work_of_cosines(fluid) * race::doubles_of_sweep(fluid),
                   WithinAbs(found, 0.02 * found));
    }
}

TEST_CASE("the program starts its threads once, however often it solves") {
    Fluid fluid = race::prepared(Fluid(40, 40, 1), 0, 0.0);
    fluid.solver = Solver::FUSED;
    fluid.iterations = 3;
    fluid.threads = 3;
    counted::started = 0;
    for (int step = 0; step < 4; ++step) {
        solve_pressure(fluid);
    }
    INFO("the caller is one of three threads: two are started, by the first of four solutions");
    CHECK(counted::started == 2);
    fluid.threads = 2;
    solve_pressure(fluid);
    solve_pressure(fluid);
    INFO("where another number is asked for they are started anew");
    CHECK(counted::started == 3);
    const parallel::ThreadPool* const none = &thread_pool(0);
    CHECK(none->threads() == 1);
    INFO("0 threads are one, the caller, and stay so");
    CHECK(&thread_pool(0) == none);
}
