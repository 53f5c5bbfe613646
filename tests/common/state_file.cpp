// State files and flags: what is written is read back, and what is malformed is refused with its
// line.
#include "common/app/program.hpp"
#include "common/io/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>

#include "catch.hpp"
#include "common/app/flags.hpp"
#include "common/app/help_json.hpp"

using namespace workbook;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::current_path() / "state_file_test";

struct Cells {
    int N;
    std::vector<float> density, u;
    explicit Cells(int n)
        : N(n), density(static_cast<std::size_t>((n + 2) * (n + 2))), u(density.size()) {}
    std::vector<StateColumn> columns() {
        const auto at = [this](int i, int j) { return static_cast<std::size_t>(i + (N + 2) * j); };
        return {{"density", [=, this](int i, int j) -> float& { return density[at(i, j)]; }},
                {"u", [=, this](int i, int j) -> float& { return u[at(i, j)]; }}};
    }
};

std::string write(const std::string& text) {
    fs::create_directories(folder);
    const fs::path path = folder / "state.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
}

/// The message with which the text is refused.
std::string refusal(const std::string& text) {
    Cells cells(1);
    try {
        load_state(write(text), cells.columns());
    } catch (const InputError& error) {
        return error.what();
    }
    return "(accepted)";
}

bool says(const std::string& message, const std::string& words) {
    return message.find(words) != std::string::npos && message.find('\n') == std::string::npos;
}

/// A good file of N = 1.
std::string good_file() {
    std::string text = "i,j,density,u\n";
    for (int j = 0; j <= 2; ++j) {
        for (int i = 0; i <= 2; ++i) {
            text += std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(i + 10 * j) +
                    ",0.5\n";
        }
    }
    return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a state is read back as it was written, to the last bit") {
    fs::create_directories(folder);
    const fs::path path = folder / "round_trip.csv";
    Cells cells(5);
    std::uint32_t seed = 1;
    for (std::size_t k = 0; k < cells.density.size(); ++k) {
        seed = seed * 1664525u + 1013904223u;
        cells.density[k] = std::ldexp(static_cast<float>(seed), static_cast<int>(k * 4) - 120);
        cells.u[k] = -1.0f / static_cast<float>(seed);
    }
    cells.u[3] = std::numeric_limits<float>::denorm_min();
    cells.u[4] = std::numeric_limits<float>::max();
    cells.u[5] = -0.0f;
    {
        OutputFile output("--save", path.string());
        save_state(output, {5, 5, 1}, cells.columns());
        output.commit();
    }
    const State state = load_state(path.string(), cells.columns());
    REQUIRE(state.box == Box{5, 5, 1});
    for (std::size_t k = 0; k < cells.density.size(); ++k) {
        CHECK(state.values[2 * k] == cells.density[k]);
        CHECK(state.values[2 * k + 1] == cells.u[k]);
    }
    CHECK(std::signbit(state.values[11]));
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    CHECK(line == "i,j,density,u");
    std::getline(file, line);
    CHECK(line.substr(0, 4) == "0,0,");
    std::getline(file, line);
    INFO("i runs fastest");
    CHECK(line.substr(0, 4) == "1,0,");
}

TEST_CASE("rows may come in any order and end as on Windows") {
    Cells cells(1);
    std::string text = "i,j,density,u\r\n";
    for (int k = 8; k >= 0; --k) {
        text += std::to_string(k % 3) + "," + std::to_string(k / 3) + "," + std::to_string(k) +
                ".5,-1e-3\r\n";
    }
    const State state = load_state(write(text), cells.columns());
    CHECK(state.box == Box{1, 1, 1});
    CHECK(state.values[0] == 0.5f);
    CHECK(state.values[2 * 5] == 5.5f);
    CHECK(state.values[2 * 5 + 1] == -1e-3f);
}

