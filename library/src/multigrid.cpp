// The grid hierarchies: how each grid follows from the one before, and a cycle over them.
#include "library/src/multigrid.hpp"

#include <utility>
#include <vector>

#include "library/src/solver.hpp"

namespace box {

namespace {

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
                mirrors_along(axis, {{-1, span.n - 1}, {span.n, 0}}, everything);
        } else {
            walls.ghosts[axis] = mirrors_along(
                axis, {{-1, 0, beyond(span.low)}, {span.n, span.n - 1, beyond(span.high)}},
                everything);
        }
    }
    return walls;
}

}  // namespace

/// How far the sweeps go on a level. Joined ends have the same colour where an odd number of places
/// lies between them.
float Cycle::omega_on(const std::vector<Level>& grids, std::size_t l) const {
    const Level& level = grids[l];
    for (int n = 0; n < level.walls.wrap_count; ++n) {
        if (level.n[static_cast<std::size_t>(level.walls.wraps[n].axis)] % 2 == 1) {
            return seam_omega;
        }
    }
    return l == 0 ? omega : coarse_omega;
}

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
    op.relax = Relax{level.walls.equations, level.x, level.b, cycle.omega_on(grids, l), 0};
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

}  // namespace box
