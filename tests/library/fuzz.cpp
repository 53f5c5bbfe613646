// Whatever the library is given: descriptions with wrong sizes, NaN and the like, and calls in any
// order with wrong counts, fields and pointers. Bytes say what is done, so that libFuzzer can look
// for those that lead somewhere new; without it (and in the ordinary tests), a fixed number of
// cases is made up here.
//
// What must hold, always: no crash, no leak, no hang; a status that is in the header, and never
// INTERNAL; a text exactly when something failed, in one line; numbers that are finite when all is
// said to be well; and nothing changed by a call that failed.
//
// usage: stable_fluids_fuzz [CASES | FILE...]      (a file that libFuzzer left is done again)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "stable_fluids.h"

namespace {

/// The bytes of a case. When there are no more, all is 0.
struct Bytes {
    const std::uint8_t* at;
    std::size_t left;

    unsigned byte() {
        if (left == 0) {
            return 0;
        }
        --left;
        return *at++;
    }
    int below(int n) { return static_cast<int>(byte()) % n; }
    bool one_in(int n) { return below(n) == n - 1; }
    template <class T, std::size_t n>
    T any_of(const T (&list)[n]) {
        return list[static_cast<std::size_t>(below(static_cast<int>(n)))];
    }
};

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float odd_numbers[] = {nan,    inf,    -inf,  -1.0f, 0.0f,   -0.0f, 1e-45f, -1e-45f,
                                 1e-38f, 1e-20f, 1e20f, 3e38f, -3e38f, 1.0f,  -1e-3f, 1e9f};
constexpr std::int32_t odd_integers[] = {-1, 0, 1, 5, 12, INT32_MAX, INT32_MAX - 1, INT32_MIN};

std::string where;  // which case
std::string doing;  // the call that is under way
stable_fluids_description described;  // the fluid

/// What must hold.
void must(bool good, const std::string& what) {
    if (!good) {
        const stable_fluids_description& d = described;
        std::fprintf(stderr, "FAILED: %s: %s: %s\n", where.c_str(), doing.c_str(), what.c_str());
        std::fprintf(stderr,
                     "%d x %d x %d, h %g, viscosity %g, advection %d, tolerance %g, cycles %d, "
                     "%d scalars, backend %d, threads %d, faces %d %d %d %d %d %d\n",
                     d.nx, d.ny, d.nz, static_cast<double>(d.h), static_cast<double>(d.viscosity),
                     d.advection, static_cast<double>(d.tolerance), d.cycles, d.scalar_count,
                     d.backend, d.threads, d.faces[0].flow, d.faces[1].flow, d.faces[2].flow,
                     d.faces[3].flow, d.faces[4].flow, d.faces[5].flow);
        std::abort();
    }
}

bool finite(const std::vector<float>& values) {
    for (const float value : values) {
        if (!std::isfinite(value)) {
            return false;
        }
    }
    return true;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// ---- The description ---------------------------------------------------------------------------

/// What must come of a description.
enum Verdict { GOOD, UNSURE, BAD };

/// A description, with scalars that lie in memory of just their size, so that AddressSanitizer sees
/// who reads beyond them.
struct Case {
    stable_fluids_description description;
    std::vector<stable_fluids_scalar> scalars;
    std::vector<stable_fluids_buoyancy> buoyancy;
};

/// Something that makes sense.
Case good_case(Bytes& in) {
    Case made;
    stable_fluids_description& d = made.description;
    std::memset(&d, 0xAA, sizeof d);
    stable_fluids_describe(&d);
    must(d.size == sizeof d, "describe() does not set the size");
    d.nx = 1 + in.below(12);
    d.ny = 1 + in.below(12);
    d.nz = in.below(2) == 0 ? 1 : 1 + in.below(6);
    d.h = in.any_of({1.0f, 0.1f, 0.015625f, 20.0f});
    d.viscosity = in.any_of({0.0f, 0.0f, 1e-5f, 1e-3f, 0.1f});
    d.advection = in.below(3);
    d.tolerance = in.any_of({1e-4f, 1e-4f, 0.0f, 1e-2f, 1e-6f, 1e-9f});
    d.cycles = in.any_of({50, 1, 3, 20});
    d.threads = in.any_of({1, 1, 2, 3, 8, 0});
    d.backend = in.any_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2});
    for (int axis = 0; axis < 3; ++axis) {
        stable_fluids_face& low = d.faces[2 * axis];
        stable_fluids_face& high = d.faces[2 * axis + 1];
        switch (in.below(6)) {
            case 0:
                low.flow = high.flow = STABLE_FLUIDS_PERIODIC;
                break;
            case 1:
                low.flow = STABLE_FLUIDS_INFLOW;
                (axis == 0 ? low.u : axis == 1 ? low.v : low.w) = in.any_of({0.5f, -0.5f, 10.0f});
                high.flow = in.below(2) == 0 ? STABLE_FLUIDS_OUTFLOW : STABLE_FLUIDS_TOTAL_PRESSURE;
                high.pressure = in.any_of({0.0f, 1.0f, -20.0f});
                break;
            case 2:
                low.flow = STABLE_FLUIDS_FREE_SLIP;
                break;
            case 4:
                low.flow = high.flow = STABLE_FLUIDS_TOTAL_PRESSURE;
                break;
            case 3:  // slides along itself
                (axis == 0 ? high.v : axis == 1 ? high.u : high.v) = 1.0f;
                break;
            default:
                break;
        }
    }
    if (d.nz == 1) {
        d.faces[4] = d.faces[5] = stable_fluids_face{};
        d.faces[0].w = d.faces[1].w = d.faces[2].w = d.faces[3].w = 0.0f;
    }
    d.confinement = in.any_of({0.0f, 0.0f, 0.5f, 20.0f});
    d.splitting = in.below(3);
    d.buoyancy_direction[2 * in.below(2)] = in.any_of({0.0f, 0.5f, -2.0f});
    d.buoyancy_direction[1] += in.any_of({0.0f, 3.0f});  // -1 at first, so it is never 0
    bool any_outflow = false;
    for (const stable_fluids_face& face : d.faces) {
        any_outflow = any_outflow || face.flow == STABLE_FLUIDS_OUTFLOW ||
                      face.flow == STABLE_FLUIDS_TOTAL_PRESSURE;
    }
    d.scalar_count = in.any_of({0, 1, 2, 5});
    made.scalars.resize(static_cast<std::size_t>(d.scalar_count));
    for (stable_fluids_scalar& scalar : made.scalars) {
        std::memset(&scalar, 0xAA, sizeof scalar);
        stable_fluids_describe_scalar(&scalar);
        scalar.diffusion = in.any_of({0.0f, 1e-3f, 0.1f});
        scalar.dissipation = in.any_of({0.0f, 0.5f, 1e3f});
        scalar.initial = in.any_of({0.0f, 1.0f, 300.0f});
        const bool closed = in.below(2) == 0 || any_outflow;
        scalar.conserve = closed && !any_outflow && in.below(2) == 0;
        for (int face = 0; face < 6; ++face) {
            if (d.faces[face].flow == STABLE_FLUIDS_PERIODIC) {
                scalar.faces[face].flow = STABLE_FLUIDS_SCALAR_PERIODIC;
            } else if (scalar.conserve == 0 && in.below(4) == 0) {
                const bool flux = scalar.diffusion > 0.0f && in.below(2) == 0;
                scalar.faces[face].flow =
                    flux ? STABLE_FLUIDS_FIXED_FLUX : STABLE_FLUIDS_FIXED_VALUE;
                scalar.faces[face].value = 2.0f;
            }
        }
    }
    if (in.below(2) == 0) {
        made.buoyancy.resize(made.scalars.size());
        for (stable_fluids_buoyancy& one : made.buoyancy) {
            one.share = in.any_of({0.0f, 0.01f, -0.1f, 5.0f});
            one.ambient = in.any_of({0.0f, 0.0f, 300.0f});
        }
    }
    return made;
}

