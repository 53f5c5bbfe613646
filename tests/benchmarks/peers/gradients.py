"""A derivative by 61_adjoint and by PhiFlow, with JAX, of the same mismatch on the same walled grid. It sets PhiFlow
up as peers.py does, in the same environment, and prints the table of README.md beside it. Not part of CI. Linux only,
because it gives each run one core.

usage: gradients.py                  (after building the target benchmark_61)
       gradients.py --phiflow        (what it calls in the environment)

48 x 48 cells, 1 wide, with free-slip walls; a vortex, and a smooth spot of dye in it. J is half the squared
difference of the dye after ten steps from a spot elsewhere. Its derivative is by the first velocity and the first dye.
"""

import os
import re
import subprocess
import sys
import time

import peers

N, STEPS, DT = 48, 10, 0.025
PACKAGES = ["phiflow==3.4.0", "phiml==1.16.1", "jax==0.10.2"]
RESULT = re.compile(r"^peer \d+ steps: ([\d.]+) s, J ([\d.]+), by the dye ([\d.]+)", flags=re.M)


def phiflow():
    """Prints one line, as benchmark_61 does. The time is that of a second call, since the first one compiles."""
    import numpy as np
    from phi.jax import flow
    flow.math.set_global_precision(64)
    box, space = flow.Box(x=N, y=N), flow.spatial("x,y")
    centre, corner = (np.arange(N) + 0.5) / N, np.arange(N + 1) / N

    def spot(x, y):
        return flow.tensor(np.exp(-50 * ((centre[:, None] - x)**2 + (centre[None, :] - y)**2)), space)

    psi = N * N * np.outer(np.sin(np.pi * corner), np.sin(np.pi * corner)) / np.pi
    u, v = np.diff(psi, axis=1), -np.diff(psi, axis=0)
    inner = flow.math.stack([flow.tensor(u[1:-1], space), flow.tensor(v[:, 1:-1], space)], flow.dual(vector="x,y"))
    first_velocity = flow.StaggeredGrid(inner, 0, box, x=N, y=N)
    first_dye = flow.CenteredGrid(spot(0.4, 0.35), flow.extrapolation.BOUNDARY, box, x=N, y=N)
    solve = flow.Solve("CG", rel_tol=1e-6, abs_tol=0, max_iterations=1000)

    def J(velocity, dye):
        for _ in range(STEPS):
            moved = flow.advect.semi_lagrangian(velocity, velocity, DT)
            velocity, _ = flow.fluid.make_incompressible(moved, (), solve)
            dye = flow.advect.semi_lagrangian(dye, velocity, DT)
        return flow.math.l2_loss(dye.values - spot(0.6, 0.6))

    gradient = flow.math.jit_compile(flow.math.gradient(J, wrt="velocity,dye", get_output=True))
    for _ in range(2):
        began = time.process_time()
        found, (_, by_dye) = gradient(first_velocity, first_dye)
        norm = float(np.linalg.norm(by_dye.values.numpy("x,y")))
        seconds = time.process_time() - began
    print(f"peer {STEPS} steps: {seconds:.6f} s, J {float(found):.6f}, by the dye {norm:.6f}")


def measured(command):
    """The seconds of a derivative, J, and the 2-norm of its derivative by the dye."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    found = RESULT.search(done.stdout)
    if done.returncode or not found:
        sys.exit(f"gradients: {peers.last_line(done.stderr)}")
    return [float(word) for word in found.groups()]


def main():
    if not hasattr(os, "sched_setaffinity"):
        sys.exit("gradients: only Linux lets a program choose its cores")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    if sys.argv[1:] == ["--phiflow"]:
        phiflow()
        return
    program = peers.ROOT / "build" / "bin" / "benchmark_61"
    if not program.is_file():
        sys.exit("gradients: the benchmark is not built: cmake --build build --target benchmark_61")
    if not peers.PYTHON.exists():
        peers.venv.create(peers.ENVIRONMENT, with_pip=True)
    why = peers.install(PACKAGES)
    if why:
        sys.exit(f"gradients: PhiFlow cannot be installed here: {why}")
    ours = measured([program])
    print("| solver | seconds | over ours | J | by the dye (2-norm) |\n|---|---|---|---|---|")
    for name, (seconds, J, norm) in (("61_adjoint", ours), ("PhiFlow", measured([peers.PYTHON, __file__, "--phiflow"]))):
        print(f"| {name} | {seconds:.2g} | {seconds / ours[0]:.3g} | {J:.4f} | {norm:.4f} |", flush=True)


if __name__ == "__main__":
    main()
