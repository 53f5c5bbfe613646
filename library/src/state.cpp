// The state of a fluid as bytes: a head, then whole fields with their ghosts, as the last step has
// left them. So a fluid that is given them goes on to the same bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "library/src/solver.hpp"

namespace box {

namespace {

constexpr std::uint32_t magic = 0x31534653;  // "SFS1", where the lowest byte comes first
constexpr int most_scalars = 64;
constexpr int most_undisturbed = 2;  // what more there were makes no difference

/// The bits of StateHead::has.
constexpr std::uint32_t FORCE = 1;  // along x; FORCE << 1 along y, and so on
constexpr std::uint32_t EXPANSION = 8;
constexpr std::uint32_t SOLIDS = 16;
constexpr std::uint32_t EARLIER = 32;  ///< the velocity before the last step, behind all else
constexpr std::uint32_t PRESSURE_BEFORE = 64;  ///< that of the step before the last, likewise

[[noreturn]] void refuse(const char* why) {
    throw Failure(STABLE_FLUIDS_INVALID, why);
}

}  // namespace

/// What two fluids must have in common if one is to have the state of the other.
struct Solver::StateKind {
    std::uint32_t magic;
    std::int32_t n[3], row, layer, scalar_count;
    std::int32_t faces[6];
    std::int8_t scalar_faces[most_scalars][6];
};

/// What stands before the fields.
struct Solver::StateHead {
    StateKind kind;
    std::uint32_t has;  ///< which forces; whether an expansion, solids, EARLIER, PRESSURE_BEFORE
    std::uint64_t sources;  ///< bit n: source n
    std::int64_t steps, unsolved_steps;
    std::int32_t undisturbed, pressure_work, viscosity_work, nothing;
    double numbers[6];  ///< time, the last dt, unsolved, the residuals, the correction's share
    double friction[3], push[3];

