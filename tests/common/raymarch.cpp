// Light in volumes: marched along rays, and compared with integrals done by hand, with geometry,
// and with a slow marcher of the test's own.
#include "common/draw/raymarch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "catch.hpp"

using namespace workbook;

namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
const Light no_light = {{-0.6f, -1.0f, -0.5f}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

parallel::ThreadPool& one_thread() {
    static parallel::ThreadPool pool(1);
    return pool;
}

LitVolume lit(const Volume& volume, const Light& light = no_light) {
    return {volume, light, one_thread()};
}

/// A box of three different sides, with the same extinction everywhere.
Volume slab(float extinction) {
    Volume volume = {7, 5, 3, 0.25f};
    volume.extinction.assign(volume.count(), extinction);
    return volume;
}

/// The box with another number in each cell.
Volume uneven(int nx, int ny, int nz) {
    Volume volume = {nx, ny, nz};
    std::mt19937 random(7);
    std::uniform_real_distribution<float> number(0.05f, 0.6f);
    volume.colour.resize(volume.count());
    volume.glow.resize(volume.count());
    for (std::size_t n = 0; n < volume.count(); ++n) {
        volume.extinction[n] = number(random);
        volume.colour[n] = {number(random), number(random), number(random)};
        volume.glow[n] = {number(random), number(random), number(random)};
    }
    return volume;
}

struct Vector {
    double x, y, z;
};

/// How long the way from a place to the box's faces is, in a direction of length 1.
double way_out(const Volume& volume, Vector from, Vector along) {
    double least = 1e30;
    const auto face = [&least](double start, double step, int side) {
        if (step != 0.0) {
            least = std::min(least, (step > 0.0 ? side - start : -start) / step);
        }
    };
    face(from.x, along.x, volume.nx);
    face(from.y, along.y, volume.ny);
    face(from.z, along.z, volume.nz);
    return least;
}

Vector unit(Place3 a) {
    const double length = std::sqrt(1.0 * a.x * a.x + 1.0 * a.y * a.y + 1.0 * a.z * a.z);
    return {a.x / length, a.y / length, a.z / length};
}

/// A number of the cells, interpolated at a place.
template <class Value>
double interpolated(const Volume& volume, Vector place, const Value& value) {
    double sum = 0.0;
    const auto part = [](double at, int n, int side, int& cell) {
        const double from_first = std::clamp(at - 0.5, 0.0, n - 1.0);
        const int first = std::min(static_cast<int>(from_first), std::max(n - 2, 0));
        cell = std::min(first + side, n - 1);
        return side == 1 ? from_first - first : 1.0 - (from_first - first);
    };
    for (int corner = 0; corner < 8; ++corner) {
        int i = 0, j = 0, k = 0;
        const double weight = part(place.x, volume.nx, corner & 1, i) *
                              part(place.y, volume.ny, corner >> 1 & 1, j) *
                              part(place.z, volume.nz, corner >> 2, k);
        sum += weight * value(volume.index(i, j, k));
    }
    return sum;
}

/// Marches as slowly and plainly as can be from a place inside of the box: transmittance, and what
/// glows red.
std::pair<double, double> plain_march(const Volume& volume, Vector from, Vector along) {
    const double length = way_out(volume, from, along);
    const int steps = static_cast<int>(std::ceil(length));
    double left = 1.0, red = 0.0;
    for (int n = 0; n < steps; ++n) {
        const double t = (n + 0.5) * length / steps;
        const Vector place = {from.x + t * along.x, from.y + t * along.y, from.z + t * along.z};
        const double s = interpolated(
            volume, place, [&](std::size_t c) { return volume.extinction[c] * volume.cell_size; });
        const double glow = interpolated(
            volume, place, [&](std::size_t c) { return volume.glow[c].red * volume.cell_size; });
        const double passed = std::exp(-s * length / steps);
        red += left * (s > 0.0 ? glow * (1.0 - passed) / s : glow * length / steps);
        left *= passed;
    }
    return {left, red};
}

int different_pixels(const Picture& a, const Picture& b) {
    int count = 0;
    for (std::size_t n = 0; n < a.rgba().size(); n += 4) {
        count += std::equal(a.rgba().begin() + static_cast<std::ptrdiff_t>(n),
                            a.rgba().begin() + static_cast<std::ptrdiff_t>(n + 4),
                            b.rgba().begin() + static_cast<std::ptrdiff_t>(n))
                     ? 0
                     : 1;
    }
    return count;
}

Picture striped(int width, int height) {
    Picture picture(width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const auto grey = static_cast<std::uint8_t>((37 * x + 11 * y) % 256);
            picture.pixel(x, y, {grey, static_cast<std::uint8_t>(255 - grey), 90});
        }
    }
    return picture;
}

}  // namespace

