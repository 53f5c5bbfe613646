"""Runs 34_many on one rank and on several, and looks whether the fluid is that of 32_multigrid; gives it boxes
that cannot be shared, options that PETSc does not know, a full disk; and kills a rank.

usage: ranks.py PROGRAM PROGRAM_OF_32_MULTIGRID
"""

import csv
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

program, before = (str(Path(path).resolve()) for path in sys.argv[1:3])
environment = {**{key: value for key, value in os.environ.items() if key != "DISPLAY"},
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_orte_execute_quiet": "1"}
LIMIT = 120  # seconds, against hanging
problems = []
if shutil.which("mpiexec") is None:
    print("skipped: no mpiexec here (package openmpi-bin)")
    sys.exit(77)


def check(good, what):
    if not good:
        problems.append(what)


def run(ranks, *flags):
    return subprocess.run(["mpiexec", "-n", str(ranks), program, *flags], capture_output=True, text=True,
                          env=environment, timeout=LIMIT)


def good(ranks, *flags):
    done = run(ranks, *flags)
    check(done.returncode == 0 and not done.stderr, f"{ranks} ranks, {flags}: status {done.returncode}, "
          f"{done.stderr!r}")


def refused(ranks, *flags, naming):
    before = sorted(os.listdir("."))
    done = run(ranks, *flags)
    check(done.returncode == 2, f"{ranks} ranks, {flags}: status {done.returncode}, not 2")
    lines = done.stderr.splitlines()
    check(len(lines) == 1 and lines[0].startswith("34_many: "), f"{ranks} ranks, {flags}: not one line, but "
          f"{done.stderr!r}")
    check(naming in done.stderr, f"{ranks} ranks, {flags}: {done.stderr!r} does not name {naming!r}")
    check(sorted(os.listdir(".")) == before, f"{ranks} ranks, {flags}: left something behind")


def rows(path):
    return list(csv.reader(Path(path).open(encoding="utf-8")))


def largest_difference(one, another):
    """Of two state files; the pressure's, column p, too."""
    largest = 0.0
    for row, other in zip(rows(one)[1:], rows(another)[1:], strict=True):
        for a, b in zip(row[3:], other[3:], strict=True):
            check((a == "") == (b == ""), f"{one} and {another} do not have the same numbers")
            largest = max(largest, abs(float(a) - float(b)) if a and b else 0.0)
    return largest


def same_fluid():
    """Boxes of all shapes, on any number of ranks, with a fluid fast enough to need several ghost cells."""
    for size, dt in ((("--nx", "24", "--ny", "16"), "0.2"), (("--nx", "15", "--ny", "8"), "0.1"),
                     (("--nx", "31", "--ny", "17"), "0.1"),
                     (("--nx", "9", "--ny", "6", "--nz", "5"), "0.1")):
        flags = ["--headless", *size, "--scene", "swirl", "--steps", "4", "--dt", dt, "--tolerance", "1e-12",
                 "--force-y", "0.5", "--velocity-add-scale", "0.02"]
        subprocess.run([before, *flags, "--save", "expected.csv"], check=True, env=environment, timeout=LIMIT)
        check(max(abs(float(row[4])) for row in rows("expected.csv")[1:] if row[4]) > 0.01, "nothing flows")
        for ranks in (1, 2, 3, 4):
            Path("found.csv").write_text("i,j,k\n")
            good(ranks, *flags, "--save", "found.csv")
            off = largest_difference("expected.csv", "found.csv")
            check(off < 1e-8, f"{ranks} ranks, {size}: off by {off}")
            print(f"{' '.join(size)} on {ranks} ranks: {off:.1e} from 32_multigrid")


def vtk_pieces():
    """Each cell of the box is in one piece, and holds what the state has."""
    good(3, "--headless", "--nx", "12", "--ny", "7", "--steps", "2", "--pvti", "run.pvti", "--save", "run.csv")
    index = Path("run.pvti").read_text()
    check('WholeExtent="0 12 0 7 0 1"' in index, f"the whole box: {index}")
    state = {tuple(int(place) for place in row[:3]): float(row[3]) for row in rows("run.csv")[1:] if row[3]}
    seen = {}
    for extent, source in re.findall(r'<Piece Extent="([^"]*)" Source="([^"]*)"', index):
        head, data = Path(source).read_bytes().split(b'<AppendedData encoding="raw">\n_')
        check(f'<Piece Extent="{extent}">'.encode() in head, f"{source}: another extent than in the index")
        x0, x1, y0, y1, z0, z1 = (int(word) for word in extent.split())
        cells = [(i, j, k) for k in range(z0, z1) for j in range(y0, y1) for i in range(x0, x1)]
        values = struct.unpack(f"<{len(cells)}f", data[8:8 + 4 * len(cells)])
        check(not set(cells) & set(seen), f"{source}: a cell is in two pieces")
        seen.update(zip(cells, values))
    check(set(seen) == set(state), f"{len(seen)} cells in the pieces, {len(state)} in the box")
    off = max(abs(seen[cell] - state[cell]) for cell in state if cell in seen)
    check(off < 1e-6 and max(state.values()) > 0.1, f"the pieces' dye is off by {off}")
    read_by_vtk(state)


def read_by_vtk(state):
    """VTK's own reader, which ParaView uses, where there is one."""
    script = ("import sys; from vtkmodules.vtkIOXML import vtkXMLPImageDataReader as R; r = R(); "
              "r.SetFileName('run.pvti'); r.Update(); o = r.GetOutput(); "
              "a = o.GetCellData().GetArray('density'); "
              "print(o.GetDimensions(), sum(a.GetTuple1(k) for k in range(a.GetNumberOfTuples())))")
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", script], capture_output=True, text=True)
        if done.returncode == 0:
            dimensions, total = done.stdout.rsplit(" ", 1)
            check(dimensions == "(13, 8, 2)", f"VTK reads a box of {dimensions}")
            check(abs(float(total) - sum(state.values())) < 1e-4, f"VTK reads {total} of dye in all")
            print("VTK has read run.pvti")
            return
    print("no Python module of VTK here (package python3-vtk9): its reader is not tried")


def bad_input():
    refused(4, "--headless", "--nx", "3", "--ny", "1", naming="4 ranks cannot share 3 x 1 x 1")
    refused(3, "--headless", "--nx", "2", "--ny", "2", naming="fewer ranks")
    refused(2, "--headless", "--n", "0", naming="--n")
    refused(2, "--headless", "--steps", "1", "--", "-pc_tipe", "gamg", naming="-pc_tipe")
    refused(2, "--headless", "--steps", "1", "--", "-pc_type", "gammag", naming="gammag")
    refused(3, "--headless", "--n", "24", "--scene", "swirl", "--dt", "40", "--steps", "9", naming="--dt")
    refused(2, "--headless", "--pvti", "no/folder/x.pvti", naming="no/folder")
    if Path("/dev/full").exists():
        os.symlink("/dev/full", "full_1.vti")
        refused(2, "--headless", "--steps", "1", "--pvti", "full.pvti", naming="full_1.vti")
        os.unlink("full_1.vti")
    good(2, "--headless", "--steps", "1", "--", "-pc_type", "gamg", "-ksp_rtol", "1e-6")


def full_disk():
    """A disk that fills up while the ranks write: no rank leaves its own piece, and one says why."""
    os.mkdir("small")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", "small"], capture_output=True).returncode:
        print("a full disk is not tried: only root may mount one")
        return
    try:
        done = run(2, "--headless", "--n", "128", "--steps", "1", "--pvti", "small/big.pvti")
        check(done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "cannot be written" in done.stderr,
              f"a full disk: status {done.returncode}, {done.stderr!r}")
        check(os.listdir("small") == [], f"a full disk: {os.listdir('small')} are left behind")
    finally:
        subprocess.run(["umount", "small"], check=True)


def killed_rank():
    """mpiexec ends the others, in time, and says so by its status."""
    running = subprocess.Popen(["mpiexec", "-n", "3", program, "--headless", "--n", "256", "--steps", "100000"],
                               env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    ranks = []
    end = time.time() + 30
    while len(ranks) < 3 and time.time() < end:
        time.sleep(0.2)
        ranks = [int(pid) for pid in Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()]
    time.sleep(1.0)
    check(len(ranks) == 3, f"mpiexec has {len(ranks)} children")
    if ranks:
        os.kill(ranks[-1], signal.SIGKILL)
    try:
        running.wait(timeout=60)
    except subprocess.TimeoutExpired:
        running.kill()
        problems.append("a rank is killed, and the others go on")
        return
    check(running.returncode != 0, "a rank is killed, and mpiexec's status is 0")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    same_fluid()
    vtk_pieces()
    bad_input()
    full_disk()
    if Path("/proc/self/task").exists():
        killed_rank()
    done = run(2, "--numbers")
    check(done.returncode == 0 and "DIFFERS" not in done.stdout, f"--numbers on 2 ranks: {done.stdout}")
    os.chdir("/")
for problem in problems:
    print(f"FAILED: {problem}")
print(f"ranks: {len(problems)} problems")
sys.exit(1 if problems else 0)
