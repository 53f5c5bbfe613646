// Solids in the fluid: what is given of them, how the fields follow from it, and what they do to
// velocity and scalars.
#include "library/src/solids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "library/src/fractions.hpp"
#include "library/src/numbers.hpp"
#include "library/src/regions.hpp"
#include "library/src/solver.hpp"

namespace box {

// ---- What is given -----------------------------------------------------------------------------

/// Room for all that solids need, with none there.
void Solver::make_solids() {
    if (solids) {
        return;
    }
    if (is_small) {
        throw Failure(STABLE_FLUIDS_INVALID,
                      "this library has no solids: build it without STABLE_FLUIDS_SMALL");
    }
    const std::uint64_t before = bytes;
    try {
        auto made = std::make_unique<Solids>();
        made->fraction = make(layout);
        for (int axis = 0; axis < dimensions(); ++axis) {
            made->f[axis] = make(layout);
            made->s[axis] = make(layout);
            backend->run(Scale{elements(axis), made->f[axis].array(), 1.0f, 1.0f});
        }
        backend->run(Scale{cells(), made->fraction.array(), 1.0f, 1.0f});
        for (Field* field : {&made->alive, &made->wanted, &made->z, &made->p, &made->y}) {
            *field = make(layout);
        }
        made->levels.resize(levels.size());
        for (std::size_t l = 1; l < levels.size(); ++l) {
            for (int axis = 0; axis < dimensions(); ++axis) {
                made->levels[l].f[axis] = make(levels[l].layout);
            }
            made->levels[l].alive = make(levels[l].layout);
        }
        made->bytes = bytes - before;
        solids = std::move(made);
    } catch (...) {
        bytes = before;
        throw;
    }
}

/// To be called before anything changes that settle_solids() looks at.
void Solver::note_solids() {
    if (!is_small && solids && !solids->changed) {
        push_solids();
        if (has_bodies()) {
            find_surface_forces();
        }
        solids->changed = true;
    }
}

/// The fluid's shares of the cells, and of the faces along each axis.
std::vector<Numbers> Solver::fractions_of(const float* distance) const {
    const Corners corners(distance, nx, ny, deep);
    const int in_z = deep ? 1 : 0;
    std::vector<Numbers> found;
    found.reserve(static_cast<std::size_t>(1 + dimensions()));
    for (int which = 0; which < 1 + dimensions(); ++which) {
        found.emplace_back(layout);
    }
    for_each_place_at_once(*backend, nx + 1, ny + 1, nz + in_z, [&](int i, int j, int k) {
        const bool inside = i < nx && j < ny && k < nz;
        const float whole = inside ? corners.whole_cell(i, j, k) : -1.0f;
        for (int which = 0; which < 1 + dimensions(); ++which) {
            int further[3] = {1, 1, in_z};
            if (which > 0) {
                further[which - 1] = 0;
            }
            const bool is_there =
                i + further[0] <= nx && j + further[1] <= ny && k + further[2] <= nz - 1 + in_z;
            const Array& shares = found[static_cast<std::size_t>(which)].array;
            if (whole >= 0.0f) {  // then so are its faces
                shares(i, j, k) = whole;
            } else if (is_there) {
                shares(i, j, k) = corners.share(i, j, k, further);
            }
        }
    });
    return found;
}

void Solver::set_solid(const float* distance) {
    if (distance == nullptr) {
        if (solids) {
            settle_pressure();
            bytes -= solids->bytes;
            solids.reset();
        }
        disturb();
        return;
    }
    const std::vector<Numbers> found = fractions_of(distance);
    make_solids();
    note_solids();
    disturb();
    backend->upload(solids->fraction.data(), found[0].all.data(), layout.size);
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Numbers& faces = found[static_cast<std::size_t>(axis) + 1];
        backend->upload(solids->f[axis].data(), faces.all.data(), layout.size);
    }
    backend->wait();
}

// ---- What follows from it ----------------------------------------------------------------------

/// A copy of a field in the computer's memory.
Numbers Solver::downloaded(const Field& field) const {
    Numbers numbers(layout);
    backend->download(numbers.all.data(), field.data(), layout.size);
    return numbers;
}

/// What somebody has set, in the computer's memory.
SolidsGiven Solver::solids_given() {
    for (int axis = 0; axis < dimensions(); ++axis) {
        set_bnd(solids->f[axis].array(), curl_walls[axis]);
        set_bnd(solids->s[axis].array(), curl_walls[axis]);
    }
    set_bnd(solids->fraction.array(), curl_walls[3]);
    SolidsGiven given = {downloaded(solids->fraction),
                         {},
                         {},
                         expansion ? downloaded(expansion) : Numbers(layout),
                         bool(expansion)};
    for (int axis = 0; axis < dimensions(); ++axis) {
        given.f.push_back(downloaded(solids->f[axis]));
        given.s.push_back(downloaded(solids->s[axis]));
    }
    return given;
}