TEST_CASE("a malformed state file is refused with its line") {
    REQUIRE(refusal(good_file()) == "(accepted)");
    CHECK(says(refusal(""), "line 1: the header is ''"));
    CHECK(says(refusal("i,j,density\n"), "line 1: the header is 'i,j,density' (u is missing)"));
    CHECK(says(refusal("i,j,u,density\n"), "'i,j,u,density', this chapter's is 'i,j,density,u'"));
    CHECK(says(refusal("i,j,density,v\n0,0,1,1\n"), "this chapter's is 'i,j,density,u'"));
    CHECK(says(refusal("i,j,density,u\n"), "the file ends after 0 cells"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11")), "line 6: has 3 values"));
    CHECK(
        says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11,0.5,9")), "line 6: has 5 values"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,eleven,0.5")),
               "line 6: density is 'eleven', not a finite number"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11,")), "line 6: u is ''"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,nan,0.5")),
               "line 6: density is 'nan'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11,inf")), "line 6: u is 'inf'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11,1e99")), "line 6: u is '1e99'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11,0.5x")), "line 6: u is '0.5x'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,1,11, 0.5")), "line 6: u is ' 0.5'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "-1,1,11,0.5")), "line 6: i is '-1'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "1,99999,11,0.5")),
               "line 6: j is '99999'"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5", "0,1,11,0.5")),
               "line 6: cell (0, 1) comes a second time"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5\n", "")),
               "the file ends after 8 cells without cell (1, 1); N = 1 has 9"));
    CHECK(says(refusal(replaced(good_file(), "2,2,22,0.5\n", "")), "without cell (2, 2)"));
    CHECK(says(refusal(replaced(good_file(), "2,2,22,0.5\n", "2,2,22,0.")), "breaks off"));
    CHECK(says(refusal(replaced(good_file(), "1,1,11,0.5\n", "\n1,1,11,0.5\n")),
               "line 6: has 1 value"));
    CHECK(says(refusal(std::string(5000, 'x')), "line 1: too long"));
}

TEST_CASE("a file that cannot be read is refused") {
    Cells cells(1);
    CHECK_THROWS_AS(load_state((folder / "missing.csv").string(), cells.columns()), InputError);
    fs::create_directories(folder);
    CHECK_THROWS_AS(load_state(folder.string(), cells.columns()), InputError);
}

TEST_CASE("an output file appears whole or not at all") {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::string path = (folder / "out.csv").string();
    const auto files = [] {
        return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    };
    {
        OutputFile output("--save", path);
        std::ofstream(output.temporary()) << "half of it";
        CHECK(files() == 1);
        CHECK_FALSE(fs::exists(path));
    }
    CHECK(files() == 0);
    {
        OutputFile output("--save", path);
        std::ofstream(output.temporary()) << "all of it";
        output.commit();
    }
    CHECK(files() == 1);
    CHECK(fs::exists(path));

    Cells cells(2);
    cells.u[5] = std::numeric_limits<float>::infinity();
    {
        OutputFile output("--save", path);
        INFO("a state that could not be loaded again is not saved");
        CHECK_THROWS_AS(save_state(output, {2, 2, 1}, cells.columns()), InputError);
    }
    CHECK(files() == 1);
    std::ifstream old(path);
    std::string text;
    std::getline(old, text);
    CHECK(text == "all of it");
    CHECK_THROWS_AS(OutputFile("--save", folder.string()), InputError);
    CHECK_THROWS_AS(OutputFile("--save", (folder / "no/such/folder.csv").string()), InputError);
    CHECK_THROWS_AS(OutputFile("--save", ""), InputError);
}