TEST_CASE("light through a slab falls off as e^(-s L), along every axis and aslant") {
    const float s = 1.3f;
    const LitVolume box = lit(slab(s));
    const auto expect = [&](Place3 from, Place3 along, double cells) {
        INFO("along " << along.x << ' ' << along.y << ' ' << along.z);
        const double left = std::exp(-s * 0.25 * cells);
        CHECK_THAT(box.march(from, along).transmittance, WithinAbs(left, 1e-6));
    };
    expect({-2.0f, 2.2f, 1.1f}, {1, 0, 0}, 7.0);
    expect({9.0f, 2.2f, 1.1f}, {-3, 0, 0}, 7.0);
    expect({3.3f, -1.0f, 1.1f}, {0, 2, 0}, 5.0);
    expect({3.3f, 2.2f, 4.0f}, {0, 0, -1}, 3.0);
    expect({3.3f, 2.2f, 1.25f}, {0, 0, 1}, 1.75);  // from within
    // In at the corner's edge (x = 0, y = 1), out at x = 3, y = 5: a way of 5, all in the plane.
    expect({0.0f, 1.0f, 1.1f}, {3, 4, 0}, 5.0);
    // In through z = 0 at (1, 1, 0), out through z = 3 at (4, 3, 3).
    expect({1.0f - 3.0f, 1.0f - 2.0f, -3.0f}, {3, 2, 3}, std::sqrt(22.0));
    expect({3.3f, 5.5f, 1.1f}, {1, 0, 0}, 0.0);  // past the box
    expect({3.3f, 2.2f, 4.0f}, {0, 0, 1}, 0.0);  // away from it
    expect({nan_value, 2.2f, 1.1f}, {1, 2, 3}, 0.0);
    expect({3.3f, std::numeric_limits<float>::infinity(), 1.1f}, {1, -2, 3}, 0.0);
}

TEST_CASE("a slab that glows shines with its integral; without extinction with its length") {
    Volume volume = slab(0.8f);
    volume.glow.assign(volume.count(), {0.5f, 0.25f, 0.0f});
    const LitVolume::Seen seen = lit(volume).march({-1, 2, 1}, {1, 0, 0});
    const double length = 7 * 0.25;
    CHECK_THAT(seen.radiance.red, WithinAbs(0.5 / 0.8 * (1 - std::exp(-0.8 * length)), 1e-6));
    CHECK_THAT(seen.radiance.green, WithinAbs(0.25 / 0.8 * (1 - std::exp(-0.8 * length)), 1e-6));
    CHECK(seen.radiance.blue == 0.0f);
    volume.extinction.assign(volume.count(), 0.0f);
    const LitVolume::Seen clear = lit(volume).march({-1, 2, 1}, {1, 0, 0});
    CHECK_THAT(clear.radiance.red, WithinAbs(0.5 * length, 1e-6));
    CHECK(clear.transmittance == 1.0f);
}

TEST_CASE("a ray meets the cells that lie on it, the nearer before the farther") {
    const Volume volume = uneven(7, 5, 3);
    const LitVolume box = lit(volume);
    const auto expect = [&](Place3 from, Place3 along, const std::vector<std::size_t>& cells) {
        double left = 1.0, green = 0.0;
        for (const std::size_t n : cells) {
            const double s = volume.extinction[n];
            green += left * volume.glow[n].green / s * (1.0 - std::exp(-s));
            left *= std::exp(-s);
        }
        const LitVolume::Seen seen = box.march(from, along);
        CHECK_THAT(seen.transmittance, WithinAbs(left, 1e-6));
        CHECK_THAT(seen.radiance.green, WithinAbs(green, 1e-6));
    };
    std::vector<std::size_t> right, left, down, away;
    for (int n = 0; n < 7; ++n) {
        right.push_back(volume.index(n, 1, 2));
        left.push_back(volume.index(6 - n, 1, 2));
    }
    for (int n = 0; n < 5; ++n) {
        down.push_back(volume.index(4, n, 2));
    }
    for (int n = 0; n < 3; ++n) {
        away.push_back(volume.index(4, 1, n));
    }
    expect({-1.0f, 1.5f, 2.5f}, {1, 0, 0}, right);
    expect({8.0f, 1.5f, 2.5f}, {-1, 0, 0}, left);
    expect({4.5f, -1.0f, 2.5f}, {0, 1, 0}, down);
    expect({4.5f, 1.5f, -1.0f}, {0, 0, 1}, away);
}

