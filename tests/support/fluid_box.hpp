// A fluid of the library behind stable_fluids.h, as its tests handle it: only through that
// header, so that the same tests run on the host and on the device.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "stable_fluids.h"

namespace fluid_box {

/// Sanitizers cost a factor of 20: then long runs are shortened, and no other claim is given up.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Where the fluids of the tests live. The device's program switches it to STABLE_FLUIDS_CUDA.
inline std::int32_t backend = STABLE_FLUIDS_HOST;

/// Three numbers, one for each axis. The axes are 0, 1, 2 for x, y, z.
using Triple = std::array<int, 3>;

inline const char* name_of_axis(int axis) {
    return axis == 0 ? "x" : axis == 1 ? "y" : "z";
}

inline std::string name_of_size(const Triple& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

/// Which axis plays which part: the flow goes along a, something happens across it, along b, and c
/// is left. A flat fluid has the axes x and y, and c is z.
struct Roles {
    int a, b, c;
    bool deep;

    Triple size(int along, int across, int beside) const {
        Triple n = {1, 1, 1};
        n[static_cast<std::size_t>(a)] = along;
        n[static_cast<std::size_t>(b)] = across;
        n[static_cast<std::size_t>(c)] = deep ? beside : 1;
        return n;
    }
    std::string name() const {
        return std::string(deep ? "3D" : "2D") + ", along " + name_of_axis(a) + ", across it " +
               name_of_axis(b);
    }
};

inline std::vector<Roles> all_roles() {
    return {{0, 1, 2, false}, {1, 0, 2, false}, {0, 1, 2, true}, {0, 2, 1, true},
            {1, 0, 2, true},  {1, 2, 0, true},  {2, 0, 1, true}, {2, 1, 0, true}};
}

inline int part(const Triple& p, int axis) {
    return p[static_cast<std::size_t>(axis)];
}

/// The component of the velocity along an axis, the force along it, and the two faces that look
/// along it.
inline int component(int axis) {
    return STABLE_FLUIDS_U + axis;
}
inline int force(int axis) {
    return STABLE_FLUIDS_FORCE_X + axis;
}
inline int low_face(int axis) {
    return 2 * axis;
}
inline int high_face(int axis) {
    return 2 * axis + 1;
}

/// How a fluid carries its velocity, as messages say it.
inline const char* name_of_advection(int advection) {
    return advection == STABLE_FLUIDS_LINEAR    ? "linear"
           : advection == STABLE_FLUIDS_CENTRAL ? "central"
                                                : "MacCormack";
}

inline std::string name_of_field(int field) {
    static const char* const names[] = {"u",
                                        "v",
                                        "w",
                                        "the force along x",
                                        "the force along y",
                                        "the force along z",
                                        "pressure",
                                        "divergence",
                                        "speed",
                                        "vorticity",
                                        "vorticity along x",
                                        "vorticity along y",
                                        "vorticity along z",
                                        "expansion",
                                        "fraction",
                                        "fraction of faces along x",
                                        "fraction of faces along y",
                                        "fraction of faces along z",
                                        "the solid's u",
                                        "the solid's v",
                                        "the solid's w"};
    if (field >= STABLE_FLUIDS_FIRST_SOURCE) {
        return "source " + std::to_string(field - STABLE_FLUIDS_FIRST_SOURCE);
    }
    if (field >= STABLE_FLUIDS_FIRST_SCALAR) {
        return "scalar " + std::to_string(field - STABLE_FLUIDS_FIRST_SCALAR);
    }
    return names[field];
}

inline const char* name_of_flow(int flow) {
    static const char* const names[] = {"no slip", "free slip", "inflow",
                                        "outflow", "periodic",  "total pressure"};
    return names[flow];
}

// ---- Fields ------------------------------------------------------------------------------------

/// The numbers of one field, i fastest, then j, then k.
struct Field {
    Triple n = {0, 0, 0};
    std::vector<float> values;

    Field() = default;
    explicit Field(Triple shape, float value = 0.0f)
        : n(shape), values(static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) *
                               static_cast<std::size_t>(shape[2]),
                           value) {}

    std::size_t at(int i, int j, int k) const {
        return static_cast<std::size_t>(i) +
               static_cast<std::size_t>(n[0]) *
                   (static_cast<std::size_t>(j) +
                    static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(k));
    }
    float& operator()(int i, int j, int k) { return values[at(i, j, k)]; }
    float operator()(int i, int j, int k) const { return values[at(i, j, k)]; }
    float operator()(const Triple& p) const { return values[at(p[0], p[1], p[2])]; }
};

template <class Visit>
void for_each(const Triple& n, const Visit& visit) {
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                visit(i, j, k);
            }
        }
    }
}

