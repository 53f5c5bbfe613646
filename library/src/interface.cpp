// The C interface: what comes in is looked at here, and nothing is thrown out of it.
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "library/src/save.hpp"
#include "library/src/solver.hpp"
#include "stable_fluids.h"

namespace {

/// Room for one line, so that an error can be told without any memory.
struct Line {
    char text[400] = "";

    void set(const char* words) { std::snprintf(text, sizeof text, "%s", words); }
};

thread_local Line line_of_thread;
thread_local Line line_of_device;

[[noreturn]] void refuse(const char* format, ...)
#if defined(__MINGW_PRINTF_FORMAT)  // with MinGW, "printf" would be Microsoft's, which has no %zu
    __attribute__((format(__MINGW_PRINTF_FORMAT, 1, 2)))
#elif defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

void refuse(const char* format, ...) {
    Line line;
    va_list values;
    va_start(values, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang 14 overlooks va_start
    std::vsnprintf(line.text, sizeof line.text, format, values);
    va_end(values);
    throw box::Failure(STABLE_FLUIDS_INVALID, line.text);
}

}  // namespace

struct stable_fluids {
    std::unique_ptr<box::Solver> solver;
    Line line;
    Line warning;
    bool broken = false;  ///< CUDA has failed: nothing more can be done with it
};

namespace {

/// Calls `what`, and returns a status. If it throws, `line` gets the cause and the fix.
template <class What>
stable_fluids_status catch_errors(Line& line, const What& what) {
    try {
        what();
        return STABLE_FLUIDS_OK;
    } catch (const box::Failure& failure) {
        line.set(failure.what());
        return static_cast<stable_fluids_status>(failure.status);
    } catch (const std::bad_alloc&) {
        line.set(
            "there is not enough memory for it: make the box smaller, or close something else");
        return STABLE_FLUIDS_OUT_OF_MEMORY;
    } catch (const std::exception& mistake) {
        std::snprintf(line.text, sizeof line.text,
                      "a mistake of the library's: %s; please report it", mistake.what());
        return STABLE_FLUIDS_INTERNAL;
    } catch (...) {
        line.set("a mistake of the library's; please report it");
        return STABLE_FLUIDS_INTERNAL;
    }
}

/// Calls `what` with the fluid's solver, and returns a status. The fluid keeps the line.
template <class What>
stable_fluids_status catch_errors_of(stable_fluids* fluid, const What& what) {
    if (fluid == nullptr) {
        line_of_thread.set("the fluid is a null pointer: make one with stable_fluids_create()");
        return STABLE_FLUIDS_INVALID;
    }
    if (fluid->broken) {
        return STABLE_FLUIDS_DEVICE_ERROR;
    }
    const stable_fluids_status status = catch_errors(fluid->line, [&] {
        what(*fluid->solver);
        fluid->solver->where().submit();  // the caller may read what it views
    });
    fluid->broken = status == STABLE_FLUIDS_DEVICE_ERROR;
    return status;
}

// ---- Is the description good? ------------------------------------------------------------------

const char* const names[6] = {"left", "right", "top", "bottom", "front", "back"};

void check_at_least_0(float value, const char* name) {
    if (!(value >= 0.0f) || std::isinf(value)) {
        refuse("%s is %g: it must be 0 or more, and finite", name, static_cast<double>(value));
    }
}

void check_numbers(const stable_fluids_description& d) {
    if (d.nx < 1 || d.ny < 1 || d.nz < 1) {
        refuse("the box is %d x %d x %d cells: each must be at least 1", d.nx, d.ny, d.nz);
    }
    // Places are counted in int, with faces, ghosts and what rows are filled up with.
    const bool deep = d.nz > 1;
    constexpr double most = std::numeric_limits<int>::max();
    if ((d.nx + 3.0) * (d.ny + 3.0) * (deep ? d.nz + 3.0 : 1.0) > most ||
        static_cast<double>(box::Layout(d.nx + 1, d.ny + 1, deep ? d.nz + 1 : 1, deep).size) >
            most) {
        refuse("the box is %d x %d x %d cells, too many to be counted: make it smaller", d.nx, d.ny,
               d.nz);
    }
    if (!(d.h > 0.0f) || std::isinf(d.h)) {
        refuse("h is %g: a cell's width must be more than 0, and finite", static_cast<double>(d.h));
    }
    check_at_least_0(d.viscosity, "viscosity");
    check_at_least_0(d.tolerance, "tolerance");
    if (d.tolerance >= 1.0f) {
        refuse("tolerance is %g: it must be less than 1", static_cast<double>(d.tolerance));
    }
    if (d.cycles < 1 || d.cycles > 1000) {
        refuse("cycles is %d: it must be from 1 to 1000", d.cycles);
    }
    if (d.advection < STABLE_FLUIDS_LINEAR || d.advection > box::Solver::last_advection) {
        refuse("advection is %d: it must be STABLE_FLUIDS_LINEAR, _MACCORMACK or _CENTRAL",
               d.advection);
    }
    if (d.backend < STABLE_FLUIDS_BEST || d.backend > STABLE_FLUIDS_CUDA) {
        refuse("backend is %d: it must be STABLE_FLUIDS_BEST, _HOST or _CUDA", d.backend);
    }
    if (d.splitting < STABLE_FLUIDS_LIE || d.splitting > box::Solver::last_splitting) {
        refuse("splitting is %d: it must be STABLE_FLUIDS_LIE, _STRANG or _MIDPOINT", d.splitting);
    }
    if (d.threads < 0 || d.threads > 1024) {
        refuse("threads is %d: it must be from 0 to 1024", d.threads);
    }
    if (d.scalar_count < 0 || d.scalar_count > 64) {
        refuse("scalar_count is %d: it must be from 0 to 64", d.scalar_count);
    }
    if (d.scalar_count > 0 && d.scalars == nullptr) {
        refuse("scalars is a null pointer: with scalar_count %d it must point to as many",
               d.scalar_count);
    }
}

bool is_open(const stable_fluids_face& face) {
    return face.flow == STABLE_FLUIDS_OUTFLOW ||
           (!box::is_small && face.flow == STABLE_FLUIDS_TOTAL_PRESSURE);
}

void check_face(const stable_fluids_description& d, int number) {
    const stable_fluids_face& face = d.faces[number];
    const char* name = names[number];
    constexpr int last = box::is_small ? STABLE_FLUIDS_PERIODIC : STABLE_FLUIDS_TOTAL_PRESSURE;
    if (face.flow < STABLE_FLUIDS_NO_SLIP || face.flow > last) {
        refuse("the %s face's flow is %d: it must be a stable_fluids_boundary, from 0 to %d", name,
               face.flow, last);
    }
    const bool moves = face.flow == STABLE_FLUIDS_NO_SLIP || face.flow == STABLE_FLUIDS_INFLOW;
    if (moves && !(std::isfinite(face.u) && std::isfinite(face.v) && std::isfinite(face.w))) {
        refuse("the %s face's velocity is not finite", name);
    }
    const float velocity[3] = {face.u, face.v, face.w};
    if (face.flow == STABLE_FLUIDS_NO_SLIP && velocity[number / 2] != 0.0f) {
        refuse("the %s wall moves into itself: its %c must be 0, or the face an inflow", name,
               "uvw"[number / 2]);
    }
    if (is_open(face) && !std::isfinite(face.pressure)) {
        refuse("the %s face's pressure is not finite", name);
    }
    const bool other = d.faces[number ^ 1].flow == STABLE_FLUIDS_PERIODIC;
    if (face.flow == STABLE_FLUIDS_PERIODIC && !other) {
        refuse("the %s face is periodic, and the %s one is not: they are joined, so both must be",
               name, names[number ^ 1]);
    }
}

/// What comes in through the faces must go out somewhere.
void check_inflow(const stable_fluids_description& d) {
    const double areas[3] = {static_cast<double>(d.ny) * d.nz, static_cast<double>(d.nx) * d.nz,
                             static_cast<double>(d.nx) * d.ny};
    double in = 0.0;
    double size = 0.0;
    for (int number = 0; number < (d.nz > 1 ? 6 : 4); ++number) {
        const stable_fluids_face& face = d.faces[number];
        if (is_open(face)) {
            return;
        }
        if (face.flow == STABLE_FLUIDS_INFLOW) {
            const float across = number < 2 ? face.u : number < 4 ? face.v : face.w;
            const double through = static_cast<double>(across) * areas[number / 2];
            in += number % 2 == 0 ? through : -through;
            size += std::abs(through);
        }
    }
    if (std::abs(in) > 1e-6 * size) {
        const double h = static_cast<double>(d.h);
        const double amount = std::abs(in) * (d.nz > 1 ? h * h : h);
        refuse("%g %s more flows %s than %s, and no face is open: make one an outflow", amount,
               d.nz > 1 ? "m3/s" : "m2/s", in > 0.0 ? "in" : "out", in > 0.0 ? "out" : "in");
    }
}

bool has_value(const stable_fluids_scalar_face& face) {
    return face.flow == STABLE_FLUIDS_FIXED_VALUE || face.flow == STABLE_FLUIDS_FIXED_FLUX;
}

/// What scalar n meets at a face or at the solids, which `where` says.
void check_scalar_face(const stable_fluids_description& d, int n,
                       const stable_fluids_scalar_face& face, const char* where) {
    const stable_fluids_scalar& scalar = d.scalars[n];
    if (face.flow < STABLE_FLUIDS_ZERO_FLUX || face.flow > STABLE_FLUIDS_FIXED_FLUX) {
        refuse(
            "scalar %d's flow at %s is %d: it must be a stable_fluids_scalar_boundary, "
            "from 0 to %d",
            n, where, face.flow, STABLE_FLUIDS_FIXED_FLUX);
    }
    if (has_value(face) && !std::isfinite(face.value)) {
        refuse("scalar %d's value at %s is not finite", n, where);
    }
    if (face.flow == STABLE_FLUIDS_FIXED_FLUX &&
        !std::isfinite(d.h * (face.value / scalar.diffusion))) {
        refuse("scalar %d has a flux of %g at %s, and a diffusion of %g: let it be more", n,
               static_cast<double>(face.value), where, static_cast<double>(scalar.diffusion));
    }
}

void check_scalar(const stable_fluids_description& d, int n) {
    const stable_fluids_scalar& scalar = d.scalars[n];
    char name[40];
    std::snprintf(name, sizeof name, "scalar %d's diffusion", n);
    check_at_least_0(scalar.diffusion, name);
    std::snprintf(name, sizeof name, "scalar %d's dissipation", n);
    check_at_least_0(scalar.dissipation, name);
    if (!std::isfinite(scalar.initial)) {
        refuse("scalar %d's initial value is not finite", n);
    }
    for (int number = 0; number < (d.nz > 1 ? 6 : 4); ++number) {
        const stable_fluids_scalar_face& face = scalar.faces[number];
        std::snprintf(name, sizeof name, "the %s face", names[number]);
        check_scalar_face(d, n, face, name);
        const bool joined = d.faces[number].flow == STABLE_FLUIDS_PERIODIC;
        if (joined != (face.flow == STABLE_FLUIDS_SCALAR_PERIODIC)) {
            refuse("scalar %d must be periodic at %s exactly if the flow is", n, name);
        }
        const bool open = d.faces[number].flow == STABLE_FLUIDS_INFLOW ||
                          is_open(d.faces[number]) || has_value(face);
        if (scalar.conserve != 0 && open) {
            refuse("scalar %d is to be conserved, and can pass %s", n, name);
        }
    }
    check_scalar_face(d, n, scalar.solid, "solids");
    if (scalar.solid.flow == STABLE_FLUIDS_SCALAR_PERIODIC) {
        refuse("scalar %d is periodic at solids: they are joined to nothing", n);
    }
    if (scalar.conserve != 0 && has_value(scalar.solid)) {
        refuse("scalar %d is to be conserved, and can pass the surface of solids", n);
    }
}

void check_buoyancy(const stable_fluids_description& d) {
    check_at_least_0(d.confinement, "the confinement");
    bool pushes = false;
    for (int n = 0; d.buoyancy != nullptr && n < d.scalar_count; ++n) {
        const stable_fluids_buoyancy& one = d.buoyancy[n];
        if (!std::isfinite(one.share) || !std::isfinite(one.ambient) ||
            !std::isfinite(one.share * one.ambient)) {
            refuse(
                "scalar %d's buoyancy has the share %g and the ambient value %g: both, and their "
                "product, must be finite",
                n, static_cast<double>(one.share), static_cast<double>(one.ambient));
        }
        pushes = pushes || one.share != 0.0f;
    }
    const float* direction = d.buoyancy_direction;
    bool is_0 = true;
    for (int axis = 0; axis < (d.nz > 1 ? 3 : 2); ++axis) {
        if (pushes && !std::isfinite(direction[axis])) {
            refuse("the direction of buoyancy is not finite along %c", "xyz"[axis]);
        }
        is_0 = is_0 && direction[axis] == 0.0f;
    }
    if (pushes && is_0) {
        refuse(
            "the direction of buoyancy is 0: it must be more along an axis that the box has, such "
            "as (0, -1, 0)");
    }
}

// ---- Versions of the description ---------------------------------------------------------------

/// How long it was in versions 1.0, 1.1 and 1.2.
constexpr std::size_t size_1_0 = offsetof(stable_fluids_description, buoyancy);
constexpr std::size_t size_1_1 = offsetof(stable_fluids_description, splitting);
constexpr std::size_t size_1_2 = offsetof(stable_fluids_description, scalar_size);
static_assert(size_1_2 % alignof(stable_fluids_description) == 0,
              "what a version adds must not lie in what the struct before was filled up with");

/// How long a scalar was in version 1.0, and a scalar's buoyancy in 1.1, which has not grown so
/// far.
constexpr std::size_t scalar_size_1_0 = offsetof(stable_fluids_scalar, solid);
constexpr std::size_t buoyancy_size_1_1 = sizeof(stable_fluids_buoyancy);

/// What a description says until something else is said.
stable_fluids_description usual_description() {
    stable_fluids_description d = {};
    d.size = sizeof d;
    d.nx = 64;
    d.ny = 64;
    d.nz = 1;
    d.h = 1.0f / 64.0f;
    d.tolerance = 1e-4f;
    d.cycles = 50;
    d.buoyancy_direction[1] = -1.0f;
    return d;
}

/// The description, in this version's form. Throws a Failure if its size is that of no version.
stable_fluids_description of_this_version(const stable_fluids_description* given) {
    stable_fluids_description d = usual_description();
    const std::size_t size = given->size;
    if (size != sizeof d && size != size_1_2 && size != size_1_1 && size != size_1_0) {
        refuse(
            "the description's size is %zu, and this library knows %zu (version 1.0), %zu (1.1), "
            "%zu (1.2) and %zu: fill it with stable_fluids_describe(), and use a library no older "
            "than the header",
            size, size_1_0, size_1_1, size_1_2, sizeof d);
    }
    std::memcpy(&d, given, size);
    d.size = static_cast<std::uint32_t>(size);
    return d;
}

/// The things of one kind that a description points at, `size` bytes each as the caller knows them
/// (or 0 for the `first` size there was), in this version's form. `member` says where the size
/// stands.
template <class One>
std::vector<One> of_this_version(const One* given, int count, std::size_t size, std::size_t first,
                                 const char* member) {
    if (size == 0) {
        size = first;
    }
    if (size != first && size != sizeof(One)) {
        refuse(
            "%s is %zu, and this library knows %zu: fill the description with "
            "stable_fluids_describe(), and use a library no older than the header",
            member, size, sizeof(One));
    }
    std::vector<One> all;
    const auto* from = reinterpret_cast<const unsigned char*>(given);
    for (int n = 0; given != nullptr && n < count; ++n, from += size) {
        One one = {};
        std::memcpy(&one, from, size);
        all.push_back(one);
    }
    return all;
}

/// What is left to check once the numbers are good, and the scalars are this version's.
void check_parts(const stable_fluids_description& d) {
    for (int number = 0; number < (d.nz > 1 ? 6 : 4); ++number) {
        check_face(d, number);
    }
    check_inflow(d);
    for (int n = 0; n < d.scalar_count; ++n) {
        check_scalar(d, n);
    }
    check_buoyancy(d);
}

std::unique_ptr<box::Backend> make_backend(const stable_fluids_description& d) {
    const bool cuda = d.backend == STABLE_FLUIDS_CUDA ||
                      (d.backend == STABLE_FLUIDS_BEST && box::why_no_device().empty());
    return cuda ? box::make_device() : box::make_host(d.threads);
}

// ---- Are the arguments good? -------------------------------------------------------------------

/// A few words, with room for them.
struct Words {
    char text[96] = "";
};

/// What a field is called, as far as there is one with that number.
Words name_of(int field) {
    static const char* const known[] = {
        "u",           "v",          "w",        "force_x",    "force_y",     "force_z",
        "pressure",    "divergence", "speed",    "vorticity",  "vorticity_x", "vorticity_y",
        "vorticity_z", "expansion",  "fraction", "fraction_x", "fraction_y",  "fraction_z",
        "solid_u",     "solid_v",    "solid_w"};
    Words words;
    if (field >= 0 && field <= STABLE_FLUIDS_SOLID_W) {
        std::snprintf(words.text, sizeof words.text, "%s", known[field]);
    } else if (field >= STABLE_FLUIDS_FIRST_SCALAR && field < STABLE_FLUIDS_FIRST_SOURCE + 100) {
        const bool scalar = field < STABLE_FLUIDS_FIRST_SOURCE;
        std::snprintf(words.text, sizeof words.text, "%s_%d", scalar ? "scalar" : "source",
                      field % 100);
    } else {
        std::snprintf(words.text, sizeof words.text, "field %d", field);
    }
    return words;
}

/// Where value number n is in an array with so many along each axis.
Words place_of(std::size_t n, const int counts[3], bool deep) {
    const std::size_t nx = static_cast<std::size_t>(counts[0]);
    const std::size_t ny = static_cast<std::size_t>(counts[1]);
    Words words;
    if (deep) {
        std::snprintf(words.text, sizeof words.text, "i = %zu, j = %zu, k = %zu", n % nx,
                      n / nx % ny, n / nx / ny);
    } else {
        std::snprintf(words.text, sizeof words.text, "i = %zu, j = %zu", n % nx, n / nx);
    }
    return words;
}

/// Where value number n of a field is.
Words place_of(const box::Solver& solver, int field, std::size_t n) {
    int cells[3];
    int counts[3];
    solver.shape(STABLE_FLUIDS_FRACTION, cells);
    solver.shape(field, counts);
    return place_of(n, counts, cells[2] > 1);
}

/// How many elements a field has.
std::size_t elements_of(const box::Solver& solver, int field) {
    int counts[3];
    if (!solver.shape(field, counts)) {
        int w[3];
        const bool known = field >= 0 && field <= STABLE_FLUIDS_SOLID_W;
        const bool named = known || (field >= STABLE_FLUIDS_FIRST_SCALAR &&
                                     field < STABLE_FLUIDS_FIRST_SOURCE + 100);
        refuse("this fluid has no field %d%s%s%s", field, named ? ", " : "",
               named ? name_of(field).text : "",
               known && !solver.shape(STABLE_FLUIDS_W, w) ? ": it is flat" : "");
    }
    return static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]) *
           static_cast<std::size_t>(counts[2]);
}