namespace {

/// Numbers on the faces across x and in the cells of a small box: not every row has both.
struct Faces {
    Box box;
    std::vector<double> u, p;
    explicit Faces(Box b)
        : box(b), u(count(rows_of(Shape::box, b))), p(count(rows_of(Shape::box, b))) {}
    static std::size_t count(Box b) { return static_cast<std::size_t>(b.nx * b.ny * b.nz); }
    std::size_t at(int i, int j, int k) const {
        return static_cast<std::size_t>(i + (box.nx + 1) * (j + (box.ny + 1) * k));
    }
    std::vector<StateColumn> columns() {
        return {{"u",
                 [this](int i, int j, int k) -> double* {
                     return j < box.ny && k < box.nz ? &u[at(i, j, k)] : nullptr;
                 }},
                {"p", [this](int i, int j, int k) -> double* {
                     return i < box.nx && j < box.ny && k < box.nz ? &p[at(i, j, k)] : nullptr;
                 }}};
    }
};

/// A good file of 1x1x1.
std::string good_box() {
    return "i,j,k,u,p\n0,0,0,0.5,7\n1,0,0,-0.5,\n0,1,0,,\n1,1,0,,\n"
           "0,0,1,,\n1,0,1,,\n0,1,1,,\n1,1,1,,\n";
}

std::string box_refusal(const std::string& text) {
    try {
        const State state = load_state(write(text), Faces({1, 1, 1}).columns(), Shape::box);
        Faces faces(state.box);
        restore_state(state, faces.columns(), Shape::box);
    } catch (const InputError& error) {
        return error.what();
    }
    return "(accepted)";
}

/// A cube file of so many cells along each edge.
std::string cube_file(int nx, int ny, int nz) {
    std::string text = "i,j,k,density\n";
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                text += std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) +
                        "," + std::to_string(i + 10 * j + 100 * k) + "\n";
            }
        }
    }
    return text;
}

struct Cube {
    int N;
    std::vector<float> density;
    explicit Cube(int n) : N(n), density(static_cast<std::size_t>(n * n * n)) {}
    std::vector<StateColumn> columns() {
        return {{"density", [this](int i, int j, int k) -> float& {
                     return density[static_cast<std::size_t>(i + N * (j + N * k))];
                 }}};
    }
};

std::string cube_refusal(const std::string& text) {
    try {
        load_state(write(text), Cube(3).columns(), Shape::cube);
    } catch (const InputError& error) {
        return error.what();
    }
    return "(accepted)";
}

}  // namespace

TEST_CASE("doubles on the faces of a box are read back to the last bit, and gaps stay gaps") {
    Faces faces({3, 2, 4});
    std::uint64_t seed = 1;
    for (std::size_t n = 0; n < faces.u.size(); ++n) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        faces.u[n] = std::ldexp(static_cast<double>(seed), static_cast<int>(n * 8) - 700);
        faces.p[n] = -1.0 / static_cast<double>(seed);
    }
    faces.u[0] = std::numeric_limits<double>::denorm_min();
    faces.u[1] = std::numeric_limits<double>::max();
    faces.u[2] = -0.0;
    fs::create_directories(folder);
    const fs::path path = folder / "box.csv";
    {
        OutputFile output("--save", path.string());
        save_state(output, faces.box, faces.columns(), Shape::box);
        output.commit();
    }
    const State state = load_state(path.string(), faces.columns(), Shape::box);
    REQUIRE(state.box == faces.box);
    Faces again(state.box);
    restore_state(state, again.columns(), Shape::box);
    int owned = 0;
    const std::vector<StateColumn> columns[] = {faces.columns(), again.columns()};
    for (int k = 0; k <= 4; ++k) {
        for (int j = 0; j <= 2; ++j) {
            for (int i = 0; i <= 3; ++i) {
                for (const std::size_t c : {0u, 1u}) {
                    const double* const saved = std::get<2>(columns[0][c].cell)(i, j, k);
                    const double* const read = std::get<2>(columns[1][c].cell)(i, j, k);
                    owned += saved != nullptr;
                    CHECK((saved == nullptr || std::memcmp(saved, read, sizeof *saved) == 0));
                }
            }
        }
    }
    CHECK(owned == 4 * 2 * 4 + 3 * 2 * 4);
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK(text.substr(0, 10) == "i,j,k,u,p\n");
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 4 * 3 * 5);
    CHECK(text.find("\n3,2,4,,\n") != std::string::npos);
}

