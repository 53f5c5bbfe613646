"""Runs 53_many on one rank and on several, and looks whether the fluid is that of 31_smoke, also from a state that
another number of ranks has saved; gives it boxes that cannot be shared, options that PETSc does not know, a full disk,
too little memory; and kills a rank.

usage: ranks.py PROGRAM PROGRAM_OF_31_SMOKE
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
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ON_RANKS

program, before = (str(Path(path).resolve()) for path in sys.argv[1:3])
environment = {**{key: value for key, value in os.environ.items() if key != "DISPLAY"},
               **ON_RANKS}
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


def without_explanation(said):
    """What the program said, without mpiexec's own words on its exit status, between two rules: Open MPI 5 cannot be
    told to leave them out."""
    return re.sub(r"^-{70,}\n.*?^-{70,}\n\0?", "", said, flags=re.S | re.M)


def refused(ranks, *flags, naming):
    before = sorted(os.listdir("."))
    done = run(ranks, *flags)
    check(done.returncode == 2, f"{ranks} ranks, {flags}: status {done.returncode}, not 2")
    lines = without_explanation(done.stderr).splitlines()
    check(len(lines) == 1 and lines[0].startswith("53_many: "), f"{ranks} ranks, {flags}: not one line, but "
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


CHANNEL = ("--nx", "33", "--ny", "15", "--cell-size", "0.05", "--scene", "drag", "--left", "inflow", "--right",
           "outflow", "--inflow", "1", "--body-size", "0.3", "--body-x", "0.8", "--body-y", "0.35", "--nu", "0.01",
           "--body-velocity-x", "0.3", "--dt", "0.02")
SCENES = {  # the flags, how many steps, and on how many ranks; 53_many.cpp makes 20 steps
    "a closed box": (("--nx", "31", "--ny", "17", "--scene", "swirl", "--dt", "0.1", "--force-y", "0.5",
                      "--velocity-add-scale", "0.02", "--nu", "0"), 4, (1, 3)),
    "a channel, a body that moves from rank to rank": (CHANNEL, 4, (1, 2, 4)),
    "a plume around a ball": (("--nx", "10", "--ny", "14", "--nz", "9", "--scene", "plume-and-sphere"), 4, (2, 4)),
}
EXACT = ("--tolerance", "1e-12", "--iterations", "1000")


def same_fluid():
    """Closed, open, with a body, with smoke, of odd sizes."""
    for name, (scene, steps, all_ranks) in SCENES.items():
        flags = ["--headless", *scene, *EXACT, "--steps", str(steps)]
        subprocess.run([before, *flags, "--save", "expected.csv"], check=True, env=environment, timeout=LIMIT)
        check(max(abs(float(row[4])) for row in rows("expected.csv")[1:] if row[4]) > 0.01, f"{name}: nothing flows")
        for ranks in all_ranks:
            Path("found.csv").write_text("i,j,k\n")
            good(ranks, *flags, "--save", "found.csv")
            off = largest_difference("expected.csv", "found.csv")
            check(off < 1e-8, f"{name} on {ranks} ranks: off by {off}")
            print(f"{name} on {ranks} ranks: {off:.1e} from 31_smoke")


def goes_on():
    """What three ranks have saved, two load and go on from."""
    flags = ["--headless", *CHANNEL, *EXACT]
    subprocess.run([before, *flags, "--steps", "6", "--save", "expected.csv"], check=True, env=environment,
                   timeout=LIMIT)
    good(3, *flags, "--steps", "3", "--save", "half.csv")
    good(2, "--headless", "--load", "half.csv", *EXACT, "--dt", "0.02", "--steps", "3", "--save", "found.csv")
    off = largest_difference("expected.csv", "found.csv")
    check(off < 1e-8, f"a state of 3 ranks, loaded by 2: off by {off}")


def no_zeros():
    """PETSc stores what A has, and no zeros: each cell's diagonal, and a weight for each of its neighbours."""
    for nx, ny, nz in ((32, 24, 1), (8, 6, 4)):
        expected = 7 * nx * ny * nz - 2 * (ny * nz + nx * nz + nx * ny)
        done = run(2, "--headless", "--nx", str(nx), "--ny", str(ny), "--nz", str(nz), "--steps", "1",
                   "--scene", "swirl", "--nu", "0", "--", "-mat_view", "::ascii_info")
        stored = [int(number) for number in re.findall(r"total: nonzeros=(\d+)", done.stdout)]
        check(expected in stored, f"{nx} x {ny} x {nz}: no matrix stores {expected} numbers, but {stored}")


