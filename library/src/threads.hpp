// The threads that compute. All fluids of a process that ask for as many share one pool of them, so
// that a hundred fluids have no hundred times as many threads.
#pragma once

#include <memory>
#include <mutex>

#include "common/parallel.hpp"

namespace box {

/// A pool, and who uses it at the moment. All that there are form a list.
struct SharedPool : std::enable_shared_from_this<SharedPool> {
    parallel::ThreadPool pool;
    std::recursive_mutex in_use;  ///< who has it may ask for it again
    const int asked_for;
    const int forks;  ///< of this process, before it was made
    SharedPool* next = nullptr;

    SharedPool(int threads, int forks_before)
        : pool(threads), asked_for(threads), forks(forks_before) {}
    ~SharedPool();
    SharedPool(const SharedPool&) = delete;
    SharedPool& operator=(const SharedPool&) = delete;
};

/// The use of a pool until the end of a block: of the shared one, or of a single thread where
/// another fluid has that, or where a few places are not worth more. The results are the same.
class Turn {
  public:
    explicit Turn(parallel::ThreadPool& single) : pool(single) {}
    Turn(SharedPool& shared, parallel::ThreadPool& single)
        : lock(shared.in_use, std::try_to_lock), pool(lock.owns_lock() ? shared.pool : single) {}

    parallel::ThreadPool& threads() const { return pool; }

  private:
    std::unique_lock<std::recursive_mutex> lock;
    parallel::ThreadPool& pool;
};

/// What a fluid has of the threads. A fork leaves its child without them: there a pool is made
/// anew.
class Threads {
  public:
    /// As many as that, or fewer where the machine has no room for so many.
    explicit Threads(int how_many);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    SharedPool& get();

  private:
    bool lost() const;
    void leave();

    int count;
    int before;  ///< forks so far, when the pool was found
    std::shared_ptr<SharedPool> pool;
};

}  // namespace box
