// The picture as pixels: looked at without a display.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "common/app/layout.hpp"
#include "common/app/paint.hpp"
#include "common/app/panel.hpp"
#include "common/app/program.hpp"
#include "common/app/scene.hpp"
#include "common/app/session.hpp"
#include "common/draw/camera.hpp"
#include "common/draw/caption.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/picture.hpp"
#include "common/draw/plot.hpp"
#include "common/draw/sheets.hpp"
#include "common/draw/spy.hpp"
#include "common/draw/words.hpp"

using namespace workbook;

namespace {

/// How bright a colour looks, 0 to 1 (CIE L*, from the screen's sRGB).
double lightness(Colour colour) {
    const auto linear = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
    return y > 0.008856 ? 1.16 * std::cbrt(y) - 0.16 : 9.033 * y;
}

using Vector = std::array<double, 3>;
using Rows = std::array<Vector, 3>;

Vector times(const Rows& rows, const Vector& vector) {
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            result[i] += rows[i][j] * vector[j];
        }
    }
    return result;
}

/// How somebody sees the screen's linear red, green and blue who lacks one of the three kinds of
/// cones (Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation of
/// Color Vision Deficiency", table 1, severity 1.0).
struct Eye {
    const char* name;
    Rows sees;
};
const std::vector<Eye> eyes = {
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
};

/// What such an eye sees of a colour, in Oklab, where distances are as large as they look (Ottosson
/// 2020).
Vector seen(Colour colour, const Eye& eye) {
    const auto linear = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    Vector light = times(eye.sees, {linear(colour.red), linear(colour.green), linear(colour.blue)});
    for (double& channel : light) {
        channel = std::clamp(channel, 0.0, 1.0);
    }
    Vector cones = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                           {0.2119034982, 0.6806995451, 0.1073969566},
                           {0.0883024619, 0.2817188376, 0.6299787005}}},
                         light);
    for (double& cone : cones) {
        cone = std::cbrt(cone);
    }
    return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                   {1.9779984951, -2.4285922050, 0.4505937099},
                   {0.0259040371, 0.7827717662, -0.8086757660}}},
                 cones);
}

double distance(const Vector& one, const Vector& other) {
    return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

/// A program that shows one number a cell and no fluid at all.
Program made_up_program(std::vector<float>& values, int& width) {
    Program program("00_nothing", "made up");
    program.look.cell_from_mouse = [](float x, float y, float size) {
        return GridCell{static_cast<int>(std::floor(x / size)),
                        static_cast<int>(std::floor(y / size))};
    };
    program.look.index = [&width](int i, int j) { return i + width * j; };
    program.description.fields = {
        {"value", [&](int i, int j) { return values[static_cast<std::size_t>(i + width * j)]; }}};
    return program;
}

bool contains(const Picture& picture, Colour colour) {
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.at(x, y) == colour) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

TEST_CASE("brightness rises evenly with the value") {
    for (const Palette palette : {Palette::cool, Palette::warm}) {
        for (int k = 0; k < 10; ++k) {
            const double low = lightness(sequential_colour(static_cast<float>(k) / 10.0f, palette));
            const double high =
                lightness(sequential_colour(static_cast<float>(k + 1) / 10.0f, palette));
            INFO("from " << k / 10.0 << " to " << (k + 1) / 10.0);
            CHECK(high - low > 0.06);
            CHECK(high - low < 0.13);
        }
    }
    const Colour cool = sequential_colour(0.5f);
    const Colour warm = sequential_colour(0.5f, Palette::warm);
    CHECK(cool.red < cool.blue);
    CHECK(warm.red > warm.blue);
}

// Two colours side by side can be told apart from a distance of about 0.02 on.
TEST_CASE("the colour-blind see the value rise, and tell a value from its opposite") {
    for (const Eye& eye : eyes) {
        INFO(eye.name);
        for (const Palette palette : {Palette::cool, Palette::warm}) {
            for (int k = 0; k < 10; ++k) {
                const Vector low =
                    seen(sequential_colour(static_cast<float>(k) / 10.0f, palette), eye);
                const Vector high =
                    seen(sequential_colour(static_cast<float>(k + 1) / 10.0f, palette), eye);
                CHECK(high[0] - low[0] > 0.05);
            }
        }
        for (const float value : {0.25f, 0.5f, 1.0f}) {
            CHECK(distance(seen(signed_colour(value), eye), seen(signed_colour(-value), eye)) >
                  0.2 * static_cast<double>(value));
        }
    }
}

TEST_CASE("the display clamps: 1, 3 and infinity look the same") {
    CHECK(sequential_colour(1.0f) == sequential_colour(3.0f));
    CHECK(sequential_colour(1.0f) == sequential_colour(std::numeric_limits<float>::infinity()));
    CHECK(sequential_colour(0.0f) == sequential_colour(-2.0f));
    CHECK_FALSE(sequential_colour(0.0f) == sequential_colour(1.0f));
    CHECK_FALSE(sequential_colour(0.5f) == sequential_colour(1.0f));
}

TEST_CASE("a signed value and its opposite are as bright, in two colours") {
    for (const float value : {0.3f, 1.0f}) {
        CHECK_FALSE(signed_colour(value) == signed_colour(-value));
        CHECK_THAT(lightness(signed_colour(value)),
                   WithinAbs(lightness(signed_colour(-value)), 0.06));
    }
    CHECK(lightness(signed_colour(0.0f)) < 0.1);
}

TEST_CASE("what is not a number stands out") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(sequential_colour(nan) == Colour{255, 0, 255});
    CHECK(signed_colour(nan) == Colour{255, 0, 255});
}

TEST_CASE("a picture keeps what is drawn inside it and drops the rest") {
    Picture picture(20, 10);
    picture.rectangle(15, 5, 100, 100, {1, 2, 3});
    CHECK(picture.at(19, 9) == Colour{1, 2, 3});
    CHECK(picture.at(15, 5) == Colour{1, 2, 3});
    CHECK(picture.at(14, 5) == Colour{0, 0, 0});
    CHECK(picture.at(15, 4) == Colour{0, 0, 0});
    picture.rectangle(-5, -5, 6, 6, {4, 5, 6});
    CHECK(picture.at(0, 0) == Colour{4, 5, 6});
    CHECK(picture.at(1, 0) == Colour{0, 0, 0});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    picture.line(nan, 0.0f, 3.0f, 1e30f, {7, 7, 7});
    picture.disc(-1e30f, nan, 2.0f, {7, 7, 7});
    picture.text(-100, 300, "outside", {7, 7, 7});
    CHECK_FALSE(contains(picture, {7, 7, 7}));
    picture.line(2.0f, 2.0f, 2.0f, 8.0f, {7, 7, 7});
    CHECK(picture.at(2, 5) == Colour{7, 7, 7});
    CHECK(picture.rgba().size() == 800);
}

