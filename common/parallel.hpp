// Threads, for the chapters and the library that share their loops among them: a thread pool, a
// parallel_for over it, and a wavefront, which runs several sweeps over a grid at once. It knows
// nothing of fluids, and needs the standard library alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace parallel {

/// Threads that wait for work together. The one that calls `run` is one of them.
class ThreadPool {
  public:
    /// Makes a pool of that many threads, the caller's included. Where the machine has no room for
    /// so many, there are fewer; 0 and less is one.
    explicit ThreadPool(int threads) {
        others.reserve(threads > 1 ? static_cast<std::size_t>(threads - 1) : 0);
        try {
            for (int number = 1; number < threads; ++number) {
                others.emplace_back([this, number] { serve(number); });
            }
        } catch (const std::exception&) {
            return;
        }
    }
    ~ThreadPool() {
        ended = true;
        call();
        for (std::thread& other : others) {
            other.join();
        }
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return static_cast<int>(others.size()) + 1; }

    /// Calls work(number) once in each thread, 0 in the caller, and returns when all are done. The
    /// work must not throw, nor call `run` itself.
    void run(const std::function<void(int)>& what) {
        if (others.empty()) {
            what(0);
            return;
        }
        work = &what;
        busy = static_cast<int>(others.size());
        call();
        what(0);
        wait_while(busy, [](int left) { return left > 0; });
    }

  private:
    void call() {
        ++calls;
        wake();
    }

    void serve(int number) {
        for (unsigned heard = 0; true; ++heard) {  // it may begin anew at 0, as `calls` does
            wait_while(calls, [heard](unsigned now) { return now == heard; });
            if (ended) {
                return;
            }
            (*work)(number);
            --busy;
            wake();
        }
    }

    /// Looks again and again for a moment, since work mostly comes at once. Then looks for some
    /// hundred microseconds more, but lets any other thread that is ready have the core before each
    /// look: it may be the very thread that is waited for. Then sleeps, since being woken takes
    /// longer than a small piece of work. Where other programs want the cores, too, letting them
    /// have one may take milliseconds, and a thread that sleeps gets a core sooner. Once that has
    /// been seen, the pool sleeps at once in its next thousand waits.
    template <class Number, class Condition>
    void wait_while(const std::atomic<Number>& value, Condition still) {
        using Clock = std::chrono::steady_clock;
        for (int look = 0; look < 4000; ++look) {
            if (!still(value.load(std::memory_order_acquire))) {
                return;
            }
        }
        if (sleeps.load(std::memory_order_relaxed) > 0) {
            sleeps.fetch_sub(1, std::memory_order_relaxed);
        } else {
            const Clock::time_point end = Clock::now() + std::chrono::microseconds(300);
            Clock::time_point before = Clock::now();
            while (before < end) {
                std::this_thread::yield();
                const Clock::time_point now = Clock::now();
                if (now - before > std::chrono::microseconds(300)) {
                    sleeps.store(1000, std::memory_order_relaxed);
                }
                if (!still(value.load(std::memory_order_acquire))) {
                    return;
                }
                before = now;
            }
        }
        std::unique_lock<std::mutex> lock(door);
        changed.wait(lock, [&] { return !still(value.load()); });
    }

    /// Wakes all that sleep, to look again. The mutex is held for a moment: a thread that has
    /// looked just before the change must be asleep before it can be woken. (std::atomic's own wait
    /// is shorter, but GCC 12's on Windows sleeps through calls.)
    void wake() {
        { const std::lock_guard<std::mutex> lock(door); }
        changed.notify_all();
    }

    std::vector<std::thread> others;
    std::mutex door;
    std::condition_variable changed;
    const std::function<void(int)>* work = nullptr;
    std::atomic<unsigned> calls = 0;
    std::atomic<int> busy = 0;
    std::atomic<bool> ended = false;
    std::atomic<int> sleeps = 0;  ///< in so many waits to come, at once
};

/// Cuts 0 to count - 1 into that many parts of nearly the same size, and calls work(begin, end) for
/// each of them, in as many threads; `end` is not part of it. It asks for no memory. There are at
/// most as many parts as the pool has threads.
template <class Work>
void parallel_for(ThreadPool& pool, int count, int parts, const Work& work) {
    parts = std::min(parts, pool.threads());
    if (parts <= 1) {
        work(0, count);
        return;
    }
    const auto bound = [&](int part) {
        return static_cast<int>(std::ptrdiff_t{count} * part / parts);
    };
    const auto do_part = [&](int part) {
        if (part < parts) {
            work(bound(part), bound(part + 1));
        }
    };
    pool.run(std::ref(do_part));  // by reference: a copy would need memory, again and again
}

/// How a wavefront's units are divided among threads: part p has those from border(p) to before
/// border(p + 1).
struct Partition {
    int units, parts;

    /// Divides units for that many threads and stages. A part is long enough for what a wavefront
    /// leaves out at its ends.
    Partition(int units_there, int threads, int stages)
        : units(units_there),
          parts(std::max(1, std::min(threads, units_there / (4 * stages + 2)))) {}

    /// Returns the first unit of a part; of the one after the last, `units`. Between two parts it
    /// is even.
    int border(int part) const { return part == parts ? units : units / parts * part & ~1; }
};

/// Runs some stages over a row of `units`. Stage s on unit u is run after stage s - 1 on u - 1, u
/// and u + 1, and before stage s + 1 on any of these; that is all that may be relied on. As many
/// units are under way as there are stages, one for each, so that what they touch stays in cache.
///
/// Each thread has a part of the units; at its ends it leaves out what would need the neighbour's,
/// two units more with each stage, and when all are so far these gaps are filled. (One more would
/// do, but a stage that takes two units for one needs all these ends to be even.) do_unit(stage,
/// unit, thread).
template <class DoUnit>
void wavefront(ThreadPool& pool, int units, int stages, DoUnit do_unit) {
    const Partition partition(units, pool.threads(), stages);
    const int parts = partition.parts;
    const auto run = [&](int lo, int hi, int from_lo, int from_hi, int thread) {
        for (int time = lo - 2 * stages; time < hi + 3 * stages; ++time) {
            for (int stage = 0; stage < stages; ++stage) {
                const int unit = time - stage;
                if (unit >= lo + stage * from_lo && unit < hi - stage * from_hi) {
                    do_unit(stage, unit, thread);
                }
            }
        }
    };
    if (parts == 1) {
        run(0, units, 0, 0, 0);
        return;
    }
    const auto do_part = [&](int part) {
        if (part < parts) {
            run(partition.border(part), partition.border(part + 1), part > 0 ? 2 : 0,
                part + 1 < parts ? 2 : 0, part);
        }
    };
    const auto fill_gap = [&](int part) {
        if (part > 0 && part < parts) {
            run(partition.border(part), partition.border(part), -2, -2, part);
        }
    };
    pool.run(std::ref(do_part));
    pool.run(std::ref(fill_gap));
}

}  // namespace parallel