/// Whether a number will do where it must be finite and at least 0.
Verdict not_negative(float number) {
    return number >= 0.0f && number < inf ? GOOD : BAD;
}

/// Changes one thing in a good case into something that need not make sense.
Verdict spoil(Bytes& in, Case& made) {
    stable_fluids_description& d = made.description;
    const float number = in.any_of(odd_numbers);
    const std::int32_t integer = in.any_of(odd_integers);
    const bool few = integer == 1 || integer == 5 || integer == 12;
    const int place = in.below(6);
    stable_fluids_face& face = d.faces[place];
    const int kind = in.below(30);
    if (kind == 29) {
        const std::size_t size = in.any_of({std::size_t{0}, std::size_t{1}, SIZE_MAX});
        (in.below(2) == 0 ? d.scalar_size : d.buoyancy_size) = size;
        return size == 0 ? UNSURE : BAD;  // scalars were shorter once
    }
    if (kind == 28) {
        d.splitting = integer;
        return integer >= 0 && integer <= 2 ? GOOD : BAD;
    }
    if (kind >= 26 && !made.buoyancy.empty()) {
        const auto which =
            static_cast<std::size_t>(in.below(static_cast<int>(made.buoyancy.size())));
        (kind == 26 ? made.buoyancy[which].share : made.buoyancy[which].ambient) = number;
        return std::isfinite(number) ? UNSURE : BAD;
    }
    if (kind == 25) {
        d.buoyancy_direction[in.below(3)] = number;
        return UNSURE;  // nobody minds if nothing pushes
    }
    if (kind == 24) {
        d.confinement = number;
        return not_negative(number);
    }
    if (kind >= 18 && kind < 24 && !made.scalars.empty()) {
        const auto which =
            static_cast<std::size_t>(in.below(static_cast<int>(made.scalars.size())));
        stable_fluids_scalar& scalar = made.scalars[which];
        switch (kind) {
            case 18:
                scalar.diffusion = number;  // next to none is too little for a flux
                return number >= 0.0f && number < 1e-30f ? UNSURE : not_negative(number);
            case 19:
                scalar.dissipation = number;
                return not_negative(number);
            case 20:
                scalar.initial = number;
                return std::isfinite(number) ? UNSURE : BAD;  // to be conserved, it must not be < 0
            case 21:
                scalar.conserve = integer;
                return UNSURE;
            case 22:
                scalar.faces[place].flow = integer;
                return UNSURE;
            default:
                scalar.faces[place].value = number;
                return UNSURE;
        }
    }
    switch (kind) {
        case 0:
            d.size = in.any_of({0u, 4u, 8u, 0xFFFFFFFFu});
            return BAD;
        case 1:
            (in.below(2) == 0 ? d.nx : d.ny) = integer;
            return few ? UNSURE : BAD;  // what flows in depends on it
        case 2:
            d.nz = integer;
            return few ? UNSURE : BAD;
        case 3:  // their product fits into no integer, or looks harmless in a short one
            d.nx = in.any_of({65536, 1 << 21, 3000000, 46341});
            d.ny = in.any_of({65536, 1 << 22, 3000000, 1 << 30});
            d.nz = in.any_of({1, 65536, 1 << 22, 3000000});
            return BAD;
        case 4:
            d.h = number;
            return number > 0.0f && number < inf ? UNSURE : BAD;
        case 5:
            d.viscosity = number;
            return not_negative(number);
        case 6:
            d.advection = integer;
            return integer >= 0 && integer <= 2 ? GOOD : BAD;
        case 7:
            d.tolerance = number;
            return number >= 0.0f && number < 1.0f ? GOOD : BAD;
        case 8:
            d.cycles = integer;
            return integer >= 1 && integer <= 1000 ? GOOD : BAD;
        case 9:  // nobody may look at those
            d.scalar_count = in.any_of({-1, 65, INT32_MAX, INT32_MIN});
            return BAD;
        case 10:
            made.scalars.clear();
            return d.scalar_count == 0 ? GOOD : BAD;
        case 11:
            d.backend = in.any_of({-1, 3, INT32_MAX, INT32_MIN});
            return BAD;
        case 12:
            d.threads = in.any_of({-1, 64, INT32_MIN, INT32_MAX});
            return d.threads == 64 ? GOOD : BAD;
        case 13:
            face.flow = in.any_of({-1, 6, INT32_MAX, INT32_MIN});
            return d.nz == 1 && place >= 4 ? UNSURE : BAD;  // a flat fluid has no such face
        case 14:
            face.flow = in.below(6);
            return UNSURE;
        case 15:
            face.u = number;
            return UNSURE;
        case 16:
            face.v = number;
            return UNSURE;
        case 17:
            (in.below(2) == 0 ? face.w : face.pressure) = number;
            return UNSURE;
        default:
            return GOOD;  // there was no scalar to spoil
    }
}