TEST_CASE("a number where none belongs, or none where one does, is refused with its line") {
    REQUIRE(box_refusal(good_box()) == "(accepted)");
    CHECK(says(box_refusal(replaced(good_box(), "1,0,0,-0.5,", "1,0,0,-0.5,3")),
               "line 3: cell (1, 0, 0) must have no value for p"));
    CHECK(says(box_refusal(replaced(good_box(), "0,0,0,0.5,7", "0,0,0,0.5,")),
               "line 2: cell (0, 0, 0) needs a value for p"));
    CHECK(says(box_refusal(replaced(good_box(), "0,0,0,0.5,7", "0,0,0,nan,7")), "line 2: u is"));
    CHECK(says(box_refusal(replaced(good_box(), "1,1,1,,", "1,1,1,")), "line 9: has 4 values"));
    CHECK(says(box_refusal(replaced(good_box(), "1,1,1,,", "1,1,0,,")),
               "line 9: cell (1, 1, 0) comes a second time"));
    CHECK(says(box_refusal(replaced(good_box(), "0,1,1,,\n", "")),
               "the file ends after 7 cells without cell (0, 1, 1); 1x1x1 has 8 of them"));
    CHECK(says(box_refusal(replaced(good_box(), "1,1,1,,", "1,1,600,,")),
               "in three dimensions 512 cells a side are the most"));
    CHECK(says(box_refusal(replaced(good_box(), "1,1,1,,", "1,1,8193,,")), "line 9: k is '8193'"));
    CHECK(says(box_refusal("i,j,k,u,p\n"), "the smallest grid, 1x1x1, has 8"));
    CHECK(says(box_refusal("i,j,u,p\n"), "this chapter's is 'i,j,k,u,p'"));
}

TEST_CASE("a cube's size is that of its longest edge") {
    Cube cube(4);
    const State state = load_state(write(cube_file(4, 4, 4)), cube.columns(), Shape::cube);
    CHECK(state.box == Box{4, 4, 4});
    restore_state(state, cube.columns(), Shape::cube);
    CHECK(cube.density[1 + 4 * (2 + 4 * 3)] == 321.0f);
    CHECK(says(cube_refusal(cube_file(4, 4, 3)),
               "ends after 48 cells without cell (0, 0, 3); N = 4 has 64"));
    CHECK(says(cube_refusal(cube_file(2, 2, 2)), "the smallest grid, N = 3, has 27"));
    CHECK(says(cube_refusal(replaced(cube_file(3, 3, 3), "1,0,0,1\n", "1,0,512,1\n")),
               "line 3: k is '512'"));
    CHECK(says(cube_refusal(replaced(cube_file(3, 3, 3), "1,0,0,1\n", "1,0,0,\n")),
               "line 3: density is ''"));
}

namespace {

/// What parse_flags makes of these words.
Flags parsed(const ChapterFlags& chapter, std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    return std::get<Flags>(parse_flags(static_cast<int>(words.size()), words.data(), chapter));
}

std::string flag_refusal(const ChapterFlags& chapter, std::vector<const char*> words) {
    try {
        parsed(chapter, std::move(words));
    } catch (const InputError& error) {
        return error.what();
    }
    return "(accepted)";
}

}  // namespace

