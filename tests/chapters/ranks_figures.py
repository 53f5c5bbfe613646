"""Runs what tests/on_a_cluster.sh runs: an exchange by hand and by PETSc's DMDA, which must agree to the last bit and
send the same; a step on several ranks; what PETSc stores of a matrix; and --numbers --long on four ranks,
whose iterations the lesson of 53_many names. What steps send must be what formulas say, and what PETSc's settings
cost what costs.md says.

usage: ranks_figures.py PROGRAM MANY_RANKS LESSON
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ON_RANKS, finish

program, many_ranks = (str(Path(path).resolve()) for path in sys.argv[1:3])
lesson = Path(sys.argv[3]).read_text(encoding="utf-8")
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


for ranks, box in ((2, "32 20 1"), (4, "32 20 1"), (4, "9 8 12")):
    said = run(ranks, many_ranks, *box.split(), "1", "--dmda")
    print(f"{box} on {ranks} ranks: {said}")
    sizes = re.findall(r"by hand: (\d+) bytes, (\d+) messages; by DMDA: (\d+), (\d+)", said)
    if len(sizes) != 4 or any((bytes_, count) != (theirs, counted) for bytes_, count, theirs, counted in sizes):
        problems.append(f"{box} on {ranks} ranks: the exchange by hand and the DMDA's do not send the same")
    if "apart: 0\n" not in said:
        problems.append(f"{box} on {ranks} ranks: the exchange by hand and the DMDA's do not agree")
for ranks, box in ((2, "40 24 1"), (4, "12 10 8")):
    said = run(ranks, many_ranks, *box.split(), "1", "--costs")
    print(said)
    sent = re.findall(r"by formula (\d+ bytes, \d+ messages); by count (\d+), (\d+)", said)
    if len(sent) != 2 or any(formula != f"{bytes_} bytes, {count} messages" for formula, bytes_, count in sent):
        problems.append(f"{box} on {ranks} ranks: what is sent is not what the formulas say: {sent}")
said = run(2, many_ranks, "48", "40", "1", "2", "--overlap")
if "apart: 0\n" not in said:
    problems.append(f"inner cells while messages travel: {said!r}")
page = Path(sys.argv[3]).with_name("costs.md").read_text(encoding="utf-8")


def counted(box, settings):
    """What a solution for the pressure on four ranks takes: iterations, operations a cell of the set-up and of the
    solution, and the solution's messages."""
    said = run(4, many_ranks, *box.split(), "1", "--pressure", *settings.split())
    print(f"{box}, {settings or 'our settings'}: {said}")
    found = re.search(r"set-up: (\d+) operations.*\nsolution: (\d+) iterations, (\d+) operations a cell, (\d+) messages", said)
    if not found:
        return [0, 0, 0, 0]
    set_up, iterations, solution, messages = map(int, found.groups())
    return [iterations, set_up, solution, messages]


rows = re.findall(r"^\| (ours|`-\S+ \S+`) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, flags=re.M)
if len(rows) != 8:
    problems.append(f"costs.md has {len(rows)} of PETSc's settings")
version = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout
said = re.search(r"PETSc (\d+\.\d+) counts them", page)
allowed = 0.02 if said and version.startswith(said[1] + ".") else 0.4  # of the figures: each PETSc counts otherwise
for settings, *figures in rows:
    ours = counted("512 512 1", settings.strip("`").replace("ours", ""))
    figures = [int(figure) for figure in figures]
    if any(abs(count - figure) > max(allowed * figure, 1) for count, figure in zip(ours, figures, strict=True)):
        problems.append(f"PETSc's settings, {settings}: {ours}, and costs.md says {figures}")
for words, box, settings in ((r"\$64\^3\$ cells, our set-up takes (\d+)", "64 64 64", ""),
                             (r"3830 points it takes (\d+)", "64 64 64", "-pc_gamg_coarse_eq_limit 10000"),
                             (r"\$512\^2\$ cells, take only (\d+)", "512 512 1", "-pc_gamg_coarse_eq_limit 50000")):
    said = re.search(words, page)
    set_up = counted(box, settings)[1]
    if not said or abs(set_up - int(said[1])) > allowed * int(said[1]):
        problems.append(f"{box} {settings}: {set_up} operations a cell, which costs.md does not say")
said = run(4, many_ranks, "96", "96", "96", "1", "--costs")
print(said)
step = re.search(r"by count (\d+), (\d+)\nthe solvers of a step: (\d+) bytes, (\d+) messages", said)
memory = re.search(r"(\d+) bytes a cell of its block", said)
words = re.search(r"exchanges send (\S+) MB in (\d+) messages, and its solvers (\S+) MB in (\d+)", page)
if not step or not words or f"{int(step[1]) / 1e6:.1f}" != words[1] or step[2] != words[2] or any(
        abs(float(count) - float(figure)) > allowed * float(figure)
        for count, figure in ((float(step[3]) / 1e6, words[3]), (step[4], words[4]))):
    problems.append(f"a step in 96^3 cells sends {step and step.groups()}, and costs.md says {words and words.groups()}")
words = re.search(r"a rank took (\d+) bytes a cell", page)
if not memory or not words or abs(int(memory[1]) - int(words[1])) > 0.1 * int(words[1]) + allowed * 1000:
    problems.append(f"memory: {memory and memory[1]} bytes a cell, and costs.md says {words and words[1]}")
for ranks in (1, 2):
    said = run(ranks, many_ranks, "48", "32", "1", "2", *["--one"] * (ranks == 1))
    print(said)
    if f"{ranks} ranks" not in said:
        problems.append(f"{ranks} ranks make no step: {said}")

for box, ours, theirs in (("512 512 1", "4.992", "8.977"), ("64 64 64", "6.906", "26.165")):
    stored = re.findall(r"^(our rows|box stencil) +(\S+)", run(1, many_ranks, *box.split(), "1", "--matrix"), flags=re.M)
    print(f"{box}: {stored}")
    if stored != [("our rows", ours), ("box stencil", theirs)]:
        problems.append(f"{box}: numbers a row are {stored}")

said = re.search(r"one to four ranks take at most (\d+) iterations to 1e-6", lesson)
if not said:
    problems.append("the lesson no longer says how many iterations one to four ranks take")
found = re.findall(r"to 1e-6: iterations +\S+ \S+ +(\d+) (\d+)|\^3: the same +\S+ \S+ +(\d+) (\d+)",
                   run(4, program, "--numbers", "--long"))  # one rank's are looked at as those of each chapter
counts = [int(count) for row in found for count in row if count]
print(f"to 1e-6 on 4 ranks: {counts}")
if said and (len(counts) < 8 or not int(said[1]) - 1 <= max(counts) <= int(said[1])):  # newer PETSc may need one less
    problems.append(f"iterations on 4 ranks: {counts}, and the lesson says at most {said[1]}")
finish("figures of ranks", problems)
