// The backend that computes here: rows are shared out among threads.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common/memory.hpp"
#include "common/parallel.hpp"
#include "library/src/backend.hpp"
#include "library/src/large_pages.hpp"
#include "library/src/rows.hpp"
#include "library/src/threads.hpp"
#include "stable_fluids.h"

namespace box {

#ifdef STABLE_FLUIDS_GATHERS
namespace {

/// The same operations, but the one that reads here and there with gathers.
Rows with_gathers(Rows rows, const Gathers& gathers) {
    rows.correct = gathers.correct;
    return rows;
}

}  // namespace
#endif

int rows_that_run(const Rows* found[most_tables]) {
    int count = 0;
    found[count++] = &rows_base;
#ifdef STABLE_FLUIDS_WIDTHS
    const bool avx2 = __builtin_cpu_supports("avx2");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (avx2) {
        found[count++] = &rows_avx2;
#ifdef STABLE_FLUIDS_GATHERS
        static const Rows rows = with_gathers(rows_avx2, gathers_avx2);
        found[count++] = &rows;
#endif
    }
    if (avx512) {
        found[count++] = &rows_avx512;
#ifdef STABLE_FLUIDS_GATHERS
        static const Rows rows = with_gathers(rows_avx512, gathers_avx512);
        found[count++] = &rows;
#endif
    }
#endif
    return count;
}

namespace {

#ifdef STABLE_FLUIDS_GATHERS
/// Has both of them correct what a small whirl has carried, in turn, and returns the one whose best
/// time is less. It takes a few milliseconds.
const Rows& quicker_to_correct(const Rows& a, const Rows& b) {
    constexpr int n = 64;
    constexpr int row = n + 3;
    std::vector<float> memory(3 * row * row);
    const auto array = [&](int field) {
        return Array{memory.data() + field * row * row + row + 1, row, 0};
    };
    const Array u = array(0);
    const Array v = array(1);
    for (int j = -1; j <= n + 1; ++j) {
        for (int i = -1; i <= n + 1; ++i) {
            u(i, j, 0) = 3.0f * std::sin(0.3f * static_cast<float>(j));
            v(i, j, 0) = 3.0f * std::sin(0.3f * static_cast<float>(i));
        }
    }
    const Flow flow = {u, v, u, n, n, 1, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, false};
    const Correct op = {
        {{0, n - 1}, {0, n - 1}, {0, 0}}, flow, 1.0f, AT_CENTRE, 1, {array(2)}, {v}, {u}};
    using Clock = std::chrono::steady_clock;
    const Rows* const both[] = {&a, &b};
    Clock::duration best[] = {Clock::duration::max(), Clock::duration::max()};
    for (int round = 0; round < 8; ++round) {
        for (int one = 0; one < 2; ++one) {
            const Clock::time_point begin = Clock::now();
            for (int j = 0; j < n; ++j) {
                both[one]->correct(op, j, 0);
            }
            best[one] = std::min(best[one], Clock::now() - begin);
        }
    }
    return best[1] < best[0] ? b : a;
}
#endif

}  // namespace

const Rows& quickest_rows() {
    static const Rows& quickest = []() -> const Rows& {
        const Rows* found[most_tables];
        const int count = rows_that_run(found);
#ifdef STABLE_FLUIDS_GATHERS
        if (count > 1) {
            return quicker_to_correct(*found[count - 2], *found[count - 1]);
        }
#endif
        return *found[count - 1];
    }();
    return quickest;
}

namespace {

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
    explicit Host(int threads) : several(threads), rows(quickest_rows()) {}

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
        const std::size_t bytes = count * sizeof(float);
        float* data = memory.allocate(bytes);
        std::memset(data, 0, bytes);
        return data;
    }
    void release(float* data) noexcept override { memory.release(data); }

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

#define RUN(Op, name)                 \
    void run(const Op& op) override { \
        each(op, rows.name);          \
    }
#define RUN_AT_SOLIDS(Op, name)       \
    void run(const Op& op) override { \
        if constexpr (!is_small) {    \
            each(op, rows.name);      \
        }                             \
    }
    FOR_OPERATIONS(RUN)
    FOR_OPERATIONS_OF_SOLIDS(RUN_AT_SOLIDS)
#undef RUN
#undef RUN_AT_SOLIDS