/// A field filled with what `value(i, j, k)` returns.
template <class Value>
Field made(const Triple& n, const Value& value) {
    Field field(n);
    for_each(n, [&](int i, int j, int k) { field(i, j, k) = static_cast<float>(value(i, j, k)); });
    return field;
}

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine.
inline Field bumpy(const Triple& n, std::uint32_t seed) {
    Field field(n);
    seed = seed * 2654435761u + 12345u;
    for (float& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    return field;
}

inline double total(const Field& field) {
    double sum = 0.0;
    for (const float value : field.values) {
        sum += static_cast<double>(value);
    }
    return sum;
}

/// The largest size of all; infinity if one is not a number, so that it fails every bound.
inline double largest(const Field& field) {
    double found = 0.0;
    for (const float value : field.values) {
        found = std::isnan(value) ? std::numeric_limits<double>::infinity()
                                  : std::max(found, std::abs(static_cast<double>(value)));
    }
    return found;
}

inline double root_mean_square(const Field& field) {
    double sum = 0.0;
    for (const float value : field.values) {
        sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return std::sqrt(sum / static_cast<double>(field.values.size()));
}

inline bool same_bytes(const Field& a, const Field& b) {
    return a.n == b.n &&
           std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

/// Checks that a field is what it should be, to within `bound`, and says where it is furthest from
/// it.
inline void check_close(const std::string& what, const Field& found, const Field& expected,
                        double bound) {
    REQUIRE(found.n == expected.n);
    double most = -1.0;
    Triple worst = {0, 0, 0};
    for_each(found.n, [&](int i, int j, int k) {
        const double apart =
            std::abs(static_cast<double>(found(i, j, k)) - static_cast<double>(expected(i, j, k)));
        const double size = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
        if (size > most) {
            most = size;
            worst = {i, j, k};
        }
    });
    INFO(what << ": worst at (" << worst[0] << ", " << worst[1] << ", " << worst[2] << ") of "
              << name_of_size(found.n) << ", where it is " << found(worst) << " and should be "
              << expected(worst));
    CHECK(most <= bound);
}

/// How far apart two fields are, at most.
inline double distance(const Field& a, const Field& b) {
    REQUIRE(a.n == b.n);
    double most = 0.0;
    for (std::size_t at = 0; at < a.values.size(); ++at) {
        const double apart =
            std::abs(static_cast<double>(a.values[at]) - static_cast<double>(b.values[at]));
        most = std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(most, apart);
    }
    return most;
}

// ---- Descriptions ------------------------------------------------------------------------------

/// What a fluid is to be: the header's description, its scalars beside it.
struct Plan {
    stable_fluids_description d = {};
    std::vector<stable_fluids_scalar> scalars;
    std::vector<stable_fluids_buoyancy> buoyancy;  ///< none, or one for each scalar

    explicit Plan(const Triple& n, float h = 1.0f) {
        stable_fluids_describe(&d);
        d.nx = n[0];
        d.ny = n[1];
        d.nz = n[2];
        d.h = h;
        d.backend = backend;
        d.threads = 1;
    }

    Triple size() const { return {d.nx, d.ny, d.nz}; }
    bool deep() const { return d.nz > 1; }
    int axes() const { return deep() ? 3 : 2; }

    Plan& face(int which, int flow, std::array<float, 3> velocity = {0.0f, 0.0f, 0.0f},
               float pressure = 0.0f) {
        d.faces[which] = {flow, velocity[0], velocity[1], velocity[2], pressure};
        return *this;
    }
    /// Both faces that look along an axis.
    Plan& pair(int axis, int flow) {
        return face(low_face(axis), flow).face(high_face(axis), flow);
    }
    Plan& all(int flow) { return pair(0, flow).pair(1, flow).pair(2, flow); }

    /// One more scalar, joined where the flow is joined: after the faces are as they should be.
    stable_fluids_scalar& scalar() {
        stable_fluids_scalar added;
        stable_fluids_describe_scalar(&added);
        for (int which = 0; which < 6; ++which) {
            added.faces[which].flow = d.faces[which].flow == STABLE_FLUIDS_PERIODIC
                                          ? STABLE_FLUIDS_SCALAR_PERIODIC
                                          : STABLE_FLUIDS_ZERO_FLUX;
        }
        scalars.push_back(added);
        return scalars.back();
    }
};

/// A channel of cells a quarter of a metre wide, in which all is alike along a, between walls that
/// the fluid sticks to, solved closely.
inline Plan channel(const Roles& roles, const Triple& n, float viscosity) {
    Plan plan(n, 0.25f);
    plan.pair(roles.a, STABLE_FLUIDS_PERIODIC).pair(roles.c, STABLE_FLUIDS_FREE_SLIP);
    plan.pair(roles.b, STABLE_FLUIDS_NO_SLIP);
    plan.d.viscosity = viscosity;
    plan.d.tolerance = 1e-6f;
    return plan;
}

// ---- Fluids ------------------------------------------------------------------------------------

/// A fluid that gives itself back. Whatever it is asked to do must succeed.
class Fluid {
  public:
    explicit Fluid(Plan plan) : h_(static_cast<double>(plan.d.h)), axes_(plan.axes()) {
        plan.d.scalars = plan.scalars.data();
        plan.d.buoyancy = plan.buoyancy.empty() ? nullptr : plan.buoyancy.data();
        plan.d.scalar_count = static_cast<std::int32_t>(plan.scalars.size());
        const stable_fluids_status status = stable_fluids_create(&plan.d, &handle_);
        INFO("a fluid of " << name_of_size(plan.size()) << ": " << stable_fluids_error(nullptr));
        REQUIRE(status == STABLE_FLUIDS_OK);
    }
    Fluid(Fluid&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), h_(other.h_), axes_(other.axes_) {}
    Fluid& operator=(Fluid&&) = delete;
    ~Fluid() { stable_fluids_destroy(handle_); }

    stable_fluids* handle() const { return handle_; }
    double h() const { return h_; }
    int axes() const { return axes_; }

    Triple shape(int field) const {
        std::int32_t found[3] = {-1, -1, -1};
        require(stable_fluids_shape(handle_, field, found));
        return {found[0], found[1], found[2]};
    }
    Field read(int field) const {
        Field found(shape(field));
        require(stable_fluids_read(handle_, field, found.values.data(), found.values.size()));
        return found;
    }
    void set(int field, const Field& values) {
        REQUIRE(values.n == shape(field));
        require(stable_fluids_set(handle_, field, values.values.data(), values.values.size()));
    }
    void set(int field, float value) { set(field, Field(shape(field), value)); }
    template <class Value>
    void fill(int field, const Value& value) {
        set(field, made(shape(field), value));
    }
    void add(int field, const Field& values) {
        REQUIRE(values.n == shape(field));
        require(stable_fluids_add(handle_, field, values.values.data(), values.values.size()));
    }
    void step(double dt, int count = 1) {
        require(stable_fluids_step(handle_, static_cast<float>(dt), count));
        require(stable_fluids_wait(handle_));
    }
    stable_fluids_statistics statistics() const {
        stable_fluids_statistics found = {};
        found.size = sizeof found;
        require(stable_fluids_statistics_of(handle_, &found));
        return found;
    }

  private:
    void require(stable_fluids_status status) const {
        INFO(stable_fluids_error(handle_));
        REQUIRE(status == STABLE_FLUIDS_OK);
    }
    stable_fluids* handle_ = nullptr;
    double h_;
    int axes_;
};

/// All that a fluid carries from step to step: its velocity and its scalars.
inline std::vector<Field> state_of(const Fluid& fluid, int scalars) {
    std::vector<Field> state;
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        state.push_back(fluid.read(component(axis)));
    }
    for (int n = 0; n < scalars; ++n) {
        state.push_back(fluid.read(STABLE_FLUIDS_SCALAR(n)));
    }
    return state;
}

}  // namespace fluid_box
