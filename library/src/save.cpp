#include "library/src/save.hpp"

#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/vdb.hpp"
#include "common/io/vti.hpp"
#include "stable_fluids.h"

namespace box {
namespace {

/// The numbers of one field, i fastest, then j, then k.
struct Values {
    std::array<int, 3> n = {0, 0, 0};
    std::vector<float> values;

    float operator()(int i, int j, int k) const {
        const auto at = [](int number) { return static_cast<std::size_t>(number); };
        return values[at(i) + at(n[0]) * (at(j) + at(n[1]) * at(k))];
    }
};

Values read(Solver& solver, int field) {
    Values read;
    solver.shape(field, read.n.data());
    read.values.resize(static_cast<std::size_t>(read.n[0]) * static_cast<std::size_t>(read.n[1]) *
                       static_cast<std::size_t>(read.n[2]));
    solver.read(field, read.values.data());
    return read;
}

/// A field of three components as the file has it, at the centres. A flat fluid has no third.
workbook::VtiField vector_of(Solver& solver, const std::string& name, int first, bool on_faces) {
    std::array<Values, 3> parts;
    for (int axis = 0; axis < 3; ++axis) {
        int counts[3];
        if (solver.shape(first + axis, counts)) {
            parts[static_cast<std::size_t>(axis)] = read(solver, first + axis);
        }
    }
    return {name, 3, [parts = std::move(parts), on_faces](int component, int i, int j, int k) {
                const Values& part = parts[static_cast<std::size_t>(component)];
                if (part.values.empty()) {
                    return 0.0f;
                }
                if (!on_faces) {
                    return part(i, j, k);
                }
                const float next =
                    part(i + (component == 0), j + (component == 1), k + (component == 2));
                return 0.5f * part(i, j, k) +
                       0.5f * next;  // their sum may be too large for a float
            }};
}

workbook::VtiField scalar_of(Solver& solver, const std::string& name, int field) {
    return {name, 1,
            [values = read(solver, field)](int, int i, int j, int k) { return values(i, j, k); }};
}

workbook::VtiField field_of(Solver& solver, int field) {
    switch (field) {
        case STABLE_FLUIDS_U:
        case STABLE_FLUIDS_V:
        case STABLE_FLUIDS_W:
            return vector_of(solver, "velocity", STABLE_FLUIDS_U, true);
        case STABLE_FLUIDS_FORCE_X:
        case STABLE_FLUIDS_FORCE_Y:
        case STABLE_FLUIDS_FORCE_Z:
            return vector_of(solver, "force", STABLE_FLUIDS_FORCE_X, true);
        case STABLE_FLUIDS_FRACTION_X:
        case STABLE_FLUIDS_FRACTION_Y:
        case STABLE_FLUIDS_FRACTION_Z:
            return vector_of(solver, "face_fraction", STABLE_FLUIDS_FRACTION_X, true);
        case STABLE_FLUIDS_SOLID_U:
        case STABLE_FLUIDS_SOLID_V:
        case STABLE_FLUIDS_SOLID_W:
            return vector_of(solver, "solid_velocity", STABLE_FLUIDS_SOLID_U, true);
        case STABLE_FLUIDS_VORTICITY_X:
        case STABLE_FLUIDS_VORTICITY_Y:
        case STABLE_FLUIDS_VORTICITY_Z:
            return vector_of(solver, "curl", STABLE_FLUIDS_VORTICITY_X, false);
        case STABLE_FLUIDS_PRESSURE:
            return scalar_of(solver, "pressure", field);
        case STABLE_FLUIDS_DIVERGENCE:
            return scalar_of(solver, "divergence", field);
        case STABLE_FLUIDS_SPEED:
            return scalar_of(solver, "speed", field);
        case STABLE_FLUIDS_VORTICITY:
            return scalar_of(solver, "vorticity", field);
        case STABLE_FLUIDS_EXPANSION:
            return scalar_of(solver, "expansion", field);
        case STABLE_FLUIDS_FRACTION:
            return scalar_of(solver, "fraction", field);
        default:
            return field >= STABLE_FLUIDS_FIRST_SOURCE
                       ? scalar_of(solver,
                                   "source_" + std::to_string(field - STABLE_FLUIDS_FIRST_SOURCE),
                                   field)
                       : scalar_of(solver,
                                   "scalar_" + std::to_string(field - STABLE_FLUIDS_FIRST_SCALAR),
                                   field);
    }
}

void check_finite(const workbook::VtiField& field, const std::array<int, 3>& n) {
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                for (int component = 0; component < field.components; ++component) {
                    if (!std::isfinite(field.value(component, i, j, k))) {
                        throw Failure(STABLE_FLUIDS_NOT_FINITE,
                                      field.name +
                                          " holds a number that is not finite: use a "
                                          "smaller force, source or dt");
                    }
                }
            }
        }
    }
}

/// The fields with these numbers, each once: u, v and w are all the velocity.
std::vector<workbook::VtiField> fields_of(Solver& solver, const std::int32_t* fields,
                                          std::size_t count) {
    std::array<int, 3> n = {0, 0, 0};
    solver.shape(STABLE_FLUIDS_PRESSURE, n.data());
    std::vector<workbook::VtiField> found;
    for (std::size_t at = 0; at < count; ++at) {
        workbook::VtiField field = field_of(solver, fields[at]);
        bool is_new = true;
        for (const workbook::VtiField& before : found) {
            is_new = is_new && before.name != field.name;
        }
        if (is_new) {
            check_finite(field, n);
            found.push_back(std::move(field));
        }
    }
    return found;
}

}  // namespace

namespace {

/// The path that these bytes are: UTF-8 on Windows, elsewhere the system's own.
std::filesystem::path path_of(const char* bytes) {
#if defined(_WIN32)
    try {
        return std::filesystem::path(reinterpret_cast<const char8_t*>(bytes));
    } catch (const std::exception&) {
        throw Failure(STABLE_FLUIDS_INVALID, std::string("the file ") + bytes +
                                                 ": its path is not in UTF-8, as it must be");
    }
#else
    return bytes;
#endif
}

}  // namespace

void save(Solver& solver, FileFormat format, const char* path, const std::int32_t* fields,
          std::size_t count) {
    std::array<int, 3> n = {0, 0, 0};
    solver.shape(STABLE_FLUIDS_PRESSURE, n.data());
    const double spacing = static_cast<double>(solver.cell_size());
    if (format == FileFormat::VDB && !workbook::have_vdb()) {
        throw Failure(
            STABLE_FLUIDS_INVALID,
            "this library was built without OpenVDB: build it where libopenvdb and its headers "
            "are installed, or use stable_fluids_save_vti()");
    }
    const std::vector<workbook::VtiField> written = fields_of(solver, fields, count);
    if (path[0] == '\0') {
        throw Failure(STABLE_FLUIDS_INVALID, "the path is empty: it must be a file name");
    }
    try {
        workbook::OutputFile output("the file", path, path_of(path));
        if (format == FileFormat::VDB) {
            workbook::save_vdb(output, n, spacing, written);
        } else {
            workbook::save_vti(output, n, 0.0, spacing, written);
        }
        output.commit();
    } catch (const workbook::InputError& error) {
        throw Failure(STABLE_FLUIDS_FILE_ERROR, error.what());
    }
}

}  // namespace box