def pieces_of(index, what):
    """What the pieces say of each cell, the fields in their order, the velocity's three last; all their words are looked
    at."""
    tree = ElementTree.parse(index).getroot()
    image = tree.find("PImageData")
    check(tree.get("type") == "PImageData" and image.get("GhostLevel") == "0", f"{what}: {tree.attrib}")
    whole = image.attrib["WholeExtent"]
    fields = [(field.get("Name"), int(field.get("NumberOfComponents"))) for field in image.find("PCellData")]
    check(fields == [("density", 1), ("smoke", 1), ("temperature", 1), ("pressure", 1), ("solid", 1), ("velocity", 3)],
          f"{what}: {fields}")
    seen = {}
    for piece in image.findall("Piece"):
        extent, source = piece.get("Extent"), piece.get("Source")
        head, data = Path(source).read_bytes().split(b'<AppendedData encoding="raw">\n_', 1)
        box = ElementTree.fromstring(head + b"</VTKFile>")
        check(box.get("byte_order") == tree.get("byte_order") and box.get("header_type") == "UInt64",
              f"{source}: {box.attrib}, and the index has {tree.attrib}")
        check(box.find("ImageData").get("Spacing") == image.get("Spacing") and
              box.find("ImageData").get("Origin") == image.get("Origin"), f"{source}: cells of another size or place")
        check(box.find("ImageData/Piece").get("Extent") == extent, f"{source}: another extent than in the index")
        x0, x1, y0, y1, z0, z1 = (int(word) for word in extent.split())
        cells = [(i, j, k) for k in range(z0, z1) for j in range(y0, y1) for i in range(x0, x1)]
        columns = []
        for array, (name, components) in zip(box.find("ImageData/Piece/CellData"), fields, strict=True):
            start, count = int(array.get("offset")), components * len(cells)
            check((array.get("type"), array.get("Name"), array.get("NumberOfComponents"))
                  == ("Float32", name, str(components)), f"{source}: {array.attrib}")
            size, = struct.unpack("<Q", data[start:start + 8])
            check(size == 4 * count, f"{source}: {size} bytes of {name}, not {4 * count}")
            values = struct.unpack(f"<{count}f", data[start + 8:start + 8 + 4 * count])
            columns += [values[part::components] for part in range(components)]
        check(not set(cells) & set(seen), f"{source}: a cell is in two pieces")
        seen.update(zip(cells, zip(*columns)))
    return whole, seen


CELL_FIELDS = ("density", "smoke", "temperature", "p", "solid")


def cells_of(path):
    """The same from a state file, where each cell has the velocity of its left, upper and front face."""
    header, *lines = rows(path)
    state = {tuple(int(place) for place in row[:3]): dict(zip(header, row)) for row in lines}
    cells = {}
    for (i, j, k), row in state.items():
        if row["density"]:
            beyond = (("u", (i + 1, j, k)), ("v", (i, j + 1, k)), ("w", (i, j, k + 1)))
            cells[i, j, k] = (*(float(row[name]) for name in CELL_FIELDS),
                              *((float(row[name]) + float(state[there][name])) / 2 for name, there in beyond))
    return cells


DYED = ("--scene", "swirl", "--velocity-add-scale", "0.05", "--shape", "sphere", "--body-size", "0.5", "--body-x", "0.65",
        "--body-y", "0.5", "--force-z", "0.3", "--cell-size", "0.25")  # all fields, a body's cells too, are not 0


def vtk_pieces():
    """Each cell of the box is in one piece, and holds what the state has, whatever the number of ranks."""
    for size in ((12, 7, 1), (8, 5, 6)):
        nx, ny, nz = (str(count) for count in size)
        for ranks in (1, 3):
            what = f"{' x '.join((nx, ny, nz))} on {ranks} ranks"
            for path in Path().glob("run*"):
                path.unlink()
            good(ranks, "--headless", "--nx", nx, "--ny", ny, "--nz", nz, "--steps", "2", *DYED,
                 "--pvti", "run.pvti", "--save", "run.csv")
            check(len(list(Path().glob("run*.vti"))) == ranks, f"{what}: {os.listdir()}")
            whole, seen = pieces_of("run.pvti", what)
            check(whole == f"0 {nx} 0 {ny} 0 {nz}", f"{what}: the whole box is {whole}")
            state = cells_of("run.csv")
            check(set(seen) == set(state), f"{what}: {len(seen)} cells in the pieces, {len(state)} in the box")
            check(len(state) == size[0] * size[1] * size[2], f"{what}: the state has {len(state)} cells")
            for column, name in enumerate((*CELL_FIELDS, "u", "v", "w")):
                largest = max(abs(numbers[column]) for numbers in state.values())
                off = max(abs(seen[cell][column] - state[cell][column]) for cell in state if cell in seen)
                is_flat = name == "w" and size[2] == 1
                check(is_flat or largest > 0.1, f"{what}: nothing is to be seen of {name}")
                check(off <= 2e-7 * largest, f"{what}: the pieces' {name} is off by {off}")
            read_by_vtk(state, size, what)


