"""Runs what tests/on_a_cluster.sh runs, a step each, and compares iterations, bytes and messages with the table of
the lesson of 53_many; what PETSc's matrix stores with its other table; and its sentence on iterations to 1e-8 with
--numbers --long on several ranks. Bytes and messages are those of one version of PETSc, and are compared only where
that is installed.

usage: ranks_figures.py PROGRAM MANY_RANKS LESSON VERSION_OF_PETSC
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ON_RANKS, finish

THEIRS = "3.18."
program, many_ranks = (str(Path(path).resolve()) for path in sys.argv[1:3])
lesson = Path(sys.argv[3]).read_text(encoding="utf-8")
is_same_version = sys.argv[4].startswith(THEIRS)
problems = []
if shutil.which("mpiexec") is None:
    print("skipped: no mpiexec here (package openmpi-bin)")
    sys.exit(77)


def run(ranks, *words):
    done = subprocess.run(["mpiexec", "-n", str(ranks), *words], capture_output=True, text=True, timeout=500,
                          env={**os.environ, **ON_RANKS})
    if done.returncode != 0:
        problems.append(f"{ranks} ranks, {words}: status {done.returncode}, {done.stderr!r}")
    return done.stdout


def numbers(words):
    return [int(word.replace(",", "")) for word in re.findall(r"[\d,]*\d", words)]


def compare(what, found, expected):
    """What a row of the lesson says, (iterations, bytes, messages), and what the program prints."""
    if not is_same_version:
        found, expected = found[:1], expected[:1]
    print(f"{what}: {found}")
    if found != expected:
        problems.append(f"{what}: the lesson says {expected}, and it is {found}")


def measured(output, name):
    """Iterations, bytes, messages of a line that many_ranks prints."""
    found = re.search(rf"^{name} +\S+ +\S+ +(\S+) +\S+ +(\S+) +(\S+)$", output, flags=re.M)
    return [round(float(word)) for word in found.groups()] if found else []


def row(name):
    found = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", table, flags=re.M)
    if not found:
        problems.append(f"the lesson has no row '{name}'")
    return numbers(found.group(1)) if found else []


table = lesson.split("or a step of $512^2$ cells")[1].split("\n\n")[1]
for ranks in (1, 2, 4):
    name = f"{ranks} rank{'s' * (ranks > 1)}"
    output = run(ranks, many_ranks, "512", "512", "1", "1", *["--one"] * (ranks == 1))
    if ranks == 1:
        compare("15_multigrid", measured(output, "15_multigrid")[:1], row("[15](../15_multigrid/README.md)"))
        compare("the library", measured(output, "library")[:1],
                row("[`library/`](../../library/README.md), in float"))
    compare(f"strong, {name}", measured(output, f"{ranks} ranks"), row(name))
    if ranks > 1:
        output = run(ranks, many_ranks, str(512 * ranks), "512", "1", "1")
        compare(f"weak, {name}", measured(output, f"{ranks} ranks"), row(f"{name}, ${512 * ranks} \\times 512$"))

for box in ("512 512 1", "64 64 64"):
    matrices = re.findall(r"^(\w+) stencil +(\S+)", run(1, many_ranks, *box.split(), "1", "--matrix"), flags=re.M)
    for stencil, stored in matrices:
        print(f"{box}, {stencil} stencil: {stored} numbers a row")
        if f"| {stored} |" not in lesson:
            problems.append(f"{box}: the lesson does not say that A for a {stencil} stores {stored} numbers a row")
    if [stencil for stencil, _ in matrices] != ["star", "box"]:
        problems.append(f"{box}: what is stored for a star and a box stencil is not printed")

said = re.search(r"one rank takes `(\d+)` iterations, and two to four take (\d+) or (\d+), from "
                 r"\$64\^2\$ to \$512\^2\$", lesson)
for ranks in (2, 3, 4):
    found = re.findall(r"^(\d+) x \1 to 1e-8: iterations +\S+ +(\d+)", run(ranks, program, "--numbers", "--long"),
                       flags=re.M)
    print(f"to 1e-8 on {ranks} ranks: {found}")
    if not said or [size for size, _ in found] != ["64", "128", "256", "512"] or \
            any(count not in said.groups()[1:] for _, count in found):
        problems.append(f"iterations to 1e-8 on {ranks} ranks: {found}")
finish("figures of ranks", problems)