    /// The colours follow each other layer by layer (in a flat box, row by row), while both are
    /// still in cache (parallel::wavefront). Where the last layer has the first one for a
    /// neighbour, they cannot: then they are done one after the other.
    void relax(Relax op, int sweeps, const SetBnd* wraps, int count) override {
        if (first_meets_last(is_deep(op), wraps, count)) {
            relax_apart(op, sweeps, wraps, count);
        } else {
            relax_in_wavefront(op, sweeps, wraps, count);
        }
    }
    void relax_cut(CutRelax op, int sweeps, const SetBnd* wraps, int count) override {
        if constexpr (!is_small) {
            if (first_meets_last(is_deep(op), wraps, count)) {
                Backend::relax_cut(op, sweeps, wraps, count);
            } else {
                relax_in_wavefront(op, sweeps, wraps, count);
            }
        }
    }

    /// All of it as the stages of one wavefront, so that the box goes through the cache once. As
    /// the first one touches no neighbour, every other stage has its unit for itself. It is done in
    /// parts instead where the wavefront would leave threads without work, where the last unit has
    /// the first one for a neighbour, or where two units do not make one of the coarser box.
    double smooth(const Smoothing& given) override {
        Smoothing op = given;
        const Equations& e = op.relax.equations;
        const Extent over = e.over();
        const Range along = e.deep ? over.z : over.y;
        const int units = std::max(0, along.last - along.first + 1);
        const Turn turn = turn_for(over);
        parallel::ThreadPool& who = turn.threads();
        const int most =
            sweeps_at_once(units, e.deep ? op.relax.x.layer : op.relax.x.row, who.threads());
        if (op.prolong == nullptr && op.sweeps > most) {
            relax(op.relax, op.sweeps - most, op.wraps, op.wrap_count);
            op.sweeps = most;
        }
        const int stages = 1 + 2 * op.sweeps + (op.look ? 1 : 0);
        const parallel::Partition partition(units, who.threads(), stages);
        bool in_parts = partition.parts < who.threads() || over.x.first > over.x.last;
        for (int n = 0; n < op.wrap_count; ++n) {
            in_parts = in_parts || op.wraps[n].axis == (e.deep ? 2 : 1);
        }
        if (op.restrict_to != nullptr) {
            const float ratio = e.deep ? op.restrict_to->ratio_z : op.restrict_to->ratio_y;
            in_parts = in_parts || (ratio != 1.0f && ratio != 2.0f);
        }
        if (in_parts) {
            return Backend::smooth(op);
        }
        const int count = rows_of(over);
        make_room_for_partials(count);
        const Relax halves[] = {coloured(op.relax, 0), coloured(op.relax, 1)};
        parallel::wavefront(who, units, stages, [&](int stage, int unit, int thread) {
            smooth_unit(op, halves, stage, unit, partition.border(thread));
        });
        if (!op.look) {
            for (int n = 0; n < op.wrap_count; ++n) {
                run(op.wraps[n]);
            }
        }
        return op.look && op.measure ? sum_of_partials(count) : 0.0;
    }

#define RUN_TO_ENDS(Op, name)                                     \
    void run_to_ends(const Op& op, const SetBnd& ends) override { \
        for_rows(op.over, [&](int j, int k, Part) {               \
            rows.name(op, j, k);                                  \
            rows.set_bnd(ends, j, k);                             \
        });                                                       \
    }
    FOR_OPERATIONS_TO_ENDS(RUN_TO_ENDS)
#undef RUN_TO_ENDS