// ---- Letters ------------------------------------------------------------------------------------

namespace {

constexpr Colour ink = {220, 220, 220};
constexpr Colour text_ground = {16, 16, 16};  // of the lines below the grid

/// Words on a ground of one colour.
Picture written(const std::string& words, int size, Colour ground, Colour colour = ink) {
    Picture picture(text_width(words, size), line_height(size));
    picture.rectangle(0, 0, picture.width(), picture.height(), ground);
    picture.text(0, 0, words, colour, size);
    return picture;
}

/// The first and the last row with a pixel of a letter.
std::pair<int, int> rows_of_ink(const Picture& picture) {
    int first = picture.height();
    int last = -1;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.at(x, y).red > 80) {
                first = std::min(first, y);
                last = y;
            }
        }
    }
    return {first, last};
}

/// Whether the words are there, but for the halo of what is beside them.
bool stands_at(const Picture& words, const Picture& picture, int left, int top) {
    for (int y = 0; y < words.height(); ++y) {
        for (int x = 0; x < words.width(); ++x) {
            if (std::abs(words.at(x, y).red - picture.at(left + x, top + y).red) > 16) {
                return false;
            }
        }
    }
    return true;
}

/// The first pixel of written words, line by line, that is no ground.
std::pair<int, int> first_ink(const Picture& words) {
    for (int y = 0; y < words.height(); ++y) {
        for (int x = 0; x < words.width(); ++x) {
            if (std::abs(words.at(x, y).red - text_ground.red) > 64) {
                return {x, y};
            }
        }
    }
    return {0, 0};
}

/// Whether these words can be read below the grid, in letters of that size.
bool shows(const Picture& picture, const std::string& words, int size) {
    const Picture wanted = written(words, size, text_ground);
    const auto [ink_x, ink_y] = first_ink(wanted);
    const int wanted_red = wanted.at(ink_x, ink_y).red;
    for (int top = 0; top <= picture.height() - wanted.height(); ++top) {
        for (int left = 0; left <= picture.width() - wanted.width(); ++left) {
            const int found = picture.at(left + ink_x, top + ink_y).red;  // most places end here
            if (std::abs(wanted_red - found) <= 16 && stands_at(wanted, picture, left, top)) {
                return true;
            }
        }
    }
    return false;
}

/// How well one colour can be read on another, from 1 to 21 (WCAG 2: 4.5 is enough for a text).
double contrast(Colour a, Colour b) {
    const auto luminance = [](Colour colour) {
        const double l = 100.0 * lightness(colour);
        return l > 8.0 ? std::pow((l + 16.0) / 116.0, 3) : l / 903.3;
    };
    const auto [dark, bright] = std::minmax({luminance(a), luminance(b)});
    return (bright + 0.05) / (dark + 0.05);
}

}  // namespace

TEST_CASE("text is drawn from left to right, each letter its own") {
    for (int size = 1; size <= letter_sizes; ++size) {
        const Picture l = written("L", size, {0, 0, 0});
        const Picture two = written("-L", size, {0, 0, 0});
        INFO("letters of size " << size);
        CHECK(stands_at(l, two, l.width(), 0));
        CHECK_FALSE(stands_at(l, two, 0, 0));
        const int foot = rows_of_ink(l).second;
        int feet = 0;
        int stems = 0;
        for (int x = 0; x < l.width(); ++x) {
            feet += l.at(x, foot).red > 80 ? 1 : 0;
            stems += l.at(x, foot / 2).red > 80 ? 1 : 0;
        }
        CHECK(feet > 2 * stems);
        CHECK(stems > 0);
    }
    CHECK(stands_at(written("?", 2, {0, 0, 0}), written("\x01", 2, {0, 0, 0}), 0, 0));
}

TEST_CASE("letters have soft edges, and none is under 12 pixels, however small the window") {
    int before = 0;
    for (int size = 1; size <= letter_sizes; ++size) {
        const Picture letters = written("lOg", size, {0, 0, 0});
        const auto [first, last] = rows_of_ink(letters);
        INFO("letters of size " << size);
        CHECK(last - first + 1 >= 12);
        CHECK(std::abs(last - first + 1 - letter_pixels(size)) <= 2);
        CHECK(letter_pixels(size) > before);
        CHECK(line_height(size) > last - first);
        before = letter_pixels(size);
        std::set<int> shades;
        for (int y = 0; y < letters.height(); ++y) {
            for (int x = 0; x < letters.width(); ++x) {
                shades.insert(letters.at(x, y).red);
            }
        }
        CHECK(shades.size() > 6);
    }
    for (const int side : {1, 64, 200, 576, 1152, 4000}) {
        CHECK(letter_size(side, side) >= 1);
        CHECK(letter_size(side, side) <= letter_sizes);
    }
    for (const int side : {576, 640, 700, 760, 819, 820, 960, 1024}) {
        INFO(side << " pixels, and twice as many");
        CHECK(letter_pixels(letter_size(2 * side, 2 * side)) ==
              2 * letter_pixels(letter_size(side, side)));
    }
}