// ---- The calls ---------------------------------------------------------------------------------

/// A fluid, and what is known of it.
class Fluid {
  public:
    Fluid(stable_fluids* made, const stable_fluids_description& d)
        : fluid(made), nx(d.nx), ny(d.ny), nz(d.nz), scalar_count(d.scalar_count) {
        must(error() == "", "a new fluid has an error to tell: " + error());
        stable_fluids_statistics now = statistics();
        on_host = now.backend == STABLE_FLUIDS_HOST;
        must(now.steps == 0 && now.time == 0.0 && now.bytes > 0, "a new fluid's statistics");
        must(on_host || now.backend == STABLE_FLUIDS_CUDA, "the backend in the statistics");
        must(d.backend == STABLE_FLUIDS_BEST || d.backend == now.backend, "another backend");
    }
    ~Fluid() { stable_fluids_destroy(fluid); }
    Fluid(const Fluid&) = delete;
    Fluid& operator=(const Fluid&) = delete;

    void call(Bytes& in) {
        const int field = any_field(in);
        switch (in.below(20)) {
            case 17:
                return set_bodies(in);
            case 18:
                return ask_forces(in);
            case 19:
                return fill(in, field);
            case 16:
                return set_solid(in);
            case 0:
            case 1:
            case 2:
            case 3:
                return write(in, field, false);
            case 4:
            case 5:
                return write(in, field, true);
            case 6:
            case 7:
                return read(in, field);
            case 8:
            case 9:
                return view(in, field);
            case 10:
            case 11:
            case 12:
            case 13:
                return step(in);
            case 14:
                return ask_statistics(in);
            default:
                return odd(in, field);
        }
    }