void check_array(const box::Solver& solver, int field, const void* values, std::size_t count) {
    const std::size_t needed = elements_of(solver, field);
    if (values == nullptr) {
        refuse("the values are a null pointer");
    }
    if (count != needed) {
        refuse("%s has %zu elements, not %zu", name_of(field).text, needed, count);
    }
}

void check_may_be_set(int field) {
    if (!box::Solver::may_be_set(field)) {
        refuse("%s is computed: it may only be read", name_of(field).text);
    }
}

void check_values(const box::Solver& solver, int field, const float* values, std::size_t count) {
    check_array(solver, field, values, count);
    check_may_be_set(field);
    for (std::size_t n = 0; n < count; ++n) {
        if (!std::isfinite(values[n])) {
            refuse("%s at %s is %g: it must be finite", name_of(field).text,
                   place_of(solver, field, n).text, static_cast<double>(values[n]));
        }
    }
}

void check_fractions(const box::Solver& solver, int field, const float* values, std::size_t count) {
    for (std::size_t n = 0; n < count && box::Solver::is_fraction(field); ++n) {
        if (!(values[n] >= 0.0f && values[n] <= 1.0f)) {
            refuse("%s at %s is %g: a fraction must be from 0 to 1", name_of(field).text,
                   place_of(solver, field, n).text, static_cast<double>(values[n]));
        }
    }
}