TEST_CASE("letters can be read on any colour") {
    const std::string words = "Dye 0.25 m";
    for (int size = 1; size <= letter_sizes; ++size) {
        for (const Colour colour : {ink, Colour{255, 255, 255}, {255, 200, 90}, {0, 0, 60}}) {
            // Where there is no halo: on black for bright letters, on white for dark ones.
            const Colour bare = colour.red > 128 ? Colour{0, 0, 0} : Colour{255, 255, 255};
            const Picture letters = written(words, size, bare, colour);
            for (int k = 0; k <= 10; ++k) {
                const float value = static_cast<float>(k) / 10.0f;
                for (const Colour ground : {sequential_colour(value), signed_colour(value),
                                            signed_colour(-value), Colour{255, 255, 0}}) {
                    const Picture seen = written(words, size, ground, colour);
                    double least = 21.0;
                    int inside = 0;
                    for (int y = 1; y < seen.height() - 1; ++y) {
                        for (int x = 1; x < seen.width() - 1; ++x) {
                            if (!(letters.at(x, y) == colour)) {
                                continue;
                            }
                            ++inside;
                            for (const auto& [dx, dy] :
                                 {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
                                if (letters.at(x + dx, y + dy) == bare) {
                                    least = std::min(
                                        least, contrast(seen.at(x + dx, y + dy), seen.at(x, y)));
                                }
                            }
                        }
                    }
                    INFO("size " << size << ", on " << int(ground.red) << ", " << int(ground.green)
                                 << ", " << int(ground.blue));
                    CHECK(inside > 10);
                    CHECK(least > 7.0);
                }
            }
        }
    }
}

TEST_CASE("words are wrapped where they do not fit, and none is lost") {
    const std::string words =
        "dye 27.1  max div 1e-10  iterations 12 thecellnamesarelongerthanthis 7";
    for (int size = 1; size <= 3; ++size) {
        for (const int width : {40, 100, 160, 300, 2000}) {
            std::string joined;
            for (const std::string& line : wrapped(words, width, size)) {
                INFO("'" << line << "' in " << width << " pixels");
                CHECK(text_width(line, size) <= width);
                CHECK_FALSE(line.empty());
                joined += line;
            }
            std::string wanted = words;
            joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
            wanted.erase(std::remove(wanted.begin(), wanted.end(), ' '), wanted.end());
            CHECK(joined == wanted);
        }
    }
    CHECK(wrapped("dye 27.1  max div 1e-10", 8 * 17, 1) ==
          std::vector<std::string>{"dye 27.1", "max div 1e-10"});
    CHECK(wrapped("", 100, 1).empty());
    CHECK(wrapped("   ", 100, 1).empty());
    CHECK(wrapped("abc", 1, 1) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("words that a small window has no room for stand on its next page") {
    std::vector<std::string> words;
    for (int k = 10; k < 60; ++k) {
        words.push_back("k" + std::to_string(k) + " " + std::string(k % 3 * 7, 'w'));
    }
    for (const Size window : {Size{70, 90}, {320, 340}, {340, 320}, {700, 300}, {1200, 900}}) {
        const Rectangle area{0, 0, window.width, window.height};
        const WordsLayout layout = words_layout(area, words, 3);
        INFO(window.width << " x " << window.height << ", " << layout.pages << " pages");
        CHECK((layout.pages == 1) == (window.width >= 700));
        std::vector<int> seen(words.size(), 0);
        for (int page = 1; page <= layout.pages; ++page) {
            Picture picture(window.width, window.height);
            draw_words(picture, area, layout, page);
            for (std::size_t k = 0; k < words.size(); ++k) {
                seen[k] += shows(picture, words[k].substr(0, 3), layout.size) ? 1 : 0;
            }
        }
        CHECK(seen == std::vector<int>(words.size(), 1));
    }
}

TEST_CASE("an entry of the help is not broken between two columns or pages") {
    std::vector<std::string> words;
    for (int k = 10; k < 50; ++k) {
        std::string entry = "key" + std::to_string(k) + "  words";
        for (int n = 0; n < k % 13; ++n) {
            entry += " words";
        }
        words.push_back(entry);
    }
    for (const Size window : {Size{320, 340}, {340, 320}, {500, 400}, {1200, 900}}) {
        const WordsLayout layout = words_layout({0, 0, window.width, window.height}, words, 2);
        INFO(window.width << " x " << window.height << ", " << layout.pages << " pages");
        int begun = 0;
        for (std::size_t k = 0; k < layout.lines.size(); ++k) {
            const bool begins = layout.lines[k].substr(0, 3) == "key";
            begun += begins ? 1 : 0;
            CHECK((begins || k % static_cast<std::size_t>(layout.rows) != 0));
            const bool goes_on = layout.lines[k].substr(0, 12) == "       words";
            CHECK((begins || goes_on || layout.lines[k].empty()));
        }
        CHECK(begun == 40);
    }
}

TEST_CASE("a readout that means nothing now is not shown") {
    Program program("00_nothing", "made up");
    program.description.fields = {{"value", [](int, int) { return 0.5f; }}};
    bool has_body = false;
    program.description.readouts = {{"dye", [] { return 1.5; }},
                                    {"drag", [] { return 3.0; }, true, [&] { return has_body; }}};
    const int size = letter_size(576, 704);
    CHECK(shows(paint(program, 576, 704), "dye 1.5", size));
    CHECK_FALSE(shows(paint(program, 576, 704), "drag", size));
    has_body = true;
    CHECK(shows(paint(program, 576, 704), "drag 3", size));
}

TEST_CASE("all readouts are shown, in as many lines as they need") {
    Program program("00_nothing", "made up");
    program.description.fields = {{"value", [](int, int) { return 0.5f; }, 1.0f, false, "litres"}};
    for (int k = 0; k < 9; ++k) {
        program.description.readouts.push_back(
            {"number " + std::to_string(k), [k] { return 1.5 * k; }});
    }
    for (const Size window : {Size{300, 400}, {576, 704}, {1200, 500}}) {
        const Picture picture = paint(program, window.width, window.height);
        const int size = letter_size(window.width, window.height);
        INFO(window.width << " x " << window.height);
        for (int k = 0; k < 9; ++k) {
            CHECK(
                shows(picture, "number " + std::to_string(k) + " " + short_number(1.5 * k), size));
        }
        CHECK(shows(picture, "value (litres)", size));
        CHECK_FALSE(shows(picture, "number 9", size));
    }
}

// ---- The colour bar -----------------------------------------------------------------------------

TEST_CASE("the colour bar's range is that of the values that are drawn") {
    std::vector<float> values(36, 0.0f);
    int width = 6;
    Program program = made_up_program(values, width);
    program.simulation.box = {4, 4, 1};
    ShownField& field = program.description.fields.front();
    field.full_at = 0.0f;
    field.unit = "1/s";
    values[2 + 6 * 3] = 0.37f;
    values[1 + 6 * 2] = -0.12f;
    values[0] = 99.0f;  // a wall's: it does not count
    const Size size = natural_size(6, 6);
    const int letters = letter_size(size.width, size.height);
    const Picture positive = paint(program, size.width, size.height);
    REQUIRE(positive.scales.size() == 1);
    CHECK(positive.scales[0].full == 0.37f);
    CHECK(shows(positive, "0.37", letters));
    CHECK(shows(positive, "value (1/s)", letters));
    CHECK(shows(positive, "0", letters));
    const View view = view_of(program, size.width, size.height);
    CHECK(positive.at(static_cast<int>(view.x(2)), static_cast<int>(view.y(3))) ==
          sequential_colour(1.0f));
    // The bar itself: all colours from left to right, in one row.
    const int row = area_above_text(size.width, size.height).height + 4 + line_height(letters) / 2;
    const auto found = [&](const Picture& picture, Colour colour) {
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.at(x, row) == colour) {
                return x;
            }
        }
        return -1;
    };
    CHECK(found(positive, sequential_colour(0.0f)) > 0);
    CHECK(found(positive, sequential_colour(1.0f)) >
          found(positive, sequential_colour(0.0f)) + 100);

    field.palette = Palette::warm;
    const Picture warm = paint(program, size.width, size.height);
    const Colour full = sequential_colour(1.0f, Palette::warm);
    CHECK(warm.at(static_cast<int>(view.x(2)), static_cast<int>(view.y(3))) == full);
    CHECK(found(warm, full) > found(warm, sequential_colour(0.0f, Palette::warm)) + 100);

    field.is_signed = true;
    const Picture both = paint(program, size.width, size.height);
    CHECK(shows(both, "-0.37", letters));
    CHECK(found(both, signed_colour(-1.0f)) > 0);
    CHECK(found(both, signed_colour(1.0f)) > found(both, signed_colour(-1.0f)) + 100);

    field.is_signed = false;
    field.full_at = 0.25f;  // a range that is given, and too small
    CHECK(shows(paint(program, size.width, size.height), "0.25 and more", letters));
    field.full_at = 0.5f;
    const Picture given = paint(program, size.width, size.height);
    CHECK(shows(given, "0.5", letters));
    CHECK_FALSE(shows(given, "0.5 and more", letters));
    program.look.draw = [](Picture&, Rectangle) { return true; };  // something without such colours
    CHECK_FALSE(shows(paint(program, size.width, size.height), "value (1/s)", letters));
}

// ---- The panel of parameters --------------------------------------------------------------------

TEST_CASE("a slider's place is its value's, and its value its place's") {
    double number = 0.1;
    float small = 1e-8f;
    int count = 20;
    double force = 0.0;
    const std::vector<Parameter> parameters = {
        {"number", &number, "", 1000.0, 0.0, 0.1}, {"positive", &number, "", 1e6, 1e-6, 5.0},
        {"small", &small, "", 1.0, 0.0, 1e-8},     {"count", &count, "", 1e6, 0.0, 20.0},
        {"from 0", &number, "", 1000.0, 0.0, 0.0}, {"force", &force, "", 1000.0, -1000.0, 0.0},
        {"narrow", &number, "", 0.2, 0.0, 0.1},
    };
    for (const Parameter& parameter : parameters) {
        INFO(parameter.name);
        double before = parameter.least - 1.0;
        for (int k = 0; k <= 200; ++k) {
            const double place = k / 200.0;
            const double value = slider_number(parameter, place);
            CHECK(value >= parameter.least);
            CHECK(value <= parameter.most);
            CHECK(value >= before);
            before = value;
            set_number(parameter, value);
            const bool is_rough = &parameter == &parameters[3] && place < 0.6;  // whole numbers
            if (value != 0.0 && !is_rough) {
                CHECK_THAT(slider_place(parameter), WithinAbs(place, 0.005));
            }
        }
        CHECK(slider_number(parameter, -3.0) == slider_number(parameter, 0.0));
        CHECK(slider_number(parameter, 7.0) == slider_number(parameter, 1.0));
    }
    CHECK(slider_number(parameters[0], 0.0) == 0.0);
    CHECK_THAT(slider_number(parameters[0], 0.52), WithinAbs(0.1, 1e-3));  // 0 has the first 0.04
    CHECK_THAT(slider_number(parameters[0], 1.0), WithinAbs(10.0, 1e-9));
    CHECK_THAT(slider_number(parameters[1], 0.5), WithinAbs(5.0, 0.01));
    CHECK_THAT(slider_number(parameters[1], 0.0), WithinAbs(0.05, 1e-9));
    CHECK(slider_number(parameters[5], 0.5) == 0.0);
    CHECK(slider_number(parameters[5], 0.2) == -slider_number(parameters[5], 0.8));
    CHECK(slider_number(parameters[6], 1.0) == 0.2);
    set_number(parameters[3], slider_number(parameters[3], 0.3));
    CHECK(count == slider_number(parameters[3], 0.3));
    set_number(parameters[0], 1e9);
    CHECK(slider_place(parameters[0]) == 1.0);

    bool on = false;
    Choice choice{1, {"a", "b", "c"}};
    const Parameter is_on{"on", &on, ""};
    const Parameter one_of{"choice", &choice, ""};
    CHECK_FALSE(has_slider(is_on));
    CHECK_FALSE(has_slider(one_of));
    CHECK(has_slider(parameters[3]));
    CHECK(next_number(is_on) == 1.0);
    on = true;
    CHECK(next_number(is_on) == 0.0);
    CHECK(next_number(one_of) == 2.0);
    choice.chosen = 2;
    CHECK(next_number(one_of) == 0.0);
}

TEST_CASE("a panel's rows lie in it one below the other, and the chosen one is among them") {
    std::vector<double> numbers(40, 1.0);
    Choice choice{0, {"a name that is as long as a whole row"}};
    std::vector<Parameter> parameters = {{"choice", &choice, ""}};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        parameters.push_back({"number " + std::to_string(k), &numbers[k], "", 10.0, 0.0, 1.0});
    }
    for (const int size : {1, 3}) {
        for (const Rectangle panel : {Rectangle{576, 0, panel_width(size), 704},
                                      {300, 20, panel_width(size), 150},
                                      {300, 0, panel_width(size), 5000}}) {
            for (std::size_t chosen = 0; chosen < parameters.size(); ++chosen) {
                const std::vector<PanelRow> rows = panel_rows(parameters, {chosen}, panel, size);
                REQUIRE_FALSE(rows.empty());
                CHECK(rows.front().parameter <= chosen);
                CHECK(rows.back().parameter >= chosen);
                int below = panel.y;
                for (const PanelRow& row : rows) {
                    CHECK(row.place.y > below);
                    CHECK(row.place.height >= line_height(size));
                    CHECK(row.place.x > panel.x);
                    CHECK(row.place.x + row.place.width < panel.x + panel.width);
                    below = row.place.y + row.place.height;
                }
                CHECK(below <= panel.y + panel.height);
            }
        }
    }
    const Rectangle high = {0, 0, panel_width(1), 5000};
    const std::vector<PanelRow> rows = panel_rows(parameters, {}, high, 1);
    CHECK(rows.size() == parameters.size());
    CHECK(rows[0].place.height > rows[1].place.height);
    CHECK(place_in(rows[1], rows[1].place.x) == 0.0);
    CHECK(place_in(rows[1], rows[1].place.x + rows[1].place.width - 1) == 1.0);
    CHECK(place_in(rows[1], rows[1].place.x + rows[1].place.width / 2) > 0.49);
    CHECK(place_in(rows[1], -500) == 0.0);
}

