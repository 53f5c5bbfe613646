// Amounts of light: what hot things send out, what smoke adds to it and takes away, how a film
// shows it, and how what is too bright glows.
#include "common/draw/light.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "catch.hpp"
#include "common/draw/black_body.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/raymarch.hpp"

using namespace workbook;
using Catch::Matchers::WithinRel;

namespace {

const Light no_light = {{-0.6f, -1.0f, -0.5f}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

parallel::ThreadPool& one_thread() {
    static parallel::ThreadPool pool(1);
    return pool;
}

/// A black picture as light.
LightPicture darkness(int width, int height) {
    return {Picture(width, height), {0, 0, width, height}};
}

/// A row of cells along z, with those extinctions and temperatures.
Volume row_of(const std::vector<float>& extinction, const std::vector<float>& kelvin) {
    Volume volume = {1, 1, static_cast<int>(extinction.size()), 0.5f};
    volume.extinction = extinction;
    volume.kelvin = kelvin;
    volume.colour.assign(volume.count(), {0.2f, 0.3f, 0.4f});
    volume.exposure = 3.0f;
    return volume;
}

LitVolume::Seen seen_along_z(const Volume& volume) {
    return LitVolume(volume, no_light, one_thread()).march({0.5f, 0.5f, -1.0f}, {0, 0, 1});
}

double sum_of(const LightPicture& picture) {
    const Rectangle area = picture.area();
    double sum = 0.0;
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            const Rgb light = picture.at(x, y);
            sum += 1.0 * light.red + light.green + light.blue;
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("a black body turns from red over orange to white, and grows brighter") {
    const Light3 red = screen_light(black_body(1000.0)), orange = screen_light(black_body(1900.0)),
                 white = screen_light(black_body(6500.0));
    CHECK(red[1] < 0.2 * red[0]);
    CHECK(orange[1] > 0.2 * orange[0]);
    CHECK(orange[1] < 0.6 * orange[0]);
    CHECK(orange[2] < 0.2 * orange[1]);
    for (const double part : white) {
        CHECK_THAT(part / white[1], WithinAbs(1.0, 0.06));
    }
    const GlowTable table;
    double before = -1.0, before_green = -1.0;
    for (float kelvin = 800.0f; kelvin < 3900.0f; kelvin += 50.0f) {
        const Rgb light = table.at(kelvin);
        INFO("at " << kelvin << " kelvin");
        CHECK(light.red > before);
        CHECK(light.green / light.red > before_green);
        before = light.red;
        before_green = light.green / light.red;
    }
    const Rgb unit = table.at(2000.0f);
    INFO("the luminance of 2000 kelvin is the unit");
    CHECK_THAT(0.2126 * unit.red + 0.7152 * unit.green + 0.0722 * unit.blue, WithinAbs(1.0, 0.01));
    CHECK(table.at(300.0f).red < 1e-12f);
    CHECK(table.at(1e6f).red == table.at(4000.0f).red);
}

TEST_CASE("hot smoke sends out what it would swallow of a black body's light") {
    const Rgb body = GlowTable().at(1700.0f);
    for (const float s : {0.2f, 1.3f, 30.0f}) {
        const LitVolume::Seen seen = seen_along_z(row_of({s, s, s}, {1700.0f, 1700.0f, 1700.0f}));
        const double held = 1.0 - std::exp(-1.5 * s);
        INFO("extinction " << s);
        CHECK_THAT(seen.radiance.red, WithinRel(3.0 * 0.8 * held * body.red, 1e-4));
        CHECK_THAT(seen.radiance.green, WithinRel(3.0 * 0.7 * held * body.green, 1e-4));
        CHECK_THAT(seen.transmittance, WithinAbs(1.0 - held, 1e-4));
    }
    Volume white = row_of({1.0f, 1.0f}, {1700.0f, 1700.0f});
    white.colour.assign(2, {1.0f, 1.0f, 1.0f});
    INFO("what throws back all light sends out none");
    CHECK(seen_along_z(white).radiance.red == 0.0f);
}

TEST_CASE("along a ray light adds up, and what lets light through multiplies") {
    const auto alone = [](float s, float kelvin) { return seen_along_z(row_of({s}, {kelvin})); };
    // The first and last cell are as their neighbours, so that the ray meets no mixture.
    const Volume both = row_of({1.0f, 1.0f, 1.0f, 1.0f}, {1500.0f, 1500.0f, 1500.0f, 1500.0f});
    const LitVolume::Seen one = alone(1.0f, 1500.0f);
    double red = 0.0, left = 1.0;
    for (int cell = 0; cell < 4; ++cell) {
        red += left * one.radiance.red;
        left *= one.transmittance;
    }
    CHECK_THAT(seen_along_z(both).radiance.red, WithinRel(red, 1e-5));
    CHECK_THAT(seen_along_z(both).transmittance, WithinRel(left, 1e-5));

    Volume hot_and_lit = row_of({0.7f, 0.4f, 0.9f}, {1800.0f, 1300.0f, 1600.0f});
    hot_and_lit.glow.assign(3, {0.1f, 0.2f, 0.3f});
    Volume hot = hot_and_lit, glowing = hot_and_lit;
    hot.glow.clear();
    glowing.kelvin.clear();
    INFO("light of one kind adds to that of another, however bright");
    CHECK_THAT(
        seen_along_z(hot_and_lit).radiance.green,
        WithinRel(seen_along_z(hot).radiance.green + seen_along_z(glowing).radiance.green, 1e-5f));
    Volume brighter = hot;
    brighter.exposure = 300.0f;
    CHECK_THAT(seen_along_z(brighter).radiance.red,
               WithinRel(100.0f * seen_along_z(hot).radiance.red, 1e-5f));
}

TEST_CASE("between cells the temperature is interpolated, not the light") {
    Volume volume = {2, 1, 1};
    volume.extinction = {1.0f, 1.0f};
    volume.colour.assign(2, {0.0f, 0.0f, 0.0f});
    volume.kelvin = {2200.0f, 1000.0f};
    const LitVolume box(volume, no_light, one_thread());
    const GlowTable table;
    const double held = 1.0 - std::exp(-1.0);
    for (const float share : {0.0f, 0.25f, 0.5f, 1.0f}) {
        const Rgb expected = table.at(2200.0f - 1200.0f * share);
        const LitVolume::Seen seen = box.look_at(0.5f + share, 0.5f, 0, 1.0f);
        CHECK_THAT(seen.radiance.red, WithinRel(held * expected.red, 1e-3));
    }
}

TEST_CASE("a temperature that is no number is magenta; one for each cell, or none") {
    Volume volume = row_of({0.1f, 0.1f, 0.1f}, {1500.0f, 1500.0f, 1500.0f});
    volume.kelvin[1] = std::numeric_limits<float>::quiet_NaN();
    const LitVolume::Seen seen = seen_along_z(volume);
    CHECK(seen.radiance.red > 0.8f);
    CHECK(seen.radiance.green < 0.1f);
    volume.kelvin.pop_back();
    CHECK_THROWS_AS(seen_along_z(volume), std::invalid_argument);
    CHECK_THROWS_AS(refined(volume), std::invalid_argument);
    volume.kelvin.clear();
    volume.reached.resize(2);
    CHECK_THROWS_AS(seen_along_z(volume), std::invalid_argument);
}

TEST_CASE("a finer volume has the same mean, the same slopes, and is as thick") {
    Volume volume = {5, 4, 3, 0.25f};
    volume.solid.resize(volume.count());
    volume.kelvin.resize(volume.count());
    volume.glow.resize(volume.count());
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 5; ++i) {
                const std::size_t n = volume.index(i, j, k);
                volume.extinction[n] = static_cast<float>((7 * i + 5 * j + 3 * k) % 6);
                volume.kelvin[n] = static_cast<float>(300 + 40 * i + 10 * j - 20 * k);
                volume.glow[n].blue = static_cast<float>(2 * j);
            }
        }
    }
    const Volume fine = refined(volume);
    REQUIRE((fine.nx == 10 && fine.ny == 8 && fine.nz == 6));
    CHECK(fine.cell_size == 0.125f);
    CHECK(fine.solid.size() == fine.count());
    CHECK((fine.colour.empty() && fine.reached.empty()));
    double sum = 0.0, fine_sum = 0.0;
    for (const float one : volume.extinction) {
        sum += one;
    }
    for (const float one : fine.extinction) {
        fine_sum += one;
    }
    CHECK_THAT(fine_sum / 8.0, WithinRel(sum, 1e-5));
    for (int k = 1; k < 5; ++k) {
        for (int j = 1; j < 7; ++j) {
            for (int i = 1; i < 9; ++i) {
                const std::size_t n = fine.index(i, j, k);
                const double x = 0.5 * i - 0.25, y = 0.5 * j - 0.25, z = 0.5 * k - 0.25;
                CHECK_THAT(fine.kelvin[n], WithinAbs(300 + 40 * x + 10 * y - 20 * z, 1e-3));
                CHECK_THAT(fine.glow[n].blue, WithinAbs(2 * y, 1e-5));
            }
        }
    }
    volume.extinction.assign(volume.count(), 0.9f);
    const auto through = [](const Volume& box) {
        const LitVolume lit(box, no_light, one_thread());
        return lit.march({0.4f * lit.sides().x, 0.6f * lit.sides().y, -1.0f}, {0, 0, 1})
            .transmittance;
    };
    CHECK_THAT(through(refined(volume)), WithinAbs(through(volume), 1e-6));
    const Volume flat = refined({7, 5, 1});
    CHECK((flat.nx == 14 && flat.ny == 10 && flat.nz == 1));
}

