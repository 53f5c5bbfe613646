// The fields of a fluid, by number: what may be set and read, and how they get there and back.
#include "library/src/solver.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace box {

namespace {

bool is_component(int field) {
    return STABLE_FLUIDS_U <= field && field <= STABLE_FLUIDS_W;
}
bool is_force(int field) {
    return STABLE_FLUIDS_FORCE_X <= field && field <= STABLE_FLUIDS_FORCE_Z;
}
bool is_on_faces_of_solid(int field) {
    return STABLE_FLUIDS_FRACTION_X <= field && field <= STABLE_FLUIDS_SOLID_W;
}
bool is_scalar(int field) {
    return STABLE_FLUIDS_FIRST_SCALAR <= field && field < STABLE_FLUIDS_FIRST_SOURCE;
}
bool is_source(int field) {
    return STABLE_FLUIDS_FIRST_SOURCE <= field && field < STABLE_FLUIDS_FIRST_SOURCE + 100;
}

}  // namespace

bool Solver::is_of_solid(int field) {
    return field == STABLE_FLUIDS_FRACTION || is_on_faces_of_solid(field);
}

bool Solver::is_fraction(int field) {
    return STABLE_FLUIDS_FRACTION <= field && field <= STABLE_FLUIDS_FRACTION_Z;
}

bool Solver::may_be_set(int field) {
    return is_component(field) || is_force(field) || field == STABLE_FLUIDS_EXPANSION ||
           is_of_solid(field) || is_scalar(field) || is_source(field);
}

bool Solver::shape(int field, int counts[3]) const {
    counts[0] = nx;
    counts[1] = ny;
    counts[2] = nz;
    if (is_component(field) || is_force(field) || is_on_faces_of_solid(field)) {
        const int component = field % 3;
        ++counts[component];
        return component < dimensions();
    }
    if (is_scalar(field) || is_source(field)) {
        return static_cast<std::size_t>(field % 100) < scalars.size();
    }
    const bool known = STABLE_FLUIDS_PRESSURE <= field && field <= STABLE_FLUIDS_FRACTION;
    const bool needs_w = field == STABLE_FLUIDS_VORTICITY_X || field == STABLE_FLUIDS_VORTICITY_Y;
    return known && (deep || !needs_w);
}

Extent Solver::elements(int field) const {
    int counts[3];
    shape(field, counts);
    return {{0, counts[0] - 1}, {0, counts[1] - 1}, {0, counts[2] - 1}};
}

/// The memory of a field that may be set.
Field& Solver::stored(int field) {
    const std::size_t n = static_cast<std::size_t>(field % 100);
    return is_component(field)                ? velocity[field]
           : is_force(field)                  ? force[field - STABLE_FLUIDS_FORCE_X]
           : field == STABLE_FLUIDS_EXPANSION ? expansion
           : field == STABLE_FLUIDS_FRACTION  ? solids->fraction
           : field <= STABLE_FLUIDS_FRACTION_Z && is_of_solid(field)
               ? solids->f[field - STABLE_FLUIDS_FRACTION_X]
           : is_of_solid(field) ? solids->s[field - STABLE_FLUIDS_SOLID_U]
           : is_scalar(field)   ? scalars[n]
                                : sources[n];
}

/// What is to be done before a field is set. Returns where it is stored.
Field& Solver::begin_write(int field) {
    if (is_of_solid(field)) {
        make_solids();
    }
    if (is_of_solid(field) || field == STABLE_FLUIDS_EXPANSION) {
        note_solids();
    }
    Field& to = stored(field);
    if (!to) {
        to = make(layout);
    }
    if (is_component(field) || is_of_solid(field)) {
        disturb();
    }
    return to;
}

/// What is to be done after a field has been set.
void Solver::finish_write(int field) {
    const Array& x = stored(field).array();
    if (is_component(field)) {
        enforce(x, field);  // so that no ghost has what was set on a closed face
        set_bnd(x, velocity_walls[field]);
        enforce(x, field);
    } else if (is_scalar(field)) {
        set_bnd(x, scalar_walls[static_cast<std::size_t>(field % 100)]);
    }
    backend->wait();
}

void Solver::write(int field, const float* values) {
    std::vector<float> all(layout.size, 0.0f);
    const Field& to = begin_write(field);
    const Extent over = elements(field);
    const Array array = {all.data() + layout.origin, layout.row, layout.layer};
    const int row = over.x.last + 1;
    for (int k = 0; k <= over.z.last; ++k) {
        for (int j = 0; j <= over.y.last; ++j, values += row) {
            std::copy_n(values, row, &array(0, j, k));
        }
    }
    backend->upload(to.data(), all.data(), layout.size);
    finish_write(field);
}

void Solver::fill(int field, float value) {
    const Field& to = begin_write(field);
    backend->clear(to.data(), layout.size);
    backend->run(Scale{elements(field), to.array(), 1.0f, value});
    finish_write(field);
}

namespace {

/// An array of that extent without gaps, which is only read.
Array without_gaps(const Extent& over, const float* values) {
    const int row = over.x.last + 1;
    return {const_cast<float*>(values), row, row * (over.y.last + 1)};
}

}  // namespace

void Solver::write_from_device(int field, const float* values) {
    const Field& to = begin_write(field);
    const Extent over = elements(field);
    backend->clear(to.data(), layout.size);
    backend->run(AddScaled{over, to.array(), without_gaps(over, values), 1.0f});
    finish_write(field);
}

bool Solver::is_finite(int field, const float* values) {
    const Extent over = elements(field);
    const double largest = backend->largest(Value{over, without_gaps(over, values)});
    return largest < std::numeric_limits<double>::infinity();
}

