// What is done in a step, and in which order.
#include "library/src/solver.hpp"

#include <algorithm>

namespace box {

void Solver::step(float dt, int count) {
    unsolved_residual = 0.0;
    lost_scalar = -1;
    try {
        for (int n = 0; n < count; ++n) {
            step(dt);
        }
    } catch (...) {
        bring_home();
        throw;
    }
    bring_home();
    if (tolerance > 0.0f) {
        check_scalars();
        if (cut()) {  // else the projection has looked at all of the velocity
            check_velocity();
        }
    }
}

void Solver::step(float dt) {
    settle_solids();
    // Once a velocity or a solid is set, the pressure of the next step is that of a blow: it stops
    // the fluid at the walls. It is no guess at the pressure afterwards.
    const bool goes_on = strang && undisturbed > 1;
    if (has_total_pressure()) {
        find_dynamic_pressure(dt);
    }
    if (goes_on || begins_with_guess) {
        unsettle_pressure();
    }
    if (goes_on) {
        push_ahead(dt);
    }
    extend_velocity();
    const bool looks_ahead = midpoint && goes_on;
    if (looks_ahead) {
        look_ahead(dt);
    }
    carry_velocity(goes_on ? pushed : velocity, flow_of(looks_ahead ? earlier : velocity), dt);
    set_velocity_bnd();
    // Forces act after advection, or what they push against a wall would be carried into it. Half
    // of them may act before, together with the pressure.
    add_forces(goes_on ? 0.5f * dt : dt);
    if (goes_on) {
        subtract_pressure(0.5f * dt);
    }

    last_viscosity = {};
    const float acted = looks_ahead ? share_ahead(dt) : 0.0f;
    const float a = (1.0f - acted) * (viscosity * dt / (h * h));
    for (int component = 0; component < dimensions(); ++component) {
        const Solved solved = cut() ? cut_viscosity(component, a)
                                    : diffuse(velocity[component], velocity_walls[component],
                                              velocity_grids[component], 1.0f, a);
        last_viscosity.work = std::max(last_viscosity.work, solved.work);
        last_viscosity.residual = std::max(last_viscosity.residual, solved.residual);
    }
    pressure_settled = false;
    project(dt, goes_on);
    if (!scalars.empty()) {
        extend_velocity();
        if (midpoint) {
            look_between();
        }
    }
    step_scalars(dt);
    enforce_velocity();
    if (solids) {
        solids->pushed = !solids->cut;  // else it is worked out when it is asked for
        for (int axis = 0; axis < 3 && !solids->cut; ++axis) {
            solids->friction[axis] = solids->push[axis] = 0.0;
        }
        note_step_of_bodies();
    }
    last_dt = dt;
    time += static_cast<double>(dt);
    ++steps;
    ++undisturbed;
    if (strang || begins_with_guess) {
        settle_pressure();  // so that it makes no difference to the next step who reads it
    }
}

/// Makes `earlier` the velocity in the middle of this step, if it goes on changing as it did in the
/// last one (Temperton and Staniforth 1987). After a much shorter step, that would be a guess from
/// afar: then it is not the middle, but as far ahead as the last step was long.
void Solver::look_ahead(float dt) {
    const float ahead = std::min(0.5f * dt / last_dt, 1.0f);
    for (int component = 0; component < dimensions(); ++component) {
        const Array& u = earlier[component].array();
        const Extent over = elements(component);
        backend->run(Scale{over, u, -ahead, 0.0f});
        backend->run(AddScaled{over, u, velocity[component].array(), 1.0f + ahead});
        set_bnd(u, velocity_walls[component]);
    }
}

/// Makes `pushed` the mean of the velocities at the start and at the end of this step, which
/// carries scalars.
void Solver::look_between() {
    for (int component = 0; component < dimensions(); ++component) {
        const Array& u = pushed[component].array();
        const Extent over = elements(component);
        backend->copy(pushed[component].data(), velocity[component].data(), layout.size);
        backend->run(Scale{over, u, 0.5f, 0.0f});
        backend->run(AddScaled{over, u, earlier[component].array(), 0.5f});
        set_bnd(u, velocity_walls[component]);
    }
}

/// Lets what acts ahead in a step of dt seconds act on `pushed`, which is then carried: half of the
/// forces and of the pressure of the last step, and a share of the viscosity. The velocity itself
/// stays as it is.
void Solver::push_ahead(float dt) {
    for (int component = 0; component < dimensions(); ++component) {
        backend->copy(pushed[component].data(), velocity[component].data(), layout.size);
        velocity[component].swap(pushed[component]);
    }
    if (midpoint) {
        diffuse_ahead(dt);
    }
    add_forces(0.5f * dt);
    subtract_pressure(0.5f * dt);
    extend_velocity();
    for (int component = 0; component < dimensions(); ++component) {
        velocity[component].swap(pushed[component]);
    }
}

/// Brings the fields that somebody looks at back to where they were seen. A step may leave them in
/// the memory of others, which change places with them.
void Solver::bring_home() {
    for (const auto& [field, home] : homes) {
        Field* there = nullptr;
        bool is_free = true;
        const auto look_at = [&, home = home](Field& other, bool other_is_free) {
            if (other.data() == home) {
                there = &other;
                is_free = other_is_free;
            }
        };
        for (int component = 0; component < 3; ++component) {
            look_at(next[component], true);
            look_at(pushed[component], true);
            look_at(earlier[component], false);
            look_at(velocity[component], false);
        }
        look_at(spare, true);
        look_at(second_spare, true);
        look_at(pressure, false);
        look_at(pressure_before, false);
        for (Field& scalar : scalars) {
            look_at(scalar, false);
        }
        if (there == field) {
            continue;
        }
        const Lent room(next[0]);
        if (!is_free) {
            backend->copy(room.data(), there->data(), layout.size);
        }
        backend->copy(there->data(), field->data(), layout.size);
        if (!is_free) {
            backend->copy(field->data(), room.data(), layout.size);
        }
        there->swap(*field);
    }
}

}  // namespace box
