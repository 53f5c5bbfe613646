"""Checks that the browser edition's programs compute and draw what the native ones do.

usage: agree.py --code DIR --bin DIR [--skip-numbers] [--last | CHAPTER...]
       --last   only the chapters that have all the code of those that they follow

Under Node, each chapter's --numbers passes. After the scene of its lesson's first picture, --save writes what
the native program writes, and --png draws it. Where a file may differ, a table below says by how much, and why.
77: there is no Node, or no program.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "common" / "book"), str(HERE.parent / "support")]
from book import last_of_lines, manifest  # noqa: E402
from pixels import pixels  # noqa: E402

# How far numbers of a state may lie apart, relative to the largest of their column. The two C libraries, glibc
# and musl, differ in the last digit of some values of sin, cos, exp and pow: in the vortices of 14, 41 and 61, and
# the kick of 17 from the start, in the sources of 18 and 19 after the first step. A fire is chaotic. There the
# difference grows tenfold every 15 steps or so, from 1e-16 to 3e-5 in the 150 steps of the lesson's picture.
LAST_DIGITS = {"16_sharp": 1e-12, "19_obstacles": 1e-12, "31_smoke": 1e-10, "32_fire": 1e-3, "41_particles": 1e-12,
               "61_adjoint": 1e-12}

# How many pixels may differ: words that tell what is left by rounding, such as "max div 3e-14".
PIXELS = {"16_sharp": 1000, "19_obstacles": 1500, "31_smoke": 1500, "32_fire": 1500, "52_fast": 100}


def commands(code, binaries, chapter):
    program = code / (chapter.folder + ".js")
    return ["node", str(HERE / "run.js"), str(program)], [str(binaries / chapter.folder)]


def run(command, folder):
    """Its output, or an error message."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    seconds = time.monotonic() - began
    said = (done.stderr.strip().splitlines() or [""])[-1]
    return done.returncode, done.stdout, said, seconds


def lesson_flags(chapter):
    """The flags of the lesson's first picture."""
    text = chapter.path("README.md").read_text(encoding="utf-8")
    return shlex.split(re.search(r"<!-- picture picture\.png: (.*?) -->", text)[1])


def far_apart(ours, native):
    """The largest difference of two state files, relative to the largest number of its column; infinity if
    they do not even have the same rows."""
    rows = [[line.split(",") for line in file.read_text().splitlines()] for file in (ours, native)]
    if len(rows[0]) != len(rows[1]) or rows[0][0] != rows[1][0]:
        return float("inf")
    largest = 0.0
    for ours_column, native_column in zip(zip(*rows[0][1:]), zip(*rows[1][1:])):
        if ours_column == native_column:
            continue
        pairs = [(float(one or "nan"), float(other or "nan"))
                 for one, other in zip(ours_column, native_column) if one != other]
        scale = max(abs(float(word)) for word in native_column if word)
        apart = max(abs(one - other) for one, other in pairs)
        largest = max(largest, apart / scale if scale > 0 else float("inf"))
    return largest


def different_pixels(ours, native):
    one, other = pixels(ours), pixels(native)
    if one[:2] != other[:2]:
        return -1
    if one[2] == other[2]:
        return 0
    return sum(one[2][k:k + 4] != other[2][k:k + 4] for k in range(0, len(one[2]), 4))


def check_numbers(code, binaries, chapter):
    node, _ = commands(code, binaries, chapter)
    status, printed, said, seconds = run([*node, "--numbers"], None)
    if status != 0 or "DIFFERS" in printed or "difference" not in printed:
        yield f"{chapter.folder}: --numbers under Node: status {status} {said}"
    print(f"{chapter.folder}: --numbers took {seconds:.1f} s under Node", flush=True)


def check_scene(code, binaries, chapter):
    """The lesson's first picture, and the state behind it."""
    flags = lesson_flags(chapter)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        seconds = []
        for name, command in zip(("node", "native"), commands(code, binaries, chapter)):
            files = ["--save", f"{name}.csv", "--png", f"{name}.png"]
            status, _, said, took = run([*command, *flags, *files], folder)
            seconds.append(took)
            if status != 0:
                yield f"{chapter.folder}: {' '.join(flags)}: {name} says {said}"
                return
        apart = 0.0
        names = sorted(file.name[len("native"):] for file in folder.glob("native.csv*"))
        for ending in names:
            ours, native = folder / f"node{ending}", folder / f"native{ending}"
            if ours.read_bytes() != native.read_bytes():
                apart = max(apart, far_apart(ours, native))
        different = different_pixels(folder / "node.png", folder / "native.png")
    if apart > LAST_DIGITS.get(chapter.folder, 0.0):
        yield f"{chapter.folder}: the saved state differs by {apart:.1e}"
    if not 0 <= different <= PIXELS.get(chapter.folder, 0):
        yield f"{chapter.folder}: {different} pixels differ"
    print(f"{chapter.folder}: state {'equal' if apart == 0.0 else f'within {apart:.0e}'}, "
          f"{different} pixels differ; {seconds[0]:.1f} s under Node, {seconds[1]:.1f} s natively", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--skip-numbers", action="store_true")
    parser.add_argument("--last", action="store_true")
    parser.add_argument("chapters", nargs="*")
    asked = parser.parse_args()
    code, binaries = asked.code.resolve(), asked.bin.resolve()
    if not shutil.which("node"):
        print("SKIPPED: there is no Node here (Debian: apt install nodejs)")
        sys.exit(77)
    chapters = [chapter for chapter in (last_of_lines(manifest()) if asked.last else manifest())
                if chapter.in_browser and (not asked.chapters or chapter.folder in asked.chapters)]
    if not all((code / (chapter.folder + ".wasm")).is_file() for chapter in chapters):
        print("SKIPPED: the programs are not built (./workbook browser --build-only)")
        sys.exit(77)
    checks = [check_scene] if asked.skip_numbers else [check_numbers, check_scene]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda work: list(work[0](code, binaries, work[1])),
                         [(check, chapter) for chapter in chapters for check in checks])
        problems = [problem for some in found for problem in some]
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"agree: {len(chapters)} chapters, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