void Solver::read(int field, float* values) {
    const Extent over = elements(field);
    const int row = over.x.last + 1;
    const bool unset = is_of_solid(field) ? !solids : may_be_set(field) && !stored(field);
    if (unset) {  // as it is at first
        std::fill_n(values,
                    static_cast<std::size_t>(row) * static_cast<std::size_t>(over.y.last + 1) *
                        static_cast<std::size_t>(over.z.last + 1),
                    is_fraction(field) ? 1.0f : 0.0f);
        return;
    }
    std::vector<float> all(layout.size);
    backend->download(all.data(), place(field).data - layout.origin, layout.size);
    const Array array = {all.data() + layout.origin, layout.row, layout.layer};
    for (int k = 0; k <= over.z.last; ++k) {
        for (int j = 0; j <= over.y.last; ++j, values += row) {
            std::copy_n(&array(0, j, k), row, values);
        }
    }
}

Array Solver::place(int field) {
    if (may_be_set(field)) {
        if (is_of_solid(field)) {
            make_solids();
        }
        if (!stored(field)) {
            stored(field) = make(layout);
        }
        return stored(field).array();
    }
    if (field == STABLE_FLUIDS_PRESSURE) {
        settle_pressure();
        return pressure.array();
    }
    settle_solids();
    const Lent free(next[0]);
    const Array x = free.array();
    if (field == STABLE_FLUIDS_DIVERGENCE && cut()) {
        backend->run(cut_divergence(x, 1.0f / h));
    } else if (field == STABLE_FLUIDS_DIVERGENCE) {
        backend->run(Divergence{cells(), velocity[0].array(), velocity[1].array(),
                                velocity[2].array(), x, 1.0f / h, deep});
    } else if (field == STABLE_FLUIDS_SPEED) {
        backend->run(Speed{cells(), flow(), x});
    } else {
        const int axis =
            field == STABLE_FLUIDS_VORTICITY ? (deep ? 3 : 2) : field - STABLE_FLUIDS_VORTICITY_X;
        backend->run(Vorticity{cells(), flow(), x, 0.5f / h, axis});
    }
    return x;
}

Array Solver::keep_place(int field) {
    const Array array = place(field);
    if (is_component(field) || is_scalar(field)) {  // the others that may be set never move
        Field* const kept = &stored(field);
        const auto same = [kept](const auto& home) { return home.first == kept; };
        if (std::none_of(homes.begin(), homes.end(), same)) {
            homes.emplace_back(kept, kept->data());
        }
    }
    return array;
}

// ---- What is said of them ----------------------------------------------------------------------

void Solver::check_velocity() {
    double sum = 0.0;
    for (int component = 0; component < dimensions(); ++component) {
        sum += backend->largest(Value{elements(component), velocity[component].array()});
    }
    if (!(sum < std::numeric_limits<double>::infinity())) {
        throw Failure(STABLE_FLUIDS_NOT_FINITE,
                      "a velocity is no longer finite: use a smaller force, expansion or dt");
    }
}

void Solver::check_scalars() {
    double sum = 0.0;
    for (const Field& scalar : scalars) {
        sum += backend->largest(Value{cells(), scalar.array()});
    }
    if (!(sum < std::numeric_limits<double>::infinity())) {
        throw Failure(STABLE_FLUIDS_NOT_FINITE,
                      "a scalar is no longer finite: use a smaller force, source or dt");
    }
}

/// The share of MacCormack's correction that the last step added to the velocity.
double Solver::share_of_correction() {
    if (!maccormack) {
        return 0.0;
    }
    if (!limited || steps == 0) {
        return 1.0;
    }
    return last_share >= 0.0 ? last_share : backend->share();
}

void Solver::fill(stable_fluids_statistics& statistics) {
    settle_solids();  // it gives closed faces the solid's velocity
    double squares = 0.0;
    double largest = 0.0;
    for (int component = 0; component < dimensions(); ++component) {
        const Extent over = elements(component);
        const Array& u = velocity[component].array();
        squares += backend->squares(FaceValue{over, u, component});
        largest = std::max(largest, backend->largest(Value{over, u}));
    }
    const double size = static_cast<double>(h);
    const Array divergence = place(STABLE_FLUIDS_DIVERGENCE);
    statistics.backend = backend->on_device() ? STABLE_FLUIDS_CUDA : STABLE_FLUIDS_HOST;
    statistics.steps = steps;
    statistics.time = time;
    statistics.kinetic_energy = 0.5 * squares * size * size * (deep ? size : 1.0);
    statistics.largest_divergence = backend->largest(Value{cells(), divergence});
    statistics.largest_speed = largest;
    statistics.cfl = largest * static_cast<double>(last_dt) / size;
    statistics.pressure_residual = last_pressure.residual;
    statistics.pressure_cycles = last_pressure.work;
    statistics.viscosity_sweeps = last_viscosity.work;
    statistics.viscosity_residual = last_viscosity.residual;
    statistics.bytes = bytes;
    push_solids();
    for (int axis = 0; axis < dimensions() && solids; ++axis) {
        statistics.solid_force[axis] = solids->friction[axis] + solids->push[axis];
    }
    statistics.closed_regions = cut() ? static_cast<int>(solids->closed.size()) : any_open ? 0 : 1;
    statistics.closed_divergence = cut() ? solids->closed_divergence : 0.0;
    statistics.unsolved_steps = unsolved_steps;
    statistics.corrected = share_of_correction();
}

}  // namespace box