    /// Where numbers have grown too large, a fluid can be put right again: by setting all of it.
    void put_right() {
        doing = "putting right";
        judge(stable_fluids_set_solid(fluid, nullptr, 0), may_be(OK));
        for (const int field : stored_fields()) {
            const std::vector<float> usual(count_of(field), is_fraction(field) ? 1.0f : 0.0f);
            judge(stable_fluids_set(fluid, field, usual.data(), usual.size()), may_be(OK));
        }
        judge(stable_fluids_step(fluid, 0.01f, 1), may_be(OK));
        all_finite();
    }

  private:
    enum : unsigned {
        OK = 1u << STABLE_FLUIDS_OK,
        INVALID = 1u << STABLE_FLUIDS_INVALID,
        NOT_FINITE = 1u << STABLE_FLUIDS_NOT_FINITE
    };
    /// On a GPU, an error of an earlier call may come out later.
    unsigned may_be(unsigned those) const {
        return on_host ? those : those | 1u << STABLE_FLUIDS_OUT_OF_MEMORY | NOT_FINITE;
    }

    std::string error() const {
        const char* told = stable_fluids_error(fluid);
        must(told != nullptr, "no text");
        return told;
    }

    /// Checks a status: whether it is one of those possible, and whether an error has a line.
    bool judge(stable_fluids_status status, unsigned possible) {
        const std::string now = error();
        must((possible >> (static_cast<unsigned>(status) & 31u) & 1u) != 0,
             "status " + std::to_string(status) + ": " + now);
        if (status == STABLE_FLUIDS_OK) {
            must(now == text, "it went well, but the text has changed to: " + now);
        } else {
            must(!now.empty() && now.find_first_of("\n\r") == std::string::npos,
                 "not a line: '" + now + "'");
        }
        text = now;
        return status == STABLE_FLUIDS_OK;
    }

    bool has(int field) const {
        if (field == STABLE_FLUIDS_W || field == STABLE_FLUIDS_FORCE_Z ||
            field == STABLE_FLUIDS_FRACTION_Z || field == STABLE_FLUIDS_SOLID_W ||
            field == STABLE_FLUIDS_VORTICITY_X || field == STABLE_FLUIDS_VORTICITY_Y) {
            return nz > 1;
        }
        return (field >= 0 && field <= STABLE_FLUIDS_SOLID_W) || has_scalar(field);
    }
    bool has_scalar(int field) const {
        const int first = field >= STABLE_FLUIDS_FIRST_SOURCE ? STABLE_FLUIDS_FIRST_SOURCE
                                                              : STABLE_FLUIDS_FIRST_SCALAR;
        return field >= first && field - first < scalar_count;
    }
    bool writable(int field) const {
        const bool computed = field >= STABLE_FLUIDS_PRESSURE && field <= STABLE_FLUIDS_VORTICITY_Z;
        return has(field) && !computed;
    }
    void shape_of(int field, std::int32_t shape[3]) const {
        // Fields on faces come in threes: U, FORCE_X, FRACTION_X and SOLID_U, and what follows
        // them.
        const bool on_faces = field <= STABLE_FLUIDS_FORCE_Z ||
                              (field >= STABLE_FLUIDS_FRACTION_X && field <= STABLE_FLUIDS_SOLID_W);
        shape[0] = nx + (on_faces && field % 3 == 0 ? 1 : 0);
        shape[1] = ny + (on_faces && field % 3 == 1 ? 1 : 0);
        shape[2] = nz + (on_faces && field % 3 == 2 ? 1 : 0);
    }
    std::size_t count_of(int field) const {
        if (!has(field)) {
            return 1;
        }
        std::int32_t n[3];
        shape_of(field, n);
        return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
               static_cast<std::size_t>(n[2]);
    }

    int any_field(Bytes& in) const {
        switch (in.below(8)) {
            case 0:
            case 1:
                return in.below(3);
            case 2:
                return STABLE_FLUIDS_SCALAR(in.below(1 + scalar_count));
            case 3:
                return STABLE_FLUIDS_SOURCE(in.below(1 + scalar_count));
            case 4:
                return in.any_of({-1, 21, 99, 164, 199, 264, INT32_MAX, INT32_MIN});
            default:
                return in.below(21);
        }
    }
    std::vector<int> stored_fields() const {
        std::vector<int> fields;
        for (int field = 0; field < STABLE_FLUIDS_FIRST_SOURCE + 64; ++field) {
            if (writable(field)) {
                fields.push_back(field);
            }
        }
        return fields;
    }
    /// Right, mostly.
    std::size_t any_count(Bytes& in, int field) const {
        const std::size_t right = count_of(field);
        return in.one_in(8) ? in.any_of({std::size_t{0}, right - 1, right + 1, 2 * right, SIZE_MAX,
                                         SIZE_MAX / 4 + 2, (std::size_t{1} << 31) << 1})
                            : right;
    }

    /// A copy of a field, whatever is in it.
    std::vector<float> contents(int field) {
        std::vector<float> values(count_of(field));
        judge(stable_fluids_read(fluid, field, values.data(), values.size()), may_be(OK));
        return values;
    }