/// The parameters of these rows in turn; -1 is the line of those from earlier chapters.
static std::vector<int> numbers_of(const std::vector<PanelRow>& rows) {
    std::vector<int> numbers;
    for (const PanelRow& row : rows) {
        numbers.push_back(row.parameter ? static_cast<int>(*row.parameter) : -1);
    }
    return numbers;
}

TEST_CASE("parameters from earlier chapters are folded, and what means nothing is not listed") {
    std::vector<double> numbers(5, 1.0);
    bool has_body = true;
    std::vector<Parameter> parameters;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        parameters.push_back({"number " + std::to_string(k), &numbers[k], "", 10.0, 0.0, 1.0});
    }
    parameters[0].from_earlier = true;
    parameters[3].from_earlier = true;
    parameters[3].applies = [&] { return has_body; };
    parameters[4].applies = [&] { return has_body; };
    const Rectangle panel = {0, 0, panel_width(1), 400};
    const auto rows = [&](PanelState state) {
        return numbers_of(panel_rows(parameters, state, panel, 1));
    };
    PanelState state;
    CHECK(rows(state) == std::vector<int>{1, 2, 4, -1});
    CHECK(chosen_of(parameters, state) == std::size_t{1});  // not 0, which is folded
    fold_or_unfold(parameters, state);
    CHECK(rows(state) == std::vector<int>{1, 2, 4, -1, 0, 3});
    CHECK(chosen_of(parameters, state) == std::size_t{0});
    choose_further(parameters, state, -1);
    CHECK(state.chosen == 4);
    choose_further(parameters, state, 2);
    CHECK(state.chosen == 3);
    has_body = false;
    CHECK(rows(state) == std::vector<int>{1, 2, -1, 0});
    CHECK(chosen_of(parameters, state) == std::size_t{1});
    choose_further(parameters, state, 1);
    CHECK(state.chosen == 1);
    fold_or_unfold(parameters, state);
    CHECK(rows(state) == std::vector<int>{1, 2, -1});
    choose_further(parameters, state, 1);
    choose_further(parameters, state, 1);
    CHECK(state.chosen == 1);  // Tab goes round without those that are not listed

    const Rectangle low = {0, 0, panel_width(1), 100};  // the folded line has its room first
    CHECK(numbers_of(panel_rows(parameters, {2}, low, 1)) == std::vector<int>{2, -1});
    has_body = true;
    CHECK(numbers_of(panel_rows(parameters, {4}, low, 1)) == std::vector<int>{4, -1});
    parameters.resize(1);
    CHECK(rows({}) == std::vector<int>{-1});
    CHECK_FALSE(chosen_of(parameters, {}));
    parameters[0].from_earlier = false;
    fold_or_unfold(parameters, state);  // there is nothing to fold
    CHECK_FALSE(state.shows_earlier);
    CHECK(rows({}) == std::vector<int>{0});
}

