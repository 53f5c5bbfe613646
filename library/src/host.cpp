// The backend that computes here: rows are shared out among threads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "common/memory.hpp"
#include "common/parallel.hpp"
#include "library/src/backend.hpp"
#include "library/src/rows.hpp"
#include "stable_fluids.h"

namespace box {
namespace {

/// The widest rows that this processor can do.
const Rows& rows_here() {
#ifdef STABLE_FLUIDS_WIDTHS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
        return rows_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return rows_avx2;
    }
#endif
    return rows_base;
}

/// How many places an extent has; 0 if it is empty along an axis.
std::ptrdiff_t places_in(const Extent& over) {
    const auto along = [](Range range) {
        return static_cast<std::ptrdiff_t>(std::max(0, range.last - range.first + 1));
    };
    return along(over.x) * along(over.y) * along(over.z);
}

/// Which rows of an extent a thread does: from `begin` to before `end`, counted j first, then k.
struct Part {
    int begin, end;
};

class Host : public Backend {
  public:
    explicit Host(int threads) : pool(threads), rows(rows_here()) {}

    void check_room(double bytes) override {
        const double there = workbook::physical_memory();
        if (there > 0.0 && bytes > there) {
            char words[160];
            std::snprintf(
                words, sizeof words,
                "the fluid would take %.1f GiB, and this machine has %.1f GiB of memory: make "
                "nx, ny or nz smaller",
                bytes / 1073741824.0, there / 1073741824.0);
            throw Failure(STABLE_FLUIDS_OUT_OF_MEMORY, words);
        }
    }

    float* allocate(std::size_t count) override {
        constexpr std::align_val_t line{64};
        float* data = static_cast<float*>(::operator new(count * sizeof(float), line));
        std::memset(data, 0, count * sizeof(float));
        return data;
    }
    void release(float* data) noexcept override { ::operator delete (data, std::align_val_t{64}); }

    void clear(float* data, std::size_t count) override {
        std::memset(data, 0, count * sizeof(float));
    }
    void copy(float* to, const float* from, std::size_t count) override {
        std::memcpy(to, from, count * sizeof(float));
    }
    void upload(float* to, const float* from, std::size_t count) override { copy(to, from, count); }
    void download(float* to, const float* from, std::size_t count) override {
        copy(to, from, count);
    }

    void run(const AddScaled& op) override { each(op, rows.add_scaled); }
    void run(const Scale& op) override { each(op, rows.scale); }
    void run(const SetBnd& op) override { each(op, rows.set_bnd); }
    void run(const Restrict& op) override { each(op, rows.restrict_to); }
    void run(const Prolong& op) override { each(op, rows.prolong); }
    void run(const Advect& op) override { each(op, rows.advect); }
    void run(const Correct& op) override { each(op, rows.correct); }
    void run(const Divergence& op) override { each(op, rows.divergence); }
    void run(const Gradient& op) override { each(op, rows.gradient); }
    void run(const Speed& op) override { each(op, rows.speed); }
    void run(const Vorticity& op) override { each(op, rows.vorticity); }
    void run(const Confine& op) override { each(op, rows.confine); }
    void run(const Residual& op) override {
        for_rows(op.equations.over(), [&](int j, int k, Part) { rows.residual(op, j, k); });
    }

    /// The colours follow each other layer by layer (in a flat box, row by row), while both are
    /// still in cache (parallel::wavefront). Where the last layer has the first one for a
    /// neighbour, they cannot: then they are done one after the other.
    void relax(Relax op, int sweeps, const SetBnd* wraps, int count) override {
        const Extent over = op.equations.over();
        const bool deep = op.equations.deep;
        for (int n = 0; n < count; ++n) {
            if (wraps[n].axis == (deep ? 2 : 1)) {
                relax_apart(op, sweeps, wraps, count);
                return;
            }
        }
        const Range along = deep ? over.z : over.y;
        const int units = std::max(0, along.last - along.first + 1);
        parallel::ThreadPool& who = places_in(over) < few ? alone : pool;
        const parallel::Partition partition(units, who.threads(), 2 * sweeps);
        parallel::wavefront(who, units, 2 * sweeps, [&](int stage, int unit, int) {
            Relax half = op;
            half.colour = stage % 2;
            // Only at first is somebody else at work on the next layer.
            relax_unit(half, along.first + unit, wraps, count,
                       stage > 0 || !partition.is_at_border(unit));
        });
    }