TEST_CASE("the flags of a box and of a cube") {
    ChapterFlags box;
    box.shape = Shape::box;
    box.box = {8, 4, 1};
    CHECK(parsed(box, {}).box == Box{8, 4, 1});
    CHECK(parsed(box, {"--n", "5"}).box == Box{5, 5, 1});
    CHECK(parsed(box, {"--n", "5", "--nz", "3", "--ny", "2"}).box == Box{5, 2, 3});
    CHECK(parsed(box, {"--nx", "9"}).box == Box{9, 4, 1});
    CHECK(parsed(box, {"--nx", "8192"}).box == Box{8192, 4, 1});
    CHECK(says(flag_refusal(box, {"--nx", "513", "--nz", "2"}), "513x4x2 is too large"));
    CHECK(says(flag_refusal(box, {"--nx", "8193"}), "8192"));
    CHECK(says(flag_refusal(box, {"--ny", "0"}), "--ny"));
    ChapterFlags cube;
    cube.shape = Shape::cube;
    cube.box = {32, 32, 32};
    CHECK(parsed(cube, {}).box == Box{32, 32, 32});
    CHECK(parsed(cube, {"--n", "3"}).box == Box{3, 3, 3});
    CHECK(says(flag_refusal(cube, {"--n", "2"}), "--n"));
    CHECK(says(flag_refusal(cube, {"--n", "513"}), "512"));
    CHECK(says(flag_refusal(cube, {"--nx", "5"}), "--nx"));
    CHECK(says(flag_refusal(cube, {"--threads", "2"}), "--threads"));
    int threads = 1;
    cube.threads = &threads;
    CHECK(parsed(cube, {"--threads", "4"}).box.nx == 32);
    CHECK(threads == 4);
    cube.outputs = {{"--vti", "a file"}};
    CHECK(parsed(cube, {"--vti", "x.vti"}).outputs == std::vector<std::string>{"x.vti"});
    CHECK(says(flag_refusal(cube, {"--vti", ""}), "--vti needs a name"));
    cube.scenes = {"plume"};
    CHECK(parsed(cube, {"--scene", "plume"}).scene == "plume");
    CHECK(says(flag_refusal(cube, {"--scene", "flood"}), "none, plume"));
}

TEST_CASE("--help=json: strings, numbers and names are JSON") {
    Choice solver{1, {"sweeps", "direct"}};
    float rate = 0.1f;
    double third = 1.0 / 3.0;
    Program program("00_test", "a \"title\"\n\\");
    program.description.parameters = {{"solver", &solver, "which"},
                                      {"fade_rate", &rate, "how much"},
                                      {"third", &third, "of one", INFINITY, -2.5}};
    program.description.fields = {{"speed", {}, 1.0f, false, "m/s"}, {"dye", {}}};
    program.description.scenes = {{"drop", "another one", {}}, {"plume", "smoke", {}}};
    program.description.keys = {{'"', "a mark", {}}};
    ChapterFlags chapter;
    chapter.parameters = program.description.parameters;
    chapter.scenes = {"drop", "plume"};
    const std::string said = description_of(program, chapter);
    const std::vector<std::string> parts = {
        R"("title": "a \"title\"\u000a\\",)",
        R"("flag": "--solver", "kind": "NAME", "value": "direct",)",
        R"("choices": ["sweeps", "direct"], "description": "which"})",
        R"("value": 0.1, "minimum": 0, "maximum": 1000, "description": "how much"})",
        R"("value": 0.3333333333333333, "minimum": -2.5, "maximum": null,)",
        R"({"name": "speed", "unit": "m/s"},)",
        R"({"name": "dye"}])",
        R"({"name": "drop", "description": "another one"},)",
        R"({"name": "plume", "description": "smoke"}])",
        R"("keys": [{"name": "\"", "description": "a mark"}])"};
    for (const std::string& part : parts) {
        INFO(part);
        CHECK(said.find(part) != std::string::npos);
    }
}