    void write(Bytes& in, int field, bool adds) {
        doing = (adds ? "add " : "set ") + std::to_string(field);
        const std::size_t count = any_count(in, field);
        const bool null = in.one_in(32);
        std::vector<float> values(count_of(field));
        const int pattern = in.below(8);
        unsigned random = 1 + in.byte();
        for (float& value : values) {
            random = random * 1664525u + 1013904223u;
            value = static_cast<float>(random >> 8) / 8388608.0f - 1.0f;
            const bool is_share = is_fraction(field) && pattern > 3;
            value = is_share ? std::abs(value) : value;
            value *= pattern == 0 ? 1e30f : pattern == 1 ? 3e38f : pattern == 2 ? 1e-42f : 1.0f;
        }
        const bool bad = pattern == 3;
        if (bad) {
            values[in.byte() % values.size()] = in.any_of({nan, inf, -inf});
        }
        const bool wrong = bad || null || count != values.size() || !writable(field) ||
                           (is_fraction(field) && !adds && !all_fractions(values));
        const std::vector<float> before = has(field) ? contents(field) : std::vector<float>();
        const float* given = null ? nullptr : values.data();
        const bool good = judge(adds ? stable_fluids_add(fluid, field, given, count)
                                     : stable_fluids_set(fluid, field, given, count),
                                may_be(wrong                        ? INVALID
                                       : adds && is_fraction(field) ? OK | INVALID
                                       : adds                       ? OK | NOT_FINITE
                                                                    : OK));
        if (!has(field)) {
            return;
        }
        const std::vector<float> after = contents(field);
        if (!good) {
            must(same(before, after), "it failed, and changed the field");
            return;
        }
        must(finite(after), "the field is not finite");
        must(!is_fraction(field) || all_fractions(after), "a fraction is none");
        if (field > STABLE_FLUIDS_FORCE_Z && !adds) {
            must(same(values, after), "the field is not what it was set to");
        }
    }

    static bool is_fraction(int field) {
        return field >= STABLE_FLUIDS_FRACTION && field <= STABLE_FLUIDS_FRACTION_Z;
    }
    static bool all_fractions(const std::vector<float>& values) {
        return std::all_of(values.begin(), values.end(),
                           [](float value) { return value >= 0.0f && value <= 1.0f; });
    }

    /// A random surface, or none any more.
    void set_solid(Bytes& in) {
        doing = "set_solid";
        const std::size_t right = static_cast<std::size_t>(nx + 1) *
                                  static_cast<std::size_t>(ny + 1) *
                                  static_cast<std::size_t>(nz > 1 ? nz + 1 : 1);
        std::vector<float> distance(right);
        const float more = in.any_of({0.0f, 0.5f, -0.5f, 0.9f, -2.0f, 2.0f});
        unsigned random = 1 + in.byte();
        for (float& value : distance) {
            random = random * 1664525u + 1013904223u;
            value = static_cast<float>(random >> 8) / 8388608.0f - 1.0f + more;
        }
        const bool bad = in.one_in(8);
        if (bad) {
            distance[in.byte() % right] = in.any_of({nan, inf, -inf});
        }
        const bool null = in.one_in(8);
        const std::size_t count = in.one_in(8) ? right + 1 : right;
        const bool wrong = !null && (bad || count != right);
        judge(stable_fluids_set_solid(fluid, null ? nullptr : distance.data(), count),
              may_be(wrong ? INVALID : OK));
    }

    /// Random labels, most of them -1, or no bodies any more.
    void set_bodies(Bytes& in) {
        doing = "set_bodies";
        std::vector<std::int32_t> labels(count_of(STABLE_FLUIDS_FRACTION));
        for (std::int32_t& label : labels) {
            label = in.below(4) - 1;
        }
        const bool bad = in.one_in(8);
        if (bad) {
            labels[in.byte() % labels.size()] = in.any_of({-2, 65536, INT32_MAX, INT32_MIN});
        }
        const bool null = in.one_in(8);
        const std::size_t count = in.one_in(8) ? labels.size() + 1 : labels.size();
        const bool wrong = !null && (bad || count != labels.size());
        judge(stable_fluids_set_bodies(fluid, null ? nullptr : labels.data(), count),
              may_be(wrong ? INVALID : OK));
    }

    void ask_forces(Bytes& in) {
        doing = "forces_on";
        stable_fluids_forces forces;
        std::memset(&forces, 0x2A, sizeof forces);
        forces.size = in.one_in(8) ? in.any_of({0u, 1u, 0xFFFFFFFFu}) : sizeof forces;
        const double pivot[3] = {0.5, in.one_in(8) ? std::nan("") : 1.0, 0.0};
        const bool null = in.one_in(16);
        const stable_fluids_forces before = forces;
        const std::int32_t body = in.one_in(8) ? in.any_of(odd_integers) : in.below(3);
        const bool wrong = null || forces.size != sizeof forces || !std::isfinite(pivot[1]);
        if (!judge(stable_fluids_forces_on(fluid, body, null ? nullptr : pivot, &forces),
                   may_be(wrong ? INVALID : OK | INVALID))) {
            must(std::memcmp(&forces, &before, sizeof forces) == 0,
                 "it failed, and wrote something");
        }
        judge(stable_fluids_forces_on(fluid, 0, pivot, nullptr), may_be(INVALID));
    }