TEST_CASE("light that is known to reach a cell is the light that is found") {
    Volume volume = row_of({0.7f, 0.4f, 0.9f, 0.2f}, {300.0f, 1300.0f, 1600.0f, 900.0f});
    const LitVolume::Seen found =
        LitVolume(volume, Light{}, one_thread()).march({0.5f, 0.5f, 9.0f}, {0, 0, -1});
    volume.reached = light_reaching(volume, Light{}.towards, one_thread());
    const auto known = [&] {
        return LitVolume(volume, Light{}, one_thread()).march({0.5f, 0.5f, 9.0f}, {0, 0, -1});
    };
    CHECK(known().radiance.red == found.radiance.red);
    CHECK(known().transmittance == found.transmittance);
    volume.reached.assign(4, 0.0f);
    INFO("in the shadow it is darker");
    CHECK(known().radiance.red < found.radiance.red);
}

TEST_CASE("a film keeps little light as it is, and never shows more than white") {
    CHECK(on_film(0.0f) == 0.0f);
    CHECK_THAT(on_film(1e-3f), WithinRel(1e-3, 1e-3));
    CHECK_THAT(on_film(1.0f), WithinAbs(1.0 - std::exp(-1.0), 1e-6));
    float before = 0.0f;
    for (float light = 0.05f; light < 12.0f; light += 0.05f) {
        CHECK(on_film(light) > before);
        CHECK(on_film(light) < 1.0f);
        before = on_film(light);
    }
    CHECK(on_film(1e30f) == 1.0f);
    const Rgb grey = on_layers({0.3f, 0.3f, 0.3f});
    CHECK_THAT(grey.red, WithinAbs(0.3, 1e-6));
    CHECK_THAT(grey.blue, WithinAbs(0.3, 1e-6));
    const Rgb red = on_layers({2.0f, 0.0f, 0.0f});
    INFO("no light is lost between the layers, and each gets some");
    CHECK_THAT(red.red + red.green + red.blue, WithinAbs(2.0, 1e-6));
    CHECK(red.green > 0.0f);
    CHECK(red.green == red.blue);
    CHECK(red.green < 0.05f * red.red);
    CHECK(on_film(on_layers({400.0f, 0.0f, 0.0f}).blue) > 0.99f);
}

