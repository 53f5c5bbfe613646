#include "library/src/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace box {

// ---- Memory ------------------------------------------------------------------------------------

Layout::Layout(int nx, int ny, int nz, bool deep) {
    constexpr int line = 16;  // floats, in the processor's cache and in its widest register
    const int lines = (nx + 2 + line - 1) / line;
    // In a flat box the rows begin where a line does. In a deep one that would take a tenth more,
    // and what it waits for is the memory. An odd number of lines keeps rows apart in the cache.
    row = deep || nx < line ? nx + 2 : (lines < 8 ? lines : lines | 1) * line;
    layer = deep ? row * (ny + 2) : 0;
    origin = static_cast<std::size_t>(line + row + layer);
    size = static_cast<std::size_t>(line - 1) + static_cast<std::size_t>(row) *
                                                    static_cast<std::size_t>(ny + 2) *
                                                    static_cast<std::size_t>(deep ? nz + 2 : 1);
}

Field::Field(Backend& where, const Layout& layout)
    : backend(&where), memory(where.allocate(layout.size)), places{memory + layout.origin,
                                                                   layout.row, layout.layer} {}

Field::~Field() {
    if (memory != nullptr) {
        backend->release(memory);
    }
}

Field Solver::make(const Layout& some) {
    Field field(*backend, some);
    bytes += some.size * sizeof(float);
    return field;
}

// ---- Walls -------------------------------------------------------------------------------------

