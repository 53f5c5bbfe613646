// What a program does when keys are pressed and its window is clicked, without a display; the
// pictures that it leaves, and how it ends.
#include "common/app/program.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "common/app/help.hpp"
#include "common/app/layout.hpp"
#include "common/app/mouse.hpp"
#include "common/app/paint.hpp"
#include "common/app/rest.hpp"
#include "common/draw/caption.hpp"

using namespace workbook;
namespace fs = std::filesystem;

namespace {

/// A program with one cell's worth of state: how often it has been begun, and what was played.
struct Made {
    int begun = 0;
    double own = 1.0, old = 2.0, of_body = 3.0;
    bool has_body = false;
    std::vector<std::string> played;
    std::vector<Stroke> strokes;
    Program program{"00_made_up", "made up"};

    Made() {
        program.simulation.reset = [this](int) { ++begun; };
        program.simulation.step = [](double) {};
        program.simulation.stroke = [this](const Stroke& stroke) { strokes.push_back(stroke); };
        program.description.fields = {{"value", [](int, int) { return 0.5f; }}};
        program.description.parameters = {
            {"own", &own, "of this chapter"},
            {"of_body", &of_body, "means nothing without a body"},
            {"old", &old, "of an earlier chapter"},
        };
        program.description.parameters[1].applies = [this] { return has_body; };
        program.description.parameters[2].from_earlier = true;
        program.description.scenes = {
            {"calm", "nothing happens", [this] { played.emplace_back("calm"); }},
            {"wild", "all happens",
             [this] {
                 played.emplace_back("wild");
                 own = 7.0;
             }},
        };
    }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    /// Prepares a window of its natural size, as if these flags were given.
    void open(const Flags& flags = {}) {
        prepare(program, flags);
        program.screen.scenes = scenes_to_choose(program.description);
        program.screen.size = natural_size(program, false);
    }

    Layout layout() const {
        return layout_of(program, program.screen.size.width, program.screen.size.height);
    }

    /// Presses the left button in the middle of a rectangle, and lets it go.
    void click(Rectangle place) {
        Mouse mouse;
        Event event{Event::Kind::press};
        event.x = place.x + place.width / 2;
        event.y = place.y + place.height / 2;
        handle(program, event, mouse);
        event.kind = Event::Kind::release;
        handle(program, event, mouse);
    }

    /// The names in the panel, from top to bottom; "" is the line of the folded ones.
    std::vector<std::string> listed_names() const {
        std::vector<std::string> names;
        for (const PanelRow& row : rows()) {
            names.push_back(row.parameter ? program.description.parameters[*row.parameter].name
                                          : "");
        }
        return names;
    }

    std::vector<PanelRow> rows() const {
        const Layout seen = layout();
        return panel_rows(program.description.parameters, program.screen.panel, seen.panel,
                          seen.panel_letters);
    }

    std::string chosen() const {
        const std::optional<std::size_t> number =
            chosen_of(program.description.parameters, program.screen.panel);
        return number ? program.description.parameters[*number].name : "";
    }
};

using Names = std::vector<std::string>;

/// What a run says on stderr, and its exit status.
struct Ending {
    int status;
    std::string said;
};

Ending run(Program& program, std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    std::ostringstream said;
    std::streambuf* const kept = std::cerr.rdbuf(said.rdbuf());
    const int status = program.run(static_cast<int>(argv.size()), argv.data());
    std::cerr.rdbuf(kept);
    return {status, said.str()};
}

/// How many pixels wide and high the picture in a PNG file is: its bytes 16 to 23 say so.
Size size_in_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 24> head = {};
    file.read(head.data(), head.size());
    const auto number_at = [&head](std::size_t first) {
        int number = 0;
        for (std::size_t k = first; k < first + 4; ++k) {
            number = 256 * number + static_cast<unsigned char>(head[k]);
        }
        return number;
    };
    return {number_at(16), number_at(20)};
}

}  // namespace