/// Saves these fields, or with null `fields` what is usual.
stable_fluids_status save(box::FileFormat format, stable_fluids* fluid, const char* path,
                          const int32_t* fields, std::size_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (path == nullptr) {
            refuse("there is no file to write: the path is a null pointer");
        }
        std::vector<int32_t> chosen;
        if (fields != nullptr) {
            chosen.assign(fields, fields + count);
        } else {
            chosen = {STABLE_FLUIDS_U, STABLE_FLUIDS_PRESSURE, STABLE_FLUIDS_DIVERGENCE,
                      STABLE_FLUIDS_VORTICITY};
            int counts[3];
            for (int n = 0; solver.shape(STABLE_FLUIDS_SCALAR(n), counts); ++n) {
                chosen.push_back(STABLE_FLUIDS_SCALAR(n));
            }
        }
        if (chosen.empty()) {
            refuse("there is no field to write: count is 0, and fields not a null pointer");
        }
        for (const int32_t field : chosen) {
            elements_of(solver, field);
        }
        box::save(solver, format, path, chosen.data(), chosen.size());
    });
}

}  // namespace

// ---- The functions -----------------------------------------------------------------------------

int32_t stable_fluids_version(void) {
    return 10000 * STABLE_FLUIDS_VERSION_MAJOR + 100 * STABLE_FLUIDS_VERSION_MINOR +
           STABLE_FLUIDS_VERSION_PATCH;
}