TEST_CASE("a picture is developed once, from all of its light") {
    Picture picture(8, 6);
    picture.rectangle(0, 0, 8, 6, {188, 188, 188});
    LightPicture light(picture, {3, 2, 40, 3});
    const Rectangle area = light.area();
    REQUIRE((area.x == 3 && area.y == 2 && area.width == 5 && area.height == 3));
    CHECK_THAT(light.at(3, 2).green, WithinAbs(0.503, 0.002));
    light.at(4, 3) = {0.8f, 0.8f, 0.8f};
    light.at(5, 3) = {5.0f, 5.0f, 5.0f};
    light.at(5, 3).blue -= 4.2f;  // 5 is more than white, and not forgotten
    light.at(6, 3) = {-1.0f, 1e30f, 0.0f};
    light.develop(picture, one_thread());
    const auto byte_of = [](float amount) { return 1.0 * to_screen(on_film(amount)); };
    CHECK(picture.at(2, 2) == Colour{188, 188, 188});
    CHECK(picture.at(3, 1) == Colour{188, 188, 188});
    CHECK_THAT(1.0 * picture.at(3, 2).red, WithinAbs(byte_of(0.503f), 1.0));
    CHECK_THAT(1.0 * picture.at(4, 3).green, WithinAbs(byte_of(0.8f), 1.0));
    const Rgb layers = on_layers({5.0f, 5.0f, 0.8f});
    CHECK_THAT(1.0 * picture.at(5, 3).red, WithinAbs(byte_of(layers.red), 1.0));
    CHECK_THAT(1.0 * picture.at(5, 3).blue, WithinAbs(byte_of(layers.blue), 1.0));
    CHECK(picture.at(6, 3).green == 255);
    LightPicture outside(picture, {100, 100, 5, 5});
    outside.spread(0.5f, 3.0f, one_thread());
    outside.develop(picture, one_thread());
    CHECK(outside.area().width == 0);
}

