// 23_cuda's device code beside its host loops. Without a GPU there is little to do here: then
// this program says so, loudly, and answers 77, which CTest shows as skipped. (With an emulated
// GPU, of tests/emulation/, there always is one.)
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "23_cuda/solver.hpp"
#include "cuda/device_fluid.hpp"

namespace {

using device::DeviceFluid;
using device::Kernels;
using device::Settings;

#ifdef __SANITIZE_ADDRESS__
const std::vector<int> sizes = {3, 4, 9, 40};  // an emulated GPU is slow enough without
#else
const std::vector<int> sizes = {3, 4, 9, 40, 70};
#endif

constexpr Kernels all_kernels[] = {Kernels::CELL, Kernels::COLOUR, Kernels::TILE, Kernels::MARCH};

const char* name_of(Kernels kernels) {
    const char* const names[] = {"a thread a cell", "threads for one colour", "tiles", "marching"};
    return names[static_cast<int>(kernels)];
}

/// What a device may differ from the host by, in parts of the largest number in the field. It is
/// compiled without fused multiply-adds and divides as the host does, so it should not at all.
constexpr double bound = 1e-6;

Field bumpy(int N, std::uint32_t seed) {
    Field field(N);
    for (float& cell : field.cells) {
        seed = seed * 1664525u + 1013904223u;
        cell = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    return field;
}

Fluid bumpy_fluid(int N) {
    Fluid fluid(N);
    fluid.u = bumpy(N, 1);
    fluid.v = bumpy(N, 2);
    fluid.w = bumpy(N, 3);
    fluid.density = bumpy(N, 4);
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    set_bnd(BoundaryType::VELOCITY_DEPTH, fluid.w);
    set_bnd(BoundaryType::SCALAR, fluid.density);
    fluid.diff = 0.01f;
    fluid.visc = 0.02f;
    return fluid;
}

Settings settings_of(const Fluid& fluid) {
    Settings settings;
    settings.diff = fluid.diff;
    settings.visc = fluid.visc;
    settings.iterations = fluid.iterations;
    settings.diffuse_velocity = fluid.diffuse_velocity;
    settings.advect_velocity = fluid.advect_velocity;
    settings.project_velocity = fluid.project_velocity;
    return settings;
}

void upload(DeviceFluid& device, const Fluid& fluid) {
    device.upload(fluid.density.cells.data(), fluid.u.cells.data(), fluid.v.cells.data(),
                  fluid.w.cells.data());
}

Fluid downloaded(DeviceFluid& device) {
    Fluid fluid(device.N());
    device.download(fluid.density.cells.data(), fluid.u.cells.data(), fluid.v.cells.data(),
                    fluid.w.cells.data(), fluid.pressure.cells.data());
    return fluid;
}

/// Checks a field against the host's, and says where the two differ most.
void compare(const char* what, const Field& device, const Field& host) {
    double scale = 0.0;
    double most = -1.0;
    int worst = 0;
    int different = 0;
    for (int cell = 0; cell < static_cast<int>(host.cells.size()); ++cell) {
        const auto at = static_cast<std::size_t>(cell);
        const double apart = std::abs(double{device.cells[at]} - double{host.cells[at]});
        scale = std::max(scale, std::abs(double{host.cells[at]}));
        different += device.cells[at] == host.cells[at] ? 0 : 1;
        if (apart > most || std::isnan(apart)) {
            most = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
            worst = cell;
        }
    }
    const int N = host.N;
    INFO(what << ": worst in cell (" << worst % N << ", " << worst / N % N << ", "
              << worst / (N * N) << ") of " << N << "^3, where the device has "
              << device.cells[static_cast<std::size_t>(worst)] << " and the host "
              << host.cells[static_cast<std::size_t>(worst)] << "; " << different
              << " cells differ");
    CHECK(most <= bound * scale);
}

void compare(const Fluid& device, const Fluid& host) {
    REQUIRE(host.density(1, 1, 1) != 0.0f);
    REQUIRE(host.u(1, 1, 1) != 0.0f);
    compare("pressure", device.pressure, host.pressure);
    compare("dye", device.density, host.density);
    compare("u", device.u, host.u);
    compare("v", device.v, host.v);
    compare("w", device.w, host.w);
}

bool same_bytes(const Field& a, const Field& b) {
    return std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(float)) == 0;
}

bool same_bytes(const Fluid& a, const Fluid& b) {
    return same_bytes(a.density, b.density) && same_bytes(a.u, b.u) && same_bytes(a.v, b.v) &&
           same_bytes(a.w, b.w);
}

/// What the device makes of a fluid in so many steps.
Fluid after(const Fluid& start, const Settings& settings, int steps, float dt = 0.1f) {
    DeviceFluid device(start.u.N);
    upload(device, start);
    for (int n = 0; n < steps; ++n) {
        device.step(settings, dt);
    }
    return downloaded(device);
}

/// The message of the Error that making a cube of N x N x N throws.
std::string refusal(int N) {
    try {
        const DeviceFluid device(N);
    } catch (const device::Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

// ---- Without a GPU -----------------------------------------------------------------------------

TEST_CASE("what is in the way is said in one clear line") {
    CHECK(device::why_not_driver(0, 13000, 0) == "no NVIDIA driver is installed");
    CHECK(device::why_not_driver(12020, 13000, 1) ==
          "the NVIDIA driver is too old: it is made for CUDA 12.2, and this program for 13.0");
    CHECK(device::why_not_driver(13000, 13000, 0) == "there is no NVIDIA GPU");
    CHECK(device::why_not_driver(13000, 13010, 1) == "");
    CHECK(device::why_not_driver(13010, 13000, 1) == "");
    CHECK(device::why_not_driver(13000, 13000, 0, "system not yet initialized") ==
          "the GPU cannot be used: system not yet initialized");
    CHECK(device::why_not_memory(512, 2e9) ==
          "out of device memory: N = 512 needs 5.91 GB, and 2.00 GB are free");
    CHECK(device::why_not_memory(128, 2e9) == "");
    CHECK(device::bytes_needed(100) == 11 * 4 * (128.0 * 100 * 100 + 32));
}

TEST_CASE("a cube that cannot be is refused, GPU or not") {
    CHECK(refusal(2) == "N is 2, and must be at least 3: two of it are walls");
    CHECK(refusal(-1) == "N is -1, and must be at least 3: two of it are walls");
    CHECK(refusal(1281) == "N is 1281, and must be at most 1280");
    if (!device::why_not().empty()) {
        CHECK(refusal(16) == device::why_not());
        CHECK(device::why_not().find('\n') == std::string::npos);
        CHECK(device::name().empty());
    }
}

TEST_CASE("a row of a field is whole lines of memory") {
    CHECK(device::row_on_device(3) == 32);
    CHECK(device::row_on_device(32) == 32);
    CHECK(device::row_on_device(33) == 64);
    CHECK(device::row_on_device(1280) == 1280);
}

TEST_CASE("marching blocks keep all multiprocessors busy") {
    for (const int at_once : {1, 32, 82, 264}) {
        for (const int N : {3, 4, 31, 48, 96, 192, 256}) {
            const auto layers = [&](int depth) {  // that one place on the GPU loads, one by one
                const int tiles = (N - 2 + 27) / 28;
                const int blocks = tiles * tiles * ((N - 2 + depth - 1) / depth);
                const int rounds = (blocks + at_once - 1) / at_once;
                return rounds * (depth + 4);
            };
            const int chosen = device::march_depth(N, at_once);
            REQUIRE(chosen >= 1);
            REQUIRE(chosen <= N - 2);
            for (int other = 1; other <= N - 2; ++other) {
                INFO("N = " << N << ", " << at_once << " blocks at once: " << chosen
                            << " layers a block, and " << other << " would be done sooner");
                REQUIRE(layers(chosen) <= layers(other));
            }
        }
    }
    INFO("N = 96, two blocks on each of 132 multiprocessors: 16 tiles in each of 16 slabs");
    CHECK(device::march_depth(96, 264) == 6);
}

TEST_CASE("the bytes of a sweep count the rim on all sides") {
    CHECK(device::bytes_a_cell(Kernels::CELL, 16) == 24.0);
    CHECK(device::bytes_a_cell(Kernels::COLOUR, 16) == 24.0);
    const double tile = 16 * 8 * 8 + 14 * 6 * 6 + 12 * 4 * 4;
    CHECK(std::abs(device::bytes_a_cell(Kernels::TILE, 16) - 4 * tile / (12 * 4 * 4)) < 1e-12);
    for (const int depth : {6, 16, 32, 64}) {
        const double march =
            32 * 32 * (depth + 4.0) + 30 * 30 * (depth + 2.0) + 28 * 28 * (depth + 0.0);
        INFO("marching, " << depth << " layers");
        CHECK(std::abs(device::bytes_a_cell(Kernels::MARCH, depth) -
                       4 * march / (28 * 28 * depth)) < 1e-12);
    }
}

// ---- With one ----------------------------------------------------------------------------------

TEST_CASE("what is uploaded can be downloaded", "[gpu]") {
    const Fluid fluid = bumpy_fluid(20);
    DeviceFluid device(20);
    upload(device, fluid);
    CHECK(same_bytes(downloaded(device), fluid));
    Fluid only_u(20);
    device.download(nullptr, only_u.u.cells.data(), nullptr, nullptr);
    CHECK(same_bytes(only_u.u, fluid.u));
    CHECK(same_bytes(only_u.v, Field(20)));
    CHECK_FALSE(device::name().empty());
}

TEST_CASE("the device does what the host does", "[gpu]") {
    for (const int N : sizes) {
        const Fluid start = bumpy_fluid(N);
        const bool is_large = N >= 40;  // which takes long: one number of sweeps
        for (const int iterations : is_large ? std::vector{3} : std::vector{4, 1, 3, 0}) {
            Fluid host = start;
            host.iterations = iterations;
            Settings settings = settings_of(host);
            step(host, 0.1f);
            step(host, 0.1f);
            for (const Kernels kernels : all_kernels) {
                INFO("N = " << N << ", " << iterations << " sweeps, " << name_of(kernels));
                settings.kernels = kernels;
                compare(after(start, settings, 2), host);
            }
        }
    }
}

TEST_CASE("a large cube, too", "[gpu][large]") {
    const Fluid start = bumpy_fluid(128);
    Fluid host = start;
    host.threads = 4;
    step(host, 0.1f);
    for (const Kernels kernels : all_kernels) {
        INFO(name_of(kernels));
        Settings settings = settings_of(host);
        settings.kernels = kernels;
        compare(after(start, settings, 1), host);
    }
}

TEST_CASE("each step's kernels find what those of the step before do", "[gpu]") {
    const int N = 50;
    const Fluid start = bumpy_fluid(N);
    Settings relax_only = settings_of(start);  // the dye alone, in a fluid at rest
    relax_only.diffuse_velocity = relax_only.advect_velocity = relax_only.project_velocity = false;
    Fluid at_rest = start;
    at_rest.u = at_rest.v = at_rest.w = Field(N);
    Settings advect_only = relax_only;
    advect_only.advect_velocity = true;
    advect_only.iterations = 0;
    const auto check_steps = [&](const Fluid& fluid, Settings settings) {
        settings.kernels = Kernels::CELL;
        Fluid before = after(fluid, settings, 1);
        REQUIRE_FALSE(same_bytes(before.density, fluid.density));
        for (const Kernels kernels : {Kernels::COLOUR, Kernels::TILE, Kernels::MARCH}) {
            settings.kernels = kernels;
            const Fluid found = after(fluid, settings, 1);
            INFO(name_of(kernels) << ": bit for bit");
            CHECK(same_bytes(found, before));
            before = found;
        }
    };
    for (const int iterations : {1, 2, 3, 8}) {
        INFO("relaxation, " << iterations << " sweeps");
        relax_only.iterations = iterations;
        check_steps(at_rest, relax_only);
    }
    INFO("advection, or whole steps");
    check_steps(start, advect_only);
    check_steps(start, settings_of(start));
}

TEST_CASE("each part of the velocity's step can be switched off", "[gpu]") {
    for (int which = 0; which < 8; ++which) {
        Fluid host = bumpy_fluid(12);
        host.diffuse_velocity = which % 2 == 1;
        host.advect_velocity = which / 2 % 2 == 1;
        host.project_velocity = which / 4 == 1;
        const Fluid start = host;
        for (int n = 0; n < 3; ++n) {
            step(host, 0.1f);
        }
        INFO("diffuse " << host.diffuse_velocity << ", advect " << host.advect_velocity
                        << ", project " << host.project_velocity);
        compare(after(start, settings_of(host), 3), host);
    }
}

TEST_CASE("a graph replays what was launched one by one", "[gpu]") {
    const Fluid start = bumpy_fluid(30);
    Settings settings = settings_of(start);
    const Fluid replayed = after(start, settings, 5);
    settings.graph = false;
    CHECK(same_bytes(after(start, settings, 5), replayed));
    DeviceFluid device(30);
    upload(device, start);
    for (int n = 0; n < 5; ++n) {
        const device::Timings timings = device.timed_step(settings, 0.1f);
        CHECK(timings.relax > 0.0f);
        CHECK(timings.step() > timings.relax);
    }
    INFO("with the clock between the kernels");
    CHECK(same_bytes(downloaded(device), replayed));
    CHECK(device.timed_scale(3) > 0.0f);
    CHECK(DeviceFluid(5).timed_scale(1) > 0.0f);  // 125 is no multiple of 4

    INFO("after a change of settings another step is captured");
    settings.graph = true;
    upload(device, start);
    device.step(settings, 0.1f);
    settings.iterations = 7;
    device.step(settings, 0.05f);
    Fluid host = start;
    step(host, 0.1f);
    host.iterations = 7;
    step(host, 0.05f);
    compare(downloaded(device), host);
}

TEST_CASE("uniform flow, constants, and what is not a number", "[gpu]") {
    Fluid fluid(14);
    fluid.project_velocity = false;
    std::fill(fluid.density.cells.begin(), fluid.density.cells.end(), 0.75f);
    std::fill(fluid.u.cells.begin(), fluid.u.cells.end(), 1.0f);
    std::fill(fluid.w.cells.begin(), fluid.w.cells.end(), -0.5f);
    const Fluid carried = after(fluid, settings_of(fluid), 1);
    CHECK(std::abs(carried.u(6, 7, 8) - 1.0f) < 1e-5f);
    CHECK(std::abs(carried.w(6, 7, 8) + 0.5f) < 1e-5f);
    CHECK(std::abs(carried.density(13, 0, 7) - 0.75f) < 1e-5f);
    fluid = bumpy_fluid(14);
    fluid.u(3, 4, 5) = std::numeric_limits<float>::quiet_NaN();
    fluid.w(5, 4, 3) = std::numeric_limits<float>::infinity();
    CHECK(std::isnan(after(fluid, settings_of(fluid), 1).u(3, 4, 5)));
}

TEST_CASE("two devices' fluids do not disturb each other, and one may move", "[gpu]") {
    const Fluid start = bumpy_fluid(16);
    DeviceFluid one(16);
    DeviceFluid other(20);
    upload(one, start);
    upload(other, bumpy_fluid(20));
    DeviceFluid moved = std::move(one);
    moved.step(settings_of(start), 0.1f);
    other.step(settings_of(start), 0.1f);
    CHECK(same_bytes(downloaded(moved), after(start, settings_of(start), 1)));
    moved.step(settings_of(start), 0.1f);
    moved = std::move(other);  // while it is at work
    CHECK(moved.N() == 20);
    CHECK(same_bytes(downloaded(moved), after(bumpy_fluid(20), settings_of(start), 1)));
}

TEST_CASE("more than fits into the device is refused in one line", "[gpu][large]") {
    std::vector<std::unique_ptr<DeviceFluid>> many;
    std::string message;
    for (int n = 0; n < 64 && message.empty(); ++n) {
        try {
            many.push_back(std::make_unique<DeviceFluid>(1280));
        } catch (const device::Error& error) {
            message = error.what();
        }
    }
    CHECK(message.find("memory") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
    many.clear();
    INFO("and afterwards all is well");
    CHECK(refusal(16) == "none");
}

int main(int argc, char** argv) {
    Catch::Session session;
    if (const int wrong = session.applyCommandLine(argc, argv)) {
        return wrong;
    }
    const std::string reason = device::why_not();
    if (!reason.empty()) {
        session.configData().testsOrTags.emplace_back("~[gpu]");
    }
    const int failed = session.run();
    if (failed != 0 || reason.empty()) {
        return failed;
    }
    std::printf(
        "\n==== SKIPPED: no test of the device code has run ====\n"
        "==== %s ====\n\n",
        reason.c_str());
    return 77;
}