void stable_fluids_describe(stable_fluids_description* description) {
    stable_fluids_describe_sized(description, size_1_0);
}

void stable_fluids_describe_sized(stable_fluids_description* description, size_t size) {
    stable_fluids_describe_sizes(description, size, 0, 0);
}

void stable_fluids_describe_sizes(stable_fluids_description* description, size_t size,
                                  size_t scalar_size, size_t buoyancy_size) {
    if (description == nullptr || size < size_1_0) {
        return;
    }
    stable_fluids_description d = usual_description();
    std::size_t known = sizeof d;
    for (const std::size_t earlier : {size_1_2, size_1_1, size_1_0}) {
        known = size < known ? earlier : known;
    }
    d.size = static_cast<uint32_t>(size < sizeof d ? known : size);
    d.scalar_size = scalar_size;
    d.buoyancy_size = buoyancy_size;
    std::memcpy(description, &d, known);
}

void stable_fluids_describe_scalar(stable_fluids_scalar* scalar) {
    stable_fluids_describe_scalar_sized(scalar, scalar_size_1_0);
}

void stable_fluids_describe_scalar_sized(stable_fluids_scalar* scalar, size_t size) {
    if (scalar != nullptr && size >= scalar_size_1_0) {
        const stable_fluids_scalar usual = {};
        std::memcpy(scalar, &usual, std::min(size, sizeof usual));
    }
}

