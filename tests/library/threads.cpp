// What the header says of threads, seen by ThreadSanitizer, with which the library's sources are
// compiled here: different threads may use different fluids at the same time, and one fluid by
// turns. ThreadSanitizer ends the program with status 66 if two threads reach the same memory
// without waiting for each other.
#include <stable_fluids.h>

#include <barrier>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

namespace {

constexpr int nx = 24;
constexpr int ny = 17;
constexpr int nz = 5;

using Values = std::vector<float>;

/// A fluid that flows along x without any pattern, computed by two threads. `seed` tells fluids
/// apart.
stable_fluids* make_fluid(int seed) {
    stable_fluids_description description;
    stable_fluids_describe(&description);
    description.nx = nx;
    description.ny = ny;
    description.nz = nz;
    description.backend = STABLE_FLUIDS_HOST;
    description.threads = 2;
    description.viscosity = 1e-4f * static_cast<float>(seed);
    stable_fluids_scalar dye;
    stable_fluids_describe_scalar(&dye);
    description.scalars = &dye;
    description.scalar_count = 1;
    stable_fluids* fluid = nullptr;
    if (stable_fluids_create(&description, &fluid) != STABLE_FLUIDS_OK) {
        return nullptr;
    }
    Values u(static_cast<std::size_t>((nx + 1) * ny * nz));
    for (std::size_t n = 0; n < u.size(); ++n) {
        u[n] = 0.01f * static_cast<float>((n * 7 + static_cast<std::size_t>(seed)) % 11);
    }
    stable_fluids_set(fluid, STABLE_FLUIDS_U, u.data(), u.size());
    return fluid;
}

Values velocity_of(stable_fluids* fluid) {
    Values u(static_cast<std::size_t>((nx + 1) * ny * nz));
    const stable_fluids_status status =
        stable_fluids_read(fluid, STABLE_FLUIDS_U, u.data(), u.size());
    return status == STABLE_FLUIDS_OK ? u : Values{};
}

/// Makes a fluid, lets three steps pass, and returns its velocity.
Values life_of(int seed) {
    stable_fluids* fluid = make_fluid(seed);
    stable_fluids_step(fluid, 0.01f, 3);
    Values u = velocity_of(fluid);
    stable_fluids_destroy(fluid);
    return u;
}

/// Calls work(0) to work(count - 1), each in its own thread, all at the same moment.
template <class Work>
void at_once(int count, Work work) {
    std::barrier all_are_there(count);
    std::vector<std::thread> threads;
    for (int n = 0; n < count; ++n) {
        threads.emplace_back([&, n] {
            all_are_there.arrive_and_wait();
            work(n);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace

// It must be the first test: what the library finds out once, at its first call, is found out here.
TEST_CASE("threads make, step, read and destroy fluids of their own at the same time") {
    std::vector<Values> found(4);
    at_once(4, [&](int n) { found[static_cast<std::size_t>(n)] = life_of(n + 1); });
    for (int n = 0; n < 4; ++n) {
        INFO("fluid " << n << ": is its velocity the same when it is computed alone?");
        REQUIRE(found[static_cast<std::size_t>(n)].size() == (nx + 1) * ny * nz);
        CHECK(found[static_cast<std::size_t>(n)] == life_of(n + 1));
    }
    CHECK(found[0] != found[1]);
}

TEST_CASE("one fluid is used by two threads in turn") {
    stable_fluids* fluid = make_fluid(1);
    REQUIRE(fluid != nullptr);
    std::mutex turn;
    at_once(2, [&](int) {
        for (int step = 0; step < 3; ++step) {
            const std::lock_guard lock(turn);
            stable_fluids_step(fluid, 0.01f, 1);
        }
    });
    stable_fluids* alone = make_fluid(1);
    stable_fluids_step(alone, 0.01f, 6);
    CHECK(velocity_of(fluid) == velocity_of(alone));
    stable_fluids_destroy(alone);
    stable_fluids_destroy(fluid);
}

TEST_CASE("each thread reads the error of its own calls, with and without a handle") {
    std::vector<std::string> without(3);
    std::vector<std::string> with(3);
    at_once(3, [&](int n) {
        const auto mine = static_cast<std::size_t>(n);
        stable_fluids_description description;
        stable_fluids_describe(&description);
        description.nx = -n - 1;
        stable_fluids* none = nullptr;
        stable_fluids* fluid = make_fluid(n + 1);
        stable_fluids_create(&description, &none);
        without[mine] = stable_fluids_error(nullptr);
        const float value = 0.0f;
        stable_fluids_set(fluid, STABLE_FLUIDS_U, &value, mine + 1);
        with[mine] = stable_fluids_error(fluid);
        stable_fluids_destroy(fluid);
    });
    for (int n = 0; n < 3; ++n) {
        INFO(without[static_cast<std::size_t>(n)] << "; " << with[static_cast<std::size_t>(n)]);
        CHECK(without[static_cast<std::size_t>(n)].find(std::to_string(-n - 1)) !=
              std::string::npos);
        CHECK(with[static_cast<std::size_t>(n)].find(std::to_string(n + 1)) != std::string::npos);
    }
}

TEST_CASE("what takes no handle runs beside everything else, and many threads read a view") {
    stable_fluids* seen = make_fluid(7);
    stable_fluids_step(seen, 0.01f, 1);
    const Values expected = velocity_of(seen);
    stable_fluids_view_of_field view;
    view.size = sizeof view;
    REQUIRE(stable_fluids_view(seen, STABLE_FLUIDS_U, &view) == STABLE_FLUIDS_OK);
    const auto sum_of = [](const Values& values) {
        double sum = 0.0;
        for (const float value : values) {
            sum += static_cast<double>(value);
        }
        return sum;
    };
    std::vector<double> sums(3);
    std::vector<int> versions(3);
    std::vector<std::size_t> states(3);
    at_once(3, [&](int n) {
        const auto mine = static_cast<std::size_t>(n);
        versions[mine] = stable_fluids_version();
        stable_fluids_scalar scalar;
        stable_fluids_describe_scalar(&scalar);
        stable_fluids_why_no_cuda();
        Values values;
        for (int k = 0; k < view.shape[2]; ++k) {
            for (int j = 0; j < view.shape[1]; ++j) {
                for (int i = 0; i < view.shape[0]; ++i) {
                    values.push_back(view.data[i + j * view.strides[1] + k * view.strides[2]]);
                }
            }
        }
        sums[mine] = sum_of(values);
        // Beside that, each has a fluid of its own, with a solid, and copies its state.
        stable_fluids* fluid = make_fluid(n + 1);
        Values distance(static_cast<std::size_t>((nx + 1) * (ny + 1) * (nz + 1)), 1.0f);
        distance[distance.size() / 2] = -1.0f;
        stable_fluids_set_solid(fluid, distance.data(), distance.size());
        stable_fluids_step(fluid, 0.01f, 1);
        std::size_t size = 0;
        stable_fluids_state_size(fluid, &size);
        std::vector<unsigned char> state(size);
        stable_fluids_get_state(fluid, state.data(), size);
        states[mine] =
            stable_fluids_set_state(fluid, state.data(), size) == STABLE_FLUIDS_OK ? size : 0;
        stable_fluids_destroy(fluid);
    });
    for (std::size_t n = 0; n < 3; ++n) {
        CHECK(versions[n] == stable_fluids_version());
        CHECK(sums[n] == sum_of(expected));
        CHECK(states[n] > 0);
    }
    stable_fluids_destroy(seen);
}

TEST_CASE("a fluid is handed from the thread that made it to another, which destroys it") {
    stable_fluids* fluid = nullptr;
    std::mutex turn;
    Values found;
    at_once(2, [&](int n) {
        for (bool done = false; !done;) {
            const std::lock_guard lock(turn);
            if (n == 0) {
                fluid = make_fluid(5);
                stable_fluids_step(fluid, 0.01f, 3);
                done = true;
            } else if (fluid != nullptr) {
                found = velocity_of(fluid);
                stable_fluids_destroy(fluid);
                done = true;
            }
        }
    });
    CHECK(found == life_of(5));
}
