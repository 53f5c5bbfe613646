#include "library/src/threads.hpp"

#include <atomic>
#include <utility>

#if (defined(__linux__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)
#include <pthread.h>
#define PROCESSES_FORK
#endif

namespace box {

namespace {

#ifndef __EMSCRIPTEN__
/// The pools that there are. They are a list and no map, so that the last fluid leaves no memory.
struct Pools {
    std::mutex door;
    SharedPool* first = nullptr;
    std::atomic<int> forks{0};
};

Pools& pools() {
    static Pools all;
    return all;
}
#endif

/// How often this process has become another one's copy, without that one's threads, since it was
/// asked for the first time. Nobody is in the door while a process is copied.
int forks_so_far() {
#ifdef PROCESSES_FORK
    static const int registered =
        pthread_atfork([] { pools().door.lock(); }, [] { pools().door.unlock(); },
                       [] {
                           ++pools().forks;
                           pools().door.unlock();
                       });
    static_cast<void>(registered);
    return pools().forks;
#else
    return 0;
#endif
}

std::shared_ptr<SharedPool> shared_pool(int forks, int count) {
#ifdef __EMSCRIPTEN__
    // A page has one fluid at a time, and loads what there is of this.
    return std::make_shared<SharedPool>(count, forks);
#else
    const std::lock_guard<std::mutex> lock(pools().door);
    for (SharedPool* one = pools().first; one != nullptr; one = one->next) {
        if (one->asked_for != count || one->forks != forks) {
            continue;
        }
        std::shared_ptr<SharedPool> found = one->weak_from_this().lock();
        if (found) {  // or else its last fluid is just leaving it
            return found;
        }
    }
    std::shared_ptr<SharedPool> made = std::make_shared<SharedPool>(count, forks);
    made->next = pools().first;
    pools().first = made.get();
    return made;
#endif
}

}  // namespace

/// Takes it out of the list.
SharedPool::~SharedPool() {
#ifndef __EMSCRIPTEN__
    const std::lock_guard<std::mutex> lock(pools().door);
    for (SharedPool** link = &pools().first; *link != nullptr; link = &(*link)->next) {
        if (*link == this) {
            *link = next;
            break;
        }
    }
#endif
}

Threads::Threads(int how_many)
    : count(how_many), before(forks_so_far()), pool(shared_pool(before, count)) {}

Threads::~Threads() {
    if (lost()) {
        leave();
    }
}

SharedPool& Threads::get() {
    if (lost()) {
        const int now = forks_so_far();
        std::shared_ptr<SharedPool> another = shared_pool(now, count);
        leave();
        pool = std::move(another);
        before = now;
    }
    return *pool;
}

bool Threads::lost() const {
    return before != forks_so_far();
}

/// What was lost is never destroyed: that would wait for its threads, which are not there.
void Threads::leave() {
    static_cast<void>(new std::shared_ptr<SharedPool>(std::move(pool)));
}

}  // namespace box
