"""Reads what --vti and --vdb write of a smoke in a box, and compares it with the state that --save writes.

usage: exports.py PROGRAM
"""

import csv
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

program = str(Path(sys.argv[1]).resolve())
nx, ny, nz, steps = 7, 11, 5, 3
problems = []


def run(folder, *flags):
    return subprocess.run([program, "--headless", "--nx", str(nx), "--ny", str(ny), "--nz", str(nz), "--scene",
                           "plume", "--dt", "0.1", "--steps", str(steps), *flags], cwd=folder, capture_output=True, text=True)


def fields_in(path):
    """The fields of a .vti file by their names, each a list of numbers, and its box of cells."""
    text = path.read_bytes()
    header, data = text.split(b'<AppendedData encoding="raw">', 1)
    data = data[data.index(b"_") + 1:]
    header = header.decode()
    wide = "UInt64" in re.search(r'header_type="(\w+)"', header)[1]
    found = {}
    for array in re.findall(r"<DataArray[^>]*>", header):
        at = int(re.search(r'offset="(\d+)"', array)[1])
        size = struct.unpack_from("<Q" if wide else "<I", data, at)[0]
        at += 8 if wide else 4
        found[re.search(r'Name="(\w+)"', array)[1]] = struct.unpack_from(f"<{size // 4}f", data, at)
    return found, re.search(r'WholeExtent="([^"]*)"', header)[1]


with tempfile.TemporaryDirectory() as folder:
    done = run(folder, "--vti", "smoke_##.vti", "--save", "state.csv")
    if done.returncode != 0:
        sys.exit(f"FAILED: status {done.returncode}: {done.stderr}")
    names = sorted(path.name for path in Path(folder).glob("*.vti"))
    if names != [f"smoke_{step:02}.vti" for step in range(steps + 1)]:
        problems.append(f"the start and each step should have a file; there are {names}")
    fields, extent = fields_in(Path(folder) / f"smoke_{steps:02}.vti")
    if extent != f"0 {nx} 0 {ny} 0 {nz}":
        problems.append(f"the box is {extent}")
    with (Path(folder) / "state.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    at = {tuple(int(row[name]) for name in "ijk"): row for row in rows}
    for name, column in (("smoke", "smoke"), ("temperature", "temperature"), ("dye", "density")):
        for place, value in enumerate(fields[name]):
            i, j, k = place % nx, place // nx % ny, place // (nx * ny)
            expected = float(at[i, j, k][column])
            if abs(value - expected) > 1e-6 * max(1.0, abs(expected)):
                problems.append(f"{name} of cell ({i}, {j}, {k}) is {value}, and not {expected}")
                break
    for axis, name in enumerate("uvw"):
        for place in range(nx * ny * nz):
            i, j, k = place % nx, place // nx % ny, place // (nx * ny)
            beyond = (i + (axis == 0), j + (axis == 1), k + (axis == 2))
            expected = 0.5 * (float(at[i, j, k][name]) + float(at[beyond][name]))
            value = fields["velocity"][3 * place + axis]
            if abs(value - expected) > 1e-6 * max(1.0, abs(expected)):
                problems.append(f"{name} in the middle of cell ({i}, {j}, {k}) is {value}, and not {expected}")
                break
    if max(fields["smoke"]) < 0.5 or max(map(abs, fields["velocity"])) < 0.1:
        problems.append("there is nothing in the box to compare")

    done = run(folder, "--vdb", "smoke.vdb")
    written = Path(folder) / "smoke.vdb"
    if done.returncode == 0:
        content = written.read_bytes()
        if not content.startswith(b" BDV") or any(name not in content for name in (b"smoke", b"velocity")):
            problems.append("smoke.vdb is no OpenVDB file with smoke and velocity in it")
    elif "built without OpenVDB" not in done.stderr or done.stderr.count("\n") != 1 or written.exists():
        problems.append(f"--vdb: status {done.returncode}, {done.stderr}")

for problem in problems:
    print(f"FAILED: {problem}")
print(f"exports: {len(problems)} problems")
sys.exit(1 if problems else 0)