    void begin_energies() override {
        energies = {};
    }
    void correct(const Correct& op, const Energy& energy) override {
        const int count = rows_of(op.over);
        const int ny = op.over.y.last - op.over.y.first + 1;
        make_room_for_partials(count);
        for_rows(op.over, [&](int j, int k, Part) {
            rows.correct(op, j, k);
            const Energies row = rows.energies(energy, j, k);
            const std::ptrdiff_t n = (k - op.over.z.first) * ny + (j - op.over.y.first);
            double* const values = partial.data() + 4 * n;
            values[0] = row.before;
            values[1] = row.linear;
            values[2] = row.both;
            values[3] = row.correction;
        });
        const double* values = partial.data();
        for (int n = 0; n < count; ++n, values += 4) {
            energies += {values[0], values[1], values[2], values[3]};
        }
    }
#define ADD_ENERGY(Op, name)                      \
    void add_energy(const Op& op) override {      \
        energies.before += add_up(op, rows.name); \
    }
    FOR_ENERGIES(ADD_ENERGY)
    FOR_ENERGIES_OF_SOLIDS(ADD_ENERGY)
#undef ADD_ENERGY
    void limit(const Blend* ops, int count) override {
        const float largest = static_cast<float>(share());
        for (int n = 0; n < count && largest < 1.0f; ++n) {
            Blend op = ops[n];
            op.share = largest;
            each(op, rows.blend);
        }
    }
    double share() override {
        return largest_share(energies);
    }

#define SUM(Op, name)                   \
    double sum(const Op& op) override { \
        return add_up(op, rows.name);   \
    }
    FOR_SUMS(SUM)
    FOR_SUMS_OF_SOLIDS(SUM)
#undef SUM
#define SQUARES(Op, name)                   \
    double squares(const Op& op) override { \
        return add_up(op, rows.name);       \
    }
    FOR_SQUARES(SQUARES)
    FOR_SQUARES_OF_SOLIDS(SQUARES)
#undef SQUARES
    Left left_by(const Residual& x, const Residual& y) override {
        return left_by_rows(x, y, rows.squares_of_residual);
    }
    Left left_by(const CutResidual& x, const CutResidual& y) override {
        return left_by_rows(x, y, rows.squares_of_cut_residual);
    }
    double largest(const Value& op) override {
        const int count = fill_partial(op, rows.largest);
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
    void for_parts(int count, const std::function<void(int, int)>& work) override {
        const Turn turn(several.get(), alone);
        parallel::parallel_for(turn.threads(), count, turn.threads().threads(), work);
    }

    bool on_device() const override {
        return false;
    }
    void* stream() const override {
        return nullptr;
    }

  private:
    /// The threads for an extent. A few places are not worth waking the others up for. In a flat
    /// box, a place takes less work: of 128 x 128 cells, a step took two threads 28 ns a cell and
    /// one 20. So to wake them took 0.3 ms of a step, which is more than a second thread saves in
    /// 170 x 170 cells.
    Turn turn_for(const Extent& over) {
        const int few = over.z.first == over.z.last ? 30000 : 16000;
        return places_in(over) < few ? Turn(alone) : Turn(several.get(), alone);
    }

    /// How many sweeps follow each other at once: so many that the units under way, of x and of b,
    /// stay in the first cache, or at least in the second, and that there is a part for each
    /// thread.
    static int sweeps_at_once(int units, int unit_size, int threads) {
        const auto fit_in = [&](int bytes) { return bytes / (4 * 4 * std::max(1, unit_size)); };
        const int near = fit_in(32 << 10);
        const int stay = near >= 4 ? near : std::min(4, fit_in(1 << 20));
        const int shared = threads > 1 ? (units / threads - 10) / 8 : stay;
        return std::max(1, std::min(stay, shared));
    }

    static bool is_deep(const Relax& op) {
        return op.equations.deep;
    }
    static bool is_deep(const CutRelax& op) {
        return op.cut.whole.deep;
    }

    /// Whether the last layer (in a flat box, the last row) has the first one for a neighbour.
    static bool first_meets_last(bool deep, const SetBnd* wraps, int count) {
        return std::any_of(wraps, wraps + count,
                           [&](const SetBnd& wrap) { return wrap.axis == (deep ? 2 : 1); });
    }

    template <class Op>
    void relax_in_wavefront(const Op& op, int sweeps, const SetBnd* wraps, int count) {
        const Extent over = places_of(op);
        const bool deep = is_deep(op);
        const Range along = deep ? over.z : over.y;
        const int units = std::max(0, along.last - along.first + 1);
        const Turn turn = turn_for(over);
        parallel::ThreadPool& who = turn.threads();
        const int most = sweeps_at_once(units, deep ? op.x.layer : op.x.row, who.threads());
        for (; sweeps > most; sweeps -= most) {
            relax_in_wavefront(op, most, wraps, count);
        }
        const Op halves[] = {coloured(op, 0), coloured(op, 1)};
        parallel::wavefront(who, units, 1 + 2 * sweeps, [&](int stage, int unit, int) {
            if (stage > 0) {  // only at first might somebody else be at work on the next layer
                relax_unit(halves[(stage - 1) % 2], along.first + unit, wraps, count);
            }
        });
    }

    /// What is done to a layer (in a flat box, to a row) as one stage of a wavefront.
    void smooth_unit(const Smoothing& op, const Relax halves[2], int stage, int unit,
                     int first_of_part) {
        const Equations& e = op.relax.equations;
        const Range along = e.deep ? e.z.range : e.y.range;
        const Range rows_of_unit =
            e.deep ? e.y.range : Range{along.first + unit, along.first + unit};
        const int layer = e.deep ? along.first + unit : e.z.range.first;
        if (stage-- == 0) {
            for (int j = rows_of_unit.first; op.prolong != nullptr && j <= rows_of_unit.last; ++j) {
                rows.prolong(*op.prolong, j, layer);
            }
            return;
        }
        if (stage < 2 * op.sweeps) {
            relax_unit(halves[stage % 2], along.first + unit, op.wraps, op.wrap_count);
            return;
        }
        wrap_unit(e.deep, along.first + unit, op.wraps, op.wrap_count);
        // r has room for two units only, again and again, so that it stays in cache.
        const auto here = [&](Array r) {
            const int size = e.deep ? r.layer : r.row;
            r.data += (first_of_part - unit / 2 * 2) * static_cast<std::ptrdiff_t>(size);
            return r;
        };
        Residual residual = op.residual;
        residual.r = here(residual.r);
        const int ny = e.y.range.last - e.y.range.first + 1;
        for (int j = rows_of_unit.first; j <= rows_of_unit.last; ++j) {
            if (op.measure) {
                partial[(layer - e.z.range.first) * ny + (j - e.y.range.first)] =
                    rows.squares_of_residual(residual, j, layer);
            } else {
                rows.residual(residual, j, layer);
            }
        }
        if (op.restrict_to == nullptr) {
            return;
        }
        const float ratio = e.deep ? op.restrict_to->ratio_z : op.restrict_to->ratio_y;
        if (ratio == 1.0f || unit % 2 == 1 || unit == along.last - along.first) {
            Restrict restrict_here = *op.restrict_to;
            restrict_here.r = residual.r;
            const int coarse = ratio == 2.0f ? unit / 2 : unit;
            const Range coarse_rows = e.deep ? restrict_here.over.y : Range{coarse, coarse};
            for (int j = coarse_rows.first; j <= coarse_rows.last; ++j) {
                rows.restrict_to(restrict_here, j, e.deep ? coarse : 0);
            }
        }
    }

    /// Brings the ghosts of a layer's joined ends up to date, or those of a row.
    void wrap_unit(bool deep, int unit, const SetBnd* wraps, int count) {
        for (int n = 0; n < count; ++n) {
            const SetBnd& wrap = wraps[n];
            const Range rows_there = deep ? wrap.over.y : Range{unit, unit};
            for (int j = rows_there.first; j <= rows_there.last; ++j) {
                rows.set_bnd(wrap, j, deep ? unit : 0);
            }
        }
    }

    /// Half a sweep over a layer, or over a row of a flat box.
    template <class Op>
    void relax_unit(const Op& op, int unit, const SetBnd* wraps, int count) {
        const Extent over = places_of(op);
        const bool deep = is_deep(op);
        wrap_unit(deep, unit, wraps, count);
        const Range rows_here = deep ? over.y : Range{unit, unit};
        for (int j = rows_here.first; j <= rows_here.last; ++j) {
            relax_row(op, j, deep ? unit : over.z.first);
        }
    }

    /// A row that nobody else looks at meanwhile.
    void relax_row(const Relax& op, int j, int k) {
        rows.relax(op, j, k, true);
    }
    void relax_row(const CutRelax& op, int j, int k) {
        rows.cut_relax_alone(op, j, k);
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

    template <class Op>
    static Op coloured(Op op, int colour) {
        op.colour = colour;
        return op;
    }

    static int rows_of(const Extent& over) {
        return std::max(0, over.y.last - over.y.first + 1) *
               std::max(0, over.z.last - over.z.first + 1);
    }

    /// Calls work(j, k, part) for each row.
    template <class Work>
    void for_rows(const Extent& over, const Work& work) {
        const int count = rows_of(over);
        const Turn turn = turn_for(over);
        parallel::ThreadPool& pool = turn.threads();
        const int parts = std::clamp(pool.threads(), 1, std::max(1, count / 2));
        const int ny = over.y.last - over.y.first + 1;
        parallel::parallel_for(pool, count, parts, [&](int begin, int end) {
            for (int row = begin; row < end; ++row) {
                work(over.y.first + row % ny, over.z.first + row / ny, Part{begin, end});
            }
        });
    }

    template <class Op>
    void each(const Op& op, void (*row)(const Op&, int, int)) {
        for_rows(places_of(op), [&](int j, int k, Part) { row(op, j, k); });
    }

    /// Rows whose neighbours nobody else is at work on are done more quickly.
    void each(const CutRelax& op, void (*row)(const CutRelax&, int, int)) {
        const int ny = op.over.y.last - op.over.y.first + 1;
        const int reach = op.cut.whole.deep ? ny : 1;  // rows that far away are neighbours
        const int count = rows_of(op.over);
        for_rows(op.over, [&](int j, int k, Part part) {
            const int here = (k - op.over.z.first) * ny + (j - op.over.y.first);
            const bool unseen = (part.begin == 0 || here - part.begin >= reach) &&
                                (part.end == count || part.end - here > reach);
            (unseen ? rows.cut_relax_alone : row)(op, j, k);
        });
    }

    /// Fills `partial` with what `row` returns for each row. Returns how many rows there are.
    template <class Op>
    int fill_partial(const Op& op, double (*row)(const Op&, int, int)) {
        const Extent over = places_of(op);
        const int count = rows_of(over);
        const int ny = over.y.last - over.y.first + 1;
        make_room_for_partials(count);
        for_rows(over, [&](int j, int k, Part) {
            partial[(k - over.z.first) * ny + (j - over.y.first)] = row(op, j, k);
        });
        return count;
    }

    template <class Op>
    double add_up(const Op& op, double (*row)(const Op&, int, int)) {
        return sum_of_partials(fill_partial(op, row));
    }

    /// What is left of a row is added up while it is in cache. Each thread has room for one row of
    /// it.
    template <class Op>
    Left left_by_rows(const Op& x, const Op& y, double (*squares_of)(const Op&, int, int)) {
        const Extent over = places_of(x);
        const int count = rows_of(over);
        const int ny = over.y.last - over.y.first + 1;
        make_room_for_partials(count);
        for_rows(over, [&](int j, int k, Part part) {
            const int row = (k - over.z.first) * ny + (j - over.y.first);
            const int first_j = over.y.first + part.begin % ny;
            const int first_k = over.z.first + part.begin / ny;
            const auto in_first_row = [&](Op op) {
                op.r.data += static_cast<std::ptrdiff_t>(op.r.row) * (first_j - j) +
                             static_cast<std::ptrdiff_t>(op.r.layer) * (first_k - k);
                return op;
            };
            const Op of_x = in_first_row(x);
            const Op of_y = in_first_row(y);
            double* const values = partial.data() + 3 * static_cast<std::ptrdiff_t>(row);
            values[0] = squares_of(of_x, j, k);
            values[1] = squares_of(of_y, j, k);
            values[2] = rows.product({over, of_x.r, of_y.r}, j, k);
        });
        Left left = {};
        for (int row = 0; row < count; ++row) {
            const double* const values = partial.data() + 3 * static_cast<std::ptrdiff_t>(row);
            left.of_x += values[0];
            left.of_y += values[1];
            left.of_both += values[2];
        }
        return left;
    }

    void make_room_for_partials(int count) {
        if (partial.size() < 4 * static_cast<std::size_t>(count)) {
            partial.resize(4 * static_cast<std::size_t>(count));
        }
    }
    double sum_of_partials(int count) const {
        double sum = 0.0;
        for (int n = 0; n < count; ++n) {
            sum += partial[n];
        }
        return sum;
    }

    LargePages memory;
    Threads several;
    parallel::ThreadPool alone{1};
    const Rows& rows;
    std::vector<double> partial;  ///< up to four for each row, so that they are added up in one
                                  ///< order
    Energies energies;
};

}  // namespace

std::unique_ptr<Backend> make_host(int threads) {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return std::make_unique<Host>(threads > 0 ? threads : cores);
}

}  // namespace box