namespace {

/// What one axis of n cells has to do with a quantity: its share of Walls.
struct Line {
    std::vector<Mirror> ghosts, given, wraps;
    Axis axis;
};

/// The ends of an axis along which the quantity lives on the faces, 0 to n.
Line line_of_faces(int n, const End& low, const End& high) {
    Line line;
    line.axis = {{0, n}, 1.0f, 0.0f, 0.0f};
    if (low.kind == End::JOINED) {
        line.axis.range.last = n - 1;
        line.ghosts = {{n, 0}, {-1, n - 1}, {n + 1, 1}};
        return line;
    }
    line.given = {{-1, 0, 0.0f, 0.0f}, {n + 1, n, 0.0f, 0.0f}};
    if (low.kind == End::IN_PLACE) {
        line.ghosts.push_back({0, 0, 0.0f, low.value});
        line.axis.range.first = 1;
        line.axis.low = 1.0f;
    }
    if (high.kind == End::IN_PLACE) {
        line.ghosts.push_back({n, n, 0.0f, high.value});
        line.axis.range.last = n - 1;
        line.axis.high = 1.0f;
    }
    line.ghosts.push_back({-1, 0});
    line.ghosts.push_back({n + 1, n});
    return line;
}

/// The ends of an axis along which the quantity lives at the centres, 0 to n - 1.
Line line_of_centres(int n, const End& low, const End& high) {
    Line line;
    line.axis = {{0, n - 1}, 1.0f, 0.0f, 0.0f};
    if (low.kind == End::JOINED) {
        line.ghosts = {{-1, n - 1}, {n, 0}};
        return line;
    }
    const auto at_end = [&](const End& end, int ghost, int cell, float& counts) {
        if (end.kind == End::BEYOND) {
            line.ghosts.push_back({ghost, cell, 0.0f, end.value});
            line.given.push_back({ghost, cell, 0.0f, end.value});
        } else if (end.kind == End::FED) {
            line.ghosts.push_back({ghost, cell});
            line.given.push_back({ghost, cell, 0.0f, end.value});
        } else if (end.kind == End::HALFWAY) {
            line.ghosts.push_back({ghost, cell, -1.0f, 2.0f * end.value});
            line.given.push_back({ghost, cell, 0.0f, 2.0f * end.value});
            counts = 2.0f;
        } else {
            line.ghosts.push_back({ghost, cell});
            line.given.push_back({ghost, cell, 0.0f, 0.0f});
        }
    };
    at_end(low, -1, 0, line.axis.low);
    at_end(high, n, n - 1, line.axis.high);
    return line;
}

/// Joined ends, in the equations. One place alone is its own neighbour: nothing flows.
void join_in_equations(int n, Line& line) {
    if (n == 1) {
        line.given = {{-1, 0, 0.0f, 0.0f}, {1, 0, 0.0f, 0.0f}};
        return;
    }
    line.axis.low = line.axis.high = 1.0f;
    line.given = line.wraps = {{-1, n - 1}, {n, 0}};
}

SetBnd operation(const std::vector<Mirror>& mirrors, int axis, const Extent& everything) {
    SetBnd op = {};
    op.over = everything;
    range_of(op.over, axis) = {0, 0};
    op.axis = axis;
    op.count = static_cast<int>(mirrors.size());
    std::copy(mirrors.begin(), mirrors.end(), op.mirrors);
    return op;
}

/// Works out the walls of a quantity in a box of n[0] x n[1] x n[2] cells. It lives on the faces
/// that look along axis `faces`, or (3) at the centres.
Walls walls_of(const int n[3], bool deep, int faces, const Ends& ends) {
    Walls walls;
    const auto whole = [&](int axis) { return Range{-1, n[axis] + (axis == faces ? 1 : 0)}; };
    const Extent everything = {whole(0), whole(1), deep ? whole(2) : Range{0, 0}};
    for (int axis = 0; axis < (deep ? 3 : 2); ++axis) {
        Line line = axis == faces ? line_of_faces(n[axis], ends.low[axis], ends.high[axis])
                                  : line_of_centres(n[axis], ends.low[axis], ends.high[axis]);
        if (ends.low[axis].kind == End::JOINED) {
            join_in_equations(n[axis], line);
        }
        axis_of(walls.equations, axis) = line.axis;
        walls.ghosts[axis] = operation(line.ghosts, axis, everything);
        walls.given[axis] = operation(line.given, axis, everything);
        if (!line.wraps.empty()) {
            walls.wraps[walls.wrap_count++] = operation(line.wraps, axis, everything);
        }
    }
    if (!deep) {
        walls.equations.z.range = {0, 0};
    }
    walls.equations.deep = deep;
    return walls;
}

/// One axis of the equations of a quantity that spreads.
struct Span {
    int n;  ///< unknown places
    /// How far the value at either end is given from the nearest place, in places; 0 if none is.
    float low, high;
    bool joined;
};

Span span_of(const Walls& walls, int axis) {
    if (axis == 2 && !walls.equations.deep) {
        return {1, 0.0f, 0.0f, false};
    }
    Equations equations = walls.equations;
    const Axis along = axis_of(equations, axis);
    Span span = {along.range.last - along.range.first + 1, 0.0f, 0.0f, false};
    for (int n = 0; n < walls.wrap_count; ++n) {
        span.joined = span.joined || walls.wraps[n].axis == axis;
    }
    if (!span.joined) {
        span.low = along.low > 0.0f ? 1.0f / along.low : 0.0f;
        span.high = along.high > 0.0f ? 1.0f / along.high : 0.0f;
    }
    return span;
}

/// Makes it that of the next grid. Returns how many places lie on one of that. Along the axis of a
/// component in a box of an even number of cells, the last unknown face is left over, and the wall
/// is the next face: then two places lie on one all the same.
float coarsen(Span& span) {
    if (span.n == 1) {
        return 1.0f;
    }
    const float fine = static_cast<float>(span.n);
    const int n = (span.n + 1) / 2;
    const float coarse = static_cast<float>(n);
    const float ratio = span.n % 2 == 1 && span.high >= 1.0f ? 2.0f : fine / coarse;
    span.n = n;
    span.low = span.low > 0.0f ? 0.5f + (span.low - 0.5f) / ratio : 0.0f;
    span.high = span.high > 0.0f ? 0.5f + (fine + span.high - 0.5f) / ratio - coarse : 0.0f;
    return ratio;
}

/// The walls of a coarser grid. All that is given there is 0.
Walls walls_of(const Span spans[3], bool deep) {
    Walls walls;
    const auto whole = [&](int axis) { return Range{-1, spans[axis].n}; };
    const Extent everything = {whole(0), whole(1), deep ? whole(2) : Range{0, 0}};
    walls.equations.deep = deep;
    for (int axis = 0; axis < 3; ++axis) {
        const Span& span = spans[axis];
        const bool wraps = span.joined && span.n > 1;
        const auto counts = [&](float far) {
            return wraps ? 1.0f : far > 0.0f ? 1.0f / far : 0.0f;
        };
        const auto beyond = [](float far) { return far > 0.0f ? 1.0f - 1.0f / far : 1.0f; };
        axis_of(walls.equations, axis) = {
            {0, span.n - 1}, 1.0f, counts(span.low), counts(span.high)};
        if (wraps) {
            walls.wraps[walls.wrap_count++] = walls.ghosts[axis] =
                operation({{-1, span.n - 1}, {span.n, 0}}, axis, everything);
        } else {
            walls.ghosts[axis] =
                operation({{-1, 0, beyond(span.low)}, {span.n, span.n - 1, beyond(span.high)}},
                          axis, everything);
        }
    }
    return walls;
}

/// Gives a level the equations  centre x - a (the differences to the neighbours), each times the
/// places of the finest box that one of its own is.
void weigh(Level& level, float centre, float a) {
    const float hx = level.size[0];
    const float hy = level.size[1];
    const float hz = level.size[2];
    Equations& equations = level.walls.equations;
    equations.centre = centre * (hx * hy * hz);
    equations.x.weight = a * (hy * hz / hx);
    equations.y.weight = a * (hx * hz / hy);
    equations.z.weight = a * (hx * hy / hz);
}

bool is_open(const stable_fluids_face& face) {
    return face.flow == STABLE_FLUIDS_OUTFLOW ||
           (!is_small && face.flow == STABLE_FLUIDS_TOTAL_PRESSURE);
}

/// What velocity component `component` finds at a face of the box that looks along `axis`.
End end_of_velocity(const stable_fluids_face& face, int component, int axis) {
    const float value = component == 0 ? face.u : component == 1 ? face.v : face.w;
    const bool across = component == axis;
    switch (face.flow) {
        case STABLE_FLUIDS_PERIODIC:
            return {End::JOINED};
        case STABLE_FLUIDS_OUTFLOW:
        case STABLE_FLUIDS_TOTAL_PRESSURE:
            return {across ? End::OPEN : End::CLOSED};
        case STABLE_FLUIDS_FREE_SLIP:
            return {across ? End::IN_PLACE : End::CLOSED, 0.0f};
        default:  // no slip, inflow
            return {across ? End::IN_PLACE : End::HALFWAY, value};
    }
}

End end_of_pressure(const stable_fluids_face& face) {
    return face.flow == STABLE_FLUIDS_PERIODIC ? End{End::JOINED}
           : is_open(face)                     ? End{End::HALFWAY, face.pressure}
                                               : End{End::CLOSED};
}

/// A flux is that of a difference to the place beyond, by which the scalar is larger there.
End end_of_scalar(const stable_fluids_scalar& kind, int number, float h) {
    const stable_fluids_scalar_face& face = kind.faces[number];
    switch (face.flow) {
        case STABLE_FLUIDS_SCALAR_PERIODIC:
            return {End::JOINED};
        case STABLE_FLUIDS_FIXED_VALUE:
            return {End::HALFWAY, face.value};
        case STABLE_FLUIDS_FIXED_FLUX:
            return {End::FED, h * (face.value / kind.diffusion)};
        default:
            return {End::CLOSED};
    }
}

template <class OfFace>
Ends ends_of(OfFace of_face) {
    Ends ends;
    for (int axis = 0; axis < 3; ++axis) {
        ends.low[axis] = of_face(2 * axis, axis);
        ends.high[axis] = of_face(2 * axis + 1, axis);
    }
    return ends;
}

}  // namespace

void Solver::make_walls(const stable_fluids_description& description) {
    const int n[3] = {nx, ny, nz};
    const stable_fluids_face* faces = description.faces;
    for (int face = 0; face < 6; ++face) {
        face_kinds[face] = faces[face].flow;
    }
    for (int component = 0; component < dimensions(); ++component) {
        const Ends ends = ends_of(
            [&](int face, int axis) { return end_of_velocity(faces[face], component, axis); });
        velocity_walls[component] = walls_of(n, deep, component, ends);
    }
    int open = 0;
    for (int face = 0; face < 2 * dimensions(); ++face) {
        if (is_open(faces[face])) {
            outside += (faces[face].pressure - outside) / static_cast<float>(++open);
        }
    }
    any_open = open > 0;
    for (int face = 0; face < 2 * dimensions(); ++face) {
        comes_in[face] = is_open(faces[face]) || faces[face].flow == STABLE_FLUIDS_INFLOW;
        any_total_pressure = any_total_pressure || faces[face].flow == STABLE_FLUIDS_TOTAL_PRESSURE;
    }
    for (int axis = 0; axis < dimensions(); ++axis) {
        joined[axis] = faces[2 * axis].flow == STABLE_FLUIDS_PERIODIC;
    }
    const Ends ends = ends_of([&](int face, int) {
        End end = end_of_pressure(faces[face]);
        end.value -= end.kind == End::HALFWAY ? outside : 0.0f;
        return end;
    });
    pressure_walls = walls_of(n, deep, 3, ends);
    for (const SetBnd& op : pressure_walls.given) {
        for (const Mirror& mirror : op.mirrors) {
            any_given = any_given || mirror.plus != 0.0f;
        }
    }
    any_given = any_given || has_total_pressure();
    for (const stable_fluids_scalar& kind : scalar_kinds) {
        scalar_walls.push_back(walls_of(
            n, deep, 3, ends_of([&](int face, int) { return end_of_scalar(kind, face, h); })));
    }
}

