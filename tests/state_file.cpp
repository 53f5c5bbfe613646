// State files: what is written is read back, and what is malformed is refused with its line.
#include "state.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "catch.hpp"

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
        save_state(output, 5, cells.columns());
        output.commit();
    }
    const State state = load_state(path.string(), cells.columns());
    REQUIRE(state.N == 5);
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
    CHECK(state.N == 1);
    CHECK(state.values[0] == 0.5f);
    CHECK(state.values[2 * 5] == 5.5f);
    CHECK(state.values[2 * 5 + 1] == -1e-3f);
}

TEST_CASE("a malformed state file is refused with its line") {
    REQUIRE(refusal(good_file()) == "(accepted)");
    CHECK(says(refusal(""), "line 1: the header is ''"));
    CHECK(says(refusal("i,j,density\n"), "line 1: the header"));
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
        CHECK_THROWS_AS(save_state(output, 2, cells.columns()), InputError);
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