TEST_CASE("between the cells' centres values are interpolated, beyond them they stay") {
    Volume volume = {1, 4, 3};
    volume.extinction = {0.1f, 0.2f, 0.7f, 0.3f, 0.5f, 0.9f, 0.4f, 0.8f, 0.6f, 0.25f, 0.35f, 0.45f};
    const LitVolume box = lit(volume);
    const auto through = [&](float y, float z) {
        return -std::log(box.march({-1.0f, y, z}, {1, 0, 0}).transmittance);
    };
    CHECK_THAT(through(1.5f, 0.5f), WithinAbs(0.2, 1e-6));
    CHECK_THAT(through(1.75f, 0.5f), WithinAbs(0.75 * 0.2 + 0.25 * 0.7, 1e-6));
    CHECK_THAT(through(2.5f, 1.25f), WithinAbs(0.25 * 0.7 + 0.75 * 0.4, 1e-6));
    CHECK_THAT(
        through(0.75f, 1.75f),
        WithinAbs(0.75 * (0.75 * 0.5 + 0.25 * 0.9) + 0.25 * (0.75 * 0.6 + 0.25 * 0.25), 1e-6));
    CHECK_THAT(through(0.1f, 0.3f), WithinAbs(0.1, 1e-6));
    CHECK_THAT(through(3.9f, 2.9f), WithinAbs(0.45, 1e-6));
}

TEST_CASE("a ray through mostly empty cells meets all that a plain marcher meets") {
    Volume volume = {19, 31, 13, 0.5f};
    volume.glow.resize(volume.count());
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(0.0f, 1.0f);
    for (std::size_t n = 0; n < volume.count(); ++n) {
        if (number(random) < 0.01f) {
            volume.extinction[n] = 4.0f * number(random);
            volume.glow[n] = {number(random), 0.0f, 0.0f};
        }
    }
    const LitVolume box = lit(volume);
    int touched = 0;
    for (int ray = 0; ray < 300; ++ray) {
        const Place3 from = {19 * number(random), 31 * number(random), 13 * number(random)};
        const Place3 along = {number(random) - 0.5f, number(random) - 0.5f, number(random) - 0.5f};
        const auto [left, red] = plain_march(volume, {from.x, from.y, from.z}, unit(along));
        const LitVolume::Seen seen = box.march(from, along);
        INFO("ray " << ray);
        CHECK_THAT(seen.transmittance, WithinAbs(left, 2e-5));
        CHECK_THAT(seen.radiance.red, WithinAbs(red, 2e-5));
        touched += left < 0.999 ? 1 : 0;
    }
    CHECK(touched > 50);
}

TEST_CASE("in a slab the light falls off towards the inside as e^(-s L)") {
    for (const Place3 towards :
         {Place3{-0.6f, -1.0f, -0.5f}, {2, 1, 0.3f}, {0, 0, 3}, {0.1f, 5, 0}}) {
        const Volume volume = slab(1.1f);
        const std::vector<float> reaching = light_reaching(volume, towards, one_thread());
        REQUIRE(reaching.size() == volume.count());
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 5; ++j) {
                for (int i = 0; i < 7; ++i) {
                    const double way = way_out(volume, {i + 0.5, j + 0.5, k + 0.5}, unit(towards));
                    CHECK_THAT(reaching[volume.index(i, j, k)],
                               WithinAbs(std::exp(-1.1 * 0.25 * way), 1e-6));
                }
            }
        }
    }
}

TEST_CASE("each cell's light goes through the cells on its way") {
    const Volume volume = uneven(7, 9, 5);
    for (const Place3 towards : {Place3{-0.6f, -1.0f, -0.5f}, {2, 1, 0.3f}, {0.4f, 0.2f, -1}}) {
        const std::vector<float> reaching = light_reaching(volume, towards, one_thread());
        const Vector along = unit(towards);
        for (int k = 0; k < 5; ++k) {
            for (int j = 0; j < 9; ++j) {
                for (int i = 0; i < 7; ++i) {
                    const Vector from = {i + 0.5, j + 0.5, k + 0.5};
                    const double way = way_out(volume, from, along);
                    double depth = 0.0;
                    for (int n = 0; n < way; ++n) {  // whole cells, and what is left
                        const double step = std::min(1.0, way - n), at = n + 0.5 * step;
                        depth += step * interpolated(volume,
                                                     {from.x + at * along.x, from.y + at * along.y,
                                                      from.z + at * along.z},
                                                     [&](std::size_t cell) {
                                                         return 1.0 * volume.extinction[cell];
                                                     });
                    }
                    CHECK_THAT(reaching[volume.index(i, j, k)], WithinAbs(std::exp(-depth), 1e-5));
                }
            }
        }
    }
}