TEST_CASE("a volume is drawn into light as it is, however bright") {
    Volume volume = row_of({2.0f, 2.0f, 2.0f}, {2200.0f, 2200.0f, 2200.0f});
    volume.exposure = 50.0f;
    const LitVolume lit(volume, no_light, one_thread());
    const CubeView view({0, 0, 60, 60}, {0.0f, 0.0f}, volume.sides());
    const LitVolume::Seen seen = seen_along_z(volume);
    LightPicture fine = darkness(60, 60), smooth = darkness(60, 60), layer = darkness(60, 60);
    for (LightPicture* const one : {&fine, &smooth}) {
        one->at(30, 30) = {0.5f, 7.0f, 0.0f};
    }
    draw_volume(fine, view, lit, one_thread());
    draw_volume_smoothly(smooth, view, lit, one_thread(), 2);
    for (const LightPicture& one : {fine, smooth}) {
        CHECK(seen.radiance.red > 20.0f);
        CHECK_THAT(one.at(30, 30).red,
                   WithinRel(seen.radiance.red + 0.5 * seen.transmittance, 1e-3));
        CHECK_THAT(one.at(30, 30).green,
                   WithinRel(seen.radiance.green + 7.0 * seen.transmittance, 1e-3));
        CHECK(one.at(2, 2).red == 0.0f);
    }
    draw_layer(layer, 10.0f, 10.0f, 20.0f, lit, 0, 3.0f, one_thread());
    CHECK_THAT(layer.at(20, 20).red, WithinRel(seen.radiance.red, 1e-3f));
    CHECK(layer.at(35, 20).red == 0.0f);
}

TEST_CASE("what is brighter than a screen is spread around it, and no light is lost") {
    for (const float width : {2.0f, 7.5f}) {
        LightPicture picture = darkness(121, 101);
        picture.at(60, 50) = {901.0f, 300.0f, 0.0f};
        picture.at(10, 90) = {1.0f, 0.2f, 0.4f};
        const double before = sum_of(picture);
        picture.spread(0.3f, width, one_thread());
        INFO("width " << width);
        CHECK_THAT(sum_of(picture), WithinRel(before, 1e-3));
        CHECK_THAT(picture.at(60, 50).red, WithinRel(0.7 * 900.0 + 1.0, 0.02));
        CHECK_THAT(picture.at(10, 90).red, WithinAbs(1.0, 1e-3));
        double moment_x = 0.0, moment_y = 0.0, all = 0.0;
        for (int y = 0; y < 101; ++y) {
            for (int x = 0; x < 121; ++x) {
                const bool is_own = (x == 60 && y == 50) || (x == 10 && y == 90);
                const double red = is_own ? 0.0 : picture.at(x, y).red;
                moment_x += red * (x - 60) * (x - 60);
                moment_y += red * (y - 50) * (y - 50);
                all += red;
            }
        }
        INFO("it goes as far to the side as up and down, and keeps its colour");
        CHECK_THAT(std::sqrt(moment_x / all), WithinRel(width, 0.15f));
        CHECK_THAT(std::sqrt(moment_y / all), WithinRel(width, 0.15f));
        CHECK(picture.at(63, 52).red > 0.0f);
        CHECK_THAT(picture.at(63, 52).green / picture.at(63, 52).red, WithinRel(300.0 / 901, 1e-3));
    }
}

TEST_CASE("what a screen can show does not glow, and threads change nothing") {
    LightPicture dim = darkness(50, 40);
    dim.at(20, 20) = {1.0f, 0.9f, 1.0f};
    dim.spread(0.5f, 4.0f, one_thread());
    CHECK(dim.at(20, 20).red == 1.0f);
    CHECK(dim.at(21, 20).red == 0.0f);
    const auto drawn = [](parallel::ThreadPool& pool) {
        Picture picture(90, 70);
        LightPicture light(picture, {5, 3, 80, 60});
        for (int n = 0; n < 60; ++n) {
            light.at(5 + n * 37 % 80, 3 + n) = {3.0f * static_cast<float>(n), 20.0f, 0.0f};
        }
        light.spread(0.5f, 6.0f, pool);
        light.develop(picture, pool);
        return picture.rgba();
    };
    parallel::ThreadPool three(3);
    CHECK(drawn(one_thread()) == drawn(three));
}