TEST_CASE("the help names a key only where it does something") {
    Made made;
    Description& description = made.program.description;
    Look& look = made.program.look;
    const auto names = [&](const std::string& meaning) {
        for (const std::string& line : help_lines(description, look)) {
            if (line.find(meaning) != std::string::npos) {
                return true;
            }
        }
        return false;
    };
    REQUIRE(description.fields.size() == 1);
    CHECK(names("next parameter"));
    CHECK_FALSE(names("next field"));
    CHECK_FALSE(names("arrows"));
    description.fields.push_back({"other", [](int, int) { return 0.0f; }});
    look.velocity = [](int, int) { return std::pair(0.0f, 0.0f); };
    CHECK(names("next field"));
    CHECK(names("arrows"));
    description.parameters.clear();
    CHECK_FALSE(names("next parameter"));
    bool is_deep = false;
    description.keys.push_back({'k', "next layer", [] {}, [&] { return is_deep; }});
    CHECK_FALSE(names("next layer"));
    is_deep = true;
    CHECK(names("next layer"));
}

TEST_CASE("the help says what a drag does now") {
    Made made;
    Look& look = made.program.look;
    bool has_body = false;
    look.drag_meaning.add([&](bool left_button) {
        return std::string(has_body && left_button ? "move the body" : "");
    });
    const auto first_two = [&] {
        const std::vector<std::string> lines = help_lines(made.program.description, look);
        return std::vector<std::string>(lines.begin(), lines.begin() + 2);
    };
    CHECK(first_two() ==
          std::vector<std::string>{"left drag   dye and velocity", "right drag  velocity only"});
    has_body = true;
    CHECK(first_two() ==
          std::vector<std::string>{"left drag   move the body", "right drag  velocity only"});
}

TEST_CASE("the line of earlier chapters opens and closes by a click and by a key") {
    Made made;
    made.open();
    CHECK(made.listed_names() == Names{"own", ""});
    made.click(made.rows().back().place);
    CHECK(made.listed_names() == Names{"own", "", "old"});
    CHECK(made.chosen() == "old");
    made.click(made.rows()[1].place);
    CHECK(made.listed_names() == Names{"own", ""});
    press(made.program, 'j');
    CHECK(made.listed_names() == Names{"own", "", "old"});
    press(made.program, '+');
    CHECK(made.old == 2.5);
    press(made.program, 'j');
    CHECK(made.listed_names() == Names{"own", ""});
    CHECK(made.chosen() == "own");
    CHECK(made.own == 1.0);
    CHECK(made.strokes.empty());
}

TEST_CASE("Tab and the wheel pass over a parameter that means nothing now") {
    Made made;
    made.open();
    press(made.program, 'j');
    made.program.screen.panel.chosen = 0;
    press(made.program, '\t');
    CHECK(made.chosen() == "old");
    press(made.program, '\t');
    CHECK(made.chosen() == "own");
    made.has_body = true;
    CHECK(made.listed_names() == Names{"own", "of_body", "", "old"});
    press(made.program, '\t');
    CHECK(made.chosen() == "of_body");
    made.has_body = false;
    press(made.program, '+');  // changes what is listed, and nothing else
    CHECK(made.of_body == 3.0);
    CHECK(made.chosen() == "own");
}

TEST_CASE("a scene that is clicked begins anew, and is marked") {
    Made made;
    made.open();
    CHECK(made.program.session.scene == "none");
    CHECK(made.begun == 1);
    press(made.program, '.');
    REQUIRE(made.layout().scenes.size() == 2);
    const Rectangle wild = made.layout().scenes[1].place;
    const auto picture = [&] {
        return paint(made.program, made.program.screen.size.width, made.program.screen.size.height);
    };
    const Colour before = picture().at(wild.x + 2, wild.y + 2);
    made.click(wild);
    CHECK(made.played == Names{"wild"});
    CHECK(made.begun == 2);
    CHECK(made.program.simulation.step_count == 0);
    CHECK(made.program.session.scene == "wild");
    CHECK(made.program.screen.message == "wild: all happens");
    CHECK_FALSE(picture().at(wild.x + 2, wild.y + 2) == before);
    CHECK(picture().at(made.layout().scenes[0].place.x + 2, wild.y + 2) == before);
    CHECK(made.strokes.empty());
    CHECK(made.own == 7.0);
    press(made.program, 'r');
    CHECK(made.played == Names{"wild", "wild"});
    made.click(made.layout().scenes[0].place);
    CHECK(made.played == Names{"wild", "wild", "calm"});
    CHECK(made.own == 1.0);  // what the other scene has done to a parameter is undone
    made.click(wild);
    made.own = 5.0;  // unless the reader has changed it
    made.click(made.layout().scenes[0].place);
    CHECK(made.own == 5.0);
    const Rectangle above = made.layout().scenes[1].place;
    made.click({above.x + above.width + 30, above.y, 2, 2});  // beside the names
    CHECK(made.strokes.empty());
    CHECK(made.played.size() == 5);
}