TEST_CASE("smoke throws back the light that reaches it, in its own colour") {
    Volume volume = uneven(6, 9, 4);
    volume.glow.clear();
    const Light light = {{0.3f, -1.0f, -0.7f}, {1.0f, 0.8f, 0.6f}, {0.1f, 0.2f, 0.3f}, {}};
    const std::vector<float> reaching = light_reaching(volume, light.towards, one_thread());
    double left = 1.0, red = 0.0, blue = 0.0;
    for (int k = 0; k < 4; ++k) {
        const std::size_t n = volume.index(4, 2, k);
        const double share = left * (1.0 - std::exp(-volume.extinction[n]));
        red += share * volume.colour[n].red * (0.1 + reaching[n]);
        blue += share * volume.colour[n].blue * (0.3 + 0.6 * reaching[n]);
        left *= std::exp(-volume.extinction[n]);
    }
    const LitVolume::Seen seen = lit(volume, light).march({4.5f, 2.5f, -1.0f}, {0, 0, 1});
    CHECK_THAT(seen.radiance.red, WithinAbs(red, 1e-5));
    CHECK_THAT(seen.radiance.blue, WithinAbs(blue, 1e-5));
}

TEST_CASE("a sphere's shadow lies behind it, and nowhere else") {
    const Place3 towards = {-0.5f, -1.0f, 0.35f};
    const Vector to_light = unit(towards);
    const Vector middle = {11.0, 9.0, 15.0};
    const double radius = 4.0;
    for (const bool is_solid : {false, true}) {
        Volume volume = {24, 28, 20};
        volume.extinction.assign(volume.count(), 0.02f);
        const std::vector<float> without = light_reaching(volume, towards, one_thread());
        volume.solid.resize(is_solid ? volume.count() : 0);
        int in_shadow = 0, in_light = 0;
        for (int pass = 0; pass < 2; ++pass) {
            const std::vector<float> reaching = light_reaching(volume, towards, one_thread());
            for (int k = 0; k < 20; ++k) {
                for (int j = 0; j < 28; ++j) {
                    for (int i = 0; i < 24; ++i) {
                        const std::size_t n = volume.index(i, j, k);
                        const Vector from = {middle.x - i - 0.5, middle.y - j - 0.5,
                                             middle.z - k - 0.5};
                        const double squared = from.x * from.x + from.y * from.y + from.z * from.z;
                        if (pass == 0) {
                            if (squared < radius * radius) {
                                (is_solid ? volume.solid[n] : volume.extinction[n]) = 5.0f;
                            }
                            continue;
                        }
                        const double ahead =
                            from.x * to_light.x + from.y * to_light.y + from.z * to_light.z;
                        const double beside = std::sqrt(std::max(squared - ahead * ahead, 0.0));
                        if (ahead > radius && beside < radius - 1.5) {
                            CHECK(reaching[n] < 1e-3f);
                            ++in_shadow;
                        } else if (beside > radius + 1.5 || ahead < -radius - 1.5) {
                            CHECK(reaching[n] == without[n]);
                            ++in_light;
                        }
                    }
                }
            }
        }
        CHECK(in_shadow > 100);
        CHECK(in_light > 8000);
    }
}

TEST_CASE("smoke throws its shadow on a solid") {
    Volume volume = {16, 16, 16};
    volume.solid.resize(volume.count());
    for (int k = 0; k < 16; ++k) {
        for (int i = 0; i < 16; ++i) {
            for (int j = 10; j < 16; ++j) {
                volume.solid[volume.index(i, j, k)] = 1.0f;
            }
            for (int j = 3; j < 5; ++j) {  // a cloud above the left half
                volume.extinction[volume.index(i, j, k)] = i < 8 ? 1.0f : 0.0f;
            }
        }
    }
    Light light;
    light.towards = {0.0f, -1.0f, 0.0f};
    const auto red_at = [&](float x) {  // seen from below the cloud
        return lit(volume, light).march({x, 6.5f, -1.0f}, {0.0f, 1.0f, 2.0f}).radiance.red;
    };
    const float in_shadow = light.solid.red * (light.ambient.red + std::exp(-2.0f));
    const float in_light = light.solid.red * (light.ambient.red + 1.0f);
    CHECK_THAT(red_at(4.5f), WithinAbs(in_shadow, 1e-3));
    CHECK_THAT(red_at(12.5f), WithinAbs(in_light, 1e-3));
}