    double sum(const Value& op) override { return add_up(op.over, op, rows.sum); }
    double squares(const FaceValue& op) override {
        return add_up(op.over, op, rows.squares_of_faces);
    }
    double squares(const Residual& op) override {
        return add_up(op.equations.over(), op, rows.squares_of_residual);
    }
    double squares(const Divergence& op) override {
        return add_up(op.over, op, rows.squares_of_divergence);
    }
    double largest(const Value& op) override {
        const int count = fill_partial(op.over, op, rows.largest);
        double largest = 0.0;
        for (int row = 0; row < count; ++row) {
            largest = partial[row] <= largest ? largest : partial[row];
            if (!(largest == largest)) {
                break;
            }
        }
        return largest;
    }

    void wait() override {}
    bool on_device() const override { return false; }
    void* stream() const override { return nullptr; }

  private:
    /// Fewer places are not worth waking the other threads up for.
    static constexpr int few = 16000;

    /// Half a sweep over a layer, or over a row of a flat box.
    void relax_unit(const Relax& op, int unit, const SetBnd* wraps, int count, bool by_itself) {
        const Extent over = op.equations.over();
        const bool deep = op.equations.deep;
        for (int n = 0; n < count; ++n) {
            const SetBnd& wrap = wraps[n];
            const Range rows_there = deep ? wrap.over.y : Range{unit, unit};
            for (int j = rows_there.first; j <= rows_there.last; ++j) {
                rows.set_bnd(wrap, j, deep ? unit : 0);
            }
        }
        const Range rows_here = deep ? over.y : Range{unit, unit};
        for (int j = rows_here.first; j <= rows_here.last; ++j) {
            rows.relax(op, j, deep ? unit : over.z.first, by_itself);
        }
    }

    void relax_apart(Relax op, int sweeps, const SetBnd* wraps, int count) {
        const Extent over = op.equations.over();
        const int ny = over.y.last - over.y.first + 1;
        const int reach = op.equations.deep ? ny : 1;  // rows that far away are neighbours
        for (int half = 0; half < 2 * sweeps; ++half) {
            for (int n = 0; n < count; ++n) {
                run(wraps[n]);
            }
            op.colour = half % 2;
            for_rows(over, [&](int j, int k, Part part) {
                const int row = (k - over.z.first) * ny + (j - over.y.first);
                const bool inner = row - part.begin >= reach && part.end - row > reach;
                rows.relax(op, j, k, inner || (part.begin == 0 && part.end == rows_of(over)));
            });
        }
    }

    static int rows_of(const Extent& over) {
        return std::max(0, over.y.last - over.y.first + 1) *
               std::max(0, over.z.last - over.z.first + 1);
    }

    /// Calls work(j, k, part) for each row.
    template <class Work>
    void for_rows(const Extent& over, const Work& work) {
        const int count = rows_of(over);
        const int parts =
            places_in(over) < few ? 1 : std::clamp(pool.threads(), 1, std::max(1, count / 2));
        const int ny = over.y.last - over.y.first + 1;
        parallel::parallel_for(pool, count, parts, [&](int begin, int end) {
            for (int row = begin; row < end; ++row) {
                work(over.y.first + row % ny, over.z.first + row / ny, Part{begin, end});
            }
        });
    }

    template <class Op>
    void each(const Op& op, void (*row)(const Op&, int, int)) {
        for_rows(op.over, [&](int j, int k, Part) { row(op, j, k); });
    }

    /// Fills `partial` with what `row` returns for each row. Returns how many rows there are.
    template <class Op>
    int fill_partial(const Extent& over, const Op& op, double (*row)(const Op&, int, int)) {
        const int count = rows_of(over);
        const int ny = over.y.last - over.y.first + 1;
        if (partial.size() < static_cast<std::size_t>(count)) {
            partial.resize(static_cast<std::size_t>(count));
        }
        for_rows(over, [&](int j, int k, Part) {
            partial[(k - over.z.first) * ny + (j - over.y.first)] = row(op, j, k);
        });
        return count;
    }

    template <class Op>
    double add_up(const Extent& over, const Op& op, double (*row)(const Op&, int, int)) {
        const int count = fill_partial(over, op, row);
        double sum = 0.0;
        for (int n = 0; n < count; ++n) {
            sum += partial[n];
        }
        return sum;
    }

    parallel::ThreadPool pool;
    parallel::ThreadPool alone{1};
    const Rows& rows;
    std::vector<double> partial;  ///< one for each row, so that they are added up in one order
};

}  // namespace

std::unique_ptr<Backend> make_host(int threads) {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return std::make_unique<Host>(threads > 0 ? threads : cores);
}

}  // namespace box