/// What the forces need that are more than a field. For the confinement, the velocity goes on
/// beyond each wall as it is inside: what the fluid does at a wall is no whirl that the grid has
/// blurred.
void Solver::make_forces(const stable_fluids_description& description) {
    const int n[3] = {nx, ny, nz};
    const auto ends = [&](End::Kind otherwise) {
        return ends_of([&](int, int axis) { return End{joined[axis] ? End::JOINED : otherwise}; });
    };
    push_walls = walls_of(n, deep, 3, ends(End::BEYOND));
    for (int where = 0; where < 4; ++where) {
        if (where == 3 || where < dimensions()) {
            curl_walls[where] = walls_of(n, deep, where, ends(End::CLOSED));
        }
    }
    const auto pushes = [](const stable_fluids_buoyancy& one) { return one.share != 0.0f; };
    if (description.buoyancy != nullptr &&
        std::any_of(description.buoyancy, description.buoyancy + description.scalar_count,
                    pushes)) {
        buoyancy.assign(description.buoyancy, description.buoyancy + description.scalar_count);
    }
    double squares = 0.0;
    for (int axis = 0; axis < dimensions(); ++axis) {
        const double part = static_cast<double>(description.buoyancy_direction[axis]);
        squares += part * part;
    }
    for (int axis = 0; axis < dimensions(); ++axis) {
        const double part = static_cast<double>(description.buoyancy_direction[axis]);
        buoyancy_direction[axis] =
            squares > 0.0 ? static_cast<float>(part / std::sqrt(squares)) : 0.0f;
    }
}

/// The grid hierarchy: boxes, each with half as many places along each axis as the one before.
/// A face that is open holds no pressure in the coarser boxes: they only correct.
void Solver::make_levels(const stable_fluids_description& description) {
    const Ends ends = ends_of([&](int face, int) {
        End end = end_of_pressure(description.faces[face]);
        end.value = 0.0f;
        return end;
    });
    int n[3] = {nx, ny, nz};
    while (true) {
        Level level;
        level.n = {n[0], n[1], n[2]};
        level.walls = walls_of(n, deep, 3, ends);
        level.size = {static_cast<float>(nx) / static_cast<float>(n[0]),
                      static_cast<float>(ny) / static_cast<float>(n[1]),
                      static_cast<float>(nz) / static_cast<float>(n[2])};
        weigh(level, 0.0f, 1.0f);
        if (!levels.empty()) {
            // Where both ends are open, a component has a place more than there are cells.
            make_memory(level, Layout(n[0] + 1, n[1] + 1, deep ? n[2] + 1 : 1, deep));
        }
        const bool last = n[0] == 1 && n[1] == 1 && n[2] == 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int coarse = (n[axis] + 1) / 2;
            level.ratio[axis] = static_cast<float>(n[axis]) / static_cast<float>(coarse);
            n[axis] = coarse;
        }
        levels.push_back(std::move(level));
        if (last) {
            return;
        }
    }
}

/// Gives a level memory of its own.
void Solver::make_memory(Level& level, const Layout& some) {
    level.layout = some;
    level.own_x = make(some);
    level.own_b = make(some);
    level.own_r = make(some);
    level.x = level.own_x.array();
    level.b = level.own_b.array();
    level.r = level.own_r.array();
    level.memory_of_x = level.own_x.data();
}

/// The grid hierarchy for the equations of a quantity that spreads, wherever it lives. The places
/// are counted from the first unknown one. Each grid has about half as many along each axis as the
/// one before, and what is known of a wall is how far it is from the first place or the last.
std::vector<Level> Solver::make_spreading(const Walls& walls) {
    std::vector<Level> grids(1);
    Level& finest = grids[0];
    finest.walls = walls;
    finest.size = {1.0f, 1.0f, 1.0f};
    Span spans[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Axis& along = axis_of(finest.walls.equations, static_cast<int>(axis));
        const int first = along.range.first;
        spans[axis] = span_of(walls, static_cast<int>(axis));
        finest.n[axis] = spans[axis].n;
        finest.first[axis] = first;
        along.range = {0, spans[axis].n - 1};
        for (int n = 0; n < walls.wrap_count; ++n) {
            Range& over = range_of(finest.walls.wraps[n].over, static_cast<int>(axis));
            if (static_cast<int>(axis) != walls.wraps[n].axis) {
                over = {over.first - first, over.last - first};
            }
        }
        if (spans[axis].n < 1) {
            return {};
        }
    }
    while (spans[0].n > 1 || spans[1].n > 1 || spans[2].n > 1) {
        Level level;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float ratio = coarsen(spans[axis]);
            grids.back().ratio[axis] = ratio;
            level.size[axis] = grids.back().size[axis] * ratio;
            level.n[axis] = spans[axis].n;
        }
        level.walls = walls_of(spans, deep);
        if (grids.size() < levels.size()) {
            const Level& lender = levels[grids.size()];
            level.layout = lender.layout;
            level.x = lender.x;
            level.b = lender.b;
            level.r = lender.r;
            level.memory_of_x = lender.memory_of_x;
        } else {
            make_memory(level, Layout(level.n[0], level.n[1], level.n[2], deep));
        }
        grids.push_back(std::move(level));
    }
    return grids;
}

void Solver::set_bnd(const Array& x, const Walls& walls) {
    apply(walls.ghosts, x, 1.0f);
}

void Solver::set_velocity_bnd() {
    for (int component = 0; component < dimensions(); ++component) {
        set_bnd(velocity[component].array(), velocity_walls[component]);
    }
    enforce_velocity();
}

// ---- The fluid ---------------------------------------------------------------------------------