TEST_CASE("in two dimensions the light lies in the plane, and a disc throws its shadow there") {
    Volume volume = {30, 20, 1};
    const Place3 towards = {1.0f, -2.0f, 7.0f};
    const Vector to_light = unit({1.0f, -2.0f, 0.0f});
    for (int j = 0; j < 20; ++j) {
        for (int i = 0; i < 30; ++i) {
            const double r = std::hypot(i + 0.5 - 20.0, j + 0.5 - 7.0);
            volume.extinction[volume.index(i, j, 0)] = r < 3.5 ? 6.0f : 0.05f;
        }
    }
    const std::vector<float> reaching = light_reaching(volume, towards, one_thread());
    int in_shadow = 0;
    for (int j = 0; j < 20; ++j) {
        for (int i = 0; i < 30; ++i) {
            const Vector from = {20.0 - i - 0.5, 7.0 - j - 0.5, 0.0};
            const double ahead = from.x * to_light.x + from.y * to_light.y;
            const double beside = std::abs(from.x * to_light.y - from.y * to_light.x);
            const double fog = std::exp(-0.05 * way_out(volume, {i + 0.5, j + 0.5, 0.5}, to_light));
            if (ahead > 3.5 && beside < 2.0) {
                CHECK(reaching[volume.index(i, j, 0)] < 1e-3f);
                ++in_shadow;
            } else if (beside > 5.0 || ahead < -5.0) {
                CHECK_THAT(reaching[volume.index(i, j, 0)], WithinAbs(fog, 1e-5));
            }
        }
    }
    CHECK(in_shadow > 20);

    const Light light = {towards, {1, 1, 1}, {0.05f, 0.05f, 0.05f}, {0.5f, 0.5f, 0.5f}};
    Picture picture(320, 220);
    draw_layer(picture, 10.0f, 10.0f, 10.0f, lit(volume, light), 0, 30.0f, one_thread());
    const auto at = [&](int i, int j) { return picture.at(15 + 10 * i, 15 + 10 * j).red; };
    INFO("the shadow falls to the lower left of the disc, and not to its other sides");
    CHECK(at(16, 14) < 90);
    CHECK(at(24, 14) > 150);
    CHECK(at(16, 2) > 150);
    CHECK(at(25, 2) > 150);
    CHECK(picture.at(5, 100).red == 0);
    CHECK(picture.at(315, 100).red == 0);
}

TEST_CASE("a layer of two dimensions lets through e^(-s depth), cell by cell") {
    const Volume volume = uneven(7, 5, 1);
    const LitVolume box = lit(volume);
    const double s = volume.extinction[volume.index(4, 1, 0)];
    const double next = volume.extinction[volume.index(5, 1, 0)];
    CHECK_THAT(box.look_at(4.5f, 1.5f, 0, 6.0f).transmittance, WithinAbs(std::exp(-6 * s), 1e-6));
    CHECK_THAT(box.look_at(4.75f, 1.5f, 0, 2.0f).transmittance,
               WithinAbs(std::exp(-2 * (0.75 * s + 0.25 * next)), 1e-6));
    CHECK(box.look_at(-0.1f, 1.5f, 0, 6.0f).transmittance == 1.0f);
    CHECK(box.look_at(4.5f, 5.1f, 0, 6.0f).transmittance == 1.0f);
    CHECK(box.look_at(4.5f, 1.5f, 1, 6.0f).transmittance == 1.0f);
    CHECK(box.look_at(nan_value, 1.5f, 0, 6.0f).transmittance == 1.0f);
}

