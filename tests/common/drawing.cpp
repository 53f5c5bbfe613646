// The picture as pixels: looked at without a display.
#include <cmath>
#include <limits>
#include <optional>

#include "catch.hpp"
#include "common/app/scene.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/paint.hpp"
#include "common/draw/picture.hpp"
#include "common/draw/spy.hpp"
#include "common/draw/volume.hpp"

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

/// A program that shows one number a cell and no fluid at all.
Program made_up_program(std::vector<float>& values, int& width) {
    Program program("00_nothing", "made up");
    program.cell_from_mouse = [](float x, float y, float size) {
        return GridCell{static_cast<int>(std::floor(x / size)),
                        static_cast<int>(std::floor(y / size))};
    };
    program.index = [&width](int i, int j) { return i + width * j; };
    program.fields = {
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
    for (int k = 0; k < 10; ++k) {
        const double low = lightness(sequential_colour(static_cast<float>(k) / 10.0f));
        const double high = lightness(sequential_colour(static_cast<float>(k + 1) / 10.0f));
        INFO("from " << k / 10.0 << " to " << (k + 1) / 10.0);
        CHECK(high - low > 0.06);
        CHECK(high - low < 0.13);
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

TEST_CASE("text is drawn from left to right, each letter its own") {
    Picture l(40, 20);
    l.text(0, 0, "L", {9, 9, 9}, 1);
    CHECK(l.at(0, 6) == Colour{9, 9, 9});
    CHECK(l.at(4, 6) == Colour{9, 9, 9});
    CHECK(l.at(4, 0) == Colour{0, 0, 0});
    Picture two(40, 20);
    two.text(0, 0, "-L", {9, 9, 9}, 2);
    CHECK(two.at(12, 12) == Colour{9, 9, 9});
    CHECK(two.at(0, 12) == Colour{0, 0, 0});
}

TEST_CASE("each cell is drawn in its place, i to the right and j down") {
    std::vector<float> values(36, 0.0f);
    int width = 6;
    Program program = made_up_program(values, width);
    program.box = {4, 4, 1};
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
    program.fields = {{"value", [](int i, int j) { return i == 0 && j == 1 ? 1.0f : 0.0f; }, 0.0f}};
    const auto colour_of = [&](float i, float j) {
        const View view = view_of(program, 600, 600);
        return paint(program, 600, 600)
            .at(static_cast<int>(view.x(i)), static_cast<int>(view.y(j)));
    };
    program.shape = Shape::box;
    program.box = {4, 2, 1};
    CHECK(view_of(program, 600, 600).columns == 4);
    CHECK(view_of(program, 600, 600).rows == 2);
    CHECK(colour_of(0, 1) == sequential_colour(1.0f));
    CHECK(colour_of(3, 1) == sequential_colour(0.0f));
    program.shape = Shape::cube;
    program.box = {5, 5, 5};
    program.walls_have_values = true;
    program.fields[0].full_at = 1.0f;
    CHECK(view_of(program, 600, 600).columns == 5);
    CHECK(colour_of(0, 1) == wall_tint(sequential_colour(1.0f)));
    CHECK(colour_of(1, 1) == sequential_colour(0.0f));
}

TEST_CASE("a chapter may draw by itself, and otherwise in pictures that are kept") {
    Program program("00_nothing", "made up");
    program.fields = {{"value", [](int, int) { return 0.0f; }}};
    const Colour own = {1, 250, 3};
    const Colour kept = {1, 2, 250};
    bool now = true;
    Rectangle told{};
    program.draw = [&](Picture& picture, Rectangle area) {
        told = area;
        picture.rectangle(area.x, area.y, area.width, area.height, own);
        return now;
    };
    CHECK(paint(program, 300, 400).at(0, 0) == own);
    CHECK(told.width == 300);
    CHECK(told.height == area_above_text(300, 400).height);
    CHECK(paint(program, 300, 400, true).at(150, 150) == own);
    program.draw_still = [&](Picture& picture, Rectangle) {
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
    Picture picture(136, 152);
    draw_spy(picture, {0, 0, 136, 152}, 6, {{0, 0, 2.0}, {1, 4, -1.0}, {5, 0, -2.0}}, 2.0, "A");
    const auto middle = [&](int row, int column) {  // squares of 20 pixels, from (8, 24) on
        return picture.at(8 + 20 * column + 10, 24 + 20 * row + 10);
    };
    const auto is = [](Colour a, Colour b) {
        return a.red == b.red && a.green == b.green && a.blue == b.blue;
    };
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < 6; ++column) {
            const float value = row == 0 && column == 0   ? 1.0f
                                : row == 1 && column == 4 ? -0.5f
                                : row == 5 && column == 0 ? -1.0f
                                                          : 0.0f;
            INFO("row " << row << ", column " << column);
            CHECK(is(middle(row, column), value == 0.0f ? Colour{0, 0, 0} : signed_colour(value)));
        }
    }
}
