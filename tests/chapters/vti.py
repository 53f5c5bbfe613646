"""Reads what 21_3d --vti writes with VTK's own reader, the one that ParaView uses, and compares it with
the state that --save writes. Needs VTK's Python module: without it it says so and exits with 77, which
CTest reports as skipped.

usage: vti.py PROGRAM
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader
except ImportError:
    # The distribution's module belongs to the distribution's Python, which need not be this one.
    theirs = "/usr/bin/python3"
    if os.path.exists(theirs) and not os.path.samefile(sys.executable, theirs):
        os.execv(theirs, [theirs, *sys.argv])
    print("skipped: no Python module of VTK here (package python3-vtk9)")
    sys.exit(77)

program = str(Path(sys.argv[1]).resolve())
N = 9
with tempfile.TemporaryDirectory() as folder:
    vti, state = Path(folder) / "cube.vti", Path(folder) / "cube.csv"
    subprocess.run([program, "--headless", "--n", str(N), "--steps", "3", "--scene", "jets",
                    "--vti", str(vti), "--save", str(state)], check=True)
    rows = list(csv.DictReader(state.open(encoding="utf-8")))
    reader = vtkXMLImageDataReader()
    reader.SetFileName(str(vti))
    if not reader.CanReadFile(str(vti)):
        sys.exit("FAILED: VTK says that it cannot read this file")
    reader.Update()
    image = reader.GetOutput()

problems = []
if image.GetDimensions() != (N + 1, N + 1, N + 1):
    problems.append(f"the corners are {image.GetDimensions()}")
if max(abs(a - 1 / (N - 2)) for a in image.GetSpacing()) > 1e-12:
    problems.append(f"cells are {image.GetSpacing()} wide")
if max(abs(a + 1 / (N - 2)) for a in image.GetOrigin()) > 1e-12:
    problems.append(f"the origin is {image.GetOrigin()}: walls lie outside of 0 to 1")
density, velocity = (image.GetCellData().GetArray(name) for name in ("density", "velocity"))
if not density or not velocity or velocity.GetNumberOfComponents() != 3:
    sys.exit("FAILED: density or velocity is missing")
different = 0
for row in rows:
    i, j, k = (int(row[name]) for name in "ijk")
    cell = image.ComputeCellId([i, j, k])
    found = [density.GetTuple1(cell), *velocity.GetTuple3(cell)]
    expected = [float(row[name]) for name in ("density", "u", "v", "w")]
    # The state has nine digits of each float, which is all of it; as doubles they differ beyond.
    different += any(abs(a - b) > 1e-8 * max(1, abs(b)) for a, b in zip(found, expected))
if different:
    problems.append(f"{different} of {len(rows)} cells differ from the state that was saved")
if max(float(row["density"]) for row in rows) < 0.5 or max(float(row["w"]) for row in rows) < 0.1:
    problems.append("there is nothing in the cube to compare")
for problem in problems:
    print(f"FAILED: {problem}")
print(f"{len(rows)} cells read by VTK, {len(problems)} problems")
sys.exit(1 if problems else 0)
