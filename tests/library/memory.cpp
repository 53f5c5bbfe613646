// Memory that runs out, at every place where the library asks for any; and threads that cannot be
// had. A fluid's whole life is gone through again and again, and in the n-th run the n-th request
// is refused (once, or from then on until the library notices). It must say OUT_OF_MEMORY and why,
// lose nothing, and do the same when it is asked again and there is memory. A run in which nothing
// was refused ends it.
//
// usage: stable_fluids_memory [EVERY]     refuses only each EVERY-th request; without it, all
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "stable_fluids.h"

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#if !defined(__has_feature)
#define THREADS_CAN_BE_REFUSED
#elif !__has_feature(address_sanitizer)
#define THREADS_CAN_BE_REFUSED
#endif
#endif

#ifdef THREADS_CAN_BE_REFUSED
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#endif

namespace {

std::atomic<long> held{0};  ///< requests that have not been given back
std::atomic<long> until{-1};  ///< how many requests are granted before one is refused; < 0: all
std::atomic<bool> stays_out{false};  ///< whether all that follow are refused as well
std::atomic<bool> refused{false};

/// Memory, unless it is time to refuse it.
void* get(std::size_t size, std::size_t alignment) {
    const long before = until.load();
    if (before == 0) {
        refused = true;
        if (!stays_out) {
            until = -1;
        }
        return nullptr;
    }
    if (before > 0) {
        --until;
    }
    // What was really got lies before what is handed out.
    void* whole = std::malloc(size + alignment + sizeof(void*));
    if (whole == nullptr) {
        return nullptr;
    }
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(whole) + sizeof(void*);
    at = (at + alignment - 1) / alignment * alignment;
    std::memcpy(reinterpret_cast<void*>(at - sizeof(void*)), &whole, sizeof(void*));
    ++held;
    return reinterpret_cast<void*>(at);
}

void give_back(void* data) noexcept {
    if (data != nullptr) {
        void* whole = nullptr;
        std::memcpy(&whole, static_cast<char*>(data) - sizeof(void*), sizeof(void*));
        --held;
        std::free(whole);
    }
}

void* get_or_throw(std::size_t size, std::size_t alignment) {
    void* data = get(size, alignment);
    if (data == nullptr) {
        throw std::bad_alloc();
    }
    return data;
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

// All the forms there are.
void* operator new(std::size_t size) {
    return get_or_throw(size, usual);
}
void* operator new[](std::size_t size) {
    return get_or_throw(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return get_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return get_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return get(size, usual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return get(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return get(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return get(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* data) noexcept {
    give_back(data);
}
void operator delete[](void* data) noexcept {
    give_back(data);
}
void operator delete(void* data, std::size_t) noexcept {
    give_back(data);
}
void operator delete[](void* data, std::size_t) noexcept {
    give_back(data);
}
void operator delete(void* data, std::align_val_t) noexcept {
    give_back(data);
}
void operator delete[](void* data, std::align_val_t) noexcept {
    give_back(data);
}
void operator delete(void* data, std::size_t, std::align_val_t) noexcept {
    give_back(data);
}
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept {
    give_back(data);
}
void operator delete(void* data, const std::nothrow_t&) noexcept {
    give_back(data);
}
void operator delete[](void* data, const std::nothrow_t&) noexcept {
    give_back(data);
}
void operator delete(void* data, std::align_val_t, const std::nothrow_t&) noexcept {
    give_back(data);
}
void operator delete[](void* data, std::align_val_t, const std::nothrow_t&) noexcept {
    give_back(data);
}

#ifdef THREADS_CAN_BE_REFUSED
namespace {
int threads_left = -1;  ///< how many may still be made; < 0: all
}

/// Stands before the system's own.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) noexcept {
    if (threads_left == 0) {
        return EAGAIN;
    }
    if (threads_left > 0) {
        --threads_left;
    }
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const Create create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    return create(thread, attributes, work, argument);
}
#endif

namespace {

int failures = 0;

void check(bool good, const std::string& what) {
    if (!good) {
        ++failures;
        std::printf("FAILED: %s\n", what.c_str());
    }
}

constexpr int nx = 192, ny = 160;  // enough for the threads to be woken up

/// What a life leaves behind.
struct Left {
    std::vector<float> numbers;
    int out_of_memory = 0;  ///< how many calls said so
    bool step_failed = false;  ///< which cannot be undone
};

/// Calls the library, and once more if it was out of memory: now there is some.
template <class Call>
void call(Left& left, long number, const char* name, const stable_fluids* const& fluid,
          const Call& what) {
    stable_fluids_status status = what();
    if (status == STABLE_FLUIDS_OUT_OF_MEMORY) {
        until = -1;
        ++left.out_of_memory;
        left.step_failed = left.step_failed || std::strcmp(name, "step") == 0;
        const std::string text = stable_fluids_error(fluid);
        check(!text.empty() && text.find('\n') == std::string::npos,
              std::string(name) + " says: '" + text + "'");
        status = what();
    }
    const long kept = until.exchange(-1);  // what follows is ours
    check(status == STABLE_FLUIDS_OK, "request " + std::to_string(number) + ", " + name +
                                          ": status " + std::to_string(status) + ", " +
                                          stable_fluids_error(fluid));
    until = kept;
}

/// A fluid's whole life, in which request `number` is refused.
Left live(long number, bool for_good) {
    Left left;
    std::vector<float> force((nx + 1) * ny, 0.0f), source(nx * ny, 0.0f), vorticity(nx * ny);
    force[static_cast<std::size_t>((nx + 1) * ny / 2 + 20)] = 50.0f;
    source[static_cast<std::size_t>(nx * ny / 2 + 20)] = 10.0f;
    std::vector<float> u(force.size()), distance((nx + 1) * (ny + 1));
    std::vector<std::int32_t> labels(nx * ny, -1);
    labels[static_cast<std::size_t>(nx * ny / 2 + 70)] = 0;
    stable_fluids_scalar scalars[2];
    for (stable_fluids_scalar& scalar : scalars) {
        stable_fluids_describe_scalar(&scalar);
        scalar.diffusion = 1e-4f;
    }
    stable_fluids_description description;
    stable_fluids_describe(&description);
    description.nx = nx;
    description.ny = ny;
    description.viscosity = 1e-3f;
    description.advection = STABLE_FLUIDS_MACCORMACK;
    description.scalar_count = 2;
    description.scalars = scalars;
    const stable_fluids_buoyancy buoyancy[2] = {{0.5f, 0.0f}, {-0.5f, 1.0f}};
    description.buoyancy = buoyancy;
    description.confinement = 0.5f;
    description.splitting = STABLE_FLUIDS_MIDPOINT;
    description.faces[STABLE_FLUIDS_LEFT].flow = STABLE_FLUIDS_INFLOW;
    description.faces[STABLE_FLUIDS_LEFT].u = 0.5f;
    description.faces[STABLE_FLUIDS_RIGHT].flow = STABLE_FLUIDS_TOTAL_PRESSURE;
    description.backend = STABLE_FLUIDS_HOST;
    description.threads = 4;

    stable_fluids* fluid = nullptr;
    stable_fluids_view_of_field view = {};
    view.size = sizeof view;
    stable_fluids_statistics statistics = {};
    statistics.size = sizeof statistics;

    const long held_before = held;
    refused = false;
    stays_out = for_good;
    until = number;
    stable_fluids* none = nullptr;
    call(left, number, "create", none, [&] { return stable_fluids_create(&description, &fluid); });
    if (fluid == nullptr) {
        until = -1;
        check(false, "no fluid after all");
        return left;
    }
    call(left, number, "set", fluid, [&] {
        return stable_fluids_set(fluid, STABLE_FLUIDS_FORCE_X, force.data(), force.size());
    });
    call(left, number, "set", fluid, [&] {
        return stable_fluids_set(fluid, STABLE_FLUIDS_SOURCE(1), source.data(), source.size());
    });
    call(left, number, "set", fluid, [&] {
        return stable_fluids_set(fluid, STABLE_FLUIDS_EXPANSION, source.data(), source.size());
    });
    // A disk, which is at another place in the second step, and moves. It touches the source.
    for (int step = 0; step < 2; ++step) {
        for (int j = 0; j <= ny; ++j) {
            for (int i = 0; i <= nx; ++i) {
                distance[static_cast<std::size_t>(j * (nx + 1) + i)] =
                    (std::hypot(static_cast<float>(i - 70 - step), static_cast<float>(j - ny / 2)) -
                     20.5f) /
                    64.0f;
            }
        }
        call(left, number, "set_solid", fluid,
             [&] { return stable_fluids_set_solid(fluid, distance.data(), distance.size()); });
        call(left, number, "set_bodies", fluid,
             [&] { return stable_fluids_set_bodies(fluid, labels.data(), labels.size()); });
        call(left, number, "set", fluid, [&] {
            return stable_fluids_set(fluid, STABLE_FLUIDS_SOLID_U, force.data(), force.size());
        });
        call(left, number, "step", fluid, [&] { return stable_fluids_step(fluid, 0.02f, 1); });
        call(left, number, "add", fluid, [&] {
            return stable_fluids_add(fluid, STABLE_FLUIDS_SCALAR(0), source.data(), source.size());
        });
    }
    call(left, number, "view", fluid,
         [&] { return stable_fluids_view(fluid, STABLE_FLUIDS_FORCE_Y, &view); });
    call(left, number, "view", fluid,
         [&] { return stable_fluids_view(fluid, STABLE_FLUIDS_VORTICITY, &view); });
    for (int j = 0; j < ny; ++j) {
        std::memcpy(&vorticity[static_cast<std::size_t>(j * nx)], view.data + j * view.strides[1],
                    nx * sizeof(float));
    }
    for (const int field : {STABLE_FLUIDS_SCALAR(0), STABLE_FLUIDS_SCALAR(1)}) {
        call(left, number, "read", fluid,
             [&] { return stable_fluids_read(fluid, field, source.data(), source.size()); });
        const long kept = until.exchange(-1);
        left.numbers.insert(left.numbers.end(), source.begin(), source.end());
        until = kept;
    }
    call(left, number, "read", fluid,
         [&] { return stable_fluids_read(fluid, STABLE_FLUIDS_U, u.data(), u.size()); });
    call(left, number, "statistics", fluid,
         [&] { return stable_fluids_statistics_of(fluid, &statistics); });
    const double pivot[3] = {};
    stable_fluids_forces forces = {};
    forces.size = sizeof forces;
    call(left, number, "forces_on", fluid,
         [&] { return stable_fluids_forces_on(fluid, 0, pivot, &forces); });
    // An error that has to be told while there is none left: its status may be either.
    const stable_fluids_status wrong = stable_fluids_set(fluid, 21, u.data(), u.size());
    stable_fluids_destroy(fluid);
    stable_fluids_why_no_cuda();
    until = -1;

    check(wrong == STABLE_FLUIDS_INVALID || (refused && wrong == STABLE_FLUIDS_OUT_OF_MEMORY),
          "a field that is not there: status " + std::to_string(wrong));
    left.numbers.insert(left.numbers.end(), u.begin(), u.end());
    left.numbers.insert(left.numbers.end(), vorticity.begin(), vorticity.end());
    left.numbers.push_back(static_cast<float>(statistics.kinetic_energy));
    left.numbers.push_back(static_cast<float>(statistics.steps));
    left.numbers.push_back(static_cast<float>(forces.pressure[0] + forces.friction_torque[2]));
    // Only the numbers are left, which were asked for while it lived.
    const long lost = held - held_before - (left.numbers.capacity() > 0 ? 1 : 0);
    check(lost == 0, "request " + std::to_string(number) + ": " + std::to_string(lost) +
                         " pieces of memory are lost");
    return left;
}

/// Whether the same is left of two fluids.
bool same(const Left& a, const Left& b) {
    return a.numbers.size() == b.numbers.size() &&
           std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size() * sizeof(float)) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    const long every = argc > 1 ? std::max(std::atol(argv[1]), 1L) : 1;
    live(-1, false);  // what is only made once is made now
    const Left undisturbed = live(-1, false);
    check(undisturbed.numbers.size() > 3 * nx * ny && undisturbed.out_of_memory == 0,
          "nothing was refused, and yet it did not go well");

    for (const bool for_good : {false, true}) {
        long number = 0;
        int told = 0;
        for (; true; number += every) {
            const Left left = live(number, for_good);
            const bool finite = std::all_of(left.numbers.begin(), left.numbers.end(),
                                            [](float value) { return std::isfinite(value); });
            check(left.step_failed ? finite : same(left, undisturbed),
                  "request " + std::to_string(number) +
                      " was refused, and the result is another one, or not finite");
            told += left.out_of_memory;
            if (!refused || failures > 20) {
                break;
            }
        }
        check(told > 0, "nothing was told of it");
        std::printf("%ld requests, each %ld. of them refused %s, and told by %d calls\n", number,
                    every, for_good ? "with all that followed" : "alone", told);
    }

#ifdef THREADS_CAN_BE_REFUSED
    for (int threads = 0; threads < 4; ++threads) {
        threads_left = threads;
        check(same(live(-1, false), undisturbed),
              "with only " + std::to_string(threads) + " threads more the result is another one");
        threads_left = -1;
    }
    std::printf("threads refused\n");
#endif
    std::printf("%d problems\n", failures);
    return failures == 0 ? 0 : 1;
}