    void fill(Bytes& in, int field) {
        doing = "fill " + std::to_string(field);
        const float value = in.below(2) == 0 ? in.any_of(odd_numbers) : 0.5f;
        const bool bad =
            !std::isfinite(value) || (is_fraction(field) && !(value >= 0.0f && value <= 1.0f));
        const bool wrong = bad || !writable(field);
        const std::vector<float> before = has(field) ? contents(field) : std::vector<float>();
        const bool good =
            judge(stable_fluids_fill(fluid, field, value), may_be(wrong ? INVALID : OK));
        if (!has(field)) {
            return;
        }
        const std::vector<float> after = contents(field);
        if (!good) {
            must(same(before, after), "it failed, and changed the field");
        } else if (field > STABLE_FLUIDS_FORCE_Z) {
            const std::vector<float> expected(after.size(), value);
            must(after == expected, "the field is not what it was filled with");
        }
    }

    void read(Bytes& in, int field) {
        doing = "read " + std::to_string(field);
        const std::size_t count = any_count(in, field);
        const bool null = in.one_in(32);
        std::vector<float> values(count_of(field), 42.0f);
        const bool wrong = null || count != values.size() || !has(field);
        const bool good =
            judge(stable_fluids_read(fluid, field, null ? nullptr : values.data(), count),
                  may_be(wrong ? INVALID : OK));
        must(good || same(values, std::vector<float>(values.size(), 42.0f)),
             "it failed, and wrote something");
    }

    void view(Bytes& in, int field) {
        doing = "view " + std::to_string(field);
        stable_fluids_view_of_field seen;
        std::memset(&seen, 0x2A, sizeof seen);
        seen.size = in.one_in(8) ? in.any_of({0u, 1u, 0xFFFFFFFFu}) : sizeof seen;
        const stable_fluids_view_of_field before = seen;
        const bool null = in.one_in(32);
        const bool wrong = null || seen.size != sizeof seen || !has(field);
        if (!judge(stable_fluids_view(fluid, field, null ? nullptr : &seen),
                   may_be(wrong ? INVALID : OK))) {
            must(std::memcmp(&seen, &before, sizeof seen) == 0, "it failed, and wrote something");
            return;
        }
        std::int32_t shape[3];
        shape_of(field, shape);
        must(std::memcmp(shape, seen.shape, sizeof shape) == 0, "another shape");
        must(seen.data != nullptr && (seen.on_device != 0) == !on_host, "data or on_device");
        if (!on_host) {
            return;
        }
        judge(stable_fluids_shape(fluid, field, shape), may_be(OK));  // this may not touch it
        std::vector<float> values;
        for (int k = 0; k < shape[2]; ++k) {
            for (int j = 0; j < shape[1]; ++j) {
                for (int i = 0; i < shape[0]; ++i) {
                    values.push_back(
                        seen.data[i * seen.strides[0] + j * seen.strides[1] + k * seen.strides[2]]);
                }
            }
        }
        must(same(values, contents(field)), "a view shows something else than what is read");
    }

    void step(Bytes& in) {
        float dt = in.any_of({0.01f, 0.01f, 0.01f, 0.01f, 0.01f, 0.01f, 1.0f, 100.0f, 1e-30f,
                              1e-45f, 1e9f, 3e38f, 0.0f, -0.01f, nan, inf});
        if (dt > 1.0f && dt < inf && (++long_steps > 1 || in.below(4) != 0)) {
            dt = 0.01f;  // they take their time: equations that are hard to solve
        }
        const int count = in.one_in(8) ? in.any_of({0, -1, INT32_MIN, 0}) : 1 + in.below(2);
        doing = "step " + std::to_string(dt) + " " + std::to_string(count);
        const bool wrong = !(dt > 0.0f && dt < inf) || count < 0;
        const std::int64_t before = statistics().steps;
        const stable_fluids_status status = stable_fluids_step(fluid, dt, count);
        const bool good = judge(status, may_be(wrong ? INVALID : OK | NOT_FINITE));
        const std::int64_t after = statistics().steps;
        must(good ? after == before + count
                  : after >= before && after <= before + (wrong ? 0 : count),
             "another number of steps");
        if (good && count > 0 && described.tolerance > 0.0f) {
            all_finite();
        }
    }

    /// Velocities and scalars, as said to be well, are. With tolerance 0 nobody looks.
    void all_finite() {
        for (const int field : stored_fields()) {
            must(finite(contents(field)), "field " + std::to_string(field) + " is not finite");
        }
    }

