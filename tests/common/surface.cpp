// A surface of water in pictures and as a mesh, compared with geometry.
#include "common/draw/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "catch.hpp"
#include "common/io/surface_mesh.hpp"

using namespace workbook;

namespace {

parallel::ThreadPool& one_thread() {
    static parallel::ThreadPool pool(1);
    return pool;
}

/// The distance to a surface at each point of a box of three different sides.
template <class Distance>
LevelSet level_set(Distance distance) {
    LevelSet found = {18, 14, 10};
    for (int k = 0; k < found.nz; ++k) {
        for (int j = 0; j < found.ny; ++j) {
            for (int i = 0; i < found.nx; ++i) {
                found.phi[found.index(i, j, k)] =
                    distance(static_cast<float>(i) + 0.5f, static_cast<float>(j) + 0.5f,
                             static_cast<float>(k) + 0.5f);
            }
        }
    }
    return found;
}

LevelSet ball(float x, float y, float z, float radius) {
    return level_set(
        [=](float a, float b, float c) { return std::hypot(a - x, b - y, c - z) - radius; });
}

constexpr Liquid water = {1.33f, {3.2f, 1.2f, 0.8f}, 0.4f, {0.02f, 0.2f, 0.3f}};

SurfaceMesh net(const LevelSet& of) {
    return surface_net(of.nx, of.ny, of.nz, of.phi);
}

/// Six times the volume within a mesh, positive if its faces look outwards in a right-handed space.
double volume_within(const SurfaceMesh& mesh) {
    double sum = 0.0;
    for (const auto& face : mesh.faces) {
        for (const std::size_t n : {1u, 2u}) {
            const auto& [x, y, z] = mesh.places[face[0]];
            const auto& [u, v, w] = mesh.places[face[n]];
            const auto& [k, l, m] = mesh.places[face[n + 1]];
            sum += static_cast<double>(x * (v * m - w * l) + y * (w * k - u * m) +
                                       z * (u * l - v * k));
        }
    }
    return sum / 6.0;
}

}  // namespace

TEST_CASE("a mesh of a ball is closed, and encloses the ball", "[surface]") {
    const SurfaceMesh mesh = net(ball(8.2f, 6.6f, 5.1f, 4.0f));
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& face : mesh.faces) {
        for (std::size_t n = 0; n < 4; ++n) {
            const std::uint32_t a = face[n], b = face[(n + 1) % 4];
            edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
    }
    REQUIRE(edges.size() > 300);
    CHECK(
        std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 0; }));
    for (const auto& [x, y, z] : mesh.places) {
        CHECK_THAT(std::hypot(x - 8.2f, y - 6.6f, z - 5.1f), Catch::Matchers::WithinAbs(4.0, 0.15));
    }
    CHECK_THAT(volume_within(mesh), Catch::Matchers::WithinRel(4.0 / 3.0 * 3.14159 * 64.0, 0.08));
}

TEST_CASE("a mesh ends at the faces of the box", "[surface]") {
    const SurfaceMesh mesh = net(level_set([](float, float y, float) { return 8.25f - y; }));
    CHECK_THAT(volume_within(mesh), Catch::Matchers::WithinRel(18.0 * (14.0 - 8.25) * 10.0, 0.03));
    for (const auto& [x, y, z] : mesh.places) {
        CHECK(std::min({x, y - 8.2f, z}) > -1e-4f);
        CHECK(std::max({x - 18.0f, y - 14.0f, z - 10.0f}) < 1e-4f);
    }
    CHECK(net(level_set([](float, float, float) { return 1.0f; })).faces.empty());
    CHECK_THROWS_AS(surface_net(3, 2, 2, std::vector<float>(11)), std::invalid_argument);
}