/// What the solids are in.
Surroundings Solver::surroundings() const {
    Surroundings around = {{}, {joined[0], joined[1], joined[2]}, {}, h};
    for (const Level& level : levels) {
        const Layout& room = around.grids.empty() ? layout : level.layout;
        around.grids.push_back({{level.n[0], level.n[1], level.n[2]}, room, level.walls.equations});
    }
    for (int axis = 0; axis < dimensions(); ++axis) {
        const SetBnd& op = velocity_walls[axis].ghosts[axis];
        for (int m = 0; m < op.count; ++m) {
            const Mirror& mirror = op.mirrors[m];
            const bool high = mirror.at > 0;
            const bool in_wall =
                mirror.at == (high ? levels[0].n[static_cast<std::size_t>(axis)] : 0);
            if (in_wall && mirror.times == 0.0f) {
                around.wall_velocity[axis][high ? 1 : 0] = static_cast<double>(mirror.plus);
            }
        }
    }
    return around;
}

/// Finds all that follows from what is given. Afterwards, given.f are the fractions that solids
/// alone leave open.
SolidsFound Solver::find_solids(SolidsGiven& given) const {
    const Surroundings around = surroundings();
    SolidsFound found = {alive_of(*backend, around.grids[0], given.f),
                         {},
                         {},
                         {},
                         false,
                         Numbers(layout),
                         {},
                         {},
                         {},
                         {}};
    const std::vector<Numbers>* finer = &given.f;
    for (std::size_t l = 1; l < around.grids.size(); ++l) {
        std::vector<Numbers> f;
        f.reserve(static_cast<std::size_t>(dimensions()));
        for (int axis = 0; axis < dimensions(); ++axis) {
            f.push_back(coarser(*backend, (*finer)[static_cast<std::size_t>(axis)],
                                around.grids[l - 1], around.grids[l], axis));
        }
        Numbers alive = alive_of(*backend, around.grids[l], f);
        NearSolids near_closed = find_near_solids(*backend, around.grids[l], arrays_of(f));
        found.coarse.push_back({std::move(f), std::move(alive), std::move(near_closed)});
        finer = &found.coarse.back().f;
    }
    found.regions = find_regions(*backend, around, found.alive, given.f);
    found.closed = closed_regions(around.grids[0], found.regions, found.region_numbers);
    found.wanted = find_wanted(*backend, around, found.regions, given);
    std::vector<Array> fractions = arrays_of(given.f);
    fractions.push_back(given.fraction.array);
    found.near_closed = find_near_solids(*backend, around.grids[0], fractions);
    found.any_seen = open_walls(around, given.fraction, given.f);
    found.near_solid =
        found.any_seen ? find_near_solids(*backend, around.grids[0], fractions) : found.near_closed;
    if (has_heated_solids()) {
        found.surface = find_surface(*backend, around.grids[0], given, found.alive);
    }
    return found;
}

/// Whether any scalar meets something at the solids.
bool Solver::has_heated_solids() const {
    return std::any_of(
        scalar_kinds.begin(), scalar_kinds.end(), [](const stable_fluids_scalar& kind) {
            return kind.solid.flow != STABLE_FLUIDS_ZERO_FLUX && kind.diffusion > 0.0f;
        });
}

/// Makes those fields of the solids that not all of them need.
void Solver::make_room_for(const SolidsFound& found) {
    std::vector<Field*> needed;
    for (int axis = 0; axis < dimensions() && found.any_seen; ++axis) {
        needed.push_back(&solids->seen[axis]);
    }
    if (has_heated_solids()) {
        needed.push_back(&solids->area);
        needed.push_back(&solids->nearness);
    }
    if (!found.closed.empty() || outside != 0.0f) {
        needed.push_back(&solids->region);
    }
    for (Field* field : needed) {
        if (!*field) {
            *field = make(layout);
            solids->bytes += layout.size * sizeof(float);
        }
    }
}