    stable_fluids_statistics statistics() {
        stable_fluids_statistics now;
        now.size = sizeof now;
        judge(stable_fluids_statistics_of(fluid, &now), may_be(OK));
        must(now.size == sizeof now, "the size has changed");
        return now;
    }

    void ask_statistics(Bytes& in) {
        doing = "statistics";
        stable_fluids_statistics now;
        std::memset(&now, 0x2A, sizeof now);
        now.size = in.one_in(4) ? in.any_of({0u, 1u, 0xFFFFFFFFu}) : sizeof now;
        const stable_fluids_statistics before = now;
        if (!judge(stable_fluids_statistics_of(fluid, &now),
                   may_be(now.size == sizeof now ? OK : INVALID))) {
            must(std::memcmp(&now, &before, sizeof now) == 0, "it failed, and wrote something");
        }
    }

    /// The rest.
    void odd(Bytes& in, int field) {
        doing = "shape " + std::to_string(field);
        std::int32_t shape[3] = {-7, -7, -7};
        std::int32_t expected[3] = {-7, -7, -7};
        if (judge(stable_fluids_shape(fluid, field, shape), may_be(has(field) ? OK : INVALID))) {
            shape_of(field, expected);
        }
        must(std::memcmp(shape, expected, sizeof shape) == 0, "another shape");
        doing = "nulls";
        switch (in.below(6)) {
            case 4:  // what is asked for is looked at before the file is
                judge(stable_fluids_save_vti(fluid, nullptr, &field, 1), may_be(INVALID));
                break;
            case 5:
                judge(stable_fluids_save_vti(fluid, "", has(field) ? nullptr : &field, 1),
                      may_be(has(field) ? INVALID | NOT_FINITE : INVALID));
                break;
            case 0:
                judge(stable_fluids_shape(fluid, field, nullptr), may_be(INVALID));
                break;
            case 1:
                judge(stable_fluids_statistics_of(fluid, nullptr), may_be(INVALID));
                break;
            case 2:
                state(in);
                break;
            default:
                judge(stable_fluids_wait(fluid), may_be(OK));
        }
    }

    /// Copies the state, changes a byte in it, or some bytes, or none, and gives it back.
    void state(Bytes& in) {
        doing = "state";
        std::size_t size = 0;
        judge(stable_fluids_state_size(fluid, &size), may_be(OK));
        std::vector<unsigned char> bytes(size);
        judge(stable_fluids_get_state(fluid, bytes.data(), size), may_be(OK));
        const std::vector<unsigned char> whole = bytes;
        const int changes = in.below(4);
        for (int n = 0; n < changes; ++n) {
            const std::size_t most = in.below(2) == 0 ? std::size_t{700} : size;
            bytes[(256 * in.byte() + in.byte()) % std::min(most, size)] =
                static_cast<unsigned char>(in.byte());
        }
        if (in.one_in(8)) {
            bytes.resize(in.any_of({std::size_t{1}, size / 2, size - 1, size + 1}));
        }
        const bool good =
            judge(stable_fluids_set_state(fluid, bytes.data(), bytes.size()), may_be(OK | INVALID));
        std::vector<unsigned char> now(size);
        if (!good) {
            judge(stable_fluids_get_state(fluid, now.data(), size), may_be(OK));
            must(now == whole, "it failed, and changed the state");
        }
    }

    stable_fluids* fluid;
    int nx, ny, nz, scalar_count;
    bool on_host = true;
    int long_steps = 0;
    std::string text;  ///< what it last had to say
};

/// No function minds being called without a fluid.
void call_with_nulls() {
    doing = "without a fluid";
    stable_fluids_destroy(nullptr);
    stable_fluids_describe(nullptr);
    stable_fluids_describe_scalar(nullptr);
    must(stable_fluids_time(nullptr) == 0.0, "the time");
    std::size_t length = 0;
    std::int32_t shape[3];
    float value = 1.0f;
    stable_fluids_view_of_field view = {};
    view.size = sizeof view;
    stable_fluids_statistics statistics = {};
    statistics.size = sizeof statistics;
    stable_fluids* fluid = nullptr;
    stable_fluids_description description;
    stable_fluids_describe(&description);
    for (const stable_fluids_status status :
         {stable_fluids_create(nullptr, &fluid),
          stable_fluids_create(&description, nullptr),
          stable_fluids_create(nullptr, nullptr),
          stable_fluids_shape(nullptr, 0, shape),
          stable_fluids_set(nullptr, 0, &value, 1),
          stable_fluids_add(nullptr, 0, &value, 1),
          stable_fluids_set_solid(nullptr, &value, 1),
          stable_fluids_set_solid(nullptr, nullptr, 0),
          stable_fluids_set_bodies(nullptr, nullptr, 0),
          stable_fluids_fill(nullptr, 0, 1.0f),
          stable_fluids_forces_on(nullptr, 0, nullptr, nullptr),
          stable_fluids_read(nullptr, 0, &value, 1),
          stable_fluids_view(nullptr, 0, &view),
          stable_fluids_step(nullptr, 0.1f, 1),
          stable_fluids_wait(nullptr),
          stable_fluids_save_vti(nullptr, "x.vti", nullptr, 0),
          stable_fluids_set_from_device(nullptr, 0, &value, 1, nullptr),
          stable_fluids_state_size(nullptr, &length),
          stable_fluids_get_state(nullptr, &value, 4),
          stable_fluids_set_state(nullptr, &value, 4),
          stable_fluids_statistics_of(nullptr, &statistics)}) {
        must(status == STABLE_FLUIDS_INVALID, "status " + std::to_string(status));
        must(stable_fluids_error(nullptr)[0] != '\0', "no text");
    }
    must(stable_fluids_version() == 10000 * STABLE_FLUIDS_VERSION_MAJOR +
                                        100 * STABLE_FLUIDS_VERSION_MINOR +
                                        STABLE_FLUIDS_VERSION_PATCH,
         "the version");
    must(stable_fluids_why_no_cuda() != nullptr, "no text");
}

