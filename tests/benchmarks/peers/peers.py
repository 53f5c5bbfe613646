"""Other solvers beside our library, on the same field: nanoseconds a cell and step, and which share of the
divergence a projection leaves. It sets the others up by `pip install` in a virtual environment of their own,
build/peers/venv, and prints the table of README.md beside it. What differs between them, solvers.py says. Not part
of CI. Linux only, because it gives each run one core or two.

usage: peers.py [--only SOLVER]      (after building the target stable_fluids)
"""

import argparse
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ENVIRONMENT = ROOT / "build" / "peers" / "venv"
PYTHON = ENVIRONMENT / "bin" / "python"
PACKAGES = {  # the versions for which solvers.py was written
    "stable_fluids": ["numpy"],
    "jax-cfd": ["jax-cfd==0.2.1", "jax==0.10.2"],
    "taichi": ["taichi==1.7.4"],
    "warp": ["warp-lang==1.19.0"],
    "PhiFlow": ["phiflow==3.4.0", "phiml==1.16.1"],
}
RUNS = {  # the solvers, with cells along each axis and dimensions
    "stable_fluids": [(512, 2), (128, 3), (128, 2)],
    "jax-cfd": [(512, 2), (128, 3)],
    "taichi": [(512, 2)],
    "warp": [(512, 2)],
    "PhiFlow": [(128, 2)],
}


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it says nothing"


def install(packages):
    """Installs them; returns why it could not, or an empty text."""
    done = subprocess.run([PYTHON, "-m", "pip", "install", "-q", *packages], capture_output=True, text=True)
    return last_line(done.stderr) if done.returncode else ""


def measured(solver, cells, dimensions, cores):
    """What a run prints, or why it has failed."""
    command = [PYTHON, HERE / "solvers.py", solver, str(cells), str(dimensions), str(cores)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return "no result within ten minutes"
    found = [line for line in done.stdout.splitlines() if line.startswith("result ")]
    if done.returncode or not found:
        return last_line(done.stderr)
    return json.loads(found[-1].partition(" ")[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", choices=PACKAGES, help="one solver, beside our library")
    only = parser.parse_args().only
    if not hasattr(os, "sched_setaffinity"):
        sys.exit("peers: only Linux lets a program choose its cores")
    if not any((ROOT / "build" / "lib").glob("libstable_fluids.so*")):
        sys.exit("peers: the library is not built: cmake --build --preset default --target stable_fluids")
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    cores = [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]
    columns = " | ".join(f"ns, {count} core{'s' * (count > 1)}" for count in cores)
    print(f"| solver | cells | {columns} | over ours | divergence left |\n|---|---|{'---|' * len(cores)}---|---|")
    ours = {}
    for solver, packages in PACKAGES.items():
        if only not in (None, solver) and solver != "stable_fluids":
            continue
        why = install(packages)
        if why:
            print(f"peers: {solver} cannot be installed here: {why}", file=sys.stderr)
            continue
        for cells, dimensions in RUNS[solver]:
            results = [measured(solver, cells, dimensions, count) for count in cores]
            wrong = [result for result in results if isinstance(result, str)]
            if wrong:
                print(f"peers: {solver} with {cells}^{dimensions} cells: {wrong[0]}", file=sys.stderr)
                continue
            times = [result["ns"] for result in results]
            ours.setdefault((cells, dimensions), times)
            ratios = " / ".join(f"{time / our:.2g}" if time < 100 * our else f"{time / our:.0f}"
                                for time, our in zip(times, ours[cells, dimensions]))
            print(f"| {solver} | {cells}^{dimensions} | {' | '.join(f'{time:.0f}' for time in times)} | {ratios} "
                  f"| {results[0]['left']:.1e} |", flush=True)


if __name__ == "__main__":
    main()