TEST_CASE("a cell is drawn where the camera sees it, in boxes of all shapes") {
    const Camera cameras[] = {
        {0.5f, 0.4f}, {2.5f, -0.4f}, {1.2f, 0.2f}, {0.3f, 1.3f}, {0.0f, 0.0f}};
    for (const Camera camera : cameras) {
        Volume volume = {10, 16, 6};
        volume.glow.resize(volume.count());
        volume.extinction[volume.index(8, 3, 4)] = 20.0f;
        volume.glow[volume.index(8, 3, 4)] = {20.0f, 10.0f, 0.0f};
        const CubeView view({10, 20, 300, 300}, camera, volume.sides());
        for (const int side : {1, 2}) {
            Picture picture(330, 340);
            draw_volume(picture, view, lit(volume), one_thread(), side);
            double x = 0.0, y = 0.0, all = 0.0;
            for (int row = 0; row < 340; ++row) {
                for (int column = 0; column < 330; ++column) {
                    const double red = linear_light(picture.at(column, row)).red;
                    x += red * (column + 0.5);
                    y += red * (row + 0.5);
                    all += red;
                }
            }
            const CubeView::Point at = view.point({8.5f / 10, 3.5f / 16, 4.5f / 6});
            INFO("turned " << camera.turned << ", tipped " << camera.tipped << ", " << side);
            REQUIRE(all > 0.0);
            CHECK_THAT(x / all, WithinAbs(at.x, 0.7));
            CHECK_THAT(y / all, WithinAbs(at.y, 0.7));
            const double cell = 300.0 / std::sqrt(100.0 + 256.0 + 36.0);
            CHECK((all > 0.7 * cell * cell && all < 5.0 * cell * cell));
        }
    }
}