TEST_CASE("a window may begin with a scene of its own, unless flags ask for something else") {
    const auto begins_with = [](const Flags& flags) {
        Made made;
        made.program.simulation.start = [](Box) {
            Start start{"calm", 0.5};
            start.window_scene = "wild";
            return start;
        };
        made.open(flags);
        return made.program.session.scene;
    };
    Flags flags;
    CHECK(begins_with(flags) == "wild");
    flags.scene = "drag";
    CHECK(begins_with(flags) == "drag");
    flags = {};
    flags.n = 20;
    CHECK(begins_with(flags) == "none");
    flags = {};
    flags.headless = true;
    CHECK(begins_with(flags) == "calm");
}

TEST_CASE("what a scene shows is shown until another scene begins, unless the reader changes it") {
    Made made;
    made.program.description.fields.push_back({"other", [](int, int) { return 0.1f; }});
    made.program.description.scenes[1].play = [&made] {
        made.program.screen.field = 1;
        made.program.screen.shows_arrows = false;
    };
    Flags flags;
    flags.scene = "wild";
    made.open(flags);
    const Screen& screen = made.program.screen;
    CHECK(screen.field == 1);
    CHECK_FALSE(screen.shows_arrows);
    press(made.program, 'r');
    begin_scene(made.program, "calm");
    CHECK(screen.field == 0);
    CHECK(screen.shows_arrows);
    begin_scene(made.program, "wild");
    CHECK(screen.field == 1);
    press(made.program, 'v');
    begin_scene(made.program, "calm");
    CHECK(screen.field == 0);
    CHECK(screen.shows_arrows);
    press(made.program, 'v');  // the reader's own choice stays, whatever was played before
    press(made.program, 'f');
    begin_scene(made.program, "calm");
    CHECK(screen.field == 1);
    CHECK_FALSE(screen.shows_arrows);
    flags.show = "value";  // a flag goes before a scene
    Made asked;
    asked.program.description.fields.push_back({"other", [](int, int) { return 0.1f; }});
    asked.program.description.scenes[1].play = [&asked] { asked.program.screen.field = 1; };
    asked.open(flags);
    CHECK(asked.program.screen.field == 0);
}

TEST_CASE("a chapter without scenes of its own shows those that all have, and a still none") {
    Made made;
    made.program.description.scenes.resize(1);
    CHECK(scenes_to_choose(made.program.description).size() == 8);
    CHECK(scenes_to_choose(made.program.description).front() == "calm");
    made.program.description.scenes.clear();
    made.open();
    CHECK(made.layout().scenes.size() == 7);
    const Size window = made.program.screen.size;
    CHECK(area_of_window(made.program).y > 0);
    CHECK(area_of_window(made.program).height == 576);  // the fluid has all that it had
    made.click(made.layout().scenes[4].place);
    CHECK(made.program.session.scene == "drop");
    CHECK(made.strokes.size() == 1);
    const Size still = natural_size(made.program, true);
    CHECK(still.height < window.height);
    Made other;
    other.program.description.scenes.clear();
    prepare(other.program, {});
    other.program.simulation.step_count = made.program.simulation.step_count;
    CHECK(paint(made.program, still.width, still.height, true).at(20, 10) ==
          paint(other.program, still.width, still.height, true).at(20, 10));
    made.program.screen.size = {320, 120};  // too small for a row
    CHECK(made.layout().scenes.empty());
}

TEST_CASE("a step that a key makes leaves its picture, as any other does") {
    const fs::path folder = fs::current_path() / "program_test_frames";
    fs::remove_all(folder);
    Made made;
    const Ending ending = run(made.program, {"made", "--headless", "--steps", "2", "--frames",
                                             folder.string(), "--keys", ".."});
    CHECK(ending.status == 0);
    CHECK(ending.said.empty());
    for (int k = 0; k <= 4; ++k) {
        CHECK(fs::is_regular_file(folder / ("frame_0000" + std::to_string(k) + ".png")));
    }
    CHECK_FALSE(fs::exists(folder / "frame_00005.png"));
    fs::remove_all(folder);
}

