// Files that the library writes, read back here: what stands in them, and what is left when they
// cannot be written. Host and device run the same tests.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "fluid_box.hpp"

namespace {

using namespace fluid_box;
namespace fs = std::filesystem;

/// A folder of our own, which goes when the test does.
class Folder {
  public:
    Folder()
        : path_(fs::temp_directory_path() / ("stable_fluids_" + std::to_string(made++) + "_" +
                                             std::to_string(std::random_device()()))) {
        fs::create_directory(path_);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

  private:
    static inline int made = 0;
    fs::path path_;
};

/// What stands in a .vti file, by a reader that shares nothing with the writer.
struct Vti {
    Triple n = {0, 0, 0};
    double spacing = 0.0;
    std::vector<std::string> names;  ///< in their order
    std::map<std::string, std::vector<Field>> fields;  ///< the components of each
};

std::string attribute(const std::string& tag, const std::string& name) {
    std::smatch found;
    const bool there = std::regex_search(tag, found, std::regex(" " + name + "=\"([^\"]*)\""));
    INFO(name << " of " << tag);
    REQUIRE(there);
    return found[1];
}

Vti read_vti(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const std::size_t begin = all.find("<AppendedData encoding=\"raw\">");
    REQUIRE(begin != std::string::npos);
    const std::string head = all.substr(0, begin);
    const std::size_t numbers = all.find('_', begin) + 1;
    const auto tag = [&](const std::string& name) {
        const std::size_t at = head.find("<" + name + " ");
        REQUIRE(at != std::string::npos);
        return head.substr(at, head.find('>', at) - at);
    };
    CHECK(attribute(tag("VTKFile"), "type") == "ImageData");
    CHECK(attribute(tag("VTKFile"), "header_type") == "UInt64");
    CHECK(attribute(tag("VTKFile"), "byte_order") ==
          (std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian"));
    CHECK(attribute(tag("ImageData"), "Origin") == "0 0 0");
    CHECK(attribute(tag("ImageData"), "WholeExtent") == attribute(tag("Piece"), "Extent"));
    Vti found;
    int from[3];
    REQUIRE(std::sscanf(attribute(tag("Piece"), "Extent").c_str(), "%d %d %d %d %d %d", &from[0],
                        &found.n[0], &from[1], &found.n[1], &from[2], &found.n[2]) == 6);
    CHECK((from[0] == 0 && from[1] == 0 && from[2] == 0));
    found.spacing = std::stod(attribute(tag("ImageData"), "Spacing"));
    std::size_t end = numbers;
    for (std::size_t at = head.find("<DataArray "); at != std::string::npos;
         at = head.find("<DataArray ", at + 1)) {
        const std::string array = head.substr(at, head.find('>', at) - at);
        CHECK(attribute(array, "type") == "Float32");
        const std::string name = attribute(array, "Name");
        const auto components =
            static_cast<std::size_t>(std::stoi(attribute(array, "NumberOfComponents")));
        std::vector<Field> parts(components, Field(found.n));
        const std::size_t place = numbers + std::stoull(attribute(array, "offset"));
        const std::size_t bytes = 4 * components * parts[0].values.size();
        std::uint64_t told = 0;
        REQUIRE(place + 8 + bytes <= all.size());
        std::memcpy(&told, &all[place], 8);
        REQUIRE(told == bytes);
        for (std::size_t cell = 0; cell < parts[0].values.size(); ++cell) {
            for (std::size_t part = 0; part < components; ++part) {
                std::memcpy(&parts[part].values[cell],
                            &all[place + 8 + 4 * (cell * components + part)], 4);
            }
        }
        end = std::max(end, place + 8 + bytes);
        CHECK(found.fields.emplace(name, parts).second);
        found.names.push_back(name);
    }
    CHECK(all.substr(end) == "\n</AppendedData>\n</VTKFile>\n");
    return found;
}

/// Fractions from a quarter to 1.
Field shares(const Triple& n, std::uint32_t seed) {
    Field field = bumpy(n, seed);
    for (float& value : field.values) {
        value = 0.25f + 0.75f * std::min(std::abs(value), 1.0f);
    }
    return field;
}

Fluid busy(const Triple& n) {
    Plan plan(n, 0.25f);
    plan.face(STABLE_FLUIDS_TOP, STABLE_FLUIDS_OUTFLOW);
    plan.scalar();
    plan.scalar().diffusion = 0.01f;
    Fluid fluid(plan);
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        const auto seed = static_cast<std::uint32_t>(axis);
        fluid.set(component(axis), bumpy(fluid.shape(component(axis)), 1 + seed));
        fluid.set(force(axis), bumpy(fluid.shape(force(axis)), 11 + seed));
        fluid.set(STABLE_FLUIDS_FRACTION_X + axis, shares(fluid.shape(component(axis)), 21 + seed));
        fluid.set(STABLE_FLUIDS_SOLID_U + axis, bumpy(fluid.shape(component(axis)), 31 + seed));
    }
    fluid.set(STABLE_FLUIDS_FRACTION, shares(n, 41));
    for (const int field :
         {STABLE_FLUIDS_SCALAR(0), STABLE_FLUIDS_SCALAR(1), STABLE_FLUIDS_SOURCE(0),
          STABLE_FLUIDS_SOURCE(1), int{STABLE_FLUIDS_EXPANSION}}) {
        fluid.set(field, bumpy(n, static_cast<std::uint32_t>(field)));
    }
    fluid.step(0.05, 2);
    return fluid;
}

/// The means of the faces of each cell along an axis.
Field at_centres(const Field& faces, int axis) {
    Triple n = faces.n;
    --n[static_cast<std::size_t>(axis)];
    return made(n, [&](int i, int j, int k) {
        return 0.5 * static_cast<double>(faces(i, j, k)) +
               0.5 * static_cast<double>(faces(i + (axis == 0), j + (axis == 1), k + (axis == 2)));
    });
}

void save(const Fluid& fluid, const std::string& path, const std::vector<std::int32_t>& fields) {
    const stable_fluids_status status =
        stable_fluids_save_vti(fluid.handle(), path.c_str(), fields.data(), fields.size());
    INFO(stable_fluids_error(fluid.handle()));
    REQUIRE(status == STABLE_FLUIDS_OK);
}

}  // namespace

TEST_CASE("every field is in its .vti file as it is read", "[files]") {
    const Folder folder;
    for (const Triple& n : {Triple{7, 5, 1}, {5, 4, 3}}) {
        const Fluid fluid = busy(n);
        const bool deep = n[2] > 1;
        const std::string path = folder.file("all.vti");
        std::vector<std::int32_t> all = {
            STABLE_FLUIDS_V,         STABLE_FLUIDS_U,           STABLE_FLUIDS_FORCE_X,
            STABLE_FLUIDS_PRESSURE,  STABLE_FLUIDS_DIVERGENCE,  STABLE_FLUIDS_SPEED,
            STABLE_FLUIDS_VORTICITY, STABLE_FLUIDS_VORTICITY_Z, STABLE_FLUIDS_EXPANSION,
            STABLE_FLUIDS_FRACTION,  STABLE_FLUIDS_FRACTION_Y,  STABLE_FLUIDS_SOLID_U,
            STABLE_FLUIDS_SCALAR(0), STABLE_FLUIDS_SCALAR(1),   STABLE_FLUIDS_SOURCE(0),
            STABLE_FLUIDS_SOURCE(1)};
        save(fluid, path, all);
        const Vti file = read_vti(path);
        INFO(name_of_size(n));
        CHECK(file.n == n);
        CHECK(file.spacing == 0.25);
        CHECK(file.names == std::vector<std::string>{
                                "velocity", "force", "pressure", "divergence", "speed", "vorticity",
                                "curl", "expansion", "fraction", "face_fraction", "solid_velocity",
                                "scalar_0", "scalar_1", "source_0", "source_1"});
        const auto check_vector = [&](const std::string& name, int first, bool on_faces) {
            const std::vector<Field>& parts = file.fields.at(name);
            REQUIRE(parts.size() == 3);
            for (int axis = 0; axis < 3; ++axis) {
                const Field& part = parts[static_cast<std::size_t>(axis)];
                INFO(name << " along " << name_of_axis(axis));
                if (!deep && (on_faces ? axis == 2 : axis < 2)) {
                    CHECK(largest(part) == 0.0);
                } else if (on_faces) {
                    check_close("means", part, at_centres(fluid.read(first + axis), axis), 1e-6);
                } else {
                    CHECK(same_bytes(part, fluid.read(first + axis)));
                }
                if (deep || on_faces ? axis < 2 + (deep ? 1 : 0) : axis == 2) {
                    CHECK(largest(part) > 0.05);
                }
            }
        };
        check_vector("velocity", STABLE_FLUIDS_U, true);
        check_vector("force", STABLE_FLUIDS_FORCE_X, true);
        check_vector("face_fraction", STABLE_FLUIDS_FRACTION_X, true);
        check_vector("solid_velocity", STABLE_FLUIDS_SOLID_U, true);
        check_vector("curl", STABLE_FLUIDS_VORTICITY_X, false);
        const std::map<std::string, int> scalars = {
            {"pressure", STABLE_FLUIDS_PRESSURE},   {"divergence", STABLE_FLUIDS_DIVERGENCE},
            {"speed", STABLE_FLUIDS_SPEED},         {"vorticity", STABLE_FLUIDS_VORTICITY},
            {"expansion", STABLE_FLUIDS_EXPANSION}, {"fraction", STABLE_FLUIDS_FRACTION},
            {"scalar_0", STABLE_FLUIDS_SCALAR(0)},  {"scalar_1", STABLE_FLUIDS_SCALAR(1)},
            {"source_0", STABLE_FLUIDS_SOURCE(0)},  {"source_1", STABLE_FLUIDS_SOURCE(1)}};
        for (const auto& [name, field] : scalars) {
            INFO(name);
            REQUIRE(file.fields.at(name).size() == 1);
            CHECK(same_bytes(file.fields.at(name)[0], fluid.read(field)));
        }
        INFO("without a list, over the file that is there");
        REQUIRE(stable_fluids_save_vti(fluid.handle(), path.c_str(), nullptr, 77) ==
                STABLE_FLUIDS_OK);
        CHECK(read_vti(path).names == std::vector<std::string>{"velocity", "pressure", "divergence",
                                                               "vorticity", "scalar_0",
                                                               "scalar_1"});
        CHECK(folder.entries() == 1);
    }
}

TEST_CASE("a .vti file that cannot be written is refused, and nothing is left", "[files]") {
    const Folder folder;
    Plan plan({5, 4, 1});
    plan.d.tolerance = 0.0f;  // nobody looks whether the numbers are finite
    plan.scalar();
    Fluid fluid(plan);
    const auto refused = [&](const std::string& word, stable_fluids_status expected,
                             const char* path, std::vector<std::int32_t> fields) {
        CHECK(stable_fluids_save_vti(fluid.handle(), path, fields.data(), fields.size()) ==
              expected);
        const std::string line = stable_fluids_error(fluid.handle());
        INFO(line);
        CHECK(line.find(word) != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
    };
    const std::string good = folder.file("a.vti");
    const std::string missing = folder.file("no/such/folder.vti");
    const std::string here = folder.file("");
    const std::int32_t pressure = STABLE_FLUIDS_PRESSURE;
    refused("null", STABLE_FLUIDS_INVALID, nullptr, {pressure});
    refused("cannot be written", STABLE_FLUIDS_FILE_ERROR, missing.c_str(), {pressure});
    refused("folder", STABLE_FLUIDS_FILE_ERROR, here.c_str(), {pressure});
    refused("file name", STABLE_FLUIDS_INVALID, "", {pressure});
    refused("no field 2", STABLE_FLUIDS_INVALID, good.c_str(), {pressure, STABLE_FLUIDS_W});
    refused("no field 101", STABLE_FLUIDS_INVALID, good.c_str(), {STABLE_FLUIDS_SCALAR(1)});
    const std::int32_t none = 0;
    CHECK(stable_fluids_save_vti(fluid.handle(), good.c_str(), &none, 0) == STABLE_FLUIDS_INVALID);
    CHECK(stable_fluids_save_vti(nullptr, good.c_str(), nullptr, 0) == STABLE_FLUIDS_INVALID);
    fluid.set(STABLE_FLUIDS_SOURCE(0), 3e38f);
    fluid.step(1.0, 3);
    refused("not finite", STABLE_FLUIDS_NOT_FINITE, good.c_str(), {STABLE_FLUIDS_SCALAR(0)});
    CHECK(folder.entries() == 0);
    INFO("and afterwards all is well");
    save(fluid, good, {pressure});
    CHECK(folder.entries() == 1);
}

TEST_CASE("a path is what its bytes are, and on Windows UTF-8", "[files]") {
    const Fluid fluid(Plan({3, 2, 1}));
    const Folder folder;
    std::vector<std::string> names = {"h\xc3\xa9lium \xe9\x9b\xb2.vti"};  // in UTF-8
#if defined(__linux__)
    names.emplace_back("\xff\xfe.vti");  // in no encoding
#endif
    for (const std::string& name : names) {
        const std::string path = folder.file(name);
        REQUIRE(stable_fluids_save_vti(fluid.handle(), path.c_str(), nullptr, 0) ==
                STABLE_FLUIDS_OK);
#if defined(_WIN32)
        const std::u8string in_utf8(name.begin(), name.end());
        CHECK(fs::exists(fs::path(folder.file("")) / fs::path(in_utf8)));
#else
        CHECK(fs::exists(path));
#endif
    }
    CHECK(folder.entries() == names.size());
    const std::string nowhere = folder.file("h\xc3\xa9") + "/a.vti";
    CHECK(stable_fluids_save_vti(fluid.handle(), nowhere.c_str(), nullptr, 0) ==
          STABLE_FLUIDS_FILE_ERROR);
    CHECK(std::string(stable_fluids_error(fluid.handle())).find("h\xc3\xa9/a.vti") !=
          std::string::npos);
}

TEST_CASE("an OpenVDB file is written, or one line says why not", "[files]") {
    const Folder folder;
    const Fluid fluid = busy({5, 4, 3});
    const std::string path = folder.file("a.vdb");
    const stable_fluids_status status =
        stable_fluids_save_vdb(fluid.handle(), path.c_str(), nullptr, 0);
    const std::string line = stable_fluids_error(fluid.handle());
    INFO(line);
    if (status == STABLE_FLUIDS_OK) {
        CHECK(folder.entries() == 1);
        CHECK(fs::file_size(path) > 1000);
        return;
    }
    CHECK(status == STABLE_FLUIDS_INVALID);
    CHECK(line.find("built without OpenVDB") != std::string::npos);
    CHECK(line.find("stable_fluids_save_vti()") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(folder.entries() == 0);
}