stable_fluids_status stable_fluids_create(const stable_fluids_description* description,
                                          stable_fluids** fluid) {
    return catch_errors(line_of_thread, [&] {
        if (fluid == nullptr) {
            refuse("there is no place to put the fluid's handle: it is a null pointer");
        }
        *fluid = nullptr;
        if (description == nullptr) {
            refuse("the description is a null pointer");
        }
        stable_fluids_description d = of_this_version(description);
        check_numbers(d);
        const auto scalars = of_this_version(d.scalars, d.scalar_count, d.scalar_size,
                                             scalar_size_1_0, "scalar_size");
        const auto buoyancy = of_this_version(d.buoyancy, d.scalar_count, d.buoyancy_size,
                                              buoyancy_size_1_1, "buoyancy_size");
        d.scalars = scalars.data();
        d.buoyancy = buoyancy.empty() ? nullptr : buoyancy.data();
        check_parts(d);
        auto made = std::make_unique<stable_fluids>();
        made->solver = std::make_unique<box::Solver>(d, make_backend(d));
        if (d.size < size_1_2) {
            std::snprintf(made->warning.text, sizeof made->warning.text,
                          "the description's size is %u, that of version %s, so that its later "
                          "members had no effect: fill it with stable_fluids_describe() of the "
                          "header, or with stable_fluids_describe_sizes()",
                          static_cast<unsigned>(d.size), d.size == size_1_0 ? "1.0" : "1.1");
        }
        *fluid = made.release();
    });
}

