"""Runs one solver on the common field (field.py) and prints one line of JSON: nanoseconds a cell and step, and
which share of the divergence a projection leaves. peers.py calls it in the environment that it has set up.

usage: solvers.py SOLVER CELLS DIMENSIONS CORES       CELLS along each axis
"""

import json
import os
import sys
from pathlib import Path

SOLVER, N, DIMENSIONS, CORES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
if hasattr(os, "sched_setaffinity"):  # before anything starts its threads
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
import numpy as np

import field

ROOT = Path(__file__).resolve().parents[3]
TOLERANCE = 1e-3


def stable_fluids():
    """The library of this repository: a box with free-slip walls."""
    sys.path.insert(0, str(ROOT / "library" / "python"))
    import stable_fluids as sf
    faces = {face: sf.free_slip() for face in range(6)}
    with sf.Fluid(*[N] * DIMENSIONS, h=1, faces=faces, tolerance=TOLERANCE, threads=CORES, backend=sf.HOST,
                  advection=sf.LINEAR, scalars=[sf.Scalar()]) as fluid:
        for name, component in zip((sf.U, sf.V, sf.W), field.velocity(N, DIMENSIONS)):
            fluid.set(name, component.T)
        fluid.set(sf.scalar(0), field.scalar(N, DIMENSIONS).T)
        seconds = field.seconds_of(lambda: fluid.step(1.0))
        return seconds, fluid.statistics().pressure_residual


def jax_cfd():
    """Staggered and periodic. It carries by explicit fluxes (van Leer), so its step is a third as long."""
    import jax
    if not hasattr(jax, "tree_map"):  # jax-cfd 0.2.1 calls it by its former name
        jax.tree_map = jax.tree_util.tree_map
    import jax_cfd.base as cfd
    share = 1 / 3
    grid = cfd.grids.Grid((N,) * DIMENSIONS, domain=((0, N),) * DIMENSIONS)
    periodic = cfd.boundaries.periodic_boundary_conditions(DIMENSIONS)

    def variable(values, offset):
        array = cfd.grids.GridArray(jax.numpy.asarray(values), offset, grid)
        return cfd.grids.GridVariable(array, periodic)

    velocity = tuple(variable(np.take(component, range(1, N + 1), axis), grid.cell_faces[axis])
                     for axis, component in enumerate(field.velocity(N, DIMENSIONS)))
    carried = variable(field.scalar(N, DIMENSIONS), grid.cell_center)
    move = cfd.equations.navier_stokes_explicit_terms(1.0, None, share, grid)
    carry = cfd.advection.advect_van_leer_using_limiters

    @jax.jit
    def explicit(velocity):
        return tuple(cfd.grids.GridVariable(u.array + share * change.array, u.bc)
                     for u, change in zip(velocity, move(velocity)))

    @jax.jit
    def step(velocity, carried):
        velocity = cfd.pressure.projection(explicit(velocity), cfd.pressure.solve_fast_diag)
        change = carry(carried, velocity, share)
        return velocity, cfd.grids.GridVariable(carried.array + share * change, carried.bc)

    state = [velocity, carried]

    def one():
        state[:] = step(*state)
        jax.block_until_ready([variable.data for variable in (*state[0], state[1])])

    seconds = field.seconds_of(one)

    def divergence(velocity):
        return field.root_mean_square(cfd.finite_differences.divergence(velocity).data)
    moved = explicit(state[0])
    return seconds, divergence(cfd.pressure.projection(moved, cfd.pressure.solve_fast_diag)) / divergence(moved)


def taichi():
    """Its example stable_fluid.py, as it is installed with it, with 40 sweeps of Jacobi: 2D, velocities at the
    cell centres, three scalars (a colour), traced with three stages."""
    assert (N, DIMENSIONS) == (512, 2), "its example has 512 x 512 cells"
    sys.argv[1:] = []  # which the example would read
    os.environ["TI_CPU_MAX_NUM_THREADS"] = str(CORES)
    os.environ["TI_LOG_LEVEL"] = "error"
    from taichi.examples.simulation import stable_fluid as example
    import taichi
    example.p_jacobi_iters = 40
    example.velocities_pair.cur.from_numpy(field.at_centres(field.velocity(N, 2)) / np.float32(example.dt))
    colour = np.repeat(field.scalar(N, 2)[:, :, np.newaxis], 3, axis=2)
    example.dyes_pair.cur.from_numpy(colour)
    nothing = np.zeros(8, dtype=np.float32)  # of the mouse

    def one():
        example.step(nothing)
        taichi.sync()

    seconds = field.seconds_of(one)

    def divergence():
        example.divergence(example.velocities_pair.cur)
        return field.root_mean_square(example.velocity_divs.to_numpy())
    example.advect(example.velocities_pair.cur, example.velocities_pair.cur, example.velocities_pair.nxt)
    example.velocities_pair.swap()
    before = divergence()
    example.solve_pressure_jacobi()
    example.subtract_gradient(example.velocities_pair.cur, example.pressures_pair.cur)
    return seconds, divergence() / before