def read_by_vtk(state, size, what):
    """VTK's own reader, which ParaView uses, where there is one."""
    script = ("import sys; from vtkmodules.vtkIOXML import vtkXMLPImageDataReader as R; r = R(); "
              "r.SetFileName('run.pvti'); r.Update(); o = r.GetOutput(); "
              "print(*o.GetDimensions(), *o.GetSpacing()); d = o.GetCellData(); "
              "a = [d.GetArray(name) for name in ('density', 'pressure', 'solid', 'velocity')]; "
              "[print(*x.GetTuple(k)) for x in a for k in range(x.GetNumberOfTuples())]")
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", script], capture_output=True, text=True)
        if done.returncode == 0:
            first, *lines = done.stdout.splitlines()
            corners = " ".join(str(count + 1) for count in size)
            check(first == f"{corners} 0.25 0.25 0.25", f"{what}: VTK reads a box of {first}")
            order = sorted(state, key=lambda cell: cell[::-1])
            expected = [[state[cell][column]] for column in (0, 3, 4) for cell in order]
            expected += [state[cell][5:] for cell in order]
            off = max(abs(float(a) - b) for line, row in zip(lines, expected, strict=True)
                      for a, b in zip(line.split(), row, strict=True))
            check(off < 1e-5, f"{what}: what VTK reads is off by {off}")  # the pressure is about 50
            print(f"VTK has read {what}, {len(lines)} tuples: {off:.1e} from the state")
            return
    print("no Python module of VTK here (package python3-vtk9): its reader is not tried")


def bad_input():
    refused(4, "--headless", "--nx", "3", "--ny", "1", naming="4 ranks cannot share 3 x 1 x 1")
    refused(3, "--headless", "--nx", "2", "--ny", "2", naming="fewer ranks")
    refused(2, "--headless", "--n", "0", naming="--n")
    refused(2, "--headless", "--steps", "1", "--", "-pc_tipe", "gamg", naming="-pc_tipe")
    refused(2, "--headless", "--steps", "1", "--", "-pc_type", "gammag", naming="gammag")
    refused(2, "--headless", "--pvti", "no/folder/x.pvti", naming="no/folder")
    if Path("/dev/full").exists():
        os.symlink("/dev/full", "full_1.vti")
        refused(2, "--headless", "--steps", "1", "--pvti", "full.pvti", naming="full_1.vti")
        os.unlink("full_1.vti")
    good(2, "--headless", "--steps", "1", "--", "-pc_type", "jacobi", "-ksp_rtol", "1e-6")
    good(3, "--headless", "--n", "12", "--scene", "swirl", "--dt", "40", "--steps", "3")  # many ghost cells


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


def out_of_memory():
    """A box too large for one rank, for some, or for all: one of them says so, and all end."""
    def limited(who, kilobytes, ranks, *flags):
        script = (f'case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in {who}) ulimit -v {kilobytes} ;; esac; '
                  'exec "$0" "$@"')
        return subprocess.run(["mpiexec", "-n", str(ranks), "sh", "-c", script, program, "--headless",
                               "--scene", "none", "--steps", "1", *flags], capture_output=True, text=True,
                              env=environment, timeout=LIMIT)
    step = 256 * 1024
    for kilobytes in range(2 * step, 17 * step, step):  # what MPI needs in any case
        if limited("?", kilobytes, 3, "--n", "16").returncode == 0:
            break
    else:
        print("out of memory is not tried: ulimit -v has no effect here, or MPI needs much")
        return
    for who, words in ((0, "the first rank"), (1, "the second"), ("[12]", "all but the first"), ("?", "all")):
        try:
            done = limited(who, kilobytes, 3, "--n", "2048")
        except subprocess.TimeoutExpired:
            problems.append(f"too little memory for {words}: it hangs")
            continue
        lines = without_explanation(done.stderr).splitlines()
        check(done.returncode != 0, f"too little memory for {words}: mpiexec's status is 0")
        check(len(lines) == 1 and lines[0].startswith("53_many: not enough memory"),
              f"too little memory for {words}: not one line, but {done.stderr!r}")


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
    goes_on()
    no_zeros()
    vtk_pieces()
    bad_input()
    full_disk()
    if Path("/proc/self/task").exists():
        killed_rank()
        out_of_memory()
    done = run(2, "--numbers")
    check(done.returncode == 0 and "DIFFERS" not in done.stdout, f"--numbers on 2 ranks: {done.stdout}")
    os.chdir("/")
for problem in problems:
    print(f"FAILED: {problem}")
print(f"ranks: {len(problems)} problems")
sys.exit(1 if problems else 0)