void stable_fluids_destroy(stable_fluids* fluid) {
    delete fluid;
}

const char* stable_fluids_error(const stable_fluids* fluid) {
    return fluid == nullptr ? line_of_thread.text : fluid->line.text;
}

const char* stable_fluids_why_no_cuda(void) {
    catch_errors(line_of_device, [] { line_of_device.set(box::why_no_device().c_str()); });
    return line_of_device.text;
}

stable_fluids_status stable_fluids_shape(stable_fluids* fluid, int32_t field, int32_t shape[3]) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (shape == nullptr) {
            refuse("the shape is a null pointer");
        }
        elements_of(solver, field);
        int counts[3];
        solver.shape(field, counts);
        std::copy_n(counts, 3, shape);
    });
}

stable_fluids_status stable_fluids_set(stable_fluids* fluid, int32_t field, const float* values,
                                       size_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        check_values(solver, field, values, count);
        check_fractions(solver, field, values, count);
        solver.write(field, values);
    });
}

stable_fluids_status stable_fluids_fill(stable_fluids* fluid, int32_t field, float value) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        elements_of(solver, field);
        check_may_be_set(field);
        if (!std::isfinite(value)) {
            refuse("the value for %s is %g: it must be finite", name_of(field).text,
                   static_cast<double>(value));
        }
        check_fractions(solver, field, &value, 1);
        solver.fill(field, value);
    });
}