    bool is_good() const {
        const auto is_finite = [](double number) { return std::isfinite(number); };
        const auto is_count = [](std::int64_t count) {
            return count >= 0 && count < std::int64_t{1} << 60;
        };
        const bool finite = std::all_of(numbers, numbers + 6, is_finite) &&
                            std::all_of(friction, friction + 3, is_finite) &&
                            std::all_of(push, push + 3, is_finite);
        const bool dt_is_float =
            numbers[1] <= static_cast<double>(std::numeric_limits<float>::max());
        return finite && numbers[0] >= 0.0 && numbers[1] >= 0.0 && dt_is_float && is_count(steps) &&
               is_count(unsolved_steps) && undisturbed >= 0 && undisturbed <= most_undisturbed &&
               pressure_work >= 0 && viscosity_work >= 0;
    }
};

Solver::StateKind Solver::state_kind() const {
    StateKind kind;
    std::memset(&kind, 0, sizeof kind);
    kind.magic = magic;
    kind.n[0] = nx;
    kind.n[1] = ny;
    kind.n[2] = nz;
    kind.row = layout.row;
    kind.layer = layout.layer;
    kind.scalar_count = static_cast<std::int32_t>(scalars.size());
    for (int face = 0; face < 2 * dimensions(); ++face) {
        kind.faces[face] = face_kinds[face];
        for (std::size_t n = 0; n < scalars.size(); ++n) {
            kind.scalar_faces[n][face] = static_cast<std::int8_t>(scalar_kinds[n].faces[face].flow);
        }
    }
    return kind;
}

/// The fields of a state, in their order: those of the solids, those that may be unset, and the
/// others. What is not there is left out.
std::vector<Field*> Solver::state_fields() {
    std::vector<Field*> all;
    if (solids) {
        all.push_back(&solids->fraction);
        for (int axis = 0; axis < dimensions(); ++axis) {
            all.push_back(&solids->f[axis]);
            all.push_back(&solids->s[axis]);
        }
    }
    all.push_back(&expansion);
    for (int axis = 0; axis < dimensions(); ++axis) {
        all.push_back(&force[axis]);
    }
    for (Field& source : sources) {
        all.push_back(&source);
    }
    all.push_back(&pressure);
    all.push_back(&dynamic_pressure);
    for (int axis = 0; axis < dimensions(); ++axis) {
        all.push_back(&velocity[axis]);
    }
    for (Field& scalar : scalars) {
        all.push_back(&scalar);
    }
    for (int axis = 0; axis < dimensions(); ++axis) {
        all.push_back(&earlier[axis]);
    }
    all.push_back(&pressure_before);
    std::vector<Field*> there;
    std::copy_if(all.begin(), all.end(), std::back_inserter(there),
                 [](const Field* field) { return bool(*field); });
    return there;
}

std::size_t Solver::state_size() {
    return sizeof(StateHead) + state_fields().size() * layout.size * sizeof(float);
}

void Solver::get_state(unsigned char* state) {
    settle_solids();
    settle_pressure();
    push_solids();
    StateHead head;
    std::memset(&head, 0, sizeof head);
    head.kind = state_kind();
    head.has = (expansion ? EXPANSION : 0u) | (solids ? SOLIDS : 0u) | (midpoint ? EARLIER : 0u) |
               (pressure_before ? PRESSURE_BEFORE : 0u);
    for (int axis = 0; axis < dimensions(); ++axis) {
        head.has |= force[axis] ? FORCE << axis : 0u;
    }
    for (std::size_t n = 0; n < sources.size(); ++n) {
        head.sources |= sources[n] ? std::uint64_t{1} << n : 0;
    }
    head.steps = steps;
    head.unsolved_steps = unsolved_steps;
    head.undisturbed = std::min(undisturbed, most_undisturbed);
    head.pressure_work = last_pressure.work;
    head.viscosity_work = last_viscosity.work;
    const double numbers[6] = {time,
                               static_cast<double>(last_dt),
                               unsolved_residual,
                               last_pressure.residual,
                               last_viscosity.residual,
                               share_of_correction()};
    std::copy_n(numbers, 6, head.numbers);
    if (solids) {
        std::copy_n(solids->friction, 3, head.friction);
        std::copy_n(solids->push, 3, head.push);
    }
    std::memcpy(state, &head, sizeof head);
    state += sizeof head;
    std::vector<float> values(layout.size);
    for (const Field* field : state_fields()) {
        backend->download(values.data(), field->data(), layout.size);
        std::memcpy(state, values.data(), layout.size * sizeof(float));
        state += layout.size * sizeof(float);
    }
}

/// Reads the head of a state. Throws a Failure unless it is one that this fluid may have.
Solver::StateHead Solver::state_head(const unsigned char* state, std::size_t size) const {
    StateHead head;
    if (size < sizeof head) {
        refuse("these bytes are no state of a fluid: they are too few");
    }
    std::memcpy(&head, state, sizeof head);
    if (head.kind.magic != magic) {
        refuse(
            "these bytes are no state of a fluid, or one of another version or another kind of "
            "computer");
    }
    const StateKind mine = state_kind();
    if (std::memcmp(&head.kind, &mine, sizeof mine) != 0) {
        refuse(
            "the state is that of another box: it must have as many cells and scalars, and the "
            "same "
            "kinds of faces");
    }
    std::size_t fields = 1 + static_cast<std::size_t>(dimensions()) + scalars.size();
    fields += has_total_pressure() ? 1 : 0;
    fields += (head.has & SOLIDS) != 0 ? 1 + 2 * static_cast<std::size_t>(dimensions()) : 0;
    fields += (head.has & EXPANSION) != 0 ? 1 : 0;
    fields += (head.has & EARLIER) != 0 ? static_cast<std::size_t>(dimensions()) : 0;
    fields += (head.has & PRESSURE_BEFORE) != 0 ? 1 : 0;
    for (int axis = 0; axis < dimensions(); ++axis) {
        fields += (head.has & (FORCE << axis)) != 0 ? 1 : 0;
    }
    for (std::size_t n = 0; n < sources.size(); ++n) {
        fields += (head.sources >> n & 1) != 0 ? 1 : 0;
    }
    if (!head.is_good() || size != sizeof head + fields * layout.size * sizeof(float)) {
        refuse("the state is damaged: its size or its first numbers are none that it can have");
    }
    return head;
}

/// Throws a Failure unless all values of a state may be those of a fluid. It begins with the
/// fractions, if there are solids.
void Solver::check_state_values(const unsigned char* values, std::size_t size,
                                bool has_solids) const {
    const std::size_t count = size / sizeof(float);
    const std::size_t of_field = layout.size;
    for (std::size_t n = 0; n < count; ++n) {
        float value;
        std::memcpy(&value, values + n * sizeof value, sizeof value);
        const std::size_t field = n / of_field;  // a fraction, then f and s along each axis
        const bool is_fraction = has_solids &&
                                 field <= 2 * static_cast<std::size_t>(dimensions()) &&
                                 (field == 0 || field % 2 == 1);
        if (!std::isfinite(value) || (is_fraction && !(value >= 0.0f && value <= 1.0f))) {
            refuse("the state has a value that is not finite, or a fraction not from 0 to 1");
        }
    }
}

void Solver::set_state(const unsigned char* state, std::size_t size) {
    const StateHead head = state_head(state, size);
    const bool has_solids = (head.has & SOLIDS) != 0;
    check_state_values(state + sizeof head, size - sizeof head, has_solids);
    // First the memory, so that nothing has changed if there is not enough.
    std::vector<float> values(layout.size);
    const auto provide = [&](Field& field, bool is_there) {
        if (is_there && !field) {
            field = make(layout);
        }
    };
    if (has_solids) {
        make_solids();
    }
    provide(expansion, (head.has & EXPANSION) != 0);
    for (int axis = 0; axis < dimensions(); ++axis) {
        provide(force[axis], (head.has & (FORCE << axis)) != 0);
    }
    for (std::size_t n = 0; n < sources.size(); ++n) {
        provide(sources[n], (head.sources >> n & 1) != 0);
    }
    if (!has_solids && solids) {
        bytes -= solids->bytes;
        solids.reset();
    }
    const unsigned char* from = state + sizeof head;
    for (Field* field : state_fields()) {
        if (!is_in_state(*field, head)) {
            backend->clear(field->data(), layout.size);
            continue;
        }
        std::memcpy(values.data(), from, layout.size * sizeof(float));
        backend->upload(field->data(), values.data(), layout.size);
        from += layout.size * sizeof(float);
    }
    backend->wait();
    set_numbers(head);
}

/// Whether a field that a state may lack has values in it.
bool Solver::is_in_state(const Field& field, const StateHead& head) const {
    if (&field == &expansion) {
        return (head.has & EXPANSION) != 0;
    }
    if (&field == &pressure_before) {
        return (head.has & PRESSURE_BEFORE) != 0;
    }
    for (int axis = 0; axis < dimensions(); ++axis) {
        if (&field == &force[axis]) {
            return (head.has & (FORCE << axis)) != 0;
        }
        if (&field == &earlier[axis]) {
            return (head.has & EARLIER) != 0;
        }
    }
    for (std::size_t n = 0; n < sources.size(); ++n) {
        if (&field == &sources[n]) {
            return (head.sources >> n & 1) != 0;
        }
    }
    return true;
}

/// What a state says besides its fields.
void Solver::set_numbers(const StateHead& head) {
    steps = head.steps;
    unsolved_steps = head.unsolved_steps;
    const bool knows_earlier = (head.has & EARLIER) != 0;
    halfway_steps = 0.0f;
    undisturbed = midpoint && !knows_earlier ? std::min(head.undisturbed, 1) : head.undisturbed;
    time = head.numbers[0];
    last_dt = static_cast<float>(head.numbers[1]);
    unsolved_residual = head.numbers[2];
    last_pressure = {head.pressure_work, head.numbers[3]};
    last_viscosity = {head.viscosity_work, head.numbers[4]};
    last_share = head.numbers[5];
    pressure_settled = true;
    if (solids) {
        std::copy_n(head.friction, 3, solids->friction);
        std::copy_n(head.push, 3, solids->push);
        solids->pushed = true;
        solids->cut = false;
        solids->changed = true;
        if (has_bodies()) {
            solids->bodies->stepped = false;
        }
    }
}

}  // namespace box