TEST_CASE("a ray is within a liquid from where it meets its surface on", "[surface]") {
    const Liquid straight = {1.0f, {3.0f, 2.0f, 0.5f}, 0.0f, {0.0f, 0.0f, 0.25f}};  // no refraction
    const LitSurface lit(ball(8.2f, 6.6f, 5.1f, 4.0f), straight, one_thread());
    for (const float aside : {0.0f, 1.7f, 3.0f}) {
        const LitSurface::Seen seen =
            lit.look({8.2f, 6.6f + aside, -20.0f}, {0.0f, 0.0f, 1.0f}, {0.8f, 0.5f, 1.0f});
        REQUIRE(seen.anything);
        const float chord = 2.0f * std::sqrt(16.0f - aside * aside);
        const auto left = [chord](float absorption) { return std::exp(-absorption * chord / 18); };
        INFO("the ray is in the ball for " << chord << " cells");
        CHECK_THAT(seen.light.red, Catch::Matchers::WithinAbs(0.8f * left(3.0f), 0.01));
        CHECK_THAT(seen.light.green, Catch::Matchers::WithinAbs(0.5f * left(2.0f), 0.01));
        CHECK_THAT(seen.light.blue,
                   Catch::Matchers::WithinAbs(left(0.5f) + 0.25f * (1.0f - left(0.5f)), 0.01));
    }
}

TEST_CASE("a ray loses red light in a ball of water, and none beside it", "[surface]") {
    const LitSurface lit(ball(8.2f, 6.6f, 5.1f, 4.0f), water, one_thread());
    const LitSurface::Seen seen = lit.look({8.2f, 6.6f, -20.0f}, {0.0f, 0.0f, 1.0f}, {1, 1, 1});
    REQUIRE(seen.anything);
    const LitSurface::Seen beside =
        lit.look({1.0f, 1.0f, -20.0f}, {0.0f, 0.0f, 1.0f}, {0.25f, 1, 1});
    CHECK(!beside.anything);
    CHECK(beside.light.red == 0.25f);
    INFO("through the middle of a ball a ray goes straight on, and loses red light");
    CHECK(seen.light.red < seen.light.blue);
    CHECK(seen.light.blue > 0.5f);
}

TEST_CASE("light without water reaches the floor evenly, and a solid casts a shadow", "[surface]") {
    LevelSet empty = level_set([](float, float, float) { return 1.0f; });
    const auto floor_at = [](const LitSurface& lit, float x, float z) {
        return lit.look({x, -5.0f, z}, {0.0f, 1.0f, 0.0f}, {0, 0, 0}).light.green;
    };
    const LitSurface bare(empty, water, one_thread());
    const float bright = floor_at(bare, 5.6f, 5.6f);  // in the middle of a tile
    CHECK(bright > 0.2f);
    CHECK_THAT(floor_at(bare, 10.1f, 5.6f), Catch::Matchers::WithinRel(bright, 0.01f));
    empty.solid.assign(empty.count(), 0.0f);
    for (int k = 4; k < 8; ++k) {
        for (int i = 4; i < 8; ++i) {
            empty.solid[empty.index(i, 9, k)] = 1.0f;
        }
    }
    const LitSurface shaded(empty, water, one_thread());
    INFO("the light comes from the left, from above and from the front");
    CHECK(floor_at(shaded, 8.6f, 8.6f) < 0.5f * bright);
    CHECK_THAT(floor_at(shaded, 14.6f, 5.6f), Catch::Matchers::WithinRel(bright, 0.01f));
}

TEST_CASE("a picture of water is the same for any number of threads", "[surface]") {
    LevelSet bumpy =
        level_set([](float x, float y, float z) { return 7.0f + std::sin(x) * std::cos(z) - y; });
    bumpy.phi[bumpy.index(3, 5, 2)] = std::numeric_limits<float>::quiet_NaN();
    std::vector<Picture> pictures;
    for (const int threads : {1, 3}) {
        parallel::ThreadPool pool(threads);
        Picture picture(120, 90);
        const CubeView view({0, 0, 120, 90}, Camera{}, bumpy.sides());
        draw_surface(picture, view, LitSurface(bumpy, water, pool), pool);
        pictures.push_back(picture);
    }
    int different = 0;
    for (std::size_t n = 0; n < pictures[0].rgba().size(); ++n) {
        different += std::abs(pictures[0].rgba()[n] - pictures[1].rgba()[n]) > 1 ? 1 : 0;
    }
    CHECK(different == 0);
    LevelSet wrong = bumpy;
    wrong.phi.pop_back();
    CHECK_THROWS_AS(LitSurface(wrong, water, one_thread()), std::invalid_argument);
}
