// What Ash's article gets wrong, to be switched on again one by one. It needs the chapter's
// solver.hpp before it. Nothing here reads memory that is not its own, where the original did.
#pragma once

/// The slips of Ash's article, and of comments under it: each may be switched on, to see what it
/// does.
struct Slips {
    bool corners = false;  ///< a corner weighs its neighbours 0.33f each, which adds up to 0.99
    bool corner_index = false;  ///< one corner reads behind the end of the array: IX(0, 0, N)
    bool edges = false;  ///< the twelve edges are never written: they stay at 0
    bool clamp = false;  ///< a back-trace may reach N + 0.5 instead of N - 1.5
    bool first_guess = false;  ///< diffusion starts from what its scratch array happens to hold
    bool whole_numbers = false;  ///< diff and visc are ints: 0.0001 becomes 0
    bool divergence = false;  ///< a comment: multiply it by N where the article divides
    bool explicit_update = false;  ///< a comment: replace lin_solve by a step forward in time
};

/// Returns whether any of them is switched on.
inline bool any_of(const Slips& slips) {
    return slips.corners || slips.corner_index || slips.edges || slips.clamp || slips.first_guess ||
           slips.whole_numbers || slips.divergence || slips.explicit_update;
}

/// A fluid with which things go wrong.
struct FluidWithSlips : Fluid {
    Slips slips;  ///< what to get wrong
    explicit FluidWithSlips(int n) : Fluid(n) {}
    explicit FluidWithSlips(const Fluid& fluid) : Fluid(fluid) {}
};

/// The forward step in time that a comment under Ash's article prefers to lin_solve: each cell
/// moves towards its neighbours as they were. It blows up once a exceeds 1/6.
inline void diffuse_explicitly(BoundaryType boundary, Field& x, const Field& x0, float rate,
                               float dt) {
    const int N = x.N;
    const float a = dt * rate * (N - 2) * (N - 2);
    for_each_cell(N, [&](int i, int j, int k) {
        x(i, j, k) = x0(i, j, k) + a * (neighbours_at(x0, i, j, k) - 6.0f * x0(i, j, k));
    });
    set_bnd(boundary, x);
}

/// Advects with the clamp that Ash printed. N + 0.5 was right for Stam, whose N leaves the walls
/// out: it suits a cube of N + 2. So here is that cube, with what the index would find for each of
/// its cells: beyond the right wall the next row begins, beyond the lower one the next layer, and
/// beyond the last layer the array is at its end. There, 2 N N + 2 N + 2 numbers at most, the
/// original read whatever came next in memory; this finds 0.
inline void advect_as_printed(BoundaryType boundary, Field& d, const Field& d0, const Flow& flow,
                              float dt) {
    const int N = d.N;
    const float dt0 = dt * (N - 2);
    Field found(N + 2);
    for (int k = 0; k < N + 2; ++k) {
        for (int j = 0; j < N + 2; ++j) {
            for (int i = 0; i < N + 2; ++i) {
                const int index = i + N * (j + N * k);
                found(i, j, k) = index < N * N * N ? d0.cells[index] : 0.0f;
            }
        }
    }
    for_each_cell(N, [&](int i, int j, int k) {
        d(i, j, k) =
            interpolate(found, source_at(i - dt0 * flow.u(i, j, k), j - dt0 * flow.v(i, j, k),
                                         k - dt0 * flow.w(i, j, k), N + 2));
    });
    set_bnd(boundary, d);
}

/// Gets the edges and corners of x wrong where the slips say so; the rest of it is in order.
inline void spoil_walls(Field& x, const Slips& slips) {
    const int last = x.N - 1;
    for (const int a : {0, last}) {
        for (const int b : {0, last}) {
            for (int n = 0; slips.edges && n <= last; ++n) {
                x(a, b, n) = x(a, n, b) = x(n, a, b) = 0.0f;
            }
            for (const int c : {0, last}) {
                x(a, b, c) *= slips.corners ? 3.0f * 0.33f : 1.0f;
            }
        }
    }
    if (slips.corner_index) {  // what is behind the end of the array: here, 0
        const float weight = slips.corners ? 0.33f : 1.0f / 3.0f;
        x(0, 0, last) = weight * (x(1, 0, last) + x(0, 1, last) + 0.0f);
    }
}

