// What each quantity finds at the six faces of the box: the ghosts for interpolation, and the
// equations' ends.
#include "library/src/walls.hpp"

#include <algorithm>
#include <vector>

#include "library/src/solver.hpp"

namespace box {

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

}  // namespace

SetBnd mirrors_along(int axis, const std::vector<Mirror>& mirrors, const Extent& everything) {
    SetBnd op = {};
    op.over = everything;
    range_of(op.over, axis) = {0, 0};
    op.axis = axis;
    op.count = static_cast<int>(mirrors.size());
    std::copy(mirrors.begin(), mirrors.end(), op.mirrors);
    return op;
}

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
        walls.ghosts[axis] = mirrors_along(axis, line.ghosts, everything);
        walls.given[axis] = mirrors_along(axis, line.given, everything);
        if (!line.wraps.empty()) {
            walls.wraps[walls.wrap_count++] = mirrors_along(axis, line.wraps, everything);
        }
    }
    if (!deep) {
        walls.equations.z.range = {0, 0};
    }
    walls.equations.deep = deep;
    return walls;
}

bool is_open(const stable_fluids_face& face) {
    return face.flow == STABLE_FLUIDS_OUTFLOW ||
           (!is_small && face.flow == STABLE_FLUIDS_TOTAL_PRESSURE);
}

namespace {

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

}  // namespace

End end_of_pressure(const stable_fluids_face& face) {
    return face.flow == STABLE_FLUIDS_PERIODIC ? End{End::JOINED}
           : is_open(face)                     ? End{End::HALFWAY, face.pressure}
                                               : End{End::CLOSED};
}

namespace {

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

SetBnd ghosts_of(const Array& x, const Walls& walls, int axis) {
    SetBnd op = walls.ghosts[axis];
    op.x = x;
    return op;
}

void Solver::set_bnd(const Array& x, const Walls& walls, int first_axis) {
    for (int axis = first_axis; axis < dimensions(); ++axis) {
        backend->run(ghosts_of(x, walls, axis));
    }
}

void Solver::set_velocity_bnd(int first_axis) {
    for (int component = 0; component < dimensions(); ++component) {
        set_bnd(velocity[component].array(), velocity_walls[component], first_axis);
    }
    enforce_velocity();
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

}  // namespace box