TEST_CASE("the panel stands beside what is shown without it, and moves with the values") {
    std::vector<float> values(36, 0.3f);
    int width = 6;
    Program program = made_up_program(values, width);
    program.simulation.box = {4, 4, 1};
    CHECK(layout_of(program, 1000, 700).panel.width == 0);  // there is nothing to show
    double first = 1.0;
    double second = 2.0;
    program.description.parameters = {{"first", &first, "", 1000.0, 0.0, 1.0},
                                      {"second", &second, "", 1000.0, 0.0, 2.0}};
    for (const int scale : {1, 2}) {
        const Size fluid = {576 * scale, 704 * scale};
        const Size window = with_panel(program, fluid);
        const Layout layout = layout_of(program, window.width, window.height);
        INFO(scale << " times the tutorial's size");
        REQUIRE(layout.fluid.width == fluid.width);
        REQUIRE(layout.panel.x == fluid.width);
        REQUIRE(layout.panel.x + layout.panel.width == window.width);
        CHECK(letter_pixels(layout.panel_letters) >= 12);
        const Picture without = paint(program, fluid.width, fluid.height, true);
        const Picture before = paint(program, window.width, window.height);
        const double kept = second;
        set_number(program.description.parameters[1], 150.0);
        const Picture after = paint(program, window.width, window.height);
        const std::vector<PanelRow> rows =
            panel_rows(program.description.parameters, {}, layout.panel, layout.panel_letters);
        REQUIRE(rows.size() == 2);
        const Rectangle row = rows[1].place;
        int beside = 0;
        int other = 0;
        int moved = 0;
        for (int y = 0; y < window.height; ++y) {
            for (int x = 0; x < window.width; ++x) {
                if (x < fluid.width) {
                    beside += before.at(x, y) == without.at(x, y) ? 0 : 1;
                }
                if (before.at(x, y) == after.at(x, y)) {
                    continue;
                }
                const bool in_row =
                    row.x <= x && x < row.x + row.width && row.y <= y && y < row.y + row.height;
                moved += in_row ? 1 : 0;
                other += in_row ? 0 : 1;
            }
        }
        CHECK(beside == 0);
        CHECK(other == 0);
        CHECK(moved > row.width * row.height / 5);
        const int handle =
            row.x + static_cast<int>(std::lround(slider_place(program.description.parameters[1]) *
                                                 (row.width - 1)));
        CHECK(lightness(after.at(handle, row.y + 1)) >
              lightness(after.at(handle - 6, row.y + 1)) + 0.2);
        CHECK(lightness(after.at(handle, row.y + 1)) >
              lightness(after.at(handle + 6, row.y + 1)) + 0.2);
        second = kept;
    }
    CHECK(layout_of(program, 300, 400).panel.width == 0);  // the fluid needs it
    CHECK(layout_of(program, 300, 400).fluid.width == 300);
}

TEST_CASE("a picture of any size can be made") {
    std::vector<float> values(36, 0.3f);
    int width = 6;
    Program program = made_up_program(values, width);
    program.simulation.box = {4, 4, 1};
    double number = 1.0;
    program.description.parameters = {{"number", &number, ""}};
    program.description.readouts = {{"a readout of several words", [] { return 1.0 / 3.0; }}};
    for (const Size size : {Size{1, 1}, {64, 64}, {70, 90}, {64, 900}, {1500, 64}, {3000, 2000}}) {
        const Picture picture = paint(program, size.width, size.height);
        CHECK(picture.width() == size.width);
        CHECK(area_above_text(size.width, size.height).height >= size.height / 2);
    }
}

TEST_CASE("each cell is drawn in its place, i to the right and j down") {
    std::vector<float> values(36, 0.0f);
    int width = 6;
    Program program = made_up_program(values, width);
    program.simulation.box = {4, 4, 1};
    values[2 + 6 * 3] = 1.0f;
    const Size size = natural_size(6, 6);
    const Picture picture = paint(program, size.width, size.height);
    const View view = view_of(program, size.width, size.height);
    const auto middle_of = [&](float i, float j) {
        return picture.at(static_cast<int>(view.x(i)), static_cast<int>(view.y(j)));
    };
    CHECK(middle_of(2, 3) == sequential_colour(1.0f));
    CHECK(middle_of(3, 2) == sequential_colour(0.0f));
    CHECK(middle_of(0, 3) == wall_tint(sequential_colour(0.0f)));
    CHECK(middle_of(5, 5) == wall_tint(sequential_colour(0.0f)));
}