def warp():
    """The kernels of its example example_fluid.py, as it is installed with it, with its 100 sweeps of Jacobi:
    2D, velocities at the cell centres. On a processor they run in one thread."""
    assert DIMENSIONS == 2, "its example is in two dimensions"
    import warp as wp
    wp.config.quiet = True
    wp.config.kernel_cache_dir = str(Path(sys.prefix) / "warp")
    from warp.examples.core import example_fluid as example
    example.grid_width = example.grid_height = wp.constant(N)
    shape, device = (N, N), "cpu"
    with wp.ScopedDevice(device):
        u = [wp.array(field.at_centres(field.velocity(N, 2)), dtype=wp.vec2), wp.zeros(shape, dtype=wp.vec2)]
        rho = [wp.array(field.scalar(N, 2), dtype=float), wp.zeros(shape, dtype=float)]
        p = [wp.zeros(shape, dtype=float), wp.zeros(shape, dtype=float)]
        div = wp.zeros(shape, dtype=float)

        def project():
            wp.launch(example.divergence, dim=shape, inputs=[u[0], div])
            p[0].zero_()
            p[1].zero_()
            for _ in range(100):
                wp.launch(example.pressure_solve, dim=shape, inputs=[*p, div])
                p.reverse()
            wp.launch(example.pressure_apply, dim=shape, inputs=[p[0], u[0]])

        def one():
            project()
            wp.launch(example.advect, dim=shape, inputs=[*u, *rho, 1.0])
            u.reverse()
            rho.reverse()
            wp.synchronize()

        seconds = field.seconds_of(one)

        def divergence():
            wp.launch(example.divergence, dim=shape, inputs=[u[0], div])
            return field.root_mean_square(div.numpy())
        before = divergence()
        project()
        return seconds, divergence() / before


def phiflow():
    """Staggered, with walls: semi-Lagrangian advection with one stage, and conjugate gradients, in
    double precision: in single precision they diverge on this field."""
    from phi import flow  # computes with NumPy and SciPy
    flow.math.set_global_precision(64)
    names = ("x", "y", "z")[:DIMENSIONS]
    box, sizes = flow.Box(**dict.fromkeys(names, N)), dict.fromkeys(names, N)
    space = flow.spatial(",".join(names))
    inner = [np.take(component, range(1, N), axis)  # without the faces in the walls
             for axis, component in enumerate(field.velocity(N, DIMENSIONS))]
    values = flow.math.stack([flow.tensor(component.astype(float), space) for component in inner],
                             flow.dual(vector=",".join(names)))
    velocity = flow.StaggeredGrid(values, 0, box, **sizes)
    carried = flow.CenteredGrid(flow.tensor(field.scalar(N, DIMENSIONS).astype(float), space), flow.extrapolation.BOUNDARY, box,
                                **sizes)
    solve = flow.Solve("CG", rel_tol=TOLERANCE, abs_tol=0, max_iterations=5000)

    state = [velocity, carried]

    def one():
        moved = flow.advect.semi_lagrangian(state[0], state[0], 1.0)
        velocity, _ = flow.fluid.make_incompressible(moved, (), solve)
        state[:] = velocity, flow.advect.semi_lagrangian(state[1], velocity, 1.0)

    seconds = field.seconds_of(one)

    def divergence(velocity):
        return field.root_mean_square(flow.field.divergence(velocity).values.numpy(names))
    moved = flow.advect.semi_lagrangian(state[0], state[0], 1.0)
    after, _ = flow.fluid.make_incompressible(moved, (), solve)
    return seconds, divergence(after) / divergence(moved)


seconds, left = {"stable_fluids": stable_fluids, "jax-cfd": jax_cfd, "taichi": taichi, "warp": warp,
                 "PhiFlow": phiflow}[SOLVER]()
print("result " + json.dumps({"ns": 1e9 * seconds / N**DIMENSIONS, "left": left}))
