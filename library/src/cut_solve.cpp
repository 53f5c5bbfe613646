// What is solved between solids: viscosity, diffusion and the pressure, in cells that they cut.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "library/src/numbers.hpp"
#include "library/src/solids.hpp"
#include "library/src/solver.hpp"

namespace box {

// ---- Viscosity and diffusion -------------------------------------------------------------------

/// Solves A x = b by red-black sweeps with over-relaxation.
Solved Solver::relax_cut(const Unknown& u, const Walls& walls, const Cut& given) {
    SetBnd wraps[3];
    for (int axis = 0; axis < dimensions(); ++axis) {
        SetBnd op = walls.given[axis];
        op.x = u.x;
        backend->run(op);
        wraps[axis] = walls.wraps[axis];
        wraps[axis].x = u.x;
    }
    const auto wrap = [&] {
        for (int n = 0; n < walls.wrap_count; ++n) {
            backend->run(wraps[n]);
        }
    };
    const Extent over = walls.equations.over();
    Extent parts[8];
    const int part_count = parts_to_relax(over, joined, parts);
    const SweepPlan plan =
        plan_sweeps(dimensions(), given.whole.centre, given.whole.x.weight, tolerance);
    const auto residual = [&] {
        if (!plan.measures) {
            return 0.0;
        }
        wrap();
        return std::sqrt(backend->squares(CutResidual{over, given, u.x, u.b, u.r}));
    };
    const Solved solved = sweep_by(plan, residual(), [&](int sweeps) {
        const int at_once = part_count == 1 ? sweeps : 1;
        for (int done = 0; done < sweeps; done += at_once) {
            for (int n = 0; n < part_count; ++n) {
                Cut part = given;
                for (int axis = 0; axis < dimensions(); ++axis) {
                    axis_of(part.whole, axis).range = range_of(parts[n], axis);
                }
                const CutRelax op = {parts[n], part, u.x, u.b, static_cast<float>(plan.omega), 0};
                backend->relax_cut(op, at_once, wraps, walls.wrap_count);
            }
        }
        return residual();
    });
    set_bnd(u.x, walls);
    return solved;
}

/// The equations of viscosity for one component, without any arrays.
Viscosity Solver::viscosity_of(int component) const {
    Viscosity op = {};
    op.over = op.places = velocity_walls[component].equations.over();
    op.over.x = {op.over.x.first, op.over.x.last + 1};
    op.over.y = {op.over.y.first, op.over.y.last + 1};
    op.over.z.last += deep ? 1 : 0;
    op.around.axis = component;
    op.around.deep = deep;
    op.n[0] = nx;
    op.n[1] = ny;
    op.n[2] = nz;
    return op;
}

/// Viscosity for one component, implicitly, in control volumes around its faces that the solid
/// cuts, and to whose surface in them it sticks.
Solved Solver::cut_viscosity(int component, float asked) {
    const float a = std::min(asked, 1e6f);
    solids->friction[component] = 0.0;
    if (!(a > 0.0f)) {
        return {};
    }
    const Walls& walls = velocity_walls[component];
    const Array& u = velocity[component].array();
    const Array& s = solids->s[component].array();
    const Lent b(next[0]);
    const Lent r(next[1]);
    // The weights of the equations, and what conjugate gradients need, are never there at once.
    const Lent weight[3] = {Lent(spare), Lent(solids->p), Lent(solids->y)};
    const Lent share(solids->z);
    Viscosity op = viscosity_of(component);
    op.around.cell = solids->fraction.array();
    op.around.near_solids = rows_at(solids->near_solid);
    for (int axis = 0; axis < dimensions(); ++axis) {
        op.around.f[axis] = surfaces(axis).array();
    }
    op.a = a;
    op.u = u;
    op.s = s;
    for (int axis = 0; axis < 3; ++axis) {
        op.weight[axis] = weight[axis].array();
    }
    op.share = share.array();
    op.b = b.array();
    backend->run(op);

    Cut given = {walls.equations, op.weight[0], op.weight[1],
                 op.weight[2],    op.share,     op.around.near_solids};
    given.whole.centre = 1.0f;
    given.whole.x.weight = given.whole.y.weight = given.whole.z.weight = a;
    const Solved solved = relax_cut({u, b.array(), r.array()}, walls, given);
    enforce(u, component);
    keep_sheared(component);
    const double size = static_cast<double>(h);
    const Friction friction = {rows_near(solids->near_solid, op.places),
                               op.around,
                               u,
                               s,
                               {op.weight[0], op.weight[1], op.weight[2]}};
    solids->friction[component] =
        static_cast<double>(viscosity) * (deep ? size : 1.0) * backend->sum(friction);
    return solved;
}

/// Diffusion and decay of a scalar between solids, through which nothing passes.
void Solver::cut_diffusion(std::size_t n, float centre, float asked) {
    Field& x = scalars[n];
    const Walls& walls = scalar_walls[n];
    const Array& alive = solids->alive.array();
    backend->run(Mask{rows_near(solids->near_closed, cells()), x.array(), alive});
    const float a = std::min(asked, 1e6f);
    if (a > 0.0f) {
        const Array& fraction = solids->fraction.array();
        const Lent right_hand_side(next[0]);
        const Lent r(next[1]);
        const Lent share(spare);
        const Array& b = right_hand_side.array();
        backend->run(Multiply{cells(), fraction, x.array(), b});
        Cut given = {walls.equations,
                     solids->f[0].array(),
                     solids->f[1].array(),
                     solids->f[2].array(),
                     fraction,
                     rows_at(solids->near_closed)};
        const stable_fluids_scalar& kind = scalar_kinds[n];
        const float value = kind.solid.value;
        if (kind.solid.flow == STABLE_FLUIDS_FIXED_VALUE) {
            // One more neighbour, the surface: it counts on the diagonal as well.
            const Array& nearness = solids->nearness.array();
            backend->run(AddScaled{cells(), b, nearness, a * value});
            backend->copy(share.data(), solids->fraction.data(), layout.size);
            backend->run(AddScaled{cells(), share.array(), nearness, a / centre});
            given.share = share.array();
        } else if (kind.solid.flow == STABLE_FLUIDS_FIXED_FLUX) {
            const float difference = h * (value / kind.diffusion);
            backend->run(AddScaled{cells(), b, solids->area.array(), a * difference});
        }
        given.whole.centre = centre;
        given.whole.x.weight = given.whole.y.weight = given.whole.z.weight = a;
        relax_cut({x.array(), b, r.array()}, walls, given);
    } else if (centre > 1.0f) {
        backend->run(Scale{cells(), x.array(), 1.0f / centre, 0.0f});
    }
    set_bnd(x.array(), walls);
}

// ---- Pressure ----------------------------------------------------------------------------------

CutDivergence Solver::cut_divergence(const Array& x, float factor) const {
    CutDivergence op = {};
    op.over = cells();
    for (int axis = 0; axis < dimensions(); ++axis) {
        op.u[axis] = velocity[axis].array();
        op.f[axis] = solids->f[axis].array();
        op.s[axis] = solids->s[axis].array();
    }
    op.alive = solids->alive.array();
    op.x = x;
    op.factor = factor;
    op.deep = deep;
    op.near_solids = rows_at(solids->near_closed);
    return op;
}

/// The equations of a box of the hierarchy.
Cut Solver::cut_pressure(std::size_t l) const {
    const Field* const f = l == 0 ? solids->f : solids->levels[l].f;
    const NearSolids& near_closed = l == 0 ? solids->near_closed : solids->levels[l].near_closed;
    return {levels[l].walls.equations, f[0].array(), f[1].array(), f[2].array(), {},
            rows_at(near_closed, l)};
}

/// What the host looks up of each row of a box of the hierarchy.
RowsNearSolids Solver::rows_at(const NearSolids& near, std::size_t l) const {
    return {near.of_rows.data(), levels[l].n[1] + 3, deep};
}

/// Conjugate gradients with a V(1, 1)-cycle for a preconditioner. It is another one in each
/// iteration, as far as float goes, so the directions are made as Polak and Ribiere do (Notay 2000,
/// "Flexible Conjugate Gradients"). Returns how many cycles there were.
int Solver::solve_cut(double enough) {
    const bool measure = tolerance > 0.0f;
    const int most = cycles - last_pressure.work;
    const Array& x = levels[0].x;
    const Array& b = levels[0].b;
    const Array& r = levels[0].r;
    const Lent preconditioned(solids->z);
    const Lent direction(solids->p);
    const Lent product(solids->y);
    const Array& z = preconditioned.array();
    const Array& p = direction.array();
    const Array& y = product.array();
    const Cut equations = cut_pressure(0);
    backend->clear(direction.data(), layout.size);
    backend->clear(product.data(), layout.size);
    const CutResidual residual = {cells(), equations, x, b, r};
    double left = 0.0;
    if (measure) {
        left = std::sqrt(backend->squares(residual));
    } else {
        backend->run(residual);
    }
    double last = std::numeric_limits<double>::infinity();
    double along = 0.0;
    double before = 0.0;
    int since = 0;  // how many iterations ago it became much smaller
    for (int done = 0; true; ++done) {
        if (measure) {
            if (done > 0) {
                left = std::sqrt(backend->squares(Value{cells(), r}));
            }
            since = left < 0.8 * last ? 0 : since + 1;
            last = since == 0 ? left : last;
            if (left <= enough || since == 6 || !(left < std::numeric_limits<double>::infinity())) {
                return done;
            }
        }
        if (done == most) {
            return done;
        }
        correct_cut(0, z, r, b);  // nobody needs b any more
        const double now = backend->sum(Product{cells(), z, r});
        const double beta =
            done == 0 ? 0.0 : -along * backend->sum(Product{cells(), z, y}) / before;
        if (!(now > 0.0) || !std::isfinite(beta)) {
            return done;
        }
        backend->run(Combine{cells(), p, z, static_cast<float>(beta)});
        for (int n = 0; n < levels[0].walls.wrap_count; ++n) {
            SetBnd wrap = levels[0].walls.wraps[n];
            wrap.x = p;
            backend->run(wrap);
        }
        const double curve = backend->sum(CutApply{cells(), equations, p, y});
        along = now / curve;
        if (!(curve > 0.0) || !std::isfinite(along)) {
            return done;
        }
        backend->run(AddScaled{cells(), x, p, static_cast<float>(along)});
        backend->run(AddScaled{cells(), r, y, -static_cast<float>(along)});
        before = now;
    }
}

/// A red-black sweep. After the coarser box, the reds come first as well: the other way round, the
/// cycles would be symmetric, but many more. In a deep box it goes as far as those of
/// pressure_cycle(); in a flat one, conjugate gradients take no fewer cycles then.
void Solver::smooth_cut(std::size_t l, const Array& x, const Array& b) {
    const Walls& walls = levels[l].walls;
    SetBnd wraps[3];
    for (int n = 0; n < walls.wrap_count; ++n) {
        wraps[n] = walls.wraps[n];
        wraps[n].x = x;
    }
    const float omega = deep ? pressure_cycle().omega_on(levels, l) : 1.0f;
    const CutRelax op = {walls.equations.over(), cut_pressure(l), x, b, omega, 0};
    backend->relax_cut(op, 1, wraps, walls.wrap_count);
}

/// One V(1, 1)-cycle on level l, from x = 0. r is overwritten.
void Solver::correct_cut(std::size_t l, const Array& x, const Array& b, const Array& r) {
    const Level& level = levels[l];
    const Layout& room = l == 0 ? layout : level.layout;
    backend->clear(x.data - room.origin, room.size);
    smooth_cut(l, x, b);
    if (l + 1 < levels.size()) {
        const Level& coarse = levels[l + 1];
        for (int n = 0; n < level.walls.wrap_count; ++n) {
            SetBnd wrap = level.walls.wraps[n];
            wrap.x = x;
            backend->run(wrap);
        }
        const Extent over = level.walls.equations.over();
        backend->run(CutResidual{over, cut_pressure(l), x, b, r});
        const auto [in_x, in_y, in_z] = level.ratio;
        backend->run(Restrict{coarse.walls.equations.over(), r, coarse.b, level.n[0], level.n[1],
                              level.n[2], in_x, in_y, in_z});
        correct_cut(l + 1, coarse.x, coarse.b, coarse.r);
        set_bnd(coarse.x, coarse.walls);
        const Array& alive = l == 0 ? solids->alive.array() : solids->levels[l].alive.array();
        const CutLevel& coarse_solids = solids->levels[l + 1];
        backend->run(CutProlong{over, coarse.x, coarse_solids.alive.array(), x, alive, in_x, in_y,
                                in_z, deep, cut_pressure(l).near_solids,
                                rows_at(coarse_solids.near_closed, l + 1)});
        smooth_cut(l, x, b);
    }
}

/// As settle_pressure(), region by region.
void Solver::settle_cut_pressure() {
    const Array& p = pressure.array();
    const Array& region = solids->region.array();
    float number = 0.0f;
    for (const ClosedRegion& closed : solids->closed) {
        number += 1.0f;
        const double sum =
            backend->sum(OfRegion{closed.within, p, region, number, rows_at(solids->near_closed)});
        const float mean = static_cast<float>(sum / closed.cells);
        backend->run(ShiftRegion{closed.within, p, region, number, -mean});
    }
    if (outside != 0.0f) {
        backend->run(ShiftRegion{cells(), p, region, -1.0f, outside});
    }
    pressure_settled = true;
}

}  // namespace box