Solver::Solver(const stable_fluids_description& description, std::unique_ptr<Backend> where)
    : backend(std::move(where)), nx(description.nx), ny(description.ny), nz(description.nz),
      deep(description.nz > 1), h(description.h), viscosity(description.viscosity),
      tolerance(description.tolerance), cycles(description.cycles),
      maccormack(description.advection == STABLE_FLUIDS_MACCORMACK), limited(maccormack && deep),
      strang(description.splitting != STABLE_FLUIDS_LIE),
      midpoint(!is_small && description.splitting == STABLE_FLUIDS_MIDPOINT),
      scalar_kinds(description.scalars, description.scalars + description.scalar_count),
      confinement(description.confinement), layout(nx + 1, ny + 1, deep ? nz + 1 : nz, deep) {
    // All coarser boxes together take about as much as a field (flat), or as half of one.
    const int carried = strang ? dimensions() : limited ? dimensions() - 1 : 0;
    const int kept = midpoint ? dimensions() : 0;
    const double fields = 2 * dimensions() + carried + kept + 2 + description.scalar_count +
                          (needs_second_spare() ? 1.0 : 0.0) + (deep ? 0.5 : 1.0);
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
    }
    spare = make(layout);
    if (needs_second_spare()) {
        second_spare = make(layout);
    }
    pressure = make(layout);
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