stable_fluids_status stable_fluids_set_from_device(stable_fluids* fluid, int32_t field,
                                                   const float* values, size_t count,
                                                   void* stream) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        check_array(solver, field, values, count);
        check_may_be_set(field);
        if (!solver.where().on_device()) {
            refuse("the fluid is on the host: use stable_fluids_set()");
        }
        if (!solver.where().holds(values)) {
            refuse("the values are not in the memory of the fluid's GPU: use stable_fluids_set()");
        }
        solver.where().wait_for(stream);
        const bool is_good = !box::Solver::is_of_solid(field) && solver.is_finite(field, values);
        if (is_good) {
            solver.write_from_device(field, values);
            return;
        }
        std::vector<float> here(count);
        solver.where().download(here.data(), values, count);
        check_values(solver, field, here.data(), count);
        check_fractions(solver, field, here.data(), count);
        solver.write(field, here.data());
    });
}

stable_fluids_status stable_fluids_add(stable_fluids* fluid, int32_t field, const float* values,
                                       size_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        check_values(solver, field, values, count);
        std::vector<float> sums(count);
        solver.read(field, sums.data());
        for (std::size_t n = 0; n < count; ++n) {
            sums[n] += values[n];
            if (!std::isfinite(sums[n])) {
                Line words;
                std::snprintf(words.text, sizeof words.text,
                              "the sum of %s at %s is more than a float holds: nothing was added",
                              name_of(field).text, place_of(solver, field, n).text);
                throw box::Failure(STABLE_FLUIDS_NOT_FINITE, words.text);
            }
        }
        check_fractions(solver, field, sums.data(), count);
        solver.write(field, sums.data());
    });
}

stable_fluids_status stable_fluids_set_solid(stable_fluids* fluid, const float* distance,
                                             size_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        int counts[3];
        solver.shape(STABLE_FLUIDS_FRACTION, counts);
        const auto corners = [](int cells) { return static_cast<std::size_t>(cells) + 1; };
        const std::size_t needed =
            corners(counts[0]) * corners(counts[1]) * (counts[2] > 1 ? corners(counts[2]) : 1);
        if (distance != nullptr && count != needed) {
            refuse(
                "the cells have %zu corners, not %zu: count is (nx + 1) * (ny + 1) * (nz + 1), or "
                "(nx + 1) * (ny + 1) in a flat fluid",
                needed, count);
        }
        for (std::size_t n = 0; distance != nullptr && n < count; ++n) {
            if (!std::isfinite(distance[n])) {
                const int many[3] = {counts[0] + 1, counts[1] + 1, counts[2] + 1};
                refuse("the distance at %s is %g: give that to the surface in metres",
                       place_of(n, many, counts[2] > 1).text, static_cast<double>(distance[n]));
            }
        }
        solver.set_solid(distance);
    });
}

stable_fluids_status stable_fluids_set_bodies(stable_fluids* fluid, const int32_t* labels,
                                              size_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        const std::size_t needed = elements_of(solver, STABLE_FLUIDS_FRACTION);
        if (labels != nullptr && count != needed) {
            refuse("there are %zu cells, not %zu: give one label for each", needed, count);
        }
        constexpr int32_t most_label = 65535;
        for (std::size_t n = 0; labels != nullptr && n < count; ++n) {
            if (labels[n] < -1 || labels[n] > most_label) {
                refuse("the label at %s is %d: it must be from 0 to %d, or -1 for none",
                       place_of(solver, STABLE_FLUIDS_FRACTION, n).text, labels[n], most_label);
            }
        }
        solver.set_bodies(labels);
    });
}

stable_fluids_status stable_fluids_forces_on(stable_fluids* fluid, int32_t body,
                                             const double pivot[3], stable_fluids_forces* forces) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (forces == nullptr || forces->size != sizeof *forces) {
            refuse(
                "the forces are a null pointer, or their size is not %u: set forces.size = "
                "sizeof forces",
                static_cast<unsigned>(sizeof *forces));
        }
        int w[3];
        const int axes = solver.shape(STABLE_FLUIDS_W, w) ? 3 : 2;
        if (pivot == nullptr ||
            !std::all_of(pivot, pivot + axes, [](double part) { return std::isfinite(part); })) {
            refuse("the pivot is a null pointer or not finite: give a point in metres");
        }
        if (body < 0 || body >= solver.body_count()) {
            refuse(
                "there is no body %d, but %d of them from 0 on: name them by "
                "stable_fluids_set_bodies()",
                body, solver.body_count());
        }
        if (!solver.knows_forces()) {
            refuse(
                "the bodies have been named since the last step, or the state was set: make a step "
                "first");
        }
        stable_fluids_forces found = {};
        found.size = sizeof found;
        solver.find_forces(body, pivot, found);
        *forces = found;
    });
}

stable_fluids_status stable_fluids_read(stable_fluids* fluid, int32_t field, float* values,
                                        size_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        check_array(solver, field, values, count);
        solver.read(field, values);
    });
}