TEST_CASE("parameters from earlier chapters come last in --help, under a heading of their own") {
    double old = 1.0;
    double own = 2.0;
    bool is_on = false;
    ChapterFlags chapter;
    chapter.parameters = {{"old", &old, "of an earlier chapter"},
                          {"own", &own, "of this one"},
                          {"switch", &is_on, "of an earlier chapter, too"}};
    chapter.parameters[0].from_earlier = true;
    chapter.parameters[2].from_earlier = true;
    std::vector<std::string> names;
    for (const FlagFacts& flag : flag_facts(chapter)) {
        names.push_back(flag.name + (flag.from_earlier ? " (earlier)" : ""));
    }
    REQUIRE(names.size() > 3);
    CHECK(std::vector<std::string>(names.end() - 3, names.end()) ==
          std::vector<std::string>{"--own", "--old (earlier)", "--switch (earlier)"});
    const char* const words[] = {"test", "--help"};
    std::ostringstream said;
    std::streambuf* const kept = std::cout.rdbuf(said.rdbuf());
    parse_flags(2, words, chapter);
    std::cout.rdbuf(kept);
    const std::string help = said.str();
    CHECK(help.find("From earlier chapters:") != std::string::npos);
    CHECK(help.find("--own ") < help.find("From earlier chapters:"));
    CHECK(help.find("--old ") > help.find("From earlier chapters:"));
    CHECK(help.find("--switch ") > help.find("From earlier chapters:"));
    parsed(chapter, {"--old", "3", "--switch"});
    CHECK(old == 3.0);
    CHECK(is_on);
    Program program("00_test", "a test");
    program.description.parameters = chapter.parameters;
    const std::string json = description_of(program, chapter);
    CHECK(json.find(R"("maximum": 1000, "from_earlier": true, "description": "of an earlier)") !=
          std::string::npos);
    CHECK(json.find(R"("maximum": 1000, "description": "of this one")") != std::string::npos);
}

TEST_CASE("parameters: a choice by name, a switch with or without a value, doubles") {
    Choice solver{1, {"sweeps", "direct", "gradients"}};
    bool corners = false;
    double gravity = -9.81;
    ChapterFlags chapter;
    chapter.parameters = {{"solver", &solver, "which"},
                          {"slip_corners", &corners, "slip"},
                          {"gravity", &gravity, "down", 20.0, -20.0}};
    parsed(chapter, {"--solver", "gradients", "--slip-corners", "--gravity", "-1.625"});
    CHECK(solver.chosen == 2);
    CHECK(corners);
    CHECK(gravity == -1.625);
    parsed(chapter, {"--slip-corners", "0", "--steps", "3"});
    CHECK_FALSE(corners);
    parsed(chapter, {"--slip-corners", "--headless"});
    CHECK(corners);
    parsed(chapter, {"--slip-corners=1"});
    CHECK(corners);
    CHECK(says(flag_refusal(chapter, {"--solver", "magic"}),
               "'magic' is none of sweeps, direct, gradients"));
    CHECK(says(flag_refusal(chapter, {"--slip-corners", "2"}), "--slip-corners"));
    CHECK(says(flag_refusal(chapter, {"--gravity", "-21"}), "--gravity"));

    const auto& parameters = chapter.parameters;
    CHECK(value_of(parameters[0]) == "gradients");
    change(parameters[0], true);
    CHECK(value_of(parameters[0]) == "sweeps");
    change(parameters[0], false);
    CHECK(solver.chosen == 2);
    change(parameters[1], false);
    CHECK_FALSE(corners);
    gravity = -16.0;
    change(parameters[2], true);
    CHECK(gravity == -12.8);
    change(parameters[2], false);
    CHECK(gravity == -16.0);
    change(parameters[2], false);
    change(parameters[2], false);
    CHECK(gravity == -20.0);
    float rate = 0.0f;
    const Parameter never_negative{"rate", &rate, "a rate"};
    change(never_negative, false);
    CHECK(rate == 0.0f);
    change(never_negative, true);
    CHECK(rate == 1e-4f);
    change(never_negative, false);
    CHECK(rate == 0.0f);
}

TEST_CASE("A number for people has six digits, or as many as read it back") {
    CHECK(few_digits(0.1) == "0.1");
    CHECK(few_digits(0.1f) == "0.1");
    CHECK(few_digits(1.0 / 60.0) == "0.016666666666666666");
    CHECK(few_digits(1.0f / 60.0f) == "0.016666668");
    CHECK(few_digits(1e9) == "1e+09");
    CHECK(few_digits(5e-324) == "4.94066e-324");
}