TEST_CASE("the grid fits the picture at any size") {
    for (const auto& [columns, rows] : {std::pair(3, 3),
                                        {4, 4},
                                        {18, 18},
                                        {102, 102},
                                        {130, 130},
                                        {514, 514},
                                        {3002, 3002},
                                        {1, 1},
                                        {64, 16},
                                        {16, 64},
                                        {1, 500},
                                        {500, 1},
                                        {3000, 40}}) {
        for (const Size size :
             {natural_size(columns, rows), Size{64, 64}, Size{1500, 400}, Size{300, 1500}}) {
            const Rectangle area = area_above_text(size.width, size.height);
            const View view = view_in(area, columns, rows, true);
            INFO(columns << " x " << rows << " in " << size.width << " x " << size.height);
            CHECK(view.cell > 0.0f);
            CHECK(view.left >= 0.0f);
            CHECK(view.top >= 0.0f);
            CHECK(view.left + view.cell * static_cast<float>(columns) <=
                  static_cast<float>(size.width) + 0.5f);
            CHECK(view.top + view.cell * static_cast<float>(rows) <=
                  static_cast<float>(std::max(1, area.height)) + 0.5f);
        }
    }
    const Size tutorial = natural_size(18, 18);
    CHECK(tutorial.width == 576);
    const Rectangle area = area_above_text(tutorial.width, tutorial.height);
    CHECK(area.height == 576);
    CHECK(view_in(area, 18, 18, true).cell == 32.0f);
    const View right = view_in({200, 50, 100, 40}, 5, 2, false);
    CHECK(right.cell == 20.0f);
    CHECK(right.left == 200.0f);
    CHECK(right.top == 50.0f);
}

TEST_CASE("a box has no walls and need not be square; a cube counts its walls") {
    Program program("00_nothing", "made up");
    program.description.fields = {
        {"value", [](int i, int j) { return i == 0 && j == 1 ? 1.0f : 0.0f; }, 0.0f}};
    const auto colour_of = [&](float i, float j) {
        const View view = view_of(program, 600, 600);
        return paint(program, 600, 600)
            .at(static_cast<int>(view.x(i)), static_cast<int>(view.y(j)));
    };
    program.simulation.shape = Shape::box;
    program.simulation.box = {4, 2, 1};
    CHECK(view_of(program, 600, 600).columns == 4);
    CHECK(view_of(program, 600, 600).rows == 2);
    CHECK(colour_of(0, 1) == sequential_colour(1.0f));
    CHECK(colour_of(3, 1) == sequential_colour(0.0f));
    program.simulation.shape = Shape::cube;
    program.simulation.box = {5, 5, 5};
    program.look.walls_have_values = true;
    program.description.fields[0].full_at = 1.0f;
    CHECK(view_of(program, 600, 600).columns == 5);
    CHECK(colour_of(0, 1) == wall_tint(sequential_colour(1.0f)));
    CHECK(colour_of(1, 1) == sequential_colour(0.0f));
}

TEST_CASE("a chapter may draw by itself, and otherwise in pictures that are kept") {
    Program program("00_nothing", "made up");
    program.description.fields = {{"value", [](int, int) { return 0.0f; }}};
    const Colour own = {1, 250, 3};
    const Colour kept = {1, 2, 250};
    bool now = true;
    Rectangle told{};
    program.look.draw = [&](Picture& picture, Rectangle area) {
        told = area;
        picture.rectangle(area.x, area.y, area.width, area.height, own);
        return now;
    };
    CHECK(paint(program, 300, 400).at(0, 0) == own);
    CHECK(told.width == 300);
    CHECK(told.height == area_above_text(300, 400).height);
    CHECK(paint(program, 300, 400, true).at(150, 150) == own);
    program.look.draw_still = [&](Picture& picture, Rectangle) {
        picture.pixel(0, 0, kept);
        return true;
    };
    CHECK(paint(program, 300, 400, true).at(0, 0) == kept);
    CHECK(paint(program, 300, 400, false).at(0, 0) == own);
    now = false;
    const View view = view_of(program, 300, 400);
    CHECK(paint(program, 300, 400).at(static_cast<int>(view.x(8)), static_cast<int>(view.y(8))) ==
          sequential_colour(0.0f));
}

TEST_CASE("lines lie between few large cells, and not between many, however large these are") {
    const ShownField field{"value", [](int, int) { return 1.0f; }, 1.0f};
    const auto has_lines = [&](int cells, int size) {
        Picture picture(size, size);
        const View view = view_in({0, 0, size, size}, cells, cells, false);
        draw_cells(picture, view, field);
        const int middle = static_cast<int>(view.y(static_cast<float>(cells / 2)));
        const int edge = static_cast<int>(view.x(4.5f) + 0.5f);
        return picture.at(edge, middle) != picture.at(static_cast<int>(view.x(4)), middle);
    };
    CHECK(has_lines(16, 16 * 32));
    CHECK(has_lines(48, 48 * 12));
    CHECK_FALSE(has_lines(48, 48 * 11));
    CHECK_FALSE(has_lines(96, 96 * 12));
    CHECK_FALSE(has_lines(64, 64 * 32));
}

TEST_CASE("several panels and their arrows fit in one picture") {
    Picture picture(400, 200);
    const ShownField field{"value", [](int i, int) { return static_cast<float>(i); }, 3.0f};
    const View left = view_in({0, 0, 200, 200}, 4, 2, false);
    const View right = view_in({200, 0, 200, 200}, 4, 2, false);
    draw_cells(picture, left, field);
    draw_cells(picture, right, field);
    for (const float i : {0.0f, 1.0f, 3.0f}) {
        for (const View& view : {left, right}) {
            CHECK(picture.at(static_cast<int>(view.x(i)), static_cast<int>(view.y(1))) ==
                  sequential_colour(i / 3.0f));
        }
    }
    Picture arrows(400, 200);
    draw_arrows(
        arrows, right, [](int, int) { return std::pair(1.0f, 0.0f); }, 60.0f);
    const int x = static_cast<int>(right.x(0));
    const int y = static_cast<int>(right.y(0));
    CHECK_FALSE(arrows.at(x + 10, y) == Colour{0, 0, 0});
    CHECK(arrows.at(x + 10, y + 10) == Colour{0, 0, 0});
    CHECK(arrows.at(100, y) == Colour{0, 0, 0});
}

TEST_CASE("the scenes stay on the fluid, and none is its own mirror image") {
    for (const Scene& scene : scenes()) {
        for (const Place place : scene.path) {
            INFO(scene.name);
            CHECK(place.x > 0.0f);
            CHECK(place.x < 1.0f);
            CHECK(place.y > 0.0f);
            CHECK(place.y < 1.0f);
        }
    }
    CHECK(scenes().front().name == "drag");
    CHECK_THROWS_AS(scene_named("flood"), InputError);
}

// ---- The cube
// ------------------------------------------------------------------------------------

namespace {

constexpr Rectangle square_area = {10, 20, 300, 300};

CubeView::Point along(const CubeView& view, Place3 from, Place3 to) {
    const CubeView::Point a = view.point(from);
    const CubeView::Point b = view.point(to);
    return {b.x - a.x, b.y - a.y};
}

}  // namespace