/// Brings the fields up to date.
void Solver::upload_solids(const SolidsGiven& given, const SolidsFound& found) {
    const auto upload = [&](const Field& to, const Numbers& from) {
        backend->upload(to.data(), from.all.data(), from.all.size());
    };
    for (int axis = 0; found.any_seen && axis < dimensions(); ++axis) {
        upload(solids->seen[axis], given.f[static_cast<std::size_t>(axis)]);
        set_bnd(solids->seen[axis].array(), curl_walls[axis]);
    }
    if (has_heated_solids()) {
        upload(solids->area, found.surface.area);
        upload(solids->nearness, found.surface.nearness);
    }
    if (solids->region) {
        upload(solids->region, found.region_numbers);
    }
    upload(solids->alive, found.alive);
    set_bnd(solids->alive.array(), curl_walls[3]);
    upload(solids->wanted, found.wanted.divergence);
    for (std::size_t l = 1; l < levels.size(); ++l) {
        const CoarseFound& from = found.coarse[l - 1];
        for (int axis = 0; axis < dimensions(); ++axis) {
            upload(solids->levels[l].f[axis], from.f[static_cast<std::size_t>(axis)]);
        }
        upload(solids->levels[l].alive, from.alive);
        mirror_alive(l);
    }
}

/// Brings everything up to date that follows from the fractions, the solid's velocity and the
/// expansion. Changes nothing if there is not enough memory for it.
void Solver::settle_solids() {
    if (is_small || !solids || !solids->changed) {
        return;
    }
    SolidsGiven given = solids_given();
    if (!given.cut(surroundings().grids[0])) {
        solids->cut = false;
        solids->changed = false;
        return;
    }
    SolidsFound found = find_solids(given);
    make_room_for(found);
    // Nothing asks for memory from here on.
    if (solids->cut) {  // so that cells which the solid has left find something
        for (Field& scalar : scalars) {
            extend_scalar(scalar.array());
        }
    }
    upload_solids(given, found);
    solids->any_seen = found.any_seen;
    solids->closed_divergence = found.wanted.largest_forced;
    solids->moves = given.moves();
    solids->any_wanted = found.wanted.any;
    std::swap(solids->near_closed, found.near_closed);
    std::swap(solids->near_solid, found.near_solid);
    for (std::size_t l = 1; l < levels.size(); ++l) {
        std::swap(solids->levels[l].near_closed, found.coarse[l - 1].near_closed);
    }
    solids->closed.swap(found.closed);
    solids->cut = true;
    solids->changed = false;
    enforce_velocity();  // so that no ghost has what was set on a closed face
    set_velocity_bnd();
    for (std::size_t which = 0; which < scalars.size(); ++which) {
        backend->run(Mask{cells(), scalars[which].array(), solids->alive.array()});
        set_bnd(scalars[which].array(), scalar_walls[which]);
    }
}

/// The fractions of faces from which the solids' surfaces follow.
const Field& Solver::surfaces(int axis) const {
    return (solids->any_seen ? solids->seen : solids->f)[axis];
}

/// Behind a wall, a coarse cell is what it is before it.
void Solver::mirror_alive(std::size_t l) {
    for (int axis = 0; axis < dimensions(); ++axis) {
        SetBnd op = levels[l].walls.ghosts[axis];
        op.x = solids->levels[l].alive.array();
        for (Mirror& mirror : op.mirrors) {
            mirror.times = 1.0f;
            mirror.plus = 0.0f;
        }
        backend->run(op);
    }
}

// ---- Velocity and scalars at solids ------------------------------------------------------------

/// Gives a component the solid's velocity on faces that are closed.
void Solver::enforce(const Array& u, int component) {
    if (cut() && !solids->changed) {  // else settle_solids() does it
        backend->run(Enforce{rows_near(solids->near_closed, elements(component)), u,
                             solids->f[component].array(), solids->s[component].array(),
                             rows_at(solids->near_closed)});
    }
}

void Solver::enforce_velocity() {
    for (int component = 0; component < dimensions(); ++component) {
        enforce(velocity[component].array(), component);
    }
}

void Solver::extend_velocity() {
    if (!cut()) {
        return;
    }
    for (int component = 0; component < dimensions(); ++component) {
        const Extent over = rows_near(solids->near_closed, elements(component));
        backend->run(ExtendFaces{over, velocity[component].array(), solids->f[component].array(),
                                 solids->s[component].array(), solids->alive.array(), component,
                                 !(viscosity > 0.0f), deep, rows_at(solids->near_closed)});
    }
}

void Solver::extend_scalar(const Array& x) {
    if (cut()) {
        backend->run(ExtendCells{rows_near(solids->near_closed, cells()), x, solids->alive.array(),
                                 deep, rows_at(solids->near_closed)});
    }
}

// ---- The force on them -----------------------------------------------------------------------

/// Works out the force of the pressure on all solids, if the last step has changed it.
void Solver::push_solids() {
    if (!cut() || solids->pushed || steps == 0) {
        return;
    }
    settle_pressure();
    const double size = static_cast<double>(h);
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Push op = {rows_near(solids->near_solid, cells()), pressure.array(),
                         surfaces(axis).array(), axis};
        solids->push[axis] = size * (deep ? size : 1.0) * backend->sum(op);
    }
    solids->pushed = true;
}

}  // namespace box