/// Spreads x as the fluid's slips have it; x_prev keeps what it was.
inline void diffuse_with_slips(const FluidWithSlips& fluid, BoundaryType boundary, Field& x,
                               Field& x_prev, float rate, float dt) {
    if (fluid.slips.first_guess) {
        std::swap(x.cells, x_prev.cells);
    } else {
        x_prev = x;  // every sweep needs the dye before the step
    }
    if (fluid.slips.whole_numbers) {
        rate = std::trunc(rate);
    }
    if (fluid.slips.explicit_update) {
        diffuse_explicitly(boundary, x, x_prev, rate, dt);
    } else {
        diffuse(boundary, x, x_prev, rate, dt, fluid.iterations);
    }
    spoil_walls(x, fluid.slips);
}

/// Carries x along the flow as the fluid's slips have it; x_prev keeps what it was.
inline void advect_with_slips(const FluidWithSlips& fluid, BoundaryType boundary, Field& x,
                              const Field& x_prev, const Flow& flow, float dt) {
    if (fluid.slips.clamp) {
        advect_as_printed(boundary, x, x_prev, flow, dt);
    } else {
        advect(boundary, x, x_prev, flow, dt);
    }
    spoil_walls(x, fluid.slips);
}

/// Projects with the divergence multiplied by N where the article divides by it, as a comment there
/// proposes. That makes it N N times too large, and with it, as every equation here is linear, the
/// pressure and its gradient.
inline void project_times_n(Fluid& fluid) {
    const Field before[] = {fluid.u, fluid.v, fluid.w};
    Field* const after[] = {&fluid.u, &fluid.v, &fluid.w};
    project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, fluid.iterations);
    const float times = fluid.u.N * fluid.u.N;
    for (std::size_t cell = 0; cell < fluid.u.cells.size(); ++cell) {
        for (int n = 0; n < 3; ++n) {
            const float was = before[n].cells[cell];
            after[n]->cells[cell] = was + times * (after[n]->cells[cell] - was);
        }
        fluid.divergence.cells[cell] *= times;
        fluid.pressure.cells[cell] *= times;
    }
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    set_bnd(BoundaryType::VELOCITY_VERTICAL, fluid.v);
    set_bnd(BoundaryType::VELOCITY_DEPTH, fluid.w);
}

/// Projects the velocity as the fluid's slips have it.
inline void project_with_slips(FluidWithSlips& fluid) {
    if (fluid.slips.divergence) {
        project_times_n(fluid);
    } else {
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, fluid.iterations);
    }
    spoil_walls(fluid.u, fluid.slips);
    spoil_walls(fluid.v, fluid.slips);
    spoil_walls(fluid.w, fluid.slips);
}

/// velocity_step, as the fluid's slips have it.
inline void velocity_step(FluidWithSlips& fluid, float dt) {
    if (fluid.diffuse_velocity) {
        if (fluid.slips.first_guess) {  // his two scratch arrays served the last projection
            fluid.u_prev = fluid.pressure;
            fluid.v_prev = fluid.divergence;
        }
        diffuse_with_slips(fluid, BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev,
                           fluid.visc, dt);
        diffuse_with_slips(fluid, BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev,
                           fluid.visc, dt);
        diffuse_with_slips(fluid, BoundaryType::VELOCITY_DEPTH, fluid.w, fluid.w_prev, fluid.visc,
                           dt);
    }
    if (fluid.project_velocity) {
        project_with_slips(fluid);
    }
    if (fluid.advect_velocity) {
        fluid.u_prev = fluid.u;
        fluid.v_prev = fluid.v;
        fluid.w_prev = fluid.w;
        const Flow before = {fluid.u_prev, fluid.v_prev, fluid.w_prev};
        advect_with_slips(fluid, BoundaryType::VELOCITY_HORIZONTAL, fluid.u, fluid.u_prev, before,
                          dt);
        advect_with_slips(fluid, BoundaryType::VELOCITY_VERTICAL, fluid.v, fluid.v_prev, before,
                          dt);
        advect_with_slips(fluid, BoundaryType::VELOCITY_DEPTH, fluid.w, fluid.w_prev, before, dt);
    }
    if (fluid.project_velocity) {
        project_with_slips(fluid);
    }
}

/// step, as the fluid's slips have it.
inline void step(FluidWithSlips& fluid, float dt) {
    velocity_step(fluid, dt);

    diffuse_with_slips(fluid, BoundaryType::SCALAR, fluid.density, fluid.density_prev, fluid.diff,
                       dt);

    fluid.density_prev = fluid.density;  // advect must not read the field that it writes
    advect_with_slips(fluid, BoundaryType::SCALAR, fluid.density, fluid.density_prev,
                      {fluid.u, fluid.v, fluid.w}, dt);
}