TEST_CASE("seen straight on, x runs right, y runs down and z away") {
    const CubeView view(square_area, {0.0f, 0.0f});
    CHECK(along(view, {0, 0, 0}, {1, 0, 0}).x > 100.0f);
    CHECK_THAT(along(view, {0, 0, 0}, {1, 0, 0}).y, WithinAbs(0.0, 1e-3));
    CHECK(along(view, {0, 0, 0}, {0, 1, 0}).y > 100.0f);
    CHECK_THAT(along(view, {0, 0, 0}, {0, 0, 1}).x, WithinAbs(0.0, 1e-3));
    CHECK(view.distance({0.5f, 0.5f, 1}) > view.distance({0.5f, 0.5f, 0}));
    CHECK(view.facing_axis() == 2);
    CHECK(view.grows_away(2));
    const CubeView::Point middle = view.point({0.5f, 0.5f, 0.5f});
    CHECK_THAT(middle.x, WithinAbs(160.0, 1e-3));
    CHECK_THAT(middle.y, WithinAbs(170.0, 1e-3));
}

TEST_CASE("however it is turned, the cube stays in its area and its shape") {
    for (const Camera camera : {Camera{0.6f, 0.5f}, {2.0f, -0.7f}, {-1.3f, 1.2f}, {4.0f, 0.1f}}) {
        const CubeView view(square_area, camera);
        double lengths = 0.0;
        for (const Place3 axis : {Place3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
            const CubeView::Point side = along(view, {0, 0, 0}, axis);
            lengths += side.x * side.x + side.y * side.y;
            const double depth = view.distance(axis) - view.distance({0, 0, 0});
            const double seen = 300.0 / std::sqrt(3.0);
            INFO("a side's length is the same along every axis, be it towards the viewer");
            CHECK_THAT(std::hypot(std::hypot(side.x, side.y) / seen, depth), WithinAbs(1.0, 1e-4));
        }
        CHECK_THAT(lengths, WithinAbs(2.0 * 300.0 * 300.0 / 3.0, 1.0));
        for (int number = 0; number < 8; ++number) {
            const CubeView::Point at =
                view.point({static_cast<float>(number & 1), static_cast<float>(number >> 1 & 1),
                            static_cast<float>(number >> 2)});
            CHECK((at.x >= 9.0f && at.x <= 311.0f && at.y >= 19.0f && at.y <= 321.0f));
        }
    }
}

TEST_CASE("what is seen on a slice is found there again") {
    const CubeView view(square_area, {0.7f, 0.45f});
    const Place3 place = {0.3f, 0.8f, 0.55f};
    const CubeView::Point pixel = view.point(place);
    for (int axis = 0; axis < 3; ++axis) {
        const float at = axis == 0 ? place.x : axis == 1 ? place.y : place.z;
        const std::optional<Place3> found = view.place_on(axis, at, pixel.x, pixel.y);
        REQUIRE(found);
        INFO("on the slice across axis " << axis);
        CHECK_THAT(found->x, WithinAbs(place.x, 1e-4));
        CHECK_THAT(found->y, WithinAbs(place.y, 1e-4));
        CHECK_THAT(found->z, WithinAbs(place.z, 1e-4));
    }
    CHECK_FALSE(CubeView(square_area, {0.0f, 0.0f}).place_on(0, 0.5f, 100.0f, 100.0f));
}

TEST_CASE("sheets are drawn where their cells are, the nearer over the farther") {
    for (const Camera camera : {Camera{0.5f, 0.4f}, {2.5f, -0.4f}, {1.2f, 0.2f}, {0.3f, 1.3f}}) {
        const CubeView view(square_area, camera);
        Picture picture(330, 340);
        draw_sheets(picture, view, 8, [](int i, int j, int k) -> Glow {
            return {{200, 100, 50}, i == 6 && j == 1 && k == 3 ? 1.0f : 0.0f};
        });
        const CubeView::Point at = view.point({6.5f / 8, 1.5f / 8, 3.5f / 8});
        const Colour found = picture.at(static_cast<int>(at.x), static_cast<int>(at.y));
        INFO("the one cell's middle");
        CHECK(found.red > 150);
        int lit = 0;
        for (int y = 0; y < 340; ++y) {
            for (int x = 0; x < 330; ++x) {
                lit += picture.at(x, y).red > 0 ? 1 : 0;
            }
        }
        const double cell = 300.0 / std::sqrt(3.0) / 8;
        CHECK((lit > 0.3 * cell * cell && lit < 1.1 * cell * cell));

        // One near cell and one far one that lie behind each other on the screen.
        const int axis = view.facing_axis();
        Picture two(330, 340);
        draw_sheets(two, view, 8, [&](int i, int j, int k) -> Glow {
            const int layer = axis == 0 ? i : axis == 1 ? j : k;
            const bool near = view.grows_away(axis) ? layer == 0 : layer == 7;
            return {near ? Colour{0, 0, 250} : Colour{250, 0, 0}, 1.0f};
        });
        const Colour front = two.at(160, 170);
        INFO("facing axis " << axis);
        CHECK(front.blue > 200);
        CHECK(front.red < 20);
    }
}

TEST_CASE("half-transparent sheets let through half") {
    const CubeView view(square_area, {0.0f, 0.0f});
    Picture picture(330, 340);
    draw_sheets(picture, view, 2, [](int, int, int) -> Glow { return {{240, 240, 240}, 0.5f}; });
    const Colour found = picture.at(160, 170);
    CHECK_THAT(found.red, WithinAbs(180.0, 3.0));  // 120, and half of what is left
}

TEST_CASE("a spy plot has one square for each entry, in the colour of its value") {
    Picture picture(136, 156);
    draw_spy(picture, {0, 0, 136, 156}, 6,
             {{0, 0, 2.0}, {1, 4, -1.0}, {5, 0, -2.0}, {3, 3, -2.0, true}}, 2.0, "A");
    const auto middle = [&](int row, int column) {  // squares of 20 pixels, from (8, 28) on
        return picture.at(8 + 20 * column + 10, 28 + 20 * row + 10);
    };
    const auto is = [](Colour a, Colour b) {
        return a.red == b.red && a.green == b.green && a.blue == b.blue;
    };
    const Colour marked = middle(3, 3);
    INFO("one that is marked is green");
    CHECK(marked.green > marked.red);
    CHECK(marked.green > marked.blue);
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < 6; ++column) {
            if (row == 3 && column == 3) {
                continue;
            }
            const float value = row == 0 && column == 0   ? 1.0f
                                : row == 1 && column == 4 ? -0.5f
                                : row == 5 && column == 0 ? -1.0f
                                                          : 0.0f;
            INFO("row " << row << ", column " << column);
            CHECK(is(middle(row, column), value == 0.0f ? Colour{0, 0, 0} : signed_colour(value)));
        }
    }
}

// ---- Twice as large -----------------------------------------------------------------------------

namespace {

/// The smallest rectangle that has all pixels of that colour.
Rectangle place_of(const Picture& picture, Colour colour) {
    int left = picture.width(), right = -1, top = picture.height(), bottom = -1;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.at(x, y) == colour) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
        }
    }
    return {left, top, right + 1 - left, bottom + 1 - top};
}