void Solver::step(float dt, int count) {
    unsolved_residual = 0.0;
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
        for (Field& scalar : scalars) {
            look_at(scalar, false);
        }
        if (there == field) {
            continue;
        }
        if (!is_free) {
            backend->copy(next[0].data(), there->data(), layout.size);
        }
        backend->copy(there->data(), field->data(), layout.size);
        if (!is_free) {
            backend->copy(field->data(), next[0].data(), layout.size);
        }
        there->swap(*field);
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
    if (goes_on) {
        unsettle_pressure();
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
    enforce_velocity();
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
    pressure_settled = false;
    last_dt = dt;
    time += static_cast<double>(dt);
    ++steps;
    ++undisturbed;
    if (strang) {
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
    enforce_velocity();
    subtract_pressure(0.5f * dt);
    extend_velocity();
    for (int component = 0; component < dimensions(); ++component) {
        velocity[component].swap(pushed[component]);
    }
}

/// The share of a step's viscosity that acts before the velocity is carried: half (Crank and
/// Nicolson 1947), or less, so that it makes no wave larger. Between solids it is none.
float Solver::share_ahead(float dt) const {
    const float a = viscosity * dt / (h * h);
    if (cut() || !(a > 0.0f)) {
        return 0.0f;
    }
    const float shortest_wave = 4.0f * static_cast<float>(dimensions()) * a;
    return std::min(0.5f, 2.0f / shortest_wave);
}

/// Lets that share act on the velocity: u += a (the sum of its differences to its neighbours).
void Solver::diffuse_ahead(float dt) {
    const float a = share_ahead(dt) * (viscosity * dt / (h * h));
    for (int component = 0; component < dimensions() && a > 0.0f; ++component) {
        const Array& u = velocity[component].array();
        const Walls& walls = velocity_walls[component];
        Equations equations = walls.equations;
        equations.centre = 1.0f;
        equations.x.weight = equations.y.weight = equations.z.weight = a;
        apply(walls.given, u, 1.0f);
        backend->run(Residual{equations, u, u, next[0].array()});
        backend->run(AddScaled{equations.over(), u, next[0].array(), 1.0f});
        set_bnd(u, walls);
    }
}

/// Lets the pressure of the last step act for dt seconds.
void Solver::subtract_pressure(float dt) {
    const float factor = dt / h;
    backend->copy(spare.data(), pressure.data(), layout.size);
    backend->run(Scale{cells(), spare.array(), factor, 0.0f});
    subtract_gradient({factor});
}

/// x += dt what, if there is any.
void Solver::add(Field& x, const Field& what, const Walls& walls, float dt) {
    if (what) {
        backend->run(AddScaled{walls.equations.over(), x.array(), what.array(), dt});
        set_bnd(x.array(), walls);
    }
}

void Solver::add_forces(float dt) {
    for (int component = 0; component < dimensions(); ++component) {
        add(velocity[component], force[component], velocity_walls[component], dt);
    }
    if (!buoyancy.empty()) {
        add_buoyancy(dt);
    }
    if (confinement > 0.0f) {
        add_confinement(dt);
    }
}

/// Lets a push at the centres act on a component, `factor` times: half of it on each of the cell's
/// two faces. Its ghosts must have been set.
void Solver::push(const Array& centres, int component, float factor) {
    const int back = centres.step(component);
    const Array before = {centres.data - back, centres.row, centres.layer};
    const Extent over = velocity_walls[component].equations.over();
    const Array& u = velocity[component].array();
    backend->run(AddScaled{over, u, before, 0.5f * factor});
    backend->run(AddScaled{over, u, centres, 0.5f * factor});
}

/// Fedkiw, Stam and Jensen 2001, equation 8, with a share and an ambient value for each scalar.
void Solver::add_buoyancy(float dt) {
    const Array sum = next[0].array();
    backend->clear(next[0].data(), layout.size);
    for (std::size_t n = 0; n < scalars.size(); ++n) {
        const float share = buoyancy[n].share;
        if (share != 0.0f) {
            // At the ambient value, the second takes away just what the first has added.
            backend->run(AddScaled{cells(), sum, scalars[n].array(), share});
            backend->run(Scale{cells(), sum, 1.0f, -(share * buoyancy[n].ambient)});
        }
    }
    if (cut()) {
        backend->run(Mask{cells(), sum, solids->alive.array()});
    }
    set_bnd(sum, push_walls);
    for (int component = 0; component < dimensions(); ++component) {
        if (buoyancy_direction[component] != 0.0f) {
            push(sum, component, dt * buoyancy_direction[component]);
        }
    }
    set_velocity_bnd();
}

/// Fedkiw, Stam and Jensen 2001, equations 9 to 11.
void Solver::add_confinement(float dt) {
    for (int component = 0; component < dimensions(); ++component) {
        set_bnd(velocity[component].array(), curl_walls[component]);
    }
    Confine op = {};
    op.over = cells();
    op.factor = confinement * h;
    op.deep = deep;
    const float per = 0.5f / h;
    if (deep) {
        op.size = spare.array();
        backend->run(Vorticity{cells(), flow(), op.size, per, 3});
        for (int axis = 0; axis < 3; ++axis) {
            op.omega[axis] = op.force[axis] = next[axis].array();
            backend->run(Vorticity{cells(), flow(), op.omega[axis], per, axis});
        }
    } else {
        op.size = op.omega[2] = next[0].array();
        op.force[0] = next[1].array();
        op.force[1] = spare.array();
        backend->run(Vorticity{cells(), flow(), op.size, per, 2});
    }
    set_bnd(op.size, curl_walls[3]);
    backend->run(op);
    for (int component = 0; component < dimensions(); ++component) {
        set_bnd(op.force[component], push_walls);
        push(op.force[component], component, dt);
    }
    set_velocity_bnd();
}

/// Carries the velocity `before`, and it becomes that of the fluid. No ghosts are set.
void Solver::carry_velocity(const Field* before, const Flow& along, float dt) {
    const float steps_of_one = dt / h;
    Blend blends[3] = {};
    if (limited) {
        backend->begin_energies();
        add_energy_that_comes_in(along, dt);
    }
    for (int component = 0; component < dimensions(); ++component) {
        // What was carried is free for the next one's linear result: the last share needs them all.
        Field* const linear = component == 0 || !limited ? &spare : &pushed[component - 1];
        Field* const to = &next[component];
        carry(&before[component], &to, &linear, &velocity_walls[component], 1, component, along,
              steps_of_one);
        blends[component] = {velocity_walls[component].equations.over(), to->array(),
                             linear->array(), 0.0f};
    }
    if (limited) {
        backend->limit(blends, dimensions());
        last_share = -1.0;
    }
    for (int component = 0; component < dimensions(); ++component) {
        velocity[component].swap(next[component]);
        if (midpoint) {
            earlier[component].swap(next[component]);
        }
    }
}

/// What it may add to the energy: what flows in through the box's faces, what solids push in, and
/// what expands.
void Solver::add_energy_that_comes_in(const Flow& along, float dt) {
    const float steps_of_one = dt / h;
    for (int face = 0; face < 2 * dimensions(); ++face) {
        if (comes_in[face]) {
            const int axis = face / 2;
            FlowsIn op = {elements(axis), along, {}, steps_of_one, axis, face % 2 == 1};
            Range& ends = range_of(op.over, axis);
            ends = op.high ? Range{ends.last, ends.last} : Range{ends.first, ends.first};
            op.open = cut() ? solids->f[axis].array() : Array();
            backend->add_energy(op);
        }
    }
    if (cut() && solids->moves) {
        PushedIn op = {cells(), {}, {}, solids->alive.array(), steps_of_one, deep};
        for (int axis = 0; axis < dimensions(); ++axis) {
            op.f[axis] = solids->f[axis].array();
            op.s[axis] = solids->s[axis].array();
        }
        backend->add_energy(op);
    }
    if (expansion) {
        backend->add_energy(Expands{cells(), along, expansion.array(), dt});
    }
}

/// Carries `count` fields that live at the same places, from `from` to `to`, by way of `tries` if
/// it is MacCormack's method. No ghosts are set there.
void Solver::carry(const Field* from, Field* const* to, Field* const* tries, const Walls* walls,
                   int count, int where, const Flow& along, float steps_of_one) {
    Advect advect = {walls[0].equations.over(), along, steps_of_one, where, count, {}, {}};
    for (int n = 0; n < count; ++n) {
        advect.x[n] = (maccormack ? tries : to)[n]->array();
        advect.x0[n] = from[n].array();
    }
    backend->run(advect);
    if (!maccormack) {
        return;
    }
    Correct correction = {advect.over, advect.flow, steps_of_one, where, count, {}, {}, {}};
    for (int n = 0; n < count; ++n) {
        set_bnd(advect.x[n], walls[n]);
        if (where < AT_CENTRE) {
            enforce(advect.x[n], where);
        } else {
            extend_scalar(advect.x[n]);
        }
        correction.x[n] = to[n]->array();
        correction.x1[n] = advect.x[n];
        correction.x0[n] = advect.x0[n];
    }
    if (limited && where < AT_CENTRE) {
        const Array open = cut() ? solids->f[where].array() : Array();
        backend->correct(correction, {correction.over, correction.x0[0], correction.x1[0],
                                      correction.x[0], open});
    } else {
        backend->run(correction);
    }
}

/// Red-black sweeps. Where an odd number of places is joined, the first and the last have the same
/// colour: done at once, over-relaxation makes them swing ever further. So the last ones are done
/// afterwards, on their own.
double Solver::over_relax(Smoothing smoothing) {
    const Relax& relax = smoothing.relax;
    Relax parts[8] = {relax};
    int used = 1;
    for (int axis = 0; axis < dimensions(); ++axis) {
        const int last = axis_of(relax.equations, axis).range.last;  // the first is 0
        if (joined[axis] && last > 0 && last % 2 == 0) {
            for (int n = 0; n < used; ++n) {
                parts[used + n] = parts[n];
                axis_of(parts[n].equations, axis).range.last = last - 1;
                axis_of(parts[used + n].equations, axis).range.first = last;
            }
            used *= 2;
        }
    }
    for (int sweep = 0; used > 1 && sweep < smoothing.sweeps; ++sweep) {
        for (int n = 0; n < used; ++n) {
            backend->relax(parts[n], 1, smoothing.wraps, smoothing.wrap_count);
        }
    }
    if (used > 1) {
        smoothing.sweeps = 0;
    }
    return backend->smooth(smoothing);
}

/// Solves  centre x - a (the sum of x's differences to its neighbours) = x as it was.
Solved Solver::diffuse(Field& x, const Walls& walls, std::vector<Level>& grids, float centre,
                       float asked) {
    const float a = std::min(asked, 1e6f);  // beyond that there is hardly a difference left anyway
    if (!(a > 0.0f)) {
        if (centre > 1.0f) {
            backend->run(Scale{walls.equations.over(), x.array(), 1.0f / centre, 0.0f});
            set_bnd(x.array(), walls);
        }
        return {};
    }
    if (grids.empty()) {
        return {};
    }
    backend->copy(next[0].data(), x.data(), layout.size);
    apply(walls.given, x.array(), 1.0f);
    const double around = 2.0 * dimensions() * static_cast<double>(a);
    const double jacobi = around / (static_cast<double>(centre) + around);  // its slowest mode
    const double omega = 2.0 / (1.0 + std::sqrt((1.0 - jacobi) * (1.0 + jacobi)));
    // Where a sweep takes away less than half, cycles are quicker.
    const Solved solved = omega > 1.5 ? diffuse_by_cycles(x.array(), grids, centre, a)
                                      : diffuse_by_sweeps(x.array(), walls, centre, a, omega);
    set_bnd(x.array(), walls);
    return solved;
}

/// Makes red-black sweeps with over-relaxation for the equations of diffuse(), whose right-hand
/// side is in next[0].
Solved Solver::diffuse_by_sweeps(const Array& x, const Walls& walls, float centre, float a,
                                 double omega) {
    Equations equations = walls.equations;
    equations.centre = centre;
    equations.x.weight = equations.y.weight = equations.z.weight = a;
    SetBnd wraps[3];
    for (int n = 0; n < walls.wrap_count; ++n) {
        wraps[n] = walls.wraps[n];
        wraps[n].x = x;
    }
    const double factor = std::max(omega - 1.0, 1e-6);
    const double wanted = tolerance > 0.0f ? static_cast<double>(tolerance) : 1e-4;
    const int first = static_cast<int>(2.0 + std::log(wanted) / std::log(factor));
    const int more = std::max(1, first / 4);

    const Residual residual = {equations, x, next[0].array(), next[1].array()};
    const bool measure = tolerance > 0.0f;
    const double before = measure ? std::sqrt(backend->squares(residual)) : 0.0;
    Solved solved;
    if (measure && !(before > 0.0)) {  // x is the solution
        return solved;
    }
    Smoothing smoothing = {};
    smoothing.relax = Relax{equations, x, next[0].array(), static_cast<float>(omega), 0};
    smoothing.wraps = wraps;
    smoothing.wrap_count = walls.wrap_count;
    smoothing.look = smoothing.measure = measure;
    smoothing.residual = residual;
    for (int sweeps = first; true; sweeps = more) {
        smoothing.sweeps = sweeps;
        const double left = std::sqrt(over_relax(smoothing)) / before;
        solved.work += sweeps;
        if (!measure) {
            return solved;
        }
        const bool stuck = solved.work > first && !(left < 0.9 * solved.residual);
        solved.residual = left;
        if (left <= wanted || stuck) {
            return solved;
        }
    }
}

/// Makes multigrid cycles for them.
Solved Solver::diffuse_by_cycles(const Array& x, std::vector<Level>& grids, float centre, float a) {
    for (Level& level : grids) {
        weigh(level, centre, a);
    }
    Level& finest = grids[0];
    const auto from_first = [&](Array all) {
        all.data = &all(finest.first[0], finest.first[1], finest.first[2]);
        return all;
    };
    finest.x = from_first(x);
    finest.b = from_first(next[0].array());
    finest.r = from_first(next[1].array());
    const bool measure = tolerance > 0.0f;
    const Residual residual = {finest.walls.equations, finest.x, finest.b, finest.r};
    const double before = measure ? std::sqrt(backend->squares(residual)) : 0.0;
    // Far enough down, what a place holds outweighs its neighbours: there sweeps alone will do.
    std::size_t depth = 1;
    for (; depth < grids.size(); ++depth) {
        const Equations& last = grids[depth - 1].walls.equations;
        const float around = 2.0f * (last.x.weight + last.y.weight + (deep ? last.z.weight : 0.0f));
        if (around < 1.5f * last.centre) {
            break;
        }
    }
    const Cycle cycle = {2, 2, 1.05f, depth};
    Solved solved;
    if (measure && !(before > 0.0)) {
        return solved;
    }
    double last = std::numeric_limits<double>::infinity();
    for (int done = 0; true; ++done) {
        const int sweeps = done > 0 ? 2 : 1;
        const double squares =
            smooth(grids, 0, cycle, {done > 0, sweeps, measure ? MEASURE : PASS_ON});
        solved.work += sweeps;
        solved.residual = measure ? std::sqrt(squares) / before : 0.0;
        const bool stuck = !(solved.residual < 0.8 * last);
        if (measure ? solved.residual <= static_cast<double>(tolerance) || stuck : done == 4) {
            return solved;
        }
        last = solved.residual;
        correct(grids, 1, cycle);
    }
}

/// All scalars, in groups that are carried together, as many as there are free fields for.
void Solver::step_scalars(float dt) {
    const int most = maccormack ? Correct::most : Advect::most;
    const int all = static_cast<int>(scalars.size());
    const int groups = (all + most - 1) / most;
    for (int group = 0; group < groups; ++group) {
        const int first = all * group / groups;
        step_scalars(first, all * (group + 1) / groups - first, dt);
    }
}

/// Adds their sources to `count` scalars, carries them, and lets them diffuse and decay.
void Solver::step_scalars(int first, int count, float dt) {
    Field* const free[] = {&next[0], &next[1], &spare, deep ? &next[2] : &second_spare};
    double before[Advect::most] = {};
    for (int n = 0; n < count; ++n) {
        Field& scalar = scalars[first + n];
        add(scalar, sources[first + n], scalar_walls[first + n], dt);
        if (scalar_kinds[first + n].conserve != 0) {
            before[n] = amount_of(scalar);
        }
        extend_scalar(scalar.array());
    }
    carry(&scalars[first], free, free + 2, &scalar_walls[first], count, AT_CENTRE,
          flow_of(midpoint ? pushed : velocity), dt / h);
    for (int n = 0; n < count; ++n) {
        scalars[first + n].swap(*free[n]);
    }
    for (int n = 0; n < count; ++n) {
        finish_scalar(first + n, before[n], dt);
    }
}

/// What is left to do for a scalar that has been carried, of which there was `before`.
void Solver::finish_scalar(std::size_t n, double before, float dt) {
    const stable_fluids_scalar& kind = scalar_kinds[n];
    const Walls& walls = scalar_walls[n];
    if (kind.conserve != 0) {
        const double after = amount_of(scalars[n]);
        const double factor = before / after;
        if (factor > 0.5 && factor < 2.0) {
            backend->run(Scale{cells(), scalars[n].array(), static_cast<float>(factor), 0.0f});
        }
    }
    set_bnd(scalars[n].array(), walls);
    const float centre = 1.0f + dt * kind.dissipation;
    const float a = kind.diffusion * dt / (h * h);
    if (cut()) {
        cut_diffusion(n, centre, a);
    } else {
        diffuse(scalars[n], walls, scalar_grids[n], centre, a);
    }
}

/// How much there is of a scalar, in cells.
double Solver::amount_of(const Field& scalar) {
    return cut() ? backend->sum(Product{cells(), solids->fraction.array(), scalar.array()})
                 : backend->sum(Value{cells(), scalar.array()});
}

// ---- Pressure ----------------------------------------------------------------------------------

// q is the pressure in such a unit that its difference between two cells is the change of velocity
// on the face between them: q = p dt / h. Then A q = b says that what q pushes out of each cell is
// what flows into it.

/// Takes the divergence out of the velocity. Rounding to float leaves some, which is computed from
/// the velocity and solved for again. If the step `goes_on`, the pressure of the last step has
/// acted already, and what is found is added to it.
void Solver::project(float dt, bool goes_on) {
    const bool look = tolerance > 0.0f;
    levels[0].x = spare.array();
    levels[0].b = next[0].array();
    levels[0].r = next[1].array();
    expansion_shift = expansion && !any_open && !cut() ? -mean_expansion() : 0.0f;
    last_pressure = {};
    if (has_total_pressure() && !goes_on) {
        dynamic_pressure.swap(next_dynamic_pressure);
    }
    double before = 0.0;
    double last = 0.0;
    for (int go = 0; true; ++go) {
        Given given;
        if (go == 0) {
            (goes_on ? given.change : given.pressure) = dt / h;
        }
        const double left = prepare(given);
        if (go == 0) {
            before = goes_on && look ? before_pressure(dt) : left;
        }
        if (look && !(left < std::numeric_limits<double>::infinity())) {
            undisturbed = 0;
            throw Failure(STABLE_FLUIDS_NOT_FINITE,
                          "a velocity is no longer finite: use a smaller force, expansion or dt");
        }
        last_pressure.residual = before > 0.0 ? left / before : 0.0;
        const bool enough = look ? left <= static_cast<double>(tolerance) * before : go > 0;
        const bool stuck = go == 3 || (go > 0 && left > 0.5 * last);
        if (enough || stuck || last_pressure.work >= cycles) {
            if (look && !enough && last_pressure.work >= cycles) {
                ++unsolved_steps;
                unsolved_residual = last_pressure.residual;
            }
            if (go == 0 && !goes_on) {
                backend->clear(pressure.data(), layout.size);
            }
            return;
        }
        last = left;
        start(given);
        last_pressure.work += solve(0.8 * static_cast<double>(tolerance) * before);
        subtract_gradient(given);
        if (go == 0 && !goes_on) {
            pressure.swap(spare);
            backend->run(Scale{cells(), pressure.array(), h / dt, 0.0f});
            levels[0].x = spare.array();
        } else {
            backend->run(AddScaled{cells(), pressure.array(), spare.array(), h / dt});
        }
        if (has_total_pressure() && go == 0 && goes_on) {
            dynamic_pressure.swap(next_dynamic_pressure);
        }
    }
}

/// Finds the dynamic pressure of a step.
void Solver::find_dynamic_pressure(float dt) {
    backend->clear(next_dynamic_pressure.data(), layout.size);
    for (int face = 0; face < 2 * dimensions(); ++face) {
        if (face_kinds[face] != STABLE_FLUIDS_TOTAL_PRESSURE) {
            continue;
        }
        const int axis = face / 2;
        const bool high = face % 2 == 1;
        Extent over = cells();
        Range& along = range_of(over, axis);
        along = high ? Range{along.last + 1, along.last + 1} : Range{0, 0};
        // The cell beyond the low end has a lower number than the face.
        const int back = high ? 0 : velocity[axis].array().step(axis);
        const auto beyond = [&](const Field& field) {
            const Array& all = field.array();
            return Array{all.data - back, all.row, all.layer};
        };
        backend->run(HoldBack{over, velocity[axis].array(), beyond(dynamic_pressure),
                              beyond(next_dynamic_pressure), dt / h, high});
    }
}

/// Gives the ghosts of q their part of what is given that differs from place to place. A ghost
/// holds twice the value in the face.
void Solver::subtract_dynamic(const Array& x, const Given& given) {
    const Array& now = dynamic_pressure.array();
    if (given.pressure != 0.0f) {
        backend->run(AddScaled{with_ghosts(), x, now, -2.0f * given.pressure});
    }
    if (given.change != 0.0f) {
        const Array& next_one = next_dynamic_pressure.array();
        backend->run(AddScaled{with_ghosts(), x, next_one, -2.0f * given.change});
        backend->run(AddScaled{with_ghosts(), x, now, 2.0f * given.change});
    }
}

/// The average of the divergence that is prescribed.
float Solver::mean_expansion() {
    const double count = static_cast<double>(nx) * ny * nz;
    return static_cast<float>(backend->sum(Value{cells(), expansion.array()}) / count);
}

/// Works out what the equations of the finest box ask for. What is given counts as much as `given`
/// says. Returns how long b - A q is for q = 0, if anybody wants to know.
double Solver::prepare(const Given& given) {
    const Level& finest = levels[0];
    if (cut()) {
        backend->run(cut_divergence(finest.b, -1.0f));
        if (solids->any_wanted) {
            backend->run(AddScaled{cells(), finest.b, solids->wanted.array(), 1.0f});
        }
    } else {
        backend->run(Divergence{cells(), velocity[0].array(), velocity[1].array(),
                                velocity[2].array(), finest.b, -1.0f, deep});
    }
    if (expansion && !cut()) {
        backend->run(AddScaled{cells(), finest.b, expansion.array(), h});
        if (expansion_shift != 0.0f) {
            backend->run(Scale{cells(), finest.b, 1.0f, h * expansion_shift});
        }
    }
    if (!(tolerance > 0.0f)) {
        return 0.0;
    }
    if (!any_given || (given.pressure == 0.0f && given.change == 0.0f)) {
        return std::sqrt(backend->squares(Value{cells(), finest.b}));  // A q is 0
    }
    start(given);
    return length_of_residual();
}

/// Returns how long b would be if the pressure of the last step had not acted in this one.
double Solver::before_pressure(float dt) {
    const Level& finest = levels[0];
    backend->copy(spare.data(), pressure.data(), layout.size);
    backend->run(Scale{cells(), spare.array(), -dt / h, 0.0f});
    set_pressure_bnd(pressure_walls.given, finest.x, {-dt / h});
    return length_of_residual();
}

/// Returns how long b - A q is.
double Solver::length_of_residual() {
    const Level& finest = levels[0];
    if (cut()) {
        backend->run(CutResidual{cells(), cut_pressure(0), finest.x, finest.b, finest.r});
        return std::sqrt(backend->squares(Value{cells(), finest.r}));
    }
    const Residual residual = {finest.walls.equations, finest.x, finest.b, finest.r};
    return std::sqrt(backend->squares(residual));
}

/// Begins with q = 0, but for the given pressures.
void Solver::start(const Given& given) {
    backend->clear(spare.data(), layout.size);
    set_pressure_bnd(pressure_walls.given, levels[0].x, given);
}

/// Makes V(1, 1)-cycles until b - A q is no longer than `enough`, or float is at its end. The sweep
/// after one cycle and the sweep before the next are done together. Returns how many cycles there
/// were.
int Solver::solve(double enough) {
    if (cut()) {
        return solve_cut(enough);
    }
    const Cycle v_1_1 = {1, 1, 1.0f, levels.size()};
    const bool measure = tolerance > 0.0f;
    const int most = cycles - last_pressure.work;
    double last = std::numeric_limits<double>::infinity();
    bool surely = false;
    for (int done = 0; true; ++done) {
        const Then then = surely ? NOTHING : measure ? MEASURE : PASS_ON;
        const double squares = smooth(levels, 0, v_1_1, {done > 0, done > 0 ? 2 : 1, then});
        if (surely) {
            return done;
        }
        if (measure) {
            const double left = std::sqrt(squares);
            if (left <= enough || !(left < 0.8 * last)) {
                return done;
            }
            // A cycle leaves about as much of what was there as the one before. What project()
            // finds afterwards is the divergence itself, so even a wrong guess is made good there.
            surely = done > 0 && 2.0 * left * (left / last) <= enough;
            last = left;
        }
        if (done == most) {
            return done;
        }
        correct(levels, 1, v_1_1);
    }
}

/// Red-black sweeps on level l: after what the next box found to be missing is added, and before
/// what is left is passed on to it. Returns the sum of the squares of that, if it is measured.
/// Afterwards the ghosts of joined ends are up to date.
double Solver::smooth(std::vector<Level>& grids, std::size_t l, const Cycle& cycle, Sweeps how) {
    Level& level = grids[l];
    SetBnd wraps[3];
    for (int n = 0; n < level.walls.wrap_count; ++n) {
        wraps[n] = level.walls.wraps[n];
        wraps[n].x = level.x;
    }
    Smoothing op = {};
    op.relax = Relax{level.walls.equations, level.x, level.b, cycle.omega, 0};
    op.sweeps = how.count;
    op.wraps = wraps;
    op.wrap_count = level.walls.wrap_count;
    op.look = how.then != NOTHING;
    op.measure = how.then == MEASURE;
    op.residual = Residual{level.walls.equations, level.x, level.b, level.r};
    Prolong prolong;
    Restrict restrict_to;
    if (l + 1 < grids.size()) {
        const Level& coarse = grids[l + 1];
        const auto [x, y, z] = level.ratio;
        prolong = {level.walls.equations.over(), coarse.x, level.x, x, y, z, deep};
        restrict_to = {coarse.walls.equations.over(),
                       level.r,
                       coarse.b,
                       level.n[0],
                       level.n[1],
                       level.n[2],
                       x,
                       y,
                       z};
        op.prolong = how.corrected ? &prolong : nullptr;
        op.restrict_to = op.look ? &restrict_to : nullptr;
    }
    return backend->smooth(op);
}

/// One cycle on level l, from x = 0, if there is such a level. Sets the ghosts as well.
void Solver::correct(std::vector<Level>& grids, std::size_t l, const Cycle& cycle) {
    if (l >= cycle.depth) {
        return;
    }
    Level& level = grids[l];
    backend->clear(level.memory_of_x, level.layout.size);
    if (l + 1 == cycle.depth) {
        smooth(grids, l, cycle, {false, cycle.down + cycle.up, NOTHING});
    } else {
        smooth(grids, l, cycle, {false, cycle.down, PASS_ON});
        correct(grids, l + 1, cycle);
        smooth(grids, l, cycle, {true, cycle.up, NOTHING});
    }
    set_bnd(level.x, level.walls);
}

void Solver::subtract_gradient(const Given& given) {
    set_pressure_bnd(pressure_walls.ghosts, spare.array(), given);
    for (int component = 0; component < dimensions(); ++component) {
        const Extent over = velocity_walls[component].equations.over();
        const Array& u = velocity[component].array();
        if (cut()) {
            const Array& f = solids->f[component].array();
            backend->run(CutGradient{over, u, spare.array(), f, component});
        } else {
            backend->run(Gradient{over, u, spare.array(), component});
        }
    }
    set_velocity_bnd();
}

/// Does the operations for the ghosts, what is given times `given`.
void Solver::apply(const SetBnd* operations, const Array& x, float given) {
    for (int axis = 0; axis < dimensions(); ++axis) {
        SetBnd op = operations[axis];
        op.x = x;
        for (Mirror& mirror : op.mirrors) {
            mirror.plus *= given;
        }
        backend->run(op);
    }
}

/// Does those of the pressure, with what is given at open faces.
void Solver::set_pressure_bnd(const SetBnd* operations, const Array& x, const Given& given) {
    apply(operations, x, given.pressure);
    if (has_total_pressure()) {
        subtract_dynamic(x, given);
    }
}

// ---- Fields, there and back --------------------------------------------------------------------

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
    if (is_component(field) || is_of_solid(field)) {
        undisturbed = 0;
    }
    Field& to = stored(field);
    if (!to) {
        to = make(layout);
    }
    return to;
}

/// What is to be done after a field has been set.
void Solver::finish_write(int field) {
    const Array& x = stored(field).array();
    if (is_component(field)) {
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
    const Array x = next[0].array();
    settle_solids();
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

/// Adds to the pressure what the equations leave open: that it is around the pressure outside; or,
/// where no face is open, that its average is 0.
void Solver::settle_pressure() {
    if (steps == 0 || pressure_settled) {
        return;
    }
    const bool as_it_is = cut() ? solids->closed_regions == 0 : any_open;
    if (as_it_is && outside == 0.0f) {
        pressure_settled = true;
        return;
    }
    if (cut()) {
        settle_cut_pressure();
        return;
    }
    const double count = static_cast<double>(nx) * ny * nz;
    const float plus =
        any_open ? outside
                 : static_cast<float>(-backend->sum(Value{cells(), pressure.array()}) / count);
    backend->run(Scale{cells(), pressure.array(), 1.0f, plus});
    pressure_settled = true;
}

/// Takes the pressure outside away again, so that it is what the equations know.
void Solver::unsettle_pressure() {
    pressure_settled = false;
    if (outside == 0.0f) {
        return;
    }
    if (cut()) {
        backend->run(AddScaled{cells(), pressure.array(), solids->alive.array(), -outside});
    } else {
        backend->run(Scale{cells(), pressure.array(), 1.0f, -outside});
    }
}

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
    statistics.closed_regions = cut() ? solids->closed_regions : any_open ? 0 : 1;
    statistics.closed_divergence = cut() ? solids->closed_divergence : 0.0;
    statistics.unsolved_steps = unsolved_steps;
    statistics.corrected = share_of_correction();
}

}  // namespace box