TEST_CASE(
    "a box's sides are seen in their own lengths, and the direction of the look has length 1") {
    const CubeView view({0, 0, 300, 200}, {0.7f, 0.3f}, {2.0f, 3.0f, 6.0f});
    const Place3 ends[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double sides[] = {2.0, 3.0, 6.0};
    for (int axis = 0; axis < 3; ++axis) {
        const CubeView::Point from = view.point({0, 0, 0});
        const CubeView::Point to = view.point(ends[axis]);
        const double depth = view.distance(ends[axis]) - view.distance({0, 0, 0});
        const double seen = std::hypot(to.x - from.x, to.y - from.y) * 7.0 / 200.0;
        CHECK_THAT(std::hypot(seen, depth), WithinAbs(sides[axis], 1e-4));
        const Place3 away = view.away();
        const float part = axis == 0 ? away.x : axis == 1 ? away.y : away.z;
        CHECK_THAT(part * sides[axis], WithinAbs(depth, 1e-5));
    }
    INFO("however long a side is, the one that is seen most nearly from its end faces the viewer");
    CHECK(CubeView({0, 0, 300, 200}, {0.55f, 0.4f}, {20.0f, 1.0f, 1.0f}).facing_axis() == 2);
}

TEST_CASE(
    "solids hide what is behind them, are bright towards the light and dark on the other side") {
    Volume volume = {20, 20, 20};
    volume.solid.resize(volume.count());
    volume.glow.resize(volume.count());
    for (int k = 0; k < 20; ++k) {
        for (int j = 0; j < 20; ++j) {
            for (int i = 0; i < 20; ++i) {
                const double r = std::hypot(std::hypot(i - 9.5, j - 9.5), k - 7.5);
                volume.solid[volume.index(i, j, k)] =
                    static_cast<float>(std::clamp(5.5 - r, 0.0, 1.0));
            }
        }
    }
    volume.glow[volume.index(9, 9, 18)] = {9.0f, 9.0f, 9.0f};  // behind the ball
    volume.glow[volume.index(15, 9, 0)] = {0.0f, 0.5f, 0.0f};  // before its left
    const Light light = {{-1, 0, 0}, {1, 1, 1}, {0.05f, 0.05f, 0.05f}, {0.5f, 0.5f, 0.5f}};
    const LitVolume box = lit(volume, light);
    const LitVolume::Seen left = box.march({6.5f, 10.0f, -5.0f}, {0, 0, 1});
    const LitVolume::Seen middle = box.march({10.0f, 10.0f, -5.0f}, {0, 0, 1});
    const LitVolume::Seen right = box.march({13.5f, 10.0f, -5.0f}, {0, 0, 1});
    for (const LitVolume::Seen& seen : {left, middle, right}) {
        CHECK(seen.transmittance == 0.0f);
    }
    // The ball is cut at half of its soft edge, at radius 5: 3.5 to the left its normal has the
    // share 0.7 of the light.
    CHECK_THAT(left.radiance.red, WithinAbs(0.5 * (0.05 + 0.7), 0.05));
    CHECK_THAT(right.radiance.red, WithinAbs(0.5 * 0.05, 1e-3));
    CHECK(middle.radiance.red < 0.1f);
    const LitVolume::Seen before = box.march({17.3f, 9.5f, -5.0f}, {-0.2f, 0, 0.6f});
    CHECK(before.radiance.green > before.radiance.red + 0.05f);
}

TEST_CASE("the picture does not depend on the number of threads") {
    const Volume volume = uneven(17, 11, 23);
    const CubeView view({3, 5, 200, 190}, {0.8f, 0.35f}, volume.sides());
    Picture expected = striped(210, 200);
    const LitVolume alone(volume, Light{}, one_thread());
    draw_volume(expected, view, alone, one_thread());
    draw_layer(expected, 12.5f, 8.0f, 2.0f, alone, 7, 3.0f, one_thread());
    const std::vector<float> light = light_reaching(volume, {1, -2, 3}, one_thread());
    CHECK(different_pixels(expected, striped(210, 200)) > 5000);
    for (const int threads : {2, 3, 7}) {
        parallel::ThreadPool pool(threads);
        Picture picture = striped(210, 200);
        const LitVolume together(volume, Light{}, pool);
        draw_volume(picture, view, together, pool);
        draw_layer(picture, 12.5f, 8.0f, 2.0f, together, 7, 3.0f, pool);
        INFO(threads << " threads");
        CHECK(different_pixels(expected, picture) == 0);
        CHECK(light_reaching(volume, {1, -2, 3}, pool) == light);
    }
}

TEST_CASE("a coarse picture has squares of pixels, and looks like the fine one") {
    Volume volume = uneven(9, 9, 9);
    const CubeView view({0, 0, 200, 200}, {0.8f, 0.35f}, volume.sides());
    const LitVolume box = lit(volume, Light{});
    Picture fine(200, 200), coarse(200, 200);
    draw_volume(fine, view, box, one_thread());
    draw_volume(coarse, view, box, one_thread(), 2);
    double difference = 0.0;
    int same_as_right = 0;
    for (int y = 60; y < 140; ++y) {
        for (int x = 60; x < 140; ++x) {
            difference += std::abs(fine.at(x, y).green - coarse.at(x, y).green);
            same_as_right += coarse.at(x, y) == coarse.at(x + 1, y) ? 1 : 0;
        }
    }
    CHECK(difference / (80 * 80) < 4.0);
    CHECK(same_as_right >= 80 * 80 / 2);
}

TEST_CASE("a picture from few rays is as smooth as that from many") {
    Volume volume = {24, 24, 24};  // a soft ball
    for (int k = 0; k < 24; ++k) {
        for (int j = 0; j < 24; ++j) {
            for (int i = 0; i < 24; ++i) {
                const float x = static_cast<float>(i) - 9.5f;
                const float y = static_cast<float>(j) - 11.5f;
                const float z = static_cast<float>(k) - 13.5f;
                volume.extinction[volume.index(i, j, k)] =
                    0.5f * std::exp(-(x * x + y * y + z * z) / 30.0f);
            }
        }
    }
    const CubeView view({10, 0, 300, 300}, {0.8f, 0.35f}, volume.sides());
    const LitVolume ball = lit(volume, Light{});
    using Draw = void(Picture&, const CubeView&, const LitVolume&, parallel::ThreadPool&, int);
    const auto drawn = [&](Draw* draw, int pixels, parallel::ThreadPool& pool) {
        Picture picture(320, 300);
        draw(picture, view, ball, pool, pixels);
        return picture;
    };
    const Picture fine = drawn(draw_volume, 1, one_thread());
    const auto largest_difference = [&](const Picture& picture) {
        int largest = 0;
        for (int y = 0; y < 300; ++y) {
            for (int x = 0; x < 320; ++x) {
                largest = std::max(largest, std::abs(fine.at(x, y).green - picture.at(x, y).green));
            }
        }
        return largest;
    };
    CHECK(different_pixels(fine, Picture(320, 300)) > 5000);
    const Picture smooth = drawn(draw_volume_smoothly, 4, one_thread());
    CHECK(largest_difference(smooth) <= 3);
    CHECK(largest_difference(drawn(draw_volume, 4, one_thread())) > 2 * largest_difference(smooth));
    parallel::ThreadPool three(3);
    CHECK(different_pixels(smooth, drawn(draw_volume_smoothly, 4, three)) == 0);
}

TEST_CASE("where there is nothing, the picture stays as it was") {
    const CubeView view({0, 0, 100, 100}, {0.8f, 0.35f}, {7, 5, 3});
    Volume thin = slab(1e-6f);
    Volume negative = slab(-3.0f);
    for (const Volume& volume :
         {Volume{}, Volume{0, 5, 3}, Volume{7, 5, -1}, Volume{7, 5, 3}, thin, negative}) {
        Picture picture = striped(100, 100);
        draw_volume(picture, view, lit(volume, Light{}), one_thread());
        draw_volume_smoothly(picture, view, lit(volume, Light{}), one_thread(), 4);
        draw_layer(picture, 10.0f, 10.0f, 5.0f, lit(volume, Light{}), 0, 2.0f, one_thread());
        CHECK(different_pixels(picture, striped(100, 100)) == 0);
        CHECK(light_reaching(volume, {1, 1, 1}, one_thread()).size() == volume.count());
    }
    Picture outside = striped(100, 100);
    const CubeView elsewhere({300, -400, 100, 100}, {0.8f, 0.35f}, {7, 5, 3});
    draw_volume(outside, elsewhere, lit(slab(5.0f), Light{}), one_thread());
    draw_volume_smoothly(outside, elsewhere, lit(slab(5.0f), Light{}), one_thread(), 4);
    CHECK(different_pixels(outside, striped(100, 100)) == 0);
}

TEST_CASE("a cell that is not a number is magenta, and spoils no other") {
    Volume volume = slab(0.4f);
    volume.colour.assign(volume.count(), {0.5f, 0.5f, 0.5f});
    volume.glow.assign(volume.count(), {0.0f, 0.0f, 0.0f});
    volume.solid.assign(volume.count(), 0.0f);
    const std::size_t bad = volume.index(5, 1, 1);
    const LitVolume::Seen sound = lit(volume, Light{}).march({1.5f, 3.5f, -1.0f}, {0, 0, 1});
    const float numbers[] = {nan_value, std::numeric_limits<float>::infinity()};
    for (int which = 0; which < 4; ++which) {
        for (const float number : numbers) {
            Volume broken = volume;
            if (which == 0) {
                broken.extinction[bad] = nan_value;  // an infinite one is opaque: see below
            } else if (which == 1) {
                broken.colour[bad].green = number;
            } else if (which == 2) {
                broken.glow[bad].blue = number;
            } else {
                broken.solid[bad] = number;
            }
            const Light light = {{0, 1, 0}, {1, 1, 1}, {0.1f, 0.1f, 0.1f}, {}};
            const LitVolume box = lit(broken, light);
            const LitVolume::Seen seen = box.march({5.5f, 1.5f, -1.0f}, {0, 0, 1});
            INFO("array " << which);
            CHECK(seen.radiance.red > 0.8f);
            CHECK(seen.radiance.green < 0.1f);
            CHECK(seen.radiance.blue > 0.8f);
            CHECK(std::isfinite(seen.transmittance));
            const LitVolume::Seen far = box.march({1.5f, 3.5f, -1.0f}, {0, 0, 1});
            CHECK(far.transmittance == sound.transmittance);
        }
    }
    volume.extinction[bad] = std::numeric_limits<float>::infinity();
    const LitVolume::Seen opaque = lit(volume, Light{}).march({5.5f, 1.5f, -1.0f}, {0, 0, 1});
    CHECK(opaque.transmittance < 1e-6f);
    CHECK((std::isfinite(opaque.radiance.red) && opaque.radiance.red < 1.0f));
}

TEST_CASE("arrays that do not fit, cells without size and light without a direction are refused") {
    const auto refuses = [](const Volume& volume, const Light& light) {
        CHECK_THROWS_AS(lit(volume, light), std::invalid_argument);
        CHECK_THROWS_AS(light_reaching(volume, light.towards, one_thread()), std::invalid_argument);
    };
    const Volume good = slab(1.0f);
    for (int which = 0; which < 4; ++which) {
        Volume volume = good;
        if (which == 0) {
            volume.extinction.pop_back();
        } else if (which == 1) {
            volume.colour.resize(3);
        } else if (which == 2) {
            volume.glow.resize(volume.count() + 1);
        } else {
            volume.solid.resize(1);
        }
        refuses(volume, Light{});
    }
    for (const float size : {0.0f, -1.0f, nan_value}) {
        Volume volume = good;
        volume.cell_size = size;
        refuses(volume, Light{});
    }
    for (const Place3 towards : {Place3{0, 0, 0}, {nan_value, 1, 0}}) {
        Light light;
        light.towards = towards;
        refuses(good, light);
    }
    Volume flat = {7, 5, 1};
    Light from_the_front;
    from_the_front.towards = {0, 0, 1};
    refuses(flat, from_the_front);
    CHECK_THROWS_AS(lit(good).march({0, 0, 0}, {0, 0, 0}), std::invalid_argument);
}