void check_twice(Rectangle once, Rectangle twice, int tolerance) {
    CHECK(std::abs(twice.x - 2 * once.x) <= tolerance);
    CHECK(std::abs(twice.y - 2 * once.y) <= tolerance);
    CHECK(std::abs(twice.width - 2 * once.width) <= tolerance);
    CHECK(std::abs(twice.height - 2 * once.height) <= tolerance);
}

/// How many pixels of that colour follow each other to the right.
int run_of(const Picture& picture, int x, int y, Colour colour) {
    int count = 0;
    while (x + count < picture.width() && picture.at(x + count, y) == colour) {
        ++count;
    }
    return count;
}

Picture plot_at(int scale) {
    Picture picture(300 * scale, 200 * scale);
    picture.scale = static_cast<float>(scale);
    draw_plot(picture, 10 * scale, 20 * scale, 280 * scale, 170 * scale, {1.0f, 0.1f, 0.001f},
              "residual");
    return picture;
}

Picture spy_at(int scale) {
    Picture picture(316 * scale, 336 * scale);
    picture.scale = static_cast<float>(scale);
    draw_spy(picture, {0, 0, 316 * scale, 336 * scale}, 6, {{0, 0, 2.0}, {0, 1, 2.0}, {5, 5, 2.0}},
             2.0, "A");
    return picture;
}

/// The share of pixels that look otherwise in the picture of twice the size.
double share_of_others(const Picture& once, const Picture& twice) {
    int others = 0;
    for (int y = 0; y < once.height(); ++y) {
        for (int x = 0; x < once.width(); ++x) {
            int red = 0, green = 0, blue = 0;
            for (const auto& [right, down] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}}) {
                const Colour colour = twice.at(2 * x + right, 2 * y + down);
                red += colour.red;
                green += colour.green;
                blue += colour.blue;
            }
            const Colour here = once.at(x, y);
            const int most =
                std::max({std::abs(red / 4 - here.red), std::abs(green / 4 - here.green),
                          std::abs(blue / 4 - here.blue)});
            others += most > 100 ? 1 : 0;
        }
    }
    return 1.0 * others / (once.width() * once.height());
}

}  // namespace

TEST_CASE("letters, lines and margins have a picture's scale") {
    for (const int size : {1, 2, 3}) {
        CHECK(larger_letters(size, 1.0f) == size);
        CHECK(letter_pixels(larger_letters(size, 2.0f)) == 2 * letter_pixels(size));
    }
    CHECK(larger_letters(3, 1.2f) == 3);  // the next ones are 1.3 times as large
    CHECK(larger_letters(2, 100.0f) == letter_sizes);
    for (const int scale : {1, 2}) {
        Picture picture(100, 100);
        picture.scale = static_cast<float>(scale);
        INFO("scale " << scale);
        CHECK(picture.scaled(7) == 7 * scale);
        CHECK(picture.letters(1) == larger_letters(1, picture.scale));
        picture.outline(10, 20, 60, 40, ink);
        CHECK(run_of(picture, 10, 40, ink) == scale);
        CHECK(run_of(picture, 70 - scale, 40, ink) == scale);
        const Rectangle place = place_of(picture, ink);
        CHECK(place.x == 10);
        CHECK(place.y == 20);
        CHECK(place.width == 60);
        CHECK(place.height == 40);
        picture.line(30.0f, 30.0f, 30.0f, 50.0f, {7, 7, 7});
        CHECK(run_of(picture, 30, 40, {7, 7, 7}) == scale);
    }
}

TEST_CASE("a plot's frame, letters and curve are twice as large at scale 2") {
    constexpr Colour frame = {150, 150, 150}, curve = {51, 204, 255};
    const Picture once = plot_at(1);
    const Picture twice = plot_at(2);
    check_twice(place_of(once, frame), place_of(twice, frame), 0);
    check_twice(place_of(once, curve), place_of(twice, curve), 2);
    CHECK(run_of(once, 10, 100, frame) == 1);
    CHECK(run_of(twice, 20, 200, frame) == 2);
    CHECK(stands_at(written("residual", 1, {0, 0, 0}), once, 10 + 6, 20 + 6));
    CHECK(stands_at(written("residual", 4, {0, 0, 0}), twice, 2 * (10 + 6), 2 * (20 + 6)));
    CHECK(share_of_others(once, twice) < 0.01);
}

TEST_CASE("a spy plot's frame, letters and squares are twice as large at scale 2") {
    constexpr Colour frame = {255, 200, 90};
    const Colour square = signed_colour(1.0f);
    const Picture once = spy_at(1);
    const Picture twice = spy_at(2);
    check_twice(place_of(once, frame), place_of(twice, frame), 0);
    check_twice(place_of(once, square), place_of(twice, square), 1);
    CHECK(run_of(once, 7, 200, frame) == 1);
    CHECK(run_of(twice, 14, 400, frame) == 2);
    CHECK(run_of(once, 8, 30, square) == 49);  // of 50, with a gap of one pixel
    CHECK(run_of(twice, 16, 60, square) == 98);
    CHECK(stands_at(written("A", 1, {0, 0, 0}, {235, 235, 235}), once, 8, 8));
    CHECK(stands_at(written("A", 4, {0, 0, 0}, {235, 235, 235}), twice, 16, 16));
    CHECK(share_of_others(once, twice) < 0.01);
}

TEST_CASE("in a window of twice the size everything is twice as large") {
    std::vector<float> values(36, 0.3f);
    int width = 6;
    Program program = made_up_program(values, width);
    program.simulation.box = {4, 4, 1};
    program.screen.scenes = {"drag", "swirl"};
    program.screen.probe = {2, 2};
    const float arrow_scale = 100.0f;
    program.look.arrow_scale = &arrow_scale;
    program.look.velocity = [](int, int) { return std::pair(1.0f, 0.5f); };
    double number = 1.0;
    program.description.parameters = {{"number", &number, "", 10.0, 0.0, 1.0}};
    program.description.readouts = {{"dye", [] { return 1.0 / 3.0; }}};
    float seen = 0.0f;
    program.look.draw_over.add([&](Picture& picture, const View&) { seen = picture.scale; });
    const Size size = natural_size(program, false);
    for (const int help_page : {0, 1}) {  // the help is little else than letters
        program.screen.help_page = help_page;
        const Picture once = paint(program, size.width, size.height);
        CHECK(seen == 1.0f);
        const Picture twice = paint(program, 2 * size.width, 2 * size.height);
        CHECK(seen == 2.0f);
        INFO("help page " << help_page);
        CHECK(share_of_others(once, twice) < (help_page == 0 ? 0.02 : 0.04));
    }
    paint(program, size.width / 2, size.height / 2);
    CHECK(seen == 1.0f);
}