stable_fluids_status stable_fluids_view(stable_fluids* fluid, int32_t field,
                                        stable_fluids_view_of_field* view) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (view == nullptr || view->size != sizeof *view) {
            refuse("the view is a null pointer, or its size is not %u: set view.size = sizeof view",
                   static_cast<unsigned>(sizeof *view));
        }
        elements_of(solver, field);
        int counts[3];
        solver.shape(field, counts);
        const box::Array array = solver.keep_place(field);
        view->data = array.data;
        std::copy_n(counts, 3, view->shape);
        view->strides[0] = 1;
        view->strides[1] = array.row;
        view->strides[2] = array.layer;
        view->on_device = solver.where().on_device() ? 1 : 0;
        view->stream = solver.where().stream();
    });
}

stable_fluids_status stable_fluids_save_vti(stable_fluids* fluid, const char* path,
                                            const int32_t* fields, size_t count) {
    return save(box::FileFormat::VTI, fluid, path, fields, count);
}

stable_fluids_status stable_fluids_save_vdb(stable_fluids* fluid, const char* path,
                                            const int32_t* fields, size_t count) {
    return save(box::FileFormat::VDB, fluid, path, fields, count);
}

stable_fluids_status stable_fluids_step(stable_fluids* fluid, float dt, int32_t count) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (!(dt > 0.0f) || std::isinf(dt)) {
            refuse("dt is %g: it must be more than 0, and finite", static_cast<double>(dt));
        }
        if (count < 0) {
            refuse("count is %d: it must be 0 or more", count);
        }
        fluid->warning.set("");
        solver.step(dt, count);
        if (solver.unsolved() > 0.0) {
            std::snprintf(
                fluid->warning.text, sizeof fluid->warning.text,
                "the projection made all of its %d cycles and left %.2g of the divergence, "
                "more than the tolerance of %g: raise cycles or tolerance",
                solver.most_cycles(), solver.unsolved(), static_cast<double>(solver.wanted()));
        } else if (solver.lost() >= 0) {
            std::snprintf(fluid->warning.text, sizeof fluid->warning.text,
                          "scalar %d is to be conserved, but advection changed its total by more "
                          "than a factor of 2, so it was left as it is: use a smaller dt",
                          solver.lost());
        }
    });
}

const char* stable_fluids_warning(const stable_fluids* fluid) {
    return fluid == nullptr ? "" : fluid->warning.text;
}

stable_fluids_status stable_fluids_wait(stable_fluids* fluid) {
    return catch_errors_of(fluid, [](box::Solver& solver) { solver.where().wait(); });
}

stable_fluids_status stable_fluids_statistics_of(stable_fluids* fluid,
                                                 stable_fluids_statistics* statistics) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        constexpr std::size_t statistics_1_1 = offsetof(stable_fluids_statistics, solid_force);
        constexpr std::size_t statistics_1_2 = offsetof(stable_fluids_statistics, corrected);
        if (statistics == nullptr ||
            (statistics->size != sizeof *statistics && statistics->size != statistics_1_2 &&
             statistics->size != statistics_1_1)) {
            refuse(
                "the statistics are a null pointer, or their size is not %u: set statistics.size = "
                "sizeof statistics",
                static_cast<unsigned>(sizeof *statistics));
        }
        stable_fluids_statistics all = {};
        all.size = statistics->size;
        solver.fill(all);
        std::memcpy(statistics, &all, all.size);
    });
}

double stable_fluids_time(const stable_fluids* fluid) {
    return fluid == nullptr ? 0.0 : fluid->solver->seconds();
}

stable_fluids_status stable_fluids_state_size(stable_fluids* fluid, size_t* size) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (size == nullptr) {
            refuse("there is no place to put the size: it is a null pointer");
        }
        *size = solver.state_size();
    });
}

stable_fluids_status stable_fluids_get_state(stable_fluids* fluid, void* state, size_t size) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        const std::size_t needed = solver.state_size();
        if (state == nullptr || size != needed) {
            refuse(
                "the state is a null pointer, or its size is %zu and not %zu: ask "
                "stable_fluids_state_size()",
                size, needed);
        }
        solver.get_state(static_cast<unsigned char*>(state));
    });
}

stable_fluids_status stable_fluids_set_state(stable_fluids* fluid, const void* state, size_t size) {
    return catch_errors_of(fluid, [&](box::Solver& solver) {
        if (state == nullptr) {
            refuse("the state is a null pointer");
        }
        solver.set_state(static_cast<const unsigned char*>(state), size);
        fluid->warning.set("");
    });
}