/// One case.
void do_case(const std::uint8_t* data, std::size_t size) {
    Bytes in{data, size};
    if (in.one_in(64)) {
        call_with_nulls();
    }
    Case made = good_case(in);
    Verdict verdict = GOOD;
    const int spoilt = in.below(2) == 0 ? 0 : 1 + in.below(3);
    for (int n = 0; n < spoilt; ++n) {
        const Verdict one = spoil(in, made);
        verdict = verdict == GOOD ? one : UNSURE;  // two may cancel out
    }
    // Away from the rest, so that who reads beyond its end is seen.
    std::vector<stable_fluids_description> alone(1, made.description);
    const stable_fluids_description& d = alone[0];
    alone[0].scalars = made.scalars.empty() ? nullptr : made.scalars.data();
    alone[0].buoyancy = made.buoyancy.empty() ? nullptr : made.buoyancy.data();

    described = d;
    doing = "create";
    stable_fluids* handle = reinterpret_cast<stable_fluids*>(1);
    const stable_fluids_status status = stable_fluids_create(&d, &handle);
    const std::string text = stable_fluids_error(nullptr);
    must(status >= STABLE_FLUIDS_OK && status <= STABLE_FLUIDS_FILE_ERROR &&
             status != STABLE_FLUIDS_INTERNAL,
         "status " + std::to_string(status) + ": " + text);
    must((status == STABLE_FLUIDS_OK) == (handle != nullptr), "the status and the handle disagree");
    if (status != STABLE_FLUIDS_OK) {
        must(!text.empty() && text.find_first_of("\n\r") == std::string::npos,
             "not a line: '" + text + "'");
        const bool no_gpu = d.backend != STABLE_FLUIDS_HOST && status != STABLE_FLUIDS_INVALID;
        must(verdict != GOOD || no_gpu, "a good description is refused: " + text);
        must(verdict != BAD || status == STABLE_FLUIDS_INVALID,
             "a bad description is not INVALID, but " + std::to_string(status) + ": " + text);
        return;
    }
    must(verdict != BAD, "a bad description is accepted");
    // What it pointed to is not looked at any more.
    Fluid fluid(handle, std::vector<stable_fluids_description>(alone)[0]);
    alone.clear();
    alone.shrink_to_fit();
    made.scalars.clear();
    made.scalars.shrink_to_fit();
    made.buoyancy.clear();
    made.buoyancy.shrink_to_fit();
    for (int calls = 0; calls < 24 && in.left > 0; ++calls) {
        fluid.call(in);
    }
    if (spoilt == 0) {
        fluid.put_right();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    do_case(data, size);
    return 0;
}

#ifndef STABLE_FLUIDS_LIBFUZZER
int main(int argc, char** argv) {
    char* end = nullptr;
    const long cases = argc > 1 ? std::strtol(argv[1], &end, 10) : 3000;
    if (argc > 1 && *end != '\0') {
        for (int n = 1; n < argc; ++n) {
            std::ifstream file(argv[n], std::ios::binary);
            if (!file) {
                std::fprintf(stderr, "stable_fluids_fuzz: %s cannot be read: is it there?\n",
                             argv[n]);
                return 2;
            }
            where = argv[n];
            const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
            do_case(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        }
        std::printf("%d files done\n", argc - 1);
        return 0;
    }
    for (long number = 0; number < cases; ++number) {
        std::uint64_t random = 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(number + 1);
        const auto next = [&random] {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            return static_cast<std::uint8_t>(random >> 32);
        };
        next();
        std::vector<std::uint8_t> bytes(100 + next());
        for (std::uint8_t& byte : bytes) {
            byte = next();
        }
        where = "case " + std::to_string(number);
        do_case(bytes.data(), bytes.size());
    }
    std::printf("%ld cases done\n", cases);
    return 0;
}
#endif
