// A fluid as it is made: its numbers, its fields and its grids.
#include "library/src/solver.hpp"

#include <utility>
#include <vector>

#include "library/src/walls.hpp"

namespace box {

Field Solver::make(const Layout& some) {
    Field field(*backend, some);
    bytes += some.size * sizeof(float);
    return field;
}

Solver::Solver(const stable_fluids_description& description, std::unique_ptr<Backend> where)
    : backend(std::move(where)), nx(description.nx), ny(description.ny), nz(description.nz),
      deep(description.nz > 1), h(description.h), viscosity(description.viscosity),
      tolerance(description.tolerance), cycles(description.cycles),
      since_1_4(description.size >= sizeof description),
      begins_with_guess(since_1_4 && tolerance > 0.0f &&
                        description.splitting == STABLE_FLUIDS_LIE),
      central(!is_small && description.advection == STABLE_FLUIDS_CENTRAL),
      maccormack(central || description.advection == STABLE_FLUIDS_MACCORMACK),
      limited(maccormack && deep), strang(description.splitting != STABLE_FLUIDS_LIE),
      midpoint(!is_small && description.splitting == STABLE_FLUIDS_MIDPOINT),
      scalar_kinds(description.scalars, description.scalars + description.scalar_count),
      confinement(description.confinement), layout(nx + 1, ny + 1, deep ? nz + 1 : nz, deep) {
    // All coarser boxes together take about as much as a field (flat), or as half of one.
    const int carried = strang ? dimensions() : limited ? dimensions() - 1 : 0;
    const int kept = midpoint ? dimensions() : 0;
    const int shared = shares_traces() ? dimensions() : 0;
    const int guessed = begins_with_guess ? 1 : 0;
    const double fields = 2 * dimensions() + carried + kept + shared + guessed + 2 +
                          description.scalar_count + (needs_second_spare() ? 1.0 : 0.0) +
                          (deep ? 0.5 : 1.0);
    backend->check_room(sizeof(float) * static_cast<double>(layout.size) * fields);
    make_walls(description);
    make_forces(description);
    for (int component = 0; component < dimensions(); ++component) {
        velocity[component] = make(layout);
        next[component] = make(layout);
        if (component < carried) {
            pushed[component] = make(layout);
        }
        if (component < kept) {
            earlier[component] = make(layout);
        }
        if (shares_traces()) {
            halfway[component] = make(layout);
        }
    }
    spare = make(layout);
    if (needs_second_spare()) {
        second_spare = make(layout);
    }
    pressure = make(layout);
    if (begins_with_guess) {
        pressure_before = make(layout);
    }
    if (has_total_pressure()) {
        dynamic_pressure = make(layout);
        next_dynamic_pressure = make(layout);
    }
    make_levels(description);
    for (int component = 0; component < dimensions() && viscosity > 0.0f; ++component) {
        velocity_grids[component] = make_spreading(velocity_walls[component]);
    }
    for (std::size_t n = 0; n < scalar_kinds.size(); ++n) {
        scalar_grids.push_back(scalar_kinds[n].diffusion > 0.0f ? make_spreading(scalar_walls[n])
                                                                : std::vector<Level>());
    }
    for (const stable_fluids_scalar& kind : scalar_kinds) {
        scalars.push_back(make(layout));
        sources.emplace_back();
        const std::size_t n = scalars.size() - 1;
        backend->run(Scale{cells(), scalars[n].array(), 1.0f, kind.initial});
        set_bnd(scalars[n].array(), scalar_walls[n]);
    }
    set_velocity_bnd();
    for (int component = 0; component < dimensions(); ++component) {
        // so that there is room for one value a row from now on
        backend->largest(Value{elements(component), velocity[component].array()});
    }
}

Extent Solver::cells() const {
    return {{0, nx - 1}, {0, ny - 1}, {0, nz - 1}};
}

Extent Solver::with_ghosts() const {
    return {{-1, nx}, {-1, ny}, deep ? Range{-1, nz} : Range{0, 0}};
}

/// The flow that has these components.
Flow Solver::flow_of(const Field* components) const {
    const auto around = [&](int axis, int n) {
        return joined[axis] ? static_cast<float>(n) : 0.0f;
    };
    const auto per = [&](int axis, int n) {
        return joined[axis] ? 1.0f / static_cast<float>(n) : 0.0f;
    };
    return {components[0].array(),
            components[1].array(),
            components[2].array(),
            nx,
            ny,
            nz,
            around(0, nx),
            around(1, ny),
            around(2, nz),
            per(0, nx),
            per(1, ny),
            per(2, nz),
            deep};
}

}  // namespace box