TEST_CASE("a picture ends where its text ends; a frame, and one with a panel, is as high as ever") {
    const fs::path folder = fs::current_path() / "program_test_pictures";
    fs::remove_all(folder);
    fs::create_directory(folder);
    const std::string path = (folder / "made.png").string();
    Made made;
    REQUIRE(run(made.program,
                {"made", "--headless", "--steps", "1", "--frames", folder.string(), "--png", path})
                .status == 0);
    const Size whole = natural_size(made.program, true);
    const Size frame = size_in_file(folder / "frame_00001.png");
    CHECK(frame.width == whole.width);
    CHECK(frame.height == whole.height);
    const Size cut = size_in_file(path);
    const int letters = letter_size(whole.width, whole.height);
    const int area = area_above_text(whole.width, whole.height).height;
    CHECK(cut.width == whole.width);
    CHECK(cut.height == area + 2 * line_height(letters) + 8);  // the colour bar and one line
    for (const std::vector<std::string>& flags : {Names{"--panel"}, Names{"--keys", "h"}}) {
        Made other;
        Names words = {"made", "--headless", "--steps", "1", "--png", path};
        words.insert(words.end(), flags.begin(), flags.end());
        REQUIRE(run(other.program, words).status == 0);
        CHECK(size_in_file(path).height == natural_size(other.program, true).height);
    }
    fs::remove_all(folder);
}

TEST_CASE("a window that is to make no steps is paused from the beginning") {
    Flags flags;
    Made made;
    made.open(flags);
    CHECK_FALSE(made.program.session.paused);
    flags.steps = 0;
    Made still;
    still.open(flags);
    CHECK(still.program.session.paused);
    flags.steps = 3;
    Made moving;
    moving.open(flags);
    CHECK_FALSE(moving.program.session.paused);
}

TEST_CASE(
    "a paused window paints every tenth picture, until something happens or looks different") {
    Rest rest;
    const Picture before(4, 3);
    Picture after(4, 3);
    after.rectangle(1, 1, 1, 1, {255, 0, 0});
    // How many of the next so many pictures are painted, if all are the same.
    const auto painted = [&rest](const Picture& picture, int count) {
        int sum = 0;
        for (int k = 0; k < count; ++k) {
            if (!rest.skips_next()) {
                rest.see(picture);
                ++sum;
            }
        }
        return sum;
    };
    CHECK(painted(before, 4) == 4);
    CHECK(painted(before, 100) == 10);
    rest.end();
    {
        INFO("somebody has touched the window: the next pictures are painted at once");
        CHECK(painted(before, 3) == 3);
        CHECK(painted(before, 100) == 10);
    }
    INFO("the picture has changed by itself: within ten this is seen, and three more are painted");
    CHECK(painted(after, 13) == 4);
    CHECK(painted(after, 100) == 10);
}

TEST_CASE("an exception of any kind ends a program in one line and with a status") {
    const auto ending_of = [](const std::function<void(double)>& step) {
        Made made;
        made.program.simulation.step = step;
        return run(made.program, {"made", "--headless", "--steps", "1"});
    };
    const Ending logic = ending_of([](double) { throw std::logic_error("two\nlines"); });
    CHECK(logic.said == "00_made_up: two lines\n");
    CHECK(logic.status == 4);
    const Ending number = ending_of([](double) { throw 7; });
    CHECK(number.said == "00_made_up: ended by an exception of an unknown kind\n");
    CHECK(number.status == 4);
    const Ending input = ending_of([](double) { throw InputError("bad"); });
    CHECK(input.said == "00_made_up: bad\n");
    CHECK(input.status == 2);
    const Ending memory = ending_of([](double) { throw std::bad_alloc(); });
    CHECK(memory.said == "00_made_up: not enough memory; choose a smaller --n\n");
    CHECK(memory.status == 2);
    CHECK(ending_of([](double) {}).status == 0);
}
